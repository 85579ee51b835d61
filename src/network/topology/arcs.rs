//! Links as arcs, one in each direction.

/// Splits a link into two arcs, one in each direction.
pub(super) fn both_directions<T: Copy>(u: u32, v: u32, value: T) -> [(u32, u32, T); 2] {
    [(u, v, value), (v, u, value)]
}
