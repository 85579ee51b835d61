//! Machines side by side as one page: which serves the jobs best, and the figures behind that.

use super::machine_jobs::{ServedMachine, queue_section, replay_section};
use super::machine_table::machine_table;
use super::rows::{NamedWorkload, machine_rows};
use super::verdict_section::verdict_section;
use crate::columns::{self, bounds::show_figures, machines::RankedMachine};
use crate::machines::{Contender, Criterion, Machines, outcome_sentences};
use crate::plot::replay::BarPanel;
use crate::plot::{self, Limits, Series, View, format_thousands};
use crate::report::bar_figure::{BarRow, draw_bars};
use crate::report::document::Document;
use crate::report::file::File;
use crate::report::html::{BestValue, Column, Fact, Figure, Section, Table};
use crate::report::sentences::{RichText, file_name, per_cent_above, sentence};
use crate::report::terms::{self, Term};
use nodeorder_base::Result;
use nodeorder_order::metric::machine_figures::MachineFigures;

/// Makes the page as HTML text; returns its figures as well. `files` stand beside it. Fails if a figure cannot be
/// drawn.
pub fn html(
    machines: &Machines,
    jobs: Option<NamedWorkload<'_>>,
    files: &[File<'_>],
    command: &str,
) -> Result<(String, Vec<Figure>)> {
    let workload = jobs.map(|jobs| file_name(jobs.name));
    let mut served: Vec<ServedMachine<'_>> = Vec::new();
    for (slot, contender) in machines.contenders.iter().enumerate() {
        if let Some(service) = &contender.service {
            served.push((slot, contender, service));
        }
    }
    let mut sections = vec![verdict_section(machines)?, figures_section(machines)];
    sections.extend(throughput_section(machines)?);
    sections.extend(slowdown_section(machines));
    sections.extend(cost_section(machines));
    sections.push(orderings_section(machines)?);
    if let (Some(name), false) = (workload, served.is_empty()) {
        sections.push(replay_section(machines, name, &served)?);
        sections.extend(queue_section(machines, name, &served)?);
    }
    let mut facts = Vec::new();
    for contender in &machines.contenders {
        let machine = &contender.machine;
        facts.push(Fact::code(
            machine.name(),
            &machine.comparison.topology.spec,
        ));
    }
    for contender in &machines.contenders {
        if let Some(assumed) = &contender.machine.assumed {
            facts.push(Fact::on_own_line("Capacities", assumed.as_str()));
        }
    }
    if let Some(hint) = jobs.and_then(|jobs| jobs.processors) {
        facts.push(Fact::on_own_line("Processors of the trace", hint));
    }
    let (verdict, details) = outcome_sentences(machines, workload);
    let mut outcome = mark_winner(machines, &verdict);
    // Which machine is best at what decides, not one figure alone.
    if machines.compared > 1 {
        outcome = outcome.text(" ").text(machines.judge_offers().hinge);
    }
    let page = Document {
        title: match workload {
            Some(name) => format!("Machines side by side for {name}"),
            None => "Machines side by side".into(),
        },
        verdict: outcome,
        details: if details.is_empty() {
            RichText::default()
        } else {
            RichText::default()
                .bold("How sure is this?")
                .text(" ")
                .text(details.join(" "))
        },
        about: ("built", "How they are built"),
        facts,
        exact: if machines.compared < machines.contenders.len() {
            "MPC counts all windows that span no pieces; nothing is sampled."
        } else if machines.node_counts().is_some() {
            "MPC counts all windows of a size; nothing is sampled."
        } else {
            "MPC is computed exactly, over all windows of all sizes; nothing is sampled."
        },
        terms: page_terms(machines, &sections),
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// Collects the terms that the sections use.
fn page_terms(machines: &Machines, sections: &[Section]) -> Vec<Term> {
    let mut terms = [&terms::NETWORK[..], &terms::CABLES, &terms::DISTANCES].concat();
    terms.extend([terms::LOG_UNIFORM, terms::RANDOM, terms::FLOOR]);
    if machines.contenders.iter().any(|c| c.carried.is_some()) {
        terms.push(terms::THROUGHPUT);
    }
    // Terms follow the sections, which are absent where nothing was asked or given.
    for section in sections {
        match section.id.as_str() {
            "bought" => terms.push(terms::BOUGHT),
            "slowdown" => terms.push(terms::SLOWDOWN),
            "jobs" => terms.extend([terms::ALLOCATOR, terms::MIND]),
            "scheduling" => terms.extend(terms::QUEUE.into_iter().chain(terms::RUNTIMES)),
            _ => {}
        }
    }
    if machines.differences.iter().any(|d| d.low.is_some()) {
        terms.push(terms::INTERVAL);
    }
    if machines.compared < machines.contenders.len() {
        terms.push(terms::SPANNING);
    }
    terms
}

/// Marks the first machine in the verdict, if it is the winner.
fn mark_winner(machines: &Machines, verdict: &str) -> RichText {
    let first = machines
        .contenders
        .first()
        .map(|contender| contender.display_name(machines.criterion))
        .unwrap_or_default();
    // The winner stands out; without one no machine does.
    match verdict.split_once(&first) {
        Some((before, after)) if machines.is_told() == Some(true) => {
            sentence(before).strong(&first).text(after)
        }
        _ => verdict.into(),
    }
}

/// Makes the section of the machines in figures.
fn figures_section(machines: &Machines) -> Section {
    let contenders: Vec<&Contender> = machines.contenders.iter().collect();
    let criterion = machines.criterion;
    let score = match criterion {
        Criterion::Response => "Mean response time of the jobs (s)",
        Criterion::Hops => "Mean distance within the jobs (hops)",
        Criterion::MeanLog => "Log-uniform mean of MPC (hops)",
        Criterion::Throughput => "All-to-all throughput found",
        Criterion::Cost => "Cost of a unit of all-to-all throughput, at most",
    };
    // Of scores the ranking's own side is the better one.
    let side = if criterion.higher_is_better() {
        BestValue::High
    } else {
        BestValue::Low
    };
    let marks: Vec<&str> = contenders
        .iter()
        .map(|contender| match &contender.machine.bisection {
            Some(cut) if !cut.exact => "≤ ",
            _ => "",
        })
        .collect();
    // Where only a bound is known, none is shown to be the best.
    let known = if marks.iter().all(|mark| mark.is_empty()) {
        BestValue::High
    } else {
        BestValue::None
    };
    let scores = machines.scores.iter().copied().map(Some);
    let mut columns = vec![
        Column::new(score, criterion.decimals().min(3), side, scores),
        count_column(machines, "Nodes", |m| m.comparison.topology.nodes),
        count_column(machines, "Places", |m| m.comparison.topology.places),
        figure_column(machines, "Fill (%)", 0, BestValue::None, |m| {
            Some(100.0 * m.comparison.topology.fill())
        }),
        count_column(machines, "Routers", |m| m.comparison.topology.routers),
        count_column(machines, "Cables", |m| m.comparison.topology.cables),
        count_column(machines, "Node links", |m| m.comparison.topology.node_links),
        count_column(machines, "Ports", |m| m.comparison.topology.ports),
        count_column(machines, "Idle ports", |m| m.comparison.topology.idle_ports),
        figure_column(
            machines,
            "Over\u{ad}subscription",
            2,
            BestValue::None,
            |m| m.comparison.topology.oversubscription,
        ),
        figure_column(machines, "Diameter (hops)", 0, BestValue::Low, |m| {
            Some(m.comparison.topology.diameter.into())
        }),
        figure_column(machines, "Mean distance (hops)", 3, BestValue::Low, |m| {
            Some(m.comparison.topology.mean_distance)
        }),
        figure_column(
            machines,
            "Bisection a node (links)",
            3,
            known,
            MachineFigures::bisection_per_node,
        )
        .prefix_marks(marks),
    ];
    if contenders.iter().any(|c| c.machine.bill.cost.is_some()) {
        columns.push(figure_column(machines, "Cost", 0, BestValue::None, |m| {
            m.bill.cost
        }));
        columns.push(figure_column(
            machines,
            "Cost a node",
            2,
            BestValue::Low,
            MachineFigures::cost_per_node,
        ));
        columns.push(figure_column(
            machines,
            "Cost a place",
            2,
            BestValue::Low,
            MachineFigures::cost_per_place,
        ));
    }
    let all_compared = machines.compared == contenders.len();
    if !all_compared {
        columns.push(figure_column(
            machines,
            "Windows left out (%)",
            1,
            BestValue::None,
            |m| Some(100.0 * m.windows_left_out()),
        ));
    }
    let first = if criterion.higher_is_better() {
        "Highest"
    } else {
        "Lowest"
    };
    let jobs = match machines.jobs {
        0 => String::new(),
        n => format!(
            " over the {} jobs that ran on all of them",
            format_thousands(n as u64)
        ),
    };
    let last = if all_compared {
        ""
    } else {
        ", last the machines that are not compared"
    };
    let bold = if machines.is_even() {
        " Best values are bold."
    } else {
        ""
    };
    let about = format!("{first} {}{jobs} first{last}.{bold}", criterion.name());
    let table = machine_table(machines, "Machines, ranked", &contenders, columns);
    Section::new("machines", "The machines", about, table)
}

/// Makes a column of counts of all machines.
fn count_column(machines: &Machines, title: &str, count: fn(&MachineFigures) -> u64) -> Column {
    let counts = machines.contenders.iter().map(|c| count(&c.machine));
    Column::counts(title, counts)
}

/// Makes a column of a figure of all machines.
fn figure_column(
    machines: &Machines,
    title: &str,
    decimals: usize,
    best: BestValue,
    value: fn(&MachineFigures) -> Option<f64>,
) -> Column {
    let values = machines.contenders.iter().map(|c| value(&c.machine));
    Column::new(title, decimals, best, values)
}

/// Makes a table of columns of the data, one to a row, under their names in words. `None` if no machine has a value;
/// rows without any are left out.
fn transposed_table<'m>(
    machines: &'m Machines,
    label: &'static str,
    figures: &[columns::Column<RankedMachine<'m>>],
) -> Option<Table> {
    let machines: Vec<RankedMachine<'m>> = machine_rows(machines).collect();
    let figures = show_figures(figures, &machines);
    let mut names = Vec::new();
    for (figure, _) in &figures {
        let unit = match figure.unit {
            "" => String::new(),
            unit => format!(" ({unit})"),
        };
        let title = figure.name.replace('_', " ") + &unit;
        // Names of columns are ASCII, so the first byte is the first letter.
        names.push(title[..1].to_uppercase() + &title[1..]);
    }
    let columns = machines.iter().enumerate().map(|(i, machine)| {
        let cells = figures.iter().map(|(_, texts)| texts[i].clone());
        Column::unordered_figures(machine.contender.machine.name(), cells)
    });
    let columns = columns.collect();
    (!names.is_empty()).then(|| Table::new(label, "Figure", names, columns))
}

/// Makes the section of the throughput of the machines. `None` unless it was searched.
fn throughput_section(machines: &Machines) -> Result<Option<Section>> {
    let mut rows: Vec<BarRow<'_>> = Vec::new();
    for (slot, contender) in machines.contenders.iter().enumerate() {
        let Some(carried) = &contender.carried else {
            // All machines are searched, or none.
            return Ok(None);
        };
        let values =
            [&carried.all_to_all, &carried.matching].map(|found| Some(found.carried_multiple()));
        rows.push((contender.machine.name(), slot, values.into()));
    }
    let Some(table) = transposed_table(machines, "Throughput", RankedMachine::CARRIED) else {
        return Ok(None);
    };
    let about = "What each node can send, in capacities of a link, when traffic is routed in the \
         shares that load the links least: to all others at once, or to one of those farthest \
         away (a longest matching). A routing was found for each figure, and “at most” is proved \
         for all routings: a machine is surely better only where its figure is above the other’s \
         “at most”. For the worst traffic only bounds are known. The hop bound follows from the \
         mean distance alone.";
    let mut section = Section::new("carried", "What they carry", about, table);
    let panels = ["all-to-all", "longest matching"].map(|name| BarPanel {
        name,
        axis: "throughput of a node (link capacities)",
        decimals: 3,
    });
    section.figures.extend(draw_bars(
        "machine-throughput.svg",
        "The throughput found, one bar per machine.",
        ("What the machines carry", "found; higher is better"),
        &panels,
        &rows,
    )?);
    Ok(Some(section))
}

/// Makes the section of slowdowns. `None` unless they were measured.
fn slowdown_section(machines: &Machines) -> Option<Section> {
    let table = transposed_table(machines, "Slowdown", RankedMachine::SLOWDOWN)?;
    let about = "How many times as long communication takes as on a network \
         that never blocks, on average over job sizes, while the other \
         jobs send a fifth of the time: with the best ordering and \
         with random order. Lower is better.";
    Some(Section::new(
        "slowdown",
        "Slowdown of communication",
        about,
        table,
    ))
}

/// Makes the section of cost and watts of the machines by class of cable. `None` unless prices or watts were given.
fn cost_section(machines: &Machines) -> Option<Section> {
    let table = transposed_table(machines, "Cost and watts", RankedMachine::BOUGHT)?;
    let about = "Pieces by the prices and watts given. A unit of throughput is a link’s capacity \
         that a node can send to all others at once: it takes at most the first figure, and \
         under no routing less than “at least”.";
    Some(Section::new(
        "bought",
        "What they cost and draw",
        about,
        table,
    ))
}

/// Makes the section of the best ordering of each machine, with its curve.
fn orderings_section(machines: &Machines) -> Result<Section> {
    let contenders: Vec<&Contender> = machines.contenders.iter().collect();
    let names = contenders
        .iter()
        .map(|contender| contender.machine.best.label().to_string());
    let columns = vec![
        Column::names("Best ordering", names),
        count_column(machines, "Orderings tried", |m| {
            m.comparison.entries.len() as u64
        }),
        figure_column(
            machines,
            "Log-uniform mean of MPC (hops)",
            3,
            BestValue::Low,
            |m| Some(m.mean_log()),
        ),
        figure_column(
            machines,
            "Of random placement (%)",
            1,
            BestValue::Low,
            |m| {
                let random = m.comparison.topology.mean_distance;
                // All nodes on one router: every ordering is like a random one.
                (random > 0.0).then(|| 100.0 * m.mean_log() / random)
            },
        ),
        figure_column(
            machines,
            "Above the proved floor, at most (%)",
            1,
            BestValue::None,
            |m| Some(per_cent_above(m.mean_log(), m.comparison.floor_mean_log?)),
        ),
    ];
    let sizes = machines.node_counts().map_or(String::new(), |(least, _)| {
        format!(
            " Means are over job sizes from 2 to {} nodes.",
            format_thousands(least as u64)
        )
    });
    let about = format!(
        "The ordering of each machine with the lowest log-uniform mean of MPC.{sizes} Distances \
         of jobs of the same size can be compared between machines; shares of random \
         placement say how much an ordering matters on a \
         machine."
    );
    let table = machine_table(
        machines,
        "The best ordering of each machine",
        &contenders,
        columns,
    );
    let mut section = Section::new("orderings", "Their best orderings", about, table);
    let labels: Vec<String> = contenders
        .iter()
        .map(|contender| {
            let machine = &contender.machine;
            format!("{}, {}", machine.name(), machine.best.label())
        })
        .collect();
    let mut series = Vec::new();
    for (slot, (contender, label)) in contenders.iter().zip(&labels).enumerate() {
        let machine = &contender.machine;
        series.push(Series {
            label,
            // Entries are ranked: the first one is the best.
            values: &machine.comparison.entries[0].values,
            nodes: machine.best.len(),
            slot,
        });
    }
    let drawn = plot::curves(
        "The best ordering of each machine by job size, and by share of the machine",
        &series,
        &[View::SIZES, View::SHARES],
        Limits::default(),
    )?;
    let caption = "Lower is better: the nodes of a job are closer together. Above, machines at \
                   the same job size; below, at the same share of each machine.";
    section
        .figures
        .push(Figure::from_drawing("machine-curves.svg", caption, drawn)?);
    Ok(section)
}
