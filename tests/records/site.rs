//! Records as sites publish them: every real line and file at hand, another program's reading of the same log, and
//! files that are wrong.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::process::Command;

use nodeorder_base::Lines;
use nodeorder_trace::records::{self, JOBCOMP, PBS, Record, RecordFormat, SACCT, SQUEUE, TORQUE};

use super::field::{done, run, with};
use super::read;

/// Jobs by name, start and end, with their hosts.
fn jobs(form: &RecordFormat, text: &str) -> Vec<(String, Option<i64>, Option<i64>, String)> {
    let (records, _) = read(form, text).unwrap();
    records
        .into_iter()
        .map(|r| (r.job.clone(), r.start, r.end_time(), r.hosts))
        .collect()
}

/// A file beside the project, unpacked where it is packed.
fn shared(test: &str, name: &str) -> Option<String> {
    let path = crate::skip::shared(test, name)?;
    let mut lines = Lines::open(&path, 1 << 30).unwrap();
    let mut text = String::new();
    while let Some(line) = lines.read_line().unwrap() {
        text += &format!("{}\n", line.text().unwrap());
    }
    Some(text)
}

/// Lines of PBS on two machines of NCAR (NCAR/qhist, MIT, names replaced): a requeue is two runs of one job.
const QHIST: &str = "03/31/2025 10:59:20;S;4215033.casper-pbs;user=u account=\"A\" queue=htc ctime=1743440355 qtime=1743440355 etime=1743440355 start=1743440360 exec_host=crhtc65/34 exec_vnode=(crhtc65:ncpus=1:mem=1kb) Resource_List.walltime=06:00:00\n\
03/31/2025 10:59:25;R;4215033.casper-pbs;user=u account=\"A\" queue=htc ctime=1743440355 qtime=1743440355 etime=1743440355 start=1743440360 exec_host=crhtc65/34 exec_vnode=(crhtc65:ncpus=1:mem=1kb) Resource_List.walltime=06:00:00 session=0 end=1743440365 Exit_status=-3 run_count=1\n\
03/31/2025 10:59:31;S;4215033.casper-pbs;user=u account=\"A\" queue=htc ctime=1743440355 qtime=1743440355 etime=1743440355 start=1743440371 exec_host=crhtc65/34 exec_vnode=(crhtc65:ncpus=1:mem=1kb) Resource_List.walltime=06:00:00\n\
03/31/2025 10:59:35;E;4215033.casper-pbs;user=u account=\"A\" queue=htc ctime=1743440355 qtime=1743440355 etime=1743440355 start=1743440371 exec_host=crhtc65/34 exec_vnode=(crhtc65:ncpus=1:mem=1kb) Resource_List.walltime=06:00:00 session=0 end=1743440375 Exit_status=-1 run_count=2\n";

#[test]
fn a_requeue_is_two_runs_and_the_second_waits_since_the_first() {
    let (records, counts) = read(&PBS, QHIST).unwrap();
    let times: Vec<_> = records
        .iter()
        .map(|r| (r.submit, r.start, r.end_time()))
        .collect();
    let (a, b) = (1_743_440_355, 1_743_440_365);
    assert_eq!(times[0], (Some(a), Some(a + 5), Some(b)));
    assert_eq!(times[1], (Some(b), Some(b + 6), Some(b + 10)));
    assert_eq!((times.len(), counts.len()), (2, 0));
}

