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
        let mut guest = Guest {
            count,
            starts: vec![0],
            before: Vec::new(),
        };
        for process in 0..count {
            let there = |(side, stride): &&(u32, u32)| !(process / stride).is_multiple_of(*side);
            guest.before.extend(
                axes.iter()
                    .filter(there)
                    .map(|(_, stride)| process - stride),
            );
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
        u64::from(side)
            .checked_pow(axes as u32)
            .is_none_or(|cells| cells >= u64::from(rest))
    };
    // Without axes left none holds.
    for side in (2..=most.min(rest)).filter(|side| rest.is_multiple_of(*side)) {
        if holds(side) {
            so_far.push(side);
            compact(rest / side, axes - 1, side, so_far, best);
            so_far.pop();
        }
    }
}
