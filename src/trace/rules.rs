//! Tables of options that jobs get by their sizes.

use std::path::Path;

use super::JobOptions;
use nodeorder_base::{Result, Text};

/// Rules, each for jobs of some sizes.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<(u32, u32, JobOptions)>,
}

impl Rules {
    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// As [`Rules::read`]; a file that cannot be read.
    pub fn open(path: &Path, most: u64) -> Result<Self> {
        Rules::read(&Text::read(path, most)?)
    }

    /// Reads CSV `from,to,options`: jobs of `from` to `to` nodes (no end where it is empty) ask for `options`, words
    /// `key=value` with blanks between. Sizes of no rule have none.
    ///
    /// # Errors
    /// With the line: another header, sizes that are none, sizes of two rules.
    pub fn read(text: &Text) -> Result<Self> {
        let mut rules: Vec<(u32, u32, JobOptions)> = Vec::new();
        for (number, line) in text.data_lines().enumerate() {
            let cells = line.split_csv()?;
            if number == 0 {
                if cells != ["from", "to", "options"] {
                    return Err(line.whole_error("the header from,to,options"));
                }
                continue;
            }
            // Further commas are of the options.
            let [from, to, options @ ..] = &cells[..] else {
                return Err(line.whole_error("from,to,options"));
            };
            let most = if to.is_empty() {
                Some(u32::MAX)
            } else {
                to.parse().ok()
            };
            let sizes = from
                .parse()
                .ok()
                .zip(most)
                .filter(|(from, to)| 0 < *from && from <= to);
            let Some((from, to)) = sizes else {
                let found = format!("sizes from `{from}` to `{to}`");
                return Err(line.error_here(
                    found,
                    "whole numbers above 0, the first not above the second",
                ));
            };
            if rules
                .iter()
                .any(|(first, last, _)| from <= *last && *first <= to)
            {
                let found = format!("sizes from {from} to {to}, some of which have a rule");
                return Err(line.error_here(found, "each size in one rule"));
            }
            let options = JobOptions {
                text: options.join(","),
                location: line.location(),
            };
            rules.push((from, to, options));
        }
        Ok(Rules { rules })
    }

    /// Iterates over the options of every rule.
    pub fn all_options(&self) -> impl Iterator<Item = &JobOptions> {
        self.rules.iter().map(|(.., options)| options)
    }

    /// Merges the options of a job of `nodes` nodes: its own, and those of its rule that it does not name.
    pub fn merge_options(&self, nodes: u32, own: Option<&JobOptions>) -> Option<JobOptions> {
        let rule = self
            .rules
            .iter()
            .find(|(from, to, _)| (*from..=*to).contains(&nodes));
        let (Some((.., rule)), Some(own)) = (rule, own) else {
            return rule.map(|(.., rule)| rule).or(own).cloned();
        };
        let key = |word: &str| word.split('=').next().unwrap_or_default().to_string();
        let named: Vec<String> = own.text.split_whitespace().map(key).collect();
        let more = rule
            .text
            .split_whitespace()
            .filter(|word| !named.contains(&key(word)));
        let words: Vec<&str> = own.text.split_whitespace().chain(more).collect();
        Some(JobOptions {
            text: words.join(" "),
            location: own.location.clone(),
        })
    }
}
