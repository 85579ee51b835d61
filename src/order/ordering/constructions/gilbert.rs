//! Generalised Hilbert curves: any box of two or three dimensions, no cell skipped.
//!
//! # Drawing
//! ```text
//! 4 x 6, axis 1 to the right       5 x 3
//!  0  1  2 21 22 23                 0  1  2
//!  5  4  3 20 19 18                 5  4  3
//!  6  9 10 13 14 17                 6  7  8
//!  7  8 11 12 15 16                13 12  9
//!                                  14 11 10
//! ```
//!
//! A box is split into parts, and these in turn until they are rows. Every part is entered at one corner and left at
//! the far end of its first side, so that the parts join: of the 4 x 6 box above, up the left half, across, and down
//! the right.

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderingEntry};
use nodeorder_base::{Params, Result};
use nodeorder_network::Topology;

/// `gilbert[:axes=zxy,reverse=x]`: a Hilbert-like curve made for the box itself. It starts at the origin
/// and runs along the longest axis (of equal ones the first); the others follow in order.
///
/// In two dimensions all steps are 1, unless the longer side is odd and the shorter even: then at most one
/// is 2. In three dimensions all steps are 1 when all sides are even. Axes of extent 1 do not count. O(cells) time;
/// the stack holds O(log cells) boxes. Errors: more than three axes of more than one cell.
///
/// # References
/// Červený, "gilbert: space-filling curve for rectangular domains of arbitrary size",
/// <https://github.com/jakubcerveny/gilbert>: the rules of division.
pub const GILBERT: OrderingEntry = OrderingEntry::new(
    "gilbert",
    "generalised Hilbert curve of any 2-D or 3-D box, no cells skipped",
    &[AXES, REVERSE],
    Method::new(Needs::Lattice, parse_options),
);

/// Reads the axes. Fails if more than three have more than one cell.
fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let axes = AxisOptions::parse(topology, params)?;
    let extents = axes.lattice_view(topology)?.extents;
    let mut sides: Vec<usize> = (0..extents.len()).filter(|i| extents[*i] > 1).collect();
    if sides.len() > 3 {
        let name = topology.name();
        let count = sides.len();
        return Err(params.unsuited_error(
            format!(
                "{name} has {count} axes of more than one cell, and `gilbert` fills at most three"
            ),
            "what works here: hilbert, snake, brick",
        ));
    }
    // A stable sort by whether the axis is the longest moves only that one.
    if let Some(longest) = sides.iter().copied().rev().max_by_key(|i| extents[*i]) {
        sides.sort_by_key(|i| *i != longest);
    }
    Ok(axes.walk_cells(move |view| list_cells(view, &sides)))
}

/// Lists the cells along the curve over these axes, the first the longest.
fn list_cells(view: &LatticeView<'_>, axes: &[usize]) -> Vec<u32> {
    // Missing axes have one cell, and are never walked along.
    let sides = [0, 1, 2].map(|axis| Side {
        axis,
        length: axes.get(axis).map_or(1, |i| i64::from(view.extents[*i])),
    });
    let whole = Part {
        corner: [0; 3],
        sides,
        flat: axes.len() < 3,
    };
    let mut cells = Vec::with_capacity(view.cell_count());
    let mut position = vec![0u32; view.extents.len()];
    visit_cells(whole, |corner| {
        for (i, axis) in axes.iter().enumerate() {
            position[*axis] = corner[i] as u32;
        }
        cells.push(view.cell_at(&position));
    });
    cells
}

/// One side of a part.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    /// Number of cells; negative where the axis is walked backwards.
    length: i64,
}

impl Side {
    /// Counts the cells.
    fn cell_count(self) -> i64 {
        self.length.abs()
    }

    /// Makes a side along the same axis.
    fn with_length(self, length: i64) -> Self {
        Side { length, ..self }
    }

    /// Takes the first half, rounded down.
    fn first_half(self) -> Self {
        self.with_length(self.length.div_euclid(2))
    }

