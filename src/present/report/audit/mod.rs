//! An audit as data and as a page: rows of jobs, tables of sums, one JSON document.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::columns::audit::{JobScore, LEVEL_SUMS, SUMS};
use crate::columns::shape::SHAPE;
use crate::columns::{self, Column, Table};
use crate::report::file::{File, add_page};
use crate::report::shape;
use crate::report::snapshot::reason_object;
use nodeorder_base::Result;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_jobs::audit::{Audit, ReasonCount, Scored, WorstJob};
use nodeorder_network::Topology;
use nodeorder_order::metric::shape::AllocationShape;

mod audit_page;
mod groups;
mod worst;

pub use audit_page::compact_sentence;
pub use groups::period_hours;

/// Columns of the rows of an audit, which has a row a job.
#[derive(Clone, Copy, Debug)]
pub struct AuditColumns {
    /// Whether the first column names the placement that a row is of.
    pub named: bool,
    /// Whether the last columns are those of shapes.
    pub shaped: bool,
    /// Whether columns of levels are followed by the volume of a guest between their units.
    pub bytes: bool,
}

impl AuditColumns {
    /// Writes the header line; `levels` are the machine's, leaf first.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_header(self, levels: &[String], out: impl Write) -> io::Result<()> {
        let mut table = Table::without_header(out);
        if self.named {
            table.write_header(JobScore::PLACEMENT)?;
        }
        table.write_header(JobScore::JOB)?;
        shape::write_level_names(&mut table, levels)?;
        for level in levels.iter().filter(|_| self.bytes) {
            table.write_cell(format!("bytes_{level}").into())?;
        }
        table.write_header(JobScore::LAST)?;
        if self.shaped {
            table.write_header(&shape_columns())?;
        }
        table.end_line()?;
        table.finish()
    }

    /// Writes a row; `placement` is the name of its placement.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(self, scored: &Scored<'_>, placement: &str, out: impl Write) -> io::Result<()> {
        let Scored {
            job, start, score, ..
        } = *scored;
        let row = JobScore {
            placement,
            job,
            start,
            score,
        };
        let mut table = Table::without_header(out);
        if self.named {
            table.write_values(JobScore::PLACEMENT, &row)?;
        }
        table.write_values(JobScore::JOB, &row)?;
        shape::write_level_counts(&mut table, [&score.spanned, &score.fewest])?;
        for level in (0..score.spanned.len()).filter(|_| self.bytes) {
            table.write_cell(score.bytes.get(level).copied().into())?;
        }
        table.write_values(JobScore::LAST, &row)?;
        if let Some(shape) = score.shape.as_ref().filter(|_| self.shaped) {
            table.write_values(&shape_columns(), shape)?;
        }
        table.end_line()?;
        table.finish()
    }
}

/// Lists the columns of shapes that audits do not have anyway.
fn shape_columns() -> Vec<Column<AllocationShape>> {
    let mut columns = SHAPE.to_vec();
    // Audits have it among their own columns.
    columns.retain(|column| column.name != "ring_longest");
    columns
}

/// Adds the figures of some jobs to a JSON object.
fn with_figures(mut object: Json, sums: &Sums, levels: &[String]) -> Json {
    columns::extend_object(&mut object, SUMS, sums);
    object["levels"] = json!({});
    for (i, name) in levels.iter().enumerate() {
        // Indexed, not by `extend_object`: a level's name may hold a dot.
        object["levels"][name] = columns::json_object(LEVEL_SUMS, &(sums.clone(), i));
    }
    object
}

/// Describes an audit as
/// `{"version","command","topology","trace","read","left_out","mended","levels","segments","worst", "placements"}`; a
/// placement has its figures, and these `by_size`, `by_month` and `over_time`; one that was tried has the `change` of
/// its mean distance against the recorded one and, with a share, the part of the node-hours `spared`, each with its
/// 95 % interval as `[value, low, high]`. Indented, with a newline at the end.
///
/// `trace` is the file of records; `share` the share of run times that grows with the distance of a job's nodes, where
/// node-hours are wanted; `command` the command line that makes the audit again.
pub fn document(
    audit: &Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
    command: &str,
) -> String {
    let [jobs, whole, broken] = audit.placements[0].all.segments;
    let placements: Json = audit
        .placements
        .iter()
        .map(|summary| placement_object(audit, summary, share))
        .collect();
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "topology": topology.spec(),
        "trace": trace,
        "read": audit.read,
        "left_out": list_reasons(&audit.left_out),
        "mended": list_reasons(&audit.mended),
        "levels": audit.levels,
        "segments": {"jobs": jobs, "whole": whole, "broken": broken},
        "worst": audit.worst.iter().map(worst_object).collect::<Json>(),
        "placements": placements,
    });
    format!("{document:#}\n")
}

