//! The metrics of one allocation.

use nodeorder_base::{Error, NodeId, Ranks, SourceLocation};
use nodeorder_jobs::replay::AllocationFigures;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::ring::measure_rings;
use nodeorder_order::metric::units::{UnitCounter, Units};
use nodeorder_present::columns::{jobs::JobRow, json_object};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::error::Failure;
use crate::job;
use crate::ordering::Ordering;

/// Measures an allocation, as JSON; with an ordering also its spans in rank.
#[pyfunction]
#[pyo3(signature = (topology, nodes, order))]
pub fn place(
    py: Python<'_>,
    topology: &crate::topology::Topology,
    nodes: PyReadonlyArray1<'_, i64>,
    order: Option<&Ordering>,
) -> PyResult<String> {
    let given = topology.checked(&nodes)?;
    let (topology, order) = (
        topology.inner.clone(),
        order.map(|order| order.inner.clone()),
    );
    job::run(py, None, move |_| {
        metrics(&topology, given, order.as_deref())
    })
}

/// Writes the document that `place` returns. Without an ordering the nodes are ranked as they are given.
fn metrics(
    topology: &Topology,
    given: Vec<NodeId>,
    order: Option<&NodeOrder>,
) -> Result<String, Failure> {
    let own = NodeOrder::new(topology, "nodes", given.clone())?;
    if own.is_empty() {
        let location = SourceLocation::option("nodes");
        return Err(Error::input(location, "no node", "at least one").into());
    }
    let distances = RankDistances::new(topology, order.unwrap_or(&own))?;
    let mut ranks: Vec<u32> = match order {
        None => (0..given.len() as u32).collect(),
        Some(order) => {
            let mut rank_of = std::collections::HashMap::with_capacity(order.len());
            rank_of.extend((0..).zip(order.nodes()).map(|(rank, node)| (*node, rank)));
            let rank = |node: &NodeId| {
                rank_of.get(node).copied().ok_or_else(|| {
                    let location = SourceLocation::option("nodes");
                    let expected = format!("a node of the ordering {}", order.label());
                    Error::input(location, format!("node {node}"), expected)
                })
            };
            given.iter().map(rank).collect::<Result<_, _>>()?
        }
    };
    ranks.sort_unstable();
    let mut set = Ranks::default();
    ranks.iter().for_each(|rank| set.push_rank(*rank));
    let mut meter = AllocationMeter::new(topology, &distances)?;
    let metrics = meter.measure_ranks(&set, None);
    let figures = AllocationFigures {
        extent: Some(meter.measure_extent(&set).into()),
        ..AllocationFigures::default()
    };
    let row = JobRow {
        ordering: "",
        allocator: "",
        job: "",
        size: set.len(),
        times: None,
        metrics: Some(&metrics),
        figures: &figures,
        hosts: None,
        pods: None,
    };
    let mut document = json_object(&[JobRow::METRICS, JobRow::EXTENT].concat(), &row);
    if let (None, Some(object)) = (order, document.as_object_mut()) {
        object.retain(|key, _| !["linear_span", "ring_span"].contains(&key.as_str()));
    }
    document["size"] = serde_json::json!(set.len());
    let ring = measure_rings(topology, &[&given])?[0];
    document["ring_hops"] = serde_json::json!((ring.unreachable == 0).then_some(ring.hops));
    let units = Units::new(topology);
    let counts = UnitCounter::new(&units).count_units(given.iter().copied());
    for (name, count) in units.level_names().zip(counts) {
        document[format!("units_{name}")] = serde_json::json!(count);
    }
    Ok(document.to_string())
}
