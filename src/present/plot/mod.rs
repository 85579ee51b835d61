//! Figures, as SVG text, PDF or PNG bytes: they read rows and never compute a metric.
//!
//! Plotters draws the charts: axes, ticks, curves, bars, legends (module `chart` says how ours look). Pictures
//! of machines are drawn in pixels by `pen::Pen`. Both go to one canvas: compact SVG (`svg`), PDF (`pdf`)
//! or plotters' own bitmap. Neither asks the system for a font.
//!
//! # Limits
//! A curve of many sizes is drawn with fewer points than it has: its ends and the lowest and highest of
//! each two pixels stay (module `thin`). The data are never altered.

pub mod audit;
mod calibration;
mod canvas;
mod chart;
mod corun;
mod curve;
mod drawing;
mod element;
mod heat_map;
mod load;
mod node_key;
mod node_map;
mod offers;
mod palette;
mod pdf;
mod pen;
pub mod replay;
mod scale;
pub mod schedule;
mod slice;
mod slowdown;
mod spark;
mod svg;
mod text;
mod thin;
mod winners;

pub use calibration::plot_calibration;
pub use corun::plot_corun;
pub use curve::{ABOVE_BEST_TOP, CLOSER, CurveValue, Limits, Series, SizeAxis, View};
pub use curve::{curves, curves_of_width, lowest_curve, mpc_plot};
pub use drawing::Figure;
pub use heat_map::HeatMap;
pub use load::{PlottedMapping, plot_mapping};
pub use node_key::NodeGroup;
pub use node_map::{plot_groups, plot_machine, plot_shares};
pub use offers::{OfferPanel, plot_offers};
pub use palette::{Look as Style, Mark, look_of_slot as style};
pub use scale::{format_briefly, format_fixed, format_thousands};
pub use slowdown::{SlowdownSeries, plot_slowdowns};
pub use spark::{plot_sample, plot_sparkline};
pub use svg::{STYLE, strip_for_page};
pub use text::cut_middle;
pub use winners::comparison_series;
pub use winners::plot_winners;

/// Lists the colours of ranks from the first to the last, as `#rrggbb`.
pub fn rank_colours() -> Vec<String> {
    (0..palette::RAMP_STEPS)
        .map(|step| palette::format_hex(palette::ramp_colour(step)))
        .collect()
}
