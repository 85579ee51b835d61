//! The columns of a machine's levels in tables of jobs.

use std::io::{self, Write};

use crate::columns::Table;

/// Writes the names of the levels' columns; the line stays open.
pub fn write_level_names(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    // All units, then all fewest: readers compare levels with each other.
    for count in ["units", "fewest"] {
        for level in levels {
            table.write_cell(format!("{count}_{level}").into())?;
        }
    }
    Ok(())
}

/// Writes the units spanned and the fewest possible of a row; the line stays open.
pub fn write_level_counts(
    table: &mut Table<impl Write>,
    [spanned, fewest]: [&[u32]; 2],
) -> io::Result<()> {
    for count in spanned.iter().chain(fewest) {
        table.write_cell((*count).into())?;
    }
    Ok(())
}
