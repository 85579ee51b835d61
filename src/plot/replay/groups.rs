//! Groups of job sizes, and their means.

use super::data::Means;

/// A group of job sizes: its name, and its mean among the means.
type Group = (&'static str, fn(&Means) -> Option<f64>);

/// The groups, named as the statistics define them.
pub(super) const GROUPS: [Group; 3] = [
    ("small jobs (2-10 nodes)", |m| m.small),
    ("large jobs (from 11 nodes)", |m| m.large),
    ("overall", |m| m.overall),
];

/// Means without those that are not finite.
pub(super) fn clean(means: &Means) -> Means {
    let finite = |mean: Option<f64>| mean.filter(|m| m.is_finite());
    Means { small: finite(means.small), large: finite(means.large), overall: finite(means.overall) }
}
