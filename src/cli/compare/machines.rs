//! `nodeorder compare` with several machines: which of them, with which ordering, serves the jobs best.

use comfy_table::CellAlignment;

use crate::shared::kit::*;
use crate::shared::tables::{SCHEDULED, number, scheduled, table};
use crate::shared::workload::WorkloadArgs;
use nodeorder_jobs::schedule::model;
use nodeorder_order::metric::cost::{Buying, Cables, Prices};
use nodeorder_order::metric::machine_figures::Machine;
use nodeorder_order::ordering::ORDERINGS;
use nodeorder_present::columns::machines::RankedMachine;
use nodeorder_present::columns::{Column, Value};
use nodeorder_present::machines::{
    self, ComparedJobs, Contender, Criterion, Machines, Queue, Request, headline,
};
use nodeorder_present::report;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Log, Trace, convert};
use nodeorder_traffic::mapping::routing::BestShares;

/// Options of `compare` with several machines.
pub struct MachinesRequest<'a> {
    /// The machines.
    pub specs: &'a [String],
    /// Orderings; the defaults of each machine where there are none.
    pub orders: &'a [String],
    /// The jobs they are compared on.
    pub workload: &'a WorkloadArgs,
    /// Prices, watts, cables and rank.
    pub buying: &'a BuyingArgs,
    /// The routing under which it is searched what machines carry, where that is asked.
    pub routing: Option<&'a str>,
    /// Where the page, figures and tables are written.
    pub out: Option<&'a Path>,
    /// Whether one JSON document is printed.
    pub json: bool,
    /// The command line that makes this comparison again.
    pub command: String,
}

/// Options for the rank of several machines, and for what their pieces cost.
#[derive(Debug, Args)]
pub struct BuyingArgs {
    /// Prices of pieces, where several machines are compared: links=X (a cable between routers), or by class copper=X,optic=X;
    /// node_links=X, routers=X, nodes=X, and watt=X, the price of a watt (see --watts)
    #[arg(long, value_name = "PRICES")]
    prices: Option<String>,
    /// Watts of pieces: links=, copper=, optic=, node_links=, routers=, nodes=
    #[arg(long, value_name = "WATTS")]
    watts: Option<String>,
    /// Classes of cables, and ports of a switch: optic=LEVEL (cables between its units; a/b/64 for the
    /// first level that a machine has, or 64 consecutive nodes; the outermost level unless given) or file=FILE (CSV
    /// machine,u,v), and radix=PORTS
    #[arg(long, value_name = "CABLES")]
    cables: Option<String>,
    /// Rank several machines by: distance (or what their jobs get), throughput (all-to-all), or cost (of a unit of it);
    /// where proved bounds overlap, machines are not told apart
    #[arg(long, value_name = "BY", value_parser = ["distance", "throughput", "cost"])]
    rank: Option<String>,
}

impl BuyingArgs {
    /// The first option that is given.
    pub fn first(&self) -> Option<String> {
        let all = [
            ("--prices", &self.prices),
            ("--watts", &self.watts),
            ("--cables", &self.cables),
        ];
        let mut all = all.into_iter().chain([("--rank", &self.rank)]);
        all.find_map(|(option, given)| Some(format!("{option} {}", given.as_ref()?)))
    }

    /// Whether machines' throughput is searched: it is `asked`, or ranks them.
    pub fn searches(&self, asked: bool) -> bool {
        asked || self.criterion().is_some()
    }

    fn criterion(&self) -> Option<Criterion> {
        match self.rank.as_deref() {
            Some("throughput") => Some(Criterion::Throughput),
            Some("cost") => Some(Criterion::Cost),
            _ => None,
        }
    }

    /// Adds the options to a command line.
    pub fn add_to(&self, line: CommandLine) -> CommandLine {
        line.option("--prices", &self.prices)
            .option("--watts", &self.watts)
            .option("--cables", &self.cables)
            .option("--rank", &self.rank)
    }

