//! Where Kueue puts the pods of a job that it does not balance.
//!
//! The rule has two steps, named as in `tas_flavor_snapshot.go`; before them (`fillInCounts`, here
//! [`Domains::sum_descendants`]) it is counted how many pods fit into each domain of the tree.
//!
//! - 2a, [`Placement::find_level_with_fit_domains`]: from the level that the job asks for outwards, look for one
//!   domain that holds the whole job, and take the tightest one. If there is none on the outermost level, or the job
//!   may not go up, take several domains of that level.
//! - 2b, [`Placement::descend_to_leaves`]: level by level inwards, hand the pods of the chosen domains to as few
//!   domains below them as possible ([`Placement::update_counts_to_minimum`]): the fullest first under
//!   LeastFreeCapacity, those with most room first under BestFit, and as the last one the tightest that holds the
//!   rest.
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
//! Pods come in slices where a job asks for these: down to the slices' level whole slices are counted and moved,
//! below it pods, or slices of an inner layer. A leader is one more pod; the domain that gets it holds fewer others,
//! so each capacity is kept twice, alone and beside a leader.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::domains::{DomainCapacity, Domains, Slices};

/// How far a job may spread from the level that it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TopologyRequest {
    /// All pods in one domain of that level.
    Required,
    /// All pods in one domain of that level or, failing that, of a level above; in several domains of the
    /// outermost level if no domain holds them.
    Preferred,
    /// Pods in several domains of that level, if need be.
    #[default]
    Unconstrained,
}

/// A job's request: its pods, and where they may go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodSetRequest {
    /// Number of pods, without the leader.
    pub pods: i64,
    /// How far the pods may spread from `level`.
    pub mode: TopologyRequest,
    /// The level that the search starts at, 0 the outermost.
    pub level: usize,
    /// How the pods are sliced, and whether they have a leader.
    pub slices: Slices,
    /// Whether domains with the least room come first (LeastFreeCapacity), not those with the most (BestFit).
    pub least_free: bool,
    /// Whether a domain that holds all that is left is taken before those with the least room (least-free-
    /// hierarchical).
    pub top_down: bool,
    /// Whether a job of a single pod prefers, at every level, the domain whose tightest leaf has the least room
    /// (tightest-leaf).
    pub by_leaf: bool,
    /// Whether pods are spread evenly over the domains, where possible (TASBalancedPlacement).
    pub balanced: bool,
    /// Whether the job asks for slices only, without a mode.
    pub slices_only: bool,
}

/// Why a job has no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlacementError {
    /// Only `.0` of `.1` slices fit (pods, where a slice is one pod).
    TooFew(i64, i64),
    /// As [`PlacementError::TooFew`], for each layer of slices.
    TooFewByLayer(Vec<(i64, i64)>),
    /// The job has fewer pods than a slice.
    BelowSlice,
    /// A second node of the job has failed.
    Stale,
    /// The pods of a failed node fit nowhere else.
    NoReplacement,
}

impl PlacementError {
    /// Puts the reason in words, the same for all such jobs.
    pub(super) fn describe_reason(&self) -> &'static str {
        match self {
            PlacementError::TooFew(..) | PlacementError::TooFewByLayer(_) => {
                "too few of its pods or slices fit where it asks for them"
            }
            PlacementError::BelowSlice => "it has fewer pods than a slice",
            PlacementError::Stale => "another of its nodes is gone",
            PlacementError::NoReplacement => "no place for the pods of the failed node",
        }
    }
}

/// Leaves, each with the numbers of pods and of leaders that it gets.
pub type LeafAssignment = Vec<(u32, i64, i64)>;

/// A domain with its capacity, or with the part of it that a job gets.
#[derive(Clone, Copy, Debug)]
pub struct DomainShare {
    pub id: u32,
    pub room: DomainCapacity,
}

/// Pairs domains with their capacities.
pub fn pair_with_capacities(
    ids: impl Iterator<Item = u32>,
    rooms: &[DomainCapacity],
) -> impl Iterator<Item = DomainShare> {
    ids.map(|id| DomainShare {
        id,
        room: rooms[id as usize],
    })
}

/// A job's request on the domains of a machine.
pub struct Placement<'p> {
    pub domains: &'p Domains,
    pub request: &'p PodSetRequest,
    /// Level and pods of the outermost slices; single pods on leaves where there are none.
    pub slice: (usize, i64),
    /// Number of slices that the job has, of the size in `slice`.
    pub slice_count: i64,
    pub leader: bool,
}

/// The order in which domains are taken; the last part is the domain's number, so no two are equal.
type DomainSortKey = (i64, i64, i64, i64, u32);

