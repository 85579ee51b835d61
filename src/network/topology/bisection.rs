//! Proved bounds of cuts into halves: the least links that any cut can have, and a cut with few.
//!
//! # The floor
//! If every pair of nodes exchanges one unit along given routes, then what crosses a cut needs that many links at
//! least: units that cross over units that the busiest link carries (Leighton, "Introduction to Parallel
//! Algorithms and Architectures", 1992, section 1.9.1: embedding the complete graph). The same holds where every
//! node of the smaller half sends one unit to a partner of its own in the other.

use super::distance::{Axis, Product, Shape};

/// A bound from below on every cut, and a good cut of the whole machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutBounds {
    load: Load,
    /// Links of a balanced cut of the machine with all its nodes, where a formula gives one.
    pub cut: Option<u64>,
    /// Whether a theorem says that no balanced cut of the whole machine has fewer.
    pub least: bool,
}

/// Upper bound of the traffic on the busiest link over its capacity, as numerator and denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    /// Where every ordered pair of routers exchanges a unit.
    Pairs(u128, u128),
    /// In one direction, where every node sends a unit to one partner and gets one.
    Partners(u128, u128),
}

impl CutBounds {
    /// No cut of `nodes` nodes, at most `per_router` on a router, with `smaller` of them or more on either side has
    /// fewer links.
    pub fn floor(&self, nodes: u64, smaller: u64, per_router: u32) -> u64 {
        let (s, others) = (u128::from(smaller), u128::from(nodes - smaller));
        let (units, (num, den)) = match self.load {
            Load::Pairs(num, den) => {
                let per = u128::from(per_router);
                (2 * s * others, (num.saturating_mul(per * per), den))
            }
            Load::Partners(num, den) => (s, (num, den)),
        };
        match num {
            0 => 0,
            // Nothing of ours comes near 128 bits; a floor cut off is still one.
            _ => units.saturating_mul(den).div_ceil(num).min(u64::MAX.into()) as u64,
        }
    }

    /// Paths, rings and cliques along axes; `double` gives rings of two a link of capacity two.
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
    pub(super) fn of_product(product: &Product, double: bool) -> CutBounds {
        let axes: Vec<Axis> = product
            .axes
            .iter()
            .copied()
            .filter(|a| a.extent > 1)
            .collect();
        let routers = u128::from(product.routers());
        let capacity = |axis: &Axis| match axis.shape {
            Shape::Ring if double && axis.extent == 2 => 2,
            _ => 1u128,
        };
        let load = |axis: &Axis| {
            let n = u128::from(axis.extent);
            let carried = match axis.shape {
                Shape::Ring if n > 2 => n * n / 4,
                Shape::Clique => 2,
                _ => 2 * (n / 2) * n.div_ceil(2),
            };
            // A capacity of two halves an even load.
            (carried * (routers / n)).div_ceil(capacity(axis))
        };
        let across = |axis: &Axis| {
            let n = u64::from(axis.extent);
            match axis.shape {
                Shape::Ring if n > 2 => 2,
                Shape::Clique => n * n / 4,
                _ => capacity(axis) as u64,
            }
        };
        let all = |shape: Shape| axes.iter().all(|a| a.shape == shape);
        let long = axes.iter().all(|a| a.extent > 2);
        CutBounds {
            load: Load::Pairs(axes.iter().map(load).max().unwrap_or(0), 1),
            cut: Some(best_halving(&axes, &across)),
            least: all(Shape::Path) || all(Shape::Ring) && long,
        }
    }

