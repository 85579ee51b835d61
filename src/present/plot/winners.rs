//! Which ordering is the best at which sizes: a bar where it is, each ordering at a height of its own.

use super::chart::{BELOW, Chart, LOG_SIZES, Panel, WIDTH};
use super::curve::Series;
use super::drawing::Figure;
use super::palette::{Rgb, look_of_slot};
use super::scale::{LOG_TICK, Scale};
use nodeorder_base::Result;
use nodeorder_order::metric::comparison::{Comparison, WinningStretch};

const TOP: f64 = 50.0;
/// Height of an ordering's bars with the gap to the next, in pixels.
const EACH: f64 = 28.0;
/// Number of shades of a pixel column that an ordering wins only in part.
const SHADES: f64 = 4.0;
/// Width of all bars of a winner together, in pixels, below which a disc marks its first stretch.
const VISIBLE: f64 = 3.0;

/// Draws which ordering wins at which sizes, one row for each that ever does: bars on a logarithmic axis of sizes.
/// Stretches narrower than a pixel are added up column by column and shown as lighter shades. `slots` are the slots
/// of the comparison's entries.
pub fn plot_winners<'a>(title: &str, comparison: &'a Comparison, slots: &'a [usize]) -> Figure<'a> {
    let stretches = &comparison.stretches;
    let wins = |i: &usize| stretches.iter().any(|s| s.winner == *i);
    let winning: Vec<usize> = (0..comparison.entries.len()).filter(wins).collect();
    let named = winning
        .iter()
        .map(|i| &comparison.entries[*i])
        .map(|e| format!("{} at {:.1} % of them", e.label, 100.0 * e.best_share));
    let named = named.collect::<Vec<_>>().join("; ");
    let description =
        format!("Job sizes, on a logarithmic axis, at which each is the best: {named}.");
    let bottom = TOP + winning.len() as f64 * EACH;
    Figure::new(
        (title, ""),
        description,
        (WIDTH, bottom + BELOW),
        move |pen| {
            let y = Scale::named_rows(
                winning
                    .iter()
                    .map(|i| comparison.entries[*i].label.as_str()),
            );
            let left = y.label_room();
            let right = WIDTH - 24.0;
            let last = stretches.last().map_or(2, |s| s.to);
            // Each size takes half a size to both sides, so that the bars of two winners meet.
            let x = Scale::logarithmic((1.5, last as f64 + 0.5), 12.0 * LOG_TICK);
            let chart = Panel::place_panel(
                (left, right),
                (TOP, bottom - TOP),
                (&x, LOG_SIZES),
                (&y, " "),
            )
            .draw_with(pen, (true, false))?;
            for (row, i) in winning.iter().enumerate() {
                let colour = look_of_slot(slots.get(*i).copied().unwrap_or(*i)).colour;
                let wins = stretches.iter().filter(|s| s.winner == *i);
                let y = TOP + row as f64 * EACH + 5.0;
                let seen = lay_out_bars(&chart, wins, colour, (left, right), y)?;
                // A winner of a few large sizes would have a name and no bar that can be seen.
                if let Some(first) = stretches.iter().find(|s| s.winner == *i && seen < VISIBLE) {
                    let size = (first.from as f64 - 0.5 + first.to as f64 + 0.5) / 2.0;
                    let at = (chart.to_pixel((size, 0.0)).0, y + (EACH - 10.0) / 2.0);
                    chart.pen.draw_disc(at, 5.0, colour)?;
                }
            }
            Ok(())
        },
    )
}

/// Lays out the bars, and counts how many pixels wide they are in all.
fn lay_out_bars<'a>(
    chart: &Chart<'_, '_>,
    wins: impl Iterator<Item = &'a WinningStretch>,
    colour: Rgb,
    (left, right): (f64, f64),
    y: f64,
) -> Result<f64> {
    let mut share = vec![0.0f64; (right - left).floor() as usize];
    for s in wins {
        let pixel = |size: f64| chart.to_pixel((size, 0.0)).0 - left;
        let from = pixel(s.from as f64 - 0.5);
        let to = pixel(s.to as f64 + 0.5);
        let columns = share
            .iter_mut()
            .enumerate()
            .take(to.ceil() as usize)
            .skip(from as usize);
        for (column, share) in columns {
            *share += (to.min(column as f64 + 1.0) - from.max(column as f64)).max(0.0);
        }
    }
    // A win too small to see still shows as the lightest shade.
    let shade = |s: f64| {
        if s <= 0.0 {
            0.0
        } else {
            (s * SHADES).round().clamp(1.0, SHADES)
        }
    };
    let mut start = left;
    // Columns of one shade are one rectangle, which keeps the file small.
    for run in share.chunk_by(|a, b| shade(*a) == shade(*b)) {
        let width = run.len() as f64;
        if shade(run[0]) > 0.0 {
            chart.pen.draw_tint(
                (start, y),
                (width, EACH - 10.0),
                colour,
                shade(run[0]) / SHADES,
            )?;
        }
        start += width;
    }
    Ok(share.iter().sum())
}

/// Lists the comparison's curves, leader first, as figures take them.
pub fn comparison_series<'a>(comparison: &'a Comparison, slots: &[usize]) -> Vec<Series<'a>> {
    comparison
        .entries
        .iter()
        .enumerate()
        .map(|(i, entry)| Series {
            label: &entry.label,
            values: &entry.values,
            nodes: entry.nodes,
            slot: slots.get(i).copied().unwrap_or(i),
        })
        .collect()
}
