//! Traffic that goes the minimal way, or over one intermediate.

use multiversion::multiversion;
use rayon::prelude::*;

use super::minimal::{Costs, LANES, Minimal, PIECES};
use super::network::{Network, add, exp};
use super::solution::{FlowSolution, StopCondition};
use crate::mapping::{Demand, End};

/// Traffic of `adaptive` routing.
pub(super) struct Detours<'a> {
    pub network: &'a Network<'a>,
    pub minimal: Minimal<'a>,
    pub demand: &'a Demand,
    /// One share a pair for all intermediates, not one for each.
    pub even: bool,
}

/// Bytes that [`Detours`] takes.
pub(super) fn bytes(routers: usize, links: usize) -> u64 {
    let (routers, links) = (routers as u64, links as u64);
    // Costs, volumes of all pieces, and ways: a target's take every link in one direction at most.
    8 * routers * routers * (4 + PIECES as u64) + 2 * routers * links
}

/// Shares that load the links least.
///
/// The dual way: at given prices of links each pair takes the detours that cost less than its minimal way, which adds up to a
/// floor; and prices of links are sought at which the floor is highest. Where a detour costs about as much as the minimal
/// way, its share changes gradually with prices, so that the floor (thus softened) is smooth, and prices rise with the loads
/// by an accelerated mirror ascent; the mean of its routings, with its weights, is the routing found. Steps are as long
/// as the last change of loads with prices allows; where nothing gets better any more, it starts again from its prices.
///
/// # Complexity
/// O(pairs of routers · intermediates) for each round, and all fixed ways between routers.
///
/// # References
/// Nesterov, "Smooth minimization of non-smooth functions", Mathematical Programming 103, 2005; Tseng, "On accelerated
/// proximal gradient methods for convex-concave optimization", 2008, algorithm 1, with entropy as the distance.
pub(super) fn solve(
    detours: &Detours<'_>,
    fixed: Option<FlowSolution>,
    stop: &StopCondition<'_>,
) -> FlowSolution {
    let network = detours.network;
    let even: Vec<f64> = network
        .per
        .iter()
        .map(|per| f64::from(u8::from(*per > 0.0)))
        .collect();
    let mut prices = Ascent::new(even);
    let mut best = detours.route(&network.per, 1e100).or(fixed);
    let mut mean = best.clone();
    let (mut since, mut idle) = (0, 0);
    for round in 0.. {
        if stop.now(round, &best) {
            break;
        }
        let part = 2.0 / f64::from(since + 2);
        let at = prices.at(part);
        // Wide enough that prices settle in few rounds; the wider, the less the routing at these prices tells.
        let width = best.worst * (20.0 * stop.gap).min(0.1) / detours.demand.volume;
        let lengths: Vec<f64> = at
            .iter()
            .zip(&network.per)
            .map(|(p, per)| p * per)
            .collect();
        let found = detours.route(&lengths, width);
        mix(&mut mean.loads, &found.loads, part);
        mean.worst = network.worst(&mean.loads);
        let [old, new] = [mean.detoured, found.detoured].map(|volume| volume.unwrap_or(0.0));
        mean.detoured = Some(old + (new - old) * part);
        let better = found.floor > best.floor || found.worst.min(mean.worst) < best.worst;
        let loads: Vec<f64> = found
            .loads
            .iter()
            .zip(&network.per)
            .map(|(l, per)| l * per)
            .collect();
        prices.go(at, loads, part, found.floor.max(found.worst / 3.0));
        best = best.or(Some(found));
        if mean.worst < best.worst {
            best = mean.clone().or(Some(best));
        }
        (since, idle) = (since + 1, if better { 0 } else { idle + 1 });
        if idle > 20 + since / 4 {
            (since, idle) = (0, 0);
            prices.begin_again();
        }
    }
    best
}

/// Prices of links on their way up.
struct Ascent {
    /// Where it began.
    start: Vec<f64>,
    /// Sum of all steps so far, by which the logarithms of the foremost prices are above those of the start.
    steps: Vec<f64>,
    /// The foremost prices, and the mean of them so far.
    front: Vec<f64>,
    mean: Vec<f64>,
    /// Lengths of steps, relative to loads: the next, and the longest.
    length: f64,
    longest: f64,
    /// The prices and loads of the last round.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

impl Ascent {
    fn new(mut prices: Vec<f64>) -> Self {
        to_one(&mut prices);
        let steps = vec![0.0; prices.len()];
        let (front, mean) = (prices.clone(), prices.clone());
        Ascent {
            start: prices,
            steps,
            front,
            mean,
            length: 1.0,
            longest: 2.0,
            last: None,
        }
    }

    /// The prices to try next.
    fn at(&self, part: f64) -> Vec<f64> {
        let mut at = self.mean.clone();
        mix(&mut at, &self.front, part);
        at
    }

