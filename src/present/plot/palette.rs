//! Colours, dashes and marks: told apart by people of any colour vision, in print and on a projector.
//!
//! A curve's look follows its *slot*, the number of its ordering as the user named them, so that an ordering
//! looks the same in every figure of a page, however it ranks.

use plotters::style::{RGBAColor, ShapeStyle};
use plotters_backend::BackendColor;
use serde::{Serialize, Serializer};

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// Colour of the drawing's ground.
pub const PAPER: Rgb = (255, 255, 255);
/// Colour of titles and labels.
pub const INK: Rgb = (33, 37, 41);
/// Colour of tick labels and notes.
pub const MUTED: Rgb = (92, 99, 106);
/// Colour of axes.
pub const AXIS: Rgb = (134, 142, 150);
/// Colour of grid lines.
pub const GRID: Rgb = (226, 230, 234);
/// Colour of cells without a node of the ordering.
pub const HOLE: Rgb = (236, 238, 240);

/// Okabe and Ito's colours without yellow, which vanishes on white; black last.
const HUES: [Rgb; 7] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (0, 0, 0),
];

/// Strokes and gaps in pixels; a curve beyond the last hue takes the next pattern.
const DASHES: [&[f64]; 4] = [&[], &[9.0, 4.0], &[2.5, 3.0], &[10.0, 3.5, 2.5, 3.5]];

/// The mark on a curve: a second cue beside its hue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// A filled circle.
    Disc,
    /// A filled square.
    Square,
    /// A filled triangle, point up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two crossed strokes.
    Cross,
}

/// Colour, dash and mark of a curve; also written to JSON for readers who draw curves themselves.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Look {
    /// Colour of the curve; `#rrggbb` in JSON.
    #[serde(serialize_with = "as_hex")]
    pub colour: Rgb,
    /// Lengths of strokes and gaps in turn, in pixels; empty for a line without gaps.
    pub dash: &'static [f64],
    /// The second cue beside its colour.
    pub mark: Mark,
}

fn as_hex<S: Serializer>(colour: &Rgb, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format_hex(*colour))
}

/// Formats a colour as `#rrggbb`.
pub fn format_hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Looks up the look of slot `slot`. The first 140 slots all differ.
pub fn look_of_slot(slot: usize) -> Look {
    const MARKS: [Mark; 5] = [
        Mark::Disc,
        Mark::Square,
        Mark::Triangle,
        Mark::Diamond,
        Mark::Cross,
    ];
    // Hues and marks go round in 7 and 5, which have no common divisor, so that 35 slots differ by these two alone.
    let hues = HUES.len();
    Look {
        colour: HUES[slot % hues],
        dash: DASHES[slot / hues % DASHES.len()],
        mark: MARKS[slot % MARKS.len()],
    }
}

/// Steps of [`ramp_colour`]: enough to look smooth, few enough that equal neighbours can be drawn as one.
pub const RAMP_STEPS: usize = 64;

/// Computes the colour at `step` of [`RAMP_STEPS`]: dark blue to yellow through green, of evenly rising lightness
/// (after viridis).
pub fn ramp_colour(step: usize) -> Rgb {
    const ANCHORS: [(f64, f64, f64); 9] = [
        (68.0, 1.0, 84.0),
        (71.0, 44.0, 122.0),
        (59.0, 81.0, 139.0),
        (44.0, 113.0, 142.0),
        (33.0, 144.0, 141.0),
        (39.0, 173.0, 129.0),
        (92.0, 200.0, 99.0),
        (170.0, 220.0, 50.0),
        (253.0, 231.0, 37.0),
    ];
    let x = step.min(RAMP_STEPS - 1) as f64 / (RAMP_STEPS - 1) as f64 * 8.0;
    let i = (x as usize).min(7);
    let a = ANCHORS[i];
    let b = ANCHORS[i + 1];
    let t = x - i as f64;
    let mix = |a: f64, b: f64| (a + (b - a) * t).round() as u8;
    (mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// Computes the relative luminance of a colour, from 0 (black) to 1 (white) (WCAG 2.2).
fn luminance((r, g, b): Rgb) -> f64 {
    let linear = [r, g, b].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// Chooses the colour of text on a coloured cell, a grey that dark pages turn only where they turn the cell.
pub fn ink_on(ground: Rgb) -> Rgb {
    if ground == (0, 0, 0) {
        return PAPER;
    }
    // Where black and white have the same contrast, which is 4.6 there.
    if luminance(ground) > 0.18 {
        (1, 1, 1)
    } else {
        (255, 255, 254)
    }
}

/// Converts a colour for the backends.
pub fn to_backend_colour(rgb: Rgb, alpha: f64) -> BackendColor {
    BackendColor { alpha, rgb }
}

/// Makes the style of an area filled with a colour.
pub fn fill_style((r, g, b): Rgb, alpha: f64) -> ShapeStyle {
    ShapeStyle {
        color: RGBAColor(r, g, b, alpha),
        filled: true,
        stroke_width: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_140_looks_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for slot in 0..140 {
            let Look { colour, dash, mark } = look_of_slot(slot);
            let first = dash.first().map(|x| x.to_bits());
            assert!(seen.insert((colour, dash.len(), first, mark as u8)));
        }
    }

    /// Also to readers without the sense of green (Machado, Oliveira, Fernandes 2009, severity 1).
    fn simulate_deuteranopia(rgb: Rgb) -> Rgb {
        const ROWS: [[f64; 3]; 3] = [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ];
        let linear = [rgb.0, rgb.1, rgb.2].map(|part| (f64::from(part) / 255.0).powf(2.2));
        let seen = ROWS.map(|row| {
            let sum: f64 = row.iter().zip(linear).map(|(a, b)| a * b).sum();
            (sum.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0) as u8
        });
        (seen[0], seen[1], seen[2])
    }

    /// Curves that look alike to them have other marks or dashes; in the simulation hues may fall together, never
    /// looks.
    #[test]
    fn looks_are_told_apart_without_green() {
        for a in 0..35 {
            for b in 0..a {
                let (one, other) = (look_of_slot(a), look_of_slot(b));
                let [x, y] = [one, other].map(|look| simulate_deuteranopia(look.colour));
                let apart =
                    x.0.abs_diff(y.0)
                        .max(x.1.abs_diff(y.1))
                        .max(x.2.abs_diff(y.2));
                assert!(
                    apart > 40 || one.mark != other.mark || one.dash != other.dash,
                    "slots {a} and {b}"
                );
            }
        }
        // The five curves of a page's chart by themselves, as lines.
        for (a, hue) in HUES.into_iter().enumerate() {
            for (b, other) in HUES[..a].iter().enumerate() {
                let [x, y] = [hue, *other].map(simulate_deuteranopia);
                let apart =
                    x.0.abs_diff(y.0)
                        .max(x.1.abs_diff(y.1))
                        .max(x.2.abs_diff(y.2));
                assert!(apart > 20, "hues {a} and {b}: {x:?} {y:?}");
            }
        }
    }

    #[test]
    fn the_ramp_grows_lighter_and_bears_text() {
        for step in 1..RAMP_STEPS {
            let light = luminance(ramp_colour(step));
            assert!(light > luminance(ramp_colour(step - 1)), "step {step}");
            let ink = luminance(ink_on(ramp_colour(step)));
            let contrast = (light.max(ink) + 0.05) / (light.min(ink) + 0.05);
            assert!(contrast >= 4.5, "step {step}: {contrast}");
        }
    }
}
