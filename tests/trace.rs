//! Real traces, where they are at hand: counts made by another program from the same rules.

use nodeorder_trace::{Log, Options, Reason, Sizes, Trace, Weight, convert, survey::survey_log};

use crate::skip::trace;

/// What a trace holds, counted apart from this crate by a script of a few lines.
struct Counts {
    file: &'static str,
    procs_per_node: u32,
    max_procs: u64,
    lines: u64,
    jobs: usize,
    /// Sum of the nodes of all jobs.
    nodes: u64,
    /// Sum of nodes times run time.
    node_seconds: u64,
    largest: u32,
    first_submit: i64,
    last_end: i64,
    reasons: &'static [(Reason, u64)],
}

/// From the Parallel Workloads Archive (Feitelson et al.), and theta_2022 of ALCF: thanks to B. Nitzberg,
/// M. Jette, J. Emeras, A. Sandgren, who gave the logs.
const TRACES: [Counts; 5] = [
    Counts {
        file: "theta_2022.swf.gz",
        procs_per_node: 1,
        max_procs: 4360,
        lines: 23_911,
        jobs: 23_911,
        nodes: 7_440_818,
        node_seconds: 103_136_529_894,
        largest: 4048,
        first_submit: 1_641_021_254,
        last_end: 1_672_452_189,
        reasons: &[(Reason::RunTimeCut, 6264)],
    },
    Counts {
        file: "LLNL-Atlas-2006-2.1-cln.swf.gz",
        procs_per_node: 8,
        max_procs: 9216,
        lines: 43_778,
        jobs: 36_600,
        nodes: 2_053_800,
        node_seconds: 13_504_596_916,
        largest: 1140,
        first_submit: 3_279_507,
        last_end: 19_951_060,
        reasons: &[
            (Reason::NoRunTime, 7178),
            (Reason::RunTimeCut, 3351),
            (Reason::RunForRequestedTime, 5352),
            (Reason::NoWaitTime, 36_600),
        ],
    },
    Counts {
        file: "CEA-Curie-2011-2.1-cln.swf.gz",
        procs_per_node: 1,
        max_procs: 93_312,
        lines: 312_826,
        jobs: 295_540,
        nodes: 183_907_604,
        node_seconds: 1_264_995_649_566,
        largest: 79_808,
        first_submit: 31_656_837,
        last_end: 53_869_612,
        reasons: &[
            (Reason::NoRunTime, 17_286),
            (Reason::RunTimeCut, 5416),
            (Reason::AllocatedForRequested, 79_590),
        ],
    },
    Counts {
        file: "NASA-iPSC-1993-3.1-cln.swf.gz",
        procs_per_node: 1,
        max_procs: 128,
        lines: 18_239,
        jobs: 18_066,
        nodes: 303_638,
        node_seconds: 474_238_015,
        largest: 128,
        first_submit: 0,
        last_end: 7_949_022,
        reasons: &[
            (Reason::NoRunTime, 173),
            (Reason::AllocatedForRequested, 18_066),
            (Reason::RunForRequestedTime, 18_066),
            (Reason::NoWaitTime, 18_066),
        ],
    },
    Counts {
        file: "HPC2N-2002-first3170.swf",
        procs_per_node: 2,
        max_procs: 240,
        lines: 3170,
        jobs: 3145,
        nodes: 31_327,
        node_seconds: 253_762_408,
        largest: 64,
        first_submit: 0,
        last_end: 5_283_491,
        reasons: &[(Reason::NoRunTime, 25), (Reason::RunTimeCut, 320)],
    },
];

#[test]
fn real_traces_have_the_counts_of_another_program() {
    for counts in &TRACES {
        let test = "trace::real_traces_have_the_counts_of_another_program";
        let Some(path) = trace(test, counts.file) else {
            continue;
        };
        let name = counts.file;
        let options = Options {
            procs_per_node: counts.procs_per_node,
            ..Options::default()
        };
        let trace = Trace::read(&path, &options).unwrap();
        assert_eq!(
            trace.header().max_procs(name).unwrap(),
            Some(counts.max_procs),
            "{name}"
        );
        assert_eq!(trace.tally().lines, counts.lines, "{name}");
        let reasons: Vec<_> = trace.tally().iter().collect();
        assert_eq!(reasons, counts.reasons, "{name}");
        let jobs = trace.jobs();
        assert_eq!(jobs.len(), counts.jobs, "{name}");
        assert_eq!(
            jobs.iter().map(|j| u64::from(j.nodes)).sum::<u64>(),
            counts.nodes,
            "{name}"
        );
        let seconds = |j: &nodeorder_trace::Job| u64::from(j.nodes) * j.run as u64;
        assert_eq!(
            jobs.iter().map(seconds).sum::<u64>(),
            counts.node_seconds,
            "{name}"
        );
        assert_eq!(
            jobs.iter().map(|j| j.nodes).max(),
            Some(counts.largest),
            "{name}"
        );
        assert_eq!(
            trace.time_span(),
            Some((counts.first_submit, counts.last_end)),
            "{name}"
        );

        // Its placement log reads back to the same jobs, and ends with an empty machine.
        let survey = survey_log(Log::new(name, convert::write_log(&trace, false))).unwrap();
        assert_eq!(
            (survey.placements, survey.frees),
            (jobs.len() as u64, jobs.len() as u64)
        );
        let sizes = Sizes::from_trace(&trace, Weight::Jobs);
        let table: Vec<_> = survey.sizes.into_iter().collect();
        assert_eq!(sizes.count_table().unwrap(), table, "{name}");
        let mean = counts.nodes as f64 / counts.jobs as f64;
        assert_eq!(sizes.mean_size(), Some(mean), "{name}");
    }
}

#[test]
fn a_truncated_trace_is_refused() {
    let file = "HPC2N-2002-first3170.swf";
    let Some(path) = trace("trace::a_truncated_trace_is_refused", file) else {
        return;
    };
    let text = std::fs::read(&path).unwrap();
    let text = text.trim_ascii_end();
    let lines = 1 + text.iter().filter(|b| **b == b'\n').count();
    // Cut in the middle of the last line.
    let error = Trace::new("cut.swf", &text[..text.len() - 20], &Options::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("cut.swf:{lines}: found ")),
        "{error}"
    );
}

#[test]
fn where_a_trace_knows_its_waits_its_log_fits_the_machine() {
    let test = "trace::where_a_trace_knows_its_waits_its_log_fits_the_machine";
    let Some(path) = trace(test, "CEA-Curie-2011-2.1-cln.swf.gz") else {
        return;
    };
    let trace = Trace::read(&path, &Options::default()).unwrap();
    let log = convert::write_log(&trace, false);
    let survey = survey_log(Log::new("curie", log)).unwrap();
    // Of 93,312 processors; the peak, too, was counted by another program.
    assert_eq!(survey.most_nodes, 91_834);
}
