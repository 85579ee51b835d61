//! Machines as cells coloured by rank, group or share, and the path of an ordering where it can be made out.

use std::collections::BTreeMap;

use super::chart::WIDTH;
use super::drawing::Figure;
use super::element::{Point, Stroke};
use super::node_key::{Key, NodeGroup};
use super::palette::{AXIS, GRID, HOLE, MUTED, RAMP_STEPS, Rgb};
use super::pen::Pen;
use super::scale::format_thousands;
use super::text::Text;
use crate::layout::{EDGE, Frame, Layout, lay_out_picture};
use nodeorder_base::{NodeId, Result};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;

const TOP: f64 = 74.0;
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 34.0;
/// Most pixels that the cells take in height, and most that one of them takes.
const HEIGHT: f64 = 640.0;
const LARGEST_CELL: f64 = 44.0;
/// Cells above which neighbours are drawn as one, so that the picture of a random ordering stays small too.
const MOST_CELLS: u32 = 8000;
/// Most cells of a slice whose path can be made out, and most steps of a path.
const MOST_PATH_CELLS: usize = 400;
const MOST_STEPS: usize = 4000;

/// A cell, or a block of cells that are drawn as one.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The value that colours it: of ranks the lowest in the first cell that has one, of groups the first of all.
    value: Option<u32>,
    /// The corners, in cells of the layout.
    low: Point,
    high: Point,
}

/// The picture of a machine.
struct NodeMap {
    layout: Layout,
    blocks: Vec<Block>,
    key: Key,
    /// The cell of the first node of a path.
    start: u32,
    /// Steps of the ordering within a slice: rank, from cell, to cell. Empty where no path is drawn.
    steps: Vec<(u32, u32, u32)>,
    /// Pixels a cell of the layout.
    scale: f64,
    /// Width, in pixels, of the room for the key.
    bar: f64,
}

/// Draws where an ordering goes on its machine: units within units, slices of the lattice, racks, routers round a
/// circle or node ids in rows, coloured by rank.
///
/// # Limits
/// Neighbours of more than 8,000 cells are drawn as one block with the rank of its first cell: a sample, which keeps
/// disorder visible where a mean would smooth it away. The figure says so.
pub fn plot_machine(topology: &Topology, order: &NodeOrder) -> Figure<'static> {
    let title = format!("{} on {}", order.label(), topology.name());
    let last = order.len().saturating_sub(1) as u32;
    let labels = [0, last / 2, last].map(|rank| format_thousands(rank.into()));
    let ranks = order.nodes().iter().copied().zip(0..);
    let about = "Nodes of the machine coloured by rank, dark for the first and light for the last.";
    let key = Key::Ramp("rank", last, labels);
    plot_cells(topology, (&title, about), ranks, key, Some(order))
}

/// Draws groups of nodes on their machine, as [`plot_machine`] does; a block of several cells has the first group of
/// those in it.
pub fn plot_groups(topology: &Topology, title: &str, groups: &[NodeGroup]) -> Figure<'static> {
    let mut values = Vec::new();
    for (i, group) in (0..).zip(groups) {
        values.extend(group.nodes.iter().map(|node| (*node, i)));
    }
    let labels: Vec<&str> = groups.iter().map(|group| group.label.as_str()).collect();
    let about = format!("Nodes of the machine by group: {}.", labels.join("; "));
    plot_cells(
        topology,
        (title, &about),
        values,
        Key::of_groups(groups),
        None,
    )
}

/// Draws a share from 0 to 1 for each node in colours from 0 to the highest; `name` is what the colours stand for.
pub fn plot_shares(
    topology: &Topology,
    title: &str,
    name: &'static str,
    shares: &[(NodeId, f64)],
) -> Figure<'static> {
    let most = shares.iter().map(|share| share.1).fold(0.0, f64::max);
    // Thousandths of the highest: more than there are colours.
    let value = |share: f64| (1000.0 * share / most.max(f64::MIN_POSITIVE)) as u32;
    let values = shares.iter().map(|(node, share)| (*node, value(*share)));
    let labels = [0.0, most / 2.0, most].map(|share| format!("{:.1} %", 100.0 * share));
    let about = format!(
        "Nodes of the machine coloured by {name}, 0 to {}.",
        labels[2]
    );
    plot_cells(
        topology,
        (title, &about),
        values,
        Key::Ramp(name, 1000, labels),
        None,
    )
}

