//! Tables on the terminal.

use std::io::{self, Write};
use std::iter::once;
use std::path::Path;

use comfy_table::{CellAlignment, Row, Table, presets};

use super::layout::{fit_to_terminal, print_sentence};
use super::notes;
use super::output::{is_for_people, write_by};
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::replay::set::ReplayResult;
use nodeorder_jobs::schedule::ScheduleSummary;
use nodeorder_jobs::schedule::orderings::Schedules;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_present::columns::{self, Column};

/// Writes the ranked table of orderings.
pub fn write_comparison(out: &mut impl Write, comparison: &Comparison) -> io::Result<()> {
    let machine = &comparison.topology;
    let about = format!(
        "{}: {} nodes on {} routers, diameter {}, mean distance {:.3} hops",
        machine.name, machine.nodes, machine.routers, machine.diameter, machine.mean_distance
    );
    print_sentence(out, &about)?;
    print_sentence(
        out,
        "Mean hops between a job's nodes, by job size; best first by the log-spaced mean.",
    )?;
    if comparison.is_uneven() {
        let first = "Before that, orderings that leave out fewer windows: means of different windows are not compared.";
        print_sentence(out, first)?;
    }
    writeln!(out)?;
    let header = ["#", "ordering", "mean(log)", "mean", "best at", "step"].map(String::from);
    let sizes = comparison.sizes.iter().map(|s| format!("S={s}"));
    let ranks = comparison.list_ranks();
    let rows = comparison.entries.iter().zip(ranks).map(|(entry, rank)| {
        let row = [
            rank.to_string(),
            entry.label.clone(),
            format!("{:.3}", entry.mean_log),
            format!("{:.3}", entry.mean_plain),
            format!("{:.0} %", 100.0 * entry.best_share),
            format!("{:.3}", entry.mean_step),
        ];
        let at = entry.at.iter();
        row.into_iter()
            .chain(at.map(|v| v.map_or_else(String::new, |v| format!("{v:.2}"))))
    });
    let mut table = lay_out_table(header.into_iter().chain(sizes), rows, 2);
    // The first column holds numbers, though `table` takes it for a name.
    if let Some(ranks) = table.column_mut(0) {
        ranks.set_cell_alignment(CellAlignment::Right);
    }
    writeln!(out, "{}\n", fit_to_terminal(table, 3, &io::stdout()))?;
    print_sentence(out, &name_winners(comparison))?;
    if let Some(floor) = comparison.floor_mean_log {
        let bound = format!("No ordering of this machine can have a mean(log) below {floor:.3}.");
        print_sentence(out, &bound)?;
    }
    Ok(())
}

/// Tells in a line which ordering is best at which sizes: long ranges by name, the rest counted.
fn name_winners(comparison: &Comparison) -> String {
    let octaves = |from: usize, to: usize| ((to + 1) as f64 / from as f64).log2();
    let (long, short): (Vec<_>, Vec<_>) = comparison
        .stretches
        .iter()
        // By ratio, as sizes are log-spaced: 2-3 is worth a name, 1000-1100 is not.
        .partition(|s| octaves(s.from, s.to) >= 0.3);
    let named = long.iter().map(|s| {
        let label = &comparison.entries[s.winner].label;
        format!("{}-{} {label}", s.from, s.to)
    });
    let named = named.collect::<Vec<_>>().join("; ");
    match short.len() {
        0 => format!("Best by size: {named}."),
        count => format!("Best by size: {named} ({count} shorter stretches between)."),
    }
}

