//! A machine laid out as flat panels of cells, each with the lowest rank in it. Cells that are too many
//! are joined into blocks with the rank of their first: a sample, which keeps disorder visible where a
//! mean or a minimum would smooth it away.

use crate::error::thousands;
use crate::ids::NodeId;
use crate::ordering::NodeOrder;
use crate::topology::{Lattice, Topology};

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
pub struct Panel {
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
pub struct Panels {
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
pub fn panels_of(topology: &Topology, order: &NodeOrder) -> Panels {
    match topology.lattice() {
        Some(lattice) if lattice.extents.len() > 1 => slices(topology, lattice, order),
        _ => strips(topology, order),
    }
}

/// Panels of `columns` by `rows` cells. `spot` tells the cell of a node that is drawn, counted through all panels,
/// and the node's place in it: a cell has the rank of its first. With `path`, the steps between cells are kept.
fn panels(
    order: &NodeOrder,
    titles: Vec<String>,
    (columns, rows): (usize, usize),
    path: bool,
    mut spot: impl FnMut(NodeId) -> Option<(usize, usize)>,
) -> Vec<Panel> {
    let each = columns * rows;
    let mut firsts: Vec<Option<(usize, u32)>> = vec![None; titles.len() * each];
    let mut steps = vec![Vec::new(); titles.len()];
    let mut last = None;
    for (rank, node) in (0..).zip(order.nodes()) {
        let here = spot(*node).map(|(cell, place)| {
            let first = firsts[cell].get_or_insert((place, rank));
            *first = (place, rank).min(*first);
            cell
        });
        if let (true, Some(from), Some(to)) = (path, last, here)
            && (from != to && from / each == to / each)
        {
            steps[to / each].push((from % each, to % each));
        }
        last = here;
    }
    // A path is drawn if it is one: most of its steps within the panels, and not too many to be seen.
    let count: usize = steps.iter().map(Vec::len).sum();
    if count > MOST_STEPS || count * 2 < order.len().saturating_sub(1) {
        steps.iter_mut().for_each(Vec::clear);
    }
    let ranks = firsts.chunks(each).map(|cells| cells.iter().map(|c| c.map(|c| c.1)).collect());
    let panel = |((title, steps), ranks)| Panel { title, columns, rows, ranks, steps };
    titles.into_iter().zip(steps).zip(ranks).map(panel).collect()
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

fn slices(topology: &Topology, lattice: &Lattice, order: &NodeOrder) -> Panels {
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
    let within =
        Lattice::of_routers(others.iter().map(|a| lattice.extents[*a]).collect(), Vec::new());
    let mut at = vec![0; others.len()];
    let title = |slice: &usize| {
        within.coordinates(*slice as u32, &mut at);
        let axes = others.iter().zip(&at).map(|(axis, x)| format!("{} = {x}", lattice.axes[*axis]));
        axes.collect::<Vec<_>>().join(", ")
    };
    let titles = chosen.iter().map(title).collect();
    let path = block == 1 && columns * rows <= MOST_PATH_CELLS;
    let mut at = vec![0; lattice.extents.len()];
    let panels = panels(order, titles, (columns, rows), path, |node| {
        lattice.coordinates(cell_of(topology, lattice, node) as u32, &mut at);
        let slice = others.iter().fold(0, |s, a| s * extent(*a) + at[*a] as usize);
        let (x, y) = (at[across] as usize, at[up] as usize);
        let row = chosen.binary_search(&slice).ok()? * rows + y / block;
        Some((row * columns + x / block, y * width + x))
    });
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
    Panels { panels, across: name(across), up: name(up), from_bottom: true, note: notes.join("; ") }
}

/// Rows of consecutive node ids: a row a unit of the outermost level that has several, or simply wrapped.
fn strips(topology: &Topology, order: &NodeOrder) -> Panels {
    let places = topology.nodes().slot_count() as usize;
    let network = topology.network();
    let per = network.per_router() as usize;
    let level = network
        .levels()
        .into_iter()
        .filter(|level| !level.has_names())
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
    let path = level.is_none() && block == 1 && places <= MOST_PATH_CELLS;
    let panels = panels(order, vec![String::new()], (columns, chosen.len()), path, |node| {
        let (row, within) = (node.index() / unit, node.index() % unit);
        Some((chosen.binary_search(&row).ok()? * columns + within / block, within))
    });
    let mut notes = Vec::new();
    if let Some((name, _)) = level.as_ref().filter(|_| chosen.len() < units) {
        notes.push(format!("{} of {} units ({name}) shown", chosen.len(), thousands(units as u64)));
    }
    if block > 1 {
        notes.push(format!("a cell is {block} consecutive ids, coloured by the first of them"));
    }
    notes.extend(path_note(&panels));
    let (across, up) = match level {
        Some((name, _)) => (format!("node within its {name}"), name.to_string()),
        None if panels[0].rows == 1 => ("node id".to_string(), String::new()),
        None => (format!("node id, {} a row", thousands(unit as u64)), String::new()),
    };
    Panels { panels, across, up, from_bottom: false, note: notes.join("; ") }
}

fn path_note(panels: &[Panel]) -> Option<String> {
    let drawn = panels.iter().any(|p| !p.steps.is_empty());
    let within = if panels.len() > 1 { " within each slice" } else { "" };
    drawn.then(|| format!("the line is the path by rank{within}, from the dot; jumps are thin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay(spec: &str, order: &str) -> Panels {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::make(&topology, order).unwrap();
        panels_of(&topology, &order)
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
