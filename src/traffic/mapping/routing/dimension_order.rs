//! Routing along one dimension after the other, dimension 0 first.

use super::super::demand::{Demand, End, Flow};
use super::fabric::sum_over_roots;
use super::{Fabric, FixedPaths, JobLoads, Route, RoutingEntry, RoutingMethod};
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::topology::distance::{Axis, Product, Shape};
use nodeorder_network::{Metric, RouterGraph, Topology};

/// `dimension-order`: first all the way along dimension 0, then along dimension 1, and so on; in a wrapped
/// dimension the shorter way round, and half each way where both are as long. HyperX and best-case
/// cascades cross each dimension in one hop. O(routers) a source that sends to many, O(hops) a flow otherwise.
///
/// # References
/// Dally, Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Trans.
/// Computers C-36(5), 1987, <https://doi.org/10.1109/TC.1987.1676939> (e-cube routing). It leaves the tie of
/// an even ring open.
pub const ROUTING: RoutingEntry = RoutingEntry::plain(
    "dimension-order",
    "grids: dimension 0 first, the shorter way round; ties are split in halves",
    RoutingMethod::Fixed(FixedPaths {
        routes: Some(walk_routes),
        job_loads: |_| JobLoads::AlongLines,
        ..FixedPaths::shortest_paths("grid of dimensions", is_grid, find_loads)
    }),
);

/// Checks whether `topology` is a grid of dimensions.
pub fn is_grid(topology: &Topology) -> bool {
    matches!(topology.metric(), Metric::Product(_))
}

/// Links from every router to the next and to the one before along an axis.
pub struct AxisLinks {
    /// How many positions there are, and how they are linked; a ring of two is a path.
    pub axis: Axis,
    /// Difference of router numbers from one position along the axis to the next.
    pub stride: usize,
    /// Link up, then link down, of every router; `u32::MAX` at the ends of a path, and empty on a clique.
    steps: [Vec<u32>; 2],
}

impl AxisLinks {
    /// Finds the links along axis `i` of the grid `product`.
    fn new(links: &RouterGraph, product: &Product, i: usize) -> Self {
        // The one link of a ring of two is that of a path.
        let axis = match product.axes[i] {
            Axis { extent: 2, .. } => Axis {
                extent: 2,
                shape: Shape::Path,
            },
            axis => axis,
        };
        let stride = product.stride(i);
        let extent = axis.extent;
        let mut steps = [Vec::new(), Vec::new()];
        if axis.shape != Shape::Clique {
            for router in 0..links.router_count() as u32 {
                let x = router / stride % extent;
                let neighbours = [(x + 1) % extent, (x + extent - 1) % extent];
                for (steps, y) in steps.iter_mut().zip(neighbours) {
                    let link = links.find_link(router, router - x * stride + y * stride);
                    steps.push(link.map_or(u32::MAX, |link| link as u32));
                }
            }
        }
        AxisLinks {
            axis,
            stride: stride as usize,
            steps,
        }
    }

    /// Returns the number of positions along the axis.
    pub fn axis_extent(&self) -> usize {
        self.axis.extent as usize
    }

    /// Computes how many hops up and how many down position `b` lies from `a`, with the share that goes each way.
    pub fn ways_between(&self, a: u32, b: u32) -> [(u32, f64); 2] {
        ways_along_axis(self.axis, a, b, TieRule::Halves)
    }

    /// Finds the link from a router to the next position along the axis; there must be one, and the axis must be a path
    /// or ring.
    pub fn step_up(&self, router: usize) -> usize {
        self.steps[0][router] as usize
    }

    /// Finds the link from a router to the position before along the axis; there must be one, and the axis must be a
    /// path or ring.
    pub fn step_down(&self, router: usize) -> usize {
        self.steps[1][router] as usize
    }
}

/// Rule for traffic to the opposite position of an even ring, where both ways round are equally long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TieRule {
    /// Half of the traffic each way.
    Halves,
    /// Up from even positions, down from odd ones: all traffic of a pair on one path, both directions alike.
    Parity,
}

