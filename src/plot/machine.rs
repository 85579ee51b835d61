//! Where an ordering goes on its machine: cells coloured by rank, and its path where it can be made out.

use super::kit::*;
use crate::ids::NodeId;
use crate::layout::panels::{Panel, Panels, panels_of};
use crate::layout::{Layout, nested};
use crate::ordering::NodeOrder;
use crate::topology::Topology;

const TOP: f64 = 74.0;
const LEFT: f64 = 40.0;
/// Room for the colour bar.
const BAR: f64 = 110.0;
const GAP: f64 = 16.0;
const CAPTION: f64 = 20.0;
const BOTTOM: f64 = 34.0;
/// The height that the panels should not exceed.
const HEIGHT: f64 = 640.0;

/// Nodes up to which a machine of units is drawn with all of them.
const MOST_NODES: usize = 8000;

/// The picture of one ordering in panels.
struct Machine {
    layout: Panels,
    ranks: usize,
    /// The side of a cell.
    cell: f64,
    /// Panels beside each other.
    across: usize,
}

/// Where an ordering goes on its machine: slices of the lattice, units within units or node ids in rows, coloured by
/// rank.
///
/// # Limits
/// At most 24 slices and 8,000 cells are drawn: evenly chosen slices, then blocks of cells (which show the
/// rank of their first). The figure says so.
pub fn machine(topology: &Topology, order: &NodeOrder) -> Figure<'static> {
    let title = format!("{} on {}", order.label(), topology.name());
    let flat = topology.lattice().is_none_or(|lattice| lattice.extents.len() < 2);
    let small = flat && topology.nodes().slot_count() as usize <= MOST_NODES;
    if let Some(layout) = small.then(|| nested(topology)).flatten() {
        return units(&title, topology, order, layout);
    }
    let layout = panels_of(topology, order);
    let (cell, across) = arrange(&layout.panels);
    let machine = Machine { layout, ranks: order.len().max(1), cell, across };
    let Panels { up, across, note, .. } = &machine.layout;
    let more = if note.is_empty() { "" } else { "; " };
    let told = format!(
        "Cells of the machine coloured by rank, dark for the first and light for the last: {up} \
         against {across}{more}{note}."
    );
    let (size, title) = ((WIDTH, machine.height()), (title.as_str(), machine.layout.note.clone()));
    Figure::new((title.0, &title.1), told, size, move |pen| machine.draw(pen))
}

/// Units within units, as the page draws them.
fn units(title: &str, topology: &Topology, order: &NodeOrder, layout: Layout) -> Figure<'static> {
    let told = format!(
        "Nodes of the machine coloured by rank, dark for the first and light for the last. {}",
        layout.about
    );
    let mut colours: Vec<Option<usize>> = (0..layout.count)
        .map(|n| topology.nodes().contains(NodeId(n)).then_some(RAMP_STEPS))
        .collect();
    for (rank, node) in order.nodes().iter().enumerate() {
        colours[node.index()] = Some(step(rank, order.len()));
    }
    let room = WIDTH - LEFT - BAR;
    let scale = (room / layout.width).min(HEIGHT / layout.height).min(44.0);
    let high = (layout.height * scale).max(96.0 + CAPTION);
    let ranks = order.len();
    let title = (title, &*layout.about.clone());
    Figure::new(title, told, (WIDTH, TOP + high + BOTTOM), move |pen| {
        let at = |x: f64, y: f64| (LEFT + x * scale, TOP + y * scale);
        for frame in &layout.frames {
            let (w, h) = (frame.w * scale, frame.h * scale);
            if frame.faint && w.min(h) <= 9.0 {
                continue;
            }
            let ((x, y), colour) = (at(frame.x, frame.y), if frame.faint { GRID } else { AXIS });
            let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)];
            pen.line(&corners, &Stroke::solid(colour, 1.0))?;
            let text = Text::new((frame.head * scale * 0.8).min(12.0)).colour(MUTED);
            let fits = [&frame.title, &frame.short].into_iter().find(|t| text.width(t) < w - 6.0);
            if let Some(title) = fits.filter(|t| !t.is_empty() && frame.head * scale > 8.0) {
                pen.text((x + 4.0, y + frame.head * scale * 0.5 + 4.0), title, &text)?;
            }
        }
        let edge = layout.edge * scale;
        let mut cells: Vec<(usize, u32)> =
            (0..layout.count).filter_map(|n| Some((colours[n as usize]?, n))).collect();
        cells.sort_unstable();
        for (step, cell) in &cells {
            let [x, y, _] = layout.position(*cell);
            let (x, y) = at(x, y);
            let colour = if *step == RAMP_STEPS { HOLE } else { ramp(*step) };
            pen.rect((x - edge / 2.0, y - edge / 2.0), (edge, edge), colour)?;
        }
        let holes = cells.last().is_some_and(|(step, _)| *step == RAMP_STEPS);
        bar(pen, ranks, high - CAPTION, holes)
    })
}

