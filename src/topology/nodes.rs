//! The schedulable nodes of a machine, and the names of nodes.

use std::collections::HashMap;
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;

use super::import::host_list;
use super::{Context, Lattice};
use crate::error::{Error, Result, SourceLocation};
use crate::ids::NodeId;
use crate::input::{Line, Text};
use crate::params::{Params, Value};

/// The schedulable nodes: all slots up to a limit, less the excluded ones.
#[derive(Clone, Debug)]
pub struct NodeSet {
    slots: u32,
    limit: u32,
    excluded: Option<FixedBitSet>,
    /// Slots that names leave empty: they have no node.
    absent: Option<FixedBitSet>,
    excluded_ranges: Vec<(u32, u32)>,
    count: usize,
}

impl NodeSet {
    /// Reads `limit` and `exclude`. `exclude` is a TOML list of ids, `"a-b"` ranges, names, host lists and files, or
    /// inline `exclude=0-3+17+n[20-24]`; it is applied after `limit`. A name wins over a file of that name. Slots that
    /// `names` leaves empty have no node.
    pub(super) fn from_params(
        params: &Params,
        slots: u32,
        names: Option<&[String]>,
        named: &Named<'_>,
        context: &Context,
    ) -> Result<Self> {
        let limit = params.integer("limit", 1, slots)?.unwrap_or(slots);
        let mut set = NodeSet {
            slots,
            limit,
            excluded: None,
            absent: None,
            excluded_ranges: Vec::new(),
            count: limit as usize,
        };
        if let Some(names) = names.filter(|names| names.iter().any(String::is_empty)) {
            let mut absent = FixedBitSet::with_capacity(limit as usize);
            let empty = |(location, name): (usize, &String)| name.is_empty().then_some(location);
            absent.extend(names[..limit as usize].iter().enumerate().filter_map(empty));
            set.count -= absent.count_ones(..);
            set.excluded = Some(absent.clone());
            set.absent = Some(absent);
        }
        let Some((value, location)) = params.value("exclude") else { return Ok(set) };
        let mut ranges = Vec::new();
        let reader = Excluded { params, named, limit, context };
        match value {
            Value::Word(w) => {
                for part in w.split('+') {
                    reader.part(part, location, &mut ranges)?;
                }
            }
            Value::Integer(i) => reader.part(&i.to_string(), location, &mut ranges)?,
            Value::List(items) => {
                for (item, location) in items {
                    let text = match item {
                        Value::Word(w) => w.clone(),
                        Value::Integer(i) => i.to_string(),
                        other => format!("{other:?}"),
                    };
                    reader.part(&text, location, &mut ranges)?;
                }
            }
            _ => {
                return Err(
                    params.wrong("exclude", "a list of ids, \"a-b\" ranges, names and files")
                );
            }
        }
        context.require("which nodes are excluded", u64::from(limit) / 8)?;
        let mut excluded = match set.excluded.take() {
            Some(absent) => absent,
            None => FixedBitSet::with_capacity(limit as usize),
        };
        for (first, last) in &ranges {
            excluded.insert_range(*first as usize..*last as usize + 1);
        }
        set.count = limit as usize - excluded.count_ones(..);
        if set.count == 0 {
            return Err(params.wrong("exclude", "at least one node left"));
        }
        set.excluded_ranges = ranges;
        set.excluded = Some(excluded);
        Ok(set)
    }

    /// Schedulable nodes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// False: a machine has at least one node.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All node ids are below this, schedulable or not.
    pub fn slot_count(&self) -> u32 {
        self.slots
    }

    /// Whether every slot is schedulable.
    pub(crate) fn is_full(&self) -> bool {
        self.count == self.slots as usize
    }

    /// Whether `node` is schedulable.
    pub fn contains(&self, node: NodeId) -> bool {
        node.0 < self.limit && self.excluded.as_ref().is_none_or(|e| !e.contains(node.index()))
    }

