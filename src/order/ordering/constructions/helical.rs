//! Helical order: row-major that never jumps back to the start of a row.

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE};
use crate::ordering::entry::{Method, Needs, OrderingEntry};

/// `helical[:axes=zxy,reverse=x]`: row-major on a torus without resetting the faster coordinate at a
/// row's end: it goes on round the ring, so every step is one link. Also called toroidal.
///
/// On axis i, `x_i = (counter_i - c_i) mod n_i` with `c_i` the completed walks along axis i, which is the
/// row-major index of the slower counters: a walk starts where the last one ended.
///
/// # Limits
/// Unit steps need the axes to wrap, the slowest one excepted. On a mesh it is a permutation with jumps:
/// prefer `snake`.
pub const HELICAL: OrderingEntry = OrderingEntry {
    name: "helical",
    about: "row-major that goes on round the ring at a row's end, all steps 1 on a torus",
    example: "helical:axes=zxy",
    options: &[AXES, REVERSE],
    parse: Method::new(Needs::Lattice, |topology, params| {
        Ok(AxisOptions::parse(topology, params)?.walk_cells(walk_rings))
    }),
};

/// Lists the cells in the order of the walk.
fn walk_rings(view: &LatticeView<'_>) -> Vec<u32> {
    view.cells_in_turn(|counter, position| {
        // Completed walks along the axis: the row-major index of the slower counters.
        let mut walks = 0u64;
        for (i, extent) in view.extents.iter().enumerate() {
            let k = u64::from(counter[i]);
            let n = u64::from(*extent);
            position[i] = ((k + n - walks % n) % n) as u32;
            walks = walks * n + k;
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{ids, max_step};
    use proptest::prelude::*;

    #[test]
    fn a_row_starts_where_the_last_one_ended() {
        assert_eq!(ids("torus:3x3", "helical"), [0, 1, 2, 5, 3, 4, 7, 8, 6]);
        assert_eq!(ids("torus:2x3", "helical:axes=yx"), [0, 3, 4, 1, 2, 5]);
    }

    proptest! {
        #[test]
        fn every_step_on_a_torus_is_one(dims in prop::collection::vec(1u32..6, 1..5), turn in any::<bool>()) {
            let x: Vec<String> = dims.iter().map(u32::to_string).collect();
            let axes: String = (0..dims.len()).rev().map(|d| d.to_string()).collect();
            let by = if turn { format!("helical:axes={axes},reverse=0") } else { "helical".into() };
            let longest = max_step(&format!("torus:{}", x.join("x")), &by);
            prop_assert!(longest <= 1);
        }
    }
}
