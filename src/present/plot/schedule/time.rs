//! Panels and time axis of the figures over time.

use super::super::chart::WIDTH;
use super::super::scale::Scale;

pub const LEFT: f64 = 78.0;
pub const RIGHT: f64 = WIDTH - 18.0;
/// Width, in pixels, of a column of the drawing: what happens within a column is drawn together.
pub const CELL: f64 = 2.0;
/// Columns across a panel.
pub const COLUMNS: usize = ((RIGHT - LEFT) / CELL) as usize;

/// Chooses hours or days, whichever gives shorter numbers: the unit and its length in hours.
pub fn choose_unit(hours: f64) -> (&'static str, f64) {
    if hours > 96.0 {
        ("days", 24.0)
    } else {
        ("hours", 1.0)
    }
}

/// Makes the axis of a range of hours, and its name.
pub fn time_axis((from, to): (f64, f64)) -> (Scale, String) {
    let (name, hours) = choose_unit(to - from);
    (
        // The picture ends where the times do: ground beyond would look like an idle machine.
        Scale::end_to_end((from / hours, to / hours), 12),
        format!("{name} since the first submit"),
    )
}
