//! Jobs side by side: closed forms, what may not change, errors with their lines, and SimGrid as the judge. SimGrid's
//! part is skipped, by name, where its headers are not installed (`apt-get install libsimgrid-dev`).

use std::collections::BTreeMap;

use nodeorder_base::{RouterId, Text};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_present::export::{SimGridFigures, write_simgrid};
use nodeorder_traffic::corun::fit::{Measured, fit};
use nodeorder_traffic::corun::{
    Detail, Fair, Job, NetworkFigures, Outcome, Settings, Speeds, side_by_side,
};
use nodeorder_traffic::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping};

use crate::skip::{Peer, without};

mod peer;

const BANDWIDTH: f64 = 1e9;

fn machine(spec: &str) -> Topology {
    Topology::inline(spec, &Default::default()).unwrap()
}

fn settings(level: Detail, latency: f64) -> Settings {
    Settings {
        speeds: Speeds::new(BANDWIDTH, latency),
        level,
        iterations: 30,
        count_patterns: true,
        spans: 0,
    }
}

fn jobs(machine: &Topology, text: &str) -> Vec<Job> {
    Job::read_all(machine, &Text::new("jobs.toml", text), None).unwrap()
}

fn run(machine: &Topology, routing: &str, text: &str, settings: &Settings) -> Outcome {
    let fabric = Fabric::new(machine).unwrap();
    let routing = FixedRouting::find_by_name(routing).unwrap();
    side_by_side(&fabric, routing, &jobs(machine, text), settings, &|_| {}).unwrap()
}