/// The step of the colour ramp for a rank of so many.
fn step(rank: usize, ranks: usize) -> usize {
    rank * (RAMP_STEPS - 1) / (ranks - 1).max(1)
}

impl Machine {
    fn panel_size(&self) -> Point {
        let panel = &self.layout.panels[0];
        (panel.columns as f64 * self.cell, panel.rows as f64 * self.cell)
    }

    fn origin(&self, index: usize) -> Point {
        let (w, h) = self.panel_size();
        let (column, row) = (index % self.across, index / self.across);
        (LEFT + column as f64 * (w + GAP), TOP + CAPTION + row as f64 * (h + CAPTION + GAP))
    }

    fn height(&self) -> f64 {
        let rows = self.layout.panels.len().div_ceil(self.across) as f64;
        let height = rows * (self.panel_size().1 + CAPTION + GAP) - GAP;
        (TOP + height + BOTTOM).max(TOP + CAPTION + 96.0 + BOTTOM + 16.0)
    }

    /// The top left corner of a cell of the panel at `origin`.
    fn corner(&self, panel: &Panel, cell: usize, origin: Point) -> Point {
        let (column, row) = (cell % panel.columns, cell / panel.columns);
        let row = if self.layout.from_bottom { panel.rows - 1 - row } else { row };
        (origin.0 + column as f64 * self.cell, origin.1 + row as f64 * self.cell)
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        self.cells(pen)?;
        let (caption, (width, _)) = (Text::new(12.0), self.panel_size());
        for (i, panel) in self.layout.panels.iter().enumerate() {
            let (x, y) = self.origin(i);
            self.path(pen, panel, (x, y))?;
            let title = caption.fit(&panel.title, (width + GAP - 4.0).max(12.0));
            pen.text((x, y - 5.0), &title, &caption)?;
        }
        self.directions(pen)?;
        let holes = self.layout.panels.iter().any(|p| p.ranks.contains(&None));
        bar(pen, self.ranks, self.height() - TOP - CAPTION - BOTTOM, holes)
    }

    fn cells(&self, pen: &Pen<'_>) -> Result<()> {
        // Equal neighbours in a row are one rectangle, rectangles of one colour one path.
        let mut by_colour: Vec<(usize, Point, Point)> = Vec::new();
        for (i, panel) in self.layout.panels.iter().enumerate() {
            let origin = self.origin(i);
            for (row, ranks) in panel.ranks.chunks(panel.columns).enumerate() {
                let shade =
                    |rank: &Option<u32>| rank.map_or(RAMP_STEPS, |r| step(r as usize, self.ranks));
                let mut start = row * panel.columns;
                for run in ranks.chunk_by(|a, b| shade(a) == shade(b)) {
                    let size = (run.len() as f64 * self.cell, self.cell);
                    by_colour.push((shade(&run[0]), self.corner(panel, start, origin), size));
                    start += run.len();
                }
            }
        }
        by_colour.sort_by_key(|(step, ..)| *step);
        for (step, at, size) in by_colour {
            let colour = if step == RAMP_STEPS { HOLE } else { ramp(step) };
            pen.rect(at, size, colour)?;
        }
        Ok(())
    }

