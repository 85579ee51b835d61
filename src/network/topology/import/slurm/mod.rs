//! Slurm's topologies: topology.conf, topology.yaml, and the output of `scontrol` about them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use super::host_list::expand;
use super::{ROOT, SourceFile, UPLINKS, Units, Wiring, outlined};
use crate::topology::site::{Site, SiteKind, SiteLine, SiteTorus, cells};
use crate::topology::{Build, Context, Lattice, TopologyEntry};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;
use nodeorder_base::params::{Opt, Params};

mod lines;
mod yaml;

/// `slurm-topology:FILE[,name=T][,nodes=LIST]`; `name` is that of a topology.yaml's topology.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "slurm-topology",
    about: "the cluster of a Slurm topology.conf, topology.yaml, scontrol show topology or topoconf, names kept",
    example: "slurm-topology:topology.conf",
    options: &[
        Opt::file("file", "topology.conf, topology.yaml, or what scontrol show topology or topoconf printed")
            .positional(),
        Opt::text("name", "which of the topologies of a topology.yaml")
            .or_else("the cluster's default, else the first"),
        Opt::text(
            "nodes",
            "all nodes of the cluster: a host list (its parts joined by +), or a file of names, one a line",
        )
        .or_else("those that the file places"),
        Opt::text("param", "Slurm's TopologyParam, its words joined by +, as in Dragonfly+TopoOptional")
            .or_else("the file's line TopologyParam=, which is slurm.conf's"),
        UPLINKS,
    ],
    parse: Build::Steps(|params, _| {
        let (name, table) = (params.word("name")?, params.word("nodes")?);
        let param = params.word("param")?;
        let expected = "a topology.conf, as in slurm-topology:topology.conf";
        outlined(params, expected, |file| wiring(file, name, table, param))
    }),
};

/// One topology of a file.
struct Found {
    kind: SiteKind,
    name: String,
    units: Vec<SiteUnit>,
    /// Block sizes, the base first, and their line.
    sizes: (Vec<u64>, usize),
    toruses: Vec<SiteTorus>,
    /// `TopologyParam`, and the weights of nodes.
    param: String,
    weights: BTreeMap<String, u32>,
    remarks: Vec<String>,
}

/// A switch, block, ring or torus.
struct SiteUnit {
    name: String,
    nodes: Vec<String>,
    children: Vec<String>,
    line: usize,
    /// `LinkSpeed` of the cables up, where it is given and not 0.
    speed: Option<u32>,
}

impl Found {
    /// A switch for each unit.
    fn switches(&self) -> Wiring {
        let mut wiring = Wiring::default();
        self.units.iter().for_each(|unit| {
            wiring.add(&unit.name, unit.nodes.clone(), unit.line);
        });
        wiring
    }
}

