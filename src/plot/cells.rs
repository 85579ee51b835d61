//! A machine laid out as flat panels of cells, each with the lowest rank in it. Cells that are too many
//! are joined into blocks with the rank of their first: a sample, which keeps disorder visible where a
//! mean or a minimum would smooth it away.

use crate::ids::NodeId;
use crate::ordering::NodeOrder;
use crate::topology::{Lattice, Topology};

use super::scale::thousands;

/// Cells drawn at most, so that a random ordering's picture stays small too.
const MOST_CELLS: usize = 8000;
/// Panels drawn at most.
const MOST_PANELS: usize = 24;
/// Rows of a panel of hierarchy units at most.
const MOST_UNITS: usize = 96;
/// Cells of a panel up to which its path can be made out.
const MOST_PATH_CELLS: usize = 400;
/// Steps of a path drawn at most, over all panels.
const MOST_STEPS: usize = 4000;

/// A flat piece of the machine.
pub(super) struct Panel {
    pub title: String,
    pub columns: usize,
    pub rows: usize,
    /// Rank of each cell, row by row; `None` where the ordering has no node.
    pub ranks: Vec<Option<u32>>,
    /// Cells between which the ordering steps, in rank order, within this panel.
    pub steps: Vec<(usize, usize)>,
}

impl Panel {
    /// Whether two cells touch.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        let (ax, ay) = (a % self.columns, a / self.columns);
        let (bx, by) = (b % self.columns, b / self.columns);
        ax.abs_diff(bx) + ay.abs_diff(by) == 1
    }
}

/// All panels and what to say about them.
pub(super) struct Layout {
    pub panels: Vec<Panel>,
    /// Name of the horizontal and of the vertical direction.
    pub across: String,
    pub up: String,
    /// Whether row 0 is at the bottom, as coordinates are drawn, or at the top, as text is read.
    pub from_bottom: bool,
    /// What is left out or joined; empty if nothing is.
    pub note: String,
}

/// `wanted` of `all` indices, evenly spread, both ends included.
fn evenly(all: usize, wanted: usize) -> Vec<usize> {
    if wanted >= all {
        return (0..all).collect();
    }
    match wanted {
        0 | 1 => vec![all / 2],
        _ => (0..wanted).map(|i| i * (all - 1) / (wanted - 1)).collect(),
    }
}

/// The layout that suits the topology: slices of its lattice, rows of hierarchy units, or node ids in
/// rows.
pub(super) fn layout(topology: &Topology, order: &NodeOrder) -> Layout {
    match topology.lattice() {
        Some(lattice) if lattice.extents.len() > 1 => slices(topology, lattice, order),
        _ => strips(topology, order),
    }
}

/// Lowest rank for each of `count` places.
fn lowest_ranks(order: &NodeOrder, count: usize, place: impl Fn(NodeId) -> usize) -> Vec<u32> {
    let mut lowest = vec![u32::MAX; count];
    for (rank, node) in order.nodes().iter().enumerate() {
        let at = &mut lowest[place(*node)];
        *at = (*at).min(rank as u32);
    }
    lowest
}

fn cell_of(topology: &Topology, lattice: &Lattice, node: NodeId) -> usize {
    match &lattice.cells {
        Some(cells) => cells[node.index()] as usize,
        None => topology.router_of(node).index(),
    }
}

/// The two axes a slice spans (across, up) and the others. Machines with a hierarchy are cut along its
/// outermost level; boxes so that the slices are few and large.
fn plane(topology: &Topology, lattice: &Lattice) -> ((usize, usize), Vec<usize>) {
    let k = lattice.extents.len();
    let (across, up) = if topology.network().levels().is_empty() {
        let mut by_extent: Vec<usize> = (0..k).collect();
        by_extent.sort_by_key(|a| std::cmp::Reverse(lattice.extents[*a]));
        (by_extent[0].min(by_extent[1]), by_extent[0].max(by_extent[1]))
    } else {
        (k - 1, k - 2)
    };
    ((across, up), (0..k).filter(|a| *a != across && *a != up).collect())
}

