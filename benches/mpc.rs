//! MPC curves: each method against N, one thread and two, against the definition and an incremental pass.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc::{self, SumMethod};

mod common;
use common::{SIDES, machine, on_threads, order};

/// Every window, every pair: O(N⁴).
fn by_definition(topology: &Topology, order: &NodeOrder) -> Vec<u64> {
    let nodes = order.nodes();
    let mut totals = vec![0; nodes.len() + 1];
    for (size, total) in totals.iter_mut().enumerate().skip(2) {
        for window in nodes.windows(size) {
            for (i, a) in window.iter().enumerate() {
                *total += window[i + 1..]
                    .iter()
                    .map(|b| u64::from(topology.distance(*a, *b)))
                    .sum::<u64>();
            }
        }
    }
    totals
}

/// Windows slid along, one node in, one out: O(N³).
fn by_increments(topology: &Topology, order: &NodeOrder) -> Vec<u64> {
    let nodes = order.nodes();
    let to = |node: usize, members: std::ops::Range<usize>| -> u64 {
        members
            .map(|m| u64::from(topology.distance(nodes[node], nodes[m])))
            .sum()
    };
    let mut totals = vec![0; nodes.len() + 1];
    let mut first = 0;
    for (size, total) in totals.iter_mut().enumerate().skip(2) {
        first += to(size - 1, 0..size - 1);
        let mut window = first;
        *total = window;
        for start in 1..=nodes.len() - size {
            window -= to(start - 1, start..start + size - 1);
            window += to(start + size - 1, start..start + size - 1);
            *total += window;
        }
    }
    totals
}

fn slow_ways(c: &mut Criterion) {
    let mut group = c.benchmark_group("small");
    for side in [3u32, 4, 5] {
        let topology = machine(&format!("torus:{side}x{side}x{side}"));
        let order = order(&topology, "random");
        let n = order.len();
        if n <= 64 {
            group.bench_with_input(BenchmarkId::new("definition", n), &n, |b, _| {
                b.iter(|| black_box(by_definition(&topology, &order)));
            });
        }
        group.bench_with_input(BenchmarkId::new("increments", n), &n, |b, _| {
            b.iter(|| black_box(by_increments(&topology, &order)));
        });
        group.bench_with_input(BenchmarkId::new("curve", n), &n, |b, _| {
            b.iter(|| black_box(mpc::curve(&topology, &order).ok()));
        });
    }
    group.finish();
}

fn grids(c: &mut Criterion) {
    let mut group = c.benchmark_group("torus");
    group.sample_size(10);
    for side in SIDES {
        let topology = machine(&format!("torus:{side}x{side}x{side}"));
        let order = order(&topology, "random");
        let n = order.len();
        group.throughput(Throughput::Elements(n as u64));
        for threads in [1, 2] {
            for method in [SumMethod::Pairs, SumMethod::Transform] {
                if method == SumMethod::Pairs && n > 100_000 {
                    continue;
                }
                let id =
                    BenchmarkId::new(format!("{method:?}-{threads}-threads").to_lowercase(), n);
                group.bench_with_input(id, &n, |b, _| {
                    let curve = || mpc::curve_by(&topology, &order, method).ok();
                    on_threads(threads, || b.iter(|| black_box(curve())));
                });
            }
        }
    }
    group.finish();
}

fn graphs(c: &mut Criterion) {
    let mut group = c.benchmark_group("random-regular");
    group.sample_size(10);
    for n in [1024u32, 4096, 16384] {
        let topology = machine(&format!("random-regular:n={n},d=6"));
        let order = order(&topology, "row-major");
        for threads in [1, 2] {
            let id = BenchmarkId::new(format!("searches-{threads}-threads"), n);
            group.bench_with_input(id, &n, |b, _| {
                on_threads(threads, || {
                    b.iter(|| black_box(mpc::curve(&topology, &order).ok()))
                });
            });
        }
    }
    group.finish();
}

fn one_size(c: &mut Criterion) {
    let topology = machine("torus:100x100x100");
    let order = order(&topology, "hilbert");
    let mut group = c.benchmark_group("one size");
    group.sample_size(10);
    for size in [64usize, 65_536] {
        group.bench_with_input(BenchmarkId::new("of a million", size), &size, |b, size| {
            b.iter(|| black_box(mpc::at_sizes(&topology, &order, &[*size], SumMethod::Auto).ok()));
        });
    }
    group.finish();
}

criterion_group!(benches, slow_ways, grids, graphs, one_size);
criterion_main!(benches);
