//! Groups of the ranks of a training job, numbered as Megatron numbers them.

use nodeorder_base::{Opt, Params, Result};

/// Option that [`RankGrid::parse_order`] reads.
pub const ORDER: Opt = Opt::text(
    "order",
    "the axes from the fastest numbered to the slowest; one of size 1 may be left out",
)
.default_value("tp-cp-ep-dp-pp");

/// Ways in which training is split.
const AXES: [&str; 5] = ["tp", "cp", "ep", "dp", "pp"];

/// All groups of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankGroups {
    /// Name of the kind, as Megatron's: `tp`, `cp`, `dp-cp`, `pp`, and of experts `etp`, `ep`, `edp`.
    pub kind: &'static str,
    /// Ranks of each group, ascending.
    pub groups: Vec<Vec<u32>>,
}

/// Grid of ranks: axes with their sizes, the fastest first. A rank is the sum, over the axes, of its index times the
/// product of the sizes of the axes before.
pub struct RankGrid(Vec<(&'static str, u32)>);

impl RankGrid {
    /// Reads `order`: distinct axes, without some that [`RankGrid::with_sizes`] may refuse to miss.
    pub fn parse_order(params: &Params) -> Result<Vec<&'static str>> {
        let text = params.optional_word("order")?.unwrap_or_default();
        let mut order = Vec::new();
        for word in text.split('-') {
            let axis = params.find_choice("order", word, &AXES)?;
            if order.contains(&axis) {
                return Err(params.invalid_value("order", "each axis once"));
            }
            order.push(axis);
        }
        Ok(order)
    }

    /// Makes the grid of these `sizes` of tp, cp, ep, dp and pp. Fails if `order` misses an axis of more than 1.
    pub fn with_sizes(params: &Params, order: &[&'static str], sizes: [u32; 5]) -> Result<Self> {
        let mut missing = AXES.iter().zip(sizes);
        if let Some((axis, size)) = missing.find(|(a, size)| *size > 1 && !order.contains(a)) {
            let expected = format!("an order with {axis}, which is {size}");
            return Err(params.invalid_value("order", expected));
        }
        let mut axes = Vec::new();
        for axis in order {
            let sized = AXES.iter().zip(sizes).find(|(name, _)| *name == axis);
            axes.extend(sized.map(|(axis, size)| (*axis, size)));
        }
        Ok(RankGrid(axes))
    }

    /// Computes the distance of two ranks that are neighbours along an axis, up to 2⁴⁸.
    pub fn axis_stride(&self, axis: &str) -> u64 {
        let before = self.0.iter().take_while(|(name, _)| *name != axis);
        before.map(|(_, size)| u64::from(*size)).product()
    }

    /// Lists the groups whose ranks differ along these axes alone.
    pub fn list_groups(&self, along: &[&str]) -> Vec<Vec<u32>> {
        let mut members = vec![0];
        let mut firsts = vec![0];
        let mut stride = 1;
        for (axis, size) in &self.0 {
            let ranks = if along.contains(axis) {
                &mut members
            } else {
                &mut firsts
            };
            let before = std::mem::take(ranks);
            for index in 0..*size {
                ranks.extend(before.iter().map(|rank| rank + index * stride));
            }
            stride *= size;
        }
        let shifted = firsts
            .iter()
            .map(|first| members.iter().map(|m| first + m).collect());
        shifted.collect()
    }
}
