//! Where every node is drawn, in pictures and on pages: units within units, a box of the machine's own coordinates, slices
//! of such a box side by side, a circle, or rows of node ids. Pictures are flat: they show slices instead of a box.
//!
//! The centre of a cell is a sum of parts. Each part is a grid, and some digits of the cell's number say which block of
//! that grid the cell is in. So the layout of a large machine takes no more memory than that of a small one.

use std::f64::consts::{FRAC_PI_2, TAU};

use serde::Serialize;

use nodeorder_base::error::thousands;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::{Lattice, Topology};

/// Most cells of a box, and most nodes of a list of cells.
const CELLS: usize = 100_000;
/// Most frames of units, and most slices: more would hide what is in them.
const FRAMES: usize = 3000;
/// Most links drawn.
const LINKS: u64 = 3000;
/// Most routers on a circle.
const CIRCLE: u32 = 400;
/// The side of a cell as a share of the room it has.
pub const EDGE: f64 = 0.92;
/// Sentence about cells that hold several nodes.
const SEVERAL: &str = " A cell with several nodes has the colour of its lowest rank.";

/// Cells, the frames around them and the links between them; lengths in cells.
#[derive(Default, Serialize)]
pub struct Layout {
    /// Extents and names of the three axes of a box; else the layout is flat.
    pub solid: Option<([u32; 3], [String; 3])>,
    /// How many cells there are.
    pub count: u32,
    /// The cell of every node id, or else how many consecutive ids share one.
    #[serde(skip)]
    pub cells: Option<Vec<u32>>,
    pub per_cell: u32,
    /// Width of a flat layout.
    pub width: f64,
    /// Height of a flat layout.
    pub height: f64,
    /// The side of a cell.
    pub edge: f64,
    /// Whether cells are discs.
    pub round: bool,
    /// Grids whose offsets add up to the centre of a cell.
    pub parts: Vec<Part>,
    /// x and y of every cell of a layout without parts.
    #[serde(skip)]
    pub points: Vec<f64>,
    /// Frames around cells.
    pub frames: Vec<Frame>,
    /// Whether a cell without a node is none, rather than a gap in a box of cells.
    pub sparse: bool,
    /// Names and extents of the axes to the right and upwards of panels.
    pub axes: Vec<(String, u32)>,
    /// Ends of lines: x, y, x, y.
    #[serde(skip)]
    pub links: Vec<f64>,
    /// Name of each digit of a cell, with its `=` or space, and the digit.
    pub names: Vec<(String, Digit)>,
    /// Description in a sentence.
    pub about: String,
}

impl Layout {
    /// Centre of a cell: x, y and z.
    pub fn centre(&self, cell: u32) -> [f64; 3] {
        let at = |k: usize| {
            self.points
                .get(2 * cell as usize + k)
                .copied()
                .unwrap_or(0.0)
        };
        self.parts.iter().fold([at(0), at(1), 0.0], |at, part| {
            let offset = part.block(cell).1;
            [0, 1, 2].map(|k| at[k] + offset[k])
        })
    }

    /// Number and origin of the slice or outermost unit that holds a cell.
    pub fn panel(&self, cell: u32) -> (u32, [f64; 3]) {
        match &self.parts[..] {
            [outermost, _, ..] => outermost.block(cell),
            _ => (0, [0.0; 3]),
        }
    }

    /// The cell of a node.
    pub fn cell_of(&self, node: NodeId) -> usize {
        match &self.cells {
            Some(cells) => cells[node.index()] as usize,
            None => node.index() / self.per_cell as usize,
        }
    }
}

/// Stride and extent: `cell / stride % extent`.
pub type Digit = (u32, u32);

/// Adds to the position of every cell: the digits make a number, which counts along rows of `columns`.
#[derive(Serialize)]
pub struct Part {
    digits: Vec<Digit>,
    columns: usize,
    /// Position of number 0, the step to the next number and the step to the next row, as x, y, z.
    start: [f64; 3],
    across: [f64; 3],
    down: [f64; 3],
}

