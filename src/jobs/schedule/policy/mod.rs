//! Policies: which jobs start when.
//!
//! Each policy is one file with a [`PolicyEntry`]; [`POLICIES`] is the table that names them all. A
//! [`Policy`] keeps the queue; at its passes it starts tasks on the [`ClusterState`].

pub use super::cluster_state::{Attempt, ClusterState, Found};
pub use super::running::Assumed;
pub use entry::{Policy, PolicyContext, PolicyEntry};

use super::task::Task;
use entry::{Build, EVERY_EVENT, INTERVAL, Passes};
use nodeorder_base::error::Result;
use nodeorder_base::registry::Registry;

mod conservative;
mod conservative_places;
mod easy;
mod easy_places;
mod entry;
mod estimates;
mod fcfs;
mod profile;
mod size_first;
mod window;

/// Every policy.
pub static POLICIES: Registry<Build> = Registry::new(
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

/// Makes the policy that `text` asks for.
pub(super) fn make(
    text: &str,
    context: &PolicyContext<'_>,
    seed: u64,
) -> Result<(Box<dyn Policy>, i64)> {
    let (entry, params) = POLICIES.read(text, seed)?;
    let policy = (entry.parse)(&params, context)?;
    params.finish()?;
    Ok((policy, context.passes(&params)?.interval()))
}

/// Checks the spelling of a policy without tasks.
///
/// # Errors
/// An unknown name, bad parameters.
pub fn check(text: &str) -> Result<()> {
    make(
        text,
        &PolicyContext {
            tasks: &[],
            ticks: 1,
            places: false,
        },
        1,
    )
    .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_ask_for_what_they_declare() {
        for places in [false, true] {
            let context = PolicyContext {
                tasks: &[],
                ticks: 1,
                places,
            };
            nodeorder_base::registry::testing::check(&POLICIES, |entry, params| {
                (entry.parse)(params, &context).map(|_| ())
            });
        }
    }
}
