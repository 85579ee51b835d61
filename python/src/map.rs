//! Mapped guests.

use std::path::Path;
use std::sync::Arc;

use nodeorder_base::Text;
use nodeorder_order::NodeOrder;
use nodeorder_present::columns::mapping::{LinkLoad, MappingFigures, PROCESS};
use nodeorder_present::columns::write_table;
use nodeorder_present::report::mapping::{document, link_load};
use nodeorder_traffic::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping, method};
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job::{self, Clock};
use crate::ordering::Ordering;
use crate::topology::Topology;

/// A file by its name, or the text that it would have.
#[derive(Clone, FromPyObject)]
pub struct Table(String, Option<String>);

/// Nodes for the processes: rank by rank of an ordering, or as a table says.
#[derive(FromPyObject)]
pub enum Assignment<'py> {
    Order(PyRef<'py, Ordering>),
    Table(Table),
}

/// [`Assignment`] without Python objects, for other threads.
enum OwnedAssignment {
    Order(Arc<NodeOrder>),
    Table(Table),
}

impl OwnedAssignment {
    fn mapping(
        &self,
        topology: &nodeorder_network::topology::Topology,
        guest: &Guest,
    ) -> Result<ProcessMapping, Failure> {
        match self {
            OwnedAssignment::Order(order) => Ok(ProcessMapping::in_order(
                guest,
                order.label(),
                order.nodes(),
            )?),
            OwnedAssignment::Table(Table(name, text)) => {
                let text = match text {
                    Some(text) => Text::new(name, text),
                    None => Text::read(Path::new(name), topology.context().memory)?,
                };
                Ok(ProcessMapping::read(topology, guest, &text)?)
            }
        }
    }
}

/// Maps a guest: the document of `--json`, the loads of links, or the mapping (`out`: `summary`, `links`, `mapping`).
#[pyfunction]
#[pyo3(signature = (topology, guest, assignment, routing, method, out, progress))]
#[allow(clippy::too_many_arguments)]
pub fn map(
    py: Python<'_>,
    topology: &Topology,
    guest: Table,
    assignment: Assignment<'_>,
    routing: String,
    method: Option<String>,
    out: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<u8>> {
    let topology = topology.inner.clone();
    let assignment = match assignment {
        Assignment::Order(order) => OwnedAssignment::Order(order.inner.clone()),
        Assignment::Table(table) => OwnedAssignment::Table(table),
    };
    job::run(py, progress, move |job| {
        let routing = FixedRouting::find_by_name(&routing)?;
        routing.check_machine(&topology)?;
        let guest = match &guest {
            Table(text, None) => Guest::make(text, topology.context())?,
            Table(name, Some(text)) => {
                Guest::read_format(&Text::new(name, text), "csv", topology.context())?
            }
        };
        let given = assignment.mapping(&topology, &guest)?;
        let (placement, method, unfinished) = placed(&topology, &guest, given, method.as_deref())?;
        let mut bytes = Vec::new();
        if out == "mapping" {
            write_table(&mut bytes, PROCESS, placement.process_nodes())?;
            return Ok(bytes);
        }
        let fabric = Fabric::new(&topology)?;
        job.check();
        let analysis = mapping::analyse(&fabric, &guest, &placement, routing)?;
        if out == "links" {
            let rows = (0..fabric.links.len()).map(|link| link_load(&fabric, &analysis, link));
            write_table(&mut bytes, LinkLoad::ALL, rows)?;
            return Ok(bytes);
        }
        let order = match &assignment {
            OwnedAssignment::Order(order) => Some(order.label()),
            OwnedAssignment::Table(_) => None,
        };
        let figures = MappingFigures {
            topology: topology.spec(),
            guest: guest.label(),
            processes: guest.processes(),
            mapping: placement.label(),
            method,
            order,
            routing: routing.name(),
            links: fabric.links.len(),
            speeds: Default::default(),
            analysis: &analysis,
            unfinished: &unfinished,
        };
        Ok(document(&fabric, &figures, None).to_string().into_bytes())
    })
}

/// Returns the mapping given, or finds one by `method` on its nodes, with the method that found it and those that its
/// time did not reach.
fn placed(
    topology: &nodeorder_network::topology::Topology,
    guest: &Guest,
    given: ProcessMapping,
    method: Option<&str>,
) -> Result<(ProcessMapping, Option<&'static str>, Vec<&'static str>), Failure> {
    let Some(text) = method else {
        return Ok((given, None, Vec::new()));
    };
    let found = method::place(topology, guest, given.nodes(), text, &Clock::start())?;
    Ok((found.mapping, Some(found.method), found.unfinished))
}
