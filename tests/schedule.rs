//! The scheduler against plain references written from the rules, on real traces and random ones.

use good_lp::{Expression, ProblemVariables, Solution, SolverModel, constraint, microlp, variable};
use nodeorder_jobs::allocator::AllocatorContext;
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{
    ScheduleResult, Settings, Task, pack_exactly, pack_greedily, simulate,
};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_trace::{Options, Trace};
use proptest::prelude::*;

/// Whether metrics, ranks and the timeline are recorded, and places chosen by span.
#[derive(Clone, Copy, PartialEq)]
enum Recorded {
    Everything,
    Times,
}
use Recorded::{Everything, Times};

fn schedule_on(
    spec: &str,
    tasks: &[Task],
    policy: &str,
    model: &str,
    recorded: Recorded,
) -> ScheduleResult {
    let topology = Topology::inline(spec, &Context::default()).unwrap();
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let distances = RankDistances::new(&topology, &order).unwrap();
    let context = AllocatorContext {
        topology: &topology,
        order: &order,
        distances: &distances,
    };
    let everything = recorded == Everything;
    let allocator = if everything {
        "span-best-fit"
    } else {
        "fifo:0"
    };
    simulate(
        &context,
        tasks,
        &Settings {
            policy,
            allocator,
            model,
            metrics: everything,
            figures: FigureSet {
                ranks: everything,
                ..FigureSet::default()
            },
            timeline: everything,
            rules: None,
        },
        &|_| (),
    )
    .unwrap()
}

fn schedule(nodes: u32, tasks: &[Task], policy: &str, recorded: Recorded) -> ScheduleResult {
    schedule_on(&format!("mesh:{nodes}"), tasks, policy, "fixed", recorded)
}

/// Start times in queue order.
fn starts(outcome: &ScheduleResult) -> Vec<i64> {
    let mut starts = vec![i64::MIN; outcome.tasks.len()];
    for record in &outcome.records {
        starts[record.task as usize] = record.start;
    }
    starts
}

/// Who runs: true end, assumed end, nodes.
type Runs = Vec<(i64, i64, u32)>;

/// FCFS and EASY as the rule is written, with lists.
fn plain(tasks: &[Task], nodes: u32, easy: bool) -> Vec<i64> {
    let mut starts = vec![i64::MIN; tasks.len()];
    let (mut waiting, mut running): (Vec<usize>, Runs) = (Vec::new(), Vec::new());
    let mut submitted = 0;
    loop {
        let submit = tasks.get(submitted).map(|t| t.submit);
        let Some(now) = running.iter().map(|r| r.0).chain(submit).min() else {
            break;
        };
        running.retain(|(end, _, _)| *end > now);
        while submitted < tasks.len() && tasks[submitted].submit == now {
            waiting.push(submitted);
            submitted += 1;
        }
        let mut free = nodes - running.iter().map(|r| r.2).sum::<u32>();
        let mut start = |job: usize, running: &mut Runs| {
            starts[job] = now;
            let task = &tasks[job];
            running.push((now + task.run, now + task.requested, task.nodes));
        };
        while !waiting.is_empty() && tasks[waiting[0]].nodes <= free {
            let head = waiting.remove(0);
            free -= tasks[head].nodes;
            start(head, &mut running);
        }
        if !easy || waiting.is_empty() {
            continue;
        }
        let head = tasks[waiting[0]].nodes;
        let mut times: Vec<i64> = running.iter().map(|r| r.1).collect();
        times.sort_unstable();
        let free_at = |time: i64| {
            free + running
                .iter()
                .filter(|r| r.1 <= time)
                .map(|r| r.2)
                .sum::<u32>()
        };
        let shadow = times
            .into_iter()
            .find(|time| free_at(*time) >= head)
            .unwrap();
        let mut extra = free_at(shadow) - head;
        let mut left = vec![waiting[0]];
        for job in waiting[1..].iter().copied() {
            let task = &tasks[job];
            let in_time = now + task.requested <= shadow;
            if task.nodes <= free && (in_time || task.nodes <= extra) {
                if !in_time {
                    extra -= task.nodes;
                }
                free -= task.nodes;
                start(job, &mut running);
            } else {
                left.push(job);
            }
        }
        waiting = left;
    }
    starts
}

