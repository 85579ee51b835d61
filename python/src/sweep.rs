//! Every combination of a plan.

use std::path::PathBuf;

use nodeorder_base::input::Text;
use nodeorder_network::topology::Context;
use nodeorder_sweep::{Plan, ResultsTable, run_all};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;

/// Runs a plan: its table as CSV, and remarks on what this rests on. `text` is the plan, and `file` where it is from
/// or what its paths are relative to.
#[pyfunction]
#[pyo3(signature = (text, file, seed, memory, progress))]
pub fn sweep(
    py: Python<'_>,
    text: Option<String>,
    file: PathBuf,
    seed: u64,
    memory: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    job::run(py, progress, move |job| {
        let context = Context { seed, memory };
        let text = match text {
            Some(text) => Text::new("plan", text),
            None => Text::read(&file, memory)?,
        };
        let plan = Plan::read(&text, Some(&file), &context)?;
        job.set_total(plan.cells().len() as u64);
        let rows = run_all(&plan, &context, || -> Result<(), Failure> {
            job.add(1);
            Ok(())
        })?;
        let remarks = [plan.remarks.orderings.clone(), plan.remarks.assumed.clone()].concat();
        Ok((ResultsTable::new(&plan).format_table(&rows)?, remarks))
    })
}
