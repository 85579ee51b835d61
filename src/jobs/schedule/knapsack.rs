//! Multiple 0-1 knapsack whose profits are the weights: packs jobs into slots of free nodes so that as many nodes as
//! possible are used. Jobs of 6, 4 and 3 nodes fill slots of 7 and 6 exactly: 4 and 3 in the first, 6 in the second.

/// Index of the slot of each job; `None` for a job that is left out.
pub type Packing = Vec<Option<usize>>;

/// Packs jobs into slots, both given by their numbers of nodes, so that the sum of the packed jobs is the largest
/// possible.
///
/// Depth-first branch and bound: the largest job that is left goes into each slot that differs, then nowhere.
/// A branch ends where even all jobs left, or all room left, would not beat the best so far; of the slots in
/// which a job would stay alone only the tightest is tried. As many slots as there are jobs are enough, the
/// largest: k slots in use can be exchanged for the k largest. At last each slot's jobs move together to the
/// tightest slot that holds them, largest first, so that long runs stay whole.
///
/// # Complexity
/// Exponential in the jobs at worst: meant for a handful.
///
/// # References
/// Martello and Toth, "A bound and bound algorithm for the zero-one multiple knapsack problem", 1981,
/// <https://doi.org/10.1016/0166-218X(81)90005-6>; Yang et al., "Balancing Job Performance with System Performance
/// via Locality-Aware Scheduling on Torus-Connected Systems", 2014, section III.
///
/// # Examples
/// ```
/// use nodeorder_jobs::schedule::pack_exactly;
/// // The job of 6 must not take the slot of 7.
/// assert_eq!(pack_exactly(&[6, 4, 3], &[7, 6]), [Some(1), Some(0), Some(0)]);
/// ```
pub fn pack_exactly(jobs: &[u32], slots: &[u32]) -> Packing {
    let mut packing = vec![None; jobs.len()];
    let by_room = tightest_first(slots);
    let Some(largest) = by_room.last().map(|i| slots[*i]) else {
        return packing;
    };
    // Larger jobs first, which prunes most; of one size the earlier in the queue.
    let mut order = largest_first(jobs);
    order.retain(|job| jobs[*job] <= largest);
    let kept = &by_room[slots.len() - order.len().min(slots.len())..];

    let sizes: Vec<u32> = order.iter().map(|j| jobs[*j]).collect();
    let mut search = PackingSearch {
        left: (0..=sizes.len())
            .map(|i| sizes[i..].iter().map(|s| u64::from(*s)).sum())
            .collect(),
        room: kept.iter().map(|i| slots[*i]).collect(),
        sizes,
        chosen: vec![None; order.len()],
        best: 0,
        found: vec![None; order.len()],
    };
    search.search_packings(0, 0);

    // The search only knows the largest slots. The jobs of each move together to the tightest slot that holds
    // them, the largest group first, so that long runs stay whole.
    let mut groups: Vec<(u32, Vec<usize>)> = vec![(0, Vec::new()); kept.len()];
    for (job, slot) in order.iter().zip(&search.found) {
        if let Some(slot) = slot {
            groups[*slot].0 += jobs[*job];
            groups[*slot].1.push(*job);
        }
    }
    groups.retain(|(load, _)| *load > 0);
    groups.sort_by_key(|(load, members)| (std::cmp::Reverse(*load), members[0]));
    let mut taken = vec![false; slots.len()];
    for (load, members) in groups {
        let tightest = by_room.iter().find(|i| !taken[**i] && slots[**i] >= load);
        if let Some(slot) = tightest {
            taken[*slot] = true;
            members.iter().for_each(|job| packing[*job] = Some(*slot));
        }
    }
    packing
}

/// Lists the slots by room, ascending; of equal ones the first.
fn tightest_first(slots: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..slots.len()).collect();
    order.sort_by_key(|slot| slots[*slot]);
    order
}

/// Lists the jobs by size, descending; of equal ones the earlier in the queue.
fn largest_first(jobs: &[u32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|job| std::cmp::Reverse(jobs[*job]));
    order
}

/// State of the branch-and-bound search.
struct PackingSearch {
    /// Nodes of each job, descending.
    sizes: Vec<u32>,
    /// By job, and one past the last: sum of the sizes of this job and all after it.
    left: Vec<u64>,
    /// Nodes left in each slot.
    room: Vec<u32>,
    /// Slot of each job on the current branch.
    chosen: Packing,
    /// Nodes packed by the best packing found.
    best: u64,
    /// Best packing found.
    found: Packing,
}

