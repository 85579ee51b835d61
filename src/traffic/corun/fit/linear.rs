//! The linear equations of one step of a least-squares fit.

/// Adds up the products of two lists.
pub fn dot_product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes the damped step of the parameters that lowers the sum of squares of `residuals`; `slopes` has the change
/// of the residuals with each parameter.
pub fn solve_damped(slopes: &[Vec<f64>], residuals: &[f64], damping: f64) -> Vec<f64> {
    let right = slopes
        .iter()
        .map(|slope| dot_product(slope, residuals))
        .collect();
    solve_normal(slopes, right, damping)
}

/// Solves (SᵀS + damping · diagonal) x = -right by Gauss's elimination.
pub fn solve_normal(slopes: &[Vec<f64>], right: Vec<f64>, damping: f64) -> Vec<f64> {
    let n = slopes.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            let mut row: Vec<f64> = slopes
                .iter()
                .map(|other| dot_product(&slopes[i], other))
                .collect();
            // A parameter that no residual depends on stays where it is.
            row[i] = row[i] * (1.0 + damping) + 1e-30;
            row.push(-right[i]);
            row
        })
        .collect();
    for i in 0..n {
        // The largest pivot keeps rounding small.
        let pivot = (i..n).max_by(|a, b| rows[*a][i].abs().total_cmp(&rows[*b][i].abs()));
        rows.swap(i, pivot.unwrap_or(i));
        for k in (0..n).filter(|k| *k != i) {
            let factor = rows[k][i] / rows[i][i];
            let from = rows[i].clone();
            for (a, b) in rows[k].iter_mut().zip(&from).skip(i) {
                *a -= factor * b;
            }
        }
    }
    (0..n).map(|i| rows[i][n] / rows[i][i]).collect()
}
