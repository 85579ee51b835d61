//! Two descriptions of one machine, compared link by link; and what a description leaves open.

use std::fmt::Write as _;
use std::path::Path;

use nodeorder_network::topology::LinkedRouters;
use nodeorder_network::topology::check::{Difference, check};
use nodeorder_network::{Context, Topology};
use proptest::prelude::*;

/// Runs a command in a folder: whether it succeeded, standard output, standard error.
fn run(folder: &Path, args: &[&str]) -> (bool, String, String) {
    let output = crate::command()
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

const ROWS: &str = "SwitchName=leaf0 Nodes=n[00-03]\nSwitchName=leaf1 Nodes=n[04-07]\n\
                    SwitchName=leaf2 Nodes=n[08-11]\nSwitchName=leaf3 Nodes=n[12-15]\n\
                    SwitchName=row0 Switches=leaf[0-1]\nSwitchName=row1 Switches=leaf[2-3]\n";

fn tree() -> String {
    format!("{ROWS}SwitchName=core Switches=row[0-1]\n")
}

/// The differences, or none where the machines are the same.
fn differences(folder: &Path, a: &str, b: &str) -> Vec<String> {
    let (same, out, error) = run(folder, &["topology", a, "--check", b]);
    let mut rows = out.lines().map(String::from);
    assert_eq!(
        rows.next().as_deref(),
        Some("what,name,here,there"),
        "{a} {b}: {error}"
    );
    let rows: Vec<String> = rows.collect();
    assert_eq!(same, rows.is_empty(), "{a} {b}: {out}{error}");
    rows
}

#[test]
fn links_and_components_are_compared_not_membership_alone() {
    let merged = ROWS
        .replace("leaf[0-1]", "leaf[0-3]")
        .replace("row1 Switches=leaf[2-3]", "core Switches=row0");
    let folder = folder(&[
        ("r1.conf", &tree()),
        ("r3.conf", ROWS),
        ("r4.conf", &merged),
        ("path.csv", "0,1\n1,2\n2,3\n"),
        ("star.csv", "0,1\n0,2\n0,3\n"),
        ("twice.csv", "0,1\n1,2,2\n2,3\n"),
    ]);
    let rows = |a: &str, b: &str| differences(folder.path(), a, b);
    let conf = |name: &str| format!("slurm-topology:{name}.conf");
    assert_eq!(
        rows(&conf("r1"), &conf("r3")),
        ["components,nodes,1,2", "switch,core,linked to row0 row1,"]
    );
    assert_eq!(
        rows(&conf("r3"), &conf("r1")),
        ["components,nodes,2,1", "switch,core,,linked to row0 row1"]
    );
    let cut = rows(&conf("r1"), &conf("r4"));
    assert_eq!(cut[0], "switch,row1,linked to leaf2 leaf3 core,");
    assert_eq!(
        cut[1..],
        ["link,leaf2 to row0,0,1", "link,leaf3 to row0,0,1"]
    );
    let star = rows("graph:path.csv", "graph:star.csv");
    assert_eq!(
        star,
        [
            "link,n0 to n2,0,1",
            "link,n0 to n3,0,1",
            "link,n1 to n2,1,0",
            "link,n2 to n3,1,0"
        ]
    );
    assert_eq!(
        rows("graph:path.csv", "graph:twice.csv"),
        ["link,n1 to n2,1,2"]
    );
    assert_eq!(
        rows("torus:8x8x8", "torus:16x8x4")[0],
        "shape,extents,8x8x8,16x8x4"
    );
    let mesh = rows("torus:4x4", "mesh:4x4");
    assert_eq!(
        (mesh[0].as_str(), mesh[1].as_str()),
        ("shape,wrap,11,00", "link,n00 to n03,1,0")
    );
    for same in ["grid:4x4,wrap=11", "torus:4x4"] {
        assert!(rows("torus:4x4", same).is_empty());
    }
    let (_, json, _) = run(
        folder.path(),
        &["topology", "torus:4x4", "--check", "mesh:4x4", "--json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["count"], &json["differences"][0]["what"]),
        (&9.into(), &"shape".into())
    );
}

/// topology.conf has one switch above each group of leaves, however many there are.
#[test]
fn an_outline_is_compared_by_its_units() {
    let moved = tree()
        .replace("leaf[0-1]", "leaf[0,2]")
        .replace("leaf[2-3]", "leaf[1,3]");
    let folder = folder(&[
        ("r1.conf", &tree()),
        ("r3.conf", ROWS),
        ("moved.conf", &moved),
    ]);
    let fabric = "xgft:m=4x2x2,w=1x2x2";
    let args = |conf: &'static str| ["topology", conf, "--check", fabric];
    let (same, _, error) = run(folder.path(), &args("slurm-topology:r1.conf"));
    assert!(
        same && error
            .contains("not compared: widths of links, which slurm-topology:r1.conf does not say"),
        "{error}"
    );
    assert!(
        error.contains("not compared: switches above those with nodes (3 here, 8 there)"),
        "{error}"
    );
    let rows = |a: &str, b: &str| differences(folder.path(), a, b);
    assert_eq!(
        rows("slurm-topology:r3.conf", fabric)[0],
        "components,nodes,2,1"
    );
    assert!(rows(fabric, "slurm-topology:moved.conf")[0].starts_with("unit,n["));
    // Widths count once they are given.
    assert!(rows(fabric, "slurm-topology:r1.conf,uplinks=2").is_empty());
    assert_eq!(
        rows(fabric, "slurm-topology:r1.conf,uplinks=3")[0],
        "width,n[00-03],2,3"
    );
    let listed = |k: u32| format!("slurm-topology:r1.conf,uplinks={k}");
    assert_eq!(rows(&listed(1), &listed(2))[0], "link,leaf0 to row0,1,2");
}

#[test]
fn a_million_nodes_are_compared_within_memory() {
    let folder = folder(&[]);
    let machine = |spec: &str, other: &str, memory: &str| {
        run(
            folder.path(),
            &["topology", spec, "--check", other, "--memory", memory],
        )
    };
    let (same, _, error) = machine(
        "xgft:m=64x128x128,w=1x4x4",
        "xgft:m=64x128x128,w=1x4x4,limit=1048576",
        "1G",
    );
    assert!(same, "{error}");
    let (same, _, error) = machine("torus:100x100x100", "mesh:100x100x100", "10M");
    assert!(
        !same && error.contains("needs about") && error.contains("10.0 MB"),
        "{error}"
    );
}

const JOBS: &str = "[[jobs]]\nname = 'a'\nguest = 'ring:n=16'\nnodes = '0-15'\nbytes = '1MB'\n";

/// Traffic from every leaf to the next: the busiest link is up from a leaf.
#[test]
fn uplinks_and_link_speeds_are_capacities() {
    let leaf_speed = |text: &str| text.replace("n[00-03]", "n[00-03] LinkSpeed=400");
    let some = leaf_speed(&tree()).replace("n[04-07]", "n[04-07] LinkSpeed=100");
    let folder = folder(&[("t.conf", &tree()), ("some.conf", &some)]);
    let map = |spec: &str| {
        let args = [
            "map",
            spec,
            "--guest",
            "all-to-all:n=16",
            "--order",
            "row-major",
            "--json",
        ];
        let (done, out, error) = run(folder.path(), &args);
        assert!(done, "{error}");
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        (
            json["contention_max"].as_f64().unwrap(),
            json["assumed"].clone(),
            error,
        )
    };
    let said = "one uplink of capacity 1 for each of 6 switches; uplinks=K sets it";
    let (one, assumed, error) = map("slurm-topology:t.conf");
    assert_eq!(
        (assumed, error),
        (
            said.into(),
            format!("slurm-topology:t.conf: assumed: {said}\n")
        )
    );
    let (four, assumed, error) = map("slurm-topology:t.conf,uplinks=4");
    assert_eq!(
        (one / four, assumed.is_null(), error.as_str()),
        (4.0, true, "")
    );
    let edges = |spec: &str| {
        let (done, _, error) = run(folder.path(), &["topology", spec, "--edges", "edges.csv"]);
        assert!(done, "{error}");
        std::fs::read_to_string(folder.path().join("edges.csv")).unwrap()
    };
    // Leaves are routers 0 to 3, the rows 4 and 5.
    let widths = edges("slurm-topology:some.conf,uplinks=2");
    assert_eq!(
        widths,
        "u,v,capacity,cables\n0,4,4,2\n1,4,1,2\n2,5,1,2\n3,5,1,2\n4,6,1,2\n5,6,1,2\n"
    );
    let (_, assumed, _) = map("slurm-topology:some.conf");
    let text = assumed.as_str().unwrap();
    assert!(
        text.contains(
            "as wide as LinkSpeed= says (1 for 100, and for 4 without it) for each of 6 switches"
        ),
        "{text}"
    );
}

#[test]
fn commands_and_pages_say_what_is_assumed() {
    let trace: String = (1..9).fold(String::new(), |mut text, job| {
        let at = job * 10;
        writeln!(text, "{job} {at} 0 600 4 -1 -1 4 900 -1 1 1 1 1 1 -1 -1 -1").unwrap();
        text
    });
    let folder = folder(&[("t.conf", &tree()), ("jobs.toml", JOBS), ("t.swf", &trace)]);
    let spec = "slurm-topology:t.conf";
    let said = |args: &[&str], times: usize| {
        let (done, _, error) = run(folder.path(), args);
        assert!(done, "{args:?}: {error}");
        assert_eq!(
            error
                .matches("assumed: one uplink of capacity 1 for each of 6 switches")
                .count(),
            times,
            "{args:?}: {error}"
        );
    };
    said(&["corun", spec, "--jobs", "jobs.toml"], 1);
    let schedule = [
        "schedule",
        spec,
        "--order",
        "row-major",
        "--trace",
        "t.swf",
        "--policy",
        "easy",
        "--alloc",
        "fifo",
    ];
    said(
        &[
            &schedule[..],
            &["--model", "network:share=0.2,guest=stencil3d"],
        ]
        .concat(),
        1,
    );
    said(&schedule, 0);
    said(
        &[
            "compare",
            spec,
            "--trace",
            "t.swf",
            "--order",
            "row-major",
            "--out",
            "out",
        ],
        1,
    );
    said(
        &[
            "machines",
            spec,
            "torus:4x4",
            "--trace",
            "t.swf",
            "--out",
            "both",
        ],
        1,
    );
    said(&["mpc", spec, "--order", "row-major"], 0);
    let settings = ["tune", spec, "--trace", "t.swf", "--out", "settings"];
    let model = ["--model", "network:share=0.2,guest=stencil3d"];
    said(&[&settings[..], &model].concat(), 1);
    said(&["sweep", "page", "settings"], 0);
    let lists = format!("topologies = ['{spec}', 'torus:4x4']\norderings = ['row-major', 'bfs']\n");
    let plan = lists.clone() + "guests = ['ring:n=4']\nroutings = ['ecmp-hop']\n";
    std::fs::write(folder.path().join("p.toml"), plan).unwrap();
    std::fs::write(folder.path().join("curves.toml"), lists).unwrap();
    said(&["sweep", "run", "p.toml", "--out", "swept"], 1);
    said(
        &["sweep", "run", "p.toml", "--out", "parts", "--shard", "0/2"],
        1,
    );
    said(
        &["sweep", "run", "p.toml", "--out", "parts", "--shard", "1/2"],
        1,
    );
    said(&["sweep", "merge", "parts"], 0);
    said(&["sweep", "page", "swept"], 0);
    said(&["sweep", "page", "parts"], 0);
    said(&["sweep", "run", "curves.toml", "--out", "curves"], 0);
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&run(folder.path(), args).1).unwrap()
    };
    let text = "one uplink of capacity 1 for each of 6 switches; uplinks=K sets it";
    let document = json(&[&settings[..4], &model, &["--json"]].concat());
    assert_eq!(document["assumed"], text, "{document}");
    assert!(json(&[&settings[..4], &["--json"]].concat())["assumed"].is_null());
    assert_eq!(
        json(&["corun", spec, "--jobs", "jobs.toml", "--json"])["assumed"],
        text
    );
    for page in ["out", "both", "settings", "swept", "parts"] {
        let page = std::fs::read_to_string(folder.path().join(page).join("index.html")).unwrap();
        assert!(page.contains("one uplink of capacity 1 for each of 6 switches"));
    }
    let (_, figures, _) = run(folder.path(), &["topology", spec]);
    assert!(
        figures.contains("\nassumed        one uplink of capacity 1"),
        "{figures}"
    );
}

