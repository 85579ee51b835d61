//! Slowdown as the objective of a search for orderings: loads are kept by window, so that a move costs what it changes.
//!
//! A move changes few windows of each tiling. Their loads are found anew and the difference is added to the sum over
//! the tiling; only windows with a load on a link whose sum has changed are judged anew.

use std::any::Any;

use rayon::prelude::*;

use super::choices::choose_routing;
use super::curve::integrate_octaves;
use super::link_loads::LinkLoads;
use super::measure::{SlowdownOptions, Slowdowns, make_guest_if_any};
use super::tiling::{Tilings, power_sizes};
use crate::mapping::guest::sized_names;
use crate::mapping::{Fabric, Guest, Traffic};
use nodeorder_base::{NodeId, Params, Result};
use nodeorder_network::Topology;
use nodeorder_order::ordering::{MakeRater, OrderObjective, OrderRater, RateOrders};

/// Mean slowdown of bursts, as the objective of `optimise:objective=slowdown`: the log-uniform mean of `mixed` over the
/// powers of two and all nodes, or the mean over given job sizes, between which the curve is straight over ln(size).
///
/// # Examples
/// ```
/// use nodeorder_network::{Context, Topology};
/// use nodeorder_order::NodeOrder;
/// use nodeorder_traffic::slowdown::SLOWDOWN;
/// let context = Context { objective: Some(SLOWDOWN), ..Context::default() };
/// let machine = Topology::inline("dragonfly:p=2,a=4,h=2", &context)?;
/// let order = NodeOrder::make(&machine, "optimise:objective=slowdown,steps=100")?;
/// assert_eq!(order.len(), 72);
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub const SLOWDOWN: &(dyn Any + Send + Sync) = &OrderObjective {
    read_options: read_guest,
};

/// Slowdown of one guest under options.
struct GuestSlowdown {
    guest: &'static str,
    options: SlowdownOptions,
}

/// Reads and checks the options of the slowdown of a guest.
fn read_guest(topology: &Topology, params: &Params) -> Result<Box<dyn RateOrders>> {
    let guest = params.optional_word("guest")?.unwrap_or_default();
    let names = sized_names();
    let guest = params.find_choice("guest", &guest, &names)?;
    let name = params.optional_word("routing")?;
    let routing = choose_routing(topology, name.as_deref()).map_err(|error| {
        let text = name.as_deref().unwrap_or_default();
        error.locate_text_error(text, &params.location_of("routing"))
    })?;
    routing.check_machine(topology)?;
    let mut options = SlowdownOptions::new(routing);
    options.duty = params.required_real("duty", 0.0, 1.0)?;
    options.tilings = Tilings::new(params.required_integer("tilings", 1, 4)?)
        .map_err(|_| params.invalid_value("tilings", "1, 2 or 4"))?;
    Ok(Box::new(GuestSlowdown { guest, options }))
}

impl RateOrders for GuestSlowdown {
    fn describe(&self) -> String {
        let SlowdownOptions {
            routing,
            duty,
            tilings,
        } = &self.options;
        format!(
            "slowdown: guest {}, routing {}, duty {duty}, tilings {}",
            self.guest,
            routing.name(),
            tilings.tiling_count()
        )
    }

    fn prepare(
        &self,
        topology: &Topology,
        shares: Option<&[(u32, f64)]>,
        search: &mut dyn FnMut(&MakeRater<'_>) -> Result<()>,
    ) -> Result<()> {
        let fabric = Fabric::new(topology)?;
        let slowdowns = Slowdowns::new(&fabric, self.options)?;
        let mut guests = Vec::new();
        for size in power_sizes(topology.node_count()) {
            guests.extend(make_guest_if_any(self.guest, size, topology.context())?);
        }
        search(&|| Box::new(SlowdownRater::new(&slowdowns, &guests, shares)))
    }
}

/// The slowdown of one order after the other.
pub(super) struct SlowdownRater<'s> {
    slowdowns: &'s Slowdowns<'s>,
    guests: &'s [Guest],
    shares: Option<&'s [(u32, f64)]>,
    order: Vec<NodeId>,
    /// Order before the last one.
    before: Vec<NodeId>,
    tilings: Vec<RatedTiling<'s>>,
    /// Whether the sum of a link's loads changes in the tiling at hand.
    is_changed: Vec<bool>,
}

/// A window that is not left out.
struct RatedWindow {
    /// Time that its busiest node link needs.
    unblocked: f64,
    loads: LinkLoads,
}

/// A tiling with the loads of its windows.
struct RatedTiling<'s> {
    guest: &'s Guest,
    /// Time of the busiest node link where it is that of every window.
    alike: Option<f64>,
    /// First ranks of the windows.
    starts: Vec<usize>,
    /// Windows; `None` where one is left out.
    windows: Vec<Option<RatedWindow>>,
    /// Slowdown of each window.
    mixed: Vec<f64>,
    /// Load of each link from all windows.
    together: Vec<f64>,
    /// What the last order changed.
    before: ChangedParts,
}

