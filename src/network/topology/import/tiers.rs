//! Tables of hosts and the switches above them: a CSV file with a header, and a line for each host.
//!
//! ```text
//! host,leaf,spine
//! n1,l1,s1
//! n2,l2,s1
//! ```

use std::borrow::Cow;
use std::collections::HashSet;

use super::outline::{OutlineNetwork, UPLINKS};
use super::paths::HostPaths;
use super::wiring::Wiring;
use crate::topology::family::TopologyEntry;
use crate::topology::source_file::SourceFile;
use nodeorder_base::{Error, Line, Opt, Result, Text};

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
        .default_in_words("leaf at the end with most values"),
        UPLINKS,
    ],
    parse: |params, _| {
        let expected = "a CSV file of host,tier,…, as in tiers:hosts.csv";
        let order = params.optional_choice("order")?;
        OutlineNetwork::parse(params, expected, move |file| read_tiers(file, order))
    },
};

/// Names of the column of hosts.
const HOSTS: [&str; 4] = ["host", "hostname", "node", "nodename"];

/// A table as read: the header, and line number and fields of each host.
struct HostTable<'t> {
    header: Vec<String>,
    rows: Vec<(usize, Vec<Cow<'t, str>>)>,
}

/// Reads switches by their names within the switch above; the widest are joined by one above them all. The header
/// names the levels. Which end is the leaf is guessed by which column has more values, if `order` does not say.
/// Fails, with the line, if there is no header and host, a line has another number of fields, a field is empty, or a
/// host comes again. O(hosts · tiers).
fn read_tiers(file: &SourceFile<'_>, order: Option<&str>) -> Result<(Wiring, String)> {
    let text = &file.text;
    let table = HostTable::read_table(text)?;
    table.check_header(text)?;
    let HostTable { header, rows } = &table;
    let tiers = header.len() - 1;
    let first = table.count_values(1);
    let last = table.count_values(tiers);
    // A fabric has more leaf switches than switches above them.
    let leaf_first = order.map_or(first > last, |order| order == "leaf-first");
    let mut paths = HostPaths::default();
    for (line, fields) in rows {
        let mut path: Vec<&str> = fields[1..].iter().map(|f| f.as_ref()).collect();
        if leaf_first {
            path.reverse();
        }
        paths.add_host(text.name(), *line, &fields[0], &path)?;
    }
    let mut wiring = paths.into_wiring(&|level| {
        // Level 0 is the leaf, the one above all tiers that of the switch that joins the widest.
        if level >= tiers {
            "all".into()
        } else if leaf_first {
            header[1 + level].clone()
        } else {
            header[tiers - level].clone()
        }
    });
    if order.is_none() && tiers > 1 {
        let mut ends = [(&header[1], first), (&header[tiers], last)];
        if !leaf_first {
            ends.reverse();
        }
        let [(leaf, most), (other, fewer)] = ends;
        wiring.remarks.push(format!(
            "{}: `{leaf}` is taken for the leaf switch ({most} values; `{other}` has \
             {fewer}); order=leaf-first or order=leaf-last says so",
            text.name()
        ));
    }
    let suffix = order.map_or(String::new(), |order| format!(",order={order}"));
    Ok((wiring, suffix))
}

/// Checks whether a text is a table whose header has the hosts in the first column.
pub(in crate::topology) fn has_header(text: &Text) -> bool {
    let first = text.data_lines().next().map(|line| line.split_csv());
    matches!(first, Some(Ok(fields)) if fields.len() > 1 && is_host_column(&fields[0]))
}

/// Checks whether a text may be a table of hosts without saying so: every row names another host, none of which is a
/// switch, and there are fewer switches than hosts.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    let Ok(table) = HostTable::read_table(text) else {
        return false;
    };
    let HostTable { header, rows } = &table;
    let mut names = rows.iter().flat_map(|(_, fields)| fields);
    if names.any(|name| name.parse::<f64>().is_ok()) {
        return false;
    }
    let hosts: HashSet<&str> = rows.iter().map(|(_, fields)| fields[0].as_ref()).collect();
    let mut switches = rows.iter().flat_map(|(_, fields)| &fields[1..]);
    let are_apart =
        hosts.len() == rows.len() && !switches.any(|name| hosts.contains(name.as_ref()));
    are_apart && (1..header.len()).all(|column| table.count_values(column) < rows.len())
}

