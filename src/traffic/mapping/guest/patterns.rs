//! Common options of traffic patterns, and messages listed process by process.

use super::{BuildGuest, Guest, MAX_PROCESSES, Message};
use nodeorder_base::{Error, Opt, Params, Result};
use nodeorder_network::Context;

/// Option that [`parse_processes`] reads.
pub const N: Opt = Opt::whole("n", "processes");

/// Option that [`parse_volume`] reads.
pub const VOLUME: Opt = Opt::number("volume", "what each message carries").default_value("1");

/// Reads the number of processes.
pub fn parse_processes(params: &Params) -> Result<u32> {
    params.required_integer("n", 1, MAX_PROCESSES)
}

/// Computes the logarithm of a number of processes. Fails if it is no power of two.
pub fn logarithm_of(params: &Params, n: u32) -> Result<u32> {
    if n.is_power_of_two() {
        Ok(n.trailing_zeros())
    } else {
        Err(params.invalid_value("n", "a power of two"))
    }
}

/// Reads the volume of each message. Fails if it is not above 0.
pub fn parse_volume(params: &Params) -> Result<f64> {
    match params.required_real("volume", 0.0, 1e250)? {
        volume if volume <= 0.0 => Err(params.invalid_value("volume", "a number above 0")),
        volume => Ok(volume),
    }
}

/// Counts the processes of a grid of these `dims`. Fails if a guest may not have as many.
pub fn count_processes(params: &Params, dims: &[u32]) -> Result<u32> {
    let mut all = 1u64;
    for n in dims {
        all = all.saturating_mul(u64::from(*n));
    }
    if all > u64::from(MAX_PROCESSES) {
        let found = format!("{all} processes");
        let expected = format!("1 to {MAX_PROCESSES} processes");
        return Err(Error::input(params.location_of("dims"), found, expected));
    }
    Ok(all as u32)
}

/// Function that visits the targets of a process: it calls its argument with each.
type VisitTargets = Box<dyn Fn(u32, &mut dyn FnMut(u32))>;

/// Pattern in which the targets of a process follow from its number.
pub struct NumberedPattern {
    pub processes: u32,
    /// Number of targets of a process, about.
    pub each: u32,
    /// Volume of each message.
    pub volume: f64,
    /// Names the targets of a process.
    pub targets: VisitTargets,
}

impl BuildGuest for NumberedPattern {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        list_messages(label, context, n, self.each, self.volume, &self.targets)
    }
}

/// Lists the messages of `n` processes, each of `volume`: `targets` is called for every process and names its
/// targets, about `each` of them. A target named twice gets one message.
pub fn list_messages(
    label: &str,
    context: &Context,
    n: u32,
    each: u32,
    volume: f64,
    mut targets: impl FnMut(u32, &mut dyn FnMut(u32)),
) -> Result<Guest> {
    let bytes = u64::from(n) * u64::from(each) * size_of::<Message>() as u64;
    context.require_memory("the guest's messages", 2 * bytes)?;
    let mut messages: Vec<Message> = Vec::new();
    for source in 0..n {
        let first = messages.len();
        targets(source, &mut |target| {
            // On small rings and grids two neighbours are one process.
            if messages[first..].iter().all(|m| m.target != target) {
                messages.push(Message {
                    source,
                    target,
                    volume,
                });
            }
        });
    }
    Guest::from_messages(label, n, messages)
}

/// Writes `count` as a product of `factors` numbers as near to each other as possible, greatest first.
pub fn square_extents(count: u32, factors: u32) -> String {
    let mut rest = count;
    let mut sides = Vec::new();
    for left in (1..=factors).rev() {
        // The largest divisor of what is left that is not above its root.
        let mut side = rest;
        if left > 1 {
            side = rest.isqrt().max(1);
            while side > 1
                && !(rest.is_multiple_of(side) && side.checked_pow(left).is_some_and(|p| p <= rest))
            {
                side -= 1;
            }
        }
        sides.push(side.to_string());
        rest /= side;
    }
    sides.reverse();
    sides.join("x")
}

