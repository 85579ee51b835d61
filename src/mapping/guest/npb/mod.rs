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
//! # Stages
//! An iteration is a sequence of stages ([`Benchmark`]): the processes finish the messages of one before they send those
//! of the next. BT, SP: the swap of faces, then forwards and backwards along x, y, z, √n - 1 messages each, one after the
//! other. LU: one sweep, the other, then the swap of faces; a sweep's messages count one after the other, too, although
//! in a full pipeline some of their latencies overlap. CG: the sums across the row, bit by bit, and the transposed
//! process. MG: level by level, axis by axis. FT and IS: pairwise exchange, in step s with the processes s before and
//! after, as MPI libraries do with long messages. Operations are those that the benchmarks themselves count for their
//! Mop/s; an iteration's are spread evenly over the processes.
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

use super::benchmark::{Benchmark, Stage};
use super::patterns::count;
use super::{Guest, MAX_PROCESSES, Message, Traffic, merged};
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
#[derive(Clone, Copy)]
struct Run {
    /// Processes that communicate.
    n: u32,
    /// Others.
    idle: u32,
    /// What a byte counts.
    volume: f64,
    /// The place of the class in [`CLASSES`].
    class: usize,
}

impl Run {
    fn read(params: &Params) -> Result<Self> {
        let n = count(params)?;
        let class = params.choice("class")?;
        let idle = params.whole("idle", 0, MAX_PROCESSES - n)?;
        let volume = super::patterns::volume(params)?;
        let class = CLASSES.iter().position(|c| *c == class).unwrap_or(0);
        Ok(Run { n, idle, volume, class })
    }

    /// That of the run's class.
    fn of<T: Copy>(&self, classes: [T; 6]) -> T {
        classes[self.class]
    }
}

/// Is called with a stage, a target and bytes.
type Send<'a> = &'a mut dyn FnMut(usize, u32, f64);

/// What a benchmark does.
pub(super) struct Work {
    run: Run,
    /// About so many sends a process.
    each: u32,
    /// Of each stage of an iteration, the messages that a process sends a partner, one after the other.
    messages: Vec<u32>,
    /// Calls with all that a process sends; the bytes are those of all messages of the stage to that partner.
    sends: Box<dyn Fn(u32, Send<'_>)>,
    iterations: u32,
    /// Operations of all processes in an iteration.
    operations: f64,
}

impl Work {
    /// All messages of an iteration; those of a pair are added up.
    fn traffic(&self, params: &Params, context: &Context) -> Result<(u32, Traffic)> {
        let mut messages = Vec::new();
        self.for_each(context, |_, message| messages.push(message))?;
        let messages = merged(messages, || params.location().clone())?;
        Ok((self.run.n + self.run.idle, Traffic::Messages(messages)))
    }

    fn for_each(&self, context: &Context, mut visit: impl FnMut(usize, Message)) -> Result<()> {
        let bytes = u64::from(self.run.n) * u64::from(self.each) * size_of::<Message>() as u64;
        context.require("the guest's messages", 2 * bytes)?;
        for source in 0..self.run.n {
            let mut send = |stage, target, bytes: f64| {
                visit(stage, Message { source, target, volume: bytes * self.run.volume });
            };
            (self.sends)(source, &mut send);
        }
        Ok(())
    }

    /// The same stage by stage.
    pub fn benchmark(&self, text: &str, params: &Params, context: &Context) -> Result<Benchmark> {
        let mut lists = vec![Vec::new(); self.messages.len()];
        self.for_each(context, |stage, message| lists[stage].push(message))?;
        let processes = self.run.n + self.run.idle;
        let mut stages = Vec::new();
        for (list, messages) in lists.into_iter().zip(&self.messages) {
            let traffic = Traffic::Messages(merged(list, || params.location().clone())?);
            let guest = Guest { label: text.to_string(), processes, traffic };
            if *messages > 0 && guest.pair_count() > 0 {
                stages.push(Stage { messages: *messages, guest });
            }
        }
        let operations = self.operations / f64::from(self.run.n);
        Ok(Benchmark { iterations: self.iterations, operations, stages })
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
