//! A ring of processes.

use super::kit::*;

/// `ring:n=64`: process i to i+1 and to i-1, closed to a ring.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "ring",
    about: "every process to the next and the one before, closed to a ring",
    example: "ring:n=64",
    options: &[N, VOLUME],
    parse: Pattern {
        make: |params, context| {
            let n = count(params)?;
            list(params, context, n, 2, |i, send| {
                send((i + 1) % n);
                send((i + n - 1) % n);
            })
        },
        benchmark: None,
        sized: &[Sized {
            name: "ring",
            spec: |count| format!("ring:n={count}"),
        }],
    },
};
