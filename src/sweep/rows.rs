//! The table of a sweep: the cell's columns, the kind of row, the figures of every kind that occurs, and a note
//! where there are none.

use std::cmp::Ordering;
use std::path::Path;

use super::kinds::{KINDS, Kind};
use super::lists::pick;
use super::plan::{Cell, Plan};
use super::scopes::Figures;
use nodeorder_base::error::{Error, Result};
use nodeorder_present::columns::sweep::CellRow;
use nodeorder_present::columns::{Column, Table as Csv, Value, values};

/// The table of one plan.
pub(super) struct Table<'p> {
    plan: &'p Plan,
    /// Columns before the kinds' figures: those of the lists that the plan has.
    cell: Vec<Column<CellRow<'p>>>,
    /// The kinds that occur.
    kinds: Vec<(usize, &'static Kind)>,
}

impl<'p> Table<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let given = |list: &str| match list {
            "log" => plan.lists.workloads.iter().any(|w| !w.is_trace),
            "trace" | "procs_per_node" => plan.lists.workloads.iter().any(|w| w.is_trace),
            "allocator" => !plan.lists.allocators.is_empty(),
            "policy" => !plan.lists.policies.is_empty(),
            "transform" => !plan.lists.transforms.is_empty(),
            "model" => !plan.lists.models.is_empty(),
            _ => !plan.lists.guests.is_empty(),
        };
        let lists = CellRow::LISTS.iter().filter(|column| given(column.name));
        let cell = CellRow::FIRST
            .iter()
            .chain(lists)
            .chain(CellRow::GROUP)
            .copied()
            .collect();
        let kinds = (0..KINDS.len())
            .filter(|kind| plan.has_kind(*kind))
            .map(|i| (i, &KINDS[i]))
            .collect();
        Table { plan, cell, kinds }
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> Vec<String> {
        let headings = self
            .kinds
            .iter()
            .flat_map(|(_, kind)| (kind.headings)(&self.plan.lists));
        let names = self.cell.iter().map(|column| column.name);
        let names = names
            .chain(headings.map(|h| h.name))
            .chain([CellRow::NOTE[0].name]);
        names.map(|name| name.replace('.', "_")).collect()
    }

    /// The columns before the figures of a kind, those of it, and those between them and the note.
    pub(super) fn widths(&self, kind: usize) -> (usize, usize, usize) {
        let mut widths = (self.cell.len(), 0, 0);
        for (index, of) in &self.kinds {
            let width = (of.headings)(&self.plan.lists).len();
            match index.cmp(&kind) {
                Ordering::Less => widths.0 += width,
                Ordering::Equal => widths.1 = width,
                Ordering::Greater => widths.2 += width,
            }
        }
        widths
    }

    /// The row of `cell`: its figures, or a note why there are none.
    pub(super) fn row(&self, cell: &Cell, outcome: Result<Figures, String>) -> Figures {
        let (figures, note) = match outcome {
            Ok(figures) => (figures, String::new()),
            Err(note) => (Vec::new(), note.replace(char::is_control, " ")),
        };
        let (mut values, (before, own, after)) = (self.first(cell), self.widths(cell.work.kind));
        // The columns of other kinds of rows stay empty.
        values.resize(before, Value::Empty);
        values.extend(figures);
        values.resize(before + own + after, Value::Empty);
        values.push(note.into());
        values
    }

    /// The row of `cell` as a line of CSV, from that of its figures and its note. Errors: as [`line()`].
    pub(super) fn whole(&self, cell: &Cell, own: &str) -> Result<String> {
        let first = line(self.first(cell))?;
        let (before, width, after) = self.widths(cell.work.kind);
        // The note is the last value: where there is one, the figures are empty.
        let note = if own.ends_with(',') {
            own.len() - 1
        } else {
            width - 1
        };
        let (figures, note) = own.split_at_checked(note).unwrap_or((own, ""));
        let commas = |count| ",".repeat(count);
        let (before, after) = (commas(1 + before - self.cell.len()), commas(after));
        Ok(format!(
            "{}{before}{figures}{after}{note}\n",
            first.trim_end()
        ))
    }

    /// The values of the first columns, which say which cell it is.
    fn first(&self, cell: &Cell) -> Figures {
        let (plan, work) = (self.plan, &cell.work);
        let file = |is_trace| {
            let workload = pick(&plan.lists.workloads, work.workload)?;
            (workload.is_trace == is_trace).then_some(workload.text.as_str())
        };
        let text = |list: &'p [String], index| pick(list, index).map(String::as_str);
        let row = CellRow {
            topology: &plan.lists.topologies[cell.topology].text,
            ordering: &plan.lists.orderings[cell.ordering].text,
            allocator: pick(&plan.lists.allocators, work.allocator).map(|a| a.text.as_str()),
            log: file(false),
            trace: file(true),
            procs_per_node: pick(&plan.lists.procs_per_node, work.procs).copied(),
            transform: text(&plan.lists.transforms, work.transform),
            policy: text(&plan.lists.policies, work.policy),
            model: pick(&plan.lists.models, work.model).map(|model| model.text.as_str()),
            guest: pick(&plan.lists.guests, work.guest).map(|guest| guest.text.as_str()),
            routing: text(&plan.lists.routings, work.routing),
            seed: plan.lists.seeds[cell.seed],
            group: KINDS[work.kind].name,
            note: "",
        };
        values(&self.cell, &row)
    }
}

/// Values as a line of CSV. Errors: none in practice: what writing to memory reports.
pub(super) fn line(values: impl IntoIterator<Item = Value<'static>>) -> Result<String> {
    let mut bytes = Vec::new();
    let mut csv = Csv::rows(&mut bytes);
    let written = values.into_iter().try_for_each(|value| csv.cell(value));
    let written = written.and_then(|()| csv.end()).and_then(|()| csv.finish());
    written.map_err(|e| Error::io(Path::new("a row of the sweep"), "writing", e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
