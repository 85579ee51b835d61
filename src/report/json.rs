//! A comparison as one JSON document.

use serde::Serialize;

use crate::metric::comparison::Comparison;

#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    command: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

/// `{"version", "command", "topology", "sizes", "entries", "stretches", "crossovers"}`, indented, with a
/// newline at the end. A stretch's `winner` is an index into `entries`, which are ranked.
pub fn summary(comparison: &Comparison, command: &str) -> String {
    let summary = Summary { version: env!("CARGO_PKG_VERSION"), command, comparison };
    // Plain structures with string keys: there is nothing that could fail.
    let mut text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    text.push('\n');
    text
}