/// The network of a file. A topology.yaml may have several topologies: `name` takes one, else the cluster's default is
/// taken, else the first.
///
/// topology/tree: a switch a `SwitchName` line, a link to each of its `Switches`, as wide as `LinkSpeed` of the
/// lower switch says (Slurm itself passes that over): the lowest one is capacity 1; a switch named below two others hangs
/// below both, and belongs to the last. topology/block: a switch a `BlockName` line, without nodes too; a further switch above each group of blocks that the second and later
/// `BlockSizes` name, and one above all. topology/ring: a router a node, linked to the next one of its ring.
/// topology/torus3d: a router a cell. topology/flat: one switch. Trees of a forest, rings and toruses are separate
/// components; nodes of `nodes` that the file does not place are components of their own.
///
/// Lines that are read here but that Slurm does not load become remarks. Errors: with the line: another line, a host
/// list that is none, a switch or node named twice, a switch that no line describes, switches in a loop, sizes that do
/// not ascend by multiples of the first, a torus whose nodes do not fill it.
///
/// # References
/// topology.conf(5) and topology.yaml(5) of Slurm 26.05.
fn wiring(
    file: &SourceFile<'_>,
    name: Option<String>,
    table: Option<String>,
    param: Option<String>,
) -> Result<(Wiring, String)> {
    let SourceFile {
        text,
        params,
        context,
        ..
    } = file;
    let mut found = if yaml::is_yaml(text) {
        // In a machine's own file, `name` may be that machine's.
        let must = matches!(params.location_of("name"), SourceLocation::Option(_));
        yaml::read(text, name.as_deref(), must, context)?
    } else {
        lines::read(text, context)?
    };
    let nodes = table
        .as_ref()
        .map(|list| node_table(params, list, context))
        .transpose()?;
    let unplaced = apply(text, &mut found, nodes)?;
    let all = found
        .remarks
        .iter()
        .find_map(|remark| remark.strip_suffix(&format!(": {ALL}")));
    let placed = found.units.iter().any(|unit| !unit.nodes.is_empty());
    if let Some(line) = all.filter(|_| !placed && unplaced.is_empty()) {
        let location = SourceLocation::File(line.into());
        let problem = "Nodes=ALL, which is no wildcard: Slurm looks for a node called ALL";
        return Err(Error::unsuited(
            location,
            problem,
            "nodes=LIST says which nodes there are",
        ));
    }
    let mut wiring = match found.kind {
        SiteKind::Tree => tree(text, &found)?,
        SiteKind::Block => blocks(&found)?,
        SiteKind::Ring => rings(&found),
        SiteKind::Torus => toruses(&found, unplaced.is_empty()),
        SiteKind::Flat => flat(&found),
    };
    add_unplaced(&mut wiring, &unplaced);
    wiring.forest = true;
    wiring.outline = matches!(
        found.kind,
        SiteKind::Tree | SiteKind::Block | SiteKind::Flat
    );
    wiring.remarks.append(&mut found.remarks);
    let chosen = found.name.clone();
    if let Some(param) = &param {
        found.param = param.replace('+', ",");
    }
    wiring.site = Some(site(found));
    let mut suffix = match name.filter(|name| *name == chosen) {
        Some(name) => format!(",name={name}"),
        None => String::new(),
    };
    if let Some(list) = table {
        suffix += &format!(",nodes={list}");
    }
    suffix += &param.map_or(String::new(), |param| format!(",param={param}"));
    Ok((wiring, suffix))
}

/// The cluster's nodes: a file of names, the first word of each line, or a host list.
fn node_table(params: &Params, list: &str, context: &Context) -> Result<HashSet<String>> {
    let file = params.path("nodes")?.filter(|file| file.is_file());
    let text = match &file {
        Some(file) => Text::read(file, context.memory)?,
        None => Text::new(params.location().to_string(), list.replace('+', ",")),
    };
    let mut nodes = HashSet::new();
    for line in text.data_lines() {
        let word = line.text.split_whitespace().next().unwrap_or_default();
        nodes.extend(expand(word, &line, nodes.len(), context)?);
    }
    if nodes.is_empty() {
        return Err(params.wrong("nodes", "at least one node"));
    }
    Ok(nodes)
}

