//! Families by size: `fat-tree:nodes=5000` in the place of a shape.
//!
//! Each line of `RULES` says which keys `nodes=` stands for in a family and how it chooses them. The first N
//! node ids are schedulable, as with `limit=N`.

use super::galois::prime_power;
use super::slim_fly;
use super::{MAX_NODES, TopologyEntry};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::Params;

/// How one family finds the smallest shape that fits.
struct Rule {
    family: &'static str,
    /// The keys that `nodes=` stands for.
    shape: &'static [&'static str],
    /// Chooses keys and values for a number of nodes.
    choose: fn(&Params, u64) -> Result<Keys>,
}

/// One line a family.
///
/// - Meshes, tori, mixed grids: three dimensions (as many as `wrap` has, where it is given) whose extents differ
///   by one at most, the smallest such product that is enough; one node a router unless `per_router` is given.
/// - HyperX: likewise three dimensions; without `per_router` each router carries as many nodes as the smallest
///   extent, which keeps at least half of full bisection (Ahn et al., SC'09, section 3: S/(2T) at T = S).
/// - Cascade: chassis of 16 blades and groups of 6 chassis, four nodes a blade unless `per_router` is given, as
///   on the Cray XC (Alverson, Froese, Kaplan, Roweth, "Cray XC Series Network", 2012); as many groups as needed.
/// - Dragonfly: balanced, a = 2p = 2h (Kim et al., ISCA'08, section 3.1); the smallest p whose full machine of
///   a·h + 1 groups is enough, then as few groups as needed.
/// - Fat tree: the smallest even k with k³/4 ≥ N; with `n` given, the smallest k with kⁿ ≥ N.
/// - XGFT: `h` levels (three unless given) of full bandwidth: children that differ by one at most, their product
///   the smallest such that is enough, and as many parents as there are children below.
/// - Slim Fly: the smallest q; without `per_router` each router carries half its degree, rounded up (Besta,
///   Hoefler, SC'14, section II-B).
/// - Dragonfly+: p = l = s = h, half of a switch's ports each way (Shpiner et al., HiPINEB 2017, section II); the
///   smallest p whose full machine of p² + 1 groups is enough, then as few groups as needed.
/// - PolarFly: the smallest q; without `per_router` each router carries half its degree, rounded up (Lakhotia et al.,
///   SC'22). PolarStar: likewise the smallest q, with supernodes of `d` = 4 links a router unless given, and one node
///   a router unless `per_router` is given.
/// - Multi-rail: units of 32 nodes (a DGX SuperPOD's) where a domain is a node, else of 8 domains (that of the GB200's);
///   as few units as needed. Eight rails unless given. Unless `spines` is given, as many cables from each leaf switch up
///   as down, to as few spine switches of [`PORTS`] ports as that takes (of more ports where there are more units).
/// - TPU: parts of one cube as they are sold, 2x2x1 to 2x4x4, then cubes whose three extents differ by one at most.
/// - Random families: as few routers as needed (one more where a degree given would leave an odd number of ends).
///   Unless given: degree 6 (regular), k = 6 and p = 0.1 (Watts-Strogatz), and m = n + ⌈n·⌈log₂n⌉·7/20⌉ links
///   (G(n,m)), which is just above n·ln(n)/2 + n and nearly always connects.
const RULES: &[Rule] = &[
    Rule {
        family: "mesh",
        shape: &["dims"],
        choose: grid,
    },
    Rule {
        family: "torus",
        shape: &["dims"],
        choose: grid,
    },
    Rule {
        family: "grid",
        shape: &["dims"],
        choose: grid,
    },
    Rule {
        family: "hyperx",
        shape: &["dims"],
        choose: hyperx,
    },
    Rule {
        family: "cascade",
        shape: &["dims"],
        choose: cascade,
    },
    Rule {
        family: "dragonfly",
        shape: &["p", "a", "h", "g"],
        choose: dragonfly,
    },
    Rule {
        family: "fat-tree",
        shape: &["k"],
        choose: fat_tree,
    },
    Rule {
        family: "xgft",
        shape: &["m", "w"],
        choose: xgft,
    },
    Rule {
        family: "slim-fly",
        shape: &["q"],
        choose: slim_fly,
    },
    Rule {
        family: "dragonfly+",
        shape: &["p", "l", "s", "h", "g"],
        choose: dragonfly_plus,
    },
    Rule {
        family: "polarfly",
        shape: &["q"],
        choose: polarfly,
    },
    Rule {
        family: "polarstar",
        shape: &["q"],
        choose: polarstar,
    },
    Rule {
        family: "multi-rail",
        shape: &["domains", "units"],
        choose: multi_rail,
    },
    Rule {
        family: "tpu",
        shape: &["dims"],
        choose: tpu,
    },
    Rule {
        family: "watts-strogatz",
        shape: &["n"],
        choose: watts_strogatz,
    },
    Rule {
        family: "random-regular",
        shape: &["n"],
        choose: random_regular,
    },
    Rule {
        family: "gnm",
        shape: &["n"],
        choose: gnm,
    },
];

