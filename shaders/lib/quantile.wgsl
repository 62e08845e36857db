// A random value from a table of its quantile function, with 32 fraction bits: words (low, high).
// Twin of src/random/quantile.rs. Needs wide.wgsl and exponential.wgsl.

fn quantile_is_short(high: u32) -> bool {
    let lower = 0u - (high >> 31u);
    return is_short((high ^ lower) & 0x7FFFFFFFu);
}

fn quantile(at: u32, high: u32, low: u32) -> vec2<u32> {
    let side = high >> 31u;
    let lower = 0u - side;
    let distance = (high ^ lower) & 0x7FFFFFFFu;
    let number = normalise((distance << 1u) | (low >> 31u), low << 1u);
    let cell = (((side << 6u) | number.x) << 5u) | ((number.y >> 26u) & 31u);
    let first = at + (cell << 2u);
    let fraction = (number.y << 6u) ^ ~lower;
    let base = vec2<u32>(table(first), table(first + 1u));
    let whole = multiply_wide(table(first + 3u), fraction);
    let part = vec2<u32>(multiply_high(table(first + 2u), fraction), 0u);
    return add_wide(base, add_wide(whole, part));
}
