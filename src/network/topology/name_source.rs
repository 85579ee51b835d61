//! Names of nodes: by a pattern, or a table that a file or an option gives.

use std::collections::{BTreeMap, HashSet};

use super::context::Context;
use super::import::host_list;
use super::lattice::Lattice;
use super::machine_options::{MachineOptions, NAMES_FORMS, NamePattern, NameSource};
use super::source_file::read;
use nodeorder_base::params::Written;
use nodeorder_base::{NodeId, Result, Text};

/// Names of a machine's nodes.
#[derive(Clone, Debug)]
pub enum NameTable {
    Pattern(NamePattern),
    /// One name a slot; empty where the source names none.
    Table(Vec<String>),
}

impl NameTable {
    /// Reads the names that the option `names` gives: a pattern such as `nid{:05}`, or a CSV file
    /// `node,name[,coordinates…]`, whose integer coordinates, if every node has them, make a [`Lattice`].
    pub fn read_node_names(
        options: &MachineOptions,
        slots: u32,
        context: &Context,
    ) -> Result<(Self, Option<Lattice>)> {
        let Some(option) = &options.names else {
            let pattern = NamePattern {
                before: "n".into(),
                width: (slots - 1).to_string().len(),
                ..NamePattern::default()
            };
            return Ok((NameTable::Pattern(pattern), None));
        };
        match &option.source {
            NameSource::Pattern(pattern) => Ok((NameTable::Pattern(pattern.clone()), None)),
            NameSource::Ranges { fields, after } => {
                context.require_memory("the names of the nodes", 96 * u64::from(slots))?;
                // Slots after `limit` need no names.
                let nodes = options.count_kept(slots)?;
                let names = expand_ranges(fields, after, slots, nodes, &option.written)?;
                Ok((names, None))
            }
            NameSource::File(path) => read_names(&read(path, context)?, slots, context),
        }
    }

    /// Looks up the name of a node; `n` and its id if the table leaves it out.
    pub fn name_of_node(&self, node: NodeId) -> String {
        match self {
            NameTable::Pattern(pattern) => pattern.name_of_node(node),
            NameTable::Table(names) => match names.get(node.index()) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("n{}", node.0),
            },
        }
    }
}

/// Makes a name for each node up to the machine's last, of fields of which the last runs fastest; further names stay
/// unused. Fails if a field is no list, a name comes twice, or there are fewer names than `nodes`.
fn expand_ranges(
    fields: &[(String, String)],
    after: &str,
    slots: u32,
    nodes: u32,
    written: &Written,
) -> Result<NameTable> {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    let mut count = 1u64;
    for (before, list) in fields {
        let Some(numbers) = host_list::numbers(list, slots) else {
            return Err(written.invalid_value(NAMES_FORMS));
        };
        count = count.saturating_mul(numbers.len() as u64);
        parts.push((before, numbers));
    }
    if count < u64::from(nodes) {
        let expected = format!("a name for each of {nodes} nodes; this pattern has {count}");
        return Err(written.invalid_value(expected));
    }
    let mut names = Vec::with_capacity(nodes as usize);
    let mut seen = HashSet::new();
    for node in 0..u64::from(slots).min(count) {
        // The digits of `node` in a number system whose bases are the lengths of the lists.
        let mut name = after.to_string();
        let mut rest = node as usize;
        for (before, numbers) in parts.iter().rev() {
            name = format!("{before}{}{name}", numbers[rest % numbers.len()]);
            rest /= numbers.len();
        }
        // Fields with nothing between them can give the same name twice, as 1 and 11 beside 11 and 1 do.
        if !seen.insert(name.clone()) {
            return Err(written.invalid_value(format!("each name once; `{name}` comes twice")));
        }
        names.push(name);
    }
    names.resize(slots as usize, String::new());
    Ok(NameTable::Table(names))
}

