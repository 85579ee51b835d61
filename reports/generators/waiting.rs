//! Waiting for a place against starting in a bad one, as CSV: a row a machine, load, allocator, policy and seed.
//!
//! ```sh
//! cargo run --package nodeorder-generators --bin waiting -- small
//! cargo run --package nodeorder-generators --bin waiting -- large
//! cargo run --package nodeorder-generators --bin waiting -- windows
//! ```
//!
//! `small`: Hu's Figs 11 and 12, 20 to 200 jobs of 4 or 16 on hosts of 64 nodes. `large`: the hosts and sizes of his
//! Figs 7 and 8 (3,072 nodes, 2,000 jobs of 4, 16, 64 and 64, two a second), by offered load. `windows`: slots of
//! window policies on a torus, all policies with the same polling.

use nodeorder::Result;
use nodeorder::random::{below, generator};
use nodeorder::schedule::{ScheduleSummary, Task};
use rayon::prelude::*;

use common::{Machine, poisson};

#[allow(dead_code)]
mod common;

const SEEDS: u64 = 10;

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("small") => small(),
        Some("large") => large(),
        Some("windows") => windows(),
        _ => {
            eprintln!("expected small, large or windows");
            Ok(())
        }
    }
}

/// Longest wait of the jobs of 64 nodes or more, and the mean, in the tasks' seconds.
fn big(summary: &ScheduleSummary) -> (f64, f64) {
    let of = |from: u32| summary.by_size.iter().filter(move |class| class.from >= from);
    let jobs = of(64).map(|class| class.jobs).sum::<usize>().max(1) as f64;
    let mean = of(64).map(|class| class.mean_wait * class.jobs as f64).sum::<f64>() / jobs;
    (of(64).map(|class| class.max_wait).fold(0.0, f64::max), mean)
}

const COLUMNS: &str = "jobs,never_placed,wait,wait_p50,wait_p90,wait_p99,max_wait,starved,big_max_wait,big_wait,run,\
                       stretch,response,makespan,utilisation,connected";

/// The figures of one schedule; times in seconds, where the tasks' second is `unit` of one.
fn row(
    machine: &Machine,
    tasks: &[Task],
    policy: &str,
    allocator: &str,
    model: &str,
    unit: f64,
) -> Result<String> {
    let outcome = machine.run(tasks, policy, allocator, model)?;
    let s = outcome.summary();
    let connected =
        outcome.records.iter().filter(|r| r.placement.as_ref().is_some_and(|p| p.components == 1));
    let connected = connected.count() as f64 / s.jobs.max(1) as f64;
    let [p50, p90, p99] = s.wait_percentiles;
    let (big_max, big_mean) = big(&s);
    let run = s.mean_response - s.mean_wait;
    let times = [s.mean_wait, p50, p90, p99, s.max_wait].map(|t| (t * unit).to_string()).join(",");
    let after = [s.mean_response, s.makespan].map(|t| (t * unit).to_string()).join(",");
    Ok(format!(
        "{},{},{times},{},{},{},{},{},{after},{},{connected}",
        s.jobs,
        s.never_placed,
        s.starved,
        big_max * unit,
        big_mean * unit,
        run * unit,
        s.mean_stretch,
        s.utilisation
    ))
}

/// Runs cells in parallel and prints their rows in order.
fn print<C: Send + Sync>(cells: Vec<C>, of: impl Fn(&C) -> Result<String> + Sync) -> Result<()> {
    let rows: Result<Vec<String>> = cells.par_iter().map(&of).collect();
    rows?.iter().for_each(|row| println!("{row}"));
    Ok(())
}

/// Run times grow with dilation as those of LU in Fig. 6 and with sharing as those of FT, or a tenth of that.
const STRONG: &str = "contention:latency=1.041,sharing=0.281,base=1";
const MILD: &str = "contention:latency=0.1041,sharing=0.0281,base=1";

