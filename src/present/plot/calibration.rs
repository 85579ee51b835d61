//! Measured patterns against the seconds that fitted figures of the network give: how far each row is off.

use super::chart::{BELOW, Legend, Panel, TOP, WIDTH, side_by_side};
use super::drawing::Figure;
use super::element::Sample;
use super::palette::look_of_slot;
use super::scale::{Scale, format_briefly, lowest_and_highest};
use nodeorder_traffic::corun::fit::{Fit, Measured, PATTERNS};

const PANEL: f64 = 320.0;

/// Draws how far the fitted seconds of each row are off, over the measured ones; a mark a row, its look the pattern.
pub fn plot_calibration<'a>(machine: &str, rows: &'a [Measured], fit: &'a Fit) -> Figure<'a> {
    let off = |i: usize| 100.0 * (fit.fitted[i] / rows[i].seconds - 1.0);
    let mut sizes: Vec<f64> = (0..rows.len()).map(|i| off(i).abs()).collect();
    sizes.sort_by(f64::total_cmp);
    // The same to both sides, so that zero is in the middle. A perfect fit still needs an axis with a length.
    let most = sizes.last().copied().unwrap_or(0.0).max(1e-3) * 1.1;
    let note = format!(
        "{} rows; half are off by {} % or less, the worst by {} %",
        rows.len(),
        format_briefly(sizes[(sizes.len() - 1) / 2]),
        format_briefly(sizes[sizes.len() - 1])
    );
    let names: Vec<(&str, usize)> = PATTERNS.into_iter().zip(0..).collect();
    let legend = Legend::new(Sample::Mark, names.into_iter());
    let top = TOP + legend.flow_height() + 12.0;
    let description = format!("Fitted against measured seconds of patterns. {note}.");
    let title = format!("Fitted figures of the network: {machine}");
    Figure::new(
        (&title, &note),
        description,
        (WIDTH, top + PANEL + BELOW),
        move |pen| {
            legend.draw_flow(pen)?;
            let microseconds = |row: &Measured| 1e6 * row.seconds;
            // Seconds of small and large messages differ by powers of ten, hence the logarithmic axis.
            let (low, high) =
                lowest_and_highest(rows.iter().map(microseconds)).unwrap_or((1.0, 10.0));
            let x = Scale::logarithmic((low / 1.2, high * 1.2), WIDTH - 120.0);
            let y = Scale::end_to_end((-most, most), 8);
            let columns: Vec<_> = side_by_side(&y, 1).collect();
            let mut chart = Panel::place_panel(
                columns[0],
                (top, PANEL),
                (&x, "measured (µs)"),
                (&y, "fitted less measured (%)"),
            )
            .draw_axes(pen)?;
            for (i, row) in rows.iter().enumerate() {
                let slot = PATTERNS
                    .iter()
                    .position(|pattern| *pattern == row.pattern)
                    .unwrap_or(0);
                chart.draw_marks([(microseconds(row), off(i))], look_of_slot(slot))?;
            }
            Ok(())
        },
    )
}
