//! Where the names of nodes come from: patterns, and files of names.

use std::collections::HashSet;
use std::path::PathBuf;

use super::context::Context;
use super::import::host_list;
use super::lattice::Lattice;
use super::machine_options::MachineOptions;
use super::source_file::read;
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::ids::NodeId;
use nodeorder_base::input::Text;
use nodeorder_base::params::{Params, Written};

/// Node names.
#[derive(Clone, Debug)]
pub(super) enum Names {
    /// Text before and after the id plus `offset`, which is padded with zeros to `width`.
    Pattern {
        before: String,
        width: usize,
        offset: u64,
        after: String,
    },
    /// One name a slot; empty where the source names none.
    Table(Vec<String>),
}

impl Names {
    /// Returns the names that the option `names` gives: of a pattern such as `nid{:05}`, or of a CSV file
    /// `node,name[,coordinates…]`, whose integer coordinates, if every schedulable node has them, make a [`Lattice`].
    pub(super) fn read(
        options: &MachineOptions,
        slots: u32,
        context: &Context,
    ) -> Result<(Self, Option<Lattice>)> {
        let Some(option) = &options.names else {
            let width = (slots - 1).to_string().len();
            return Ok((Names::numbered("n", width, 0, ""), None));
        };
        match &option.source {
            NameSource::Numbered {
                before,
                width,
                offset,
                after,
            } => Ok((Names::numbered(before, *width, *offset, after), None)),
            NameSource::Ranges { fields, after } => {
                context.require("the names of the nodes", 96 * u64::from(slots))?;
                // Slots after `limit` need no names.
                let nodes = options.count_kept(slots)?;
                let names = expand_ranges(fields, after, slots, nodes, &option.written)?;
                Ok((names, None))
            }
            NameSource::File(path) => read_names(&read(path, context)?, slots, context),
        }
    }

    fn numbered(before: &str, width: usize, offset: u64, after: &str) -> Self {
        Names::Pattern {
            before: before.into(),
            width,
            offset,
            after: after.into(),
        }
    }

    pub(super) fn name(&self, node: NodeId) -> String {
        match self {
            Names::Pattern {
                before,
                width,
                offset,
                after,
            } => {
                format!("{before}{:0width$}{after}", u64::from(node.0) + offset)
            }
            Names::Table(names) => match names.get(node.index()) {
                Some(name) if !name.is_empty() => name.clone(),
                _ => format!("n{}", node.0),
            },
        }
    }
}

/// The forms of `names`.
const EXPECTED: &str = "one `{}`, `{:0W}` or `{:0W+N}` for the id, fields of ranges as in x{4000-4007}c{0-7}, or a .csv file of node,name[,coordinates…]";

/// Most that an offset adds to ids.
const MOST_OFFSET: u64 = 1 << 53;

/// The option `names`.
pub(super) struct NamesOption {
    source: NameSource,
    written: Written,
}

enum NameSource {
    /// As [`Names::Pattern`].
    Numbered {
        before: String,
        width: usize,
        offset: u64,
        after: String,
    },
    /// Texts, each before a list of numbers; the last list runs fastest.
    Ranges {
        fields: Vec<(String, String)>,
        after: String,
    },
    File(PathBuf),
}

impl NamesOption {
    /// Reads the option `names`; `None` if it is not given.
    pub fn parse(params: &Params) -> Result<Option<Self>> {
        let Some(text) = params.word("names")? else {
            return Ok(None);
        };
        let is_table = text.ends_with(".csv") || text.ends_with(".csv.gz");
        let source = if text.contains('{') {
            parse_pattern(&text)
        } else if is_table {
            params.path("names")?.map(NameSource::File)
        } else {
            None
        };
        let written = params.written("names");
        match source {
            Some(source) => Ok(Some(NamesOption { source, written })),
            None => Err(written.wrong(EXPECTED)),
        }
    }
}

/// Reads a text with one field for the id, or with fields of ranges; `None` if it is of another form.
fn parse_pattern(text: &str) -> Option<NameSource> {
    let mut fields = Vec::new();
    let mut after = text;
    while let Some((before, rest)) = after.split_once('{') {
        let (field, rest) = rest.split_once('}')?;
        fields.push((before.to_string(), field.to_string()));
        after = rest;
    }
    if after.contains('}') || fields.iter().any(|(before, _)| before.contains('}')) {
        return None;
    }
    let after = after.to_string();
    if let [(before, field)] = fields.as_slice()
        && (field.is_empty() || field.starts_with([':', '+']))
    {
        let (width, offset) = id_field(field)?;
        return Some(NameSource::Numbered {
            before: before.clone(),
            width,
            offset,
            after,
        });
    }
    Some(NameSource::Ranges { fields, after })
}

