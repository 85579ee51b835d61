//! Jobs that wait for a place: allocators that refuse, policies that reserve places, slots of window policies,
//! each against a plain reference written from the rules.

use std::collections::BTreeSet;

use nodeorder_base::{FreeSet, Ranks, Run};
use nodeorder_jobs::allocator::{self, Allocator, AllocatorContext};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::schedule::{ScheduleResult, Settings, Task, simulate};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use proptest::prelude::*;

struct Machine {
    topology: Topology,
    order: NodeOrder,
    distances: RankDistances,
}

impl Machine {
    fn new(spec: &str, order: &str) -> Self {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, order).unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        Machine {
            topology,
            order,
            distances,
        }
    }

    fn context(&self) -> AllocatorContext<'_> {
        let (topology, order, distances) = (&self.topology, &self.order, &self.distances);
        AllocatorContext {
            topology,
            order,
            distances,
        }
    }

    fn nodes(&self) -> u32 {
        self.distances.len()
    }

    fn run(&self, tasks: &[Task], policy: &str, allocator: &str, model: &str) -> ScheduleResult {
        let settings = Settings {
            policy,
            allocator,
            model,
            metrics: true,
            figures: FigureSet {
                ranks: true,
                ..FigureSet::default()
            },
            timeline: false,
            rules: None,
        };
        simulate(&self.context(), tasks, &settings, &|_| ()).unwrap()
    }

    fn near(&self, a: u32, b: u32) -> bool {
        self.distances.hops_between(a, b) <= 1
    }

    /// Whether some `count` of these ranks are a place, by trying all there are.
    fn has_place(&self, allocator: &str, free: &BTreeSet<u32>, count: u32) -> bool {
        match allocator {
            "bfs:contiguous" => self.largest(free) >= count as usize,
            _ => {
                let edges = mesh(&guest(count, if allocator.contains("2d") { 2 } else { 3 }));
                self.embed(&edges, free, count as usize, &mut Vec::new())
            }
        }
    }

    /// The size of the largest connected set.
    fn largest(&self, ranks: &BTreeSet<u32>) -> usize {
        let (mut left, mut largest) = (ranks.clone(), 0);
        while let Some(first) = left.pop_first() {
            let (mut met, mut at) = (vec![first], 0);
            while let Some(rank) = met.get(at).copied() {
                at += 1;
                let near: Vec<u32> = left
                    .iter()
                    .copied()
                    .filter(|r| self.near(rank, *r))
                    .collect();
                near.iter().for_each(|r| _ = left.remove(r));
                met.extend(near);
            }
            largest = largest.max(met.len());
        }
        largest
    }

    /// Whether the guest's processes can be placed one after the other with neighbours one hop apart.
    fn embed(
        &self,
        edges: &[(usize, usize)],
        free: &BTreeSet<u32>,
        count: usize,
        placed: &mut Vec<u32>,
    ) -> bool {
        let process = placed.len();
        if process == count {
            return true;
        }
        let before: Vec<u32> = edges
            .iter()
            .filter(|e| e.1 == process)
            .map(|e| placed[e.0])
            .collect();
        for rank in free {
            if !placed.contains(rank) && before.iter().all(|other| self.near(*other, *rank)) {
                placed.push(*rank);
                if self.embed(edges, free, count, placed) {
                    return true;
                }
                placed.pop();
            }
        }
        false
    }
}

/// The sides of the box of `count` cells of least sum, then of least descending list.
fn guest(count: u32, axes: usize) -> Vec<u32> {
    let sides = |a: u32| (1..=count).filter(move |b| count.is_multiple_of(a * b));
    let boxes = sides(1).flat_map(|a| sides(a).map(move |b| vec![a, b, count / a / b]));
    let fits = |sides: &Vec<u32>| sides.is_sorted_by(|a, b| a >= b) && (axes == 3 || sides[2] == 1);
    boxes
        .filter(fits)
        .min_by_key(|sides| (sides.iter().sum::<u32>(), sides.clone()))
        .unwrap()
}

