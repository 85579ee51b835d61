//! The topology-aware allocators, held to their rules written out plainly: lists, all centres, all pairs.

use nodeorder_base::{FreeSet, NodeId, Ranks, Run};
use nodeorder_jobs::allocator::{self, AllocatorContext};
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::rank_distances::RankDistances;
use proptest::prelude::*;

/// Machines with coordinates, then machines without.
const MACHINES: &[&str] = &[
    "torus:5x4x4,per_router=2",
    "mesh:7x6",
    "grid:4x5x3,wrap=010",
    "torus:2x3x5",
    "torus:9",
    "torus:8x8",
    "grid:1x6x5,wrap=110,per_router=3",
    "mesh:4x4x4",
    "torus:3x1",
    "mesh:1,per_router=5",
    "mesh:2x2x2x2x2",
    "hyperx:4x4,per_router=3",
    "hyperx:3x2x3x3",
    "cascade:3x4x4,per_router=2,limit=90",
    "cascade:3x2x5,per_router=2,global=single",
    "fat-tree:k=4",
    "dragonfly:p=2,a=4,h=2,g=5,global=absolute",
    "random-regular:n=30,d=3,seed=4,per_router=2",
    "watts-strogatz:n=40,k=4,p=0.1,seed=1",
];

/// How many of them have coordinates.
const WITH_COORDINATES: usize = 15;

/// A machine, an ordering and the free ranks.
struct Scene {
    topology: Topology,
    order: NodeOrder,
    distances: RankDistances,
    free: Vec<u32>,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nodes: Vec<u32> = self.order.nodes().iter().map(|node| node.0).collect();
        write!(
            f,
            "{}, nodes {nodes:?}, free {:?}",
            self.topology.spec(),
            self.free
        )
    }
}

impl Scene {
    fn new(spec: &str, nodes: impl FnOnce(Vec<NodeId>) -> Vec<NodeId>) -> Self {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let order = NodeOrder::new(&topology, "some", nodes(topology.nodes().iter().collect()));
        let order = order.unwrap();
        let distances = RankDistances::new(&topology, &order).unwrap();
        let free = (0..order.len() as u32).collect();
        Scene {
            topology,
            order,
            distances,
            free,
        }
    }

    /// All nodes by id, `free` of them free.
    fn by_id(spec: &str, taken: &[u32]) -> Self {
        let mut scene = Scene::new(spec, |nodes| nodes);
        scene.free.retain(|rank| !taken.contains(rank));
        scene
    }

    /// A seeded ordering of some of the nodes.
    fn random(spec: &str, seed: u64, keep: u32, present: &[bool]) -> Self {
        let mut scene = Scene::new(spec, |_| {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            let order = match seed {
                0 => topology.nodes().iter().collect(),
                _ => NodeOrder::make(&topology, &format!("random:seed={seed}"))
                    .unwrap()
                    .nodes()
                    .to_vec(),
            };
            order
                .into_iter()
                .filter(|node| node.0 % 13 < keep)
                .collect()
        });
        scene
            .free
            .retain(|rank| present[*rank as usize % present.len()]);
        scene
    }

