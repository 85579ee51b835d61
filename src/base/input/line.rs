//! A line of a text.

use std::borrow::Cow;

use crate::error::{Error, Result, SourceLocation};

/// One line of a text, with its number.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    pub(super) source: &'a str,
    /// Line number, from 1.
    pub number: usize,
    /// The line without its end.
    pub text: &'a str,
    /// Number of the line's file, from 0 ([`super::Lines::open_all`]).
    pub file: u32,
}

impl<'a> Line<'a> {
    /// Makes a line of the text called `source`.
    pub fn new(source: &'a str, number: usize, text: &'a str) -> Self {
        Line {
            source,
            number,
            text,
            file: 0,
        }
    }

    /// Names the location of the line, for messages.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::line(self.source, self.number)
    }

    /// Builds an error at this line.
    pub fn error_here(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        Error::input(self.location(), found, expected)
    }

    /// Builds an error about the line as a whole.
    pub fn whole_error(&self, expected: impl Into<String>) -> Error {
        self.error_here(format!("`{}`", self.text), expected)
    }

    /// Splits a line of CSV into its fields, blanks trimmed; quotes as RFC 4180 has them: `"a,b"`, `""` for a
    /// quote.
    ///
    /// # Errors
    /// A quoted field that does not end on the line.
    pub fn split_csv(&self) -> Result<Vec<Cow<'a, str>>> {
        self.split_table_row(',')
    }

    /// Splits a row of a table into its fields, which `delimiter` parts, as [`Line::split_csv`] does.
    ///
    /// # Errors
    /// A quoted field that does not end on the line.
    pub fn split_table_row(&self, delimiter: char) -> Result<Vec<Cow<'a, str>>> {
        split_fields(self.text, delimiter, false)
            .ok_or_else(|| self.whole_error("each quote closed on its line"))
    }
}

/// Splits a text into the fields that `delimiter` parts, blanks trimmed. Quotes are as RFC 4180 has them; with
/// `brackets`, delimiters in brackets outside quotes part nothing, as in `n[1,3]`. `None` if a quoted field does not
/// end.
pub fn split_fields(text: &str, delimiter: char, brackets: bool) -> Option<Vec<Cow<'_, str>>> {
    let mut fields = Vec::new();
    let mut rest = text;
    loop {
        // A quote that does not begin the field is a plain character, as in `d"e`.
        let (field, after) = match rest.trim_start_matches(' ').strip_prefix('"') {
            Some(quoted) => split_quoted(quoted)?,
            None => {
                let mut inside = false;
                let end = rest.find(|c| {
                    inside = brackets && (inside || c == '[') && c != ']';
                    c == delimiter && !inside
                });
                let (field, after) = rest.split_at(end.unwrap_or(rest.len()));
                (field.trim().into(), after)
            }
        };
        fields.push(field);
        if after.is_empty() {
            return Some(fields);
        }
        // Text behind the closing quote leaves open where the field ends, so the line is refused.
        rest = after.strip_prefix(delimiter)?;
    }
}

/// Splits a text behind an opening quote into the field up to the closing one, and what follows. `None` if there is no
/// closing one.
fn split_quoted(quoted: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut end = quoted.find('"')?;
    // A doubled quote stands for one.
    while quoted[end + 1..].starts_with('"') {
        end += 2 + quoted[end + 2..].find('"')?;
    }
    let field = quoted[..end].replace("\"\"", "\"").trim().to_string();
    Some((field.into(), quoted[end + 1..].trim_start_matches(' ')))
}

/// Strips the fraction of zeros that tables of floats give to a whole number: `8.0` becomes `8`.
pub fn strip_zero_fraction(text: &str) -> &str {
    match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => whole,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_csv() {
        let of = |text: &str| {
            let line = Line::new("f", 1, text);
            line.split_csv()
                .map(|f| f.join("|"))
                .map_err(|e| e.to_string())
        };
        assert_eq!(of("0, n0 ,3").unwrap(), "0|n0|3");
        assert_eq!(of("0,\"n0\"").unwrap(), "0|n0");
        assert_eq!(of("0, \"n0\" ").unwrap(), "0|n0");
        let list = split_fields("1,n[1,3],\"n[2,4],n7\",", ',', true).unwrap();
        assert_eq!(list, ["1", "n[1,3]", "n[2,4],n7", ""]);
        let tabs = split_fields("\t\"a\tb\"\t c ", '\t', false).unwrap();
        assert_eq!(tabs, ["", "a\tb", "c"]);
        assert_eq!(
            ["8.0", "8.", "8", "8.05", "8.000"].map(strip_zero_fraction),
            ["8", "8.", "8", "8.05", "8"]
        );
        assert_eq!(of("0,\"a,b\",1").unwrap(), "0|a,b|1");
        assert_eq!(
            of("\"say \"\"hi\"\"\",d\"e,\"\"").unwrap(),
            "say \"hi\"|d\"e|"
        );
        assert_eq!(
            of("0,\"a\"b").unwrap_err().split(';').next().unwrap(),
            "f:1: found `0,\"a\"b`"
        );
        assert!(
            of("0,\"n0")
                .unwrap_err()
                .starts_with("f:1: found `0,\"n0`; expected each quote")
        );
    }
}
