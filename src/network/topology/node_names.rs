//! Nodes by their names: the one rule by which every list of nodes is read.
//!
//! A word of a list names a node in the first of these ways that fits:
//!
//! 1. by its name;
//! 2. by a number, which is an id, unless some node's name is a whole number or a table calls every node `nid` and a
//!    number, as Cray does: then numbers are names;
//! 3. by another spelling that no other node has: without the zeros before a number, with or without a domain after
//!    the first dot. So `nid1`, `nid00001` and `nid00001.example.org` are one node.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::context::Context;
use super::import::host_list;
use super::machine_options::NamePattern;
use super::name_source::NameTable;
use nodeorder_base::{Error, Line, NodeId, Result};

/// Meaning of plain numbers in a list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberMeaning {
    /// Plain numbers are names, if the name of any node is a whole number; else ids.
    AsNamed,
    /// Plain numbers are ids.
    Ids,
}

/// The names of a machine's nodes, and the nodes by their names.
#[derive(Debug)]
pub struct NodeNames {
    pub names: NameTable,
    /// Number of node ids.
    slots: u32,
    /// Whether numbers are names.
    pub names_are_numbers: bool,
    /// Ids by name, made on first use; unused for patterns.
    by_name: OnceLock<HashMap<String, u32>>,
    /// Ids by other spellings, or [`SHARED`], made on first use; unused for patterns.
    by_spelling: OnceLock<HashMap<String, u32>>,
}

/// Entry of a spelling that several nodes share.
const SHARED: u32 = u32::MAX;

impl NodeNames {
    /// Collects the names of a machine with `slots` node ids.
    pub fn new(names: NameTable, slots: u32) -> Self {
        let numbers = match &names {
            NameTable::Pattern(pattern) => any_number(&[pattern.name_of_node(NodeId(0))]),
            NameTable::Table(names) => {
                any_number(names) || names.iter().all(|name| nid_number(name).is_some())
            }
        };
        NodeNames {
            names,
            slots,
            names_are_numbers: numbers,
            by_name: OnceLock::new(),
            by_spelling: OnceLock::new(),
        }
    }

    /// Checks whether plain numbers are ids.
    fn takes_ids(&self, numbers: NumberMeaning) -> bool {
        numbers == NumberMeaning::Ids || !self.names_are_numbers
    }

    /// Finds the node of exactly this name, schedulable or not.
    pub fn find_exact_name(&self, name: &str) -> Option<NodeId> {
        let node = match &self.names {
            NameTable::Pattern(pattern) => self.find_by_number(pattern, name, &pattern.after)?,
            NameTable::Table(names) => {
                let index = self.by_name.get_or_init(|| {
                    let named = (0..).zip(names).filter(|(_, name)| !name.is_empty());
                    named.map(|(id, name)| (name.clone(), id)).collect()
                });
                match index.get(name) {
                    Some(id) => NodeId(*id),
                    // A node that the table leaves out is called `n` and its id.
                    None => NodeId(name.strip_prefix('n')?.parse().ok()?),
                }
            }
        };
        // `n1` is not `n01`.
        (node.0 < self.slots && self.names.name_of_node(node) == name).then_some(node)
    }

    /// Finds the node that one word of a list names.
    pub fn find_listed_name(&self, word: &str, numbers: NumberMeaning) -> Option<NodeId> {
        if is_number(word) && self.takes_ids(numbers) {
            return word.parse().ok().filter(|id| *id < self.slots).map(NodeId);
        }
        if let Some(node) = self
            .find_exact_name(word)
            .or_else(|| self.find_spelling(word))
        {
            return Some(node);
        }
        let host = without_domain(word);
        let node = self
            .find_exact_name(host)
            .or_else(|| self.find_spelling(host))?;
        // A host of another domain is another host: the machine's own name must have none.
        let name = self.names.name_of_node(node);
        (without_domain(&name) == name).then_some(node)
    }

    /// Finds the one node whose name, with or without its domain, is this word but for zeros before numbers.
    fn find_spelling(&self, word: &str) -> Option<NodeId> {
        let plain = without_zeros(word);
        match &self.names {
            NameTable::Pattern(pattern) => {
                let after = pattern.after.as_str();
                // A domain that holds the number is no domain.
                let domain = after.find('.').filter(|_| !pattern.before.contains('.'));
                let host_end = &after[..domain.unwrap_or(after.len())];
                [after, host_end].into_iter().find_map(|end| {
                    let node = self.find_by_number(pattern, word, end)?;
                    let name = pattern.name_of_node(node);
                    let spellings = [name.as_str(), without_domain(&name)].map(without_zeros);
                    spellings.contains(&plain).then_some(node)
                })
            }
            NameTable::Table(names) => {
                let index = self
                    .by_spelling
                    .get_or_init(|| index_spellings(names, self.names_are_numbers));
                let id = *index.get(plain.as_ref())?;
                (id != SHARED).then_some(NodeId(id))
            }
        }
    }

