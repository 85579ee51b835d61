//! `--names`: node names in the place of ids and ranks, and read wherever ids are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nodeorder_base::{Line, NodeId, Text};
use nodeorder_network::Context;
use nodeorder_network::catalog;
use nodeorder_order::NodeOrder;
use nodeorder_traffic::corun::Job;
use nodeorder_traffic::mapping::{Guest, ProcessMapping};
use proptest::prelude::*;

fn done(folder: &Path, arguments: &str) -> String {
    let mut command = crate::command();
    let output = command
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The nodes of host lists of the form that the machine below has, written out.
fn expanded(list: &str) -> Vec<u32> {
    let inside = list.strip_prefix("nid").unwrap();
    let inside = inside
        .strip_prefix('[')
        .map_or(inside, |rest| rest.strip_suffix(']').unwrap());
    let ends = inside
        .split(',')
        .map(|part| part.split_once('-').unwrap_or((part, part)));
    ends.flat_map(|(a, b)| {
        assert_eq!((a.len(), b.len()), (5, 5));
        a.parse::<u32>().unwrap()..=b.parse().unwrap()
    })
    .collect()
}

/// The rows of a table by column; fields may stand in quotes.
fn rows(table: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn host_lists_name_the_nodes_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("jobs.log"), "P a 5\nP b 7\nF a\nP c 9\nP d 1\n").unwrap();
    let jobs = (1..9).map(|i| format!("{i} {i} 0 9 {i} -1 -1 {i} 9 -1 1 1 1 1 1 1 -1 -1\n"));
    fs::write(folder.join("t.swf"), jobs.collect::<String>()).unwrap();
    let machine = "torus:6x6,exclude=7,names=nid{:05} --order hilbert";
    let order: Vec<u32> = done(folder, "order torus:6x6,exclude=7 --by hilbert")
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    assert_eq!(order.len(), 35);
    for command in [
        format!("replay {machine} --log jobs.log --alloc random --alloc fifo:0"),
        format!("schedule {machine} --trace t.swf --policy fcfs --alloc random"),
    ] {
        let both = rows(&done(folder, &format!("{command} --ranks --names")));
        assert!(both.len() >= 8);
        for row in &both {
            let mut nodes = Vec::new();
            for run in row["ranks"].split(' ') {
                let (first, last) = run.split_once('-').unwrap_or((run, run));
                let ranks = first.parse::<usize>().unwrap()..=last.parse().unwrap();
                nodes.extend(ranks.map(|rank| order[rank]));
            }
            nodes.sort_unstable();
            assert_eq!(expanded(&row["hosts"]), nodes);
        }
        // Alone it stands where the ranks would.
        let names = rows(&done(folder, &format!("{command} --names")));
        assert!(names.iter().all(|row| !row.contains_key("ranks")));
        let column = |rows: &[BTreeMap<String, String>]| {
            rows.iter()
                .map(|row| row["hosts"].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(column(&names), column(&both));
    }
}

#[test]
fn orderings_and_mappings_of_names_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table: String = (0..12)
        .map(|i| format!("{i},rack{}-{:02}\n", i / 4, 11 - i))
        .collect();
    fs::write(folder.join("names.csv"), table).unwrap();
    for machine in [
        "torus:4x3",
        "torus:4x3,names=nid{:03}",
        "torus:4x3,names=names.csv",
    ] {
        let order = |more: &str| {
            done(
                folder,
                &format!("order {machine} --by snake {more}-o o.txt"),
            )
        };
        order("--names ");
        let named = fs::read_to_string(folder.join("o.txt")).unwrap();
        let lines: Vec<&str> = named
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert!(
            lines.len() == 12 && lines.iter().all(|l| l.parse::<u32>().is_err()),
            "{named}"
        );
        let curve = done(folder, &format!("mpc {machine} --order o.txt"));
        assert_eq!(
            curve,
            done(folder, &format!("mpc {machine} --order snake")).replace("snake", "o.txt")
        );
        let json = done(
            folder,
            &format!("order {machine} --by snake --names --json"),
        );
        assert!(
            json.contains(&format!("[\"{}\",\"{}\"", lines[0], lines[1])),
            "{json}"
        );

        let map = format!("map {machine} --guest ring:n=9 --json");
        let by_order = done(folder, &format!("{map} --order snake -o m.csv --names"));
        let mapping = fs::read_to_string(folder.join("m.csv")).unwrap();
        assert!(
            mapping.starts_with(&format!("process,node\n0,{}\n", lines[0])),
            "{mapping}"
        );
        let figure = |json: &str| {
            json.lines()
                .find(|l| l.contains("hop_bytes"))
                .map(String::from)
        };
        let by_names = done(folder, &format!("{map} --mapping m.csv"));
        assert_eq!(figure(&by_order), figure(&by_names));
    }
}

#[test]
fn names_that_do_not_read_back_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (names, shown) in [
        ("0,\"a,b\"\n1,x\n2,y\n", "`a,b`"),
        ("0,a b\n1,x\n2,y\n", "`a b`"),
    ] {
        fs::write(folder.path().join("names.csv"), names).unwrap();
        let mut command = crate::command();
        command.args([
            "order",
            "mesh:3,names=names.csv",
            "--by",
            "snake",
            "--names",
        ]);
        let output = command.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty() && said.contains(shown), "{said}");
    }
}

