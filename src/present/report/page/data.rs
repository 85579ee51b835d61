//! The data of a page's scripts: curves, orderings and the machine, as one JSON document.
//!
//! Lists of numbers are Base64 of little-endian integers or doubles. Nothing grows without bound: curves of
//! many sizes are thinned, orderings and links beyond a budget are left out, and the document says so.

use serde::Serialize;

use super::packed::{base64, floats, integers};
use crate::layout::{Layout, layout};
use crate::plot;
use crate::report::file::File;
use crate::report::results::ComparedOrders;
use nodeorder_base::ids::NodeId;
use nodeorder_network::topology::Topology;
use nodeorder_network::topology::distance::{Labelling, Metric};
use nodeorder_order::metric::comparison::Comparison;

/// Values of curves embedded, about.
const VALUES: usize = 60_000;
/// Bytes of orderings embedded at most, before Base64.
const ORDERS: usize = 1_000_000;
/// Links embedded at most, of machines whose distances only a search tells.
const LINKS: u64 = 100_000;
/// Bytes of a table embedded at most.
const TABLE: usize = 100_000;
/// Bytes of node names embedded at most.
const NAMES: usize = 200_000;

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
    /// The lowest MPC of the orderings at each size.
    best: String,
    floor: String,
    compact: String,
    machine: MachineData<'a>,
    tables: Vec<DistanceTable>,
}

#[derive(Serialize)]
struct OrderingData<'a> {
    label: &'a str,
    nodes: usize,
    #[serde(flatten)]
    style: plot::Style,
    /// MPC at those of the sizes that the ordering reaches.
    values: String,
    /// Node ids by rank.
    order: Option<String>,
}

#[derive(Serialize)]
struct MachineData<'a> {
    slots: u32,
    per_router: u32,
    /// Routers over which consecutive ids are dealt in turn; absent where they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    dealt_over: Option<u32>,
    routers: u32,
    names: Option<Names<'a>>,
    /// Where nodes are drawn; absent where the page has no ordering to colour them by.
    layout: Option<LayoutData>,
    distance: DistanceData,
}

/// A layout with its lists packed.
#[derive(Serialize)]
struct LayoutData {
    cells: Option<String>,
    points: String,
    links: String,
    #[serde(flatten)]
    layout: Layout,
}

impl From<Layout> for LayoutData {
    fn from(layout: Layout) -> Self {
        LayoutData {
            cells: layout
                .cells
                .as_ref()
                .map(|cells| integers(cells.iter().copied(), true)),
            points: floats(layout.points.iter().copied()),
            links: floats(layout.links.iter().copied()),
            layout,
        }
    }
}

/// Names of the nodes, where the page has room for them.
#[derive(Serialize)]
#[serde(untagged)]
enum Names<'a> {
    /// Text before the id, its width with zeros before it, and text after it.
    Pattern(&'a str, usize, &'a str),
    /// By node id.
    List(Vec<String>),
}

/// How the script finds distances.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum DistanceData {
    /// Sum of terms, each from the digits of two router numbers.
    Terms { terms: Vec<DistanceTerm> },
    /// By searching the router graph: pairs of routers.
    Links { pairs: String },
    /// Not computed by the page.
    Unknown,
}

/// A term of the distance between routers: a router has the label `router / stride % extent`, and two labels that
/// are `d` apart add the sum of `change · max(0, d - at)` over the bends.
#[derive(Serialize)]
struct DistanceTerm {
    stride: u32,
    extent: u32,
    /// Number and size of the block whose routers have labels.
    block: Option<(u32, u32)>,
    bends: Vec<(u32, i64)>,
}

impl From<&Labelling> for DistanceTerm {
    /// The distance along an axis depends only on the difference of two labels, so the bends of that function give it whole.
    fn from(labels: &Labelling) -> Self {
        let extent = labels.axis.extent;
        let slope = |d: u32| i64::from(labels.between(0, d + 1)) - i64::from(labels.between(0, d));
        let change = |d: u32| slope(d) - if d > 0 { slope(d - 1) } else { 0 };
        let all = (0..extent.saturating_sub(1)).map(|d| (d, change(d)));
        DistanceTerm {
            stride: labels.stride,
            extent,
            block: labels.block,
            bends: all.filter(|(_, c)| *c != 0).collect(),
        }
    }
}

#[derive(Serialize)]
struct DistanceTable {
    name: String,
    text: String,
}

