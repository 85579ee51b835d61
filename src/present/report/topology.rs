//! The figures of a machine as one JSON document.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::machines;
use crate::columns::json_object;
use crate::columns::throughput::ThroughputRow;
use nodeorder_base::Result;
use nodeorder_network::Topology;
use nodeorder_network::topology::Statistics;
use nodeorder_network::topology::levels::LevelRow;
use nodeorder_order::metric::bisection::{Bisection, bisection};

/// Size, links, distances, bisection and levels of a machine.
pub struct TopologyFigures {
    /// All figures by key; the total distance as the nearest number.
    pub document: Value,
    /// Counts and distances.
    pub statistics: Statistics,
    /// Best cut of the nodes into halves; none where none is known.
    pub cut: Option<Bisection>,
    /// Levels of the machine with their units.
    pub levels: Vec<LevelRow>,
    /// Number of pairs of nodes at each distance in hops; none unless asked for.
    pub histogram: Option<Vec<u128>>,
}

/// A figure of the document: a JSON value, or a whole number that may be too large for one.
#[derive(Serialize)]
#[serde(untagged)]
enum DocumentFigure<'a> {
    Value(&'a Value),
    Whole(u128),
}

impl TopologyFigures {
    /// Adds the throughput of the machine, and the bracket of the worst traffic in which no node sends or
    /// receives more than 1.
    pub fn add_throughput(
        &mut self,
        rows: &[ThroughputRow<'_>],
        at_most: Option<f64>,
        at_least: Option<f64>,
    ) {
        self.document["throughput"] = rows
            .iter()
            .map(|r| json_object(ThroughputRow::ALL, r))
            .collect();
        self.document["worst_at_least"] = json!(at_least);
        self.document["worst_at_most"] = json!(at_most);
    }

    /// Finds the figures of `topology`, with the pairs of nodes at each distance where `histogram` is wanted.
    ///
    /// # Errors
    /// More memory than allowed.
    pub fn measure_topology(topology: &Topology, histogram: bool) -> Result<Self> {
        let statistics = topology.statistics()?;
        let histogram = histogram
            .then(|| topology.distance_histogram())
            .transpose()?;
        let cut = bisection(topology)?;
        let levels = topology.level_table();
        // All counts under their own names; what follows is not part of the statistics.
        let mut document = json!(statistics);
        document["fill"] = json!(statistics.fill());
        document["idle_ports"] = json!(statistics.idle_ports);
        document["unreachable_nodes"] = json!(topology.unreachable_nodes());
        document["source"] = json!(topology.source());
        document["kind"] = json!(topology.spec().split(':').next());
        if let Some(assumption) = topology.network().assumption() {
            document["assumed"] = json!(assumption);
        }
        if let Some(pairs) = &histogram {
            document["distance_histogram"] = json!(pairs);
        }
        for (key, value) in machines::bisection_figures(cut.as_ref()) {
            document[key] = value;
        }
        document["levels"] = json!(levels);
        Ok(TopologyFigures {
            document,
            statistics,
            cut,
            levels,
            histogram,
        })
    }

    /// Writes the document, indented, with a newline at the end.
    pub fn json_text(&self) -> String {
        let mut figures = BTreeMap::new();
        for (key, value) in self.document.as_object().into_iter().flatten() {
            figures.insert(key.as_str(), DocumentFigure::Value(value));
        }
        // The total may take more than the 64 bits that numbers of a JSON value have.
        let total = DocumentFigure::Whole(self.statistics.total_distance);
        figures.insert("total_distance", total);
        // Text keys and plain values: there is nothing that could fail.
        serde_json::to_string_pretty(&figures).unwrap_or_default() + "\n"
    }
}
