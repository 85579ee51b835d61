//! A real Slurm on emulated nodes does with an exported ordering what a replay foretells, and runs a sweep as a
//! job array. Skipped, by name, where Slurm is not installed (`apt-get install slurm-wlm munge`) or the test
//! does not run as root.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use nodeorder_base::Text;
use nodeorder_base::random;
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_jobs::replay::{FigureSet, Replay};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::allocation::AllocationMeter;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_present::export;
use nodeorder_trace::{Block, Log};

mod cluster;
mod exports_26;

pub(crate) use cluster::{Cluster, Conf, Slurm};

/// A random stream on `nodes` nodes: jobs of up to three eighths of them, freed so that always all fit.
fn stream(nodes: u32, jobs: u32, seed: u64) -> String {
    let mut random = random::seed_generator(seed);
    let (mut text, mut live, mut free) = (String::new(), Vec::<(u32, u32)>::new(), nodes);
    let sizes = [(nodes / 32).max(1), nodes / 8, 3 * nodes / 8];
    for job in 0..jobs {
        // Small jobs are more frequent, as in real logs.
        let most = sizes[random::random_below(3, &mut random) as usize];
        let nodes = 1 + random::random_below(u64::from(most), &mut random) as u32;
        while free < nodes || (live.len() > 4 && random::random_below(3, &mut random) == 0) {
            let (job, nodes) =
                live.swap_remove(random::random_below(live.len() as u64, &mut random) as usize);
            text += &format!("F {job}\n");
            free += nodes;
        }
        text += &format!("P {job} {nodes}\n");
        free -= nodes;
        live.push((job, nodes));
    }
    text
}

/// The ranks a replay gives to each job of `log`, in the order of the log.
fn foretold(topology: &Topology, order: &NodeOrder, rule: &str, log: &str) -> Vec<Vec<u32>> {
    let distances = RankDistances::new(topology, order).unwrap();
    let context = AllocatorContext {
        topology,
        order,
        distances: &distances,
    };
    let rule = allocator::make(rule, &context).unwrap();
    let meter = AllocationMeter::new(topology, &distances).unwrap();
    let figures = FigureSet {
        ranks: true,
        ..FigureSet::default()
    };
    let mut replay = Replay::new(rule, meter, distances.len(), figures);
    let (mut block, mut placed, mut all) = (Block::default(), Vec::new(), Vec::new());
    let mut log = Log::new("log", log);
    while log.next_block(1000, &mut block).unwrap() {
        replay.replay_block(&block, None, &mut placed).unwrap();
        all.extend(placed.iter().map(|p| {
            p.figures
                .ranks
                .as_ref()
                .unwrap()
                .iter()
                .collect::<Vec<u32>>()
        }));
    }
    all
}

/// Two streams of ten jobs on 16 nodes, by weights and by names.
#[test]
fn slurm_allocates_what_the_replay_foretells() {
    let test = "slurm_allocates_what_the_replay_foretells";
    let Some((slurm, _turn)) = Slurm::installed(test) else {
        return;
    };
    hold_to_slurm(&slurm, "[4, 2, 2]", &["optimise:steps=5000"], 10);
}

/// Six streams of 40 jobs on 64 nodes: weights and names, each on a random, a Hilbert and an optimised ordering.
#[test]
#[ignore = "minutes: six clusters of 64 nodes each"]
fn slurm_allocates_what_the_replay_foretells_at_length() {
    let test = "slurm_allocates_what_the_replay_foretells_at_length";
    let Some((slurm, _turn)) = Slurm::installed(test) else {
        return;
    };
    let orderings = ["random:seed=5", "hilbert", "optimise:steps=20000"];
    let compared = hold_to_slurm(&slurm, "[4, 4, 4]", &orderings, 40);
    assert!(compared.values().all(|count| *count >= 100), "{compared:?}");
}

