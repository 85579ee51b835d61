//! Records as sites have them: what is read, joined, left out or refused, and what is said of it.

use std::path::Path;

use nodeorder_base::Lines;
use nodeorder_trace::records::{CSV, Columns, Record, Records};
use proptest::prelude::*;

/// Runs the command in a folder: exit code, standard output, standard error.
pub(super) fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A folder with one file, and what the command says of it.
pub(super) fn with(file: &str, text: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    run(folder.path(), arguments)
}

/// As [`with`], for a command that succeeds: standard output and standard error.
pub(super) fn done(file: &str, text: &str, arguments: &[&str]) -> (String, String) {
    let (code, out, said) = with(file, text, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {said}");
    (out, said)
}

/// The jobs of a file as recorded placements: all rows, and what is said.
fn placements(file: &str, text: &str, more: &[&str]) -> (Vec<String>, String) {
    let arguments = [&["trace", "convert", file, "--to", "placements"], more].concat();
    let (out, said) = done(file, text, &arguments);
    (out.lines().skip(1).map(str::to_string).collect(), said)
}

fn info(file: &str, text: &str, more: &[&str]) -> serde_json::Value {
    let (out, _) = done(
        file,
        text,
        &[&["trace", "info", file, "--json"], more].concat(),
    );
    serde_json::from_str(&out).unwrap()
}

const DROP: &str = "; MaxNodes: 16\n\
    1 -50 0 10 4 -1 -1 4 20 -1 1 -1 -1 -1 -1 1 -1 -1\n\
    2 5 0 10 0 -1 -1 0 20 -1 1 -1 -1 -1 -1 1 -1 -1\n\
    3 6 0 10 400 -1 -1 400 20 -1 1 -1 -1 -1 -1 1 -1 -1\n\
    4 7 0 -1 4 -1 -1 4 20 -1 1 -1 -1 -1 -1 1 -1 -1\n\
    5 8 0 10 4 -1 -1 4 20 -1 1 -1 -1 -1 -1 1 -1 -1\n\
    6 9 -1 10 4 -1 -1 4 5 -1 1 -1 -1 -1 -1 1 -1 -1\n";

#[test]
fn every_conversion_says_what_it_leaves_out_and_mends() {
    let wanted = [
        "left out 1: submit time unknown",
        "left out 1: processors zero or unknown",
        "left out 1: larger than the machine",
        "left out 1: run time zero or unknown",
        "adjusted 1: run time cut at the requested time",
        "adjusted 1: start unknown, taken to be the submit",
    ];
    for to in [
        &["--to", "swf"][..],
        &["--to", "log", "-o", "x.log"],
        &["-o", "x.swf"],
    ] {
        let (_, said) = done("x", DROP, &[&["trace", "convert", "x"], to].concat());
        wanted
            .iter()
            .for_each(|text| assert!(said.contains(&format!("x: {text}")), "{said}"));
        assert_eq!(said.lines().count(), wanted.len(), "{said}");
    }
    // What is made of records says it, too, and counts what was read.
    let sacct =
        "JobIDRaw|Submit|Start|End|NNodes\n1|10|20|30|2\n1.0|10|20|30|2\n2|10|20|Unknown|1\n";
    let transform = ["trace", "transform", "x", "--replicate", "3"];
    let (_, said) = done("x", sacct, &transform);
    assert!(said.contains("left out 1: step of a job; the first: line 3\nx: left out 1: still running; the first: line 4\n"), "{said}");
    assert!(said.ends_with("jobs: 3, from 1 of the 3 read\n"), "{said}");
}

const WORKERS: &str = "job_id,submit_time,start_time,end_time,node_num,nodes\n\
    7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n01\n\
    8,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,1,n04\n\
    7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n02\n\
    7,2024-01-01 00:00:00,2024-01-01 00:01:00,2024-01-01 01:01:00,3,n09\n";

#[test]
fn rows_of_workers_are_one_job() {
    let (rows, said) = placements("w.csv", WORKERS, &[]);
    assert_eq!(
        rows,
        [
            "7,1704067200,1704067260,1704070860,,3,\"n01,n02,n09\"",
            "8,1704067200,1704067260,1704070860,,1,n04",
        ]
    );
    assert_eq!(
        said,
        "w.csv: adjusted 2: row joined with the first of its job\n"
    );
    let (rows, said) = done(
        "w.csv",
        WORKERS,
        &["audit", "torus:4x4", "--trace", "w.csv"],
    );
    assert_eq!(rows.lines().count(), 3);
    assert!(rows.lines().nth(1).unwrap().starts_with("7,3,"), "{rows}");
    assert!(
        said.contains("adjusted 2: row joined with the first of its job"),
        "{said}"
    );
    // Workers on one host, and workers without hosts.
    let lingjun = "job_name,worker_name,gmt_job_running,gmt_job_finished,host_ip,gpus\n\
        j1,w0,2023-08-01 00:00:00,2023-08-01 01:00:00,h1,8\n\
        j1,w1,2023-08-01 00:00:00,2023-08-01 01:00:00,h2,8\n\
        j1,w2,2023-08-01 00:00:00,2023-08-01 02:00:00,h2,8\n";
    let (rows, _) = placements("l.csv", lingjun, &[]);
    assert_eq!(rows, ["j1,1690848000,1690848000,1690855200,,2,\"h1,h2\""]);
    let head = "job_id,submit_time,start_time,end_time,node_num,state,worker\n";
    let unnamed = |nodes: [u32; 3]| {
        let row = |(i, n): (usize, &u32)| format!("7,0,60,3660,{n},COMPLETED,w{i}\n");
        head.to_string() + &nodes.iter().enumerate().map(row).collect::<String>()
    };
    for nodes in [[1, 1, 1], [3, 3, 3]] {
        let known = info("u.csv", &unnamed(nodes), &[]);
        assert_eq!(
            (&known["jobs"], &known["largest"]),
            (&1.into(), &3.into()),
            "{known}"
        );
        assert_eq!(known["mended"]["rows-joined"], 2);
    }
    let known = info("u.csv", &unnamed([5, 5, 5]), &[]);
    assert_eq!(
        (&known["jobs"], &known["left_out"]["unclear-rows"]),
        (&0.into(), &1.into())
    );
}

/// What is held back is bounded: rows that come later are counted, never made jobs of their own.
#[test]
fn rows_far_from_their_job_are_counted() {
    let row = |job: u32, host: u32| format!("{job},5,60,{},n{host}\n", 3660 + job);
    let head = "job,submit,start,end,list\n";
    let between: String = (1..9000).map(|job| row(job, job)).collect();
    let text = format!("{head}{}{between}{}{}", row(0, 1), row(0, 2), row(0, 1));
    let columns = [
        "--columns",
        "job=job,submit=submit,start=start,end=end,list=list",
    ];
    let (rows, said) = placements("far.csv", &text, &columns);
    assert_eq!(rows.len(), 9000);
    assert_eq!(rows[0], "0,5,60,3660,,1,n1");
    let wanted = "far.csv: left out 1: the same row again; the first: line 9003\n\
        far.csv: left out 1: row of a job too far from its other rows, sort the file by job; the first: line 9002\n";
    assert_eq!(said, wanted);
}

#[test]
fn counts_that_contradict_their_list_are_never_scored() {
    let text = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n\
        1|10|20|30|5|n[00-01]\n2|10|20|30|2|n[00-01]\n3|10|20|30|3|n[02-04]\n";
    let (rows, said) = done("s", text, &["audit", "torus:4x4", "--trace", "s"]);
    let jobs: Vec<&str> = rows.lines().skip(1).map(|row| &row[..3]).collect();
    assert_eq!(jobs, ["2,2", "3,3"]);
    assert!(
        said.contains(
            "s: left out 1: with a node count other than its list has; the first: line 2\n"
        ),
        "{said}"
    );
    let (swf, said) = done("s", text, &["trace", "convert", "s", "--to", "swf"]);
    assert_eq!(swf.lines().filter(|line| !line.starts_with(';')).count(), 3);
    assert!(
        said.contains("adjusted 1: with a node count other than its list has, the count taken")
    );
    let (code, _, said) = with(
        "s",
        &text[..text.find("2|10").unwrap()],
        &["audit", "torus:4x4", "--trace", "s"],
    );
    assert_eq!(code, Some(1));
    // A rounded count is that of its list.
    let rounded = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n1|10|20|30|1.5K|n[1-1500]\n";
    assert_eq!(
        placements("r", rounded, &[]).0,
        ["1,10,20,30,,1500,n[1-1500]"]
    );
    assert!(
        said.contains("no job that could be scored: 1 with a node count other than"),
        "{said}"
    );
}

const FRONTIER: &str = "; Version: 2.2\n; MaxNodes: 9408\n\
    1 0 10 3600 280000 -1 -1 280000 7200 -1 1 5 5 -1 1 -1 -1 -1 20000 7200 frontier:excl:2500x112\n\
    2 60 10 3600 4 -1 -1 4 7200 -1 1 5 5 -1 1 -1 -1 -1 32 7200 frontier:excl:4x112\n\
    3 60 10 3600 448 -1 -1 448 7200 -1 1 5 5 -1 1 -1 -1 -1 32 7200 frontier:excl:4x112\n\
    4 60 10 3600 99999 -1 -1 99999 7200 -1 1 5 5 -1 1 -1 -1 -1 32 7200 frontier:excl:9409x112\n";

#[test]
fn field_21_of_frontier_is_the_node_count() {
    let known = info("f.swf", FRONTIER, &[]);
    assert_eq!(
        (&known["jobs"], &known["node_hours"]),
        (&3.into(), &2508.0.into()),
        "{known}"
    );
    assert_eq!(known["left_out"]["larger-than-machine"], 1);
    assert_eq!(known["mended"]["nodes-of-field-21"], 3);
    assert_eq!(known["mended"]["other-processors"], 1);
    let (swf, said) = done(
        "f.swf",
        FRONTIER,
        &["trace", "convert", "f.swf", "--to", "swf"],
    );
    assert!(swf.contains("\n1 0 10 3600 2500 -1 -1 2500 7200 "), "{swf}");
    assert!(
        said.contains("adjusted 3: node count read from field 21, partition:mode:NODESxCPUS\n")
    );
    assert!(said.contains("adjusted 1: processors (field 8, or 5) other than NODES times CPUS"));
    // Further fields stay on the line of their job.
    let (changed, _) = done("f.swf", FRONTIER, &["trace", "transform", "f.swf"]);
    let lines: Vec<&str> = changed
        .lines()
        .filter(|line| !line.starts_with(';'))
        .collect();
    assert_eq!(lines, FRONTIER.lines().skip(2).take(3).collect::<Vec<_>>());
    assert!(changed.ends_with('\n'));
    // A field beyond it is not read, and said.
    let more = FRONTIER.replace("frontier:excl:4x112", "frontier:excl:4x112 9");
    assert_eq!(info("f.swf", &more, &[])["mended"]["more-fields"], 2);
    // Any other text there is left alone.
    let other = FRONTIER.replace("frontier:excl:4x112", "x:y");
    assert_eq!(info("f.swf", &other, &[])["mended"]["more-fields"], 2);
}

#[test]
fn milliseconds_are_told_from_seconds() {
    let text = "job_id,submit_time,start_time,end_time,node_num,state\n\
        1,1704067200000,1704067260000,1704070800000,4,COMPLETED\n\
        2,1704067300000,1704067360000,1704074400000,8,COMPLETED\n";
    let known = info("m.csv", text, &[]);
    let hours = |known: &serde_json::Value| known["node_hours"].as_f64().unwrap();
    assert!((hours(&known) - 19.578).abs() < 1e-3, "{known}");
    assert_eq!(known["mended"]["milliseconds"], 2);
    let known = info("m.csv", text, &["--columns", "helios,unit=ms"]);
    assert!((hours(&known) - 19.578).abs() < 1e-3 && known["mended"]["milliseconds"].is_null());
    let known = info("m.csv", text, &["--columns", "helios,unit=s"]);
    assert!((hours(&known) - 19_577.8).abs() < 0.1, "{known}");
    // A length is too small to show its unit.
    let text = "at,run,nodes\n1704067200000,3600,4\n";
    let columns = |unit: &str| format!("start=at,run=run,nodes=nodes{unit}");
    let (code, _, said) = with(
        "r.csv",
        text,
        &["trace", "info", "r.csv", "--columns", &columns("")],
    );
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with("error: r.csv:2: found run `3600`; expected unit=s or unit=ms"),
        "{said}"
    );
    let known = info("r.csv", text, &["--columns", &columns(",unit=ms")]);
    assert_eq!(
        (&known["first_submit"], hours(&known)),
        (&1_704_067_200.into(), 4.0 * 3.0 / 3600.0)
    );
    let (code, _, said) = with(
        "r.csv",
        text,
        &["trace", "info", "r.csv", "--columns", &columns(",unit=us")],
    );
    assert!(
        code == Some(1) && said.contains("found `unit=us`; expected unit=s or unit=ms"),
        "{said}"
    );
}

