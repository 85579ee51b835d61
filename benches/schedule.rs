//! Schedules by policy, on a synthetic trace. One thread, metrics included.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{POLICIES, Settings, Task, simulate};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;

const JOBS: i64 = 5_000;

/// A queue that grows and empties again: sizes by octave, requests three times as long as runs.
fn tasks(nodes: u32) -> Vec<Task> {
    let mut random = seed_generator(1);
    let octaves = u64::from(nodes.ilog2());
    let mut task = |id: i64| {
        let size = 1 << random_below(octaves, &mut random);
        let run = 60 + random_below(3600, &mut random) as i64;
        Task {
            id,
            submit: 90 * id,
            run,
            requested: 3 * run,
            nodes: size,
        }
    };
    (0..JOBS).map(&mut task).collect()
}

fn schedules(c: &mut Criterion) {
    let mut group = c.benchmark_group("schedule");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(JOBS as u64));
    for spec in ["torus:16x16x16", "dragonfly:p=4,a=8,h=4,g=33"] {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let tasks = tasks(distances.len());
        for policy in POLICIES.iter() {
            let settings = Settings {
                rules: None,
                policy: policy.name,
                allocator: "span-best-fit",
                model: "fixed",
                metrics: true,
                figures: FigureSet::default(),
                timeline: false,
            };
            group.bench_with_input(BenchmarkId::new(policy.name, spec), &tasks, |b, tasks| {
                b.iter(|| black_box(simulate(&context, tasks, &settings, &|_| ()).unwrap()));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, schedules);
criterion_main!(benches);
