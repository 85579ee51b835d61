//! A mapped guest as data: its figures as one JSON document, and the loads of links.

use serde_json::{Value, json};

use crate::columns::mapping::{CONTENTION_BAR, DILATION_BAR, LinkLoad, MappingFigures};
use crate::columns::throughput::FOUND;
use crate::columns::{extend_object, json_list, json_object};
use nodeorder_traffic::mapping::{Analysis, Fabric};
use nodeorder_traffic::throughput::Throughput;

/// Number of busiest links in the document.
const BUSIEST: usize = 10;
/// Number of bars of the contention histogram.
const BARS: usize = 20;

/// Looks up load and capacity of a directed link.
pub fn link_load<'a>(fabric: &'a Fabric<'_>, analysis: &Analysis, link: usize) -> LinkLoad<'a> {
    let (u, v) = fabric.links.link_ends(link);
    LinkLoad {
        fabric,
        u,
        v,
        load: analysis.contention.loads[link],
        capacity: fabric.links.capacity(link),
    }
}

/// Finds the links of the highest contention, that first.
pub fn busiest_links<'a>(fabric: &'a Fabric<'_>, analysis: &Analysis) -> Vec<LinkLoad<'a>> {
    let busiest = analysis.contention.busiest_links(fabric.links, BUSIEST);
    busiest
        .into_iter()
        .map(|link| link_load(fabric, analysis, link))
        .collect()
}

/// Describes every figure of the analysis as a JSON object, with those of a routing that was searched for.
pub fn document(
    fabric: &Fabric<'_>,
    figures: &MappingFigures<'_>,
    found: Option<&Throughput>,
) -> Value {
    let Analysis {
        dilation,
        contention,
        ..
    } = figures.analysis;
    let mut document = json_object(MappingFigures::ALL, figures);
    extend_object(&mut document, MappingFigures::MORE, figures);
    document["version"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(assumption) = fabric.topology.network().assumption() {
        document["assumed"] = json!(assumption);
    }
    // Present only where it says something: results then depend on the time allowed.
    if !figures.unfinished.is_empty() {
        document["unfinished"] = json!(figures.unfinished);
    }
    for (level, volume) in &figures.analysis.between_units {
        document[format!("bytes_{level}")] = json!(volume);
    }
    // A few links only: the table of all loads is a file of its own.
    let columns = [LinkLoad::ALL, LinkLoad::BUSIEST].concat();
    document["busiest_links"] = json_list(&columns, busiest_links(fabric, figures.analysis));
    let bars = contention.histogram(fabric.links, BARS);
    document["contention_histogram"] = json_list(CONTENTION_BAR, bars);
    let bars = dilation
        .histogram
        .iter()
        .enumerate()
        .map(|(hops, (pairs, volume))| (hops, *pairs, *volume));
    document["dilation_histogram"] = json_list(DILATION_BAR, bars);
    if let Some(found) = found {
        extend_object(&mut document, FOUND, found);
    }
    document
}