/// `jobs` jobs on a torus of `dims` on each of `orderings`, with either way to tell Slurm of it: how many node
/// lists were compared each way.
fn hold_to_slurm(
    slurm: &Slurm,
    dims: &str,
    orderings: &[&str],
    jobs: u32,
) -> BTreeMap<&'static str, usize> {
    let text = format!("kind = 'torus'\ndims = {dims}\nnames = 'nid{{:05}}'\n");
    let text = Text::new("m.toml", &text);
    let topology = Topology::toml(&text, None, &Default::default()).unwrap();
    let nodes = topology.node_count();
    let mut compared = BTreeMap::new();
    for (i, by) in orderings.iter().enumerate() {
        let order = NodeOrder::make(&topology, by).unwrap();
        for (target, rule) in [
            ("slurm-weights", "fifo:0"),
            ("slurm-names", "slurm-best-fit"),
        ] {
            let text = export::write_order(target, &topology, &order).unwrap().text;
            let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            let name_of = |rank: u32| match target {
                "slurm-weights" => topology.node_name(order.nodes()[rank as usize]),
                _ => format!("r{rank:02}"),
            };
            let cluster = Cluster::start(slurm, &lines, &Conf::default());
            let log = stream(nodes as u32, jobs, 11 + i as u64);
            let mut expected = foretold(&topology, &order, rule, &log).into_iter();
            let (mut live, mut idle) = (BTreeMap::new(), nodes);
            for line in log.lines() {
                let words: Vec<&str> = line.split(' ').collect();
                if words[0] == "F" {
                    let (job, nodes): (String, usize) = live.remove(words[1]).unwrap();
                    idle += nodes;
                    cluster.free(&job, idle);
                    continue;
                }
                let (job, mut nodes) = cluster.allocate(words[2].parse().unwrap());
                let mut names: Vec<String> =
                    expected.next().unwrap().into_iter().map(name_of).collect();
                nodes.sort();
                names.sort();
                assert_eq!(nodes, names, "{target} {by}: {line}");
                idle -= nodes.len();
                live.insert(words[1].to_string(), (job, nodes.len()));
                *compared.entry(target).or_insert(0) += 1;
            }
            // The names mode keeps the real names as hosts.
            if target == "slurm-names" {
                let said = cluster.tell("scontrol", &["show", "node", "r07"]);
                let host = format!("NodeHostName={}", topology.node_name(order.nodes()[7]));
                assert!(said.contains(&host), "{said}");
            }
        }
    }
    eprintln!("node lists equal to the replay's: {compared:?}");
    let all = jobs as usize * orderings.len();
    assert!(
        compared.len() == 2 && compared.values().all(|count| *count == all),
        "{compared:?}"
    );
    compared
}

