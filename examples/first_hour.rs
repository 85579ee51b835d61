//! Compares three orderings of a machine, and replays a job log on the best of them with two allocators.
//!
//! `cargo run --release --example first_hour`

use nodeorder::prelude::*;

/// Returns the label of the best ordering, and the mean hops between the nodes of a job under each allocator.
pub fn best_and_hops(spec: &str, log: &str) -> Result<(String, Vec<Option<f64>>)> {
    let machine = catalog::topology(spec, &Context::default())?;
    let mut orders = Vec::new();
    for name in ["row-major", "hilbert", "random:seed=1"] {
        orders.push(NodeOrder::make(&machine, name)?);
    }
    let curves = mpc::curves(&machine, &orders, |_, curve| curve)?;
    let comparison = Comparison::new(&machine, &orders, curves)?;
    let best = comparison.entries[0].label.clone();

    let order = NodeOrder::make(&machine, &best)?;
    let distances = [RankDistances::new(&machine, &order)?];
    let allocators = ["first-fit:8".to_string(), "span-best-fit".to_string()];
    let settings = ReplaySettings {
        allocators: &allocators,
        ..ReplaySettings::default()
    };
    let mut replays = ReplaySet::new(&machine, std::slice::from_ref(&order), &distances, settings)?;
    replays.run_log(&mut Log::new("jobs.log", log))?;
    let means = replays
        .list_results()
        .iter()
        .map(|r| r.summary.mean_mind())
        .collect();
    Ok((best, means))
}

pub fn main() -> Result<()> {
    let log = "P a 30\nP b 50\nF a\nP c 20\nP d 9\nF c\nP e 25\n";
    let (best, hops) = best_and_hops("torus:8x8x8", log)?;
    println!("best ordering: {best}; hops by allocator: {hops:?}");
    Ok(())
}
