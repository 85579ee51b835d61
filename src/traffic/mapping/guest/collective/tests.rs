//! What members send, in closed forms and step by step.

use super::super::tests::{check_refused, make, messages};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Sent and received by each process.
fn totals(text: &str) -> (Vec<f64>, Vec<f64>) {
    let guest = make(text).unwrap();
    let n = guest.processes() as usize;
    let (mut sent, mut got) = (vec![0.0; n], vec![0.0; n]);
    for (source, target, volume) in messages(&guest) {
        sent[source as usize] += volume;
        got[target as usize] += volume;
    }
    (sent, got)
}

fn pairs(text: &str) -> Vec<(u32, u32, f64)> {
    messages(&make(text).unwrap())
}

/// Runs an all-reduce step by step on whole numbers: the ring as it is defined, pieces and all.
fn ring_by_steps(n: usize, piece: f64) -> Vec<f64> {
    let mut has: Vec<Vec<u64>> = (0..n).map(|i| vec![1 << i; n]).collect();
    let mut sent = vec![0.0; n];
    for step in 0..2 * (n - 1) {
        let before = has.clone();
        for i in 0..n {
            let piece_number = (i + 2 * n - step) % n;
            let next = (i + 1) % n;
            has[next][piece_number] |= before[i][piece_number];
            sent[i] += piece;
        }
    }
    assert!(
        has.iter().flatten().all(|members| *members == (1 << n) - 1),
        "all added up"
    );
    sent
}

/// Returns child and parent, parents first, of the in-order tree that Sanders, Speck and Träff define,
/// halving by halving: of the members from `first` on the one in the middle has those before it on its left
/// and those after it on its right; where the middle is beyond `n`, the left half is all there is. Member 0
/// stands above.
fn tree(n: u32) -> Vec<(u32, u32)> {
    fn halve(first: u32, span: u32, up: u32, n: u32, edges: &mut Vec<(u32, u32)>) {
        if span < 2 {
            return;
        }
        let middle = first + span / 2;
        if middle >= n {
            return halve(first, span / 2, up, n, edges);
        }
        edges.push((middle, up));
        halve(first, span / 2, middle, n, edges);
        halve(middle, span / 2, middle, n, edges);
    }
    let mut edges = Vec::new();
    halve(0, n.next_power_of_two(), 0, n, &mut edges);
    edges
}

/// The drawing in NCCL's source (`src/graph/trees.cc`), of 14 members:
///
/// ```text
/// 0---------------8
///          ______/ \______
///         4               12
///       /   \            /  \
///     2       6       10     \
///    / \     / \     /  \     \
///   1   3   5   7   9   11    13
/// ```
#[test]
fn the_tree_of_fourteen_is_that_of_nccl() {
    let parents = [(8, 0), (4, 8), (12, 8), (2, 4), (6, 4), (10, 12), (13, 12)];
    let leaves = [(1, 2), (3, 2), (5, 6), (7, 6), (9, 10), (11, 10)];
    let mut drawn = [&parents[..], &leaves].concat();
    drawn.sort_unstable();
    let mut found = tree(14);
    found.sort_unstable();
    assert_eq!(found, drawn);
    let parents: Vec<_> = (1..14).map(|i| (i, tree_parent(i, 14))).collect();
    assert_eq!(parents, drawn);
}

proptest! {
    #[test]
    fn what_a_process_sends_has_a_closed_form(n in 1u32..40, s in 1u32..50) {
        // A buffer that n and every inner group divide: all volumes are whole, and equal to the last bit.
        let volume = f64::from(n * s);
        let each = 2.0 * f64::from(n - 1) * f64::from(s);
        for algorithm in ["ring", "hierarchical"] {
            let (sent, got) = totals(&format!("all-reduce:{algorithm},n={n},volume={volume}"));
            prop_assert!(sent.iter().chain(&got).all(|v| *v == each), "{algorithm}: {sent:?}");
        }
        let (sent, got) = totals(&format!("all-gather:n={n},volume={volume}"));
        prop_assert!(sent.iter().chain(&got).all(|v| *v == each / 2.0));
        let all = 2.0 * f64::from(n - 1) * volume;
        for algorithm in ["tree", "ring"] {
            let (sent, got) = totals(&format!("all-reduce:{algorithm},n={n},volume={volume}"));
            prop_assert_eq!((sent.iter().sum::<f64>(), got.iter().sum::<f64>()), (all, all));
        }
        let (sent, got) = totals(&format!("all-reduce:tree,n={n},volume={volume}"));
        let most = if n % 2 == 0 { 2.0 } else { 3.0 } * volume;
        prop_assert!(sent.iter().chain(&got).all(|v| *v <= most), "{sent:?}");
    }

    #[test]
    fn both_trees_send_half_up_and_half_down(n in 2u32..200) {
        let tree = tree(n);
        prop_assert_eq!(tree.len() as u32, n - 1);
        let mut expected = BTreeMap::new();
        let mut depth = vec![0; n as usize];
        let mut children = vec![0; n as usize];
        for (child, up) in tree {
            // A parent comes before its children.
            depth[child as usize] = depth[up as usize] + 1;
            children[up as usize] += 1;
            let second = |member: u32| if n % 2 == 0 { n - 1 - member } else { (member + 1) % n };
            for (a, b) in [(child, up), (second(child), second(up))] {
                *expected.entry((a, b)).or_insert(0.0) += 0.5;
                *expected.entry((b, a)).or_insert(0.0) += 0.5;
            }
        }
        let expected: Vec<_> = expected.into_iter().map(|((a, b), v)| (a, b, v)).collect();
        prop_assert_eq!(pairs(&format!("all-reduce:tree,n={n}")), expected);
        prop_assert!(depth.iter().all(|depth| *depth <= n.ilog2() + 1));
        prop_assert!(children.iter().all(|children| *children <= 2));
        // No member has children in both trees where their number is even.
        if n % 2 == 0 {
            prop_assert!((0..n as usize).all(|i| children[i] == 0 || children[n as usize - 1 - i] == 0));
        }
    }
}

