//! Morton and Gray orders: cells sorted by their interleaved coordinate bits.
//!
//! # Drawing
//! ```text
//! Morton  0 1 4 5     Gray  0 1 7 6
//!         2 3 6 7           3 2 4 5
//! ```

use super::axes::{AXES, AxisOptions, REVERSE};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderingEntry};
use nodeorder_base::{Params, Result};
use nodeorder_network::Topology;

/// `morton[:axes=zxy,reverse=x]`: Z-order. The key of a cell has one group of bits a bit position, the
/// most significant first; in each group axis 0 is the most significant. O(cells · log cells) whatever the shape:
/// cells of the box are sorted, the enclosing cube is never walked.
///
/// # References
/// Morton, "A computer oriented geodetic data base", IBM 1966.
pub const MORTON: OrderingEntry = OrderingEntry {
    name: "morton",
    about: "Z-order: coordinate bits interleaved, axis 0 most significant",
    example: "morton:axes=zxy",
    options: &[AXES, REVERSE],
    parse: Method::new(Needs::Lattice, |topology, params| {
        parse_options(topology, params, |key| key)
    }),
};

/// `gray[:axes=zxy,reverse=x]`: cells in the order in which the reflected Gray code visits their Morton
/// keys, that is sorted by the inverse Gray code of the key: on a cube of side 2^b consecutive cells
/// differ in one bit of one coordinate.
///
/// # Limits
/// One bit is not one hop: steps are powers of two.
///
/// # References
/// Faloutsos, "Gray codes for partial match and range queries", 1988,
/// <https://doi.org/10.1109/32.6184>.
pub const GRAY: OrderingEntry = OrderingEntry {
    name: "gray",
    about: "Gray code of the interleaved bits: neighbours differ in one bit of one coordinate",
    example: "gray:axes=zxy",
    options: &[AXES, REVERSE],
    parse: Method::new(Needs::Lattice, |topology, params| {
        parse_options(topology, params, gray_rank)
    }),
};

/// Reads the axes of the curve on which the cell of a Morton key has this rank. Fails if its cells need more memory
/// than allowed.
fn parse_options(
    topology: &Topology,
    params: &Params,
    rank: fn(u64) -> u64,
) -> Result<Box<dyn OrderNodes>> {
    let axes = AxisOptions::parse(topology, params)?;
    let cells = axes.lattice_view(topology)?.cell_count() as u64;
    topology
        .context()
        .require_memory("the cells of a curve", 20 * cells)?;
    Ok(axes.walk_cells(move |view| {
        let bits = coordinate_bits(&view.extents);
        view.cells_by_curve(|position| rank(morton_key(position, &bits)))
    }))
}

/// Counts the bits that the coordinates of each axis take.
pub fn coordinate_bits(extents: &[u32]) -> Vec<u32> {
    extents
        .iter()
        .map(|n| u32::BITS - (n - 1).leading_zeros())
        .collect()
}

/// Interleaves the bits of `position`, whose coordinates take `bits` each. Bits above an axis's width are
/// zero in every cell and left out, which changes no order; so the key of a box of 2³¹ cells has at most
/// 41 bits (an extent n takes at most 1.3·log2 n).
pub fn morton_key(position: &[u32], bits: &[u32]) -> u64 {
    let mut key = 0;
    for bit in (0..bits.iter().copied().max().unwrap_or(0)).rev() {
        for (x, width) in position.iter().zip(bits) {
            if bit < *width {
                key = key << 1 | u64::from(x >> bit & 1);
            }
        }
    }
    key
}

/// Computes the rank of `code` in the reflected Gray code: each bit is the parity of the bits from it up.
pub fn gray_rank(code: u64) -> u64 {
    let mut rank = code;
    for shift in [1, 2, 4, 8, 16, 32] {
        rank ^= rank >> shift;
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ids;

    #[test]
    fn axis_0_is_most_significant() {
        assert_eq!(ids("mesh:2x4", "morton"), [0, 1, 4, 5, 2, 3, 6, 7]);
        assert_eq!(ids("mesh:2x4", "morton:axes=yx"), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(ids("mesh:3x3", "morton"), [0, 1, 3, 4, 2, 5, 6, 7, 8]);
        assert_eq!(ids("mesh:2x4", "gray"), [0, 1, 5, 4, 6, 7, 3, 2]);
    }

    #[test]
    fn zero_bits_left_out_change_no_order() {
        // The textbook keys: as many bits for every axis.
        let full = |p: &[u32]| morton_key(p, &[3; 3]);
        let cells: Vec<[u32; 3]> = (0..7 * 2 * 5).map(|i| [i / 10, i / 5 % 2, i % 5]).collect();
        let bits = coordinate_bits(&[7, 2, 5]);
        for (rank, name) in [(gray_rank as fn(u64) -> u64, "gray"), (|k| k, "morton")] {
            let (mut a, mut b) = (cells.clone(), cells.clone());
            a.sort_by_key(|p| rank(morton_key(p, &bits)));
            b.sort_by_key(|p| rank(full(p)));
            assert_eq!(a, b, "{name}");
        }
    }

    #[test]
    fn gray_neighbours_differ_in_one_bit() {
        for (spec, side) in [("mesh:8x8x8", 8u32), ("mesh:4x4x4x4", 4), ("mesh:16", 16)] {
            let b = side.trailing_zeros();
            // On a cube of side 2^b a cell's index is its coordinates' bits side by side.
            for pair in ids(spec, "gray").windows(2) {
                assert_eq!(
                    (pair[0] ^ pair[1]).count_ones(),
                    1,
                    "{spec} ({b} bits an axis)"
                );
            }
        }
    }

    #[test]
    fn gray_rank_inverts_the_code() {
        for i in [0u64, 1, 2, 3, 77, 1 << 40, u64::MAX] {
            assert_eq!(gray_rank(i ^ i >> 1), i);
        }
    }
}
