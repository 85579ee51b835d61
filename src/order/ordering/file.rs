//! Ordering files: one node id a line in rank order, or names as host lists; `#` comments. Where the header says that
//! names are below, numbers are names on machines where names are numbers.
//!
//! ```text
//! # nodeorder 0.2.0
//! # topology: 2x2 torus (torus:2x2)
//! # ordering: snake
//! # nodes: 4
//! 0
//! 1
//! 3
//! 2
//! ```
//!
//! `opensm-ftree-ca-order.dump`, in which opensm writes the order of a fat tree's adapters (osm_ucast_ftree.c,
//! fabric_dump_hca_ordering), is one, too: a LID, a tab and the adapter's description a line. A node stands where its first
//! adapter does; lines of `DUMMY`, places of a leaf switch without a node, are left out.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

use super::NodeOrder;
use super::node_order::NodeCheck;
use nodeorder_base::blocks;
use nodeorder_base::{Error, Line, NodeId, Result, Text};
use nodeorder_network::Topology;
use nodeorder_network::topology::NumberMeaning;

/// Reads the ordering file of this name.
///
/// # Errors
/// As [`NodeOrder::read`]; a file that cannot be opened, or larger than the memory allowed.
pub fn read_file(topology: &Topology, path: &str) -> Result<NodeOrder> {
    let text = Text::read(Path::new(path), topology.context().memory)?;
    NodeOrder::read(topology, &text)
}

impl NodeOrder {
    /// Reads an ordering file: one node id or list of nodes a line, `#` comments, blank lines ignored.
    ///
    /// # Errors
    /// A malformed, unknown, unschedulable or repeated id, with its line; a file without ids.
    pub fn read(topology: &Topology, text: &Text) -> Result<Self> {
        let mut notes = Vec::new();
        Ok(NodeOrder {
            label: text.name().to_string(),
            nodes: read_nodes(topology, text, &mut notes)?,
            notes,
            made_for: other_machine(topology, text),
        })
    }

