//! Figures of snapshots for monitoring, read by a parser that is written from the definition of Prometheus' text format
//! (prometheus.io/docs/instrumenting/exposition_formats, version 0.0.4); histories; and pods of Kubernetes as jobs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

fn run(folder: &Path, arguments: &str) -> (String, String, bool) {
    let mut command = crate::command();
    let command = command.args(arguments.split(' ')).current_dir(folder);
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.success(),
    )
}

/// A machine whose level has a name that has to be escaped, and jobs: one holds n0 and n1 of the first rack, one waits.
fn cluster(folder: &Path) {
    let rows = (0..6)
        .map(|i| format!("n{i},r{}\n", i / 3))
        .collect::<String>();
    std::fs::write(
        folder.join("racks.csv"),
        format!("host,\"the \\\"\"rack\"\"\"\n{rows}"),
    )
    .unwrap();
    std::fs::write(
        folder.join("jobs.txt"),
        "JobIDRaw|Submit|Start|End|Timelimit|NNodes|NodeList\n1|500|1000|Unknown|01:00:00|2|n[0-1]\n\
         2|700|Unknown|Unknown|01:00:00|3|None assigned\n",
    )
    .unwrap();
}

/// A name and its labels.
type Series = (String, BTreeMap<String, String>);

/// Reads metrics: HELP and TYPE once and before the samples of a name, all lines of a name together, no series twice.
fn read_metrics(text: &str) -> BTreeMap<Series, f64> {
    assert!(text.ends_with('\n'));
    let mut found = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    let mut helped = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(!help.is_empty() && !names.contains(&name.to_string()));
            helped = name.to_string();
            continue;
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            assert_eq!(rest, format!("{helped} gauge"));
            names.push(helped.clone());
            continue;
        }
        let end = line.find(['{', ' ']).unwrap();
        let name = &line[..end];
        assert_eq!(names.last().map(String::as_str), Some(name));
        assert!(
            name.chars().all(|c| c.is_ascii_lowercase() || c == '_'),
            "{name}"
        );
        let mut rest = &line[end..];
        let mut labels = BTreeMap::new();
        while let Some(more) = rest.strip_prefix(['{', ',']) {
            let (label, more) = more.split_once("=\"").unwrap();
            let mut value = String::new();
            let mut letters = more.char_indices();
            let at = loop {
                match letters.next().unwrap() {
                    (at, '"') => break at,
                    (_, '\\') => value.push(match letters.next().unwrap().1 {
                        'n' => '\n',
                        c @ ('"' | '\\') => c,
                        c => panic!("{c}"),
                    }),
                    (_, c) => value.push(c),
                }
            };
            labels.insert(label.to_string(), value);
            rest = &more[at + 1..];
        }
        let rest = rest.strip_prefix('}').unwrap_or(rest);
        let value = rest.strip_prefix(' ').unwrap().parse().unwrap();
        assert!(
            found.insert((name.to_string(), labels), value).is_none(),
            "{line}"
        );
    }
    found
}

#[test]
fn metrics_are_read_as_prometheus_defines_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cluster(folder);
    let (_, said, done) = run(
        folder,
        "snapshot tiers:racks.csv --jobs jobs.txt --sizes 1,2,4:segment=2 --metrics m.prom",
    );
    assert!(done, "{said}");
    let found = read_metrics(&std::fs::read_to_string(folder.join("m.prom")).unwrap());
    let rack = "the \\\"rack\"";
    let value = |name: &str, labels: &[(&str, &str)]| {
        let labels = labels
            .iter()
            .map(|(key, value)| (key.to_string(), value.to_string()));
        found[&(format!("nodeorder_{name}"), labels.collect())]
    };
    assert_eq!(value("nodes", &[("state", "held")]), 2.0);
    assert_eq!(value("snapshot_time_seconds", &[]), 1000.0);
    // Three of the four free nodes are in one rack, which the waiting job of three would take.
    assert_eq!(value("fragmentation", &[]), 0.25);
    assert_eq!(value("units", &[("level", rack), ("state", "whole")]), 1.0);
    assert_eq!(value("slots", &[("level", rack), ("size", "2")]), 1.0);
    assert_eq!(
        value("stranded_nodes", &[("level", rack), ("size", "2")]),
        2.0
    );
    assert_eq!(
        value("slots", &[("level", rack), ("size", "4"), ("segment", "2")]),
        0.0
    );
    assert_eq!(
        value(
            "slots",
            &[("level", "machine"), ("size", "4"), ("segment", "2")]
        ),
        1.0
    );
    let left: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn histories_grow_by_a_line_and_keep_their_columns() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cluster(folder);
    let take = |options: &str| {
        run(
            folder,
            &format!("snapshot tiers:racks.csv --jobs jobs.txt --append h.csv{options}"),
        )
    };
    assert!(take("").2 && take("").2);
    let text = std::fs::read_to_string(folder.join("h.csv")).unwrap();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let header = rows.headers().unwrap().clone();
    let records: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!((records.len(), &records[0]), (2, &records[1]));
    let of = |name: &str| &records[0][header.iter().position(|column| column == name).unwrap()];
    assert_eq!(
        [
            of("nodes_free"),
            of("jobs_waiting"),
            of("fragmentation"),
            of("slots_machine_4")
        ],
        ["4", "1", "0.25", "1"]
    );
    let (_, said, done) = take(" --sizes 3");
    assert!(
        !done && said.contains("h.csv:1: found other columns"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(folder.join("h.csv")).unwrap(), text);
}

