//! The columns of shapes in tables of jobs: the machine's levels, then what all machines have.

use std::io::{self, Write};

use crate::columns::Table;
use crate::columns::shape::SHAPE;
use nodeorder_order::metric::shape::AllocationShape;

/// The names of the levels' columns; the line stays open.
pub(super) fn level_names(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    let mut names = ["units", "fewest"]
        .iter()
        .flat_map(|of| levels.iter().map(move |l| (of, l)));
    names.try_for_each(|(of, level)| table.cell(format!("{of}_{level}").into()))
}

/// Units spanned and the fewest possible of a row; the line stays open.
pub(super) fn level_counts(
    table: &mut Table<impl Write>,
    [spanned, fewest]: [&[u32]; 2],
) -> io::Result<()> {
    spanned
        .iter()
        .chain(fewest)
        .try_for_each(|count| table.cell((*count).into()))
}

/// The names of the columns; the line stays open.
pub(super) fn header(table: &mut Table<impl Write>, levels: &[String]) -> io::Result<()> {
    level_names(table, levels)?;
    table.header(SHAPE)
}

/// The values of a row; the line stays open.
pub(super) fn values(table: &mut Table<impl Write>, shape: &AllocationShape) -> io::Result<()> {
    level_counts(table, [&shape.spanned, &shape.fewest])?;
    table.values(SHAPE, shape)
}
