//! Measurement of the slowdowns of an ordering's windows.

use super::curve::{DUTY_STEPS, SlowdownCurve, SlowdownPoint};
use super::link_loads::LinkLoads;
use super::router::WindowRouter;
use super::tiling::Tilings;
use crate::mapping::guest::{check_sized_guest, make_sized_guest};
use crate::mapping::{Fabric, FixedRouting, Guest, NodeLoads, ProcessMapping, Traffic};
use nodeorder_base::observer::unwind_if_stopped;
use nodeorder_base::{Error, NodeId, Result, SourceLocation};
use nodeorder_network::Context;
use nodeorder_order::NodeOrder;
use rayon::prelude::*;
use std::ops::Range;

/// Fewest and most windows whose loads are found before they are added up: a piece of work for the threads.
const BATCH: [usize; 2] = [2, 1024];

/// Loads of links that the windows of such a piece should have together.
const BATCH_LOADS: usize = 1 << 22;

/// Loads of links that are kept from the sum over a tiling until its windows are judged; the others are found once
/// more.
const KEPT_LOADS: usize = 6 << 20;

/// Pieces that such a piece of work is cut into for the threads.
const PIECES: usize = 16;

/// Pieces that are judged before their slowdowns are summed up.
const JUDGED: usize = 1 << 8;

/// Options of a measurement of slowdowns.
#[derive(Clone, Copy)]
pub struct SlowdownOptions {
    /// Links that the traffic of every window takes.
    pub routing: FixedRouting,
    /// Share of the time, from 0 to 1, in which the other windows send, in [`SlowdownPoint::mixed`].
    pub duty: f64,
    /// Tilings of each size.
    pub tilings: Tilings,
}

impl SlowdownOptions {
    /// Takes a duty of 0.2 and two tilings, as unless given.
    pub fn new(routing: FixedRouting) -> Self {
        SlowdownOptions {
            routing,
            duty: 0.2,
            tilings: Tilings::default(),
        }
    }

    /// Checks that the duty is from 0 to 1.
    fn check_duty(&self) -> Result<()> {
        if (0.0..=1.0).contains(&self.duty) {
            return Ok(());
        }
        let location = SourceLocation::option("--duty");
        let found = format!("`{}`", self.duty);
        Err(Error::input(
            location,
            found,
            "a share of the time, from 0 to 1",
        ))
    }
}

