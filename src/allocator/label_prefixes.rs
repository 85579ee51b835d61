//! Counts of the first runs of a list by two labels at once, for sums over what a cut through the list leaves.

use crate::ranks::Run;

/// Runs that are counted together.
pub const BLOCK: usize = 64;

/// For every beginning of a list of runs that is whole blocks long, and every value of every label, and for all of
/// them: how many ranks have that value, and of these how many have every value of every label.
#[derive(Default)]
pub struct LabelPrefixes {
    /// Values of all labels.
    values: usize,
    blocks: usize,
    rows: Vec<u32>,
    totals: Vec<u32>,
}

impl LabelPrefixes {
    /// How many counters the prefixes of a list take.
    pub fn counters(values: usize, runs: usize) -> usize {
        (values + 1) * values * (runs.div_ceil(BLOCK) + 1)
    }

    /// Takes over a list, with the values of each run's labels. O(runs·labels² + counters).
    pub fn load<'r>(
        &mut self,
        values: usize,
        runs: impl ExactSizeIterator<Item = (Run, impl Iterator<Item = usize> + Clone + 'r)>,
    ) {
        self.values = values;
        self.blocks = runs.len().div_ceil(BLOCK);
        let (row, block) = (values, (values + 1) * values);
        self.rows.clear();
        self.rows.resize(block * (self.blocks + 1), 0);
        self.totals.clear();
        self.totals.resize((values + 1) * (self.blocks + 1), 0);
        for (i, (run, of)) in runs.enumerate() {
            let at = i / BLOCK + 1;
            if i % BLOCK == 0 {
                self.rows.copy_within((at - 1) * block..at * block, at * block);
                let totals = values + 1;
                self.totals.copy_within((at - 1) * totals..at * totals, at * totals);
            }
            for x in of.clone().chain([values]) {
                let counts = &mut self.rows[at * block + x * row..][..row];
                of.clone().for_each(|y| counts[y] += run.count);
                self.totals[at * (values + 1) + x] += run.count;
            }
        }
    }

    /// The ranks in the first `blocks` that have a value, or all for the value after the last.
    #[inline]
    pub fn total(&self, blocks: usize, value: usize) -> u32 {
        self.totals[blocks * (self.values + 1) + value]
    }

    /// Those by every value.
    #[inline]
    pub fn row(&self, blocks: usize, value: usize) -> &[u32] {
        &self.rows[(blocks * (self.values + 1) + value) * self.values..][..self.values]
    }
}
