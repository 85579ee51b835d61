//! The transpose of a matrix of processes.

use super::patterns::{VOLUME, count_processes, list_messages, parse_volume};
use super::{BuildGuest, Guest, GuestEntry, Pattern};
use nodeorder_base::error::Result;
use nodeorder_base::params::{Opt, Params};
use nodeorder_network::topology::Context;

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

/// Options of `transpose`.
struct Transpose {
    rows: u32,
    columns: u32,
    processes: u32,
    /// Volume of each message.
    volume: f64,
}

/// Reads the options of `transpose`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    let expected = "two extents, as in 8x8";
    let dims = params.required_extents("dims", expected)?;
    let &[rows, columns] = dims.as_slice() else {
        return Err(params.invalid_value("dims", expected));
    };
    Ok(Box::new(Transpose {
        rows,
        columns,
        processes: count_processes(params, &dims)?,
        volume: parse_volume(params)?,
    }))
}

impl BuildGuest for Transpose {
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let &Transpose { rows, columns, .. } = self;
        list_messages(label, context, self.processes, 1, self.volume, |i, send| {
            send(i % columns * rows + i / columns)
        })
    }
}