/// The edges of a mesh, processes in row-major order, the earlier process first.
fn mesh(sides: &[u32]) -> Vec<(usize, usize)> {
    let index = |x: &[u32]| ((x[0] * sides[1] + x[1]) * sides[2] + x[2]) as usize;
    let mut edges = Vec::new();
    for cell in 0..sides.iter().product::<u32>() {
        let x = [
            cell / sides[2] / sides[1],
            cell / sides[2] % sides[1],
            cell % sides[2],
        ];
        for axis in 0..3 {
            let mut next = x;
            next[axis] += 1;
            if next[axis] < sides[axis] {
                edges.push((index(&x), index(&next)));
            }
        }
    }
    edges
}

fn set_of(free: &BTreeSet<u32>, nodes: u32) -> FreeSet {
    let mut set = FreeSet::new(nodes);
    let taken = (0..nodes).filter(|rank| !free.contains(rank));
    taken.for_each(|first| set.take_run(Run { first, count: 1 }));
    set
}

/// What the allocator answers about some free ranks.
fn ask(
    allocator: &mut dyn Allocator,
    free: &BTreeSet<u32>,
    nodes: u32,
    count: u32,
) -> Option<BTreeSet<u32>> {
    if free.len() < count as usize {
        return None;
    }
    let mut chosen = Ranks::default();
    let placed = allocator
        .choose_ranks(&set_of(free, nodes), count, &mut chosen)
        .is_placed();
    placed.then(|| chosen.iter().collect())
}

type Place = BTreeSet<u32>;

/// Who runs: true end, assumed end, place.
type Runs = Vec<(i64, i64, Place)>;

fn free_at(nodes: u32, running: &Runs, time: i64) -> Place {
    let held = |rank: &u32| {
        running
            .iter()
            .any(|(_, assumed, place)| *assumed > time && place.contains(rank))
    };
    (0..nodes).filter(|rank| !held(rank)).collect()
}

/// EASY with places as the rule is written: every pass looks at everybody anew. Start and place by task.
fn plain_easy(machine: &Machine, tasks: &[Task], allocator: &str) -> Vec<(i64, Place)> {
    let nodes = machine.nodes();
    let context = machine.context();
    let mut allocator = allocator::make(allocator, &context).unwrap();
    let mut starts = vec![(i64::MIN, Place::new()); tasks.len()];
    let (mut waiting, mut running): (Vec<usize>, Runs) = (Vec::new(), Vec::new());
    let mut reservation: Option<(usize, i64, Place)> = None;
    let (mut submitted, mut early) = (0, false);
    loop {
        let submit = tasks.get(submitted).map(|t| t.submit);
        let Some(now) = running.iter().map(|r| r.0).chain(submit).min() else {
            break;
        };
        early |= running
            .iter()
            .any(|(end, assumed, _)| *end == now && *assumed > now);
        running.retain(|(end, _, _)| *end > now);
        while submitted < tasks.len() && tasks[submitted].submit == now {
            waiting.push(submitted);
            submitted += 1;
        }
        let mut start = |job: usize, place: Place, running: &mut Runs| {
            running.push((
                now + tasks[job].run,
                now + tasks[job].requested,
                place.clone(),
            ));
            starts[job] = (now, place);
        };
        while let Some(head) = waiting.first().copied() {
            let free = free_at(nodes, &running, now);
            let place = ask(allocator.as_mut(), &free, nodes, tasks[head].nodes);
            let reserved = reservation
                .as_ref()
                .filter(|(job, _, place)| *job == head && place.is_subset(&free));
            let Some(place) = place.or(reserved.map(|r| r.2.clone())) else {
                break;
            };
            waiting.remove(0);
            start(head, place, &mut running);
        }
        let Some(head) = waiting.first().copied() else {
            continue;
        };
        let kept = reservation.take().filter(|(job, _, _)| *job == head);
        let before = kept.as_ref().map_or(i64::MAX, |r| r.1);
        let mut times: Vec<i64> = running
            .iter()
            .map(|r| r.1)
            .filter(|end| *end < before)
            .collect();
        times.sort_unstable();
        let found = times
            .into_iter()
            .filter(|_| early || kept.is_none())
            .find_map(|time| {
                let place = ask(
                    allocator.as_mut(),
                    &free_at(nodes, &running, time),
                    nodes,
                    tasks[head].nodes,
                )?;
                Some((head, time, place))
            });
        early = false;
        let (_, shadow, reserved) = reservation.insert(found.or(kept).unwrap()).clone();
        for job in waiting.split_off(1) {
            let task = &tasks[job];
            let mut free = free_at(nodes, &running, now);
            if now + task.requested > shadow {
                free.retain(|rank| !reserved.contains(rank));
            }
            match ask(allocator.as_mut(), &free, nodes, task.nodes) {
                Some(place) => start(job, place, &mut running),
                None => waiting.push(job),
            }
        }
    }
    starts
}

