//! Traffic of a placed guest in four panels: loads of links, a histogram of contention, a histogram of path
//! lengths, and a matrix of senders and receivers.

use super::chart::{Chart, Legend, Panel, WIDTH, draw_panel_title, sort_falling};
use super::drawing::Figure;
use super::element::{Point, Sample, Stroke};
use super::palette::{AXIS, HOLE, MUTED, RAMP_STEPS, look_of_slot, ramp_colour};
use super::pen::{Pen, draw_upright_ramp};
use super::scale::{Scale, format_briefly, format_thousands, lowest_and_highest};
use super::slice::{self, Slice};
use super::text::Text;
use nodeorder_base::{NodeId, Result};
use nodeorder_traffic::mapping::{Analysis, Fabric, Guest, ProcessMapping};

const TOP: f64 = 66.0;
const PANEL: f64 = 340.0;
const GAP: f64 = 66.0;
const LEFT: f64 = 62.0;
const COLUMN: f64 = 398.0;
/// Bars of the contention histogram, the idle links' not counted.
const BARS: usize = 20;
/// Rows and columns of the traffic matrix at most.
const CELLS: usize = 64;

/// A placed guest with its analysis: the data of a mapping's figure.
#[derive(Clone, Copy)]
pub struct PlottedMapping<'a> {
    /// The machine.
    pub fabric: &'a Fabric<'a>,
    /// The traffic.
    pub guest: &'a Guest,
    /// Nodes that the processes of `guest` run on.
    pub placement: &'a ProcessMapping,
    /// The nodes in rank order: the order of the traffic matrix.
    pub ranks: &'a [NodeId],
    /// The routing's name.
    pub routing: &'a str,
    /// Dilation and contention.
    pub analysis: &'a Analysis,
}

/// Draws dilation and contention of a placed guest: links of a plane of the grid coloured by contention (elsewhere
/// the links from the busiest down), histograms of contention and of path lengths, the traffic matrix in rank order.
///
/// # Limits
/// One plane of at most 32×32 routers, the one with the busiest link; at most 64×64 blocks of traffic.
pub fn plot_mapping<'a>(mapped: &PlottedMapping<'a>) -> Figure<'a> {
    let PlottedMapping {
        fabric,
        guest,
        placement,
        ranks,
        routing,
        analysis,
    } = *mapped;
    let contention = &analysis.contention;
    let dilation = &analysis.dilation;
    let title = format!(
        "{} on {}: {}",
        guest.label(),
        fabric.topology.name(),
        placement.label()
    );
    let note = format!(
        "{routing}; contention at most {}, {} on average; dilation {} on average, {} at most",
        format_briefly(contention.max),
        format_briefly(contention.mean),
        format_briefly(dilation.mean),
        format_briefly(dilation.max),
    );
    let description = format!(
        "Four panels: loads of links, how many links have which contention, path lengths of the \
         traffic, and the traffic matrix in rank order. {note}."
    );
    let slice = slice::plane_of_link(
        fabric,
        contention.busiest_links(fabric.links, 1).first().copied(),
    );
    let matrix = Matrix::new(guest, placement, ranks);
    let loads = Loads { fabric, analysis };
    let height = TOP + 26.0 + 2.0 * PANEL + GAP + 18.0 + 52.0;
    Figure::new((&title, &note), description, (WIDTH, height), move |pen| {
        match &slice {
            Some(slice) => loads.draw_plane(pen, slice)?,
            None => loads.draw_ranked_links(pen)?,
        }
        loads.draw_contention_histogram(pen)?;
        loads.draw_dilation_histogram(pen)?;
        matrix.draw(pen)
    })
}

/// Loads and path lengths of a placed guest.
struct Loads<'a> {
    fabric: &'a Fabric<'a>,
    analysis: &'a Analysis,
}

