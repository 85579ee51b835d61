//! `compare --settings`: which block and segment sizes, or which placements, of Slurm's topology plugin suit a trace.

use crate::shared::kit::*;
use crate::shared::sweep_folder;
use crate::shared::tables::{number, table};
use crate::shared::workload::WorkloadArgs;
use nodeorder_jobs::allocator::{AllocatorContext, slurm_settings};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{Settings, Task, simulate};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::columns::sweep::ResultRow;
use nodeorder_present::machines::Difference;
use nodeorder_present::report;
use nodeorder_present::report::sweep::{Figure, RankedSetting, rank_settings};
use nodeorder_sweep::{Plan, PlanSpec, ResultsTable, checksum};
use nodeorder_trace::{Options, Trace, open};

/// Options of `compare --settings`.
pub struct SettingsRequest<'r> {
    pub spec: &'r str,
    pub orders: &'r [String],
    pub workload: &'r WorkloadArgs,
    pub out: Option<&'r Path>,
    /// Schedules of each setting, and by how many seconds their submits differ where there are several.
    pub seeds: u64,
    pub shake: Option<u64>,
    pub json: bool,
}

/// The table on the terminal: columns of the results, what they are called there, decimals.
const SHOWN: [(&str, &str, usize); 11] = [
    ("never_placed", "never", 0),
    ("mean_wait", "wait", 1),
    ("wait_p90", "wait 90%", 1),
    ("utilisation", "utilisation", 4),
    ("utilisation_waiting", "use in waits", 4),
    ("schedule_mean_mind", "hops", 3),
    ("units", "units", 3),
    ("mean_placeable", "largest job", 1),
    ("mean_stranded", "beyond it", 1),
    ("mean_slurm_fragmentation", "fragmentation", 0),
    ("mean_ring_step", "ring step", 3),
];

/// Returns the mean of a figure over seeds and half its interval; `None` if a seed has none.
fn mean(setting: &RankedSetting, at: usize) -> (Option<f64>, Option<f64>) {
    let values: Option<Vec<f64>> = setting.rows.iter().map(|figures| figures[at]).collect();
    let mean = values.map(|values| Difference::over_seeds("", "", &values));
    let half = mean
        .as_ref()
        .and_then(|mean| Some(mean.high? - mean.difference));
    (mean.map(|mean| mean.difference), half)
}

/// A JSON object: means as numbers, `null` where there is none, half their intervals, settings with the same figures.
fn object(setting: &RankedSetting) -> serde_json::Value {
    let names = &setting.names;
    let mut object = json!({"setting": names[0], "same": names[1..], "interval": {}});
    for (at, (name, ..)) in SHOWN.iter().enumerate() {
        let (mean, half) = mean(setting, at);
        (object[name], object["interval"][name]) = (json!(mean), json!(half));
    }
    object
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
    let spec = request.plan(settings, trace, policy, order, context.seed);
    let text = spec.to_toml();
    let plan = Plan::new(spec, context)?;
    sweep_folder::say_remarks(&plan);
    let assumed = &plan.remarks.assumed;
    let (rows, table) = results(&plan, context)?;
    let ranking = rank_settings(&rows, &SHOWN.map(|(column, ..)| column));
    if let Some(folder) = request.out {
        let best = ranking.first().map_or("", |setting| &setting.names[0]);
        let (over_time, curves) = over_time(&topology, order, &jobs, policy, best)?;
        let caption = format!(
            "The machine under {best}: the largest job that could still be placed, and Slurm's fragmentation, below \
             use and queue."
        );
        let extra = curves.map(|svg| Figure {
            caption,
            file: "over-time.svg".into(),
            svg,
        });
        // The plan goes along as a text: with more settings in it `nodeorder sweep` takes it.
        let manifest = manifest(trace, &text, &table, assumed);
        let mut files = report::sweep::page("results.csv", &rows, &manifest, extra)?;
        files.push(("results.csv".into(), table));
        files.push(("manifest.json".into(), format!("{manifest:#}\n")));
        files.push(("over-time.csv".into(), over_time));
        let files = files
            .into_iter()
            .map(|(name, text)| report::File::text(name, text));
        own_files::write_report(folder, "compare", files.collect())?;
    }
    if request.json {
        let rows: Vec<serde_json::Value> = ranking.iter().map(object).collect();
        let mut document = json!({
            "version": env!("CARGO_PKG_VERSION"), "topology": topology.spec(),
            "trace": trace.display().to_string(), "policy": policy, "ordering": order, "settings": rows,
            "seeds": request.seeds, "shake": request.shake,
        });
        if let Some(assumption) = topology
            .network()
            .assumption()
            .filter(|_| !assumed.is_empty())
        {
            document["assumed"] = json!(assumption);
        }
        return output::write(None, format!("{document:#}\n"));
    }
    let mut out = Output::open(None)?;
    let title = request.title(&format!(
        "{} on {}, {policy}",
        trace.display(),
        topology.name()
    ));
    write_table(&mut out, &ranking, &title)?;
    output::say_page(&mut out, request.out)?;
    out.finish()
}

