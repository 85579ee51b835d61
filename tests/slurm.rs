//! A real Slurm on emulated nodes does with an exported ordering what a replay foretells, and runs a sweep as a
//! job array. Skipped, by name, where Slurm is not installed (`apt-get install slurm-wlm munge`) or the test
//! does not run as root.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use nodeorder::allocator::{self, AllocatorContext};
use nodeorder::input::Text;
use nodeorder::metric::allocation::AllocationMeter;
use nodeorder::metric::rank_distances::RankDistances;
use nodeorder::replay::{Outputs, Replay};
use nodeorder::trace::{Block, Log};
use nodeorder::{NodeOrder, Topology, export, random};

use crate::skip::{Peer, skipped, without};

/// How long anything may take before a test gives up: against tests that never end, not a measure of speed.
const PATIENCE: Duration = Duration::from_secs(1800);

/// One cluster at a time: 64 daemons are enough.
static TURN: Mutex<()> = Mutex::new(());

fn find(program: &str) -> Option<PathBuf> {
    let folders = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/sbin"];
    folders.iter().map(|folder| Path::new(folder).join(program)).find(|path| path.exists())
}

/// Whether everything is here; says by name what is skipped otherwise.
fn ready(test: &str) -> Option<MutexGuard<'static, ()>> {
    for program in
        ["munged", "slurmctld", "slurmd", "salloc", "sbatch", "scancel", "sinfo", "squeue"]
    {
        if find(program).is_none() {
            let missing = format!("{program} is not installed");
            without(Peer::Slurm, &format!("slurm::{test}"), &missing);
            return None;
        }
    }
    let id = Command::new("id").arg("-u").output();
    if !id.is_ok_and(|out| out.stdout.trim_ascii() == b"0") {
        skipped(&format!("slurm::{test}"), "needs to be root");
        return None;
    }
    Some(TURN.lock().unwrap_or_else(|e| e.into_inner()))
}

/// Daemons on loopback, ended by pid when this is dropped.
struct Cluster {
    folder: tempfile::TempDir,
    daemons: Vec<Child>,
    nodes: usize,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The controller first, then the nodes, then munge.
        self.daemons.reverse();
        for daemon in &self.daemons {
            let _ = Command::new("kill").args(["-TERM", &daemon.id().to_string()]).status();
        }
        for daemon in &mut self.daemons {
            let _ = daemon.wait();
        }
    }
}

impl Cluster {
    /// Starts a cluster whose slurm.conf has `lines`, one a node, as exported; what only this machine knows of
    /// a node is added to each. Waits until all nodes are idle.
    fn start(lines: &[&str]) -> Cluster {
        let folder = tempfile::Builder::new().prefix("nodeorder-slurm-").tempdir().unwrap();
        let here = folder.path().display().to_string();
        std::fs::create_dir(folder.path().join("state")).unwrap();
        let key: Vec<u8> = (0..1024u32).map(|i| (i * 7 + i / 256) as u8).collect();
        std::fs::write(folder.path().join("key"), key).unwrap();
        let modes = [("key", 0o600), (".", 0o755)];
        for (name, mode) in modes {
            use std::os::unix::fs::PermissionsExt;
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path().join(name), permissions).unwrap();
        }
        let host = String::from_utf8(Command::new("hostname").output().unwrap().stdout).unwrap();
        let host = host.trim();
        let base = free_ports(lines.len() as u16 + 1);
        let names: Vec<&str> = lines
            .iter()
            .map(|line| line.split(' ').next().unwrap().strip_prefix("NodeName=").unwrap())
            .collect();
        let mut conf = format!(
            "ClusterName=nodeorder\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={base}\nSlurmUser=root\n\
             SlurmdUser=root\nAuthInfo=socket={here}/munge.sock\n\
             CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\nProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
             AccountingStorageType=accounting_storage/none\nJobCompType=jobcomp/none\nMpiDefault=none\n\
             SwitchType=switch/none\nReturnToService=2\nSlurmdParameters=config_overrides\n\
             MessageTimeout=1000\nTCPTimeout=1000\nSlurmdTimeout=0\nSlurmctldTimeout=1000\n\
             SchedulerType=sched/builtin\n\
             SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nStateSaveLocation={here}/state\n\
             SlurmctldPidFile={here}/slurmctld.pid\nSlurmdPidFile={here}/slurmd-%n.pid\n\
             SlurmdSpoolDir={here}/spool-%n\nNodeName=DEFAULT CPUs=1\n"
        );
        for (i, line) in lines.iter().enumerate() {
            conf += &format!("{line} NodeAddr=127.0.0.1 Port={}\n", base + 1 + i as u16);
        }
        conf += "PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=EXCLUSIVE\n";
        std::fs::write(folder.path().join("slurm.conf"), conf).unwrap();

