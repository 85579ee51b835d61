//! Records as other programs print and keep them: `sacct` without columns, in JSON, in quotes and in floats; `#` in a
//! row; folders with files that say nothing.

use nodeorder_base::Lines;
use nodeorder_trace::records::{self, CSV, JOBCOMP, Record, SACCT, SACCT_JSON};
use nodeorder_trace::{Options, Trace};
use proptest::prelude::*;

use super::field::{done, run, with};
use super::{read, trace};

/// Name, submit, start, run time, nodes and list of each job.
type Row = (String, Option<i64>, Option<i64>, Option<i64>, u32, String);

fn rows(records: &[Record]) -> Vec<Row> {
    let row = |r: &Record| {
        let name = r.job.clone();
        (name, r.submit, r.start, r.run, r.nodes, r.hosts.clone())
    };
    records.iter().map(row).collect()
}

fn info(file: &str, text: &str, more: &[&str]) -> (serde_json::Value, String) {
    let (out, said) = done(
        file,
        text,
        &[&["trace", "info", file, "--json"], more].concat(),
    );
    (serde_json::from_str(&out).unwrap(), said)
}

const TABLE: &str = "name,job_id,submit_time,start_time,end_time,node_num,nodes,state\n";

/// CSV has no comments (RFC 4180): `#` begins a name as any other character does.
#[test]
fn a_number_sign_in_a_row_is_text() {
    let row = |name: &str, id: u32| {
        format!(
            "{name},{id},2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,2,\"n1,n2\",COMPLETED\n"
        )
    };
    let text = format!(
        "# of a site\n{TABLE}{}{}{}{}",
        row("x", 1),
        row("#2", 2),
        row("run#3", 3),
        row("\"a #4, b\"", 4)
    );
    let (records, counts) = read(&CSV, &text).unwrap();
    let found: Vec<&str> = records.iter().map(|r| r.job.as_str()).collect();
    assert_eq!((found, counts.len()), (vec!["1", "2", "3", "4"], 0));
    assert!(
        records
            .iter()
            .all(|r| r.hosts == "n1,n2" && r.run == Some(3600))
    );
}

proptest! {
    /// A table whose cells are written with quotes where CSV wants them, whatever is in them, reads as it was.
    #[test]
    fn any_text_in_quotes_is_one_cell(names in prop::collection::vec("[ -~é]{0,12}", 1..6), all in any::<bool>()) {
        let mut text = TABLE.to_string();
        for (id, name) in names.iter().enumerate() {
            let name = if all || name.contains(['"', ',']) || name.starts_with(' ') {
                format!("\"{}\"", name.replace('"', "\"\""))
            } else {
                name.clone()
            };
            // A row of blanks alone is no row.
            text += &format!("{name},{id},1,2,9,1,n{id},COMPLETED\n");
        }
        let (records, _) = read(&CSV, &text).unwrap();
        let found: Vec<String> = records.iter().map(|r| format!("{} {}", r.job, r.hosts)).collect();
        let wanted: Vec<String> = (0..names.len()).map(|id| format!("{id} n{id}")).collect();
        prop_assert_eq!(found, wanted);
    }

    /// Whole numbers as a table of floats has them are the same trace.
    #[test]
    fn floats_that_are_whole_are_whole(jobs in prop::collection::vec((0i64..99, 1i64..99, 1u32..9, -1i32..9), 1..9), at in 0usize..18) {
        let line = |(id, (submit, run, nodes, user)): (usize, &(i64, i64, u32, i32))| {
            [id as i64, *submit, 0, *run, i64::from(*nodes), -1, -1, i64::from(*nodes), 200, -1, 1, i64::from(*user), -1, -1, -1, 1, -1, -1]
        };
        let read = |float: bool| {
            let words = |fields: [i64; 18]| {
                let word = |(i, n): (usize, i64)| if float && i <= at { format!("{n}.0") } else { n.to_string() };
                fields.into_iter().enumerate().map(word).collect::<Vec<_>>().join(" ") + "\n"
            };
            let text: String = jobs.iter().enumerate().map(line).map(words).collect();
            Trace::new("t", text, &Options::default()).unwrap()
        };
        let [floats, whole] = [read(true), read(false)];
        prop_assert_eq!(floats.jobs(), whole.jobs());
    }
}

