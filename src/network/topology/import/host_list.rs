//! Host lists such as `nid[0001-0128,0200],login1` or `rack[0-2]node[1-4]`, as Slurm and others write names of nodes.
//!
//! A list is words with commas between. A word is texts and brackets in turn; every bracket holds numbers and ranges,
//! which keep the zeros that they are written with. A word stands for every combination of its numbers, the last
//! bracket running fastest: `r[0-1]n[1,3]` is `r0n1,r0n3,r1n1,r1n3`.

use std::fmt;

use crate::topology::context::Context;
use nodeorder_base::{Line, Result};

/// Most names of a list, and of one word of it.
const MOST_NAMES: usize = 1 << 24;

/// Most bytes that a name takes, in all copies together.
const BYTES_PER_NAME: u64 = 256;

/// Expands a host list to names, in its order; `held` other names count against the limits, too. Fails, with the line,
/// if brackets do not match, ranges are none, or there are more names than any machine has or than memory is allowed
/// for.
pub(in crate::topology) fn expand_host_list(
    text: &str,
    line: &Line<'_>,
    held: usize,
    context: &Context,
) -> Result<Vec<String>> {
    let wrong =
        |found: String| line.error_here(found, "a host list such as nid[0001-0128,0200],login1");
    let mut names = Vec::new();
    for word in split_words(text).ok_or_else(|| wrong(format!("`{text}`")))? {
        // What the word stands for up to the last bracket read.
        let mut heads = vec![String::new()];
        let mut rest = word;
        while let Some((stem, tail)) = rest.split_once('[') {
            let Some((list, tail)) = tail.split_once(']') else {
                return Err(wrong(format!("`{word}`")));
            };
            let ranges = parse_ranges(list).ok_or_else(|| wrong(format!("`[{list}]`")))?;
            let counts = ranges.iter().map(|range| range.last - range.first + 1);
            let count = counts.fold(0, u64::saturating_add);
            let count = count.saturating_mul(heads.len() as u64);
            if count > MOST_NAMES as u64 {
                return Err(wrong(format!("`{word}`, more than {MOST_NAMES} names")));
            }
            let all = count + (held + names.len()) as u64;
            let what = format!("{}: a list of {all} names", line.location());
            context.require_memory(&what, BYTES_PER_NAME * all)?;
            let mut longer = Vec::with_capacity(count as usize);
            for head in &heads {
                for number in ranges.iter().flat_map(Range::padded_numbers) {
                    longer.push(format!("{head}{stem}{number}"));
                }
            }
            heads = longer;
            rest = tail;
        }
        if rest.contains(']') || word.is_empty() {
            return Err(wrong(format!("`{word}`")));
        }
        names.extend(heads.into_iter().map(|head| head + rest));
        if names.len() > MOST_NAMES {
            return Err(wrong(format!("more than {MOST_NAMES} names")));
        }
    }
    Ok(names)
}

/// Writes `names` as a host list, in their order: neighbours that differ in their last number alone share a
/// bracket, and numbers that follow each other a range. [`expand_host_list`] gives the names back, unless one holds a
/// comma, bracket, blank or `#`. O(length of the names).
pub fn compress_host_list(names: impl IntoIterator<Item = String>) -> String {
    let mut words: Vec<Word> = Vec::new();
    for name in names {
        let (stem, digits, tail) = split_last_number(&name);
        let Ok(number) = digits.parse::<u64>() else {
            words.push(Word {
                stem: name,
                ranges: Vec::new(),
                tail: String::new(),
            });
            continue;
        };
        let range = Range {
            first: number,
            last: number,
            width: digits.len(),
        };
        if let Some(word) = words.last_mut()
            && (word.stem.as_str(), word.tail.as_str()) == (stem, tail)
            && let Some(before) = word.ranges.last_mut()
        {
            // 9 and 10 are a range, 09 and 10 another, 9 and 010 none.
            let width = before.width;
            if before.last.checked_add(1) == Some(number) && format!("{number:0width$}") == digits {
                before.last = number;
            } else {
                word.ranges.push(range);
            }
            continue;
        }
        words.push(Word {
            stem: stem.into(),
            ranges: vec![range],
            tail: tail.into(),
        });
    }
    let words: Vec<String> = words.iter().map(Word::to_string).collect();
    words.join(",")
}

/// Checks whether a name can stand in a list.
pub(in crate::topology) fn fits_host_list(name: &str) -> bool {
    let has_mark = name.contains([',', '[', ']', '#']) || name.contains(char::is_whitespace);
    !name.is_empty() && !has_mark
}

/// Names that share a bracket.
struct Word {
    stem: String,
    /// Numbers in the bracket; empty if the name has none.
    ranges: Vec<Range>,
    tail: String,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Word { stem, ranges, tail } = self;
        match ranges.as_slice() {
            [] => return f.write_str(stem),
            [one] if one.first == one.last => return write!(f, "{stem}{one}{tail}"),
            _ => {}
        }
        let ranges: Vec<String> = ranges.iter().map(Range::to_string).collect();
        write!(f, "{stem}[{}]{tail}", ranges.join(","))
    }
}

