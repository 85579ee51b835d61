//! BT and SP: multi-partition, every process with a cell in each plane of cells.

use super::super::{GuestEntry, Pattern, Sized, Traffic};
use super::{OPTIONS, Run, no_more_than, part, spec};
use crate::error::Result;
use crate::params::Params;
use crate::topology::Context;

/// `npb-bt:n=64`: block-tridiagonal solvers along x, y and z. The cube is cut into p × p × p cells for p² processes; a
/// process has p of them on a diagonal, so that all are busy at every stage of a sweep. An iteration swaps faces two
/// points deep with the six partners, then sweeps forwards in each direction, 30 numbers a point of a face (a 5 × 5
/// block and 5 right sides) to the next cell's process, and back, 5 numbers a point.
pub(in super::super) const BT: GuestEntry = GuestEntry {
    name: "npb-bt",
    about: "NPB BT, block-tridiagonal solvers by multi-partition: successors in three directions",
    example: "npb-bt:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| make(params, context, [162, 12, 24, 64, 102, 408], &BLOCKS),
        sized: &[Sized { name: "npb-bt", spec: |count| squares("npb-bt", count) }],
    },
};

/// `npb-sp:n=64`: as [`BT`], scalar pentadiagonal: forwards 22 numbers a point of a face's inside, back 10.
pub(in super::super) const SP: GuestEntry = GuestEntry {
    name: "npb-sp",
    about: "NPB SP, pentadiagonal solvers by multi-partition: successors in three directions",
    example: "npb-sp:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| make(params, context, [162, 12, 36, 64, 102, 408], &SCALARS),
        sized: &[Sized { name: "npb-sp", spec: |count| squares("npb-sp", count) }],
    },
};

/// What a sweep sends.
struct Sweep {
    /// Numbers a point to the successor, and back.
    numbers: [f64; 2],
    /// Whether messages are as long as the largest cell needs, or as the face's points off the cube's surface.
    padded: bool,
}

const BLOCKS: Sweep = Sweep { numbers: [30.0, 5.0], padded: true };
const SCALARS: Sweep = Sweep { numbers: [22.0, 10.0], padded: false };

fn squares(name: &str, count: u32) -> String {
    spec(name, count.isqrt().pow(2), count)
}

fn make(
    params: &Params,
    context: &Context,
    sides: [u32; 6],
    sweep: &Sweep,
) -> Result<(u32, Traffic)> {
    let run = Run::read(params, sides)?;
    let p = run.n.isqrt();
    if p * p != run.n {
        return Err(params.wrong("n", "a square, such as 64"));
    }
    no_more_than(params, p, run.problem)?;
    let size = |x: u32| part(run.problem, p, x);
    let inner = |x: u32| size(x).saturating_sub(u32::from(x == 0) + u32::from(x + 1 == p));
    // A buffer holds the square of the largest cell's side, and a point more.
    let widest = run.problem / p + 1;
    run.list(params, context, 6 * p, |process, send| {
        let (i, j) = (process % p, process / p);
        let (before, after) = (|x: u32| (x + p - 1) % p, |x: u32| (x + 1) % p);
        let successors = [after(i) + p * j, i + p * after(j), before(i) + p * after(j)];
        let predecessors = [before(i) + p * j, i + p * before(j), after(i) + p * before(j)];
        for cell in 0..p {
            let at = [(i + cell) % p, (j + p - cell) % p, cell];
            for axis in 0..3 {
                let (a, b) = (at[(axis + 1) % 3], at[(axis + 2) % 3]);
                let swapped = 10.0 * f64::from(size(a)) * f64::from(size(b));
                let points = match sweep.padded {
                    true => f64::from(widest).powi(2),
                    false => f64::from(inner(a)) * f64::from(inner(b)),
                };
                if at[axis] + 1 < p {
                    send(successors[axis], 8.0 * (swapped + sweep.numbers[0] * points));
                }
                if at[axis] > 0 {
                    send(predecessors[axis], 8.0 * (swapped + sweep.numbers[1] * points));
                }
            }
        }
    })
}
