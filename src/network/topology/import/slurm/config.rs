//! Lines of `Key=value` as Slurm's own reader takes them.
//!
//! A `#` begins a comment unless an odd number of `\` stands before it. A line that ends in an odd number of `\`,
//! blanks and comments apart, goes on with the next one, without a blank between them, inside lists too. Blanks may
//! stand around `=`; a value with blanks stands in quotes. `Include FILE` stands for the lines of a file, which is
//! looked for beside the first.
//!
//! # References
//! Slurm 26.05, `src/common/parse_config.c`: `_strip_comments`, `_strip_continuation`, `_strip_escapes`,
//! `keyvalue_pattern`, `_parse_include_file`.

use std::path::Path;

use crate::topology::context::Context;
use nodeorder_base::input::resolve_beside;
use nodeorder_base::{Error, Line, Result, Text};

/// Largest depth of nested includes; a file that includes itself would have no end.
const MAX_INCLUDE_DEPTH: usize = 16;

/// The lines of a file and of those that it includes.
pub(super) struct ConfigLines {
    /// The files, the first one first.
    texts: Vec<Text>,
    /// By line: its file, the number of its first line there, and its text.
    lines: Vec<(usize, usize, String)>,
}

impl ConfigLines {
    /// Reads the lines of a text and, beside `path`, of the files that it includes. Fails if one of them cannot be
    /// read, or files are within each other without end.
    pub fn read_lines(text: &Text, path: &Path, context: &Context) -> Result<Self> {
        let mut config = ConfigLines {
            texts: Vec::new(),
            lines: Vec::new(),
        };
        config.add_text(text.clone(), path, context, 0)?;
        Ok(config)
    }

    /// Adds the lines of a text, which stands within `depth` others.
    fn add_text(&mut self, text: Text, path: &Path, context: &Context, depth: usize) -> Result<()> {
        let lines = join_lines(&text);
        let file = self.texts.len();
        self.texts.push(text);
        for (number, whole) in lines {
            let Some(name) = find_included(&whole) else {
                self.lines.push((file, number, whole));
                continue;
            };
            if depth == MAX_INCLUDE_DEPTH {
                let line = self.texts[file].line_at(number, "");
                let found = format!("files more than {MAX_INCLUDE_DEPTH} deep within each other");
                return Err(line.error_here(found, "fewer"));
            }
            // Slurm looks beside slurm.conf for all of them, however deep they stand.
            let included = Text::read(&resolve_beside(Some(path), name), context.memory)?;
            self.add_text(included, path, context, depth + 1)?;
        }
        Ok(())
    }

    /// Iterates over the lines, each with its file and number.
    pub fn iter(&self) -> impl Iterator<Item = Line<'_>> {
        self.lines
            .iter()
            .map(|(file, number, text)| self.texts[*file].line_at(*number, text))
    }
}

/// Joins the lines of a text that go on in the next, without comments; empty ones are left out.
fn join_lines(text: &Text) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut so_far = String::new();
    let mut first = None;
    for line in text.lines() {
        let number = *first.get_or_insert(line.number);
        let own = strip_comment(line.text);
        if let Some(own) = strip_continuation(own) {
            so_far += own;
            continue;
        }
        so_far += own;
        lines.push((number, strip_escapes(&so_far)));
        so_far.clear();
        first = None;
    }
    if let Some(number) = first {
        lines.push((number, strip_escapes(&so_far)));
    }
    lines.retain(|(_, line)| !line.is_empty());
    lines
}

/// Cuts a line at the comment: the first `#` that is not escaped by an odd number of `\`.
fn strip_comment(line: &str) -> &str {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        if c == '#' && !escaped {
            return &line[..at];
        }
        escaped = c == '\\' && !escaped;
    }
    line
}

/// Strips the `\` with which a line goes on; `None` if the line ends here.
fn strip_continuation(line: &str) -> Option<&str> {
    let end = line.trim_end();
    let slashes = end.len() - end.trim_end_matches('\\').len();
    (slashes % 2 == 1).then(|| &end[..end.len() - 1])
}

