//! Slowdowns of orderings against job size, a panel for each guest.

use super::chart::{
    BELOW, LOG_SIZES, Legend, Panel, TOP, WIDTH, draw_panel_title, join_labels, side_by_side,
};
use super::drawing::Figure;
use super::element::{Point, Sample, Stroke};
use super::palette::{Look, MUTED, Mark, look_of_slot};
use super::pen::Pen;
use super::scale::{Scale, lowest_and_highest};
use nodeorder_base::Result;
use nodeorder_traffic::slowdown::SlowdownPoint;

const PANEL: f64 = 280.0;
/// Height, in pixels, of the room above a panel for its title.
const ABOVE: f64 = 28.0;
/// Dashes of the line of all jobs at once, and of a job alone.
const ALL: &[f64] = &[6.0, 3.0];
const ALONE: &[f64] = &[1.5, 3.0];

/// The slowdowns of an ordering for one guest.
#[derive(Clone, Copy, Debug)]
pub struct SlowdownSeries<'a> {
    /// The ordering, as in the legend.
    pub ordering: &'a str,
    /// Its number as the user named the orderings: decides its colour and mark.
    pub slot: usize,
    pub guest: &'a str,
    /// Slowdowns by size.
    pub points: &'a [SlowdownPoint],
}

/// Draws slowdowns against job size, a panel for each guest in the order of `series`: `mixed` as the line of an
/// ordering, thin lines where all jobs send and where a job is alone.
///
/// # Errors
/// No slowdown at all.
pub fn plot_slowdowns<'a>(
    title: &str,
    note: &str,
    series: &'a [SlowdownSeries<'a>],
) -> Result<Figure<'a>> {
    let mut guests: Vec<&str> = Vec::new();
    let mut orderings: Vec<(&str, usize)> = Vec::new();
    for one in series {
        if !guests.contains(&one.guest) {
            guests.push(one.guest);
        }
        if !orderings.contains(&(one.ordering, one.slot)) {
            orderings.push((one.ordering, one.slot));
        }
    }
    let mut legend = Legend::new(Sample::Curve, orderings.iter().copied());
    for (name, dash) in [("all jobs send at once", ALL), ("a job alone", ALONE)] {
        let look = Look {
            colour: MUTED,
            dash,
            mark: Mark::Disc,
        };
        legend.add_line(name, look);
    }
    let top = TOP + legend.flow_height();
    let step = ABOVE + PANEL + BELOW;
    let description = format!(
        "How much longer jobs communicate than on a network that never blocks, against job size \
         on a logarithmic axis, for {}. Orderings: {}.",
        join_labels(guests.iter().copied()),
        join_labels(orderings.iter().map(|(name, _)| *name))
    );
    let size = (WIDTH, top + guests.len() as f64 * step);
    let any = series.iter().any(|one| !one.points.is_empty());
    Figure::new((title, note), description, size, move |pen| {
        legend.draw_flow(pen)?;
        for (i, guest) in guests.iter().enumerate() {
            draw_guest(pen, guest, series, top + i as f64 * step)?;
        }
        Ok(())
    })
    .if_drawable(any, "no size with a window")
}

/// Figure of a point that a line shows.
type PointFigure = fn(&SlowdownPoint) -> f64;

/// Draws the panel of a guest; its title begins at `top`.
fn draw_guest(pen: &Pen<'_>, guest: &str, series: &[SlowdownSeries<'_>], top: f64) -> Result<()> {
    let of_guest = || series.iter().filter(|one| one.guest == guest);
    let points = || of_guest().flat_map(|one| one.points);
    let Some((first, last)) = lowest_and_highest(points().map(|point| point.size as f64)) else {
        return draw_panel_title(
            pen,
            (66.0, top + 19.0),
            &format!("{guest}: no window"),
            WIDTH,
        );
    };
    // Below 1 there is nothing; a curve of ones should not stand in the middle of the panel.
    let most = points()
        .map(|point| point.all.max(point.alone))
        .fold(1.0, f64::max);
    let y = Scale::from_one(most, 6);
    let columns: Vec<Point> = side_by_side(&y, 1).collect();
    let x = Scale::logarithmic((first, last), columns[0].1 - columns[0].0);
    draw_panel_title(pen, (columns[0].0, top + 19.0), guest, WIDTH - columns[0].0)?;
    let axes = ((&x, LOG_SIZES), (&y, "slowdown (times)"));
    let panel = Panel::place_panel(columns[0], (top + ABOVE, PANEL), axes.0, axes.1);
    let mut chart = panel.draw_axes(pen)?;
    // The first ordering is drawn last and so on top.
    for one in of_guest().collect::<Vec<_>>().into_iter().rev() {
        let look = look_of_slot(one.slot);
        let figures: [(PointFigure, f64, &[f64]); 3] = [
            (|point| point.alone, 0.9, ALONE),
            (|point| point.all, 0.9, ALL),
            (|point| point.mixed, 2.0, look.dash),
        ];
        for (figure, width, dash) in figures {
            let points = one.points.iter().map(|p| (p.size as f64, figure(p)));
            let stroke = Stroke {
                colour: look.colour,
                width,
                dash,
            };
            chart.draw_line(points, &stroke)?;
        }
        // Marks of curves that lie on each other should not.
        let marked = one.points.iter().skip(one.slot % 3).step_by(3);
        chart.draw_marks(marked.map(|p| (p.size as f64, p.mixed)), look)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panel_a_guest_and_none_without_windows() {
        let point = |size, mixed| SlowdownPoint {
            size,
            windows: 1,
            alone: 1.0,
            mixed,
            all: 2.0 * mixed,
            mixed_p90: mixed,
            mixed_max: mixed,
            at_duties: [mixed; 11],
        };
        let points = [point(2, 1.0), point(64, 3.5)];
        let series = ["all-to-all", "ring"].map(|guest| SlowdownSeries {
            ordering: "row-major",
            slot: 0,
            guest,
            points: &points,
        });
        let svg = plot_slowdowns("S", "", &series).unwrap().svg().unwrap();
        for text in [
            "all-to-all",
            "ring",
            "row-major",
            "a job alone",
            "64",
            "slowdown (times)",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        let empty = SlowdownSeries {
            points: &[],
            ..series[0]
        };
        assert!(plot_slowdowns("S", "", &[empty]).is_err());
    }
}
