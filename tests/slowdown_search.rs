//! `optimise:objective=slowdown`: what a search sums up step by step is the slowdown of the whole order.

use nodeorder_base::observer::NoObserver;
use nodeorder_base::{NodeId, Text};
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_order::ordering::{MakeRater, ORDERINGS, OrderObjective, OrderRater, SearchResult};
use nodeorder_traffic::mapping::Fabric;
use nodeorder_traffic::slowdown::{
    SLOWDOWN, SlowdownOptions, Slowdowns, Tilings, choose_routing, power_sizes,
};
use proptest::prelude::*;

/// Grids, trees, dragonflies, rails with domains that send nothing outside, holes and links of several capacities.
const MACHINES: [&str; 8] = [
    "torus:4x3x2,per_router=2",
    "mesh:5x4,exclude=3+7-9",
    "dragonfly:p=2,a=4,h=2",
    "xgft:h=2,m=4x5,w=1x2",
    "random-regular:n=18,d=3",
    "hyperx:4x4,per_router=2",
    "multi-rail:rails=4,domains=4,units=2,spines=2,gpus=true",
    "graph:capacities.csv",
];

fn build(spec: &str) -> Topology {
    let context = Context {
        objective: Some(SLOWDOWN),
        ..Context::default()
    };
    if let Some(file) = spec.strip_prefix("graph:") {
        let text = format!("kind = \"graph\"\nfile = \"{file}\"\n");
        let folder = tempfile::tempdir().unwrap();
        // A ring of nine with a chord, links of three capacities.
        let links: String = (0..9)
            .map(|i| format!("{i},{},{}\n", (i + 1) % 9, 1 + i % 3))
            .collect();
        std::fs::write(folder.path().join(file), links + "0,4,2.5\n").unwrap();
        return Topology::toml(
            &Text::new("m.toml", text),
            Some(&folder.path().join("m.toml")),
            &context,
        )
        .unwrap();
    }
    Topology::inline(spec, &context).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// Calls `search` with what makes raters under `options`, which begin with a comma.
fn prepare(
    machine: &Topology,
    options: &str,
    shares: Option<&[(u32, f64)]>,
    mut search: impl FnMut(&MakeRater<'_>),
) {
    let entry = ORDERINGS.get("optimise").unwrap();
    let text = format!("optimise:objective=slowdown{options}");
    let params = ORDERINGS.read_options(entry, &text, 1).unwrap();
    let handed: &OrderObjective = SLOWDOWN.downcast_ref().unwrap();
    let objective = (handed.read_options)(machine, &params).unwrap();
    let mut run = |make: &MakeRater<'_>| {
        search(make);
        Ok(())
    };
    objective.prepare(machine, shares, &mut run).unwrap();
}

/// Measures `order` as `nodeorder slowdown` does: the mean of `mixed` at each size, and that over sizes.
fn measure(
    machine: &Topology,
    order: &[NodeId],
    guest: &str,
    routing: Option<&str>,
    tilings: u32,
) -> (Vec<(usize, f64)>, f64) {
    let fabric = Fabric::new(machine).unwrap();
    let mut options = SlowdownOptions::new(choose_routing(machine, routing).unwrap());
    options.tilings = Tilings::new(tilings).unwrap();
    let slowdowns = Slowdowns::new(&fabric, options).unwrap();
    let order = NodeOrder::new(machine, "moved", order.to_vec()).unwrap();
    let curve = slowdowns
        .measure_curve(&order, guest, &power_sizes(order.len()))
        .unwrap();
    let mean = curve.log_uniform_mean(|point| point.mixed).unwrap_or(1.0);
    let points = curve.points.iter().map(|point| (point.size, point.mixed));
    (points.collect(), mean)
}

fn rate(rater: &mut (dyn OrderRater + '_), order: &[NodeId]) -> f64 {
    rater.rate_order(order).unwrap()
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn moves_are_rated_as_whole_orders_are(
        machine in 0..MACHINES.len(),
        guest in prop::sample::select(vec!["all-to-all", "stencil3d", "ring", "all-reduce-tree"]),
        routing in prop::sample::select(vec!["", "ecmp-hop", "valiant:over=routers", "ugal"]),
        tilings in prop::sample::select(vec![1u32, 2, 4]),
        moves in prop::collection::vec((0..3u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 1..12),
    ) {
        let machine = build(MACHINES[machine]);
        // The other routings are for machines without rails.
        let routing = if machine.network().rails().is_some() { "" } else { routing };
        let named = Some(routing).filter(|name| !name.is_empty());
        let options = format!(
            ",guest={guest},tilings={tilings}{}",
            named.map(|name| format!(",routing={name}")).unwrap_or_default()
        );
        prepare(&machine, &options, None, |make_rater| {
            let mut rater = make_rater();
            let mut order: Vec<NodeId> = machine.nodes().iter().collect();
            let mut value = rate(rater.as_mut(), &order);
            for (kind, a, b, kept) in &moves {
                let (a, b) = (a.index(order.len()), b.index(order.len()));
                let (a, b) = (a.min(b), a.max(b));
                let before = order.clone();
                match kind {
                    0 => order.swap(a, b),
                    1 => order[a..=b].reverse(),
                    _ => order[a..=b].rotate_left((b - a) / 3),
                }
                let moved = rate(rater.as_mut(), &order);
                if *kept {
                    value = moved;
                } else {
                    rater.take_back();
                    order = before;
                }
                let (_, whole) = measure(&machine, &order, guest, named, tilings);
                assert!(is_close(value, whole), "{value} {whole}");
                assert!(rater.lower_bound() <= value * (1.0 + 1e-12));
            }
        });
    }
}

/// Between the sizes computed, the curve is straight over ln(size).
#[test]
fn shares_weigh_job_sizes() {
    let machine = build("dragonfly:p=2,a=4,h=2");
    let order = NodeOrder::make(&machine, "row-major").unwrap();
    let (points, _) = measure(&machine, order.nodes(), "all-to-all", None, 2);
    let at = |size: usize| points.iter().find(|point| point.0 == size).unwrap().1;
    let shares = [(16, 0.25), (45, 0.75)];
    let part = (45f64 / 32.0).ln() / 2f64.ln();
    let expected = 0.25 * at(16) + 0.75 * (at(32) + part * (at(64) - at(32)));
    prepare(&machine, "", Some(&shares), |make_rater| {
        let value = rate(make_rater().as_mut(), order.nodes());
        assert!(is_close(value, expected), "{value} {expected}");
    });
}

fn search(machine: &Topology, options: &str) -> (NodeOrder, SearchResult) {
    let text = format!("optimise:objective=slowdown,{options}");
    let (order, found) = NodeOrder::make_observed(machine, &text, &NoObserver).unwrap();
    (order, found.unwrap())
}

/// All orders of six nodes, by trying each: the search finds the least, and the bound is below it.
#[test]
fn small_searches_end_at_the_optimum() {
    for (spec, guest) in [
        ("mesh:6", "all-to-all"),
        ("torus:3x2", "ring"),
        ("mesh:3x2", "all-to-all"),
    ] {
        let machine = build(spec);
        let mut least = f64::INFINITY;
        prepare(&machine, &format!(",guest={guest}"), None, |make_rater| {
            let mut rater = make_rater();
            for code in 0..720 {
                let mut left: Vec<NodeId> = machine.nodes().iter().collect();
                let mut code = code;
                let mut order = Vec::new();
                for count in (1..=6).rev() {
                    order.push(left.remove(code % count));
                    code /= count;
                }
                least = least.min(rate(rater.as_mut(), &order));
            }
        });
        let (order, found) = search(&machine, &format!("guest={guest},steps=3000"));
        assert!(
            is_close(found.objective, least),
            "{spec}: {} {least}",
            found.objective
        );
        assert!(
            found.lower_bound <= least * (1.0 + 1e-12) && found.lower_bound >= 1.0,
            "{spec}: {} {least}",
            found.lower_bound
        );
        let (_, whole) = measure(&machine, order.nodes(), guest, None, 2);
        assert!(is_close(whole, least));
    }
}

#[test]
fn a_search_is_never_worse_than_its_start_and_the_same_on_any_threads() {
    for (spec, guest, start) in [
        ("torus:4x4,per_router=2", "all-to-all", "gilbert"),
        ("dragonfly:p=2,a=4,h=2", "stencil3d", "row-major"),
        ("xgft:h=2,m=4x5,w=1x2", "all-to-all", "random:seed=3"),
    ] {
        let machine = build(spec);
        let first = NodeOrder::make(&machine, start).unwrap();
        let (_, before) = measure(&machine, first.nodes(), guest, None, 2);
        for steps in [1, 40, 1000] {
            let options = format!("guest={guest},start={start},steps={steps},seed=7");
            let (order, found) = search(&machine, &options);
            assert!(found.objective <= before * (1.0 + 1e-12), "{spec} {steps}");
            let (_, whole) = measure(&machine, order.nodes(), guest, None, 2);
            assert!(is_close(found.objective, whole));
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .unwrap();
            let (again, alone) = pool.install(|| search(&machine, &options));
            assert_eq!(
                (again.nodes(), alone.objective),
                (order.nodes(), found.objective)
            );
            // More steps gain something on all of these.
            assert!(steps < 1000 || found.objective < before, "{spec}");
        }
        // Unless a start is named, it is at least as good as each classic order.
        let (_, free) = search(&machine, &format!("guest={guest},steps=1"));
        assert!(free.objective <= before * (1.0 + 1e-12), "{spec}");
    }
}

#[test]
fn wrong_options_are_refused_with_their_place() {
    let machine = build("torus:4x4");
    for (options, says) in [
        (
            "guest=rign",
            "`optimise:objective=slowdown,guest=rign`: unknown guest `rign`; did you mean `ring`?",
        ),
        ("routing=ecmp-hpo", "did you mean `ecmp-hop`?"),
        ("duty=2", "expected a number from 0 to 1"),
        ("tilings=3", "expected 1, 2 or 4"),
        ("weights=harmonic", "objective=distances beside `weights`"),
        ("split=true", "objective=distances beside `split`"),
        ("sizes=nowhere.swf", "nowhere.swf"),
    ] {
        let text = format!("optimise:objective=slowdown,{options}");
        let error = NodeOrder::make(&machine, &text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    let error = NodeOrder::make(&machine, "optimise:guest=ring").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("objective=slowdown beside `guest`")
    );
    let plain = Topology::inline("torus:4x4", &Context::default()).unwrap();
    let error = NodeOrder::make(&plain, "optimise:objective=slowdown").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`objective: Some(slowdown::SLOWDOWN)`"),
        "{error}"
    );
    let little = Context {
        objective: Some(SLOWDOWN),
        memory: 30_000,
        ..Context::default()
    };
    let machine = Topology::inline("dragonfly:p=2,a=4,h=2", &little).unwrap();
    let error = NodeOrder::make(&machine, "optimise:objective=slowdown").unwrap_err();
    assert!(error.to_string().contains("30.0 kB"), "{error}");
}
