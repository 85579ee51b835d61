//! Patterns of traffic: what textbook applications send.

use super::{MAX_PROCESSES, Message, Pattern, Traffic, merged};
use crate::error::{Error, Result};
use crate::params::Params;
use crate::random::{below, generator};
use crate::topology::Context;

/// `all-to-all:n=64`: every process to every other, as in a distributed FFT.
pub const ALL_TO_ALL: Pattern = Pattern {
    name: "all-to-all",
    positional: None,
    about: "every process to every other",
    example: "all-to-all:n=64",
    build: |params, _| Ok((count(params)?, Traffic::AllToAll { volume: volume(params)? })),
};

/// `ring:n=64`: process i to i+1 and to i-1, closed to a ring.
pub const RING: Pattern = Pattern {
    name: "ring",
    positional: None,
    about: "every process to the next and the one before, closed to a ring",
    example: "ring:n=64",
    build: |params, context| {
        let n = count(params)?;
        list(params, context, n, 2, |i, send| {
            send((i + 1) % n);
            send((i + n - 1) % n);
        })
    },
};

/// `stencil:8x8x8[,wrap=true][,corners=true]`: halo exchange on a grid of processes, the last dimension
/// fastest. `wrap` closes every dimension to a ring; with `corners` all 3^k - 1 neighbours of a cell get
/// a message, not only those across its faces. In a closed dimension of extent 2 both neighbours are one
/// process: one message.
pub const STENCIL: Pattern = Pattern {
    name: "stencil",
    positional: Some("dims"),
    about: "halo exchange on a grid of processes; wrap=true closes it, corners=true adds diagonals",
    example: "stencil:8x8x8,wrap=true",
    build: stencil,
};

/// `butterfly:n=64`: process i to i xor 2^k for every k below log₂ n, as in recursive doubling. n is a
/// power of two.
pub const BUTTERFLY: Pattern = Pattern {
    name: "butterfly",
    positional: None,
    about: "every process to those whose number differs in one bit; n is a power of two",
    example: "butterfly:n=64",
    build: |params, context| {
        let n = count(params)?;
        if !n.is_power_of_two() {
            return Err(params.wrong("n", "a power of two"));
        }
        let stages = n.trailing_zeros();
        list(params, context, n, stages, |i, send| (0..stages).for_each(|k| send(i ^ 1 << k)))
    },
};

/// `transpose:8x8`: element (r, c) of a matrix to (c, r) of its transpose, both row-major over the same
/// processes; the diagonal stays where it is.
pub const TRANSPOSE: Pattern = Pattern {
    name: "transpose",
    positional: Some("dims"),
    about: "element (r, c) of a matrix of processes to (c, r) of its transpose",
    example: "transpose:8x8",
    build: |params, context| {
        let expected = "two extents, as in 8x8";
        let dims = params.extents("dims")?.ok_or_else(|| params.wrong("dims", expected))?;
        let &[rows, columns] = dims.as_slice() else {
            return Err(params.wrong("dims", expected));
        };
        let n = product(params, &dims)?;
        list(params, context, n, 1, |i, send| send(i % columns * rows + i / columns))
    },
};

/// `random:n=64,degree=4,seed=7`: every process to `degree` different others (default 4, or all there
/// are), drawn uniformly.
pub const RANDOM: Pattern = Pattern {
    name: "random",
    positional: None,
    about: "every process to degree= others, drawn uniformly with seed=",
    example: "random:n=64,degree=4,seed=7",
    build: |params, context| {
        let n = count(params)?;
        let degree = params.integer("degree", 0, n - 1)?.unwrap_or(4.min(n - 1));
        let mut random = generator(params.seed()?);
        let mut others = Vec::new();
        list(params, context, n, degree, move |i, send| {
            // Floyd's sample of `degree` from the n-1 others, numbered without i.
            others.clear();
            for last in n - 1 - degree..n - 1 {
                let drawn = below(u64::from(last) + 1, &mut random) as u32;
                let taken = others.contains(&drawn);
                others.push(if taken { last } else { drawn });
            }
            others.iter().for_each(|o| send(o + u32::from(*o >= i)));
        })
    },
};

/// `n`: how many processes.
fn count(params: &Params) -> Result<u32> {
    params.required("n", 1, MAX_PROCESSES)
}

/// `volume`: how much each message carries, 1 unless given.
fn volume(params: &Params) -> Result<f64> {
    const EXPECTED: &str = "a number above 0";
    match params.real("volume", 0.0, 1e250)? {
        Some(volume) if volume <= 0.0 => Err(params.wrong("volume", EXPECTED)),
        volume => Ok(volume.unwrap_or(1.0)),
    }
}

fn product(params: &Params, dims: &[u32]) -> Result<u32> {
    let all = dims.iter().fold(1u64, |all, n| all.saturating_mul(u64::from(*n)));
    if all > u64::from(MAX_PROCESSES) {
        let found = format!("{all} processes");
        let expected = format!("1 to {MAX_PROCESSES} processes");
        return Err(Error::input(params.location_of("dims"), found, expected));
    }
    Ok(all as u32)
}