/// Each importer takes uplinks; what is no tree refuses them.
#[test]
fn every_outline_takes_uplinks() {
    let node = |name: &str, leaf: &str| {
        format!(
            "{{\"metadata\": {{\"name\": \"{name}\", \"labels\": {{\"network.topology.nvidia.com/leaf\": \"{leaf}\"}}}}}}"
        )
    };
    let vertex = |name: &str, path: &str, kind: &str| {
        format!(
            "{{\"metadata\": {{\"type\": \"{kind}\", \"name\": \"{name}\", \"paths\": {{\"containment\": \"{path}\"}}}}}}"
        )
    };
    let k8s = format!("{{\"items\": [{}, {}]}}", node("a", "l1"), node("b", "l2"));
    let jgf = [
        vertex("a", "/c/l1/a", "node"),
        vertex("b", "/c/l2/b", "node"),
    ]
    .join(",");
    let folder = folder(&[
        ("tiers", "host,leaf\na,l1\nb,l2\n"),
        ("k8s-nodes", &k8s),
        ("jgf", &format!("{{\"graph\": {{\"nodes\": [{jgf}]}}}}")),
        (
            "topograph",
            "{\"instances\": [{\"id\": \"a\", \"network_layers\": [\"l1\"]}, {\"id\": \"b\", \"network_layers\": [\"l2\"]}]}",
        ),
        (
            "slurm-topology",
            "SwitchName=l1 Nodes=a\nSwitchName=l2 Nodes=b\nSwitchName=t Switches=l1,l2\n",
        ),
        ("ring", "RingName=r Nodes=n[1-4]\n"),
    ]);
    for kind in ["tiers", "k8s-nodes", "jgf", "topograph", "slurm-topology"] {
        let spec = format!("{kind}:{kind},uplinks=3");
        let (done, _, error) = run(folder.path(), &["topology", &spec, "--edges", "e.csv"]);
        assert!(done, "{kind}: {error}");
        let edges = std::fs::read_to_string(folder.path().join("e.csv")).unwrap();
        assert_eq!(edges, "u,v,cables\n0,2,3\n1,2,3\n", "{kind}");
        assert!(
            differences(
                folder.path(),
                &spec,
                "slurm-topology:slurm-topology,uplinks=3"
            )
            .is_empty(),
            "{kind}"
        );
    }
    let (done, _, error) = run(
        folder.path(),
        &["topology", "slurm-topology:ring,uplinks=3"],
    );
    assert!(
        !done && error.contains("uplinks = `3`") && error.contains("a tree of switches"),
        "{error}"
    );
    std::fs::write(
        folder.path().join("bad"),
        "SwitchName=a Nodes=n LinkSpeed=fast\n",
    )
    .unwrap();
    let (done, _, error) = run(folder.path(), &["topology", "slurm-topology:bad"]);
    assert!(
        !done && error.starts_with("error: bad:1: found LinkSpeed=fast; expected a whole number"),
        "{error}"
    );
}

