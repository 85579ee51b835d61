//! The table of runtime models.

use super::entry::{Model, ParseModel};
use super::{contiguity, distance, fixed, network};
use crate::allocator::AllocatorContext;
use nodeorder_base::error::Result;
use nodeorder_base::registry::Registry;

/// All runtime models by name.
pub static MODELS: Registry<ParseModel> = Registry::new(
    "model",
    "--model",
    &[
        fixed::FIXED,
        contiguity::CONTIGUITY,
        distance::DISTANCE,
        network::NETWORK,
    ],
)
.with_replaced_names(&[("contention", "network")]);

/// Checks that there is a model of the name that `text` begins with. Fails if there is none.
pub fn check_name(text: &str) -> Result<()> {
    MODELS.find(text).map(|_| ())
}

/// Checks whether run times under the model that `text` names depend on the capacities of links.
pub fn uses_links(text: &str) -> bool {
    // The seed only matters once a model draws.
    let parsed = MODELS
        .find_and_read(text, 0)
        .and_then(|(entry, params)| (entry.parse)(&params));
    parsed.is_ok_and(|model| model.uses_links())
}

/// Checks the model that `text` names, with its options and files, on one machine. Fails as [`build_model`].
pub fn check_on_machine(text: &str, context: &AllocatorContext<'_>) -> Result<()> {
    build_model(text, context, 0).map(drop)
}

/// Builds the model that `text` names, for so many tasks; returns also whether it stretches run times. Fails if the
/// name is unknown, an option is wrong, a file cannot be read, or the machine lacks what the model needs.
pub(in crate::schedule) fn build_model<'a>(
    text: &str,
    context: &AllocatorContext<'a>,
    tasks: usize,
) -> Result<(Box<dyn Model + 'a>, bool)> {
    let (entry, params) = MODELS.find_and_read(text, context.topology.context().seed)?;
    let options = (entry.parse)(&params)?;
    let stretches = options.stretches_times();
    Ok((options.build_model(context, tasks)?, stretches))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_network::topology::{Context, Topology};
    use nodeorder_order::metric::rank_distances::RankDistances;
    use nodeorder_order::ordering::NodeOrder;

    #[test]
    fn models_read_what_they_declare() {
        let topology = Topology::inline("torus:4x4", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        nodeorder_base::registry::testing::check_table(&MODELS, |entry, params| {
            (entry.parse)(params)?.build_model(&context, 8).map(drop)
        });
    }
}
