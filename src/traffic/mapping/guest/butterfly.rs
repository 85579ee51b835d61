//! Partners whose numbers differ in one bit.

use super::patterns::{N, NumberedPattern, VOLUME, logarithm_of, parse_processes, parse_volume};
use super::{BuildGuest, GuestEntry, Pattern};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// `butterfly:n=64`: process i to i xor 2^k for every k below log₂ n, as in recursive doubling. n is a
/// power of two.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "butterfly",
    about: "every process to those whose number differs in one bit; n is a power of two",
    example: "butterfly:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse),
};

/// Reads the options of `butterfly`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let n = parse_processes(params)?;
    let stages = logarithm_of(params, n)?;
    Ok(Box::new(NumberedPattern {
        processes: n,
        each: stages,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| (0..stages).for_each(|k| send(i ^ 1 << k))),
    }))
}