    /// Fat trees with `m` children and `w` parents a level (w₁ = 1): every flow spreads evenly over all upward
    /// paths, so that a link above a unit of M nodes with U links up carries at most M/U of what partners send.
    /// The cut takes half the units of a level and parts one that is left over at the level below.
    pub(super) fn of_tree(m: &[u32], w: &[u32]) -> CutBounds {
        let product = |list: &[u32]| {
            list.iter()
                .fold(1u128, |all, n| all.saturating_mul(u128::from(*n)))
        };
        // By level from the leaves up: nodes below, links up, units.
        let level = |l: usize| {
            (
                product(&m[..l]),
                product(&w[..=l]).min(u128::from(u64::MAX)),
                product(&m[l..]),
            )
        };
        let levels: Vec<_> = (1..m.len())
            .map(level)
            .filter(|(_, _, units)| *units > 1)
            .collect();
        let busiest = levels
            .iter()
            .copied()
            .max_by(|(a, b, _), (c, d, _)| a.saturating_mul(*d).cmp(&c.saturating_mul(*b)));
        let cut = |top: usize| {
            let (mut cut, mut units) = (0u128, levels[top].2);
            for l in (0..=top).rev() {
                cut = cut.saturating_add((units / 2).saturating_mul(levels[l].1));
                if units.is_multiple_of(2) {
                    break;
                }
                units = u128::from(m[l]);
            }
            cut.min(u64::MAX.into()) as u64
        };
        let (nodes, up) = busiest.map_or((0, 1), |(nodes, up, _)| (nodes, up));
        CutBounds {
            load: Load::Partners(nodes, up),
            cut: Some((0..levels.len()).map(cut).min().unwrap_or(0)),
            least: false,
        }
    }

    /// Dragonflies of `groups` groups of `a` routers with up to `ports` global ports each and `cables` between two
    /// groups. The floor routes over the cable to the other group, evenly where there are several: a cable carries
    /// 2a²/c of the pairs of routers, a local link 2 + 4·a·h/c at most. The cut puts half the groups on either
    /// side, an even number of them: c·g²/4 links. Where a² ≥ 2·a·h + c the two meet.
    pub(super) fn of_dragonfly(groups: u64, a: u64, ports: u64, cables: u64) -> CutBounds {
        let (a, ports, c) = (u128::from(a), u128::from(ports), u128::from(cables));
        let local = if a > 1 {
            2 * c.max(1) + 4 * a * ports * u128::from(groups > 1)
        } else {
            0
        };
        let global = if groups > 1 { 2 * a * a } else { 0 };
        CutBounds {
            load: Load::Pairs(local.max(global), c.max(1)),
            cut: match groups {
                1 => Some((a * a / 4) as u64),
                g => g.is_multiple_of(2).then(|| cables * (g / 2) * (g / 2)),
            },
            least: false,
        }
    }
}

/// The fewest links of a cut that halves one axis and, where that is odd, the layer in its middle likewise.
/// O(2^axes · axes) up to 16 axes; beyond, the axes with the fewest links first.
fn best_halving(axes: &[Axis], across: &dyn Fn(&Axis) -> u64) -> u64 {
    let product = |set: usize| -> u64 {
        let extents = (0..axes.len())
            .filter(|i| set >> i & 1 == 1)
            .map(|i| axes[i].extent);
        extents.map(u64::from).product()
    };
    let halved = |set: usize, i: usize, rest: u64| {
        let layer = product(set & !(1 << i));
        layer * across(&axes[i])
            + if axes[i].extent.is_multiple_of(2) {
                0
            } else {
                rest
            }
    };
    if axes.len() > 16 {
        // At most 2³¹ slots: all but a few of so many axes are of extent 2, any of which ends the cut.
        let set = (1usize << axes.len().min(63)) - 1;
        let even = (0..axes.len()).filter(|i| axes[*i].extent.is_multiple_of(2));
        return even.map(|i| halved(set, i, 0)).min().unwrap_or(u64::MAX);
    }
    let mut best = vec![0u64; 1 << axes.len()];
    for set in 1..best.len() {
        let members = (0..axes.len()).filter(|i| set >> i & 1 == 1);
        best[set] = members
            .map(|i| halved(set, i, best[set & !(1 << i)]))
            .min()
            .unwrap_or(0);
    }
    best.last().copied().unwrap_or(0)
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
