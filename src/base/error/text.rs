//! Text from outside, made fit for a message.

use std::borrow::Cow;

/// Formats a number with commas: `19,200`.
pub fn format_thousands(value: u64) -> String {
    let digits = value.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
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

/// Checks whether a character steers a terminal or a reader: control characters, line and paragraph separators, marks
/// that turn the direction of text round.
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes the characters of a text that steer a terminal, or that end a comment for some reader, as escapes such as
/// `\u{2028}`.
///
/// # References
/// YAML 1.1, section 5.4, "Line Break Characters": LF, CR, NEL (U+0085), LS (U+2028) and PS (U+2029) each end a
/// comment.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_steering) {
        return Cow::Borrowed(text);
    }
    let mut written = String::new();
    for c in text.chars() {
        if is_steering(c) {
            written.extend(c.escape_default());
        } else {
            written.push(c);
        }
    }
    Cow::Owned(written)
}

/// Makes text from outside safe for a message: on one line, without codes that steer a terminal, and cut in the
/// middle where it is too long to be read.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    // Escapes take up to eight times the room.
    let most = if text.contains(is_steering) {
        250
    } else {
        1200
    };
    if most == 1200 && text.len() <= most {
        return Cow::Borrowed(text);
    }
    let mut written = String::new();
    let mut write = |c: char| match c {
        '\t' => written.push(' '),
        c if is_steering(c) => written.extend(c.escape_default()),
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

    #[test]
    fn what_ends_a_comment_is_escaped_and_nothing_is_cut() {
        let long = "é".repeat(5000);
        assert!(matches!(escape_controls(&long), Cow::Borrowed(_)));
        for c in [
            '\n', '\r', '\t', '\u{1b}', '\u{85}', '\u{2028}', '\u{2029}', '\u{202e}', '\u{200f}',
        ] {
            let escaped = escape_controls(&format!("{long}{c}:")).into_owned();
            assert_eq!(escaped, format!("{long}{}:", c.escape_default()));
        }
    }
}
