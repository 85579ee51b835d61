//! The workload that `export --to batsim` writes, against `schedule`, which it must agree with, and against what a
//! workload is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use nodeorder_base::random;
use nodeorder_trace::{Options, open};
use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let mut command = crate::command();
    let said = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (said.status.success(), text(said.stdout), text(said.stderr))
}

/// 200 jobs of up to 20 nodes: some ask for less time than they take, one is larger than any machine here.
fn trace() -> String {
    let mut random = random::seed_generator(5);
    let mut below = |n: u64| random::random_below(n, &mut random) as i64;
    let (mut text, mut submit) = ("; MaxNodes: 64\n".to_string(), 0);
    for job in 1..=200 {
        submit += below(30);
        let (run, nodes) = (1 + below(200), if job == 77 { 999 } else { 1 + below(20) });
        let asked = (run + below(100) - 20).max(1);
        text +=
            &format!("{job} {submit} 0 {run} {nodes} -1 -1 {nodes} {asked} -1 1 1 1 1 1 1 -1 -1\n");
    }
    text
}

/// `2-3 7` written out; refuses what is not canonical.
fn expand(set: &str) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    for part in set.split(' ') {
        let (a, b) = part.split_once('-').unwrap_or((part, part));
        let (a, b): (u32, u32) = (a.parse().unwrap(), b.parse().unwrap());
        assert!(all.last().is_none_or(|last| last + 1 < a), "{set}");
        assert!(a < b || a == b && !part.contains('-'), "{set}");
        all.extend(a..=b);
    }
    all
}

/// Its fields are those of a workload, no resource has two jobs at once, and jobs have the nodes, in the order of
/// ranks, and the starts that `schedule` gives them.
#[test]
fn workloads_say_what_schedule_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("jobs.swf"), trace()).unwrap();
    let cases = [
        ("torus:4x4x4", "hilbert", "first-fit:8", "easy", "easy"),
        (
            "fat-tree:k=8,exclude=3-9",
            "random:seed=2",
            "slurm-best-fit:26",
            "fcfs",
            "fcfs",
        ),
        (
            "torus:5x4,per_router=2",
            "snake",
            "fifo",
            "conservative:interval=30",
            "conservative:interval=30",
        ),
        (
            "mesh:8x8",
            "row-major",
            "fifo:0",
            "window-bnb:window=5:slots=runs",
            "window-bnb:window=5,slots=runs",
        ),
    ];
    let mut mapped = 0;
    for (spec, by, alloc, policy, of_schedule) in cases {
        let to = format!("batsim:trace=jobs.swf,alloc={alloc},policy={policy}");
        let (good, _, error) = run(
            folder.path(),
            &[
                "export",
                spec,
                "--order",
                by,
                "--to",
                &to,
                "-o",
                "jobs.json",
            ],
        );
        assert!(good, "{error}");
        assert!(error.contains("jobs.swf: left out 1: "), "{error}");
        let document: Value =
            serde_json::from_slice(&std::fs::read(at("jobs.json")).unwrap()).unwrap();
        let resources = std::fs::read_to_string(at("jobs.json.resources")).unwrap();
        let rank_of: Vec<u32> = resources
            .lines()
            .skip(1)
            .zip(0..)
            .map(|(row, number)| {
                let fields: Vec<&str> = row.split(',').collect();
                assert_eq!(fields[0], format!("{number}"));
                fields[2].parse().unwrap()
            })
            .collect();
        assert_eq!(document["nb_res"], rank_of.len());
        assert!(
            document["description"]
                .as_str()
                .unwrap()
                .contains("left out 1"),
            "{spec}"
        );

        // What schedule gives each job: start, ranks.
        let (good, rows, error) = run(
            folder.path(),
            &[
                "schedule",
                spec,
                "--order",
                by,
                "--trace",
                "jobs.swf",
                "--policy",
                of_schedule,
                "--alloc",
                alloc,
                "--ranks",
            ],
        );
        assert!(good, "{error}");
        let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
        let (job, start, ranks) = (column("job"), column("start"), column("ranks"));
        let scheduled: BTreeMap<String, (String, Vec<u32>)> = rows
            .map(|row| (row[job].into(), (row[start].into(), expand(row[ranks]))))
            .collect();

        let jobs = document["jobs"].as_array().unwrap();
        assert_eq!((jobs.len(), scheduled.len()), (199, 199), "{spec}");
        let mut busy: BTreeMap<u32, BTreeSet<(u64, u64)>> = BTreeMap::new();
        for job in jobs {
            let number = |key: &str| job[key].as_u64().unwrap_or_else(|| panic!("{key}: {job}"));
            let text = |key: &str| job[key].as_str().unwrap_or_else(|| panic!("{key}: {job}"));
            let profile = &document["profiles"][text("profile")];
            assert_eq!(profile["type"], "delay");
            let delay = profile["delay"].as_u64().unwrap();
            assert!(
                delay < number("walltime") && number("subtime") <= number("start"),
                "{job}"
            );
            let alloc = expand(text("alloc"));
            assert_eq!(alloc.len() as u64, number("res"), "{job}");
            // Process i runs on this resource.
            let on: Vec<u32> = match &job["mapping"] {
                Value::Null => alloc.clone(),
                Value::Object(mapping) => {
                    mapped += 1;
                    assert_eq!(mapping.len(), alloc.len());
                    let place = |i: usize| mapping[&i.to_string()].as_str().unwrap();
                    (0..alloc.len())
                        .map(|i| alloc[place(i).parse::<usize>().unwrap()])
                        .collect()
                }
                other => panic!("{other}"),
            };
            let on: Vec<u32> = on
                .iter()
                .map(|resource| rank_of[*resource as usize])
                .collect();
            let (start, ranks) = &scheduled[text("id")];
            assert_eq!(
                (&number("start").to_string(), &on),
                (start, ranks),
                "{spec}: {job}"
            );
            for resource in alloc {
                busy.entry(resource)
                    .or_default()
                    .insert((number("start"), number("start") + delay));
            }
        }
        for times in busy.values() {
            let times: Vec<_> = times.iter().collect();
            assert!(
                times.windows(2).all(|pair| pair[0].1 <= pair[1].0),
                "{spec}: {times:?}"
            );
        }

        // Read back, the jobs are those of the trace.
        let options = Options {
            nodes: Some(rank_of.len() as u32),
            ..Options::default()
        };
        let back = open::open_trace(&at("jobs.json"), &options).unwrap();
        let first = open::open_trace(&at("jobs.swf"), &options).unwrap();
        assert_eq!(back.jobs().len(), 199);
        for (a, b) in back.jobs().iter().zip(first.jobs()) {
            let walltime = b.requested_time.max(b.run + 1);
            let found = (a.id, a.submit, a.run, a.nodes, a.requested_time);
            assert_eq!(found, (b.id, b.submit, b.run, b.nodes, walltime), "{spec}");
        }
    }
    assert!(mapped > 100, "{mapped}");
}

