//! Best shares of traffic that goes the minimal way, or over one intermediate (`adaptive` routing).
//!
//! An intermediate is a router, or on dragonflies a group. The traffic of a pair over intermediate i costs the way
//! there (*outward*) and the way on (*onward*); each pair may send at most 1/(intermediates - 2) of its volume over
//! each. The
//! *gain* of i is the minimal way's cost less that of both. Example: a minimal way of cost 5, intermediates over
//! which it costs 3, 5 and 8 and a width of 4: gains 2, 0 and -3, hence parts 1, ½ and 0 of the largest share, ½ +
//! gain / width between 0 and 1.

use multiversion::multiversion;
use rayon::prelude::*;

use super::minimal::{LANES, MinimalRoutes, PIECES, RouteCosts};
use super::network::{Network, add_values, exp};
use super::solution::{FlowSolution, SearchLimits};
use crate::mapping::{Demand, End};

/// Traffic of `adaptive` routing.
pub struct Detours<'a> {
    pub network: &'a Network<'a>,
    pub minimal: MinimalRoutes<'a>,
    pub demand: &'a Demand,
    /// Whether a pair sends an equal share over all intermediates; else each intermediate has a share of its own.
    pub even: bool,
}

/// Computes the bytes that [`Detours`] takes.
pub fn detour_bytes(routers: usize, links: usize) -> u64 {
    let routers = routers as u64;
    // Costs, volumes of all pieces, and ways: a target's take every link in one direction at most.
    8 * routers * routers * (4 + PIECES as u64) + 2 * routers * links as u64
}

/// Searches for the shares that load the links least.
///
/// The dual way: at given prices of links each pair takes the detours that cost less than its minimal way, which adds
/// up to a floor; and prices of links are sought at which the floor is highest. Where a detour costs about as much as
/// the minimal way, its share changes gradually with prices, so that the floor (thus softened) is smooth, and prices
/// rise with the loads by an accelerated mirror ascent; the mean of its routings, with its weights, is the routing
/// found. Steps are as long as the last change of loads with prices allows; where nothing gets better any more, it
/// starts again from its prices.
///
/// # Complexity
/// O(pairs of routers · intermediates) for each round, and all fixed ways between routers.
///
/// # References
/// Nesterov, "Smooth minimization of non-smooth functions", Mathematical Programming 103, 2005; Tseng, "On accelerated
/// proximal gradient methods for convex-concave optimization", 2008, algorithm 1, with entropy as the distance.
pub fn search_detours(
    detours: &Detours<'_>,
    fixed: Option<FlowSolution>,
    stop: &SearchLimits<'_>,
) -> FlowSolution {
    let network = detours.network;
    let mut prices = PriceAscent::new(network.equal_prices());
    // So wide that every detour has half of its largest share: a routing to begin with.
    let mut best = detours
        .route_all(&network.inverse_capacity, 1e100)
        .keep_better(fixed);
    let mut mean = best.clone();
    // Rounds since the last start, and those of them since the last that made anything better.
    let mut since = 0;
    let mut idle = 0;
    for round in 0.. {
        if stop.is_reached(round, &best) {
            break;
        }
        let part = 2.0 / f64::from(since + 2);
        let at = prices.next_prices(part);
        // Wide enough that prices settle in few rounds; the wider, the less the routing at these prices tells.
        let width = best.worst * (20.0 * stop.gap).min(0.1) / detours.demand.volume;
        let found = detours.route_all(&network.per_capacity(&at), width);
        mix_in(&mut mean.loads, &found.loads, part);
        mean.worst = network.highest_contention(&mean.loads);
        let [old, new] = [mean.detoured, found.detoured].map(|volume| volume.unwrap_or(0.0));
        mean.detoured = Some(old + (new - old) * part);
        since += 1;
        idle += 1;
        if found.floor > best.floor || found.worst.min(mean.worst) < best.worst {
            idle = 0;
        }
        let loads = network.per_capacity(&found.loads);
        prices.step_up(at, loads, part, found.floor.max(found.worst / 3.0));
        best = best.keep_better(Some(found));
        if mean.worst < best.worst {
            best = mean.clone().keep_better(Some(best));
        }
        if idle > 20 + since / 4 {
            since = 0;
            idle = 0;
            prices.restart();
        }
    }
    best
}

