//! The model `distance`: run times grow with the mean distance of a task's nodes.

use std::collections::HashMap;

use super::compact::CompactPlacement;
use super::entry::{
    BASE, BuildModel, Model, ModelEntry, StartedTask, describe_reference, parse_base, scale_ticks,
};
use crate::allocator::AllocatorContext;
use nodeorder_base::ratio::divide_exactly;
use nodeorder_base::{Opt, Ranks, Result};
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
pub const DISTANCE: ModelEntry = ModelEntry {
    name: "distance",
    about: "run times grow with the mean distance against a compact placement, weight=1 a doubling",
    example: "distance:weight=0.5",
    options: &[
        Opt::number("weight", "growth when the mean distance doubles").default_value("1"),
        BASE,
    ],
    parse: |params| {
        Ok(Box::new(DistanceOptions {
            weight: params.required_real("weight", 0.0, 1e6)?,
            base: parse_base(params)?,
        }))
    },
};

/// Options of the model.
struct DistanceOptions {
    /// Factor less 1 by which run times grow when the mean distance doubles.
    weight: f64,
    /// Reference distance d₀ in hops, if it is given.
    base: Option<f64>,
}

impl BuildModel for DistanceOptions {
    fn build_model<'a>(
        self: Box<Self>,
        context: &AllocatorContext<'a>,
        _: usize,
    ) -> Result<Box<dyn Model + 'a>> {
        Ok(Box::new(Distance {
            options: *self,
            compact: CompactPlacement::new(context)?,
            sums: DistanceSums::new(context.distances),
            compact_sums: HashMap::new(),
        }))
    }
}

/// Model `distance` on one ordering.
struct Distance<'a> {
    options: DistanceOptions,
    compact: CompactPlacement,
    sums: DistanceSums<'a>,
    /// Sum of distances over all pairs of the compact placement of each size.
    compact_sums: HashMap<u32, u64>,
}

impl Model for Distance<'_> {
    fn describe_rule(&self) -> String {
        format!(
            "distance: run time of the trace times 1 + {} · max(0, d - d0) / max(1, d0), d the mean distance of \
             a job's nodes, d0 {}",
            self.options.weight,
            describe_reference(self.options.base)
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
        let grown = if let (Some(base), Some(mind)) = (self.options.base, placement.mean_distance())
        {
            (mind - base).max(0.0) / base.max(1.0)
        } else {
            let least = *self.compact_sums.entry(nodes).or_insert_with(|| {
                let mut ranks = Ranks::default();
                ranks.push_ranks(&self.compact.compact_ranks(nodes));
                self.sums.sum_pair_distances(&ranks)
            });
            // Both means have the same number of pairs, so their sums do: max(1, d₀) becomes max(pairs, sum).
            let pairs = u64::from(nodes) * u64::from(nodes - 1) / 2;
            let total = placement.total_distance.unwrap_or(least);
            divide_exactly(total.saturating_sub(least).into(), least.max(pairs).into())
        };
        Ok(scale_ticks(
            start.task.run,
            1.0 + self.options.weight * grown,
        ))
    }
}