/// Windows, slowdowns and sums of links as they were before the last order.
#[derive(Default)]
struct ChangedParts {
    windows: Vec<(usize, Option<RatedWindow>)>,
    mixed: Vec<(usize, f64)>,
    sums: Vec<(usize, f64)>,
}

impl<'s> SlowdownRater<'s> {
    /// Makes a rater that knows no order yet, of guests by ascending size; `shares` weighs job sizes.
    pub fn new(
        slowdowns: &'s Slowdowns<'s>,
        guests: &'s [Guest],
        shares: Option<&'s [(u32, f64)]>,
    ) -> Self {
        SlowdownRater {
            slowdowns,
            guests,
            shares,
            order: Vec::new(),
            before: Vec::new(),
            tilings: Vec::new(),
            is_changed: vec![false; slowdowns.fabric.links.len()],
        }
    }

    /// Cuts the ranks of the first order.
    ///
    /// # Errors
    /// More memory than allowed for the loads of windows, by those of nodes spread over the machine.
    fn cut_tilings(&mut self, order: &[NodeId]) -> Result<()> {
        let links = self.is_changed.len();
        let mut bytes = 0;
        for guest in self.guests {
            let size = guest.processes() as usize;
            let spread: Vec<NodeId> = (0..size).map(|i| order[i * order.len() / size]).collect();
            let mut loads = LinkLoads::default();
            let router = &self.slowdowns.router;
            router.add_loads(guest, &spread, &mut loads)?;
            let tilings = self.slowdowns.options.tilings;
            for starts in tilings.window_starts(order.len(), size) {
                bytes += 8 * links + 12 * starts.len() * loads.link_count();
                let topology = self.slowdowns.fabric.topology;
                topology.require_memory("the loads of all windows", bytes as u64)?;
                self.tilings.push(RatedTiling {
                    guest,
                    alike: self.slowdowns.time_if_alike(guest),
                    windows: starts.iter().map(|_| None).collect(),
                    mixed: vec![0.0; starts.len()],
                    together: vec![0.0; links],
                    starts,
                    before: ChangedParts::default(),
                });
            }
        }
        Ok(())
    }

    /// Weighs the values of guests, some of which have none: `None` without a value.
    fn weigh_sizes(&self, value: impl Fn(&'s Guest) -> Option<f64>) -> f64 {
        let guests = self.guests.iter();
        let points: Vec<(usize, f64)> = guests
            .filter_map(|guest| Some((guest.processes() as usize, value(guest)?)))
            .collect();
        let mean = match self.shares {
            None => integrate_octaves(&points),
            Some(shares) => {
                let values = shares
                    .iter()
                    .map(|(size, share)| Some(share * read_curve(&points, *size as usize)?));
                values.sum()
            }
        };
        // Where nothing is sent over links, nothing is slowed down. Rounding may leave less than 1.
        mean.map_or(1.0, |mean| mean.max(1.0))
    }

    /// Computes the mean over the windows of a guest's size.
    fn mean_of(&self, guest: &Guest) -> Option<f64> {
        let mut sum = 0.0;
        let mut count = 0;
        for tiling in &self.tilings {
            if std::ptr::eq(tiling.guest, guest) {
                sum += tiling.mixed.iter().sum::<f64>();
                count += tiling.windows.iter().flatten().count();
            }
        }
        (count > 0).then(|| sum / count as f64)
    }
}

impl OrderRater for SlowdownRater<'_> {
    fn rate_order(&mut self, order: &[NodeId]) -> Result<f64> {
        if self.tilings.is_empty() {
            self.cut_tilings(order)?;
        }
        self.before = std::mem::replace(&mut self.order, order.to_vec());
        for tiling in &mut self.tilings {
            tiling.change_order(self.slowdowns, &self.before, order, &mut self.is_changed)?;
        }
        Ok(self.weigh_sizes(|guest| self.mean_of(guest)))
    }

    fn take_back(&mut self) {
        self.order = std::mem::take(&mut self.before);
        self.tilings.iter_mut().for_each(RatedTiling::take_back);
    }

    fn lower_bound(&self) -> f64 {
        self.weigh_sizes(|guest| {
            // All nodes are the same window in every order, and each sends to each.
            let is_fixed = guest.processes() as usize == self.order.len() && is_symmetric(guest);
            let mean = is_fixed.then(|| self.mean_of(guest)).flatten();
            Some(mean.unwrap_or(1.0))
        })
    }
}

