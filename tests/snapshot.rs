//! `nodeorder snapshot`: made-up queues against the definition, the page, and what is refused.

use std::collections::BTreeSet;
use std::path::Path;

use nodeorder_base::NodeId;
use nodeorder_network::Context;
use nodeorder_network::catalog;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

/// What the command prints on both streams, and whether it succeeds.
fn run(folder: &Path, arguments: &str) -> (String, String, bool) {
    let mut command = crate::command();
    let output = command
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.success(),
    )
}

fn document(folder: &Path, arguments: &str) -> Value {
    let (out, said, done) = run(folder, arguments);
    assert!(done, "{arguments}: {said}");
    serde_json::from_str(&out).unwrap()
}

/// A job as Slurm 24.11 prints it: its start, minutes, nodes as a host list, and the count of these.
fn job(id: u32, state: &str, start: i64, minutes: Option<i64>, nodes: &str, count: usize) -> Value {
    let number = |n: i64| json!({"set": true, "infinite": false, "number": n});
    let limit = minutes.map_or(json!({"set": false, "infinite": true, "number": 0}), number);
    let end = minutes.map_or(0, |m| start + 60 * m);
    json!({"job_id": id, "job_state": [state], "submit_time": number(500), "start_time": number(start),
           "end_time": number(end), "time_limit": limit, "node_count": number(count as i64), "nodes": nodes})
}

fn node(name: &str, states: &[&str]) -> Value {
    json!({"nodes": {"nodes": [name], "total": 1}, "node": {"state": states}, "partition": {"name": "p"}})
}

fn write(folder: &Path, name: &str, document: Value) {
    std::fs::write(folder.join(name), document.to_string()).unwrap();
}

/// A fat tree of 16 nodes: leaves of 2, pods of 4. Job 1 holds the first pod but for n03, which is drained; job 2
/// half of the second pod; job 3, without a limit, n08 and n09; job 4 waits for three nodes and job 5 for nine.
fn cluster(folder: &Path) {
    let jobs = [
        job(1, "RUNNING", 1000, Some(60), "n[00-02]", 3),
        job(2, "RUNNING", 1500, Some(30), "n[04-05]", 2),
        job(3, "RUNNING", 900, None, "n[08-09]", 2),
        job(4, "PENDING", 0, Some(10), "", 3),
        job(5, "PENDING", 0, Some(10), "", 9),
    ];
    write(
        folder,
        "jobs.json",
        json!({"jobs": jobs, "errors": [], "warnings": []}),
    );
    let state = |id: u32| match id {
        0..=2 | 4 | 5 | 8 | 9 => vec!["ALLOCATED"],
        3 => vec!["IDLE", "DRAIN"],
        10 => vec!["IDLE", "PLANNED"],
        11 => vec!["DOWN", "NOT_RESPONDING"],
        _ => vec!["IDLE"],
    };
    let nodes = (0..16).map(|id| node(&format!("n{id:02}"), &state(id)));
    let login = node("login1", &["IDLE"]);
    write(
        folder,
        "nodes.json",
        json!({"sinfo": nodes.chain([login]).collect::<Vec<_>>()}),
    );
}

/// Holds that what is drawn between two events stays what it was: every piece of a curve is level or upright.
fn check_steps(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let curves = document
        .descendants()
        .filter(|node| node.attribute("stroke-width") == Some("1.8"));
    let mut pieces = 0;
    for curve in curves {
        let data = curve.attribute("d").unwrap();
        for piece in data.split('l').skip(1) {
            let piece = piece.split('M').next().unwrap().replace('-', " -");
            let numbers: Vec<f64> = piece
                .split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect();
            assert!(numbers.contains(&0.0), "a slope: {data}");
            pieces += 1;
        }
    }
    assert!(pieces > 2, "{svg}");
}

