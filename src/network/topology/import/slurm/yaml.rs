//! `topology.yaml`, and the output of `scontrol show topoconf`, which is of the same form.

use std::collections::HashSet;

use super::found::{NamedTopology, SiteUnit, check_sizes};
use super::placed::read_node_list;
use crate::topology::context::Context;
use crate::topology::import::document::{self, Node};
use crate::topology::import::host_list::expand_host_list;
use crate::topology::site::{SiteKind, SitePlacement, SiteTorus, list_cells};
use crate::topology::sizes::MAX_NODES;
use nodeorder_base::{Result, Text};

/// Kinds of topologies by their keys.
const KINDS: [(&str, SiteKind); 5] = [
    ("tree", SiteKind::Tree),
    ("block", SiteKind::Block),
    ("flat", SiteKind::Flat),
    ("ring", SiteKind::Ring),
    ("torus3d", SiteKind::Torus),
];

/// The keys of [`KINDS`], for messages.
const EXPECTED: &str = "one of tree, block, flat, ring and torus3d";

/// Reads the topology called `wanted` (or what `scontrol show node --json` printed), else the cluster's default, else
/// the first. If `must` does not hold, a name that no topology has means none. Fails, with the line, if there is no
/// YAML, no list of topologies or no topology of that name, or if it has no type, two types, or what its type does not
/// have.
pub(super) fn read_yaml(
    text: &Text,
    wanted: Option<&str>,
    must: bool,
    context: &Context,
) -> Result<NamedTopology> {
    let document = document::read_document(text)?;
    if let Some(nodes) = document.find_key("nodes").and_then(Node::items) {
        let mut found = NamedTopology::new(SiteKind::Block, "default");
        let nodes = read_node_list(nodes, text, &mut found)?;
        nodes.place_nodes(&mut found, None, wanted, text)?;
        return Ok(found);
    }
    let Some(topologies) = document.items() else {
        let expected = "a list of topologies, `- topology: NAME`: Slurm takes anything \
         else for a flat network, silently";
        return Err(document.error_here(document.describe(), expected));
    };
    let mut named = Vec::new();
    for topology in topologies {
        named.push((topology.require_text("topology")?, topology));
    }
    let Some(first) = named.first() else {
        return Err(document.error_here("an empty list", "a topology"));
    };
    let mut chosen = None;
    if let Some(name) = wanted {
        chosen = named.iter().find(|(other, _)| *other == name);
        if chosen.is_none() && must {
            let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
            let found = format!("no topology called `{name}`");
            return Err(document.error_here(found, format!("one of {}", names.join(", "))));
        }
    }
    let defaults: Vec<_> = named.iter().filter(|(_, t)| is_default(t)).collect();
    let (name, topology) = *chosen.or(defaults.first().copied()).unwrap_or(first);
    let mut reader = YamlReader {
        text,
        context,
        found: NamedTopology::new(SiteKind::Flat, name),
    };
    if defaults.len() != 1 {
        let what = "Slurm then takes the first topology";
        reader.found.remarks.push(format!(
            "{}: {} topologies with cluster_default: {what}",
            text.name(),
            defaults.len()
        ));
    }
    reader.read_topology(topology)?;
    Ok(reader.found)
}

/// Checks whether a topology is marked as the cluster's default.
fn is_default(topology: &Node) -> bool {
    let value = topology.text_at(&["cluster_default"]);
    let value = value.unwrap_or_default().to_ascii_lowercase();
    ["true", "yes", "on"].contains(&value.as_str())
}

/// Reader of one topology.
struct YamlReader<'t> {
    text: &'t Text,
    context: &'t Context,
    /// The topology so far.
    found: NamedTopology,
}

