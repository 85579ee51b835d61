//! A placement log in numbers.

use std::collections::BTreeMap;

use super::log::{Block, Event, Log};
use nodeorder_base::Result;

/// Counts over a whole log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Jobs placed.
    pub placements: u64,
    /// Jobs freed.
    pub frees: u64,
    /// The most jobs that lived at once.
    pub most_jobs: u64,
    /// The most nodes that the live jobs wanted at once: on a smaller machine some job does not fit.
    pub most_nodes: u64,
    /// Jobs by size.
    pub sizes: BTreeMap<u32, u64>,
}

/// Bytes that a size and its number of jobs take in a tree.
const SIZE_BYTES: usize = 32;

/// Reads `log` to its end.
///
/// # Errors
/// As [`Log::next_block`]; more sizes than its memory holds.
///
/// # Complexity
/// O(bytes) time; memory for the live jobs and the different sizes.
pub fn survey_log(mut log: Log) -> Result<Survey> {
    let mut survey = Survey::default();
    let (mut held, mut busy, mut block): (Vec<u32>, u64, _) = (Vec::new(), 0, Block::default());
    while log.next_block(1 << 14, &mut block)? {
        let before = survey.sizes.len() + held.len();
        for event in &block.events {
            match *event {
                Event::Place { job, nodes } => {
                    survey.placements += 1;
                    *survey.sizes.entry(nodes).or_default() += 1;
                    if held.len() <= job.index() {
                        held.resize(job.index() + 1, 0);
                    }
                    held[job.index()] = nodes;
                    busy += u64::from(nodes);
                    survey.most_nodes = survey.most_nodes.max(busy);
                }
                // What jobs want does not depend on the nodes that are up; what becomes of them is for a replay to
                // say.
                Event::Down | Event::Up => {}
                Event::Free { job } => {
                    survey.frees += 1;
                    busy -= u64::from(held[job.index()]);
                }
            }
        }
        log.charge_memory(
            SIZE_BYTES * (survey.sizes.len() + held.len() - before),
            "job sizes",
        )?;
    }
    survey.most_jobs = log.key_count() as u64;
    Ok(survey)
}
