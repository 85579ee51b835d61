//! Comparisons of orderings, and how curves look.

use std::sync::Arc;

use nodeorder_jobs::replay::prediction::predict;
use nodeorder_jobs::schedule::orderings::on_orderings;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison as Compared;
use nodeorder_order::metric::mpc::{self, Curve};
use nodeorder_present::machines::WorkloadOptions;
use nodeorder_present::plot;
use nodeorder_present::report::{self, WorkloadResults};
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Sizes, Trace, Weight};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job::{self, Job};
use crate::ordering::{Ordering, shared};
use crate::replay::Talk;
use crate::source::{self, Source};
use crate::topology::Topology;

/// Orderings of one machine side by side.
#[pyclass(frozen, module = "nodeorder._native")]
pub struct Comparison {
    inner: Arc<Inner>,
}

struct Inner {
    topology: Arc<nodeorder_network::topology::Topology>,
    orders: Vec<NodeOrder>,
    comparison: Compared,
    workload: WorkloadResults<'static>,
    command: String,
}

/// The jobs that orderings are compared on.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Jobs {
    trace: Source,
    alloc: Vec<String>,
    policy: Option<String>,
    model: Option<String>,
    procs_per_node: Option<u32>,
    talk: Talk,
}

#[pymethods]
impl Comparison {
    /// Compares orderings; the page shows `command` as the command line that makes it again.
    #[staticmethod]
    #[pyo3(signature = (topology, orders, jobs, command, progress))]
    fn make(
        py: Python<'_>,
        topology: &Topology,
        orders: Vec<PyRef<'_, Ordering>>,
        jobs: Option<Jobs>,
        command: String,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (topology, orders) = (topology.inner.clone(), shared(&orders));
        let inner = job::run(py, progress, move |job| {
            let work = jobs.as_ref().map(|jobs| jobs.open(&topology)).transpose()?;
            NodeOrder::check_same_nodes(&topology, &orders)?;
            job.set_total(orders.len() as u64 + if work.is_some() { 2 } else { 0 });
            let mut curves = Vec::new();
            for order in &orders {
                curves.push(mpc::curve(&topology, order)?);
                job.add(1);
            }
            let workload = match (&jobs, work) {
                (Some(jobs), Some(work)) => jobs.run(&topology, &orders, &curves, work, job)?,
                _ => WorkloadResults::default(),
            };
            let comparison = Compared::new(&topology, &orders, curves)?;
            Ok(Inner {
                topology,
                orders,
                comparison,
                workload,
                command,
            })
        })?;
        Ok(Comparison {
            inner: Arc::new(inner),
        })
    }

    /// Writes the page and the files beside it: names and bytes.
    fn files(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<u8>)>> {
        let inner = self.inner.clone();
        job::run(py, None, move |job| {
            let Inner {
                topology,
                orders,
                comparison,
                workload,
                command,
            } = &*inner;
            let files = report::files(topology, orders, comparison, workload, command)?;
            let written = files.iter().map(|file| {
                job.check();
                let mut bytes = Vec::new();
                file.write_to(&mut bytes)?;
                Ok((file.name.clone(), bytes))
            });
            written.collect()
        })
    }

    /// Writes the ranked table as CSV.
    fn table(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        report::csv::write_table(&mut out, &self.inner.comparison)?;
        Ok(out)
    }

    /// Writes the curves as CSV: ordering, size, mpc.
    fn curves(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        let curves = self
            .inner
            .comparison
            .entries
            .iter()
            .map(|e| (&*e.label, &*e.values));
        report::csv::write_curves(&mut out, curves)?;
        Ok(out)
    }

    /// Writes the document of `compare --json`.
    fn summary(&self) -> String {
        let Inner {
            comparison,
            workload,
            command,
            ..
        } = &*self.inner;
        report::json::summary_json(comparison, workload, command)
    }

    /// Writes the sentences that the page begins with, as HTML.
    fn sentences(&self) -> Vec<String> {
        report::sentences(&self.inner.comparison, &self.inner.workload)
    }

