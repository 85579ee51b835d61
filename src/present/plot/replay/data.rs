//! Data of the figures of replays.

use crate::plot::chart::{Legend, join_labels};
use crate::plot::element::{Point, Sample};

/// An ordering, allocator or machine that a figure compares with others, and its data.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'a, T> {
    /// Name in the legend.
    pub label: &'a str,
    /// Its index in the user's list; decides its colour and mark.
    pub slot: usize,
    /// Values to draw.
    pub data: T,
}

/// A panel of bars.
#[derive(Clone, Copy, Debug)]
pub struct BarPanel<'a> {
    /// Title above the panel.
    pub name: &'a str,
    /// Name and unit of the horizontal axis.
    pub axis: &'a str,
    /// Decimals of the numbers beside the bars; values from 10,000 have none.
    pub decimals: usize,
}

/// A line of one allocator: job sizes in nodes with their values.
pub type SizeLine<'a> = Labelled<'a, &'a [(u32, f64)]>;
/// The means of one allocator.
pub type Bars<'a> = Labelled<'a, Means>;
/// The spreads of one allocator, one for each job size.
pub type Range<'a> = Labelled<'a, &'a [Spread]>;

/// Means over small jobs (sizes up to [`nodeorder_jobs::replay::statistics::MAX_SMALL_JOB`]), large jobs and all
/// jobs; none where there is no such job.
pub type Means = [Option<f64>; 3];

/// The mean distances (MIND, in hops) of jobs of one size: the smallest, their mean and the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Job size in nodes.
    pub size: u32,
    /// Smallest value of a job of this size.
    pub least: f64,
    /// Mean value of the jobs of this size.
    pub mean: f64,
    /// Largest value of a job of this size.
    pub most: f64,
}

/// The forecast for one ordering and the outcome of its replays.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// Weighted MPC in hops.
    pub forecast: f64,
    /// Mean MIND in hops for each allocator; none where no job had two nodes.
    pub outcome: &'a [Option<f64>],
}

/// The MPC curve of one ordering and the means of its replays, by job size.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// MPC in hops for 2, 3, … nodes.
    pub curve: &'a [f64],
    /// For each allocator: job sizes in nodes with the mean MIND in hops.
    pub means: &'a [Vec<(u32, f64)>],
}

/// Keeps the sizes and values that can be drawn.
pub fn drawable_points(points: impl IntoIterator<Item = (u32, f64)>) -> Vec<Point> {
    points
        .into_iter()
        .filter(|(size, value)| *size > 0 && value.is_finite())
        .map(|(size, value)| (f64::from(size), value))
        .collect()
}

/// Joins the labels of rows as a list in a sentence, and makes their legend.
pub fn labels_and_legend<T>(rows: &[Labelled<'_, T>], sample: Sample) -> (String, Legend) {
    let legend = Legend::new(sample, rows.iter().map(|row| (row.label, row.slot)));
    (join_labels(rows.iter().map(|row| row.label)), legend)
}
