//! Files that commands write: none that is read, none twice, none that is read-only; a folder's own files as a set.

use std::fs;
use std::path::Path;
use std::process::Output;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = crate::command();
    command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn done(folder: &Path, arguments: &[&str]) {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
}

/// Runs a command that must fail, and returns what it says.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{}", arguments.join(" "));
    assert!(output.stdout.is_empty(), "{}", arguments.join(" "));
    String::from_utf8(output.stderr).unwrap()
}

const TRACE: &str = "; MaxProcs: 9\n1 0 0 10 4 -1 -1 4 20 -1 1 1 1 1 1 1 -1 -1\n2 5 0 10 9 -1 -1 9 20 -1 1 1 1 1 1 1 -1 -1\n";

#[test]
fn a_file_that_is_read_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let file = |name: &str| folder.join(name);
    fs::write(file("x.swf"), TRACE).unwrap();
    fs::write(file("links.csv"), "0,1\n1,2\n").unwrap();
    fs::write(file("o.hosts"), "2\n0\n1\n").unwrap();
    fs::create_dir(file("sub")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("x.swf", file("link.swf")).unwrap();
    let convert = |output: &str| refused(folder, &["trace", "convert", "x.swf", "-o", output]);
    for output in ["x.swf", "./sub/../x.swf", file("x.swf").to_str().unwrap()] {
        let said = convert(output);
        let wanted = format!(
            "error: `--output {output}`: found a file that this command reads as `x.swf`; expected another file to write\n"
        );
        assert_eq!(said, wanted);
    }
    #[cfg(unix)]
    {
        assert!(convert("link.swf").contains("reads as `x.swf`"));
        let said = refused(folder, &["trace", "convert", "link.swf", "-ox.swf"]);
        assert!(said.contains("reads as `link.swf`"), "{said}");
    }
    let said = refused(folder, &["trace", "info", "x.swf", "--sizes=x.swf"]);
    assert!(
        said.contains("`--sizes-out x.swf`: found a file that this command reads"),
        "{said}"
    );
    let said = refused(
        folder,
        &[
            "topology",
            "graph:links.csv,per_router=2",
            "--edges=links.csv",
        ],
    );
    assert!(said.contains("reads as `links.csv"), "{said}");
    let search = "optimise:weights=workload,sizes=x.swf,steps=9";
    let said = refused(
        folder,
        &["order", "torus:3x3", "--by", search, "-o", "x.swf"],
    );
    assert!(said.contains("reads as `x.swf`"), "{said}");
    // A file beside the one that is named.
    let export = [
        "export", "mesh:3", "--order", "o.hosts", "--to", "simgrid", "-o", "o",
    ];
    let said = refused(folder, &export);
    assert_eq!(
        said,
        "error: `o.hosts`: found a file that this command reads as `o.hosts`; expected another file to write\n"
    );
    assert_eq!(fs::read_to_string(file("x.swf")).unwrap(), TRACE);
    assert_eq!(fs::read_to_string(file("links.csv")).unwrap(), "0,1\n1,2\n");
    // A method is no file, though a file has its name.
    for _ in 0..2 {
        done(
            folder,
            &["order", "mesh:3x3", "--by", "snake", "-o", "snake"],
        );
    }
}

/// Files under a second name, and files that are named only in a file that is read.
#[test]
fn files_read_under_other_names_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("x.swf"), TRACE).unwrap();
    fs::hard_link(folder.join("x.swf"), folder.join("hard.swf")).unwrap();
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/names.csv"), "0,a\n1,b\n2,c\n").unwrap();
    fs::write(folder.join("in/links.csv"), "0,1\n1,2\n").unwrap();
    fs::write(folder.join("in/o.txt"), "0\n1\n2\n").unwrap();
    let machine = "kind = 'graph'\nfile = \"links.csv\"\nnames = 'names.csv'\n";
    fs::write(folder.join("in/m.toml"), machine).unwrap();
    let plan = "name = 'p'\ntopologies = ['m.toml', \"graph:links.csv\"]\norderings = ['row-major']\nallocators = \
                ['fifo:0']\ntraces = ['results.csv']\n";
    fs::write(folder.join("in/p.toml"), plan).unwrap();
    fs::write(folder.join("in/results.csv"), TRACE).unwrap();
    #[cfg(unix)]
    {
        let said = refused(folder, &["trace", "convert", "x.swf", "-o", "hard.swf"]);
        assert!(
            said.contains("`--output hard.swf`: found a file that this command reads as `x.swf`"),
            "{said}"
        );
    }
    for (output, named) in [("in/names.csv", "names.csv"), ("in/links.csv", "links.csv")] {
        let said = refused(
            folder,
            &["order", "in/m.toml", "--by", "row-major", "-o", output],
        );
        let wanted = format!("a file that this command reads as `{named} in in/m.toml`");
        assert!(said.contains(&wanted), "{said}");
    }
    let said = refused(folder, &["sweep", "run", "in/p.toml", "--out", "in"]);
    assert!(
        said.contains("results.csv in in/p.toml") || said.contains("results without"),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("in/results.csv")).unwrap(),
        TRACE
    );
    done(
        folder,
        &[
            "order",
            "in/m.toml",
            "--by",
            "row-major",
            "-o",
            "in/other.csv",
        ],
    );
}

