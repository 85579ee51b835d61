//! Changed traces against what was asked, line by line.

use proptest::prelude::*;

use super::*;

const SMALL: &str = "; MaxJobs: 3\n; MaxProcs: 8\n; Note: old\n\
    4 100 7 10 2 9.5 77 4 25 -1 1 1 2 3 4 5 -1 -1\n\
    7 120 -1 99 8 -1 -1 8 50 -1 1 1 2 3 4 5 4 30\n\
    5 200 0 3 -1 -1 -1 1 -1 -1 1 1 2 3 4 5 -1 -1\n\
    6 201 0 0 1 -1 -1 1 -1 -1 1 1 2 3 4 5 -1 -1\n";

fn made(text: &str, changes: &str, nodes: Option<u32>) -> Result<String> {
    let options = Options {
        nodes,
        ..Options::default()
    };
    let changes = Changes::parse(changes, 1)?;
    let of = Transformed::read_and_change(Lines::new("t", text), &options, changes)?;
    Ok(String::from_utf8(of.swf_pieces().flatten().collect()).unwrap())
}

fn job_count(text: &str) -> Vec<String> {
    text.lines()
        .filter(|l| !l.starts_with(';'))
        .map(str::to_string)
        .collect()
}

#[test]
fn a_work_multiple_scales_run_and_requested_times() {
    let text = made(SMALL, "scale-runtime=0.25", None).unwrap();
    let wanted = [
        "4 100 -1 3 2 9.5 77 4 6 -1 1 1 2 3 4 5 -1 -1",
        "7 120 -1 13 8 -1 -1 8 13 -1 1 1 2 3 4 5 4 30",
        "5 200 -1 1 -1 -1 -1 1 -1 -1 1 1 2 3 4 5 -1 -1",
    ];
    assert_eq!(job_count(&text), wanted);
    assert!(text.starts_with("; MaxJobs: 3\n; MaxProcs: 8\n; Note: old\n; Note: changed by"));
    assert!(
        text.contains("scale-runtime=0.25; seed 1; left out 1: run time zero"),
        "{text}"
    );
}

#[test]
fn a_window_keeps_what_was_recorded() {
    let text = made(SMALL, "after=100,before=120", None).unwrap();
    assert_eq!(
        job_count(&text),
        ["4 100 7 10 2 9.5 77 4 25 -1 1 1 2 3 4 5 -1 -1"]
    );
    assert!(text.starts_with("; MaxJobs: 1\n"));
    assert_eq!(job_count(&made(SMALL, "none", None).unwrap()).len(), 3);
}

#[test]
fn copies_have_numbers_and_jitter_of_their_own() {
    let text = made(SMALL, "replicate=3,jitter=20", None).unwrap();
    let lines = job_count(&text);
    let field = |line: &String, n: usize| line.split(' ').nth(n).unwrap().to_string();
    let mut ids: Vec<String> = lines.iter().map(|l| field(l, 0)).collect();
    ids.sort();
    assert_eq!(ids, ["14", "15", "17", "24", "25", "27", "4", "5", "7"]);
    let of = |id: &str| lines.iter().find(|l| field(l, 0) == id).unwrap();
    assert_eq!([field(of("4"), 1), field(of("7"), 1)], ["100", "120"]);
    assert_eq!([field(of("7"), 16), field(of("27"), 16)], ["4", "24"]);
    let shift: i64 = field(of("14"), 1).parse::<i64>().unwrap() - 100;
    assert!((-20..=20).contains(&shift));
    assert_eq!(made(SMALL, "replicate=3,jitter=20", None).unwrap(), text);
}