impl TieRule {
    /// Computes the shares that go up and down from position `a`.
    fn way_shares(self, a: u32) -> [f64; 2] {
        match self {
            TieRule::Halves => [0.5, 0.5],
            TieRule::Parity if a.is_multiple_of(2) => [1.0, 0.0],
            TieRule::Parity => [0.0, 1.0],
        }
    }
}

/// Computes how many hops up and how many down position `b` lies from `a`, with the share of traffic that goes there
/// that way. At most one of the two is taken but for the tie of an even ring.
#[inline]
pub fn ways_along_axis(axis: Axis, a: u32, b: u32, tie: TieRule) -> [(u32, f64); 2] {
    let n = axis.extent;
    match axis.shape {
        Shape::Ring => {
            let up = if b >= a { b - a } else { b + n - a };
            let down = if up == 0 { 0 } else { n - up };
            match up.cmp(&down) {
                std::cmp::Ordering::Less => [(up, 1.0), (0, 0.0)],
                std::cmp::Ordering::Equal => {
                    let [rising, falling] = tie.way_shares(a);
                    [(up, rising), (down, falling)]
                }
                std::cmp::Ordering::Greater => [(0, 0.0), (down, 1.0)],
            }
        }
        _ if b > a => [(b - a, 1.0), (0, 0.0)],
        _ => [(0, 0.0), (a - b, 1.0)],
    }
}

/// A machine with dimensions, whose traffic is routed along them.
pub struct Grid<'a> {
    pub links: &'a RouterGraph,
    /// Links along each dimension.
    pub ports: Vec<AxisLinks>,
    tie: TieRule,
}

/// Finds the loads of `dimension-order`.
pub fn find_loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    grid_loads(TieRule::Halves, fabric, demand)
}

/// Finds the loads where ties are broken by a rule. Fails on a machine without dimensions, and if more memory is
/// needed than allowed.
pub fn grid_loads(tie: TieRule, fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let (grid, product) = Grid::new(tie, fabric)?;
    let sources = demand.roots(End::Source);
    let far = product.diameter() as usize;
    sum_over_roots(
        fabric,
        sources.len(),
        || (Vec::new(), Vec::new()),
        |(buffer, weights), root, loads| {
            let row = demand.flows_at(End::Source, root, buffer);
            // A few flows are walked hop by hop; many are added up in one sweep over all routers.
            if row.len() * far < fabric.links.router_count() {
                for Flow { router, volume, .. } in row {
                    grid.walk_flow(sources[root], *router, |link, share| {
                        loads[link] += share * volume
                    });
                }
            } else {
                grid.load_source(sources[root], row, weights, loads);
            }
            Ok(())
        },
    )
}

/// Finds the links of each pair by walking its path hop by hop.
fn walk_routes(fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
    let (grid, _) = Grid::new(TieRule::Halves, fabric)?;
    let mut routes = Vec::with_capacity(pairs.len());
    for (from, to) in pairs {
        let mut route = Route::new();
        grid.walk_flow(*from, *to, |link, share| route.push((link as u32, share)));
        route.sort_unstable_by_key(|(link, _)| *link);
        routes.push(route);
    }
    Ok(routes)
}

impl<'a> Grid<'a> {
    /// Finds the links along the dimensions of a machine, and returns these dimensions, too. Fails if it has none.
    pub fn new(tie: TieRule, fabric: &Fabric<'a>) -> Result<(Self, &'a Product)> {
        let Metric::Product(product) = fabric.topology.metric() else {
            return Err(Error::unsuited(
                SourceLocation::option("--routing dimension-order"),
                "no dimensions",
                "use --routing ecmp-path",
            ));
        };
        let links = fabric.links;
        let ports = (0..product.axes.len())
            .map(|i| AxisLinks::new(links, product, i))
            .collect();
        Ok((Grid { links, ports, tie }, product))
    }

