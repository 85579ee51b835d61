//! Records of sites and of other tools: every format valid, odd and wrong; and through the commands.

mod field;
mod site;
mod tools;

use std::path::PathBuf;

use nodeorder_base::Lines;
use nodeorder_trace::records::{self, Columns, Record, RecordFormat, Records, State, placements};
use nodeorder_trace::{Options, Reason, Trace, WorkloadKind, convert, detect_kind, open};

fn data(name: &str) -> PathBuf {
    crate::root().join("tests/data/traces").join(name)
}

/// Counts of what was left out or mended, by reason.
type Counts = Vec<(&'static str, u64)>;

fn read(form: &RecordFormat, text: &str) -> nodeorder_base::error::Result<(Vec<Record>, Counts)> {
    let mut records = Records::from_lines(Lines::new("jobs", text), form, None)?;
    let (mut all, mut record) = (Vec::new(), Record::default());
    while records.read_next(&mut record)? {
        all.push(record.clone());
    }
    Ok((
        all,
        records
            .tally()
            .iter()
            .map(|(reason, count)| (reason.name(), count))
            .collect(),
    ))
}

fn trace(text: &str) -> nodeorder_base::error::Result<Trace> {
    open::read_trace(Lines::new("jobs", text), &Options::default())
}

fn counts(trace: &Trace) -> Counts {
    trace
        .tally()
        .iter()
        .map(|(reason, count)| (reason.name(), count))
        .collect()
}

/// Each text is refused with exactly this beginning.
fn refused(form: &RecordFormat, cases: &[(String, &str)]) {
    assert!(cases.len() >= 8);
    for (text, message) in cases {
        let error = read(form, text).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text}\n{error}\n{message}");
        assert!(error.contains("; expected "), "{error}");
    }
}

const HEADER: &str = "JobIDRaw|Submit|Start|End|Timelimit|NNodes|State|NodeList\n";

fn row(fields: &str) -> String {
    format!("{HEADER}{fields}\n")
}

/// Shapes of a real slurmdbd's rows.
#[test]
fn sacct_rows_of_every_kind_are_read() {
    let text = std::fs::read_to_string(data("sacct.txt")).unwrap();
    let (records, counts) = read(&records::SACCT, &text).unwrap();
    assert_eq!(counts, [("step", 1)]);
    let jobs: Vec<&str> = records.iter().map(|r| r.job.as_str()).collect();
    assert_eq!(jobs, ["3", "1", "4", "5", "9", "16", "20", "21", "21"]);
    let [third, first, over, running, pending, cancelled, refused, ..] = &records[..] else {
        panic!()
    };
    assert_eq!(
        (third.run, third.limit, third.nodes, third.hosts.as_str()),
        (Some(300), Some(600), 2, "n[06,11]")
    );
    assert_eq!(
        (first.submit, first.start),
        (Some(1_795_350_019), Some(1_795_350_022))
    );
    assert_eq!(
        (over.run, over.limit, over.state),
        (Some(87), Some(60), State::Failed)
    );
    assert_eq!(
        (running.start.is_some(), running.run, running.limit),
        (true, None, None)
    );
    assert_eq!(
        (
            pending.start,
            pending.run,
            pending.limit,
            pending.hosts.as_str()
        ),
        (None, None, None, "")
    );
    assert_eq!(
        (cancelled.start, cancelled.run, cancelled.state),
        (None, None, State::Cancelled)
    );
    assert_eq!(
        (refused.nodes, refused.run, refused.limit),
        (0, Some(0), None)
    );
    assert_eq!((records[7].limit, records[7].line), (Some(93_840), 10));
    assert_eq!(
        (records[7].state, records[8].state),
        (State::Cancelled, State::Completed)
    );
}

#[test]
fn sacct_rows_are_a_trace() {
    let trace = open::open_trace(&data("sacct.txt"), &Options::default()).unwrap();
    let jobs: Vec<(i64, i64, Option<i64>, i64, u32)> = trace
        .jobs()
        .iter()
        .map(|j| (j.id, j.submit - 1_795_350_019, j.wait, j.run, j.nodes))
        .collect();
    // The second life of job 21 has a number of its own.
    let wanted = [
        (3, 0, Some(4), 300, 2),
        (1, 0, Some(3), 1, 3),
        (4, 0, Some(3), 60, 2),
        (21, 581, Some(5), 3600, 8),
    ];
    assert_eq!(jobs[..4], wanted);
    assert_eq!(jobs[4], (22, 4186, Some(55), 7200, 8));
    assert_eq!(
        trace.jobs().iter().map(|j| j.status).collect::<Vec<_>>(),
        [1, 1, 0, 5, 1]
    );
    let partitions: Vec<&str> = trace.header().values_of_label("Partition").collect();
    assert_eq!(partitions, ["1 all", "2 all,share", "3 share"]);
    let wanted = [
        ("no-processors", 1),
        ("step", 1),
        ("not-started", 2),
        ("still-running", 1),
        ("run-time-cut", 1),
        ("numbered-anew", 1),
    ];
    assert_eq!(counts(&trace), wanted);
    assert_eq!(trace.tally().lines, 10);
}