impl PackingSearch {
    /// Tries all packings of job `at` and those after it; `packed` is the number of nodes packed before it.
    fn search_packings(&mut self, at: usize, packed: u64) {
        if packed > self.best {
            self.best = packed;
            self.found.clone_from(&self.chosen);
        }
        // The bound: no more than all jobs left, and no more than the room of slots that hold the smallest of them.
        let Some(smallest) = self.sizes.last().copied().filter(|_| at < self.sizes.len()) else {
            return;
        };
        let room = self.room.iter().filter(|room| **room >= smallest);
        let room: u64 = room.map(|room| u64::from(*room)).sum();
        if packed + self.left[at].min(room) <= self.best {
            return;
        }
        let size = self.sizes[at];
        // Slots in which no other job fits beside this one differ only in what they waste: the tightest is enough.
        let alone = size..size + smallest;
        let tightest = self.room.iter().filter(|room| alone.contains(room)).min();
        let tightest = tightest.copied();
        for slot in 0..self.room.len() {
            let room = self.room[slot];
            // Slots of the same room lead to the same packings.
            let again = self.room[..slot].contains(&room);
            if room < size || again || alone.contains(&room) && tightest != Some(room) {
                continue;
            }
            self.room[slot] -= size;
            self.chosen[at] = Some(slot);
            self.search_packings(at + 1, packed + u64::from(size));
            self.chosen[at] = None;
            self.room[slot] += size;
        }
        self.search_packings(at + 1, packed);
    }
}

/// Packs `jobs` into `slots` by Martello and Toth's heuristic: slots ascending by room are filled one after
/// the other with the largest jobs that still fit; then two packed jobs are exchanged between their slots where
/// that makes room for a job left out, the largest that fits; then a packed job gives way to jobs left out where
/// they take more nodes. (Their rearrangement between the steps has no effect on a sum of weights that are the
/// profits, and is left out.)
///
/// # Complexity
/// O(slots · jobs + jobs³).
///
/// # References
/// Martello and Toth, "Heuristic algorithms for the multiple knapsack problem", 1981, algorithm MTHM,
/// <https://doi.org/10.1007/BF02243544>.
pub fn pack_greedily(jobs: &[u32], slots: &[u32]) -> Packing {
    let mut packing: Packing = vec![None; jobs.len()];
    let mut room = slots.to_vec();
    let order = largest_first(jobs);
    for slot in tightest_first(slots) {
        for job in &order {
            if packing[*job].is_none() && jobs[*job] <= room[slot] {
                packing[*job] = Some(slot);
                room[slot] -= jobs[*job];
            }
        }
    }
    exchange_jobs(jobs, &order, &mut packing, &mut room);
    replace_jobs(jobs, &order, &mut packing, &mut room);
    packing
}

/// Finds the first job of `order` that is left out and fits `room`; `None` if there is none.
fn find_unpacked(jobs: &[u32], order: &[usize], packing: &Packing, room: u32) -> Option<usize> {
    order
        .iter()
        .copied()
        .find(|job| packing[*job].is_none() && jobs[*job] <= room)
}

/// Exchanges pairs of packed jobs between their slots where the larger one's slot then takes a job left out.
fn exchange_jobs(jobs: &[u32], order: &[usize], packing: &mut Packing, room: &mut [u32]) {
    for (i, large) in order.iter().enumerate() {
        for small in &order[i + 1..] {
            let (Some(a), Some(b)) = (packing[*large], packing[*small]) else {
                continue;
            };
            let gain = jobs[*large] - jobs[*small];
            if a == b || gain > room[b] {
                continue;
            }
            if let Some(job) = find_unpacked(jobs, order, packing, room[a] + gain) {
                room[a] += gain;
                room[b] -= gain;
                packing.swap(*large, *small);
                room[a] -= jobs[job];
                packing[job] = Some(a);
            }
        }
    }
}

/// Replaces a packed job, smallest first, by jobs left out where they take more nodes.
fn replace_jobs(jobs: &[u32], order: &[usize], packing: &mut Packing, room: &mut [u32]) {
    for job in order.iter().rev() {
        let Some(slot) = packing[*job] else { continue };
        let mut rest = room[slot] + jobs[*job];
        let mut instead = Vec::new();
        for other in order {
            if packing[*other].is_none() && jobs[*other] <= rest {
                rest -= jobs[*other];
                instead.push(*other);
            }
        }
        if rest < room[slot] {
            packing[*job] = None;
            instead
                .iter()
                .for_each(|other| packing[*other] = Some(slot));
            room[slot] = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jobs A to E of 6, 4, 3, 1, 2 nodes, free runs of 3, 6 and 6 ranks.
    #[test]
    fn the_sources_own_example() {
        let (jobs, slots) = ([6, 4, 3, 1, 2], [3, 6, 6]);
        for packing in [pack_exactly(&jobs, &slots), pack_greedily(&jobs, &slots)] {
            // The default scheduler leaves one node idle; here only the job of one node waits.
            let waits: Vec<bool> = packing.iter().map(Option::is_none).collect();
            assert_eq!(waits, [false, false, false, true, false]);
        }
    }
}
