//! Hosts between which distances were measured, without links.
//!
//! ```text
//! ,a,b,c            a,b,12.5
//! a,0,12.5,30       a,c,30        the same distances in both forms
//! b,12.5,0,31       b,c,31
//! c,30,31,0
//! ```
//!
//! A pair is as far apart as its value says, whatever ways over other hosts add up to: every two hosts are a joint, and
//! a graph of joints alone is a table of distances.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry};
use crate::topology::network::{JointVisitor, Network};
use crate::topology::sizes::require_graph;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Line, Opt, Params, Result, Text};

/// Entry of `matrix:FILE[,of=latency|bandwidth]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "matrix",
    about: "distances measured between hosts, without links, from a CSV file",
    example: "matrix:latency.csv,of=latency",
    options: &[
        Opt::file(
            "file",
            "a header and a row for each host (n x n), or host,host,value for each pair; the larger distance of both directions",
        )
        .positional(),
        Opt::one_of(
            "of",
            &["latency", "bandwidth"],
            "what the values are: distances, or bandwidths, of which the largest over each is the distance",
        )
        .default_value("latency"),
    ],
    parse: parse_options,
};

/// Largest distance: others are scaled to it.
const LARGEST: f64 = 1e6;

/// Line of a file, and its fields.
type FieldRow<'t> = (Line<'t>, Vec<Cow<'t, str>>);

/// Reads the options of a matrix, not the file.
fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let bandwidth = params.optional_choice("of")? == Some("bandwidth");
    let expected = "a CSV file of distances, as in matrix:latency.csv";
    FileNetwork::parse(params, expected, move |file| build_network(file, bandwidth))
}

/// Checks whether a text has a row and a column for each of its hosts.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    split_rows(text).is_ok_and(|rows| rows.len() > 2 && is_square(&rows))
}

fn split_rows(text: &Text) -> Result<Vec<FieldRow<'_>>> {
    let lines = text.data_lines();
    lines.map(|line| Ok((line, line.split_csv()?))).collect()
}

/// Checks whether the rows are named as the columns are.
fn is_square(rows: &[FieldRow<'_>]) -> bool {
    let names = rows.iter().skip(1).map(|(_, row)| &row[0]);
    rows.first()
        .is_some_and(|(_, header)| header.iter().skip(1).eq(names))
}

/// Distances between hosts as the file gives them.
#[derive(Default)]
struct HostDistances {
    /// Names of the hosts, in the order in which the file first names them.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// Distance from one host to another.
    far: HashMap<(u32, u32), f64>,
}

impl HostDistances {
    fn number_host(&mut self, name: &str) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.numbers.entry(name.into()).or_insert(next);
        if number == next {
            self.names.push(name.into());
        }
        number
    }

    /// Adds the value of a pair in one direction. Fails if it is no distance, or given twice.
    fn add_value(
        &mut self,
        line: &Line<'_>,
        ends: [&str; 2],
        value: &str,
        bandwidth: bool,
    ) -> Result<()> {
        let [a, b] = ends.map(|name| self.number_host(name));
        // A host is at no distance from itself, whatever was measured.
        if a == b {
            return Ok(());
        }
        let number = value.parse::<f64>().unwrap_or(f64::NAN);
        // The lower bandwidth is the larger distance.
        let far = if bandwidth { 1.0 / number } else { number };
        if !(number >= 0.0 && number.is_finite() && far.is_finite()) {
            let least = if bandwidth { "above 0" } else { "of 0 or more" };
            return Err(line.error_here(format!("`{value}`"), format!("a number {least}")));
        }
        if self.far.insert((a, b), far).is_some() {
            let found = format!("{} to {} again", ends[0], ends[1]);
            return Err(line.error_here(found, "each pair once in each direction"));
        }
        Ok(())
    }

    /// Finds the larger distance of both directions; `None` if there is none.
    fn find_distance(&self, a: u32, b: u32) -> Option<f64> {
        let both = [(a, b), (b, a)]
            .into_iter()
            .filter_map(|pair| self.far.get(&pair));
        both.copied().reduce(f64::max)
    }
}

/// Reads the values of all pairs. Fails, with the line, on another form or number, or if a pair has none.
fn read_values(text: &Text, bandwidth: bool) -> Result<HostDistances> {
    let rows = split_rows(text)?;
    let mut values = HostDistances::default();
    if is_square(&rows) {
        let header = &rows[0].1;
        for (line, row) in &rows[1..] {
            if row.len() != header.len() {
                let found = format!("{} fields", row.len());
                return Err(line.error_here(found, format!("{}, as in the header", header.len())));
            }
            for (to, value) in header.iter().zip(row).skip(1) {
                values.add_value(line, [&row[0], to], value, bandwidth)?;
            }
        }
    } else {
        for (i, (line, row)) in rows.iter().enumerate() {
            let [from, to, value] = &row[..] else {
                let expected = "host,host,value, or a header of hosts and a row for each of them";
                return Err(line.error_here(format!("{} fields", row.len()), expected));
            };
            // A first line without a number names the columns.
            if i > 0 || value.parse::<f64>().is_ok() {
                values.add_value(line, [from, to], value, bandwidth)?;
            }
        }
    }
    let count = values.names.len();
    if count < 2 {
        let expected = "distances between two hosts at least";
        return Err(Error::input(
            text.location(),
            format!("{count} hosts"),
            expected,
        ));
    }
    Ok(values)
}

/// Builds the network of the distances: a router for each host, and joints.
///
/// # Complexity
/// O(pairs) time and memory.
fn build_network(file: &SourceFile<'_>, bandwidth: bool) -> Result<Network> {
    let text = &file.text;
    let values = read_values(text, bandwidth)?;
    let hosts = values.names.len() as u32;
    require_graph(file.context, hosts.into(), u64::from(hosts).pow(2) / 2)?;
    let largest = values.far.values().copied().fold(0.0, f64::max);
    let whole = values.far.values().all(|far| far.fract() == 0.0);
    let mut scale = 1.0;
    let mut remarks = Vec::new();
    if largest > 0.0 && (!whole || largest > LARGEST) {
        scale = LARGEST / largest;
        remarks.push(format!(
            "{}: distances are scaled to whole numbers up to {LARGEST}, each rounded by at most {:.0e} of the largest",
            text.name(),
            0.5 / LARGEST
        ));
    }
    let mut joints = Vec::new();
    for a in 0..hosts {
        for b in a + 1..hosts {
            let Some(far) = values.find_distance(a, b) else {
                let [a, b] = [a, b].map(|host| &values.names[host as usize]);
                let found = format!("no value of {a} and {b}");
                return Err(Error::input(text.location(), found, "one for every pair"));
            };
            joints.push((a, b, (far * scale).round() as u32));
        }
    }
    let suffix = if bandwidth { ",of=bandwidth" } else { "" };
    Ok(Network {
        joints: Some(Box::new(move |visit: &mut JointVisitor<'_>| {
            joints.iter().for_each(|(a, b, far)| visit(*a, *b, *far));
        })),
        names: values.names,
        remarks,
        ..Network::new(format!("{}{suffix}", file.spec()), hosts, 1, |_| {})
    })
}

#[cfg(test)]
mod tests {
    use crate::topology::testing;

    #[test]
    fn hosts_are_routers_without_links() {
        let text = ",a,b,c\na,0,12,30\nb,11,0,90\nc,30,7,0\n";
        let machine = testing::from_file("matrix", text, "").unwrap();
        testing::check_metric(&machine);
        let s = machine.statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.links, s.diameter), (3, 3, 0, 90));
    }
}