/// Checks that no node stands twice; leaves out the nodes that the cluster does not have, and says so. The cluster's
/// nodes that are not placed, in the order of their names.
fn apply(text: &Text, found: &mut Found, table: Option<HashSet<String>>) -> Result<Vec<String>> {
    let (mut names, mut seen) = (HashMap::new(), HashMap::new());
    let again = |unit: &SiteUnit, what: String, other: usize, expected: &str| {
        let found = format!("{what} again (line {other} has it)");
        Err(Error::input(
            SourceLocation::line(text.name(), unit.line),
            found,
            expected,
        ))
    };
    for unit in &found.units {
        if let Some(other) = names.insert(&unit.name, unit.line) {
            return again(unit, format!("`{}`", unit.name), other, "each name once");
        }
        for node in &unit.nodes {
            if let Some(other) = seen.insert(node, unit.line) {
                return again(unit, format!("node `{node}`"), other, "each node once");
            }
        }
        if found.kind == SiteKind::Ring && unit.nodes.len() > LONGEST_RING {
            let (name, nodes) = (&unit.name, unit.nodes.len());
            found.remarks.push(format!(
                "{}: ring {name} has {nodes} nodes: Slurm stops at more than {LONGEST_RING}",
                at(text, unit.line)
            ));
        }
    }
    let cells = || found.toruses.iter().flat_map(|t| &t.cells).flatten();
    let mut in_torus = HashSet::new();
    if let Some(again) = cells().find(|node| !in_torus.insert(*node)) {
        let found = format!("node `{again}` in two toruses");
        return Err(Error::input(
            SourceLocation::File(text.name().into()),
            found,
            "each node once",
        ));
    }
    let mut placed: HashSet<String> = cells().chain(seen.into_keys()).cloned().collect();
    let Some(mut table) = table else {
        if found.kind == SiteKind::Flat {
            let problem = "topology/flat, which names no nodes".to_string();
            let location = SourceLocation::File(text.name().into());
            return Err(Error::unsuited(
                location,
                problem,
                "nodes=LIST says which there are",
            ));
        }
        return Ok(Vec::new());
    };
    let unknown: Vec<String> = placed
        .iter()
        .filter(|n| !table.contains(*n))
        .cloned()
        .collect();
    if let Some(first) = unknown.iter().min() {
        let (count, file) = (unknown.len(), text.name());
        found.remarks.push(format!(
            "{file}: {count} nodes that nodes= does not have are left out, the first {first}: Slurm says `Invalid hostnames`"
        ));
        found
            .units
            .iter_mut()
            .for_each(|unit| unit.nodes.retain(|node| table.contains(node)));
        for cell in found.toruses.iter_mut().flat_map(|torus| &mut torus.cells) {
            *cell = cell.take().filter(|node| table.contains(node));
        }
        placed.retain(|node| table.contains(node));
    }
    if found.kind == SiteKind::Flat {
        let mut nodes: Vec<String> = table.drain().collect();
        nodes.sort_by_cached_key(|name| natural(name));
        let name = "flat".to_string();
        found.units.push(SiteUnit {
            name,
            nodes,
            children: Vec::new(),
            line: 1,
            speed: None,
        });
        return Ok(Vec::new());
    }
    let mut unplaced: Vec<String> = table.drain().filter(|n| !placed.contains(n)).collect();
    unplaced.sort_by_cached_key(|name| natural(name));
    if let Some(first) = unplaced.first() {
        let (count, file) = (unplaced.len(), text.name());
        found.remarks.push(format!(
            "{file}: {count} nodes are not placed, the first {first}: Slurm gives them jobs of one node only"
        ));
    }
    Ok(unplaced)
}

/// A name in pieces, numbers by their value: `n2` before `n10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let stem = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let digits = rest[stem..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - stem);
        let number = rest[stem..stem + digits].parse().unwrap_or(u64::MAX);
        pieces.push((rest[..stem].to_string(), number));
        rest = &rest[stem + digits..];
    }
    pieces
}

fn tree(text: &Text, found: &Found) -> Result<Wiring> {
    let mut wiring = found.switches();
    let known: BTreeMap<&str, usize> = found
        .units
        .iter()
        .map(|unit| unit.name.as_str())
        .zip(0..)
        .collect();
    let mut above = vec![ROOT; found.units.len()];
    for (parent, unit) in found.units.iter().enumerate() {
        let wrong = |found: String, expected: &str| {
            Error::input(
                SourceLocation::line(text.name(), unit.line),
                found,
                expected,
            )
        };
        for child in &unit.children {
            let Some(&below) = known.get(child.as_str()) else {
                let found = format!("switch `{child}`, which no line describes");
                return Err(wrong(found, "a line SwitchName=… for each switch"));
            };
            if below == parent
                || wiring
                    .links
                    .contains_key(&(parent.min(below), parent.max(below)))
            {
                let found = format!("`{child}` below `{}`", unit.name);
                return Err(wrong(found, "each switch below others, once"));
            }
            wiring.join(parent, below, 1.0);
            let speed = found.units[below].speed;
            wiring
                .speeds
                .extend(speed.map(|speed| ((parent.min(below), parent.max(below)), speed)));
            above[below] = parent;
        }
    }
    in_no_loop(text, found, &known)?;
    let roots = found
        .units
        .iter()
        .zip(&above)
        .filter(|(_, above)| **above == ROOT);
    // What scontrol prints for every switch says nothing.
    for (unit, _) in roots.filter(|(unit, _)| unit.speed.is_some_and(|speed| speed > 1)) {
        let what = "LinkSpeed= is passed over, as no switch is above this one";
        wiring
            .remarks
            .push(format!("{}: {what}", at(text, unit.line)));
    }
    wiring.hierarchy(&above, &|height| match height {
        0 => "leaf".into(),
        height => format!("level{height}"),
    });
    Ok(wiring)
}

