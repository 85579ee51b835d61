//! Where the page's script draws every node: a box of the machine's own coordinates, groups within groups, slices
//! side by side, a circle, or rows of node ids.
//!
//! A position is a sum of parts, each looked up by digits of the cell's number, so that a layout of any machine is a
//! few short lists.

use std::f64::consts::{FRAC_PI_2, TAU};

use serde::Serialize;

use super::data;
use crate::plot::thousands;
use crate::topology::{Lattice, Topology};

/// Cells of a lattice drawn as one at most.
const CELLS: usize = 100_000;
/// Frames of units or slices at most: more would hide what is in them.
const FRAMES: usize = 3000;
/// Links drawn at most.
const LINKS: u64 = 3000;
/// Routers on a circle at most.
const CIRCLE: u32 = 400;

/// Cells, the frames around them and the links between them; lengths in cells.
#[derive(Default, Serialize)]
pub(super) struct Layout {
    /// Extents and names of the three axes of a box; else the layout is flat.
    solid: Option<([u32; 3], [String; 3])>,
    count: u32,
    /// The cell of every node id, or else how many consecutive ids share one.
    cells: Option<String>,
    per_cell: u32,
    width: f64,
    height: f64,
    /// The side of a cell.
    edge: f64,
    round: bool,
    parts: Vec<Part>,
    frames: Vec<Frame>,
    /// Ends of lines: x, y, x, y.
    links: String,
    /// What each digit of a cell is called: the name with its `=` or space, and the digit.
    names: Vec<(String, Digit)>,
    about: String,
}

/// Stride and extent: `cell / stride % extent`.
type Digit = (u32, u32);

/// Adds to the position of every cell, by the number that the digits make.
#[derive(Serialize)]
struct Part {
    digits: Vec<Digit>,
    x: String,
    y: String,
    z: String,
}

impl Part {
    /// Positions in the plane, by number.
    fn flat(digits: Vec<Digit>, at: &[(f64, f64)]) -> Self {
        let (x, y) = (at.iter().map(|p| p.0), at.iter().map(|p| p.1));
        Part { digits, x: data::floats(x), y: data::floats(y), z: String::new() }
    }
}

/// A frame and its title.
#[derive(Default, Serialize)]
struct Frame {
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    title: String,
    /// What there is of the title where there is less room.
    short: String,
    /// Room for the title.
    head: f64,
    /// Drawn thinly, and not where it is small.
    faint: bool,
    /// Not drawn at all: a title only.
    bare: bool,
}

/// A grid of equal blocks.
#[derive(Clone, Copy)]
struct Grid {
    count: usize,
    columns: usize,
    step: (f64, f64),
    gap: f64,
}

impl Grid {
    /// `count` blocks of `w` by `h`, `gap` apart, in a rectangle of about this shape.
    fn new(count: usize, (w, h): (f64, f64), gap: f64, shape: f64) -> Self {
        let step = (w + gap, h + gap);
        let (mut columns, mut miss) = (1, f64::INFINITY);
        for c in 1..=count {
            let (across, down) = (c as f64 * step.0, count.div_ceil(c) as f64 * step.1);
            // A last row that is not full looks odd.
            let ragged = 0.6 * ((c - count % c) % c) as f64 / c as f64;
            let off = (across / down / shape).ln().abs() + ragged;
            if off < miss {
                (columns, miss) = (c, off);
            }
            if across > 40.0 * step.1 * count as f64 {
                break;
            }
        }
        Grid { count, columns, step, gap }
    }

    fn size(&self) -> (f64, f64) {
        let rows = self.count.div_ceil(self.columns);
        (self.columns as f64 * self.step.0 - self.gap, rows as f64 * self.step.1 - self.gap)
    }

    fn corner(&self, block: usize) -> (f64, f64) {
        let (column, row) = (block % self.columns, block / self.columns);
        (column as f64 * self.step.0, row as f64 * self.step.1)
    }

    /// The corners of all blocks, moved by `shift`.
    fn corners(&self, shift: (f64, f64)) -> Vec<(f64, f64)> {
        (0..self.count).map(|b| sum(self.corner(b), shift)).collect()
    }
}