#[cfg(test)]
mod tests {
    use super::super::Guest;
    use super::super::tests::{make, messages};
    use super::*;

    fn pairs(text: &str) -> Vec<(u32, u32)> {
        messages(&make(text).unwrap())
            .into_iter()
            .map(|(a, b, _)| (a, b))
            .collect()
    }

    #[test]
    fn small_patterns_are_as_drawn() {
        assert_eq!(
            pairs("all-to-all:n=3"),
            [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
        );
        assert_eq!(pairs("ring:n=3"), pairs("all-to-all:n=3"));
        assert_eq!(pairs("ring:n=2"), [(0, 1), (1, 0)]);
        assert_eq!(pairs("ring:n=1"), []);
        let of_each: [&[u32]; 6] = [&[1, 3], &[0, 2, 4], &[1, 5], &[0, 4], &[1, 3, 5], &[2, 4]];
        let listed = (0..)
            .zip(of_each)
            .flat_map(|(a, all)| all.iter().map(move |b| (a, *b)));
        assert_eq!(pairs("stencil:2x3"), listed.collect::<Vec<_>>());
        assert_eq!(pairs("butterfly:n=4"), pairs("stencil:2x2"));
        assert_eq!(pairs("stencil:2x2,wrap=true"), pairs("stencil:2x2"));
        // (r, c) of 2x3 is 3r + c; (c, r) of its transpose is 2c + r.
        assert_eq!(pairs("transpose:2x3"), [(1, 2), (2, 4), (3, 1), (4, 3)]);
    }

    #[test]
    fn counts_follow_from_the_shape() {
        assert_eq!(pairs("stencil:8x8x8").len(), 2 * 3 * 7 * 64);
        assert_eq!(pairs("stencil:8x8x8,wrap=true").len(), 512 * 6);
        assert_eq!(
            pairs("stencil:8x8x8,wrap=true,corners=true").len(),
            512 * 26
        );
        // Cells with 8, 5 and 3 neighbours.
        assert_eq!(
            pairs("stencil:5x5,corners=true").len(),
            9 * 8 + 12 * 5 + 4 * 3
        );
        assert_eq!(pairs("butterfly:n=64").len(), 64 * 6);
        assert_eq!(pairs("transpose:8x8").len(), 56);
    }

    #[test]
    fn random_targets_differ_and_follow_the_seed() {
        let drawn = pairs("random:n=10,degree=6,seed=3");
        assert_eq!(drawn.len(), 60);
        assert_eq!(drawn, pairs("random:n=10,degree=6,seed=3"));
        assert_ne!(drawn, pairs("random:n=10,degree=6,seed=4"));
        assert_eq!(pairs("random:n=5,degree=4"), pairs("all-to-all:n=5"));
        // Every one of the 9 others is drawn about as often: 2,000 draws of 3, 667 expected, deviation 21.
        let mut seen = [0; 10];
        for seed in 0..2000 {
            let drawn = pairs(&format!("random:n=10,degree=3,seed={seed}"));
            drawn
                .iter()
                .filter(|(s, _)| *s == 4)
                .for_each(|(_, t)| seen[*t as usize] += 1);
        }
        assert_eq!(seen[4], 0);
        assert!(
            (0..10)
                .filter(|t| *t != 4)
                .all(|t| (560..780).contains(&seen[t])),
            "{seen:?}"
        );
    }

    #[test]
    fn wrong_parameters_are_named() {
        let context = Context {
            memory: 1_000_000,
            ..Context::default()
        };
        for (text, part) in [
            ("butterfly:n=6", "a power of two"),
            ("stencil:8x0", "dims[1] = 0"),
            ("transpose:8", "two extents"),
            ("stencil:9999x9999x9999", "1 to 16777216 processes"),
            ("random:n=4,degree=4", "from 0 to 3"),
            ("ring:n=4,volume=-1", "volume = `-1`"),
            ("ring:n=4,volume=0", "above 0"),
            ("ring:n=4,volume=nan", "volume = `nan`"),
            ("ring:n=10000000", "more than the 1.0 MB"),
        ] {
            let error = Guest::make(text, &context).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