impl Loads<'_> {
    fn link_contention(&self, link: usize) -> f64 {
        self.analysis.contention.loads[link] / self.fabric.links.capacity(link)
    }

    /// Chooses the step of the colour ramp for a value of at most `most`. `None` for zero.
    fn ramp_step(value: f64, most: f64) -> Option<usize> {
        let step = (value / most * (RAMP_STEPS - 1) as f64).round() as usize;
        (value > 0.0).then_some(step.min(RAMP_STEPS - 1))
    }

    /// Draws the links of a plane of the grid, each direction on its right-hand side.
    fn draw_plane(&self, pen: &Pen<'_>, slice: &Slice) -> Result<()> {
        let ((left, top), (right, bottom)) = panel_corners(0);
        panel_heading(pen, 0, &format!("Link contention{}", slice.title))?;
        let room =
            ((right - left) / slice.columns as f64).min((bottom - top - 34.0) / slice.rows as f64);
        let cell = room.min(60.0);
        let floor = top + cell * slice.rows as f64;
        let middle = |(x, y): (f64, f64)| (left + (x + 0.5) * cell, floor - (y + 0.5) * cell);
        let most = self.analysis.contention.max;
        let wide = (cell * 0.13).clamp(0.8, 5.0);
        for arrow in &slice.arrows {
            let from = middle(arrow.from);
            let to = middle(arrow.to);
            let long = (to.0 - from.0).hypot(to.1 - from.1).max(1e-9);
            // To the right of the way it goes, as on a road.
            let dx = (to.0 - from.0) / long;
            let dy = (to.1 - from.1) / long;
            let side = wide * 0.62;
            let shift = |p: Point| (p.0 - dy * side, p.1 + dx * side);
            let colour =
                Self::ramp_step(self.link_contention(arrow.link), most).map_or(HOLE, ramp_colour);
            pen.draw_polyline(&[shift(from), shift(to)], &Stroke::solid_line(colour, wide))?;
        }
        let radius = (cell * 0.13).clamp(0.8, 4.0);
        for y in 0..slice.rows {
            for x in 0..slice.columns {
                pen.draw_disc(middle((x as f64, y as f64)), radius, AXIS)?;
            }
        }
        let name = Text::new(12.0);
        pen.draw_text((left, floor + 15.0), &format!("{} →", slice.across), &name)?;
        pen.draw_text(
            (left - 10.0, floor),
            &format!("{} →", slice.up),
            &name.upwards(),
        )?;
        draw_colour_bar(pen, (right - 150.0, floor + 6.0), &format_briefly(most))
    }

    /// Draws contention from the busiest link down, where there is no plane.
    fn draw_ranked_links(&self, pen: &Pen<'_>) -> Result<()> {
        let order = self
            .analysis
            .contention
            .busiest_links(self.fabric.links, usize::MAX);
        let x = Scale::end_to_end(
            (0.0, self.fabric.links.cabled_link_count().max(1) as f64),
            5,
        );
        let y = Scale::linear((0.0, self.analysis.contention.max), 6).with_brief_labels();
        let x = (&x, "directed links");
        let y = (&y, "contention (volume/capacity)");
        let mut chart = draw_panel(pen, 0, "Contention of the links, the busiest first", x, y)?;
        let ranked: Vec<f64> = order
            .iter()
            .map(|link| self.link_contention(*link))
            .collect();
        let line = sort_falling(&ranked, COLUMN);
        // Idle links are not in the list; the line drops to zero where they begin.
        chart.draw_line(
            line.chain([(order.len() as f64, 0.0)]),
            &Stroke::solid_line(look_of_slot(0).colour, 2.0),
        )
    }

    fn draw_contention_histogram(&self, pen: &Pen<'_>) -> Result<()> {
        let bars = self.analysis.contention.histogram(self.fabric.links, BARS);
        let high = bars.iter().map(|b| b.links).max().unwrap_or(1) as f64;
        let y = Scale::linear((0.0, high), 6).with_brief_labels();
        // Bar i of contention ends at i + 2 and is named by what it reaches there; the bar of idle links is about 1.
        let value =
            |i: usize| format_briefly(self.analysis.contention.max * i as f64 / BARS as f64);
        let tick = |i: usize| (i as f64 + 2.0, value(i));
        let ticks = vec![(1.0, "idle".to_string()), tick(BARS / 2), tick(BARS)];
        let x = Scale::named_ticks((0.0, (BARS + 2) as f64), ticks);
        let x = (&x, "contention (volume/capacity)");
        let y = (&y, "directed links");
        let mut chart = draw_panel(
            pen,
            1,
            "How many directed links have which contention",
            x,
            y,
        )?;
        let bars: Vec<_> = bars
            .iter()
            .map(|b| b.links as f64)
            .enumerate()
            .map(|(i, links)| {
                // Idle links stand apart, since they usually outnumber all others.
                let start = if i == 0 { 0.5 } else { i as f64 + 1.0 };
                [(start + 0.03, 0.0), (start + 0.97, links)]
            })
            .collect();
        chart.draw_bars(bars.iter().take(1).copied(), AXIS)?;
        chart.draw_bars(bars.into_iter().skip(1), look_of_slot(0).colour)
    }

    fn draw_dilation_histogram(&self, pen: &Pen<'_>) -> Result<()> {
        let dilation = &self.analysis.dilation;
        let share = |part: f64, all: f64| if all > 0.0 { 100.0 * part / all } else { 0.0 };
        let histogram = dilation.histogram.iter();
        let shares: Vec<[f64; 2]> = histogram
            .map(|(p, v)| {
                [
                    share(*p as f64, dilation.pairs as f64),
                    share(*v, dilation.volume),
                ]
            })
            .collect();
        let high =
            lowest_and_highest(shares.iter().flatten().copied()).map_or(1.0, |b| b.1.max(1.0));
        // Room above the bars for the legend.
        let y = Scale::linear((0.0, 1.3 * high), 8);
        let every = shares.len().div_ceil(16).max(1);
        let hops = (0..shares.len()).step_by(every);
        let ticks = hops
            .map(|hops| (hops as f64 + 0.5, hops.to_string()))
            .collect();
        let x = Scale::named_ticks((0.0, shares.len().max(4) as f64), ticks);
        let x = (&x, "path length (hops)");
        let y = (&y, "share (%)");
        let mut chart = draw_panel(pen, 2, "How far traffic goes", x, y)?;
        // At most 26 pixels, lest few path lengths make bars as wide as the panel.
        let wide = (26.0 * shares.len().max(4) as f64 / COLUMN).min(0.4);
        for (slot, from) in [(0, 0.5 - wide), (1, 0.5)] {
            chart.draw_bars(
                shares.iter().enumerate().map(|(hops, shares)| {
                    let start = hops as f64 + from;
                    [(start, 0.0), (start + 0.96 * wide, shares[slot])]
                }),
                look_of_slot(slot).colour,
            )?;
        }
        let names = ["pairs of processes", "volume"].into_iter().zip(0..);
        chart.draw_legend_inside(&Legend::new(Sample::Patch, names))
    }
}

