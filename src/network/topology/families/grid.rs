//! Meshes, tori and grids with some dimensions wrapped.
//!
//! # Drawing
//! ```text
//! mesh:2x3      torus:2x3 (the rows close to rings)
//! 0 - 1 - 2     ,-----------,
//! |   |   |     0 - 1 - 2 --'
//! 3 - 4 - 5     …
//! ```

use crate::topology::bisection::CutBounds;
use crate::topology::context::Context;
use crate::topology::distance::{Axis, Metric, Product, Shape};
use crate::topology::family::{
    BuildNetwork, PER_ROUTER, TopologyEntry, by_x, nodes_option, per_router, per_router_suffix,
};
use crate::topology::lattice::Lattice;
use crate::topology::network::{Cables, Network, on_request};
use crate::topology::sizes::multiply_sizes;
use nodeorder_base::params::Value;
use nodeorder_base::{Opt, Params, Result};

/// Entry of `mesh:8x8x5`.
pub const MESH: TopologyEntry = TopologyEntry {
    name: "mesh",
    about: "grid of any number of dimensions, no wrap",
    example: "mesh:8x8x5",
    options: &[DIMS, PER_ROUTER, NODES],
    parse: |params, _| parse_options(params, WrapRule::None),
};

/// Entry of `torus:15x6x16,per_router=2`.
pub const TORUS: TopologyEntry = TopologyEntry {
    name: "torus",
    about: "grid with every dimension wrapped",
    example: "torus:15x6x16,per_router=2",
    options: &[
        DIMS,
        PER_ROUTER,
        WRAP.default_in_words("every dimension"),
        DOUBLE,
        NODES,
    ],
    parse: |params, _| parse_options(params, WrapRule::All),
};

/// Entry of `grid:8x8x5,wrap=110`.
pub const GRID: TopologyEntry = TopologyEntry {
    name: "grid",
    about: "grid with the dimensions named by wrap=110 wrapped",
    example: "grid:8x8x5,wrap=110",
    options: &[DIMS, PER_ROUTER, WRAP, DOUBLE, NODES],
    parse: |params, _| parse_options(params, WrapRule::Given),
};

const DIMS: Opt = Opt::extents("dims", "routers along each dimension").positional();

const NODES: Opt = nodes_option(
    "chooses dims: nearly cubic, three extents or as many as wrap has; a torus costs at \
     most 1.1 times the cheapest shape",
);

const WRAP: Opt = Opt::text("wrap", "which dimensions wrap, a digit each, as in 110");

const DOUBLE: Opt = Opt::flag(
    "double",
    "the link of a wrapped pair of routers counts as two",
);

/// Dimensions that wrap, by the name of the family.
#[derive(Clone, Copy, PartialEq)]
enum WrapRule {
    None,
    All,
    /// The dimensions that `wrap=` names.
    Given,
}

/// Options of a grid of routers: a mesh, torus or mixed grid, or another family that is numbered as one.
pub(super) struct GridOptions {
    /// Name of the family in the specification.
    pub kind: &'static str,
    pub product: Product,
    pub per_router: u32,
    /// Whether the link of a wrapped pair of routers has the capacity of two.
    pub double: bool,
}

impl BuildNetwork for GridOptions {
    fn build(&self, _: &Context) -> Result<Network> {
        let product = self.product.clone();
        Ok(grid_network(
            self.kind,
            product,
            self.per_router,
            self.double,
        ))
    }
}

/// Reads the options of a mesh, torus or mixed grid, of which `wrap` says the dimensions that wrap.
fn parse_options(params: &Params, wrap: WrapRule) -> Result<Box<dyn BuildNetwork>> {
    let dims = params.required_extents("dims", "the extents, as in 8x8x5")?;
    multiply_sizes(&params.location_of("dims"), dims.iter().copied())?;
    let wrapped = match wrap {
        WrapRule::None => vec![false; dims.len()],
        // `wrap` may also stand beside kind = "torus": a torus with some dimensions open.
        WrapRule::All if params.located_value("wrap").is_none() => vec![true; dims.len()],
        _ => parse_wrap(params, dims.len())?,
    };
    // One network has one name, whichever family it was asked of.
    let kind = match wrapped.iter().filter(|wrap| **wrap).count() {
        0 => "mesh",
        all if all == wrapped.len() => "torus",
        _ => "grid",
    };
    let axes = dims.into_iter().zip(wrapped).map(|(extent, wrap)| Axis {
        extent,
        shape: if wrap { Shape::Ring } else { Shape::Path },
    });
    let axes = axes.collect();
    Ok(Box::new(GridOptions {
        kind,
        product: Product { axes },
        per_router: per_router(params)?,
        double: wrap != WrapRule::None && params.is_set("double")?,
    }))
}

/// Checks whether the links along an axis count as two: in a ring of two, where both ways round are wanted.
fn is_doubled(axis: &Axis, double: bool) -> bool {
    double && axis.shape == Shape::Ring && axis.extent == 2
}

