//! Promises to scripts: exit codes, whole files or none, quiet pipes, the same bytes on any thread count.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nodeorder_base::RouterId;
use nodeorder_network::{Context, Topology};

fn nodeorder(arguments: &[&str]) -> Command {
    let mut command = crate::command();
    command.args(arguments);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    nodeorder(arguments).current_dir(folder).output().unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = run(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    assert!(stderr.is_empty(), "{}: {stderr}", arguments.join(" "));
    output.stdout
}

#[test]
fn one_thread_and_three_write_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let log = "nersc:placements=3000,nodes=120,load=0.9";
    done(folder.path(), &["trace", "generate", log, "-o", "jobs.log"]);
    let replay = [
        "replay",
        "torus:6x5x4",
        "--log",
        "jobs.log",
        "--ranks",
        "--order",
        "hilbert",
    ];
    let allocators = [
        "fifo:0",
        "varying-fit",
        "closest-mind",
        "random",
        "gen-alg",
        "span-best-fit",
    ];
    let allocators = allocators.iter().flat_map(|a| ["--alloc", a]);
    let replay: Vec<&str> = replay.into_iter().chain(allocators).collect();
    let json = [&replay[..], &["--order", "snake", "--json"]].concat();
    for arguments in [
        &replay[..],
        &json[..],
        &[
            "mpc",
            "torus:9x8x7,limit=500",
            "--order",
            "random",
            "--order",
            "hilbert",
        ],
        &[
            "mpc",
            "random-regular:n=1500,d=5",
            "--order",
            "spectral",
            "--order",
            "random:seed=4",
        ],
        &[
            "topology",
            "watts-strogatz:n=900,k=6,p=0.1",
            "--json",
            "--histogram",
        ],
        &["compare", "cascade:4x3x5,per_router=2", "--json"],
    ] {
        let with = |n: &str| done(folder.path(), &[arguments, &["--threads", n]].concat());
        assert_eq!(with("1"), with("3"), "{arguments:?}");
    }
    for n in ["1", "3"] {
        let compare = [
            "compare",
            "torus:6x5x4",
            "--trace",
            "jobs.log",
            "--out",
            "page",
        ];
        done(folder.path(), &[&compare[..], &["--threads", n]].concat());
        std::fs::rename(folder.path().join("page"), folder.path().join(n)).unwrap();
    }
    let mut names: Vec<_> = std::fs::read_dir(folder.path().join("1"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert!(names.len() > 10);
    for name in names {
        let read = |n: &str| std::fs::read(folder.path().join(n).join(&name)).unwrap();
        assert_eq!(read("1"), read("3"), "{name:?}");
    }
}

#[test]
fn seeds_are_read_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let order = |by: &str, seed: &str| {
        let text = done(
            folder.path(),
            &["order", "mesh:50", "--by", by, "--seed", seed],
        );
        let text = String::from_utf8(text).unwrap();
        text.lines()
            .filter(|l| !l.starts_with('#'))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(order("random", "1"), order("random:seed=1", "7"));
    assert_ne!(order("random", "1"), order("random", "7"));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = nodeorder(&["order", "mesh:300000", "--by", "row-major"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    drop(stdout);
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

/// Notes and errors that nobody reads are no failure of the command.
#[cfg(unix)]
#[test]
fn a_closed_standard_error_is_quiet() {
    use std::os::{fd::OwnedFd, unix::net::UnixStream};
    let closed = || {
        let (ours, theirs) = UnixStream::pair().unwrap();
        drop(theirs);
        Stdio::from(OwnedFd::from(ours))
    };
    let code = |arguments: &[&str]| {
        let output = nodeorder(arguments).stderr(closed()).output().unwrap();
        output.status.code()
    };
    assert_eq!(code(&["topology", "torus:nodes=100"]), Some(0));
    assert_eq!(code(&["topology", "tours:4x4"]), Some(1));
}

/// What begins like a negative number is a value: it is refused by name, and no advice is given that does not work.
#[test]
fn negative_values_and_unknown_options_get_advice_that_works() {
    let folder = tempfile::tempdir().unwrap();
    for (line, code, said) in [
        (
            "mpc torus:4x4 --order snake --sizes -1,2",
            1,
            "`--sizes -1,2`: found `-1`; expected all",
        ),
        (
            "mpc torus:4x4 --order snake --sizes=-1,2",
            1,
            "`--sizes -1,2`: found `-1`; expected all",
        ),
        ("mpc torus:4x4 --order -1,2", 1, "`-1,2`: unknown ordering"),
        (
            "hosts torus:4x4 --nodes -1,2",
            1,
            "--nodes -1,2:1: found `-1`; expected a node id",
        ),
        (
            "machines torus:4x4 mesh:4x4 --prices -1,2",
            2,
            "`--prices -1,2`: unknown price",
        ),
        (
            "mpc torus:4x4 --order snake --threads -1,2",
            2,
            "error: invalid value '-1,2' for '--threads",
        ),
        ("mpc torus:4x4 --order snake -o -.5/x", 1, "-.5/x: "),
        (
            "mpc torus:4x4 --order snake --json -1",
            2,
            "error: unexpected value '-1' for '--json' found",
        ),
        (
            "hosts torus:4x4 --nodes 1 --per-node -1",
            2,
            "error: invalid value '-1' for '--per-node",
        ),
    ] {
        let output = run(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.starts_with(&format!("error: {}", said.trim_start_matches("error: "))),
            "{line}: {error}"
        );
        assert_eq!(output.status.code(), Some(code), "{line}");
    }
    let error =
        |arguments: &[&str]| String::from_utf8(run(folder.path(), arguments).stderr).unwrap();
    let unknown = error(&["topology", "torus:4x4", "--exclude", "3"]);
    assert!(
        unknown.contains("'--exclude'") && !unknown.contains("as a value"),
        "{unknown}"
    );
    let near = error(&["topology", "torus:4x4", "--jsn"]);
    assert!(near.contains("did you mean '--json'?"), "{near}");
}

#[test]
fn a_failure_leaves_the_old_file_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("out.csv"), "old").unwrap();
    let output = run(
        folder.path(),
        &[
            "mpc",
            "torus:4x4",
            "--order",
            "snake",
            "--order",
            "hilbret",
            "-o",
            "out.csv",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("out.csv")).unwrap(),
        "old"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    done(
        folder.path(),
        &["mpc", "torus:4x4", "--order", "snake", "-o", "out.csv"],
    );
    assert!(
        std::fs::read_to_string(folder.path().join("out.csv"))
            .unwrap()
            .starts_with("ordering,size,mpc\nsnake,2,1\n")
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_full_device_is_an_error_with_its_name() {
    if !Path::new("/dev/full").exists() {
        crate::skip::skipped(
            "cli::a_full_device_is_an_error_with_its_name",
            "needs /dev/full",
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = run(
        folder.path(),
        &[
            "order",
            "mesh:100000",
            "--by",
            "row-major",
            "-o",
            "/dev/full",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: /dev/full: writing"));
}

#[test]
fn gzip_input_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let gzip = |name: &str, text: &str| {
        let file = std::fs::File::create(folder.path().join(name)).unwrap();
        let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap();
    };
    gzip("links.csv.gz", "u,v\n0,1\n1,2\n2,0\n2,3\n");
    gzip("order.txt.gz", "3\n2\n1\n0\n");
    let csv = done(
        folder.path(),
        &[
            "mpc",
            "graph:links.csv.gz",
            "--order",
            "order.txt.gz",
            "--sizes",
            "2,4",
        ],
    );
    let text = String::from_utf8(csv).unwrap();
    assert_eq!(
        text,
        "ordering,size,mpc\norder.txt.gz,2,1\norder.txt.gz,4,1.3333333333333333\n"
    );
}

#[test]
fn written_links_read_back_as_the_same_network() {
    let folder = tempfile::tempdir().unwrap();
    for spec in [
        "slim-fly:q=5",
        "dragonfly:p=1,a=4,h=2",
        "fat-tree:k=4",
        "hyperx:3x4,per_router=1",
        "dragonfly:p=1,a=2,h=2,g=2",
    ] {
        done(folder.path(), &["topology", spec, "--edges", "edges.csv"]);
        let file = format!("graph:{}", folder.path().join("edges.csv").display());
        let network = |spec: &str| {
            let machine = Topology::inline(spec, &Context::default()).unwrap();
            let mut links = Vec::new();
            machine.network().for_each_link(&mut |u, v, capacity| {
                links.push((u.min(v), u.max(v), capacity.to_bits()));
            });
            links.sort_unstable();
            let graph = machine.graph().unwrap();
            let routers = (0..machine.network().routers()).map(RouterId);
            let hops: Vec<_> = routers.map(|router| graph.hops_from(router)).collect();
            (links, hops)
        };
        let ((links, hops), (read_links, read_hops)) = (network(spec), network(&file));
        assert!(!links.is_empty(), "{spec}");
        assert_eq!(links, read_links, "{spec}: links and their capacities");
        assert_eq!(hops, read_hops, "{spec}: hops between routers");
    }
}

#[test]
fn machines_are_found_by_name_path_and_kind() {
    let folder = tempfile::tempdir().unwrap();
    // The shipped file stands in for topologies/titan.toml where there is none.
    let a = done(folder.path(), &["topology", "titan"]);
    assert_eq!(
        a,
        done(folder.path(), &["topology", "topologies/titan.toml"])
    );
    std::fs::write(
        folder.path().join("mine.toml"),
        "kind = 'mesh'\ndims = [3]\nnames = 'c{:02}'\n",
    )
    .unwrap();
    let csv = done(
        folder.path(),
        &[
            "export",
            "mine.toml",
            "--order",
            "row-major:reverse=x",
            "--to",
            "csv",
        ],
    );
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "rank,node,name\n0,2,c02\n1,1,c01\n2,0,c00\n"
    );
    // A known name wins over a file of that name.
    std::fs::write(folder.path().join("titan"), "nonsense").unwrap();
    assert_eq!(a, done(folder.path(), &["topology", "titan"]));
}

#[test]
fn a_names_file_with_coordinates_makes_curves_possible() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("links.csv"), "0,1\n1,2\n2,3\n3,0\n").unwrap();
    std::fs::write(
        folder.path().join("names.csv"),
        "node,name,row,column\n0,a,0,0\n1,b,0,1\n2,c,1,1\n3,d,1,0\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("m.toml"),
        "kind = 'graph'\nfile = 'links.csv'\nnames = 'names.csv'\n",
    )
    .unwrap();
    let csv = done(
        folder.path(),
        &[
            "export",
            "m.toml",
            "--order",
            "row-major:axes=yx",
            "--to",
            "csv",
        ],
    );
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "rank,node,name\n0,0,a\n1,3,d\n2,1,b\n3,2,c\n"
    );
}

#[test]
fn what_corun_leaves_out_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let job = "[[jobs]]\nname = 'a'\nnodes = ['0-4']\nguest = 'all-to-all:n=4'\nbytes = 1000\n";
    std::fs::write(folder.path().join("jobs.toml"), job).unwrap();
    let said = |arguments: &[&str]| {
        let done = run(
            folder.path(),
            &[&["corun", "torus:8"][..], arguments].concat(),
        );
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let unused = "job a: 4 processes on the first of its 5 nodes\n";
    assert_eq!(
        said(&["--jobs", "jobs.toml"]),
        (Some(0), unused.to_string())
    );
    let rows = "pattern,nodes,bytes,seconds\nping-pong,0-1,1000,1e-3\nping-pong,0-1,1000,1e-320\n";
    std::fs::write(folder.path().join("fit.csv"), rows).unwrap();
    let (code, error) = said(&["--fit", "fit.csv"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("fit.csv:3: found seconds `1e-320`; expected a number from 1e-12"),
        "{error}"
    );
}
