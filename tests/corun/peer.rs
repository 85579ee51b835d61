//! Jobs that share links, drawn by seed, and SimGrid as their judge: tests and a report's generator feed both.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use nodeorder_base::random;
use nodeorder_base::{NodeId, Text};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_present::export::{SimGridFigures, write_simgrid};
use nodeorder_traffic::corun::{Fair, Job, NetworkFigures, Speeds, computing_times};
use nodeorder_traffic::mapping::{self, Fabric, FixedRouting, Guest, ProcessMapping};

/// Networks of fewer nodes than have their routes written out.
pub const NETWORKS: [&str; 6] = [
    "torus:5x5x5",
    "dragonfly:p=2,a=4,h=2",
    "fat-tree:k=8",
    "random-regular:n=64,d=5",
    "mesh:9x9",
    "hyperx:8x8",
];

pub const BANDWIDTH: f64 = 1.25e9;

/// Up to five jobs on one machine.
pub struct Case {
    pub machine: Topology,
    pub jobs: Vec<Job>,
    /// Guest of each job, and the share of its iteration that it spends sending when it runs alone.
    #[allow(dead_code)] // The report's.
    pub about: Vec<(String, f64)>,
}

/// The case of this number: 1 to 5 jobs of 8 to 16 processes on nodes drawn at random, all-to-all, ring, stencil or
/// random, which alone send for 20, 50 or 80 % of a second.
pub fn case(spec: &str, number: u64) -> Case {
    let machine = Topology::inline(spec, &Default::default()).unwrap();
    let mut random = random::seed_generator(1000 + number);
    let mut below = |bound: usize| random::random_below(bound as u64, &mut random) as usize;
    let mut free: Vec<u32> = machine.nodes().iter().map(|node| node.0).collect();
    let fabric = Fabric::new(&machine).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let (mut text, mut about) = (String::new(), Vec::new());
    for job in 0..1 + below(5) {
        let processes = [8, 9, 12, 16][below(4)];
        if free.len() < processes {
            break;
        }
        let guest = match below(4) {
            0 => format!("all-to-all:n={processes}"),
            1 => format!("ring:n={processes}"),
            2 => {
                let wide = if processes == 9 { 3 } else { 4 };
                format!("stencil:{}x{wide}", processes / wide)
            }
            _ => format!("random:n={processes},degree=4,seed={number}"),
        };
        let mut nodes: Vec<u32> = (0..processes)
            .map(|_| free.swap_remove(below(free.len())))
            .collect();
        if below(2) == 0 {
            nodes.sort_unstable();
        }
        let share = [0.2, 0.5, 0.8][below(3)];
        let ids = nodes.iter().map(|node| NodeId(*node)).collect();
        let placed = ProcessMapping::new(&machine, "a job", ids).unwrap();
        let made = Guest::make(&guest, &Default::default()).unwrap();
        let busiest = mapping::analyse(&fabric, &made, &placed, routing)
            .unwrap()
            .contention
            .max;
        let bytes = (share * BANDWIDTH / busiest.max(1.0)) as u64;
        let compute = 1.0 - share;
        writeln!(
            text,
            "[[jobs]]\nname = 'job {job}'\nguest = '{guest}'\nnodes = {nodes:?}\nbytes = {bytes}\ncompute = {compute}\n\
             spread = 0.2"
        )
        .unwrap();
        about.push((guest, share));
    }
    drop(fabric);
    let jobs = Job::read_all(&machine, &Text::new("jobs.toml", text), None).unwrap();
    Case {
        machine,
        jobs,
        about,
    }
}

/// The speeds of the comparison: without latency equal shares, with one shares by latency, as SimGrid's CM02 does.
pub fn speeds(latency: f64) -> Speeds {
    let fair = if latency > 0.0 { Fair::Rtt } else { Fair::Flow };
    Speeds {
        fair,
        ..Speeds::new(BANDWIDTH, latency)
    }
}

/// Compiles the other side into `folder`; none where SimGrid or a C++ compiler is not installed.
pub fn compile(folder: &Path) -> Option<PathBuf> {
    // Both packages that use this lie two folders below the project's.
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corun/peer.cpp");
    let program = folder.join("peer");
    let mut compiler = Command::new("g++");
    compiler
        .args(["-O2", "-std=c++17", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lsimgrid");
    let out = compiler.output().ok()?;
    let missing = String::from_utf8_lossy(&out.stderr).contains("simgrid/s4u.hpp: No such file");
    assert!(
        out.status.success() || missing,
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.status.success().then_some(program)
}

/// Runs the case in SimGrid: iterations and mean seconds of each job, and the processor seconds that the simulation
/// took.
pub fn simulate(
    program: &Path,
    folder: &Path,
    case: &Case,
    iterations: u64,
    latency: f64,
) -> (Vec<(u64, f64)>, f64) {
    let network = NetworkFigures {
        bandwidth: Some(BANDWIDTH),
        latency: Some(latency),
        ..NetworkFigures::default()
    };
    simulate_with(program, folder, case, iterations, network)
}

/// As [`simulate`], with these figures of the network.
pub fn simulate_with(
    program: &Path,
    folder: &Path,
    case: &Case,
    iterations: u64,
    network: NetworkFigures,
) -> (Vec<(u64, f64)>, f64) {
    let machine = &case.machine;
    let order = NodeOrder::make(machine, "row-major").unwrap();
    let figures = SimGridFigures {
        network,
        speed: None,
    };
    let platform = write_simgrid(machine, &order, &figures).unwrap();
    std::fs::write(folder.join("platform.xml"), platform.text).unwrap();
    let mut text = format!("{iterations}\n");
    for (i, job) in case.jobs.iter().enumerate() {
        let phase = &job.phases[0];
        let times = computing_times(machine, i, job, 20 * iterations as usize);
        writeln!(
            text,
            "{} {} {}",
            job.mapping.nodes().len(),
            phase.guest.pair_count(),
            times.len()
        )
        .unwrap();
        let names = job
            .mapping
            .nodes()
            .iter()
            .map(|node| machine.node_name(*node) + "\n");
        text.extend(names);
        phase.guest.for_each_message(|m| {
            writeln!(text, "{} {} {}", m.source, m.target, m.volume * phase.bytes).unwrap();
        });
        text.extend(times.iter().map(|seconds| format!("{seconds}\n")));
    }
    std::fs::write(folder.join("jobs.txt"), text).unwrap();
    let mut command = Command::new(program);
    command.args(["platform.xml", "jobs.txt", "--log=root.thres:critical"]);
    let model = [
        "network/model:CM02",
        "network/crosstraffic:0",
        "network/TCP-gamma:0",
    ];
    let out = command
        .args(model.map(|m| format!("--cfg={m}")))
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let said = String::from_utf8(out.stdout).unwrap();
    let mut lines = said.lines();
    let job = |line: &str| {
        let (count, seconds) = line.split_once(' ').unwrap();
        (count.parse().unwrap(), seconds.parse().unwrap())
    };
    let jobs = lines.by_ref().take(case.jobs.len()).map(job).collect();
    (jobs, lines.next().unwrap().parse().unwrap())
}

/// The median, the ninth decile and the largest.
pub fn spread(mut errors: Vec<f64>) -> [f64; 3] {
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[((errors.len() - 1) as f64 * part).round() as usize];
    [at(0.5), at(0.9), at(1.0)]
}