    /// Takes the first half, made even where there is room: a part with an even side can be left at the
    /// neighbour of where it was entered.
    fn first_even_half(self) -> Self {
        let half = self.first_half();
        let odd = half.length % 2 != 0 && self.cell_count() > 2;
        half.with_length(half.length + if odd { self.length.signum() } else { 0 })
    }

    /// Cuts `first` off the beginning of this side, and returns the rest.
    fn rest_after(self, first: Side) -> Self {
        self.with_length(self.length - first.length)
    }

    /// Turns the side: it is walked the other way.
    fn turned_back(self) -> Self {
        self.with_length(-self.length)
    }
}

/// Cell at which a part is entered, by axis.
type Corner = [i64; 3];

/// Computes the corner after `side`.
fn corner_past(mut corner: Corner, side: Side) -> Corner {
    corner[side.axis] += side.length;
    corner
}

/// Computes the last cell along `side`.
fn last_cell_along(mut corner: Corner, side: Side) -> Corner {
    corner[side.axis] += side.length - side.length.signum();
    corner
}

/// Box entered at `corner` and left at the far end of its first side.
struct Part {
    corner: Corner,
    sides: [Side; 3],
    /// Whether the whole box has at most two axes, so that its parts are split as planes.
    flat: bool,
}

impl Part {
    /// Lists the parts that the curve passes through in turn. `None` for a row.
    fn split_part(&self) -> Option<impl DoubleEndedIterator<Item = Part> + use<>> {
        let flat = self.flat;
        if self.sides.iter().filter(|s| s.cell_count() > 1).count() <= 1 {
            return None;
        }
        let parts = if flat {
            split_plane(self.corner, self.sides)
        } else {
            split_box(self.corner, self.sides)
        };
        // A half of a single cell is empty.
        let parts = parts
            .into_iter()
            .filter(|(_, sides)| sides.iter().all(|side| side.length != 0));
        Some(parts.map(move |(corner, sides)| Part {
            corner,
            sides,
            flat,
        }))
    }
}

/// Visits every cell of a box. Parts wait on a stack in memory instead of recursion, so depth does not matter.
fn visit_cells(whole: Part, mut visit: impl FnMut(&Corner)) {
    let mut stack = vec![whole];
    while let Some(part) = stack.pop() {
        let Some(parts) = part.split_part() else {
            let mut corner = part.corner;
            // The side of more than one cell, or any.
            let long = part.sides.into_iter().find(|side| side.cell_count() > 1);
            let row = long.unwrap_or(part.sides[0]);
            for _ in 0..row.cell_count() {
                visit(&corner);
                corner[row.axis] += row.length.signum();
            }
            continue;
        };
        stack.extend(parts.rev());
    }
}

/// Splits a rectangle: two halves of a wide one; otherwise up the first half along b, across, and back down.
fn split_plane(corner: Corner, [a, b, c]: [Side; 3]) -> Vec<(Corner, [Side; 3])> {
    if 2 * a.cell_count() > 3 * b.cell_count() {
        let a1 = a.first_even_half();
        return vec![
            (corner, [a1, b, c]),
            (corner_past(corner, a1), [a.rest_after(a1), b, c]),
        ];
    }
    let a1 = a.first_half();
    let b1 = b.first_even_half();
    let down = last_cell_along(last_cell_along(corner, a), b1);
    vec![
        (corner, [b1, a1, c]),
        (corner_past(corner, b1), [a, b.rest_after(b1), c]),
        (down, [b1.turned_back(), a.rest_after(a1).turned_back(), c]),
    ]
}

