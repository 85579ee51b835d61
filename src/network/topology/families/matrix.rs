//! Hosts between which distances were measured, without links.
//!
//! ```text
//! ,a,b,c            a,b,12.5
//! a,0,12.5,30       a,c,30        the same distances in both forms
//! b,12.5,0,31       b,c,31
//! c,30,31,0
//! ```
//!
//! A pair is as far apart as its value says, whatever ways over other hosts add up to: every two hosts are a joint, and a
//! graph of joints alone is a table of distances.

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

/// Fields of the lines of a file, with their lines.
type Rows<'t> = Vec<(Line<'t>, Vec<Cow<'t, str>>)>;

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

fn split_rows(text: &Text) -> Result<Rows<'_>> {
    let lines = text.data_lines();
    lines.map(|line| Ok((line, line.split_csv()?))).collect()
}

/// Checks whether the rows are named as the columns are.
fn is_square(rows: &Rows<'_>) -> bool {
    let names = rows.iter().skip(1).map(|(_, row)| &row[0]);
    rows.first()
        .is_some_and(|(_, header)| header.iter().skip(1).eq(names))
}

/// Distances as a file has them.
#[derive(Default)]
struct Values {
    /// Names of the hosts, in the order in which they come.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// Larger value of both directions of a pair, and whether both were given, by its hosts, ascending.
    pairs: HashMap<(u32, u32), (f64, Vec<(u32, u32)>)>,
}

impl Values {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_string());
        self.numbers.insert(name.to_string(), number);
        number
    }

    /// Adds the value of a direction. Fails if it is no distance, or comes again.
    fn add(
        &mut self,
        line: &Line<'_>,
        ends: [&str; 2],
        value: &str,
        bandwidth: bool,
    ) -> Result<()> {
        let [a, b] = ends.map(|name| self.number(name));
        // A host is at no distance from itself, whatever was measured.
        if a == b {
            return Ok(());
        }
        let number = value.parse::<f64>().ok();
        let number = number.filter(|v| v.is_finite() && (*v > 0.0 || *v == 0.0 && !bandwidth));
        let number = number.ok_or_else(|| {
            let least = if bandwidth { "above 0" } else { "of 0 or more" };
            line.error_here(format!("`{value}`"), format!("a number {least}"))
        })?;
        // The lower bandwidth is the larger distance.
        let far = if bandwidth { 1.0 / number } else { number };
        let (most, given) = self.pairs.entry((a.min(b), a.max(b))).or_default();
        if given.contains(&(a, b)) {
            let found = format!("{} to {} again", ends[0], ends[1]);
            return Err(line.error_here(found, "each pair once in each direction"));
        }
        given.push((a, b));
        *most = most.max(far);
        Ok(())
    }
}

/// Reads the values of all pairs. Fails, with the line, on another form or number, or if a pair has none.
fn read_values(text: &Text, bandwidth: bool) -> Result<Values> {
    let rows = split_rows(text)?;
    let mut values = Values::default();
    if is_square(&rows) {
        let header = &rows[0].1;
        for (line, row) in &rows[1..] {
            if row.len() != header.len() {
                let found = format!("{} fields", row.len());
                return Err(line.error_here(found, format!("{}, as in the header", header.len())));
            }
            for (to, value) in header.iter().zip(row).skip(1) {
                values.add(line, [&row[0], to], value, bandwidth)?;
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
                values.add(line, [from, to], value, bandwidth)?;
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
    let largest = values.pairs.values().map(|v| v.0).fold(0.0, f64::max);
    let whole = values.pairs.values().all(|v| v.0.fract() == 0.0);
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
    let mut joints = Vec::with_capacity(values.pairs.len());
    for a in 0..hosts {
        for b in a + 1..hosts {
            let Some((far, _)) = values.pairs.get(&(a, b)) else {
                let [a, b] = [a, b].map(|host| &values.names[host as usize]);
                let found = format!("no value of {a} and {b}");
                return Err(Error::input(text.location(), found, "one for every pair"));
            };
            joints.push((a, b, (far * scale).round() as u32));
        }
    }
    let of = if bandwidth { ",of=bandwidth" } else { "" };
    Ok(Network {
        joints: Some(Box::new(move |visit: &mut JointVisitor<'_>| {
            joints.iter().for_each(|(a, b, far)| visit(*a, *b, *far));
        })),
        names: values.names,
        remarks,
        ..Network::new(format!("{}{of}", file.spec()), hosts, 1, |_| {})
    })
}

#[cfg(test)]
mod tests {
    use crate::topology::{Topology, testing};
    use nodeorder_base::NodeId;

    fn machine(text: &str, options: &str) -> Topology {
        testing::from_file("matrix", text, options).unwrap()
    }

    fn far(machine: &Topology, a: u32, b: u32) -> u32 {
        machine.distance(NodeId(a), NodeId(b))
    }

    /// Both forms; the larger of both directions; a way over another host is not shorter.
    #[test]
    fn distances_are_those_of_the_file() {
        let square = machine(",a,b,c\na,0,12,30\nb,11,0,90\nc,30,7,0\n", "");
        let pairs = machine("from,to,us\na,b,12\nb,c,90\nc,a,30\nb,a,11\n", "");
        for machine in [square, pairs] {
            assert_eq!(
                [
                    far(&machine, 0, 1),
                    far(&machine, 0, 2),
                    far(&machine, 1, 2)
                ],
                [12, 30, 90]
            );
            assert_eq!(machine.node_name(NodeId(2)), "c");
            testing::check_metric(&machine);
            assert!(machine.network().remarks().is_empty());
            assert_eq!(machine.statistics().unwrap().links, 0);
        }
    }

    #[test]
    fn fractions_are_scaled_and_bandwidths_turned_round() {
        let scaled = machine("a,b,0.5\nb,c,0.25\na,c,0.1\n", "");
        assert_eq!(
            [far(&scaled, 0, 1), far(&scaled, 1, 2), far(&scaled, 0, 2)],
            [1_000_000, 500_000, 200_000]
        );
        assert!(scaled.network().remarks()[0].contains("at most 5e-7"));
        // 400 over 100, 200 and 400: 4, 2 and 1; of both directions the slower.
        let bandwidths = machine("a,b,100\nb,a,800\nb,c,200\na,c,400\n", ",of=bandwidth");
        let found = [
            far(&bandwidths, 0, 1),
            far(&bandwidths, 1, 2),
            far(&bandwidths, 0, 2),
        ];
        assert_eq!(found, [1_000_000, 500_000, 250_000]);
    }

    #[test]
    fn wrong_files_are_refused_with_their_place() {
        for (text, found) in [
            ("a,b,1\nb,c,1\n", "no value of a and c"),
            ("a,b,1\na,b,2\n", ":2: found a to b again"),
            (
                "a,b,1\na,c,-1\n",
                ":2: found `-1`; expected a number of 0 or more",
            ),
            (",a,b\na,0,1\nb,1\n", ":3: found 2 fields; expected 3"),
            ("a,b\n", "found 2 fields"),
            ("a,a,1\n", "1 hosts"),
        ] {
            let error = testing::from_file("matrix", text, "")
                .unwrap_err()
                .to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
