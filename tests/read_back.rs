//! What exports write, read back by the rules of the programs that read it, each rule written out from its program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

/// Runs a command in a folder that must succeed: standard output, standard error.
fn done(folder: &Path, arguments: &[&str]) -> [String; 2] {
    let output = crate::command()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap();
    let [out, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{arguments:?}: {error}");
    [out, error]
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Where a YAML 1.1 reader ends a line, and with it a comment (section 5.4 of YAML 1.1, `b-generic`).
const YAML_BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// Comments end where the text's own lines end, for YAML 1.1 and for a terminal, whatever names are.
#[test]
fn comments_end_with_their_lines() {
    let names = r"m\u2028evil: a\u2029b: c\u0085d: e\rf: g\u001b[31m\u202eh";
    let text = format!("name = \"{names}\"\nkind = \"xgft\"\nm = [2, 2]\nw = [1, 1]\n");
    let folder = folder(&[("m.toml", &text)]);
    for target in [
        "slurm-weights",
        "slurm-names",
        "slurm-lines",
        "slurm-permuted",
        "slurm-yaml",
        "slurm-topology",
        "kueue",
        "hypernodes",
        "flux",
        "pbs",
        "lsf",
        "simgrid",
        "caminos",
        "sst",
        "booksim",
        "infragraph",
        "mpich-coords",
    ] {
        let [text, _] = done(
            folder.path(),
            &["export", "m.toml", "--order", "row-major", "--to", target],
        );
        let lines: Vec<&str> = text.split(YAML_BREAKS).collect();
        let plain: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines, plain, "{target}");
        let steers =
            |c: char| c != '\n' && c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(!text.contains(steers), "{target}: {text}");
        if ["slurm-yaml", "kueue", "hypernodes", "infragraph"].contains(&target) {
            assert!(
                text.contains(r"m\u{2028}evil: a\u{2029}b: c\u{85}d"),
                "{target}: {text}"
            );
            let evil = lines.iter().filter(|line| line.contains("evil"));
            assert!(evil.clone().all(|line| line.starts_with('#')) && evil.count() > 0);
        }
    }
}

/// Every vnode has a rank of its own: one without would count as 0 (OpenPBS, `find_node_amount`), and come first.
#[test]
fn every_vnode_has_a_rank() {
    let folder = folder(&[("o.txt", "3\n1\n0\n")]);
    let [text, _] = done(
        folder.path(),
        &[
            "export",
            "mesh:2x3,exclude=5",
            "--order",
            "o.txt",
            "--to",
            "pbs",
        ],
    );
    let rank = |line: &str| -> Option<(String, u32)> {
        let (name, rank) = line
            .strip_prefix("set node ")?
            .split_once(" resources_available.rank = ")?;
        Some((name.into(), rank.parse().unwrap()))
    };
    let ranks: Vec<(String, u32)> = text.lines().filter_map(rank).collect();
    let wanted = ["n3", "n1", "n0", "n2", "n4", "n5"].map(String::from);
    assert!(
        ranks.iter().cloned().eq(wanted.into_iter().zip(0..)),
        "{ranks:?}"
    );
    let [text, _] = done(
        folder.path(),
        &[
            "export",
            "mesh:2x3,exclude=5",
            "--order",
            "o.txt",
            "--to",
            "lsf",
        ],
    );
    assert!(text.contains("hosts outside this list"), "{text}");
}

/// Batsim's rules for its platform (`create_machines`): one host is the master, the others are numbered by name. The
/// master is no host of ours, and no route leads to it.
#[test]
fn platforms_have_one_host_more_for_batsim() {
    let master = "master_host";
    // With the routes of all pairs, and without.
    for spec in ["torus:4x4", "torus:18x18"] {
        let folder = folder(&[]);
        done(
            folder.path(),
            &[
                "export", spec, "--order", "random", "--to", "simgrid", "-o", "p.xml",
            ],
        );
        let text = std::fs::read_to_string(folder.path().join("p.xml")).unwrap();
        let listed = std::fs::read_to_string(folder.path().join("p.xml.hosts")).unwrap();
        let listed: BTreeSet<&str> = listed.lines().collect();
        let hosts: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("<host id=\"")?.split('"').next())
            .collect();
        let others: Vec<&&str> = hosts
            .iter()
            .filter(|host| !listed.contains(**host))
            .collect();
        assert_eq!(others, [&master]);
        assert_eq!(hosts.len(), listed.len() + 1);
        let uses = text
            .lines()
            .filter(|line| !line.contains("<host ") && line.contains(master));
        assert!(
            uses.clone().all(|line| line.contains("Batsim")),
            "{:?}",
            uses.collect::<Vec<_>>()
        );
    }
}

