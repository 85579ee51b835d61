//! Schedules of traces.

use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::replay::traffic::Traffic;
use nodeorder_jobs::schedule::{Settings, Task, policy, simulate};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::report::hosts::Hosts;
use nodeorder_present::report::schedule as report;
use nodeorder_trace::{Options, open};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::ordering::Ordering;
use crate::replay::Talk;
use crate::source::{self, Source};
use crate::topology::Topology;

/// Options of a schedule, and the form of its result.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    policy: String,
    alloc: String,
    model: String,
    partitions: Vec<i32>,
    /// `rows` or `summary`.
    out: String,
    ranks: bool,
    names: bool,
    extent: bool,
    shape: bool,
}

/// Schedules a trace: a row a job as CSV, or the document of `--json`.
#[pyfunction]
#[pyo3(signature = (topology, order, jobs, talk, procs_per_node, wanted, progress))]
#[allow(clippy::too_many_arguments)]
pub fn schedule(
    py: Python<'_>,
    topology: &Topology,
    order: &Ordering,
    jobs: Source,
    talk: Talk,
    procs_per_node: Option<u32>,
    wanted: Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let (topology, order) = (topology.inner.clone(), order.inner.clone());
    job::run(py, progress, move |job| {
        policy::check_policy(&wanted.policy)?;
        if wanted.names {
            topology.check_names(order.nodes())?;
        }
        let options = Options {
            partitions: wanted.partitions.clone(),
            ..source::options(topology.context(), order.len(), procs_per_node)
        };
        let trace = jobs.trace(&options)?;
        let distances = RankDistances::new(&topology, &order)?;
        let machine = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let fabric = talk.fabric(&topology)?;
        let traffic = talk.settings(fabric.as_ref())?;
        let mut traffic = traffic
            .map(|settings| Traffic::new(settings, &order))
            .transpose()?;
        let rows = wanted.out == "rows";
        let shown = FigureSet {
            ranks: wanted.ranks,
            hosts: wanted.names,
            extent: wanted.extent,
            shape: wanted.shape,
            traffic: talk.0.is_some(),
            ..FigureSet::default()
        };
        let settings = Settings {
            rules: None,
            policy: &wanted.policy,
            allocator: &wanted.alloc,
            model: &wanted.model,
            metrics: true,
            figures: FigureSet {
                ranks: rows && shown.keeps_ranks() || shown.traffic,
                hosts: false,
                extent: rows && shown.extent,
                ..shown
            },
            timeline: !rows,
        };
        let tasks = Task::from_trace(&trace);
        job.set_total(tasks.len() as u64);
        let result = simulate(&machine, &tasks, &settings, &|ended| job.set(ended as u64));
        let mut result = result.map_err(|error| match jobs.lines(options.memory) {
            Ok(lines) => Failure::from(open::locate_job_error(error, lines)),
            Err(_) => error.into(),
        })?;
        if let Some(traffic) = &mut traffic {
            result.measure_traffic(traffic)?;
        }
        let hosts = Hosts {
            topology: &topology,
            order: &order,
        };
        if !rows {
            let guest = talk.0.as_deref();
            let totals = traffic.map(|traffic| traffic.totals());
            let document =
                report::document(hosts, &trace, &settings, guest, &result, totals.as_ref());
            return Ok(document.to_string().into_bytes());
        }
        let mut out = Vec::new();
        report::write_csv(&mut out, &result, shown, hosts)?;
        Ok(out)
    })
}
