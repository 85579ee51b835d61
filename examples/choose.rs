//! Chooses an ordering for a machine: the one whose jobs are most compact, over all job sizes.
//!
//! `cargo run --release --example choose`

use nodeorder::metric::{Comparison, mpc};
use nodeorder::{NodeOrder, Result, Topology, catalog};

/// The orderings by the mean of their MPC curves (small sizes and large alike), best first.
pub fn ranked(machine: &Topology, names: &[&str]) -> Result<Vec<(String, f64)>> {
    // A name with options, as on the command line, makes an ordering.
    let orders: Vec<NodeOrder> = names
        .iter()
        .map(|name| NodeOrder::make(machine, name))
        .collect::<Result<_>>()?;
    // The exact mean hops between the nodes of a job, for every job size.
    let curves = orders
        .iter()
        .map(|order| mpc::curve(machine, order))
        .collect::<Result<_>>()?;
    let comparison = Comparison::new(machine, &orders, curves)?;
    Ok(comparison
        .entries
        .into_iter()
        .map(|e| (e.label, e.mean_log))
        .collect())
}

pub fn main() -> Result<()> {
    // A shipped machine; `Topology::inline("torus:12x8x24,per_router=2", …)` describes one in a line.
    let machine = catalog::topology("hector", &Default::default())?;
    for (name, mean) in ranked(
        &machine,
        &["row-major", "snake", "hilbert", "gilbert", "random"],
    )? {
        println!("{mean:7.3} hops  {name}");
    }
    Ok(())
}
