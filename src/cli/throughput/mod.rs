//! `nodeorder throughput`: what a machine's links carry when traffic is routed well.

use crate::shared::command_line::CommandLine;
use crate::shared::comparison::{self, OrderingArgs};
use crate::shared::output::Output;
use crate::shared::tables::write_rows;
use crate::shared::throughput;
use crate::shared::{inputs, output, own_files, progress};
use clap::Args;
use nodeorder_base::Error;
use nodeorder_network::{Context, Topology};
use nodeorder_present::columns;
use std::path::PathBuf;

use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc::Means;
use nodeorder_present::columns::throughput::{MATCHED, ThroughputRow};
use nodeorder_present::report::topology::TopologyFigures;
use nodeorder_present::report::{self, WorkloadResults};
use nodeorder_traffic::throughput::matching::{Matching, find_longest_matching};
use nodeorder_traffic::throughput::traffic::{sends_at_most_one, traffic};
use windows::WindowTraffic;

mod windows;

/// The help of a search, which no trace weights here.
const SEARCH: &str = "Also search for a good ordering: for log-uniform job sizes, within a budget such as time=10 (seconds) \
                      or steps=1000000";

/// Print what a machine's links carry when traffic is routed well
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder throughput torus:4x4x4 --sizes 8,16 --guest ring --out carried",
    mut_arg("orders", |orders| orders.requires("sizes")),
    mut_arg("optimise", |optimise| optimise.requires("sizes").help(SEARCH))
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// What all nodes send, a row of CSV for each traffic and routing: all-to-all, matching (nodes send to those
    /// farthest away), tornado (grids), group-shift (dragonflies), or guests
    #[arg(
        long,
        value_name = "TRAFFIC,…",
        default_value = "all-to-all,matching",
        conflicts_with = "sizes"
    )]
    traffic: String,
    /// Job sizes: instead of all nodes, jobs of S nodes fill the machine, each on consecutive ranks, and all send at
    /// once, ordering by ordering
    #[arg(long, value_name = "SIZES")]
    sizes: Option<String>,
    /// Which links traffic takes (see `nodeorder list routings`); one with --sizes
    #[arg(long, value_name = "R", default_value = "ideal")]
    routing: String,
    /// What a job's processes send to each other, in jobs of --sizes: all-to-all, ring, stencil2d or stencil (three
    /// dimensions)
    #[arg(
        long,
        value_name = "GUEST",
        default_value = "all-to-all",
        requires = "sizes"
    )]
    guest: String,
    #[command(flatten)]
    orderings: OrderingArgs,
    /// Write into the folder DIR: a page (index.html), the plots as SVG and the data as CSV
    #[arg(long, value_name = "DIR", requires = "sizes")]
    out: Option<PathBuf>,
    /// Write the longest matching to FILE as CSV, source,target,volume, which map --guest reads
    #[arg(long, value_name = "FILE", conflicts_with = "sizes")]
    matching_out: Option<PathBuf>,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "sizes")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_topology(&self.spec, context)?;
        let routings = split_names(&self.routing);
        match &self.sizes {
            None => {
                inputs::say_remarks(&topology);
                self.run_traffic(&topology, &routings)
            }
            Some(sizes) => self.run_windows(&topology, sizes, &routings, context),
        }
    }

    /// Prints what the machine carries when all nodes send.
    fn run_traffic(&self, topology: &Topology, routings: &[String]) -> anyhow::Result<()> {
        let fabric = inputs::build_fabric(topology)?;
        // A longest matching of a large machine takes its time: only for what shows it.
        let matching = if self.json || self.matching_out.is_some() {
            let waiting = progress::show_spinner("a longest matching");
            let found = find_longest_matching(topology)?;
            drop(waiting);
            Some(found)
        } else {
            None
        };
        if let (Some(path), Some(matching)) = (&self.matching_out, &matching) {
            output::write_by(Some(path), |out| {
                columns::write_table(out, MATCHED, matching.sending_pairs())
            })?;
        }
        let names = split_names(&self.traffic);
        let mut rows = Vec::new();
        for name in &names {
            let demand = traffic(topology, name)?;
            for routing in routings {
                rows.push(throughput::measure_throughput(
                    &fabric, &demand, name, routing,
                )?);
            }
        }
        let target = self.output.as_deref();
        if self.json {
            return output::write_text(target, machine_json(topology, &rows, matching)?);
        }
        write_rows(target, ThroughputRow::ALL, rows)
    }

    /// Compares orderings by what jobs of some sizes get when they fill the machine.
    fn run_windows(
        &self,
        topology: &Topology,
        sizes: &str,
        routings: &[String],
        context: &Context,
    ) -> anyhow::Result<()> {
        let [routing] = routings else {
            let option = format!("--routing {}", self.routing);
            return Err(Error::option(option, "several", "one routing with --sizes").into());
        };
        let traffic = WindowTraffic {
            sizes: windows::parse_sizes(sizes, topology.node_count())?,
            guest: &self.guest,
            routing,
        };
        let orders = self
            .orderings
            .make_orderings(topology, "sizes=log-uniform")?;
        let means: Vec<Means> = comparison::compute_curves(topology, &orders)?;
        let comparison = Comparison::new(topology, &orders, means)?;
        let rows = traffic.compute_rows(topology, &orders, &comparison)?;
        let results = WorkloadResults {
            windows: rows,
            ..WorkloadResults::default()
        };
        let command = self.command_line(sizes, context).to_string();
        if let Some(folder) = &self.out {
            let files = report::files(topology, &orders, &comparison, &results, &command)?;
            own_files::write_report(folder, own_files::PAGE, files)?;
        }
        if self.json {
            let text = report::json::summary_json(&comparison, &results, &command);
            return output::write_text(None, text);
        }
        let mut out = Output::open(None)?;
        comparison::print_comparison(&mut out, &comparison, &results)?;
        windows::write_table(&mut out, &results.windows)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Writes the command line that makes this comparison again.
    fn command_line(&self, sizes: &str, context: &Context) -> CommandLine {
        let line = CommandLine::new("throughput")
            .add_argument(&self.spec)
            .add_option("--order", &self.orderings.orders);
        self.orderings
            .add_search(line)
            .add_option("--sizes", [sizes])
            .add_option("--guest", [&self.guest])
            .add_option("--routing", [&self.routing])
            .add_seed(context.seed)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
    }
}

