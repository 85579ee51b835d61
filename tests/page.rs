//! A comparison's files: well-formed, self-contained, safe with any label, and true to the numbers.

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::{comparison::Comparison, mpc};
use nodeorder_present::plot;
use nodeorder_present::report::{self, csv};

const HOSTILE: &str = "a,\"b\" <script>alert('x')</script> & {{verdict}} \u{7}é 漢字 ]]>";
const SVG: &str = "http://www.w3.org/2000/svg";

/// Topologies, orderings of all nodes, and how many nodes a further one of hostile name takes.
const MACHINES: [(&str, &[&str], Option<usize>); 7] = [
    ("mesh:3", &["row-major", "snake"], Some(2)),
    ("torus:7", &["row-major"], None),
    ("torus:300", &["row-major", "snake"], Some(100)),
    (
        "torus:6x5x4,per_router=2",
        &["row-major", "snake:axes=zxy"],
        Some(7),
    ),
    ("torus:4x3x3x2x2", &["snake", "row-major"], Some(143)),
    (
        "cascade:4x3x3,per_router=4,limit=131",
        &["row-major", "snake"],
        Some(50),
    ),
    ("mesh:1x2,per_router=8", &["row-major"], Some(3)),
];

/// The comparison of a machine's orderings and all its files.
fn files(spec: &str, names: &[&str], part: Option<usize>) -> (Comparison, Vec<(String, String)>) {
    let topology = Topology::inline(spec, &Default::default()).unwrap();
    let mut orders: Vec<NodeOrder> = names
        .iter()
        .map(|o| NodeOrder::make(&topology, o).unwrap())
        .collect();
    if let Some(count) = part {
        let nodes: Vec<NodeId> = topology.nodes().iter().take(count).collect();
        orders.push(NodeOrder::new(&topology, HOSTILE, nodes).unwrap());
    }
    let curves = orders
        .iter()
        .map(|o| mpc::curve(&topology, o).unwrap())
        .collect();
    let comparison = Comparison::new(&topology, &orders, curves).unwrap();
    let command = format!("nodeorder compare '{spec}' --order '{HOSTILE}'");
    let written = report::files(
        &topology,
        &orders,
        &comparison,
        &report::WorkloadResults::default(),
        &command,
    )
    .unwrap()
    .into_iter()
    .map(|file| {
        let mut bytes = Vec::new();
        file.write_to(&mut bytes).unwrap();
        (file.name, String::from_utf8(bytes).unwrap())
    })
    .collect();
    (comparison, written)
}

fn content<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    &files
        .iter()
        .find(|(n, _)| n == name)
        .unwrap_or_else(|| panic!("no {name}"))
        .1
}

#[test]
fn every_figure_is_well_formed_and_stays_within_its_box() {
    for (spec, names, part) in MACHINES {
        let (_, files) = files(spec, names, part);
        let figures: Vec<_> = files
            .iter()
            .filter(|(name, _)| name.ends_with(".svg"))
            .collect();
        assert!(figures.len() >= 4, "{spec}");
        for (name, text) in figures {
            let document =
                roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{spec} {name}: {e}"));
            let root = document.root_element();
            let size = |key| root.attribute(key).unwrap().parse::<f64>().unwrap();
            assert_eq!(root.attribute("role"), Some("img"));
            assert!(
                document
                    .descendants()
                    .any(|n| n.has_tag_name((SVG, "title")))
            );
            for node in document.descendants() {
                for (x, y) in node.attribute("d").map(corners).unwrap_or_default() {
                    let inside = (-0.5..=size("width") + 0.5).contains(&x)
                        && (-0.5..=size("height") + 0.5).contains(&y);
                    assert!(inside, "{spec} {name}: ({x}, {y})");
                }
                if node.has_tag_name((SVG, "text")) {
                    let at = |key| node.attribute(key).unwrap().parse::<f64>().unwrap();
                    assert!((0.0..size("width")).contains(&at("x")), "{spec} {name}");
                    assert!((0.0..size("height")).contains(&at("y")), "{spec} {name}");
                }
            }
            assert!(text.len() < 300_000 && !text.contains("NaN") && !text.contains("inf"));
        }
    }
}