/// Asks `targets` for every process's targets, about `each` of them; a target named twice gets one message.
fn list(
    params: &Params,
    context: &Context,
    n: u32,
    each: u32,
    mut targets: impl FnMut(u32, &mut dyn FnMut(u32)),
) -> Result<(u32, Traffic)> {
    let volume = volume(params)?;
    let bytes = u64::from(n) * u64::from(each) * size_of::<Message>() as u64;
    context.require("the guest's messages", 2 * bytes)?;
    let mut messages: Vec<Message> = Vec::new();
    for source in 0..n {
        let first = messages.len();
        targets(source, &mut |target| {
            if messages[first..].iter().all(|m| m.target != target) {
                messages.push(Message { source, target, volume });
            }
        });
    }
    let messages = merged(messages, || params.location().clone())?;
    Ok((n, Traffic::Messages(messages)))
}

fn stencil(params: &Params, context: &Context) -> Result<(u32, Traffic)> {
    let expected = "the extents, as in 8x8x8";
    let dims = params.extents("dims")?.ok_or_else(|| params.wrong("dims", expected))?;
    let (wrap, corners) = (params.flag("wrap")?, params.flag("corners")?);
    let n = product(params, &dims)?;
    let k = dims.len() as u32;
    // Steps of -1, 0 or 1 along every dimension, as digits of a number in base 3.
    let most = if corners { 3u32.saturating_pow(k) } else { 2 * k };
    context.require("the guest's messages", u64::from(n) * u64::from(most) * 48)?;
    let all = 3u64.checked_pow(k).unwrap_or(u64::MAX);
    let steps: Vec<Vec<i64>> = if corners {
        (0..all).map(|s| (0..k).map(|i| (s / 3u64.pow(i) % 3) as i64 - 1).collect()).collect()
    } else {
        let unit = |axis: u32, by: i64| (0..k).map(|i| if i == axis { by } else { 0 }).collect();
        (0..k).flat_map(|axis| [unit(axis, -1), unit(axis, 1)]).collect()
    };
    let mut at = vec![0i64; dims.len()];
    list(params, context, n, most, |process, send| {
        let mut rest = process;
        for (x, extent) in at.iter_mut().zip(&dims).rev() {
            *x = i64::from(rest % extent);
            rest /= extent;
        }
        for step in &steps {
            let neighbour = at.iter().zip(step).zip(&dims).try_fold(0i64, |cell, ((x, by), n)| {
                let n = i64::from(*n);
                let x = if wrap { (x + by).rem_euclid(n) } else { x + by };
                (0..n).contains(&x).then(|| cell * n + x)
            });
            if let Some(cell) = neighbour {
                send(cell as u32);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::Guest;
    use super::*;

    fn pairs(text: &str) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let guest = Guest::make(text, &Context::default()).unwrap();
        guest.for_each_message(|m| pairs.push((m.source, m.target)));
        pairs
    }

    #[test]
    fn small_patterns_are_as_drawn() {
        assert_eq!(pairs("all-to-all:n=3"), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]);
        assert_eq!(pairs("ring:n=3"), pairs("all-to-all:n=3"));
        assert_eq!(pairs("ring:n=2"), [(0, 1), (1, 0)]);
        assert_eq!(pairs("ring:n=1"), []);
        assert_eq!(
            pairs("stencil:2x3"),
            [
                (0, 1),
                (0, 3),
                (1, 0),
                (1, 2),
                (1, 4),
                (2, 1),
                (2, 5),
                (3, 0),
                (3, 4),
                (4, 1),
                (4, 3),
                (4, 5),
                (5, 2),
                (5, 4),
            ]
        );
        assert_eq!(pairs("butterfly:n=4"), pairs("stencil:2x2"));
        assert_eq!(pairs("stencil:2x2,wrap=true"), pairs("stencil:2x2"));
        // (r, c) of 2x3 is 3r + c; (c, r) of its transpose is 2c + r.
        assert_eq!(pairs("transpose:2x3"), [(1, 2), (2, 4), (3, 1), (4, 3)]);
    }

    #[test]
    fn counts_follow_from_the_shape() {
        assert_eq!(pairs("stencil:8x8x8").len(), 2 * 3 * 7 * 64);
        assert_eq!(pairs("stencil:8x8x8,wrap=true").len(), 512 * 6);
        assert_eq!(pairs("stencil:8x8x8,wrap=true,corners=true").len(), 512 * 26);
        // Cells with 8, 5 and 3 neighbours.
        assert_eq!(pairs("stencil:5x5,corners=true").len(), 9 * 8 + 12 * 5 + 4 * 3);
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
            drawn.iter().filter(|(s, _)| *s == 4).for_each(|(_, t)| seen[*t as usize] += 1);
        }
        assert_eq!(seen[4], 0);
        assert!((0..10).filter(|t| *t != 4).all(|t| (560..780).contains(&seen[t])), "{seen:?}");
    }

    #[test]
    fn wrong_parameters_are_named() {
        let context = Context { memory: 1_000_000, ..Context::default() };
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
