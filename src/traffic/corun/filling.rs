//! Max-min fair rates of flows (progressive filling), kept up to date as flows come and go.
//!
//! A flow is the messages of one job on one route. The rule: the rates of all flows rise together from 0, that of a
//! flow of weight w at the *level* x being x · w. A flow stops rising when a link on its route is full, or when its
//! rate reaches the bound of a single message; it keeps the rate of that level, its *stop level*.
//!
//! ```text
//! link 1 (capacity 6):  flows A, B        level 3: link 1 is full (3 + 3), A and B stop at rate 3
//! link 2 (capacity 10): flows B, C        level 7: link 2 is full (3 + 7), C stops at rate 7
//! ```
//!
//! A change is not followed by filling everything anew. Up to the lowest level at which the change can be felt,
//! the *floor*, filling goes as before; only flows with a stop level from there on can get another rate, and of these
//! only the ones that a chain of links joins to the change:
//!
//! - A flow that ends is felt from its stop level on. Above, when C ends (level 7), A and B keep their rates; when B
//!   ends (level 3), A and C are filled anew, to 6 and 10.
//! - A flow that starts is felt from the level on at which a link of its route would be full if all flows on it rose
//!   together: below, it fills no link.
//!
//! So [`MaxMinRates::update_rates`] finds the floor, collects the flows above it that the change reaches with what
//! the others leave of their links, and fills those links in the order of the levels at which they are full.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::{replace, take};
use std::ops::Range;

/// A flow: messages of one job on one route, all at one rate.
#[derive(Clone, Debug)]
struct FlowState {
    /// Route of the flow, as indices in [`MaxMinRates::hops`].
    hops: Range<usize>,
    /// Rate of a message over the level while it rises.
    weight: f64,
    /// Number of messages in flight; 0 if nothing is sent.
    count: f64,
    /// Bytes a second of each message.
    rate: f64,
    /// Stop level; infinite while the flow rises.
    level: f64,
    /// [`MaxMinRates::stamp`] of the last update that collected it.
    stamp: u32,
}

/// A link during an update.
#[derive(Clone, Copy, Debug, Default)]
struct LinkFill {
    /// Capacity that stopped flows leave, in bytes a second.
    left: f64,
    /// Bytes a second that the rising flows take together for each unit of level.
    asked: f64,
    /// Number of rising flows.
    open: u32,
    /// [`MaxMinRates::stamp`] of the last step that met it.
    stamp: u32,
}

/// A link on the route of a flow.
#[derive(Clone, Copy, Debug)]
struct RouteHop {
    link: u32,
    /// Part of each message's bytes that goes over the link.
    share: f64,
    /// Index of the flow in the link's list [`MaxMinRates::flows_on_link`], while it sends.
    index: u32,
}

/// A flow in the list of a link.
#[derive(Clone, Copy, Debug)]
struct FlowOnLink {
    flow: u32,
    /// Index of the link's [`RouteHop`] in [`MaxMinRates::hops`].
    hop: u32,
    /// As [`RouteHop::share`].
    share: f64,
}

/// Flows on links, with their max-min fair rates.
#[derive(Clone, Debug, Default)]
pub struct MaxMinRates {
    /// Bytes a second by link.
    capacity: Vec<f64>,
    /// Bytes a second that no single message exceeds.
    bound: f64,
    flows: Vec<FlowState>,
    /// The routes of all flows, one after the other.
    hops: Vec<RouteHop>,
    /// By link: the flows that send over it now.
    flows_on_link: Vec<Vec<FlowOnLink>>,
    links: Vec<LinkFill>,
    /// Number of the current step: links and flows that carry it have been met, which spares clearing marks.
    stamp: u32,
    /// Links of flows that ended or started since the last update; during one, all links that are filled anew.
    changed_links: Vec<u32>,
    /// Flows that started since the last update.
    started: Vec<u32>,
    /// Lowest stop level of the flows that ended since the last update.
    lowest_end: f64,
    /// Flows whose rates the update computes anew.
    rising: Vec<u32>,
    /// Links by the level at which they are full, as the bits of the number (levels are not negative, so the bits
    /// order them).
    full_at: BinaryHeap<Reverse<(u64, u32)>>,
}

