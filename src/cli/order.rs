//! `nodeorder order`: make an ordering and write its file.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::watch::Clock;
use super::{interrupt, output, progress};
use crate::ordering::{NodeOrder, Observer};
use crate::params::head;
use crate::topology::Context;

/// Make an ordering: one node id a line, in rank order
///
/// Searches (ilp, optimise) tell objective, bound and gap on standard error; Ctrl-C ends them with the best
/// so far.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder order titan --by hilbert -o titan-hilbert.txt")]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// The ordering: a name with options, such as snake:axes=zxy, or an ordering file
    #[arg(long, value_name = "ORD")]
    by: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = super::inputs::topology(&self.spec, context)?;
        let clock = Clock::start(true);
        // Searches tell of themselves.
        let searches = ["ilp", "optimise"].contains(&head(&self.by));
        let waiting = (!searches).then(|| progress::waiting(&self.by));
        let (order, outcome) = NodeOrder::make_with(&topology, &self.by, &clock)?;
        drop(waiting);
        interrupt::defer_first_interrupt(false);
        if let Some(outcome) = &outcome {
            eprintln!(
                "objective {}, bound {}, gap {:.2} %, {} ({})",
                outcome.objective,
                outcome.lower_bound,
                100.0 * outcome.gap,
                outcome.solver,
                outcome.status.name()
            );
        }
        let text = if let (true, Some(outcome)) = (self.json, &outcome) {
            let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
            let document = json!({
                "objective": outcome.objective,
                "lower_bound": outcome.lower_bound,
                "gap": outcome.gap,
                "optimal": outcome.optimal,
                "solver": outcome.solver,
                "status": outcome.status.name(),
                "steps": outcome.steps,
                "seconds": clock.seconds(),
                "ordering": ids,
            });
            format!("{document}\n")
        } else if self.json {
            let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
            let document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "topology": topology.spec(),
                "name": order.label(),
                "nodes": order.len(),
                "ordering": ids,
            });
            format!("{document}\n")
        } else {
            order.to_file(&topology)
        };
        output::write(self.output.as_deref(), text.as_bytes())
    }
}
