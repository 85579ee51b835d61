//! Tables of hosts and the switches above them.

use std::borrow::Cow;
use std::collections::HashSet;

use super::outline::{OutlineOptions, UPLINKS};
use super::paths::Paths;
use super::wiring::Wiring;
use crate::topology::context::Context;
use crate::topology::family::{BuildNetwork, TopologyEntry};
use crate::topology::network::Network;
use crate::topology::source_file::SourceFile;
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::{Opt, Params};

/// `tiers:FILE.csv[,order=leaf-first|leaf-last]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "tiers",
    about: "hosts and the switches above them, from a CSV file of host,tier,tier,… with a header",
    example: "tiers:hosts.csv",
    options: &[
        Opt::file("file", "a CSV file: a header, then host,tier,tier,…").positional(),
        Opt::one_of(
            "order",
            &["leaf-first", "leaf-last"],
            "which tier is the leaf switch",
        )
        .or_else("leaf at the end with most values"),
        UPLINKS,
    ],
    parse: parse_options,
};

struct TiersOptions {
    outline: OutlineOptions,
    order: Option<&'static str>,
}

fn parse_options(params: &Params, _: &Context) -> Result<Box<dyn BuildNetwork>> {
    let order = params.chosen("order")?;
    let expected = "a CSV file of host,tier,…, as in tiers:hosts.csv";
    let outline = OutlineOptions::parse(params, expected)?;
    Ok(Box::new(TiersOptions { outline, order }))
}

impl BuildNetwork for TiersOptions {
    fn build(&self, context: &Context) -> Result<Network> {
        self.outline.build(context, |file| wiring(file, self.order))
    }
}

/// Names of a column of hosts.
const HOSTS: [&str; 4] = ["host", "hostname", "node", "nodename"];

/// Switches by their names within the switch above; the widest joined by one above them all. The header names the
/// levels. Which end is the leaf is guessed by which column has more values, where `order` does not say. Errors: with
/// the line: no header and host, a line of another number of fields, an empty field, a host again. O(hosts · tiers).
fn wiring(file: &SourceFile<'_>, order: Option<&str>) -> Result<(Wiring, String)> {
    let text = &file.text;
    let mut header: Option<Vec<String>> = None;
    let mut rows = Vec::new();
    for line in text.data_lines() {
        let fields = line.fields()?;
        let Some(header) = &header else {
            if fields.len() < 2 {
                let expected = "a header such as host,leaf,spine";
                return Err(line.wrong(format!("`{}`", line.text), expected));
            }
            let mut seen = HashSet::new();
            if let Some(again) = fields
                .iter()
                .find(|f| f.is_empty() || !seen.insert(f.to_string()))
            {
                return Err(line.wrong(format!("column `{again}`"), "a name of its own for each"));
            }
            let hosts = |field: &str| HOSTS.contains(&field.to_ascii_lowercase().as_str());
            if let Some(column) = fields
                .iter()
                .skip(1)
                .find(|f| hosts(f) && !hosts(&fields[0]))
            {
                let found = format!("`{}` before the column `{column}`", fields[0]);
                return Err(line.wrong(found, "hosts in the first column, then the switches above"));
            }
            header = Some(fields.iter().map(|f| f.to_string()).collect());
            continue;
        };
        if fields.len() != header.len() {
            let expected = format!("{}, as in the header", header.len());
            return Err(line.wrong(format!("{} fields", fields.len()), expected));
        }
        if let Some((_, column)) = fields.iter().zip(header).find(|(f, _)| f.is_empty()) {
            return Err(line.wrong(format!("no value of `{column}`"), "one"));
        }
        rows.push((line.number, fields));
    }
    let Some(header) = header.filter(|_| !rows.is_empty()) else {
        return Err(Error::input(
            text.location(),
            "no hosts",
            "a header, then host,tier,…",
        ));
    };
    if let Some((first, _)) = rows.first().filter(|_| is_row(&header, &rows)) {
        let line = text
            .lines()
            .take(*first)
            .find(|line| line.text.contains(&header[0]));
        let (number, found) = line.map_or((1, header.join(",")), |l| (l.number, l.text.into()));
        let expected = "a header such as host,leaf,spine: this line looks like those below it";
        return Err(text
            .line_at(number, "")
            .wrong(format!("`{found}`"), expected));
    }
    let tiers = header.len() - 1;
    let values = |column: usize| {
        rows.iter()
            .map(|(_, f)| &f[column])
            .collect::<HashSet<_>>()
            .len()
    };
    let (first, last) = (values(1), values(tiers));
    let leaf_first = order.map_or(first > last, |order| order == "leaf-first");
    let mut paths = Paths::default();
    for (line, fields) in &rows {
        let mut path: Vec<&str> = fields[1..].iter().map(|f| f.as_ref()).collect();
        if leaf_first {
            path.reverse();
        }
        paths.host(text.name(), *line, &fields[0], &path)?;
    }
    // Level 0 is the leaf.
    let column = |level: usize| {
        if leaf_first {
            1 + level
        } else {
            tiers.saturating_sub(level)
        }
    };
    let name = |level: usize| header.get(column(level)).filter(|_| level < tiers).cloned();
    let mut wiring = paths.wiring(&|level| name(level).unwrap_or_else(|| "all".into()));
    if order.is_none() && tiers > 1 {
        let (leaf, other) = if leaf_first { (1, tiers) } else { (tiers, 1) };
        wiring.remarks.push(format!(
            "{}: `{}` is taken for the leaf switch ({} values; `{}` has {}); order=leaf-first or order=leaf-last says so",
            text.name(), header[leaf], values(leaf), header[other], values(other)
        ));
    }
    let suffix = order.map_or(String::new(), |order| format!(",order={order}"));
    Ok((wiring, suffix))
}

