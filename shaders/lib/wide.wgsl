// 64-bit arithmetic on pairs of words. Twin of the Rust functions of the same names.

// The upper half of a 64-bit product.
fn multiply_high(a: u32, b: u32) -> u32 {
    let a_low = a & 0xFFFFu;
    let a_high = a >> 16u;
    let b_low = b & 0xFFFFu;
    let b_high = b >> 16u;
    let low = a_low * b_low;
    let middle = a_high * b_low + (low >> 16u);
    let other = a_low * b_high + (middle & 0xFFFFu);
    return a_high * b_high + (middle >> 16u) + (other >> 16u);
}

// The product of two words: (low, high).
fn multiply_wide(a: u32, b: u32) -> vec2<u32> {
    return vec2<u32>(a * b, multiply_high(a, b));
}

// The sum of two pairs (low, high), modulo 2^64.
fn add_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// A pair (low, high) divided by 2^by, by in 0..=31.
fn shift_right_wide(x: vec2<u32>, by: u32) -> vec2<u32> {
    // Two shifts: a shift by 32 would be undefined.
    return vec2<u32>((x.x >> by) | ((x.y << 1u) << (31u - by)), x.y >> by);
}

// A pair (low, high) divided by 2^by and rounded to the nearest, halves up, by in 0..=63.
fn shift_right_rounded_wide(x: vec2<u32>, by: u32) -> vec2<u32> {
    // Half of what is shifted out: bit by - 1.
    let half = (max(by, 1u) - 1u) & 31u;
    let bit = select(0u, 1u << half, by > 0u);
    let rounded = add_wide(x, select(vec2<u32>(bit, 0u), vec2<u32>(0u, bit), by > 32u));
    let shifted = shift_right_wide(rounded, by & 31u);
    return select(shifted, vec2<u32>(shifted.y, 0u), by >= 32u);
}

// Leading zeros of high * 2^32 + low, at most 63, and its 32 bits from the first one on.
fn normalise(high: u32, low: u32) -> vec2<u32> {
    let short = high == 0u;
    let first = select(high, low, short);
    let second = select(low, 0u, short);
    let zeros = min(countLeadingZeros(first), 31u);
    let mantissa = (first << zeros) | ((second >> 1u) >> (31u - zeros));
    return vec2<u32>(select(zeros, zeros + 32u, short), mantissa);
}