/// Eight nodes, eight shards: the table of one process, byte for byte. A shard that failed is named.
#[test]
fn a_job_array_makes_the_table_of_one_process() {
    let test = "a_job_array_makes_the_table_of_one_process";
    let Some((slurm, _turn)) = Slurm::installed(test) else {
        return;
    };
    let lines: Vec<String> = (0..8).map(|n| format!("NodeName=c{n}")).collect();
    let cluster = {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        Cluster::start(&slurm, &lines, &Conf::default())
    };
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let plan = "topologies = ['torus:4x4x4', 'mesh:8x8']\norderings = ['hilbert', 'snake', 'random']\n\
                allocators = ['fifo:0', 'first-fit:8', 'random']\nlogs = ['jobs.log']\nseeds = [1, 2]\n";
    std::fs::write(at("plan.toml"), plan).unwrap();
    std::fs::write(at("jobs.log"), stream(64, 300, 3)).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_nodeorder"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .current_dir(work.path())
            .output()
            .unwrap()
    };
    assert!(
        run(&["sweep", "run", "plan.toml", "--out", "one"])
            .status
            .success()
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let submit = |program: &str, arguments: &[&str]| {
        let mut command = cluster.command(program);
        let command = command.args(arguments).env("PATH", &path);
        command.current_dir(work.path()).output().unwrap()
    };
    // The job as it is emitted: an array, and a job that depends on it.
    let emit = [
        "sweep",
        "plan.toml",
        "--out",
        "results",
        "--emit",
        "slurm",
        "--tasks",
        "8",
    ];
    assert!(run(&emit).status.success());
    let said = submit("bash", &["results/sweep.sbatch", "--wait"]);
    let outs = || {
        let files = std::fs::read_dir(work.path())
            .unwrap()
            .map(|e| e.unwrap().path());
        let texts = files.filter(|p| p.extension().is_some_and(|e| e == "out"));
        texts
            .map(|p| std::fs::read_to_string(p).unwrap())
            .collect::<String>()
    };
    assert!(
        said.status.success(),
        "{}{}",
        String::from_utf8_lossy(&said.stderr),
        outs()
    );
    let table = |folder: &str| std::fs::read(at(folder).join("results.csv")).unwrap();
    assert_eq!(table("one"), table("results"));

    // A shard that is lost is named, with the line that makes it again; the others are skipped.
    std::fs::remove_file(at("results/shard-5-of-8.csv")).unwrap();
    std::fs::remove_file(at("results/results.csv")).unwrap();
    std::fs::remove_file(at("results/manifest.json")).unwrap();
    let message = String::from_utf8(run(&["sweep", "merge", "results"]).stderr).unwrap();
    assert!(
        message.contains("sbatch --array=5 results/sweep.sbatch"),
        "{message}"
    );
    let said = submit("sbatch", &["--wait", "--array=5", "results/sweep.sbatch"]);
    assert!(
        said.status.success(),
        "{}{}",
        String::from_utf8_lossy(&said.stderr),
        outs()
    );
    assert!(run(&["sweep", "merge", "results"]).status.success());
    assert_eq!(table("one"), table("results"));

    // A shard that fails gives its code to whoever waits.
    std::fs::write(at("plan.toml"), plan.replace("[1, 2]", "[1]")).unwrap();
    assert!(
        !submit("sbatch", &["--wait", "--array=2", "results/sweep.sbatch"])
            .status
            .success()
    );
    assert_eq!(table("one"), table("results"));
}

/// The queue and the nodes of a real Slurm: two jobs that run, one that waits, a node that is drained.
#[test]
fn snapshots_show_the_jobs_and_nodes_of_a_real_slurm() {
    let test = "snapshots_show_the_jobs_and_nodes_of_a_real_slurm";
    let Some((slurm, _turn)) = Slurm::installed(test) else {
        return;
    };
    let lines: Vec<String> = (0..8).map(|i| format!("NodeName=n{i}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let cluster = Cluster::start(&slurm, &lines, &Conf::default());
    let limits = ["30", "90"].map(|minutes| {
        cluster
            .try_allocate(2, &[format!("--time={minutes}")])
            .unwrap_or_else(|said| panic!("{said}"))
    });
    let mut held: Vec<&String> = limits.iter().flat_map(|(_, nodes)| nodes).collect();
    held.sort();
    assert_eq!(
        held,
        ["n0", "n1", "n2", "n3"],
        "the first nodes of the table"
    );
    cluster.tell(
        "scontrol",
        &["update", "nodename=n7", "state=drain", "reason=test"],
    );
    let folder = tempfile::tempdir().unwrap();
    for (program, file) in [("squeue", "jobs.json"), ("sinfo", "nodes.json")] {
        std::fs::write(folder.path().join(file), cluster.tell(program, &["--json"])).unwrap();
    }
    let mut command = crate::command();
    command.args([
        "snapshot",
        "xgft:m=2x4,w=1x1",
        "--jobs",
        "jobs.json",
        "--nodes",
        "nodes.json",
        "--json",
    ]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| found[key].as_u64().unwrap();
    assert_eq!(
        ["nodes", "free", "held", "out", "running"].map(of),
        [8, 3, 4, 1, 2]
    );
    let next = found["levels"][0]["next"].as_array().unwrap();
    assert_eq!(
        next.iter()
            .map(|unit| unit["unit"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["leaf 0", "leaf 1"]
    );
    let [first, second] = [0, 1].map(|i| next[i]["freed"].as_i64().unwrap());
    // The second began later, and an hour lies between their limits.
    assert!(second - first >= 3600, "{first} {second}");
    assert_eq!(next[0]["jobs"], serde_json::json!([limits[0].0]));
}
