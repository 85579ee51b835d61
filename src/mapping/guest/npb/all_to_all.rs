//! FT and IS: everyone to everyone.

use super::super::{GuestEntry, Pattern, Sized, Traffic};
use super::{OPTIONS, Run, power_below, power_of_two, spec};

/// `npb-ft:n=64`: a 3-D Fourier transform. With one or more planes of the grid a process, one transpose: an equal part
/// of its points (16 bytes each) to every other process. With more processes than planes (512 in class C) they form a
/// grid of planes × rest, and each transforms and transposes along its row and its column.
pub(in super::super) const FT: GuestEntry = GuestEntry {
    name: "npb-ft",
    about: "NPB FT, a 3-D Fourier transform: a transpose, all to all",
    example: "npb-ft:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| {
            let run = Run::read(params, GRIDS)?;
            let [x, y, z] = run.problem;
            let bytes = 16.0 * f64::from(x) * f64::from(y) * f64::from(z) / f64::from(run.n);
            if run.n <= z && run.idle == 0 {
                let volume = bytes / f64::from(run.n) * run.volume;
                return Ok((run.n, Traffic::AllToAll { volume }));
            }
            if run.n <= z {
                return run.list(params, context, run.n, |_, send| {
                    (0..run.n).for_each(|to| send(to, bytes / f64::from(run.n)));
                });
            }
            power_of_two(params, run.n)?;
            let rest = run.n / z;
            super::no_more_than(params, rest, y)?;
            run.list(params, context, z + rest, |i, send| {
                let (row, column) = (i / rest, i % rest);
                (0..rest).for_each(|to| send(row * rest + to, bytes / f64::from(rest)));
                (0..z).for_each(|to| send(to * rest + column, bytes / f64::from(z)));
            })
        },
        sized: &[Sized {
            name: "npb-ft",
            spec: |count| {
                let active = if count <= GRIDS[0][2] { count } else { power_below(count) };
                spec("npb-ft", active, count)
            },
        }],
    },
};

const GRIDS: [[u32; 3]; 6] = [
    [512, 512, 512],
    [64, 64, 64],
    [128, 128, 32],
    [256, 256, 128],
    [512, 256, 256],
    [2048, 1024, 1024],
];

/// `npb-is:n=64`: a sort of whole numbers by buckets. Every process sends every other the keys (4 bytes each) that
/// belong there, an equal part on the mean, and their number (4 bytes).
pub(in super::super) const IS: GuestEntry = GuestEntry {
    name: "npb-is",
    about: "NPB IS, a sort by buckets: exchange of keys, all to all",
    example: "npb-is:n=64",
    options: &OPTIONS,
    build: Pattern {
        make: |params, context| {
            // Logarithms of the numbers of keys.
            let run = Run::read(params, [27, 16, 20, 23, 25, 31])?;
            let n = f64::from(run.n);
            let bytes = 4.0 * f64::from(run.problem).exp2() / (n * n) + 4.0;
            if run.idle == 0 {
                return Ok((run.n, Traffic::AllToAll { volume: bytes * run.volume }));
            }
            run.list(params, context, run.n, |_, send| {
                (0..run.n).for_each(|to| send(to, bytes));
            })
        },
        sized: &[Sized { name: "npb-is", spec: |count| spec("npb-is", count, count) }],
    },
};
