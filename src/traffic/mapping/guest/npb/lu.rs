//! LU: wavefronts over a 2-D grid of processes.

use super::{
    BenchmarkTraffic, Instance, benchmark, check_side, inner_points, logarithm_of, part_points,
    power_below,
};
use crate::mapping::guest::GuestEntry;
use nodeorder_base::{Params, Result};

/// `npb-lu:n=64`: symmetric successive over-relaxation on a cube cut into columns, on a grid of processes whose first
/// dimension is as long as the second or twice as long, and runs fastest. An iteration sweeps plane by plane from one
/// corner to the other and back, five numbers a point of the edge to the next process for every inner plane (160
/// messages of 0.8 kB for 64 processes in class C); and swaps faces two points deep once with all neighbours.
pub(in super::super) const LU: GuestEntry = benchmark!(
    "npb-lu",
    "NPB LU, a solver by wavefronts: many small messages to neighbours on a 2-D grid",
    parse_traffic,
    power_below
);

/// Reads the options of LU, and lists its traffic.
fn parse_traffic(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let stages = logarithm_of(params, run.n)?;
    let points: u32 = run.class_value([162, 12, 33, 64, 102, 408]);
    let across = 1u32 << stages.div_ceil(2);
    let down = 1u32 << (stages / 2);
    check_side(params, across, points)?;
    // The polynomial below is the benchmark's own count of operations, which its Mop/s are made of.
    let side = f64::from(points);
    Ok(BenchmarkTraffic {
        run,
        all_to_all: None,
        each: 8,
        messages: vec![points - 2, points - 2, 1],
        sends: Box::new(move |i, send| {
            let x = i % across;
            let y = i / across;
            // Along each dimension: the step to the next process, the position and extent, and those across.
            for (step, at, extent, edge, parts) in
                [(1, x, across, y, down), (across, y, down, x, across)]
            {
                // A sweep solves the points of the edge that are not on the cube's surface; faces are swapped whole.
                let inner = f64::from(inner_points(points, parts, edge));
                let swept = 40.0 * inner * (side - 2.0);
                let swapped = 80.0 * f64::from(part_points(points, parts, edge)) * side;
                if at + 1 < extent {
                    send(0, i + step, swept);
                    send(2, i + step, swapped);
                }
                if at > 0 {
                    send(1, i - step, swept);
                    send(2, i - step, swapped);
                }
            }
        }),
        iterations: run.class_value([250, 50, 300, 250, 250, 300]),
        operations: 1984.77 * side.powi(3) - 10_923.3 * side.powi(2) + 27_770.9 * side - 144_010.0,
    })
}
