//! The table of policies.

use super::entry::{ParsePolicy, Policy, PolicyContext};
use super::{conservative, easy, fcfs, size_first, window};
use nodeorder_base::{Registry, Result};

/// All policies by name.
pub static POLICIES: Registry<ParsePolicy> = Registry::new(
    "policy",
    "--policy",
    &[
        fcfs::FCFS,
        easy::EASY,
        conservative::CONSERVATIVE,
        size_first::SIZE_FIRST,
        window::EXACT,
        window::GREEDY,
    ],
);

/// Builds the policy that `text` names, with its options. Fails as [`check_policy`].
pub(in crate::schedule) fn build_policy(
    text: &str,
    context: &PolicyContext<'_>,
    seed: u64,
) -> Result<Box<dyn Policy>> {
    let (entry, params) = POLICIES.find_and_read(text, seed)?;
    Ok((entry.parse)(&params)?.build_policy(context))
}

/// Checks the spelling of a policy and its options. Fails if the name is unknown or an option is wrong.
pub fn check_policy(text: &str) -> Result<()> {
    // No policy draws at random while its options are read, so any seed will do.
    let (entry, params) = POLICIES.find_and_read(text, 1)?;
    (entry.parse)(&params).map(drop)
}

#[cfg(test)]
mod tests {
    use super::POLICIES;

    #[test]
    fn policies_read_what_they_declare() {
        nodeorder_base::registry::testing::check_table(&POLICIES, |entry, params| {
            (entry.parse)(params).map(drop)
        });
    }
}
