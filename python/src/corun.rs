//! Jobs side by side.

use std::path::Path;

use nodeorder_base::{Result, Text};
use nodeorder_network::Topology;
use nodeorder_present::columns::{corun::JOB, write_table};
use nodeorder_present::report::corun as report;
use nodeorder_traffic::corun::{Job, NetworkFigures, Settings, side_by_side};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};
use pyo3::prelude::*;

use crate::job;
use crate::topology;

/// Options of a simulation, and the form of its result.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    routing: String,
    /// Options of the network's figures by the names that the command gives them.
    figures: Vec<(String, String)>,
    links_file: Option<std::path::PathBuf>,
    fair: String,
    level: String,
    iterations: u64,
    /// `rows`, `summary` or `links`.
    out: String,
}

/// Reads jobs: `text` holds the content of the file `jobs`; without it the file is read.
pub fn read_jobs(topology: &Topology, jobs: &str, text: Option<String>) -> Result<Vec<Job>> {
    let path = Path::new(jobs);
    let (text, base) = match text {
        Some(text) => (Text::new(jobs, text), None),
        None => (Text::read(path, topology.context().memory)?, Some(path)),
    };
    Job::read_all(topology, &text, base)
}

/// Simulates jobs side by side: a table as CSV, or the document of `--json`. `text` holds the content of the file
/// `jobs`; without it the file is read.
#[pyfunction]
#[pyo3(signature = (topology, jobs, text, wanted, progress))]
pub fn corun(
    py: Python<'_>,
    topology: &topology::Topology,
    jobs: String,
    text: Option<String>,
    wanted: Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let topology = topology.inner.clone();
    job::run(py, progress, move |job| {
        let routing = FixedRouting::find_by_name(&wanted.routing)?;
        let options = wanted.figures.iter().map(|(flag, text)| (&**flag, &**text));
        let memory = topology.context().memory;
        let figures = NetworkFigures::from_options(options, wanted.links_file.as_deref(), memory)?;
        let figures = figures.of_machine(&topology);
        let settings = Settings::new(&figures, &wanted.fair, &wanted.level, wanted.iterations);
        routing.check_machine(&topology)?;
        let jobs = read_jobs(&topology, &jobs, text)?;
        let fabric = Fabric::new(&topology)?;
        job.set_total(settings.iterations * jobs.len() as u64);
        let outcome = side_by_side(&fabric, routing, &jobs, &settings, &|done| job.add(done))?;
        let mut out = Vec::new();
        match wanted.out.as_str() {
            "rows" => write_table(&mut out, JOB, outcome.jobs)?,
            "links" => report::write_links(&mut out, &fabric, &outcome)?,
            _ => {
                let document = report::document(&fabric, routing, &settings, &outcome);
                out = document.to_string().into_bytes();
            }
        }
        Ok(out)
    })
}
