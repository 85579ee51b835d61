//! Offers by what they cost and what they give: a dot each, and the line of those that none beats at both.

use super::chart::{BELOW, Panel, TOP, WIDTH, join_labels, side_by_side};
use super::drawing::Figure;
use super::element::{Point, Stroke};
use super::palette::{MUTED, PAPER, look_of_slot};
use super::pen::Pen;
use super::scale::{Scale, lowest_and_highest};
use super::text::Text;
use nodeorder_base::Result;

const HIGH: f64 = 300.0;

/// A panel of the figure: what offers give against what they cost.
pub struct OfferPanel {
    /// Name of the vertical axis.
    pub figure: String,
    pub higher_is_better: bool,
    /// Cost a node and figure of each offer.
    pub points: Vec<Point>,
}

/// Draws a dot for each offer of `names` in each panel; `cost` is the name of the horizontal axis.
pub fn plot_offers<'a>(names: Vec<&'a str>, cost: String, panels: Vec<OfferPanel>) -> Figure<'a> {
    let title = "What offers cost and what they give";
    let note = "the dashed line joins offers that no other beats at both";
    let description = format!("{title}: {}.", join_labels(names.iter().copied()));
    let size = (WIDTH, TOP + HIGH + BELOW);
    Figure::new((title, note), description, size, move |pen| {
        let mut widest = Scale::end_to_end((0.0, 1.0), 5);
        for panel in &panels {
            let y = widen_scale(panel.points.iter().map(|p| p.1));
            if y.label_room() > widest.label_room() {
                widest = y;
            }
        }
        let places = side_by_side(&widest, panels.len()).enumerate();
        for (panel, (i, (left, right))) in panels.iter().zip(places) {
            // The first panel has room for its labels already.
            let room = if i == 0 { 0.0 } else { widest.label_room() };
            draw_panel(pen, panel, &names, &cost, (left + room, right))?;
        }
        Ok(())
    })
}

/// Makes a scale with room on both sides, for the names beside the dots.
fn widen_scale(values: impl Iterator<Item = f64>) -> Scale {
    let (low, high) = lowest_and_highest(values).unwrap_or((0.0, 1.0));
    let room = (0.15 * (high - low)).max(0.05 * high.abs()).max(1e-6);
    let mut below = low - room;
    // Nothing costs less than nothing.
    if low >= 0.0 {
        below = below.max(0.0);
    }
    Scale::without_zero((below, high + room), 5)
}

/// Draws a panel between two ends of the figure's width: axes, the line of offers not beaten, dots and names.
fn draw_panel(
    pen: &Pen<'_>,
    panel: &OfferPanel,
    names: &[&str],
    cost: &str,
    (left, right): (f64, f64),
) -> Result<()> {
    let x = widen_scale(panel.points.iter().map(|p| p.0));
    let y = widen_scale(panel.points.iter().map(|p| p.1));
    let vertical = (&y, panel.figure.as_str());
    let placed = Panel::place_panel((left, right), (TOP, HIGH), (&x, cost), vertical);
    let mut chart = placed.draw_axes(pen)?;
    let line = Stroke {
        colour: MUTED,
        width: 1.4,
        dash: &[5.0, 4.0],
    };
    // Below the dots, so that their colours stay clear.
    chart.draw_line(list_unbeaten(panel), &line)?;
    let mut levels: Vec<f64> = Vec::new();
    let mut labels = Vec::new();
    for (slot, point) in panel.points.iter().enumerate() {
        let (at, level) = chart.to_pixel(*point);
        // Names lie on the side with more room.
        let text = Text::new(12.0);
        let (place, text) = if at > (left + right) / 2.0 {
            (at - 9.0, text.right_aligned())
        } else {
            (at + 9.0, text)
        };
        let name = text.cut_to_width(names[slot], (right - left) / 2.0);
        // Of dots level with each other the later has its name below, where no other name lies.
        let is_taken = levels.iter().any(|other| (other - level).abs() < 14.0);
        levels.push(level);
        let shift = if is_taken { 18.0 } else { -7.0 };
        // No line crosses a name.
        let wide = text.estimate_width(&name);
        let from = if at > (left + right) / 2.0 {
            place - wide
        } else {
            place
        };
        pen.draw_rectangle(
            (from - 1.0, level + shift - 10.0),
            (wide + 2.0, 14.0),
            PAPER,
        )?;
        labels.push(((place, level + shift), name, text));
    }
    for (slot, (point, (at, name, text))) in panel.points.iter().zip(&labels).enumerate() {
        chart.draw_marks([*point], look_of_slot(slot))?;
        pen.draw_text(*at, name, text)?;
    }
    Ok(())
}

/// Lists the points that no other beats at cost and figure, from the cheapest up.
fn list_unbeaten(panel: &OfferPanel) -> Vec<Point> {
    let sign = if panel.higher_is_better { -1.0 } else { 1.0 };
    let mut sorted = panel.points.clone();
    sorted.sort_by(|a, b| {
        a.0.total_cmp(&b.0)
            .then((sign * a.1).total_cmp(&(sign * b.1)))
    });
    let mut best = f64::INFINITY;
    sorted.retain(|point| {
        let is_better = sign * point.1 < best;
        best = best.min(sign * point.1);
        is_better
    });
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_joins_offers_that_none_beats_at_both() {
        let panel = |higher_is_better| OfferPanel {
            figure: "x".into(),
            higher_is_better,
            points: vec![(3.0, 1.0), (1.0, 2.0), (2.0, 5.0), (2.0, 2.0)],
        };
        assert_eq!(list_unbeaten(&panel(false)), [(1.0, 2.0), (3.0, 1.0)]);
        assert_eq!(list_unbeaten(&panel(true)), [(1.0, 2.0), (2.0, 5.0)]);
    }
}
