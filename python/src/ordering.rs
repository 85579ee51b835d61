//! Orderings.

use std::sync::Arc;

use nodeorder_order::NodeOrder;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use serde_json::json;

use crate::job::{self, Clock};
use crate::topology::{Topology, node_ids};

/// An ordering of a machine's nodes.
#[pyclass(frozen, module = "nodeorder._native")]
pub struct Ordering {
    pub inner: Arc<NodeOrder>,
    /// Outcome of the search that made it (objective, bound, status), as JSON.
    found: Option<String>,
}

#[pymethods]
impl Ordering {
    /// Makes an ordering from a text: a method with options, or a file.
    #[staticmethod]
    #[pyo3(signature = (topology, text, progress))]
    fn make(
        py: Python<'_>,
        topology: &Topology,
        text: String,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let topology = topology.inner.clone();
        let (order, found) = job::run(py, progress, move |_| {
            let clock = Clock::start();
            let (order, found) = NodeOrder::make_observed(&topology, &text, &clock)?;
            let found = found.map(|found| {
                let document = json!({
                    "objective": found.objective, "lower_bound": found.lower_bound, "gap": found.gap,
                    "optimal": found.optimal, "solver": found.solver, "status": found.status.name(),
                    "steps": found.steps,
                });
                document.to_string()
            });
            Ok((order, found))
        })?;
        Ok(Ordering {
            inner: Arc::new(order),
            found,
        })
    }

    /// Makes an ordering of `nodes`; refuses unknown, unschedulable and repeated ones.
    #[staticmethod]
    fn of_nodes(
        py: Python<'_>,
        topology: &Topology,
        label: String,
        nodes: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let (topology, nodes) = (topology.inner.clone(), node_ids(&label, &nodes)?);
        let order = job::run(py, None, move |_| {
            Ok(NodeOrder::new(&topology, label, nodes)?)
        })?;
        Ok(Ordering {
            inner: Arc::new(order),
            found: None,
        })
    }

    #[getter]
    fn label(&self) -> &str {
        self.inner.label()
    }

    #[getter]
    fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Lists the nodes in rank order.
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let nodes: Vec<i64> = py.detach(|| {
            self.inner
                .nodes()
                .iter()
                .map(|node| node.0.into())
                .collect()
        });
        nodes.into_pyarray(py)
    }

    /// Writes the text of the ordering's file, with `names` in the place of ids where wanted.
    fn text(&self, py: Python<'_>, topology: &Topology, names: bool) -> PyResult<Vec<u8>> {
        let (order, topology) = (self.inner.clone(), topology.inner.clone());
        job::run(py, None, move |_| {
            if names {
                topology.check_names(order.nodes())?;
            }
            let mut text = Vec::new();
            order.write_to(&topology, names, &mut text)?;
            Ok(text)
        })
    }

    /// Lists remarks on the ordering's use on `topology`: a file made for another machine, and nodes left out.
    fn remarks(&self, topology: &Topology) -> Vec<String> {
        self.inner.list_remarks(&topology.inner)
    }

    /// Writes the host list of the nodes in rank order.
    fn host_list(&self, topology: &Topology) -> String {
        topology.inner.host_list(self.inner.nodes().iter().copied())
    }
}

/// Copies the orderings for work on other threads: Python objects stay with this one.
pub fn shared(orders: &[PyRef<'_, Ordering>]) -> Vec<NodeOrder> {
    orders
        .iter()
        .map(|order| NodeOrder::clone(&order.inner))
        .collect()
}