impl RatedTiling<'_> {
    /// Finds the loads of the windows whose nodes changed, and judges those that this touches.
    fn change_order(
        &mut self,
        slowdowns: &Slowdowns<'_>,
        old: &[NodeId],
        new: &[NodeId],
        is_changed: &mut [bool],
    ) -> Result<()> {
        self.before = ChangedParts::default();
        let size = self.guest.processes() as usize;
        let alike = self.alike;
        let guest = self.guest;
        // All ranks that change stand from the first to the last: a window with both has the same nodes.
        let differs = |rank: &usize| old.get(*rank) != new.get(*rank);
        let first = (0..new.len()).find(differs);
        let last = (0..new.len()).rfind(differs);
        let is_same_set = |start: usize| {
            let inside =
                |rank: Option<usize>| rank.is_some_and(|r| (start..start + size).contains(&r));
            !old.is_empty() && is_symmetric(guest) && inside(first) && inside(last)
        };
        let starts = self.starts.iter().copied().enumerate();
        let touched: Vec<(usize, usize)> = starts
            .filter(|(_, start)| {
                let ranks = *start..start + size;
                old.get(ranks.clone()) != new.get(ranks) && !is_same_set(*start)
            })
            .collect();
        let found: Vec<Option<RatedWindow>> = touched
            .par_iter()
            .map(|(_, start)| {
                let nodes = &new[*start..start + size];
                load_window(slowdowns, guest, nodes, alike)
            })
            .collect::<Result<_>>()?;
        for ((i, _), window) in touched.into_iter().zip(found) {
            let old = std::mem::replace(&mut self.windows[i], window);
            for (window, sign) in [(&old, -1.0), (&self.windows[i], 1.0)] {
                let links = window.iter().flat_map(|window| window.loads.iter_all());
                for (link, load) in links {
                    let sum = &mut self.together[link];
                    if !std::mem::replace(&mut is_changed[link], true) {
                        self.before.sums.push((link, *sum));
                    }
                    *sum += sign * load;
                }
            }
            self.before.windows.push((i, old));
        }
        let together = &self.together;
        let is_touched = &*is_changed;
        let windows = self
            .windows
            .par_iter()
            .zip(&self.mixed)
            .enumerate()
            .with_min_len(32);
        let judged = windows.filter_map(|(i, (window, before))| {
            let mixed = match window {
                None => 0.0,
                Some(window) => {
                    let loads = &window.loads;
                    let mut links = loads.links.iter();
                    // A window that has come to lie in one router has no links to tell.
                    let is_kept = *before > 0.0 && loads.link_count() > 0;
                    if is_kept && !links.any(|link| is_touched[*link as usize]) {
                        return None;
                    }
                    slowdowns
                        .judge_window(loads.iter_all(), window.unblocked, together)
                        .mixed
                }
            };
            (mixed != *before).then_some((i, mixed))
        });
        for (i, mixed) in judged.collect::<Vec<_>>() {
            let before = std::mem::replace(&mut self.mixed[i], mixed);
            self.before.mixed.push((i, before));
        }
        for (link, _) in &self.before.sums {
            is_changed[*link] = false;
        }
        Ok(())
    }

    /// Goes back to the order before the last one.
    fn take_back(&mut self) {
        let before = std::mem::take(&mut self.before);
        for (i, window) in before.windows {
            self.windows[i] = window;
        }
        for (i, mixed) in before.mixed {
            self.mixed[i] = mixed;
        }
        for (link, sum) in before.sums {
            self.together[link] = sum;
        }
    }
}

/// Checks whether every process sends to every other alike, so that a window's loads depend on its set of nodes alone.
fn is_symmetric(guest: &Guest) -> bool {
    matches!(guest.traffic(), Traffic::AllToAll { .. })
}

/// Finds the loads of a window; `None` if it is left out.
fn load_window(
    slowdowns: &Slowdowns<'_>,
    guest: &Guest,
    nodes: &[NodeId],
    alike: Option<f64>,
) -> Result<Option<RatedWindow>> {
    let Some(unblocked) = slowdowns.time_unblocked(guest, nodes, alike)? else {
        return Ok(None);
    };
    let mut loads = LinkLoads::default();
    slowdowns.router.add_loads(guest, nodes, &mut loads)?;
    Ok(Some(RatedWindow { unblocked, loads }))
}

/// Reads the value at `size` of a curve that is straight over ln(size) between its points, and level beyond them.
fn read_curve(points: &[(usize, f64)], size: usize) -> Option<f64> {
    let above = points.partition_point(|(at, _)| *at < size);
    let last = points.last()?;
    let (right, high) = points.get(above).unwrap_or(last);
    let (left, low) = points[above.saturating_sub(1)];
    if *right <= left {
        return Some(*high);
    }
    let part = (size as f64 / left as f64).ln() / (*right as f64 / left as f64).ln();
    Some(low + part * (high - low))
}
