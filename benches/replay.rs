//! Replays by allocator, and how choosing grows with the machine. One thread, metrics included.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeorder_base::Error;
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::replay::{self, FigureSet, Replay};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::{allocation::AllocationMeter, rank_distances::RankDistances};
use nodeorder_trace::{GeneratedWorkload, Log};

const PLACEMENTS: u64 = 10_000;

/// Replays of the log on one machine with one allocator.
fn run(
    topology: &Topology,
    order: &NodeOrder,
    distances: &RankDistances,
    name: &str,
    log: &str,
) -> u64 {
    let context = AllocatorContext {
        topology,
        order,
        distances,
    };
    let allocator = allocator::make(name, &context).unwrap();
    let meter = AllocationMeter::new(topology, distances).unwrap();
    let mut replays = [Replay::new(
        allocator,
        meter,
        distances.len(),
        FigureSet::default(),
    )];
    replay::run::<Error>(
        &mut Log::new("log", log),
        &mut replays,
        None,
        |_| Ok(()),
        |_| Ok(()),
    )
    .unwrap();
    replays[0].counts().placed
}

fn replays(c: &mut Criterion) {
    let mut group = c.benchmark_group("replay");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(PLACEMENTS));
    for spec in [
        "torus:15x6x16,per_router=2",
        "torus:25x32x24",
        "random-regular:n=3072,d=6",
    ] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let nodes = topology.node_count();
        let spec_of_log = format!("hector:placements={PLACEMENTS},nodes={nodes},load=0.9");
        let log: String = GeneratedWorkload::generate_workload(&spec_of_log, 1)
            .unwrap()
            .collect();
        for name in ["fifo:0", "first-fit:8", "closest-fit", "closest-mind"] {
            group.bench_with_input(BenchmarkId::new(name, spec), &log, |b, log| {
                b.iter(|| black_box(run(&topology, &order, &distances, name, log)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, replays);
criterion_main!(benches);
