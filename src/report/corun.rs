//! Jobs side by side as one JSON document.

use serde_json::{Value, json};

use crate::columns::corun::{CorunFigures, JOB};
use crate::columns::object;

/// What was simulated, how it went, and every job.
pub fn document(figures: &CorunFigures<'_>) -> Value {
    let mut document = object(CorunFigures::ALL, figures);
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    document["jobs"] = figures.outcome.jobs.iter().map(|job| object(JOB, job)).collect();
    document
}
