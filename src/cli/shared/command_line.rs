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
    pub fn argument(mut self, text: impl Display) -> Self {
        self.0 += " ";
        self.0 += &quote_word(&text.to_string());
        self
    }

    /// Adds an option once for every value: all of a list, or that of an `Option`, if any.
    pub fn option<T: Display>(self, name: &str, values: impl IntoIterator<Item = T>) -> Self {
        values
            .into_iter()
            .fold(self, |line, value| line.argument(name).argument(value))
    }

    /// Adds `--seed` unless it is the default.
    pub fn seed(self, seed: u64) -> Self {
        self.option("--seed", (seed != 1).then_some(seed))
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
            .argument("torus:4x4")
            .option("--out", Some("it's"));
        let line = line
            .option("--order", ["a", "b c"])
            .option::<u8>("--none", None);
        let line = line.seed(1).seed(2).to_string();
        assert_eq!(
            line,
            r"nodeorder compare torus:4x4 --out 'it'\''s' --order a --order 'b c' --seed 2"
        );
    }
}
