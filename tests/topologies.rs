//! Machines from specifications: shapes for a number of nodes, and trees and rails against their closed forms.

use nodeorder_base::NodeId;
use nodeorder_network::{Context, Topology};

fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Context::default()).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// The shape that a family has for a number of nodes.
fn spec(text: &str) -> String {
    let machine = build(text);
    assert!(machine.shape_rule().is_some());
    machine.spec().to_string()
}

#[test]
fn every_family_finds_its_shape_of_five_thousand_nodes() {
    for (asked, shape) in [
        ("mesh:nodes=5000", "mesh:18x17x17,limit=5000"),
        ("torus:nodes=5000", "torus:18x17x17,limit=5000"),
        (
            "torus:nodes=5000,per_router=2",
            "torus:14x14x13,per_router=2,limit=5000",
        ),
        ("grid:nodes=5000,wrap=10", "grid:71x71,wrap=10,limit=5000"),
        ("hyperx:nodes=5000", "hyperx:9x9x8,per_router=8,limit=5000"),
        (
            "hyperx:nodes=5000,per_router=1",
            "hyperx:18x17x17,limit=5000",
        ),
        (
            "cascade:nodes=5000",
            "cascade:16x6x14,per_router=4,limit=5000",
        ),
        (
            "dragonfly:nodes=5000",
            "dragonfly:p=6,a=12,h=6,g=70,cables=1,global=absolute,limit=5000",
        ),
        ("fat-tree:nodes=5000", "fat-tree:k=28,pods=26,limit=5000"),
        (
            "fat-tree:nodes=5000,n=3",
            "fat-tree:k=18,n=3,pods=16,limit=5000",
        ),
        (
            "xgft:nodes=5000",
            "xgft:h=3,m=18x17x17,w=1x18x17,limit=5000",
        ),
        (
            "slim-fly:nodes=5000",
            "slim-fly:q=16,per_router=12,limit=5000",
        ),
        (
            "slim-fly:nodes=5000,per_router=1",
            "slim-fly:q=53,limit=5000",
        ),
        (
            "dragonfly+:nodes=5000",
            "dragonfly+:p=9,l=9,s=9,h=7,g=62,cables=1,global=absolute,limit=5000",
        ),
        (
            "polarfly:nodes=5000",
            "polarfly:q=23,per_router=12,limit=5000",
        ),
        ("polarstar:nodes=5000", "polarstar:q=23,d=4,limit=5000"),
        ("tpu:nodes=5000", "tpu:16x16x20,limit=5000"),
        (
            "multi-rail:nodes=5000,domain=18,gpus=true,rails=4",
            "multi-rail:rails=4,domain=18,domains=8,units=9,spines=21,cables=7,gpus=true,limit=5000",
        ),
        (
            "random-regular:nodes=5000",
            "random-regular:n=5000,d=6,seed=1",
        ),
        (
            "random-regular:nodes=99,d=3,seed=4",
            "random-regular:n=100,d=3,seed=4,limit=99",
        ),
        (
            "watts-strogatz:nodes=500",
            "watts-strogatz:n=500,k=6,p=0.1,seed=1",
        ),
        ("gnm:nodes=500", "gnm:n=500,m=2075,seed=1"),
    ] {
        assert_eq!(spec(asked), shape, "{asked}");
    }
}

#[test]
fn a_fit_is_exact_and_one_node_more_is_a_size_up() {
    for (asked, shape) in [
        ("torus:nodes=64", "torus:4x4x4"),
        ("torus:nodes=65", "torus:6x6x2,limit=65"),
        ("hyperx:nodes=4096", "hyperx:8x8x8,per_router=8"),
        ("hyperx:nodes=4097", "hyperx:9x8x8,per_router=8,limit=4097"),
        (
            "dragonfly:nodes=1056",
            "dragonfly:p=4,a=8,h=4,g=33,global=absolute",
        ),
        ("fat-tree:nodes=1024", "fat-tree:k=16"),
        ("fat-tree:nodes=1025", "fat-tree:k=18,pods=13,limit=1025"),
        ("fat-tree:nodes=64,n=3", "fat-tree:k=4,n=3"),
        ("slim-fly:nodes=200", "slim-fly:q=5,per_router=4"),
        ("cascade:nodes=384", "cascade:16x6x1,per_router=4"),
    ] {
        assert_eq!(spec(asked), shape, "{asked}");
    }
}

