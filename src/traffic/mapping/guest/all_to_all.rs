//! Every process to every other.

use super::patterns::{N, VOLUME, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_network::topology::Context;

/// `all-to-all:n=64`: every process to every other, as in a distributed FFT.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "all-to-all",
    about: "every process to every other",
    example: "all-to-all:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse).sized(&[Sized {
        name: "all-to-all",
        spec: |count| format!("all-to-all:n={count}"),
    }]),
};

/// Options of `all-to-all`.
struct AllToAll {
    processes: u32,
    /// Volume from each process to each other.
    volume: f64,
}

/// Reads the options of `all-to-all`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    Ok(Box::new(AllToAll {
        processes: parse_processes(params)?,
        volume: parse_volume(params)?,
    }))
}

impl BuildGuest for AllToAll {
    fn build(&self, label: &str, _: &Context) -> Result<Guest> {
        Ok(Guest::all_to_all(label, self.processes, self.volume))
    }
}
