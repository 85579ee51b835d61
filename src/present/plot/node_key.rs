//! What the colours of a machine's nodes stand for, and the key beside the picture that says it.

use super::element::{Point, Stroke};
use super::palette::{AXIS, GRID, HOLE, MUTED, RAMP_STEPS, Rgb, look_of_slot, ramp_colour};
use super::pen::{Pen, draw_upright_ramp};
use super::scale::format_thousands;
use super::text::Text;
use nodeorder_base::{NodeId, Result};

/// What the colours of cells stand for.
pub enum Key {
    /// Values from 0 to the last, along the ramp: what they are called, the last, and the labels of the lowest, the
    /// middle and the highest.
    Ramp(&'static str, u32, [String; 3]),
    /// Groups of nodes, with their names.
    Groups(Vec<(String, Rgb)>),
}

impl Key {
    /// Chooses the step of the colour ramp for a value.
    pub fn ramp_step(&self, value: u32) -> usize {
        match self {
            Key::Ramp(_, last, _) => value as usize * (RAMP_STEPS - 1) / (*last).max(1) as usize,
            // Groups have colours of their own and no path.
            Key::Groups(_) => 0,
        }
    }

    /// Chooses the colour of a value.
    pub fn colour(&self, value: u32) -> Rgb {
        match self {
            Key::Ramp(..) => ramp_colour(self.ramp_step(value)),
            Key::Groups(groups) => groups[value as usize].1,
        }
    }

    /// Makes the key of groups, in their order.
    pub fn of_groups(groups: &[NodeGroup]) -> Key {
        let colour = |slot| look_of_slot(slot).colour;
        let named = groups
            .iter()
            .map(|group| (group.label.clone(), group.slot.map_or(GRID, colour)));
        Key::Groups(named.collect())
    }

    /// Estimates the room that the key takes on the right, in pixels.
    pub fn estimate_room(&self) -> f64 {
        const LEAST: f64 = 110.0;
        match self {
            Key::Ramp(..) => LEAST,
            Key::Groups(groups) => {
                let text = Text::new(12.0);
                let widths = groups.iter().map(|group| text.estimate_width(&group.0));
                widths.fold(LEAST, |widest, width| widest.max(width + 62.0))
            }
        }
    }

    /// Draws the key, its ramp at most `height` high, and what cells without a value are where there are such `holes`.
    pub fn draw_key(
        &self,
        pen: &Pen<'_>,
        (left, mut top): Point,
        height: f64,
        holes: bool,
    ) -> Result<()> {
        let mut patches = Vec::new();
        match self {
            Key::Ramp(name, _, labels) => {
                let height = height.clamp(96.0, 256.0);
                draw_colour_bar(pen, (left, top), height, name, labels)?;
                top += height + 14.0;
            }
            Key::Groups(groups) => patches.extend(groups.iter().map(|(l, c)| (l.as_str(), *c))),
        }
        // Slots without a node are drawn in lattices only.
        if holes {
            patches.push(("no node", HOLE));
        }
        for (label, colour) in patches {
            pen.draw_rectangle((left, top), (16.0, 12.0), colour)?;
            let text = Text::new(12.0).with_colour(MUTED);
            pen.draw_text((left + 24.0, top + 10.5), label, &text)?;
            top += 20.0;
        }
        Ok(())
    }
}

/// Nodes of a machine that are drawn alike.
pub struct NodeGroup {
    /// Name in the legend, with its number of nodes.
    pub(super) label: String,
    /// Slot of the colour; `None` for pale nodes, which are the ground of the others.
    pub(super) slot: Option<usize>,
    pub(super) nodes: Vec<NodeId>,
}

impl NodeGroup {
    /// Makes a group whose label has its number of nodes.
    pub fn new(label: &str, slot: Option<usize>, nodes: Vec<NodeId>) -> Self {
        NodeGroup {
            label: format!("{label}: {}", format_thousands(nodes.len() as u64)),
            slot,
            nodes,
        }
    }
}

/// Draws the colours of the ramp with their name and labels.
fn draw_colour_bar(
    pen: &Pen<'_>,
    (left, top): Point,
    height: f64,
    name: &str,
    labels: &[String; 3],
) -> Result<()> {
    draw_upright_ramp(pen, (left, top), (16.0, height))?;
    let tick = Text::new(12.0).with_colour(MUTED);
    for (share, label) in [0.0, 0.5, 1.0].into_iter().zip(labels) {
        let y = top + height * (1.0 - share);
        pen.draw_polyline(
            &[(left + 16.0, y), (left + 20.0, y)],
            &Stroke::solid_line(AXIS, 1.0),
        )?;
        pen.draw_text((left + 24.0, y + 4.0), label, &tick)?;
    }
    pen.draw_text((left, top - 10.0), name, &Text::new(13.0))
}
