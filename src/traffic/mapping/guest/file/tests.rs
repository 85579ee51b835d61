//! Files of guests: every format says the same, and faults are named with their line.

use super::super::tests::messages;
use super::super::{Guest, Traffic};
use super::format_by_ending;
use nodeorder_base::{Result, Text};
use nodeorder_network::Context;

/// A `%` stands for the first words of a matrix.
fn guest(format: &str, text: &str) -> Result<Guest> {
    let text = text.replacen("% ", "%%MatrixMarket matrix ", 1);
    Guest::read_format(&Text::new("g", text), format, &Context::default())
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
        ("dot", "", "g: unknown guest format `dot`"),
    ] {
        let error = guest(format, text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{format} {text:?}: {error}");
    }
}

#[test]
fn the_ending_tells_the_format() {
    assert_eq!(format_by_ending("a/b.csv").unwrap().name, "csv");
    assert_eq!(format_by_ending("b.mtx.gz").unwrap().name, "mtx");
    let error = format_by_ending("a.txt").unwrap_err().to_string();
    assert!(
        error.contains("ending in `txt`; expected one of .csv, .mtx, .grf, .mat"),
        "{error}"
    );
}
