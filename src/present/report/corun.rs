//! Jobs side by side as one JSON document, and the use of links as a table.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::columns::corun::{CorunFigures, JOB, LinkUse};
use crate::columns::{json_object, write_table};
use nodeorder_traffic::corun::{Detail, Fair, Outcome, Settings};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

/// Describes settings, results and jobs of the simulation as a JSON object.
pub fn document(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    settings: &Settings,
    outcome: &Outcome,
) -> Value {
    let speeds = &settings.speeds;
    let figures = CorunFigures {
        topology: fabric.topology.spec(),
        routing: routing.name(),
        level: if settings.level == Detail::Job {
            "job"
        } else {
            "flow"
        },
        fair: if speeds.fair == Fair::Rtt {
            "rtt"
        } else {
            "flow"
        },
        bandwidth: speeds.bandwidth,
        latency: speeds.latency,
        node_links: if speeds.node_links_shared {
            "shared"
        } else {
            "free"
        },
        node_bandwidth: speeds.node_bandwidth,
        // JSON has no infinity; the field says whether there is a limit at all.
        switch_bandwidth: Some(speeds.switch_bandwidth).filter(|speed| speed.is_finite()),
        iterations: settings.iterations,
        outcome,
    };
    let mut document = json_object(CorunFigures::ALL, &figures);
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    // Capacities that a description does not give are assumed, and the document says which.
    if let Some(assumption) = fabric.topology.network().assumption() {
        document["assumed"] = json!(assumption);
    }
    document["jobs"] = outcome
        .jobs
        .iter()
        .map(|job| json_object(JOB, job))
        .collect();
    document
}

/// Writes the mean utilisation of every directed link, as CSV.
///
/// # Errors
/// Errors of `out`.
pub fn write_links(out: impl Write, fabric: &Fabric<'_>, outcome: &Outcome) -> io::Result<()> {
    let mut rows = Vec::new();
    for (link, utilisation) in outcome.utilisation.iter().enumerate() {
        // A joint is no link: nodes pass traffic on between its routers.
        if !fabric.links.is_joint(link) {
            rows.push(LinkUse {
                fabric,
                link,
                utilisation: *utilisation,
            });
        }
    }
    write_table(out, LinkUse::ALL, rows)
}
