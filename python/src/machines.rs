//! Machines side by side.

use std::sync::Arc;

use nodeorder_order::metric::cost::{PriceList, Prices};
use nodeorder_present::columns;
use nodeorder_present::columns::machines::{MachinePoint, RankedMachine};
use nodeorder_present::machines::{self, MachineOptions, Machines as Compared, headline};
use nodeorder_present::report::machines as report;
use nodeorder_traffic::mapping::routing::BestShares;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job::{self, Clock};
use crate::topology::Topology;

/// Machines side by side, each with its best ordering.
#[pyclass(frozen, module = "nodeorder._native")]
pub struct Machines {
    inner: Arc<Compared>,
    command: String,
}

#[pymethods]
impl Machines {
    #[staticmethod]
    #[pyo3(signature = (topologies, orders, prices, broken, command, progress))]
    fn make(
        py: Python<'_>,
        topologies: Vec<PyRef<'_, Topology>>,
        orders: Vec<String>,
        prices: Option<String>,
        broken: Option<String>,
        command: String,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let topologies: Vec<_> = topologies.iter().map(|one| one.inner.clone()).collect();
        let found = job::run(py, progress, move |job| {
            let prices = prices
                .as_deref()
                .map(Prices::parse)
                .transpose()?
                .unwrap_or_default();
            job.set_total(topologies.len() as u64);
            let clock = Clock::start();
            let buying = PriceList {
                prices,
                ..PriceList::default()
            };
            let asked = MachineOptions {
                orders: &orders,
                buying,
                routing: match broken {
                    Some(_) => BestShares::parse_routing(machines::BROKEN_ROUTING)?,
                    None => None,
                },
                broken: broken.as_deref(),
                slowdown_routing: machines::usual_slowdown_routing(&topologies)?,
                ..MachineOptions::default()
            };
            Ok(machines::compare(
                &topologies,
                &asked,
                None,
                &clock,
                &|_| job.add(1),
            )?)
        })?;
        Ok(Machines {
            inner: Arc::new(found),
            command,
        })
    }

    /// Writes the table of machines as CSV, best first.
    fn table(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        columns::write_table(
            &mut out,
            &RankedMachine::all_columns(),
            report::machine_rows(&self.inner),
        )?;
        Ok(out)
    }

    /// Writes the curves as CSV.
    fn curves(&self) -> Result<Vec<u8>, Failure> {
        let mut out = Vec::new();
        columns::write_table(&mut out, MachinePoint::ALL, report::curve_rows(&self.inner))?;
        Ok(out)
    }

    /// Writes the document of `machines --json`.
    fn summary(&self) -> String {
        report::document(&self.inner, None, &self.command)
    }

    /// Writes the sentence that the page begins with.
    fn headline(&self) -> String {
        headline(&self.inner, None)
    }

    /// Writes the page and the files beside it: names and bytes.
    fn files(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<u8>)>> {
        let (found, command) = (self.inner.clone(), self.command.clone());
        job::run(py, None, move |job| {
            let files = report::files(&found, None, &command)?;
            let written = files.iter().map(|file| {
                job.check();
                let mut bytes = Vec::new();
                file.write_to(&mut bytes)?;
                Ok((file.name.clone(), bytes))
            });
            written.collect()
        })
    }
}
