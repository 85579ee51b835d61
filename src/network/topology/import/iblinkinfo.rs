//! InfiniBand fabrics from lists of ports: the output of `iblinkinfo`, with `-l` or without, and of `ibnetdiscover -p`.
//!
//! A line has a port, and the port at the other end of its cable; an LID names a switch or a port of an adapter:
//!
//! ```text
//! Switch: 0x0002c9 leaf1:                                                                      iblinkinfo
//!       1  21[  ] ==( 4X  25.78125 Gbps Active/  LinkUp)==>       3   1[  ] "spine1" ( )
//! 0x0002c9 "leaf1"  1  21[  ] ==( … )==>  0x0002ca       3   1[  ] "spine1" ( )                iblinkinfo -l
//! SW     1 21 0x0002c9 4x EDR - SW     3  1 0x0002ca ( 'leaf1' - 'spine1' )                    ibnetdiscover -p
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::fabric_ports::{Fabric, Peer, Port, RAIL, compute_rate, parse_options};
use crate::topology::family::TopologyEntry;
use nodeorder_base::{Line, Opt, Result, Text};

/// `iblinkinfo:FILE[,rail=mlx5_0]`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "iblinkinfo",
    about: "the InfiniBand fabric that iblinkinfo or ibnetdiscover -p printed, names \
     kept (rail=: by one adapter of each node)",
    example: "iblinkinfo:links.txt",
    options: &[
        Opt::file("file", "what iblinkinfo or ibnetdiscover -p printed").positional(),
        RAIL,
    ],
    parse: |params, _| {
        let expected = "what iblinkinfo printed, as in iblinkinfo:links.txt";
        parse_options(params, expected, read_fabric)
    },
};

/// Most ports of an adapter. A cable to a higher port leads to a switch.
const ADAPTER_PORTS: u32 = 4;

/// Reads the ports that are up. A switch is called by its GUID, as `ibnetdiscover` calls it. Fails, with the line, if one
/// has another form.
///
/// # References
/// `print_port` and `print_node_header` of iblinkinfo.c and `dump_ports_report` of ibnetdiscover.c, in rdma-core's
/// infiniband-diags.
fn read_fabric(text: &Text) -> Result<Fabric<'_>> {
    Ok(join_lines(&read_lines(text)?))
}

/// A port by the LID of its switch or adapter, and its number.
type End<'t> = (&'t str, u32);

/// A line of a port.
struct PortLine<'t> {
    /// Whether the port is a switch's; `None` if the line does not say.
    of_switch: Option<bool>,
    /// GUID of the switch or the adapter's port; empty if the line has none.
    guid: &'t str,
    end: End<'t>,
    rate: Option<f64>,
    /// The other end and its description; `None` if the port is down.
    peer: Option<(End<'t>, &'t str)>,
    line: Line<'t>,
}

/// Reads every line of a port.
fn read_lines(text: &Text) -> Result<Vec<PortLine<'_>>> {
    let mut lines = Vec::new();
    // Whether the section is a switch's, and its GUID.
    let mut section = (None, "");
    for line in text.lines() {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let port = match words[..] {
            [] => continue,
            ["Switch:", guid, ..] => {
                section = (Some(true), guid);
                continue;
            }
            ["CA:" | "Router:", ..] => {
                section = (Some(false), "");
                continue;
            }
            ["SW" | "CA" | "RT", ..] => parse_report_line(line, &words),
            _ => parse_link_line(line, section),
        };
        let expected = "a port of iblinkinfo or ibnetdiscover -p and what it is joined to";
        lines.push(
            port.ok_or_else(|| line.error_here(format!("`{}`", line.text.trim()), expected))?,
        );
    }
    Ok(lines)
}

