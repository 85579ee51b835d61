//! Which ordering to take at which sizes: one strip in the colours of the orderings.

use super::chart::{BELOW, LOG_SIZES, Legend, MARGIN, Panel, TOP, WIDTH};
use super::curve::{Series, lowest_curve};
use super::drawing::Figure;
use super::element::Sample;
use super::palette::{ink_on, look_of_slot};
use super::scale::{LOG_TICK, Scale};
use super::text::Text;
use nodeorder_base::Result;
use nodeorder_order::metric::comparison::{Comparison, WinningStretch};

/// Height of the strip, in pixels.
const HIGH: f64 = 40.0;
/// How far above the lowest value an ordering may lie and still be as good.
const TOLERANCE: f64 = 0.01;

/// Draws which ordering is the best at which sizes, or within a hundredth of it: one strip on a logarithmic axis of
/// sizes, cut into the fewest stretches. Stretches narrower than a pixel leave it to their neighbours. `slots` are the
/// slots of the comparison's entries.
///
/// # Errors
/// No curve with a single size.
pub fn plot_winners<'a>(
    title: &str,
    comparison: &'a Comparison,
    slots: &'a [usize],
) -> Result<Figure<'a>> {
    let series = comparison_series(comparison, slots);
    let stretches = cut_sizes(&series);
    let drawn = !stretches.is_empty();
    let last = stretches.last().map_or(2, |s| s.to);
    let mut winning: Vec<usize> = stretches.iter().map(|s| s.winner).collect();
    winning.sort_unstable();
    winning.dedup();
    let mut said = String::new();
    for stretch in stretches.iter().take(40) {
        let label = series[stretch.winner].label;
        said += &format!(" {} to {}: {label}.", stretch.from, stretch.to);
    }
    let description = format!("The ordering to take by job size, on a logarithmic axis.{said}");
    let named = winning.iter().map(|i| (series[*i].label, series[*i].slot));
    let legend = Legend::new(Sample::Patch, named);
    let top = TOP + legend.flow_height();
    let size = (WIDTH, top + HIGH + BELOW);
    let note =
        "an ordering that is the best of all at every size of its stretch, or within 1 % of it";
    Figure::new((title, note), description, size, move |pen| {
        let sides = (MARGIN, WIDTH - MARGIN);
        let y = Scale::named_ticks((0.0, 1.0), Vec::new());
        // Each size takes half a size to both sides, so that stretches meet.
        let x = Scale::logarithmic((1.5, last as f64 + 0.5), 12.0 * LOG_TICK);
        let chart = Panel::place_panel(sides, (top, HIGH), (&x, LOG_SIZES), (&y, ""))
            .draw_with(pen, (false, false))?;
        let text = Text::new(12.0);
        for stretch in &stretches {
            let pixel = |size: f64| chart.to_pixel((size, 0.0)).0.round();
            let from = pixel(stretch.from as f64 - 0.5);
            let wide = pixel(stretch.to as f64 + 0.5) - from;
            // A stretch that cannot be seen would only blur the edges of its neighbours.
            if wide < 1.0 {
                continue;
            }
            let Series { label, slot, .. } = series[stretch.winner];
            let colour = look_of_slot(slot).colour;
            pen.draw_rectangle((from, top), (wide, HIGH), colour)?;
            if text.estimate_width(label) + 8.0 < wide {
                let inside = text.with_colour(ink_on(colour)).centred();
                pen.draw_text((from + wide / 2.0, top + HIGH / 2.0 + 4.5), label, &inside)?;
            }
        }
        legend.draw_flow(pen)
    })
    .if_drawable(drawn, "no curve with a single size")
}

/// Cuts all sizes into the fewest stretches in each of which one ordering is nowhere above the lowest value by more
/// than [`TOLERANCE`]: from each start the one that stays so for longest, of equal ones the first. O(orderings ·
/// sizes).
fn cut_sizes(series: &[Series<'_>]) -> Vec<WinningStretch> {
    let best = lowest_curve(series.iter().map(|s| s.values));
    let mut stretches = Vec::new();
    let mut start = 0;
    // From each start the longest: no other choice leads to fewer stretches.
    while start < best.len() {
        let mut longest = (0, 0);
        for (i, series) in series.iter().enumerate() {
            let values = series.values.iter().zip(&best).skip(start);
            let as_good = values.take_while(|(value, best)| **value <= **best * (1.0 + TOLERANCE));
            let count = as_good.count();
            if count > longest.0 {
                longest = (count, i);
            }
        }
        let (count, winner) = longest;
        // Sizes that no ordering has a value at.
        if count == 0 {
            break;
        }
        stretches.push(WinningStretch {
            from: start + 2,
            to: start + count + 1,
            winner,
        });
        start += count;
    }
    stretches
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_stretches_are_cut() {
        let series = |values| Series {
            label: "",
            values,
            nodes: 5,
            slot: 0,
        };
        // The second is the best at two sizes, but the first is within 1 % until size 4.
        let cut = cut_sizes(&[
            series(&[1.0, 1.005, 1.009, 9.0]),
            series(&[1.1, 1.0, 1.0, 1.0]),
        ]);
        let cut: Vec<_> = cut.iter().map(|s| (s.from, s.to, s.winner)).collect();
        assert_eq!(cut, [(2, 4, 0), (5, 5, 1)]);
    }
}