/// What a command says on standard error where it fails.
fn refused(folder: &Path, arguments: &str) -> String {
    let mut command = crate::command();
    let output = command
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments}");
    String::from_utf8(output.stderr).unwrap()
}

/// What a command that works says on standard error.
fn said(folder: &Path, arguments: &str) -> String {
    let mut command = crate::command();
    let output = command
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{arguments}: {said}");
    said
}

/// 16 hosts called 1 to 16 in four racks.
fn numbered(folder: &Path) {
    let rows: String = (1..=16)
        .map(|i| format!("{i},r{}\n", (i - 1) / 4))
        .collect();
    fs::write(folder.join("num.csv"), format!("host,rack\n{rows}")).unwrap();
}

/// The nodes that every reader of lists finds in `list`, as ids; `None` where it refuses the list. `hosts` takes
/// them in the list's order, and so do all others but `exclude`.
fn read_by_all(folder: &Path, machine: &str, list: &str) -> Vec<(&'static str, Option<Vec<u32>>)> {
    let context = Context::default();
    let spec = machine.replace("FOLDER", &folder.display().to_string());
    let topology = catalog::topology(&spec, &context).unwrap();
    let mut found = Vec::new();
    fs::write(folder.join("list.txt"), format!("{list}\n")).unwrap();

    let text = Text::new("order.txt", format!("# names: yes\n{list}\n"));
    let ids = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect::<Vec<_>>();
    found.push((
        "ordering",
        NodeOrder::read(&topology, &text)
            .ok()
            .map(|o| ids(o.nodes())),
    ));

    let listed = topology
        .nodes_named(list, &Line::new("list", 1, list), 0)
        .ok();
    found.push(("list", listed.map(|nodes| ids(&nodes))));

    let left_out = |exclude: &str| {
        let machine = catalog::topology(&format!("{spec},exclude={exclude}"), &context).ok()?;
        Some(
            machine
                .nodes()
                .excluded_nodes()
                .map(|node| node.0)
                .collect::<Vec<_>>(),
        )
    };
    // Of a list that is not sorted the excluded nodes are.
    let sorted = |nodes: Option<Vec<u32>>| nodes.filter(|nodes| nodes.is_sorted());
    let inline = list.replace(',', "+");
    let file = folder.join("list.txt").display().to_string();
    let ascending = found[1].1.as_ref().is_none_or(|nodes| nodes.is_sorted());
    if ascending {
        found.push(("exclude", sorted(left_out(&inline))));
        found.push(("exclude a file", sorted(left_out(&file))));
    }

    let jobs = "[[jobs]]\nname = 'a'\nguest = 'all-to-all:n=1'\nbytes = 1\ncompute = 1\nnodes = ";
    let jobs = Text::new("jobs.toml", format!("{jobs}['{list}']\n"));
    let jobs = Job::read_all(&topology, &jobs, None);
    found.push(("jobs", jobs.ok().map(|jobs| ids(jobs[0].mapping.nodes()))));

    let names = topology.hosts_named(list, &Line::new("list", 1, list)).ok();
    let names: Option<Vec<String>> = names.map(|all| all.into_iter().map(|(n, _)| n).collect());
    let mapping = names.and_then(|names| {
        let guest = Guest::make(&format!("ring:n={}", names.len()), &context).ok()?;
        let rows: String = names
            .iter()
            .enumerate()
            .map(|(i, n)| format!("{i},{n}\n"))
            .collect();
        let text = Text::new("m.csv", rows);
        ProcessMapping::read(&topology, &guest, &text)
            .ok()
            .map(|mapping| ids(mapping.nodes()))
    });
    found.push(("mapping", mapping));

    let count = found[1].1.as_ref().map_or(1, Vec::len);
    let table = format!("id,submit,start,end,n,list\n7,0,1,9,{count},\"{list}\"\n");
    fs::write(folder.join("records.csv"), table).unwrap();
    let columns = "job=id,submit=submit,start=start,end=end,nodes=n,list=list";
    let mut audit = crate::command();
    audit.args([
        "audit",
        &spec,
        "--trace",
        "records.csv",
        "--columns",
        columns,
        "--quiet",
    ]);
    let output = audit.current_dir(folder).output().unwrap();
    let size = rows(&String::from_utf8(output.stdout).unwrap())
        .first()
        .map(|row| {
            // Which nodes an audit took shows in what it computes from them: size and ring.
            (
                row["size"].parse::<usize>().unwrap(),
                row["ring_hops"].clone(),
            )
        });
    let ring = found[0].1.as_ref().map(|nodes| {
        let hops = |a: u32, b: u32| topology.distance(NodeId(a), NodeId(b));
        let around = nodes
            .iter()
            .zip(nodes.iter().cycle().skip(1))
            .map(|(a, b)| hops(*a, *b));
        (nodes.len(), around.sum::<u32>().to_string())
    });
    let same = size.is_some() && size == ring;
    found.push((
        "audit",
        found[0]
            .1
            .clone()
            .filter(|_| same || size.is_some() && ring.is_none()),
    ));

    let mut hosts = crate::command();
    hosts.args([
        "hosts",
        &spec,
        "--nodes",
        list,
        "--by",
        "row-major",
        "--to",
        "mpich-rank-order",
    ]);
    let output = hosts.current_dir(folder).output().unwrap();
    // The rank of each host in the order given.
    let ranks: Vec<usize> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    let taken = found[0].1.clone().filter(|nodes| {
        let rank = |node: &u32| nodes.iter().filter(|other| *other < node).count();
        output.status.success() && ranks == nodes.iter().map(rank).collect::<Vec<_>>()
    });
    found.push(("hosts", taken));
    found
}