    /// Steps between cells, light on dark and dark on light; jumps thinner.
    fn path(&self, pen: &Pen<'_>, panel: &Panel, origin: Point) -> Result<()> {
        const LIGHT: Rgb = (255, 255, 254); // not the paper, which turns dark
        const DARK: Rgb = (20, 20, 20);
        let middle = |cell: usize| {
            let (x, y) = self.corner(panel, cell, origin);
            (x + self.cell / 2.0, y + self.cell / 2.0)
        };
        let wide = (self.cell * 0.12).clamp(0.7, 2.4);
        for (light, near) in [(true, false), (false, false), (true, true), (false, true)] {
            let colour = if light { LIGHT } else { DARK };
            let stroke = Stroke::solid(colour, if near { wide } else { wide * 0.4 });
            let wanted = |(from, to): &&(usize, usize)| {
                let dark = |rank| step(rank as usize, self.ranks) < RAMP_STEPS * 6 / 10;
                panel.ranks[*from].is_some_and(dark) == light && panel.adjacent(*from, *to) == near
            };
            for run in chains(panel.steps.iter().filter(wanted)) {
                let points: Vec<Point> = run.into_iter().map(middle).collect();
                pen.line(&points, &stroke)?;
            }
        }
        match panel.ranks.iter().position(|rank| *rank == Some(0)) {
            Some(cell) if !panel.steps.is_empty() => {
                pen.disc(middle(cell), (self.cell * 0.24).clamp(1.6, 5.0), LIGHT)
            }
            _ => Ok(()),
        }
    }

    fn directions(&self, pen: &Pen<'_>) -> Result<()> {
        let (x, y) = self.origin(0);
        let Panels { across, up, from_bottom, .. } = &self.layout;
        let name = Text::new(12.0);
        let arrow = if up.is_empty() { "" } else { " →" };
        pen.text((x, self.height() - 12.0), &format!("{across}{arrow}"), &name)?;
        let text = match (up.is_empty(), from_bottom) {
            (true, _) => return Ok(()),
            (false, true) => format!("{up} →"),
            (false, false) => format!("← {up}"),
        };
        let end = y + self.panel_size().1.max(name.width(&text)) - 2.0;
        pen.text((x - 14.0, end), &text, &name.upwards())
    }
}

/// The colours of ranks, at most `height` high.
fn bar(pen: &Pen<'_>, ranks: usize, height: f64, holes: bool) -> Result<()> {
    let (left, top) = (WIDTH - BAR + 20.0, TOP + CAPTION);
    let height = height.clamp(96.0, 256.0);
    upright_ramp(pen, (left, top), (16.0, height))?;
    let tick = Text::new(12.0).colour(MUTED);
    let last = ranks.saturating_sub(1);
    for (share, rank) in [(0.0, 0), (0.5, last / 2), (1.0, last)] {
        let y = top + height * (1.0 - share);
        pen.line(&[(left + 16.0, y), (left + 20.0, y)], &Stroke::solid(AXIS, 1.0))?;
        pen.text((left + 24.0, y + 4.0), &thousands(rank as u64), &tick)?;
    }
    pen.text((left, top - 10.0), "rank", &Text::new(13.0))?;
    if holes {
        let y = top + height + 14.0;
        pen.rect((left, y), (16.0, 12.0), HOLE)?;
        pen.text((left + 24.0, y + 10.5), "no node", &tick)?;
    }
    Ok(())
}

/// Cell size and panels a row such that cells are as large as the room allows.
fn arrange(panels: &[Panel]) -> (f64, usize) {
    let room = WIDTH - LEFT - BAR;
    let (columns, rows) = (panels[0].columns as f64, panels[0].rows as f64);
    let fit = |across: usize| {
        let down = panels.len().div_ceil(across) as f64;
        let width = (room - (across as f64 - 1.0) * GAP) / across as f64 / columns;
        let height = (HEIGHT - down * (CAPTION + GAP)) / down / rows;
        // Half pixels keep the file small; a cell is never wider than a thumb.
        (width.min(height).min(44.0) * 2.0).floor() / 2.0
    };
    let best = (1..=panels.len()).max_by(|a, b| fit(*a).total_cmp(&fit(*b)).then(b.cmp(a)));
    let across = best.unwrap_or(1);
    (fit(across).max(1.0), across)
}

/// Joins steps that follow one another into polylines.
fn chains<'a>(steps: impl Iterator<Item = &'a (usize, usize)>) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (from, to) in steps {
        match chains.last_mut() {
            Some(chain) if chain.last() == Some(from) => chain.push(*to),
            _ => chains.push(vec![*from, *to]),
        }
    }
    chains
}
