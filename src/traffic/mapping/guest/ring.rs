//! A ring of processes.

use super::patterns::{N, VOLUME, list_messages, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::Params;
use nodeorder_network::topology::Context;

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

/// Options of `ring`.
struct Ring {
    processes: u32,
    /// Volume of each message.
    volume: f64,
}

/// Reads the options of `ring`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    Ok(Box::new(Ring {
        processes: parse_processes(params)?,
        volume: parse_volume(params)?,
    }))
}

impl BuildGuest for Ring {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        list_messages(label, context, n, 2, self.volume, |i, send| {
            send((i + 1) % n);
            send((i + n - 1) % n);
        })
    }
}
