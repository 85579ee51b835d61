//! A layout and what it is made of: parts that add up to the position of a cell, and frames.

use serde::Serialize;

use super::grid::Grid;
use nodeorder_base::NodeId;

/// Side of a cell, as a share of the room for the cell.
pub const EDGE: f64 = 0.92;

/// Most frames of units, and most slices: more would hide what is in them.
pub const FRAMES: usize = 3000;

/// Cells, the frames around them and the links between them; lengths in cells.
#[derive(Default, Serialize)]
pub struct Layout {
    /// Extents and names of the three axes of a box; `None` if the layout is flat.
    pub solid: Option<([u32; 3], [String; 3])>,
    /// How many cells there are.
    pub count: u32,
    /// The cell of every node id; `None` if ids fill cells in order, [`Layout::per_cell`] to each.
    #[serde(skip)]
    pub cells: Option<Vec<u32>>,
    /// How many consecutive node ids share a cell, where [`Layout::cells`] is `None`.
    pub per_cell: u32,
    /// Width of a flat layout.
    pub width: f64,
    /// Height of a flat layout.
    pub height: f64,
    /// The side of a cell, or the diameter of a disc.
    pub edge: f64,
    /// Whether cells are discs.
    pub round: bool,
    /// Grids whose offsets add up to the centre of a cell.
    pub parts: Vec<Part>,
    /// x and y of every cell of a layout without parts.
    #[serde(skip)]
    pub points: Vec<f64>,
    /// Frames around cells.
    pub frames: Vec<Frame>,
    /// Whether a cell without a schedulable node is left out; else it is drawn in the colour of a hole.
    pub sparse: bool,
    /// Names and extents of the axes to the right and upwards of panels.
    pub axes: Vec<(String, u32)>,
    /// Links as lines, four numbers each: x and y of one end, x and y of the other.
    #[serde(skip)]
    pub links: Vec<f64>,
    /// Name of each digit of a cell, with its `=` or space, and the digit.
    pub names: Vec<(String, Digit)>,
    /// Description in a sentence.
    pub about: String,
}

impl Layout {
    /// Computes the centre of a cell: x, y and z.
    pub fn centre_of_cell(&self, cell: u32) -> [f64; 3] {
        let at = |k: usize| {
            self.points
                .get(2 * cell as usize + k)
                .copied()
                .unwrap_or(0.0)
        };
        self.parts.iter().fold([at(0), at(1), 0.0], |at, part| {
            let offset = part.block_of_cell(cell).1;
            [0, 1, 2].map(|k| at[k] + offset[k])
        })
    }

    /// Finds number and origin of the slice or outermost unit that holds a cell.
    pub fn panel_of_cell(&self, cell: u32) -> (u32, [f64; 3]) {
        match &self.parts[..] {
            // A single part counts all cells, and points have no parts: both are one panel.
            [outermost, _, ..] => outermost.block_of_cell(cell),
            _ => (0, [0.0; 3]),
        }
    }

    /// Finds the cell of a node.
    pub fn cell_of(&self, node: NodeId) -> usize {
        match &self.cells {
            Some(cells) => cells[node.index()] as usize,
            None => node.index() / self.per_cell as usize,
        }
    }
}

/// A digit of the number of a cell, as stride and extent: its value is `cell / stride % extent`.
pub type Digit = (u32, u32);

/// A grid that adds an offset to the position of every cell. Some digits of the cell's number are the number of a block
/// of the grid; blocks are counted along rows of `columns`.
#[derive(Serialize)]
pub struct Part {
    digits: Vec<Digit>,
    columns: usize,
    /// Position of number 0, the step to the next number and the step to the next row, as x, y, z.
    start: [f64; 3],
    across: [f64; 3],
    down: [f64; 3],
}

impl Part {
    /// Finds the block of the grid that holds a cell: its number and where it starts.
    fn block_of_cell(&self, cell: u32) -> (u32, [f64; 3]) {
        let number = self
            .digits
            .iter()
            .fold(0, |number, (stride, extent): &Digit| {
                number * extent + cell / stride % extent
            });
        let column = number as usize % self.columns;
        let row = number as usize / self.columns;
        let column = column as f64;
        let row = row as f64;
        (
            number,
            [0, 1, 2].map(|k| self.start[k] + column * self.across[k] + row * self.down[k]),
        )
    }

    pub(super) fn grid_part(digits: Vec<Digit>, grid: &Grid, (x, y): (f64, f64)) -> Self {
        let across = [grid.step.0, 0.0, 0.0];
        let down = [0.0, grid.step.1, 0.0];
        Part {
            digits,
            columns: grid.columns,
            start: [x, y, 0.0],
            across,
            down,
        }
    }

    pub(super) fn line_part(digit: Digit, start: [f64; 3], across: [f64; 3]) -> Self {
        Part {
            digits: vec![digit],
            columns: digit.1 as usize,
            start,
            across,
            down: [0.0; 3],
        }
    }
}

/// A frame and its title.
#[derive(Default, Serialize)]
pub struct Frame {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
    /// Its title; empty if it has none.
    pub title: String,
    /// Shorter title, where there is less room.
    pub short: String,
    /// Height of the room for the title, in cells.
    pub head: f64,
    /// Whether the frame is drawn in a pale line, and left out where it is small.
    pub faint: bool,
    /// Whether the frame has no line: a title only.
    pub bare: bool,
}

/// Makes a flat layout of `count` cells.
pub fn flat_layout(count: usize, (width, height): (f64, f64), parts: Vec<Part>) -> Layout {
    Layout {
        count: count as u32,
        per_cell: 1,
        width,
        height,
        edge: EDGE,
        parts,
        ..Layout::default()
    }
}
