//! Making orderings: every family on machines of 1k, 20k and 262k nodes.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::ORDERINGS;

mod common;
use common::machine;

fn families(c: &mut Criterion) {
    for spec in ["torus:10x10x10", "torus:25x32x24", "torus:64x64x64"] {
        let topology = machine(spec);
        let mut group = c.benchmark_group(spec);
        group.sample_size(10);
        for method in ORDERINGS
            .iter()
            .filter(|entry| entry.parse.works_on(&topology))
        {
            // Both search ever farther for the last nodes, which takes too long at the largest size.
            let slow = ["spectral", "nearest"].contains(&method.name);
            let text = if method.name == "hierarchical" {
                "hierarchical:block=5x4x8"
            } else {
                method.name
            };
            if slow && topology.node_count() > 100_000 {
                continue;
            }
            group.bench_function(BenchmarkId::from_parameter(text), |b| {
                b.iter(|| black_box(NodeOrder::make(&topology, text).ok()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, families);
criterion_main!(benches);
