//! Fat trees: k-port switches in three levels, k-ary n-trees, and the extended generalised fat trees that
//! hold both.
//!
//! # Drawing
//! ```text
//! fat-tree:k=2,n=3                    8   9  10  11     top
//! leaf switches 0-3 with two          4   5   6   7     middle
//! nodes each, in node order           0   1   2   3     leaves
//!                                    0 1 2 3 4 5 6 7    nodes
//! 0 is linked to 4 and 5, 1 too; 4 to 8 and 10, 5 to 9 and 11.
//! ```

use super::totals::{add_all, multiply_all};
use crate::topology::bisection::CutBounds;
use crate::topology::context::Context;
use crate::topology::distance::{Metric, Tree};
use crate::topology::family::{BuildNetwork, TopologyEntry, by_x, nodes_option};
use crate::topology::network::{Cables, Level, Network, on_request};
use crate::topology::sizes::{MAX_NODES, check_nodes};
use nodeorder_base::{Error, Opt, Params, Result};

/// Entry of `fat-tree:k=16` and `fat-tree:k=4,n=3`.
pub const FAT_TREE: TopologyEntry = TopologyEntry {
    name: "fat-tree",
    about: "three levels of k-port switches (k^3/4 nodes), or with n= the k-ary n-tree (k^n nodes)",
    example: "fat-tree:k=16",
    options: &[
        Opt::whole(
            "k",
            "ports of a switch, even; with n=, children of a switch",
        ),
        Opt::whole("n", "levels of a k-ary n-tree")
            .default_in_words("three levels of k-port switches"),
        Opt::whole(
            "pods",
            "subtrees below the top, which one alone does without",
        )
        .default_in_words("k"),
        BLOCKING_OPTION,
        nodes_option(
            "chooses pods, k: unless given the smallest even k with nodes enough \
             (k^3/4 without blocking), or with n= \
             the smallest k with k^n >= nodes; as few pods as needed",
        ),
    ],
    parse: parse_fat_tree,
};

/// Entry of `xgft:h=3,m=4x4x8,w=1x2x2`.
pub const XGFT: TopologyEntry = TopologyEntry {
    name: "xgft",
    about: "extended generalised fat tree: h levels of switches, m children and w parents at each",
    example: "xgft:h=3,m=4x4x8,w=1x2x2",
    options: &[
        Opt::whole("h", "levels of switches").default_in_words("as many as m has"),
        Opt::extents("m", "children at each level, from the leaves up"),
        Opt::extents(
            "w",
            "parents at each level, from the leaves up; the first is 1",
        ),
        nodes_option(
            "chooses m, w: three levels unless h= is given, of full bandwidth, \
             children that differ by one at \
             most",
        ),
    ],
    parse: parse_xgft,
};

/// Option for the blocking of leaf switches.
pub(super) const BLOCKING_OPTION: Opt = Opt::text(
    "blocking",
    "node links to uplinks of a leaf switch, D:U as in 2:1",
)
.default_value("1:1");

/// Node links to uplinks of a leaf switch.
#[derive(Clone, Copy, Debug)]
pub(in crate::topology) struct Blocking {
    down: u64,
    up: u64,
}

impl Blocking {
    /// Parses the option `blocking`.
    pub(in crate::topology) fn parse(params: &Params) -> Result<Self> {
        let text = params.optional_word("blocking")?.unwrap_or_default();
        let parts = text.split_once(':');
        let parts = parts.and_then(|(down, up)| Some([down.parse().ok()?, up.parse().ok()?]));
        match parts {
            Some([down @ 1..=1024, up @ 1..=1024]) => Ok(Blocking { down, up }),
            _ => Err(params.invalid_value("blocking", "two whole numbers up to 1024, as in 2:1")),
        }
    }

    /// Computes the most node links of a switch of `radix` ports that leave their uplinks room.
    pub(in crate::topology) fn count_node_links(self, radix: u64) -> u64 {
        // d + ⌈d·U/D⌉ ≤ radix for whole d where d·(D + U) ≤ radix·D.
        radix * self.down / (self.down + self.up)
    }

    /// Computes the number of uplinks for a number of node links.
    pub(in crate::topology) fn count_uplinks(self, node_links: u64) -> u64 {
        (node_links * self.up).div_ceil(self.down)
    }
}

/// Largest number of levels: more than any machine has, and sums of levels stay within 64 bits.
pub(crate) const MAX_LEVELS: u32 = 32;