impl MaxMinRates {
    /// Creates flows that send nothing yet. `routes` gives the links of each flow, with shares, and its weight.
    pub fn new<'a>(
        capacity: Vec<f64>,
        bound: f64,
        routes: impl Iterator<Item = (&'a [(u32, f64)], f64)>,
    ) -> Self {
        let mut filling = MaxMinRates {
            flows_on_link: vec![Vec::new(); capacity.len()],
            links: vec![LinkFill::default(); capacity.len()],
            lowest_end: f64::INFINITY,
            capacity,
            bound,
            ..MaxMinRates::default()
        };
        for (route, weight) in routes {
            let first = filling.hops.len();
            for (link, share) in route {
                filling.hops.push(RouteHop {
                    link: *link,
                    share: *share,
                    index: 0,
                });
            }
            filling.flows.push(FlowState {
                hops: first..filling.hops.len(),
                weight,
                count: 0.0,
                rate: 0.0,
                level: f64::INFINITY,
                stamp: 0,
            });
        }
        filling
    }

    /// Adds up the bytes a second that a link carries now.
    #[cfg(test)]
    pub fn carried_rate(&self, link: usize) -> f64 {
        let mut used = 0.0;
        for on in &self.flows_on_link[link] {
            let flow = &self.flows[on.flow as usize];
            used += on.share * flow.count * flow.rate;
        }
        used
    }

    /// Checks whether a flow's route has any link; one without is not filled here.
    pub fn has_links(&self, flow: u32) -> bool {
        !self.flows[flow as usize].hops.is_empty()
    }

    /// Starts `count` messages of a flow that sends nothing. Rates hold from the next
    /// [`MaxMinRates::update_rates`] on.
    pub fn start_messages(&mut self, flow: u32, count: f64) {
        let state = &mut self.flows[flow as usize];
        state.count = count;
        state.rate = 0.0;
        state.level = f64::INFINITY;
        for i in state.hops.clone() {
            let hop = &mut self.hops[i];
            let flows = &mut self.flows_on_link[hop.link as usize];
            hop.index = flows.len() as u32;
            flows.push(FlowOnLink {
                flow,
                hop: i as u32,
                share: hop.share,
            });
        }
        self.started.push(flow);
    }

    /// Ends `count` messages of a flow. Rates hold from the next [`MaxMinRates::update_rates`] on.
    pub fn end_messages(&mut self, flow: u32, count: f64) {
        let state = &mut self.flows[flow as usize];
        state.count -= count;
        self.lowest_end = self.lowest_end.min(state.level);
        for i in state.hops.clone() {
            let RouteHop { link, index, .. } = self.hops[i];
            self.changed_links.push(link);
            if state.count > 0.0 {
                continue;
            }
            let flows = &mut self.flows_on_link[link as usize];
            flows.swap_remove(index as usize);
            // The last entry of the list now stands where the flow stood.
            if let Some(moved) = flows.get(index as usize) {
                self.hops[moved.hop as usize].index = index;
            }
        }
    }

    /// Brings all rates up to date and calls `changed` with each flow that has another rate than before, and the rate.
    ///
    /// # Complexity
    /// O(c log l), c links on the routes of the flows that are filled anew and of those beside them, l links.
    pub fn update_rates(&mut self, mut changed: impl FnMut(u32, f64)) {
        let floor = self.find_floor();
        self.collect_rising_flows(floor);
        self.fill_links(&mut changed);
    }

    /// Finds the lowest level at which the changes since the last update can be felt.
    fn find_floor(&mut self) -> f64 {
        let mut floor = replace(&mut self.lowest_end, f64::INFINITY);
        // A stamp of its own: the flows of a link are added up once, however many of them are new.
        self.stamp += 1;
        let mut started = take(&mut self.started);
        for flow in started.drain(..) {
            for hop in &self.hops[self.flows[flow as usize].hops.clone()] {
                let link = hop.link as usize;
                if replace(&mut self.links[link].stamp, self.stamp) == self.stamp {
                    continue;
                }
                let mut asked = 0.0;
                for on in &self.flows_on_link[link] {
                    let other = &self.flows[on.flow as usize];
                    asked += on.share * other.count * other.weight;
                }
                floor = floor.min(self.capacity[link] / asked);
                self.changed_links.push(hop.link);
            }
        }
        self.started = started;
        // Levels that differ by rounding alone are one.
        floor * (1.0 - 1e-9)
    }