/// Parses a line of `ibnetdiscover -p`; `None` if it is of another form.
fn parse_report_line<'t>(line: Line<'t>, words: &[&'t str]) -> Option<PortLine<'t>> {
    let [kind, lid, port, guid, width, speed, rest @ ..] = words else {
        return None;
    };
    let mut peer = None;
    if let ["-", _, lid, port, _, "(", ..] = rest {
        let (_, names) = line.text.split_once("( '")?;
        let (_, name) = names.rsplit_once("' - '")?;
        peer = Some((
            (*lid, port.parse().ok()?),
            name.trim_end().strip_suffix("' )")?,
        ));
    }
    Some(PortLine {
        of_switch: Some(*kind == "SW"),
        guid,
        end: (lid, port.parse().ok()?),
        rate: compute_rate(width.trim_end_matches('x'), speed),
        peer,
        line,
    })
}

/// Parses a line of `iblinkinfo` in a section; `None` if it is of another form.
fn parse_link_line<'t>(
    line: Line<'t>,
    (of_switch, guid): (Option<bool>, &'t str),
) -> Option<PortLine<'t>> {
    let (near, rest) = line.text.split_once("==(")?;
    let (state, far) = rest.split_once(")==>")?;
    let (near, _) = near.rsplit_once('[')?;
    let own = near
        .split_whitespace()
        .next()
        .filter(|word| word.starts_with("0x"));
    // With -l there are no sections.
    let of_switch = if near.contains('"') { None } else { of_switch };
    let mut peer = None;
    if state.contains("LinkUp") {
        let (end, name) = far.split_once('[')?;
        let (_, name) = name.split_once('"')?;
        peer = Some((parse_end(end)?, name.rsplit_once('"')?.0));
    }
    let mut words = state.split_whitespace();
    let width = words.next()?.trim_end_matches('X');
    let speed = if state.contains("(FDR10)") {
        "FDR10"
    } else {
        words.next().unwrap_or_default()
    };
    Some(PortLine {
        of_switch,
        guid: own.unwrap_or(guid),
        end: parse_end(near)?,
        rate: compute_rate(width, speed),
        peer,
        line,
    })
}

/// Parses the last two words of a text, an LID and a port.
fn parse_end(text: &str) -> Option<End<'_>> {
    let mut words = text.split_whitespace().rev();
    let port = words.next()?.parse().ok()?;
    let lid = words.next()?;
    lid.parse::<u32>().is_ok().then_some((lid, port))
}

