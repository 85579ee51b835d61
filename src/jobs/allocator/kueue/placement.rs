//! Where Kueue puts the pods of a job that it does not balance.
//!
//! The rule has two steps, named as in `tas_flavor_snapshot.go`; before them (`fillInCounts`, here
//! [`Domains::sum_descendants`]) it is counted how many pods fit into each domain of the tree.
//!
//! - 2a, [`Placement::find_level_with_fit_domains`]: from the level that the job asks for outwards, look for one domain
//!   that holds the whole job, and take the tightest one. If there is none on the outermost level, or the job may not go
//!   up, take several domains of that level.
//! - 2b, [`Placement::descend_to_leaves`]: level by level inwards, hand the pods of the chosen domains to as few domains
//!   below them as possible ([`Placement::update_counts_to_minimum`]): the fullest first under LeastFreeCapacity, those
//!   with most room first under BestFit, and as the last one the tightest that holds the rest.
//!
//! Under BestFit, `mode=preferred,level=rack`:
//!
//! ```text
//! room           5 pods                                        9 pods
//! rack 1:  7     one rack holds it: rack 1                     no rack holds it: up; both racks hold it: 7 + 2
//!   node a 4     4 (too small for 5, so all that it has)       4
//!   node b 3     1 (the rest)                                  3
//! rack 2:  3
//!   node c 2                                                   2 (the tightest that holds 2)
//!   node d 1
//! ```
//!
//! Pods come in slices where a job asks for these: down to the slices' level whole slices are counted and moved, below it
//! pods, or slices of an inner layer. A leader is one more pod; the domain that gets it holds fewer others, so each
//! capacity is kept twice, alone and beside a leader.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::domains::{Domains, Room, Slices};

/// Where a job may go up to from the level that it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Nowhere: one domain of that level.
    Required,
    /// To the outermost level, and there to several domains.
    Preferred,
    /// To several domains of that level.
    #[default]
    Unconstrained,
}

/// A job's request: its pods, and where they may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Number of pods, without the leader.
    pub pods: i64,
    /// How far the search may go up.
    pub mode: Mode,
    /// The level that the search starts at, 0 the outermost.
    pub level: usize,
    /// How the pods are sliced, and whether they have a leader.
    pub slices: Slices,
    /// Whether domains with the least room come first (LeastFreeCapacity), not those with the most (BestFit).
    pub least_free: bool,
    /// Whether, of domains with the least room first, one that holds all that is left goes before several.
    pub top_down: bool,
    /// Whether a single pod goes by the leaf with the least room, and only then by domains.
    pub by_leaf: bool,
    /// Whether pods are put evenly where that can be (TASBalancedPlacement).
    pub balanced: bool,
    /// Whether the job asks for slices only, without a mode.
    pub bare: bool,
}

/// Why a job has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Only `.0` of `.1` slices fit (pods, where a slice is one pod).
    Fits(i64, i64),
    /// As [`PlacementError::TooFew`], for each layer of slices.
    Layers(Vec<(i64, i64)>),
    /// The job has fewer pods than a slice.
    BelowSlice,
    /// Another node of the job is gone.
    Stale,
    /// The pods of a failed node fit nowhere else.
    NoReplacement,
}

impl Misfit {
    /// Returns the reason in words, the same for all such jobs.
    pub(super) fn reason(&self) -> &'static str {
        match self {
            Misfit::Fits(..) | Misfit::Layers(_) => {
                "too few of its pods or slices fit where it asks for them"
            }
            Misfit::BelowSlice => "it has fewer pods than a slice",
            Misfit::Stale => "another of its nodes is gone",
            Misfit::NoReplacement => "no place for the pods of the failed node",
        }
    }
}

/// Domains with the numbers of pods and of leaders that they get.
pub type Pods = Vec<(u32, i64, i64)>;

/// A domain with its capacity, or with the part of it that a job gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub id: u32,
    pub room: Room,
}

/// Pairs domains with their capacities.
pub(super) fn with_room(
    ids: impl Iterator<Item = u32>,
    rooms: &[Room],
) -> impl Iterator<Item = Share> {
    ids.map(|id| Share {
        id,
        room: rooms[id as usize],
    })
}

/// A job's request on the domains of a machine.
pub(super) struct Placement<'p> {
    pub domains: &'p Domains,
    pub ask: &'p Ask,
    /// Level and pods of the outermost slices; single pods on leaves where there are none.
    pub slice: (usize, i64),
    /// Number of these slices.
    pub need: i64,
    pub leader: bool,
}

/// The order in which domains are taken; the last part is the domain's number, so no two are equal.
type Key = (i64, i64, i64, i64, u32);

