//! Numbers with a unit: `10GB/s`, `40Gb/s`, `64KiB`, `1us`; counts of bytes: `16G`.

use super::{Params, Value};
use crate::error::{Error, Result};

/// Physical quantity of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes: `1MB`, `64KiB`, or a plain number.
    Bytes,
    /// Bytes a second: `1.25GB/s`, or `10Gb/s` in bits.
    Bandwidth,
    /// Seconds: `1.5s`, `20ms`, `1us`, `60ns`, `12h`, `30d`, `5y` (of 365.25 days), or a plain number.
    Seconds,
    /// Operations a second: `1Gf`.
    Speed,
}

impl Unit {
    /// Describes the form of its texts, for messages.
    pub fn expected_form(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes of 0 or more, such as 4096, 1MB, 64KiB or 8kb (bits)",
            Unit::Bandwidth => {
                "bytes or bits a second with their unit, such as 1.25GB/s, 512MiB/s or 10Gb/s"
            }
            Unit::Seconds => "seconds of 0 or more, such as 0.5, 20ms, 1us or 60ns",
            Unit::Speed => "operations a second, such as 1Gf or 2.5Tf",
        }
    }

    /// Reads a number with its unit, in bytes, seconds, or either a second. Prefixes are k, M, G, T, P (powers of
    /// ten) and Ki, Mi, Gi, Ti, Pi (powers of two); blanks may stand before the unit. None where the text is
    /// something else, negative or not finite.
    pub fn parse(self, text: &str) -> Option<f64> {
        let text = text.trim();
        // An `e` belongs to the number where digits follow.
        let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
        let mut end = text.find(|c| !number(c)).unwrap_or(text.len());
        if let Some(exponent) = text[end..].strip_prefix(['e', 'E']) {
            let digits = exponent.find(|c| !number(c)).unwrap_or(exponent.len());
            end += if digits > 0 { 1 + digits } else { 0 };
        }
        let value: f64 = text[..end].parse().ok()?;
        let value = value * self.unit_factor(text[end..].trim_start())?;
        (value.is_finite() && value >= 0.0).then_some(value)
    }

    fn unit_factor(self, unit: &str) -> Option<f64> {
        let prefixed = match (self, unit) {
            // A plain bandwidth could be in bits or in bytes, a plain speed in any unit: neither has a default.
            (Unit::Bytes | Unit::Seconds, "") | (Unit::Seconds, "s") => return Some(1.0),
            (Unit::Seconds, "ms") => return Some(1e-3),
            (Unit::Seconds, "us" | "µs") => return Some(1e-6),
            (Unit::Seconds, "ns") => return Some(1e-9),
            (Unit::Seconds, "h") => return Some(3600.0),
            (Unit::Seconds, "d") => return Some(86_400.0),
            (Unit::Seconds, "y") => return Some(365.25 * 86_400.0),
            (Unit::Seconds, _) => return None,
            (Unit::Bytes, _) => unit,
            (Unit::Bandwidth, _) => unit.strip_suffix("/s")?,
            (Unit::Speed, _) => unit.strip_suffix('f')?,
        };
        let (prefix, part) = match self {
            Unit::Speed => (prefixed, 1.0),
            // A capital B is bytes, a small b bits.
            _ => match prefixed.strip_suffix('B') {
                Some(prefix) => (prefix, 1.0),
                None => (prefixed.strip_suffix('b')?, 0.125),
            },
        };
        let power = |base: f64, prefix: &str| {
            let i = ["", "k", "M", "G", "T", "P"]
                .iter()
                .position(|p| *p == prefix)?;
            Some(base.powi(i as i32))
        };
        let factor = match prefix.strip_suffix('i') {
            // Kilo is a small k and kibi a capital K (SI, IEC 80000-13): `ki`, and `i` alone, are neither.
            Some("K") => 1024.0,
            Some("k") | Some("") => return None,
            Some(prefix) => power(1024.0, prefix)?,
            None => power(1000.0, prefix)?,
        };
        Some(part * factor)
    }

    /// Reads the value of the option `flag`, as [`Unit::parse`] does.
    ///
    /// # Errors
    /// With the option, the text and the form that is expected.
    pub fn parse_option(self, flag: &str, text: &str) -> Result<f64> {
        self.parse(text).ok_or_else(|| {
            let option = format!("{flag} {text}");
            Error::option(option, format!("`{text}`"), self.expected_form())
        })
    }
}