/// Jobs whose nodes boot (CONFIGURING, POWER_UP_NODE) hold them; a requeued one whose last run still ends does, too.
/// Now is when the queue was asked.
#[test]
fn jobs_whose_nodes_boot_hold_them_and_now_is_when_the_queue_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let stated = |id: u32, states: &[&str], nodes: &str, count: usize| {
        let mut job = job(id, "", 1000, Some(120), nodes, count);
        job["job_state"] = json!(states);
        job
    };
    let jobs = [
        stated(1, &["RUNNING", "CONFIGURING"], "n[00-03]", 4),
        stated(2, &["CONFIGURING"], "n[04-05]", 2),
        stated(3, &["PENDING", "REQUEUED", "COMPLETING"], "n06", 1),
        stated(4, &["PENDING", "REQUEUED"], "", 3),
        stated(5, &["PENDING", "REVOKED"], "", 3),
    ];
    let asked = json!({"set": true, "infinite": false, "number": 4600});
    write(
        folder,
        "jobs.json",
        json!({"jobs": jobs, "last_update": asked}),
    );
    let found = document(folder, "snapshot fat-tree:k=4 --jobs jobs.json --json");
    let counts =
        ["free", "held", "running", "waiting", "latest"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(counts, [9, 7, 3, 1, 4600]);
    // Until 1000 + 7200 are 3600 s from there.
    let (out, _, done) = run(folder, "snapshot fat-tree:k=4 --jobs jobs.json");
    assert!(
        done && out.contains("1.00") && !out.contains("2.00"),
        "{out}"
    );
    // Nodes: a job's reboot holds them, a word that is not known keeps jobs away and is said.
    write(folder, "jobs.json", json!({"jobs": []}));
    let state = |id: u32| match id {
        0 => vec!["ALLOCATED", "REBOOT_ISSUED"],
        1 => vec!["IDLE", "BLOCKED"],
        2 => vec!["IDLE", "POWERED_DOWN", "CLOUD"],
        3 => vec!["IDLE", "HAUNTED"],
        4 => vec!["IDLE", "POWERING_DOWN"],
        _ => vec!["DOWN"],
    };
    let nodes: Vec<Value> = (0..16)
        .map(|id| node(&format!("n{id:02}"), &state(id)))
        .collect();
    write(folder, "nodes.json", json!({"sinfo": nodes}));
    write(
        folder,
        "jobs.json",
        json!({"jobs": [job(1, "RUNNING", 1000, None, "n00", 1)]}),
    );
    let (out, said, done) = run(
        folder,
        "snapshot fat-tree:k=4 --jobs jobs.json --nodes nodes.json --json",
    );
    assert!(done, "{said}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let counts = ["free", "held", "out"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(counts, [1, 2, 13]);
    assert!(
        said.contains("noted 1: nodes of an unknown state, taken as out; the first:")
            && said.contains("HAUNTED"),
        "{said}"
    );
}

#[test]
fn what_fits_what_blocks_it_and_when_it_is_freed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cluster(folder);
    let found = document(
        folder,
        "snapshot fat-tree:k=4 --jobs jobs.json --nodes nodes.json --json",
    );
    let of = |key: &str| found[key].as_u64().unwrap();
    let counts = [
        "nodes",
        "free",
        "held",
        "out",
        "running",
        "waiting",
        "waiting_that_fit",
    ]
    .map(of);
    // Free are n06, n07, n10 and the fourth pod.
    assert_eq!((counts, of("latest")), ([16, 7, 7, 2, 3, 2, 1], 1500));
    let [leaf, pod, machine] = [0, 1, 2].map(|i| &found["levels"][i]);
    let largest = [leaf, pod, machine].map(|l| {
        (
            l["level"].clone(),
            l["largest"].clone(),
            l["free_units"].clone(),
        )
    });
    // Leaves 3, 6 and 7, and 5, whose other node is down.
    assert_eq!(
        largest,
        [
            (json!("leaf"), json!(2), json!(4)),
            (json!("pod"), json!(4), json!(1)),
            (json!("machine"), json!(7), json!(0))
        ]
    );
    assert_eq!(pod["roomiest"]["unit"], "pod 3");
    let next = |level: &Value| -> Vec<(String, u64, u64, Value, Value)> {
        let unit = |u: &Value| {
            (
                u["unit"].as_str().unwrap().to_string(),
                u["free"].as_u64().unwrap(),
                u["out"].as_u64().unwrap(),
                u["jobs"].clone(),
                u["freed"].clone(),
            )
        };
        level["next"].as_array().unwrap().iter().map(unit).collect()
    };
    let (none, first, second) = (Value::Null, json!(1500 + 1800), json!(1000 + 3600));
    assert_eq!(
        next(pod),
        [
            ("pod 1".to_string(), 2, 0, json!(["2"]), first.clone()),
            ("pod 0".to_string(), 0, 1, json!(["1"]), second.clone()),
            ("pod 2".to_string(), 1, 1, json!(["3"]), none.clone()),
        ]
    );
    let leaves: Vec<_> = next(leaf).into_iter().map(|u| (u.0, u.4)).collect();
    let expected = [
        ("leaf 2", &first),
        ("leaf 0", &second),
        ("leaf 1", &second),
        ("leaf 4", &none),
    ];
    assert_eq!(
        leaves,
        expected.map(|(name, freed)| (name.to_string(), freed.clone()))
    );
    assert_eq!(
        next(machine),
        [("machine".to_string(), 7, 2, json!(["1", "2", "3"]), none)]
    );
    // A host of another machine is told, with its count.
    assert_eq!(found["notes"][0]["reason"], "unknown-host");
    let (out, said, _) = run(
        folder,
        "snapshot fat-tree:k=4 --jobs jobs.json --nodes nodes.json",
    );
    assert!(
        said.contains(
            "jobs.json: noted 1: hosts that the machine does not have; the first: `login1` of nodes.json"
        ),
        "{said}"
    );
    assert!(
        out.starts_with("fat-tree:k=4: 7 of 16 nodes free, 7 held, 2 out of service. Jobs that run: 3; that wait: 2."),
        "{out}"
    );
    // Without states, what no job holds is free.
    let found = document(folder, "snapshot fat-tree:k=4 --jobs jobs.json --json");
    assert_eq!((&found["free"], &found["out"]), (&json!(9), &json!(0)));
    // The page and its files.
    let (_, _, done) = run(
        folder,
        "snapshot fat-tree:k=4 --jobs jobs.json --nodes nodes.json --out now",
    );
    let page = std::fs::read_to_string(folder.join("now/index.html")).unwrap();
    assert!(
        done && page.contains("When a pod becomes free") && page.contains("0.50"),
        "{page}"
    );
    assert!(page.contains("of which ask for no more nodes than are free") && page.contains("<svg"));
    let again = std::fs::read_to_string(folder.join("now/snapshot.json")).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&again).unwrap()["levels"][1]["largest"],
        4
    );
    let svg = std::fs::read_to_string(folder.join("now/largest.svg")).unwrap();
    check_steps(&svg);
}

