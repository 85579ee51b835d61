//! Traces in the Standard Workload Format: every field, odd line and wrong one; the log that a trace makes; processors
//! that are no nodes. How files of jobs are recognised, and logs surveyed.

use std::collections::{BTreeMap, BTreeSet};

use nodeorder_base::{Lines, Result};
use nodeorder_trace::convert::write_log;
use nodeorder_trace::survey::{Survey, survey_log};
use nodeorder_trace::{Job, Log, Options, TRACE_FORMATS, Trace, detect_kind};

fn read(text: &str) -> Result<Trace> {
    Trace::new("t", text, &Options::default())
}

fn line(id: i64, rest: &str) -> String {
    // submit wait run allocated | requested time status
    let f: Vec<&str> = rest.split(' ').collect();
    let [submit, wait, run, allocated, requested, time, status] = f[..] else {
        panic!("{rest}")
    };
    format!(
        "{id} {submit} {wait} {run} {allocated} -1 -1 {requested} {time} -1 {status} 1 2 3 4 5 -1 -1\n"
    )
}

fn counts(trace: &Trace) -> Vec<(&'static str, u64)> {
    trace
        .tally()
        .iter()
        .map(|(reason, count)| (reason.name(), count))
        .collect()
}

#[test]
fn the_fields_of_a_line_are_where_they_belong() {
    let text = "; MaxProcs: 64\n 7 100 20 300 16 299.51 1024 17 600 2048.5 1 11 12 13 14 15 6 99\n";
    let options = Options {
        procs_per_node: 4,
        ..Options::default()
    };
    let trace = Trace::new("t", text, &options).unwrap();
    let job = Job {
        id: 7,
        submit: 100,
        wait: Some(20),
        run: 300,
        processors: 17,
        nodes: 5,
        allocated: Some(16),
        requested: Some(17),
        requested_time: 600,
        status: 1,
        user: 11,
        group: 12,
        executable: 13,
        queue: 14,
        partition: 15,
        preceding: 6,
        think_time: 99,
        segment: 0,
        line: 2,
    };
    assert_eq!(trace.jobs(), [job]);
    assert_eq!(
        (job.start_time(), job.end_time(), trace.time_span()),
        (120, 420, Some((100, 420)))
    );
    assert_eq!(trace.header().max_procs("t").unwrap(), Some(64));
    assert_eq!(trace.tally().lines, 1);
    assert_eq!(counts(&trace), []);
}

#[test]
fn every_line_is_a_job_or_counted() {
    let text = [
        "; MaxProcs: 8\n".to_string(),
        line(1, "5 0 10 4 4 20 1"),
        line(2, "4 0 0 4 4 20 1"),
        line(3, "-1 0 9 4 4 20 1"),
        line(4, "6 0 9 -1 0 20 1"),
        line(5, "7 0 9 8 9 20 1"),
        line(6, "3 -1 99 9 8 20 1"),
        "\n; a comment\n".to_string(),
        line(7, "8 2.50 99.4 8 -1 -1 1"),
        line(8, "8 0 -1 -1 -1 -1 5"),
    ];
    let trace = read(&text.concat()).unwrap();
    let ids: Vec<i64> = trace.jobs().iter().map(|job| job.id).collect();
    assert_eq!(ids, [1, 6, 7]);
    assert_eq!(trace.by_submit(), [1, 0, 2]);
    assert_eq!(trace.tally().lines, 8);
    assert_eq!(trace.tally().dropped_lines(), 5);
    let wanted = [
        ("no-submit-time", 1),
        ("no-run-time", 2),
        ("no-processors", 1),
        ("larger-than-machine", 1),
        ("run-time-cut", 1),
        ("allocated-for-requested", 1),
        ("run-for-requested-time", 1),
        ("no-wait-time", 1),
        ("fraction-rounded", 1),
        ("unsorted", 1),
    ];
    assert_eq!(counts(&trace), wanted);
    assert_eq!((trace.jobs()[1].run, trace.jobs()[1].wait), (20, None));
    assert_eq!((trace.jobs()[2].wait, trace.jobs()[2].run), (Some(3), 99));
    assert_eq!(
        (trace.jobs()[2].requested_time, trace.jobs()[2].processors),
        (99, 8)
    );
}

