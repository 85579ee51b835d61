//! Conservative backfilling: every waiting job has a reservation, not the head of the queue alone.

use super::conservative_compressed::CompressedReservations;
use super::conservative_places::ConservativePlaces;
use super::conservative_rebuilt::RebuiltReservations;
use super::entry::{
    BuildPolicy, EVERY_EVENT, PassTimes, Passes, Policy, PolicyContext, PolicyEntry,
};
use nodeorder_base::Opt;

/// `conservative[:rebuild,interval=0]`: every task is promised, at submit and in queue order, the earliest time from
/// which on its nodes are free for its requested time beside running tasks and all promises before, and starts then.
/// When a task ends before its assumed end (start + requested time), the promises are *compressed*: each waiting task
/// in queue order is taken out and put back at its earliest time beside all other promises. So none gets later. (Of
/// one instant, all ends and then all submits come before that.)
///
/// With `rebuild` all promises are dropped then and made anew in queue order. A task ahead in the queue may take the
/// time that one behind it was promised, which then gets later.
///
/// A task that runs beyond its assumed end (which needs a model that stretches) is taken to end at the next
/// tick, and promises are made anew in queue order at every event until it does: only then may one get later.
///
/// With `interval=` (in seconds) there is a pass at each multiple of it after the first submit: tasks are promised at
/// the first pass after their submit, and what they are promised are times of passes. With `rebuild`, promises do not
/// look at these times: a task may start later than promised, so all promises are made anew at every pass.
///
/// With an allocator that may refuse free nodes promises are places: see [`ConservativePlaces`].
///
/// # Complexity
/// See [`CompressedReservations`] and [`RebuiltReservations`].
///
/// # References
/// Mu'alem and Feitelson, "Utilization, predictability, workloads, and user runtime estimates in scheduling
/// the IBM SP2 with backfilling", 2001, section 2, <https://doi.org/10.1109/71.932708>.
pub const CONSERVATIVE: PolicyEntry = PolicyEntry::new(
    "conservative",
    "every job is reserved at submit; on an early end reservations move up, none gets later (:rebuild makes them anew)",
    &[
        Opt::one_of(
            "reservations",
            &["compress", "rebuild"],
            "on an early end: each moves up if it can, or all are made anew in queue order",
        )
        .positional(),
        EVERY_EVENT,
    ],
    |params| {
        Ok(Box::new(ConservativeOptions {
            passes: Passes::parse(params)?,
            rebuilds: params.required_choice("reservations")? == "rebuild",
        }))
    },
);

struct ConservativeOptions {
    passes: Passes,
    /// Whether all promises are made anew on an early end; else each moves up if it can.
    rebuilds: bool,
}

impl BuildPolicy for ConservativeOptions {
    fn build_policy(&self, context: &PolicyContext<'_>) -> Box<dyn Policy> {
        let passes = self.passes;
        let times = PassTimes::new(passes, context);
        if context.places {
            return Box::new(ConservativePlaces::new(passes, times, self.rebuilds));
        }
        if self.rebuilds {
            return Box::new(RebuiltReservations {
                passes,
                queue: Vec::new(),
            });
        }
        Box::new(CompressedReservations::new(passes, times))
    }
}

#[cfg(test)]
mod tests {
    use crate::allocator::testing::build;
    use crate::allocator::{self, AllocatorContext};
    use crate::replay::FigureSet;
    use crate::schedule::{Settings, Task, simulate};
    use nodeorder_base::random::{random_below, seed_generator};
    use nodeorder_base::{FreeSet, Ranks, Run};
    use nodeorder_order::NodeOrder;
    use nodeorder_order::metric::rank_distances::RankDistances;

    const NODES: u32 = 8;

    /// Nodes that a running task or a promise holds.
    #[derive(Clone, Debug)]
    struct Held {
        from: i64,
        to: i64,
        nodes: u32,
        ranks: Vec<u32>,
    }

    /// Finds the first time from `now` on, before `limit`, at which a task has its nodes beside others, and its ranks.
    type FindFirst<'f> = &'f mut dyn FnMut(&Task, i64, i64, &[Held]) -> Option<(i64, Vec<u32>)>;

    /// Returns the first pass from `time` on.
    fn pass_from(time: i64, first: i64, interval: i64) -> i64 {
        let mut pass = first;
        while pass < time {
            pass += interval;
        }
        pass
    }

