//! Halves of the processes on halves of the ordering, and so on.

use std::collections::BinaryHeap;
use std::ops::Range;

use super::{MapProcesses, MappingMethodEntry, MappingProblem, MappingResult};
use nodeorder_base::partition::{Candidate, OUTSIDE, Rules, Sides};
use nodeorder_base::{Observer, Opt, Result};

/// `bisection[:halves=rank|boxes]`: the nodes are halved by rank, the processes so that little traffic crosses,
/// and both halves again, down to single nodes. Traffic with processes elsewhere pulls a process to the half that
/// is nearer to where those are by now. With `halves=boxes` nodes are halved across their longest extent instead:
/// by how much nearer they are to one than to the other of two nodes far apart.
///
/// Each cut starts from several divisions, by process number and grown around single processes (the first, the
/// one reached last from it, the one reached last from that, others), is improved by Fiduccia-Mattheyses
/// passes that keep the sizes, and the best is taken.
///
/// # Complexity
/// O(messages · log² processes) a pass.
///
/// # References
/// Pellegrini, Roman, "Scotch: a software package for static mapping by dual recursive bipartitioning of
/// process and architecture graphs", HPCN'96, <https://doi.org/10.1007/3-540-61142-8_588>; Fiduccia,
/// Mattheyses, "A linear-time heuristic for improving network partitions", DAC'82. Halving by rank is ours.
pub const METHOD: MappingMethodEntry = MappingMethodEntry {
    name: "bisection",
    about: "halves of the processes, cut where little is sent, on halves of the nodes, and so on",
    example: "bisection:halves=boxes",
    options: &[Opt::one_of(
        "halves",
        &["rank", "boxes"],
        "how nodes are halved",
    )],
    parse: |params| {
        let boxes = params.required_choice("halves")? == "boxes";
        Ok(Box::new(Bisection { boxes }))
    },
};

/// Options of `bisection`.
pub struct Bisection {
    /// Whether nodes are halved across their longest extent, else by rank.
    pub boxes: bool,
}

impl MapProcesses for Bisection {
    fn map_processes(
        &self,
        problem: &MappingProblem,
        observer: &dyn Observer,
    ) -> Result<MappingResult> {
        let halves = if self.boxes {
            SlotHalves::by_extent(problem, observer)
        } else {
            SlotHalves::by_rank(problem)
        };
        let slots = map_by_halving(problem, &halves, observer);
        Ok(MappingResult::new("bisection", slots))
    }
}

/// Largest number of passes over a cut.
const PASSES: usize = 12;

/// Number of processes, evenly spaced by number, that cuts are grown around.
const SEEDS: usize = 6;

/// List of slots that says how these are halved: every range of it splits in the middle.
struct SlotHalves {
    /// Slots in the order of the list.
    slots: Vec<u32>,
    /// Whether the list was made so that its ranges are compact.
    compact: bool,
}

/// Number of slots of a range that are looked at to find its centre.
const LOOKED_AT: usize = 64;

impl SlotHalves {
    /// Halves the slots by rank.
    pub fn by_rank(problem: &MappingProblem) -> Self {
        SlotHalves {
            slots: (0..problem.len() as u32).collect(),
            compact: false,
        }
    }

    /// Splits every range by how much nearer its slots are to one than to the other of two slots far apart.
    /// O(slots · log² slots). Once `observer` says to stop, ranges stay as they are.
    pub fn by_extent(problem: &MappingProblem, observer: &dyn Observer) -> Self {
        let mut slots: Vec<u32> = (0..problem.len() as u32).collect();
        let mut ranges: Vec<Range<usize>> = std::iter::once(0..slots.len()).collect();
        while let Some(range) = ranges.pop() {
            let part = &mut slots[range.clone()];
            if part.len() < 3 || observer.should_stop() {
                continue;
            }
            let a = farthest_slot(problem, part[0], part);
            // The farthest from a slot at one end lies at the other end.
            let b = farthest_slot(problem, a, part);
            part.sort_by_key(|s| {
                (
                    (problem.hops_between(a, *s) - problem.hops_between(b, *s)) as i64,
                    *s,
                )
            });
            let split = range.start + range.len() / 2;
            ranges.extend([split..range.end, range.start..split]);
        }
        SlotHalves {
            slots,
            compact: true,
        }
    }

