//! Training jobs: their groups against Megatron's generator, written here from its definition, and where they lie.

use nodeorder_base::NodeId;
use nodeorder_base::observer::NoObserver;
use nodeorder_base::random::{random_below, seed_generator};
use nodeorder_network::Topology;
use nodeorder_present::export::{HostsWanted, plan_hosts};
use nodeorder_traffic::mapping::Guest;
use nodeorder_traffic::mapping::guest::list_training_groups;

/// Megatron's `generate_masked_orthogonal_rank_groups` (`megatron/core/parallel_state.py`): the groups of a world of
/// `sizes`, the first fastest, along the axes where `mask` is set; index by index, as its docstring defines them.
fn masked_groups(sizes: &[u32], mask: &[bool]) -> Vec<Vec<u32>> {
    let world: u32 = sizes.iter().product();
    let decompose = |rank: u32, wanted: bool| {
        // The number of a rank among the axes that are wanted, each index times the sizes of those before it.
        let mut number = 0;
        let mut before = 1;
        let mut rest = rank;
        for (size, masked) in sizes.iter().zip(mask) {
            if *masked == wanted {
                number += rest % size * before;
                before *= size;
            }
            rest /= size;
        }
        number
    };
    let size: u32 = sizes
        .iter()
        .zip(mask)
        .map(|(s, m)| if *m { *s } else { 1 })
        .product();
    let mut groups = vec![vec![u32::MAX; size as usize]; (world / size) as usize];
    for rank in 0..world {
        groups[decompose(rank, false) as usize][decompose(rank, true) as usize] = rank;
    }
    groups
}

/// Megatron's `RankGenerator(tp, ep, dp, pp, cp, order).get_ranks(token)`.
fn get_ranks(sizes: &[(&str, u32)], order: &str, token: &str) -> Vec<Vec<u32>> {
    let axes: Vec<&str> = order.split('-').collect();
    let of = |axis: &&str| sizes.iter().find(|(name, _)| name == axis).unwrap().1;
    let ordered: Vec<u32> = axes.iter().map(of).collect();
    let mask: Vec<bool> = axes
        .iter()
        .map(|axis| token.split('-').any(|t| t == *axis))
        .collect();
    masked_groups(&ordered, &mask)
}

/// Groups by the name of their kind.
type Groups = Vec<(&'static str, Vec<Vec<u32>>)>;

/// What `initialize_model_parallel` does before it makes groups: nothing where it raises.
fn megatron(sizes: [u32; 6], order: &str) -> Option<Groups> {
    let [tp, cp, pp, dp, ep, etp] = sizes;
    let world = tp * cp * pp * dp;
    if world % (etp * ep * pp) != 0 {
        return None;
    }
    let edp = world / (etp * ep * pp);
    let dense = [("tp", tp), ("ep", 1), ("dp", dp), ("pp", pp), ("cp", cp)];
    let expert = [("tp", etp), ("ep", ep), ("dp", edp), ("pp", pp), ("cp", 1)];
    if !(order.ends_with("pp") || pp == 1 || edp == dp) {
        return None;
    }
    if get_ranks(&dense, order, "pp") != get_ranks(&expert, order, "pp") {
        return None;
    }
    Some(vec![
        ("tp", get_ranks(&dense, order, "tp")),
        ("cp", get_ranks(&dense, order, "cp")),
        ("dp-cp", get_ranks(&dense, order, "dp-cp")),
        ("pp", get_ranks(&dense, order, "pp")),
        ("etp", get_ranks(&expert, order, "tp")),
        ("ep", get_ranks(&expert, order, "ep")),
        ("edp", get_ranks(&expert, order, "dp")),
    ])
}

/// The example of the generator's docstring: sizes 2, 3, 4 and the middle one masked.
#[test]
fn the_generator_of_these_tests_is_the_one_documented() {
    let groups = masked_groups(&[2, 3, 4], &[false, true, false]);
    assert_eq!(groups[0], [0, 2, 4]);
    assert_eq!(groups[1], [1, 3, 5]);
    assert_eq!(groups[7], [19, 21, 23]);
}

#[test]
fn groups_of_a_training_job_are_megatrons() {
    let mut random = seed_generator(58);
    let mut refused = 0;
    let mut agreed = 0;
    while agreed < 400 {
        let [tp, cp, pp, dp, ep, etp]: [u32; 6] =
            std::array::from_fn(|_| 1 + random_below(6, &mut random) as u32);
        // Divisible often enough for both.
        let dp = dp * ep;
        for order in ["tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "pp-dp-tp-ep-cp"] {
            let text =
                format!("parallel:tp={tp},cp={cp},pp={pp},dp={dp},ep={ep},etp={etp},order={order}");
            let found = list_training_groups(&text);
            match megatron([tp, cp, pp, dp, ep, etp], order) {
                None => {
                    assert!(found.is_err(), "{text}");
                    refused += 1;
                }
                Some(expected) => {
                    let found = found.unwrap().unwrap();
                    let found: Vec<_> = found.into_iter().map(|g| (g.kind, g.groups)).collect();
                    assert_eq!(found, expected, "{text}");
                    agreed += 1;
                }
            }
        }
    }
    assert!(refused > 100, "{refused}");
}

/// Hosts of 4 GPUs in racks of 9: of groups that span 4 hosts the third and the fifth lie across racks, and so on.
#[test]
fn racks_of_nine_hosts_hold_28_of_40_expert_groups() {
    let all = list_training_groups("parallel:tp=4,pp=2,dp=20,ep=4")
        .unwrap()
        .unwrap();
    let experts = all.iter().find(|kind| kind.kind == "ep").unwrap();
    assert_eq!(experts.groups.len(), 40);
    let whole = experts
        .groups
        .iter()
        .filter(|group| group.iter().all(|rank| rank / 36 == group[0] / 36));
    assert_eq!(whole.count(), 28);
}

fn wanted(segment: &str) -> HostsWanted<'_> {
    HostsWanted {
        order: None,
        guest: None,
        spread: false,
        per_node: 1,
        segment: Some(segment),
        take: None,
        roles: None,
        regroups: false,
        time: 2.0,
    }
}

