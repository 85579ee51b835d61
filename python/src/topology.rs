//! Machines.

use std::sync::Arc;

use nodeorder_base::{Error, NodeId, RouterId, SourceLocation};
use nodeorder_network::Context;
use nodeorder_network::catalog;
use nodeorder_network::topology::graph::UNREACHED;
use nodeorder_network::topology::{Lattice, LinkedRouters};
use nodeorder_present::report::topology::TopologyFigures;
use nodeorder_sweep::reference;
use nodeorder_traffic::slowdown::SLOWDOWN;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::error::Failure;
use crate::job;

/// A machine.
#[pyclass(frozen, module = "nodeorder._native")]
pub struct Topology {
    pub inner: Arc<nodeorder_network::topology::Topology>,
}

/// Two routers a row, and capacities.
type Links<'py> = (Bound<'py, PyArray2<i64>>, Bound<'py, PyArray1<f64>>);
/// Coordinates, a row a node; whether each axis is a ring; the axes' names.
type Places<'py> = (Bound<'py, PyArray2<i64>>, Vec<bool>, Vec<String>);
/// A table's name, and the name and description of each of its entries.
type Entries = Vec<(String, Vec<(String, String)>)>;

/// Distance in place of a number where no path joins two nodes.
const NO_PATH: i32 = -1;

#[pymethods]
impl Topology {
    #[staticmethod]
    fn from_spec(py: Python<'_>, spec: String, seed: u64, memory: u64) -> PyResult<Self> {
        let context = Context {
            seed,
            memory,
            objective: Some(SLOWDOWN),
        };
        let inner = job::run(py, None, move |_| Ok(catalog::topology(&spec, &context)?))?;
        Ok(Topology {
            inner: Arc::new(inner),
        })
    }

    /// Builds a machine of a network in memory: `links` two routers a row, `coordinates` a row for each router with
    /// nodes.
    #[staticmethod]
    #[pyo3(signature = (name, routers, hosts, per_router, links, capacities, names, coordinates, wrap, seed, memory))]
    #[allow(clippy::too_many_arguments)]
    fn from_links(
        py: Python<'_>,
        name: String,
        routers: u32,
        hosts: u32,
        per_router: u32,
        links: PyReadonlyArray2<'_, u32>,
        capacities: PyReadonlyArray1<'_, f64>,
        names: Vec<String>,
        coordinates: Option<PyReadonlyArray2<'_, u32>>,
        wrap: Vec<bool>,
        seed: u64,
        memory: u64,
    ) -> PyResult<Self> {
        let links = links
            .as_array()
            .rows()
            .into_iter()
            .map(|row| (row[0], row[1]))
            .collect();
        let capacities = capacities.as_array().to_vec();
        let lattice = coordinates.map(|rows| {
            let rows = rows.as_array();
            let axes = 0..rows.ncols();
            let extent = |axis| rows.column(axis).iter().max().map_or(1, |most| most + 1);
            let lattice = Lattice::with_router_cells(axes.map(extent).collect(), wrap);
            let cell = |row: numpy::ndarray::ArrayView1<'_, u32>| lattice.cell_at(&row.to_vec());
            let cells = rows.rows().into_iter().map(cell);
            let cells = cells
                .flat_map(|c| std::iter::repeat_n(c, per_router as usize))
                .collect();
            Lattice {
                cells: Some(cells),
                ..lattice
            }
        });
        let network = LinkedRouters {
            name,
            routers,
            hosts,
            per_router,
            links,
            capacities,
            names,
            lattice,
        };
        let context = Context {
            seed,
            memory,
            objective: Some(SLOWDOWN),
        };
        let work = move |_: &job::Job| {
            Ok(nodeorder_network::topology::Topology::linked(
                network, &context,
            )?)
        };
        Ok(Topology {
            inner: Arc::new(job::run(py, None, work)?),
        })
    }

    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    #[getter]
    fn spec(&self) -> &str {
        self.inner.spec()
    }

