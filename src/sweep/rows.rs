//! The table of a sweep: the cell's columns, the kind of row, the figures of every kind that occurs, and a note
//! where there are none.

use std::path::Path;

use super::cells::Cell;
use super::kinds::{KINDS, Kind};
use super::plan::{Plan, pick};
use super::scopes::Figures;
use crate::columns::sweep::CellRow;
use crate::columns::{Column, Table as Csv, Value, values};
use crate::error::{Error, Result};

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
            "log" => plan.workloads.iter().any(|w| !w.is_trace),
            "trace" | "procs_per_node" => plan.workloads.iter().any(|w| w.is_trace),
            "allocator" => !plan.allocators.is_empty(),
            "policy" => !plan.policies.is_empty(),
            "transform" => !plan.transforms.is_empty(),
            "model" => !plan.models.is_empty(),
            _ => !plan.guests.is_empty(),
        };
        let lists = CellRow::LISTS.iter().filter(|column| given(column.name));
        let cell = CellRow::FIRST.iter().chain(lists).chain(CellRow::GROUP).copied().collect();
        let occurs = |kind: &usize| plan.works.iter().any(|work| work.kind == *kind);
        let kinds = (0..KINDS.len()).filter(occurs).map(|i| (i, &KINDS[i])).collect();
        Table { plan, cell, kinds }
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> Vec<String> {
        let headings = self.kinds.iter().flat_map(|(_, kind)| (kind.headings)(self.plan));
        let names = self.cell.iter().map(|column| column.name);
        let names = names.chain(headings.map(|h| h.name)).chain([CellRow::NOTE[0].name]);
        names.map(|name| name.replace('.', "_")).collect()
    }

    /// The row of `cell`: its figures, or a note why there are none.
    pub(super) fn row(&self, cell: &Cell, outcome: Result<Figures, String>) -> Figures {
        let (plan, work) = (self.plan, &cell.work);
        let (figures, note) = match outcome {
            Ok(figures) => (figures, String::new()),
            Err(note) => (Vec::new(), note.replace(char::is_control, " ")),
        };
        let file = |is_trace| {
            let workload = pick(&plan.workloads, work.workload)?;
            (workload.is_trace == is_trace).then_some(workload.text.as_str())
        };
        let text = |list: &'p [String], index| pick(list, index).map(String::as_str);
        let row = CellRow {
            topology: &plan.topologies[cell.topology].text,
            ordering: &plan.orderings[cell.ordering].text,
            allocator: text(&plan.allocators, work.allocator),
            log: file(false),
            trace: file(true),
            procs_per_node: pick(&plan.procs_per_node, work.procs).copied(),
            transform: text(&plan.transforms, work.transform),
            policy: text(&plan.policies, work.policy),
            model: pick(&plan.models, work.model).map(|model| model.text.as_str()),
            guest: pick(&plan.guests, work.guest).map(|guest| guest.text.as_str()),
            routing: text(&plan.routings, work.routing),
            seed: plan.seeds[cell.seed],
            group: KINDS[work.kind].name,
            note: "",
        };
        let mut values = values(&self.cell, &row);
        let mut figures = Some(figures);
        for (index, kind) in &self.kinds {
            // The columns of other kinds of rows stay empty.
            let end = values.len() + (kind.headings)(plan).len();
            if *index == work.kind {
                values.extend(figures.take().unwrap_or_default());
            }
            values.resize(end, Value::Empty);
        }
        values.push(note.into());
        values
    }
}

/// Values as a line of CSV.
///
/// # Errors
/// None in practice: what writing to memory reports.
pub(super) fn line(values: impl IntoIterator<Item = Value<'static>>) -> Result<String> {
    let mut bytes = Vec::new();
    let mut csv = Csv::rows(&mut bytes);
    let written = values.into_iter().try_for_each(|value| csv.cell(value));
    let written = written.and_then(|()| csv.end()).and_then(|()| csv.finish());
    written.map_err(|e| Error::io(Path::new("a row of the sweep"), "writing", e))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
