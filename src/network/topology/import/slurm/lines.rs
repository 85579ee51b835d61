//! Lines of `Key=value`: `topology.conf`, and the output of `scontrol show topology`, which is much like it.

use std::borrow::Cow;

use super::found::{
    ALL_IS_NO_WILDCARD, NamedTopology, SiteUnit, check_sizes, file_and_line, remark_on_sizes,
};
use crate::topology::context::Context;
use crate::topology::import::host_list::expand_host_list;
use crate::topology::site::SiteKind;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::input::{Line, Text};

/// Reads a line's keys (in lower case) and values; a value may stand in quotes, and then hold blanks.
fn read_entries<'l>(line: &Line<'l>) -> Result<Vec<(String, &'l str)>> {
    let mut entries = Vec::new();
    let mut rest = line.text.trim_start();
    while !rest.is_empty() {
        let Some((key, value, after)) = split_entry(rest) else {
            let word = rest.split_whitespace().next().unwrap_or_default();
            return Err(line.error_here(format!("`{word}`"), "Key=value"));
        };
        entries.push((key.to_ascii_lowercase(), value));
        rest = after.trim_start();
    }
    Ok(entries)
}

/// Splits a text into its first key, the value, and the rest; `None` if it does not begin with `Key=value`.
fn split_entry(text: &str) -> Option<(&str, &str, &str)> {
    let (key, after) = text.split_once('=')?;
    let (value, after) = match after.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?,
        None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
    };
    let ends = after.is_empty() || after.starts_with(char::is_whitespace);
    let has_key = !key.is_empty() && !key.contains(char::is_whitespace);
    // scontrol prints `Nodes=` for a switch without any.
    let has_value = !value.is_empty() || key.eq_ignore_ascii_case("nodes");
    (has_key && has_value && ends).then_some((key, value, after))
}

/// Finds the value of a key, in lower case.
fn value_of<'l>(entries: &[(String, &'l str)], key: &str) -> Option<&'l str> {
    let (_, value) = entries.iter().find(|(other, _)| other == key)?;
    Some(value)
}

/// Reads the lines without comments; one that ends in a backslash goes on with the next.
fn join_continued(text: &Text) -> Vec<(usize, Cow<'_, str>)> {
    let mut lines: Vec<(usize, Cow<'_, str>)> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        let own = line.text.split('#').next().unwrap_or_default().trim();
        let stripped = own.strip_suffix('\\');
        let continued = stripped.is_some();
        let own = stripped.map_or(own, str::trim_end);
        match lines.last_mut().filter(|_| goes_on) {
            Some((_, so_far)) => *so_far = format!("{so_far} {own}").into(),
            None if own.is_empty() && !continued => {}
            None => lines.push((line.number, own.into())),
        }
        goes_on = continued;
    }
    lines
}

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