impl YamlReader<'_> {
    /// Adds a note on a line of the file.
    fn add_remark(&mut self, line: usize, what: &str) {
        self.found.add_remark(&self.text.line_at(line, ""), what);
    }

    /// Reads a topology. Fails if it has no type, or several.
    fn read_topology(&mut self, topology: &Node) -> Result<()> {
        let mut types = Vec::new();
        for (key, value) in topology.entries() {
            let Some((name, kind)) = KINDS.iter().find(|(name, _)| name == key) else {
                if !["topology", "cluster_default"].contains(&key.as_str()) {
                    let what = format!("`{key}` is no key that Slurm has: passed over");
                    self.add_remark(value.line, &what);
                }
                continue;
            };
            // `scontrol show topoconf` prints `flat: false` and the like for types that are not used.
            let is_used = match value.as_text() {
                Some(text) => text.eq_ignore_ascii_case("true"),
                None => !value.entries().is_empty(),
            };
            if is_used {
                types.push((*name, *kind, value));
            }
        }
        let (kind, value) = match types.as_slice() {
            [(_, kind, value)] => (*kind, *value),
            [] => {
                let found = format!("topology `{}` without nodes of any type", self.found.name);
                return Err(topology.error_here(found, EXPECTED));
            }
            [(a, ..), (b, ..), ..] => {
                let found = format!("topology `{}` with {a} and {b}", self.found.name);
                return Err(topology.error_here(found, EXPECTED));
            }
        };
        self.found.kind = kind;
        match kind {
            SiteKind::Tree => self.read_units(value, "switches", "switch"),
            SiteKind::Ring => self.read_units(value, "rings", "ring"),
            SiteKind::Block => {
                self.read_sizes(value)?;
                self.read_units(value, "blocks", "block")
            }
            SiteKind::Torus => {
                for torus in value.require_list("toruses")? {
                    let torus = self.read_torus(torus)?;
                    self.found.toruses.push(torus);
                }
                Ok(())
            }
            SiteKind::Flat => Ok(()),
        }
    }

    /// Reads the switches, blocks or rings of a list; `key` has the name of each.
    fn read_units(&mut self, of: &Node, list: &str, key: &str) -> Result<()> {
        for entry in of.require_list(list)? {
            let name = entry.require_text(key)?.to_string();
            let children = self.read_hosts(entry, "children", false)?;
            let nodes = self.read_hosts(entry, "nodes", true)?;
            if !children.is_empty() && !nodes.is_empty() {
                let found = format!("{key} `{name}` with nodes and children");
                return Err(entry.error_here(found, "one of the two"));
            }
            for (other, value) in entry.entries() {
                if ![key, "children", "nodes"].contains(&other.as_str()) {
                    self.add_remark(value.line, &format!("`{other}` is passed over"));
                }
            }
            let place = self.text.line_at(entry.line, "").location();
            self.found.units.push(SiteUnit {
                nodes,
                children,
                ..SiteUnit::new(&name, place, entry.line)
            });
        }
        Ok(())
    }

    /// Reads the host list under a key; empty if there is no such key.
    fn read_hosts(&mut self, entry: &Node, key: &str, nodes: bool) -> Result<Vec<String>> {
        let Some(value) = entry.find_key(key) else {
            return Ok(Vec::new());
        };
        let Some(list) = value.as_text() else {
            return Err(value.wrong_value(key, "a host list"));
        };
        if list.is_empty() || list == "~" || list == "null" {
            return Ok(Vec::new());
        }
        let line = self.text.line_at(value.line, list);
        if nodes {
            return self.found.read_nodes(list, &line, self.context);
        }
        let names = expand_host_list(list, &line, self.found.nodes, self.context)?;
        self.found.nodes += names.len();
        Ok(names)
    }

    /// Reads the block sizes and their line.
    fn read_sizes(&mut self, block: &Node) -> Result<()> {
        let Some(value) = block.find_key("block_sizes") else {
            return Ok(());
        };
        let mut sizes = Vec::new();
        // A single size need not be a list.
        for item in value.items().unwrap_or(std::slice::from_ref(value)) {
            match item.parse_text() {
                Some(size) if size > 0 => sizes.push(size),
                _ => {
                    let found = format!("block size {}", item.describe());
                    return Err(item.error_here(found, "a whole number above 0"));
                }
            }
        }
        if !check_sizes(&sizes) {
            let expected = "ascending multiples of the first size, as in [18, 36]";
            return Err(value.error_here(format!("block_sizes {sizes:?}"), expected));
        }
        self.found.sizes = sizes;
        self.found.check_powers(&self.text.line_at(value.line, ""));
        Ok(())
    }

    /// Reads a torus: its nodes as a whole or by regions, and the boxes that jobs are placed in.
    fn read_torus(&mut self, torus: &Node) -> Result<SiteTorus> {
        let name = torus.require_text("name")?.to_string();
        let dims = require_dims(torus, &format!("torus `{name}`"))?;
        let count = count_cells(dims);
        if count > MAX_NODES {
            return Err(torus.error_here(format!("dims {dims:?}"), "at most 2147483648 cells"));
        }
        self.context
            .require_memory(&format!("torus {name}"), count * 32)?;
        let mut cells: Vec<Option<String>> = vec![None; count as usize];
        let whole = self.read_hosts(torus, "nodes", true)?;
        let regions = torus.items_of("regions");
        if !whole.is_empty() && !regions.is_empty() {
            let found = format!("torus `{name}` with nodes and regions");
            return Err(torus.error_here(found, "one of the two"));
        }
        if !whole.is_empty() {
            fill_region(torus, &mut cells, dims, ([0; 3], dims), whole)?;
        }
        for region in regions {
            let anchor = read_triple(region, "anchor", 0)?.unwrap_or_default();
            let extent = require_dims(region, &format!("a region of `{name}`"))?;
            let nodes = self.read_hosts(region, "nodes", true)?;
            fill_region(region, &mut cells, dims, (anchor, extent), nodes)?;
        }
        let mut seen = HashSet::new();
        if let Some(again) = cells.iter().flatten().find(|node| !seen.insert(*node)) {
            let found = format!("node `{again}` twice in torus `{name}`");
            return Err(torus.error_here(found, "each node once"));
        }
        let mut placements = Vec::new();
        for placement in torus.items_of("placements") {
            let box_dims = require_dims(placement, "a placement")?;
            if box_dims.iter().zip(dims).any(|(n, all)| *n > all) {
                let found = format!("a placement of {box_dims:?} in a torus of {dims:?}");
                return Err(placement.error_here(found, "one that fits"));
            }
            placements.push(SitePlacement {
                dims: box_dims,
                spacing: read_triple(placement, "anchor_spacing", 0)?,
                seed: read_triple(placement, "anchor_seed", 0)?,
            });
        }
        if placements.is_empty() {
            let what = format!("torus {name} has no placements: Slurm places no job in it");
            self.add_remark(torus.line, &what);
        }
        Ok(SiteTorus {
            name,
            dims,
            cells,
            placements,
        })
    }
}

