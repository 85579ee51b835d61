//! The files of a comparison of orderings, and its sentences.

use rayon::prelude::*;

use super::file::File;
use super::html::{Figure, words};
use super::results::{ComparedOrders, Figures, WorkloadResults};
use super::{by_size, csv, json, page, prediction, schedule_comparison, verdict, windows};
use crate::columns::{self, throughput::WindowRow};
use crate::plot::{self, View};
use nodeorder_base::error::Result;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_network::topology::Topology;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::ordering::NodeOrder;

/// Node-hours that the best ordering saves on a trace, in sentences; empty where nothing was scheduled.
pub fn saved(schedules: &Schedules) -> String {
    super::saved::saved(schedules)
        .plain()
        .trim_end()
        .replace('\u{a0}', " ")
        .replace('−', "-")
}

/// The sentences that a comparison's page begins with, as HTML: the verdict, then what limits it.
pub fn sentences(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<String> {
    let verdict = words![
        workload
            .schedules
            .as_ref()
            .map(super::saved::saved)
            .unwrap_or_default(),
        verdict::verdict(comparison),
        verdict::suited(comparison, workload)
    ];
    let all = std::iter::once(verdict).chain(verdict::details(comparison, workload));
    all.map(|sentence| sentence.to_string()).collect()
}

/// Every file of a comparison: `index.html`, `mpc.csv`, `table.csv`, `stretches.csv`, `crossovers.csv`,
/// `limits.csv`, `summary.json` and the figures as SVG.
///
/// With a `workload`'s prediction also `workload.csv`, `workload-sizes.csv` and their figures, with its schedules `schedule.csv`; with windows `throughput.csv`.
/// `orders` are those compared, as the user named them: colours follow that order. `command` is what
/// reproduces the comparison.
///
/// # Errors
/// A figure that cannot be drawn.
pub fn files<'a>(
    topology: &Topology,
    orders: &[NodeOrder],
    comparison: &'a Comparison,
    workload: &'a WorkloadResults<'a>,
    command: &str,
) -> Result<Vec<File<'a>>> {
    let compared = ComparedOrders {
        topology,
        orders,
        comparison,
        slots: slots(comparison, orders),
    };
    let figures = figures(&compared)?;
    let c = comparison;
    let mut files = vec![
        File::table("mpc.csv", |out| {
            csv::write_curves(out, c.entries.iter().map(|e| (&*e.label, &*e.values)))
        }),
        File::table("table.csv", |out| csv::write_table(out, c)),
        File::table("stretches.csv", |out| csv::write_stretches(out, c)),
        File::table("crossovers.csv", |out| csv::write_crossovers(out, c)),
        File::table("limits.csv", |out| csv::write_limits(out, c)),
    ];
    files.push(File::text(
        "summary.json",
        json::summary(comparison, workload, command),
    ));
    let mut sections = Vec::new();
    let mut drawn = Vec::new();
    if let Some(prediction) = &workload.prediction {
        files.push(File::table("workload.csv", |out| {
            prediction::write_csv(out, prediction)
        }));
        let figure = prediction::figure(topology.name(), prediction)?;
        sections.extend(prediction::sections(prediction, figure.clone()));
        drawn.push(figure);
        files.push(File::table("workload-sizes.csv", |out| {
            by_size::write_csv(out, prediction)
        }));
        if let Some((section, figure)) =
            by_size::section(topology.name(), prediction, comparison, &compared.slots)?
        {
            sections.push(section);
            drawn.push(figure);
        }
    }
    if let Some(schedules) = &workload.schedules {
        files.push(File::table("schedule.csv", |out| {
            schedule_comparison::write_csv(out, schedules)
        }));
        sections.push(schedule_comparison::section(schedules));
    }
    if !workload.windows.is_empty() {
        let rows = &workload.windows;
        files.push(File::table("throughput.csv", |out| {
            columns::write(out, WindowRow::ALL, rows.iter().copied())
        }));
        let named: Vec<(&str, usize)> = c
            .entries
            .iter()
            .zip(&compared.slots)
            .map(|(entry, slot)| (entry.label.as_str(), *slot))
            .collect();
        let section = windows::section(rows, &named)?;
        drawn.extend(section.figures.clone());
        sections.push(section);
    }
    let page = page::html(&compared, &figures, workload, sections, &files, command)?;
    files.insert(0, File::text("index.html", page));
    let Figures {
        winners,
        curves,
        machines,
    } = figures;
    let all = drawn
        .into_iter()
        .chain([winners])
        .chain(curves)
        .chain(machines);
    files.extend(all.map(|figure| File::text(figure.file, figure.svg)));
    Ok(files)
}

