//! Slurm's `topology.conf`: trees of switches, and blocks.

use std::collections::BTreeMap;
use std::path::Path;

use super::host_list::expand;
use super::{Switch, Wiring, path};
use crate::error::{Error, Result, SourceLocation};
use crate::input::{Line, Text};
use crate::params::{Opt, Params};
use crate::topology::{Context, Network, TopologyEntry};

/// `slurm-topology:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "slurm-topology",
    about: "the cluster of a Slurm topology.conf (topology/tree or topology/block), names kept",
    example: "slurm-topology:topology.conf",
    options: &[Opt::file("file", "a topology.conf").positional()],
    build,
};

/// topology/tree: a switch a `SwitchName` line, a link to each of its `Switches`; `LinkSpeed` is passed over,
/// as Slurm does. topology/block: a switch a `BlockName` line; a further switch above each group of blocks
/// that the second and later `BlockSizes` name, and one above all.
///
/// # Errors
/// With the line: another line, a host list that is none, a switch or node named twice, a switch that no line
/// describes, sizes that are no multiples of the first; a network in several parts.
///
/// # References
/// topology.conf(5) of Slurm 26.05.
fn build(params: &Params, context: &Context) -> Result<Box<dyn Network>> {
    let path = path(params, "a topology.conf, as in slurm-topology:topology.conf")?;
    let wiring = read(&Text::read(&path, context.memory)?, &path, context)?;
    wiring.network(FAMILY.name, &path, params, context)
}

/// One line's keys (in lower case) and values; a value may stand in quotes, and then hold blanks.
fn entries<'l>(line: &Line<'l>) -> Result<Vec<(String, &'l str)>> {
    let wrong = |word: &str| {
        let word = word.split_whitespace().next().unwrap_or_default();
        Error::input(line.location(), format!("`{word}`"), "Key=value")
    };
    let (mut entries, mut rest) = (Vec::new(), line.text.trim_start());
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=').ok_or_else(|| wrong(rest))?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(|| wrong(rest))?,
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        let ends = after.is_empty() || after.starts_with(char::is_whitespace);
        if key.is_empty() || key.contains(char::is_whitespace) || value.is_empty() || !ends {
            return Err(wrong(rest));
        }
        entries.push((key.to_ascii_lowercase(), value));
        rest = after.trim_start();
    }
    Ok(entries)
}

fn read(text: &Text, path: &Path, context: &Context) -> Result<Wiring> {
    let mut reader = Reader::default();
    for line in text.data_lines() {
        let entries = entries(&line)?;
        let head = entries.first().map_or("", |(key, _)| key.as_str());
        let allowed: &[&str] = match head {
            "switchname" => &["switchname", "nodes", "switches", "linkspeed"],
            "blockname" => &["blockname", "nodes"],
            "blocksizes" => &["blocksizes"],
            _ => {
                let expected = "a line SwitchName=…, BlockName=… or BlockSizes=…";
                return Err(Error::input(line.location(), format!("`{}`", line.text), expected));
            }
        };
        for (i, (key, _)) in entries.iter().enumerate() {
            if !allowed.contains(&key.as_str()) {
                return Err(Error::unknown(line.location(), "key", key, allowed.iter().copied()));
            }
            if entries[..i].iter().any(|(other, _)| other == key) {
                return Err(Error::input(
                    line.location(),
                    format!("`{key}` twice"),
                    "each key once",
                ));
            }
        }
        let value = |key: &str| entries.iter().find(|(k, _)| k == key).map(|(_, value)| *value);
        match head {
            "blocksizes" => reader.sizes(value(head).unwrap_or_default(), &line)?,
            _ => reader.unit(head == "blockname", &line, value, context)?,
        }
    }
    if reader.blocks && !reader.children.is_empty() {
        let location = SourceLocation::File(path.display().to_string().into());
        return Err(Error::input(location, "switches and blocks", "a tree or blocks"));
    }
    if reader.blocks { reader.block_tree() } else { reader.tree(text.name()) }
}

#[derive(Default)]
struct Reader {
    wiring: Wiring,
    /// Switch by name.
    known: BTreeMap<String, usize>,
    /// The line that has a node.
    nodes: BTreeMap<String, usize>,
    /// The switches below a switch, with the line that says so.
    children: Vec<(usize, String, usize)>,
    blocks: bool,
    sizes: Vec<usize>,
}

