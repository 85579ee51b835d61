//! Command lines as text that a shell reads back: what made a result stands in it.

use std::fmt::{Display, Formatter, Result};

use nodeorder_base::error::quote_word;

/// A command line being put together.
pub struct CommandLine(String);

impl CommandLine {
    /// Starts with `nodeorder VERB`.
    pub fn new(verb: &str) -> Self {
        CommandLine(format!("nodeorder {verb}"))
    }

    /// Adds an argument.
    pub fn add_argument(mut self, text: impl Display) -> Self {
        self.0 += " ";
        self.0 += &quote_word(&text.to_string());
        self
    }

    /// Adds an option once for every value: all of a list, or that of an `Option`, if any.
    pub fn add_option<T: Display>(self, name: &str, values: impl IntoIterator<Item = T>) -> Self {
        values.into_iter().fold(self, |line, value| {
            line.add_argument(name).add_argument(value)
        })
    }

    /// Adds an option without a value, where it is given.
    pub fn add_flag(self, name: &str, given: bool) -> Self {
        if given { self.add_argument(name) } else { self }
    }

    /// Adds `--seed` unless it is the default.
    pub fn add_seed(self, seed: u64) -> Self {
        // Without it the line means the same, and short lines are easier to read and to paste.
        self.add_option("--seed", (seed != 1).then_some(seed))
    }
}

impl Display for CommandLine {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_words_back() {
        let line = CommandLine::new("compare")
            .add_argument("torus:4x4")
            .add_option("--out", Some("it's"));
        let line = line
            .add_option("--order", ["a", "b c"])
            .add_option::<u8>("--none", None);
        let line = line.add_seed(1).add_seed(2).to_string();
        assert_eq!(
            line,
            r"nodeorder compare torus:4x4 --out 'it'\''s' --order a --order 'b c' --seed 2"
        );
    }
}
