//! `compare`: slowdowns beside the hops are those of `slowdown`, and its answers follow from them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Runs the command in `folder`; its standard output.
fn nodeorder(folder: &Path, arguments: &[&str]) -> String {
    let output = crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

/// Lines of a text, sorted.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn compare_and_slowdown_agree_and_the_answer_is_the_lowest_mean() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "dragonfly:p=2,a=4,h=2";
    let orders = ["row-major", "random", "bfs", "hierarchical:scatter=2"];
    let mut options = vec!["--duty", "0.3", "--tilings", "1", "--routing", "ecmp-hop"];
    for order in &orders {
        options.extend(["--order", order]);
    }
    let mut words = vec![
        "compare",
        spec,
        "--json",
        "--current",
        "bfs",
        "--out",
        "out",
    ];
    words.extend(&options);
    let document: Value = serde_json::from_str(&nodeorder(folder.path(), &words)).unwrap();
    let rows = nodeorder(folder.path(), &[&["slowdown", spec], &options[..]].concat());
    let file = std::fs::read_to_string(folder.path().join("out/slowdown.csv")).unwrap();
    assert_eq!(sorted(&file), sorted(&rows));
    for (key, guest) in [
        ("all_to_all", "all-to-all"),
        ("stencil", "stencil3d"),
        ("ring", "ring"),
    ] {
        // Mixed slowdowns by ordering and size.
        let mut curves: BTreeMap<&str, Vec<(f64, f64)>> = BTreeMap::new();
        for line in rows.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            if cells[1] == guest {
                let point = (cells[2].parse().unwrap(), cells[5].parse().unwrap());
                curves.entry(cells[0]).or_default().push(point);
            }
        }
        let mean = |order: &str| {
            let points = &curves[order];
            let areas = points
                .windows(2)
                .map(|w| (w[1].0 / w[0].0).ln() * (w[0].1 + w[1].1) / 2.0);
            areas.sum::<f64>() / (points[points.len() - 1].0 / points[0].0).ln()
        };
        let answer = &document["answer"][key];
        let best = answer["order"].as_str().unwrap();
        for order in orders {
            assert!(mean(best) <= mean(order) * 1.005, "{guest}: {best} {order}");
        }
        let gain = answer["gain_over_current"].as_f64().unwrap();
        assert!(
            (gain - (1.0 - mean(best) / mean("bfs"))).abs() < 1e-9,
            "{guest}: {gain}"
        );
        // Sizes at which another ordering is lower: the answer's size is the next.
        let own = &curves[best];
        let lost = (0..own.len()).rev().find(|i| {
            let lowest = curves.values().map(|points| points[*i].1);
            lowest.fold(f64::INFINITY, f64::min) < own[*i].1 * (1.0 - 1e-9)
        });
        let from = own.get(lost.map_or(0, |i| i + 1)).map(|point| point.0);
        assert_eq!(answer["from_size"].as_f64(), from, "{guest}");
    }
}

#[test]
fn the_first_sentence_says_where_compact_placement_hurts() {
    let folder = tempfile::tempdir().unwrap();
    let hurt = nodeorder(folder.path(), &["compare", "dragonfly:p=4,a=8,h=4"]);
    let words = hurt.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with("Compact placement hurts here: "),
        "{words}"
    );
    assert!(
        words.contains("gives a node one link of capacity 1"),
        "{words}"
    );
    // A tree that does not block: no ordering is slowed.
    let tree = nodeorder(folder.path(), &["compare", "fat-tree:k=4"]);
    assert!(!tree.contains("hurts"), "{tree}");
    assert!(tree.contains("all-to-all: no ordering gains bandwidth, communication is not slowed"));
}

/// Where the closest order slows some traffic, its line says that it is the closest, and another line has the order for that
/// traffic: the answer of the JSON document. Terminal and page say the same.
#[test]
fn what_is_installed_is_the_closest_order_or_that_for_the_traffic() {
    let folder = tempfile::tempdir().unwrap();
    let spec = "dragonfly:p=2,a=4,h=2";
    let document = nodeorder(folder.path(), &["compare", spec, "--json"]);
    let document: Value = serde_json::from_str(&document).unwrap();
    let order = |traffic: &str| document["answer"][traffic]["order"].as_str().unwrap();
    let closest = order("distance");
    let traffic = order("all_to_all");
    assert_ne!(closest, traffic);
    let install = |order: &str| {
        format!("nodeorder export {spec} --order {order} --to slurm-lines -o nodes.conf")
    };
    for (current, last) in [
        (
            "row-major",
            format!("For an all-to-all, install {traffic}: {}", install(traffic)),
        ),
        (traffic, format!("For an all-to-all, keep {traffic}.")),
    ] {
        let words = ["compare", spec, "--current", current, "--out", "page"];
        let text = nodeorder(folder.path(), &words);
        let lead = format!("Install the closest order, {closest}: ");
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!("{lead}{} {last}", install(closest))),
            "{said}"
        );
        let page = std::fs::read_to_string(folder.path().join("page/index.html")).unwrap();
        for line in [lead, last] {
            let (before, after) = line.split_once(": ").unwrap_or((&line, ""));
            let (words, name) = before
                .trim_end_matches(['.', ' ', ':'])
                .rsplit_once(' ')
                .unwrap();
            assert!(
                page.contains(&format!("<p>{words} <strong>{name}</strong>")),
                "{words}"
            );
            assert!(
                after.is_empty() || page.contains(&format!("<code>{after}</code>")),
                "{after}"
            );
        }
    }
}

#[test]
fn a_present_order_that_nothing_beats_is_said_to_be_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["compare", "fat-tree:k=4", "--current", "row-major"];
    let text = nodeorder(folder.path(), &words);
    assert!(
        text.contains("Your present order is already best."),
        "{text}"
    );
    let words = ["compare", "torus:8x8", "--current", "random"];
    let text = nodeorder(folder.path(), &words);
    assert!(!text.contains("already best"), "{text}");
    assert!(text.contains("distance: take "), "{text}");
}

#[test]
fn machines_are_compared_by_the_slowdowns_of_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let specs = ["torus:4x4x4", "dragonfly:p=2,a=4,h=2"];
    let text = nodeorder(
        folder.path(),
        &[
            "machines",
            specs[0],
            specs[1],
            "--order",
            "row-major",
            "--json",
        ],
    );
    let document: Value = serde_json::from_str(&text).unwrap();
    for machine in document["machines"].as_array().unwrap() {
        let spec = specs
            .iter()
            .find(|spec| machine["machine"] == **spec)
            .unwrap();
        assert_eq!(machine["slowdown_routing"], "ecmp-hop");
        let mut words = vec!["slowdown", spec, "--routing", "ecmp-hop", "--json"];
        words.extend(["--order", "row-major", "--order", "random"]);
        let slowdowns: Value = serde_json::from_str(&nodeorder(folder.path(), &words)).unwrap();
        for summary in slowdowns["summaries"].as_array().unwrap() {
            let key = match summary["guest"].as_str().unwrap() {
                "all-to-all" => "all_to_all",
                "stencil3d" => "stencil",
                guest => guest,
            };
            let random = if summary["ordering"] == "random" {
                "_random"
            } else {
                ""
            };
            let found = &machine[format!("slowdown_{key}{random}")];
            assert_eq!(*found, summary["mixed"], "{spec} {key}{random}");
        }
    }
}
