//! caminos moves packets on what is written for it: means as `map` computes them, every server where the ordering says.
//! Skipped, by name, where caminos is not installed (`cargo install caminos --version 0.6.3 --locked`; the variable
//! NODEORDER_CAMINOS may name it).

use std::path::Path;
use std::process::Command;

use crate::skip::{Peer, without};

fn caminos(test: &str) -> Option<String> {
    let program = std::env::var("NODEORDER_CAMINOS").unwrap_or("caminos".into());
    let there = Command::new(&program).arg("--help").output().is_ok();
    if !there {
        without(
            Peer::Caminos,
            &format!("caminos::{test}"),
            "no program caminos",
        );
    }
    there.then_some(program)
}

fn nodeorder(folder: &Path, arguments: &[&str]) -> String {
    let out = crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8(out.stdout).unwrap()
}

/// A field of the results of a run in `folder`.
struct Results(String);

impl Results {
    fn of(program: &str, folder: &Path) -> Results {
        let out = Command::new(program)
            .args(["main.cfg", "--results=out"])
            .current_dir(folder)
            .output()
            .unwrap();
        let text = std::fs::read_to_string(folder.join("out")).unwrap_or_default();
        let said = String::from_utf8_lossy(&out.stdout);
        let text = if text.contains("average_packet_hops") {
            text
        } else {
            said.to_string()
        };
        assert!(
            out.status.success() && text.contains("average_packet_hops"),
            "{said}"
        );
        Results(text)
    }

    fn number(&self, key: &str) -> f64 {
        let (_, rest) = self.0.rsplit_once(&format!("{key}:")).unwrap();
        rest.split([',', '\n', '}'])
            .find_map(|word| word.trim().parse().ok())
            .unwrap()
    }
}

/// Mean hops and mean load of the links, by our `map`: every node sends 0.1 a cycle, evenly to all others.
fn ours(folder: &Path, spec: &str, nodes: u32) -> (f64, f64) {
    let guest = format!("all-to-all:n={nodes},volume={}", 0.1 / f64::from(nodes - 1));
    let json = nodeorder(
        folder,
        &[
            "map",
            spec,
            "--guest",
            &guest,
            "--order",
            "row-major",
            "--routing",
            "ecmp-hop",
            "--json",
        ],
    );
    let found: serde_json::Value = serde_json::from_str(&json).unwrap();
    (
        found["dilation_mean"].as_f64().unwrap(),
        found["contention_mean"].as_f64().unwrap(),
    )
}

/// Mean hops of uniform traffic by way of a router drawn from all, the two ends and routers without nodes included,
/// shortest paths drawn hop by hop. A packet that passes its target on the way to that router has arrived, as in
/// caminos. The routing `valiant` of `map` draws a third group of a dragonfly instead, and no router.
fn valiant(spec: &str) -> f64 {
    let machine = nodeorder_network::topology::Topology::inline(spec, &Default::default()).unwrap();
    let (graph, per) = (
        machine.graph().unwrap(),
        f64::from(machine.network().per_router()),
    );
    let (n, hosts) = (
        machine.network().routers() as usize,
        machine.network().hosts() as usize,
    );
    let routers = || (0..n as u32).map(nodeorder_base::ids::RouterId);
    let hops: Vec<Vec<u32>> = routers().map(|router| graph.hops_from(router)).collect();
    let mut total = 0.0;
    for to in &hops {
        let mut by_distance: Vec<usize> = (0..n).collect();
        by_distance.sort_by_key(|router| to[*router]);
        // The share of walks from a router to this one that pass each other router.
        let mut passes = vec![vec![0.0; n]; n];
        for from in by_distance {
            let next = graph
                .neighbours(nodeorder_base::ids::RouterId(from as u32))
                .iter();
            let next: Vec<usize> = next
                .map(|u| *u as usize)
                .filter(|u| to[*u] < to[from])
                .collect();
            for target in 0..n {
                let later: f64 = next.iter().map(|u| passes[*u][target]).sum();
                passes[from][target] = if from == target {
                    1.0
                } else {
                    later / next.len().max(1) as f64
                };
                if from.max(target) >= hosts {
                    continue;
                }
                let pass = passes[from][target];
                let detour = f64::from(to[from] + to[target]);
                total += pass * f64::from(hops[from][target]) + (1.0 - pass) * detour;
            }
        }
    }
    let nodes = hosts as f64 * per;
    total / n as f64 * per * per / (nodes * (nodes - 1.0))
}

