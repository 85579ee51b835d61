//! Names of nodes: where they come from, and the one rule by which whatever lists nodes is read.
//!
//! A word of a list names a node by its name; by a number, which is an id unless some node's name is a whole number or a
//! table calls every node `nid` and a number, as Cray does; or by another spelling that no other node has: without the
//! zeros before a number, with or without a domain after the first dot.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::context::Context;
use super::import::host_list;
use super::name_source::Names;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Line;

/// How plain numbers in a list of nodes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Names, where the name of any node is a whole number; else ids.
    AsNamed,
    /// Ids.
    Ids,
}

/// The names of a machine's nodes, and the nodes by their names.
#[derive(Debug)]
pub(super) struct NodeNames {
    pub names: Names,
    slots: u32,
    /// Whether numbers are names.
    pub numbers: bool,
    /// Ids by name, where names are a table.
    by_name: OnceLock<HashMap<String, u32>>,
    /// Ids by other spellings, where names are a table; [`SEVERAL`] where nodes share one.
    by_spelling: OnceLock<HashMap<String, u32>>,
}

/// No single node.
const SEVERAL: u32 = u32::MAX;

impl NodeNames {
    pub fn new(names: Names, slots: u32) -> Self {
        let numbers = match &names {
            Names::Pattern { .. } => any_number(&[names.name(NodeId(0))]),
            Names::Table(names) => {
                any_number(names) || names.iter().all(|name| nid(name).is_some())
            }
        };
        let (by_name, by_spelling) = (OnceLock::new(), OnceLock::new());
        NodeNames {
            names,
            slots,
            numbers,
            by_name,
            by_spelling,
        }
    }

    fn takes_ids(&self, numbers: Numbers) -> bool {
        numbers == Numbers::Ids || !self.numbers
    }

