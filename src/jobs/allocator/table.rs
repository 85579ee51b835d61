//! The table of allocators.

use std::borrow::Cow;
use std::path::Path;

use super::entry::{Allocator, AllocatorContext, ParseAllocator};
use super::{
    bfs, bottleneck_fit, closest_fit, closest_mind, dilation, fifo, first_fit, gen_alg, groups,
    kueue, largest_fit, mbs, mc1x1, random, ruled, slurm, span,
};
use nodeorder_base::{Registry, Result};
use nodeorder_trace::Rules;

/// Every allocator.
pub static ALLOCATORS: Registry<ParseAllocator> = Registry {
    separator: ':',
    ..Registry::new(
        "allocator",
        "",
        &[
            fifo::FIFO,
            first_fit::FIRST_FIT,
            largest_fit::LARGEST_FIT,
            first_fit::FIFO_FIT,
            first_fit::VARYING_FIT,
            closest_fit::CLOSEST_FIT,
            closest_mind::CLOSEST_MIND,
            bottleneck_fit::BOTTLENECK_FIT,
            span::FIRST,
            span::BEST,
            span::SUM_OF_SQUARES,
            slurm::BEST_FIT,
            slurm::TREE,
            slurm::BLOCK,
            slurm::TORUS3D,
            slurm::RING,
            kueue::KUEUE_TAS,
            groups::PACK,
            groups::SPREAD,
            random::RANDOM,
            mc1x1::MC1X1,
            gen_alg::GEN_ALG,
            mbs::MBS,
            bfs::BFS,
            dilation::DILATION,
        ],
    )
};

/// Builds the allocator that `text` asks for, such as `first-fit:8`, on one context.
///
/// # Errors
/// An unknown name, parameters out of range, a rule that does not suit the topology; with `rules=FILE`, a table of
/// options by size ([`Rules`]), what is wrong with it.
///
/// # Examples
/// ```
/// use nodeorder_order::ordering::NodeOrder;
/// use nodeorder_network::topology::Topology;
/// use nodeorder_jobs::allocator;
/// use nodeorder_order::metric::rank_distances::RankDistances;
/// use nodeorder_base::ranks::{FreeSet, Ranks, Run};
/// let topology = Topology::inline("torus:4x4", &Default::default())?;
/// let order = NodeOrder::make(&topology, "snake")?;
/// let distances = RankDistances::new(&topology, &order)?;
/// let context = allocator::AllocatorContext { topology: &topology, order: &order, distances: &distances };
/// let mut first_fit = allocator::make("first-fit:1", &context)?;
/// let (mut free, mut chosen) = (FreeSet::new(16), Ranks::default());
/// free.take_run(Run { first: 2, count: 3 });
/// assert!(first_fit.choose_ranks(&free, 4, &mut chosen).is_placed());
/// assert_eq!(chosen.to_string(), "5-8");
/// # Ok::<(), nodeorder_base::error::Error>(())
/// ```
pub fn make<'a>(text: &str, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
    let (text, rules) = split_off_rules(text);
    let (entry, params) = ALLOCATORS.find_and_read(&text, context.topology.context().seed)?;
    let allocator = (entry.parse)(&params)?.build(context)?;
    let Some(path) = rules else {
        return Ok(allocator);
    };
    let rules = Rules::open(Path::new(path), context.topology.context().memory)?;
    Ok(Box::new(ruled::RuledAllocator::new(allocator, &rules)?))
}

/// Splits off the option `rules=FILE`, which all allocators have: returns the text without it, and the file. More
/// than one such option is left for the allocator to refuse.
fn split_off_rules(text: &str) -> (Cow<'_, str>, Option<&str>) {
    let (head, options) = text.split_once(':').unwrap_or((text, ""));
    let (rules, rest): (Vec<&str>, Vec<&str>) = options
        .split(',')
        .partition(|option| option.starts_with("rules="));
    let [rules] = rules[..] else {
        return (text.into(), None);
    };
    let file = rules.strip_prefix("rules=");
    if rest.is_empty() {
        return (head.into(), file);
    }
    (format!("{head}:{}", rest.join(",")).into(), file)
}

/// Builds an allocator as [`make`] does, whose jobs have the options that `rules` give to their sizes, where they
/// give none of their own.
///
/// # Errors
/// As [`make`]; options of a rule that the allocator does not have.
pub fn make_ruled<'a>(
    text: &str,
    context: &AllocatorContext<'a>,
    rules: Option<&Rules>,
) -> Result<Box<dyn Allocator + 'a>> {
    let allocator = make(text, context)?;
    Ok(match rules {
        Some(rules) => Box::new(ruled::RuledAllocator::new(allocator, rules)?),
        None => allocator,
    })
}

#[cfg(test)]
mod tests {
    use super::ALLOCATORS;
    use crate::allocator::entry::AllocatorContext;
    use crate::allocator::testing::{build, from_file};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;

    #[test]
    fn allocators_read_what_they_declare() {
        let rings = from_file("slurm-topology", "RingName=r Nodes=n[0-7]\n", "").unwrap();
        // Each is made on the first that suits it.
        let machines = [build("torus:4x4x4"), build("dragonfly:p=2,a=4,h=2"), rings];
        let machines = machines.map(|topology| {
            let order = NodeOrder::make(&topology, "row-major").unwrap();
            let distances = RankDistances::new(&topology, &order).unwrap();
            (topology, order, distances)
        });
        let contexts = machines
            .each_ref()
            .map(|(topology, order, distances)| AllocatorContext {
                topology,
                order,
                distances,
            });
        nodeorder_base::registry::testing::check_table(&ALLOCATORS, |entry, params| {
            let options = (entry.parse)(params)?;
            let made = contexts
                .iter()
                .map(|context| options.build(context).map(drop));
            made.reduce(|before, here| before.or(here)).unwrap()
        });
    }
}
