//! Machines ranked on jobs small enough to follow, and their tables.

use nodeorder_jobs::schedule::Task;
use nodeorder_jobs::schedule::orderings::TraceSettings;
use nodeorder_network::{Context, Topology};
use nodeorder_order::metric::cost::{PriceList, Prices};
use nodeorder_order::metric::machine_figures::MachineFigures;
use nodeorder_order::ordering::NoObserver;
use nodeorder_present::machines::{
    ComparedJobs, Criterion, Difference, MachineOptions, Machines, ScheduledJobs, compare, headline,
};
use nodeorder_present::report::machines::{document, files};
use nodeorder_trace::Log;
use proptest::prelude::*;
use serde_json::{Value, json};

fn build(specs: &[&str]) -> Vec<Topology> {
    specs
        .iter()
        .map(|s| Topology::inline(s, &Context::default()).unwrap())
        .collect()
}

fn plain(specs: &[&str]) -> Machines {
    compare(
        &build(specs),
        &MachineOptions::default(),
        None,
        &NoObserver,
        &|_| (),
    )
    .unwrap()
}

fn names(machines: &Machines) -> Vec<&str> {
    machines
        .contenders
        .iter()
        .map(|c| c.machine.name())
        .collect()
}

/// Compares on a placement log.
fn on_log(specs: &[&str], log: &str, allocators: &[&str]) -> Machines {
    let allocators: Vec<String> = allocators.iter().map(|a| a.to_string()).collect();
    let open = || Ok(Log::new("log", log));
    let workload = ComparedJobs {
        name: "log",
        open: &open,
        allocators: &allocators,
        leading: 0,
        queue: None,
    };
    compare(
        &build(specs),
        &MachineOptions::default(),
        Some(&workload),
        &NoObserver,
        &|_| (),
    )
    .unwrap()
}

/// Compares on tasks, scheduled first come first served.
fn on_tasks(specs: &[&str], tasks: &[Task], model: &str) -> Machines {
    let settings = TraceSettings {
        trace: "t.swf".into(),
        policy: "fcfs".into(),
        allocator: "fifo:0".into(),
        model: model.into(),
        other_models: Vec::new(),
        waits: Vec::new(),
    };
    let text: String = tasks
        .iter()
        .map(|t| format!("P {} {}\nF {}\n", t.id, t.nodes, t.id))
        .collect();
    let open = || Ok(Log::new("t.swf", text.clone()));
    let allocators = ["fifo:0".to_string()];
    let workload = ComparedJobs {
        name: "t.swf",
        open: &open,
        allocators: &allocators,
        leading: 0,
        queue: Some(ScheduledJobs {
            tasks,
            settings: &settings,
        }),
    };
    compare(
        &build(specs),
        &MachineOptions::default(),
        Some(&workload),
        &NoObserver,
        &|_| (),
    )
    .unwrap()
}

#[test]
fn without_jobs_the_curves_rank() {
    let machines = plain(&["mesh:64", "hyperx:8x8", "torus:8x8"]);
    assert_eq!(names(&machines), ["hyperx:8x8", "torus:8x8", "mesh:64"]);
    assert_eq!((machines.criterion, machines.jobs), (Criterion::MeanLog, 0));
    assert!(machines.scores.is_sorted());
    let difference = &machines.differences[0];
    assert_eq!(
        difference.difference,
        machines.scores[0] - machines.scores[1]
    );
    assert!(difference.is_significant() && difference.low.is_none());
    let said = headline(&machines, None);
    assert!(
        said.starts_with("Best by mean hops over log-spaced job sizes: hyperx:8x8 with ")
            && said.contains("Both mean distances are exact."),
        "{said}"
    );
}

#[test]
fn a_machine_is_no_better_than_itself() {
    let machines = plain(&["torus:4x4", "torus:4x4,per_router=1"]);
    assert!(!&machines.differences[0].is_significant());
    assert!(headline(&machines, None).starts_with("No winner: torus:4x4 with "));
    let one = plain(&["torus:4x4"]);
    assert_eq!(one.is_told(), None);
    assert!(headline(&one, None).starts_with("torus:4x4 with "));
}

#[test]
fn random_networks_have_ten_seeds() {
    let machines = plain(&["random-regular:n=32,d=3,seed=5", "mesh:32"]);
    let random = machines
        .contenders
        .iter()
        .find(|c| c.seeds.is_some())
        .unwrap();
    let seeds = random.seeds.as_ref().unwrap();
    assert_eq!((seeds.first, seeds.values.len()), (5, 10));
    assert_eq!(seeds.values[0], random.machine.mean_log());
    assert!(seeds.values[1..].iter().any(|v| *v != seeds.values[0]));
    let difference = &machines.differences[0];
    assert_eq!((difference.over, difference.count), ("seeds", 10));
    assert!(difference.low < difference.high);
    assert!(headline(&machines, None).contains("10 seeds of the random networks"));
}

