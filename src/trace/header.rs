//! The header of a trace: `; Label: value` lines.

use nodeorder_base::input::{RawLine, strip_zero_fraction};
use nodeorder_base::{Error, Result, SourceLocation};

/// One label of a header with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The label, such as `MaxProcs`; empty for text without one.
    pub label: String,
    /// The text after the colon, blanks trimmed; text on further lines follows after line breaks.
    pub value: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The header of a trace: every label in file order, repeated ones (`Note`, `Queue`, `Partition`) each time.
///
/// Lines are read leniently, as they are free text: bytes that are no UTF-8 show as `�`, and a number is
/// looked at only when it is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    entries: Vec<Entry>,
    /// Whether text without a label would continue the last entry.
    open: bool,
}

impl Header {
    /// Adds a line that starts with `;` to the header. Returns the number of bytes that the header grows by.
    pub(super) fn add_line(&mut self, line: &RawLine<'_>) -> usize {
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim().trim_start_matches(';').trim();
        // A label is one word with a capital; `http://…` and sentences are text.
        let labelled = text.split_once(':').filter(|(label, _)| {
            label.starts_with(|c: char| c.is_ascii_uppercase())
                && label.chars().all(|c| c.is_ascii_alphanumeric())
        });
        let (label, value) = match labelled {
            Some(pair) => pair,
            None if text.is_empty() => {
                // An empty `;` line parts two texts.
                self.open = false;
                return 0;
            }
            None => ("", text),
        };
        match self.entries.last_mut() {
            Some(last) if label.is_empty() && self.open => {
                last.value.push('\n');
                last.value.push_str(value);
            }
            _ => self.entries.push(Entry {
                label: label.to_string(),
                value: value.trim().to_string(),
                line: line.number,
            }),
        }
        self.open = true;
        // Lists grow by doubling, so they take at most twice what they hold.
        2 * (text.len() + size_of::<Entry>())
    }

    /// Returns all entries in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Lists the values of a label (`Version`, `Computer`, `Partition`, …), in file order.
    pub fn values_of_label<'a>(&'a self, label: &'a str) -> impl Iterator<Item = &'a str> {
        self.entries
            .iter()
            .filter(move |e| e.label == label)
            .map(|e| e.value.as_str())
    }

    /// Reads the whole number that a value starts with. `None` if it is absent. `file` is quoted on error.
    ///
    /// # Errors
    /// The value starts with anything else.
    pub fn leading_integer(&self, label: &str, file: &str) -> Result<Option<i64>> {
        let Some(entry) = self.entries.iter().find(|e| e.label == label) else {
            return Ok(None);
        };
        let Some(word) = entry.value.split_ascii_whitespace().next() else {
            return Ok(None);
        };
        // Headers are written by hand: text may go on behind the number.
        let word = strip_zero_fraction(word.trim_end_matches([',', ';', '.']));
        let number = word.parse();
        number.map(Some).map_err(|_| {
            let found = format!(
                "{label}: {}",
                entry.value.lines().next().unwrap_or_default()
            );
            let expected = format!("a whole number from {} to {}", i64::MIN, i64::MAX);
            Error::input(SourceLocation::line(file, entry.line), found, expected)
        })
    }

    fn positive_integer(&self, label: &str, file: &str) -> Result<Option<u64>> {
        Ok(self
            .leading_integer(label, file)?
            .and_then(|n| u64::try_from(n).ok())
            // 0 and -1 stand for unknown, and limit nothing.
            .filter(|n| *n > 0))
    }

    /// Reads `MaxNodes`, if positive. Fails if it is no number.
    pub fn max_nodes(&self, file: &str) -> Result<Option<u64>> {
        self.positive_integer("MaxNodes", file)
    }

    /// Reads `MaxProcs`, if positive.
    ///
    /// # Errors
    /// It is no number.
    pub fn max_procs(&self, file: &str) -> Result<Option<u64>> {
        self.positive_integer("MaxProcs", file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Lines;

    /// Excerpts of the header of CEA-Curie-2011-2.1-cln, Parallel Workloads Archive.
    const CURIE: &[u8] = b";   --- SWF file converted from SACCT ---
; Version: 2.2
;
; Installation: CEA Curie Cluster \xe9
; Information: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm
; UnixStartTime: 1296571124
; Note: Curie is composed of 3 types of nodes: thin, fat, and hybrid,
;	see: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm
; MaxNodes: 5544
;
; MaxProcs: 93312 (thin, fat)
; MaxJobs: many
; Queue:  1
; Partition:  1  test
; Partition: 18  z+i5U=:
;MaxRecords: -1
";

    #[test]
    fn labels_values_and_running_text_are_kept_apart() {
        let mut lines = Lines::new("c", CURIE);
        let mut header = Header::default();
        while let Some(line) = lines.read_line().unwrap() {
            header.add_line(&line);
        }
        assert_eq!(
            header.entries()[0].value,
            "--- SWF file converted from SACCT ---"
        );
        assert_eq!(header.entries()[0].label, "");
        assert_eq!(header.values_of_label("Version").next(), Some("2.2"));
        assert_eq!(
            header.values_of_label("Installation").next(),
            Some("CEA Curie Cluster \u{fffd}")
        );
        assert_eq!(
            header.leading_integer("UnixStartTime", "c").unwrap(),
            Some(1_296_571_124)
        );
        let note = header.values_of_label("Note").next().unwrap();
        assert!(
            note.ends_with("hybrid,\nsee: http://www-hpc.cea.fr/en/complexe/tgcc-curie.htm"),
            "{note}"
        );
        assert_eq!(header.max_nodes("c").unwrap(), Some(5544));
        assert_eq!(header.max_procs("c").unwrap(), Some(93_312));
        assert_eq!(header.positive_integer("MaxRecords", "c").unwrap(), None);
        let partitions: Vec<&str> = header.values_of_label("Partition").collect();
        assert_eq!(partitions, ["1  test", "18  z+i5U=:"]);
        assert_eq!(header.values_of_label("Computer").next(), None);
        let error = header
            .leading_integer("MaxJobs", "c")
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "c:12: found MaxJobs: many; expected a whole number from -9223372036854775808 to 9223372036854775807"
        );
    }
}