/// A job that gives nodes back twice is a run for each phase: u says the nodes of the phase that ends and, by the date
/// at its front, when; c and e those since. E says those of the start, whatever was given back.
#[test]
fn nodes_given_back_end_a_phase() {
    let start = 1_743_440_376;
    // The server's clock shows 10:59:36 then, six hours behind.
    let line = |after: u32, kind: &str, hosts: &str, more: &str| {
        let now = 39_576 + after;
        let (hour, minute, second) = (now / 3600, now / 60 % 60, now % 60);
        format!(
            "03/31/2025 {hour}:{minute:02}:{second:02};{kind};7.s;ctime=1743440355 start={start} exec_host={hosts} exec_vnode=(n) Resource_List.walltime=01:00:00{more}\n"
        )
    };
    let [all, two, one] = ["n1/0+n2/0*4+n3/0", "n1/0+n2/0*4", "n1/0"];
    let end = format!(" end={} Exit_status=0", start + 600);
    let lines = [
        line(0, "S", all, ""),
        line(60, "u", all, " session=5 run_count=1"),
        line(60, "c", two, ""),
        line(90, "u", two, " session=5 run_count=1"),
        line(90, "c", one, ""),
        line(600, "e", one, " session=5 run_count=1"),
        line(600, "E", all, &end),
    ];
    let without = |kinds: &str| {
        let kept = |line: &&String| !kinds.contains(&line[20..21]);
        lines.iter().filter(kept).cloned().collect::<String>()
    };
    type Phase = (i64, i64, Option<i64>, Option<i64>, String);
    let phase = |from: i64, to: i64, hosts: &str| -> Phase {
        let submit = if from == 0 { -21 } else { from };
        (
            submit,
            from,
            Some(to - from),
            Some(3600 - from),
            hosts.into(),
        )
    };
    let check = |log: &str, phases: &[Phase], counts: &[(&str, u64)]| {
        let (records, found) = read(&PBS, log).unwrap();
        let since = |time: Option<i64>| time.unwrap() - start;
        let known = |r: &Record| {
            (
                since(r.submit),
                since(r.start),
                r.run,
                r.limit,
                r.hosts.clone(),
            )
        };
        assert_eq!(
            records.iter().map(known).collect::<Vec<_>>(),
            phases,
            "{log}"
        );
        assert_eq!(found, counts, "{log}");
    };
    let phases = [
        phase(0, 60, "n1,n2,n3"),
        phase(60, 90, "n1,n2"),
        phase(90, 600, "n1"),
    ];
    check(&without(""), &phases, &[("phase", 2)]);
    // What c says, u and e say again; the end may be written twice, and another job's line may tell the clock.
    check(&without("c"), &phases, &[("phase", 2)]);
    check(
        &(without("") + &lines[6]),
        &phases,
        &[("same-again", 1), ("phase", 2)],
    );
    let other = lines[0]
        .replace("7.s", "8.s")
        .replace(&start.to_string(), "0");
    check(
        &(other.clone() + &without("S")),
        &[phase(0, 600, "n1,n2,n3")],
        &[("given-back", 2)],
    );
    let other = lines[0].replace("7.s", "8.s") + &lines[6].replace("7.s", "8.s");
    let (records, counts) = read(&PBS, &(other + &without("S"))).unwrap();
    assert_eq!((records.len(), counts), (4, vec![("phase", 2)]));
    // Without a clock it holds its nodes to the end; so it does where the line is cut off before them.
    check(
        &without("S"),
        &[phase(0, 600, "n1,n2,n3")],
        &[("given-back", 2)],
    );
    let torn = |line: &str| line[..line.find(" exec_vnode").unwrap()].to_string() + "\n";
    let cut = lines[0].clone() + &torn(&lines[1]) + &torn(&lines[2]) + &lines[6];
    check(&cut, &[phase(0, 600, "n1,n2,n3")], &[("torn-line", 2)]);
    // Queued again, or running on: the last phase.
    let again = without("E") + &lines[6].replace(";E;", ";R;");
    check(&again, &phases, &[("phase", 2)]);
    let mut on = phases.clone();
    on[2].2 = None;
    check(&without("eE"), &on, &[("phase", 2)]);
}

