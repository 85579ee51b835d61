//! Tilings: how the ranks of an ordering are cut into windows of one size.

use nodeorder_base::{Error, Result, SourceLocation};

/// Number of tilings of each size: 1, 2 or 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tilings(u32);

impl Tilings {
    /// Accepts a number of tilings.
    ///
    /// # Errors
    /// Another number than 1, 2 or 4.
    pub fn new(count: u32) -> Result<Self> {
        if [1, 2, 4].contains(&count) {
            return Ok(Tilings(count));
        }
        let location = SourceLocation::option("--tilings");
        Err(Error::input(location, format!("`{count}`"), "1, 2 or 4"))
    }

    /// Returns the number of tilings.
    pub fn tiling_count(self) -> u32 {
        self.0
    }

    /// Lists the first ranks of the windows of each tiling of `nodes` ranks: o, o + size, o + 2·size, … with o = 0,
    /// then half a size, then a quarter and three quarters. Ranks that fill no window are left out, and so is an o
    /// without a window.
    pub(super) fn window_starts(self, nodes: usize, size: usize) -> Vec<Vec<usize>> {
        let mut offsets = vec![0];
        if self.0 >= 2 {
            offsets.push(size / 2);
        }
        if self.0 == 4 {
            offsets.push(size / 4);
            offsets.push(3 * size / 4);
        }
        let mut tilings = Vec::new();
        for offset in offsets {
            let windows = nodes.saturating_sub(offset) / size;
            if windows > 0 {
                tilings.push((0..windows).map(|i| offset + i * size).collect());
            }
        }
        tilings
    }
}

impl Default for Tilings {
    /// Returns two tilings.
    fn default() -> Self {
        Tilings(2)
    }
}

/// Lists the powers of two from 2 to `nodes`, and `nodes`; none below two nodes.
pub fn power_sizes(nodes: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = (1..usize::BITS - 1)
        .map(|i| 1 << i)
        .take_while(|size| *size < nodes)
        .collect();
    if nodes >= 2 {
        sizes.push(nodes);
    }
    sizes
}