#[test]
fn accounting_of_pbs_is_read() {
    let text = "11/01/2026 08:00:00;Q;101.sdb;user=ada queue=prod ctime=1793520002\n\
        11/01/2026 08:00:03;S;101.sdb;user=ada queue=prod ctime=1793520002 start=1793520003 exec_host=n01/0*8+n02/0*8\n\
        11/01/2026 08:00:03;S;103.sdb;user=ada queue=prod ctime=1793520002 start=1793520003 exec_host=n07/0*8\n\
        11/01/2026 08:10:03;R;101.sdb;user=ada queue=prod ctime=1793520002 start=1793520003 end=1793520603 exec_host=n01/0*8+n02/0*8\n\
        11/01/2026 08:20:03;S;101.sdb;user=ada queue=prod ctime=1793520002 start=1793521203 exec_host=n01/0*8+n09/0*8\n\
        11/01/2026 09:20:03;E;101.sdb;user=ada queue=prod project=\"a start=5 b\" ctime=1793520002 start=1793521203 end=1793524803 exec_host=n01/0*4+n01/1*4+n09/0*8 Resource_List.nodect=3 Resource_List.walltime=02:00:00 Exit_status=0\n\
        11/01/2026 09:20:04;E;102[].sdb;user=ada array_indices=0-1 ctime=1793520002 end=1793524803\n\
        11/01/2026 09:20:04;E;104.sdb;user=ada ctime=1793520002\n\
        11/01/2026 09:20:05;L;license;floating license hour:3\n\
        11/01/2026 09:20:05;i;x;\n";
    let (rows, said) = placements("log", text, &[]);
    let wanted = [
        "101,1793520002,1793520003,1793520603,,2,\"n01,n02\"",
        "101,1793520603,1793521203,1793524803,7200,2,\"n01,n09\"",
        "103,1793520002,1793520003,,,1,n07",
    ];
    assert_eq!(rows, wanted);
    assert_eq!(
        said,
        "log: left out 1: not started; the first: line 8\nlog: left out 1: line of an unknown type; the first: line 10\n"
    );
    let known = info("log", text, &[]);
    assert_eq!(
        (&known["kind"], &known["jobs"]),
        (&"accounting of PBS".into(), &2.into())
    );
    let (scored, _) = done(
        "log",
        text,
        &["audit", "torus:4x4", "--trace", "log", "--from", "pbs"],
    );
    assert_eq!(scored.lines().count(), 4);
    let (code, _, said) = with(
        "log",
        &format!("{text}nothing\n"),
        &["trace", "info", "log"],
    );
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with("error: log:11: found `nothing`; expected a line of an accounting log"),
        "{said}"
    );
}

