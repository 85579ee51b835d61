//! Words and beginnings of sentences that readers stumble over (CONTRIBUTING.md): refused in the documentation, in every
//! help, in what the program prints and in its pages.

use std::path::Path;

use crate::readme::pages;
use crate::reference::options::list_helps;

/// Beginnings of sentences.
const BEGINNINGS: [&str; 5] = ["What of ", "Of the ", "Those ", "That of ", "The same "];

const WORDS: [&str; 8] = [
    "in the place of ",
    "told apart",
    "reservation for the head",
    "a bar an ordering",
    "a line an ordering",
    "beside the fewest",
    // For "compared with".
    ", beside ",
    "beside what ",
];

/// Finds what a reader would stumble over; a number stands apart from its `%`, but in `links:2%`, which is typed.
fn find_fault(text: &str) -> Option<&'static str> {
    let begins = |beginning: &&&str| {
        text.trim_start().starts_with(**beginning)
            || [". ", "| ", "? ", "! "]
                .iter()
                .any(|before| text.contains(&format!("{before}{beginning}")))
    };
    let is_close = |(at, _): (usize, &str)| {
        let word = text[..at].rsplit(char::is_whitespace).next().unwrap();
        word.ends_with(|c: char| c.is_ascii_digit() || c == '}') && !word.contains("links:")
            // A space that does not break, and the template of a column.
            && !word.trim_end_matches('}').ends_with("a0")
            && !text[at..].starts_with("%}")
    };
    if text.match_indices('%').any(is_close) {
        return Some("%");
    }
    let found = BEGINNINGS.iter().find(begins);
    found
        .or_else(|| WORDS.iter().find(|word| text.contains(**word)))
        .copied()
}

#[test]
fn faults_are_found_where_sentences_begin() {
    for (text, fault) in [
        ("Those of Slurm.", Some("Those ")),
        ("It is so. The same holds.", Some("The same ")),
        ("| The same of 90", Some("The same ")),
        ("all three: the same file", None),
        ("Whether those fit. It does.", None),
        ("mean hops, beside MPC", Some(", beside ")),
        ("the file beside this one", None),
        ("a lead of 20% or {share:.1}%", Some("%")),
        ("a lead of 20 %, broken=links:2%", None),
    ] {
        assert_eq!(find_fault(text), fault, "{text}");
    }
}

#[test]
fn pages_speak_plainly() {
    for page in pages() {
        let name = page.display().to_string();
        let text = std::fs::read_to_string(&page).unwrap();
        let mut in_block = false;
        for (number, line) in (1..).zip(text.lines()) {
            // Output of commands stands in blocks.
            in_block ^= line.starts_with("```");
            let fault = find_fault(line).filter(|_| !in_block);
            assert_eq!(fault, None, "{name}:{number}: {line}");
        }
    }
}

#[test]
fn helps_speak_plainly() {
    let helps = list_helps();
    assert!(helps.len() > 25, "{} commands", helps.len());
    for (command, help) in helps {
        for line in help.lines() {
            assert_eq!(find_fault(line), None, "{command} --help: {line}");
        }
    }
}

/// Texts of errors, hints, tables and pages: every text in quotes that is no test's.
#[test]
fn the_program_speaks_plainly() {
    let mut texts = 0;
    let mut folders = vec![crate::root().join("src"), crate::root().join("templates")];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for (line, text) in list_texts(&path) {
                texts += 1;
                let place = format!("{}:{line}", path.display());
                assert_eq!(find_fault(&text), None, "{place}: {text}");
            }
        }
    }
    assert!(texts > 5000, "{texts} texts");
}

/// Lists the texts of a file with their lines: of Rust code what stands in quotes, of other texts all lines.
fn list_texts(path: &Path) -> Vec<(usize, String)> {
    let Ok(text) = std::fs::read_to_string(path) else {
        // Packed files.
        return Vec::new();
    };
    let end = path.extension().and_then(|end| end.to_str());
    match end {
        Some("rs") if is_code(path) => {
            list_quoted(text.split("\n#[cfg(test)]\nmod ").next().unwrap())
        }
        Some("html" | "js" | "txt") => (1..).zip(text.lines().map(String::from)).collect(),
        _ => Vec::new(),
    }
}

fn is_code(path: &Path) -> bool {
    let name = path.file_name().unwrap();
    name != "tests.rs" && !path.components().any(|part| part.as_os_str() == "tests")
}

/// Lists what stands in quotes in Rust code, with its line; continued lines as one.
fn list_quoted(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '/', '\n', 'r']) {
        let (before, from) = rest.split_at(at);
        let follows_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let raw = from
            .strip_prefix('r')
            .map(|from| from.trim_start_matches('#'));
        // How far this piece goes: a comment, a text, a character, or one byte of anything else.
        let length = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if let Some(inner) = raw.filter(|inner| inner.starts_with('"') && !follows_word) {
            let hashes = from.len() - inner.len() - 1;
            let end = format!("\"{}", "#".repeat(hashes));
            let length = inner[1..].find(&end).unwrap();
            found.push((line, inner[1..=length].to_string()));
            from.len() - inner.len() + 1 + length + end.len()
        } else if from.starts_with('"') {
            let length = measure_quoted(from);
            found.push((line, join_lines(&from[1..length - 1])));
            length
        } else if from.starts_with("'\\") {
            2 + from[3..].find('\'').unwrap() + 2
        } else if from.starts_with("'\"'") {
            3
        } else {
            1
        };
        line += from[..length].matches('\n').count();
        rest = &from[length..];
    }
    found
}

/// Measures a text in quotes, both quotes too.
fn measure_quoted(from: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in from.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at + 1,
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    panic!("a text without an end: {from:.60}");
}

/// Joins lines that a backslash continues.
fn join_lines(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |joined, part| joined + part.trim_start())
}

#[test]
fn texts_in_quotes_are_found_with_their_lines() {
    let code = "// \"no\"\nlet c = '\"';\nlet a = \"one \\\n    two\";\nlet b = r#\"th\"ree\"#; let d = '\\'';\nf(\"\\\"four\");\n";
    let found = list_quoted(code);
    let expected = [(3, "one two"), (5, "th\"ree"), (6, "\\\"four")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_string())));
}
