//! The switches and cables of a topology of each kind.

use std::collections::BTreeMap;

use super::found::NamedTopology;
use crate::topology::distance::{Product, Shape};
use crate::topology::import::wiring::{NO_PARENT, Units, Wiring};
use crate::topology::lattice::Lattice;
use crate::topology::site::list_cells;
use nodeorder_base::Result;

/// Builds a switch for each unit, linked to those below it. Fails if a unit that is named below another is not
/// described, stands below itself, or twice below one.
pub(super) fn wire_tree(found: &NamedTopology) -> Result<Wiring> {
    let mut wiring = found.wiring_of_switches();
    let names = found.units.iter().map(|unit| unit.name.as_str());
    let known: BTreeMap<&str, usize> = names.zip(0..).collect();
    let mut above = vec![NO_PARENT; found.units.len()];
    for (parent, unit) in found.units.iter().enumerate() {
        for child in &unit.children {
            let Some(&below) = known.get(child.as_str()) else {
                let found = format!("switch `{child}`, which no line describes");
                return Err(unit.error_here(found, "a line SwitchName=… for each switch"));
            };
            let ends = (parent.min(below), parent.max(below));
            if below == parent || wiring.links.contains_key(&ends) {
                let found = format!("`{child}` below `{}`", unit.name);
                return Err(unit.error_here(found, "each switch below others, once"));
            }
            wiring.add_cable(parent, below, 1.0);
            if let Some(speed) = found.units[below].speed {
                wiring.speeds.insert(ends, speed);
            }
            above[below] = parent;
        }
    }
    refuse_loops(found, &known)?;
    for (unit, above) in found.units.iter().zip(&above) {
        // scontrol prints a speed of 1 for every switch: that says nothing.
        if *above == NO_PARENT && unit.speed.is_some_and(|speed| speed > 1) {
            let what = "LinkSpeed= is passed over, as no switch is above this one";
            wiring.remarks.push(format!("{}: {what}", unit.place));
        }
    }
    wiring.build_levels(&above, &|height| match height {
        0 => "leaf".into(),
        height => format!("level{height}"),
    });
    Ok(wiring)
}

/// Refuses switches that are below themselves: takes away switches with nothing above until none is left; what remains
/// is a loop.
fn refuse_loops(found: &NamedTopology, known: &BTreeMap<&str, usize>) -> Result<()> {
    let mut parents = vec![0; found.units.len()];
    for child in found.units.iter().flat_map(|unit| &unit.children) {
        parents[known[child.as_str()]] += 1;
    }
    let mut free: Vec<usize> = (0..parents.len()).filter(|i| parents[*i] == 0).collect();
    while let Some(top) = free.pop() {
        for child in &found.units[top].children {
            let child = known[child.as_str()];
            parents[child] -= 1;
            if parents[child] == 0 {
                free.push(child);
            }
        }
    }
    let Some(looped) = parents.iter().position(|n| *n > 0) else {
        return Ok(());
    };
    let unit = &found.units[looped];
    let found = format!("switch `{}` below itself, in a loop", unit.name);
    Err(unit.error_here(found, "a tree or trees of switches"))
}