    fn context(&self) -> AllocatorContext<'_> {
        AllocatorContext {
            topology: &self.topology,
            order: &self.order,
            distances: &self.distances,
        }
    }

    fn set(&self) -> FreeSet {
        let mut set = FreeSet::new(self.distances.len());
        for first in (0..self.distances.len()).filter(|rank| !self.free.contains(rank)) {
            set.take_run(Run { first, count: 1 });
        }
        set
    }

    /// What the allocator called `name` chooses, at first and again after another job on another state.
    fn choose(&self, name: &str, count: u32) -> Vec<u32> {
        let mut allocator = allocator::make(name, &self.context()).unwrap();
        let mut pick = |set: &FreeSet, count: u32| {
            let mut chosen = Ranks::default();
            assert!(allocator.choose_ranks(set, count, &mut chosen).is_placed());
            chosen.sort_and_join();
            chosen.iter().collect::<Vec<u32>>()
        };
        let (set, mut fewer) = (self.set(), self.set());
        let first = pick(&set, count);
        fewer.take_run(Run {
            first: self.free[0],
            count: 1,
        });
        if !fewer.is_empty() {
            let half = fewer.free_count().div_ceil(2);
            let other = pick(&fewer, half);
            assert_eq!(other.len(), half as usize);
            assert!(other.iter().all(|rank| fewer.is_free(*rank)));
        }
        assert_eq!(pick(&set, count), first);
        first
    }

    fn distance(&self, a: u32, b: u32) -> u32 {
        let node = |rank: u32| self.order.nodes()[rank as usize];
        self.topology.distance(node(a), node(b))
    }

    fn router(&self, rank: u32) -> u32 {
        self.topology.router_of(self.order.nodes()[rank as usize]).0
    }

    fn coordinates(&self, rank: u32) -> Vec<u32> {
        let lattice = self.topology.lattice().unwrap();
        let mut x = vec![0; lattice.extents.len()];
        lattice.coordinates(self.router(rank), &mut x);
        x
    }

    fn mc1x1(&self, count: usize) -> Vec<u32> {
        let lattice = self.topology.lattice().unwrap();
        let shell = |a: u32, b: u32| -> u32 {
            let (a, b) = (self.coordinates(a), self.coordinates(b));
            let along = (0..a.len()).map(|i| {
                let apart = a[i].abs_diff(b[i]);
                if lattice.wrap[i] {
                    apart.min(lattice.extents[i] - apart)
                } else {
                    apart
                }
            });
            along.max().unwrap_or(0)
        };
        let around = self.free.iter().map(|centre| {
            let mut all: Vec<_> = self.free.iter().map(|r| (shell(*centre, *r), *r)).collect();
            all.sort();
            all.truncate(count);
            (all.iter().map(|(s, _)| s).sum::<u32>(), *centre, all)
        });
        let (_, _, best) = around
            .min_by_key(|(cost, centre, _)| (*cost, *centre))
            .unwrap();
        sorted(best.into_iter().map(|(_, rank)| rank).collect())
    }

    fn gen_alg(&self, count: usize) -> Vec<u32> {
        let around = self.free.iter().map(|centre| {
            let others = self.free.iter().filter(|r| *r != centre);
            let mut others: Vec<_> = others.map(|r| (self.distance(*centre, *r), *r)).collect();
            others.sort();
            others.truncate(count - 1);
            let mut set: Vec<u32> = others.into_iter().map(|(_, rank)| rank).collect();
            set.push(*centre);
            let pairs = set
                .iter()
                .enumerate()
                .flat_map(|(i, a)| set[..i].iter().map(move |b| (*a, *b)));
            (
                pairs
                    .map(|(a, b)| u64::from(self.distance(a, b)))
                    .sum::<u64>(),
                *centre,
                set,
            )
        });
        let (_, _, best) = around
            .min_by_key(|(sum, centre, _)| (*sum, *centre))
            .unwrap();
        sorted(best)
    }

    /// Blocks are (level, ranks): nodes 0, cells 1, cubes of side 2 2, ….
    fn mbs(&self, count: usize) -> Vec<u32> {
        let extents = &self.topology.lattice().unwrap().extents;
        let all: Vec<(u32, Vec<u32>)> = (0..self.distances.len())
            .map(|rank| (rank, self.coordinates(rank)))
            .collect();
        let same = |x: &Vec<u32>| all.iter().filter(|(_, y)| x == y).count();
        let fullest = all.iter().map(|(_, x)| same(x)).max().unwrap();
        let axes = extents.iter().filter(|n| **n > 1).count() as u32;
        let top = match extents.iter().filter(|n| **n > 1).min() {
            Some(least) => 1 + least.ilog2(),
            None => 1,
        };
        let size = |level: u32| fullest << (axes * (level - 1));
        let cube = |rank: u32, level: u32| -> Vec<u32> {
            self.coordinates(rank)
                .iter()
                .map(|x| x >> (level - 1))
                .collect()
        };
        let mut blocks: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut rest = self.free.clone();
        for level in (1..=top).rev() {
            for rank in rest.clone() {
                let corner = cube(rank, level);
                let member = |r: &u32| cube(*r, level) == corner;
                let block: Vec<u32> = rest.iter().copied().filter(member).collect();
                let inside = corner
                    .iter()
                    .zip(extents)
                    .all(|(x, n)| *n == 1 || (x + 1) << (level - 1) <= *n);
                if inside && block.len() == size(level) {
                    rest.retain(|r| !block.contains(r));
                    blocks.push((level, block));
                }
            }
        }
        blocks.extend(rest.iter().map(|rank| (0, vec![*rank])));
        let mut chosen = Vec::new();
        for wanted in (0..=top).rev() {
            let size = if wanted == 0 { 1 } else { size(wanted) };
            while count - chosen.len() >= size {
                let found = (0..blocks.len()).filter(|i| blocks[*i].0 >= wanted);
                let Some(i) = found.min_by_key(|i| (blocks[*i].0, blocks[*i].1[0])) else {
                    break;
                };
                let (level, block) = blocks.remove(i);
                if level == wanted {
                    chosen.extend(block);
                    continue;
                }
                if level == 1 {
                    blocks.extend(block.iter().map(|rank| (0, vec![*rank])));
                    continue;
                }
                let mut left = block;
                while let Some(first) = left.first() {
                    let corner = cube(*first, level - 1);
                    let member = |r: &u32| cube(*r, level - 1) == corner;
                    let (part, others) = left.iter().copied().partition(member);
                    blocks.push((level - 1, part));
                    left = others;
                }
            }
        }
        sorted(chosen)
    }

    fn bfs(&self, count: usize) -> Vec<u32> {
        let graph = self.topology.graph().unwrap();
        let linked = |a: u32, b: u32| {
            let (a, b) = (self.router(a), self.router(b));
            a == b
                || graph
                    .neighbours(nodeorder_base::ids::RouterId(a))
                    .contains(&b)
        };
        let mut queue: Vec<u32> = Vec::new();
        let mut at = 0;
        while queue.len() < count {
            if at == queue.len() {
                queue.push(*self.free.iter().find(|r| !queue.contains(r)).unwrap());
                continue;
            }
            for rank in &self.free {
                if queue.len() < count && !queue.contains(rank) && linked(queue[at], *rank) {
                    queue.push(*rank);
                }
            }
            at += 1;
        }
        sorted(queue)
    }

    fn dilation(&self, count: usize) -> Embedding {
        let lattice = self.topology.lattice();
        let axes = lattice.map_or(2, |l| l.extents.iter().filter(|n| **n > 1).count().max(1));
        let edges = mesh(&compact(count, axes));
        let diameter = (0..self.distances.len())
            .flat_map(|a| (0..a).map(move |b| (a, b)))
            .map(|(a, b)| self.distance(a, b))
            .max()
            .unwrap_or(0);
        let (mut placed, mut cut) = (Vec::new(), false);
        for hops in 1..diameter {
            let mut effort = 8 * count + 20_000;
            for start in &self.free {
                if self.reach(*start, hops) < count {
                    continue;
                }
                let allowed = effort.min(2 * count + 1000);
                let mut left = allowed;
                placed.clear();
                placed.push(*start);
                let found = if left == 0 {
                    None
                } else {
                    left -= 1;
                    self.extend(&edges, hops, count, &mut placed, &mut left)
                };
                effort -= allowed - left;
                match found {
                    Some(true) => {
                        return Embedding {
                            placed,
                            hops,
                            edges,
                            cut,
                        };
                    }
                    Some(false) => {}
                    None => cut = true,
                }
            }
        }
        let placed = self.free[..count].to_vec();
        Embedding {
            placed,
            hops: diameter.max(1),
            edges,
            cut,
        }
    }

    /// RankDistances the remaining processes; nothing where the effort does not suffice.
    fn extend(
        &self,
        edges: &[(usize, usize)],
        hops: u32,
        count: usize,
        placed: &mut Vec<u32>,
        left: &mut usize,
    ) -> Option<bool> {
        if placed.len() == count {
            return Some(true);
        }
        for rank in &self.free {
            let near = |(a, b): &&(usize, usize)| {
                *b != placed.len() || self.distance(placed[*a], *rank) <= hops
            };
            if placed.contains(rank) || !edges.iter().all(|e| near(&e)) {
                continue;
            }
            if *left == 0 {
                return None;
            }
            *left -= 1;
            placed.push(*rank);
            if self.extend(edges, hops, count, placed, left)? {
                return Some(true);
            }
            placed.pop();
        }
        Some(false)
    }

    /// How many free ranks steps of `hops` lead to.
    fn reach(&self, start: u32, hops: u32) -> usize {
        let mut queue = vec![start];
        let mut at = 0;
        while at < queue.len() {
            for rank in &self.free {
                if !queue.contains(rank) && self.distance(queue[at], *rank) <= hops {
                    queue.push(*rank);
                }
            }
            at += 1;
        }
        queue.len()
    }
}

