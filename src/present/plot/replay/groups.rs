//! Groups of job sizes.

/// The groups, named as the statistics define them.
pub const GROUPS: [&str; 3] = [
    "small jobs (2-10 nodes)",
    "large jobs (from 11 nodes)",
    "overall",
];

/// Note below the title of a figure of means.
pub const EVERY_SIZE: &str = "every job size counts the same";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_as_the_statistics_define_them() {
        let small = nodeorder_jobs::replay::statistics::MAX_SMALL_JOB;
        assert!(GROUPS[0].contains(&format!("2-{small}")));
        assert!(GROUPS[1].contains(&format!("from {} nodes", small + 1)));
    }
}