#[test]
fn a_log_ranks_by_the_hops_that_jobs_get() {
    let log: String = (0..40)
        .map(|i| format!("P j{i} {}\nF j{i}\n", 2 + i % 7))
        .collect();
    let log = log + "P big 65\nF big\nP huge 999\nF huge\nP one 1\n";
    let machines = on_log(
        &["mesh:64", "hyperx:8x8", "torus:9x9"],
        &log,
        &["span-best-fit", "fifo:0"],
    );
    assert_eq!((machines.criterion, machines.jobs), (Criterion::Hops, 40));
    assert_eq!(names(&machines)[0], "hyperx:8x8");
    for contender in &machines.contenders {
        let service = contender.service.as_ref().unwrap();
        let nodes = contender.machine.comparison.topology.nodes;
        let big = u64::from(nodes < 65);
        assert_eq!(
            (service.placed, service.skipped, service.too_large),
            (42 - big, 0, 1 + big)
        );
        assert_eq!(
            service.too_large_names.last().map(String::as_str),
            Some("huge")
        );
        assert_eq!(service.allocators.len(), 2);
        assert_eq!(
            (
                service.allocators[1].allocator.as_str(),
                service.allocators[1].improvement
            ),
            ("fifo:0", None)
        );
        assert!(service.schedule.is_none() && service.responses.is_empty());
    }
    // One job at a time gets the first ranks: the score is the mean over jobs of their own hops.
    let hops = machines.contenders[0]
        .service
        .as_ref()
        .unwrap()
        .hops
        .clone();
    assert_eq!(hops.len(), 43);
    let mean = hops[..40].iter().flatten().sum::<f64>() / 40.0;
    assert_eq!(machines.scores[0], mean);
    let difference = &machines.differences[0];
    assert_eq!((difference.over, difference.jobs), ("jobs", 40));
    let said = headline(&machines, Some("log"));
    assert!(
        said.contains("2 of the jobs do not fit on hyperx:8x8: big, huge."),
        "{said}"
    );
    assert!(
        said.contains("1 of the jobs do not fit on torus:9x9: huge."),
        "{said}"
    );
}

/// The baseline is replayed where it is not among the allocators, but not reported.
#[test]
fn improvement_is_over_fifo() {
    let log: String = (0..200)
        .map(|i| {
            format!(
                "P j{i} 4\n{}",
                if i >= 9 {
                    format!("F j{}\n", i - 9)
                } else {
                    String::new()
                }
            )
        })
        .collect();
    let machines = on_log(&["torus:8x8", "mesh:8x8"], &log, &["span-best-fit"]);
    for contender in &machines.contenders {
        let [row] = contender.service.as_ref().unwrap().allocators.as_slice() else {
            panic!()
        };
        assert!(row.mean_mind.is_some() && row.improvement.is_some());
        assert_eq!(
            (row.improvement_small, row.improvement_large),
            (row.improvement, None)
        );
    }
}

fn tasks(count: i64, weeks: i64) -> Vec<Task> {
    let step = weeks * 7 * 24 * 3600 / count;
    (0..count)
        .map(|i| Task {
            id: i + 1,
            submit: 5000 + i * step,
            run: 100_000 + 100 * (i % 13),
            requested: 200_000,
            nodes: 4 + (i % 5) as u32,
        })
        .collect()
}

#[test]
fn a_trace_ranks_by_response_over_weeks() {
    let tasks = tasks(200, 12);
    let machines = on_tasks(&["mesh:20", "mesh:10"], &tasks, "fixed");
    assert_eq!(
        (machines.criterion, machines.jobs),
        (Criterion::Response, 200)
    );
    assert_eq!(names(&machines), ["mesh:20", "mesh:10"]);
    for (contender, score) in machines.contenders.iter().zip(&machines.scores) {
        let row = contender
            .service
            .as_ref()
            .unwrap()
            .schedule
            .as_ref()
            .unwrap();
        assert!(
            (row.summary.mean_response - score).abs() < 1e-6 * score,
            "{row:?} {score}"
        );
        assert_eq!((row.summary.jobs, row.too_large), (200, 0));
    }
    let difference = &machines.differences[0];
    assert_eq!((difference.over, difference.count), ("weeks", 12));
    assert!(difference.is_significant() && difference.high.unwrap() < 0.0);
    let said = headline(&machines, Some("t.swf"));
    assert!(said.starts_with(
        "Best by mean response time for t.swf, jobs of at most 10 nodes: mesh:20 with "
    ));
}