impl Placement<'_> {
    /// Checks whether the job is placed by leaves: it is a single pod without a leader.
    fn goes_by_leaves(&self) -> bool {
        self.request.by_leaf && self.request.pods == 1 && !self.leader
    }

    /// Makes the sort key of a domain; `leader`: for domains that may take the leader, which come first.
    pub fn sort_key(&self, share: &DomainShare, leader: bool) -> DomainSortKey {
        let room = &share.room;
        let leaf = match room.min_leaf_pods {
            _ if !self.goes_by_leaves() => 0,
            // Nothing fits: behind all others.
            0 => i64::MAX,
            least => least,
        };
        let slices = room.count_fitting(true, leader);
        (
            leaf - if leader { room.leaders } else { 0 },
            -room.affinity,
            if self.request.least_free {
                slices
            } else {
                -slices
            },
            room.count_fitting(false, leader),
            share.id,
        )
    }

    /// Sorts domains into the order in which they are taken.
    pub fn sort_domains(&self, shares: &mut [DomainShare], leader: bool) {
        shares.sort_by_cached_key(|share| self.sort_key(share, leader));
    }

    /// Finds, of sorted domains, the one with the least room that suffices; the first if none does. Only
    /// domains with as much affinity as the first count.
    fn find_best_fit_domain(
        &self,
        shares: &[DomainShare],
        slice_count: i64,
        leader: bool,
        slices: bool,
    ) -> DomainShare {
        let affinity = shares[0].room.affinity;
        let alike = shares
            .iter()
            .take_while(|share| share.room.affinity == affinity);
        let fits = alike.filter(|share| share.room.holds_whole(slice_count, slices, leader));
        *fits
            .min_by_key(|share| share.room.count_fitting(slices, leader))
            .unwrap_or(&shares[0])
    }

    /// Finds the level and the domains from which [`Placement::descend_to_leaves`] goes down. Fails if too few pods
    /// fit.
    pub fn find_level_with_fit_domains(
        &self,
        rooms: &[DomainCapacity],
    ) -> Result<(usize, Vec<DomainShare>), PlacementError> {
        let mut level = self.request.level;
        loop {
            let ids = self.domains.domains_of_level(level);
            let Some(top) = pair_with_capacities(ids.clone(), rooms)
                .min_by_key(|share| self.sort_key(share, true))
            else {
                return Err(PlacementError::TooFew(0, self.slice_count));
            };
            // BestFit looks at the first domain only, but for required jobs: there another domain may have room where
            // the one with most affinity has not.
            let required = self.request.mode == TopologyRequest::Required;
            let looks = self.request.least_free || required || self.holds_job(&top);
            if looks && let Some(found) = self.find_single_domain(ids, rooms) {
                return Ok((level, vec![found]));
            }
            if required {
                return Err(self.explain_failure(level, rooms, top.room.slices));
            }
            if level == 0 || self.request.mode == TopologyRequest::Unconstrained {
                return Ok((level, self.select_domains(level, rooms)?));
            }
            level -= 1;
        }
    }

    fn holds_job(&self, share: &DomainShare) -> bool {
        share.room.holds_whole(self.slice_count, true, self.leader)
    }

    /// Finds the domain that gets the whole job; `None` if none holds it.
    fn find_single_domain(&self, ids: Range<u32>, rooms: &[DomainCapacity]) -> Option<DomainShare> {
        let fitting =
            || pair_with_capacities(ids.clone(), rooms).filter(|share| self.holds_job(share));
        let first = fitting().min_by_key(|share| self.sort_key(share, true))?;
        if self.request.least_free {
            return Some(first);
        }
        // The tightest of those with as much affinity.
        fitting()
            .filter(|share| share.room.affinity == first.room.affinity)
            .min_by_key(|share| (share.room.slices_with_leader, self.sort_key(share, true)))
    }

    /// Explains why a job fails of whose slices only `fits` fit, layer by layer where it has several layers.
    fn explain_failure(&self, level: usize, rooms: &[DomainCapacity], fits: i64) -> PlacementError {
        let layers = &self.request.slices.layers;
        if layers.len() < 2 {
            return PlacementError::TooFew(fits, self.slice_count);
        }
        let best = self
            .domains
            .domains_of_level(level)
            .min_by_key(|id| (Reverse(rooms[*id as usize].slices), *id))
            .unwrap_or(0);
        let mut counts = Vec::new();
        for (inner, size) in layers {
            let mut below = best..best + 1;
            for _ in level..*inner {
                below = self.domains.children_of_row(&below);
            }
            let fits = below.map(|id| rooms[id as usize].pods / size).sum();
            counts.push((fits, self.request.pods / size));
        }
        PlacementError::TooFewByLayer(counts)
    }

    /// Selects domains of a level that hold the job together. Fails if all of them are too few.
    fn select_domains(
        &self,
        level: usize,
        rooms: &[DomainCapacity],
    ) -> Result<Vec<DomainShare>, PlacementError> {
        let mut left: Vec<_> =
            pair_with_capacities(self.domains.domains_of_level(level), rooms).collect();
        let mut taken = Vec::new();
        let mut rest = self.slice_count;
        if self.leader {
            self.sort_domains(&mut left, true);
            self.move_leader_first(&mut left, rest, true);
            if left.first().is_none_or(|share| share.room.leaders == 0) {
                return Err(self.explain_failure(level, rooms, 0));
            }
            let mut share = left[0];
            if !self.request.least_free && share.room.slices_with_leader >= rest {
                share = self.find_best_fit_domain(&left, rest, true, true);
            }
            taken.push(share);
            rest -= share.room.slices_with_leader;
            left.remove(0);
        }
        let room: i64 = left.iter().map(|share| share.room.slices).sum();
        if room < rest {
            return Err(self.explain_failure(level, rooms, self.slice_count - rest + room));
        }
        // Domains without room get nothing, but for a leader.
        left.retain(|share| share.room.slices > 0 || self.leader);
        // A heap, since few of many domains are taken.
        let mut heap: BinaryHeap<_> = left
            .iter()
            .map(|share| Reverse(self.sort_key(share, false)))
            .collect();
        while rest > 0 {
            let Some(Reverse(key)) = heap.pop() else {
                break;
            };
            let mut id = key.4;
            let room = rooms[id as usize];
            // The last one: the tightest that holds the rest.
            if !self.request.least_free && room.slices >= rest {
                let tighter = heap.drain().filter(|Reverse(key)| {
                    let other = &rooms[key.4 as usize];
                    other.affinity == room.affinity && (rest..room.slices).contains(&other.slices)
                });
                let best = tighter.min_by_key(|Reverse(key)| (rooms[key.4 as usize].slices, *key));
                id = best.map_or(id, |Reverse(key)| key.4);
            }
            let share = DomainShare {
                id,
                room: rooms[id as usize],
            };
            taken.push(share);
            rest -= share.room.slices;
        }
        Ok(taken)
    }

    /// Moves the first domain that holds the leader and leaves enough room for `need` in all to the front.
    fn move_leader_first(&self, shares: &mut [DomainShare], need: i64, slices: bool) {
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

    /// Gives `pods` pods, `unit` at a time, to the first of these domains that are enough; the last one is the
    /// tightest that holds the rest. `slices`: units are slices of the outermost layer as counted in the domains.
    fn update_counts_to_minimum(
        &self,
        mut shares: Vec<DomainShare>,
        pods: i64,
        mut leader: bool,
        unit: i64,
        slices: bool,
    ) -> Vec<DomainShare> {
        let mut rest = pods / unit;
        if leader {
            self.move_leader_first(&mut shares, rest, slices);
        }
        let mut out = Vec::new();
        for at in 0..shares.len() {
            let mut share = shares[at];
            let whole = self.request.top_down && !self.goes_by_leaves();
            if whole || !self.request.least_free && share.room.holds_whole(rest, slices, leader) {
                share = self.find_best_fit_domain(&shares[at..], rest, leader, slices);
            }
            let last = share.room.holds_whole(rest, slices, leader);
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
    pub fn descend_to_leaves(
        &self,
        mut level: usize,
        shares: Vec<DomainShare>,
        rooms: &[DomainCapacity],
        even: bool,
    ) -> LeafAssignment {
        let (slice_level, size) = self.slice;
        let pods = self.request.pods;
        let mut shares = self.update_counts_to_minimum(shares, pods, self.leader, size, true);
        let last = self.domains.level_count() - 1;
        // Above the slices' level all domains below are one list: which domain they are in does not count.
        while level < last.min(slice_level) && !even {
            let ids = shares
                .iter()
                .flat_map(|share| self.domains.children_of(share.id));
            let mut below: Vec<_> = pair_with_capacities(ids, rooms).collect();
            self.sort_domains(&mut below, false);
            shares = self.update_counts_to_minimum(below, pods, self.leader, size, true);
            level += 1;
        }
        // From there on each domain's pods stay inside it, or slices would be torn.
        while level < last {
            let unit = if level >= slice_level {
                self.request.slices.inner_slice_size(level + 1)
            } else {
                size
            };
            let mut out = Vec::new();
            for share in shares {
                let mut below: Vec<_> =
                    pair_with_capacities(self.domains.children_of(share.id), rooms).collect();
                self.sort_domains(&mut below, false);
                if unit > 1 {
                    for DomainShare { room, .. } in &mut below {
                        room.slices = room.pods / unit;
                        room.slices_with_leader = room.pods_with_leader / unit;
                    }
                }
                let DomainCapacity { pods, leaders, .. } = share.room;
                let leader = leaders > 0;
                out.extend(self.update_counts_to_minimum(below, pods, leader, unit, unit > 1));
            }
            shares = out;
            level += 1;
        }
        let mut pods = LeafAssignment::new();
        for DomainShare { id, room } in shares {
            if room.pods > 0 || room.leaders > 0 {
                pods.push((id, room.pods, room.leaders));
            }
        }
        pods.sort_unstable();
        pods
    }
}
