//! A comparison as one JSON document.

use serde::Serialize;

use super::advice::Answers;
use super::results::WorkloadResults;
use super::schedule_comparison::{schedule_figures, schedule_rows};
use crate::columns::schedule::ScheduleFigures;
use crate::columns::throughput::WindowRow;
use crate::columns::{OrderedObject, json_object};
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_order::metric::comparison::Comparison;

/// The document of a comparison.
#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answers<'a>>,
    #[serde(flatten)]
    comparison: &'a Comparison,
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<&'a Prediction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedules: Option<ScheduleDocument<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    throughput: Vec<serde_json::Value>,
}

/// Schedules, each with its figures in the order of `schedule.csv`.
#[derive(Serialize)]
struct ScheduleDocument<'a> {
    #[serde(flatten)]
    schedules: &'a Schedules,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<OrderedObject<'a, ScheduleFigures<'a>>>,
    rows: Vec<OrderedObject<'a, ScheduleFigures<'a>>>,
}

/// Writes `{"version", "command", "topology", "sizes", "entries", "stretches", "crossovers"}` and, with advice,
/// `"answer"`, with a workload `"workload"` and, where it has times, `"schedules"`, with windows `"throughput"`;
/// indented, with a newline at the end. A stretch's `winner` is an index into `entries`, which are ranked.
pub fn summary_json(
    comparison: &Comparison,
    workload: &WorkloadResults<'_>,
    command: &str,
) -> String {
    let columns = ScheduleFigures::comparison_columns();
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        command,
        answer: workload
            .advice
            .as_ref()
            .map(|advice| advice.answers(comparison)),
        comparison,
        workload: workload.prediction.as_ref(),
        schedules: workload
            .schedules
            .as_ref()
            .map(|schedules| ScheduleDocument {
                schedules,
                recorded: schedules
                    .recorded
                    .as_ref()
                    .map(|row| OrderedObject(&columns, schedule_figures(row))),
                rows: schedule_rows(schedules)
                    .map(|row| OrderedObject(&columns, row))
                    .collect(),
            }),
        throughput: workload
            .windows
            .iter()
            .map(|row| json_object(WindowRow::ALL, row))
            .collect(),
    };
    // Plain structures with string keys: there is nothing that could fail.
    let mut text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    text.push('\n');
    text
}
