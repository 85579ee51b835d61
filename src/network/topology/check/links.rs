//! Links of two descriptions that show every switch: which switches and links only one of them has.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::SwitchCells;
use super::findings::{Findings, have_same_name};
use super::graphs::{LinkLabel, PairedGraphs};
use super::leaves::match_most_shared;
use super::proof::{Proof, prove_same_links};

/// Most switches named in one difference.
const MOST_NAMED: usize = 8;

/// Most switches of the second description that are considered for one of the first, in each cell.
const MOST_CANDIDATES: usize = 8;

/// Adds the switches and links that differ to `found`. Switches without nodes are told apart by [`SwitchCells`]; of
/// those that still look alike one of the first description is paired with one of the second, until all links are
/// accounted for or the search for such a pairing is given up.
pub fn compare_links(graphs: &PairedGraphs<'_>, found: &mut Findings) {
    let mut cells = SwitchCells::new(graphs);
    cells.refine_cells(graphs, cells.open_cells().collect());
    let before = found.count;
    if !cells.are_balanced(graphs) {
        pair_leftovers(graphs, &mut cells);
    }
    report_switches(graphs, &cells, found);
    report_links(graphs, &cells, found);
    // Differences between whole cells are differences whatever the pairing inside them.
    if found.count > before {
        return;
    }
    // Pairs of leftovers are known by now, and may tell others apart.
    cells.refine_cells(graphs, cells.open_cells().collect());
    let proof = if cells.are_balanced(graphs) {
        prove_same_links(graphs, cells)
    } else {
        Proof::Open(cells.cell_count())
    };
    match proof {
        Proof::Same(cells) => report_links(graphs, &cells, found),
        Proof::Different(count) => {
            let alike = describe_alike(count);
            found.add_difference("switch", || {
                [alike.as_str(), "wired one way", "wired another way"]
            });
        }
        Proof::Open(count) => {
            let alike = describe_alike(count);
            let remark = format!("{alike}: whether they are wired alike was not proved");
            found.remarks.push(remark);
            found.add_difference("unproved", || [alike.as_str(), "", ""]);
        }
    }
}

/// Describes `count` switches that look alike.
fn describe_alike(count: usize) -> String {
    format!("{count} switches without nodes that look alike")
}

/// Pairs the switches of unbalanced cells by the cells that they and their neighbours are in, and by their names.
/// Those left over get a cell of their own.
fn pair_leftovers(graphs: &PairedGraphs<'_>, cells: &mut SwitchCells) {
    let mut unbalanced = Vec::new();
    let mut leftovers: Vec<u32> = Vec::new();
    for cell in cells.open_cells() {
        let members = cells.members(cell);
        if !graphs.is_balanced(members) {
            unbalanced.push(cell);
            leftovers.extend(members);
        }
    }
    let first_there = graphs.first_there();
    let (here, there): (Vec<u32>, Vec<u32>) =
        leftovers.iter().partition(|switch| **switch < first_there);
    let mut there_by_cell: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for switch in there {
        for cell in nearby_cells(graphs, cells, switch) {
            there_by_cell.entry(cell).or_default().push(switch);
        }
    }
    let mut shared = Vec::new();
    for (i, switch) in here.into_iter().enumerate() {
        for cell in nearby_cells(graphs, cells, switch) {
            let Some(candidates) = there_by_cell.get(&cell) else {
                continue;
            };
            // All pairs would be quadratic: each switch gets a few candidates, its neighbours in the list
            // the next ones.
            let few = candidates.iter().cycle().skip(i % candidates.len());
            let few = few.take(MOST_CANDIDATES.min(candidates.len()));
            shared.extend(few.map(|twin| (switch, *twin)));
        }
    }
    let pairs = match_most_shared(shared, |a, b| {
        have_same_name(graphs.machines, [a, b - first_there])
    });
    for cell in unbalanced {
        cells.remove_members(cell);
    }
    let mut paired = BTreeSet::new();
    for (a, b) in pairs {
        paired.extend([a, b]);
        cells.add_cell(vec![a, b]);
    }
    leftovers.retain(|switch| !paired.contains(switch));
    for switch in leftovers {
        cells.add_cell(vec![switch]);
    }
}