/// A table that a spreadsheet or a data frame kept: quotes round lists, round everything, and none.
#[test]
fn quotes_come_off_whatever_the_delimiter() {
    let fields = [
        [
            "JobIDRaw", "Submit", "Start", "End", "NNodes", "State", "NodeList",
        ],
        [
            "1",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:10",
            "2024-01-01T00:10:00",
            "2",
            "COMPLETED",
            "n[1,3]",
        ],
        [
            "2",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:10",
            "2024-01-01T00:10:00",
            "2",
            "COMPLETED",
            "n1,n7",
        ],
        [
            "3",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:10",
            "2024-01-01T00:10:00",
            "3",
            "COMPLETED",
            "n[1-2,4]",
        ],
    ];
    let plain = fields.map(|row| row.join("|")).join("\n") + "\n";
    let (wanted, _) = read(&SACCT, &plain).unwrap();
    assert_eq!(wanted.len(), 3);
    for delimiter in ["|", ",", ";", "\t"] {
        for all in [true, false] {
            let quote = |word: &str| {
                if all || word.contains([',', ';']) {
                    format!("\"{word}\"")
                } else {
                    word.to_string()
                }
            };
            let text = fields.map(|row| row.map(quote).join(delimiter)).join("\n") + "\n";
            let (found, counts) = read(&SACCT, &text).unwrap();
            assert_eq!((rows(&found), counts.len()), (rows(&wanted), 0), "{text}");
            // The same table by the names of its columns.
            let columns =
                "job=JobIDRaw,submit=Submit,start=Start,end=End,nodes=NNodes,list=NodeList";
            let (out, _) = done(
                "t",
                &text,
                &[
                    "trace",
                    "convert",
                    "t",
                    "--to",
                    "placements",
                    "--columns",
                    columns,
                ],
            );
            assert_eq!(out.lines().count(), 4, "{out}");
            assert!(
                out.contains("2,1704067200,1704067210,1704067800,,2,\"n1,n7\""),
                "{out}"
            );
        }
    }
    // In sacct's own output a quote is a part of a name.
    let text = "JobIDRaw|Start|End|NNodes|NodeList|JobName\n1|5|9|1|n1|\"a\n2|5|9|1|n2|b\"\n";
    let (found, _) = read(&SACCT, text).unwrap();
    assert_eq!(found.len(), 2);
}

/// Two jobs of `sacct --json` (23.11), one that runs and one that waits.
const JSON: &str = r#"{"jobs":[
 {"job_id":7,"allocation_nodes":2,"nodes":"n[01-02]","partition":"p","user":"u","state":{"current":["COMPLETED"],"reason":"None"},
  "time":{"elapsed":100,"end":1704067310,"start":1704067210,"submission":1704067200,"limit":{"set":true,"infinite":false,"number":60}},"steps":[{"time":{"end":1}}]},
 {"job_id":8.0,"allocation_nodes":{"set":true,"infinite":false,"number":1.0},"nodes":"n03","state":{"current":"RUNNING"},
  "time":{"elapsed":50,"end":0,"start":1704067260,"submission":1704067205,"limit":{"set":false,"infinite":true,"number":0}}},
 {"job_id":9,"allocation_nodes":0,"nodes":"None assigned","state":{"current":["PENDING"]},
  "time":{"elapsed":0,"end":0,"start":0,"submission":1704067300}},
 {"job_id":10,"allocation_nodes":1,"nodes":"n04","state":{"current":["HOVERING"]},
  "time":{"elapsed":10,"end":1704067310,"start":1704067300,"submission":1704067300}}],
 "meta":{"plugin":{"type":"openapi/slurmdbd"},"slurm":{"version":{"major":"23"}}},"errors":[]}"#;

