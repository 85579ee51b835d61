//! Waiting for a place against starting in a bad one, as CSV: a row a machine, load, allocator, policy and seed.
//!
//! ```sh
//! cargo run --package nodeorder-generators --bin waiting -- windows
//! ```
//!
//! `windows`: slots of window policies on a torus, all policies with the same polling.

use nodeorder_base::error::Result;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_jobs::schedule::{ScheduleSummary, Task};
use rayon::prelude::*;

use common::Machine;

#[allow(dead_code)]
mod common;

const SEEDS: u64 = 10;

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("windows") => windows(),
        _ => {
            eprintln!("expected windows");
            Ok(())
        }
    }
}

/// Longest wait of the jobs of 64 nodes or more, and the mean, in the tasks' seconds.
fn big(summary: &ScheduleSummary) -> (f64, f64) {
    let of = |from: u32| {
        summary
            .by_size
            .iter()
            .filter(move |class| class.from >= from)
    };
    let jobs = of(64).map(|class| class.jobs).sum::<usize>().max(1) as f64;
    let mean = of(64)
        .map(|class| class.mean_wait * class.jobs as f64)
        .sum::<f64>()
        / jobs;
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
    let connected = outcome
        .records
        .iter()
        .filter(|r| r.placement.as_ref().is_some_and(|p| p.components == 1));
    let connected = connected.count() as f64 / s.jobs.max(1) as f64;
    let [p50, p90, p99] = s.wait_percentiles;
    let (big_max, big_mean) = big(&s);
    let run = s.mean_response - s.mean_wait;
    let times = [s.mean_wait, p50, p90, p99, s.max_wait]
        .map(|t| (t * unit).to_string())
        .join(",");
    let after = [s.mean_response, s.makespan]
        .map(|t| (t * unit).to_string())
        .join(",");
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

/// Jobs of sizes up to 256, log-uniform, that run for 5 to 120 minutes and ask for twice as long.
fn mixed(jobs: u32, load: f64, nodes: u32, seed: u64) -> Vec<Task> {
    let mut random = seed_generator(seed);
    let mut draws: Vec<(u32, i64, f64)> = Vec::new();
    for _ in 0..jobs {
        let mut uniform =
            || (random_below(1 << 53, &mut random) as f64 + 0.5) / (1u64 << 53) as f64;
        let size = 256f64.powf(uniform()).floor() as u32;
        let run = 300.0 + 6900.0 * uniform();
        draws.push((size, run as i64, -uniform().ln()));
    }
    let work: f64 = draws
        .iter()
        .map(|(size, run, _)| f64::from(*size) * *run as f64)
        .sum();
    let gap = work / f64::from(nodes) / load / f64::from(jobs);
    let mut at = 0.0;
    let tasks = (1..).zip(draws).map(|(id, (nodes, run, step))| {
        at += step * gap;
        Task {
            id,
            submit: at as i64,
            run,
            requested: 2 * run,
            nodes,
        }
    });
    tasks.collect()
}

fn windows() -> Result<()> {
    println!("host,alpha,load_percent,policy,seed,{COLUMNS}");
    let machine = Machine::new("torus:8x8x8", "row-major")?;
    let mut cells = Vec::new();
    for alpha in [0, 30] {
        for percent in [70, 85, 100] {
            for policy in [
                "easy:interval=30",
                "window-bnb:slots=components",
                "window-bnb:slots=runs",
            ] {
                cells.extend((1..=SEEDS).map(|seed| (alpha, percent, policy, seed)));
            }
        }
    }
    print(cells, |(alpha, percent, policy, seed)| {
        let tasks = mixed(3000, f64::from(*percent) / 100.0, machine.nodes(), *seed);
        let model = format!("contiguity:alpha={alpha},beta=30");
        let figures = row(&machine, &tasks, policy, "fifo:0", &model, 1.0)?;
        Ok(format!(
            "torus:8x8x8,{alpha},{percent},{policy},{seed},{figures}"
        ))
    })
}
