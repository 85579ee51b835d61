//! Machines side by side as one page: which serves the jobs best, and the figures behind
//! that.

use super::machine_jobs::{Served, queue, replayed};
use super::machine_table::table;
use super::rows::{Jobs, ranked};
use crate::columns::{self, Value, machines::RankedMachine};
use crate::machines::{Contender, Criterion, Machines, outcome};
use crate::plot::replay::{BarPanel, Figure as Drawn, Labelled};
use crate::plot::{self, Limits, Series, View};
use crate::report::document::Document;
use crate::report::file::File;
use crate::report::html::{Best, Column, Fact, Figure, Part, Section, Table, Words, bold, words};
use crate::report::terms;
use crate::report::words::{file_name, per_cent_above};
use nodeorder_base::error::Result;
use nodeorder_order::metric::machine_figures::Machine;

/// The page as HTML text, and its figures. `files` stand beside it. Errors: a figure that cannot be drawn.
pub(super) fn html(
    machines: &Machines,
    jobs: Option<Jobs<'_>>,
    files: &[File<'_>],
    command: &str,
) -> Result<(String, Vec<Figure>)> {
    let workload = jobs.map(|jobs| file_name(jobs.name));
    let (verdict, details) = outcome(machines, workload);
    let served: Vec<Served<'_>> = (machines.contenders.iter().enumerate())
        .filter_map(|(slot, c)| Some((slot, c, c.service.as_ref()?)))
        .collect();
    let mut sections = vec![figures(machines)];
    sections.extend(carried(machines)?);
    sections.extend(bought(machines));
    sections.push(orderings(machines)?);
    let mut terms = [&terms::NETWORK[..], &terms::CABLES, &terms::DISTANCES].concat();
    terms.extend([terms::LOG_UNIFORM, terms::RANDOM, terms::FLOOR]);
    terms.extend(
        machines
            .contenders
            .iter()
            .any(|c| c.carried.is_some())
            .then_some(terms::THROUGHPUT),
    );
    terms.extend(bought(machines).map(|_| terms::BOUGHT));
    if let (Some(name), false) = (workload, served.is_empty()) {
        sections.push(replayed(machines, name, &served)?);
        terms.extend([terms::ALLOCATOR, terms::MIND]);
        if let Some(queue) = queue(machines, name, &served)? {
            sections.push(queue);
            terms.extend(terms::QUEUE.into_iter().chain(terms::RUNTIMES));
        }
    }
    if machines.differences.iter().any(|d| d.low.is_some()) {
        terms.push(terms::INTERVAL);
    }
    let pieces = machines.compared < machines.contenders.len();
    if pieces {
        terms.push(terms::SPANNING);
    }
    let title = match workload {
        Some(name) => format!("Machines side by side for {name}"),
        None => "Machines side by side".into(),
    };
    let built = |c: &Contender| {
        Fact::wide(
            c.machine.name(),
            Part::Code(c.machine.comparison.topology.spec.clone()),
        )
    };
    let assumed = |text: String| Fact::wide("Capacities", text);
    let hint = jobs.and_then(|jobs| jobs.processors);
    let processors = hint.map(|hint| Fact::wide("Processors of the trace", hint));
    let page = Document {
        title,
        verdict: named(machines, &verdict),
        details: match details.join(" ") {
            none if none.is_empty() => Words::default(),
            details => words![bold("How sure is this?"), " ", details],
        },
        about: ("built", "How they are built"),
        facts: (machines.contenders.iter().map(built))
            .chain(
                machines
                    .contenders
                    .iter()
                    .filter_map(|c| c.machine.assumed.clone())
                    .map(assumed),
            )
            .chain(processors)
            .collect(),
        exact: match (pieces, machines.node_counts()) {
            (true, _) => "MPC counts all windows that span no pieces; nothing is sampled.",
            (false, Some(_)) => "MPC counts all windows of a size; nothing is sampled.",
            _ => "MPC is computed exactly, over all windows of all sizes; nothing is sampled.",
        },
        terms,
        sections,
        ..Document::new(files, command)
    };
    Ok(page.html())
}

/// The outcome with the first machine standing out.
fn named(machines: &Machines, verdict: &str) -> Words {
    let first = machines.contenders.first();
    let called = first
        .map(|c| c.called(machines.criterion))
        .unwrap_or_default();
    match verdict.split_once(&called) {
        Some((before, after)) if machines.is_told() == Some(true) => {
            words![before, Part::Strong(called), after]
        }
        _ => words![verdict],
    }
}

/// The machines in figures.
fn figures(machines: &Machines) -> Section {
    let contenders: Vec<&Contender> = machines.contenders.iter().collect();
    let all = || contenders.iter().map(|c| &c.machine);
    let counts = |title: &str, of: &dyn Fn(&nodeorder_network::topology::Statistics) -> u64| {
        Column::counts(title, all().map(|m| of(&m.comparison.topology)))
    };
    let of = |title: &str, decimals, best, of: &dyn Fn(&Machine) -> Option<f64>| {
        Column::new(title, decimals, best, all().map(of))
    };
    let (criterion, scores) = (
        machines.criterion,
        machines.scores.iter().copied().map(Some),
    );
    let what = match criterion {
        Criterion::Response => "Mean response time of the jobs (s)",
        Criterion::Hops => "Mean distance within the jobs (hops)",
        Criterion::MeanLog => "Log-uniform mean of MPC (hops)",
        Criterion::Throughput => "All-to-all throughput found",
        Criterion::Cost => "Cost of a unit of all-to-all throughput, at most",
    };
    let side = if criterion.rises() {
        Best::High
    } else {
        Best::Low
    };
    let open =
        |cut: &nodeorder_order::metric::bisection::Bisection| if cut.exact { "" } else { "≤ " };
    let marks = || all().map(|m| m.bisection.as_ref().map_or("", open));
    // Where only a bound is known, none is shown to be the best.
    let known = if marks().all(str::is_empty) {
        Best::High
    } else {
        Best::None
    };
    let mut columns = vec![
        Column::new(what, criterion.decimals().min(3), side, scores),
        counts("Nodes", &|s| s.nodes),
        counts("Routers", &|s| s.routers),
        counts("Cables", &|s| s.cables),
        counts("Node links", &|s| s.node_links),
        counts("Ports", &|s| s.ports),
        of("Over\u{ad}subscription", 2, Best::None, &|m| {
            m.comparison.topology.oversubscription
        }),
        of("Diameter (hops)", 0, Best::Low, &|m| {
            Some(m.comparison.topology.diameter.into())
        }),
        of("Mean distance (hops)", 3, Best::Low, &|m| {
            Some(m.comparison.topology.mean_distance)
        }),
        of("Bisection a node (links)", 3, known, &|m| {
            m.bisection_per_node()
        })
        .marked(marks()),
    ];
    if all().any(|m| m.bill.cost.is_some()) {
        columns.push(of("Cost", 0, Best::None, &|m| m.bill.cost));
        columns.push(of("Cost a node", 2, Best::Low, &|m| m.cost_per_node()));
    }
    if machines.compared < contenders.len() {
        let shares = all().map(|m| Some(100.0 * m.windows_left_out()));
        columns.push(Column::new("Windows left out (%)", 1, Best::None, shares));
    }
    let bold = match machines.is_even() {
        true => " The best value of a column is bold where it has a better side.",
        false => "",
    };
    let about = words![format!(
        "{} {}{} first{}.{bold}",
        if criterion.rises() {
            "Highest"
        } else {
            "Lowest"
        },
        criterion.name(),
        match machines.jobs {
            0 => String::new(),
            n => format!(
                " over the {} jobs that ran on all of them",
                plot::thousands(n as u64)
            ),
        },
        match machines.compared < contenders.len() {
            true => ", last the machines that are not compared",
            false => "",
        }
    )];
    let table = table(machines, "Machines, ranked", &contenders, columns);
    Section::new("machines", "The machines", about, table)
}

/// A table of columns that are defined elsewhere, one to a row, under their names in words; those without any value are
/// left out.
fn listed<'m>(
    machines: &'m Machines,
    label: &'static str,
    figures: &[columns::Column<RankedMachine<'m>>],
) -> Option<Table> {
    let machines: Vec<RankedMachine<'m>> = ranked(machines).collect();
    let known = |figure: &&columns::Column<RankedMachine<'m>>| {
        machines
            .iter()
            .any(|machine| (figure.value)(machine) != Value::Empty)
    };
    let figures: Vec<_> = figures.iter().filter(known).collect();
    let title = |figure: &&columns::Column<RankedMachine<'m>>| {
        let unit = if figure.unit.is_empty() {
            "".into()
        } else {
            format!(" ({})", figure.unit)
        };
        let title = figure.name.replace('_', " ") + &unit;
        title[..1].to_uppercase() + &title[1..]
    };
    let column = |machine: &RankedMachine<'m>| {
        let cells = figures.iter().map(|figure| (figure.value)(machine).shown());
        Column::readings(machine.contender.machine.name(), cells)
    };
    let columns = machines.iter().map(column).collect();
    let names = figures.iter().map(title).collect::<Vec<_>>();
    (!names.is_empty()).then(|| Table::new(label, "Figure", names, columns))
}

