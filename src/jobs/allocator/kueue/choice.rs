//! The placement of a job: evenly where it asks for that and it can be done, else level by level.

use super::balanced;
use super::domains::{Domains, Room};
use super::placement::{Ask, Misfit, Mode, Placement, Pods};

/// Places the pods of a job on the leaves of `domains`, which have `rooms`; returns leaves in the order of their labels.
/// `scratch` is memory that is kept between jobs. Follows Kueue's `findTopologyAssignment`.
///
/// # Errors
/// Too few of the pods fit where the job asks for them.
///
/// # Complexity
/// O(domains of the level asked for + domains below those chosen · log of these); with `balanced` also O(domains²).
pub fn place(
    domains: &Domains,
    ask: &Ask,
    rooms: &[Room],
    scratch: &mut Vec<Room>,
) -> Result<Pods, Misfit> {
    let slice = ask.slices.outermost(domains.depth());
    let p = Placement {
        domains,
        ask,
        slice,
        need: ask.pods / slice.1,
        leader: ask.slices.leader,
    };
    // Kueue balances preferred jobs alone: others may not choose among domains of a level.
    if ask.balanced
        && ask.mode == Mode::Preferred
        && let Some((level, shares)) = balanced::place(&p, rooms, scratch)?
    {
        return Ok(p.down(level, shares, scratch, true));
    }
    let (level, shares) = p.level_that_fits(rooms)?;
    Ok(p.down(level, shares, rooms, false))
}
