//! Hierarchical orders: all of one unit of the machine before the next, or dealt out over the units.
//!
//! Of two units with routers a b and c d the orders are `a b c d`, and with `scatter=true` `a c b d`. Of two units with
//! nodes 0 1 2 and 3 4 5, `scatter=2` is `0 1 3 4 2 5`.

use super::axes::{AXES, AxisOptions, LatticeView, REVERSE};
use super::brick::{Bricks, parse_size};
use crate::ordering::entry::{Method, Needs, OrderNodes, OrderedNodes, OrderingEntry};
use nodeorder_base::{NodeId, Observer, Opt, Params, Result};
use nodeorder_network::Topology;
use nodeorder_network::topology::Level;

/// `hierarchical[:scatter=true,chunk=chassis]`, `hierarchical:scatter=16[,level=group]` or, on coordinates,
/// `hierarchical:block=3x6x8[,axes=zxy]`.
///
/// Group → chassis → blade → node on dragonflies, pod → leaf → host on trees: units of each level in turn,
/// all of one before the next. Families and imported fabrics number their routers so; on them the order is that of
/// the node ids.
///
/// `block` makes the units of a machine that has coordinates and no levels (racks on a torus): boxes of the given
/// numbers of cells along the topology's own axes, row-major, clipped at the far edges, row-major inside; `axes` and
/// `reverse` turn both.
///
/// `scatter=true` is the opposite extreme, as sites use it to spread load over global links: one chunk of
/// each outermost unit in turn, units that are used up passed over. `chunk` says what is dealt at a time: a
/// router's nodes (default) or a unit of a named level, kept whole.
///
/// `scatter=K` is between the two: K consecutive nodes of each unit of a level in turn (the outermost unless `level`
/// names another), the last ones of a unit fewer where K does not divide it, so that jobs of up to K nodes stay in a
/// unit and larger ones spread over many. O(nodes). Errors: coordinates without levels and no `block`; an unknown
/// `chunk` or `level`; a K that no unit has nodes for.
pub const HIERARCHICAL: OrderingEntry = OrderingEntry::new(
    "hierarchical",
    "unit by unit: group, chassis, blade or pod, leaf; block=3x6x8 on grids; scatter=true deals out",
    &[
        AXES.only_with("block=3x6x8"),
        REVERSE.only_with("block=3x6x8"),
        Opt::text(
            "scatter",
            "true: one chunk of each outermost unit in turn; a number K: K nodes of each unit of a level in turn",
        )
        .default_value("false"),
        Opt::extents("block", "cells of a unit along each axis, on grids")
            .default_in_words("the levels of the machine"),
        Opt::text(
            "chunk",
            "what is dealt at a time with scatter: router or the name of a level",
        )
        .default_value("router")
        .only_with("scatter=true"),
        Opt::text(
            "level",
            "whose units take turns with scatter=K: router or the name of a level",
        )
        .default_in_words("the outermost level")
        .only_with("scatter=2"),
    ],
    Method::new(Needs::Levels, parse_options),
);

/// Chunks of a unit, which `scatter` deals out.
type UnitChunks = Vec<Vec<NodeId>>;

/// Number of nodes that a unit gives at each of its turns.
#[derive(Clone, Copy, PartialEq)]
enum Scatter {
    /// All nodes of a unit at once.
    Never,
    /// The nodes of one chunk.
    Chunks,
    /// This number of nodes.
    Nodes(usize),
}

/// Options on a machine that has levels.
struct Hierarchical {
    scatter: Scatter,
    /// Level whose units take turns.
    level: Level,
    /// Level whose units are dealt.
    chunk: Level,
}

/// Options of blocks on a machine that has coordinates.
struct Blocks {
    axes: AxisOptions,
    /// Number of cells of a block along each axis of the view.
    size: Vec<u32>,
    scatter: Scatter,
}

/// Reads the options for levels, or for blocks where there are none. Fails if they do not suit the machine.
fn parse_options(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    let levels = topology.network().levels();
    if levels.is_empty() || params.has_key("block") {
        return parse_blocks(topology, params);
    }
    params.refuse_unread(&["axes", "reverse"])?;
    // Ids that follow each other on a router; all of a server's where its GPUs are on a router each.
    let here = match topology.network().dealt_over() {
        1 => topology.network().per_router(),
        over => over,
    };
    let outermost = levels[0].clone();
    let mut units = vec![Level::with_equal_units("router", here)];
    units.extend(levels);
    let level = find_level(params, "level", &units)?.unwrap_or(outermost);
    let chunk = find_level(params, "chunk", &units)?.unwrap_or(units.swap_remove(0));
    let slots = topology.network().slots();
    let counts =
        (0..level.unit_count(slots)).map(|unit| list_unit_nodes(topology, &level, unit).count());
    let scatter = parse_scatter(params, counts.max().unwrap_or(0))?;
    if scatter != Scatter::Never {
        topology
            .context()
            .require_memory("the units", 64 * u64::from(slots))?;
    }
    Ok(Box::new(Hierarchical {
        scatter,
        level,
        chunk,
    }))
}

