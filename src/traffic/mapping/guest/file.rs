//! Guests from files: CSV, MatrixMarket, Scotch graphs, TopoMatch matrices.

use super::{MAX_PROCESSES, Message};
use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::{Line, Text};
use nodeorder_base::registry::{Entry, Registry};
use nodeorder_network::topology::Context;

/// A format of guest files: an entry of [`FORMATS`], named by the ending of its files. It reads the number of
/// processes and the messages as they stand in the file.
pub type FormatEntry = Entry<Build>;

type Build = fn(&Text) -> Result<(u32, Vec<Message>)>;

/// Every format; each ending may be followed by `.gz`.
pub static FORMATS: Registry<Build> = Registry::new(
    "guest format",
    "",
    &[
        FormatEntry {
            name: "csv",
            about: "source,target,volume, header optional; processes from 0",
            example: "traffic.csv",
            options: &[],
            parse: csv,
        },
        FormatEntry {
            name: "mtx",
            about: "MatrixMarket coordinate or array: row is source, column target",
            example: "traffic.mtx",
            options: &[],
            parse: matrix_market,
        },
        FormatEntry {
            name: "grf",
            about: "Scotch graph: edges stand at both ends, edge loads are volumes",
            example: "traffic.grf",
            options: &[],
            parse: scotch,
        },
        FormatEntry {
            name: "mat",
            about: "TopoMatch: a square matrix as text, row is source",
            example: "traffic.mat",
            options: &[],
            parse: topomatch,
        },
    ],
);

/// The format of a path, from its ending.
pub(super) fn format(path: &str) -> Result<&'static FormatEntry> {
    let plain = path.strip_suffix(".gz").unwrap_or(path);
    let ending = plain.rsplit_once('.').map_or("", |(_, ending)| ending);
    FORMATS
        .iter()
        .find(|format| format.name == ending)
        .ok_or_else(|| {
            let expected: Vec<String> = FORMATS.names().map(|name| format!(".{name}")).collect();
            let found = format!("a guest file ending in `{ending}`");
            Error::input(
                SourceLocation::option(path),
                found,
                format!("one of {}", expected.join(", ")),
            )
        })
}

/// Number of processes and messages, as they stand in the file.
pub(super) fn read(text: &Text, format: &str, context: &Context) -> Result<(u32, Vec<Message>)> {
    // No format writes a message in fewer than four characters.
    let bytes = (text.as_str().len() as u64 / 2).saturating_mul(size_of::<Message>() as u64);
    context.require(&format!("{}: the guest's messages", text.name()), bytes)?;
    let (processes, messages) = (FORMATS.find_at(format, || text.location())?.parse)(text)?;
    if processes == 0 {
        return Err(Error::input(
            text.location(),
            "no processes",
            "at least one message",
        ));
    }
    Ok((processes, messages))
}

/// A process id from `base` up, below [`MAX_PROCESSES`] after subtracting it.
fn process(line: &Line<'_>, text: &str, base: u32, count: Option<u32>) -> Result<u32> {
    let most = count.unwrap_or(MAX_PROCESSES);
    match text.parse::<u32>().ok().and_then(|p| p.checked_sub(base)) {
        Some(p) if p < most => Ok(p),
        _ => {
            let last = u64::from(base) + u64::from(most) - 1;
            let expected = format!("a process from {base} to {last}");
            Err(line.wrong(format!("process `{text}`"), expected))
        }
    }
}

fn volume(line: &Line<'_>, text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 => Ok(v),
        _ => Err(line.wrong(format!("volume `{text}`"), "a finite number of 0 or more")),
    }
}

fn csv(text: &Text) -> Result<(u32, Vec<Message>)> {
    let (mut processes, mut messages) = (0, Vec::new());
    for (i, line) in text.data_lines().enumerate() {
        let fields = line.fields()?;
        if i == 0 && fields.len() > 1 && fields.iter().all(|f| f.parse::<f64>().is_err()) {
            continue;
        }
        let [source, target, amount] = fields.as_slice() else {
            return Err(line.wrong(format!("`{}`", line.text), "source,target,volume"));
        };
        let source = process(&line, source, 0, None)?;
        let target = process(&line, target, 0, None)?;
        processes = processes.max(source + 1).max(target + 1);
        messages.push(Message {
            source,
            target,
            volume: volume(&line, amount)?,
        });
    }
    Ok((processes, messages))
}

/// Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR 5935, 1996. Entries of a
/// symmetric matrix stand for both directions; pattern matrices have volume 1.
fn matrix_market(text: &Text) -> Result<(u32, Vec<Message>)> {
    let header = "%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric";
    let mut lines = text.lines();
    let first = lines
        .next()
        .ok_or_else(|| Error::input(text.location(), "nothing", header))?;
    let (coordinate, pattern, symmetric) = kind(&first, header)?;
    let mut lines = lines.filter(|l| !l.text.trim().is_empty() && !l.text.starts_with('%'));
    let sizes = lines
        .next()
        .ok_or_else(|| Error::input(text.location(), "no sizes", "rows columns"))?;
    let wanted = if coordinate {
        "rows columns entries"
    } else {
        "rows columns"
    };
    let numbers: Option<Vec<u64>> = sizes
        .text
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let numbers = numbers.filter(|n| n.len() == if coordinate { 3 } else { 2 });
    let numbers = numbers.ok_or_else(|| sizes.wrong(format!("`{}`", sizes.text), wanted))?;
    let n = numbers[0];
    if numbers[1] != n || n > u64::from(MAX_PROCESSES) {
        let found = format!("{} rows and {} columns", n, numbers[1]);
        return Err(sizes.wrong(found, format!("a square matrix of at most {MAX_PROCESSES}")));
    }
    let n = n as u32;
    let mut messages = Vec::new();
    let mut send = |source: u32, target: u32, volume: f64| {
        messages.push(Message {
            source,
            target,
            volume,
        });
        if symmetric && source != target {
            messages.push(Message {
                source: target,
                target: source,
                volume,
            });
        }
    };
    let mut found = 0;
    if coordinate {
        for line in lines {
            let words: Vec<&str> = line.text.split_whitespace().collect();
            let (row, column, amount) = match (words.as_slice(), pattern) {
                (&[row, column], true) => (row, column, "1"),
                (&[row, column, amount], false) => (row, column, amount),
                _ => {
                    let expected = if pattern {
                        "row column"
                    } else {
                        "row column value"
                    };
                    return Err(line.wrong(format!("`{}`", line.text), expected));
                }
            };
            let (row, column) = (
                process(&line, row, 1, Some(n))?,
                process(&line, column, 1, Some(n))?,
            );
            send(row, column, volume(&line, amount)?);
            found += 1;
        }
        check_count(&sizes, "entries", found, numbers[2])?;
    } else {
        // Column by column; of a symmetric matrix the lower triangle.
        let all = u64::from(n) * u64::from(n);
        let stored = if symmetric {
            (all + u64::from(n)) / 2
        } else {
            all
        };
        let (mut row, mut column) = (0, 0);
        for line in lines {
            for word in line.text.split_whitespace() {
                if column == n {
                    return Err(line.wrong(format!("`{word}`"), format!("{stored} entries only")));
                }
                send(row, column, volume(&line, word)?);
                found += 1;
                row += 1;
                if row == n {
                    column += 1;
                    row = if symmetric { column } else { 0 };
                }
            }
        }
        check_count(&sizes, "entries", found, stored)?;
    }
    Ok((n, messages))
}

/// Whether a header says coordinates, a pattern, and symmetry.
fn kind(first: &Line<'_>, header: &str) -> Result<(bool, bool, bool)> {
    let words = first.text.to_ascii_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", layout, field, symmetry] = words.as_slice() else {
        return Err(first.wrong(format!("`{}`", first.text), header));
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        _ => return Err(first.wrong(format!("symmetry `{symmetry}`"), "general or symmetric")),
    };
    let pattern = match field {
        "real" | "integer" | "double" => false,
        "pattern" if layout == "coordinate" => true,
        _ => return Err(first.wrong(format!("field `{field}`"), "real, integer or pattern")),
    };
    let coordinate = match layout {
        "coordinate" => true,
        "array" => false,
        _ => return Err(first.wrong(format!("layout `{layout}`"), "coordinate or array")),
    };
    Ok((coordinate, pattern, symmetric))
}