/// Traffic between processes in rank order, joined to blocks where there are many.
struct Matrix {
    side: usize,
    processes: usize,
    volume: Vec<f64>,
}

impl Matrix {
    fn new(guest: &Guest, placement: &ProcessMapping, ranks: &[NodeId]) -> Self {
        let n = guest.processes() as usize;
        let side = n.clamp(1, CELLS);
        // Processes by the rank of their node; those of one node by number.
        let mut rank: Vec<(NodeId, usize)> = ranks.iter().copied().zip(0..).collect();
        rank.sort_unstable();
        let rank_of_node = |node: NodeId| {
            rank.binary_search_by_key(&node, |r| r.0)
                // Nodes that the ordering leaves out come last.
                .map_or(n, |i| rank[i].1)
        };
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|p| rank_of_node(placement.nodes()[*p]));
        let mut position = vec![0; n];
        order
            .iter()
            .enumerate()
            .for_each(|(at, p)| position[*p] = at * side / n);
        let mut volume = vec![0.0; side * side];
        guest.for_each_message(|m| {
            let cell = position[m.source as usize] * side + position[m.target as usize];
            volume[cell] += m.volume;
        });
        Matrix {
            side,
            processes: n,
            volume,
        }
    }

    fn draw(&self, pen: &Pen<'_>) -> Result<()> {
        let ((left, top), (_, bottom)) = panel_corners(3);
        panel_heading(pen, 3, "Who sends to whom, in rank order")?;
        // Cells of half pixels, or some rows would look wider than others.
        let cell = ((bottom - top) / self.side as f64 * 2.0).floor().max(1.0) / 2.0;
        let whole = cell * self.side as f64;
        pen.draw_rectangle((left, top), (whole, whole), HOLE)?;
        let most = self.volume.iter().copied().fold(0.0, f64::max);
        let least = self
            .volume
            .iter()
            .copied()
            .filter(|v| *v > 0.0)
            .fold(most, f64::min);
        // Volumes of one job span many powers of ten.
        let step = |volume: f64| -> Option<usize> {
            let span = (most / least).ln();
            let share = if span > 0.0 {
                (volume / least).ln() / span
            } else {
                1.0
            };
            (volume > 0.0).then(|| (share * (RAMP_STEPS - 1) as f64).round() as usize)
        };
        // Equal neighbours in a row are one rectangle.
        for row in 0..self.side {
            let cells = &self.volume[row * self.side..(row + 1) * self.side];
            let mut start = 0;
            for run in cells.chunk_by(|a, b| step(*a) == step(*b)) {
                if let Some(shade) = step(run[0]) {
                    let at = (left + start as f64 * cell, top + row as f64 * cell);
                    pen.draw_rectangle(at, (run.len() as f64 * cell, cell), ramp_colour(shade))?;
                }
                start += run.len();
            }
        }
        let name = Text::new(12.0);
        let last = format_thousands(self.processes.saturating_sub(1) as u64);
        let mut target = format!("target, ranks 0 to {last} →");
        if self.processes > self.side {
            target = format!("target, ranks 0 to {last} in {} blocks →", self.side);
        }
        pen.draw_text((left, top + whole + 15.0), &target, &name)?;
        let source = "← source";
        pen.draw_text(
            (left - 10.0, top + name.estimate_width(source)),
            source,
            &name.upwards(),
        )?;
        draw_volume_colours(pen, (left + whole + 12.0, top), (least, most))
    }
}

