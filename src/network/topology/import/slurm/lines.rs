//! Lines of `Key=value`: `topology.conf`, and the output of `scontrol show topology`, which is much like it.

use super::config::{ConfigLines, find_wrong_key, read_entries, value_of};
use super::found::{NamedTopology, SiteUnit, check_sizes};
use super::placed::{PlacedNodes, is_slurm_conf};
use crate::topology::context::Context;
use crate::topology::import::host_list::expand_host_list;
use crate::topology::site::SiteKind;
use crate::topology::source_file::SourceFile;
use nodeorder_base::{Error, Line, Result, Text};

/// Kind of topology and keys that a line may have, by its first key.
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

/// Topology plugins of which nodes name units.
const PLUGINS: [(&str, SiteKind); 2] = [
    ("topology/tree", SiteKind::Tree),
    ("topology/block", SiteKind::Block),
];

/// Reads the lines of one topology, `name` if nodes say where they stand in several. Lines of slurm.conf about other
/// things are passed over, with a remark. Fails, with the line, at another line, key or value, lines of two kinds of
/// topologies, a torus, whose coordinates are not printed, or a key that comes again.
pub(super) fn read_lines(file: &SourceFile<'_>, name: Option<&str>) -> Result<NamedTopology> {
    let text = &file.text;
    let context = file.context;
    let config = ConfigLines::read_lines(text, file.path(), context)?;
    let in_slurm_conf = is_slurm_conf(&config);
    let mut passed_over = 0u64;
    let mut reader = LineReader {
        found: NamedTopology::new(SiteKind::Tree, "default"),
        kind: None,
        placed: PlacedNodes::default(),
        defaults: (None, String::new()),
        in_slurm_conf,
        printed: Vec::new(),
        level: None,
    };
    for line in config.iter() {
        let number = line.number;
        let entries = match read_entries(&line) {
            Err(_) if in_slurm_conf => {
                passed_over += 1;
                continue;
            }
            entries => entries?,
        };
        let head = entries.first().map_or("", |(key, _)| key.as_str());
        if ["torusname", "placementdims"].contains(&head) {
            let expected = "the output of `scontrol show topoconf`, which has the coordinates";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        }
        if ["topologyparam", "topologyplugin", "nodename"].contains(&head) {
            reader.read_slurm_conf(&entries, &line, context)?;
            continue;
        }
        let Some((_, kind, allowed)) = KEYS.iter().find(|(key, ..)| *key == head) else {
            if in_slurm_conf {
                passed_over += 1;
                continue;
            }
            let expected = "a line SwitchName=…, BlockName=…, BlockSizes=… or RingName=…";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        };
        if let Some(error) = find_wrong_key(&entries, allowed, &line) {
            return Err(error);
        }
        let (known, first) = *reader.kind.get_or_insert((*kind, number));
        if known != *kind {
            let text = line.text;
            let found = format!("`{text}`, though line {first} is of another kind");
            return Err(line.error_here(found, "a tree, blocks or rings"));
        }
        match head {
            "blocksizes" => reader.read_sizes(&entries, &line)?,
            // The name of an aggregate is made up by scontrol, its nodes are those of its blocks.
            "aggregatedblock" => reader.read_printed_size(&entries, &line)?,
            _ => reader.read_unit(&entries, &line, context)?,
        }
    }
    let mut found = reader.into_topology(text, name)?;
    if passed_over > 0 {
        found.remarks.push(format!(
            "{}: {passed_over} lines of slurm.conf about other things are passed over",
            text.name()
        ));
    }
    Ok(found)
}

/// Reader of the lines of one topology.
struct LineReader {
    /// The topology so far.
    found: NamedTopology,
    /// Kind of topology and the first line that shows it.
    kind: Option<(SiteKind, usize)>,
    /// Nodes of `NodeName=` lines, with where they say they stand.
    placed: PlacedNodes,
    /// `Weight` and `Topology` of `NodeName=DEFAULT`, which nodes below it have.
    defaults: (Option<u32>, String),
    /// Whether the lines are those of slurm.conf.
    in_slurm_conf: bool,
    /// Block sizes as scontrol prints them, line by line.
    printed: Vec<u64>,
    /// First line with `Level=`.
    level: Option<usize>,
}

