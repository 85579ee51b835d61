//! Files of real fabrics through the command: a topology in one command, names kept all the way to an export.

fn nodeorder(arguments: &[&str]) -> (bool, String) {
    let output = crate::command()
        .args(arguments)
        .current_dir(crate::root().join("tests/data"))
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
    let spec = [
        "export",
        "slurm-topology:topology.conf",
        "--order",
        "row-major",
        "--to",
    ];
    let csv = done(&[&spec[..], &["csv"]].concat());
    let names: Vec<&str> = csv
        .lines()
        .skip(1)
        .map(|l| l.rsplit(',').next().unwrap())
        .collect();
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
    done(&[
        "export",
        "torus:4x4",
        "--order",
        "hilbert",
        "--to",
        "slurm-topology",
        "-o",
        &file,
    ]);
    let ranks = |spec: &str, order: &str| {
        let csv = done(&["export", spec, "--order", order, "--to", "csv"]);
        let names = csv
            .lines()
            .skip(1)
            .map(|l| l.rsplit(',').next().unwrap().to_string());
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
    done(&[
        "map",
        spec,
        "--order",
        "row-major",
        "--guest",
        "ring:n=5",
        "--json",
    ]);
    // Ids count places: the ring of a topology file keeps its limits.
    let limited = done(&[
        "--quiet",
        "topology",
        "ibnetdiscover:ibnetdiscover.txt,limit=4,exclude=0",
        "--json",
    ]);
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
    assert!(
        !success && text.contains("m.tgt:1: found `torusXD 3 8 4`"),
        "{text}"
    );
}

/// Every kind of file through the command: hierarchical, levels, an ordering by name, the hosts of a job.
#[test]
fn every_imported_fabric_takes_hierarchical_and_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let node = |name: &str, leaf: &str, spine: &str| {
        let tier =
            |tier: u32, value: &str| format!("\"fabric.topograph.run/tier-{tier}\": \"{value}\"");
        format!(
            "{{\"metadata\": {{\"name\": \"{name}\", \"labels\": {{{}, {}}}}}}}",
            tier(0, leaf),
            tier(1, spine)
        )
    };
    let instance = |name: &str, leaf: &str, spine: &str| {
        format!("{{\"id\": \"{name}\", \"network_layers\": [\"{leaf}\", \"{spine}\"]}}")
    };
    let vertex = |name: &str, leaf: &str, spine: &str| {
        format!(
            "{{\"metadata\": {{\"type\": \"node\", \"name\": \"{name}\", \"paths\": {{\"containment\": \"/c/{spine}/{leaf}/{name}\"}}}}}}"
        )
    };
    let row = |name: &str, leaf: &str, spine: &str| format!("{name},{leaf},{spine}\n");
    let hosts = [
        ("a", "l1", "s1"),
        ("b", "l2", "s1"),
        ("c", "l1", "s1"),
        ("d", "l3", "s2"),
        ("e", "l4", "s2"),
    ];
    let all = |make: &dyn Fn(&str, &str, &str) -> String, between: &str| -> String {
        hosts
            .iter()
            .map(|(name, leaf, spine)| make(name, leaf, spine))
            .collect::<Vec<_>>()
            .join(between)
    };
    let conf = "SwitchName=l1 Nodes=a,c\nSwitchName=l2 Nodes=b\nSwitchName=l3 Nodes=d\nSwitchName=l4 Nodes=e\n\
                SwitchName=s1 Switches=l1,l2\nSwitchName=s2 Switches=l[3-4]\nSwitchName=t Switches=s1,s2\n";
    let files = [
        ("slurm-topology", conf.to_string()),
        ("tiers", "host,leaf,spine\n".to_string() + &all(&row, "")),
        (
            "k8s-nodes",
            format!("{{\"items\": [{}]}}", all(&node, ",\n")),
        ),
        (
            "topograph",
            format!("{{\"instances\": [{}]}}", all(&instance, ",\n")),
        ),
        (
            "jgf",
            format!("{{\"graph\": {{\"nodes\": [{}]}}}}", all(&vertex, ",\n")),
        ),
    ];
    let spec = |kind: &str| format!("{kind}:{}", folder.path().join(kind).display());
    for (kind, text) in &files {
        std::fs::write(folder.path().join(kind), text).unwrap();
        let spec = spec(kind);
        let names = done(&["order", &spec, "--by", "hierarchical", "--names"]);
        let names: Vec<&str> = names
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(names, ["a", "c", "b", "d", "e"], "{kind}");
        done(&["order", &spec, "--by", "hierarchical:scatter=true"]);
        let json = done(&["--quiet", "topology", &spec, "--json"]);
        let found: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&found["diameter"], &found["components"]),
            (&4.into(), &1.into()),
            "{kind}"
        );
        let levels: Vec<_> = found["levels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|l| l["units"].clone())
            .collect();
        assert_eq!(levels, [2, 4], "{kind}");
        let hosts = done(&["--quiet", "hosts", &spec, "--nodes", "e,b,c,a"]);
        assert_eq!(hosts, "c\na\nb\ne\n".replace("c\na", "a\nc"), "{kind}");
        // All describe one fabric.
        let first = files[0].0;
        let conf = format!("{first}:{}", folder.path().join(first).display());
        let (same, text) = nodeorder(&["--quiet", "topology", &conf, "--check", &spec]);
        assert!(same && text == "what,name,here,there\n", "{kind}: {text}");
    }
    let drifted = conf
        .replace("Nodes=d", "Nodes=d,e")
        .replace("Nodes=e\n", "Nodes=f\n");
    std::fs::write(folder.path().join("other"), drifted).unwrap();
    let other = format!("slurm-topology:{}", folder.path().join("other").display());
    let (same, text) = nodeorder(&["topology", &spec("slurm-topology"), "--check", &other]);
    assert!(
        !same && text.contains("moved,e,l4,l3\n") && text.contains("added,f,,l4\n"),
        "{text}"
    );
}