impl Part {
    /// The block of the grid that holds a cell: its number and where it starts.
    fn block(&self, cell: u32) -> (u32, [f64; 3]) {
        let digit = |number, (stride, extent): &Digit| number * extent + cell / stride % extent;
        let number = self.digits.iter().fold(0, digit);
        let (column, row) = (
            number as usize % self.columns,
            number as usize / self.columns,
        );
        let (column, row) = (column as f64, row as f64);
        let at = |k| self.start[k] + column * self.across[k] + row * self.down[k];
        (number, [0, 1, 2].map(at))
    }

    fn grid(digits: Vec<Digit>, grid: &Grid, (x, y): (f64, f64)) -> Self {
        let (across, down) = ([grid.step.0, 0.0, 0.0], [0.0, grid.step.1, 0.0]);
        Part {
            digits,
            columns: grid.columns,
            start: [x, y, 0.0],
            across,
            down,
        }
    }

    fn line(digit: Digit, start: [f64; 3], across: [f64; 3]) -> Self {
        Part {
            digits: vec![digit],
            columns: digit.1 as usize,
            start,
            across,
            down: [0.0; 3],
        }
    }
}

/// A frame and its title.
#[derive(Default, Serialize)]
pub struct Frame {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// Empty where there is none.
    pub title: String,
    /// Shorter title, where there is less room.
    pub short: String,
    /// Room for the title.
    pub head: f64,
    /// Drawn thinly, and not where it is small.
    pub faint: bool,
    /// Not drawn at all: a title only.
    pub bare: bool,
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
            let ragged = 0.8 * ((c - count % c) % c) as f64 / c as f64;
            let off = (across / down / shape).ln().abs() + ragged;
            if off < miss {
                (columns, miss) = (c, off);
            }
            if across > 40.0 * step.1 * count as f64 {
                break;
            }
        }
        Grid {
            count,
            columns,
            step,
            gap,
        }
    }

    fn size(&self) -> (f64, f64) {
        let rows = self.count.div_ceil(self.columns);
        (
            self.columns as f64 * self.step.0 - self.gap,
            rows as f64 * self.step.1 - self.gap,
        )
    }

    fn corner(&self, block: usize) -> (f64, f64) {
        let (column, row) = (block % self.columns, block / self.columns);
        (column as f64 * self.step.0, row as f64 * self.step.1)
    }
}

fn sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

/// The layout of a page, which can turn a box.
pub fn layout(topology: &Topology) -> Layout {
    nested(topology)
        .or_else(|| solid(topology))
        .unwrap_or_else(|| plane(topology, topology.network().per_router()))
}

/// The layout of a picture, where a router of a lattice is one cell.
pub fn flat(topology: &Topology) -> Layout {
    nested(topology).unwrap_or_else(|| plane(topology, 1))
}

/// Slices of the lattice with up to `split` cells a router; without a lattice that suits, routers round a circle or
/// rows of node ids.
fn plane(topology: &Topology, split: u32) -> Layout {
    let lattice = lattice(topology);
    let sliced = lattice
        .as_ref()
        .and_then(|(lattice, axes)| slices(topology, lattice, axes.clone(), split));
    if let Some(slices) = sliced {
        return slices;
    }
    let network = topology.network();
    let mut out = if network.hosts() <= CIRCLE {
        circle(topology)
    } else {
        rows(topology)
    };
    if let Some((lattice, _)) = lattice.filter(|(lattice, _)| lattice.cells.is_none()) {
        out.names = coordinates(lattice, network.per_router());
    }
    out
}

