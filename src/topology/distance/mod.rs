//! Closed-form distances: sums over axes, trees, groups joined at one router, and sums over labels that differ.
//!
//! All four are sums of one-dimensional distances between labels ([`Labelling`]), and so sums of cuts
//! (Deza & Laurent, "Geometry of Cuts and Metrics", 1997): the fast exact methods of [`crate::metric`]
//! rest on that and do not depend on the families.

use crate::ids::RouterId;

mod axis;
mod edges;
mod entropy;
mod hub;
mod labels;
mod product;
mod tree;

pub use axis::{Axis, Shape};
pub use hub::Hub;
pub use labels::{Label, Labels};
pub use product::Product;
pub use tree::Tree;

/// How the distance between two node-carrying routers is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// A sum over coordinate axes: mesh, torus, mixed grids, HyperX, the best-case cascade.
    Product(Product),
    /// Twice the height of the lowest common ancestor: fat trees.
    Tree(Tree),
    /// Groups joined all-to-all at their first routers: the worst-case cascade.
    Hub(Hub),
    /// A weight for every label in which two routers differ: dragonfly+, multi-rail networks.
    Labels(Labels),
    /// Search on the router graph.
    Hops,
}

impl Metric {
    /// Hops between two routers, or `None` where only a search finds them. O(axes) or O(levels).
    pub fn between(&self, a: RouterId, b: RouterId) -> Option<u32> {
        match self {
            Metric::Product(product) => Some(product.between(a.0, b.0)),
            Metric::Tree(tree) => Some(tree.between(a.0, b.0)),
            Metric::Hub(hub) => Some(hub.between(a.0, b.0)),
            Metric::Labels(labels) => Some(labels.between(a.0, b.0)),
            Metric::Hops => None,
        }
    }
}

/// One term of a distance that is a sum: a label for every router and a distance between labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// How many labels there are and how they are joined.
    pub axis: Axis,
    /// Weight of one hop between labels.
    pub weight: u32,
    rule: Rule,
}

/// Where a router's label comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// A coordinate: `router / stride % extent`.
    Digit { stride: u32 },
    /// A coordinate inside one block of `size` routers; routers of other blocks count as its first one.
    DigitWithin { block: u32, size: u32, stride: u32 },
}

impl Labelling {
    fn new(axis: Axis, weight: u32, rule: Rule) -> Self {
        Labelling { axis, weight, rule }
    }

    /// The label of a router.
    pub fn label(&self, router: RouterId) -> u32 {
        match self.rule {
            Rule::Digit { stride } => router.0 / stride % self.axis.extent,
            Rule::DigitWithin { block, size, stride } if router.0 / size == block => {
                router.0 % size / stride % self.axis.extent
            }
            Rule::DigitWithin { .. } => 0,
        }
    }

    /// How a router's label comes about: `router / stride % extent` with the stride, and, where only the routers
    /// of one block have labels of their own, the block's number and size (`router % size` is taken before;
    /// routers of other blocks have label 0).
    pub fn digit(&self) -> (u32, Option<(u32, u32)>) {
        match self.rule {
            Rule::Digit { stride } => (stride, None),
            Rule::DigitWithin { block, size, stride } => (stride, Some((block, size))),
        }
    }

    /// The distance between two labels, weighted.
    pub fn between(&self, a: u32, b: u32) -> u32 {
        self.weight * self.axis.between(a, b)
    }

    /// The largest weighted distance.
    pub fn diameter(&self) -> u32 {
        self.weight * self.axis.diameter()
    }
}

