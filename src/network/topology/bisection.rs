//! Proved bounds of cuts into halves: a number of links that any cut has at least, and a cut with few.
//!
//! # The floor
//! If every pair of nodes exchanges one unit along given routes, then what crosses a cut needs that many links at
//! least: units that cross over units that the busiest link carries (Leighton, "Introduction to Parallel
//! Algorithms and Architectures", 1992, section 1.9.1: embedding the complete graph). The same holds where every
//! node of the smaller half sends one unit to a partner of its own in the other.

use super::distance::{Product, Shape};
use super::families::totals::multiply_all;

/// A bound from below on the links of every cut, and the links of a good cut of the whole machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutBounds {
    load: WorstLoad,
    /// Number of links of a balanced cut of the machine with all its nodes; `None` if no formula gives one.
    pub cut: Option<u64>,
    /// Whether a theorem says that no balanced cut of the whole machine has fewer.
    pub least: bool,
}

/// Upper bound of the traffic on the busiest link over its capacity, as numerator and denominator, for one pattern of
/// traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorstLoad {
    /// Every ordered pair of routers exchanges a unit of traffic.
    Pairs(u128, u128),
    /// Every node sends a unit to one partner and gets one; traffic in one direction of the link.
    Partners(u128, u128),
}

impl CutBounds {
    /// Computes a number of links that every cut of `nodes` nodes, at most `per_router` on a router, has, if it leaves
    /// `smaller` of them or more on either side.
    pub fn fewest_links(&self, nodes: u64, smaller: u64, per_router: u32) -> u64 {
        let smaller = u128::from(smaller);
        // Units that cross the cut, and the load of the busiest link.
        let (units, load, capacity) = match self.load {
            WorstLoad::Pairs(load, capacity) => {
                let per_router = u128::from(per_router);
                let larger = u128::from(nodes) - smaller;
                let load = load.saturating_mul(per_router * per_router);
                (2 * smaller * larger, load, capacity)
            }
            WorstLoad::Partners(load, capacity) => (smaller, load, capacity),
        };
        if load == 0 {
            return 0;
        }
        // Nothing of ours comes near 128 bits; a floor cut off is still one.
        let links = units.saturating_mul(capacity).div_ceil(load);
        links.min(u64::MAX.into()) as u64
    }

    /// Computes the bounds of a product of paths, rings and cliques; `double` gives rings of two a link of
    /// capacity two.
    ///
    /// The floor routes axis by axis, rings the shorter way and half each way where both are the same: a link along
    /// a path of n routers carries at most 2⌊n/2⌋⌈n/2⌉ · R/n of the pairs of R routers, of a ring ⌊n²/4⌋ · R/n, of
    /// a clique 2 · R/n. The cut halves an axis, and where its extent is odd the layer in the middle likewise
    /// along another. Where the axis with the busiest links is even, the two meet.
    ///
    /// # Where the cut is the least
    /// On meshes and on tori of extents above 2 the cut that takes axes from the longest down is the least.
    /// - The longest axis is even: the floor above meets it.
    /// - All extents are the same odd k = 2m + 1, in d dimensions. Let every two routers of a line exchange a unit
    ///   along it: a link carries m(m+1) units at most on a path, m(m+1)/2 on a ring. So a cut has at least
    ///   1/(m(m+1)) of the links that it has where lines are cliques, on rings twice that. There the first (k^d-1)/2
    ///   routers in row-major order have the least cut of all sets of their size (Lindsey, "Assignment of numbers to
    ///   vertices", American Mathematical Monthly 71, 1964): m(m+1) links on each of the k^(d-1) lines of axis 1, and
    ///   the middle layer likewise. That is (k^d-1)/(k-1) links on a path, the number of this cut, and twice on
    ///   rings.
    /// - Other extents: the exact value for tori and arrays is the subject of the paper below. Its proof is not
    ///   repeated here; the tests try all cuts of small machines.
    ///
    /// # References
    /// Arjona Aroca, Fernández Anta, "Bisection (Band)Width of Product Networks with Application to Data Centers",
    /// TAMC 2012, <https://arxiv.org/abs/1202.6291>.
    pub(super) fn for_product(product: &Product, double: bool) -> CutBounds {
        let routers = u128::from(product.count_routers());
        let mut busiest = 0;
        let mut cuts = Vec::new();
        let mut all_paths = true;
        let mut all_long_rings = true;
        for axis in product.axes.iter().filter(|axis| axis.extent > 1) {
            let n = u64::from(axis.extent);
            // A ring of two is one link, of capacity two if it stands for both ways round.
            let is_ring = axis.shape == Shape::Ring;
            let capacity = if is_ring && double && n == 2 { 2 } else { 1 };
            let (carried, links) = match axis.shape {
                Shape::Ring if n > 2 => (n * n / 4, 2),
                Shape::Clique => (2, n * n / 4),
                _ => (2 * (n / 2) * n.div_ceil(2), capacity),
            };
            // A capacity of two halves an even load.
            let load = u128::from(carried) * (routers / u128::from(n));
            busiest = busiest.max(load.div_ceil(u128::from(capacity)));
            cuts.push(AxisCut {
                extent: axis.extent,
                links,
            });
            all_paths &= axis.shape == Shape::Path;
            all_long_rings &= is_ring && n > 2;
        }
        CutBounds {
            load: WorstLoad::Pairs(busiest, 1),
            cut: Some(best_halving(&cuts)),
            least: all_paths || all_long_rings,
        }
    }

