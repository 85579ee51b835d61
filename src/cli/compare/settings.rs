//! `compare --settings`: which block and segment sizes, or which placements, of Slurm's topology plugin suit a trace.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;

use serde_json::json;

use crate::shared::output::{self, Output};
use crate::shared::tables::{number, table};
use crate::shared::workload::WorkloadArgs;
use crate::shared::{inputs, layout, own_files, progress, sweep_folder};
use nodeorder::allocator::{AllocatorContext, slurm_settings};
use nodeorder::columns::sweep::ResultRow;
use nodeorder::error::Error;
use nodeorder::input::Text;
use nodeorder::metric::rank_distances::RankDistances;
use nodeorder::ordering::NodeOrder;
use nodeorder::report;
use nodeorder::report::sweep::Figure;
use nodeorder::schedule::{Outputs, Settings, Task, simulate};
use nodeorder::sweep::{self, Plan, store};
use nodeorder::topology::{Context, Topology};
use nodeorder::trace::{Options, Trace, open};

/// Options of `compare --settings`.
pub struct SettingsRequest<'r> {
    pub spec: &'r str,
    pub orders: &'r [String],
    pub workload: &'r WorkloadArgs,
    pub out: Option<&'r Path>,
    pub json: bool,
}

/// The column that names the setting.
const SETTING: &str = "allocator";

/// The table on the terminal: columns of the results, and what they are called there.
const SHOWN: [(&str, &str, usize); 8] = [
    ("never_placed", "never", 0),
    ("mean_wait", "wait", 1),
    ("wait_p90", "wait 90%", 1),
    ("utilisation", "utilisation", 4),
    ("mean_placeable", "largest job", 1),
    ("mean_stranded", "beyond it", 1),
    ("mean_slurm_fragmentation", "fragmentation", 0),
    ("mean_ring_step", "ring step", 3),
];

/// Schedules the trace under every setting that may suit, and ranks these.
pub fn run(request: &SettingsRequest<'_>, context: &Context) -> anyhow::Result<()> {
    let (trace, policy, order) = request.checked()?;
    let topology = inputs::topology(request.spec, context)?;
    let options = Options {
        nodes: Some(topology.node_count() as u32),
        ..inputs::trace_options(request.workload.procs_per_node, context)
    };
    let jobs = open::trace(trace, &options)?;
    inputs::report_tally(&jobs);
    let settings = request.settings(&topology, &jobs)?;
    let text = request.plan(&settings, trace, policy, order, context.seed);
    // The plan's lines are nobody's: an error is that of what they name.
    let plan =
        Plan::read(&Text::new("--settings", text.as_str()), None, context).map_err(
            |e| match e {
                Error::Named { cause, .. } => *cause,
                other => other,
            },
        )?;
    sweep_folder::say_remarks(&plan);
    let assumed = &plan.remarks.assumed;
    let (rows, table) = results(&plan, context)?;
    let ranking = ranking(&rows);
    if let Some(folder) = request.out {
        let best = ranking.first().map_or("".into(), |row| row.text(SETTING));
        let (over_time, curves) = over_time(&topology, order, &jobs, policy, &best)?;
        let caption = format!(
            "The machine under {best}: the largest job that could still be placed, and Slurm's fragmentation, below \
             use and queue."
        );
        let extra = curves.map(|svg| Figure { caption, file: "over-time.svg".into(), svg });
        // The plan goes along as a text: with more settings in it `nodeorder sweep` takes it.
        let manifest = manifest(trace, &text, &table, assumed);
        let mut files = report::sweep::page("results.csv", &rows, &manifest, extra)?;
        files.push(("results.csv".into(), table));
        files.push(("manifest.json".into(), format!("{manifest:#}\n")));
        files.push(("over-time.csv".into(), over_time));
        let files = files.into_iter().map(|(name, text)| report::File::text(name, text));
        own_files::write_report(folder, "compare", files.collect())?;
    }
    if request.json {
        let rows: Vec<serde_json::Value> = ranking.iter().map(|row| object(row)).collect();
        let mut document = json!({
            "version": env!("CARGO_PKG_VERSION"), "topology": topology.spec(),
            "trace": trace.display().to_string(), "policy": policy, "ordering": order, "settings": rows,
        });
        if let Some(assumption) = topology.network().assumption().filter(|_| !assumed.is_empty()) {
            document["assumed"] = json!(assumption);
        }
        return output::write(None, format!("{document:#}\n"));
    }
    let mut out = Output::open(None)?;
    write_table(
        &mut out,
        &ranking,
        &format!("{} on {}, {policy}", trace.display(), topology.name()),
    )?;
    output::say_page(&mut out, request.out)?;
    out.finish()
}

/// The document beside the table.
fn manifest(trace: &Path, plan: &str, table: &str, assumed: &[String]) -> serde_json::Value {
    let name = format!("settings for {}", trace.display());
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"), "plan": {"name": name, "text": plan},
        "results": store::checksum(table.as_bytes()),
    });
    if !assumed.is_empty() {
        document["assumed"] = json!(assumed);
    }
    document
}

