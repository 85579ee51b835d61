//! Where the pods of a job go: evenly where it asks for that and it can be, else level by level.

use super::balanced;
use super::domains::{Domains, Room};
use super::placement::{Ask, Misfit, Mode, Placement, Pods};

/// Puts the pods of a job into the leaves of `domains` that have `rooms`; leaves in the order of their labels. `scratch`
/// is memory that is kept between jobs.
///
/// # Errors
/// There is no such place.
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
    let (need, leader) = (ask.pods / slice.1, i64::from(ask.slices.leader));
    let p = Placement {
        domains,
        ask,
        slice,
        need,
        leader,
    };
    let even = match ask.balanced && ask.mode == Mode::Preferred {
        true => balanced::place(&p, rooms, scratch)?,
        false => None,
    };
    match even {
        Some((level, shares)) => Ok(p.down(level, shares, scratch, true)),
        None => {
            let (level, shares) = p.level_that_fits(rooms)?;
            Ok(p.down(level, shares, rooms, false))
        }
    }
}
