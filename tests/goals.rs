//! What a new user wants, from README alone: each goal within three commands, as the how-to that README names shows
//! them. The texts are run as they stand, so that they and this test cannot part.

use std::path::Path;

use crate::readme::{Step, hold, nodeorder, output, steps};

/// Checks what the last command of a how-to leaves behind.
type Check = fn(&Path);

/// The how-tos, each with its check.
const GOALS: [(&str, Check); 5] = [
    ("slurm", check_slurm_configuration),
    ("buy", check_ranked_offers),
    ("paper", check_figure),
    ("train", check_training_hosts),
    ("simulate", check_platform),
];

#[test]
fn a_new_user_reaches_each_goal_in_three_commands() {
    let readme = std::fs::read_to_string(crate::root().join("README.md")).unwrap();
    for (name, check) in GOALS {
        assert!(
            readme.contains(&format!("](docs/howto/{name}.md)")),
            "{name}"
        );
        let path = crate::root().join(format!("docs/howto/{name}.md"));
        let text = std::fs::read_to_string(path).unwrap();
        let section = text.split("\n## In three commands\n").nth(1).expect(name);
        let section = section.split("\n## ").next().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for step in steps(&text) {
            if let Step::File(file, text) = step {
                std::fs::write(folder.path().join(file), text).unwrap();
            }
        }
        let mut commands = 0;
        for step in steps(section) {
            let (command, shown) = match step {
                Step::File(..) => continue,
                Step::Command(command) => panic!("{name}: `{command}` shows no output"),
                Step::Shown(command, shown) => (command, shown),
            };
            let said = output(folder.path(), nodeorder(), &command);
            hold(&command, &said, &shown);
            let first = shown.iter().take_while(|line| *line != "...").count();
            let lines = said.lines().count();
            assert!(
                first >= lines.min(10),
                "{command}: {first} of {lines} lines"
            );
            commands += 1;
        }
        assert!((1..=3).contains(&commands), "{name}: {commands} commands");
        check(folder.path());
    }
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Both leaf switches of a row, then both of the other: names follow leaf0 to leaf3, rows do not.
fn check_slurm_configuration(folder: &Path) {
    let text = read(folder, "nodes.conf");
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("NodeName=n"));
    let names: Vec<u32> = names.map(|name| name.parse().unwrap()).collect();
    let rows = [1..5, 9..13, 5..9, 13..17];
    let expected: Vec<u32> = rows.into_iter().flatten().collect();
    assert_eq!(names, expected);
    assert!(read(folder, "nodes.conf.topology.conf").contains("SwitchName="));
}

/// The offers by what they cost for their bandwidth; prices counted by hand.
fn check_ranked_offers(folder: &Path) {
    let table = read(folder, "offers/machines.csv");
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let headers = table.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (machine, cost, unit) = (at("machine"), at("cost"), at("cost_per_throughput"));
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let units: Vec<f64> = rows.iter().map(|row| row[unit].parse().unwrap()).collect();
    assert!(units.is_sorted() && units[0] < units[2], "{units:?}");
    for row in &rows {
        // Switches, cables between them; a node link and a node for each of 128 places.
        let [switches, cables] = match &row[machine] {
            // 8 pods of 4 and 4 switches, and 16 above; 16 cables in each pod and 16 above it.
            "A" => [80, 8 * 32],
            // 8 leaf switches of 8 cables up, and 4 spines.
            "B" => [12, 64],
            // A switch a node, 3 cables for each.
            _ => [128, 384],
        };
        let expected = 8000 * switches + 300 * cables + 128 * (100 + 10_000);
        assert_eq!(row[cost].parse::<u32>().unwrap(), expected, "{row:?}");
    }
    assert!(
        read(folder, "offers/index.html")
            .trim_end()
            .ends_with("</html>")
    );
}

/// The figure as PDF, and as SVG its axis: from size to four times the size is the same way everywhere.
fn check_figure(folder: &Path) {
    assert!(
        std::fs::read(folder.join("figure.pdf"))
            .unwrap()
            .starts_with(b"%PDF-")
    );
    let curves = read(folder, "figure.csv");
    assert_eq!(curves.lines().count(), 1 + 3 * 2815);
    let page = std::fs::read_to_string(crate::root().join("docs/howto/paper.md")).unwrap();
    let drawing = page
        .lines()
        .find(|line| line.contains("figure.pdf"))
        .unwrap();
    let drawing = drawing
        .trim_start_matches("$ ")
        .replace("figure.pdf", "figure.svg");
    output(folder, nodeorder(), &drawing);
    let svg = read(folder, "figure.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let place = |label: &str| -> f64 {
        let mut texts = document
            .descendants()
            .filter(|node| node.text() == Some(label));
        let text = texts
            .find(|node| node.attribute("x").is_some())
            .expect(label);
        text.attribute("x").unwrap().parse().unwrap()
    };
    let [first, second, third] = ["16", "64", "256"].map(place);
    assert!(
        ((second - first) - (third - second)).abs() < 1.0,
        "{first} {second} {third}"
    );
}

/// 64 processes on eight hosts, all below the switch of one row.
fn check_training_hosts(folder: &Path) {
    let text = read(folder, "hosts.txt");
    let hosts: Vec<(&str, u32)> = text
        .lines()
        .map(|line| line.split_once(':').unwrap())
        .map(|(host, slots)| (host, slots.parse().unwrap()))
        .collect();
    assert_eq!(hosts.iter().map(|(_, slots)| slots).sum::<u32>(), 64);
    // Row 0 has leaf0 and leaf2, row 1 the others.
    let rows = hosts
        .iter()
        .map(|(host, _)| (host[1..].parse::<u32>().unwrap() - 1) / 4 % 2);
    let rows: std::collections::BTreeSet<u32> = rows.collect();
    assert_eq!((hosts.len(), rows.len()), (8, 1), "{hosts:?}");
}

/// Elements that SimGrid's platform files are made of: hosts, and links between what stands in the zone.
fn check_platform(folder: &Path) {
    let text = read(folder, "platform.xml");
    // The document type is SimGrid's.
    let options = roxmltree::ParsingOptions {
        allow_dtd: true,
        ..Default::default()
    };
    let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
    let count = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    assert_eq!(document.root_element().tag_name().name(), "platform");
    // 64 nodes; two cables for each router of a torus in two dimensions, and a node link each.
    assert!(
        count("host") >= 64 && count("link") >= 128,
        "{} hosts",
        count("host")
    );
    assert_eq!(read(folder, "platform.xml.hosts").lines().count(), 64);
}