    fn read(&self, context: &Context) -> nodeorder_base::error::Result<Buying> {
        let cables = self
            .cables
            .as_ref()
            .map(|text| Cables::parse(text, context.memory));
        Ok(Buying {
            prices: self
                .prices
                .as_deref()
                .map(Prices::parse)
                .transpose()?
                .unwrap_or_default(),
            watts: self
                .watts
                .as_deref()
                .map(Prices::parse_watts)
                .transpose()?
                .unwrap_or_default(),
            cables: cables.transpose()?.unwrap_or_default(),
        })
    }
}

/// The routing of `--routing`, whose shares are searched for.
fn searched_routing(text: &str) -> anyhow::Result<BestShares> {
    let found = BestShares::read(text)?;
    let expected = "one whose shares are searched for: ideal, adaptive or minimal-adaptive";
    Ok(found.ok_or_else(|| Error::option("--routing", format!("`{text}`"), expected))?)
}

/// Which of the default allocators ranks machines and places the jobs of schedules.
const LEADING: usize = 2;

pub fn run(request: &MachinesRequest<'_>, context: &Context) -> anyhow::Result<()> {
    let asked = Request {
        orders: request.orders,
        buying: request.buying.read(context)?,
        routing: request.routing.map(searched_routing).transpose()?,
        rank: request.buying.criterion(),
    };
    inputs::check_distinct("", "machine", request.specs)?;
    let load = |spec: &String| inputs::topology(spec, context);
    let topologies: Vec<Topology> = request.specs.iter().map(load).collect::<Result<_, _>>()?;
    // Unless given, orderings are made for each.
    let made = if request.orders.is_empty() {
        &["row-major".to_string()]
    } else {
        request.orders
    };
    topologies
        .iter()
        .try_for_each(|topology| inputs::check_curves(topology, made))?;
    let files = request
        .orders
        .iter()
        .filter(|text| Path::new(text).is_file());
    for file in files.filter(|text| ORDERINGS.get(text).is_none()) {
        for topology in &topologies {
            inputs::report_machine(topology, &NodeOrder::make(topology, file)?);
        }
    }
    let bar = progress::bar(topologies.len() as u64, "machines");
    let mut begun = false;
    let step = std::cell::RefCell::new(|name: &str| {
        bar.inc(u64::from(std::mem::replace(&mut begun, true)));
        bar.set_message(name.to_string());
    });
    let compare = |workload: Option<&ComparedJobs<'_>>| {
        let clock = Clock::start(false, &bar);
        machines::compare(&topologies, &asked, workload, &clock, &|name| {
            (step.borrow_mut())(name)
        })
    };
    let (found, name, processors) = match &request.workload.trace {
        None => (compare(None)?, None, None),
        Some(path) => {
            let (found, name, processors) = on_jobs(request, path, &topologies, &compare)?;
            (found, Some(name), processors)
        }
    };
    bar.finish_and_clear();
    say_stopped(&found);
    if let Some(folder) = request.out {
        let processors = processors.as_deref();
        let jobs = name
            .as_deref()
            .map(|name| report::machines::Jobs { name, processors });
        let files = report::machines::files(&found, jobs, &request.command)?;
        own_files::write_report(folder, "compare", files)?;
    }
    if request.json {
        let text = report::machines::document(&found, name.as_deref(), &request.command);
        return output::write(None, text);
    }
    let mut out = Output::open(None)?;
    layout::sentence(&mut out, &headline(&found, name.as_deref()))?;
    writeln!(out)?;
    write_tables(
        &mut out,
        &found,
        asked.routing.is_some(),
        request.workload.trace.is_some(),
    )?;
    output::say_page(&mut out, request.out)?;
    out.finish()
}

/// The table of machines, then what they carry, what they cost, and what their jobs get, as far as that is known.
fn write_tables(
    out: &mut Output,
    found: &Machines,
    carried: bool,
    served: bool,
) -> anyhow::Result<()> {
    write_table(out, found)?;
    if carried {
        let about = "Link capacities that each node can send when traffic is routed well: found, and proved that no \
                     routing carries more.";
        write_more(out, found, RankedMachine::CARRIED, about)?;
    }
    let about = "Cables, watts, and what a unit of throughput takes.";
    write_more(out, found, RankedMachine::BOUGHT, about)?;
    if served {
        write_service(out, found)
    } else {
        Ok(())
    }
}

