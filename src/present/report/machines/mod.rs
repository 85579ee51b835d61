//! Machines side by side: CSV tables, one JSON document, figures and a page.

use serde_json::{Value, json};

use super::schedule_comparison::figures;
use crate::columns;
use crate::columns::machines::{MachineJobs, MachinePoint, RankedMachine};
use crate::columns::schedule::ScheduleFigures;
use crate::machines::{Machines, headline};
use crate::report::file::File;
use nodeorder_base::error::Result;
use nodeorder_order::metric::bisection::Bisection;

mod machine_jobs;
mod machine_table;
mod machines_page;
mod rows;

pub use rows::{Jobs, points, ranked};
use rows::{placed, queue};

/// Every file of machines side by side: `index.html`, `machines.csv`, `machine-curves.csv`, `machines.json` and the
/// figures as SVG; with `jobs` also `machine-jobs.csv`, and `machine-queue.csv` where they were scheduled. `command` is
/// what reproduces the comparison.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    machines: &'a Machines,
    jobs: Option<Jobs<'_>>,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let m = machines;
    let mut files = vec![
        File::table("machines.csv", |out| {
            columns::write(out, &RankedMachine::columns(), ranked(m))
        }),
        File::table("machine-curves.csv", |out| {
            columns::write(out, MachinePoint::ALL, points(m))
        }),
    ];
    if placed(m).next().is_some() {
        files.push(File::table("machine-jobs.csv", |out| {
            columns::write(out, MachineJobs::ALL, placed(m))
        }));
    }
    if queue(m).next().is_some() {
        files.push(File::table("machine-queue.csv", |out| {
            columns::write(out, &ScheduleFigures::machines(), queue(m))
        }));
    }
    files.push(File::text(
        "machines.json",
        document(m, jobs.map(|jobs| jobs.name), command),
    ));
    let (page, figures) = machines_page::html(m, jobs, &files, command)?;
    files.insert(0, File::text("index.html", page));
    files.extend(
        figures
            .into_iter()
            .map(|figure| File::text(figure.file, figure.svg)),
    );
    Ok(files)
}

/// `bisection_links`, `bisection_exact`, `bisection_at_least`, `bisection_method` of one machine, as JSON; all null
/// where nothing is known.
pub fn bisection(bisection: Option<&Bisection>) -> [(&'static str, Value); 4] {
    let links = bisection.map(|b| {
        b.whole_links()
            .map_or_else(|| json!(b.links()), |n| json!(n))
    });
    [
        ("bisection_links", json!(links)),
        ("bisection_exact", json!(bisection.map(|b| b.exact))),
        (
            "bisection_at_least",
            json!(bisection.and_then(|b| b.at_least)),
        ),
        ("bisection_method", json!(bisection.map(|b| b.method))),
    ]
}

/// `{"version","command","headline","ranked_by","unit","sizes","jobs","difference","told","machines":[…]}`, machines
/// ranked, each with its figures, levels, orderings and what jobs get; indented, with a newline at the end. `sizes` are
/// the first and the last job size of means.
pub fn document(machines: &Machines, workload: Option<&str>, command: &str) -> String {
    let one = |row: RankedMachine<'_>| {
        let RankedMachine {
            rank,
            contender,
            score,
            ..
        } = row;
        let crate::machines::Contender {
            machine: m,
            service,
            seeds,
            ..
        } = contender;
        let s = &m.comparison.topology;
        let mut value = json!({
            "rank": rank, "machine": s.name, "spec": s.spec, "nodes": s.nodes, "routers": s.routers, "links": s.links,
            "cables": s.cables, "node_links": s.node_links, "ports": s.ports, "oversubscription": s.oversubscription,
            "links_per_node": m.links_per_node(), "diameter": s.diameter,
            "mean_distance": s.mean_distance, "bisection_per_node": m.bisection_per_node(), "levels": m.levels,
            "cost": m.bill.cost, "cost_per_node": m.cost_per_node(), "ordering": m.best.label(),
            "mean_log": m.mean_log(), "floor_mean_log": m.comparison.floor_mean_log,
            "windows_left_out": m.windows_left_out(), "orderings": m.comparison.entries, "score": score,
        });
        for (key, figure) in bisection(m.bisection.as_ref()) {
            value[key] = figure;
        }
        for columns in [RankedMachine::CARRIED, RankedMachine::BOUGHT] {
            if let (Value::Object(all), Value::Object(more)) =
                (&mut value, columns::object(columns, &row))
            {
                all.extend(more);
            }
        }
        if let Some(seeds) = seeds {
            value["seeds"] = json!({
                "first": seeds.first, "mean_distance": seeds.mean_distance, "mean_log": seeds.mean_log,
            });
        }
        if let Some(service) = service {
            let compared = ScheduleFigures::compared();
            let queue = |row| columns::object(&compared, &figures(row));
            value["workload"] = json!({
                "placed": service.placed, "skipped": service.skipped, "too_large": service.too_large,
                "too_large_names": service.too_large_names, "allocators": service.allocators,
                "schedule": service.schedule.as_ref().map(queue),
            });
        }
        value
    };
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"), "command": command, "headline": headline(machines, workload),
        "ranked_by": machines.criterion.name(), "unit": machines.criterion.unit(), "jobs": machines.jobs,
        "sizes": [2, machines.largest], "difference": machines.differences.first(), "told": machines.is_told(),
        "machines": ranked(machines).map(one).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}