fn near(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

const LEVELS: [Detail; 2] = [Detail::Flow, Detail::Job];

#[test]
fn jobs_that_share_no_link_take_as_long_as_alone() {
    let torus = machine("torus:8x8");
    // Rows of the torus, and a square of its own.
    let text = "[[jobs]]\nname = 'a'\nguest = 'all-to-all:n=8'\nnodes = ['0-7']\nbytes = '1MB'\ncompute = 0.0137\n\
                [[jobs]]\nname = 'b'\nguest = 'ring:n=8'\nnodes = '16-23'\nbytes = 333333\ncompute = '3.1ms'\n\
                [[jobs]]\nname = 'c'\nguest = 'stencil:2x2'\nnodes = [32, 33, 40, 41]\nbytes = '1MiB'\n";
    for level in LEVELS {
        for routing in ["one-path", "dimension-order"] {
            let outcome = run(&torus, routing, text, &settings(level, 1e-6));
            for job in &outcome.jobs {
                assert!(near(job.seconds, job.alone, 1e-12), "{level:?} {job:?}");
                assert!(job.iterations >= 30);
            }
            // The longest one sets the end.
            assert_eq!(outcome.jobs[0].iterations, 30, "{level:?}");
        }
    }
}

#[test]
fn two_flows_have_half_a_link_each() {
    let pair = machine("mesh:2,per_router=2");
    let job = |name: &str, nodes: &str, rest: &str| {
        format!(
            "[[jobs]]\nname = '{name}'\nguest = 'ring:n=2'\nnodes = {nodes}\nbytes = '1GB'\n{rest}\n"
        )
    };
    let both = job("a", "[0, 2]", "compute = 1") + &job("b", "[1, 3]", "compute = '1s'");
    for level in LEVELS {
        let outcome = run(&pair, "one-path", &both, &settings(level, 0.0));
        for job in &outcome.jobs {
            assert_eq!(
                (job.seconds, job.alone, job.slowdown()),
                (3.0, 2.0, 1.5),
                "{level:?}"
            );
        }
        assert_eq!(
            (outcome.seconds, outcome.utilisation),
            (90.0, vec![2.0 / 3.0; 2])
        );
    }
    // On one router: at the node's bandwidth, no link used, no latency.
    let inside = job("a", "[0, 1]", "compute = 1");
    let outcome = run(&pair, "one-path", &inside, &settings(Detail::Flow, 0.5));
    assert_eq!(
        (outcome.jobs[0].seconds, outcome.utilisation),
        (2.0, vec![0.0; 2])
    );
    // A hop of latency, then the bytes.
    for level in LEVELS {
        let outcome = run(
            &pair,
            "one-path",
            &job("a", "[0, 2]", ""),
            &settings(level, 0.25),
        );
        assert_eq!(outcome.jobs[0].seconds, 1.25);
    }
}

#[test]
fn phases_follow_each_other() {
    let pair = machine("mesh:2");
    let text = "[[jobs]]\nname = 'a'\nnodes = [0, 1]\n\
                [[jobs.phases]]\nguest = 'ring:n=2'\nbytes = '1GB'\ncompute = 2\n\
                [[jobs.phases]]\nguest = 'ring:n=2,volume=3'\nbytes = '1GB'\n";
    for level in LEVELS {
        let outcome = run(&pair, "one-path", text, &settings(level, 0.0));
        assert_eq!(outcome.jobs[0].seconds, 2.0 + 1.0 + 3.0);
        assert!(near(outcome.utilisation[0], 4.0 / 6.0, 1e-12));
    }
}

/// A latency for each message, one after the other, and the bytes once.
#[test]
fn messages_pay_their_latency_one_by_one() {
    let line = machine("mesh:4");
    let one = "[[jobs]]\nname = 'a'\nguest = 'ring:n=2'\nnodes = [0, 3]\nbytes = '1GB'\n";
    for (text, seconds) in [
        (one.to_string(), 1.0 + 0.75),
        (format!("{one}messages = 5\n"), 1.0 + 5.0 * 0.75),
        (
            "[[jobs]]\nname = 'a'\nnodes = [0, 3]\n[[jobs.phases]]\nguest = 'ring:n=2'\nbytes = '1GB'\n\
             messages = 3\n[[jobs.phases]]\nguest = 'ring:n=2'\nbytes = 0\ncompute = 2\n"
                .into(),
            1.0 + 3.0 * 0.75 + 2.0,
        ),
    ] {
        for level in LEVELS {
            let outcome = run(&line, "one-path", &text, &settings(level, 0.25));
            assert!(near(outcome.jobs[0].seconds, seconds, 1e-12), "{level:?} {text}");
        }
    }
}

/// Stages of benchmarks take their seconds one after the other, by closed forms.
#[test]
fn benchmarks_take_what_their_stages_take() {
    let job = |benchmark: &str, nodes: &str| {
        format!("speed = '2Gf'\n[[jobs]]\nname = 'a'\nnodes = {nodes}\nbenchmark = '{benchmark}'\n")
    };
    // Of 2^16 keys, 4 processes count a quarter each; in three steps everyone sends everyone 16 KiB and 4 bytes, in two
    // messages. On a ring of 4 a step by one and by three takes a hop; by two it takes two, both ways round.
    let ring = machine("torus:4");
    let bytes = 4.0 * 65536.0 / 16.0 + 4.0;
    let latency = 1e-5;
    let seconds = 16384.0 / 2e9 + (1.0 + 1.0 + 2.0) * 2.0 * latency + 3.0 * bytes / BANDWIDTH;
    for level in LEVELS {
        let text = job("npb-is:n=4,class=S", "'0-3'");
        let outcome = run(&ring, "dimension-order", &text, &settings(level, latency));
        // Halves of a message two hops away go each way round: no link has more than one message.
        assert!(
            near(outcome.jobs[0].seconds, seconds, 1e-9),
            "{level:?} {outcome:?}"
        );
    }
    // LU on a pair: a sweep of 10 planes each way, and faces; 5 numbers a point, edges of 10 inner points.
    let pair = machine("mesh:2");
    let operations = 1984.77 * 1728.0 - 10_923.3 * 144.0 + 27_770.9 * 12.0 - 144_010.0;
    let sent = 2.0 * 40.0 * 10.0 * 10.0 + 80.0 * 12.0 * 12.0;
    let seconds = operations / 2.0 / 2e9 + 21.0 * latency + sent / BANDWIDTH;
    for level in LEVELS {
        let text = job("npb-lu:n=2,class=S", "[0, 1]");
        let outcome = run(&pair, "one-path", &text, &settings(level, latency));
        assert!(
            near(outcome.jobs[0].seconds, seconds, 1e-9),
            "{level:?} {outcome:?} {seconds}"
        );
    }
    // Alone, nothing is sent.
    let outcome = run(
        &pair,
        "one-path",
        &job("npb-bt:n=1,class=S", "[0]"),
        &settings(Detail::Flow, 1.0),
    );
    let operations = 3478.8 * 1728.0 - 17_655.7 * 144.0 + 28_023.7 * 12.0;
    assert!(near(outcome.jobs[0].seconds, operations / 2e9, 1e-12));
}

/// Seconds that a job sends alone, in messages of 1 second each over a link of its own.
fn sending(machine: &Topology, guest: &str, nodes: &str) -> [f64; 2] {
    let text = format!("[[jobs]]\nname = 'a'\nguest = '{guest}'\nnodes = {nodes}\nbytes = 1e9\n");
    LEVELS.map(|level| {
        let mut settings = settings(level, 0.0);
        settings.speeds.node_links_shared = false;
        let outcome = run(machine, "one-path", &text, &settings);
        let (job, fabric) = (&outcome.jobs[0], Fabric::new(machine).unwrap());
        assert!(near(job.seconds, job.alone, 1e-12));
        // What is sent is what links carry.
        let parsed = &jobs(machine, &text)[0];
        let hop_bytes = mapping::analyse(
            &fabric,
            &parsed.phases[0].guest,
            &parsed.mapping,
            FixedRouting::find_by_name("one-path").unwrap(),
        );
        let carried: f64 = (0..fabric.links.len())
            .map(|l| outcome.utilisation[l] * fabric.links.capacity(l) * outcome.seconds)
            .sum();
        let sent = hop_bytes.unwrap().dilation.hop_bytes * job.iterations as f64;
        assert!(near(carried, sent, 1e-9), "{guest}: {carried} {sent}");
        job.seconds
    })
}

#[test]
fn rings_and_stars_take_the_seconds_of_closed_forms() {
    for n in [5u32, 7, 8, 12, 16] {
        let ring = machine(&format!("torus:{n}"));
        let nodes = format!("'0-{}'", n - 1);
        // Neighbours: each message has a link to itself.
        assert_eq!(sending(&ring, &format!("ring:n={n}"), &nodes), [1.0; 2]);
        // All to all: ⌊n²/4⌋ / 2 messages on each directed link, all at the same rate.
        let load = f64::from(n * n / 4) / 2.0;
        for seconds in sending(&ring, &format!("all-to-all:n={n}"), &nodes) {
            assert!(near(seconds, load, 1e-12), "{n}: {seconds} {load}");
        }
    }
    // A star: everyone sends to node 1 over the one link that leads there.
    let folder = tempfile::tempdir().unwrap();
    let (star, guest) = (
        folder.path().join("star.csv"),
        folder.path().join("to-one.csv"),
    );
    std::fs::write(&star, "0,1\n0,2\n0,3\n0,4\n0,5\n").unwrap();
    std::fs::write(&guest, "1,0,1\n2,0,1\n3,0,1\n4,0,1\n").unwrap();
    let star = machine(&format!("graph:{}", star.display()));
    assert_eq!(
        sending(&star, &guest.display().to_string(), "'1-5'"),
        [4.0; 2]
    );
}

/// Machines with at least 64 nodes on one switch.
const ONE_SWITCH: [&str; 6] = [
    "xgft:m=64,w=1",
    "xgft:m=64x2,w=1x2",
    "mesh:2,per_router=64",
    "torus:4x4,per_router=64",
    "hyperx:3x3,per_router=64",
    "dragonfly:p=64,a=2,h=1",
];

/// n nodes of one switch, each sending B bytes to each other: (n-1) · B over the bandwidth of a node link, and with a
/// switch that carries four node links' bytes n/4 times as long once n is above 4.
#[test]
fn all_to_all_under_one_switch_takes_what_node_links_take() {
    for spec in ONE_SWITCH {
        let machine = machine(spec);
        for n in [2u32, 3, 8, 16, 33, 64] {
            let last = n - 1;
            let text = format!(
                "[[jobs]]\nname = 'a'\nguest = 'all-to-all:n={n}'\nnodes = '0-{last}'\nbytes = '1MB'\n"
            );
            for level in LEVELS {
                let mut settings = settings(level, 0.0);
                let seconds = |settings: &Settings| {
                    run(&machine, "one-path", &text, settings).jobs[0].seconds
                };
                let alone = f64::from(last) * 1e6 / BANDWIDTH;
                let found = seconds(&settings);
                assert!(
                    near(found, alone, 1e-12),
                    "{spec} {n} {level:?}: {found} {alone}"
                );
                settings.speeds.switch_bandwidth = 4.0 * BANDWIDTH;
                let (found, through) = (seconds(&settings), alone * f64::from(n.max(4)) / 4.0);
                assert!(
                    near(found, through, 1e-12),
                    "{spec} {n} {level:?}: {found} {through}"
                );
                settings.speeds.switch_bandwidth = f64::INFINITY;
                settings.speeds.node_bandwidth = BANDWIDTH / 2.0;
                assert!(
                    near(seconds(&settings), 2.0 * alone, 1e-12),
                    "{spec} {n} {level:?}"
                );
                // Free node links bound each message alone.
                settings.speeds.node_links_shared = false;
                assert!(
                    near(seconds(&settings), 2e6 / BANDWIDTH, 1e-12),
                    "{spec} {n} {level:?}"
                );
            }
        }
    }
}

/// The two directions of a node link are shared apart, by all jobs of the node.
#[test]
fn node_links_are_shared_by_direction() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let switch = machine("xgft:m=8,w=1");
    let (out, both) = (
        file("out.csv", "0,1,1\n0,2,1\n0,3,1\n"),
        file("both.csv", "0,1,1\n1,0,1\n"),
    );
    let job = |name: &str, guest: &str, nodes: &str| {
        format!("[[jobs]]\nname = '{name}'\nguest = '{guest}'\nnodes = {nodes}\nbytes = '1GB'\n")
    };
    for level in LEVELS {
        let settings = settings(level, 0.0);
        let seconds = |text: &str| {
            let jobs = run(&switch, "one-path", text, &settings).jobs;
            jobs.iter().map(|job| job.seconds).collect::<Vec<_>>()
        };
        assert_eq!(seconds(&job("a", &out, "[0, 1, 2, 3]")), [3.0]);
        assert_eq!(seconds(&job("a", &both, "[0, 1]")), [1.0]);
        // Processes of one node take none of it.
        assert_eq!(seconds(&job("a", &out, "[0, 0, 0, 1]")), [1.0]);
        // Two jobs that both send from node 0 all the time.
        let two = job("a", &both, "[0, 1]") + &job("b", &both, "[0, 2]");
        assert_eq!(seconds(&two), [2.0, 2.0]);
    }
}

