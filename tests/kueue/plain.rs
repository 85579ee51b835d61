//! Kueue's rule written plainly after its description, with lists of domains and nothing kept between requests.

use std::cmp::Reverse;

use nodeorder_jobs::allocator::kueue::{
    DomainCapacity, Domains, LeafAssignment, PlacementError, PodSetRequest, TopologyRequest,
};

mod balanced;

/// A domain that was chosen, and what it is given: pods, leaders.
type Given = (u32, i64, i64);

pub struct Rule<'r> {
    domains: &'r Domains,
    ask: &'r PodSetRequest,
    rooms: Vec<DomainCapacity>,
    /// Pods of an outermost slice.
    size: i64,
}

/// The room of a domain as it counts where a leader is still to be put, and where not.
fn counts(room: &DomainCapacity, leader: bool, slices: bool) -> i64 {
    match (leader, slices) {
        (false, false) => room.pods,
        (false, true) => room.slices,
        (true, false) => room.pods_with_leader,
        (true, true) => room.slices_with_leader,
    }
}

pub fn place(
    domains: &Domains,
    ask: &PodSetRequest,
    rooms: &[DomainCapacity],
) -> Result<LeafAssignment, PlacementError> {
    let (at, size) = ask
        .slices
        .layers
        .first()
        .copied()
        .unwrap_or((domains.level_count() - 1, 1));
    let mut rule = Rule {
        domains,
        ask,
        rooms: rooms.to_vec(),
        size,
    };
    let leaders = i64::from(ask.slices.leader);
    let even = match ask.balanced && ask.mode == TopologyRequest::Preferred {
        true if ask.pods < size && leaders == 0 => return Err(PlacementError::BelowSlice),
        true => rule.balanced(at),
        false => None,
    };
    let is_even = even.is_some();
    let (mut level, chosen) = match even {
        Some(even) => even,
        None => rule.level()?,
    };
    let mut given = rule.share(chosen, ask.pods, leaders, true, size);
    // To the level of slices: children of all in one list. Below it: each parent shares its own pods.
    while level + 1 < domains.level_count() {
        let above = std::mem::take(&mut given);
        if level < at && !is_even {
            let below: Vec<u32> = above
                .iter()
                .flat_map(|(id, ..)| domains.children_of(*id))
                .collect();
            let below = rule.sorted(below, false);
            given = rule.share(below, ask.pods, leaders, true, size);
        } else {
            let layer = ask
                .slices
                .layers
                .windows(2)
                .find(|w| w[0].0 <= level && level < w[1].0);
            let unit = if level < at {
                size
            } else {
                layer.map_or(1, |w| w[1].1)
            };
            for (id, pods, leaders) in above {
                let below = rule.sorted(domains.children_of(id).collect(), false);
                if unit > 1 {
                    for id in &below {
                        let room = &mut rule.rooms[*id as usize];
                        room.slices = room.pods / unit;
                        room.slices_with_leader = room.pods_with_leader / unit;
                    }
                }
                given.extend(rule.share(below, pods, leaders, unit > 1, unit));
            }
        }
        level += 1;
    }
    given.retain(|(_, pods, leaders)| *pods + *leaders > 0);
    given.sort();
    Ok(given)
}

