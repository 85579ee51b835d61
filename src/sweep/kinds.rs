//! The kinds of rows that a sweep has. A new one is a definition here and its line in [`KINDS`].

use super::lists::{JobsKey, PlanLists, Work, pick};
use super::scopes::{Figures, Numbered, Ordered, Outcome, Put, each, groups, scope};
use nodeorder_base::error::Result;
use nodeorder_jobs::allocator::{AllocatorContext, RoomSums};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::replay::set::{BASELINE, ReplayResult, ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::schedule::{self, Settings, Task};
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc;
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::metric::shape::ShapeSums;
use nodeorder_present::columns::comparison::RankedEntry;
use nodeorder_present::columns::mapping::MappingFigures;
use nodeorder_present::columns::replay::ReplayFigures;
use nodeorder_present::columns::schedule::ScheduleFigures;
use nodeorder_present::columns::shape::{ROOM_SUMS, SHAPE_SUMS};
use nodeorder_present::columns::{Heading, headings, values};
use nodeorder_trace::Log;
use nodeorder_traffic::mapping::{self, FixedRouting, ProcessMapping};

/// A kind of row.
pub(super) struct Kind {
    /// The value of the column `group`.
    pub name: &'static str,
    /// The columns of its figures.
    pub headings: fn(&PlanLists) -> Vec<Heading>,
    /// The rows that a plan asks for, in their order.
    pub works: fn(&PlanLists) -> Vec<Work>,
    /// The rows of some cells of one ordering.
    pub rows: fn(&Ordered<'_>, &[Numbered], Put<'_>) -> Outcome,
}

/// All kinds, in the order of rows and columns.
pub(super) const KINDS: [Kind; 4] = [CURVE, REPLAY, SCHEDULE, MAPPING];

/// The ordering's MPC curve, where the plan has no workload and no guest.
const CURVE: Kind = Kind {
    name: "mpc",
    headings: |_| headings(RankedEntry::SWEEP),
    works: |lists| match lists.workloads.is_empty() && lists.guests.is_empty() {
        true => vec![Work::default()],
        false => Vec::new(),
    },
    rows: |ordered, cells, put| {
        each(cells, put, |_| {
            let topology = ordered.machine.topology;
            let curve = mpc::curve(topology, &ordered.order)?;
            let orders = std::slice::from_ref(&ordered.order);
            let comparison = Comparison::new(topology, orders, vec![curve])?;
            let entry = &comparison.entries[0];
            Ok(values(RankedEntry::SWEEP, &RankedEntry { rank: 1, entry }))
        })
    },
};

/// The jobs of a cell.
fn jobs_of((_, work): &Numbered) -> JobsKey {
    work.jobs()
}

/// Works of the plan's workloads that are scheduled, or of those that are replayed.
fn jobs(lists: &PlanLists, scheduled: bool) -> Vec<Work> {
    let mut works = Vec::new();
    let all = |count: usize| (0..count as u32).map(Some).collect::<Vec<_>>();
    // Work has no choice from a list that is empty or does not bear on it.
    let some = |applies: bool, count: usize| {
        if applies && count > 0 {
            all(count)
        } else {
            vec![None]
        }
    };
    for (workload, file) in (0..).map(Some).zip(&lists.workloads) {
        if scheduled != (file.is_trace && !lists.policies.is_empty()) {
            continue;
        }
        // A placement log has nodes already.
        for procs in some(file.is_trace, lists.procs_per_node.len()) {
            for transform in some(file.is_trace, lists.transforms.len()) {
                for allocator in all(lists.allocators.len()) {
                    for policy in some(scheduled, lists.policies.len()) {
                        let work = Work {
                            workload,
                            procs,
                            transform,
                            allocator,
                            policy,
                            ..Work::default()
                        };
                        let models = some(scheduled, lists.models.len()).into_iter();
                        works.extend(models.map(|model| Work { model, ..work }));
                    }
                }
            }
        }
    }
    works
}

impl PlanLists {
    /// How many cells there are, and how many of them belong to one ordering of one machine and seed; as numbers that hold
    /// any product.
    pub(super) fn count(&self) -> (f64, f64) {
        let number = |list: usize| list as f64;
        let one = |list: usize| number(list.max(1));
        let traces = self.workloads.iter().filter(|w| w.is_trace).count();
        let logs = self.workloads.len() - traces;
        let of_trace = number(self.procs_per_node.len()) * one(self.transforms.len());
        let schedules = one(self.policies.len()) * one(self.models.len());
        let jobs = number(logs) + number(traces) * of_trace * schedules;
        let mapped = number(self.guests.len()) * number(self.routings.len());
        let works = (jobs * number(self.allocators.len()) + mapped).max(1.0);
        let machines = number(self.topologies.len()) * number(self.seeds.len());
        (works * number(self.orderings.len()) * machines, works)
    }
}

/// The headings of further columns that a plan asks for in replays and schedules: shape and room.
fn asked_for(lists: &PlanLists) -> Vec<Heading> {
    let shape = if lists.shape {
        headings(SHAPE_SUMS)
    } else {
        Vec::new()
    };
    let room = if lists.room {
        headings(ROOM_SUMS)
    } else {
        Vec::new()
    };
    [shape, room].concat()
}

/// Figures with the values of these columns added.
fn with_asked(
    lists: &PlanLists,
    mut figures: Figures,
    shapes: Option<&ShapeSums>,
    room: &RoomSums,
) -> Figures {
    figures.extend(shapes.iter().flat_map(|sums| values(SHAPE_SUMS, *sums)));
    figures.extend(
        lists
            .room
            .then(|| values(ROOM_SUMS, room))
            .into_iter()
            .flatten(),
    );
    figures
}

/// Only sizes with more placements than this count in improvements.
const THRESHOLD: u64 = 30;

/// A workload replayed through an allocator.
const REPLAY: Kind = Kind {
    name: "replay",
    headings: |lists| [headings(ReplayFigures::ALL), asked_for(lists)].concat(),
    works: |lists| jobs(lists, false),
    rows: |ordered, cells, put| {
        let Some(distances) = &ordered.distances else {
            return Ok(());
        };
        groups(cells, jobs_of, |cells| {
            let [(_, first), ..] = cells else {
                return Ok(());
            };
            let baseline = replay(ordered, distances, first, BASELINE, |result| {
                result.summary.clone()
            });
            scope(cells, put, baseline, |baseline| {
                each(cells, put, |work| {
                    let allocators = &ordered.machine.lists.allocators;
                    let allocator =
                        pick(allocators, work.allocator).map_or(BASELINE, |a| &a.located);
                    replay(ordered, distances, work, allocator, |result| {
                        let improvement = result.summary.improvement(&baseline, THRESHOLD);
                        let row = ReplayFigures {
                            result,
                            threshold: THRESHOLD,
                            improvement,
                            weighted: None,
                            normalised: [None; 3],
                        };
                        let figures = values(ReplayFigures::ALL, &row);
                        with_asked(ordered.machine.lists, figures, result.shapes, result.room)
                    })
                })
            })
        })
    },
};

/// One replay of a workload from its start: of a log as a stream, of a trace as the log made of it.
fn replay<T>(
    ordered: &Ordered<'_>,
    distances: &RankDistances,
    work: &Work,
    allocator: &str,
    figures: impl Fn(&ReplayResult<'_>) -> T,
) -> Result<T> {
    let machine = ordered.machine;
    let settings = ReplaySettings {
        allocators: &[allocator.to_string()],
        figures: FigureSet {
            shape: machine.lists.shape,
            room: machine.lists.room,
            ..FigureSet::default()
        },
        traffic: None,
        summaries: Summaries::Alone,
        rules: None,
    };
    let (orders, distances) = (
        std::slice::from_ref(&ordered.order),
        std::slice::from_ref(distances),
    );
    let mut replays = ReplaySet::new(machine.topology, orders, distances, settings)?;
    let workload = &machine.lists.workloads[work.workload.unwrap_or(0) as usize];
    let mut log = match machine.traces.get(&work.jobs()) {
        Some(jobs) => Log::new(&workload.path.display().to_string(), jobs.log.as_bytes()),
        None => Log::over(workload.lines(machine.topology.context())?),
    };
    replays.run(&mut log)?;
    Ok(figures(&replays.results()[0]))
}

/// A trace scheduled by a policy and an allocator.
const SCHEDULE: Kind = Kind {
    name: "schedule",
    headings: |lists| [headings(&ScheduleFigures::sweep()), asked_for(lists)].concat(),
    works: |lists| jobs(lists, true),
    rows: |ordered, cells, put| {
        let Some(distances) = &ordered.distances else {
            return Ok(());
        };
        let Ordered { machine, order, .. } = ordered;
        let (lists, topology) = (machine.lists, machine.topology);
        let context = AllocatorContext {
            topology,
            order,
            distances,
        };
        groups(cells, jobs_of, |cells| {
            let [(_, first), ..] = cells else {
                return Ok(());
            };
            let Some(jobs) = machine.traces.get(&first.jobs()) else {
                return Ok(());
            };
            // An ordering may leave nodes out.
            let fit = |task: &&Task| task.nodes <= distances.len();
            let tasks: Vec<Task> = jobs.tasks.iter().filter(fit).copied().collect();
            let left_out = jobs.left_out + (jobs.tasks.len() - tasks.len()) as u64;
            each(cells, put, |work| {
                let settings = Settings {
                    rules: None,
                    policy: pick(&lists.policies, work.policy).map_or("", |p| p),
                    allocator: pick(&lists.allocators, work.allocator).map_or("", |a| &a.located),
                    model: pick(&lists.models, work.model).map_or("fixed", |m| &m.located),
                    metrics: true,
                    figures: FigureSet {
                        shape: lists.shape,
                        room: lists.room,
                        ..FigureSet::default()
                    },
                    timeline: lists.room,
                };
                let schedule = schedule::simulate(&context, &tasks, &settings, &|_| ())?;
                let (ordering, summary) = (order.label(), &schedule.summary());
                let row = ScheduleFigures {
                    machine: "",
                    ordering,
                    schedule: None,
                    summary,
                    left_out,
                };
                let figures = values(&ScheduleFigures::sweep(), &row);
                Ok(with_asked(
                    lists,
                    figures,
                    schedule.shapes.as_ref(),
                    &schedule.room(),
                ))
            })
        })
    },
};

/// A guest on the first ranks.
const MAPPING: Kind = Kind {
    name: "mapping",
    headings: |_| headings(MappingFigures::ALL),
    works: |lists| {
        let routings = || (0..lists.routings.len() as u32).map(Some);
        let guests = (0..lists.guests.len() as u32).map(Some);
        let works = guests.flat_map(|guest| routings().map(move |routing| (guest, routing)));
        works
            .map(|(guest, routing)| Work {
                guest,
                routing,
                ..Work::default()
            })
            .collect()
    },
    rows: |ordered, cells, put| {
        let machine = ordered.machine;
        let Some(fabric) = &machine.fabric else {
            return Ok(());
        };
        each(cells, put, |work| {
            let routing = pick(&machine.lists.routings, work.routing).map_or("", |r| r);
            let routing = FixedRouting::named(routing)?;
            routing.check(machine.topology)?;
            let guest = &machine.guests[&work.guest.unwrap_or(0)];
            let placement =
                ProcessMapping::in_order(guest, ordered.order.label(), ordered.order.nodes())?;
            let analysis = mapping::analyse(fabric, guest, &placement, routing)?;
            let row = MappingFigures {
                topology: machine.topology.spec(),
                guest: guest.label(),
                processes: guest.processes(),
                mapping: placement.label(),
                method: None,
                order: Some(ordered.order.label()),
                routing: routing.name(),
                links: fabric.links.cabled(),
                speeds: Default::default(),
                analysis: &analysis,
            };
            Ok(values(MappingFigures::ALL, &row))
        })
    },
};
