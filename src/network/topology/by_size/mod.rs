//! Families by size: `fat-tree:nodes=5000` in the place of a shape.
//!
//! Each line of `RULES` says which keys `nodes=` stands for in a family and how it chooses them:
//! `fat-tree:nodes=5000` is `fat-tree:k=28,pods=26,limit=5000`, as k = 26 has 4394 nodes at most, and k = 28 has 196 in
//! a pod. The first N node ids are schedulable, as with `limit=N`.

use algebraic::{size_polarfly, size_polarstar, size_slim_fly};
use dragonflies::{size_dragonfly, size_dragonfly_plus};
use grids::{size_cascade, size_grid, size_hyperx, size_tpu};
use random::{size_gnm, size_random_regular, size_watts_strogatz};
use shape::ShapeOptions;
use trees::{size_fat_tree, size_leaf_spine, size_multi_rail, size_xgft};

use super::family::TopologyEntry;
use super::sizes::MAX_NODES;
use nodeorder_base::{Error, Params, Result};

mod algebraic;
mod dragonflies;
mod grids;
mod numbers;
mod random;
mod shape;
mod trees;

/// Rule by which a family finds the smallest shape that fits.
struct SizeRule {
    /// Name of the family, as in [`super::TOPOLOGIES`].
    family: &'static str,
    /// Keys that `nodes=` stands for.
    shape: &'static [&'static str],
    /// Chooses keys and values for a number of nodes.
    choose: ChooseShape,
}

/// Chooses the keys and values of a shape from the options given and the number of nodes.
type ChooseShape = fn(&Params, u64) -> Result<ShapeOptions>;

impl SizeRule {
    /// Creates a line of [`RULES`].
    const fn new(
        family: &'static str,
        shape: &'static [&'static str],
        choose: ChooseShape,
    ) -> Self {
        SizeRule {
            family,
            shape,
            choose,
        }
    }
}

/// Rules of all families that a number of nodes can size, one line each.
///
/// - Meshes, tori, mixed grids: three dimensions (as many as `wrap` has, where it is given) whose extents differ
///   by one at most, the smallest such product that is enough; one node a router unless `per_router` is given. A torus
///   of up to three dimensions that would cost more than 1.1 times the cheapest, at 1 a link and 16 a router: the most
///   even extents that do not.
/// - HyperX: likewise three dimensions; without `per_router` each router carries as many nodes as the smallest
///   extent of the even shape, which so keeps at least half of full bisection (Ahn et al., SC'09, section 3: S/(2T) at
///   T = S); likewise the most even extents where these cost more than 1.1 times the cheapest.
/// - Cascade: chassis of 16 blades and groups of 6 chassis, four nodes a blade unless `per_router` is given, as
///   on the Cray XC (Alverson, Froese, Kaplan, Roweth, "Cray XC Series Network", 2012); as many groups as needed.
/// - Dragonfly: balanced, a = 2p = 2h (Kim et al., ISCA'08, section 3.1); the smallest p whose full machine of
///   2p² + 1 groups is enough, then as few groups as needed, as many cables between each two as 2p² ports allow, and as
///   few
///   global ports as these take.
/// - Fat tree: unless `k` is given the smallest even k with k³/4 ≥ N, with `n` given the smallest k with kⁿ ≥ N; then
///   as
///   few pods (with `n`, subtrees of kⁿ⁻¹ nodes) as needed, under all switches of the top.
/// - Leaf-spine: leaf switches of `radix` ports, the most node links that leave room for as many uplinks as `blocking`
///   says;
///   as few as needed; the smallest number of spine switches that divides the uplinks and has the ports.
/// - XGFT: `h` levels (three unless given) of full bandwidth: children that differ by one at most, their product
///   the smallest such that is enough, and as many parents as there are children below.
/// - Slim Fly: the smallest q; without `per_router` each router carries half its degree, rounded up (Besta,
///   Hoefler, SC'14, section II-B).
/// - Dragonfly+: p = l = s = h, half of a switch's ports each way (Shpiner et al., HiPINEB 2017, section II); the
///   smallest p whose full machine of p² + 1 groups is enough, then groups, cables and global ports as on the
///   dragonfly.
/// - PolarFly: the smallest q; without `per_router` each router carries half its degree, rounded up (Lakhotia et al.,
///   SC'22). PolarStar: likewise the smallest q, with supernodes of `d` = 4 links a router unless given, and one node
///   a router unless `per_router` is given.
/// - Multi-rail: units of 32 nodes (a DGX SuperPOD's) where a domain is a node, else of 8 domains (that of the
///   GB200's); as few units as needed. Eight rails unless given. Unless `spines` is given, as many cables from each
///   leaf switch up as down, to as few spine switches of `SPINE_PORTS` ports as that takes (of more ports where there
///   are more units).
/// - TPU: parts of one cube as they are sold, 2x2x1 to 2x4x4, then cubes whose three extents differ by one at most.
/// - Random families: as few routers as needed (one more where a degree given would leave an odd number of ends).
///   Unless given: degree 6 (regular), k = 6 and p = 0.1 (Watts-Strogatz), and m = n + ⌈n·⌈log₂n⌉·7/20⌉ links
///   (G(n,m)), which is just above n·ln(n)/2 + n and nearly always connects.
const RULES: &[SizeRule] = &[
    SizeRule::new("mesh", &["dims"], size_grid),
    SizeRule::new("torus", &["dims"], size_grid),
    SizeRule::new("grid", &["dims"], size_grid),
    SizeRule::new("hyperx", &["dims"], size_hyperx),
    SizeRule::new("cascade", &["dims"], size_cascade),
    SizeRule::new("dragonfly", &["p", "a", "h", "g", "cables"], size_dragonfly),
    SizeRule::new("fat-tree", &["pods", "k"], size_fat_tree),
    SizeRule::new(
        "leaf-spine",
        &["leaves", "down", "up", "spines"],
        size_leaf_spine,
    ),
    SizeRule::new("xgft", &["m", "w"], size_xgft),
    SizeRule::new("slim-fly", &["q"], size_slim_fly),
    SizeRule::new(
        "dragonfly+",
        &["p", "l", "s", "h", "g", "cables"],
        size_dragonfly_plus,
    ),
    SizeRule::new("polarfly", &["q"], size_polarfly),
    SizeRule::new("polarstar", &["q"], size_polarstar),
    SizeRule::new("multi-rail", &["domains", "units"], size_multi_rail),
    SizeRule::new("tpu", &["dims"], size_tpu),
    SizeRule::new("watts-strogatz", &["n"], size_watts_strogatz),
    SizeRule::new("random-regular", &["n"], size_random_regular),
    SizeRule::new("gnm", &["n"], size_gnm),
];

