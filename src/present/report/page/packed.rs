//! Lists of numbers as short texts: Base64 of their little-endian bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;

/// Encodes integers of 32 bits, or of 16 where not `wide`.
pub fn pack_integers(values: impl Iterator<Item = u32>, wide: bool) -> String {
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes()[..if wide { 4 } else { 2 }]);
    }
    encode_base64(&bytes)
}

/// Encodes floating-point numbers of 32 bits, exact enough for a position.
pub fn pack_floats(values: impl Iterator<Item = f64>) -> String {
    let bytes: Vec<u8> = values.flat_map(|v| (v as f32).to_le_bytes()).collect();
    encode_base64(&bytes)
}

/// Encodes bytes.
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_little_endian() {
        assert_eq!(encode_base64(&[1, 0, 2, 1]), "AQACAQ==");
        assert_eq!(
            pack_integers([1, 258].into_iter(), false),
            encode_base64(&[1, 0, 2, 1])
        );
        assert_eq!(
            pack_integers([1].into_iter(), true),
            encode_base64(&[1, 0, 0, 0])
        );
    }
}