/// The points of a path of M, l, h, v, a and z commands.
fn corners(path: &str) -> Vec<(f64, f64)> {
    let mut spaced = String::new();
    for c in path.chars() {
        match c {
            '-' => spaced.push_str(" -"),
            c if c.is_ascii_alphabetic() => spaced.extend([' ', c, ' ']),
            c => spaced.push(c),
        }
    }
    let mut words = spaced.split_whitespace();
    let (mut points, mut x, mut y) = (Vec::new(), 0.0, 0.0);
    while let Some(command) = words.next() {
        let mut number = || words.next().unwrap().parse::<f64>().unwrap();
        match command {
            "M" => (x, y) = (number(), number()),
            "l" => (x, y) = (x + number(), y + number()),
            "h" => x += number(),
            "v" => y += number(),
            "a" => {
                (0..5).for_each(|_| {
                    number();
                });
                (x, y) = (x + number(), y + number());
            }
            "z" => {}
            other => panic!("{other} in {path}"),
        }
        points.push((x, y));
    }
    points
}

#[test]
fn the_page_asks_for_nothing_and_defuses_labels() {
    for (spec, names, part) in MACHINES {
        let (_, files) = files(spec, names, part);
        let page = content(&files, "index.html");
        assert!(!page.contains("://"), "{spec}");
        assert!(
            !page.contains("<script>alert") && !page.contains("alert('x')"),
            "{spec}"
        );
        assert_eq!(page.matches("<script>").count(), 1, "{spec}");
        // A label is not taken for a part of the template, and every part is filled.
        assert_eq!(
            page.matches("{{").count(),
            page.matches("{{verdict}}").count(),
            "{spec}"
        );
        // Within the page a part of a drawing may name another one.
        let foreign = page.replace("url(#", "");
        for request in ["src=", "@import", "url(", "rel=\"stylesheet"] {
            assert!(!foreign.contains(request), "{spec}: {request}");
        }
        for link in page
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            let written = files.iter().any(|(name, _)| name == link);
            let id = link.strip_prefix('#').map(|id| format!(" id=\"{id}\""));
            let within = id.is_some_and(|id| page.contains(&id));
            assert!(written || within || link == "data:,", "{spec}: {link}");
        }
        for tag in [
            "table", "figure", "section", "svg", "details", "div", "p", "dl", "td",
        ] {
            let opened = page.matches(&format!("<{tag} ")).count()
                + page.matches(&format!("<{tag}>")).count();
            assert_eq!(
                opened,
                page.matches(&format!("</{tag}>")).count(),
                "{spec}: {tag}"
            );
        }
    }
}

/// What the page's script reads.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"page-data\">")
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// RFC 4648 backwards.
fn bytes(text: &serde_json::Value) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other}"),
    };
    let text = text.as_str().unwrap().trim_end_matches('=');
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let bits = chunk
            .iter()
            .fold(0u32, |bits, c| bits << 6 | u32::from(digit(*c)));
        let bits = bits << (6 * (4 - chunk.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..chunk.len()]);
    }
    out
}