/// Returns the JSON text for the page's `script` element. `best` is the lowest MPC at each size.
pub(super) fn document(compared: &ComparedOrders<'_>, files: &[File<'_>], best: &[f64]) -> String {
    let topology = compared.topology;
    let comparison = compared.comparison;
    let largest = comparison
        .entries
        .iter()
        .map(|e| e.nodes)
        .max()
        .unwrap_or(0);
    let sizes = sizes(comparison, largest);
    let at = |values: &[f64]| {
        let there = sizes.iter().filter_map(|s| values.get(*s as usize - 2));
        base64(&there.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
    };
    let wide = topology.nodes().slot_count() > 1 << 16;
    // A page must open at once: orderings are embedded, best first, until the budget is used up.
    let mut left = ORDERS;
    let mut order = |slot: usize| {
        let order = compared.orders.get(slot)?;
        left = left.checked_sub(order.len() * if wide { 4 } else { 2 })?;
        Some(integers(order.nodes().iter().map(|n| n.0), wide))
    };
    let orderings: Vec<OrderingData<'_>> = (comparison.entries.iter().zip(&compared.slots))
        .map(|(entry, slot)| OrderingData {
            label: &entry.label,
            nodes: entry.nodes,
            style: plot::style(*slot),
            values: at(&entry.values),
            order: order(*slot),
        })
        .collect();
    let drawn = orderings.iter().any(|ordering| ordering.order.is_some());
    let network = topology.network();
    let machine = MachineData {
        slots: topology.nodes().slot_count(),
        per_router: network.per_router(),
        dealt_over: Some(network.dealt_over()).filter(|over| *over > 1),
        routers: network.routers(),
        names: names(topology),
        layout: drawn.then(|| LayoutData::from(layout(topology))),
        distance: distance(topology),
    };
    let data = Data {
        name: topology.name(),
        mean_distance: comparison.topology.mean_distance,
        complete: sizes.len() + 1 == largest,
        all_sizes: largest.saturating_sub(1),
        ramp: plot::ramp(),
        orderings,
        floor: at(&comparison.floor),
        compact: at(&comparison.compact),
        best: at(best),
        machine,
        tables: tables(files),
        sizes: integers(sizes.iter().copied(), true),
    };
    // Plain structures with string keys: there is nothing that could fail.
    harmless(&serde_json::to_string(&data).unwrap_or_default())
}

/// JSON that can neither end its element nor be taken for one: these characters stand in strings only.
fn harmless(json: &str) -> String {
    let bad = ['<', '>', '&', '\'', '\u{2028}', '\u{2029}'];
    bad.iter().fold(json.to_string(), |json, c| {
        json.replace(*c, &format!("\\u{:04x}", u32::from(*c)))
    })
}

/// The sizes embedded: all where they are few; else the small ones, the others evenly spread over the log axis
/// and over the plain one, and those that the page's tables name.
fn sizes(comparison: &Comparison, largest: usize) -> Vec<u32> {
    // A size costs a value in every curve.
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

/// Names of all nodes; `None` where they take more than [`NAMES`] bytes.
fn names(topology: &Topology) -> Option<Names<'_>> {
    if let Some((before, width, after)) = topology.name_pattern() {
        return Some(Names::Pattern(before, width, after));
    }
    let slots = topology.nodes().slot_count();
    let mut room = NAMES;
    let mut name = |node| {
        let name = topology.node_name(NodeId(node));
        room = room.checked_sub(name.len() + 3)?;
        Some(name)
    };
    (0..slots)
        .map(&mut name)
        .collect::<Option<Vec<_>>>()
        .map(Names::List)
}

fn distance(topology: &Topology) -> DistanceData {
    if let Some(terms) = topology.metric().labellings() {
        return DistanceData::Terms {
            terms: terms.iter().map(DistanceTerm::from).collect(),
        };
    }
    debug_assert!(matches!(topology.metric(), Metric::Hops));
    let network = topology.network();
    let weighted = network.link_weights().is_some();
    if network.link_count() > LINKS || topology.components() > 1 || weighted {
        return DistanceData::Unknown;
    }
    let mut pairs = Vec::new();
    network.for_each_link(&mut |u, v, _| pairs.extend([u, v]));
    DistanceData::Links {
        pairs: integers(pairs.into_iter(), network.routers() > 1 << 16),
    }
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
        Some(DistanceTable {
            name: file.name.clone(),
            text: String::from_utf8(out.0).ok()?,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bends_give_the_distances() {
        for spec in [
            "torus:7x8x2",
            "mesh:5x4",
            "fat-tree:k=4",
            "hyperx:3x4",
            "cascade:4x3x5,global=single",
        ] {
            let topology = Topology::inline(spec, &Default::default()).unwrap();
            for labels in topology.metric().labellings().unwrap() {
                let term = DistanceTerm::from(&labels);
                for (a, b) in (0..term.extent).flat_map(|a| (0..term.extent).map(move |b| (a, b))) {
                    let d = i64::from(a.abs_diff(b));
                    let sum: i64 = term
                        .bends
                        .iter()
                        .map(|(at, c)| c * (d - i64::from(*at)).max(0))
                        .sum();
                    assert_eq!(sum, i64::from(labels.between(a, b)), "{spec}: {a}, {b}");
                }
            }
        }
    }

    #[test]
    fn no_string_can_leave_its_element() {
        let json = serde_json::to_string("</script><!--'&\u{2028}").unwrap();
        let safe = harmless(&json);
        assert!(!safe.contains(['<', '>', '&', '\'', '\u{2028}']), "{safe}");
        assert_eq!(
            serde_json::from_str::<String>(&safe).unwrap(),
            "</script><!--'&\u{2028}"
        );
    }
}
