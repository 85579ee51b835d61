//! The table's columns and rows: cell columns first, then the group of metrics, its figures, and a note
//! where there are none.

use super::cells::{Cell, Work};
use super::plan::Plan;
use crate::error::{Error, Result};

/// Columns of MPC curves.
pub(super) const CURVE: &[&str] = &["nodes", "mpc_mean_log", "mpc_mean", "mean_step"];

/// Columns of replays.
pub(super) const REPLAY: &[&str] = &[
    "placed",
    "skipped",
    "mean_mind",
    "mean_mind_per_log_size",
    "mean_components",
    "mean_linear_span",
    "mean_ring_span",
    "improvement_small",
    "improvement_large",
    "improvement_overall",
    "delta_mind",
];

/// Columns of schedules; times in seconds.
pub(super) const SCHEDULE: &[&str] = &[
    "jobs",
    "left_out",
    "utilisation",
    "mean_wait",
    "max_wait",
    "mean_response",
    "mean_bounded_slowdown",
    "makespan",
    "contiguous_share",
    "schedule_mean_mind",
];

/// Columns of mappings.
pub(super) const MAP: &[&str] = &[
    "dilation_max",
    "dilation_mean",
    "dilation_mean_pairs",
    "hop_bytes",
    "contention_max",
    "contention_mean",
    "links_used",
];

/// The table of one plan.
pub(super) struct Table<'p> {
    plan: &'p Plan,
    /// The groups that occur: name and columns.
    groups: Vec<(&'static str, &'static [&'static str])>,
}

impl<'p> Table<'p> {
    pub(super) fn new(plan: &'p Plan) -> Self {
        let mut groups = Vec::new();
        if plan.workloads.is_empty() && plan.guests.is_empty() {
            groups.push(("mpc", CURVE));
        }
        if plan.workloads.iter().any(|w| !w.is_trace || plan.policies.is_empty()) {
            groups.push(("replay", REPLAY));
        }
        if !plan.policies.is_empty() {
            groups.push(("schedule", SCHEDULE));
        }
        if !plan.guests.is_empty() {
            groups.push(("mapping", MAP));
        }
        Table { plan, groups }
    }

    /// Cell columns: the lists that the plan has, by their singular.
    fn cell_columns(&self) -> Vec<&'static str> {
        let plan = self.plan;
        let traces = plan.workloads.iter().any(|w| w.is_trace);
        let optional = [
            ("allocator", !plan.allocators.is_empty()),
            ("log", plan.workloads.iter().any(|w| !w.is_trace)),
            ("trace", traces),
            ("procs_per_node", traces),
            ("policy", !plan.policies.is_empty()),
            ("guest", !plan.guests.is_empty()),
            ("routing", !plan.guests.is_empty()),
        ];
        let given = optional.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
        ["topology", "ordering"].into_iter().chain(given).chain(["seed"]).collect()
    }

    /// The header line.
    pub(super) fn header(&self) -> String {
        let figures = self.groups.iter().flat_map(|(_, columns)| columns.iter().copied());
        let columns: Vec<&str> = self
            .cell_columns()
            .into_iter()
            .chain(["group"])
            .chain(figures)
            .chain(["note"])
            .collect();
        columns.join(",") + "\n"
    }

    /// The row of `cell`: its figures, or a note why there are none.
    ///
    /// # Errors
    /// None in practice: what quoting a text in memory reports.
    pub(super) fn row(&self, cell: &Cell, outcome: Result<Vec<String>, String>) -> Result<String> {
        let plan = self.plan;
        let mut fields: Vec<String> = Vec::new();
        for column in self.cell_columns() {
            fields.push(match (column, cell.work) {
                ("topology", _) => plan.topologies[cell.topology as usize].clone(),
                ("ordering", _) => plan.orderings[cell.ordering as usize].clone(),
                ("seed", _) => plan.seeds[cell.seed as usize].to_string(),
                (
                    "allocator",
                    Work::Replay { allocator, .. } | Work::Schedule { allocator, .. },
                ) => plan.allocators[allocator as usize].clone(),
                (
                    "log" | "trace",
                    Work::Replay { workload, .. } | Work::Schedule { workload, .. },
                ) => {
                    let workload = &plan.workloads[workload as usize];
                    let here = workload.is_trace == (column == "trace");
                    if here { workload.text.clone() } else { String::new() }
                }
                (
                    "procs_per_node",
                    Work::Replay { workload, procs, .. } | Work::Schedule { workload, procs, .. },
                ) if plan.workloads[workload as usize].is_trace => {
                    plan.procs_per_node[procs as usize].to_string()
                }
                ("policy", Work::Schedule { policy, .. }) => plan.policies[policy as usize].clone(),
                ("guest", Work::Map { guest, .. }) => plan.guests[guest as usize].clone(),
                ("routing", Work::Map { routing, .. }) => plan.routings[routing as usize].clone(),
                _ => String::new(),
            });
        }
        let name = match cell.work {
            Work::Curve => "mpc",
            Work::Replay { .. } => "replay",
            Work::Schedule { .. } => "schedule",
            Work::Map { .. } => "mapping",
        };
        fields.push(name.into());
        let (figures, note) = match outcome {
            Ok(figures) => (figures, String::new()),
            Err(note) => (Vec::new(), note.replace(char::is_control, " ")),
        };
        for (group, columns) in &self.groups {
            let mine = *group == name;
            let figure = |i| figures.get(i).filter(|_| mine).cloned().unwrap_or_default();
            fields.extend((0..columns.len()).map(figure));
        }
        fields.push(note);
        line(&fields)
    }
}

/// One line of CSV.
fn line(fields: &[String]) -> Result<String> {
    let failed = |e: String| Error::Draw { figure: "a row of the sweep".into(), reason: e };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields).map_err(|e| failed(e.to_string()))?;
    let bytes = writer.into_inner().map_err(|e| failed(e.to_string()))?;
    String::from_utf8(bytes).map_err(|e| failed(e.to_string()))
}