/// Conservative backfilling with free nodes counted time by time.
fn plain_conservative(tasks: &[Task], nodes: u32) -> Vec<i64> {
    let mut starts = vec![i64::MIN; tasks.len()];
    let mut waiting: Vec<(usize, i64)> = Vec::new();
    let mut running: Runs = Vec::new();
    let mut submitted = 0;
    // By time, from the first submit on.
    let first = tasks.first().map_or(0, |task| task.submit);
    let mut used: Vec<u32> = Vec::new();
    let take = |used: &mut Vec<u32>, from: i64, to: i64, nodes: u32| {
        let (from, to) = ((from - first) as usize, (to - first) as usize);
        used.resize(used.len().max(to), 0);
        used[from..to].iter_mut().for_each(|used| *used += nodes);
    };
    let promise = |job: &Task, now: i64, used: &mut Vec<u32>| {
        let (mut fits, mut time) = (0, now);
        while fits < job.requested {
            let there = used
                .get((time - first) as usize)
                .is_none_or(|u| u + job.nodes <= nodes);
            fits = if there { fits + 1 } else { 0 };
            time += 1;
        }
        take(used, time - fits, time, job.nodes);
        time - fits
    };
    loop {
        let submit = tasks.get(submitted).map(|t| t.submit);
        let Some(now) = running.iter().map(|r| r.0).chain(submit).min() else {
            break;
        };
        let early = running
            .iter()
            .any(|(end, assumed, _)| *end == now && *assumed > now);
        running.retain(|(end, _, _)| *end > now);
        if early {
            used.clear();
            running
                .iter()
                .for_each(|(_, assumed, nodes)| take(&mut used, now, *assumed, *nodes));
            for (job, start) in &mut waiting {
                *start = promise(&tasks[*job], now, &mut used);
            }
        }
        while submitted < tasks.len() && tasks[submitted].submit == now {
            waiting.push((submitted, promise(&tasks[submitted], now, &mut used)));
            submitted += 1;
        }
        for (job, _) in waiting.iter().filter(|(_, start)| *start == now) {
            let task = &tasks[*job];
            starts[*job] = now;
            running.push((now + task.run, now + task.requested, task.nodes));
        }
        waiting.retain(|(_, start)| *start > now);
    }
    starts
}

/// The sorted queue, looked at second by second.
fn plain_size_first(tasks: &[Task], nodes: u32, descending: bool, interval: i64) -> Vec<i64> {
    let mut starts = vec![i64::MIN; tasks.len()];
    let mut running: Runs = Vec::new();
    let first = tasks.first().map_or(0, |t| t.submit);
    for now in first.. {
        running.retain(|(end, _, _)| *end > now);
        if (now - first) % interval == 0 {
            let arrived = (0..tasks.len()).filter(|i| tasks[*i].submit <= now);
            let mut queue: Vec<usize> = arrived.filter(|i| starts[*i] == i64::MIN).collect();
            queue.sort_by_key(|i| {
                let key = (i64::from(tasks[*i].nodes), tasks[*i].requested);
                if descending { (-key.0, -key.1) } else { key }
            });
            for job in queue {
                let task = &tasks[job];
                if task.nodes + running.iter().map(|r| r.2).sum::<u32>() > nodes {
                    break;
                }
                starts[job] = now;
                running.push((now + task.run, now + task.requested, task.nodes));
            }
        }
        if starts.iter().all(|s| *s > i64::MIN) {
            break;
        }
    }
    starts
}

/// No rank twice at a time, nobody before his submit, everybody his run time and his number of ranks.
fn check_invariants(outcome: &ScheduleResult) {
    let mut events: Vec<(i64, bool, usize)> = Vec::new();
    for (i, record) in outcome.records.iter().enumerate() {
        let task = outcome.task_of_record(record);
        assert!(
            record.start >= task.submit,
            "job {} starts before its submit",
            task.id
        );
        let ranks = record.figures.ranks.as_ref().unwrap();
        assert_eq!(ranks.len(), task.nodes);
        assert!(ranks.iter().all(|rank| rank < outcome.nodes));
        events.push((record.end, false, i));
        events.push((record.start, true, i));
    }
    assert_eq!(outcome.records.len(), outcome.tasks.len());
    assert!(outcome.records.is_sorted_by_key(|record| record.start));
    events.sort_unstable();
    let mut holder: Vec<Option<usize>> = vec![None; outcome.nodes as usize];
    for (_, start, i) in events {
        for rank in outcome.records[i].figures.ranks.as_ref().unwrap().iter() {
            let (expected, next) = if start {
                (None, Some(i))
            } else {
                (Some(i), None)
            };
            assert_eq!(
                std::mem::replace(&mut holder[rank as usize], next),
                expected
            );
        }
    }
}