fn small() -> Result<()> {
    println!("host,model,jobs_submitted,allocator,seed,{COLUMNS}");
    let hosts = [
        ("t2", "torus:8x8", "dilation:max=1,guest=2d"),
        ("t3", "torus:4x4x4", "dilation:max=1,guest=3d"),
        ("r4", "random-regular:n=64,d=4,seed=1", "bfs:contiguous"),
        ("r6", "random-regular:n=64,d=6,seed=1", "bfs:contiguous"),
    ];
    for (name, host, regular) in hosts {
        let machine = Machine::new(host, "row-major")?;
        let mut cells = Vec::new();
        for (label, model) in [("strong", STRONG), ("mild", MILD)] {
            for jobs in (20..=200).step_by(20) {
                for (kind, allocator) in [
                    ("regular", regular),
                    ("nearest", "dilation"),
                    ("bfs", "bfs"),
                    ("random", "random"),
                ] {
                    cells.extend(
                        (1..=SEEDS).map(|seed| (label, model, jobs, kind, allocator, seed)),
                    );
                }
            }
        }
        print(cells, |(label, model, jobs, kind, allocator, seed)| {
            let tasks = poisson(*jobs, f64::from(*jobs) / 20.0, &[4, 16], [500, 1500], *seed);
            let figures = row(&machine, &tasks, "easy", allocator, model, 0.001)?;
            Ok(format!("{name},{label},{jobs},{kind},{seed},{figures}"))
        })?;
    }
    Ok(())
}

fn large() -> Result<()> {
    println!("host,model,load_percent,allocator,seed,{COLUMNS}");
    let hosts = [
        ("torus", "hu-torus", "dilation:max=1,guest=3d"),
        ("ws", "hu-ws", "bfs:contiguous"),
        ("random", "hu-random", "bfs:contiguous"),
    ];
    // Run times alone follow the distance inside an allocation: half of them at twice the distance.
    let model = "distance:weight=0.5,base=1";
    for (name, host, regular) in hosts {
        let machine = Machine::new(host, "row-major")?;
        let mut cells = Vec::new();
        for percent in [50, 70, 80, 90, 100] {
            for (kind, allocator) in [("regular", regular), ("bfs", "bfs"), ("random", "random")] {
                cells.extend((1..=SEEDS).map(|seed| (percent, kind, allocator, seed)));
            }
        }
        print(cells, |(percent, kind, allocator, seed)| {
            // 74 nodes a second arrive.
            let run = i64::from(*percent) * 10 * i64::from(machine.nodes()) / 74;
            let tasks = poisson(2000, 2.0, &[4, 16, 64, 64], [run / 2, run * 3 / 2], *seed);
            let figures = row(&machine, &tasks, "easy", allocator, model, 0.001)?;
            Ok(format!("{name},distance,{percent},{kind},{seed},{figures}"))
        })?;
    }
    Ok(())
}

/// Jobs of sizes up to 256, log-uniform, that run for 5 to 120 minutes and ask for twice as long.
fn mixed(jobs: u32, load: f64, nodes: u32, seed: u64) -> Vec<Task> {
    let mut random = generator(seed);
    let mut draws: Vec<(u32, i64, f64)> = Vec::new();
    for _ in 0..jobs {
        let mut uniform = || (below(1 << 53, &mut random) as f64 + 0.5) / (1u64 << 53) as f64;
        let size = 256f64.powf(uniform()).floor() as u32;
        let run = 300.0 + 6900.0 * uniform();
        draws.push((size, run as i64, -uniform().ln()));
    }
    let work: f64 = draws.iter().map(|(size, run, _)| f64::from(*size) * *run as f64).sum();
    let gap = work / f64::from(nodes) / load / f64::from(jobs);
    let mut at = 0.0;
    let tasks = (1..).zip(draws).map(|(id, (nodes, run, step))| {
        at += step * gap;
        Task { id, submit: at as i64, run, requested: 2 * run, nodes }
    });
    tasks.collect()
}

fn windows() -> Result<()> {
    println!("host,alpha,load_percent,policy,seed,{COLUMNS}");
    let machine = Machine::new("torus:8x8x8", "row-major")?;
    let mut cells = Vec::new();
    for alpha in [0, 30] {
        for percent in [70, 85, 100] {
            for policy in
                ["easy:interval=30", "window-bnb:slots=components", "window-bnb:slots=runs"]
            {
                cells.extend((1..=SEEDS).map(|seed| (alpha, percent, policy, seed)));
            }
        }
    }
    print(cells, |(alpha, percent, policy, seed)| {
        let tasks = mixed(3000, f64::from(*percent) / 100.0, machine.nodes(), *seed);
        let model = format!("contiguity:alpha={alpha},beta=30");
        let figures = row(&machine, &tasks, policy, "fifo:0", &model, 1.0)?;
        Ok(format!("torus:8x8x8,{alpha},{percent},{policy},{seed},{figures}"))
    })
}