/// Messages of another size end earlier and leave their share: 1 GB and 3 GB over one link take 2 and 4 seconds.
#[test]
fn messages_that_end_early_leave_their_share_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let guest = folder.path().join("g.csv");
    std::fs::write(&guest, "0,2,1\n1,3,3\n").unwrap();
    let pair = machine("mesh:2,per_router=2");
    let text = format!(
        "[[jobs]]\nname = 'a'\nguest = '{}'\nnodes = [0, 1, 2, 3]\nbytes = '1GB'\n",
        guest.display()
    );
    let outcome = run(&pair, "one-path", &text, &settings(Detail::Flow, 0.0));
    assert_eq!(outcome.jobs[0].seconds, 4.0);
}

#[test]
fn shares_by_latency_favour_short_routes() {
    // Two messages meet on the link from router 1 to 2: one over one hop, one over two.
    let path = machine("mesh:3,per_router=2");
    let folder = tempfile::tempdir().unwrap();
    let guest = folder.path().join("g.csv");
    std::fs::write(&guest, "0,2,1\n1,3,1\n").unwrap();
    let text = format!(
        "[[jobs]]\nname = 'a'\nguest = '{}'\nnodes = [0, 2, 4, 5]\nbytes = '1GB'\n",
        guest.display()
    );
    let mut settings = settings(Detail::Flow, 1e-9);
    let flow = run(&path, "one-path", &text, &settings).jobs[0].seconds;
    settings.speeds.fair = Fair::Rtt;
    let rtt = run(&path, "one-path", &text, &settings).jobs[0].seconds;
    // The link is full until both are through, whoever is first.
    assert!(
        near(flow, 2.0, 1e-6) && near(rtt, 2.0, 1e-6),
        "{flow} {rtt}"
    );
    let long = text.replace("nodes = [0, 2, 4, 5]", "nodes = [0, 2, 4, 5]\ncompute = 0");
    assert_eq!(
        run(&path, "one-path", &long, &settings).jobs[0].seconds,
        rtt
    );
}

