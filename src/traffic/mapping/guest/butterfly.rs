//! Partners whose numbers differ in one bit.

use super::patterns::{N, VOLUME, list_messages, parse_power_of_two, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_network::topology::Context;

/// `butterfly:n=64`: process i to i xor 2^k for every k below log₂ n, as in recursive doubling. n is a
/// power of two.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "butterfly",
    about: "every process to those whose number differs in one bit; n is a power of two",
    example: "butterfly:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse),
};

/// Options of `butterfly`.
struct Butterfly {
    processes: u32,
    /// Volume of each message.
    volume: f64,
}

/// Reads the options of `butterfly`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    Ok(Box::new(Butterfly {
        processes: parse_power_of_two(params)?,
        volume: parse_volume(params)?,
    }))
}

impl BuildGuest for Butterfly {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let stages = n.trailing_zeros();
        list_messages(label, context, n, stages, self.volume, |i, send| {
            for k in 0..stages {
                send(i ^ 1 << k);
            }
        })
    }
}
