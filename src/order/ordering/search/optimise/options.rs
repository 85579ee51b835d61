//! Options that `ilp` and `optimise` share.

use super::weights::{WeightKind, Weights};
use crate::ordering::constructions::table::CONSTRUCTIONS;
use crate::ordering::entry::{OrderNodes, OrderedNodes, RequestedOrdering};
use crate::ordering::search_result::SearchResult;
use nodeorder_base::params::SEED;
use nodeorder_base::{Error, Observer, Opt, Params, Result, SourceLocation};
use nodeorder_network::Topology;
use nodeorder_trace::sizes::{Sizes, Weight};
use nodeorder_trace::swf::Options;

/// Number of steps where the user names none: a few seconds.
const DEFAULT_STEPS: u64 = 4_000_000;

/// Number of operations spent on a bound after a search: some seconds.
const BOUND_WORK: u64 = 8_000_000_000;

/// Number of operations spent on a bound before a search: a moment.
pub(super) const QUICK_BOUND: u64 = 200_000_000;

/// Options that `ilp` and `optimise` share, read and checked.
pub struct SearchOptions {
    /// Source location of the text that gives the options, for messages.
    pub location: SourceLocation,
    pub weights: WeightOptions,
    /// Seconds to search for.
    pub time: Option<f64>,
    /// Number of annealing steps.
    pub steps: Option<u64>,
    pub seed: u64,
    /// Whether the nodes of a router are arranged one by one.
    pub split: bool,
    /// Ordering to start from; `None` for the best of the constructions.
    pub start: Option<RequestedOrdering>,
}

/// Search for an ordering under its options.
struct Search<F> {
    options: SearchOptions,
    find: F,
}

impl<F> OrderNodes for Search<F>
where
    F: Fn(&Topology, &SearchOptions, &dyn Observer) -> Result<SearchResult> + Send,
{
    fn order_nodes(&self, topology: &Topology, observer: &dyn Observer) -> Result<OrderedNodes> {
        (self.find)(topology, &self.options, observer).map(OrderedNodes::Searched)
    }

    fn check_inputs(&self, topology: &Topology, observer: &dyn Observer) -> Result<()> {
        self.options.check_inputs(topology, observer)
    }
}

/// Options of weights.
pub struct WeightOptions {
    kind: WeightKind,
    ring: bool,
    /// Largest lag that has a weight.
    window: usize,
    /// Job sizes behind workload weights; `None` for others.
    pub sizes: Option<JobSizes>,
}

/// Source of job sizes.
pub struct JobSizes {
    /// Value of `sizes=`.
    pub text: String,
    /// Measure by which sizes count: jobs or node hours.
    weight: Weight,
    /// Number of processors of a node in the trace.
    procs_per_node: u32,
}

/// Limits on a search.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Number of steps of all chains together.
    pub steps: Option<u64>,
    /// Moment, on the observer's clock, when it ends.
    pub time: Option<f64>,
    pub seed: u64,
}

impl Budget {
    /// Checks whether the time is up, by `observer`'s clock.
    pub fn is_over(&self, observer: &dyn Observer) -> bool {
        matches!((self.time, observer.elapsed_seconds()), (Some(limit), Some(now)) if now > limit)
    }
}

/// Options of searches, in the order of help.
pub const SHARED: [Opt; 11] = [
    Opt::one_of(
        "weights",
        &["geometric", "harmonic", "path", "workload"],
        "weight of a pair of ranks by its lag",
    ),
    Opt::flag("ring", "the last rank is followed by the first"),
    Opt::whole("window", "largest lag that has a weight")
        .default_in_words("16 for geometric weights, 64 for others"),
    Opt::text(
        "sizes",
        "job sizes for weights=workload: a trace, a log, a table or log-uniform",
    )
    .default_in_words("none"),
    Opt::one_of(
        "share",
        &["jobs", "node-hours"],
        "what counts a job size, with weights=workload",
    ),
    Opt::whole(
        "procs-per-node",
        "processors of a node in the trace, with weights=workload",
    )
    .default_value("1"),
    Opt::number("time", "seconds to search for").default_in_words("no limit"),
    Opt::whole("steps", "annealing steps").default_in_words("4000000 where time= is not given"),
    SEED,
    Opt::flag(
        "split",
        "arrange the nodes of a router one by one, not together",
    ),
    Opt::text("start", "ordering to start from").default_in_words("the best of the classic ones"),
];