/// Torque says neither hosts nor times of a run that is queued again; the clock at the front is five hours behind.
#[test]
fn accounting_of_torque_and_cobalt_is_read() {
    let text = "04/05/2017 06:05:07;S;45.m;user=u queue=q ctime=1491390300 start=1491390307 exec_host=n1/0-3,8-11+n2/0-3\n\
        04/05/2017 06:06:07;R;45.m;\n\
        04/05/2017 06:10:07;S;45.m;user=u queue=q ctime=1491390300 start=1491390607 exec_host=n1/1+n1/0+n3/1+n3/0\n\
        04/05/2017 06:20:07;E;45.m;user=u queue=q ctime=1491390300 start=1491390607 exec_host=n1/1+n1/0+n3/1+n3/0 end=1491391207 unique_node_count=2\n";
    let (rows, _) = placements("t", text, &["--from", "torque"]);
    let wanted = [
        "45,1491390300,1491390307,1491390367,,2,\"n1,n2\"",
        "45,1491390367,1491390607,1491391207,,2,\"n1,n3\"",
    ];
    assert_eq!(rows, wanted);
    let cobalt = "04/03/2019 00:35:40;E;327220;user=u ctime=1554249000.1 start=1554251537.81 exec_host=\"0-2,6\" Resource_List.walltime=1:00:00 end=1554251740.2\n";
    let (rows, _) = placements("c", cobalt, &[]);
    assert_eq!(
        rows,
        ["327220,1554249000,1554251537,1554251740,3600,4,\"[0-2],6\""]
    );
    let (scored, _) = done(
        "c",
        cobalt,
        &["audit", "torus:4x4", "--trace", "c", "--from", "cobalt"],
    );
    assert!(
        scored.lines().nth(1).unwrap().starts_with("327220,4,"),
        "{scored}"
    );
}

