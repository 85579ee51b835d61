//! Bar charts that several pages have: a panel for each figure, a bar for each ordering or machine.

use super::html::Figure;
use crate::plot::replay::{BarPanel, Figure as Drawn, Labelled};
use nodeorder_base::Result;

/// An ordering or machine: its name, the index that decides its colour, and its value in each panel.
pub type BarRow<'a> = (&'a str, usize, Vec<Option<f64>>);

/// Draws a bar for each row in each panel; `titles` are the title and the line below it. `None` if no row has a value.
pub fn draw_bars(
    file: impl Into<String>,
    caption: impl Into<String>,
    titles: (&str, &str),
    panels: &[BarPanel<'_>],
    rows: &[BarRow<'_>],
) -> Result<Option<Figure>> {
    // The figure borrows rows; here they are owned, as callers compute them.
    let mut labelled = Vec::new();
    for (label, slot, data) in rows {
        labelled.push(Labelled {
            label,
            slot: *slot,
            data,
        });
    }
    // Bars without any length have no scale.
    if rows
        .iter()
        .all(|(_, _, data)| data.iter().all(Option::is_none))
    {
        return Ok(None);
    }
    let (title, note) = titles;
    let drawn = Drawn::plot_bars(title, note, panels, &labelled)?;
    Ok(Some(Figure::from_drawing(file, caption, drawn)?))
}
