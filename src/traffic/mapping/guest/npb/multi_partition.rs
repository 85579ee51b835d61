//! BT and SP: multi-partition, every process with a cell in each plane of cells.

use super::{
    BenchmarkTraffic, Instance, SendMessage, benchmark, check_side, inner_points, part_points,
};
use crate::mapping::guest::GuestEntry;
use nodeorder_base::{Params, Result};

/// `npb-bt:n=64`: block-tridiagonal solvers along x, y and z. The cube is cut into p × p × p cells for p² processes; a
/// process has p of them on a diagonal, so that all are busy at every stage of a sweep. An iteration swaps faces two
/// points deep with the six partners, then sweeps forwards in each direction, 30 numbers a point of a face (a 5 × 5
/// block and 5 right sides) to the next cell's process, and back, 5 numbers a point.
pub(in super::super) const BT: GuestEntry = benchmark!(
    "npb-bt",
    "NPB BT, block-tridiagonal solvers by multi-partition: successors in three directions",
    parse_bt,
    square_below
);

/// `npb-sp:n=64`: as [`BT`], scalar pentadiagonal: forwards 22 numbers a point of a face's inside, back 10.
pub(in super::super) const SP: GuestEntry = benchmark!(
    "npb-sp",
    "NPB SP, pentadiagonal solvers by multi-partition: successors in three directions",
    parse_sp,
    square_below
);

/// Finds the greatest square up to `count`.
fn square_below(count: u32) -> u32 {
    count.isqrt().pow(2)
}

/// Reads the options of BT, and lists its traffic.
fn parse_bt(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let sweep = Sweep {
        side: run.class_value([162, 12, 24, 64, 102, 408]),
        numbers: [30.0, 5.0],
        padded: true,
    };
    let side = f64::from(sweep.side);
    let operations = 3478.8 * side.powi(3) - 17_655.7 * side.powi(2) + 28_023.7 * side;
    sweep.list_traffic(
        params,
        run,
        run.class_value([200, 60, 200, 200, 200, 250]),
        operations,
    )
}

/// Reads the options of SP, and lists its traffic.
fn parse_sp(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let sweep = Sweep {
        side: run.class_value([162, 12, 36, 64, 102, 408]),
        numbers: [22.0, 10.0],
        padded: false,
    };
    let side = f64::from(sweep.side);
    let operations = 881.174 * side.powi(3) - 4683.91 * side.powi(2) + 11_484.5 * side - 19_272.4;
    sweep.list_traffic(
        params,
        run,
        run.class_value([400, 100, 400, 400, 400, 500]),
        operations,
    )
}

/// Cube of points that a solver sweeps over, and the numbers that it sends from cell to cell.
struct Sweep {
    /// Number of points along each side of the cube.
    side: u32,
    /// Count of numbers sent for each point of a face: to the successor, and back.
    numbers: [f64; 2],
    /// Whether messages are as long as the largest cell needs, else as the face's points off the cube's surface.
    padded: bool,
}

impl Sweep {
    /// Lists the traffic of the benchmark. Fails if the number of processes is no square.
    fn list_traffic(
        self,
        params: &Params,
        run: Instance,
        iterations: u32,
        operations: f64,
    ) -> Result<BenchmarkTraffic> {
        let p = run.n.isqrt();
        if p * p != run.n {
            return Err(params.invalid_value("n", "a square, such as 64"));
        }
        check_side(params, p, self.side)?;
        let mut messages = vec![p - 1; 7];
        messages[0] = 1;
        let sends =
            Box::new(move |process, send: SendMessage<'_>| self.send_faces(p, process, send));
        Ok(BenchmarkTraffic {
            run,
            all_to_all: None,
            each: 12 * p,
            messages,
            sends,
            iterations,
            operations,
        })
    }

    /// Calls `send` with all that a process sends in an iteration, of p² processes.
    fn send_faces(&self, p: u32, process: u32, send: SendMessage<'_>) {
        // A buffer holds the square of the largest cell's side, and a point more.
        let widest = self.side / p + 1;
        let i = process % p;
        let j = process / p;
        let east = (i + 1) % p;
        let west = (i + p - 1) % p;
        let north = (j + 1) % p;
        let south = (j + p - 1) % p;
        let successors = [east + p * j, i + p * north, west + p * north];
        let predecessors = [west + p * j, i + p * south, east + p * south];
        // A process has one cell in each plane of cells, on a diagonal, so that none waits during a sweep.
        for cell in 0..p {
            let at = [(i + cell) % p, (j + p - cell) % p, cell];
            for axis in 0..3 {
                let a = at[(axis + 1) % 3];
                let b = at[(axis + 2) % 3];
                let [long, wide] = [a, b].map(|x| f64::from(part_points(self.side, p, x)));
                let swapped = 80.0 * long * wide;
                let points = if self.padded {
                    f64::from(widest).powi(2)
                } else {
                    let [long, wide] = [a, b].map(|x| f64::from(inner_points(self.side, p, x)));
                    long * wide
                };
                let stage = 1 + 2 * axis;
                if at[axis] + 1 < p {
                    send(0, successors[axis], swapped);
                    send(stage, successors[axis], 8.0 * self.numbers[0] * points);
                }
                if at[axis] > 0 {
                    send(0, predecessors[axis], swapped);
                    let back = 8.0 * self.numbers[1] * points;
                    send(stage + 1, predecessors[axis], back);
                }
            }
        }
    }
}