    /// Conservative backfilling with compression as its rule is written, tick by tick. Returns the start of each task
    /// and all that it was promised, in turn.
    fn plain_schedule(tasks: &[Task], interval: i64, find: FindFirst<'_>) -> Vec<(i64, Vec<i64>)> {
        let first = tasks[0].submit;
        let mut out = vec![(i64::MIN, Vec::new()); tasks.len()];
        let mut running: Vec<(usize, i64, Held)> = Vec::new();
        let mut waiting: Vec<(usize, Option<Held>)> = Vec::new();
        let mut submitted = 0;
        let mut early = false;
        let mut now = first;
        while submitted < tasks.len() || !waiting.is_empty() {
            running.retain(|(_, end, held)| {
                early |= *end == now && held.to > now;
                *end > now
            });
            while tasks.get(submitted).is_some_and(|task| task.submit == now) {
                waiting.push((submitted, None));
                submitted += 1;
            }
            if pass_from(now, first, interval) == now {
                for at in 0..waiting.len() {
                    let (job, own) = waiting[at].clone();
                    if own.is_some() && !early {
                        continue;
                    }
                    let mut others: Vec<Held> =
                        running.iter().map(|(.., held)| held.clone()).collect();
                    let promises = waiting.iter().enumerate().filter(|(other, _)| *other != at);
                    others.extend(promises.filter_map(|(_, (_, promise))| promise.clone()));
                    let limit = own.as_ref().map_or(i64::MAX, |held| held.from);
                    let task = &tasks[job];
                    let found = find(task, now, limit, &others);
                    if let Some((from, ranks)) = found {
                        let to = from + task.requested;
                        out[job].1.push(from);
                        waiting[at].1 = Some(Held {
                            from,
                            to,
                            nodes: task.nodes,
                            ranks,
                        });
                    }
                }
                early = false;
                waiting.retain(|(job, promise)| {
                    let held = promise.clone().expect("every task fits the empty machine");
                    let starts = held.from <= now;
                    if starts {
                        out[*job].0 = now;
                        running.push((*job, now + tasks[*job].run, held));
                    }
                    !starts
                });
            }
            now += 1;
        }
        out
    }

    /// Returns the times at which what others hold changes, and now, by time, as passes.
    fn list_times(now: i64, others: &[Held], pass: &dyn Fn(i64) -> i64) -> Vec<i64> {
        let changes = others.iter().flat_map(|held| [held.from, held.to]);
        let mut times: Vec<i64> = changes
            .filter(|time| *time > now)
            .chain([now])
            .map(pass)
            .collect();
        times.sort_unstable();
        times
    }

    /// Draws a trace: sizes, run times and estimates of a few ticks, so that much happens at one time.
    fn draw_trace(seed: u64) -> Vec<Task> {
        let mut random = seed_generator(seed);
        let mut below = |bound: u64| random_below(bound, &mut random) as i64;
        let mut submit = below(20);
        let mut tasks = Vec::new();
        for id in 0..4 + below(22) {
            submit += below(5);
            let requested = 1 + below(16);
            // Half of the tasks end as they said.
            let run = if below(2) == 0 {
                requested
            } else {
                1 + below(requested as u64)
            };
            let nodes = 1 + below(u64::from(NODES)) as u32;
            tasks.push(Task {
                id,
                submit,
                run,
                requested,
                nodes,
            });
        }
        tasks
    }

    /// Returns the starts under a policy, in queue order.
    fn schedule_line(tasks: &[Task], policy: &str, allocator: &str) -> Vec<i64> {
        let topology = build(&format!("mesh:{NODES}"));
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let settings = Settings {
            policy,
            allocator,
            model: "fixed",
            metrics: false,
            figures: FigureSet::default(),
            timeline: false,
            rules: None,
        };
        let outcome = simulate(&context, tasks, &settings, &|_| ()).unwrap();
        let mut starts = vec![i64::MIN; tasks.len()];
        for record in &outcome.records {
            starts[record.task as usize] = record.start;
        }
        starts
    }

    /// Compares a schedule with the plain one, and holds each start against everything that was promised before.
    fn compare_with_plain(tasks: &[Task], interval: i64, allocator: &str, find: FindFirst<'_>) {
        let plain = plain_schedule(tasks, interval.max(1), find);
        for (start, promises) in &plain {
            assert!(
                promises.is_sorted_by(|a, b| a > b),
                "{promises:?} of {tasks:?}"
            );
            assert_eq!(promises.last(), Some(start), "{tasks:?}");
        }
        let policy = format!("conservative:interval={interval}");
        let starts: Vec<i64> = plain.into_iter().map(|(start, _)| start).collect();
        assert_eq!(
            schedule_line(tasks, &policy, allocator),
            starts,
            "{policy} of {tasks:?}"
        );
    }

