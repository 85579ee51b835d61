//! Lines of `Key=value`: `topology.conf`, and the output of `scontrol show topology`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::host_list::expand;
use super::{ALL, Found, SiteUnit, at, check_sizes, remark_on_sizes};
use crate::topology::Context;
use crate::topology::site::SiteKind;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::{Line, Text};

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
        // scontrol prints `Nodes=` for a switch without any.
        let empty = value.is_empty() && !key.eq_ignore_ascii_case("nodes");
        if key.is_empty() || key.contains(char::is_whitespace) || empty || !ends {
            return Err(wrong(rest));
        }
        entries.push((key.to_ascii_lowercase(), value));
        rest = after.trim_start();
    }
    Ok(entries)
}

/// The lines without comments; one that ends in a backslash goes on with the next.
fn whole_lines(text: &Text) -> Vec<(usize, Cow<'_, str>)> {
    let mut lines: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let own = line.text.split('#').next().unwrap_or_default().trim();
        let (own, continued) = match own.strip_suffix('\\') {
            Some(own) => (own.trim_end(), true),
            None => (own, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, so_far)) => *so_far = format!("{so_far} {own}").into(),
            None if own.is_empty() && !continued => {}
            None => lines.push((line.number, own.into())),
        }
        goes_on = continued;
    }
    lines
}

/// Which keys a line may have, by its first.
const KEYS: [(&str, SiteKind, &[&str]); 5] = [
    (
        "switchname",
        SiteKind::Tree,
        &["switchname", "nodes", "switches", "linkspeed", "level"],
    ),
    (
        "blockname",
        SiteKind::Block,
        &["blockname", "nodes", "blockindex", "blocksize"],
    ),
    (
        "aggregatedblock",
        SiteKind::Block,
        &["aggregatedblock", "nodes", "blockindex", "blocksize"],
    ),
    ("blocksizes", SiteKind::Block, &["blocksizes"]),
    (
        "ringname",
        SiteKind::Ring,
        &["ringname", "nodes", "ringsize"],
    ),
];

/// Reads the lines of one topology. Errors: with the line: another line, key or value; lines of two kinds of
/// topologies; a torus, whose coordinates are not printed; a name again.
pub(super) fn read(text: &Text, context: &Context) -> Result<Found> {
    let mut reader = Reader::default();
    for (number, whole) in whole_lines(text) {
        let line = text.line_at(number, &whole);
        let entries = entries(&line)?;
        let head = entries.first().map_or("", |(key, _)| key.as_str());
        if ["torusname", "placementdims"].contains(&head) {
            let expected = "the output of `scontrol show topoconf`, which has the coordinates";
            return Err(line.wrong(format!("`{}`", line.text), expected));
        }
        if ["topologyparam", "nodename"].contains(&head) {
            reader.of_slurm_conf(&entries, &line, context)?;
            continue;
        }
        let Some((_, kind, allowed)) = KEYS.iter().find(|(key, ..)| *key == head) else {
            let expected = "a line SwitchName=…, BlockName=…, BlockSizes=… or RingName=…";
            return Err(line.wrong(format!("`{}`", line.text), expected));
        };
        for (i, (key, _)) in entries.iter().enumerate() {
            if !allowed.contains(&key.as_str()) {
                return Err(Error::unknown(
                    line.location(),
                    "key",
                    key,
                    allowed.iter().copied(),
                ));
            }
            if entries[..i].iter().any(|(other, _)| other == key) {
                return Err(line.wrong(format!("`{key}` twice"), "each key once"));
            }
        }
        let first = *reader.kind.get_or_insert((*kind, number));
        if first.0 != *kind {
            let found = format!(
                "`{}`, though line {} is of another kind",
                line.text, first.1
            );
            return Err(line.wrong(found, "a tree, blocks or rings"));
        }
        let value = |key: &str| {
            entries
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, value)| *value)
        };
        match head {
            "blocksizes" => reader.sizes(value(head).unwrap_or_default(), &line)?,
            "aggregatedblock" => {
                reader.printed_size(value("blocksize"), &line)?;
            }
            _ => reader.unit(head, &line, value, context)?,
        }
    }
    reader.finish(text)
}

