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

    /// Splits a line of CSV into its fields, blanks trimmed; quotes as RFC 4180 has them: `"a,b"`, `""` for a
    /// quote.
    ///
    /// # Errors
    /// A quoted field that does not end on the line.
    pub fn split_csv(&self) -> Result<Vec<Cow<'a, str>>> {
        // Most lines have no quotes: splitting at commas is then all there is to do.
        if !self.text.contains('"') {
            return Ok(self
                .text
                .split(',')
                .map(|field| field.trim().into())
                .collect());
        }
        let mut fields = Vec::new();
        let mut rest = self.text;
        loop {
            // A quote that does not begin the field is a plain character, as in `d"e`.
            let Some(quoted) = rest.trim_start().strip_prefix('"') else {
                let (field, after) = rest
                    .split_once(',')
                    .map_or((rest, None), |(f, r)| (f, Some(r)));
                fields.push(field.trim().into());
                match after {
                    Some(after) => rest = after,
                    None => return Ok(fields),
                }
                continue;
            };
            // A doubled quote stands for one; blanks around the field's own quotes say nothing.
            let mut ends = quoted.match_indices('"').filter(|(i, _)| {
                let doubled = quoted[..*i]
                    .bytes()
                    .rev()
                    .take_while(|b| *b == b'"')
                    .count();
                doubled % 2 == 0 && !quoted[i + 1..].starts_with('"')
            });
            let end = ends.next().map(|(i, _)| (i, quoted[i + 1..].trim_start()));
            // Text behind the closing quote leaves open where the field ends, so the line is refused.
            match end.filter(|(_, after)| after.is_empty() || after.starts_with(',')) {
                Some((end, after)) => {
                    fields.push(
                        quoted[..end]
                            .replace("\"\"", "\"")
                            .trim()
                            .to_string()
                            .into(),
                    );
                    match after.strip_prefix(',') {
                        Some(after) => rest = after,
                        None => return Ok(fields),
                    }
                }
                None => {
                    let found = format!("`{}`", self.text);
                    return Err(Error::input(
                        self.location(),
                        found,
                        "each quote closed on its line",
                    ));
                }
            }
        }
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
