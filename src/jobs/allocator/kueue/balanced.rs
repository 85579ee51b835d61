//! Kueue's balanced placement (TASBalancedPlacement): as even as possible over as few domains as possible.
//!
//! The rule, with the functions of `tas_balanced_placement.go` in brackets. At the level that the job prefers,
//! each *group* of domains (those inside one domain of the level above) is asked how evenly it could hold the job:
//!
//! 1. Take the fullest domains until the job fits, and count them (`evaluateGreedyAssignment`). The job's slices over
//!    this count of domains, rounded down, are the *threshold*: the fewest slices that each domain must hold.
//! 2. Empty the domains that hold fewer slices (`pruneDomainsBelowThreshold`) and see whether the job still fits.
//!
//! The group with the highest threshold wins, the one that needs fewer domains among equals
//! (`findBestDomainsForBalancedPlacement`). Of its domains a set as small and as tight as possible is chosen
//! (`selectOptimalDomainSetToFit`), each gets `threshold` slices, and the first ones those left over
//! (`placeSlicesOnDomainsBalanced`).
//!
//! ```text
//! 10 slices on racks with room for 8, 5, 5 and 2: the first two hold them, so the threshold is 10 / 2 = 5;
//! without the rack of 2, racks 5 and 5 are the tightest pair that holds 10: 5 + 5, where best fit would put 8 + 2.
//! ```
//!
//! If slices are to share a domain of a lower level, domains right below the preferred level get the slices.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::domains::DomainCapacity;
use super::placement::{DomainShare, Placement, PlacementError, pair_with_capacities};

/// The outcome of a greedy choice.
struct GreedyChoice {
    /// Number of domains taken.
    count: i64,
    /// The domain that takes the leader, if there is one.
    beside: Option<DomainCapacity>,
    /// The last of the other domains, if any was taken.
    last: Option<DomainCapacity>,
}

/// A level, and the slices that its domains get.
type BalancedShares = (usize, Vec<DomainShare>);

/// Places slices evenly; `None` where that cannot be done. `pruned` gets the room that they find, for the domains
/// chosen and those beside and below them alone.
///
/// # Errors
/// The job has fewer pods than a slice, at which Kueue stops.
pub fn place_balanced(
    p: &Placement<'_>,
    rooms: &[DomainCapacity],
    pruned: &mut Vec<DomainCapacity>,
) -> Result<Option<BalancedShares>, PlacementError> {
    pruned.resize(rooms.len(), DomainCapacity::default());
    let Some((group, threshold)) = find_best_group(p, rooms, pruned)? else {
        return Ok(None);
    };
    let mut level = p.request.level;
    let mut ids: Vec<u32> = group.collect();
    if level < p.slice.0 {
        let Some(chosen) = select_domain_set(p, &ids, pruned, true) else {
            return Ok(None);
        };
        ids = chosen
            .into_iter()
            .flat_map(|id| p.domains.children_of(id))
            .collect();
        level += 1;
    }
    Ok(share_evenly(p, &ids, pruned, threshold).map(|shares| (level, shares)))
}

/// Takes the fullest domains until the job fits; `None` if it does not fit.
fn take_fullest(
    p: &Placement<'_>,
    shares: impl Iterator<Item = DomainShare>,
) -> Option<GreedyChoice> {
    let mut choice = GreedyChoice {
        count: 0,
        beside: None,
        last: None,
    };
    let mut rest = p.slice_count;
    // Domains with nothing come last, and most have nothing on a full machine: leaving them out saves sorting them.
    let mut left: Vec<DomainShare> = shares
        .filter(|DomainShare { room, .. }| {
            p.leader || p.request.least_free || room.slices > 0 || room.affinity != 0
        })
        .collect();
    if p.leader {
        p.sort_domains(&mut left, true);
        let first = left.first().filter(|share| share.room.leaders > 0)?.room;
        choice.count = 1;
        choice.beside = Some(first);
        rest -= first.slices_with_leader;
        left.remove(0);
    }
    p.sort_domains(&mut left, false);
    for DomainShare { room, .. } in left {
        if rest <= 0 || room.slices == 0 {
            break;
        }
        choice.count += 1;
        choice.last = Some(room);
        rest -= room.slices;
    }
    (rest <= 0).then_some(choice)
}

/// Finds the most slices that a domain of `lower`, which is `group` or right below it, may have, and the fewest
/// domains of `group` that may hold the job.
fn bound_group(
    p: &Placement<'_>,
    rooms: &[DomainCapacity],
    group: &Range<u32>,
    lower: &Range<u32>,
) -> (i64, i64) {
    let most_slices = |range: &Range<u32>| {
        let row = &rooms[range.start as usize..range.end as usize];
        row.iter().map(|room| room.slices).max().unwrap_or(0)
    };
    // Leaves are many: what the fullest of them holds is known above them.
    let most = if p.slice.0 + 1 == p.domains.level_count()
        && p.request.level + 2 >= p.domains.level_count()
    {
        let row = &rooms[group.start as usize..group.end as usize];
        row.iter()
            .map(|room| room.max_leaf_pods / p.slice.1)
            .max()
            .unwrap_or(0)
    } else {
        most_slices(lower)
    };
    (
        most.min(p.slice_count),
        (p.slice_count - 1) / most_slices(group).max(1) + 1,
    )
}

