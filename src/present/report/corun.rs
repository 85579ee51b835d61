//! Jobs side by side as one JSON document, and the use of links as a table.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::columns::corun::{CorunFigures, JOB, LinkUse};
use crate::columns::{object, write};
use nodeorder_traffic::corun::{Detail, Fair, Outcome, Settings};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

/// Settings, results and jobs of the simulation as JSON.
pub fn document(
    fabric: &Fabric<'_>,
    routing: FixedRouting,
    settings: &Settings,
    outcome: &Outcome,
) -> Value {
    let figures = CorunFigures {
        topology: fabric.topology.spec(),
        routing: routing.name(),
        level: if settings.level == Detail::Job {
            "job"
        } else {
            "flow"
        },
        fair: if settings.speeds.fair == Fair::Rtt {
            "rtt"
        } else {
            "flow"
        },
        bandwidth: settings.speeds.bandwidth,
        latency: settings.speeds.latency,
        node_links: if settings.speeds.node_links_shared {
            "shared"
        } else {
            "free"
        },
        node_bandwidth: settings.speeds.node_bandwidth,
        switch_bandwidth: Some(settings.speeds.switch_bandwidth).filter(|speed| speed.is_finite()),
        iterations: settings.iterations,
        outcome,
    };
    let mut document = object(CorunFigures::ALL, &figures);
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(assumption) = fabric.topology.network().assumption() {
        document["assumed"] = json!(assumption);
    }
    document["jobs"] = outcome.jobs.iter().map(|job| object(JOB, job)).collect();
    document
}

/// Mean utilisation of every directed link, as CSV.
///
/// # Errors
/// Errors of `out`.
pub fn write_links(out: impl Write, fabric: &Fabric<'_>, outcome: &Outcome) -> io::Result<()> {
    let used = outcome.utilisation.iter().enumerate();
    let used = used.filter(|(link, _)| !fabric.links.is_joint(*link));
    let used = used.map(|(link, used)| LinkUse {
        fabric,
        link,
        utilisation: *used,
    });
    write(out, LinkUse::ALL, used)
}