impl SearchOptions {
    /// Reads the shared keys.
    ///
    /// # Errors
    /// Values out of range, `sizes` without workload weights or the reverse, a start that is no construction.
    pub fn parse(topology: &Topology, params: &Params) -> Result<Self> {
        let weights = WeightOptions::parse(topology, params)?;
        SearchOptions::parse_limits(topology, params, weights)
    }

    /// Reads the keys other than those of weights.
    ///
    /// # Errors
    /// As [`SearchOptions::parse`].
    pub fn parse_limits(
        topology: &Topology,
        params: &Params,
        weights: WeightOptions,
    ) -> Result<Self> {
        let time = params.optional_real("time", 0.0, 1e9)?;
        if time == Some(0.0) {
            return Err(params.invalid_value("time", "more than 0 seconds"));
        }
        let start = params
            .optional_word("start")?
            .map(|text| RequestedOrdering::parse(&CONSTRUCTIONS, topology, &text))
            .transpose()?;
        Ok(SearchOptions {
            location: params.location().clone(),
            weights,
            time,
            steps: params.optional_integer("steps", 1u64, 1 << 50)?,
            seed: params.seed()?,
            split: params.is_set("split")?,
            start,
        })
    }

    /// Makes the ordering that `find` finds under these options.
    pub fn into_search<F>(self, find: F) -> Box<dyn OrderNodes>
    where
        F: Fn(&Topology, &SearchOptions, &dyn Observer) -> Result<SearchResult> + Send + 'static,
    {
        Box::new(Search {
            options: self,
            find,
        })
    }

    /// Checks the files that the options name, and that there is a clock for a time limit.
    ///
    /// # Errors
    /// A file that cannot be read; a time limit alone without a clock.
    fn check_inputs(&self, topology: &Topology, observer: &dyn Observer) -> Result<()> {
        self.check_clock(observer)?;
        if let Some(sizes) = &self.weights.sizes {
            sizes.read_shares(topology)?;
        }
        if let Some(start) = &self.start {
            start.check_inputs(topology)?;
        }
        Ok(())
    }

    /// Fails if only a time limit ends the search, and `observer` has no clock.
    pub fn check_clock(&self, observer: &dyn Observer) -> Result<()> {
        if let Some(time) = self.time
            && self.steps.is_none()
            && observer.elapsed_seconds().is_none()
        {
            return Err(Error::input(
                self.location.clone(),
                format!("time = `{time}`"),
                "steps=N, as a time limit needs a clock",
            ));
        }
        Ok(())
    }

    /// Makes the search's budget, on the observer's clock.
    pub fn budget(&self) -> Budget {
        let default = self.time.is_none().then_some(DEFAULT_STEPS);
        Budget {
            steps: self.steps.or(default),
            time: self.time,
            seed: self.seed,
        }
    }

    /// Computes the operations that a bound may take, before the search and after: fewer where few steps are asked
    /// for.
    pub fn bound_work(&self) -> [u64; 2] {
        let by_steps = self.steps.map_or(u64::MAX, |s| s.saturating_mul(1000));
        [QUICK_BOUND, BOUND_WORK].map(|work| work.min(by_steps))
    }
}

