//! Closed-form distances: sums over axes, trees, and groups joined at one router.
//!
//! All three are sums of one-dimensional distances between labels ([`Labelling`]), and so sums of cuts
//! (Deza & Laurent, "Geometry of Cuts and Metrics", 1997): the fast exact methods of [`crate::metric`]
//! rest on that and know nothing of the families.

use crate::ids::RouterId;

/// How the distance between two node-carrying routers is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metric {
    /// A sum over coordinate axes: mesh, torus, mixed grids, HyperX, the best-case cascade.
    Product(Product),
    /// Twice the height of the lowest common ancestor: fat trees.
    Tree(Tree),
    /// Groups joined all-to-all at their first routers: the worst-case cascade.
    Hub(Hub),
    /// Breadth-first search on the router graph.
    Hops,
}

impl Metric {
    /// Hops between two routers, or `None` where only a search tells. O(axes) or O(levels).
    pub fn between(&self, a: RouterId, b: RouterId) -> Option<u32> {
        match self {
            Metric::Product(product) => Some(product.between(a.0, b.0)),
            Metric::Tree(tree) => Some(tree.between(a.0, b.0)),
            Metric::Hub(hub) => Some(hub.between(a.0, b.0)),
            Metric::Hops => None,
        }
    }
}

/// One term of a distance that is a sum: a label for every router and a distance between labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labelling {
    /// How many labels there are and how they are joined.
    pub axis: Axis,
    /// What one hop between labels counts.
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
    #[inline]
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
    /// tells distances. Terms that are always zero are left out.
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
        terms.retain(|term| term.axis.extent > 1);
        Some(terms)
    }
}

/// How routers along one axis are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each to the next: distance |a-b|.
    Path,
    /// A path closed to a ring: min(|a-b|, n-|a-b|).
    Ring,
    /// All to all: 0 or 1.
    Clique,
}

/// One axis of a [`Product`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Routers along it.
    pub extent: u32,
    /// How they are linked.
    pub shape: Shape,
}

impl Axis {
    /// Hops between two positions.
    #[inline]
    pub fn between(self, a: u32, b: u32) -> u32 {
        let apart = a.abs_diff(b);
        match self.shape {
            Shape::Path => apart,
            Shape::Ring => apart.min(self.extent - apart),
            Shape::Clique => u32::from(apart != 0),
        }
    }

    /// The largest distance.
    pub fn diameter(self) -> u32 {
        match self.shape {
            Shape::Path => self.extent - 1,
            Shape::Ring => self.extent / 2,
            Shape::Clique => u32::from(self.extent > 1),
        }
    }

    /// Links along one line of this axis.
    pub fn links(self) -> u64 {
        let n = u64::from(self.extent);
        match self.shape {
            // A ring of two has one link.
            Shape::Path | Shape::Ring if n <= 2 => n - 1,
            Shape::Path => n - 1,
            Shape::Ring => n,
            Shape::Clique => n * (n - 1) / 2,
        }
    }

    /// Smallest and largest number of links of a router along this axis.
    pub fn degrees(self) -> (u32, u32) {
        let n = self.extent;
        match self.shape {
            Shape::Path | Shape::Ring if n <= 2 => (n - 1, n - 1),
            Shape::Path => (1, 2),
            Shape::Ring => (2, 2),
            Shape::Clique => (n - 1, n - 1),
        }
    }

    /// Σ over unordered pairs of `count[a]·count[b]·d(a,b)`. O(extent).
    ///
    /// A path is the sum of its n-1 cuts; a ring is half the sum of the n cuts between an arc of ⌊n/2⌋
    /// routers and the rest: two routers d apart are on different sides of exactly 2d of them.
    pub fn pair_sum(self, count: &[u64]) -> u128 {
        let all: u128 = count.iter().map(|c| u128::from(*c)).sum();
        match self.shape {
            Shape::Path => {
                let mut before = 0;
                count.iter().fold(0, |sum, c| {
                    before += u128::from(*c);
                    sum + before * (all - before)
                })
            }
            Shape::Clique => {
                let same: u128 = count.iter().map(|c| u128::from(*c) * u128::from(*c)).sum();
                (all * all - same) / 2
            }
            Shape::Ring => {
                let (n, half) = (count.len(), count.len() / 2);
                let mut arc: u128 = count[..half].iter().map(|c| u128::from(*c)).sum();
                let mut sum = 0;
                for t in 0..n {
                    sum += arc * (all - arc);
                    arc = arc + u128::from(count[(t + half) % n]) - u128::from(count[t]);
                }
                sum / 2
            }
        }
    }

    /// Ordered pairs of positions by distance, a position with itself included. O(extent²).
    pub fn ordered_pairs(self) -> Vec<u128> {
        let mut pairs = vec![0; self.diameter() as usize + 1];
        for a in 0..self.extent {
            (0..self.extent).for_each(|b| pairs[self.between(a, b) as usize] += 1);
        }
        pairs
    }

