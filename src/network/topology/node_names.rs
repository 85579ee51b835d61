//! Names of nodes: where they come from, and the one rule by which whatever lists nodes is read.
//!
//! A word of a list names a node by its name; by a number, which is an id unless some node's name is a whole number or a
//! table calls every node `nid` and a number, as Cray does; or by another spelling that no other node has: without the
//! zeros before a number, with or without a domain after the first dot.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::import::host_list;
use super::source_file::read;
use super::{Context, Lattice};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::{Line, Text};
use nodeorder_base::params::Params;

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

/// Node names.
#[derive(Clone, Debug)]
pub(super) enum Names {
    /// Text before and after the id plus `offset`, which is padded with zeros to `width`.
    Pattern {
        before: String,
        width: usize,
        offset: u64,
        after: String,
    },
    /// One name a slot; empty where the source names none.
    Table(Vec<String>),
}

impl Names {
    /// Reads `names`: a pattern such as `nid{:05}`, or a CSV file `node,name[,coordinates…]`, whose
    /// integer coordinates, if every schedulable node has them, make a [`Lattice`].
    pub(super) fn from_params(
        params: &Params,
        slots: u32,
        context: &Context,
    ) -> Result<(Self, Option<Lattice>)> {
        let Some(text) = params.word("names")? else {
            let width = (slots - 1).to_string().len();
            let (before, after) = ("n".into(), String::new());
            return Ok((
                Names::Pattern {
                    before,
                    width,
                    offset: 0,
                    after,
                },
                None,
            ));
        };
        if text.contains('{') {
            return Ok((pattern(&text, params, slots, context)?, None));
        }
        if !text.ends_with(".csv") && !text.ends_with(".csv.gz") {
            return Err(params.wrong("names", EXPECTED));
        }
        let path = params.path("names")?.unwrap_or_default();
        read_names(&read(&path, context)?, slots, context)
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        match self {
            Names::Pattern {
                before,
                width,
                offset,
                after,
            } => {
                format!("{before}{:0width$}{after}", u64::from(node.0) + offset)
            }
            Names::Table(names) => match names.get(node.index()) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("n{}", node.0),
            },
        }
    }
}

/// The forms of `names`.
const EXPECTED: &str = "one `{}`, `{:0W}` or `{:0W+N}` for the id, fields of ranges as in x{4000-4007}c{0-7}, or a .csv file of node,name[,coordinates…]";

/// Most that an offset adds to ids.
const MOST_OFFSET: u64 = 1 << 53;

/// Text with one field for the id, or with fields of ranges, of which the last runs fastest: a name for each node up to
/// the machine's last; further names stay unused.
fn pattern(text: &str, params: &Params, slots: u32, context: &Context) -> Result<Names> {
    let wrong = || params.wrong("names", EXPECTED);
    let (mut fields, mut after) = (Vec::new(), text);
    while let Some((before, rest)) = after.split_once('{') {
        let (field, rest) = rest.split_once('}').ok_or_else(wrong)?;
        fields.push((before, field));
        after = rest;
    }
    if after.contains('}') || fields.iter().any(|(before, _)| before.contains('}')) {
        return Err(wrong());
    }
    if let [(before, field)] = fields.as_slice()
        && (field.is_empty() || field.starts_with([':', '+']))
    {
        let (width, offset) = id_field(field).ok_or_else(wrong)?;
        return Ok(Names::Pattern {
            before: (*before).into(),
            width,
            offset,
            after: after.into(),
        });
    }
    context.require("the names of the nodes", 96 * u64::from(slots))?;
    let parts = fields
        .iter()
        .map(|(before, list)| Some((*before, host_list::numbers(list, slots)?)));
    let parts: Vec<(&str, Vec<String>)> = parts.collect::<Option<_>>().ok_or_else(wrong)?;
    let count = parts.iter().fold(1u64, |all, (_, numbers)| {
        all.saturating_mul(numbers.len() as u64)
    });
    // Slots after `limit` need no names.
    let nodes = params.integer("limit", 1, slots)?.unwrap_or(slots);
    if count < u64::from(nodes) {
        let expected = format!("a name for each of {nodes} nodes; this pattern has {count}");
        return Err(params.wrong("names", expected));
    }
    let (mut names, mut seen) = (Vec::with_capacity(nodes as usize), HashSet::new());
    for node in 0..u64::from(slots).min(count) {
        let (mut name, mut rest) = (after.to_string(), node as usize);
        for (before, numbers) in parts.iter().rev() {
            name = format!("{before}{}{name}", numbers[rest % numbers.len()]);
            rest /= numbers.len();
        }
        if !seen.insert(name.clone()) {
            return Err(params.wrong("names", format!("each name once; `{name}` comes twice")));
        }
        names.push(name);
    }
    names.resize(slots as usize, String::new());
    Ok(Names::Table(names))
}

