//! FT and IS: everyone to everyone.

use super::{BenchmarkTraffic, Instance, benchmark, check_side, logarithm_of, power_below};
use crate::mapping::guest::GuestEntry;
use nodeorder_base::{Params, Result};

/// `npb-ft:n=64`: a 3-D Fourier transform. With one or more planes of the grid a process, one transpose: an equal part
/// of its points (16 bytes each) to every other process. With more processes than planes (512 in class C) they form a
/// grid of planes × rest, and each transforms and transposes along its row and its column.
pub(in super::super) const FT: GuestEntry = benchmark!(
    "npb-ft",
    "NPB FT, a 3-D Fourier transform: a transpose, all to all",
    parse_ft,
    ft_active
);

/// Points of FT's grid along x, y and z, by class.
const GRIDS: [[u32; 3]; 6] = [
    [512, 512, 512],
    [64, 64, 64],
    [128, 128, 32],
    [256, 256, 128],
    [512, 256, 256],
    [2048, 1024, 1024],
];

/// Counts the processes of FT that take part: any up to the planes of the default class, else a power of
/// two.
fn ft_active(count: u32) -> u32 {
    if count <= GRIDS[0][2] {
        count
    } else {
        power_below(count)
    }
}

/// Reads the options of FT, and lists its traffic.
fn parse_ft(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let [x, y, z] = run.class_value(GRIDS);
    let planes = z.min(run.n);
    let rest = run.n / planes;
    // One transpose is enough while every process has a plane; beyond, rows and columns of processes each have one.
    if run.n > z {
        logarithm_of(params, run.n)?;
        check_side(params, rest, y)?;
    }
    let points = f64::from(x) * f64::from(y) * f64::from(z);
    // Each complex number has 16 bytes; a process sends every member of its row, or column, an equal part of its own.
    let own = 16.0 * points / f64::from(run.n);
    let in_row = own / f64::from(rest);
    let in_column = own / f64::from(planes);
    Ok(BenchmarkTraffic {
        run,
        all_to_all: (run.n <= z).then_some(in_column),
        each: planes + rest,
        messages: vec![1; (planes + rest) as usize - 2],
        sends: Box::new(move |i, send| {
            let row = i / rest;
            let column = i % rest;
            for step in 1..rest {
                let to = (column + step) % rest;
                send(step as usize - 1, row * rest + to, in_row);
            }
            for step in 1..planes {
                let to = (row + step) % planes;
                send((rest + step) as usize - 2, to * rest + column, in_column);
            }
        }),
        iterations: run.class_value([20, 6, 6, 6, 20, 25]),
        operations: points * (5.23518 + 7.21113 * points.ln()),
    })
}

/// `npb-is:n=64`: a sort of whole numbers by buckets. Every process sends every other the keys (4 bytes each) that
/// belong there, an equal part on the mean, and their number (4 bytes).
pub(in super::super) const IS: GuestEntry = benchmark!(
    "npb-is",
    "NPB IS, a sort by buckets: exchange of keys, all to all",
    parse_is,
    std::convert::identity
);

/// Reads the options of IS, and lists its traffic.
fn parse_is(params: &Params) -> Result<BenchmarkTraffic> {
    let run = Instance::parse(params)?;
    let n = run.n;
    let keys = f64::from(run.class_value([27, 16, 20, 23, 25, 31])).exp2();
    // An n-th of a process's keys, and how many these are.
    let bytes = 4.0 * keys / (f64::from(n) * f64::from(n)) + 4.0;
    Ok(BenchmarkTraffic {
        run,
        all_to_all: Some(bytes),
        each: n,
        // Keys, and how many.
        messages: vec![2; n as usize - 1],
        sends: Box::new(move |i, send| {
            for step in 1..n {
                send(step as usize - 1, (i + step) % n, bytes);
            }
        }),
        iterations: 10,
        operations: keys,
    })
}
