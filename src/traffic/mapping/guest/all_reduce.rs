//! One all-reduce among all processes.

use super::collective::{AllReduce, GROUP, Messages, parse_group};
use super::patterns::{N, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, Sized};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

/// `all-reduce:ring,n=64`: a vector of `volume` at every process is added up, and everyone gets the sum; see
/// [`super::collective`] for what each algorithm sends.
pub(super) const GUEST: GuestEntry = GuestEntry {
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
    parse: Pattern::new(parse).sized(&[
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

/// Options of `all-reduce`.
struct AllReduceOptions {
    algorithm: AllReduce,
    processes: u32,
    /// Volume of the vector of each process.
    buffer: f64,
}

/// Reads the options of `all-reduce`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let buffer = parse_volume(params)?;
    let name = params.required_choice("algorithm")?;
    let algorithm = AllReduce::parse_algorithm(name, parse_group(params, processes)?);
    Ok(Box::new(AllReduceOptions {
        algorithm,
        processes,
        buffer,
    }))
}

impl BuildGuest for AllReduceOptions {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let mut messages = Messages::new(context, n, 2 * u64::from(n.ilog2()) + 4)?;
        let members: Vec<u32> = (0..n).collect();
        messages.all_reduce(self.algorithm, &members, self.buffer);
        messages.into_guest(label, n)
    }
}