    /// Finds a slot in the middle of a range.
    fn centre_slot(&self, problem: &MappingProblem, range: &Range<usize>) -> u32 {
        let part = &self.slots[range.clone()];
        if !self.compact {
            return part[(part.len() - 1) / 2];
        }
        let some = part.iter().step_by(part.len().div_ceil(LOOKED_AT));
        let sums = some.clone().map(|s| {
            let sum: f64 = some.clone().map(|t| problem.hops_between(*s, *t)).sum();
            (sum as u64, *s)
        });
        sums.min().map_or(part[0], |(_, slot)| slot)
    }
}

/// Finds the slot of `part` that is farthest from a slot, of equally far ones the lowest.
fn farthest_slot(problem: &MappingProblem, from: u32, part: &[u32]) -> u32 {
    part.iter()
        .copied()
        .max_by_key(|s| (problem.hops_between(from, *s) as u32, std::cmp::Reverse(*s)))
        .unwrap_or(from)
}

/// Maps every process to a slot by halving processes and slots until every range holds one of each. Once `observer`
/// says to stop, what is left of a range goes by number.
fn map_by_halving(
    problem: &MappingProblem,
    halves: &SlotHalves,
    observer: &dyn Observer,
) -> Vec<u32> {
    let n = problem.len();
    // Processes in their present order of slots; each range of them shares the same range of slots.
    let mut order: Vec<u32> = (0..n as u32).collect();
    if problem.partners.is_empty() {
        return order;
    }
    // The middle of the range a process is in, for its partners.
    let mut middle: Vec<u32> = vec![halves.slots[n / 2]; n];
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..n).collect();
    let mut cut = Cut::new(problem, observer);
    while ranges.iter().any(|range| range.len() > 1) && !observer.should_stop() {
        let mut next = Vec::with_capacity(2 * ranges.len());
        for range in ranges {
            if range.len() < 2 || observer.should_stop() {
                next.push(range);
                continue;
            }
            let split = range.start + range.len() / 2;
            let parts = [range.start..split, split..range.end];
            let centres = parts
                .each_ref()
                .map(|half| halves.centre_slot(problem, half));
            cut.halve_processes(&mut order[range], centres, &middle);
            next.extend(parts);
        }
        ranges = next;
        // Only after the whole round, so that all cuts of it see partners in the same places.
        for range in &ranges {
            let centre = halves.centre_slot(problem, range);
            for process in &order[range.clone()] {
                middle[*process as usize] = centre;
            }
        }
    }
    let mut slot = vec![0; n];
    for (process, s) in order.iter().zip(&halves.slots) {
        slot[*process as usize] = *s;
    }
    slot
}

/// A cut of some processes into two sides, with buffers reused from cut to cut.
struct Cut<'a> {
    problem: &'a MappingProblem,
    observer: &'a dyn Observer,
    /// Sides of the processes at hand; all others are outside.
    sides: Sides,
}

/// Rules of a pass: moves go in pairs, one from each side, so that sizes stay.
struct PairedMoves<'a> {
    problem: &'a MappingProblem,
    /// Hops between the centres of the halves.
    apart: f64,
}

impl Rules for PairedMoves<'_> {
    fn list_links(&self, process: u32) -> impl Iterator<Item = (u32, f64)> {
        self.problem
            .partners_of(process)
            .iter()
            .map(|(partner, volume)| (*partner, volume * self.apart))
    }

    fn choose_move(&self, best: [Option<Candidate>; 2], moves: usize) -> Option<Candidate> {
        best[moves % 2]
    }

    fn is_better(&self, moves: usize, sum: f64, best: f64) -> bool {
        // Rounding must not keep a pass going for nothing.
        moves.is_multiple_of(2) && sum > best * (1.0 + 1e-12) + 1e-9 * self.apart
    }
}

impl<'a> Cut<'a> {
    /// Prepares cuts, all processes outside.
    fn new(problem: &'a MappingProblem, observer: &'a dyn Observer) -> Self {
        Cut {
            problem,
            observer,
            sides: Sides::new(vec![OUTSIDE; problem.len()]),
        }
    }

