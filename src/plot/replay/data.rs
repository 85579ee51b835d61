//! What the figures of replays are drawn from.

use super::super::kit::*;

/// One of several things that a figure compares.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    /// What the user called it.
    pub label: &'a str,
    /// Its number as the user named them: decides its colour.
    pub slot: usize,
    /// What is drawn of it.
    pub data: T,
}

/// A panel of bars.
#[derive(Clone, Copy, Debug)]
pub struct BarPanel<'a> {
    /// Its name, above it.
    pub name: &'a str,
    /// What its axis is of, and the unit.
    pub axis: &'a str,
    /// Decimals of the numbers beside the bars; none from 10,000.
    pub decimals: usize,
}

/// Values of one allocator or machine: job size in nodes and value.
pub type Line<'a> = Row<'a, &'a [(u32, f64)]>;
/// The jobs of one log: job size in nodes and how many jobs have it.
pub type Jobs<'a> = Row<'a, &'a [(u32, u64)]>;
/// One allocator's means.
pub type Bars<'a> = Row<'a, Means>;
/// One allocator's spreads, a size each.
pub type Range<'a> = Row<'a, &'a [Spread]>;
/// A family of allocators: the value of its parameter and the means with it.
pub type Sweep<'a> = Row<'a, &'a [(u32, Means)]>;

/// Means over small jobs, large jobs and all; none where there is no such job.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Means {
    /// Sizes up to [`crate::replay::statistics::SMALL`].
    pub small: Option<f64>,
    /// Sizes above.
    pub large: Option<f64>,
    /// Both.
    pub overall: Option<f64>,
}

/// The mean distances (MIND, in hops) of jobs of one size: the smallest, their mean and the largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Job size in nodes.
    pub size: u32,
    /// The smallest.
    pub least: f64,
    /// Their mean.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}

/// What an allocator does on one machine.
#[derive(Clone, Copy, Debug)]
pub struct OnMachine<'a> {
    /// Job size in nodes and mean MIND in hops.
    pub mind: &'a [(u32, f64)],
    /// Job size in nodes and by how many hops the baseline's mean MIND is larger.
    pub gain: &'a [(u32, f64)],
}

/// One ordering's forecast and what replays gave.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// Its weighted MPC in hops.
    pub forecast: f64,
    /// Mean MIND of its replays in hops, one an allocator; none where no job had two nodes.
    pub outcome: &'a [Option<f64>],
}

/// One ordering's curve and what replays gave, size by size.
#[derive(Clone, Copy, Debug)]
pub struct Overlay<'a> {
    /// MPC in hops of 2, 3, … nodes.
    pub curve: &'a [f64],
    /// Job size in nodes and mean MIND in hops, one list an allocator.
    pub means: &'a [Vec<(u32, f64)>],
}

/// Sizes and values that can be drawn.
pub(super) fn drawable(points: impl IntoIterator<Item = (u32, f64)>) -> Vec<Point> {
    let good = |(size, value): &(u32, f64)| *size > 0 && value.is_finite();
    points.into_iter().filter(good).map(|(size, value)| (f64::from(size), value)).collect()
}

/// The labels of rows as a list in a sentence, and their legend.
pub(super) fn named<T>(rows: &[Row<'_, T>], sample: Sample) -> (String, Legend) {
    let legend = Legend::new(sample, rows.iter().map(|row| (row.label, row.slot)));
    (list(rows.iter().map(|row| row.label)), legend)
}
