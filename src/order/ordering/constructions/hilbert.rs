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
use super::interleave::coordinate_bits;
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderingEntry};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Topology;

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
            .default_in_words("as few as cover the longest axis"),
    ],
    parse: Method::new(Needs::Lattice, parse_options),
};

/// Reads the options of a curve. Fails if it does not cover the box, or its index or cells are too large.
fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let axes = AxisOptions::parse(topology, params)?;
    let view = axes.lattice_view(topology)?;
    let least = bits_to_cover(&view.extents);
    let bits = params.optional_integer("bits", 1, 31)?.unwrap_or(least);
    if bits < least {
        let expected = format!("at least {least}, so that 2^bits covers the longest axis");
        return Err(params.invalid_value("bits", expected));
    }
    check_index(params, bits, &view.extents)?;
    topology
        .context()
        .require_memory("the cells of a curve", 36 * view.cell_count() as u64)?;
    Ok(axes.walk_cells(move |view| {
        // Half as many bytes to sort where the index fits.
        if bits as usize * view.extents.len() <= u64::BITS as usize {
            view.cells_by_curve(|position| hilbert_index(position, bits) as u64)
        } else {
            view.cells_by_curve(|position| hilbert_index(position, bits))
        }
    }))
}

/// Refuses curves whose index has more than 128 bits.
pub fn check_index(params: &Params, bits: u32, extents: &[u32]) -> Result<()> {
    let dimensions = extents.len();
    if bits as usize * dimensions > u128::BITS as usize {
        return Err(params.unsuited_error(
            format!("{bits} bits in {dimensions} dimensions make an index of more than 128 bits"),
            "what works here: fewer `bits`, morton, gray, snake",
        ));
    }
    Ok(())
}

/// Finds the least number of bits, at least 1, whose cube covers `extents`.
pub fn bits_to_cover(extents: &[u32]) -> u32 {
    coordinate_bits(extents).into_iter().fold(1, u32::max)
}

/// Computes the index of `position` on the curve of the cube of side 2^bits.
pub fn hilbert_index(position: &[u32], bits: u32) -> u128 {
    match position {
        [x] => u128::from(*x),
        // The crate counts in `usize`, which holds 15 bits a side on any platform.
        [x, y] if bits <= 15 => {
            let side = 1usize << bits;
            hilbert_curve::convert_2d_to_1d(*x as usize, *y as usize, side) as u128
        }
        _ => skilling_index(position, bits),
    }
}

/// Computes the index by Skilling's transform: the index, its bits dealt over the axes, is the coordinates with the
/// rotations of all levels undone and then Gray-decoded.
fn skilling_index(position: &[u32], bits: u32) -> u128 {
    // Up to four axes need no allocation, which would cost more than the transform.
    let mut few = [0; 4];
    let mut many = Vec::new();
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
    use crate::testing::{error, ids, max_step, step_sum};

    /// Returns the cell at `index`, by the other direction of the transform as the paper's appendix has it
    /// (TransposetoAxes; its Gray decoding ends at axis 1).
    fn cell(index: u64, bits: u32, dimensions: usize) -> Vec<u32> {
        let mut x = vec![0u32; dimensions];
        // The transpose: bits of the index in turn to each axis, the most significant first.
        for bit in (0..bits as usize * dimensions).rev() {
            let axis = dimensions - 1 - bit % dimensions;
            x[axis] |= ((index >> bit & 1) as u32) << (bit / dimensions);
        }
        // Gray decoding of the whole index, by its half.
        let half = x[dimensions - 1] >> 1;
        for axis in (1..dimensions).rev() {
            x[axis] ^= x[axis - 1];
        }
        x[0] ^= half;
        // Excess work is undone, from the finest level up.
        for level in 1..bits {
            let finer = (1 << level) - 1;
            for axis in (0..dimensions).rev() {
                if x[axis] & (1 << level) != 0 {
                    x[0] ^= finer;
                } else {
                    let exchanged = (x[0] ^ x[axis]) & finer;
                    x[0] ^= exchanged;
                    x[axis] ^= exchanged;
                }
            }
        }
        x
    }

    #[test]
    fn indices_are_those_of_the_paper() {
        for (dimensions, most) in [(2, 6), (3, 4), (4, 3), (5, 2)] {
            for bits in 1..=most {
                for at in 0..1 << (bits as usize * dimensions) {
                    let position = cell(at, bits, dimensions);
                    assert_eq!(
                        hilbert_index(&position, bits),
                        u128::from(at),
                        "{position:?} {bits}"
                    );
                }
            }
        }
    }

    /// The walk of the whole cube, without the cells outside; and the sums of its steps that the text above gives.
    #[test]
    fn boxes_are_walked_without_the_cells_outside() {
        for (bits, sum) in [(3, 335), (4, 347), (5, 319)] {
            let mut walk = Vec::new();
            for at in 0..1 << (3 * bits) {
                let position = cell(at, bits, 3);
                if position[0] < 8 && position[1] < 8 && position[2] < 5 {
                    walk.push((position[0] * 8 + position[1]) * 5 + position[2]);
                }
            }
            let by = format!("hilbert:bits={bits}");
            assert_eq!(ids("mesh:8x8x5", &by), walk);
            assert_eq!(step_sum("mesh:8x8x5", &by), sum);
        }
        assert_eq!(
            ids("mesh:8x8x5", "hilbert"),
            ids("mesh:8x8x5", "hilbert:bits=3")
        );
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
                        hilbert_index(&[x, y], bits),
                        skilling_index(&[x, y], bits),
                        "{x} {y} {bits}"
                    );
                }
            }
        }
        for p in [[32767, 1], [0, 32767], [12345, 23456]] {
            assert_eq!(hilbert_index(&p, 15), skilling_index(&p, 15));
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
