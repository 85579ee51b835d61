//! The experiments of two papers on scheduling and allocation, as CSV.
//!
//! ```sh
//! cargo run --release --package nodeorder-generators --bin scheduling -- yang theta theta_2022.swf.gz 1
//! cargo run --release --package nodeorder-generators --bin scheduling -- leung-metrics HPC2N-2002-first3170.swf
//! cargo run --release --package nodeorder-generators --bin scheduling -- leung-makespan
//! ```
//!
//! Yang et al. 2014, Tables I-VI: windows against EASY under the contiguity model, by alpha and beta. Leung et
//! al. 2002, Fig. 1: metrics of placements against the work multiple and the replication factor; Table 1: makespan
//! of a stream of jobs.

use nodeorder::Result;
use nodeorder::metric::allocation::AllocationMeter;
use nodeorder::random::{below, generator, shuffle};
use nodeorder::schedule::{ScheduleSummary, Task};
use rayon::prelude::*;

use common::Machine;

mod common;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["yang", spec, trace, procs_per_node] => {
            yang(spec, trace, procs_per_node.parse().unwrap_or(1))
        }
        ["leung-metrics", trace] => leung_metrics(trace),
        ["leung-makespan"] => leung_makespan(),
        _ => {
            eprintln!("expected yang SPEC TRACE P, leung-metrics TRACE or leung-makespan");
            Ok(())
        }
    }
}

/// Percent by which `new` is above `old`.
fn gain(new: f64, old: f64) -> f64 {
    if old == 0.0 { 0.0 } else { 100.0 * (new - old) / old }
}

fn yang(spec: &str, trace: &str, procs_per_node: u32) -> Result<()> {
    let machine = Machine::new(spec, "row-major")?;
    let tasks = machine.tasks(trace, procs_per_node)?;
    let cells: Vec<(u32, u32)> =
        (1..=5).flat_map(|beta| (1..=5).map(move |alpha| (10 * beta, 10 * alpha))).collect();
    let rows = cells.into_par_iter().map(|(beta, alpha)| -> Result<String> {
        let model = format!("contiguity:alpha={alpha},beta={beta},contiguous=runs");
        let of = |policy: &str| -> Result<ScheduleSummary> {
            Ok(machine.run(&tasks, policy, "fifo:0", &model)?.summary())
        };
        let base = of("easy")?;
        let mut rows = String::new();
        for policy in ["window-bnb", "window-greedy"] {
            let new = of(&format!("{policy}:slots=runs"))?;
            let values = [
                ("utilisation", new.utilisation, base.utilisation, 1.0),
                ("wait", new.mean_wait, base.mean_wait, -1.0),
                ("response", new.mean_response, base.mean_response, -1.0),
            ];
            for (metric, value, easy, sign) in values {
                let improvement = sign * gain(value, easy);
                rows += &format!(
                    "{spec},{metric},{beta},{alpha},{policy},{easy},{value},{improvement}\n"
                );
            }
        }
        Ok(rows)
    });
    let rows: Result<Vec<String>> = rows.collect();
    println!("machine,metric,beta_percent,alpha_percent,policy,easy,value,improvement_percent");
    print!("{}", rows?.concat());
    Ok(())
}

/// Run times times `tenths` / 10.
fn longer(tasks: &[Task], tenths: i64) -> Vec<Task> {
    let scaled = |t: &Task| {
        let run = (t.run * tenths / 10).max(1);
        Task { run, requested: (t.requested * tenths / 10).max(run), ..*t }
    };
    tasks.iter().map(scaled).collect()
}

/// Every job `factor` times, each copy submitted within an hour of the original.
fn replicated(tasks: &[Task], factor: u64) -> Vec<Task> {
    const JITTER: u64 = 3600;
    let mut random = generator(1);
    let mut all = Vec::new();
    for t in tasks {
        all.push(*t);
        for _ in 1..factor {
            let shift = below(2 * JITTER + 1, &mut random) as i64 - JITTER as i64;
            all.push(Task { submit: t.submit + shift, ..*t });
        }
    }
    all.sort_by_key(|t| t.submit);
    (1..).zip(all).map(|(id, t)| Task { id, ..t }).collect()
}

