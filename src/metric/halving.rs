//! Balanced cuts improved router by router (Fiduccia, Mattheyses, DAC 1982, with heaps in the place of buckets).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::ids::RouterId;
use crate::topology::RouterGraph;

/// Passes over all routers at most, from one start.
const PASSES: usize = 30;
/// Moves in a row without a better cut after which a pass ends.
const PATIENCE: usize = 4_000;
/// Units of a link where capacities are not whole numbers.
const FRACTION: u64 = 1 << 20;

/// The halves that count as such.
pub(super) struct Halves {
    nodes: u64,
    /// Nodes of the fullest router: the largest difference.
    slack: u64,
    /// The fewest nodes that a half can have.
    pub(super) least: u64,
}

impl Halves {
    pub(super) fn new(nodes: u64, slack: u64, unit: u64) -> Self {
        // Sides hold multiples of `unit`.
        let least = (nodes - slack.min(nodes)).div_ceil(2 * unit.max(1)) * unit.max(1);
        Halves { nodes, slack, least: least.min(nodes / 2) }
    }

    fn balanced(&self, side: u64) -> bool {
        (2 * side).abs_diff(self.nodes) <= self.slack
    }
}

/// The network as cuts see it.
pub(super) struct Cuts<'t> {
    graph: &'t RouterGraph,
    /// Links of a router as it is numbered in the graph, in units.
    weights: Vec<Vec<u64>>,
    pub(super) unit: u64,
    /// Schedulable nodes, 0 for routers without places.
    nodes: Vec<u32>,
    halves: Halves,
}

/// A cut being improved.
struct Sides {
    /// Whether a router is on the first side.
    first: Vec<bool>,
    /// Nodes there.
    nodes: u64,
    cut: u64,
}

impl<'t> Cuts<'t> {
    /// Cuts of `graph`, whose first routers hold these nodes and the others none.
    pub(super) fn new(graph: &'t RouterGraph, mut nodes: Vec<u32>, halves: Halves) -> Self {
        let routers = graph.router_count() as u32;
        nodes.resize(routers as usize, 0);
        let mut whole = true;
        for router in (0..routers).map(RouterId) {
            whole &= graph.capacities(router).iter().all(|c| c.fract() == 0.0 && *c <= 1e9);
        }
        let unit = if whole { 1 } else { FRACTION };
        let units = |capacity: &f64| ((capacity * unit as f64).round() as u64).max(1);
        let weights = (0..routers)
            .map(|r| graph.capacities(RouterId(r)).iter().map(units).collect())
            .collect();
        Cuts { graph, weights, unit, nodes, halves }
    }

    /// Routers linked to one, with the units of the link.
    fn links(&self, router: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let weights = self.weights[router as usize].iter().copied();
        self.graph.neighbours(RouterId(router)).iter().copied().zip(weights)
    }

    /// What moving a router to the other side saves.
    fn gain(&self, sides: &Sides, router: u32) -> i64 {
        let here = sides.first[router as usize];
        let signed = |(other, weight): (u32, u64)| {
            if sides.first[other as usize] == here { -(weight as i64) } else { weight as i64 }
        };
        self.links(router).map(signed).sum()
    }

    fn shift(&self, sides: &mut Sides, router: u32) {
        let gain = self.gain(sides, router);
        let here = &mut sides.first[router as usize];
        *here = !*here;
        let count = u64::from(self.nodes[router as usize]);
        if *here {
            sides.nodes += count;
        } else {
            sides.nodes -= count;
        }
        sides.cut = sides.cut.checked_add_signed(-gain).unwrap_or(0);
    }

    /// The cut in the middle of `order`, improved until a pass finds nothing.
    pub(super) fn improved(&self, order: &[u32]) -> u64 {
        let mut sides = self.cut_in_the_middle(order);
        for _ in 0..PASSES {
            let before = sides.cut;
            self.pass(&mut sides);
            if sides.cut >= before {
                break;
            }
        }
        sides.cut
    }

    /// The fewest links that part the prefix of `order` that holds closest to half the nodes from the rest, wherever
    /// the routers without nodes stand: a greatest flow has as many.
    pub(super) fn least_in_the_middle(&self, order: &[u32]) -> u64 {
        let mut side: Vec<Option<bool>> = vec![None; self.nodes.len()];
        let (mut nodes, mut least, mut cut) = (0u64, self.halves.nodes, 0);
        for (i, router) in order.iter().enumerate() {
            nodes += u64::from(self.nodes[*router as usize]);
            let off = (2 * nodes).abs_diff(self.halves.nodes);
            if off < least {
                (least, cut) = (off, i + 1);
            }
        }
        for (i, router) in order.iter().enumerate() {
            side[*router as usize] = Some(i < cut);
        }
        let routers = side.len();
        let (first, second) = (routers as u32, routers as u32 + 1);
        // All routers of a side are one place of the flow.
        let place = |router: usize| match side[router] {
            Some(true) => first,
            Some(false) => second,
            None => router as u32,
        };
        let mut flow = DiGraph::<(), u64>::with_capacity(routers + 2, 0);
        (0..routers + 2).for_each(|_| _ = flow.add_node(()));
        let mut straight = 0;
        for router in 0..routers {
            for (other, weight) in self.links(router as u32) {
                let (from, to) = (place(router), place(other as usize));
                match (from == first, to == second) {
                    (true, true) => straight += weight,
                    _ if from == to || from == second || to == first => {}
                    _ => {
                        _ = flow.add_edge(
                            NodeIndex::new(from as usize),
                            NodeIndex::new(to as usize),
                            weight,
                        )
                    }
                }
            }
        }
        let end = |place: u32| NodeIndex::new(place as usize);
        match flow.edge_count() {
            0 => straight,
            _ => straight + dinics(&flow, end(first), end(second)).0,
        }
    }