/// Whenever a job is the head and does not fit, it starts no later than the time that requested times promise it
/// then.
fn check_reservations(outcome: &ScheduleResult) {
    let starts = starts(outcome);
    let tasks = &outcome.tasks;
    let mut times: Vec<i64> = outcome
        .records
        .iter()
        .flat_map(|r| [r.start, r.end])
        .collect();
    times.extend(tasks.iter().map(|t| t.submit));
    times.sort_unstable();
    times.dedup();
    for now in times {
        let waits = |i: &usize| tasks[*i].submit <= now && starts[*i] > now;
        let Some(head) = (0..tasks.len()).find(waits) else {
            continue;
        };
        let mut running: Vec<(i64, u32)> = (0..tasks.len())
            .filter(|i| starts[*i] <= now && starts[*i] + tasks[*i].run > now)
            .map(|i| (starts[i] + tasks[i].requested, tasks[i].nodes))
            .collect();
        running.sort_unstable();
        let mut free = outcome.nodes - running.iter().map(|r| r.1).sum::<u32>();
        let mut promised = now;
        for (end, nodes) in running {
            if free >= tasks[head].nodes {
                break;
            }
            free += nodes;
            promised = end;
        }
        assert!(starts[head] <= promised, "job {} at {now}", tasks[head].id);
    }
}

fn random_tasks(nodes: u32, most: usize, time: i64) -> impl Strategy<Value = Vec<Task>> {
    let task = (0i64..4, 1i64..time, 0i64..time, 1u32..=nodes);
    prop::collection::vec(task, 1..most).prop_map(|list| {
        let mut submit = -5;
        let mut id = 0;
        let tasks = list.into_iter().map(|(later, run, more, nodes)| {
            submit += later * 2;
            id += 1;
            // Many requests are exact, many are not.
            let requested = run + if more % 3 == 0 { 0 } else { more };
            Task {
                id,
                submit,
                run,
                requested,
                nodes,
            }
        });
        tasks.collect()
    })
}

