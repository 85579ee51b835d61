//! Two descriptions of one fabric, compared under the names of nodes: a plan and what was built, say.
//!
//! Switches may have other names and other numbers in both, so that they are matched by what they are connected to:
//!
//! 1. [`leaves`]: a leaf switch here is the one there that carries most of the same nodes.
//! 2. [`cells`]: other switches are told apart by their links to leaf switches, then by links to these, and so on.
//! 3. [`links`]: where a cell has more switches of one description, the surplus is reported; where two cells are
//!    linked otherwise in both, the links are.
//! 4. [`proof`]: switches that still look alike are paired by trial.
//!
//! If one description is an outline, whose switches above the leaf switches may stand for several, steps 2 to 4 have
//! no meaning: units of nodes are compared instead ([`outline`]).

pub use findings::{Difference, Findings};

use graphs::PairedGraphs;

use crate::topology::distance::Metric;
use crate::topology::family::by_x;
use crate::topology::machine::Topology;
use nodeorder_base::Result;

mod cells;
mod findings;
mod graphs;
mod leaves;
mod links;
mod outline;
mod proof;

/// Compares two descriptions of one fabric: nodes, the switches that they are on, links with their multiplicity, and
/// which nodes any path joins. Switches may have other names and numbers. What one side does not say is not compared,
/// and stands in [`Findings::remarks`].
///
/// # Errors
/// [`nodeorder_base::error::Error::Memory`] if the links of both do not fit.
///
/// # Complexity
/// O((nodes + links) · log), and one refinement for each choice among switches without nodes that look alike.
pub fn check(here: &Topology, there: &Topology) -> Result<Findings> {
    let mut found = Findings::default();
    let machines = [here, there];
    // Networks by formula may be larger than memory: the same specification needs no look at links.
    let by_formula = !matches!(here.metric(), Metric::Hops);
    let pattern = here.name_pattern();
    let same_names = pattern.is_some() && pattern == there.name_pattern();
    if by_formula && same_names && here.spec() == there.spec() {
        return Ok(found);
    }
    let context = here.context();
    let slots: u64 = machines
        .map(|m| u64::from(m.nodes().slot_count()))
        .iter()
        .sum();
    context.require_memory("the nodes of both machines", 64 * slots)?;
    let leaves = leaves::match_leaves(here, there, &mut found);
    let components = machines.map(Topology::component_count);
    if components[0] != components[1] {
        let [one, other] = components.map(|n| n.to_string());
        found.add_difference("components", || ["nodes".into(), one, other]);
    }
    let graphs = [here.graph()?, there.graph()?];
    let sizes = graphs.map(|graph| (graph.link_count() + graph.router_count()) as u64);
    context.require_memory("the links of both machines", 64 * (sizes[0] + sizes[1]))?;
    let silent = machines.iter().find(|machine| !machine.network().widths);
    if let Some(silent) = silent {
        found.remarks.push(format!(
            "not compared: widths of links, which {} does not say",
            silent.name()
        ));
    }
    let graphs = PairedGraphs {
        machines,
        graphs,
        leaves,
        compare_capacities: silent.is_none(),
    };
    if here.network().outline == there.network().outline {
        links::compare_links(&graphs, &mut found);
    } else {
        outline::compare_units(&graphs, &mut found);
    }
    if found.count > 0 {
        report_shapes(machines, &mut found);
    }
    Ok(found)
}

/// Puts the shapes of two grids before all other differences, where they differ: they explain most of these.
fn report_shapes(machines: [&Topology; 2], found: &mut Findings) {
    let (Some(a), Some(b)) = (machines[0].lattice(), machines[1].lattice()) else {
        return;
    };
    let lattices = [a, b];
    let facts = [
        ("extents", lattices.map(|lattice| by_x(&lattice.extents))),
        ("wrap", lattices.map(|lattice| describe_wrap(&lattice.wrap))),
        (
            "nodes on a switch",
            machines.map(|machine| machine.network().per_router().to_string()),
        ),
    ];
    for (name, [here, there]) in facts.into_iter().rev() {
        if here == there {
            continue;
        }
        found.count += 1;
        found.differences.insert(
            0,
            Difference {
                what: "shape",
                name: name.into(),
                here,
                there,
            },
        );
    }
    found.differences.truncate(Findings::MOST_LISTED);
}

/// Describes which axes are rings, as the option `wrap` does: `1` for a ring, `0` for a path.
fn describe_wrap(wrap: &[bool]) -> String {
    wrap.iter().map(|w| if *w { '1' } else { '0' }).collect()
}