/// Machines without names, with names, with domains, with names that are numbers, and with a number elsewhere.
const NAMED: [&str; 6] = [
    "torus:4x4",
    "torus:4x4,names=nid{:05}",
    "torus:4x4,names=r{0-3}n{1-4}.site.example",
    "torus:4x4,names={:02+1}",
    "torus:4x4,names=nid{:06+1000}",
    "tiers:FOLDER/num.csv",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// All readers of lists of nodes give the same nodes for the same text.
    #[test]
    fn all_readers_find_the_same_nodes(
        machine in prop::sample::select(&NAMED[..]),
        words in prop::collection::vec((0u32..18, 0u32..3, 0usize..7), 1..4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        numbered(folder.path());
        let words: Vec<String> = words
            .into_iter()
            .map(|(node, more, form)| match form {
                0 => node.to_string(),
                1 => format!("{node}-{}", node + more),
                2 => format!("nid{node:05}"),
                3 => format!("nid[{node}-{}]", node + more),
                4 => format!("r{}n{}", node / 4, 1 + node % 4),
                5 => format!("n{node:02}.a.example"),
                _ => format!("{node:02}"),
            })
            .collect();
        let found = read_by_all(folder.path(), machine, &words.join(","));
        for (reader, nodes) in &found {
            let twice = |nodes: &Vec<u32>| {
                nodes.iter().enumerate().any(|(i, node)| nodes[..i].contains(node))
            };
            // Orderings and audits refuse a node that comes twice: a matter of its own.
            if !found[1].1.as_ref().is_some_and(twice) {
                prop_assert_eq!(nodes, &found[1].1, "{} of {:?} on {}", reader, words, machine);
            }
        }
    }
}

#[test]
fn numbers_in_lists_are_names_where_nodes_have_numeric_names() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    numbered(folder);
    let excluded = |list: &str| {
        let machine = format!("tiers:num.csv,exclude={list}");
        done(folder, &format!("order {machine} --by row-major --names"))
    };
    // Host 1 is node 0: it goes, and host 2 stays.
    let left = excluded("1");
    assert!(
        left.ends_with("\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n"),
        "{left}"
    );
    assert!(excluded("1-3+[5-16]").ends_with("nodes and not ids\n4\n"));
    // The machine as it is written down is the same machine.
    let spec = |machine: &str| {
        let known = done(folder, &format!("topology {machine} --json"));
        serde_json::from_str::<serde_json::Value>(&known).unwrap()["spec"].clone()
    };
    for list in ["1", "2+5-7", "16+3"] {
        let written = spec(&format!("tiers:num.csv,exclude={list}"));
        let words = written
            .as_str()
            .unwrap()
            .split_once("exclude=")
            .unwrap()
            .1
            .to_string();
        let ids = |text: String| {
            text.lines()
                .filter(|line| !line.starts_with('#'))
                .map(String::from)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(excluded(&words)), ids(excluded(list)));
        assert_eq!(spec(&format!("tiers:num.csv,exclude={words}")), written);
    }
    let unknown = "numbers are names on this machine";
    for command in [
        "hosts tiers:num.csv --nodes 0,3",
        "hosts tiers:num.csv --nodes 9-17",
        "audit tiers:num.csv --trace 0.csv --columns job=j,start=s,end=e,nodes=n,list=l,submit=s",
        "map tiers:num.csv --guest ring:n=2 --mapping m.csv",
        "corun tiers:num.csv --jobs jobs.toml",
    ] {
        fs::write(folder.join("0.csv"), "j,s,e,n,l\n1,0,9,2,\"0,3\"\n").unwrap();
        fs::write(folder.join("m.csv"), "0,1\n1,0\n").unwrap();
        let jobs = "[[jobs]]\nname = 'a'\nguest = 'ring:n=2'\nnodes = [0, 3]\nbytes = 1\n";
        fs::write(folder.join("jobs.toml"), jobs).unwrap();
        let said = refused(folder, command);
        assert!(said.contains(unknown), "{command}: {said}");
    }
    let said = refused(folder, "order tiers:num.csv,exclude=17 --by row-major");
    assert!(
        said.contains("exclude `17`; expected the number that is a node's name"),
        "{said}"
    );
    // Files of orderings hold ids, unless their header says otherwise.
    done(folder, "order tiers:num.csv --by row-major -o ids.txt");
    done(
        folder,
        "order tiers:num.csv --by row-major --names -o names.txt",
    );
    let last = |file: &str| {
        fs::read_to_string(folder.join(file))
            .unwrap()
            .lines()
            .last()
            .map(String::from)
    };
    assert_eq!(
        (last("ids.txt"), last("names.txt")),
        (Some("15".into()), Some("16".into()))
    );
    for file in ["ids.txt", "names.txt"] {
        let export = done(
            folder,
            &format!("export tiers:num.csv --order {file} --to csv"),
        );
        assert!(export.ends_with("14,14,15\n15,15,16\n"), "{export}");
    }
}

