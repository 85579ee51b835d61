//! CG: sums across rows of a 2-D grid of processes, and exchanges with the transposed process.

use super::{BenchmarkTraffic, Instance, benchmark, check_side, logarithm_of, power_below};
use crate::mapping::guest::GuestEntry;
use nodeorder_base::{Params, Result};

/// Number of products of matrix and vector in an iteration: 25 steps of conjugate gradients and the residual.
const PRODUCTS: f64 = 26.0;

/// Number of scalars summed across a row in an iteration: two a step, and four.
const SCALARS: f64 = 54.0;

/// `npb-cg:n=64`: the largest eigenvalue of a sparse matrix, whose blocks lie on a grid of rows × columns, as many
/// columns as rows or twice as many. After every product (26 an iteration) a process adds its part of the vector up
/// with those of its row whose column differs in one bit, and swaps it with the process across the diagonal.
pub(in super::super) const CG: GuestEntry = benchmark!(
    "npb-cg",
    "NPB CG, conjugate gradients: sums across rows of a 2-D grid, exchange with the transposed process",
    parse_traffic,
    power_below
);

/// Reads the options of CG, and lists its traffic.
fn parse_traffic(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let stages = logarithm_of(params, run.n)?;
    let rows = 1 << (stages / 2);
    let columns = 1 << stages.div_ceil(2);
    let size = run.class_value([150_000, 1400, 7000, 14_000, 75_000, 1_500_000]);
    check_side(params, columns, size)?;
    // A process holds as much of a vector as its column of blocks is wide.
    let part = 8.0 * PRODUCTS * f64::from(size) / f64::from(columns);
    let across = stages.div_ceil(2) as usize;
    let mut messages = vec![(PRODUCTS + SCALARS) as u32; across];
    messages.push(PRODUCTS as u32);
    // Numbers other than 0 of a row are about this many.
    let row = f64::from(run.class_value([15u32, 7, 8, 11, 13, 21]));
    let row = row * (row + 1.0);
    Ok(BenchmarkTraffic {
        run,
        all_to_all: None,
        each: stages.div_ceil(2) + 1,
        messages,
        sends: Box::new(move |i, send| {
            for k in 0..across {
                send(k, i ^ 1 << k, part + 8.0 * SCALARS);
            }
            // Where there are two columns a row, pairs of columns are transposed as one.
            let wide = columns / rows;
            let pair = i / wide;
            let transposed = wide * (pair % rows * rows + pair / rows) + i % wide;
            send(across, transposed, part);
        }),
        iterations: run.class_value([75, 15, 15, 15, 75, 100]),
        operations: 2.0 * f64::from(size) * (3.0 + row + 25.0 * (5.0 + row) + 3.0),
    })
}