#[test]
fn the_machine_and_its_partitions_limit_what_is_kept() {
    let text = format!(
        "; MaxNodes: 4\n{}{}",
        line(1, "0 0 9 4 4 9 1"),
        line(2, "0 0 9 5 5 9 1")
    );
    let kept = |options: Options| {
        Trace::new("t", text.as_str(), &options)
            .unwrap()
            .jobs()
            .len()
    };
    let options = Options::default;
    assert_eq!(kept(options()), 1);
    assert_eq!(
        kept(Options {
            procs_per_node: 2,
            ..options()
        }),
        2
    );
    assert_eq!(
        kept(Options {
            nodes: Some(3),
            ..options()
        }),
        0
    );
    assert_eq!(
        kept(Options {
            nodes: Some(3),
            procs_per_node: 2,
            ..options()
        }),
        2
    );
    assert_eq!(
        kept(Options {
            partitions: vec![1, 5],
            nodes: Some(9),
            ..options()
        }),
        2
    );
    assert_eq!(
        kept(Options {
            partitions: vec![1],
            nodes: Some(9),
            ..options()
        }),
        0
    );
    let none = Options {
        procs_per_node: 0,
        ..options()
    };
    assert!(Trace::new("t", "", &none).is_err());
}

#[test]
fn parts_of_a_job_count_once() {
    let text = [
        line(1, "0 0 30 4 4 40 1"),
        line(1, "0 0 10 4 4 5 2"),
        line(1, "20 0 20 4 4 40 3"),
        line(2, "9 0 10 4 4 40 2"),
    ];
    let trace = read(&text.concat()).unwrap();
    let seen: Vec<(i64, i64)> = trace.jobs().iter().map(|job| (job.id, job.run)).collect();
    assert_eq!(seen, [(1, 30), (2, 10)]);
    // The part that would have been cut is left out, and nothing else is counted for it.
    assert_eq!(counts(&trace), [("part-of-job", 2), ("unsorted", 0)][..1]);
    for status in [[1, 1], [0, 5], [2, 3], [-1, 1]] {
        let lines = status.map(|s| line(3, &format!("0 0 30 4 4 40 {s}")));
        let error = read(&lines.concat()).unwrap_err().to_string();
        assert_eq!(
            error,
            "t:2: found job number 3 again, first on line 1; expected each job number once"
        );
    }
}

#[test]
fn bad_lines_are_refused_by_name() {
    let good = line(1, "0 0 30 4 4 40 1");
    let with = |field: usize, text: &str| {
        let mut fields: Vec<&str> = good.split_ascii_whitespace().collect();
        fields[field - 1] = text;
        fields.join(" ")
    };
    let cases = [
        (
            "1 2 3".into(),
            "found 3 fields; expected the 18 fields of a job, -1 where unknown",
        ),
        (
            with(1, "x"),
            "found job number (field 1) `x`; expected a whole number",
        ),
        (
            with(2, "1e5"),
            "found submit time (field 2) `1e5`; expected a whole number",
        ),
        (
            with(3, "-2"),
            "found wait time (field 3) `-2`; expected seconds, or -1 for unknown, up to 1000000000000000",
        ),
        (
            with(8, "4294967296"),
            "found processors requested (field 8) `4294967296`; expected a whole number from -4294967295 to \
             4294967295",
        ),
        (
            with(2, "1000000000000000.5"),
            "found submit time (field 2) `1000000000000000.5`; expected seconds from 0 to 1000000000000000, or -1",
        ),
        (
            with(4, "3.x"),
            "found run time (field 4) `3.x`; expected seconds",
        ),
        (
            with(4, "99999999999999999999"),
            "found run time (field 4) `9999",
        ),
        (with(5, "4.5"), "found processors allocated (field 5) `4.5`"),
        (
            with(6, "nan"),
            "found processor time used (field 6) `nan`; expected a number",
        ),
        (with(11, "ok"), "found status (field 11) `ok`"),
        (with(18, "-"), "found think time (field 18) `-`"),
    ];
    for (line, message) in cases {
        let error = read(&format!("; head\n{}\n{line}\n", with(1, "2")))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&format!("t:3: {message}")), "{error}");
    }
    let error = read(&format!("; MaxProcs: some\n{good}"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("t:1: found MaxProcs: some; expected a whole number"),
        "{error}"
    );
    // Unknown as a decimal, whole decimals, no newline at the end, carriage returns, tabs.
    let text =
        with(3, "-1.00").replace(' ', "\t") + "\r\n" + &with(1, "2").replace(" 30 ", " 30.0 ");
    assert_eq!(counts(&read(&text).unwrap()), [("no-wait-time", 1)]);
    for nothing in ["", "; only a header\n", "\r\r\r"] {
        let error = read(nothing).unwrap_err().to_string();
        assert!(error.starts_with("t: found no jobs; expected"), "{error}");
    }
}

