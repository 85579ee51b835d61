//! One all-reduce or all-gather among all processes.

use super::collective::{AllReduce, GROUP, Messages, parse_group};
use super::patterns::{N, logarithm_of, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

/// `all-reduce:ring,n=64`: a vector of `volume` at every process is added up, and everyone gets the sum; see
/// [`super::collective`] for what each algorithm sends.
pub(super) const ALL_REDUCE: GuestEntry = GuestEntry {
    name: "all-reduce",
    about: "a vector of every process added up, the sum to all: by ring, tree, halving or hierarchical rings",
    example: "all-reduce:ring,n=64",
    options: &[
        Opt::one_of(
            "algorithm",
            &["ring", "tree", "halving", "hierarchical"],
            "how it is done",
        )
        .positional(),
        N,
        BUFFER,
        GROUP,
    ],
    parse: Pattern::new(parse_all_reduce).sized(&[
        Sized {
            name: "all-reduce",
            spec: |count| format!("all-reduce:ring,n={count}"),
        },
        Sized {
            name: "all-reduce-tree",
            spec: |count| format!("all-reduce:tree,n={count}"),
        },
    ]),
};

/// Option `volume` of a collective operation.
pub(super) const BUFFER: Opt = Opt::number(
    "volume",
    "the buffer of a process, of which messages carry parts",
)
.default_value("1");

/// `all-gather:ring,n=64`: every process has an n-th of a buffer of `volume`, and everyone gets all of it. A
/// reduce-scatter sends the same the other way.
pub(super) const ALL_GATHER: GuestEntry = GuestEntry {
    name: "all-gather",
    about: "an n-th of a buffer at every process, all of it to all: by ring, or doubling (n a power of two)",
    example: "all-gather:ring,n=64",
    options: &[
        Opt::one_of("algorithm", &["ring", "doubling"], "how it is done").positional(),
        N,
        BUFFER,
    ],
    parse: Pattern::new(parse_all_gather).sized(&[Sized {
        name: "all-gather",
        spec: |count| format!("all-gather:ring,n={count}"),
    }]),
};

/// Collective operation of all processes.
struct OneCollective {
    operation: Operation,
    processes: u32,
    /// Volume of the buffer of a process, or with all-gather of all together.
    buffer: f64,
}

/// An operation, and how it is done.
enum Operation {
    AllReduce(AllReduce),
    /// A ring: every piece goes all the way round.
    RingGather,
    /// Recursive doubling.
    DoublingGather,
}

/// Reads the options of `all-reduce`.
fn parse_all_reduce(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let buffer = parse_volume(params)?;
    let name = params.required_choice("algorithm")?;
    let algorithm = AllReduce::parse_algorithm(name, parse_group(params, processes)?);
    Ok(Box::new(OneCollective {
        operation: Operation::AllReduce(algorithm),
        processes,
        buffer,
    }))
}

/// Reads the options of `all-gather`. Fails if the algorithm does not suit the number of processes.
fn parse_all_gather(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let buffer = parse_volume(params)?;
    let mut operation = Operation::RingGather;
    if params.required_choice("algorithm")? == "doubling" {
        logarithm_of(params, processes)?;
        operation = Operation::DoublingGather;
    }
    Ok(Box::new(OneCollective {
        operation,
        processes,
        buffer,
    }))
}

impl BuildGuest for OneCollective {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let each = match self.operation {
            Operation::AllReduce(_) => 2 * n.ilog2() + 4,
            _ => n.ilog2() + 1,
        };
        let mut messages = Messages::new(context, n, each.into())?;
        let members: Vec<u32> = (0..n).collect();
        match self.operation {
            Operation::AllReduce(algorithm) => {
                messages.all_reduce(algorithm, &members, self.buffer);
            }
            Operation::RingGather => messages.ring_rounds(&members, n - 1, self.buffer),
            Operation::DoublingGather => messages.recursive_doubling(&members, self.buffer),
        }
        messages.into_guest(label, n)
    }
}