#[test]
fn every_real_line_of_accounting_is_read() {
    let Some(notes) = shared("every_real_line_of_accounting_is_read", "records.md") else {
        return;
    };
    let dated = |line: &&str| {
        line.get(2..3) == Some("/") && line.get(5..6) == Some("/") && line.contains(';')
    };
    // Cut out there: hosts between two others.
    let lines: Vec<String> = notes
        .lines()
        .filter(dated)
        .map(|line| line.replace("+…", ""))
        .collect();
    let wanted = [
        ("2994", 1_453_766_281, 1_453_766_437, "c1,c2,c3,c4,c5"),
        (
            "4037592",
            1_767_249_041,
            1_767_250_992,
            "dec2252,dec2277,dec2291,dec2295",
        ),
        ("4215033", 1_743_440_360, 1_743_440_365, "crhtc65"),
        ("6", 1_261_425_023, 1_261_427_220, "i02n33,i02n30"),
        (
            "5802977",
            1_328_114_090,
            1_328_118_988,
            "cla1a184,cla1a185,cla1b003,cla1b004",
        ),
        (
            "45",
            1_491_390_307,
            1_491_390_413,
            "node2801.banette.gent.vsc,node2803.banette.gent.vsc",
        ),
        (
            "6335144",
            1_489_799_118,
            1_489_813_275,
            "26742,26743,26728,26729",
        ),
    ];
    assert_eq!(lines.len(), wanted.len());
    for (line, (job, start, end, hosts)) in lines.iter().zip(wanted) {
        for form in [&PBS, &TORQUE] {
            let found = jobs(form, line);
            assert_eq!(
                found,
                [(job.into(), Some(start), Some(end), hosts.into())],
                "{line}"
            );
        }
    }
}

/// Every file of records that lies beside the project.
#[test]
fn every_file_of_records_is_read() {
    let test = "every_file_of_records_is_read";
    let file = |name: &str| shared(test, &format!("records/{name}"));
    let Some(oar) = file("oar_out_jobs.csv") else {
        return;
    };
    let read = |form: &RecordFormat, name: &str| read(form, &file(name).unwrap()).unwrap();
    let listed = |records: &[Record]| records.iter().filter(|r| !r.hosts.is_empty()).count();
    let (records, counts) = super::read(&records::CSV, &oar).unwrap();
    assert_eq!(
        (records.len(), listed(&records), counts.len()),
        (800, 800, 0)
    );
    assert_eq!(records[1].hosts, "20,19");
    let (records, _) = read(&records::CSV, "batsim_out_jobs.csv");
    assert_eq!(
        (records.len(), records[0].hosts.as_str(), records[0].nodes),
        (800, "[0-3]", 4)
    );
    let (records, counts) = read(&PBS, "qhist-pbs-20250331.log");
    assert_eq!((records.len(), counts.len()), (5, 0));
    let (records, _) = read(&PBS, "pbs.log");
    assert_eq!(records[0].hosts, "x4000c0s0b0n0,x4000c0s1b0n0");
    let (records, _) = read(&JOBCOMP, "jobcomp.log");
    let first = &records[0];
    assert_eq!(
        (first.job.as_str(), first.nodes, first.limit),
        ("12", 4, Some(3600))
    );
    assert_eq!(
        (first.run, first.hosts.as_str()),
        (Some(600), "n[0000-0003]")
    );
    // A text over two lines: its second has a separator, and might be of another row, so it is counted.
    let (records, counts) = read(&SACCT, "ml.txt");
    let nodes: Vec<u32> = records.iter().map(|r| r.nodes).collect();
    assert_eq!((nodes, counts), (vec![2, 4], vec![("torn-line", 1)]));
    let (records, _) = read(&records::CSV, "djc2.csv");
    assert_eq!((records[0].nodes, records[0].limit), (8, Some(7200)));
    // The thirteen runs as OAR wrote them have the jobs of the table made of them.
    let path = crate::skip::shared(test, "records/oar-g5k-hpc_alone-13x250.tar.gz").unwrap();
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_end(&mut tar)
        .unwrap();
    let (mut at, mut jobs) = (0, 0);
    while at + 512 <= tar.len() && tar[at] != 0 {
        let size = std::str::from_utf8(&tar[at + 124..at + 135])
            .unwrap()
            .trim();
        let size = usize::from_str_radix(size, 8).unwrap();
        if size > 0 {
            let text = std::str::from_utf8(&tar[at + 512..at + 512 + size]).unwrap();
            let (records, _) = super::read(&records::CSV, text).unwrap();
            assert_eq!(listed(&records), 250);
            jobs += records.len();
        }
        at += 512 + size.div_ceil(512) * 512;
    }
    assert_eq!(jobs, 3250);
}