#[test]
fn the_number_of_threads_changes_no_result() {
    let case = peer::case("torus:5x5x5", 4);
    let fabric = Fabric::new(&case.machine).unwrap();
    let routing = FixedRouting::find_by_name("ecmp-path").unwrap();
    for level in LEVELS {
        let outcomes = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let settings = Settings {
                spans: 100,
                ..settings(level, 1e-6)
            };
            pool.install(|| side_by_side(&fabric, routing, &case.jobs, &settings, &|_| {}).unwrap())
        });
        assert_eq!(outcomes[0], outcomes[1]);
        assert!(!outcomes[0].spans.is_empty());
    }
}

/// The loads of `one-path` are those of the routes in SimGrid's platform, summed up pair by pair.
#[test]
fn loads_of_one_path_are_those_of_the_routes_in_the_platform() {
    for spec in [
        "torus:4x3x2",
        "torus:6x4",
        "mesh:4x5",
        "fat-tree:k=4",
        "dragonfly:p=1,a=4,h=2",
        "gnm:n=24,m=60",
    ] {
        let machine = machine(spec);
        let order = NodeOrder::make(&machine, "row-major").unwrap();
        let platform = write_simgrid(&machine, &order, &SimGridFigures::default())
            .unwrap()
            .text;
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for route in platform.lines().filter(|line| line.contains("<route ")) {
            for link in route.split("<link_ctn id=\"link-").skip(1) {
                *sums
                    .entry(link.split("/>").next().unwrap().to_string())
                    .or_default() += 1.0;
            }
        }
        let fabric = Fabric::new(&machine).unwrap();
        let routing = FixedRouting::find_by_name("one-path").unwrap();
        let guest = Guest::make(
            &format!("all-to-all:n={}", order.len()),
            &Default::default(),
        )
        .unwrap();
        let mapping = ProcessMapping::in_order(&guest, order.label(), order.nodes()).unwrap();
        let loads = mapping::analyse(&fabric, &guest, &mapping, routing)
            .unwrap()
            .contention
            .loads;
        for (u, v, link) in fabric.links.iter() {
            let way = if u < v { "UP" } else { "DOWN" };
            let name = format!("{}-{}\" direction=\"{way}\"", u.min(v), u.max(v));
            assert_eq!(
                loads[link],
                sums.get(&name).copied().unwrap_or(0.0),
                "{spec} {name}"
            );
        }
        // And pair by pair as lists of links.
        let hosts = machine.network().hosts();
        let pairs: Vec<(u32, u32)> = (0..hosts)
            .flat_map(|a| (0..hosts).map(move |b| (a, b)))
            .collect();
        for ((a, b), route) in pairs
            .iter()
            .zip(routing.find_routes(&fabric, &pairs).unwrap())
        {
            let per = machine.network().per_router();
            let node = |router: u32| machine.nodes_of(RouterId(router)).next().unwrap();
            assert_eq!(node(*a).0 / per, *a);
            assert_eq!(
                route.len() as u32,
                machine.distance(node(*a), node(*b)),
                "{spec} {a} {b}"
            );
        }
    }
}

