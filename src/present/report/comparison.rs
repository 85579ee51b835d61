//! The files of a comparison of orderings, and its sentences.

use rayon::prelude::*;

use super::file::{File, add_page};
use super::html::Figure;
use super::results::{ComparedOrders, ComparisonFigures, WorkloadResults};
use super::{by_size, csv, json, page, prediction, schedule_comparison, verdict, windows};
use crate::columns::slowdown::SlowdownRow;
use crate::columns::{self, throughput::WindowRow};
use crate::plot::{self, View};
use nodeorder_base::Result;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;

/// Says how many node-hours the best ordering saves on a trace. Empty if nothing was scheduled.
pub fn saved(schedules: &Schedules) -> String {
    super::saved::saving_sentences(schedules).plain()
}

/// Says where compact placement slows communication. Empty if it does nowhere.
pub fn lost(comparison: &Comparison, workload: &WorkloadResults<'_>) -> String {
    let lost = workload
        .advice
        .as_ref()
        .map(|advice| advice.loss_sentence(comparison));
    lost.unwrap_or_default().plain()
}

/// Writes the sentences that a comparison's page begins with, as HTML: the verdict, then what limits it.
pub fn sentences(comparison: &Comparison, workload: &WorkloadResults<'_>) -> Vec<String> {
    let mut sentences = vec![verdict::opening_sentences(comparison, workload).to_string()];
    for paragraph in verdict::detail_paragraphs(comparison, workload) {
        sentences.push(paragraph.to_string());
    }
    sentences
}

/// Makes every file of a comparison: `index.html`, `mpc.csv`, `table.csv`, `stretches.csv`, `crossovers.csv`,
/// `limits.csv`, `summary.json` and the figures as SVG.
///
/// With a `workload`'s prediction also `workload.csv`, `workload-sizes.csv` and their figures, with its schedules
/// `schedule.csv`; with windows `throughput.csv`, with slowdowns `slowdown.csv`. `orders` are those compared, as the
/// user named them: colours follow that order. `command` is what reproduces the comparison.
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
        slots: slots_as_named(comparison, orders),
    };
    let figures = draw_figures(&compared)?;
    let machine = topology.name();
    let mut files = vec![
        File::from_writer("mpc.csv", |out| {
            let entries = comparison.entries.iter();
            csv::write_curves(out, entries.map(|e| (&*e.label, &*e.values)))
        }),
        File::from_writer("table.csv", |out| csv::write_table(out, comparison)),
        File::from_writer("stretches.csv", |out| csv::write_stretches(out, comparison)),
        File::from_writer("crossovers.csv", |out| {
            csv::write_crossovers(out, comparison)
        }),
        File::from_writer("limits.csv", |out| csv::write_limits(out, comparison)),
        File::text(
            "summary.json",
            json::summary_json(comparison, workload, command),
        ),
    ];
    let mut sections = Vec::new();
    if let Some(prediction) = &workload.prediction {
        files.push(File::from_writer("workload.csv", |out| {
            prediction::write_csv(out, prediction)
        }));
        files.push(File::from_writer("workload-sizes.csv", |out| {
            by_size::write_csv(out, prediction)
        }));
        let figure = prediction::draw_forecast(machine, prediction)?;
        sections.extend(prediction::prediction_sections(prediction, figure));
        sections.extend(by_size::by_size_section(
            machine,
            prediction,
            comparison,
            &compared.slots,
        )?);
    }
    if let Some(schedules) = &workload.schedules {
        files.push(File::from_writer("schedule.csv", |out| {
            schedule_comparison::write_csv(out, schedules)
        }));
        sections.push(schedule_comparison::queue_section(schedules));
    }
    if !workload.windows.is_empty() {
        let rows = &workload.windows;
        files.push(File::from_writer("throughput.csv", |out| {
            columns::write_table(out, WindowRow::ALL, rows.iter().copied())
        }));
        let slots: Vec<(&str, usize)> = comparison
            .entries
            .iter()
            .zip(&compared.slots)
            .map(|(entry, slot)| (entry.label.as_str(), *slot))
            .collect();
        sections.push(windows::throughput_section(rows, &slots)?);
    }
    if let Some(advice) = &workload.advice {
        if let Some(measured) = &advice.slowdowns {
            files.push(File::from_writer("slowdown.csv", move |out| {
                let rows = measured.guests.iter().flat_map(|guest| {
                    let named = measured.orderings.iter().zip(&guest.curves);
                    named.flat_map(move |(label, curve)| {
                        SlowdownRow::list_rows(label, &guest.guest, curve)
                    })
                });
                columns::write_table(out, SlowdownRow::ALL, rows)
            }));
        }
        sections.extend(advice.slowdown_section(comparison, &compared.slots)?);
    }
    // The page takes the sections; their figures are also files beside it.
    let mut drawn = Vec::new();
    for section in &sections {
        drawn.extend(section.figures.iter().cloned());
    }
    let page = page::html(&compared, &figures, workload, sections, &files, command)?;
    drawn.push(figures.winners);
    drawn.extend(figures.curves);
    drawn.extend(figures.machines);
    add_page(&mut files, page, drawn);
    Ok(files)
}