/// Whether a header is one more row: a value of it stands below in its column, or its host is named as the first is.
fn is_row(header: &[String], rows: &[(usize, Vec<Cow<'_, str>>)]) -> bool {
    let below = |column: usize| {
        rows.iter()
            .any(|(_, fields)| fields[column] == header[column])
    };
    let shape = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "0");
    let numbered = header[0].contains(|c: char| c.is_ascii_digit());
    numbered
        && rows
            .iter()
            .any(|(_, fields)| shape(&fields[0]) == shape(&header[0]))
        || (1..header.len()).any(below)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
    use crate::topology::testing::{check_links, check_metric};
    use nodeorder_base::ids::NodeId;

    /// S1 stands under both pods: two switches.
    const TABLE: &str =
        "host,core,pod,rack\na,C,P1,S1\nb,C,P2,S1\nc,C,P1,S1\n\"d\",C,P1,S2\ne,C,P2,S3\n";

    #[test]
    fn a_name_counts_within_its_parent() {
        let machine = machine("tiers", TABLE).unwrap();
        check_links(&machine);
        check_metric(&machine);
        assert_eq!(names(&machine), "a c d b e");
        let rows: Vec<_> = machine
            .level_table()
            .into_iter()
            .map(|l| (l.name, l.units, l.nodes))
            .collect();
        assert_eq!(rows, [("pod".into(), 2, 3), ("rack".into(), 4, 2)]);
        let rack = &machine.network().levels()[1];
        let called: Vec<_> = (0..4).map(|unit| rack.unit_name(unit)).collect();
        assert_eq!(called, ["C/P1/S1", "S2", "C/P2/S1", "S3"]);
        let d = |a: &str, b: &str| {
            let at = |name: &str| machine.node_named(name).unwrap();
            machine.distance(at(a), at(b))
        };
        assert_eq!(
            [d("a", "c"), d("a", "d"), d("a", "b"), d("b", "e")],
            [0, 2, 4, 2]
        );
        assert!(machine.network().remarks()[0].contains("`rack` is taken for the leaf"));
        assert_eq!(machine.router_of(NodeId(0)).0, 0);
    }

    #[test]
    fn the_leaf_may_come_first_and_a_table_may_have_one_tier() {
        let machine = machine("tiers", "node,rack,pod\na,S1,P1\nb,S2,P1\nc,S3,P2\n").unwrap();
        assert_eq!(levels(&machine), [("pod".into(), 2), ("rack".into(), 3)]);
        let flat = super::super::tests::machine("tiers", "host,switch\na,s\nb,t\nc,s\n").unwrap();
        assert_eq!(
            (names(&flat).as_str(), flat.network().routers()),
            ("a c b", 3)
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        check_refused(
            "tiers",
            &[
                ("", ": found no hosts"),
                ("host,rack\n", ": found no hosts"),
                ("host\na\n", ":1: found `host`; expected a header"),
                ("host,rack,rack\na,b,c\n", ":1: found column `rack`"),
                ("host,,rack\na,b,c\n", ":1: found column ``"),
                ("host,rack\na\n", ":2: found 1 fields; expected 2"),
                ("host,rack\na,b,c\n", ":2: found 3 fields; expected 2"),
                ("host,rack\n# c\na,\n", ":3: found no value of `rack`"),
                ("host,rack\n,b\n", ":2: found no value of `host`"),
                (
                    "host,rack\na,b\na,c\n",
                    ":3: found host `a` again (line 2 has it)",
                ),
                (
                    "host,rack\n\"a,b\n",
                    ":2: found `\"a,b`; expected each quote",
                ),
            ],
        );
    }
}