    /// Writes the file's text: a header of comments (tool version, topology, ordering, node count), then one id
    /// a line.
    pub fn to_file(&self, topology: &Topology) -> String {
        let mut text = Vec::new();
        // Writing to memory cannot fail, and all of it is text.
        let _ = self.write_to(topology, false, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes the file's text, with `names` a node's name in the place of its id.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_to(
        &self,
        topology: &Topology,
        names: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let machine = one_line(topology.name());
        writeln!(out, "# nodeorder {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "# topology: {machine} ({})", topology.spec())?;
        writeln!(out, "# ordering: {}", one_line(&self.label))?;
        writeln!(out, "# nodes: {}", self.len())?;
        if names {
            writeln!(
                out,
                "{NAMES} numbers below, if any, are names of nodes and not ids"
            )?;
        }
        for note in &self.notes {
            writeln!(out, "# {}", one_line(note))?;
        }
        blocks::write_blocks(out, self.len(), |ranks, text| {
            let mut digits = itoa::Buffer::new();
            for node in &self.nodes[ranks] {
                if names {
                    text.extend_from_slice(topology.node_name(*node).as_bytes());
                } else {
                    text.extend_from_slice(digits.format(node.0).as_bytes());
                }
                text.push(b'\n');
            }
            Ok(())
        })
    }
}

/// Replaces the line ends of a text by spaces: a comment is one line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Reads the nodes of an ordering file. Adds to `notes` what is left out.
fn read_nodes(topology: &Topology, text: &Text, notes: &mut Vec<String>) -> Result<Vec<NodeId>> {
    let mut adapters = HashSet::new();
    let mut left_out = 0;
    let mut check = NodeCheck::new(topology);
    let mut nodes = Vec::new();
    let named = find_header_line(text, NAMES).is_some();
    let numbers = if named {
        NumberMeaning::AsNamed
    } else {
        NumberMeaning::Ids
    };
    let ids = !named || !topology.names_are_numbers();
    for line in text.data_lines() {
        // Most lines are ids, so these are read the short way.
        if let Some(id) = line.text.parse().ok().filter(|_| ids) {
            check.add_node(NodeId(id), || line.location())?;
            nodes.push(NodeId(id));
            continue;
        }
        let mut names = line.text;
        if let Some((lid, description)) = line.text.split_once('\t')
            && lid.starts_with("0x")
        {
            names = description.split(' ').next().unwrap_or_default();
            // Further adapters of a node, as on several rails, stand on leaf switches of their own.
            if names == "DUMMY" || !adapters.insert(names) {
                left_out += 1;
                continue;
            }
        }
        for node in topology.nodes_listed(names, &line, nodes.len(), numbers)? {
            check.add_node(node, || line.location())?;
            nodes.push(node);
        }
    }
    if let Some((line, count)) = find_header_line(text, "# nodes:")
        && let Ok(count) = count.parse::<usize>()
        && count != nodes.len()
    {
        let found = format!("{} node ids under a header of {count}", nodes.len());
        let expected = "as many as the header says: is the file cut off? (without this line any number is read)";
        return Err(Error::input(line.location(), found, expected));
    }
    if left_out > 0 {
        notes.push(format!(
            "{left_out} lines of {} are left out: places without a node, or further adapters of one",
            text.name()
        ));
    }
    if nodes.is_empty() {
        return Err(Error::input(
            text.location(),
            "no node ids",
            "one id a line",
        ));
    }
    Ok(nodes)
}

/// Begin of the header's line that says that names follow.
const NAMES: &str = "# names:";

/// Finds the line of the comments above all nodes that begins with `mark`; returns it with the text behind the mark.
fn find_header_line<'t>(text: &'t Text, mark: &str) -> Option<(Line<'t>, &'t str)> {
    text.lines()
        .take_while(|line| line.text.is_empty() || line.text.starts_with('#'))
        .find_map(|line| Some((line, line.text.strip_prefix(mark)?.trim())))
}

/// Finds the machine `NAME (SPEC)` of the header. `None` if it is this one: machines that differ only in `limit` or
/// `exclude` are the same network.
fn other_machine(topology: &Topology, text: &Text) -> Option<String> {
    let (_, machine) = find_header_line(text, "# topology:")?;
    let spec = topology.network().spec();
    // Names may hold brackets, specifications as well, so any bracket may open the spec.
    let same = machine
        .match_indices(&format!("({spec}"))
        .any(|(start, found)| {
            let rest = &machine[start + found.len()..];
            rest == ")" || rest.starts_with(",limit=") || rest.starts_with(",exclude=")
        });
    (!same && machine != topology.name()).then(|| machine.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::Context;

    #[test]
    fn what_is_written_reads_back() {
        let topology = Topology::inline("torus:5x4,exclude=7", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake").unwrap();
        let text = Text::new("o.txt", order.to_file(&topology));
        assert_eq!(
            NodeOrder::read(&topology, &text).unwrap().nodes(),
            order.nodes()
        );
        assert!(text.as_str().contains("torus:5x4,exclude=7"));
        let mut named = Vec::new();
        order.write_to(&topology, true, &mut named).unwrap();
        let named = Text::new("o.txt", String::from_utf8(named).unwrap());
        assert!(named.as_str().ends_with("\nn19\n"), "{}", named.as_str());
        assert_eq!(
            NodeOrder::read(&topology, &named).unwrap().nodes(),
            order.nodes()
        );
        let lists = Text::new("o.txt", "n[03-01]\n");
        assert!(NodeOrder::read(&topology, &lists).is_err());
        let lists = Text::new("o.txt", "n[04-05,00],n09 # and\n1\n");
        assert_eq!(
            NodeOrder::read(&topology, &lists).unwrap().nodes(),
            [4, 5, 0, 9, 1].map(NodeId)
        );
    }

    #[test]
    fn adapters_in_the_order_of_opensm_are_an_ordering() {
        // As osm_ucast_ftree.c prints, "0x%04x\t%s\n" and "0xFFFF\tDUMMY\n": two leaf switches of three places, a node of
        // two rails.
        let dump = "0x0004\tn2 HCA-1\n0x0011\tn0 HCA-1\n0xFFFF\tDUMMY\n0x0002\tn3 mlx5_0\n0x000a\tn1\n0x0005\tn2 HCA-2\n";
        let topology = Topology::inline("xgft:h=2,m=2x2,w=1x1", &Context::default()).unwrap();
        let order = NodeOrder::read(&topology, &Text::new("ca", dump)).unwrap();
        assert_eq!(order.nodes(), [2, 0, 3, 1].map(NodeId));
        assert!(order.notes()[0].starts_with("2 lines of ca are left out"));
        let error = NodeOrder::read(&topology, &Text::new("ca", "0x0004\tlogin HCA-1\n"));
        assert!(
            error
                .unwrap_err()
                .to_string()
                .starts_with("ca:1: found `login`")
        );
    }

    #[test]
    fn bad_ids_are_refused_with_their_line() {
        let topology = Topology::inline("torus:4x4,limit=10", &Context::default()).unwrap();
        for (text, expected) in [
            ("1\n2\n1\n", "o:3: found node 1 (n01) again"),
            (
                "1\n16\n",
                "o:2: found node 16; expected a node id from 0 to 15",
            ),
            ("# c\n12\n", "o:2: found node 12 (n12), which limit"),
            ("1\n\nx\n", "o:3: found `x`"),
            ("-1\n", "o:1: found `-1`"),
            ("# nothing\n", "o: found no node ids"),
            (
                "# x\n# nodes: 3\n1\n2\n",
                "o:2: found 2 node ids under a header of 3; expected as many",
            ),
        ] {
            let error = NodeOrder::read(&topology, &Text::new("o", text))
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }
}
