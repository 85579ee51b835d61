//! MG: halo exchange on every level of a multigrid.

use super::super::{GuestEntry, Pattern, Sized};
use super::{OPTIONS, Run, no_more_than, power_below, power_of_two, spec};

/// Halo exchanges on a level in an iteration: after restriction (on the finest level: the residual), residual and
/// smoother. The coarsest has no residual.
const EXCHANGES: f64 = 3.0;

/// `npb-mg:n=64`: V-cycles of a multigrid on a periodic cube, over a 3-D torus of processes (powers of two, the first
/// dimension the shortest and fastest). On every level, from the whole cube down to 2×2×2, a process swaps the faces
/// of its part with its neighbours, halos of the dimensions before included. Where a level has fewer points along a
/// dimension than there are processes, only every second (fourth, …) has one, and its neighbours are so far away.
///
/// # Limits
/// What idle processes are handed at the change to such a level is left out: 10⁻⁴ of the volume, between pairs that
/// talk anyhow.
pub(in super::super) const MG: GuestEntry = GuestEntry {
    name: "npb-mg",
    about: "NPB MG, a multigrid: halo exchange on a 3-D torus at all levels, over growing strides",
    example: "npb-mg:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| {
            // Logarithms of the sides.
            let run = Run::read(params, [9u32, 5, 7, 8, 8, 10])?;
            let stages = power_of_two(params, run.n)?;
            let shortest = stages / 3;
            let bits = [shortest, (stages - shortest) / 2, (stages - shortest).div_ceil(2)];
            no_more_than(params, 1 << bits[2], 1 << run.problem)?;
            let strides = [0, bits[0], bits[0] + bits[1]].map(|b| 1u32 << b);
            let extents = bits.map(|b| 1u32 << b);
            run.list(params, context, 6 * run.problem, |i, send| {
                let at = [0, 1, 2].map(|axis| i / strides[axis] % extents[axis]);
                for level in 1..=run.problem {
                    // How far apart processes with points are, and how many each has.
                    let far = bits.map(|b| 1u32 << b.saturating_sub(level));
                    let points = bits.map(|b| f64::from(1u32 << level.saturating_sub(b)));
                    if (0..3).any(|axis| at[axis] % far[axis] != far[axis] - 1) {
                        continue;
                    }
                    let [x, y, z] = points;
                    let faces = [y * z, (x + 2.0) * z, (x + 2.0) * (y + 2.0)];
                    let times = if level == 1 { EXCHANGES - 1.0 } else { EXCHANGES };
                    for axis in 0..3 {
                        for step in [far[axis], extents[axis] - far[axis]] {
                            let there = (at[axis] + step) % extents[axis];
                            let to = i - at[axis] * strides[axis] + there * strides[axis];
                            send(to, 8.0 * times * faces[axis]);
                        }
                    }
                }
            })
        },
        sized: &[Sized { name: "npb-mg", spec: |count| spec("npb-mg", power_below(count), count) }],
    },
};