/// Splits a name into the texts before, in and after its last number.
fn split_last_number(name: &str) -> (&str, &str, &str) {
    let is_digit = |c: char| c.is_ascii_digit();
    let end = name.rfind(is_digit).map_or(0, |last| last + 1);
    let (head, tail) = name.split_at(end);
    let (stem, digits) = head.split_at(head.trim_end_matches(is_digit).len());
    (stem, digits, tail)
}

/// Splits a list at the commas outside brackets; `None` if brackets do not match.
pub(in crate::topology) fn split_words(text: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (i, c) in text.char_indices() {
        match (c, inside) {
            ('[', false) | (']', true) => inside = !inside,
            ('[', true) | (']', false) => return None,
            (',', false) => {
                words.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    (!inside).then_some(words)
}

/// Numbers in a row, padded with zeros to a width.
struct Range {
    first: u64,
    last: u64,
    width: usize,
}

impl Range {
    /// Writes all numbers.
    fn padded_numbers(&self) -> impl Iterator<Item = String> + '_ {
        (self.first..=self.last).map(|n| format!("{n:0width$}", width = self.width))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { first, last, width } = self;
        write!(f, "{first:0width$}")?;
        if first != last {
            write!(f, "-{last:0width$}")?;
        }
        Ok(())
    }
}

/// Lists the first `most` numbers of a list such as `0001-0128,0200`, as it writes them; `None` if it is no such list.
pub(in crate::topology) fn numbers(list: &str, most: u32) -> Option<Vec<String>> {
    let ranges = parse_ranges(list)?;
    let numbers = ranges.iter().flat_map(Range::padded_numbers);
    Some(numbers.take(most as usize).collect())
}

/// Reads ranges of numbers such as `0001-0128,0200`, each of the width it is written with; `None` if it is no such
/// list.
fn parse_ranges(list: &str) -> Option<Vec<Range>> {
    let mut ranges = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        // `parse` would accept a sign, but refuses an empty text.
        if part.contains('+') {
            return None;
        }
        let width = first.len();
        let first: u64 = first.parse().ok()?;
        let last: u64 = last.parse().ok()?;
        if first > last || last - first >= MOST_NAMES as u64 {
            return None;
        }
        ranges.push(Range { first, last, width });
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Text;
    use proptest::prelude::*;

    #[test]
    fn neighbours_share_a_bracket() {
        let of = |names: &str| compress_host_list(names.split(' ').map(String::from));
        for (names, list) in [
            ("a", "a"),
            ("n001 n002 n003 n004 n007", "n[001-004,007]"),
            ("n8 n9 n10 n12", "n[8-10,12]"),
            ("n08 n9", "n[08,9]"),
            ("r0n1 r0n2 r1n1 x", "r0n[1-2],r1n1,x"),
            ("m1b m2b login login", "m[1-2]b,login,login"),
            ("n3 n1 n2", "n[3,1-2]"),
            (
                "n18446744073709551615 n18446744073709551616",
                "n18446744073709551615,n18446744073709551616",
            ),
        ] {
            assert_eq!(of(names), list);
        }
        assert_eq!(compress_host_list([]), "");
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(
            names in prop::collection::vec("[a-c]{0,2}(0{0,3}[0-9]{1,3}|9[89]|1[0-9]{0,2})?(-[a-b])?([0-9]{1,2})?x?", 1..40),
        ) {
            let names: Vec<String> = names.into_iter().filter(|name| fits_host_list(name)).collect();
            prop_assume!(!names.is_empty());
            let list = compress_host_list(names.clone());
            let text = Text::new("f", list.as_str());
            let line = text.lines().next().unwrap();
            let context = Context {
                memory: 1 << 20,
                ..Context::default()
            };
            prop_assert_eq!(expand_host_list(&list, &line, 0, &context).unwrap(), names, "{}", list);
        }
    }

    #[test]
    fn lists_are_written_out_in_their_order() {
        let of = |list: &str| {
            let text = Text::new("f", list);
            let line = text.lines().next().unwrap();
            let context = Context {
                memory: 1 << 20,
                ..Context::default()
            };
            expand_host_list(list, &line, 0, &context)
                .map(|names| names.join(" "))
                .map_err(|e| e.to_string())
        };
        for (list, names) in [
            ("a", "a"),
            ("n[3,1-2]", "n3 n1 n2"),
            ("n[08-11],x,m[1]b", "n08 n09 n10 n11 x m1b"),
            ("r[0-1]n[1-2]", "r0n1 r0n2 r1n1 r1n2"),
        ] {
            assert_eq!(of(list).unwrap(), names);
        }
        assert!(
            of("n[1-5000]")
                .unwrap_err()
                .starts_with("f:1: a list of 5000 names needs about 1.3 MB")
        );
        for bad in [
            "n[1",
            "n1]",
            "n[2-1]",
            "n[a]",
            "n[]",
            "a,,b",
            "n[1-]",
            "n[[1]]",
            "n[0-99999999999]",
        ] {
            assert!(of(bad).unwrap_err().starts_with("f:1: found `"), "{bad}");
        }
    }
}
