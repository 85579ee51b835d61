//! Every combination of a plan.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nodeorder_base::Text;
use nodeorder_network::Context;
use nodeorder_sweep::{Plan, ResultsTable, Shard, SweepRow, run_all, run_cells};
use nodeorder_traffic::slowdown::SLOWDOWN;
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
        let context = Context {
            seed,
            memory,
            objective: Some(SLOWDOWN),
        };
        let plan = read_plan(text, &file, &context)?;
        job.set_total(plan.cells().len() as u64);
        let rows = run_all(&plan, &context, || -> Result<(), Failure> {
            job.add(1);
            Ok(())
        })?;
        let remarks = [plan.remarks.orderings.clone(), plan.remarks.assumed.clone()].concat();
        Ok((ResultsTable::new(&plan).format_table(&rows)?, remarks))
    })
}

fn read_plan(text: Option<String>, file: &Path, context: &Context) -> Result<Plan, Failure> {
    let text = match text {
        Some(text) => Text::new("plan", text),
        None => Text::read(file, context.memory)?,
    };
    Ok(Plan::read(&text, Some(file), context)?)
}

/// Header of a plan's table, number of its cells, remarks, and the lines of a shard's rows in their order.
type ShardRows = (String, usize, Vec<String>, Vec<String>);

/// Runs one shard of a plan, or none: what workers of an executor do.
#[pyfunction]
#[pyo3(signature = (text, file, seed, memory, shard))]
pub fn sweep_shard(
    py: Python<'_>,
    text: Option<String>,
    file: PathBuf,
    seed: u64,
    memory: u64,
    shard: Option<(u32, u32)>,
) -> PyResult<ShardRows> {
    job::run(py, None, move |_| {
        let context = Context {
            seed,
            memory,
            objective: Some(SLOWDOWN),
        };
        let plan = read_plan(text, &file, &context)?;
        let table = ResultsTable::new(&plan);
        let count = plan.cells().len();
        let shard = shard.map(|(index, of)| Shard { index, of });
        let cells: Vec<usize> = shard
            .into_iter()
            .flat_map(|shard| shard.cell_numbers(count))
            .collect();
        let rows = Mutex::new(Vec::new());
        run_cells(
            &plan,
            &context,
            &cells,
            |row: SweepRow| -> Result<(), Failure> {
                rows.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(row);
                Ok(())
            },
        )?;
        let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.sort_unstable_by_key(|row| row.cell);
        let mut lines = Vec::new();
        for row in &rows {
            lines.push(table.format_row(row)?);
        }
        let remarks = [plan.remarks.orderings.clone(), plan.remarks.assumed.clone()].concat();
        Ok((table.format_header()?, count, remarks, lines))
    })
}
