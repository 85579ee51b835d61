//! The columns of shapes in tables of jobs: the machine's levels, then what all machines have.

use std::io::{self, Write};

use crate::columns::Table;
use crate::columns::shape::SHAPE;
use crate::metric::shape::Shape;

/// The names of the columns; the line stays open.
pub(super) fn header(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    for of in ["units", "fewest"] {
        levels.iter().try_for_each(|level| table.cell(format!("{of}_{level}").into()))?;
    }
    table.header(SHAPE)
}

/// The values of a row; the line stays open.
pub(super) fn values(table: &mut Table<impl Write>, shape: &Shape) -> io::Result<()> {
    for units in [&shape.spanned, &shape.fewest] {
        units.iter().try_for_each(|count| table.cell((*count).into()))?;
    }
    table.values(SHAPE, shape)
}
