//! Text from outside, made fit for a message.

use std::borrow::Cow;

/// Formats a number with commas: `19,200`.
pub fn format_thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a measured number in six significant digits at most.
pub fn format_six_digits(value: f64) -> String {
    // Rounded as decimal text: scaling by a power of ten would round a second time, in binary.
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    // A float never prints with an exponent by itself: beyond these it would be a long row of zeros.
    if rounded != 0.0 && !(1e-7..1e15).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    rounded.to_string()
}

/// Quotes a word as a shell takes it, where it needs quotes.
pub fn quote_word(word: &str) -> Cow<'_, str> {
    if word
        .chars()
        // No shell gives these a meaning; inside single quotes only the quote itself has one.
        .all(|c: char| c.is_ascii_alphanumeric() || "-_./:=,+".contains(c))
    {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

/// Makes text from outside safe for a message: on one line, without codes that steer a terminal, and cut in the
/// middle where it is too long to be read.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    // Beside control characters: line separators, and marks that turn the direction of text round.
    let strange =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // Escapes take up to eight times the room.
    let most = if text.contains(strange) { 250 } else { 1200 };
    if most == 1200 && text.len() <= most {
        return Cow::Borrowed(text);
    }
    let mut written = String::new();
    let mut write = |c: char| match c {
        '\t' => written.push(' '),
        c if strange(c) => written.extend(c.escape_default()),
        c => written.push(c),
    };
    if text.len() <= most {
        text.chars().for_each(write);
    } else {
        let tail: Vec<char> = text.chars().rev().take(50).collect();
        text.chars()
            .take(150)
            .chain(" … ".chars())
            .for_each(&mut write);
        tail.into_iter().rev().for_each(write);
    }
    Cow::Owned(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_kept_and_long_text_is_cut() {
        assert!(matches!(sanitize("plain é"), Cow::Borrowed(_)));
        // A boundary in the middle of a character.
        assert_eq!(
            sanitize(&"é".repeat(2000))
                .chars()
                .filter(|c| *c == 'é')
                .count(),
            200
        );
    }
}
