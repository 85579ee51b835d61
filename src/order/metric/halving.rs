//! Balanced cuts of the routers, improved router by router.

use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};

use nodeorder_base::ids::RouterId;
use nodeorder_base::partition::{Candidate, Rules, Sides};
use nodeorder_network::topology::RouterGraph;

/// Passes over all routers at most, from one start.
const PASSES: usize = 30;
/// Units of a link of capacity 1 where capacities are not whole numbers.
const FRACTION: u64 = 1 << 20;

/// Balance that a division into halves must keep.
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
        Halves {
            nodes,
            slack,
            least: least.min(nodes / 2),
        }
    }

    fn balanced(&self, side: u64) -> bool {
        (2 * side).abs_diff(self.nodes) <= self.slack
    }
}

/// A network whose cuts are improved: links in whole units, nodes by router.
pub(super) struct Cuts<'t> {
    graph: &'t RouterGraph,
    /// Links of a router as it is numbered in the graph, in units.
    weights: Vec<Vec<u64>>,
    pub(super) unit: u64,
    /// Schedulable nodes of each router.
    nodes: Vec<u32>,
    halves: Halves,
}

/// The rules of a pass: halves stay halves.
struct Balance<'c> {
    cuts: &'c Cuts<'c>,
    /// Nodes on side 1.
    nodes: u64,
}

impl Rules for Balance<'_> {
    const PATIENCE: usize = 4_000;

    fn links(&self, router: u32) -> impl Iterator<Item = (u32, f64)> {
        self.cuts
            .links(router)
            .map(|(other, weight)| (other, weight as f64))
    }

    /// Whichever gains more of those that leave the halves about as even as they are, or as even as a few routers are.
    fn choose(&self, best: [Option<Candidate>; 2], _: usize) -> Option<Candidate> {
        let halves = &self.cuts.halves;
        let uneven = |nodes: u64| (2 * nodes).abs_diff(halves.nodes);
        let allowed = |(side, top): (usize, Option<Candidate>)| {
            let count = u64::from(self.cuts.nodes[top?.vertex as usize]);
            let after = if side == 1 {
                self.nodes - count
            } else {
                self.nodes + count
            };
            let most = uneven(self.nodes).max(3 * halves.slack);
            top.filter(|_| uneven(after) <= most)
        };
        best.into_iter().enumerate().filter_map(allowed).max()
    }

    fn moved(&mut self, router: u32, to: u8) {
        let count = u64::from(self.cuts.nodes[router as usize]);
        if to == 1 {
            self.nodes += count;
        } else {
            self.nodes -= count;
        }
    }

    fn is_better(&self, _: usize, sum: f64, best: f64) -> bool {
        self.cuts.halves.balanced(self.nodes) && sum > best
    }
}

impl<'t> Cuts<'t> {
    /// Cuts of `graph`, whose first routers hold these nodes and the others none.
    pub(super) fn new(graph: &'t RouterGraph, mut nodes: Vec<u32>, halves: Halves) -> Self {
        let routers = graph.router_count() as u32;
        nodes.resize(routers as usize, 0);
        let mut whole = true;
        for router in (0..routers).map(RouterId) {
            whole &= graph
                .capacities(router)
                .iter()
                .all(|c| c.fract() == 0.0 && *c <= 1e9);
        }
        let unit = if whole { 1 } else { FRACTION };
        let units = |capacity: &f64| ((capacity * unit as f64).round() as u64).max(1);
        let weights = (0..routers)
            .map(|r| graph.capacities(RouterId(r)).iter().map(units).collect())
            .collect();
        Cuts {
            graph,
            weights,
            unit,
            nodes,
            halves,
        }
    }

    /// Routers linked to one, with the units of the link.
    fn links(&self, router: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        let weights = self.weights[router as usize].iter().copied();
        self.graph
            .neighbours(RouterId(router))
            .iter()
            .copied()
            .zip(weights)
    }

    /// Links cut, less those not cut, of one router: what moving it to the other side saves.
    fn gain(&self, side: &[u8], router: u32) -> i64 {
        let here = side[router as usize];
        let signed = |(other, weight): (u32, u64)| {
            if side[other as usize] == here {
                -(weight as i64)
            } else {
                weight as i64
            }
        };
        self.links(router).map(signed).sum()
    }

    /// Links between the sides.
    fn cut(&self, side: &[u8]) -> u64 {
        let crossing = |router: u32| {
            let here = side[router as usize];
            let apart = self
                .links(router)
                .filter(move |(other, _)| side[*other as usize] != here);
            apart.map(|(_, weight)| weight).sum::<u64>()
        };
        (0..side.len() as u32).map(crossing).sum::<u64>() / 2
    }

    /// The cut in the middle of `order`, improved until a pass finds nothing.
    pub(super) fn improved(&self, order: &[u32]) -> u64 {
        let routers: Vec<u32> = (0..self.nodes.len() as u32).collect();
        let mut sides = Sides::new(self.cut_in_the_middle(order));
        let first = routers.iter().filter(|r| sides.side[**r as usize] == 1);
        let nodes = first.map(|r| u64::from(self.nodes[*r as usize])).sum();
        let mut balance = Balance { cuts: self, nodes };
        for _ in 0..PASSES {
            for r in &routers {
                sides.gain[*r as usize] = self.gain(&sides.side, *r) as f64;
            }
            if !sides.pass(&routers, &mut balance) {
                break;
            }
        }
        self.cut(&sides.side)
    }

    /// The least cut between the rest and the prefix of `order` that holds closest to half the nodes, over all sides of
    /// the routers without nodes: the value of a greatest flow.
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
        // All routers of a side are one vertex of the flow.
        let vertex = |router: usize| match side[router] {
            Some(true) => first,
            Some(false) => second,
            None => router as u32,
        };
        let mut flow = DiGraph::<(), u64>::with_capacity(routers + 2, 0);
        (0..routers + 2).for_each(|_| _ = flow.add_node(()));
        let mut straight = 0;
        for router in 0..routers {
            for (other, weight) in self.links(router as u32) {
                let (from, to) = (vertex(router), vertex(other as usize));
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
        let end = |vertex: u32| NodeIndex::new(vertex as usize);
        match flow.edge_count() {
            0 => straight,
            _ => straight + dinics(&flow, end(first), end(second)).0,
        }
    }

    /// The prefix of `order` that holds closest to half the nodes; routers without nodes join the side that most of
    /// their links lead to, nearest ones first.
    fn cut_in_the_middle(&self, order: &[u32]) -> Vec<u8> {
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
        side.into_iter()
            .map(|side| u8::from(side.unwrap_or(false)))
            .collect()
    }
}
