//! `nodeorder tune`: which block and segment sizes, or which placements, of Slurm's topology plugin suit a trace.

use crate::shared::output::Output;
use crate::shared::tables::{format_number, write_section};
use crate::shared::{inputs, output, own_files, progress, sweep_folder, workload};
use clap::Args;
use nodeorder_base::Error;
use nodeorder_jobs::allocator::{AllocatorContext, slurm_settings};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{Settings, Task, simulate};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::columns::sweep::ResultRow;
use nodeorder_present::machines::WorkloadOptions;
use nodeorder_present::report;
use nodeorder_present::report::sweep::{
    Figure, RankedSetting, cut_name, describe_lead, rank_settings,
};
use nodeorder_sweep::{Plan, PlanSpec, ResultsTable, checksum};
use nodeorder_trace::{Options, Trace, open};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Schedule a trace under settings of Slurm's topology plugin, and rank them
#[derive(Debug, Args)]
#[command(
    after_help = "Example: nodeorder tune torus:8x8x4 --trace jobs.swf --seeds 3 --out torus-settings"
)]
pub struct Command {
    /// The machine: any file that describes it, the name of a shipped one, or kind:options
    spec: String,
    /// A record of jobs: an SWF trace, plain or .gz, to schedule
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// An allocator (see `nodeorder list allocators`): a setting to schedule; repeat for several [default: block and
    /// segment sizes of slurm-block, or placements of slurm-torus3d, that may suit machine and jobs]
    #[arg(long = "alloc", value_name = "A")]
    allocators: Vec<String>,
    /// Options of jobs by their sizes: CSV from,to,options, as in 64,511,segment=16; for every setting but those with
    /// `rules=FILE`
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// An ordering: Slurm's table of nodes
    #[arg(long, value_name = "ORD", default_value = "row-major")]
    order: String,
    /// Processors per node, in SWF traces
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u32).range(1..))]
    procs_per_node: Option<u32>,
    /// Queue policy (see `nodeorder list policies`) [default: easy]
    #[arg(long, value_name = "P")]
    policy: Option<String>,
    /// Runtime model (see `nodeorder list models`) [default: fixed]
    #[arg(long, value_name = "M")]
    model: Option<String>,
    /// Schedules of each setting, for means with intervals; 1: the trace as it is
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u64).range(1..=1000)
    )]
    seeds: u64,
    /// Submit every job up to so many seconds earlier or later, at random; where there are several --seeds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    shake: u64,
    /// Write into the folder DIR: a page (index.html), the best setting over time as SVG and the data as CSV
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Columns of the table on the terminal: column of the results, heading, decimals.
const SHOWN: [(&str, &str, usize); 11] = [
    ("never_placed", "never", 0),
    ("mean_wait", "wait", 1),
    ("wait_p90", "wait 90 %", 1),
    ("utilisation", "utilisation", 4),
    ("utilisation_waiting", "use in waits", 4),
    ("schedule_mean_mind", "hops", 3),
    ("units", "units", 3),
    ("mean_placeable", "largest job", 1),
    ("mean_stranded", "beyond it", 1),
    ("mean_slurm_fragmentation", "fragmentation", 0),
    ("mean_ring_step", "ring step", 3),
];

/// Describes a setting as a JSON object: means as numbers (`null` where there is none), half their intervals, and the
/// settings with the same figures.
fn setting_json(setting: &RankedSetting) -> Value {
    let names = &setting.names;
    let mut object = json!({"setting": names[0], "same": names[1..], "interval": {}});
    for (at, (name, ..)) in SHOWN.iter().enumerate() {
        let (mean, half) = setting.mean_and_interval(at);
        (object[name], object["interval"][name]) = (json!(mean), json!(half));
    }
    object
}