impl WeightOptions {
    /// Reads the options up to `procs-per-node` of [`SHARED`].
    ///
    /// # Errors
    /// Values out of range, `sizes` without workload weights or the reverse.
    pub fn parse(topology: &Topology, params: &Params) -> Result<Self> {
        let kind = match params.required_choice("weights")? {
            "geometric" => WeightKind::Geometric,
            "harmonic" => WeightKind::Harmonic,
            "path" => WeightKind::Path,
            _ => WeightKind::Workload,
        };
        let ring = params.is_set("ring")?;
        let window = params.optional_integer("window", 1usize, 1 << 31)?;
        let sizes = JobSizes::parse(params)?;
        // Geometric weights are below 2⁻¹⁵ beyond lag 16.
        let default = if kind == WeightKind::Geometric {
            16
        } else {
            64
        };
        if kind != WeightKind::Workload {
            let unread = ["sizes", "share", "procs-per-node"];
            if let Some(key) = unread.into_iter().find(|key| params.has_key(key)) {
                return Err(params.invalid_value(key, format!("weights=workload beside `{key}`")));
            }
            return Ok(WeightOptions {
                kind,
                ring,
                window: window.unwrap_or(default),
                sizes: None,
            });
        }
        if window.is_some() {
            return Err(params.invalid_value("window", "no window: workload weighs every lag"));
        }
        let Some(sizes) = sizes else {
            return Err(params.invalid_value("sizes", "sizes=FILE or sizes=log-uniform"));
        };
        sizes.check(topology, params)?;
        Ok(WeightOptions {
            kind,
            ring,
            window: default,
            sizes: Some(sizes),
        })
    }

    /// Reads the job sizes of an objective that is no sum of distances.
    ///
    /// # Errors
    /// Values out of range, keys of weights of pairs.
    pub fn parse_sizes(topology: &Topology, params: &Params) -> Result<Self> {
        let unread = ["weights", "ring", "window", "split"];
        if let Some(key) = unread.into_iter().find(|key| params.has_key(key)) {
            return Err(params.invalid_value(key, format!("objective=distances beside `{key}`")));
        }
        let sizes = JobSizes::parse(params)?;
        if let Some(sizes) = &sizes {
            sizes.check(topology, params)?;
        }
        Ok(WeightOptions {
            kind: WeightKind::Workload,
            ring: false,
            window: 0,
            sizes,
        })
    }

    /// Builds the weights of the ranks of a topology. Fails if the job sizes cannot be read.
    pub fn build_weights(&self, topology: &Topology) -> Result<Weights> {
        let nodes = topology.node_count();
        let Some(sizes) = &self.sizes else {
            return Ok(Weights::from_lag_law(
                self.kind,
                nodes,
                self.window,
                self.ring,
            ));
        };
        let shares = sizes.read_shares(topology)?;
        Ok(Weights::from_job_sizes(nodes, &shares, self.ring))
    }
}

impl JobSizes {
    /// Reads `sizes`, `share` and `procs-per-node`; `None` without `sizes`.
    fn parse(params: &Params) -> Result<Option<Self>> {
        let text = params.optional_word("sizes")?;
        let weight = match params.required_choice("share")? {
            "node-hours" => Weight::NodeHours,
            _ => Weight::Jobs,
        };
        let procs_per_node = params.required_integer("procs-per-node", 1u32, 1 << 20)?;
        Ok(text.map(|text| JobSizes {
            text,
            weight,
            procs_per_node,
        }))
    }

    /// Fails on a machine of one node, which has no lags, and on settings that the log-uniform law does not read.
    fn check(&self, topology: &Topology, params: &Params) -> Result<()> {
        if topology.node_count() < 2 {
            return Err(Error::input(
                params.location_of("sizes"),
                "one node",
                "a machine of at least 2 nodes",
            ));
        }
        let unread = self.weight == Weight::NodeHours || self.procs_per_node != 1;
        if self.text == "log-uniform" && unread {
            return Err(params.invalid_value("sizes", "a trace beside `share` or `procs-per-node`"));
        }
        Ok(())
    }

    /// Reads the job sizes and returns the share of each. Fails if they cannot be read.
    pub fn read_shares(&self, topology: &Topology) -> Result<Vec<(u32, f64)>> {
        let options = Options {
            procs_per_node: self.procs_per_node,
            memory: topology.context().memory,
            ..Options::default()
        };
        Sizes::read(&self.text, self.weight, &options)?.shares_up_to(topology.node_count() as u32)
    }
}
