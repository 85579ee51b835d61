//! Things that cells share (machines, jobs, orderings): made once where their scope begins, dropped where it ends.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::lists::{JobsKey, PlanLists, Work, pick};
use nodeorder_base::error::{Error, Result};
use nodeorder_jobs::schedule::Task;
use nodeorder_network::topology::{Context, Topology};
use nodeorder_order::metric::rank_distances::RankDistances;
use nodeorder_order::ordering::NodeOrder;
use nodeorder_present::columns::Value;
use nodeorder_trace::{Changes, Options, Trace, Transformed, convert, open};
use nodeorder_traffic::mapping::{Fabric, Guest};

/// A cell by its number, and its work.
pub(super) type Numbered = (usize, Work);
/// The figures of a cell, in the order of its kind's columns.
pub(super) type Figures = Vec<Value<'static>>;
/// Takes the figures of a cell, or why it has none.
pub(super) type Put<'p> = &'p (dyn Fn(usize, Result<Figures, String>) -> Outcome + Sync);
/// Whether to go on. An error of the consumer of the rows stops with `None`: [`super::run()`] has kept it.
pub(super) type Outcome = Result<(), Option<Error>>;

/// Calls `inside` with the thing that `cells` share; where it does not suit, their rows say why.
pub(super) fn scope<T>(
    cells: &[Numbered],
    put: Put<'_>,
    made: Result<T>,
    inside: impl FnOnce(T) -> Outcome,
) -> Outcome {
    match made {
        Ok(shared) => inside(shared),
        Err(error @ Error::Unsuited { .. }) => cells
            .iter()
            .try_for_each(|(cell, _)| put(*cell, Err(error.to_string()))),
        Err(error) => Err(Some(error)),
    }
}

/// Computes every cell by itself.
pub(super) fn each(
    cells: &[Numbered],
    put: Put<'_>,
    figures: impl Fn(&Work) -> Result<Figures> + Sync,
) -> Outcome {
    cells.par_iter().try_for_each(|cell| {
        scope(&[*cell], put, figures(&cell.1), |figures| {
            put(cell.0, Ok(figures))
        })
    })
}

/// Calls `inside` for each run of cells that have the same key, in parallel.
pub(super) fn groups<K: PartialEq>(
    cells: &[Numbered],
    key: impl Fn(&Numbered) -> K,
    inside: impl Fn(&[Numbered]) -> Outcome + Sync,
) -> Outcome {
    let groups: Vec<&[Numbered]> = cells.chunk_by(|a, b| key(a) == key(b)).collect();
    groups.par_iter().try_for_each(|cells| inside(cells))
}

/// A machine with a seed, and what all its orderings share.
pub(super) struct Machine<'m> {
    pub lists: &'m PlanLists,
    pub topology: &'m Topology,
    /// The machine's links, where guests are mapped.
    pub fabric: Option<Fabric<'m>>,
    pub guests: BTreeMap<u32, Guest>,
    /// Jobs of the traces, by [`Work::jobs`].
    pub traces: BTreeMap<JobsKey, TraceJobs>,
}

/// The jobs of a trace that fit a machine.
pub(super) struct TraceJobs {
    /// As a placement log, where they are replayed.
    pub log: String,
    /// As a queue, where they are scheduled.
    pub tasks: Vec<Task>,
    pub left_out: u64,
}

impl<'m> Machine<'m> {
    /// Makes the guests, links and jobs that `cells` use.
    pub(super) fn new(
        lists: &'m PlanLists,
        topology: &'m Topology,
        context: &Context,
        cells: &[Numbered],
    ) -> Result<Self> {
        let mut machine = Machine {
            lists,
            topology,
            fabric: None,
            guests: BTreeMap::new(),
            traces: BTreeMap::new(),
        };
        // A shard may hold few cells of a machine: only what these use is made.
        for (_, work) in cells {
            if let Some(guest) = work.guest
                && !machine.guests.contains_key(&guest)
            {
                let made = Guest::make(&lists.guests[guest as usize].located, context)?;
                machine.guests.insert(guest, made);
                if machine.fabric.is_none() {
                    machine.fabric = Some(Fabric::new(topology)?);
                }
            }
            if let (Some(workload), Some(procs)) = (work.workload, work.procs)
                && !machine.traces.contains_key(&work.jobs())
            {
                let jobs = machine.trace_jobs(workload, procs, work.transform)?;
                machine.traces.insert(work.jobs(), jobs);
            }
        }
        Ok(machine)
    }