    /// Goes on with the `loads` over capacity `at` prices, relative to `scale`.
    fn go(&mut self, at: Vec<f64>, loads: Vec<f64>, part: f64, scale: f64) {
        if let Some((prices, before)) = &self.last {
            let (mut fell, mut apart) = (0.0, 0.0);
            for ((a, b), (load, old)) in at.iter().zip(prices).zip(loads.iter().zip(before)) {
                fell += (b - a) * (load - old);
                apart += (a - b) * (a - b) / (a + b).max(1e-300);
            }
            // The longest step would be twice this sum, which is about the relative entropy; a fifth of it is safe.
            let longest = 0.4 * apart * scale / fell.max(1e-300);
            self.length = longest
                .clamp(self.length / 1.5, self.length * 1.25)
                .min(self.longest);
        }
        let rate = self.length / part / scale;
        self.steps
            .iter_mut()
            .zip(&loads)
            .for_each(|(step, load)| *step += rate * load);
        let top = self.steps.iter().fold(f64::MIN, |top, step| top.max(*step));
        for ((front, start), step) in self.front.iter_mut().zip(&self.start).zip(&self.steps) {
            *front = start * exp(step - top);
        }
        to_one(&mut self.front);
        mix(&mut self.mean, &self.front, part);
        self.last = Some((at, loads));
    }

    /// Starts from the mean, with shorter steps.
    fn begin_again(&mut self) {
        let longest = self.longest / 2.0;
        let length = self.length.max(0.03).min(longest);
        *self = Ascent {
            length,
            longest,
            ..Ascent::new(std::mem::take(&mut self.mean))
        };
    }
}

fn to_one(prices: &mut [f64]) {
    let sum: f64 = prices.iter().sum();
    prices.iter_mut().for_each(|price| *price /= sum);
}

fn mix(mean: &mut [f64], new: &[f64], part: f64) {
    mean.iter_mut()
        .zip(new)
        .for_each(|(mean, new)| *mean = *mean * (1.0 - part) + new * part);
}

/// Volumes and costs of the traffic to some targets.
#[derive(Default)]
struct Piece {
    /// Volume from each router to intermediates, rows in the form of [`Costs::outward`], empty for none; and besides to
    /// every one.
    outward: Vec<Vec<f64>>,
    even: Vec<f64>,
    /// Volume to each router the minimal way, by router that sends it.
    sent: Vec<Vec<f64>>,
    detoured: f64,
    /// Σ volume · least cost.
    paid: f64,
}

impl Piece {
    fn and(mut self, other: Piece) -> Piece {
        add(&mut self.even, &other.even);
        for (rows, others) in [
            (&mut self.outward, other.outward),
            (&mut self.sent, other.sent),
        ] {
            for (row, other) in rows.iter_mut().zip(others) {
                if row.is_empty() {
                    *row = other
                } else {
                    add(row, &other)
                }
            }
        }
        self.detoured += other.detoured;
        self.paid += other.paid;
        self
    }
}

/// The way on from intermediates to one target, from sources with the same row.
struct Onward {
    costs: Vec<f64>,
    /// All costs.
    sum: f64,
    volumes: Vec<f64>,
    /// Volume on from every intermediate besides.
    even: f64,
}

fn finite(costs: &[f64]) -> f64 {
    costs.iter().filter(|cost| cost.is_finite()).sum()
}

impl Detours<'_> {
    /// The routing that pairs choose at `lengths`, and the floor that these prove: no share where a detour costs more than
    /// the minimal way by half of `width`, all of it where it costs less by half of it.
    fn route(&self, lengths: &[f64], width: f64) -> FlowSolution {
        let costs = self.minimal.costs(lengths);
        let sums: Vec<f64> = costs.outward.par_iter().map(|row| finite(row)).collect();
        let targets: Vec<usize> = (0..self.demand.roots(End::Target).len()).collect();
        // Fixed pieces, added up in their order.
        let pieces = targets.par_chunks(targets.len().div_ceil(PIECES));
        let pieces: Vec<Piece> = pieces
            .map(|targets| self.piece(targets, (&costs, &sums), width))
            .collect();
        let mut all = pieces.into_iter().reduce(Piece::and).unwrap_or_default();
        for (router, (row, even)) in (0..).zip(all.outward.iter_mut().zip(&all.even)) {
            add(
                row,
                &self.minimal.fill(self.minimal.own(router), 0.0, |_| *even),
            );
        }
        let loads = self.minimal.load(&mut all.outward, &all.sent);
        let lengths = lengths
            .iter()
            .zip(&self.network.per)
            .filter(|(_, per)| **per > 0.0);
        let floor = all.paid / lengths.map(|(length, per)| length / per).sum::<f64>();
        FlowSolution {
            worst: self.network.worst(&loads),
            loads,
            floor,
            detoured: Some(all.detoured),
        }
    }

