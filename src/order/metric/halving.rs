//! Balanced cuts of the routers, improved router by router.
//!
//! A search starts from an order of the routers, cut in the middle. A pass then moves every router once to the other
//! side, the one that saves most links first, and keeps the best balanced state that it came through (Fiduccia,
//! Mattheyses); passes go on until one finds nothing. Routers without nodes start on the side that most of their
//! links lead to; for a given order the best places of these routers are found exactly, as a greatest flow.
//!
//! One search ends at a cut that no pass improves, on networks without structure a few links above the least. It is
//! started again from the best cut so far with the routers around one on their other sides, as iterated local search
//! does (Lourenço, Martin, Stützle, "Iterated Local Search", 2003).

use std::cell::Cell;

use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};

use nodeorder_base::RouterId;
use nodeorder_base::partition::{Candidate, Rules, Sides};
use nodeorder_base::random::{Generator, random_below};
use nodeorder_base::ratio::greatest_common_divisor;
use nodeorder_network::RouterGraph;
use nodeorder_network::topology::capacity_units::CapacityUnits;

/// Largest number of passes over all routers from one start.
const PASSES: usize = 30;
/// Moves in a row without a better cut after which a pass of a search that starts again ends: many short passes find
/// more than a few long ones.
const PATIENCE: usize = 25;

/// Balance that a division into halves must keep.
pub struct BalanceRule {
    /// Number of nodes of both sides.
    nodes: u64,
    /// Largest difference allowed between the nodes of the two sides: the nodes of the fullest router.
    slack: u64,
    /// Smallest number of nodes that a half may have.
    pub least: u64,
}

impl BalanceRule {
    /// Makes the rule for routers with these numbers of nodes.
    pub fn new(counts: &[u32]) -> Self {
        let nodes = counts.iter().map(|count| u64::from(*count)).sum();
        let slack = counts.iter().copied().max().unwrap_or(0);
        let unit = counts.iter().fold(0, |a, b| greatest_common_divisor(a, *b));
        BalanceRule::with_unit(nodes, slack.into(), unit.into())
    }

    /// Makes the rule for routers with `per_router` nodes each.
    pub fn for_equal_routers(nodes: u64, per_router: u32) -> Self {
        BalanceRule::with_unit(nodes, per_router.into(), per_router.into())
    }

    fn with_unit(nodes: u64, slack: u64, unit: u64) -> Self {
        // Sides hold multiples of `unit`.
        let least = (nodes - slack.min(nodes)).div_ceil(2 * unit.max(1)) * unit.max(1);
        BalanceRule {
            nodes,
            slack,
            least: least.min(nodes / 2),
        }
    }

    /// Computes the difference of two sides, one of which has `side` nodes.
    fn side_difference(&self, side: u64) -> u64 {
        (2 * side).abs_diff(self.nodes)
    }
}

/// A network whose cuts are improved: links in whole units, nodes by router.
pub struct HalvingSearch<'t> {
    graph: &'t RouterGraph,
    /// Weights of a router's links in the order of the graph, in units.
    weights: Vec<Vec<u64>>,
    /// The unit of `weights`.
    pub units: CapacityUnits,
    /// Schedulable nodes of each router.
    nodes: Vec<u32>,
    rule: BalanceRule,
}

/// Rules of a pass of moves that keeps both halves balanced.
struct PassRules<'c> {
    search: &'c HalvingSearch<'c>,
    /// Number of nodes on side 1.
    nodes: u64,
    /// Moves in a row without a better cut after which a pass ends.
    patience: usize,
    /// Number of moves of this pass up to its best cut.
    kept: Cell<usize>,
}

impl Rules for PassRules<'_> {
    const PATIENCE: usize = 4_000;

    fn list_links(&self, router: u32) -> impl Iterator<Item = (u32, f64)> {
        self.search
            .links_of(router)
            .map(|(other, weight)| (other, weight as f64))
    }

    /// Chooses the candidate that gains more, of those that leave the halves about as even as they are, or as even as
    /// a few routers are.
    fn choose_move(&self, best: [Option<Candidate>; 2], moves: usize) -> Option<Candidate> {
        if moves == 0 {
            self.kept.set(0);
        }
        if moves - self.kept.get() >= self.patience {
            return None;
        }
        let rule = &self.search.rule;
        // A pass goes through uneven states, or full routers could never change places.
        let most = rule.side_difference(self.nodes).max(3 * rule.slack);
        let allowed = best.into_iter().enumerate().filter_map(|(side, top)| {
            let count = u64::from(self.search.nodes[top?.vertex as usize]);
            let after = if side == 1 {
                self.nodes - count
            } else {
                self.nodes + count
            };
            top.filter(|_| rule.side_difference(after) <= most)
        });
        allowed.max()
    }

    fn note_move(&mut self, router: u32, to: u8) {
        let count = u64::from(self.search.nodes[router as usize]);
        if to == 1 {
            self.nodes += count;
        } else {
            self.nodes -= count;
        }
    }

    fn is_better(&self, moves: usize, sum: f64, best: f64) -> bool {
        let rule = &self.search.rule;
        let is_better = rule.side_difference(self.nodes) <= rule.slack && sum > best;
        if is_better {
            self.kept.set(moves);
        }
        is_better
    }
}

