//! InfiniBand fabrics, port by port, from the output of `ibnetdiscover`.
//!
//! Each switch has a section with a line for each port in use; adapters have sections, too, which repeat what those of
//! switches say:
//!
//! ```text
//! Switch 40 "S-0002c9"   # "leaf1" …
//! [1] "H-0002c9"[1]      # "node7 mlx5_0" … 4xHDR      port 1: an adapter
//! [2] "S-0002ca"[7]      # "spine1" … 4xHDR            port 2: port 7 of another switch
//! ```

use super::fabric_ports::{Fabric, Peer, Port, RAIL, compute_rate, parse_options};
use crate::topology::family::TopologyEntry;
use nodeorder_base::{Opt, Result, Text};

/// `ibnetdiscover:FILE[,rail=mlx5_0]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "ibnetdiscover",
    about: "the InfiniBand fabric that ibnetdiscover printed, names kept (rail=: by \
     one adapter of each node)",
    example: "ibnetdiscover:fabric.txt",
    options: &[
        Opt::file("file", "what ibnetdiscover printed").positional(),
        RAIL,
    ],
    parse: |params, _| {
        let expected = "what ibnetdiscover printed, as in ibnetdiscover:fabric.txt";
        parse_options(params, expected, read_sections)
    },
};

/// Keys of lines that say nothing about cables.
const PASSED_OVER: [&str; 6] = [
    "vendid",
    "devid",
    "sysimgguid",
    "switchguid",
    "caguid",
    "rtguid",
];

/// Reads the sections of switches. Fails, with the line, if a port is outside a switch or adapter or a line has another
/// form.
///
/// # References
/// ibnetdiscover(8) of infiniband-diags.
fn read_sections(text: &Text) -> Result<Fabric<'_>> {
    let mut fabric = Fabric::default();
    // The switch whose ports follow; none inside an adapter's section.
    let mut section = None;
    for line in text.lines() {
        let trimmed = line.text.trim();
        let is_attribute =
            trimmed.contains('=') && PASSED_OVER.iter().any(|key| trimmed.starts_with(key));
        if trimmed.is_empty() || trimmed.starts_with('#') || is_attribute {
            continue;
        }
        let (data, comment) = split_comment(trimmed);
        let word = data.split_whitespace().next().unwrap_or_default();
        match word {
            "Switch" => {
                let expected = "Switch PORTS \"S-…\"";
                let id = first_quoted(data)
                    .ok_or_else(|| line.error_here(format!("`{data}`"), expected))?;
                let index = fabric.wiring.switches.len();
                if let Some(other) = fabric.known.insert(id, index) {
                    let other = fabric.wiring.switches[other].line;
                    let found = format!("switch `{id}` again (line {other} has it)");
                    return Err(line.error_here(found, "each once"));
                }
                fabric.wiring.add_switch(id, Vec::new(), line.number);
                section = Some(Some(index));
            }
            "Ca" | "Rt" => section = Some(None),
            _ if word.starts_with('[') => {
                let Some(inside) = section else {
                    let expected = "a line Switch … or Ca … before its ports";
                    return Err(line.error_here(format!("`{data}`"), expected));
                };
                // Adapters' sections repeat what the switches' say.
                let Some(switch) = inside else { continue };
                let Some((port, peer, peer_port)) = parse_port(data) else {
                    let expected = "a port, [N] \"ID\"[M]";
                    return Err(line.error_here(format!("`{data}`"), expected));
                };
                fabric.ports.push(Port {
                    switch,
                    port,
                    peer,
                    peer_port,
                    description: first_quoted(comment).unwrap_or_default().trim(),
                    rate: parse_rate(comment),
                    line,
                });
            }
            _ => {
                let expected = "ibnetdiscover's Switch, Ca and port lines";
                return Err(line.error_here(format!("`{trimmed}`"), expected));
            }
        }
    }
    Ok(fabric)
}

/// Splits a line at its first `#` outside quotes: data and comment.
fn split_comment(text: &str) -> (&str, &str) {
    let mut inside = false;
    for (i, c) in text.char_indices() {
        match c {
            '"' => inside = !inside,
            '#' if !inside => return (text[..i].trim_end(), text[i + 1..].trim()),
            _ => {}
        }
    }
    (text, "")
}

/// Finds the first text in quotes; `None` if there is none, or an empty one.
fn first_quoted(text: &str) -> Option<&str> {
    text.split('"').nth(1).filter(|text| !text.is_empty())
}

/// Reads `[1](guid) "ID"[2](guid)`: a port, the other end and its port; `None` if it is of another form.
fn parse_port(data: &str) -> Option<(u32, Peer<'_>, u32)> {
    let (head, rest) = data.split_once('"')?;
    let (peer, tail) = rest.split_once('"')?;
    let port = parse_number(head)?;
    let peer = match peer.get(..2)? {
        "S-" => Peer::Switch(peer),
        "H-" => Peer::Adapter(peer),
        "R-" => Peer::Router,
        _ => return None,
    };
    Some((port, peer, parse_number(tail)?))
}