/// Joins the lines to a fabric. Where lines do not say what a port is of, an LID of several ports is a switch's: a port
/// of an adapter has its own.
fn join_lines<'t>(lines: &[PortLine<'t>]) -> Fabric<'t> {
    let mut ports_of: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for line in lines {
        let (lid, port) = line.end;
        ports_of.entry(lid).or_default().insert(port);
    }
    let mut fabric = Fabric::default();
    let mut guid_of: BTreeMap<&str, &str> = BTreeMap::new();
    for line in lines {
        let (lid, _) = line.end;
        // Adapters that are down have all LID 0.
        let several = lid != "0" && ports_of[lid].len() > 1;
        if !line.of_switch.unwrap_or(several) {
            guid_of.insert(lid, line.guid);
        } else if !fabric.known.contains_key(lid) {
            let id = format!("S-{}", line.guid.trim_start_matches("0x"));
            let index = fabric.wiring.add_switch(&id, Vec::new(), line.line.number);
            fabric.known.insert(lid, index);
        }
    }
    for line in lines {
        let (lid, port) = line.end;
        let (Some(&switch), Some(((peer, peer_port), name))) = (fabric.known.get(lid), line.peer)
        else {
            continue;
        };
        let to_switch = fabric.known.contains_key(peer) || peer_port > ADAPTER_PORTS;
        fabric.ports.push(Port {
            switch,
            port,
            peer: if to_switch {
                Peer::Switch(peer)
            } else {
                Peer::Adapter(guid_of.get(peer).copied().unwrap_or(peer))
            },
            peer_port,
            description: name.trim(),
            rate: line.rate,
            line: line.line,
        });
    }
    fabric
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::super::tests::{check_refused, machine, names};
    use crate::topology::Topology;

    /// A port of the fabric below: LID, port, GUID, description, and whether it is a switch's.
    #[derive(Clone, Copy)]
    struct End(u32, u32, u64, &'static str, bool);

    /// Two leaf switches of three nodes each at EDR; from each two cables to one spine, one of the second leaf at DDR.
    fn cables() -> Vec<(End, End, &'static str)> {
        let nodes = [
            "n1 HCA-1", "n2 HCA-1", "n3 HCA-1", "n4 HCA-1", "n5 HCA-1", "n6 HCA-1",
        ];
        let mut cables = Vec::new();
        for (at, node) in (0..).zip(nodes) {
            let leaf = 1 + at / 3;
            let switch = End(
                leaf,
                1 + at % 3,
                u64::from(0xa0 + leaf),
                ["leaf 1", "leaf 2"][leaf as usize - 1],
                true,
            );
            cables.push((
                switch,
                End(10 + at, 1, u64::from(0xb0 + at), node, false),
                "EDR",
            ));
        }
        for (leaf, port) in [(1, 8), (1, 9), (2, 8), (2, 9)] {
            let low = End(leaf, port, u64::from(0xa0 + leaf), "leaf", true);
            let high = End(3, 2 * leaf + port, 0xa3, "MF0;spine [1]:X/U1", true);
            cables.push((
                low,
                high,
                if (leaf, port) == (2, 9) { "DDR" } else { "EDR" },
            ));
        }
        cables
    }

    /// Every port's line, switches before adapters, as a program prints it.
    fn print_ports(print: &dyn Fn(&mut String, &End, &End, &str)) -> String {
        let mut ends = Vec::new();
        for (a, b, speed) in cables() {
            ends.push((a, b, speed));
            ends.push((b, a, speed));
        }
        ends.sort_by_key(|(end, ..)| (end.0, end.1));
        let mut text = String::new();
        for (near, far, speed) in ends {
            print(&mut text, &near, &far, speed);
        }
        text
    }

    fn signalling(speed: &str) -> &'static str {
        if speed == "EDR" {
            "25.78125 Gbps"
        } else {
            "5.0 Gbps"
        }
    }

    /// The format of `print_port` without -l, with a header where the LID is another.
    fn by_sections() -> String {
        let last = std::cell::Cell::new(0);
        print_ports(&|text, near, far, speed| {
            if last.replace(near.0) != near.0 {
                let _ = if near.4 {
                    writeln!(
                        text,
                        "Switch: {:#018x} {}:\n           {:4} {:4}[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )",
                        near.2, near.3, near.0, 36
                    )
                } else {
                    writeln!(text, "CA: {}:", near.3)
                };
            }
            let guid = if near.4 {
                String::new()
            } else {
                format!("{:#018x} ", near.2)
            };
            let _ = writeln!(
                text,
                "      {guid}{:6} {:4}[  ] ==( 4X {:>18} Active/  LinkUp)==>  {:6} {:4}[  ] \"{}\" ( )",
                near.0,
                near.1,
                signalling(speed),
                far.0,
                far.1,
                far.3
            );
        })
    }

    /// The format of `print_port` with -l.
    fn by_lines() -> String {
        print_ports(&|text, near, far, speed| {
            let _ = writeln!(
                text,
                "{:#018x} \"{:>30}\" {:6} {:4}[  ] ==( 4X {:>18} Active/  LinkUp)==>  {:#018x} {:6} {:4}[  ] \"{}\" ( Could be 53.125 Gbps)",
                near.2,
                near.3,
                near.0,
                near.1,
                signalling(speed),
                far.2,
                far.0,
                far.1,
                far.3
            );
        })
    }

    /// The format of `dump_ports_report`.
    fn by_report() -> String {
        print_ports(&|text, near, far, speed| {
            let kind = |end: &End| if end.4 { "SW" } else { "CA" };
            let _ = writeln!(
                text,
                "{:2} {:5} {:2} {:#018x} 4x {speed} - {:2} {:5} {:2} {:#018x} ( '{}' - '{}' )",
                kind(near),
                near.0,
                near.1,
                near.2,
                kind(far),
                far.0,
                far.1,
                far.2,
                near.3,
                far.3
            );
        }) + "SW     3 36 0x00000000000000a3 ?x ???                                     'MF0;spine [1]:X/U1'\n"
    }

    /// The sections of ibnetdiscover.
    fn by_ibnetdiscover() -> String {
        let last = std::cell::Cell::new(0);
        print_ports(&|text, near, far, speed| {
            if !near.4 {
                return;
            }
            if last.replace(near.0) != near.0 {
                let _ = writeln!(text, "Switch 36 \"S-{:016x}\" # \"{}\"", near.2, near.3);
            }
            let kind = if far.4 { 'S' } else { 'H' };
            let _ = writeln!(
                text,
                "[{}] \"{kind}-{:016x}\"[{}] # \"{}\" lid 1 4x{speed}",
                near.1, far.2, far.1, far.3
            );
        })
    }

    fn describe(machine: &Topology) -> String {
        let s = machine.statistics().unwrap();
        format!(
            "{} {:?} {} {}",
            names(machine),
            s.oversubscription,
            s.cables,
            s.capacity
        )
    }

    #[test]
    fn a_fabric_is_the_same_in_every_form_that_the_programs_print() {
        let expected = describe(&machine("ibnetdiscover", &by_ibnetdiscover()).unwrap());
        assert_eq!(expected, "n1 n2 n3 n4 n5 n6 Some(2.586206896551724) 4 3.16");
        for text in [by_sections(), by_lines(), by_report()] {
            assert_eq!(
                describe(&machine("iblinkinfo", &text).unwrap()),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn a_list_that_was_cut_off_is_refused() {
        let text = by_sections();
        let cut = text.split("Switch: 0x00000000000000a3").next().unwrap();
        check_refused(
            "iblinkinfo",
            &[
                (cut, ":6: found a cable to `3`, which no section"),
                ("SW 1 2 0x1 4x\n", ":1: found `SW 1 2 0x1 4x`"),
                (
                    "Switch: 0x1 a:\n 1 x[  ] ==( 4X 5.0 Gbps Active/ LinkUp)==> 2 1[  ] \"n\" ( )\n",
                    ":2: found `1 x[",
                ),
            ],
        );
    }
}
