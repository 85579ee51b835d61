//! `audit`: scores against the definition, and what cannot be scored.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use nodeorder_base::NodeId;
use nodeorder_network::{Context, Topology};
use proptest::prelude::*;

struct Run {
    code: Option<i32>,
    out: String,
    said: String,
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    let output = crate::command()
        .arg("audit")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run {
        code: output.status.code(),
        out: text(output.stdout),
        said: text(output.stderr),
    }
}

fn done(folder: &Path, arguments: &[&str]) -> Run {
    let run = run(folder, arguments);
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.said);
    run
}

const HEADER: &str = "JobIDRaw|Submit|Start|End|NNodes|NodeList\n";

/// The columns of a job by the definition.
fn by_definition(machine: &Topology, nodes: &[u32]) -> String {
    let node = |i: usize| NodeId(nodes[i % nodes.len()]);
    let count = nodes.len();
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    let apart: Vec<u32> = pairs
        .map(|(i, j)| machine.distance(node(i), node(j)))
        .collect();
    let mean = match apart.len() {
        0 => String::new(),
        pairs => (f64::from(apart.iter().sum::<u32>()) / pairs as f64).to_string(),
    };
    let ring: Vec<u32> = (0..count)
        .map(|i| machine.distance(node(i), node(i + 1)))
        .collect();
    let mut row = format!(
        "{count},{mean},{},{}",
        apart.iter().max().unwrap_or(&0),
        ring.iter().sum::<u32>()
    );
    // A leaf of fat-tree:k=8 has four nodes, a pod sixteen.
    for unit in [4, 16] {
        let units: BTreeSet<u32> = nodes.iter().map(|n| n / unit).collect();
        let _ = write!(row, ",{}", units.len());
    }
    for unit in [4, 16] {
        let _ = write!(row, ",{}", count.div_ceil(unit));
    }
    let _ = write!(row, ",{}", ring.iter().max().unwrap());
    row
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn scores_are_those_of_the_definition(jobs in proptest::collection::vec(proptest::collection::btree_set(0u32..128, 1..40), 1..30)) {
        let folder = tempfile::tempdir().unwrap();
        let machine = Topology::inline("fat-tree:k=8", &Context::default()).unwrap();
        let (mut text, mut wanted) = (HEADER.to_string(), Vec::new());
        for (id, nodes) in jobs.iter().enumerate() {
            let mut nodes: Vec<u32> = nodes.iter().copied().collect();
            // In an order of its own, which the ring follows.
            nodes.rotate_left(id % jobs[id].len());
            let names: Vec<String> = nodes.iter().map(|n| format!("n{n:03}")).collect();
            writeln!(text, "{}|{id}|{id}|{}|{}|{}", id + 1, id + 9, nodes.len(), names.join(",")).unwrap();
            wanted.push(format!("{},{},{id}", id + 1, by_definition(&machine, &nodes)));
        }
        std::fs::write(folder.path().join("jobs"), text).unwrap();
        let found = done(folder.path(), &["fat-tree:k=8", "--trace", "jobs"]);
        let mut rows = found.out.lines();
        let header = "job,size,mean_hops,diameter,ring_hops,units_leaf,units_pod,fewest_leaf,fewest_pod,ring_longest,start";
        prop_assert_eq!(rows.next().unwrap(), header);
        prop_assert_eq!(rows.collect::<Vec<_>>(), wanted);
        for threads in ["1", "3"] {
            let again = done(folder.path(), &["fat-tree:k=8", "--trace", "jobs", "--threads", threads]);
            prop_assert_eq!(&again.out, &found.out);
        }
    }
}

