//! Cells of every kind of layout lie apart, within the drawing, and have names.

use super::*;

#[test]
fn cells_lie_apart_and_within_the_drawing() {
    let machines = [
        ("torus:6x5x4", 120, "A 6 × 5 × 4 box"),
        ("torus:4x3x3x2x2", 144, "x to the right, y upwards, a panel"),
        ("mesh:5x7,per_router=3", 105, "to the right"),
        (
            "cascade:4x3x5,per_router=2,global=single",
            120,
            "A box is one group",
        ),
        ("fat-tree:k=4", 16, "A box is one pod"),
        ("torus:1000", 1000, "Node ids in rows of 40"),
    ];
    for (spec, count, about) in machines {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let layout = lay_out_page(&topology);
        assert_eq!(layout.count, count, "{spec}");
        assert!(layout.about.contains(about), "{spec}: {}", layout.about);
        let at: Vec<[f64; 3]> = (0..count).map(|cell| layout.centre_of_cell(cell)).collect();
        for (i, a) in at.iter().enumerate() {
            for b in &at[..i] {
                let apart = (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max);
                assert!(
                    apart > layout.edge - 1e-9 && apart > 0.0,
                    "{spec}: {a:?} {b:?}"
                );
            }
            if layout.solid.is_none() {
                let inside = |x: f64, size: f64| x > 0.0 && x < size;
                assert!(
                    inside(a[0], layout.width) && inside(a[1], layout.height),
                    "{spec}: {a:?}"
                );
            }
        }
    }
}

/// Leaf switches of different sizes: a rack each with its name, its nodes within it and no others.
#[test]
fn racks_hold_their_nodes() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/topology.conf"
    );
    let spec = format!("slurm-topology:{file}");
    let topology = Topology::inline(&spec, &Default::default()).unwrap();
    let layout = lay_out_page(&topology);
    let racks: Vec<_> = layout.frames.iter().filter(|frame| !frame.bare).collect();
    let titles: Vec<&str> = racks.iter().map(|frame| frame.title.as_str()).collect();
    assert_eq!(titles, ["leaf1", "leaf2", "leaf3"]);
    let levels = topology.network().levels();
    let leaf = levels.last().unwrap();
    for node in topology.nodes().iter() {
        let [x, y, _] = layout.centre_of_cell(node.0);
        assert!(x < layout.width && y < layout.height);
        let holds = |frame: &&&Frame| {
            (frame.x..frame.x + frame.w).contains(&x) && (frame.y..frame.y + frame.h).contains(&y)
        };
        let held: Vec<&str> = racks
            .iter()
            .filter(holds)
            .map(|frame| frame.title.as_str())
            .collect();
        assert_eq!(held, [leaf.unit_name(leaf.unit_of(node))]);
    }
}

#[test]
fn a_node_is_told_by_its_digits() {
    let topology = Topology::inline("torus:6x5x4", &Default::default()).unwrap();
    let layout = lay_out_page(&topology);
    let digits = layout
        .names
        .iter()
        .map(|(name, (s, e))| format!("{name}{}", 119 / s % e));
    assert_eq!(digits.collect::<Vec<_>>(), ["x = 5", "y = 4", "z = 3"]);
    assert_eq!(layout.centre_of_cell(119), [5.0, 4.0, 3.0]);
}