#[test]
fn accounting_in_json_is_read() {
    let (records, counts) = read(&SACCT_JSON, JSON).unwrap();
    let time = |second: i64| Some(1_704_067_200 + second);
    let row = |name: &str, submit, start, run, nodes, hosts: &str| -> Row {
        (name.into(), submit, start, run, nodes, hosts.into())
    };
    assert_eq!(
        rows(&records),
        [
            row("7", time(0), time(10), Some(100), 2, "n[01-02]"),
            row("8", time(5), time(60), None, 1, "n03"),
            row("9", time(100), None, None, 0, ""),
            row("10", time(100), time(100), Some(10), 1, "n04"),
        ]
    );
    assert_eq!(records[0].limit, Some(3600));
    assert_eq!(counts, [("unknown-state", 1)]);
    assert_eq!(trace(JSON).unwrap().jobs().len(), 2);
    let (found, said) = info("jobs.json", JSON, &[]);
    assert_eq!(found["jobs"], 2, "{found}");
    assert!(said.contains("still running") || found.to_string().contains("still-running"));
    // A cluster without jobs, and a document that is none.
    let empty = r#"{"jobs":[],"meta":{"plugin":{"type":"openapi/slurmdbd"},"slurm":{}}}"#;
    assert!(trace(empty).unwrap_err().to_string().contains("no jobs"));
    let error = read(&SACCT_JSON, "{\"jobs\":[\n{\"job_id\":1}]}")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("jobs:2: found missing field `state`; expected"),
        "{error}"
    );
}

/// The columns that a question needs, and no more.
#[test]
fn submit_and_end_may_be_missing() {
    let (records, counts) = read(
        &SACCT,
        "JobID|Start|End|NNodes|NodeList\n1|2024-01-01T00:00:10|2024-01-01T01:00:00|2|n[01,05]\n",
    )
    .unwrap();
    assert_eq!(
        (records[0].submit, records[0].run),
        (records[0].start, Some(3590))
    );
    assert_eq!(counts, [("no-wait-time", 1)]);
    for (column, value, run) in [
        ("ElapsedRaw", "3590", Some(3590)),
        ("Elapsed", "00:59:50", Some(3590)),
        ("elapsed", "1-02:00:00", Some(93_600)),
        ("Elapsed", "", None),
    ] {
        let text = format!(
            "jobidraw|submit|start|{column}|nnodes|state|nodelist\n1|5|10|{value}|2|COMPLETED|n[1-2]\n"
        );
        let (records, _) = read(&SACCT, &text).unwrap();
        assert_eq!(records[0].run, run, "{text}");
        // Of a job that runs it is the time so far.
        let (records, _) = read(&SACCT, &text.replace("COMPLETED", "RUNNING")).unwrap();
        assert_eq!(records[0].run, None, "{text}");
    }
    let error = read(&SACCT, "JobID|Submit|Start|NNodes\n1|2|3|4\n")
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("jobs:1: found no column End; expected"),
        "{error}"
    );
}