/// What OAR did on Grid'5000 and Cobalt on Theta, by the figures of records.md; and the sum of `pm` over hops is that
/// of the rows.
#[test]
fn real_machines_are_scored() {
    let test = "real_machines_are_scored";
    let Some(oar) = crate::skip::shared(test, "records/oar-g5k-3250.csv.gz") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let columns = "job=job,submit=submit,start=start,end=end,nodes=nodes,list=list,limit=limit";
    let json = |arguments: &[&str]| -> serde_json::Value {
        let (code, out, said) = run(folder.path(), &[arguments, &["--json"]].concat());
        assert_eq!(code, Some(0), "{said}");
        serde_json::from_str(&out).unwrap()
    };
    let trace = oar.display().to_string();
    let found = json(&[
        "audit",
        "torus:8x16",
        "--trace",
        &trace,
        "--columns",
        columns,
        "--alloc",
        "first-fit:1",
        "--share",
        "0.3",
    ]);
    let [recorded, tried] = [0, 1].map(|i| &found["placements"][i]);
    let hops = |placement: &serde_json::Value| placement["mean_hops"].as_f64().unwrap();
    assert_eq!(
        (&recorded["jobs"], &found["left_out"]),
        (&3250.into(), &serde_json::json!([]))
    );
    assert_eq!(
        format!("{:.3} {:.3}", hops(recorded), hops(tried)),
        "3.269 3.130"
    );
    // The interval lies about the change, and the worst job is the worst of the rows.
    let change: Vec<f64> = serde_json::from_value(tried["change"].clone()).unwrap();
    assert!((change[0] - (hops(tried) / hops(recorded) - 1.0)).abs() < 1e-12);
    assert!(change[1] < change[0] && change[0] < change[2]);
    assert!(tried["node_hours_spared"].is_f64());
    assert_eq!(found["worst"].as_array().unwrap().len(), 10);
    let theta = shared(test, "records/theta-job-327220.txt").unwrap();
    let nids: Vec<&str> = theta.lines().collect();
    let line = format!(
        "04/03/2019 00:35:40;E;327220;ctime=1554249000.1 start=1554251537.81 exec_host=\"{}\" end=1554251740.2\n",
        nids.join(",")
    );
    std::fs::write(folder.path().join("theta"), line).unwrap();
    let found = json(&["audit", "cascade:16x6x12,per_router=4", "--trace", "theta"]);
    let recorded = &found["placements"][0];
    assert_eq!(format!("{:.4}", hops(recorded)), "2.6855");
    assert_eq!(recorded["levels"]["blade"]["spanned"], 851.0);
    let aurora = crate::skip::shared(test, "records/djc2.csv")
        .unwrap()
        .display()
        .to_string();
    let found = json(&["audit", "aurora", "--trace", &aurora, "--columns", "alcf"]);
    assert_eq!(
        (
            &found["placements"][0]["jobs"],
            &found["placements"][0]["nodes"]
        ),
        (&1.into(), &8.into())
    );
}

/// NCAR's own reader of PBS logs, where it is installed: the same runs, hosts and times.
#[test]
fn pbsparse_reads_the_same() {
    let test = "pbsparse_reads_the_same";
    let Some(path) = crate::skip::shared(test, "records/qhist-pbs-20250331.log") else {
        return;
    };
    let script = "import sys\nfrom pbsparse import get_pbs_records\n\
        for r in get_pbs_records(sys.argv[1], process=False):\n  \
        if r.type in 'ER': print(r.short_id, r.start, r.end, ','.join(sorted(set(r.get_nodes()))))\n";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(&path)
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        _ => return crate::skip::skipped(test, "needs pbsparse (pip install pbsparse)"),
    };
    let theirs: BTreeSet<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(String::from)
        .collect();
    let text = std::fs::read_to_string(path).unwrap();
    let ours = jobs(&PBS, &text).into_iter();
    let ours: BTreeSet<String> = ours
        .map(|(job, start, end, hosts)| {
            format!("{job} {} {} {hosts}", start.unwrap(), end.unwrap())
        })
        .collect();
    assert_eq!((ours.len(), ours), (5, theirs));
}

