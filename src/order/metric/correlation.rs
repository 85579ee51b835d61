//! Rank correlations: how well two rankings of the same things agree.

/// Computes Spearman's rank correlation: Pearson's of the ranks, ties at the mean of theirs. `None` for fewer than two
/// pairs or if one side is all the same.
///
/// # Examples
/// ```
/// use nodeorder_order::metric::correlation::spearman;
/// assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 15.0]), Some(0.5));
/// assert_eq!(spearman(&[1.0, 2.0], &[5.0, 5.0]), None);
/// ```
///
/// # References
/// Spearman, "The proof and measurement of association between two things", 1904.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    let mut xx = 0i128;
    let mut yy = 0i128;
    let mut xy = 0i128;
    // Twice the ranks from their mean are whole numbers: the sums are exact.
    for (a, b) in doubled_offsets(x).into_iter().zip(doubled_offsets(y)) {
        xx += i128::from(a) * i128::from(a);
        yy += i128::from(b) * i128::from(b);
        xy += i128::from(a) * i128::from(b);
    }
    (xx > 0 && yy > 0).then(|| xy as f64 / (xx as f64 * yy as f64).sqrt())
}

/// Computes twice the distance of every value's rank from the mean rank; ties get the mean of theirs.
fn doubled_offsets(values: &[f64]) -> Vec<i64> {
    let offsets = values.iter().map(|v| {
        let below = values.iter().filter(|other| *other < v).count() as i64;
        let same = values.iter().filter(|other| *other == v).count() as i64;
        2 * below + same - values.len() as i64
    });
    offsets.collect()
}

/// Computes Kendall's τ-b: pairs in the same order less pairs in opposite order, over the geometric mean of the pairs
/// not tied on either side. `None` if one side is all tied.
///
/// # Examples
/// ```
/// use nodeorder_order::metric::correlation::kendall;
/// assert_eq!(kendall(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]), Some(4.0 / 6.0));
/// ```
///
/// # References
/// Kendall, "The treatment of ties in ranking problems", 1945, <https://doi.org/10.1093/biomet/33.3.239>.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<f64> {
    let mut order = 0;
    let mut apart_x = 0u64;
    let mut apart_y = 0u64;
    for i in 0..x.len().min(y.len()) {
        for j in 0..i {
            let dx = compare_sign(x[i], x[j]);
            let dy = compare_sign(y[i], y[j]);
            order += dx * dy;
            apart_x += dx.unsigned_abs();
            apart_y += dy.unsigned_abs();
        }
    }
    let apart = (apart_x as f64 * apart_y as f64).sqrt();
    (apart > 0.0).then(|| order as f64 / apart)
}

/// Compares two values: 1 if `a` is above `b`, -1 if it is below, else 0.
fn compare_sign(a: f64, b: f64) -> i64 {
    i64::from(a > b) - i64::from(a < b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of R's cor(method = "spearman"/"kendall") by hand: ranks 1.5 1.5 3 4 against 2 1 4 3.
    #[test]
    fn ties_share_their_ranks() {
        let (x, y) = ([5.0, 5.0, 7.0, 9.0], [2.0, 1.0, 4.0, 3.0]);
        // Σ (r-2.5)(s-2.5) = -1·-0.5 + -1·-1.5 + 0.5·1.5 + 1.5·0.5 = 3.5; Σ² = 4.5 and 5.
        let rho = spearman(&x, &y).unwrap();
        assert!((rho - 3.5 / 22.5f64.sqrt()).abs() < 1e-15);
        // Of six pairs, one is tied in x; four agree, one does not.
        let tau = kendall(&x, &y).unwrap();
        assert!((tau - 3.0 / 30f64.sqrt()).abs() < 1e-15);
        assert_eq!(
            (spearman(&[1.0], &[1.0]), kendall(&[1.0], &[2.0])),
            (None, None)
        );
        let down = [4.0, 3.0, 2.0, 1.0];
        assert_eq!(spearman(&y, &y), Some(1.0));
        assert_eq!(kendall(&down, &[1.0, 2.0, 3.0, 4.0]), Some(-1.0));
    }
}
