//! Closed-form distances: sums over axes, trees, groups joined at one router, and sums over labels that differ.
//!
//! All four are sums of one-dimensional distances between labels ([`Labelling`]), and so sums of cuts
//! (Deza & Laurent, "Geometry of Cuts and Metrics", 1997): the fast exact methods of `nodeorder_order::metric`
//! rest on that and do not depend on the families. For instance, on `mesh:2x3` router r has the labels ⌊r/3⌋ on a
//! path of two and r mod 3 on a path of three, so that routers 0 and 5 are |0-1| + |0-2| = 3 hops apart.

use nodeorder_base::RouterId;

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

/// Rule for the distance between two node-carrying routers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// A sum over coordinate axes: mesh, torus, mixed grids, HyperX, the best-case cascade.
    Product(Product),
    /// Twice the height of the lowest common ancestor: fat trees.
    Tree(Tree),
    /// Groups joined all-to-all at their first routers: the worst-case cascade.
    Hub(Hub),
    /// A weight for every label in which two routers differ: dragonfly+, multi-rail networks.
    Labels(Labels),
    /// Search on the router graph: no closed form.
    #[default]
    Hops,
}

impl Metric {
    /// Computes the hops between two routers; `None` where only a search finds them. O(axes) or O(levels).
    pub fn distance_between(&self, a: RouterId, b: RouterId) -> Option<u32> {
        match self {
            Metric::Product(product) => Some(product.distance_between(a.0, b.0)),
            Metric::Tree(tree) => Some(tree.distance_between(a.0, b.0)),
            Metric::Hub(hub) => Some(hub.distance_between(a.0, b.0)),
            Metric::Labels(labels) => Some(labels.distance_between(a.0, b.0)),
            Metric::Hops => None,
        }
    }
}

/// One term of a distance that is a sum: a label for every router and a distance between labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// Axis of the labels, 0 to `extent` - 1, and how they are joined.
    pub axis: Axis,
    /// Distance that one hop between labels adds.
    pub weight: u32,
    /// Number of consecutive routers with the same label: a router's is `router / stride % extent`.
    pub stride: u32,
    /// The only block (its number, and the routers in each block) whose routers have labels, by their number inside the
    /// block; routers of other blocks have label 0. `None` where all routers have labels.
    pub block: Option<(u32, u32)>,
}

impl Labelling {
    /// Creates the term of a label that all routers have: its weight where two routers differ.
    fn differing(label: Label) -> Self {
        Labelling {
            axis: Axis::clique(label.extent),
            weight: label.weight,
            stride: label.stride,
            block: None,
        }
    }

    /// Computes the label of a router.
    pub fn label_of(&self, router: RouterId) -> u32 {
        let position = match self.block {
            None => router.0,
            Some((block, size)) if router.0 / size == block => router.0 % size,
            Some(_) => return 0,
        };
        position / self.stride % self.axis.extent
    }

    /// Computes the weighted distance between two labels.
    pub fn distance_between(&self, a: u32, b: u32) -> u32 {
        self.weight * self.axis.distance_between(a, b)
    }

    /// Computes the largest weighted distance.
    pub fn diameter(&self) -> u32 {
        self.weight * self.axis.diameter()
    }
}

impl Product {
    /// Adds a term of weight 1 for each axis to `terms`, with labels of their own for the routers of `block`.
    fn add_terms(&self, block: Option<(u32, u32)>, terms: &mut Vec<Labelling>) {
        for (i, axis) in self.axes.iter().enumerate() {
            terms.push(Labelling {
                axis: *axis,
                weight: 1,
                stride: self.stride(i),
                block,
            });
        }
    }
}

impl Metric {
    /// Writes the metric as a sum: `d(a,b) = Σ weight · axis(label(a), label(b))`; `None` where only a search
    /// finds distances. Terms that are always zero are left out.
    pub fn to_labellings(&self) -> Option<Vec<Labelling>> {
        let mut terms = Vec::new();
        match self {
            Metric::Hops => return None,
            Metric::Product(product) => product.add_terms(None, &mut terms),
            Metric::Tree(tree) => {
                // Two leaves part at as many levels as their common ancestor is high: two hops for each.
                let mut stride = 1;
                for arity in tree.arity.iter().rev() {
                    let extent = (tree.count_leaves() / u64::from(stride)) as u32;
                    terms.push(Labelling::differing(Label {
                        extent,
                        stride,
                        weight: 2,
                    }));
                    stride *= arity;
                }
            }
            Metric::Labels(labels) => {
                terms.extend(labels.labels.iter().copied().map(Labelling::differing));
            }
            Metric::Hub(hub) => {
                // Seen from group g, everything outside stands at its hub; one more hop between groups.
                let size = hub.group.count_routers() as u32;
                terms.push(Labelling::differing(Label {
                    extent: hub.groups,
                    stride: size,
                    weight: 1,
                }));
                for block in 0..hub.groups {
                    hub.group.add_terms(Some((block, size)), &mut terms);
                }
            }
        }
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
        let between = |a, b| metric.distance_between(RouterId(a), RouterId(b)).unwrap();
        let terms = metric.to_labellings().unwrap();
        let term_sum = |a, b| -> u32 {
            let label = |term: &Labelling, router| term.label_of(RouterId(router));
            terms
                .iter()
                .map(|t| t.distance_between(label(t, a), label(t, b)))
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
            Metric::Product(m) => (
                (m.pair_sum(&count), m.occupied_diameter(&count)),
                m.diameter(),
            ),
            Metric::Tree(m) => (m.pair_sum(&count), diameter),
            Metric::Hub(m) => (m.pair_sum(&count), diameter),
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
            let (routers, tree) = (product.count_routers() as u32, Tree { arity });
            check(&Metric::Product(product.clone()), routers, &seed)?;
            check(&Metric::Hub(Hub { group: product, groups }), routers * groups, &seed)?;
            let leaves = tree.count_leaves() as u32;
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
            let mut within = vec![0; labels.count_by_distance(routers).len()];
            (0..routers).for_each(|b| within[labels.distance_between(0, b) as usize] += 1);
            prop_assert_eq!(labels.count_by_distance(routers), within);
        }
    }
}