/// Days of a log in a folder, one of them packed, are one log: a job that runs over midnight is one run.
#[test]
fn days_of_a_log_are_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    std::fs::create_dir(&log).unwrap();
    let event = |day: u32, kind: &str, id: u32, start: u32, more: &str| {
        format!(
            "11/0{day}/2026 08:00:00;{kind};{id}.s;ctime=1793520000 start={start} exec_host=n0{id}/0*8{more}\n"
        )
    };
    let first = event(1, "S", 1, 1_793_520_000, "") + &event(1, "S", 2, 1_793_520_010, "");
    let second = event(2, "E", 1, 1_793_520_000, " end=1793606400");
    let third = event(3, "E", 2, 1_793_520_010, " end=1793692800") + &event(3, "E", 3, 9, " end=5");
    std::fs::write(log.join("20261101"), first.trim_end()).unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, second.as_bytes()).unwrap();
    std::fs::write(log.join("20261102.gz"), packed.finish().unwrap()).unwrap();
    std::fs::write(log.join("20261103"), &third).unwrap();
    for traces in [
        vec!["log"],
        vec!["log/20261101", "log/20261102.gz", "log/20261103"],
    ] {
        let mut arguments = vec!["audit", "torus:4x4"];
        traces
            .iter()
            .for_each(|trace| arguments.extend(["--trace", trace]));
        let (code, out, said) = run(folder.path(), &arguments);
        assert_eq!(code, Some(0), "{said}");
        let jobs: Vec<String> = out
            .lines()
            .skip(1)
            .map(|row| row[..1].to_string())
            .collect();
        assert_eq!(jobs, ["1", "2"]);
        assert!(
            said.contains("left out 1: ended before it started; the first: log/20261103:2\n"),
            "{said}"
        );
    }
    let (code, out, said) = run(folder.path(), &["trace", "info", "log"]);
    assert!(code == Some(0) && !out.contains("still"), "{out}{said}");
    // A line that is none is named by its own file.
    std::fs::write(log.join("20261102"), "nothing\n").unwrap();
    let (code, _, said) = run(folder.path(), &["audit", "torus:4x4", "--trace", "log"]);
    assert_eq!(code, Some(1));
    assert!(
        said.starts_with("error: log/20261102:1: found `nothing`"),
        "{said}"
    );
    // In another order the days are read, and it is said.
    std::fs::remove_file(log.join("20261102")).unwrap();
    let days = [
        "audit",
        "torus:4x4",
        "--trace",
        "log/20261103",
        "--trace",
        "log/20261101",
    ];
    let (_, _, said) = run(folder.path(), &days);
    assert!(
        said.contains("adjusted 2: dated more than a day before a line above it"),
        "{said}"
    );
}

const QUEUE: &str = r#"{"jobs":[
 {"job_id":7,"job_state":["RUNNING"],"submit_time":{"set":true,"infinite":false,"number":100},"start_time":{"set":true,"infinite":false,"number":160},
  "end_time":{"set":true,"infinite":false,"number":3760},"time_limit":{"set":true,"infinite":false,"number":60},"node_count":{"set":true,"number":2},
  "nodes":"n[00-01]","partition":"p","user_name":"u","segment_size":{"set":true,"number":2}},
 {"job_id":8,"job_state":["PENDING"],"submit_time":{"set":true,"number":100},"start_time":{"set":true,"number":9000},
  "end_time":{"set":true,"number":9900},"time_limit":{"set":true,"infinite":true,"number":0},"node_count":{"set":true,"number":4},"nodes":""},
 {"job_id":9,"job_state":"COMPLETED","submit_time":100,"start_time":110,"end_time":200,"time_limit":5,"node_count":1,"nodes":"n03"}
],"meta":{"slurm":{"version":{"major":"25"}}}}"#;

