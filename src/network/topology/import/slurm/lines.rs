//! Lines of `Key=value`: `topology.conf`, and the output of `scontrol show topology`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::found::{ALL, Found, SiteUnit, at, check_sizes, remark_on_sizes};
use crate::topology::context::Context;
use crate::topology::import::host_list::expand;
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
mod tests;
