//! The layout of units within units.

use super::grid::{Grid, add_pairs};
use super::parts::{FRAMES, Frame, Layout, Part, flat_layout};
use nodeorder_base::NodeId;
use nodeorder_network::Topology;

/// Lays out units within units, the outermost framed and named. `None` if there are none.
pub fn lay_out_units(topology: &Topology) -> Option<Layout> {
    // Slots after the last schedulable node are no part of the machine.
    let slots = topology
        .nodes()
        .iter()
        .last()
        .map_or(0, |node| node.index() + 1);
    let exists = |unit: usize, nodes: usize| {
        (unit..unit + nodes).any(|node| topology.nodes().contains(NodeId(node as u32)))
    };
    let levels = topology.grid_levels();
    let units: Vec<(&str, usize)> = levels
        .iter()
        .map(|level| (&*level.name, level.slots as usize))
        .collect();
    let (name, outer) = *units.first()?;
    // From the inside out, since the size of a unit depends on what is in it: the grid in a unit, where it starts and
    // the stride of its digit; and the sizes of units.
    let mut grids = Vec::new();
    let mut sizes = vec![(1.0, 1.0)];
    for (k, (_, nodes)) in units.iter().enumerate().rev() {
        let inside = units.get(k + 1).map(|(_, nodes)| *nodes);
        let gap = if inside.is_some() { 0.35 } else { 0.0 };
        let shape = if k == 0 { 1.5 } else { 1.2 };
        let grid = Grid::new(
            nodes / inside.unwrap_or(1),
            sizes[sizes.len() - 1],
            gap,
            shape,
        );
        let (w, h) = grid.block_size();
        // Only outermost units have a title; in units within them it would be too small to read.
        let (pad, head) = if k == 0 {
            (0.45, (0.13 * h).max(0.9))
        } else {
            (0.12, 0.0)
        };
        grids.push((grid, (pad, pad + head), inside.unwrap_or(1)));
        sizes.push((w + 2.0 * pad, h + 2.0 * pad + head));
    }
    let size = sizes[units.len()];
    let all = Grid::new(slots.div_ceil(outer), size, 0.08 * size.0 + 0.3, 1.6);
    // The shift of the outermost unit is its border with the title; without the border it is the room of the title.
    let head = grids[units.len() - 1].1.1 - 0.45;
    grids.push((all, (0.0, 0.0), outer));
    grids.reverse();
    let mut frames = Vec::new();
    for (k, (_, nodes)) in units.iter().enumerate() {
        let (w, h) = sizes[units.len() - k];
        let framed = (0..slots)
            .step_by(*nodes)
            // Frames of a level are drawn all or none: some of them would look like a difference between units.
            .take_while(|_| slots / nodes <= FRAMES);
        // A unit without a schedulable node is a gap, as its cells are.
        for node in framed.filter(|unit| exists(*unit, *nodes)) {
            let (x, y) = grids[..=k]
                .iter()
                .map(|(grid, shift, stride)| {
                    add_pairs(grid.block_corner(node / stride % grid.count), *shift)
                })
                .fold((0.0, 0.0), add_pairs);
            let frame = Frame {
                x,
                y,
                w,
                h,
                ..Frame::default()
            };
            let title = format!("{name} {}", node / nodes);
            let short = (node / nodes).to_string();
            frames.push(match k {
                0 => Frame {
                    title,
                    short,
                    head,
                    ..frame
                },
                _ => Frame {
                    faint: true,
                    ..frame
                },
            });
        }
    }
    // Positions are the middles of the innermost squares.
    grids[units.len()].1 = add_pairs(grids[units.len()].1, (0.5, 0.5));
    let digit = |grid: &Grid, stride: usize| (stride as u32, grid.count as u32);
    let parts = grids
        .iter()
        .map(|(grid, shift, stride)| Part::grid_part(vec![digit(grid, *stride)], grid, *shift))
        .collect();
    // The digit of a unit is that of the grid it stands in; the innermost grid counts nodes and has no unit.
    let names = units.iter().zip(&grids);
    let inner: Vec<&str> = units[1..].iter().map(|(name, _)| *name).collect();
    let within = if inner.is_empty() {
        String::new()
    } else {
        format!(", the boxes in it are its units ({})", inner.join(", "))
    };
    Some(Layout {
        names: names
            .map(|((name, _), (g, _, s))| (format!("{name} "), digit(g, *s)))
            .collect(),
        about: format!("A box is one {name}{within}; a square is a node."),
        frames,
        sparse: true,
        ..flat_layout(slots, all.block_size(), parts)
    })
}
