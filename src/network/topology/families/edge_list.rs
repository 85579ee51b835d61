//! Lists of links: the columns of a file, and what each of its rows says.
//!
//! A first line with one of the known names is a header and places the columns; any other first line is data. With
//! commas or semicolons a line is CSV, else blanks and tabs separate:
//!
//! ```text
//! source,target,weight,capacity,cables
//! 0,1,1,100,3      three cables of capacity 100: a link of capacity 300
//! 2 3              two routers and nothing else
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use crate::topology::link_list::MOST_CAPACITY;
use nodeorder_base::{Error, Line, Result, SourceLocation, Text};
use petgraph::unionfind::UnionFind;

/// Largest weight of a link.
const MAX_WEIGHT: u32 = 1000;

/// Most cables of a link.
const MAX_CABLES: u32 = 1 << 20;

/// Names of the two columns of routers, in pairs.
const END_NAMES: [[&str; 2]; 4] = [
    ["u", "v"],
    ["source", "target"],
    ["switch", "peer"],
    ["from", "to"],
];

/// Names of the other columns, in the order of [`Columns::others`].
const OTHER_NAMES: [&str; 3] = ["capacity", "weight", "cables"];

/// The columns of a list, for messages.
pub(super) const FORM: &str = "u,v[,capacity[,weight]]";

/// Link as a file has it.
#[cfg_attr(test, derive(Debug))]
pub(super) struct FileLink {
    /// The two routers, ascending.
    pub ends: (u32, u32),
    /// Capacity of all cables of the link together; 1 is an ordinary link.
    pub capacity: f64,
    /// Number of cables of the link.
    pub cables: u32,
    /// Distance that a hop over the link counts.
    pub weight: u32,
    /// Line number in the file.
    pub line: usize,
}

/// Links of a file, sorted.
pub(super) struct EdgeList {
    /// Number of routers.
    pub routers: u32,
    /// Names of the routers; empty if the file numbers them.
    pub names: Vec<String>,
    pub links: Vec<FileLink>,
    /// Whether the file has a column of capacities.
    pub has_capacities: bool,
}

/// Places of the columns.
struct Columns {
    ends: [usize; 2],
    /// Places of capacity, weight and cables; `None` if there is no such column.
    others: [Option<usize>; 3],
    /// Number of columns.
    count: usize,
}

/// Columns of a file without a header.
const WITHOUT_HEADER: Columns = Columns {
    ends: [0, 1],
    others: [Some(2), Some(3), None],
    count: 4,
};

impl Columns {
    /// Reads a header; `None` if no field is the name of a column. Fails if another is none, one comes twice, or the
    /// two of the routers are missing.
    fn read_header(line: &Line<'_>, fields: &[Cow<'_, str>]) -> Result<Option<Self>> {
        let names: Vec<String> = fields.iter().map(|f| f.to_ascii_lowercase()).collect();
        let mut known = END_NAMES.iter().flatten().chain(&OTHER_NAMES);
        if !known.any(|name| names.iter().any(|field| field == name)) {
            return Ok(None);
        }
        let place_of = |name: &str| names.iter().position(|field| field == name);
        let ends = find_ends(&names);
        let expected = "u,v (or source,target; switch,peer; from,to), and of capacity, \
         weight and cables any, each once";
        let Some(ends) = ends else {
            return Err(line.error_here(format!("the header `{}`", line.text), expected));
        };
        let others = OTHER_NAMES.map(place_of);
        for (i, name) in names.iter().enumerate() {
            if !ends.contains(&i) && !others.contains(&Some(i)) {
                return Err(line.error_here(format!("the column `{name}`"), expected));
            }
        }
        Ok(Some(Columns {
            ends,
            others,
            count: names.len(),
        }))
    }
}

/// Finds the two columns of routers among the names of columns; `None` if there are none.
fn find_ends(names: &[String]) -> Option<[usize; 2]> {
    END_NAMES.iter().find_map(|pair| {
        let [u, v] = pair.map(|name| names.iter().position(|field| field == name));
        Some([u?, v?])
    })
}

/// Checks whether a text has a header that names two columns of routers.
pub(in crate::topology) fn has_header(text: &Text) -> bool {
    let fields = text.data_lines().next().map(|line| split_fields(&line));
    let Some(Ok(fields)) = fields else {
        return false;
    };
    let names: Vec<String> = fields
        .iter()
        .map(|field| field.to_ascii_lowercase())
        .collect();
    find_ends(&names).is_some()
}