/// Computes the corners of a panel in pixels.
fn panel_corners(index: usize) -> (Point, Point) {
    let x = LEFT + (index % 2) as f64 * (COLUMN + GAP);
    let y = TOP + 26.0 + (index / 2) as f64 * (PANEL + GAP + 18.0);
    ((x, y), (x + COLUMN, y + PANEL))
}

/// Makes a chart with its heading.
fn draw_panel<'p, 'a>(
    pen: &'p Pen<'a>,
    index: usize,
    title: &str,
    x: (&'p Scale, &'p str),
    y: (&'p Scale, &'p str),
) -> Result<Chart<'p, 'a>> {
    panel_heading(pen, index, title)?;
    let (from, to) = panel_corners(index);
    Panel { from, to, x, y }.draw_with(pen, (false, true))
}

fn panel_heading(pen: &Pen<'_>, index: usize, text: &str) -> Result<()> {
    let ((left, top), _) = panel_corners(index);
    draw_panel_title(pen, (left, top - 12.0), text, COLUMN + 20.0)
}

/// Draws a colour bar from 0 to `most`.
fn draw_colour_bar(pen: &Pen<'_>, (x, y): Point, most: &str) -> Result<()> {
    let each = 100.0 / RAMP_STEPS as f64;
    for step in 0..RAMP_STEPS {
        pen.draw_rectangle((x + step as f64 * each, y), (each, 9.0), ramp_colour(step))?;
    }
    let tick = Text::new(11.5).with_colour(MUTED);
    pen.draw_text((x - 6.0, y + 9.0), "0", &tick.right_aligned())?;
    pen.draw_text((x + 106.0, y + 9.0), most, &tick)
}

/// Draws the traffic's colours: from the least volume to the most.
fn draw_volume_colours(pen: &Pen<'_>, (x, y): Point, (least, most): (f64, f64)) -> Result<()> {
    let tick = Text::new(11.5).with_colour(MUTED);
    if least < most {
        draw_upright_ramp(pen, (x, y), (10.0, 100.0))?;
        pen.draw_text((x + 14.0, y + 100.0), &format_briefly(least), &tick)?;
    } else if most > 0.0 {
        pen.draw_rectangle((x, y), (10.0, 10.0), ramp_colour(RAMP_STEPS - 1))?;
    }
    pen.draw_text((x + 14.0, y + 9.0), &format_briefly(most), &tick)
}
