//! What fits on a machine now.

use nodeorder_base::Text;
use nodeorder_jobs::audit::free_units::{FreeRequest, MoveCost};
use nodeorder_jobs::audit::slots::JobSize;
use nodeorder_jobs::audit::snapshot::Snapshot;
use nodeorder_present::report::snapshot::SnapshotReport;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::source::Source;
use crate::topology::Topology;

/// What is asked of a snapshot, as the command's options say it.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    sizes: Option<String>,
    free: Option<String>,
    fixed: Option<String>,
    movable: Option<String>,
    cost: String,
    whole_jobs: bool,
    seconds: f64,
}

/// Writes the document of `--json`, of jobs and of nodes as `sinfo --json` prints them: a file's name, and its text
/// where Python has it.
#[pyfunction]
pub fn snapshot(
    py: Python<'_>,
    topology: &Topology,
    jobs: Source,
    nodes: Option<(String, Option<String>)>,
    wanted: Wanted,
) -> PyResult<String> {
    let topology = topology.inner.clone();
    job::run(py, None, move |_| {
        let memory = topology.context().memory;
        let mut records = jobs.records(memory)?;
        let states = match nodes {
            None => None,
            Some((name, Some(text))) => Some(Text::new(name, text)),
            Some((name, None)) => Some(Text::read(name.as_ref(), memory)?),
        };
        let snapshot = Snapshot::new(&topology, &mut records, states.as_ref())?;
        let sizes = wanted
            .sizes
            .as_deref()
            .map(JobSize::parse_list)
            .transpose()?;
        let cost = MoveCost::parse(&wanted.cost)?;
        let moves = wanted.free.as_deref().map(|units| {
            snapshot.free_units(&FreeRequest {
                units,
                fixed: wanted.fixed.as_deref(),
                movable: wanted.movable.as_deref(),
                cost,
                whole_jobs: wanted.whole_jobs,
                seconds: wanted.seconds,
            })
        });
        let report = SnapshotReport {
            snapshot: &snapshot,
            topology: &topology,
            jobs: &jobs.name,
            command: "",
            slots: snapshot.list_slots(sizes.as_deref()),
            moves: moves.transpose()?,
        };
        Ok::<_, Failure>(report.document())
    })
}
