//! One dimension after the other, dimension 0 first.

use super::super::demand::{Demand, End, Flow};
use super::{Fabric, FixedPaths, Route, RoutingEntry, RoutingMethod, over_roots};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_network::topology::distance::{Axis, Product, Shape};
use nodeorder_network::topology::{Metric, RouterGraph};

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
        routes: Some(routes),
        ..FixedPaths::shortest(
            "grid of dimensions",
            |topology| matches!(topology.metric(), Metric::Product(_)),
            loads,
        )
    }),
);

/// The link from every router to the next and to the one before along an axis.
struct Ports {
    axis: Axis,
    stride: usize,
    /// Up, then down; unused at the ends of a path.
    steps: [Vec<usize>; 2],
}

impl Ports {
    fn new(links: &RouterGraph, product: &Product, i: usize) -> Self {
        // The one link of a ring of two is that of a path.
        let axis = match product.axes[i] {
            Axis { extent: 2, .. } => Axis {
                extent: 2,
                shape: Shape::Path,
            },
            axis => axis,
        };
        let (stride, extent) = (product.stride(i), axis.extent);
        let mut steps = [Vec::new(), Vec::new()];
        if axis.shape != Shape::Clique {
            for router in 0..links.router_count() as u32 {
                let x = router / stride % extent;
                let to = |y: u32| links.index(router, router - x * stride + y * stride);
                steps[0].push(to((x + 1) % extent).unwrap_or(usize::MAX));
                steps[1].push(to((x + extent - 1) % extent).unwrap_or(usize::MAX));
            }
        }
        Ports {
            axis,
            stride: stride as usize,
            steps,
        }
    }
}

/// Way of traffic to the opposite position of an even ring, where both ways are equally long.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// Half each way.
    Halves,
    /// Up from even positions, down from odd ones: all traffic of a pair on one path, both directions alike.
    Parity,
}

impl Tie {
    /// The shares that go up and down from position `a`.
    fn shares(self, a: u32) -> [f64; 2] {
        match self {
            Tie::Halves => [0.5, 0.5],
            Tie::Parity if a.is_multiple_of(2) => [1.0, 0.0],
            Tie::Parity => [0.0, 1.0],
        }
    }
}

/// How far up and how far down position `b` lies from `a`, with the share of traffic that goes there that
/// way. At most one of the two is taken but for the tie of an even ring.
pub(super) fn ways(axis: Axis, a: u32, b: u32, tie: Tie) -> [(u32, f64); 2] {
    let n = axis.extent;
    match axis.shape {
        Shape::Ring => {
            let (up, down) = ((b + n - a) % n, (a + n - b) % n);
            match up.cmp(&down) {
                std::cmp::Ordering::Less => [(up, 1.0), (0, 0.0)],
                std::cmp::Ordering::Equal => {
                    let [rising, falling] = tie.shares(a);
                    [(up, rising), (down, falling)]
                }
                std::cmp::Ordering::Greater => [(0, 0.0), (down, 1.0)],
            }
        }
        _ if b > a => [(b - a, 1.0), (0, 0.0)],
        _ => [(0, 0.0), (a - b, 1.0)],
    }
}

struct Grid<'a> {
    links: &'a RouterGraph,
    ports: Vec<Ports>,
    tie: Tie,
}

fn loads(fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    loads_with(Tie::Halves, fabric, demand)
}

/// The loads where ties are broken by a rule. Errors: a machine without dimensions; more memory than allowed.
pub(super) fn loads_with(tie: Tie, fabric: &Fabric<'_>, demand: &Demand) -> Result<Vec<f64>> {
    let (grid, product) = Grid::new(tie, fabric)?;
    let sources = demand.roots(End::Source);
    let (far, routers) = (product.diameter() as usize, fabric.links.router_count());
    let scratch = || (Vec::new(), Vec::new());
    over_roots(
        fabric,
        sources.len(),
        scratch,
        |(buffer, weights), root, loads| {
            let row = demand.row(End::Source, root, buffer);
            // A few flows are walked hop by hop; many are added up in one sweep over all routers.
            if row.len() * far < routers {
                for Flow { router, volume, .. } in row {
                    grid.walk(sources[root], *router, |link, share| {
                        loads[link] += share * volume
                    });
                }
            } else {
                grid.spread(sources[root], row, weights, loads);
            }
            Ok(())
        },
    )
}

