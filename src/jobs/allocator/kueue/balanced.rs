//! Kueue's balanced placement: as even as possible over as few domains as possible, at the level below the one preferred.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::domains::Room;
use super::placement::{Misfit, Placement, Share, with_room};

/// Domains that a greedy choice takes: how many, the last one beside a leader, and the last one.
type Greedy = (i64, Option<Room>, Option<Room>);

/// A level, and what its domains get.
type Balanced = (usize, Vec<Share>);

/// Puts pods evenly; none where that cannot be done. The room that they find is in `pruned`, for the domains chosen and
/// those beside and below them alone.
///
/// # Errors
/// Fewer pods than a slice has, at which Kueue stops.
pub(super) fn place(
    p: &Placement<'_>,
    rooms: &[Room],
    pruned: &mut Vec<Room>,
) -> Result<Option<Balanced>, Misfit> {
    pruned.resize(rooms.len(), Room::default());
    let Some((group, threshold)) = candidates(p, rooms, pruned)? else {
        return Ok(None);
    };
    let (mut level, mut ids): (usize, Vec<u32>) = (p.ask.level, group.collect());
    if level < p.slice.0 {
        let Some(chosen) = fewest(p, &ids, pruned, true) else {
            return Ok(None);
        };
        ids = chosen
            .into_iter()
            .flat_map(|id| p.domains.below(id))
            .collect();
        level += 1;
    }
    Ok(share(p, &ids, pruned, threshold).map(|shares| (level, shares)))
}

fn greedy(p: &Placement<'_>, shares: impl Iterator<Item = Share>) -> Option<Greedy> {
    let (mut count, mut beside, mut last, mut rest) = (0, None, None, p.need);
    // Domains with nothing come last, and most have nothing on a full machine.
    let counts = |share: &Share| {
        p.leader > 0 || p.ask.least_free || share.room.slices > 0 || share.room.affinity != 0
    };
    let mut left: Vec<Share> = shares.filter(counts).collect();
    if p.leader > 0 {
        left.sort_by_cached_key(|share| p.key_beside(share));
        let first = left.first().filter(|share| share.room.leaders > 0)?.room;
        (count, beside, rest) = (1, Some(first), rest - first.slices_beside);
        left.remove(0);
    }
    p.sort(&mut left);
    for share in left.iter().take_while(|share| share.room.slices > 0) {
        if rest <= 0 {
            break;
        }
        (count, last, rest) = (count + 1, Some(share.room), rest - share.room.slices);
    }
    (rest <= 0).then_some((count, beside, last))
}

/// The most slices that a domain of `lower`, which is `group` or right below it, may have, and the fewest domains of
/// `group` that may hold the job.
fn bounds(p: &Placement<'_>, rooms: &[Room], group: &Range<u32>, lower: &Range<u32>) -> (i64, i64) {
    let of = |range: &Range<u32>| &rooms[range.start as usize..range.end as usize];
    let slices = |range| of(range).iter().map(|room| room.slices).max().unwrap_or(0);
    // Leaves are many: what the fullest of them holds is known above them.
    let most = match p.slice.0 + 1 == p.domains.depth() && p.ask.level + 2 >= p.domains.depth() {
        true => of(group)
            .iter()
            .map(|room| room.most / p.slice.1)
            .max()
            .unwrap_or(0),
        false => slices(lower),
    };
    (most.min(p.need), (p.need - 1) / slices(group).max(1) + 1)
}

