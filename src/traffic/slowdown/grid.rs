//! `dimension-order` for windows: all-to-all traffic by counts of processes along lines, other traffic path by path.

use super::link_loads::{LinkLoads, LinkTally};
use crate::mapping::Fabric;
use crate::mapping::routing::{AxisLinks, Grid, TieRule};
use nodeorder_base::Result;
use nodeorder_network::topology::distance::Shape;

/// Finds the loads of windows under `dimension-order`.
///
/// All-to-all traffic is a product of counts. A message has the target's coordinates before dimension i and the
/// source's behind it while it travels along dimension i; so on the line with coordinates p before i and s behind it,
/// as many go from x to y as there are sources with (x, s) from dimension i on, times targets with (p, y) up to
/// dimension i. On a grid of 2 x 3 with all six routers used, the line along dimension 1 at p = 0 has 2 sources with y
/// = 1 and one target with y = 2: two messages from 1 to 2.
pub(super) struct GridLoads<'f> {
    grid: Grid<'f>,
}

/// Number of pairs of ends, for each position of a line, up to which it is cheaper to walk the pairs than the
/// positions.
const FEW_PAIRS: usize = 2;

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct GridBuffers {
    /// Sources by their coordinates behind the dimension.
    sources: LineEnds,
    /// Targets by their coordinates before the dimension.
    targets: LineEnds,
    /// Number of halves of messages that leave a position, less those that reach it, up and down; zero between two
    /// lines.
    rises: [Vec<i64>; 2],
}

/// Ends of traffic along one dimension: counts by group and position on the line, all zero between two windows.
#[derive(Default)]
struct LineEnds {
    /// Number of ends by group, then by position.
    counts: Vec<u32>,
    /// Place of each group in `lines`, from 1; 0 for groups without ends.
    places: Vec<u32>,
    /// Groups with ends, then unused ones.
    lines: Vec<Line>,
    /// Number of groups with ends.
    used: usize,
}

/// Positions of one group.
#[derive(Default)]
struct Line {
    group: usize,
    /// Number of ends.
    ends: i64,
    /// Lowest and highest position with ends.
    outermost: [u32; 2],
    /// Positions with ends.
    positions: Vec<u32>,
}

/// Ends on one line.
#[derive(Clone, Copy)]
struct LineCounts<'b> {
    /// Number of ends at each position.
    counts: &'b [u32],
    line: &'b Line,
}

/// Sums over the targets on a ring in one direction, in halves of messages.
#[derive(Clone, Debug, Default)]
struct LineSums {
    /// Number of targets at each position.
    counts: Vec<i64>,
    /// Number that each position sends this way.
    reached: Vec<i64>,
    /// Number that each position sends over the link that closes the ring.
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

