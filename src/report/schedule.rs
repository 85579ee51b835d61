//! Schedules as data: one CSV row a job in the order of starts, and figures as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::replay::{TRAFFIC_COLUMNS, integer, job_traffic, traffic};
use crate::error::Result;
use crate::plot::schedule::{Figure, Moment, Stay};
use crate::replay::traffic::{JobTraffic, Totals};
use crate::schedule::{BOUND, ScheduleResult};

/// Header of [`write_csv`], without what jobs' traffic met and without `ranks`.
pub const HEADER: &str =
    "job,submit,start,end,nodes,total_distance,mind,linear_span,ring_span,components";

/// Writes a row a job in the order of starts: [`HEADER`], what its traffic met where jobs talk (`talks`, one a
/// record), and `ranks` where asked for. Times are the trace's own, in seconds; columns of what was not measured
/// are empty.
///
/// # Errors
/// What `out` reports.
pub fn write_csv(
    out: &mut impl Write,
    outcome: &ScheduleResult,
    talks: Option<&[JobTraffic]>,
    ranks: bool,
) -> io::Result<()> {
    let (traffic, last) =
        (talks.map_or("", |_| TRAFFIC_COLUMNS), if ranks { ",ranks" } else { "" });
    writeln!(out, "{HEADER}{traffic}{last}")?;
    for (i, record) in outcome.records.iter().enumerate() {
        let task = outcome.task(record);
        write!(out, "{}", task.id)?;
        for time in [task.submit, record.start, record.end] {
            write!(out, ",{}", outcome.seconds(time))?;
        }
        integer(task.nodes, out)?;
        match &record.placement {
            Some(p) => {
                integer(p.total_distance, out)?;
                out.write_all(b",")?;
                if let Some(mind) = p.mind() {
                    write!(out, "{mind}")?;
                }
                integer(p.linear_span, out)?;
                integer(p.ring_span, out)?;
                integer(p.components, out)?;
            }
            None => out.write_all(b",,,,,")?,
        }
        if let Some(met) = talks.and_then(|talks| talks.get(i)) {
            job_traffic(met, out)?;
        }
        if ranks {
            out.write_all(b",")?;
            if let Some(ranks) = &record.ranks {
                write!(out, "{ranks}")?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The figures of a schedule as a JSON object, with those of its traffic where jobs talk; times in seconds.
pub fn figures(outcome: &ScheduleResult, totals: Option<&Totals>) -> Value {
    let s = outcome.summary();
    let (first, last) = outcome.span().unwrap_or((0, 0));
    let exact = |time: i64| -> Value {
        // Whole seconds stay whole.
        match outcome.seconds(time).parse::<i64>() {
            Ok(seconds) => json!(seconds),
            Err(_) => json!(outcome.seconds(time).parse::<f64>().ok()),
        }
    };
    let mut figures = json!({
        "rule": outcome.rule,
        "runtime_model": outcome.model,
        "nodes": outcome.nodes,
        "jobs": s.jobs,
        "utilisation": s.utilisation,
        "mean_wait": s.mean_wait,
        "max_wait": s.max_wait,
        "mean_response": s.mean_response,
        "mean_bounded_slowdown": s.mean_bounded_slowdown,
        "slowdown_bound": BOUND,
        "makespan": s.makespan,
        "first_submit": exact(first),
        "last_end": exact(last),
        "mean_stretch": s.mean_stretch,
        "contiguous_share": s.contiguous,
        "mean_mind": s.mean_mind,
        "mean_queue": s.mean_queue,
        "max_queue": s.max_queue,
        "fragmentation": s.fragmentation,
    });
    if let Some(totals) = totals {
        figures["traffic"] = traffic(totals);
    }
    figures
}

/// The figures of a schedule whose ranks and instants were recorded, as file name and SVG: who held which
/// ranks when, and utilisation, queue and fragmentation over time. Nothing without jobs.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn drawings(title: &str, outcome: &ScheduleResult) -> Result<Vec<(String, String)>> {
    let Some((first, _)) = outcome.span() else { return Ok(Vec::new()) };
    let hours = |time: i64| (time - first) as f64 / outcome.ticks as f64 / 3600.0;
    let stays: Vec<Stay<'_>> = (outcome.records.iter())
        .filter_map(|record| {
            let ranks = record.ranks.as_ref()?;
            Some(Stay { job: record.task, from: hours(record.start), to: hours(record.end), ranks })
        })
        .collect();
    let moments: Vec<Moment> = (outcome.timeline.iter())
        .map(|instant| {
            let free = outcome.nodes - instant.busy;
            Moment {
                time: hours(instant.time),
                busy: f64::from(instant.busy) / f64::from(outcome.nodes),
                waiting: instant.waiting,
                broken: if free == 0 {
                    0.0
                } else {
                    1.0 - f64::from(instant.longest) / f64::from(free)
                },
            }
        })
        .collect();
    let mut drawings = Vec::new();
    if !stays.is_empty() {
        let figure = Figure::occupancy(&format!("Occupancy: {title}"), outcome.nodes, &stays)?;
        drawings.push(("occupancy.svg".into(), figure.svg()?));
    }
    if !moments.is_empty() {
        let figure = Figure::curves(&format!("Over time: {title}"), &moments)?;
        drawings.push(("curves.svg".into(), figure.svg()?));
    }
    Ok(drawings)
}