proptest! {
    #[test]
    fn fcfs_and_easy_are_what_the_rule_says(tasks in random_tasks(12, 60, 25)) {
        for (policy, easy) in [("fcfs", false), ("easy", true)] {
            let outcome = schedule(12, &tasks, policy, Everything);
            prop_assert_eq!(starts(&outcome), plain(&tasks, 12, easy));
            let waiting = outcome.summary().utilisation_waiting;
            prop_assert_eq!(waiting, plain_utilisation_waiting(&outcome));
            check_invariants(&outcome);
            if easy {
                check_reservations(&outcome);
            }
        }
    }

    /// Neighbours of the same nodes and requested time, some of which end early: promises are made to several at once.
    #[test]
    fn conservative_is_what_the_rule_says_of_jobs_alike(
        arrays in prop::collection::vec((0i64..3, 1u32..5, 1i64..8, 1usize..9), 1..8),
        early in prop::collection::vec(0i64..8, 64),
    ) {
        let (mut tasks, mut submit) = (Vec::new(), 0);
        for (later, nodes, requested, jobs) in arrays {
            submit += later;
            for _ in 0..jobs {
                let run = (requested - early[tasks.len()]).clamp(1, requested);
                tasks.push(Task { id: tasks.len() as i64 + 1, submit, run, requested, nodes });
            }
        }
        let outcome = schedule(8, &tasks, "conservative:rebuild", Everything);
        prop_assert_eq!(starts(&outcome), plain_conservative(&tasks, 8));
        check_invariants(&outcome);
    }

    #[test]
    fn conservative_is_what_the_rule_says(tasks in random_tasks(8, 25, 12)) {
        let outcome = schedule(8, &tasks, "conservative:rebuild", Everything);
        prop_assert_eq!(starts(&outcome), plain_conservative(&tasks, 8));
        check_invariants(&outcome);
    }

    /// Queues so long that a pass makes promises to a part of them only.
    #[test]
    fn conservative_is_what_the_rule_says_of_long_queues(
        jobs in prop::collection::vec((0i64..9, 0usize..6, 0usize..6, 0i64..400), 80..160),
        nodes in prop::array::uniform6(1u32..40),
        requested in prop::array::uniform6(1i64..400),
    ) {
        let mut submit = 0;
        let tasks: Vec<Task> = (1..)
            .zip(jobs)
            .map(|(id, (later, nodes_of, requested_of, early))| {
                submit += later;
                let requested = requested[requested_of];
                let run = (requested - early).max(1);
                Task { id, submit, run, requested, nodes: nodes[nodes_of] }
            })
            .collect();
        let outcome = schedule(64, &tasks, "conservative:rebuild", Everything);
        prop_assert_eq!(starts(&outcome), plain_conservative(&tasks, 64));
        check_invariants(&outcome);
    }

    #[test]
    fn size_first_is_what_the_rule_says(tasks in random_tasks(10, 40, 20), interval in 1i64..40) {
        for descending in [false, true] {
            let policy = format!("size-first:desc={descending},interval={interval}");
            let outcome = schedule(10, &tasks, &policy, Everything);
            prop_assert_eq!(starts(&outcome), plain_size_first(&tasks, 10, descending, interval));
            check_invariants(&outcome);
        }
    }

    /// With one event at a time and exact requests nothing is left in which CQSim's rule differs.
    #[test]
    fn true_run_times_make_the_difference_to_cqsim(tasks in random_tasks(12, 40, 25)) {
        let mut tasks = tasks;
        for (i, task) in tasks.iter_mut().enumerate() {
            task.requested = task.run;
            task.submit = task.submit * 1000 + i as i64;
            task.run = task.run * 1000 + 7 * i as i64;
            task.requested = task.run;
        }
        let rule = schedule(12, &tasks, "easy", Times);
        let theirs = schedule(12, &tasks, "easy:runtime-estimates", Times);
        let ends = |o: &ScheduleResult| o.records.iter().map(|r| r.end).collect::<Vec<_>>();
        let mut distinct = ends(&rule);
        distinct.extend(tasks.iter().map(|t| t.submit));
        distinct.sort_unstable();
        // Events of one instant would be told apart by passes.
        prop_assume!(distinct.windows(2).all(|w| w[0] < w[1]));
        prop_assert_eq!(starts(&rule), starts(&theirs));
    }

    #[test]
    fn window_policies_give_runs_and_hold_tasks_that_find_none(
        tasks in random_tasks(16, 40, 40), window in 1usize..7, interval in 0i64..20,
        greedy in any::<bool>(), blocks in any::<bool>(),
    ) {
        let name = if greedy { "window-greedy" } else { "window-bnb" };
        let held = if blocks { "block" } else { "skip" };
        let policy = format!("{name}:window={window},interval={interval},held={held},slots=runs");
        let outcome = schedule(16, &tasks, &policy, Everything);
        check_invariants(&outcome);
        let first = tasks[0].submit;
        for record in &outcome.records {
            prop_assert_eq!(record.figures.ranks.as_ref().unwrap().list_runs().len(), 1);
            prop_assert!(interval == 0 || (record.start - first) % interval == 0);
            // No more than a window of tasks is passed over.
            let task = record.task;
            let earlier = outcome.records.iter().filter(|r| r.task < task && r.start > record.start);
            prop_assert!(!blocks || earlier.count() < window);
        }
    }

    /// The stretch of a sensitive task on one run of ranks is exact, and no other task is stretched.
    #[test]
    fn only_sensitive_tasks_are_stretched_and_not_on_one_run(tasks in random_tasks(16, 30, 40), alpha in 0u32..90) {
        let run = |beta: u32| {
            let model = format!("contiguity:alpha={alpha},beta={beta},contiguous=runs");
            schedule_on("mesh:16", &tasks, "easy", &model, Everything)
        };
        let (none, half, all) = (run(0), run(50), run(100));
        prop_assert_eq!(
            starts(&none),
            starts(&schedule(16, &tasks, "easy", Everything)).iter().map(|s| s * none.ticks).collect::<Vec<_>>()
        );
        for outcome in [&none, &half, &all] {
            check_invariants(outcome);
            for record in &outcome.records {
                let full = outcome.task_of_record(record).run;
                let less = full / 100 * i64::from(100 - alpha);
                let one_run = record.figures.ranks.as_ref().unwrap().list_runs().len() == 1;
                let took = record.end - record.start;
                prop_assert!(took == full || took == less && one_run);
                prop_assert!(!std::ptr::eq(outcome, &all) || (took == less) == one_run || alpha == 0);
            }
        }
    }

    #[test]
    fn the_exact_knapsack_is_the_optimum_of_an_integer_program(
        jobs in prop::collection::vec(1u32..60, 1..8),
        slots in prop::collection::vec(1u32..70, 1..9),
    ) {
        // The nodes that are taken, and what is left of each slot.
        let packed = |packing: &[Option<usize>]| -> (u32, Vec<u32>) {
            let mut room = slots.clone();
            let placed = jobs.iter().zip(packing).filter_map(|(job, slot)| Some((*job, (*slot)?)));
            placed.clone().for_each(|(job, slot)| room[slot] = room[slot].checked_sub(job).unwrap());
            (placed.map(|(job, _)| job).sum(), room)
        };
        let (exact, greedy) = (pack_exactly(&jobs, &slots), pack_greedily(&jobs, &slots));
        let (best, (taken, room)) = (packed(&exact).0, packed(&greedy));
        prop_assert_eq!(f64::from(best), integer_program(&jobs, &slots).round());
        prop_assert!(taken <= best);
        // Nothing that greed leaves out would still fit.
        let most = room.iter().max().copied().unwrap_or(0);
        prop_assert!(jobs.iter().zip(&greedy).all(|(job, slot)| slot.is_some() || *job > most));
    }
}