/// What Batsim asks of a workload: `Profile::from_json` (`src/profiles.cpp`) and `Job::from_json` (`src/jobs.cpp`) of
/// Batsim 5, and the same files of Batsim 4, which calls the types otherwise.
fn check_workload(document: &Value, version: u32) {
    assert!(document["nb_res"].as_i64().unwrap() > 0);
    let profiles = document["profiles"].as_object().unwrap();
    for (name, profile) in profiles {
        let kind = profile["type"].as_str().unwrap();
        assert_eq!(
            kind,
            if version == 5 {
                "DelayProfile"
            } else {
                "delay"
            }
        );
        assert!(profile["delay"].as_f64().unwrap() > 0.0, "{name}");
    }
    let mut ids = BTreeSet::new();
    for job in document["jobs"].as_array().unwrap() {
        let id = job["id"].as_str().unwrap();
        assert!(ids.insert(id), "{id} again");
        assert!(job["subtime"].is_number());
        assert!(job["walltime"].as_f64().unwrap() > 0.0);
        assert!(job["res"].as_i64().unwrap() >= 0);
        assert!(profiles.contains_key(job["profile"].as_str().unwrap()));
        // Batsim 5 hands on this field alone, a text or an object.
        let extra = &job["extra_data"];
        assert_eq!(extra.is_string(), version == 5, "{job}");
        assert_eq!(job.get("alloc").is_some(), version == 4, "{job}");
    }
    assert!(!ids.is_empty());
}

#[test]
fn workloads_are_those_of_their_batsim() {
    let rows: String = (1..=40)
        .map(|job| {
            let (submit, run, nodes) = (7 * job, 1 + job * 37 % 200, 1 + job % 9);
            format!("{job} {submit} 0 {run} {nodes} -1 -1 {nodes} 250 -1 1 1 1 1 1 1 -1 -1\n")
        })
        .collect();
    let folder = folder(&[
        ("jobs.swf", &rows),
        ("large.swf", "1 0 0 9 99 -1 -1 99 9 -1 1 1 1 1 1 1 -1 -1\n"),
    ]);
    let mut written = BTreeMap::new();
    for version in [4, 5] {
        let to = format!("batsim:trace=jobs.swf,alloc=first-fit:8,version={version}");
        let [text, _] = done(
            folder.path(),
            &["export", "torus:4x4", "--order", "hilbert", "--to", &to],
        );
        let document: Value = serde_json::from_str(&text).unwrap();
        check_workload(&document, version);
        // The same jobs at the same places, and the same trace read back.
        let places: Vec<(Value, Value, Value)> = document["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|job| {
                let extra: Value = match job["extra_data"].as_str() {
                    Some(text) => serde_json::from_str(text).unwrap(),
                    None => job.clone(),
                };
                (
                    job["id"].clone(),
                    extra["alloc"].clone(),
                    extra["start"].clone(),
                )
            })
            .collect();
        let name = format!("w{version}.json");
        std::fs::write(folder.path().join(&name), &text).unwrap();
        let [swf, _] = done(folder.path(), &["trace", "convert", &name, "--to", "swf"]);
        let jobs: Vec<String> = swf
            .lines()
            .filter(|line| !line.starts_with(';'))
            .map(String::from)
            .collect();
        assert_eq!(jobs.len(), 40);
        written.insert(version, (places, jobs));
    }
    assert_eq!(written[&4], written[&5]);
    let to = "batsim:trace=large.swf,alloc=first-fit:8";
    let output = crate::command()
        .current_dir(folder.path())
        .args(["export", "torus:4x4", "--order", "hilbert", "--to", to])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(error.contains("large.swf: "), "{error}");
}

