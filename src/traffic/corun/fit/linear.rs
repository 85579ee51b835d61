//! Linear equations of the least squares.

/// Returns the sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the step of the logarithms that lowers the squares of `residuals`, damped.
pub(super) fn solve(slopes: &[Vec<f64>], residuals: &[f64], damping: f64) -> Vec<f64> {
    solve_normal(
        slopes,
        slopes.iter().map(|slope| dot(slope, residuals)).collect(),
        damping,
    )
}

/// Solves (SᵀS + damping · diagonal) x = -right by Gauss's elimination.
pub(super) fn solve_normal(slopes: &[Vec<f64>], right: Vec<f64>, damping: f64) -> Vec<f64> {
    let n = slopes.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = slopes.iter().map(|other| dot(&slopes[i], other)).collect();
            // A figure that no row depends on stays where it is.
            row[i] = row[i] * (1.0 + damping) + 1e-30;
            row.push(-right[i]);
            row
        })
        .collect();
    for i in 0..n {
        let pivot = (i..n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()));
        rows.swap(i, pivot.unwrap_or(i));
        for k in (0..n).filter(|k| *k != i) {
            let factor = rows[k][i] / rows[i][i];
            let from = rows[i].clone();
            rows[k]
                .iter_mut()
                .zip(&from)
                .skip(i)
                .for_each(|(a, b)| *a -= factor * b);
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}
