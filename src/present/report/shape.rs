//! The columns of shapes in tables of jobs: the machine's levels, then what all machines have.

use std::io::{self, Write};

use crate::columns::Table;
use crate::columns::shape::SHAPE;
use nodeorder_order::metric::shape::AllocationShape;

/// Writes the names of the levels' columns; the line stays open.
pub fn level_names(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    // All units, then all fewest: readers compare levels with each other.
    for count in ["units", "fewest"] {
        for level in levels {
            table.cell(format!("{count}_{level}").into())?;
        }
    }
    Ok(())
}

/// Writes the units spanned and the fewest possible of a row; the line stays open.
pub fn level_counts(
    table: &mut Table<impl Write>,
    [spanned, fewest]: [&[u32]; 2],
) -> io::Result<()> {
    for count in spanned.iter().chain(fewest) {
        table.cell((*count).into())?;
    }
    Ok(())
}

/// Writes the names of the columns of shapes; the line stays open.
pub fn header(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    level_names(table, levels)?;
    table.header(SHAPE)
}

/// Writes the values of the columns of shapes; the line stays open.
pub fn values(table: &mut Table<impl Write>, shape: &AllocationShape) -> io::Result<()> {
    level_counts(table, [&shape.spanned, &shape.fewest])?;
    table.values(SHAPE, shape)
}
