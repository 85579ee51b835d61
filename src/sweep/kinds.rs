//! The kinds of rows that a sweep has. A new one is a definition here and its line in [`KINDS`].

use super::lists::{CellSpec, PlanLists, item_at};
use super::scopes::{CellFigures, JobsScope, OrderingScope};
use nodeorder_base::Result;
use nodeorder_jobs::allocator::{AllocatorContext, PlaceableSums};
use nodeorder_jobs::replay::FigureSet;
use nodeorder_jobs::replay::set::{BASELINE, ReplayResult, ReplaySet, ReplaySettings, Summaries};
use nodeorder_jobs::schedule::{self, Settings};
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc;
use nodeorder_order::metric::shape::ShapeSums;
use nodeorder_present::columns::comparison::RankedEntry;
use nodeorder_present::columns::mapping::MappingFigures;
use nodeorder_present::columns::replay::ReplayFigures;
use nodeorder_present::columns::schedule::ScheduleFigures;
use nodeorder_present::columns::shape::{ROOM_SUMS, SHAPE_SUMS};
use nodeorder_present::columns::slowdown;
use nodeorder_present::columns::{Heading, headings, row_values};
use nodeorder_trace::Log;
use nodeorder_traffic::mapping::{self, FixedRouting, ProcessMapping};
use nodeorder_traffic::slowdown::{
    SlowdownOptions, Slowdowns, choose_sizes, parse_duty, parse_tilings,
};