impl<'t> HostTable<'t> {
    /// Reads the header and all hosts. Fails if one of them is missing or has faulty fields.
    fn read_table(text: &'t Text) -> Result<Self> {
        let mut header: Option<Vec<String>> = None;
        let mut rows = Vec::new();
        for line in text.data_lines() {
            let fields = line.split_csv()?;
            let Some(header) = &header else {
                header = Some(read_header(&line, &fields)?);
                continue;
            };
            if fields.len() != header.len() {
                let expected = format!("{}, as in the header", header.len());
                return Err(line.error_here(format!("{} fields", fields.len()), expected));
            }
            if let Some(empty) = fields.iter().position(|field| field.is_empty()) {
                let found = format!("no value of `{}`", header[empty]);
                return Err(line.error_here(found, "one"));
            }
            rows.push((line.number, fields));
        }
        match header {
            Some(header) if !rows.is_empty() => Ok(HostTable { header, rows }),
            _ => {
                let expected = "a header, then host,tier,…";
                Err(Error::input(text.location(), "no hosts", expected))
            }
        }
    }

    /// Checks that the header is not one more host, which would be lost without notice.
    fn check_header(&self, text: &Text) -> Result<()> {
        if !self.is_header_a_row() {
            return Ok(());
        }
        let mut above = text.lines().take(self.rows[0].0);
        let line = above.find(|line| line.text.contains(&self.header[0]));
        let whole = self.header.join(",");
        // A field in quotes may be written otherwise in the file.
        let line = line.unwrap_or_else(|| text.line_at(1, &whole));
        let expected = "a header such as host,leaf,spine: this line looks like those below it";
        Err(line.error_here(format!("`{}`", line.text), expected))
    }

    /// Checks whether the header is one more row: a value of it stands below in its column, or its host is named
    /// as the first is, but for the digits.
    fn is_header_a_row(&self) -> bool {
        let HostTable { header, rows } = self;
        let is_numbered = header[0].contains(|c: char| c.is_ascii_digit());
        let shape = without_digits(&header[0]);
        rows.iter().any(|(_, fields)| {
            let is_host = is_numbered && without_digits(&fields[0]) == shape;
            is_host || (1..header.len()).any(|column| fields[column] == header[column])
        })
    }

    /// Counts the different values of a column.
    fn count_values(&self, column: usize) -> usize {
        let values = self.rows.iter().map(|(_, fields)| &fields[column]);
        values.collect::<HashSet<_>>().len()
    }
}

/// Reads the header. Fails if it has no tiers, names a column twice, or has the hosts in another column than the
/// first.
fn read_header(line: &Line<'_>, fields: &[Cow<'_, str>]) -> Result<Vec<String>> {
    if fields.len() < 2 {
        let expected = "a header such as host,leaf,spine";
        return Err(line.error_here(format!("`{}`", line.text), expected));
    }
    let mut seen = HashSet::new();
    let mut columns = fields.iter();
    if let Some(again) = columns.find(|name| name.is_empty() || !seen.insert(*name)) {
        return Err(line.error_here(format!("column `{again}`"), "a name of its own for each"));
    }
    let hosts = fields.iter().position(|field| is_host_column(field));
    if let Some(column) = hosts.filter(|column| *column > 0) {
        let found = format!("`{}` before the column `{}`", fields[0], fields[column]);
        return Err(line.error_here(found, "hosts in the first column, then the switches above"));
    }
    Ok(fields.iter().map(|field| field.to_string()).collect())
}

/// Checks whether a column's name says that it has hosts.
fn is_host_column(name: &str) -> bool {
    HOSTS.contains(&name.to_ascii_lowercase().as_str())
}

/// Replaces each digit of a name by 0.
fn without_digits(name: &str) -> String {
    name.replace(|c: char| c.is_ascii_digit(), "0")
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, levels, machine, names};
    use crate::topology::testing::{check_links, check_metric};
    use nodeorder_base::NodeId;

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
