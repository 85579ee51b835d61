//! topology/torus3d: boxes of fixed shapes at fixed places on tori.
//!
//! The rule: a job gets a box of its size whose nodes are all free. Shapes of that size are gone through
//! torus by torus; the first that has a free box wins, unless a later one has one on a torus with fewer free nodes.
//! Among the boxes of a shape the one wins that spoils the fewest free boxes of the next larger size on the torus,
//! the first of equals.

use super::rule::{JobSizeRange, SelectRequest, SelectionRule, SlurmRequest};
use crate::allocator::units::UnitSet;
use nodeorder_base::FreeSet;
use nodeorder_network::topology::site::list_cells;

/// Boxes of one shape that jobs may have.
#[derive(Clone, Debug)]
pub struct TorusShape {
    /// Number of cells along x, y and z.
    pub dims: [u32; 3],
    /// Number of cells from one corner to the next, along each axis.
    pub spacing: [u32; 3],
    /// The first corner.
    pub seed: [u32; 3],
}

/// A torus of the site.
#[derive(Clone, Debug)]
pub struct Torus {
    /// Number of cells along x, y and z (X, Y, Z).
    pub dims: [u32; 3],
    /// By cell x + y·X + z·X·Y: its rank; `None` if the ordering has no node there.
    pub cells: Vec<Option<u32>>,
    /// Shapes that jobs may have.
    pub shapes: Vec<TorusShape>,
}

/// The boxes of one shape on a torus.
struct ShapeBoxes {
    /// Index of the torus that has the boxes.
    torus: usize,
    /// Number of cells of a box.
    size: u32,
    /// The ranks of each box whose cells all have one, in the order in which they are tried.
    all: Vec<Vec<u32>>,
    /// Index of the next larger shape on the torus; `None` if there is none.
    larger: Option<usize>,
}

/// Tori in the order of the file.
pub struct TorusBoxes {
    /// The boxes of each shape, by torus, then size.
    boxes: Vec<ShapeBoxes>,
    units: UnitSet,
    /// By rank: whether it is free and not chosen.
    open: Vec<bool>,
}

impl TorusBoxes {
    /// Lists the boxes of all tori.
    pub fn new(size: u32, tori: Vec<Torus>) -> Self {
        let mut boxes: Vec<ShapeBoxes> = Vec::new();
        for (number, torus) in tori.iter().enumerate() {
            let mut shapes = torus.shapes.clone();
            shapes.sort_by_key(|shape| shape.dims.iter().product::<u32>());
            let first = boxes.len();
            for shape in &shapes {
                let size = shape.dims.iter().product();
                boxes.push(ShapeBoxes {
                    torus: number,
                    size,
                    all: list_boxes(torus, shape),
                    larger: None,
                });
            }
            // The torus's shapes are sorted by size, so the next larger one is the first larger one behind.
            for at in first..boxes.len() {
                let size = boxes[at].size;
                boxes[at].larger = (at + 1..boxes.len()).find(|other| boxes[*other].size > size);
            }
        }
        let ranks = tori
            .iter()
            .map(|torus| torus.cells.iter().flatten().copied().collect())
            .collect();
        TorusBoxes {
            boxes,
            units: UnitSet::new(size, ranks),
            open: vec![false; size as usize],
        }
    }

    /// Checks whether all of these ranks are free and not chosen.
    fn is_open(&self, ranks: &[u32]) -> bool {
        ranks.iter().all(|rank| self.open[*rank as usize])
    }

    /// Counts the free boxes of the next larger shape that a box would spoil.
    fn count_spoiled_boxes(&self, boxes: &ShapeBoxes, ranks: &[u32]) -> usize {
        let larger = boxes
            .larger
            .map_or(&[][..], |larger| &self.boxes[larger].all);
        larger
            .iter()
            .filter(|other| other.iter().any(|rank| ranks.contains(rank)) && self.is_open(other))
            .count()
    }
}