    /// `out[x] = max over y of values[y] + d(x,y)`, in O(extent): running maxima on paths, the best two
    /// on cliques, sliding windows of half a turn on rings.
    fn farthest(self, values: &[i32], out: &mut [i32]) {
        let n = values.len();
        match self.shape {
            Shape::Path => {
                let mut best = NOWHERE;
                for x in 0..n {
                    best = (best + 1).max(values[x]);
                    out[x] = best;
                }
                best = NOWHERE;
                for x in (0..n).rev() {
                    best = (best + 1).max(values[x]);
                    out[x] = out[x].max(best);
                }
            }
            Shape::Clique => {
                let top = (0..n).max_by_key(|x| values[*x]).unwrap_or(0);
                let others = (0..n).filter(|x| *x != top).map(|x| values[x]).max();
                for x in 0..n {
                    let away = if x == top { others.unwrap_or(NOWHERE) } else { values[top] };
                    out[x] = values[x].max(away + 1);
                }
            }
            Shape::Ring => {
                // Clockwise and counter-clockwise reach: y from x-⌊n/2⌋ to x, and the mirror image.
                let half = n / 2;
                out.fill(NOWHERE);
                let mut window = std::collections::VecDeque::new();
                for mirrored in [false, true] {
                    let at = |step: usize| if mirrored { (2 * n - 1 - step) % n } else { step % n };
                    window.clear();
                    for step in n - half..2 * n {
                        let value = values[at(step)] - step as i32;
                        while window.back().is_some_and(|(_, v)| *v <= value) {
                            window.pop_back();
                        }
                        window.push_back((step, value));
                        while window.front().is_some_and(|(s, _)| s + half < step) {
                            window.pop_front();
                        }
                        if let (true, Some((_, best))) = (step >= n, window.front()) {
                            let x = at(step);
                            out[x] = out[x].max(best + step as i32);
                        }
                    }
                }
            }
        }
    }
}

/// The value of "no router here" in farthest-point sweeps: low, yet safe to add distances to.
const NOWHERE: i32 = i32::MIN / 2;

/// A Cartesian product of paths, rings and cliques: the distance is the sum over axes. Router indices are
/// row-major, the last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The axes, slowest first.
    pub axes: Vec<Axis>,
}

impl Product {
    /// Hops between two routers. O(axes).
    #[inline]
    pub fn between(&self, mut a: u32, mut b: u32) -> u32 {
        let mut sum = 0;
        for axis in self.axes.iter().rev() {
            sum += axis.between(a % axis.extent, b % axis.extent);
            a /= axis.extent;
            b /= axis.extent;
        }
        sum
    }

    /// Number of routers.
    pub fn routers(&self) -> u64 {
        self.axes.iter().map(|a| u64::from(a.extent)).product()
    }

    /// The largest distance between any two routers.
    pub fn diameter(&self) -> u32 {
        self.axes.iter().map(|a| a.diameter()).sum()
    }

    /// Routers below one step of axis `i`.
    pub fn stride(&self, i: usize) -> u32 {
        self.axes[i + 1..].iter().map(|a| a.extent).product()
    }

    /// The coordinate of `router` along axis `i`.
    pub fn coordinate(&self, i: usize, router: u32) -> u32 {
        router / self.stride(i) % self.axes[i].extent
    }

    /// Number of links of the whole network.
    pub fn links(&self) -> u64 {
        let routers = self.routers();
        self.axes.iter().map(|a| routers / u64::from(a.extent) * a.links()).sum()
    }

    /// Smallest and largest number of links at a router.
    pub fn degrees(&self) -> (u32, u32) {
        self.axes.iter().map(|a| a.degrees()).fold((0, 0), |(l, h), (a, b)| (l + a, h + b))
    }

    /// Visits every link `(u, v)` once, u < v.
    pub fn for_each_link(&self, visit: &mut dyn FnMut(u32, u32, Axis)) {
        let routers = self.routers();
        for u in 0..routers {
            for (i, axis) in self.axes.iter().enumerate() {
                let stride = u64::from(self.stride(i));
                let n = u64::from(axis.extent);
                let x = u / stride % n;
                let mut to = |steps: u64| visit(u as u32, (u + steps * stride) as u32, *axis);
                match axis.shape {
                    Shape::Clique => (1..n - x).for_each(&mut to),
                    Shape::Path | Shape::Ring => {
                        if x + 1 < n {
                            to(1);
                        }
                        if axis.shape == Shape::Ring && x == 0 && n > 2 {
                            to(n - 1);
                        }
                    }
                }
            }
        }
    }

    /// Σ over unordered node pairs of their distance, for `count[r]` nodes on router r.
    /// O(routers·axes).
    pub fn pair_sum(&self, count: &[u32]) -> u128 {
        let mut sum = 0;
        for (i, axis) in self.axes.iter().enumerate() {
            let stride = self.stride(i) as usize;
            let mut along = vec![0u64; axis.extent as usize];
            for (line, chunk) in count.chunks(stride).enumerate() {
                along[line % axis.extent as usize] +=
                    chunk.iter().map(|c| u64::from(*c)).sum::<u64>();
            }
            sum += axis.pair_sum(&along);
        }
        sum
    }