/// Makes the guest `name` of `size` processes; `None` where it does not exist at that size.
pub(super) fn make_guest_if_any(
    name: &str,
    size: usize,
    context: &Context,
) -> Result<Option<Guest>> {
    match make_sized_guest(name, size as u32, context) {
        Ok(guest) => Ok(Some(guest)),
        // One process fewer or more may suit the pattern.
        Err(Error::Input { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A machine and a routing, ready to measure orderings.
pub struct Slowdowns<'f> {
    pub(super) fabric: &'f Fabric<'f>,
    pub(super) options: SlowdownOptions,
    pub(super) router: WindowRouter<'f>,
    /// Capacity of every link; `None` if they differ.
    capacity: Option<f64>,
}

/// Slowdowns of one window.
#[derive(Clone, Copy)]
pub(super) struct WindowSlowdowns {
    alone: f64,
    pub mixed: f64,
    all: f64,
    at_duties: [f64; DUTY_STEPS],
}

/// Sums of the slowdowns of windows of one size.
#[derive(Default)]
struct WindowSums {
    alone: f64,
    all: f64,
    at_duties: [f64; DUTY_STEPS],
    /// The `mixed` of each window.
    mixed: Vec<f64>,
}

/// A window of a tiling.
struct Window {
    /// Rank of the window's first node.
    first: usize,
    /// Time that the window's busiest node link needs.
    unblocked: f64,
    /// Places of its links in the loads of its piece.
    links: Range<usize>,
}

/// Windows that one thread finds one after the other.
struct WindowPiece {
    windows: Vec<Window>,
    /// Loads of the windows' links; `None` if they were not kept and must be found again.
    loads: Option<LinkLoads>,
}

impl<'f> Slowdowns<'f> {
    /// Prepares the routing on a machine.
    ///
    /// # Errors
    /// A machine that does not suit the routing; a duty that is no share; more memory than allowed.
    pub fn new(fabric: &'f Fabric<'f>, options: SlowdownOptions) -> Result<Self> {
        options.check_duty()?;
        let links = fabric.links;
        let first = (!links.is_empty()).then(|| links.capacity(0));
        let alike = |capacity: &f64| (1..links.len()).all(|i| links.capacity(i) == *capacity);
        Ok(Slowdowns {
            fabric,
            options,
            router: WindowRouter::new(fabric, options.routing)?,
            capacity: first.filter(alike),
        })
    }

    /// Measures the slowdowns of `order` at each of `sizes`, for the guest `name`, of which
    /// [`make_sized_guest`] makes one of every size.
    ///
    /// # Errors
    /// An unknown guest; more memory than allowed.
    ///
    /// # Complexity
    /// The loads of all windows of all tilings, found once, or twice on large machines; memory for one number for each
    /// link, and for the links of the windows of a tiling as far as they are kept.
    pub fn measure_curve(
        &self,
        order: &NodeOrder,
        name: &str,
        sizes: &[usize],
    ) -> Result<SlowdownCurve> {
        self.measure_tilings(order, name, sizes, self.options.tilings)
    }

    /// Measures a curve as [`Slowdowns::measure_curve`] does, over `tilings`.
    pub(super) fn measure_tilings(
        &self,
        order: &NodeOrder,
        name: &str,
        sizes: &[usize],
        tilings: Tilings,
    ) -> Result<SlowdownCurve> {
        let topology = self.fabric.topology;
        let links = self.fabric.links.len() as u64;
        let batch = 12 * links * BATCH[0] as u64;
        topology.require_memory(
            "loads of windows",
            8 * links + 12 * KEPT_LOADS as u64 + batch,
        )?;
        check_sized_guest(name)?;
        let mut curve = SlowdownCurve::default();
        // From the largest on: its loads take most memory, and what smaller ones leave behind would be on top of it.
        for size in sizes.iter().rev() {
            let Some(guest) = make_guest_if_any(name, *size, topology.context())? else {
                curve.absent.push(*size);
                continue;
            };
            let mut sums = WindowSums::default();
            for starts in tilings.window_starts(order.len(), *size) {
                let before = sums.mixed.len();
                self.measure_tiling(order, &guest, &starts, &mut sums)?;
                curve.left_out += (starts.len() + before - sums.mixed.len()) as u64;
            }
            match sums.make_point(*size) {
                Some(point) => curve.points.push(point),
                None => curve.absent.push(*size),
            }
        }
        curve.points.reverse();
        curve.absent.reverse();
        Ok(curve)
    }

    /// Adds to `sums` the windows of one tiling that begin at `starts`, without those that are left out.
    fn measure_tiling(
        &self,
        order: &NodeOrder,
        guest: &Guest,
        starts: &[usize],
        sums: &mut WindowSums,
    ) -> Result<()> {
        let size = guest.processes() as usize;
        let nodes_from = |first: usize| &order.nodes()[first..first + size];
        let alike = self.time_if_alike(guest);
        let mut together = vec![0.0; self.fabric.links.len()];
        let mut kept_loads = 0;
        let mut pieces = Vec::new();
        let mut left = starts;
        let mut most_links = BATCH_LOADS;
        while !left.is_empty() {
            let count = (BATCH_LOADS / most_links).clamp(BATCH[0], BATCH[1]);
            let (batch, rest) = left.split_at(count.min(left.len()));
            left = rest;
            most_links = 1;
            unwind_if_stopped();
            let found: Vec<WindowPiece> = batch
                .par_chunks(count.div_ceil(PIECES))
                .map(|starts| self.load_piece(guest, &nodes_from, starts, alike))
                .collect::<Result<_>>()?;
            // In the order of the windows, so that the number of threads does not show in the last bits.
            for mut piece in found {
                if let Some(loads) = &piece.loads {
                    for (link, load) in loads.iter_all() {
                        together[link] += load;
                    }
                    kept_loads += loads.link_count();
                }
                let link_counts = piece.windows.iter().map(|window| window.links.len());
                most_links = most_links.max(link_counts.max().unwrap_or(0));
                if kept_loads > KEPT_LOADS {
                    piece.loads = None;
                }
                pieces.push(piece);
            }
        }
        for pieces in pieces.chunks(JUDGED) {
            let judged: Vec<Vec<WindowSlowdowns>> = pieces
                .par_iter()
                .map(|piece| self.judge_piece(guest, &nodes_from, piece, &together))
                .collect::<Result<_>>()?;
            for window in judged.iter().flatten() {
                sums.add_window(window);
            }
        }
        Ok(())
    }

    /// Finds the loads of the windows that begin at `starts`, without those that are left out.
    fn load_piece<'o>(
        &self,
        guest: &Guest,
        nodes_from: &dyn Fn(usize) -> &'o [NodeId],
        starts: &[usize],
        alike: Option<f64>,
    ) -> Result<WindowPiece> {
        let mut windows = Vec::with_capacity(starts.len());
        let mut loads = LinkLoads::default();
        for first in starts {
            let nodes = nodes_from(*first);
            let Some(unblocked) = self.time_unblocked(guest, nodes, alike)? else {
                continue;
            };
            let before = loads.link_count();
            self.router.add_loads(guest, nodes, &mut loads)?;
            windows.push(Window {
                first: *first,
                unblocked,
                links: before..loads.link_count(),
            });
        }
        loads.shrink_to_fit();
        Ok(WindowPiece {
            windows,
            loads: Some(loads),
        })
    }

    /// Judges the windows of a piece, whose loads are found again where they were not kept.
    fn judge_piece<'o>(
        &self,
        guest: &Guest,
        nodes_from: &dyn Fn(usize) -> &'o [NodeId],
        piece: &WindowPiece,
        together: &[f64],
    ) -> Result<Vec<WindowSlowdowns>> {
        let mut judged = Vec::with_capacity(piece.windows.len());
        let mut found_again = LinkLoads::default();
        for window in &piece.windows {
            let links = match &piece.loads {
                Some(loads) => loads.iter_links(window.links.clone()),
                None => {
                    found_again.clear();
                    let nodes = nodes_from(window.first);
                    self.router.add_loads(guest, nodes, &mut found_again)?;
                    found_again.iter_links(0..found_again.link_count())
                }
            };
            judged.push(self.judge_window(links, window.unblocked, together));
        }
        Ok(judged)
    }

    /// Finds the time that the busiest node link of a window needs; `None` if the window is left out.
    pub(super) fn time_unblocked(
        &self,
        guest: &Guest,
        nodes: &[NodeId],
        alike: Option<f64>,
    ) -> Result<Option<f64>> {
        let topology = self.fabric.topology;
        // No route leads from one component to another.
        if !topology.within_one_component(nodes.iter().copied()) {
            return Ok(None);
        }
        let unblocked = match alike {
            Some(time) => time,
            None => {
                let mapping = ProcessMapping::new(topology, "window", nodes.to_vec())?;
                let loads = NodeLoads::sum_node_links(topology, guest, &mapping);
                let times = loads.nodes.iter().map(|(node, sent, received)| {
                    sent.max(*received) / topology.network().capacity_of_node(*node)
                });
                times.fold(0.0, f64::max)
            }
        };
        // Nothing is sent over node links: there is no time to compare with.
        Ok((unblocked != 0.0).then_some(unblocked))
    }

    /// Computes the time of the busiest node link where it is the same for every window: each process has a node link
    /// of its own, and all have one capacity. `None` on rails, in domains and with capacities of several kinds, where
    /// it depends on the nodes.
    pub(super) fn time_if_alike(&self, guest: &Guest) -> Option<f64> {
        let network = self.fabric.topology.network();
        if network.rails().is_some() || network.has_own_node_capacities() {
            return None;
        }
        let capacity = network.node_capacity();
        let count = guest.processes() as usize;
        if let Traffic::AllToAll { volume } = guest.traffic() {
            return Some(count.saturating_sub(1) as f64 * volume / capacity);
        }
        let mut sent = vec![0.0; count];
        let mut received = vec![0.0; count];
        guest.for_each_message(|message| {
            sent[message.source as usize] += message.volume;
            received[message.target as usize] += message.volume;
        });
        Some(sent.into_iter().chain(received).fold(0.0, f64::max) / capacity)
    }

    /// Computes the slowdowns of a window from the loads of its links and those of all windows together.
    pub(super) fn judge_window(
        &self,
        links: impl Iterator<Item = (usize, f64)>,
        unblocked: f64,
        together: &[f64],
    ) -> WindowSlowdowns {
        let mut found = WindowSlowdowns {
            alone: 1.0,
            mixed: 1.0,
            all: 1.0,
            at_duties: [1.0; DUTY_STEPS],
        };
        // The link with the highest `mixed`: its own load, that of the others, and its capacity.
        let mut highest = 0.0;
        let mut leader = [0.0, 0.0, f64::MAX];
        for (link, own) in links {
            let capacity = match self.capacity {
                Some(capacity) => capacity,
                None => self.fabric.links.capacity(link),
            };
            // Rounding may leave less than the window's own load.
            let others = (together[link] - own).max(0.0);
            // Nowhere above another link: so are most, which need not be looked at duty by duty.
            if own <= leader[0] && others <= leader[1] && capacity >= leader[2] {
                continue;
            }
            let scale = capacity * unblocked;
            let alone = own / scale;
            let beside = others / scale;
            let mixed = (own + self.options.duty * others) / scale;
            if mixed > highest {
                highest = mixed;
                leader = [own, others, capacity];
            }
            found.alone = found.alone.max(alone);
            found.mixed = found.mixed.max(mixed);
            found.all = found.all.max((own + others) / scale);
            let step = beside / (DUTY_STEPS - 1) as f64;
            for (i, highest) in found.at_duties.iter_mut().enumerate() {
                *highest = highest.max(alone + i as f64 * step);
            }
        }
        found
    }
}

impl WindowSums {
    fn add_window(&mut self, window: &WindowSlowdowns) {
        self.alone += window.alone;
        self.all += window.all;
        self.mixed.push(window.mixed);
        for (sum, slowdown) in self.at_duties.iter_mut().zip(window.at_duties) {
            *sum += slowdown;
        }
    }

    /// Summarises windows of one size; `None` without a window.
    fn make_point(mut self, size: usize) -> Option<SlowdownPoint> {
        let count = self.mixed.len() as f64;
        let mixed = self.mixed.iter().sum::<f64>() / count;
        self.mixed.sort_unstable_by(f64::total_cmp);
        Some(SlowdownPoint {
            size,
            windows: self.mixed.len() as u64,
            alone: self.alone / count,
            mixed,
            all: self.all / count,
            mixed_max: *self.mixed.last()?,
            mixed_p90: self.mixed[(self.mixed.len() * 90).div_ceil(100) - 1],
            at_duties: self.at_duties.map(|sum| sum / count),
        })
    }
}
