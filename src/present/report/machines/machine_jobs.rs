//! Sections of the page of machines about the jobs of a workload: replayed under load, and scheduled.

use super::machine_table::machine_table;
use crate::machines::{Contender, JobService, Machines};
use crate::plot::replay::BarPanel;
use crate::report::bar_figure::{BarRow, draw_bars};
use crate::report::html::{BestValue, Column, Figure, Section};
use crate::report::schedule_comparison::queue_columns;
use crate::report::sentences::sentence;
use nodeorder_base::Result;

/// A machine on which the jobs were placed, with its rank from 0.
pub type ServedMachine<'m> = (usize, &'m Contender, &'m JobService);

/// Makes the section of distances within jobs under load, by machine and allocator.
pub fn replay_section(
    machines: &Machines,
    workload: &str,
    served: &[ServedMachine<'_>],
) -> Result<Section> {
    let contenders: Vec<&Contender> = served.iter().map(|(_, contender, _)| *contender).collect();
    let services: Vec<&JobService> = served.iter().map(|(_, _, service)| *service).collect();
    let mut columns = Vec::new();
    let mut panels = Vec::new();
    // Every machine was replayed with the same allocators.
    for (i, allocator) in services[0].allocators.iter().enumerate() {
        let name = allocator.allocator.as_str();
        let minds = services
            .iter()
            .map(|service| service.allocators[i].mean_mind);
        columns.push(Column::new(
            format!("{name} (hops)"),
            3,
            BestValue::Low,
            minds,
        ));
        panels.push(BarPanel {
            name,
            axis: "mean distance within a job (hops)",
            decimals: 3,
        });
    }
    columns.push(Column::counts(
        "Jobs placed",
        services.iter().map(|s| s.placed),
    ));
    columns.push(Column::counts(
        "Skipped",
        services.iter().map(|s| s.skipped),
    ));
    columns.push(Column::counts(
        "Too large",
        services.iter().map(|s| s.too_large),
    ));
    let about = format!(
        "The jobs of {workload} were replayed on each machine with its best ordering, starting \
         with an empty machine. The first columns are the mean distance between the nodes \
         of a job (MIND) with each allocator. Jobs are \
         skipped where too few nodes were free, and too large where they need more nodes than \
         the machine has."
    );
    let table = machine_table(machines, "Replay by machine", &contenders, columns);
    let mut section = Section::new("jobs", "What jobs get under load", about, table);
    section.figures.extend(machine_bars(
        "machine-jobs.svg",
        "Distances within jobs under load",
        &panels,
        served,
        |service| service.allocators.iter().map(|a| a.mean_mind).collect(),
    )?);
    Ok(section)
}

/// Makes the section of waits and slowdowns. `None` if the jobs have no times.
pub fn queue_section(
    machines: &Machines,
    workload: &str,
    served: &[ServedMachine<'_>],
) -> Result<Option<Section>> {
    let Some(settings) = &machines.settings else {
        return Ok(None);
    };
    // Slots stay those of all machines, so that colours do.
    let mut scheduled: Vec<ServedMachine<'_>> = Vec::new();
    let mut contenders = Vec::new();
    let mut rows = Vec::new();
    for (slot, contender, service) in served {
        if let Some(row) = &service.schedule {
            scheduled.push((*slot, contender, service));
            contenders.push(*contender);
            rows.push(row);
        }
    }
    if scheduled.is_empty() {
        return Ok(None);
    }
    let mut columns = queue_columns(&rows);
    columns.push(Column::counts(
        "Jobs",
        rows.iter().map(|row| row.summary.jobs as u64),
    ));
    columns.push(Column::counts(
        "Too large",
        rows.iter().map(|row| row.too_large as u64),
    ));
    let marked = if machines.is_even() {
        // Where jobs are missing on a machine, nothing is marked, and nothing is said of marks.
        " The lowest value of each column is bold, but for utilisation: it is high where jobs \
         run longer, too."
    } else {
        ""
    };
    let about = sentence(format!(
        "The jobs of {workload} scheduled with their times on each machine with its best \
         ordering: policy "
    ))
    .bold(&settings.policy)
    .text(", allocator ")
    .bold(&settings.allocator)
    .text(", runtime model ")
    .bold(&settings.model)
    .text(format!(
        ".{marked} Where jobs are too large for a machine, its means are over fewer jobs; the \
         ranking above is over the jobs that ran on all machines."
    ));
    let table = machine_table(machines, "Schedules by machine", &contenders, columns);
    let mut section = Section::new("scheduling", "Waits and slowdowns", about, table);
    if let Some((policy, model)) = scheduled.iter().find_map(|(_, _, s)| s.rules.as_ref()) {
        section.note = sentence(format!(
            "Policy {policy}. Model {model}. How strongly run times depend on distance differs \
             between applications: the differences follow from this assumption. Give your own with "
        ))
        .code("--model")
        .text(".");
    }
    let panels = [
        ("wait", "mean wait (s)", 1),
        ("response", "mean response time (s)", 1),
        ("bounded slowdown", "mean bounded slowdown", 3),
    ]
    .map(|(name, axis, decimals)| BarPanel {
        name,
        axis,
        decimals,
    });
    section.figures.extend(machine_bars(
        "machine-queue.svg",
        "Waits and slowdowns",
        &panels,
        &scheduled,
        |service| {
            let mut values = Vec::new();
            if let Some(row) = &service.schedule {
                values.push(Some(row.summary.mean_wait));
                values.push(Some(row.summary.mean_response));
                values.push(Some(row.summary.mean_bounded_slowdown));
            }
            values
        },
    )?);
    Ok(Some(section))
}

/// Draws a bar a machine in each of `panels`. `None` if there is no value at all.
fn machine_bars(
    file: &str,
    title: &str,
    panels: &[BarPanel<'_>],
    served: &[ServedMachine<'_>],
    values: impl Fn(&JobService) -> Vec<Option<f64>>,
) -> Result<Option<Figure>> {
    let mut rows: Vec<BarRow<'_>> = Vec::new();
    for (slot, contender, service) in served {
        rows.push((contender.machine.name(), *slot, values(service)));
    }
    let note = "each machine with its best ordering; lower is better";
    let caption = "The figures of the table, one bar per machine.";
    draw_bars(file, caption, (title, note), panels, &rows)
}
