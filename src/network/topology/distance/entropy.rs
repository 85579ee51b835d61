//! Lower bound of the mean distance inside any set of nodes on a product of paths, rings and cliques, by entropy.
//!
//! A set of many nodes cannot be narrow along every axis: a node drawn from it has an entropy, and along each axis
//! this costs distance. For example, S nodes of a long path have a mean distance of at least some constant times S.
//!
//! Draw a node evenly from a set of S. Its coordinates X, Y, … have entropies that add up to at least
//! ln(S / nodes a router), since entropy is subadditive (Cover & Thomas, "Elements of Information Theory",
//! section 2.6). Two draws are D = Σ E d(X, X') apart on the mean, summed over axes, and the set's mean distance is
//! S/(S-1) times that. So with L(λ) ≤ D - λ·H for every distribution on an axis, the mean is at least
//! S/(S-1) · (λ · ln(S / nodes a router) + Σ L(λ)), whatever λ is: the largest of many is taken.
//!
//! L is the larger of two bounds. The first holds for every shape: a node has D from the others on the mean, so one
//! position y has E d(X, y) ≤ D, and E d(X, y) - λ·H is at least -λ ln Σ exp(-d(x, y)/λ) (Gibbs).
//!
//! The second is for rings; a path of n is part of a ring of 2n-2. Spread every position evenly over a link's length:
//! the entropy stays, and two draws that agreed are now 1/3 apart, no others further than before. So D is at least
//! that of a density on a circle of length n, less c/3, where c is the chance that two draws agree
//! ([`bound_agreement`]). On the circle let G be the mass of half of it, from θ on. Then D = ∫ 2G(1-G) dθ over half a
//! turn, and G changes at the rate b - a, where a and b are the densities at θ and across. Begin where G is 1/2, and
//! let M be the most that G reaches: the mass 1-M beyond half of the ring is kept apart. For any A and k with
//! 2M(1-M) + k ≥ A, and v(G) = λ arccosh((2G(1-G) + k)/A), the inequality 2G(1-G) + λ(a ln a + b ln b) - μ(a+b) ∓
//! v(G)(b-a) ≥ -k holds with μ = λ(1 + ln(A/2λ)), as its left side is least at a, b = A/2λ · exp(∓v/λ). Integrated,
//! with - on the way up to M and + on the way back, D - λH is at least μ - kn/2 + 2∫v dG from 1/2 to M. A circle of
//! length n is one of length 1 made larger: one table ([`CIRCLE_BOUNDS`]) has them all.

use super::axis::{Axis, Shape};
use super::edges;
use super::product::Product;

/// Lower bounds of D - τH for a density of mean distance D and entropy H on a circle of length 1, rounded down:
/// element i is that for τ = 2^(-2 - i/6). The test `the_table_is_proved` makes and checks them. The bound is concave
/// in τ; its first element is the value of the even density.
const CIRCLE_BOUNDS: [f64; 64] = [
    0.24999996, 0.24999677, 0.24968984, 0.24651599, 0.23998348, 0.23113225, 0.22091531, 0.20992242,
    0.19857285, 0.18714488, 0.17582476, 0.16474033, 0.15398066, 0.14360850, 0.13366766, 0.12418741,
    0.11518540, 0.10666996, 0.09864185, 0.09109592, 0.08402246, 0.07740814, 0.07123698, 0.06549099,
    0.06015086, 0.05519642, 0.05060707, 0.04636212, 0.04244105, 0.03882372, 0.03549052, 0.03242251,
    0.02960150, 0.02701012, 0.02463183, 0.02245099, 0.02045281, 0.01862341, 0.01694974, 0.01541959,
    0.01402157, 0.01274506, 0.01158018, 0.01051778, 0.00954936, 0.00866706, 0.00786361, 0.00713231,
    0.00646698, 0.00586193, 0.00531193, 0.00481216, 0.00435822, 0.00394604, 0.00357193, 0.00323248,
    0.00292458, 0.00264539, 0.00239231, 0.00216297, 0.00195519, 0.00176700, 0.00159660, 0.00144235,
];

/// Factor that keeps a lower bound below the truth in spite of rounding.
const ROUNDING_MARGIN: f64 = 1.0 - 1e-9;

/// Number of values of λ tried in each octave.
const STEPS_PER_OCTAVE: f64 = 8.0;

