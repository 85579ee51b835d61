//! Patterns in which the targets of a process follow from its number.

use super::patterns::{
    N, NumberedPattern, VOLUME, count_processes, logarithm_of, parse_processes, parse_volume,
};
use super::{BuildGuest, Guest, GuestEntry, Pattern, SizedPattern};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;

/// `all-to-all:n=64`: every process to every other, as in a distributed FFT.
pub const ALL_TO_ALL: GuestEntry = GuestEntry {
    name: "all-to-all",
    about: "every process to every other",
    example: "all-to-all:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse_all_to_all).sized(&[SizedPattern {
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
fn parse_all_to_all(params: &Params) -> Result<Box<dyn BuildGuest>> {
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

/// `ring:n=64`: process i to i+1 and to i-1, closed to a ring.
pub const RING: GuestEntry = GuestEntry {
    name: "ring",
    about: "every process to the next and the one before, closed to a ring",
    example: "ring:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse_ring).sized(&[SizedPattern {
        name: "ring",
        spec: |count| format!("ring:n={count}"),
    }]),
};

/// Reads the options of `ring`.
fn parse_ring(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let n = parse_processes(params)?;
    Ok(Box::new(NumberedPattern {
        processes: n,
        each: 2,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| {
            send((i + 1) % n);
            send((i + n - 1) % n);
        }),
    }))
}

/// `butterfly:n=64`: process i to i xor 2^k for every k below log₂ n, as in recursive doubling. n is a
/// power of two.
pub const BUTTERFLY: GuestEntry = GuestEntry {
    name: "butterfly",
    about: "every process to those whose number differs in one bit; n is a power of two",
    example: "butterfly:n=64",
    options: &[N, VOLUME],
    parse: Pattern::new(parse_butterfly),
};

/// Reads the options of `butterfly`.
fn parse_butterfly(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let n = parse_processes(params)?;
    let stages = logarithm_of(params, n)?;
    Ok(Box::new(NumberedPattern {
        processes: n,
        each: stages,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| (0..stages).for_each(|k| send(i ^ 1 << k))),
    }))
}

/// `transpose:8x8`: element (r, c) of a matrix to (c, r) of its transpose, both row-major over the same
/// processes; the diagonal stays where it is.
pub const TRANSPOSE: GuestEntry = GuestEntry {
    name: "transpose",
    about: "element (r, c) of a matrix of processes to (c, r) of its transpose",
    example: "transpose:8x8",
    options: &[
        Opt::extents("dims", "rows and columns").positional(),
        VOLUME,
    ],
    parse: Pattern::new(parse_transpose),
};

/// Reads the options of `transpose`.
fn parse_transpose(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let expected = "two extents, as in 8x8";
    let dims = params.required_extents("dims", expected)?;
    let &[rows, columns] = dims.as_slice() else {
        return Err(params.invalid_value("dims", expected));
    };
    Ok(Box::new(NumberedPattern {
        processes: count_processes(params, &dims)?,
        each: 1,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| send(i % columns * rows + i / columns)),
    }))
}