/// Reads `scatter` where the largest unit has `most` nodes, and refuses the options that it does not read.
fn parse_scatter(params: &Params, most: usize) -> Result<Scatter> {
    let scatter = match params.optional_word("scatter")?.as_deref() {
        None | Some("false") => Scatter::Never,
        Some("true") => Scatter::Chunks,
        Some(text) => match text.parse() {
            Ok(nodes) if (1..=most).contains(&nodes) => Scatter::Nodes(nodes),
            _ => {
                let expected = format!(
                    "true, false or the nodes of a unit that are dealt at a time, from 1 to {most}"
                );
                return Err(params.invalid_value("scatter", expected));
            }
        },
    };
    match scatter {
        Scatter::Nodes(_) => params.refuse_unread(&["chunk"])?,
        _ => params.refuse_unread(&["level"])?,
    }
    Ok(scatter)
}

/// Finds the level that the option `key` names, where it is given.
fn find_level(params: &Params, key: &'static str, levels: &[Level]) -> Result<Option<Level>> {
    let Some(word) = params.optional_word(key)? else {
        return Ok(None);
    };
    let names: Vec<&str> = levels.iter().map(|level| &*level.name).collect();
    let name = params.find_choice(key, &word, &names)?;
    Ok(levels.iter().find(|level| level.name == name).cloned())
}

impl OrderNodes for Hierarchical {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let nodes = match self.scatter {
            Scatter::Never => topology.nodes().iter().collect(),
            scatter => deal_units(topology, &self.level, &self.chunk, scatter),
        };
        Ok(OrderedNodes::Constructed(nodes))
    }
}

/// Lists the schedulable nodes of a unit.
fn list_unit_nodes<'t>(
    topology: &'t Topology,
    level: &Level,
    unit: u32,
) -> impl Iterator<Item = NodeId> + use<'t> {
    let ids = level.node_ids_of(unit, topology.network().slots());
    ids.map(NodeId)
        .filter(|node| topology.nodes().contains(*node))
}

/// Deals out the nodes of each unit of a level, by units of an inner one or by number.
fn deal_units(topology: &Topology, level: &Level, inner: &Level, scatter: Scatter) -> Vec<NodeId> {
    let mut units = Vec::new();
    for unit in 0..level.unit_count(topology.network().slots()) {
        let mut chunks: UnitChunks = Vec::new();
        let mut last = None;
        for node in list_unit_nodes(topology, level, unit) {
            // Units of the inner level may reach over several of the outer one.
            let here = Some(inner.unit_of(node));
            match chunks.last_mut() {
                Some(chunk) if last == here => chunk.push(node),
                _ => chunks.push(vec![node]),
            }
            last = here;
        }
        units.push(chunks);
    }
    deal_chunks(units, scatter)
}

/// Reads the options of blocks. Fails if the machine has no coordinates, or the blocks do not suit it.
fn parse_blocks(topology: &Topology, params: &Params) -> Result<Box<dyn OrderNodes>> {
    if topology.lattice().is_none() {
        return Err(params.unsuited_error(
            format!(
                "{} has no coordinates, which `block` needs",
                topology.name()
            ),
            "what works here: no `block`",
        ));
    }
    let axes = AxisOptions::parse(topology, params)?;
    let view = axes.lattice_view(topology)?;
    let Some(size) = parse_size(&view, params, "block")? else {
        return Err(params.unsuited_error(
            format!(
                "{} has no levels such as groups or leaf switches",
                topology.name()
            ),
            "what works here: `block=` with the cells of a rack along each axis, as in block=3x6x8",
        ));
    };
    find_level(params, "chunk", &[Level::with_equal_units("router", 1)])?;
    params.refuse_unread(&["level"])?;
    let cells: u64 = size.iter().map(|extent| u64::from(*extent)).product();
    let scatter = parse_scatter(
        params,
        (cells * u64::from(topology.network().per_router())) as usize,
    )?;
    topology
        .context()
        .require_memory("the blocks", 96 * view.cell_count() as u64)?;
    Ok(Box::new(Blocks {
        axes,
        size,
        scatter,
    }))
}

