// -log2 of a uniform number, in units of 2^-25. Twin of src/random/log2.rs.

const LARGEST_LOG2: u32 = 0x7FFFFFFEu;

fn minus_log2(high: u32, low: u32) -> u32 {
    var zeros = countLeadingZeros(high);
    var mantissa = 0u;
    if high == 0u {
        let more = countLeadingZeros(low);
        zeros = 32u + more;
        mantissa = low << (more & 31u);
    } else if zeros == 0u {
        mantissa = high;
    } else {
        mantissa = (high << zeros) | (low >> (32u - zeros));
    }
    if zeros > 62u {
        return LARGEST_LOG2;
    }
    let node = (mantissa >> 23u) & 255u;
    let fraction = mantissa << 9u;
    let floor = table(node);
    let rise = multiply_high((table(node + 1u) - floor) << 8u, fraction) >> 8u;
    return ((zeros + 1u) << 25u) - ((floor + rise + 32u) >> 6u);
}