impl<'t> HalvingSearch<'t> {
    /// Prepares the cuts of `graph`, whose first routers hold `nodes`, a number for each; the other routers hold none.
    pub fn new(graph: &'t RouterGraph, mut nodes: Vec<u32>, rule: BalanceRule) -> Self {
        let routers = graph.router_count();
        nodes.resize(routers, 0);
        let capacities = (0..routers as u32).map(|r| graph.neighbour_capacities(RouterId(r)));
        // Whole units keep sums exact, so that equal cuts compare as equal.
        let all = capacities.clone().flatten().copied();
        let units = CapacityUnits::new(all.clone().sum(), all);
        let weights = capacities.map(|capacities| {
            let capacities = capacities.iter();
            capacities.map(|c| units.count_units(*c)).collect()
        });
        HalvingSearch {
            graph,
            weights: weights.collect(),
            units,
            nodes,
            rule,
        }
    }

    /// Lists the routers linked to `router`, each with the weight of the link in units.
    fn links_of(&self, router: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let weights = self.weights[router as usize].iter().copied();
        let others = self.graph.neighbours(RouterId(router)).iter().copied();
        others.zip(weights)
    }

    /// Computes the weight, in units, that moving a router to the other side saves: that of its links that are cut,
    /// less that of the others.
    fn moving_gain(&self, side: &[u8], router: u32) -> i64 {
        let mut gain = 0;
        for (other, weight) in self.links_of(router) {
            let cut = side[other as usize] != side[router as usize];
            gain += if cut { weight as i64 } else { -(weight as i64) };
        }
        gain
    }

    /// Adds up the weights of the links between the sides, in units.
    fn cut_weight(&self, side: &[u8]) -> u64 {
        let mut cut = 0;
        for router in 0..side.len() as u32 {
            for (other, weight) in self.links_of(router) {
                // Each link is listed at both ends.
                if side[router as usize] < side[other as usize] {
                    cut += weight;
                }
            }
        }
        cut
    }

    /// Cuts `order` in the middle and improves the cut until a pass finds nothing. Returns the weight of the cut, in
    /// units.
    pub fn improve_middle(&self, order: &[u32]) -> u64 {
        let sides = self.improve_sides(self.cut_in_the_middle(order), usize::MAX);
        self.cut_weight(&sides)
    }

    /// Cuts `order` in the middle, improves the cut, and starts again `rounds` times from the best one with a router
    /// and up to half of all around it on the other side. Returns the units of the best. O(links · log links) for each
    /// pass of each round.
    pub fn improve_again(&self, order: &[u32], rounds: u64, random: &mut Generator) -> u64 {
        let mut best = self.improve_sides(self.cut_in_the_middle(order), PATIENCE);
        let mut cut = self.cut_weight(&best);
        for _ in 0..rounds {
            let mut side = best.clone();
            self.turn_around(&mut side, random);
            let side = self.improve_sides(side, PATIENCE);
            let found = self.cut_weight(&side);
            if found <= cut {
                best = side;
                cut = found;
            }
        }
        cut
    }

    /// Moves the routers around one drawn at random to their other sides, then others until both are halves.
    fn turn_around(&self, side: &mut [u8], random: &mut Generator) {
        let routers = side.len() as u64;
        let count = 2 + random_below(routers / 2 + 1, random) as usize;
        let mut near = vec![random_below(routers, random) as u32];
        let mut met = vec![false; side.len()];
        met[near[0] as usize] = true;
        let mut next = 0;
        while let Some(&router) = near.get(next).filter(|_| near.len() < count) {
            next += 1;
            for (other, _) in self.links_of(router) {
                if !std::mem::replace(&mut met[other as usize], true) {
                    near.push(other);
                }
            }
        }
        for router in near.into_iter().take(count) {
            side[router as usize] = 1 - side[router as usize];
        }
        let first = (0..side.len()).filter(|router| side[*router] == 1);
        let mut nodes: u64 = first.map(|router| u64::from(self.nodes[router])).sum();
        while self.rule.side_difference(nodes) > self.rule.slack {
            let router = random_below(routers, random) as usize;
            let fuller = u8::from(2 * nodes > self.rule.nodes);
            // One of the fuller side makes the difference less, as it holds less than that.
            if side[router] == fuller {
                side[router] = 1 - fuller;
                let count = u64::from(self.nodes[router]);
                nodes = if fuller == 1 {
                    nodes - count
                } else {
                    nodes + count
                };
            }
        }
    }

