//! `nodeorder compare`: orderings of one machine side by side, as a ranked table and a page.

use rayon::prelude::*;

use crate::shared::kit::*;
use crate::shared::workload::WorkloadArgs;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc::{self, Curve, Means};
use nodeorder_order::ordering;
use nodeorder_present::report;

mod machines;
mod settings;
mod windows;

/// Rank orderings of a machine by their exact MPC curves, and write a page of plots
#[derive(Debug, Args)]
#[command(after_help = "Example: nodeorder compare topologies/titan.toml --out titan-orderings")]
pub struct Command {
    /// The machine: a TOML file, the name of a shipped machine, or kind:options; several are compared side by side
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<String>,
    /// An ordering: a name with options, or an ordering file; repeat for several
    /// [default: those that suit the machine]
    #[arg(long = "order", value_name = "ORD")]
    orders: Vec<String>,
    /// Write a page (index.html), the plots as SVG and the data as CSV into DIR
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Also search for a good ordering for these job sizes (log-uniform without a trace), within a budget such
    /// as time=10 (seconds) or steps=1000000
    #[arg(long, value_name = "BUDGET", num_args = 0..=1, require_equals = true, default_missing_value = "time=10")]
    optimise: Option<String>,
    /// Schedule the trace under settings of Slurm's topology plugin instead, and rank them: block and segment sizes of
    /// slurm-block, or placements of slurm-torus3d, chosen for the machine and the jobs (or those of --alloc)
    #[arg(long, requires = "trace", conflicts_with_all = ["optimise", "prices", "watts", "cables", "rank"])]
    settings: bool,
    /// With --settings: schedules of each setting, for means with intervals; 1: the trace as it is
    #[arg(long, value_name = "N", requires = "settings", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: u64,
    /// With --settings and several --seeds: seconds that every job is submitted earlier or later, at most
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "settings",
        default_value_t = 600
    )]
    shake: u64,
    #[command(flatten)]
    buying: machines::BuyingArgs,
    /// Search what the links carry when traffic is routed well (--routing, ideal unless given). Several machines: all-to-all
    /// traffic and a longest matching of each. One machine: S,…, sizes of jobs that fill it, all of which send at once
    /// (--guest, all-to-all unless given), ordering by ordering
    #[arg(long, value_name = "S,…", num_args = 0..=1, default_missing_value = "", conflicts_with = "settings")]
    throughput: Option<String>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(mut self, context: &Context) -> anyhow::Result<()> {
        self.workload.apply_rules(self.settings)?;
        let spec = match self.specs.as_slice() {
            [one] => one,
            _ => return self.several(context),
        };
        if let Some(option) = self.buying.first() {
            return Err(Error::option(option, "one machine", "several to compare").into());
        }
        if self.settings {
            return self.schedule_settings(spec, context);
        }
        let topology = inputs::topology(spec, context)?;
        let command = self.command(context).to_string();
        let asked = self.windows(&topology)?;
        // Errors in the input are reported before the curves are computed.
        let fabric = self.workload.traffic.fabric(&topology)?;
        let traffic = self.workload.traffic.settings(fabric.as_ref())?;
        let workload = self.workload.open(&topology)?;
        let orders = self.orders(&topology)?;
        let (mut found, comparison) = match workload {
            Some(jobs) => {
                let curves: Vec<Curve> = curves(&topology, &orders)?;
                let found = jobs.run(&topology, &orders, &curves, traffic)?;
                (found, Comparison::new(&topology, &orders, curves)?)
            }
            None => {
                let means: Vec<Means> = curves(&topology, &orders)?;
                (
                    Default::default(),
                    Comparison::new(&topology, &orders, means)?,
                )
            }
        };
        let rows = asked
            .as_ref()
            .map(|asked| asked.rows(&topology, &orders, &comparison));
        found.windows = rows.transpose()?.unwrap_or_default();
        if let Some(folder) = &self.out {
            let files = report::files(&topology, &orders, &comparison, &found, &command)?;
            own_files::write_report(folder, "compare", files)?;
        }
        if self.json {
            let text = report::json::summary(&comparison, &found, &command);
            return output::write(None, text);
        }
        let mut out = Output::open(None)?;
        if let Some(saved) = found.schedules.as_ref().map(report::saved) {
            writeln!(out, "{saved}\n")?;
        }
        tables::write_comparison(&mut out, &comparison)?;
        if let Some(prediction) = &found.prediction {
            tables::write_prediction(&mut out, prediction)?;
        }
        if let Some(schedules) = &found.schedules {
            tables::write_schedules(&mut out, schedules)?;
        }
        windows::write_table(&mut out, &found.windows)?;
        output::say_page(&mut out, self.out.as_deref())?;
        out.finish()
    }

    /// Schedules the trace under settings of Slurm's.
    fn schedule_settings(&self, spec: &str, context: &Context) -> anyhow::Result<()> {
        let (orders, workload, out) = (&self.orders, &self.workload, self.out.as_deref());
        let (seeds, json) = (self.seeds, self.json);
        let shake = (seeds > 1).then_some(self.shake);
        let request = settings::SettingsRequest {
            spec,
            orders,
            workload,
            out,
            seeds,
            shake,
            json,
        };
        settings::run(&request, context)
    }

    /// The windows of `--throughput`, which `--guest` and `--routing` are about then.
    fn windows(&mut self, topology: &Topology) -> anyhow::Result<Option<windows::Asked>> {
        let Some(sizes) = &self.throughput else {
            return Ok(None);
        };
        let traffic = std::mem::take(&mut self.workload.traffic);
        let (guest, routing) = (traffic.guest.as_ref(), traffic.routing.as_ref());
        Ok(Some(windows::Asked::read(sizes, guest, routing, topology)?))
    }

    /// Compares machines with their best orderings.
    fn several(&self, context: &Context) -> anyhow::Result<()> {
        let traffic = &self.workload.traffic;
        let one_only = [
            ("--settings", self.settings),
            ("--optimise", self.optimise.is_some()),
            ("--guest", traffic.guest.is_some()),
            (
                "--routing",
                traffic.routing.is_some() && !self.buying.searches(self.throughput.is_some()),
            ),
        ];
        // A blank between an option and its value makes the value a machine.
        let budget = |spec: &&String| spec.starts_with("time=") || spec.starts_with("steps=");
        if let (Some(_), Some(budget)) = (&self.optimise, self.specs.iter().find(budget)) {
            let option = format!("--optimise {budget}");
            let found = format!("`{budget}` after a blank");
            return Err(Error::option(option, found, format!("--optimise={budget}")).into());
        }
        if let Some((option, _)) = one_only.into_iter().find(|(_, given)| *given) {
            let found = format!("{} machines", self.specs.len());
            return Err(Error::option(option, found, "one machine").into());
        }
        let request = machines::MachinesRequest {
            specs: &self.specs,
            orders: &self.orders,
            workload: &self.workload,
            buying: &self.buying,
            routing: self.routing(),
            out: self.out.as_deref(),
            json: self.json,
            command: self.command(context).to_string(),
        };
        if let Some(sizes) = self.throughput.as_ref().filter(|sizes| !sizes.is_empty()) {
            let option = format!("--throughput {sizes}");
            let expected = "--throughput as the last option, or sizes of jobs for one machine";
            return Err(
                Error::option(option, format!("{} machines", self.specs.len()), expected).into(),
            );
        }
        machines::run(&request, context)
    }

    /// The routing under which it is searched what several machines carry, where that is asked.
    fn routing(&self) -> Option<&str> {
        let given = self.workload.traffic.routing.as_deref();
        self.buying
            .searches(self.throughput.is_some())
            .then(|| given.unwrap_or("ideal"))
    }

    /// The orderings.
    fn orders(&self, topology: &Topology) -> anyhow::Result<Vec<NodeOrder>> {
        let texts = match self.orders.as_slice() {
            [] => ordering::defaults::suiting(topology),
            given => given.to_vec(),
        };
        inputs::check_curves(topology, &texts)?;
        let bar = progress::bar(texts.len() as u64, "orderings");
        let mut orders = if self.orders.is_empty() {
            let make = |text: &String| NodeOrder::make(topology, text);
            let made: Result<Vec<_>, _> = match texts.len() * topology.node_count() {
                ..=MADE_TOGETHER => texts.par_iter().map(make).collect(),
                _ => texts.iter().map(make).collect(),
            };
            distinct(made?)
        } else {
            inputs::orders(topology, &texts)?
        };
        bar.inc(texts.len() as u64);
        if let Some(budget) = &self.optimise {
            let text = self.workload.search(budget);
            bar.set_message(text.clone());
            orders.push(inputs::order(topology, &text)?);
        }
        bar.finish_and_clear();
        NodeOrder::check_same_nodes(topology, &orders)?;
        Ok(orders)
    }

    /// The command line that makes this comparison again.
    fn command(&self, context: &Context) -> CommandLine {
        let line = self
            .specs
            .iter()
            .fold(CommandLine::new("compare"), CommandLine::argument);
        let line = line.option("--order", &self.orders);
        let line = self.workload.add_to(line);
        let line = match &self.optimise {
            Some(budget) => line.argument(format!("--optimise={budget}")),
            None => line,
        };
        let line = self.buying.add_to(line);
        let line = match self.throughput.as_deref() {
            Some("") => line.argument("--throughput"),
            sizes => line.option("--throughput", sizes),
        };
        line.seed(context.seed)
            .option("--out", self.out.as_ref().map(|path| path.display()))
    }
}

