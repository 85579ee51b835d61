//! Values as written, for errors that are found after the text is read.

use super::Params;
use crate::error::{Error, SourceLocation};

/// A value as written, with its place: for errors that are found when something is built of it.
#[derive(Clone, Debug)]
pub struct Written {
    location: SourceLocation,
    found: String,
}

impl Params {
    /// Quotes the value of `key` as written, for [`Written::invalid_value`].
    pub fn written_value(&self, key: &str) -> Written {
        let given = self.given_value(key);
        Written {
            location: self.location_of(key),
            found: given.map_or_else(
                || format!("no `{key}`"),
                |value| format!("{key} = {}", value.describe()),
            ),
        }
    }

    /// Builds an error about `key`'s value, which it quotes as written.
    pub fn invalid_value(&self, key: &str, expected: impl Into<String>) -> Error {
        self.written_value(key).invalid_value(expected)
    }
}

impl Written {
    /// Returns where the value stands.
    pub fn location(&self) -> &SourceLocation {
        &self.location
    }

    /// Builds the error that something else was expected.
    pub fn invalid_value(&self, expected: impl Into<String>) -> Error {
        Error::input(self.location.clone(), self.found.clone(), expected)
    }
}