fn doubles(text: &serde_json::Value) -> Vec<f64> {
    bytes(text)
        .chunks(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn the_data_of_the_page_are_those_of_its_tables() {
    for (spec, names, part) in MACHINES {
        let topology = Topology::inline(spec, &Default::default()).unwrap();
        let (comparison, files) = files(spec, names, part);
        let data = data(content(&files, "index.html"));
        assert_eq!(data["complete"], true, "{spec}");
        let sizes = bytes(&data["sizes"]);
        assert_eq!(
            sizes.len() / 4 + 1,
            comparison.entries.iter().map(|e| e.nodes).max().unwrap()
        );
        for (i, entry) in comparison.entries.iter().enumerate() {
            let ours = &data["orderings"][i];
            assert_eq!(ours["label"], *entry.label);
            assert_eq!(
                doubles(&ours["values"]),
                entry.values,
                "{spec} {}",
                entry.label
            );
            let nodes = bytes(&ours["order"]);
            let nodes: Vec<u32> = nodes
                .chunks(2)
                .map(|b| u32::from(u16::from_le_bytes(b.try_into().unwrap())))
                .collect();
            assert_eq!(nodes.len(), entry.nodes);
            if entry.label != HOSTILE {
                let order = NodeOrder::make(&topology, &entry.label).unwrap();
                assert!(
                    order.nodes().iter().map(|n| n.0).eq(nodes),
                    "{spec} {}",
                    entry.label
                );
            }
        }
        assert_eq!(doubles(&data["floor"]), comparison.floor);
        assert_eq!(doubles(&data["compact"]), comparison.compact);
        for table in data["tables"].as_array().unwrap() {
            assert_eq!(
                table["text"],
                *content(&files, table["name"].as_str().unwrap()),
                "{spec}"
            );
        }
    }
}

/// The size of Titan as Albing counts it: curves are thinned, every value kept is the curve's, and the whole page stays
/// below 3 MB.
#[test]
fn a_page_of_19_000_nodes_is_small() {
    let spec = "torus:25x32x24,limit=18944";
    let topology = Topology::inline(spec, &Default::default()).unwrap();
    let names = nodeorder_order::ordering::defaults::default_orderings(&topology);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (comparison, files) = files(spec, &names, None);
    let page = content(&files, "index.html");
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    let data = data(page);
    assert_eq!(
        (&data["complete"], &data["all_sizes"]),
        (&false.into(), &18943.into())
    );
    let sizes: Vec<usize> = (bytes(&data["sizes"]).chunks(4))
        .map(|b| u32::from_le_bytes(b.try_into().unwrap()) as usize)
        .collect();
    assert!(sizes.len() > 3000 && sizes.windows(2).all(|w| w[0] < w[1]));
    assert!(
        sizes
            .windows(2)
            .all(|w| (w[1] as f64) < 1.02 * w[0] as f64 || w[1] == w[0] + 1)
    );
    assert!(comparison.sizes.iter().all(|s| sizes.contains(s)));
    for (i, entry) in comparison.entries.iter().enumerate() {
        let ours = &data["orderings"][i];
        assert!(
            sizes
                .iter()
                .map(|s| entry.values[s - 2])
                .eq(doubles(&ours["values"]))
        );
        assert_eq!(bytes(&ours["order"]).len(), 2 * 18944);
    }
}

/// Where the orderings would take more than a page should, the page says so instead.
#[test]
fn a_page_of_260_000_nodes_has_no_orderings() {
    let (_, files) = files("torus:260x1000", &["row-major"], None);
    let page = content(&files, "index.html");
    assert!(page.len() < 1_500_000, "{} bytes", page.len());
    let data = data(page);
    assert!(
        data["orderings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|o| o["order"].is_null())
    );
}

#[test]
fn tables_read_back_to_the_same_numbers() {
    for (spec, names, part) in MACHINES {
        let (comparison, files) = files(spec, names, part);
        let mut reader = ::csv::Reader::from_reader(content(&files, "mpc.csv").as_bytes());
        assert_eq!(reader.headers().unwrap(), vec!["ordering", "size", "mpc"]);
        let mut rows = reader.records().map(Result::unwrap);
        for entry in &comparison.entries {
            for (i, value) in entry.values.iter().enumerate() {
                let row = rows.next().unwrap();
                assert_eq!(&row[0], entry.label);
                assert_eq!(row[1].parse(), Ok(i + 2));
                assert_eq!(row[2].parse::<f64>().unwrap().to_bits(), value.to_bits());
            }
        }
        assert!(rows.next().is_none());
        let mut reader = ::csv::Reader::from_reader(content(&files, "table.csv").as_bytes());
        for (row, entry) in reader
            .records()
            .map(Result::unwrap)
            .zip(&comparison.entries)
        {
            assert_eq!(
                (&row[1], row[3].parse()),
                (&*entry.label, Ok(entry.mean_log)),
                "{spec}"
            );
            assert_eq!(row.len(), 7 + 2 * comparison.sizes.len());
        }
        let json: serde_json::Value =
            serde_json::from_str(content(&files, "summary.json")).unwrap();
        assert_eq!(json["entries"][0]["label"], *comparison.entries[0].label);
        assert_eq!(json["topology"]["nodes"], comparison.topology.nodes);
    }
}

#[test]
fn tables_of_a_small_machine_have_these_bytes() {
    let (_, files) = files("mesh:2x2", &["row-major", "snake"], None);
    assert_eq!(
        content(&files, "mpc.csv"),
        "\
ordering,size,mpc
snake,2,1
snake,3,1.3333333333333333
snake,4,1.3333333333333333
row-major,2,1.3333333333333333
row-major,3,1.3333333333333333
row-major,4,1.3333333333333333
"
    );
    assert_eq!(
        content(&files, "stretches.csv"),
        "\
from,to,ordering
2,4,snake
"
    );
    assert_eq!(content(&files, "crossovers.csv"), "size,ordering\n");
    assert_eq!(
        content(&files, "table.csv"),
        "\
rank,ordering,nodes,mean_log,mean_plain,best_share,mean_step,mpc_2,mpc_4,throughput_bound_2,throughput_bound_4
1,snake,4,1.1794871794871795,1.222222222222222,1,1,1,1.3333333333333333,2,1.5
2,row-major,4,1.3333333333333335,1.3333333333333333,0.5384615384615384,1.3333333333333333,1.3333333333333333,1.3333333333333333,1.5,1.5
"
    );
}

/// Runs the command in `folder`.
fn nodeorder(folder: &std::path::Path, arguments: &[&str]) {
    let mut command = crate::command();
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A folder with a short trace in a folder of its own.
fn with_trace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    let job = |i: i64| {
        let (nodes, run) = (1 + i * 7 % 12, 100 + i * 37 % 500);
        format!(
            "{i} {} -1 {run} {nodes} -1 -1 {nodes} {run} -1 1 1 1 1 1 -1 -1 -1\n",
            i * 60
        )
    };
    let text: String = (1..40).map(job).collect();
    std::fs::write(
        folder.path().join("runs/jobs.swf"),
        "; MaxNodes: 16\n; MaxProcs: 64\n".to_string() + &text,
    )
    .unwrap();
    folder
}

/// The part of a page that people read, without the command that makes it again.
fn read_by_people(page: &str) -> String {
    let (before, rest) = page.split_once("<pre><code>").unwrap();
    let (_, after) = rest.split_once("</code></pre>").unwrap();
    let after = after.split("<script").next().unwrap();
    before.to_string() + after
}

/// The figures of machines side by side stand on their page, in its files and in the list of them.
#[test]
fn machines_side_by_side_have_a_page() {
    let folder = with_trace();
    let machines = [
        "torus:4x4",
        "fat-tree:k=4",
        "random-regular:n=16,d=3,seed=2",
    ];
    let jobs = [
        "--trace",
        "runs/jobs.swf",
        "--prices",
        "links=3,routers=50,nodes=7",
        "--out",
        "out",
    ];
    nodeorder(
        folder.path(),
        &[&["machines"], &machines[..], &jobs].concat(),
    );
    let out = folder.path().join("out");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let page = read_by_people(&read("index.html"));
    let mut there: Vec<String> = (std::fs::read_dir(&out).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "nodeorder-files.txt")
        .collect();
    there.sort();
    let list = read("nodeorder-files.txt");
    let mut listed: Vec<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix("compare "))
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, there, "{list}");
    for name in there.iter().filter(|name| *name != "index.html") {
        assert!(page.contains(&format!("href=\"{name}\"")), "{name}");
    }
    // Every figure of the table of machines, as the page writes it.
    let mut reader = ::csv::Reader::from_path(out.join("machines.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    for row in reader.records().map(Result::unwrap) {
        let of = |name: &str| &row[header.iter().position(|h| h == name).unwrap()];
        assert!(page.contains(&format!(
            "data-value=\"{}\">{}</th>",
            of("machine"),
            of("machine")
        )));
        for column in [
            "score",
            "mean_distance",
            "bisection_per_node",
            "cost_per_node",
            "mean_log",
        ] {
            assert!(
                page.contains(&format!("<td data-value=\"{}\"", of(column))),
                "{column}: {}",
                of(column)
            );
        }
        assert!(page.contains(of("spec")) && page.contains(of("ordering")));
    }
    let json: serde_json::Value = serde_json::from_str(&read("machines.json")).unwrap();
    let said = json["headline"]
        .as_str()
        .unwrap()
        .replace("runs/jobs.swf", "jobs.swf");
    let first = said.split(". 95 %").next().unwrap();
    let plain = page.replace("<strong>", "").replace("</strong>", "");
    let plain = plain.replace('\u{a0}', " ");
    assert!(plain.contains(first), "{first}");
    assert!(!page.contains("runs/") && !page.contains("://"));
    assert!(page.contains("Processors of the trace") && page.contains("--procs-per-node"));
    let words = [
        "Bisection bandwidth",
        "MIND",
        "Bounded slowdown",
        "Runtime model",
        "95 % interval",
        "Utilisation",
    ];
    for word in words {
        assert!(page.contains(&format!("<dt>{word}")), "{word}");
    }
    nodeorder(
        folder.path(),
        &["machines", machines[0], machines[1], "--out", "out"],
    );
    let page = read_by_people(&read("index.html"));
    assert!(!out.join("machine-queue.csv").exists() && !out.join("machine-jobs.svg").exists());
    assert!(!page.contains("<dt>MIND") && !page.contains("<dt>95 %") && !page.contains("Bounded"));
}

/// Words that the page of a machine uses are explained on it; its workload goes by the file's name.
#[test]
fn the_page_explains_its_words() {
    let folder = with_trace();
    let jobs = [
        "--trace",
        "runs/jobs.swf",
        "--guest",
        "ring",
        "--out",
        "out",
    ];
    nodeorder(
        folder.path(),
        &[&["compare", "fat-tree:k=4,limit=10"], &jobs[..]].concat(),
    );
    let page =
        read_by_people(&std::fs::read_to_string(folder.path().join("out/index.html")).unwrap());
    let words = [
        "Mean placement calculation",
        "Weighted MPC",
        "MIND",
        "Bounded slowdown",
        "Dilation",
        "Contention",
        "Makespan",
        "Log-uniform mean",
        "Proved floor",
        "Slot",
        "Diameter, mean distance",
    ];
    for word in words {
        assert!(page.contains(&format!("<dt>{word}")), "{word}");
    }
    assert!(!page.contains("runs/jobs.swf"));
    let (_, files) = files("mesh:2x2", &["row-major", "snake"], None);
    let page = read_by_people(content(&files, "index.html"));
    assert!(!page.contains("<dt>MIND") && !page.contains("slowdown") && !page.contains("<dt>Slot"));
}

/// Page and guide say in the same words which figure to trust for what, with the means of the report's table.
#[test]
fn the_page_and_the_guide_say_which_figure_to_trust() {
    let (_, files) = files("mesh:2x2", &["row-major"], None);
    let (_, said) = content(&files, "index.html")
        .split_once("<p id=\"trust\"><b>")
        .unwrap();
    let said = said.split("</p>").next().unwrap().replace("</b>", "");
    let said = said.replace("<code>", "`").replace("</code>", "`");
    let read = |path: &str| std::fs::read_to_string(crate::root().join(path)).unwrap();
    let guide = read("docs/guide.md");
    let guide = guide.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(guide.contains(&said), "{said}");
    let table = read("reports/2026-11-24-packets/table.md");
    let nearest = [
        "contention ecmp-hop",
        "contention valiant",
        "contention minimal-adaptive",
    ];
    for (section, nearest) in table.split("## ").skip(1).zip(nearest) {
        for figure in ["mean_distance", nearest] {
            let start = format!("| {figure} | ");
            let mean = section
                .lines()
                .find_map(|line| line.strip_prefix(&start)?.split(' ').next());
            assert!(said.contains(mean.unwrap()), "{figure}: {mean:?}");
        }
    }
}

/// A tree is drawn with its levels, and without the places that no node has.
#[test]
fn trees_are_drawn_with_their_levels_and_without_empty_places() {
    let topology = Topology::inline("fat-tree:k=4,limit=10", &Default::default()).unwrap();
    let order = NodeOrder::make(&topology, "row-major").unwrap();
    let svg = plot::plot_machine(&topology, &order).svg().unwrap();
    assert!(
        svg.contains(">pod 2<") && !svg.contains(">pod 3<") && !svg.contains("no node"),
        "{svg}"
    );
    let (_, files) = files("fat-tree:k=4,limit=10", &["row-major"], None);
    let layout = &data(content(&files, "index.html"))["machine"]["layout"];
    assert_eq!(
        (&layout["count"], &layout["sparse"]),
        (&10.into(), &true.into())
    );
    // Three pods and five leaves.
    assert_eq!(layout["frames"].as_array().unwrap().len(), 3 + 5);
    assert_eq!(layout["frames"][0]["title"], "pod 0");
}

#[test]
fn chosen_sizes_leave_out_what_a_curve_does_not_reach() {
    let (long, short) = ([1.5, 2.5, 3.5], [0.1]);
    let mut out = Vec::new();
    let curves = [("a", &long[..]), ("b,c", &short[..])];
    csv::write_curves(&mut out, curves).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text,
        "ordering,size,mpc\na,2,1.5\na,3,2.5\na,4,3.5\n\"b,c\",2,0.1\n"
    );
}

#[test]
fn a_plot_of_two_million_sizes_is_small_and_a_png_is_a_png() {
    let value = |i: i32| f64::from(i).ln_1p() + (f64::from(i) * 0.01).sin();
    let curve: Vec<f64> = (0..2_000_000).map(value).collect();
    let curves: Vec<(&str, &[f64])> = (0..12).map(|_| (HOSTILE, &curve[..])).collect();
    let svg = plot::mpc_plot("two million", &curves)
        .unwrap()
        .svg()
        .unwrap();
    assert!(svg.len() < 300_000, "{}", svg.len());
    roxmltree::Document::parse(&svg).unwrap();
    let png = plot::mpc_plot("three", &[(HOSTILE, &[1.0, 1.5][..])])
        .unwrap()
        .png()
        .unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n") && png.ends_with(b"IEND\xaeB`\x82"));
    assert!(plot::mpc_plot("none", &[("x", &[][..])]).is_err());
}
