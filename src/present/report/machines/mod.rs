//! Machines side by side: CSV tables, one JSON document, figures and a page.

use serde_json::{Value, json};

use super::schedule_comparison::schedule_figures;
use crate::columns;
use crate::columns::machines::{MachineJobs, MachinePoint, RankedMachine};
use crate::columns::schedule::ScheduleFigures;
use crate::machines::{Contender, Machines, Verdict, headline};
use crate::report::file::{File, add_page};
use nodeorder_base::Result;
use nodeorder_order::metric::bisection::Bisection;

mod machine_jobs;
mod machine_table;
mod machines_page;
mod rows;
mod verdict_section;

pub use rows::{NamedWorkload, curve_rows, machine_rows};
use rows::{job_rows, queue_rows};

/// Makes every file of machines side by side: `index.html`, `machines.csv`, `machine-curves.csv`, `machines.json` and
/// the figures as SVG; with `jobs` also `machine-jobs.csv`, and `machine-queue.csv` where they were scheduled.
/// `command` is what reproduces the comparison.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    machines: &'a Machines,
    jobs: Option<NamedWorkload<'_>>,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let mut files = vec![
        File::from_writer("machines.csv", |out| {
            columns::write_table(out, &RankedMachine::all_columns(), machine_rows(machines))
        }),
        File::from_writer("machine-curves.csv", |out| {
            columns::write_table(out, MachinePoint::ALL, curve_rows(machines))
        }),
    ];
    // A table without rows would suggest that no job was placed.
    if job_rows(machines).next().is_some() {
        files.push(File::from_writer("machine-jobs.csv", |out| {
            columns::write_table(out, MachineJobs::ALL, job_rows(machines))
        }));
    }
    if queue_rows(machines).next().is_some() {
        files.push(File::from_writer("machine-queue.csv", |out| {
            columns::write_table(
                out,
                &ScheduleFigures::machine_columns(),
                queue_rows(machines),
            )
        }));
    }
    files.push(File::text(
        "machines.json",
        document(machines, jobs.map(|jobs| jobs.name), command),
    ));
    let (page, figures) = machines_page::html(machines, jobs, &files, command)?;
    add_page(&mut files, page, figures);
    Ok(files)
}

/// Lists `bisection_links`, `bisection_exact`, `bisection_at_least` and `bisection_method` of one machine, as JSON;
/// all null if nothing is known.
pub fn bisection_figures(bisection: Option<&Bisection>) -> [(&'static str, Value); 4] {
    let links = bisection.map(|cut| match cut.whole_links() {
        Some(links) => json!(links),
        None => json!(cut.cut_links()),
    });
    let at_least = bisection.and_then(|cut| cut.at_least);
    [
        ("bisection_links", json!(links)),
        ("bisection_exact", json!(bisection.map(|cut| cut.exact))),
        ("bisection_at_least", json!(at_least)),
        ("bisection_method", json!(bisection.map(|cut| cut.method))),
    ]
}

/// Describes a comparison as
/// `{"version","command","headline","ranked_by","unit","routing","model","sizes","jobs","difference","told",
/// "machines":[…]}`, machines ranked, each with its figures, levels, orderings and what jobs get; indented, with a
/// newline at the end. `sizes` are the first and the last job size of means.
pub fn document(machines: &Machines, workload: Option<&str>, command: &str) -> String {
    let verdict = machines.judge_offers();
    let document = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "headline": headline(machines, workload),
        "verdict": verdict_object(machines, &verdict),
        "ranked_by": machines.criterion.name(),
        "unit": machines.unit(),
        "routing": machines.routing,
        "model": machines.settings.as_ref().map(|settings| &settings.model),
        "jobs": machines.jobs,
        "sizes": [2, machines.largest],
        "difference": machines.differences.first(),
        "told": machines.is_told(),
        "machines": machine_rows(machines).map(machine_object).collect::<Value>(),
    });
    format!("{document:#}\n")
}

/// Describes the verdict as `{"hinge","unbeaten","criteria":[{"best_is","figure","low","high","best"}]}`, a value of
/// `low` and
/// `high` for each machine that is compared.
fn verdict_object(machines: &Machines, verdict: &Verdict) -> Value {
    let name = |offer: &usize| machines.contenders[*offer].machine.name();
    let mut criteria = Vec::new();
    for criterion in &verdict.criteria {
        criteria.push(json!({
            "best_is": criterion.best_is,
            "figure": criterion.figure,
            "low": criterion.ends.iter().map(|ends| ends[0]).collect::<Vec<_>>(),
            "high": criterion.ends.iter().map(|ends| ends[1]).collect::<Vec<_>>(),
            "best": criterion.best.iter().map(name).collect::<Vec<_>>(),
        }));
    }
    json!({
        "hinge": verdict.hinge,
        "unbeaten": verdict.unbeaten.iter().map(name).collect::<Vec<_>>(),
        "criteria": criteria,
    })
}

/// Describes a machine as a JSON object.
fn machine_object(row: RankedMachine<'_>) -> Value {
    let Contender {
        machine,
        service,
        seeds,
        ..
    } = row.contender;
    let mut columns = RankedMachine::all_columns();
    // One size for all machines: the document says it once, in `sizes`.
    columns.retain(|column| column.name != "largest_size");
    let mut object = columns::json_object(&columns, &row);
    object["levels"] = json!(machine.levels);
    object["orderings"] = json!(machine.comparison.entries);
    // JSON has true and false, which tables have as text.
    for (key, figure) in bisection_figures(machine.bisection.as_ref()) {
        object[key] = figure;
    }
    // Random networks only.
    if let Some(seeds) = seeds {
        object["seeds"] = json!({
            "first": seeds.first,
            "mean_distance": seeds.mean_distance,
            "mean_log": seeds.mean_log,
        });
    }
    if let Some(service) = service {
        let schedule = service.schedule.as_ref().map(|row| {
            columns::json_object(
                &ScheduleFigures::comparison_columns(),
                &schedule_figures(row),
            )
        });
        object["workload"] = json!({
            "placed": service.placed,
            "skipped": service.skipped,
            "too_large": service.too_large,
            "too_large_names": service.too_large_names,
            "allocators": service.allocators,
            "schedule": schedule,
        });
    }
    object
}
