//! `nodeorder compare`: orderings of one machine side by side, as a ranked table and a page.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use rayon::prelude::*;

use super::layout;
use super::output::{self, Output};
use super::progress;
use super::traffic::TrafficArgs;
use crate::allocator::ALLOCATORS;
use crate::error::{Error, SourceLocation};
use crate::metric::comparison::Comparison;
use crate::metric::mpc;
use crate::ordering::{self, NodeOrder};
use crate::replay::prediction::{Prediction, predict};
use crate::report;
use crate::schedule::orderings::{Schedules, TraceSettings, on_orderings};
use crate::schedule::{Task, model, policy};
use crate::topology::{Context, Topology};
use crate::trace::{Log, Options, Sizes, Weight};

/// Compare orderings of a machine by their exact MPC curves: a ranked table and a page of plots
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder compare topologies/titan.toml --out titan-orderings")]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped one, or kind:…; several are set side by side
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<String>,
    /// An ordering: a name with options, or an ordering file; repeat for several
    /// [default: those that suit the topology]
    #[arg(long = "order", value_name = "ORD")]
    orders: Vec<String>,
    /// Write index.html, the plots as SVG and the data as CSV into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replay this workload on every ordering, and weigh MPC by its job sizes: an SWF trace or a placement
    /// log, plain or .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// An allocator of the replay; repeat for several
    /// [default: fifo:0, first-fit:1, span-best-fit, slurm-best-fit]
    #[arg(long = "alloc", value_name = "A", requires = "trace")]
    allocators: Vec<String>,
    /// Processors of a node, in an SWF trace
    #[arg(long, value_name = "P", requires = "trace", value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: Option<u32>,
    /// Schedule an SWF trace under this policy on every ordering (see `nodeorder list policies`), with the first
    /// --alloc given, else span-best-fit; none leaves that out [default: easy]
    #[arg(long, value_name = "P", requires = "trace")]
    policy: Option<String>,
    /// For how long jobs of that schedule run (see `nodeorder list models`) [default: distance:weight=0.1]
    #[arg(long, value_name = "M", requires = "trace")]
    model: Option<String>,
    #[command(flatten)]
    traffic: TrafficArgs,
    /// Also search an ordering for these job sizes (log-uniform without a trace), with a budget such as
    /// time=10 (seconds) or steps=1000000
    #[arg(long, value_name = "BUDGET", num_args = 0..=1, require_equals = true, default_missing_value = "time=10")]
    optimise: Option<String>,
    /// What a link, a router and a node cost, any of them, where several machines are compared: links=X,routers=Y,nodes=Z
    #[arg(long, value_name = "PRICES")]
    prices: Option<String>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

/// What jobs the orderings are compared on.
struct Workload {
    log: Log,
    sizes: Sizes,
    allocators: Vec<String>,
    /// What is scheduled and how, where that is wanted and the jobs have times.
    queue: Option<(Vec<Task>, TraceSettings)>,
}

/// A job at twice its compact distance runs a tenth longer: something to react to placement, and easily said.
const MODEL: &str = "distance:weight=0.1";

