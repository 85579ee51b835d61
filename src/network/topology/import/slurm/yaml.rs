//! `topology.yaml`, and the output of `scontrol show topoconf`.

use std::collections::BTreeMap;

use super::super::document::{self, Node};
use super::super::host_list::expand;
use super::{ALL, Found, SiteUnit, at, check_sizes, remark_on_sizes};
use crate::topology::site::{SiteKind, SitePlacement, SiteTorus};
use crate::topology::{Context, MAX_NODES};
use nodeorder_base::error::Result;
use nodeorder_base::input::Text;

/// Whether a text is YAML rather than lines of `Key=value`: its first word ends in a colon, or begins a list, a
/// document or a directive.
pub(super) fn is_yaml(text: &Text) -> bool {
    let mut words = text
        .data_lines()
        .filter_map(|line| line.text.split_whitespace().next());
    words.next().is_some_and(|word| {
        word.starts_with(['-', '%', '{', '[']) || word.ends_with(':') || !word.contains('=')
    })
}

const KINDS: [(&str, SiteKind); 5] = [
    ("tree", SiteKind::Tree),
    ("block", SiteKind::Block),
    ("flat", SiteKind::Flat),
    ("ring", SiteKind::Ring),
    ("torus3d", SiteKind::Torus),
];

const EXPECTED: &str = "one of tree, block, flat, ring and torus3d";

/// The topology called `wanted`, else the cluster's default, else the first. Where `must` does not hold, another
/// name means none. Errors: with the line: no YAML, no list of topologies, no topology of that name; none or two of its
/// types; what a type does not have.
pub(super) fn read(
    text: &Text,
    wanted: Option<&str>,
    must: bool,
    context: &Context,
) -> Result<Found> {
    let document = document::read(text)?;
    let Some(topologies) = document.items() else {
        let expected = "a list of topologies, `- topology: NAME`: Slurm takes anything else for a flat network, silently";
        return Err(document.wrong(document.describe(), expected));
    };
    let mut named = Vec::new();
    for topology in topologies {
        named.push((topology.word("topology")?, topology));
    }
    let first = named
        .first()
        .ok_or_else(|| document.wrong("an empty list", "a topology"))?;
    let default = |topology: &Node| {
        let value = topology
            .get("cluster_default")
            .and_then(Node::text)
            .unwrap_or_default();
        ["true", "yes", "on"].contains(&value.to_ascii_lowercase().as_str())
    };
    let by_name = wanted.and_then(|name| named.iter().find(|(other, _)| *other == name));
    let chosen = match (by_name, wanted) {
        (None, Some(name)) if must => {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            let found = format!("no topology called `{name}`");
            return Err(document.wrong(found, format!("one of {}", names.join(", "))));
        }
        (found, _) => found
            .or(named.iter().find(|(_, t)| default(t)))
            .unwrap_or(first),
    };
    let mut reader = Reader {
        text,
        context,
        remarks: Vec::new(),
        nodes: 0,
    };
    let defaults = named.iter().filter(|(_, t)| default(t)).count();
    if defaults != 1 {
        let what = "Slurm then takes the first topology";
        reader.remarks.push(format!(
            "{}: {defaults} topologies with cluster_default: {what}",
            text.name()
        ));
    }
    reader.topology(chosen.0, chosen.1)
}

struct Reader<'t> {
    text: &'t Text,
    context: &'t Context,
    remarks: Vec<String>,
    nodes: usize,
}

