//! Where Kueue puts the pods of a job: the level, then down to the leaves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// What a job asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ask {
    /// Pods, without the leader.
    pub pods: i64,
    /// Where it may go.
    pub mode: Mode,
    /// The level that the search starts at.
    pub level: usize,
    /// Its slices.
    pub slices: Slices,
    /// Whether domains with the least room come first, not those with the most.
    pub least_free: bool,
    /// Whether, of domains with the least room first, one that holds all that is left goes before several.
    pub top_down: bool,
    /// Whether a single pod goes by the leaf with the least room, and only then by domains.
    pub by_leaf: bool,
    /// Whether pods are put evenly where that can be (TASBalancedPlacement).
    pub balanced: bool,
    /// Whether slices are all that it asks for.
    pub bare: bool,
}

/// Why there is no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// So many slices (pods, where slices hold one) of those wanted fit.
    Fits(i64, i64),
    /// As [`Misfit::Fits`], by layer.
    Layers(Vec<(i64, i64)>),
    /// Fewer pods than a slice has.
    BelowSlice,
    /// Another node of the job is gone.
    Stale,
    /// The pods of a failed node go nowhere else.
    NoReplacement,
}

impl Misfit {
    /// The reason in words, the same for all such jobs.
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

/// Domains with the pods, and the leaders, that they get.
pub type Pods = Vec<(u32, i64, i64)>;

/// A domain with what is left of its room, or what it gets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub id: u32,
    pub room: Room,
}

/// Domains with all of their room.
pub(super) fn with_room(
    ids: impl Iterator<Item = u32>,
    rooms: &[Room],
) -> impl Iterator<Item = Share> {
    ids.map(|id| Share {
        id,
        room: rooms[id as usize],
    })
}

pub(super) struct Placement<'p> {
    pub domains: &'p Domains,
    pub ask: &'p Ask,
    /// The level and pods of the outermost slices.
    pub slice: (usize, i64),
    pub need: i64,
    pub leader: i64,
}

type Key = (i64, i64, i64, i64, u32);