/// A pod: its job by a label, owner or name; the host that it is bound to; GPUs that it asks for.
fn pod(
    name: &str,
    labels: Value,
    owner: Option<&str>,
    host: Option<&str>,
    phase: &str,
    gpus: u32,
) -> Value {
    let owners: Vec<Value> = owner
        .iter()
        .map(|kind| json!({"kind": kind, "name": "owner"}))
        .collect();
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "ai", "labels": labels, "ownerReferences": owners,
                     "creationTimestamp": "2026-11-26T09:00:00Z"},
        "spec": {"nodeName": host, "activeDeadlineSeconds": 7200,
                 "containers": [{"resources": {"limits": if gpus > 0 { json!({"nvidia.com/gpu": gpus}) } else { json!({}) }}}]},
        "status": {"phase": phase, "startTime": host.map(|_| "2026-11-26T10:00:00Z")},
    })
}

#[test]
fn pods_of_kubernetes_are_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cluster(folder);
    let set = json!({"jobset.sigs.k8s.io/jobset-name": "train", "batch.kubernetes.io/job-name": "train-0"});
    let pods = [
        pod("a", set.clone(), Some("Job"), Some("n0"), "Running", 8),
        pod("b", set, Some("Job"), Some("n1"), "Running", 8),
        pod("c", json!({}), Some("ReplicaSet"), Some("n3"), "Running", 1),
        pod(
            "d",
            json!({"job-name": "next"}),
            Some("Job"),
            None,
            "Pending",
            8,
        ),
        pod(
            "e",
            json!({"job-name": "next"}),
            Some("Job"),
            None,
            "Pending",
            8,
        ),
        pod(
            "f",
            json!({"job-name": "old"}),
            Some("Job"),
            Some("n4"),
            "Succeeded",
            8,
        ),
        pod(
            "agent",
            json!({}),
            Some("DaemonSet"),
            Some("n5"),
            "Running",
            8,
        ),
        pod("proxy", json!({}), Some("Node"), Some("n5"), "Running", 8),
        pod(
            "web",
            json!({}),
            Some("ReplicaSet"),
            Some("n5"),
            "Running",
            0,
        ),
    ];
    let list = json!({"apiVersion": "v1", "items": pods, "kind": "List"});
    std::fs::write(folder.join("pods.json"), list.to_string()).unwrap();
    let (out, said, done) = run(folder, "snapshot tiers:racks.csv --jobs pods.json --json");
    assert!(done, "{said}");
    let found: Value = serde_json::from_str(&out).unwrap();
    let counts = ["free", "held", "running", "waiting"].map(|key| found[key].as_u64().unwrap());
    assert_eq!(counts, [3, 3, 2, 1]);
    let next = &found["levels"][0]["next"];
    assert_eq!(
        (&next[0]["jobs"], &next[1]["jobs"]),
        (&json!(["ai/train"]), &json!(["ai/owner"]))
    );
    // 2026-11-26T10:00:00Z and two hours.
    assert_eq!(next[0]["freed"], 1_795_687_200 + 7200);
    assert!(said.contains("noted 1: jobs that have ended"), "{said}");
    for wrong in [
        "{\"apiVersion\":\"v1\",\"items\":3}",
        "{\"apiVersion\":\"v1\",\"items\":[{\"kind\":\"Pod\"}]}",
    ] {
        std::fs::write(folder.join("pods.json"), wrong).unwrap();
        let (_, said, done) = run(folder, "snapshot tiers:racks.csv --jobs pods.json");
        assert!(
            !done && said.contains("kubectl get pods -A -o json"),
            "{said}"
        );
    }
}
