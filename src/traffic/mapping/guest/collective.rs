//! Collective operations as messages between the members of a group, algorithm by algorithm.
//!
//! Every member has a buffer of `volume`: in an all-reduce the vector that is added up, in an all-gather the result
//! that everyone has at the end. Every member then sends, of a buffer S among n members:
//!
//! | Operation | Sent by a member | Sent by all |
//! |---|---|---|
//! | all-reduce, ring | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, rabenseifner, halving, swing, n a power of two | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, bine | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, hierarchical | 2(n-1)/n · S | 2(n-1) · S |
//! | all-reduce, tree | at most 2S | 2(n-1) · S |
//! | all-gather, reduce-scatter, n a power of two | (n-1)/n · S | (n-1) · S |
//! | broadcast, binomial, bine | S a child | (n-1) · S |
//! | all-to-all | (n-1)/n · S | (n-1) · S |
//!
//! Every message is one quotient of whole multiples of S, so that it is exact wherever it is a whole number below 2⁵³.

use super::{Guest, Message};
use nodeorder_base::ratio::greatest_common_divisor;
use nodeorder_base::{Opt, Params, Result};
use nodeorder_network::Context;

/// Option that [`parse_group`] reads.
pub const GROUP: Opt = Opt::whole(
    "group",
    "members of an inner group, with hierarchical; divides the whole",
)
.default_in_words("the largest divisor up to 8");

/// An algorithm of an all-reduce.
#[derive(Clone, Copy)]
pub enum AllReduce {
    /// Reduce-scatter and all-gather around a ring.
    Ring,
    /// Two binary trees, each for half of the buffer.
    Tree,
    /// Reduce-scatter and all-gather by distances 1, 2, 4, …: half of the buffer to the nearest.
    Rabenseifner,
    /// Reduce-scatter and all-gather by distances …, 4, 2, 1: half of the buffer to the farthest.
    Halving,
    /// Reduce-scatter and all-gather among the partners of Swing and of Bine trees.
    Bine,
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
            "rabenseifner" => AllReduce::Rabenseifner,
            "halving" => AllReduce::Halving,
            "swing" | "bine" => AllReduce::Bine,
            "hierarchical" => AllReduce::Hierarchical { group },
            _ => AllReduce::Ring,
        }
    }

    /// Adapts the algorithm to a group of `members`: inner groups of the hierarchical one shrink to a size that divides
    /// it.
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
pub struct Messages {
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
            AllReduce::Rabenseifner => self.rabenseifner_all_reduce(members, buffer),
            AllReduce::Halving => {
                let active = self.fold_to_power(members, buffer, buffer);
                self.recursive_doubling(&active, 2.0 * buffer);
            }
            AllReduce::Bine => self.bine_butterfly(members, 2.0 * buffer),
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

    /// Pairs the first 2(n-2ᵏ) of n members, where n is no power of two: the even one hands its `buffer` to the odd
    /// one and gets `back`. Returns the 2ᵏ others, which go on.
    fn fold_to_power(&mut self, members: &[u32], buffer: f64, back: f64) -> Vec<u32> {
        let n = members.len();
        let paired = 2 * (n - (1 << n.ilog2()));
        for pair in members[..paired].chunks(2) {
            self.add_message(pair[0], pair[1], buffer);
            self.add_message(pair[1], pair[0], back);
        }
        let odd = members[..paired].iter().skip(1).step_by(2);
        odd.chain(&members[paired..]).copied().collect()
    }