/// Throughput of the machines, where that was asked.
fn carried(machines: &Machines) -> Result<Option<Section>> {
    let carried = |c: &Contender| {
        let carried = c.carried.as_ref()?;
        Some(vec![
            Some(carried.all_to_all.found()),
            Some(carried.matching.found()),
        ])
    };
    let data: Option<Vec<_>> = machines.contenders.iter().map(carried).collect();
    let table = listed(machines, "Throughput", RankedMachine::CARRIED);
    let (Some(data), Some(table)) = (data, table) else {
        return Ok(None);
    };
    let about = words![
        "What each node can send, in capacities of a link, when traffic is routed in the shares that load the links least: \
         to all others at once, or to one of those farthest away (a longest matching). Each figure was found, and stands \
         beside what no routing exceeds, “at most”: two machines are told apart only where one’s figure is above the other’s \
         “at most”. Of the worst traffic only bounds are known. The hop bound follows from the mean distance alone."
    ];
    let mut section = Section::new("carried", "What they carry", about, table);
    let panels = ["all-to-all", "longest matching"].map(|name| BarPanel {
        name,
        axis: "throughput of a node (link capacities)",
        decimals: 3,
    });
    let rows: Vec<Labelled<'_, &[Option<f64>]>> =
        (machines.contenders.iter().zip(&data).enumerate())
            .map(|(slot, (c, data))| Labelled {
                label: c.machine.name(),
                slot,
                data: &data[..],
            })
            .collect();
    let drawn = Drawn::bars(
        "What the machines carry",
        "found; higher is better",
        &panels,
        &rows,
    )?;
    let caption = "The throughput found, a bar a machine.";
    section
        .figures
        .push(Figure::of("machine-throughput.svg", caption, drawn)?);
    Ok(Some(section))
}

