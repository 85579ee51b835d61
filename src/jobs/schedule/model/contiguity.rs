//! The model `contiguity`: some tasks, drawn by seed, run shorter on contiguous nodes.

use super::entry::{BuildModel, Model, ModelEntry, StartedTask, scale_ticks};
use crate::allocator::AllocatorContext;
use nodeorder_base::params::SEED;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Opt, Params, Result};

/// `contiguity:alpha=A,beta=B[,contiguous=components,seed=S]`: B percent of the tasks are sensitive; a sensitive task
/// whose nodes are contiguous takes A percent less time. Nodes are contiguous if their routers are one connected
/// component of the network or, with `contiguous=runs`, if their ranks are one run. Each task in queue order draws a
/// number below 2⁵³ and is sensitive if that is less than B percent of the range: with one seed, a job that is
/// sensitive at some B is so at every larger one.
///
/// # References
/// Yang et al., "Balancing Job Performance with System Performance via Locality-Aware Scheduling on Torus-Connected
/// Systems", 2014, section IV, <https://doi.org/10.1109/CLUSTER.2014.6968751>.
pub const CONTIGUITY: ModelEntry = ModelEntry {
    name: "contiguity",
    about: "beta= percent of the jobs run alpha= percent shorter on nodes that hang together",
    example: "contiguity:alpha=20,beta=30",
    options: &[
        Opt::number(
            "alpha",
            "percent that a sensitive job runs shorter on contiguous nodes, to 99.9",
        ),
        Opt::number("beta", "percent of the jobs that are sensitive"),
        Opt::one_of(
            "contiguous",
            &["components", "runs"],
            "what that is: one connected component of the network, or one run of ranks",
        ),
        SEED,
    ],
    parse: |params| {
        let alpha = parse_percent(params, "alpha")?;
        let beta = parse_percent(params, "beta")?;
        if alpha > 99.9 {
            return Err(params.invalid_value("alpha", "at most 99.9: no job ends when it starts"));
        }
        Ok(Box::new(ContiguityOptions {
            alpha,
            beta,
            runs: params.required_choice("contiguous")? == "runs",
            seed: params.seed()?,
        }))
    },
};

/// Options of the model.
struct ContiguityOptions {
    /// Per cent of its run time that a sensitive task saves.
    alpha: f64,
    /// Per cent of the tasks that are sensitive.
    beta: f64,
    /// Whether contiguous nodes are one run of ranks, else one component of the network.
    runs: bool,
    seed: u64,
}

/// Reads an option in per cent. Fails if it is not given or out of range.
fn parse_percent(params: &Params, key: &'static str) -> Result<f64> {
    let expected = "a number of percent from 0 to 99.9";
    params
        .optional_real(key, 0.0, 100.0)?
        .ok_or_else(|| params.invalid_value(key, expected))
}

impl BuildModel for ContiguityOptions {
    fn build_model<'a>(
        self: Box<Self>,
        _: &AllocatorContext<'a>,
        tasks: usize,
    ) -> Result<Box<dyn Model + 'a>> {
        // Whole numbers that f64 holds exactly.
        const RANGE: u64 = 1 << 53;
        let bound = self.beta / 100.0 * RANGE as f64;
        let mut random = seed_generator(self.seed);
        let sensitive = (0..tasks)
            .map(|_| (random_below(RANGE, &mut random) as f64) < bound)
            .collect();
        Ok(Box::new(Contiguity {
            options: *self,
            sensitive,
        }))
    }
}

/// Model `contiguity`: its options and the tasks drawn.
struct Contiguity {
    options: ContiguityOptions,
    /// Whether each task is sensitive.
    sensitive: Vec<bool>,
}

impl Model for Contiguity {
    fn describe_rule(&self) -> String {
        let sensitive = self.sensitive.iter().filter(|s| **s).count();
        let ContiguityOptions {
            alpha, beta, runs, ..
        } = self.options;
        let place = if runs {
            "run of ranks"
        } else {
            "connected component"
        };
        format!(
            "contiguity: alpha={alpha}, beta={beta}: {sensitive} jobs drawn as sensitive; such a job runs {alpha} % \
             shorter on one {place}"
        )
    }

    fn needs_metrics(&self) -> bool {
        !self.options.runs
    }

    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64> {
        let whole = if self.options.runs {
            start.ranks.list_runs().len() == 1
        } else {
            start
                .placement
                .is_some_and(|metrics| metrics.components == 1)
        };
        if self.sensitive[start.index as usize] && whole {
            return Ok(scale_ticks(
                start.task.run,
                1.0 - self.options.alpha / 100.0,
            ));
        }
        Ok(start.task.run)
    }
}
