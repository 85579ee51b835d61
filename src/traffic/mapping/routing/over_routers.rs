//! By way of every router, to spread traffic that would crowd the shortest paths.

use super::super::demand::{Demand, End};
use super::dimension_order::{AxisLinks, Grid, TieRule, is_grid};
use super::{Fabric, FixedPaths, JobLoads, PathLengths, ecmp_hop};
use nodeorder_base::{Result, RouterId};
use nodeorder_network::topology::distance::Shape;
use rayon::prelude::*;

pub const NAME: &str = "valiant:over=routers";

/// `valiant:over=routers`: each message in equal parts over every router of its component, the two ends included; to it
/// and on by `dimension-order` on grids, else by `ecmp-hop`.
///
/// Of R routers each gets 1/R of what a router sends, and sends on 1/R of what a router receives: from a to b go
/// (sent(a) + received(b))/R, whoever talks to whom. On grids, sums along lines: O(routers · dimensions + lines ·
/// extent²); elsewhere as `ecmp-hop` with flows between all routers.
///
/// # References
/// Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982,
/// <https://doi.org/10.1137/0211027>.
pub const PATHS: FixedPaths = FixedPaths {
    lengths: mean_lengths,
    job_loads: |topology| {
        if is_grid(topology) {
            JobLoads::AllLinks
        } else {
            JobLoads::NextHopsOverRouters
        }
    },
    ..FixedPaths::shortest_paths(
        "single-rail network",
        |topology| topology.network().rails().is_none(),
        find_loads,
    )
};

/// Finds the loads of `valiant:over=routers`.
pub fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    if is_grid(fabric.topology) {
        return load_lines(fabric, demand);
    }
    let component_of = fabric.topology.network().component_of();
    let spread = demand.spread_over_routers(fabric.links.router_count(), component_of);
    ecmp_hop::find_loads(fabric, &spread)
}

/// Finds the loads on a grid.
///
/// Along dimension i a message has the coordinates of its leg's end before i, and those of its leg's start behind. To
/// all routers, the end may be any: what a line carries depends on the coordinates behind alone; from all routers, on
/// those before alone.
fn load_lines(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let (grid, _) = Grid::new(TieRule::Halves, fabric)?;
    let routers = fabric.links.router_count();
    let [sent, received] = demand.sum_ends(routers);
    let mut loads = fabric.zero_loads();
    for ports in &grid.ports {
        let extent = ports.axis_extent();
        let stride = ports.stride;
        let line = stride * extent;
        // So many routers share their coordinates up to the dimension, or from it on.
        let behind = stride as f64 / routers as f64;
        let before = 1.0 / line as f64;
        let mut starts = vec![0.0; line];
        let mut ends = vec![0.0; routers / stride];
        for router in 0..routers {
            starts[router % line] += sent[router] * behind;
            ends[router / stride] += received[router] * before;
        }
        let mut out = Vec::with_capacity(stride);
        for suffix in 0..stride {
            let weights = starts[suffix..].iter().step_by(stride).copied().collect();
            out.push(LineLoads::new(ports, weights, End::Source));
        }
        for (prefix, weights) in ends.chunks_exact(extent).enumerate() {
            let into = LineLoads::new(ports, weights.to_vec(), End::Target);
            for (suffix, out) in out.iter().enumerate() {
                add_line(
                    fabric,
                    ports,
                    prefix * line + suffix,
                    [out, &into],
                    &mut loads,
                );
            }
        }
    }
    Ok(loads)
}

/// Loads of the links of a line whose positions send to all of them alike, or receive from them.
struct LineLoads {
    /// Volume that each position sends to every position of the line, or receives from it.
    weights: Vec<f64>,
    /// Loads of the links up and down from each position; empty on a clique.
    ways: [Vec<f64>; 2],
}

impl LineLoads {
    /// Adds up what the positions at one `end` of the traffic bring on each link. O(extent²).
    fn new(ports: &AxisLinks, weights: Vec<f64>, end: End) -> Self {
        let n = weights.len();
        let shape = ports.axis.shape;
        let mut ways = [vec![0.0; n], vec![0.0; n]];
        if shape == Shape::Clique {
            return LineLoads { weights, ways };
        }
        for (x, weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            for (way, loads) in ways.iter_mut().enumerate() {
                // Seen from its target, traffic up comes from below.
                let rises = (way == 0) == (end == End::Source);
                let is_ring = shape == Shape::Ring;
                let far = if is_ring {
                    n / 2
                } else if rises {
                    n - 1 - x
                } else {
                    x
                };
                // The opposite position of an even ring is reached by half.
                let tie = if is_ring && 2 * far == n { 0.5 } else { 0.0 };
                for hops in 1..=far {
                    let steps = if end == End::Source { hops - 1 } else { hops };
                    let at = if rises { x + steps } else { x + n - steps };
                    loads[at % n] += weight * ((far - hops + 1) as f64 - tie);
                }
            }
        }
        LineLoads { weights, ways }
    }
}

/// Adds what both legs bring on the links of the line whose first router is `first`.
fn add_line(
    fabric: &Fabric<'_>,
    ports: &AxisLinks,
    first: usize,
    [out, into]: [&LineLoads; 2],
    loads: &mut [f64],
) {
    let extent = ports.axis_extent();
    for x in 0..extent {
        let router = first + x * ports.stride;
        if ports.axis.shape == Shape::Clique {
            for y in (0..extent).filter(|y| *y != x) {
                let to = first + y * ports.stride;
                let volume = out.weights[x] + into.weights[y];
                fabric
                    .links
                    .add_load(router as u32, to as u32, volume, loads);
            }
            continue;
        }
        let up = out.ways[0][x] + into.ways[0][x];
        if up > 0.0 {
            loads[ports.step_up(router)] += up;
        }
        let down = out.ways[1][x] + into.ways[1][x];
        if down > 0.0 {
            loads[ports.step_down(router)] += down;
        }
    }
}

/// Finds the mean path length between two routers: from one to a router, and from there to the other. O(routers ·
/// links).
fn mean_lengths(fabric: &Fabric<'_>) -> Result<PathLengths> {
    let routers = 0..fabric.links.router_count() as u32;
    // Searched for, as formulas of trees know leaf switches alone.
    let means: Vec<f64> = routers
        .into_par_iter()
        .map(|from| {
            let hops = fabric.links.hops_from(RouterId(from));
            let reached = || hops.iter().filter(|hops| **hops != u32::MAX);
            reached().map(|hops| f64::from(*hops)).sum::<f64>() / reached().count() as f64
        })
        .collect();
    Ok(PathLengths::Mean(Box::new(move |a, b| {
        means[a.index()] + means[b.index()]
    })))
}