    /// Reorders `processes` so that the first half of them belongs to the slots around `centres[0]`.
    fn halve_processes(&mut self, processes: &mut [u32], centres: [u32; 2], middle: &[u32]) {
        processes.sort_unstable();
        let half = processes.len() / 2;
        let mut best: Option<(f64, Vec<u8>)> = None;
        let mut far = processes[0];
        for attempt in 0..SEEDS + 3 {
            // One division is needed; a clock may leave out the others.
            if attempt > 0 && self.observer.should_stop() {
                break;
            }
            let start = match attempt {
                0 => processes.to_vec(),
                1..4 => self.grow_region(processes, far),
                // A region that grows from a poor place cuts much: several places are tried.
                _ => {
                    let from = processes[(attempt - 3) * processes.len() / SEEDS];
                    self.grow_region(processes, from)
                }
            };
            // The next two regions grow around the process reached last.
            if attempt > 0 {
                far = start.last().copied().unwrap_or(far);
            }
            for (i, p) in start.iter().enumerate() {
                self.sides.side[*p as usize] = u8::from(i >= half);
            }
            let cost = self.improve_cut(processes, centres, middle);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                let sides = processes.iter().map(|p| self.sides.side[*p as usize]);
                best = Some((cost, sides.collect()));
            }
        }
        for (p, side) in processes.iter().zip(best.unwrap_or_default().1) {
            self.sides.side[*p as usize] = side;
        }
        processes.sort_by_key(|p| (self.sides.side[*p as usize], *p));
        for p in processes {
            self.sides.side[*p as usize] = OUTSIDE;
        }
    }

    /// Orders the processes as a region that grows from one of them takes them in: always the one most tied to it.
    fn grow_region(&mut self, processes: &[u32], from: u32) -> Vec<u32> {
        for p in processes {
            self.sides.side[*p as usize] = 0;
            self.sides.gain[*p as usize] = 0.0;
        }
        let mut order = Vec::with_capacity(processes.len());
        let mut queue = BinaryHeap::new();
        let mut fresh = std::iter::once(from).chain(processes.iter().copied());
        while order.len() < processes.len() {
            let next = match queue.pop() {
                // An entry of an older gain is stale: a newer one is in the queue.
                Some(Candidate { gain, vertex }) => {
                    (gain == self.sides.gain[vertex as usize]).then_some(vertex)
                }
                None => fresh.next(),
            };
            let Some(p) = next.filter(|p| self.sides.side[*p as usize] == 0) else {
                continue;
            };
            self.sides.side[p as usize] = 1;
            order.push(p);
            for (q, v) in self.problem.partners_of(p) {
                if self.sides.side[*q as usize] == 0 {
                    self.sides.gain[*q as usize] += v;
                    queue.push(Candidate {
                        gain: self.sides.gain[*q as usize],
                        vertex: *q,
                    });
                }
            }
        }
        order
    }

    /// Improves the sides by passes until none helps. Returns the cost: traffic times hops between the centres, and to
    /// those outside.
    fn improve_cut(&mut self, processes: &[u32], centres: [u32; 2], middle: &[u32]) -> f64 {
        let problem = self.problem;
        let apart = problem.hops_between(centres[0], centres[1]).max(1.0);
        for _ in 0..PASSES {
            for &p in processes {
                let here = self.sides.side[p as usize];
                let partners = problem.partners_of(p).iter();
                let saved = partners.map(|(q, v)| match self.sides.side[*q as usize] {
                    OUTSIDE => {
                        let there = middle[*q as usize];
                        let from = problem.hops_between(centres[here as usize], there);
                        v * (from - problem.hops_between(centres[1 - here as usize], there))
                    }
                    side if side == here => -v * apart,
                    _ => v * apart,
                });
                self.sides.gain[p as usize] = saved.sum();
            }
            if !self
                .sides
                .improve_once(processes, &mut PairedMoves { problem, apart })
                || self.observer.should_stop()
            {
                break;
            }
        }
        let mut cost = 0.0;
        for &p in processes {
            let here = self.sides.side[p as usize];
            for (q, v) in problem.partners_of(p) {
                cost += match self.sides.side[*q as usize] {
                    OUTSIDE => {
                        v * problem.hops_between(centres[here as usize], middle[*q as usize])
                    }
                    side if side == here => 0.0,
                    // Both ends of a message across the cut are counted.
                    _ => v * apart / 2.0,
                };
            }
        }
        cost
    }
}
