//! The rows of several replays that run side by side, in one table: all rows of the first, then of the second.

use std::io::{self, Seek, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use tempfile::SpooledTempFile;

use super::output::{self, Output};
use crate::ordering::NodeOrder;
use crate::replay::Step;
use crate::replay::set::Label;
use crate::report::hosts::Hosts;
use crate::report::replay::Columns;
use crate::topology::Topology;

/// Rows of one replay kept in memory before they go to a temporary file, in bytes.
const SPOOL: usize = 1 << 20;

/// The rows of one block of events, made in parallel.
pub struct BlockRows<'a> {
    columns: Columns,
    /// The ordering and the allocator of each replay.
    lanes: Vec<(Hosts<'a>, &'a str)>,
    texts: Vec<Mutex<Vec<u8>>>,
}

impl<'a> BlockRows<'a> {
    /// Rows of the replays with these labels, on orderings of `topology`; other replays have none.
    pub fn new(
        columns: Columns,
        labels: &[Label<'a>],
        topology: &'a Topology,
        orders: &'a [NodeOrder],
    ) -> Self {
        let lanes: Vec<_> = (labels.iter())
            .filter_map(|label| {
                let order = orders.iter().find(|order| order.label() == label.ordering)?;
                Some((Hosts { topology, order }, label.allocator))
            })
            .collect();
        let texts = lanes.iter().map(|_| Mutex::default()).collect();
        BlockRows { columns, lanes, texts }
    }

    /// Makes the rows of one replay.
    pub fn write(&self, step: &Step<'_>) -> anyhow::Result<()> {
        let lane = self.lanes.get(step.replay);
        if let Some(((hosts, allocator), text)) = lane.zip(self.texts.get(step.replay)) {
            let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
            text.clear();
            self.columns.write(step, *hosts, allocator, &mut *text)?;
        }
        Ok(())
    }
}

/// The table being written. Rows of the first replay go out at once, those of the others wait for their turn.
pub struct RowFile<'p> {
    path: Option<&'p Path>,
    out: Output,
    waiting: Vec<SpooledTempFile>,
}

impl<'p> RowFile<'p> {
    /// Opens the table and writes its header.
    pub fn create(
        path: Option<&'p Path>,
        header: impl FnOnce(&mut Output) -> io::Result<()>,
    ) -> anyhow::Result<Self> {
        let mut out = Output::open(path)?;
        header(&mut out).with_context(|| output::name(path))?;
        Ok(RowFile { path, out, waiting: Vec::new() })
    }

    /// Adds rows of replay `i`.
    pub fn add(&mut self, i: usize, rows: &[u8]) -> anyhow::Result<()> {
        let Some(later) = i.checked_sub(1) else {
            return self.out.write_all(rows).with_context(|| output::name(self.path));
        };
        let known = self.waiting.len().max(i);
        self.waiting.resize_with(known, || SpooledTempFile::new(SPOOL));
        self.waiting[later].write_all(rows).context("a temporary file: writing")
    }

    /// Adds the rows of a block.
    pub fn append(&mut self, block: &BlockRows<'_>) -> anyhow::Result<()> {
        let texts =
            block.texts.iter().map(|text| text.lock().unwrap_or_else(PoisonError::into_inner));
        texts.enumerate().try_for_each(|(i, text)| self.add(i, &text))
    }

    /// Puts the rows together.
    pub fn finish(mut self) -> anyhow::Result<()> {
        for rows in &mut self.waiting {
            rows.rewind()?;
            std::io::copy(rows, &mut self.out).with_context(|| output::name(self.path))?;
        }
        self.out.finish()
    }
}
