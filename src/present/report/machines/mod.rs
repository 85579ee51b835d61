//! Machines side by side: CSV tables, one JSON document, figures and a page.

use serde_json::{Value, json};

use super::File;
use super::schedule_comparison::figures;
use crate::columns;
use crate::columns::machines::{MachineJobs, MachinePoint, RankedMachine};
use crate::columns::schedule::ScheduleFigures;
use crate::machines::{Machines, headline};
use nodeorder_base::error::Result;
use nodeorder_order::metric::bisection::Bisection;

mod machines_page;

/// The machines, ranked.
pub fn ranked(machines: &Machines) -> impl Iterator<Item = RankedMachine<'_>> {
    let scored = machines.contenders.iter().zip(&machines.scores).enumerate();
    scored.map(|(i, (contender, score))| RankedMachine {
        rank: machines.rank(i),
        contender,
        score: *score,
        largest: machines.largest,
    })
}

/// One point a size of the best ordering's curve; the floor is empty where there is none.
pub fn points(machines: &Machines) -> impl Iterator<Item = MachinePoint<'_>> {
    machines.contenders.iter().flat_map(|contender| {
        let machine = &contender.machine;
        let nodes = machine.comparison.topology.nodes as f64;
        let values = machine.comparison.entries[0].values.iter().enumerate();
        values.map(move |(i, mpc)| MachinePoint {
            machine: machine.name(),
            ordering: machine.best.label(),
            size: i + 2,
            nodes,
            mpc: *mpc,
            floor: machine.comparison.floor.get(i).copied(),
        })
    })
}

/// One row a machine and allocator.
fn placed(machines: &Machines) -> impl Iterator<Item = MachineJobs<'_>> {
    let served = machines
        .contenders
        .iter()
        .filter_map(|c| Some((c, c.service.as_ref()?)));
    served.flat_map(|(contender, service)| {
        let row = move |allocator| MachineJobs {
            contender,
            service,
            allocator,
        };
        service.allocators.iter().map(row)
    })
}

/// One row a machine whose jobs have times.
fn queue(machines: &Machines) -> impl Iterator<Item = ScheduleFigures<'_>> {
    machines.contenders.iter().filter_map(|contender| {
        let schedule = contender.service.as_ref()?.schedule.as_ref()?;
        Some(ScheduleFigures {
            machine: contender.machine.name(),
            ..figures(schedule)
        })
    })
}

/// The jobs that machines were compared on.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// Their name.
    pub name: &'a str,
    /// A hint that the trace's processors were wrongly taken for nodes.
    pub processors: Option<&'a str>,
}

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
