//! A job as a mesh of processes: the box of its size that is closest to a cube.

/// A mesh of processes in row-major order.
#[derive(Debug, Default)]
pub struct GuestMesh {
    /// Number of processes.
    pub count: u32,
    /// By process: index of its first neighbour in `before`, and one index past the last at the end.
    starts: Vec<u32>,
    /// The neighbours of all processes that come before them, one process after the other, farthest first.
    before: Vec<u32>,
}

impl GuestMesh {
    /// Creates the box of `count` processes with at most `axes_allowed` axes.
    pub fn new(count: u32, axes_allowed: usize) -> Self {
        // Extent of each axis and processes from one to the next along it, slowest first.
        let mut axes: Vec<(u32, u32)> = Vec::new();
        let mut stride = 1;
        for side in find_compact_box(count, axes_allowed).into_iter().rev() {
            axes.push((side, stride));
            stride *= side;
        }
        axes.reverse();
        let mut guest = GuestMesh {
            count,
            starts: vec![0],
            before: Vec::new(),
        };
        for process in 0..count {
            for (side, stride) in &axes {
                // Processes at coordinate 0 have no neighbour before them along the axis.
                if !(process / stride).is_multiple_of(*side) {
                    guest.before.push(process - stride);
                }
            }
            guest.starts.push(guest.before.len() as u32);
        }
        guest
    }

    /// Lists the neighbours of a process that come before it, farthest first.
    pub fn earlier_neighbours(&self, process: usize) -> &[u32] {
        &self.before[self.starts[process] as usize..self.starts[process + 1] as usize]
    }
}

/// Finds the box of `count` cells with `axes` sides of least sum, then of least largest side, and so on; descending,
/// without sides of 1.
fn find_compact_box(count: u32, axes: usize) -> Vec<u32> {
    let mut best = (u64::MAX, Vec::new());
    try_boxes(count, axes, count, &mut Vec::new(), &mut best);
    best.1
}

/// Tries all boxes that have the sides `so_far` and `axes` more of at most `most` whose product is `rest`, shortest
/// first.
fn try_boxes(rest: u32, axes: usize, most: u32, so_far: &mut Vec<u32>, best: &mut (u64, Vec<u32>)) {
    // The sides to come are at least 1 each: a partial box that is no better than the best is given up.
    let sum = so_far.iter().map(|side| u64::from(*side)).sum::<u64>() + axes as u64;
    if sum >= best.0 {
        return;
    }
    if rest == 1 {
        *best = (sum, so_far.clone());
        return;
    }
    for side in (2..=most.min(rest)).filter(|side| rest.is_multiple_of(*side)) {
        // No later side is longer than this one, and together they must hold what is left. Without axes left
        // none does.
        let cells = u64::from(side).checked_pow(axes as u32);
        if cells.is_none_or(|cells| cells >= u64::from(rest)) {
            so_far.push(side);
            try_boxes(rest / side, axes - 1, side, so_far, best);
            so_far.pop();
        }
    }
}
