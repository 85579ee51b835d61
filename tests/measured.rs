//! Distances that were measured, the machine after each recorded start, and where processes run as launchers read it.

use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_base::{Error, Lines, NodeId};
use nodeorder_jobs::audit::visit_starts;
use nodeorder_network::{Context, Topology};
use nodeorder_order::NodeOrder;
use nodeorder_present::export::{HOST_FORMS, best_ring, write_placed};
use nodeorder_trace::records::{PLACEMENTS, Records, placements};
use proptest::prelude::*;

/// A machine of distances; the file lives as long as the folder.
fn matrix(text: &str, options: &str) -> Result<Topology, Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("far.csv");
    std::fs::write(&file, text).unwrap();
    let spec = format!("matrix:{}{options}", file.display());
    Topology::inline(&spec, &Context::default())
}

fn far(machine: &Topology, a: u32, b: u32) -> u32 {
    machine.distance(NodeId(a), NodeId(b))
}

/// Both forms; the larger of both directions; a way over another host is not shorter.
#[test]
fn distances_are_those_of_the_file() {
    for text in [
        ",a,b,c\na,0,12,30\nb,11,0,90\nc,30,7,0\n",
        "from,to,us\na,b,12\nb,c,90\nc,a,30\nb,a,11\n",
    ] {
        let machine = matrix(text, "").unwrap();
        let found = [
            far(&machine, 0, 1),
            far(&machine, 0, 2),
            far(&machine, 1, 2),
        ];
        assert_eq!(found, [12, 30, 90]);
        assert_eq!(machine.node_name(NodeId(2)), "c");
        assert!(machine.network().remarks().is_empty());
    }
}

#[test]
fn fractions_are_scaled_and_bandwidths_turned_round() {
    let scaled = matrix("a,b,0.5\nb,c,0.25\na,c,0.1\n", "").unwrap();
    let found = [far(&scaled, 0, 1), far(&scaled, 1, 2), far(&scaled, 0, 2)];
    assert_eq!(found, [1_000_000, 500_000, 200_000]);
    assert!(scaled.network().remarks()[0].contains("at most 5e-7"));
    // 800 over 100, 200 and 400: 8, 4 and 2; of both directions the slower.
    let text = "a,b,100\nb,a,800\nb,c,200\na,c,400\n";
    let bandwidths = matrix(text, ",of=bandwidth").unwrap();
    let found = [
        far(&bandwidths, 0, 1),
        far(&bandwidths, 1, 2),
        far(&bandwidths, 0, 2),
    ];
    assert_eq!(found, [1_000_000, 500_000, 250_000]);
}

#[test]
fn wrong_matrices_are_refused_with_their_place() {
    for (text, found) in [
        ("a,b,1\nb,c,1\n", "no value of a and c"),
        ("a,b,1\na,b,2\n", ":2: found a to b again"),
        (
            "a,b,1\na,c,-1\n",
            ":2: found `-1`; expected a number of 0 or more",
        ),
        (",a,b\na,0,1\nb,1\n", ":3: found 2 fields; expected 3"),
        ("a,b\n", "found 2 fields"),
        ("a,a,1\n", "1 hosts"),
    ] {
        let error = matrix(text, "").unwrap_err().to_string();
        assert!(error.contains(found), "{error}");
    }
}

proptest! {
    /// Curves, `nearest` and rings against the definition, on distances that no network has.
    #[test]
    fn orderings_of_measured_distances_are_as_defined(
        values in prop::collection::vec(1u32..2000, 45),
        n in 4u32..10,
    ) {
        let mut text = String::new();
        let mut of = std::collections::HashMap::new();
        let mut values = values.into_iter();
        for a in 0..n {
            for b in a + 1..n {
                let value = values.next().unwrap();
                text += &format!("h{a},h{b},{value}\n");
                of.insert((a, b), value);
            }
        }
        let machine = matrix(&text, "").unwrap();
        let d = |a: NodeId, b: NodeId| of.get(&(a.0.min(b.0), a.0.max(b.0))).copied().unwrap_or(0);
        let order = NodeOrder::make(&machine, "nearest").unwrap();
        let nodes = order.nodes();
        for i in 1..nodes.len() {
            let least = nodes[i..].iter().map(|node| d(nodes[i - 1], *node)).min();
            prop_assert_eq!(Some(d(nodes[i - 1], nodes[i])), least);
        }
        let curve = nodeorder_order::metric::mpc::curve(&machine, &order).unwrap();
        let pairs: u32 = nodes.windows(2).map(|pair| d(pair[0], pair[1])).sum();
        let mean = f64::from(pairs) / f64::from(n - 1);
        prop_assert!((curve.mpc(2) - mean).abs() < 1e-9);
        // Eight hosts and fewer have few enough rings to look at all.
        if n <= 7 {
            let all: Vec<NodeId> = (0..n).map(NodeId).collect();
            let (_, _, ring) = best_ring(&machine, &all).unwrap();
            let mut least = u64::MAX;
            permute(&mut (1..n).collect::<Vec<_>>(), 0, &mut |rest| {
                let walk: Vec<u32> = [0].iter().chain(rest).copied().collect();
                let steps = walk.iter().zip(walk.iter().cycle().skip(1));
                let sum = steps.map(|(a, b)| u64::from(d(NodeId(*a), NodeId(*b)))).sum();
                least = least.min(sum);
            });
            prop_assert_eq!(ring.hops, least);
        }
    }
}