fn slices(topology: &Topology, lattice: &Lattice, order: &NodeOrder) -> Layout {
    let ((across, up), others) = plane(topology, lattice);
    let extent = |axis: usize| lattice.extents[axis] as usize;
    let (width, height) = (extent(across), extent(up));
    let mut block = 1;
    while width.div_ceil(block) * height.div_ceil(block) > MOST_CELLS {
        block += 1;
    }
    let (columns, rows) = (width.div_ceil(block), height.div_ceil(block));
    let all: usize = others.iter().map(|a| extent(*a)).product();
    let chosen = evenly(all, (MOST_CELLS / (columns * rows)).clamp(1, MOST_PANELS));
    let lowest = lowest_ranks(order, lattice.cell_count(), |n| cell_of(topology, lattice, n));

    let mut position = vec![0u32; lattice.extents.len()];
    let mut panels: Vec<Panel> = Vec::new();
    for slice in &chosen {
        let mut rest = *slice;
        for axis in others.iter().rev() {
            position[*axis] = (rest % extent(*axis)) as u32;
            rest /= extent(*axis);
        }
        let title: Vec<String> =
            others.iter().map(|a| format!("{} = {}", lattice.axes[*a], position[*a])).collect();
        let mut ranks = vec![None; columns * rows];
        for y in 0..height {
            for x in 0..width {
                (position[across], position[up]) = (x as u32, y as u32);
                let rank = lowest[lattice.cell(&position) as usize];
                let cell: &mut Option<u32> = &mut ranks[y / block * columns + x / block];
                if rank != u32::MAX {
                    cell.get_or_insert(rank);
                }
            }
        }
        panels.push(Panel { title: title.join(", "), columns, rows, ranks, steps: Vec::new() });
    }
    if block == 1 && columns * rows <= MOST_PATH_CELLS {
        let panel_of = |position: &[u32]| {
            let slice = others.iter().fold(0, |s, a| s * extent(*a) + position[*a] as usize);
            chosen.binary_search(&slice).ok()
        };
        let mut last: Option<(Option<usize>, usize)> = None;
        let mut place = vec![0u32; lattice.extents.len()];
        for node in order.nodes() {
            lattice.coordinates(cell_of(topology, lattice, *node) as u32, &mut place);
            let here = (panel_of(&place), place[up] as usize * columns + place[across] as usize);
            if let (Some((Some(from), cell)), (Some(to), next)) = (last, here)
                && (from == to && cell != next)
            {
                panels[from].steps.push((cell, next));
            }
            last = Some(here);
        }
        limit_steps(&mut panels, order.len());
    }
    let mut notes = Vec::new();
    if chosen.len() < all {
        notes.push(format!("{} of {} slices shown", chosen.len(), thousands(all as u64)));
    }
    if block > 1 {
        notes.push(format!("a square is {block} x {block} cells, coloured by the first of them"));
    }
    if topology.node_count() > lattice.cell_count() {
        notes.push("a cell with several nodes is coloured by the lowest rank".to_string());
    }
    notes.extend(path_note(&panels));
    let name = |axis: usize| format!("{} ({})", lattice.axes[axis], thousands(extent(axis) as u64));
    Layout { panels, across: name(across), up: name(up), from_bottom: true, note: notes.join("; ") }
}

/// Rows of consecutive node ids: a row a unit of the outermost level that has several, or simply wrapped.
fn strips(topology: &Topology, order: &NodeOrder) -> Layout {
    let places = topology.nodes().slot_count() as usize;
    let lowest = lowest_ranks(order, places, NodeId::index);
    let network = topology.network();
    let per = network.per_router() as usize;
    let level = network
        .levels()
        .into_iter()
        .map(|level| (level.name, level.routers as usize * per))
        .find(|(_, nodes)| *nodes > 0 && *nodes < places && *nodes > 1);
    // Rows of `unit` ids, `block` of them a cell, and how many rows to draw.
    let (unit, block, most) = match level {
        Some((_, nodes)) => {
            let rows = places.div_ceil(nodes).min(MOST_UNITS);
            (nodes, nodes.div_ceil((MOST_CELLS / rows).clamp(1, 192)), MOST_UNITS)
        }
        // A short machine is one row.
        None if places <= 64 => (places, 1, 1),
        // Rows mean nothing: eight columns to five rows, in whole eights.
        None => {
            let block = places.div_ceil(MOST_CELLS);
            let cells = places.div_ceil(block) as f64;
            let columns = ((cells * 1.6).sqrt() / 8.0).ceil() as usize * 8;
            (columns * block, block, usize::MAX)
        }
    };
    let units = places.div_ceil(unit);
    let chosen = evenly(units, most);
    let columns = unit.div_ceil(block);
    let mut ranks = vec![None; columns * chosen.len()];
    for (row, first) in chosen.iter().enumerate() {
        for (i, rank) in lowest.iter().skip(first * unit).take(unit).enumerate() {
            let cell: &mut Option<u32> = &mut ranks[row * columns + i / block];
            if *rank != u32::MAX {
                cell.get_or_insert(*rank);
            }
        }
    }
    let mut notes = Vec::new();
    if let Some((name, _)) = level.filter(|_| chosen.len() < units) {
        notes.push(format!("{} of {} units ({name}) shown", chosen.len(), thousands(units as u64)));
    }
    if block > 1 {
        notes.push(format!("a cell is {block} consecutive ids, coloured by the first of them"));
    }
    let mut panels =
        vec![Panel { title: String::new(), columns, rows: chosen.len(), ranks, steps: Vec::new() }];
    if level.is_none() && block == 1 && places <= MOST_PATH_CELLS {
        panels[0].steps = order.nodes().windows(2).map(|p| (p[0].index(), p[1].index())).collect();
        limit_steps(&mut panels, order.len());
        notes.extend(path_note(&panels));
    }
    let (across, up) = match level {
        Some((name, _)) => (format!("node within its {name}"), name.to_string()),
        None if panels[0].rows == 1 => ("node id".to_string(), String::new()),
        None => (format!("node id, {} a row", thousands(unit as u64)), String::new()),
    };
    Layout { panels, across, up, from_bottom: false, note: notes.join("; ") }
}