fn sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// The layout that suits the topology.
pub(super) fn layout(topology: &Topology) -> Layout {
    let lattice = topology.lattice().filter(|lattice| {
        lattice.cell_count() <= CELLS
            && lattice.cells.as_ref().is_none_or(|cells| cells.len() <= CELLS)
    });
    let long = |l: &Lattice| (0..l.extents.len()).filter(|a| l.extents[*a] > 1).collect::<Vec<_>>();
    let network = topology.network();
    if let Some(nested) = nested(topology) {
        return nested;
    }
    match lattice.map(|lattice| (lattice, long(lattice))) {
        Some((lattice, axes)) if axes.len() == 3 => solid(topology, lattice, &axes),
        Some((lattice, axes)) if axes.len() > 1 => slices(topology, lattice, axes),
        lattice => {
            let mut out = match network.hosts() <= CIRCLE {
                true => circle(topology),
                false => rows(topology),
            };
            if let Some((lattice, _)) = lattice.filter(|(lattice, _)| lattice.cells.is_none()) {
                out.names = coordinates(lattice, network.per_router());
            }
            out
        }
    }
}

/// The digits of a lattice's cells with what they are called, `per` numbers a cell.
fn coordinates(lattice: &Lattice, per: u32) -> Vec<(String, Digit)> {
    let mut stride = per;
    let mut names = Vec::new();
    for (name, extent) in lattice.axes.iter().zip(&lattice.extents).rev() {
        names.push((format!("{name} = "), (stride, *extent)));
        stride *= extent;
    }
    names.reverse();
    names
}

/// A box of the three axes that have more than one position.
fn solid(topology: &Topology, lattice: &Lattice, axes: &[usize]) -> Layout {
    let names = coordinates(lattice, 1);
    let per_cell = topology.network().per_router();
    let parts = (0..3)
        .map(|i| {
            let digit = names[axes[i]].1;
            let along = |axis: usize| match axis == i {
                true => data::floats((0..digit.1).map(f64::from)),
                false => String::new(),
            };
            Part { digits: vec![digit], x: along(0), y: along(1), z: along(2) }
        })
        .collect();
    let extents = [0, 1, 2].map(|i| lattice.extents[axes[i]]);
    let called = [0, 1, 2].map(|i| lattice.axes[axes[i]].clone());
    let several = match lattice.cells.is_some() || per_cell > 1 {
        true => " A cell with several nodes has the colour of its lowest rank.",
        false => "",
    };
    let about = format!(
        "A {} × {} × {} box, drawn with its coordinates {}.{several}",
        extents[0],
        extents[1],
        extents[2],
        called.join(", ")
    );
    Layout {
        count: lattice.cell_count() as u32,
        cells: lattice.cells.as_ref().map(|cells| data::integers(cells.iter().copied(), true)),
        per_cell,
        solid: Some((extents, called)),
        parts,
        names,
        about,
        ..Layout::default()
    }
}

