//! Runs every command that the README and the guides show, each text in a folder of its own.

use std::path::Path;
use std::process::Command;

pub fn nodeorder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_nodeorder"))
}

/// A step of a text: a file it shows (```text file=NAME), a line of a ```sh block, or a `$ ` line of a ```console block
/// with the lines of output shown below it.
pub enum Step {
    File(String, String),
    Command(String),
    Shown(String, Vec<String>),
}

pub fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            continue;
        };
        let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
        if let Some((_, name)) = kind.split_once(" file=") {
            let text: String = block.map(|line| format!("{line}\n")).collect();
            steps.push(Step::File(name.to_string(), text));
        } else if kind == "console" {
            for line in block {
                match (line.strip_prefix("$ "), steps.last_mut()) {
                    (Some(command), _) => steps.push(Step::Shown(command.into(), Vec::new())),
                    (None, Some(Step::Shown(_, shown))) => shown.push(line.trim_end().into()),
                    _ => panic!("output of no command: `{line}`"),
                }
            }
        } else if kind == "sh" {
            let shown = block.filter(|line| !line.trim().is_empty());
            steps.extend(shown.map(|line| Step::Command(line.trim().to_string())));
        } else {
            block.for_each(drop);
        }
    }
    steps
}

/// Runs all commands of a text in `folder`, with `binary` for `nodeorder`; how many.
pub fn run_all(text: &str, folder: &Path, binary: &Path) -> usize {
    let mut ran = 0;
    for step in steps(text) {
        let command = match step {
            Step::File(name, text) => {
                std::fs::write(folder.join(name), text).unwrap();
                continue;
            }
            Step::Shown(command, shown) => {
                hold(&command, &output(folder, binary, &command), &shown);
                ran += 1;
                continue;
            }
            Step::Command(command) => command,
        };
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", "run", "--release", "--locked", "--", rest @ ..]
            | ["cargo", "run", "--release", "--", rest @ ..]
            | ["nodeorder", rest @ ..] => {
                run(folder, binary, rest);
                ran += 1;
            }
            ["python3", ..] => {
                output(folder, binary, &command);
                ran += 1;
            }
            // The tests that run now, and builds that came before them.
            ["cargo", "test"]
            | ["cargo", "build", "--release", "--locked"]
            | ["UPDATE_DOCS=1", "TRYCMD=overwrite", "cargo", "test", ..]
            | ["cargo", "install", "--path", "src/cli", "--locked"] => {}
            _ => panic!("no test runs `{command}`"),
        }
    }
    ran
}

/// Output of a line of shell, errors included, with `binary` as `nodeorder`; the line has to succeed.
pub fn output(folder: &Path, binary: &Path, line: &str) -> String {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths =
        std::iter::once(binary.parent().unwrap().into()).chain(std::env::split_paths(&paths));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{line}: {said}");
    said
}

/// Holds what was printed to what is shown: the same lines, where `...` stands for any.
pub fn hold(command: &str, said: &str, shown: &[String]) {
    let said: Vec<&str> = said.lines().map(str::trim_end).collect();
    let parts: Vec<&[String]> = shown.split(|line| line == "...").collect();
    let mut at = 0;
    for (i, part) in parts.iter().enumerate() {
        let fits = |from: &usize| {
            said[*from..]
                .iter()
                .zip(*part)
                .filter(|(a, b)| a == b)
                .count()
                == part.len()
        };
        let found = match (i, i + 1 == parts.len()) {
            (0, false) => Some(0).filter(fits),
            (0, true) => Some(0).filter(|from| said.len() == part.len() && fits(from)),
            (_, true) => said
                .len()
                .checked_sub(part.len())
                .filter(|from| *from >= at && fits(from)),
            _ => (at..=said.len()).find(fits),
        };
        let place = found.unwrap_or_else(|| {
            panic!(
                "{command} prints\n{}\nwithout, in this place,\n{}",
                said.join("\n"),
                part.join("\n")
            )
        });
        at = place + part.len();
    }
}

#[test]
fn shown_output_must_match_but_for_its_dots() {
    let shown = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let holds =
        |said: &str, text: &str| std::panic::catch_unwind(|| hold("x", said, &shown(text))).is_ok();
    for text in [
        "a\nb\nc\n",
        "...",
        "a\n...",
        "...\nc",
        "a\n...\nc",
        "...\nb\n...",
        "a\n...\nb\nc",
    ] {
        assert!(holds("a\nb \nc\n", text), "{text}");
    }
    for text in [
        "a\nb",
        "b\n...",
        "...\nb",
        "a\n...\nd",
        "...\nc\n...\nb\n...",
        "...\nb\n...\nb\nc",
        "",
    ] {
        assert!(!holds("a\nb\nc\n", text), "{text}");
    }
}

