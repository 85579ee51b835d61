//! One all-reduce among all processes.

use super::collective::{GROUP, inner};
use super::kit::*;

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
    parse: Pattern {
        make,
        benchmark: None,
        sized: &[
            Sized {
                name: "all-reduce",
                spec: |count| format!("all-reduce:ring,n={count}"),
            },
            Sized {
                name: "all-reduce-tree",
                spec: |count| format!("all-reduce:tree,n={count}"),
            },
        ],
    },
};

/// The `volume` of a collective operation.
pub(super) const BUFFER: Opt = Opt::number(
    "volume",
    "the buffer of a process, of which messages carry parts",
)
.or("1");

fn make(params: &Params, context: &Context) -> Result<(u32, Traffic)> {
    let (n, volume) = (count(params)?, volume(params)?);
    let (algorithm, group) = (params.choice("algorithm")?, inner(params, n)?);
    let mut messages = Messages::new(params, context, n.into(), 2 * u64::from(n.ilog2()) + 4)?;
    let members: Vec<u32> = (0..n).collect();
    match algorithm {
        "tree" => messages.tree_all_reduce(&members, volume),
        "halving" => messages.halving_all_reduce(&members, volume),
        "hierarchical" => messages.hierarchical_all_reduce(&members, group, volume),
        _ => messages.ring_all_reduce(&members, volume),
    }
    messages.done(params, n)
}