/// Reads `{x, y, z}` under a key, each at least `low`; `None` if there is no such key.
fn read_triple(of: &Node, key: &str, low: u32) -> Result<Option<[u32; 3]>> {
    let Some(value) = of.find_key(key) else {
        return Ok(None);
    };
    let mut triple = [0; 3];
    for (slot, axis) in triple.iter_mut().zip(["x", "y", "z"]) {
        let given = value.find_key(axis);
        match given.and_then(Node::parse_text) {
            Some(number) if number >= low => *slot = number,
            _ => {
                let found = match given {
                    Some(other) => format!("{key}: {axis}: {}", other.describe()),
                    None => format!("{key} without {axis}"),
                };
                let expected = format!("x, y and z, whole numbers from {low}");
                return Err(value.error_here(found, expected));
            }
        }
    }
    Ok(Some(triple))
}

/// Reads `dims` of a torus, region or placement, `what`. Fails if it has none.
fn require_dims(of: &Node, what: &str) -> Result<[u32; 3]> {
    let dims = read_triple(of, "dims", 1)?;
    dims.ok_or_else(|| of.error_here(format!("{what} without dims"), "dims: {x, y, z}"))
}

/// Counts the cells of a box.
fn count_cells(dims: [u32; 3]) -> u64 {
    dims.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

/// Puts nodes into a box of cells, x fastest. Fails if there are not as many nodes as cells, the box is not inside the
/// torus, or a cell has a node.
fn fill_region(
    region: &Node,
    cells: &mut [Option<String>],
    dims: [u32; 3],
    (anchor, extent): ([u32; 3], [u32; 3]),
    nodes: Vec<String>,
) -> Result<()> {
    let room = count_cells(extent);
    if room != nodes.len() as u64 {
        let found = format!("{} nodes for {room} cells", nodes.len());
        return Err(region.error_here(found, "a node for each cell"));
    }
    if (0..3).any(|i| u64::from(anchor[i]) + u64::from(extent[i]) > u64::from(dims[i])) {
        let found = format!("a region of {extent:?} at {anchor:?} in a torus of {dims:?}");
        return Err(region.error_here(found, "one inside the torus"));
    }
    let [across, along, up] = extent;
    for ((z, y, x), node) in list_cells([up, along, across]).zip(nodes) {
        let [x, y, z] = [anchor[0] + x, anchor[1] + y, anchor[2] + z];
        let cell = &mut cells[(x + dims[0] * (y + dims[1] * z)) as usize];
        if let Some(other) = cell.replace(node) {
            let found = format!("a second node at {x},{y},{z}, where `{other}` is");
            return Err(region.error_here(found, "a node for each cell"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