fn integer_program(jobs: &[u32], slots: &[u32]) -> f64 {
    let mut variables = ProblemVariables::new();
    let x: Vec<Vec<_>> = jobs
        .iter()
        .map(|_| {
            slots
                .iter()
                .map(|_| variables.add(variable().binary()))
                .collect()
        })
        .collect();
    let sum = |terms: Vec<Expression>| terms.into_iter().sum::<Expression>();
    let value = |slot: usize| {
        sum(jobs
            .iter()
            .zip(&x)
            .map(|(job, row)| f64::from(*job) * row[slot])
            .collect())
    };
    let profit = sum((0..slots.len()).map(value).collect());
    let mut model = variables.maximise(profit.clone()).using(microlp);
    for row in &x {
        model = model.with(constraint!(
            sum(row.iter().map(|v| (*v).into()).collect()) <= 1.0
        ));
    }
    for (slot, room) in slots.iter().enumerate() {
        model = model.with(constraint!(value(slot) <= f64::from(*room)));
    }
    model.solve().unwrap().eval(profit)
}

/// A trace that is not part of the project, if it is there.
fn shared(test: &str, name: &str, nodes: u32, procs_per_node: u32) -> Option<Vec<Task>> {
    let path = crate::skip::trace(&format!("schedule::{test}"), name)?;
    let options = Options {
        procs_per_node,
        nodes: Some(nodes),
        ..Options::default()
    };
    Some(Task::from_trace(&Trace::read(&path, &options).unwrap()))
}

fn mean_wait(outcome: &ScheduleResult) -> f64 {
    outcome.summary().mean_wait.round()
}

#[test]
fn theta_starts_job_for_job_as_the_reference() {
    let Some(tasks) = shared(
        "theta_starts_job_for_job_as_the_reference",
        "theta_2022.swf.gz",
        4360,
        1,
    ) else {
        return;
    };
    let easy = schedule(4360, &tasks, "easy", Times);
    assert_eq!(starts(&easy), plain(&tasks, 4360, true));
    assert_eq!(mean_wait(&easy), 43_818.0);
    let fcfs = schedule(4360, &tasks, "fcfs", Times);
    assert_eq!(starts(&fcfs), plain(&tasks, 4360, false));
    // What CQSim was seen to give.
    let cqsim = schedule(4360, &tasks, "easy:runtime-estimates", Times);
    assert_eq!(mean_wait(&cqsim), 31_588.0);
}

#[test]
fn atlas_starts_job_for_job_as_the_reference() {
    let Some(tasks) = shared(
        "atlas_starts_job_for_job_as_the_reference",
        "LLNL-Atlas-2006-2.1-cln.swf.gz",
        1152,
        8,
    ) else {
        return;
    };
    for (policy, easy) in [("fcfs", false), ("easy", true)] {
        let outcome = schedule(1152, &tasks, policy, Times);
        assert_eq!(starts(&outcome), plain(&tasks, 1152, easy), "{policy}");
    }
}

#[test]
fn the_hypercube_starts_job_for_job_as_the_reference() {
    let Some(tasks) = shared(
        "the_hypercube_starts_job_for_job_as_the_reference",
        "NASA-iPSC-1993-3.1-cln.swf.gz",
        128,
        1,
    ) else {
        return;
    };
    for (policy, easy) in [("fcfs", false), ("easy", true)] {
        let outcome = schedule(128, &tasks, policy, Times);
        assert_eq!(starts(&outcome), plain(&tasks, 128, easy), "{policy}");
    }
}