/// Writes what the replay gave, orderings as given, and how well the curves predict it.
pub fn write_prediction(out: &mut impl Write, prediction: &Prediction) -> io::Result<()> {
    let p = prediction;
    let about = format!(
        "Replay of {}: {} jobs placed, {} skipped.{} Mean hops between a job's nodes, by allocator.",
        p.workload,
        p.placed,
        p.skipped,
        p.refused
            .iter()
            .map(|(a, most)| format!(" {a} refused up to {most}."))
            .collect::<String>()
    );
    let allocators = p.allocators.iter().map(String::as_str);
    let header = ["ordering", "weighted MPC"].into_iter().chain(allocators);
    let rows = p.rows.iter().map(|row| {
        let minds = row.mean_mind.iter().map(|m| format_number(*m, 4));
        let start = [row.ordering.clone(), format!("{:.4}", row.weighted_mpc)];
        Row::from(start.into_iter().chain(minds))
    });
    let agreement = p.agreement.iter().map(|a| format_number(a.spearman, 2));
    let last = ["rank correlation with weighted MPC".into(), String::new()];
    let last = Row::from(last.into_iter().chain(agreement));
    writeln!(out)?;
    write_section(out, &about, header, rows.chain([last]), [1, 1])?;
    let Some((pattern, routing)) = &p.guest else {
        return Ok(());
    };
    let about = format!(
        "The jobs talk ({pattern}, {routing}). Mean of the highest contention a job meets, and mean hops of its \
         traffic, by allocator."
    );
    let header = p.allocators.iter().flat_map(|a| [a.as_str(), "hops"]);
    let rows = p.rows.iter().map(|row| {
        let met = row
            .traffic
            .iter()
            .flat_map(|m| [m.mean_contention, m.mean_dilation]);
        once(row.ordering.clone()).chain(met.map(|m| format_number(m, 4)))
    });
    writeln!(out)?;
    write_section(out, &about, once("ordering").chain(header), rows, [1, 1])
}

/// Writes the schedules of a trace, orderings as given.
pub fn write_schedules(out: &mut impl Write, schedules: &Schedules) -> io::Result<()> {
    let allocator = schedules
        .allocator
        .iter()
        .map(|a| format!(", {a}"))
        .collect::<String>();
    // The recorded schedule comes last: it is what orderings are held against, not one of them.
    let all = || schedules.rows.iter().chain(&schedules.recorded);
    let rows = all().map(|row| schedule_cells(&row.ordering, &row.summary));
    let trace = &schedules.trace;
    let policy = &schedules.policy;
    let model = &schedules.model;
    writeln!(
        out,
        "\nSchedule of {trace}: {policy}{allocator}, {model}. Times in seconds.\n"
    )?;
    let table = lay_out_table(once("ordering").chain(SCHEDULED), rows, 1);
    writeln!(out, "{}\n", fit_to_terminal(table, 1, &io::stdout()))?;
    let classes = schedules.size_classes();
    let sizes = classes.iter().map(|(from, to)| format_range(*from, *to));
    let rows = all().map(|row| {
        let waits = classes
            .iter()
            .map(|(from, _)| row.size_class(*from).map(|class| class.mean_wait));
        once(row.ordering.clone()).chain(waits.map(|wait| format_number(wait, 1)))
    });
    let header = once("ordering".to_string()).chain(sizes);
    write_section(out, "Mean wait by job size in nodes.", header, rows, [1, 1])
}

/// Formats a class of sizes: its first and its last, once if they are the same.
pub fn format_range(from: u32, to: u32) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}-{to}")
    }
}

/// Columns of the table of schedules: the figures, by their headings.
pub const SCHEDULED: [&str; 10] = [
    "jobs",
    "wait",
    "wait 90 %",
    "wait 99 %",
    "longest",
    "starved",
    "response",
    "slowdown",
    "utilisation",
    "hops",
];

/// Formats the cells of a row: the name of a schedule, then its figures.
pub fn schedule_cells(name: &str, summary: &ScheduleSummary) -> Vec<String> {
    vec![
        name.to_string(),
        summary.jobs.to_string(),
        format!("{:.1}", summary.mean_wait),
        format!("{:.1}", summary.wait_percentiles[1]),
        format!("{:.1}", summary.wait_percentiles[2]),
        format!("{:.1}", summary.max_wait),
        summary.starved.to_string(),
        format!("{:.1}", summary.mean_response),
        format!("{:.3}", summary.mean_bounded_slowdown),
        format!("{:.2} %", 100.0 * summary.utilisation),
        format_number(summary.mean_mind, 4),
    ]
}