    /// Adds to `loads` those of processes on `routers`, one for each time that a router is listed, that all send `volume` to
    /// each other. Messages are counted in halves, as integers: sums that are zero are exactly zero.
    ///
    /// # Complexity
    /// O(processes, and for each line in use its pairs of ends or its positions, whichever are few) a dimension.
    pub fn all_to_all(
        &self,
        routers: &[u32],
        volume: f64,
        buffers: &mut GridBuffers,
        loads: &mut LinkLoads,
    ) {
        for ports in &self.grid.ports {
            let stride = ports.stride;
            let extent = ports.axis_extent();
            buffers
                .rises
                .iter_mut()
                .for_each(|rises| rises.resize(extent, 0));
            for router in routers {
                // In 32 bits, as divisions take most of the time here.
                let behind = router % stride as u32;
                let place = router / stride as u32;
                let x = place % extent as u32;
                let before = place / extent as u32;
                buffers.sources.add_end(behind, x, extent);
                buffers.targets.add_end(before, x, extent);
            }
            self.add_dimension(ports, volume, buffers, loads);
            buffers.sources.clear(extent);
            buffers.targets.clear(extent);
        }
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
        let stride = ports.stride;
        // Sums over the targets of each prefix, both directions, where a line needs them.
        let mut ahead: Vec<Option<[LineSums; 2]>> = vec![None; buffers.targets.used];
        for (suffix, from) in buffers.sources.iter_lines(extent) {
            let mut here: Option<[Vec<i64>; 2]> = None;
            for ((prefix, to), ahead) in buffers.targets.iter_lines(extent).zip(&mut ahead) {
                let first = prefix * extent * stride + suffix;
                if ports.axis.shape == Shape::Clique {
                    self.add_clique(first, stride, from, to, volume, loads);
                    continue;
                }
                let outermost = from.outermost_with(to);
                let span = outermost[1] - outermost[0];
                // Ends in less than half of a ring send to each other as on a path.
                if ports.axis.shape == Shape::Path || 2 * span < extent {
                    add_path(ports, first, from, to, volume, loads);
                    continue;
                }
                if from.line.positions.len() * to.line.positions.len() <= FEW_PAIRS * extent {
                    add_pairs(ports, first, from, to, volume, &mut buffers.rises, loads);
                    continue;
                }
                let [forwards, backwards] = here.get_or_insert_with(|| from.list_both_ways());
                let [up, down] = ahead.get_or_insert_with(|| {
                    let targets = to.list_both_ways();
                    targets.map(LineSums::new)
                });
                let router = |x: usize| first + x * stride;
                up.visit_loads(forwards, |x, halves| {
                    loads.push_link(ports.step_up(router(x)), 0.5 * halves as f64 * volume);
                });
                down.visit_loads(backwards, |x, halves| {
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
        from: LineCounts<'_>,
        to: LineCounts<'_>,
        volume: f64,
        loads: &mut LinkLoads,
    ) {
        for x in &from.line.positions {
            for y in to.line.positions.iter().filter(|y| *y != x) {
                let ends = [x, y].map(|at| (first + *at as usize * stride) as u32);
                if let Some(link) = self.grid.links.find_link(ends[0], ends[1]) {
                    loads.push_link(link, from.count_messages(to, *x, *y) as f64 * volume);
                }
            }
        }
    }
}

/// Adds the loads of a line on which all go straight from position to position: O(positions between the outermost
/// ends).
///
/// Who sends up over the link from x to x + 1 stands at x or below, and its target above x; likewise downwards.
fn add_path(
    ports: &AxisLinks,
    first: usize,
    from: LineCounts<'_>,
    to: LineCounts<'_>,
    volume: f64,
    loads: &mut LinkLoads,
) {
    let [low, high] = from.outermost_with(to);
    let mut sources_below = 0;
    let mut targets_below = 0;
    for x in low..high {
        sources_below += i64::from(from.counts[x]);
        targets_below += i64::from(to.counts[x]);
        let rising = sources_below * (to.line.ends - targets_below);
        if rising > 0 {
            let link = ports.step_up(first + x * ports.stride);
            loads.push_link(link, rising as f64 * volume);
        }
        let falling = (from.line.ends - sources_below) * targets_below;
        if falling > 0 {
            let link = ports.step_down(first + (x + 1) * ports.stride);
            loads.push_link(link, falling as f64 * volume);
        }
    }
}

/// Adds the loads of a ring pair by pair: O(pairs + positions between the outermost ends).
///
/// What crosses from x to x + 1 is what crossed before, more what x sends, less what ends at x; likewise downwards.
fn add_pairs(
    ports: &AxisLinks,
    first: usize,
    from: LineCounts<'_>,
    to: LineCounts<'_>,
    volume: f64,
    rises: &mut [Vec<i64>; 2],
    loads: &mut LinkLoads,
) {
    // What crosses the link that closes a ring.
    let mut wrapping = [0; 2];
    for x in &from.line.positions {
        for y in to.line.positions.iter().filter(|y| *y != x) {
            let messages = from.count_messages(to, *x, *y);
            for (way, (hops, share)) in ports.ways_between(*x, *y).into_iter().enumerate() {
                if hops == 0 {
                    continue;
                }
                let halves = (2.0 * share) as i64 * messages;
                rises[way][*x as usize] += halves;
                rises[way][*y as usize] -= halves;
                let wraps = if way == 0 { y < x } else { y > x };
                wrapping[way] += if wraps { halves } else { 0 };
            }
        }
    }
    let outermost = from.outermost_with(to);
    for (way, rises) in rises.iter_mut().enumerate() {
        // Beyond the outermost ends goes only what wraps.
        let [low, high] = match wrapping[way] {
            0 => outermost,
            _ => [0, ports.axis_extent() - 1],
        };
        let mut crossing = wrapping[way];
        for step in 0..=high - low {
            let x = if way == 0 { low + step } else { high - step };
            crossing += std::mem::take(&mut rises[x]);
            if crossing > 0 {
                let router = first + x * ports.stride;
                let link = if way == 0 {
                    ports.step_up(router)
                } else {
                    ports.step_down(router)
                };
                loads.push_link(link, 0.5 * crossing as f64 * volume);
            }
        }
    }
}

impl GridBuffers {
    /// Makes room for the routers of a machine.
    pub fn new(routers: usize) -> Self {
        GridBuffers {
            sources: LineEnds::new(routers),
            targets: LineEnds::new(routers),
            ..GridBuffers::default()
        }
    }
}

impl LineEnds {
    /// Makes room for the routers of a machine.
    fn new(routers: usize) -> Self {
        LineEnds {
            counts: vec![0; routers],
            places: vec![0; routers],
            ..LineEnds::default()
        }
    }

    /// Counts an end at position `x` of a line of `extent` positions.
    fn add_end(&mut self, group: u32, x: u32, extent: usize) {
        let place = &mut self.places[group as usize];
        if *place == 0 {
            self.used += 1;
            *place = self.used as u32;
            if self.lines.len() < self.used {
                self.lines.push(Line::default());
            }
            let line = &mut self.lines[self.used - 1];
            line.group = group as usize;
            line.ends = 0;
            line.outermost = [x; 2];
        }
        let line = &mut self.lines[*place as usize - 1];
        line.ends += 1;
        let count = &mut self.counts[group as usize * extent + x as usize];
        *count += 1;
        if *count == 1 {
            line.positions.push(x);
            let [low, high] = line.outermost;
            line.outermost = [low.min(x), high.max(x)];
        }
    }

    /// Iterates over the groups with ends.
    fn iter_lines(&self, extent: usize) -> impl Iterator<Item = (usize, LineCounts<'_>)> {
        self.lines[..self.used].iter().map(move |line| {
            let counts = &self.counts[line.group * extent..][..extent];
            (line.group, LineCounts { counts, line })
        })
    }

    /// Makes all counts zero again.
    fn clear(&mut self, extent: usize) {
        for line in &mut self.lines[..self.used] {
            self.places[line.group] = 0;
            for x in line.positions.drain(..) {
                self.counts[line.group * extent + x as usize] = 0;
            }
        }
        self.used = 0;
    }
}

impl LineCounts<'_> {
    /// Number of messages from position `x` to position `y` of `targets`.
    fn count_messages(self, targets: LineCounts<'_>, x: u32, y: u32) -> i64 {
        i64::from(self.counts[x as usize]) * i64::from(targets.counts[y as usize])
    }

    /// Finds the lowest and the highest position with ends here or in `targets`.
    fn outermost_with(self, targets: LineCounts<'_>) -> [usize; 2] {
        let [low, high] = self.line.outermost;
        let [first, last] = targets.line.outermost;
        [low.min(first) as usize, high.max(last) as usize]
    }

    /// Lists the counts by position, upwards and downwards.
    fn list_both_ways(self) -> [Vec<i64>; 2] {
        let up: Vec<i64> = self.counts.iter().map(|count| i64::from(*count)).collect();
        let down = up.iter().rev().copied().collect();
        [up, down]
    }
}

impl LineSums {
    /// Sums up targets along a ring, in the direction of growing positions.
    fn new(counts: Vec<i64>) -> Self {
        let n = counts.len();
        let mut before = vec![0];
        for count in &counts {
            before.push(before[before.len() - 1] + count);
        }
        let mut reached = Vec::with_capacity(n);
        let mut wrapping = Vec::with_capacity(n);
        for x in 0..n {
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
        let wrapping = from.iter().zip(&self.wrapping);
        let mut crossing: i64 = wrapping.map(|(sources, halves)| sources * halves).sum();
        // Sources that send to the present position this way: a window that slides along, first those at distance 1 to
        // n/2 behind position 0. At an even ring's far end half of them do.
        let half = n / 2;
        let is_even = n.is_multiple_of(2);
        let mut window: i64 = (1..=half).map(|h| from[(n - h) % n]).sum();
        for x in 0..n {
            let far = if x < half { x + n - half } else { x - half };
            let arriving = 2 * window - if is_even { from[far] } else { 0 };
            crossing += from[x] * self.reached[x] - self.counts[x] * arriving;
            if crossing > 0 {
                visit(x, crossing);
            }
            window += from[x] - from[far];
        }
    }
}
