//! Jobs side by side: flow level, job level and SimGrid on the same cases, with the processor seconds that each took.
//!
//! Runs that are too short for the clock are repeated, [`REPEATS`] times at job level; the seconds are those of one.
//!
//! `cargo run --release --package nodeorder-generators --bin corun -- FOLDER [CASES A NETWORK]` writes `rows.csv` (a row
//! for each job) and `times.csv` (a row for each case). Needs SimGrid's headers and g++.

use std::ffi::c_long;
use std::fmt::Write;
use std::path::Path;

use nodeorder_traffic::corun::{Detail, Settings, side_by_side};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

#[path = "../../tests/corun/peer.rs"]
mod peer;

const ITERATIONS: u64 = 30;

/// Runs of a case at flow level and at job level.
const REPEATS: [u32; 2] = [5, 100];

unsafe extern "C" {
    safe fn clock() -> c_long;
}

/// Processor seconds of this process, all threads: the C library's clock, in millionths on every POSIX system.
fn processor_seconds() -> f64 {
    clock() as f64 / 1e6
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = Path::new(arguments.get(1).map_or(".", String::as_str));
    let cases: u64 = arguments
        .get(2)
        .map_or(10, |text| text.parse().expect("a number"));
    let work = std::env::temp_dir().join(format!("corun-{}", std::process::id()));
    std::fs::create_dir_all(&work).expect("a folder to work in");
    let program = peer::compile(&work).expect("SimGrid and g++");
    let mut rows = String::from(
        "network,case,latency,fair,job,guest,communication,simgrid,flow,job_level,alone\n",
    );
    let mut times = String::from("network,case,latency,fair,jobs,simgrid,flow,job_level\n");
    let routing = FixedRouting::find_by_name("one-path").expect("a routing");
    for latency in [0.0, 1e-6] {
        let fair = if latency > 0.0 { "rtt" } else { "flow" };
        // Flow against SimGrid, then job level against flow level, in per cent; seconds in all.
        let (mut flow, mut job, mut all) = (Vec::new(), Vec::new(), [0.0; 3]);
        for (i, spec) in peer::NETWORKS.iter().enumerate() {
            for number in 0..cases {
                let case = peer::case(spec, 100 * i as u64 + number);
                let (theirs, took) = peer::simulate(&program, &work, &case, ITERATIONS, latency);
                let fabric = Fabric::new(&case.machine).expect("a fabric");
                let mut seconds = [took, 0.0, 0.0];
                let [ours, rough] = [(1, Detail::Flow), (2, Detail::Job)].map(|(slot, level)| {
                    let settings = Settings {
                        speeds: peer::speeds(latency),
                        level,
                        iterations: ITERATIONS,
                        count_patterns: true,
                        spans: 0,
                    };
                    let began = processor_seconds();
                    let run = |_| side_by_side(&fabric, routing, &case.jobs, &settings, &|_| {});
                    let repeats = REPEATS[slot - 1];
                    let outcome = (0..repeats).map(run).last();
                    seconds[slot] = (processor_seconds() - began) / f64::from(repeats);
                    outcome.expect("a run").expect("an outcome").jobs
                });
                for (slot, seconds) in seconds.iter().enumerate() {
                    all[slot] += seconds;
                }
                let about = case.about.iter().zip(&theirs).zip(ours.iter().zip(&rough));
                for (((guest, share), (_, theirs)), (ours, rough)) in about {
                    flow.push(100.0 * (ours.seconds / theirs - 1.0).abs());
                    job.push(100.0 * (rough.seconds / ours.seconds - 1.0).abs());
                    let guest = guest.replace(',', " ");
                    let (name, seconds, alone) = (&ours.name, ours.seconds, ours.alone);
                    let rough = rough.seconds;
                    writeln!(
                        rows,
                        "\"{spec}\",{number},{latency},{fair},{name},{guest},{share},{theirs},{seconds},{rough},{alone}"
                    )
                    .expect("text");
                }
                let [simgrid, flow, job] = seconds;
                let jobs = case.jobs.len();
                writeln!(
                    times,
                    "\"{spec}\",{number},{latency},{fair},{jobs},{simgrid},{flow},{job}"
                )
                .expect("text");
            }
        }
        let [simgrid, by_flow, by_job] = all;
        println!("fair={fair}, latency {latency} s: {} jobs", flow.len());
        println!("  flow level against SimGrid, %: {:?}", peer::spread(flow));
        println!("  job level against flow level, %: {:?}", peer::spread(job));
        println!("  seconds: SimGrid {simgrid}, flow level {by_flow}, job level {by_job}");
        println!(
            "  times as fast: {:.1}, {:.1}",
            simgrid / by_flow,
            simgrid / by_job
        );
    }
    std::fs::write(folder.join("rows.csv"), rows).expect("rows.csv");
    std::fs::write(folder.join("times.csv"), times).expect("times.csv");
    std::fs::remove_dir_all(work).expect("the folder is gone");
}
