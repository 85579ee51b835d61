//! Names that every figure imports.

pub(super) use super::chart::{
    BELOW, Chart, LOG_SIZES, Legend, MARGIN, Panel, TOP, WIDTH, beside, falling, list, panel_title,
};
pub(super) use super::drawing::Figure;
pub(super) use super::element::{BAND, Point, Sample, Stroke};
pub(super) use super::palette::{
    AXIS, GRID, HOLE, INK, Look, MUTED, Mark, RAMP_STEPS, Rgb, look, ramp,
};
pub(super) use super::pen::{Pen, upright_ramp};
pub(super) use super::scale::{LOG_TICK, Scale, bounds, brief, fixed, thousands};
pub(super) use super::text::Text;
pub(super) use nodeorder_base::error::Result;
