//! Guests of the NAS parallel benchmarks: the traffic of one iteration, in bytes.
//!
//! Volumes are exact for the problem sizes ([`work::CLASSES`]) and the partitions of the benchmarks' MPI versions;
//! sums over all processes (norms, checks: some bytes an iteration) are left out. Processes are numbered as there.
//!
//! | guest | processes | to whom | messages an iteration |
//! |---|---|---|---|
//! | `npb-bt`, `npb-sp` | squares | next and last cell along x, y, z of the multi-partition | √n a partner |
//! | `npb-lu` | powers of two | neighbours on a 2-D grid | one a plane of the grid and 1, a partner: 161 in class C |
//! | `npb-cg` | powers of two | across the row by halves; the transposed process | 26 long and 54 of 8 bytes; 26 |
//! | `npb-mg` | powers of two | neighbours on a 3-D torus, level by level with strides | 3 a level, a partner |
//! | `npb-ft` | any up to the grid's planes, else powers of two | all, or rows and columns of a 2-D grid | 1 a pair |
//! | `npb-is` | any | all | 2 a pair |
//!
//! # Stages
//! An iteration is a sequence of stages ([`super::Benchmark`]): the processes finish the messages of one before they
//! send those of the next. BT, SP: the swap of faces, then forwards and backwards along x, y, z, √n - 1 messages
//! each, one after the other. LU: one sweep, the other, then the swap of faces; a sweep's messages count one after
//! the other, too, although in a full pipeline some of their latencies overlap. CG: the sums across the row, bit by
//! bit, and the transposed process. MG: level by level, axis by axis. FT and IS: pairwise exchange, in step s with
//! the processes s before and after, as MPI libraries do with long messages. Operations are those that the benchmarks
//! themselves count for their Mop/s; an iteration's are spread evenly over the processes.
//!
//! # Counts that a benchmark does not take
//! For jobs of any size the greatest number of processes runs that the benchmark takes, on the lowest numbers; the
//! `idle` rest neither sends nor gets. That is what NPB 3.4 does under `NPB_NPROCS_STRICT=off`.
//!
//! # Measured
//! Against matrices of whole runs of class C on 64 processes (`tests/guests.rs`; pairs of less than 100 bytes in a
//! whole run are sums over all processes): BT 384 pairs, CG 248, LU 224, MG 408, each found and none besides
//! (precision and recall 1). Total variation distance between the shares of volume: BT 4·10⁻⁴, CG 10⁻⁹, LU 3·10⁻⁵,
//! MG 1.4·10⁻⁴; bytes of all iterations within 0.5 %. BT's sends differ by direction; they agree where the rows of
//! that matrix receive.
//!
//! # References
//! Bailey et al., "The NAS parallel benchmarks", 1994, RNR-94-007; Bailey et al., "The NAS parallel benchmarks 2.0",
//! 1995, NAS-95-020, section 3 (partitions); the sources of NPB 3.4, <https://www.nas.nasa.gov/software/npb.html>.

use super::patterns::logarithm_of;
use nodeorder_base::{Params, Result};

mod all_to_all;
mod cg;
mod lu;
mod mg;
mod multi_partition;
mod work;

pub(super) use all_to_all::{FT, IS};
pub(super) use cg::CG;
pub(super) use lu::LU;
pub(super) use mg::MG;
pub(super) use multi_partition::{BT, SP};
use work::{BenchmarkTraffic, Instance, OPTIONS, SendMessage};

/// Makes the entry of a benchmark from its name, what lists say of it, the function that reads its options, and the
/// one that says how many of a number of processes take part.
macro_rules! benchmark {
    ($name:literal, $about:literal, $parse:ident, $active:expr) => {
        $crate::mapping::guest::GuestEntry {
            name: $name,
            about: $about,
            example: concat!($name, ":n=64"),
            options: &$crate::mapping::guest::npb::OPTIONS,
            parse: $crate::mapping::guest::Pattern {
                traffic: |params| Ok(Box::new($parse(params)?)),
                benchmark: Some(|params, label, context| {
                    $parse(params)?.make_benchmark(label, context)
                }),
                sized: &[$crate::mapping::guest::SizedPattern {
                    name: $name,
                    spec: |count| {
                        $crate::mapping::guest::npb::benchmark_text($name, $active(count), count)
                    },
                }],
            },
        }
    };
}
use benchmark;

/// Checks that there are no more processes along a side than it has points.
fn check_side(params: &Params, along: u32, points: u32) -> Result<()> {
    if along <= points {
        return Ok(());
    }
    let expected = format!("at most {points} processes along a side, its points");
    Err(params.invalid_value("n", expected))
}

/// Finds the greatest power of two up to `count`.
fn power_below(count: u32) -> u32 {
    1 << count.max(1).ilog2()
}

/// Writes the guest `name` for `count` processes of which `active` run.
fn benchmark_text(name: &str, active: u32, count: u32) -> String {
    match count - active {
        0 => format!("{name}:n={count}"),
        idle => format!("{name}:n={active},idle={idle}"),
    }
}

/// Counts the points of a part that are not on the surface of the whole.
fn inner_points(points: u32, parts: u32, i: u32) -> u32 {
    let ends = u32::from(i == 0) + u32::from(i + 1 == parts);
    // A part of one point may be at both ends.
    part_points(points, parts, i).saturating_sub(ends)
}

/// Counts the points of part `i` where `points` are dealt out to `parts`, the first ones getting one more.
fn part_points(points: u32, parts: u32, i: u32) -> u32 {
    points / parts + u32::from(i < points % parts)
}
