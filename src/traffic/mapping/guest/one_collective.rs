//! One collective operation among all processes.

use super::collective::{AllReduce, GROUP, Messages, parse_group};
use super::patterns::{N, logarithm_of, parse_processes, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern, SizedPattern};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;

/// `all-reduce:ring,n=64`: a vector of `volume` at every process is added up, and everyone gets the sum; see
/// [`super::collective`] for what each algorithm sends.
pub const ALL_REDUCE: GuestEntry = GuestEntry {
    name: "all-reduce",
    about: "a vector of every process added up, the sum to all; rabenseifner, as MPICH does for long vectors",
    example: "all-reduce:ring,n=64",
    options: &[
        Opt::one_of(
            "algorithm",
            &[
                "ring",
                "tree",
                "rabenseifner",
                "halving",
                "swing",
                "bine",
                "hierarchical",
            ],
            "how it is done; swing takes a power of two of processes, bine an even number",
        )
        .positional(),
        N,
        BUFFER,
        GROUP,
    ],
    parse: Pattern::new(parse_all_reduce).sized(&[
        SizedPattern {
            name: "all-reduce",
            spec: |count| format!("all-reduce:ring,n={count}"),
        },
        SizedPattern {
            name: "all-reduce-tree",
            spec: |count| format!("all-reduce:tree,n={count}"),
        },
    ]),
};

/// Option `volume` of a collective operation.
pub const BUFFER: Opt = Opt::number(
    "volume",
    "the buffer of a process, of which messages carry parts",
)
.default_value("1");

/// `all-gather:ring,n=64`: every process has an n-th of a buffer of `volume`, and everyone gets all of it.
pub const ALL_GATHER: GuestEntry = GuestEntry {
    name: "all-gather",
    about: "an n-th of a buffer at every process, all of it to all",
    example: "all-gather:ring,n=64",
    options: &[
        Opt::one_of(
            "algorithm",
            &["ring", "doubling", "bruck", "bine"],
            "how it is done; doubling takes a power of two of processes, bine an even number",
        )
        .positional(),
        N,
        BUFFER,
    ],
    parse: Pattern::new(parse_all_gather).sized(&[SizedPattern {
        name: "all-gather",
        spec: |count| format!("all-gather:ring,n={count}"),
    }]),
};

/// `reduce-scatter:ring,n=64`: a vector of `volume` at every process is added up, and everyone gets an n-th of the
/// sum. `ring` is Open MPI's, `halving` MPICH's for short vectors (that for long ones is `all-to-all`).
pub const REDUCE_SCATTER: GuestEntry = GuestEntry {
    name: "reduce-scatter",
    about: "a vector of every process added up, an n-th of the sum to each",
    example: "reduce-scatter:halving,n=64",
    options: &[
        Opt::one_of(
            "algorithm",
            &["ring", "halving", "bine"],
            "how it is done; bine takes an even number of processes",
        )
        .positional(),
        N,
        BUFFER,
    ],
    parse: Pattern::new(parse_reduce_scatter),
};

/// `broadcast:binomial,n=64`: the buffer of process 0 to all.
pub const BROADCAST: GuestEntry = GuestEntry {
    name: "broadcast",
    about: "the buffer of process 0 to all; scatter, as MPICH does for long buffers, then goes round a ring",
    example: "broadcast:binomial,n=64",
    options: &[
        Opt::one_of(
            "algorithm",
            &["binomial", "scatter", "bine"],
            "how it is done; bine takes a power of two of processes",
        )
        .positional(),
        N,
        BUFFER,
    ],
    parse: Pattern::new(parse_broadcast),
};

/// Lists the messages of an operation on a buffer among members.
type SendMessages = Box<dyn Fn(&mut Messages, &[u32], f64)>;

/// Collective operation of all processes.
struct OneCollective {
    send: SendMessages,
    processes: u32,
    /// Volume of the buffer of a process, or with all-gather of all together.
    buffer: f64,
}

/// Reads the options of `all-reduce`.
fn parse_all_reduce(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let name = params.required_choice("algorithm")?;
    if name == "swing" {
        logarithm_of(params, processes)?;
    }
    let algorithm = AllReduce::parse_algorithm(name, parse_group(params, processes)?);
    parse_collective(params, move |_| {
        Box::new(move |messages, members, buffer| messages.all_reduce(algorithm, members, buffer))
    })
}

/// Reads the options of `all-gather`. Fails if the algorithm does not suit the number of processes.
fn parse_all_gather(params: &Params) -> Result<Box<dyn BuildGuest>> {
    if params.required_choice("algorithm")? == "doubling" {
        logarithm_of(params, parse_processes(params)?)?;
    }
    parse_collective(params, |name| match name {
        "doubling" => Box::new(Messages::recursive_doubling),
        "bruck" => Box::new(Messages::bruck_all_gather),
        "bine" => Box::new(Messages::bine_butterfly),
        _ => Box::new(send_around_ring),
    })
}

/// Reads the options of `reduce-scatter`.
fn parse_reduce_scatter(params: &Params) -> Result<Box<dyn BuildGuest>> {
    parse_collective(params, |name| match name {
        "halving" => Box::new(Messages::halving_reduce_scatter),
        "bine" => Box::new(Messages::bine_butterfly),
        _ => Box::new(send_around_ring),
    })
}

/// Reads the options of `broadcast`.
fn parse_broadcast(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let name = params.required_choice("algorithm")?;
    if name == "bine" {
        logarithm_of(params, parse_processes(params)?)?;
        return parse_collective(params, |_| Box::new(Messages::bine_broadcast));
    }
    parse_collective(params, |name| {
        let share = name == "scatter";
        Box::new(move |messages, members, buffer| {
            messages.binomial_broadcast(members, buffer, share);
        })
    })
}

/// Sends every piece of a buffer, cut into as many as there are members, all the way round.
fn send_around_ring(messages: &mut Messages, members: &[u32], buffer: f64) {
    messages.ring_rounds(members, members.len() as u32 - 1, buffer);
}

/// Reads processes and buffer of the operation that `send` makes of an algorithm's name.
fn parse_collective(
    params: &Params,
    send: impl FnOnce(&str) -> SendMessages,
) -> Result<Box<dyn BuildGuest>> {
    let processes = parse_processes(params)?;
    let name = params.required_choice("algorithm")?;
    if name == "bine" && !processes.is_multiple_of(2) {
        return Err(params.invalid_value("n", "an even number"));
    }
    Ok(Box::new(OneCollective {
        send: send(name),
        processes,
        buffer: parse_volume(params)?,
    }))
}

impl BuildGuest for OneCollective {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let mut messages = Messages::new(context, n, u64::from(2 * n.ilog2() + 4))?;
        let members: Vec<u32> = (0..n).collect();
        (self.send)(&mut messages, &members, self.buffer);
        messages.into_guest(label, n)
    }
}