    /// Computes the bounds of fat trees with `m` children and `w` parents a level (w₁ = 1): every flow spreads
    /// evenly over all upward paths, so that a link above a unit of M nodes with U links up carries at most M/U
    /// of what partners send. The cut takes half the units of a level and parts one that is left over at the
    /// level below.
    pub(super) fn for_fat_tree(m: &[u32], w: &[u32]) -> CutBounds {
        let mut levels: Vec<TreeLevel> = Vec::new();
        for level in 1..m.len() {
            let units = u128::from(multiply_all(&m[level..]));
            // What is above a single unit is in no cut.
            if units > 1 {
                levels.push(TreeLevel {
                    nodes: multiply_all(&m[..level]).into(),
                    links_up: multiply_all(&w[..=level]).into(),
                    units,
                });
            }
        }
        let mut busiest = (0u128, 1u128);
        let mut least_cut = None;
        for (top, level) in levels.iter().enumerate() {
            // Of equal ratios the last: fractions are compared across.
            let load = level.nodes.saturating_mul(busiest.1);
            if load >= busiest.0.saturating_mul(level.links_up) {
                busiest = (level.nodes, level.links_up);
            }
            let mut cut = 0u128;
            let mut units = level.units;
            for below in (0..=top).rev() {
                cut = cut.saturating_add((units / 2).saturating_mul(levels[below].links_up));
                if units.is_multiple_of(2) {
                    break;
                }
                units = u128::from(m[below]);
            }
            least_cut = Some(least_cut.map_or(cut, |least: u128| least.min(cut)));
        }
        CutBounds {
            load: WorstLoad::Partners(busiest.0, busiest.1),
            cut: Some(least_cut.unwrap_or(0).min(u64::MAX.into()) as u64),
            least: false,
        }
    }

    /// Computes the bounds of dragonflies of `groups` groups of `a` routers with up to `ports` global ports each
    /// and `cables` between two groups. The floor routes over the cable to the other group, evenly where there
    /// are several: a cable carries 2a²/c of the pairs of routers, a local link 2 + 4·a·h/c at most. The cut puts
    /// half the groups on either side, an even number of them: c·g²/4 links. Where a² ≥ 2·a·h + c the two meet.
    pub(super) fn for_dragonfly(groups: u64, a: u64, ports: u64, cables: u64) -> CutBounds {
        let a = u128::from(a);
        let capacity = u128::from(cables).max(1);
        let mut local = 0;
        let mut global = 0;
        if a > 1 {
            local = 2 * capacity;
        }
        if groups > 1 {
            global = 2 * a * a;
            // A group of one router has no local link.
            if a > 1 {
                local += 4 * a * u128::from(ports);
            }
        }
        CutBounds {
            load: WorstLoad::Pairs(local.max(global), capacity),
            cut: match groups {
                1 => Some((a * a / 4) as u64),
                g => g.is_multiple_of(2).then(|| cables * (g / 2) * (g / 2)),
            },
            least: false,
        }
    }
}

