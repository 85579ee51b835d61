//! `nodeorder machines`: which of several machines, with which ordering, serves the jobs best.

use crate::shared::command_line::CommandLine;
use crate::shared::notes::note;
use crate::shared::output::Output;
use crate::shared::watch::Clock;
use crate::shared::{inputs, layout, output, own_files, progress};
use clap::Args;
use nodeorder_base::Error;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::shared::workload::WorkloadArgs;
use nodeorder_jobs::schedule::model;
use nodeorder_order::metric::cost::{CableRule, PriceList, Prices};
use nodeorder_order::ordering::ORDERINGS;
use nodeorder_present::machines::{
    self, BROKEN_ROUTING, ComparedJobs, Criterion, MachineOptions, Machines, SLOWDOWNS_UNASKED,
    ScheduledJobs, headline, usual_slowdown_routing,
};
use nodeorder_present::report;
use nodeorder_trace::open::OpenedLog;
use nodeorder_trace::{Log, Trace, convert};
use nodeorder_traffic::mapping::FixedRouting;
use nodeorder_traffic::mapping::routing::BestShares;

mod tables;

/// The help of `--trace`.
const TRACE: &str = "A record of jobs: an SWF trace or a placement log, plain or .gz; replayed on every machine, scheduled where \
                     jobs have times, and machines are ranked by what jobs get";

/// Rank machines, each with its best ordering, by distance, by jobs, by throughput or by cost
#[derive(Debug, Args)]
#[command(
    override_usage = "nodeorder machines [OPTIONS] <SPEC> <SPEC>...",
    after_help = "Example: nodeorder machines torus:nodes=500 fat-tree:nodes=500 --prices links=100,routers=5000 --out offers",
    mut_arg("trace", |trace| trace.help(TRACE))
)]
pub struct Command {
    /// The machines: TOML files, names of shipped machines, or kind:options; NAME=SPEC calls one NAME
    #[arg(value_name = "SPEC", required = true, num_args = 1..)]
    specs: Vec<String>,
    /// An ordering: a name with options, or an ordering file; repeat for several; a machine takes those that suit it
    /// [default: those that suit each machine]
    #[arg(long = "order", value_name = "ORD")]
    orders: Vec<String>,
    /// Write into the folder DIR: a page (index.html), the plots as SVG and the data as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Prices of pieces (and currency=EUR, as they are in): links=X (a cable between routers), or by class
    /// copper=X,optic=X; node_links=X,
    /// routers=X, nodes=X, and watt=X, the price of a watt (see --watts)
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
    /// Rank by distance (or what jobs get), throughput (all-to-all), or cost (of a unit of it); where proved bounds
    /// overlap, there is no winner
    #[arg(long, value_name = "BY", value_parser = ["distance", "throughput", "cost"])]
    rank: Option<String>,
    /// Search what the links carry of all-to-all traffic and of a longest matching when it is routed well
    #[arg(long)]
    throughput: bool,
    /// Measure each machine ten times with a part broken, links:SHARE of the cables or switches:K: the all-to-all
    /// throughput of what is left, searched to a gap of 5 %, and the nodes cut off
    #[arg(long, value_name = "PARTS")]
    broken: Option<String>,
    /// Which links traffic takes (see `nodeorder list routings`): ideal, adaptive or minimal-adaptive ask for that
    /// search; any other is for the slowdowns, which are not measured beyond 8,192 nodes unless it is given [default:
    /// ideal, and ecmp-hop]
    #[arg(long, value_name = "R")]
    routing: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Which of the default allocators ranks machines and places the jobs of schedules.
// `span-best-fit` among the defaults: the help of `--policy` promises it for schedules.
const LEADING: usize = 2;

/// Machines that are ranked, with the name of the workload and the hint that its processors are no nodes, if any.
type RankedOnJobs = (Machines, Option<String>, Option<String>);

impl Command {
    pub fn run(mut self, context: &Context) -> anyhow::Result<()> {
        self.check_specs()?;
        self.workload.apply_rules()?;
        let mut request = self.parse_buying_options(context)?;
        inputs::check_distinct("", "machine", &self.specs)?;
        let topologies = self
            .specs
            .iter()
            .map(|spec| inputs::build_offer(spec, context))
            .collect::<anyhow::Result<Vec<_>>>()?;
        topologies.iter().for_each(inputs::warn_low_fill);
        self.check_orders(&topologies)?;
        request.slowdown_routing = self.choose_slowdown_routing(&topologies)?;
        let (found, name, processors) = match &self.workload.trace {
            None => (rank_machines(&topologies, &request, None)?, None, None),
            Some(path) => self.rank_on_jobs(path, &topologies, &request)?,
        };
        say_stopped(&found);
        let command = self.command_line(context).to_string();
        if let Some(folder) = &self.out {
            let jobs = name.as_deref().map(|name| report::machines::NamedWorkload {
                name,
                processors: processors.as_deref(),
            });
            let files = report::machines::files(&found, jobs, &command)?;
            own_files::write_report(folder, own_files::PAGE, files)?;
        }
        if self.json {
            let text = report::machines::document(&found, name.as_deref(), &command);
            return output::write_text(None, text);
        }
        let mut out = Output::open(None)?;
        layout::print_sentence(&mut out, &headline(&found, name.as_deref()))?;
        writeln!(out)?;
        tables::write_tables(&mut out, &found)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Checks that there are two machines or more, and that none is meant as a value of `--throughput`, which has none.
    fn check_specs(&self) -> anyhow::Result<()> {
        let sizes = self.specs.iter().find(|spec| {
            // A file may be called so.
            spec.split(',').all(|size| size.parse::<u64>().is_ok()) && !Path::new(spec).exists()
        });
        if let Some(sizes) = sizes.filter(|_| self.throughput) {
            let expected = format!(
                "it without a value; for jobs of so many nodes on one machine: nodeorder throughput SPEC --sizes {sizes}"
            );
            let found = format!("the value `{sizes}`");
            return Err(Error::option("--throughput", found, expected).into());
        }
        if self.specs.len() < 2 {
            let text = "found one machine; expected two or more: nodeorder machines SPEC SPEC";
            let kind = clap::error::ErrorKind::TooFewValues;
            return Err(clap::Error::raw(kind, format!("{text}\n")).into());
        }
        Ok(())
    }

    /// Parses prices, watts, cables, rank and routing.
    fn parse_buying_options(&self, context: &Context) -> anyhow::Result<MachineOptions<'_>> {
        let prices = self.prices.as_deref().map(Prices::parse).transpose()?;
        let watts = self.watts.as_deref().map(Prices::parse_watts).transpose()?;
        let cables = match &self.cables {
            Some(text) => CableRule::parse(text, context.memory)?,
            None => CableRule::default(),
        };
        let rank = match self.rank.as_deref() {
            Some("throughput") => Some(Criterion::Throughput),
            Some("cost") => Some(Criterion::Cost),
            _ => None,
        };
        let named = self.routing.as_deref();
        let shares = named.map(BestShares::parse_routing).transpose()?.flatten();
        // Throughput and the cost of a unit of it are what the search finds: a rank by either asks for it.
        let routing = match shares {
            None if self.throughput || rank.is_some() => BestShares::parse_routing("ideal")?,
            None if self.broken.is_some() => BestShares::parse_routing(BROKEN_ROUTING)?,
            shares => shares,
        };
        Ok(MachineOptions {
            orders: &self.orders,
            buying: PriceList {
                prices: prices.unwrap_or_default(),
                watts: watts.unwrap_or_default(),
                cables,
            },
            routing,
            slowdown_routing: None,
            broken: self.broken.as_deref(),
            rank,
        })
    }