/// What orderings give the jobs is what a replay of the same log gives them.
#[test]
fn other_placements_are_those_of_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (mut text, mut log) = (HEADER.to_string(), String::new());
    // Jobs one after the other, each overlapping the next.
    for id in 0..60u32 {
        let size = 1 + id * 7 % 30;
        let first = id * 13 % 90;
        writeln!(
            text,
            "{}|{}|{}|{}|{size}|n[{first:03}-{:03}]",
            id + 1,
            id * 10,
            id * 10,
            id * 10 + 25,
            first + size - 1
        )
        .unwrap();
    }
    let mut events: Vec<(u32, u32, u32)> = (0..60)
        .flat_map(|id| [(id * 10, 1, id), (id * 10 + 25, 0, id)])
        .collect();
    events.sort_unstable();
    for (_, starts, id) in events {
        let _ = match starts {
            1 => writeln!(log, "P {} {}", id + 1, 1 + id * 7 % 30),
            _ => writeln!(log, "F {}", id + 1),
        };
    }
    std::fs::write(folder.path().join("jobs"), text).unwrap();
    std::fs::write(folder.path().join("log"), log).unwrap();
    let tried = [
        "--order",
        "row-major",
        "--order",
        "random",
        "--alloc",
        "first-fit:1",
        "--alloc",
        "span-best-fit",
    ];
    let found = done(
        folder.path(),
        &[&["fat-tree:k=8", "--trace", "jobs"], &tried[..]].concat(),
    );
    let replayed = crate::command()
        .args(["replay", "fat-tree:k=8", "--log", "log", "--extent"])
        .args(tried)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let replayed = String::from_utf8(replayed.stdout).unwrap();
    let columns = ["ordering", "allocator", "job", "size", "mind", "diameter"];
    let wanted = crate::table::fields(&replayed, &columns);
    let wanted: Vec<String> = wanted.iter().map(|row| row.replacen(',', " ", 1)).collect();
    assert_eq!(wanted.len(), 240);
    let rows: Vec<String> = (found.out.lines().skip(61))
        .map(|row| row.split(',').take(5).collect::<Vec<_>>().join(","))
        .collect();
    assert_eq!(rows, wanted);
    assert!(found.out.starts_with("placement,job,size,"));
    assert_eq!(
        found
            .out
            .lines()
            .filter(|row| row.starts_with("recorded,"))
            .count(),
        60
    );
    // The sums are those of the rows.
    let json = done(
        folder.path(),
        &[&["fat-tree:k=8", "--trace", "jobs", "--json"], &tried[..]].concat(),
    );
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    for placement in json["placements"].as_array().unwrap() {
        let name = placement["placement"].as_str().unwrap();
        let rows: Vec<Vec<&str>> = (found
            .out
            .lines()
            .map(|row| row.split(',').collect::<Vec<_>>()))
        .filter(|row| row[0] == name)
        .collect();
        let mean = |column: usize, rows: &[&Vec<&str>]| {
            rows.iter()
                .map(|row| row[column].parse::<f64>().unwrap())
                .sum::<f64>()
                / rows.len() as f64
        };
        let several: Vec<&Vec<&str>> = rows.iter().filter(|row| row[2] != "1").collect();
        let close = |value: &serde_json::Value, wanted: f64| {
            assert!(
                (value.as_f64().unwrap() - wanted).abs() < 1e-9,
                "{name}: {value} {wanted}"
            );
        };
        close(&placement["mean_hops"], mean(3, &several));
        close(&placement["diameter"], mean(4, &several));
        close(
            &placement["levels"]["leaf"]["spanned"],
            mean(6, &rows.iter().collect::<Vec<_>>()),
        );
        close(
            &placement["levels"]["pod"]["fewest"],
            mean(9, &rows.iter().collect::<Vec<_>>()),
        );
        for part in ["by_size", "over_time"] {
            let jobs = placement[part]
                .as_array()
                .unwrap()
                .iter()
                .map(|class| class["jobs"].as_u64().unwrap());
            assert_eq!(jobs.sum::<u64>(), 60, "{part}");
        }
    }
}

#[test]
fn what_cannot_be_scored_is_counted_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        "1|1|2|3|2|n[00-01]",
        "2|1|2|3|3|n[00-01],x9",
        "3|1|2|3|2|n00,n00",
        "4|1|2|3|2|n[02-03]",
        "5|1|Unknown|Unknown|2|None assigned",
        "6|1|2|Unknown|1|n05",
        "7|1|2|3|2|None assigned",
        "8|1|2|3|1|y1",
    ];
    std::fs::write(
        folder.path().join("jobs"),
        format!("{HEADER}{}\n", rows.join("\n")),
    )
    .unwrap();
    let found = done(
        folder.path(),
        &[
            "fat-tree:k=4,exclude=3",
            "--trace",
            "jobs",
            "--alloc",
            "first-fit:1",
        ],
    );
    assert_eq!(found.out.lines().count(), 5, "{}", found.out);
    for line in [
        "jobs: left out 1: not started",
        "jobs: left out 1: nodes not listed",
        "jobs: left out 2: with a host that the machine does not have; the first: jobs:3: found `x9`; expected",
        "jobs: left out 1: with a host named twice; the first: jobs:4: found `n00` twice; expected each host once",
        "jobs: left out 1: with a host that is not schedulable; the first: jobs:5: found `n03`, which is not schedulable",
    ] {
        assert!(found.said.contains(line), "{line}\n{}", found.said);
    }
    let none = run(folder.path(), &["torus:2x2,names=q{}", "--trace", "jobs"]);
    assert_eq!((none.code, none.out.as_str()), (Some(1), ""));
    assert!(
        none.said
            .contains("jobs: found no job that could be scored; the first: jobs:2: found `n00`"),
        "{}",
        none.said
    );
    std::fs::write(
        folder.path().join("cut"),
        format!("{HEADER}1|1|2|3|2|n[00-0+\n"),
    )
    .unwrap();
    let cut = run(folder.path(), &["fat-tree:k=4", "--trace", "cut"]);
    assert_eq!(cut.code, Some(1));
    assert!(
        cut.said
            .starts_with("error: cut:2: found `n[00-0+`; expected a host list"),
        "{}",
        cut.said
    );
    std::fs::write(folder.path().join("log"), "P 1 2\n").unwrap();
    let log = run(folder.path(), &["fat-tree:k=4", "--trace", "log"]);
    assert_eq!(log.code, Some(1));
    assert!(
        log.said.starts_with(
            "error: log: found a placement log, which lists no nodes; expected records"
        ),
        "{}",
        log.said
    );
}

