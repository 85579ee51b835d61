//! Where an ordering goes on its machine: cells coloured by rank, and its path where it can be made out.

use super::cells::{Layout, Panel, layout};
use super::chart::{WIDTH, figure_title};
use super::drawing::Drawing;
use super::element::{Point, Stroke};
use super::palette::{AXIS, HOLE, INK, MUTED, RAMP_STEPS, Rgb, ramp};
use super::pen::Pen;
use super::scale::thousands;
use super::text::Text;
use crate::error::Result;
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

/// The picture of one ordering.
pub(super) struct Machine {
    title: String,
    layout: Layout,
    ranks: usize,
    cell: f64,
    across: usize,
}

impl Machine {
    pub fn new(topology: &Topology, order: &NodeOrder) -> Self {
        let layout = layout(topology, order);
        let (cell, across) = arrange(&layout.panels);
        let title = format!("{} on {}", order.label(), topology.name());
        Machine { title, layout, ranks: order.len().max(1), cell, across }
    }

    fn panel_size(&self) -> Point {
        let panel = &self.layout.panels[0];
        (panel.columns as f64 * self.cell, panel.rows as f64 * self.cell)
    }

    fn rows_of_panels(&self) -> usize {
        self.layout.panels.len().div_ceil(self.across)
    }

    fn origin(&self, index: usize) -> Point {
        let (w, h) = self.panel_size();
        let (column, row) = (index % self.across, index / self.across);
        (LEFT + column as f64 * (w + GAP), TOP + CAPTION + row as f64 * (h + CAPTION + GAP))
    }

    /// The step of the colour ramp for `rank`.
    fn step(&self, rank: u32) -> usize {
        rank as usize * (RAMP_STEPS - 1) / (self.ranks - 1).max(1)
    }

    /// The top left corner of a cell, within its panel.
    fn corner(&self, panel: &Panel, cell: usize) -> Point {
        let (column, row) = (cell % panel.columns, cell / panel.columns);
        let row = if self.layout.from_bottom { panel.rows - 1 - row } else { row };
        (column as f64 * self.cell, row as f64 * self.cell)
    }

