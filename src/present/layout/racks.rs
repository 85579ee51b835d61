//! The layout of trees whose leaf switches differ or have names: racks in rows, a row or more for each unit around
//! them.

use super::parts::{FRAMES, Frame, Layout, flat_layout};
use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;

/// Room between racks and around their nodes, in cells.
const GAP: f64 = 0.4;
const PAD: f64 = 0.15;
/// Height of a title, in cells, and about the width of one of its letters.
const HEAD: f64 = 1.0;
const LETTER: f64 = 0.52;

/// Lays out leaf switches as named racks of nodes, in rows under the names of the units that hold them. `None` if the
/// machine has no leaf switches, or too many.
pub fn lay_out_racks(topology: &Topology) -> Option<Layout> {
    let slots = topology.nodes().slot_count();
    let levels = topology.network().levels();
    let leaf = levels.last()?;
    let count = leaf.unit_count(slots);
    if count as usize > FRAMES {
        return None;
    }
    let letters = (0..count).map(|unit| leaf.unit_name(unit).chars().count());
    // A long name is no reason for an empty rack.
    let name_room = LETTER * letters.max()?.min(12) as f64 + GAP;
    // Racks are about square, and as wide as their names need.
    let columns = f64::from(leaf.slots).sqrt().max(name_room).ceil() as u32;
    let width = f64::from(columns) + 2.0 * PAD;
    let tall = |nodes: u32| f64::from(nodes.div_ceil(columns)) + 2.0 * PAD + HEAD;
    let largest = tall(leaf.slots);
    // About half as wide again as high.
    let across = (1.5 * f64::from(count) * largest / width).sqrt().ceil();
    let wrap = across.max(1.0) * (width + GAP);
    // The level above the leaves, where there is one: its units begin rows.
    let around = levels.len().checked_sub(2).map(|above| &levels[above]);
    let mut layout = flat_layout(slots as usize, (0.0, 0.0), Vec::new());
    layout.points = vec![0.0; 2 * slots as usize];
    let mut y = 0.0;
    let mut x = 0.0;
    let mut row = 0.0;
    let mut inside = None;
    for unit in 0..count {
        let ids = leaf.node_ids_of(unit, slots);
        let own = around.map(|level| level.unit_of(NodeId(ids.start)));
        if x + width > wrap || (own != inside && unit > 0) {
            y += row;
            x = 0.0;
            row = 0.0;
        }
        // A name above its racks, once.
        if own != inside {
            layout.frames.extend(
                around
                    .zip(own)
                    .map(|(level, own)| title_frame(level, own, y, wrap)),
            );
            y += HEAD;
            inside = own;
        }
        let high = tall(ids.len() as u32);
        row = f64::max(row, high + GAP);
        layout.frames.push(Frame {
            x,
            y,
            w: width,
            h: high,
            title: leaf.unit_name(unit),
            head: HEAD,
            ..Frame::default()
        });
        for (i, id) in (0..).zip(ids) {
            layout.points[2 * id as usize] = x + PAD + f64::from(i % columns) + 0.5;
            layout.points[2 * id as usize + 1] = y + PAD + HEAD + f64::from(i / columns) + 0.5;
        }
        x += width + GAP;
        layout.width = layout.width.max(x - GAP);
    }
    layout.height = y + row - GAP;
    layout.sparse = true;
    layout.about = format!("A box is one {}; a square is a node.", leaf.name);
    Some(layout)
}

/// Makes the title of a unit of racks: text without a line.
fn title_frame(level: &Level, unit: u32, y: f64, width: f64) -> Frame {
    Frame {
        y,
        w: width,
        h: HEAD,
        title: level.unit_name(unit),
        head: HEAD,
        bare: true,
        ..Frame::default()
    }
}
