//! How many units of a machine are up.

use nodeorder_order::metric::availability::{Availability, AvailabilityQuestion};
use pyo3::prelude::*;

use crate::job;
use crate::topology::Topology;

/// What is asked, as the command's options say it.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    level: Option<String>,
    need: Option<String>,
    node: Option<f64>,
    mtbf: Option<String>,
    mttr: Option<String>,
    switch: Option<f64>,
    slices: Vec<usize>,
    promise: Option<String>,
}

/// Writes the figures of `--json`.
#[pyfunction]
pub fn availability(py: Python<'_>, topology: &Topology, wanted: Wanted) -> PyResult<String> {
    let topology = topology.inner.clone();
    job::run(py, None, move |_| {
        let question = AvailabilityQuestion {
            level: wanted.level.as_deref(),
            need: wanted.need.as_deref(),
            node: wanted.node,
            times: wanted
                .mtbf
                .as_deref()
                .zip(wanted.mttr.as_deref())
                .map(<[&str; 2]>::from),
            switch: wanted.switch,
            slices: &wanted.slices,
            promise: wanted.promise.as_deref(),
        };
        let found = Availability::compute(&topology, &question)?;
        Ok(serde_json::json!(found).to_string())
    })
}