    /// Finds the node of a pattern whose number stands in `word` before the text `after`.
    fn find_by_number(&self, pattern: &NamePattern, word: &str, after: &str) -> Option<NodeId> {
        let number = word
            .strip_prefix(pattern.before.as_str())?
            .strip_suffix(after)?;
        // `parse` would accept a sign.
        if !is_number(number) {
            return None;
        }
        let id = number.parse::<u64>().ok()?.checked_sub(pattern.offset)?;
        (id < u64::from(self.slots)).then_some(NodeId(id as u32))
    }

    /// Hands every node of a list to `each`, in the list's order: as the list calls it, twice its id; a range of
    /// ids as an empty text, the first and the last. A list is words with commas between: names, host lists such
    /// as `n[001-004,7]`, numbers, and ranges of numbers such as `0-63`. The caller holds `held` nodes already.
    /// Fails, with the line, if there is no such list, no node has a name or number, or the nodes take more
    /// memory than allowed.
    pub fn visit_listed(
        &self,
        text: &str,
        line: &Line<'_>,
        held: usize,
        names_are_numbers: NumberMeaning,
        context: &Context,
        each: &mut impl FnMut(&str, u32, u32),
    ) -> Result<()> {
        // Brackets that do not match make one word of the whole, which `expand` refuses.
        let words = host_list::split_words(text).unwrap_or_else(|| vec![text]);
        let mut count = held;
        for word in words.into_iter().map(str::trim) {
            // Names may look like ranges, too.
            let range = split_range(word).filter(|_| self.find_exact_name(word).is_none());
            let names = match range {
                Some((first, last)) if self.takes_ids(names_are_numbers) => {
                    let first = self.parse_id(first, line)?;
                    let last = self.parse_id(last, line)?;
                    if first > last {
                        let expected = "a range from the lower to the higher id";
                        return Err(line.error_here(format!("`{word}`"), expected));
                    }
                    each("", first, last);
                    continue;
                }
                Some((first, last)) => {
                    host_list::expand_host_list(&format!("[{first}-{last}]"), line, count, context)?
                }
                None => host_list::expand_host_list(word, line, count, context)?,
            };
            count += names.len();
            for name in names {
                let Some(node) = self.find_listed_name(&name, names_are_numbers) else {
                    return Err(self.unknown_node_error(&name, names_are_numbers, line));
                };
                each(&name, node.0, node.0);
            }
        }
        Ok(())
    }

    /// Reads a node id. Fails if the machine has no such id.
    fn parse_id(&self, text: &str, line: &Line<'_>) -> Result<u32> {
        let id = text.parse().ok().filter(|id| *id < self.slots);
        id.ok_or_else(|| self.unknown_node_error(text, NumberMeaning::Ids, line))
    }

    /// Builds the error about a word that names no node.
    fn unknown_node_error(&self, word: &str, numbers: NumberMeaning, line: &Line<'_>) -> Error {
        let last = self.slots - 1;
        let name = self.names.name_of_node(NodeId(0));
        let takes_ids = self.takes_ids(numbers);
        if takes_ids && is_number(word) {
            let expected = format!("a node id from 0 to {last}");
            return line.error_here(format!("node {word}"), expected);
        }
        let expected = if takes_ids {
            format!("a node id from 0 to {last}, or a name or host list such as {name}")
        } else {
            format!("a node's name, such as {name}: numbers are names on this machine")
        };
        line.error_here(format!("`{word}`"), expected)
    }
}

/// Collects the ids of nodes by all spellings of their names: whole, without the domain, and if numbers are names
/// without `nid`. A spelling of several nodes has [`SHARED`] for its id.
fn index_spellings(names: &[String], numbers: bool) -> HashMap<String, u32> {
    let mut index = HashMap::new();
    for (id, name) in (0..).zip(names).filter(|(_, name)| !name.is_empty()) {
        let number = nid_number(name).filter(|_| numbers).unwrap_or(name);
        for spelling in [name, without_domain(name), number].map(without_zeros) {
            let known = index.entry(spelling.into_owned()).or_insert(id);
            if *known != id {
                *known = SHARED;
            }
        }
    }
    index
}

/// Splits a range of numbers such as `0-63`; `None` if a word is none.
fn split_range(word: &str) -> Option<(&str, &str)> {
    let (first, last) = word.split_once('-')?;
    let range = (first.trim(), last.trim());
    (is_number(range.0) && is_number(range.1)).then_some(range)
}

/// Checks whether any of these names is a whole number, domains aside.
pub fn any_number(names: &[String]) -> bool {
    names.iter().any(|name| is_number(without_domain(name)))
}

/// Cuts the number out of a name that is `nid` and a number, its domain aside. `None` for other names.
fn nid_number(name: &str) -> Option<&str> {
    let number = without_domain(name).strip_prefix("nid")?;
    is_number(number).then_some(number)
}

/// Checks whether a text is a whole number in digits.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Cuts off a host's name at its first dot; keeps the whole if that is an address of numbers.
fn without_domain(name: &str) -> &str {
    let is_address = name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match name.split_once('.') {
        Some((host, _)) if !host.is_empty() && !is_address => host,
        _ => name,
    }
}

/// Drops the zeros before the numbers in a text: `nid2` for `nid00002`.
fn without_zeros(text: &str) -> Cow<'_, str> {
    let mut plain = String::with_capacity(text.len());
    for (i, c) in text.char_indices() {
        // The zero of a number that is 0 stays.
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