struct Embedding {
    placed: Vec<u32>,
    hops: u32,
    /// Neighbours in the guest, the earlier process first.
    edges: Vec<(usize, usize)>,
    /// Whether a search ended for want of effort.
    cut: bool,
}

/// Among all boxes of `count` cells the one of least sum, then the least descending list of sides.
fn compact(count: usize, axes: usize) -> Vec<usize> {
    let mut boxes = vec![vec![]];
    for _ in 0..axes {
        let longer = |sides: &Vec<usize>| {
            let so_far: usize = sides.iter().product();
            let fits = (1..=count).filter(move |side| count.is_multiple_of(so_far * side));
            fits.map(|side| [sides.clone(), vec![side]].concat())
                .collect::<Vec<_>>()
        };
        boxes = boxes.iter().flat_map(longer).collect();
    }
    let full = boxes
        .into_iter()
        .filter(|sides| sides.iter().product::<usize>() == count);
    let descending = full.filter(|sides| sides.is_sorted_by(|a, b| a >= b));
    descending
        .min_by_key(|sides| (sides.iter().sum::<usize>(), sides.clone()))
        .unwrap()
}

/// The edges of a mesh, processes in row-major order.
fn mesh(sides: &[usize]) -> Vec<(usize, usize)> {
    let count: usize = sides.iter().product();
    let position = |process: usize| {
        let mut rest = process;
        let digit = |n: &usize| {
            let x = rest % n;
            rest /= n;
            x
        };
        let mut x: Vec<usize> = sides.iter().rev().map(digit).collect();
        x.reverse();
        x
    };
    let steps = |a: usize, b: usize| -> usize {
        position(a)
            .iter()
            .zip(position(b))
            .map(|(x, y)| x.abs_diff(y))
            .sum()
    };
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    pairs.filter(|(a, b)| steps(*a, *b) == 1).collect()
}