/// Shaken, jobs are submitted at other times with each seed, and their recorded waits are gone.
#[test]
fn shaken_jobs_come_earlier_or_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.swf");
    let job = |id: u32| format!("{id} {} 7 10 2 -1 -1 2 25 -1 1 1 2 3 4 5 -1 -1\n", 100 * id);
    std::fs::write(&path, (1..40).map(job).collect::<String>()).unwrap();
    let shaken = |seed: &str| -> Vec<(i64, i64, String)> {
        let mut command = crate::command();
        command
            .args(["trace", "transform", "--shake", "15", "--seed", seed])
            .arg(&path);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with(';'));
        let row = |line: &str| {
            let cells: Vec<&str> = line.split(' ').collect();
            (
                cells[0].parse().unwrap(),
                cells[1].parse().unwrap(),
                cells[2].to_string(),
            )
        };
        lines.map(row).collect()
    };
    let rows = shaken("1");
    let moves: Vec<i64> = rows
        .iter()
        .map(|(id, submit, _)| submit - 100 * id)
        .collect();
    assert!(rows.len() == 39 && moves.iter().all(|by| by.abs() <= 15));
    assert!(
        moves.iter().any(|by| *by > 5) && moves.iter().any(|by| *by < -5),
        "{moves:?}"
    );
    assert!(rows.iter().all(|(.., wait)| wait == "-1"));
    assert!(rows == shaken("1") && rows != shaken("2"));
}

/// Segments come into placement logs; an SWF trace and a schedule have no place for them, which is said.
#[test]
fn segments_of_sacct_come_into_placement_logs() {
    let header = HEADER.trim_end().to_string() + "|SegmentSize\n";
    let row = |job: u32, segment: &str| {
        format!("{job}|100|200|300|00:05:00|32|COMPLETED|n[01-32]|{segment}\n")
    };
    let text = header.clone() + &row(1, "16") + &row(2, "") + &row(3, "0");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sacct.txt");
    std::fs::write(&path, text).unwrap();
    let mut command = crate::command();
    let done = command
        .args(["trace", "convert", "--to", "log"])
        .arg(&path)
        .output()
        .unwrap();
    let log = String::from_utf8(done.stdout).unwrap();
    assert!(log.contains("P 1 32 segment=16\nP 2 32\nP 3 32\n"), "{log}");
    let said = String::from_utf8_lossy(&done.stderr).to_string();
    assert!(said.contains("1: with segments"), "{said}");
    let error = read(&records::SACCT, &(header + &row(1, "x")))
        .unwrap_err()
        .to_string();
    assert!(error.contains(":2: found segment `x`"), "{error}");
}

#[test]
fn sacct_takes_columns_in_any_order_and_text_with_bars() {
    // A name with bars in the middle; a bar at the end of each line (sacct -p); seconds for times; the header again.
    let text = "Start|JobName|End|NNodes|JobID|Submit|NodeList|\n\
                100|a|b||c|160|1.5K|7_4|90|n1|\n\
                Start|JobName|End|NNodes|JobID|Submit|NodeList|\n\
                \n\
                100|plain|160|2|8+1|90|n[1-2]|\n";
    let (records, counted) = read(&records::SACCT, text).unwrap();
    assert_eq!(counted, [("count-rounded", 1)]);
    assert_eq!(
        (
            records[0].job.as_str(),
            records[0].nodes,
            records[0].hosts.as_str()
        ),
        ("7_4", 1536, "n1")
    );
    assert_eq!(
        (records[1].job.as_str(), records[1].run, records[1].nodes),
        ("8+1", Some(60), 2)
    );
    // Such job ids are no numbers.
    assert_eq!(
        trace(text)
            .unwrap()
            .jobs()
            .iter()
            .map(|j| j.id)
            .collect::<Vec<_>>(),
        [1, 2]
    );
    // Minutes, and a clock that was set back.
    let text = "JobIDRaw|Submit|Start|End|NNodes|TimelimitRaw\n\
                1|2026-10-25T02:00:00|2026-10-25T02:50:00|2026-10-25T02:10:00|1|90\n\
                2|2026-10-25T02:00:00|2026-10-25T02:50:00|2026-10-25T02:50:10|1|90\n\
                3|2026-10-25T03:00:00|2026-10-25T02:50:00|2026-10-25T02:50:10|1|UNLIMITED\n";
    let trace = trace(text).unwrap();
    assert_eq!(trace.jobs()[0].requested_time, 5400);
    assert_eq!(
        (trace.jobs()[1].submit, trace.jobs()[1].wait),
        (trace.jobs()[0].start_time(), Some(0))
    );
    let wanted = [
        ("ends-before-start", 1),
        ("run-for-requested-time", 1),
        ("start-before-submit", 1),
        ("clock-step", 2),
    ];
    assert_eq!(counts(&trace), wanted);
}