    /// Chooses the routing of slowdowns. `None` where none is named and a machine is too large.
    fn choose_slowdown_routing(
        &self,
        topologies: &[Topology],
    ) -> anyhow::Result<Option<FixedRouting>> {
        if let Some(name) = &self.routing
            && BestShares::parse_routing(name)?.is_none()
        {
            return Ok(Some(FixedRouting::find_for_jobs(name)?));
        }
        let usual = usual_slowdown_routing(topologies)?;
        if usual.is_none() {
            note!(
                "slowdowns are not measured beyond {SLOWDOWNS_UNASKED} nodes unless --routing asks for them"
            );
        }
        Ok(usual)
    }

    /// Checks that curves fit, and says where a file's ordering was made for another machine.
    fn check_orders(&self, topologies: &[Topology]) -> anyhow::Result<()> {
        // Where none is given, orderings are made for each machine.
        let made = if self.orders.is_empty() {
            &["row-major".to_string()]
        } else {
            self.orders.as_slice()
        };
        for topology in topologies {
            inputs::check_curves(topology, made)?;
        }
        for text in &self.orders {
            // Only a file's ordering can be of another machine; a method orders whatever it is given.
            if !Path::new(text).is_file() || ORDERINGS.get(text).is_some() {
                continue;
            }
            for topology in topologies {
                inputs::report_machine(topology, &NodeOrder::make(topology, text)?);
            }
        }
        Ok(())
    }