/// Width and offset of a field for the id: ``, `:05`, `:05+1000` or `+1000`.
fn id_field(field: &str) -> Option<(usize, u64)> {
    let (width, offset) = field.split_once('+').unwrap_or((field, "0"));
    let width = match width {
        "" => 0,
        width => width
            .strip_prefix(":0")?
            .parse()
            .ok()
            .filter(|width| *width <= 20)?,
    };
    let digits = offset.bytes().all(|b| b.is_ascii_digit());
    Some((
        width,
        offset
            .parse()
            .ok()
            .filter(|offset| digits && *offset <= MOST_OFFSET)?,
    ))
}

/// Reads `node,name[,coordinates…]`, with or without a header line.
fn read_names(text: &Text, slots: u32, context: &Context) -> Result<(Names, Option<Lattice>)> {
    context.require("the names of the nodes", 96 * u64::from(slots))?;
    let mut names = vec![String::new(); slots as usize];
    let mut coordinates: Vec<Option<Vec<u32>>> = vec![None; slots as usize];
    let mut seen = std::collections::BTreeMap::new();
    let mut axes = Vec::new();
    let mut width = None;
    let mut first = true;
    for line in text.data_lines() {
        let fields = line.fields()?;
        if std::mem::take(&mut first) && fields[0].parse::<u32>().is_err() {
            axes = fields.iter().skip(2).map(|s| s.to_string()).collect();
            continue;
        }
        let wrong = |found: String, expected: &str| Error::input(line.location(), found, expected);
        if fields.len() < 2 || fields[1].is_empty() {
            return Err(wrong(
                format!("`{}`", line.text),
                "node,name[,coordinates…]",
            ));
        }
        let node = fields[0]
            .parse::<u32>()
            .ok()
            .filter(|n| *n < slots)
            .ok_or_else(|| {
                wrong(
                    format!("node `{}`", fields[0]),
                    &format!("a node id from 0 to {}", slots - 1),
                )
            })?;
        if !names[node as usize].is_empty() {
            return Err(wrong(format!("node {node} again"), "each node once"));
        }
        if let Some((other, _)) = seen.insert(fields[1].to_string(), (node, line.number)) {
            let found = format!("name `{}` again (node {other} has it)", fields[1]);
            return Err(wrong(found, "each name once"));
        }
        if *width.get_or_insert(fields.len()) != fields.len() {
            let expected = format!("{} columns as before", width.unwrap_or(0));
            return Err(wrong(format!("{} columns", fields.len()), &expected));
        }
        names[node as usize] = fields[1].to_string();
        // Coordinates serve where they are whole numbers; other columns (rack labels) are left alone.
        let position: Option<Vec<u32>> = fields[2..].iter().map(|x| x.parse().ok()).collect();
        coordinates[node as usize] = position.filter(|p| !p.is_empty());
    }
    // A node that the file leaves out is called `n` and its id.
    let stands_for = |name: &str| -> Option<u32> {
        let id = name.strip_prefix('n')?.parse().ok()?;
        (names.get(id as usize)?.is_empty() && name == format!("n{id}")).then_some(id)
    };
    let mixed = seen
        .iter()
        .filter_map(|(name, (_, line))| Some((*line, name, stands_for(name)?)));
    if let Some((line, name, id)) = mixed.min() {
        let found = format!("name `{name}`, which node {id} has where the file names it not");
        return Err(Error::input(
            SourceLocation::line(text.name(), line),
            found,
            "another name, or one for both",
        ));
    }
    Ok((Names::Table(names), lattice_from(coordinates, axes)))
}

/// The smallest box of cells that holds all coordinates, if every node has them and it is not absurdly
/// sparse.
fn lattice_from(coordinates: Vec<Option<Vec<u32>>>, axes: Vec<String>) -> Option<Lattice> {
    let coordinates: Vec<Vec<u32>> = coordinates.into_iter().collect::<Option<_>>()?;
    let dimensions = coordinates.first()?.len();
    let mut low = vec![u32::MAX; dimensions];
    let mut high = vec![0; dimensions];
    for position in &coordinates {
        for (i, x) in position.iter().enumerate() {
            low[i] = low[i].min(*x);
            high[i] = high[i].max(*x);
        }
    }
    let extents: Vec<u32> = low
        .iter()
        .zip(&high)
        .map(|(l, h)| (h - l).saturating_add(1))
        .collect();
    let cells = extents
        .iter()
        .try_fold(1u64, |all, n| all.checked_mul(u64::from(*n)))?;
    if cells > 64 * coordinates.len() as u64 + 4096 {
        return None;
    }
    let mut lattice = Lattice::of_routers(extents, vec![false; dimensions]);
    if axes.len() == dimensions {
        lattice.axes = axes;
    }
    let shift = |p: &Vec<u32>| p.iter().zip(&low).map(|(x, l)| x - l).collect::<Vec<_>>();
    lattice.cells = Some(
        coordinates
            .iter()
            .map(|p| lattice.cell(&shift(p)))
            .collect(),
    );
    Some(lattice)
}