#[test]
fn jobs_that_do_not_fit_are_left_out_of_the_score() {
    let mut tasks = tasks(30, 1);
    tasks[7].nodes = 15;
    let machines = on_tasks(&["mesh:10", "mesh:20"], &tasks, "fixed");
    assert_eq!(machines.jobs, 29);
    let small = machines
        .contenders
        .iter()
        .find(|c| c.machine.name() == "mesh:10")
        .unwrap();
    let service = small.service.as_ref().unwrap();
    assert_eq!(
        (service.too_large, service.too_large_names.clone()),
        (1, vec!["8".to_string()])
    );
    assert_eq!(service.responses[7], None);
    assert_eq!(service.schedule.as_ref().unwrap().too_large, 1);
    assert_eq!(machines.differences[0].over, "jobs");
}

#[test]
fn jobs_that_never_wait_and_never_stretch_tell_no_difference() {
    let tasks: Vec<Task> = (0..50)
        .map(|i| Task {
            id: i,
            submit: i * 1000,
            run: 10,
            requested: 10,
            nodes: 3,
        })
        .collect();
    let machines = on_tasks(&["mesh:20", "torus:5x5"], &tasks, "fixed");
    let difference = &machines.differences[0];
    assert_eq!((difference.low, difference.high), (Some(0.0), Some(0.0)));
    let said = headline(&machines, Some("t.swf"));
    assert!(said.starts_with("No winner for t.swf, jobs of at most 20 nodes: mesh:20 with "));
}

#[test]
fn the_number_of_threads_changes_no_result() {
    let tasks = tasks(60, 10);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| on_tasks(&["torus:4x4", "mesh:4x5"], &tasks, "distance:weight=0.1"))
    };
    let (one, four) = (run(1), run(4));
    assert_eq!(
        (&one.scores, &one.differences),
        (&four.scores, &four.differences)
    );
    assert_eq!(headline(&one, None), headline(&four, None));
}

fn two_machines() -> Machines {
    let machines = build(&["mesh:2x2,per_router=2", "torus:nodes=9"]);
    let prices = Prices::parse("nodes=10,links=1").unwrap();
    let (orders, buying) = (
        &["row-major".into()],
        PriceList {
            prices,
            ..PriceList::default()
        },
    );
    let request = MachineOptions {
        orders,
        buying,
        ..MachineOptions::default()
    };
    compare(&machines, &request, None, &NoObserver, &|_| ()).unwrap()
}

fn written(name: &str) -> String {
    let (machines, mut out) = (two_machines(), Vec::new());
    let files = files(&machines, None, "nodeorder compare …").unwrap();
    files
        .iter()
        .find(|file| file.name == name)
        .unwrap()
        .write_to(&mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn rows_of_machines_hold_the_figures_in_their_columns() {
    let text = written("machines.csv");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0].matches(',').count(), 66);
    // Four links, bisection 2; 8 nodes at 10 and 4 links at 1.
    let row = "\"mesh:2x2,per_router=2\",\"mesh:2x2,per_router=2\",8,8,1,4,4,4,8,4,0,1,0.5,2,";
    assert!(rows[1].starts_with(&format!("1,{row}")), "{}", rows[1]);
    assert!(
        rows[1].contains(",2,true,2,0.25,84,10.5,10.5,row-major,"),
        "{}",
        rows[1]
    );
    assert!(
        rows[2].starts_with("2,torus:nodes=9,\"torus:3x2x2,limit=9\",9,12,0.75,12,"),
        "{}",
        rows[2]
    );
}

#[test]
fn curves_end_at_the_whole_machine() {
    let text = written("machine-curves.csv");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 1 + 7 + 8);
    assert!(
        rows[7].starts_with("\"mesh:2x2,per_router=2\",row-major,8,1,"),
        "{}",
        rows[7]
    );
    assert!(
        rows[15].starts_with("torus:nodes=9,row-major,9,1,"),
        "{}",
        rows[15]
    );
}

#[test]
fn the_document_has_figures_orderings_and_the_headline() {
    let text = document(&two_machines(), None, "nodeorder compare …");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["machines"][0]["bisection_links"], json!(2));
    assert_eq!(value["machines"][0]["bisection_exact"], json!(true));
    assert_eq!(
        value["machines"][0]["orderings"][0]["label"],
        json!("row-major")
    );
    assert_eq!((&value["told"], &value["jobs"]), (&json!(true), &json!(0)));
    assert!(
        value["headline"]
            .as_str()
            .unwrap()
            .starts_with("Best by mean hops over log-spaced job sizes for jobs of 2 to 8 nodes: mesh:2x2,per_router=2 with row-major")
    );
    assert!(value["machines"][1].get("workload").is_none());
}

