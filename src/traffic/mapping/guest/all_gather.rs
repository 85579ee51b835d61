//! One all-gather among all processes.

use super::all_reduce::BUFFER;
use super::collective::Messages;
use super::patterns::{N, logarithm_of, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

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
    parse: Pattern::new(parse).sized(&[Sized {
        name: "all-gather",
        spec: |count| format!("all-gather:ring,n={count}"),
    }]),
};

/// Options of `all-gather`.
struct AllGather {
    /// Whether it is done by recursive doubling, else by a ring.
    doubling: bool,
    processes: u32,
    /// Volume of the whole buffer.
    buffer: f64,
}

/// Reads the options of `all-gather`. Fails if the algorithm does not suit the number of processes.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let all_gather = AllGather {
        processes: parse_processes(params)?,
        buffer: parse_volume(params)?,
        doubling: params.required_choice("algorithm")? == "doubling",
    };
    if all_gather.doubling {
        logarithm_of(params, all_gather.processes)?;
    }
    Ok(Box::new(all_gather))
}

impl BuildGuest for AllGather {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let mut messages = Messages::new(context, n, u64::from(n.ilog2()) + 1)?;
        let members: Vec<u32> = (0..n).collect();
        if self.doubling {
            messages.recursive_doubling(&members, self.buffer);
        } else {
            // A ring: every piece of S/n goes all the way round.
            messages.ring_rounds(&members, n - 1, self.buffer);
        }
        messages.into_guest(label, n)
    }
}
