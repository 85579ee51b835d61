//! An audit: rows, tables of sums, one JSON document, and a page.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use crate::columns::audit::{JobScore, LEVEL_SUMS, SUMS};
use crate::columns::shape::SHAPE;
use crate::columns::{self, Column, Table};
use crate::report::file::File;
use crate::report::shape;
use nodeorder_base::error::Result;
use nodeorder_jobs::audit::summary::{Summary, Sums};
use nodeorder_jobs::audit::{Audit, LeftOut, Score, Scored, Worst};
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::shape::AllocationShape;

mod audit_page;
mod groups;
mod worst;

pub use groups::period;

/// The rows of an audit, job by job.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Whether the first column says which placement a row is of.
    pub named: bool,
    /// Whether the last ones are those of shapes.
    pub shaped: bool,
}

impl Rows {
    /// Writes the header line; `levels` are the machine's, leaf first.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write_header(self, levels: &[String], out: impl Write) -> io::Result<()> {
        let mut table = Table::rows(out);
        if self.named {
            table.header(JobScore::PLACEMENT)?;
        }
        table.header(JobScore::JOB)?;
        shape::level_names(&mut table, levels)?;
        table.header(JobScore::LAST)?;
        if self.shaped {
            table.header(&of_shapes())?;
        }
        table.end()?;
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
        let (row, mut table) = (
            JobScore {
                placement,
                job,
                start,
                score,
            },
            Table::rows(out),
        );
        if self.named {
            table.values(JobScore::PLACEMENT, &row)?;
        }
        table.values(JobScore::JOB, &row)?;
        shape::level_counts(&mut table, [&score.spanned, &score.fewest])?;
        table.values(JobScore::LAST, &row)?;
        if let Some(shape) = score.shape.as_ref().filter(|_| self.shaped) {
            table.values(&of_shapes(), shape)?;
        }
        table.end()?;
        table.finish()
    }
}

/// The columns of shapes that audits do not have anyway.
fn of_shapes() -> Vec<Column<AllocationShape>> {
    let known = |column: &&Column<AllocationShape>| column.name != "ring_longest";
    SHAPE.iter().filter(known).copied().collect()
}

/// The figures of some jobs as a JSON object.
fn figures(sums: &Sums, levels: &[String]) -> Json {
    let mut object = columns::object(SUMS, sums);
    let level = |(i, name): (usize, &String)| {
        (
            name.clone(),
            columns::object(LEVEL_SUMS, &(sums.clone(), i)),
        )
    };
    object["levels"] = levels.iter().enumerate().map(level).collect();
    object
}

/// `{"version","command","topology","trace","read","left_out","mended","levels","segments","worst","placements"}`; a
/// placement has its figures, and these `by_size`, `by_month` and `over_time`; one that was tried has the `change` of its
/// mean distance against the recorded one and, with a share, the part of the node-hours `spared`, each with its 95 %
/// interval as `[value, low, high]`. Indented, with a newline at the end.
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
    let levels = &audit.levels;
    let hours = period(audit);
    let placement = |summary: &Summary| {
        let mut object = json!({
            "placement": summary.name,
            "ordering": Some(&summary.ordering).filter(|name| !name.is_empty()),
            "allocator": Some(&summary.allocator).filter(|name| !name.is_empty()),
            "skipped": summary.skipped,
        });
        let into = |mut object: Json, figures: Json| {
            if let (Json::Object(all), Json::Object(more)) = (&mut object, figures) {
                all.extend(more);
            }
            object
        };
        object = into(object, figures(&summary.all, levels));
        let by_size = |(from, to, sums): (u32, u32, &Sums)| {
            into(json!({"from": from, "to": to}), figures(sums, levels))
        };
        let over_time = |(from, sums): &(i64, Sums)| {
            into(json!({"from": from, "hours": hours}), figures(sums, levels))
        };
        object["by_size"] = summary.by_size().map(by_size).collect();
        if summary.name != audit.placements[0].name {
            let recorded = &audit.placements[0];
            object["change"] = json!(summary.change(recorded));
            if let Some(share) = share {
                object["node_hours_spared"] = json!(summary.node_hours_spared(share));
                let spared = |ours: &Sums, _: &Sums| ours.spared(share);
                object["spared"] = json!(summary.against(recorded, spared));
            }
        }
        let by_month =
            |(month, sums): (String, Sums)| into(json!({"month": month}), figures(&sums, levels));
        let months = groups::by_month(summary, audit);
        object["by_month"] = months.into_iter().map(by_month).collect();
        object["over_time"] = summary.over_time(hours).iter().map(over_time).collect();
        object
    };
    let left_out = |reason: &LeftOut| {
        let first = Some(&reason.first).filter(|first| !first.is_empty());
        json!({"reason": reason.name, "about": reason.about, "jobs": reason.count, "first": first})
    };
    let [jobs, whole, broken] = audit.placements[0].all.segments;
    let worst = |worst: &Worst| {
        let Score {
            size,
            mean_hops,
            spanned,
            fewest,
            ..
        } = &worst.score;
        let (job, start) = (&worst.job, worst.start);
        json!({"job": job, "start": start, "size": size, "mean_hops": mean_hops, "spanned": spanned, "fewest": fewest})
    };
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "topology": topology.spec(),
        "trace": trace,
        "read": audit.read,
        "left_out": audit.left_out.iter().map(left_out).collect::<Vec<_>>(),
        "mended": audit.mended.iter().map(left_out).collect::<Vec<_>>(),
        "levels": levels,
        "segments": {"jobs": jobs, "whole": whole, "broken": broken},
        "worst": audit.worst.iter().map(worst).collect::<Vec<_>>(),
        "placements": audit.placements.iter().map(placement).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

/// Writes sums of groups of jobs: a column that says which placement, those that `keys` name, the figures.
fn write_groups<'a>(
    out: &mut dyn Write,
    audit: &'a Audit,
    keys: &[&str],
    groups: impl Fn(&'a Summary) -> Vec<(Vec<i64>, Sums)>,
) -> io::Result<()> {
    let mut table = Table::rows(out);
    table.cell("placement".into())?;
    keys.iter().try_for_each(|key| table.cell((*key).into()))?;
    table.header(SUMS)?;
    for level in &audit.levels {
        LEVEL_SUMS
            .iter()
            .try_for_each(|c| table.cell(format!("{}_{level}", c.name).into()))?;
    }
    table.end()?;
    for summary in &audit.placements {
        for (values, sums) in groups(summary) {
            table.cell(summary.name.as_str().into())?;
            values
                .into_iter()
                .try_for_each(|value| table.cell(value.into()))?;
            table.values(SUMS, &sums)?;
            (0..audit.levels.len())
                .try_for_each(|i| table.values(LEVEL_SUMS, &(sums.clone(), i)))?;
            table.end()?;
        }
    }
    table.finish()
}

/// Returns every file of an audit: `index.html`, `audit.json`, `sizes.csv`, `periods.csv` and the figures as SVG. The
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
    let hours = period(audit);
    let mut files = vec![
        File::table("sizes.csv", |out| {
            write_groups(out, audit, &["from", "to"], |summary| {
                summary
                    .by_size()
                    .map(|(from, to, s)| (vec![from.into(), to.into()], s.clone()))
                    .collect()
            })
        }),
        File::table("periods.csv", move |out| {
            write_groups(out, audit, &["from", "hours"], |summary| {
                summary
                    .over_time(hours)
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
    files.insert(0, File::text("index.html", page));
    files.extend(
        figures
            .into_iter()
            .map(|figure| File::text(figure.file, figure.svg)),
    );
    Ok(files)
}