#[test]
fn prices_are_checked() {
    for (text, part) in [
        ("cables=3", "unknown price `cables`"),
        ("links=x", "found `links=x`"),
        ("links=-1", "found `links=-1`"),
        ("links=1,links=2", "found `links=2`"),
        ("links", "found `links`"),
        ("", "unknown price"),
        ("links=inf", "found `links=inf`"),
    ] {
        let error = Prices::parse(text).unwrap_err().to_string();
        assert!(
            error.starts_with("`--prices") && error.contains(part),
            "{error}"
        );
    }
}

fn machine(spec: &str, orders: &[&str], prices: &str) -> MachineFigures {
    let topology = Topology::inline(spec, &Context::default()).unwrap();
    let orders: Vec<String> = orders.iter().map(|o| o.to_string()).collect();
    let buying = PriceList {
        prices: Prices::parse(prices).unwrap(),
        ..PriceList::default()
    };
    let made = MachineFigures::make_orderings(&topology, &orders, &NoObserver).unwrap();
    MachineFigures::new(&topology, made, topology.node_count(), &buying).unwrap()
}

#[test]
fn figures_of_a_machine_are_those_worked_out_by_hand() {
    let m = machine(
        "torus:4x4,per_router=2",
        &[],
        "links=10,routers=100,nodes=1000",
    );
    assert_eq!(
        m.bill.cost,
        Some(32.0 * 10.0 + 16.0 * 100.0 + 32.0 * 1000.0)
    );
    assert_eq!(m.cost_per_node(), Some(33920.0 / 32.0));
    assert_eq!(
        (m.links_per_node(), m.bisection_per_node()),
        (1.0, Some(8.0 / 32.0))
    );
    assert_eq!(m.best.label(), m.comparison.entries[0].label);
    assert!(
        m.comparison
            .entries
            .iter()
            .all(|e| e.mean_log >= m.mean_log())
    );
    assert!(m.levels.is_empty());
    assert_eq!(machine("mesh:3", &[], "routers=2").bill.cost, Some(6.0));
}

#[test]
fn orderings_given_count_where_they_suit() {
    let orders = ["hilbert", "row-major"];
    let m = machine("torus:8x8", &orders, "nodes=1");
    assert_eq!((m.comparison.entries.len(), m.best.label()), (2, "hilbert"));
    let m = machine("fat-tree:k=4", &orders, "nodes=1");
    assert_eq!(m.best.label(), "row-major");
    // Nothing given suits: the defaults.
    assert!(
        machine("fat-tree:k=4", &["hilbert"], "nodes=1")
            .comparison
            .entries
            .len()
            > 1
    );
    let topology = Topology::inline("mesh:4x4", &Context::default()).unwrap();
    let wrong = ["snake:axes=q".to_string()];
    assert!(MachineFigures::make_orderings(&topology, &wrong, &NoObserver).is_err());
}

#[test]
fn a_constant_difference_is_told_and_a_balanced_one_is_not() {
    let all = |value: f64| vec![(None, value); 30];
    let same = Difference::over_jobs("wait", "s", &all(-2.0), 1).unwrap();
    assert_eq!(
        (same.difference, same.low, same.high),
        (-2.0, Some(-2.0), Some(-2.0))
    );
    assert!(same.is_significant() && same.over == "jobs" && same.count == 30);
    assert!(
        !Difference::over_jobs("wait", "s", &all(0.0), 1)
            .unwrap()
            .is_significant()
    );
    let mixed: Vec<_> = (0..40)
        .map(|i| (None, if i % 2 == 0 { 1.0 } else { -1.0 }))
        .collect();
    assert!(
        !Difference::over_jobs("wait", "s", &mixed, 1)
            .unwrap()
            .is_significant()
    );
    assert_eq!(Difference::over_jobs("wait", "s", &[], 1), None);
}

#[test]
fn intervals_over_many_weeks_draw_whole_weeks() {
    // Half the weeks gain and half lose, each evenly: jobs alone would look surer than weeks.
    let value = |job: i64| (Some(job / 100), if job / 100 % 4 < 2 { 1.0 } else { -0.8 });
    let values: Vec<_> = (0..1000).map(value).collect();
    let weeks = Difference::over_jobs("wait", "s", &values, 1).unwrap();
    assert_eq!((weeks.over, weeks.count, weeks.jobs), ("weeks", 10, 1000));
    let jobs: Vec<_> = values.iter().map(|(_, v)| (None, *v)).collect();
    let jobs = Difference::over_jobs("wait", "s", &jobs, 1).unwrap();
    let width = |d: &Difference| d.high.unwrap() - d.low.unwrap();
    assert!(width(&weeks) > 2.0 * width(&jobs));
    assert!(!weeks.is_significant() && (weeks.difference - jobs.difference).abs() < 1e-12);
}

