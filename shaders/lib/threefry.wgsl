// Threefry-4x32 with 12 rounds: four random words from a counter and a key.
// Twin of src/random/threefry.rs. Functions only.

const PARITY: u32 = 0x1BD11BDAu;

fn rotate_xor(word: u32, by: u32, other: u32) -> u32 {
    return ((word << by) | (word >> (32u - by))) ^ other;
}

fn mix(x: vec4<u32>, r0: u32, r1: u32) -> vec4<u32> {
    let a = x.x + x.y;
    let c = x.z + x.w;
    return vec4<u32>(a, rotate_xor(x.y, r0, a), c, rotate_xor(x.w, r1, c));
}

fn mix_crossed(x: vec4<u32>, r0: u32, r1: u32) -> vec4<u32> {
    let a = x.x + x.w;
    let c = x.z + x.y;
    return vec4<u32>(a, rotate_xor(x.y, r1, c), c, rotate_xor(x.w, r0, a));
}

// Rounds 1 to 4 of every eight.
fn first_quad(x: vec4<u32>) -> vec4<u32> {
    return mix_crossed(mix(mix_crossed(mix(x, 10u, 26u), 11u, 21u), 13u, 27u), 23u, 5u);
}

// Rounds 5 to 8 of every eight.
fn second_quad(x: vec4<u32>) -> vec4<u32> {
    return mix_crossed(mix(mix_crossed(mix(x, 6u, 20u), 17u, 11u), 25u, 10u), 18u, 20u);
}

fn threefry4x32(counter: vec4<u32>, key: vec4<u32>) -> vec4<u32> {
    let last = PARITY ^ key.x ^ key.y ^ key.z ^ key.w;
    var x = counter + key;
    x = first_quad(x) + vec4<u32>(key.y, key.z, key.w, last + 1u);
    x = second_quad(x) + vec4<u32>(key.z, key.w, last, key.x + 2u);
    x = first_quad(x) + vec4<u32>(key.w, last, key.x, key.y + 3u);
    return x;
}