impl OrderNodes for Blocks {
    fn order_nodes(&self, topology: &Topology, _: &dyn Observer) -> Result<OrderedNodes> {
        let view = self.axes.lattice_view(topology)?;
        let nodes = list_block_nodes(topology, &view, self.size.clone(), self.scatter);
        Ok(OrderedNodes::Constructed(nodes))
    }
}

/// Lists the nodes of blocks of `size` cells, one block after the other or dealt out.
fn list_block_nodes(
    topology: &Topology,
    view: &LatticeView<'_>,
    size: Vec<u32>,
    scatter: Scatter,
) -> Vec<NodeId> {
    let blocks = Bricks::new(&view.extents, size);
    let mut of_cell = vec![0; view.cell_count()];
    let mut cells = Vec::with_capacity(view.cell_count());
    for block in 0..blocks.len() {
        blocks.visit_cells(block, "row", |position| {
            let cell = view.cell_at(position);
            of_cell[cell as usize] = block;
            cells.push(cell);
        });
    }
    if scatter == Scatter::Never {
        return view.list_nodes(cells);
    }
    let mut units: Vec<UnitChunks> = vec![Vec::new(); blocks.len() as usize];
    let lattice_cells = topology.lattice().and_then(|l| l.cells.as_ref());
    let mut last = None;
    for node in view.list_nodes(cells) {
        let cell = lattice_cells.map_or_else(|| topology.router_of(node).0, |c| c[node.index()]);
        let unit = &mut units[of_cell[cell as usize] as usize];
        // The nodes of a cell stand together and are one chunk.
        match unit.last_mut() {
            Some(chunk) if last == Some(cell) => chunk.push(node),
            _ => unit.push(vec![node]),
        }
        last = Some(cell);
    }
    deal_chunks(units, scatter)
}

/// Deals out one chunk of each unit in turn, or with [`Scatter::Nodes`] a number of nodes of each unit in turn, until
/// all are used up.
fn deal_chunks(mut units: Vec<UnitChunks>, scatter: Scatter) -> Vec<NodeId> {
    if let Scatter::Nodes(count) = scatter {
        for unit in &mut units {
            *unit = unit
                .concat()
                .chunks(count)
                .map(<[NodeId]>::to_vec)
                .collect();
        }
    }
    let mut left: Vec<_> = units.into_iter().map(Vec::into_iter).collect();
    let mut nodes = Vec::new();
    while !left.is_empty() {
        left.retain_mut(|unit| match unit.next() {
            Some(chunk) => {
                nodes.extend(chunk);
                true
            }
            None => false,
        });
    }
    nodes
}

#[cfg(test)]
mod tests {
    use crate::ordering::NodeOrder;
    use crate::testing::{error, from_file, ids};

    #[test]
    fn leaves_of_a_forest_are_dealt_in_the_order_of_their_lines() {
        let text = "SwitchName=r1 Switches=a,c,e\nSwitchName=a Nodes=n[1-2] LinkSpeed=1\n\
                    SwitchName=b Nodes=n3\nSwitchName=c Nodes=n4 # leaf\nSwitchName=d Nodes=n[5-6]\n\
                    SwitchName=e\nSwitchName=r2 Switches=b,d\n";
        let forest = from_file("slurm-topology", text, "").unwrap();
        let order = NodeOrder::make(&forest, "hierarchical:scatter=true").unwrap();
        let dealt: Vec<String> = order.nodes().iter().map(|n| forest.node_name(*n)).collect();
        assert_eq!(dealt.join(" "), "n1 n2 n3 n4 n5 n6");
    }

    #[test]
    fn units_in_turn_are_the_ids_of_a_cascade() {
        let spec = "cascade:3x2x2,per_router=2,limit=23,exclude=4-6";
        assert_eq!(ids(spec, "hierarchical"), ids(spec, "row-major"));
        assert_eq!(
            ids(spec, "hierarchical:chunk=chassis"),
            ids(spec, "row-major")
        );
    }

    #[test]
    fn scatter_deals_chunks_over_the_groups() {
        // Two groups of two chassis of three blades of two nodes; blade 2 of the first group is gone.
        let spec = "cascade:3x2x2,per_router=2,limit=23,exclude=4-5";
        assert_eq!(
            ids(spec, "hierarchical:scatter=true"),
            [
                0, 1, 12, 13, 2, 3, 14, 15, 6, 7, 16, 17, 8, 9, 18, 19, 10, 11, 20, 21, 22
            ]
        );
        assert_eq!(
            ids(spec, "hierarchical:scatter=true,chunk=chassis"),
            [
                0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22
            ]
        );
        assert_eq!(
            ids(spec, "hierarchical:scatter=true,chunk=group"),
            ids(spec, "hierarchical")
        );
    }

