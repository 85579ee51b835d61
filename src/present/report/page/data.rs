//! The data of a page's scripts: curves, orderings and the machine, as one JSON document.
//!
//! Lists of numbers are Base64 of little-endian integers or doubles. Nothing grows without bound: curves of
//! many sizes are thinned, orderings and links beyond a budget are left out, and the document says so.

use serde::Serialize;

use super::packed::{encode_base64, pack_floats, pack_integers};
use crate::layout::{Layout, lay_out_page};
use crate::plot;
use crate::report::file::File;
use crate::report::results::ComparedOrders;
use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_network::topology::distance::{Labelling, Metric};
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_traffic::slowdown::SlowdownComparison;

/// Number of values of curves embedded, about.
const VALUES: usize = 60_000;
/// Most bytes of orderings embedded, before Base64.
const ORDERS: usize = 1_000_000;
/// Most links embedded, of machines whose distances only a search tells.
const LINKS: u64 = 100_000;
/// Most bytes of a table embedded.
const TABLE: usize = 100_000;
/// Most bytes of node names embedded.
const NAMES: usize = 200_000;

/// The document that the scripts read.
#[derive(Serialize)]
struct PageData<'a> {
    name: &'a str,
    mean_distance: f64,
    /// Job sizes of all curves.
    sizes: String,
    /// Whether `sizes` are all sizes.
    complete: bool,
    /// Number of all sizes.
    all_sizes: usize,
    /// Colours from the first rank to the last.
    ramp: Vec<String>,
    orderings: Vec<OrderingData<'a>>,
    /// Lowest MPC of the orderings at each size.
    best: String,
    /// Proved floor of MPC at each size.
    floor: String,
    /// Mean distance of the most compact sets found of each size.
    compact: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    slowdown: Option<SlowdownData<'a>>,
    machine: MachineData<'a>,
    tables: Vec<EmbeddedFile>,
}

/// An ordering with its curve.
#[derive(Serialize)]
struct OrderingData<'a> {
    label: &'a str,
    nodes: usize,
    #[serde(flatten)]
    style: plot::Style,
    /// MPC at those of the sizes that the ordering reaches.
    values: String,
    /// Node ids by rank; absent where the page has no room for them.
    order: Option<String>,
}

/// Slowdowns by duty, for each guest.
#[derive(Serialize)]
struct SlowdownData<'a> {
    /// Share of the time in which the other jobs send, at first.
    duty: f64,
    guests: Vec<GuestData<'a>>,
}

/// A guest with a curve for each ordering.
#[derive(Serialize)]
struct GuestData<'a> {
    name: &'a str,
    curves: Vec<GuestCurveData>,
}

/// Mean distances and, for each of the duties 0, 0.1, … 1, slowdowns by job size; four decimals.
#[derive(Default, Serialize)]
struct GuestCurveData {
    sizes: Vec<usize>,
    hops: Vec<f64>,
    at: Vec<Vec<f64>>,
}

/// The machine: its nodes, where they are drawn, and their distances.
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
        let cells = layout.cells.as_ref();
        LayoutData {
            cells: cells.map(|cells| pack_integers(cells.iter().copied(), true)),
            points: pack_floats(layout.points.iter().copied()),
            links: pack_floats(layout.links.iter().copied()),
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

/// Data from which the script finds distances.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum DistanceData {
    /// Sum of terms, each from the digits of two router numbers.
    Terms { terms: Vec<DistanceTerm> },
    /// Pairs of routers with a link, to be searched as a graph.
    Links { pairs: String },
    /// Nothing: the page computes no distances.
    Unknown,
}

/// A term of the distance between routers: a router has the label `router / stride % extent`, and two labels that
/// are `d` apart add the sum of `change · max(0, d - at)` over the bends.
#[derive(Serialize)]
struct DistanceTerm {
    stride: u32,
    extent: u32,
    /// Number and size of the block whose routers have labels; none where all have.
    block: Option<(u32, u32)>,
    bends: Vec<(u32, i64)>,
}

impl From<&Labelling> for DistanceTerm {
    /// Finds the bends of the distance along an axis: it depends only on the difference of two labels, so they
    /// give it whole.
    fn from(labels: &Labelling) -> Self {
        let extent = labels.axis.extent;
        let mut bends = Vec::new();
        let mut before = 0;
        for d in 0..extent.saturating_sub(1) {
            let slope = i64::from(labels.distance_between(0, d + 1))
                - i64::from(labels.distance_between(0, d));
            if slope != before {
                bends.push((d, slope - before));
            }
            before = slope;
        }
        DistanceTerm {
            stride: labels.stride,
            extent,
            block: labels.block,
            bends,
        }
    }
}

