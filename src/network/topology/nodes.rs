//! The schedulable nodes of a machine.

use fixedbitset::FixedBitSet;

use super::context::Context;
use super::machine_options::{ExcludedPart, MachineOptions};
use super::node_names::{NodeNames, Numbers, any_number};
use super::source_file::{read, shipped};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::{Line, Text};

/// The schedulable nodes: all slots up to a limit, less the excluded ones.
#[derive(Clone, Debug)]
pub struct NodeSet {
    slots: u32,
    limit: u32,
    excluded: Option<FixedBitSet>,
    /// Slots that names leave empty: they have no node.
    absent: Option<FixedBitSet>,
    excluded_ranges: Vec<(u32, u32)>,
    /// The shipped file of ids, where that is all that `exclude` says.
    excluded_by: Option<String>,
    count: usize,
}

impl NodeSet {
    /// Returns the nodes that `limit` and `exclude` leave. `exclude` has nodes (see [`NodeNames::list`]) and files; it is
    /// applied after `limit`. A name wins over a file of that name. Slots that `absent` leaves empty have no node.
    pub(super) fn choose(
        options: &MachineOptions,
        slots: u32,
        absent: Option<&[String]>,
        names: &NodeNames,
        context: &Context,
    ) -> Result<Self> {
        let limit = options.count_kept(slots)?;
        let mut set = NodeSet {
            slots,
            limit,
            excluded: None,
            absent: None,
            excluded_ranges: Vec::new(),
            excluded_by: None,
            count: limit as usize,
        };
        if let Some(names) = absent.filter(|names| names.iter().any(String::is_empty)) {
            let mut absent = FixedBitSet::with_capacity(limit as usize);
            let empty = |(location, name): (usize, &String)| name.is_empty().then_some(location);
            absent.extend(names[..limit as usize].iter().enumerate().filter_map(empty));
            set.count -= absent.count_ones(..);
            set.excluded = Some(absent.clone());
            set.absent = Some(absent);
        }
        let Some(exclude) = &options.exclude else {
            return Ok(set);
        };
        let mut ranges = Vec::new();
        let reader = Excluded {
            names,
            slots,
            limit,
            context,
        };
        for part in &exclude.parts {
            reader.part(part, &mut ranges)?;
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
            return Err(exclude.written.wrong("at least one node left"));
        }
        set.excluded_ranges = ranges;
        set.excluded_by = exclude
            .text
            .clone()
            .filter(|text| shipped(text.as_ref()).is_some());
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
    pub fn is_full(&self) -> bool {
        self.count == self.slots as usize
    }

    /// Whether `node` is schedulable.
    pub fn contains(&self, node: NodeId) -> bool {
        node.0 < self.limit
            && self
                .excluded
                .as_ref()
                .is_none_or(|e| !e.contains(node.index()))
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
        let absent = |id: &u32| {
            self.absent
                .as_ref()
                .is_some_and(|a| a.contains(*id as usize))
        };
        ids.filter(move |id| !absent(id)).map(NodeId)
    }

    /// The schedulable nodes in id order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.limit).map(NodeId).filter(|n| self.contains(*n))
    }

    /// The slots without a schedulable node, in id order. O(slots/64 + gaps).
    pub(super) fn gaps(&self) -> impl Iterator<Item = NodeId> + '_ {
        let inside = self
            .excluded
            .iter()
            .flat_map(FixedBitSet::ones)
            .map(|id| NodeId(id as u32));
        inside.chain((self.limit..self.slots).map(NodeId))
    }

    /// `,limit=…,exclude=…` as an inline specification writes it: nodes by id, or by the names of their file where it has
    /// numbers for names.
    pub(super) fn spec_suffix(&self, names: Option<&[String]>) -> String {
        let mut suffix = String::new();
        if self.limit < self.slots {
            suffix += &format!(",limit={}", self.limit);
        }
        if let Some(file) = &self.excluded_by {
            suffix += &format!(",exclude={file}");
        } else if !self.excluded_ranges.is_empty() {
            let words: Vec<String> = match names.filter(|names| any_number(names)) {
                Some(names) => self
                    .excluded()
                    .map(|node| names[node.index()].clone())
                    .collect(),
                None => (self.excluded_ranges.iter())
                    .map(|(a, b)| {
                        if a == b {
                            a.to_string()
                        } else {
                            format!("{a}-{b}")
                        }
                    })
                    .collect(),
            };
            suffix += &format!(",exclude={}", words.join("+"));
        }
        suffix
    }
}

/// Reader of the parts of `exclude`.
struct Excluded<'r> {
    names: &'r NodeNames,
    slots: u32,
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
    /// Adds the nodes of one part.
    fn part(&self, part: &ExcludedPart, out: &mut Vec<(u32, u32)>) -> Result<()> {
        let text = part.text.as_str();
        let source = part.location.to_string();
        if self
            .list(text, &Line::new(&source, 1, text), Numbers::AsNamed, out)
            .is_ok()
        {
            return Ok(());
        }
        let path = &part.path;
        // What is shipped is read with the names of the site and without.
        let numbers = if shipped(path).is_some() {
            Numbers::Ids
        } else {
            Numbers::AsNamed
        };
        if path.is_file() || numbers == Numbers::Ids {
            return self.file(&read(path, self.context)?, numbers, out);
        }
        let ids = match self.names.numbers {
            true => "the number that is a node's name".to_string(),
            false => format!("a node id or range a-b within 0-{}", self.slots - 1),
        };
        let expected = format!("{ids}, a name, host list or file of names");
        Err(Error::input(
            part.location.clone(),
            format!("exclude `{text}`"),
            expected,
        ))
    }

    /// Keeps the nodes of a list that are below the limit, neighbours as one range; none of them where one is wrong.
    fn list(
        &self,
        text: &str,
        line: &Line<'_>,
        numbers: Numbers,
        out: &mut Vec<(u32, u32)>,
    ) -> Result<()> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        self.names.list(
            text,
            line,
            0,
            numbers,
            self.context,
            &mut |_, first, last| {
                let last = last.min(self.limit - 1);
                match found.last_mut() {
                    _ if first > last => {}
                    Some(range) if first > 0 && range.1 == first - 1 => range.1 = last,
                    Some(range) if range.0 <= first && last <= range.1 => {}
                    _ => found.push((first, last)),
                }
            },
        )?;
        out.append(&mut found);
        Ok(())
    }

    /// Names and host lists, one a line; or `NAME STATE` as sinfo prints them, of which nodes are taken that are down,
    /// drained or otherwise take no jobs. A node of several partitions has several lines.
    fn file(&self, text: &Text, numbers: Numbers, out: &mut Vec<(u32, u32)>) -> Result<()> {
        for line in text.data_lines() {
            let (list, state) = line
                .text
                .split_once(char::is_whitespace)
                .unwrap_or((line.text, ""));
            let state = state.trim().to_ascii_lowercase();
            // `*`: does not answer.
            let up =
                UP.contains(&state.trim_end_matches(['~', '#', '%', '$', '@', '^', '+', '-', '!']));
            if state.contains(char::is_whitespace) {
                return Err(line.wrong(
                    format!("`{}`", line.text),
                    "NAME, or NAME STATE as sinfo prints",
                ));
            }
            if !up {
                self.list(list, &line, numbers, out)?;
            }
        }
        Ok(())
    }
}