/// Conservative backfilling with places, second by second.
fn plain_conservative(machine: &Machine, tasks: &[Task], allocator: &str) -> Vec<(i64, Place)> {
    let nodes = machine.nodes();
    let context = machine.context();
    let mut allocator = allocator::make(allocator, &context).unwrap();
    let mut starts = vec![(i64::MIN, Place::new()); tasks.len()];
    let mut waiting: Vec<(usize, i64, Place)> = Vec::new();
    let (mut running, mut submitted): (Runs, usize) = (Vec::new(), 0);
    loop {
        let submit = tasks.get(submitted).map(|t| t.submit);
        let Some(now) = running.iter().map(|r| r.0).chain(submit).min() else {
            break;
        };
        let early = running
            .iter()
            .any(|(end, assumed, _)| *end == now && *assumed > now);
        running.retain(|(end, _, _)| *end > now);
        let mut fresh: Vec<usize> = Vec::new();
        if early {
            fresh.extend(waiting.drain(..).map(|w| w.0));
        }
        while submitted < tasks.len() && tasks[submitted].submit == now {
            fresh.push(submitted);
            submitted += 1;
        }
        for job in fresh {
            let task = &tasks[job];
            let place = |time: i64| {
                let mut free = free_at(nodes, &running, time);
                for (other, from, place) in &waiting {
                    if *from < time + task.requested && time < from + tasks[*other].requested {
                        free.retain(|rank| !place.contains(rank));
                    }
                }
                free
            };
            let found = (now..).find_map(|time| {
                Some((
                    time,
                    ask(allocator.as_mut(), &place(time), nodes, task.nodes)?,
                ))
            });
            let (time, place) = found.unwrap();
            waiting.push((job, time, place));
        }
        for (job, _, place) in waiting.iter().filter(|w| w.1 == now) {
            starts[*job] = (now, place.clone());
            running.push((
                now + tasks[*job].run,
                now + tasks[*job].requested,
                place.clone(),
            ));
        }
        waiting.retain(|w| w.1 > now);
    }
    starts
}

/// Start and place by task.
fn starts(outcome: &ScheduleResult) -> Vec<(i64, Place)> {
    let mut starts = vec![(i64::MIN, Place::new()); outcome.tasks.len()];
    for record in &outcome.records {
        let place = record.figures.ranks.as_ref().unwrap().iter().collect();
        starts[record.task as usize] = (record.start, place);
    }
    starts
}

/// No rank twice at a time, nobody before the submit, the right number of ranks; all run or are left out.
fn check_invariants(outcome: &ScheduleResult) {
    assert_eq!(
        outcome.records.len() + outcome.left_out.len(),
        outcome.tasks.len()
    );
    for (i, record) in outcome.records.iter().enumerate() {
        let (task, ranks) = (
            outcome.task_of_record(record),
            record.figures.ranks.as_ref().unwrap(),
        );
        assert!(record.start >= task.submit && ranks.len() == task.nodes);
        for other in &outcome.records[..i] {
            let together = other.start < record.end && record.start < other.end;
            let theirs: Place = other.figures.ranks.as_ref().unwrap().iter().collect();
            assert!(!together || ranks.iter().all(|rank| !theirs.contains(&rank)));
        }
    }
}

/// Whenever a job is the head and waits, it starts no later than the first assumed end at which there is a place
/// for it, found by trying all there are.
fn check_reservations(machine: &Machine, outcome: &ScheduleResult, allocator: &str) {
    let (tasks, starts) = (&outcome.tasks, starts(outcome));
    let mut times: Vec<i64> = outcome
        .records
        .iter()
        .flat_map(|r| [r.start, r.end])
        .collect();
    times.extend(tasks.iter().map(|t| t.submit));
    for now in times {
        let left_out = |i: usize| starts[i].0 == i64::MIN;
        let waits = |i: &usize| tasks[*i].submit <= now && starts[*i].0 > now && !left_out(*i);
        let Some(head) = (0..tasks.len()).find(waits) else {
            continue;
        };
        let runs =
            |i: &usize| !left_out(*i) && starts[*i].0 <= now && starts[*i].0 + tasks[*i].run > now;
        let running: Runs = (0..tasks.len())
            .filter(runs)
            .map(|i| (0, starts[i].0 + tasks[i].requested, starts[i].1.clone()))
            .collect();
        let mut ends: Vec<i64> = running.iter().map(|r| r.1).collect();
        ends.sort_unstable();
        let fits = |time: &i64| {
            let free = free_at(machine.nodes(), &running, *time);
            machine.has_place(allocator, &free, tasks[head].nodes)
        };
        let promised = ends.into_iter().find(fits).unwrap();
        assert!(
            starts[head].0 <= promised,
            "job {} at {now}: {promised}",
            tasks[head].id
        );
    }
}