impl Params {
    /// Reads a number with its unit, if given: a text as [`Unit::parse`] reads it, or a plain number in bytes or
    /// seconds. Fails if it is something else, negative or not finite.
    pub fn optional_quantity(&self, key: &'static str, unit: Unit) -> Result<Option<f64>> {
        let Some((value, _)) = self.located_value(key) else {
            return Ok(None);
        };
        let text = match value {
            Value::Word(_) | Value::Integer(_) | Value::Float(_) => value.scalar_text(),
            _ => None,
        };
        let found = text.and_then(|text| unit.parse(&text));
        found
            .map(Some)
            .ok_or_else(|| self.invalid_value(key, unit.expected_form()))
    }
}

/// Parses a whole number of bytes: a number, then k, M, G or T (powers of 1000) or Ki, Mi, Gi or Ti (powers of 1024)
/// in either case, then `B` or nothing. `1.5G` is 1,500,000,000; what is left of a byte is cut off.
///
/// # Errors
/// Another text, or more than 64 bits hold: what was found and what is expected.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let found = || {
        let number = text.trim_end_matches(['B', 'b']);
        let (number, base) = match number.strip_suffix(['i', 'I']) {
            Some(number) => (number, 1024f64),
            None => (number, 1000.0),
        };
        // Memory is not counted in bits, so the case of its letters says nothing.
        let prefix = number.chars().last()?.to_ascii_lowercase();
        let (number, factor) = match "kmgt".find(prefix) {
            Some(i) => (&number[..number.len() - 1], base.powi(i as i32 + 1)),
            // `5i` has no prefix.
            None if base == 1024.0 => return None,
            None => (number, 1.0),
        };
        // Signs and exponents are no part of a count.
        let plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
        let bytes = number.parse::<f64>().ok().filter(|_| plain)? * factor;
        // The conversion would cut larger ones to the greatest number without a word.
        (bytes < 2f64.powi(64)).then_some(bytes as u64)
    };
    found().ok_or_else(|| {
        format!(
            "found `{text}`; expected a byte count up to 18446744T, such as 500M, 1.5G or 16GiB"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_counts_have_prefixes_of_either_kind() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("500k", 500_000),
            ("500KB", 500_000),
            ("16G", 16_000_000_000),
            ("1.5G", 1_500_000_000),
            ("1GiB", 1 << 30),
            ("0.5mib", 1 << 19),
            ("18446744T", 18_446_744_000_000_000_000),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "G",
            "-1",
            "1e9",
            "5i",
            "nan",
            "inf",
            "1 G",
            "18446745T",
            "1P",
            "1.2.3G",
        ] {
            assert!(
                parse_bytes(text)
                    .unwrap_err()
                    .contains("expected a byte count"),
                "{text}"
            );
        }
    }

    #[test]
    fn units_are_powers_of_ten_or_of_two_and_bits_are_eighths() {
        for (unit, text, value) in [
            (Unit::Bandwidth, "1.25GB/s", 1.25e9),
            (Unit::Bandwidth, "40Gb/s", 5e9),
            (Unit::Bandwidth, "2 MiB/s", 2097152.0),
            (Unit::Bandwidth, "8b/s", 1.0),
            (Unit::Bandwidth, "1e3kB/s", 1e6),
            (Unit::Bytes, "64KiB", 65536.0),
            (Unit::Bytes, "1e6", 1e6),
            (Unit::Bytes, "8kb", 1000.0),
            (Unit::Bytes, "0", 0.0),
            (Unit::Seconds, "60ns", 60.0 * 1e-9),
            (Unit::Seconds, "0.5", 0.5),
            (Unit::Seconds, "20 ms", 0.02),
            (Unit::Speed, "2.5Tf", 2.5e12),
        ] {
            assert_eq!(unit.parse(text), Some(value), "{text}");
        }
        for (unit, text) in [
            (Unit::Bandwidth, "10"),
            (Unit::Bandwidth, "10GB"),
            (Unit::Bandwidth, "10XB/s"),
            (Unit::Bandwidth, "-1GB/s"),
            (Unit::Bandwidth, "1kiB/s"),
            (Unit::Bandwidth, "1iB/s"),
            (Unit::Bandwidth, "GB/s"),
            (Unit::Bytes, "1MB/s"),
            (Unit::Bytes, "nan"),
            (Unit::Bytes, "1e400"),
            (Unit::Bytes, "1eB"),
            (Unit::Seconds, "1m"),
            (Unit::Seconds, "1ks"),
            (Unit::Speed, "1G"),
            (Unit::Speed, ""),
        ] {
            assert_eq!(unit.parse(text), None, "{text}");
        }
    }

    #[test]
    fn errors_show_what_is_expected() {
        let error = Unit::Bandwidth
            .parse_option("--bandwidth", "fast")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("`--bandwidth fast`: found `fast`; expected bytes or bits"),
            "{error}"
        );
    }
}
