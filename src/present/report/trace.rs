//! Description of a file of jobs: the document of `trace info`.

use serde_json::{Value, json};

use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{Lines, Result};
use nodeorder_trace::records::{Columns, RecordFormat, Records};
use nodeorder_trace::{Log, Options, Sizes, Trace, Weight, WorkloadKind, survey};

/// Describes a file: its kind, jobs, times and sizes, with these sizes and, where it is an SWF trace, the trace.
/// `names` are those of the files that the lines are of, `form` is the format of its records, where it has any.
///
/// # Errors
/// A file that cannot be read, or that is of no kind.
pub fn document(
    mut lines: Lines,
    names: Vec<String>,
    form: Option<(&RecordFormat, Option<Columns>)>,
    options: &Options,
) -> Result<(Value, Sizes, Option<Trace>)> {
    let name = lines.name().to_string();
    let kind = if form.is_some() {
        WorkloadKind::Table
    } else {
        nodeorder_trace::detect_kind(&mut lines)?
    };
    // Only an SWF trace is handed on: callers check its processors for nodes wrongly taken.
    let mut swf = None;
    // A format that was given beats what the lines look like.
    let (mut document, sizes) = match (form, kind) {
        (Some((form, columns)), _) => {
            let trace = Records::from_lines(lines, form, columns.as_ref())?
                .of_files(names)
                .read_trace(options)?;
            (
                describe_trace(&trace, form.noun),
                Sizes::from_trace(&trace, Weight::Jobs),
            )
        }
        (None, WorkloadKind::Swf | WorkloadKind::Records(_)) => {
            let trace = swf.insert(Trace::from_lines(lines, options)?);
            (
                describe_trace(trace, "SWF trace"),
                Sizes::from_trace(trace, Weight::Jobs),
            )
        }
        (None, WorkloadKind::Log) => {
            let survey = survey::survey_log(Log::from_lines(lines))?;
            let document = json!({
                "kind": "placement log",
                "jobs": survey.placements,
                "freed": survey.frees,
                "most_jobs": survey.most_jobs,
                "most_nodes": survey.most_nodes,
            });
            (document, Sizes::of_jobs(&name, survey.sizes))
        }
        (None, WorkloadKind::Table) => (
            json!({"kind": "table of sizes"}),
            Sizes::from_lines(lines, Weight::Jobs, options)?,
        ),
    };
    document["file"] = json!(name);
    if let Some(table) = sizes.count_table() {
        document["sizes"] = json!(table.len());
        document["smallest"] = json!(table.first().map(|(size, _)| size));
        document["largest"] = json!(table.last().map(|(size, _)| size));
        document["mean_size"] = json!(sizes.mean_size());
    }
    Ok((document, sizes, swf))
}

/// Describes a trace: its times, reasons for lines left out and header.
fn describe_trace(trace: &Trace, kind: &str) -> Value {
    let tally = trace.tally();
    let (first, last) = trace.time_span().unzip();
    let seconds: u128 = trace
        .jobs()
        .iter()
        // Products of nodes and seconds of long traces outgrow 64 bits.
        .map(|j| u128::from(j.nodes) * u128::from(j.run.unsigned_abs()))
        .sum();
    let header: Vec<Value> = trace
        .header()
        .entries()
        .iter()
        .map(|e| json!({"label": e.label, "value": e.value}))
        .collect();
    // Where a node has several processors and each was taken for one, these are no nodes.
    let processors = trace.processors_hint().is_some_and(|hint| hint.stated);
    let hours = if processors {
        "processor_hours"
    } else {
        "node_hours"
    };
    json!({
        "kind": kind,
        "lines": tally.lines,
        "jobs": trace.jobs().len(),
        "left_out": tally.by_name(true),
        "mended": tally.by_name(false),
        "first_submit": first,
        "last_end": last,
        hours: divide_exactly(seconds, 3600),
        "header": header,
    })
}
