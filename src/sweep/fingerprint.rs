//! Checksums: they distinguish one plan from another, and a whole line or file from a damaged one.

use std::io::Read;
use std::path::Path;

use nodeorder_base::{Error, Result};

/// FNV-1a of 128 bits. It finds accidental changes; a checksum can be forged.
///
/// # References
/// Fowler, Noll, Vo, Eastlake, "The FNV non-cryptographic hash algorithm", RFC 9923.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The checksum of no bytes, from which every other one starts: the offset basis of RFC 9923.
    pub(super) const EMPTY: Fingerprint = Fingerprint(0x6c62272e07bb014262b821756295c58d);

    /// Takes bytes into the checksum.
    pub fn hash_bytes(&mut self, bytes: &[u8]) {
        const PRIME: u128 = 0x0000000001000000000000000000013b;
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Adds a text to the checksum, with a mark for its end.
    pub fn add_part(&mut self, part: &str) {
        self.hash_bytes(part.as_bytes());
        // No text of a plan contains a zero byte, so `ab`, `c` and `a`, `bc` differ.
        self.hash_bytes(&[0]);
    }

    /// Hashes bytes.
    pub fn hash_of_bytes(bytes: &[u8]) -> Self {
        let mut all = Fingerprint::EMPTY;
        all.hash_bytes(bytes);
        all
    }

    /// Hashes the bytes of a file, packed or not. Fails if it cannot be read.
    pub fn hash_of_file(path: &Path) -> Result<Self> {
        let failed = |e| Error::io(path, "reading", e);
        // The bytes as stored: a file packed anew counts as changed, which costs a run and never gives a wrong row.
        let mut file = std::fs::File::open(path).map_err(failed)?;
        let mut all = Fingerprint::EMPTY;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer).map_err(failed)? {
                0 => return Ok(all),
                read => all.hash_bytes(&buffer[..read]),
            }
        }
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Computes the checksum of a table: a manifest has it, and tells by it whether the table was changed.
pub fn checksum(bytes: &[u8]) -> String {
    Fingerprint::hash_of_bytes(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of RFC 9923: the empty string, "a" and "foobar".
    #[test]
    fn known_values() {
        assert_eq!(
            Fingerprint::hash_of_bytes(b"").to_string(),
            "6c62272e07bb014262b821756295c58d"
        );
        assert_eq!(
            Fingerprint::hash_of_bytes(b"a").to_string(),
            "d228cb696f1a8caf78912b704e4a8964"
        );
        assert_eq!(
            Fingerprint::hash_of_bytes(b"foobar").to_string(),
            "343e1662793c64bf6f0d3597ba446f18"
        );
    }
}
