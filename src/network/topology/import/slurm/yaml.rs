//! `topology.yaml`, and the output of `scontrol show topoconf`.

use std::collections::BTreeMap;

use super::found::{ALL, Found, SiteUnit, at, check_sizes, remark_on_sizes};
use crate::topology::context::Context;
use crate::topology::import::document::{self, Node};
use crate::topology::import::host_list::expand;
use crate::topology::site::{SiteKind, SitePlacement, SiteTorus};
use crate::topology::sizes::MAX_NODES;
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
mod tests;