/// Routes that are found pair by pair add up to the loads of all, for every routing.
#[test]
fn routes_of_pairs_add_up_to_loads() {
    for spec in [
        "torus:4x3x2",
        "mesh:5x3",
        "hyperx:3x4",
        "dragonfly:p=1,a=4,h=2,g=5",
        "fat-tree:k=4",
    ] {
        let machine = machine(spec);
        let fabric = Fabric::new(&machine).unwrap();
        let guest = Guest::make("random:n=9,degree=3,seed=2", &Default::default()).unwrap();
        let order = NodeOrder::make(&machine, "random").unwrap();
        let mapping = ProcessMapping::in_order(&guest, order.label(), order.nodes()).unwrap();
        for routing in mapping::routing::suitable(&machine) {
            let expected = mapping::analyse(&fabric, &guest, &mapping, routing)
                .unwrap()
                .contention
                .loads;
            let mut pairs = Vec::new();
            guest.for_each_message(|m| {
                let router = |p| machine.router_of(mapping.node_of(p)).0;
                pairs.push((router(m.source), router(m.target)));
            });
            let mut sums = vec![0.0; expected.len()];
            for (link, share) in routing
                .find_routes(&fabric, &pairs)
                .unwrap()
                .into_iter()
                .flatten()
            {
                sums[link as usize] += share;
            }
            for (sum, load) in sums.iter().zip(&expected) {
                assert!(
                    (sum - load).abs() < 1e-9,
                    "{spec} {}: {sum} {load}",
                    routing.name()
                );
            }
        }
    }
}

