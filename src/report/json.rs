//! A comparison as one JSON document.

use serde::Serialize;

use crate::metric::comparison::Comparison;
use crate::replay::prediction::Prediction;

#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    command: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<&'a Prediction>,
}

/// `{"version", "command", "topology", "sizes", "entries", "stretches", "crossovers"}` and, with a workload,
/// `"workload"`; indented, with a newline at the end. A stretch's `winner` is an index into `entries`, which are ranked.
pub fn summary(comparison: &Comparison, workload: Option<&Prediction>, command: &str) -> String {
    let summary = Summary { version: env!("CARGO_PKG_VERSION"), command, comparison, workload };
    // Plain structures with string keys: there is nothing that could fail.
    let mut text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    text.push('\n');
    text
}
