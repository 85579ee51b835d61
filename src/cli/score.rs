//! `nodeorder score`: orderings by the objective that searches minimise.

use crate::shared::tables::write_rows;
use crate::shared::watch::Clock;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_network::Context;
use nodeorder_order::ordering::optimise::scores;
use nodeorder_present::columns;
use nodeorder_present::columns::comparison::ScoreRow;
use serde_json::json;
use std::path::PathBuf;

/// Score orderings by the objective of ilp and optimise, with a proved bound
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder score torus:8x8 --order snake --order hilbert --weights geometric,window=16"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; repeat for several
    #[arg(long = "order", value_name = "ORD", required = true)]
    orders: Vec<String>,
    /// Weights of pairs of ranks: geometric, harmonic, path or workload, with window=, ring=, sizes=, share=
    #[arg(long, value_name = "W", default_value = "geometric")]
    weights: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_distances(&self.spec, context)?;
        let orders = inputs::make_orders(&topology, &self.orders)?;
        let waiting = progress::show_spinner("scores");
        // The bound takes a fixed number of operations, not seconds: Ctrl-C need not stop it early.
        let clock = Clock::start_clock(false, &waiting);
        let found = scores(&topology, &self.weights, &orders, &clock)?;
        drop(waiting);
        let rows = orders.iter().zip(&found).map(|(order, score)| ScoreRow {
            ordering: order.label(),
            score,
        });
        if self.json {
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "topology": topology.spec(),
                "weights": self.weights,
                "scores": columns::json_list(ScoreRow::ALL, rows),
            });
            return output::write_json(self.output.as_deref(), &document);
        }
        write_rows(self.output.as_deref(), ScoreRow::ALL, rows)
    }
}
