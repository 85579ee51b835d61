//! What a page's script works on: curves, orderings and the machine, as one JSON document.
//!
//! Lists of numbers are Base64 of little-endian integers or doubles. Nothing grows without bound: curves of
//! many sizes are thinned, orderings and links beyond a budget are left out, and the document says so.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use serde::Serialize;

use super::super::File;
use crate::metric::comparison::Comparison;
use crate::ordering::NodeOrder;
use crate::plot;
use crate::topology::distance::{Metric, Shape};
use crate::topology::{Lattice, Topology};

/// Values of curves embedded, about.
const VALUES: usize = 60_000;
/// Bytes of orderings embedded at most, before Base64.
const ORDERS: usize = 1_000_000;
/// Links embedded at most, of machines whose distances only a search tells.
const LINKS: u64 = 100_000;
/// Bytes of a table embedded at most.
const TABLE: usize = 100_000;
/// Coordinates of nodes embedded at most, where they are a table.
const CELLS: usize = 100_000;

#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    mean_distance: f64,
    /// The job sizes of all curves.
    sizes: String,
    /// Whether these are all sizes.
    complete: bool,
    /// How many sizes there are.
    all_sizes: usize,
    ramp: Vec<String>,
    orderings: Vec<OrderingData<'a>>,
    floor: String,
    compact: String,
    machine: MachineData<'a>,
    tables: Vec<DistanceTable>,
}

#[derive(Serialize)]
struct OrderingData<'a> {
    label: &'a str,
    nodes: usize,
    colour: String,
    dash: &'static [f64],
    mark: &'static str,
    /// MPC at those of the sizes that the ordering reaches.
    values: String,
    /// Node ids by rank.
    order: Option<String>,
}

#[derive(Serialize)]
struct MachineData<'a> {
    places: u32,
    per_router: u32,
    hosts: u32,
    routers: u32,
    levels: Vec<(&'static str, u32)>,
    lattice: Option<GridData<'a>>,
    distance: DistanceData,
}

/// A [`Lattice`].
#[derive(Serialize)]
struct GridData<'a> {
    extents: &'a [u32],
    wrap: &'a [bool],
    axes: &'a [String],
    /// The cell of every node id, where it is not the node's router.
    cells: Option<String>,
}

/// How the script finds distances.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum DistanceData {
    /// By adding up labelled terms.
    Terms { terms: Vec<DistanceTerm> },
    /// By searching the router graph: pairs of routers.
    Links { pairs: String },
    /// Not at all.
    Unknown,
}

#[derive(Serialize)]
struct DistanceTerm {
    shape: &'static str,
    extent: u32,
    weight: u32,
    stride: u32,
    /// Number and size of the block whose routers have labels.
    block: Option<(u32, u32)>,
}

#[derive(Serialize)]
struct DistanceTable {
    name: String,
    text: String,
}

/// The document, fit to stand in a `script` element. `orders` are the comparison's, `slots` say which of them
/// an entry is; `files` are those beside the page.
pub(super) fn document(
    topology: &Topology,
    orders: &[NodeOrder],
    comparison: &Comparison,
    slots: &[usize],
    files: &[File<'_>],
) -> String {
    let largest = comparison.entries.iter().map(|e| e.nodes).max().unwrap_or(0);
    let sizes = sizes(comparison, largest);
    let at = |values: &[f64]| {
        let there = sizes.iter().filter_map(|s| values.get(*s as usize - 2));
        base64(&there.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    };
    let wide = topology.nodes().slot_count() > 1 << 16;
    let mut left = ORDERS;
    let mut order = |slot: usize| {
        let order = orders.get(slot)?;
        left = left.checked_sub(order.len() * if wide { 4 } else { 2 })?;
        Some(integers(order.nodes().iter().map(|n| n.0), wide))
    };
    let orderings = (comparison.entries.iter().zip(slots))
        .map(|(entry, slot)| {
            let look = plot::style(*slot);
            OrderingData {
                label: &entry.label,
                nodes: entry.nodes,
                colour: look.colour,
                dash: look.dash,
                mark: look.mark,
                values: at(&entry.values),
                order: order(*slot),
            }
        })
        .collect();
    let data = Data {
        name: topology.name(),
        mean_distance: comparison.topology.mean_distance,
        complete: sizes.len() + 1 == largest,
        all_sizes: largest.saturating_sub(1),
        ramp: plot::ramp(),
        orderings,
        floor: at(&comparison.floor),
        compact: at(&comparison.compact),
        machine: machine(topology),
        tables: tables(files),
        sizes: integers(sizes.iter().copied(), true),
    };
    // Plain structures with string keys: there is nothing that could fail.
    harmless(&serde_json::to_string(&data).unwrap_or_default())
}

/// JSON that can neither end its element nor be taken for one: these characters stand in strings only.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\'' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// The sizes embedded: all where they are few; else the small ones, the others evenly spread over the log axis
/// and over the plain one, and those that the page's tables name.
fn sizes(comparison: &Comparison, largest: usize) -> Vec<u32> {
    let wanted = (VALUES / comparison.entries.len().max(1)).clamp(500, 4000);
    if largest <= wanted {
        return (2..=largest as u32).collect();
    }
    let (few, rest) = (wanted / 4, wanted * 3 / 8);
    let mut sizes: Vec<usize> = (2..few).collect();
    let (from, to) = (few as f64, largest as f64);
    for i in 0..=rest {
        let share = i as f64 / rest as f64;
        sizes.push((from * (to / from).powf(share)).round() as usize);
        sizes.push((from + (to - from) * share).round() as usize);
    }
    sizes.extend(&comparison.sizes);
    sizes.extend(comparison.entries.iter().map(|e| e.nodes));
    sizes.retain(|s| (2..=largest).contains(s));
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|s| s as u32).collect()
}

fn machine(topology: &Topology) -> MachineData<'_> {
    let network = topology.network();
    let lattice = topology.lattice().filter(|lattice| {
        lattice.cell_count() <= CELLS
            && lattice.cells.as_ref().is_none_or(|cells| cells.len() <= CELLS)
    });
    MachineData {
        places: topology.nodes().slot_count(),
        per_router: network.per_router(),
        hosts: network.hosts(),
        routers: network.routers(),
        levels: network.levels().iter().map(|level| (level.name, level.routers)).collect(),
        lattice: lattice.map(boxed),
        distance: distance(topology),
    }
}