/// Lists reasons for records left out or mended as JSON objects.
fn list_reasons(reasons: &[ReasonCount]) -> Json {
    let objects = reasons.iter().map(|reason| reason_object(reason, "jobs"));
    objects.collect()
}

/// Describes a placement as a JSON object.
fn placement_object(audit: &Audit, summary: &Summary, share: Option<f64>) -> Json {
    let levels = &audit.levels;
    let hours = period_hours(audit);
    let object = json!({
        "placement": summary.name,
        "ordering": Some(&summary.ordering).filter(|name| !name.is_empty()),
        "allocator": Some(&summary.allocator).filter(|name| !name.is_empty()),
        "skipped": summary.skipped,
    });
    let mut object = with_figures(object, &summary.all, levels);
    object["by_size"] = summary
        .size_classes()
        .map(|(from, to, sums)| with_figures(json!({"from": from, "to": to}), sums, levels))
        .collect();
    let recorded = &audit.placements[0];
    // The recorded placement has no change against itself.
    if summary.name != recorded.name {
        object["change"] = json!(summary.hops_change(recorded));
        if let Some(share) = share {
            object["node_hours_spared"] = json!(summary.node_hours_spared(share));
            object["spared"] =
                json!(summary.compare_with(recorded, |ours, _| ours.share_spared(share)));
        }
    }
    object["by_month"] = groups::sum_by_month(summary, audit)
        .into_iter()
        .map(|(month, sums)| with_figures(json!({"month": month}), &sums, levels))
        .collect();
    object["over_time"] = summary
        .sums_by_period(hours)
        .iter()
        .map(|(from, sums)| with_figures(json!({"from": from, "hours": hours}), sums, levels))
        .collect();
    object
}

/// Describes one of the jobs that lie farthest apart as a JSON object.
fn worst_object(worst: &WorstJob) -> Json {
    let score = &worst.score;
    json!({
        "job": worst.job,
        "start": worst.start,
        "size": score.size,
        "mean_hops": score.mean_hops,
        "spanned": score.spanned,
        "fewest": score.fewest,
    })
}

/// Writes sums of groups of jobs: a column that says which placement, those that `keys` name, the figures.
fn write_groups<'a>(
    out: &mut dyn Write,
    audit: &'a Audit,
    keys: &[&str],
    groups: impl Fn(&'a Summary) -> Vec<(Vec<i64>, Sums)>,
) -> io::Result<()> {
    let mut table = Table::without_header(out);
    table.write_cell("placement".into())?;
    for key in keys {
        table.write_cell((*key).into())?;
    }
    table.write_header(SUMS)?;
    for level in &audit.levels {
        for column in LEVEL_SUMS {
            table.write_cell(format!("{}_{level}", column.name).into())?;
        }
    }
    table.end_line()?;
    for summary in &audit.placements {
        for (values, sums) in groups(summary) {
            table.write_cell(summary.name.as_str().into())?;
            for value in values {
                table.write_cell(value.into())?;
            }
            table.write_values(SUMS, &sums)?;
            for level in 0..audit.levels.len() {
                // The names of these columns end with the level: one definition serves all levels.
                table.write_values(LEVEL_SUMS, &(sums.clone(), level))?;
            }
            table.end_line()?;
        }
    }
    table.finish()
}

/// Makes every file of an audit: `index.html`, `audit.json`, `sizes.csv`, `periods.csv` and the figures as SVG. The
/// arguments are those of [`document`].
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    audit: &'a Audit,
    topology: &Topology,
    trace: &str,
    share: Option<f64>,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let hours = period_hours(audit);
    let mut files = vec![
        File::from_writer("sizes.csv", |out| {
            write_groups(out, audit, &["from", "to"], |summary| {
                summary
                    .size_classes()
                    .map(|(from, to, s)| (vec![from.into(), to.into()], s.clone()))
                    .collect()
            })
        }),
        File::from_writer("periods.csv", move |out| {
            write_groups(out, audit, &["from", "hours"], |summary| {
                summary
                    .sums_by_period(hours)
                    .into_iter()
                    .map(|(from, s)| (vec![from, hours], s))
                    .collect()
            })
        }),
        File::text(
            "audit.json",
            document(audit, topology, trace, share, command),
        ),
    ];
    let (page, figures) = audit_page::html(audit, topology, trace, share, command, &files)?;
    add_page(&mut files, page, figures);
    Ok(files)
}
