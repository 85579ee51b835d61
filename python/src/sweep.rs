//! Every combination of a plan.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use nodeorder_base::input::Text;
use nodeorder_network::topology::Context;
use nodeorder_sweep::store::{header, line, table};
use nodeorder_sweep::{self as sweeps, Plan};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;

/// The table of a plan as CSV, and remarks on what it rests on. `text` is the plan, and `file` where it is from or what its
/// paths are relative to.
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
        let cells: Vec<usize> = (0..plan.cells().len()).collect();
        job.set_total(cells.len() as u64);
        let rows = Mutex::new(BTreeMap::new());
        sweeps::run(
            &plan,
            &context,
            &cells,
            |cell, values| -> Result<(), Failure> {
                let row = line(values)?;
                rows.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(cell, row);
                job.add(1);
                Ok(())
            },
        )?;
        let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        let remarks = [plan.remarks.orderings.clone(), plan.remarks.assumed.clone()].concat();
        Ok((
            table(&header(&plan)?, rows.values().map(String::as_str)),
            remarks,
        ))
    })
}
