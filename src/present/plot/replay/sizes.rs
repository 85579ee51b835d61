//! How many jobs have which size: by octave in bars, and every size on logarithmic axes.

use std::collections::BTreeMap;

use crate::plot::chart::{BELOW, Chart, LOG_SIZES, MARGIN, Panel, TOP, WIDTH};
use crate::plot::drawing::Figure;
use crate::plot::palette::{MUTED, look_of_slot};
use crate::plot::pen::Pen;
use crate::plot::scale::{Scale, format_thousands, lowest_and_highest};
use crate::plot::text::Text;
use nodeorder_base::Result;

const PANEL: f64 = 260.0;

/// Most sizes that have marks; more are drawn as dots.
const FEW: usize = 60;

/// Job sizes of a log.
struct Log {
    /// Jobs by size, both positive.
    jobs: BTreeMap<u32, u64>,
    total: u128,
    nodes: u128,
}

impl Log {
    fn new(log: &[(u32, u64)]) -> Self {
        let mut jobs: BTreeMap<u32, u64> = BTreeMap::new();
        for (size, count) in log.iter().filter(|(size, count)| *size > 0 && *count > 0) {
            let jobs = jobs.entry(*size).or_default();
            *jobs = jobs.saturating_add(*count);
        }
        // Wide sums: node counts times job counts may exceed 64 bits in a file that anyone may write.
        let total = jobs.values().map(|n| u128::from(*n)).sum();
        let nodes = jobs
            .iter()
            .map(|(s, n)| u128::from(*s) * u128::from(*n))
            .sum();
        Log { jobs, total, nodes }
    }

    /// Computes the share, in per cent of the jobs, of each octave from `first` to `last`.
    fn shares_by_octave(&self, first: u32, last: u32) -> Vec<f64> {
        let mut jobs = vec![0u128; (last - first + 1) as usize];
        for (size, count) in &self.jobs {
            jobs[(octave_of_size(*size) - first) as usize] += u128::from(*count);
        }
        jobs.iter()
            .map(|n| 100.0 * *n as f64 / (self.total as f64).max(1.0))
            .collect()
    }

    /// Describes in words how many jobs there are, and their mean size in nodes.
    fn describe_jobs(&self) -> String {
        let jobs = format_thousands(u64::try_from(self.total).unwrap_or(u64::MAX));
        format!(
            "{jobs} jobs, mean size {:.1} nodes",
            self.nodes as f64 / self.total.max(1) as f64
        )
    }
}

/// Computes the octave of a size: 1, 2, 3-4, 5-8, … are 0, 1, 2, 3, …
fn octave_of_size(size: u32) -> u32 {
    u32::BITS - (size - 1).leading_zeros()
}

/// Writes the sizes of an octave as a label.
fn octave_label(octave: u32) -> String {
    let last = 1u64 << octave;
    match octave {
        0 | 1 => last.to_string(),
        _ => format!("{}-{}", last / 2 + 1, last),
    }
}

/// Draws shares of the octaves from `first` to `last`.
fn draw_octave_bars(
    log: &Log,
    pen: &Pen<'_>,
    (first, last): (u32, u32),
    (left, right): (f64, f64),
    y: &Scale,
) -> Result<()> {
    let octaves = last - first + 1;
    let wide = (right - left) / f64::from(octaves);
    let small = Text::new(11.0).with_colour(MUTED).centred();
    // Labels that would meet are left out evenly.
    let room = (first..=last).map(|o| Text::new(12.0).estimate_width(&octave_label(o)));
    let every = ((room.fold(0.0, f64::max) + 4.0) / wide).ceil().max(1.0) as u32;
    // Counted from the last octave, whose label says how large jobs get.
    let ticks = (first..=last)
        .filter(|o| (last - o) % every == 0)
        .map(|o| (f64::from(o - first) + 0.5, octave_label(o)))
        .collect();
    let x = Scale::named_ticks((0.0, f64::from(octaves)), ticks);
    let axes = (
        (&x, "job size (nodes), by octave"),
        (y, "share of jobs (%)"),
    );
    let mut chart = Panel::place_panel((left, right), (TOP, PANEL), axes.0, axes.1)
        .draw_with(pen, (false, true))?;
    let each = 0.78f64.min(70.0 / wide);
    // A pixel between bars, but never more than half a bar.
    let gap = (1.0 / wide).min(each / 2.0);
    // A share too small to see still shows.
    let least = y.value_of(1.0 / PANEL);
    let shares = log.shares_by_octave(first, last);
    let start = |o: usize| o as f64 + 0.5 - 0.5 * each;
    let visible = shares
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, share)| *share > 0.0);
    chart.draw_bars(
        visible
            .clone()
            .map(|(o, share)| [(start(o), 0.0), (start(o) + each - gap, share.max(least))]),
        look_of_slot(0).colour,
    )?;
    for (o, share) in visible {
        let text = if share < 0.1 {
            "<0.1".to_string()
        } else {
            format!("{share:.1}")
        };
        let (x, y) = chart.to_pixel((start(o) + each / 2.0, share));
        pen.draw_text((x, (y - 5.0).max(TOP + 9.0)), &text, &small)?;
    }
    Ok(())
}