/// Profiles of Batsim 4 and 5 say the same, sequences within sequences add up, and what no profile says is told.
#[test]
fn profiles_of_both_versions_are_read() {
    let workload = |profiles: &str| {
        let job = |id: &str| {
            format!(
                "{{\"id\":\"{id}\",\"subtime\":0,\"walltime\":900,\"res\":2,\"profile\":\"{id}\"}}"
            )
        };
        let ids = ["delay", "twice", "nested", "loop", "task"]
            .map(job)
            .join(",");
        format!("{{\"nb_res\":4,\"jobs\":[{ids}],\"profiles\":{{{profiles}}}}}")
    };
    let fourth = workload(
        r#""delay":{"type":"delay","delay":20.25},"twice":{"type":"composed","repeat":2,"seq":["delay"]},
        "nested":{"type":"composed","seq":["twice","delay","twice"]},"loop":{"type":"composed","seq":["loop"]},
        "task":{"type":"parallel","cpu":[1,2],"com":[0,0,0,0],"expected_execution_time":30.5}"#,
    );
    let fifth = workload(
        r#""delay":{"type":"DelayProfile","delay":20.25},"twice":{"type":"SequentialCompositionProfile","repeat":2,"seq":["delay"]},
        "nested":{"type":"SequentialCompositionProfile","seq":["twice","delay","twice"]},
        "loop":{"type":"SequentialCompositionProfile","seq":["loop"]},
        "task":{"type":"ParallelTaskProfile","cpu":[1,2],"expected_execution_time":30.5}"#,
    );
    let unknown = r#"{"nb_res":4,"jobs":[{"id":"a","subtime":0,"res":2,"profile":"p"}],
        "profiles":{"p":{"type":"ParallelTaskHomogeneousProfile","cpu":1,"com":1}}}"#;
    let bound = |seconds: &str| {
        format!(
            "{{\"jobs\":[{{\"id\":1,\"subtime\":0,\"res\":1,\"profile\":\"d\"}}],\"profiles\":{{\"d\":{{\"type\":\"delay\",\"delay\":{seconds}}}}}}}"
        )
    };
    let [least, above] = [bound("1e15"), bound("1.0000000000000002e15")];
    let folder = folder(&[
        ("w4.json", &fourth),
        ("w5.json", &fifth),
        ("none.json", unknown),
        ("bound.json", &least),
        ("above.json", &above),
    ]);
    for name in ["w4.json", "w5.json"] {
        let [swf, said] = done(folder.path(), &["trace", "convert", name, "--to", "swf"]);
        let runs: Vec<&str> = swf
            .lines()
            .filter(|line| !line.starts_with(';'))
            .map(|line| line.split(' ').nth(3).unwrap())
            .collect();
        // 20.25, 40.5, 101.25 and 30.5 seconds; the loop never ends.
        assert_eq!(runs, ["20", "40", "101", "30"], "{name}");
        assert!(
            said.contains("left out 1: profile that says no run time"),
            "{said}"
        );
        assert!(
            said.contains("1: run time read from expected_execution_time"),
            "{said}"
        );
    }
    done(
        folder.path(),
        &["trace", "convert", "bound.json", "--to", "swf"],
    );
    for (name, found) in [
        (
            "none.json",
            "no job whose profile says its run time (1 of type ParallelTaskHomogeneousProfile)",
        ),
        ("above.json", "expected a number from 0 to 1e15"),
    ] {
        let output = crate::command()
            .current_dir(folder.path())
            .args(["trace", "convert", name, "--to", "swf"])
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {error}");
        assert!(error.contains(found), "{name}: {error}");
    }
}

/// MPICH reads a line for each rank (`parse_coord_file`): as many as there are ranks, those of a node one after the
/// other.
#[test]
fn coordinates_have_a_line_for_each_rank() {
    let folder = folder(&[]);
    let lines = |to: &str| -> Vec<String> {
        let [text, _] = done(
            folder.path(),
            &["export", "fat-tree:k=4", "--order", "random", "--to", to],
        );
        text.lines().skip(1).map(String::from).collect()
    };
    let one = lines("mpich-coords");
    let three = lines("mpich-coords:per_node=3");
    assert_eq!(three.len(), 3 * one.len());
    for (rank, line) in three.iter().enumerate() {
        let (number, place) = line.split_once(": ").unwrap();
        assert_eq!(number, rank.to_string());
        assert_eq!(place, one[rank / 3].split_once(": ").unwrap().1);
    }
}

/// A tree written of a machine is the machine: levels that hold the same nodes are the same, whether links or names
/// make them. Leaf switches that change places within a unit are the same, too; those of two units are found.
#[test]
fn trees_written_of_a_machine_are_that_machine() {
    for (spec, within, across) in [
        ("dragonfly:p=2,a=4,h=2", [0, 1], [0, 4]),
        ("dragonfly:p=2,a=2,h=1", [2, 3], [3, 4]),
        ("fat-tree:k=4", [0, 1], [1, 2]),
        ("xgft:m=2x3x4,w=1x2x2", [0, 2], [2, 3]),
    ] {
        let folder = folder(&[]);
        let [conf, _] = done(
            folder.path(),
            &[
                "export",
                spec,
                "--order",
                "row-major",
                "--to",
                "slurm-permuted",
            ],
        );
        let mut lines: Vec<String> = conf.lines().map(String::from).collect();
        let leaves: Vec<usize> = (0..lines.len())
            .filter(|i| lines[*i].contains(" Nodes="))
            .collect();
        let mut swaps = vec![([0, 0], true), (within, true), (across, false)];
        for (swapped, same) in swaps.drain(..) {
            let [a, b] = swapped.map(|leaf| leaves[leaf]);
            let nodes = |line: &str| line.split_once(" Nodes=").unwrap().1.to_string();
            let held = [nodes(&lines[a]), nodes(&lines[b])];
            let before = lines.clone();
            lines[a] = lines[a].replace(&held[0], &held[1]);
            lines[b] = before[b].replace(&held[1], &held[0]);
            std::fs::write(folder.path().join("t.conf"), lines.join("\n") + "\n").unwrap();
            lines = before;
            let output = crate::command()
                .current_dir(folder.path())
                .args(["topology", spec, "--check", "slurm-topology:t.conf"])
                .output()
                .unwrap();
            let rows = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.success(), same, "{spec} {swapped:?}: {rows}");
            assert_eq!(
                rows.lines().count() == 1,
                same,
                "{spec} {swapped:?}: {rows}"
            );
        }
    }
}