#[test]
fn a_ring_run_step_by_step_sends_as_much() {
    for n in 2..9 {
        let (sent, _) = totals(&format!("all-reduce:ring,n={n},volume={}", 3 * n));
        assert_eq!(sent, ring_by_steps(n, 3.0));
    }
}

#[test]
fn halving_swaps_half_as_much_at_half_the_distance() {
    let of = |n: u32| pairs(&format!("all-reduce:halving,n={n},volume=8"));
    let from_zero = |n| {
        of(n)
            .into_iter()
            .filter(|(s, ..)| *s == 0)
            .collect::<Vec<_>>()
    };
    assert_eq!(from_zero(8), [(0, 1, 2.0), (0, 2, 4.0), (0, 4, 8.0)]);
    for n in [2u32, 4, 8, 16] {
        let (sent, got) = totals(&format!("all-reduce:halving,n={n},volume={n}"));
        assert!(
            sent.iter()
                .chain(&got)
                .all(|v| *v == 2.0 * f64::from(n - 1))
        );
        let (sent, _) = totals(&format!("all-gather:doubling,n={n},volume={n}"));
        assert!(sent.iter().all(|v| *v == f64::from(n - 1)));
    }
    // Of six, two go in pairs with two others; 1, 3, 4 and 5 halve.
    let six = of(6);
    assert!(six.contains(&(0, 1, 8.0)) && six.contains(&(3, 2, 8.0)));
    let halved = |a, b, v| six.contains(&(a, b, v)) && six.contains(&(b, a, v));
    assert!(halved(1, 3, 4.0) && halved(1, 4, 8.0) && halved(3, 5, 8.0) && halved(4, 5, 4.0));
    assert_eq!(six.len(), 4 + 8);
}

#[test]
fn inner_groups_send_most() {
    // Four groups of two: 2·(1/2)·S inside, then 2·(3/4)·S/2 to the next group.
    let all = pairs("all-reduce:hierarchical,n=8,group=2,volume=8");
    let of = |p: u32| {
        all.iter()
            .filter(|(s, ..)| *s == p)
            .copied()
            .collect::<Vec<_>>()
    };
    assert_eq!(of(0), [(0, 1, 8.0), (0, 2, 6.0)]);
    assert_eq!(of(7), [(7, 1, 6.0), (7, 6, 8.0)]);
    assert_eq!(
        pairs("all-reduce:hierarchical,n=8,group=8"),
        pairs("all-reduce:ring,n=8")
    );
    assert_eq!(
        pairs("all-reduce:hierarchical,n=8,group=1"),
        pairs("all-reduce:ring,n=8")
    );
}

#[test]
fn wrong_parameters_are_named() {
    check_refused(&[
        ("all-reduce:rings,n=8", "did you mean `ring`"),
        ("all-reduce:ring", "no `n`"),
        ("all-reduce:hierarchical,n=8,group=3", "a divisor of 8"),
        ("all-gather:doubling,n=6", "a power of two"),
        (
            "parallel:tp=8,pp=2,dp=4,ep=3",
            "etp·ep a divisor of tp·cp·dp = 32",
        ),
        ("parallel:tp=4096,pp=4096,dp=4096", "68719476736 processes"),
        (
            "parallel:tp=2,pp=2,dp=6,group=4,collective=hierarchical",
            "a divisor of 6",
        ),
    ]);
}
