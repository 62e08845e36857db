//! TEMPORARY
use super::multiply_high;
pub const EXPONENTIAL_FRACTION_BITS: u32 = 26;
pub const EXPONENTIAL_TABLE_WORDS: usize = 512;
pub const SHORT_WORD: u32 = 1 << 20;
pub(crate) const LN2: u32 = 46_516_320;
pub fn exponential_table() -> Vec<u32> {
    (0..256u32)
        .flat_map(|k| {
            let f = f64::from(k) / 256.0;
            let h = 1.0 / 256.0;
            let (a, b) = (libm::log1p(f), libm::log1p(f + h));
            let raise = h * h / (12.0 * (1.0 + f) * (1.0 + f));
            [
                libm::round((a + raise) * 2147483648.0) as u32,
                libm::round((b - a) * 2147483648.0 * 256.0) as u32,
            ]
        })
        .collect()
}
#[inline(always)]
pub(crate) fn exponential_cell(mantissa: u32) -> u32 {
    ((mantissa >> 23) & 255) << 1
}
#[inline(always)]
pub(crate) fn exponential_of(zeros: u32, mantissa: u32, base: u32, slope: u32) -> u32 {
    let rise = multiply_high(slope, mantissa << 9) >> 8;
    let ln = base.wrapping_add(rise);
    ((zeros + 1).wrapping_mul(LN2)).wrapping_sub((ln.wrapping_add(16)) >> 5)
}
#[inline(always)]
pub fn exponential(table: &[u32], high: u32, low: u32) -> u32 {
    let (zeros, mantissa) = super::normalise(high, low);
    let cell = exponential_cell(mantissa) as usize;
    exponential_of(zeros, mantissa, table[cell], table[cell + 1])
}
