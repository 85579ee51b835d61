//! Collective operations as messages between the members of a group, algorithm by algorithm.
//!
//! Every member has a buffer of `volume`: in an all-reduce the vector that is added up, in an all-gather the result
//! that everyone has at the end. Every member then sends, of a buffer S among n members:
//!
//! | Operation | Sent by a member | Sent by all |
//! |---|---|---|
//! | all-reduce, ring | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, halving, n a power of two | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, hierarchical | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, tree | at most 2S | 2(n-1) · S |
//! | all-gather, ring, and doubling with n a power of two | (n-1)/n · S | (n-1) · S |
//! | all-to-all | (n-1)/n · S | (n-1) · S |
//!
//! Every message is one quotient of whole multiples of S, so that it is exact wherever it is a whole number below 2⁵³.

use super::{Guest, Message};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_base::ratio::greatest_common_divisor;
use nodeorder_network::topology::Context;

/// Option that [`parse_group`] reads.
pub(super) const GROUP: Opt = Opt::whole(
    "group",
    "members of an inner group, with hierarchical; divides the whole",
)
.default_in_words("the largest divisor up to 8");

/// An algorithm of an all-reduce.
#[derive(Clone, Copy)]
pub(super) enum AllReduce {
    /// Reduce-scatter and all-gather around a ring.
    Ring,
    /// Two binary trees, half of the buffer each.
    Tree,
    /// Recursive halving, then recursive doubling.
    Halving,
    /// Rings within groups, and across them.
    Hierarchical {
        /// Number of members of an inner group.
        group: u32,
    },
}

impl AllReduce {
    /// Parses the algorithm of this `name`, with inner groups of `group` members where it has some.
    pub fn parse_algorithm(name: &str, group: u32) -> Self {
        match name {
            "tree" => AllReduce::Tree,
            "halving" => AllReduce::Halving,
            "hierarchical" => AllReduce::Hierarchical { group },
            _ => AllReduce::Ring,
        }
    }

    /// Returns the algorithm for a group of `members`, whose inner groups divide both.
    pub fn fit_members(self, members: u32) -> Self {
        match self {
            AllReduce::Hierarchical { group } => AllReduce::Hierarchical {
                group: greatest_common_divisor(group, members),
            },
            other => other,
        }
    }
}

/// Messages being collected.
pub(super) struct Messages {
    list: Vec<Message>,
}

impl Messages {
    /// Makes room for `each` messages of each of `n` processes. Fails if `context` does not allow the memory.
    pub fn new(context: &Context, n: u32, each: u64) -> Result<Self> {
        let bytes = u64::from(n)
            .saturating_mul(each)
            .saturating_mul(size_of::<Message>() as u64);
        context.require_memory("the guest's messages", bytes.saturating_mul(2))?;
        Ok(Messages { list: Vec::new() })
    }

    /// Adds a message.
    pub fn add_message(&mut self, source: u32, target: u32, volume: f64) {
        self.list.push(Message {
            source,
            target,
            volume,
        });
    }

    /// Makes the guest of `n` processes; messages of a pair are added up. Fails if the sum of volumes is no number.
    pub fn into_guest(self, label: &str, n: u32) -> Result<Guest> {
        Guest::from_messages(label, n, self.list)
    }

    /// Adds an all-reduce of a buffer among `members`.
    pub fn all_reduce(&mut self, algorithm: AllReduce, members: &[u32], buffer: f64) {
        match algorithm {
            AllReduce::Ring => self.ring_all_reduce(members, buffer),
            AllReduce::Tree => self.tree_all_reduce(members, buffer),
            AllReduce::Halving => self.halving_all_reduce(members, buffer),
            AllReduce::Hierarchical { group } => {
                self.hierarchical_all_reduce(members, group, buffer);
            }
        }
    }

    /// Sends `rounds` pieces of a buffer, cut into as many pieces as there are members, from each member to the
    /// next: the all-gather with n-1 rounds, the all-reduce with 2(n-1) (Patarasuk & Yuan, "Bandwidth Optimal
    /// All-reduce Algorithms for Clusters of Workstations", 2009).
    pub fn ring_rounds(&mut self, members: &[u32], rounds: u32, buffer: f64) {
        let n = members.len();
        for (i, member) in members.iter().enumerate() {
            let volume = f64::from(rounds) * buffer / n as f64;
            self.add_message(*member, members[(i + 1) % n], volume);
        }
    }

    /// Adds an all-reduce by a ring: a reduce-scatter, then an all-gather, a piece of S/n at a time.
    fn ring_all_reduce(&mut self, members: &[u32], buffer: f64) {
        self.ring_rounds(members, 2 * (members.len() as u32 - 1), buffer);
    }

