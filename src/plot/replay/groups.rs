//! Groups of job sizes, and their means.

use super::data::Means;

/// Name of a group of job sizes, and the mean of that group.
type Group = (&'static str, fn(&Means) -> Option<f64>);

/// The groups, named as the statistics define them.
pub(super) const GROUPS: [Group; 3] = [
    ("small jobs (2-10 nodes)", |m| m.small),
    ("large jobs (from 11 nodes)", |m| m.large),
    ("overall", |m| m.overall),
];

/// Note below the title of a figure of means.
pub(super) const EVERY_SIZE: &str = "every job size counts the same";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_as_the_statistics_define_them() {
        let small = crate::replay::statistics::SMALL;
        let names = GROUPS.map(|(name, _)| name);
        assert!(names[0].contains(&format!("2-{small}")));
        assert!(names[1].contains(&format!("from {} nodes", small + 1)));
    }
}
