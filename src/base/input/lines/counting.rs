//! A source of bytes that are counted.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A source that counts the bytes it gives.
pub(super) struct Counting {
    pub source: Box<dyn Read + Send>,
    pub count: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(buffer)?;
        // Only a display of progress reads it: it may lag, and guards no other data.
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
