//! The runtime model `network` against closed forms: what jobs take alone, apart and together.

use nodeorder_base::random::{random_below, seed_generator, shuffle};
use nodeorder_base::{Result, Text};
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{LostNodeTime, ScheduleResult, Settings, Task, simulate};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_traffic::corun;
use nodeorder_traffic::mapping::guest::Benchmark;
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

fn try_schedule(spec: &str, tasks: &[Task], model: &str) -> Result<ScheduleResult> {
    let topology = Topology::inline(spec, &Default::default())?;
    let order = NodeOrder::make(&topology, "row-major")?;
    let distances = RankDistances::new(&topology, &order)?;
    let context = AllocatorContext {
        topology: &topology,
        order: &order,
        distances: &distances,
    };
    let figures = FigureSet {
        ranks: true,
        ..FigureSet::default()
    };
    let settings = Settings {
        policy: "fcfs",
        allocator: "fifo:0",
        model,
        metrics: false,
        figures,
        timeline: false,
        rules: None,
    };
    simulate(&context, tasks, &settings, &|_| ())
}

fn schedule(spec: &str, tasks: &[Task], model: &str) -> ScheduleResult {
    let result = try_schedule(spec, tasks, model).unwrap();
    // What is taken is the trace's, what distance costs and what sharing costs.
    let took: i128 = (result.records.iter())
        .map(|r| i128::from(result.task_of_record(r).nodes) * i128::from(r.end - r.start))
        .sum();
    let run: i128 = result
        .tasks
        .iter()
        .map(|t| i128::from(t.nodes) * i128::from(t.run))
        .sum();
    let lost = result.lost.unwrap();
    if lost.killed == 0 {
        assert_eq!(took, run + lost.links + lost.latency + lost.sharing);
    }
    result
}

fn task(id: i64, submit: i64, run: i64, nodes: u32) -> Task {
    Task {
        id,
        submit,
        run,
        requested: run,
        nodes,
    }
}

/// Ends in seconds, in queue order.
fn ends(result: &ScheduleResult) -> Vec<f64> {
    let mut ends = vec![0.0; result.tasks.len()];
    for record in &result.records {
        ends[record.task as usize] = record.end as f64 / result.ticks as f64;
    }
    ends
}

fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() < 1e-5 * b.abs().max(1.0),
            "{found:?}; expected {expected:?}"
        );
    }
}

/// Nodes 0 and 2 for job 5 at second 1, nodes 1 and 3 for job 6 at second 20: both load the link between 1 and 2.
fn crossing(run: i64) -> [Task; 6] {
    [
        task(1, 0, 1, 1),
        task(2, 0, 20, 1),
        task(3, 0, 1, 1),
        task(4, 0, 20, 1),
        task(5, 1, run, 2),
        task(6, 20, 30, 2),
    ]
}

#[test]
fn a_job_alone_on_its_compact_allocation_runs_as_in_the_trace() {
    for (spec, nodes, guest) in [
        ("mesh:8", 4, "ring"),
        ("mesh:8", 8, "all-to-all"),
        ("torus:4x4", 16, "stencil2d"),
        ("torus:6", 3, "npb-lu"),
        ("mesh:8", 1, "npb-bt"),
    ] {
        for share in ["0", "0.3", "1"] {
            let model = format!("network:share={share},guest={guest}");
            let result = schedule(spec, &[task(1, 5, 100, nodes)], &model);
            near(&ends(&result), &[105.0]);
            assert_eq!(result.lost, Some(LostNodeTime::default()), "{spec} {model}");
        }
    }
}

#[test]
fn jobs_that_share_no_link_lose_nothing_to_each_other() {
    for guest in ["ring", "all-to-all", "stencil3d"] {
        let model = format!("network:share=0.7,guest={guest}");
        let result = schedule(
            "mesh:12",
            &[task(1, 0, 100, 4), task(2, 10, 50, 4), task(3, 20, 9, 4)],
            &model,
        );
        near(&ends(&result), &[100.0, 60.0, 29.0]);
        assert_eq!(result.lost, Some(LostNodeTime::default()));
    }
}