/// A kind of row.
pub struct RowKind {
    /// Value of the column `group`.
    pub name: &'static str,
    /// Lists the columns of the figures of this kind of row.
    pub headings: fn(&PlanLists) -> Vec<Heading>,
    /// Lists the cells of this kind that a plan asks for, in their order.
    pub cells: fn(&PlanLists) -> Vec<CellSpec>,
    /// Makes what cells of the same jobs share; the given one is the first of them.
    pub share_jobs: fn(&OrderingScope<'_>, &CellSpec) -> Result<JobsScope>,
    /// Computes the figures of a cell.
    pub figures: fn(&OrderingScope<'_>, &JobsScope, &CellSpec) -> Result<CellFigures>,
}

/// All kinds, in the order of rows and columns.
pub const KINDS: [RowKind; 5] = [CURVE, REPLAY, SCHEDULE, MAPPING, SLOWDOWN];

/// The ordering's MPC curve, where the plan has no workload and no guest.
const CURVE: RowKind = RowKind {
    name: "mpc",
    headings: |_| headings(RankedEntry::SWEEP),
    cells: |lists| {
        if lists.workloads.is_empty() && lists.guests.is_empty() {
            vec![CellSpec::default()]
        } else {
            Vec::new()
        }
    },
    share_jobs: |_, _| Ok(JobsScope::default()),
    figures: |ordering, _, _| {
        let topology = ordering.machine.topology;
        let curve = mpc::curve(topology, &ordering.order)?;
        // The comparison of one ordering with nobody: it has the figures of a row, and `compare` computes the same
        // ones.
        let orders = std::slice::from_ref(&ordering.order);
        let comparison = Comparison::new(topology, orders, vec![curve])?;
        let entry = &comparison.entries[0];
        Ok(row_values(
            RankedEntry::SWEEP,
            &RankedEntry { rank: 1, entry },
        ))
    },
};

/// Lists the cells of the plan's workloads that are scheduled, or of those that are replayed.
fn list_jobs(lists: &PlanLists, scheduled: bool) -> Vec<CellSpec> {
    let mut cells = Vec::new();
    for (workload, file) in (0..).zip(&lists.workloads) {
        // A workload is replayed or scheduled, never both: logs have no times, and traces are scheduled wherever
        // there are policies.
        if scheduled != (file.is_trace && !lists.policies.is_empty()) {
            continue;
        }
        // A placement log has nodes already. Allocators stand outside policies and models, as the documented order of
        // rows has it.
        for procs in list_choices(file.is_trace, lists.procs_per_node.len()) {
            for transform in list_choices(file.is_trace, lists.transforms.len()) {
                for allocator in 0..lists.allocators.len() as u32 {
                    for policy in list_choices(scheduled, lists.policies.len()) {
                        for model in list_choices(scheduled, lists.models.len()) {
                            cells.push(CellSpec {
                                workload: Some(workload),
                                procs,
                                transform,
                                allocator: Some(allocator),
                                policy,
                                model,
                                ..CellSpec::default()
                            });
                        }
                    }
                }
            }
        }
    }
    cells
}

/// Lists the choices that a cell has from a list: none of it where the list is empty or does not bear on the cell.
fn list_choices(applies: bool, count: usize) -> Vec<Option<u32>> {
    if applies && count > 0 {
        (0..count as u32).map(Some).collect()
    } else {
        vec![None]
    }
}

impl PlanLists {
    /// Counts the cells in all, and of one ordering of one machine and seed; as numbers that hold any
    /// product.
    pub(super) fn count_cells(&self) -> (f64, f64) {
        // The product of long lists overflows integers; floats stay exact far beyond the most cells of a plan.
        let number = |list: usize| list as f64;
        let one = |list: usize| number(list.max(1));
        let traces = self.workloads.iter().filter(|w| w.is_trace).count();
        let logs = self.workloads.len() - traces;
        let of_trace = number(self.procs_per_node.len()) * one(self.transforms.len());
        let schedules = one(self.policies.len()) * one(self.models.len());
        let jobs = number(logs) + number(traces) * of_trace * schedules;
        let measured = one(self.duty.len()) * one(self.tilings.len());
        let mapped = number(self.guests.len()) * number(self.routings.len()) * measured;
        // A plan without workloads and guests has its curves: one cell.
        let cells = (jobs * number(self.allocators.len()) + mapped).max(1.0);
        let machines = number(self.topologies.len()) * number(self.seeds.len());
        (cells * number(self.orderings.len()) * machines, cells)
    }
}

/// Lists the headings of further columns that a plan asks for in replays and schedules: shape and room.
fn further_headings(lists: &PlanLists) -> Vec<Heading> {
    let mut further = Vec::new();
    if lists.shape {
        further.extend(headings(SHAPE_SUMS));
    }
    if lists.room {
        further.extend(headings(ROOM_SUMS));
    }
    further
}

/// Adds the values of these columns to figures.
fn add_further(
    figures: &mut CellFigures,
    lists: &PlanLists,
    shapes: Option<&ShapeSums>,
    room: &PlaceableSums,
) {
    if let Some(shapes) = shapes {
        figures.extend(row_values(SHAPE_SUMS, shapes));
    }
    if lists.room {
        figures.extend(row_values(ROOM_SUMS, room));
    }
}

/// Only sizes with more placements than this count in improvements.
const THRESHOLD: u64 = 30;

/// A workload replayed through an allocator.
const REPLAY: RowKind = RowKind {
    name: "replay",
    headings: |lists| [headings(ReplayFigures::ALL), further_headings(lists)].concat(),
    cells: |lists| list_jobs(lists, false),
    share_jobs: |ordering, spec| {
        // Once for all allocators of these jobs: each row's improvement is over the same replay.
        let baseline = replay_workload(ordering, spec, BASELINE, |result| result.summary.clone())?;
        Ok(JobsScope {
            baseline,
            ..JobsScope::default()
        })
    },
    figures: |ordering, jobs, spec| {
        let lists = ordering.machine.lists;
        let allocator = item_at(&lists.allocators, spec.allocator).map_or(BASELINE, |a| &a.located);
        replay_workload(ordering, spec, allocator, |result| {
            let row = ReplayFigures {
                result,
                threshold: THRESHOLD,
                improvement: result
                    .summary
                    .improvement_by_group(&jobs.baseline, THRESHOLD),
                // Weighting needs the node-hours of sizes (`replay --compute`), which a plan has no list for.
                weighted: None,
                normalised: [None; 3],
            };
            let mut figures = row_values(ReplayFigures::ALL, &row);
            add_further(&mut figures, lists, result.shapes, result.room);
            figures
        })
    },
};

/// Runs a workload from its start, a log as a stream, a trace as the log made of it, and returns `figures` of the
/// result.
fn replay_workload<T>(
    ordering: &OrderingScope<'_>,
    spec: &CellSpec,
    allocator: &str,
    figures: impl Fn(&ReplayResult<'_>) -> T,
) -> Result<T> {
    let machine = ordering.machine;
    let settings = ReplaySettings {
        allocators: &[allocator.to_string()],
        figures: FigureSet {
            shape: machine.lists.shape,
            room: machine.lists.room,
            ..FigureSet::default()
        },
        traffic: None,
        // The baseline is replayed once for all allocators, not again beside each.
        summaries: Summaries::Alone,
        rules: None,
    };
    let orders = std::slice::from_ref(&ordering.order);
    let distances = std::slice::from_ref(ordering.distances());
    let mut replays = ReplaySet::new(machine.topology, orders, distances, settings)?;
    let workload = &machine.lists.workloads[spec.workload.unwrap_or(0) as usize];
    // A log is read anew for each cell: as a stream it takes no memory, however many cells run at a time.
    let mut log = match machine.traces.get(&spec.jobs_key()) {
        Some(jobs) => Log::new(&workload.path.display().to_string(), jobs.log.as_bytes()),
        None => Log::from_lines(workload.open_lines(machine.topology.context())?),
    };
    replays.run_log(&mut log)?;
    Ok(figures(&replays.list_results()[0]))
}

/// A trace scheduled by a policy and an allocator.
const SCHEDULE: RowKind = RowKind {
    name: "schedule",
    headings: |lists| {
        [
            headings(&ScheduleFigures::sweep_columns()),
            further_headings(lists),
        ]
        .concat()
    },
    cells: |lists| list_jobs(lists, true),
    share_jobs: |ordering, spec| {
        let jobs = &ordering.machine.traces[&spec.jobs_key()];
        // An ordering may leave nodes out.
        let nodes = ordering.distances().len();
        // An ordering may leave nodes out. Jobs that would never start are counted here, not in the policy's queue.
        let fitting = jobs.tasks.iter().filter(|task| task.nodes <= nodes);
        let tasks: Vec<_> = fitting.copied().collect();
        let left_out = jobs.left_out + (jobs.tasks.len() - tasks.len()) as u64;
        Ok(JobsScope {
            tasks,
            left_out,
            ..JobsScope::default()
        })
    },
    figures: |ordering, jobs, spec| {
        let lists = ordering.machine.lists;
        let context = AllocatorContext {
            topology: ordering.machine.topology,
            order: &ordering.order,
            distances: ordering.distances(),
        };
        let settings = Settings {
            rules: None,
            policy: item_at(&lists.policies, spec.policy).map_or("", |p| p),
            allocator: item_at(&lists.allocators, spec.allocator).map_or("", |a| &a.located),
            model: item_at(&lists.models, spec.model).map_or("fixed", |m| &m.located),
            metrics: true,
            figures: FigureSet {
                shape: lists.shape,
                room: lists.room,
                ..FigureSet::default()
            },
            // The means of room are over the instants of the timeline; for anything else it is memory for nothing.
            timeline: lists.room,
        };
        let schedule = schedule::simulate(&context, &jobs.tasks, &settings, &|_| ())?;
        let row = ScheduleFigures {
            machine: "",
            ordering: ordering.order.label(),
            schedule: None,
            summary: &schedule.summary(),
            left_out: jobs.left_out,
        };
        let mut figures = row_values(&ScheduleFigures::sweep_columns(), &row);
        add_further(
            &mut figures,
            lists,
            schedule.shapes.as_ref(),
            &schedule.room_sums(),
        );
        Ok(figures)
    },
};

/// Lists the cells of the plan's guests, where slowdowns are measured as `measured` says.
fn list_guests(lists: &PlanLists, measured: bool) -> Vec<CellSpec> {
    // Guests are mapped or measured, never both: a pattern without a size cannot be mapped.
    if measured == lists.duty.is_empty() {
        return Vec::new();
    }
    let mut cells = Vec::new();
    for guest in 0..lists.guests.len() as u32 {
        for routing in 0..lists.routings.len() as u32 {
            for duty in list_choices(measured, lists.duty.len()) {
                for tilings in list_choices(measured, lists.tilings.len()) {
                    cells.push(CellSpec {
                        guest: Some(guest),
                        routing: Some(routing),
                        duty,
                        tilings,
                        ..CellSpec::default()
                    });
                }
            }
        }
    }
    cells
}

/// A guest on the first ranks.
const MAPPING: RowKind = RowKind {
    name: "mapping",
    headings: |_| headings(MappingFigures::ALL),
    cells: |lists| list_guests(lists, false),
    share_jobs: |_, _| Ok(JobsScope::default()),
    figures: |ordering, _, spec| {
        let machine = ordering.machine;
        let routing = item_at(&machine.lists.routings, spec.routing).map_or("", |r| r);
        let routing = FixedRouting::find_by_name(routing)?;
        // Before the guest is placed: the note of the row is then about the routing.
        routing.check_machine(machine.topology)?;
        let guest = &machine.guests[&spec.guest.unwrap_or(0)];
        let fabric = machine.fabric();
        let placement =
            ProcessMapping::in_order(guest, ordering.order.label(), ordering.order.nodes())?;
        let analysis = mapping::analyse(fabric, guest, &placement, routing)?;
        let row = MappingFigures {
            topology: machine.topology.spec(),
            guest: guest.label(),
            processes: guest.processes(),
            mapping: placement.label(),
            method: None,
            order: Some(ordering.order.label()),
            routing: routing.name(),
            links: fabric.links.cabled_link_count(),
            speeds: Default::default(),
            analysis: &analysis,
            unfinished: &[],
        };
        Ok(row_values(MappingFigures::ALL, &row))
    },
};

/// A guest at all job sizes: what links do to its bandwidth.
const SLOWDOWN: RowKind = RowKind {
    name: "slowdown",
    headings: |_| headings(slowdown::SWEEP),
    cells: |lists| list_guests(lists, true),
    share_jobs: |_, _| Ok(JobsScope::default()),
    figures: |ordering, _, spec| {
        let lists = ordering.machine.lists;
        let routing = item_at(&lists.routings, spec.routing).map_or("", |r| r);
        let options = SlowdownOptions {
            duty: parse_duty(item_at(&lists.duty, spec.duty).map_or("", |d| d))?,
            tilings: parse_tilings(item_at(&lists.tilings, spec.tilings).map_or("", |t| t))?,
            ..SlowdownOptions::new(FixedRouting::find_for_jobs(routing)?)
        };
        let guest = item_at(&lists.guests, spec.guest).map_or("", |g| &g.text);
        let sizes = choose_sizes(&ordering.order, "log")?;
        let slowdowns = Slowdowns::new(ordering.machine.fabric(), options)?;
        let curve = slowdowns.measure_curve(&ordering.order, guest, &sizes)?;
        Ok(row_values(slowdown::SWEEP, &curve))
    },
};
