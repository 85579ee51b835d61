//! Max-min fair rates of flows, kept up to date as flows come and go.
//!
//! Progressive filling raises the level of all flows together; a flow stops (at rate level · weight) when a link
//! that it crosses is full or its own bound is reached. After a change these keep their rates and are not filled again:
//!
//! - Flows that stopped below the level of a flow that leaves: up to there the filling goes as before.
//! - Flows that stopped below the level at which a new flow's links could first be full, if all on them rose
//!   together: up to there the new flow fills no link.
//! - Flows that no chain of links and of flows above those levels joins to the change.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Messages of one job on one route that go at one rate.
#[derive(Clone, Debug)]
struct Slot {
    /// Its links, in `Filling::routes`.
    first: usize,
    end: usize,
    weight: f64,
    /// How many messages; 0 where nothing is sent.
    count: f64,
    /// The rate of each of them.
    rate: f64,
    /// The level at which it stopped; infinite until then.
    level: f64,
    stamp: u32,
}

/// A link while it is filled.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    left: f64,
    asked: f64,
    /// Slots on it that have not stopped.
    open: u32,
    stamp: u32,
}

/// The load of a slot on a link.
#[derive(Clone, Copy, Debug)]
struct Crossing {
    link: u32,
    share: f64,
    /// Its index in the link's list of slots.
    index: u32,
}

/// Entry of a slot in a link's list.
#[derive(Clone, Copy, Debug)]
struct On {
    slot: u32,
    /// Index of its crossing in `Filling::routes`.
    crossing: u32,
    share: f64,
}

