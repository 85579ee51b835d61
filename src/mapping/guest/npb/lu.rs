//! LU: wavefronts over a 2-D grid of processes.

use super::super::{GuestEntry, Pattern, Sized};
use super::{OPTIONS, Run, no_more_than, part, power_below, power_of_two, spec};

/// `npb-lu:n=64`: symmetric successive over-relaxation on a cube cut into columns, on a grid of processes whose first
/// dimension is as long as the second or twice as long, and runs fastest. An iteration sweeps plane by plane from one
/// corner to the other and back, five numbers a point of the edge to the next process for every inner plane (160
/// messages of 0.8 kB for 64 processes in class C); and swaps faces two points deep once with all neighbours.
pub(in super::super) const LU: GuestEntry = GuestEntry {
    name: "npb-lu",
    about: "NPB LU, a solver by wavefronts: many small messages to neighbours on a 2-D grid",
    example: "npb-lu:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| {
            let run = Run::read(params, [162, 12, 33, 64, 102, 408])?;
            let stages = power_of_two(params, run.n)?;
            let points = run.problem;
            let (across, down) = (1u32 << stages.div_ceil(2), 1u32 << (stages / 2));
            no_more_than(params, across, points)?;
            // Points of an edge, and those of it that a sweep solves: all but the cube's surface.
            let edge = |i, parts| {
                let all = part(points, parts, i);
                let inner = all
                    - u32::from(i == 0)
                    - u32::from(i + 1 == parts).min(all - u32::from(i == 0));
                (f64::from(all), f64::from(inner))
            };
            let bytes = |(all, inner): (f64, f64)| {
                let (depth, planes) = (f64::from(points), f64::from(points - 2));
                8.0 * (5.0 * inner * planes + 10.0 * all * depth)
            };
            run.list(params, context, 4, |i, send| {
                let (x, y) = (i % across, i / across);
                let (over_y, over_x) = (bytes(edge(y, down)), bytes(edge(x, across)));
                if x + 1 < across {
                    send(i + 1, over_y);
                }
                if x > 0 {
                    send(i - 1, over_y);
                }
                if y + 1 < down {
                    send(i + across, over_x);
                }
                if y > 0 {
                    send(i - across, over_x);
                }
            })
        },
        sized: &[Sized { name: "npb-lu", spec: |count| spec("npb-lu", power_below(count), count) }],
    },
};