    /// Writes the specification without limit and excluded nodes.
    #[getter]
    fn network(&self) -> String {
        self.inner.network().spec()
    }

    #[getter]
    fn source(&self) -> Option<&str> {
        self.inner.source()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.context().seed
    }

    #[getter]
    fn memory(&self) -> u64 {
        self.inner.context().memory
    }

    #[getter]
    fn node_count(&self) -> usize {
        self.inner.node_count()
    }

    #[getter]
    fn routers(&self) -> u32 {
        self.inner.network().routers()
    }

    #[getter]
    fn per_router(&self) -> u32 {
        self.inner.network().per_router()
    }

    #[getter]
    fn components(&self) -> u32 {
        self.inner.component_count()
    }

    /// Lists remarks on a site's file: guesses, and lines that other programs refuse.
    fn remarks(&self) -> Vec<String> {
        self.inner.network().remarks().to_vec()
    }

    /// Lists the schedulable nodes in id order.
    fn nodes<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let nodes: Vec<i64> = py.detach(|| self.inner.nodes().iter().map(|n| n.0.into()).collect());
        nodes.into_pyarray(py)
    }

    /// Looks up the router of each of `nodes`.
    fn routers_of<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let nodes = self.checked(&nodes)?;
        let routers: Vec<i64> = nodes
            .iter()
            .map(|node| self.inner.router_of(*node).0.into())
            .collect();
        Ok(routers.into_pyarray(py))
    }

    /// Looks up the names of `nodes`.
    fn names_of(&self, nodes: PyReadonlyArray1<'_, i64>) -> PyResult<Vec<String>> {
        let nodes = self.checked(&nodes)?;
        Ok(nodes
            .iter()
            .map(|node| self.inner.node_name(*node))
            .collect())
    }

    /// Looks up the nodes of names; `None` for a name of no node.
    fn nodes_named(&self, names: Vec<String>) -> Vec<Option<u32>> {
        names
            .iter()
            .map(|name| self.inner.host_named(name).map(|node| node.0))
            .collect()
    }

    /// Lists two routers a link, and its capacity.
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Links<'py>> {
        let topology = self.inner.clone();
        let (ends, capacities) = job::run(py, None, move |_| {
            let bytes = topology.network().link_count().saturating_mul(24);
            topology.require_memory("a table of links", bytes)?;
            let (mut ends, mut capacities) = (Vec::new(), Vec::new());
            topology.network().for_each_link(&mut |u, v, capacity| {
                ends.extend([i64::from(u), i64::from(v)]);
                capacities.push(capacity);
            });
            Ok((ends, capacities))
        })?;
        let rows = capacities.len();
        Ok((
            ends.into_pyarray(py).reshape([rows, 2])?,
            capacities.into_pyarray(py),
        ))
    }

    /// Looks up coordinates of `nodes`, a row each, whether each axis is a ring, and the axes' names; `None` without
    /// coordinates.
    fn coordinates<'py>(
        &self,
        py: Python<'py>,
        nodes: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Option<Places<'py>>> {
        let nodes = self.checked(&nodes)?;
        let Some(lattice) = self.inner.lattice() else {
            return Ok(None);
        };
        let axes = lattice.extents.len();
        let mut rows: Vec<i64> = Vec::with_capacity(nodes.len() * axes);
        let mut at = vec![0; axes];
        for node in &nodes {
            let router = self.inner.router_of(*node).0;
            let cell = lattice
                .cells
                .as_ref()
                .map_or(router, |cells| cells[node.index()]);
            lattice.coordinates(cell, &mut at);
            rows.extend(at.iter().map(|x| i64::from(*x)));
        }
        let rows = rows.into_pyarray(py).reshape([nodes.len(), axes])?;
        Ok(Some((rows, lattice.wrap.clone(), lattice.axes.clone())))
    }

    /// Lists the orderings that `compare` starts from.
    fn suiting(&self) -> Vec<String> {
        nodeorder_order::ordering::defaults::default_orderings(&self.inner)
    }

    /// Writes the document of `topology --json`.
    fn figures(&self, py: Python<'_>, histogram: bool) -> PyResult<String> {
        let topology = self.inner.clone();
        job::run(py, None, move |_| {
            Ok(TopologyFigures::measure_topology(&topology, histogram)?.json_text())
        })
    }

    /// Finds the hops from each of `rows` to each of `columns`.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'_, i64>,
        columns: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (rows, columns) = (self.checked(&rows)?, self.checked(&columns)?);
        let (shape, topology) = ([rows.len(), columns.len()], self.inner.clone());
        let hops = job::run(py, None, move |job| {
            let cells = (rows.len() as u64).saturating_mul(columns.len() as u64);
            topology.require_memory("a matrix of distances", cells.saturating_mul(4))?;
            let routers: Vec<RouterId> = columns.iter().map(|n| topology.router_of(*n)).collect();
            let mut hops = vec![0i32; rows.len() * columns.len()];
            if columns.is_empty() {
                return Ok(hops);
            }
            let lines = hops.par_chunks_mut(columns.len()).zip(&rows);
            lines.try_for_each(|(line, node)| -> Result<(), Failure> {
                job.check();
                let from = topology.router_of(*node);
                // A closed form gives single distances; only a search finds those to all routers at once.
                let closed = topology.metric().distance_between(from, from).is_some();
                let all = if closed {
                    Vec::new()
                } else {
                    topology.hops_from(from)?
                };
                for ((hop, to), target) in line.iter_mut().zip(&routers).zip(&columns) {
                    let apart = topology.component_of(*node) != topology.component_of(*target);
                    let found = topology.metric().distance_between(from, *to);
                    let found = found.unwrap_or_else(|| all[to.index()]);
                    *hop = if apart || found == UNREACHED {
                        NO_PATH
                    } else {
                        found as i32
                    };
                }
                Ok(())
            })?;
            Ok(hops)
        })?;
        hops.into_pyarray(py).reshape(shape)
    }

    /// Writes the host list of nodes, in their order.
    fn host_list(&self, nodes: PyReadonlyArray1<'_, i64>) -> PyResult<String> {
        Ok(self.inner.host_list(self.checked(&nodes)?))
    }
}