#[test]
fn contradictions_are_errors() {
    for (spec, part) in [
        ("fat-tree:pods=2,nodes=16", "nodes = 16 beside `pods`"),
        ("torus:4x4,nodes=16", "nodes = 16 beside `dims`"),
        (
            "dragonfly:nodes=16,g=3",
            "nodes = 16 beside `g`; expected one of the two: nodes= chooses p, a, h, g",
        ),
        ("mesh:nodes=16,limit=9", "nodes = 16 beside `limit`"),
        ("mesh:nodes=0", "a whole number from 1 to 2147483648"),
        ("mesh:nodes=x", "a whole number from 1 to 2147483648"),
        ("grid:nodes=9", "no `wrap`"),
        ("mesh:nodes=9,k=2", "unknown key for mesh `k`"),
        ("graph:nodes=9", "nodes"),
    ] {
        let error = Topology::inline(spec, &Context::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{spec}: {error}");
    }
}

#[test]
fn fat_trees_of_three_levels_have_the_published_counts() {
    for k in [2u64, 4, 8, 16] {
        let machine = build(&format!("fat-tree:k={k}"));
        let s = machine.statistics().unwrap();
        assert_eq!((s.nodes, s.routers), (k * k * k / 4, 5 * k * k / 4));
        assert_eq!(s.links, k * k * k / 2);
        // Leaf switches keep half their ports for nodes; the other switches link all k.
        assert_eq!(
            (u64::from(s.degree_min), u64::from(s.degree_max)),
            (k / 2, k)
        );
        assert_eq!(s.diameter, 4);
        assert_eq!(machine.network().hosts() as u64, k * k / 2);
    }
}

#[test]
fn k_ary_n_trees_have_the_published_counts() {
    for (k, n) in [(2u64, 3u32), (4, 3), (3, 4), (5, 1), (2, 6)] {
        let s = build(&format!("fat-tree:k={k},n={n}"))
            .statistics()
            .unwrap();
        assert_eq!(
            (s.nodes, s.routers),
            (k.pow(n), u64::from(n) * k.pow(n - 1))
        );
        assert_eq!(s.links, u64::from(n - 1) * k.pow(n));
        assert_eq!(s.diameter, 2 * (n - 1));
    }
}

#[test]
fn specifications_come_back_as_written() {
    for spec in [
        "fat-tree:k=4",
        "fat-tree:k=4,n=2,limit=9",
        "xgft:h=2,m=18x4,w=1x2",
    ] {
        assert_eq!(build(spec).spec(), spec);
    }
    assert_eq!(build("xgft:m=18x4,w=1x2").spec(), "xgft:h=2,m=18x4,w=1x2");
}

#[test]
fn the_reference_architecture_has_its_switches_and_cables() {
    // 16 units: 512 nodes, 4,096 GPUs, 128 leaf, 128 spine, 64 core switches, 4,096 cables at each level.
    for (gpus, nodes) in [(false, 512), (true, 4096)] {
        let spec =
            "multi-rail:rails=8,domains=32,units=16,spines=16,cores=4,cables=2,core_cables=8";
        let s = build(&format!("{spec},gpus={gpus}")).statistics().unwrap();
        assert_eq!((s.nodes, s.routers), (nodes, 128 + 128 + 64));
        assert_eq!((s.node_links, s.cables), (4096, 2 * 4096));
        assert_eq!(
            (s.ports, s.oversubscription, s.diameter),
            (64, Some(1.0), 2)
        );
    }
}

#[test]
fn distances_count_switches_and_changes_of_rail() {
    let far = |spec: &str, pairs: [u32; 4]| {
        let machine = build(spec);
        pairs.map(|n| machine.distance(NodeId(0), NodeId(n)))
    };
    // Racks of three nodes, four a unit: in the rack, in the unit, in another unit.
    let racks = "multi-rail:rails=2,domain=3,domains=4,units=2,spines=1";
    assert_eq!(far(racks, [2, 3, 11, 12]), [0, 0, 0, 2]);
    assert_eq!(
        far(&format!("{racks},nvlink=1,fabric=3"), [2, 3, 11, 12]),
        [0, 0, 0, 6]
    );
    // GPUs: own node, same rail of the next, another rail of the next, another rail in another unit.
    let gpus = "multi-rail:rails=4,domains=2,units=2,spines=2,gpus=true";
    assert_eq!(far(gpus, [1, 4, 5, 9]), [0, 0, 0, 2]);
    assert_eq!(
        far(&format!("{gpus},nvlink=1,fabric=2"), [1, 4, 5, 9]),
        [1, 0, 1, 5]
    );
}