fn run(folder: &Path, binary: &Path, arguments: &[&str]) {
    let output = Command::new(binary)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "nodeorder {}: {stderr}",
        arguments.join(" ")
    );
    let elsewhere = ["-o", "--out"]
        .iter()
        .any(|option| arguments.contains(option));
    assert!(
        !output.stdout.is_empty() || elsewhere,
        "{arguments:?} said nothing"
    );
}

/// Holds the pictures of a page to those that its commands made in `folder`: `pictures/PATH` is the file PATH there.
/// `UPDATE_DOCS=1` keeps the new ones.
fn hold_pictures(page: &str, folder: &Path, count: usize) {
    let path = crate::root().join(page);
    let pictures = list_pictures(&path);
    assert_eq!(pictures.len(), count, "pictures of {page}");
    for picture in pictures {
        let (_, made) = picture
            .split_once("pictures/")
            .unwrap_or_else(|| panic!("{page}: no command makes {picture}"));
        let made = std::fs::read(folder.join(made))
            .unwrap_or_else(|e| panic!("{page}: no command makes {picture}: {e}"));
        let kept = path.parent().unwrap().join(&picture);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
            std::fs::write(&kept, &made).unwrap();
        }
        assert!(
            std::fs::read(&kept).unwrap_or_default() == made,
            "{page}: {picture} is not what the commands of the page draw: UPDATE_DOCS=1 cargo test --test all readme:: \
             keeps the new one; look at it before you commit it"
        );
    }
}

/// Lists the files of the pictures that a page shows.
fn list_pictures(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let pictures = text.split("\n![").skip(1);
    let files = pictures.map(|rest| rest.split("](").nth(1).unwrap().split(')').next().unwrap());
    files.map(String::from).collect()
}

/// Pictures stand only where a test draws them, and none lies about unused.
#[test]
fn every_picture_of_the_pages_is_drawn_by_a_test() {
    let mut shown = std::collections::BTreeSet::new();
    for page in pages() {
        let pictures = list_pictures(&page);
        // Those of papers are drawn by `reports/papers/run --draw`.
        let drawn = ["README.md", "start.md", "concepts.md", "papers.md"];
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(pictures.is_empty() || drawn.contains(&name), "{name}");
        let folder = page.parent().unwrap();
        shown.extend(
            pictures
                .iter()
                .map(|file| folder.join(file).canonicalize().unwrap()),
        );
    }
    let mut folders = vec![crate::root().join("docs")];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|end| end == "svg" || end == "png")
            {
                assert!(
                    shown.contains(&path.canonicalize().unwrap()),
                    "{path:?} stands in no page"
                );
            }
        }
    }
}

#[test]
fn every_command_of_the_readme_works() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::root().join("README.md")).unwrap();
    assert!(
        text.lines().count() <= 100,
        "{} lines",
        text.lines().count()
    );
    let ran = run_all(&text, folder.path(), nodeorder());
    assert!(ran >= 2, "only {ran} commands found");
    let page = std::fs::read_to_string(folder.path().join("titan-orderings/index.html")).unwrap();
    assert!(page.contains("gilbert") && page.trim_end().ends_with("</html>"));
}

/// The commands that README's table begins with, where the files that they name are those of the walks.
#[test]
fn every_command_to_begin_with_works() {
    let folder = tempfile::tempdir().unwrap();
    let files = walk("Slurm site") + &walk("AI cluster on Kubernetes") + &walk("Procurement");
    for step in steps(&files) {
        if let Step::File(name, text) = step {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
    }
    let plan = "topologies = ['torus:4x4']\norderings = ['snake']\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let text = std::fs::read_to_string(crate::root().join("README.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let commands: Vec<&str> = rows
        .filter_map(|row| row.split("| `nodeorder ").nth(1)?.split('`').next())
        .collect();
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        run(folder.path(), nodeorder(), &words);
    }
    hold_pictures("README.md", folder.path(), 1);
}