impl SettingsRequest<'_> {
    /// The trace, the policy and the ordering; options that settings have no use for are refused.
    fn checked(&self) -> anyhow::Result<(&Path, &str, &str)> {
        let wrong = Error::option::<&str, &str, &str>;
        let trace =
            self.workload.trace.as_deref().ok_or_else(|| {
                wrong("--settings", "no --trace", "--trace FILE: the jobs to place")
            })?;
        let policy = self
            .workload
            .asked()
            .scheduled()
            .ok_or_else(|| wrong("--policy none", "no schedule", "a policy, such as easy"))?;
        self.workload.asked().check()?;
        if self.workload.traffic.guest.is_some() {
            let found = "--settings, which has no traffic";
            return Err(wrong("--guest", found, "one of the two").into());
        }
        match self.orders {
            [] => Ok((trace, policy, "row-major")),
            [one] => Ok((trace, policy, one)),
            _ => Err(wrong("--order", "several orderings", "one: Slurm's table of nodes").into()),
        }
    }

    /// The settings of `--alloc`, else the ones that may suit machine and jobs.
    fn settings(&self, topology: &Topology, jobs: &Trace) -> anyhow::Result<Vec<String>> {
        if !self.workload.allocators.is_empty() {
            return Ok(self.workload.allocators.clone());
        }
        let sizes: Vec<u32> = jobs.jobs().iter().map(|job| job.nodes).collect();
        Ok(slurm_settings(topology, &sizes)?)
    }

    /// The plan of the sweep.
    fn plan(
        &self,
        settings: &[String],
        trace: &Path,
        policy: &str,
        order: &str,
        seed: u64,
    ) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let list: Vec<String> = settings.iter().map(|text| quoted(text)).collect();
        let trace = quoted(&trace.display().to_string());
        let model = match &self.workload.model {
            Some(model) => format!("models = [{}]\n", quoted(model)),
            None => String::new(),
        };
        format!(
            "name = \"settings\"\ntopologies = [{}]\norderings = [{}]\ntraces = [{trace}]\nprocs_per_node = [{}]\n\
             policies = [{}]\n{model}allocators = [{}]\nseeds = [{seed}]\nshape = true\nroom = true\n",
            quoted(self.spec),
            quoted(order),
            self.workload.procs_per_node.unwrap_or(1),
            quoted(policy),
            list.join(", "),
        )
    }
}

/// The rows of a plan, computed here and now, and their table as CSV.
fn results(plan: &Plan, context: &Context) -> anyhow::Result<(Vec<ResultRow>, String)> {
    let cells: Vec<usize> = (0..plan.cells().len()).collect();
    let bar = progress::bar(cells.len() as u64, "settings");
    let rows = Mutex::new(BTreeMap::new());
    sweep::run(plan, context, &cells, |cell, values| -> anyhow::Result<()> {
        rows.lock().unwrap_or_else(|e| e.into_inner()).insert(cell, values);
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let rows = rows.into_inner().unwrap_or_else(|e| e.into_inner()).into_values();
    let (names, mut table) = (store::columns(plan), store::header(plan)?);
    let mut kept = Vec::new();
    for values in rows {
        table.push_str(&store::line(values.iter().cloned())?);
        kept.push(ResultRow::new(&names, values));
    }
    Ok((kept, table))
}

/// Settings, best first: those that place the most jobs, of these the shortest mean wait, then in the order of the plan.
fn ranking(rows: &[ResultRow]) -> Vec<&ResultRow> {
    let mut ranking: Vec<&ResultRow> = rows.iter().collect();
    let key = |row: &ResultRow, column| row.number(column).unwrap_or(f64::INFINITY);
    ranking.sort_by(|a, b| {
        let by = |column| key(a, column).total_cmp(&key(b, column));
        by("never_placed").then(by("mean_wait"))
    });
    ranking
}

/// A setting as a JSON object: numbers as numbers, `null` where there is none.
fn object(row: &ResultRow) -> serde_json::Value {
    let shown = SHOWN.iter().filter(|(name, ..)| row.has(name));
    let figures = shown.map(|(name, ..)| (name.to_string(), row.number(name).into()));
    let first = ("setting".to_string(), row.text(SETTING).into());
    serde_json::Value::Object(std::iter::once(first).chain(figures).collect())
}

fn write_table(out: &mut impl Write, ranking: &[&ResultRow], title: &str) -> anyhow::Result<()> {
    let about = format!(
        "{title}. Settings that place the most jobs first, of these the shortest mean wait (s). Largest job: nodes of \
         the largest that could still be placed, mean over time; beyond it: free nodes that it would leave."
    );
    layout::sentence(out, &about)?;
    let header = std::iter::once("setting").chain(SHOWN.iter().map(|shown| shown.1));
    let rows = ranking.iter().map(|row| {
        let cells = SHOWN.iter().map(|(column, _, decimals)| number(row.number(column), *decimals));
        std::iter::once(row.text(SETTING).into_owned()).chain(cells).collect()
    });
    let rows = table(header.map(String::from).collect(), rows, 1);
    writeln!(out, "\n{}", layout::fitted(rows, 1, &std::io::stdout()))?;
    Ok(())
}

/// The machine over time under one setting: as CSV, and drawn where time passes.
fn over_time(
    topology: &Topology,
    order: &str,
    jobs: &Trace,
    policy: &str,
    setting: &str,
) -> anyhow::Result<(String, Option<String>)> {
    let order = NodeOrder::make(topology, order)?;
    let distances = RankDistances::new(topology, &order)?;
    let context = AllocatorContext { topology, order: &order, distances: &distances };
    let outputs = Outputs { timeline: true, room: true, ..Outputs::default() };
    let settings = Settings { policy, allocator: setting, model: "fixed", outputs, rules: None };
    let result = simulate(&context, &Task::of(jobs), &settings, &|_| ())?;
    let mut table = Vec::new();
    report::schedule::write_timeline(&mut table, &result)?;
    let drawings = report::schedule::drawings(setting, &result)?;
    let curves = drawings.into_iter().find(|(name, _)| name == "curves.svg").map(|(_, svg)| svg);
    Ok((String::from_utf8_lossy(&table).into_owned(), curves))
}