    /// The largest distance between two routers that carry nodes, exactly, holes or not.
    ///
    /// The farthest distance from every router to the set is found axis by axis:
    /// `f(x) = max over y in the set of Σ d_i(x_i, y_i)` separates into one maximum an axis.
    /// O(routers·axes).
    pub fn spread(&self, count: &[u32]) -> u32 {
        let mut far: Vec<i32> = count.iter().map(|c| if *c > 0 { 0 } else { NOWHERE }).collect();
        let (mut line, mut reach) = (Vec::new(), Vec::new());
        for (i, axis) in self.axes.iter().enumerate() {
            let (stride, n) = (self.stride(i) as usize, axis.extent as usize);
            reach.resize(n, 0);
            for block in far.chunks_mut(stride * n) {
                for offset in 0..stride {
                    line.clear();
                    line.extend((0..n).map(|x| block[offset + x * stride]));
                    if line.iter().any(|f| *f >= 0) {
                        axis.farthest(&line, &mut reach);
                        (0..n).for_each(|x| block[offset + x * stride] = reach[x]);
                    }
                }
            }
        }
        let occupied = far.iter().zip(count).filter(|(_, c)| **c > 0);
        occupied.map(|(f, _)| *f).max().unwrap_or(0).max(0) as u32
    }
}

/// Leaves of a tree: the distance of two is twice the number of levels below their lowest common ancestor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Children of a vertex at each level, from the root down; leaf index = mixed radix of these.
    pub arity: Vec<u32>,
}

impl Tree {
    /// Hops between two leaves. O(levels).
    #[inline]
    pub fn between(&self, mut a: u32, mut b: u32) -> u32 {
        let mut height = 0;
        let mut level = 0;
        for arity in self.arity.iter().rev() {
            level += 1;
            if a % arity != b % arity {
                height = level;
            }
            a /= arity;
            b /= arity;
        }
        2 * height
    }

    /// Number of leaves.
    pub fn leaves(&self) -> u64 {
        self.arity.iter().map(|n| u64::from(*n)).product()
    }

    /// The largest distance between any two leaves.
    pub fn diameter(&self) -> u32 {
        match self.arity.iter().position(|n| *n > 1) {
            Some(top) => 2 * (self.arity.len() - top) as u32,
            None => 0,
        }
    }

    /// Sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on leaf r.
    /// O(leaves·levels).
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let mut units: Vec<u64> = count.iter().map(|c| u64::from(*c)).collect();
        let pairs = |units: &[u64]| -> u128 {
            units.iter().map(|m| u128::from(*m) * u128::from(m.saturating_sub(1)) / 2).sum()
        };
        let (mut sum, mut largest) = (0, 0);
        let mut below = pairs(&units);
        for (level, arity) in self.arity.iter().rev().enumerate() {
            units = units.chunks(*arity as usize).map(|c| c.iter().sum()).collect();
            let here = pairs(&units);
            if here > below {
                largest = 2 * (level as u32 + 1);
                sum += u128::from(largest) * (here - below);
            }
            below = here;
        }
        (sum, largest)
    }
}

/// Groups of routers, each a [`Product`]; the first routers of all groups are linked all-to-all.
/// Between groups: `d(a, first) + 1 + d(first, b)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// The network inside a group.
    pub group: Product,
    /// Number of groups.
    pub groups: u32,
}

impl Hub {
    /// Hops between two routers. O(axes).
    #[inline]
    pub fn between(&self, a: u32, b: u32) -> u32 {
        let size = self.group.routers() as u32;
        let ((ga, ra), (gb, rb)) = ((a / size, a % size), (b / size, b % size));
        if ga == gb {
            self.group.between(ra, rb)
        } else {
            self.group.between(ra, 0) + 1 + self.group.between(0, rb)
        }
    }

    /// The largest distance between any two routers.
    pub fn diameter(&self) -> u32 {
        let reach = (0..self.group.routers() as u32).map(|r| self.group.between(0, r)).max();
        let between = if self.groups > 1 { 2 * reach.unwrap_or(0) + 1 } else { 0 };
        self.group.diameter().max(between)
    }

    /// Sum of distances over unordered node pairs and the largest one, for `count[r]` nodes on router r.
    pub fn pair_sum(&self, count: &[u32]) -> (u128, u32) {
        let (mut sum, mut largest) = (0u128, 0);
        // Over the groups so far: nodes, their summed way to the hub, the longest way.
        let (mut nodes, mut ways, mut longest) = (0u128, 0u128, None);
        for group in count.chunks(self.group.routers() as usize) {
            sum += self.group.pair_sum(group);
            largest = largest.max(self.group.spread(group));
            let (mut m, mut w, mut far) = (0u128, 0u128, None);
            for (r, c) in group.iter().enumerate().filter(|(_, c)| **c > 0) {
                let way = self.group.between(r as u32, 0);
                m += u128::from(*c);
                w += u128::from(*c) * u128::from(way);
                far = far.max(Some(way));
            }
            sum += nodes * w + nodes * m + ways * m;
            if let (Some(a), Some(b)) = (longest, far) {
                largest = largest.max(a + 1 + b);
            }
            nodes += m;
            ways += w;
            longest = longest.max(far);
        }
        (sum, largest)
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
