//! Training jobs: their groups against Megatron's generator, written here from its definition, and where they lie.

use nodeorder_base::random::{random_below, seed_generator};
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

/// What `initialize_model_parallel` does before it makes groups: nothing where it raises.
fn megatron(sizes: [u32; 6], order: &str) -> Option<Vec<(&'static str, Vec<Vec<u32>>)>> {
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
