//! Traffic that goes the minimal way, or over one intermediate.

use rayon::prelude::*;

use super::descent::{Blocks, Routed, rounded_up};
use super::minimal::Minimal;
use super::network::Network;
use crate::mapping::{Demand, End, Flow};

/// Blocks of large traffic: the first half of the detours is added up once a block.
const BLOCKS: usize = 16;
/// Small traffic has more.
const SMALL: usize = 64;

/// Traffic of `adaptive` routing.
pub(super) struct Detours<'a> {
    pub network: &'a Network<'a>,
    pub minimal: Minimal<'a>,
    pub demand: &'a Demand,
    /// One share a pair for all intermediates, not one for each.
    pub even: bool,
}

/// Costs of all ways at some lengths.
struct Costs {
    /// To each router, from every one.
    minimal: Vec<Vec<f64>>,
    /// From every router to each intermediate.
    outward: Vec<Vec<f64>>,
}

/// Bytes that [`Detours`] takes.
pub(super) fn bytes(routers: usize, targets: usize, links: usize) -> u64 {
    let (routers, links) = (routers as u64, links as u64);
    // Costs, ways, shares of the first half in each block, and loads.
    8 * routers * routers * 6 + 4 * links * targets.min(SMALL) as u64
}

impl Blocks for Detours<'_> {
    const WIDTH: f64 = 0.02;

    fn count(&self) -> usize {
        let targets = self.demand.roots(End::Target).len();
        if targets <= SMALL { targets } else { BLOCKS }
    }

    fn route(&self, block: usize, lengths: &[f64], width: f64) -> Routed {
        let costs = self.costs(lengths);
        let targets = self.demand.roots(End::Target).len();
        let size = targets.div_ceil(self.count());
        let targets: Vec<usize> = (block * size..targets.min((block + 1) * size)).collect();
        // Fixed pieces, added up in their order.
        let pieces: Vec<Piece> = targets
            .par_chunks(size.div_ceil(4))
            .map(|targets| self.piece(targets, &costs, width))
            .collect();
        let mut all = Piece::new(self.network, 0);
        let mut outward = vec![Vec::new(); self.network.routers()];
        for piece in pieces {
            all.loads.iter_mut().zip(&piece.loads).for_each(|(sum, load)| *sum += load);
            all.detoured += piece.detoured;
            for (sum, row) in outward.iter_mut().zip(piece.outward) {
                if sum.is_empty() {
                    *sum = row;
                } else {
                    sum.iter_mut().zip(row).for_each(|(sum, volume)| *sum += volume);
                }
            }
        }
        self.minimal.load_outward(&outward, &mut all.loads);
        Routed { loads: all.loads.into_iter().map(rounded_up).collect(), detoured: all.detoured }
    }

    fn floor(&self, lengths: &[f64]) -> f64 {
        let costs = self.costs(lengths);
        let least = |target: usize| {
            let mut sum = 0.0;
            self.for_each(target, &costs, |flow, pair| {
                sum += flow.volume * pair.minimal;
                if pair.ends.is_some() {
                    let gain = if self.even {
                        pair.sum(|gain| gain).max(0.0)
                    } else {
                        pair.sum(|gain| gain.max(0.0))
                    };
                    sum -= flow.volume * gain * pair.most();
                }
            });
            sum
        };
        let targets = 0..self.demand.roots(End::Target).len();
        let sums: Vec<f64> = targets.into_par_iter().map(least).collect();
        let lengths = lengths.iter().zip(&self.network.per).filter(|(_, per)| **per > 0.0);
        sums.iter().sum::<f64>() / lengths.map(|(length, per)| length / per).sum::<f64>()
    }
}

/// Loads of the traffic to some targets, but for the first half of its detours, and that half.
struct Piece {
    loads: Vec<f64>,
    /// From every router to each intermediate.
    outward: Vec<Vec<f64>>,
    detoured: f64,
}

impl Piece {
    fn new(network: &Network<'_>, intermediates: usize) -> Self {
        Piece {
            loads: vec![0.0; network.per.len()],
            outward: vec![vec![0.0; intermediates]; network.routers()],
            detoured: 0.0,
        }
    }
}

/// Costs of one pair of routers: the minimal way's, and those of both halves of a detour by intermediate.
struct Pair<'a> {
    minimal: f64,
    outward: &'a [f64],
    onward: &'a [f64],
    /// Intermediates of the ends themselves, which are none; without them the pair takes no detours.
    ends: Option<[usize; 2]>,
}

