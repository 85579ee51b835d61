//! The model `distance`: run times grow with the mean distance of a task's nodes.

use std::collections::HashMap;

use super::compact::sort_outwards;
use super::entry::{Model, ModelEntry, StartedTask, scale_ticks};
use nodeorder_base::error::Result;
use nodeorder_base::params::Opt;
use nodeorder_base::ranks::Ranks;
use nodeorder_base::ratio::divide_exactly;
use nodeorder_order::metric::sums::DistanceSums;

/// `distance[:weight=1,base=HOPS]`: with d hops on the mean over all pairs of a task's nodes, and d₀ hops on the
/// compact placement (or `base` hops, the same on every machine), the run time is the trace's times `1 + weight ·
/// max(0, d - d₀) / max(1, d₀)`. So the trace's run times count as those of the compact placement, which are the
/// nodes nearest to the machine's middle one. With the default weight twice the distance takes twice the time.
///
/// # Complexity
/// One distance sum for every allocation, and one for every job size.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", Table 1: run times against
/// dilation.
pub(super) const DISTANCE: ModelEntry = ModelEntry {
    name: "distance",
    about: "run times grow with the mean distance against a compact placement, weight=1 a doubling",
    example: "distance:weight=0.5",
    options: &[
        Opt::number("weight", "growth when the mean distance doubles").default_value("1"),
        Opt::number("base", "hops that the trace's run times stand for")
            .default_in_words("those of a compact allocation"),
    ],
    parse: |params, context, _| {
        Ok(Box::new(Distance {
            weight: params.required_real("weight", 0.0, 1e6)?,
            base: params.optional_real("base", 0.0, 1e6)?,
            ranks_outwards: sort_outwards(context)?,
            sums: DistanceSums::new(context.distances),
            compact_sums: HashMap::new(),
        }))
    },
};

/// Model `distance` on one ordering.
struct Distance<'a> {
    /// Growth of run times when the mean distance doubles.
    weight: f64,
    /// Reference distance d₀ in hops, if it is given.
    base: Option<f64>,
    /// Ranks by distance from the middle node: the first are the compact placement.
    ranks_outwards: Vec<u32>,
    sums: DistanceSums<'a>,
    /// Sum of distances over all pairs of the compact placement of each size.
    compact_sums: HashMap<u32, u64>,
}

impl Model for Distance<'_> {
    fn describe_rule(&self) -> String {
        let reference = match self.base {
            Some(hops) => format!("= {hops} hops"),
            None => "that of a compact placement".into(),
        };
        format!(
            "distance: run time of the trace times 1 + {} · max(0, d - d0) / max(1, d0), d the mean distance of \
             a job's nodes, d0 {reference}",
            self.weight
        )
    }

    fn needs_metrics(&self) -> bool {
        true
    }

    fn start_task(&mut self, start: &StartedTask<'_>) -> Result<i64> {
        let nodes = start.task.nodes;
        // One node has no distance.
        let Some(placement) = start.placement.filter(|_| nodes > 1) else {
            return Ok(start.task.run);
        };
        let grown = if let (Some(base), Some(mind)) = (self.base, placement.mean_distance()) {
            (mind - base).max(0.0) / base.max(1.0)
        } else {
            let least = *self.compact_sums.entry(nodes).or_insert_with(|| {
                let mut compact = self.ranks_outwards[..nodes as usize].to_vec();
                compact.sort_unstable();
                let mut ranks = Ranks::default();
                compact.into_iter().for_each(|rank| ranks.push_rank(rank));
                self.sums.sum_pair_distances(&ranks)
            });
            // Both means have the same number of pairs, so their sums do: max(1, d₀) becomes max(pairs, sum).
            let pairs = u64::from(nodes) * u64::from(nodes - 1) / 2;
            let total = placement.total_distance.unwrap_or(least);
            divide_exactly(total.saturating_sub(least).into(), least.max(pairs).into())
        };
        Ok(scale_ticks(start.task.run, 1.0 + self.weight * grown))
    }
}