#[test]
fn tables_for_people_are_refused_with_the_right_option() {
    let wide = "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n\
                ------------ ---------- ---------- ---------- ---------- ---------- -------- \n\
                12                  run          p          a          4  COMPLETED      0:0 \n";
    let (code, _, said) = with("t", wide, &["trace", "info", "t"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("t:1: found columns of fixed width") && said.contains("sacct -P"),
        "{said}"
    );
    let lines = "JobId=12 JobName=run\n   UserId=u(1) GroupId=g(1) MCS_label=N/A\n   JobState=RUNNING Reason=None\n\n";
    let (code, _, said) = with("t", lines, &["trace", "info", "t"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("t:2: found a job over several lines")
            && said.contains("scontrol -o show job"),
        "{said}"
    );
    // A line a job, as `-o` prints it.
    let joined = "JobId=12 JobName=run UserId=u(1) JobState=CONFIGURING TimeLimit=01:00:00 SubmitTime=2026-01-01T00:00:00 StartTime=2026-01-01T00:00:10 EndTime=2026-01-01T01:00:10 NodeList=n[0-3] NumNodes=4.0\n";
    let (records, _) = read(&JOBCOMP, joined).unwrap();
    assert_eq!(
        (records[0].run, records[0].nodes, records[0].start.is_some()),
        (None, 4, true)
    );
}

/// The nights in which clocks are set: run times that sacct counts itself are right, others are warned of.
#[test]
fn elapsed_time_beats_a_clock_that_was_set() {
    let header =
        |columns: &str| format!("JobIDRaw|Submit|Start|End|{columns}NNodes|State|NodeList\n");
    let jobs = |elapsed: [&str; 2]| {
        format!(
            "1|2025-03-30T01:00:00|2025-03-30T01:40:00|2025-03-30T03:20:00|{}1|COMPLETED|n1\n\
             2|2025-10-26T02:00:00|2025-10-26T02:40:00|2025-10-26T02:20:00|{}1|COMPLETED|n1\n",
            elapsed[0], elapsed[1]
        )
    };
    let told = header("ElapsedRaw|") + &jobs(["2400|", "2400|"]);
    let (records, counts) = read(&SACCT, &told).unwrap();
    let runs: Vec<_> = records.iter().map(|r| r.run).collect();
    assert_eq!((runs, counts.len()), (vec![Some(2400), Some(2400)], 0));
    let (records, counts) = read(&SACCT, &(header("") + &jobs(["", ""]))).unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!(counts, [("ends-before-start", 1), ("clock-step", 1)]);
}

#[test]
fn folders_say_what_they_leave_out() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs");
    std::fs::create_dir_all(logs.join("old")).unwrap();
    let text = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n1|1|2|9|1|n1\n";
    for (name, text) in [("a", ""), ("b", "\n  \n"), ("c", text), (".note", "x")] {
        std::fs::write(logs.join(name), text).unwrap();
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("gone", logs.join("link")).unwrap();
    let (code, out, said) = run(
        folder.path(),
        &["trace", "convert", "logs", "--to", "placements"],
    );
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{said}");
    for note in [
        "1 folders; the first: logs/old",
        "1 hidden files; the first: logs/.note",
        "1 empty files; the first: logs/a",
    ] {
        assert!(said.contains(&format!("logs: left out {note}")), "{said}");
    }
    if cfg!(unix) {
        assert!(
            said.contains("logs: left out 1 links that lead nowhere; the first: logs/link"),
            "{said}"
        );
    }
    let mut lines = Lines::open_all(std::slice::from_ref(&logs), 1 << 20)
        .unwrap()
        .0;
    assert_eq!(
        nodeorder_trace::open::detect_record_format(&mut lines)
            .unwrap()
            .map(|f| f.name),
        Some("sacct")
    );
    std::fs::remove_file(logs.join("b")).unwrap();
    std::fs::remove_file(logs.join("c")).unwrap();
    let (code, _, said) = run(folder.path(), &["trace", "info", "logs"]);
    assert_eq!(code, Some(1));
    assert!(
        said.contains("logs: found a folder without files to read (logs: left out 1 empty files"),
        "{said}"
    );
}

#[test]
fn a_schedule_of_no_jobs_is_an_error() {
    let swf = "1 0 0 10 400 -1 -1 400 20 -1 1 -1 -1 -1 -1 1 -1 -1\n";
    let arguments = [
        "schedule",
        "torus:4x4",
        "--trace",
        "t",
        "--order",
        "snake",
        "--policy",
        "easy",
        "--alloc",
        "fifo:0",
    ];
    let (code, out, said) = with("t", swf, &arguments);
    assert_eq!((code, out.as_str()), (Some(1), ""), "{said}");
    assert!(
        said.contains("t: found 1 jobs, left out for the reasons above; expected at least one"),
        "{said}"
    );
    assert!(
        said.contains("left out 1: larger than the machine"),
        "{said}"
    );
    assert_eq!(with("t", &swf.replace("400", "4"), &arguments).0, Some(0));
}

/// All formats of records are told apart by their examples' beginnings and by these.
#[test]
fn formats_in_json_are_told_apart() {
    let kind = |text: &str| {
        let mut lines = Lines::new("t", text);
        nodeorder_trace::open::detect_record_format(&mut lines)
            .unwrap()
            .map(|form| form.name)
    };
    assert_eq!(kind(JSON), Some(records::SACCT_JSON.name));
    let queue = r#"{"jobs":[{"job_id":1,"job_state":["RUNNING"],"allocation_nodes":1}],"meta":{"slurm":{}}}"#;
    assert_eq!(kind(queue), Some("squeue"));
    assert_eq!(kind(r#"{"jobs":[],"meta":{"slurm":{}}}"#), Some("squeue"));
    assert_eq!(
        kind(r#"{"nb_res":4,"jobs":[],"profiles":{}}"#),
        Some("batsim")
    );
}
