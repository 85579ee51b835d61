//! `dimension-order` for windows: all-to-all traffic by counts of processes along lines, other traffic path by path.

use super::link_loads::{LinkLoads, LinkTally};
use crate::mapping::Fabric;
use crate::mapping::routing::{AxisLinks, Grid, TieRule};
use nodeorder_base::error::Result;
use nodeorder_network::topology::distance::Shape;

/// Finds the loads of windows under `dimension-order`.
///
/// All-to-all traffic is a product of counts. A message has the target's coordinates before dimension i and the source's
/// behind it while it travels along dimension i; so on the line with coordinates p before i and s behind it, as many go
/// from x to y as there are sources with (x, s) from dimension i on, times targets with (p, y) up to dimension i. On a grid
/// of 2 x 3 with all six routers used, the line along dimension 1 at p = 0 has 2 sources with y = 1 and one target with
/// y = 2: two messages from 1 to 2.
pub(super) struct GridLoads<'f> {
    grid: Grid<'f>,
}

/// Buffers of one thread: counts that are zero between two windows, and sums along lines.
#[derive(Default)]
pub(super) struct GridBuffers {
    /// Number of sources by their coordinates from a dimension on.
    sources: Vec<u32>,
    /// Number of targets by their coordinates up to a dimension.
    targets: Vec<u32>,
    /// Number of sources by their coordinates behind the dimension.
    suffix_counts: Vec<u32>,
    /// Number of targets by their coordinates before the dimension.
    prefix_counts: Vec<u32>,
    /// Coordinates behind the dimension that have sources.
    suffixes: Vec<u32>,
    /// Coordinates before the dimension that have targets.
    prefixes: Vec<u32>,
    /// Sums over the targets of each prefix, both directions.
    ahead: Vec<[LineSums; 2]>,
}

/// Sums over the targets on a line in one direction, in halves of messages.
#[derive(Clone, Debug, Default)]
struct LineSums {
    /// Number of targets at each position.
    counts: Vec<i64>,
    /// Number that each position sends this way.
    reached: Vec<i64>,
    /// Number that each position sends over the link that closes a ring.
    wrapping: Vec<i64>,
}

impl<'f> GridLoads<'f> {
    /// Finds the links along the dimensions. Fails on a machine that has none.
    pub fn new(fabric: &Fabric<'f>) -> Result<Self> {
        let (grid, _) = Grid::new(TieRule::Halves, fabric)?;
        Ok(GridLoads { grid })
    }

    /// Adds one flow between two routers.
    pub fn add_flow(&self, source: u32, target: u32, volume: f64, tally: &mut LinkTally) {
        self.grid.walk_flow(source, target, |link, share| {
            tally.add_load(link, share * volume)
        });
    }

    /// Finds the loads of processes on `routers`, one for each time that a router is listed, that all send `volume` to each
    /// other. Messages are counted in halves, as integers: sums that are zero are exactly zero.
    ///
    /// # Complexity
    /// O(processes + links of the lines that are used) a dimension.
    pub fn all_to_all(&self, routers: &[u32], volume: f64, buffers: &mut GridBuffers) -> LinkLoads {
        let mut loads = LinkLoads::default();
        for ports in self.grid.axis_ports() {
            buffers.count_ends(routers, ports);
            self.add_dimension(ports, volume, buffers, &mut loads);
            buffers.clear_counts(routers, ports);
        }
        loads
    }

    /// Adds the loads along one dimension, whose ends are counted.
    fn add_dimension(
        &self,
        ports: &AxisLinks,
        volume: f64,
        buffers: &mut GridBuffers,
        loads: &mut LinkLoads,
    ) {
        let extent = ports.axis_extent();
        let stride = ports.router_stride();
        let is_clique = ports.axis_shape() == Shape::Clique;
        buffers.ahead.clear();
        if !is_clique {
            for prefix in &buffers.prefixes {
                let line = &buffers.targets[*prefix as usize * extent..][..extent];
                let up: Vec<i64> = line.iter().map(|count| i64::from(*count)).collect();
                let down = up.iter().rev().copied().collect();
                let sums = [up, down].map(|counts| LineSums::new(counts, ports.axis_shape()));
                buffers.ahead.push(sums);
            }
        }
        let mut from = vec![0i64; extent];
        for suffix in &buffers.suffixes {
            let suffix = *suffix as usize;
            for (x, count) in from.iter_mut().enumerate() {
                *count = i64::from(buffers.sources[x * stride + suffix]);
            }
            let backwards: Vec<i64> = from.iter().rev().copied().collect();
            for (i, prefix) in buffers.prefixes.iter().enumerate() {
                let first = *prefix as usize * extent * stride + suffix;
                if is_clique {
                    let to = &buffers.targets[*prefix as usize * extent..][..extent];
                    self.add_clique(first, stride, &from, to, volume, loads);
                    continue;
                }
                let [up, down] = &buffers.ahead[i];
                let router = |x: usize| first + x * stride;
                up.visit_loads(&from, |x, halves| {
                    loads.push_link(ports.step_up(router(x)), 0.5 * halves as f64 * volume);
                });
                down.visit_loads(&backwards, |x, halves| {
                    let link = ports.step_down(router(extent - 1 - x));
                    loads.push_link(link, 0.5 * halves as f64 * volume);
                });
            }
        }
    }

