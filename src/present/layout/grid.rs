//! A grid of equal blocks.

/// A grid of equal blocks.
#[derive(Clone, Copy)]
pub struct Grid {
    /// Number of blocks.
    pub count: usize,
    /// Number of blocks in a row.
    pub columns: usize,
    /// From one block to the next across and down, gap included, in cells.
    pub step: (f64, f64),
    /// Room between blocks, in cells.
    pub gap: f64,
}

impl Grid {
    /// Makes a grid of `count` blocks of `w` by `h`, `gap` apart, about `shape` times as wide as high.
    pub fn new(count: usize, (w, h): (f64, f64), gap: f64, shape: f64) -> Self {
        let step = (w + gap, h + gap);
        let mut columns = 1;
        let mut miss = f64::INFINITY;
        for c in 1..=count {
            let across = c as f64 * step.0;
            let down = count.div_ceil(c) as f64 * step.1;
            // A last row that is not full looks odd.
            let ragged = 0.8 * ((c - count % c) % c) as f64 / c as f64;
            // By logarithm, so that twice too wide counts as much as twice too high.
            let off = (across / down / shape).ln().abs() + ragged;
            if off < miss {
                (columns, miss) = (c, off);
            }
            // Wider grids only get flatter; the search over all counts would take long on large machines.
            if across > 40.0 * step.1 * count as f64 {
                break;
            }
        }
        Grid {
            count,
            columns,
            step,
            gap,
        }
    }

    /// Computes width and height of the whole grid.
    pub fn block_size(&self) -> (f64, f64) {
        let rows = self.count.div_ceil(self.columns);
        (
            self.columns as f64 * self.step.0 - self.gap,
            rows as f64 * self.step.1 - self.gap,
        )
    }

    /// Computes the upper left corner of a block.
    pub fn block_corner(&self, block: usize) -> (f64, f64) {
        let column = block % self.columns;
        let row = block / self.columns;
        (column as f64 * self.step.0, row as f64 * self.step.1)
    }
}

pub fn add_pairs(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}