#[test]
fn the_queue_of_now_is_read() {
    let (records, counts) = read(&SQUEUE, QUEUE).unwrap();
    let known = |r: &Record| (r.start, r.run, r.limit, r.nodes, r.hosts.clone());
    let found: Vec<_> = records.iter().map(known).collect();
    let wanted = [
        (Some(160), None, Some(3600), 2, "n[00-01]".to_string()),
        (None, None, None, 4, String::new()),
        (Some(110), Some(90), Some(300), 1, "n03".into()),
    ];
    assert_eq!(
        (found.as_slice(), counts.len(), records[0].segment),
        (&wanted[..], 0, 2)
    );
    let (out, said) = done(
        "q.json",
        QUEUE,
        &["audit", "torus:4x4", "--trace", "q.json"],
    );
    assert_eq!(out.lines().count(), 3, "{out}");
    assert!(said.contains("left out 1: not started"), "{said}");
    // A queue without jobs is one, too.
    let (records, _) = read(&SQUEUE, r#"{"jobs": [], "meta": {"slurm": {}}}"#).unwrap();
    assert!(records.is_empty());
}

#[test]
fn texts_with_separators_and_line_breaks_are_decided_or_counted() {
    let head = "JobID|JobName|Submit|Start|End|NNodes|NodeList|State|SubmitLine\n";
    let row = |id: u32, name: &str, line: &str| {
        format!(
            "{id}|{name}|2026-01-01T00:00:00|2026-01-01T00:00:10|2026-01-01T00:10:10|2|n[00-01]|COMPLETED|{line}\n"
        )
    };
    let read = |rows: &str| {
        let (records, counts) = super::read(&SACCT, &format!("{head}{rows}")).unwrap();
        (
            records
                .iter()
                .map(|r| (r.job.clone(), r.nodes, r.run))
                .collect::<Vec<_>>(),
            counts,
        )
    };
    let job = |id: u32| (id.to_string(), 2, Some(600));
    for (name, line) in [
        ("a|b||c", "x"),
        ("a", "x | y\n z"),
        ("a\nb", "x"),
        ("a|\nb", "x\ny\nz"),
    ] {
        let (jobs, counts) = read(&(row(1, name, line) + &row(2, "plain", "x")));
        assert_eq!(
            (jobs, counts),
            (vec![job(1), job(2)], vec![]),
            "{name} {line}"
        );
    }
    // A further line with a separator may be of another row: it is counted.
    let (jobs, counts) = read(&(row(1, "a|b", "env | grep\n -v x | wc") + &row(2, "plain", "x")));
    assert_eq!(
        (jobs, counts),
        (vec![job(1), job(2)], vec![("torn-line", 1)])
    );
    // A row cut off takes nothing of the next with it.
    let (jobs, counts) = read(&format!(
        "1|a|2026-01-01T00:00:00|2026\n{}",
        row(2, "b", "x")
    ));
    assert_eq!((jobs, counts), (vec![job(2)], vec![("torn-line", 1)]));
    // Two ways to read a row: neither is taken.
    let two = "1|5|5|5|5|5|5|n1|x|x\n";
    let (jobs, counts) = read(&(two.to_string() + &row(2, "b", "x")));
    assert_eq!((jobs, counts), (vec![job(2)], vec![("unclear-fields", 1)]));
}

/// Segments count as broken where their nodes do not lie in one block.
#[test]
fn segments_that_broke_are_counted() {
    let text = "JobIDRaw|Submit|Start|End|NNodes|NodeList|SegmentSize\n\
        1|1|2|9|4|n[000-003]|4\n2|1|2|9|8|n[008-011,013-016]|4\n3|1|2|9|2|n[004,009]|0\n";
    let (out, _) = done(
        "s",
        text,
        &["audit", "fat-tree:k=8", "--trace", "s", "--json"],
    );
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        found["segments"],
        serde_json::json!({"jobs": 2, "whole": 2, "broken": 1})
    );
    let worst: Vec<&str> = found["worst"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["job"].as_str().unwrap())
        .collect();
    assert_eq!(worst, ["3", "2", "1"]);
}