#[test]
fn topology_files_that_are_misread_are_refused() {
    let folder = folder(&[
        (
            "th.csv",
            "node01,rack1,row1\nnode02,rack1,row1\nnode03,rack2,row1\nnode04,rack2,row1\n",
        ),
        ("own.csv", "# hosts\nnode01,rack1\nnode02,rack2\n"),
        ("back.csv", "rack,Host\nr1,node01\nr2,node02\n"),
        ("all.conf", "# all\nSwitchName=s Nodes=ALL\n"),
    ]);
    let error = |spec: &str| {
        let (done, _, error) = run(folder.path(), &["topology", spec, "--memory", "4G"]);
        assert!(!done, "{spec}");
        error
    };
    let found = error("tiers:th.csv");
    assert!(
        found.starts_with("error: th.csv:1: found `node01,rack1,row1`; expected a header"),
        "{found}"
    );
    let found = error("tiers:own.csv");
    assert!(
        found.starts_with("error: own.csv:2: found `node01,rack1`; expected a header"),
        "{found}"
    );
    let found = error("tiers:back.csv");
    assert!(
        found.starts_with("error: back.csv:1: found `rack` before the column `Host`"),
        "{found}"
    );
    let found = error("slurm-topology:all.conf");
    assert!(
        found.starts_with("error: all.conf:2: Nodes=ALL") && found.contains("nodes=LIST"),
        "{found}"
    );
    if cfg!(unix) {
        for kind in ["graph", "tiers", "slurm-topology", "ibnetdiscover", "jgf"] {
            let found = error(&format!("{kind}:/dev/zero"));
            assert_eq!(
                found, "error: /dev/zero:1: found a byte 0, which no text has; expected a text\n",
                "{kind}"
            );
        }
        let found = error("graph:/dev/urandom");
        assert!(
            found.starts_with("error: /dev/urandom:") && found.contains("expected"),
            "{found}"
        );
    }
}

fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Context::default()).unwrap()
}

/// Three leaves below two switches below one.
const TREE: &str = "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c Nodes=n[9-12]\n\
                    SwitchName=s Switches=a,b\nSwitchName=t Switches=c\nSwitchName=r Switches=s,t\n";

fn rows(here: &Topology, there: &Topology) -> Vec<String> {
    let found = check(here, there).unwrap();
    assert_eq!(found.count, found.differences.len() as u64);
    let row = |d: Difference| [d.what.into(), d.name, d.here, d.there].join(",");
    found.differences.into_iter().map(row).collect()
}

fn from(change: &[(&str, &str)]) -> Vec<String> {
    let other = change
        .iter()
        .fold(TREE.to_string(), |text, (a, b)| text.replace(a, b));
    let machine = |text: &str| {
        let folder = folder(&[("t", text)]);
        build(&format!(
            "slurm-topology:{}",
            folder.path().join("t").display()
        ))
    };
    rows(&machine(TREE), &machine(&other))
}

#[test]
fn differences_are_named() {
    assert!(from(&[]).is_empty());
    let first_line = "SwitchName=a Nodes=n[1-4]\n";
    let reordered = format!("{first_line}SwitchName=s");
    assert!(from(&[(first_line, ""), ("SwitchName=s", &reordered)]).is_empty());
    // Another name of a switch is no difference.
    assert!(from(&[("SwitchName=b", "SwitchName=leaf7"), ("a,b", "a,leaf7")]).is_empty());
    assert_eq!(from(&[("n[5-8]", "n[5-7]")]), ["missing,n8,b,"]);
    assert_eq!(from(&[("n[5-8]", "n[5-8],x")]), ["added,x,,b"]);
    assert_eq!(
        from(&[("n[1-4]", "n[1-3]"), ("n[5-8]", "n[4-8]")]),
        ["moved,n4,a,b"]
    );
    assert_eq!(from(&[("n[9-12]", "n[9-11],x12")]), ["renamed,c,n12,x12"]);
    // Both leaves swap a node: each keeps its name.
    let swapped = from(&[("n[1-4]", "n[1-3],n5"), ("n[5-8]", "n[4,6-8]")]);
    assert_eq!(swapped, ["moved,n4,a,b", "moved,n5,b,a"]);
    let other_row = from(&[
        ("Switches=a,b", "Switches=a"),
        ("Switches=c", "Switches=b,c"),
    ]);
    assert_eq!(other_row, ["link,b to s,1,0", "link,b to t,0,1"]);
}