    /// Improves a balanced cut until a pass finds nothing; a pass ends after `patience` moves in a row without a better
    /// cut. Returns the side of every router.
    fn improve_sides(&self, side: Vec<u8>, patience: usize) -> Vec<u8> {
        let routers: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut sides = Sides::new(side);
        let first = routers.iter().filter(|r| sides.side[**r as usize] == 1);
        let nodes = first.map(|r| u64::from(self.nodes[*r as usize])).sum();
        let mut rules = PassRules {
            search: self,
            nodes,
            patience,
            kept: Cell::new(0),
        };
        for _ in 0..PASSES {
            for r in &routers {
                sides.gain[*r as usize] = self.moving_gain(&sides.side, *r) as f64;
            }
            // A pass that found nothing leaves the sides as they were: the next would do the same.
            if !sides.improve_once(&routers, &mut rules) {
                break;
            }
        }
        sides.side
    }

    /// Finds the weight, in units, of the least cut between the rest and the prefix of `order` that holds closest to
    /// half the nodes, over all sides of the routers without nodes: the value of a greatest flow.
    pub fn least_in_the_middle(&self, order: &[u32]) -> u64 {
        let mut nodes = 0;
        let mut least = self.rule.nodes;
        let mut cut = 0;
        for (i, router) in order.iter().enumerate() {
            nodes += u64::from(self.nodes[*router as usize]);
            let off = self.rule.side_difference(nodes);
            if off < least {
                least = off;
                cut = i + 1;
            }
        }
        // Each router is a vertex of the flow; all routers of a side are one vertex, source or target.
        let routers = self.nodes.len();
        let source = NodeIndex::new(routers);
        let target = NodeIndex::new(routers + 1);
        let mut vertex: Vec<NodeIndex> = (0..routers).map(NodeIndex::new).collect();
        for (i, router) in order.iter().enumerate() {
            vertex[*router as usize] = if i < cut { source } else { target };
        }
        let mut flow = DiGraph::<(), u64>::with_capacity(routers + 2, 0);
        for _ in 0..routers + 2 {
            flow.add_node(());
        }
        // Links from side to side are cut whatever the others do.
        let mut straight = 0;
        for router in 0..routers {
            let from = vertex[router];
            for (other, weight) in self.links_of(router as u32) {
                let to = vertex[other as usize];
                if from == source && to == target {
                    straight += weight;
                } else if from != to && from != target && to != source {
                    flow.add_edge(from, to, weight);
                }
            }
        }
        // Without an edge nothing can flow.
        if flow.edge_count() == 0 {
            return straight;
        }
        straight + dinics(&flow, source, target).0
    }

    /// Puts the prefix of `order` that holds closest to half the nodes on side 1, the rest on side 0; routers
    /// without nodes join the side that most of their links lead to, nearest ones first.
    fn cut_in_the_middle(&self, order: &[u32]) -> Vec<u8> {
        let mut side: Vec<Option<bool>> = vec![None; self.nodes.len()];
        let mut nodes = 0;
        let mut queue = Vec::with_capacity(self.nodes.len());
        for router in order.iter().filter(|r| self.nodes[**r as usize] > 0) {
            let more = nodes + u64::from(self.nodes[*router as usize]);
            let first = self.rule.side_difference(more) <= self.rule.side_difference(nodes);
            side[*router as usize] = Some(first);
            if first {
                nodes = more;
            }
            queue.push(*router);
        }
        let mut next = 0;
        while let Some(router) = queue.get(next).copied() {
            next += 1;
            for (other, _) in self.links_of(router) {
                if side[other as usize].is_some() {
                    continue;
                }
                let mut pull = 0;
                for (far, weight) in self.links_of(other) {
                    match side[far as usize] {
                        Some(true) => pull += weight as i64,
                        Some(false) => pull -= weight as i64,
                        None => {}
                    }
                }
                side[other as usize] = Some(pull > 0);
                queue.push(other);
            }
        }
        let sides = side.into_iter();
        sides.map(|side| u8::from(side == Some(true))).collect()
    }
}
