//! The fields of a line as numbers.

use crate::log::quote_token;
use nodeorder_base::input::{RawLine, strip_zero_fraction};
use nodeorder_base::{Error, Result};

/// Seconds up to which sums of three of them cannot overflow: 30 million years.
pub const LONGEST: i64 = 1_000_000_000_000_000;

/// The fields of a line, counted from 1 as the format's description does.
pub struct Fields<'a> {
    pub line: &'a RawLine<'a>,
    pub fields: [&'a str; 18],
}

impl Fields<'_> {
    pub fn field_error(&self, field: usize, name: &str, expected: &str) -> Error {
        let found = format!(
            "{name} (field {field}) {}",
            quote_token(self.fields[field - 1])
        );
        self.line.error_here(found, expected)
    }

    /// Parses a whole number of at most `high` either side of zero.
    pub fn parse_integer(&self, field: usize, name: &str, high: i64) -> Result<i64> {
        // Traces that went through a table of floats have whole numbers as 8.0.
        let number = strip_zero_fraction(self.fields[field - 1]).parse().ok();
        number
            .filter(|n| (-high..=high).contains(n))
            .ok_or_else(|| {
                self.field_error(
                    field,
                    name,
                    &format!("a whole number from -{high} to {high}"),
                )
            })
    }

    /// Checks for any decimal number: the archive has fractions here, and nothing is computed from them.
    pub fn check_real(&self, field: usize, name: &str) -> Result<()> {
        let text = self.fields[field - 1];
        // The faster reader does for most.
        if text.parse::<i64>().is_ok() || text.parse().is_ok_and(f64::is_finite) {
            return Ok(());
        }
        Err(self.field_error(
            field,
            name,
            "a number that is finite, up to 1.8e308 either side of zero",
        ))
    }

    /// Parses seconds; a fraction is rounded to the nearest, half a second up, and noted.
    pub fn parse_seconds(&self, field: usize, name: &str, rounded: &mut bool) -> Result<i64> {
        let text = self.fields[field - 1];
        if let Some((whole, fraction)) = text.split_once('.') {
            let digits = fraction.bytes().all(|b| b.is_ascii_digit());
            let seconds: Option<i64> = whole.parse().ok();
            if let Some(seconds) = seconds.filter(|s| digits && (0..LONGEST).contains(s)) {
                // A fraction such as `.00` loses nothing.
                *rounded |= fraction.bytes().any(|b| b != b'0');
                return Ok(seconds + i64::from(fraction.as_bytes().first() >= Some(&b'5')));
            }
            // A negative one is only ever an unknown, -1.00.
            if seconds == Some(-1) && digits && fraction.bytes().all(|b| b == b'0') {
                return Ok(-1);
            }
            let expected = format!("seconds from 0 to {LONGEST}, or -1 for unknown");
            return Err(self.field_error(field, name, &expected));
        }
        self.parse_integer(field, name, LONGEST)
    }

    /// Parses a number of processors. `None` if it is not positive.
    pub fn parse_size(&self, field: usize, name: &str) -> Result<Option<u32>> {
        let number = self.parse_integer(field, name, u32::MAX.into())?;
        Ok(u32::try_from(number).ok().filter(|n| *n > 0))
    }
}