#[test]
fn outputs_of_sacct_put_together_count_a_job_once() {
    let one = "1|10|20|30|00:10|2|COMPLETED|n[1-2]\n";
    let text = format!(
        "{HEADER}{one}2|11|20|Unknown|00:10|2|RUNNING|n3\n{HEADER}{one}2|11|20|40|00:10|2|COMPLETED|n3\n"
    );
    let trace = trace(&text).unwrap();
    assert_eq!(
        trace
            .jobs()
            .iter()
            .map(|j| (j.id, j.run))
            .collect::<Vec<_>>(),
        [(1, 10), (2, 10)]
    );
    assert!(counts(&trace).contains(&("same-again", 1)));
    assert_eq!(trace.tally().count_lines(Reason::RunTimeCut), 1);
}

#[test]
fn wrong_sacct_rows_are_refused() {
    let with = |id: &str, start: &str, limit: &str, nodes: &str| {
        row(&format!("{id}|10|{start}|30|{limit}|{nodes}|COMPLETED|n1"))
    };
    refused(
        &records::SACCT,
        &[
            (String::new(), "jobs: found no jobs; expected a header line"),
            (
                "1|2|3\n".into(),
                "jobs:1: found no column JobIDRaw or JobID; expected a header line",
            ),
            (
                "JobID|Submit|Start|NNodes\n".into(),
                "jobs:1: found no column End; expected",
            ),
            (
                "JobID|Submit|Start|End|NNodes|Start\n".into(),
                "jobs:1: found column `Start` again, as column 6; expected",
            ),
            (
                row("1|10|20|30|05:00|1|COMPLETED"),
                "jobs:2: found 7 fields; expected the 8 of the header",
            ),
            (
                row("1|10|20|30|05:00|1|COMPLETED|n1|n2"),
                "jobs:2: found 9 fields; expected the 8 of the header",
            ),
            (
                with("x", "20", "05:00", "1"),
                "jobs:2: found job id `x`; expected a job id such as",
            ),
            (
                with("", "20", "05:00", "1"),
                "jobs:2: found job id ``; expected",
            ),
            (
                with("1", "soon", "05:00", "1"),
                "jobs:2: found start time `soon`; expected a time such as",
            ),
            (
                with("1", "2026-11-31T00:00:00", "1", "1"),
                "jobs:2: found start time `2026-11-31T00:00:00`; expected",
            ),
            (
                with("1", "20", "1:2:3:4", "1"),
                "jobs:2: found time limit `1:2:3:4`; expected a time such as",
            ),
            (
                with("1", "20", "05:00", "many"),
                "jobs:2: found nodes `many`; expected a number of nodes",
            ),
            (
                with("1", "20", "05:00", "-1"),
                "jobs:2: found nodes `-1`; expected",
            ),
            (
                with("1", "20", "05:00", "9999999G"),
                "jobs:2: found nodes `9999999G`; expected",
            ),
        ],
    );
    let error = read_bytes(&[HEADER.as_bytes(), b"1|10|20|30|05:00|1|\xff|n1\n"].concat());
    assert!(
        error.starts_with("jobs:2: found bytes that are not UTF-8; expected"),
        "{error}"
    );
}

