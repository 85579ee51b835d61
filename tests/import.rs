//! Files of real fabrics through the command: a topology in one command, names kept all the way to an export.

use std::process::Command;

fn nodeorder(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_nodeorder"))
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"))
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), text)
}

fn done(arguments: &[&str]) -> String {
    let (success, text) = nodeorder(arguments);
    assert!(success, "{arguments:?}: {text}");
    text
}

#[test]
fn a_slurm_tree_is_a_topology_in_one_command() {
    let json = done(&["topology", "slurm-topology:topology.conf", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&found["nodes"], &found["routers"], &found["diameter"]),
        (&10.into(), &4.into(), &2.into())
    );
    // 4 + 4 + 2 nodes: 6 + 6 + 1 pairs on one leaf, the other 32 of 45 two hops apart.
    assert_eq!(found["total_distance"], 64);
    let spec = ["export", "slurm-topology:topology.conf", "--order", "row-major", "--to"];
    let csv = done(&[&spec[..], &["csv"]].concat());
    let names: Vec<&str> = csv.lines().skip(1).map(|l| l.rsplit(',').next().unwrap()).collect();
    let given = "nid00001 nid00002 nid00003 nid00004 nid00005 nid00006 nid00007 login1 gpu1 gpu2";
    assert_eq!(names.join(" "), given);
    let weights = done(&[&spec[..], &["slurm-weights"]].concat());
    assert!(weights.contains("NodeName=gpu2 Weight=10\n"));
}

/// What we export for Slurm's tree is a tree that we read.
#[test]
fn an_exported_tree_comes_back_in_rank_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("topology.conf").display().to_string();
    done(&["export", "torus:4x4", "--order", "hilbert", "--to", "slurm-topology", "-o", &file]);
    let ranks = |spec: &str, order: &str| {
        let csv = done(&["export", spec, "--order", order, "--to", "csv"]);
        let names = csv.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().to_string());
        names.collect::<Vec<_>>()
    };
    assert_eq!(
        ranks("torus:4x4", "hilbert"),
        ranks(&format!("slurm-topology:{file}"), "row-major")
    );
}

#[test]
fn an_infiniband_fabric_takes_every_method() {
    let spec = "ibnetdiscover:ibnetdiscover.txt";
    for by in ["row-major", "bfs", "rcm", "spectral", "nearest", "random"] {
        let csv = done(&["export", spec, "--order", by, "--to", "csv"]);
        assert_eq!(csv.lines().count(), 1 + 5, "{by}");
    }
    let mpc = done(&["mpc", spec, "--order", "row-major", "--sizes", "2,5"]);
    assert_eq!(mpc.lines().count(), 3);
    done(&["map", spec, "--order", "row-major", "--guest", "ring:n=5", "--json"]);
    // Ids count places: the ring of a topology file keeps its limits.
    let limited =
        done(&["topology", "ibnetdiscover:ibnetdiscover.txt,limit=4,exclude=0", "--json"]);
    let limited: serde_json::Value = serde_json::from_str(&limited).unwrap();
    // RankDistances 0-2 are the first leaf's, one of them empty: node02 and node03 are left.
    assert_eq!(limited["nodes"], 2);
}

#[test]
fn a_target_file_is_a_grid_or_a_tree() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.tgt");
    std::fs::write(&file, "torusXD 3 8 4 2\n").unwrap();
    let spec = format!("tgt:{}", file.display());
    let text = done(&["topology", &spec]);
    assert!(text.contains("torus:2x4x8"), "{text}");
    let (success, text) = {
        std::fs::write(&file, "torusXD 3 8 4\n").unwrap();
        nodeorder(&["topology", &spec])
    };
    assert!(!success && text.contains("m.tgt:1: found `torusXD 3 8 4`"), "{text}");
}