/// Rates of flows on links.
#[derive(Clone, Debug, Default)]
pub(super) struct Filling {
    capacity: Vec<f64>,
    /// The most that a single message gets.
    bound: f64,
    slots: Vec<Slot>,
    routes: Vec<Crossing>,
    /// Slots that send now, by link.
    on: Vec<Vec<On>>,
    links: Vec<Link>,
    stamp: u32,
    /// Links whose flows changed, those filled anew after them.
    touched: Vec<u32>,
    fresh: Vec<u32>,
    floor: f64,
    members: Vec<u32>,
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Filling {
    /// No flow on links of these capacities; `routes` are the links (with shares) and the weight of each slot.
    pub fn new<'a>(
        capacity: Vec<f64>,
        bound: f64,
        routes: impl Iterator<Item = (&'a [(u32, f64)], f64)>,
    ) -> Self {
        let (mut slots, mut crossings) = (Vec::new(), Vec::new());
        for (route, weight) in routes {
            let first = crossings.len();
            let crossing = |(link, share): &(u32, f64)| Crossing {
                link: *link,
                share: *share,
                index: 0,
            };
            crossings.extend(route.iter().map(crossing));
            let (end, level) = (crossings.len(), f64::INFINITY);
            slots.push(Slot {
                first,
                end,
                weight,
                count: 0.0,
                rate: 0.0,
                level,
                stamp: 0,
            });
        }
        let links = capacity.len();
        Filling {
            capacity,
            bound,
            slots,
            routes: crossings,
            on: vec![Vec::new(); links],
            links: vec![Link::default(); links],
            floor: f64::INFINITY,
            ..Filling::default()
        }
    }

    /// Bytes a second that a link carries now.
    #[cfg(test)]
    pub fn used(&self, link: usize) -> f64 {
        let part = |on: &On| {
            let slot = &self.slots[on.slot as usize];
            on.share * slot.count * slot.rate
        };
        self.on[link].iter().map(part).sum()
    }

    /// Whether a slot crosses any link.
    pub fn crosses(&self, slot: u32) -> bool {
        let slot = &self.slots[slot as usize];
        slot.first < slot.end
    }

    /// `count` messages begin on a slot where nothing is sent. Rates hold from the next [`Filling::settle`] on.
    pub fn start(&mut self, slot: u32, count: f64) {
        let state = &mut self.slots[slot as usize];
        (state.count, state.rate, state.level) = (count, 0.0, f64::INFINITY);
        for i in state.first..state.end {
            let crossing = &mut self.routes[i];
            let on = &mut self.on[crossing.link as usize];
            crossing.index = on.len() as u32;
            on.push(On {
                slot,
                crossing: i as u32,
                share: crossing.share,
            });
        }
        self.fresh.push(slot);
    }

    /// `count` messages of a slot end. Rates hold from the next [`Filling::settle`] on.
    pub fn end(&mut self, slot: u32, count: f64) {
        let state = &mut self.slots[slot as usize];
        state.count -= count;
        self.floor = self.floor.min(state.level);
        let range = state.first..state.end;
        let gone = state.count <= 0.0;
        for i in range {
            let link = self.routes[i].link;
            self.touched.push(link);
            if gone {
                let (on, index) = (&mut self.on[link as usize], self.routes[i].index);
                on.swap_remove(index as usize);
                if let Some(moved) = on.get(index as usize) {
                    self.routes[moved.crossing as usize].index = index;
                }
            }
        }
    }

    /// Fills what changes reach. Calls `changed` with each slot of another rate than before, and the rate. O(c log l),
    /// c crossings of the flows that are filled anew and of those beside them on their links, l links.
    pub fn settle(&mut self, mut changed: impl FnMut(u32, f64)) {
        self.gather();
        let mut sorted = false;
        let mut capped = 0;
        let own = |slot: &Slot, bound: f64| bound / slot.weight;
        let bound = self.bound;
        let least = |members: &[u32], slots: &[Slot]| {
            members
                .iter()
                .map(|m| own(&slots[*m as usize], bound))
                .fold(f64::INFINITY, f64::min)
        };
        let mut cap = least(&self.members, &self.slots);
        let mut last = 0.0;
        while let Some(Reverse((key, l))) = self.heap.pop() {
            let link = self.links[l as usize];
            if link.open == 0 {
                continue;
            }
            // Levels rise; where rounding lets one fall, it is the last.
            let level = f64::max(link.left / link.asked, last);
            // Others have stopped since: another link may be full before.
            let now = level.to_bits();
            if now > key
                && self
                    .heap
                    .peek()
                    .is_some_and(|Reverse((next, _))| *next < now)
            {
                self.heap.push(Reverse((now, l)));
                continue;
            }
            // Flows that reach their own bound below this level stop first. Most never do, so they are sorted only here.
            if level > cap {
                if !std::mem::replace(&mut sorted, true) {
                    let slots = &self.slots;
                    let by_own = |a: &u32, b: &u32| {
                        own(&slots[*a as usize], bound).total_cmp(&own(&slots[*b as usize], bound))
                    };
                    self.members.sort_by(by_own);
                }
                while let Some(slot) = self.members.get(capped).copied() {
                    let own = own(&self.slots[slot as usize], bound);
                    if own >= level {
                        break;
                    }
                    capped += 1;
                    if self.slots[slot as usize].level == f64::INFINITY {
                        last = own;
                        self.stop(slot, own, bound, &mut changed);
                    }
                }
                let next = self.members.get(capped);
                cap = next.map_or(f64::INFINITY, |m| own(&self.slots[*m as usize], bound));
                self.heap.push(Reverse((now, l)));
                continue;
            }
            last = level;
            for i in 0..self.on[l as usize].len() {
                let slot = self.on[l as usize][i].slot;
                let state = &self.slots[slot as usize];
                if state.level == f64::INFINITY {
                    let rate = (level * state.weight).min(bound);
                    self.stop(slot, level, rate, &mut changed);
                }
            }
        }
    }

    /// Finds the flows that may change, with what is left of their links for them.
    fn gather(&mut self) {
        let mut floor = std::mem::replace(&mut self.floor, f64::INFINITY);
        // A stamp of its own: the flows of a link are added up once, however many of them are new.
        self.stamp += 1;
        for slot in self.fresh.drain(..) {
            let state = &self.slots[slot as usize];
            for crossing in &self.routes[state.first..state.end] {
                let link = &mut self.links[crossing.link as usize];
                if std::mem::replace(&mut link.stamp, self.stamp) == self.stamp {
                    continue;
                }
                let asked = |on: &On| {
                    let slot = &self.slots[on.slot as usize];
                    on.share * slot.count * slot.weight
                };
                let asked: f64 = self.on[crossing.link as usize].iter().map(asked).sum();
                floor = floor.min(self.capacity[crossing.link as usize] / asked);
                self.touched.push(crossing.link);
            }
        }
        // Levels that differ by rounding alone are one.
        floor *= 1.0 - 1e-9;
        self.stamp += 1;
        let stamp = self.stamp;
        self.members.clear();
        self.heap.clear();
        let links = &mut self.links;
        self.touched
            .retain(|l| std::mem::replace(&mut links[*l as usize].stamp, stamp) != stamp);
        let mut next = 0;
        while let Some(l) = self.touched.get(next).copied() {
            next += 1;
            let (mut left, mut asked, mut open) = (self.capacity[l as usize], 0.0, 0);
            for On { slot, share, .. } in self.on[l as usize].iter().copied() {
                let state = &mut self.slots[slot as usize];
                let part = share * state.count;
                if state.level < floor {
                    left -= part * state.rate;
                    continue;
                }
                asked += part * state.weight;
                open += 1;
                if std::mem::replace(&mut state.stamp, stamp) != stamp {
                    state.level = f64::INFINITY;
                    self.members.push(slot);
                    for crossing in &self.routes[state.first..state.end] {
                        let link = &mut self.links[crossing.link as usize];
                        if std::mem::replace(&mut link.stamp, stamp) != stamp {
                            self.touched.push(crossing.link);
                        }
                    }
                }
            }
            if open > 0 {
                self.heap
                    .push(Reverse((f64::max(left / asked, 0.0).to_bits(), l)));
            }
            self.links[l as usize] = Link {
                left,
                asked,
                open,
                stamp,
            };
        }
        self.touched.clear();
    }

    fn stop(&mut self, slot: u32, level: f64, rate: f64, changed: &mut impl FnMut(u32, f64)) {
        let state = &mut self.slots[slot as usize];
        state.level = level;
        for crossing in &self.routes[state.first..state.end] {
            let link = &mut self.links[crossing.link as usize];
            let part = crossing.share * state.count;
            link.left -= part * rate;
            link.asked -= part * state.weight;
            link.open -= 1;
        }
        if rate != state.rate {
            state.rate = rate;
            changed(slot, rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Progressive filling as it is defined: step by step, everything anew.
    fn plain(filling: &Filling) -> Vec<f64> {
        let slots = &filling.slots;
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
                    filling.routes[slot.first..slot.end]
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
                Filling::new(capacity, bound, lists.iter().map(Vec::as_slice).zip(weights));
            let mut rates = vec![0.0; routes.len()];
            let mut sent = vec![0u32; routes.len()];
            let mut left = 0;
            for (slot, together) in steps {
                let slot = slot % routes.len();
                if sent[slot] == 0 {
                    sent[slot] = routes[slot].2;
                    filling.start(slot as u32, f64::from(sent[slot]));
                } else {
                    sent[slot] -= 1;
                    filling.end(slot as u32, 1.0);
                }
                left += 1;
                if left < together {
                    continue;
                }
                left = 0;
                filling.settle(|slot, rate| rates[slot as usize] = rate);
                for (i, (rate, exact)) in rates.iter().zip(plain(&filling)).enumerate() {
                    if sent[i] > 0 {
                        prop_assert!((rate - exact).abs() <= 1e-9 * exact, "{i}: {rate} {exact}");
                    }
                }
            }
        }
    }
}