#[test]
fn two_outputs_need_two_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("x.swf"), TRACE).unwrap();
    let replay = [
        "replay",
        "torus:3x3",
        "--order",
        "snake",
        "--log",
        "x.swf",
        "--alloc",
        "fifo:0",
    ];
    let twice = [&replay[..], &["-o", "same.csv", "--summary", "./same.csv"]].concat();
    let said = refused(folder, &twice);
    assert_eq!(
        said,
        "error: `--summary ./same.csv`: found the file that `--output same.csv` writes; expected another file\n"
    );
    assert!(!folder.join("same.csv").exists());
    let totals = [
        "--summary",
        "same.csv",
        "--totals",
        "same.csv",
        "-o",
        "rows.csv",
    ];
    let said = refused(folder, &[&replay[..], &totals].concat());
    assert!(
        said.contains("the file that `--summary same.csv` writes"),
        "{said}"
    );
    // A file that is there is replaced.
    let totals = [&replay[..], &["-o", "rows.csv", "--totals", "totals.csv"]].concat();
    for _ in 0..2 {
        done(folder, &totals);
    }
    #[cfg(unix)]
    done(
        folder,
        &[&replay[..], &["-o", "/dev/null", "--summary", "/dev/null"]].concat(),
    );
}

#[test]
fn read_only_files_stay_and_links_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kept = folder.join("kept.txt");
    fs::write(&kept, "mine\n").unwrap();
    let mut rights = fs::metadata(&kept).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(&kept, rights).unwrap();
    let order = |output: &str| run(folder, &["order", "mesh:3", "--by", "snake", "-o", output]);
    let output = order("kept.txt");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: `--output kept.txt`: found a read-only file; expected a file that may be written\n"
    );
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine\n");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("kept.txt", folder.join("to-kept")).unwrap();
        assert_eq!(order("to-kept").status.code(), Some(1));
        fs::write(folder.join("target.txt"), "old\n").unwrap();
        std::os::unix::fs::symlink("target.txt", folder.join("link.txt")).unwrap();
        assert!(order("link.txt").status.success());
        assert!(folder.join("link.txt").is_symlink());
        let written = fs::read_to_string(folder.join("target.txt")).unwrap();
        assert!(written.ends_with("0\n1\n2\n"), "{written}");
    }
}

/// The names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_holds_the_files_of_the_last_run_and_foreign_ones() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("x.swf"), TRACE).unwrap();
    let (used, fresh) = (folder.join("used"), folder.join("fresh"));
    let orders = [
        "--order",
        "snake",
        "--order",
        "row-major",
        "--order",
        "hilbert",
    ];
    let first = [&["compare", "torus:3x3", "--trace", "x.swf"], &orders[..]].concat();
    done(folder, &[&first[..], &["--out", "used"]].concat());
    fs::write(used.join("notes.txt"), "mine\n").unwrap();
    let had = names(&used);
    assert!(
        ["schedule.csv", "ordering-03.svg"]
            .iter()
            .all(|n| had.contains(&n.to_string()))
    );
    let second = ["compare", "mesh:2x2", "--order", "snake"];
    done(folder, &[&second[..], &["--out", "used"]].concat());
    done(folder, &[&second[..], &["--out", "fresh"]].concat());
    let with_notes = |folder: &Path| {
        let mut names = names(folder);
        names.push("notes.txt".into());
        names.sort();
        names
    };
    assert_eq!(names(&used), with_notes(&fresh));
    assert_eq!(
        fs::read_to_string(used.join("notes.txt")).unwrap(),
        "mine\n"
    );
    // The figures of another command stay; those of several machines replace the ones of one.
    let replay = [
        "replay",
        "torus:3x3",
        "--order",
        "snake",
        "--log",
        "x.swf",
        "--alloc",
        "fifo:0",
    ];
    let plots = ["--plots", "used", "-o", "/dev/null"];
    done(
        folder,
        &[&replay[..], &["--alloc", "first-fit:1"], &plots[..]].concat(),
    );
    let after_replay = names(&used);
    assert!(after_replay.len() > had.len() - 9 && after_replay.contains(&"index.html".into()));
    done(
        folder,
        &["machines", "mesh:2x2", "torus:3x3", "--out", "used"],
    );
    let now = names(&used);
    assert!(now.contains(&"machines.csv".into()) && !now.contains(&"table.csv".into()));
    assert!(now.contains(&"notes.txt".into()));
    done(
        folder,
        &["compare", "mesh:2x2", "--order", "snake", "--out", "used"],
    );
    assert_eq!(names(&used), after_replay);
}

#[test]
fn a_list_that_names_other_folders_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    done(
        folder,
        &["compare", "mesh:2x2", "--order", "snake", "--out", "out"],
    );
    let list = folder.join("out/nodeorder-files.txt");
    let title = fs::read_to_string(&list)
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_string();
    fs::write(folder.join("precious"), "").unwrap();
    for (text, said) in [
        (
            format!("{title}\ncompare ../precious\n"),
            "files.txt:2: found `compare ../precious`",
        ),
        (
            "my own list\n".into(),
            "files.txt:1: found `my own list`; expected the list of",
        ),
    ] {
        fs::write(&list, text).unwrap();
        let error = refused(
            folder,
            &["compare", "mesh:2x2", "--order", "snake", "--out", "out"],
        );
        assert!(error.contains(said), "{error}");
    }
    assert!(folder.join("precious").exists());
}