impl Command {
    /// Schedules the trace under every setting that may suit, and ranks these.
    pub fn run(self, context: &Context) -> anyhow::Result<()> {
        let policy = self.check_policy()?;
        let topology = inputs::build_topology(&self.spec, context)?;
        let options = Options {
            nodes: Some(topology.node_count() as u32),
            ..inputs::trace_options(self.procs_per_node, context)
        };
        let jobs = open::open_trace(&self.trace, &options)?;
        inputs::report_tally(&jobs);
        let settings = self.choose_settings(&topology, &jobs)?;
        let spec = self.plan_sweep(settings, policy, context.seed);
        // Now, as the plan takes the lists: the manifest holds this text, from which the sweep can be run again.
        let text = spec.to_toml();
        let plan = Plan::new(spec, context)?;
        sweep_folder::say_remarks(&plan);
        let assumed = &plan.remarks.assumed;
        let (rows, table) = run_plan(&plan, context)?;
        let ranking = rank_settings(&rows, &SHOWN.map(|(column, ..)| column));
        if let Some(folder) = &self.out {
            // One setting over time is enough for a picture; the trace is taken as it is, not shaken.
            let best = ranking.first().map_or("", |setting| &setting.names[0]);
            let over_time = self.timeline_files(&topology, &jobs, policy, best)?;
            // The plan goes along as a text: with more settings in it `nodeorder sweep` takes it.
            let manifest = describe_table(&self.trace, &text, &table, assumed);
            write_page(folder, &manifest, &rows, table, best, over_time)?;
        }
        if self.json {
            let mut document = json!({
                "version": env!("CARGO_PKG_VERSION"), "topology": topology.spec(),
                "trace": self.trace.display().to_string(), "policy": policy, "ordering": self.order,
                "settings": ranking.iter().map(setting_json).collect::<Value>(),
                "seeds": self.seeds, "shake": self.submit_jitter(),
            });
            if !assumed.is_empty() {
                document["assumed"] = json!(topology.network().assumption());
            }
            return output::write_json(None, &document);
        }
        let mut out = Output::open(None)?;
        let title = self.describe_trace(&format!(
            "{} on {}, {policy}",
            self.trace.display(),
            topology.name()
        ));
        write_table(&mut out, &ranking, &title)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Checks settings, policy and model, and returns the policy.
    fn check_policy(&self) -> anyhow::Result<&str> {
        let options = WorkloadOptions {
            allocators: &self.allocators,
            policy: self.policy.as_deref(),
            model: self.model.as_deref(),
        };
        let policy = options.schedule_policy().ok_or_else(|| {
            let expected = "a policy, such as easy";
            Error::option("--policy none", "no schedule", expected)
        })?;
        options.check()?;
        Ok(policy)
    }

    /// Chooses the most seconds by which submits are moved at random. `None` with a single seed.
    fn submit_jitter(&self) -> Option<u64> {
        // A single schedule has no interval: it is of the trace as recorded.
        (self.seeds > 1).then_some(self.shake)
    }

    /// Chooses the settings of `--alloc`, else the ones that may suit machine and jobs.
    fn choose_settings(&self, topology: &Topology, jobs: &Trace) -> anyhow::Result<Vec<String>> {
        let mut settings = self.allocators.clone();
        if settings.is_empty() {
            let sizes: Vec<u32> = jobs.jobs().iter().map(|job| job.nodes).collect();
            settings = slurm_settings(topology, &sizes)?;
        }
        workload::add_rules(self.rules.as_deref(), &mut settings)?;
        Ok(settings)
    }

    /// Says which trace was scheduled where, and where intervals come from.
    fn describe_trace(&self, jobs: &str) -> String {
        let seeds = self.seeds;
        match self.submit_jitter() {
            Some(s) => format!(
                "{jobs}; means over {seeds} seeds, jobs up to {s} s earlier or later, ± 95 %"
            ),
            None => jobs.to_string(),
        }
    }

    /// Builds the plan of the sweep over the settings and seeds.
    fn plan_sweep(&self, settings: Vec<String>, policy: &str, seed: u64) -> PlanSpec {
        PlanSpec {
            name: "settings".into(),
            topologies: vec![self.spec.clone()],
            orderings: vec![self.order.clone()],
            traces: vec![self.trace.display().to_string()],
            procs_per_node: vec![self.procs_per_node.unwrap_or(1)],
            policies: vec![policy.into()],
            models: self.model.iter().cloned().collect(),
            transforms: self
                .submit_jitter()
                .map(|s| format!("shake={s}"))
                .into_iter()
                .collect(),
            allocators: settings,
            // From `--seed` on, so that a further run with a higher seed has other draws.
            seeds: (0..self.seeds).map(|i| seed + i).collect(),
            // Columns of the ranking (units, ring, largest job) are only there where the plan asks for them.
            shape: true,
            room: true,
            ..PlanSpec::default()
        }
    }

    /// Makes the files that show the machine over time under one setting: a CSV, and a figure where any time passes.
    fn timeline_files(
        &self,
        topology: &Topology,
        jobs: &Trace,
        policy: &str,
        setting: &str,
    ) -> anyhow::Result<(String, Option<String>)> {
        let order = NodeOrder::make(topology, &self.order)?;
        let distances = RankDistances::new(topology, &order)?;
        let context = AllocatorContext {
            topology,
            order: &order,
            distances: &distances,
        };
        let settings = Settings {
            policy,
            allocator: setting,
            model: self.model.as_deref().unwrap_or("fixed"),
            metrics: false,
            figures: FigureSet {
                room: true,
                ..FigureSet::default()
            },
            timeline: true,
            rules: None,
        };
        let result = simulate(&context, &Task::from_trace(jobs), &settings, &|_| ())?;
        let mut table = Vec::new();
        report::schedule::write_timeline(&mut table, &result)?;
        let drawings = report::schedule::draw_figures(setting, &result)?;
        let curves = drawings
            .into_iter()
            .find(|(name, _)| name == "curves.svg")
            .map(|(_, svg)| svg);
        Ok((String::from_utf8_lossy(&table).into_owned(), curves))
    }
}

/// Builds the document that is written beside the table: how it was made.
fn describe_table(trace: &Path, plan: &str, table: &str, assumed: &[String]) -> Value {
    let name = format!("settings for {}", trace.display());
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"), "plan": {"name": name, "text": plan},
        "title": format!("Scheduler settings for {}", trace.display()),
        "results": checksum(table.as_bytes()),
    });
    if !assumed.is_empty() {
        document["assumed"] = json!(assumed);
    }
    document
}