    /// The nodes that `exclude` keeps out, in id order: drained, or of another use.
    pub fn excluded(&self) -> impl Iterator<Item = NodeId> + '_ {
        let mut ranges = self.excluded_ranges.clone();
        ranges.sort_unstable();
        let mut next = 0;
        let ids = ranges.into_iter().flat_map(move |(first, last)| {
            let first = first.max(next);
            next = next.max(last + 1);
            first..=last
        });
        let absent = |id: &u32| self.absent.as_ref().is_some_and(|a| a.contains(*id as usize));
        ids.filter(move |id| !absent(id)).map(NodeId)
    }

    /// The schedulable nodes in id order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.limit).map(NodeId).filter(|n| self.contains(*n))
    }

    /// The slots without a schedulable node, in id order. O(slots/64 + gaps).
    pub(super) fn gaps(&self) -> impl Iterator<Item = NodeId> + '_ {
        let inside = self.excluded.iter().flat_map(FixedBitSet::ones).map(|id| NodeId(id as u32));
        inside.chain((self.limit..self.slots).map(NodeId))
    }

    /// `,limit=…,exclude=…` as an inline specification writes it.
    pub(super) fn spec_suffix(&self) -> String {
        let mut suffix = String::new();
        if self.limit < self.slots {
            suffix += &format!(",limit={}", self.limit);
        }
        if !self.excluded_ranges.is_empty() {
            let ranges = self
                .excluded_ranges
                .iter()
                .map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") });
            suffix += &format!(",exclude={}", ranges.collect::<Vec<_>>().join("+"));
        }
        suffix
    }
}

/// Reader of the parts of `exclude`.
struct Excluded<'r> {
    params: &'r Params,
    named: &'r Named<'r>,
    limit: u32,
    context: &'r Context,
}

/// States printed by sinfo in which a node takes jobs, now or after the running ones; a mark may follow them.
const UP: [&str; 12] = [
    "idle",
    "alloc",
    "allocated",
    "mix",
    "mixed",
    "comp",
    "completing",
    "plnd",
    "planned",
    "block",
    "blocked",
    "resv",
];

impl Excluded<'_> {
    /// One part: an id, a range of ids, a name or host list, or a file.
    fn part(&self, text: &str, location: &SourceLocation, out: &mut Vec<(u32, u32)>) -> Result<()> {
        let text = text.trim();
        let limit = self.limit;
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            if first <= last && last < limit {
                out.push((first, last));
                return Ok(());
            }
        } else {
            let list = Text::new(location.to_string(), text);
            let line = list.line_at(1, text);
            if let Ok(nodes) = self.named.nodes(text, &line, self.context) {
                self.take(nodes, out);
                return Ok(());
            }
            let path = self.params.beside(text);
            if path.is_file() {
                return self.file(&Text::read(&path, self.context.memory)?, out);
            }
        }
        Err(Error::input(
            location.clone(),
            format!("exclude `{text}`"),
            format!(
                "a node id or range a-b within 0-{}, a name, host list or file of names",
                limit - 1
            ),
        ))
    }

    /// Keeps the nodes below the limit, neighbours as one range.
    fn take(&self, nodes: Vec<NodeId>, out: &mut Vec<(u32, u32)>) {
        for node in nodes.into_iter().map(|node| node.0).filter(|node| *node < self.limit) {
            match out.last_mut() {
                Some((_, last)) if node > 0 && *last == node - 1 => *last = node,
                Some((first, last)) if (*first..=*last).contains(&node) => {}
                _ => out.push((node, node)),
            }
        }
    }

    /// Names and host lists, one a line; or `NAME STATE` as sinfo prints them, of which nodes are taken that are down,
    /// drained or otherwise take no jobs. A node of several partitions has several lines.
    fn file(&self, text: &Text, out: &mut Vec<(u32, u32)>) -> Result<()> {
        for line in text.data_lines() {
            let (list, state) =
                line.text.split_once(char::is_whitespace).unwrap_or((line.text, ""));
            let state = state.trim().to_ascii_lowercase();
            // `*`: does not answer.
            let up =
                UP.contains(&state.trim_end_matches(['~', '#', '%', '$', '@', '^', '+', '-', '!']));
            if state.contains(char::is_whitespace) {
                return Err(
                    line.wrong(format!("`{}`", line.text), "NAME, or NAME STATE as sinfo prints")
                );
            }
            if !up {
                self.take(self.named.nodes(list, &line, self.context)?, out);
            }
        }
        Ok(())
    }
}

