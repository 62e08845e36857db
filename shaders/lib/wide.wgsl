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
