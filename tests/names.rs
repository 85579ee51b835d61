//! `--names`: node names in the place of ids and ranks, and read wherever ids are.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn done(folder: &Path, arguments: &str) -> String {
    let mut command = crate::command();
    let output = command.args(arguments.split(' ')).current_dir(folder).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The nodes of host lists of the form that the machine below has, written out.
fn expanded(list: &str) -> Vec<u32> {
    let inside = list.strip_prefix("nid").unwrap();
    let inside = inside.strip_prefix('[').map_or(inside, |rest| rest.strip_suffix(']').unwrap());
    let ends = inside.split(',').map(|part| part.split_once('-').unwrap_or((part, part)));
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
            rows.iter().map(|row| row["hosts"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(column(&names), column(&both));
    }
}

#[test]
fn orderings_and_mappings_of_names_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let table: String = (0..12).map(|i| format!("{i},rack{}-{:02}\n", i / 4, 11 - i)).collect();
    fs::write(folder.join("names.csv"), table).unwrap();
    for machine in ["torus:4x3", "torus:4x3,names=nid{:03}", "torus:4x3,names=names.csv"] {
        let order =
            |more: &str| done(folder, &format!("order {machine} --by snake {more}-o o.txt"));
        order("--names ");
        let named = fs::read_to_string(folder.join("o.txt")).unwrap();
        let lines: Vec<&str> = named.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.len() == 12 && lines.iter().all(|l| l.parse::<u32>().is_err()), "{named}");
        let curve = done(folder, &format!("mpc {machine} --order o.txt"));
        assert_eq!(
            curve,
            done(folder, &format!("mpc {machine} --order snake")).replace("snake", "o.txt")
        );
        let json = done(folder, &format!("order {machine} --by snake --names --json"));
        assert!(json.contains(&format!("[\"{}\",\"{}\"", lines[0], lines[1])), "{json}");

        let map = format!("map {machine} --guest ring:n=9 --json");
        let by_order = done(folder, &format!("{map} --order snake -o m.csv --names"));
        let mapping = fs::read_to_string(folder.join("m.csv")).unwrap();
        assert!(mapping.starts_with(&format!("process,node\n0,{}\n", lines[0])), "{mapping}");
        let figure = |json: &str| json.lines().find(|l| l.contains("hop_bytes")).map(String::from);
        let by_names = done(folder, &format!("{map} --mapping m.csv"));
        assert_eq!(figure(&by_order), figure(&by_names));
    }
}

#[test]
fn names_that_do_not_read_back_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (names, shown) in
        [("0,1\n1,0\n2,b\n", "`1`, the name of node 0"), ("0,\"a,b\"\n1,x\n2,y\n", "`a,b`")]
    {
        fs::write(folder.path().join("names.csv"), names).unwrap();
        let mut command = crate::command();
        command.args(["order", "mesh:3,names=names.csv", "--by", "snake", "--names"]);
        let output = command.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty() && said.contains(shown), "{said}");
    }
}
