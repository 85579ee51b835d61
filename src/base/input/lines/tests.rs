//! Lines of streams against those of texts.

use super::*;
use crate::input::Text;
use proptest::prelude::*;

/// Hands out its bytes in pieces of `step`, as a pipe may.
struct Dripping(std::io::Cursor<Vec<u8>>, usize);

impl Read for Dripping {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let step = self.1.min(buffer.len());
        self.0.read(&mut buffer[..step])
    }
}

proptest! {
    #[test]
    fn a_stream_has_the_lines_of_the_text(
        text in "\u{feff}?([ab#\t é]{0,9}(\r|\r?\n)){0,20}[ab #]{0,5}",
        step in 1usize..9,
        peeked in 0usize..30,
    ) {
        let whole = Text::new("t", text.clone());
        let expected: Vec<_> = whole.data_lines().map(|l| (l.number, l.text.to_string())).collect();
        let drip = || Lines::from_source("t", Box::new(Dripping(std::io::Cursor::new(text.clone().into()), step)));
        let mut lines = drip();
        let mut left = peeked;
        lines.peek_lines(|_, _| { left = left.saturating_sub(1); (left == 0).then_some(()) }).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.read_data_line().unwrap() {
            seen.push((line.number, line.text.to_string()));
        }
        prop_assert_eq!(seen, expected);
        let mut lines = drip();
        let mut seen = Vec::new();
        while let Some(line) = lines.read_line().unwrap() {
            seen.push((line.number, line.text().unwrap().to_string()));
        }
        let expected: Vec<_> = whole.lines().map(|l| (l.number, l.text.to_string())).collect();
        prop_assert_eq!(seen, expected);
    }
}

#[test]
fn a_byte_order_mark_in_pieces_is_an_empty_text() {
    let bytes = std::io::Cursor::new("\u{feff}".into());
    let mut lines = Lines::from_source("t", Box::new(Dripping(bytes, 1)));
    lines.peek_lines(|_, _| Some(())).unwrap();
    assert!(lines.read_data_line().unwrap().is_none());
}

#[test]
fn a_stream_holds_one_piece_and_refuses_endless_lines() {
    let mut lines = Lines::new("t", "12345678\n".repeat(100_000));
    while lines.read_line().unwrap().is_some() {}
    assert_eq!(
        (lines.line_number(), lines.buffer.len()),
        (100_000, Lines::PIECE)
    );
    let mut lines = Lines::new("t", format!("short\n{}", "x".repeat(3 * Lines::LONGEST)));
    assert!(lines.read_line().unwrap().is_some());
    let error = lines.read_line().unwrap_err().to_string();
    assert!(
        error.starts_with("t:2: found a line of more than 1048576 bytes"),
        "{error}"
    );
}

#[test]
fn a_stream_names_the_line_that_is_no_text() {
    let mut lines = Lines::new("t", b"ok\n# fine\n\xff\n".to_vec());
    assert_eq!(lines.read_data_line().unwrap().unwrap().text, "ok");
    assert!(
        lines
            .read_data_line()
            .unwrap_err()
            .to_string()
            .starts_with("t:3: ")
    );
}
