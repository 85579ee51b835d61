//! Figures of a snapshot for monitoring: gauges in the text format of Prometheus, and a line of a CSV history.

use std::fmt::Write;
use std::io;

use super::snapshot::SnapshotReport;
use nodeorder_base::Error;
use nodeorder_jobs::audit::slots::{JobSize, UNIT_STATES};
use nodeorder_jobs::audit::visit_starts;
use nodeorder_network::Topology;
use nodeorder_trace::records::Records;

/// One figure: a name, labels that tell it from others of this name, and its value.
struct MetricSample {
    name: &'static str,
    help: &'static str,
    labels: Vec<(&'static str, String)>,
    value: f64,
}

impl MetricSample {
    /// Names the column of the figure in a history: the name and the values of its labels.
    fn column(&self) -> String {
        let labels = self.labels.iter().map(|(_, value)| format!("_{value}"));
        self.name.to_string() + &labels.collect::<String>()
    }
}

/// Lists the figures, those of one name together.
fn list_samples(report: &SnapshotReport<'_>) -> Vec<MetricSample> {
    let snapshot = report.snapshot;
    let all = snapshot.whole_machine();
    let mut samples = Vec::new();
    let mut add = |name, help, labels: &[(&'static str, String)], value| {
        samples.push(MetricSample {
            name,
            help,
            labels: labels.to_vec(),
            value,
        });
    };
    let time = "Time of the snapshot in seconds since 1970.";
    add("snapshot_time_seconds", time, &[], snapshot.latest as f64);
    for (state, nodes) in [
        ("free", all.free),
        ("held", all.count_held()),
        ("out", all.out),
    ] {
        add(
            "nodes",
            "Nodes by state.",
            &[("state", state.into())],
            nodes.into(),
        );
    }
    for (state, jobs) in [
        ("running", snapshot.running.len()),
        ("waiting", snapshot.waiting.len()),
    ] {
        add(
            "jobs",
            "Jobs by state.",
            &[("state", state.into())],
            jobs as f64,
        );
    }
    let help = "Share of the free nodes that the jobs that wait would strand; NaN where none \
        waits or nothing is free.";
    add(
        "fragmentation",
        help,
        &[],
        snapshot.fragmentation().unwrap_or(f64::NAN),
    );
    for level in &snapshot.levels {
        let help = "Free nodes of the unit that has the most, by level.";
        add(
            "largest",
            help,
            &[("level", level.name.clone())],
            level.roomiest().free.into(),
        );
    }
    for level in &snapshot.levels {
        for (state, units) in UNIT_STATES.iter().zip(level.count_units()) {
            let labels = [("level", level.name.clone()), ("state", state.to_string())];
            let help = "Units of a level by the state of their nodes.";
            add("units", help, &labels, units.into());
        }
    }
    for row in &report.slots {
        let help = "Further jobs of a size that fit within units of a level.";
        add("slots", help, &report.slot_labels(row), row.slots.into());
    }
    for row in &report.slots {
        let help = "Free nodes beyond these jobs.";
        add(
            "stranded_nodes",
            help,
            &report.slot_labels(row),
            row.stranded.into(),
        );
    }
    samples
}

/// Writes the figures as gauges in the text format of Prometheus (version 0.0.4).
pub fn write_metrics(report: &SnapshotReport<'_>) -> String {
    let mut text = String::new();
    let mut last = "";
    for sample in list_samples(report) {
        let name = sample.name;
        if name != last {
            let help = sample.help;
            // Writing to a string does not fail.
            let _ = write!(
                text,
                "# HELP nodeorder_{name} {help}\n# TYPE nodeorder_{name} gauge\n"
            );
            last = name;
        }
        let mut labels = String::new();
        for (key, value) in &sample.labels {
            let value = value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            labels += if labels.is_empty() { "{" } else { "," };
            let _ = write!(labels, "{key}=\"{value}\"");
        }
        labels += if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(text, "nodeorder_{name}{labels} {}", sample.value);
    }
    text
}

/// Writes a history of the machine after each time at which recorded jobs start, with slots of `sizes` (powers of two
/// unless given).
///
/// # Errors
/// As [`visit_starts`]; errors of `out`.
pub fn write_room<E: From<Error> + From<io::Error>>(
    topology: &Topology,
    records: &mut Records,
    sizes: Option<&[JobSize]>,
    out: &mut impl io::Write,
) -> Result<(), E> {
    let mut begun = false;
    visit_starts::<E>(topology, records, |snapshot| {
        let [header, line] = write_history(&SnapshotReport {
            snapshot,
            topology,
            jobs: "",
            command: "",
            slots: snapshot.list_slots(sizes),
            moves: None,
        });
        if !std::mem::replace(&mut begun, true) {
            out.write_all(header.as_bytes())?;
        }
        Ok(out.write_all(line.as_bytes())?)
    })
}

/// Writes the header of a history, and the line of this snapshot.
pub fn write_history(report: &SnapshotReport<'_>) -> [String; 2] {
    let samples = list_samples(report);
    let columns: Vec<String> = samples.iter().map(MetricSample::column).collect();
    let values = samples.iter().map(|sample| match sample.value {
        value if value.is_nan() => String::new(),
        value => value.to_string(),
    });
    [
        columns.join(",") + "\n",
        values.collect::<Vec<_>>().join(",") + "\n",
    ]
}
