//! Files that name a machine without their kind: recognised by what stands in them, or refused with a hint.

use std::path::{Path, PathBuf};

fn said(arguments: &[&str]) -> (bool, String, String) {
    let output = crate::command().args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// The test data in a folder of `tests/data/hostile`, by their names.
fn data(folder: &str) -> Vec<PathBuf> {
    let folder = crate::root().join("tests/data/hostile").join(folder);
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Checks that a file is read as `kind:FILE` is: the same machine, or the same fault.
fn check_read_as(kind: &str, path: &Path, options: &str) {
    let path = path.display();
    let bare = said(&["topology", &format!("{path}{options}"), "--json"]);
    let forced = said(&["topology", &format!("{kind}:{path}{options}"), "--json"]);
    let without_name = |text: &str| text.replace(&format!("{kind}:"), "");
    assert_eq!(bare.0, forced.0, "{path}: {}", bare.2);
    assert_eq!(without_name(&bare.1), without_name(&forced.1), "{path}");
    assert_eq!(without_name(&bare.2), without_name(&forced.2), "{path}");
}

#[test]
fn the_files_of_every_reader_are_recognised() {
    // Folders of the test data, the reader of each, and options that its files need.
    let folders = [
        ("caminos", "caminos", ""),
        ("edges", "graph", ""),
        ("graphml", "graphml", ""),
        ("ibnetdiscover", "ibnetdiscover", ""),
        ("iblinkinfo", "iblinkinfo", ""),
        ("infragraph", "infragraph", ""),
        ("jgf", "jgf", ""),
        ("k8s-nodes", "k8s-nodes", ",levels=tier-1/tier-0"),
        ("simgrid", "simgrid", ""),
        ("slurm-topology", "slurm-topology", ""),
        ("slurm-yaml", "slurm-topology", ""),
        ("tgt", "tgt", ""),
        ("tiers", "tiers", ""),
        ("topograph", "topograph", ""),
        ("xtdb2proc", "xtdb2proc", ",network=torus"),
    ];
    let mut found = 0;
    for (folder, kind, options) in folders {
        for path in data(folder) {
            // One router id and a word, an architecture that is not read: nothing that a reader could guess.
            if path.ends_with("word.csv") || path.ends_with("7.tgt") {
                continue;
            }
            check_read_as(kind, &path, options);
            found += 1;
        }
    }
    for name in ["inet.txt", "maps.cch"] {
        check_read_as(
            "ns3",
            &crate::root().join("tests/data/hostile/ns3").join(name),
            "",
        );
        found += 1;
    }
    for path in data("toml") {
        let (done, _, error) = said(&["topology", path.to_str().unwrap()]);
        assert!(done || error.contains(".toml:"), "{error}");
        found += 1;
    }
    assert!(found >= 40, "{found} files");
}

#[test]
fn standard_input_is_recognised_like_a_file() {
    for name in [
        "jgf/racks.json",
        "ibnetdiscover/shipped.txt",
        "toml/ours.toml",
    ] {
        let path = crate::root().join("tests/data/hostile").join(name);
        let output = crate::command()
            .args(["topology", "-", "--json"])
            .stdin(std::fs::File::open(&path).unwrap())
            .output()
            .unwrap();
        let named = said(&["topology", path.to_str().unwrap(), "--json"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && named.0,
            "{name}: {error}{}",
            named.2
        );
        let named = named.1.replace(path.to_str().unwrap(), "-");
        assert_eq!(text, named, "{name}");
    }
}

#[test]
fn files_of_no_machine_are_refused_with_one_hint() {
    let mut refused = 0;
    for folder in ["guest", "log", "order", "records", "swf"] {
        for path in data(folder) {
            let (done, _, error) = said(&["topology", path.to_str().unwrap()]);
            // Two columns of numbers may be links as well as anything else.
            if !error.contains("no machine that a reader knows") {
                continue;
            }
            let lines: Vec<&str> = error.lines().collect();
            assert!(!done && lines.len() == 2, "{error}");
            assert!(lines[0].starts_with("error: "), "{error}");
            assert_eq!(lines[1], "hint: nodeorder list topologies", "{error}");
            refused += 1;
        }
    }
    assert!(refused >= 40, "{refused} files");
}

#[test]
fn a_table_that_two_readers_know_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    std::fs::write(&path, "n1,s1\nn2,s1\nn3,s2\nn4,s2\nn5,s1\n").unwrap();
    let path = path.display();
    let (done, _, error) = said(&["topology", &path.to_string()]);
    assert!(!done);
    assert!(
        error.contains(&format!("`graph:{path}` or `tiers:{path}`")),
        "{error}"
    );
}

#[test]
fn links_have_names_or_ids_and_any_separator() {
    let folder = tempfile::tempdir().unwrap();
    for (i, separator) in [",", ";", "\t", " "].into_iter().enumerate() {
        for (j, ends) in [["leaf1", "leaf2", "spine"], ["0", "1", "2"]]
            .into_iter()
            .enumerate()
        {
            let path = folder.path().join(format!("links-{i}-{j}.txt"));
            let [a, b, c] = ends;
            let text = format!("switch{separator}peer\n{a}{separator}{c}\n{b}{separator}{c}\n");
            std::fs::write(&path, text).unwrap();
            let (done, json, error) = said(&["topology", path.to_str().unwrap(), "--json"]);
            assert!(done, "{error}");
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(
                (&json["routers"], &json["diameter"]),
                (&3.into(), &2.into())
            );
        }
    }
}

#[test]
fn options_follow_a_file() {
    let conf = "tests/data/topology.conf";
    let nodes = |spec: &str| {
        let (done, json, error) = said(&["topology", spec, "--json"]);
        assert!(done, "{error}");
        serde_json::from_str::<serde_json::Value>(&json).unwrap()["nodes"].clone()
    };
    assert_eq!(nodes(conf), 10);
    assert_eq!(nodes(&format!("{conf},limit=4")), 4);
    assert_eq!(nodes(&format!("slurm-topology:{conf},limit=4")), 4);
    assert_eq!(nodes("topologies/hopper.toml,limit=8"), 8);
    let (_, _, error) = said(&["topology", &format!("{conf},per_router=4")]);
    assert!(
        error.contains("unknown key for slurm-topology `per_router`"),
        "{error}"
    );
    let (done, table, error) = said(&["compare", conf]);
    assert!(done && table.contains("row-major"), "{error}");
}

/// A sweep resolves the file beside its plan, options or not.
#[test]
fn plans_name_files_with_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = crate::root().join("tests/data/topology.conf");
    std::fs::copy(path, folder.path().join("t.conf")).unwrap();
    let plan = "topologies = ['t.conf', 't.conf,limit=4']\norderings = ['row-major']\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let plan = folder.path().join("plan.toml").display().to_string();
    let out = folder.path().join("out").display().to_string();
    let (done, _, error) = said(&["sweep", "run", &plan, "--out", &out]);
    assert!(done, "{error}");
    let rows = std::fs::read_to_string(folder.path().join("out/results.csv")).unwrap();
    assert!(
        rows.contains("limit=4") && rows.lines().count() == 3,
        "{rows}"
    );
}