/// Draws the cells of nodes with values, and the path of an ordering where it can be made out; `title` comes with a
/// description.
fn plot_cells(
    topology: &Topology,
    (title, about): (&str, &str),
    nodes: impl IntoIterator<Item = (NodeId, u32)>,
    key: Key,
    order: Option<&NodeOrder>,
) -> Figure<'static> {
    let layout = lay_out_picture(topology);
    let mut drawn = vec![!layout.sparse; layout.count as usize];
    topology
        .nodes()
        .iter()
        .for_each(|node| drawn[layout.cell_of(node)] = true);
    let mut values = vec![None; layout.count as usize];
    for (node, value) in nodes {
        let cell = layout.cell_of(node);
        // The lowest comes first, so that a cell of several nodes keeps it.
        values[cell].get_or_insert(value);
        drawn[cell] = true;
    }
    let side = f64::from(layout.count.div_ceil(MOST_CELLS)).sqrt().ceil() as u32;
    let cells = (0..).zip(values).filter(|(c, _)| drawn[*c as usize]);
    // A job's few nodes must not vanish in blocks of others; of ranks a sample is enough.
    let lowest = matches!(key, Key::Groups(_));
    let mut blocks = join_neighbours(&layout, side, lowest, cells);
    join_same_colour(&mut blocks, |value| key.colour(value));
    // Those of one colour become one path.
    blocks.sort_by_key(|block| block.value.unwrap_or(u32::MAX));
    // Blocks of several cells hide where a step starts.
    let path = order.filter(|_| side == 1);
    let steps = path.map_or_else(Vec::new, |order| visible_steps(&layout, order));
    let mut note = layout.about.clone();
    if side > 1 {
        let whose = if lowest {
            "the first of the legend"
        } else {
            "their first"
        };
        note += &format!(" Up to {side} x {side} cells are one square, coloured by {whose}.");
    } else if !steps.is_empty() {
        let within = if layout.frames.is_empty() {
            ""
        } else {
            " within each slice"
        };
        note = format!("The line is the path by rank{within}, from the dot; jumps are thin.");
    }
    let description = format!("{about} {}", layout.about);
    let bar = key.estimate_room();
    let room = WIDTH - LEFT - bar;
    let scale = (room / layout.width)
        .min(HEIGHT / layout.height)
        .min(LARGEST_CELL);
    let high = (layout.height * scale).max(116.0);
    let start = order
        .and_then(|order| order.nodes().first())
        .map_or(0, |node| layout.cell_of(*node) as u32);
    let map = NodeMap {
        layout,
        blocks,
        key,
        start,
        steps,
        scale,
        bar,
    };
    Figure::new(
        (title, &note),
        description,
        (WIDTH, TOP + high + BOTTOM),
        move |pen| map.draw(pen, high),
    )
}

/// Joins `side` by `side` neighbours of a slice or outermost unit into one block, in the order of
/// slices, rows and columns; it has the `lowest` value of its cells, or that of the first.
fn join_neighbours(
    layout: &Layout,
    side: u32,
    lowest: bool,
    cells: impl Iterator<Item = (u32, Option<u32>)>,
) -> Vec<Block> {
    let pitch = f64::from(side) * layout.edge / EDGE;
    // Nodes of a unit stand apart, all else touches, so that a path is not lost among the gaps.
    let apart = side == 1 && (layout.sparse || layout.round);
    let half = if apart {
        layout.edge / 2.0
    } else {
        layout.edge / EDGE / 2.0
    };
    let offset = |cell: u32| {
        let [x, y, _] = layout.centre_of_cell(cell);
        let [left, top, _] = layout.panel_of_cell(cell).1;
        (x - left, y - top)
    };
    let cells: Vec<_> = cells.collect();
    let mut corner = (f64::MAX, f64::MAX);
    for (cell, _) in &cells {
        let (x, y) = offset(*cell);
        corner = (corner.0.min(x), corner.1.min(y));
    }
    let mut blocks: BTreeMap<(u32, u32, u32), Block> = BTreeMap::new();
    for (cell, value) in cells {
        // Blocks are counted from the corner of each slice, so that none of them lies in two slices.
        let index = |at: f64, corner: f64| ((at - corner) / pitch + 1e-6) as u32;
        let at = offset(cell);
        // Single cells stand for themselves, wherever they lie.
        let key = match side {
            1 => (cell, 0, 0),
            _ => (
                layout.panel_of_cell(cell).0,
                index(at.1, corner.1),
                index(at.0, corner.0),
            ),
        };
        let [x, y, _] = layout.centre_of_cell(cell);
        let low = (x - half, y - half);
        let high = (x + half, y + half);
        let block = blocks.entry(key).or_insert(Block { value, low, high });
        block.value = match block.value.zip(value) {
            Some((before, own)) if lowest => Some(before.min(own)),
            _ => block.value.or(value),
        };
        block.low = (block.low.0.min(low.0), block.low.1.min(low.1));
        block.high = (block.high.0.max(high.0), block.high.1.max(high.1));
    }
    blocks.into_values().collect()
}

