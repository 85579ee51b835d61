//! Sums of pair distances by lag, row and column, and what follows from them for windows.

/// Sums of the distances d(i,j) between the nodes at ranks i < j of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairSums {
    /// `lag[k] = Σ_i d(i, i+k)`; `lag[0]` is 0.
    pub lag: Vec<u64>,
    /// `row[i] = Σ_{j>i} d(i,j)`.
    pub row: Vec<u64>,
    /// `col[j] = Σ_{i<j} d(i,j)`.
    pub col: Vec<u64>,
}

impl PairSums {
    /// Creates sums of zeros for n ranks.
    pub fn zero(n: usize) -> Self {
        PairSums {
            lag: vec![0; n],
            row: vec![0; n],
            col: vec![0; n],
        }
    }

    /// Adds up two shares of the same sums.
    pub fn add_up(mut self, other: &PairSums) -> Self {
        add_sums(&mut self.lag, &other.lag);
        add_sums(&mut self.row, &other.row);
        add_sums(&mut self.col, &other.col);
        self
    }

    /// Computes `T(S)` for S = 0..=N, zero below 2: two prefix sums over the slopes. O(N); takes the sums, so that at
    /// 10⁷ ranks there is room for the totals.
    pub fn window_totals(self) -> Vec<u128> {
        let PairSums {
            lag,
            row,
            col: mut falls,
        } = self;
        // `falls[r]`: decrease of the slope at size r + 1.
        for (falls, row) in falls.iter_mut().zip(row.iter().rev()) {
            *falls += row;
        }
        drop(row);
        // T grows by the running slope at each step from S to S+1. Negative slopes are in two's complement.
        let mut totals = vec![0];
        let mut slope = 0u128;
        let mut total = 0u128;
        for size in 1..=lag.len() {
            total = total.wrapping_add(slope);
            totals.push(total);
            slope = slope.wrapping_add(lag.get(size).copied().unwrap_or(0).into());
            slope = slope.wrapping_sub(falls[size - 1].into());
        }
        totals
    }
}

/// Adds `more` to `sums`, entry by entry.
pub fn add_sums(sums: &mut [u64], more: &[u64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}
