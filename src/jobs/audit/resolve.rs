//! Resolves the host list of a job, such as `n[00-02,04]`, to ranks.
//!
//! A million jobs name many nodes, so most lists take a short cut: names are split into a stem and the digits at
//! their end (`n` and `04`), and each stem has an array of its nodes by number. `n[00-02]` is then three array
//! look-ups. A list that the short cut does not understand, or not wholly, goes the long way, which also words the
//! errors.

use std::collections::{HashMap, HashSet};

use nodeorder_base::{Error, Line, NodeId, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_trace::records::Record;

/// Reason for which a record was not scored, or not replayed.
pub(super) enum RecordProblem {
    /// Host that the machine does not have.
    Unknown(Error),
    /// Node that is not schedulable.
    Excluded(Error),
    /// Host that is named twice.
    Twice(Error),
    /// Missing start time, which a replay needs.
    Untimed(Error),
    /// Text that is no host list at all: the file is wrong.
    Wrong(Error),
}

impl RecordProblem {
    /// Builds the problem of a record that does not say when it started.
    pub fn missing_start(file: &str, record: &Record) -> RecordProblem {
        let location = SourceLocation::line(file, record.line);
        RecordProblem::Untimed(Error::input(
            location,
            format!("job {} without a start", record.job),
            "a start time",
        ))
    }

    /// Describes the problem: a short name, the reason in words, and this case.
    pub fn describe_case(self) -> (&'static str, &'static str, String) {
        let (name, about, error) = match self {
            RecordProblem::Unknown(e) => (
                "unknown-host",
                "with a host that the machine does not have",
                e,
            ),
            RecordProblem::Excluded(e) => {
                ("excluded-host", "with a host that is not schedulable", e)
            }
            RecordProblem::Twice(e) => ("host-twice", "with a host named twice", e),
            RecordProblem::Untimed(e) => {
                ("no-start", "without a start, scored but not replayed", e)
            }
            RecordProblem::Wrong(e) => ("wrong", "without a host list", e),
        };
        (name, about, error.to_string())
    }
}

/// Marker of a node without a rank, and of a number without a node.
const NO_RANK: u32 = u32::MAX;

/// Nodes of a machine by name, and their ranks.
pub(super) struct Resolver<'t> {
    topology: &'t Topology,
    order: &'t NodeOrder,
    /// Rank of each node by id; [`NO_RANK`] if it is not schedulable.
    ranks: Vec<u32>,
    /// Nodes by stem (the name before its last digits) and number.
    stems: HashMap<String, Vec<NumberedNode>>,
}

/// Id of the node whose name ends in a number, and the number of digits that it is written with.
type NumberedNode = (u32, usize);

/// Splits a name into its stem and the digits at its end.
fn split_name(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, &name[stem.len()..])
}

impl<'t> Resolver<'t> {
    /// Creates the resolver of an ordering.
    pub fn new(topology: &'t Topology, order: &'t NodeOrder) -> Self {
        let mut ranks = vec![NO_RANK; topology.nodes().slot_count() as usize];
        for (rank, node) in (0..).zip(order.nodes()) {
            ranks[node.index()] = rank;
        }
        let mut stems: HashMap<String, Vec<NumberedNode>> = HashMap::new();
        // Numbers far beyond the machine's size, and those written in two ways, are looked up by their names.
        let mut room = 8 * ranks.len() + 4096;
        // Stems with two spellings of one number, such as n1 and n01.
        let mut left_alone = HashSet::new();
        for id in 0..ranks.len() as u32 {
            let name = topology.node_name(NodeId(id));
            let (stem, digits) = split_name(&name);
            let Ok(number) = digits.parse::<usize>() else {
                continue;
            };
            // A name that leads to another node is looked up the long way.
            if number >= room || topology.node_named(&name) != Some(NodeId(id)) {
                continue;
            }
            let nodes = stems.entry(stem.to_string()).or_default();
            room -= (number + 1).saturating_sub(nodes.len());
            nodes.resize(nodes.len().max(number + 1), (NO_RANK, 0));
            if nodes[number].0 != NO_RANK {
                left_alone.insert(stem.to_string());
            }
            nodes[number] = (id, digits.len());
        }
        stems.retain(|stem, _| !left_alone.contains(stem));
        Resolver {
            topology,
            order,
            ranks,
            stems,
        }
    }

    /// Finds, by a short cut, the nodes of a list of plain names and names with one bracket at their end. `None` if the
    /// short cut does not know a name; the list may be right all the same.
    fn resolve_quickly(&self, text: &str) -> Option<Vec<NodeId>> {
        let mut nodes = Vec::new();
        let mut rest = text;
        loop {
            let end = rest.find(['[', ',']).unwrap_or(rest.len());
            rest = if rest[end..].starts_with('[') {
                let (list, tail) = rest[end + 1..].split_once(']')?;
                let stem = self.stems.get(&rest[..end])?;
                for range in list.split(',') {
                    add_range(stem, range, &mut nodes)?;
                }
                tail
            } else {
                let (stem, digits) = split_name(&rest[..end]);
                add_range(self.stems.get(stem)?, digits, &mut nodes)?;
                &rest[end..]
            };
            if rest.is_empty() {
                return Some(nodes);
            }
            rest = rest.strip_prefix(',')?;
        }
    }

