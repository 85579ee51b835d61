//! Row-major and snake orders: axis by axis.
//!
//! # Drawing
//! ```text
//! row-major  0 1 2     snake  0 1 2
//!            3 4 5            5 4 3
//! ```

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::{Observer, Result};
use nodeorder_network::Topology;

/// `row-major[:axes=zyx,reverse=x]`: lexicographic on coordinates. Without options it is node-id order,
/// which works on every topology. Cray: `-On` (node id), `-Ox` and `-Or` with the axes sorted by extent.
pub const ROW_MAJOR: OrderingEntry = OrderingEntry {
    name: "row-major",
    about: "lexicographic on coordinates; without options node-id order, on every topology",
    example: "row-major:axes=zyx",
    options: &[AXES, REVERSE],
    parse: Method::new(Needs::LatticeForAxes, |topology, params| {
        if params.has_key("axes") || params.has_key("reverse") {
            return Ok(AxisOptions::parse(topology, params)?.walk_cells(list_row_major));
        }
        Ok(Box::new(IdOrder))
    }),
};

/// Order of node ids.
struct IdOrder;

impl OrderNodes for IdOrder {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let mut nodes = Vec::with_capacity(topology.node_count());
        nodes.extend(topology.nodes().iter());
        Ok(OrderedNodes::Constructed(nodes))
    }
}

/// Lists the cells by their coordinates.
fn list_row_major(view: &LatticeView<'_>) -> Vec<u32> {
    view.cells_in_turn(|counter, position| position.copy_from_slice(counter))
}

/// `snake[:axes=zxy,reverse=x]`: boustrophedon; every step between neighbouring cells is 1.
pub const SNAKE: OrderingEntry = OrderingEntry {
    name: "snake",
    about: "boustrophedon: row-major with every other row reversed, all steps 1 even on a mesh",
    example: "snake:axes=zxy",
    options: &[AXES, REVERSE],
    parse: Method::new(Needs::Lattice, |topology, params| {
        Ok(AxisOptions::parse(topology, params)?.walk_cells(snake_cells))
    }),
};

/// Lists the cells in the order of the reflected mixed-radix Gray code: an axis runs backwards when the sum of the
/// slower coordinates, as walked, is odd.
fn snake_cells(view: &LatticeView<'_>) -> Vec<u32> {
    view.cells_in_turn(|counter, position| reflect_counter(counter, &view.extents, position))
}

/// Turns a row-major counter into snake coordinates.
pub fn reflect_counter(counter: &[u32], extents: &[u32], out: &mut [u32]) {
    // The walk along axis i turns round each time the number of completed walks is odd: that number is
    // the row-major index of the slower digits.
    let mut walks_odd = false;
    for i in 0..counter.len() {
        out[i] = if walks_odd {
            extents[i] - 1 - counter[i]
        } else {
            counter[i]
        };
        walks_odd = (walks_odd && extents[i] % 2 == 1) ^ (counter[i] % 2 == 1);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{ids, steps};
    use proptest::prelude::*;

    #[test]
    fn row_major_is_the_identity_by_default() {
        assert_eq!(ids("mesh:2x3", "row-major"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(ids("mesh:2x3", "row-major:axes=xy"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(ids("mesh:2x3", "row-major:axes=yx"), [0, 3, 1, 4, 2, 5]);
        assert_eq!(
            ids("mesh:2x3", "row-major:axes=10,reverse=x"),
            [3, 0, 4, 1, 5, 2]
        );
        let two_a_router = ids("mesh:2x2,per_router=2,limit=7", "row-major:axes=yx");
        assert_eq!(two_a_router, [0, 1, 4, 5, 2, 3, 6]);
    }

    proptest! {
        #[test]
        fn every_snake_step_is_one(dims in prop::collection::vec(1u32..6, 1..5), turn in any::<bool>()) {
            let x: Vec<String> = dims.iter().map(u32::to_string).collect();
            let spec = format!("mesh:{}", x.join("x"));
            let axes: String = (0..dims.len()).rev().map(|d| d.to_string()).collect();
            let by = if turn { format!("snake:axes={axes},reverse=0") } else { "snake".to_string() };
            let steps = steps(&spec, &by);
            prop_assert_eq!(steps.len() + 1, dims.iter().product::<u32>() as usize);
            prop_assert!(steps.iter().all(|step| *step == 1));
        }
    }
}
