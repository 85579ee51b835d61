//! topology/torus3d: boxes of fixed shapes at fixed places on tori.

use super::rule::{Ask, Request, Rule, Sizes};
use crate::allocator::units::Units;
use nodeorder_base::ranks::FreeSet;
use nodeorder_network::topology::site::cells;

/// Boxes of one shape that jobs may have.
#[derive(Clone, Debug)]
pub(super) struct TorusShape {
    /// Cells along x, y and z.
    pub dims: [u32; 3],
    /// Cells from one corner to the next, along each axis.
    pub spacing: [u32; 3],
    /// The first corner.
    pub seed: [u32; 3],
}

/// A torus: its ranks by cell x + y·X + z·X·Y, and its shapes.
#[derive(Clone, Debug)]
pub(super) struct Torus {
    pub dims: [u32; 3],
    pub cells: Vec<Option<u32>>,
    pub shapes: Vec<TorusShape>,
}

/// The boxes of one shape on a torus.
struct Boxes {
    torus: usize,
    /// Cells of a box.
    size: u32,
    /// The ranks of each box whose cells all have one, in the order in which they are tried.
    all: Vec<Vec<u32>>,
    /// The next larger shape on the torus.
    larger: Option<usize>,
}

/// Tori in the order of the file.
pub(super) struct Tori {
    /// By torus, then size.
    boxes: Vec<Boxes>,
    units: Units,
    /// Whether a rank is free and not chosen.
    open: Vec<bool>,
}

impl Tori {
    /// Tori of ranks.
    pub fn new(size: u32, tori: Vec<Torus>) -> Self {
        let mut boxes: Vec<Boxes> = Vec::new();
        for (number, torus) in tori.iter().enumerate() {
            let mut shapes = torus.shapes.clone();
            shapes.sort_by_key(|shape| shape.dims.iter().product::<u32>());
            let first = boxes.len();
            for shape in &shapes {
                let size = shape.dims.iter().product();
                boxes.push(Boxes {
                    torus: number,
                    size,
                    all: corners(torus, shape),
                    larger: None,
                });
            }
            for at in first..boxes.len() {
                let size = boxes[at].size;
                boxes[at].larger = (at + 1..boxes.len()).find(|other| boxes[*other].size > size);
            }
        }
        let ranks = tori
            .iter()
            .map(|torus| torus.cells.iter().flatten().copied().collect())
            .collect();
        Tori {
            boxes,
            units: Units::new(size, ranks),
            open: vec![false; size as usize],
        }
    }

    fn is_open(&self, ranks: &[u32]) -> bool {
        ranks.iter().all(|rank| self.open[*rank as usize])
    }

    /// Free boxes of the next larger shape that a box would spoil.
    fn spoils(&self, boxes: &Boxes, ranks: &[u32]) -> usize {
        let larger = boxes
            .larger
            .map_or(&[][..], |larger| &self.boxes[larger].all);
        let met = |other: &&Vec<u32>| {
            other.iter().any(|rank| ranks.contains(rank)) && self.is_open(other)
        };
        larger.iter().filter(met).count()
    }
}

/// The boxes of a shape, x outermost, z innermost.
fn corners(torus: &Torus, shape: &TorusShape) -> Vec<Vec<u32>> {
    let along = |axis: usize| {
        let (extent, step) = (torus.dims[axis], shape.spacing[axis].max(1));
        let first = shape.seed[axis] % extent;
        let mut all = vec![first];
        let mut at = (first + step) % extent;
        while !all.contains(&at) {
            all.push(at);
            at = (at + step) % extent;
        }
        all
    };
    let [across, up, deep] = torus.dims;
    let mut all = Vec::new();
    for x in along(0) {
        for y in along(1) {
            for z in along(2) {
                let mut ranks = Vec::new();
                for (i, j, k) in cells(shape.dims) {
                    let cell =
                        (x + i) % across + (y + j) % up * across + (z + k) % deep * across * up;
                    ranks.push(torus.cells[cell as usize]);
                }
                all.extend(ranks.into_iter().collect::<Option<Vec<u32>>>());
            }
        }
    }
    all
}

impl Rule for Tori {
    fn covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn any_one(&self) -> bool {
        false
    }

    fn sizes(&self, request: &Request, most: u32) -> Vec<Sizes> {
        let segment = request.segment.filter(|segment| *segment < most);
        if self.units.free.iter().all(|free| *free == 0) {
            // Nodes on no torus are taken in any number.
            let rest = Sizes::row(1, segment.map_or(most, |segment| segment));
            return segment
                .map(|s| Sizes::segments(s, most))
                .into_iter()
                .chain([rest])
                .collect();
        }
        let mut sizes: Vec<u32> = self.boxes.iter().map(|boxes| boxes.size).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        let alone = sizes
            .iter()
            .filter(|size| **size <= segment.unwrap_or(most));
        let segments = segment.filter(|segment| sizes.contains(segment));
        let segments = segments.map(|segment| Sizes::segments(segment, most));
        segments
            .into_iter()
            .chain(alone.map(|size| Sizes::row(*size, 1)))
            .collect()
    }

    /// The sizes of all boxes that jobs may have and that are not wholly free.
    ///
    /// # References
    /// Slurm 26.05, `topology_p_get_fragmentation` of topology/torus3d.
    fn fragmentation(&mut self, free: &FreeSet) -> Option<u64> {
        let broken = |boxes: &Boxes| {
            let taken = |ranks: &&Vec<u32>| !ranks.iter().all(|rank| free.contains(*rank));
            boxes.all.iter().filter(taken).count() as u64 * u64::from(boxes.size)
        };
        Some(self.boxes.iter().map(broken).sum())
    }

    fn pick(&mut self, ask: &Ask<'_>, chosen: &mut Vec<u32>) -> Result<(), &'static str> {
        let (Ask { free, count, .. }, segment) = (*ask, ask.segment());
        self.open.fill(false);
        free.runs()
            .for_each(|run| self.open[run.first as usize..run.end() as usize].fill(true));
        let mut left = self.units.free.clone();
        for _ in 0..count / segment {
            // Number of the shape and torus, free ranks of the torus, boxes spoiled, ranks of the box.
            let mut best: Option<(usize, u32, usize, &Vec<u32>)> = None;
            for (number, boxes) in self
                .boxes
                .iter()
                .enumerate()
                .filter(|(_, b)| b.size == segment)
            {
                for ranks in boxes.all.iter().filter(|ranks| self.is_open(ranks)) {
                    let here = left[boxes.torus];
                    match best {
                        Some((shape, _, spoiled, _)) if shape == number && spoiled == 0 => break,
                        Some((shape, _, spoiled, _)) if shape == number => {
                            let spoils = self.spoils(boxes, ranks);
                            if spoils < spoiled {
                                best = Some((number, here, spoils, ranks));
                            }
                        }
                        Some((_, there, ..)) if here >= there => {}
                        _ => best = Some((number, here, self.spoils(boxes, ranks), ranks)),
                    }
                }
            }
            let Some((number, _, _, ranks)) = best else {
                return Err("no box of that size is free");
            };
            left[self.boxes[number].torus] -= segment;
            ranks
                .iter()
                .for_each(|rank| self.open[*rank as usize] = false);
            chosen.extend(ranks);
        }
        Ok(())
    }
}