/// State of an accelerated ascent in the prices of links, which add up to 1.
struct PriceAscent {
    /// By link: price at the start.
    start: Vec<f64>,
    /// By link: sum of all steps so far. The logarithm of its price in `front` is that of `start` and this sum,
    /// but for a common factor.
    steps: Vec<f64>,
    /// By link: price after all steps so far, ahead of `mean`.
    front: Vec<f64>,
    /// By link: weighted mean of `front` over the rounds so far.
    mean: Vec<f64>,
    /// Length of the next step, relative to loads.
    length: f64,
    /// Longest step allowed, relative to loads.
    longest: f64,
    /// Prices and loads of the last round.
    last: Option<(Vec<f64>, Vec<f64>)>,
}

impl PriceAscent {
    fn new(mut prices: Vec<f64>) -> Self {
        scale_to_one(&mut prices);
        PriceAscent {
            steps: vec![0.0; prices.len()],
            front: prices.clone(),
            mean: prices.clone(),
            start: prices,
            length: 1.0,
            longest: 2.0,
            last: None,
        }
    }

    /// Mixes the prices to try next.
    fn next_prices(&self, part: f64) -> Vec<f64> {
        let mut next = self.mean.clone();
        mix_in(&mut next, &self.front, part);
        next
    }

    /// Takes a step along the `loads` over capacity `at` prices, relative to `scale`.
    fn step_up(&mut self, at: Vec<f64>, loads: Vec<f64>, part: f64, scale: f64) {
        if let Some((prices, before)) = &self.last {
            let mut fell = 0.0;
            let mut apart = 0.0;
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
        for (step, load) in self.steps.iter_mut().zip(&loads) {
            *step += rate * load;
        }
        // Powers relative to the largest cannot overflow, and a common factor is scaled away.
        let top = self.steps.iter().copied().fold(f64::MIN, f64::max);
        for ((front, start), step) in self.front.iter_mut().zip(&self.start).zip(&self.steps) {
            *front = start * exp(step - top);
        }
        scale_to_one(&mut self.front);
        mix_in(&mut self.mean, &self.front, part);
        self.last = Some((at, loads));
    }

    /// Starts again from the mean, with shorter steps.
    fn restart(&mut self) {
        let longest = self.longest / 2.0;
        *self = PriceAscent {
            length: self.length.max(0.03).min(longest),
            longest,
            ..PriceAscent::new(std::mem::take(&mut self.mean))
        };
    }
}

/// Scales prices so that they add up to 1.
fn scale_to_one(prices: &mut [f64]) {
    let sum: f64 = prices.iter().sum();
    for price in prices {
        *price /= sum;
    }
}

/// Moves `mean` towards `new` by the given part.
fn mix_in(mean: &mut [f64], new: &[f64], part: f64) {
    for (mean, new) in mean.iter_mut().zip(new) {
        *mean = *mean * (1.0 - part) + new * part;
    }
}

/// Volumes and costs of the traffic to some targets.
#[derive(Default)]
struct FlowPiece {
    /// Volume from each router to intermediates, rows in the form of [`RouteCosts::outward`]; empty for none.
    outward: Vec<Vec<f64>>,
    /// By router: further volume that it sends to each intermediate alike.
    even: Vec<f64>,
    /// By target: volume that each router sends to it the minimal way.
    sent: Vec<Vec<f64>>,
    /// Volume on detours.
    detoured: f64,
    /// Σ volume · least cost.
    paid: f64,
}

impl FlowPiece {
    /// Adds up two pieces.
    fn merge(mut self, other: FlowPiece) -> FlowPiece {
        add_values(&mut self.even, &other.even);
        for (rows, others) in [
            (&mut self.outward, other.outward),
            (&mut self.sent, other.sent),
        ] {
            for (row, other) in rows.iter_mut().zip(others) {
                if row.is_empty() {
                    *row = other
                } else {
                    add_values(row, &other)
                }
            }
        }
        self.detoured += other.detoured;
        self.paid += other.paid;
        self
    }
}

/// Second half of the detours to one target, from every intermediate; shared by the sources whose detours use the
/// same row.
struct SecondLeg {
    /// Cost from each intermediate.
    costs: Vec<f64>,
    /// Sum of the finite `costs`.
    sum: f64,
    /// Volume from each intermediate.
    volumes: Vec<f64>,
    /// Further volume from each intermediate alike.
    even: f64,
}

/// Adds up the costs of the intermediates that a way may go over.
fn sum_finite(costs: &[f64]) -> f64 {
    costs.iter().filter(|cost| cost.is_finite()).sum()
}

/// Ways of the traffic of a pair of routers, each as its part on every link.
pub struct PairWays {
    pub volume: f64,
    /// The minimal way.
    pub minimal: Vec<f64>,
    /// Detours: one over each intermediate, or with even shares one over all of them.
    pub detours: Vec<Vec<f64>>,
    /// Largest part of the volume that a detour takes.
    pub most: f64,
}

impl Detours<'_> {
    /// Lists the ways of all pairs. O(links · pairs · intermediates): costs are linear, so that lengths of 1 on one
    /// link and 0 elsewhere give the part of each way on that link.
    pub fn list_ways(&self) -> Vec<PairWays> {
        let minimal = &self.minimal;
        let links = self.network.inverse_capacity.len();
        let most = 1.0 / (minimal.intermediate_count() as f64 - 2.0);
        let mut ways: Vec<PairWays> = Vec::new();
        let mut list = Vec::new();
        for link in 0..links {
            let mut lengths = vec![0.0; links];
            lengths[link] = 1.0;
            let costs = minimal.route_costs(&lengths);
            let mut pair = 0;
            for (target, to) in self.demand.roots(End::Target).iter().enumerate() {
                let costs_to = minimal.costs_to(*to, &costs);
                for flow in self.demand.flows_at(End::Target, target, &mut list) {
                    let mut parts = Vec::new();
                    if minimal.may_detour(flow.router, *to) {
                        let onward =
                            minimal.onward_costs(minimal.onward_row(flow.router), *to, &costs_to);
                        let outward = &costs.outward[flow.router as usize];
                        parts.extend(outward.iter().zip(&onward).map(|(out, on)| out + on));
                        // The ends themselves, and the end of a row, are no intermediates.
                        parts.retain(|part| part.is_finite());
                        if self.even {
                            parts = vec![parts.iter().sum::<f64>() * most];
                        }
                    }
                    if link == 0 {
                        ways.push(PairWays {
                            volume: flow.volume,
                            minimal: Vec::new(),
                            detours: vec![Vec::new(); parts.len()],
                            most: if self.even { 1.0 } else { most },
                        });
                    }
                    let way = &mut ways[pair];
                    way.minimal.push(costs_to[flow.router as usize]);
                    for (detour, part) in way.detours.iter_mut().zip(parts) {
                        detour.push(part);
                    }
                    pair += 1;
                }
            }
        }
        ways
    }