fn check_count(location: &Line<'_>, what: &str, found: u64, stated: u64) -> Result<()> {
    if found == stated {
        return Ok(());
    }
    Err(location.wrong(
        format!("{found} {what}"),
        format!("{stated}, as the file says"),
    ))
}

/// Words of a text with the lines they stand on.
struct Words<'a> {
    text: &'a Text,
    words: Box<dyn Iterator<Item = (Line<'a>, &'a str)> + 'a>,
}

impl<'a> Words<'a> {
    fn new(text: &'a Text) -> Self {
        let words = text
            .data_lines()
            .flat_map(|l| l.text.split_whitespace().map(move |w| (l, w)));
        Words {
            text,
            words: Box::new(words),
        }
    }

    fn next(&mut self, expected: &str) -> Result<(Line<'a>, &'a str)> {
        let end = || Error::input(self.text.location(), "the end", expected);
        self.words.next().ok_or_else(end)
    }

    fn number(&mut self, expected: &str) -> Result<(Line<'a>, u64)> {
        let (line, word) = self.next(expected)?;
        let number = word
            .parse()
            .map_err(|_| line.wrong(format!("`{word}`"), expected))?;
        Ok((line, number))
    }
}

/// Pellegrini, "Scotch and libScotch User's Guide", graph files: version, `vertices arcs`, `base flags`
/// (hundreds: labels, tens: edge loads, units: vertex loads), then for each vertex
/// `[label] [load] degree {[edge load] neighbour}`. Labels are refused: they would renumber the processes.
fn scotch(text: &Text) -> Result<(u32, Vec<Message>)> {
    let mut words = Words::new(text);
    let (line, version) = words.number("the version, 0")?;
    if version != 0 {
        return Err(line.wrong(format!("version {version}"), "a graph of version 0"));
    }
    let (sizes, vertices) = words.number("the number of vertices")?;
    if vertices > u64::from(MAX_PROCESSES) {
        let expected = format!("at most {MAX_PROCESSES}");
        return Err(sizes.wrong(format!("{vertices} vertices"), expected));
    }
    let (_, arcs) = words.number("the number of arcs, twice that of edges")?;
    let (line, base) = words.number("the base, 0 or 1")?;
    if base > 1 {
        return Err(line.wrong(format!("base {base}"), "0 or 1"));
    }
    let (line, flags) = words.next("three flags, such as 010")?;
    let flag = |i: usize| flags.as_bytes().iter().rev().nth(i) == Some(&b'1');
    if flags.len() > 3 || !flags.bytes().all(|b| b == b'0' || b == b'1') {
        return Err(line.wrong(format!("flags `{flags}`"), "three flags, such as 010"));
    }
    if flag(2) {
        return Err(line.wrong(format!("flags `{flags}`"), "a graph without vertex labels"));
    }
    let (edge_loads, vertex_loads, n) = (flag(1), flag(0), vertices as u32);
    let mut messages: Vec<Message> = Vec::new();
    for source in 0..n {
        if vertex_loads {
            words.next("a vertex load")?;
        }
        let (_, degree) = words.number("a degree")?;
        for _ in 0..degree {
            let mut amount = 1.0;
            if edge_loads {
                let (line, word) = words.next("an edge load")?;
                amount = volume(&line, word)?;
            }
            let (line, word) = words.next("a neighbour")?;
            let target = process(&line, word, base as u32, Some(n))?;
            messages.push(Message {
                source,
                target,
                volume: amount,
            });
        }
    }
    if let Ok((line, word)) = words.next("") {
        return Err(line.wrong(format!("`{word}`"), format!("{n} vertices only")));
    }
    check_count(&sizes, "arcs", messages.len() as u64, arcs)?;
    Ok((n, messages))
}

