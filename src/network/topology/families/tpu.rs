//! TPU slices: cubes of 4×4×4 chips that optical switches join to tori, regular or twisted.
//!
//! # Drawing
//! ```text
//! tpu:4x4x8,twisted=true      seen along one of the short dimensions, k = 4:
//!
//!     |   |   |   |   |   |   |   |        a link that leaves the top at position z
//!     o - o - o - o - o - o - o - o        comes in at the bottom at z + 4 mod 8
//!     …
//!     o - o - o - o - o - o - o - o
//!     |   |   |   |   |   |   |   |
//!     z+4 …                       z-4
//! ```

use super::grid::GridOptions;
use crate::topology::context::Context;
use crate::topology::distance::{Product, Shape};
use crate::topology::family::{BuildNetwork, TopologyEntry, by_x, nodes_option};
use crate::topology::lattice::{Lattice, cell_coordinates};
use crate::topology::network::{Network, on_request};
use crate::topology::sizes::{multiply_sizes, require_graph};
use nodeorder_base::{Opt, Params, Result};

/// Entry of `tpu:4x4x8[,twisted=true]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "tpu",
    about: "chips in cubes of 4x4x4: a mesh inside one cube, a torus of whole ones; \
     twisted=true twists it",
    example: "tpu:8x8x16",
    options: &[
        Opt::extents("dims", "three extents: up to 4 each, or multiples of 4").positional(),
        Opt::flag(
            "twisted",
            "twist the short dimensions of k x k x 2k or k x 2k x 2k",
        ),
        nodes_option(
            "chooses dims: the smallest part of a cube, or cubes whose three \
             extents differ by one at most",
        ),
    ],
    parse: parse_options,
};

/// Number of chips along each side of a cube.
const CUBE: u32 = 4;

/// Options of a twisted torus of k×k×2k or k×2k×2k: whoever goes around a short dimension is moved by k along every
/// long one.
///
/// Both are lattice graphs, alike seen from every chip: the face-centred cubic one of 2k³ chips and the body-centred
/// cubic one of 4k³. Degree 6, 3 links a chip, diameter ⌊3k/2⌋, where the regular tori have 2k and 5k/2. Their
/// dimensions carry the same load of an all-to-all, where in regular ones the long dimensions limit it. O(links) to
/// visit; distances by one breadth-first search where all chips are schedulable, else one each.
///
/// # References
/// Cámara, Moretó, Vallejo, Beivide, Miguel-Alonso, Martínez, Navaridas, "Twisted Torus Topologies for Enhanced
/// Interconnection Networks", IEEE TPDS 21(12), 2010; Camarero, Martínez, Beivide, "Lattice Graphs for High-Scale
/// Interconnection Topologies", IEEE TPDS 26(9), 2015 (the cubic lattices and their diameters).
struct TwistedTorus {
    /// Chips along each of the three dimensions, slowest first.
    dims: Vec<u32>,
}

/// Reads the options of a TPU slice. Slices of whole cubes are tori: the optical switches close every dimension.
/// Slices of less than a cube have no links around and are meshes. Chips are numbered as in a grid, the last
/// dimension fastest.
///
/// # References
/// Jouppi et al., "TPU v4: An Optically Reconfigurable Supercomputer for Machine Learning with Hardware Support for
/// Embeddings", ISCA'23, section 2; the page "TPU v5p" of Google Cloud's documentation for the shapes in use.
fn parse_options(params: &Params, context: &Context) -> Result<Box<dyn BuildNetwork>> {
    let dims = params.required_extents("dims", "three extents, as in 4x4x8")?;
    let twisted = params.is_set("twisted")?;
    let whole = dims.iter().all(|n| n.is_multiple_of(CUBE));
    if dims.len() != 3 || !whole && dims.iter().any(|n| *n > CUBE) {
        let expected =
            "three extents, all up to 4 (a part of a cube) or all multiples of 4 (cubes)";
        return Err(params.invalid_value("dims", expected));
    }
    let chips = multiply_sizes(&params.location_of("dims"), dims.iter().copied())?;
    if twisted {
        let short = dims.iter().copied().min().unwrap_or(CUBE);
        let long = dims.iter().filter(|n| **n == 2 * short).count();
        if !whole || !(1..=2).contains(&long) || dims.iter().any(|n| *n != short && *n != 2 * short)
        {
            let expected = "a torus of k x k x 2k or k x 2k x 2k, k a multiple of 4, in any order";
            return Err(params.invalid_value("dims", expected));
        }
        // Twisted tori have no closed form: their distances take the graph.
        require_graph(context, chips.into(), 3 * u64::from(chips))?;
        return Ok(Box::new(TwistedTorus { dims }));
    }
    let shape = if whole { Shape::Ring } else { Shape::Path };
    Ok(Box::new(GridOptions {
        kind: "tpu",
        product: Product::of_shape(shape, &dims),
        per_router: 1,
        double: false,
    }))
}