impl Topology {
    /// Reads nodes of this machine from an array of ids; an id that the machine does not have is refused.
    pub fn checked(&self, nodes: &PyReadonlyArray1<'_, i64>) -> Result<Vec<NodeId>, Failure> {
        let nodes = node_ids("nodes", nodes)?;
        let location = || SourceLocation::option("nodes");
        nodes
            .iter()
            .try_for_each(|node| self.inner.check_node(*node, location))?;
        Ok(nodes)
    }
}

/// Reads node ids from an array of Python's.
pub fn node_ids(what: &str, nodes: &PyReadonlyArray1<'_, i64>) -> Result<Vec<NodeId>, Failure> {
    let id = |node: &i64| {
        u32::try_from(*node).map(NodeId).map_err(|_| {
            let expected = "node ids from 0 to 2147483647";
            Error::input(
                SourceLocation::option(what),
                format!("node {node}"),
                expected,
            )
        })
    };
    Ok(nodes.as_array().iter().map(id).collect::<Result<_, _>>()?)
}

/// Lists the names of the shipped machines.
#[pyfunction]
pub fn machines() -> Vec<&'static str> {
    catalog::machine_names()
}

/// Lists every table of named entries: what it lists, and each entry's name and description.
#[pyfunction]
pub fn entries() -> Entries {
    let tables = reference::list_tables().into_iter().map(|table| {
        let rows = table
            .entries
            .iter()
            .map(|e| (e.name.to_string(), e.about.to_string()));
        (table.name.to_string(), rows.collect())
    });
    tables.collect()
}