impl Command {
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let spec = match self.specs.as_slice() {
            [one] => one,
            _ => return self.several(context),
        };
        if let Some(prices) = &self.prices {
            let location = SourceLocation::option(format!("--prices {prices}"));
            return Err(Error::input(location, "one machine", "several to compare").into());
        }
        let topology = super::load(spec, context)?;
        // What cannot be read or done is said before the curves are computed.
        let fabric = self.traffic.fabric(&topology)?;
        let talks = self.traffic.talks(fabric.as_ref())?;
        let workload = self.workload(&topology)?;
        let texts = if self.orders.is_empty() {
            ordering::defaults::suiting(&topology)
        } else {
            self.orders.clone()
        };
        let bar = progress::bar(2 * texts.len() as u64, "comparing");
        let mut orders = if self.orders.is_empty() {
            let made = texts.par_iter().map(|t| NodeOrder::make(&topology, t));
            distinct(made.collect::<Result<Vec<_>, _>>()?)
        } else {
            super::orders(&topology, &texts)?
        };
        bar.inc(texts.len() as u64);
        if let Some(text) = self.searched() {
            bar.set_message(text.clone());
            orders.push(super::made(&topology, &text)?);
        }
        let mut curves = Vec::new();
        for order in &orders {
            bar.set_message(order.label().to_string());
            curves.push(mpc::curve(&topology, order)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        let (mut prediction, mut schedules) = (None, None);
        if let Some(mut work) = workload {
            let bar = progress::bar(2, "the workload");
            bar.set_message("replaying");
            let (curves, shares) = (curves.iter().collect::<Vec<_>>(), |n| work.sizes.shares(n));
            let (allocators, log) = (&work.allocators, &mut work.log);
            prediction =
                Some(predict(&topology, &orders, &curves, allocators, log, &shares, talks)?);
            bar.inc(1);
            if let Some((tasks, terms)) = &work.queue {
                bar.set_message("scheduling");
                schedules = Some(on_orderings(&topology, &orders, tasks, terms)?);
            }
            bar.finish_and_clear();
        }
        let said =
            report::Workload { prediction: prediction.as_ref(), schedules: schedules.as_ref() };
        let comparison = Comparison::new(&topology, &orders, curves)?;
        let command = self.command(context);
        if let Some(folder) = &self.out {
            let files = report::files(&topology, &orders, &comparison, said, &command)?;
            write_folder(folder, files)?;
        }
        if self.json {
            let text = report::json::summary(&comparison, said, &command);
            return output::write(None, format!("{}\n", text.trim_end()).as_bytes());
        }
        let mut out = Output::open(None)?;
        write_table(&mut out, &comparison)?;
        if let Some(prediction) = &prediction {
            write_prediction(&mut out, prediction)?;
        }
        if let Some(schedules) = &schedules {
            write_schedules(&mut out, schedules)?;
        }
        if let Some(folder) = &self.out {
            writeln!(out, "\nPage: {}", folder.join("index.html").display())?;
        }
        out.finish()
    }

    /// Compares machines with their best orderings.
    fn several(&self, context: &Context) -> anyhow::Result<()> {
        let one_only = [
            ("--optimise", &self.optimise),
            ("--guest", &self.traffic.guest),
            ("--routing", &self.traffic.routing),
        ];
        if let Some((option, _)) = one_only.into_iter().find(|(_, value)| value.is_some()) {
            let found = format!("{} machines", self.specs.len());
            return Err(Error::input(SourceLocation::option(option), found, "one machine").into());
        }
        let request = super::machines::Request {
            specs: &self.specs,
            orders: &self.orders,
            trace: self.trace.as_deref(),
            allocators: &self.allocators,
            procs_per_node: self.procs_per_node.unwrap_or(1),
            policy: self.policy.as_deref(),
            model: self.model.as_deref().unwrap_or(MODEL),
            prices: self.prices.as_deref(),
            out: self.out.as_deref(),
            json: self.json,
            command: self.command(context),
        };
        super::machines::run(&request, context)
    }

    /// Opens the workload, where there is one. What a trace leaves out is said on standard error.
    fn workload(&self, topology: &Topology) -> anyhow::Result<Option<Workload>> {
        let Some(path) = &self.trace else {
            if let Some(guest) = &self.traffic.guest {
                let location = SourceLocation::option(format!("--guest {guest}"));
                return Err(
                    Error::input(location, "no --trace", "--trace FILE: its jobs talk").into()
                );
            }
            return Ok(None);
        };
        let default = ["fifo:0", "first-fit:1", "span-best-fit", "slurm-best-fit"];
        let allocators = match self.allocators.as_slice() {
            [] => default.map(String::from).to_vec(),
            given => given.to_vec(),
        };
        allocators.iter().try_for_each(|text| ALLOCATORS.find(text).map(|_| ()))?;
        let nodes = topology.node_count() as u32;
        if let Some(text) = &self.policy {
            scheduled(text).map(policy::check).transpose()?;
        }
        if let Some(text) = &self.model {
            model::check(text)?;
            if self.policy.as_deref() == Some("none") {
                let location = SourceLocation::option(format!("--model {text}"));
                let found = "--policy none, which schedules nothing";
                return Err(Error::input(location, found, "a policy").into());
            }
        }
        let super::replay::Opened { log, trace, .. } =
            super::replay::open(path, self.procs_per_node.unwrap_or(1), nodes)?;
        let (sizes, queue) = match trace {
            Some(trace) => {
                let queue = scheduled(self.policy.as_deref().unwrap_or("easy")).map(|policy| {
                    let terms = TraceSettings {
                        trace: trace.name().to_string(),
                        policy: policy.to_string(),
                        allocator: match self.allocators.as_slice() {
                            [first, ..] => first.clone(),
                            [] => "span-best-fit".into(),
                        },
                        model: self.model.clone().unwrap_or_else(|| MODEL.to_string()),
                    };
                    (Task::of(&trace), terms)
                });
                (Sizes::of_trace(&trace, Weight::Jobs), queue)
            }
            None => {
                let given = [("--policy", &self.policy), ("--model", &self.model)];
                if let Some((option, Some(text))) = given.into_iter().find(|(_, v)| v.is_some()) {
                    let location = SourceLocation::option(format!("{option} {text}"));
                    let found = format!("{}, a placement log", path.display());
                    let expected = "an SWF trace, whose jobs have times";
                    return Err(Error::input(location, found, expected).into());
                }
                let name = path.display().to_string();
                (Sizes::read(&name, Weight::Jobs, &Options::default())?, None)
            }
        };
        Ok(Some(Workload { log, sizes, allocators, queue }))
    }

    /// The ordering to search, where one is wanted.
    fn searched(&self) -> Option<String> {
        let budget = self.optimise.as_ref()?;
        let sizes = match &self.trace {
            Some(path) => path.display().to_string(),
            None => "log-uniform".into(),
        };
        let processors = match self.procs_per_node {
            Some(count) => format!(",procs-per-node={count}"),
            None => String::new(),
        };
        Some(format!("optimise:weights=workload,sizes={sizes}{processors},{budget}"))
    }

    /// The command line that makes this comparison again.
    fn command(&self, context: &Context) -> String {
        let mut words = vec!["nodeorder".to_string(), "compare".into()];
        words.extend(self.specs.iter().cloned());
        for order in &self.orders {
            words.extend(["--order".into(), order.clone()]);
        }
        if let Some(trace) = &self.trace {
            words.extend(["--trace".into(), trace.display().to_string()]);
        }
        for allocator in &self.allocators {
            words.extend(["--alloc".into(), allocator.clone()]);
        }
        if let Some(processors) = self.procs_per_node {
            words.extend(["--procs-per-node".into(), processors.to_string()]);
        }
        let workload = [
            ("--policy", &self.policy),
            ("--model", &self.model),
            ("--guest", &self.traffic.guest),
            ("--routing", &self.traffic.routing),
        ];
        for (option, value) in workload {
            if let Some(value) = value {
                words.extend([option.into(), value.clone()]);
            }
        }
        if let Some(budget) = &self.optimise {
            words.push(format!("--optimise={budget}"));
        }
        if let Some(prices) = &self.prices {
            words.extend(["--prices".into(), prices.clone()]);
        }
        if context.seed != 1 {
            words.extend(["--seed".into(), context.seed.to_string()]);
        }
        if let Some(out) = &self.out {
            words.extend(["--out".into(), out.display().to_string()]);
        }
        words.iter().map(|word| output::quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// The policy that `--policy` asks for, if any.
fn scheduled(text: &str) -> Option<&str> {
    (text != "none").then_some(text)
}

/// Of orderings that came out the same, the first: on many machines two families coincide.
fn distinct(orders: Vec<NodeOrder>) -> Vec<NodeOrder> {
    let mut kept: Vec<NodeOrder> = Vec::new();
    for order in orders {
        if kept.iter().all(|other| other.nodes() != order.nodes()) {
            kept.push(order);
        }
    }
    kept
}

/// Writes every file of the report; the page comes last, so that it never refers to what is not there.
fn write_folder(folder: &Path, mut files: Vec<report::File<'_>>) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{}: creating the folder", folder.display()))?;
    files.sort_by_key(|file| file.name == "index.html");
    for file in &files {
        let path = folder.join(&file.name);
        let mut out = Output::open(Some(&path))?;
        file.write_to(&mut out).with_context(|| output::name(Some(&path)))?;
        out.finish()?;
    }
    Ok(())
}

fn write_table(out: &mut impl Write, comparison: &Comparison) -> anyhow::Result<()> {
    let machine = &comparison.topology;
    let about = format!(
        "{}: {} nodes on {} routers, diameter {}, mean distance {:.3} hops",
        machine.name, machine.nodes, machine.routers, machine.diameter, machine.mean_distance
    );
    layout::sentence(out, &about)?;
    let what = "Mean hops between a job's nodes, by job size; best first by the log-spaced mean.";
    layout::sentence(out, what)?;
    writeln!(out)?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["#".to_string(), "ordering".into(), "mean(log)".into(), "mean".into()];
    header.extend(["best at".into(), "step".into()]);
    header.extend(comparison.sizes.iter().map(|s| format!("S={s}")));
    table.set_header(header);
    for (i, entry) in comparison.entries.iter().enumerate() {
        let mut row = vec![(i + 1).to_string(), entry.label.clone()];
        row.extend([format!("{:.3}", entry.mean_log), format!("{:.3}", entry.mean_plain)]);
        row.extend([
            format!("{:.0}%", 100.0 * entry.best_share),
            format!("{:.3}", entry.mean_step),
        ]);
        let at = entry.at.iter().map(|v| v.map_or_else(String::new, |v| format!("{v:.2}")));
        row.extend(at);
        table.add_row(row);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        if i != 1 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(out, "{}", layout::fitted(table, 3, &std::io::stdout()))?;
    writeln!(out)?;
    layout::sentence(out, &winners(comparison))?;
    if let Some(floor) = comparison.floor_mean_log {
        let bound = format!("No ordering of this machine can have a mean(log) below {floor:.3}.");
        layout::sentence(out, &bound)?;
    }
    Ok(())
}

/// The replay's outcome, orderings as given, and how good a forecast the curves are.
fn write_prediction(out: &mut impl Write, prediction: &Prediction) -> anyhow::Result<()> {
    let p = prediction;
    let about = format!(
        "Replay of {}: {} jobs placed, {} skipped. Mean hops between a job's nodes, by allocator.",
        p.workload, p.placed, p.skipped
    );
    writeln!(out)?;
    layout::sentence(out, &about)?;
    writeln!(out)?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["ordering".to_string(), "weighted MPC".into()];
    header.extend(p.allocators.iter().cloned());
    table.set_header(header);
    let show = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".into(), |v| format!("{v:.digits$}"))
    };
    for row in &p.rows {
        let mut cells = vec![row.ordering.clone(), format!("{:.4}", row.weighted_mpc)];
        cells.extend(row.mean_mind.iter().map(|m| show(*m, 4)));
        table.add_row(cells);
    }
    let mut last = vec!["rank correlation with weighted MPC".to_string(), String::new()];
    last.extend(p.agreement.iter().map(|a| show(a.spearman, 2)));
    table.add_row(last);
    write_columns(out, table)?;
    let Some((pattern, routing)) = &p.guest else { return Ok(()) };
    let about = format!(
        "The jobs talk ({pattern}, {routing}). Mean of the highest contention a job meets, and mean hops of its \
         traffic, by allocator."
    );
    writeln!(out)?;
    layout::sentence(out, &about)?;
    writeln!(out)?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut header = vec!["ordering".to_string()];
    header.extend(p.allocators.iter().flat_map(|a| [a.clone(), "hops".into()]));
    table.set_header(header);
    for row in &p.rows {
        let mut cells = vec![row.ordering.clone()];
        let met = row.traffic.iter().flat_map(|m| [m.mean_contention, m.mean_dilation]);
        cells.extend(met.map(|m| show(m, 4)));
        table.add_row(cells);
    }
    write_columns(out, table)
}

/// What the queue made of it, orderings as given.
fn write_schedules(out: &mut impl Write, schedules: &Schedules) -> anyhow::Result<()> {
    let allocator = match &schedules.allocator {
        Some(allocator) => format!(", {allocator}"),
        None => String::new(),
    };
    writeln!(
        out,
        "\nSchedule of {}: {}{allocator}, {}. Times in seconds.\n",
        schedules.trace, schedules.policy, schedules.model
    )?;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["ordering", "jobs", "wait", "response", "slowdown", "utilisation", "hops"]);
    for row in &schedules.rows {
        table.add_row([
            row.ordering.clone(),
            row.jobs.to_string(),
            format!("{:.1}", row.mean_wait),
            format!("{:.1}", row.mean_response),
            format!("{:.3}", row.mean_bounded_slowdown),
            format!("{:.2}%", 100.0 * row.utilisation),
            row.mean_mind.map_or_else(|| "-".into(), |v| format!("{v:.4}")),
        ]);
    }
    write_columns(out, table)
}

/// A table whose columns after the first are numbers.
fn write_columns(out: &mut impl Write, mut table: Table) -> anyhow::Result<()> {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Ok(writeln!(out, "{}", layout::fitted(table, 1, &std::io::stdout()))?)
}

/// Who is best where, in a line: the long stretches by name, the rest counted.
fn winners(comparison: &Comparison) -> String {
    let octaves = |from: usize, to: usize| ((to + 1) as f64 / from as f64).log2();
    let mut named: Vec<String> = Vec::new();
    let mut short = 0;
    for stretch in &comparison.stretches {
        if octaves(stretch.from, stretch.to) >= 0.3 {
            let label = &comparison.entries[stretch.winner].label;
            named.push(format!("{}-{} {label}", stretch.from, stretch.to));
        } else {
            short += 1;
        }
    }
    let rest =
        if short > 0 { format!(" ({short} shorter stretches between)") } else { String::new() };
    format!("Best by size: {}{rest}.", named.join("; "))
}
