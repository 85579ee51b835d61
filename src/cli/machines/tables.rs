//! Machines on the terminal: their figures, what they carry, what they cost, and what their jobs get.

use std::io::Write;

use comfy_table::CellAlignment;

use crate::shared::layout;
use crate::shared::output::Output;
use crate::shared::tables::{SCHEDULED, format_number, lay_out_table, schedule_cells};
use nodeorder_order::metric::machine_figures::MachineFigures;
use nodeorder_present::columns::Column;
use nodeorder_present::columns::bounds::show_figures;
use nodeorder_present::columns::machines::RankedMachine;
use nodeorder_present::machines::{Contender, JobService, Machines};
use nodeorder_present::report;

/// Writes the table of machines, then what they carry, what they cost, and what their jobs get, as far as that is
/// known.
pub fn write_tables(out: &mut Output, found: &Machines) -> anyhow::Result<()> {
    write_verdict(out, found)?;
    write_table(out, found)?;
    // A bound by hops is known of all machines; it stands beside what was searched.
    if found.contenders.iter().any(|one| one.carried.is_some()) {
        let about = "Link capacities that each node can send when traffic is routed well: found, and proved that no \
                     routing carries more.";
        write_more(out, found, RankedMachine::CARRIED, about)?;
    }
    let about = "How many times as long communication takes as on a network that never blocks, with the best ordering and with \
                 random order; lower is better.";
    write_more(out, found, RankedMachine::SLOWDOWN, about)?;
    let about = "Cables, watts, and what a unit of throughput takes.";
    write_more(out, found, RankedMachine::BOUGHT, about)?;
    write_service(out, found)
}

/// Writes what each criterion says of every machine, with a star at the best.
fn write_verdict(out: &mut impl Write, found: &Machines) -> anyhow::Result<()> {
    if found.compared < 2 {
        return Ok(());
    }
    let verdict = found.judge_offers();
    layout::print_sentence(out, &verdict.hinge)?;
    let offers = &found.contenders[..found.compared];
    let unbeaten = verdict.unbeaten.iter().map(|i| offers[*i].machine.name());
    let names = unbeaten.collect::<Vec<_>>().join(", ");
    layout::print_sentence(
        out,
        &format!("No other beats these on every criterion: {names}."),
    )?;
    let mut header = vec![""];
    header.extend(offers.iter().map(|offer| offer.machine.name()));
    let lines = verdict.criteria.iter().map(|criterion| {
        let cells = (0..offers.len()).map(|offer| criterion.cell_text(offer));
        std::iter::once(criterion.figure.clone())
            .chain(cells)
            .collect()
    });
    write_columns(out, header, lines.collect(), 1)?;
    layout::print_sentence(
        out,
        "* the best; several where they tie or their ranges overlap.",
    )?;
    Ok(writeln!(out)?)
}

/// Writes some columns of the machines as lines, a column a machine, where any has a value.
fn write_more<'m>(
    out: &mut impl Write,
    found: &'m Machines,
    columns: &[Column<RankedMachine<'m>>],
    about: &str,
) -> anyhow::Result<()> {
    let machines: Vec<RankedMachine<'m>> = report::machines::machine_rows(found).collect();
    // Prices and watts are often not given: such figures are left out.
    let shown = show_figures(columns, &machines).into_iter();
    let lines: Vec<Vec<String>> = shown
        .map(|(column, texts)| [vec![column.name.to_string()], texts].concat())
        .collect();
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    layout::print_sentence(out, about)?;
    let names = found.contenders.iter().map(|c| c.machine.name());
    write_columns(out, std::iter::once("").chain(names).collect(), lines, 1)
}