/// Units of a level among some of whose hosts a job is offered: segments form exactly where Σ ⌊c/S⌋ ≥ N/S.
#[test]
fn segments_are_feasible_exactly_where_the_formula_says() {
    let mut random = seed_generator(62);
    let mut feasible = 0;
    for _ in 0..500 {
        let mut draw = |bound: u64| 1 + random_below(bound, &mut random) as u32;
        let [rack, racks, segment] = [12, 8, 5].map(&mut draw);
        let machine = Topology::inline(
            &format!("xgft:m={}x{racks},w=1x1", rack + 1),
            &Default::default(),
        )
        .unwrap();
        let mut offered: Vec<NodeId> = machine.nodes().iter().collect();
        offered.retain(|_| draw(8) > 1);
        let take = segment * draw(u64::from(offered.len() as u32 / segment).max(1));
        let level = machine.measured_levels().remove(0);
        let held = |unit: u32| {
            offered
                .iter()
                .filter(|node| level.unit_of(**node) == unit)
                .count() as u32
        };
        let formed: u32 = (0..racks).map(|unit| held(unit) / segment).sum();
        let text = format!("{segment},level={}", level.name);
        let wanted = HostsWanted {
            take: Some(take),
            ..wanted(&text)
        };
        let plan = plan_hosts(&machine, &offered, &wanted, &NoObserver);
        if formed < take / segment {
            let error = plan.unwrap_err().to_string();
            let said = format!(
                "{formed} whole segments of {segment} can be formed, {} wanted",
                take / segment
            );
            assert!(error.contains(&said), "{error}");
            continue;
        }
        feasible += 1;
        let plan = plan.unwrap();
        let mut all = plan.hosts();
        assert_eq!(all.len() as u32, take);
        for block in all.chunks(segment as usize) {
            assert!(
                block
                    .iter()
                    .all(|node| level.unit_of(*node) == level.unit_of(block[0]))
            );
        }
        all.extend(&plan.spares);
        all.sort_unstable();
        assert_eq!(all, offered);
    }
    assert!((200..490).contains(&feasible), "{feasible}");
}

/// 40 hosts of four GPUs on five racks of nine: in order 28 of 40 expert groups are whole. Copies of a stage are on 20
/// hosts, three racks at least; then the odd hosts of two racks, with two of a third, break one block of each stage.
#[test]
fn a_training_job_is_spread_over_racks() {
    let machine = Topology::inline("xgft:m=9x5,w=1x1", &Default::default()).unwrap();
    let nodes: Vec<NodeId> = machine.nodes().iter().take(40).collect();
    let wanted = HostsWanted {
        segment: None,
        guest: Some("parallel:tp=4,pp=2,dp=20,ep=4,ep_volume=100"),
        spread: true,
        per_node: 4,
        ..wanted("")
    };
    let plan = plan_hosts(&machine, &nodes, &wanted, &NoObserver).unwrap();
    let experts = plan
        .groups
        .iter()
        .find(|report| report.kind == "ep")
        .unwrap();
    assert_eq!(
        (experts.groups, experts.whole, experts.whole_at_most),
        (40, 32, 36)
    );
    let names: Vec<String> = nodes.iter().map(|node| node.0.to_string()).collect();
    let document = plan.document(&nodes, &names);
    assert_eq!(document["groups"][5]["whole"], 32);
    assert_eq!(document["groups"][2]["max_span"], 3);
    assert_eq!(document["hosts"].as_array().unwrap().len(), 40);
    // What crosses racks is what pairs of hosts in two racks send.
    let guest = Guest::make(wanted.guest.unwrap(), &Default::default()).unwrap();
    let hosts = plan.hosts();
    let rack = |rank: u32| hosts[rank as usize / 4].0 / 9;
    let mut apart = 0.0;
    guest.for_each_message(|m| {
        apart += if rack(m.source) == rack(m.target) {
            0.0
        } else {
            m.volume
        }
    });
    let said = document[format!("bytes_{}", plan.level.unwrap().name)]
        .as_f64()
        .unwrap();
    assert!((said - apart).abs() < 1e-9 * apart, "{said} {apart}");
}

