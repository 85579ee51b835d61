//! HyperX: a grid in which every line of routers is joined all-to-all.
//!
//! # Drawing
//! ```text
//! hyperx:2x3    0 - 1 - 2     each row a triangle (0-2 and 3-5 are linked, too),
//!               |   |   |     each column a pair
//!               3 - 4 - 5
//! ```

use super::grid::GridOptions;
use crate::topology::context::Context;
use crate::topology::distance::{Product, Shape};
use crate::topology::family::{BuildNetwork, PER_ROUTER, TopologyEntry, nodes_option, per_router};
use crate::topology::sizes::multiply_sizes;
use nodeorder_base::{Opt, Params, Result};

/// Entry of `hyperx:16x6x8,per_router=4`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "hyperx",
    about: "grid with every line of routers joined all-to-all (flattened butterfly)",
    example: "hyperx:16x6x8,per_router=4",
    options: &[
        Opt::extents("dims", "routers along each dimension").positional(),
        PER_ROUTER,
        nodes_option(
            "chooses dims: three extents that differ by one at most, the smallest that fit, or \
             the most even that cost at most 1.1 times the cheapest; unless given per_router: \
             the smallest",
        ),
    ],
    parse: parse_options,
};

/// Reads the options of a HyperX: routers numbered as a grid, the last dimension fastest; two are linked when they
/// differ in exactly one coordinate. Distance = number of coordinates that differ. Degree Σ(nᵢ-1), diameter = number
/// of dimensions of extent 2 or more.
///
/// # Limits
/// Every link has capacity 1: the paper's relative capacities K are not modelled.
///
/// # References
/// Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: topology, routing, and packaging of efficient
/// large-scale networks", SC'09, section 2, <https://doi.org/10.1145/1654059.1654101>.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let dims = params.required_extents("dims", "the extents, as in 16x6x8")?;
    multiply_sizes(&params.location_of("dims"), dims.iter().copied())?;
    Ok(Box::new(GridOptions {
        kind: "hyperx",
        product: Product::of_shape(Shape::Clique, &dims),
        per_router: per_router(params)?,
        double: false,
    }))
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_refused};

    #[test]
    fn counts_follow_the_closed_forms() {
        let s = build("hyperx:16x6x8,per_router=4").statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.diameter), (3072, 768, 3));
        assert_eq!(
            (s.degree_min, s.degree_max, s.links),
            (27, 27, 768 * 27 / 2)
        );
        // A 2-ary HyperX is the hypercube; an extent of 1 adds nothing.
        let cube = build("hyperx:2x2x1x2").statistics().unwrap();
        assert_eq!((cube.diameter, cube.links, cube.degree_max), (3, 12, 3));
    }

    #[test]
    fn the_best_case_cascade_is_a_hyperx() {
        let (a, b) = (
            build("hyperx:8x6x16,per_router=4"),
            build("cascade:16x6x8,per_router=4"),
        );
        let (a, b) = (a.statistics().unwrap(), b.statistics().unwrap());
        assert_eq!((a.links, a.total_distance), (b.links, b.total_distance));
    }

    #[test]
    fn wrong_extents_are_named() {
        check_refused(&[
            ("hyperx", "no `dims`"),
            ("hyperx:4x0", "dims[1] = 0"),
            ("hyperx:99999x99999", "1 to 2147483648 nodes"),
            ("hyperx:4x4,k=2", "unknown key for hyperx `k`"),
        ]);
    }
}