/// Node names.
#[derive(Clone, Debug)]
pub(super) enum Names {
    /// Text before and after the id, which is padded with zeros to `width`.
    Pattern { before: String, width: usize, after: String },
    /// One name a slot; empty where the file names none.
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
            let names = Names::Pattern { before: "n".into(), width, after: String::new() };
            return Ok((names, None));
        };
        let expected = "one `{}` or `{:0W}` for the id, or a .csv file of node,name[,coordinates…]";
        if let Some((before, rest)) = text.split_once('{') {
            let (format, after) =
                rest.split_once('}').ok_or_else(|| params.wrong("names", expected))?;
            let width = match format.strip_prefix(':') {
                None if format.is_empty() => Some(0),
                Some(digits) => digits.strip_prefix('0').and_then(|d| d.parse().ok()),
                None => None,
            };
            return match width {
                Some(width @ 0..=20) if !after.contains(['{', '}']) => {
                    Ok((Names::Pattern { before: before.into(), width, after: after.into() }, None))
                }
                _ => Err(params.wrong("names", expected)),
            };
        }
        if !text.ends_with(".csv") && !text.ends_with(".csv.gz") {
            return Err(params.wrong("names", expected));
        }
        let path = params.path("names")?.unwrap_or_default();
        read_names(&Text::read(&path, context.memory)?, slots, context)
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        match self {
            Names::Pattern { before, width, after } => format!("{before}{:0width$}{after}", node.0),
            Names::Table(names) => match names.get(node.index()) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("n{}", node.0),
            },
        }
    }
}

/// The names of a machine, before the machine itself is built.
pub(super) struct Named<'t> {
    pub names: &'t Names,
    pub slots: u32,
    pub by_name: &'t OnceLock<HashMap<String, u32>>,
}

impl Named<'_> {
    /// The node of this name, schedulable or not.
    pub fn node(&self, name: &str) -> Option<NodeId> {
        let node = match self.names {
            Names::Pattern { before, after, .. } => {
                let id = name.strip_prefix(before.as_str())?.strip_suffix(after.as_str())?;
                NodeId(id.parse().ok()?)
            }
            Names::Table(names) => {
                let index = self.by_name.get_or_init(|| {
                    let named = (0..).zip(names).filter(|(_, name)| !name.is_empty());
                    named.map(|(id, name)| (name.clone(), id)).collect::<HashMap<String, u32>>()
                });
                let unnamed = || name.strip_prefix('n')?.parse().ok();
                NodeId(index.get(name).copied().or_else(unnamed)?)
            }
        };
        // `n1` is not `n01`.
        (node.0 < self.slots && self.names.name(node) == name).then_some(node)
    }

    /// The nodes of a host list, one after another.
    ///
    /// # Errors
    /// With the line: no host list; a name that no node has.
    pub fn nodes(&self, text: &str, line: &Line<'_>, context: &Context) -> Result<Vec<NodeId>> {
        let names = host_list::expand(text, line, 0, context)?;
        let node = |name: &String| {
            let wrong = || line.wrong(format!("`{name}`"), "the name of a node of this machine");
            self.node(name).ok_or_else(wrong)
        };
        names.iter().map(node).collect()
    }
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
            return Err(wrong(format!("`{}`", line.text), "node,name[,coordinates…]"));
        }
        let node = fields[0].parse::<u32>().ok().filter(|n| *n < slots).ok_or_else(|| {
            wrong(format!("node `{}`", fields[0]), &format!("a node id from 0 to {}", slots - 1))
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
    let mixed = seen.iter().filter_map(|(name, (_, line))| Some((*line, name, stands_for(name)?)));
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
    let extents: Vec<u32> = low.iter().zip(&high).map(|(l, h)| (h - l).saturating_add(1)).collect();
    let cells = extents.iter().try_fold(1u64, |all, n| all.checked_mul(u64::from(*n)))?;
    if cells > 64 * coordinates.len() as u64 + 4096 {
        return None;
    }
    let mut lattice = Lattice::of_routers(extents, vec![false; dimensions]);
    if axes.len() == dimensions {
        lattice.axes = axes;
    }
    let shift = |p: &Vec<u32>| p.iter().zip(&low).map(|(x, l)| x - l).collect::<Vec<_>>();
    lattice.cells = Some(coordinates.iter().map(|p| lattice.cell(&shift(p))).collect());
    Some(lattice)
}