    /// Routes all traffic as pairs choose at `lengths`, and proves a floor from them: no share where a detour
    /// costs more than the minimal way by half of `width`, all of it where it costs less by half of it.
    fn route_all(&self, lengths: &[f64], width: f64) -> FlowSolution {
        let costs = self.minimal.route_costs(lengths);
        let sums: Vec<f64> = costs
            .outward
            .par_iter()
            .map(|row| sum_finite(row))
            .collect();
        let targets: Vec<usize> = (0..self.demand.roots(End::Target).len()).collect();
        // Fixed pieces, added up in their order.
        let pieces: Vec<FlowPiece> = targets
            .par_chunks(targets.len().div_ceil(PIECES))
            .map(|targets| self.route_piece(targets, &costs, &sums, width))
            .collect();
        let mut all = pieces
            .into_iter()
            .reduce(FlowPiece::merge)
            .unwrap_or_default();
        for (router, (row, even)) in (0..).zip(all.outward.iter_mut().zip(&all.even)) {
            let own = self.minimal.intermediate_of(router);
            add_values(row, &self.minimal.fill_row(own, 0.0, |_| *even));
        }
        let loads = self.minimal.link_loads(&mut all.outward, &all.sent);
        let mut capacity = 0.0;
        for (length, per) in lengths.iter().zip(&self.network.inverse_capacity) {
            if *per > 0.0 {
                capacity += length / per;
            }
        }
        FlowSolution {
            worst: self.network.highest_contention(&loads),
            loads,
            floor: all.paid / capacity,
            detoured: Some(all.detoured),
        }
    }

