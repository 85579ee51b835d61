//! The assignment problem: rows to columns, each once, at the least total cost.

/// Finds the least total cost of an assignment, from an n×n matrix of costs (row by row). O(n³) time, O(n) memory
/// beside the matrix.
///
/// # References
/// Shortest augmenting paths: Jonker, Volgenant, "A shortest augmenting path algorithm for dense and
/// sparse linear assignment problems", Computing 38, 1987, <https://doi.org/10.1007/BF02278710>.
pub fn least_assignment_cost(n: usize, costs: &[i64]) -> i64 {
    // Potentials of rows and columns, by which all costs are reduced to 0 or more; all are counted from 1, and
    // column 0 is for the row that is being placed.
    let mut u = vec![0i64; n + 1];
    let mut v = vec![0i64; n + 1];
    // Row assigned to each column, 0 while there is none.
    let mut row_of = vec![0usize; n + 1];
    // Column before each column on the shortest path to it.
    let mut way = vec![0usize; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut column = 0;
        let mut reach = vec![i64::MAX; n + 1];
        let mut done = vec![false; n + 1];
        // Dijkstra: always on to the free column that costs least to reach, until one has no row.
        while row_of[column] != 0 {
            done[column] = true;
            let here = row_of[column];
            let mut step = i64::MAX;
            let mut next = 0;
            for j in 1..=n {
                if done[j] {
                    continue;
                }
                let reduced = costs[(here - 1) * n + j - 1] - u[here] - v[j];
                if reduced < reach[j] {
                    reach[j] = reduced;
                    way[j] = column;
                }
                if reach[j] < step {
                    step = reach[j];
                    next = j;
                }
            }
            for j in 0..=n {
                if done[j] {
                    u[row_of[j]] += step;
                    v[j] -= step;
                } else if reach[j] < i64::MAX {
                    reach[j] -= step;
                }
            }
            column = next;
        }
        // Along the path back each column takes the row of the one before.
        while column != 0 {
            let before = way[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    (1..=n).map(|j| costs[(row_of[j] - 1) * n + j - 1]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_trying(n: usize, costs: &[i64], row: usize, used: &mut Vec<bool>) -> i64 {
        if row == n {
            return 0;
        }
        let mut least = i64::MAX;
        for j in 0..n {
            if !std::mem::replace(&mut used[j], true) {
                least = least.min(costs[row * n + j] + by_trying(n, costs, row + 1, used));
                used[j] = false;
            }
        }
        least
    }

    proptest! {
        #[test]
        fn equals_trying_everything(n in 0usize..7, seed in prop::collection::vec(-50i64..100, 36)) {
            let costs = &seed[..n * n];
            prop_assert_eq!(least_assignment_cost(n, costs), by_trying(n, costs, 0, &mut vec![false; n]));
        }
    }
}