/// Opens the workload and compares on it; its name comes back, too, and what tells that its processors are no nodes.
fn on_jobs(
    request: &MachinesRequest<'_>,
    path: &Path,
    topologies: &[Topology],
    compare: &dyn Fn(Option<&ComparedJobs<'_>>) -> nodeorder_base::error::Result<Machines>,
) -> anyhow::Result<(Machines, String, Option<String>)> {
    let jobs = request.workload;
    let asked = jobs.asked();
    asked.check()?;
    let leading = if jobs.allocators.is_empty() {
        LEADING
    } else {
        0
    };
    let allocators = asked.allocators();
    let nodes = topologies
        .iter()
        .map(Topology::node_count)
        .max()
        .unwrap_or(0) as u32;
    let context = topologies
        .first()
        .map_or_else(Context::default, |one| *one.context());
    let OpenedLog { log, trace, .. } = inputs::log(path, jobs.procs_per_node, nodes, &context)?;
    let name = log.name().to_string();
    drop(log);
    if trace.is_none() && path == Path::new("-") {
        let expected = "a file, which is read once for each machine";
        let found = "a placement log on standard input";
        return Err(Error::option("--trace -", found, expected).into());
    }
    if trace.is_none() {
        jobs.sizes_of_log(path, context.memory)?;
    }
    let text = trace.as_ref().map(|trace| convert::to_log(trace, false));
    let open = || match &text {
        Some(text) => Ok(Log::new(&name, text.clone())),
        None => Log::open(path, context.memory),
    };
    let queued = trace.as_ref().and_then(|trace| asked.queue(trace));
    if queued
        .as_ref()
        .is_some_and(|(_, settings)| model::uses_links(&settings.model))
    {
        topologies.iter().for_each(inputs::say_assumed);
    }
    let queue = queued
        .as_ref()
        .map(|(tasks, settings)| Queue { tasks, settings });
    let workload = ComparedJobs {
        name: &name,
        open: &open,
        allocators: &allocators,
        leading,
        queue,
    };
    let hint = trace.as_ref().and_then(Trace::processors_hint);
    Ok((
        compare(Some(&workload))?,
        name.clone(),
        hint.map(|hint| hint.to_string()),
    ))
}

/// Says of which machines time ended a search.
fn say_stopped(found: &Machines) {
    for contender in &found.contenders {
        let carried = contender
            .carried
            .iter()
            .flat_map(|c| [("all-to-all", &c.all_to_all), ("matching", &c.matching)]);
        for (traffic, one) in carried.filter(|(_, one)| one.stopped) {
            let (name, gap) = (contender.machine.name(), 100.0 * one.gap());
            note!(
                "{name}: {traffic} stopped with a proved gap of {gap:.2} %, more than gap= asks (time= gives it longer)"
            );
        }
    }
}

/// Some columns of the machines as lines, a column a machine, where any has a value.
fn write_more<'m>(
    out: &mut impl Write,
    found: &'m Machines,
    columns: &[Column<RankedMachine<'m>>],
    about: &str,
) -> anyhow::Result<()> {
    let machines: Vec<RankedMachine<'m>> = report::machines::ranked(found).collect();
    let line = |column: &Column<RankedMachine<'m>>| {
        let values: Vec<Value<'_>> = machines.iter().map(|m| (column.value)(m)).collect();
        let any = values.iter().any(|value| *value != Value::Empty);
        let cells = values.iter().map(Value::shown);
        any.then(|| {
            std::iter::once(column.name.to_string())
                .chain(cells)
                .collect::<Vec<_>>()
        })
    };
    let lines: Vec<Vec<String>> = columns.iter().filter_map(line).collect();
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    layout::sentence(out, about)?;
    let names = found.contenders.iter().map(|c| c.machine.name());
    write_columns(out, std::iter::once("").chain(names).collect(), lines, 1)
}

