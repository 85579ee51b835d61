//! The transpose of a matrix of processes.

use super::kit::*;
use super::patterns::product;

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
    parse: Pattern {
        make: |params, context| {
            let expected = "two extents, as in 8x8";
            let dims = params.dims("dims", expected)?;
            let &[rows, columns] = dims.as_slice() else {
                return Err(params.wrong("dims", expected));
            };
            let n = product(params, &dims)?;
            list(params, context, n, 1, |i, send| {
                send(i % columns * rows + i / columns)
            })
        },
        benchmark: None,
        sized: &[],
    },
};
