//! Replays a job log under two allocators on one ordering: how far apart do the nodes of a job lie?
//!
//! `cargo run --release --example replay`

use nodeorder::allocator::{self, AllocatorContext};
use nodeorder::metric::{AllocationMeter, RankDistances};
use nodeorder::replay::{self, BlockResult, Replay, Summary};
use nodeorder::trace::{GeneratedWorkload, Log};
use nodeorder::{Error, NodeOrder, Result, Topology};

/// The mean of all jobs' mean hops, under each allocator.
pub fn mean_hops(order: &str, log: &str, allocators: [&str; 2]) -> Result<[Option<f64>; 2]> {
    let machine = Topology::inline("torus:8x8x8", &Default::default())?;
    let order = NodeOrder::make(&machine, order)?;
    // Distances by rank: what allocators and meters ask for.
    let distances = RankDistances::new(&machine, &order)?;
    let context = AllocatorContext {
        topology: &machine,
        order: &order,
        distances: &distances,
    };
    let mut replays = Vec::new();
    for name in allocators {
        let meter = AllocationMeter::new(&machine, &distances)?;
        let allocator = allocator::make(name, &context)?;
        replays.push(Replay::new(
            allocator,
            meter,
            distances.len(),
            Default::default(),
        ));
    }
    // Both go through the log side by side; each job's metrics are added up against those of the first.
    let mut summaries = [Summary::default(), Summary::default()];
    let no_rows = |_: BlockResult<'_>| Ok::<(), Error>(());
    replay::run(
        &mut Log::new("jobs.log", log),
        &mut replays,
        None,
        no_rows,
        |placed| {
            for (summary, ours) in summaries.iter_mut().zip(placed) {
                summary.add_placements(ours, &placed[0]);
            }
            Ok(())
        },
    )?;
    Ok(summaries.map(|summary| summary.mean_mind()))
}

pub fn main() -> Result<()> {
    // Lines `P JOB NODES` place a job and `F JOB` frees it; `Log::open` reads them from a file.
    let made =
        GeneratedWorkload::generate_workload("hector:placements=3000,nodes=512,load=0.9", 1)?;
    let log: String = made.collect();
    let allocators = ["fifo:0", "span-best-fit"];
    for (name, hops) in allocators
        .iter()
        .zip(mean_hops("hilbert", &log, allocators)?)
    {
        println!(
            "{name}: {:.3} hops between the nodes of a job",
            hops.unwrap_or(0.0)
        );
    }
    Ok(())
}