/// Jeannot, Mercier, Tessier, "Process placement in multicore clusters", TPDS 25(4), 2014: the matrix row
/// by row, one a line.
fn topomatch(text: &Text) -> Result<(u32, Vec<Message>)> {
    let (mut n, mut rows, mut messages) = (0, 0u32, Vec::new());
    for line in text.data_lines() {
        let count = line.text.split_whitespace().count();
        if rows == 0 {
            n = count;
            if n > MAX_PROCESSES as usize {
                let expected = format!("at most {MAX_PROCESSES}");
                return Err(line.wrong(format!("{n} columns"), expected));
            }
        }
        if count != n || rows as usize == n {
            let found = format!("{count} numbers in row {}", rows + 1);
            return Err(line.wrong(found, format!("a square matrix, {n} rows of {n}")));
        }
        for (target, word) in line.text.split_whitespace().enumerate() {
            let amount = volume(&line, word)?;
            if amount > 0.0 {
                messages.push(Message {
                    source: rows,
                    target: target as u32,
                    volume: amount,
                });
            }
        }
        rows += 1;
    }
    if (rows as usize) < n {
        let found = format!("{rows} rows of {n}");
        return Err(Error::input(text.location(), found, "a square matrix"));
    }
    Ok((rows, messages))
}

#[cfg(test)]
mod tests {
    use super::super::{Guest, Traffic, tests::messages};
    use super::*;

    /// A `%` stands for the first words of a matrix.
    fn guest(format: &str, text: &str) -> Result<Guest> {
        let text = text.replacen("% ", "%%MatrixMarket matrix ", 1);
        Guest::read(&Text::new("g", text), format, &Context::default())
    }

