//! The schedulable nodes of a machine.

use fixedbitset::FixedBitSet;

use super::context::Context;
use super::machine_options::{ExcludedPart, MachineOptions};
use super::network::Network;
use super::node_names::{NodeNames, NumberMeaning, any_number};
use super::source_file::{find_shipped, read};
use nodeorder_base::slurm_states::{NodeUse, find_node_use};
use nodeorder_base::{Error, Line, NodeId, Result, Text};

/// The schedulable nodes: all slots up to a limit, less the excluded ones.
#[derive(Clone, Debug)]
pub struct NodeSet {
    /// Number of node ids, schedulable or not.
    slots: u32,
    /// Number of node ids that `limit` keeps.
    limit: u32,
    /// Slots below `limit` that are not schedulable; `None` if all are.
    excluded: Option<FixedBitSet>,
    /// Slots below `limit` without a node, as their names are empty; `None` if there is none.
    absent: Option<FixedBitSet>,
    /// Ids below `limit` of the nodes that the description says are out of service, ascending.
    down: Vec<u32>,
    /// First and last id of each range that `exclude` lists, in its order.
    excluded_ranges: Vec<(u32, u32)>,
    /// Name of the shipped file of ids, if that is all that `exclude` says.
    excluded_by: Option<String>,
    /// Number of schedulable nodes.
    count: usize,
}

impl NodeSet {
    /// Finds the nodes that `limit` and `exclude` leave. `exclude` has nodes (see [`NodeNames::visit_listed`])
    /// and files; it is applied after `limit`. A name wins over a file of that name. Slots that the names of the
    /// network leave empty have no node.
    pub(super) fn apply_limit_and_exclude(
        options: &MachineOptions,
        network: &Network,
        names: &NodeNames,
        context: &Context,
    ) -> Result<Self> {
        let slots = network.slots();
        let absent = network.names();
        let limit = options.count_kept(slots)?;
        let mut set = NodeSet {
            slots,
            limit,
            excluded: None,
            absent: None,
            down: network
                .down
                .iter()
                .copied()
                .filter(|id| *id < limit)
                .collect(),
            excluded_ranges: Vec::new(),
            excluded_by: None,
            count: limit as usize,
        };
        if let Some(names) = absent.filter(|names| names.iter().any(String::is_empty)) {
            let mut absent = FixedBitSet::with_capacity(limit as usize);
            for (slot, name) in names[..limit as usize].iter().enumerate() {
                absent.set(slot, name.is_empty());
            }
            set.count -= absent.count_ones(..);
            set.excluded = Some(absent.clone());
            set.absent = Some(absent);
        }
        if !set.down.is_empty() {
            let mut excluded = set.excluded.take().unwrap_or_default();
            excluded.grow(limit as usize);
            excluded.extend(set.down.iter().map(|id| *id as usize));
            set.count = limit as usize - excluded.count_ones(..);
            set.excluded = Some(excluded);
            if let Some(limit) = options.limit.as_ref().filter(|_| set.count == 0) {
                return Err(limit.written.invalid_value("at least one node in service"));
            }
        }
        let Some(exclude) = &options.exclude else {
            return Ok(set);
        };
        let reader = ExcludeReader {
            names,
            slots,
            limit,
            context,
        };
        for part in &exclude.parts {
            reader.read_part(part, &mut set.excluded_ranges)?;
        }
        context.require_memory("which nodes are excluded", u64::from(limit) / 8)?;
        let mut excluded = match set.excluded.take() {
            Some(absent) => absent,
            None => FixedBitSet::with_capacity(limit as usize),
        };
        for (first, last) in &set.excluded_ranges {
            excluded.insert_range(*first as usize..*last as usize + 1);
        }
        set.count = limit as usize - excluded.count_ones(..);
        if set.count == 0 {
            return Err(exclude.written.invalid_value("at least one node left"));
        }
        let text = exclude.text.clone();
        set.excluded_by = text.filter(|text| find_shipped(text.as_ref()).is_some());
        set.excluded = Some(excluded);
        Ok(set)
    }

    /// Returns the number of schedulable nodes.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns false: a machine has at least one node.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the number of node ids, schedulable or not: all are below it.
    pub fn slot_count(&self) -> u32 {
        self.slots
    }

    /// Checks whether every slot is schedulable.
    pub fn is_full(&self) -> bool {
        self.count == self.slots as usize
    }

    /// Checks whether `node` is schedulable.
    pub fn contains(&self, node: NodeId) -> bool {
        let excluded = self.excluded.as_ref();
        node.0 < self.limit && excluded.is_none_or(|e| !e.contains(node.index()))
    }