fn read_bytes(bytes: &[u8]) -> String {
    let mut records =
        Records::from_lines(Lines::new("jobs", bytes), &records::SACCT, None).unwrap();
    records
        .read_next(&mut Record::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn tables_of_public_traces_are_known_by_their_header() {
    let pm100 = "job_id,submit_time,start_time,end_time,time_limit,num_nodes_alloc,nodes,job_state\n\
                 7,2020-05-01 00:00:00+00:00,2020-05-01 00:00:10+00:00,2020-05-01 00:01:10+00:00,30,2,\"[12, 13]\",COMPLETED\n";
    let (records, _) = read(&records::CSV, pm100).unwrap();
    let first = &records[0];
    assert_eq!(
        (first.run, first.limit, first.nodes, first.hosts.as_str()),
        (Some(60), Some(1800), 2, "12,13")
    );
    let helios = "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
                  9,u1,8,64,1,COMPLETED,2020-04-01 00:00:14,2020-04-01 00:00:15,2020-04-01 00:10:15,600,1\n\
                  10,u1,8,64,1,CANCELLED,2020-04-01 00:00:14,None,2020-04-01 00:10:15,0,1\n";
    let helios = trace(helios).unwrap();
    assert_eq!(
        (
            helios.jobs().len(),
            helios.jobs()[0].run,
            helios.tally().count_lines(Reason::NotStarted)
        ),
        (1, 600, 1)
    );
    let lassen = "allocation_id,job_submit_time,begin_time,end_time,num_nodes\n\
                  1,2018-11-01 10:00:00.123,2018-11-01 10:01:00,2018-11-01 10:02:00,4.0\n";
    assert_eq!(trace(lassen).unwrap().jobs()[0].nodes, 4);
    // Without a column of names rows are numbered.
    let lassen = lassen.replace("allocation_id,", "").replace("\n1,", "\n");
    assert_eq!(trace(&lassen).unwrap().jobs()[0].id, 1);
}

#[test]
fn columns_are_named_by_the_user() {
    let columns = Columns::parse("submit=at,run=seconds,list=where,limit=most").unwrap();
    let text = "at,seconds,where,most\n5,10,\"n[1-3],n7\",1:00\n6,,n2,\n";
    let mut records =
        Records::from_lines(Lines::new("t", text), &records::CSV, Some(&columns)).unwrap();
    let mut record = Record::default();
    assert!(records.read_next(&mut record).unwrap());
    assert_eq!(
        (record.job.as_str(), record.nodes, record.run, record.limit),
        ("1", 4, Some(10), Some(60))
    );
    assert!(records.read_next(&mut record).unwrap());
    assert_eq!((record.run, record.start, record.nodes), (None, None, 1));
    for (text, message) in [
        ("helix", "`--columns helix`: unknown table `helix`"),
        (
            "submit=a,end=b",
            "`--columns submit=a,end=b`: found too few columns to make a job of; expected submit or start",
        ),
        ("sumbit=a", "`--columns sumbit=a`: unknown key `sumbit`"),
        (
            "submit=",
            "`--columns submit=`: found `submit=`; expected KEY=NAME",
        ),
        (
            "submit=a,submit=b",
            "`--columns submit=a,submit=b`: found `submit` again; expected each key once",
        ),
    ] {
        let error = Columns::parse(text).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn wrong_tables_are_refused() {
    let head = "job_id,submit_time,start_time,end_time,node_num,state\n";
    let with = |row: &str| format!("{head}1,10,20,30,1,COMPLETED\n{row}\n");
    refused(
        &records::CSV,
        &[
            (String::new(), "jobs: found no jobs; expected a header line"),
            (
                "a,b,c\n".into(),
                "jobs:1: found a header that is none of a known table; expected --columns",
            ),
            (
                with("2,10,20,30,1"),
                "jobs:3: found 5 fields; expected the 6 of the header",
            ),
            (
                with("2,10,20,30,1,COMPLETED,x"),
                "jobs:3: found 7 fields; expected the 6 of the header",
            ),
            (
                with(",10,20,30,1,COMPLETED"),
                "jobs:3: found job ``; expected a name or number",
            ),
            (
                with("2,ten,20,30,1,COMPLETED"),
                "jobs:3: found submit `ten`; expected a time such as",
            ),
            (
                with("2,10,-20,30,1,COMPLETED"),
                "jobs:3: found start `-20`; expected",
            ),
            (
                with("2,10,20,2026-11-22,1,COMPLETED"),
                "jobs:3: found end `2026-11-22`; expected",
            ),
            (
                with("2,10,20,30,1.5,COMPLETED"),
                "jobs:3: found nodes `1.5`; expected a whole number",
            ),
            (
                with("2,10,20,30,\"1,COMPLETED"),
                "jobs:3: found `2,10,20,30,\"1,COMPLETED`; expected each quote closed",
            ),
            (
                with("2,10,20,30,9999999999,COMPLETED"),
                "jobs:3: found nodes `9999999999`; expected",
            ),
        ],
    );
}

#[test]
fn placements_come_back_as_they_were_written() {
    let text = std::fs::read_to_string(data("sacct.txt")).unwrap();
    let mut records =
        Records::from_lines(Lines::new("jobs", text.as_str()), &records::SACCT, None).unwrap();
    let mut out = Vec::new();
    let written = placements::write_placements::<Failed>(&mut records, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(written, 6);
    assert!(out.starts_with("job,submit,start,end,limit,nodes,node_list\n3,1795350019,1795350023,1795350323,600,2,\"n[06,11]\"\n"));
    assert!(out.contains("\n5,1795350019,1795350023,,,1,n10\n"));
    assert_eq!(records.tally().count_lines(Reason::NotStarted), 2);
    let (again, _) = read(&records::PLACEMENTS, &out).unwrap();
    let (records, _) = read(&records::SACCT, &text).unwrap();
    let records: Vec<&Record> = records
        .iter()
        .filter(|record| !record.hosts.is_empty())
        .collect();
    assert_eq!(again.len(), records.len());
    for (again, record) in again.iter().zip(records) {
        let key = |r: &Record| {
            (
                r.job.clone(),
                r.submit,
                r.start,
                r.run,
                r.limit,
                r.nodes,
                r.hosts.clone(),
            )
        };
        assert_eq!(key(again), key(record));
    }
}

/// Any failure.
#[derive(Debug)]
struct Failed;

impl From<nodeorder_base::error::Error> for Failed {
    fn from(_: nodeorder_base::error::Error) -> Self {
        Failed
    }
}

impl From<std::io::Error> for Failed {
    fn from(_: std::io::Error) -> Self {
        Failed
    }
}

#[test]
fn wrong_placements_are_refused() {
    let with = |row: &str| format!("{}\n{row}\n", placements::HEADER);
    refused(
        &records::PLACEMENTS,
        &[
            (String::new(), "jobs: found no jobs; expected a header line"),
            (
                "job,submit\n".into(),
                "jobs:1: found no column `start` (start); expected one of `job`, `submit`",
            ),
            (
                with("1,2,3,4,5,6"),
                "jobs:2: found 6 fields; expected the 7 of the header",
            ),
            (
                with("1,2,3,4,5,1,n[1,2]"),
                "jobs:2: found 8 fields; expected the 7 of the header",
            ),
            (
                with(",2,3,4,5,1,n1"),
                "jobs:2: found job ``; expected a name or number",
            ),
            (with("1,x,3,4,5,1,n1"), "jobs:2: found submit `x`; expected"),
            (
                with("1,2,3,4:00,5,1,n1"),
                "jobs:2: found end `4:00`; expected",
            ),
            (
                with("1,2,3,4,no,1,n1"),
                "jobs:2: found limit `no`; expected a time such as",
            ),
            (
                with("1,2,3,4,5,one,n1"),
                "jobs:2: found nodes `one`; expected a whole number",
            ),
        ],
    );
}

const BATSIM: &str = r#"{
  "nb_res": 8,
  "jobs": [
    {"id": 1, "subtime": 0, "walltime": 20, "res": 4, "profile": "ten"},
    {"id": "w0!2", "subtime": 5.5, "res": 2, "profile": "ten"},
    {"id": 3, "subtime": 9, "walltime": 20, "res": 2, "profile": "sum"}
  ],
  "profiles": {
    "ten": {"type": "delay", "delay": 10.2},
    "sum": {"type": "parallel_homogeneous", "cpu": 1e6, "com": 0}
  }
}"#;

#[test]
fn batsim_workloads_are_traces() {
    let (records, _) = read(&records::BATSIM, BATSIM).unwrap();
    assert_eq!(
        (records[0].run, records[0].limit, records[0].nodes),
        (Some(10), Some(20), 4)
    );
    assert_eq!(
        (records[1].job.as_str(), records[1].submit, records[1].limit),
        ("w0!2", Some(5), None)
    );
    let trace = trace(BATSIM).unwrap();
    assert_eq!(trace.jobs().len(), 2);
    assert!(
        counts(&trace).contains(&("other-profile", 1)),
        "{:?}",
        counts(&trace)
    );
    assert!(counts(&trace).contains(&("numbered-anew", 2)));
    // A document on one long line.
    let long = BATSIM.replace('\n', " ").replace(
        "\"nb_res\"",
        &format!("\"more\": \"{}\", \"nb_res\"", "x".repeat(3 << 20)),
    );
    assert_eq!(
        detect_kind(&mut Lines::new("t", long.as_str())).unwrap(),
        WorkloadKind::Records(&records::BATSIM)
    );
    assert_eq!(read(&records::BATSIM, &long).unwrap().0.len(), 2);
}

#[test]
fn wrong_batsim_workloads_are_refused() {
    let with = |from: &str, to: &str| {
        assert!(BATSIM.contains(from));
        BATSIM.replacen(from, to, 1)
    };
    refused(
        &records::BATSIM,
        &[
            (
                "{".into(),
                "jobs:1: found EOF while parsing an object; expected a Batsim workload",
            ),
            (
                "{}".into(),
                "jobs:1: found missing field `jobs`; expected a Batsim workload",
            ),
            (
                "{\"jobs\": []}".into(),
                "jobs: found no jobs; expected a Batsim workload",
            ),
            (
                with("\"res\": 4", "\"res\": -4"),
                "jobs:4: found invalid value: integer `-4`; expected u32",
            ),
            (
                with("\"res\": 4,", ""),
                "jobs:4: found missing field `res`; expected",
            ),
            (
                with("\"subtime\": 0", "\"subtime\": \"0\""),
                "jobs:4: found invalid type: string \"0\"; expected f64",
            ),
            (
                with("\"subtime\": 9", "\"subtime\": 1e20"),
                "jobs:6: found 100000000000000000000 seconds; expected a number",
            ),
            (
                with("\"id\": 3", "\"id\": [3]"),
                "jobs:6: found data did not match any variant",
            ),
            (
                with("\"profile\": \"sum\"", "\"profile\": \"nope\""),
                "jobs:6: found profile `nope`, which `profiles` does not have; expected",
            ),
            (
                with(", \"delay\": 10.2", ""),
                "jobs:4: found profile `ten` without its delay; expected \"delay\": seconds",
            ),
            (
                with("\"type\": \"delay\",", ""),
                "jobs:9: found missing field `type`; expected",
            ),
            (
                with("],\n  \"profiles\"", "]\n  \"profiles\""),
                "jobs:8: found text that is no JSON; expected `,` or `}`",
            ),
        ],
    );
}

const PHILLY: &str = r#"[
  {"status": "Pass", "vc": "ee9e8c", "jobid": "application_1_10258", "user": "ce2f4c",
   "submitted_time": "2017-10-03 22:53:38",
   "attempts": [
     {"start_time": "2017-10-03 22:53:40", "end_time": "2017-10-03 23:53:40",
      "detail": [{"ip": "m381", "gpus": ["gpu0", "gpu1"]}, {"ip": "m12", "gpus": ["gpu4"]}]},
     {"start_time": "2017-10-04 01:00:00", "end_time": null, "detail": [{"ip": "m381", "gpus": ["gpu0"]}]}
   ]},
  {"status": "Killed", "vc": "ee9e8c", "jobid": "application_1_10259", "user": "ce2f4c",
   "submitted_time": "2017-10-03 22:53:39", "attempts": []}
]"#;

#[test]
fn philly_attempts_are_records() {
    let (records, _) = read(&records::PHILLY, PHILLY).unwrap();
    assert_eq!(records.len(), 3);
    assert_eq!(
        (records[0].nodes, records[0].hosts.as_str(), records[0].run),
        (2, "m381,m12", Some(3600))
    );
    assert_eq!(
        (records[1].run, records[1].nodes, records[1].state),
        (None, 1, State::Completed)
    );
    assert_eq!(
        (records[2].start, records[2].nodes, records[2].state),
        (None, 0, State::Cancelled)
    );
    assert_eq!(
        counts(&trace(PHILLY).unwrap())[..2],
        [("not-started", 1), ("still-running", 1)]
    );
}

#[test]
fn wrong_philly_logs_are_refused() {
    let with = |from: &str, to: &str| {
        assert!(PHILLY.contains(from));
        PHILLY.replacen(from, to, 1)
    };
    refused(
        &records::PHILLY,
        &[
            ("[]".into(), "jobs: found no jobs; expected a list of jobs"),
            (
                "[".into(),
                "jobs:1: found EOF while parsing a list; expected a list of jobs",
            ),
            (
                "[1]".into(),
                "jobs:1: found invalid type: integer `1`; expected struct PhillyJob",
            ),
            (
                with("\"jobid\": \"application_1_10258\",", ""),
                "jobs:8: found missing field `jobid`; expected",
            ),
            (
                with("\"2017-10-03 22:53:38\"", "\"yesterday\""),
                "jobs:3: found `yesterday`; expected a time such as",
            ),
            (
                with("\"2017-10-03 23:53:40\"", "\"2017-13-03 23:53:40\""),
                "jobs:5: found `2017-13-03 23:53:40`; expected",
            ),
            (
                with("\"2017-10-03 22:53:40\"", "17"),
                "jobs:5: found invalid type: integer `17`; expected a string",
            ),
            (
                with("\"ip\": \"m12\", ", ""),
                "jobs:6: found missing field `ip`; expected",
            ),
            (
                with("\"attempts\": []", "\"attempts\": {}"),
                "jobs:10: found invalid type: map; expected a sequence",
            ),
        ],
    );
}

#[test]
fn further_fields_of_swf_are_counted() {
    let job =
        |id: u32, more: &str| format!("{id} 0 1 30 4 -1 -1 4 40 -1 1 1 1 1 1 1 -1 -1{more}\n");
    let trace = trace(&[job(1, " 7 8 9"), job(2, ""), job(3, " x y z")].concat()).unwrap();
    assert_eq!(
        (trace.jobs().len(), counts(&trace)),
        (3, vec![("more-fields", 2)])
    );
    let error = Trace::new(
        "t",
        job(1, "").replace(" -1 -1\n", " -1\n"),
        &Options::default(),
    )
    .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("t:1: found 17 fields; expected the 18 fields"),
        "{error}"
    );
}

#[test]
fn a_trace_in_swf_comes_back() {
    let trace = open::open_trace(&data("sacct.txt"), &Options::default()).unwrap();
    let text = convert::write_swf(&trace);
    let again = Trace::new("again", text.as_str(), &Options::default()).unwrap();
    let key = |t: &Trace| {
        t.jobs()
            .iter()
            .map(|j| nodeorder_trace::Job { line: 0, ..*j })
            .collect::<Vec<_>>()
    };
    assert_eq!(key(&again), key(&trace));
    assert!(
        again
            .header()
            .values_of_label("Partition")
            .eq(trace.header().values_of_label("Partition"))
    );
}

#[test]
fn jobs_beyond_the_memory_are_refused() {
    let rows: String = (1..2000)
        .map(|id| format!("{id}|10|20|30|05:00|1|COMPLETED|n1\n"))
        .collect();
    let options = Options {
        memory: 100_000,
        ..Options::default()
    };
    let lines = Lines::new("jobs", format!("{HEADER}{rows}"));
    let error = open::read_trace(lines, &options).unwrap_err().to_string();
    assert!(error.starts_with("jobs: the jobs needs about"), "{error}");
}

/// A pipe ends quietly, a wrong file ends with its line; every command that takes a trace takes records.
#[test]
fn commands_take_records_where_they_take_traces() {
    let folder = tempfile::tempdir().unwrap();
    let sacct = data("sacct.txt").display().to_string();
    let run = |arguments: &[&str]| {
        let output = crate::command()
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let done = |arguments: &[&str]| {
        let (code, out, said) = run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {said}");
        (out, said)
    };
    let info: serde_json::Value =
        serde_json::from_str(&done(&["trace", "info", &sacct, "--json"]).0).unwrap();
    assert_eq!(
        (&info["kind"], &info["jobs"]),
        (&"accounting of Slurm".into(), &5.into())
    );
    let machine = "fat-tree:k=4";
    let (rows, said) = done(&[
        "schedule",
        machine,
        "--order",
        "row-major",
        "--trace",
        &sacct,
        "--policy",
        "easy",
        "--alloc",
        "fifo:0",
    ]);
    assert_eq!(rows.lines().count(), 6);
    assert!(said.contains("left out 2: not started"), "{said}");
    let (rows, _) = done(&[
        "replay",
        machine,
        "--order",
        "row-major",
        "--log",
        &sacct,
        "--alloc",
        "first-fit:1",
    ]);
    assert_eq!(rows.lines().count(), 6);
    let (text, _) = done(&[
        "compare",
        machine,
        "--order",
        "row-major",
        "--trace",
        &sacct,
    ]);
    assert!(text.contains("5 jobs placed"), "{text}");
    done(&["trace", "convert", &sacct, "-o", "a.swf"]);
    done(&["trace", "convert", &sacct, "-o", "a.csv"]);
    done(&["trace", "convert", &sacct, "-o", "a.log"]);
    let first = |name: &str| {
        std::fs::read_to_string(folder.path().join(name))
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .to_string()
    };
    assert_eq!(
        (first("a.swf").as_str(), first("a.csv").as_str()),
        ("; Version: 2.2", placements::HEADER)
    );
    // All three are the same jobs.
    let logs = ["a.swf", "a.csv", "a.log"].map(|name| {
        let (rows, _) = done(&[
            "replay",
            machine,
            "--order",
            "row-major",
            "--log",
            name,
            "--alloc",
            "first-fit:1",
        ]);
        rows.lines()
            .skip(1)
            .map(|l| l.split(',').nth(2).unwrap().to_string())
            .collect::<Vec<_>>()
    });
    assert_eq!((&logs[0], &logs[0]), (&logs[1], &logs[2]));
    let plan = format!(
        "name = \"p\"\ntopologies = [\"{machine}\"]\norderings = [\"row-major\"]\nallocators = [\"fifo:0\"]\n\
         traces = [\"{sacct}\"]\npolicies = [\"easy\"]\n"
    );
    std::fs::write(folder.path().join("p.toml"), plan).unwrap();
    done(&["sweep", "run", "p.toml", "--out", "swept"]);
    for (arguments, message) in [
        (
            vec!["trace", "convert", "a.log", "--to", "placements"],
            "--to placements`: found a trace without lists of nodes",
        ),
        (
            vec!["trace", "convert", &sacct, "--columns", "pm100"],
            "a.txt:1: ",
        ),
        (
            vec!["trace", "convert", &sacct, "--from", "batsim"],
            ".txt:1: found text that is no JSON; expected value",
        ),
        (
            vec!["trace", "convert", &sacct, "--from", "swf"],
            "expected the 18 fields of a job",
        ),
    ] {
        let (code, out, said) = run(&arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{said}");
        let message = if message == "a.txt:1: " {
            "sacct.txt:1: found"
        } else {
            message
        };
        assert!(said.contains(message), "{said}");
    }
}

/// Tables that pyarrow wrote (tests/data/traces/parquet.py) hold what their rows say.
#[test]
#[cfg(feature = "parquet")]
fn tables_in_parquet_are_read_as_csv() {
    for (file, hosts) in [("micro", ["4,5,6,7", "9"]), ("nano", ["r4,r5,r6,r7", "r9"])] {
        let path = data(&format!("{file}.parquet"));
        let mut lines = Lines::open(&path, 1 << 20).unwrap();
        let mut header = String::new();
        while let Some(line) = lines.read_data_line().unwrap() {
            if header.is_empty() {
                header = line.text.to_string();
            }
        }
        assert!(
            header.starts_with("job_id,name,submit_time,start_time,end_time"),
            "{header}"
        );
        let lines = Lines::open(&path, 1 << 20).unwrap();
        let mut records = Records::from_lines(lines, &records::CSV, None).unwrap();
        let mut found = Vec::new();
        let mut record = Record::default();
        while records.read_next(&mut record).unwrap() {
            found.push((
                record.job.clone(),
                record.submit,
                record.start,
                record.run,
                record.limit,
            ));
            if let Some(hosts) = hosts.get(found.len() - 1) {
                assert_eq!(record.hosts, *hosts);
            }
        }
        let at = |seconds: i64| Some(1_590_000_000 + seconds);
        let row = |job: &str, submit, start, run, limit: i64| {
            (
                job.to_string(),
                at(submit),
                at(start),
                run,
                Some(60 * limit),
            )
        };
        let rows = [
            row("11", 0, 10, Some(600), 30),
            row("12", 60, 60, Some(60), 5),
            row("13", 90, 700, Some(600), 10),
            row("14", 95, 800, None, 10),
        ];
        assert_eq!(found, rows, "{file}");
    }
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.parquet");
    let bytes = std::fs::read(data("micro.parquet")).unwrap();
    for (bytes, message) in [
        (&b""[..], "no Parquet table ("),
        (&b"job_id,submit_time\n"[..], "no Parquet table ("),
        (&bytes[..bytes.len() - 9], "no Parquet table ("),
    ] {
        std::fs::write(&broken, bytes).unwrap();
        let error = Lines::open(&broken, 1 << 20).unwrap_err().to_string();
        assert!(
            error.contains(message) && error.contains("; expected a Parquet table"),
            "{error}"
        );
    }
    // A page that does not unpack: an error where it is read, and never an end.
    let mut spoilt = bytes.clone();
    spoilt[30..60].fill(0xff);
    std::fs::write(&broken, spoilt).unwrap();
    let mut lines = Lines::open(&broken, 1 << 20).unwrap();
    let end = loop {
        match lines.read_data_line() {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    assert!(
        end.is_some_and(|error| error.contains("broken.parquet")),
        "read to its end"
    );
}

/// A build without the feature says what it lacks.
#[test]
#[cfg(not(feature = "parquet"))]
fn parquet_needs_its_feature() {
    let error = Lines::open(&data("micro.parquet"), 1 << 20)
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("a nodeorder built with `--features parquet`"),
        "{error}"
    );
}