#[test]
fn every_command_of_the_first_pages_works() {
    for (page, least, pictures) in [
        ("start.md", 20, 3),
        ("concepts.md", 5, 5),
        ("install.md", 2, 0),
        ("howto/simulate.md", 3, 0),
        ("howto/paper.md", 3, 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = std::fs::read_to_string(crate::root().join("docs").join(page)).unwrap();
        let ran = run_all(&text, folder.path(), nodeorder());
        assert!(ran >= least, "{page}: only {ran} commands found");
        hold_pictures(&format!("docs/{page}"), folder.path(), pictures);
        if page == "start.md" {
            let csv = std::fs::read_to_string(folder.path().join("titan-mpc.csv")).unwrap();
            assert_eq!(csv.lines().count(), 1 + 2 * 18_687);
        }
    }
}

/// The pages of the documentation: README first, then those of `docs/`.
pub fn pages() -> Vec<std::path::PathBuf> {
    let mut pages = vec![crate::root().join("README.md")];
    for folder in ["docs", "docs/howto"] {
        let files = std::fs::read_dir(crate::root().join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages
}

#[test]
fn every_page_is_two_clicks_from_the_readme() {
    let links = |path: &Path| -> Vec<std::path::PathBuf> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let links = text.split("](").skip(1);
        let files = links.map(|rest| rest.split([')', '#']).next().unwrap().to_string());
        let beside = files.map(|file| path.parent().unwrap().join(file));
        beside.filter_map(|path| path.canonicalize().ok()).collect()
    };
    let readme = crate::root().join("README.md").canonicalize().unwrap();
    let mut reached = vec![readme.clone()];
    for _ in 0..2 {
        let next: Vec<_> = reached.iter().flat_map(|path| links(path)).collect();
        reached.extend(next);
    }
    let missing: Vec<_> = pages()
        .into_iter()
        .filter(|page| !reached.contains(&page.canonicalize().unwrap()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_command_of_the_guide_works() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(crate::root().join("docs/guide.md")).unwrap();
    let ran = run_all(&text, folder.path(), nodeorder());
    assert!(ran >= 20, "only {ran} commands found");
    for file in [
        "our-orderings/index.html",
        "cplant-october/index.html",
        "bought/index.html",
    ] {
        let page = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(page.trim_end().ends_with("</html>"), "{file}");
    }
    // The ordering made for these sizes is no worse at them than the hierarchy it started from.
    let ours = std::fs::read_to_string(folder.path().join("ours.txt")).unwrap();
    assert_eq!(
        ours.lines().filter(|line| !line.starts_with('#')).count(),
        64
    );
}

/// A section of a page of docs/howto: what stands below its heading.
pub fn walk(heading: &str) -> String {
    let heading = format!("\n## {heading}\n");
    let texts = pages()
        .into_iter()
        .map(|page| std::fs::read_to_string(page).unwrap());
    let text = texts
        .into_iter()
        .find(|text| text.contains(&heading))
        .unwrap();
    let (_, rest) = text.split_once(&heading).unwrap();
    rest.split("\n## ").next().unwrap().to_string()
}

/// Each role in a folder of its own. The contributor's commands are those of a build with the recipes: `recipes` runs
/// them.
#[test]
fn every_walk_of_the_guide_prints_what_the_guide_shows() {
    for (heading, least) in [
        ("Procurement", 5),
        ("Slurm administrator", 6),
        ("Notebook", 4),
        ("AI operator", 6),
        ("AI cluster on Kubernetes", 5),
        ("One job's hosts", 4),
        ("Training job", 5),
        ("Slurm site", 7),
        ("Who runs the machine", 5),
    ] {
        let text = walk(heading);
        if text.contains("$ python3 ") && Command::new("python3").arg("--version").output().is_err()
        {
            crate::skip::skipped(
                "readme::every_walk_of_the_guide_prints_what_the_guide_shows",
                "needs python3",
            );
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let ran = run_all(&text, folder.path(), nodeorder());
        assert!(ran >= least, "{heading}: only {ran} commands found");
    }
}

/// The TOML example is a machine.
#[test]
fn the_machine_of_the_first_page_builds() {
    let text = std::fs::read_to_string(crate::root().join("docs/start.md")).unwrap();
    let toml = text
        .split("```toml\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let toml = nodeorder_base::input::Text::new("ours.toml", toml);
    let machine =
        nodeorder_network::topology::Topology::toml(&toml, None, &Default::default()).unwrap();
    assert_eq!(machine.node_count(), 4600 - 5);
    assert_eq!(
        machine.node_name(nodeorder_base::ids::NodeId(18)),
        "nid00018"
    );
}

#[test]
fn files_the_texts_point_to_exist() {
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| crate::root().join(name));
    for path in pages().into_iter().chain(others) {
        let name = path.display();
        let text = std::fs::read_to_string(&path).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .map(|rest| rest.split(')').next().unwrap())
        {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let beside = path.parent().unwrap().join(file);
            assert!(
                link.starts_with("http") || beside.exists(),
                "{name}: {link}"
            );
            let anchor = |line: &str| {
                let line = line.trim_start_matches('#').trim().to_lowercase();
                line.replace(|c: char| !c.is_alphanumeric() && c != ' ' && c != '-', "")
                    .replace(' ', "-")
            };
            if !link.starts_with("http") && !heading.is_empty() {
                let there =
                    std::fs::read_to_string(if file.is_empty() { &path } else { &beside }).unwrap();
                let found = there
                    .lines()
                    .any(|line| line.starts_with('#') && anchor(line) == heading);
                assert!(found, "{name}: {link}");
            }
        }
    }
}
