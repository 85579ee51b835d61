//! Facts about the build that `nodeorder --version` prints: target, profile, compiler, and the commit of a release
//! build. Works outside git and from a packaged crate; takes nothing but the standard library.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let profile = profile_name(Path::new(&variable("OUT_DIR")));
    let release = profile != "dev";
    let compiler = Command::new(variable("RUSTC")).arg("--version").output();
    let compiler = compiler
        .ok()
        .and_then(|o| String::from_utf8(o.stdout).ok())
        .unwrap_or_default();
    // A debug build would be made anew for every commit.
    let commit = if release {
        find_commit(Path::new(&variable("CARGO_MANIFEST_DIR")))
    } else {
        None
    };
    let unknown = if release {
        "unknown (not built from a checkout)"
    } else {
        "not recorded in dev builds"
    };
    for (name, value) in [
        ("COMMIT", commit.as_deref().unwrap_or(unknown)),
        ("TARGET", &variable("TARGET")),
        // Crates of one profile are optimised differently: a single level would say nothing true.
        ("PROFILE", &profile),
        ("RUSTC", compiler.trim().trim_start_matches("rustc ")),
    ] {
        println!("cargo::rustc-env=NODEORDER_{name}={value}");
    }
}

/// Finds the name of the profile: cargo tells only which built-in one it comes from, but builds in
/// `target/[TRIPLE/]FOLDER/build/PACKAGE/out`. The folder of `dev` is `debug`.
fn profile_name(out: &Path) -> String {
    let folder = out.ancestors().nth(3).and_then(Path::file_name);
    match folder.and_then(|name| name.to_str()) {
        Some("debug") | None => "dev".to_string(),
        Some(name) => name.to_string(),
    }
}

/// Finds the commit that this is built from: git's, or the one that packaging wrote down.
fn find_commit(root: &Path) -> Option<String> {
    let packaged = root.join(".cargo_vcs_info.json");
    if let Ok(text) = std::fs::read_to_string(packaged) {
        let hash = text.split("\"sha1\":").nth(1)?.split('"').nth(1)?;
        return hash
            .bytes()
            .all(|b| b.is_ascii_hexdigit())
            .then(|| hash.to_string());
    }
    // The folder of the checkout, two above that of this package; not whatever checkout an unpacked copy lies in.
    let root = &root.join("../..");
    root.join(".git").exists().then_some(())?;
    let git = |arguments: &[&str]| -> Option<String> {
        let output = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(arguments)
            .output()
            .ok()?;
        output.status.success().then_some(())?;
        String::from_utf8(output.stdout)
            .ok()
            .map(|text| text.trim().to_string())
    };
    for path in ["HEAD", "logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={}", root.join(path).display());
        }
    }
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let date = git(&["show", "-s", "--format=%cs", "HEAD"])?;
    let changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    Some(format!(
        "{hash} of {date}{}",
        if changed { ", with changes" } else { "" }
    ))
}