/// Every named set of columns: by its name, and by its header where no other set has the same.
#[test]
fn tables_of_named_sets_are_read() {
    let day = "2025-03-01 00:00:00,2025-03-01 00:00:10,2025-03-01 01:00:10";
    let at = "1740787200,1740787210,1740790810";
    let sets = [
        (
            "alcf",
            "COBALT_JOBID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,WALLTIME_SECONDS,NODES_USED,LOCATION",
            format!("1,{day},7200,2,\"x4102c0s0b0n0,x4105c3s2b0n0\""),
            "7200,2,\"x4102c0s0b0n0,x4105c3s2b0n0\"",
        ),
        (
            "pm100",
            "job_id,submit_time,start_time,end_time,time_limit,num_nodes_alloc,nodes",
            format!("1,{day},120,2,\"[4, 9]\""),
            "7200,2,\"4,9\"",
        ),
        (
            "adastra",
            "job_id,submit_time,start_time,end_time,time_limit,num_nodes_alloc,nodes",
            format!("1,{day},7200,2,['x2000c0s0b0' 'x2000c0s0b1']"),
            "7200,2,\"x2000c0s0b0,x2000c0s0b1\"",
        ),
        (
            "lassen",
            "allocation_id,job_submit_time,begin_time,end_time,num_nodes,node_name",
            format!("1,{day},2,lassen5\n1,{day},2,lassen7"),
            ",2,\"lassen5,lassen7\"",
        ),
        (
            "kestrel",
            "job_id,submit_time,start_time,end_time,nodes_required,nodes",
            format!("1,{day},3,\"x1000[1-2],x7\""),
            ",3,\"x1000[1-2],x7\"",
        ),
        (
            "oar",
            "jobID,submission_time,starting_time,finish_time,requested_time,requested_number_of_resources,allocated_resources",
            "1,1740787200.0,1740787210.0,1740790810.0,7200.0,3,48 43-44".into(),
            "7200,3,\"48,[43-44]\"",
        ),
        (
            "lingjun",
            "job_name,gmt_job_running,gmt_job_finished,host_ip",
            "1,2025-03-01 00:00:00,2025-03-01 01:00:00,h1".into(),
            ",1,h1",
        ),
        (
            "helios",
            "job_id,submit_time,start_time,end_time,node_num,state,nodes",
            format!("1,{day},1,COMPLETED,g1"),
            ",1,g1",
        ),
    ];
    for (set, header, rows, wanted) in sets {
        let text = format!("{header}\n{rows}\n");
        let (named, _) = placements("t.csv", &text, &["--columns", set]);
        let times = if set == "lingjun" {
            "1740787200,1740787200,1740790800"
        } else {
            at
        };
        assert_eq!(named, [format!("1,{times},{wanted}")], "{set}");
        let (known, said) = placements("t.csv", &text, &[]);
        match set {
            // Its header is that of PM100, whose limits are in minutes: that is said.
            "adastra" => assert!(
                said.contains("adjusted 1: time limit read as minutes (--columns adastra"),
                "{said}"
            ),
            _ => assert_eq!(known, named, "{set}"),
        }
    }
    let philly = "[{\"jobid\":\"a\",\"submitted_time\":\"2017-10-03 22:53:38\",\"attempts\":[{\"start_time\":\"2017-10-03 22:53:40\",\
        \"end_time\":\"2017-10-03 23:53:40\",\"detail\":[{\"ip\":\"m1\"},{\"ip\":\"m2\"}]}]}]";
    let (rows, _) = placements("p", philly, &["--columns", "philly"]);
    assert_eq!(rows, ["a,1507071218,1507071220,1507074820,,2,\"m1,m2\""]);
}