#[test]
fn wrong_files_are_refused_with_their_lines() {
    let machine = machine("torus:4x4");
    let job = |rest: &str| format!("[[jobs]]\nname = 'a'\n{rest}\n");
    let good = "guest = 'ring:n=4'\nnodes = [0, 1, 2, 3]\nbytes = 8\n";
    for (text, expected) in [
        ("".into(), "jobs.toml: found no jobs"),
        (
            "[[job]]\n".into(),
            "jobs.toml:1: unknown key for a file of jobs `job`",
        ),
        (
            job("guest = 'ring:n=5'\nnodes = ['0-3']\nbytes = 1"),
            "jobs.toml:3: found `ring:n=5` with 5 processes; expected at most 4",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = [0, 1,\n 2, 16]\nbytes = 1"),
            "jobs.toml:5: found node 16; expected a node id from 0 to 15",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-99']\nbytes = 1"),
            "jobs.toml:4: found node 99",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['3-0']\nbytes = 1"),
            "jobs.toml:4: found `3-0`",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['x7']\nbytes = 1"),
            "jobs.toml:4: found `x7`",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = []\nbytes = 1"),
            "jobs.toml:1: found a job without `nodes`",
        ),
        (
            job("guest = 'rnig:n=4'\nnodes = [0]\nbytes = 1"),
            "jobs.toml:3: ",
        ),
        (
            job("nodes = [0]\nbytes = 1"),
            "jobs.toml:1: found no `guest`",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-3']"),
            "found no `bytes`",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-3']\nbytes = '1XB'"),
            "jobs.toml:5: found bytes = `1XB`; expected bytes of 0 or more",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-3']\nbytes = -1"),
            "jobs.toml:5: found bytes = -1",
        ),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-3']\nbytes = 1e300"),
            "jobs.toml:5: found bytes = 1",
        ),
        (
            job(&format!("{good}compute = '1MB'")),
            "jobs.toml:6: found compute = `1MB`; expected seconds",
        ),
        (
            job(&format!("{good}spread = 1.5")),
            "jobs.toml:6: found spread = 1.5",
        ),
        (job(&format!("{good}bites = 1")), "jobs.toml:6: unknown key"),
        (
            job("guest = 'ring:n=4'\nnodes = ['0-3']\nbytes = 0"),
            "jobs.toml:1: found a job that takes no time",
        ),
        (
            job(&format!(
                "{good}[[jobs.phases]]\nguest = 'ring:n=4'\nbytes = 1"
            )),
            "`guest` beside [[jobs.phases]]",
        ),
        (
            job(&format!("{good}messages = 0")),
            "jobs.toml:6: found messages = 0; expected a whole number from 1",
        ),
        (
            job(&format!("{good}benchmark = 'npb-lu:n=4'")),
            "jobs.toml:3: found `guest` beside `benchmark`",
        ),
        (
            job("nodes = ['0-3']\nbenchmark = 'ring:n=4'"),
            "jobs.toml:4: found `ring:n=4`: `ring:n=4`; expected a benchmark: npb-bt, npb-cg",
        ),
        (
            job("nodes = ['0-3']\nbenchmark = 'npb-bt:n=5'"),
            "jobs.toml:4: found `npb-bt:n=5`: n = `5`; expected a square",
        ),
        (
            job("nodes = ['0-3']\nbenchmark = 'npb-bt:n=9'"),
            "with 9 processes; expected at most 4",
        ),
        (
            format!("speed = 'fast'\n{}", job(good)),
            "jobs.toml:1: found speed = `fast`; expected operations a second",
        ),
        (
            job(good) + &job(good),
            "jobs.toml:8: found another job called `a`",
        ),
        (
            format!("[[jobs]]\n{good}"),
            "jobs.toml:1: found a job without `name`",
        ),
    ] {
        let error = Job::read_all(&machine, &Text::new("jobs.toml", text), None)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(expected),
            "{error}\n  does not hold\n{expected}"
        );
    }
    // Iterations of all too different lengths.
    let text = job(good) + &job(&format!("{good}compute = '9e9s'")).replace("'a'", "'b'");
    let fabric = Fabric::new(&machine).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let settings = settings(Detail::Flow, 0.0);
    let found = side_by_side(&fabric, routing, &jobs(&machine, &text), &settings, &|_| {});
    assert!(
        found
            .unwrap_err()
            .to_string()
            .contains("an iteration of `b` takes")
    );
}

