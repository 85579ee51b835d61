//! Guests for jobs of any size: the pattern is given, the job says how many processes.

use super::Guest;
use crate::error::{Error, Result, SourceLocation};
use crate::topology::Context;

/// Patterns that exist for any number of processes. `stencil` is `stencil3d`; grids are as square as the number
/// allows.
pub const PATTERNS: [&str; 5] = ["all-to-all", "ring", "stencil2d", "stencil3d", "stencil"];

/// The guest of pattern `name` with `count` processes, each of which sends one unit on the mean.
///
/// # Errors
/// A name that is not among [`PATTERNS`]; more memory than allowed.
///
/// # Examples
/// ```
/// let guest = nodeorder::mapping::guest::sized("stencil2d", 12, &Default::default())?;
/// assert_eq!((guest.processes(), guest.pair_count()), (12, 34));
/// # Ok::<(), nodeorder::Error>(())
/// ```
pub fn sized(name: &str, count: u32, context: &Context) -> Result<Guest> {
    let make = |volume: f64| {
        let text = match name {
            "stencil2d" => format!("stencil:{},volume={volume}", square(count, 2)),
            "stencil3d" | "stencil" => format!("stencil:{},volume={volume}", square(count, 3)),
            "all-to-all" | "ring" => format!("{name}:n={count},volume={volume}"),
            _ => {
                let location = SourceLocation::option(format!("--guest {name}"));
                return Err(Error::unknown(location, "pattern", name, PATTERNS));
            }
        };
        Guest::make(&text, context)
    };
    let pairs = make(1.0)?.pair_count();
    make(f64::from(count) / pairs.max(1) as f64)
}

/// `count` as a product of so many factors, as near to each other as they get, greatest first.
fn square(count: u32, factors: u32) -> String {
    let (mut rest, mut sides) = (count, Vec::new());
    for left in (1..=factors).rev() {
        // The largest divisor of what is left that is not above its root.
        let divides = |side: &u32| {
            rest.is_multiple_of(*side) && side.checked_pow(left).is_some_and(|p| p <= rest)
        };
        let side = match left {
            1 => rest,
            _ => (1..=rest.isqrt().max(1)).rev().find(divides).unwrap_or(1),
        };
        sides.push(side.to_string());
        rest /= side;
    }
    sides.reverse();
    sides.join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_square_as_they_get() {
        assert_eq!(square(64, 2), "8x8");
        assert_eq!(square(64, 3), "4x4x4");
        assert_eq!(square(12, 2), "4x3");
        assert_eq!(square(24, 3), "4x3x2");
        assert_eq!(square(7, 2), "7x1");
        assert_eq!(square(1, 3), "1x1x1");
    }

    #[test]
    fn every_pattern_sends_a_unit_a_process() {
        for name in PATTERNS {
            for count in [2, 7, 12, 64] {
                let guest = sized(name, count, &Context::default()).unwrap();
                let mut volume = 0.0;
                guest.for_each_message(|m| volume += m.volume);
                assert!((volume - f64::from(count)).abs() < 1e-9, "{name} {count}: {volume}");
            }
            assert_eq!(sized(name, 1, &Context::default()).unwrap().pair_count(), 0, "{name}");
        }
        assert!(sized("rign", 4, &Context::default()).is_err());
    }
}
