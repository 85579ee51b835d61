//! Orderings by the objective of searches.

use nodeorder_order::ordering::optimise::scores;
use nodeorder_present::columns;
use nodeorder_present::columns::comparison::ScoreRow;
use pyo3::prelude::*;

use crate::job::{self, Clock};
use crate::ordering::{Ordering, shared};
use crate::topology::Topology;

/// Scores orderings by the objective of searches: a row an ordering, as CSV.
#[pyfunction]
#[pyo3(signature = (topology, orders, weights, progress))]
pub fn score(
    py: Python<'_>,
    topology: &Topology,
    orders: Vec<PyRef<'_, Ordering>>,
    weights: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let (topology, orders) = (topology.inner.clone(), shared(&orders));
    job::run(py, progress, move |_| {
        let found = scores(&topology, &weights, &orders, &Clock::start())?;
        let rows = orders.iter().zip(&found);
        let rows = rows.map(|(order, score)| ScoreRow {
            ordering: order.label(),
            score,
        });
        let mut out = Vec::new();
        columns::write_table(&mut out, ScoreRow::ALL, rows)?;
        Ok(out)
    })
}