/// The document of a queue and of states in the forms of Slurm 22.05, and accounting in which a job has no end.
#[test]
fn older_slurms_and_accounting_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let row = |id: u32, state: &str, start: i64, nodes: &str| {
        json!({"job_id": id, "job_state": state, "submit_time": 500, "start_time": start, "end_time": start + 3600,
               "time_limit": 60, "node_count": 2, "nodes": nodes})
    };
    let jobs = [
        row(1, "RUNNING", 1000, "n[00-01]"),
        row(2, "PENDING", 0, ""),
    ];
    write(folder, "jobs.json", json!({"meta": {}, "jobs": jobs}));
    let nodes: Vec<Value> = (0..16)
        .map(|id| {
            let flags = if id == 7 { vec!["DRAIN"] } else { vec![] };
            json!({"name": format!("n{id:02}"), "state": if id < 2 { "allocated" } else { "idle" }, "state_flags": flags})
        })
        .collect();
    write(folder, "nodes.json", json!({"meta": {}, "nodes": nodes}));
    std::fs::write(
        folder.join("sacct.txt"),
        "JobIDRaw|Submit|Start|End|Timelimit|NNodes|NodeList\n1|500|1000|Unknown|01:00:00|2|n[00-01]\n\
         2|500|Unknown|Unknown|01:00:00|2|None assigned\n3|100|200|300|01:00:00|2|n[02-03]\n",
    )
    .unwrap();
    let mut levels = Vec::new();
    for jobs in ["jobs.json", "sacct.txt"] {
        let found = document(
            folder,
            &format!("snapshot fat-tree:k=4 --jobs {jobs} --nodes nodes.json --json"),
        );
        let of = |key: &str| found[key].as_u64().unwrap();
        assert_eq!(
            ["free", "held", "out", "running", "waiting"].map(of),
            [13, 2, 1, 1, 1],
            "{jobs}"
        );
        levels.push(found["levels"].clone());
    }
    assert_eq!(levels[0], levels[1]);
    assert_eq!(levels[0][1]["next"][0]["freed"], 1000 + 3600);
}

