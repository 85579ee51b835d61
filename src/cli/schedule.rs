//! `nodeorder schedule`: a trace through a queue, a policy and an allocator on an ordering.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde_json::{Map, json};

use super::output::{self, Output};
use super::progress;
use super::traffic::TrafficArgs;
use crate::allocator::AllocatorContext;
use crate::metric::rank_distances::RankDistances;
use crate::replay::traffic::{Stay, Traffic};
use crate::report::schedule as report;
use crate::schedule::{Outputs, Settings, Task, policy, simulate};
use crate::topology::Context;
use crate::trace::{Options, Trace};

/// Schedule a trace: when and where its jobs run under a policy, and how long they wait
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder schedule theta --order row-major --trace theta.swf.gz --policy easy --alloc span-best-fit -o jobs.csv"
)]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…
    spec: String,
    /// The ordering whose nodes are the machine: a name with options, or an ordering file
    #[arg(long, value_name = "ORD")]
    order: String,
    /// The trace, in the Standard Workload Format; plain or .gz
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// Who starts when, such as easy (see `nodeorder list policies`)
    #[arg(long, value_name = "P")]
    policy: String,
    /// Where, such as span-best-fit (see `nodeorder list allocators`); window policies choose runs themselves
    #[arg(long = "alloc", value_name = "A")]
    allocator: String,
    /// For how long: fixed, contiguity:…, distance:… or contention:… (see `nodeorder list models`)
    #[arg(long, value_name = "M", default_value = "fixed")]
    model: String,
    /// Write the CSV to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Add a column with the ranks of each job
    #[arg(long)]
    ranks: bool,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Print the figures of the schedule as one JSON document instead of the CSV
    #[arg(long)]
    json: bool,
    /// Draw occupancy, utilisation and queue over time into DIR, as SVG
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Processors of a node
    #[arg(long, value_name = "P", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: u32,
    /// Take only jobs of this partition (field 16); repeat for several
    #[arg(long = "partition", value_name = "N")]
    partitions: Vec<i32>,
}

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        policy::check(&self.policy)?;
        let topology = super::inputs::topology(&self.spec, context)?;
        let order = super::inputs::order(&topology, &self.order)?;
        let options = Options {
            procs_per_node: self.procs_per_node,
            nodes: Some(order.len() as u32),
            partitions: self.partitions.clone(),
        };
        let trace = Trace::read(&self.trace, &options)?;
        for (reason, count) in trace.tally().iter() {
            let what = if reason.drops() { "left out" } else { "mended" };
            eprintln!("{}: {what} {count}: {}", trace.name(), reason.about());
        }
        let distances = RankDistances::new(&topology, &order)?;
        let machine =
            AllocatorContext { topology: &topology, order: &order, distances: &distances };
        let fabric = self.traffic.fabric(&topology)?;
        let mut traffic = match self.traffic.settings(fabric.as_ref())? {
            Some(talks) => Some(Traffic::new(talks, &order)?),
            None => None,
        };
        let rows_wanted = !self.json || self.output.is_some();
        let drawn = self.plots.is_some();
        let outputs = Outputs {
            placement: true,
            ranks: self.ranks && rows_wanted || drawn || traffic.is_some(),
            timeline: self.json || drawn,
        };
        let settings = Settings {
            policy: &self.policy,
            allocator: &self.allocator,
            model: &self.model,
            outputs,
        };
        let tasks = Task::of(&trace);
        let bar = progress::bar(tasks.len() as u64, "jobs");
        let outcome =
            simulate(&machine, &tasks, &settings, &|ended| bar.set_position(ended as u64))?;
        bar.finish_and_clear();
        eprintln!("policy: {}", outcome.rule);
        eprintln!("model: {}", outcome.model);
        if outcome.places_itself {
            eprintln!(
                "{}: chooses ranks itself; --alloc {} is not asked",
                self.policy, self.allocator
            );
        }

        let talks = match &mut traffic {
            Some(traffic) => {
                let stays: Vec<Stay<'_>> = (outcome.records.iter())
                    .filter_map(|record| {
                        let ranks = record.ranks.as_ref()?;
                        Some(Stay { from: record.start, to: record.end, ranks })
                    })
                    .collect();
                Some(traffic.over_time(&stays)?)
            }
            None => None,
        };
        if rows_wanted {
            let mut out = Output::open(self.output.as_deref())?;
            report::write_csv(&mut out, &outcome, talks.as_deref(), self.ranks)
                .with_context(|| output::name(self.output.as_deref()))?;
            out.finish()?;
        }
        if self.json {
            let tally = trace.tally().iter();
            let (dropped, mended): (Vec<_>, Vec<_>) = tally.partition(|(reason, _)| reason.drops());
            let counts =
                |list: Vec<(crate::trace::Reason, u64)>| -> Map<String, serde_json::Value> {
                    list.into_iter().map(|(reason, n)| (reason.name().into(), json!(n))).collect()
                };
            let mut document = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "topology": topology.spec(),
                "ordering": order.label(),
                "trace": self.trace.display().to_string(),
                "lines": trace.tally().lines,
                "left_out": counts(dropped),
                "mended": counts(mended),
                "policy": self.policy,
                "allocator": if outcome.places_itself { None } else { Some(&self.allocator) },
                "model": self.model,
                "seed": context.seed,
            });
            if let Some(guest) = &self.traffic.guest {
                document["guest"] = json!(guest);
            }
            if let (Some(document), serde_json::Value::Object(figures)) = (
                document.as_object_mut(),
                report::figures(&outcome, traffic.map(|t| t.totals()).as_ref()),
            ) {
                document.extend(figures);
            }
            output::write(None, format!("{document}\n").as_bytes())?;
        }
        if let Some(folder) = &self.plots {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: creating the folder", folder.display()))?;
            let title = format!("{} on {}", self.policy, topology.name());
            for (name, svg) in report::drawings(&title, &outcome)? {
                output::write(Some(&folder.join(name)), svg.as_bytes())?;
            }
        }
        Ok(())
    }
}