/// Builds a switch for each block, one above each group of blocks, and one above all:
///
/// ```text
/// BlockSizes=18,36                  all
///                                 /     \
///                      aggregate36       aggregate36
///                        /     \          /     \
///                     block   block    block   block       18 nodes each
/// ```
pub(super) fn wire_blocks(found: &NamedTopology) -> Result<Wiring> {
    let mut wiring = found.wiring_of_switches();
    let line = found.units.first().map_or(1, |unit| unit.line);
    let base = found.sizes.first().copied().unwrap_or(1);
    let mut below: Vec<usize> = (0..found.units.len()).collect();
    let mut above = vec![NO_PARENT; below.len()];
    let mut names = vec!["block".to_string()];
    // Number of blocks below each switch of `below`.
    let mut reach = 1;
    // The last group is that of all blocks.
    let sizes = found.sizes.iter().skip(1);
    let sizes = sizes.map(|size| (Some(*size), size / base));
    for (size, blocks) in sizes.chain([(None, u64::MAX)]) {
        if below.len() == 1 {
            break;
        }
        let mut next = Vec::new();
        let width = usize::try_from((blocks / reach).max(1)).unwrap_or(usize::MAX);
        for group in below.chunks(width) {
            let name = format!("above {}", wiring.switches[group[0]].name);
            let index = wiring.add_switch(&name, Vec::new(), line);
            above.push(NO_PARENT);
            for block in group {
                wiring.add_cable(*block, index, 1.0);
                above[*block] = index;
            }
            next.push(index);
        }
        names.push(size.map_or("all".into(), |size| format!("aggregate{size}")));
        below = next;
        reach = blocks;
    }
    wiring.build_levels(&above, &|height| names[height].clone());
    Ok(wiring)
}

/// Builds a switch for each node, linked to the next one of its ring.
pub(super) fn wire_rings(found: &NamedTopology) -> Wiring {
    let mut wiring = wiring_of_units("ring");
    for unit in &found.units {
        for node in &unit.nodes {
            wiring.add_switch(node, vec![node.clone()], unit.line);
        }
        join_torus(&mut wiring, &unit.name, &[unit.nodes.len() as u32]);
    }
    wiring
}

/// Builds a switch for each cell, x slowest, linked to the next along each axis; `alone` if every node has a cell.
pub(super) fn wire_toruses(found: &NamedTopology, alone: bool) -> Wiring {
    let mut wiring = wiring_of_units("torus");
    for torus in &found.toruses {
        let [nx, ny, _] = torus.dims;
        for (x, y, z) in list_cells(torus.dims) {
            let node = &torus.cells[(x + nx * (y + ny * z)) as usize];
            let hole = format!("{} {x},{y},{z}", torus.name);
            let name = node.as_ref().unwrap_or(&hole);
            wiring.add_switch(name, vec![node.clone().unwrap_or_default()], 1);
        }
        join_torus(&mut wiring, &torus.name, &torus.dims);
    }
    if let [torus] = found.toruses.as_slice()
        && alone
    {
        wiring.lattice = Some(Lattice::with_router_cells(
            torus.dims.to_vec(),
            vec![true; 3],
        ));
    }
    wiring
}

/// Creates a wiring without switches, whose only level is called `name`.
fn wiring_of_units(name: &str) -> Wiring {
    let level = Units {
        name: name.into(),
        unit_of: Vec::new(),
        names: Vec::new(),
        links: 0,
    };
    Wiring {
        levels: vec![level],
        ..Wiring::default()
    }
}

/// Joins the switches that are in no unit yet to a ring or torus of these extents, the last one fastest, which is the
/// next unit.
fn join_torus(wiring: &mut Wiring, name: &str, extents: &[u32]) {
    let level = &mut wiring.levels[0];
    let first = level.unit_of.len();
    level
        .unit_of
        .resize(wiring.switches.len(), level.names.len());
    level.names.push(name.into());
    Product::of_shape(Shape::Ring, extents).for_each_link(&mut |a, b, _| {
        wiring.add_cable(first + a as usize, first + b as usize, 1.0);
    });
}

/// Builds one switch with all nodes.
pub(super) fn wire_flat(found: &NamedTopology) -> Wiring {
    let mut wiring = found.wiring_of_switches();
    wiring.build_levels(&vec![NO_PARENT; found.units.len()], &|_| "leaf".into());
    wiring
}

/// Adds a switch for each node that no line places; it is a component and a unit of each level.
pub(super) fn add_unplaced(wiring: &mut Wiring, unplaced: &[String]) {
    for node in unplaced {
        wiring.add_switch(node, vec![node.clone()], 1);
        for level in &mut wiring.levels {
            level.unit_of.push(level.names.len());
            level.names.push(node.clone());
        }
    }
}
