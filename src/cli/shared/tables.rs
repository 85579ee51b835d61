//! Tables on the terminal.

use std::io::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::layout::{fit_to_terminal, print_sentence};
use super::notes;
use nodeorder_jobs::replay::prediction::Prediction;
use nodeorder_jobs::replay::set::ReplayResult;
use nodeorder_jobs::schedule::ScheduleSummary;
use nodeorder_jobs::schedule::orderings::{OrderingSchedule, Schedules};
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_present::columns::Column;

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
    let rows = comparison.entries.iter().enumerate().map(|(i, entry)| {
        let mut row = vec![(i + 1).to_string(), entry.label.clone()];
        row.extend([
            format!("{:.3}", entry.mean_log),
            format!("{:.3}", entry.mean_plain),
        ]);
        row.push(format!("{:.0}%", 100.0 * entry.best_share));
        row.push(format!("{:.3}", entry.mean_step));
        let at = entry
            .at
            .iter()
            .map(|v| v.map_or_else(String::new, |v| format!("{v:.2}")));
        row.extend(at);
        row
    });
    let mut table = lay_out_table(header.into_iter().chain(sizes).collect(), rows, 2);
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
    let header = ["ordering", "weighted MPC"].map(String::from).into_iter();
    let header = header.chain(p.allocators.iter().cloned());
    let rows = p.rows.iter().map(|row| {
        let start = [row.ordering.clone(), format!("{:.4}", row.weighted_mpc)].into_iter();
        start
            .chain(row.mean_mind.iter().map(|m| format_number(*m, 4)))
            .collect()
    });
    let last = [
        "rank correlation with weighted MPC".to_string(),
        String::new(),
    ]
    .into_iter();
    let last = last
        .chain(p.agreement.iter().map(|a| format_number(a.spearman, 2)))
        .collect();
    write_section(out, &about, header.collect(), rows.chain([last]))?;
    let Some((pattern, routing)) = &p.guest else {
        return Ok(());
    };
    let about = format!(
        "The jobs talk ({pattern}, {routing}). Mean of the highest contention a job meets, and mean hops of its \
         traffic, by allocator."
    );
    let header = p.allocators.iter().flat_map(|a| [a.clone(), "hops".into()]);
    let rows = p.rows.iter().map(|row| {
        let met = row
            .traffic
            .iter()
            .flat_map(|m| [m.mean_contention, m.mean_dilation]);
        [row.ordering.clone()]
            .into_iter()
            .chain(met.map(|m| format_number(m, 4)))
            .collect()
    });
    write_section(
        out,
        &about,
        ["ordering".into()].into_iter().chain(header).collect(),
        rows,
    )
}

/// Writes the schedules of a trace, orderings as given.
pub fn write_schedules(out: &mut impl Write, schedules: &Schedules) -> io::Result<()> {
    let allocator = schedules
        .allocator
        .iter()
        .map(|a| format!(", {a}"))
        .collect::<String>();
    let header = ["ordering"]
        .into_iter()
        .chain(SCHEDULED)
        .map(String::from)
        .collect();
    // The recorded schedule comes last: it is what orderings are held against, not one of them.
    let all = || schedules.rows.iter().chain(&schedules.recorded);
    let rows = all().map(
        |OrderingSchedule {
             ordering, summary, ..
         }| schedule_cells(ordering, summary),
    );
    let trace = &schedules.trace;
    let policy = &schedules.policy;
    let model = &schedules.model;
    writeln!(
        out,
        "\nSchedule of {trace}: {policy}{allocator}, {model}. Times in seconds.\n"
    )?;
    let schedules_table = lay_out_table(header, rows, 1);
    writeln!(
        out,
        "{}",
        fit_to_terminal(schedules_table, 1, &io::stdout())
    )?;
    let classes = schedules.size_classes();
    let sizes = classes.iter().map(|(from, to)| {
        if from == to {
            from.to_string()
        } else {
            format!("{from}-{to}")
        }
    });
    let rows = all().map(|row| {
        let waits = classes
            .iter()
            .map(|(from, _)| row.size_class(*from).map(|class| class.mean_wait));
        std::iter::once(row.ordering.clone())
            .chain(waits.map(|wait| format_number(wait, 1)))
            .collect()
    });
    let header = std::iter::once("ordering".to_string())
        .chain(sizes)
        .collect();
    write_section(out, "Mean wait by job size in nodes.", header, rows)
}

/// The figures of a schedule, by the names that stand above them.
pub const SCHEDULED: [&str; 10] = [
    "jobs",
    "wait",
    "wait 90%",
    "wait 99%",
    "longest",
    "starved",
    "response",
    "slowdown",
    "utilisation",
    "hops",
];

/// Returns the cells of a row: the name of a schedule, then its figures.
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
        format!("{:.2}%", 100.0 * summary.utilisation),
        format_number(summary.mean_mind, 4),
    ]
}

/// Prints what each allocator gave and how long it took to standard error.
pub fn print_timings(results: &[ReplayResult<'_>], threshold: u64) {
    let header = [
        "ordering",
        "allocator",
        "placed",
        "mean MIND",
        "small %",
        "large %",
    ];
    let header = header.into_iter().chain(["overall %", "t", "seconds"]);
    let table = lay_out_table(
        header.map(String::from).collect(),
        results.iter().map(|r: &ReplayResult<'_>| {
            let improvement = r.summary.improvement_by_group(r.baseline, threshold);
            vec![
                r.ordering.into(),
                r.allocator.into(),
                r.counts.placed.to_string(),
                format_number(r.summary.mean_mind(), 4),
                format_number(improvement.small, 2),
                format_number(improvement.large, 2),
                format_number(improvement.overall, 2),
                format_number(r.summary.t_test().map(|t| t.t), 1),
                format!("{:.3}", r.counts.choosing.as_secs_f64()),
            ]
        }),
        2,
    );
    notes::print_note(format_args!(
        "{}",
        // The table goes to standard error, which may be a terminal while standard output is a file.
        fit_to_terminal(table, 3, &std::io::stderr())
    ));
}

/// Writes a table of numbers below a sentence that says what it holds.
fn write_section(
    out: &mut impl Write,
    about: &str,
    header: Vec<String>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> io::Result<()> {
    writeln!(out)?;
    print_sentence(out, about)?;
    writeln!(
        out,
        "\n{}",
        fit_to_terminal(lay_out_table(header, rows, 1), 1, &io::stdout())
    )
}

/// Lays out a table without lines whose columns from `numbers` on are numbers.
pub fn lay_out_table(
    header: Vec<String>,
    rows: impl IntoIterator<Item = Vec<String>>,
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
    let header = columns.iter().map(|column| column.name.to_string());
    lay_out_table(
        header.collect(),
        rows.iter().map(|row: &R| {
            columns
                .iter()
                .map(|column| column.shown_text(row))
                .collect()
        }),
        numbers,
    )
}

/// Formats a value with so many digits, `-` for none.
pub fn format_number(value: Option<f64>, digits: usize) -> String {
    // A dash, as an empty cell among right-aligned numbers is easily overlooked.
    value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"))
}