fn leung_metrics(trace: &str) -> Result<()> {
    println!(
        "ordering,allocator,input,factor,jobs,span,stretch_span,box_sides,cube_ratio,components,mind"
    );
    for order in ["row-major", "snake", "hilbert"] {
        let machine = Machine::new("cplant", order)?;
        let tasks = machine.tasks(trace, 1)?;
        let multiples = [2, 4, 6, 8, 10, 12, 14, 16, 20];
        let mut inputs: Vec<(&str, f64, Vec<Task>)> = (multiples.into_iter())
            .map(|tenths| ("work multiple", tenths as f64 / 10.0, longer(&tasks, tenths)))
            .collect();
        // Copies of jobs a fifth as long: five of them are the load of the trace.
        let short = longer(&tasks, 2);
        inputs.extend((1..=10).map(|f| ("replication", f as f64, replicated(&short, f))));
        for allocator in ["fifo:0", "span-first-fit", "span-best-fit", "span-sum-of-squares"] {
            for (input, factor, tasks) in &inputs {
                let [count, means] = figures(&machine, tasks, allocator)?;
                println!("{order},{allocator},{input},{factor},{count},{means}");
            }
        }
    }
    Ok(())
}

/// How many jobs were placed, and the means of their figures in the order of the columns.
fn figures(machine: &Machine, tasks: &[Task], allocator: &str) -> Result<[String; 2]> {
    let outcome = machine.run(tasks, "size-first", allocator, "fixed")?;
    let mut meter = AllocationMeter::new(&machine.topology, &machine.distances)?;
    let (mut sums, mut count) = ([0.0; 6], 0u32);
    for record in &outcome.records {
        let (Some(ranks), Some(p)) = (&record.ranks, &record.placement) else { continue };
        let Some(bounds) = meter.extent(ranks).bounds else { continue };
        let values = [
            f64::from(p.ring_span),
            f64::from(p.ring_span) / f64::from(p.size),
            f64::from(bounds.sides),
            bounds.cube_ratio,
            f64::from(p.components),
            p.mind().unwrap_or(0.0),
        ];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        count += 1;
    }
    let means: Vec<String> =
        sums.iter().map(|sum| (sum / f64::from(count.max(1))).to_string()).collect();
    Ok([count.to_string(), means.join(",")])
}

/// 91 jobs of 2 nodes, 33 of 5, 31 of 25, 33 of 30; large ones first, then shuffled, a small one last; released
/// evenly over four hours. How long a job takes is not published: 900 seconds each.
fn stream(seed: u64) -> Vec<Task> {
    let mut random = generator(seed);
    let mut sizes: Vec<u32> = Vec::new();
    for (count, size) in [(91, 2), (33, 5), (31, 25), (33, 30)] {
        sizes.extend(std::iter::repeat_n(size, count));
    }
    shuffle(&mut sizes, &mut random);
    // The first four large ones to the front, the last small one to the end.
    let mut front = Vec::new();
    sizes.retain(|size| {
        let large = *size == 30 && front.len() < 4;
        if large {
            front.push(*size);
        }
        !large
    });
    if let Some(small) = sizes.iter().rposition(|size| *size == 2) {
        let last = sizes.remove(small);
        sizes.push(last);
    }
    let every = 4 * 3600 / 188;
    let jobs = front.into_iter().chain(sizes).enumerate();
    jobs.map(|(i, nodes)| {
        let submit = every * i as i64;
        Task { id: i as i64 + 1, submit, run: 900, requested: 900, nodes }
    })
    .collect()
}

fn leung_makespan() -> Result<()> {
    println!("strategy,ordering,seed,makespan_s,mean_stretch");
    let cells = [
        ("fifo:0", "row-major"),
        ("span-best-fit", "row-major"),
        ("fifo:0", "hilbert"),
        ("span-sum-of-squares", "hilbert"),
        ("span-first-fit", "hilbert"),
        ("span-best-fit", "hilbert"),
    ];
    for (allocator, order) in cells {
        let machine = Machine::new("cplant-test", order)?;
        let rows = (1..=5u64).into_par_iter().map(|seed| -> Result<String> {
            let model = "contention:latency=0.5,sharing=0.5";
            let outcome = machine.run(&stream(seed), "size-first", allocator, model)?;
            let s = outcome.summary();
            Ok(format!("{allocator},{order},{seed},{},{}\n", s.makespan, s.mean_stretch))
        });
        let rows: Result<Vec<String>> = rows.collect();
        print!("{}", rows?.concat());
    }
    Ok(())
}