/// Units within units, the outermost framed and named; `None` where there are none.
fn nested(topology: &Topology) -> Option<Layout> {
    let network = topology.network();
    let slots = topology.nodes().slot_count() as usize;
    let mut units: Vec<(&str, usize)> = Vec::new();
    for level in network.levels() {
        let nodes = level.routers as usize * network.per_router() as usize;
        let around = units.last().map_or(slots, |(_, nodes)| *nodes);
        let parts = units.is_empty() || around.is_multiple_of(nodes);
        if nodes > 1 && nodes < around && parts {
            units.push((level.name, nodes));
        }
    }
    let (name, outer) = *units.first()?;
    // From the inside out: the grid in a unit, the corner at which it begins, and the unit's size.
    let mut blocks: Vec<(Grid, (f64, f64), (f64, f64))> = Vec::new();
    for (k, (_, nodes)) in units.iter().enumerate().rev() {
        let inner = blocks.last().map_or((1.0, 1.0), |(_, _, size)| *size);
        let (count, gap) = match units.get(k + 1) {
            Some((_, inside)) => (nodes / inside, 0.35),
            None => (*nodes, 0.0),
        };
        let grid = Grid::new(count, inner, gap, if k == 0 { 1.5 } else { 1.2 });
        let (w, h) = grid.size();
        let pad = if k == 0 { 0.45 } else { 0.12 };
        let head = if k == 0 { (0.13 * h).max(0.9) } else { 0.0 };
        blocks.push((grid, (pad, pad + head), (w + 2.0 * pad, h + 2.0 * pad + head)));
    }
    blocks.reverse();
    let (_, (pad, start), size) = blocks[0];
    let all = Grid::new(slots.div_ceil(outer), size, 0.08 * size.0 + 0.3, 1.6);
    let mut strides: Vec<usize> = units.iter().map(|(_, nodes)| *nodes).collect();
    strides.push(1);
    let mut grids = vec![(all, (0.0, 0.0), outer)];
    grids.extend(blocks.iter().zip(&strides[1..]).map(|((g, shift, _), s)| (*g, *shift, *s)));
    let mut frames = Vec::new();
    for u in (0..all.count).take(FRAMES) {
        let ((x, y), (w, h)) = (all.corner(u), size);
        let (title, short) = (format!("{name} {u}"), u.to_string());
        frames.push(Frame { x, y, w, h, title, short, head: start - pad, ..Frame::default() });
    }
    for (k, (_, nodes)) in units.iter().enumerate().skip(1) {
        let (w, h) = blocks[k].2;
        for node in (0..slots).step_by(*nodes).take_while(|_| slots / nodes <= FRAMES) {
            let corner = |(grid, shift, stride): &(Grid, (f64, f64), usize)| {
                sum(grid.corner(node / stride % grid.count), *shift)
            };
            let (x, y) = grids[..=k].iter().map(corner).fold((0.0, 0.0), sum);
            frames.push(Frame { x, y, w, h, faint: true, ..Frame::default() });
        }
    }
    // Positions are the middles of the innermost squares.
    let last = grids.len() - 1;
    grids[last].1 = sum(grids[last].1, (0.5, 0.5));
    let digit = |stride: usize, count: usize| (stride as u32, count as u32);
    let parts = grids.iter().map(|(grid, shift, stride)| {
        Part::flat(vec![digit(*stride, grid.count)], &grid.corners(*shift))
    });
    let inner: Vec<&str> = units[1..].iter().map(|(name, _)| *name).collect();
    let within = match inner.is_empty() {
        true => String::new(),
        false => format!(", the boxes in it are its units ({})", inner.join(", ")),
    };
    Some(Layout {
        names: (units.iter().zip(&grids))
            .map(|((name, nodes), (grid, ..))| (format!("{name} "), digit(*nodes, grid.count)))
            .collect(),
        about: format!("A box is one {name}{within}; a square is a node."),
        frames,
        ..flat(slots, all.size(), parts.collect())
    })
}

/// A flat layout of nodes or cells.
fn flat(count: usize, (width, height): (f64, f64), parts: Vec<Part>) -> Layout {
    Layout {
        count: count as u32,
        per_cell: 1,
        width,
        height,
        edge: 0.9,
        parts,
        ..Layout::default()
    }
}