        let mut cluster = Cluster { folder, daemons: Vec::new(), nodes: lines.len() };
        let file = |name: &str| format!("{here}/{name}");
        let (key, socket) = (file("key"), file("munge.sock"));
        let (pid, log, seed) = (file("munged.pid"), file("munged.log"), file("munged.seed"));
        #[rustfmt::skip]
        cluster.daemon("munged", &["-F", "--force", "--key-file", &key, "--socket", &socket,
            "--pid-file", &pid, "--log-file", &log, "--seed-file", &seed]);
        cluster.wait("munge", |_| Path::new(&socket).exists());
        let conf = file("slurm.conf");
        cluster.daemon("slurmctld", &["-D", "-c", "-f", &conf]);
        for name in names {
            cluster.daemon("slurmd", &["-D", "-N", name, "-f", &conf]);
        }
        cluster.wait("idle nodes", |cluster| cluster.idle() == cluster.nodes);
        cluster
    }

    /// Starts a daemon that dies with this process, where the system can see to that.
    fn daemon(&mut self, program: &str, arguments: &[&str]) {
        let path = find(program).unwrap();
        let mut command = match find("setpriv") {
            Some(setpriv) => {
                let mut command = Command::new(setpriv);
                command.args(["--pdeathsig", "KILL"]).arg(path);
                command
            }
            None => Command::new(path),
        };
        command.args(arguments).env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        let log = std::fs::File::create(self.folder.path().join(format!("{program}.out"))).unwrap();
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        self.daemons.push(command.spawn().unwrap());
    }

    fn wait(&self, what: &str, ready: impl Fn(&Cluster) -> bool) {
        let began = Instant::now();
        while !ready(self) {
            let late = began.elapsed() > PATIENCE;
            assert!(!late, "no {what} after half an hour\n{}", self.tell("sinfo", &["-N", "-l"]));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(find(program).unwrap());
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf")).stdin(Stdio::null());
        command
    }

    /// What a program prints, errors included.
    fn tell(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }

    /// Nodes that are idle and nothing else: one that is still completing counts as busy, for Slurm, too.
    fn idle(&self) -> usize {
        let said = self.tell("sinfo", &["-h", "-o", "%T %D"]);
        let idle = said.lines().filter_map(|line| line.strip_prefix("idle "));
        idle.filter_map(|count| count.trim().parse::<usize>().ok()).sum()
    }

    /// Allocates `count` nodes: the job's number, and the names in Slurm's order.
    fn allocate(&self, count: u32) -> (String, Vec<String>) {
        let said = self.tell("salloc", &["--no-shell", "--exclusive", "-N", &count.to_string()]);
        let job = said.split("Granted job allocation ").nth(1).unwrap_or_else(|| panic!("{said}"));
        let job = job.split_whitespace().next().unwrap().to_string();
        let list = self.tell("squeue", &["-h", "-j", &job, "-o", "%N"]);
        (job, expand(list.trim()))
    }

    /// Frees a job's nodes; returns when `idle` nodes are idle.
    fn free(&self, job: &str, idle: usize) {
        let said = self.tell("scancel", &[job]);
        assert!(said.is_empty(), "{said}");
        self.wait("free nodes", |cluster| cluster.idle() == idle);
    }
}