/// A leaf switch with a node below so many switches without nodes, and links between these.
fn above(switches: u32, links: &[(u32, u32)]) -> Topology {
    let mut all: Vec<(u32, u32)> = (1..=switches).map(|s| (0, s)).collect();
    all.extend(links.iter().map(|(a, b)| (a + 1, b + 1)));
    let routers = LinkedRouters {
        name: "f".into(),
        routers: switches + 1,
        hosts: 1,
        per_router: 1,
        links: all,
        names: vec!["n".into()],
        ..Default::default()
    };
    Topology::linked(routers, &Context::default()).unwrap()
}

#[test]
fn switches_that_look_alike_are_told_apart() {
    let ring = above(6, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]);
    let other = above(6, &[(0, 3), (3, 1), (1, 4), (4, 2), (2, 5), (5, 0)]);
    let two = above(6, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]);
    assert!(rows(&ring, &other).is_empty());
    let found = rows(&ring, &two);
    assert!(
        found.len() == 1 && found[0].starts_with("switch,6 switches"),
        "{found:?}"
    );
}

#[test]
fn families_that_build_one_network_are_the_same() {
    for (a, b) in [
        ("torus:4x6", "grid:4x6,wrap=11"),
        ("fat-tree:k=6", "xgft:m=3x3x6,w=1x3x3"),
        ("mesh:5", "grid:5,wrap=0"),
        ("hyperx:2x2", "torus:2x2"),
    ] {
        assert!(rows(&build(a), &build(b)).is_empty(), "{a} {b}");
    }
    assert_eq!(
        rows(&build("torus:4"), &build("torus:4,exclude=0")),
        ["missing,n0,n0,"]
    );
    let found = rows(&build("torus:4x6"), &build("mesh:4x6"));
    assert_eq!(
        (found[0].as_str(), found.len()),
        ("shape,wrap,11,00", 1 + 4 + 6)
    );
}

