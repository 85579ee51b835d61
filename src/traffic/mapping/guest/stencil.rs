//! Halo exchange on a grid of processes.

use super::kit::*;
use super::patterns::product;
use super::sized::square;
use nodeorder_network::topology::lattice::digits;

/// `stencil:8x8x8[,wrap=true][,corners=true]`: halo exchange on a grid of processes, the last dimension
/// fastest. `wrap` closes every dimension to a ring; with `corners` all 3^k - 1 neighbours of a cell get
/// a message, not only those across its faces. In a closed dimension of extent 2 both neighbours are one
/// process: one message.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "stencil",
    about: "halo exchange on a grid of processes; wrap=true closes it, corners=true adds diagonals",
    example: "stencil:8x8x8,wrap=true",
    options: &[
        Opt::extents("dims", "processes along each dimension").positional(),
        Opt::flag("wrap", "close every dimension to a ring"),
        Opt::flag("corners", "send across edges and corners, too"),
        VOLUME,
    ],
    parse: Pattern {
        make: stencil,
        benchmark: None,
        sized: &[
            Sized {
                name: "stencil2d",
                spec: |count| format!("stencil:{}", square(count, 2)),
            },
            Sized {
                name: "stencil3d",
                spec: |count| format!("stencil:{}", square(count, 3)),
            },
            Sized {
                name: "stencil",
                spec: |count| format!("stencil:{}", square(count, 3)),
            },
        ],
    },
};

fn stencil(params: &Params, context: &Context) -> Result<(u32, Traffic)> {
    let dims = params.dims("dims", "the extents, as in 8x8x8")?;
    let (wrap, corners) = (params.flag("wrap")?, params.flag("corners")?);
    let n = product(params, &dims)?;
    let k = dims.len() as u32;
    // Steps of -1, 0 or 1 along every dimension, as digits of a number in base 3.
    let most = if corners {
        3u32.saturating_pow(k)
    } else {
        2 * k
    };
    context.require("the guest's messages", u64::from(n) * u64::from(most) * 48)?;
    let all = 3u64.checked_pow(k).unwrap_or(u64::MAX);
    let steps: Vec<Vec<i64>> = if corners {
        (0..all)
            .map(|s| (0..k).map(|i| (s / 3u64.pow(i) % 3) as i64 - 1).collect())
            .collect()
    } else {
        let unit = |axis: u32, by: i64| (0..k).map(|i| if i == axis { by } else { 0 }).collect();
        (0..k)
            .flat_map(|axis| [unit(axis, -1), unit(axis, 1)])
            .collect()
    };
    let mut at = vec![0; dims.len()];
    list(params, context, n, most, |process, send| {
        digits(process, &dims, &mut at);
        for step in &steps {
            let neighbour = at
                .iter()
                .zip(step)
                .zip(&dims)
                .try_fold(0i64, |cell, ((x, by), n)| {
                    let (x, n) = (i64::from(*x) + by, i64::from(*n));
                    let x = if wrap { x.rem_euclid(n) } else { x };
                    (0..n).contains(&x).then(|| cell * n + x)
                });
            neighbour.into_iter().for_each(|cell| send(cell as u32));
        }
    })
}