/// Reads a fat tree of three levels of k-port switches: XGFT(3; k/2, k/2, k; 1, k/2, k/2). With `n`, the k-ary n-tree:
/// XGFT(n; k, …, k; 1, k, …, k).
fn parse_fat_tree(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let k: u32 = params.required_integer("k", 2, 1 << 20)?;
    let n = params.optional_integer("n", 1, MAX_LEVELS)?;
    if n.is_none() && k % 2 == 1 {
        return Err(params.invalid_value("k", "an even number of ports, half up and half down"));
    }
    let pods = params.optional_integer("pods", 1, k)?.unwrap_or(k);
    let mut spec = format!("fat-tree:k={k}");
    if let Some(n) = n {
        spec += &format!(",n={n}");
    }
    if pods < k {
        spec += &format!(",pods={pods}");
    }
    let levels = n.unwrap_or(3) as usize;
    let half = if n.is_some() { k } else { k / 2 };
    let mut m = vec![half; levels];
    let mut w = m.clone();
    let mut idle_at_leaf = 0;
    if n.is_some() {
        params.refuse_unread(&["blocking"])?;
    } else if params.has_key("blocking") {
        let blocking = Blocking::parse(params)?;
        m[0] = blocking.count_node_links(k.into()) as u32;
        w[1] = blocking.count_uplinks(m[0].into()) as u32;
        if m[0] == 0 {
            return Err(params.invalid_value("blocking", format!("node links within {k} ports")));
        }
        idle_at_leaf = k - m[0] - w[1];
        spec += &format!(",blocking={}:{}", blocking.down, blocking.up);
    }
    m[levels - 1] = pods;
    w[0] = 1;
    let mut idle = k - pods;
    // A subtree alone needs no switches above it: its own ports up stay idle.
    if pods == 1 && levels > 1 {
        m.pop();
        w.pop();
        idle = half;
    }
    let leaves = multiply_all(&[half, pods, idle_at_leaf]);
    let idle_ports = leaves.saturating_add(multiply_all(&w).saturating_mul(idle.into()));
    let tree = check_tree(params, spec, m, w)?;
    Ok(Box::new(TreeOptions { idle_ports, ..tree }))
}

/// Reads an extended generalised fat tree.
fn parse_xgft(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let expected = "one number a level, as in 4x4x8";
    let m = params.required_extents("m", expected)?;
    let w = params.required_extents("w", expected)?;
    let h = params
        .optional_integer("h", 1, MAX_LEVELS)?
        .unwrap_or(m.len().min(MAX_LEVELS as usize) as u32);
    for (key, list) in [("m", &m), ("w", &w)] {
        if list.len() != h as usize {
            return Err(
                params.invalid_value(key, format!("{h} numbers, one for each of the h levels"))
            );
        }
    }
    if w[0] != 1 {
        return Err(params.invalid_value("w", "w[0] = 1: a node hangs on one leaf switch"));
    }
    let spec = format!("xgft:h={h},m={},w={}", by_x(&m), by_x(&w));
    Ok(Box::new(check_tree(params, spec, m, w)?))
}

/// Options of XGFT(h; m₁,…,m_h; w₁,…,w_h): a switch of level l has m_l children and w_(l+1) parents; level 0 are the
/// nodes. Only switches are routers here, so w₁ = 1: a node hangs on one leaf switch.
///
/// A switch of level l is (x_h, …, x_(l+1), y_l, …, y_2) with xᵢ < mᵢ and yᵢ < wᵢ, numbered within its level
/// with the last digit fastest; levels follow one another from the leaves up. Two switches of levels l and
/// l+1 are linked when all digits but the (l+1)-st agree. Level l has Π_(i>l) mᵢ · Π_(i≤l) wᵢ switches.
/// Distance between leaves: twice the highest digit (counted from 1 at x_2) in which they differ.
///
/// # References
/// Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS'95, section 2,
/// <https://doi.org/10.1109/IPPS.1995.395911>. k-ary n-trees: Petrini, Vanneschi, IPPS'97,
/// <https://doi.org/10.1109/IPPS.1997.580853>. Three levels of k-port switches: Al-Fares, Loukissas,
/// Vahdat, SIGCOMM'08, section 3, <https://doi.org/10.1145/1402958.1402967>.
pub(super) struct TreeOptions {
    /// Canonical inline specification.
    spec: String,
    /// Children of a vertex at each level, from the leaves up: m₁, m₂, ….
    m: Vec<u32>,
    /// Parents of a vertex at each level, from the nodes up: w₁ = 1, w₂, ….
    w: Vec<u32>,
    /// Number of switches of each level, from the leaves up.
    switches: Vec<u64>,
    /// Number of ports that no cable takes.
    idle_ports: u64,
    /// Number of cables of each link to the top.
    pub cables: u32,
}