/// Between trees of a forest there is no distance, and no sum counts one.
#[test]
fn jobs_over_several_trees_are_counted_apart() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("t.conf"),
        "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n[3-4]\n",
    )
    .unwrap();
    let rows = [
        "1|1|2|9|2|n[2-3]",
        "2|1|2|9|2|n[1,4]",
        "3|10|20|90|2|n[1-2]",
        "4|10|20|90|1|n3",
    ];
    std::fs::write(
        folder.path().join("jobs"),
        format!("{HEADER}{}\n", rows.join("\n")),
    )
    .unwrap();
    let found = done(folder.path(), &["slurm-topology:t.conf", "--trace", "jobs"]);
    let starts: Vec<String> = (found.out.lines().skip(1))
        .map(|row| row.split(',').take(5).collect::<Vec<_>>().join(","))
        .collect();
    assert_eq!(starts, ["1,2,,,", "2,2,,,", "3,2,0,0,0", "4,1,,0,0"]);
    assert!(
        found
            .said
            .contains("no path joins all nodes of 2 of its jobs"),
        "{}",
        found.said
    );
    let json = done(
        folder.path(),
        &["slurm-topology:t.conf", "--trace", "jobs", "--json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let all = &json["placements"][0];
    assert_eq!(
        (&all["apart"], &all["mean_hops"], &all["jobs"]),
        (&2.into(), &0.0.into(), &4.into())
    );
}

#[test]
fn the_page_stands_alone_and_names_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = HEADER.to_string();
    for id in 0..200u32 {
        let (from, size) = (1_795_350_000 + id * 9000, 2 + id % 6);
        let nodes: Vec<String> = (0..size)
            .map(|i| format!("n{:02}", (id * 5 + i * 3) % 16))
            .collect();
        writeln!(
            text,
            "{}|{from}|{from}|{}|{size}|{}",
            id + 1,
            from + 8000,
            nodes.join(",")
        )
        .unwrap();
    }
    std::fs::write(folder.path().join("jobs"), text).unwrap();
    let options = [
        "fat-tree:k=4",
        "--trace",
        "jobs",
        "--order",
        "row-major",
        "--alloc",
        "first-fit:1",
        "--out",
        "page",
    ];
    let found = done(folder.path(), &options);
    assert!(found.out.contains("Page: page/index.html"), "{}", found.out);
    let page = std::fs::read_to_string(folder.path().join("page/index.html")).unwrap();
    assert!(
        page.contains("What the scheduler did to the jobs of jobs"),
        "{page}"
    );
    assert!(page.contains("<b>row-major first-fit:1</b>"));
    for name in [
        "sizes.csv",
        "periods.csv",
        "audit.json",
        "hops-by-size.svg",
        "units-by-size.svg",
        "over-time.svg",
    ] {
        assert!(folder.path().join("page").join(name).is_file(), "{name}");
    }
    // No file of the network, no script or image from elsewhere.
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
    let sizes = std::fs::read_to_string(folder.path().join("page/sizes.csv")).unwrap();
    assert!(
        sizes.starts_with("placement,from,to,jobs,nodes,apart,mean_hops,"),
        "{sizes}"
    );
    assert_eq!(sizes.lines().count(), 1 + 2 * 2);
}

#[test]
fn a_machine_without_levels_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let rows = ["1|1|2|9|2|q[0-1]", "2|1|2|9|3|q[2-3,6]"];
    std::fs::write(
        folder.path().join("jobs"),
        format!("{HEADER}{}\n", rows.join("\n")),
    )
    .unwrap();
    done(
        folder.path(),
        &["torus:4x4,names=q{}", "--trace", "jobs", "--out", "page"],
    );
    let page = std::fs::read_to_string(folder.path().join("page/index.html")).unwrap();
    assert!(page.contains("torus:4x4"), "{page}");
    let sizes = std::fs::read_to_string(folder.path().join("page/sizes.csv")).unwrap();
    assert_eq!(
        sizes.lines().nth(1),
        Some("recorded,2,3,2,5,0,1.1666666666666665,1.5,1.2,1.5")
    );
    // A machine without levels spans none.
    assert!(!folder.path().join("page/units-by-size.svg").exists());
}