/// Creates a grid of routers, row-major, the last dimension fastest. Distance: Σ |dx|, or min(|dx|, n-|dx|) where
/// the dimension wraps. A wrapped dimension of extent 2 has one link between its two routers;
/// `double=true` gives that link the capacity of two.
pub(super) fn grid_network(kind: &str, product: Product, per_router: u32, double: bool) -> Network {
    let extents: Vec<u32> = product.axes.iter().map(|a| a.extent).collect();
    let wraps: Vec<bool> = product
        .axes
        .iter()
        .map(|a| a.shape == Shape::Ring)
        .collect();
    let mut spec = format!("{kind}:{}", by_x(&extents));
    if kind == "grid" {
        let digits: String = wraps.iter().map(|w| if *w { '1' } else { '0' }).collect();
        spec += &format!(",wrap={digits}");
    }
    spec += &per_router_suffix(per_router);
    if double {
        spec += ",double=true";
    }
    // Routers along a doubled axis have one cable more, and every line one link of two cables.
    let doubled = product.axes.iter().filter(|a| is_doubled(a, double));
    let doubled = doubled.count() as u32;
    let (fewest, most) = product.degree_range();
    let cables = Cables {
        all: product.count_links() + u64::from(doubled) * product.count_routers() / 2,
        fewest_and_most_at_hosts: (fewest + doubled, most + doubled),
        most: most + doubled,
    };
    let routers = product.count_routers() as u32;
    let links = product.count_links();
    let bounded = product.clone();
    let visited = product.clone();
    let network = Network::new(spec, routers, per_router, move |visit| {
        visited.for_each_link(&mut |u, v, axis| {
            let capacity = if is_doubled(&axis, double) { 2.0 } else { 1.0 };
            visit(u, v, capacity);
        });
    });
    Network {
        link_count: on_request(move || links),
        degrees: Some((fewest, most)),
        cables: Some(cables),
        lattice: Some(Lattice::with_router_cells(extents, wraps)),
        cut_bounds: on_request(move || CutBounds::for_product(&bounded, double)),
        // The ends of a path differ from its middle.
        vertex_transitive: product
            .axes
            .iter()
            .all(|a| a.shape != Shape::Path || a.extent == 1),
        metric: Metric::Product(product),
        ..network
    }
}

/// Reads whether each dimension wraps: `wrap=110` or `wrap = [true, true, false]`.
fn parse_wrap(params: &Params, dimensions: usize) -> Result<Vec<bool>> {
    let expected =
        format!("wrap of {dimensions} dimensions, as in wrap=110 or [true, true, false]");
    let wraps: Option<Vec<bool>> = match params.located_value("wrap") {
        Some((Value::Word(w), _)) => w
            .chars()
            .map(|c| matches!(c, '0' | '1').then_some(c == '1'))
            .collect(),
        Some((Value::List(items), _)) => items
            .iter()
            .map(|(item, _)| match item {
                Value::Boolean(wrap) => Some(*wrap),
                _ => None,
            })
            .collect(),
        _ => None,
    };
    match wraps {
        Some(wraps) if wraps.len() == dimensions => Ok(wraps),
        _ => Err(params.invalid_value("wrap", expected)),
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::testing::{build, check_refused};

    #[test]
    fn hector_and_the_five_dimensional_torus() {
        let hector = build("torus:15x6x16,per_router=2,limit=2816")
            .statistics()
            .unwrap();
        assert_eq!(
            (hector.nodes, hector.routers, hector.diameter),
            (2816, 1440, 18)
        );
        assert_eq!(
            (hector.links, hector.degree_min, hector.degree_max),
            (3 * 1440, 6, 6)
        );
        assert_eq!(build("torus:11x8x4x4x2").statistics().unwrap().diameter, 14);
    }

    #[test]
    fn a_ring_of_two_has_one_link() {
        let pair = build("torus:4x2").statistics().unwrap();
        assert_eq!((pair.links, pair.degree_max), (8 + 4, 3));
        assert_eq!(
            build("torus:4x2,double=true").graph().unwrap().link_count(),
            12
        );
    }

    #[test]
    fn a_huge_grid_costs_nothing_until_asked() {
        let huge = build("torus:1290x1290x1290");
        let s = huge.statistics().unwrap();
        assert_eq!((s.nodes, s.diameter), (1290 * 1290 * 1290, 3 * 645));
        assert!(huge.graph().is_err());
    }

    #[test]
    fn specifications_come_back_as_written() {
        for spec in [
            "mesh:8x8x5",
            "torus:4x4,per_router=2,limit=30",
            "grid:3x4,wrap=01",
        ] {
            assert_eq!(build(spec).spec(), spec);
        }
        let (open, ring) = (build("grid:3x4,wrap=00"), build("torus:3x4,exclude=0-1+5"));
        assert_eq!(
            (open.spec(), ring.spec()),
            ("mesh:3x4", "torus:3x4,exclude=0-1+5")
        );
        assert_eq!(ring.node_count(), 9);
    }

    #[test]
    fn wrong_extents_are_named() {
        check_refused(&[
            ("torus:8x0x5", "dims[1] = 0"),
            ("torus:8xx5", "dims[1] = "),
            ("mesh:99999x99999x99999", "1 to 2147483648 nodes"),
            ("grid:8x8", "no `wrap`"),
            ("grid:8x8,wrap=1", "wrap of 2 dimensions"),
            ("torus:4x4,limit=17", "from 1 to 16"),
            ("torus:4x4,exclude=3-99", "within 0-15"),
        ]);
    }
}
