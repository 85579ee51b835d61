//! The same mapping, scored by Scotch's `gmtst` and here: equal to the digits it prints. Skipped, by name,
//! where Scotch is not installed (`apt-get install scotch`).

use std::path::Path;
use std::process::Command;

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_traffic::mapping::{self, Dilation, Fabric, FixedRouting, Guest, ProcessMapping};

use crate::skip::{Peer, without};

/// The program's name: Debian drops the prefix in some releases.
fn program(name: &str) -> Option<String> {
    [format!("scotch_{name}"), name.to_string()]
        .into_iter()
        .find(|p| {
            Command::new(p)
                .arg("-V")
                .output()
                .is_ok_and(|out| out.status.success())
        })
}

/// `guest` in Scotch's format, edges in both directions with whole loads.
fn graph(guest: &Guest) -> String {
    let mut lines: Vec<Vec<(u32, u64)>> = vec![Vec::new(); guest.processes() as usize];
    guest.for_each_message(|m| lines[m.source as usize].push((m.target, m.volume as u64)));
    let mut text = format!("0\n{} {}\n0 010\n", guest.processes(), guest.pair_count());
    for line in lines {
        text += &line.len().to_string();
        line.iter()
            .for_each(|(to, load)| text += &format!(" {load} {to}"));
        text.push('\n');
    }
    text
}

/// A number after `key=` in a report.
fn value(report: &str, key: &str) -> f64 {
    let rest = report
        .split(&format!("{key}="))
        .nth(1)
        .unwrap_or_else(|| panic!("{key}: {report}"));
    rest.split_whitespace().next().unwrap().parse().unwrap()
}

/// The shares that `gmtst` prints by distance.
fn shares(report: &str) -> Vec<f64> {
    report
        .lines()
        .filter_map(|line| line.split("CommLoad[").nth(1))
        .filter_map(|rest| {
            let (index, rest) = rest.split_once("]=")?;
            index.parse::<usize>().ok()?;
            Some(rest.trim().parse::<f64>().unwrap())
        })
        .collect()
}

/// Both scores of one mapping.
fn score(
    folder: &Path,
    spec: &str,
    target: &str,
    guest: &Guest,
    nodes: &[u32],
) -> (Dilation, String) {
    let names = ["g.grf", "t.tgt", "m.map"].map(|n| folder.join(n).display().to_string());
    let map: Vec<String> = nodes
        .iter()
        .enumerate()
        .map(|(p, n)| format!("{p}\t{n}\n"))
        .collect();
    std::fs::write(&names[0], graph(guest)).unwrap();
    std::fs::write(&names[1], target).unwrap();
    std::fs::write(&names[2], format!("{}\n{}", nodes.len(), map.concat())).unwrap();
    let out = Command::new(program("gmtst").unwrap())
        .args(&names)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    // What was written reads back as the same guest.
    let text = nodeorder_base::input::Text::new("g", graph(guest));
    let again = Guest::read_format(&text, "grf", &Default::default()).unwrap();
    let messages = |guest: &Guest| {
        let mut all = Vec::new();
        guest.for_each_message(|m| all.push((m.source, m.target, m.volume.to_bits())));
        all
    };
    assert!(messages(&again) == messages(guest), "{}", guest.label());
    let topology = Topology::inline(spec, &Default::default()).unwrap();
    let fabric = Fabric::new(&topology).unwrap();
    let nodes = nodes.iter().map(|n| NodeId(*n)).collect();
    let placement = ProcessMapping::new(&topology, "scotch", nodes).unwrap();
    let routing = FixedRouting::find_by_name("dimension-order").unwrap();
    let found = mapping::analyse(&fabric, guest, &placement, routing).unwrap();
    (found.dilation, String::from_utf8(out.stdout).unwrap())
}