/// Returns a name for each node up to the machine's last, of fields of which the last runs fastest; further names stay
/// unused. Fails if a field is no list, a name comes twice, or there are fewer names than `nodes`.
fn expand_ranges(
    fields: &[(String, String)],
    after: &str,
    slots: u32,
    nodes: u32,
    written: &Written,
) -> Result<Names> {
    let mut parts: Vec<(&str, Vec<String>)> = Vec::new();
    for (before, list) in fields {
        let Some(numbers) = host_list::numbers(list, slots) else {
            return Err(written.wrong(EXPECTED));
        };
        parts.push((before, numbers));
    }
    let count = parts.iter().fold(1u64, |all, (_, numbers)| {
        all.saturating_mul(numbers.len() as u64)
    });
    if count < u64::from(nodes) {
        let expected = format!("a name for each of {nodes} nodes; this pattern has {count}");
        return Err(written.wrong(expected));
    }
    let mut names = Vec::with_capacity(nodes as usize);
    let mut seen = HashSet::new();
    for node in 0..u64::from(slots).min(count) {
        let mut name = after.to_string();
        let mut rest = node as usize;
        for (before, numbers) in parts.iter().rev() {
            name = format!("{before}{}{name}", numbers[rest % numbers.len()]);
            rest /= numbers.len();
        }
        if !seen.insert(name.clone()) {
            return Err(written.wrong(format!("each name once; `{name}` comes twice")));
        }
        names.push(name);
    }
    names.resize(slots as usize, String::new());
    Ok(Names::Table(names))
}

/// Width and offset of a field for the id: ``, `:05`, `:05+1000` or `+1000`.
fn id_field(field: &str) -> Option<(usize, u64)> {
    let (width, offset) = field.split_once('+').unwrap_or((field, "0"));
    let width = match width {
        "" => 0,
        width => width
            .strip_prefix(":0")?
            .parse()
            .ok()
            .filter(|width| *width <= 20)?,
    };
    let digits = offset.bytes().all(|b| b.is_ascii_digit());
    Some((
        width,
        offset
            .parse()
            .ok()
            .filter(|offset| digits && *offset <= MOST_OFFSET)?,
    ))
}

/// Reads `node,name[,coordinates…]`, with or without a header line.
fn read_names(text: &Text, slots: u32, context: &Context) -> Result<(Names, Option<Lattice>)> {
    context.require("the names of the nodes", 96 * u64::from(slots))?;
    let mut names = vec![String::new(); slots as usize];
    let mut coordinates: Vec<Option<Vec<u32>>> = vec![None; slots as usize];
    let mut seen = std::collections::BTreeMap::new();
    let mut axes = Vec::new();
    let mut width = None;
    let mut first = true;
    for line in text.data_lines() {
        let fields = line.fields()?;
        if std::mem::take(&mut first) && fields[0].parse::<u32>().is_err() {
            axes = fields.iter().skip(2).map(|s| s.to_string()).collect();
            continue;
        }
        let wrong = |found: String, expected: &str| Error::input(line.location(), found, expected);
        if fields.len() < 2 || fields[1].is_empty() {
            return Err(wrong(
                format!("`{}`", line.text),
                "node,name[,coordinates…]",
            ));
        }
        let node = fields[0]
            .parse::<u32>()
            .ok()
            .filter(|n| *n < slots)
            .ok_or_else(|| {
                wrong(
                    format!("node `{}`", fields[0]),
                    &format!("a node id from 0 to {}", slots - 1),
                )
            })?;
        if !names[node as usize].is_empty() {
            return Err(wrong(format!("node {node} again"), "each node once"));
        }
        if let Some((other, _)) = seen.insert(fields[1].to_string(), (node, line.number)) {
            let found = format!("name `{}` again (node {other} has it)", fields[1]);
            return Err(wrong(found, "each name once"));
        }
        if *width.get_or_insert(fields.len()) != fields.len() {
            let expected = format!("{} columns as before", width.unwrap_or(0));
            return Err(wrong(format!("{} columns", fields.len()), &expected));
        }
        names[node as usize] = fields[1].to_string();
        // Coordinates serve where they are whole numbers; other columns (rack labels) are left alone.
        let position: Option<Vec<u32>> = fields[2..].iter().map(|x| x.parse().ok()).collect();
        coordinates[node as usize] = position.filter(|p| !p.is_empty());
    }
    // A node that the file leaves out is called `n` and its id.
    let stands_for = |name: &str| -> Option<u32> {
        let id = name.strip_prefix('n')?.parse().ok()?;
        (names.get(id as usize)?.is_empty() && name == format!("n{id}")).then_some(id)
    };
    let mixed = seen
        .iter()
        .filter_map(|(name, (_, line))| Some((*line, name, stands_for(name)?)));
    if let Some((line, name, id)) = mixed.min() {
        let found = format!("name `{name}`, which node {id} has where the file names it not");
        return Err(Error::input(
            SourceLocation::line(text.name(), line),
            found,
            "another name, or one for both",
        ));
    }
    Ok((Names::Table(names), lattice_from(coordinates, axes)))
}

/// The smallest box of cells that holds all coordinates, if every node has them and it is not absurdly
/// sparse.
fn lattice_from(coordinates: Vec<Option<Vec<u32>>>, axes: Vec<String>) -> Option<Lattice> {
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
    let extents: Vec<u32> = low
        .iter()
        .zip(&high)
        .map(|(l, h)| (h - l).saturating_add(1))
        .collect();
    let cells = extents
        .iter()
        .try_fold(1u64, |all, n| all.checked_mul(u64::from(*n)))?;
    if cells > 64 * coordinates.len() as u64 + 4096 {
        return None;
    }
    let mut lattice = Lattice::of_routers(extents, vec![false; dimensions]);
    if axes.len() == dimensions {
        lattice.axes = axes;
    }
    let shift = |p: &Vec<u32>| p.iter().zip(&low).map(|(x, l)| x - l).collect::<Vec<_>>();
    lattice.cells = Some(
        coordinates
            .iter()
            .map(|p| lattice.cell(&shift(p)))
            .collect(),
    );
    Some(lattice)
}
