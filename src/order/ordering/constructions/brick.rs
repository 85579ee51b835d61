//! Brick orders: small boxes filled one after the other.
//!
//! # Drawing
//! ```text
//! size=2x2, inner=row, outer=row
//!  0  1 |  4  5
//!  2  3 |  6  7
//! ------+------
//!  8  9 | 12 13
//! 10 11 | 14 15
//! ```

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE, for_each_position, numbers_by_key};
use super::hilbert;
use super::interleave::{coordinate_bits, gray_rank, morton_key};
use super::linear::reflect_counter;
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderingEntry};
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::lattice::cell_coordinates;

/// `brick[:size=2x2x2,inner=snake|gray|row,outer=snake|row|hilbert,axes=zxy,reverse=x]`: bricks of
/// `size` cells, each filled along the inner path before the next along the outer path.
///
/// `size` counts cells along the topology's own axes, in the order of its extents, whatever `axes` says;
/// default 2 along each. Bricks at the far edges are clipped, the paths inside them made for what is left;
/// a brick may be larger than the box. Both paths run with the axis order of `axes`; every inner path
/// starts at the brick's origin. `size=2x2x2` is what Cray's `-O2` ("2Cube") is understood to be
/// (unverified). O(cells · log cells). Errors: `size` that does not have one extent an axis.
pub const BRICK: OrderingEntry = OrderingEntry {
    name: "brick",
    about: "bricks of size=2x2x2 cells one after the other, inner=snake|gray|row, outer=snake|row|hilbert",
    example: "brick:size=2x2x4,outer=hilbert",
    options: &[
        AXES,
        REVERSE,
        Opt::extents("size", "cells of a brick along each axis").default_in_words("2 along each"),
        Opt::one_of("inner", &["snake", "gray", "row"], "path inside a brick"),
        Opt::one_of(
            "outer",
            &["snake", "row", "hilbert"],
            "path over the bricks",
        ),
    ],
    parse: Method::new(Needs::Lattice, parse_options),
};

/// Reads the options. Fails if the size does not suit, or bricks or their index are too large.
fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let axes = AxisOptions::parse(topology, params)?;
    let view = axes.lattice_view(topology)?;
    let size = parse_size(&view, params, "size")?.unwrap_or_else(|| vec![2; view.extents.len()]);
    let inner = params.required_choice("inner")?;
    let outer = params.required_choice("outer")?;
    topology
        .context()
        .require_memory("the bricks", 48 * view.cell_count() as u64)?;
    if outer == "hilbert" {
        let counts = Bricks::new(&view.extents, size.clone()).counts;
        hilbert::check_index(params, hilbert::bits_to_cover(&counts), &counts)?;
    }
    Ok(axes.walk_cells(move |view| {
        let bricks = Bricks::new(&view.extents, size.clone());
        let mut cells = Vec::with_capacity(view.cell_count());
        for number in list_bricks(&bricks, outer) {
            bricks.visit_cells(number, inner, |position| cells.push(view.cell_at(position)));
        }
        cells
    }))
}

/// Lists the numbers of the bricks in turn along the outer path.
fn list_bricks(bricks: &Bricks<'_>, outer: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    match outer {
        "hilbert" => {
            let bits = hilbert::bits_to_cover(&bricks.counts);
            return numbers_by_key(&bricks.counts, |position| {
                hilbert::hilbert_index(position, bits)
            });
        }
        "snake" => {
            let mut position = vec![0; bricks.counts.len()];
            for_each_position(&bricks.counts, |counter| {
                reflect_counter(counter, &bricks.counts, &mut position);
                numbers.push(bricks.brick_at(&position));
            });
        }
        _ => numbers.extend(0..bricks.len()),
    }
    numbers
}

/// Reads the extents of a brick, given in the topology's order of axes, and returns them in the view's; `None` if they
/// are not given. Fails if there is not one an axis.
pub fn parse_size(
    view: &LatticeView<'_>,
    params: &Params,
    key: &'static str,
) -> Result<Option<Vec<u32>>> {
    let Some(size) = params.optional_extents(key)? else {
        return Ok(None);
    };
    if size.len() != view.extents.len() {
        let expected = format!("{} extents, one an axis, as in 2x2x2", view.extents.len());
        return Err(params.invalid_value(key, expected));
    }
    Ok(Some(view.in_method_order(&size)))
}