/// Reads `node,name[,coordinates…]`, with or without a header line.
fn read_names(text: &Text, slots: u32, context: &Context) -> Result<(NameTable, Option<Lattice>)> {
    context.require_memory("the names of the nodes", 96 * u64::from(slots))?;
    let mut names = vec![String::new(); slots as usize];
    let mut coordinates: Vec<Option<Vec<u32>>> = vec![None; slots as usize];
    let mut seen = BTreeMap::new();
    let mut axes = Vec::new();
    let mut width = None;
    for (i, line) in text.data_lines().enumerate() {
        let fields = line.split_csv()?;
        if i == 0 && fields[0].parse::<u32>().is_err() {
            axes = fields.iter().skip(2).map(|s| s.to_string()).collect();
            continue;
        }
        if fields.len() < 2 || fields[1].is_empty() {
            return Err(line.whole_error("node,name[,coordinates…]"));
        }
        let node = fields[0].parse().ok().filter(|n: &u32| *n < slots);
        let Some(node) = node else {
            let expected = format!("a node id from 0 to {}", slots - 1);
            return Err(line.error_here(format!("node `{}`", fields[0]), expected));
        };
        if !names[node as usize].is_empty() {
            return Err(line.error_here(format!("node {node} again"), "each node once"));
        }
        if let Some((other, _)) = seen.insert(fields[1].to_string(), (node, line.number)) {
            let found = format!("name `{}` again (node {other} has it)", fields[1]);
            return Err(line.error_here(found, "each name once"));
        }
        let columns = *width.get_or_insert(fields.len());
        if columns != fields.len() {
            let expected = format!("{columns} columns as before");
            return Err(line.error_here(format!("{} columns", fields.len()), expected));
        }
        names[node as usize] = fields[1].to_string();
        // Coordinates serve where they are whole numbers; other columns (rack labels) are left alone.
        let position: Option<Vec<u32>> = fields[2..].iter().map(|x| x.parse().ok()).collect();
        coordinates[node as usize] = position.filter(|p| !p.is_empty());
    }
    // A node that the file leaves out is called `n` and its id, which must not be the name of another.
    let mut clashes = Vec::new();
    for (name, (_, line)) in &seen {
        if let Some(id) = unnamed_node(&names, name) {
            clashes.push((*line, name, id));
        }
    }
    if let Some((line, name, id)) = clashes.into_iter().min() {
        let found = format!("name `{name}`, which node {id} has where the file names it not");
        return Err(text.error_at(line, found, "another name, or one for both"));
    }
    Ok((NameTable::Table(names), build_lattice(coordinates, axes)))
}

/// Finds the node without a name that `name` stands for, as `n7` for node 7.
fn unnamed_node(names: &[String], name: &str) -> Option<u32> {
    let id: u32 = name.strip_prefix('n')?.parse().ok()?;
    let is_unnamed = names.get(id as usize)?.is_empty();
    (is_unnamed && name == format!("n{id}")).then_some(id)
}

/// Builds the smallest box of cells that holds all coordinates; `None` if a node has none, or the box has more than 64
/// cells a node (which would be a table of mostly nothing).
fn build_lattice(coordinates: Vec<Option<Vec<u32>>>, axes: Vec<String>) -> Option<Lattice> {
    let coordinates: Vec<Vec<u32>> = coordinates.into_iter().collect::<Option<_>>()?;
    let dimensions = coordinates.first()?.len();
    let mut low = vec![u32::MAX; dimensions];
    let mut high = vec![0; dimensions];
    for position in &coordinates {
        for (i, x) in position.iter().enumerate() {
            low[i] = low[i].min(*x);
            high[i] = high[i].max(*x);
        }
    }
    let mut extents: Vec<u32> = Vec::new();
    let mut cell_count = 1u64;
    for (low, high) in low.iter().zip(&high) {
        let extent = (high - low).saturating_add(1);
        cell_count = cell_count.checked_mul(u64::from(extent))?;
        extents.push(extent);
    }
    // A small file may be sparse: it costs nothing.
    if cell_count > 64 * coordinates.len() as u64 + 4096 {
        return None;
    }
    let mut lattice = Lattice::with_router_cells(extents, vec![false; dimensions]);
    if axes.len() == dimensions {
        lattice.axes = axes;
    }
    let mut cells = Vec::with_capacity(coordinates.len());
    for mut position in coordinates {
        for (x, low) in position.iter_mut().zip(&low) {
            *x -= low;
        }
        cells.push(lattice.cell_at(&position));
    }
    lattice.cells = Some(cells);
    Some(lattice)
}
