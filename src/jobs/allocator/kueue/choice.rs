//! The placement of a job: evenly where it asks for that and it can be done, else level by level.

use super::balanced;
use super::domains::{DomainCapacity, Domains};
use super::placement::{LeafAssignment, Placement, PlacementError, PodSetRequest, TopologyRequest};

/// Places the pods of a job on the leaves of `domains`, which have `rooms`; returns leaves in the order of their
/// labels. `scratch` is memory that is kept between jobs. Follows Kueue's `findTopologyAssignment`.
///
/// # Errors
/// Too few of the pods fit where the job asks for them.
///
/// # Complexity
/// O(domains of the level asked for + domains below those chosen · log of these); with `balanced` also O(domains²).
pub fn find_topology_assignment(
    domains: &Domains,
    ask: &PodSetRequest,
    rooms: &[DomainCapacity],
    scratch: &mut Vec<DomainCapacity>,
) -> Result<LeafAssignment, PlacementError> {
    let slice = ask.slices.outermost_layer(domains.level_count());
    let p = Placement {
        domains,
        request: ask,
        slice,
        slice_count: ask.pods / slice.1,
        leader: ask.slices.leader,
    };
    // Kueue balances preferred jobs alone: others may not choose among domains of a level.
    if ask.balanced
        && ask.mode == TopologyRequest::Preferred
        && let Some((level, shares)) = balanced::place_balanced(&p, rooms, scratch)?
    {
        return Ok(p.descend_to_leaves(level, shares, scratch, true));
    }
    let (level, shares) = p.find_level_with_fit_domains(rooms)?;
    Ok(p.descend_to_leaves(level, shares, rooms, false))
}
