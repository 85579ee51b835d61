//! A table as cells in colours: a row an ordering, a column a choice; the lowest value is framed, and so are its ties.

use super::chart::{MARGIN, TOP, WIDTH};
use super::drawing::Figure;
use super::element::Point;
use super::palette::{HOLE, INK, RAMP_STEPS, ink_on, ramp_colour};
use super::pen::Pen;
use super::scale::{format_fixed, lowest_and_highest};
use super::text::Text;
use nodeorder_base::Result;

/// Height of a row, in pixels.
const ROW: f64 = 26.0;
/// Most pixels that a cell takes in width.
const CELL: f64 = 130.0;
/// Most pixels for the names of rows, and for those of columns that are turned.
const NAMES: f64 = 230.0;

/// Values by row and column, with the names of rows and columns.
pub struct HeatMap<'a> {
    /// Names of the rows, from the top.
    pub rows: &'a [String],
    /// Names of the columns.
    pub columns: &'a [&'a str],
    /// Value of each row in each column.
    pub values: Vec<Vec<Option<f64>>>,
    /// Number of decimals of the values in the cells.
    pub decimals: usize,
    /// Whether values of different columns cannot be compared: each column has its own colours and lowest value.
    pub apart: bool,
}

impl<'a> HeatMap<'a> {
    /// Draws the cells, dark for low values, the lowest framed; `titles` are the title and the line below it.
    ///
    /// # Errors
    /// No value in any cell.
    pub fn plot_cells(self, titles: (&str, &str)) -> Result<Figure<'a>> {
        let text = Text::new(12.0);
        let mut left = 0f64;
        let mut head = 0f64;
        for name in self.rows {
            left = left.max(text.estimate_width(name).min(NAMES));
        }
        left += MARGIN + 8.0;
        let wide = ((WIDTH - left - MARGIN) / self.columns.len().max(1) as f64).min(CELL);
        for name in self.columns {
            head = head.max(text.estimate_width(name).min(NAMES));
        }
        // Names of allocators are long: turned, they have room above narrow cells.
        let turned = head > wide - 6.0;
        let top = TOP + if turned { head + 8.0 } else { 20.0 };
        let drawn = self.values.iter().flatten().any(Option::is_some);
        let size = (WIDTH, top + self.rows.len() as f64 * ROW + MARGIN);
        Figure::new(
            titles,
            "Cells of a table, dark for low values.".into(),
            size,
            move |pen| {
                for (i, name) in self.rows.iter().enumerate() {
                    let at = (left - 8.0, top + (i as f64 + 0.5) * ROW + 4.5);
                    pen.draw_text(at, &text.cut_to_width(name, NAMES), &text.right_aligned())?;
                }
                for (j, name) in self.columns.iter().enumerate() {
                    let middle = left + (j as f64 + 0.5) * wide;
                    let name = text.cut_to_width(name, NAMES);
                    if turned {
                        pen.draw_text((middle + 4.5, top - 6.0), &name, &text.upwards())?;
                    } else {
                        pen.draw_text((middle, top - 8.0), &name, &text.centred())?;
                    }
                    self.draw_column(pen, j, (left + j as f64 * wide, top), wide)?;
                }
                Ok(())
            },
        )
        .if_drawable(drawn, "no value in any cell")
    }

    /// Finds the lowest and the highest value that a column's colours stand for. `None` if there is no value.
    fn find_bounds(&self, column: usize) -> Option<(f64, f64)> {
        let cells = self.values.iter().flat_map(|row| row.iter().enumerate());
        let compared = cells.filter(|(j, _)| !self.apart || *j == column);
        lowest_and_highest(compared.filter_map(|(_, value)| *value))
    }

    fn draw_column(&self, pen: &Pen<'_>, column: usize, (x, y): Point, wide: f64) -> Result<()> {
        let Some((low, high)) = self.find_bounds(column) else {
            return Ok(());
        };
        let lowest = format_fixed(low, self.decimals);
        for (i, values) in self.values.iter().enumerate() {
            let y = y + i as f64 * ROW;
            let value = values[column];
            let share = value.map(|value| (value - low) / (high - low).max(f64::MIN_POSITIVE));
            let colour = share.map_or(HOLE, |share| {
                ramp_colour((share * (RAMP_STEPS - 1) as f64) as usize)
            });
            // A combination without results keeps its cell, so that rows stay rows.
            let shown = value.map_or("–".into(), |value| format_fixed(value, self.decimals));
            // Values that read the same are ties, whatever their last bits.
            let best = shown == lowest && low < high;
            if best {
                pen.draw_rectangle((x, y), (wide, ROW), INK)?;
            }
            let edge = if best { 3.0 } else { 1.0 };
            let size = (wide - 2.0 * edge, ROW - 2.0 * edge);
            pen.draw_rectangle((x + edge, y + edge), size, colour)?;
            let ink = value.map_or(INK, |_| ink_on(colour));
            let text = Text {
                bold: best,
                ..Text::new(12.0).with_colour(ink).centred()
            };
            // A number cut off would read as another one.
            if text.estimate_width(&shown) < wide {
                pen.draw_text((x + wide / 2.0, y + ROW / 2.0 + 4.5), &shown, &text)?;
            }
        }
        Ok(())
    }
}