/// A file beside the page that the page can save itself.
#[derive(Serialize)]
struct EmbeddedFile {
    name: String,
    text: String,
}

/// Writes the JSON text for the page's `script` element. `best` is the lowest MPC at each size.
pub fn document(
    compared: &ComparedOrders<'_>,
    files: &[File<'_>],
    best: &[f64],
    slowdowns: Option<&SlowdownComparison>,
) -> String {
    let topology = compared.topology;
    let comparison = compared.comparison;
    let largest = comparison
        .entries
        .iter()
        .map(|e| e.nodes)
        .max()
        .unwrap_or(0);
    let sizes = choose_sizes(comparison, largest);
    // Where 16 bits hold an id, ids take half the room.
    let wide = topology.nodes().slot_count() > 1 << 16;
    // A page must open at once: orderings are embedded, best first, until the budget is used up.
    let mut left = ORDERS;
    let mut orderings = Vec::new();
    for (entry, slot) in comparison.entries.iter().zip(&compared.slots) {
        let mut order = None;
        if let Some(given) = compared.orders.get(*slot)
            && let Some(rest) = left.checked_sub(given.len() * if wide { 4 } else { 2 })
        {
            left = rest;
            order = Some(pack_integers(given.nodes().iter().map(|n| n.0), wide));
        }
        orderings.push(OrderingData {
            label: &entry.label,
            nodes: entry.nodes,
            style: plot::style(*slot),
            values: encode_values(&sizes, &entry.values),
            order,
        });
    }
    let drawn = orderings.iter().any(|ordering| ordering.order.is_some());
    let network = topology.network();
    let machine = MachineData {
        slots: topology.nodes().slot_count(),
        per_router: network.per_router(),
        // One router means ids are not dealt at all.
        dealt_over: Some(network.dealt_over()).filter(|over| *over > 1),
        routers: network.routers(),
        names: node_names(topology),
        // A layout of a million nodes is of no use without ranks to colour them by.
        layout: drawn.then(|| LayoutData::from(lay_out_page(topology))),
        distance: distance_data(topology),
    };
    let data = PageData {
        name: topology.name(),
        mean_distance: comparison.topology.mean_distance,
        complete: sizes.len() + 1 == largest,
        all_sizes: largest.saturating_sub(1),
        ramp: plot::rank_colours(),
        orderings,
        floor: encode_values(&sizes, &comparison.floor),
        compact: encode_values(&sizes, &comparison.compact),
        best: encode_values(&sizes, best),
        slowdown: slowdowns.map(|slowdowns| list_slowdowns(comparison, slowdowns)),
        machine,
        tables: embedded_files(files),
        sizes: pack_integers(sizes.iter().copied(), true),
    };
    // Plain structures with string keys: there is nothing that could fail.
    escape_json(&serde_json::to_string(&data).unwrap_or_default())
}

/// Lists hops and slowdowns of the orderings, which are sorted as the comparison ranks them.
fn list_slowdowns<'a>(
    comparison: &Comparison,
    slowdowns: &'a SlowdownComparison,
) -> SlowdownData<'a> {
    let round = |value: f64| (1e4 * value).round() / 1e4;
    let mut guests = Vec::new();
    for guest in &slowdowns.guests {
        let mut curves = Vec::new();
        for (entry, curve) in comparison.entries.iter().zip(&guest.curves) {
            let mut data = GuestCurveData::default();
            for point in &curve.points {
                data.sizes.push(point.size);
                data.hops.push(round(entry.values[point.size - 2]));
                data.at.push(point.at_duties.map(round).to_vec());
            }
            curves.push(data);
        }
        guests.push(GuestData {
            name: &guest.guest,
            curves,
        });
    }
    SlowdownData {
        duty: slowdowns.duty,
        guests,
    }
}

/// Encodes the values of a curve at those of the sizes that it reaches; the first value is that of size 2.
fn encode_values(sizes: &[u32], values: &[f64]) -> String {
    let bytes: Vec<u8> = sizes
        .iter()
        .filter_map(|size| values.get(*size as usize - 2))
        .flat_map(|value| value.to_le_bytes())
        .collect();
    encode_base64(&bytes)
}

/// Escapes JSON so that it can neither end its element nor be taken for one: these characters stand in strings only.
fn escape_json(json: &str) -> String {
    let mut text = json.to_string();
    for c in ['<', '>', '&', '\'', '\u{2028}', '\u{2029}'] {
        text = text.replace(c, &format!("\\u{:04x}", u32::from(c)));
    }
    text
}