#[test]
fn distance_stretches_against_the_compact_placement() {
    let task = |id, run, nodes| Task {
        id,
        submit: 0,
        run,
        requested: run,
        nodes,
    };
    // Singles hold 1, 2, … for long; pairs are 1 hop apart at best, here 3: twice as much again.
    let tasks = [
        task(1, 5, 1),
        task(2, 500, 2),
        task(3, 5, 1),
        task(4, 10, 2),
    ];
    let outcome = schedule_on("mesh:4", &tasks, "fcfs", "distance:weight=0.5", Everything);
    let last = outcome.records.last().unwrap();
    assert_eq!(
        (
            last.figures.ranks.as_ref().unwrap().to_string().as_str(),
            last.start
        ),
        ("0 3", 5_000_000)
    );
    assert_eq!(outcome.format_seconds(last.end - last.start), "20");
}

#[test]
fn wrong_names_and_impossible_jobs_are_refused() {
    let topology = Topology::inline("mesh:4", &Context::default()).unwrap();
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let distances = RankDistances::new(&topology, &order).unwrap();
    let context = AllocatorContext {
        topology: &topology,
        order: &order,
        distances: &distances,
    };
    let task = Task {
        id: 7,
        submit: 0,
        run: 1,
        requested: 1,
        nodes: 2,
    };
    let refused = |tasks: &[Task], policy: &str, model: &str| {
        let settings = Settings {
            policy,
            allocator: "fifo:0",
            model,
            metrics: false,
            figures: FigureSet::default(),
            timeline: false,
            rules: None,
        };
        simulate(&context, tasks, &settings, &|_| ())
            .unwrap_err()
            .to_string()
    };
    for (tasks, policy, model, what) in [
        (vec![task], "esay", "fixed", "did you mean `easy`"),
        (vec![task], "easy:runtime", "fixed", "runtime-estimates"),
        (vec![task], "window-bnb:window=17", "fixed", "from 1 to 16"),
        (
            vec![task],
            "fcfs:intervals=3",
            "fixed",
            "did you mean `interval`",
        ),
        (vec![task], "easy:interval=-1", "fixed", "interval"),
        (
            vec![task],
            "window-bnb:slots=run",
            "fixed",
            "did you mean `runs`",
        ),
        (
            vec![task],
            "fcfs",
            "contiguity:alpha=20,beta=5,contiguous=run",
            "did you mean `runs`",
        ),
        (vec![task], "fcfs", "contiguity:alpha=20", "beta"),
        (vec![task], "fcfs", "contiguity:alpha=100,beta=5", "99.9"),
        (
            vec![task],
            "fcfs",
            "contention:guest=ring",
            "`--model contention:guest=ring`: found the model `contention`, which is gone; expected `network`",
        ),
        (vec![task], "fcfs", "network:app=LU", "unknown key"),
        (
            vec![task],
            "fcfs",
            "network:routing=valiant",
            "--routing valiant",
        ),
        (vec![Task { nodes: 5, ..task }], "fcfs", "fixed", "job 7"),
        (
            vec![Task { submit: 3, ..task }, task],
            "fcfs",
            "fixed",
            "by submit time",
        ),
        (
            vec![Task {
                requested: 0,
                ..task
            }],
            "fcfs",
            "fixed",
            "at least a second",
        ),
        (
            vec![Task {
                requested: i64::MAX / 2,
                ..task
            }],
            "fcfs",
            "distance",
            "the clock",
        ),
    ] {
        let message = refused(&tasks, policy, model);
        assert!(message.contains(what), "{message}");
    }
}

#[test]
fn a_trace_without_jobs_has_a_summary_of_zeros() {
    let outcome = schedule(4, &[], "easy", Everything);
    let summary = outcome.summary();
    assert_eq!(
        (summary.jobs, summary.utilisation, summary.makespan),
        (0, 0.0, 0.0)
    );
}

/// Second by second: nodes in use where a job waits.
fn plain_utilisation_waiting(outcome: &ScheduleResult) -> Option<f64> {
    let within = |from: i64, to: i64, t: i64| (from..to).contains(&t);
    let (mut used, mut seconds) = (0, 0);
    let (first, last) = outcome.time_span()?;
    for t in first..last {
        if outcome
            .records
            .iter()
            .any(|r| within(outcome.task_of_record(r).submit, r.start, t))
        {
            let runs = outcome.records.iter().filter(|r| within(r.start, r.end, t));
            used += runs.map(|r| outcome.task_of_record(r).nodes).sum::<u32>();
            seconds += 1;
        }
    }
    (seconds > 0).then(|| f64::from(used) / (f64::from(outcome.nodes) * f64::from(seconds)))
}