#[test]
fn wrong_documents_are_refused_and_odd_ones_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cluster(folder);
    for (name, text, expected) in [
        (
            "n.json",
            "{\"sinfo\": []}",
            "found no nodes; expected the output of sinfo --json",
        ),
        (
            "n.json",
            "{\"sinfo\": [\n{\"nodes\": {}}]}",
            "n.json:2: found missing field `nodes`",
        ),
        ("n.json", "n01 idle\n", "n.json:1: found"),
        (
            "n.json",
            "{\"nodes\": [{\"name\": \"n01\"}]}",
            "missing field `state`",
        ),
        (
            "n.json",
            "{\"sinfo\": [{\"nodes\": {\"nodes\": [\"n[1\"]}, \"node\": {\"state\": [\"IDLE\"]}}]}",
            "n[1",
        ),
        ("j.json", "1 2 3\n", "j.json"),
        (
            "j.json",
            "{\"jobs\": [{\"job_id\": 1, \"job_state\": 3}]}",
            "j.json:1: found",
        ),
        ("j.json", "size,share\n1,1\n", "no records that list nodes"),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
        let files = if name == "j.json" {
            "--jobs j.json"
        } else {
            "--jobs jobs.json --nodes n.json"
        };
        let (out, said, done) = run(folder, &format!("snapshot fat-tree:k=4 {files} --out page"));
        assert!(
            !done && said.contains(expected) && out.is_empty(),
            "{text}: {said}"
        );
        assert!(!folder.join("page").exists());
    }
    // A job on nodes of another machine, one that has ended, held nodes that no job has, nodes without a state.
    let jobs = [
        job(1, "RUNNING", 1000, Some(60), "gpu[1-2]", 2),
        job(2, "COMPLETED", 1000, Some(60), "n[00-01]", 2),
        job(3, "RUNNING", 1000, Some(60), "n05,gpu3", 2),
    ];
    write(folder, "jobs.json", json!({"jobs": jobs}));
    let states = [
        node("n[00-07]", &["MIXED"]),
        node("n[08-14]", &["IDLE"]),
        node("n05", &["MIXED", "DRAIN"]),
    ];
    write(folder, "nodes.json", json!({"sinfo": states}));
    let found = document(
        folder,
        "snapshot fat-tree:k=4 --jobs jobs.json --nodes nodes.json --json",
    );
    let notes: Vec<(String, u64)> = (found["notes"].as_array().unwrap().iter())
        .map(|n| {
            (
                n["reason"].as_str().unwrap().to_string(),
                n["count"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("unlisted", 1),
        ("unknown-host", 3),
        ("no-node", 1),
        ("ended", 1),
        ("no-job", 7),
    ];
    assert_eq!(
        notes,
        expected.map(|(name, count)| (name.to_string(), count))
    );
    let of = |key: &str| found[key].as_u64().unwrap();
    assert_eq!(["free", "held", "out"].map(of), [7, 7, 2]);
}

proptest! {
    #![proptest_config(Config { cases: 24, failure_persistence: None, ..Config::default() })]

    /// Every figure against its definition, node by node.
    #[test]
    fn figures_are_those_of_the_definition(
        spec in prop::sample::select(vec!["fat-tree:k=4", "cascade:3x2x2,per_router=2,exclude=4", "torus:3x4", "dragonfly:p=2,a=2,h=1"]),
        jobs in prop::collection::vec((prop::collection::btree_set(0u32..16, 1..6), 1i64..5, prop::option::of(1i64..5)), 0..5),
        out in prop::collection::btree_set(0u32..16, 0..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let machine = catalog::topology(spec, &Context::default()).unwrap();
        let there = |id: &u32| *id < machine.nodes().slot_count() && machine.nodes().contains(NodeId(*id));
        let name = |id: &u32| machine.node_name(NodeId(*id));
        let all: Vec<u32> = (0..machine.nodes().slot_count()).filter(there).collect();
        let jobs: Vec<_> = jobs.into_iter().map(|(set, start, limit)| {
            (set.into_iter().filter(there).collect::<BTreeSet<u32>>(), start, limit)
        }).filter(|(set, ..)| !set.is_empty()).collect();
        let list = |set: &BTreeSet<u32>| set.iter().map(name).collect::<Vec<_>>().join(",");
        let rows = (0..).zip(&jobs).map(|(i, (set, start, limit))| job(i, "RUNNING", *start, *limit, &list(set), set.len()));
        write(folder.path(), "jobs.json", json!({"jobs": rows.collect::<Vec<_>>(), "meta": {"slurm": {}}}));
        let nodes = all.iter().map(|id| node(&name(id), if out.contains(id) { &["DOWN"] } else { &["IDLE"] }));
        write(folder.path(), "nodes.json", json!({"sinfo": nodes.collect::<Vec<_>>()}));
        let found = document(folder.path(), &format!("snapshot {spec} --jobs jobs.json --nodes nodes.json --json"));
        let held = |id: &u32| !out.contains(id) && jobs.iter().any(|(set, ..)| set.contains(id));
        let free = |id: &u32| !out.contains(id) && !held(id);
        let mut levels: Vec<(String, u32)> =
            machine.network().levels().iter().rev().map(|l| (l.name.to_string(), l.slots)).collect();
        levels.push(("machine".to_string(), machine.nodes().slot_count()));
        prop_assert_eq!(found["levels"].as_array().unwrap().len(), levels.len());
        for ((name, slots), level) in levels.iter().zip(found["levels"].as_array().unwrap()) {
            prop_assert_eq!(&level["level"], name);
            let unit = |u: u32| all.iter().copied().filter(move |id| id / slots == u).collect::<Vec<u32>>();
            let units: Vec<Vec<u32>> = (0..machine.nodes().slot_count().div_ceil(*slots)).map(unit).filter(|u| !u.is_empty()).collect();
            let count = |unit: &Vec<u32>, is: &dyn Fn(&u32) -> bool| unit.iter().filter(|id| is(id)).count();
            prop_assert_eq!(&level["largest"], units.iter().map(|u| count(u, &free)).max().unwrap());
            let wholly = units.iter().filter(|u| count(u, &held) == 0 && count(u, &free) > 0).count();
            prop_assert_eq!(&level["free_units"], wholly);
            let next = level["next"].as_array().unwrap();
            prop_assert_eq!(next.len(), units.iter().filter(|u| count(u, &held) > 0).count());
            let mut before = Some(i64::MIN);
            for row in next {
                let label = row["unit"].as_str().unwrap();
                let number = label.rsplit(' ').next().unwrap().parse().unwrap_or(0);
                let nodes = unit(number);
                let of_unit: Vec<usize> = (0..jobs.len()).filter(|i| nodes.iter().any(|id| held(id) && jobs[*i].0.contains(id))).collect();
                prop_assert_eq!(&row["jobs"], &json!(of_unit.iter().map(usize::to_string).collect::<Vec<_>>()));
                let ends: Option<Vec<i64>> = of_unit.iter().map(|i| Some(jobs[*i].1 + 60 * jobs[*i].2?)).collect();
                let freed = ends.map(|ends| ends.into_iter().max().unwrap());
                prop_assert_eq!(&row["freed"], &json!(freed));
                // Known ends come first, ascending.
                prop_assert!(freed.is_none() || before.is_some_and(|before| Some(before) <= freed));
                before = freed;
                prop_assert_eq!(&row["free"], count(&nodes, &free));
                prop_assert_eq!(&row["held"], count(&nodes, &held));
            }
        }
    }
}