/// Chooses the keys that `nodes=` stands for and the rule that chose them; `None` if it is not given or the family has
/// no such rule.
///
/// # Errors
/// `nodes=` beside `limit` or a key of the shape, or out of range.
pub fn choose_shape(
    family: &TopologyEntry,
    params: &Params,
) -> Result<Option<(ShapeOptions, &'static str)>> {
    let rule = RULES.iter().find(|rule| rule.family == family.name);
    let option = family.options.iter().find(|option| option.key == "nodes");
    let (Some(rule), Some(option)) = (rule, option) else {
        return Ok(None);
    };
    let Some(nodes) = params.optional_integer("nodes", 1, MAX_NODES)? else {
        return Ok(None);
    };
    let is_given = |key: &&str| params.has_key(key);
    // Suppliers state both: how many switches, and how many nodes there are on them.
    if rule.family == "leaf-spine" && rule.shape.iter().all(is_given) && !params.has_key("limit") {
        let keys = vec![("limit", nodes.to_string())];
        return Ok(Some((keys, "the first so many nodes")));
    }
    if let Some(key) = rule
        .shape
        .iter()
        .chain(&["limit"])
        // Of a fat tree of given switches the pods are still to be chosen.
        .find(|key| params.has_key(key) && **key != "k")
    {
        return Err(Error::input(
            params.location_of("nodes"),
            format!("nodes = {nodes} beside `{key}`"),
            format!(
                "one of the two: nodes= chooses {} and limit",
                rule.shape.join(", ")
            ),
        ));
    }
    let mut keys = (rule.choose)(params, nodes)?;
    keys.push(("limit", nodes.to_string()));
    // The help of the option says the rule in words after the keys.
    let words = option
        .about
        .split_once(": ")
        .map_or(option.about, |(_, words)| words);
    Ok(Some((keys, words)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Context, TOPOLOGIES, Topology};
    use nodeorder_base::Text;
    use proptest::prelude::*;

    #[test]
    fn toml_says_the_same() {
        let text = "kind = 'fat-tree'\nnodes = 5000\nexclude = [3]\n";
        let machine = Topology::toml(&Text::new("m.toml", text), None, &Context::default());
        let machine = machine.unwrap();
        assert_eq!(machine.spec(), "fat-tree:k=28,pods=26,limit=5000,exclude=3");
        assert_eq!((machine.node_count(), machine.name()), (4999, "m"));
        let text = "kind = 'torus'\n\nnodes = 50\ndims = [4, 4]\n";
        let error = Topology::toml(&Text::new("m.toml", text), None, &Context::default());
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("m.toml:3: found nodes = 50 beside `dims`"),
            "{error}"
        );
    }

    /// Each family but those of files has a rule, and declares its keys.
    #[test]
    fn every_family_but_those_of_files_declares_its_rule() {
        for family in TOPOLOGIES.iter() {
            let declared = family.options.iter().find(|option| option.key == "nodes");
            let rule = RULES.iter().find(|rule| rule.family == family.name);
            let start = rule.map(|rule| format!("chooses {}: ", rule.shape.join(", ")));
            let of_a_file = family.options.iter().any(|option| option.key == "file");
            assert_eq!(rule.is_none(), of_a_file, "{}", family.name);
            // Families of files may have an option `nodes` of another meaning.
            match (declared.filter(|_| !of_a_file), start) {
                (Some(option), Some(start)) => assert!(option.about.starts_with(&start), "{start}"),
                (declared, start) => {
                    assert!(declared.is_none() && start.is_none(), "{}", family.name)
                }
            }
        }
        for rule in RULES {
            assert!(TOPOLOGIES.get(rule.family).is_some(), "{}", rule.family);
        }
    }

    /// Cables and routers of a machine, and its cost at 1 a cable and 16 a router.
    fn bill(text: &str) -> (u64, u64, u64) {
        let machine = Topology::inline(text, &Context::default()).unwrap();
        let cables = machine.cables_where(|_, _| true);
        let routers = u64::from(machine.network().routers());
        (cables, routers, cables + 16 * routers)
    }

    /// Values of the keys of a specification.
    fn values<const N: usize>(spec: &str, keys: [&str; N]) -> [u64; N] {
        keys.map(|key| {
            let part = spec
                .split([':', ','])
                .find_map(|part| part.strip_prefix(key));
            part.and_then(|text| text.strip_prefix('=')?.parse().ok())
                .unwrap_or(0)
        })
    }

    #[test]
    fn offers_of_any_size_are_the_cheapest_of_their_kind() {
        let mut random = nodeorder_base::random::seed_generator(55);
        for _ in 0..200 {
            let n = 64 + nodeorder_base::random::random_below(19_937, &mut random);
            // Fat trees: a pod has k²/4 nodes, k switches and k²/4 cables inside, and k²/4 to as many core switches.
            let text = format!("fat-tree:nodes={n}");
            let machine = Topology::inline(&text, &Context::default()).unwrap();
            let [k] = values(machine.spec(), ["k"]);
            let quarter = k * k / 4;
            let shapes = (1..=k).filter(|pods| pods * quarter >= n).map(|pods| {
                let cores = if pods > 1 { quarter } else { 0 };
                pods * quarter + pods * cores + 16 * (pods * k + cores)
            });
            assert_eq!(Some(bill(&text).2), shapes.min(), "{text}");
            // Dragonflies: one group fewer is too few, one cable more between each two too many.
            let text = format!("dragonfly:nodes={n}");
            let machine = Topology::inline(&text, &Context::default()).unwrap();
            let [p, a, h, g] = values(machine.spec(), ["p", "a", "h", "g"]);
            assert!(
                a == 2 * p && (g - 1) * a * p < n && n <= g * a * p,
                "{text}"
            );
            let cables = (bill(&text).0 - g * a * (a - 1) / 2) / (g * (g - 1) / 2).max(1);
            assert!(g == 1 || (cables * (g - 1) <= a * p && a * p < (cables + 1) * (g - 1)));
            let mut used = vec![0; (g * a) as usize];
            machine
                .network()
                .for_each_cabled_link(&mut |u, v, _, cables| {
                    if u64::from(u) / a != u64::from(v) / a {
                        used[u as usize] += u64::from(cables);
                        used[v as usize] += u64::from(cables);
                    }
                });
            assert!(
                used.iter().all(|used| h - used <= 1 && *used >= h.min(1)),
                "{text}"
            );
            let idle: u64 = used.iter().map(|used| h - used).sum();
            assert_eq!(machine.network().idle_ports, idle);
            let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
            let links = |machine: &Topology| {
                let mut all = Vec::new();
                machine
                    .network()
                    .for_each_link(&mut |u, v, cables| all.push((u, v, cables as u32)));
                all
            };
            assert_eq!(links(&again), links(&machine), "{text}");
            // Grids of three dimensions, two routers or more along each: at most 1.1 times the cheapest of all.
            for family in ["torus", "hyperx"] {
                let text = format!("{family}:nodes={n}");
                let machine = Topology::inline(&text, &Context::default()).unwrap();
                let per = machine.network().per_router();
                let routers = n.div_ceil(per.into());
                let cost = |[a, b, c]: [u64; 3]| {
                    let links = [a, b, c].map(|extent| match family {
                        "hyperx" => extent - 1,
                        _ if extent == 2 => 1,
                        _ => 2,
                    });
                    a * b * c * (32 + links.iter().sum::<u64>())
                };
                let mut cheapest = u64::MAX;
                for a in 2..=routers.div_ceil(4).max(2) {
                    for b in 2..=routers.div_ceil(2 * a).max(2) {
                        let c = routers.div_ceil(a * b).max(2);
                        cheapest = cheapest.min(cost([a, b, c]));
                    }
                }
                let ours = 2 * bill(&text).2;
                let extents = &machine.lattice().unwrap().extents;
                assert_eq!(ours, cost([0, 1, 2].map(|i| u64::from(extents[i]))));
                assert!(ours * 10 <= cheapest * 11, "{text}");
            }
        }
    }

    #[test]
    fn offers_of_1500_and_500_nodes_by_hand() {
        let [tree, pods] = ["fat-tree:nodes=1500", "xgft:h=3,m=10x10x15,w=1x10x10"];
        assert_eq!(bill(tree), (3000, 400, 3000 + 16 * 400));
        assert_eq!(bill(pods), bill(tree));
        let figures = |text: &str| {
            let machine = Topology::inline(text, &Context::default()).unwrap();
            let s = machine.statistics().unwrap();
            let cut = machine.network().cut_bounds().unwrap();
            (
                s.total_distance,
                s.diameter,
                cut.cut,
                s.ports,
                s.places,
                s.idle_ports,
            )
        };
        let of = |text| {
            let f = figures(text);
            (f.0, f.1, f.2)
        };
        assert_eq!(of(tree), of(pods));
        // A hundred core switches of twenty ports for fifteen pods.
        assert_eq!((figures(tree).2, figures(tree).5), (Some(750), 500));
        assert_eq!(figures("fat-tree:nodes=500").4, 11 * 49);
        // One pod: eight leaf and eight upper switches, whose eight ports up are idle.
        assert_eq!(bill("fat-tree:k=16,nodes=64").1, 16);
        assert_eq!(figures("fat-tree:k=16,nodes=64").5, 64);
        assert_eq!(bill("fat-tree:n=3,nodes=30").1, 2 * (4 + 4) + 16);
        for (text, shape) in [
            (
                "dragonfly:nodes=1500",
                "dragonfly:p=5,a=10,h=3,g=30,global=absolute",
            ),
            (
                "dragonfly:nodes=500",
                "dragonfly:p=4,a=8,h=4,g=16,cables=2,global=absolute",
            ),
            (
                "dragonfly:nodes=1056",
                "dragonfly:p=4,a=8,h=4,g=33,global=absolute",
            ),
        ] {
            let machine = Topology::inline(text, &Context::default()).unwrap();
            assert!(machine.spec().starts_with(shape), "{}", machine.spec());
        }
    }

    proptest! {
        #[test]
        fn exactly_so_many_nodes_and_no_smaller_shape(nodes in 1u64..3000) {
            // A leaf-spine network of more leaf switches than a spine switch has ports is none.
            let families = RULES.iter().map(|rule| rule.family);
            for family in families.filter(|family| *family != "leaf-spine" || nodes <= 2048) {
                let wrap = if family == "grid" { ",wrap=01" } else { "" };
                let text = format!("{family}:nodes={nodes}{wrap}");
                let machine = Topology::inline(&text, &Context::default()).unwrap();
                prop_assert_eq!(machine.node_count() as u64, nodes, "{}", text);
                // The canonical specification makes the same machine.
                let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
                prop_assert_eq!(again.spec(), machine.spec());
                prop_assert_eq!(again.shape_rule(), None);
            }
        }
    }
}
