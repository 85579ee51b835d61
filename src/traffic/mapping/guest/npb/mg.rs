//! MG: halo exchange on every level of a multigrid.

use super::{BenchmarkTraffic, Instance, benchmark, check_side, logarithm_of, power_below};
use crate::mapping::guest::GuestEntry;
use nodeorder_base::{Params, Result};

/// Number of halo exchanges on a level in an iteration: after restriction (on the finest level: the residual),
/// residual and smoother. The coarsest has no residual.
const EXCHANGES: u32 = 3;

/// `npb-mg:n=64`: V-cycles of a multigrid on a periodic cube, over a 3-D torus of processes (powers of two, the first
/// dimension the shortest and fastest). On every level, from the whole cube down to 2×2×2, a process swaps the faces
/// of its part with its neighbours, halos of the dimensions before included. Where a level has fewer points along a
/// dimension than there are processes, only every second (fourth, …) has one, and its neighbours are so far away.
///
/// # Limits
/// Traffic that idle processes get at the change to such a level is left out: 10⁻⁴ of the volume, between pairs that
/// talk anyhow.
pub(in super::super) const MG: GuestEntry = benchmark!(
    "npb-mg",
    "NPB MG, a multigrid: halo exchange on a 3-D torus at all levels, over growing strides",
    parse_traffic,
    power_below
);

/// Reads the options of MG, and lists its traffic.
fn parse_traffic(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    // Logarithms of the sides.
    let levels: u32 = run.class_value([9, 5, 7, 8, 8, 10]);
    let stages = logarithm_of(params, run.n)?;
    let shortest = stages / 3;
    let bits = [
        shortest,
        (stages - shortest) / 2,
        (stages - shortest).div_ceil(2),
    ];
    check_side(params, 1 << bits[2], 1 << levels)?;
    let strides = [0, bits[0], bits[0] + bits[1]].map(|b| 1u32 << b);
    let extents = bits.map(|b| 1u32 << b);
    let times = |level| if level == 1 { EXCHANGES - 1 } else { EXCHANGES };
    Ok(BenchmarkTraffic {
        run,
        all_to_all: None,
        each: 6 * levels,
        messages: (1..=levels).flat_map(|level| [times(level); 3]).collect(),
        sends: Box::new(move |i, send| {
            let at = [0, 1, 2].map(|axis| i / strides[axis] % extents[axis]);
            for level in 1..=levels {
                // How far apart processes with points are, and how many each has.
                let far = bits.map(|b| 1u32 << b.saturating_sub(level));
                let [x, y, z] = bits.map(|b| f64::from(1u32 << level.saturating_sub(b)));
                // This one has none on the level.
                if (0..3).any(|axis| at[axis] % far[axis] != far[axis] - 1) {
                    continue;
                }
                let faces = [y * z, (x + 2.0) * z, (x + 2.0) * (y + 2.0)];
                for axis in 0..3 {
                    for step in [far[axis], extents[axis] - far[axis]] {
                        let there = (at[axis] + step) % extents[axis];
                        let to = i - at[axis] * strides[axis] + there * strides[axis];
                        let stage = 3 * (level - 1) as usize + axis;
                        send(stage, to, 8.0 * f64::from(times(level)) * faces[axis]);
                    }
                }
            }
        }),
        iterations: run.class_value([20, 4, 4, 4, 20, 50]),
        operations: 58.0 * f64::from(3 * levels).exp2(),
    })
}
