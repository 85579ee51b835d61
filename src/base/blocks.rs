//! Long texts written in blocks: threads make them, the caller's thread writes them in order.
//!
//! The bytes are those of one block after the other, whatever the number of threads.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;

/// Lines of text in a block.
const LINES: usize = 1 << 12;

/// Writes `count` lines: `make` appends the lines of a range to a text. While some blocks are written, the next are
/// made. Memory: four blocks a thread.
///
/// # Errors
/// Errors of `out` and `make`.
pub fn write_blocks(
    mut out: impl Write,
    count: usize,
    make: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
) -> io::Result<()> {
    // Two blocks a thread: one that is done early has another, and memory does not grow with the text.
    let at_once = 2 * rayon::current_num_threads();
    let fill = |texts: &mut Vec<Vec<u8>>, from: usize| {
        let blocks = count.saturating_sub(from).div_ceil(LINES).min(at_once);
        texts.resize_with(blocks, Vec::new);
        texts.par_iter_mut().enumerate().try_for_each(|(i, text)| {
            // The text of an earlier round keeps its memory, so that a long file allocates nothing more.
            text.clear();
            let first = from + i * LINES;
            make(first..count.min(first + LINES), text)
        })
    };
    let mut made = Vec::new();
    let mut next = Vec::new();
    let mut from = 0;
    fill(&mut made, from)?;
    while !made.is_empty() {
        from += made.len() * LINES;
        let mut filled = Ok(());
        let mut written = Ok(());
        // `out` may be bound to this thread, as standard output is.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| filled = fill(&mut next, from));
            written = made.iter().try_for_each(|text| out.write_all(text));
        });
        // Of two faults that of the writer comes first: its block is the earlier one in the text.
        written?;
        filled?;
        std::mem::swap(&mut made, &mut next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for count in [0, 1, LINES - 1, LINES, LINES + 1, 37 * LINES + 11] {
                let expected: String = (0..count).map(|line| format!("{line}\n")).collect();
                let mut out = Vec::new();
                pool.install(|| {
                    write_blocks(
                        &mut out,
                        count,
                        |lines: Range<usize>, text: &mut Vec<u8>| {
                            lines
                                .into_iter()
                                .try_for_each(|line| writeln!(text, "{line}"))
                        },
                    )
                })
                .unwrap();
                assert!(
                    out == expected.as_bytes(),
                    "{count} lines on {threads} threads"
                );
            }
        }
    }

    #[test]
    fn errors_of_either_side_end_the_writing() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self
                    .0
                    .checked_sub(bytes.len())
                    .ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let line = |lines: Range<usize>, text: &mut Vec<u8>| {
            text.resize(lines.len(), b'\n');
            Ok(())
        };
        let error = write_blocks(Full(9 * LINES), 99 * LINES, line).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let broken = |lines: Range<usize>, _: &mut Vec<u8>| {
            if lines.contains(&(50 * LINES)) {
                Err(io::ErrorKind::InvalidData.into())
            } else {
                Ok(())
            }
        };
        assert_eq!(
            write_blocks(io::sink(), 99 * LINES, broken)
                .unwrap_err()
                .kind(),
            io::ErrorKind::InvalidData
        );
    }
}