/// Checks the sizes of a tree and counts its switches.
pub(super) fn check_tree(
    params: &Params,
    spec: String,
    m: Vec<u32>,
    w: Vec<u32>,
) -> Result<TreeOptions> {
    check_nodes(params.location(), multiply_all(&m))?;
    let switches: Vec<u64> = (1..=m.len())
        .map(|level| multiply_all(&m[level..]).saturating_mul(multiply_all(&w[..level])))
        .collect();
    let total = add_all(&switches);
    if total > MAX_NODES {
        let found = format!("a tree of {total} switches");
        let expected = format!("1 to {MAX_NODES} switches");
        return Err(Error::input(params.location().clone(), found, expected));
    }
    Ok(TreeOptions {
        spec,
        m,
        w,
        switches,
        idle_ports: 0,
        cables: 1,
    })
}

/// Names of the levels, from the leaves up; higher ones are tiers.
const LEVEL_NAMES: [&str; 4] = ["leaf", "pod", "block", "zone"];

impl BuildNetwork for TreeOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let m = self.m.clone();
        let w = self.w.clone();
        let switches = self.switches.clone();
        // A switch of the top has no parents.
        let mut parents = w[1..].to_vec();
        parents.push(0);
        let mut up: Vec<u64> = switches
            .iter()
            .zip(&parents)
            .map(|(switches, parents)| switches.saturating_mul((*parents).into()))
            .collect();
        let links = add_all(&up);
        let top_cables = self.cables;
        // The children of a leaf switch are nodes: no router-router links.
        let mut fewest = parents[0];
        let mut most = parents[0];
        for (parents, children) in parents.iter().zip(&m).skip(1) {
            let degree = parents.saturating_add(*children);
            fewest = fewest.min(degree);
            most = most.max(degree);
        }
        let cables = Cables {
            all: links,
            fewest_and_most_at_hosts: (parents[0], parents[0]),
            most,
        };
        // The topmost subtree is the whole machine: no level of its own.
        let mut slots = m[0];
        let mut levels = vec![Level::with_equal_units(LEVEL_NAMES[0], slots)];
        for (i, children) in m.iter().enumerate().skip(1).take(m.len().saturating_sub(2)) {
            slots *= children;
            let name = LEVEL_NAMES.get(i).copied().unwrap_or("tier");
            levels.push(Level::with_equal_units(name, slots));
        }
        levels.reverse();
        up.truncate(levels.len());
        up.reverse();
        let metric = Tree {
            arity: m[1..].iter().rev().copied().collect(),
        };
        let hosts = switches[0] as u32;
        let routers = add_all(&switches) as u32;
        let children = m.clone();
        let above = w.clone();
        let mut up_cables = w;
        if let Some(top) = up_cables.last_mut() {
            *top = top.saturating_mul(top_cables);
        }
        let network = Network::new(self.spec.clone(), routers, m[0], move |visit| {
            let mut first = 0u32;
            let mut low = 1u32;
            for level in 0..children.len() - 1 {
                let children = children[level + 1];
                let parents = above[level + 1];
                let above = first + switches[level] as u32;
                let is_top = level + 2 == switches.len();
                let capacity = if is_top { top_cables.into() } else { 1.0 };
                for at in 0..switches[level] as u32 {
                    // (high, x, low digits) below is (high, y, low digits) above, for every y.
                    let rest = at % low;
                    let high = at / low / children;
                    for y in 0..parents {
                        visit(
                            first + at,
                            above + (high * parents + y) * low + rest,
                            capacity,
                        );
                    }
                }
                first = above;
                low *= parents;
            }
        });
        Ok(Network {
            hosts,
            link_count: on_request(move || links),
            degrees: Some((fewest, most)),
            // Other cables than one a link are counted.
            cables: (top_cables == 1).then_some(cables),
            idle_ports: self.idle_ports,
            metric: Metric::Tree(metric),
            levels,
            links_up: on_request(move || up.clone()),
            cut_bounds: on_request(move || CutBounds::for_fat_tree(&m, &up_cables)),
            ..network
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{build, check_links, check_metric, check_refused};
    use nodeorder_base::NodeId;
    use proptest::prelude::*;

    #[test]
    fn leaves_come_first_in_node_order() {
        let tree = build("xgft:h=3,m=4x4x8,w=1x2x2");
        let far = |n| tree.distance(NodeId(0), NodeId(n));
        assert_eq!(
            [far(3), far(4), far(15), far(16), far(127)],
            [0, 2, 2, 4, 4]
        );
        let levels: Vec<_> = tree
            .network()
            .levels()
            .iter()
            .map(|l| (l.name.to_string(), l.slots))
            .collect();
        assert_eq!(levels, [("pod".to_string(), 16), ("leaf".to_string(), 4)]);
        assert_eq!(
            (tree.network().hosts(), tree.network().routers()),
            (32, 32 + 16 + 4)
        );
    }

    /// 2:1 on 48 ports: 32 nodes and 16 uplinks a leaf switch, 24 leaf and 16 upper switches a pod.
    #[test]
    fn blocking_thins_the_uplinks_of_leaf_switches() {
        let tree = build("fat-tree:nodes=4000,k=48,blocking=2:1");
        assert_eq!(tree.spec(), "fat-tree:k=48,pods=6,blocking=2:1,limit=4000");
        let same = build("xgft:m=32x24x6,w=1x16x24,limit=4000");
        let [ours, theirs] = [&tree, &same].map(|machine| {
            check_links(machine);
            machine.statistics().unwrap()
        });
        assert_eq!((ours.routers, ours.cables), (6 * 40 + 384, 6 * 24 * 16 * 2));
        assert_eq!((theirs.routers, theirs.cables), (ours.routers, ours.cables));
        assert_eq!(ours.total_distance, theirs.total_distance);
        assert_eq!(ours.oversubscription, Some(2.0));
        assert_eq!(ours.idle_ports, 384 * 42);
        // 3:2 on 8 ports: 4 down and 3 up, one port of each of the 32 leaf switches idle.
        let odd = build("fat-tree:k=8,blocking=3:2").statistics().unwrap();
        assert_eq!((odd.places, odd.idle_ports), (4 * 32, 32));
    }

    #[test]
    fn the_drawing_is_right() {
        let graph = build("fat-tree:k=2,n=3");
        let of = |r| {
            graph
                .graph()
                .unwrap()
                .neighbours(nodeorder_base::ids::RouterId(r))
                .to_vec()
        };
        assert_eq!(
            [of(0), of(1), of(4), of(5)],
            [vec![4, 5], vec![4, 5], vec![0, 1, 8, 10], vec![0, 1, 9, 11]]
        );
    }

    proptest! {
        #[test]
        fn counts_and_distances_equal_the_graph(
            m in prop::collection::vec(1u32..5, 1..5),
            w in prop::collection::vec(1u32..4, 3),
        ) {
            let w: Vec<u32> = std::iter::once(1).chain(w).take(m.len()).collect();
            let spec = format!("xgft:h={},m={},w={}", m.len(), by_x(&m), by_x(&w));
            let machine = build(&spec);
            prop_assert_eq!(machine.spec(), spec);
            check_links(&machine);
            check_metric(&machine);
        }
    }

    #[test]
    fn wrong_parameters_are_named() {
        check_refused(&[
            ("fat-tree", "no `k`"),
            ("fat-tree:k=5", "an even number of ports"),
            ("fat-tree:k=100000", "a machine of 250000000000000 nodes"),
            ("fat-tree:k=8,blocking=2", "as in 2:1"),
            ("fat-tree:k=8,n=2,blocking=2:1", "blocking"),
            ("fat-tree:k=8,pods=9", "from 1 to 8"),
            ("fat-tree:k=2,n=32", "a machine of 4294967296 nodes"),
            ("fat-tree:k=2,n=31", "switches"),
            ("xgft:h=3,m=4x4,w=1x2x2", "3 numbers"),
            ("xgft:h=2,m=4x4,w=2x2", "w[0] = 1"),
            ("xgft:m=2147483648x2,w=1x1", "a machine of 4294967296 nodes"),
            ("xgft:m=1x1x1,w=1x2147483648x2147483648", "switches"),
        ]);
        // Large but plain: the figures come from closed forms, and only the graph is refused.
        let large = build("fat-tree:k=1024");
        assert_eq!(large.statistics().unwrap().nodes, 1 << 28);
    }
}