impl Product {
    /// Computes lower bounds of the mean distance over pairs of any S nodes, for S = 2, 3, …, `largest`, where no
    /// router carries more than `per_router` of them; negative where this bound says nothing. The larger of the
    /// bound by entropy and, with one node a router, that by the links inside the set. O(largest), and for each
    /// of 8·log₂(extent) numbers λ O(extent) at a few hundred chances.
    pub fn bound_mean_distances(&self, per_router: u32, largest: usize) -> Vec<f64> {
        let axes: Vec<Axis> = self.axes.iter().copied().filter(|a| a.extent > 1).collect();
        let widest = axes.iter().map(|a| a.extent).max().unwrap_or(1);
        let count = (STEPS_PER_OCTAVE * (4.0 + f64::from(widest).log2())) as i32;
        // The bound of an axis takes most of the time; like axes have it in common.
        let mut alike: Vec<(Axis, f64)> = Vec::new();
        for axis in &axes {
            match alike.iter_mut().find(|(a, _)| a == axis) {
                Some((_, count)) => *count += 1.0,
                None => alike.push((*axis, 1.0)),
            }
        }
        let lines = upper_hull((0..count).map(|i| {
            let lambda = 2f64.powf(f64::from(i) / STEPS_PER_OCTAVE - 3.0);
            let least = alike
                .iter()
                .map(|(a, count)| count * bound_on_axis(*a, lambda))
                .sum();
            (lambda, least)
        }));
        let links = if per_router == 1 {
            edges::bound_means_by_links(&axes, largest)
        } else {
            Vec::new()
        };
        let mut bounds = Vec::new();
        let mut at = 0;
        for size in 2..=largest {
            let entropy = (size as f64 / f64::from(per_router)).ln();
            // Entropies ascend with the size, so the highest line is never one before.
            while at + 1 < lines.len()
                && line_height(lines[at + 1], entropy) >= line_height(lines[at], entropy)
            {
                at += 1;
            }
            let by_entropy = line_height(lines[at], entropy) * size as f64 / (size - 1) as f64;
            let by_links = links.get(size - 2).copied().unwrap_or(by_entropy);
            bounds.push(ROUNDING_MARGIN * by_entropy.max(by_links));
        }
        bounds
    }
}

/// Computes the height of a line (slope, height at 0) at x.
fn line_height((slope, at_0): (f64, f64), x: f64) -> f64 {
    slope * x + at_0
}

/// Finds the upper envelope of lines (slope, height at 0), given by ascending slope: the lines that are highest
/// somewhere.
fn upper_hull(lines: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for line in lines {
        while let [.., (s0, h0), (s1, h1)] = hull[..] {
            // Where the last line overtakes the one before it, the new one is above both.
            if (h0 - h1) * (line.0 - s0) < (h0 - line.1) * (s1 - s0) {
                break;
            }
            hull.pop();
        }
        hull.push(line);
    }
    hull
}

/// Computes a lower bound of D - λH over all distributions on this axis.
fn bound_on_axis(axis: Axis, lambda: f64) -> f64 {
    let n = axis.extent;
    let weight = |x: u32| (-f64::from(axis.distance_between(x, n / 2)) / lambda).exp();
    let gibbs = -lambda * (0..n).map(weight).sum::<f64>().ln();
    let ring = match axis.shape {
        Shape::Clique => return gibbs,
        Shape::Ring => n,
        Shape::Path => 2 * n - 2,
    };
    let length = f64::from(ring);
    let circle = length * bound_on_circle(lambda / length) - lambda * length.ln();
    gibbs.max(circle - bound_agreement(ring, lambda) / 3.0)
}

/// Computes a lower bound of D - τH of a density on a circle of length 1 for any τ: the chord between elements of
/// [`CIRCLE_BOUNDS`], which a concave function is not below.
fn bound_on_circle(tau: f64) -> f64 {
    let at = -6.0 * (tau.log2() + 2.0);
    if at <= 0.0 {
        return CIRCLE_BOUNDS[0];
    }
    let i = at as usize;
    let (high, at_high) = circle_element(i.min(CIRCLE_BOUNDS.len() - 1));
    // Below the last element: the chord from 0, where the function is 0.
    let (low, at_low) = if i + 1 < CIRCLE_BOUNDS.len() {
        circle_element(i + 1)
    } else {
        (0.0, 0.0)
    };
    at_low + (at_high - at_low) * (tau - low) / (high - low)
}

/// Looks up τ and the bound of element i of [`CIRCLE_BOUNDS`].
fn circle_element(i: usize) -> (f64, f64) {
    (2f64.powf(-2.0 - i as f64 / 6.0), CIRCLE_BOUNDS[i])
}

/// Ratio of the ends of each interval of the largest chance m that [`bound_agreement`] looks at.
const INTERVAL_RATIO: f64 = 1.03;
/// Number of intervals of the slope on one side that [`bound_agreement`] looks at for each of these.
const SLOPE_INTERVALS: u32 = 12;