    #[test]
    fn promises_are_compressed_as_the_rule_says() {
        for seed in 0..500 {
            let tasks = draw_trace(seed);
            let interval = if seed % 5 == 4 { 7 } else { 0 };
            let first = tasks[0].submit;
            let pass = |time| pass_from(time, first, interval.max(1));
            compare_with_plain(
                &tasks,
                interval,
                "fifo:0",
                &mut |task, now, limit, others| {
                    let used_at = |time: i64| {
                        let there = others
                            .iter()
                            .filter(|held| held.from <= time && time < held.to);
                        there.map(|held| held.nodes).sum::<u32>()
                    };
                    let times = list_times(now, others, &pass);
                    let fits = |from: i64| {
                        let to = from + task.requested;
                        let begins = others
                            .iter()
                            .map(|held| held.from)
                            .filter(|time| (from..to).contains(time));
                        begins
                            .chain([from])
                            .all(|time| used_at(time) + task.nodes <= NODES)
                    };
                    let found = times
                        .into_iter()
                        .take_while(|from| *from < limit)
                        .find(|from| fits(*from));
                    found.map(|from| (from, Vec::new()))
                },
            );
        }
    }

    #[test]
    fn places_are_kept_unless_an_earlier_time_has_one() {
        let topology = build(&format!("mesh:{NODES}"));
        let order = NodeOrder::make(&topology, "row-major").unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let context = AllocatorContext {
            topology: &topology,
            order: &order,
            distances: &distances,
        };
        let mut contiguous = allocator::make("bfs:contiguous", &context).unwrap();
        for seed in 0..500 {
            let tasks = draw_trace(seed);
            let interval = if seed % 5 == 4 { 7 } else { 0 };
            let first = tasks[0].submit;
            let pass = |time| pass_from(time, first, interval.max(1));
            compare_with_plain(
                &tasks,
                interval,
                "bfs:contiguous",
                &mut |task, now, limit, others| {
                    let times = list_times(now, others, &pass);
                    times
                        .into_iter()
                        .take_while(|from| *from < limit)
                        .find_map(|from| {
                            let to = from + task.requested;
                            let beside = others
                                .iter()
                                .filter(|held| held.from < to && from < held.to);
                            let mut taken: Vec<u32> =
                                beside.flat_map(|held| held.ranks.clone()).collect();
                            taken.sort_unstable();
                            taken.dedup();
                            let mut free = FreeSet::new(NODES);
                            taken
                                .into_iter()
                                .for_each(|first| free.take_run(Run { first, count: 1 }));
                            let mut place = Ranks::default();
                            let fits = free.free_count() >= task.nodes
                                && contiguous
                                    .choose_ranks(&free, task.nodes, &mut place)
                                    .is_placed();
                            fits.then(|| (from, place.iter().collect()))
                        })
                },
            );
        }
    }

    /// Job 4 is promised 8 beside job 2, whose end is not known; when job 2 ends early, job 3 must not take that time.
    #[test]
    fn a_promise_outlasts_the_early_end_of_another_job() {
        let task = |id, submit, run, nodes, requested| Task {
            id,
            submit,
            run,
            requested,
            nodes,
        };
        for run in [4, 14] {
            let tasks = [
                task(1, 0, 8, 6, 8),
                task(2, 2, run, 2, 14),
                task(3, 3, 5, 8, 5),
                task(4, 5, 2, 6, 7),
            ];
            assert_eq!(
                schedule_line(&tasks, "conservative", "fifo:0")[3],
                8,
                "job 2 runs {run}"
            );
        }
        let early = [
            task(1, 0, 8, 6, 8),
            task(2, 2, 4, 2, 14),
            task(3, 3, 5, 8, 5),
            task(4, 5, 2, 6, 7),
        ];
        assert_eq!(
            schedule_line(&early, "conservative:rebuild", "fifo:0"),
            [0, 2, 8, 13]
        );
        assert_eq!(
            schedule_line(&early, "conservative", "fifo:0"),
            [0, 2, 10, 8]
        );
    }
}