    /// Finds the index of each table row's ordering in the list given; a curve's colour follows from it.
    fn slots(&self) -> Vec<usize> {
        report::slots_as_named(&self.inner.comparison, &self.inner.orders)
    }

    /// Returns the proved lower bound of MPC at sizes 2, 3, …; empty where none is known.
    fn floor(&self) -> Vec<f64> {
        self.inner.comparison.floor.clone()
    }
}

/// An opened workload: the log, its sizes, and the trace where jobs have times.
struct Opened {
    log: OpenedLog,
    sizes: Sizes,
}

impl Jobs {
    /// Makes the choice of allocators, policy and runtime model to run the jobs with.
    fn asked(&self) -> WorkloadOptions<'_> {
        let (policy, model) = (self.policy.as_deref(), self.model.as_deref());
        WorkloadOptions {
            allocators: &self.alloc,
            policy,
            model,
        }
    }

    /// Checks the settings, then opens the workload: nothing is computed for settings that are refused.
    fn open(&self, topology: &nodeorder_network::topology::Topology) -> Result<Opened, Failure> {
        self.asked().check()?;
        let nodes = topology.node_count();
        let options = source::options(topology.context(), nodes, self.procs_per_node);
        let log = self.trace.log(&options)?;
        let sizes = match &log.trace {
            Some(trace) => Sizes::from_trace(trace, Weight::Jobs),
            None => {
                self.asked().check_log(&self.trace.name)?;
                Sizes::from_lines(self.trace.lines(options.memory)?, Weight::Jobs, &options)?
            }
        };
        Ok(Opened { log, sizes })
    }

    /// Replays and schedules the jobs on every ordering.
    fn run(
        &self,
        topology: &nodeorder_network::topology::Topology,
        orders: &[NodeOrder],
        curves: &[Curve],
        opened: Opened,
        job: &Job,
    ) -> Result<WorkloadResults<'static>, Failure> {
        let Opened {
            log: OpenedLog { mut log, trace, .. },
            sizes,
        } = opened;
        let (asked, alloc) = (self.asked(), self.asked().allocators());
        let fabric = self.talk.fabric(topology)?;
        let traffic = self.talk.settings(fabric.as_ref())?;
        let (curves, shares) = (curves.iter().collect::<Vec<_>>(), |nodes| {
            sizes.shares_up_to(nodes)
        });
        let found = predict(
            topology, orders, &curves, &alloc, &mut log, &shares, traffic,
        )?;
        job.add(1);
        let schedule = |trace: &Trace| {
            let (tasks, settings) = asked.schedule_inputs(trace)?;
            Some(on_orderings(topology, orders, &tasks, &settings))
        };
        let schedules = trace.as_ref().and_then(schedule).transpose()?;
        job.add(1);
        let hint = trace.as_ref().and_then(Trace::processors_hint);
        Ok(WorkloadResults {
            prediction: Some(found),
            schedules,
            processors: hint.map(|hint| hint.to_string()),
            ..WorkloadResults::default()
        })
    }
}

/// Looks up how the first `count` curves look, as JSON, and the colours of ranks from the first to the last.
#[pyfunction]
pub fn looks(count: usize) -> (String, Vec<String>) {
    let looks: Vec<plot::Style> = (0..count).map(plot::style).collect();
    (serde_json::json!(looks).to_string(), plot::rank_colours())
}

/// Draws the page's figure of whole curves, each from two nodes up.
#[pyfunction]
pub fn curves_svg(
    py: Python<'_>,
    title: String,
    curves: Vec<(String, PyReadonlyArray1<'_, f64>)>,
) -> PyResult<String> {
    let curves: Vec<(String, Vec<f64>)> = curves
        .iter()
        .map(|(label, values)| (label.clone(), values.as_array().to_vec()))
        .collect();
    job::run(py, None, move |_| {
        let curves: Vec<(&str, &[f64])> = curves
            .iter()
            .map(|(label, values)| (label.as_str(), values.as_slice()))
            .collect();
        Ok(plot::mpc_plot(&title, &curves)?.svg()?)
    })
}
