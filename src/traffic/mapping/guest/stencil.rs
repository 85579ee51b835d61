//! Halo exchange on a grid of processes.

use super::patterns::{VOLUME, count_processes, list_messages, parse_volume, square_extents};
use super::{BuildGuest, Guest, GuestEntry, Pattern, SizedPattern};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;
use nodeorder_network::topology::lattice::cell_coordinates;

/// `stencil:8x8x8[,wrap=true][,corners=true]`: halo exchange on a grid of processes, the last dimension
/// fastest. `wrap` closes every dimension to a ring; with `corners` all 3^k - 1 neighbours of a cell get
/// a message, not only those across its faces. In a closed dimension of extent 2 both neighbours are one
/// process: one message.
pub const GUEST: GuestEntry = GuestEntry {
    name: "stencil",
    about: "halo exchange on a grid of processes; wrap=true closes it, corners=true adds diagonals",
    example: "stencil:8x8x8,wrap=true",
    options: &[
        Opt::extents("dims", "processes along each dimension").positional(),
        Opt::flag("wrap", "close every dimension to a ring"),
        Opt::flag("corners", "send across edges and corners, too"),
        VOLUME,
    ],
    parse: Pattern::new(parse).sized(&[
        SizedPattern {
            name: "stencil2d",
            spec: |count| format!("stencil:{}", square_extents(count, 2)),
        },
        SizedPattern {
            name: "stencil3d",
            spec: |count| format!("stencil:{}", square_extents(count, 3)),
        },
        SizedPattern {
            name: "stencil",
            spec: |count| format!("stencil:{}", square_extents(count, 3)),
        },
    ]),
};

/// Options of `stencil`.
struct Stencil {
    /// Number of processes along each dimension.
    dims: Vec<u32>,
    /// Number of all processes.
    processes: u32,
    /// Whether every dimension is closed to a ring.
    wrap: bool,
    /// Whether messages go across edges and corners, too.
    corners: bool,
    /// Volume of each message.
    volume: f64,
}

/// Reads the options of `stencil`. Fails if a guest may not have as many processes.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let dims = params.required_extents("dims", "the extents, as in 8x8x8")?;
    Ok(Box::new(Stencil {
        wrap: params.is_set("wrap")?,
        corners: params.is_set("corners")?,
        processes: count_processes(params, &dims)?,
        volume: parse_volume(params)?,
        dims,
    }))
}

impl Stencil {
    /// Lists the steps to the neighbours: -1, 0 or 1 along every dimension.
    fn list_steps(&self) -> Vec<Vec<i64>> {
        let k = self.dims.len() as u32;
        if self.corners {
            // The digits of a number in base 3. One of these steps leads nowhere: no message.
            let all = 0..3u64.checked_pow(k).unwrap_or(u64::MAX);
            let digits = all.map(|s| (0..k).map(move |i| s / 3u64.pow(i) % 3));
            return digits
                .map(|digits| digits.map(|digit| digit as i64 - 1).collect())
                .collect();
        }
        let mut steps = Vec::new();
        for axis in 0..self.dims.len() {
            for by in [-1, 1] {
                let mut step = vec![0; self.dims.len()];
                step[axis] = by;
                steps.push(step);
            }
        }
        steps
    }
}

impl BuildGuest for Stencil {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let n = self.processes;
        let dims = &self.dims;
        let k = dims.len() as u32;
        let most = if self.corners {
            3u32.saturating_pow(k)
        } else {
            2 * k
        };
        // Before the steps are listed, which may be very many.
        context.require_memory("the guest's messages", u64::from(n) * u64::from(most) * 48)?;
        let steps = self.list_steps();
        let mut at = vec![0; dims.len()];
        list_messages(label, context, n, most, self.volume, |process, send| {
            cell_coordinates(process, dims, &mut at);
            'steps: for step in &steps {
                let mut cell = 0;
                for (i, by) in step.iter().enumerate() {
                    let n = i64::from(dims[i]);
                    let mut x = i64::from(at[i]) + by;
                    if self.wrap {
                        x = x.rem_euclid(n);
                    }
                    // Beyond the edge of an open dimension there is nobody.
                    if !(0..n).contains(&x) {
                        continue 'steps;
                    }
                    cell = cell * n + x;
                }
                send(cell as u32);
            }
        })
    }
}