    fn piece(&self, targets: &[usize], (costs, sums): (&Costs<'_>, &[f64]), width: f64) -> Piece {
        let (minimal, routers, mut list) = (&self.minimal, self.network.routers(), Vec::new());
        let (rows, even) = (|| vec![Vec::new(); routers], vec![0.0; routers]);
        let mut piece = Piece {
            outward: rows(),
            even,
            sent: rows(),
            ..Piece::default()
        };
        // The largest share of one intermediate; neither end is one.
        let most = 1.0 / (minimal.intermediates() as f64 - 2.0);
        for target in targets {
            let to = self.demand.roots(End::Target)[*target];
            let costs_to = minimal.to(to, costs);
            let mut sent = vec![0.0; routers];
            let mut rows: Vec<Option<Onward>> = Vec::new();
            for flow in self.demand.row(End::Target, *target, &mut list) {
                let (from, cost) = (flow.router as usize, costs_to[flow.router as usize]);
                piece.paid += flow.volume * cost;
                sent[from] += flow.volume;
                if !minimal.may_detour(flow.router, to) {
                    continue;
                }
                let row = minimal.row(flow.router);
                rows.resize_with(rows.len().max(row + 1), || None);
                let onward = rows[row].get_or_insert_with(|| {
                    let costs = minimal.onward(row, to, &costs_to);
                    let volumes = vec![0.0; costs.len()];
                    Onward {
                        sum: finite(&costs),
                        costs,
                        volumes,
                        even: 0.0,
                    }
                });
                let outward = &costs.outward[from];
                piece.outward[from].resize(outward.len(), 0.0);
                let detoured = if self.even {
                    let [here, there] = [flow.router, to].map(|router| minimal.own(router));
                    let all = sums[from] - outward[there] + onward.sum - onward.costs[here];
                    let gain = cost - all * most;
                    piece.paid -= flow.volume * gain.max(0.0);
                    let share = (0.5 + gain / width).clamp(0.0, 1.0);
                    let each = flow.volume * share * most;
                    piece.even[from] += each;
                    onward.even += each;
                    // The ends themselves are no intermediates.
                    piece.outward[from][there] -= each;
                    onward.volumes[here] -= each;
                    flow.volume * share
                } else {
                    let volume = flow.volume * most;
                    let [gained, all] = split(
                        (cost, outward, &onward.costs),
                        (1.0 / width, volume),
                        &mut piece.outward[from],
                        &mut onward.volumes,
                    );
                    piece.paid -= volume * gained;
                    all
                };
                piece.detoured += detoured;
                sent[from] = f64::max(0.0, sent[from] - detoured);
            }
            for (row, onward) in rows.into_iter().enumerate() {
                let Some(Onward {
                    mut volumes, even, ..
                }) = onward
                else {
                    continue;
                };
                add(&mut volumes, &minimal.fill(minimal.own(to), 0.0, |_| even));
                minimal.send_onward(row, &volumes, &mut sent);
            }
            piece.sent[to as usize] = sent;
        }
        piece
    }
}

/// Adds the volume over each intermediate to that of both halves of the way: `volume` where it costs less than the minimal
/// way, none where it costs more, and a part where the two are within half of one over `rate`. Returns how much less all
/// cheaper ones cost, and all volume.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn split(
    (minimal, out, on): (f64, &[f64], &[f64]),
    (rate, volume): (f64, f64),
    outward: &mut [f64],
    onward: &mut [f64],
) -> [f64; 2] {
    let (mut gained, mut detoured, least) = ([0.0; LANES], [0.0; LANES], -0.5 / rate);
    let costs = out
        .as_chunks::<LANES>()
        .0
        .iter()
        .zip(on.as_chunks::<LANES>().0);
    let volumes = outward
        .as_chunks_mut::<LANES>()
        .0
        .iter_mut()
        .zip(onward.as_chunks_mut::<LANES>().0);
    for ((out, on), (outward, onward)) in costs.zip(volumes) {
        let (mut gains, mut near) = ([0.0; LANES], 0);
        for lane in 0..LANES {
            gains[lane] = minimal - out[lane] - on[lane];
            near |= u64::from(gains[lane] > least);
        }
        if near == 0 {
            continue;
        }
        for lane in 0..LANES {
            let gain = gains[lane];
            gained[lane] += if gain > 0.0 { gain } else { 0.0 };
            let part = volume * (0.5 + gain * rate).clamp(0.0, 1.0);
            detoured[lane] += part;
            outward[lane] += part;
            onward[lane] += part;
        }
    }
    [gained, detoured].map(|lanes| lanes.iter().sum())
}