/// A path is drawn if it is one: most of its steps within the panels, and not too many to be seen.
fn limit_steps(panels: &mut [Panel], nodes: usize) {
    let steps: usize = panels.iter().map(|p| p.steps.len()).sum();
    if steps > MOST_STEPS || steps * 2 < nodes.saturating_sub(1) {
        panels.iter_mut().for_each(|p| p.steps.clear());
    }
}

fn path_note(panels: &[Panel]) -> Option<String> {
    let drawn = panels.iter().any(|p| !p.steps.is_empty());
    let within = if panels.len() > 1 { " within each slice" } else { "" };
    drawn.then(|| format!("the line is the path by rank{within}, from the dot; jumps are thin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(spec: &str, order: &str) -> Layout {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, order).unwrap();
        layout(&topology, &order)
    }

    #[test]
    fn a_box_is_cut_into_few_large_slices() {
        let l = lay("torus:15x6x16", "row-major");
        assert_eq!((l.panels.len(), l.panels[0].columns, l.panels[0].rows), (6, 15, 16));
        assert_eq!((l.panels[5].title.as_str(), l.across.as_str()), ("y = 5", "x (15)"));
        // x = 2, y = 5, z = 3.
        assert_eq!(l.panels[5].ranks[3 * 15 + 2], Some(2 * 96 + 5 * 16 + 3));
        let ranks = l.panels.iter().flat_map(|p| &p.ranks);
        assert_eq!(ranks.map(|r| u64::from(r.unwrap())).sum::<u64>(), 1440 * 1439 / 2);
    }

    #[test]
    fn many_slices_are_chosen_evenly_and_said_so() {
        let l = lay("torus:11x8x4x4x2", "row-major");
        assert_eq!(l.panels.len(), 24);
        assert_eq!(l.panels[0].title, "z = 0, w = 0, v = 0");
        assert_eq!(l.panels[23].title, "z = 3, w = 3, v = 1");
        assert_eq!(l.note, "24 of 32 slices shown");
    }

    #[test]
    fn a_hierarchy_is_cut_by_its_outermost_level() {
        let l = lay("cascade:16x6x8,per_router=4", "row-major");
        assert_eq!((l.panels.len(), l.panels[0].columns, l.panels[0].rows), (8, 16, 6));
        assert_eq!(l.panels[1].title, "group = 1");
        assert_eq!(l.panels[1].ranks[0], Some(384));
    }

    #[test]
    fn a_ring_is_one_row_and_large_ones_wrap() {
        let l = lay("torus:7", "row-major");
        assert_eq!((l.panels[0].columns, l.panels[0].rows, l.panels[0].steps.len()), (7, 1, 6));
        let l = lay("torus:100000", "row-major");
        let cells = l.panels[0].columns * l.panels[0].rows;
        assert!((7000..9000).contains(&cells), "{cells}");
        assert_eq!(l.note, "a cell is 13 consecutive ids, coloured by the first of them");
    }

    #[test]
    fn a_large_plane_is_blocked() {
        let l = lay("mesh:1000x700", "row-major");
        let panel = &l.panels[0];
        assert!(panel.columns * panel.rows <= MOST_CELLS && panel.steps.is_empty());
        assert_eq!(panel.ranks[0], Some(0));
        assert!(l.note.starts_with("a square is 10 x 10 cells"), "{}", l.note);
    }
}