#[test]
fn sacct_of_every_delimiter_is_read_and_other_files_are_called_what_they_are() {
    let text = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n1|10|20|30|3|n[1-2,4]\n";
    for delimiter in ["|", ",", ";", "\t"] {
        // Commas in brackets are no delimiters.
        let list = text.replace('|', delimiter);
        let (rows, _) = placements("s", &list, &[]);
        assert_eq!(rows, ["1,10,20,30,,3,\"n[1-2,4]\""], "{delimiter}");
    }
    let bare = "1|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:10:00|2|n[0-1]\n";
    let header = "rows of a table without its header, such as those of sacct --noheader";
    for (text, found) in [
        (bare.to_string(), header),
        (bare.replace('|', ";"), header),
        (bare.replace('|', ","), header),
        (
            "a,b,c,d,e\n1,2,3,4,5\n".into(),
            "a table of jobs whose header is not known",
        ),
    ] {
        for arguments in [
            &["trace", "convert", "s"][..],
            &["audit", "torus:4x4", "--trace", "s"],
        ] {
            let (code, _, said) = with("s", &text, arguments);
            assert_eq!(code, Some(1));
            assert!(
                said.starts_with(&format!("error: s:1: found {found}: ")),
                "{said}"
            );
        }
    }
}

#[test]
fn profiles_of_batsim_run_or_are_named() {
    let text = r#"{"nb_res":8,"jobs":[
        {"id":"a","subtime":0,"walltime":100,"res":4,"profile":"d"},
        {"id":"b","subtime":1,"walltime":100,"res":4,"profile":"s"},
        {"id":"c","subtime":2,"walltime":100,"res":4,"profile":"p"},
        {"id":"e","subtime":3,"walltime":100,"res":4,"profile":"m"}],
        "profiles":{"d":{"type":"delay","delay":10},"s":{"type":"composed","repeat":3,"seq":["d","d"]},
        "p":{"type":"parallel_homogeneous","cpu":1e9,"com":1e6},"m":{"type":"composed","seq":["d","p"]}}}"#;
    let (swf, said) = done(
        "b.json",
        text,
        &["trace", "convert", "b.json", "--to", "swf"],
    );
    let runs: Vec<&str> = (swf.lines().filter(|line| !line.starts_with(';')))
        .map(|line| line.split(' ').nth(3).unwrap())
        .collect();
    assert_eq!(runs, ["10", "60"]);
    let wanted = "left out 2: profile that says no run time (delays and sequences of delays do)\n";
    assert!(
        said.contains(wanted) && !said.contains("not started"),
        "{said}"
    );
}