/// The document beside the table.
fn manifest(trace: &Path, plan: &str, table: &str, assumed: &[String]) -> serde_json::Value {
    let name = format!("settings for {}", trace.display());
    let mut document = json!({
        "version": env!("CARGO_PKG_VERSION"), "plan": {"name": name, "text": plan},
        "results": checksum(table.as_bytes()),
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
        let trace = self.workload.trace.as_deref().ok_or_else(|| {
            wrong(
                "--settings",
                "no --trace",
                "--trace FILE: the jobs to place",
            )
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
            _ => Err(wrong(
                "--order",
                "several orderings",
                "one: Slurm's table of nodes",
            )
            .into()),
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

    /// The trace and the machine that were scheduled, and where intervals come from.
    fn title(&self, jobs: &str) -> String {
        let seeds = self.seeds;
        let shaken =
            |s| format!("; means over {seeds} seeds, jobs up to {s} s earlier or later, ± 95 %");
        jobs.to_string() + &self.shake.map(shaken).unwrap_or_default()
    }

    /// Returns the plan of the sweep.
    fn plan(
        &self,
        settings: Vec<String>,
        trace: &Path,
        policy: &str,
        order: &str,
        seed: u64,
    ) -> PlanSpec {
        PlanSpec {
            name: "settings".into(),
            topologies: vec![self.spec.into()],
            orderings: vec![order.into()],
            traces: vec![trace.display().to_string()],
            procs_per_node: vec![self.workload.procs_per_node.unwrap_or(1)],
            policies: vec![policy.into()],
            models: self.workload.model.iter().cloned().collect(),
            transforms: self.shake.iter().map(|s| format!("shake={s}")).collect(),
            allocators: settings,
            seeds: (0..self.seeds).map(|i| seed + i).collect(),
            shape: true,
            room: true,
            ..PlanSpec::default()
        }
    }
}

/// Computes the rows of a plan, here and now, and their table as CSV.
fn results(plan: &Plan, context: &Context) -> anyhow::Result<(Vec<ResultRow>, String)> {
    let bar = progress::bar(plan.cells().len() as u64, "settings");
    let rows = nodeorder_sweep::run_all(plan, context, || {
        bar.inc(1);
        anyhow::Ok(())
    })?;
    bar.finish_and_clear();
    let table = ResultsTable::new(plan);
    let named = rows.iter().map(|row| table.name_values(row)).collect();
    Ok((named, table.write(&rows)?))
}

fn write_table(out: &mut impl Write, ranking: &[RankedSetting], title: &str) -> anyhow::Result<()> {
    let about = format!(
        "{title}. Settings that place the most jobs first, of these the shortest mean wait (s). Hops: mean between the \
         nodes of a job; units: leaf units that a job spans. Largest job: nodes of the largest that could still be \
         placed, mean over time; beyond it: free nodes that it would leave."
    );
    layout::sentence(out, &about)?;
    let header = std::iter::once("setting").chain(SHOWN.iter().map(|shown| shown.1));
    let rows = ranking.iter().map(|setting| {
        let more = setting.names.len() - 1;
        let more = if more > 0 {
            format!(" +{more}")
        } else {
            String::new()
        };
        let cells = SHOWN.iter().enumerate().map(|(at, (_, _, decimals))| {
            let (mean, half) = mean(setting, at);
            let half = half.map(|half| format!(" ± {half:.decimals$}"));
            number(mean, *decimals) + &half.unwrap_or_default()
        });
        std::iter::once(setting.names[0].clone() + &more)
            .chain(cells)
            .collect()
    });
    let rows = table(header.map(String::from).collect(), rows, 1);
    writeln!(out, "\n{}", layout::fitted(rows, 1, &std::io::stdout()))?;
    for RankedSetting { names, .. } in ranking.iter().filter(|setting| setting.names.len() > 1) {
        writeln!(out, "The same figures: {}", names.join(" = "))?;
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
    let context = AllocatorContext {
        topology,
        order: &order,
        distances: &distances,
    };
    let settings = Settings {
        policy,
        allocator: setting,
        model: "fixed",
        metrics: false,
        figures: FigureSet {
            room: true,
            ..FigureSet::default()
        },
        timeline: true,
        rules: None,
    };
    let result = simulate(&context, &Task::of(jobs), &settings, &|_| ())?;
    let mut table = Vec::new();
    report::schedule::write_timeline(&mut table, &result)?;
    let drawings = report::schedule::drawings(setting, &result)?;
    let curves = drawings
        .into_iter()
        .find(|(name, _)| name == "curves.svg")
        .map(|(_, svg)| svg);
    Ok((String::from_utf8_lossy(&table).into_owned(), curves))
}
