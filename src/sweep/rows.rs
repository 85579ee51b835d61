//! The table of a sweep: the cell's columns, the kind of row, the figures of every kind that occurs, and a note
//! where there are none.

use super::cells::Cell;
use super::kinds::{KINDS, Kind};
use super::plan::{Plan, pick};
use crate::columns::sweep::CellRow;
use crate::columns::{Column, Table as Csv};
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

    /// The header line.
    ///
    /// # Errors
    /// None in practice: what writing to memory reports.
    pub(super) fn header(&self) -> Result<String> {
        line(|csv| {
            csv.header(&self.cell)?;
            let headings = self.kinds.iter().flat_map(|(_, kind)| (kind.headings)(self.plan));
            headings.into_iter().try_for_each(|h| csv.cell(h.name.replace('.', "_").into()))?;
            csv.header(CellRow::NOTE)
        })
    }

    /// The row of `cell`: its figures, or a note why there are none.
    ///
    /// # Errors
    /// None in practice: what writing to memory reports.
    pub(super) fn row(&self, cell: &Cell, outcome: Result<Vec<String>, String>) -> Result<String> {
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
        line(|csv| {
            csv.values(&self.cell, &row)?;
            for (index, kind) in &self.kinds {
                let mine = *index == work.kind;
                for i in 0..(kind.headings)(plan).len() {
                    csv.cell(figures.get(i).filter(|_| mine).map(String::as_str).into())?;
                }
            }
            csv.cell(note.as_str().into())
        })
    }
}

/// One line of CSV.
fn line(write: impl FnOnce(&mut Csv<&mut Vec<u8>>) -> std::io::Result<()>) -> Result<String> {
    let mut bytes = Vec::new();
    let mut csv = Csv::rows(&mut bytes);
    let failed = |e: std::io::Error| Error::Draw {
        figure: "a row of the sweep".into(),
        reason: e.to_string(),
    };
    write(&mut csv).and_then(|()| csv.end()).and_then(|()| csv.finish()).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