#[test]
fn jobs_beyond_the_memory_limit_are_refused() {
    let small = Topology::inline(
        "torus:4x4",
        &Context {
            memory: 40_000,
            ..Default::default()
        },
    )
    .unwrap();
    let text = "[[jobs]]\nname = 'a'\nguest = 'all-to-all:n=16'\nnodes = '0-15'\nbytes = 1\n";
    let fabric = Fabric::new(&small).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let found = side_by_side(
        &fabric,
        routing,
        &jobs(&small, text),
        &settings(Detail::Flow, 0.0),
        &|_| {},
    );
    assert!(
        found
            .unwrap_err()
            .to_string()
            .contains("the messages of a job")
    );
}

/// The job level on the cases of the comparison with SimGrid, ten a network.
#[test]
fn job_level_stays_near_the_flow_level() {
    let mut errors = Vec::new();
    for (i, spec) in peer::NETWORKS.iter().enumerate() {
        for number in 0..10 {
            let case = peer::case(spec, 100 * i as u64 + number);
            let fabric = Fabric::new(&case.machine).unwrap();
            let routing = FixedRouting::find_by_name("one-path").unwrap();
            let [flow, job] = LEVELS.map(|level| {
                side_by_side(&fabric, routing, &case.jobs, &settings(level, 0.0), &|_| {}).unwrap()
            });
            let pairs = flow.jobs.iter().zip(&job.jobs);
            errors.extend(pairs.map(|(a, b)| (b.seconds / a.seconds - 1.0).abs()));
        }
    }
    let [median, most, largest] = peer::spread(errors);
    eprintln!("job level: median {median:.4}, 90 % {most:.4}, largest {largest:.4}");
    assert!(median <= 0.03 && most <= 0.10, "{median} {most}");
}

/// Two cases a network, 10 iterations; the report has them all.
#[test]
fn simgrid_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = peer::compile(folder.path()) else {
        return without(
            Peer::SimGrid,
            "corun::simgrid_agrees",
            "no headers, or no g++",
        );
    };
    for (latency, worst) in [(0.0, [1e-6, 1e-6]), (1e-6, [0.01, 0.04])] {
        let mut errors = Vec::new();
        for (i, spec) in peer::NETWORKS.iter().enumerate() {
            for number in 0..2 {
                let case = peer::case(spec, 100 * i as u64 + number);
                let (theirs, _) = peer::simulate(&program, folder.path(), &case, 10, latency);
                let fabric = Fabric::new(&case.machine).unwrap();
                let routing = FixedRouting::find_by_name("one-path").unwrap();
                let settings = Settings {
                    speeds: peer::speeds(latency),
                    iterations: 10,
                    ..settings(Detail::Flow, 0.0)
                };
                let ours = side_by_side(&fabric, routing, &case.jobs, &settings, &|_| {}).unwrap();
                let pairs = ours.jobs.iter().zip(theirs);
                errors.extend(pairs.map(|(a, b)| (a.seconds / b.1 - 1.0).abs()));
            }
        }
        let [median, most, largest] = peer::spread(errors);
        eprintln!("latency {latency}: median {median:e}, 90 % {most:e}, largest {largest:e}");
        assert!(
            median <= worst[0] && most <= worst[1],
            "{latency}: {median} {most}"
        );
    }
}