    /// Routes the traffic to some targets; `sums` are those of each router's outward costs.
    fn route_piece(
        &self,
        targets: &[usize],
        costs: &RouteCosts<'_>,
        sums: &[f64],
        width: f64,
    ) -> FlowPiece {
        let minimal = &self.minimal;
        let routers = self.network.router_count();
        let mut list = Vec::new();
        let mut piece = FlowPiece {
            outward: vec![Vec::new(); routers],
            even: vec![0.0; routers],
            sent: vec![Vec::new(); routers],
            ..FlowPiece::default()
        };
        // The largest share of one intermediate; neither end is one.
        let most = 1.0 / (minimal.intermediate_count() as f64 - 2.0);
        for target in targets {
            let to = self.demand.roots(End::Target)[*target];
            let costs_to = minimal.costs_to(to, costs);
            let mut sent = vec![0.0; routers];
            let mut rows: Vec<Option<SecondLeg>> = Vec::new();
            for flow in self.demand.flows_at(End::Target, *target, &mut list) {
                let from = flow.router as usize;
                let cost = costs_to[from];
                piece.paid += flow.volume * cost;
                sent[from] += flow.volume;
                if !minimal.may_detour(flow.router, to) {
                    continue;
                }
                let row = minimal.onward_row(flow.router);
                rows.resize_with(rows.len().max(row + 1), || None);
                let onward = rows[row].get_or_insert_with(|| {
                    let costs = minimal.onward_costs(row, to, &costs_to);
                    SecondLeg {
                        sum: sum_finite(&costs),
                        volumes: vec![0.0; costs.len()],
                        costs,
                        even: 0.0,
                    }
                });
                let outward = &costs.outward[from];
                piece.outward[from].resize(outward.len(), 0.0);
                let detoured = if self.even {
                    let here = minimal.intermediate_of(flow.router);
                    let there = minimal.intermediate_of(to);
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
                    let [gained, all] = split_volume(
                        cost,
                        outward,
                        &onward.costs,
                        1.0 / width,
                        volume,
                        &mut piece.outward[from],
                        &mut onward.volumes,
                    );
                    piece.paid -= volume * gained;
                    all
                };
                piece.detoured += detoured;
                // Rounding may take a little more away than there was.
                sent[from] = f64::max(0.0, sent[from] - detoured);
            }
            for (row, onward) in rows.into_iter().enumerate() {
                if let Some(mut onward) = onward {
                    let own = minimal.intermediate_of(to);
                    let even = minimal.fill_row(own, 0.0, |_| onward.even);
                    add_values(&mut onward.volumes, &even);
                    minimal.send_onward(row, &onward.volumes, &mut sent);
                }
            }
            piece.sent[to as usize] = sent;
        }
        piece
    }
}

/// Adds the volume over each intermediate to that of both halves of the way: `volume` where it costs less than the
/// minimal way, none where it costs more, and a part where the two are within half of one over `rate`. Returns how much
/// less all cheaper intermediates cost, and all volume.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq", "x86_64+avx2", "aarch64+neon"))]
fn split_volume(
    minimal: f64,
    out: &[f64],
    on: &[f64],
    rate: f64,
    volume: f64,
    outward: &mut [f64],
    onward: &mut [f64],
) -> [f64; 2] {
    let mut gained = [0.0; LANES];
    let mut detoured = [0.0; LANES];
    let least = -0.5 / rate;
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
        let mut gains = [0.0; LANES];
        let mut near = 0;
        for lane in 0..LANES {
            gains[lane] = minimal - out[lane] - on[lane];
            near |= u64::from(gains[lane] > least);
        }
        // Most intermediates of most pairs cost far more: their sixteen are left after one comparison.
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
