//! Every process to every other.

use super::kit::*;

/// `all-to-all:n=64`: every process to every other, as in a distributed FFT.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "all-to-all",
    about: "every process to every other",
    example: "all-to-all:n=64",
    options: &[N, VOLUME],
    parse: Pattern {
        make: |params, _| {
            Ok((
                count(params)?,
                Traffic::AllToAll {
                    volume: volume(params)?,
                },
            ))
        },
        benchmark: None,
        sized: &[Sized {
            name: "all-to-all",
            spec: |count| format!("all-to-all:n={count}"),
        }],
    },
};
