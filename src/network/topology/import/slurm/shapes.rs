//! The switches and cables of a topology of each kind.

use std::collections::BTreeMap;

use super::found::{Found, at};
use crate::topology::import::wiring::{ROOT, Units, Wiring};
use crate::topology::lattice::Lattice;
use crate::topology::site::cells;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

pub(super) fn tree(text: &Text, found: &Found) -> Result<Wiring> {
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
pub(super) fn blocks(found: &Found) -> Result<Wiring> {
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

pub(super) fn rings(found: &Found) -> Wiring {
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
pub(super) fn toruses(found: &Found, alone: bool) -> Wiring {
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

pub(super) fn flat(found: &Found) -> Wiring {
    let mut wiring = found.switches();
    wiring.hierarchy(&vec![ROOT; found.units.len()], &|_| "leaf".into());
    wiring
}

/// Nodes without a switch, each a component and a unit of each level.
pub(super) fn add_unplaced(wiring: &mut Wiring, unplaced: &[String]) {
    for node in unplaced {
        wiring.add(node, vec![node.clone()], 1);
        for level in &mut wiring.levels {
            level.unit_of.push(level.names.len());
            level.names.push(node.clone());
        }
    }
}
