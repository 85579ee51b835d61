//! Recorded placements, scored.

use nodeorder_jobs::audit::{AuditSettings, audit as score};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::units::Units;
use nodeorder_present::report::audit::{AuditColumns, document};
use nodeorder_present::report::snapshot_samples::write_room;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::ordering::{Ordering, shared};
use crate::source::Source;
use crate::topology::Topology;

/// Scores recorded placements: a row a job as CSV (`rows`), or the document of `--json`.
#[pyfunction]
#[pyo3(signature = (topology, trace, orders, alloc, shape, guest, out, progress))]
#[allow(clippy::too_many_arguments)]
pub fn audit(
    py: Python<'_>,
    topology: &Topology,
    trace: Source,
    orders: Vec<PyRef<'_, Ordering>>,
    alloc: Vec<String>,
    shape: bool,
    guest: Option<String>,
    out: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let (topology, orders): (_, Vec<NodeOrder>) = (topology.inner.clone(), shared(&orders));
    job::run(py, progress, move |job| {
        let mut records = trace.records(topology.context().memory)?;
        if out == "room" {
            let mut table = Vec::new();
            write_room::<Failure>(&topology, &mut records, None, &mut table)?;
            return Ok(table);
        }
        let mut names = vec!["recorded".to_string()];
        for order in &orders {
            names.extend(alloc.iter().map(|name| format!("{} {name}", order.label())));
        }
        let rows = AuditColumns {
            named: names.len() > 1,
            shaped: shape,
            bytes: guest.is_some(),
        };
        // All jobs of the first placement, then those of the next.
        let mut texts = vec![Vec::new(); names.len()];
        let settings = AuditSettings {
            orders: &orders,
            allocators: &alloc,
            shape,
            guest: guest.as_deref(),
        };
        let found = score::<Failure>(&topology, &mut records, settings, |scored| {
            job.add(1);
            Ok(rows.write(
                &scored,
                &names[scored.placement],
                &mut texts[scored.placement],
            )?)
        })?;
        if out == "summary" {
            return Ok(document(&found, &topology, &trace.name, None, "").into_bytes());
        }
        let mut table = Vec::new();
        rows.write_header(&Units::new(&topology).name_list(), &mut table)?;
        table.extend(texts.concat());
        Ok(table)
    })
}