impl Pair<'_> {
    /// The largest share of one intermediate.
    fn most(&self) -> f64 {
        1.0 / (self.outward.len() - 2) as f64
    }

    /// Adds up `part` of how much less than the minimal way each detour costs: in eight sums side by side.
    fn sum(&self, part: impl Fn(f64) -> f64) -> f64 {
        let mut sums = [0.0; 8];
        for (out, on) in self.outward.chunks(8).zip(self.onward.chunks(8)) {
            for (sum, (out, on)) in sums.iter_mut().zip(out.iter().zip(on)) {
                *sum += part(self.minimal - out - on);
            }
        }
        let of = |end: &usize| part(self.minimal - self.outward[*end] - self.onward[*end]);
        sums.iter().sum::<f64>() - self.ends.iter().flatten().map(of).sum::<f64>()
    }
}

impl Detours<'_> {
    fn costs(&self, lengths: &[f64]) -> Costs {
        let routers = 0..self.network.routers() as u32;
        let minimal: Vec<_> =
            routers.into_par_iter().map(|to| self.minimal.costs(to, lengths)).collect();
        Costs { outward: self.minimal.outward(&minimal, lengths), minimal }
    }

    /// Calls `visit` with all traffic to a target and its costs.
    fn for_each(&self, target: usize, costs: &Costs, mut visit: impl FnMut(&Flow, &Pair<'_>)) {
        let to = self.demand.roots(End::Target)[target];
        let minimal = &costs.minimal[to as usize];
        let onward = self.minimal.onward(minimal);
        for flow in self.demand.row(End::Target, target, &mut Vec::new()) {
            let from = flow.router;
            let detours = self.minimal.may_detour(from, to);
            let ends = [self.minimal.own(from), self.minimal.own(to)];
            visit(
                flow,
                &Pair {
                    minimal: minimal[from as usize],
                    outward: &costs.outward[from as usize],
                    onward: &onward[self.minimal.row(from)],
                    ends: detours.then_some(ends),
                },
            );
        }
    }

    fn piece(&self, targets: &[usize], costs: &Costs, width: f64) -> Piece {
        let count = self.minimal.intermediates();
        let mut piece = Piece::new(self.network, count);
        let mut shares = vec![0.0; count];
        for target in targets {
            let to = self.demand.roots(End::Target)[*target];
            let mut sent = vec![0.0; self.network.routers()];
            let mut onward: Vec<Vec<f64>> = Vec::new();
            self.for_each(*target, costs, |flow, pair| {
                let mut detoured = 0.0;
                if pair.ends.is_some() {
                    detoured = flow.volume * self.split(pair, width, &mut shares);
                    let row = self.minimal.row(flow.router);
                    onward.resize_with(onward.len().max(row + 1), || vec![0.0; count]);
                    let out = &mut piece.outward[flow.router as usize];
                    for ((share, out), on) in shares.iter().zip(out).zip(&mut onward[row]) {
                        let volume = flow.volume * share;
                        *out += volume;
                        *on += volume;
                    }
                }
                piece.detoured += detoured;
                sent[flow.router as usize] += f64::max(0.0, flow.volume - detoured);
            });
            self.minimal.send_onward(&onward, &mut sent);
            self.minimal.load(to, sent, &mut piece.loads);
        }
        piece
    }

    /// The share of each intermediate: all that it may have where it costs less than the minimal way, none where it costs
    /// more, and in between where the two are close. Returns their sum.
    fn split(&self, pair: &Pair<'_>, width: f64, shares: &mut [f64]) -> f64 {
        let most = pair.most();
        let band = 2.0 * width * pair.minimal;
        let part = |gain: f64| {
            if band > 0.0 {
                (0.5 + gain / band).clamp(0.0, 1.0)
            } else {
                f64::from(u8::from(gain > 0.0))
            }
        };
        if self.even {
            shares.fill(most * part(pair.sum(|gain| gain) * most));
        } else {
            let costs = pair.outward.iter().zip(pair.onward);
            for (share, (out, on)) in shares.iter_mut().zip(costs) {
                *share = most * part(pair.minimal - out - on);
            }
        }
        pair.ends.iter().flatten().for_each(|end| shares[*end] = 0.0);
        shares.iter().sum()
    }
}
