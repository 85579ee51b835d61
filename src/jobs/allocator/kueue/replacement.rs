//! Where the pods of a failed node go while the rest of their job stays.
//!
//! The missing pods are placed like a job of their own, with two rules of Kueue's: pods that complete a slice must go
//! into the domain whose slice they complete, and those of a required job into the domain that the rest is in. Inside
//! that domain the placement is free, so the room outside it is taken off first.

use super::choice::find_topology_assignment;
use super::domains::{DomainCapacity, Domains, Slices};
use super::placement::{LeafAssignment, PlacementError, PodSetRequest, TopologyRequest};

/// Places the `missing` pods of a job whose node failed, and returns all of its pods; `rest` are those that
/// stay, by leaf. `rooms` gives the room for the slices asked for, without the rest, other jobs and the failed node.
///
/// # Errors
/// There is no place for the missing pods.
pub fn replace_failed_pods(
    domains: &Domains,
    ask: &PodSetRequest,
    rest: &LeafAssignment,
    missing: i64,
    rooms: &dyn Fn(&Slices) -> Vec<DomainCapacity>,
) -> Result<LeafAssignment, PlacementError> {
    let layers = &ask.slices.layers;
    let mut new = PodSetRequest {
        pods: missing,
        ..ask.clone()
    };
    let broken = layers.first().is_some_and(|(_, size)| missing % size != 0);
    let mut within = None;
    if broken && !rest.is_empty() {
        // The innermost layer of which a slice was torn: its domain is the smallest that can complete the slice.
        let odd = layers.iter().rev().find(|(_, size)| missing % size != 0);
        within = odd.and_then(|(level, size)| {
            find_broken_domain(domains, rest, missing, *level, *size).map(|id| (id, *level))
        });
        if within.is_some() {
            // The innermost layer whose size divides what is missing stays; none: single pods.
            let kept = layers.iter().rev().find(|(_, size)| missing % size == 0);
            new.slices.layers = kept.into_iter().copied().collect();
            if new.slices.layers.is_empty() && ask.slices_only {
                return Err(PlacementError::NoReplacement);
            }
            if new.slices.layers.is_empty() && ask.mode == TopologyRequest::Unconstrained {
                new.level = domains.level_count() - 1;
            }
        }
    } else if ask.mode == TopologyRequest::Required {
        within = rest
            .first()
            .map(|(leaf, ..)| (domains.ancestor_at(*leaf, ask.level), ask.level));
    }
    let mut rooms = rooms(&new.slices);
    if let Some((domain, level)) = within {
        for leaf in domains.domains_of_level(domains.level_count() - 1) {
            if domains.ancestor_at(leaf, level) != domain {
                rooms[leaf as usize] = DomainCapacity::default();
            }
        }
        domains.sum_descendants(&mut rooms, domains.domains_of_level(0), &new.slices, true);
    }
    let found = find_topology_assignment(domains, &new, &rooms, &mut Vec::new())?;
    if found.iter().all(|(_, pods, _)| *pods == 0) {
        return Err(PlacementError::NoReplacement);
    }
    let mut all = rest.clone();
    // A leader that stays does not move.
    let moves = rest.iter().all(|(.., leaders)| *leaders == 0);
    for (leaf, pods, leaders) in found {
        let leaders = if moves { leaders } else { 0 };
        match all.iter_mut().find(|(other, ..)| *other == leaf) {
            Some((_, own, leads)) => {
                *own += pods;
                *leads += leaders;
            }
            None => all.push((leaf, pods, leaders)),
        }
    }
    all.retain(|(_, pods, leaders)| *pods > 0 || *leaders > 0);
    all.sort_unstable();
    Ok(all)
}

/// Finds the first domain of `level` whose pods and the missing ones make a multiple of `size`; `None` if no domain is
/// like that.
fn find_broken_domain(
    domains: &Domains,
    rest: &LeafAssignment,
    missing: i64,
    level: usize,
    size: i64,
) -> Option<u32> {
    // Leaves are in order, so those of a domain stand together.
    let above = |(leaf, ..): &(u32, i64, i64)| domains.ancestor_at(*leaf, level);
    rest.chunk_by(|a, b| above(a) == above(b))
        .find(|inside| {
            let pods: i64 = inside.iter().map(|(_, pods, _)| pods).sum();
            (pods + missing) % size == 0
        })
        .map(|inside| above(&inside[0]))
}
