//! Blocks of processes spread over units of a machine so that groups span few of them and little is sent between.

use super::guest::Message;

/// Steps of the search that proves a division the best.
const PROOF_STEPS: u32 = 400_000;

/// Number of blocks up to which this search is begun.
const PROVED_BLOCKS: usize = 24;

/// Moves and swaps that improvements try at most.
const TRIES: u32 = 10_000_000;

/// Blocks of processes to be put on units, with their messages and groups.
#[derive(Clone, Debug, Default)]
pub struct SpreadProblem {
    /// Number of blocks that each unit holds.
    pub capacity: Vec<u32>,
    /// Number of blocks.
    pub blocks: u32,
    /// Messages between blocks.
    pub messages: Vec<Message>,
    /// Blocks of each group.
    pub groups: Vec<Vec<u32>>,
}

/// Blocks on units.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSpread {
    /// Unit of each block.
    pub unit_of: Vec<u32>,
    /// Most units that a group spans.
    pub max_span: u32,
    /// Volume between blocks of different units.
    pub volume: f64,
    /// Whether it is proved that no other spread is better.
    pub proved: bool,
}

impl SpreadProblem {
    /// Spreads the blocks: first the largest number of units that any group spans, then the volume between units, are
    /// made as low as possible. Starts from blocks in order, and from runs of as many blocks as a group has, kept
    /// whole where they fit; swaps and moves improve on each; a search then goes through all divisions, and proves
    /// the best where it comes to its end. There must be room for all blocks.
    ///
    /// # Complexity
    /// Up to 10⁷ tries of O(1) each, and 4·10⁵ steps of the search, for up to 24 blocks.
    pub fn spread_blocks(&self) -> BlockSpread {
        let mut groups = self.groups.clone();
        groups.iter_mut().for_each(|group| {
            group.sort_unstable();
            group.dedup();
        });
        // A group on one block spans one unit wherever that is.
        groups.retain(|group| group.len() > 1);
        groups.sort_unstable();
        groups.dedup();
        let mut lengths: Vec<usize> = groups.iter().map(Vec::len).collect();
        lengths.push(1);
        lengths.sort_unstable();
        lengths.dedup();
        let mut state = SpreadSearch::new(self, &groups);
        let mut best: Option<BlockSpread> = None;
        for length in lengths {
            state.place_runs(length);
            state.improve_by_swaps();
            state.keep_if_better(&mut best);
        }
        // Of many blocks it would see a few divisions only, all near the first.
        state.clear_blocks();
        if state.unit_of.len() <= PROVED_BLOCKS {
            state.steps = PROOF_STEPS;
            state.search_all(0, 0.0, &mut best);
        }
        let mut best = best.unwrap_or(BlockSpread {
            unit_of: Vec::new(),
            max_span: 0,
            volume: 0.0,
            proved: true,
        });
        best.proved = state.steps > 0;
        best
    }
}

/// Search for a spread, with the blocks placed so far.
struct SpreadSearch<'a> {
    problem: &'a SpreadProblem,
    /// Groups of each block.
    groups_of: Vec<Vec<u32>>,
    /// Blocks that each block sends to or gets from, with the volume both ways.
    partners: Vec<Vec<(u32, f64)>>,
    /// Unit of each block; `u32::MAX` without one.
    unit_of: Vec<u32>,
    /// Volume between a block and those on a unit: blocks times units.
    towards: Vec<f64>,
    /// Number of further blocks that each unit holds.
    room: Vec<u32>,
    /// Number of blocks of a group on a unit: groups times units.
    held: Vec<u32>,
    /// Number of units that each group spans.
    spans: Vec<u32>,
    /// Number of groups by the number of units that they span.
    groups_by_span: Vec<u32>,
    /// Number of steps that the search may still take.
    steps: u32,
    /// Number of tries that improvements still have.
    tries: u32,
}

impl<'a> SpreadSearch<'a> {
    fn new(problem: &'a SpreadProblem, groups: &[Vec<u32>]) -> Self {
        let blocks = problem.blocks as usize;
        let units = problem.capacity.len();
        let mut partners = vec![Vec::new(); blocks];
        for m in &problem.messages {
            partners[m.source as usize].push((m.target, m.volume));
            partners[m.target as usize].push((m.source, m.volume));
        }
        let mut groups_of = vec![Vec::new(); blocks];
        for (number, group) in (0..).zip(groups) {
            group
                .iter()
                .for_each(|block| groups_of[*block as usize].push(number));
        }
        let mut groups_by_span = vec![0; units + 1];
        groups_by_span[0] = groups.len() as u32;
        SpreadSearch {
            problem,
            groups_of,
            partners,
            unit_of: vec![u32::MAX; blocks],
            room: problem.capacity.clone(),
            held: vec![0; groups.len() * units],
            spans: vec![0; groups.len()],
            groups_by_span,
            steps: 0,
            tries: TRIES,
            towards: vec![0.0; blocks * units],
        }
    }

