//! Applies the recipes of CONTRIBUTING.md to a copy of the source and runs its tests.

use std::path::Path;
use std::process::Command;

/// A block of the text: its language, its file and its lines.
struct Recipe {
    language: String,
    file: String,
    lines: Vec<String>,
}

fn recipes(text: &str) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((language, file)) = line
            .strip_prefix("```")
            .and_then(|l| l.split_once(" file="))
        else {
            continue;
        };
        let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
        let lines = block.map(str::to_string).collect();
        recipes.push(Recipe {
            language: language.into(),
            file: file.into(),
            lines,
        });
    }
    recipes
}

/// `text` with the lines that begin with `+` after the line that stands before them in the block.
fn patched(text: &str, block: &[String], file: &str) -> String {
    let mut out: Vec<String> = text.lines().map(str::to_string).collect();
    let mut at = 0;
    for line in block {
        let (mark, rest) = line.split_at(1);
        if mark == "+" {
            out.insert(at, rest.to_string());
        } else {
            let found = out.iter().position(|l| l == rest);
            at = found.unwrap_or_else(|| panic!("{file} has no line `{rest}`"));
        }
        at += 1;
    }
    out.join("\n") + "\n"
}

fn apply(recipe: &Recipe, folder: &Path) {
    let path = folder.join(&recipe.file);
    let text = match recipe.language.as_str() {
        "rust" => {
            assert!(!path.exists(), "{} is there already", recipe.file);
            recipe.lines.join("\n") + "\n"
        }
        _ => patched(
            &std::fs::read_to_string(&path).unwrap(),
            &recipe.lines,
            &recipe.file,
        ),
    };
    std::fs::write(path, text).unwrap();
}

fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// The lines that a recipe wants to stand beside are there: holds without compiling anything.
#[test]
fn recipes_fit_the_source() {
    let text = std::fs::read_to_string(crate::root().join("CONTRIBUTING.md")).unwrap();
    let recipes = recipes(&text);
    assert!(recipes.len() >= 11, "only {} recipes", recipes.len());
    for recipe in recipes.iter().filter(|recipe| recipe.language == "diff") {
        let source = std::fs::read_to_string(crate::root().join(&recipe.file)).unwrap();
        patched(&source, &recipe.lines, &recipe.file);
    }
}

/// Every recipe followed as it is written: applied, documents and goldens made anew, all tests run. Tests that compare
/// with other programs are left out: no table changes what they do.
#[test]
#[ignore = "compiles the crate and its tests once more"]
fn recipes_pass_all_tests() {
    // Always the same folder: cargo tells packages apart by their path, and would keep a build for every new one.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes-source");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(crate::root()).unwrap() {
        let entry = entry.unwrap();
        if !["target", ".git"]
            .iter()
            .any(|name| entry.file_name() == *name)
        {
            copy(&entry.path(), &folder.join(entry.file_name()));
        }
    }
    let text = std::fs::read_to_string(crate::root().join("CONTRIBUTING.md")).unwrap();
    recipes(&text)
        .iter()
        .for_each(|recipe| apply(recipe, &folder));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recipes");
    let cargo = |arguments: &[&str], settings: &[(&str, &str)]| {
        let output = Command::new(env!("CARGO"))
            .args(["test", "--offline"])
            .args(arguments)
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", &target)
            .env_remove("NODEORDER_SKIPPED")
            .envs(settings.iter().copied())
            .output()
            .unwrap();
        let told = [output.stdout, output.stderr].concat();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&told)
        );
    };
    let anew = [("UPDATE_DOCS", "1"), ("TRYCMD", "overwrite")];
    cargo(
        &[
            "--test",
            "all",
            "--",
            "commands::",
            "reference::",
            "same_bytes::",
        ],
        &anew,
    );
    // The commands of docs/howto/contribute.md.
    let binary = target.join("debug/nodeorder");
    let elsewhere = tempfile::tempdir().unwrap();
    let ran = crate::readme::run_all(
        &crate::readme::walk("Contributor"),
        elsewhere.path(),
        &binary,
    );
    assert!(ran >= 2, "only {ran} commands found");
    let others = ["browser::", "scotch::", "simgrid::", "slurm::"];
    let others: Vec<&str> = others.iter().flat_map(|name| ["--skip", name]).collect();
    cargo(
        &[&["--lib", "--test", "all", "--"], &others[..]].concat(),
        &[],
    );
}