/// Strips the `\` that escape other characters, and blanks at both ends.
fn strip_escapes(line: &str) -> String {
    let mut plain = String::new();
    let mut chars = line.trim().chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

/// Finds the file that a line includes; `None` if it is another line.
fn find_included(line: &str) -> Option<&str> {
    let (word, rest) = line.split_once(char::is_whitespace)?;
    let name = rest.split_whitespace().next()?;
    (word.eq_ignore_ascii_case("include") && !name.starts_with('=')).then_some(name)
}

/// Checks whether a text's first line is one of Slurm's: `Key=value`, with or without blanks around the `=`, or
/// `Include FILE`. A YAML text begins otherwise.
pub(super) fn is_config(text: &Text) -> bool {
    let lines = join_lines(text);
    let Some((_, first)) = lines.first() else {
        return true;
    };
    find_included(first).is_some() || split_key(first).is_some()
}

/// Splits a text into its key and what stands after the `=`; `None` if it does not begin with a key.
pub(super) fn split_key(text: &str) -> Option<(&str, &str)> {
    let (key, after) = text.split_once('=')?;
    let key = key.trim_end();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    (!key.is_empty() && key.chars().all(is_part)).then_some((key, after))
}

/// Splits a text into its first key, the value, and the rest; `None` if it does not begin with `Key=value`.
fn split_entry(text: &str) -> Option<(&str, &str, &str)> {
    let (key, after) = split_key(text)?;
    let (value, rest) = match after.trim_start().strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => {
            let after = after.trim_start();
            after.split_at(after.find(char::is_whitespace).unwrap_or(after.len()))
        }
    };
    // scontrol prints `Nodes=` for a switch without any, before other keys too.
    if key.eq_ignore_ascii_case("nodes") && (value.is_empty() || value.contains('=')) {
        return Some((key, "", after));
    }
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (!value.is_empty() && ends).then_some((key, value, rest))
}

/// Reads a line's keys (in lower case) and values. Fails with the first word that is none.
pub(super) fn read_entries<'l>(line: &Line<'l>) -> Result<Vec<(String, &'l str)>> {
    let mut entries = Vec::new();
    let mut rest = line.text.trim_start();
    while !rest.is_empty() {
        let Some((key, value, after)) = split_entry(rest) else {
            let word = rest.split_whitespace().next().unwrap_or_default();
            return Err(line.error_here(format!("`{word}`"), "Key=value"));
        };
        entries.push((key.to_ascii_lowercase(), value));
        rest = after.trim_start();
    }
    Ok(entries)
}

/// Finds the value of a key, in lower case.
pub(super) fn value_of<'l>(entries: &[(String, &'l str)], key: &str) -> Option<&'l str> {
    let (_, value) = entries.iter().find(|(other, _)| other == key)?;
    Some(value)
}

/// Finds a key that a line has twice or that is not `allowed`, as an error; `None` if all keys are right.
pub(super) fn find_wrong_key(
    entries: &[(String, &str)],
    allowed: &[&'static str],
    line: &Line<'_>,
) -> Option<Error> {
    for (i, (key, _)) in entries.iter().enumerate() {
        if !allowed.contains(&key.as_str()) {
            let allowed = allowed.iter().copied();
            return Some(Error::unknown(line.location(), "key", key, allowed));
        }
        if entries[..i].iter().any(|(other, _)| other == key) {
            return Some(line.error_here(format!("`{key}` twice"), "each key once"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the joined lines of a text with their numbers.
    fn joined(text: &str) -> Vec<(usize, String)> {
        join_lines(&Text::new("f", text))
    }

    #[test]
    fn lines_go_on_without_a_blank() {
        assert_eq!(
            joined("a=1,\\\n2\n\nb=2 \\  # more\n  c=3\n"),
            [(1, "a=1,2".into()), (4, "b=2   c=3".into())]
        );
        // An escaped `#` is none; two slashes are one, and do not go on; a comment ends a line that goes on.
        assert_eq!(
            joined("a=\\#1 # x\nb=1\\\\\nc=2,\\\n# no \\\nd=4\\"),
            [
                (1, "a=#1".into()),
                (2, "b=1\\".into()),
                (3, "c=2,".into()),
                (5, "d=4".into())
            ]
        );
    }

    #[test]
    fn blanks_stand_around_the_sign() {
        let line = Line::new("f", 1, "A = x B.c= \"y z\"  nodes= D=1 Nodes=");
        let entries = read_entries(&line).unwrap();
        let expected = [
            ("a", "x"),
            ("b.c", "y z"),
            ("nodes", ""),
            ("d", "1"),
            ("nodes", ""),
        ];
        assert_eq!(
            entries,
            expected.map(|(key, value)| (key.to_string(), value))
        );
        for (text, word) in [
            ("A=x y", "`y`"),
            ("A x=y", "`A`"),
            ("A-=", "`A-=`"),
            ("=x", "`=x`"),
            ("A=\"x", "`A=\"x`"),
        ] {
            let error = read_entries(&Line::new("f", 1, text))
                .unwrap_err()
                .to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn the_first_line_tells_yaml_apart() {
        for text in [
            "",
            "# c\n",
            "SwitchName = a\n",
            "\\\nSwitchName\\\n=a",
            "include other.conf\n",
            "A=b: c\n",
        ] {
            assert!(is_config(&Text::new("f", text)), "{text}");
        }
        for text in [
            "- topology: a\n",
            "%YAML 1.1\n---\n",
            "{\"a\": 1}",
            "a: b=c\n",
            "---\n",
            "Include = x: 1",
            "x\n",
        ] {
            assert_eq!(
                is_config(&Text::new("f", text)),
                text.starts_with("Include"),
                "{text}"
            );
        }
    }
}