impl Reader {
    /// A line of a switch or a block.
    fn unit<'v>(
        &mut self,
        block: bool,
        line: &Line<'_>,
        value: impl Fn(&str) -> Option<&'v str>,
        context: &Context,
    ) -> Result<()> {
        let wrong = |found: String, expected: &str| Error::input(line.location(), found, expected);
        let name = value(if block { "blockname" } else { "switchname" }).unwrap_or_default();
        let index = self.wiring.switches.len();
        if let Some(other) = self.known.insert(name.to_string(), index) {
            let other = self.wiring.switches[other].line;
            return Err(wrong(format!("`{name}` again (line {other} has it)"), "each name once"));
        }
        self.blocks |= block;
        let mut nodes = Vec::new();
        match (value("nodes"), value("switches")) {
            (Some(list), None) => nodes = expand(list, line, self.nodes.len(), context)?,
            (None, Some(list)) => {
                let below = expand(list, line, self.children.len(), context)?;
                self.children.extend(below.into_iter().map(|child| (index, child, line.number)));
            }
            _ => {
                let expected =
                    if block { "Nodes=…" } else { "one of Nodes=… and Switches=…" };
                return Err(wrong(format!("`{}`", line.text), expected));
            }
        }
        for node in &nodes {
            if let Some(other) = self.nodes.insert(node.clone(), line.number) {
                let found = format!("node `{node}` again (line {other} has it)");
                return Err(wrong(found, "each node once"));
            }
        }
        self.wiring.switches.push(Switch { name: name.into(), nodes, line: line.number });
        Ok(())
    }

    fn sizes(&mut self, list: &str, line: &Line<'_>) -> Result<()> {
        let wrong = || {
            let expected = "ascending multiples of the first size, from 1 to 18446744073709551615, as in BlockSizes=18,36";
            Error::input(line.location(), format!("BlockSizes={list}"), expected)
        };
        if !self.sizes.is_empty() {
            return Err(Error::input(line.location(), "BlockSizes again", "it once"));
        }
        for part in list.split(',') {
            let size: usize = part.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?;
            let multiple = self.sizes.first().is_none_or(|first| size.is_multiple_of(*first));
            if !multiple || self.sizes.last().is_some_and(|last| *last >= size) {
                return Err(wrong());
            }
            self.sizes.push(size);
        }
        Ok(())
    }

    fn tree(mut self, file: &str) -> Result<Wiring> {
        for (parent, child, line) in &self.children {
            let location = || SourceLocation::line(file, *line);
            let Some(below) = self.known.get(child) else {
                let found = format!("switch `{child}`, which no line describes");
                return Err(Error::input(location(), found, "a line SwitchName=… for each switch"));
            };
            let pair = (*parent.min(below), *parent.max(below));
            if below == parent || self.wiring.links.contains_key(&pair) {
                let found = format!("`{child}` below `{}`", self.wiring.switches[*parent].name);
                return Err(Error::input(location(), found, "each switch below others, once"));
            }
            self.wiring.join(*parent, *below, 1.0);
        }
        Ok(self.wiring)
    }

    /// Groups of blocks, each with a switch above it, then one above all.
    fn block_tree(mut self) -> Result<Wiring> {
        let line = self.wiring.switches.first().map_or(1, |s| s.line);
        let base = self.sizes.first().copied().unwrap_or(1);
        let mut below: Vec<usize> = (0..self.wiring.switches.len()).collect();
        let mut reach = 1;
        // The last group is that of all blocks.
        for size in self.sizes.iter().skip(1).map(|size| size / base).chain([usize::MAX]) {
            if below.len() == 1 {
                break;
            }
            let mut above = Vec::new();
            for group in below.chunks((size / reach).max(1)) {
                let index = self.wiring.switches.len();
                let name = format!("above {}", self.wiring.switches[group[0]].name);
                self.wiring.switches.push(Switch { name, nodes: Vec::new(), line });
                group.iter().for_each(|block| self.wiring.join(*block, index, 1.0));
                above.push(index);
            }
            (below, reach) = (above, size);
        }
        Ok(self.wiring)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error, machine, names};
    use crate::ids::NodeId;
    use crate::topology::testing::{check_links, check_metric};

    const TREE: &str = "# two leaves\nSwitchName=s0 Nodes=nid[001-003]\nSWITCHNAME=s1 nodes=login1,nid010 LinkSpeed=100\n\
                        SwitchName=top Switches=s[0-1]\n";

    #[test]
    fn a_tree_keeps_names_and_leaves() {
        let tree = machine("slurm-topology", TREE).unwrap();
        check_links(&tree);
        check_metric(&tree);
        let s = tree.statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.links, s.diameter), (5, 3, 2, 2));
        assert_eq!(names(&tree), "nid001 nid002 nid003 login1 nid010");
        let at = |name: &str| tree.nodes().iter().find(|n| tree.node_name(*n) == name).unwrap();
        assert_eq!(tree.distance(at("nid001"), at("nid003")), 0);
        assert_eq!(tree.distance(at("nid001"), at("nid010")), 2);
        // The second leaf has a slot without a node.
        assert!(!tree.nodes().contains(NodeId(5)) && tree.nodes().slot_count() == 6);
    }

    /// 5 blocks of base size 2: pairs of blocks, then all.
    #[test]
    fn blocks_are_grouped_by_their_sizes() {
        let text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockName=b3 Nodes=n[5-6]\n\
                    BlockName=b4 Nodes=n[7-8]\nBlockName=b5 Nodes=n[9-10]\nBlockSizes=2,4\n";
        let blocks = machine("slurm-topology", text).unwrap();
        check_links(&blocks);
        let s = blocks.statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.links), (10, 5 + 3 + 1, 5 + 3));
        let distances: Vec<u32> =
            (0..10).step_by(2).map(|n| blocks.distance(NodeId(0), NodeId(n))).collect();
        assert_eq!(distances, [0, 2, 4, 4, 4]);
        let plain = machine("slurm-topology", &text.replace("BlockSizes=2,4\n", "")).unwrap();
        assert_eq!(plain.statistics().unwrap().diameter, 2);
        let one = machine("slurm-topology", "BlockName=b Nodes=n[1-4]\nBlockSizes=4\n").unwrap();
        assert_eq!((one.statistics().unwrap().routers, one.node_count()), (1, 4));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let with = |more: &str| error("slurm-topology", &format!("{TREE}{more}\n"));
        for (more, message) in [
            ("SwitchName=s0 Nodes=a", ":5: found `s0` again (line 2 has it)"),
            ("SwitchName=s5 Nodes=nid003", ":5: found node `nid003` again (line 2 has it)"),
            ("SwitchName=s5 Switches=s[8-9]", ":5: found switch `s8`, which no line describes"),
            ("SwitchName=s5 Nodes=n[1-", ":5: found `n[1-`; expected a host list"),
            ("SwitchName=s5", ":5: found `SwitchName=s5`; expected one of Nodes"),
            ("SwitchName=s5 Nodes=a Switches=s0", ":5: found `SwitchName=s5 Nodes=a Switches=s0`"),
            ("SwitchName=s5 Node=a", ":5: found unknown key `node`"),
            ("SwitchName=s5 Nodes=a Nodes=b", ":5: found `nodes` twice"),
            ("SwitchName=s5 Nodes", ":5: found `Nodes`; expected Key=value"),
            ("NodeName=a", ":5: found `NodeName=a`; expected a line SwitchName"),
            ("SwitchName=s5 Nodes=a", ":5: found switch `s5`, which no path joins to `s0`"),
            ("SwitchName=s5 Switches=s5,s0", ":5: found `s5` below `s5`"),
            ("BlockName=b Nodes=x", ": found switches and blocks"),
        ] {
            let error = with(more);
            assert!(error.starts_with(message), "{more}: {error}");
        }
        for (text, message) in [
            ("# nothing\n", ": found no nodes"),
            (
                "BlockName=b Nodes=n\nBlockSizes=2,3\n",
                ":2: found BlockSizes=2,3; expected ascending",
            ),
            ("BlockName=b Nodes=n\nBlockSizes=x\n", ":2: found BlockSizes=x"),
            ("BlockName=b Nodes=n\nBlockSizes=2\nBlockSizes=2\n", ":3: found BlockSizes again"),
        ] {
            let error = error("slurm-topology", text);
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