    /// Takes a block off its unit, if it has one, and puts it on another, if that is one.
    fn move_block(&mut self, block: usize, to: u32) {
        let from = std::mem::replace(&mut self.unit_of[block], to);
        let units = self.room.len();
        for unit in [from, to].into_iter().filter(|unit| *unit != u32::MAX) {
            let unit = unit as usize;
            let enters = unit == to as usize;
            self.room[unit] = if enters {
                self.room[unit] - 1
            } else {
                self.room[unit] + 1
            };
            for (other, volume) in &self.partners[block] {
                let towards = &mut self.towards[*other as usize * units + unit];
                *towards += if enters { *volume } else { -volume };
            }
            for group in &self.groups_of[block] {
                let group = *group as usize;
                let held = &mut self.held[group * units + unit];
                // Its first block on a unit, or its last, changes what a group spans.
                let changes = *held == u32::from(!enters);
                *held = if enters { *held + 1 } else { *held - 1 };
                if changes {
                    let span = self.spans[group] as usize;
                    let now = if enters { span + 1 } else { span - 1 };
                    self.groups_by_span[span] -= 1;
                    self.groups_by_span[now] += 1;
                    self.spans[group] = now as u32;
                }
            }
        }
    }

    fn clear_blocks(&mut self) {
        (0..self.unit_of.len()).for_each(|block| self.move_block(block, u32::MAX));
    }

    fn max_span(&self) -> usize {
        self.groups_by_span
            .iter()
            .rposition(|count| *count > 0)
            .unwrap_or(0)
    }

    /// Looks up what a block sends to and gets from blocks of a unit.
    fn volume_with(&self, block: usize, unit: u32) -> f64 {
        self.towards[block * self.room.len() + unit as usize]
    }

    fn volume_between_units(&self) -> f64 {
        let apart = self
            .problem
            .messages
            .iter()
            .filter(|m| self.unit_of[m.source as usize] != self.unit_of[m.target as usize]);
        apart.map(|m| m.volume).sum()
    }

    /// Puts runs of `length` blocks on units that have room for a whole one, in order, and then the others one by one.
    fn place_runs(&mut self, length: usize) {
        self.clear_blocks();
        let blocks: Vec<usize> = (0..self.unit_of.len()).collect();
        let mut unit = 0;
        let mut apart = Vec::new();
        for run in blocks.chunks(length) {
            // Units passed over are too full for this run, and left to the blocks of broken runs.
            while unit < self.room.len() && (self.room[unit] as usize) < run.len() {
                unit += 1;
            }
            if unit == self.room.len() {
                apart.extend_from_slice(run);
                // A shorter run at the end may fit where none of these did.
                unit = 0;
                continue;
            }
            run.iter()
                .for_each(|block| self.move_block(*block, unit as u32));
        }
        let mut unit = 0;
        for block in apart {
            while self.room[unit] == 0 {
                unit += 1;
            }
            self.move_block(block, unit as u32);
        }
    }

    /// Swaps blocks of two units, and moves blocks to units with room, as long as that is better.
    fn improve_by_swaps(&mut self) {
        let mut better = true;
        while better && self.tries > 0 {
            better = false;
            for block in 0..self.unit_of.len() {
                for unit in 0..self.room.len() as u32 {
                    if self.room[unit as usize] > 0 && self.unit_of[block] != unit {
                        better |= self.try_move(block, unit, None);
                    }
                }
                better |= self.swap_with_later(block);
            }
        }
    }

    /// Swaps a block with later ones where that is better. Returns whether it did.
    fn swap_with_later(&mut self, block: usize) -> bool {
        let mut better = false;
        for other in block + 1..self.unit_of.len() {
            let unit = self.unit_of[other];
            if self.unit_of[block] != unit {
                better |= self.try_move(block, unit, Some(other));
            }
        }
        better
    }

    /// Moves a block to a unit, and `other` from there to where the block was, if spans and then the volume get lower.
    fn try_move(&mut self, block: usize, unit: u32, other: Option<usize>) -> bool {
        self.tries = self.tries.saturating_sub(1);
        let from = self.unit_of[block];
        let mut gain = self.volume_with(block, unit) - self.volume_with(block, from);
        let mut groups = self.groups_of[block].len();
        if let Some(other) = other {
            gain += self.volume_with(other, from) - self.volume_with(other, unit);
            groups += self.groups_of[other].len();
        }
        let before = self.max_span();
        // Without a gain in volume it is worth a try only where all groups of the largest span may shrink.
        let spans = before > 1 && self.groups_by_span[before] as usize <= groups;
        if (gain <= 0.0 && !spans) || self.tries == 0 {
            return false;
        }
        if let Some(other) = other {
            let both = self.partners[block].iter();
            let both = both.filter(|(partner, _)| *partner as usize == other);
            gain -= 2.0 * both.map(|(_, volume)| volume).sum::<f64>();
        }
        self.move_pair(block, unit, other, from);
        let after = self.max_span();
        // Sums of volumes in another order may differ in the last digits.
        let better =
            after < before || (after == before && gain > 1e-9 * self.partners[block].len() as f64);
        // The state is that of before: counts are whole, and volumes are added up anew when one is kept.
        if !better {
            self.move_pair(block, from, other, unit);
        }
        better
    }