/// The figure comes first, the table is folded, and times of a trace that begins at 0 tell its rows apart.
#[test]
fn the_page_of_an_audit_shows_its_figure_first() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..60)
        .map(|i| {
            let (start, end) = (3600 * i, 3600 * i + 60);
            format!("{i},{start},{start},{end},,2,\"n0{},n1{}\"\n", i % 8, i % 4)
        })
        .collect();
    let text = format!("job,submit,start,end,limit,nodes,node_list\n{rows}");
    std::fs::write(folder.path().join("p.csv"), text).unwrap();
    let (code, _, said) = run(
        folder.path(),
        &["audit", "torus:4x4", "--trace", "p.csv", "--out", "o"],
    );
    assert_eq!(code, Some(0), "{said}");
    let page = std::fs::read_to_string(folder.path().join("o/index.html")).unwrap();
    let time = &page[page.find("Over time</h2>").unwrap()..];
    let (figure, table) = (
        time.find("<figure").unwrap(),
        time.find("<details><summary>The table (").unwrap(),
    );
    assert!(figure < table && table < time.find("<table").unwrap());
    assert!(time.contains("day 0, 06:00") && !page.contains("day 0.0"));
}

proptest! {
    /// Against a grouping by hand: jobs in the order of their first rows, hosts in the order in which they came.
    #[test]
    fn rows_are_joined_as_grouped(rows in prop::collection::vec((0u32..6, 0i64..3, 0u32..9), 1..40)) {
        let mut groups: Vec<((u32, i64), Vec<u32>)> = Vec::new();
        for (job, start, host) in &rows {
            match groups.iter_mut().find(|(key, _)| *key == (*job, *start)) {
                Some((_, hosts)) if hosts.contains(host) => {}
                Some((_, hosts)) => hosts.push(*host),
                None => groups.push(((*job, *start), vec![*host])),
            }
        }
        let line = |(job, start, host): &(u32, i64, u32)| format!("{job},{start},9,n{host}\n");
        let text = format!("j,s,e,l\n{}", rows.iter().map(line).collect::<String>());
        let columns = Columns::parse("job=j,start=s,end=e,list=l").unwrap();
        let mut records = Records::from_lines(Lines::new("t", text), &CSV, Some(&columns)).unwrap();
        let (mut record, mut found) = (Record::default(), Vec::new());
        while records.read_next(&mut record).unwrap() {
            found.push((record.job.clone(), record.start, record.nodes, record.hosts.clone()));
        }
        let wanted: Vec<_> = groups.iter().map(|((job, start), hosts)| {
            let names: Vec<String> = hosts.iter().map(|host| format!("n{host}")).collect();
            (job.to_string(), Some(*start), hosts.len() as u32, names.join(","))
        }).collect();
        prop_assert_eq!(found, wanted);
    }
}
