// The bin of a value on a log-linear scale of 2^bits bins an octave. Twin of src/models/histogram.rs.

fn log_linear_bin(value: u32, bits: u32) -> u32 {
    let octave = max(31u - countLeadingZeros(value | 1u), bits) - bits;
    return (octave << bits) + (value >> octave);
}