/// The domains of a level within one domain, and the fewest slices of each; in `pruned` the room that is left when those
/// that have fewer are emptied.
fn candidates(
    p: &Placement<'_>,
    rooms: &[Room],
    pruned: &mut [Room],
) -> Result<Option<(Range<u32>, i64)>, Misfit> {
    let level = p.ask.level;
    let groups: Vec<Range<u32>> = match level.checked_sub(1) {
        None => vec![p.domains.level(0)],
        Some(above) => p
            .domains
            .level(above)
            .map(|id| p.domains.below(id))
            .collect(),
    };
    let (mut best, mut fewest, mut chosen) = (0, 0, None);
    for group in groups {
        let lower = match level < p.slice.0 {
            true => p.domains.below(group.start).start..p.domains.below(group.end - 1).end,
            false => group.clone(),
        };
        // What cannot be better than the best so far is not looked at.
        let (most, least) = bounds(p, rooms, &group, &lower);
        let worse = |most| most < best || most == best && least >= fewest;
        if chosen.is_some() && worse(most) {
            continue;
        }
        let Some((count, beside, last)) = greedy(p, with_room(lower, rooms)) else {
            continue;
        };
        if count == 0 {
            return Err(Misfit::BelowSlice);
        }
        let mut threshold = p.need / count;
        threshold = beside.map_or(threshold, |room| threshold.min(room.slices_beside));
        threshold = last.map_or(threshold, |room| threshold.min(room.slices));
        let reserve = match last {
            Some(room) if p.leader > 0 => threshold.min(room.slices_beside),
            _ => threshold,
        };
        if worse(threshold) {
            continue;
        }
        prune(p, rooms, pruned, &group, threshold);
        let mut found = greedy(p, with_room(group.clone(), pruned));
        if found.is_none() && reserve < threshold {
            if reserve <= 0 || reserve < best {
                continue;
            }
            threshold = reserve;
            prune(p, rooms, pruned, &group, threshold);
            found = greedy(p, with_room(group.clone(), pruned));
        }
        let Some((count, ..)) = found else { continue };
        if threshold > best || (threshold == best && count < fewest) {
            (best, fewest, chosen) = (threshold, count, Some(group));
        }
    }
    Ok(chosen.filter(|_| best > 0).map(|group| {
        prune(p, rooms, pruned, &group, best);
        (group, best)
    }))
}

/// The room in a group of domains without those that have fewer slices than `threshold`, and without leaders where
/// these leave fewer.
fn prune(
    p: &Placement<'_>,
    rooms: &[Room],
    pruned: &mut [Room],
    group: &Range<u32>,
    threshold: i64,
) {
    let below =
        |row: &Range<u32>| p.domains.below(row.start).start..p.domains.below(row.end - 1).end;
    let mut row = group.clone();
    while !row.is_empty() {
        let range = row.start as usize..row.end as usize;
        pruned[range.clone()].copy_from_slice(&rooms[range]);
        row = below(&row);
    }
    let lower = match p.ask.level + 1 < p.domains.depth() {
        true => below(group),
        false => 0..0,
    };
    lower.for_each(|id| prune_one(p, pruned, id, threshold));
    p.domains
        .sum_below(pruned, group.clone(), &p.ask.slices, false);
    group
        .clone()
        .for_each(|id| prune_one(p, pruned, id, threshold));
}

fn prune_one(p: &Placement<'_>, rooms: &mut [Room], id: u32, threshold: i64) {
    let room = rooms[id as usize];
    let all = room.slices < threshold;
    if !(all || p.leader > 0 && room.leaders > 0 && room.slices_beside < threshold) {
        return;
    }
    let mut row = id..id + 1;
    while !row.is_empty() {
        for room in &mut rooms[row.start as usize..row.end as usize] {
            if all {
                *room = Room {
                    affinity: room.affinity,
                    ..Room::default()
                };
            }
            (room.pods_beside, room.slices_beside, room.leaders) = (0, 0, 0);
        }
        row = p.domains.below(row.start).start..p.domains.below(row.end - 1).end;
    }
}

/// Entropy of the pods over domains, summed from the most pods on, so that alike domains have the same.
fn entropy(p: &Placement<'_>, rooms: &[Room], domain: u32) -> f64 {
    let children = p.domains.below(domain).map(|id| rooms[id as usize].pods);
    let mut pods: Vec<i64> = children.filter(|pods| *pods > 0).collect();
    pods.sort_unstable_by_key(|pods| Reverse(*pods));
    let total = pods.iter().sum::<i64>() as f64;
    let part = |pods: &i64| *pods as f64 / total;
    pods.iter()
        .map(|pods| -part(pods) * part(pods).log2())
        .sum()
}