/// Differences of ten subjects (Student 1908): the t interval is 0.70 to 2.46.
#[test]
fn seeds_have_students_interval() {
    let gains = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
    let d = Difference::over_seeds("mean(log)", "hops", &gains);
    assert!((d.low.unwrap() - 0.7001).abs() < 1e-3 && (d.high.unwrap() - 2.4599).abs() < 1e-3);
    assert!(d.is_significant() && d.over == "seeds" && d.count == 10);
    assert!(!Difference::without_interval("mean(log)", "hops", 0.0).is_significant());
    assert!(Difference::without_interval("mean(log)", "hops", 0.1).is_significant());
}

proptest! {
    #[test]
    fn intervals_are_the_same_on_any_number_of_threads(values in prop::collection::vec(-9.0f64..9.0, 1..60), seed in 0u64..9) {
        let values: Vec<_> = values.into_iter().map(|v| (None, v)).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Difference::over_jobs("wait", "s", &values, seed).unwrap())
        };
        let one = run(1);
        prop_assert_eq!(&one, &run(3));
        let (least, most) = values.iter().fold((9.0f64, -9.0f64), |(l, h), (_, v)| (l.min(*v), h.max(*v)));
        prop_assert!(one.low <= one.high);
        prop_assert!(one.low.unwrap() >= least - 1e-9 && one.high.unwrap() <= most + 1e-9);
    }
}

/// The same network as a grid, a dragonfly and the like, and as a list of its links: with one ordering nothing tells
/// the two apart, whatever routing and compact allocation a model would take on either by itself.
#[test]
fn one_network_in_two_notations_has_one_verdict() {
    let folder = tempfile::tempdir().unwrap();
    for (i, spec) in [
        "mesh:6x7",
        "hyperx:3x3",
        "dragonfly:p=1,a=4,h=1",
        "torus:5x4",
    ]
    .iter()
    .enumerate()
    {
        let machine = build(&[*spec]).remove(0);
        let mut edges = String::from("u,v\n");
        machine
            .network()
            .for_each_link(&mut |u, v, _| edges += &format!("{u},{v}\n"));
        let path = folder.path().join(format!("{i}.csv"));
        std::fs::write(&path, edges).unwrap();
        let listed =
            Topology::inline(&format!("graph:{}", path.display()), &Context::default()).unwrap();
        let tasks: Vec<Task> = (0..60)
            .map(|id: i64| Task {
                id,
                submit: id * 700,
                run: 4000 + id % 9 * 700,
                requested: 20_000,
                nodes: [2, 4, 6, 9, 12][id as usize % 5],
            })
            .collect();
        let settings = TraceSettings {
            trace: "t".into(),
            policy: "easy".into(),
            allocator: "span-best-fit".into(),
            model: "network:share=0.3,guest=stencil3d".into(),
            other_models: Vec::new(),
            waits: Vec::new(),
        };
        let allocators = vec!["span-best-fit".to_string()];
        let open = || Ok(Log::new("log", "P 1 4\nF 1\n"));
        let workload = ComparedJobs {
            name: "log",
            open: &open,
            allocators: &allocators,
            leading: 0,
            queue: Some(ScheduledJobs {
                tasks: &tasks,
                settings: &settings,
            }),
        };
        let orders = ["row-major".to_string()];
        let mut request = MachineOptions {
            orders: &orders,
            routing: nodeorder_traffic::mapping::routing::BestShares::parse_routing("ideal")
                .unwrap(),
            ..MachineOptions::default()
        };
        let two = [machine, listed];
        let found = compare(&two, &request, Some(&workload), &NoObserver, &|_| ()).unwrap();
        assert_eq!(found.differences[0].difference, 0.0, "{spec}");
        assert_eq!(found.routing.as_deref(), Some("ecmp-hop"), "{spec}");
        assert!(headline(&found, Some("t")).contains("routing=ecmp-hop"));
        request.rank = Some(Criterion::Throughput);
        let found = compare(&two, &request, None, &NoObserver, &|_| ()).unwrap();
        assert_eq!(
            [0, 1].map(|slot| found.rank(slot)),
            [Some(1), Some(1)],
            "{spec}"
        );
        assert_eq!(found.is_told(), Some(false), "{spec}");
    }
}