/// The topology's lattice and its axes of more than one coordinate.
fn lattice(topology: &Topology) -> Option<(&Lattice, Vec<usize>)> {
    let few = |cells: &Vec<u32>| cells.len() <= CELLS;
    let lattice = topology
        .lattice()
        .filter(|lattice| lattice.cells.as_ref().is_none_or(few))?;
    Some((
        lattice,
        (0..lattice.extents.len())
            .filter(|a| lattice.extents[*a] > 1)
            .collect(),
    ))
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

/// A box, where exactly three axes have more than one coordinate.
fn solid(topology: &Topology) -> Option<Layout> {
    let (lattice, axes) = lattice(topology)?;
    if axes.len() != 3 || lattice.cell_count() > CELLS {
        return None;
    }
    let names = coordinates(lattice, 1);
    let per_cell = topology.network().per_router();
    let axis = |i: usize| {
        Part::line(
            names[axes[i]].1,
            [0.0; 3],
            [0, 1, 2].map(|k| f64::from(u8::from(k == i))),
        )
    };
    let parts = (0..3).map(axis).collect();
    let extents = [0, 1, 2].map(|i| lattice.extents[axes[i]]);
    let called = [0, 1, 2].map(|i| lattice.axes[axes[i]].clone());
    let several = if lattice.cells.is_some() || per_cell > 1 {
        SEVERAL
    } else {
        ""
    };
    let about = format!(
        "A {} × {} × {} box, drawn with its coordinates {}.{several}",
        extents[0],
        extents[1],
        extents[2],
        called.join(", ")
    );
    Some(Layout {
        count: lattice.cell_count() as u32,
        cells: lattice.cells.clone(),
        per_cell,
        solid: Some((extents, called)),
        parts,
        names,
        about,
        ..Layout::default()
    })
}

/// Units within units, the outermost framed and named; `None` where there are none.
fn nested(topology: &Topology) -> Option<Layout> {
    let network = topology.network();
    // Slots after the last schedulable node are no part of the machine.
    let slots = topology
        .nodes()
        .iter()
        .last()
        .map_or(0, |node| node.index() + 1);
    let exists = |unit: usize, nodes: usize| {
        (unit..unit + nodes).any(|node| topology.nodes().contains(NodeId(node as u32)))
    };
    let levels = network.levels();
    let mut units: Vec<(&str, usize)> = Vec::new();
    // Units that differ in size make no grid.
    for level in levels.iter().filter(|level| !level.has_names()) {
        let nodes = level.slots as usize;
        let around = units.last().map_or(usize::MAX, |(_, nodes)| *nodes);
        let parts = units.is_empty() || around.is_multiple_of(nodes);
        if nodes > 1 && nodes < around.min(slots) && parts {
            units.push((&level.name, nodes));
        }
    }
    let (name, outer) = *units.first()?;
    // From the inside out, since the size of a unit depends on what is in it: the grid in a unit, where it starts and
    // the stride of its digit; and the sizes of units.
    let mut grids = Vec::new();
    let mut sizes = vec![(1.0, 1.0)];
    for (k, (_, nodes)) in units.iter().enumerate().rev() {
        let inside = units.get(k + 1).map(|(_, nodes)| *nodes);
        let (gap, shape) = (
            if inside.is_some() { 0.35 } else { 0.0 },
            if k == 0 { 1.5 } else { 1.2 },
        );
        let grid = Grid::new(
            nodes / inside.unwrap_or(1),
            sizes[sizes.len() - 1],
            gap,
            shape,
        );
        let (w, h) = grid.size();
        let (pad, head) = if k == 0 {
            (0.45, (0.13 * h).max(0.9))
        } else {
            (0.12, 0.0)
        };
        grids.push((grid, (pad, pad + head), inside.unwrap_or(1)));
        sizes.push((w + 2.0 * pad, h + 2.0 * pad + head));
    }
    let size = sizes[units.len()];
    let all = Grid::new(slots.div_ceil(outer), size, 0.08 * size.0 + 0.3, 1.6);
    let head = grids[units.len() - 1].1.1 - 0.45;
    grids.push((all, (0.0, 0.0), outer));
    grids.reverse();
    let mut frames = Vec::new();
    for (k, (_, nodes)) in units.iter().enumerate() {
        let (w, h) = sizes[units.len() - k];
        let framed = (0..slots)
            .step_by(*nodes)
            .take_while(|_| slots / nodes <= FRAMES);
        for node in framed.filter(|unit| exists(*unit, *nodes)) {
            let corner = |(grid, shift, stride): &(Grid, (f64, f64), usize)| {
                sum(grid.corner(node / stride % grid.count), *shift)
            };
            let (x, y) = grids[..=k].iter().map(corner).fold((0.0, 0.0), sum);
            let frame = Frame {
                x,
                y,
                w,
                h,
                ..Frame::default()
            };
            let (title, short) = (
                format!("{name} {}", node / nodes),
                (node / nodes).to_string(),
            );
            frames.push(match k {
                0 => Frame {
                    title,
                    short,
                    head,
                    ..frame
                },
                _ => Frame {
                    faint: true,
                    ..frame
                },
            });
        }
    }
    // Positions are the middles of the innermost squares.
    grids[units.len()].1 = sum(grids[units.len()].1, (0.5, 0.5));
    let digit = |grid: &Grid, stride: usize| (stride as u32, grid.count as u32);
    let part = |(grid, shift, stride): &_| Part::grid(vec![digit(grid, *stride)], grid, *shift);
    let parts = grids.iter().map(part).collect();
    let names = units.iter().zip(&grids);
    let inner: Vec<&str> = units[1..].iter().map(|(name, _)| *name).collect();
    let within = match inner.is_empty() {
        true => String::new(),
        false => format!(", the boxes in it are its units ({})", inner.join(", ")),
    };
    Some(Layout {
        names: names
            .map(|((name, _), (g, _, s))| (format!("{name} "), digit(g, *s)))
            .collect(),
        about: format!("A box is one {name}{within}; a square is a node."),
        frames,
        sparse: true,
        ..cells(slots, all.size(), parts)
    })
}

/// A flat layout of `count` cells.
fn cells(count: usize, (width, height): (f64, f64), parts: Vec<Part>) -> Layout {
    Layout {
        count: count as u32,
        per_cell: 1,
        width,
        height,
        edge: EDGE,
        parts,
        ..Layout::default()
    }
}

/// Planes of the two longest axes side by side; `None` where there are no two axes or too many planes.
fn slices(
    topology: &Topology,
    lattice: &Lattice,
    mut axes: Vec<usize>,
    split: u32,
) -> Option<Layout> {
    if axes.len() < 2 {
        return None;
    }
    axes.sort_by_key(|a| (std::cmp::Reverse(lattice.extents[*a]), *a));
    let (across, up) = (axes[0].min(axes[1]), axes[0].max(axes[1]));
    let others: Vec<usize> = (0..lattice.extents.len())
        .filter(|a| *a != across && *a != up)
        .collect();
    // Nodes of a router stand in its square, as far as there are coordinates of routers.
    let (split, per_cell) = match lattice.cells {
        Some(_) => (1, 1),
        None => (split, topology.network().per_router() / split),
    };
    let names = coordinates(lattice, split);
    let (w, h) = (
        f64::from(lattice.extents[across]),
        f64::from(lattice.extents[up]),
    );
    let panels: usize = others
        .iter()
        .map(|a| lattice.extents[*a] as usize)
        .product();
    if panels > FRAMES {
        return None;
    }
    let head = if panels > 1 { (0.14 * h).max(1.0) } else { 0.0 };
    let gap = if panels > 1 {
        0.12 * w.max(h) + 0.5
    } else {
        0.0
    };
    let grid = Grid::new(panels, (w, h + head), gap, 1.6);
    let fine = f64::from(split).sqrt().ceil();
    let small = Grid {
        count: split as usize,
        columns: fine as usize,
        step: (1.0 / fine, 1.0 / fine),
        gap: 0.0,
    };
    let digits = others.iter().map(|a| names[*a].1).collect();
    let parts = vec![
        Part::grid(digits, &grid, (0.0, head + h - 1.0)),
        Part::line(names[across].1, [0.0; 3], [1.0, 0.0, 0.0]),
        Part::line(names[up].1, [0.0; 3], [0.0, -1.0, 0.0]),
        Part::grid(vec![(1, split)], &small, (0.5 / fine, 0.5 / fine)),
    ];
    let within = Lattice::of_routers(
        others.iter().map(|a| lattice.extents[*a]).collect(),
        Vec::new(),
    );
    let mut at = vec![0; others.len()];
    let mut frames = Vec::new();
    for panel in (0..panels).filter(|_| panels > 1) {
        within.coordinates(panel as u32, &mut at);
        let long = others
            .iter()
            .zip(&at)
            .filter(|(axis, _)| lattice.extents[**axis] > 1);
        let titles: Vec<String> = long
            .map(|(axis, x)| format!("{}{x}", names[*axis].0))
            .collect();
        let ((x, y), h) = (grid.corner(panel), h + head);
        let title = titles.join(", ");
        let short = title.replace(" = ", "").replace(',', "");
        frames.push(Frame {
            x,
            y,
            w,
            h,
            title,
            short,
            head,
            bare: true,
            faint: false,
        });
    }
    let each = match panels {
        0 | 1 => "",
        _ => ", a panel for each position along the other axes",
    };
    let side = match split {
        1 => String::new(),
        n => format!("; a router's {n} nodes stand side by side"),
    };
    let several = if lattice.cells.is_some() || per_cell > 1 {
        SEVERAL
    } else {
        ""
    };
    let (right, upwards) = (&lattice.axes[across], &lattice.axes[up]);
    let about = format!("{right} to the right, {upwards} upwards{each}{side}.{several}");
    Some(Layout {
        cells: lattice.cells.clone(),
        per_cell,
        edge: EDGE / fine,
        axes: [across, up]
            .map(|a| (lattice.axes[a].clone(), lattice.extents[a]))
            .into(),
        frames,
        names,
        about,
        ..cells(lattice.cell_count() * split as usize, grid.size(), parts)
    })
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
    let node = |n: u32| {
        let router = network.router_of(NodeId(n)).0;
        // Its slot, among ids that are dealt out, too.
        let slot = n / network.dealt_over() % per;
        spot(router, radius + 1.05 * f64::from(slot))
    };
    let mut ends = Vec::new();
    if network.link_count() <= LINKS {
        network.for_each_link(&mut |u, v, _| {
            if u < hosts && v < hosts {
                let (a, b) = (spot(u, radius - 0.6), spot(v, radius - 0.6));
                ends.extend([a.0, a.1, b.0, b.1]);
            }
        });
    }
    let outwards = if per > 1 {
        ", their nodes outwards"
    } else {
        ""
    };
    let lines = if ends.is_empty() {
        ""
    } else {
        "; lines are links"
    };
    Layout {
        round: true,
        points: (0..slots).map(node).flat_map(|(x, y)| [x, y]).collect(),
        links: ends,
        about: format!(
            "Routers round a circle by their number, from the top clockwise{outwards}{lines}."
        ),
        ..cells(slots as usize, (size, size), Vec::new())
    }
}

/// Node ids in rows.
fn rows(topology: &Topology) -> Layout {
    let slots = topology.nodes().slot_count();
    let per = f64::from(topology.network().per_router());
    let columns = (((f64::from(slots) * 1.6).sqrt() / per).ceil() * per) as u32;
    let columns = columns.min(slots).max(1);
    let grid = Grid {
        count: slots as usize,
        columns: columns as usize,
        step: (1.0, 1.0),
        gap: 0.0,
    };
    let parts = vec![Part::grid(vec![(1, slots)], &grid, (0.5, 0.5))];
    Layout {
        about: format!(
            "Node ids in rows of {}, from the top left.",
            thousands(u64::from(columns))
        ),
        ..cells(slots as usize, grid.size(), parts)
    }
}

#[cfg(test)]
mod tests;