/// Twelve ways in which a file of each format is wrong: refused with its line, or left out and counted.
#[test]
fn wrong_files_are_refused_or_counted() {
    let other = " unique_node_count=2 end=1793523610";
    for (list, unknown, more, own) in [
        ("n01/0+n02/0", "n01/0+x9/0", " end=1793523610", vec![]),
        (
            "n01/0-1+n02/0-1",
            "n01/0-1+x9/0,4",
            other,
            vec![
                (
                    " unique_node_count=2",
                    " unique_node_count=3",
                    "count-not-list",
                ),
                (
                    " unique_node_count=2",
                    " unique_node_count=two",
                    "log:2: found unique_node_count",
                ),
            ],
        ),
        (
            "\"1-2\"",
            "\"1,99\"",
            " end=1793523610.5",
            vec![
                ("-2\"", "-2", "unknown-host"),
                ("\"1-2\"", "\"2-1\"", "unknown-host"),
                ("\"1-2\"", "\"1,1\"", "host-twice"),
                (
                    "=1793520010",
                    "=1793520010..5",
                    "log:2: found start `1793520010..5`",
                ),
            ],
        ),
    ] {
        let good = format!(
            "11/01/2026 08:00:00;E;1.s;ctime=1793520000 start=1793520010 exec_host={list}{more}\n"
        );
        let mut cases = accounting(&good, list, unknown);
        cases.extend(
            own.into_iter()
                .map(|(from, to, wanted)| (good.replace(from, to), wanted)),
        );
        wrong("log", &good.replace("E;1.s", "E;0.s"), "", &cases);
    }
    let line = |id: &str| {
        format!(
            "JobId={id} UserId=u(1) Name=a b JobState=COMPLETED Partition=p TimeLimit=60 StartTime=2026-01-01T00:00:10 EndTime=2026-01-01T00:10:10 NodeList=n[01-02] NodeCnt=2 WorkDir=/x SubmitTime=2026-01-01T00:00:00 \n"
        )
    };
    let good = line("1");
    let jobcomp = [
        (good[..150].to_string() + "\n", "torn-line"),
        (good[60..].to_string(), "torn-line"),
        (good.trim_end().to_string() + &line("2"), "unclear-fields"),
        (good.replace("a b", "a NodeList=n07"), "unclear-fields"),
        (good.replace("00:10:10", "00:00:00"), "ends-before-start"),
        (
            good.replace("StartTime=2026-01-01T00:00:10", "StartTime=now"),
            "log:2: found StartTime `now`",
        ),
        (
            good.replace("TimeLimit=60", "TimeLimit=1:2:3:4"),
            "log:2: found TimeLimit",
        ),
        (
            good.replace("NodeCnt=2", "NodeCnt=two"),
            "log:2: found NodeCnt `two`",
        ),
        (good.replace("NodeCnt=2", "NodeCnt=3"), "count-not-list"),
        (good.replace("n[01-02]", "n[01,99]"), "unknown-host"),
        (good.replace("n[01-02]", "(null)"), "no-node-list"),
        (good.replace("JobId=1 ", "JobId=0 "), "same-again"),
        (good.replace("n[01-02]", "n01,n01"), "host-twice"),
    ];
    wrong("log", &line("0"), "", &jobcomp);
    let head = "JobIDRaw|JobName|Submit|Start|End|NNodes|NodeList|Comment\n";
    let line = |id: &str| format!("{id}|a|10|20|30|2|n[01-02]|x\n");
    let good = line("1");
    let sacct = [
        (good[..6].to_string() + "\n", "torn-line"),
        ("x|y\n".into(), "torn-line"),
        (
            good.replace("|20|", "|soon|"),
            "log:3: found start time `soon`",
        ),
        (good.replace("|30|", "|5|"), "ends-before-start"),
        (good.replace("n[01-02]", "n[01,99]"), "unknown-host"),
        (good.replace("|2|", "|3|"), "count-not-list"),
        (good.replace("n[01-02]", "n01,n01"), "host-twice"),
        (good.replace("|2|", "|x|"), "log:3: found nodes `x`"),
        (good.replace("|a|", "|5|5|5|"), "unclear-fields"),
        (line("0"), "same-again"),
        (line("1.batch"), "step"),
        (line("x"), "log:3: found job id `x`"),
        (good.replace("|30|", "|Unknown|") + &good, "still-running"),
    ];
    wrong("log", &(head.to_string() + &line("0")), "", &sacct);
    let job = |id: u32| {
        format!(
            "{{\"job_id\":{id},\"job_state\":[\"COMPLETED\"],\"submit_time\":1,\"start_time\":2,\"end_time\":9,\"time_limit\":5,\"node_count\":2,\"nodes\":\"n[01-02]\"}}"
        )
    };
    let good = job(1);
    let squeue = [
        (good[..60].to_string(), "log:2: found"),
        (
            good.replace("\"job_id\":1,", ""),
            "log:2: found missing field `job_id`",
        ),
        (
            good.replace("\"end_time\":9,", ""),
            "log:2: found missing field `end_time`",
        ),
        (
            good.replace(":9,", ":\"9\","),
            "log:2: found data did not match any variant",
        ),
        (
            good.replace("\"node_count\":2", "\"node_count\":\"two\""),
            "log:2: found data did not match any variant",
        ),
        (good.replace(":2,\"end", ":20,\"end"), "ends-before-start"),
        (good.replace("n[01-02]", "n[01,99]"), "unknown-host"),
        (good.replace("n[01-02]", "n01,n01"), "host-twice"),
        (
            good.replace("\"node_count\":2", "\"node_count\":3"),
            "count-not-list",
        ),
        (good.replace("n[01-02]", ""), "no-node-list"),
        (
            good.replace("COMPLETED", "PENDING").replace("n[01-02]", ""),
            "not-started",
        ),
        (
            good.replace("[\"COMPLETED\"]", "7"),
            "log:2: found data did not match any variant",
        ),
        (job(0), "same-again"),
    ];
    wrong("log", &format!("{{\"jobs\":[{},\n", job(0)), "]}", &squeue);
}