    /// Adds an all-reduce by Rabenseifner's algorithm: partners 1, 2, 4, … away swap S/2, S/4, S/8, … of the buffer,
    /// and the same back (MPICH, `MPIR_Allreduce_intra_reduce_scatter_allgather`; Open MPI,
    /// `ompi_coll_base_allreduce_intra_redscat_allgather`, among a power of two).
    fn rabenseifner_all_reduce(&mut self, members: &[u32], buffer: f64) {
        let active = self.fold_to_power(members, buffer, buffer);
        for bit in 0..active.len().ilog2() {
            for (i, member) in active.iter().enumerate() {
                let volume = buffer / f64::from(1 << bit);
                self.add_message(*member, active[i ^ 1 << bit], volume);
            }
        }
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

    /// Adds a reduce-scatter by recursive halving, half of the buffer to the farthest; a member that another left its
    /// buffer to gathers for both (MPICH, `MPIR_Reduce_scatter_block_intra_recursive_halving`).
    pub fn halving_reduce_scatter(&mut self, members: &[u32], buffer: f64) {
        let n = members.len();
        let active = self.fold_to_power(members, buffer, buffer / n as f64);
        let doubled = n - active.len();
        for bit in 0..active.len().ilog2() {
            for (i, member) in active.iter().enumerate() {
                let partner = i ^ 1 << bit;
                let first = partner >> bit << bit;
                let last = first + (1 << bit);
                let blocks = last - first + last.min(doubled) - first.min(doubled);
                self.add_message(*member, active[partner], blocks as f64 * buffer / n as f64);
            }
        }
    }

    /// Adds an all-gather by Bruck's algorithm: all blocks that a member has, at most those that are missing, go 1, 2,
    /// 4, … back (MPICH, `MPIR_Allgather_intra_brucks`).
    pub fn bruck_all_gather(&mut self, members: &[u32], buffer: f64) {
        let n = members.len();
        let mut has = 1;
        while has < n {
            let blocks = has.min(n - has);
            for (i, member) in members.iter().enumerate() {
                let volume = blocks as f64 * buffer / n as f64;
                self.add_message(*member, members[(i + n - has) % n], volume);
            }
            has *= 2;
        }
    }

    /// Sends the buffer, block by block, to the partners of a butterfly of Bine trees over an even number of members:
    /// that of step s is ρ = (1 - (-2)ˢ⁺¹)/3 further for even members, and before for odd ones. A block goes in the
    /// step in which its distance, in digits to the base -2, ends its lowest run of equal digits. Where n is a power
    /// of two, step s has n/2ˢ⁺¹ blocks (De Sensi et al., "Bine Trees", SC'25, arXiv:2508.17311, and
    /// `allreduce_bine_block_by_block_any_even` of the authors' `pico`; "Swing", NSDI'24, section 3.1).
    pub fn bine_butterfly(&mut self, members: &[u32], buffer: f64) {
        let n = members.len() as i64;
        let steps = members.len().next_power_of_two().ilog2();
        let mut blocks = vec![0u32; steps as usize];
        for block in 1..n {
            let shift = if block % 2 == 0 { -block } else { block };
            let wrapped = shift - n * shift.signum();
            let digits = [shift, wrapped].map(negabinary_digits);
            let within = digits.iter().filter(|digits| **digits >> steps == 0);
            // Of two ways the one that starts later.
            if let Some(step) = within.map(|d| (d ^ d >> 1).trailing_zeros()).max() {
                blocks[step as usize] += 1;
            }
        }
        for (step, blocks) in (1..).zip(blocks) {
            let distance = (1 - (-2i64).pow(step)) / 3;
            for (i, member) in (0..).zip(members) {
                let partner = if i % 2 == 0 {
                    i + distance
                } else {
                    i - distance
                };
                let volume = f64::from(blocks) * buffer / n as f64;
                self.add_message(*member, members[partner.rem_euclid(n) as usize], volume);
            }
        }
    }

    /// Adds a broadcast from the first member along a binomial tree, the farthest first: a member's parent has its
    /// lowest bit cleared (MPICH, `MPIR_Bcast_intra_binomial`). With `share`, each gets only the blocks of its
    /// subtree, and a ring spreads them (`MPIR_Bcast_intra_scatter_ring_allgather`).
    pub fn binomial_broadcast(&mut self, members: &[u32], buffer: f64, share: bool) {
        let n = members.len();
        for i in 1..n {
            let below = 1 << i.trailing_zeros();
            let blocks = if share { below.min(n - i) } else { n };
            self.add_message(
                members[i - below],
                members[i],
                blocks as f64 * buffer / n as f64,
            );
        }
        if share {
            self.ring_rounds(members, n as u32 - 1, buffer);
        }
    }

    /// Adds a broadcast from the first of 2ᵏ members along a Bine tree: the parent of a member has the lowest run of
    /// equal digits, to the base -2, turned over (`bine_bcast_small` of the authors' `bine-trees`).
    pub fn bine_broadcast(&mut self, members: &[u32], buffer: f64) {
        let n = members.len() as i64;
        for i in 1..n {
            let digits = negabinary_digits(i);
            let run = ((digits ^ digits >> 1).trailing_zeros() + 1).min(n.ilog2());
            let parent = (digits ^ ((1 << run) - 1) ^ EVERY_SECOND).wrapping_sub(EVERY_SECOND);
            let parent = i64::from(parent as i32).rem_euclid(n);
            self.add_message(members[parent as usize], members[i as usize], buffer);
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

/// Digits to the base -2 that count negatively.
const EVERY_SECOND: u32 = 0xAAAA_AAAA;

/// Writes a number of up to 30 bits to the base -2, a digit a bit.
fn negabinary_digits(number: i64) -> u32 {
    (number as u32).wrapping_add(EVERY_SECOND) ^ EVERY_SECOND
}

/// Finds the parent of member `i` > 0 in a binary tree over 0 to `n`-1 in which every inner member stands between
/// its children and member 0 is the root: with 2ᵏ the lowest bit of i, that bit cleared and the next one set, where
/// that is a member, else that bit cleared.
fn tree_parent(i: u32, n: u32) -> u32 {
    let bit = 1 << i.trailing_zeros();
    let up = (i ^ bit) | bit << 1;
    if up < n { up } else { i ^ bit }
}

/// Finds the largest divisor of `n` up to 8, a common number of GPUs of a node.
pub fn largest_divisor(n: u32) -> u32 {
    let mut sizes = (1..=n.min(8)).rev();
    sizes.find(|size| n.is_multiple_of(*size)).unwrap_or(1)
}

/// Reads the number of members of an inner group of `n`: `group` as given, else the largest divisor of `n` up to 8.
/// Fails if the group does not divide `n`.
pub fn parse_group(params: &Params, n: u32) -> Result<u32> {
    match params.optional_integer("group", 1, n)? {
        Some(group) if !n.is_multiple_of(group) => {
            Err(params.invalid_value("group", format!("a divisor of {n}")))
        }
        Some(group) => Ok(group),
        None => Ok(largest_divisor(n)),
    }
}

#[cfg(test)]
mod tests;