#[test]
fn ids_are_read_wherever_nodes_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hosts = |nodes: &str| {
        done(
            folder,
            &format!("hosts torus:8x8 --by row-major --nodes {nodes}"),
        )
    };
    assert_eq!(hosts("0-63").lines().count(), 64);
    assert_eq!(hosts("61-63,[0-1],n02"), "n00\nn01\nn02\nn61\nn62\nn63\n");
    let said = refused(folder, "hosts torus:8x8 --nodes 0-64");
    assert!(
        said.contains("found node 64; expected a node id from 0 to 63"),
        "{said}"
    );
    fs::write(folder.join("o.txt"), "0-31\n[32-60],61\n63-63\nn62\n").unwrap();
    let order = done(folder, "order torus:8x8 --by o.txt --names");
    assert!(order.ends_with("n61\nn63\nn62\n"), "{order}");
}

#[test]
fn short_full_and_unpadded_names_are_one_node() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let hosts = |machine: &str, nodes: &str| {
        done(
            folder,
            &format!("hosts {machine} --by row-major --to node-ranks --nodes {nodes}"),
        )
    };
    // Each node once, as the list calls it first.
    assert_eq!(
        hosts("torus:4x4,names=nid{:05}", "nid00002,nid2,2,nid2.site.org"),
        "{\"nid00002\": 0}\n"
    );
    let full = "torus:4x4,names=nid{:05}.site.org";
    assert_eq!(
        hosts(full, "nid00002.site.org,nid00002,nid2,2"),
        "{\"nid00002.site.org\": 0}\n"
    );
    let said = refused(folder, &format!("hosts {full} --nodes nid00002.other.org"));
    assert!(said.contains("found `nid00002.other.org`"), "{said}");
    // What two nodes could be called is nobody's name.
    fs::write(
        folder.join("two.csv"),
        "0,n1\n1,n01\n2,a.x.org\n3,a.y.org\n",
    )
    .unwrap();
    let two = "mesh:4,names=two.csv";
    assert_eq!(
        hosts(two, "n01,n1,a.y.org,3"),
        "{\"n1\": 0, \"n01\": 1, \"a.y.org\": 2}\n"
    );
    for (name, found) in [
        ("n001", "`n001`"),
        ("a", "`a`"),
        ("n001.x.org", "`n001.x.org`"),
    ] {
        let said = refused(folder, &format!("hosts {two} --nodes {name}"));
        assert!(
            said.contains(&format!("found {found}; expected a node id")),
            "{said}"
        );
    }
    // Audits read the same.
    let list = "nid2.site.org,nid[3-4],nid00005,6";
    fs::write(
        folder.join("r.csv"),
        format!("j,s,e,n,l\n1,0,9,5,\"{list}\"\n"),
    )
    .unwrap();
    for machine in ["torus:4x4,names=nid{:05}", full] {
        let columns = "job=j,submit=s,start=s,end=e,nodes=n,list=l";
        let table = done(
            folder,
            &format!("audit {machine} --trace r.csv --columns {columns}"),
        );
        assert_eq!(rows(&table)[0]["size"], "5");
    }
}