/// Ports of a spine switch of a multi-rail network, where its units allow.
const PORTS: u64 = 64;

/// A value for each key of a shape.
type Keys = Vec<(&'static str, String)>;

/// The keys that `nodes=` stands for and the rule that chose them; none where it is not given, or where the family has
/// no such rule. Errors: `nodes=` beside `limit` or a key of the shape, or out of range.
pub(super) fn chosen(
    family: &TopologyEntry,
    params: &Params,
) -> Result<Option<(Keys, &'static str)>> {
    let rule = RULES.iter().find(|rule| rule.family == family.name);
    let option = family.options.iter().find(|option| option.key == "nodes");
    let (Some(rule), Some(option)) = (rule, option) else {
        return Ok(None);
    };
    let Some(nodes) = params.integer("nodes", 1, MAX_NODES)? else {
        return Ok(None);
    };
    if let Some(key) = rule
        .shape
        .iter()
        .chain(&["limit"])
        .find(|key| params.has(key))
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
    let words = option
        .about
        .split_once(": ")
        .map_or(option.about, |(_, words)| words);
    Ok(Some((keys, words)))
}

/// `per_router` as given, else `default`.
fn per_router(params: &Params, default: u64) -> Result<u64> {
    // The default that families declare is another.
    if !params.has("per_router") {
        return Ok(default);
    }
    Ok(params.integer("per_router", 1, 1 << 20)?.unwrap_or(default))
}

fn power(base: u64, exponent: u32) -> u128 {
    u128::from(base).saturating_pow(exponent)
}

/// The largest m with mᵈ ≤ `n`, for n ≥ 1 and d ≥ 1.
fn root(n: u64, d: u32) -> u64 {
    let mut m = (n as f64).powf(1.0 / f64::from(d)) as u64;
    // The float may be off by one.
    while power(m + 1, d) <= u128::from(n) {
        m += 1;
    }
    while m > 1 && power(m, d) > u128::from(n) {
        m -= 1;
    }
    m.max(1)
}

/// `dimensions` extents that differ by one at most, the larger ones first: the smallest product of at least
/// `enough`.
fn even_extents(enough: u64, dimensions: u32) -> Vec<u64> {
    let m = root(enough, dimensions);
    let fits = |larger: &u32| {
        power(m, dimensions - larger).saturating_mul(power(m + 1, *larger)) >= u128::from(enough)
    };
    // All of them larger is enough by the choice of m.
    let larger = (0..dimensions).find(fits).unwrap_or(dimensions);
    (0..dimensions).map(|i| m + u64::from(i < larger)).collect()
}

fn grid(params: &Params, nodes: u64) -> Result<Keys> {
    // Only families that take it declare it.
    let wrap = if params.has("wrap") && params.kind() != "mesh" {
        params.value("wrap")
    } else {
        None
    };
    let dimensions = match wrap {
        Some((nodeorder_base::params::Value::Word(digits), _)) => digits.len(),
        Some((nodeorder_base::params::Value::List(items), _)) => items.len(),
        _ => 3,
    };
    let routers = nodes.div_ceil(per_router(params, 1)?);
    Ok(vec![(
        "dims",
        super::by_x(&even_extents(routers, (dimensions as u32).clamp(1, 64))),
    )])
}

fn hyperx(params: &Params, nodes: u64) -> Result<Keys> {
    if params.has("per_router") {
        return grid(params, nodes);
    }
    // Extents m, …, m+1 with m nodes a router: products grow with m and with the number of larger extents.
    let mut m = root(nodes, 4);
    loop {
        let routers = nodes.div_ceil(m);
        if power(m + 1, 3) >= u128::from(routers) {
            let mut extents = even_extents(routers.max(power(m, 3) as u64), 3);
            extents.iter_mut().for_each(|n| *n = (*n).max(m));
            return Ok(vec![
                ("dims", super::by_x(&extents)),
                ("per_router", m.to_string()),
            ]);
        }
        m += 1;
    }
}

fn cascade(params: &Params, nodes: u64) -> Result<Keys> {
    let per_router = per_router(params, 4)?;
    let groups = nodes.div_ceil(96 * per_router);
    Ok(vec![
        ("dims", format!("16x6x{groups}")),
        ("per_router", per_router.to_string()),
    ])
}

fn dragonfly(_: &Params, nodes: u64) -> Result<Keys> {
    // p·2p·(2p² + 1) nodes.
    let full = |p: &u64| 2 * power(*p, 2) * (2 * power(*p, 2) + 1);
    let enough = (1..).find(|p| full(p) >= u128::from(nodes));
    // Below 2³¹ nodes p stays below 153.
    let p = enough.unwrap_or(1);
    let groups = nodes.div_ceil(2 * p * p);
    let text = |n: u64| n.to_string();
    Ok(vec![
        ("p", text(p)),
        ("a", text(2 * p)),
        ("h", text(p)),
        ("g", text(groups)),
    ])
}

fn fat_tree(params: &Params, nodes: u64) -> Result<Keys> {
    let k = match params.integer("n", 1, super::fat_tree::MAX_LEVELS)? {
        Some(n) => {
            let m = root(nodes, n);
            (m + u64::from(power(m, n) < u128::from(nodes))).max(2)
        }
        None => {
            (1..)
                .find(|half| 2 * power(*half, 3) >= u128::from(nodes))
                .unwrap_or(1)
                * 2
        }
    };
    Ok(vec![("k", k.to_string())])
}

fn xgft(params: &Params, nodes: u64) -> Result<Keys> {
    let levels = params
        .integer("h", 1, super::fat_tree::MAX_LEVELS)?
        .unwrap_or(3);
    let m = even_extents(nodes, levels);
    let w: Vec<u64> = std::iter::once(1)
        .chain(m.iter().copied())
        .take(m.len())
        .collect();
    Ok(vec![("m", super::by_x(&m)), ("w", super::by_x(&w))])
}

/// The first q of `all` whose routers carry enough, each `per_router` nodes, or half its degree, rounded up.
fn enough_routers(
    params: &Params,
    nodes: u64,
    all: impl Iterator<Item = u32>,
    routers: impl Fn(u64) -> u128,
    degree: impl Fn(u32) -> u64,
) -> Result<Keys> {
    let given = params
        .has("per_router")
        .then(|| per_router(params, 1))
        .transpose()?;
    let carried = |q: u32| given.unwrap_or(degree(q).div_ceil(2));
    let fits = |q: &u32| routers((*q).into()) * u128::from(carried(*q)) >= nodes.into();
    // There are primes above every bound: the search ends.
    let q = { all }.find(fits).unwrap_or(3);
    Ok(vec![
        ("q", q.to_string()),
        ("per_router", carried(q).to_string()),
    ])
}

fn slim_fly(params: &Params, nodes: u64) -> Result<Keys> {
    let all = (3..).filter(|q| slim_fly::valid(*q));
    enough_routers(params, nodes, all, |q| 2 * power(q, 2), slim_fly::degree)
}

fn dragonfly_plus(_: &Params, nodes: u64) -> Result<Keys> {
    // p²·(p² + 1) nodes; below 2³¹ p stays below 216.
    let full = |p: &u64| power(*p, 2) * (power(*p, 2) + 1);
    let p = (1..).find(|p| full(p) >= u128::from(nodes)).unwrap_or(1);
    let mut keys: Vec<_> = ["p", "l", "s", "h"]
        .map(|key| (key, p.to_string()))
        .to_vec();
    keys.push(("g", nodes.div_ceil(p * p).to_string()));
    Ok(keys)
}

/// The points of the polarity graph of q.
fn points(q: u64) -> u128 {
    power(q, 2) + u128::from(q) + 1
}

fn prime_powers() -> impl Iterator<Item = u32> {
    (2..).filter(|q| prime_power(*q).is_some())
}

fn polarfly(params: &Params, nodes: u64) -> Result<Keys> {
    enough_routers(params, nodes, prime_powers(), points, |q| u64::from(q + 1))
}

fn polarstar(params: &Params, nodes: u64) -> Result<Keys> {
    let d = params.integer::<u64>("d", 0, 1 << 12).ok().flatten();
    let per = 2 * d.unwrap_or(4)
        + if params.choice("supernode")? == "paley" {
            1
        } else {
            2
        };
    let per = u128::from(per) * u128::from(per_router(params, 1)?);
    // There are primes above every bound: the search ends.
    let q = prime_powers()
        .find(|q| points((*q).into()) * per >= nodes.into())
        .unwrap_or(2);
    Ok(unless_given(
        params,
        [("q", q.to_string()), ("d", "4".into())],
    ))
}

fn multi_rail(params: &Params, nodes: u64) -> Result<Keys> {
    let domain = params.whole::<u64>("domain", 1, 1 << 20)?;
    let rails = params.integer::<u64>("rails", 1, 1 << 20)?.unwrap_or(8);
    let gpus = if params.flag("gpus")? { rails } else { 1 };
    let domains = if domain == 1 { 32 } else { 8 };
    let units = nodes.div_ceil(domains * domain * gpus);
    // As many cables from a leaf switch up as down; several to each spine switch while it has ports.
    let down = domains * domain;
    // With spine switches given, all is as given.
    let cables = match params.has("cables") || params.has("spines") || units == 1 {
        true => params.whole::<u64>("cables", 1, 1 << 20)?,
        false => (PORTS / units).clamp(1, down),
    };
    let spines = if units > 1 { down.div_ceil(cables) } else { 0 };
    let shape = [
        ("domains", domains),
        ("units", units),
        ("rails", 8),
        ("spines", spines),
        ("cables", cables),
    ];
    Ok(unless_given(
        params,
        shape.map(|(key, n)| (key, n.to_string())),
    ))
}

fn tpu(_: &Params, nodes: u64) -> Result<Keys> {
    let parts = [(4, "2x2x1"), (8, "2x2x2"), (16, "2x2x4"), (32, "2x4x4")];
    let shape = match parts.iter().find(|(chips, _)| nodes <= *chips) {
        Some((_, shape)) => (*shape).to_string(),
        None => {
            let cubes = even_extents(nodes.div_ceil(64), 3);
            super::by_x(&cubes.iter().rev().map(|n| 4 * n).collect::<Vec<_>>())
        }
    };
    Ok(vec![("dims", shape)])
}

fn routers(params: &Params, nodes: u64, least: u64) -> Result<u64> {
    Ok(nodes.div_ceil(per_router(params, 1)?).max(least))
}

/// The keys that are not given.
fn unless_given<const N: usize>(params: &Params, keys: [(&'static str, String); N]) -> Keys {
    keys.into_iter()
        .filter(|(key, _)| !params.has(key))
        .collect()
}

fn watts_strogatz(params: &Params, nodes: u64) -> Result<Keys> {
    let n = routers(params, nodes, 3)?;
    let k = (n - 1).min(6);
    Ok(unless_given(
        params,
        [
            ("n", n.to_string()),
            ("k", k.to_string()),
            ("p", "0.1".into()),
        ],
    ))
}

fn random_regular(params: &Params, nodes: u64) -> Result<Keys> {
    let mut n = routers(params, nodes, 1)?;
    // Without a degree, n·(n-1) is even.
    n += n * params.integer::<u64>("d", 0, MAX_NODES)?.unwrap_or(0) % 2;
    Ok(unless_given(
        params,
        [("n", n.to_string()), ("d", (n - 1).min(6).to_string())],
    ))
}

fn gnm(params: &Params, nodes: u64) -> Result<Keys> {
    let n = routers(params, nodes, 1)?;
    let logarithm = u64::from(n.next_power_of_two().ilog2());
    let links = (n + (n * logarithm * 7).div_ceil(20)).min(n * (n - 1) / 2);
    Ok(unless_given(
        params,
        [("n", n.to_string()), ("m", links.to_string())],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Context, TOPOLOGIES, Topology};
    use nodeorder_base::input::Text;
    use proptest::prelude::*;

    #[test]
    fn toml_says_the_same() {
        let text = "kind = 'fat-tree'\nnodes = 5000\nexclude = [3]\n";
        let machine = Topology::toml(&Text::new("m.toml", text), None, &Context::default());
        let machine = machine.unwrap();
        assert_eq!(machine.spec(), "fat-tree:k=28,limit=5000,exclude=3");
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
        for family in &TOPOLOGIES {
            let declared = family.options.iter().find(|option| option.key == "nodes");
            let rule = RULES.iter().find(|rule| rule.family == family.name);
            let start = rule.map(|rule| format!("in the place of {}: ", rule.shape.join(", ")));
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

    proptest! {
        #[test]
        fn exactly_so_many_nodes_and_no_smaller_shape(nodes in 1u64..3000) {
            for family in RULES.iter().map(|rule| rule.family) {
                let wrap = if family == "grid" { ",wrap=01" } else { "" };
                let text = format!("{family}:nodes={nodes}{wrap}");
                let machine = Topology::inline(&text, &Context::default()).unwrap();
                prop_assert_eq!(machine.node_count() as u64, nodes, "{}", text);
                // The canonical specification makes the same machine.
                let again = Topology::inline(machine.spec(), &Context::default()).unwrap();
                prop_assert_eq!(again.spec(), machine.spec());
                prop_assert_eq!(again.chosen(), None);
            }
        }

        #[test]
        fn even_extents_are_the_smallest_of_their_kind(enough in 1u64..100_000, d in 1u32..6) {
            let extents = even_extents(enough, d);
            let product: u64 = extents.iter().product();
            prop_assert!(product >= enough);
            prop_assert!(extents[0] - extents[d as usize - 1] <= 1);
            // One fewer in the last of the larger extents (or in one of all) is not enough.
            let at = extents.iter().rposition(|n| *n == extents[0]).unwrap();
            prop_assert!(product / extents[at] * (extents[at] - 1) < enough);
        }

        #[test]
        fn roots_are_floors(n in 1u64..u64::MAX / 2, d in 1u32..40) {
            let m = root(n, d);
            prop_assert!(power(m, d) <= u128::from(n) && power(m + 1, d) > u128::from(n));
        }
    }
}
