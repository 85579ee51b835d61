//! Rows of a sweep, and the table that they make: the cell's columns, the kind of row, the figures of every kind that
//! occurs, and a note where there are none.

use std::ops::Range;
use std::path::Path;

use super::kinds::KINDS;
use super::lists::{Cell, item_at};
use super::plan::Plan;
use super::scopes::CellFigures;
use nodeorder_base::{Error, Result};
use nodeorder_present::columns::sweep::{CellRow, ResultRow};
use nodeorder_present::columns::{Column, Table, Value, row_values};

/// A row of a sweep: a cell of the plan, and its figures or the reason why it has none.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepRow {
    /// Number of the cell.
    pub cell: usize,
    /// Figures in the order of the columns of the cell's kind, else a note.
    pub figures: Result<Vec<Value<'static>>, String>,
}

/// The table of a plan, which turns rows into lines of CSV.
pub struct ResultsTable<'p> {
    plan: &'p Plan,
    /// Columns that say which cell it is: those of the lists that the plan has.
    cell_columns: Vec<Column<CellRow<'p>>>,
    /// Names of all columns.
    names: Vec<String>,
    /// Columns of the figures of each kind of row; empty where the plan has no such rows.
    figures: [Range<usize>; KINDS.len()],
}

impl<'p> ResultsTable<'p> {
    /// Lays out the columns of the table of `plan`.
    pub fn new(plan: &'p Plan) -> Self {
        let lists = CellRow::LISTS
            .iter()
            .filter(|column| uses_list(plan, column.name));
        let cell_columns: Vec<Column<CellRow<'p>>> = CellRow::FIRST
            .iter()
            .chain(lists)
            .chain(CellRow::GROUP)
            .copied()
            .collect();
        let mut names: Vec<&str> = cell_columns.iter().map(|column| column.name).collect();
        let figures = std::array::from_fn(|kind| {
            // A kind that the plan does not have gets no columns, as they would be empty in every row.
            let start = names.len();
            if plan.has_kind(kind) {
                let headings = (KINDS[kind].headings)(&plan.lists);
                names.extend(headings.iter().map(|heading| heading.name));
            }
            start..names.len()
        });
        names.push(CellRow::NOTE[0].name);
        ResultsTable {
            plan,
            cell_columns,
            // A dot means an object within an object in JSON documents; a flat table has none.
            names: names.iter().map(|name| name.replace('.', "_")).collect(),
            figures,
        }
    }

    /// Lists the names of the columns.
    pub fn column_names(&self) -> &[String] {
        &self.names
    }

    /// Counts the figures that a row of this kind has.
    pub(super) fn count_figures(&self, kind: usize) -> usize {
        self.figures[kind].len()
    }

    /// Formats the header line.
    ///
    /// # Errors
    /// None in practice: what writing to memory reports.
    pub fn format_header(&self) -> Result<String> {
        write_line(self.names.iter().map(|name| name.as_str().into()))
    }

    /// Formats a row as a line of CSV.
    ///
    /// # Errors
    /// As [`ResultsTable::format_header`].
    pub fn format_row(&self, row: &SweepRow) -> Result<String> {
        write_line(self.row_values(row))
    }

    /// Formats the whole table of these rows.
    ///
    /// # Errors
    /// As [`ResultsTable::format_header`].
    pub fn format_table<'r>(&self, rows: impl IntoIterator<Item = &'r SweepRow>) -> Result<String> {
        let mut text = self.format_header()?;
        for row in rows {
            text.push_str(&self.format_row(row)?);
        }
        Ok(text)
    }

    /// Labels a row's values with the names of their columns.
    pub fn name_values(&self, row: &SweepRow) -> ResultRow {
        ResultRow::new(&self.names, self.row_values(row))
    }

    /// Lists the values of all columns.
    fn row_values(&self, row: &SweepRow) -> Vec<Value<'static>> {
        let cell = self.plan.cells().get(row.cell);
        let mut values = self.cell_values(&cell);
        // The columns of other kinds of rows stay empty.
        values.resize(self.names.len() - 1, Value::Empty);
        match &row.figures {
            Ok(figures) => {
                let columns = self.figures[cell.spec.kind].clone();
                for (value, figure) in values[columns].iter_mut().zip(figures) {
                    value.clone_from(figure);
                }
                values.push("".into());
            }
            // The note stands in the last column in both cases, so that every line has equally many fields.
            Err(note) => values.push(note.clone().into()),
        }
        values
    }

    /// Lists the values of the columns that say which cell it is.
    fn cell_values(&self, cell: &Cell) -> CellFigures {
        let lists = &self.plan.lists;
        let spec = &cell.spec;
        let workload = item_at(&lists.workloads, spec.workload);
        let log = workload.filter(|workload| !workload.is_trace);
        let trace = workload.filter(|workload| workload.is_trace);
        let row = CellRow {
            topology: &lists.topologies[cell.topology].text,
            ordering: &lists.orderings[cell.ordering].text,
            allocator: item_at(&lists.allocators, spec.allocator).map(|spec| spec.text.as_str()),
            log: log.map(|workload| workload.text.as_str()),
            trace: trace.map(|workload| workload.text.as_str()),
            procs_per_node: item_at(&lists.procs_per_node, spec.procs).copied(),
            transform: item_at(&lists.transforms, spec.transform).map(String::as_str),
            policy: item_at(&lists.policies, spec.policy).map(String::as_str),
            model: item_at(&lists.models, spec.model).map(|spec| spec.text.as_str()),
            guest: item_at(&lists.guests, spec.guest).map(|spec| spec.text.as_str()),
            routing: item_at(&lists.routings, spec.routing)
                .or(item_at(&lists.model_routings, spec.model).and_then(Option::as_ref))
                .map(String::as_str),
            duty: item_at(&lists.duty, spec.duty).map(String::as_str),
            tilings: item_at(&lists.tilings, spec.tilings).map(String::as_str),
            seed: lists.seeds[cell.seed],
            group: KINDS[spec.kind].name,
            note: "",
        };
        row_values(&self.cell_columns, &row)
    }
}

/// Checks whether the plan has the list that a column is of.
fn uses_list(plan: &Plan, column: &str) -> bool {
    let lists = &plan.lists;
    match column {
        "log" => lists.workloads.iter().any(|workload| !workload.is_trace),
        "trace" | "procs_per_node" => lists.workloads.iter().any(|workload| workload.is_trace),
        "allocator" => !lists.allocators.is_empty(),
        "policy" => !lists.policies.is_empty(),
        "transform" => !lists.transforms.is_empty(),
        "model" => !lists.models.is_empty(),
        "duty" | "tilings" => !lists.duty.is_empty(),
        "routing" if lists.model_routings.iter().any(Option::is_some) => true,
        _ => !lists.guests.is_empty(),
    }
}

/// Writes values as a line of CSV. Fails as [`ResultsTable::format_header`] does.
pub fn write_line<'v>(values: impl IntoIterator<Item = Value<'v>>) -> Result<String> {
    let mut bytes = Vec::new();
    write_values(&mut bytes, values)
        .map_err(|error| Error::io(Path::new("a row of the sweep"), "writing", error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn write_values<'v>(
    bytes: &mut Vec<u8>,
    values: impl IntoIterator<Item = Value<'v>>,
) -> std::io::Result<()> {
    let mut csv = Table::without_header(bytes);
    for value in values {
        csv.write_cell(value)?;
    }
    csv.end_line()?;
    csv.finish()
}