#[test]
fn orderings_of_another_machine_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    done(folder, "order torus:8x8 --by hilbert -o o.txt");
    let note = "o.txt: made for torus:8x8 (torus:8x8), used on torus:16x4 (torus:16x4)";
    for command in [
        "mpc torus:16x4 --order o.txt",
        "order torus:16x4 --by o.txt",
        "hosts torus:16x4 --nodes 0-3 --by o.txt",
        "map torus:16x4 --guest ring:n=4 --order o.txt",
        "compare torus:16x4 --order o.txt",
        "machines torus:16x4 torus:8x8 --order o.txt",
        "export torus:16x4 --order o.txt --to csv",
    ] {
        let said = said(folder, command);
        assert_eq!(said.matches("made for").count(), 1, "{command}: {said}");
        assert!(said.contains(note), "{command}: {said}");
    }
    // A plan says it once for each machine; what is right is said to be of no other.
    done(folder, "order torus:8x8,limit=60 --by snake -o part.txt");
    let plan = "topologies = ['torus:16x4', 'torus:8x8']\norderings = ['o.txt', 'part.txt', 'snake']\nseeds = [1, 2]\n";
    fs::write(folder.join("plan.toml"), plan).unwrap();
    let used = "part.txt: made for torus:8x8,limit=60 (torus:8x8,limit=60), used on torus:16x4 (torus:16x4)";
    let left = |machine: &str| {
        format!("part.txt: leaves out 4 of 64 schedulable nodes of {machine}: n60, n61, n62, n63")
    };
    let all = [
        note.to_string(),
        used.to_string(),
        left("torus:16x4"),
        left("torus:8x8"),
    ];
    assert_eq!(
        said(folder, "sweep plan.toml --out swept"),
        all.join("\n") + "\n"
    );
    assert_eq!(said(folder, "sweep plan.toml --out quiet --quiet"), "");
    // One network under another name, or with other nodes kept, is no other machine.
    fs::write(
        folder.join("mine.toml"),
        "name = 'my torus (8)'\nkind = 'torus'\ndims = [8, 8]\n",
    )
    .unwrap();
    done(folder, "order mine.toml --by hilbert -o mine.txt");
    done(
        folder,
        "order torus:8x8,limit=60,exclude=3 --by snake -o few.txt",
    );
    for command in [
        "mpc torus:8x8 --order mine.txt",
        "mpc mine.toml --order o.txt",
        "mpc torus:8x8 --order few.txt",
    ] {
        assert!(!said(folder, command).contains("made for"), "{command}");
    }
}