/// The machines, ranked.
fn write_table(out: &mut impl Write, found: &Machines) -> anyhow::Result<()> {
    let priced = found
        .contenders
        .iter()
        .any(|c| c.machine.bill.cost.is_some());
    let mut header = vec![
        "#", "machine", "nodes", "routers", "links", "a node", "diameter", "mean",
    ];
    header.splice(5..5, ["cables", "node links", "ports", "oversubscribed"]);
    header.extend(["bisection", "a node"]);
    header.extend(if priced { &["cost", "a node"][..] } else { &[] });
    header.extend(["ordering", "mean(log)"]);
    let pieces = found.compared < found.contenders.len();
    header.extend(pieces.then_some("left out"));
    let row = |(i, contender): (usize, &Contender)| {
        let (m, s) = (&contender.machine, &contender.machine.comparison.topology);
        let mut row = vec![
            found
                .rank(i)
                .map_or_else(|| "-".into(), |rank| rank.to_string()),
            m.name().to_string(),
            s.nodes.to_string(),
            s.routers.to_string(),
            s.links.to_string(),
            s.cables.to_string(),
            s.node_links.to_string(),
            s.ports.to_string(),
            number(s.oversubscription, 2),
            format!("{:.3}", m.links_per_node()),
            s.diameter.to_string(),
            format!("{:.3}", s.mean_distance),
            bisection(m),
            number(m.bisection_per_node(), 3),
        ];
        if priced {
            row.extend([number(m.bill.cost, 0), number(m.cost_per_node(), 2)]);
        }
        row.extend([m.best.label().to_string(), format!("{:.4}", m.mean_log())]);
        row.extend(pieces.then(|| format!("{:.1}%", 100.0 * m.windows_left_out())));
        row
    };
    let rows = found.contenders.iter().enumerate().map(row).collect();
    write_columns(out, header, rows, 2)?;
    let open = |c: &Contender| c.machine.bisection.as_ref().is_some_and(|b| !b.exact);
    if found.contenders.iter().any(open) {
        layout::sentence(
            out,
            "<= marks the best cut found: the bisection has no more links than that.",
        )?;
    }
    Ok(())
}

/// `64`, or `<=64` where a cut with fewer links is not ruled out.
fn bisection(machine: &Machine) -> String {
    match &machine.bisection {
        None => "-".into(),
        Some(cut) => format!("{}{}", if cut.exact { "" } else { "<=" }, cut.links()),
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
    layout::sentence(
        out,
        "Mean hops between a job's nodes under load, by allocator.",
    )?;
    let mut header = vec!["machine", "placed", "skipped", "too large"];
    header.extend(first.allocators.iter().map(|a| a.allocator.as_str()));
    let row = |(contender, service): &(&Contender, &machines::Service)| {
        let counts = [service.placed, service.skipped, service.too_large];
        let name = contender.machine.name().to_string();
        let hops = service.allocators.iter().map(|a| number(a.mean_mind, 4));
        std::iter::once(name)
            .chain(counts.map(|n| n.to_string()))
            .chain(hops)
            .collect()
    };
    write_columns(out, header, served.iter().map(row).collect(), 1)?;
    let queue = |(contender, service): &(&Contender, &machines::Service)| {
        let row = service.schedule.as_ref()?;
        Some(scheduled(contender.machine.name(), &row.summary))
    };
    let rows: Vec<Vec<String>> = served.iter().filter_map(queue).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    layout::sentence(out, "The schedule, times in seconds.")?;
    let header = ["machine"].into_iter().chain(SCHEDULED).collect();
    write_columns(out, header, rows, 1)
}

/// A table whose columns from the `names`-th on are numbers, an ordering's name aside.
fn write_columns(
    out: &mut impl Write,
    header: Vec<&str>,
    rows: Vec<Vec<String>>,
    names: usize,
) -> anyhow::Result<()> {
    let words = header.iter().position(|name| *name == "ordering");
    let mut table = table(header.into_iter().map(String::from).collect(), rows, names);
    if let Some(column) = words.and_then(|i| table.column_mut(i)) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    Ok(writeln!(
        out,
        "{}",
        layout::fitted(table, names, &std::io::stdout())
    )?)
}