/// Resources are the hosts of the SimGrid platform, numbered by name.
#[test]
fn resources_are_the_hosts_of_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("jobs.swf"), trace()).unwrap();
    let machine = ["export", "torus:5x5,limit=23", "--order", "snake", "--to"];
    let export = |to: &str, file: &str| {
        let (good, _, error) = run(folder.path(), &[&machine[..], &[to, "-o", file]].concat());
        assert!(good, "{error}");
    };
    export("simgrid", "m.xml");
    export("batsim:trace=jobs.swf,alloc=fifo", "jobs.json");
    let hosts = std::fs::read_to_string(at("m.xml.hosts")).unwrap();
    let table = std::fs::read_to_string(at("jobs.json.resources")).unwrap();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    let mut by_rank = rows.clone();
    by_rank.sort_by_key(|row| row[2].parse::<u32>().unwrap());
    assert!(by_rank.iter().map(|row| row[1]).eq(hosts.lines()));
    let number = |name: &str| name.trim_start_matches('n').parse::<u32>().unwrap();
    assert!(
        rows.windows(2)
            .all(|pair| number(pair[0][1]) < number(pair[1][1])),
        "{table}"
    );
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.swf"), trace()).unwrap();
    std::fs::write(folder.path().join("odd.swf"), "; a\n1 2 3\n").unwrap();
    for (to, found) in [
        (
            "batsim",
            "`batsim`: found no `trace`; expected trace = a file of jobs",
        ),
        (
            "batsim:trace=jobs.swf",
            "expected alloc = the name of an allocator",
        ),
        ("batsim:trace=jobs.swf,alloc=fif", "did you mean `fifo`?"),
        ("batsim:trace=jobs.swf,alloc=first-fit:x", "gap"),
        (
            "batsim:trace=jobs.swf,alloc=fifo,policy=eazy",
            "did you mean `easy`?",
        ),
        (
            "batsim:trace=jobs.swf,alloc=fifo,walltime=3",
            "unknown key for batsim `walltime`",
        ),
        (
            "batsim:trace=jobs.swf,alloc=fifo,procs_per_node=0",
            "procs_per_node",
        ),
        ("batsim:trace=odd.swf,alloc=fifo", "odd.swf:2: "),
        ("batsim:trace=none.swf,alloc=fifo", "none.swf"),
    ] {
        let arguments = [
            "export",
            "torus:4x4",
            "--order",
            "snake",
            "--to",
            to,
            "-o",
            "x.json",
        ];
        let (good, _, error) = run(folder.path(), &arguments);
        assert!(!good && error.contains(found), "{to}: {error}");
        assert!(!folder.path().join("x.json").exists(), "{to}");
    }
}
