//! Ends of brackets as they are shown: a proved lower bound is rounded down and an upper bound up, so that what is
//! shown is proved, too.

use super::{Column, Value};

/// Which end of a bracket a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The value is at least the number shown.
    Lower,
    /// The value is at most the number shown.
    Upper,
}

impl Bound {
    /// Rounds a bound to `decimals`, away from the value. What is whole there but for the rounding of long sums (a part
    /// in 10⁹) stays.
    pub fn round(self, bound: f64, decimals: usize) -> f64 {
        let unit = 10f64.powi(decimals as i32);
        let scaled = bound * unit;
        let whole = scaled.round();
        if (scaled - whole).abs() <= 1e-9 * scaled.abs() {
            return whole / unit;
        }
        match self {
            Bound::Lower => scaled.floor() / unit,
            Bound::Upper => scaled.ceil() / unit,
        }
    }

    /// Tells by a column's name which end of a bracket it holds; `None` for columns of no bracket.
    fn of_column(name: &str) -> Option<Self> {
        // A cost or so many watts of a unit of what is surely carried is an upper bound.
        let upper = ["_at_most", "_bound", "_per_throughput"];
        if upper.iter().any(|end| name.ends_with(end)) {
            return Some(Bound::Upper);
        }
        let lower = name.starts_with("throughput") || name.ends_with("_at_least");
        lower.then_some(Bound::Lower)
    }
}

impl<R> Column<R> {
    /// Formats a row's value for people: bounds are rounded away from the value.
    pub fn shown_text(&self, row: &R) -> String {
        match ((self.value)(row), Bound::of_column(self.name)) {
            (Value::Float(bound), Some(side)) if bound.abs() >= 0.001 => {
                Value::Float(side.round(bound, 4)).terminal_text()
            }
            (value, _) => value.terminal_text(),
        }
    }
}

/// Formats the figures that some row has, each with its text in every row; figures of one unit have as many decimals.
pub fn show_figures<R>(columns: &[Column<R>], rows: &[R]) -> Vec<(Column<R>, Vec<String>)> {
    let mut shown: Vec<(Column<R>, Vec<String>)> = Vec::new();
    for column in columns {
        // What was not asked for is empty in all rows.
        if rows.iter().any(|row| (column.value)(row) != Value::Empty) {
            let texts = rows.iter().map(|row| column.shown_text(row));
            shown.push((*column, texts.collect()));
        }
    }
    let mut broken: Vec<&str> = Vec::new();
    for (column, texts) in &shown {
        let is_broken = |text: &String| text.contains('.') && text.parse::<f64>().is_ok();
        if texts.iter().any(is_broken) {
            broken.push(column.unit);
        }
    }
    for (column, texts) in &mut shown {
        for (row, text) in rows.iter().zip(texts) {
            let is_float = matches!((column.value)(row), Value::Float(_));
            if is_float && !text.contains('.') && broken.contains(&column.unit) {
                text.push_str(".0000");
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::columns;

    #[test]
    fn figures_of_one_unit_have_as_many_decimals() {
        let columns: &[Column<(f64, f64)>] = columns! {
            "a", "", "", |row| row.0;
            "a_at_most", "", "", |row| row.1;
            "b", "W", "", |row| row.0.floor();
            "c", "", "", |_| None::<f64>;
        };
        let shown = show_figures(columns, &[(1.0, 1.0), (0.5, 0.99999)]);
        let texts: Vec<_> = shown.into_iter().map(|(_, texts)| texts).collect();
        assert_eq!(
            texts,
            [["1.0000", "0.5000"], ["1.0000", "1.0000"], ["1", "0"]]
        );
    }
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bounds_are_rounded_away_from_the_value(bound in -1e6..1e6f64, decimals in 0usize..6) {
            let noise = 1e-9 * bound.abs();
            prop_assert!(Bound::Lower.round(bound, decimals) <= bound + noise);
            prop_assert!(Bound::Upper.round(bound, decimals) >= bound - noise);
            let unit = 0.1f64.powi(decimals as i32);
            prop_assert!(Bound::Upper.round(bound, decimals) - bound <= unit + noise);
            prop_assert!(bound - Bound::Lower.round(bound, decimals) <= unit + noise);
        }
    }

    #[test]
    fn sums_that_miss_a_number_by_rounding_are_that_number() {
        for side in [Bound::Lower, Bound::Upper] {
            assert_eq!(side.round(7.0 * (1.0 + 1e-14), 4), 7.0);
            assert_eq!(side.round(2.0 - 1e-13, 4), 2.0);
        }
        assert_eq!(
            [Bound::Lower, Bound::Upper].map(|side| side.round(16.0 / 15.0, 4)),
            [1.0666, 1.0667]
        );
    }

    #[test]
    fn names_of_columns_say_which_end_they_are() {
        for (name, side) in [
            ("throughput", Some(Bound::Lower)),
            ("throughput_at_most", Some(Bound::Upper)),
            ("throughput_bound", Some(Bound::Upper)),
            ("hop_bound", Some(Bound::Upper)),
            ("worst_at_least", Some(Bound::Lower)),
            ("throughput_per_cost", Some(Bound::Lower)),
            ("cost_per_throughput", Some(Bound::Upper)),
            ("cost_per_throughput_at_least", Some(Bound::Lower)),
            ("watts", None),
            ("alone", None),
        ] {
            assert_eq!(Bound::of_column(name), side, "{name}");
        }
    }
}