/// Joins blocks of one colour that touch and follow one another in a row.
fn join_same_colour(blocks: &mut Vec<Block>, colour: impl Fn(u32) -> Rgb) {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-6;
    blocks.dedup_by(|next, block| {
        let same = next.value.map(&colour) == block.value.map(&colour)
            && close(next.low.0, block.high.0)
            && close(next.low.1, block.low.1)
            && close(next.high.1, block.high.1);
        if same {
            block.high = next.high;
            block.value = block.value.min(next.value);
        }
        same
    });
}

/// Lists the steps of the ordering from cell to cell within a slice, where they make a path that can be seen: few
/// cells, and most of the steps within slices.
fn visible_steps(layout: &Layout, order: &NodeOrder) -> Vec<(u32, u32, u32)> {
    let small = layout.count as usize <= MOST_PATH_CELLS * layout.frames.len().max(1);
    // Units and routers on a circle have no neighbours that a line could follow.
    if !small || layout.sparse || layout.round {
        return Vec::new();
    }
    let cells: Vec<u32> = order
        .nodes()
        .iter()
        .map(|node| layout.cell_of(*node) as u32)
        .collect();
    let steps = (0..)
        .zip(cells.windows(2))
        .map(|(rank, pair)| (rank, pair[0], pair[1]));
    let steps: Vec<_> = steps
        .filter(|(_, a, b)| a != b && layout.panel_of_cell(*a).0 == layout.panel_of_cell(*b).0)
        .collect();
    // An ordering that mostly jumps between slices would show a path in pieces.
    let path = steps.len() <= MOST_STEPS && steps.len() * 2 + 1 >= order.len();
    if path { steps } else { Vec::new() }
}

impl NodeMap {
    /// Computes the pixel of a point of the layout.
    fn to_pixel(&self, x: f64, y: f64) -> Point {
        (LEFT + x * self.scale, TOP + y * self.scale)
    }

    /// Computes the pixel of a cell's centre.
    fn centre_pixel(&self, cell: u32) -> Point {
        let [x, y, _] = self.layout.centre_of_cell(cell);
        self.to_pixel(x, y)
    }

    fn draw(&self, pen: &Pen<'_>, high: f64) -> Result<()> {
        for line in self.layout.links.chunks_exact(4) {
            let ends = [
                self.to_pixel(line[0], line[1]),
                self.to_pixel(line[2], line[3]),
            ];
            pen.draw_polyline(&ends, &Stroke::solid_line(GRID, 1.0))?;
        }
        self.layout
            .frames
            .iter()
            .try_for_each(|frame| self.draw_frame(pen, frame))?;
        for block in &self.blocks {
            let colour = block.value.map_or(HOLE, |value| self.key.colour(value));
            let from = self.to_pixel(block.low.0, block.low.1);
            let to = self.to_pixel(block.high.0, block.high.1);
            let size = (to.0 - from.0, to.1 - from.1);
            if self.layout.round {
                pen.draw_disc(
                    (from.0 + size.0 / 2.0, from.1 + size.1 / 2.0),
                    size.0 / 2.0,
                    colour,
                )?
            } else {
                pen.draw_rectangle(from, size, colour)?
            }
        }
        self.draw_path(pen)?;
        let axes = self.layout.axes.iter();
        let axes: Vec<String> = axes
            .map(|(axis, extent)| format!("{axis} ({}) →", format_thousands(u64::from(*extent))))
            .collect();
        if let [across, up] = &axes[..] {
            let name = Text::new(12.0);
            // On a flat machine the upright name is longer than the cells are high, and must not run into the
            // heading.
            let end = TOP + (self.layout.height * self.scale).max(name.estimate_width(up));
            pen.draw_text((LEFT, end + BOTTOM - 12.0), across, &name)?;
            pen.draw_text((LEFT - 14.0, end - 2.0), up, &name.upwards())?;
        }
        let holes = self.blocks.iter().any(|block| block.value.is_none());
        let at = (WIDTH - self.bar + 20.0, TOP + 20.0);
        self.key.draw_key(pen, at, high - 20.0, holes)
    }