    /// Lists the nodes that `exclude` or the description keep out, in id order: drained, or of another use.
    pub fn excluded_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let mut ranges = self.excluded_ranges.clone();
        ranges.extend(self.down.iter().map(|id| (*id, *id)));
        self.nodes_of_ranges(ranges)
    }

    /// Lists the nodes that the machine's description says are out of service, in id order.
    pub fn down_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.down.iter().map(|id| NodeId(*id))
    }

    /// Checks whether the machine's description says that a node is out of service.
    pub fn is_down(&self, node: NodeId) -> bool {
        self.down.binary_search(&node.0).is_ok()
    }

    /// Lists the nodes of ranges of ids, in id order.
    fn nodes_of_ranges(&self, mut ranges: Vec<(u32, u32)>) -> impl Iterator<Item = NodeId> + '_ {
        ranges.sort_unstable();
        // Ranges may overlap: each goes on after the last id of those before.
        let mut next = 0;
        let ids = ranges.into_iter().flat_map(move |(first, last)| {
            let first = first.max(next);
            next = next.max(last + 1);
            first..=last
        });
        let absent = self.absent.as_ref();
        ids.filter(move |id| absent.is_none_or(|a| !a.contains(*id as usize)))
            .map(NodeId)
    }

    /// Lists the schedulable nodes in id order.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.limit).map(NodeId).filter(|n| self.contains(*n))
    }

    /// Lists the slots without a schedulable node, in id order. O(slots/64 + gaps).
    pub(super) fn unschedulable_slots(&self) -> impl Iterator<Item = NodeId> + '_ {
        let excluded = self.excluded.iter().flat_map(FixedBitSet::ones);
        let above = self.limit..self.slots;
        excluded.map(|id| id as u32).chain(above).map(NodeId)
    }

    /// Writes `,limit=…,exclude=…` of an inline specification: nodes by id, or by their `names` if some of these are
    /// numbers, as ids would be read as names then.
    pub(super) fn spec_suffix(&self, names: Option<&[String]>) -> String {
        let mut suffix = String::new();
        if self.limit < self.slots {
            suffix += &format!(",limit={}", self.limit);
        }
        if let Some(file) = &self.excluded_by {
            suffix += &format!(",exclude={file}");
        } else if !self.excluded_ranges.is_empty() {
            let mut words = Vec::new();
            if let Some(names) = names.filter(|names| any_number(names)) {
                words.extend(
                    self.nodes_of_ranges(self.excluded_ranges.clone())
                        .map(|node| names[node.index()].clone()),
                );
            } else {
                for (first, last) in &self.excluded_ranges {
                    words.push(if first == last {
                        first.to_string()
                    } else {
                        format!("{first}-{last}")
                    });
                }
            }
            suffix += &format!(",exclude={}", words.join("+"));
        }
        suffix
    }
}

/// Reader of the parts of `exclude`.
struct ExcludeReader<'r> {
    names: &'r NodeNames,
    slots: u32,
    limit: u32,
    context: &'r Context,
}

impl ExcludeReader<'_> {
    /// Reads one part and adds its nodes to `ranges`.
    fn read_part(&self, part: &ExcludedPart, ranges: &mut Vec<(u32, u32)>) -> Result<()> {
        let text = part.text.as_str();
        let source = part.location.to_string();
        let line = Line::new(&source, 1, text);
        if self
            .read_list(text, &line, NumberMeaning::AsNamed, ranges)
            .is_ok()
        {
            return Ok(());
        }
        let path = &part.path;
        // What is shipped is read with the names of the site and without.
        let numbers = if find_shipped(path).is_some() {
            NumberMeaning::Ids
        } else {
            NumberMeaning::AsNamed
        };
        if path.is_file() || numbers == NumberMeaning::Ids {
            return self.read_file(&read(path, self.context)?, numbers, ranges);
        }
        let ids = if self.names.names_are_numbers {
            "the number that is a node's name".to_string()
        } else {
            format!("a node id or range a-b within 0-{}", self.slots - 1)
        };
        let expected = format!("{ids}, a name, host list or file of names");
        let found = format!("exclude `{text}`");
        Err(Error::input(part.location.clone(), found, expected))
    }

    /// Reads a list and adds its nodes below the limit to `ranges`, neighbours as one range; none of them if one is
    /// wrong.
    fn read_list(
        &self,
        text: &str,
        line: &Line<'_>,
        numbers: NumberMeaning,
        ranges: &mut Vec<(u32, u32)>,
    ) -> Result<()> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut add = |_: &str, first: u32, last: u32| {
            let last = last.min(self.limit - 1);
            match found.last_mut() {
                _ if first > last => {}
                Some(range) if first > 0 && range.1 == first - 1 => range.1 = last,
                Some(range) if range.0 <= first && last <= range.1 => {}
                _ => found.push((first, last)),
            }
        };
        self.names
            .visit_listed(text, line, 0, numbers, self.context, &mut add)?;
        ranges.append(&mut found);
        Ok(())
    }

    /// Reads names and host lists, one a line; or `NAME STATE` as sinfo prints them, of which nodes are taken that are
    /// down, drained or otherwise take no jobs. A node of several partitions has several lines.
    fn read_file(
        &self,
        text: &Text,
        numbers: NumberMeaning,
        ranges: &mut Vec<(u32, u32)>,
    ) -> Result<()> {
        for line in text.data_lines() {
            let words = line.text.split_once(char::is_whitespace);
            let (list, state) = words.unwrap_or((line.text, ""));
            let state = state.trim();
            if state.contains(char::is_whitespace) {
                let expected = "NAME, or NAME STATE as sinfo prints";
                return Err(line.whole_error(expected));
            }
            // A line without a state is a list of nodes to exclude, and a word that is not known keeps jobs away.
            if matches!(
                find_node_use(state),
                None | Some(NodeUse::Flag | NodeUse::Out)
            ) {
                self.read_list(list, &line, numbers, ranges)?;
            }
        }
        Ok(())
    }
}