    /// Adds the loads of a line whose routers are all linked.
    fn add_clique(
        &self,
        first: usize,
        stride: usize,
        from: &[i64],
        to: &[u32],
        volume: f64,
        loads: &mut LinkLoads,
    ) {
        for (x, sources) in from.iter().enumerate().filter(|(_, count)| **count > 0) {
            for (y, targets) in to.iter().enumerate() {
                if x == y || *targets == 0 {
                    continue;
                }
                let ends = [x, y].map(|at| (first + at * stride) as u32);
                if let Some(link) = self.grid.find_link(ends[0], ends[1]) {
                    let messages = sources * i64::from(*targets);
                    loads.push_link(link, messages as f64 * volume);
                }
            }
        }
    }
}

impl GridBuffers {
    /// Makes room for the routers of a machine.
    pub fn new(routers: usize) -> Self {
        GridBuffers {
            sources: vec![0; routers],
            targets: vec![0; routers],
            suffix_counts: vec![0; routers],
            prefix_counts: vec![0; routers],
            ..GridBuffers::default()
        }
    }

    /// Counts the ends of traffic along one dimension.
    fn count_ends(&mut self, routers: &[u32], ports: &AxisLinks) {
        let stride = ports.router_stride();
        let line = stride * ports.axis_extent();
        for router in routers {
            let router = *router as usize;
            self.sources[router % line] += 1;
            self.targets[router / stride] += 1;
            let suffix = router % stride;
            if self.suffix_counts[suffix] == 0 {
                self.suffixes.push(suffix as u32);
            }
            self.suffix_counts[suffix] += 1;
            let prefix = router / line;
            if self.prefix_counts[prefix] == 0 {
                self.prefixes.push(prefix as u32);
            }
            self.prefix_counts[prefix] += 1;
        }
    }

    /// Makes all counts zero again.
    fn clear_counts(&mut self, routers: &[u32], ports: &AxisLinks) {
        let stride = ports.router_stride();
        let line = stride * ports.axis_extent();
        for router in routers {
            let router = *router as usize;
            self.sources[router % line] = 0;
            self.targets[router / stride] = 0;
            self.suffix_counts[router % stride] = 0;
            self.prefix_counts[router / line] = 0;
        }
        self.suffixes.clear();
        self.prefixes.clear();
    }
}

impl LineSums {
    /// Sums up targets along a path or a ring, in the direction of growing positions.
    fn new(counts: Vec<i64>, shape: Shape) -> Self {
        let n = counts.len();
        let mut before = vec![0];
        for count in &counts {
            before.push(before[before.len() - 1] + count);
        }
        let mut reached = Vec::with_capacity(n);
        let mut wrapping = Vec::new();
        for x in 0..n {
            if shape != Shape::Ring {
                reached.push(2 * (before[n] - before[x + 1]));
                continue;
            }
            // Positions x + 1 to x + n/2 are nearer this way; that of an even ring's far end is so by half.
            let far = x + n / 2;
            let tie = if n.is_multiple_of(2) {
                counts[far % n]
            } else {
                0
            };
            let inside = before[(far + 1).min(n)] - before[x + 1];
            let behind = before[(far + 1).saturating_sub(n)];
            reached.push(2 * (inside + behind) - tie);
            let tie_behind = if far >= n { tie } else { 0 };
            wrapping.push(2 * behind - tie_behind);
        }
        LineSums {
            counts,
            reached,
            wrapping,
        }
    }

    /// Calls `visit` with each position whose link to the next one has a load, and with that load in halves of
    /// messages, for sources counted by position.
    ///
    /// What crosses from x to x + 1 is what crossed before, more what x sends, less what ends at x.
    fn visit_loads(&self, from: &[i64], mut visit: impl FnMut(usize, i64)) {
        let n = from.len();
        let is_ring = !self.wrapping.is_empty();
        let mut crossing = 0;
        if is_ring {
            let wrapping = from.iter().zip(&self.wrapping);
            crossing = wrapping.map(|(sources, halves)| sources * halves).sum();
        }
        // Sources that send to the present position this way, in halves; a ring's window slides along.
        let half = n / 2;
        let is_even = n.is_multiple_of(2);
        let mut window: i64 = 0;
        if is_ring {
            // Sources at distance 1 to n/2 behind position 0, each whole.
            window = (1..=half).map(|h| from[(n - h) % n]).sum();
        }
        for x in 0..n {
            let arriving = if is_ring {
                let tie = if is_even { from[(x + n - half) % n] } else { 0 };
                2 * window - tie
            } else {
                2 * window
            };
            crossing += from[x] * self.reached[x] - self.counts[x] * arriving;
            if crossing > 0 {
                visit(x, crossing);
            }
            window += from[x];
            if is_ring {
                window -= from[(x + n - half) % n];
            }
        }
    }
}