    fn draw_frame(&self, pen: &Pen<'_>, frame: &Frame) -> Result<()> {
        let (x, y) = self.to_pixel(frame.x, frame.y);
        let w = frame.w * self.scale;
        let h = frame.h * self.scale;
        // Smaller boxes would be more line than ground.
        if frame.faint && w.min(h) <= 9.0 {
            return Ok(());
        }
        if !frame.bare {
            let colour = if frame.faint { GRID } else { AXIS };
            let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)];
            pen.draw_polyline(&corners, &Stroke::solid_line(colour, 1.0))?;
        }
        let head = frame.head * self.scale;
        let left = if frame.bare { 0.0 } else { 4.0 };
        let text = Text::new((head * 0.8).min(12.0)).with_colour(MUTED);
        let fits = [&frame.title, &frame.short]
            .into_iter()
            .find(|t| text.estimate_width(t) < w - left);
        match fits.filter(|title| !title.is_empty() && head > 8.0) {
            Some(title) => pen.draw_text((x + left, y + head * 0.5 + 4.0), title, &text),
            None => Ok(()),
        }
    }

    /// Draws the steps between cells, light on dark and dark on light; jumps thinner.
    fn draw_path(&self, pen: &Pen<'_>) -> Result<()> {
        const LIGHT: Rgb = (255, 255, 254); // not the paper, which turns dark
        const DARK: Rgb = (20, 20, 20);
        let cell = self.layout.edge * self.scale;
        let wide = (cell * 0.12).clamp(0.7, 2.4);
        // Jumps come first, so that they run under the steps between neighbours.
        for (light, near) in [(true, false), (false, false), (true, true), (false, true)] {
            let colour = if light { LIGHT } else { DARK };
            let stroke = Stroke::solid_line(colour, if near { wide } else { wide * 0.4 });
            let steps: Vec<_> = self
                .steps
                .iter()
                .filter(|(rank, from, to)| {
                    let [(ax, ay), (bx, by)] = [self.centre_pixel(*from), self.centre_pixel(*to)];
                    let touch = (ax - bx).hypot(ay - by) < 1.2 * cell;
                    (self.key.ramp_step(*rank) < RAMP_STEPS * 6 / 10) == light && touch == near
                })
                .collect();
            // Steps that follow one another are one line.
            for run in steps.chunk_by(|a, b| a.2 == b.1) {
                let cells = std::iter::once(run[0].1).chain(run.iter().map(|step| step.2));
                pen.draw_polyline(
                    &cells
                        .map(|cell| self.centre_pixel(cell))
                        .collect::<Vec<_>>(),
                    &stroke,
                )?;
            }
        }
        if self.steps.is_empty() {
            Ok(())
        } else {
            pen.draw_disc(
                self.centre_pixel(self.start),
                (cell * 0.24).clamp(1.6, 5.0),
                LIGHT,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_every_cell_and_the_rank_of_their_first() {
        let machines = [
            "mesh:1000x70",
            "torus:11x8x4x4x2",
            "fat-tree:k=36",
            "torus:30000",
            "mesh:150x90x3",
        ];
        for spec in machines {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            let layout = lay_out_picture(&topology);
            let side = f64::from(layout.count.div_ceil(MOST_CELLS)).sqrt().ceil() as u32;
            let blocks = join_neighbours(
                &layout,
                side,
                false,
                (0..layout.count).map(|cell| (cell, Some(cell))),
            );
            assert!(
                blocks.len() < 2 * MOST_CELLS as usize,
                "{spec}: {}",
                blocks.len()
            );
            let holds = |block: &Block, (x, y): Point| {
                (block.low.0..=block.high.0).contains(&x)
                    && (block.low.1..=block.high.1).contains(&y)
            };
            for block in &blocks {
                let [x, y, _] = layout.centre_of_cell(block.value.unwrap());
                assert!(holds(block, (x, y)), "{spec}: {block:?}");
            }
            for cell in (0..layout.count).step_by(101) {
                let [x, y, _] = layout.centre_of_cell(cell);
                let around = blocks.iter().filter(|block| holds(block, (x, y)));
                assert!(
                    around.filter(|block| block.value <= Some(cell)).count() > 0,
                    "{spec}: {cell}"
                );
            }
        }
    }

    #[test]
    fn a_path_is_drawn_where_it_can_be_made_out() {
        let count = |spec: &str, order: &str| {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            let order = NodeOrder::make(&topology, order).unwrap();
            visible_steps(&lay_out_picture(&topology), &order).len()
        };
        assert_eq!(count("mesh:8x8", "snake"), 63);
        // Six slices of 15 by 16: the ordering leaves a slice after every line of 16.
        assert_eq!(count("torus:15x6x16", "row-major"), 15 * 6 * 15);
        assert_eq!(count("mesh:100x100", "row-major"), 0);
        assert_eq!(count("fat-tree:k=4", "row-major"), 0);
    }
}