    #[test]
    fn scatter_by_number_is_its_definition() {
        // Nodes of each unit in the order of ids, by hand: some lack nodes.
        let machines = [
            ("dragonfly:p=2,a=3,h=1,exclude=1-4", "", vec![2, 6, 6, 6]),
            (
                "dragonfly:p=2,a=3,h=1,exclude=1-4",
                ",level=router",
                vec![1, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2],
            ),
            ("fat-tree:k=4,limit=11", "", vec![4, 4, 3]),
            (
                "fat-tree:k=4,limit=11",
                ",level=leaf",
                vec![2, 2, 2, 2, 2, 1],
            ),
            (
                "cascade:3x2x2,per_router=2,limit=23,exclude=4-6",
                "",
                vec![9, 11],
            ),
            (
                "cascade:3x2x2,per_router=2,limit=23,exclude=4-6",
                ",level=chassis",
                vec![4, 5, 6, 5],
            ),
            (
                "multi-rail:rails=2,domains=6,units=2,spines=2,gpus=true",
                "",
                vec![12, 12],
            ),
        ];
        for (spec, level, sizes) in machines {
            let mut ids_left: std::collections::VecDeque<u32> = ids(spec, "row-major").into();
            let mut units: Vec<Vec<u32>> = Vec::new();
            for size in &sizes {
                units.push(ids_left.drain(..size).collect());
            }
            assert!(ids_left.is_empty(), "{spec}{level}: {ids_left:?}");
            let most = sizes.iter().copied().max().unwrap();
            for count in 1..=most {
                let mut left = units.clone();
                let mut dealt: Vec<u32> = Vec::new();
                while dealt.len() < sizes.iter().sum() {
                    for unit in &mut left {
                        let piece = unit.len().min(count);
                        dealt.extend(unit.drain(..piece));
                    }
                }
                let order = format!("hierarchical:scatter={count}{level}");
                assert_eq!(ids(spec, &order), dealt, "{spec} {order}");
            }
            for wrong in [0, most + 1] {
                let text = error(spec, &format!("hierarchical:scatter={wrong}{level}"));
                assert!(text.contains(&format!("from 1 to {most}")), "{text}");
            }
        }
    }

    #[test]
    fn blocks_make_racks_of_a_grid() {
        let racks = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 10, 11];
        assert_eq!(ids("torus:3x4", "hierarchical:block=2x2"), racks);
        assert_eq!(ids("torus:3x4", "brick:inner=row,outer=row"), racks);
        assert_eq!(
            ids("torus:3x4", "hierarchical:block=2x2,scatter=true"),
            [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 5, 7]
        );
        assert_eq!(
            ids("torus:3x4", "hierarchical:block=2x2,scatter=3"),
            [0, 1, 4, 2, 3, 6, 8, 9, 10, 11, 5, 7]
        );
        assert_eq!(
            ids("torus:2x4", "hierarchical:block=1x2,axes=yx"),
            [0, 1, 4, 5, 2, 3, 6, 7]
        );
        assert_eq!(
            ids("cascade:2x2x2", "hierarchical:block=2x1x2"),
            [0, 1, 4, 5, 2, 3, 6, 7]
        );
        assert_eq!(
            ids(
                "torus:1x4,per_router=2,exclude=3",
                "hierarchical:block=1x2,scatter=true"
            ),
            [0, 1, 4, 5, 2, 6, 7]
        );
    }

    #[test]
    fn errors_say_what_would_work() {
        assert!(error("torus:4x4", "hierarchical").contains("block=3x6x8"));
        assert!(error("torus:4x4", "hierarchical:blok=2x2").contains("did you mean `block`"));
        assert!(error("torus:4x4", "hierarchical:block=2").contains("2 extents"));
        assert!(error("torus:4x4", "hierarchical:block=2x2,chunk=group").contains("router"));
        let cascade = "cascade:3x2x2";
        assert!(error(cascade, "hierarchical:chunk=chasis").contains("did you mean `chassis`"));
        assert!(
            error(cascade, "hierarchical:axes=xyz").contains("one of block, chunk, level, scatter")
        );
        assert!(error(cascade, "hierarchical:scatter=2,chunk=group").contains("`chunk`"));
        assert!(error(cascade, "hierarchical:scatter=true,level=group").contains("`level`"));
        assert!(error(cascade, "hierarchical:scatter=2,level=rack").contains("chassis"));
        assert!(error("torus:4x4", "hierarchical:block=2x2,scatter=5").contains("from 1 to 4"));
    }
}