#[test]
fn nodes_that_are_down_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let states = folder.path().join("states");
    std::fs::write(
        &states,
        "nid00001 idle\nnid00002 drain\nnid00003 down*\nnid00003 down*\ngpu1 mix\nnid00004 idle*\n",
    )
    .unwrap();
    let spec = format!(
        "slurm-topology:topology.conf,exclude={}+nid0000[5-6]+login1",
        states.display()
    );
    let names = done(&["order", &spec, "--by", "row-major", "--names"]);
    let names: Vec<&str> = names
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    assert_eq!(names, ["nid00001", "nid00007", "gpu1", "gpu2"]);
    let (success, text) = nodeorder(&["topology", "slurm-topology:topology.conf,exclude=nid9"]);
    assert!(
        !success
            && text.contains("exclude `nid9`")
            && text.contains("a name, host list or file of names"),
        "{text}"
    );
}

#[test]
fn figures_of_a_forest_are_empty_where_no_path_is() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let conf = write(
        "topology.conf",
        "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n",
    );
    let log = write("log", "P 1 3\nP 2 3\nP 3 2\nF 1\n");
    let spec = format!("slurm-topology:{conf}");
    let rows = done(&[
        "--quiet",
        "replay",
        &spec,
        "--order",
        "row-major",
        "--log",
        &log,
        "--alloc",
        "fifo:0",
    ]);
    let columns = [
        "job",
        "total_distance",
        "mind",
        "linear_span",
        "ring_span",
        "components",
    ];
    let rows = crate::table::fields(&rows, &columns);
    assert_eq!(rows, ["1,0,0,3,3,1", "2,,,3,3,2", "3,0,0,2,2,1"]);
    let json = done(&[
        "--quiet",
        "replay",
        &spec,
        "--order",
        "row-major",
        "--log",
        &log,
        "--alloc",
        "fifo:0",
        "--json",
    ]);
    assert!(
        json.contains("\"spanning\":1") || json.contains("\"spanning\": 1"),
        "{json}"
    );
    let mpc = done(&[
        "mpc",
        &spec,
        "--order",
        "row-major",
        "--order",
        "hierarchical:scatter=true",
    ]);
    assert!(
        mpc.contains("row-major: ") && mpc.contains("% of windows span components: left out"),
        "{mpc}"
    );
    assert!(
        mpc.contains("row-major,4,0\n") && !mpc.contains("row-major,5,"),
        "{mpc}"
    );
    let page = folder.path().join("page").display().to_string();
    let table = done(&["compare", &spec, "--out", &page]);
    assert!(table.contains("row-major"), "{table}");
    let html = std::fs::read_to_string(folder.path().join("page/index.html")).unwrap();
    assert!(
        html.contains("leaves out the fewest windows that span components"),
        "{html:.2000}"
    );
    assert_eq!(
        html.matches("Windows left out").count(),
        2,
        "a column of the ranking and a term"
    );
    for refused in [
        vec!["map", &spec, "--guest", "ring:n=4", "--order", "row-major"],
        vec!["order", &spec, "--by", "optimise:steps=10"],
        vec!["score", &spec, "--order", "row-major"],
    ] {
        let (success, text) = nodeorder(&refused);
        assert!(
            !success && text.contains("in 2 components that no path joins"),
            "{refused:?}: {text}"
        );
    }
}

#[test]
fn hosts_of_a_job_come_in_every_form() {
    let spec = "slurm-topology:topology.conf";
    let nodes = "gpu1,nid0000[3,1,7]";
    let hosts =
        |more: &[&str]| done(&[&["--quiet", "hosts", spec, "--nodes", nodes][..], more].concat());
    assert_eq!(
        hosts(&["--by", "row-major"]),
        "nid00001\nnid00003\nnid00007\ngpu1\n"
    );
    assert_eq!(
        hosts(&["--by", "row-major", "--to", "host-list"]),
        "nid[00001,00003,00007],gpu1\n"
    );
    let ranks = hosts(&[
        "--by",
        "row-major",
        "--to",
        "mpich-rank-order",
        "--per-node",
        "2",
    ]);
    assert!(ranks.ends_with("\n6,7\n2,3\n0,1\n4,5\n"), "{ranks}");
    let guest = hosts(&["--guest", "ring:n=8", "--per-node", "2"]);
    let mut sorted: Vec<&str> = guest.lines().collect();
    sorted.sort_unstable();
    assert_eq!(sorted, ["gpu1", "nid00001", "nid00003", "nid00007"]);
    for (arguments, message) in [
        (
            vec!["--nodes", "nid00001,mid1"],
            "found `mid1`; expected a node id from 0 to",
        ),
        (vec!["--nodes", "n["], "expected a host list"),
        (
            vec!["--nodes", "gpu1", "--to", "hostz"],
            "did you mean `hosts`",
        ),
        (
            vec!["--nodes", "gpu1", "--guest", "ring:n=3"],
            "found 3 processes; expected 1: 1 hosts of 1",
        ),
    ] {
        let (success, text) = nodeorder(&[&["hosts", spec][..], &arguments].concat());
        assert!(!success && text.contains(message), "{arguments:?}: {text}");
    }
}