impl BuildNetwork for TwistedTorus {
    fn build(&self, _: &Context) -> Result<Network> {
        let dims = self.dims.clone();
        let short = dims.iter().copied().min().unwrap_or(CUBE);
        let spec = format!("tpu:{},twisted=true", by_x(&dims));
        let wrap = dims.iter().map(|extent| *extent != short).collect();
        let lattice = Lattice::with_router_cells(dims.clone(), wrap);
        let cells = lattice.clone();
        let chips: u32 = dims.iter().product();
        let network = Network::new(spec, chips, 1, move |visit| {
            let mut at = [0; 3];
            for chip in 0..chips {
                for axis in 0..3 {
                    cell_coordinates(chip, &dims, &mut at);
                    at[axis] += 1;
                    // Around a short dimension, half a turn along every long one.
                    if at[axis] == dims[axis] {
                        at[axis] = 0;
                        if dims[axis] == short {
                            for (x, extent) in at.iter_mut().zip(&dims) {
                                if *extent != short {
                                    *x = (*x + short) % extent;
                                }
                            }
                        }
                    }
                    visit(chip, cells.cell_at(&at), 1.0);
                }
            }
        });
        Ok(Network {
            link_count: on_request(move || 3 * u64::from(chips)),
            degrees: Some((6, 6)),
            lattice: Some(lattice),
            vertex_transitive: true,
            ..network
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::Metric;
    use crate::topology::testing::{build, check_links, check_metric, check_refused};
    use nodeorder_base::RouterId;

    #[test]
    fn slices_are_meshes_in_a_cube_and_tori_of_cubes() {
        for (slice, same) in [
            ("tpu:2x2x1", "mesh:2x2x1"),
            ("tpu:2x4x4", "mesh:2x4x4"),
            ("tpu:4x4x4", "torus:4x4x4"),
            ("tpu:8x8x16", "torus:8x8x16"),
        ] {
            let (a, b) = (
                build(slice).statistics().unwrap(),
                build(same).statistics().unwrap(),
            );
            let figures = |s: &crate::topology::Statistics| {
                (
                    s.nodes,
                    s.links,
                    s.degree_min,
                    s.degree_max,
                    s.diameter,
                    s.total_distance,
                )
            };
            assert_eq!((figures(&a), &*a.spec), (figures(&b), slice));
        }
    }

    #[test]
    fn twisted_tori_are_cubic_lattices() {
        for (k, dims) in [
            (4, "4x4x8"),
            (4, "4x8x8"),
            (8, "8x8x16"),
            (8, "16x8x16"),
            (12, "12x12x24"),
        ] {
            let machine = build(&format!("tpu:{dims},twisted=true"));
            check_links(&machine);
            check_metric(&machine);
            let s = machine.statistics().unwrap();
            assert_eq!((s.degree_min, s.degree_max, s.links), (6, 6, 3 * s.nodes));
            assert_eq!(s.diameter, 3 * k / 2, "{dims}");
            // Every chip sees the same, as `vertex_transitive` says.
            let sum = |r| {
                machine
                    .graph()
                    .unwrap()
                    .hops_from(RouterId(r))
                    .iter()
                    .sum::<u32>()
            };
            assert!(
                (1..machine.network().routers())
                    .step_by(7)
                    .all(|r| sum(r) == sum(0))
            );
            assert!(matches!(machine.metric(), Metric::Hops));
        }
        // 4x4x8, seen from one chip: going around a short dimension moves by 4 along the long one.
        let machine = build("tpu:4x4x8,twisted=true");
        let mut next = machine.graph().unwrap().neighbours(RouterId(0)).to_vec();
        next.sort_unstable();
        assert_eq!(next, [1, 7, 8, 3 * 8 + 4, 32, 3 * 32 + 4]);
    }

    /// Gain of an all-to-all where all links carry the same: regular tori are held up by their long dimensions,
    /// whose links carry the mean distance along them. Jouppi et al. measured 1.63 and 1.31.
    #[test]
    fn twisting_helps_as_much_as_published() {
        for (dims, long, measured) in [("4x4x8", 8.0, 1.63), ("4x8x8", 8.0, 1.31)] {
            let twisted = build(&format!("tpu:{dims},twisted=true"))
                .statistics()
                .unwrap();
            let chips = twisted.nodes as f64;
            let regular_load = chips * long / 8.0;
            let twisted_load = 2.0 * twisted.total_distance as f64 / (6.0 * chips);
            let gain = regular_load / twisted_load;
            assert!(
                (measured..1.08 * measured).contains(&gain),
                "{dims}: {gain}"
            );
        }
    }

    #[test]
    fn wrong_shapes_are_named() {
        check_refused(&[
            ("tpu:4x4", "three extents"),
            ("tpu:4x4x6", "multiples of 4"),
            ("tpu:2x4x8", "multiples of 4"),
            ("tpu:4x4x4,twisted=true", "k x k x 2k"),
            ("tpu:4x4x12,twisted=true", "k x k x 2k"),
            ("tpu:2x2x4,twisted=true", "k a multiple of 4"),
            ("tpu", "no `dims`"),
        ]);
    }
}