/// Planes of the two longest axes side by side.
fn slices(topology: &Topology, lattice: &Lattice, mut axes: Vec<usize>) -> Layout {
    axes.sort_by_key(|a| (std::cmp::Reverse(lattice.extents[*a]), *a));
    let (across, up) = (axes[0].min(axes[1]), axes[0].max(axes[1]));
    let others: Vec<usize> =
        (0..lattice.extents.len()).filter(|a| *a != across && *a != up).collect();
    // Nodes of a router stand in its square, as far as there are coordinates of routers.
    let split = if lattice.cells.is_some() { 1 } else { topology.network().per_router() };
    let names = coordinates(lattice, split);
    let (w, h) = (f64::from(lattice.extents[across]), f64::from(lattice.extents[up]));
    let panels: usize = others.iter().map(|a| lattice.extents[*a] as usize).product();
    let head = if panels > 1 { (0.14 * h).max(1.0) } else { 0.0 };
    let gap = if panels > 1 { 0.12 * w.max(h) + 0.5 } else { 0.0 };
    let grid = Grid::new(panels, (w, h + head), gap, 1.6);
    let fine = f64::from(split).sqrt().ceil() as u32;
    let small = |slot: u32| {
        let middle = |i: u32| (f64::from(i) + 0.5) / f64::from(fine);
        (middle(slot % fine), middle(slot / fine))
    };
    let line = |extent: u32| (0..extent).map(f64::from);
    let parts = vec![
        Part::flat(others.iter().map(|a| names[*a].1).collect(), &grid.corners((0.0, head))),
        Part::flat(
            vec![names[across].1],
            &line(names[across].1.1).map(|x| (x, 0.0)).collect::<Vec<_>>(),
        ),
        Part::flat(
            vec![names[up].1],
            &line(names[up].1.1).map(|y| (0.0, h - 1.0 - y)).collect::<Vec<_>>(),
        ),
        Part::flat(vec![(1, split)], &(0..split).map(small).collect::<Vec<_>>()),
    ];
    let mut frames = Vec::new();
    for panel in (0..panels).take_while(|_| (2..=FRAMES).contains(&panels)) {
        let mut rest = panel as u32;
        let mut at = Vec::new();
        for axis in others.iter().rev() {
            at.push((axis, rest % lattice.extents[*axis]));
            rest /= lattice.extents[*axis];
        }
        let titles = at.iter().rev().filter(|(axis, _)| lattice.extents[**axis] > 1);
        let title = titles.map(|(axis, x)| format!("{}{x}", names[**axis].0)).collect::<Vec<_>>();
        let short = at.iter().rev().map(|(_, x)| x.to_string()).collect::<Vec<_>>().join(",");
        let (x, y) = grid.corner(panel);
        let title = title.join(", ");
        frames.push(Frame { x, y, w, h: h + head, title, short, head, bare: true, faint: false });
    }
    let each = match panels {
        0 | 1 => "",
        _ => ", a panel for each position along the other axes",
    };
    let side = match split {
        1 => String::new(),
        n => format!("; a router's {n} nodes stand side by side"),
    };
    let about =
        format!("{} to the right, {} upwards{each}{side}.", lattice.axes[across], lattice.axes[up]);
    Layout {
        cells: lattice.cells.as_ref().map(|cells| data::integers(cells.iter().copied(), true)),
        edge: 0.92 / f64::from(fine),
        frames,
        names,
        about,
        ..flat(lattice.cell_count() * split as usize, grid.size(), parts)
    }
}

/// Routers round a circle with their links, nodes outwards.
fn circle(topology: &Topology) -> Layout {
    let network = topology.network();
    let (hosts, per) = (network.hosts(), network.per_router());
    let radius = (f64::from(hosts) * 1.35 / TAU).max(3.0);
    let size = 2.0 * (radius + 0.8 + 1.05 * (f64::from(per) - 1.0));
    let spot = |router: u32, r: f64| {
        let turn = f64::from(router) / f64::from(hosts) * TAU - FRAC_PI_2;
        (size / 2.0 + r * turn.cos(), size / 2.0 + r * turn.sin())
    };
    let slots = topology.nodes().slot_count();
    let at: Vec<(f64, f64)> =
        (0..slots).map(|n| spot(n / per, radius + 1.05 * f64::from(n % per))).collect();
    let mut ends = Vec::new();
    if network.link_count() <= LINKS {
        network.for_each_link(&mut |u, v, _| {
            if u < hosts && v < hosts {
                let (a, b) = (spot(u, radius - 0.6), spot(v, radius - 0.6));
                ends.extend([a.0, a.1, b.0, b.1]);
            }
        });
    }
    let outwards = if per > 1 { ", their nodes outwards" } else { "" };
    let lines = if ends.is_empty() { "" } else { "; lines are links" };
    Layout {
        round: true,
        links: data::floats(ends.into_iter()),
        about: format!(
            "Routers round a circle by their number, from the top clockwise{outwards}{lines}."
        ),
        ..flat(slots as usize, (size, size), vec![Part::flat(vec![(1, slots)], &at)])
    }
}

/// Node ids in rows.
fn rows(topology: &Topology) -> Layout {
    let slots = topology.nodes().slot_count();
    let per = f64::from(topology.network().per_router());
    let columns = (((f64::from(slots) * 1.6).sqrt() / per).ceil() * per) as u32;
    let columns = columns.min(slots).max(1);
    let down = slots.div_ceil(columns);
    let middles = |n: u32| (0..n).map(|i| f64::from(i) + 0.5);
    let parts = vec![
        Part::flat(vec![(1, columns)], &middles(columns).map(|x| (x, 0.0)).collect::<Vec<_>>()),
        Part::flat(vec![(columns, down)], &middles(down).map(|y| (0.0, y)).collect::<Vec<_>>()),
    ];
    Layout {
        about: format!("Node ids in rows of {}, from the top left.", thousands(u64::from(columns))),
        ..flat(slots as usize, (f64::from(columns), f64::from(down)), parts)
    }
}
