//! Orderings and hosts in the formats of other programs.

use std::collections::HashMap;

use nodeorder_base::input::Text;
use nodeorder_present::export::{
    self as exports, HOST_FORMS, JobHosts, best_ring, read_hosts, sort_by_rank,
};
use pyo3::prelude::*;

use crate::job;
use crate::ordering::Ordering;
use crate::topology::Topology;

/// The text, its name where it is one of several files in a folder, further files by their names or the ending of
/// these, and remarks.
type Exported = (
    String,
    Option<&'static str>,
    Vec<(String, Vec<u8>)>,
    Vec<String>,
);

/// Writes an ordering as `target` wants it.
#[pyfunction]
pub fn export(
    py: Python<'_>,
    topology: &Topology,
    order: &Ordering,
    target: String,
) -> PyResult<Exported> {
    let (topology, order) = (topology.inner.clone(), order.inner.clone());
    job::run(py, None, move |_| {
        let made = exports::write_order(&target, &topology, &order)?;
        let texts = made
            .beside
            .into_iter()
            .map(|(name, text)| (name, text.into_bytes()));
        let raw = made
            .binary
            .into_iter()
            .map(|(name, bytes)| (name.to_string(), bytes));
        Ok((
            made.text,
            made.folder,
            texts.chain(raw).collect(),
            made.notes,
        ))
    })
}

/// Orders the hosts of `listed` and writes them as `form` wants them, with the ordering that was chosen for them.
#[pyfunction]
#[pyo3(signature = (topology, listed, order, form, per_node))]
pub fn hosts(
    py: Python<'_>,
    topology: &Topology,
    listed: String,
    order: Option<&Ordering>,
    form: String,
    per_node: u32,
) -> PyResult<(String, String)> {
    let (topology, order) = (
        topology.inner.clone(),
        order.map(|order| order.inner.clone()),
    );
    job::run(py, None, move |_| {
        let (form, _) = HOST_FORMS.find_and_read(&form, topology.context().seed)?;
        let (given, nodes) = read_hosts(&topology, &Text::new("nodes", listed))?;
        let (ordered, by) = match order {
            Some(order) => (
                sort_by_rank(&topology, &order, &nodes)?,
                order.label().to_string(),
            ),
            None => best_ring(&topology, &nodes).map(|(ordered, by, _)| (ordered, by))?,
        };
        let names: HashMap<_, &String> = nodes.iter().copied().zip(&given).collect();
        let hosts: Vec<String> = ordered.iter().map(|node| names[node].clone()).collect();
        Ok((
            (form.parse)(&JobHosts {
                hosts: &hosts,
                given: &given,
                spares: &[],
                domains: &[],
                per_node,
            }),
            by,
        ))
    })
}