/// What goes wrong with a line that ends a run, in the accounting of PBS, Torque and Cobalt alike.
fn accounting(good: &str, list: &str, unknown: &str) -> Vec<(String, &'static str)> {
    let end = good.find("end=").unwrap();
    let bare = good[..good.find("ctime").unwrap()].replace(";E;1.s", ";R;9.s") + "\n";
    vec![
        (
            good[..good.find(list).unwrap() + 3].to_string(),
            "torn-line",
        ),
        (good[..end].to_string(), "torn-line"),
        (good[..end + 9].to_string(), "ends-before-start"),
        (good.replace("start=1793520010 ", ""), "not-started"),
        // Torque says how many there were.
        (
            good.replace(&format!("exec_host={list}"), ""),
            if good.contains("unique_node_count") {
                "no-node-list"
            } else {
                "no-processors"
            },
        ),
        (good.replace("11/01", "1/11"), "log:2: found"),
        (good.replace(";E;", ";?;"), "log:2: found"),
        (good.replace(";E;", ";i;"), "unknown-line"),
        (
            good.replace("ctime=1793520000", "ctime=soon"),
            "log:2: found ctime `soon`",
        ),
        (
            good.replace(" exec", " Resource_List.walltime=x exec"),
            "log:2: found",
        ),
        (good.replace(list, unknown), "unknown-host"),
        (good.replace("E;1.s", "E;0.s"), "same-again"),
        (good.replace("11/01/2026", "10/01/2026"), "clock-back"),
        (bare, "no-submit-time"),
        ("E;1.s;end=1\n".into(), "log:2: found"),
    ]
}

/// Each of the texts behind `first`, with `last` behind it, is refused with its line, or counted by its reason.
fn wrong(file: &str, first: &str, last: &str, cases: &[(String, &str)]) {
    assert!(cases.len() >= 12);
    for (text, wanted) in cases {
        let all = format!("{first}{text}{last}");
        let (code, out, said) = with(
            file,
            &all,
            &["audit", "torus:4x8", "--trace", file, "--json"],
        );
        if wanted.starts_with(file) {
            assert!(
                code == Some(1)
                    && said.starts_with(&format!("error: {wanted}"))
                    && said.contains("; expected"),
                "{text}{said}"
            );
            continue;
        }
        assert_eq!(code, Some(0), "{text}{said}");
        let found: serde_json::Value = serde_json::from_str(&out).unwrap();
        let reasons = ["left_out", "mended"]
            .map(|key| found[key].as_array().unwrap().clone())
            .concat();
        let counted = reasons
            .iter()
            .any(|reason| reason["reason"] == *wanted && reason["jobs"] == 1);
        assert!(counted, "{wanted}: {text}{said}");
    }
}
