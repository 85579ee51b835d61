//! Closed-form distances: sums over axes, trees, groups joined at one router, and sums over labels that differ.
//!
//! All four are sums of one-dimensional distances between labels ([`Labelling`]), and so sums of cuts
//! (Deza & Laurent, "Geometry of Cuts and Metrics", 1997): the fast exact methods of `nodeorder_order::metric`
//! rest on that and do not depend on the families.

use nodeorder_base::ids::RouterId;

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
            Rule::DigitWithin {
                block,
                size,
                stride,
            } if router.0 / size == block => router.0 % size / stride % self.axis.extent,
            Rule::DigitWithin { .. } => 0,
        }
    }

    /// How a router's label comes about: `router / stride % extent` with the stride, and, where only the routers
    /// of one block have labels of their own, the block's number and size (`router % size` is taken before;
    /// routers of other blocks have label 0).
    pub fn digit(&self) -> (u32, Option<(u32, u32)>) {
        match self.rule {
            Rule::Digit { stride } => (stride, None),
            Rule::DigitWithin {
                block,
                size,
                stride,
            } => (stride, Some((block, size))),
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
        let clique = |extent| Axis {
            extent,
            shape: Shape::Clique,
        };
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
                    let rule = |stride| Rule::DigitWithin {
                        block,
                        size,
                        stride,
                    };
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

    /// The labellings add up to the metric that they come from; sums and the largest distance of routers with so many
    /// nodes are those pair by pair.
    fn check(metric: &Metric, routers: u32, seed: &[u32]) -> Result<(), TestCaseError> {
        let between = |a, b| metric.between(RouterId(a), RouterId(b)).unwrap();
        let terms = metric.labellings().unwrap();
        let term_sum = |a, b| -> u32 {
            let label = |term: &Labelling, router| term.label(RouterId(router));
            terms
                .iter()
                .map(|t| t.between(label(t, a), label(t, b)))
                .sum()
        };
        let count: Vec<u32> = seed
            .iter()
            .copied()
            .cycle()
            .take(routers as usize)
            .collect();
        let (mut sum, mut largest, mut diameter) = (0, 0, 0);
        for (a, b) in (0..routers).flat_map(|a| (0..routers).map(move |b| (a, b))) {
            let d = between(a, b);
            prop_assert_eq!(term_sum(a, b), d);
            let pairs = u128::from(count[a as usize]) * u128::from(count[b as usize]);
            sum += pairs * u128::from(d);
            largest = largest.max(if pairs > 0 { d } else { 0 });
            diameter = diameter.max(d);
        }
        let (found, whole) = match metric {
            Metric::Product(m) => ((m.pair_sum(&count), m.spread(&count)), m.diameter()),
            Metric::Tree(m) => (m.pair_sum(&count), m.diameter()),
            Metric::Hub(m) => (m.pair_sum(&count), m.diameter()),
            Metric::Labels(m) => (m.pair_sum(&count), diameter),
            Metric::Hops => unreachable!("it has no closed form"),
        };
        prop_assert_eq!((found, whole), ((sum / 2, largest), diameter));
        Ok(())
    }

    proptest! {
        #[test]
        fn closed_forms_are_sums_of_labellings_and_of_pairs(
            product in product(),
            groups in 1u32..4,
            arity in prop::collection::vec(1u32..5, 1..4),
            seed in prop::collection::vec(0u32..4, 216),
        ) {
            let (routers, tree) = (product.routers() as u32, Tree { arity });
            check(&Metric::Product(product.clone()), routers, &seed)?;
            check(&Metric::Hub(Hub { group: product, groups }), routers * groups, &seed)?;
            let leaves = tree.leaves() as u32;
            check(&Metric::Tree(tree), leaves, &seed)?;
        }

        #[test]
        fn labels_are_sums_too(
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
            check(&Metric::Labels(labels.clone()), routers, &seed)?;
            let mut within = vec![0; labels.growth(routers).len()];
            (0..routers).for_each(|b| within[labels.between(0, b) as usize] += 1);
            prop_assert_eq!(labels.growth(routers), within);
        }
    }
}