impl Rule<'_> {
    /// Domains in the order in which they are taken: as where a leader is to be put, or not.
    fn sorted(&self, mut ids: Vec<u32>, leader: bool) -> Vec<u32> {
        if self.single() {
            // The leaf with the least room decides: full ones last.
            let room = |leaf: &u32| self.rooms[*leaf as usize].pods;
            let least = |id: &u32| {
                let all = self.leaves(*id);
                all.iter()
                    .map(room)
                    .filter(|pods| *pods > 0)
                    .min()
                    .unwrap_or(i64::MAX)
            };
            ids.sort_by_key(|id| {
                let DomainCapacity {
                    affinity,
                    slices,
                    pods,
                    ..
                } = self.rooms[*id as usize];
                (least(id), Reverse(affinity), slices, pods, *id)
            });
            return ids;
        }
        let way = if self.ask.least_free { 1 } else { -1 };
        ids.sort_by_key(|id| {
            let room = &self.rooms[*id as usize];
            let leaders = if leader { room.leaders } else { 0 };
            let slices = way * counts(room, leader, true);
            (
                Reverse(leaders),
                Reverse(room.affinity),
                slices,
                counts(room, leader, false),
                *id,
            )
        });
        ids
    }

    /// The first with the least room that suffices, among those at the head that are preferred alike.
    fn tightest(&self, ids: &[u32], need: i64, leader: bool, slices: bool) -> u32 {
        let room = |id: &u32| &self.rooms[*id as usize];
        let mut best = ids[0];
        let mut least = i64::MAX;
        for id in ids {
            if room(id).affinity != room(&ids[0]).affinity {
                break;
            }
            let here = counts(room(id), leader, slices);
            if here >= need && here < least && (!leader || room(id).leaders > 0) {
                (best, least) = (*id, here);
            }
        }
        best
    }

    fn single(&self) -> bool {
        self.ask.by_leaf && self.ask.pods == 1 && !self.ask.slices.leader
    }

    fn leaves(&self, id: u32) -> Vec<u32> {
        let below: Vec<u32> = self.domains.children_of(id).collect();
        match below.is_empty() {
            true => vec![id],
            false => below.into_iter().flat_map(|id| self.leaves(id)).collect(),
        }
    }

    fn level(&self) -> Result<(usize, Vec<u32>), PlacementError> {
        let (leader, need) = (self.ask.slices.leader, self.ask.pods / self.size);
        let mut level = self.ask.level;
        loop {
            let all = self.sorted(self.domains.domains_of_level(level).collect(), true);
            let fits = |id: &u32| {
                let room = &self.rooms[*id as usize];
                counts(room, leader, true) >= need && (!leader || room.leaders > 0)
            };
            let first = all.iter().position(fits);
            let head = first.filter(|at| {
                self.ask.least_free || self.ask.mode == TopologyRequest::Required || *at == 0
            });
            if let Some(at) = head {
                let one = match self.ask.least_free {
                    true => all[at],
                    false => self.tightest(&all[at..], need, leader, true),
                };
                return Ok((level, vec![one]));
            }
            match self.ask.mode {
                TopologyRequest::Required => {
                    return Err(self.misfit(level, self.rooms[all[0] as usize].slices, need));
                }
                TopologyRequest::Preferred if level > 0 => level -= 1,
                _ => {
                    return self
                        .several(level, all, need)
                        .map(|several| (level, several));
                }
            }
        }
    }

    fn misfit(&self, level: usize, fits: i64, need: i64) -> PlacementError {
        let layers = &self.ask.slices.layers;
        if layers.len() < 2 {
            return PlacementError::TooFew(fits, need);
        }
        let most = |id: &u32| (Reverse(self.rooms[*id as usize].slices), *id);
        let best = self
            .domains
            .domains_of_level(level)
            .min_by_key(most)
            .unwrap();
        let inside = |(target, size): &(usize, i64)| {
            let mut ids = vec![best];
            (level..*target).for_each(|_| {
                ids = ids
                    .iter()
                    .flat_map(|id| self.domains.children_of(*id))
                    .collect()
            });
            let fits = ids
                .iter()
                .map(|id| self.rooms[*id as usize].pods / size)
                .sum();
            (fits, self.ask.pods / size)
        };
        PlacementError::TooFewByLayer(layers.iter().map(inside).collect())
    }

    /// First the domain for the leader, then the others in order until there is room enough.
    fn several(&self, level: usize, all: Vec<u32>, need: i64) -> Result<Vec<u32>, PlacementError> {
        let mut left = all;
        let (mut taken, mut rest) = (Vec::new(), need);
        if self.ask.slices.leader {
            self.lead(&mut left, self.ask.pods, true, self.size);
            if self.rooms[left[0] as usize].leaders == 0 {
                return Err(self.misfit(level, 0, need));
            }
            let mut first = left[0];
            if !self.ask.least_free && self.rooms[first as usize].slices_with_leader >= rest {
                first = self.tightest(&left, rest, true, true);
            }
            rest -= self.rooms[first as usize].slices_with_leader;
            taken.push(first);
            left.remove(0);
        }
        let left = self.sorted(left, false);
        for (at, id) in left.iter().enumerate() {
            if rest <= 0 {
                break;
            }
            let mut id = *id;
            if !self.ask.least_free && self.rooms[id as usize].slices >= rest {
                id = self.tightest(&left[at..], rest, false, true);
            }
            rest -= self.rooms[id as usize].slices;
            taken.push(id);
        }
        if rest > 0 {
            Err(self.misfit(level, need - rest, need))
        } else {
            Ok(taken)
        }
    }

    /// The first domain that holds the leader and loses not too much goes to the head.
    fn lead(&self, ids: &mut Vec<u32>, pods: i64, slices: bool, unit: i64) {
        let room = |id: &u32, leader| counts(&self.rooms[*id as usize], leader, slices);
        let all: i64 = ids.iter().map(|id| room(id, false)).sum();
        let need = if slices { pods / unit } else { pods };
        let suits = |id: &u32| {
            self.rooms[*id as usize].leaders > 0 && all - room(id, false) + room(id, true) >= need
        };
        if ids.len() > 1
            && let Some(at) = ids.iter().position(suits)
        {
            let id = ids.remove(at);
            ids.insert(0, id);
        }
    }

    /// Gives domains their pods in order, in slices of `unit` or one by one.
    fn share(&self, ids: Vec<u32>, pods: i64, leaders: i64, slices: bool, unit: i64) -> Vec<Given> {
        let mut ids = ids;
        let (mut leaders, mut given) = (leaders, Vec::new());
        if leaders > 0 {
            self.lead(&mut ids, pods, slices, unit);
        }
        let each = if slices { unit } else { 1 };
        let mut rest = pods / each;
        for at in 0..ids.len() {
            let leader = leaders > 0;
            let enough = |id: u32| {
                let room = &self.rooms[id as usize];
                counts(room, leader, slices) >= rest && (!leader || room.leaders > 0)
            };
            let mut id = ids[at];
            // From the outermost level down: of those that hold all that is left the tightest, wherever it stands.
            let one = self.ask.top_down && !self.single() && ids[at..].iter().any(|id| enough(*id));
            if one || enough(id) && !self.ask.least_free {
                id = self.tightest(&ids[at..], rest, leader, slices);
            }
            let room = &self.rooms[id as usize];
            let own = counts(room, leader, slices).min(rest);
            let led = leaders.min(room.leaders);
            given.push((id, own * each, led));
            if enough(id) {
                return given;
            }
            (rest, leaders) = (rest - own, leaders - led);
        }
        Vec::new()
    }
}