impl Metric {
    /// The metric as a sum: `d(a,b) = Σ weight · axis(label(a), label(b))`; `None` where only a search
    /// finds distances. Terms that are always zero are left out.
    pub fn labellings(&self) -> Option<Vec<Labelling>> {
        let digits = |product: &Product, rule: &dyn Fn(u32) -> Rule| -> Vec<Labelling> {
            let term =
                |(i, axis): (usize, &Axis)| Labelling::new(*axis, 1, rule(product.stride(i)));
            product.axes.iter().enumerate().map(term).collect()
        };
        let clique = |extent| Axis { extent, shape: Shape::Clique };
        let mut terms = match self {
            Metric::Hops => return None,
            Metric::Product(product) => digits(product, &|stride| Rule::Digit { stride }),
            Metric::Tree(tree) => {
                // Two leaves part at as many levels as their common ancestor is high: two hops for each.
                let mut stride = 1;
                let mut terms = Vec::new();
                for arity in tree.arity.iter().rev() {
                    let units = (tree.leaves() / u64::from(stride)) as u32;
                    terms.push(Labelling::new(clique(units), 2, Rule::Digit { stride }));
                    stride *= arity;
                }
                terms
            }
            Metric::Labels(labels) => {
                let digit = |l: &Label| Rule::Digit { stride: l.stride };
                let term = |l: &Label| Labelling::new(clique(l.extent), l.weight, digit(l));
                labels.labels.iter().map(term).collect()
            }
            Metric::Hub(hub) => {
                // Seen from group g, everything outside stands at its hub; one more hop between groups.
                let size = hub.group.routers() as u32;
                let between = Rule::Digit { stride: size };
                let mut terms = vec![Labelling::new(clique(hub.groups), 1, between)];
                for block in 0..hub.groups {
                    let rule = |stride| Rule::DigitWithin { block, size, stride };
                    terms.extend(digits(&hub.group, &rule));
                }
                terms
            }
        };
        terms.retain(|term| term.axis.extent > 1 && term.weight > 0);
        Some(terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis() -> impl Strategy<Value = Axis> {
        let shape = prop_oneof![Just(Shape::Path), Just(Shape::Ring), Just(Shape::Clique)];
        (1u32..7, shape).prop_map(|(extent, shape)| Axis { extent, shape })
    }

    fn product() -> impl Strategy<Value = Product> {
        prop::collection::vec(axis(), 1..4).prop_map(|axes| Product { axes })
    }

    /// Sum and maximum pair by pair.
    fn plainly(count: &[u32], between: impl Fn(u32, u32) -> u32) -> (u128, u32) {
        let (mut sum, mut largest) = (0, 0);
        for a in 0..count.len() {
            for b in a + 1..count.len() {
                if count[a] > 0 && count[b] > 0 {
                    let d = between(a as u32, b as u32);
                    sum += u128::from(count[a]) * u128::from(count[b]) * u128::from(d);
                    largest = largest.max(d);
                }
            }
        }
        (sum, largest)
    }

    /// The labellings must add up to the metric they come from.
    fn labellings_add_up(metric: &Metric, routers: u32) -> Result<(), TestCaseError> {
        let terms = metric.labellings().unwrap();
        for a in (0..routers).map(RouterId) {
            for b in (0..routers).map(RouterId) {
                let sum: u32 = terms.iter().map(|t| t.between(t.label(a), t.label(b))).sum();
                prop_assert_eq!(Some(sum), metric.between(a, b));
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_closed_form_is_the_sum_of_its_labellings(
            product in product(),
            groups in 1u32..4,
            arity in prop::collection::vec(1u32..5, 1..4),
        ) {
            let (routers, tree) = (product.routers() as u32, Tree { arity });
            labellings_add_up(&Metric::Product(product.clone()), routers)?;
            labellings_add_up(&Metric::Hub(Hub { group: product, groups }), routers * groups)?;
            let leaves = tree.leaves() as u32;
            labellings_add_up(&Metric::Tree(tree), leaves)?;
        }

        #[test]
        fn label_sums_equal_pair_by_pair(
            extents in prop::collection::vec((1u32..5, 0u32..4), 1..4),
            nested in any::<bool>(),
            seed in prop::collection::vec(0u32..3, 64),
        ) {
            // Digits of a number, or each with all above it.
            let routers: u32 = extents.iter().map(|(extent, _)| extent).product();
            let mut stride = 1;
            let label = |(extent, weight): &(u32, u32)| {
                let own = stride;
                stride *= extent;
                Label { extent: if nested { routers / own } else { *extent }, stride: own, weight: *weight }
            };
            let labels = Labels { labels: extents.iter().map(label).collect() };
            labellings_add_up(&Metric::Labels(labels.clone()), routers)?;
            let count: Vec<u32> = seed.into_iter().cycle().take(routers as usize).collect();
            prop_assert_eq!(labels.pair_sum(&count), plainly(&count, |a, b| labels.between(a, b)));
            let mut within = vec![0; labels.growth(routers).len()];
            (0..routers).for_each(|b| within[labels.between(0, b) as usize] += 1);
            prop_assert_eq!(labels.growth(routers), within);
        }

        #[test]
        fn product_sums_equal_pair_by_pair(
            product in product(),
            seed in prop::collection::vec(0u32..4, 216),
        ) {
            let count: Vec<u32> = seed.into_iter().cycle().take(product.routers() as usize).collect();
            let (sum, largest) = plainly(&count, |a, b| product.between(a, b));
            prop_assert_eq!(product.pair_sum(&count), sum);
            prop_assert_eq!(product.spread(&count), largest);
        }

        #[test]
        fn tree_sums_equal_pair_by_pair(
            arity in prop::collection::vec(1u32..5, 1..4),
            seed in prop::collection::vec(0u32..3, 64),
        ) {
            let tree = Tree { arity };
            let count: Vec<u32> = seed.into_iter().cycle().take(tree.leaves() as usize).collect();
            let plain = plainly(&count, |a, b| tree.between(a, b));
            prop_assert_eq!(tree.pair_sum(&count), plain);
            let full = vec![1; tree.leaves() as usize];
            prop_assert_eq!(tree.diameter(), plainly(&full, |a, b| tree.between(a, b)).1);
        }

        #[test]
        fn hub_sums_equal_pair_by_pair(
            group in product(),
            groups in 1u32..4,
            seed in prop::collection::vec(0u32..3, 216),
        ) {
            let hub = Hub { group, groups };
            let routers = hub.group.routers() as usize * groups as usize;
            let count: Vec<u32> = seed.into_iter().cycle().take(routers).collect();
            prop_assert_eq!(hub.pair_sum(&count), plainly(&count, |a, b| hub.between(a, b)));
            let full = vec![1; routers];
            prop_assert_eq!(hub.diameter(), plainly(&full, |a, b| hub.between(a, b)).1);
        }
    }
}
