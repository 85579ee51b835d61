//! A job as a mesh of processes.

/// A mesh of processes in row-major order.
#[derive(Debug, Default)]
pub struct Guest {
    /// Processes.
    pub count: u32,
    /// The neighbours of process p that come before it, farthest first: `before[starts[p]..starts[p + 1]]`.
    starts: Vec<u32>,
    before: Vec<u32>,
}

impl Guest {
    /// The box of `count` processes with at most so many axes.
    pub fn new(count: u32, axes: usize) -> Self {
        // Extent and stride of each axis, slowest first.
        let mut stride = 1;
        let mut axes: Vec<(u32, u32)> = sides(count, axes)
            .into_iter()
            .rev()
            .map(|side| {
                stride *= side;
                (side, stride / side)
            })
            .collect();
        axes.reverse();
        let mut guest = Guest { count, starts: vec![0], before: Vec::new() };
        for process in 0..count {
            let there = |(side, stride): &&(u32, u32)| !(process / stride).is_multiple_of(*side);
            guest.before.extend(axes.iter().filter(there).map(|(_, stride)| process - stride));
            guest.starts.push(guest.before.len() as u32);
        }
        guest
    }

    /// The neighbours of a process that come before it, farthest first.
    pub fn before(&self, process: usize) -> &[u32] {
        &self.before[self.starts[process] as usize..self.starts[process + 1] as usize]
    }
}

/// The box of `count` cells with `axes` sides of least sum, then of least largest side, and so on; descending,
/// without sides of 1.
fn sides(count: u32, axes: usize) -> Vec<u32> {
    let mut best = (u64::MAX, Vec::new());
    compact(count, axes, count, &mut Vec::new(), &mut best);
    best.1
}

/// Goes on from the sides `so_far` with `axes` more of at most `most` for the `rest`, shortest first.
fn compact(rest: u32, axes: usize, most: u32, so_far: &mut Vec<u32>, best: &mut (u64, Vec<u32>)) {
    // The sides to come are at least 1 each: a partial box that is no better than the best is given up.
    let sum = so_far.iter().map(|side| u64::from(*side)).sum::<u64>() + axes as u64;
    if sum >= best.0 {
        return;
    }
    if rest == 1 {
        *best = (sum, so_far.clone());
        return;
    }
    // None of them is longer than this one, and they must hold what is left.
    let holds = |side: u32| {
        u64::from(side).checked_pow(axes as u32).is_none_or(|cells| cells >= u64::from(rest))
    };
    for side in divisors(rest).into_iter().filter(|side| *side > 1 && *side <= most) {
        if holds(side) && axes > 0 {
            so_far.push(side);
            compact(rest / side, axes - 1, side, so_far, best);
            so_far.pop();
        }
    }
}

/// Divisors of `n`, ascending. O(√n).
fn divisors(n: u32) -> Vec<u32> {
    let small: Vec<u32> = (1..).take_while(|d| u64::from(*d).pow(2) <= u64::from(n)).collect();
    let small: Vec<u32> = small.into_iter().filter(|d| n.is_multiple_of(*d)).collect();
    let large = small.iter().rev().map(|d| n / d).filter(|d| !small.contains(d));
    small.iter().copied().chain(large.collect::<Vec<_>>()).collect()
}
