//! Two descriptions of one fabric, compared under the names of nodes.
//!
//! A switch with nodes is known by the nodes that both descriptions put on it ([`leaves`]), any other by its links to
//! switches that are known ([`links`]). Where one description is an outline, whose switches above those with nodes may
//! stand for several, units of nodes are compared instead of links ([`outline`]).

pub use findings::{Difference, Findings};

use crate::topology::distance::Metric;
use crate::topology::machine::Topology;
use nodeorder_base::error::Result;

mod cells;
mod findings;
mod leaves;
mod links;
mod outline;
mod proof;

/// Compares two descriptions of one fabric: nodes, the switches that they are on, links with their multiplicity, and
/// which nodes any path joins. Switches may have other names and numbers. What one side does not say is not compared,
/// and stands in [`Findings::remarks`].
///
/// # Errors
/// [`nodeorder_base::error::Error::Memory`] where the links of both do not fit.
///
/// # Complexity
/// O((nodes + links) · log), and one refinement for each choice among switches without nodes that look alike.
pub fn check(here: &Topology, there: &Topology) -> Result<Findings> {
    let mut found = Findings::default();
    let (pattern, by_formula) = (here.name_pattern(), !matches!(here.metric(), Metric::Hops));
    let same_names = pattern.is_some() && pattern == there.name_pattern();
    if by_formula && same_names && here.spec() == there.spec() {
        return Ok(found);
    }
    let context = here.context();
    let slots = [here, there].map(|machine| u64::from(machine.nodes().slot_count()));
    context.require("the nodes of both machines", 64 * (slots[0] + slots[1]))?;
    let leaves = leaves::paired(here, there, &mut found);
    let components = [here, there].map(Topology::components);
    if components[0] != components[1] {
        let [one, other] = components.map(|n| n.to_string());
        found.add("components", || ["nodes".into(), one, other]);
    }
    let graphs = [here.graph()?, there.graph()?];
    let sizes = graphs.map(|graph| (graph.link_count() + graph.router_count()) as u64);
    context.require("the links of both machines", 64 * (sizes[0] + sizes[1]))?;
    let widths = [here, there].map(|machine| machine.network().widths);
    if let Some(silent) = [here, there].iter().zip(widths).find(|(_, says)| !says) {
        found.remarks.push(format!(
            "not compared: widths of links, which {} does not say",
            silent.0.name()
        ));
    }
    let widths = widths == [true; 2];
    if here.network().outline == there.network().outline {
        links::compare([here, there], graphs, &leaves, widths, &mut found);
    } else {
        outline::compare([here, there], graphs, &leaves, widths, &mut found);
    }
    if found.count > 0 {
        shapes(here, there, &mut found);
    }
    Ok(found)
}

/// Puts the shapes of two grids first, where they differ.
fn shapes(here: &Topology, there: &Topology, found: &mut Findings) {
    let (Some(a), Some(b)) = (here.lattice(), there.lattice()) else {
        return;
    };
    let by_x = |extents: &[u32]| super::by_x(extents);
    let bits = |wrap: &[bool]| wrap.iter().map(|w| if *w { '1' } else { '0' }).collect();
    let per = [here, there].map(|machine| machine.network().per_router().to_string());
    let [one, other] = per;
    let facts = [
        ("extents", by_x(&a.extents), by_x(&b.extents)),
        ("wrap", bits(&a.wrap), bits(&b.wrap)),
        ("nodes on a switch", one, other),
    ];
    for (name, here, there) in facts.into_iter().rev().filter(|(_, a, b)| a != b) {
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
    found.differences.truncate(Findings::LISTED);
}