/// Lists the cells of a switch and of those linked to it.
fn nearby_cells(graphs: &PairedGraphs<'_>, cells: &SwitchCells, switch: u32) -> Vec<u32> {
    let linked = graphs.links_of(switch).map(|(to, _)| to);
    std::iter::once(switch)
        .chain(linked)
        .map(|switch| cells.cell_of[switch as usize])
        .collect()
}

/// Adds the switches that only one description has, with the switches that they are linked to.
fn report_switches(graphs: &PairedGraphs<'_>, cells: &SwitchCells, found: &mut Findings) {
    for members in cells.open_cells().map(|cell| cells.members(cell)) {
        let [here, there] = graphs.count_sides(members);
        if here == there {
            continue;
        }
        found.add_difference("switch", || {
            let linked: Vec<u32> = graphs.links_of(members[0]).map(|(to, _)| to).collect();
            let mut text = "without links".to_string();
            if !linked.is_empty() {
                let named = linked.iter().take(MOST_NAMED);
                let names: Vec<String> = named.map(|to| graphs.switch_name_of(*to)).collect();
                let more = if linked.len() > MOST_NAMED {
                    " …"
                } else {
                    ""
                };
                text = format!("linked to {}{more}", names.join(" "));
            }
            let name = graphs.switch_name_of(members[0]);
            if here > there {
                [name, text, String::new()]
            } else {
                [name, String::new(), text]
            }
        });
    }
}

/// A link between two cells.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct CellLink {
    /// Both cells, the lower first.
    cells: [u32; 2],
    /// Description that has the link: 0 or 1.
    side: usize,
    label: LinkLabel,
}

/// Adds the pairs of cells whose links differ in number, capacity or weight.
fn report_links(graphs: &PairedGraphs<'_>, cells: &SwitchCells, found: &mut Findings) {
    let mut links = Vec::with_capacity(graphs.graphs.iter().map(|g| g.link_count()).sum());
    let balanced: Vec<bool> = (0..cells.cell_count() as u32)
        .map(|cell| graphs.is_balanced(cells.members(cell)))
        .collect();
    for from in 0..graphs.switch_count() as u32 {
        let (side, _) = graphs.side_and_router(from);
        for (to, label) in graphs.links_of(from) {
            let u = cells.cell_of[from as usize];
            let v = cells.cell_of[to as usize];
            // Links of a switch that only one description has are reported with the switch.
            if from < to && balanced[u as usize] && balanced[v as usize] {
                let cells = [u.min(v), u.max(v)];
                links.push(CellLink { cells, side, label });
            }
        }
    }
    links.sort_unstable();
    for between in links.chunk_by(|a, b| a.cells == b.cells) {
        let (here, there) = between.split_at(between.partition_point(|link| link.side == 0));
        let labels = here.iter().map(|link| link.label);
        if labels.ne(there.iter().map(|link| link.label)) {
            found.add_difference("link", || {
                let [u, v] = between[0].cells.map(|cell| cell_name(graphs, cells, cell));
                [
                    format!("{u} to {v}"),
                    describe_links(here),
                    describe_links(there),
                ]
            });
        }
    }
}

/// Makes the name of a cell: that of its first switch, and how many more of one description are like it.
fn cell_name(graphs: &PairedGraphs<'_>, cells: &SwitchCells, cell: u32) -> String {
    let members = cells.members(cell);
    let [here, there] = graphs.count_sides(members);
    let name = graphs.switch_name_of(members[0]);
    match here.max(there) {
        0 | 1 => name,
        several => format!("{name} and {} like it", several - 1),
    }
}

/// Describes links, sorted by label, for messages: `3` for three links of capacity 1, else by their capacities, as `2
/// of 0.5`; with the weight unless it is 1. `0` if there are no links.
fn describe_links(links: &[CellLink]) -> String {
    let mut groups = Vec::new();
    for group in links.chunk_by(|a, b| a.label == b.label) {
        let (bits, weight) = group[0].label;
        let capacity = f64::from_bits(bits);
        let mut text = match group.len() {
            1 => capacity.to_string(),
            count if capacity == 1.0 => count.to_string(),
            count => format!("{count} of {capacity}"),
        };
        if weight != 1 {
            text += &format!(" of weight {weight}");
        }
        groups.push(text);
    }
    if groups.is_empty() {
        return "0".into();
    }
    groups.join(" and ")
}