/// Chooses the sizes embedded: all where they are few; else the small ones, the others evenly spread over the log axis
/// and over the plain one, and those that the page's tables name.
fn choose_sizes(comparison: &Comparison, largest: usize) -> Vec<u32> {
    // A size costs a value in every curve.
    let wanted = (VALUES / comparison.entries.len().max(1)).clamp(500, 4000);
    if largest <= wanted {
        return (2..=largest as u32).collect();
    }
    let few = wanted / 4;
    let rest = wanted * 3 / 8;
    let mut sizes: Vec<usize> = (2..few).collect();
    let from = few as f64;
    let to = largest as f64;
    for i in 0..=rest {
        let share = i as f64 / rest as f64;
        sizes.push((from * (to / from).powf(share)).round() as usize);
        sizes.push((from + (to - from) * share).round() as usize);
    }
    // What the tables name must be found by the scripts, too, as must the end of each curve.
    sizes.extend(&comparison.sizes);
    sizes.extend(comparison.entries.iter().map(|e| e.nodes));
    sizes.retain(|s| (2..=largest).contains(s));
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|s| s as u32).collect()
}

/// Lists the names of all nodes. `None` if they take more than [`NAMES`] bytes.
fn node_names(topology: &Topology) -> Option<Names<'_>> {
    if let Some((before, width, after)) = topology.name_pattern() {
        return Some(Names::Pattern(before, width, after));
    }
    let mut room = NAMES;
    let mut names = Vec::new();
    for node in 0..topology.nodes().slot_count() {
        let name = topology.node_name(NodeId(node));
        // Quotes and a comma.
        room = room.checked_sub(name.len() + 3)?;
        names.push(name);
    }
    Some(Names::List(names))
}

/// Chooses how the script finds distances.
fn distance_data(topology: &Topology) -> DistanceData {
    if let Some(terms) = topology.metric().to_labellings() {
        return DistanceData::Terms {
            terms: terms.iter().map(DistanceTerm::from).collect(),
        };
    }
    debug_assert!(matches!(topology.metric(), Metric::Hops));
    let network = topology.network();
    // The script's search counts hops, and takes every pair to be joined.
    let weighted = network.link_weights().is_some();
    if network.link_count() > LINKS || topology.component_count() > 1 || weighted {
        return DistanceData::Unknown;
    }
    let mut pairs = Vec::new();
    network.for_each_link(&mut |u, v, _| pairs.extend([u, v]));
    DistanceData::Links {
        pairs: pack_integers(pairs.into_iter(), network.routers() > 1 << 16),
    }
}

/// Collects the texts of the small tables, as they are beside the page.
fn embedded_files(files: &[File<'_>]) -> Vec<EmbeddedFile> {
    let mut tables = Vec::new();
    for file in files {
        // The script makes the tables of curves from its own data.
        if ["mpc.csv", "limits.csv"].contains(&file.name.as_str())
            || !(file.name.ends_with(".csv") || file.name.ends_with(".json"))
        {
            continue;
        }
        // The room ends the writer early with an error: a table of gigabytes is never made whole.
        let mut text = vec![0; TABLE];
        let mut room = &mut text[..];
        if file.write_to(&mut room).is_err() {
            continue;
        }
        let left = room.len();
        text.truncate(TABLE - left);
        if let Ok(text) = String::from_utf8(text) {
            tables.push(EmbeddedFile {
                name: file.name.clone(),
                text,
            });
        }
    }
    tables
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
            for labels in topology.metric().to_labellings().unwrap() {
                let term = DistanceTerm::from(&labels);
                for (a, b) in (0..term.extent).flat_map(|a| (0..term.extent).map(move |b| (a, b))) {
                    let d = i64::from(a.abs_diff(b));
                    let sum: i64 = term
                        .bends
                        .iter()
                        .map(|(at, c)| c * (d - i64::from(*at)).max(0))
                        .sum();
                    assert_eq!(
                        sum,
                        i64::from(labels.distance_between(a, b)),
                        "{spec}: {a}, {b}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_string_can_leave_its_element() {
        let json = serde_json::to_string("</script><!--'&\u{2028}").unwrap();
        let safe = escape_json(&json);
        assert!(!safe.contains(['<', '>', '&', '\'', '\u{2028}']), "{safe}");
        assert_eq!(
            serde_json::from_str::<String>(&safe).unwrap(),
            "</script><!--'&\u{2028}"
        );
    }
}
