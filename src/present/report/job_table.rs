//! The table of jobs and their allocations: its header and its rows, with the columns of the figures asked for.

use std::io::{self, Write};

use super::shape;
use crate::columns::jobs::JobRow;
use crate::columns::shape::{ROOM, SHAPE};
use crate::columns::{Column, Table};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_network::Topology;
use nodeorder_order::metric::units::Units;

/// A writer of a table of jobs.
pub struct JobTable<'r, W> {
    out: Table<W>,
    figures: FigureSet,
    /// Columns before those of shape and room.
    leading: Vec<Column<JobRow<'r>>>,
    /// Columns after those of shape and room.
    trailing: Vec<Column<JobRow<'r>>>,
}

impl<'r, W: Write> JobTable<'r, W> {
    /// Starts a table whose columns begin with `first`, without a header.
    pub fn new(out: W, first: &[Column<JobRow<'r>>], figures: FigureSet) -> Self {
        JobTable {
            out: Table::without_header(out),
            figures,
            leading: JobRow::leading_columns(first, figures),
            trailing: JobRow::trailing_columns(figures),
        }
    }

    /// Writes the header line.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write_header(&mut self, topology: &Topology) -> io::Result<()> {
        self.out.write_header(&self.leading)?;
        if self.figures.shape {
            shape::write_level_names(&mut self.out, &Units::new(topology).name_list())?;
            self.out.write_header(SHAPE)?;
        }
        if self.figures.room {
            self.out.write_header(ROOM)?;
        }
        self.out.write_header(&self.trailing)?;
        self.out.end_line()
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn write_row(&mut self, row: &JobRow<'r>) -> io::Result<()> {
        self.out.write_values(&self.leading, row)?;
        // A header without these columns must have rows without them, even where figures are known.
        if let Some(shape) = row.figures.shape.as_ref().filter(|_| self.figures.shape) {
            shape::write_level_counts(&mut self.out, [&shape.spanned, &shape.fewest])?;
            self.out.write_values(SHAPE, shape)?;
        }
        if let Some(room) = row.figures.room.as_ref().filter(|_| self.figures.room) {
            self.out.write_values(ROOM, room)?;
        }
        self.out.write_values(&self.trailing, row)?;
        self.out.end_line()
    }

    /// Writes the rows that are still gathered.
    ///
    /// # Errors
    /// Errors of the output.
    pub fn finish(self) -> io::Result<()> {
        self.out.finish()
    }
}
