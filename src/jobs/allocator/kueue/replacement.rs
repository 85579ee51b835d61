//! Where the pods of a failed node go, while the rest of their job stays.

use super::choice::place;
use super::domains::{Domains, Room, Slices};
use super::placement::{Ask, Misfit, Mode, Pods};

/// The pods of a job after those of a failed node (`missing` of them) were put elsewhere; `rest` are those that stay,
/// by leaf. `rooms` gives the room for the slices asked for: rest and other jobs taken off, nothing on the failed node.
///
/// # Errors
/// There is no place for them.
pub fn replace(
    domains: &Domains,
    ask: &Ask,
    rest: &Pods,
    missing: i64,
    rooms: &dyn Fn(&Slices) -> Vec<Room>,
) -> Result<Pods, Misfit> {
    let layers = &ask.slices.layers;
    let mut new = Ask {
        pods: missing,
        ..ask.clone()
    };
    let broken = layers.first().is_some_and(|(_, size)| missing % size != 0);
    let mut within = None;
    if broken && !rest.is_empty() {
        let odd = layers.iter().rev().find(|(_, size)| missing % size != 0);
        within = odd.and_then(|(level, size)| short(domains, rest, missing, *level, *size));
        if within.is_some() {
            // The innermost layer whose size divides what is missing stays; none: single pods.
            let kept = layers.iter().rev().find(|(_, size)| missing % size == 0);
            new.slices.layers = kept.into_iter().copied().collect();
            if new.slices.layers.is_empty() && ask.bare {
                return Err(Misfit::NoReplacement);
            }
            if new.slices.layers.is_empty() && ask.mode == Mode::Unconstrained {
                new.level = domains.depth() - 1;
            }
        }
    } else if ask.mode == Mode::Required {
        within = rest
            .first()
            .map(|(leaf, ..)| (domains.above(*leaf, ask.level), ask.level));
    }
    let mut rooms = rooms(&new.slices);
    if let Some((domain, level)) = within {
        let last = domains.depth() - 1;
        let outside = |leaf: &u32| domains.above(*leaf, level) != domain;
        domains
            .level(last)
            .filter(outside)
            .for_each(|leaf| rooms[leaf as usize] = Room::default());
        domains.sum_below(&mut rooms, domains.level(0), &new.slices, true);
    }
    let found = place(domains, &new, &rooms, &mut Vec::new())?;
    if found.iter().all(|(_, pods, _)| *pods == 0) {
        return Err(Misfit::NoReplacement);
    }
    let mut all = rest.clone();
    // A leader that stays does not move.
    let moves = rest.iter().all(|(.., leaders)| *leaders == 0);
    for (leaf, pods, leaders) in found {
        let leaders = if moves { leaders } else { 0 };
        match all.iter_mut().find(|(other, ..)| *other == leaf) {
            Some((_, own, leads)) => (*own, *leads) = (*own + pods, *leads + leaders),
            None => all.push((leaf, pods, leaders)),
        }
    }
    all.retain(|(_, pods, leaders)| *pods > 0 || *leaders > 0);
    all.sort_unstable();
    Ok(all)
}

/// The first domain whose pods are a multiple of `size` again with those that are missing.
fn short(
    domains: &Domains,
    rest: &Pods,
    missing: i64,
    level: usize,
    size: i64,
) -> Option<(u32, usize)> {
    // Leaves are in order, so those of a domain stand together.
    let above = |leaf: &u32| domains.above(*leaf, level);
    let mut inside: Vec<(u32, i64)> = Vec::new();
    for (leaf, pods, _) in rest {
        match inside.last_mut() {
            Some((domain, sum)) if *domain == above(leaf) => *sum += pods,
            _ => inside.push((above(leaf), *pods)),
        }
    }
    let whole = inside
        .into_iter()
        .find(|(_, pods)| (pods + missing) % size == 0);
    whole.map(|(domain, _)| (domain, level))
}