/// Computes an upper bound of the chance c = Σ p² that two draws agree, for the distribution of least D - λH on a ring
/// of `extent`.
///
/// There p(x) is proportional to exp(-2φ(x)/λ), with φ(x) = E d(x, X'): the logarithm holds every p above 0, and all
/// derivatives are equal. Let m be the largest p, at x₀. The second difference of φ at x is at most 2p(x) ≤ 2m, so φ
/// rises from x₀ by slopes s ≥ 0 to one side and t ≥ 0 to the other with s + t ≤ 2m, and after j steps by at most
/// js + j(j-1)m. So p is at least m·exp(-2(js + j(j-1)m)/λ) there: if these sum to more than 1, there is no such m;
/// if to less, Σ p² is largest where the rest fills the largest of them up to m. All m and s are looked at, an
/// interval at a time.
///
/// From λ = 8 on c is small beside D, and the largest m that there can be is enough: c ≤ m. For that s = t = m has the
/// least sum of all slopes, as the mean of two exponentials is at least that of the mean exponent. O(min(extent, λ))
/// for each interval.
fn bound_agreement(extent: u32, lambda: f64) -> f64 {
    let mut worst = 1.0 / f64::from(extent);
    let mut high = 1.0;
    while high > worst {
        let low = high / INTERVAL_RATIO;
        if lambda < 8.0 {
            for i in 0..SLOPE_INTERVALS {
                let slope = high * f64::from(i + 1) / f64::from(SLOPE_INTERVALS);
                // The other side at most takes what the low end of this interval leaves of 2m.
                let other = 2.0 * high - high * f64::from(i) / f64::from(SLOPE_INTERVALS);
                if let Some(c) = bound_agreement_within(extent, lambda, (low, high), (slope, other))
                {
                    worst = worst.max(c.min(high));
                }
            }
        } else if bound_agreement_within(extent, lambda, (low, high), (high, high)).is_some() {
            return high;
        }
        high = low;
    }
    worst
}