/// Two jobs on one link that send all the time take twice as long; where each sends a share f of its time, a job meets
/// the other one sending with the share f: the sending takes f more of itself.
#[test]
fn two_jobs_on_one_link_slow_each_other_by_their_share_of_sending() {
    for share in [1.0, 0.5, 0.3] {
        // Iterations begin together: both send at once, every time.
        let together: f64 = 1.0 + share;
        let model = format!("network:share={share},guest=ring");
        let result = schedule("mesh:4", &crossing(100), &model);
        let ranks = |i: usize| {
            result.records[i]
                .figures
                .ranks
                .as_ref()
                .unwrap()
                .to_string()
        };
        assert_eq!([ranks(4), ranks(5)], ["0 2", "1 3"]);
        // Job 6 runs 30 · together; 5 has done 19 until 20 and 30 until then, the rest alone.
        let six = 20.0 + 30.0 * together;
        near(&ends(&result)[4..], &[six + 51.0, six]);
        let summary = result.summary();
        near(&[summary.hours_lost_distance.unwrap()], &[0.0]);
        near(
            &[summary.hours_lost_sharing.unwrap() * 3600.0],
            &[4.0 * 30.0 * (together - 1.0)],
        );
    }
}

#[test]
fn jobs_end_at_their_requested_times_where_that_is_wanted() {
    let model = "network:share=1,guest=ring,kill=true";
    let result = schedule("mesh:4", &crossing(100), model);
    // 6 may take 30 s and does; 5 has done 19 + 15 until 50, and is ended at 101.
    near(&ends(&result)[4..], &[101.0, 50.0]);
    assert_eq!(result.lost.unwrap().killed, 2);
    assert_eq!(
        schedule("mesh:4", &crossing(100), "network:share=1,guest=ring")
            .lost
            .unwrap()
            .killed,
        0
    );
}

/// Hops · latency and bytes over bandwidth, beside a second of computing: 2.1 s between neighbours.
#[test]
fn seconds_follow_from_latency_bandwidth_and_computing() {
    let tasks = [
        task(1, 0, 20, 1),
        task(2, 0, 20, 1),
        task(3, 0, 20, 1),
        task(4, 0, 1, 1),
        task(5, 5, 210, 2),
    ];
    let tasks = [
        tasks[3],
        tasks[0],
        tasks[1],
        Task { id: 9, ..tasks[3] },
        tasks[4],
    ];
    let model = "network:compute=1,bytes=1GB,bandwidth=8Gb/s,latency=100ms,guest=ring";
    let result = schedule("mesh:4", &tasks, model);
    near(&ends(&result)[4..], &[5.0 + 100.0 * 2.3]);
    near(
        &[result.summary().hours_lost_distance.unwrap() * 3600.0],
        &[2.0 * 20.0],
    );
    // The same as a share of it: 1.1 of 2.1.
    let model =
        "network:share=0.52380952380952384,bytes=1GB,bandwidth=1GB/s,latency=0.1,guest=ring";
    near(&ends(&schedule("mesh:4", &tasks, model))[4..], &[235.0]);
}

