//! Hilbert curves in any number of dimensions.
//!
//! # Drawing
//! ```text
//! b = 2, axis 0 down, axis 1 to the right
//!  0  3  4  5
//!  1  2  7  6
//! 14 13  8  9
//! 15 12 11 10
//! ```

use super::axes::{AXES, AxisOptions, REVERSE};
use super::interleave::widths;
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::error::Result;
use nodeorder_base::observer::Observer;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Topology;

/// `hilbert[:bits=B,axes=zxy,reverse=x]`: the Hilbert curve of the enclosing cube of side 2^B; cells
/// outside the box are skipped.
///
/// The curve starts at the origin, unreflected; axis 0 gives the most significant bit of each group of the
/// index. On a box that is no cube of side 2^B, B changes the order. Default: the least B that covers the
/// box. Slurm's `topology/3d_torus` always used 5, so `bits=5` is its order: on an 8x8x5 mesh the steps
/// sum to 335, 347 and 319 hops for B = 3, 4, 5. O(cells · (B · dimensions + log cells)); the cube is never walked.
/// Errors: `bits` too small for the box; more than 128 bits in all dimensions together.
///
/// # References
/// Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004,
/// <https://doi.org/10.1063/1.1751381>.
///
/// # Limits
/// All axes count, those of extent 1 too: a flat box in three dimensions is ordered by a slice of the
/// three-dimensional curve.
pub const HILBERT: OrderingEntry = OrderingEntry {
    name: "hilbert",
    about: "Hilbert curve of the enclosing 2^bits cube, cells outside skipped; bits=5 as Slurm's 3d_torus",
    example: "hilbert:bits=5",
    options: &[
        AXES,
        REVERSE,
        Opt::whole("bits", "bits of each axis, 1 to 31")
            .or_else("as few as cover the longest axis"),
    ],
    parse: Method::new(Needs::Lattice, parse_options),
};

struct Hilbert {
    axes: AxisOptions,
    /// Bits of each axis.
    bits: u32,
}

fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let axes = AxisOptions::parse(topology, params)?;
    let view = axes.view(topology)?;
    let least = bits_for(&view.extents);
    let bits = params.integer("bits", 1, 31)?.unwrap_or(least);
    if bits < least {
        let expected = format!("at least {least}, so that 2^bits covers the longest axis");
        return Err(params.wrong("bits", expected));
    }
    check_index(params, bits, &view.extents)?;
    topology
        .context()
        .require("the cells of a curve", 36 * view.cell_count() as u64)?;
    Ok(Box::new(Hilbert { axes, bits }))
}

impl OrderNodes for Hilbert {
    fn order(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let view = self.axes.view(topology)?;
        let bits = self.bits;
        let cells = if bits as usize * view.extents.len() <= u64::BITS as usize {
            view.cells_by_curve(|position| index(position, bits) as u64)
        } else {
            view.cells_by_curve(|position| index(position, bits))
        };
        Ok(OrderedNodes::Constructed(view.nodes(cells)))
    }
}

/// Refuses curves whose index has more than 128 bits.
pub(super) fn check_index(params: &Params, bits: u32, extents: &[u32]) -> Result<()> {
    let dimensions = extents.len();
    if bits as usize * dimensions > u128::BITS as usize {
        return Err(params.unsuited(
            format!("{bits} bits in {dimensions} dimensions make an index of more than 128 bits"),
            "what works here: fewer `bits`, morton, gray, snake",
        ));
    }
    Ok(())
}

/// The least number of bits, at least 1, whose cube covers `extents`.
pub(super) fn bits_for(extents: &[u32]) -> u32 {
    widths(extents).into_iter().fold(1, u32::max)
}

/// The index of `position` on the curve of the cube of side 2^bits.
pub(super) fn index(position: &[u32], bits: u32) -> u128 {
    match position {
        [x] => u128::from(*x),
        // The crate counts in `usize`, which holds 15 bits a side on any platform.
        [x, y] if bits <= 15 => {
            let side = 1usize << bits;
            hilbert_curve::convert_2d_to_1d(*x as usize, *y as usize, side) as u128
        }
        _ => skilling(position, bits),
    }
}

/// Skilling's transform: the index, its bits dealt over the axes, is the coordinates with the rotations of
/// all levels undone and then Gray-decoded.
fn skilling(position: &[u32], bits: u32) -> u128 {
    let (mut few, mut many) = ([0; 4], Vec::new());
    let x = match few.get_mut(..position.len()) {
        Some(few) => few,
        None => {
            many.resize(position.len(), 0);
            &mut many[..]
        }
    };
    x.copy_from_slice(position);
    // From the coarsest level down, turn the sub-cube that holds the cell back into standard position: an
    // upper half reflects axis 0, a lower one swaps it with the axis.
    for level in (1..bits).rev() {
        let finer = (1u32 << level) - 1;
        for i in 0..x.len() {
            if x[i] >> level & 1 == 1 {
                x[0] ^= finer;
            } else {
                let differing = (x[0] ^ x[i]) & finer;
                x[0] ^= differing;
                x[i] ^= differing;
            }
        }
    }
    // What remains is a Gray code over the interleaved bits; its rank has, at each bit, the parity of all
    // bits before it.
    let mut index = 0;
    let mut parity = 0;
    for level in (0..bits).rev() {
        for axis in &*x {
            parity ^= axis >> level & 1;
            index = index << 1 | u128::from(parity);
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::testing::{error, ids, max_step, step_sum};

    #[test]
    fn steps_on_the_cplant_mesh_sum_as_known() {
        for (bits, sum) in [(3, 335), (4, 347), (5, 319)] {
            assert_eq!(step_sum("mesh:8x8x5", &format!("hilbert:bits={bits}")), sum);
        }
        assert_eq!(step_sum("mesh:8x8x5", "hilbert"), 335);
    }

    #[test]
    fn the_drawing_is_right() {
        assert_eq!(
            ids("mesh:4x4", "hilbert"),
            [0, 4, 5, 1, 2, 3, 7, 6, 10, 11, 15, 14, 13, 9, 8, 12]
        );
    }

    #[test]
    fn the_crate_for_two_dimensions_follows_the_same_convention() {
        for bits in 1..8 {
            for x in 0..1u32 << bits {
                for y in 0..1 << bits {
                    assert_eq!(
                        index(&[x, y], bits),
                        skilling(&[x, y], bits),
                        "{x} {y} {bits}"
                    );
                }
            }
        }
        for p in [[32767, 1], [0, 32767], [12345, 23456]] {
            assert_eq!(index(&p, 15), skilling(&p, 15));
        }
    }

    #[test]
    fn every_step_on_a_cube_is_one() {
        for spec in [
            "mesh:8x8",
            "mesh:8x8x8",
            "mesh:4x4x4x4",
            "mesh:4x4x4x4x4",
            "mesh:2x2x2x2x2",
        ] {
            assert_eq!(max_step(spec, "hilbert"), 1, "{spec}");
            assert_eq!(ids(spec, "hilbert")[0], 0);
        }
        assert_eq!(ids("mesh:7", "hilbert"), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(ids("mesh:7", "hilbert:bits=9"), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn bad_bits_are_refused() {
        assert!(error("mesh:8x8x5", "hilbert:bits=2").contains("at least 3"));
        assert!(error("mesh:8x8x5", "hilbert:bits=32").contains("from 1 to 31"));
        assert!(error("mesh:2x2x2x2x2", "hilbert:bits=31").contains("more than 128 bits"));
        assert!(error("mesh:8x8x5", "hilbert:bit=3").contains("did you mean `bits`"));
    }
}
