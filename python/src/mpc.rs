//! MPC curves.

use nodeorder_order::metric::mpc::{self, SumMethod};
use nodeorder_order::metric::sizes;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::job;
use crate::ordering::Ordering;
use crate::topology::Topology;

type Curve<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// Computes MPC of one ordering: sizes, and the value at each; `chosen` as `--sizes` takes it.
#[pyfunction]
#[pyo3(signature = (topology, order, chosen, progress))]
pub fn curve<'py>(
    py: Python<'py>,
    topology: &Topology,
    order: &Ordering,
    chosen: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Curve<'py>> {
    let (topology, order) = (topology.inner.clone(), order.inner.clone());
    let (sizes, values) = job::run(py, progress, move |_| {
        // Fewer than two nodes have no sizes: the curve itself reports that.
        let n = order.len();
        let chosen = if n < 2 {
            None
        } else {
            sizes::parse_sizes(&chosen, n)?
        };
        if let (Some(sizes), 1) = (&chosen, topology.component_count()) {
            let at = mpc::at_sizes(&topology, &order, sizes, SumMethod::Auto)?;
            return Ok(at
                .into_iter()
                .map(|(size, value)| (size as i64, value))
                .unzip());
        }
        let curve = mpc::curve(&topology, &order)?;
        let all = chosen.is_none() && curve.largest_size() == n;
        if all {
            return Ok(((2..=n as i64).collect::<Vec<_>>(), curve.values()));
        }
        let sizes = chosen.unwrap_or_else(|| (2..=n).collect());
        let sizes = sizes
            .into_iter()
            .filter(|size| *size <= curve.largest_size());
        Ok(sizes.map(|size| (size as i64, curve.mpc(size))).unzip())
    })?;
    Ok((sizes.into_pyarray(py), values.into_pyarray(py)))
}
