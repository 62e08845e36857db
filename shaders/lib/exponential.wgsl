// Exponential times: -ln U in units of 2^-26. Twin of src/random/exponential.rs. Needs wide.wgsl.

// A uniform number whose first word is below this needs a second random word.
const SHORT_WORD: u32 = 0x100000u;

// The second word of a uniform number that needs none.
const MIDPOINT: u32 = 0x80000000u;

fn is_short(high: u32) -> bool {
    return high < SHORT_WORD;
}

fn exponential(at: u32, high: u32, low: u32) -> u32 {
    let number = normalise(high, low);
    let octaves = number.x + 1u;
    let mantissa = number.y | 0x80000000u;
    let cell = at + ((mantissa >> 22u) & 510u);
    let line = table(cell) + multiply_high(table(cell + 1u), mantissa);
    let below = (line + octaves * 4u) >> 5u;
    return max(octaves * 46516320u, below) - below;
}
