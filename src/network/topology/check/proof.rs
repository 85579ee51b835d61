//! Whether switches that look alike are wired alike.

use std::collections::BTreeSet;

use super::cells::{Both, Cells};

/// Outcome of a search for the same wiring.
pub(super) enum Proof {
    /// Cells in which every choice gives the same links.
    Same(Box<Cells>),
    /// No choice does: so many switches look alike and are not.
    Different(usize),
    /// The search was given up with so many switches that look alike.
    Open(usize),
}

/// The most links that a search looks at.
const MOST: u64 = 500_000_000;

/// Takes a switch of a cell with several here for each of those there in turn, splits cells by that choice, and goes on
/// with the first that leaves all cells even. A cell whose links all lead to known pairs needs no choice.
pub(super) fn prove(both: &Both<'_>, mut cells: Cells) -> Proof {
    let mut looked_at = 0;
    let mut first = true;
    while let Some((open, cell)) = undecided(both, &cells) {
        let members = cells.members(cell).to_vec();
        let (here, there) = members.split_at(members.len() / 2);
        let mut fits = None;
        for twin in there {
            let mut tried = cells.clone();
            tried.take_out(here[0]);
            tried.take_out(*twin);
            let pair = tried.add(vec![here[0], *twin]);
            looked_at += tried.of.len() as u64 + tried.refine(both, BTreeSet::from([pair]));
            if tried
                .open_cells()
                .all(|cell| both.is_even(tried.members(cell)))
            {
                fits = Some(tried);
                break;
            }
            if looked_at > MOST {
                return Proof::Open(open);
            }
        }
        cells = match fits {
            Some(fits) if looked_at <= MOST => fits,
            None if first => return Proof::Different(open),
            _ => return Proof::Open(open),
        };
        first = false;
    }
    Proof::Same(Box::new(cells))
}

/// The smallest cell with several switches here that is linked to such a cell, and the switches in all of these.
fn undecided(both: &Both<'_>, cells: &Cells) -> Option<(usize, u32)> {
    let several = |cell: u32| cells.members(cell).len() > 2;
    let linked = |cell: &u32| {
        several(*cell)
            && both
                .links(cells.members(*cell)[0])
                .any(|(to, _)| several(cells.of[to as usize]))
    };
    let found: Vec<u32> = cells.open_cells().filter(linked).collect();
    let smallest = found
        .iter()
        .min_by_key(|cell| (cells.members(**cell).len(), **cell))?;
    Some((
        found
            .iter()
            .map(|cell| cells.members(*cell).len() / 2)
            .sum(),
        *smallest,
    ))
}