fn sorted(mut ranks: Vec<u32>) -> Vec<u32> {
    ranks.sort();
    ranks
}

fn scene(machines: usize) -> impl Strategy<Value = Option<(Scene, u32)>> {
    let present = (0.1f64..1.0)
        .prop_flat_map(|density| prop::collection::vec(prop::bool::weighted(density), 1..140));
    (
        0..machines,
        0u64..9,
        9u32..=13,
        present,
        any::<prop::sample::Index>(),
        any::<bool>(),
    )
        .prop_map(|(machine, seed, keep, present, count, few)| {
            let scene = Scene::random(MACHINES[machine], seed, keep, &present);
            if scene.free.is_empty() {
                return None;
            }
            let most = if few {
                scene.free.len().min(9)
            } else {
                scene.free.len()
            };
            let count = 1 + count.index(most) as u32;
            Some((scene, count))
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn shells_are_those_of_the_best_centre(drawn in scene(WITH_COORDINATES)) {
        let Some((scene, count)) = drawn else { return Ok(()) };
        prop_assert_eq!(scene.choose("mc1x1", count), scene.mc1x1(count as usize));
    }

    #[test]
    fn the_nearest_of_the_best_centre_are_taken(drawn in scene(MACHINES.len())) {
        let Some((scene, count)) = drawn else { return Ok(()) };
        prop_assert_eq!(scene.choose("gen-alg", count), scene.gen_alg(count as usize));
    }

    #[test]
    fn buddies_are_split_and_taken_by_size(drawn in scene(WITH_COORDINATES)) {
        let Some((scene, count)) = drawn else { return Ok(()) };
        prop_assert_eq!(scene.choose("mbs", count), scene.mbs(count as usize));
    }

    #[test]
    fn free_nodes_are_searched_breadth_first(drawn in scene(MACHINES.len())) {
        let Some((scene, count)) = drawn else { return Ok(()) };
        prop_assert_eq!(scene.choose("bfs", count), scene.bfs(count as usize));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn many_routers_are_counted_by_label(
        machine in 0usize..3,
        seed in 0u64..3,
        present in prop::collection::vec(prop::bool::weighted(0.85), 30..60),
        count in any::<prop::sample::Index>(),
    ) {
        let machines = ["hyperx:7x6x5", "cascade:8x5x5,per_router=2,limit=380", "cascade:9x3x8"];
        let scene = Scene::random(machines[machine], seed, 13, &present);
        let count = 1 + count.index(scene.free.len()) as u32;
        prop_assert_eq!(scene.choose("gen-alg", count), scene.gen_alg(count as usize));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// One allocator, with routers in some order, on free ranks that change.
    #[test]
    fn choices_depend_on_none_before(
        machine in 0usize..4,
        turn in any::<u32>(),
        steps in prop::collection::vec(
            (prop::collection::vec(prop::bool::weighted(0.7), 30..60), any::<prop::sample::Index>()),
            2..5,
        ),
    ) {
        let machines =
            ["hyperx:5x3x4,per_router=3", "hyperx:4x9x3", "hyperx:3x2x3x3,per_router=2", "torus:5x4x3"];
        let by_router = |mut nodes: Vec<NodeId>| {
            let per = if machine == 0 { 3 } else { 1 + u32::from(machine == 2) };
            nodes.sort_by_key(|node| ((node.0 / per).wrapping_mul(turn | 1), node.0));
            nodes
        };
        let mut scene = Scene::new(machines[machine], by_router);
        let same = Scene::new(machines[machine], by_router);
        let mut allocator = allocator::make("gen-alg", &same.context()).unwrap();
        for (present, count) in steps {
            scene.free = same.free.clone();
            scene.free.retain(|rank| present[*rank as usize % present.len()]);
            if scene.free.is_empty() {
                continue;
            }
            let count = 1 + count.index(scene.free.len());
            let mut chosen = Ranks::default();
            prop_assert!(allocator.choose_ranks(&scene.set(), count as u32, &mut chosen).is_placed());
            chosen.sort_and_join();
            prop_assert_eq!(chosen.iter().collect::<Vec<u32>>(), scene.gen_alg(count));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn guests_are_embedded_as_closely_as_the_search_finds(drawn in scene(MACHINES.len())) {
        let Some((scene, count)) = drawn else { return Ok(()) };
        let count = 1 + (count - 1) % 24;
        let plain = scene.dilation(count as usize);
        for (a, b) in &plain.edges {
            prop_assert!(scene.distance(plain.placed[*a], plain.placed[*b]) <= plain.hops);
        }
        if count <= 6 && !plain.cut && scene.free.len() <= 14 {
            // No start left out, no end to the effort.
            for hops in 1..plain.hops {
                for start in &scene.free {
                    let (mut placed, mut left) = (vec![*start], usize::MAX);
                    let found =
                        scene.extend(&plain.edges, hops, count as usize, &mut placed, &mut left);
                    prop_assert_eq!(found, Some(false));
                }
            }
        }
        prop_assert_eq!(scene.choose("dilation", count), sorted(plain.placed));
    }
}

#[test]
fn choices_are_those_worked_out_by_hand() {
    let chosen = |spec: &str, taken: &[u32], name: &str, count| {
        Scene::by_id(spec, taken).choose(name, count)
    };
    // Centres 1 and 4 cost 4, the corner 0 costs 5.
    assert_eq!(chosen("mesh:3x3", &[], "mc1x1", 5), [0, 1, 2, 3, 4]);
    // Around the ends of the ring: 7 has 0 and 6 in shell 1.
    assert_eq!(chosen("torus:8", &[1, 2, 5], "mc1x1", 3), [0, 6, 7]);
    // 4, 5, 6 are 4 hops apart in all; 0, 1, 6 are 6.
    assert_eq!(chosen("torus:8", &[2, 3, 7], "gen-alg", 3), [4, 5, 6]);
    // A square of four and, from the next square, one.
    assert_eq!(chosen("mesh:4x4", &[], "mbs", 5), [0, 1, 2, 4, 5]);
    // Without 0 the first square's others are on offer one by one.
    assert_eq!(chosen("mesh:4x4", &[0], "mbs", 6), [1, 2, 3, 4, 6, 7]);
    // The last column of five is in no square of side 2.
    assert_eq!(
        chosen("mesh:2x5", &[], "mbs", 9),
        [0, 1, 2, 3, 4, 5, 6, 7, 8]
    );
    assert_eq!(chosen("mesh:2x5", &[], "mbs", 1), [4]);
    // From 0 only 3 is linked, from there 4 and 6.
    assert_eq!(chosen("mesh:3x3", &[1], "bfs", 4), [0, 3, 4, 6]);
    // 0 and 1 are cut off: on from the lowest free rank left.
    assert_eq!(chosen("mesh:3x3", &[2, 3, 4], "bfs", 3), [0, 1, 5]);
    // The first square of neighbours that avoids 1.
    assert_eq!(chosen("mesh:3x3", &[1], "dilation", 4), [3, 4, 6, 7]);
    // Five make a path.
    assert_eq!(chosen("mesh:3x3", &[4], "dilation", 5), [0, 1, 2, 5, 8]);
}

#[test]
fn coordinates_are_needed_where_rules_speak_of_them() {
    let scene = Scene::by_id("random-regular:n=8,d=3,seed=1", &[]);
    let context = AllocatorContext {
        topology: &scene.topology,
        order: &scene.order,
        distances: &scene.distances,
    };
    for name in ["mc1x1", "mbs"] {
        let message = allocator::make(name, &context).err().unwrap().to_string();
        assert!(
            message.contains("has no coordinates") && message.contains(name),
            "{message}"
        );
    }
}

/// First Fit by lists: the free ranks, cut where steps are too long or lead over a rank of another unit.
fn level_fit(free: &mut Vec<u32>, count: usize, gap: u32, unit: &dyn Fn(u32) -> u32) -> Vec<u32> {
    let mut runs =
        free.chunk_by(|a, b| b - a <= gap && (*a..=*b).all(|rank| unit(rank) == unit(*a)));
    let found = runs.find(|run| run.len() >= count).map(<[u32]>::to_vec);
    if let Some(mut run) = found {
        run.truncate(count);
        free.retain(|rank| !run.contains(rank));
        return run;
    }
    let mut both = level_fit(free, count / 2, gap, unit);
    both.extend(level_fit(free, count - count / 2, gap, unit));
    both
}

proptest! {
    #[test]
    fn a_gap_that_knows_levels_stays_inside_units(
        machine in 0..3usize,
        seed in 0u64..3,
        gap in 0u32..6,
        present in prop::collection::vec(any::<bool>(), 7..40),
        share in 1u32..100,
    ) {
        let spec = ["cascade:3x4x4,per_router=2,limit=90", "fat-tree:k=4", "dragonfly:p=2,a=4,h=2"];
        let scene = Scene::random(spec[machine], seed, 13, &present);
        prop_assume!(!scene.free.is_empty());
        let count = (scene.free.len() as u32 * share / 100).max(1);
        for level in scene.topology.network().levels() {
            let unit = |rank: u32| level.unit_of(scene.order.nodes()[rank as usize]);
            let mut expected = level_fit(&mut scene.free.clone(), count as usize, gap, &unit);
            expected.sort();
            let name = format!("first-fit:{gap}:level={}", level.name);
            prop_assert_eq!(scene.choose(&name, count), expected, "{}", name);
        }
    }
}