/// Splits a list of names at commas; what follows a comma and is no name of its own are options of the name before it.
fn split_names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split(',') {
        match names.last_mut() {
            // `ideal:gap=0.01,time=5` is one routing with two options, not two routings.
            Some(last) if last.contains(':') && part.contains('=') && !part.contains(':') => {
                *last = format!("{last},{part}");
            }
            _ => names.push(part.to_string()),
        }
    }
    names
}

/// Describes the figures of the machine with its throughput and the bracket of the worst traffic, as JSON.
fn machine_json(
    topology: &Topology,
    rows: &[ThroughputRow<'_>],
    matching: Option<Matching>,
) -> anyhow::Result<String> {
    let mut figures = TopologyFigures::measure_topology(topology, false)?;
    // Other routings have fewer ways: where ideal ones are asked for as well, theirs are the bounds of all.
    let is_ideal = |row: &ThroughputRow<'_>| row.routing.starts_with("ideal");
    let any_ideal = rows.iter().any(is_ideal);
    let mut known = Vec::new();
    for row in rows.iter().filter(|row| is_ideal(row) || !any_ideal) {
        if sends_at_most_one(topology, row.traffic)? {
            known.push(row.throughput_at_most);
        }
    }
    let at_most = match matching {
        Some(matching) => matching.least_at_most(topology, known)?,
        None => None,
    };
    // By Valiant: any such traffic is at most twice an all-to-all, to the intermediates and on.
    let nodes = topology.node_count() as f64;
    let at_least = rows
        .iter()
        // By Valiant (1982): any such traffic is at most twice an all-to-all, to the intermediates and on. Only ideal
        // routing may send it over them.
        .find(|row| row.traffic == "all-to-all" && is_ideal(row))
        .map(|row| row.throughput * nodes / (2.0 * (nodes - 1.0)));
    figures.add_throughput(rows, at_most, at_least);
    Ok(figures.json_text())
}
