//! `nodeorder order`: make an ordering and write its file.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::watch::Clock;
use super::{inputs, interrupt, output, progress};
use crate::ordering::{NodeOrder, Observer, SearchResult};
use crate::params::head;
use crate::topology::{Context, Topology};

/// Make an ordering: one node id a line, in rank order
///
/// Searches (ilp, optimise) report objective, bound and gap on standard error; Ctrl-C stops them and keeps the
/// best result so far.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder order titan --by hilbert -o titan-hilbert.txt")]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options
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
        let topology = inputs::topology(&self.spec, context)?;
        let clock = Clock::start(true);
        // Searches report their progress themselves.
        let searches = ["ilp", "optimise"].contains(&head(&self.by));
        let waiting = (!searches).then(|| progress::waiting(&self.by));
        let (order, found) = NodeOrder::make_with(&topology, &self.by, &clock)?;
        drop(waiting);
        interrupt::defer_first_interrupt(false);
        if let Some(found) = &found {
            let (objective, bound) = (found.objective, found.lower_bound);
            let (gap, solver, status) = (100.0 * found.gap, &found.solver, found.status.name());
            eprintln!("objective {objective}, bound {bound}, gap {gap:.2} %, {solver} ({status})");
        }
        let text = match self.json {
            true => format!("{}\n", document(&topology, &order, found.as_ref(), &clock)),
            false => order.to_file(&topology),
        };
        output::write(self.output.as_deref(), text)
    }
}

/// The ordering as JSON; of a search, with its result.
fn document(
    topology: &Topology,
    order: &NodeOrder,
    found: Option<&SearchResult>,
    clock: &Clock,
) -> Value {
    let ids: Vec<u32> = order.nodes().iter().map(|n| n.0).collect();
    match found {
        None => json!({
            "version": env!("CARGO_PKG_VERSION"),
            "topology": topology.spec(),
            "name": order.label(),
            "nodes": order.len(),
            "ordering": ids,
        }),
        Some(found) => json!({
            "objective": found.objective,
            "lower_bound": found.lower_bound,
            "gap": found.gap,
            "optimal": found.optimal,
            "solver": found.solver,
            "status": found.status.name(),
            "steps": found.steps,
            "seconds": clock.seconds(),
            "ordering": ids,
        }),
    }
}