/// Draws every size of the log with its jobs: a mark, or a dot where sizes crowd.
fn draw_sizes(log: &Log, chart: &mut Chart<'_, '_>) -> Result<()> {
    let points = log
        .jobs
        .iter()
        .map(|(size, n)| (f64::from(*size), *n as f64));
    if log.jobs.len() <= FEW {
        return chart.draw_marks(points, look_of_slot(0));
    }
    points.map(|p| chart.to_pixel(p)).try_for_each(|(x, y)| {
        chart
            .pen
            .draw_tint((x - 1.5, y - 1.5), (3.0, 3.0), look_of_slot(0).colour, 0.75)
    })
}

impl Figure<'_> {
    /// Draws job sizes of a log, as sizes in nodes with their numbers of jobs: shares by octave (1, 2, 3-4, 5-8
    /// …) in bars, and every size with its jobs below, both axes logarithmic (Stoltzfus, Figs 8 and 9).
    ///
    /// # Errors
    /// No job.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_present::plot::replay::Figure;
    ///
    /// let svg = Figure::plot_sizes("Job sizes", &[(1, 310), (4, 25), (16, 90)])?.svg()?;
    /// assert!(svg.starts_with("<svg"));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn plot_sizes(title: &str, log: &[(u32, u64)]) -> Result<Self> {
        let log = Log::new(log);
        let note = log.describe_jobs();
        let has_jobs = log.total > 0;
        let description = format!(
            "Share of jobs by octaves of job size, and jobs of every size, both axes \
             logarithmic. {note}. Logs: the log."
        );
        Figure::new(
            (title, &note),
            description,
            (WIDTH, TOP + 2.0 * (PANEL + BELOW)),
            move |pen| {
                let mut sizes = log.jobs.keys().copied();
                let least = sizes.next().unwrap_or(1);
                let most = sizes.next_back().unwrap_or(least);
                let octaves = (octave_of_size(least), octave_of_size(most));
                let shares = log.shares_by_octave(octaves.0, octaves.1);
                // Room above the highest bar for its number.
                let shares = Scale::tight_ends(
                    (
                        0.0,
                        lowest_and_highest(shares.into_iter()).map_or(1.0, |b| b.1),
                    ),
                    6,
                );
                let counts = log.jobs.values().map(|n| *n as f64);
                let counts = Scale::log_counts(lowest_and_highest(counts).map_or(1.0, |b| b.1));
                let left = shares.label_room().max(counts.label_room());
                let right = WIDTH - MARGIN - 10.0;
                draw_octave_bars(&log, pen, octaves, (left, right), &shares)?;

                let top = TOP + PANEL + BELOW;
                let x = Scale::logarithmic((f64::from(least), f64::from(most)), right - left);
                let x = (&x, LOG_SIZES);
                let y = (&counts, "jobs of this size, log scale");
                draw_sizes(
                    &log,
                    &mut Panel::place_panel((left, right), (top, PANEL), x, y).draw_axes(pen)?,
                )
            },
        )
        .if_drawable(has_jobs, "no job")
    }
}