/// Finds for each entry the index at which the user named its ordering. Entries of one label take theirs in turn.
pub fn slots_as_named(comparison: &Comparison, orders: &[NodeOrder]) -> Vec<usize> {
    // The same ordering may be given twice; each keeps a colour of its own.
    let mut taken = vec![false; orders.len()];
    let mut slots = Vec::new();
    for (i, entry) in comparison.entries.iter().enumerate() {
        let found = (0..orders.len()).find(|slot| {
            let order = &orders[*slot];
            !taken[*slot] && order.label() == entry.label && order.len() == entry.nodes
        });
        if let Some(slot) = found {
            taken[slot] = true;
        }
        // A caller may hand on a comparison of other orderings: colours then follow the ranks.
        slots.push(found.unwrap_or(i));
    }
    slots
}

/// Draws the figures of a comparison; those of the machine and the curves in parallel.
fn draw_figures(compared: &ComparedOrders<'_>) -> Result<ComparisonFigures> {
    let ComparedOrders {
        topology,
        orders,
        comparison,
        slots,
    } = compared;
    let title = format!("Best ordering at each job size on {}", topology.name());
    let caption = "The ordering to take by job size; the exact winner of every size is in \
        stretches.csv, where the first two change places in crossovers.csv.";
    let winners = Figure::from_drawing(
        "winners.svg",
        caption,
        plot::plot_winners(&title, comparison, slots)?,
    )?;
    // Pictures of large machines take seconds each, and so do curves of millions of sizes.
    let (machines, curves) = rayon::join(
        || {
            slots
                .par_iter()
                .enumerate()
                .filter_map(|(rank, slot)| Some((rank + 1, orders.get(*slot)?)))
                .map(|(rank, order)| {
                    let file = format!("ordering-{rank:02}.svg");
                    Figure::from_drawing(file, "", plot::plot_machine(topology, order))
                })
                .collect::<Result<_>>()
        },
        || draw_curves(topology.name(), comparison, slots),
    );
    Ok(ComparisonFigures {
        winners,
        curves: curves?,
        machines: machines?,
    })
}

/// Draws the curves in every view that shows something of them.
fn draw_curves(name: &str, comparison: &Comparison, slots: &[usize]) -> Result<Vec<Figure>> {
    let series = plot::comparison_series(comparison, slots);
    let largest = series.iter().map(|s| s.values.len() + 1).max().unwrap_or(0);
    let mean_distance = comparison.topology.mean_distance;
    let limits = plot::Limits {
        mean_distance: Some(mean_distance),
        floor: &comparison.floor,
        compact: &comparison.compact,
    };
    let mut views = vec![(
        View::FULL,
        "mpc-full.svg",
        format!("Mean placement distance on {name}, all job sizes"),
        "MPC over the full range. Every curve of the whole machine ends at its mean distance, \
         where a job fills the machine and the order no longer matters. No ordering \
         can go below the grey dots (proved); the grey \
         line is the mean distance within compact sets of that size."
            .into(),
    )];
    // A closer look at most of the curve would show it twice.
    if largest > 2 * plot::CLOSER {
        views.push((
            View::CLOSER,
            "mpc-closer.svg",
            format!("A closer look: small jobs on {name}"),
            format!("MPC of jobs of up to {} nodes.", plot::CLOSER),
        ));
    }
    // All nodes on one router: nothing is below a mean of 0.
    if mean_distance > 0.0 {
        views.push((
            View::GAIN,
            "mpc-gain.svg",
            format!("Gain against random placement on {name}"),
            "How far MPC is below the machine's mean distance, which is the mean distance of \
             nodes chosen at random. Higher is better."
                .into(),
        ));
    }
    if series.len() > 1 {
        views.push((
            View::ABOVE_BEST,
            "mpc-above-best.svg",
            format!("How far from the best at each size on {name}"),
            format!(
                "How far MPC is above the best of these orderings at each size: the best one is \
                 at 0. Curves above {} % are cut off.",
                plot::ABOVE_BEST_TOP
            ),
        ));
    }
    views
        .into_par_iter()
        .map(|(view, file, title, caption)| {
            let views = [view];
            let drawn = plot::curves(&title, &series, &views, limits)?;
            Figure::from_drawing(file, caption, drawn)
        })
        .collect()
}
