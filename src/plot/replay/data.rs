//! What the figures of replays are drawn from.

/// Values by job size, of one allocator or machine.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its number as the user named the lines.
    pub slot: usize,
    /// Job size in nodes and value.
    pub points: &'a [(u32, f64)],
}

/// The jobs of one log.
#[derive(Clone, Copy, Debug)]
pub struct Jobs<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its number as the user named the logs.
    pub slot: usize,
    /// Job size in nodes and how many jobs have it.
    pub jobs: &'a [(u32, u64)],
}

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

/// One allocator's means.
#[derive(Clone, Copy, Debug)]
pub struct Bars<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its number as the user named the allocators.
    pub slot: usize,
    /// Its means.
    pub means: Means,
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

/// One allocator's spreads.
#[derive(Clone, Copy, Debug)]
pub struct Range<'a> {
    /// What the user called it.
    pub label: &'a str,
    /// Its number as the user named the allocators.
    pub slot: usize,
    /// A row a size.
    pub sizes: &'a [Spread],
}

/// The means of one family of allocators, by the value of its parameter.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a> {
    /// The family's name.
    pub label: &'a str,
    /// Its number as the user named the families.
    pub slot: usize,
    /// The parameter and the means with it.
    pub points: &'a [(u32, Means)],
}

/// What an allocator does on one machine.
#[derive(Clone, Copy, Debug)]
pub struct OnMachine<'a> {
    /// The machine.
    pub label: &'a str,
    /// Its number as the user named the machines.
    pub slot: usize,
    /// Job size in nodes and mean MIND in hops.
    pub mind: &'a [(u32, f64)],
    /// Job size in nodes and by how many hops the baseline's mean MIND is larger.
    pub gain: &'a [(u32, f64)],
}

/// One ordering's forecast and what replays gave.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    /// The ordering.
    pub label: &'a str,
    /// Its number as the user named the orderings.
    pub slot: usize,
    /// Its weighted MPC in hops.
    pub forecast: f64,
    /// Mean MIND of its replays in hops, one an allocator; none where no job had two nodes.
    pub outcome: &'a [Option<f64>],
}

/// Labels as a list in a sentence.
pub(super) fn list<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    labels.collect::<Vec<_>>().join("; ")
}