/// `torusXD` counts its first dimension fastest, nodeorder its last: the extents are turned round.
/// Every processor is used: `gmtst` 7.0.3 scores others as if the used ones were numbered without gaps.
const CASES: &[(&str, &str, &str)] = &[
    ("torus:8x8x8", "torusXD 3 8 8 8", "stencil:8x8x8,wrap=true"),
    ("torus:3x4x5", "torusXD 3 5 4 3", "stencil:3x4x5"),
    ("torus:4x8", "torus2D 8 4", "all-to-all:n=32"),
    ("torus:8x8", "torus2D 8 8", "ring:n=64,volume=3"),
    ("mesh:4x4", "mesh2D 4 4", "butterfly:n=16,volume=7"),
    ("mesh:3x4x2", "mesh3D 2 4 3", "stencil:4x6,corners=true"),
];

#[test]
fn scotch_scores_the_same_mapping_alike() {
    if program("gmtst").is_none() {
        let test = "scotch::scotch_scores_the_same_mapping_alike";
        without(Peer::Scotch, test, "scotch_gmtst is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (spec, target, guest) in CASES {
        let guest = Guest::make(guest, &Default::default()).unwrap();
        let n = Topology::inline(spec, &Default::default())
            .unwrap()
            .node_count() as u32;
        // In order, and mixed: 7 is prime to all sizes here.
        let straight: Vec<u32> = (0..guest.processes()).collect();
        let mixed: Vec<u32> = (0..guest.processes()).map(|p| p * 7 % n).collect();
        for nodes in [straight, mixed] {
            let (ours, report) = score(folder.path(), spec, target, &guest, &nodes);
            let near = |a: f64, key: &str, digits: f64| {
                let theirs = value(&report, key);
                assert!(
                    (a - theirs).abs() <= digits,
                    "{spec} {key}: {a}, {theirs}\n{report}"
                );
            };
            near(ours.mean_pairs, "CommDilat", 0.5e-6);
            near(ours.mean, "CommExpan", 0.5e-6);
            let theirs = shares(&report);
            assert!(!theirs.is_empty(), "{report}");
            for (hops, share) in theirs.iter().enumerate() {
                let part = ours
                    .histogram
                    .get(hops)
                    .map_or(0.0, |(_, v)| v / ours.volume);
                assert!(
                    (part - share).abs() <= 0.5e-6,
                    "{spec} at {hops}: {part}, {share}\n{report}"
                );
            }
        }
    }
}

/// Scotch's own mapping of the comparison in reports/2026-11-21-mapping, scored here.
#[test]
fn scotch_maps_and_is_scored() {
    let (Some(map), true) = (program("gmap"), program("gmtst").is_some()) else {
        let test = "scotch::scotch_maps_and_is_scored";
        without(
            Peer::Scotch,
            test,
            "scotch_gmap or scotch_gmtst is not installed",
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let names = ["g.grf", "t.tgt", "m.map"].map(|n| folder.path().join(n).display().to_string());
    let guest = Guest::make("stencil:4x4x4,wrap=true", &Default::default()).unwrap();
    std::fs::write(&names[0], graph(&guest)).unwrap();
    std::fs::write(&names[1], "torusXD 3 4 4 4\n").unwrap();
    let out = Command::new(map).args(&names).output().unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = std::fs::read_to_string(&names[2]).unwrap();
    let mut nodes = vec![0u32; 64];
    for line in text.lines().skip(1) {
        let (process, node) = line.split_once('\t').unwrap();
        nodes[process.trim().parse::<usize>().unwrap()] = node.trim().parse().unwrap();
    }
    let (ours, report) = score(
        folder.path(),
        "torus:4x4x4",
        "torusXD 3 4 4 4",
        &guest,
        &nodes,
    );
    assert!(
        (ours.mean - value(&report, "CommExpan")).abs() <= 0.5e-6,
        "{report}"
    );
    assert!(
        (1.0..3.0).contains(&ours.mean),
        "better than scattered, no better than perfect"
    );
}
