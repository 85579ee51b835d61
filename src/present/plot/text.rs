//! Text: how large, how wide, and what fits. The font is embedded; no system font is asked for.

use std::sync::Once;

use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, TextStyle, register_font};
use plotters_backend::{BackendCoord, BackendTextStyle};

use super::palette::{INK, Rgb, to_backend_colour};

/// The name under which the embedded font is known to plotters.
const FAMILY: &str = "sans-serif";

/// Plotters takes the height of a line (ascent to descent) where people name the em: Noto Sans' ratio.
const FONT_SCALE: f64 = 1.362;

/// How far the baseline lies above the lower edge of a text, as a share of the font size.
pub const DESCENT: f64 = 0.25;

/// Size, weight, colour and anchor of a text.
#[derive(Clone, Copy)]
pub struct Text {
    pub size: f64,
    pub colour: Rgb,
    pub bold: bool,
    pub anchor: HPos,
    pub upwards: bool,
}

impl Text {
    pub fn new(size: f64) -> Self {
        Text {
            size,
            colour: INK,
            bold: false,
            anchor: HPos::Left,
            upwards: false,
        }
    }

    /// Takes over a style of plotters, its size in device units an em. Texts are never transparent.
    pub fn from_style(style: &impl BackendTextStyle) -> Self {
        Text {
            size: em_size(style),
            colour: style.color().rgb,
            bold: matches!(style.style(), FontStyle::Bold),
            anchor: style.anchor().h_pos,
            upwards: matches!(style.transform(), FontTransform::Rotate270),
        }
    }

    pub fn with_colour(self, colour: Rgb) -> Self {
        Text { colour, ..self }
    }

    pub fn centred(self) -> Self {
        Text {
            anchor: HPos::Center,
            ..self
        }
    }

    pub fn right_aligned(self) -> Self {
        Text {
            anchor: HPos::Right,
            ..self
        }
    }

    pub fn bold(self) -> Self {
        Text { bold: true, ..self }
    }

    pub fn upwards(self) -> Self {
        Text {
            upwards: true,
            ..self
        }
    }

    /// Converts the style for plotters, at `scale` device units a pixel; anchored at its upper edge as legends
    /// want it.
    pub fn plotters_style(&self, scale: f64) -> TextStyle<'static> {
        let weight = if self.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let size = self.size * FONT_SCALE * scale;
        let mut font = FontDesc::new(FontFamily::Name(FAMILY), size, weight);
        if self.upwards {
            font = font.transform(FontTransform::Rotate270);
        }
        let color = to_backend_colour(self.colour, 1.0);
        let pos = Pos::new(self.anchor, VPos::Top);
        TextStyle { font, color, pos }
    }

    /// Estimates the room for `text` in pixels. A tenth more than in Noto Sans: the reader's font may be wider.
    pub fn estimate_width(&self, text: &str) -> f64 {
        register_fonts();
        let style = Text {
            upwards: false,
            ..*self
        }
        .plotters_style(1.0);
        style
            .layout_box(text)
            .map_or(0.0, |(_, (w, _))| f64::from(w) * 1.1 + 1.0)
    }

    /// Cuts out the middle of `text` if it is wider than `room`: both ends of an ordering's name tell.
    pub fn cut_to_width(&self, text: &str, room: f64) -> String {
        if self.estimate_width(text) <= room {
            return text.to_string();
        }
        // No figure has room for 200 characters, and each step measures the text anew.
        let mut keep = text.chars().count().min(200).saturating_sub(1);
        while keep > 0 && self.estimate_width(&cut_middle(text, keep)) > room {
            keep -= 1;
        }
        cut_middle(text, keep)
    }
}

/// Cuts out the middle of a text, so that at most `keep` characters are left.
pub fn cut_middle(text: &str, keep: usize) -> String {
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= keep {
        return text.to_string();
    }
    let head: String = chars[..keep.div_ceil(2)].iter().collect();
    let tail: String = chars[chars.len() - keep / 2..].iter().collect();
    format!("{head}…{tail}")
}

/// Makes the embedded font known to plotters, once.
pub fn register_fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Data of this crate: that they parse is tested by every figure with text.
        let _ = register_font(FAMILY, FontStyle::Normal, notosans::REGULAR_TTF);
        let _ = register_font(FAMILY, FontStyle::Bold, notosans::BOLD_TTF);
    });
}

/// Computes the size of a style in device units an em.
fn em_size(style: &impl BackendTextStyle) -> f64 {
    style.size() / FONT_SCALE
}

/// Computes where the baseline of a text anchored at `at` starts, is centred or ends.
pub fn baseline_start(style: &impl BackendTextStyle, (x, y): BackendCoord) -> BackendCoord {
    let below = match style.anchor().v_pos {
        VPos::Top => 0.9,
        VPos::Center => 0.35,
        VPos::Bottom => -DESCENT,
    };
    let below = (em_size(style) * below).round() as i32;
    match style.transform() {
        FontTransform::Rotate270 => (x + below, y),
        _ => (x, y + below),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_measured_and_cut_in_the_middle() {
        let style = Text::new(13.0);
        assert!(
            (30.0..50.0).contains(&style.estimate_width("snake:")),
            "{}",
            style.estimate_width("snake:")
        );
        let cut = style.cut_to_width("brick:size=2x2x2,inner=snake,outer=hilbert", 120.0);
        assert!(
            cut.starts_with("brick") && cut.ends_with("bert") && cut.contains('…'),
            "{cut}"
        );
        assert!(style.estimate_width(&cut) <= 120.0);
    }
}