    /// Collects the flows from `floor` on that links join to the changes, and what the other flows leave of those
    /// links.
    fn collect_rising_flows(&mut self, floor: f64) {
        self.stamp += 1;
        let stamp = self.stamp;
        self.rising.clear();
        self.full_at.clear();
        let links = &mut self.links;
        self.changed_links
            .retain(|link| replace(&mut links[*link as usize].stamp, stamp) != stamp);
        // The list grows while it is read: each rising flow adds the links of its route.
        let mut next = 0;
        while let Some(link) = self.changed_links.get(next).copied() {
            next += 1;
            let mut fill = LinkFill {
                left: self.capacity[link as usize],
                asked: 0.0,
                open: 0,
                stamp,
            };
            for on in &self.flows_on_link[link as usize] {
                let flow = &mut self.flows[on.flow as usize];
                let part = on.share * flow.count;
                if flow.level < floor {
                    fill.left -= part * flow.rate;
                    continue;
                }
                fill.asked += part * flow.weight;
                fill.open += 1;
                if replace(&mut flow.stamp, stamp) == stamp {
                    continue;
                }
                flow.level = f64::INFINITY;
                self.rising.push(on.flow);
                for hop in &self.hops[flow.hops.clone()] {
                    let met = &mut self.links[hop.link as usize].stamp;
                    if replace(met, stamp) != stamp {
                        self.changed_links.push(hop.link);
                    }
                }
            }
            if fill.open > 0 {
                // Rounding may leave a trace below 0 of a link that others fill.
                let level = f64::max(fill.left / fill.asked, 0.0);
                self.full_at.push(Reverse((level.to_bits(), link)));
            }
            self.links[link as usize] = fill;
        }
        self.changed_links.clear();
    }

    /// Raises the collected flows until each has stopped, link by link in the order in which they are full.
    fn fill_links(&mut self, changed: &mut impl FnMut(u32, f64)) {
        let mut rising = take(&mut self.rising);
        let mut sorted = false;
        // The first `stopped` flows of the sorted list have reached their bounds, the next one does at `next_bound`.
        let mut stopped = 0;
        let mut next_bound = rising
            .iter()
            .map(|flow| self.bound_level(*flow))
            .fold(f64::INFINITY, f64::min);
        let mut last = 0.0;
        while let Some(Reverse((key, link))) = self.full_at.pop() {
            let fill = self.links[link as usize];
            if fill.open == 0 {
                continue;
            }
            // Levels rise; where rounding lets one fall, it is the last.
            let level = f64::max(fill.left / fill.asked, last);
            // Flows have stopped since the link was queued, so it is full later, and another one may be before.
            let now = level.to_bits();
            let queued = self.full_at.peek();
            if now > key && queued.is_some_and(|Reverse((next, _))| *next < now) {
                self.full_at.push(Reverse((now, link)));
                continue;
            }
            if level > next_bound {
                // Most flows never reach their bound, so they are sorted only once one does.
                if !replace(&mut sorted, true) {
                    rising.sort_by(|a, b| self.bound_level(*a).total_cmp(&self.bound_level(*b)));
                }
                next_bound = f64::INFINITY;
                while let Some(flow) = rising.get(stopped).copied() {
                    let own = self.bound_level(flow);
                    if own >= level {
                        next_bound = own;
                        break;
                    }
                    stopped += 1;
                    if self.flows[flow as usize].level == f64::INFINITY {
                        last = own;
                        self.stop_flow(flow, own, self.bound, changed);
                    }
                }
                self.full_at.push(Reverse((now, link)));
                continue;
            }
            last = level;
            for i in 0..self.flows_on_link[link as usize].len() {
                let flow = self.flows_on_link[link as usize][i].flow;
                let state = &self.flows[flow as usize];
                if state.level == f64::INFINITY {
                    let rate = (level * state.weight).min(self.bound);
                    self.stop_flow(flow, level, rate, changed);
                }
            }
        }
        self.rising = rising;
    }

    /// Computes the level at which a message of the flow reaches the bound.
    fn bound_level(&self, flow: u32) -> f64 {
        self.bound / self.flows[flow as usize].weight
    }