/// Reads the number in the brackets that a text begins with.
fn parse_number(text: &str) -> Option<u32> {
    let number = text.strip_prefix('[')?.split(']').next()?;
    number.parse().ok()
}

/// Reads the rate of a port such as `4xHDR`, the last word of its comment, in Gbit/s; `None` if it gives none.
fn parse_rate(comment: &str) -> Option<f64> {
    let (width, speed) = comment.split_whitespace().next_back()?.split_once('x')?;
    compute_rate(width, speed)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{error, machine, names};
    use super::parse_rate;
    use crate::topology::testing::{check_links, check_metric, from_file};

    const FABRIC: &str = include_str!("../../../../tests/data/ibnetdiscover.txt");

    #[test]
    fn a_fabric_keeps_names_leaves_and_parallel_cables() {
        let fabric = machine("ibnetdiscover", FABRIC).unwrap();
        check_links(&fabric);
        check_metric(&fabric);
        let s = fabric.statistics().unwrap();
        assert_eq!((s.nodes, s.routers, s.links, s.diameter), (5, 4, 4, 2));
        assert_eq!(
            names(&fabric),
            "node01 node02 node03 node04 H-0c42a10300a1b2f0"
        );
        let mut capacities = Vec::new();
        fabric
            .network()
            .for_each_link(&mut |u, v, capacity| capacities.push((u, v, capacity)));
        // Leaves are routers 0 and 1. Two cables to the first spine, one of twice the rate to the second
        // from leaf 1.
        assert_eq!(
            capacities,
            [(0, 2, 2.0), (0, 3, 1.0), (1, 2, 2.0), (1, 3, 2.0)]
        );
    }

    #[test]
    fn a_rail_is_one_adapter_of_each_node() {
        let rail = |rail: &str| from_file("ibnetdiscover", FABRIC, &format!(",rail={rail}"));
        assert_eq!(
            names(&rail("mlx5_0").unwrap()),
            "node01 node02 node03 node04"
        );
        assert_eq!(names(&rail("mlx5_1").unwrap()), "node01");
        let none = rail("mlx5_9").unwrap_err();
        assert!(none.to_string().contains("found no nodes"), "{none}");
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let changed = |from: &str, to: &str| {
            assert!(FABRIC.contains(from), "{from}");
            error("ibnetdiscover", &FABRIC.replacen(from, to, 1))
        };
        let cable = "[21]\t\"S-b8cef60300e5d2c0\"[1]";
        for (from, to, message) in [
            (
                "Switch\t40 \"S-b8cef60300e5d2a0\"",
                "Switch\t40",
                "found `Switch 40`",
            ),
            (
                cable,
                "[21]\t\"S-1\"[1]",
                "a cable to `S-1`, which no section",
            ),
            (cable, "[x]\t\"S-1\"[1]", "found `[x]"),
            (cable, "[22]\t\"S-b8cef60300e5d2c0\"[1]", "port 22 again"),
            (
                cable,
                "[21]\t\"S-b8cef60300e5d2c0\"[9]",
                "a cable to port 21",
            ),
            ("vendid=0x2c9", "nonsense", "found `nonsense`"),
        ] {
            let error = changed(from, to);
            assert!(
                error.starts_with(':') && error.contains(message),
                "{to}: {error}"
            );
        }
        let error = error("ibnetdiscover", "[1]\t\"S-1\"[2]\n");
        assert!(error.starts_with(":1: found `[1]"), "{error}");
    }

    /// Two leaf switches of three nodes at EDR; of the three cables up from the second one runs at 4xDDR.
    #[test]
    fn a_slow_cable_is_one_cable() {
        let mut text = String::new();
        let mut spine = String::from("Switch 36 \"S-9\" # \"spine\"\n");
        for leaf in 0..2 {
            text += &format!("Switch 36 \"S-{leaf}\" # \"leaf{leaf}\"\n");
            for port in 1..=3 {
                let speed = if (leaf, port) == (1, 3) {
                    "4xDDR"
                } else {
                    "4xEDR"
                };
                let far = 3 * leaf + port;
                text += &format!("[{port}] \"S-9\"[{far}] # \"spine\" {speed}\n");
                text += &format!("[{}] \"H-{far}\"[1] # \"n{far} HCA-1\" 4xEDR\n", port + 9);
                spine += &format!("[{far}] \"S-{leaf}\"[{port}] # \"leaf\" {speed}\n");
            }
        }
        let s = machine("ibnetdiscover", &(text + &spine))
            .unwrap()
            .statistics()
            .unwrap();
        assert_eq!((s.cables, s.ports, s.capacity), (6, 6, 5.16));
        assert_eq!(
            (s.oversubscription, s.oversubscription_by),
            (Some(300.0 / 216.0), "capacity")
        );
    }

    #[test]
    fn rates_are_widths_times_lanes() {
        assert_eq!(
            (
                parse_rate("\"x\" lid 2 4xHDR"),
                parse_rate("lid 5 1xSDR"),
                parse_rate("")
            ),
            (Some(200.0), Some(2.0), None)
        );
    }
}
