//! Runtime models: for how long a task runs where it was placed.
//!
//! Each model is one file with a [`ModelEntry`]; [`MODELS`] is the table that names them all.

pub use entry::{BuildModel, Lost, Model, ModelEntry, Start};

use crate::allocator::AllocatorContext;
use entry::{BASE, base, reference, routing, stretched};
use nodeorder_base::error::Result;
use nodeorder_base::registry::Registry;

mod compact;
mod contiguity;
mod distance;
mod entry;
mod fixed;
mod network;

/// Every model.
pub static MODELS: Registry<BuildModel> = Registry::new(
    "model",
    "--model",
    &[
        fixed::FIXED,
        contiguity::CONTIGUITY,
        distance::DISTANCE,
        network::NETWORK,
    ],
)
.replacing(&[("contention", "network")]);

/// Checks that there is a model of the name that `text` begins with.
///
/// # Errors
/// There is none.
pub fn check(text: &str) -> Result<()> {
    MODELS.find(text).map(|_| ())
}

/// Whether run times under the model that `text` names depend on the capacities of links.
pub fn uses_links(text: &str) -> bool {
    MODELS.find(text).is_ok_and(|entry| entry.parse.links)
}

/// Checks the model that `text` asks for, with its options and files, on one context. Errors: as when it is made.
pub fn check_on(text: &str, context: &AllocatorContext<'_>) -> Result<()> {
    make(text, context, 0).map(|_| ())
}

/// Makes the model that `text` asks for, and says whether it stretches run times.
pub(super) fn make<'a>(
    text: &str,
    context: &AllocatorContext<'a>,
    tasks: usize,
) -> Result<(Box<dyn Model + 'a>, bool)> {
    let (entry, params) = MODELS.read(text, context.topology.context().seed)?;
    let model = (entry.parse.make)(&params, context, tasks)?;
    params.finish()?;
    Ok((model, entry.parse.stretches))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::topology::{Context, Topology};
    use nodeorder_order::metric::rank_distances::RankDistances;
    use nodeorder_order::ordering::NodeOrder;

    #[test]
    fn models_ask_for_what_they_declare() {
        let topology = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        nodeorder_base::registry::testing::check(&MODELS, |entry, params| {
            (entry.parse.make)(params, &context, 8).map(|_| ())
        });
    }
}
