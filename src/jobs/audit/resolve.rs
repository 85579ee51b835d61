//! From the names of a job's nodes to ranks.

use std::collections::{HashMap, HashSet};

use nodeorder_base::error::{Error, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Line;
use nodeorder_network::topology::Topology;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_trace::records::Record;

/// Why a record was not scored.
pub(super) enum Problem {
    /// A host that the machine does not have.
    Unknown(Error),
    /// A node that is not schedulable.
    Excluded(Error),
    /// A host that is named twice.
    Twice(Error),
    /// No start, which a replay needs.
    Untimed(Error),
    /// No host list at all: the file is wrong.
    Wrong(Error),
}

impl Problem {
    /// A record that does not say when it started.
    pub fn untimed(file: &str, record: &Record) -> Problem {
        let location = SourceLocation::line(file, record.line);
        Problem::Untimed(Error::input(
            location,
            format!("job {} without a start", record.job),
            "a start time",
        ))
    }

    /// A short name, the reason in words, and the first case.
    pub fn described(self) -> (&'static str, &'static str, String) {
        match self {
            Problem::Unknown(e) => (
                "unknown-host",
                "with a host that the machine does not have",
                e.to_string(),
            ),
            Problem::Excluded(e) => (
                "excluded-host",
                "with a host that is not schedulable",
                e.to_string(),
            ),
            Problem::Twice(e) => ("host-twice", "with a host named twice", e.to_string()),
            Problem::Untimed(e) => (
                "no-start",
                "without a start, scored but not replayed",
                e.to_string(),
            ),
            Problem::Wrong(e) => ("wrong", "without a host list", e.to_string()),
        }
    }
}

/// No rank.
const NONE: u32 = u32::MAX;

/// The nodes of a machine by name, and their ranks.
pub(super) struct Resolver<'t> {
    topology: &'t Topology,
    order: &'t NodeOrder,
    ranks: Vec<u32>,
    /// For each text before the digits that end a name: nodes by the number of these digits. A million jobs name many
    /// nodes, and so no text has to be made for each.
    stems: HashMap<String, Vec<Numbered>>,
}

/// The node whose name ends in a number, and the digits of that number in it.
type Numbered = (u32, usize);

/// A name before its last digits, and these.
fn parts(name: &str) -> (&str, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, &name[stem.len()..])
}

impl<'t> Resolver<'t> {
    pub fn new(topology: &'t Topology, order: &'t NodeOrder) -> Self {
        let mut ranks = vec![NONE; topology.nodes().slot_count() as usize];
        (0..)
            .zip(order.nodes())
            .for_each(|(rank, node)| ranks[node.index()] = rank);
        let mut stems: HashMap<String, Vec<Numbered>> = HashMap::new();
        // Numbers far beyond the machine's size, and those written in two ways, are looked up by their names.
        let mut room = 8 * ranks.len() + 4096;
        let mut left_alone = HashSet::new();
        for id in 0..ranks.len() as u32 {
            let name = topology.node_name(NodeId(id));
            let (stem, digits) = parts(&name);
            match digits.parse::<usize>() {
                Ok(number) if number < room && topology.node_named(&name) == Some(NodeId(id)) => {
                    let nodes = stems.entry(stem.to_string()).or_default();
                    room -= (number + 1).saturating_sub(nodes.len());
                    nodes.resize(nodes.len().max(number + 1), (NONE, 0));
                    if nodes[number].0 != NONE {
                        left_alone.insert(stem.to_string());
                    }
                    nodes[number] = (id, digits.len());
                }
                _ => {}
            }
        }
        stems.retain(|stem, _| !left_alone.contains(stem));
        Resolver {
            topology,
            order,
            ranks,
            stems,
        }
    }

    /// The nodes of a list of plain names and names with one bracket at their end, all of them known; else none, though
    /// it may be a list of other names.
    fn quick(&self, text: &str) -> Option<Vec<NodeId>> {
        let mut nodes = Vec::new();
        let mut add = |stem: &[Numbered], range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let digits = |text: &str| text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
            let width = first.len();
            if !digits(first) || !digits(last) {
                return None;
            }
            let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
            for number in first..=last {
                let (node, written) = *stem.get(number)?;
                let natural = number.checked_ilog10().unwrap_or(0) as usize + 1;
                if node == NONE || written != natural.max(width) {
                    return None;
                }
                nodes.push(NodeId(node));
            }
            (first <= last).then_some(())
        };
        let mut rest = text;
        loop {
            let end = rest.find(['[', ',']).unwrap_or(rest.len());
            rest = if rest[end..].starts_with('[') {
                let (list, tail) = rest[end + 1..].split_once(']')?;
                let stem = self.stems.get(&rest[..end])?;
                list.split(',').try_for_each(|range| add(stem, range))?;
                tail
            } else {
                let (stem, digits) = parts(&rest[..end]);
                add(self.stems.get(stem)?, digits)?;
                &rest[end..]
            };
            if rest.is_empty() {
                return Some(nodes);
            }
            rest = rest.strip_prefix(',')?;
        }
    }

    /// The nodes of ranks.
    pub fn nodes(&self, ranks: &[u32]) -> Vec<NodeId> {
        ranks
            .iter()
            .map(|rank| self.order.nodes()[*rank as usize])
            .collect()
    }

    /// The ranks of a host list, in its order.
    pub fn ranks(&self, list: &Line<'_>) -> Result<Vec<u32>, Problem> {
        let slow = || self.topology.nodes_named(list.text, list, 0);
        let nodes = self
            .quick(list.text)
            .map_or_else(slow, Ok)
            .map_err(|error| {
                if is_list(list.text) {
                    Problem::Unknown(error)
                } else {
                    Problem::Wrong(error)
                }
            })?;
        let mut ranks = Vec::with_capacity(nodes.len());
        for node in &nodes {
            match self.ranks[node.index()] {
                NONE => {
                    let found = format!(
                        "`{}`, which is not schedulable",
                        self.topology.node_name(*node)
                    );
                    return Err(Problem::Excluded(list.wrong(found, "a schedulable node")));
                }
                rank => ranks.push(rank),
            }
        }
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let at = ranks
                .iter()
                .position(|rank| *rank == twice[0])
                .unwrap_or_default();
            let found = format!("`{}` twice", self.topology.node_name(nodes[at]));
            return Err(Problem::Twice(list.wrong(found, "each host once")));
        }
        Ok(ranks)
    }
}

/// Whether a text has the form of a host list.
fn is_list(text: &str) -> bool {
    let (mut inside, mut empty) = (false, true);
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
    use nodeorder_network::topology::Context;

    #[test]
    fn names_and_ids_are_found_and_problems_told_apart() {
        let machine = Topology::inline("torus:4x4,exclude=3", &Context::default()).unwrap();
        let order = NodeOrder::new(&machine, "r", machine.nodes().iter().collect()).unwrap();
        let resolver = Resolver::new(&machine, &order);
        let of = |text: &str| match resolver.ranks(&Line::new("f", 7, text)) {
            Ok(ranks) => format!("{ranks:?}"),
            Err(found) => {
                let (name, _, first) = found.described();
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
