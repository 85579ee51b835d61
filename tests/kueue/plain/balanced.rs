//! Balanced placement: every set tried, nothing left out early.

use std::collections::BTreeMap;

use nodeorder_jobs::allocator::kueue::DomainCapacity;

use super::Rule;

impl Rule<'_> {
    fn need(&self) -> i64 {
        self.ask.pods / self.size
    }

    fn all_below(&self, ids: &[u32]) -> Vec<u32> {
        ids.iter()
            .flat_map(|id| self.domains.children_of(*id))
            .collect()
    }

    /// How many domains a greedy choice takes, slices beside the leader in its domain, and the room of the last one.
    fn greedy(&self, ids: &[u32]) -> Option<(i64, Option<i64>, Option<DomainCapacity>)> {
        let (mut count, mut beside, mut last, mut rest) = (0, None, None, self.need());
        let mut left = ids.to_vec();
        if self.ask.slices.leader {
            left = self.sorted(left, true);
            let first = self.rooms[*left.first()? as usize];
            if first.leaders == 0 {
                return None;
            }
            (count, beside, rest) = (
                1,
                Some(first.slices_with_leader),
                rest - first.slices_with_leader,
            );
            left.remove(0);
        }
        for id in self.sorted(left, false) {
            let room = self.rooms[id as usize];
            if rest <= 0 || room.slices == 0 {
                break;
            }
            (count, last, rest) = (count + 1, Some(room), rest - room.slices);
        }
        (rest <= 0).then_some((count, beside, last))
    }

    /// Empties domains of less than the threshold, and all below them; or takes only their leaders away.
    fn empty(&mut self, ids: &[u32], threshold: i64) {
        for id in ids {
            let room = self.rooms[*id as usize];
            let all = room.slices < threshold;
            let leader = self.ask.slices.leader && room.leaders > 0;
            if !(all || leader && room.slices_with_leader < threshold) {
                continue;
            }
            let mut within = vec![*id];
            while !within.is_empty() {
                for id in &within {
                    let room = &mut self.rooms[*id as usize];
                    let kept = if all {
                        DomainCapacity {
                            affinity: room.affinity,
                            ..DomainCapacity::default()
                        }
                    } else {
                        *room
                    };
                    *room = DomainCapacity {
                        pods_with_leader: 0,
                        slices_with_leader: 0,
                        leaders: 0,
                        ..kept
                    };
                }
                within = self.all_below(&within);
            }
        }
    }

    fn pruned(&mut self, rooms: &[DomainCapacity], group: &[u32], threshold: i64) {
        self.rooms = rooms.to_vec();
        self.empty(&self.all_below(group), threshold);
        let range = group[0]..group[group.len() - 1] + 1;
        self.domains
            .sum_descendants(&mut self.rooms, range, &self.ask.slices, false);
        self.empty(group, threshold);
    }

    /// As few domains as greedy takes, with the least surplus: of each number of domains and what is left, the first
    /// set.
    fn fewest(&self, ids: &[u32]) -> Option<Vec<u32>> {
        let count = self.greedy(ids)?.0 as usize;
        let leader = i64::from(self.ask.slices.leader);
        let mut sets: Vec<BTreeMap<(i64, i64), Vec<u32>>> = vec![BTreeMap::new(); count + 1];
        sets[0].insert((leader, self.need() * self.size), Vec::new());
        for id in ids {
            let room = self.rooms[*id as usize];
            for taken in (0..count).rev() {
                for ((leaders, pods), set) in sets[taken].clone() {
                    if leaders <= 0 && pods <= 0 {
                        continue;
                    }
                    let mut with = set.clone();
                    with.push(*id);
                    if leaders > 0 && room.leaders > 0 {
                        let left = (leaders - room.leaders, pods - room.pods_with_leader);
                        sets[taken + 1].entry(left).or_insert(with.clone());
                    }
                    if room.slices > 0 {
                        sets[taken + 1]
                            .entry((leaders, pods - room.pods))
                            .or_insert(with);
                    }
                }
            }
        }
        let enough = sets[count]
            .iter()
            .filter(|((leaders, pods), _)| *leaders == 0 && *pods <= 0);
        enough
            .max_by_key(|((_, pods), _)| *pods)
            .map(|(_, set)| set.clone())
            .filter(|_| count > 0)
    }

    fn by_entropy(&self, ids: &[u32]) -> Vec<u32> {
        let entropy = |id: u32| {
            let mut pods: Vec<i64> = self
                .domains
                .children_of(id)
                .map(|id| self.rooms[id as usize].pods)
                .collect();
            pods.retain(|pods| *pods > 0);
            pods.sort();
            pods.reverse();
            let total = pods.iter().sum::<i64>() as f64;
            pods.iter()
                .map(|pods| *pods as f64 / total)
                .map(|p| -p * p.log2())
                .sum::<f64>()
        };
        let mut ids = ids.to_vec();
        ids.sort_by(|a, b| {
            let key = |id: u32| {
                (
                    -self.rooms[id as usize].leaders,
                    -self.rooms[id as usize].slices_with_leader,
                )
            };
            key(*a)
                .cmp(&key(*b))
                .then(entropy(*b).total_cmp(&entropy(*a)))
                .then(a.cmp(b))
        });
        ids
    }

    /// A level and its domains in order, the room of which is then what they get; none where that cannot be.
    pub fn balanced(&mut self, slice_level: usize) -> Option<(usize, Vec<u32>)> {
        let (rooms, need) = (self.rooms.clone(), self.need());
        let found = self.even(&rooms, slice_level, need);
        if found.is_none() {
            self.rooms = rooms;
        }
        found
    }

    fn even(
        &mut self,
        rooms: &[DomainCapacity],
        slice_level: usize,
        need: i64,
    ) -> Option<(usize, Vec<u32>)> {
        let mut level = self.ask.level;
        let groups: Vec<Vec<u32>> = match level {
            0 => vec![self.domains.domains_of_level(0).collect()],
            _ => self
                .domains
                .domains_of_level(level - 1)
                .map(|id| self.domains.children_of(id).collect())
                .collect(),
        };
        let mut best: Option<(i64, i64, Vec<u32>)> = None;
        for group in groups {
            self.rooms = rooms.to_vec();
            let lower = if level < slice_level {
                self.all_below(&group)
            } else {
                group.clone()
            };
            let Some((count, beside, last)) = self.greedy(&lower) else {
                continue;
            };
            let first = need / count;
            let first = first.min(last.map_or(first, |room| room.slices));
            let first = first.min(beside.unwrap_or(first));
            let second = last
                .filter(|_| beside.is_some())
                .map(|room| first.min(room.slices_with_leader));
            for threshold in [
                Some(first),
                second.filter(|second| *second < first && *second > 0),
            ] {
                let Some(threshold) = threshold else { continue };
                if best.as_ref().is_some_and(|(most, ..)| threshold < *most) {
                    break;
                }
                self.pruned(rooms, &group, threshold);
                let Some((count, ..)) = self.greedy(&group) else {
                    continue;
                };
                let better = |(most, fewest, _): &(i64, i64, Vec<u32>)| {
                    threshold > *most || threshold == *most && count < *fewest
                };
                if threshold > 0 && best.as_ref().is_none_or(better) {
                    best = Some((threshold, count, group.clone()));
                }
                break;
            }
        }
        let (threshold, _, group) = best?;
        self.pruned(rooms, &group, threshold);
        let mut ids = group;
        if level < slice_level {
            let chosen = self.fewest(&self.by_entropy(&ids))?;
            (ids, level) = (self.all_below(&chosen), level + 1);
            ids.sort();
        }
        let chosen = self.fewest(&ids)?;
        let mut extra = need - chosen.len() as i64 * threshold;
        let mut leaders = i64::from(self.ask.slices.leader);
        if extra < 0 {
            return None;
        }
        let chosen = self.sorted(chosen, true);
        for id in &chosen {
            let room = &mut self.rooms[*id as usize];
            let own = if leaders > 0 {
                room.slices_with_leader
            } else {
                room.slices
            };
            let more = if leaders > 0 || extra > 0 {
                extra.min(own - threshold)
            } else {
                0
            };
            let (slices, pods) = (threshold + more, (threshold + more) * self.size);
            let led = leaders.min(1);
            *room = DomainCapacity {
                pods,
                pods_with_leader: pods - led,
                slices,
                slices_with_leader: slices,
                leaders: led,
                ..*room
            };
            (extra, leaders) = (extra - more, leaders - led);
        }
        (extra <= 0 && leaders <= 0).then_some((level, chosen))
    }
}