/// Rows that SimGrid simulates from known figures, with noise, give these figures back.
#[test]
fn a_fit_finds_the_figures_of_simgrid() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(program) = peer::compile(folder) else {
        return without(
            Peer::SimGrid,
            "corun::a_fit_finds_the_figures_of_simgrid",
            "no headers of SimGrid",
        );
    };
    let truth = NetworkFigures {
        bandwidth: Some(2.5e9),
        latency: Some(3e-7),
        node_bandwidth: Some(1.2e9),
        node_latency: Some(7e-7),
        ..NetworkFigures::default()
    };
    let spec = "xgft:m=8x6,w=1x2";
    let mut random = nodeorder_base::random::seed_generator(3);
    let mut rows = String::from("pattern,nodes,bytes,seconds\n");
    let mut count = 0;
    for bytes in [8u64, 1000, 100_000, 1_000_000, 10_000_000] {
        let patterns = ["all-to-all", "ring"].into_iter();
        let many = patterns.flat_map(|p| [2u32, 4, 8, 16, 24, 32, 48].map(|n| (p, 0, n)));
        // Latencies show in small messages: many pairs under one leaf switch and under two.
        let pings = if bytes < 10_000 { 24 } else { 0 };
        let many = many.chain((0..pings).map(|i| {
            (
                "ping-pong",
                i,
                if i % 2 == 0 {
                    i / 8 * 8 + (i + 1) % 8
                } else {
                    i + 24
                },
            )
        }));
        let pairs = [(0, 1), (3, 4), (7, 8), (15, 16), (1, 40), (9, 33), (20, 22)];
        let pairs = pairs.map(|(a, b)| ("ping-pong", a, b));
        for (pattern, first, last) in many.chain(pairs) {
            let (guest, nodes, list) = match pattern {
                "ping-pong" => ("random", vec![first, last], format!("\"[{first},{last}]\"")),
                _ => (pattern, (0..last).collect(), format!("0-{}", last - 1)),
            };
            let one = folder.join("one.csv");
            std::fs::write(&one, "0,1,1\n").unwrap();
            let guest = match guest {
                "random" => one.display().to_string(),
                guest => format!("{guest}:n={}", nodes.len()),
            };
            let text = format!(
                "[[jobs]]\nname = 'a'\nguest = '{guest}'\nnodes = {nodes:?}\nbytes = {bytes}\ncompute = 0\n"
            );
            let machine = machine(spec);
            let jobs = jobs(&machine, &text);
            let case = peer::Case {
                machine,
                jobs,
                about: Vec::new(),
            };
            let (found, _) = peer::simulate_with(&program, folder, &case, 1, truth);
            let ways = if pattern == "ping-pong" { 2.0 } else { 1.0 };
            // Small messages are measured four times.
            for _ in 0..if bytes < 10_000 { 4 } else { 1 } {
                let noise =
                    1.0 + 0.05 * (2.0 * nodeorder_base::random::random_unit(&mut random) - 1.0);
                rows += &format!("{pattern},{list},{bytes},{}\n", ways * found[0].1 * noise);
                count += 1;
            }
        }
    }
    assert!(count >= 100);
    let machine = machine(spec);
    let rows = Measured::read_all(&machine, &Text::new("rows.csv", rows)).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let found = fit(&fabric, routing, Fair::Rtt, &rows).unwrap();
    let figures = found.figures();
    let pairs = [
        (figures.bandwidth, truth.bandwidth),
        (figures.latency, truth.latency),
        (figures.node_bandwidth, truth.node_bandwidth),
        (figures.node_latency, truth.node_latency),
    ];
    for (found, truth) in pairs {
        let (found, truth) = (found.unwrap(), truth.unwrap());
        assert!(near(found, truth, 0.03), "{found} {truth}: {figures:?}");
    }
    assert_eq!(
        found.unknown_figures().collect::<Vec<_>>(),
        ["switch_bandwidth"]
    );
}
