//! The examples of the library: short, and right.

#[path = "../examples/choose.rs"]
#[allow(dead_code)]
mod choose;
#[path = "../examples/first_hour.rs"]
#[allow(dead_code)]
mod first_hour;
#[path = "../examples/page.rs"]
#[allow(dead_code)]
mod page;
#[path = "../examples/replay.rs"]
#[allow(dead_code)]
mod replay;
#[path = "../examples/stencil.rs"]
#[allow(dead_code)]
mod stencil;

use nodeorder_network::Topology;

#[test]
fn the_curve_that_is_most_compact_comes_first() {
    choose::main().unwrap();
    let machine = Topology::inline("mesh:8x8x8", &Default::default()).unwrap();
    let ranked = choose::ranked(&machine, &["random", "row-major", "hilbert"]).unwrap();
    let names: Vec<&str> = ranked.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["hilbert", "row-major", "random"]);
    assert!(ranked.is_sorted_by(|a, b| a.1 < b.1), "{ranked:?}");
}

#[test]
fn a_first_hour_needs_the_prelude_alone() {
    first_hour::main().unwrap();
    let (best, hops) = first_hour::best_and_hops("torus:8x8", "P a 4\nP b 2\n").unwrap();
    assert_eq!(best, "hilbert");
    // Both allocators take ranks 0 to 3, a square of 8 hops in 6 pairs, and 4 to 5.
    let mean = (8.0 / 6.0 + 1.0) / 2.0;
    assert_eq!(hops, [Some(mean); 2]);
    let text = std::fs::read_to_string(crate::root().join("examples/first_hour.rs")).unwrap();
    let imports: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("use "))
        .collect();
    assert_eq!(imports, ["use nodeorder::prelude::*;"]);
    assert!(text.lines().count() <= 40);
}

#[test]
fn two_allocators_replay_one_log() {
    replay::main().unwrap();
    // Three jobs; the third finds ranks 0 to 3 and 6 to 7 free, of which one span is as long as it.
    let log = "P a 4\nP b 2\nF a\nP c 2\n";
    let hops = replay::mean_hops("row-major", log, ["fifo:0", "span-best-fit"]).unwrap();
    // On eight nodes in a ring: 0-3 have 10 hops in 6 pairs, neighbours one.
    let mean = (10.0 / 6.0 + 1.0 + 1.0) / 3.0;
    assert!(
        hops.iter().all(|h| (h.unwrap() - mean).abs() < 1e-12),
        "{hops:?}"
    );
}

#[test]
fn a_stencil_on_a_box_of_its_shape_goes_one_hop() {
    stencil::main().unwrap();
    let machine = Topology::inline("mesh:4x4x4", &Default::default()).unwrap();
    let found = stencil::analysed(&machine, "row-major", 0).unwrap();
    // Of four steps along a closed line of four, one goes back over three links.
    assert_eq!((found.dilation.mean, found.dilation.max), (1.5, 3.0));
    let torus = Topology::inline("torus:4x4x4", &Default::default()).unwrap();
    let found = stencil::analysed(&torus, "row-major", 0).unwrap();
    assert_eq!((found.dilation.mean, found.contention.max), (1.0, 1.0));
}

#[test]
fn a_page_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let orders = ["snake", "hilbert"].map(String::from);
    page::write(&folder.path().join("out"), "torus:4x4", &orders).unwrap();
    let page = std::fs::read_to_string(folder.path().join("out/index.html")).unwrap();
    assert!(page.contains("hilbert") && page.trim_end().ends_with("</html>"));
}

#[test]
fn examples_are_short() {
    let folder = crate::root().join("examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // The notebooks beside them are run where the Python package is tested.
        if path.extension().is_none_or(|ending| ending != "rs") {
            continue;
        }
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 70, "{}: {lines} lines", path.display());
    }
}