#[test]
fn patterns_of_names_run_through_ranges_and_offsets() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let names = |machine: &str| {
        let order = done(folder, &format!("order {machine} --by row-major --names"));
        let lines = order.lines().filter(|line| !line.starts_with('#'));
        lines.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names("mesh:3,names=nid{:05+1000}"),
        "nid01000 nid01001 nid01002"
    );
    assert_eq!(names("mesh:3,names=n{+8}"), "n8 n9 n10");
    assert_eq!(
        names("mesh:5,names=x{4000-4001}c{08,10-11}b"),
        "x4000c08b x4000c10b x4000c11b x4001c08b x4001c10b"
    );
    assert_eq!(names("mesh:3,limit=2,names=n{01-02}"), "n01 n02");
    for (pattern, expected) in [
        ("n{1-2}", "a name for each of 3 nodes; this pattern has 2"),
        ("n{1-11}{1-11}", "each name once"),
        ("n{1-", "one `{}`"),
        ("n{2-1}", "one `{}`"),
        ("n{:05}{0-3}", "one `{}`"),
        ("n{:05+x}", "one `{}`"),
    ] {
        let nodes = if pattern.contains("11") { 121 } else { 3 };
        let said = refused(
            folder,
            &format!("order mesh:{nodes},names={pattern} --by row-major"),
        );
        assert!(said.contains(expected), "{pattern}: {said}");
    }
}

