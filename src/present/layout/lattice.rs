//! Layouts by a machine's own coordinates: a box, or slices of it side by side.

use super::grid::Grid;
use super::parts::{Digit, EDGE, FRAMES, Frame, Layout, Part, flat_layout};
use nodeorder_network::Topology;
use nodeorder_network::topology::Lattice;

/// Most cells of a box, and most nodes of a list of cells.
const CELLS: usize = 100_000;

/// Sentence about cells that hold several nodes.
const SEVERAL: &str = " A cell with several nodes has the colour of its lowest rank.";

/// Finds the topology's lattice and its axes of more than one coordinate. `None` without a lattice, or with a list
/// of cells too long to be drawn from.
pub fn lattice_and_axes(topology: &Topology) -> Option<(&Lattice, Vec<usize>)> {
    let lattice = topology.lattice().filter(|lattice| {
        lattice
            .cells
            .as_ref()
            .is_none_or(|cells| cells.len() <= CELLS)
    })?;
    Some((
        lattice,
        (0..lattice.extents.len())
            .filter(|a| lattice.extents[*a] > 1)
            .collect(),
    ))
}

/// Lists the coordinates of a lattice as digits of a number, each with the text before its value, such as `x = `.
/// `per` consecutive numbers share a position: 1 for cells, the nodes of a router for node ids.
pub fn named_digits(lattice: &Lattice, per: u32) -> Vec<(String, Digit)> {
    let mut stride = per;
    let mut names = Vec::new();
    for (name, extent) in lattice.axes.iter().zip(&lattice.extents).rev() {
        names.push((format!("{name} = "), (stride, *extent)));
        stride *= extent;
    }
    names.reverse();
    names
}

/// Lays out a box, where exactly three axes have more than one coordinate.
pub fn lay_out_box(topology: &Topology) -> Option<Layout> {
    let (lattice, axes) = lattice_and_axes(topology)?;
    // A plane needs no third direction, and of four axes a box could not show one.
    if axes.len() != 3 || lattice.cell_count() > CELLS {
        return None;
    }
    let names = named_digits(lattice, 1);
    let per_cell = topology.network().per_router();
    let parts = (0..3)
        .map(|i: usize| {
            Part::line_part(
                names[axes[i]].1,
                [0.0; 3],
                [0, 1, 2].map(|k| f64::from(u8::from(k == i))),
            )
        })
        .collect();
    let extents = [0, 1, 2].map(|i| lattice.extents[axes[i]]);
    let called = [0, 1, 2].map(|i| lattice.axes[axes[i]].clone());
    let several = if lattice.cells.is_some() || per_cell > 1 {
        SEVERAL
    } else {
        ""
    };
    let about = format!(
        "A {} × {} × {} box, drawn with its coordinates {}.{several}",
        extents[0],
        extents[1],
        extents[2],
        called.join(", ")
    );
    Some(Layout {
        count: lattice.cell_count() as u32,
        cells: lattice.cells.clone(),
        per_cell,
        solid: Some((extents, called)),
        parts,
        names,
        about,
        ..Layout::default()
    })
}

/// Lays out planes of the two longest axes side by side. `None` where there are no two axes or too many planes.
pub fn lay_out_slices(
    topology: &Topology,
    lattice: &Lattice,
    mut axes: Vec<usize>,
    split: u32,
) -> Option<Layout> {
    if axes.len() < 2 {
        return None;
    }
    axes.sort_by_key(|a| (std::cmp::Reverse(lattice.extents[*a]), *a));
    // Of the two the first in the coordinates goes across, as x does.
    let across = axes[0].min(axes[1]);
    let up = axes[0].max(axes[1]);
    let others: Vec<usize> = (0..lattice.extents.len())
        .filter(|a| *a != across && *a != up)
        .collect();
    // Nodes of a router stand in its square, as far as there are coordinates of routers.
    let (split, per_cell) = match lattice.cells {
        Some(_) => (1, 1),
        None => (split, topology.network().per_router() / split),
    };
    let names = named_digits(lattice, split);
    let w = f64::from(lattice.extents[across]);
    let h = f64::from(lattice.extents[up]);
    let panels: usize = others
        .iter()
        .map(|a| lattice.extents[*a] as usize)
        .product();
    // Rows of node ids say more than thousands of slices.
    if panels > FRAMES {
        return None;
    }
    // A single plane needs no title above it: the axes say all.
    let head = if panels > 1 { (0.14 * h).max(1.0) } else { 0.0 };
    let gap = if panels > 1 {
        0.12 * w.max(h) + 0.5
    } else {
        0.0
    };
    let grid = Grid::new(panels, (w, h + head), gap, 1.6);
    let fine = f64::from(split).sqrt().ceil();
    let small = Grid {
        count: split as usize,
        columns: fine as usize,
        step: (1.0 / fine, 1.0 / fine),
        gap: 0.0,
    };
    let digits = others.iter().map(|a| names[*a].1).collect();
    let parts = vec![
        Part::grid_part(digits, &grid, (0.0, head + h - 1.0)),
        Part::line_part(names[across].1, [0.0; 3], [1.0, 0.0, 0.0]),
        Part::line_part(names[up].1, [0.0; 3], [0.0, -1.0, 0.0]),
        Part::grid_part(vec![(1, split)], &small, (0.5 / fine, 0.5 / fine)),
    ];
    // A lattice of the other axes numbers panels as the digits of the first part do, so that titles fit positions.
    let within = Lattice::with_router_cells(
        others.iter().map(|a| lattice.extents[*a]).collect(),
        Vec::new(),
    );
    let mut at = vec![0; others.len()];
    let mut frames = Vec::new();
    for panel in (0..panels).filter(|_| panels > 1) {
        within.coordinates(panel as u32, &mut at);
        let long = others
            .iter()
            .zip(&at)
            // An axis of one position would say the same in every title.
            .filter(|(axis, _)| lattice.extents[**axis] > 1);
        let titles: Vec<String> = long
            .map(|(axis, x)| format!("{}{x}", names[*axis].0))
            .collect();
        let ((x, y), h) = (grid.block_corner(panel), h + head);
        let title = titles.join(", ");
        let short = title.replace(" = ", "").replace(',', "");
        frames.push(Frame {
            x,
            y,
            w,
            h,
            title,
            short,
            head,
            bare: true,
            faint: false,
        });
    }
    let each = match panels {
        0 | 1 => "",
        _ => ", a panel for each position along the other axes",
    };
    let side = match split {
        1 => String::new(),
        n => format!("; a router's {n} nodes stand side by side"),
    };
    let several = if lattice.cells.is_some() || per_cell > 1 {
        SEVERAL
    } else {
        ""
    };
    let right = &lattice.axes[across];
    let upwards = &lattice.axes[up];
    let about = format!("{right} to the right, {upwards} upwards{each}{side}.{several}");
    Some(Layout {
        cells: lattice.cells.clone(),
        per_cell,
        edge: EDGE / fine,
        axes: [across, up]
            .map(|a| (lattice.axes[a].clone(), lattice.extents[a]))
            .into(),
        frames,
        names,
        about,
        ..flat_layout(
            lattice.cell_count() * split as usize,
            grid.block_size(),
            parts,
        )
    })
}