impl Placement<'_> {
    /// Checks whether the job goes by leaves: it is a single pod without a leader.
    fn is_single_pod(&self) -> bool {
        self.ask.by_leaf && self.ask.pods == 1 && !self.leader
    }

    /// Returns the sort key of a domain; `leader`: for domains that may take the leader, which come first.
    pub fn key(&self, share: &Share, leader: bool) -> Key {
        let room = &share.room;
        let leaf = match room.least {
            _ if !self.is_single_pod() => 0,
            // Nothing fits: behind all others.
            0 => i64::MAX,
            least => least,
        };
        let slices = room.count_fitting(true, leader);
        (
            leaf - if leader { room.leaders } else { 0 },
            -room.affinity,
            if self.ask.least_free { slices } else { -slices },
            room.count_fitting(false, leader),
            share.id,
        )
    }

    /// Sorts domains into the order in which they are taken.
    pub fn sort(&self, shares: &mut [Share], leader: bool) {
        shares.sort_by_cached_key(|share| self.key(share, leader));
    }

    /// Returns, of sorted domains, the one with the least room that suffices; the first if none does. Only domains with
    /// as much affinity as the first count.
    fn find_best_fit_domain(
        &self,
        shares: &[Share],
        need: i64,
        leader: bool,
        slices: bool,
    ) -> Share {
        let affinity = shares[0].room.affinity;
        let alike = shares
            .iter()
            .take_while(|share| share.room.affinity == affinity);
        let fits = alike.filter(|share| share.room.holds(need, slices, leader));
        *fits
            .min_by_key(|share| share.room.count_fitting(slices, leader))
            .unwrap_or(&shares[0])
    }

    /// Returns the level and the domains from which [`Placement::descend_to_leaves`] goes down. Fails if too few pods
    /// fit.
    pub fn level_that_fits(&self, rooms: &[Room]) -> Result<(usize, Vec<Share>), Misfit> {
        let mut level = self.ask.level;
        loop {
            let ids = self.domains.level(level);
            let Some(top) = with_room(ids.clone(), rooms).min_by_key(|share| self.key(share, true))
            else {
                return Err(Misfit::Fits(0, self.need));
            };
            // BestFit looks at the first domain only, but for required jobs: there another domain may have room where
            // the one with most affinity has not.
            let required = self.ask.mode == Mode::Required;
            let looks = self.ask.least_free || required || self.holds_job(&top);
            if looks && let Some(found) = self.find_single_domain(ids, rooms) {
                return Ok((level, vec![found]));
            }
            if required {
                return Err(self.explain_failure(level, rooms, top.room.slices));
            }
            if level == 0 || self.ask.mode == Mode::Unconstrained {
                return Ok((level, self.select_domains(level, rooms)?));
            }
            level -= 1;
        }
    }

    fn holds_job(&self, share: &Share) -> bool {
        share.room.holds(self.need, true, self.leader)
    }

    /// Returns the domain that gets the whole job; `None` if none holds it.
    fn find_single_domain(&self, ids: Range<u32>, rooms: &[Room]) -> Option<Share> {
        let fitting = || with_room(ids.clone(), rooms).filter(|share| self.holds_job(share));
        let first = fitting().min_by_key(|share| self.key(share, true))?;
        if self.ask.least_free {
            return Some(first);
        }
        // The tightest of those with as much affinity.
        fitting()
            .filter(|share| share.room.affinity == first.room.affinity)
            .min_by_key(|share| (share.room.slices_beside, self.key(share, true)))
    }

    /// Returns the failure of a job of whose slices `fits` fit, layer by layer where it has several.
    fn explain_failure(&self, level: usize, rooms: &[Room], fits: i64) -> Misfit {
        let layers = &self.ask.slices.layers;
        if layers.len() < 2 {
            return Misfit::Fits(fits, self.need);
        }
        let best = self
            .domains
            .level(level)
            .min_by_key(|id| (Reverse(rooms[*id as usize].slices), *id))
            .unwrap_or(0);
        let mut counts = Vec::new();
        for (inner, size) in layers {
            let mut below = best..best + 1;
            for _ in level..*inner {
                below = self.domains.below_row(&below);
            }
            let fits = below.map(|id| rooms[id as usize].pods / size).sum();
            counts.push((fits, self.ask.pods / size));
        }
        Misfit::Layers(counts)
    }

    /// Returns domains of a level that hold the job together. Fails if all of them are too few.
    fn select_domains(&self, level: usize, rooms: &[Room]) -> Result<Vec<Share>, Misfit> {
        let mut left: Vec<_> = with_room(self.domains.level(level), rooms).collect();
        let mut taken = Vec::new();
        let mut rest = self.need;
        if self.leader {
            self.sort(&mut left, true);
            self.move_leader_first(&mut left, rest, true);
            if left.first().is_none_or(|share| share.room.leaders == 0) {
                return Err(self.explain_failure(level, rooms, 0));
            }
            let mut share = left[0];
            if !self.ask.least_free && share.room.slices_beside >= rest {
                share = self.find_best_fit_domain(&left, rest, true, true);
            }
            taken.push(share);
            rest -= share.room.slices_beside;
            left.remove(0);
        }
        let room: i64 = left.iter().map(|share| share.room.slices).sum();
        if room < rest {
            return Err(self.explain_failure(level, rooms, self.need - rest + room));
        }
        // Domains without room get nothing, but for a leader.
        left.retain(|share| share.room.slices > 0 || self.leader);
        // A heap, since few of many domains are taken.
        let mut heap: BinaryHeap<_> = left
            .iter()
            .map(|share| Reverse(self.key(share, false)))
            .collect();
        while rest > 0 {
            let Some(Reverse(key)) = heap.pop() else {
                break;
            };
            let mut id = key.4;
            let room = rooms[id as usize];
            // The last one: the tightest that holds the rest.
            if !self.ask.least_free && room.slices >= rest {
                let tighter = heap.drain().filter(|Reverse(key)| {
                    let other = &rooms[key.4 as usize];
                    other.affinity == room.affinity && (rest..room.slices).contains(&other.slices)
                });
                let best = tighter.min_by_key(|Reverse(key)| (rooms[key.4 as usize].slices, *key));
                id = best.map_or(id, |Reverse(key)| key.4);
            }
            let share = Share {
                id,
                room: rooms[id as usize],
            };
            taken.push(share);
            rest -= share.room.slices;
        }
        Ok(taken)
    }

    /// Moves the first domain that holds the leader and leaves enough room for `need` in all to the front.
    fn move_leader_first(&self, shares: &mut [Share], need: i64, slices: bool) {
        let room: i64 = shares
            .iter()
            .map(|share| share.room.count_fitting(slices, false))
            .sum();
        let suits = shares.iter().position(|share| {
            let alone = share.room.count_fitting(slices, false);
            let lost = alone - share.room.count_fitting(slices, true);
            share.room.leaders > 0 && room - lost >= need
        });
        if let Some(at) = suits {
            shares[..=at].rotate_right(1);
        }
    }

    /// Gives `pods` pods, `unit` at a time, to the first of these domains that are enough; the last one is the tightest
    /// that holds the rest. `slices`: units are slices of the outermost layer as counted in the domains.
    fn update_counts_to_minimum(
        &self,
        mut shares: Vec<Share>,
        pods: i64,
        mut leader: bool,
        unit: i64,
        slices: bool,
    ) -> Vec<Share> {
        let mut rest = pods / unit;
        if leader {
            self.move_leader_first(&mut shares, rest, slices);
        }
        let mut out = Vec::new();
        for at in 0..shares.len() {
            let mut share = shares[at];
            let whole = self.ask.top_down && !self.is_single_pod();
            if whole || !self.ask.least_free && share.room.holds(rest, slices, leader) {
                share = self.find_best_fit_domain(&shares[at..], rest, leader, slices);
            }
            let last = share.room.holds(rest, slices, leader);
            let given = share.room.count_fitting(slices, leader).min(rest);
            share.room.leaders = share.room.leaders.min(i64::from(leader));
            share.room.pods = given * unit;
            out.push(share);
            if last {
                return out;
            }
            leader &= share.room.leaders == 0;
            rest -= given;
        }
        // Kueue logs an error and goes on with nothing.
        Vec::new()
    }

    /// Hands the pods of domains of a level down to leaves. `even`: the domains have their pods already, down to the
    /// level of the slices.
    pub fn down(&self, mut level: usize, shares: Vec<Share>, rooms: &[Room], even: bool) -> Pods {
        let (slice_level, size) = self.slice;
        let pods = self.ask.pods;
        let mut shares = self.update_counts_to_minimum(shares, pods, self.leader, size, true);
        let last = self.domains.depth() - 1;
        // Above the slices' level all domains below are one list: which domain they are in does not count.
        while level < last.min(slice_level) && !even {
            let ids = shares.iter().flat_map(|share| self.domains.below(share.id));
            let mut below: Vec<_> = with_room(ids, rooms).collect();
            self.sort(&mut below, false);
            shares = self.update_counts_to_minimum(below, pods, self.leader, size, true);
            level += 1;
        }
        // From there on each domain's pods stay inside it, or slices would be torn.
        while level < last {
            let unit = if level >= slice_level {
                self.ask.slices.inner(level + 1)
            } else {
                size
            };
            let mut out = Vec::new();
            for share in shares {
                let mut below: Vec<_> = with_room(self.domains.below(share.id), rooms).collect();
                self.sort(&mut below, false);
                if unit > 1 {
                    for Share { room, .. } in &mut below {
                        room.slices = room.pods / unit;
                        room.slices_beside = room.pods_beside / unit;
                    }
                }
                let Room { pods, leaders, .. } = share.room;
                let leader = leaders > 0;
                out.extend(self.update_counts_to_minimum(below, pods, leader, unit, unit > 1));
            }
            shares = out;
            level += 1;
        }
        let mut pods = Pods::new();
        for Share { id, room } in shares {
            if room.pods > 0 || room.leaders > 0 {
                pods.push((id, room.pods, room.leaders));
            }
        }
        pods.sort_unstable();
        pods
    }
}
