//! The options that `ilp` and `optimise` share.

use super::*;
use nodeorder_base::params::{Opt, Params, SEED};
use nodeorder_trace::sizes::{Sizes, Weight};
use nodeorder_trace::swf::Options;

/// Steps where the user names none: a few seconds.
const DEFAULT_STEPS: u64 = 4_000_000;

/// Operations spent on a bound: some seconds.
const BOUND_WORK: u64 = 8_000_000_000;

/// Operations spent on a bound before a search: a moment.
pub(super) const QUICK_BOUND: u64 = 200_000_000;

/// Options as read.
#[derive(Clone, Debug)]
pub struct Settings {
    pub weights: Weights,
    /// The value of `sizes=`, for workload weights.
    pub sizes: Option<String>,
    pub time: Option<f64>,
    pub steps: Option<u64>,
    pub seed: u64,
    pub split: bool,
    pub start: Option<String>,
}

/// How long a search may go on.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Steps of all chains together.
    pub steps: Option<u64>,
    /// The moment, on the observer's clock, when it ends.
    pub time: Option<f64>,
    pub seed: u64,
}

impl Budget {
    /// Whether the time is up, by `observer`'s clock.
    pub fn is_over(&self, observer: &dyn Observer) -> bool {
        matches!((self.time, observer.seconds()), (Some(limit), Some(now)) if now > limit)
    }
}

/// The options that searches share.
pub const SHARED: [Opt; 11] = [
    Opt::one_of(
        "weights",
        &["geometric", "harmonic", "path", "workload"],
        "weight of a pair of ranks by its lag",
    ),
    Opt::flag("ring", "the last rank is followed by the first"),
    Opt::whole("window", "largest lag that has a weight")
        .or_else("16 for geometric weights, 64 for others"),
    Opt::text(
        "sizes",
        "job sizes for weights=workload: a trace, a log, a table or log-uniform",
    )
    .or_else("none"),
    Opt::one_of(
        "share",
        &["jobs", "node-hours"],
        "what counts a job size, with weights=workload",
    ),
    Opt::whole(
        "procs-per-node",
        "processors of a node in the trace, with weights=workload",
    )
    .or("1"),
    Opt::number("time", "seconds to search for").or_else("no limit"),
    Opt::whole("steps", "annealing steps").or_else("4000000 where time= is not given"),
    SEED,
    Opt::flag(
        "split",
        "arrange the nodes of a router one by one, not together",
    ),
    Opt::text("start", "ordering to start from").or_else("the best of the classic ones"),
];

impl Settings {
    /// Reads the shared keys.
    ///
    /// # Errors
    /// Values out of range, `sizes` without workload weights or the reverse, a time limit without a clock.
    pub fn read(topology: &Topology, params: &Params, observer: &dyn Observer) -> Result<Self> {
        let (weights, sizes) = read_weights(topology, params)?;
        let time = params.real("time", 0.0, 1e9)?;
        let steps = params.integer("steps", 1u64, 1 << 50)?;
        if time == Some(0.0) {
            return Err(params.wrong("time", "more than 0 seconds"));
        }
        if time.is_some() && steps.is_none() && observer.seconds().is_none() {
            return Err(params.wrong("time", "steps=N, as a time limit needs a clock"));
        }
        let start = params.word("start")?;
        if let Some(text) = &start {
            NodeOrder::check(topology, text)?;
        }
        Ok(Settings {
            weights,
            sizes,
            time,
            steps,
            seed: params.seed()?,
            split: params.flag("split")?,
            start,
        })
    }

    /// The search's budget, on the observer's clock.
    pub fn budget(&self) -> Budget {
        let steps = match (self.steps, self.time) {
            (None, None) => Some(DEFAULT_STEPS),
            (steps, _) => steps,
        };
        Budget {
            steps,
            time: self.time,
            seed: self.seed,
        }
    }

    /// Operations that a bound may take, before the search and after: fewer where few steps are asked for.
    pub fn bound_work(&self) -> [u64; 2] {
        let by_steps = self.steps.map_or(u64::MAX, |s| s.saturating_mul(1000));
        [QUICK_BOUND, BOUND_WORK].map(|work| work.min(by_steps))
    }
}

/// Weights and the job sizes they come from: the options up to `procs-per-node` of [`SHARED`]. Errors: values out of
/// range, `sizes` without workload weights or the reverse.
pub(super) fn read_weights(
    topology: &Topology,
    params: &Params,
) -> Result<(Weights, Option<String>)> {
    let nodes = topology.node_count();
    let kind = match params.choice("weights")? {
        "geometric" => WeightKind::Geometric,
        "harmonic" => WeightKind::Harmonic,
        "path" => WeightKind::Path,
        _ => WeightKind::Workload,
    };
    let ring = params.flag("ring")?;
    let window = params.integer("window", 1usize, 1 << 31)?;
    let sizes = params.word("sizes")?;
    let shared = params.choice("share")?;
    let per_node = params.whole("procs-per-node", 1u32, 1 << 20)?;
    for key in ["sizes", "share", "procs-per-node"] {
        if params.has(key) && kind != WeightKind::Workload {
            return Err(params.wrong(key, format!("weights=workload beside `{key}`")));
        }
    }
    let default = if kind == WeightKind::Geometric {
        16
    } else {
        64
    };
    let weights = match (kind, &sizes) {
        (WeightKind::Workload, _) if window.is_some() => {
            return Err(params.wrong("window", "no window: workload weighs every lag"));
        }
        (WeightKind::Workload, None) => {
            return Err(params.wrong("sizes", "sizes=FILE or sizes=log-uniform"));
        }
        (WeightKind::Workload, Some(_)) if nodes < 2 => {
            let location = params.location_of("sizes");
            return Err(Error::input(
                location,
                "one node",
                "a machine of at least 2 nodes",
            ));
        }
        (WeightKind::Workload, Some(text)) => {
            let shares = shares(topology, params, text, shared, per_node)?;
            Weights::workload(nodes, &shares, ring)
        }
        _ => Weights::by_lag(kind, nodes, window.unwrap_or(default), ring),
    };
    Ok((weights, sizes))
}

/// The shares of job sizes that `sizes=` names.
fn shares(
    topology: &Topology,
    params: &Params,
    text: &str,
    shared: &str,
    per_node: u32,
) -> Result<Vec<(u32, f64)>> {
    if text == "log-uniform" && (shared == "node-hours" || per_node != 1) {
        return Err(params.wrong("sizes", "a trace beside `share` or `procs-per-node`"));
    }
    let weight = if shared == "node-hours" {
        Weight::NodeHours
    } else {
        Weight::Jobs
    };
    let memory = topology.context().memory;
    let options = Options {
        procs_per_node: per_node,
        memory,
        ..Options::default()
    };
    Sizes::read(text, weight, &options)?.shares(topology.node_count() as u32)
}
