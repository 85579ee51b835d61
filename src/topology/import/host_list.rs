//! Host lists such as `nid[0001-0128,0200],login1` or `rack[0-2]node[1-4]`.

use crate::error::{Error, Result};
use crate::input::Line;
use crate::topology::Context;

/// Names a list may stand for at most.
const MOST: usize = 1 << 24;

/// Bytes that a name may take where it is kept more than once.
const NAME: u64 = 256;

/// The names that `text` stands for, in its order; `held` others are kept already. Several brackets make every
/// combination, the last fastest.
///
/// # Errors
/// With the line: brackets that do not match, ranges that are none, more names than any machine has. More memory
/// than allowed.
pub(super) fn expand(
    text: &str,
    line: &Line<'_>,
    held: usize,
    context: &Context,
) -> Result<Vec<String>> {
    let wrong = |found: String| {
        Error::input(line.location(), found, "a host list such as nid[0001-0128,0200],login1")
    };
    let mut names = Vec::new();
    for word in words(text).ok_or_else(|| wrong(format!("`{text}`")))? {
        let mut heads = vec![String::new()];
        let mut rest = word;
        while let Some((stem, tail)) = rest.split_once('[') {
            let (list, tail) = tail.split_once(']').ok_or_else(|| wrong(format!("`{word}`")))?;
            let ranges = ranges(list).ok_or_else(|| wrong(format!("`[{list}]`")))?;
            let count = ranges.iter().map(|r| r.last - r.first + 1).fold(0, u64::saturating_add);
            let count = count.saturating_mul(heads.len() as u64);
            if count > MOST as u64 {
                return Err(wrong(format!("`{word}`, more than {MOST} names")));
            }
            let all = count + (held + names.len()) as u64;
            context.require(&format!("{}: a list of {all} names", line.location()), NAME * all)?;
            heads = (heads.iter())
                .flat_map(|head| {
                    let numbers = ranges.iter().flat_map(Range::numbers);
                    numbers.map(move |n| format!("{head}{stem}{n}"))
                })
                .collect();
            rest = tail;
        }
        if rest.contains(']') || word.is_empty() {
            return Err(wrong(format!("`{word}`")));
        }
        names.extend(heads.into_iter().map(|head| head + rest));
        if names.len() > MOST {
            return Err(wrong(format!("more than {MOST} names")));
        }
    }
    Ok(names)
}

/// The parts between commas outside brackets; none where brackets do not match.
fn words(text: &str) -> Option<Vec<&str>> {
    let (mut words, mut start, mut inside) = (Vec::new(), 0, false);
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

/// Numbers in a row, padded to a width.
struct Range {
    first: u64,
    last: u64,
    width: usize,
}

impl Range {
    fn numbers(&self) -> impl Iterator<Item = String> + '_ {
        (self.first..=self.last).map(|n| format!("{n:0width$}", width = self.width))
    }
}

/// `0001-0128,0200`: ranges of numbers of the width they are written with.
fn ranges(list: &str) -> Option<Vec<Range>> {
    let mut ranges = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        if !digits(first) || !digits(last) {
            return None;
        }
        let width = first.len();
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if first > last || last - first >= MOST as u64 {
            return None;
        }
        ranges.push(Range { first, last, width });
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Text;

    #[test]
    fn lists_are_written_out_in_their_order() {
        let of = |list: &str| {
            let text = Text::new("f", list);
            let line = text.lines().next().unwrap();
            let context = Context { seed: 1, memory: 1 << 20 };
            expand(list, &line, 0, &context).map(|names| names.join(" ")).map_err(|e| e.to_string())
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
        for bad in
            ["n[1", "n1]", "n[2-1]", "n[a]", "n[]", "a,,b", "n[1-]", "n[[1]]", "n[0-99999999999]"]
        {
            assert!(of(bad).unwrap_err().starts_with("f:1: found `"), "{bad}");
        }
    }
}