/// Splits a box: two halves of one long in a; three parts of one that is tall or deep, as in the plane; otherwise
/// five.
fn split_box(corner: Corner, [a, b, c]: [Side; 3]) -> Vec<(Corner, [Side; 3])> {
    let w = a.cell_count();
    let h = b.cell_count();
    let d = c.cell_count();
    let a1 = a.first_even_half();
    let b1 = b.first_even_half();
    let c1 = c.first_even_half();
    let a2 = a.rest_after(a1);
    let b2 = b.rest_after(b1);
    let c2 = c.rest_after(c1);
    if 2 * w > 3 * h && 2 * w > 3 * d {
        return vec![(corner, [a1, b, c]), (corner_past(corner, a1), [a2, b, c])];
    }
    let top = corner_past(corner, b1);
    let far = last_cell_along(corner, a);
    if 3 * h > 4 * d {
        return vec![
            (corner, [b1, c, a1]),
            (top, [a, b2, c]),
            (
                last_cell_along(far, b1),
                [b1.turned_back(), c, a2.turned_back()],
            ),
        ];
    }
    if 3 * d > 4 * h {
        return vec![
            (corner, [c1, a1, b]),
            (corner_past(corner, c1), [a, b, c2]),
            (
                last_cell_along(far, c1),
                [c1.turned_back(), a2.turned_back(), b],
            ),
        ];
    }
    vec![
        (corner, [b1, c1, a1]),
        (top, [c, a1, b2]),
        (
            last_cell_along(last_cell_along(corner, b1), c),
            [a, b1.turned_back(), c2.turned_back()],
        ),
        (
            last_cell_along(last_cell_along(top, a), c),
            [c.turned_back(), a2.turned_back(), b2],
        ),
        (
            last_cell_along(far, b1),
            [b1.turned_back(), c1, a2.turned_back()],
        ),
    ]
}

#[cfg(test)]
mod tests {
    use crate::testing::{error, ids, steps};

    #[test]
    fn rectangles_step_by_one_except_long_odd_times_short_even() {
        for w in 1..=20u32 {
            for h in 1..=20u32 {
                let long = steps(&format!("mesh:{w}x{h}"), "gilbert");
                let far: Vec<u32> = long.into_iter().filter(|s| *s != 1).collect();
                let excused = w.max(h) % 2 == 1 && w.min(h).is_multiple_of(2);
                assert!(
                    far.is_empty() || (excused && far == [2]),
                    "{w}x{h}: {far:?}"
                );
            }
        }
    }

    #[test]
    fn even_boxes_step_by_one() {
        let even = [2u32, 4, 6, 8, 10, 12, 16];
        for x in even {
            for y in even {
                for z in even {
                    let spec = format!("mesh:{x}x{y}x{z}");
                    assert!(steps(&spec, "gilbert").iter().all(|s| *s == 1), "{spec}");
                }
            }
        }
    }

    #[test]
    fn the_drawings_are_right() {
        let start = [
            0, 1, 2, 8, 7, 6, 12, 18, 19, 13, 14, 20, 21, 15, 16, 22, 23, 17, 11, 10, 9,
        ];
        assert_eq!(ids("mesh:4x6", "gilbert")[..21], start);
        let all = [0, 1, 2, 5, 4, 3, 6, 7, 8, 11, 14, 13, 10, 9, 12];
        assert_eq!(ids("mesh:5x3", "gilbert"), all);
    }

    #[test]
    fn every_box_is_filled() {
        for cells in 0..9 * 9 * 9 {
            let (x, y, z) = (cells / 81 + 1, cells / 9 % 9 + 1, cells % 9 + 1);
            let all = ids(&format!("mesh:{x}x{y}x{z}"), "gilbert");
            assert_eq!((all.len(), all[0]), (x * y * z, 0), "{x}x{y}x{z}");
        }
    }

    #[test]
    fn axes_of_extent_one_do_not_count() {
        assert_eq!(ids("mesh:1x4x1x6x1", "gilbert"), ids("mesh:4x6", "gilbert"));
        assert_eq!(ids("mesh:1x5x1", "gilbert"), [0, 1, 2, 3, 4]);
        assert_eq!(ids("mesh:1x1", "gilbert"), [0]);
        assert!(
            error("mesh:2x2x2x2", "gilbert").contains("at most three; what works here: hilbert")
        );
    }

    #[test]
    fn the_first_of_equal_axes_leads() {
        // From one end of the longest axis to the other.
        assert_eq!(ids("mesh:4x4", "gilbert").last(), Some(&12));
        assert_eq!(ids("mesh:4x4", "gilbert:axes=yx").last(), Some(&3));
        assert_eq!(ids("mesh:4x6", "gilbert").last(), Some(&5));
    }
}