    fn cells(&self, pen: &Pen<'_>) -> Result<()> {
        // Equal neighbours in a row are one rectangle, rectangles of one colour one path.
        let mut by_colour: Vec<(usize, Point, Point)> = Vec::new();
        for (i, panel) in self.layout.panels.iter().enumerate() {
            let origin = self.origin(i);
            for row in 0..panel.rows {
                let cells = row * panel.columns..(row + 1) * panel.columns;
                let steps: Vec<Option<usize>> =
                    panel.ranks[cells].iter().map(|rank| rank.map(|r| self.step(r))).collect();
                let mut start = 0;
                while start < steps.len() {
                    let run = steps[start..].iter().take_while(|s| **s == steps[start]).count();
                    let corner = self.corner(panel, row * panel.columns + start);
                    let at = (origin.0 + corner.0, origin.1 + corner.1);
                    let size = (run as f64 * self.cell, self.cell);
                    by_colour.push((steps[start].unwrap_or(RAMP_STEPS), at, size));
                    start += run;
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
    fn path(&self, pen: &Pen<'_>) -> Result<()> {
        const LIGHT: Rgb = (255, 255, 254); // not the paper, which turns dark
        const DARK: Rgb = (20, 20, 20);
        for (i, panel) in self.layout.panels.iter().enumerate() {
            let origin = self.origin(i);
            let middle = |cell: usize| {
                let corner = self.corner(panel, cell);
                let half = self.cell / 2.0;
                (origin.0 + corner.0 + half, origin.1 + corner.1 + half)
            };
            for (light, near) in [(true, false), (false, false), (true, true), (false, true)] {
                let wide = (self.cell * 0.12).clamp(0.7, 2.4);
                let stroke = Stroke::solid(
                    if light { LIGHT } else { DARK },
                    if near { wide } else { wide * 0.4 },
                );
                let wanted = |(from, to): &&(usize, usize)| {
                    let on_dark = panel.ranks[*from]
                        .is_some_and(|rank| self.step(rank) < RAMP_STEPS * 6 / 10);
                    on_dark == light && adjacent(panel, *from, *to) == near
                };
                for run in chains(panel.steps.iter().filter(wanted)) {
                    let points: Vec<Point> = run.into_iter().map(middle).collect();
                    pen.line(&points, &stroke)?;
                }
            }
            if !panel.steps.is_empty()
                && let Some(cell) = panel.ranks.iter().position(|rank| *rank == Some(0))
            {
                pen.disc(middle(cell), (self.cell * 0.24).clamp(1.6, 5.0), LIGHT)?;
            }
        }
        Ok(())
    }

    fn bar(&self, pen: &Pen<'_>) -> Result<()> {
        let (left, top) = (WIDTH - BAR + 20.0, TOP + CAPTION);
        let height = (self.size().1 - top - BOTTOM).clamp(96.0, 256.0);
        let each = height / RAMP_STEPS as f64;
        for step in 0..RAMP_STEPS {
            let y = top + height - (step + 1) as f64 * each;
            pen.rect((left, y), (16.0, each), ramp(step))?;
        }
        let tick = Text::new(12.0).colour(MUTED);
        let last = self.ranks.saturating_sub(1);
        for (share, rank) in [(0.0, 0), (0.5, last / 2), (1.0, last)] {
            let y = top + height * (1.0 - share);
            pen.line(&[(left + 16.0, y), (left + 20.0, y)], &Stroke::solid(AXIS, 1.0))?;
            pen.text((left + 24.0, y + 4.0), &thousands(rank as u64), &tick)?;
        }
        pen.text((left, top - 10.0), "rank", &Text::new(13.0))?;
        if self.layout.panels.iter().any(|p| p.ranks.contains(&None)) {
            let y = top + height + 14.0;
            pen.rect((left, y), (16.0, 12.0), HOLE)?;
            pen.text((left + 24.0, y + 10.5), "no node", &tick)?;
        }
        Ok(())
    }

    fn directions(&self, pen: &Pen<'_>) -> Result<()> {
        let (x, y) = self.origin(0);
        let height = self.panel_size().1;
        let name = Text::new(12.0).colour(INK);
        let below = self.size().1 - 12.0;
        let arrow = if self.layout.up.is_empty() { "" } else { " →" };
        pen.text((x, below), &format!("{}{arrow}", self.layout.across), &name)?;
        if !self.layout.up.is_empty() {
            let (text, style) = if self.layout.from_bottom {
                (format!("{} →", self.layout.up), name.upwards())
            } else {
                (format!("← {}", self.layout.up), name.upwards())
            };
            let room = name.width(&text);
            pen.text((x - 14.0, y + height.max(room) - 2.0), &text, &style)?;
        }
        Ok(())
    }
}

impl Machine {
    pub fn drawing(self) -> Drawing<'static> {
        let note = if self.layout.note.is_empty() { "" } else { "; " };
        let told = format!(
            "Cells of the machine coloured by rank, dark for the first and light for the last: {} \
             against {}{note}{}.",
            self.layout.up, self.layout.across, self.layout.note
        );
        let title = self.title.clone();
        Drawing::new(&title, told, self.size(), move |pen| self.draw(pen))
    }

    fn size(&self) -> (f64, f64) {
        let rows = self.rows_of_panels() as f64;
        let height = rows * (self.panel_size().1 + CAPTION + GAP) - GAP;
        (WIDTH, (TOP + height + BOTTOM).max(TOP + CAPTION + 96.0 + BOTTOM + 16.0))
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        figure_title(pen, &self.title)?;
        let note = Text::new(12.0).colour(MUTED);
        pen.text((18.0, 52.0), &note.fit(&self.layout.note, WIDTH - 40.0), &note)?;
        self.cells(pen)?;
        self.path(pen)?;
        let caption = Text::new(12.0).colour(INK);
        let (width, _) = self.panel_size();
        for (i, panel) in self.layout.panels.iter().enumerate() {
            let (x, y) = self.origin(i);
            pen.text(
                (x, y - 5.0),
                &caption.fit(&panel.title, (width + GAP - 4.0).max(12.0)),
                &caption,
            )?;
        }
        self.directions(pen)?;
        self.bar(pen)?;
        Ok(())
    }
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

/// Whether two cells of a panel touch.
fn adjacent(panel: &Panel, a: usize, b: usize) -> bool {
    let (ax, ay) = (a % panel.columns, a / panel.columns);
    let (bx, by) = (b % panel.columns, b / panel.columns);
    ax.abs_diff(bx) + ay.abs_diff(by) == 1
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