fn boxed(lattice: &Lattice) -> GridData<'_> {
    GridData {
        extents: &lattice.extents,
        wrap: &lattice.wrap,
        axes: &lattice.axes,
        cells: lattice.cells.as_ref().map(|cells| integers(cells.iter().copied(), true)),
    }
}

fn distance(topology: &Topology) -> DistanceData {
    if let Some(terms) = topology.metric().labellings() {
        let term = |labels: &crate::topology::distance::Labelling| {
            let (stride, block) = labels.digit();
            let shape = match labels.axis.shape {
                Shape::Path => "path",
                Shape::Ring => "ring",
                Shape::Clique => "clique",
            };
            DistanceTerm { shape, extent: labels.axis.extent, weight: labels.weight, stride, block }
        };
        return DistanceData::Terms { terms: terms.iter().map(term).collect() };
    }
    debug_assert!(matches!(topology.metric(), Metric::Hops));
    let network = topology.network();
    if network.link_count() > LINKS {
        return DistanceData::Unknown;
    }
    let mut pairs = Vec::new();
    network.for_each_link(&mut |u, v, _| pairs.extend([u, v]));
    DistanceData::Links { pairs: integers(pairs.into_iter(), network.routers() > 1 << 16) }
}

/// The texts of the small tables, as they are beside the page. The curves' are made by the script.
fn tables(files: &[File<'_>]) -> Vec<DistanceTable> {
    let named = |file: &&File<'_>| {
        let made = ["mpc.csv", "limits.csv"].contains(&&*file.name);
        !made && (file.name.ends_with(".csv") || file.name.ends_with(".json"))
    };
    let read = |file: &File<'_>| {
        let mut out = Bounded(Vec::new());
        file.write_to(&mut out).ok()?;
        Some(DistanceTable { name: file.name.clone(), text: String::from_utf8(out.0).ok()? })
    };
    files.iter().filter(named).filter_map(read).collect()
}

/// Takes [`TABLE`] bytes, then refuses.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > TABLE {
            return Err(std::io::Error::other("too large to embed"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Base64 of 32-bit integers, or of 16-bit ones where not `wide`.
fn integers(values: impl Iterator<Item = u32>, wide: bool) -> String {
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes()[..if wide { 4 } else { 2 }]);
    }
    base64(&bytes)
}

fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_little_endian() {
        assert_eq!(base64(&[1, 0, 2, 1]), "AQACAQ==");
        assert_eq!(integers([1, 258].into_iter(), false), base64(&[1, 0, 2, 1]));
        assert_eq!(integers([1].into_iter(), true), base64(&[1, 0, 0, 0]));
    }

    #[test]
    fn no_string_can_leave_its_element() {
        let json = serde_json::to_string("</script><!--'&\u{2028}").unwrap();
        let safe = harmless(&json);
        assert!(!safe.contains(['<', '>', '&', '\'', '\u{2028}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), "</script><!--'&\u{2028}");
    }
}