    /// Opens the workload and ranks machines by what its jobs get.
    fn rank_on_jobs(
        &self,
        path: &Path,
        topologies: &[Topology],
        request: &MachineOptions<'_>,
    ) -> anyhow::Result<RankedOnJobs> {
        let options = self.workload.workload_options();
        options.check()?;
        let allocators = options.allocators();
        // Of allocators that were named, the first one leads: the order of `--alloc` is the user's choice.
        let leading = if self.workload.allocators.is_empty() {
            LEADING
        } else {
            0
        };
        // Jobs that fit the largest machine are kept. What a smaller one cannot take counts there as too large: that
        // is a result.
        let nodes = topologies.iter().map(Topology::node_count).max();
        let context = topologies
            .first()
            .map_or_else(Context::default, |one| *one.context());
        let OpenedLog { log, trace, .. } = inputs::open_log(
            path,
            self.workload.procs_per_node,
            nodes.unwrap_or(0) as u32,
            &context,
        )?;
        let name = log.name().to_string();
        // Each machine opens the log anew; a stream cannot go back.
        drop(log);
        if trace.is_none() && path == Path::new("-") {
            let expected = "a file, which is read once for each machine";
            let found = "a placement log on standard input";
            return Err(Error::option("--trace -", found, expected).into());
        }
        if trace.is_none() {
            self.workload.sizes_of_log(path, context.memory)?;
        }
        // Converted once: each machine reads it from the start, and all get the same jobs.
        let text = trace.as_ref().map(|trace| convert::write_log(trace, false));
        let queued = trace
            .as_ref()
            .and_then(|trace| options.schedule_inputs(trace));
        if queued
            .as_ref()
            .is_some_and(|(_, settings)| model::uses_links(&settings.model))
        {
            topologies.iter().for_each(inputs::say_assumed);
        }
        let workload = ComparedJobs {
            name: &name,
            open: &|| match &text {
                Some(text) => Ok(Log::new(&name, text.clone())),
                None => Log::open(path, context.memory),
            },
            allocators: &allocators,
            leading,
            queue: queued
                .as_ref()
                .map(|(tasks, settings)| ScheduledJobs { tasks, settings }),
        };
        let found = rank_machines(topologies, request, Some(&workload))?;
        let hint = trace.as_ref().and_then(Trace::processors_hint);
        Ok((found, Some(name), hint.map(|hint| hint.to_string())))
    }

    /// Writes the command line that makes this comparison again.
    fn command_line(&self, context: &Context) -> CommandLine {
        let mut line = CommandLine::new("machines");
        for spec in &self.specs {
            line = line.add_argument(spec);
        }
        line = self
            .workload
            .add_to(line.add_option("--order", &self.orders));
        line = line
            .add_option("--prices", &self.prices)
            .add_option("--watts", &self.watts)
            .add_option("--cables", &self.cables)
            .add_option("--rank", &self.rank);
        if self.throughput {
            line = line.add_argument("--throughput");
        }
        line.add_option("--broken", &self.broken)
            .add_option("--routing", &self.routing)
            .add_seed(context.seed)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
    }
}

/// Ranks machines under a bar, on a workload where there is one.
fn rank_machines(
    topologies: &[Topology],
    request: &MachineOptions<'_>,
    workload: Option<&ComparedJobs<'_>>,
) -> nodeorder_base::error::Result<Machines> {
    let bar = progress::show_steps(topologies.len() as u64, "machines");
    let seen = RefCell::new(BTreeSet::new());
    let clock = Clock::start_clock(false, &bar);
    let found = machines::compare(topologies, request, workload, &clock, &|name| {
        // A machine that begins ends the one before it; each comes again for its bandwidth and its slowdowns.
        let mut seen = seen.borrow_mut();
        if seen.insert(name.to_string()) {
            bar.set_position(seen.len() as u64 - 1);
        }
        bar.set_message(name.to_string());
    })?;
    bar.finish_and_clear();
    Ok(found)
}

/// Says of which machines time ended a search.
fn say_stopped(found: &Machines) {
    for contender in &found.contenders {
        let carried = contender
            .carried
            .iter()
            .flat_map(|c| [("all-to-all", &c.all_to_all), ("matching", &c.matching)]);
        for (traffic, one) in carried.filter(|(_, one)| one.stopped) {
            let name = contender.machine.name();
            let gap = 100.0 * one.relative_gap();
            note!(
                "{name}: {traffic} stopped with a proved gap of {gap:.2} %, more than gap= asks (time= gives it longer)"
            );
        }
    }
}