/// Calls `visit` with every order of `list` from `from` on.
fn permute(list: &mut [u32], from: usize, visit: &mut dyn FnMut(&[u32])) {
    if from == list.len() {
        return visit(list);
    }
    for i in from..list.len() {
        list.swap(from, i);
        permute(list, from + 1, visit);
        list.swap(from, i);
    }
}

/// Free nodes of each unit, and jobs that run and wait, against a plain look at all jobs.
#[test]
fn moments_are_those_of_a_plain_look() {
    let machine = Topology::inline("cascade:2x2x3,per_router=2", &Context::default()).unwrap();
    let mut random = seed_generator(7);
    let mut draw = |below: u64| random_below(below, &mut random) as i64;
    let mut text = format!("{}\n", placements::HEADER);
    let mut jobs = Vec::new();
    for i in 0..60 {
        let submit = draw(500);
        let start = submit + draw(40);
        let end = start + 1 + draw(90);
        let mut nodes: Vec<i64> = (0..1 + draw(6)).map(|_| draw(24)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let names: Vec<String> = nodes
            .iter()
            .map(|node| machine.node_name(NodeId(*node as u32)))
            .collect();
        let (count, list) = (nodes.len(), names.join(","));
        text += &format!("{i},{submit},{start},{end},,{count},\"{list}\"\n");
        jobs.push((submit, start, end, nodes));
    }
    let lines = Lines::new("jobs.csv", text.as_str());
    let mut records = Records::from_lines(lines, &PLACEMENTS, None).unwrap();
    let mut starts: Vec<i64> = jobs.iter().map(|job| job.1).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut seen = Vec::new();
    visit_starts::<Error>(&machine, &mut records, |snapshot| {
        let now = snapshot.latest;
        seen.push(now);
        let running = jobs.iter().filter(|job| job.1 <= now && now < job.2);
        let held = |node: i64| running.clone().any(|job| job.3.contains(&node));
        let free: Vec<u32> = (0..24).map(|node| u32::from(!held(node))).collect();
        for level in &snapshot.levels {
            let each = 24 / level.units.len();
            let expected = free.chunks(each).map(|unit| unit.iter().sum::<u32>());
            assert!(
                level.units.iter().map(|unit| unit.free).eq(expected),
                "{}",
                level.name
            );
        }
        assert_eq!(snapshot.running.len(), running.count());
        let waiting = jobs.iter().filter(|job| job.0 <= now && now < job.1);
        assert_eq!(snapshot.waiting.len(), waiting.count());
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, starts);
}

#[test]
fn processes_are_written_where_they_run() {
    let names = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
    let write = |form: &str, placed: &str, launcher: &str| {
        let form = HOST_FORMS.find(form).unwrap();
        write_placed(form, &names(placed), &names(launcher)).map_err(|e| e.to_string())
    };
    assert_eq!(
        write("rankfile", "b a b", "a b").unwrap(),
        "rank 0=b slot=0\nrank 2=b slot=1\nrank 1=a slot=0\n"
    );
    let order = write("mpich-rank-order", "b a b", "a b").unwrap();
    assert!(order.ends_with("\n1\n0,2\n"), "{order}");
    assert_eq!(
        write("slurm-hostfile", "b b a a", "a b").unwrap(),
        "b\nb\na\na\n"
    );
    assert_eq!(
        write("node-ranks", "b a", "a b").unwrap(),
        "{\"b\": 0, \"a\": 1}\n"
    );
    for placed in ["b a b", "a b b"] {
        let error = write("slurm-hostfile", placed, "a b").unwrap_err();
        assert!(
            error.contains("use rankfile or mpich-rank-order"),
            "{error}"
        );
    }
}