    /// The prefix of `order` that holds closest to half the nodes; routers without nodes join the side that most of
    /// their links lead to, nearest ones first.
    fn cut_in_the_middle(&self, order: &[u32]) -> Sides {
        let mut side: Vec<Option<bool>> = vec![None; self.nodes.len()];
        let mut nodes = 0u64;
        let mut queue = Vec::with_capacity(self.nodes.len());
        for router in order.iter().filter(|r| self.nodes[**r as usize] > 0) {
            let count = u64::from(self.nodes[*router as usize]);
            let first = (2 * (nodes + count)).abs_diff(self.halves.nodes)
                <= (2 * nodes).abs_diff(self.halves.nodes);
            side[*router as usize] = Some(first);
            nodes += if first { count } else { 0 };
            queue.push(*router);
        }
        let mut next = 0;
        while let Some(router) = queue.get(next).copied() {
            next += 1;
            for (other, _) in self.links(router) {
                if side[other as usize].is_none() {
                    let pull: i64 = (self.links(other))
                        .map(|(far, weight)| match side[far as usize] {
                            Some(true) => weight as i64,
                            Some(false) => -(weight as i64),
                            None => 0,
                        })
                        .sum();
                    side[other as usize] = Some(pull > 0);
                    queue.push(other);
                }
            }
        }
        let first: Vec<bool> = side.into_iter().map(|s| s.unwrap_or(false)).collect();
        let crossing = |router: u32| -> u64 {
            let here = first[router as usize];
            self.links(router)
                .filter(|(other, _)| first[*other as usize] != here)
                .map(|(_, weight)| weight)
                .sum()
        };
        let cut = (0..first.len() as u32).map(crossing).sum::<u64>() / 2;
        Sides { first, nodes, cut }
    }

    /// Moves every router at most once, the best first, and keeps what was the best halving on the way.
    fn pass(&self, sides: &mut Sides) {
        let routers = sides.first.len() as u32;
        let mut moved = vec![false; routers as usize];
        let mut gains: Vec<i64> = (0..routers).map(|r| self.gain(sides, r)).collect();
        // By side; the smallest router first among equal gains. Entries that no longer hold are dropped when met.
        let mut heaps: [BinaryHeap<(i64, Reverse<u32>)>; 2] = Default::default();
        for r in 0..routers {
            heaps[usize::from(sides.first[r as usize])].push((gains[r as usize], Reverse(r)));
        }
        let (mut done, mut best, mut best_at) = (Vec::new(), sides.cut, 0);
        let most = 3 * self.halves.slack;
        while done.len() < best_at + PATIENCE {
            // From the fuller side where the halves are uneven, else whichever gains more.
            let mut pick: Option<(i64, Reverse<u32>)> = None;
            for (side, heap) in heaps.iter_mut().enumerate() {
                while let Some(&(gain, Reverse(r))) = heap.peek() {
                    let there = usize::from(sides.first[r as usize]) == side;
                    if !moved[r as usize] && there && gains[r as usize] == gain {
                        break;
                    }
                    heap.pop();
                }
                let Some(&top) = heap.peek() else { continue };
                let count = u64::from(self.nodes[top.1.0 as usize]);
                let after = if side == 1 { sides.nodes - count } else { sides.nodes + count };
                let (now, then) = (
                    (2 * sides.nodes).abs_diff(self.halves.nodes),
                    (2 * after).abs_diff(self.halves.nodes),
                );
                if (then <= most || then <= now) && pick.is_none_or(|best| top > best) {
                    pick = Some(top);
                }
            }
            let Some((_, Reverse(router))) = pick else { break };
            moved[router as usize] = true;
            self.shift(sides, router);
            done.push(router);
            for (other, _) in self.links(router) {
                if !moved[other as usize] {
                    let gain = self.gain(sides, other);
                    gains[other as usize] = gain;
                    let heap = &mut heaps[usize::from(sides.first[other as usize])];
                    heap.push((gain, Reverse(other)));
                }
            }
            if self.halves.balanced(sides.nodes) && sides.cut < best {
                (best, best_at) = (sides.cut, done.len());
            }
        }
        for router in done.drain(best_at..).rev() {
            self.shift(sides, router);
        }
    }
}
