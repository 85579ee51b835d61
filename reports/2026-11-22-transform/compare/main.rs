//! The lag sums of a cubic torus by the crate's transform and by `realfft`, on one thread.
//!
//! `realfft`: every cut of a half ring is marked as 0 and 1 in a zero-padded real array whose length is the least
//! power of two of at least 2N, transformed, its power added to the spectrum; one transform back, rounded. Its
//! bound is the one in `src/pair_sums/transform.rs` with log₂ L stages of 64u each, two more stages for packing a
//! real sequence into a complex one of half the length, and as much again on the way back:
//! `mass · (3ε + ε² + (4 + cuts)·u)`, `ε = 1.01·64u·(log₂ L + 2)`.

use nodeorder::pair_sums::{self, SumMethod};
use nodeorder::{NodeId, NodeOrder, Topology};
use realfft::RealFftPlanner;
use rustfft::num_complex::Complex;

/// Processor time of all threads so far: other load on the machine does not count.
fn cpu_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let nanoseconds = |task: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).unwrap();
        text.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    tasks.map(nanoseconds).sum::<u64>() as f64 / 1e9
}

fn by_library(topology: &Topology, nodes: &[NodeId], side: u32) -> (Vec<u64>, f64) {
    let n = nodes.len();
    let length = (2 * n).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, back) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let mut input = forward.make_input_vec();
    let mut spectrum = forward.make_output_vec();
    let mut scratch = forward.make_scratch_vec();
    let mut power = vec![0.0f64; spectrum.len()];
    let labels: Vec<Vec<u32>> = (0..3)
        .map(|axis| {
            let divide = [side * side, side, 1][axis];
            nodes.iter().map(|n| topology.router_of(*n).0 / divide % side).collect()
        })
        .collect();
    let (mut mass, mut cuts) = (0.0, 0.0);
    for labels in &labels {
        for from in 0..side / 2 {
            // A cut has weight 1, that is 2 halves, and half of the nodes on either side.
            let mut members = 0u32;
            for (x, label) in input.iter_mut().zip(labels) {
                let inside = label.wrapping_sub(from) < side / 2;
                members += u32::from(inside);
                *x = f64::from(u8::from(inside));
            }
            input[n..].fill(0.0);
            forward.process_with_scratch(&mut input, &mut spectrum, &mut scratch).unwrap();
            for (p, c) in power.iter_mut().zip(&spectrum) {
                *p += 2.0 * (c.re * c.re + c.im * c.im);
            }
            mass += 2.0 * f64::from(members);
            cuts += 1.0;
        }
    }
    for (c, p) in spectrum.iter_mut().zip(&power) {
        (c.re, c.im) = (*p, 0.0);
    }
    let mut scratch = back.make_scratch_vec();
    back.process_with_scratch(&mut spectrum, &mut input, &mut scratch).unwrap();
    let u = f64::EPSILON / 2.0;
    let epsilon = 1.01 * 64.0 * u * (f64::from(length.trailing_zeros()) + 2.0);
    let bound = mass * (3.0 * epsilon + epsilon * epsilon + (4.0 + cuts) * u);
    // Every cut has its weight once for each of the two ranks of a pair, less twice where both are inside.
    let mut weight = vec![0u64; side as usize];
    for from in 0..side / 2 {
        weight[from as usize..(from + side / 2) as usize].iter_mut().for_each(|w| *w += 1);
    }
    let mut below = vec![0u64; n + 1];
    for r in 0..n {
        let inside: u64 = labels.iter().map(|l| weight[l[r] as usize]).sum();
        below[r + 1] = below[r] + 2 * inside;
    }
    let both = |k: usize| (input[k] / length as f64).round() as u64;
    let lag = |k: usize| (below[n - k] + (below[n] - below[k]) - 2 * both(k)) / 2;
    ((0..n).map(|k| if k == 0 { 0 } else { lag(k) }).collect(), bound)
}

/// Two cuts as real and imaginary part of one sequence: where their weights are equal, the powers of a frequency and
/// of its mirror image add up to what both cuts have together. Only the time is looked at.
fn by_pairs(topology: &Topology, nodes: &[NodeId], side: u32) -> f64 {
    let n = nodes.len();
    let length = (2 * n).next_power_of_two();
    let mut planner = rustfft::FftPlanner::<f64>::new();
    let (forward, back) = (planner.plan_fft_forward(length), planner.plan_fft_inverse(length));
    let mut values = vec![Complex { re: 0.0, im: 0.0 }; length];
    let mut scratch = vec![Complex { re: 0.0, im: 0.0 }; forward.get_inplace_scratch_len()];
    let mut power = vec![0.0f64; length];
    for axis in 0..3 {
        let divide = [side * side, side, 1][axis];
        let labels: Vec<u32> =
            nodes.iter().map(|n| topology.router_of(*n).0 / divide % side).collect();
        let marks = |label: u32, from: u32| f64::from(u8::from(label.wrapping_sub(from) < side / 2));
        for from in (0..side / 2).step_by(2) {
            for (c, label) in values.iter_mut().zip(&labels) {
                *c = Complex { re: marks(*label, from), im: marks(*label, from + 1) };
            }
            values[n..].fill(Complex { re: 0.0, im: 0.0 });
            forward.process_with_scratch(&mut values, &mut scratch);
            for (p, c) in power.iter_mut().zip(&values) {
                *p += 2.0 * (c.re * c.re + c.im * c.im);
            }
        }
    }
    for (c, p) in values.iter_mut().zip(&power) {
        (c.re, c.im) = (*p, 0.0);
    }
    back.process_with_scratch(&mut values, &mut scratch);
    values[1].re
}

fn main() {
    println!("nodes,order,code,cpu_seconds,bound");
    for (side, repeats) in [(40u32, 25), (100, 5)] {
        let topology = Topology::inline(&format!("torus:{side}x{side}x{side}"), &Default::default()).unwrap();
        for order in ["row-major", "random"] {
            let nodes = NodeOrder::make(&topology, order).unwrap();
            let nodes: Vec<NodeId> = nodes.nodes().to_vec();
            let n = nodes.len();
            for _ in 0..repeats {
                let start = cpu_seconds();
                let ours = pair_sums::along(&topology, &nodes, n - 1, SumMethod::Transform).unwrap();
                println!("{n},{order},ours,{:.4},", cpu_seconds() - start);
                let start = cpu_seconds();
                // Row and column sums, which both need.
                let rest = pair_sums::along(&topology, &nodes, 1, SumMethod::Pairs).unwrap();
                let rest_seconds = cpu_seconds() - start;
                let (lag, bound) = by_library(&topology, &nodes, side);
                println!("{n},{order},realfft,{:.4},{bound:.2e}", cpu_seconds() - start);
                let start = cpu_seconds();
                let probe = by_pairs(&topology, &nodes, side);
                let seconds = cpu_seconds() - start + rest_seconds;
                println!("{n},{order},rustfft pairs,{seconds:.4},");
                assert!(probe.is_finite());
                assert!(lag == ours.lag && rest.row == ours.row);
            }
        }
    }
}