    /// Looks up the nodes of ranks.
    pub fn nodes_of_ranks(&self, ranks: &[u32]) -> Vec<NodeId> {
        ranks
            .iter()
            .map(|rank| self.order.nodes()[*rank as usize])
            .collect()
    }

    /// Resolves a host list to ranks, in its order. Fails if a host is unknown, excluded or named twice, or if
    /// the text is no host list.
    pub fn resolve_ranks(&self, list: &Line<'_>) -> Result<Vec<u32>, RecordProblem> {
        let nodes = match self.resolve_quickly(list.text) {
            Some(nodes) => nodes,
            None => match self.topology.nodes_named(list.text, list, 0) {
                Ok(nodes) => nodes,
                // One odd host spoils a record; a text that is no list at all spoils the file.
                Err(error) if is_host_list(list.text) => return Err(RecordProblem::Unknown(error)),
                Err(error) => return Err(RecordProblem::Wrong(error)),
            },
        };
        let mut ranks = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let rank = self.ranks[node.index()];
            if rank == NO_RANK {
                let name = self.topology.node_name(*node);
                let found = format!("`{name}`, which is not schedulable");
                return Err(RecordProblem::Excluded(
                    list.error_here(found, "a schedulable node"),
                ));
            }
            ranks.push(rank);
        }
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let node = self.order.nodes()[twice[0] as usize];
            let found = format!("`{}` twice", self.topology.node_name(node));
            return Err(RecordProblem::Twice(
                list.error_here(found, "each host once"),
            ));
        }
        Ok(ranks)
    }
}

/// Adds the nodes of a number or a range of numbers, such as `00-02`, of one stem. `None` if one is not known, or is
/// written with another number of digits.
fn add_range(stem: &[NumberedNode], range: &str, nodes: &mut Vec<NodeId>) -> Option<()> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let width = first.len();
    let first = parse_digits(first)?;
    let last = parse_digits(last)?;
    for number in first..=last {
        let (node, written) = *stem.get(number)?;
        let natural = number.checked_ilog10().unwrap_or(0) as usize + 1;
        // `n[1-3]` names n1, n2 and n3, never n01.
        if node == NO_RANK || written != natural.max(width) {
            return None;
        }
        nodes.push(NodeId(node));
    }
    (first <= last).then_some(())
}

/// Reads a number of fewer than ten digits and nothing else; `None` otherwise.
fn parse_digits(text: &str) -> Option<usize> {
    let plain = text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// Checks whether a text has the form of a host list.
fn is_host_list(text: &str) -> bool {
    let mut inside = false;
    let mut empty = true;
    for c in text.chars() {
        match (c, inside) {
            ('[', false) | (']', true) => inside = !inside,
            ('[', true) | (']', false) => return false,
            (',', false) if empty => return false,
            _ if inside && !c.is_ascii_digit() && !",-".contains(c) => return false,
            _ => {}
        }
        empty = c == ',' && !inside;
    }
    !inside && !empty
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn names_and_ids_are_found_and_problems_told_apart() {
        let machine = Topology::inline("torus:4x4,exclude=3", &Context::default()).unwrap();
        let order = NodeOrder::new(&machine, "r", machine.nodes().iter().collect()).unwrap();
        let resolver = Resolver::new(&machine, &order);
        let of = |text: &str| match resolver.resolve_ranks(&Line::new("f", 7, text)) {
            Ok(ranks) => format!("{ranks:?}"),
            Err(found) => {
                let (name, _, first) = found.describe_case();
                format!("{name}: {first}")
            }
        };
        assert_eq!(of("n[00-02,04]"), "[0, 1, 2, 3]");
        assert_eq!(of("n15,n04"), "[14, 3]");
        assert_eq!(of("15,4"), "[14, 3]");
        assert_eq!(of("[1-2],4"), "[1, 2, 3]");
        assert!(of("[2-1]").starts_with("unknown-host"));
        assert!(of("n[00-02],x1").starts_with("unknown-host: f:7: found `x1`; expected"));
        assert!(of("16").starts_with("unknown-host: f:7: found node 16;"));
        assert!(
            of("n[02-03]").starts_with("excluded-host: f:7: found `n03`, which is not schedulable")
        );
        assert!(
            of("n[00-02],n01")
                .starts_with("host-twice: f:7: found `n01` twice; expected each host once")
        );
        assert!(of("n[00-0+").starts_with("wrong: f:7: found"));
        assert!(of("n01,,n02").starts_with("wrong: f:7: found"));
    }
}