/// Writes the machines as they are ranked.
fn write_table(out: &mut impl Write, found: &Machines) -> anyhow::Result<()> {
    let priced = found
        .contenders
        .iter()
        .any(|c| c.machine.bill.cost.is_some());
    let mut header = vec![
        "#",
        "machine",
        "nodes",
        "places",
        "fill",
        "routers",
        "links",
        "cables",
        "node links",
        "ports",
        "idle",
        "oversubscribed",
        "cables a node",
        "diameter",
        "mean",
        "bisection",
        "bisection a node",
    ];
    if priced {
        header.extend(["cost", "cost a node", "cost a place"]);
    }
    header.extend(["ordering", "mean(log)"]);
    let pieces = found.compared < found.contenders.len();
    // Means over fewer windows look better than they are: the share that is missing stands beside them.
    header.extend(pieces.then_some("left out"));
    let row = |(i, contender): (usize, &Contender)| {
        let m = &contender.machine;
        let s = &contender.machine.comparison.topology;
        let mut row = vec![
            found
                .rank(i)
                .map_or_else(|| "-".into(), |rank| rank.to_string()),
            m.name().to_string(),
            s.nodes.to_string(),
            s.places.to_string(),
            format!("{:.0} %", 100.0 * s.fill()),
            s.routers.to_string(),
            s.links.to_string(),
            s.cables.to_string(),
            s.node_links.to_string(),
            s.ports.to_string(),
            s.idle_ports.to_string(),
            format_number(s.oversubscription, 2),
            format!("{:.3}", m.links_per_node()),
            s.diameter.to_string(),
            format!("{:.3}", s.mean_distance),
            format_bisection(m),
            format_number(m.bisection_per_node(), 3),
        ];
        if priced {
            row.extend([
                format_number(m.bill.cost, 0),
                format_number(m.cost_per_node(), 2),
                format_number(m.cost_per_place(), 2),
            ]);
        }
        row.extend([m.best.label().to_string(), format!("{:.4}", m.mean_log())]);
        row.extend(pieces.then(|| format!("{:.1} %", 100.0 * m.windows_left_out())));
        row
    };
    let rows = found.contenders.iter().enumerate().map(row).collect();
    write_columns(out, header, rows, 2)?;
    if found
        .contenders
        .iter()
        .any(|c: &Contender| c.machine.bisection.as_ref().is_some_and(|b| !b.exact))
    {
        layout::print_sentence(
            out,
            "<= marks the best cut found: the bisection has no more links than that.",
        )?;
    }
    Ok(())
}

/// Formats a bisection: `64`, or `<=64` where a cut with fewer links is not ruled out.
fn format_bisection(machine: &MachineFigures) -> String {
    match &machine.bisection {
        None => "-".into(),
        Some(cut) => format!("{}{}", if cut.exact { "" } else { "<=" }, cut.cut_links()),
    }
}

/// Writes the mean distance and the schedule of the jobs on each machine.
fn write_service(out: &mut impl Write, found: &Machines) -> anyhow::Result<()> {
    let served: Vec<_> = found
        .contenders
        .iter()
        .filter_map(|c| Some((c, c.service.as_ref()?)))
        .collect();
    let Some((_, first)) = served.first() else {
        return Ok(());
    };
    writeln!(out)?;
    layout::print_sentence(
        out,
        "Mean hops between a job's nodes under load, by allocator.",
    )?;
    let mut header = vec!["machine", "placed", "skipped", "too large"];
    header.extend(first.allocators.iter().map(|a| a.allocator.as_str()));
    let row = |(contender, service): &(&Contender, &JobService)| {
        let counts = [service.placed, service.skipped, service.too_large];
        let name = contender.machine.name().to_string();
        let hops = service
            .allocators
            .iter()
            .map(|a| format_number(a.mean_mind, 4));
        std::iter::once(name)
            .chain(counts.map(|n| n.to_string()))
            .chain(hops)
            .collect()
    };
    write_columns(out, header, served.iter().map(row).collect(), 1)?;
    let rows: Vec<Vec<String>> = served
        .iter()
        .filter_map(|(contender, service): &(&Contender, &JobService)| {
            let row = service.schedule.as_ref()?;
            Some(schedule_cells(contender.machine.name(), &row.summary))
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let model = found.settings.as_ref().map(|settings| &settings.model);
    let about = match model {
        Some(model) => format!("The schedule under the model {model}, times in seconds."),
        None => "The schedule, times in seconds.".into(),
    };
    layout::print_sentence(out, &about)?;
    let header = ["machine"].into_iter().chain(SCHEDULED).collect();
    write_columns(out, header, rows, 1)
}

/// Writes a table whose columns from the `names`-th on are numbers, an ordering's name aside.
fn write_columns(
    out: &mut impl Write,
    header: Vec<&str>,
    rows: Vec<Vec<String>>,
    names: usize,
) -> anyhow::Result<()> {
    // The one column of words among the numbers.
    let words = header.iter().position(|name| *name == "ordering");
    let mut table = lay_out_table(header, rows, names);
    if let Some(column) = words.and_then(|i| table.column_mut(i)) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    Ok(writeln!(
        out,
        "{}",
        layout::fit_to_terminal(table, names, &std::io::stdout())
    )?)
}