/// The first of `count` ports in a row that nobody listens on.
fn free_ports(count: u16) -> u16 {
    let start = 20_000 + (std::process::id() % 100) as u16 * 100;
    let free =
        |base: &u16| (*base..base + count).all(|p| TcpListener::bind(("127.0.0.1", p)).is_ok());
    (start..60_000).step_by(100).find(free).unwrap()
}

/// `n[01-03,7],m1` written out.
fn expand(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = list;
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let stem = &rest[..end];
        if rest[end..].starts_with('[') {
            let close = rest.find(']').unwrap();
            for run in rest[end + 1..close].split(',') {
                let (a, b) = run.split_once('-').unwrap_or((run, run));
                let width = a.len();
                let (a, b): (u32, u32) = (a.parse().unwrap(), b.parse().unwrap());
                names.extend((a..=b).map(|n| format!("{stem}{n:0width$}")));
            }
            rest = &rest[close + 1..];
        } else {
            names.push(stem.to_string());
            rest = &rest[end..];
        }
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    names
}

#[test]
fn host_lists_are_written_out() {
    assert_eq!(expand("n[01-03,7],m1,x"), ["n01", "n02", "n03", "n7", "m1", "x"]);
}

/// A random stream on `nodes` nodes: jobs of up to three eighths of them, freed so that always all fit.
fn stream(nodes: u32, jobs: u32, seed: u64) -> String {
    let mut random = random::generator(seed);
    let (mut text, mut live, mut free) = (String::new(), Vec::<(u32, u32)>::new(), nodes);
    let sizes = [(nodes / 32).max(1), nodes / 8, 3 * nodes / 8];
    for job in 0..jobs {
        // Small jobs are more frequent, as in real logs.
        let most = sizes[random::below(3, &mut random) as usize];
        let nodes = 1 + random::below(u64::from(most), &mut random) as u32;
        while free < nodes || (live.len() > 4 && random::below(3, &mut random) == 0) {
            let (job, nodes) =
                live.swap_remove(random::below(live.len() as u64, &mut random) as usize);
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
    let context = AllocatorContext { topology, order, distances: &distances };
    let rule = allocator::make(rule, &context).unwrap();
    let meter = AllocationMeter::new(topology, &distances).unwrap();
    let outputs = Outputs { ranks: true, ..Outputs::default() };
    let mut replay = Replay::new(rule, meter, distances.len(), outputs);
    let (mut block, mut placed, mut all) = (Block::default(), Vec::new(), Vec::new());
    let mut log = Log::new("log", log);
    while log.next_block(1000, &mut block).unwrap() {
        replay.step(&block, None, &mut placed).unwrap();
        all.extend(placed.iter().map(|p| p.ranks.as_ref().unwrap().iter().collect::<Vec<u32>>()));
    }
    all
}

/// Two streams of ten jobs on 16 nodes, by weights and by names.
#[test]
fn slurm_allocates_what_the_replay_foretells() {
    let Some(_turn) = ready("slurm_allocates_what_the_replay_foretells") else { return };
    hold_to_slurm("[4, 2, 2]", &["optimise:steps=5000"], 10);
}

/// Six streams of 40 jobs on 64 nodes: weights and names, each on a random, a Hilbert and an optimised ordering.
#[test]
#[ignore = "minutes: six clusters of 64 nodes each"]
fn slurm_allocates_what_the_replay_foretells_at_length() {
    let test = "slurm_allocates_what_the_replay_foretells_at_length";
    let Some(_turn) = ready(test) else { return };
    let orderings = ["random:seed=5", "hilbert", "optimise:steps=20000"];
    let compared = hold_to_slurm("[4, 4, 4]", &orderings, 40);
    assert!(compared.values().all(|count| *count >= 100), "{compared:?}");
}

/// `jobs` jobs on a torus of `dims` on each of `orderings`, with either way to tell Slurm of it: how many node
/// lists were compared each way.
fn hold_to_slurm(dims: &str, orderings: &[&str], jobs: u32) -> BTreeMap<&'static str, usize> {
    let text = format!("kind = 'torus'\ndims = {dims}\nnames = 'nid{{:05}}'\n");
    let text = Text::new("m.toml", &text);
    let topology = Topology::toml(&text, None, &Default::default()).unwrap();
    let nodes = topology.node_count();
    let mut compared = BTreeMap::new();
    for (i, by) in orderings.iter().enumerate() {
        let order = NodeOrder::make(&topology, by).unwrap();
        for (target, rule) in [("slurm-weights", "fifo:0"), ("slurm-names", "slurm-best-fit")] {
            let text = export::write(target, &topology, &order).unwrap().text;
            let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
            let name_of = |rank: u32| match target {
                "slurm-weights" => topology.node_name(order.nodes()[rank as usize]),
                _ => format!("r{rank:02}"),
            };
            let cluster = Cluster::start(&lines);
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
    assert!(compared.len() == 2 && compared.values().all(|count| *count == all), "{compared:?}");
    compared
}

/// The sbatch script of docs/sweeps.md, as it stands there.
fn sbatch_script() -> String {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sweeps.md")).unwrap();
    let from = text.find("#!/bin/bash\n#SBATCH").unwrap();
    text[from..].split("```").next().unwrap().to_string()
}

/// Eight nodes, eight shards: the table of one process, byte for byte. A shard that failed is named.
#[test]
fn a_job_array_makes_the_table_of_one_process() {
    let Some(_turn) = ready("a_job_array_makes_the_table_of_one_process") else { return };
    let lines: Vec<String> = (0..8).map(|n| format!("NodeName=c{n}")).collect();
    let cluster = Cluster::start(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let work = tempfile::tempdir().unwrap();
    let at = |name: &str| work.path().join(name);
    let plan = "topologies = ['torus:4x4x4', 'mesh:8x8']\norderings = ['hilbert', 'snake', 'random']\n\
                allocators = ['fifo:0', 'first-fit:8', 'random']\nlogs = ['jobs.log']\nseeds = [1, 2]\n";
    std::fs::write(at("plan.toml"), plan).unwrap();
    std::fs::write(at("jobs.log"), stream(64, 300, 3)).unwrap();
    std::fs::write(at("sweep.sbatch"), sbatch_script()).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_nodeorder"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(binary);
        command.args(arguments).current_dir(work.path()).output().unwrap()
    };
    assert!(run(&["sweep", "plan.toml", "--out", "one"]).status.success());
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let submit = |array: &str| {
        let mut command = cluster.command("sbatch");
        command.args(["--wait", array, "sweep.sbatch", "plan.toml", "results"]);
        command.env("PATH", &path).current_dir(work.path()).output().unwrap()
    };
    let said = submit("--array=0-7");
    let outs = || {
        let files = std::fs::read_dir(work.path()).unwrap().map(|e| e.unwrap().path());
        let texts = files.filter(|p| p.extension().is_some_and(|e| e == "out"));
        texts.map(|p| std::fs::read_to_string(p).unwrap()).collect::<String>()
    };
    assert!(said.status.success(), "{}{}", String::from_utf8_lossy(&said.stderr), outs());
    assert!(run(&["merge", "results"]).status.success());
    let table = |folder: &str| std::fs::read(at(folder).join("results.csv")).unwrap();
    assert_eq!(table("one"), table("results"));

    // A shard that is lost is named, with the line that makes it again; the others are skipped.
    std::fs::remove_file(at("results/shard-5-of-8.csv")).unwrap();
    std::fs::remove_file(at("results/results.csv")).unwrap();
    std::fs::remove_file(at("results/manifest.json")).unwrap();
    let message = String::from_utf8(run(&["merge", "results"]).stderr).unwrap();
    assert!(message.contains("sbatch --array=5 sweep.sbatch"), "{message}");
    let said = submit("--array=5");
    assert!(said.status.success(), "{}{}", String::from_utf8_lossy(&said.stderr), outs());
    assert!(run(&["merge", "results"]).status.success());
    assert_eq!(table("one"), table("results"));

    // A shard that fails gives its code to whoever waits.
    std::fs::write(at("plan.toml"), plan.replace("[1, 2]", "[1]")).unwrap();
    assert!(!submit("--array=2").status.success());
    assert_eq!(table("one"), table("results"));
}
