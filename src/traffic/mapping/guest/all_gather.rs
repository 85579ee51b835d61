//! One all-gather among all processes.

use super::all_reduce::BUFFER;
use super::kit::*;

/// `all-gather:ring,n=64`: every process has an n-th of a buffer of `volume`, and everyone gets all of it. A
/// reduce-scatter sends the same the other way.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "all-gather",
    about: "an n-th of a buffer at every process, all of it to all: by ring, or doubling (n a power of two)",
    example: "all-gather:ring,n=64",
    options: &[
        Opt::one_of("algorithm", &["ring", "doubling"], "how it is done").positional(),
        N,
        BUFFER,
    ],
    parse: Pattern {
        make,
        benchmark: None,
        sized: &[Sized {
            name: "all-gather",
            spec: |count| format!("all-gather:ring,n={count}"),
        }],
    },
};

fn make(params: &Params, context: &Context) -> Result<(u32, Traffic)> {
    let (n, volume) = (count(params)?, volume(params)?);
    let doubling = params.choice("algorithm")? == "doubling";
    if doubling && !n.is_power_of_two() {
        return Err(params.wrong("n", "a power of two"));
    }
    let mut messages = Messages::new(params, context, n.into(), u64::from(n.ilog2()) + 1)?;
    let members: Vec<u32> = (0..n).collect();
    match doubling {
        true => messages.doubling(&members, volume),
        // A ring: every piece of S/n goes all the way round.
        false => messages.ring_rounds(&members, n - 1, volume),
    }
    messages.done(params, n)
}