fn permutations(of: Vec<u32>) -> Vec<Vec<u32>> {
    if of.len() < 2 {
        return vec![of];
    }
    let first = |i: usize| {
        let mut rest = of.clone();
        let head = rest.remove(i);
        permutations(rest)
            .into_iter()
            .map(move |tail| [vec![head], tail].concat())
    };
    (0..of.len()).flat_map(first).collect()
}

proptest! {
    /// Against all ways of taking switches for each other; half the pairs are one network.
    #[test]
    fn the_same_where_some_renumbering_gives_the_same_links(
        n in 1u32..6, bits in any::<[u16; 2]>(), same in any::<bool>(), turn in 0usize..120,
    ) {
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (0..a).map(move |b| (b, a))).collect();
        let drawn = |bits: u16| -> Vec<(u32, u32)> {
            pairs.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, p)| *p).collect()
        };
        let ways = permutations((0..n).collect());
        let renumbered = |links: &[(u32, u32)], way: &[u32]| {
            let to = |(a, b): &(u32, u32)| (way[*a as usize], way[*b as usize]);
            let mut links: Vec<_> = links.iter().map(to).map(|(a, b)| (a.min(b), a.max(b))).collect();
            links.sort_unstable();
            links
        };
        let one = drawn(bits[0]);
        let other = if same { renumbered(&one, &ways[turn % ways.len()]) } else { drawn(bits[1]) };
        let mut sorted = other.clone();
        sorted.sort_unstable();
        let expected = ways.iter().any(|way| renumbered(&one, way) == sorted);
        prop_assert_eq!(rows(&above(n, &one), &above(n, &other)).is_empty(), expected);
    }
}