impl Placement<'_> {
    /// Whether a job goes by leaves: it is a single pod without a leader.
    fn single(&self) -> bool {
        self.ask.by_leaf && self.ask.pods == 1 && self.leader == 0
    }

    fn leaf(&self, room: &Room) -> i64 {
        match room.least {
            _ if !self.single() => 0,
            0 => i64::MAX,
            least => least,
        }
    }

    pub fn key(&self, share: &Share) -> Key {
        let Room {
            slices,
            pods,
            affinity,
            ..
        } = share.room;
        (
            self.leaf(&share.room),
            -affinity,
            if self.ask.least_free { slices } else { -slices },
            pods,
            share.id,
        )
    }

    pub fn key_beside(&self, share: &Share) -> Key {
        let Room {
            slices_beside,
            pods_beside,
            leaders,
            affinity,
            ..
        } = share.room;
        let slices = if self.ask.least_free {
            slices_beside
        } else {
            -slices_beside
        };
        (
            self.leaf(&share.room) - leaders,
            -affinity,
            slices,
            pods_beside,
            share.id,
        )
    }

    pub fn sort(&self, shares: &mut [Share]) {
        shares.sort_by_cached_key(|share| self.key(share));
    }

    /// The first of the domains with the least room that suffices, in their order; else the first. Only the domains with
    /// as much affinity as the first count.
    fn tightest(&self, shares: &[Share], need: i64, leader: i64, slices: bool) -> Share {
        let score = shares[0].room.affinity;
        let alike = shares
            .iter()
            .take_while(|share| share.room.affinity == score);
        let fits = alike.filter(|share| {
            share.room.leaders >= leader && self.room(share, leader, slices) >= need
        });
        *fits
            .min_by_key(|share| self.room(share, leader, slices))
            .unwrap_or(&shares[0])
    }

    fn room(&self, share: &Share, leader: i64, slices: bool) -> i64 {
        match (slices, leader > 0) {
            (true, false) => share.room.slices,
            (true, true) => share.room.slices_beside,
            (false, false) => share.room.pods,
            (false, true) => share.room.pods_beside,
        }
    }

    /// Level and domains to go down from.
    pub fn level_that_fits(&self, rooms: &[Room]) -> Result<(usize, Vec<Share>), Misfit> {
        let Ask {
            mode, least_free, ..
        } = *self.ask;
        let mut level = self.ask.level;
        loop {
            let ids = self.domains.level(level);
            let all = || with_room(ids.clone(), rooms);
            let Some(top) = all().min_by_key(|share| self.key_beside(share)) else {
                return Err(Misfit::Fits(0, self.need));
            };
            let fits = |share: &Share| {
                share.room.leaders >= self.leader
                    && self.room(share, self.leader, true) >= self.need
            };
            let found = match least_free {
                true => all()
                    .filter(fits)
                    .min_by_key(|share| self.key_beside(share)),
                // Other domains may have room where the one with most affinity has not.
                false if mode == Mode::Required || fits(&top) => {
                    let first = all()
                        .filter(fits)
                        .min_by_key(|share| self.key_beside(share));
                    first.and_then(|first| {
                        let alike = |share: &Share| share.room.affinity == first.room.affinity;
                        let near = all().filter(|share| fits(share) && alike(share));
                        near.min_by_key(|share| (share.room.slices_beside, self.key_beside(share)))
                    })
                }
                false => None,
            };
            if let Some(found) = found {
                return Ok((level, vec![found]));
            }
            if mode == Mode::Required {
                return Err(self.misfit(level, rooms, top.room.slices));
            }
            if level == 0 || mode == Mode::Unconstrained {
                return Ok((level, self.several(level, rooms)?));
            }
            level -= 1;
        }
    }

    fn misfit(&self, level: usize, rooms: &[Room], fits: i64) -> Misfit {
        let layers = &self.ask.slices.layers;
        if layers.len() < 2 {
            return Misfit::Fits(fits, self.need);
        }
        let ids = self.domains.level(level);
        let best = ids
            .min_by_key(|id| (Reverse(rooms[*id as usize].slices), *id))
            .unwrap_or(0);
        let within = |target: usize, size: i64| {
            let (mut first, mut end) = (best, best + 1);
            for _ in level..target {
                (first, end) = (
                    self.domains.below(first).start,
                    self.domains.below(end - 1).end,
                );
            }
            (first..end).map(|id| rooms[id as usize].pods / size).sum()
        };
        let layer = |(level, size): &(usize, i64)| (within(*level, *size), self.ask.pods / size);
        Misfit::Layers(layers.iter().map(layer).collect())
    }

    /// Domains of a level that hold the job together.
    fn several(&self, level: usize, rooms: &[Room]) -> Result<Vec<Share>, Misfit> {
        let mut left: Vec<_> = with_room(self.domains.level(level), rooms).collect();
        let (mut taken, mut rest, mut leaders) = (Vec::new(), self.need, self.leader);
        if leaders > 0 {
            left.sort_by_cached_key(|share| self.key_beside(share));
            self.leader_first(&mut left, self.ask.pods, leaders, self.slice.1, true);
            let mut next = 0;
            while leaders > 0 && next < left.len() && left[next].room.leaders > 0 {
                let mut share = left[next];
                if !self.ask.least_free && share.room.slices_beside >= rest {
                    share = self.tightest(&left[next..], rest, leaders, true);
                }
                taken.push(share);
                leaders -= share.room.leaders;
                rest -= share.room.slices_beside;
                next += 1;
            }
            if leaders > 0 {
                return Err(self.misfit(level, rooms, self.leader - leaders));
            }
            left.drain(..next);
        }
        let room: i64 = left.iter().map(|share| share.room.slices).sum();
        if room < rest {
            return Err(self.misfit(level, rooms, self.need - rest + room));
        }
        // Domains without room get nothing, but for a leader.
        let open = left
            .into_iter()
            .filter(|share| share.room.slices > 0 || self.leader > 0);
        let mut heap: BinaryHeap<_> = open.map(|share| Reverse(self.key(&share))).collect();
        // A key ends with the domain.
        let of = |key: Key| Share {
            id: key.4,
            room: rooms[key.4 as usize],
        };
        while rest > 0 {
            let Some(Reverse(key)) = heap.pop() else {
                break;
            };
            let mut share = of(key);
            if !self.ask.least_free && share.room.slices >= rest {
                let others = heap.drain().map(|Reverse(key)| (key, of(key)));
                let alike = others.filter(|(_, other)| other.room.affinity == share.room.affinity);
                let fits = alike.filter(|(_, other)| other.room.slices >= rest);
                let best = fits.min_by_key(|(key, other)| (other.room.slices, *key));
                share = best
                    .filter(|(_, other)| other.room.slices < share.room.slices)
                    .map_or(share, |(_, other)| other);
            }
            taken.push(share);
            rest -= share.room.slices;
        }
        Ok(taken)
    }

    /// Moves the first domain that holds the leader and leaves room enough in all to the front.
    fn leader_first(&self, shares: &mut [Share], pods: i64, leader: i64, size: i64, slices: bool) {
        if leader == 0 || shares.len() < 2 {
            return;
        }
        let need = if slices { pods / size } else { pods };
        let room: i64 = shares.iter().map(|share| self.room(share, 0, slices)).sum();
        let suits = |share: &Share| {
            let lost = self.room(share, 0, slices) - self.room(share, 1, slices);
            share.room.leaders >= leader && room - lost >= need
        };
        if let Some(at) = shares.iter().position(suits) {
            shares[..=at].rotate_right(1);
        }
    }

    /// Gives each domain its pods, in order; the last one is the tightest that holds the rest.
    fn spread(
        &self,
        mut shares: Vec<Share>,
        pods: i64,
        mut leader: i64,
        size: i64,
        slices: bool,
    ) -> Vec<Share> {
        self.leader_first(&mut shares, pods, leader, size, slices);
        let unit = if slices { size } else { 1 };
        let (mut rest, mut out) = (pods / unit, Vec::new());
        for at in 0..shares.len() {
            let mut share = shares[at];
            let lead = i64::from(leader > 0);
            let fits = |share: &Share| {
                share.room.leaders >= lead && self.room(share, lead, slices) >= rest
            };
            let whole = self.ask.top_down && !self.single();
            if whole || !self.ask.least_free && fits(&share) {
                share = self.tightest(&shares[at..], rest, lead, slices);
            }
            let last = fits(&share);
            let given = self.room(&share, lead, slices).min(rest);
            share.room.leaders = share.room.leaders.min(leader);
            share.room.pods = given * unit;
            out.push(share);
            if last {
                return out;
            }
            leader -= share.room.leaders;
            rest -= given;
        }
        // Kueue logs an error and goes on with nothing.
        Vec::new()
    }

    /// From domains of a level down to leaves.
    pub fn down(&self, mut level: usize, shares: Vec<Share>, rooms: &[Room], even: bool) -> Pods {
        let (ask, (slice_level, size)) = (self.ask, self.slice);
        let mut shares = self.spread(shares, ask.pods, self.leader, size, true);
        let last = self.domains.depth() - 1;
        let below = |id: u32| {
            let mut below: Vec<_> = with_room(self.domains.below(id), rooms).collect();
            self.sort(&mut below);
            below
        };
        while level < last.min(slice_level) && !even {
            let ids = shares.iter().flat_map(|share| self.domains.below(share.id));
            let mut all: Vec<_> = with_room(ids, rooms).collect();
            self.sort(&mut all);
            shares = self.spread(all, ask.pods, self.leader, size, true);
            level += 1;
        }
        while level < last {
            let unit = if level >= slice_level {
                ask.slices.inner(level + 1)
            } else {
                size
            };
            let mut out = Vec::new();
            for share in shares {
                let mut below = below(share.id);
                if unit > 1 {
                    for Share { room, .. } in &mut below {
                        (room.slices, room.slices_beside) =
                            (room.pods / unit, room.pods_beside / unit);
                    }
                }
                let Room { pods, leaders, .. } = share.room;
                out.extend(self.spread(below, pods, leaders, unit, unit > 1));
            }
            shares = out;
            level += 1;
        }
        let held = shares
            .iter()
            .filter(|share| share.room.pods > 0 || share.room.leaders > 0);
        let mut pods: Pods = held
            .map(|share| (share.id, share.room.pods, share.room.leaders))
            .collect();
        pods.sort_unstable();
        pods
    }
}