/// Lists the boxes of a shape whose cells all have a rank, by their corners, x outermost, z innermost.
fn list_boxes(torus: &Torus, shape: &TorusShape) -> Vec<Vec<u32>> {
    let [across, up, deep] = torus.dims;
    let mut all = Vec::new();
    for x in corners_along(torus, shape, 0) {
        for y in corners_along(torus, shape, 1) {
            for z in corners_along(torus, shape, 2) {
                let mut ranks = Vec::new();
                for (i, j, k) in list_cells(shape.dims) {
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

/// Lists the coordinates of corners along an axis, in the order in which they are tried.
fn corners_along(torus: &Torus, shape: &TorusShape, axis: usize) -> Vec<u32> {
    let extent = torus.dims[axis];
    let step = shape.spacing[axis].max(1);
    let mut all = Vec::new();
    let mut at = shape.seed[axis] % extent;
    // Around the ring until a corner comes again.
    while !all.contains(&at) {
        all.push(at);
        at = (at + step) % extent;
    }
    all
}

impl SelectionRule for TorusBoxes {
    fn count_covered(&mut self, free: &FreeSet) -> u32 {
        self.units.count_free(free)
    }

    fn takes_any_single(&self) -> bool {
        false
    }

    fn list_sizes(&self, request: &SlurmRequest, most: u32) -> Vec<JobSizeRange> {
        let segment = request.segment.filter(|segment| *segment < most);
        if self.units.free.iter().all(|free| *free == 0) {
            // Nodes on no torus are taken in any number.
            let segments = segment.map(|segment| JobSizeRange::segment_multiples(segment, most));
            let rest = JobSizeRange::consecutive_sizes(1, segment.unwrap_or(most));
            return segments.into_iter().chain([rest]).collect();
        }
        let mut sizes: Vec<u32> = self.boxes.iter().map(|boxes| boxes.size).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.dedup();
        let alone = sizes
            .iter()
            .filter(|size| **size <= segment.unwrap_or(most));
        let segments = segment.filter(|segment| sizes.contains(segment));
        let segments = segments.map(|segment| JobSizeRange::segment_multiples(segment, most));
        segments
            .into_iter()
            .chain(alone.map(|size| JobSizeRange::consecutive_sizes(*size, 1)))
            .collect()
    }

    /// Sums up the sizes of all boxes that jobs may have and that are not wholly free.
    ///
    /// # References
    /// Slurm 26.05, `topology_p_get_fragmentation` of topology/torus3d.
    fn count_broken_nodes(&mut self, free: &FreeSet) -> Option<u64> {
        let mut broken = 0;
        for boxes in &self.boxes {
            for ranks in &boxes.all {
                if !ranks.iter().all(|rank| free.is_free(*rank)) {
                    broken += u64::from(boxes.size);
                }
            }
        }
        Some(broken)
    }

    fn pick_ranks(
        &mut self,
        ask: &SelectRequest<'_>,
        chosen: &mut Vec<u32>,
    ) -> Result<(), &'static str> {
        let SelectRequest { free, count, .. } = *ask;
        let segment = ask.segment_size();
        self.open.fill(false);
        for run in free.free_runs() {
            self.open[run.first as usize..run.end() as usize].fill(true);
        }
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
                        // No box of the shape can be better.
                        Some((shape, _, spoiled, _)) if shape == number && spoiled == 0 => break,
                        Some((shape, _, spoiled, _)) if shape == number => {
                            let spoils = self.count_spoiled_boxes(boxes, ranks);
                            if spoils < spoiled {
                                best = Some((number, here, spoils, ranks));
                            }
                        }
                        Some((_, there, ..)) if here >= there => {}
                        _ => {
                            best =
                                Some((number, here, self.count_spoiled_boxes(boxes, ranks), ranks))
                        }
                    }
                }
            }
            let Some((number, _, _, ranks)) = best else {
                return Err("no box of that size is free");
            };
            left[self.boxes[number].torus] -= segment;
            for rank in ranks {
                self.open[*rank as usize] = false;
            }
            chosen.extend(ranks);
        }
        Ok(())
    }
}
