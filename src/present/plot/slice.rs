//! The links of one plane of a grid: the one with the busiest link.

use nodeorder_network::Metric;
use nodeorder_network::topology::Lattice;
use nodeorder_network::topology::distance::Shape;
use nodeorder_traffic::mapping::Fabric;

/// Cells along a side at most; more are cut off around the busiest link.
const SIDE: u32 = 32;

/// A directed link in the plane, from and to in cells. The two ends of a link that wraps around are drawn as
/// stubs.
pub struct Arrow {
    pub link: usize,
    pub from: (f64, f64),
    pub to: (f64, f64),
}

/// A plane of cells with its links.
pub struct Slice {
    /// Title: the place of the plane, such as `, z = 3`, and what is left out.
    pub title: String,
    /// Name and extent of the axis to the right, as a label; with the part shown if that is not all.
    pub across: String,
    /// Name and extent of the axis upwards, as [`Slice::across`] gives them.
    pub up: String,
    pub columns: usize,
    pub rows: usize,
    pub arrows: Vec<Arrow>,
}

/// Finds the plane through link `busiest` that holds it, spanned by its axis and the largest other one. `None` where
/// routers are no cells of a mesh or torus.
pub fn plane_of_link(fabric: &Fabric<'_>, busiest: Option<usize>) -> Option<Slice> {
    let lattice = fabric.topology.lattice()?;
    let cells = lattice.cell_count();
    // Links of a clique would cover one another.
    let grid = match fabric.topology.metric() {
        Metric::Product(product) => product.axes.iter().all(|a| a.shape != Shape::Clique),
        _ => false,
    };
    // Switches without coordinates, or several routers in a cell, have no place of their own in the plane.
    if !grid || lattice.cells.is_some() || cells != fabric.links.router_count() {
        return None;
    }
    let k = lattice.extents.len();
    let (from, to) = busiest.map_or((0, 0), |link| fabric.links.link_ends(link));
    let mut here = vec![0; k];
    let mut there = vec![0; k];
    lattice.coordinates(from, &mut here);
    lattice.coordinates(to, &mut there);
    let largest = |besides: Option<usize>| {
        let axes = (0..k).filter(|a| Some(*a) != besides && lattice.extents[*a] > 1);
        axes.max_by_key(|a| (lattice.extents[*a], std::cmp::Reverse(*a)))
    };
    let first = (0..k)
        .find(|a| here[*a] != there[*a])
        .or_else(|| largest(None))?;
    // The busiest link runs along the first axis, so that every plane through that axis holds it.
    let second = largest(Some(first))?;
    let across = first.min(second);
    let up = first.max(second);
    Some(lay_out_plane(fabric, lattice, &here, across, up))
}

fn lay_out_plane(
    fabric: &Fabric<'_>,
    lattice: &Lattice,
    here: &[u32],
    across: usize,
    up: usize,
) -> Slice {
    let window = |axis: usize| {
        let extent = lattice.extents[axis];
        let start = here[axis]
            .saturating_sub(SIDE / 2)
            .min(extent.saturating_sub(SIDE));
        start..extent.min(start + SIDE)
    };
    let columns = window(across);
    let rows = window(up);
    let mut arrows = Vec::new();
    let mut from = here.to_vec();
    let mut to = here.to_vec();
    for y in rows.clone() {
        for x in columns.clone() {
            (from[across], from[up]) = (x, y);
            let router = lattice.cell_at(&from);
            for (link, head) in fabric
                .links
                .links_from(router)
                .zip(fabric.links.heads_from(router))
            {
                lattice.coordinates(*head, &mut to);
                // It leaves the plane.
                if (0..to.len()).any(|a| a != across && a != up && to[a] != here[a]) {
                    continue;
                }
                let at = |p: &[u32]| {
                    let column = f64::from(p[across]) - f64::from(columns.start);
                    (column, f64::from(p[up]) - f64::from(rows.start))
                };
                let a = at(&from);
                let b = at(&to);
                let step = (b.0 - a.0, b.1 - a.1);
                let long = step.0.abs() + step.1.abs();
                if long <= 1.0 {
                    arrows.push(Arrow {
                        link,
                        from: a,
                        to: b,
                    });
                } else {
                    // Round the back: out on one side, in on the other.
                    let stub = (-0.5 * step.0 / long, -0.5 * step.1 / long);
                    arrows.push(Arrow {
                        link,
                        from: a,
                        to: (a.0 + stub.0, a.1 + stub.1),
                    });
                    arrows.push(Arrow {
                        link,
                        from: (b.0 - stub.0, b.1 - stub.1),
                        to: b,
                    });
                }
            }
        }
    }
    let others = (0..here.len()).filter(|a| *a != across && *a != up);
    let mut title: String = others
        .map(|a| format!(", {} = {}", lattice.axes[a], here[a]))
        .collect();
    let shown = |axis: usize, window: &std::ops::Range<u32>| {
        let name = &lattice.axes[axis];
        let extent = lattice.extents[axis];
        if window.len() as u32 == extent {
            format!("{name} ({extent})")
        } else {
            format!(
                "{name} ({} to {} of {extent})",
                window.start,
                window.end - 1
            )
        }
    };
    if here.len() > 2 {
        title += ": the plane of the busiest link";
    }
    Slice {
        title,
        across: shown(across, &columns),
        up: shown(up, &rows),
        columns: columns.len(),
        rows: rows.len(),
        arrows,
    }
}
