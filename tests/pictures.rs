//! Heat maps, strips of winners and pictures of machines: what is drawn, read back from the SVG, is the data.

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::comparison::Comparison;
use nodeorder_order::metric::mpc;
use nodeorder_present::plot::{self, Figure, HeatMap, NodeGroup};

const SVG: &str = "http://www.w3.org/2000/svg";

/// Texts of a drawing, and whether each is bold.
fn texts(svg: &str) -> Vec<(String, bool)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name((SVG, "text")));
    let read = texts.map(|node| {
        let bold = node.attribute("font-weight").is_some();
        (node.text().unwrap().to_string(), bold)
    });
    read.collect()
}

/// Rectangles of a colour (or class of a grey): left edge, width and height.
fn rectangles(svg: &str, colour: &str) -> Vec<[f64; 3]> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let mut found = Vec::new();
    for node in document.descendants() {
        let fill = node.attribute("fill").or(node.attribute("class"));
        let path = node.attribute("d").filter(|_| fill == Some(colour));
        for part in path.unwrap_or("").split('M').skip(1) {
            let number = |text: &str| text.parse::<f64>().unwrap();
            let (at, rest) = part.split_once('h').unwrap();
            let mut sides = rest.split(['v', 'h']);
            let left = at.split([' ', '-']).next().unwrap();
            found.push([
                number(left),
                number(sides.next().unwrap()),
                number(sides.next().unwrap()),
            ]);
        }
    }
    found
}