/// A level of a fat tree, of which each unit is a subtree.
struct TreeLevel {
    /// Number of nodes of a unit.
    nodes: u128,
    /// Number of links from a unit up.
    links_up: u128,
    /// Number of units.
    units: u128,
}

/// An axis of a product.
struct AxisCut {
    /// Number of routers along the axis, at least 2.
    extent: u32,
    /// Number of links that a cut into halves takes of one line of routers along the axis.
    links: u64,
}

/// Counts the fewest links of a cut that halves one axis and, if that is odd, the layer in its middle likewise.
/// O(2^axes · axes) up to 16 axes; beyond, only even axes are tried.
fn best_halving(axes: &[AxisCut]) -> u64 {
    if axes.len() > 16 {
        // At most 2³¹ slots: all but a few of so many axes are of extent 2, any of which ends the cut.
        let routers: u64 = axes.iter().map(|axis| u64::from(axis.extent)).product();
        let even = axes.iter().filter(|axis| axis.extent.is_multiple_of(2));
        let cuts = even.map(|axis| routers / u64::from(axis.extent) * axis.links);
        return cuts.min().unwrap_or(u64::MAX);
    }
    // By set of axes, one bit each: routers of a layer that spans these, and links of its best cut.
    let mut routers = vec![1u64; 1 << axes.len()];
    let mut best = vec![0u64; 1 << axes.len()];
    for set in 1..best.len() {
        let mut fewest = u64::MAX;
        for (i, axis) in axes.iter().enumerate() {
            let rest = set & !(1 << i);
            if rest == set {
                continue;
            }
            routers[set] = routers[rest] * u64::from(axis.extent);
            let mut links = routers[rest] * axis.links;
            if !axis.extent.is_multiple_of(2) {
                links += best[rest];
            }
            fewest = fewest.min(links);
        }
        best[set] = fewest;
    }
    best[best.len() - 1]
}

#[cfg(test)]
mod tests {
    use crate::topology::{Context, Topology};

    /// The fewest links between halves that differ by one router at most, where fewer than `best`: every assignment
    /// of routers to halves, given up as soon as it has `best` links. `lower` has each router's neighbours before it.
    fn least(lower: &[Vec<usize>], half: &mut Vec<bool>, links: u64, best: u64) -> u64 {
        let counts = [false, true].map(|side| half.iter().filter(|s| **s == side).count());
        if links >= best || counts.iter().any(|count| *count > lower.len().div_ceil(2)) {
            return best;
        }
        let Some(neighbours) = lower.get(half.len()) else {
            return links;
        };
        [false, true].into_iter().fold(best, |best, side| {
            // The first router is in the first half.
            if half.is_empty() && side {
                return best;
            }
            let crossing = neighbours.iter().filter(|n| half[**n] != side).count() as u64;
            half.push(side);
            let found = least(lower, half, links + crossing, best);
            half.pop();
            found
        })
    }

    /// Odd tori and meshes, of equal extents and others.
    #[test]
    fn no_cut_has_fewer_links_where_a_theorem_says_so() {
        for spec in [
            "torus:5x3",
            "torus:7x3",
            "torus:9x3",
            "torus:5x5",
            "torus:7x5",
            "torus:3x3x3",
            "torus:5x4",
            "torus:7x4",
            "torus:3x3x4",
            "mesh:5x3",
            "mesh:9x3",
            "mesh:5x5",
            "mesh:7x5",
            "mesh:3x3x3",
            "mesh:5x3x3",
            "mesh:7x4",
        ] {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let network = machine.network();
            let bounds = network.cut_bounds().unwrap();
            let mut lower = vec![Vec::new(); network.routers() as usize];
            network.for_each_link(&mut |u, v, _| lower[u.max(v) as usize].push(u.min(v) as usize));
            let cut = bounds.cut.unwrap();
            assert!(bounds.least, "{spec}");
            assert_eq!(least(&lower, &mut Vec::new(), 0, cut + 1), cut, "{spec}");
        }
    }
}
