//! Guests for jobs of any size: the pattern is given, the job says how many processes.

use super::entry::SizedPattern;
use super::table::GUESTS;
use super::{Guest, Traffic};
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Context;

/// Lists the names of the patterns that exist for any number of processes. `stencil` is `stencil3d`; grids are as
/// square as the number allows.
pub fn sized_names() -> Vec<&'static str> {
    sized_patterns().map(|sized| sized.name).collect()
}

/// Iterates over the patterns that exist for any number of processes.
pub fn sized_patterns() -> impl Iterator<Item = &'static SizedPattern> {
    GUESTS.iter().flat_map(|entry| entry.parse.sized)
}

/// Makes the guest of pattern `name` with `count` processes, each of which sends one unit on the mean.
///
/// # Errors
/// A name that is not among [`sized_names`]; more memory than allowed.
///
/// # Examples
/// ```
/// let guest = nodeorder_traffic::mapping::guest::make_sized_guest("stencil2d", 12, &Default::default())?;
/// assert_eq!((guest.processes(), guest.pair_count()), (12, 34));
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn make_sized_guest(name: &str, count: u32, context: &Context) -> Result<Guest> {
    let sized = find_sized(name)?;
    let make =
        |volume: f64| Guest::make(&format!("{},volume={volume}", (sized.spec)(count)), context);
    // What unit volumes add up to says which volume makes the mean 1.
    let guest = make(1.0)?;
    let sum = match guest.traffic() {
        Traffic::AllToAll { volume } => guest.pair_count() as f64 * volume,
        Traffic::Messages(messages) => messages.iter().map(|m| m.volume).sum(),
    };
    if sum > 0.0 {
        make(f64::from(count) / sum)
    } else {
        Ok(guest)
    }
}

/// Makes the guest of `text`: of `count` processes where it is the name of a pattern alone, else as [`Guest::make`].
///
/// # Errors
/// As [`Guest::make`].
pub fn make_guest_for(text: &str, count: u32, context: &Context) -> Result<Guest> {
    match find_sized(text) {
        Ok(_) => make_sized_guest(text, count, context),
        Err(_) => Guest::make(text, context),
    }
}

/// Finds the pattern `name`. Fails if it is not among [`sized_names`].
fn find_sized(name: &str) -> Result<&'static SizedPattern> {
    let found = sized_patterns().find(|sized| sized.name == name);
    found.ok_or_else(|| {
        let location = SourceLocation::option(format!("--guest {name}"));
        Error::unknown(location, "guest", name, sized_names())
    })
}

/// Checks that the pattern `name` exists for any number of processes.
///
/// # Errors
/// A name that is not among [`sized_names`].
pub fn check_sized_guest(name: &str) -> Result<()> {
    find_sized(name).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::patterns::square_extents;
    use super::super::tests::messages;
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_get() {
        assert_eq!(square_extents(64, 2), "8x8");
        assert_eq!(square_extents(64, 3), "4x4x4");
        assert_eq!(square_extents(12, 2), "4x3");
        assert_eq!(square_extents(24, 3), "4x3x2");
        assert_eq!(square_extents(7, 2), "7x1");
        assert_eq!(square_extents(1, 3), "1x1x1");
    }

    #[test]
    fn every_pattern_sends_a_unit_a_process() {
        for name in sized_names() {
            for count in [2, 7, 12, 64] {
                let guest = make_sized_guest(name, count, &Context::default()).unwrap();
                let volume: f64 = messages(&guest).iter().map(|message| message.2).sum();
                // A benchmark that takes no more than one of them sends nothing.
                let alone = count < 4 && ["npb-bt", "npb-sp"].contains(&name);
                let all = if alone { 0.0 } else { f64::from(count) };
                assert!((volume - all).abs() < 1e-9, "{name} {count}: {volume}");
            }
            assert_eq!(
                make_sized_guest(name, 1, &Context::default())
                    .unwrap()
                    .pair_count(),
                0,
                "{name}"
            );
        }
        assert!(make_sized_guest("rign", 4, &Context::default()).is_err());
    }
}
