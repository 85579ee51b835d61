//! Link loads of all-to-all traffic: each routing on machines of 512 and 4,096 routers, one thread and two.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use nodeorder_traffic::mapping::{
    CombinedLoad, Demand, Fabric, FixedRouting, Guest, JobLoad, ProcessMapping,
};

mod common;
use common::{machine, on_threads, order};

fn all_to_all(c: &mut Criterion) {
    for spec in [
        "torus:8x8x8",
        "random-regular:n=512,d=6,seed=1",
        "torus:16x16x16",
        "random-regular:n=4096,d=6,seed=1",
        "dragonfly:p=4,a=8,h=4",
        "fat-tree:k=16",
    ] {
        let topology = machine(spec);
        let fabric = Fabric::new(&topology).expect("it fits");
        let guest = format!("all-to-all:n={}", topology.node_count());
        let guest = Guest::make(&guest, topology.context()).expect("a pattern");
        let order = order(&topology, "row-major");
        let placement = ProcessMapping::in_order(&guest, order.label(), order.nodes());
        let placement = placement.expect("a node for each process");
        let demand = Demand::new(&topology, &guest, &placement).expect("it fits");
        let mut group = c.benchmark_group(spec);
        group.sample_size(10);
        for routing in nodeorder_traffic::mapping::routing::suitable(&topology) {
            for threads in [1, 2] {
                let id = BenchmarkId::new(routing.name(), threads);
                group.bench_function(id, |b| {
                    b.iter(|| {
                        on_threads(threads, || {
                            black_box(routing.link_loads(&fabric, &demand).ok())
                        })
                    });
                });
            }
        }
        group.finish();
    }
}

/// A job of 64 on a machine of 2,880: routed, added and taken away again.
fn one_job(c: &mut Criterion) {
    let topology = machine("torus:15x6x16,per_router=2");
    let fabric = Fabric::new(&topology).expect("it fits");
    let guest = Guest::make("stencil:4x4x4", topology.context()).expect("a pattern");
    let order = order(&topology, "hilbert");
    let placement = ProcessMapping::in_order(&guest, order.label(), order.nodes()).expect("room");
    let mut load = CombinedLoad::new(fabric.links.len());
    for name in ["dimension-order", "ecmp-path", "ecmp-hop"] {
        let routing = FixedRouting::find_by_name(name).expect("in the table");
        c.bench_function(&format!("job of 64, {name}"), |b| {
            b.iter(|| {
                let demand = Demand::new(&topology, &guest, &placement).expect("it fits");
                let job = JobLoad::new(&routing.link_loads(&fabric, &demand).expect("it fits"));
                load.add_job(&job);
                let met = black_box(load.most_on_links(fabric.links, &job));
                load.remove_job(&job);
                met
            });
        });
    }
}

criterion_group!(benches, all_to_all, one_job);
criterion_main!(benches);