/// Columns of the table of replays, by their headings; the last two say how long the allocator took.
const REPLAYED: [&str; 10] = [
    "ordering",
    "allocator",
    "placed",
    "mean MIND",
    "small %",
    "large %",
    "overall %",
    "t",
    "refreshes",
    "seconds",
];

/// Lists the cells of [`REPLAYED`], a row for each replay.
fn replay_cells(results: &[ReplayResult<'_>], threshold: u64) -> Vec<[String; 10]> {
    let rows = results.iter().map(|r| {
        let improvement = r.summary.improvement_by_group(r.baseline, threshold);
        [
            r.ordering.into(),
            r.allocator.into(),
            r.counts.placed.to_string(),
            format_number(r.summary.mean_mind(), 4),
            format_number(improvement.small, 2),
            format_number(improvement.large, 2),
            format_number(improvement.overall, 2),
            format_number(r.summary.t_test().map(|t| t.t), 1),
            format_number(r.counts.mean_list_refreshes(), 3),
            format!("{:.3}", r.counts.choosing.as_secs_f64()),
        ]
    });
    rows.collect()
}

/// Prints what each allocator gave and how long it took to standard error.
pub fn print_timings(results: &[ReplayResult<'_>], threshold: u64) {
    let table = lay_out_table(REPLAYED, replay_cells(results, threshold), 2);
    notes::print_note(format_args!(
        "{}",
        // The table goes to standard error, which may be a terminal while standard output is a file.
        fit_to_terminal(table, 3, &io::stderr())
    ));
}

/// Writes what each allocator gave, for a terminal.
pub fn write_replays(
    out: &mut impl Write,
    results: &[ReplayResult<'_>],
    threshold: u64,
) -> io::Result<()> {
    let about = format!(
        "Mean hops between a job's nodes, and how far they are below those of fifo:0: means over sizes of more than \
         {threshold} placements. A row for each placement: -o FILE, or a pipe."
    );
    let rows = replay_cells(results, threshold);
    let rows = rows.into_iter().map(|row| Row::from(&row[..7]));
    write_section(out, &about, &REPLAYED[..7], rows, [2, 3])
}

/// Writes the rows of a command: CSV into a file or a pipe, a table of four digits on a terminal.
pub fn write_rows<R>(
    path: Option<&Path>,
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = R>,
) -> anyhow::Result<()> {
    if !is_for_people(path) {
        return write_by(path, |out| columns::write_table(out, columns, rows));
    }
    let rows: Vec<R> = rows.into_iter().collect();
    let table = lay_out_columns(columns, &rows, 1);
    write_by(None, |out| {
        writeln!(out, "{}", fit_to_terminal(table, 1, &io::stdout()))
    })
}

/// Writes a table below a sentence that says what it holds: columns from `numbers` on are numbers, and the first `kept`
/// are shown on any terminal.
pub fn write_section(
    out: &mut impl Write,
    about: &str,
    header: impl Into<Row>,
    rows: impl IntoIterator<Item: Into<Row>>,
    [numbers, kept]: [usize; 2],
) -> io::Result<()> {
    print_sentence(out, about)?;
    let table = lay_out_table(header, rows, numbers);
    writeln!(out, "\n{}", fit_to_terminal(table, kept, &io::stdout()))
}

/// Lays out a table without lines whose columns from `numbers` on are numbers.
pub fn lay_out_table(
    header: impl Into<Row>,
    rows: impl IntoIterator<Item: Into<Row>>,
    numbers: usize,
) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table.add_rows(rows);
    for column in table.column_iter_mut().skip(numbers) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Lays out rows under the names of their columns, of which those from `numbers` on are numbers.
pub fn lay_out_columns<R>(columns: &[Column<R>], rows: &[R], numbers: usize) -> Table {
    let rows = rows
        .iter()
        .map(|row| columns.iter().map(|column| column.shown_text(row)));
    lay_out_table(columns.iter().map(|column| column.name), rows, numbers)
}

/// Formats a value with `digits` decimals, `-` for none.
pub fn format_number(value: Option<f64>, digits: usize) -> String {
    // A dash, as an empty cell among right-aligned numbers is easily overlooked.
    value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"))
}
