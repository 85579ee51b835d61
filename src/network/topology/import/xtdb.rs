//! Cray's `xtdb2proc` output: the processor table of XT, XE and XC systems.
//!
//! Every line is one processor with its coordinates, such as `processor_id=12,processor_type='compute',x_coord=1,…`.
//! The network is the torus or cascade of the box that the coordinates span; the file only says where nodes are.

use std::collections::{BTreeMap, HashMap};

use crate::topology::families::{cascade, grid};
use crate::topology::family::{TopologyEntry, build_inline};
use crate::topology::network::Network;
use crate::topology::sizes::MAX_NODES;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Line, Opt, Result};

/// `xtdb2proc:FILE[,network=torus|cascade]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "xtdb2proc",
    about: "the compute nodes of a Cray XT, XE or XC that xtdb2proc printed, by their coordinates",
    example: "xtdb2proc:processors.txt",
    options: &[
        Opt::file("file", "what xtdb2proc printed").positional(),
        Opt::one_of(
            "network",
            &["torus", "cascade"],
            "torus: x, y, z of a 3D torus; cascade: x is the group, y the chassis, z the slot",
        ),
    ],
    parse: |params, _| {
        let expected = "a file of xtdb2proc, as in xtdb2proc:processors.txt";
        let cascade = params.required_choice("network")? == "cascade";
        FileNetwork::parse(params, expected, move |file| build_network(file, cascade))
    },
};

/// Builds a router for each cell of the box that the coordinates span from 0, with the nodes of that cell, by their
/// processor ids, `cascade` if they are group, chassis and slot; a node is called `nid` and its id, five digits wide.
/// Service processors and those that are not up are no nodes. Routers without nodes stay in the network. Fails, with
/// the line, if it is no `key=value`, a key is missing or comes twice, a number is none or an id comes again, or if
/// coordinates span far more cells than there are processors.
fn build_network(file: &SourceFile<'_>, cascade: bool) -> Result<Network> {
    let text = &file.text;
    let mut places: BTreeMap<[u32; 3], Vec<u32>> = BTreeMap::new();
    let mut seen: HashMap<u32, usize> = HashMap::new();
    let mut extents = [1u32; 3];
    for line in text.data_lines() {
        let values = read_values(&line)?;
        let id = read_number(&line, &values, "processor_id")?;
        let mut at = [0; 3];
        for (coordinate, key) in at.iter_mut().zip(["x_coord", "y_coord", "z_coord"]) {
            *coordinate = read_number(&line, &values, key)?;
        }
        let kind = value_of(&line, &values, "processor_type")?;
        let status = value_of(&line, &values, "processor_status")?;
        if let Some(other) = seen.insert(id, line.number) {
            let found = format!("processor_id={id} again (line {other} has it)");
            return Err(line.error_here(found, "each once"));
        }
        // Processors that are no nodes are part of the box all the same.
        for (extent, x) in extents.iter_mut().zip(at) {
            *extent = (*extent).max(x + 1);
        }
        if kind == "compute" && status == "up" {
            places.entry(at).or_default().push(id);
        }
    }
    let Some(per_router) = places.values().map(Vec::len).max() else {
        let found = "no compute processor that is up";
        return Err(Error::input(text.location(), found, "lines of key=value,…"));
    };
    let processors = seen.len() as u64;
    let [nx, ny, nz] = extents;
    let routers = u64::from(nx) * u64::from(ny) * u64::from(nz);
    let slots = routers * per_router as u64;
    // A slip in one coordinate would make a box of nothing; small ones may be sparse.
    if routers > 64 * processors + 4096 || slots > MAX_NODES {
        let found = format!("coordinates of {nx}x{ny}x{nz} places for {processors} processors");
        let expected = "a box that is mostly filled";
        return Err(Error::input(text.location(), found, expected));
    }
    let mut family = &grid::TORUS;
    let mut shape = format!("torus:{nx}x{ny}x{nz},per_router={per_router}");
    let mut spec = file.spec();
    if cascade {
        family = &cascade::FAMILY;
        shape = format!("cascade:{nz}x{ny}x{nx},per_router={per_router}");
        spec += ",network=cascade";
    }
    file.context
        .require_memory("the names of the nodes", 64 * slots)?;
    let inner = build_inline(family, &shape, file.context)?;
    let mut names = vec![String::new(); slots as usize];
    for ([x, y, z], mut ids) in places {
        ids.sort_unstable();
        let router = ((x * ny + y) * nz + z) as usize;
        for (slot, id) in ids.iter().enumerate() {
            names[router * per_router + slot] = format!("nid{id:05}");
        }
    }
    Ok(Network {
        spec,
        names,
        ..inner
    })
}

/// Looks up the value of a key. Fails if the line lacks it.
fn value_of<'l>(line: &Line<'_>, values: &HashMap<&'l str, &'l str>, key: &str) -> Result<&'l str> {
    let value = values.get(key).copied();
    value.ok_or_else(|| line.error_here(format!("a line without {key}"), format!("{key}=…")))
}

