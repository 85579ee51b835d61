//! `nodeorder compare`: orderings of one machine side by side, as a ranked table and a page.

use crate::shared::command_line::CommandLine;
use crate::shared::comparison::{self, OrderingArgs};
use crate::shared::output::Output;
use crate::shared::traffic::TrafficArgs;
use crate::shared::workload::WorkloadArgs;
use crate::shared::{inputs, output, own_files};
use clap::Args;
use nodeorder_network::topology::Context;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc::{Curve, Means};
use nodeorder_present::report::{self, WorkloadResults};
use std::path::PathBuf;

/// Rank orderings of a machine by their exact MPC curves, and write a page of plots
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder compare topologies/titan.toml --out titan-orderings",
    mut_arg("guest", |guest| guest.requires("trace"))
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options; NAME=SPEC calls it NAME
    spec: String,
    #[command(flatten)]
    orderings: OrderingArgs,
    /// Write a page (index.html), the plots as SVG and the data as CSV into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(mut self, context: &Context) -> anyhow::Result<()> {
        self.workload.apply_rules()?;
        let topology = inputs::build_offer(&self.spec, context)?;
        // Errors in the input are reported before the curves are computed.
        let fabric = self.traffic.build_fabric(&topology)?;
        let traffic = self.traffic.traffic_settings(fabric.as_ref())?;
        let workload = self.workload.open_workload(&topology)?;
        let orders = self
            .orderings
            .make_orderings(&topology, &self.workload.sizes_option())?;
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

    /// Writes the command line that makes this comparison again.
    fn command_line(&self, context: &Context) -> CommandLine {
        let line = CommandLine::new("compare")
            .add_argument(&self.spec)
            .add_option("--order", &self.orderings.orders);
        let line = self
            .workload
            .add_to(line)
            .add_option("--guest", &self.traffic.guest)
            .add_option("--routing", &self.traffic.routing);
        self.orderings
            .add_search(line)
            .add_seed(context.seed)
            .add_option("--out", self.out.as_ref().map(|path| path.display()))
    }
}