/// For each entry, the index at which the user named its ordering. Entries of one label take theirs in turn.
pub fn slots(comparison: &Comparison, orders: &[NodeOrder]) -> Vec<usize> {
    let mut taken = vec![false; orders.len()];
    let mut slot = |label: &str, nodes: usize| {
        let free = |(i, order): (usize, &NodeOrder)| {
            (!taken[i] && order.label() == label && order.len() == nodes).then_some(i)
        };
        let found = orders.iter().enumerate().find_map(free);
        found.inspect(|i| taken[*i] = true)
    };
    let entries = comparison.entries.iter().enumerate();
    entries
        .map(|(i, entry)| slot(&entry.label, entry.nodes).unwrap_or(i))
        .collect()
}

fn figures(compared: &ComparedOrders<'_>) -> Result<Figures> {
    let ComparedOrders {
        topology,
        orders,
        comparison,
        slots,
    } = compared;
    let title = format!("Best ordering at each job size on {}", topology.name());
    let caption = "The sizes at which each ordering is the best; lighter where it is the best at only some of the \
                   sizes that share a pixel.";
    let winners = Figure::of(
        "winners.svg",
        caption,
        plot::winners(&title, comparison, slots),
    )?;
    let machine = |(rank, order): (usize, &NodeOrder)| {
        Figure::of(
            format!("ordering-{:02}.svg", rank + 1),
            "",
            plot::machine(topology, order),
        )
    };
    let ranked: Vec<_> = (slots.iter().enumerate())
        .filter_map(|(rank, slot)| Some((rank, orders.get(*slot)?)))
        .collect();
    let (machines, curves) = rayon::join(
        || ranked.into_par_iter().map(machine).collect::<Result<_>>(),
        || curves(topology.name(), comparison, slots),
    );
    Ok(Figures {
        winners,
        curves: curves?,
        machines: machines?,
    })
}

/// The curves in every view that shows something of them.
fn curves(name: &str, comparison: &Comparison, slots: &[usize]) -> Result<Vec<Figure>> {
    let series = plot::series(comparison, slots);
    let largest = series.iter().map(|s| s.values.len() + 1).max().unwrap_or(0);
    let mean_distance = comparison.topology.mean_distance;
    let (floor, compact) = (&comparison.floor, &comparison.compact);
    let limits = plot::Limits {
        mean_distance: Some(mean_distance),
        floor,
        compact,
    };
    let views = [
        (
            ("mpc-full.svg", View::Full, true),
            "Mean placement distance on {}, all job sizes",
            "MPC over the full range. Every curve of the whole machine ends at its mean distance, where a job fills \
             the machine and the order no longer matters. No ordering can go below the grey dots (proved); the grey \
             line is the mean distance within compact sets of that size."
                .into(),
        ),
        (
            ("mpc-closer.svg", View::Closer, largest > 2 * plot::CLOSER),
            "A closer look: small jobs on {}",
            format!("MPC of jobs of up to {} nodes.", plot::CLOSER),
        ),
        (
            ("mpc-gain.svg", View::Gain, mean_distance > 0.0),
            "Gain against random placement on {}",
            "How far MPC is below the machine's mean distance, which is the mean distance of nodes chosen at random. \
             Higher is better."
                .into(),
        ),
        (
            ("mpc-above-best.svg", View::AboveBest, series.len() > 1),
            "How far from the best at each size on {}",
            format!(
                "How far MPC is above the best of these orderings at each size: the best one is at 0. Curves above \
                 {} % are cut off.",
                plot::ABOVE_BEST_TOP
            ),
        ),
    ];
    let shown = views.into_iter().filter(|((_, _, shown), ..)| *shown);
    let draw = |((file, view, _), title, caption): ((&str, _, _), &str, String)| {
        let views = &[view];
        Figure::of(
            file,
            caption,
            plot::curves(&title.replace("{}", name), &series, views, limits)?,
        )
    };
    shown
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(draw)
        .collect()
}