#[test]
fn ends_come_before_starts_and_submits_decide_the_rest() {
    let line = |id: u32, submit: i64, wait: i64, run: i64, nodes: i64| {
        format!("{id} {submit} {wait} {run} {nodes} -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    };
    // At 20: 1 ends, 4, 2 and 3 start, 4 having been submitted first and 3 standing below 2.
    let text = [
        line(1, 0, 10, 10, 5),
        line(2, 12, 8, 30, 3),
        line(3, 12, 8, 5, 2),
        line(4, 2, 18, 30, 1),
        line(5, 3, 0, 0, 1),
    ];
    let trace = Trace::new("t", text.concat(), &Options::default()).unwrap();
    let log = write_log(&trace, true);
    let events: Vec<&str> = log.lines().filter(|l| !l.starts_with('#')).collect();
    assert_eq!(
        events,
        [
            "P 1 5", "F 1", "P 4 1", "P 2 3", "P 3 2", "F 3", "F 4", "F 2"
        ]
    );
    assert!(
        log.contains("# 4 of 5 jobs\n# left out: 1 run time zero or unknown\n"),
        "{log}"
    );
}

#[test]
fn processors_that_are_no_nodes_are_noticed() {
    let job = |id: u32, processors: u32| {
        format!("{id} 0 0 9 {processors} -1 -1 {processors} 9 -1 1 1 1 1 1 1 -1 -1\n")
    };
    let hint = |header: &str, procs_per_node: u32, nodes: Option<u32>| {
        let text = format!("{header}\n{}{}", job(1, 60), job(2, 4));
        let options = Options {
            procs_per_node,
            nodes,
            ..Options::default()
        };
        Trace::new("t", text, &options)
            .unwrap()
            .processors_hint()
            .map(ToString::to_string)
    };
    let curie = "; MaxNodes: 5544\n; MaxProcs: 93312";
    assert_eq!(
        hint(curie, 1, None).unwrap(),
        "the header says 93312 processors on 5544 nodes; each processor was taken for a node: \
         --procs-per-node 16 is likely"
    );
    assert_eq!(
        hint(curie, 1, Some(50)).unwrap(),
        "the header says 93312 processors on 5544 nodes; each processor was taken for a node, and 1 job was left \
         out as larger than the machine: --procs-per-node 16 is likely"
    );
    assert_eq!(
        hint("; MaxProcs: 64", 1, Some(16)).unwrap(),
        "the header says 64 processors, the machine has 16 nodes; each processor was taken for a node, and 1 job \
         was left out as larger than the machine: --procs-per-node 4 is likely"
    );
    assert_eq!(hint(curie, 16, None), None);
    // All jobs fit; the header says one processor a node; nothing is said of processors.
    assert_eq!(hint("; MaxProcs: 64", 1, Some(60)), None);
    assert_eq!(hint("; MaxNodes: 64\n; MaxProcs: 64", 1, Some(16)), None);
    assert_eq!(hint("; MaxNodes: 64", 1, Some(16)), None);
    assert_eq!(hint("; MaxProcs: many", 1, Some(16)), None);
}

#[test]
fn every_trace_format_recognises_its_example() {
    for format in TRACE_FORMATS.iter() {
        let found = detect_kind(&mut Lines::new("w", format.example)).unwrap();
        assert_eq!(found, format.parse.kind, "{}", format.name);
    }
    let names: BTreeSet<&str> = TRACE_FORMATS.names().collect();
    assert_eq!(names.len(), TRACE_FORMATS.entries.len());
}

#[test]
fn peaks_are_those_of_the_live_jobs() {
    let survey = survey_log(Log::new("l", "P a 8\nP b 3\nF a\nP c 3\nP a 4\nF b\n")).unwrap();
    let sizes = BTreeMap::from([(3, 2), (4, 1), (8, 1)]);
    let wanted = Survey {
        placements: 4,
        frees: 2,
        most_jobs: 3,
        most_nodes: 11,
        sizes,
    };
    assert_eq!(survey, wanted);
}
