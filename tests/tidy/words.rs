//! How comments of documentation begin.

/// Words that leave open what is spoken of.
const RIDDLES: [&str; 7] = [
    "Of", "Those", "That of", "The same", "What", "So many", "Such",
];

/// `(line, text)` of every paragraph of documentation that begins with one of `RIDDLES`.
pub fn riddles(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    // The mark of the comment before this line, where that line has words: this one goes on with its paragraph.
    let mut before = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        let mark = ["///", "//!"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        let words = mark.map_or("", |mark| line[mark.len()..].trim());
        let begins = before != mark && !words.is_empty();
        let is_riddle = RIDDLES.iter().any(|riddle| {
            let rest = words.strip_prefix(riddle);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        });
        if begins && is_riddle {
            found.push((number, words));
        }
        before = mark.filter(|_| !words.is_empty());
    }
    found
}

#[test]
fn riddles_are_found_where_a_paragraph_begins() {
    let text = "//! What.\n//! Of the first.\n//!\n//! Such a thing.\n\n/// Offers one.\n/// Those of it.\n\
                struct A {\n    /// That of B.\n    b: u8,\n    /// That B.\n    c: u8, // Of c.\n}\n";
    let lines: Vec<usize> = riddles(text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 4, 9]);
}
