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
use nodeorder::machines::Difference;
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
    /// Schedules of each setting, and by how many seconds their submits differ where there are several.
    pub seeds: u64,
    pub shake: u64,
    pub json: bool,
}

/// The column that names the setting.
const SETTING: &str = "allocator";

/// The table on the terminal: columns of the results, what they are called there, decimals.
const SHOWN: [(&str, &str, usize); 11] = [
    ("never_placed", "never", 0),
    ("mean_wait", "wait", 1),
    ("wait_p90", "wait 90%", 1),
    ("utilisation", "utilisation", 4),
    ("utilisation_waiting", "use in waits", 4),
    ("schedule_mean_mind", "hops", 3),
    (UNITS, "units", 3),
    ("mean_placeable", "largest job", 1),
    ("mean_stranded", "beyond it", 1),
    ("mean_slurm_fragmentation", "fragmentation", 0),
    ("mean_ring_step", "ring step", 3),
];

/// A list by level, of which the leaf's mean units of a job are shown.
const UNITS: &str = "units";

/// Settings that have the same figures, and these over seeds.
struct Setting {
    names: Vec<String>,
    /// By seed, in the order of [`SHOWN`].
    seeds: Vec<Vec<Option<f64>>>,
    /// Their means with intervals; none where a seed has none.
    figures: Vec<Option<Difference>>,
}

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
        let best = ranking.first().map_or("", |setting| &setting.names[0]);
        let (over_time, curves) = over_time(&topology, order, &jobs, policy, best)?;
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
        let rows: Vec<serde_json::Value> = ranking.iter().map(Setting::object).collect();
        let mut document = json!({
            "version": env!("CARGO_PKG_VERSION"), "topology": topology.spec(),
            "trace": trace.display().to_string(), "policy": policy, "ordering": order, "settings": rows,
            "seeds": request.seeds, "shake": request.shaken(),
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
        &format!("{} on {}, {policy}{}", trace.display(), topology.name(), request.said()),
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
        let mut settings = self.workload.allocators.clone();
        if settings.is_empty() {
            let sizes: Vec<u32> = jobs.jobs().iter().map(|job| job.nodes).collect();
            settings = slurm_settings(topology, &sizes)?;
        }
        self.workload.add_rules(&mut settings)?;
        Ok(settings)
    }

    /// Seconds by which submits differ: none in the trace as it is.
    fn shaken(&self) -> Option<u64> {
        (self.seeds > 1).then_some(self.shake)
    }

    /// Where the intervals come from.
    fn said(&self) -> String {
        let text = |shake| {
            let seeds = self.seeds;
            format!(
                "; means over {seeds} seeds that submit each job up to {shake} s earlier or later, ± 95 %"
            )
        };
        self.shaken().map(text).unwrap_or_default()
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
        let shaken = |shake| format!("transforms = [\"shake={shake}\"]\n");
        let shaken = self.shaken().map(shaken).unwrap_or_default();
        let seeds: Vec<String> = (0..self.seeds).map(|i| (seed + i).to_string()).collect();
        format!(
            "name = \"settings\"\ntopologies = [{}]\norderings = [{}]\ntraces = [{trace}]\nprocs_per_node = [{}]\n\
             policies = [{}]\n{model}{shaken}allocators = [{}]\nseeds = [{}]\nshape = true\nroom = true\n",
            quoted(self.spec),
            quoted(order),
            self.workload.procs_per_node.unwrap_or(1),
            quoted(policy),
            list.join(", "),
            seeds.join(", "),
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

/// A figure of a schedule.
fn figure(row: &ResultRow, column: &str) -> Option<f64> {
    match column {
        UNITS => {
            let levels: serde_json::Value = serde_json::from_str(&row.text(UNITS)).ok()?;
            levels[0]["spanned"].as_f64()
        }
        _ => row.number(column),
    }
}

/// Settings, best first: those that place the most jobs, of these the shortest mean wait, then in the order of the plan.
/// Those with the same figures in all seeds are one.
fn ranking(rows: &[ResultRow]) -> Vec<Setting> {
    let mut ranking: Vec<Setting> = Vec::new();
    for row in rows {
        let name = row.text(SETTING);
        let figures = SHOWN.iter().map(|(column, ..)| figure(row, column)).collect();
        match ranking.iter_mut().find(|setting| setting.names[0] == name) {
            Some(setting) => setting.seeds.push(figures),
            None => ranking.push(Setting {
                names: vec![name.into_owned()],
                seeds: vec![figures],
                figures: Vec::new(),
            }),
        }
    }
    let mut kept: Vec<Setting> = Vec::new();
    for mut setting in ranking {
        if let Some(same) = kept.iter_mut().find(|other| other.seeds == setting.seeds) {
            same.names.append(&mut setting.names);
            continue;
        }
        let mean = |(at, (column, ..)): (usize, &(&'static str, &str, usize))| {
            let values: Option<Vec<f64>> = setting.seeds.iter().map(|seed| seed[at]).collect();
            Some(Difference::over_seeds(column, "", &values?))
        };
        setting.figures = SHOWN.iter().enumerate().map(mean).collect();
        kept.push(setting);
    }
    let key = |setting: &Setting, at: usize| {
        setting.figures[at].as_ref().map_or(f64::INFINITY, |figure| figure.difference)
    };
    kept.sort_by(|a, b| {
        let by = |at| key(a, at).total_cmp(&key(b, at));
        by(0).then(by(1))
    });
    kept
}

/// Half the interval of a mean.
fn half(figure: &Difference) -> Option<f64> {
    figure.high.map(|high| high - figure.difference)
}

impl Setting {
    /// A JSON object: means as numbers, `null` where there is none, half their intervals, settings with the same figures.
    fn object(&self) -> serde_json::Value {
        let names = || SHOWN.iter().map(|(name, ..)| name.to_string()).zip(&self.figures);
        let means = names().map(|(name, f)| (name, f.as_ref().map(|f| f.difference).into()));
        let halves = names().map(|(name, f)| (name, f.as_ref().and_then(half).into()));
        let first = ("setting".to_string(), self.names[0].as_str().into());
        let more = [
            ("same".to_string(), self.names[1..].into()),
            ("interval".to_string(), serde_json::Value::Object(halves.collect())),
        ];
        serde_json::Value::Object(std::iter::once(first).chain(means).chain(more).collect())
    }
}

fn write_table(out: &mut impl Write, ranking: &[Setting], title: &str) -> anyhow::Result<()> {
    let about = format!(
        "{title}. Settings that place the most jobs first, of these the shortest mean wait (s). Hops: mean between the \
         nodes of a job; units: leaf units that a job spans. Largest job: nodes of the largest that could still be \
         placed, mean over time; beyond it: free nodes that it would leave."
    );
    layout::sentence(out, &about)?;
    let known = |(at, _): &(usize, _)| ranking.iter().any(|setting| setting.figures[*at].is_some());
    let shown: Vec<_> = SHOWN.iter().enumerate().filter(known).collect();
    let header = std::iter::once("setting").chain(shown.iter().map(|(_, shown)| shown.1));
    let rows = ranking.iter().map(|setting| {
        let more = setting.names.len() - 1;
        let name =
            setting.names[0].clone() + &if more > 0 { format!(" +{more}") } else { "".into() };
        let cells = shown.iter().map(|(at, (_, _, decimals))| {
            let figure = setting.figures[*at].as_ref();
            let half = figure.and_then(half).map(|half| format!(" ± {half:.decimals$}"));
            number(figure.map(|f| f.difference), *decimals) + &half.unwrap_or_default()
        });
        std::iter::once(name).chain(cells).collect()
    });
    let rows = table(header.map(String::from).collect(), rows, 1);
    writeln!(out, "\n{}", layout::fitted(rows, 1, &std::io::stdout()))?;
    for Setting { names, .. } in ranking.iter().filter(|setting| setting.names.len() > 1) {
        writeln!(
            out,
            "+{}: the same figures as {}: {}",
            names.len() - 1,
            names[0],
            names[1..].join(" ")
        )?;
    }
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
