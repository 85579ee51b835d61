//! Orderings and hosts in the formats of other programs.

use nodeorder_base::Text;
use nodeorder_base::observer::NoObserver;
use nodeorder_present::export::{
    self as exports, ExportJob, HOST_FORMS, HostsWanted, plan_hosts, read_hosts, says_ranks,
};
use pyo3::prelude::*;

use crate::corun::read_jobs;
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

/// Writes an ordering as `target` wants it, or `jobs` on the machine: the name of a file of jobs, and its content where it is
/// no file.
#[pyfunction]
#[pyo3(signature = (topology, order, target, jobs))]
pub fn export(
    py: Python<'_>,
    topology: &Topology,
    order: &Ordering,
    target: String,
    jobs: Option<(String, Option<String>)>,
) -> PyResult<Exported> {
    let (topology, order) = (topology.inner.clone(), order.inner.clone());
    job::run(py, None, move |_| {
        let jobs = match jobs {
            Some((name, text)) => read_jobs(&topology, &name, text)?,
            None => Vec::new(),
        };
        let jobs: Vec<ExportJob> = jobs.iter().map(ExportJob::from).collect();
        let made = exports::write_jobs(&target, &topology, &order, &jobs)?;
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

/// What is asked of the hosts of a job.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    per_node: u32,
    guest: Option<String>,
    spread: bool,
    segment: Option<String>,
    take: Option<u32>,
    roles: Option<String>,
    time: f64,
}

/// Orders the hosts of `listed` and writes them as `form` wants them; with the same as a JSON document.
#[pyfunction]
#[pyo3(signature = (topology, listed, order, form, wanted))]
pub fn hosts(
    py: Python<'_>,
    topology: &Topology,
    listed: String,
    order: Option<&Ordering>,
    form: String,
    wanted: Wanted,
) -> PyResult<(String, String)> {
    let (topology, order) = (
        topology.inner.clone(),
        order.map(|order| order.inner.clone()),
    );
    job::run(py, None, move |_| {
        let (form, _) = HOST_FORMS.find_and_read(&form, topology.context().seed)?;
        let (given, nodes) = read_hosts(&topology, &Text::new("nodes", listed))?;
        let per_node = wanted.per_node;
        let wanted = HostsWanted {
            order: order.as_deref(),
            guest: wanted.guest.as_deref(),
            spread: wanted.spread,
            per_node,
            segment: wanted.segment.as_deref(),
            take: wanted.take,
            roles: wanted.roles.as_deref(),
            regroups: says_ranks(form.name),
            time: wanted.time,
        };
        let plan = plan_hosts(&topology, &nodes, &wanted, &NoObserver)?;
        let document = plan.document(&nodes, &given).to_string();
        Ok((
            plan.write_form(form.parse, &nodes, &given, per_node),
            document,
        ))
    })
}