    fn list(format: &str, text: &str) -> (u32, Vec<(u32, u32, f64)>) {
        let guest = guest(format, text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(matches!(guest.traffic(), Traffic::Messages(_)));
        (guest.processes(), messages(&guest))
    }

    /// Three messages written in every format.
    #[test]
    fn all_formats_say_the_same() {
        let expected = (4, vec![(0, 1, 2.0), (1, 0, 2.0), (1, 3, 0.5), (3, 1, 0.5)]);
        for (format, text) in [
            (
                "csv",
                "source,target,volume\n0,1,2\n1,0,2\n3,1,0.5\n1,3,0.5\n",
            ),
            (
                "csv",
                "# no header\n0,1,1\n1,0,2\n\n0 , 1, 1\n3,1,0.5\n1,3,0.5\n2,2,9\n0,2,0\n",
            ),
            (
                "mtx",
                "% coordinate real general\n%c\n4 4 4\n1 2 2\n2 1 2\n2 4 .5\n4 2 .5\n",
            ),
            (
                "mtx",
                "% coordinate real symmetric\n4 4 2\n2 1 2\n4 2 5e-1\n",
            ),
            (
                "mtx",
                "% array real general\n4 4\n0 2 0 0\n2 0 0 .5\n0 0 0 0\n0 .5 0 0\n",
            ),
            (
                "mtx",
                "% array real symmetric\n4 4\n7\n2\n0\n0\n0\n0\n.5\n0\n0\n0\n",
            ),
            ("grf", "0\n4 4\n0 010\n1 2 1\n2 2 0 0.5 3\n0\n1 0.5 1\n"),
            (
                "grf",
                "0 4 4 1 011\n5 1 2 2\n5 2 2 1 0.5 4\n5 0\n5 1 0.5 2\n",
            ),
            ("mat", "0 2 0 0\n2 0 0 .5\n0 0 0 0\n0 .5 0 0\n"),
        ] {
            assert_eq!(list(format, text), expected, "{format}: {text}");
        }
        let pattern = "% coordinate pattern general\n3 3 1\n1 3\n";
        assert_eq!(list("mtx", pattern), (3, vec![(0, 2, 1.0)]));
        assert_eq!(
            list("grf", "0\n2 2\n0 000\n1 1\n1 0\n"),
            (2, vec![(0, 1, 1.0), (1, 0, 1.0)])
        );
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let mtx = "% coordinate real general\n";
        for (format, text, expected) in [
            ("csv", "0,1,2\n1,x,2\n", "g:2: found process `x`"),
            (
                "csv",
                "0,1,-2\n",
                "g:1: found volume `-2`; expected a finite number of 0 or more",
            ),
            (
                "csv",
                "source,target,volume\n0,1,inf\n",
                "g:2: found volume `inf`",
            ),
            ("csv", "0,1,nan\n", "g:1: found volume `nan`"),
            (
                "csv",
                "0,1\n",
                "g:1: found `0,1`; expected source,target,volume",
            ),
            ("csv", "0,16777216,1\n", "g:1: found process `16777216`"),
            ("csv", "# nothing\n", "g: found no processes"),
            (
                "mtx",
                "1 2 3\n",
                "g:1: found `1 2 3`; expected %%MatrixMarket",
            ),
            (
                "mtx",
                "% coordinate complex general\n",
                "g:1: found field `complex`",
            ),
            (
                "mtx",
                "% coordinate real hermitian\n",
                "g:1: found symmetry",
            ),
            (
                "mtx",
                &format!("{mtx}3 4 1\n1 1 1\n"),
                "g:2: found 3 rows and 4 columns",
            ),
            (
                "mtx",
                &format!("{mtx}3 3 2\n1 2 1\n"),
                "g:2: found 1 entries; expected 2",
            ),
            (
                "mtx",
                &format!("{mtx}3 3 1\n0 2 1\n"),
                "g:3: found process `0`; expected a process from 1 to 3",
            ),
            (
                "mtx",
                &format!("{mtx}3 3 1\n1 4 1\n"),
                "g:3: found process `4`",
            ),
            (
                "mtx",
                &format!("{mtx}3 3 1\n1 2 -1\n"),
                "g:3: found volume `-1`",
            ),
            (
                "mtx",
                &format!("{mtx}3 3 1\n1 2\n"),
                "g:3: found `1 2`; expected row column value",
            ),
            ("mtx", mtx, "g: found no sizes"),
            (
                "mtx",
                "% array real general\n2 2\n1 1 1 1\n1\n",
                "g:4: found `1`",
            ),
            (
                "mtx",
                "% array real general\n2 2\n1 1 1\n",
                "g:2: found 3 entries",
            ),
            ("grf", "1\n", "g:1: found version 1"),
            ("grf", "0\n2 2\n0 100\n", "g:3: found flags `100`"),
            (
                "grf",
                "0\n2 2\n0 000\n1 2\n1 0\n",
                "g:4: found process `2`; expected a process from 0 to 1",
            ),
            (
                "grf",
                "0\n2 3\n0 000\n1 1\n1 0\n",
                "g:2: found 2 arcs; expected 3",
            ),
            (
                "grf",
                "0\n2 2\n0 000\n1 1\n",
                "g: found the end; expected a degree",
            ),
            (
                "grf",
                "0\n2 2\n0 000\n1 1\n1 0\n7\n",
                "g:6: found `7`; expected 2 vertices only",
            ),
            ("mat", "0 1\n1 0 0\n", "g:2: found 3 numbers in row 2"),
            ("mat", "0 1\n", "g: found 1 rows of 2"),
            ("mat", "0 1\n-1 0\n", "g:2: found volume `-1`"),
            ("mat", "0 1\n1 0\n1 1\n", "g:3: found 2 numbers in row 3"),
            ("dot", "", "g: found unknown guest format `dot`"),
        ] {
            let error = guest(format, text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{format} {text:?}: {error}");
        }
    }

    #[test]
    fn the_ending_tells_the_format() {
        assert_eq!(format("a/b.csv").unwrap().name, "csv");
        assert_eq!(format("b.mtx.gz").unwrap().name, "mtx");
        let error = format("a.txt").unwrap_err().to_string();
        assert!(
            error.contains("ending in `txt`; expected one of .csv, .mtx, .grf, .mat"),
            "{error}"
        );
    }
}
