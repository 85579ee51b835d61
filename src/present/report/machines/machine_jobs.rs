//! Sections of the page of machines about the jobs of a workload: replayed under load, and scheduled.

use super::machine_table::table;
use crate::machines::{Contender, Machines, Service};
use crate::plot::replay::{BarPanel, Figure as Drawn, Labelled};
use crate::report::html::{Best, Column, Figure, Part, Section, bold, words};
use crate::report::schedule_comparison::queue_columns;
use nodeorder_base::error::Result;

/// A machine on which the jobs were placed, with its rank from 0.
pub(super) type Served<'m> = (usize, &'m Contender, &'m Service);

/// Distances within jobs under load, by machine and allocator.
pub(super) fn replayed(
    machines: &Machines,
    workload: &str,
    served: &[Served<'_>],
) -> Result<Section> {
    let contenders: Vec<&Contender> = served.iter().map(|(_, c, _)| *c).collect();
    let all = || served.iter().map(|(_, _, service)| *service);
    let allocators: Vec<&str> = served[0]
        .2
        .allocators
        .iter()
        .map(|a| a.allocator.as_str())
        .collect();
    let mut columns: Vec<Column> = (allocators.iter().enumerate())
        .map(|(i, allocator)| {
            let minds = all().map(|s| s.allocators[i].mean_mind);
            Column::new(format!("{allocator} (hops)"), 3, Best::Low, minds)
        })
        .collect();
    columns.push(Column::counts("Jobs placed", all().map(|s| s.placed)));
    columns.push(Column::counts("Skipped", all().map(|s| s.skipped)));
    columns.push(Column::counts("Too large", all().map(|s| s.too_large)));
    let about = words![format!(
        "The jobs of {workload} were replayed on each machine with its best ordering, starting with an empty machine. \
         The first columns are the mean distance between the nodes of a job (MIND) with each allocator. Jobs are \
         skipped where too few nodes were free, and too large where they need more nodes than the machine has."
    )];
    let table = table(machines, "Replay by machine", &contenders, columns);
    let mut section = Section::new("jobs", "What jobs get under load", about, table);
    let axis = "mean distance within a job (hops)";
    let panels: Vec<BarPanel<'_>> = allocators
        .iter()
        .map(|name| BarPanel {
            name,
            axis,
            decimals: 3,
        })
        .collect();
    let values = |s: &Service| s.allocators.iter().map(|a| a.mean_mind).collect();
    section.figures = bars(
        "machine-jobs.svg",
        "Distances within jobs under load",
        &panels,
        served,
        &values,
    )?;
    Ok(section)
}

/// Waits and slowdowns, where the jobs have times.
pub(super) fn queue(
    machines: &Machines,
    workload: &str,
    served: &[Served<'_>],
) -> Result<Option<Section>> {
    let scheduled: Vec<_> = (served.iter())
        .filter_map(|served| Some((*served, served.2.schedule.as_ref()?)))
        .collect();
    let (Some(settings), false) = (&machines.settings, scheduled.is_empty()) else {
        return Ok(None);
    };
    let contenders: Vec<&Contender> = scheduled.iter().map(|((_, c, _), _)| *c).collect();
    let rows: Vec<_> = scheduled.iter().map(|(_, row)| *row).collect();
    let mut columns = queue_columns(&rows);
    columns.push(Column::counts(
        "Jobs",
        rows.iter().map(|r| r.summary.jobs as u64),
    ));
    columns.push(Column::counts(
        "Too large",
        rows.iter().map(|r| r.too_large as u64),
    ));
    let about = words![
        format!(
            "The jobs of {workload} scheduled with their times on each machine with its best ordering: policy "
        ),
        bold(&settings.policy),
        ", allocator ",
        bold(&settings.allocator),
        ", runtime model ",
        bold(&settings.model),
        match machines.is_even() {
            true => {
                ". The lowest value of each column is bold, but for utilisation: it is high where jobs run longer, too."
            }
            false => ".",
        },
        " Where jobs are too large for a machine, its means are over fewer jobs; the ranking above is over the jobs \
         that ran on all machines.",
    ];
    let table = table(machines, "Schedules by machine", &contenders, columns);
    let mut section = Section::new("scheduling", "Waits and slowdowns", about, table);
    if let Some((policy, model)) = scheduled.iter().find_map(|((.., s), _)| s.rules.as_ref()) {
        section.note = words![
            format!(
                "Policy {policy}. Model {model}. How strongly run times depend on distance differs between \
                 applications: the differences follow from this assumption. Give your own with "
            ),
            Part::Code("--model".into()),
            "."
        ];
    }
    let panel = |name, axis, decimals| BarPanel {
        name,
        axis,
        decimals,
    };
    let panels = [
        panel("wait", "mean wait (s)", 1),
        panel("response", "mean response time (s)", 1),
        panel("bounded slowdown", "mean bounded slowdown", 3),
    ];
    let served: Vec<Served<'_>> = scheduled.iter().map(|(served, _)| *served).collect();
    let values = |s: &Service| match &s.schedule {
        Some(row) => {
            let s = &row.summary;
            vec![
                Some(s.mean_wait),
                Some(s.mean_response),
                Some(s.mean_bounded_slowdown),
            ]
        }
        None => Vec::new(),
    };
    section.figures = bars(
        "machine-queue.svg",
        "Waits and slowdowns",
        &panels,
        &served,
        &values,
    )?;
    Ok(Some(section))
}

/// A bar a machine in each of `panels`; none where there is no value at all.
fn bars(
    file: &str,
    title: &str,
    panels: &[BarPanel<'_>],
    served: &[Served<'_>],
    values: &dyn Fn(&Service) -> Vec<Option<f64>>,
) -> Result<Vec<Figure>> {
    let data: Vec<Vec<Option<f64>>> = served
        .iter()
        .map(|(_, _, service)| values(service))
        .collect();
    if data.iter().flatten().all(Option::is_none) {
        return Ok(Vec::new());
    }
    let mut rows: Vec<Labelled<'_, &[Option<f64>]>> = Vec::new();
    for ((slot, c, _), data) in served.iter().zip(&data) {
        rows.push(Labelled {
            label: c.machine.name(),
            slot: *slot,
            data,
        });
    }
    let note = "each machine with its best ordering; lower is better";
    let caption = "The same figures, a bar a machine.";
    Ok(vec![Figure::of(
        file,
        caption,
        Drawn::bars(title, note, panels, &rows)?,
    )?])
}
