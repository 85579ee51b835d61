//! The walk over cells: four nested loops, each of which makes what its cells share.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::kinds::KINDS;
use super::lists::Cell;
use super::plan::Plan;
use super::rows::SweepRow;
use super::scopes::{MachineScope, OrderingScope};
use nodeorder_base::{Error, Result};
use nodeorder_network::Context;
use nodeorder_network::catalog;

/// Computes the rows of the cells `which` of `plan`, on as many threads as rayon has, and hands each to `sink`
/// as soon as it is there. A combination that does not suit (a curve on a machine without coordinates, a guest of too
/// many processes) makes a row without figures that says why.
///
/// Things that cells share are made once where their loop begins and dropped where it ends: a machine with its traces
/// and guests, in it an ordering, in it the baseline of a workload. Cells that share something should follow
/// one another.
///
/// # Errors
/// An error of a cell, or of `sink`; the run then ends.
pub fn run_cells<E: From<Error> + Send>(
    plan: &Plan,
    context: &Context,
    which: &[usize],
    sink: impl Fn(SweepRow) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let cells: Vec<Cell> = which.iter().map(|cell| plan.cells().get(*cell)).collect();
    let machines = group_cells(&cells, |cell| (cell.topology, cell.seed));
    machines.par_iter().try_for_each(|cells| -> Result<(), E> {
        let context = Context {
            // A random machine depends on the seed: each pair of machine and seed is a machine of its own.
            seed: plan.lists.seeds[cells[0].seed],
            ..*context
        };
        let topology = &plan.lists.topologies[cells[0].topology].located;
        let topology = catalog::topology(topology, &context);
        let Some(topology) = keep_suited(topology, cells, &sink)? else {
            return Ok(());
        };
        let machine = MachineScope::new(&plan.lists, &topology, &context, cells);
        let Some(machine) = keep_suited(machine, cells, &sink)? else {
            return Ok(());
        };
        let orderings = group_cells(cells, |cell| cell.ordering);
        orderings.par_iter().try_for_each(|cells| -> Result<(), E> {
            let ordering = OrderingScope::new(&machine, cells[0].ordering);
            let Some(ordering) = keep_suited(ordering, cells, &sink)? else {
                return Ok(());
            };
            // Cells that differ only in allocator, policy or model share their jobs and the baseline replay.
            let jobs = group_cells(cells, |cell| (cell.spec.kind, cell.spec.jobs_key()));
            jobs.par_iter().try_for_each(|cells| -> Result<(), E> {
                let kind = &KINDS[cells[0].spec.kind];
                let jobs = (kind.share_jobs)(&ordering, &cells[0].spec);
                let Some(jobs) = keep_suited(jobs, cells, &sink)? else {
                    return Ok(());
                };
                cells.par_iter().try_for_each(|cell| -> Result<(), E> {
                    let figures = (kind.figures)(&ordering, &jobs, &cell.spec);
                    match keep_suited(figures, &[*cell], &sink)? {
                        Some(figures) => sink(SweepRow {
                            cell: cell.number,
                            figures: Ok(figures),
                        }),
                        None => Ok(()),
                    }
                })
            })
        })
    })
}

/// Computes all rows of `plan` and returns them in the order of their cells; `progress` is called after each.
///
/// # Errors
/// As [`run_cells()`]; those of `progress`.
pub fn run_all<E: From<Error> + Send>(
    plan: &Plan,
    context: &Context,
    progress: impl Fn() -> Result<(), E> + Sync,
) -> Result<Vec<SweepRow>, E> {
    let cells: Vec<usize> = (0..plan.cells().len()).collect();
    let rows = Mutex::new(Vec::with_capacity(cells.len()));
    run_cells(plan, context, &cells, |row| {
        rows.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(row);
        progress()
    })?;
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Threads finish in any order; the table must not show in which.
    rows.sort_unstable_by_key(|row| row.cell);
    Ok(rows)
}

/// Splits cells where their key changes. No part is empty.
fn group_cells<K: PartialEq>(cells: &[Cell], key: impl Fn(&Cell) -> K) -> Vec<&[Cell]> {
    cells.chunk_by(|a, b| key(a) == key(b)).collect()
}

/// Keeps the data that `cells` share. `None` if it cannot be made because something does not suit, which the rows of
/// the cells then say. Fails with any other error of it, and those of `sink`.
fn keep_suited<T, E: From<Error>>(
    shared: Result<T>,
    cells: &[Cell],
    sink: &impl Fn(SweepRow) -> Result<(), E>,
) -> Result<Option<T>, E> {
    match shared {
        Ok(shared) => Ok(Some(shared)),
        // Only what the combination itself rules out is a row. Other errors (memory, a file that is gone) may pass on
        // another computer: as rows they would make the table depend on where it was computed.
        Err(error @ Error::Unsuited { .. }) => {
            // A row is a line of the journal and of the shard, also where its note quotes a file.
            let note = error.to_string().replace(char::is_control, " ");
            for cell in cells {
                sink(SweepRow {
                    cell: cell.number,
                    figures: Err(note.clone()),
                })?;
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::Text;

    fn plan(text: &str) -> Plan {
        Plan::read(&Text::new("p.toml", text), None, &Context::default()).unwrap()
    }

    /// Three machines, of which one has no coordinates for the first ordering; 3 x 2 x (2 x 2 + 1) cells.
    const PLAN: &str = "topologies = ['mesh:3x3', 'fat-tree:k=4', 'torus:4']\norderings = ['snake', 'row-major']\n\
                        logs = ['nersc:placements=9,nodes=3', 'nersc:placements=9,nodes=3,seed=2']\n\
                        allocators = ['fifo:0', 'random']\nguests = ['ring:n=9']\nroutings = ['ecmp-hop']\n";

    #[test]
    fn every_cell_has_a_row_and_what_does_not_suit_says_so() {
        let plan = plan(PLAN);
        let rows = run_all(&plan, &Context::default(), || Ok::<(), Error>(())).unwrap();
        assert!(rows.iter().map(|row| row.cell).eq(0..30));
        for row in &rows {
            let cell = plan.cells().get(row.cell);
            // The ordering on the fat tree, and the guest of nine processes on four nodes.
            let unsuited = (cell.topology == 1 && cell.ordering == 0)
                || (cell.topology == 2 && cell.spec.guest.is_some());
            assert_eq!(row.figures.is_err(), unsuited, "{row:?}");
        }
        // Cells in any order and selection have the same rows.
        let mut which: Vec<usize> = (0..30).step_by(7).collect();
        which.reverse();
        let some = Mutex::new(Vec::new());
        run_cells(&plan, &Context::default(), &which, |row| {
            some.lock().unwrap().push(row);
            Ok::<(), Error>(())
        })
        .unwrap();
        for row in some.into_inner().unwrap() {
            assert_eq!(row, rows[row.cell]);
            which.retain(|cell| *cell != row.cell);
        }
        assert!(which.is_empty(), "{which:?}");
    }

    #[test]
    fn what_fails_ends_the_run() {
        let refuse = |_: SweepRow| Err(Error::option("sink", "full", "room"));
        let plan = plan(PLAN);
        let error = run_cells(&plan, &Context::default(), &[0, 1, 29], refuse).unwrap_err();
        assert_eq!(error.to_string(), "`sink`: found full; expected room");
        // A machine beyond the memory is no row.
        let context = Context {
            memory: 1,
            ..Context::default()
        };
        let error = run_all(&plan, &context, || Ok::<(), Error>(())).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{error}");
    }
}