    /// Adds an all-reduce by two binary trees, half of the buffer each: added up towards the root, then sent back. The
    /// second tree is the first with the members numbered backwards or, where their number is odd, one further,
    /// so that with an even number no member has children in both (Sanders, Speck, Träff, "Two-tree algorithms
    /// for full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009; NCCL calls it a double
    /// binary tree).
    fn tree_all_reduce(&mut self, members: &[u32], buffer: f64) {
        let n = members.len();
        let mut second = members.to_vec();
        if n.is_multiple_of(2) {
            second.reverse();
        } else {
            second.rotate_left(1);
        }
        for i in 1..n {
            let up = tree_parent(i as u32, n as u32) as usize;
            for tree in [members, &second] {
                self.add_message(tree[i], tree[up], buffer / 2.0);
                self.add_message(tree[up], tree[i], buffer / 2.0);
            }
        }
    }

    /// Adds an all-reduce by recursive halving, then recursive doubling: partners n/2, n/4, … 1 away swap S/2,
    /// S/4, … S/n of the buffer, and the same back. Where n is no power of two, the first 2(n-2ᵏ) members go in
    /// pairs: the even one hands its buffer to the odd one and gets the sum back (Thakur, Rabenseifner, Gropp,
    /// "Optimization of Collective Communication Operations in MPICH", 2005, section 4.5).
    fn halving_all_reduce(&mut self, members: &[u32], buffer: f64) {
        let n = members.len();
        let power = 1 << n.ilog2();
        let paired = 2 * (n - power);
        for pair in members[..paired].chunks(2) {
            self.add_message(pair[0], pair[1], buffer);
            self.add_message(pair[1], pair[0], buffer);
        }
        let odd = members[..paired].iter().skip(1).step_by(2);
        let active: Vec<u32> = odd.chain(&members[paired..]).copied().collect();
        self.recursive_doubling(&active, 2.0 * buffer);
    }

    /// Sends 2ⁱ/2ᵏ of the buffer from each of 2ᵏ members to that 2ⁱ away. As an all-gather, recursive doubling:
    /// partners 1, 2, 4, … away swap what they have, S/n, 2S/n, …
    pub fn recursive_doubling(&mut self, members: &[u32], buffer: f64) {
        let n = members.len();
        for distance in (0..n.ilog2()).map(|bit| 1 << bit) {
            for (i, member) in members.iter().enumerate() {
                let volume = distance as f64 * buffer / n as f64;
                self.add_message(*member, members[i ^ distance], volume);
            }
        }
    }

    /// Adds an all-reduce in two layers. Within every inner group of `group` consecutive members a ring adds up, each
    /// member its S/group; the members of one position in all groups all-reduce that by a ring; rings within the
    /// groups spread it.
    fn hierarchical_all_reduce(&mut self, members: &[u32], group: u32, buffer: f64) {
        let n = members.len();
        let group = group as usize;
        for inner in members.chunks(group) {
            self.ring_all_reduce(inner, buffer);
        }
        // A whole multiple of S over n, so that it is exact where that is a whole number.
        let volume = 2.0 * ((n / group) as f64 - 1.0) * buffer / n as f64;
        for (i, member) in members.iter().enumerate() {
            self.add_message(*member, members[(i + group) % n], volume);
        }
    }

    /// Adds an all-to-all: a piece of S/n from everyone to everyone.
    pub fn all_to_all(&mut self, members: &[u32], buffer: f64) {
        for source in members {
            for target in members.iter().filter(|t| *t != source) {
                self.add_message(*source, *target, buffer / members.len() as f64);
            }
        }
    }
}

/// Finds the parent of member `i` > 0 in a binary tree over 0 to `n`-1 in which every inner member stands between
/// its children and member 0 is the root: with 2ᵏ the lowest bit of i, that bit cleared and the next one set, where
/// that is a member, else that bit cleared.
fn tree_parent(i: u32, n: u32) -> u32 {
    let bit = 1 << i.trailing_zeros();
    let up = (i ^ bit) | bit << 1;
    if up < n { up } else { i ^ bit }
}

/// Finds the largest divisor of `n` up to 8: nodes of so many GPUs are common.
pub(super) fn largest_divisor(n: u32) -> u32 {
    let mut sizes = (1..=n.min(8)).rev();
    sizes.find(|size| n.is_multiple_of(*size)).unwrap_or(1)
}

/// Reads the number of members of an inner group of `n`: `group` as given, else the largest divisor of `n` up to 8.
/// Fails if the group does not divide `n`.
pub(super) fn parse_group(params: &Params, n: u32) -> Result<u32> {
    match params.optional_integer("group", 1, n)? {
        Some(group) if !n.is_multiple_of(group) => {
            Err(params.invalid_value("group", format!("a divisor of {n}")))
        }
        Some(group) => Ok(group),
        None => Ok(largest_divisor(n)),
    }
}

#[cfg(test)]
mod tests {
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
}