/// With `speed=` a job runs its benchmark once, whatever the trace says: NPB LU of class S on two processes, 50
/// iterations of 21 messages one after the other; bytes of two sweeps over 10 inner planes, and of a face.
#[test]
fn benchmarks_run_once() {
    let iteration = |hops: f64, latency: f64| {
        let operations = 1984.77 * 1728.0 - 10_923.3 * 144.0 + 27_770.9 * 12.0 - 144_010.0;
        let sent = 2.0 * 40.0 * 10.0 * 10.0 + 80.0 * 12.0 * 12.0;
        operations / 2.0 / 1e6 + 21.0 * hops * latency + sent / 1e6
    };
    let model = |latency: &str| {
        format!("network:speed=1Mf,bandwidth=1MB/s,latency={latency},guest=npb-lu:class=S")
    };
    let run =
        |tasks: &[Task], latency: &str| try_schedule("mesh:4", tasks, &model(latency)).unwrap();
    for (text, latency) in [("0s", 0.0), ("10ms", 0.01)] {
        let tasks = [task(1, 0, 3, 2), task(2, 0, 99, 2)];
        near(
            &ends(&run(&tasks, text)),
            &[50.0 * iteration(1.0, latency); 2],
        );
    }
    // On the ends of a line, whose middle is taken by jobs without messages that run for as long as LU computes alone.
    let tasks = [
        task(1, 0, 1, 1),
        task(2, 0, 1, 2),
        task(3, 0, 1, 1),
        task(4, 1, 1, 2),
    ];
    let result = run(&tasks, "10ms");
    let alone = 50.0 * (iteration(0.0, 0.0) - (2.0 * 40.0 * 100.0 + 80.0 * 144.0) / 1e6) * 2.0;
    near(
        &ends(&result)[..3],
        &[alone, 50.0 * iteration(1.0, 0.01), alone],
    );
    // The pair in the middle is done first and the next pair takes its place.
    near(&ends(&result)[3..], &[100.0 * iteration(1.0, 0.01)]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("apps.csv");
    let model = format!("network:speed=1Mf,bandwidth=1MB/s,apps={}", file.display());
    std::fs::write(&file, "app,weight,guest\nlu,1,npb-lu:class=S\n").unwrap();
    let tasks = [task(1, 0, 3, 2)];
    near(
        &ends(&try_schedule("mesh:4", &tasks, &model).unwrap()),
        &[50.0 * iteration(1.0, 0.0)],
    );
    for (text, part) in [
        (
            "app,weight,guest,share\na,1,npb-lu,0.1\n",
            "the header app,weight,guest",
        ),
        (
            "app,weight,guest\na,1,npb-lu,0.1\n",
            "apps.csv:2: found 4 fields; expected 3",
        ),
        (
            "app,weight,guest\na,1,ring\n",
            "apps.csv:2: found `ring`: `ring:n=1`; expected a benchmark",
        ),
        ("app,weight,guest\na,1,npb-lu:class=X\n", "apps.csv:2: "),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = try_schedule("mesh:4", &tasks, &model)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// A job on a poor allocation, far apart on a line: the links in the middle carry more than on the compact one.
#[test]
fn a_job_far_apart_waits_for_the_links_in_the_middle() {
    // Rings of 4 on nodes 0, 2, 4, 6 load a link with 2 units, as on 0 to 3: the way back passes every link.
    let mut tasks: Vec<Task> = (0..8)
        .map(|i| task(i, 0, if i % 2 == 0 { 1 } else { 500 }, 1))
        .collect();
    tasks.push(task(8, 2, 100, 4));
    near(
        &ends(&schedule("mesh:8", &tasks, "network:share=1,guest=ring"))[8..],
        &[102.0],
    );
    // On a ring of 8 it is one unit on neighbours 0 to 3 but for the way back: 2; spread over the ring 1. Compact is
    // the best window, and this is better: half the time.
    near(
        &ends(&schedule(
            "torus:8",
            &tasks,
            "network:share=1,guest=ring,node_links=free",
        ))[8..],
        &[52.0],
    );
    near(
        &ends(&schedule(
            "torus:8",
            &tasks,
            "network:share=0.5,guest=ring,node_links=free",
        ))[8..],
        &[77.0],
    );
    // Shared node links carry two units each way wherever the job is.
    near(
        &ends(&schedule("torus:8", &tasks, "network:share=1,guest=ring"))[8..],
        &[102.0],
    );
}

#[test]
fn applications_are_drawn_by_seed() {
    let folder = std::env::temp_dir().join(format!("nodeorder-apps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("apps.csv");
    let model = |seed: u32| format!("network:apps={},seed={seed}", file.display());
    // Job 5 and 6 on one link: alike if both are drawn as talking.
    std::fs::write(
        &file,
        "app,weight,guest,share\nquiet,3,ring,0\nloud,1,ring,1\n",
    )
    .unwrap();
    let slow =
        (0..400).filter(|seed| ends(&schedule("mesh:4", &crossing(100), &model(*seed)))[5] > 51.0);
    // One in sixteen: 25 of 400, deviation 5.
    let count = slow.count();
    assert!((8..45).contains(&count), "{count}");
    assert_eq!(
        schedule("mesh:4", &crossing(100), &model(3)).records,
        schedule("mesh:4", &crossing(100), &model(3)).records
    );
    for (text, parts) in [
        (
            "app,weight,guest\n",
            vec!["apps.csv", "header app,weight,guest,share"],
        ),
        (
            "app,weight,guest,share\na,1,ring\n",
            vec!["apps.csv:2", "3 fields"],
        ),
        (
            "app,weight,guest,share\na,1,rign,0.1\n",
            vec!["apps.csv:2", "guest", "`ring`"],
        ),
        (
            "app,weight,guest,share\n# c\na,-1,ring,0.1\n",
            vec!["apps.csv:3", "weight `-1`"],
        ),
        (
            "app,weight,guest,share\na,1,ring,1.5\n",
            vec!["apps.csv:2", "share `1.5`"],
        ),
        (
            "app,weight,guest,share\na,1,ring,0\na,1,ring,0\n",
            vec!["apps.csv:3", "again"],
        ),
        (
            "app,weight,guest,share\na,0,ring,0\n",
            vec!["apps.csv", "weight above 0"],
        ),
        (
            "app,weight,guest,share\na,1,ring:n=3,0.1\n",
            vec!["job 1", "1 nodes", "3 processes", "apps.csv:2"],
        ),
        ("", vec!["apps.csv", "no lines"]),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = try_schedule("mesh:4", &crossing(9), &model(1))
            .unwrap_err()
            .to_string();
        assert!(
            parts.iter().all(|part| error.contains(part)),
            "{text}: {error}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn wrong_options_are_named() {
    for (options, part) in [
        ("share=1.5", "share"),
        ("share=0.1,compute=1", "either share= or compute="),
        ("bandwidth=0GB/s", "more than 0"),
        ("bandwidth=fast", "bytes or bits a second"),
        ("latency=-1us", "seconds of 0 or more"),
        ("bytes=0", "more than 0"),
        ("compute=0s,guest=npb-bt", "an iteration of 0 s"),
        ("guest=rign", "`ring`"),
        ("guest=ring:n=3", "3 processes"),
        ("speed=1Gf,share=0.1", "either it or speed="),
        ("speed=1Gf,compute=1s", "either it or speed="),
        ("speed=0f", "more than 0"),
        ("speed=1Gf,guest=ring", "expected a benchmark"),
        ("level=phase", "level"),
        ("node_links=no", "shared, free"),
        ("node_bandwidth=0GB/s", "more than 0"),
        ("links=nowhere.toml", "nowhere.toml"),
        ("routing=ecmp", "routing"),
        ("apps=nowhere.csv", "nowhere.csv"),
        ("apps=nowhere.csv,share=0.2", "beside apps="),
    ] {
        let error = try_schedule("mesh:4", &crossing(9), &format!("network:{options}"));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(part), "{options}: {error}");
    }
}

/// Jobs of many sizes on a small machine, on one thread and on several.
#[test]
fn the_number_of_threads_changes_no_result() {
    let tasks: Vec<Task> = (0..120)
        .map(|i| task(i, 7 * i, 50 + i * i % 83, 1 + (i * i % 23) as u32))
        .collect();
    let run = |threads: usize, model: &str| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| schedule("torus:4x4x3,per_router=2", &tasks, model))
    };
    for model in [
        "network:share=0.5,guest=stencil3d",
        "network:share=0.4,guest=npb-mg,latency=1us,bandwidth=1GB/s,bytes=1kB",
    ] {
        let one = run(1, model);
        for threads in [2, 5] {
            let other = run(threads, model);
            assert_eq!((&other.records, other.lost), (&one.records, one.lost));
        }
        assert!(one.lost.unwrap().sharing > 0);
    }
}

/// Seconds at which jobs that begin at 0 on given nodes end, when their progress is that of `corun` at flow level: for
/// every set of jobs that run, the mean seconds of an iteration of each beside the others.
fn by_corun(
    machine: &Topology,
    jobs: &[(String, Vec<u32>, u32)],
    settings: &corun::Settings,
) -> Vec<f64> {
    let fabric = Fabric::new(machine).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let mut left: Vec<f64> = jobs
        .iter()
        .map(|(.., iterations)| f64::from(*iterations))
        .collect();
    let (mut ends, mut now) = (vec![0.0; jobs.len()], 0.0);
    while left.iter().any(|left| *left > 0.0) {
        let runs: Vec<usize> = (0..jobs.len()).filter(|job| left[*job] > 0.0).collect();
        let mut text = String::from("speed = '1Gf'\n");
        for job in &runs {
            let (benchmark, nodes, _) = &jobs[*job];
            text += &format!(
                "[[jobs]]\nname = 'job {job}'\nbenchmark = '{benchmark}'\nnodes = {nodes:?}\n"
            );
        }
        let read = corun::Job::read_all(machine, &Text::new("jobs.toml", text), None).unwrap();
        let found = corun::side_by_side(&fabric, routing, &read, settings, &|_| {}).unwrap();
        let until = |(job, outcome): (&usize, &corun::JobOutcome)| left[*job] * outcome.seconds;
        let step = runs
            .iter()
            .zip(&found.jobs)
            .map(until)
            .fold(f64::INFINITY, f64::min);
        now += step;
        for (job, outcome) in runs.iter().zip(&found.jobs) {
            left[*job] -= step / outcome.seconds;
            if left[*job] < 1e-9 {
                (left[*job], ends[*job]) = (0.0, now);
            }
        }
    }
    ends
}

/// Benchmarks that run beside each other on a crowded network, in a schedule and by `corun`.
#[test]
fn a_schedule_of_benchmarks_agrees_with_corun() {
    let (mut errors, mut lost) = (Vec::new(), Vec::new());
    for (case, spec) in [
        "torus:4x4",
        "mesh:8x4",
        "random-regular:n=32,d=3",
        "dragonfly:p=2,a=4,h=2",
    ]
    .iter()
    .cycle()
    .take(20)
    .enumerate()
    {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let mut random = seed_generator(case as u64);
        let mut nodes: Vec<u32> = machine.nodes().iter().map(|node| node.0).collect();
        shuffle(&mut nodes, &mut random);
        let names = ["bt", "cg", "ft", "is", "lu", "mg", "sp"];
        let folder = tempfile::tempdir().unwrap();
        let name = names[random_below(7, &mut random) as usize];
        let benchmark = format!("npb-{name}:class=S");
        let mut jobs = Vec::new();
        let mut tasks = Vec::new();
        for chunk in nodes.chunks_exact(4).take(8) {
            let made = Benchmark::make_sized(&benchmark, 4, &Default::default()).unwrap();
            jobs.push((
                format!("npb-{name}:n=4,class=S"),
                chunk.to_vec(),
                made.iterations,
            ));
            tasks.push(task(tasks.len() as i64 + 1, 0, 1000, 4));
        }
        let order = folder.path().join("order.txt");
        let text: String = nodes.iter().map(|node| format!("{node}\n")).collect();
        std::fs::write(&order, text).unwrap();
        let order = NodeOrder::make(&machine, order.to_str().unwrap()).unwrap();
        let distances = RankDistances::new(&machine, &order).unwrap();
        let context = AllocatorContext {
            topology: &machine,
            order: &order,
            distances: &distances,
        };
        let figures = corun::NetworkFigures {
            bandwidth: Some(1.25e8),
            latency: Some(5e-5),
            ..Default::default()
        };
        let model = format!(
            "network:speed=1Gf,bandwidth=1Gb/s,latency=50us,routing=one-path,guest={benchmark}"
        );
        let settings = Settings {
            policy: "fcfs",
            allocator: "fifo:0",
            model: &model,
            metrics: false,
            figures: FigureSet {
                ranks: true,
                ..FigureSet::default()
            },
            timeline: false,
            rules: None,
        };
        let found = simulate(&context, &tasks, &settings, &|_| ()).unwrap();
        for record in &found.records {
            let ranks = record.figures.ranks.as_ref().unwrap().iter();
            let held: Vec<u32> = ranks.map(|rank| order.nodes()[rank as usize].0).collect();
            assert_eq!(held, jobs[record.task as usize].1, "{spec}");
        }
        let expected = by_corun(
            &machine,
            &jobs,
            &corun::Settings::new(&figures, "flow", "flow", 30),
        );
        for (found, expected) in ends(&found).iter().zip(&expected) {
            errors.push((found / expected - 1.0).abs());
        }
        let alone: f64 = (0..jobs.len())
            .map(|job| {
                by_corun(
                    &machine,
                    &jobs[job..=job],
                    &corun::Settings::new(&figures, "flow", "flow", 30),
                )[0]
            })
            .sum();
        let sharing = (expected.iter().sum::<f64>() - alone) * 4.0 / 3600.0;
        if sharing > 0.01 * expected.iter().sum::<f64>() * 4.0 / 3600.0 {
            lost.push((found.summary().hours_lost_sharing.unwrap() / sharing - 1.0).abs());
        }
    }
    assert_eq!(errors.len() % 4, 0);
    assert!(
        errors.len() >= 80 && lost.len() >= 5,
        "{} jobs, {} cases that share",
        errors.len(),
        lost.len()
    );
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors[(part * (errors.len() - 1) as f64) as usize];
    println!(
        "{} jobs: median {}, 90 % {}, most {}; sharing {lost:?}",
        errors.len(),
        at(0.5),
        at(0.9),
        at(1.0)
    );
    assert!(at(0.5) < 0.01 && at(0.9) < 0.05 && lost.iter().all(|error| *error < 0.1));
}
