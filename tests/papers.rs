//! The verdicts of `reports/papers` follow from the rows beside them.

use std::process::Command;

use crate::skip::skipped;

/// Python 3.11, which the reports' script needs, where it is there.
fn python(test: &str) -> Option<Command> {
    let enough = "import sys; sys.exit(sys.version_info < (3, 11))";
    let there = Command::new("python3").args(["-c", enough]).status();
    if !there.is_ok_and(|status| status.success()) {
        skipped(test, "needs Python 3.11");
        return None;
    }
    let mut command = Command::new("python3");
    command.current_dir(crate::root().join("reports/papers"));
    Some(command)
}

#[test]
fn every_verdict_follows_from_its_rows() {
    let Some(mut command) = python("papers::every_verdict_follows_from_its_rows") else {
        return;
    };
    let output = command.args(["run", "--check"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn statistics_and_relations_are_those_of_the_books() {
    let Some(mut command) = python("papers::statistics_and_relations_are_those_of_the_books")
    else {
        return;
    };
    let output = command.args(["-B", "test.py"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A source as `docs/papers.md` lists it: how it is cited, its title, its sections.
struct Source {
    cited: String,
    title: String,
    sections: Vec<String>,
}

fn sources() -> Vec<Source> {
    let path = crate::root().join("docs/papers.md");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    let source = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let sections = cells[3].split(", ").map(str::to_string).collect();
        Source {
            cited: cells[0].into(),
            title: cells[1].into(),
            sections,
        }
    };
    rows.filter(|line| !line.starts_with("| Cited"))
        .map(source)
        .collect()
}

/// The comments of a file as one text.
fn comments(text: &str) -> String {
    let lines = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("//"));
    let lines: Vec<&str> = lines
        .map(|line| line.trim_start_matches(['/', '!']).trim())
        .collect();
    lines.join(" ")
}

/// Citations in `text` of a source with another title, or of sections that the source does not have.
fn wrong_citations(text: &str, sources: &[Source]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Source {
        cited,
        title,
        sections,
    } in sources
    {
        for (at, _) in text.match_indices(&format!("{cited}, \"")) {
            let rest = &text[at + cited.len() + 3..];
            let (found, rest) = rest.split_once('"').unwrap_or((rest, ""));
            if found != title {
                wrong.push(format!("{cited}, \"{found}\""));
            }
            // As in `, 2013, sections 2.4.1 and 4.2.`: until the citation ends.
            let ends = [";", "(", ")", "\"", ":", ". ", " Fig", " Table"];
            let end = ends
                .iter()
                .filter_map(|end| rest.find(end))
                .min()
                .unwrap_or(rest.len());
            let citation = &rest[..end];
            let Some((_, numbers)) = citation.split_once("section") else {
                continue;
            };
            let words = numbers.trim_start_matches('s').split([' ', ',']);
            let number = |word: &&str| {
                let word = word.trim_end_matches('.');
                word.starts_with(|c: char| c.is_ascii_digit() || "IV".contains(c))
                    && word
                        .chars()
                        .all(|c| c.is_ascii_digit() || ".IVXABCD".contains(c))
            };
            for section in words.filter(number).map(|word| word.trim_end_matches('.')) {
                if !sections.iter().any(|s| s == section) {
                    wrong.push(format!("{cited}, section {section}"));
                }
            }
        }
    }
    wrong
}

#[test]
fn citations_have_titles_and_sections_that_exist() {
    let sources = sources();
    assert_eq!(sources.len(), 5);
    let mut folders = vec![crate::root().join("src")];
    let (mut wrong, mut cited) = (Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = comments(&std::fs::read_to_string(&path).unwrap());
                cited += sources.iter().filter(|s| text.contains(&s.title)).count();
                let found = wrong_citations(&text, &sources);
                wrong.extend(
                    found
                        .into_iter()
                        .map(|what| format!("{}: {what}", path.display())),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cited > 20, "{cited} citations: the search finds too few");
    let text = "Hu, \"Mapping\"; Stoltzfus, \"Improving Job Node Allocation on HECToR in Various \
                Topological Manifestations\", 2013, sections 2.4.1 and 9.9.";
    assert_eq!(
        wrong_citations(text, &sources),
        ["Stoltzfus, section 9.9", "Hu, \"Mapping\""]
    );
}

#[test]
fn every_report_has_a_line_in_the_index() {
    let folder = crate::root().join("reports");
    let index = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let lines: Vec<&str> = index.lines().filter(|l| l.starts_with("| [")).collect();
    assert!(lines[0].starts_with("| [papers]"));
    let mut reports = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            let start = format!("| [{name}]({name}");
            assert!(lines.iter().any(|l| l.starts_with(&start)), "{name}");
            reports += 1;
        }
    }
    assert_eq!(lines.len(), reports);
}