/// Computes the rows of a plan, here and now, and their table as CSV.
fn run_plan(plan: &Plan, context: &Context) -> anyhow::Result<(Vec<ResultRow>, String)> {
    let bar = progress::show_steps(plan.cells().len() as u64, "settings");
    let rows = nodeorder_sweep::run_all(plan, context, || {
        bar.inc(1);
        anyhow::Ok(())
    })?;
    bar.finish_and_clear();
    let table = ResultsTable::new(plan);
    let named = rows.iter().map(|row| table.name_values(row)).collect();
    Ok((named, table.format_table(&rows)?))
}

/// Writes the page of the results, with the `best` setting over time: a table, and a figure where any time passes.
fn write_page(
    folder: &Path,
    manifest: &Value,
    rows: &[ResultRow],
    table: String,
    best: &str,
    (over_time, curves): (String, Option<String>),
) -> anyhow::Result<()> {
    let caption = format!(
        "The machine under {}: the largest job that could still be placed, and Slurm's fragmentation, below use \
         and queue.",
        cut_name(best)
    );
    let extra = curves.map(|svg| Figure {
        caption,
        file: "over-time.svg".into(),
        svg,
    });
    let mut files = report::sweep::page("results.csv", rows, manifest, extra)?;
    files.push(("results.csv".into(), table));
    files.push(("manifest.json".into(), format!("{manifest:#}\n")));
    files.push(("over-time.csv".into(), over_time));
    own_files::replace_files(folder, own_files::PAGE, files)
}

fn write_table(out: &mut impl Write, ranking: &[RankedSetting], title: &str) -> anyhow::Result<()> {
    let about = format!(
        "{title}. Settings that place the most jobs first, of these the shortest mean wait (s). Hops: mean between the \
         nodes of a job; units: leaf units that a job spans. Largest job: nodes of the largest that could still be \
         placed, mean over time; beyond it: free nodes that it would leave."
    );
    let header = std::iter::once("setting").chain(SHOWN.iter().map(|shown| shown.1));
    let rows = ranking.iter().map(|setting| {
        let more = setting.names.len() - 1;
        let more = if more > 0 {
            format!(" +{more}")
        } else {
            String::new()
        };
        let cells = SHOWN.iter().enumerate().map(|(at, (_, _, decimals))| {
            let (mean, half) = setting.mean_and_interval(at);
            let half = half.map(|half| format!(" ± {half:.decimals$}"));
            format_number(mean, *decimals) + &half.unwrap_or_default()
        });
        std::iter::once(setting.names[0].clone() + &more).chain(cells)
    });
    write_section(out, &about, header, rows, [1, 1])?;
    if let Some(first) = ranking.first() {
        writeln!(out, "{}: {}.", first.names[0], describe_lead(ranking))?;
    }
    for RankedSetting { names, .. } in ranking.iter().filter(|setting| setting.names.len() > 1) {
        writeln!(out, "Equal in all figures: {}", names.join(" = "))?;
    }
    Ok(())
}
