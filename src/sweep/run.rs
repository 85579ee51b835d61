//! The walk over cells: nested scopes, each of which makes what its cells share.

use std::sync::{Mutex, PoisonError};

use super::kinds::KINDS;
use super::plan::Plan;
use super::rows::SweepRow;
use super::scopes::{Figures, Machine, Numbered, Ordered, Outcome, Put, groups, scope};
use nodeorder_base::error::Error;
use nodeorder_network::catalog;
use nodeorder_network::topology::Context;

/// Computes the rows of the cells `which` of `plan`, on as many threads as rayon has, and hands each to `done`
/// as soon as it is there. A
/// combination that does not suit (a curve on a machine without coordinates, a guest of too many processes) makes a row
/// without figures that says why.
///
/// Things that cells share are made once where their scope begins and dropped where it ends: a machine with its traces
/// and guests, in it an ordering, in it the baseline of a workload. Cells that share something should follow
/// one another.
///
/// # Errors
/// The first error of any cell, or of `done`; the run then ends.
pub fn run<E: From<Error> + Send>(
    plan: &Plan,
    context: &Context,
    which: &[usize],
    done: impl Fn(SweepRow) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let failure: Mutex<Option<E>> = Mutex::new(None);
    let put = |cell: usize, figures: Result<Figures, String>| -> Outcome {
        let figures = figures.map_err(|note| note.replace(char::is_control, " "));
        done(SweepRow { cell, figures }).map_err(|error| {
            failure
                .lock()
                .unwrap_or_else(|e| e.into_inner())
                .get_or_insert(error);
            None
        })
    };
    let cells: Vec<Numbered> = which
        .iter()
        .map(|cell| (*cell, plan.cells().get(*cell).work))
        .collect();
    let per_machine = plan.cells().per_machine();
    let machine = |(cell, _): &Numbered| cell / per_machine;
    let outcome = groups(&cells, machine, |cells| {
        rows_of_machine(plan, context, cells, &put)
    });
    let failure = failure.into_inner().unwrap_or_else(|e| e.into_inner());
    match (outcome, failure) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(error)) => Err(error),
        (Err(Some(error)), None) => Err(error.into()),
        // Nobody stops without an error.
        (Err(None), None) => Ok(()),
    }
}

/// Computes all rows of `plan` and returns them in the order of their cells; `progress` is called after each.
///
/// # Errors
/// As [`run()`]; those of `progress`.
pub fn run_all<E: From<Error> + Send>(
    plan: &Plan,
    context: &Context,
    progress: impl Fn() -> Result<(), E> + Sync,
) -> Result<Vec<SweepRow>, E> {
    let cells: Vec<usize> = (0..plan.cells().len()).collect();
    let rows = Mutex::new(Vec::with_capacity(cells.len()));
    run(plan, context, &cells, |row| {
        rows.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(row);
        progress()
    })?;
    let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    rows.sort_unstable_by_key(|row| row.cell);
    Ok(rows)
}

fn rows_of_machine(plan: &Plan, context: &Context, cells: &[Numbered], put: Put<'_>) -> Outcome {
    let [(first, _), ..] = cells else {
        return Ok(());
    };
    let first = plan.cells().get(*first);
    let context = Context {
        seed: plan.lists.seeds[first.seed],
        ..*context
    };
    let topology = catalog::topology(&plan.lists.topologies[first.topology].located, &context);
    scope(cells, put, topology, |topology| {
        scope(
            cells,
            put,
            Machine::new(&plan.lists, &topology, &context, cells),
            |machine| {
                let per_ordering = plan.cells().per_ordering();
                let ordering = |(cell, _): &Numbered| cell / per_ordering;
                groups(cells, ordering, |cells| {
                    rows_of_ordering(plan, &machine, cells, put)
                })
            },
        )
    })
}

fn rows_of_ordering(
    plan: &Plan,
    machine: &Machine<'_>,
    cells: &[Numbered],
    put: Put<'_>,
) -> Outcome {
    let [(first, _), ..] = cells else {
        return Ok(());
    };
    let ordering = plan.cells().get(*first).ordering;
    let kind = |(_, work): &Numbered| work.kind;
    scope(cells, put, Ordered::new(machine, ordering), |ordered| {
        groups(cells, kind, |cells| {
            (KINDS[cells[0].1.kind].rows)(&ordered, cells, put)
        })
    })
}