/// Refuses switches that are below themselves: takes away switches with nothing above until none is left; what remains
/// is a loop.
fn in_no_loop(text: &Text, found: &Found, known: &BTreeMap<&str, usize>) -> Result<()> {
    let below = |i: usize| {
        found.units[i]
            .children
            .iter()
            .map(|child| known[child.as_str()])
    };
    let mut parents = vec![0; found.units.len()];
    (0..parents.len())
        .flat_map(below)
        .for_each(|child| parents[child] += 1);
    let mut free: Vec<usize> = (0..parents.len()).filter(|i| parents[*i] == 0).collect();
    while let Some(at) = free.pop() {
        for child in below(at) {
            parents[child] -= 1;
            if parents[child] == 0 {
                free.push(child);
            }
        }
    }
    match parents.iter().position(|n| *n > 0) {
        None => Ok(()),
        Some(at) => {
            let unit = &found.units[at];
            let found = format!("switch `{}` below itself, in a loop", unit.name);
            let location = SourceLocation::line(text.name(), unit.line);
            Err(Error::input(location, found, "a tree or trees of switches"))
        }
    }
}

/// Groups of blocks, each with a switch above it, then one above all.
fn blocks(found: &Found) -> Result<Wiring> {
    let mut wiring = found.switches();
    let line = found.units.first().map_or(1, |unit| unit.line);
    let base = found.sizes.0.first().copied().unwrap_or(1);
    let mut below: Vec<usize> = (0..found.units.len()).collect();
    let mut above = vec![ROOT; below.len()];
    let mut names = vec!["block".to_string()];
    let mut reach = 1;
    // The last group is that of all blocks.
    let sizes = found
        .sizes
        .0
        .iter()
        .skip(1)
        .map(|size| (Some(*size), size / base));
    for (size, blocks) in sizes.chain([(None, u64::MAX)]) {
        if below.len() == 1 {
            break;
        }
        let mut next = Vec::new();
        let group = usize::try_from((blocks / reach).max(1)).unwrap_or(usize::MAX);
        for group in below.chunks(group) {
            let name = format!("above {}", wiring.switches[group[0]].name);
            let index = wiring.add(&name, Vec::new(), line);
            above.push(ROOT);
            for block in group {
                wiring.join(*block, index, 1.0);
                above[*block] = index;
            }
            next.push(index);
        }
        names.push(size.map_or("all".into(), |size| format!("aggregate{size}")));
        (below, reach) = (next, blocks);
    }
    wiring.hierarchy(&above, &|height| names[height].clone());
    Ok(wiring)
}

fn rings(found: &Found) -> Wiring {
    let mut wiring = Wiring::default();
    let mut unit_of = Vec::new();
    for (ring, unit) in found.units.iter().enumerate() {
        let first = wiring.switches.len();
        for node in &unit.nodes {
            wiring.add(node, vec![node.clone()], unit.line);
            unit_of.push(ring);
        }
        let Some(last) = wiring
            .switches
            .len()
            .checked_sub(1)
            .filter(|last| *last >= first)
        else {
            continue;
        };
        (first..last).for_each(|at| wiring.join(at, at + 1, 1.0));
        if last > first + 1 {
            wiring.join(first, last, 1.0);
        }
    }
    let names = found.units.iter().map(|unit| unit.name.clone()).collect();
    wiring.levels.push(Units {
        name: "ring".into(),
        unit_of,
        names,
        links: 0,
    });
    wiring
}

