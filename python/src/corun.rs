//! Jobs side by side.

use std::path::Path;

use nodeorder::columns::corun::{CorunFigures, JOB, LinkUse};
use nodeorder::columns::write;
use nodeorder::corun::{Fair, Job, Level, Settings, Speeds, side_by_side};
use nodeorder::input::Text;
use nodeorder::mapping::{Fabric, RoutingEntry};
use nodeorder::params::Unit;
use nodeorder::{Error, SourceLocation, report};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::topology::Topology;

/// How jobs are simulated and what is wanted of that.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    routing: String,
    bandwidth: String,
    latency: String,
    fair: String,
    level: String,
    iterations: u64,
    /// `rows`, `summary` or `links`.
    out: String,
}

impl Wanted {
    fn settings(&self) -> Result<Settings, Failure> {
        let bandwidth = Unit::Bandwidth.option("--bandwidth", &self.bandwidth)?;
        if bandwidth == 0.0 {
            let location = SourceLocation::option(format!("--bandwidth {}", self.bandwidth));
            let expected = "a bandwidth above 0";
            return Err(Error::input(location, "a link of bandwidth 0", expected).into());
        }
        let latency = Unit::Seconds.option("--latency", &self.latency)?;
        let fair = if self.fair == "rtt" { Fair::Rtt } else { Fair::Flow };
        Ok(Settings {
            speeds: Speeds { bandwidth, latency, fair },
            level: if self.level == "job" { Level::Job } else { Level::Flow },
            iterations: self.iterations,
            count_patterns: true,
            spans: 0,
        })
    }
}

/// A table as CSV, or the document of `--json`. `text` is what the file called `jobs` would say; without it that is read.
#[pyfunction]
#[pyo3(signature = (topology, jobs, text, wanted, progress))]
pub fn corun(
    py: Python<'_>,
    topology: &Topology,
    jobs: String,
    text: Option<String>,
    wanted: Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let topology = topology.inner.clone();
    job::run(py, progress, move |job| {
        let routing = RoutingEntry::named(&wanted.routing)?;
        let settings = wanted.settings()?;
        routing.check(&topology)?;
        let path = Path::new(&jobs);
        let (text, base) = match text {
            Some(text) => (Text::new(&jobs, text), None),
            None => (Text::read(path, topology.context().memory)?, Some(path)),
        };
        let jobs = Job::read_all(&topology, &text, base)?;
        let fabric = Fabric::new(&topology)?;
        job.set_total(settings.iterations * jobs.len() as u64);
        let outcome = side_by_side(&fabric, routing, &jobs, &settings, &|done| job.add(done))?;
        let mut out = Vec::new();
        match wanted.out.as_str() {
            "rows" => write(&mut out, JOB, outcome.jobs)?,
            "links" => {
                let used = outcome.utilisation.iter().enumerate();
                let used =
                    used.map(|(link, used)| LinkUse { fabric: &fabric, link, utilisation: *used });
                write(&mut out, LinkUse::ALL, used)?;
            }
            _ => {
                let figures = CorunFigures {
                    topology: topology.spec(),
                    routing: routing.name,
                    level: &wanted.level,
                    fair: &wanted.fair,
                    bandwidth: settings.speeds.bandwidth,
                    latency: settings.speeds.latency,
                    iterations: settings.iterations,
                    outcome: &outcome,
                };
                out = report::corun::document(&figures).to_string().into_bytes();
            }
        }
        Ok(out)
    })
}
