//! What fits on a machine now.

use nodeorder_base::input::Text;
use nodeorder_jobs::audit::snapshot::Snapshot;
use nodeorder_present::report::snapshot::document;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::source::Source;
use crate::topology::Topology;

/// Writes the document of `--json`, of jobs and of nodes as `sinfo --json` prints them: a file's name, and its text
/// where Python has it.
#[pyfunction]
pub fn snapshot(
    py: Python<'_>,
    topology: &Topology,
    jobs: Source,
    nodes: Option<(String, Option<String>)>,
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
        Ok::<_, Failure>(document(&snapshot, &topology, &jobs.name, ""))
    })
}
