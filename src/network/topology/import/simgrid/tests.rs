//! Platforms as SimGrid's own examples are written, and what is refused.

use super::super::tests::{check_refused, machine, names};
use crate::topology::Topology;

/// Wraps zones into a platform as SimGrid's own examples are written.
fn platform(zones: &str) -> Topology {
    let text = format!(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n\
         <platform version=\"4.1\">\n{zones}\n</platform>\n"
    );
    machine("simgrid", &text).unwrap()
}

fn cluster(radical: &str, topology: &str) -> Topology {
    platform(&format!(
        "<cluster id=\"c\" prefix=\"node-\" radical=\"{radical}\" suffix=\".org\" speed=\"1Gf\" bw=\"125MBps\" \
         lat=\"50us\" {topology}/>"
    ))
}

/// Two routers with a fast cable, three hosts, of which one alone, and a route in each way of writing.
const ZONE: &str = "<zone id=\"world\" routing=\"Full\">\n\
    <host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>\n\
    <host id=\"spare\" speed=\"1Gf\"/>\n\
    <link id=\"la\" bandwidth=\"1Gbps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n\
    <link id=\"lb\" bandwidth=\"125MBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n\
    <link id=\"lc\" bandwidth=\"125MBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n\
    <link id=\"up\" bandwidth=\"250MBps\" latency=\"1us\" sharing_policy=\"SPLITDUPLEX\"/>\n\
    <route src=\"a\" dst=\"c\"><link_ctn id=\"la\" direction=\"UP\"/><link_ctn id=\"up\" direction=\"UP\"/>\
    <link_ctn id=\"lc\" direction=\"DOWN\"/></route>\n\
    <route src=\"b\" dst=\"a\"><link_ctn id=\"lb\" direction=\"UP\"/><link_ctn id=\"la\" direction=\"DOWN\"/></route>\n\
    </zone>";

#[test]
fn places_follow_from_the_order_of_links_in_routes() {
    let zone = platform(ZONE);
    let s = zone.statistics().unwrap();
    assert_eq!((s.nodes, s.routers, s.links), (3, 2, 1));
    assert_eq!(names(&zone), "a b c");
    assert_eq!(zone.network().node_capacity(), 0.5);
    assert!(zone.network().remarks()[0].contains("1 hosts on no link"));
}

#[test]
fn a_backbone_without_directions_is_a_switch() {
    let link = |id: &str| format!("<link id=\"{id}\" bandwidth=\"1GBps\" latency=\"0\"/>");
    let route = |a: &str, b: &str| {
        format!(
            "<route src=\"{a}\" dst=\"{b}\"><link_ctn id=\"l{a}\"/><link_ctn id=\"bb\"/><link_ctn id=\"l{b}\"/></route>"
        )
    };
    let mut text = String::from("<zone id=\"z\" routing=\"Full\">");
    for host in ["a", "b", "c"] {
        text += &format!("<host id=\"{host}\" speed=\"1Gf\"/>");
        text += &link(&format!("l{host}"));
    }
    text += &link("bb");
    text += &(route("a", "b") + &route("a", "c") + &route("b", "c") + "</zone>");
    let star = platform(&text);
    let s = star.statistics().unwrap();
    assert_eq!((s.nodes, s.routers, s.links, s.diameter), (3, 1, 0, 0));
    assert!(star.network().remarks()[0].contains("1 links from a place to itself"));
}

#[test]
fn clusters_are_wired_by_their_topology() {
    let flat = cluster("0-2,7", "");
    assert_eq!(names(&flat), "node-0.org node-1.org node-2.org node-7.org");
    assert_eq!(flat.statistics().unwrap().routers, 1);
    let torus = cluster("0-23", "topology=\"TORUS\" topo_parameters=\"2,3,4\"");
    let s = torus.statistics().unwrap();
    // An extent of 2 has two cables between the same two routers.
    assert_eq!((s.nodes, s.routers, s.links, s.cables), (24, 24, 60, 72));
    assert_eq!((s.degree_min, s.diameter), (5, 4));
    // SimGrid's own example: two levels, four hosts a leaf, four leaves, two cores, one leaf port, two cables up.
    let tree = cluster(
        "0-15",
        "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"",
    );
    let s = tree.statistics().unwrap();
    assert_eq!((s.nodes, s.routers, s.links, s.cables), (16, 6, 8, 16));
    let dragonfly = cluster(
        "0-119",
        "topology=\"DRAGONFLY\" topo_parameters=\"3,4;4,3;5,1;2\"",
    );
    let s = dragonfly.statistics().unwrap();
    // 60 blades; 10 pairs of blades in 12 chassis, 6 pairs of chassis by 5 blades in 3 groups, 3 pairs of groups.
    assert_eq!((s.nodes, s.routers, s.links), (120, 60, 120 + 90 + 3));
    assert_eq!(s.cables, 120 + 3 * 90 + 4 * 3);
}

#[test]
fn wrong_platforms_are_refused_with_their_line() {
    let many = "radical=\"0-9999999999\"";
    check_refused(
        "simgrid",
        &[
            ("<graphml/>", ":1: found <graphml>; expected <platform>"),
            (
                "<platform>\n<host/></platform>",
                ":2: found <host> without id",
            ),
            (
                "<platform>\n<link id='l' bandwidth='fast'/></platform>",
                ":2: found bandwidth `fast`",
            ),
            (
                "<platform><host id='a'/>\n<route src='a' dst='b'/></platform>",
                ":2: found dst `b`",
            ),
            (
                &format!("<platform>\n<cluster id='c' bw='1GBps' {many}/></platform>"),
                ":2: found radical `0-9999999999`; expected at most",
            ),
            (
                "<platform>\n<cluster id='c' bw='1GBps' radical='0-3' topology='TORUS' topo_parameters='3'/></platform>",
                ":2: found 4 hosts in radical",
            ),
            (
                "<!DOCTYPE p [\n<!ENTITY a 'b'>]><platform/>",
                ":2: found an entity",
            ),
        ],
    );
}