#[test]
fn roles_take_their_segments_largest_first() {
    let machine = Topology::inline("xgft:m=18x3,w=1x1", &Default::default()).unwrap();
    let nodes: Vec<NodeId> = machine.nodes().iter().collect();
    let wanted = HostsWanted {
        segment: None,
        roles: Some("infer=8:segment=2,train=32:segment=16"),
        ..wanted("")
    };
    let plan = plan_hosts(&machine, &nodes, &wanted, &NoObserver).unwrap();
    let sizes: Vec<_> = plan
        .roles
        .iter()
        .map(|(name, hosts)| (&name[..], hosts.len()))
        .collect();
    assert_eq!(sizes, [("infer", 8), ("train", 32)]);
    for block in plan.roles[1].1.chunks(16) {
        assert!(block.iter().all(|node| node.0 / 18 == block[0].0 / 18));
    }
    assert_eq!(plan.spares.len(), 54 - 40);
    for (roles, part) in [
        ("train=33:segment=16", "a multiple of the segment, 16"),
        (
            "train=64:segment=16",
            "3 whole segments of train of 16 can be formed, 4 wanted; hosts by leaf: 3 of 18",
        ),
        ("train", "NAME=N[:segment=S]"),
        ("train=4:segment=0", "NAME=N[:segment=S]"),
    ] {
        let wanted = HostsWanted {
            roles: Some(roles),
            ..wanted
        };
        let error = plan_hosts(&machine, &nodes, &wanted, &NoObserver)
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{roles}: {error}");
    }
}

/// Volume between hosts, of whose ranks the k-th list has those of one.
fn between_hosts(guest: &Guest, ranks: &[Vec<u32>]) -> f64 {
    let host = |rank: u32| ranks.iter().position(|all| all.contains(&rank)).unwrap();
    let mut volume = 0.0;
    guest.for_each_message(|m| {
        volume += if host(m.source) == host(m.target) {
            0.0
        } else {
            m.volume
        }
    });
    volume
}

/// A stencil of 8x8 on four hosts of 16: three cuts of eight pairs each way between rows, two between squares of 4x4;
/// a host is two hops from the next, so that 96 hop-bytes become 64.
#[test]
fn ranks_of_a_stencil_are_grouped_in_squares() {
    for spec in ["xgft:m=1x4,w=1x1", "xgft:m=4x2,w=1x1"] {
        let machine = Topology::inline(spec, &Default::default()).unwrap();
        let nodes: Vec<NodeId> = machine.nodes().iter().take(4).collect();
        let wanted = HostsWanted {
            segment: None,
            guest: Some("stencil:8x8"),
            per_node: 16,
            regroups: true,
            ..wanted("")
        };
        let plan = plan_hosts(&machine, &nodes, &wanted, &NoObserver).unwrap();
        let guest = Guest::make("stencil:8x8", &Default::default()).unwrap();
        assert_eq!(2.0 * between_hosts(&guest, &plan.ranks), 64.0, "{spec}");
        let in_order: Vec<Vec<u32>> = (0..4)
            .map(|host| (16 * host..16 * host + 16).collect())
            .collect();
        assert_eq!(2.0 * between_hosts(&guest, &in_order), 96.0);
    }
}

#[test]
fn regrouped_ranks_never_send_more_between_hosts() {
    let mut random = seed_generator(63);
    let machine = Topology::inline("torus:4x4", &Default::default()).unwrap();
    for _ in 0..20 {
        let mut draw = |bound: u64| 1 + random_below(bound, &mut random) as u32;
        let [hosts, per_node] = [6, 6].map(&mut draw);
        let text = format!(
            "random:n={},degree=1,seed={}",
            (hosts * per_node).max(2),
            draw(99)
        );
        let guest = Guest::make(&text, &Default::default()).unwrap();
        if guest.processes() != hosts * per_node {
            continue;
        }
        let nodes: Vec<NodeId> = machine.nodes().iter().take(hosts as usize).collect();
        let wanted = HostsWanted {
            segment: None,
            guest: Some(&text),
            per_node,
            regroups: true,
            ..wanted("")
        };
        let plan = plan_hosts(&machine, &nodes, &wanted, &NoObserver).unwrap();
        let mut all: Vec<u32> = plan.ranks.concat();
        all.sort_unstable();
        assert_eq!(all, (0..hosts * per_node).collect::<Vec<_>>());
        let in_order: Vec<Vec<u32>> = (0..hosts)
            .map(|h| (h * per_node..(h + 1) * per_node).collect())
            .collect();
        assert!(
            between_hosts(&guest, &plan.ranks) <= between_hosts(&guest, &in_order),
            "{text}"
        );
    }
}