fn random_tasks(sizes: &'static [u32], most: usize) -> impl Strategy<Value = Vec<Task>> {
    let task = (0i64..4, 1i64..25, 0i64..25, prop::sample::select(sizes));
    prop::collection::vec(task, 1..most).prop_map(|list| {
        let (mut submit, mut id) = (-5, 0);
        let tasks = list.into_iter().map(|(later, run, more, nodes)| {
            submit += later * 2;
            id += 1;
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

const SPECS: [&str; 4] = [
    "torus:3x4",
    "mesh:4x4",
    "random-regular:n=12,d=4,seed=2",
    "torus:2x2x3,per_router=2",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn easy_reserves_places_as_the_rule_says(
        spec in prop::sample::select(&SPECS[..]),
        allocator in prop::sample::select(vec!["bfs:contiguous", "dilation:max=1,guest=2d"]),
        tasks in random_tasks(&[1, 2, 3, 4, 6, 9], 40),
    ) {
        let machine = Machine::new(spec, "row-major");
        let all: Place = (0..machine.nodes()).collect();
        let fits = |task: &&Task| machine.has_place(allocator, &all, task.nodes);
        let fitting: Vec<Task> = tasks.iter().filter(fits).copied().collect();
        let outcome = machine.run(&tasks, "easy", allocator, "fixed");
        check_invariants(&outcome);
        check_reservations(&machine, &outcome, allocator);
        prop_assert_eq!(outcome.left_out.len(), tasks.len() - fitting.len());
        let outcome = machine.run(&fitting, "easy", allocator, "fixed");
        prop_assert_eq!(starts(&outcome), plain_easy(&machine, &fitting, allocator));
    }

    #[test]
    fn conservative_reserves_places_as_the_rule_says(
        spec in prop::sample::select(&SPECS[..]),
        allocator in prop::sample::select(vec!["bfs:contiguous", "dilation:max=1,guest=2d"]),
        tasks in random_tasks(&[1, 2, 3, 4, 6], 25),
    ) {
        let machine = Machine::new(spec, "row-major");
        let all: Place = (0..machine.nodes()).collect();
        let fits = |task: &&Task| machine.has_place(allocator, &all, task.nodes);
        let tasks: Vec<Task> = tasks.iter().filter(fits).copied().collect();
        let outcome = machine.run(&tasks, "conservative:rebuild", allocator, "fixed");
        check_invariants(&outcome);
        prop_assert_eq!(starts(&outcome), plain_conservative(&machine, &tasks, allocator));
    }

    /// Queues without reservations agree where the allocator never refuses in fact. (Reserved places bind more
    /// than reserved numbers of nodes do.)
    #[test]
    fn an_allocator_that_never_refuses_starts_jobs_as_by_node_counts(tasks in random_tasks(&[1, 2, 4, 7, 12], 40)) {
        // All nodes are one hop apart at most: whatever is free is connected.
        let machine = Machine::new("hyperx:2,per_router=6", "row-major");
        for policy in ["fcfs", "size-first:interval=0", "size-first:desc=true"] {
            let [counted, placed] = ["fifo:0", "bfs:contiguous"].map(|a| machine.run(&tasks, policy, a, "fixed"));
            let times = |o: &ScheduleResult| starts(o).into_iter().map(|s| s.0).collect::<Vec<_>>();
            prop_assert_eq!(times(&counted), times(&placed), "{}", policy);
            check_invariants(&placed);
        }
    }

    /// With times in whole seconds, a pass every second is a pass at every event.
    #[test]
    fn a_pass_every_second_is_a_pass_at_every_event(
        tasks in random_tasks(&[1, 2, 3, 4, 6, 9], 40), interval in 2i64..40,
    ) {
        let machine = Machine::new("torus:3x4", "row-major");
        let first = tasks[0].submit;
        for policy in ["fcfs", "easy", "conservative", "size-first", "window-bnb", "window-greedy:slots=runs"] {
            for allocator in ["span-best-fit", "bfs:contiguous", "dilation:max=1"] {
                let with = |seconds: i64| {
                    let separator = if policy.contains(':') { ',' } else { ':' };
                    machine.run(&tasks, &format!("{policy}{separator}interval={seconds}"), allocator, "fixed")
                };
                // A window that is full of starts looks again a second later.
                if !policy.starts_with("window") {
                    prop_assert_eq!(starts(&with(0)), starts(&with(1)), "{} {}", policy, allocator);
                }
                let polled = with(interval);
                check_invariants(&polled);
                prop_assert!(polled.records.iter().all(|r| (r.start - first) % interval == 0), "{}", policy);
            }
        }
    }

    /// Every allocation holds the guest mesh with neighbours one hop apart, under every policy and model.
    #[test]
    fn regular_mappings_are_connected(
        spec in prop::sample::select(&SPECS[..]), tasks in random_tasks(&[1, 2, 3, 4, 6, 8], 40),
        policy in prop::sample::select(vec!["fcfs", "easy", "easy:runtime-estimates", "conservative", "size-first"]),
        axes in 2usize..4,
    ) {
        let machine = Machine::new(spec, "row-major");
        let allocator = format!("dilation:max=1,guest={axes}d");
        let outcome = machine.run(&tasks, policy, &allocator, "distance:weight=1,base=0.5");
        check_invariants(&outcome);
        for record in &outcome.records {
            prop_assert_eq!(record.placement.as_ref().unwrap().components, 1);
            let place: Place = record.figures.ranks.as_ref().unwrap().iter().collect();
            prop_assert!(machine.has_place(&allocator, &place, place.len() as u32));
        }
        let all: Place = (0..machine.nodes()).collect();
        for job in &outcome.left_out {
            prop_assert!(!machine.has_place(&allocator, &all, tasks[job.task as usize].nodes));
        }
    }

    /// Each job of a window policy lies in one connected set of what was free, on its lowest ranks.
    #[test]
    fn slots_are_connected_sets(
        spec in prop::sample::select(&SPECS[..]), tasks in random_tasks(&[1, 2, 3, 4, 6, 8], 40),
        greedy in any::<bool>(), interval in 0i64..20, seed in 1u32..5,
    ) {
        let machine = Machine::new(spec, &format!("random:seed={seed}"));
        let policy = format!("{}:interval={interval}", if greedy { "window-greedy" } else { "window-bnb" });
        let outcome = machine.run(&tasks, &policy, "fifo:0", "fixed");
        check_invariants(&outcome);
        let mut by_start = outcome.records.clone();
        by_start.sort_by_key(|record| record.start);
        for together in by_start.chunk_by(|a, b| a.start == b.start) {
            let now = together[0].start;
            let running = outcome.records.iter().filter(|r| r.start < now && r.end > now);
            let held: Place = running.flat_map(|r| r.figures.ranks.as_ref().unwrap().iter()).collect();
            let mut left: Place = (0..machine.nodes()).filter(|rank| !held.contains(rank)).collect();
            while let Some(first) = left.pop_first() {
                let (mut slot, mut at) = (vec![first], 0);
                while let Some(rank) = slot.get(at).copied() {
                    at += 1;
                    let near: Vec<u32> = left.iter().copied().filter(|r| machine.near(rank, *r)).collect();
                    near.iter().for_each(|r| _ = left.remove(r));
                    slot.extend(near);
                }
                slot.sort_unstable();
                // Those of the slot take its lowest ranks, side by side in queue order.
                let mut inside: Vec<_> = together.iter()
                    .map(|r| (r.task, r.figures.ranks.as_ref().unwrap().iter().collect::<Vec<u32>>()))
                    .filter(|(_, ranks)| ranks.iter().any(|rank| slot.contains(rank)))
                    .collect();
                inside.sort();
                let taken: Vec<u32> = inside.into_iter().flat_map(|(_, ranks)| ranks).collect();
                prop_assert_eq!(&taken[..], &slot[..taken.len()]);
            }
        }
    }
}

/// A 4×4 torus whose free nodes are a block of 2×4, not a run of ranks.
#[test]
fn a_free_block_of_a_torus_is_a_slot() {
    let machine = Machine::new("torus:4x4", "row-major");
    let short = |rank: i64| rank % 4 < 2;
    let run = |rank| if short(rank) { 10 } else { 1000 };
    let single = |rank| Task {
        id: rank,
        submit: 0,
        run: run(rank),
        requested: run(rank),
        nodes: 1,
    };
    let mut tasks: Vec<Task> = (0..16).map(single).collect();
    tasks.push(Task {
        id: 16,
        submit: 5,
        run: 10,
        requested: 10,
        nodes: 8,
    });
    for (slots, start) in [("components", 10), ("runs", 1000)] {
        let outcome = machine.run(
            &tasks,
            &format!("window-bnb:window=16,interval=0,slots={slots}"),
            "fifo:0",
            "fixed",
        );
        let last = outcome.records.iter().find(|r| r.task == 16).unwrap();
        assert_eq!(last.start, start, "{slots}");
        if slots == "components" {
            assert_eq!(
                last.figures.ranks.as_ref().unwrap().to_string(),
                "0-1 4-5 8-9 12-13"
            );
            assert_eq!(last.placement.as_ref().unwrap().components, 1);
        }
    }
}

/// The block is contiguous on the network, though not in the ordering.
#[test]
fn contiguous_jobs_are_connected_on_the_network_not_in_the_ordering() {
    let machine = Machine::new("torus:4x4", "row-major");
    let task = |id, run, nodes| Task {
        id,
        submit: 0,
        run,
        requested: run,
        nodes,
    };
    // 0-1 and 4-5 are left to the third: a block of 2×2.
    let tasks = [
        task(1, 1, 2),
        task(2, 500, 2),
        task(3, 1, 2),
        task(4, 500, 10),
        task(5, 100, 4),
    ];
    for (contiguous, took) in [("components", 50), ("runs", 100)] {
        let model = format!("contiguity:alpha=50,beta=100,contiguous={contiguous}");
        let outcome = machine.run(&tasks, "fcfs", "fifo:0", &model);
        let last = outcome.records.iter().find(|r| r.task == 4).unwrap();
        assert_eq!(last.figures.ranks.as_ref().unwrap().to_string(), "0-1 4-5");
        assert_eq!(last.end - last.start, took * outcome.ticks, "{contiguous}");
    }
}

/// A square does not lie on a line: it is named, and everybody else runs.
#[test]
fn whoever_can_never_be_placed_is_left_out() {
    let task = |id, nodes| Task {
        id,
        submit: 0,
        run: 10,
        requested: 10,
        nodes,
    };
    let tasks = [task(1, 2), task(2, 4), task(3, 3), task(4, 4), task(5, 16)];
    for (spec, policy, allocator, reason) in [
        (
            "mesh:16",
            "fcfs",
            "dilation:max=1",
            "even on the empty machine",
        ),
        (
            "mesh:16",
            "easy",
            "dilation:max=1",
            "even on the empty machine",
        ),
        (
            "mesh:16",
            "conservative",
            "dilation:max=1",
            "even on the empty machine",
        ),
        (
            "mesh:16",
            "size-first",
            "dilation:max=1",
            "even on the empty machine",
        ),
        (
            "fat-tree:k=4",
            "window-bnb",
            "fifo:0",
            "connected set of nodes of the empty machine has 2",
        ),
        (
            "fat-tree:k=4",
            "window-greedy:held=block",
            "fifo:0",
            "of the empty machine has 2",
        ),
    ] {
        let outcome = Machine::new(spec, "row-major").run(&tasks, policy, allocator, "fixed");
        check_invariants(&outcome);
        let mut left_out: Vec<i64> = outcome
            .left_out
            .iter()
            .map(|l| outcome.tasks[l.task as usize].id)
            .collect();
        left_out.sort_unstable();
        let never: &[i64] = if spec == "mesh:16" {
            &[2, 4, 5]
        } else {
            &[2, 3, 4, 5]
        };
        assert_eq!(left_out, never, "{spec} {policy}");
        assert!(
            outcome.left_out.iter().all(|l| l.reason.contains(reason)),
            "{:?}",
            outcome.left_out
        );
        assert_eq!(outcome.summary().never_placed, never.len());
    }
    // Without a bound, or with runs, all of them run.
    for (spec, policy, allocator) in [
        ("mesh:16", "easy", "dilation"),
        ("mesh:16", "easy", "dilation:max=15"),
        ("fat-tree:k=4", "window-bnb:slots=runs", "fifo:0"),
    ] {
        let outcome = Machine::new(spec, "row-major").run(&tasks, policy, allocator, "fixed");
        assert_eq!(outcome.records.len(), 5, "{spec} {policy} {allocator}");
    }
}

/// Five of nine nodes of a grid are free in the shape of a cross: connected, but no square.
#[test]
fn regular_jobs_wait_for_a_square_where_others_start() {
    let machine = Machine::new("mesh:3x3", "row-major");
    let corner = [0, 2, 6, 8];
    let run = |rank: i64| if corner.contains(&rank) { 100 } else { 10 };
    let single = |rank| Task {
        id: rank,
        submit: 0,
        run: run(rank),
        requested: run(rank),
        nodes: 1,
    };
    let mut tasks: Vec<Task> = (0..9).map(single).collect();
    tasks.push(Task {
        id: 9,
        submit: 5,
        run: 10,
        requested: 10,
        nodes: 4,
    });
    for (allocator, start) in [
        ("dilation", 10),
        ("bfs:contiguous", 10),
        ("dilation:max=2", 10),
        ("dilation:max=1", 100),
    ] {
        for policy in ["fcfs", "easy", "conservative"] {
            let outcome = machine.run(&tasks, policy, allocator, "fixed");
            assert_eq!(starts(&outcome)[9].0, start, "{policy} {allocator}");
        }
    }
}

/// A job behind the head may take nodes of the reserved place only if it leaves in time.
#[test]
fn backfilling_keeps_off_the_reserved_place() {
    let machine = Machine::new("mesh:6", "row-major");
    let task = |id, submit, run, nodes| Task {
        id,
        submit,
        run,
        requested: run,
        nodes,
    };
    // Ranks 0-1 until 10, 2 until 20, 3 until 100; 4-5 are free, and a row of three is so at 20.
    let first = [
        task(1, 0, 10, 2),
        task(2, 0, 20, 1),
        task(3, 0, 100, 1),
        task(4, 1, 10, 3),
    ];
    let starts_of = |job: Task| {
        let mut tasks = first.to_vec();
        tasks.extend([job, task(6, 11, 50, 1)]);
        starts(&machine.run(&tasks, "easy", "bfs:contiguous", "fixed"))
    };
    // At 11 nodes 0-1 are free, but reserved with 2: a long job takes 4, the next 5.
    let long = starts_of(task(5, 11, 50, 1));
    assert_eq!(
        (long[3].0, &long[4], &long[5]),
        (20, &(11, [4].into()), &(11, [5].into()))
    );
    // One that ends by 20 takes the lowest free rank.
    let short = starts_of(task(5, 11, 9, 1));
    assert_eq!(
        (short[3].0, &short[4], &short[5]),
        (20, &(11, [0].into()), &(11, [4].into()))
    );
}

/// A guest of its own size on a job that is smaller: the line of the job is named, and what its guest is.
#[test]
fn a_guest_that_does_not_fit_is_named_with_the_line_of_its_job() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("jobs.swf");
    let job = |id: u32, nodes: u32| {
        format!("{id} {id} -1 100 {nodes} -1 -1 {nodes} 200 -1 1 1 1 1 1 -1 -1 -1\n")
    };
    std::fs::write(
        &path,
        format!("; Version: 2.2\n{}{}", job(4, 64), job(9, 16)),
    )
    .unwrap();
    let said = crate::command()
        .args([
            "schedule",
            "torus:8x8x2",
            "--order",
            "row-major",
            "--policy",
            "fcfs",
        ])
        .args([
            "--alloc",
            "fifo:0",
            "--model",
            "network:guest=npb-bt:n=64",
            "--trace",
        ])
        .arg(&path)
        .output()
        .unwrap();
    let error = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(1), "{error}");
    let expected = "jobs.swf:3: found job 9: 16 nodes for the 64 processes of guest `npb-bt";
    assert!(error.contains(expected), "{error}");
}