    fn move_pair(&mut self, block: usize, unit: u32, other: Option<usize>, from: u32) {
        self.move_block(block, u32::MAX);
        if let Some(other) = other {
            self.move_block(other, from);
        }
        self.move_block(block, unit);
    }

    fn keep_if_better(&self, best: &mut Option<BlockSpread>) {
        let found = BlockSpread {
            unit_of: self.unit_of.clone(),
            max_span: self.max_span() as u32,
            volume: self.volume_between_units(),
            proved: false,
        };
        let better = best
            .as_ref()
            .is_none_or(|best| (found.max_span, found.volume) < (best.max_span, best.volume));
        if better {
            *best = Some(found);
        }
    }

    /// Goes through all units of `block` and those after it, except where spans and volume, which only grow, are no
    /// better than the best.
    fn search_all(&mut self, block: usize, volume: f64, best: &mut Option<BlockSpread>) {
        self.steps = self.steps.saturating_sub(1);
        let span = self.max_span() as u32;
        if self.steps == 0
            || best
                .as_ref()
                .is_some_and(|b| (span, volume) >= (b.max_span, b.volume))
        {
            return;
        }
        if block == self.unit_of.len() {
            self.keep_if_better(best);
            return;
        }
        let before: f64 = self.partners[block]
            .iter()
            .filter(|(other, _)| (*other as usize) < block)
            .map(|(_, volume)| volume)
            .sum();
        let mut empty = Vec::new();
        for unit in 0..self.room.len() {
            let room = self.room[unit];
            let unused = room == self.problem.capacity[unit];
            // Of empty units of one size the first stands for all.
            if room == 0 || (unused && empty.contains(&room)) {
                continue;
            }
            if unused {
                empty.push(room);
            }
            let inside = self.volume_with(block, unit as u32);
            self.move_block(block, unit as u32);
            self.search_all(block + 1, volume + before - inside, best);
            self.move_block(block, u32::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nodeorder_base::random::{random_below, seed_generator};

    /// Every division there is, one by one, by the definition.
    fn brute_force(problem: &SpreadProblem) -> (u32, f64) {
        let units = problem.capacity.len() as u32;
        let mut best = (u32::MAX, f64::INFINITY);
        for number in 0..units.pow(problem.blocks) {
            let unit_of: Vec<u32> = (0..problem.blocks)
                .map(|b| number / units.pow(b) % units)
                .collect();
            let held = |unit: u32| unit_of.iter().filter(|u| **u == unit).count() as u32;
            if (0..units).any(|unit| held(unit) > problem.capacity[unit as usize]) {
                continue;
            }
            let spans = problem.groups.iter().map(|group| {
                (0..units)
                    .filter(|unit| group.iter().any(|b| unit_of[*b as usize] == *unit))
                    .count() as u32
            });
            let apart = problem
                .messages
                .iter()
                .filter(|m| unit_of[m.source as usize] != unit_of[m.target as usize]);
            let found = (spans.max().unwrap_or(0), apart.map(|m| m.volume).sum());
            if found < best {
                best = found;
            }
        }
        best
    }

    #[test]
    fn small_cases_are_those_of_brute_force() {
        let mut random = seed_generator(60);
        let mut draw = |bound: u64| random_below(bound, &mut random) as u32;
        for _ in 0..200 {
            let blocks = 2 + draw(6);
            let mut capacity: Vec<u32> = (0..2 + draw(3)).map(|_| draw(4)).collect();
            let room: u32 = capacity.iter().sum();
            capacity[0] += blocks.saturating_sub(room);
            let mut problem = SpreadProblem {
                capacity,
                blocks,
                ..SpreadProblem::default()
            };
            for _ in 0..draw(12) {
                let source = draw(blocks.into());
                let target = (source + 1 + draw(u64::from(blocks) - 1)) % blocks;
                problem.messages.push(Message {
                    source,
                    target,
                    volume: f64::from(1 + draw(9)),
                });
            }
            for _ in 0..draw(4) {
                problem
                    .groups
                    .push((0..1 + draw(4)).map(|_| draw(blocks.into())).collect());
            }
            let found = problem.spread_blocks();
            let groups = !problem.groups.is_empty();
            let expected = brute_force(&problem);
            assert!(found.proved);
            // A group on one block is not looked at.
            let span = if groups { found.max_span.max(1) } else { 0 };
            assert_eq!((span, found.volume), expected, "{problem:?} {found:?}");
        }
    }

    /// Pairs 0-1, 2-3, … on units of three: whole where each unit leaves one place free.
    #[test]
    fn runs_of_a_group_stay_whole() {
        let problem = SpreadProblem {
            capacity: vec![3; 20],
            blocks: 40,
            messages: Vec::new(),
            groups: (0..20).map(|i| vec![2 * i, 2 * i + 1]).collect(),
        };
        let found = problem.spread_blocks();
        assert_eq!(found.max_span, 1);
    }
}