/// Computes the largest Σ p² for m in `low..=high` and slopes of at most these; `None` where there is no such
/// distribution.
fn bound_agreement_within(
    extent: u32,
    lambda: f64,
    (low, high): (f64, f64),
    slopes: (f64, f64),
) -> Option<f64> {
    let side = (extent - 1) / 2;
    let mut left = 1.0 - low;
    let mut c = low * low;
    // What p is at least after each step away from x₀, and how much it falls with the next step.
    let fall = (-4.0 * high / lambda).exp();
    let mut least = [slopes.0, slopes.1].map(|slope| (low, (-2.0 * slope / lambda).exp()));
    let mut room = Vec::with_capacity(64);
    for _ in 0..side {
        for (p, ratio) in &mut least {
            *p *= *ratio;
            *ratio *= fall;
            left -= *p;
            c += *p * *p;
            room.push(*p);
        }
        if left < 0.0 {
            return None;
        }
        // What is left out from here on is part of the rest.
        if least[0].0 < 1e-4 * low {
            break;
        }
    }
    room.push(low);
    room.sort_unstable_by(|a, b| b.total_cmp(a));
    // The rest fills the largest first.
    let mut rest = 0.0;
    for p in room {
        let add = left.min(high - p);
        left -= add;
        rest += add * (high + p);
    }
    Some(c + rest + left * high)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rayon::prelude::*;

    use super::*;

    fn product(axes: &[(u32, Shape)]) -> Product {
        Product {
            axes: axes
                .iter()
                .map(|(extent, shape)| Axis {
                    extent: *extent,
                    shape: *shape,
                })
                .collect(),
        }
    }

    /// The largest value of `f` that a golden section meets.
    fn highest(mut low: f64, mut high: f64, steps: usize, f: &dyn Fn(f64) -> f64) -> f64 {
        let golden = (5f64.sqrt() - 1.0) / 2.0;
        let inner =
            |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
        let (mut a, mut b) = inner(low, high);
        let (mut at_a, mut at_b) = (f(a), f(b));
        let mut best = at_a.max(at_b);
        for _ in 0..steps {
            if at_a > at_b {
                (high, b, at_b) = (b, a, at_a);
                a = inner(low, high).0;
                at_a = f(a);
            } else {
                (low, a, at_a) = (a, b, at_b);
                b = inner(low, high).1;
                at_b = f(b);
            }
            best = best.max(at_a).max(at_b);
        }
        best
    }

    /// A number that D - τH of no density on the circle is below whose M is in `from..=to`: the best A and k that are
    /// found. v is concave in G, so trapezoids are not above its integral.
    fn proved_between(tau: f64, from: f64, to: f64) -> f64 {
        let (panels, beyond) = (32, 2.0 * to * (1.0 - to));
        let at =
            |i: i32| 0.5 + (from - 0.5) * (1.0 - (1.0 - f64::from(i) / f64::from(panels)).powi(3));
        let masses: Vec<f64> = (0..=panels).map(at).collect();
        let value = |a: f64, k: f64| {
            let v = |g: f64| ((2.0 * g * (1.0 - g) + k) / a).max(1.0).acosh();
            let panel = |g: &[f64]| (v(g[0]) + v(g[1])) / 2.0 * (g[1] - g[0]);
            let rise: f64 = masses.windows(2).map(panel).sum();
            tau * (1.0 + (a / (2.0 * tau)).ln()) - k / 2.0 + 2.0 * tau * rise
        };
        let best_k = |log: f64| {
            let a = log.exp();
            let more = highest(-30.0, 0.0, 14, &|more: f64| {
                value(a, a - beyond + more.exp())
            });
            more.max(value(a, a - beyond))
        };
        highest((-1.0 / tau - 4.0).max(-50.0), 2.0, 16, &best_k)
    }

    /// As [`proved_between`], for every M: intervals of M, the worst halved again and again.
    fn proved(tau: f64) -> f64 {
        let cut = |i: i32| 1.0 - 0.5 * (1.0 - f64::from(i) / 24.0).powi(3);
        let part = |(a, b): (f64, f64)| (proved_between(tau, a, b), a, b);
        let mut parts: Vec<_> = (0..24).map(|i| part((cut(i), cut(i + 1)))).collect();
        for _ in 0..40 {
            let by_bound = |a: &usize, b: &usize| parts[*a].0.total_cmp(&parts[*b].0);
            let worst = (0..parts.len()).min_by(by_bound).unwrap();
            let (_, a, b) = parts.swap_remove(worst);
            parts.extend([(a, (a + b) / 2.0), ((a + b) / 2.0, b)].map(part));
        }
        parts.iter().map(|p| p.0).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_table_is_proved() {
        let table: Vec<f64> = (0..CIRCLE_BOUNDS.len())
            .into_par_iter()
            .map(|i| proved(2f64.powf(-2.0 - i as f64 / 6.0)))
            .collect();
        for (i, (found, table)) in table.iter().zip(CIRCLE_BOUNDS).enumerate() {
            assert!(
                (table..table + 2.1e-8).contains(found),
                "element {i}: {found} for {table}"
            );
        }
    }

    /// D - λH of a distribution on an axis.
    fn value(axis: Axis, lambda: f64, p: &[f64]) -> f64 {
        let pair = |(x, y): (usize, usize)| {
            p[x] * p[y] * f64::from(axis.distance_between(x as u32, y as u32))
        };
        let pairs = (0..p.len()).flat_map(|x| (0..p.len()).map(move |y| (x, y)));
        let entropy: f64 = p.iter().filter(|p| **p > 0.0).map(|p| -p * p.ln()).sum();
        pairs.map(pair).sum::<f64>() - lambda * entropy
    }

    /// Goes to where all derivatives of D - λH are equal, from this distribution on.
    fn settled(axis: Axis, lambda: f64, mut p: Vec<f64>) -> Vec<f64> {
        for _ in 0..400 {
            let phi = |x: usize| -> f64 {
                (0..p.len())
                    .map(|y| p[y] * f64::from(axis.distance_between(x as u32, y as u32)))
                    .sum()
            };
            let next: Vec<f64> = (0..p.len())
                .map(|x| (-2.0 * phi(x) / lambda).exp())
                .collect();
            let all: f64 = next.iter().sum();
            p = p
                .iter()
                .zip(next)
                .map(|(p, q)| 0.5 * p + 0.5 * q / all)
                .collect();
        }
        p
    }

    #[test]
    fn distributions_on_an_axis_come_near_the_bound_and_not_below() {
        for (extent, shape) in [
            (25, Shape::Ring),
            (16, Shape::Ring),
            (9, Shape::Path),
            (7, Shape::Clique),
        ] {
            let axis = Axis { extent, shape };
            for lambda in [0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0] {
                let bound = bound_on_axis(axis, lambda);
                let mut least = f64::INFINITY;
                for start in 0..3 {
                    let at = |x: u32| match start {
                        0 => f64::from(x == extent / 2) + 1e-3,
                        1 => f64::from((extent / 2 - 1..=extent / 2).contains(&x)) + 1e-3,
                        _ => 1.0,
                    };
                    let all: f64 = (0..extent).map(at).sum();
                    let p = settled(axis, lambda, (0..extent).map(|x| at(x) / all).collect());
                    least = least.min(value(axis, lambda, &p));
                    if shape == Shape::Ring {
                        let c: f64 = p.iter().map(|p| p * p).sum();
                        let unstable = 1.0 / f64::from(extent) + 1e-9;
                        assert!(
                            c <= bound_agreement(extent, lambda).max(unstable),
                            "{axis:?} {lambda}"
                        );
                    }
                }
                assert!(
                    bound <= least + 1e-9,
                    "{axis:?} {lambda}: {bound} above {least}"
                );
                let near = if shape == Shape::Ring {
                    0.05 * lambda + 0.1
                } else {
                    f64::INFINITY
                };
                assert!(
                    bound >= least - near,
                    "{axis:?} {lambda}: {bound} far below {least}"
                );
            }
        }
    }

    /// The least mean distance of S of these nodes, of all sets, for S = 2, 3, ….
    fn exhaustive(product: &Product, per_router: u32) -> Vec<f64> {
        let nodes = product.count_routers() as u32 * per_router;
        let mut least = vec![f64::INFINITY; nodes as usize - 1];
        for set in 0u32..1 << nodes {
            let members: Vec<u32> = (0..nodes).filter(|i| set >> i & 1 == 1).collect();
            let size = members.len();
            if size > 1 {
                let to = |a: &u32| -> u32 {
                    members
                        .iter()
                        .map(|b| product.distance_between(a / per_router, b / per_router))
                        .sum()
                };
                let mean =
                    f64::from(members.iter().map(to).sum::<u32>()) / (size * (size - 1)) as f64;
                least[size - 2] = least[size - 2].min(mean);
            }
        }
        least
    }

    #[test]
    fn no_set_of_nodes_is_below_the_bound() {
        use Shape::{Clique, Path, Ring};
        for (axes, per_router) in [
            (vec![(14, Ring)], 1),
            (vec![(13, Path)], 1),
            (vec![(7, Ring)], 2),
            (vec![(4, Ring), (4, Ring)], 1),
            (vec![(5, Path), (3, Ring)], 1),
            (vec![(4, Clique), (3, Path)], 1),
            (vec![(2, Clique), (3, Path), (2, Ring)], 1),
            (vec![(2, Ring), (2, Ring), (3, Ring)], 1),
        ] {
            let product = product(&axes);
            let least = exhaustive(&product, per_router);
            let bound = product.bound_mean_distances(per_router, least.len() + 1);
            for (i, (bound, least)) in bound.iter().zip(&least).enumerate() {
                assert!(bound <= least, "{axes:?} {}: {bound} above {least}", i + 2);
            }
            let last = bound.last().unwrap() / least.last().unwrap();
            assert!(last > 0.6, "{axes:?}: {last} of the whole machine's");
        }
    }

    #[test]
    fn cubes_of_a_large_torus_are_a_quarter_above_the_bound_at_most() {
        let axis = |n, shape| Axis { extent: n, shape };
        let bound = product(&[(24, Shape::Ring); 3]).bound_mean_distances(1, 13824);
        for side in [4u32, 6, 8, 10, 12] {
            let pairs = 3.0 * axis(side, Shape::Path).even_pair_sum(u64::from(side).pow(2)) as f64;
            let size = side.pow(3) as usize;
            let cube = 2.0 * pairs / (size * (size - 1)) as f64;
            let share = bound[size - 2] / cube;
            assert!((0.74..0.85).contains(&share), "{side}: {share}");
        }
        // Pairs, paths of three and squares are the closest there are.
        assert!(
            bound
                .iter()
                .zip([1.0, 4.0 / 3.0, 4.0 / 3.0])
                .all(|(a, b)| (a - b).abs() < 1e-6)
        );
        // All nodes are 3 · 6 · 24³/(24³-1) apart on the mean.
        assert!((bound[13822] - 18.0013).abs() < 0.1, "{}", bound[13822]);
    }

    proptest! {
        #[test]
        fn the_hull_has_the_highest_line_everywhere(
            mut lines in prop::collection::vec((0.0..9.0f64, -9.0..9.0f64), 1..9),
            x in -3.0..3.0f64,
        ) {
            lines.sort_by(|a, b| a.0.total_cmp(&b.0));
            let highest = |lines: &[(f64, f64)]| {
                lines.iter().map(|(slope, at_0)| slope * x + at_0).fold(f64::NEG_INFINITY, f64::max)
            };
            let hull = upper_hull(lines.iter().copied());
            prop_assert!((highest(&hull) - highest(&lines)).abs() < 1e-9);
        }
    }
}