#[derive(Default)]
struct Reader {
    /// The kind of topology and the line that shows it.
    kind: Option<(SiteKind, usize)>,
    units: Vec<SiteUnit>,
    nodes: usize,
    /// Block sizes as a file has them, and the line.
    sizes: (Vec<u64>, usize),
    /// Block sizes as scontrol prints them, line by line.
    printed: Vec<u64>,
    /// The first line with Level=.
    level: Option<usize>,
    /// `TopologyParam`, and the weights of nodes.
    param: String,
    weights: BTreeMap<String, u32>,
    remarks: Vec<String>,
}

impl Reader {
    /// Lines of slurm.conf that change choices: `TopologyParam=…`, `NodeName=… Weight=…`.
    fn of_slurm_conf(
        &mut self,
        entries: &[(String, &str)],
        line: &Line<'_>,
        context: &Context,
    ) -> Result<()> {
        let value = |key: &str| {
            entries
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, value)| *value)
        };
        if let Some(param) = value("topologyparam") {
            if !self.param.is_empty() {
                let what = "TopologyParam= again: Slurm takes the last one";
                self.remarks.push(format!("{}: {what}", line.location()));
            }
            self.param = param.to_string();
            return Ok(());
        }
        let (list, weight) = (value("nodename").unwrap_or_default(), value("weight"));
        let Some(weight) = weight.and_then(|text| text.parse().ok()) else {
            let expected = "NodeName=LIST Weight=N; a weight from 0 to 4294967295";
            return Err(line.wrong(format!("`{}`", line.text), expected));
        };
        let nodes = expand(list, line, self.weights.len(), context)?;
        self.weights
            .extend(nodes.into_iter().map(|node| (node, weight)));
        Ok(())
    }

    fn unit<'v>(
        &mut self,
        head: &str,
        line: &Line<'_>,
        value: impl Fn(&str) -> Option<&'v str>,
        context: &Context,
    ) -> Result<()> {
        let name = value(head).unwrap_or_default();
        let printed = value("level").is_some();
        if printed {
            self.level.get_or_insert(line.number);
        }
        if let Some(size) = value("blocksize") {
            self.printed_size(Some(size), line)?;
        }
        let list = value("nodes").filter(|list| !list.is_empty() && *list != "(null)");
        let below = value("switches");
        if list.is_some() && below.is_some() && !printed {
            let expected =
                "one of Nodes=… and Switches=…; only scontrol, which adds Level=, prints both";
            return Err(line.wrong(format!("`{}`", line.text), expected));
        }
        let (number, speed) = (line.number, value("linkspeed"));
        // `LinkSpeed`: any unit; scontrol prints 0 or 1 where the file has none.
        let whole = "a whole number from 0 to 4294967295";
        let speed_of = |text: &str| {
            text.parse()
                .map_err(|_| line.wrong(format!("LinkSpeed={text}"), whole))
        };
        let speed = speed
            .map(speed_of)
            .transpose()?
            .filter(|speed: &u32| *speed > 0);
        let mut unit = SiteUnit {
            name: name.into(),
            nodes: vec![],
            children: vec![],
            line: number,
            speed,
        };
        match (list, below) {
            (_, Some(below)) => unit.children = expand(below, line, self.units.len() + 1, context)?,
            (Some(list), None) if list.eq_ignore_ascii_case("ALL") => {
                self.remarks.push(format!("{}: {ALL}", line.location()));
            }
            (Some(list), None) => unit.nodes = expand(list, line, self.nodes, context)?,
            (None, None) => {}
        }
        self.nodes += unit.nodes.len();
        self.units.push(unit);
        Ok(())
    }

    fn sizes(&mut self, list: &str, line: &Line<'_>) -> Result<()> {
        let wrong = || {
            let expected = "ascending multiples of the first size, from 1 to 18446744073709551615, as in BlockSizes=18,36";
            line.wrong(format!("BlockSizes={list}"), expected)
        };
        if !self.sizes.0.is_empty() {
            return Err(line.wrong("BlockSizes again", "it once"));
        }
        let sizes: Option<Vec<u64>> = list.split(',').map(|part| part.parse().ok()).collect();
        let sizes = sizes.filter(|sizes| sizes.first() != Some(&0) && check_sizes(sizes));
        self.sizes = (sizes.ok_or_else(wrong)?, line.number);
        Ok(())
    }

    /// The size of a block or an aggregate as scontrol prints it.
    fn printed_size(&mut self, size: Option<&str>, line: &Line<'_>) -> Result<()> {
        let text = size.unwrap_or_default();
        let Some(size) = text.parse::<u64>().ok().filter(|size| *size > 0) else {
            return Err(line.wrong(format!("BlockSize={text}"), "a whole number above 0"));
        };
        self.printed.push(size);
        Ok(())
    }

    fn finish(mut self, text: &Text) -> Result<Found> {
        if let Some(line) = self.level {
            let what = "Level= is what scontrol prints: Slurm stops at it in a topology.conf";
            self.remarks.push(format!("{}: {what}", at(text, line)));
        }
        if self.sizes.0.is_empty() && !self.printed.is_empty() {
            self.printed.sort_unstable();
            self.printed.dedup();
            self.sizes = (self.printed, 1);
            if !check_sizes(&self.sizes.0) {
                let found = format!("block sizes {:?}", self.sizes.0);
                return Err(Error::input(
                    text.location(),
                    found,
                    "multiples of the smallest",
                ));
            }
        }
        let (sizes, line) = &self.sizes;
        self.remarks.extend(
            sizes
                .first()
                .and_then(|_| remark_on_sizes(text, *line, sizes)),
        );
        let kind = self.kind.map_or(SiteKind::Tree, |(kind, _)| kind);
        let (name, toruses) = ("default".to_string(), Vec::new());
        let Reader {
            units,
            sizes,
            param,
            weights,
            remarks,
            ..
        } = self;
        Ok(Found {
            kind,
            name,
            units,
            sizes,
            toruses,
            param,
            weights,
            remarks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{check_refused, error, machine, names};
    use crate::topology::testing::{check_links, check_metric};
    use nodeorder_base::ids::NodeId;

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
        let at = |name: &str| {
            tree.nodes()
                .iter()
                .find(|n| tree.node_name(*n) == name)
                .unwrap()
        };
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
        let distances: Vec<u32> = (0..10)
            .step_by(2)
            .map(|n| blocks.distance(NodeId(0), NodeId(n)))
            .collect();
        assert_eq!(distances, [0, 2, 4, 4, 4]);
        let plain = machine("slurm-topology", &text.replace("BlockSizes=2,4\n", "")).unwrap();
        assert_eq!(plain.statistics().unwrap().diameter, 2);
        let one = machine("slurm-topology", "BlockName=b Nodes=n[1-4]\nBlockSizes=4\n").unwrap();
        assert_eq!(
            (one.statistics().unwrap().routers, one.node_count()),
            (1, 4)
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let with = |more: &str| error("slurm-topology", &format!("{TREE}{more}\n"));
        for (more, message) in [
            (
                "SwitchName=s0 Nodes=a",
                ":5: found `s0` again (line 2 has it)",
            ),
            (
                "SwitchName=s5 Nodes=nid003",
                ":5: found node `nid003` again (line 2 has it)",
            ),
            (
                "SwitchName=s5 Switches=s[8-9]",
                ":5: found switch `s8`, which no line describes",
            ),
            (
                "SwitchName=s5 Nodes=n[1-",
                ":5: found `n[1-`; expected a host list",
            ),
            (
                "SwitchName=s5 Nodes=a Switches=s0",
                ":5: found `SwitchName=s5 Nodes=a Switches=s0`",
            ),
            ("SwitchName=s5 Node=a", ":5: found unknown key `node`"),
            ("SwitchName=s5 Nodes=a Nodes=b", ":5: found `nodes` twice"),
            (
                "SwitchName=s5 Nodes",
                ":5: found `Nodes`; expected Key=value",
            ),
            (
                "NodeName=a",
                ":5: found `NodeName=a`; expected NodeName=LIST Weight=N",
            ),
            (
                "NodeAddr=a",
                ":5: found `NodeAddr=a`; expected a line SwitchName",
            ),
            (
                "SwitchName=top2 Switches=s0,top\nSwitchName=s5 Switches=top2\nSwitchName=s6 Switches=s5,s7\nSwitchName=s7 Switches=s6x",
                ":8: found switch `s6x`",
            ),
            (
                "SwitchName=s5 Nodes=nid004,\\\nnid003",
                ":5: found `nid003`; expected Key=value",
            ),
            ("SwitchName=s5 Nodes=nid004,\\\n# no\nnid[", ":5: found"),
            (
                "SwitchName=s5 Switches=s6\nSwitchName=s6 Switches=s7\nSwitchName=s7 Switches=s5",
                ":5: found switch `s5` below itself, in a loop",
            ),
            (
                "RingName=r Nodes=x",
                ":5: found `RingName=r Nodes=x`, though line 2 is of another kind",
            ),
            (
                "TorusName=t Dims=2x2x2 Nodes=n[1-8]",
                ":5: found `TorusName=t Dims=2x2x2 Nodes=n[1-8]`; expected the output of `scontrol show topoconf`",
            ),
            ("SwitchName=s5 Level=", ":5: found `Level=`"),
            ("SwitchName=s5 Switches=s5,s0", ":5: found `s5` below `s5`"),
            (
                "BlockName=b Nodes=x",
                ":5: found `BlockName=b Nodes=x`, though line 2",
            ),
        ] {
            let error = with(more);
            assert!(error.starts_with(message), "{more}: {error}");
        }
        check_refused(
            "slurm-topology",
            &[
                ("# nothing\n", ": found no nodes"),
                (
                    "BlockName=b Nodes=n\nBlockSizes=2,3\n",
                    ":2: found BlockSizes=2,3; expected ascending",
                ),
                (
                    "BlockName=b Nodes=n\nBlockSizes=x\n",
                    ":2: found BlockSizes=x",
                ),
                (
                    "BlockName=b Nodes=n\nBlockSizes=8,4\n",
                    ":2: found BlockSizes=8,4; expected ascending",
                ),
                (
                    "BlockName=b Nodes=n BlockSize=0\n",
                    ":1: found BlockSize=0; expected a whole number",
                ),
                (
                    "BlockName=b Nodes=n[1-2]\nBlockName=c Nodes=n[2-3]\n",
                    ":2: found node `n2` again (line 1",
                ),
                (
                    "RingName=a Nodes=n1\nRingName=b Nodes=n1\n",
                    ":2: found node `n1` again (line 1",
                ),
                (
                    "RingName=a Nodes=n1\nRingName=a Nodes=n2\n",
                    ":2: found `a` again (line 1",
                ),
                ("SwitchName=a\n", ": found no nodes"),
                (
                    "BlockName=b Nodes=n\nBlockSizes=2\nBlockSizes=2\n",
                    ":3: found BlockSizes again",
                ),
            ],
        );
    }

    fn levels(machine: &crate::topology::Topology) -> Vec<(String, u64, u64)> {
        let rows = machine.level_table().into_iter();
        rows.map(|l| (l.name.into_owned(), l.units, l.nodes))
            .collect()
    }

    #[test]
    fn a_forest_has_components_and_levels_gather_units() {
        // The leaves of both trees alternate; a continued line; an empty leaf; root first and last.
        let text = "SwitchName=r1 Switches=a,c,e\nSwitchName=a Nodes=n[1-2],\\\n  n9\nSwitchName=b Nodes=n3\n\
                    SwitchName=c Nodes=n4 # leaf\nSwitchName=d Nodes=n[5-6]\nSwitchName=e\nSwitchName=r2 Switches=b,d\n";
        let error = machine("slurm-topology", text).unwrap_err().to_string();
        assert!(
            error.contains(":2: found `n9`; expected Key=value"),
            "{error}"
        );
        let forest = machine(
            "slurm-topology",
            &text.replace(",\\\n  n9", "\\\n LinkSpeed=1"),
        )
        .unwrap();
        check_links(&forest);
        assert_eq!(names(&forest), "n1 n2 n4 n3 n5 n6");
        assert_eq!(forest.components(), 2);
        assert_eq!(
            levels(&forest),
            [("level1".into(), 2, 3), ("leaf".into(), 4, 2)]
        );
        let s = forest.statistics().unwrap();
        assert_eq!(
            (s.unreachable_pairs, s.total_distance, s.diameter),
            (9, 2 * 2 + 2 * 2, 2)
        );
        let levels = forest.network().levels();
        let called = |level: usize| -> Vec<String> {
            (0..levels[level].units(4))
                .map(|unit| levels[level].unit_name(unit))
                .collect()
        };
        assert_eq!(
            (called(0), called(1)),
            (
                vec!["r1".into(), "r2".into()],
                ["a", "c", "b", "d"].map(String::from).to_vec()
            )
        );
    }

    #[test]
    fn what_scontrol_prints_is_read() {
        let tree = "SwitchName=m0 Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=l0,l1\n\
                    SwitchName=l0 Level=0 LinkSpeed=1 Nodes=n[1-2]\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=n[3-4]\n\
                    SwitchName=l2 Level=0 LinkSpeed=0 Nodes=\n";
        let tree = machine("slurm-topology", tree).unwrap();
        assert_eq!(
            (names(&tree).as_str(), tree.statistics().unwrap().diameter),
            ("n1 n2 n3 n4", 2)
        );
        assert!(
            tree.network().remarks()[0].ends_with(
                ":1: Level= is what scontrol prints: Slurm stops at it in a topology.conf"
            )
        );
        let blocks = "BlockName=b0 BlockIndex=0 Nodes=n[1-2] BlockSize=2\nBlockName=b1 BlockIndex=1 BlockSize=2\n\
                      BlockName=b2 BlockIndex=2 Nodes=n[5-6] BlockSize=2\nBlockName=b3 BlockIndex=3 Nodes=n7 BlockSize=2\n\
                      AggregatedBlock=b[2-3] BlockIndex=5 Nodes=n[5-7] BlockSize=4\nAggregatedBlock=b[0-1] BlockIndex=4 Nodes=n[1-2] BlockSize=4\n";
        let blocks = machine("slurm-topology", blocks).unwrap();
        assert_eq!(
            levels(&blocks),
            [("aggregate4".into(), 2, 3), ("block".into(), 3, 2)]
        );
        let site = blocks.network().site().unwrap();
        assert_eq!((site.sizes.as_slice(), site.lines.len()), (&[2, 4][..], 4));
    }

    #[test]
    fn rings_blocks_with_gaps_and_odd_sizes() {
        let rings = "RingName=r0 Nodes=n[3,1,2,4,5]\nRingName=r1 Nodes=n[8-9]\n";
        let rings = machine("slurm-topology", rings).unwrap();
        check_links(&rings);
        assert_eq!(
            (names(&rings).as_str(), rings.components()),
            ("n3 n1 n2 n4 n5 n8 n9", 2)
        );
        assert_eq!(rings.distance(NodeId(0), NodeId(4)), 1);
        assert_eq!(levels(&rings), [("ring".into(), 2, 5)]);
        let long = machine("slurm-topology", "RingName=r Nodes=n[1-17]\n").unwrap();
        assert!(
            long.network().remarks()[0]
                .ends_with(":1: ring r has 17 nodes: Slurm stops at more than 16")
        );
        // An empty block counts as a line: b3 and b4 are the second pair.
        let text = "BlockName=b1 Nodes=n[1-2]\nBlockName=b2\nBlockName=b3 Nodes=n[3-4]\nBlockName=b4 Nodes=n[5-6]\nBlockSizes=2,6\n";
        let blocks = machine("slurm-topology", &text.replace("2,6", "2,4")).unwrap();
        let d = |b: u32| blocks.distance(NodeId(0), NodeId(b));
        assert_eq!([d(2), d(4)], [4, 4]);
        assert_eq!(blocks.distance(NodeId(2), NodeId(4)), 2);
        let odd = machine("slurm-topology", text).unwrap();
        assert!(
            odd.network().remarks()[0].contains(":5: block size 6 is not 2 times a power of two")
        );
        let all = machine(
            "slurm-topology",
            "SwitchName=a Nodes=ALL\nSwitchName=b Nodes=n1\n",
        )
        .unwrap();
        assert_eq!(names(&all), "n1");
        assert!(all.network().remarks()[0].contains("ALL is no wildcard"));
    }

    #[test]
    fn a_child_of_two_parents_belongs_to_the_last() {
        let text = "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=s Switches=a,b\nSwitchName=t Switches=b\n";
        let tree = machine("slurm-topology", text).unwrap();
        check_metric(&tree);
        assert_eq!(levels(&tree)[0], ("level1".into(), 2, 1));
    }
}
