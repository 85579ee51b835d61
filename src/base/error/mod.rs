//! The library's error type: every message names the location, the text found and the text expected.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod bytes;
mod suggest;
mod text;

pub use bytes::format_bytes;
pub use text::{escape_controls, format_six_digits, format_thousands, quote_word, sanitize};

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where a piece of input came from: a file (with its line) or an option's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceLocation {
    /// Line `line` (from 1) of a file.
    Line {
        /// The file as the user named it.
        file: Arc<str>,
        /// Line number, from 1.
        line: usize,
    },
    /// A file as a whole.
    File(Arc<str>),
    /// An option or an inline specification, as the user wrote it.
    Option(Arc<str>),
}

impl SourceLocation {
    /// Places a line of a file, from 1; 0 for the file as a whole, where no line is known.
    pub fn line(file: &str, line: usize) -> Self {
        match line {
            0 => SourceLocation::File(file.into()),
            _ => SourceLocation::Line {
                file: file.into(),
                line,
            },
        }
    }

    /// Places a file as a whole.
    pub fn file(path: &Path) -> Self {
        SourceLocation::File(path.display().to_string().into())
    }

    /// Places an option or inline specification.
    pub fn option(text: impl AsRef<str>) -> Self {
        SourceLocation::Option(text.as_ref().into())
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The name of a file is from outside, too: it may have codes in it that steer a terminal.
            SourceLocation::Line { file, line } => write!(f, "{}:{line}", sanitize(file)),
            SourceLocation::File(file) => f.write_str(&sanitize(file)),
            SourceLocation::Option(text) => write!(f, "`{}`", sanitize(text)),
        }
    }
}

/// Everything that can go wrong outside the program itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Input that is wrong: location, found, expected.
    #[error(
        "{location}: {}{found}; {}{expected}",
        crate::error::unless_begun(found, "unknown", "found "),
        crate::error::unless_begun(expected, suggest::QUESTION, "expected ")
    )]
    Input {
        /// Location of the input.
        location: SourceLocation,
        /// Text that was found.
        found: String,
        /// Description of the expected text.
        expected: String,
    },
    /// A request that makes sense by itself but not for this topology.
    #[error("{location}: {problem}; {remedy}")]
    Unsuited {
        /// The option that asks for it.
        location: SourceLocation,
        /// Reason why it cannot be done, in words.
        problem: String,
        /// A request that works.
        remedy: String,
    },
    /// More memory than the limit allows.
    #[error(
        "{what} needs about {}, more than the {} this run may use; expected a smaller machine or a higher --memory",
        crate::error::format_bytes(*.needed), crate::error::format_bytes(*.limit)
    )]
    Memory {
        /// What the memory is for, as messages name it.
        what: String,
        /// Number of bytes that it would take.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A file that cannot be read or written.
    #[error("{}: {action}: {cause}", crate::error::sanitize(&.path.display().to_string()))]
    Io {
        /// The file.
        path: PathBuf,
        /// Operation that failed.
        action: &'static str,
        /// Error of the system.
        cause: std::io::Error,
    },
    /// An error in something that a line of a file names.
    #[error("{location}: {cause}")]
    Named {
        /// The line that names it.
        location: SourceLocation,
        /// The fault, in words.
        cause: Box<Error>,
    },
    /// Several errors of one file, one on each line of the message; limited to as many as a person reads.
    #[error("{}", .0.iter().map(Error::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<Error>),
    /// A figure that could not be drawn.
    #[error("drawing {figure}: {reason}")]
    Draw {
        /// The figure's name.
        figure: String,
        /// Error of the plotting library.
        reason: String,
    },
}

impl Error {
    /// Builds the error of wrong input: location, found, expected.
    pub fn input(
        location: SourceLocation,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Error::Input {
            location,
            found: sanitize_text(found),
            expected: sanitize_text(expected),
        }
    }

    /// Builds an [`Error::input`] about an option of the command, or about a text that names something.
    pub fn option(
        option: impl AsRef<str>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        Error::input(SourceLocation::option(option), found, expected)
    }

    /// Places an error about a text at `location`, where that text was read; the text is quoted if it is itself
    /// what is wrong.
    pub fn locate_text_error(self, text: &str, location: &SourceLocation) -> Self {
        match self {
            Error::Input {
                location: SourceLocation::Option(_),
                found,
                expected,
            } => Error::input(location.clone(), format!("`{text}`: {found}"), expected),
            // An error with a file and line of its own says more than the text that named it.
            error => error,
        }
    }

    /// Builds the error of a request that does not suit this topology, with a remedy: a request that would.
    pub fn unsuited(
        location: SourceLocation,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Error::Unsuited {
            location,
            problem: sanitize_text(problem),
            remedy: sanitize_text(remedy),
        }
    }

    /// Builds the error of a name that is not in `known`, with the nearest one suggested, else some
    /// of them listed.
    pub fn unknown<'a>(
        location: SourceLocation,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let expected = match suggest::nearest_name(name, &known) {
            Some(near) => format!("{} `{near}`?", suggest::QUESTION),
            // A list of no names would read like a fault of the program.
            None if known.is_empty() => "nothing here".into(),
            None => format!("one of {}", list_some(&known)),
        };
        Error::input(location, format!("unknown {what} `{name}`"), expected)
    }

    /// Builds the error of a failed file operation.
    pub fn io(path: &Path, action: &'static str, cause: std::io::Error) -> Self {
        Error::Io {
            path: path.to_path_buf(),
            action,
            cause,
        }
    }
}

/// Most names that a message lists.
const LISTED: usize = 8;

/// Lists the first of `names`, and counts those not listed.
fn list_some(names: &[&str]) -> String {
    let shown = names.len().min(LISTED);
    let text = names[..shown].join(", ");
    match names.len() - shown {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// Chooses the word to put before a text: `word`, or nothing if the text begins with `start` already.
fn unless_begun(text: &str, start: &str, word: &'static str) -> &'static str {
    if text.starts_with(start) { "" } else { word }
}

fn sanitize_text(text: impl Into<String>) -> String {
    sanitize(&text.into()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_place_found_and_expected() {
        let location = SourceLocation::line("m.toml", 14);
        let error = Error::input(location, "dims[2] = 0", "an extent of at least 1").to_string();
        assert_eq!(
            error,
            "m.toml:14: found dims[2] = 0; expected an extent of at least 1"
        );
    }

    #[test]
    fn messages_are_for_a_terminal() {
        let location = SourceLocation::option("a\u{1b}[2Jb\nc");
        let error = Error::input(location, "tab\there \u{202e}", "é\u{0}".repeat(1000)).to_string();
        assert!(
            error.starts_with("`a\\u{1b}[2Jb\\nc`: found tab here \\u{202e}; expected é"),
            "{error}"
        );
        assert!(!error.contains(char::is_control) && error.len() < 2000 && error.contains(" … "));
    }
}
