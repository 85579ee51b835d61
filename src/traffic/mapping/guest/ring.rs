//! A ring of processes.

use super::patterns::{N, NumberedPattern, VOLUME, parse_processes, parse_volume};
use super::{BuildGuest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// `ring:n=64`: process i to i+1 and to i-1, closed to a ring.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "ring",
    about: "every process to the next and the one before, closed to a ring",
    example: "ring:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse).sized(&[Sized {
        name: "ring",
        spec: |count| format!("ring:n={count}"),
    }]),
};

/// Reads the options of `ring`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let n = parse_processes(params)?;
    Ok(Box::new(NumberedPattern {
        processes: n,
        each: 2,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| {
            send((i + 1) % n);
            send((i + n - 1) % n);
        }),
    }))
}