    /// Stops a rising flow at a level, and takes its rate off its links.
    fn stop_flow(&mut self, flow: u32, level: f64, rate: f64, changed: &mut impl FnMut(u32, f64)) {
        let state = &mut self.flows[flow as usize];
        state.level = level;
        for hop in &self.hops[state.hops.clone()] {
            let link = &mut self.links[hop.link as usize];
            let part = hop.share * state.count;
            link.left -= part * rate;
            link.asked -= part * state.weight;
            link.open -= 1;
        }
        if rate != state.rate {
            state.rate = rate;
            changed(flow, rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Progressive filling as it is defined: step by step, everything anew.
    fn plain(filling: &MaxMinRates) -> Vec<f64> {
        let slots = &filling.flows;
        let mut rates: Vec<Option<f64>> = slots
            .iter()
            .map(|s| (s.count <= 0.0).then_some(0.0))
            .collect();
        while rates.contains(&None) {
            let mut level = f64::INFINITY;
            let mut stops = Vec::new();
            let mut offer = |at: f64, which: Vec<usize>| {
                if at < level * (1.0 - 1e-12) {
                    level = at;
                    stops.clear();
                }
                if at <= level * (1.0 + 1e-12) {
                    stops.extend(which);
                }
            };
            for (l, capacity) in filling.capacity.iter().enumerate() {
                let (mut left, mut asked, mut open) = (*capacity, 0.0, Vec::new());
                let crossings = slots.iter().enumerate().flat_map(|(i, slot)| {
                    filling.hops[slot.hops.clone()]
                        .iter()
                        .map(move |c| (i, slot, c))
                });
                for (i, slot, c) in crossings.filter(|(.., c)| c.link as usize == l) {
                    match rates[i] {
                        Some(rate) => left -= rate * slot.count * c.share,
                        None => {
                            asked += slot.count * c.share * slot.weight;
                            open.push(i);
                        }
                    }
                }
                if !open.is_empty() {
                    offer(left / asked, open);
                }
            }
            for (i, slot) in slots
                .iter()
                .enumerate()
                .filter(|(i, _)| rates[*i].is_none())
            {
                offer(filling.bound / slot.weight, vec![i]);
            }
            for i in stops {
                rates[i] = rates[i].or(Some(level * slots[i].weight));
            }
        }
        rates.into_iter().map(|rate| rate.unwrap_or(0.0)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Flows that come and go in any order have the rates that all of them would get anew.
        #[test]
        fn changes_lead_where_filling_anew_does(
            capacity in prop::collection::vec(0.5f64..4.0, 6),
            routes in prop::collection::vec(
                (prop::collection::btree_map(0u32..6, prop_oneof![Just(1.0), Just(0.5), 0.1f64..1.0], 1..4),
                 prop_oneof![Just(1.0), Just(0.5), 0.2f64..1.0], 1u32..4), 1..14),
            bound in prop_oneof![Just(1.0), Just(100.0), 0.05f64..2.0],
            steps in prop::collection::vec((0usize..14, 1usize..3), 1..40),
        ) {
            let lists: Vec<Vec<(u32, f64)>> =
                routes.iter().map(|(r, ..)| r.iter().map(|(l, s)| (*l, *s)).collect()).collect();
            let weights = routes.iter().map(|(_, weight, _)| *weight);
            let mut filling =
                MaxMinRates::new(capacity, bound, lists.iter().map(Vec::as_slice).zip(weights));
            let mut rates = vec![0.0; routes.len()];
            let mut sent = vec![0u32; routes.len()];
            let mut left = 0;
            for (slot, together) in steps {
                let slot = slot % routes.len();
                if sent[slot] == 0 {
                    sent[slot] = routes[slot].2;
                    filling.start_messages(slot as u32, f64::from(sent[slot]));
                } else {
                    sent[slot] -= 1;
                    filling.end_messages(slot as u32, 1.0);
                }
                left += 1;
                if left < together {
                    continue;
                }
                left = 0;
                filling.update_rates(|slot, rate| rates[slot as usize] = rate);
                for (i, (rate, exact)) in rates.iter().zip(plain(&filling)).enumerate() {
                    if sent[i] > 0 {
                        prop_assert!((rate - exact).abs() <= 1e-9 * exact, "{i}: {rate} {exact}");
                    }
                }
            }
        }
    }
}
