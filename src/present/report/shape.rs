//! The columns of shapes in tables of jobs: the machine's levels, then what all machines have.

use std::io::{self, Write};

use crate::columns::Table;
use crate::columns::shape::SHAPE;
use nodeorder_order::metric::shape::AllocationShape;

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

/// Writes the names of the columns of shapes; the line stays open.
pub fn write_shape_header(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    write_level_names(table, levels)?;
    table.write_header(SHAPE)
}

/// Writes the values of the columns of shapes; the line stays open.
pub fn write_shape(table: &mut Table<impl Write>, shape: &AllocationShape) -> io::Result<()> {
    write_level_counts(table, [&shape.spanned, &shape.fewest])?;
    table.write_values(SHAPE, shape)
}
