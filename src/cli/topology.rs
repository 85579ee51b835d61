//! `nodeorder topology`: the figures of a network.

use crate::shared::layout::print_field;
use crate::shared::notes::{note, print_each};
use crate::shared::output::Output;
use crate::shared::{inputs, output, progress};
use clap::Args;
use nodeorder_base::Error;
use nodeorder_network::topology::check::{Findings, check};
use nodeorder_network::topology::levels::LevelRow;
use nodeorder_network::{Context, Topology};
use nodeorder_order::metric::bisection::Bisection;
use nodeorder_present::columns;
use nodeorder_present::columns::Table;
use nodeorder_present::columns::mapping::{DIFFERENCE, EDGE};
use nodeorder_present::report::topology::TopologyFigures;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print a machine's size, links, distances, bisection and levels
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder topology torus:15x6x16,per_router=2 --json")]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write the router graph to FILE as CSV, u,v (and capacity, where not all are 1)
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// Add the number of node pairs at each distance
    #[arg(long)]
    histogram: bool,
    /// Instead, compare nodes, switches and links with another description of the same fabric: print what differs
    /// as CSV, what,name,here,there; exit 1 where they differ
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["edges", "histogram"])]
    check: Option<String>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let topology = inputs::build_topology(&self.spec, context)?;
        inputs::say_remarks(&topology);
        inputs::warn_low_fill(&topology);
        if let Some(other) = &self.check {
            let other = inputs::build_topology(other, context)?;
            inputs::say_remarks(&other);
            return self.print_differences(&topology, &other);
        }
        if let Some(path) = &self.edges {
            write_edges(&topology, path)?;
        }
        let waiting = progress::show_spinner("distances and bisection");
        let figures = TopologyFigures::measure_topology(&topology, self.histogram)?;
        drop(waiting);
        if self.json {
            return output::write_text(None, figures.json_text());
        }
        Command::print_figures(&figures)
    }

    /// Prints the figures as lines.
    fn print_figures(figures: &TopologyFigures) -> anyhow::Result<()> {
        let TopologyFigures {
            document,
            statistics,
            cut,
            levels,
            histogram,
        } = figures;
        let mut out = Output::open(None)?;
        for key in [
            "name",
            "spec",
            "source",
            "nodes",
            "places",
            "routers",
            "links",
            "cables",
            "assumed",
            "node_links",
            "ports",
        ] {
            if !document[key].is_null() {
                let label = key.replace('_', " ");
                print_field(&mut out, 14, &label, &format_plainly(&document[key]))?;
            }
        }
        if statistics.idle_ports > 0 {
            print_field(
                &mut out,
                14,
                "idle ports",
                &statistics.idle_ports.to_string(),
            )?;
        }
        // Of cables of capacity 1 it says nothing new.
        if document["capacity"] != document["cables"] {
            print_field(
                &mut out,
                14,
                "capacity",
                &format_plainly(&document["capacity"]),
            )?;
        }
        if let Some(ratio) = statistics.oversubscription {
            // The label alone is longer than the others.
            let by = match statistics.oversubscription_by {
                "cables" => String::new(),
                by => format!(" by {by}"),
            };
            writeln!(out, "oversubscribed {ratio}:1{by}")?;
        }
        writeln!(
            out,
            "{:<14} {} to {}",
            "degree", statistics.degree_min, statistics.degree_max
        )?;
        writeln!(out, "{:<14} {} hops", "diameter", statistics.diameter)?;
        writeln!(
            out,
            "{:<14} {} hops",
            "mean distance", statistics.mean_distance
        )?;
        if statistics.components > 1 {
            let pairs = statistics.unreachable_pairs;
            let text = format!(
                "{}, {pairs} pairs of nodes that no path joins",
                statistics.components
            );
            print_field(&mut out, 14, "components", &text)?;
        }
        if let Some(cut) = cut {
            writeln!(out, "{:<14} {}", "bisection", count_links_in_words(cut))?;
        }
        for level in levels {
            let LevelRow {
                name,
                units,
                nodes,
                links,
            } = level;
            writeln!(
                out,
                "{:<14} {units} of {nodes} nodes, {links} links between",
                format!("level {name}")
            )?;
        }
        for (hops, pairs) in histogram.iter().flatten().enumerate() {
            writeln!(out, "{:<14} {pairs} pairs", format!("{hops} hops"))?;
        }
        out.finish()
    }

    /// Prints the differences from `other`, and fails if there are any.
    fn print_differences(&self, topology: &Topology, other: &Topology) -> anyhow::Result<()> {
        let found = check(topology, other)?;
        print_each(&found.remarks);
        if self.json {
            output::write_text(None, format!("{}\n", serde_json::to_string_pretty(&found)?))?;
        } else {
            let rows = found
                .differences
                .iter()
                .cloned()
                .map(|d| [d.what.to_string(), d.name, d.here, d.there]);
            output::write_by(None, |out| columns::write_table(out, DIFFERENCE, rows))?;
        }
        let Findings {
            count, differences, ..
        } = found;
        if count == 0 {
            note!("same: {} nodes", topology.node_count());
            return Ok(());
        }
        // The differences are the output; the error sets the exit code.
        let first = match differences.len() as u64 {
            listed if listed < count => format!(" (the first {listed} are listed)"),
            _ => String::new(),
        };
        let s = if count == 1 { "" } else { "s" };
        let count = format!("{count} difference{s} from {}{first}", topology.spec());
        Err(Error::option(
            format!("--check {}", other.spec()),
            count,
            "the same fabric",
        )
        .into())
    }
}

/// Counts links in words (`64 links`), or says what is known of their number.
fn count_links_in_words(cut: &Bisection) -> String {
    let links = cut.cut_links();
    match cut.at_least {
        _ if cut.exact => format!("{links} links"),
        Some(floor) => format!("{floor} to {links} links (best cut found: {})", cut.method),
        None => format!("at most {links} links (best cut found: {})", cut.method),
    }
}

fn format_plainly(value: &serde_json::Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_string)
}

/// Writes the links of the router graph, with the capacity of a cable and the number of cables where not all are 1.
fn write_edges(topology: &Topology, path: &Path) -> anyhow::Result<()> {
    // Where all are 1 the file is plain `u,v`, which most graph tools read. That is known only after all links.
    let network = topology.network();
    let mut has_capacities = false;
    let mut has_cables = false;
    network.for_each_cabled_link(&mut |_, _, capacity, cables| {
        has_capacities |= capacity != f64::from(cables);
        has_cables |= cables != 1;
    });
    let mut columns = EDGE[..2].to_vec();
    columns.extend(has_capacities.then_some(EDGE[2]));
    columns.extend(has_cables.then_some(EDGE[3]));
    output::write_by(Some(path), |out| {
        let mut table = Table::new(out, &columns)?;
        let mut outcome = Ok(());
        network.for_each_cabled_link(&mut |u, v, capacity, cables| {
            // The visitor cannot stop: after an error (a closed pipe) the other links are passed over.
            if outcome.is_ok() {
                outcome = table.write_row(&columns, &(u, v, capacity / f64::from(cables), cables));
            }
        });
        outcome.and_then(|()| table.finish())
    })
}