/// The links of each pair, which are walked hop by hop.
fn routes(fabric: &Fabric<'_>, pairs: &[(u32, u32)]) -> Result<Vec<Route>> {
    let (grid, _) = Grid::new(Tie::Halves, fabric)?;
    let route = |(from, to): &(u32, u32)| {
        let mut route = Route::new();
        grid.walk(*from, *to, |link, share| route.push((link as u32, share)));
        route.sort_unstable_by_key(|(link, _)| *link);
        route
    };
    Ok(pairs.iter().map(route).collect())
}

impl<'a> Grid<'a> {
    /// The ports of a machine with dimensions, and these.
    fn new(tie: Tie, fabric: &Fabric<'a>) -> Result<(Self, &'a Product)> {
        let Metric::Product(product) = fabric.topology.metric() else {
            let location = SourceLocation::option("--routing dimension-order");
            return Err(Error::unsuited(
                location,
                "no dimensions",
                "use --routing ecmp-path",
            ));
        };
        let links = fabric.links;
        let ports = (0..product.axes.len())
            .map(|i| Ports::new(links, product, i))
            .collect();
        Ok((Grid { links, ports, tie }, product))
    }

    /// One flow, hop by hop: its links with the share of it on each.
    fn walk(&self, source: u32, target: u32, mut visit: impl FnMut(usize, f64)) {
        let mut at = source as usize;
        for ports in &self.ports {
            let extent = ports.axis.extent as usize;
            let position = |router: usize| router / ports.stride % extent;
            let (a, b) = (position(at), position(target as usize));
            if a == b {
                continue;
            }
            let end = at - a * ports.stride + b * ports.stride;
            if ports.axis.shape == Shape::Clique {
                self.links
                    .index(at as u32, end as u32)
                    .into_iter()
                    .for_each(|link| visit(link, 1.0));
            } else {
                let ways = ways(ports.axis, a as u32, b as u32, self.tie);
                for (up, (hops, share)) in ways.iter().enumerate().filter(|(_, way)| way.1 > 0.0) {
                    let mut router = at;
                    for _ in 0..*hops {
                        let link = ports.steps[up][router];
                        visit(link, *share);
                        router = self.links.head(link) as usize;
                    }
                }
            }
            at = end;
        }
    }

    /// All flows of a source at once. Along dimension k, traffic differs only by where it leaves the
    /// dimensions before k, and the sum of all later targets travels together.
    fn spread(&self, source: u32, row: &[Flow], weights: &mut Vec<Vec<f64>>, loads: &mut [f64]) {
        let k = self.ports.len();
        weights.resize(k + 1, Vec::new());
        weights[k].clear();
        weights[k].resize(self.links.router_count(), 0.0);
        row.iter()
            .for_each(|flow| weights[k][flow.router as usize] = flow.volume);
        for i in (0..k).rev() {
            let extent = self.ports[i].axis.extent as usize;
            let (before, after) = weights.split_at_mut(i + 1);
            before[i].clear();
            before[i].extend(
                after[0]
                    .chunks_exact(extent)
                    .map(|line| line.iter().sum::<f64>()),
            );
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
                match ports.axis.shape {
                    Shape::Clique => {
                        for (x, weight) in line.iter().enumerate() {
                            if x != start && *weight != 0.0 {
                                self.links.load(
                                    router(start) as u32,
                                    router(x) as u32,
                                    *weight,
                                    loads,
                                );
                            }
                        }
                    }
                    Shape::Path => {
                        self.run(
                            ports,
                            0,
                            extent - 1 - start,
                            |r| start + r,
                            &router,
                            line,
                            loads,
                        );
                        self.run(ports, 1, start, |r| start - r, &router, line, loads);
                    }
                    Shape::Ring => {
                        let up = |r: usize| (start + r) % extent;
                        let down = |r: usize| (start + extent - r) % extent;
                        self.run(ports, 0, extent / 2, up, &router, line, loads);
                        self.run(ports, 1, extent / 2, down, &router, line, loads);
                    }
                }
            }
        }
    }

    /// Loads in one direction along a line, the furthest link first: each carries the volume of all targets behind it.
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        ports: &Ports,
        up: usize,
        far: usize,
        position: impl Fn(usize) -> usize,
        router: &impl Fn(usize) -> usize,
        line: &[f64],
        loads: &mut [f64],
    ) {
        let tie = ports.axis.shape == Shape::Ring && line.len() == 2 * far;
        // The position it starts from is 0 steps away.
        let share = self.tie.shares(position(0) as u32)[up];
        let mut carried = 0.0;
        for r in (1..=far).rev() {
            carried += if tie && r == far { share } else { 1.0 } * line[position(r)];
            loads[ports.steps[up][router(position(r - 1))]] += carried;
        }
    }
}
