//! What the NAS parallel benchmarks send: the traffic of one of their iterations, in bytes.
//!
//! Volumes are exact for the problem sizes ([`CLASSES`]) and the partitions of the benchmarks' MPI versions; sums over
//! all processes (norms, checks: some bytes an iteration) are left out. Processes are numbered as there.
//!
//! | guest | processes | to whom | messages an iteration |
//! |---|---|---|---|
//! | `npb-bt`, `npb-sp` | squares | next and last cell along x, y, z of the multi-partition | √n a partner |
//! | `npb-lu` | powers of two | neighbours on a 2-D grid | one a plane of the grid and 1, a partner: 161 in class C |
//! | `npb-cg` | powers of two | across the row in powers of two; the transposed process | 26 long and 54 of 8 bytes; 26 |
//! | `npb-mg` | powers of two | neighbours on a 3-D torus at every level, at strides on coarse ones | 3 a level, a partner |
//! | `npb-ft` | any up to the planes of the grid, then powers of two | all, or rows and columns of a 2-D grid | 1 a pair |
//! | `npb-is` | any | all | 2 a pair |
//!
//! # Counts that a benchmark does not take
//! For jobs of any size the greatest number of processes runs that the benchmark takes, on the lowest numbers; the
//! `idle` rest neither sends nor gets. That is what NPB 3.4 does under `NPB_NPROCS_STRICT=off`.
//!
//! # Measured
//! Against matrices of whole runs of class C on 64 processes (`tests/guests.rs`; pairs of less than 100 bytes in a
//! whole run are sums over all processes): BT 384 pairs, CG 248, LU 224, MG 408, each found and none besides
//! (precision and recall 1). Total variation distance between the shares of volume: BT 4·10⁻⁴, CG 10⁻⁹, LU 3·10⁻⁵, MG
//! 1.4·10⁻⁴; bytes of all iterations within 0.5 %. BT's sends differ by direction; they agree where the rows of that
//! matrix receive.
//!
//! # References
//! Bailey et al., "The NAS parallel benchmarks", 1994, RNR-94-007; Bailey et al., "The NAS parallel benchmarks 2.0",
//! 1995, NAS-95-020, section 3 (partitions); the sources of NPB 3.4, <https://www.nas.nasa.gov/software/npb.html>.

use super::patterns::count;
use super::{MAX_PROCESSES, Message, Traffic, merged};
use crate::error::Result;
use crate::params::{Opt, Params};
use crate::topology::Context;

mod all_to_all;
mod cg;
mod lu;
mod mg;
mod multi_partition;

pub(super) use all_to_all::{FT, IS};
pub(super) use cg::CG;
pub(super) use lu::LU;
pub(super) use mg::MG;
pub(super) use multi_partition::{BT, SP};

/// The problem sizes, largest last but for the default.
const CLASSES: &[&str] = &["C", "S", "W", "A", "B", "D"];

/// The options of [`Run::read`], and `n`.
const OPTIONS: [Opt; 4] = [
    super::patterns::N,
    Opt::one_of("class", CLASSES, "problem size"),
    Opt::whole("idle", "processes more, that neither send nor get").or("0"),
    Opt::number("volume", "what a byte counts").or("1"),
];

/// What is common to a benchmark's runs.
struct Run<T> {
    /// Processes that communicate.
    n: u32,
    /// Others.
    idle: u32,
    /// What a byte counts.
    volume: f64,
    /// The class's problem.
    problem: T,
}

impl<T: Copy> Run<T> {
    /// Reads the options; `problems` are those of [`CLASSES`].
    fn read(params: &Params, problems: [T; 6]) -> Result<Self> {
        let n = count(params)?;
        let class = params.choice("class")?;
        let idle = params.whole("idle", 0, MAX_PROCESSES - n)?;
        let volume = super::patterns::volume(params)?;
        let at = CLASSES.iter().position(|c| *c == class).unwrap_or(0);
        Ok(Run { n, idle, volume, problem: problems[at] })
    }

    /// Every message of `sends(process, send)`, which calls `send(target, bytes)` about `each` times a process; those
    /// of a pair are added up.
    fn list(
        &self,
        params: &Params,
        context: &Context,
        each: u32,
        mut sends: impl FnMut(u32, &mut dyn FnMut(u32, f64)),
    ) -> Result<(u32, Traffic)> {
        let bytes = u64::from(self.n) * u64::from(each) * size_of::<Message>() as u64;
        context.require("the guest's messages", 2 * bytes)?;
        let mut messages = Vec::new();
        for source in 0..self.n {
            let mut send = |target, bytes: f64| {
                messages.push(Message { source, target, volume: bytes * self.volume });
            };
            sends(source, &mut send);
        }
        let messages = merged(messages, || params.location().clone())?;
        Ok((self.n + self.idle, Traffic::Messages(messages)))
    }
}

/// Refuses a number of processes that is no power of two.
fn power_of_two(params: &Params, n: u32) -> Result<u32> {
    match n.is_power_of_two() {
        true => Ok(n.trailing_zeros()),
        false => Err(params.wrong("n", "a power of two")),
    }
}

/// Refuses more processes along a side than it has points.
fn no_more_than(params: &Params, along: u32, points: u32) -> Result<()> {
    match along <= points {
        true => Ok(()),
        false => {
            Err(params.wrong("n", format!("at most {points} processes along a side, its points")))
        }
    }
}

/// The greatest power of two up to `count`.
fn power_below(count: u32) -> u32 {
    1 << count.max(1).ilog2()
}

/// `name` for `count` processes of which `active` run.
fn spec(name: &str, active: u32, count: u32) -> String {
    match count - active {
        0 => format!("{name}:n={count}"),
        idle => format!("{name}:n={active},idle={idle}"),
    }
}

/// Points of part `i` where `points` are dealt out to `parts`, the first ones getting one more.
fn part(points: u32, parts: u32, i: u32) -> u32 {
    points / parts + u32::from(i < points % parts)
}
