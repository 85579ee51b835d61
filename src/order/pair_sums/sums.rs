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
    /// All zero, for n ranks.
    pub fn zero(n: usize) -> Self {
        PairSums {
            lag: vec![0; n],
            row: vec![0; n],
            col: vec![0; n],
        }
    }

    /// Adds up two shares of the same sums.
    pub fn plus(mut self, other: &PairSums) -> Self {
        let pairs = [
            (&mut self.lag, &other.lag),
            (&mut self.row, &other.row),
            (&mut self.col, &other.col),
        ];
        for (own, other) in pairs {
            own.iter_mut()
                .zip(other)
                .for_each(|(own, other)| *own += other);
        }
        self
    }

    /// `T(S)` for S = 0..=N, zero below 2: two prefix sums over the slopes. O(N); takes the sums, so that at 10⁷ ranks
    /// there is room for the totals.
    pub fn window_totals(self) -> Vec<u128> {
        let PairSums {
            lag,
            row,
            col: mut falls,
        } = self;
        // `falls[r]`: decrease of the slope at size r + 1.
        falls
            .iter_mut()
            .zip(row.iter().rev())
            .for_each(|(falls, row)| *falls += row);
        drop(row);
        // Slope `s` acts from size s on: T(S) grows by the running slope at each step to S+1. Negative slopes are in
        // two's complement.
        let mut totals = Vec::with_capacity(lag.len() + 1);
        let (mut running, mut total) = (0u128, 0u128);
        for size in 0..=lag.len() {
            totals.push(total);
            let at = |sums: &[u64], i: usize| u128::from(sums.get(i).copied().unwrap_or(0));
            running = running.wrapping_add(at(&lag, size));
            running = running.wrapping_sub(size.checked_sub(1).map_or(0, |r| at(&falls, r)));
            total = total.wrapping_add(running);
        }
        totals
    }
}