/// As few domains as the greedy choice takes, of these the least room that suffices; the first such set in order.
fn fewest(p: &Placement<'_>, ids: &[u32], rooms: &[Room], by_entropy: bool) -> Option<Vec<u32>> {
    let mut all: Vec<_> = with_room(ids.iter().copied(), rooms).collect();
    let count = greedy(p, all.iter().copied())?.0 as usize;
    all.retain(|share| share.room.slices > 0 || share.room.leaders > 0);
    all.sort_by_key(|share| share.id);
    let widest = all.iter().map(|share| share.room.pods).max().unwrap_or(0);
    if by_entropy {
        let entropy: BTreeMap<u32, f64> = all
            .iter()
            .map(|share| (share.id, entropy(p, rooms, share.id)))
            .collect();
        let key = |share: &Share| (-share.room.leaders, -share.room.slices_beside);
        all.sort_by(|a, b| {
            key(a)
                .cmp(&key(b))
                .then(entropy[&b.id].total_cmp(&entropy[&a.id]))
        });
    }
    // By number of domains: leaders and pods that are left, with the domains chosen, each with those before it.
    let mut chosen: Vec<(u32, usize)> = vec![(0, 0)];
    let mut table: Vec<BTreeMap<(i64, i64), usize>> = vec![BTreeMap::new(); count + 1];
    table[0].insert((p.leader, p.need * p.slice.1), 0);
    for (at, share) in all.iter().enumerate() {
        // With fewer taken, those that follow are too few.
        let fewest = (count + at + 1).saturating_sub(all.len()).max(1);
        for taken in (fewest..=count.min(at + 1)).rev() {
            let (before, after) = table.split_at_mut(taken);
            for (&(leaders, pods), &from) in &before[taken - 1] {
                let done = leaders <= 0 && pods <= 0;
                if done || pods > (count - taken + 1) as i64 * widest {
                    continue;
                }
                let Room {
                    pods: own,
                    pods_beside,
                    ..
                } = share.room;
                let mut put = |left: (i64, i64)| {
                    after[0].entry(left).or_insert_with(|| {
                        chosen.push((share.id, from));
                        chosen.len() - 1
                    });
                };
                if leaders > 0 && share.room.leaders > 0 {
                    put((leaders - share.room.leaders, pods - pods_beside));
                }
                if share.room.slices > 0 {
                    put((leaders, pods - own));
                }
            }
        }
    }
    let (_, &last) = table[count].range((0, i64::MIN)..=(0, 0)).next_back()?;
    let back = std::iter::successors(Some(chosen[last]), |(_, before)| Some(chosen[*before]));
    let mut found: Vec<u32> = back.take(count).map(|(id, _)| id).collect();
    found.reverse();
    (count > 0).then_some(found)
}

/// `threshold` slices to each of as few domains as can be, those left over to the first ones.
fn share(p: &Placement<'_>, ids: &[u32], rooms: &mut [Room], threshold: i64) -> Option<Vec<Share>> {
    let chosen = fewest(p, ids, rooms, false)?;
    let mut extra = p.need - chosen.len() as i64 * threshold;
    if extra < 0 {
        return None;
    }
    let mut leaders = p.leader;
    let mut shares: Vec<_> = with_room(chosen.iter().copied(), rooms).collect();
    shares.sort_by_cached_key(|share| p.key_beside(share));
    for Share { room, .. } in &mut shares {
        let own = if leaders > 0 {
            room.slices_beside
        } else {
            room.slices
        };
        let more = if leaders > 0 || extra > 0 {
            (own - threshold).min(extra)
        } else {
            0
        };
        room.leaders = leaders.min(1);
        leaders -= room.leaders;
        (room.slices, room.slices_beside) = (threshold + more, threshold + more);
        room.pods = room.slices * p.slice.1;
        room.pods_beside = room.pods - room.leaders;
        extra -= more;
    }
    (extra <= 0 && leaders <= 0).then_some(shares)
}
