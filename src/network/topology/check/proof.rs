//! Search for a pairing of switches that look alike under which both descriptions have the same links.

use std::collections::BTreeSet;

use super::cells::SwitchCells;
use super::graphs::PairedGraphs;

/// Outcome of the search.
pub enum Proof {
    /// Cells in which every way to pair the members gives the same links.
    Same(Box<SwitchCells>),
    /// No pairing gives the same links; number of switches of one description that look alike.
    Different(usize),
    /// The search was given up; number of switches of one description that look alike.
    Open(usize),
}

/// Number of links after which a search is given up: seconds of work.
const MOST_LINKS: u64 = 500_000_000;

/// Finds a pairing of the switches that look alike, by individualisation and refinement: pairs a switch of the first
/// description with each candidate of the second in turn, splits cells by that choice, and goes on with the first that
/// keeps all cells balanced. It never takes a choice back but the first.
pub fn prove_same_links(graphs: &PairedGraphs<'_>, mut cells: SwitchCells) -> Proof {
    let mut work = 0;
    let mut is_first = true;
    while let Some((undecided, cell)) = choose_cell(graphs, &cells) {
        let members = cells.members(cell).to_vec();
        // Members ascend and the cell is balanced, so that its first half is of the first description.
        let (here, there) = members.split_at(members.len() / 2);
        let mut fitting = None;
        for twin in there {
            let mut tried = cells.clone();
            let pair = tried.pair_off(here[0], *twin);
            work += tried.cell_of.len() as u64 + tried.refine_cells(graphs, BTreeSet::from([pair]));
            if tried.are_balanced(graphs) {
                fitting = Some(tried);
                break;
            }
            if work > MOST_LINKS {
                return Proof::Open(undecided);
            }
        }
        cells = match fitting {
            Some(fitting) if work <= MOST_LINKS => fitting,
            // Only the first choice is forced: a later failure may be the fault of an earlier choice.
            None if is_first => return Proof::Different(undecided),
            _ => return Proof::Open(undecided),
        };
        is_first = false;
    }
    Proof::Same(Box::new(cells))
}

/// Finds the smallest cell of several pairs that is linked to such a cell, and counts the pairs in all of these;
/// `None` if there is none. A cell whose links all lead to single pairs needs no choice: its members have the same
/// links.
fn choose_cell(graphs: &PairedGraphs<'_>, cells: &SwitchCells) -> Option<(usize, u32)> {
    let mut pairs = 0;
    let mut smallest = None;
    for cell in cells.open_cells() {
        let members = cells.members(cell);
        let mut linked = members.iter().take(1).flat_map(|s| graphs.links_of(*s));
        let needs_choice = members.len() > 2
            && linked.any(|(to, _)| cells.members(cells.cell_of[to as usize]).len() > 2);
        if needs_choice {
            pairs += members.len() / 2;
            let size = (members.len(), cell);
            smallest = Some(smallest.map_or(size, |least: (usize, u32)| least.min(size)));
        }
    }
    smallest.map(|(_, cell)| (pairs, cell))
}
