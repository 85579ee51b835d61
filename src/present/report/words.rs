//! Words that sentences about comparisons share: names of files, shares, hops.

use super::html::fixed;

/// The name of a workload's file without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// `12.3 %`.
pub(super) fn per_cent(value: f64) -> String {
    format!("{}\u{a0}%", fixed(value, 1))
}

/// `4.12 hops`.
pub(super) fn hops_text(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let unit = if text.parse() == Ok(1.0) {
        "hop"
    } else {
        "hops"
    };
    format!("{text} {unit}")
}

/// By how many per cent `value` is above `best`.
pub(super) fn per_cent_above(value: f64, best: f64) -> f64 {
    if best > 0.0 {
        100.0 * (value / best - 1.0)
    } else {
        0.0
    }
}

/// By how many per cent `best` is below `value`.
pub(super) fn per_cent_below(best: f64, value: f64) -> f64 {
    if value > 0.0 {
        100.0 * (1.0 - best / value)
    } else {
        0.0
    }
}

/// How far `best` is below `other`, as the words before a name: `25.0 % below `.
pub(super) fn lead(best: f64, other: f64) -> String {
    match per_cent_below(best, other) {
        0.0 => "the same as ".into(),
        below if below < 0.05 => "less than 0.05\u{a0}% below ".into(),
        below => format!("{} below ", per_cent(below)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_told_with_care() {
        assert_eq!(lead(1.0, 1.0), "the same as ");
        assert_eq!(lead(1.0, 1.0001), "less than 0.05\u{a0}% below ");
        assert_eq!(lead(3.0, 4.0), "25.0\u{a0}% below ");
        assert_eq!(lead(0.0, 0.0), "the same as ");
    }

    #[test]
    fn one_hop_is_singular() {
        assert_eq!(
            [hops_text(1.0, 2), hops_text(1.5, 2)],
            ["1.00 hop", "1.50 hops"]
        );
    }
}