/// Reads the number of a key. Fails if the line lacks it, or it is no whole number below 2²⁰.
fn read_number(line: &Line<'_>, values: &HashMap<&str, &str>, key: &str) -> Result<u32> {
    let value = value_of(line, values, key)?;
    match value.parse::<u32>() {
        Ok(number) if number < 1 << 20 => Ok(number),
        _ => Err(line.error_here(format!("{key}={value}"), "a whole number from 0 to 1048575")),
    }
}

/// Reads the `key=value` pairs of a line; a value may stand in single quotes, and then hold commas.
fn read_values<'l>(line: &Line<'l>) -> Result<HashMap<&'l str, &'l str>> {
    let mut values = HashMap::new();
    let mut rest = line.text;
    while !rest.is_empty() {
        let wrong = || {
            let word = rest.split(',').next().unwrap_or_default();
            line.error_here(format!("`{word}`"), "key=value,…")
        };
        let (key, after) = rest.split_once('=').ok_or_else(wrong)?;
        let key = key.trim();
        let (value, after) = match after.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'').ok_or_else(wrong)?,
            None => after.split_at(after.find(',').unwrap_or(after.len())),
        };
        if key.is_empty() || key.contains(',') || !(after.is_empty() || after.starts_with(',')) {
            return Err(wrong());
        }
        if values.insert(key, value.trim()).is_some() {
            return Err(line.error_here(format!("`{key}` twice"), "each key once"));
        }
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
    use crate::topology::testing::{check_links, check_metric};
    use crate::topology::{Context, Topology};

    fn line(id: u32, [x, y, z]: [u32; 3], kind: &str, status: &str) -> String {
        format!(
            "cpu=0,slot=0,cabinet=null,x_coord={x},y_coord={y},z_coord={z},process_slots=4,\
             processor_status='{status}',processor_type='{kind}',alloc_mode='batch, other',processor_id={id}\n"
        )
    }

    #[test]
    fn coordinates_make_a_torus_or_groups() {
        let mut text = "# a comment\n".to_string();
        for (id, at) in [
            (4, [0, 0, 1]),
            (5, [0, 0, 1]),
            (0, [0, 0, 0]),
            (8, [1, 2, 3]),
            (9, [1, 2, 3]),
        ] {
            text += &line(id, at, "compute", "up");
        }
        text += &line(1, [0, 0, 0], "service", "up");
        text += &line(2, [0, 1, 0], "compute", "down");
        let torus = machine("xtdb2proc", &text).unwrap();
        check_links(&torus);
        check_metric(&torus);
        assert_eq!(
            names(&torus),
            "nid00000 nid00004 nid00005 nid00008 nid00009"
        );
        let s = torus.statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.places), (5, 2 * 3 * 4, 48));
        let at = |name: &str| torus.node_named(name).unwrap();
        assert_eq!(torus.distance(at("nid00000"), at("nid00009")), 3);
        assert_eq!(torus.distance(at("nid00004"), at("nid00005")), 0);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p");
        std::fs::write(&file, &text).unwrap();
        let spec = format!("xtdb2proc:{},network=cascade", file.display());
        let cascade = Topology::inline(&spec, &Context::default()).unwrap();
        assert_eq!(
            levels(&cascade),
            [
                ("group".into(), 2),
                ("chassis".into(), 6),
                ("blade".into(), 24)
            ]
        );
        assert_eq!(cascade.spec(), spec);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let good = line(1, [0, 0, 0], "compute", "up");
        let with = |from: &str, to: &str| good.replace(from, to);
        check_refused(
            "xtdb2proc",
            &[
                ("", ": found no compute processor"),
                (
                    &line(1, [0, 0, 0], "service", "up"),
                    ": found no compute processor",
                ),
                ("x_coord\n", ":1: found `x_coord`; expected key=value"),
                ("a=1,=2\n", ":1: found `=2`; expected key=value"),
                ("a='1\n", ":1: found `a='1`"),
                ("a=1,a=2\n", ":1: found `a` twice"),
                (&with("x_coord=0,", ""), ":1: found a line without x_coord"),
                (
                    &with("y_coord=0", "y_coord=-1"),
                    ":1: found y_coord=-1; expected a whole number",
                ),
                (
                    &with("processor_id=1", "processor_id=z"),
                    ":1: found processor_id=z",
                ),
                (
                    &with("'compute'", "'compute'x"),
                    ":1: found `processor_type='compute'x`",
                ),
                (
                    &format!("{good}{good}"),
                    ":2: found processor_id=1 again (line 1 has it)",
                ),
                (
                    &with("z_coord=0", "z_coord=100000"),
                    ": found coordinates of 1x1x100001 places",
                ),
            ],
        );
    }
}