/// Checks whether a text is a list of links without a header: rows of two routers each, all of them ids or all names,
/// and numbers.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    let mut has_ids = None;
    text.data_lines().all(|line| {
        let Ok(row) = split_fields(&line) else {
            return false;
        };
        let has_ids = *has_ids.get_or_insert_with(|| is_number(&row[0]));
        let mut ends = row.iter().take(2);
        (2..=WITHOUT_HEADER.count).contains(&row.len())
            && ends.all(|end| !end.is_empty() && is_number(end) == has_ids)
            && row[2..].iter().all(|field| is_number(field))
    }) && has_ids.is_some()
}

/// Routers of a list: by their ids, or by names in the order in which these come.
enum Routers<'t> {
    Ids,
    Names(HashMap<Cow<'t, str>, u32>),
}

impl<'t> Routers<'t> {
    /// Finds the number of a router, a new one for a name not seen before. Fails if it is an id among names, a name
    /// among ids, or an id too large.
    fn find_or_add(&mut self, line: &Line<'_>, text: Cow<'t, str>) -> Result<u32> {
        let (id, expected) = match self {
            Routers::Ids => (
                parse_whole(&text, (1 << 31) - 1),
                "a router id from 0 to 2147483647",
            ),
            Routers::Names(known) if !is_number(&text) => {
                let next = known.len() as u32;
                return Ok(*known.entry(text).or_insert(next));
            }
            Routers::Names(_) => (None, "a name, as all routers before have"),
        };
        id.ok_or_else(|| line.error_here(format!("router `{text}`"), expected))
    }
}

/// Checks whether a text is a number of any kind.
fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Parses a whole number, which some programs write as `8.0`; `None` if it is none or above `most`.
fn parse_whole(text: &str, most: u32) -> Option<u32> {
    let digits = text
        .split_once('.')
        .filter(|(_, rest)| rest.bytes().all(|b| b == b'0'));
    let number = digits.map_or(text, |(whole, _)| whole).parse().ok();
    number.filter(|number| *number <= most)
}

/// Splits a line at its commas, else at its semicolons, else at blanks and tabs.
fn split_fields<'t>(line: &Line<'t>) -> Result<Vec<Cow<'t, str>>> {
    if let Some(delimiter) = [',', ';'].into_iter().find(|c| line.text.contains(*c)) {
        return line.split_table_row(delimiter);
    }
    Ok(line.text.split_whitespace().map(Cow::Borrowed).collect())
}

/// Reads all lines of a text.
///
/// # Errors
/// With the line: another header or form; see [`sort_checked_links`].
pub(super) fn read_edges(text: &Text) -> Result<EdgeList> {
    let mut columns = WITHOUT_HEADER;
    let mut routers = None;
    let mut links = Vec::new();
    let mut has_capacities = false;
    for (i, line) in text.data_lines().enumerate() {
        let fields = split_fields(&line)?;
        if i == 0
            && let Some(header) = Columns::read_header(&line, &fields)?
        {
            columns = header;
            continue;
        }
        if !(2..=columns.count).contains(&fields.len()) {
            return Err(line.whole_error(FORM));
        }
        let [u, v] = columns
            .ends
            .map(|place| fields.get(place).cloned().unwrap_or_default());
        let routers = routers.get_or_insert_with(|| {
            if is_number(&u) {
                Routers::Ids
            } else {
                Routers::Names(HashMap::new())
            }
        });
        let ends = [
            routers.find_or_add(&line, u)?,
            routers.find_or_add(&line, v)?,
        ];
        // A field left empty is one left out.
        let others = columns
            .others
            .map(|place| fields.get(place?).filter(|text| !text.is_empty()));
        has_capacities |= others[0].is_some();
        links.push(parse_link(&line, ends, others)?);
    }
    let (routers, names) = match routers {
        Some(Routers::Names(known)) => {
            let mut names = vec![String::new(); known.len()];
            for (name, router) in known {
                names[router as usize] = name.into_owned();
            }
            (names.len() as u32, names)
        }
        _ => (count_routers(text, &links)?, Vec::new()),
    };
    sort_checked_links(text, routers, &mut links)?;
    Ok(EdgeList {
        routers,
        names,
        links,
        has_capacities,
    })
}