    /// Walks the path of one flow hop by hop: calls `visit` with its links and the share of it on each.
    pub fn walk_flow(&self, source: u32, target: u32, mut visit: impl FnMut(usize, f64)) {
        let mut at = source as usize;
        for ports in &self.ports {
            let extent = ports.axis.extent as usize;
            let a = at / ports.stride % extent;
            let b = target as usize / ports.stride % extent;
            if a == b {
                continue;
            }
            let end = at - a * ports.stride + b * ports.stride;
            if ports.axis.shape == Shape::Clique {
                if let Some(link) = self.links.find_link(at as u32, end as u32) {
                    visit(link, 1.0);
                }
            } else {
                let ways = ways_along_axis(ports.axis, a as u32, b as u32, self.tie);
                for (up, (hops, share)) in ways.iter().enumerate().filter(|(_, way)| way.1 > 0.0) {
                    let line = at - a * ports.stride;
                    let mut x = a;
                    for _ in 0..*hops {
                        visit(ports.steps[up][line + x * ports.stride] as usize, *share);
                        x = match (up, x) {
                            (0, x) if x + 1 == extent => 0,
                            (0, x) => x + 1,
                            (_, 0) => extent - 1,
                            (_, x) => x - 1,
                        };
                    }
                }
            }
            at = end;
        }
    }

    /// Adds the loads of all flows of a source at once. Along dimension k, traffic differs only by where it leaves the
    /// dimensions before k, and the sum of all later targets travels together.
    fn load_source(
        &self,
        source: u32,
        row: &[Flow],
        weights: &mut Vec<Vec<f64>>,
        loads: &mut [f64],
    ) {
        let k = self.ports.len();
        weights.resize(k + 1, Vec::new());
        weights[k].clear();
        weights[k].resize(self.links.router_count(), 0.0);
        for flow in row {
            weights[k][flow.router as usize] = flow.volume;
        }
        for i in (0..k).rev() {
            let extent = self.ports[i].axis.extent as usize;
            let (before, after) = weights.split_at_mut(i + 1);
            let lines = after[0].chunks_exact(extent);
            before[i].clear();
            before[i].extend(lines.map(|line| line.iter().sum::<f64>()));
        }
        for (i, ports) in self.ports.iter().enumerate() {
            let extent = ports.axis.extent as usize;
            // The source's own coordinates from dimension i on.
            let offset = source as usize % (ports.stride * extent);
            let start = offset / ports.stride;
            for (prefix, line) in weights[i + 1].chunks_exact(extent).enumerate() {
                if weights[i][prefix] == 0.0 {
                    continue;
                }
                let first = prefix * ports.stride * extent + offset % ports.stride;
                let router = |x: usize| first + x * ports.stride;
                if ports.axis.shape == Shape::Clique {
                    for (x, weight) in line.iter().enumerate() {
                        if x != start && *weight != 0.0 {
                            let from = router(start) as u32;
                            self.links.add_load(from, router(x) as u32, *weight, loads);
                        }
                    }
                    continue;
                }
                // On a ring both ways reach half of it; on a path each reaches its end.
                let is_ring = ports.axis.shape == Shape::Ring;
                let far = if is_ring {
                    [extent / 2; 2]
                } else {
                    [extent - 1 - start, start]
                };
                let shares = self.tie.way_shares(start as u32);
                for (way, steps) in ports.steps.iter().enumerate() {
                    let position = |hops: usize| {
                        let offset = if way == 0 { hops } else { extent - hops };
                        (start + offset) % extent
                    };
                    // From the furthest link on: each carries the volume of all targets behind it.
                    let mut carried = 0.0;
                    for hops in (1..=far[way]).rev() {
                        let tie = is_ring && 2 * hops == extent;
                        carried += if tie { shares[way] } else { 1.0 } * line[position(hops)];
                        loads[steps[router(position(hops - 1))] as usize] += carried;
                    }
                }
            }
        }
    }
}
