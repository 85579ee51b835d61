//! Slowdowns of bursts.

use nodeorder_order::NodeOrder;
use nodeorder_present::columns::slowdown::SlowdownRow;
use nodeorder_present::columns::write_table;
use nodeorder_present::report::slowdown::{GuestCurve, document};
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::slowdown::{
    GUESTS, SlowdownOptions, Slowdowns, Tilings, choose_routing, choose_sizes,
};
use pyo3::prelude::*;

use crate::job;
use crate::ordering::{Ordering, shared};
use crate::topology::Topology;

/// What is measured, and the form of the result.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted {
    /// Patterns; those of the command where there are none.
    guests: Vec<String>,
    routing: Option<String>,
    duty: f64,
    tilings: u32,
    sizes: String,
    /// `rows` or `summary`.
    out: String,
}

/// Measures slowdowns of orderings: a table as CSV, or the document of `--json`, and remarks on what is left out.
#[pyfunction]
#[pyo3(signature = (topology, orders, wanted, progress))]
pub fn slowdown(
    py: Python<'_>,
    topology: &Topology,
    orders: Vec<PyRef<'_, Ordering>>,
    wanted: Wanted,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Vec<u8>, Vec<String>)> {
    let topology = topology.inner.clone();
    let orders = shared(&orders);
    job::run(py, progress, move |job| {
        let options = SlowdownOptions {
            routing: choose_routing(&topology, wanted.routing.as_deref())?,
            duty: wanted.duty,
            tilings: Tilings::new(wanted.tilings)?,
        };
        NodeOrder::check_same_nodes(&topology, &orders)?;
        let fabric = Fabric::with_components(&topology)?;
        let slowdowns = Slowdowns::new(&fabric, options)?;
        let mut guests: Vec<&str> = wanted.guests.iter().map(String::as_str).collect();
        if guests.is_empty() {
            guests = GUESTS.to_vec();
        }
        job.set_total((orders.len() * guests.len()) as u64);
        let mut curves = Vec::new();
        for order in &orders {
            let sizes = choose_sizes(order, &wanted.sizes)?;
            for guest in &guests {
                curves.push(GuestCurve {
                    ordering: order.label(),
                    guest,
                    curve: slowdowns.measure_curve(order, guest, &sizes)?,
                });
                job.add(1);
            }
        }
        let remarks = curves.iter().flat_map(GuestCurve::list_remarks).collect();
        let mut out = Vec::new();
        if wanted.out == "rows" {
            let rows = curves.iter().flat_map(GuestCurve::list_rows);
            write_table(&mut out, SlowdownRow::ALL, rows)?;
        } else {
            let document = document(&topology, &options, &guests, &curves);
            out = document.to_string().into_bytes();
        }
        Ok((out, remarks))
    })
}