/// Ranks up to which all orderings are made at the same time: some take 100 bytes a rank while they are made.
const MADE_TOGETHER: usize = 1 << 25;

/// The curves of orderings, or what is left of them.
fn curves<T: From<Curve> + Send>(
    topology: &Topology,
    orders: &[NodeOrder],
) -> anyhow::Result<Vec<T>> {
    let bar = progress::bar(orders.len() as u64, "comparing");
    let made = mpc::curves(topology, orders, |order, curve| {
        bar.set_message(order.label().to_string());
        bar.inc(1);
        (curve.spanning(), T::from(curve))
    })?;
    bar.finish_and_clear();
    let mut curves = Vec::with_capacity(made.len());
    for (order, (spanning, curve)) in orders.iter().zip(made) {
        if let Some(share) = spanning {
            let label = order.label();
            note!(
                "{label}: {:.1} % of windows span components: left out",
                100.0 * share
            );
        }
        curves.push(curve);
    }
    Ok(curves)
}

/// The first of orderings that are equal: on many machines two methods give the same one.
fn distinct(orders: Vec<NodeOrder>) -> Vec<NodeOrder> {
    let mut kept: Vec<NodeOrder> = Vec::new();
    for order in orders {
        if kept.iter().all(|other| other.nodes() != order.nodes()) {
            kept.push(order);
        }
    }
    kept
}
