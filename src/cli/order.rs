//! `nodeorder order`: make an ordering and write its file.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::shared::notes::note;
use crate::shared::watch::Clock;
use crate::shared::{inputs, interrupt, output, progress};
use clap::Args;
use nodeorder_base::NodeId;
use nodeorder_base::params::text_before_colon;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::{Observer, SearchResult};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Make an ordering: one node id a line, in rank order
///
/// Searches (ilp, optimise) report objective, bound and gap on standard error; Ctrl-C stops them, writes the best
/// result so far and ends with exit code 130.
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder order titan --order hilbert -o titan-hilbert.txt")]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// An ordering: a name with options, or an ordering file; such as snake:axes=zxy
    #[arg(long = "order", alias = "by", value_name = "ORD")]
    by: String,
    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the nodes' names; without it, their ids
    #[arg(long)]
    names: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_distances(&self.spec, context)?;
        inputs::announce_memory(&topology, &self.by);
        // On a terminal searches report their progress themselves, and Ctrl-C stops them only.
        let searches = ["ilp", "optimise"].contains(&text_before_colon(&self.by));
        let shown = if searches {
            progress::count_unseen
        } else {
            progress::show_spinner
        };
        let waiting = shown(&self.by);
        let clock = Clock::start_clock(searches, &waiting);
        let (order, found) = NodeOrder::make_observed(&topology, &self.by, &clock)?;
        // The result is found: from here Ctrl-C ends the program and removes the unfinished file.
        interrupt::defer_first_interrupt(false);
        inputs::report_machine(&topology, &order);
        if self.names {
            // Before the file is begun: a name that reads back as another node would be a wrong ordering.
            topology.check_names(order.nodes())?;
        }
        if let Some(found) = &found {
            let objective = found.objective;
            let bound = found.lower_bound;
            let gap = 100.0 * found.gap;
            let solver = &found.solver;
            let status = found.status.name();
            note!("objective {objective}, bound {bound}, gap {gap:.2} %, {solver} ({status})");
        }
        // A spinner and data do not share a terminal.
        let _waiting = self.output.is_some().then_some(waiting);
        let path = self.output.as_deref();
        output::write_by(path, |out| {
            if self.json {
                let document = self.order_json(&topology, &order, found.as_ref(), &clock);
                serde_json::to_writer(&mut *out, &document)?;
                out.write_all(b"\n")
            } else {
                order.write_to(&topology, self.names, out)
            }
        })
    }

    /// Describes the ordering as JSON; of a search, with its result.
    fn order_json<'a>(
        &self,
        topology: &'a Topology,
        order: &'a NodeOrder,
        found: Option<&'a SearchResult>,
        clock: &Clock,
    ) -> OrderDocument<'a> {
        let list = NodeList {
            topology,
            nodes: order.nodes(),
            names: self.names,
        };
        let mut document = BTreeMap::from([("ordering", Field::Nodes(list))]);
        let mut add = |key: &'static str, value: Value| document.insert(key, Field::Value(value));
        match found {
            None => {
                add("version", json!(env!("CARGO_PKG_VERSION")));
                add("topology", json!(topology.spec()));
                add("name", json!(order.label()));
                add("nodes", json!(order.len()));
            }
            Some(found) => {
                add("objective", json!(found.objective));
                add("lower_bound", json!(found.lower_bound));
                add("gap", json!(found.gap));
                add("optimal", json!(found.optimal));
                add("solver", json!(found.solver));
                add("status", json!(found.status.name()));
                add("steps", json!(found.steps));
                // Time stands here only, as only searches have results that depend on it.
                add("seconds", json!(clock.elapsed_seconds()));
            }
        }
        document
    }
}

/// The document by key. Nodes are written from where they are: as values they take eight times as much.
type OrderDocument<'a> = BTreeMap<&'static str, Field<'a>>;

#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Value(Value),
    Nodes(NodeList<'a>),
}

/// The nodes of an ordering, written as a list of ids or, with `names`, of names.
struct NodeList<'a> {
    topology: &'a Topology,
    nodes: &'a [NodeId],
    names: bool,
}

impl Serialize for NodeList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.names {
            serializer.collect_seq(self.nodes.iter().map(|node| self.topology.node_name(*node)))
        } else {
            serializer.collect_seq(self.nodes.iter().map(|node| node.0))
        }
    }
}
