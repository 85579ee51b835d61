//! `nodeorder compare`: orderings of one machine side by side, as a ranked table and a page.

use crate::shared::command_line::CommandLine;
use crate::shared::comparison::{self, OrderingArgs};
use crate::shared::output::Output;
use crate::shared::slowdowns::{SlowdownArgs, install_command};
use crate::shared::traffic::TrafficArgs;
use crate::shared::workload::WorkloadArgs;
use crate::shared::{inputs, output, own_files};
use clap::Args;
use nodeorder_base::Error;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc::{Curve, Means};
use nodeorder_present::report::{self, Advice, WorkloadResults};
use nodeorder_traffic::slowdown::Tilings;
use std::path::PathBuf;

/// Rank orderings of a machine by their exact MPC curves, and write a page of plots
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder compare topologies/titan.toml --out titan-orderings")]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options; NAME=SPEC calls it NAME
    spec: String,
    #[command(flatten)]
    orderings: OrderingArgs,
    /// The ordering that the site has today, which gains are against [default: row-major]
    #[arg(long, value_name = "ORD")]
    current: Option<String>,
    /// Write into the folder DIR: a page (index.html), the plots as SVG and the data as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    slowdowns: SlowdownArgs,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(mut self, context: &Context) -> anyhow::Result<()> {
        self.workload.apply_rules()?;
        let topology = inputs::build_offer(&self.spec, context)?;
        // Errors in the input are reported before the curves are computed.
        let jobs_send = self.jobs_send()?;
        let fabric = jobs_send.build_fabric(&topology)?;
        let traffic = jobs_send.traffic_settings(fabric.as_ref())?;
        let workload = self.workload.open_workload(&topology)?;
        let mut orders = self.make_orders(&topology)?;
        let slowdowns = self.slowdowns.measure_orders(
            &topology,
            &mut orders,
            self.orderings.orders.is_empty(),
        )?;
        let mut results = WorkloadResults::default();
        let comparison = match workload {
            Some(jobs) => {
                let curves: Vec<Curve> = comparison::compute_curves(&topology, &orders)?;
                results = jobs.run(&topology, &orders, &curves, traffic)?;
                Comparison::new(&topology, &orders, curves)?
            }
            None => {
                let means: Vec<Means> = comparison::compute_curves(&topology, &orders)?;
                Comparison::new(&topology, &orders, means)?
            }
        };
        let mut advice = Advice::new(&topology, &comparison, slowdowns, self.current.clone());
        let command = |order: &str| install_command(&self.spec, &comparison, order);
        advice.installs = advice.list_installs(&comparison, command);
        results.advice = Some(advice);
        let command = self.command_line(context).to_string();
        if let Some(folder) = &self.out {
            let files = report::files(&topology, &orders, &comparison, &results, &command)?;
            own_files::write_report(folder, own_files::PAGE, files)?;
        }
        if self.json {
            let text = report::json::summary_json(&comparison, &results, &command);
            return output::write_text(None, text);
        }
        let mut out = Output::open(None)?;
        comparison::print_comparison(&mut out, &comparison, &results)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Makes the orderings, and the one that is there today.
    fn make_orders(&self, topology: &Topology) -> anyhow::Result<Vec<NodeOrder>> {
        let sizes = self.workload.sizes_option();
        let mut orders = self.orderings.make_orderings(topology, &sizes)?;
        if let Some(current) = &self.current
            && orders.iter().all(|order| order.label() != current)
        {
            orders.push(inputs::make_order(topology, current)?);
            NodeOrder::check_same_nodes(topology, &orders)?;
        }
        Ok(orders)
    }

    /// Chooses the traffic that is simulated for every job of a trace: that of `--guest`.
    fn jobs_send(&self) -> anyhow::Result<TrafficArgs> {
        if self.workload.trace.is_none() {
            return Ok(TrafficArgs::default());
        }
        if self.slowdowns.guests.len() > 1 {
            let expected = "one beside --trace";
            return Err(Error::option("--guest", "several", expected).into());
        }
        Ok(TrafficArgs {
            guest: self.slowdowns.guests.first().cloned(),
            routing: self.slowdowns.routing.clone(),
        })
    }

    /// Writes the command line that makes this comparison again.
    fn command_line(&self, context: &Context) -> CommandLine {
        let line = CommandLine::new("compare")
            .add_argument(&self.spec)
            .add_option("--order", &self.orderings.orders);
        let line = self
            .workload
            .add_to(line)
            .add_option("--current", &self.current)
            .add_option("--guest", &self.slowdowns.guests)
            .add_option("--routing", &self.slowdowns.routing)
            .add_option("--duty", self.slowdowns.duty)
            .add_option(
                "--tilings",
                self.slowdowns.tilings.map(Tilings::tiling_count),
            );
        self.orderings
            .add_search(line)
            .add_seed(context.seed)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
    }
}