    fn trace_jobs(&self, workload: u32, procs: u32, transform: Option<u32>) -> Result<TraceJobs> {
        let context = self.topology.context();
        let options = Options {
            procs_per_node: self.lists.procs_per_node[procs as usize],
            nodes: Some(self.topology.node_count() as u32),
            // The plan states them: no hint that they were forgotten.
            processors_stated: true,
            memory: context.memory,
            ..Options::default()
        };
        let lines = self.lists.workloads[workload as usize].lines(context)?;
        let (trace, mut left_out) = match pick(&self.lists.transforms, transform) {
            None => (open::trace_over(lines, &options)?, 0),
            Some(text) => {
                let changes = Changes::parse(text, context.seed)?;
                let (lines, before) = open::swf_lines(lines, &options)?;
                let made = Transformed::over(lines, &options, changes)?;
                let text: Vec<u8> = made.pieces().flatten().collect();
                let dropped = before.dropped() + made.trace().tally().dropped();
                (Trace::new(made.trace().name(), text, &options)?, dropped)
            }
        };
        let replayed = self.lists.policies.is_empty();
        left_out += trace.tally().dropped();
        Ok(TraceJobs {
            left_out,
            // One of the two is used; both take memory for every job.
            log: if replayed {
                convert::to_log(&trace, false)
            } else {
                String::new()
            },
            tasks: if replayed {
                Vec::new()
            } else {
                Task::of(&trace)
            },
        })
    }
}

/// An ordering of a machine.
pub(super) struct Ordered<'m> {
    pub machine: &'m Machine<'m>,
    pub order: NodeOrder,
    /// Distances between ranks, where the plan has workloads.
    pub distances: Option<RankDistances>,
}

impl<'m> Ordered<'m> {
    pub(super) fn new(machine: &'m Machine<'m>, ordering: usize) -> Result<Self> {
        let lists = machine.lists;
        let order = NodeOrder::make(machine.topology, &lists.orderings[ordering].located)?;
        let distances = || RankDistances::new(machine.topology, &order);
        let distances = (!lists.workloads.is_empty()).then(distances).transpose()?;
        Ok(Ordered {
            machine,
            order,
            distances,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::error::SourceLocation;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    /// Something shared that counts how often it was made and how many of it are left.
    struct Counted<'c>(&'c [AtomicUsize; 2]);

    impl<'c> Counted<'c> {
        fn make(counts: &'c [AtomicUsize; 2]) -> Result<Self> {
            counts
                .iter()
                .for_each(|count| _ = count.fetch_add(1, SeqCst));
            Ok(Counted(counts))
        }
    }

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0[1].fetch_sub(1, SeqCst);
        }
    }

    fn cells() -> Vec<Numbered> {
        let work = |i: u32| Work {
            workload: Some(i / 20),
            procs: Some(i / 5),
            ..Work::default()
        };
        (0..60).map(|i| (i as usize, work(i))).collect()
    }

    #[test]
    fn everything_is_made_once_and_dropped_where_its_scope_ends() {
        let (outer, inner) = (
            &<[AtomicUsize; 2]>::default(),
            &<[AtomicUsize; 2]>::default(),
        );
        let (cells, rows) = (cells(), AtomicUsize::new(0));
        let put = |_, figures: Result<Figures, String>| {
            assert_eq!(figures, Ok(Vec::new()));
            rows.fetch_add(1, SeqCst);
            Ok(())
        };
        let outcome = groups(
            &cells,
            |(_, work)| work.workload,
            |cells| {
                scope(cells, &put, Counted::make(outer), |_shared| {
                    groups(
                        cells,
                        |(_, work)| work.procs,
                        |cells| {
                            scope(cells, &put, Counted::make(inner), |_shared| {
                                each(cells, &put, |_| {
                                    assert!(outer[1].load(SeqCst) > 0 && inner[1].load(SeqCst) > 0);
                                    Ok(Vec::new())
                                })
                            })
                        },
                    )
                })
            },
        );
        assert!(outcome.is_ok());
        assert_eq!(rows.load(SeqCst), 60);
        let seen = [outer, inner].map(|counts| counts.each_ref().map(|count| count.load(SeqCst)));
        assert_eq!(seen, [[3, 0], [12, 0]]);
    }

    #[test]
    fn what_does_not_suit_makes_notes_and_what_fails_ends_the_run() {
        let (cells, notes) = (cells(), AtomicUsize::new(0));
        let put = |_, figures: Result<Figures, String>| {
            assert_eq!(figures, Err("`x`: no coordinates; another".into()));
            notes.fetch_add(1, SeqCst);
            Ok(())
        };
        let location = || SourceLocation::option("x");
        let unsuited = Err::<(), _>(Error::unsuited(location(), "no coordinates", "another"));
        assert!(
            scope(&cells, &put, unsuited, |()| panic!(
                "there is nothing to share"
            ))
            .is_ok()
        );
        assert_eq!(notes.load(SeqCst), 60);
        let failed = Err::<(), _>(Error::input(location(), "a", "b"));
        let outcome = scope(&cells, &put, failed, |()| {
            panic!("there is nothing to share")
        });
        assert!(matches!(outcome, Err(Some(Error::Input { .. }))));
        // The consumer of the figures keeps the error: it is reported once.
        let refuse = |_, _| Err(None);
        assert!(matches!(
            each(&cells, &refuse, |_| Ok(Vec::new())),
            Err(None)
        ));
    }
}