/// A line of Aurora's public table of jobs: three nodes in two racks.
#[test]
fn auroras_records_are_audited() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let list = "x4102c0s0b0n0,x4102c0s1b0n0,x4105c3s2b0n0";
    let table = format!(
        "COBALT_JOBID,QUEUED_TIMESTAMP,START_TIMESTAMP,END_TIMESTAMP,WALLTIME_SECONDS,NODES_USED,LOCATION\n\
         123,2025-01-27 00:00:10,2025-01-27 00:01:00,2025-01-27 01:01:00,7200,3,\"{list}\"\n"
    );
    fs::write(folder.join("aurora.csv"), table).unwrap();
    let columns = "job=COBALT_JOBID,submit=QUEUED_TIMESTAMP,start=START_TIMESTAMP,end=END_TIMESTAMP,limit=WALLTIME_SECONDS,nodes=NODES_USED,list=LOCATION";
    let audit = done(
        folder,
        &format!("audit aurora --trace aurora.csv --columns {columns}"),
    );
    let row = &rows(&audit)[0];
    assert_eq!(
        (row["size"].as_str(), row["units_group"].as_str()),
        ("3", "2"),
        "{audit}"
    );
    // Racks of 64 nodes, 21 in each of eight rows but for the last two.
    let machine = catalog::topology("aurora", &Context::default()).unwrap();
    for (node, name) in [
        (0, "x4000c0s0b0n0"),
        (64, "x4001c0s0b0n0"),
        (21 * 64 + 9, "x4100c1s1b0n0"),
        (10_623, "x4718c7s7b0n0"),
    ] {
        assert_eq!(machine.node_name(NodeId(node)), name);
    }
    let frontier = catalog::topology("frontier", &Context::default()).unwrap();
    assert_eq!(frontier.node_name(NodeId(128)), "frontier00129");
}

#[test]
fn shipped_machines_take_options_of_their_family() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (spec, nodes) in [
        ("hopper,limit=4", 4),
        ("titan,limit=4,exclude=0", 3),
        ("hopper,per_router=1", 3264),
        ("aurora,limit=10,exclude=x4000c0s[0-3]b0n0", 6),
    ] {
        let json = done(folder, &format!("topology {spec} --json"));
        assert!(
            json.contains(&format!("\"nodes\": {nodes},")),
            "{spec}: {json}"
        );
        assert!(
            json.contains(&format!("\"name\": \"{spec}\"")),
            "{spec}: {json}"
        );
    }
    for (spec, parts) in [
        (
            "hopper,limti=4",
            [
                "unknown key for torus `limti`",
                "nodeorder list topologies torus",
                "did you mean `limit`",
            ],
        ),
        ("hopper,4", ["`hopper,4`: found `4`", "key=value", "torus"]),
        (
            "hopper,limit=0",
            ["`hopper,limit=0`: found limit", "from 1 to 6528", ""],
        ),
        (
            "hopper,limit=4,limit=5",
            ["`limit` twice", "each key once", ""],
        ),
        (
            "hopper,kind=mesh",
            ["`kind=mesh`", "an option of torus", ""],
        ),
        (
            "hoper,limit=4",
            ["unknown topology `hoper`", "did you mean `hopper`", ""],
        ),
    ] {
        let said = refused(folder, &format!("topology {spec}"));
        assert!(
            parts.iter().all(|part| said.contains(part)),
            "{spec}: {said}"
        );
    }
}

#[test]
fn messages_name_the_node_and_show_no_rust() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let said = refused(folder, "hosts torus:4x4,exclude=1 --nodes n01");
    assert!(
        said.contains("found node 1 (n01), which limit or exclude keeps out"),
        "{said}"
    );
    fs::write(
        folder.join("m.toml"),
        "kind = 'torus'\ndims = [4, 4]\nexclude = [[3]]\n",
    )
    .unwrap();
    let said = refused(folder, "topology m.toml");
    assert!(
        said.starts_with("error: m.toml:3: found a list of 1; expected a text or a number"),
        "{said}"
    );
    // A value below the least is an error about the value.
    let mut command = crate::command();
    command.args(["hosts", "torus:4x4", "--nodes", "0,1", "--per-node", "-1"]);
    let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
    assert!(
        said.contains("invalid value '-1' for '--per-node <K>'") && !said.contains("tip"),
        "{said}"
    );
    let said = refused(folder, "hosts torus:4x4 --nodes -1");
    assert!(said.contains("found `-1`"), "{said}");
}