/// Finds the group that can hold the job most evenly, and its threshold; `None` if none can. `pruned` gets the room
/// that is left in it when the domains below the threshold are emptied.
fn find_best_group(
    p: &Placement<'_>,
    rooms: &[DomainCapacity],
    pruned: &mut [DomainCapacity],
) -> Result<Option<(Range<u32>, i64)>, PlacementError> {
    let level = p.request.level;
    let groups: Vec<Range<u32>> = match level.checked_sub(1) {
        None => vec![p.domains.domains_of_level(0)],
        Some(above) => p
            .domains
            .domains_of_level(above)
            .map(|id| p.domains.children_of(id))
            .collect(),
    };
    let mut best = 0;
    let mut fewest = 0;
    let mut chosen = None;
    for group in groups {
        let lower = if level < p.slice.0 {
            p.domains.children_of_row(&group)
        } else {
            group.clone()
        };
        // A group that cannot be better than the best so far is not looked at.
        let (most, least) = bound_group(p, rooms, &group, &lower);
        if chosen.is_some() && (most < best || most == best && least >= fewest) {
            continue;
        }
        let Some(greedy) = take_fullest(p, pair_with_capacities(lower, rooms)) else {
            continue;
        };
        if greedy.count == 0 {
            return Err(PlacementError::BelowSlice);
        }
        let mut threshold = p.slice_count / greedy.count;
        if let Some(room) = greedy.beside {
            threshold = threshold.min(room.slices_with_leader);
        }
        if let Some(room) = greedy.last {
            threshold = threshold.min(room.slices);
        }
        // The leader may end up in the last domain, which then holds fewer slices.
        let reserve = match greedy.last {
            Some(room) if p.leader => threshold.min(room.slices_with_leader),
            _ => threshold,
        };
        if threshold < best || threshold == best && least >= fewest {
            continue;
        }
        prune_group(p, rooms, pruned, &group, threshold);
        let mut found = take_fullest(p, pair_with_capacities(group.clone(), pruned));
        if found.is_none() && reserve < threshold {
            if reserve <= 0 || reserve < best {
                continue;
            }
            threshold = reserve;
            prune_group(p, rooms, pruned, &group, threshold);
            found = take_fullest(p, pair_with_capacities(group.clone(), pruned));
        }
        let Some(GreedyChoice { count, .. }) = found else {
            continue;
        };
        if threshold > best || (threshold == best && count < fewest) {
            best = threshold;
            fewest = count;
            chosen = Some(group);
        }
    }
    Ok(chosen.filter(|_| best > 0).map(|group| {
        // Other groups were looked at since: `pruned` is made for this one again.
        prune_group(p, rooms, pruned, &group, best);
        (group, best)
    }))
}

/// Empties the domains of a group, and right below it, that have fewer slices than `threshold`, and takes leaders off
/// those that have fewer beside a leader.
fn prune_group(
    p: &Placement<'_>,
    rooms: &[DomainCapacity],
    pruned: &mut [DomainCapacity],
    group: &Range<u32>,
    threshold: i64,
) {
    let mut row = group.clone();
    while !row.is_empty() {
        let range = row.start as usize..row.end as usize;
        pruned[range.clone()].copy_from_slice(&rooms[range]);
        row = p.domains.children_of_row(&row);
    }
    if p.request.level + 1 < p.domains.level_count() {
        for id in p.domains.children_of_row(group) {
            prune_domain(p, pruned, id, threshold);
        }
    }
    p.domains
        .sum_descendants(pruned, group.clone(), &p.request.slices, false);
    for id in group.clone() {
        prune_domain(p, pruned, id, threshold);
    }
}

/// Empties a domain and all below it, or takes leaders off them, if it has too few slices.
fn prune_domain(p: &Placement<'_>, rooms: &mut [DomainCapacity], id: u32, threshold: i64) {
    let room = rooms[id as usize];
    let all = room.slices < threshold;
    if !(all || p.leader && room.leaders > 0 && room.slices_with_leader < threshold) {
        return;
    }
    let mut row = id..id + 1;
    while !row.is_empty() {
        for room in &mut rooms[row.start as usize..row.end as usize] {
            if all {
                *room = DomainCapacity {
                    affinity: room.affinity,
                    ..DomainCapacity::default()
                };
            }
            room.pods_with_leader = 0;
            room.slices_with_leader = 0;
            room.leaders = 0;
        }
        row = p.domains.children_of_row(&row);
    }
}