/// Box cut into bricks, those at the far edges clipped. Bricks are numbered row-major.
pub struct Bricks<'a> {
    extents: &'a [u32],
    /// Number of cells of a whole brick along each axis.
    size: Vec<u32>,
    /// Number of bricks along each axis.
    counts: Vec<u32>,
}

impl<'a> Bricks<'a> {
    /// Cuts the box of `extents` cells into bricks of `size` cells along each axis.
    pub fn new(extents: &'a [u32], size: Vec<u32>) -> Self {
        let counts = extents
            .iter()
            .zip(&size)
            .map(|(n, s)| n.div_ceil(*s))
            .collect();
        Bricks {
            extents,
            size,
            counts,
        }
    }

    /// Counts the bricks.
    pub fn len(&self) -> u32 {
        self.counts.iter().product()
    }

    /// Computes the number of the brick at a position.
    fn brick_at(&self, position: &[u32]) -> u32 {
        self.counts
            .iter()
            .zip(position)
            .fold(0, |number, (n, x)| number * n + x)
    }

    /// Visits the cells of one brick along a path that starts at its origin.
    pub fn visit_cells(&self, number: u32, path: &str, mut visit: impl FnMut(&[u32])) {
        let axes = self.extents.len();
        let mut origin = vec![0; axes];
        let mut shape = vec![0; axes];
        cell_coordinates(number, &self.counts, &mut origin);
        for i in 0..axes {
            origin[i] *= self.size[i];
            shape[i] = self.size[i].min(self.extents[i] - origin[i]);
        }
        let mut position = vec![0; axes];
        let mut step = |inside: &[u32]| {
            for i in 0..axes {
                position[i] = origin[i] + inside[i];
            }
            visit(&position);
        };
        let mut inside = vec![0; axes];
        match path {
            "gray" => {
                let bits = coordinate_bits(&shape);
                let keys = numbers_by_key(&shape, |inside| gray_rank(morton_key(inside, &bits)));
                for index in keys {
                    cell_coordinates(index, &shape, &mut inside);
                    step(&inside);
                }
            }
            "snake" => {
                for_each_position(&shape, |counter| {
                    reflect_counter(counter, &shape, &mut inside);
                    step(&inside);
                });
            }
            _ => for_each_position(&shape, step),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, ids};

    #[test]
    fn bricks_are_filled_one_after_the_other() {
        assert_eq!(
            ids("mesh:4x4", "brick"),
            [0, 1, 5, 4, 2, 3, 7, 6, 10, 11, 15, 14, 8, 9, 13, 12]
        );
        assert_eq!(
            ids("mesh:4x4", "brick:inner=row,outer=row"),
            [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
        );
        // Bricks 0 2 3 1 on the Hilbert curve; inside 2x2 a Gray code is the snake.
        assert_eq!(
            ids("mesh:4x4", "brick:inner=gray,outer=hilbert"),
            [0, 1, 5, 4, 2, 3, 7, 6, 10, 11, 15, 14, 8, 9, 13, 12]
        );
    }

    #[test]
    fn size_is_in_the_order_of_the_extents_whatever_the_axes() {
        assert_eq!(
            ids("mesh:2x4", "brick:size=1x2,outer=row,axes=yx"),
            [0, 1, 4, 5, 2, 3, 6, 7]
        );
        assert_eq!(
            ids("mesh:2x4", "brick:size=1x2,inner=row,axes=yx")[..4],
            [0, 1, 4, 5]
        );
    }

    #[test]
    fn edges_are_clipped() {
        assert_eq!(ids("mesh:3x3", "brick"), [0, 1, 4, 3, 2, 5, 8, 6, 7]);
        assert_eq!(ids("mesh:3x3", "brick:size=9x9"), ids("mesh:3x3", "snake"));
        assert_eq!(
            ids("mesh:3x4", "brick:size=9x9,inner=gray"),
            ids("mesh:3x4", "gray")
        );
    }

    #[test]
    fn bad_sizes_are_refused() {
        assert!(error("mesh:4x4", "brick:size=2x2x2").contains("2 extents, one an axis"));
        assert!(error("mesh:4x4", "brick:size=2x0").contains("size[1] = 0"));
        assert!(error("mesh:4x4", "brick:inner=grey").contains("did you mean `gray`"));
        assert!(error("mesh:4x4", "brick:outer=gray").contains("snake, row, hilbert"));
    }
}
