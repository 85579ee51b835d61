//! The transpose of a matrix of processes.

use super::patterns::{NumberedPattern, VOLUME, count_processes, parse_volume};
use super::{BuildGuest, GuestEntry, Pattern};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};

/// `transpose:8x8`: element (r, c) of a matrix to (c, r) of its transpose, both row-major over the same
/// processes; the diagonal stays where it is.
pub(super) const GUEST: GuestEntry = GuestEntry {
    name: "transpose",
    about: "element (r, c) of a matrix of processes to (c, r) of its transpose",
    example: "transpose:8x8",
    options: &[
        Opt::extents("dims", "rows and columns").positional(),
        VOLUME,
    ],
    parse: Pattern::new(parse),
};

/// Reads the options of `transpose`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let expected = "two extents, as in 8x8";
    let dims = params.required_extents("dims", expected)?;
    let &[rows, columns] = dims.as_slice() else {
        return Err(params.invalid_value("dims", expected));
    };
    Ok(Box::new(NumberedPattern {
        processes: count_processes(params, &dims)?,
        each: 1,
        volume: parse_volume(params)?,
        targets: Box::new(move |i, send| send(i % columns * rows + i / columns)),
    }))
}