/// Cost and watts of the machines by class of cable, where that was asked.
fn bought(machines: &Machines) -> Option<Section> {
    let table = listed(machines, "Cost and watts", RankedMachine::BOUGHT)?;
    let about = words![
        "Pieces by the prices and watts given. A unit of throughput is a link’s capacity that a node can send to all others at \
         once: it takes at most the first figure, and under no routing less than “at least”."
    ];
    Some(Section::new(
        "bought",
        "What they cost and draw",
        about,
        table,
    ))
}

/// The best ordering of each, and its curve.
fn orderings(machines: &Machines) -> Result<Section> {
    let contenders: Vec<&Contender> = machines.contenders.iter().collect();
    let all = || contenders.iter().map(|c| &c.machine);
    let share = |m: &Machine| {
        let random = m.comparison.topology.mean_distance;
        (random > 0.0).then(|| 100.0 * m.mean_log() / random)
    };
    let above = |m: &Machine| Some(per_cent_above(m.mean_log(), m.comparison.floor_mean_log?));
    let means = all().map(|m| Some(m.mean_log()));
    let columns = vec![
        Column::names("Best ordering", all().map(|m| m.best.label().to_string())),
        Column::counts(
            "Orderings tried",
            all().map(|m| m.comparison.entries.len() as u64),
        ),
        Column::new("Log-uniform mean of MPC (hops)", 3, Best::Low, means),
        Column::new("Of random placement (%)", 1, Best::Low, all().map(share)),
        Column::new(
            "Above the proved floor, at most (%)",
            1,
            Best::None,
            all().map(above),
        ),
    ];
    let sizes = machines.node_counts().map_or(String::new(), |(least, _)| {
        format!(
            " Means are over job sizes from 2 to {} nodes.",
            plot::thousands(least as u64)
        )
    });
    let about = words![format!(
        "The ordering of each machine with the lowest log-uniform mean of MPC.{sizes} Distances of jobs of the same \
         size can be compared between machines; shares of random placement say how much an ordering matters on a \
         machine."
    )];
    let table = table(
        machines,
        "The best ordering of each machine",
        &contenders,
        columns,
    );
    let mut section = Section::new("orderings", "Their best orderings", about, table);
    let labels: Vec<String> = all()
        .map(|m| format!("{}, {}", m.name(), m.best.label()))
        .collect();
    let series: Vec<Series<'_>> = (all().zip(&labels).enumerate())
        .map(|(slot, (m, label))| Series {
            label,
            values: &m.comparison.entries[0].values,
            nodes: m.best.len(),
            slot,
        })
        .collect();
    let title = "The best ordering of each machine by job size, and by share of the machine";
    let drawn = plot::curves(
        title,
        &series,
        &[View::Sizes, View::Shares],
        Limits::default(),
    )?;
    let caption = "Lower is better: the nodes of a job are closer together. Above, machines at the same job size; \
                   below, at the same share of each machine.";
    section
        .figures
        .push(Figure::of("machine-curves.svg", caption, drawn)?);
    Ok(section)
}
