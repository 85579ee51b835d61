//! The table of runtime models.

use super::entry::{Model, ParseModel};
use super::{contiguity, distance, fixed, network};
use crate::allocator::AllocatorContext;
use nodeorder_base::{Registry, Result};
use nodeorder_traffic::mapping::routing::RANKING_ROUTING;

/// All runtime models by name.
pub static MODELS: Registry<ParseModel> = Registry {
    replaced: &[("contention", "network")],
    ..Registry::new(
        "model",
        "--model",
        &[
            fixed::FIXED,
            contiguity::CONTIGUITY,
            distance::DISTANCE,
            network::NETWORK,
        ],
    )
};

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

/// Adds to the text of a model what it leaves to the kind of machine: the routing under which machines are ranked, and
/// the compact allocation that all machines have. With these, one network described in two ways has one verdict.
pub fn fix_for_ranking(text: &str) -> String {
    let mut fixed = text.to_string();
    let options = MODELS.get(text).map_or(&[][..], |entry| entry.options);
    for (key, value) in [("routing", RANKING_ROUTING), ("compact", "links")] {
        let takes = options.iter().any(|option| option.key == key);
        if takes && !is_given(text, key) {
            let mark = if fixed.contains(':') { ',' } else { ':' };
            fixed += &format!("{mark}{key}={value}");
        }
    }
    fixed
}

/// Checks whether the text of a model gives an option.
fn is_given(text: &str, key: &str) -> bool {
    MODELS
        .find_and_read(text, 0)
        .is_ok_and(|(_, params)| params.has_key(key))
}

/// Finds the routing that the text of a model names; `None` if it names none.
pub fn routing_name(text: &str) -> Option<String> {
    if !is_given(text, "routing") {
        return None;
    }
    let (_, params) = MODELS.find_and_read(text, 0).ok()?;
    params.optional_word("routing").ok()?
}

/// Checks the model that `text` names, with its options and files, on one machine. Fails as [`build_model`].
pub fn check_on_machine(text: &str, context: &AllocatorContext<'_>) -> Result<()> {
    build_model(text, context, 0).map(drop)
}

/// Builds the model that `text` names, for a number of tasks; returns also whether it stretches run times. Fails if the
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
    use nodeorder_network::{Context, Topology};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;

    #[test]
    fn rankings_fix_what_a_model_leaves_to_the_machine() {
        for (text, fixed, routing) in [
            (
                "network",
                "network:routing=ecmp-hop,compact=links",
                Some("ecmp-hop"),
            ),
            (
                "network:share=0.1",
                "network:share=0.1,routing=ecmp-hop,compact=links",
                Some("ecmp-hop"),
            ),
            (
                "network:routing=one-path",
                "network:routing=one-path,compact=links",
                Some("one-path"),
            ),
            ("distance:0.5", "distance:0.5", None),
            ("fixed", "fixed", None),
            // What is wrong is reported where the model is built, as it was written.
            (
                "network:shares=1",
                "network:shares=1,routing=ecmp-hop,compact=links",
                None,
            ),
            ("unknown", "unknown", None),
        ] {
            assert_eq!(fix_for_ranking(text), fixed);
            assert_eq!(routing_name(fixed).as_deref(), routing, "{fixed}");
        }
    }

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