/// Uniform traffic at load 0.1: Shortest takes a shortest path hop by hop, as `ecmp-hop` does.
#[test]
fn packets_take_the_hops_and_links_that_map_says() {
    let Some(program) = caminos("packets_take_the_hops_and_links_that_map_says") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (spec, nodes, cycles) in [
        ("random-regular:n=16,d=4,seed=3,per_router=2", 32, 60_000),
        ("torus:4x4,per_router=2", 32, 60_000),
        ("mesh:4x4,per_router=2", 32, 60_000),
        ("hyperx:4x4,per_router=2", 32, 60_000),
        ("dragonfly:p=2,a=4,h=2", 72, 30_000),
        ("fat-tree:k=4", 16, 120_000),
    ] {
        let ours = ours(folder.path(), spec, nodes);
        for (routing, within) in [("shortest", 0.01), ("valiant", 0.02)] {
            let times = if routing == "valiant" {
                valiant(spec) / ours.0
            } else {
                1.0
            };
            let to = format!("caminos:routing={routing},message=1,cycles={cycles}");
            nodeorder(
                folder.path(),
                &[
                    "export", spec, "--order", "random", "--to", &to, "-o", "run",
                ],
            );
            let run = Results::of(&program, &folder.path().join("run"));
            let (hops, load) = (ours.0 * times, ours.1 * times);
            let found = [
                ("average_packet_hops", hops),
                ("average_link_utilization", load),
            ];
            for (what, ours) in found {
                let theirs = run.number(what);
                println!("{spec} {routing} {what}: {theirs} here {ours}");
                assert!(
                    (theirs / ours - 1.0).abs() < within,
                    "{spec} {routing} {what}: {theirs}, here {ours}"
                );
            }
        }
    }
}

/// One message from each process to the next of a line: the hops between ranks are those of the ordering, so that each
/// server is where its map says; every rank alone tells its own distance.
#[test]
fn every_server_stands_where_the_ordering_says() {
    let Some(program) = caminos("every_server_stands_where_the_ordering_says") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let spec = "mesh:3x3,per_router=2";
    let machine = nodeorder_network::topology::Topology::inline(spec, &Default::default()).unwrap();
    for by in ["hilbert", "random:seed=5"] {
        let order = nodeorder_order::ordering::NodeOrder::make(&machine, by).unwrap();
        let nodes = order.nodes();
        for rank in 0..nodes.len() {
            // From rank 0 to this one, and back to tell apart nodes of one distance: from each corner as well.
            for from in [
                0,
                nodes.iter().position(|n| n.0 == 0).unwrap(),
                nodes.iter().position(|n| n.0 == 4).unwrap(),
            ] {
                if from == rank {
                    continue;
                }
                let list = format!("{},{}", nodes[from], nodes[rank]);
                let jobs = format!(
                    "[[jobs]]\nname = 'j'\nguest = 'p.csv'\nbytes = 64\nnodes = [{list}]\n"
                );
                std::fs::write(folder.path().join("p.csv"), "0,1,160\n").unwrap();
                std::fs::write(folder.path().join("jobs.toml"), jobs).unwrap();
                nodeorder(
                    folder.path(),
                    &[
                        "export",
                        spec,
                        "--order",
                        by,
                        "--to",
                        "caminos",
                        "--jobs",
                        "jobs.toml",
                        "-o",
                        "run",
                    ],
                );
                let run = Results::of(&program, &folder.path().join("run"));
                let hops = f64::from(machine.distance(nodes[from], nodes[rank]));
                assert_eq!(
                    run.number("average_packet_hops"),
                    hops,
                    "{by}: rank {rank} from {from}"
                );
            }
        }
    }
}