    /// The node of exactly this name, schedulable or not.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let node = match &self.names {
            Names::Pattern { before, after, .. } => self.numbered(name, before, after)?,
            Names::Table(names) => {
                let index = self.by_name.get_or_init(|| {
                    let named = (0..).zip(names).filter(|(_, name)| !name.is_empty());
                    named
                        .map(|(id, name)| (name.clone(), id))
                        .collect::<HashMap<String, u32>>()
                });
                let unnamed = || name.strip_prefix('n')?.parse().ok();
                NodeId(index.get(name).copied().or_else(unnamed)?)
            }
        };
        // `n1` is not `n01`.
        (node.0 < self.slots && self.names.name(node) == name).then_some(node)
    }

    /// The node that one word of a list names.
    pub fn called(&self, word: &str, numbers: Numbers) -> Option<NodeId> {
        if is_number(word) && self.takes_ids(numbers) {
            return word.parse().ok().filter(|id| *id < self.slots).map(NodeId);
        }
        let host = short(word);
        // A host of another domain is another host.
        let without_domain = |node: &NodeId| {
            let name = self.names.name(*node);
            short(&name) == name
        };
        let by_host = || {
            self.node(host)
                .or_else(|| self.spelled(host))
                .filter(without_domain)
        };
        self.node(word)
            .or_else(|| self.spelled(word))
            .or_else(by_host)
    }

    /// The one node whose name, with or without its domain, is this word but for zeros before numbers.
    fn spelled(&self, word: &str) -> Option<NodeId> {
        let plain = without_zeros(word);
        match &self.names {
            Names::Pattern { before, after, .. } => {
                let same = |node: &NodeId| {
                    let name = self.names.name(*node);
                    [name.as_str(), short(&name)]
                        .map(without_zeros)
                        .contains(&plain)
                };
                // A domain that holds the number is no domain.
                let end = after.find('.').filter(|_| !before.contains('.'));
                let end = &after[..end.unwrap_or(after.len())];
                let found = self.numbered(word, before, after).filter(same);
                found.or_else(|| self.numbered(word, before, end).filter(same))
            }
            Names::Table(names) => {
                let index = self.by_spelling.get_or_init(|| {
                    let mut index = HashMap::new();
                    for (id, name) in (0..).zip(names).filter(|(_, name)| !name.is_empty()) {
                        let number = nid(name).filter(|_| self.numbers).unwrap_or(name);
                        for spelling in [name, short(name), number].map(without_zeros) {
                            let known = index.entry(spelling.into_owned()).or_insert(id);
                            *known = if *known == id { id } else { SEVERAL };
                        }
                    }
                    index
                });
                index
                    .get(plain.as_ref())
                    .copied()
                    .filter(|id| *id != SEVERAL)
                    .map(NodeId)
            }
        }
    }

    /// The node whose number stands between two texts, where names are a pattern.
    fn numbered(&self, word: &str, before: &str, after: &str) -> Option<NodeId> {
        let Names::Pattern { offset, .. } = self.names else {
            return None;
        };
        let number = word.strip_prefix(before)?.strip_suffix(after)?;
        let id = number
            .parse::<u64>()
            .ok()
            .filter(|_| is_number(number))?
            .checked_sub(offset)?;
        (id < u64::from(self.slots)).then_some(NodeId(id as u32))
    }

    /// Hands every node of a list to `each`, in the list's order: as the list calls it, twice its id; a range of ids as
    /// an empty text, the first and the last. A list is words with commas between: names, host lists such as
    /// `n[001-004,7]`, numbers, and ranges of numbers such as `0-63`. The caller holds `held` nodes already. Errors:
    /// with the line: no such list; a name or number that no node has; more memory than allowed.
    pub fn list(
        &self,
        text: &str,
        line: &Line<'_>,
        held: usize,
        numbers: Numbers,
        context: &Context,
        each: &mut impl FnMut(&str, u32, u32),
    ) -> Result<()> {
        let words = host_list::words(text).unwrap_or_else(|| vec![text]);
        let mut count = held;
        for word in words.into_iter().map(str::trim) {
            let range = word
                .split_once('-')
                .map(|(first, last)| (first.trim(), last.trim()));
            let range = range.filter(|(first, last)| is_number(first) && is_number(last));
            // Names may look like ranges, too.
            let range = range.filter(|_| self.node(word).is_none());
            let names = match range {
                Some((first, last)) if self.takes_ids(numbers) => {
                    let (first, last) = (self.id(first, line)?, self.id(last, line)?);
                    if first > last {
                        let expected = "a range from the lower to the higher id";
                        return Err(line.wrong(format!("`{word}`"), expected));
                    }
                    each("", first, last);
                    continue;
                }
                Some((first, last)) => {
                    host_list::expand(&format!("[{first}-{last}]"), line, count, context)?
                }
                None => host_list::expand(word, line, count, context)?,
            };
            count += names.len();
            for name in names {
                let unknown = || self.unknown(&name, numbers, line);
                let node = self.called(&name, numbers).ok_or_else(unknown)?;
                each(&name, node.0, node.0);
            }
        }
        Ok(())
    }

    fn id(&self, text: &str, line: &Line<'_>) -> Result<u32> {
        let id = text.parse().ok().filter(|id| *id < self.slots);
        id.ok_or_else(|| self.unknown(text, Numbers::Ids, line))
    }

    /// The error about a word that names no node.
    fn unknown(&self, word: &str, numbers: Numbers, line: &Line<'_>) -> Error {
        let (last, name) = (self.slots - 1, self.names.name(NodeId(0)));
        let ids = self.takes_ids(numbers);
        if ids && is_number(word) {
            return line.wrong(
                format!("node {word}"),
                format!("a node id from 0 to {last}"),
            );
        }
        let expected = match ids {
            true => format!("a node id from 0 to {last}, or a name or host list such as {name}"),
            false => format!("a node's name, such as {name}: numbers are names on this machine"),
        };
        line.wrong(format!("`{word}`"), expected)
    }
}

/// Whether any of these names is a whole number, domains aside.
pub(super) fn any_number(names: &[String]) -> bool {
    names.iter().any(|name| is_number(short(name)))
}

/// The number of a node that is called `nid` and a number.
fn nid(name: &str) -> Option<&str> {
    short(name)
        .strip_prefix("nid")
        .filter(|number| is_number(number))
}

/// Whether a text is a whole number in digits.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A host's name before its first dot; the whole, where that is an address of numbers.
fn short(name: &str) -> &str {
    let address = || name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    name.split_once('.').map_or(name, |(host, _)| {
        if host.is_empty() || address() {
            name
        } else {
            host
        }
    })
}

/// A text without the zeros before its numbers: `nid2` for `nid00002`.
fn without_zeros(text: &str) -> Cow<'_, str> {
    let mut plain = String::with_capacity(text.len());
    for (i, c) in text.char_indices() {
        let begins = !plain.ends_with(|before: char| before.is_ascii_digit());
        let goes_on = text.as_bytes().get(i + 1).is_some_and(u8::is_ascii_digit);
        if c != '0' || !begins || !goes_on {
            plain.push(c);
        }
    }
    if plain.len() == text.len() {
        text.into()
    } else {
        plain.into()
    }
}
