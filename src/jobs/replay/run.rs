//! The loop over the blocks of a log, which drives many replays side by side.

use rayon::prelude::*;

use super::figures::Placed;
use super::single::{Clock, Replay};
use nodeorder_base::{Error, Result};
use nodeorder_trace::{Block, Log};

/// Number of events in a block.
const BLOCK_EVENTS: usize = 1 << 12;

/// Placements of one block by one replay.
pub struct BlockResult<'s> {
    /// Index of the replay.
    pub replay: usize,
    /// Events of the block.
    pub block: &'s Block,
    /// Jobs that the replay placed, in the order of events.
    pub placed: &'s [Placed],
}

/// Buffer of the pipeline: a block of events and its placements by every replay.
#[derive(Default)]
struct PipelineBuffer {
    block: Block,
    /// Placements by replay.
    outcomes: Vec<Vec<Placed>>,
}

/// Drives `replays` through `log`, in parallel. `write` is called once for each block and replay, for each replay
/// in the log's order; `gather` afterwards, once a block, from the caller's thread and with the placements of every
/// replay. (As long as no allocator refuses jobs, a job is skipped by all of them or by none.)
///
/// Blocks go through a pipeline of three buffers: while one is stepped through, the next is read and the one before is
/// written. So a single replay, too, keeps more than one core busy.
///
/// ```text
/// read     0  1  2  3
/// step        0  1  2  3
/// write          0  1  2  3
/// ```
///
/// # Errors
/// Fails on a bad log, with file and line; if traffic takes too much memory; or as `write` and `gather` do.
pub fn run<E: From<Error> + Send>(
    log: &mut Log,
    replays: &mut [Replay<'_>],
    clock: Option<Clock<'_>>,
    write: impl Fn(BlockResult<'_>) -> Result<(), E> + Sync,
    mut gather: impl FnMut(&[Vec<Placed>]) -> Result<(), E>,
) -> Result<(), E> {
    let [mut ahead, mut stepping, mut writing] = std::array::from_fn(|_| PipelineBuffer {
        outcomes: vec![Vec::new(); replays.len()],
        ..PipelineBuffer::default()
    });
    let mut more = true;
    loop {
        let (read, (stepped, written)) = rayon::join(
            || Ok(more && log.next_block(BLOCK_EVENTS, &mut ahead.block)?),
            || {
                rayon::join(
                    || step_block(replays, &mut stepping, clock),
                    || write_block(&writing, &write),
                )
            },
        );
        // The error of the earliest block is reported first.
        written?;
        stepped?;
        // Empty in the first two rounds, while the pipeline fills.
        if !writing.block.events.is_empty() {
            gather(&writing.outcomes)?;
        }
        more = read?;
        std::mem::swap(&mut writing, &mut stepping);
        std::mem::swap(&mut stepping, &mut ahead);
        // The log has ended: the last two blocks still go through the pipeline.
        if !more {
            stepping.block = Block::default();
            if writing.block.events.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Steps every replay through a block. Fails as [`Replay::replay_block`].
fn step_block(
    replays: &mut [Replay<'_>],
    stage: &mut PipelineBuffer,
    clock: Option<Clock<'_>>,
) -> Result<()> {
    let lanes = replays.par_iter_mut().zip(&mut stage.outcomes);
    lanes.try_for_each(|(replay, placed)| replay.replay_block(&stage.block, clock, placed))
}

/// Hands the placements of a block by every replay to `write`. Fails as `write`.
fn write_block<E: Send>(
    stage: &PipelineBuffer,
    write: &(impl Fn(BlockResult<'_>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let lanes = stage.outcomes.par_iter().enumerate();
    lanes.try_for_each(|(replay, placed)| {
        write(BlockResult {
            replay,
            block: &stage.block,
            placed,
        })
    })
}