/// Computes the entropy (to base 2) of the pods that fit, spread over the domains right below `domain`. Adds the terms
/// from the domain with the most pods on, so that domains whose pods are spread alike give exactly the same number.
fn pod_entropy(p: &Placement<'_>, rooms: &[DomainCapacity], domain: u32) -> f64 {
    let children = p
        .domains
        .children_of(domain)
        .map(|id| rooms[id as usize].pods);
    let mut pods: Vec<i64> = children.filter(|pods| *pods > 0).collect();
    pods.sort_unstable_by_key(|pods| Reverse(*pods));
    let total = pods.iter().sum::<i64>() as f64;
    pods.iter()
        .map(|pods| *pods as f64 / total)
        .map(|part| -part * part.log2())
        .sum()
}

/// Selects as few domains as the greedy choice takes, of these sets the one with the least room that suffices, the
/// first such in order; `None` if there is none.
///
/// Goes through the domains one by one and keeps, for each number of domains taken, every combination of leaders and
/// pods that can be left to place (a knapsack): the last table then shows the least room beyond the job.
fn select_domain_set(
    p: &Placement<'_>,
    ids: &[u32],
    rooms: &[DomainCapacity],
    by_entropy: bool,
) -> Option<Vec<u32>> {
    let mut all: Vec<_> = pair_with_capacities(ids.iter().copied(), rooms).collect();
    let count = take_fullest(p, all.iter().copied())?.count as usize;
    all.retain(|share| share.room.slices > 0 || share.room.leaders > 0);
    all.sort_by_key(|share| share.id);
    let widest = all.iter().map(|share| share.room.pods).max().unwrap_or(0);
    if by_entropy {
        let entropy: BTreeMap<u32, f64> = all
            .iter()
            .map(|share| (share.id, pod_entropy(p, rooms, share.id)))
            .collect();
        all.sort_by(|a, b| {
            (b.room.leaders, b.room.slices_with_leader)
                .cmp(&(a.room.leaders, a.room.slices_with_leader))
                .then(entropy[&b.id].total_cmp(&entropy[&a.id]))
        });
    }
    // Every set met, as its last domain and the set without that one.
    let mut chosen: Vec<(u32, usize)> = vec![(0, 0)];
    // By number of domains: leaders and pods that are left to place, with the first set that leaves them.
    let mut table: Vec<BTreeMap<(i64, i64), usize>> = vec![BTreeMap::new(); count + 1];
    table[0].insert((i64::from(p.leader), p.slice_count * p.slice.1), 0);
    for (at, share) in all.iter().enumerate() {
        let DomainShare { id, room } = *share;
        // With fewer taken, those that follow are too few.
        let fewest = (count + at + 1).saturating_sub(all.len()).max(1);
        // From the largest sets down, so that no set takes a domain twice.
        for taken in (fewest..=count.min(at + 1)).rev() {
            let (before, after) = table.split_at_mut(taken);
            for (&(leaders, pods), &from) in &before[taken - 1] {
                let done = leaders <= 0 && pods <= 0;
                if done || pods > (count - taken + 1) as i64 * widest {
                    continue;
                }
                let mut add_set = |leaders: i64, pods: i64| {
                    after[0].entry((leaders, pods)).or_insert_with(|| {
                        chosen.push((id, from));
                        chosen.len() - 1
                    });
                };
                if leaders > 0 && room.leaders > 0 {
                    add_set(leaders - room.leaders, pods - room.pods_with_leader);
                }
                if room.slices > 0 {
                    add_set(leaders, pods - room.pods);
                }
            }
        }
    }
    // The fewest pods too many: the largest number that is not above 0.
    let (_, mut at) = table[count].range((0, i64::MIN)..=(0, 0)).next_back()?;
    let mut found = Vec::new();
    for _ in 0..count {
        let (id, before) = &chosen[*at];
        found.push(*id);
        at = before;
    }
    found.reverse();
    (count > 0).then_some(found)
}

/// Gives `threshold` slices to each of as few domains as can be, and those left over to the first ones; `None` if
/// they do not fit.
fn share_evenly(
    p: &Placement<'_>,
    ids: &[u32],
    rooms: &mut [DomainCapacity],
    threshold: i64,
) -> Option<Vec<DomainShare>> {
    let chosen = select_domain_set(p, ids, rooms, false)?;
    let mut extra = p.slice_count - chosen.len() as i64 * threshold;
    if extra < 0 {
        return None;
    }
    let mut leaders = i64::from(p.leader);
    let mut shares: Vec<_> = pair_with_capacities(chosen.iter().copied(), rooms).collect();
    p.sort_domains(&mut shares, true);
    for DomainShare { room, .. } in &mut shares {
        let mut more = 0;
        if leaders > 0 || extra > 0 {
            more = (room.count_fitting(true, leaders > 0) - threshold).min(extra);
        }
        room.leaders = leaders.min(1);
        leaders -= room.leaders;
        room.slices = threshold + more;
        room.slices_with_leader = room.slices;
        room.pods = room.slices * p.slice.1;
        room.pods_with_leader = room.pods - room.leaders;
        extra -= more;
    }
    (extra <= 0 && leaders <= 0).then_some(shares)
}
