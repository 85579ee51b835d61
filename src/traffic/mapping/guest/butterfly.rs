//! Partners whose numbers differ in one bit.

use super::kit::*;

/// `butterfly:n=64`: process i to i xor 2^k for every k below log₂ n, as in recursive doubling. n is a
/// power of two.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "butterfly",
    about: "every process to those whose number differs in one bit; n is a power of two",
    example: "butterfly:n=64",
    options: &[N, VOLUME],
    parse: Pattern {
        make: |params, context| {
            let n = count(params)?;
            if !n.is_power_of_two() {
                return Err(params.wrong("n", "a power of two"));
            }
            let stages = n.trailing_zeros();
            list(params, context, n, stages, |i, send| {
                (0..stages).for_each(|k| send(i ^ 1 << k))
            })
        },
        benchmark: None,
        sized: &[],
    },
};