/// A router a cell, x slowest; `alone` where every node has a cell.
fn toruses(found: &Found, alone: bool) -> Wiring {
    let mut wiring = Wiring::default();
    let mut unit_of = Vec::new();
    for (index, torus) in found.toruses.iter().enumerate() {
        let first = wiring.switches.len();
        let [nx, ny, nz] = torus.dims;
        let at = |x: u32, y: u32, z: u32| first + ((x * ny + y) * nz + z) as usize;
        for (x, y, z) in cells(torus.dims) {
            let node = &torus.cells[(x + nx * (y + ny * z)) as usize];
            let name = node
                .clone()
                .unwrap_or_else(|| format!("{} {x},{y},{z}", torus.name));
            wiring.add(&name, vec![node.clone().unwrap_or_default()], 1);
            unit_of.push(index);
        }
        for (x, y, z) in cells(torus.dims) {
            let next = [
                (x, nx, at((x + 1) % nx, y, z)),
                (y, ny, at(x, (y + 1) % ny, z)),
                (z, nz, at(x, y, (z + 1) % nz)),
            ];
            for (along, extent, to) in next {
                if extent > 2 || along + 1 < extent {
                    wiring.join(at(x, y, z), to, 1.0);
                }
            }
        }
    }
    if let ([torus], true) = (found.toruses.as_slice(), alone) {
        wiring.lattice = Some(Lattice::of_routers(torus.dims.to_vec(), vec![true; 3]));
    }
    let names = found
        .toruses
        .iter()
        .map(|torus| torus.name.clone())
        .collect();
    wiring.levels.push(Units {
        name: "torus".into(),
        unit_of,
        names,
        links: 0,
    });
    wiring
}

fn flat(found: &Found) -> Wiring {
    let mut wiring = found.switches();
    wiring.hierarchy(&vec![ROOT; found.units.len()], &|_| "leaf".into());
    wiring
}

/// Nodes without a switch, each a component and a unit of each level.
fn add_unplaced(wiring: &mut Wiring, unplaced: &[String]) {
    for node in unplaced {
        wiring.add(node, vec![node.clone()], 1);
        for level in &mut wiring.levels {
            level.unit_of.push(level.names.len());
            level.names.push(node.clone());
        }
    }
}

/// Contents of the file, for writing it back.
fn site(found: Found) -> Site {
    let index: HashMap<&str, usize> = (0..)
        .zip(&found.units)
        .map(|(i, u)| (u.name.as_str(), i))
        .collect();
    let mut lines: Vec<SiteLine> = Vec::new();
    lines.resize_with(found.units.len(), SiteLine::default);
    for (parent, unit) in found.units.iter().enumerate() {
        (lines[parent].name, lines[parent].nodes) = (unit.name.clone(), unit.nodes.clone());
        for child in unit
            .children
            .iter()
            .filter_map(|child| index.get(child.as_str()))
        {
            lines[*child].parent = Some(parent);
        }
    }
    let Found {
        kind,
        name,
        toruses,
        param,
        weights,
        ..
    } = found;
    Site {
        kind,
        name,
        lines,
        sizes: found.sizes.0,
        toruses,
        param,
        weights,
    }
}

/// The path of a file for a remark about one of its lines.
fn at(text: &Text, line: usize) -> String {
    format!("{}:{line}", Path::new(text.name()).display())
}

/// Checks block sizes: ascending multiples of the first.
fn check_sizes(sizes: &[u64]) -> bool {
    sizes
        .iter()
        .all(|size| *size > 0 && size.is_multiple_of(sizes[0]))
        && sizes.windows(2).all(|pair| pair[0] < pair[1])
}

/// Remark on block sizes that are not the first times a power of two: how Slurm takes them.
fn remark_on_sizes(text: &Text, line: usize, sizes: &[u64]) -> Option<String> {
    let odd = sizes
        .iter()
        .find(|size| !(*size / sizes[0]).is_power_of_two())?;
    Some(format!(
        "{}: block size {odd} is not {} times a power of two: Slurm stops at it (`Invalid BlockSizes value`)",
        at(text, line),
        sizes[0]
    ))
}

/// Remark on a node called ALL: how Slurm takes it.
const ALL: &str =
    "Nodes=ALL is no wildcard: Slurm looks for a node called ALL, and so has none here";

/// The most nodes of a ring.
const LONGEST_RING: usize = 16;
