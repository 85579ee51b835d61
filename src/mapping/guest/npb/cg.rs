//! CG: sums across rows of a 2-D grid of processes, and exchanges with the transposed process.

use super::super::{GuestEntry, Pattern, Sized};
use super::{OPTIONS, Run, no_more_than, power_below, power_of_two, spec};

/// Products of matrix and vector in an iteration: 25 steps of conjugate gradients and the residual.
const PRODUCTS: f64 = 26.0;

/// Scalars summed across a row in an iteration: two a step, and four.
const SCALARS: f64 = 54.0;

/// `npb-cg:n=64`: the largest eigenvalue of a sparse matrix, whose blocks lie on a grid of rows × columns, as many
/// columns as rows or twice as many. After every product (26 an iteration) a process adds its part of the vector up
/// with those of its row whose column differs in one bit, and swaps it with the process across the diagonal.
pub(in super::super) const CG: GuestEntry = GuestEntry {
    name: "npb-cg",
    about: "NPB CG, conjugate gradients: sums across rows of a 2-D grid, exchange with the transposed process",
    example: "npb-cg:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| {
            let run = Run::read(params, [150_000, 1400, 7000, 14_000, 75_000, 1_500_000])?;
            let stages = power_of_two(params, run.n)?;
            let (rows, columns) = (1 << (stages / 2), 1 << stages.div_ceil(2));
            no_more_than(params, columns, run.problem)?;
            let part = 8.0 * PRODUCTS * f64::from(run.problem) / f64::from(columns);
            run.list(params, context, stages.div_ceil(2) + 1, |i, send| {
                for k in 0..stages.div_ceil(2) {
                    send(i ^ 1 << k, part + 8.0 * SCALARS);
                }
                // Where there are two columns a row, pairs of columns are transposed as one.
                let wide = columns / rows;
                let pair = i / wide;
                let transposed = wide * (pair % rows * rows + pair / rows) + i % wide;
                send(transposed, part);
            })
        },
        sized: &[Sized { name: "npb-cg", spec: |count| spec("npb-cg", power_below(count), count) }],
    },
};