impl LineReader {
    /// Reads a line of slurm.conf that is about the topology: `TopologyParam=…`, `TopologyPlugin=…`, `NodeName=…
    /// Weight=… Topology=…`.
    fn read_slurm_conf(
        &mut self,
        entries: &[(String, &str)],
        line: &Line<'_>,
        context: &Context,
    ) -> Result<()> {
        let found = &mut self.found;
        if let Some(param) = value_of(entries, "topologyparam") {
            if !found.param.is_empty() {
                let what = "TopologyParam= again: Slurm takes the last one";
                found.add_remark(line, what);
            }
            found.param = param.to_string();
            return Ok(());
        }
        if let Some(plugin) = value_of(entries, "topologyplugin") {
            let known = PLUGINS.iter().find(|(name, _)| *name == plugin);
            self.placed.kind = known.map(|(_, kind)| *kind);
            return Ok(());
        }
        let list = value_of(entries, "nodename").unwrap_or_default();
        let given = value_of(entries, "weight");
        let weight = given.and_then(|text| text.parse().ok());
        let topology = value_of(entries, "topology");
        // Most lines of slurm.conf have neither; a weight that is none is a fault everywhere.
        if weight.is_none() && (given.is_some() || topology.is_none() && !self.in_slurm_conf) {
            let expected = "NodeName=LIST Weight=N; a weight from 0 to 4294967295";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        }
        if list.eq_ignore_ascii_case("DEFAULT") {
            self.defaults.0 = weight.or(self.defaults.0);
            self.defaults.1 = topology.map_or(self.defaults.1.clone(), String::from);
            return Ok(());
        }
        let nodes = expand_host_list(list, line, found.weights.len(), context)?;
        if let Some(weight) = weight.or(self.defaults.0) {
            found
                .weights
                .extend(nodes.iter().map(|node| (node.clone(), weight)));
        }
        if self.in_slurm_conf {
            let topology = topology.unwrap_or(&self.defaults.1);
            self.placed.add_nodes(nodes, topology, line);
        }
        Ok(())
    }

    /// Reads a switch, block or ring, whose name is the line's first value.
    fn read_unit(
        &mut self,
        entries: &[(String, &str)],
        line: &Line<'_>,
        context: &Context,
    ) -> Result<()> {
        let is_printed = value_of(entries, "level").is_some();
        if is_printed {
            self.level.get_or_insert(line.number);
        }
        if value_of(entries, "blocksize").is_some() {
            self.read_printed_size(entries, line)?;
        }
        let list = value_of(entries, "nodes");
        let list = list.filter(|list| !list.is_empty() && *list != "(null)");
        let below = value_of(entries, "switches");
        if list.is_some() && below.is_some() && !is_printed {
            let expected =
                "one of Nodes=… and Switches=…; only scontrol, which adds Level=, prints both";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        }
        let mut unit = SiteUnit::new(entries[0].1, line.location(), line.number);
        if let Some(text) = value_of(entries, "linkspeed") {
            let Ok(speed) = text.parse() else {
                let found = format!("LinkSpeed={text}");
                return Err(line.error_here(found, "a whole number from 0 to 4294967295"));
            };
            // scontrol prints 0 or 1 where the file has none.
            unit.speed = Some(speed).filter(|speed| *speed > 0);
        }
        let found = &mut self.found;
        match (list, below) {
            // scontrol prints the nodes below all switches of a switch with it.
            (_, Some(below)) => {
                unit.children = expand_host_list(below, line, found.units.len() + 1, context)?;
            }
            (Some(list), None) => unit.nodes = found.read_nodes(list, line, context)?,
            (None, None) => {}
        }
        found.units.push(unit);
        Ok(())
    }

    /// Reads `BlockSizes=…`.
    fn read_sizes(&mut self, entries: &[(String, &str)], line: &Line<'_>) -> Result<()> {
        if !self.found.sizes.is_empty() {
            return Err(line.error_here("BlockSizes again", "it once"));
        }
        let list = entries[0].1;
        let sizes: Option<Vec<u64>> = list.split(',').map(|part| part.parse().ok()).collect();
        let Some(sizes) = sizes.filter(|sizes| sizes[0] != 0 && check_sizes(sizes)) else {
            let expected = "ascending multiples of the first size, from 1 to \
             18446744073709551615, as in BlockSizes=18,36";
            return Err(line.error_here(format!("BlockSizes={list}"), expected));
        };
        self.found.sizes = sizes;
        self.found.check_powers(line);
        Ok(())
    }

    /// Reads the size of a block or an aggregate as scontrol prints it.
    fn read_printed_size(&mut self, entries: &[(String, &str)], line: &Line<'_>) -> Result<()> {
        let text = value_of(entries, "blocksize").unwrap_or_default();
        let Some(size) = text.parse::<u64>().ok().filter(|size| *size > 0) else {
            return Err(line.error_here(format!("BlockSize={text}"), "a whole number above 0"));
        };
        self.printed.push(size);
        Ok(())
    }

    /// Completes the topology with what is known only at the end: block sizes as printed, and remarks.
    fn into_topology(self, text: &Text, name: Option<&str>) -> Result<NamedTopology> {
        let mut found = self.found;
        if let Some(line) = self.level {
            let what = "Level= is what scontrol prints: Slurm stops at it in a topology.conf";
            found.add_remark(&text.line_at(line, ""), what);
        }
        if found.sizes.is_empty() {
            let mut sizes = self.printed;
            sizes.sort_unstable();
            sizes.dedup();
            if !check_sizes(&sizes) {
                let found = format!("block sizes {sizes:?}");
                let expected = "multiples of the smallest";
                return Err(Error::input(text.location(), found, expected));
            }
            found.sizes = sizes;
            found.check_powers(&text.line_at(1, ""));
        }
        let kind = self.kind.map(|(kind, _)| kind);
        found.kind = kind.unwrap_or(found.kind);
        self.placed.place_nodes(&mut found, kind, name, text)?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
