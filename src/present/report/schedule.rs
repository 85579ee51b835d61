//! Schedules as data: one CSV row a job in the order of starts, the machine over time, and figures as JSON and SVG.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::hosts::Hosts;
use super::job_table::JobTable;
use crate::columns::jobs::JobRow;
use crate::columns::replay::TRAFFIC;
use crate::columns::schedule::{SIZE_CLASS, ScheduleFigures, UnservedRow};
use crate::columns::shape::{ROOM, ROOM_SUMS, SHAPE_SUMS, ScheduleMoment};
use crate::columns::{self, Table, extend_object, json_list, json_object};
use crate::plot::schedule::{Figure, JobStay, Moment as Point};
use nodeorder_base::Result;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::replay::traffic::TrafficTotals;
use nodeorder_jobs::schedule::{ScheduleResult, Settings};
use nodeorder_trace::Trace;

/// Writes a row a job in the order of starts, with the columns of `figures`. Times are the trace's own, in seconds;
/// columns of what was not measured are empty.
///
/// # Errors
/// Errors of `out`.
pub fn write_csv(
    out: impl Write,
    outcome: &ScheduleResult,
    figures: FigureSet,
    hosts: Hosts<'_>,
) -> io::Result<()> {
    let mut table = JobTable::new(out, JobRow::SCHEDULED, figures);
    table.write_header(hosts.topology)?;
    for record in &outcome.records {
        // Ranks may be recorded for figures alone; hosts are named only where asked for.
        let ranks = record.figures.ranks.as_ref().filter(|_| figures.hosts);
        table.write_row(&JobRow {
            ordering: "",
            allocator: "",
            job: "",
            size: outcome.task_of_record(record).nodes,
            times: Some((outcome, record)),
            metrics: record.placement.as_ref(),
            figures: &record.figures,
            hosts: ranks.map(|ranks| hosts.host_list(ranks.iter())),
            pods: None,
        })?;
    }
    table.finish()
}

/// Writes a row for each time at which something happened: the machine after it, and what it leaves room for.
///
/// # Errors
/// Errors of `out`.
pub fn write_timeline(out: &mut impl Write, outcome: &ScheduleResult) -> io::Result<()> {
    let mut table = Table::without_header(out);
    table.write_header(ScheduleMoment::ALL)?;
    table.write_header(ROOM)?;
    table.end_line()?;
    for instant in &outcome.timeline {
        table.write_values(ScheduleMoment::ALL, &ScheduleMoment(outcome, instant))?;
        match &instant.room {
            Some(room) => table.write_values(ROOM, room)?,
            None => {
                for _ in ROOM {
                    // Where room was not measured, the row keeps its columns.
                    table.write_cell(columns::Value::Empty)?;
                }
            }
        }
        table.end_line()?;
    }
    table.finish()
}

/// Describes the inputs of a schedule on the ordering of `hosts` and its figures as one JSON object; `guest` and
/// `totals` are the traffic of its jobs, if any.
pub fn document(
    hosts: Hosts<'_>,
    trace: &Trace,
    settings: &Settings<'_>,
    guest: Option<&str>,
    outcome: &ScheduleResult,
    totals: Option<&TrafficTotals>,
) -> Value {
    let topology = hosts.topology;
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "topology": topology.spec(),
        "ordering": hosts.order.label(),
        "trace": trace.name(),
        "lines": trace.tally().lines,
        "left_out": trace.tally().by_name(true),
        "mended": trace.tally().by_name(false),
        "policy": settings.policy,
        "allocator": if outcome.places_itself { None } else { Some(settings.allocator) },
        "model": settings.model,
        "seed": topology.context().seed,
    });
    // Without traffic the key is absent, as are its figures.
    if let Some(guest) = guest {
        document["guest"] = json!(guest);
    }
    add_figures(&mut document, outcome, totals);
    document
}

/// Adds the figures of a schedule to a JSON object.
fn add_figures(figures: &mut Value, outcome: &ScheduleResult, totals: Option<&TrafficTotals>) {
    let summary = &outcome.summary();
    let row = ScheduleFigures {
        machine: "",
        ordering: "",
        schedule: Some(outcome),
        summary,
        left_out: 0,
    };
    extend_object(figures, &ScheduleFigures::json_columns(), &row);
    figures["by_size"] = summary
        .by_size
        .iter()
        .map(|class| json_object(SIZE_CLASS, class))
        .collect();
    let starved = outcome
        .find_starved()
        .into_iter()
        .map(|job| UnservedRow(outcome, job));
    figures["starved"] = json_list(UnservedRow::STARVED, starved);
    let never = outcome.left_out.iter().map(|job| UnservedRow(outcome, job));
    figures["never"] = json_list(UnservedRow::NEVER, never);
    if let Some(totals) = totals {
        figures["traffic"] = json_object(TRAFFIC, totals);
    }
    if let Some(shapes) = &outcome.shapes {
        figures["shape"] = json_object(SHAPE_SUMS, shapes);
    }
    // Measured only where it was asked for.
    let room = outcome.room_sums();
    if room.mean_placeable().is_some() {
        figures["room"] = json_object(ROOM_SUMS, &room);
    }
}

/// Draws a schedule whose ranks and instants were recorded, as file name and SVG: who held which ranks when, and
/// utilisation, queue and fragmentation over time. Empty without jobs.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn draw_figures(title: &str, outcome: &ScheduleResult) -> Result<Vec<(String, String)>> {
    let Some((first, _)) = outcome.time_span() else {
        return Ok(Vec::new());
    };
    let mut stays = Vec::new();
    for record in &outcome.records {
        if let Some(ranks) = &record.figures.ranks {
            stays.push(JobStay {
                job: record.task,
                from: hours_after(first, record.start, outcome),
                to: hours_after(first, record.end, outcome),
                ranks,
            });
        }
    }
    let mut moments = Vec::new();
    for instant in &outcome.timeline {
        let free = outcome.nodes - instant.busy;
        let fragmentation = instant.room.and_then(|room| room.fragmentation);
        moments.push(Point {
            time: hours_after(first, instant.time, outcome),
            busy: f64::from(instant.busy) / f64::from(outcome.nodes),
            waiting: instant.waiting,
            // A full machine has nothing that could be broken into pieces.
            broken: if free == 0 {
                0.0
            } else {
                1.0 - f64::from(instant.longest) / f64::from(free)
            },
            room: [
                instant.room.map(|room| f64::from(room.placeable)),
                fragmentation.map(|nodes| nodes as f64),
            ],
        });
    }
    let mut drawings = Vec::new();
    if !stays.is_empty() {
        let figure = Figure::plot_occupancy(&format!("Occupancy: {title}"), outcome.nodes, &stays)?;
        drawings.push(("occupancy.svg".into(), figure.svg()?));
    }
    if !moments.is_empty() {
        let figure = Figure::plot_curves(&format!("Over time: {title}"), &moments)?;
        drawings.push(("curves.svg".into(), figure.svg()?));
    }
    Ok(drawings)
}

/// Computes the hours from `first` to `time`, which are in ticks of the schedule.
fn hours_after(first: i64, time: i64, outcome: &ScheduleResult) -> f64 {
    (time - first) as f64 / outcome.ticks as f64 / 3600.0
}