/// Reads the lines of one topology. Fails, with the line, at another line, key or value, lines of two kinds of
/// topologies, a torus, whose coordinates are not printed, or a key that comes again.
pub(super) fn read_lines(text: &Text, context: &Context) -> Result<NamedTopology> {
    let mut reader = LineReader {
        found: NamedTopology::new(SiteKind::Tree, "default"),
        kind: None,
        nodes: 0,
        printed: Vec::new(),
        level: None,
    };
    for (number, whole) in join_continued(text) {
        let line = text.line_at(number, &whole);
        let entries = read_entries(&line)?;
        let head = entries.first().map_or("", |(key, _)| key.as_str());
        if ["torusname", "placementdims"].contains(&head) {
            let expected = "the output of `scontrol show topoconf`, which has the coordinates";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        }
        if ["topologyparam", "nodename"].contains(&head) {
            reader.read_slurm_conf(&entries, &line, context)?;
            continue;
        }
        let Some((_, kind, allowed)) = KEYS.iter().find(|(key, ..)| *key == head) else {
            let expected = "a line SwitchName=…, BlockName=…, BlockSizes=… or RingName=…";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        };
        for (i, (key, _)) in entries.iter().enumerate() {
            if !allowed.contains(&key.as_str()) {
                let allowed = allowed.iter().copied();
                return Err(Error::unknown(line.location(), "key", key, allowed));
            }
            if entries[..i].iter().any(|(other, _)| other == key) {
                return Err(line.error_here(format!("`{key}` twice"), "each key once"));
            }
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
    reader.into_topology(text)
}

/// Reader of the lines of one topology.
struct LineReader {
    /// The topology so far.
    found: NamedTopology,
    /// Kind of topology and the first line that shows it.
    kind: Option<(SiteKind, usize)>,
    /// Number of nodes so far.
    nodes: usize,
    /// Block sizes as scontrol prints them, line by line.
    printed: Vec<u64>,
    /// First line with `Level=`.
    level: Option<usize>,
}

impl LineReader {
    /// Reads a line of slurm.conf that changes choices: `TopologyParam=…`, `NodeName=… Weight=…`.
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
                found.remarks.push(format!("{}: {what}", line.location()));
            }
            found.param = param.to_string();
            return Ok(());
        }
        let list = value_of(entries, "nodename").unwrap_or_default();
        let weight = value_of(entries, "weight").and_then(|text| text.parse().ok());
        let Some(weight) = weight else {
            let expected = "NodeName=LIST Weight=N; a weight from 0 to 4294967295";
            return Err(line.error_here(format!("`{}`", line.text), expected));
        };
        for node in expand_host_list(list, line, found.weights.len(), context)? {
            found.weights.insert(node, weight);
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
        let mut unit = SiteUnit {
            name: entries[0].1.into(),
            nodes: Vec::new(),
            children: Vec::new(),
            line: line.number,
            speed: None,
        };
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
            (Some(list), None) if list.eq_ignore_ascii_case("ALL") => {
                found
                    .remarks
                    .push(format!("{}: {ALL_IS_NO_WILDCARD}", line.location()));
            }
            (Some(list), None) => unit.nodes = expand_host_list(list, line, self.nodes, context)?,
            (None, None) => {}
        }
        self.nodes += unit.nodes.len();
        found.units.push(unit);
        Ok(())
    }

    /// Reads `BlockSizes=…`.
    fn read_sizes(&mut self, entries: &[(String, &str)], line: &Line<'_>) -> Result<()> {
        if !self.found.sizes.0.is_empty() {
            return Err(line.error_here("BlockSizes again", "it once"));
        }
        let list = entries[0].1;
        let sizes: Option<Vec<u64>> = list.split(',').map(|part| part.parse().ok()).collect();
        let Some(sizes) = sizes.filter(|sizes| sizes[0] != 0 && check_sizes(sizes)) else {
            let expected = "ascending multiples of the first size, from 1 to 18446744073709551615, as in BlockSizes=18,36";
            return Err(line.error_here(format!("BlockSizes={list}"), expected));
        };
        self.found.sizes = (sizes, line.number);
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

    /// Adds what can only be said at the end: block sizes as printed, and remarks.
    fn into_topology(self, text: &Text) -> Result<NamedTopology> {
        let mut found = self.found;
        if let Some(line) = self.level {
            let what = "Level= is what scontrol prints: Slurm stops at it in a topology.conf";
            found
                .remarks
                .push(format!("{}: {what}", file_and_line(text, line)));
        }
        if found.sizes.0.is_empty() {
            let mut sizes = self.printed;
            sizes.sort_unstable();
            sizes.dedup();
            if !check_sizes(&sizes) {
                let found = format!("block sizes {sizes:?}");
                let expected = "multiples of the smallest";
                return Err(Error::input(text.location(), found, expected));
            }
            found.sizes = (sizes, 1);
        }
        let (sizes, line) = &found.sizes;
        let remark = remark_on_sizes(text, *line, sizes);
        found.remarks.extend(remark);
        if let Some((kind, _)) = self.kind {
            found.kind = kind;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