impl Reader<'_> {
    fn topology(mut self, name: &str, topology: &Node) -> Result<Found> {
        let used = |node: &Node| match node.text() {
            Some(text) => text.eq_ignore_ascii_case("true"),
            None => !node.entries().is_empty(),
        };
        let mut types = Vec::new();
        for (key, value) in topology.entries() {
            let kind = KINDS.iter().find(|(name, _)| name == key);
            if kind.is_none() && !["topology", "cluster_default"].contains(&key.as_str()) {
                self.remarks.push(format!(
                    "{}: `{key}` is no key that Slurm has: passed over",
                    at(self.text, value.line)
                ));
            }
            types.extend(
                kind.filter(|_| used(value))
                    .map(|(name, kind)| (*name, *kind, value)),
            );
        }
        let (kind, value) = match types.as_slice() {
            [(_, kind, value)] => (*kind, *value),
            [] => {
                let found = format!("topology `{name}` without nodes of any type");
                return Err(topology.wrong(found, EXPECTED));
            }
            [(a, ..), (b, ..), ..] => {
                let found = format!("topology `{name}` with {a} and {b}");
                return Err(topology.wrong(found, EXPECTED));
            }
        };
        let (mut sizes, mut toruses, mut units) =
            ((Vec::new(), value.line), Vec::new(), Vec::new());
        match kind {
            SiteKind::Tree => units = self.units(value, "switches", "switch")?,
            SiteKind::Ring => units = self.units(value, "rings", "ring")?,
            SiteKind::Block => {
                sizes = self.sizes(value)?;
                units = self.units(value, "blocks", "block")?;
            }
            SiteKind::Torus => {
                for torus in value.list("toruses")? {
                    toruses.push(self.torus(torus)?);
                }
            }
            SiteKind::Flat => {}
        }
        let (param, weights, remarks) = (String::new(), BTreeMap::new(), self.remarks);
        Ok(Found {
            kind,
            name: name.into(),
            units,
            sizes,
            toruses,
            param,
            weights,
            remarks,
        })
    }

    fn units(&mut self, of: &Node, list: &str, key: &str) -> Result<Vec<SiteUnit>> {
        let mut units: Vec<SiteUnit> = Vec::new();
        for entry in of.list(list)? {
            let name = entry.word(key)?.to_string();
            let children = self.hosts(entry, "children", false)?;
            let nodes = self.hosts(entry, "nodes", true)?;
            if !children.is_empty() && !nodes.is_empty() {
                let found = format!("{key} `{name}` with nodes and children");
                return Err(entry.wrong(found, "one of the two"));
            }
            let known = [key, "children", "nodes"];
            for (other, value) in entry
                .entries()
                .iter()
                .filter(|(k, _)| !known.contains(&k.as_str()))
            {
                self.remarks.push(format!(
                    "{}: `{other}` is passed over",
                    at(self.text, value.line)
                ));
            }
            units.push(SiteUnit {
                name,
                nodes,
                children,
                line: entry.line,
                speed: None,
            });
        }
        Ok(units)
    }

    /// The host list under a key; empty where there is no such key.
    fn hosts(&mut self, entry: &Node, key: &str, nodes: bool) -> Result<Vec<String>> {
        let Some(value) = entry.get(key) else {
            return Ok(Vec::new());
        };
        let Some(list) = value.text() else {
            return Err(value.wrong(format!("{key}: {}", value.describe()), "a host list"));
        };
        if list.is_empty() || list == "~" || list == "null" {
            return Ok(Vec::new());
        }
        if nodes && list.eq_ignore_ascii_case("ALL") {
            self.remarks
                .push(format!("{}: {ALL}", at(self.text, value.line)));
            return Ok(Vec::new());
        }
        let names = expand(
            list,
            &self.text.line_at(value.line, list),
            self.nodes,
            self.context,
        )?;
        self.nodes += names.len();
        Ok(names)
    }

    fn sizes(&mut self, block: &Node) -> Result<(Vec<u64>, usize)> {
        let Some(value) = block.get("block_sizes") else {
            return Ok((Vec::new(), block.line));
        };
        let mut sizes = Vec::new();
        for item in value.items().unwrap_or(std::slice::from_ref(value)) {
            let size = item
                .text()
                .and_then(|text| text.parse::<u64>().ok())
                .filter(|n| *n > 0);
            let wrong = || {
                item.wrong(
                    format!("block size {}", item.describe()),
                    "a whole number above 0",
                )
            };
            sizes.push(size.ok_or_else(wrong)?);
        }
        if !sizes.is_empty() && !check_sizes(&sizes) {
            let expected = "ascending multiples of the first size, as in [18, 36]";
            return Err(value.wrong(format!("block_sizes {sizes:?}"), expected));
        }
        self.remarks.extend(
            sizes
                .first()
                .and_then(|_| remark_on_sizes(self.text, value.line, &sizes)),
        );
        Ok((sizes, value.line))
    }

    /// `{x, y, z}` under a key, each at least `low`.
    fn triple(&self, of: &Node, key: &str, low: u32) -> Result<Option<[u32; 3]>> {
        let Some(value) = of.get(key) else {
            return Ok(None);
        };
        let mut triple = [0; 3];
        for (slot, axis) in triple.iter_mut().zip(["x", "y", "z"]) {
            let found = value.get(axis).and_then(Node::text);
            let number = found
                .and_then(|t| t.parse::<u32>().ok())
                .filter(|n| *n >= low);
            *slot = number.ok_or_else(|| {
                let found = match value.get(axis) {
                    Some(other) => format!("{key}: {axis}: {}", other.describe()),
                    None => format!("{key} without {axis}"),
                };
                value.wrong(found, format!("x, y and z, whole numbers from {low}"))
            })?;
        }
        Ok(Some(triple))
    }

    fn torus(&mut self, torus: &Node) -> Result<SiteTorus> {
        let name = torus.word("name")?.to_string();
        let Some(dims) = self.triple(torus, "dims", 1)? else {
            return Err(torus.wrong(format!("torus `{name}` without dims"), "dims: {x, y, z}"));
        };
        let count = dims
            .iter()
            .map(|n| u64::from(*n))
            .try_fold(1u64, u64::checked_mul);
        let Some(count) = count.filter(|count| *count <= MAX_NODES) else {
            return Err(torus.wrong(format!("dims {dims:?}"), "at most 2147483648 cells"));
        };
        self.context.require(&format!("torus {name}"), count * 32)?;
        let mut cells: Vec<Option<String>> = vec![None; count as usize];
        let whole = self.hosts(torus, "nodes", true)?;
        let regions = torus
            .get("regions")
            .and_then(Node::items)
            .unwrap_or_default();
        if !whole.is_empty() && !regions.is_empty() {
            return Err(torus.wrong(
                format!("torus `{name}` with nodes and regions"),
                "one of the two",
            ));
        }
        if !whole.is_empty() {
            self.fill(torus, &mut cells, dims, ([0; 3], dims), whole)?;
        }
        for region in regions {
            let anchor = self.triple(region, "anchor", 0)?.unwrap_or_default();
            let Some(extent) = self.triple(region, "dims", 1)? else {
                let found = format!("a region of `{name}` without dims");
                return Err(region.wrong(found, "dims: {x, y, z}"));
            };
            let nodes = self.hosts(region, "nodes", true)?;
            self.fill(region, &mut cells, dims, (anchor, extent), nodes)?;
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(again) = cells.iter().flatten().find(|node| !seen.insert(*node)) {
            let found = format!("node `{again}` twice in torus `{name}`");
            return Err(torus.wrong(found, "each node once"));
        }
        let mut placements = Vec::new();
        for placement in torus
            .get("placements")
            .and_then(Node::items)
            .unwrap_or_default()
        {
            let Some(box_dims) = self.triple(placement, "dims", 1)? else {
                return Err(placement.wrong("a placement without dims", "dims: {x, y, z}"));
            };
            if box_dims.iter().zip(dims).any(|(n, all)| *n > all) {
                let found = format!("a placement of {box_dims:?} in a torus of {dims:?}");
                return Err(placement.wrong(found, "one that fits"));
            }
            let spacing = self.triple(placement, "anchor_spacing", 0)?;
            let seed = self.triple(placement, "anchor_seed", 0)?;
            placements.push(SitePlacement {
                dims: box_dims,
                spacing,
                seed,
            });
        }
        if placements.is_empty() {
            let line = at(self.text, torus.line);
            self.remarks.push(format!(
                "{line}: torus {name} has no placements: Slurm places no job in it"
            ));
        }
        Ok(SiteTorus {
            name,
            dims,
            cells,
            placements,
        })
    }

    /// Puts nodes into a box of cells, x fastest.
    fn fill(
        &self,
        at: &Node,
        cells: &mut [Option<String>],
        dims: [u32; 3],
        (anchor, extent): ([u32; 3], [u32; 3]),
        nodes: Vec<String>,
    ) -> Result<()> {
        let room: u64 = extent
            .iter()
            .map(|n| u64::from(*n))
            .fold(1, u64::saturating_mul);
        if room != nodes.len() as u64 {
            let found = format!("{} nodes for {room} cells", nodes.len());
            return Err(at.wrong(found, "a node for each cell"));
        }
        if (0..3).any(|i| u64::from(anchor[i]) + u64::from(extent[i]) > u64::from(dims[i])) {
            let found = format!("a region of {extent:?} at {anchor:?} in a torus of {dims:?}");
            return Err(at.wrong(found, "one inside the torus"));
        }
        let mut nodes = nodes.into_iter();
        for z in anchor[2]..anchor[2] + extent[2] {
            for y in anchor[1]..anchor[1] + extent[1] {
                for x in anchor[0]..anchor[0] + extent[0] {
                    let cell = &mut cells[(x + dims[0] * (y + dims[1] * z)) as usize];
                    if let Some(other) = cell.replace(nodes.next().unwrap_or_default()) {
                        let found = format!("a second node at {x},{y},{z}, beside `{other}`");
                        return Err(at.wrong(found, "a node for each cell"));
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{check_refused, machine, names};
    use crate::topology::Topology;
    use crate::topology::testing::{check_links, check_metric, from_file};

    const TREE: &str = "---\n- topology: tree1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: top\n        children: s[1-2]\n      - switch: s1\n        nodes: n[01-02]\n      - switch: s2\n        nodes: n[03-04]\n- topology: blocks\n  cluster_default: false\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: b1\n        nodes: n[01-02]\n      - block: b2\n      - {block: b3, nodes: \"n[03-04]\"}\n- topology: flat1\n  flat: true\n";

    fn with(text: &str, options: &str) -> nodeorder_base::error::Result<Topology> {
        from_file("slurm-topology", text, options)
    }

    #[test]
    fn each_topology_may_be_taken() {
        let tree = with(TREE, "").unwrap();
        check_metric(&tree);
        assert_eq!(
            (names(&tree).as_str(), tree.network().routers()),
            ("n01 n02 n03 n04", 3)
        );
        assert!(tree.network().remarks().is_empty());
        let blocks = with(TREE, ",name=blocks").unwrap();
        assert_eq!(blocks.statistics().unwrap().diameter, 4);
        assert!(blocks.spec().ends_with(",name=blocks"));
        let flat = with(TREE, ",name=flat1,nodes=n[01-10]+x").unwrap();
        assert_eq!(
            (flat.node_count(), flat.statistics().unwrap().diameter),
            (11, 0)
        );
        assert_eq!(names(&flat).split(' ').next(), Some("n01"));
        assert!(
            with(TREE, ",name=flat1")
                .unwrap_err()
                .to_string()
                .contains("names no nodes")
        );
        let missing = with(TREE, ",name=no").unwrap_err().to_string();
        assert!(
            missing.contains("no topology called `no`; expected one of tree1, blocks, flat1"),
            "{missing}"
        );
        let nodes = with(TREE, ",nodes=n[01-03,05]").unwrap();
        assert_eq!(
            (names(&nodes).as_str(), nodes.components()),
            ("n01 n02 n03 n05", 2)
        );
        assert_eq!(nodes.network().remarks().len(), 2);
    }

    /// A file in the form that scontrol show topoconf prints.
    #[test]
    fn topoconf_is_read_back() {
        let text = "%YAML 1.1\n---\n- topology: default\n  cluster_default: true\n  block: {}\n  flat: false\n  ring: {}\n  \
                    torus3d:\n    toruses:\n    - name: podA\n      dims:\n        x: 3\n        y: 2\n        z: 2\n      nodes:\n      \
                    regions:\n      - anchor: {x: 0, y: 0, z: 0}\n        dims: {x: 3, y: 2, z: 1}\n        nodes: n[0-5]\n      - anchor:\n          \
                    x: 1\n          y: 0\n          z: 1\n        dims: {x: 2, y: 1, z: 1}\n        nodes: m[0-1]\n      placements:\n      \
                    - dims: {x: 1, y: 2, z: 1}\n        anchor_spacing: {x: 1, y: 2, z: 1}\n  tree: {}\n...\n";
        let torus = machine("slurm-topology", text).unwrap();
        check_links(&torus);
        let lattice = torus.lattice().unwrap();
        assert_eq!(lattice.extents, [3, 2, 2]);
        // n4 is at x 1, y 1, z 0; m0 at x 1, y 0, z 1.
        let at = |name: &str| torus.node_named(name).unwrap();
        let cell = |name: &str| {
            let mut x = [0; 3];
            lattice.coordinates(torus.router_of(at(name)).0, &mut x);
            x
        };
        assert_eq!(
            [cell("n4"), cell("m0"), cell("n2")],
            [[1, 1, 0], [1, 0, 1], [2, 0, 0]]
        );
        assert_eq!(
            [
                torus.distance(at("n0"), at("n2")),
                torus.distance(at("n4"), at("m0"))
            ],
            [1, 2]
        );
        assert_eq!((torus.node_count(), torus.network().hosts()), (8, 12));
        let site = torus.network().site().unwrap();
        assert_eq!(site.toruses[0].placements[0].spacing, Some([1, 2, 1]));
        let ring = "- topology: r\n  ring: {rings: [{ring: a, nodes: \"n[1-3]\"}, {ring: b, nodes: n4}]}\n";
        let rings = machine("slurm-topology", ring).unwrap();
        assert_eq!(
            (rings.components(), rings.network().remarks().len()),
            (2, 1)
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let torus = |dims: &str, rest: &str| {
            format!(
                "- topology: t\n  torus3d:\n    toruses:\n    - name: p\n      dims: {dims}\n      {rest}\n"
            )
        };
        let tree = |switches: &str| format!("- topology: t\n  tree:\n    switches:\n{switches}");
        check_refused(
            "slurm-topology",
            &[
                (
                    "topology: t\ntree: {}\n",
                    ":1: found a map of 2 keys; expected a list of topologies",
                ),
                ("- topology: t\n  tree: [\n", ":"),
                (
                    "- topology: t\n  tree: {}\n",
                    ":1: found topology `t` without nodes of any type",
                ),
                (
                    "- topology: t\n  flat: true\n  tree: {switches: []}\n",
                    ":1: found topology `t` with flat and tree",
                ),
                (
                    "- tree: {}\n",
                    ":1: found a map of 1 keys without `topology`",
                ),
                (
                    "- topology: t\n  tree:\n    swtches: []\n",
                    ":3: found a map of 1 keys without `switches`",
                ),
                (
                    &tree("    - nodes: a\n"),
                    ":4: found a map of 1 keys without `switch`",
                ),
                (
                    &tree("    - switch: a\n      nodes: [x]\n"),
                    ":5: found nodes: a list of 1; expected a host list",
                ),
                (
                    &tree("    - switch: a\n      nodes: n[1-\n"),
                    ":5: found `n[1-`; expected a host list",
                ),
                (
                    &tree("    - switch: a\n      nodes: x\n      children: b\n"),
                    ":4: found switch `a` with nodes and children",
                ),
                (
                    &tree("    - switch: a\n      nodes: x\n    - switch: a\n"),
                    ":6: found `a` again (line 4 has it)",
                ),
                (
                    &tree("    - switch: a\n      nodes: x\n    - switch: b\n      nodes: x\n"),
                    ":6: found node `x` again (line 4",
                ),
                (
                    &tree("    - switch: a\n      children: b\n"),
                    ":4: found switch `b`, which no line describes",
                ),
                (
                    "- topology: t\n  block:\n    block_sizes: [2, 3]\n    blocks: [{block: b, nodes: n}]\n",
                    ":3: found block_sizes [2, 3]",
                ),
                (
                    "- topology: t\n  block:\n    block_sizes: [x]\n    blocks: []\n",
                    ":3: found block size `x`",
                ),
                (
                    &torus("{x: 2, y: 2}", "nodes: n[1-4]"),
                    ":5: found dims without z",
                ),
                (
                    &torus("{x: 2, y: 2, z: 0}", "nodes: n[1-4]"),
                    ":5: found dims: z: `0`",
                ),
                (
                    &torus("{x: 2, y: 2, z: 1}", "nodes: n[1-3]"),
                    ":4: found 3 nodes for 4 cells",
                ),
                (
                    &torus("{x: 2, y: 1, z: 1}", "nodes: \"a,a\""),
                    ":4: found node `a` twice",
                ),
                (
                    &torus(
                        "{x: 2, y: 1, z: 1}",
                        "nodes: \"a,b\"\n      placements: [{dims: {x: 3, y: 1, z: 1}}]",
                    ),
                    ":7: found a placement of [3, 1, 1] in a torus of [2, 1, 1]",
                ),
                (
                    &torus(
                        "{x: 2, y: 1, z: 1}",
                        "regions: [{anchor: {x: 1, y: 0, z: 0}, dims: {x: 2, y: 1, z: 1}, nodes: \"a,b\"}]",
                    ),
                    ":6: found a region of [2, 1, 1] at [1, 0, 0]",
                ),
                (
                    &torus("{x: 9999999, y: 9999999, z: 9}", "nodes: a"),
                    ":4: found dims",
                ),
            ],
        );
    }
}