/// Parses a link of these routers from its capacity, its weight and the number of its cables.
fn parse_link(
    line: &Line<'_>,
    [u, v]: [u32; 2],
    [capacity, weight, cables]: [Option<&Cow<'_, str>>; 3],
) -> Result<FileLink> {
    if u == v {
        let found = format!("a link from router {u} to itself");
        return Err(line.error_here(found, "two different routers"));
    }
    let mut link = FileLink {
        ends: (u.min(v), u.max(v)),
        capacity: 1.0,
        cables: 1,
        weight: 1,
        line: line.number,
    };
    if let Some(text) = capacity {
        let capacity = text.parse().ok();
        link.capacity = capacity
            .filter(|capacity| *capacity > 0.0 && *capacity <= MOST_CAPACITY)
            .ok_or_else(|| {
                line.error_here(format!("capacity `{text}`"), "a number above 0, up to 1e15")
            })?;
    }
    if let Some(text) = weight {
        link.weight = parse_whole(text, MAX_WEIGHT).ok_or_else(|| {
            line.error_here(format!("weight `{text}`"), "a whole number from 0 to 1000")
        })?;
    }
    if let Some(text) = cables {
        let cables = parse_whole(text, MAX_CABLES).filter(|cables| *cables > 0);
        link.cables = cables.ok_or_else(|| {
            line.error_here(
                format!("cables `{text}`"),
                "a whole number from 1 to 1048576",
            )
        })?;
        link.capacity *= f64::from(link.cables);
    }
    Ok(link)
}

/// Checks that links are a connected network, and sorts them.
///
/// # Errors
/// No links, a link again, a network in pieces.
pub(super) fn sort_checked_links(text: &Text, routers: u32, links: &mut [FileLink]) -> Result<()> {
    links.sort_unstable_by_key(|link| (link.ends, link.line));
    // The fault that comes first in the file is named.
    let twice = links.windows(2).filter(|pair| pair[0].ends == pair[1].ends);
    if let Some([first, again]) = twice.min_by_key(|pair| pair[1].line) {
        let (u, v) = again.ends;
        let found = format!("link {u},{v} again (line {} has it)", first.line);
        return Err(Error::input(
            SourceLocation::line(text.name(), again.line),
            found,
            "each link once, in one direction",
        ));
    }
    let mut parts = UnionFind::<u32>::new(routers as usize);
    for link in links.iter() {
        parts.union(link.ends.0, link.ends.1);
    }
    let apart = links.iter().filter(|link| !parts.equiv(0, link.ends.0));
    if let Some(link) = apart.min_by_key(|link| link.line) {
        let found = format!("router {}, which no path joins to router 0", link.ends.0);
        let location = SourceLocation::line(text.name(), link.line);
        return Err(Error::input(location, found, "a connected network"));
    }
    Ok(())
}

/// Counts the routers: one more than the largest id. Without a table of all ids, as a slip may make the largest one
/// huge.
///
/// # Errors
/// No links; a router id that is on no link although a larger one is.
pub(super) fn count_routers(text: &Text, links: &[FileLink]) -> Result<u32> {
    if links.is_empty() {
        let expected = format!("lines of {FORM}");
        return Err(Error::input(text.location(), "no links", expected));
    }
    let mut ids: Vec<u32> = links.iter().flat_map(|e| [e.ends.0, e.ends.1]).collect();
    ids.sort_unstable();
    ids.dedup();
    let Some((missing, id)) = (0..).zip(&ids).find(|(i, id)| i != *id) else {
        return Ok(ids.len() as u32);
    };
    let line = links
        .iter()
        .filter(|e| e.ends.0 == *id || e.ends.1 == *id)
        .map(|e| e.line)
        .min();
    let found = format!("router {id}, but no link of router {missing}");
    Err(Error::input(
        SourceLocation::line(text.name(), line.unwrap_or(1)),
        found,
        "ids from 0 without gaps",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Links of a text as (u, v, capacity, weight, cables).
    type Links = Vec<(u32, u32, f64, u32, u32)>;

    fn read_links(text: &str) -> (u32, Links) {
        let list = read_edges(&Text::new("g", text)).unwrap();
        let links = list.links.iter();
        let links = links.map(|e| (e.ends.0, e.ends.1, e.capacity, e.weight, e.cables));
        (list.routers, links.collect())
    }

    #[test]
    fn header_comments_and_capacities_are_optional() {
        for text in [
            "0,1\n1,2\n",
            "# ring\nu,v,capacity\n\n1 , 0\n2,1,1 # last\n",
            "source,target\n1,0\n1,2\n",
            "Switch Peer\n1\t0\n1  2\n",
            "0 1\n1 2 1\n",
            "from,to,cables\n0.0,1.0,1.0\n1.0,2.0,\n",
        ] {
            let (routers, links) = read_links(text);
            let expected = vec![(0, 1, 1.0, 1, 1), (1, 2, 1.0, 1, 1)];
            assert_eq!((routers, links), (3, expected), "{text}");
        }
        let (_, links) = read_links("1,0,2.5");
        assert_eq!(links, [(0, 1, 2.5, 1, 1)]);
        let (_, links) = read_links("u,v,capacity,weight\n1,0,2,0\n1,2,1,7\n");
        assert_eq!(links, [(0, 1, 2.0, 0, 1), (1, 2, 1.0, 7, 1)]);
        let (_, links) = read_links("cables,peer,capacity,switch\n3,1,100,0\n");
        assert_eq!(links, [(0, 1, 300.0, 1, 3)]);
    }

    #[test]
    fn routers_may_have_names() {
        let list = read_edges(&Text::new("g", "switch,peer\nspine,leaf1\nleaf2,spine\n")).unwrap();
        assert_eq!(list.names, ["spine", "leaf1", "leaf2"]);
        let ends: Vec<_> = list.links.iter().map(|link| link.ends).collect();
        assert_eq!(ends, [(0, 1), (0, 2)]);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        for (text, expected) in [
            ("0,1\n2,2\n", "g:2: found a link from router 2 to itself"),
            (
                "u,v\n0,1\n1,2\n1,0\n",
                "g:4: found link 0,1 again (line 2 has it)",
            ),
            ("0,1\n1,x\n", "g:2: found router `x`"),
            ("0,1\n1,-2\n", "g:2: found router `-2`"),
            ("-1,1\n", "g:1: found router `-1`"),
            ("0,4294967296\n", "g:1: found router `4294967296`"),
            ("0,1.5\n", "g:1: found router `1.5`"),
            ("0,1\n1,2,0\n", "g:2: found capacity `0`"),
            ("0,1,-1\n", "g:1: found capacity `-1`"),
            ("0,1,inf\n", "g:1: found capacity `inf`"),
            ("0,1,NaN\n", "g:1: found capacity `NaN`"),
            ("0,1,1e308\n", "g:1: found capacity `1e308`"),
            ("0,1,1,1,1\n", "g:1: found `0,1,1,1,1`"),
            ("0,1,1,-1\n", "g:1: found weight `-1`"),
            ("0,1,1,1001\n", "g:1: found weight `1001`"),
            ("u,v,cables\n0,1,0\n", "g:2: found cables `0`"),
            ("0\n", "g:1: found `0`"),
            (
                "0,1\n1,2000000000\n",
                "g:2: found router 2000000000, but no link of router 2",
            ),
            ("1,2\n", "g:1: found router 1, but no link of router 0"),
            (
                "0,1\n1,2\n4,3\n",
                "g:3: found router 3, which no path joins to router 0",
            ),
            ("# nothing\n", "g: found no links"),
            ("u,v\n0,1\nu,v\n", "g:3: found router `u`"),
            ("u,v,colour\n0,1,2\n", "g:1: found the column `colour`"),
            ("u,u,v\n0,1,2\n", "g:1: found the column `u`"),
            ("u,target\n0,1\n", "g:1: found the header `u,target`"),
            ("a,b\n0,1\n", "g:2: found router `0`"),
            ("u,v\n0,1,1\n", "g:2: found `0,1,1`"),
        ] {
            let error = read_edges(&Text::new("g", text)).err().unwrap().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    proptest! {
        /// A header places the columns: the same links whatever their order, their names and what separates them.
        #[test]
        fn columns_may_stand_in_any_order(
            rows in prop::collection::vec((1u32..50, 0u32..9, 1u32..5), 1..20),
            order in Just(vec![0usize, 1, 2, 3, 4]).prop_shuffle(), pair in 0usize..4, separator in 0usize..4,
        ) {
            let separator = [",", ";", " ", "\t"][separator];
            let [u, v] = END_NAMES[pair];
            let mut lines = vec![[u, v, "capacity", "weight", "cables"].map(String::from)];
            let mut expected = Vec::new();
            for (i, (capacity, weight, cables)) in (0..).zip(&rows) {
                lines.push([i, i + 1, *capacity, *weight, *cables].map(|x: u32| x.to_string()));
                expected.push((i, i + 1, f64::from(capacity * cables), *weight, *cables));
            }
            let mut text = String::new();
            for line in lines {
                let fields: Vec<&str> = order.iter().map(|place| line[*place].as_str()).collect();
                text += &format!("{}\n", fields.join(separator));
            }
            prop_assert_eq!(read_links(&text), (rows.len() as u32 + 1, expected));
        }
    }
}