fn colour_of(slot: usize) -> String {
    let (r, g, b) = plot::style(slot).colour;
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[test]
fn cells_of_a_heat_map_have_their_values_and_ties_their_frames() {
    let rows = ["snake", "hilbert", "random"].map(String::from);
    let map = HeatMap {
        rows: &rows,
        columns: &["first-fit", "fifo:0"],
        values: vec![
            vec![Some(1.00001), Some(3.0)],
            vec![Some(1.0), Some(2.0)],
            vec![Some(5.0), None],
        ],
        decimals: 3,
        apart: false,
    };
    let svg = map.plot_cells(("title", "note")).unwrap().svg().unwrap();
    let texts = texts(&svg);
    let count = |text: &str, bold| {
        let same = texts
            .iter()
            .filter(|found| **found == (text.to_string(), bold));
        same.count()
    };
    for plain in [
        "first-fit",
        "fifo:0",
        "snake",
        "hilbert",
        "random",
        "3.000",
        "2.000",
        "–",
    ] {
        assert_eq!(count(plain, false), 1, "{plain} in {texts:?}");
    }
    // Both of the lowest are bold, in a frame.
    assert_eq!((count("5.000", false), count("1.000", true)), (1, 2));
    assert_eq!(rectangles(&svg, "fi").len(), 2);
    let ramp = plot::rank_colours();
    // Dark for both of the lowest, light for the highest, between them 2 and 3.
    let cells = |step: usize| rectangles(&svg, &ramp[step]).len();
    assert_eq!([0, 15, 31, 63].map(cells), [2, 1, 1, 1]);
}

/// Where columns cannot be compared, each has a lowest value of its own.
#[test]
fn columns_of_a_heat_map_stand_apart_where_they_must() {
    let rows = ["a", "b"].map(String::from);
    let map = HeatMap {
        rows: &rows,
        columns: &["one", "other"],
        values: vec![vec![Some(1.0), Some(30.0)], vec![Some(2.0), Some(20.0)]],
        decimals: 0,
        apart: true,
    };
    let svg = map.plot_cells(("", "")).unwrap().svg().unwrap();
    let bold: Vec<String> = texts(&svg)
        .into_iter()
        .filter(|t| t.1)
        .map(|t| t.0)
        .collect();
    assert!(
        bold.contains(&"1".into()) && bold.contains(&"20".into()),
        "{bold:?}"
    );
    assert!(
        !bold.contains(&"2".into()) && !bold.contains(&"30".into()),
        "{bold:?}"
    );
}

/// At every size the colour of the strip is that of an ordering within 1 % of the best.
#[test]
fn the_strip_shows_an_ordering_within_one_per_cent_of_the_best() {
    let topology = Topology::inline("torus:6x5x4", &Default::default()).unwrap();
    let names = [
        "row-major",
        "hilbert",
        "snake",
        "helical",
        "gilbert",
        "random",
    ];
    let orders = names.map(|name| NodeOrder::make(&topology, name).unwrap());
    let curves = orders
        .iter()
        .map(|order| mpc::curve(&topology, order).unwrap());
    let comparison = Comparison::new(&topology, &orders, curves.collect()).unwrap();
    let slots: Vec<usize> = (0..names.len()).collect();
    let figure: Figure<'_> = plot::plot_winners("", &comparison, &slots).unwrap();
    let svg = figure.svg().unwrap();
    let size = |x: f64| 1.5 * (120.5f64 / 1.5).powf((x - 18.0) / (960.0 - 36.0));
    let mut seen = 0;
    for (slot, entry) in comparison.entries.iter().enumerate() {
        // Samples of the legend are lower than the strip.
        let bars = rectangles(&svg, &colour_of(slot))
            .into_iter()
            .filter(|bar| bar[2] >= 40.0);
        for [left, wide, _] in bars {
            let from = size(left + 1.0).ceil() as usize;
            for size in from..=size(left + wide - 1.0).floor() as usize {
                let values = comparison.entries.iter().map(|e| e.values[size - 2]);
                let best = values.fold(f64::INFINITY, f64::min);
                let value = entry.values[size - 2];
                assert!(value <= 1.01 * best + 1e-12, "{} at {size}", entry.label);
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} of 119 sizes");
}

/// As many squares of each colour as nodes of the group, and its name in the legend.
#[test]
fn groups_of_nodes_have_as_many_squares_as_nodes() {
    let topology = Topology::inline("fat-tree:k=4", &Default::default()).unwrap();
    let nodes: Vec<NodeId> = topology.nodes().iter().collect();
    let groups = [
        NodeGroup::new("job 7", Some(0), nodes[..5].to_vec()),
        NodeGroup::new("other nodes", None, nodes[5..].to_vec()),
    ];
    let svg = plot::plot_groups(&topology, "title", &groups)
        .svg()
        .unwrap();
    // With the patch of the legend.
    let squares = [&*colour_of(0), "fg"].map(|colour| rectangles(&svg, colour).len());
    assert_eq!(squares, [6, 12]);
    let texts: Vec<String> = texts(&svg).into_iter().map(|text| text.0).collect();
    for text in ["job 7: 5", "other nodes: 11", "pod 3"] {
        assert!(texts.contains(&text.to_string()), "{text} in {texts:?}");
    }
    assert!(!svg.contains("no node") && !svg.contains("rank"));
}

/// Left edge of the one circle of a colour.
fn circle(svg: &str, colour: &str) -> f64 {
    let document = roxmltree::Document::parse(svg).unwrap();
    let mut paths = document
        .descendants()
        .filter(|node| node.attribute("fill") == Some(colour))
        .filter_map(|node| node.attribute("d").filter(|path| path.contains('a')));
    let (left, _) = paths.next().unwrap()[1..].split_once(' ').unwrap();
    assert!(paths.next().is_none(), "{colour}");
    left.parse().unwrap()
}

/// The colour of each node's circle is that of its rank, from dark to light.
#[test]
fn nodes_have_the_colours_of_their_ranks() {
    let topology = Topology::inline("mesh:8", &Default::default()).unwrap();
    let order = NodeOrder::make(&topology, "random:seed=5").unwrap();
    let svg = plot::plot_machine(&topology, &order).svg().unwrap();
    let ramp = plot::rank_colours();
    let mut cells = Vec::new();
    for (rank, node) in order.nodes().iter().enumerate() {
        let step = rank * (ramp.len() - 1) / 7;
        cells.push((node.0, circle(&svg, &ramp[step])));
    }
    cells.sort_by_key(|cell| cell.0);
    // Eight nodes stand on a circle, the first at the top, the others clockwise.
    let radius = cells[2].1 - cells[0].1;
    for (i, (_, left)) in cells.iter().enumerate() {
        let expected = cells[0].1 + radius * (std::f64::consts::FRAC_PI_4 * i as f64).sin();
        assert!((left - expected).abs() < 0.5, "{cells:?}");
    }
    for text in ["random:seed=5 on mesh:8", "rank", "0", "3", "7"] {
        assert!(texts(&svg).iter().any(|found| found.0 == text), "{text}");
    }
}

#[test]
fn shares_of_nodes_are_labelled_up_to_the_highest() {
    let topology = Topology::inline("torus:3x3", &Default::default()).unwrap();
    let nodes = topology.nodes().iter();
    let shares: Vec<_> = nodes.map(|node| (node, f64::from(node.0) / 16.0)).collect();
    let figure = plot::plot_shares(&topology, "title", "busiest link", &shares);
    let svg = figure.svg().unwrap();
    let texts: Vec<String> = texts(&svg).into_iter().map(|text| text.0).collect();
    for text in ["busiest link", "0.0 %", "25.0 %", "50.0 %"] {
        assert!(texts.contains(&text.to_string()), "{text} in {texts:?}");
    }
    let ramp = plot::rank_colours();
    let cells = |step: usize| {
        rectangles(&svg, &ramp[step])
            .iter()
            .filter(|r| r[1] > 17.0)
            .count()
    };
    // The node of the highest and of none; a third lies at half the way.
    assert_eq!([0, 31, 63].map(cells), [1, 1, 1]);
}

/// The page of a simulation names its jobs and says what the table says.
#[test]
fn the_page_of_jobs_side_by_side_shows_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = "[[jobs]]\nname = 'left'\nnodes = '0-7'\nguest = 'ring:n=8'\nbytes = 1000000\n\
                [[jobs]]\nname = 'right'\nnodes = '8-15'\nguest = 'all-to-all:n=8'\nbytes = 1000000\n";
    std::fs::write(folder.path().join("jobs.toml"), jobs).unwrap();
    let arguments = ["corun", "torus:4x4", "--jobs", "jobs.toml", "--out", "page"];
    let output = crate::command()
        .args(arguments)
        .current_dir(&folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("page").join(name)).unwrap();
    // The table on standard output is the file beside the page.
    assert_eq!(String::from_utf8_lossy(&output.stdout), read("jobs.csv"));
    let bars = texts(&read("slowdowns.svg"));
    for row in csv::Reader::from_reader(read("jobs.csv").as_bytes()).records() {
        let row = row.unwrap();
        let slowdown: f64 = row[5].parse().unwrap();
        for text in [row[0].to_string(), format!("{slowdown:.3}")] {
            assert!(bars.contains(&(text.clone(), false)), "{text} in {bars:?}");
        }
        assert!(read("time.svg").contains(&format!(">{}<", &row[0])));
    }
    let mut most = 0f64;
    for row in csv::Reader::from_reader(read("links.csv").as_bytes()).records() {
        most = most.max(row.unwrap()[2].parse().unwrap());
    }
    assert!(read("links.svg").contains(&format!(">{:.1} %<", 100.0 * most)));
    assert!(read("index.html").contains("nodeorder corun torus:4x4 --jobs jobs.toml"));
}