#[test]
fn faults_are_named() {
    for (changes, nodes, message) in [
        ("after=900", None, "t: found no job"),
        ("load=0.5", None, "`load`: found no number of nodes"),
        (
            "load=0.5,before=101",
            Some(8),
            "t: found jobs of one instant",
        ),
        (
            "load=0.5,scale-time=2",
            Some(8),
            "`transform:load=0.5,scale-time=2`: found load = `0.5`",
        ),
        ("jitter=5", None, "`transform:jitter=5`: found jitter = "),
        (
            "scale-runtime=0",
            None,
            "`transform:scale-runtime=0`: found scale-runtime = ",
        ),
        ("scale=2", None, "`transform:scale=2`: unknown key"),
    ] {
        let error = made(SMALL, changes, nodes).unwrap_err().to_string();
        assert!(error.starts_with(message), "{changes}: {error}");
    }
}

fn text(jobs: &[(i64, i64, u32)]) -> String {
    jobs.iter()
        .enumerate()
        .map(|(i, (submit, run, size)): (usize, &(i64, i64, u32))| {
            format!(
                "{} {submit} 5 {run} {size} -1 -1 {size} {} -1 1 -1 -1 -1 -1 -1 -1 -1\n",
                i + 1,
                2 * run
            )
        })
        .collect()
}

proptest! {
    /// Against the definition, job by job, on the result as it is read back.
    #[test]
    fn as_defined(
        raw in prop::collection::vec((0i64..5000, 1i64..900, 1u32..9), 2..40),
        runtime in 0.1f64..4.0, time in 0.1f64..4.0, replicate in 1u32..4, jitter in 0u64..60,
    ) {
        let changes = Changes { runtime, pace: Pace::Times(time), replicate, jitter, ..Changes::default() };
        let source = text(&raw);
        let of = Transformed::read_and_change(Lines::new("t", source), &Options::default(), changes).unwrap();
        let made: Vec<u8> = of.swf_pieces().flatten().collect();
        let trace = Trace::new("t", made, &Options::default()).unwrap();
        prop_assert_eq!(trace.jobs().len(), raw.len() * replicate as usize);
        prop_assert!(trace.jobs().is_sorted_by_key(|j| j.submit));
        let first = raw.iter().map(|j| j.0).min().unwrap();
        for job in trace.jobs() {
            let copy = job.id / of.apart;
            let index = (job.id % of.apart) as usize - 1;
            let (submit, run, size) = raw[index];
            prop_assert_eq!(job.nodes, size);
            prop_assert_eq!(job.run, ((run as f64 * runtime).round() as i64).max(1));
            let wanted = ((2 * run) as f64 * runtime).round() as i64;
            prop_assert_eq!(job.requested_time, wanted.max(job.run));
            let at = first + ((submit - first) as f64 * time).round() as i64;
            let reach = if copy == 0 { 0 } else { jitter };
            prop_assert!(job.submit.abs_diff(at) <= reach && job.submit >= 0);
        }
    }

    /// The load of the result, counted anew, is the one asked for up to the rounding of the times.
    #[test]
    fn loads_are_reached(
        raw in prop::collection::vec((0i64..50_000, 100i64..900, 1u32..9), 20..40),
        load in 0.2f64..2.0, runtime in 0.5f64..2.0, replicate in 1u32..4,
    ) {
        prop_assume!(raw.iter().map(|j| j.0).max() > raw.iter().map(|j| j.0).min());
        let changes = Changes { runtime, pace: Pace::Load(load), replicate, ..Changes::default() };
        let options = Options { nodes: Some(8), ..Options::default() };
        let of = Transformed::read_and_change(Lines::new("t", text(&raw)), &options, changes).unwrap();
        let made: Vec<u8> = of.swf_pieces().flatten().collect();
        let trace = Trace::new("t", made, &Options::default()).unwrap();
        let submits = || trace.jobs().iter().map(|j| j.submit);
        let span = (submits().max().unwrap() - submits().min().unwrap()) as f64;
        let area: f64 = trace.jobs().iter().map(|j| f64::from(j.nodes) * j.run as f64).sum();
        let slack = 1.0 / span;
        prop_assert!((area / 8.0 / span / load - 1.0).abs() < 2.0 * slack + 1e-9);
        prop_assert!((of.offered_loads().unwrap()[1] / load - 1.0).abs() < 1e-9);
    }
}
