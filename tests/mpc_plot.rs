//! What `mpc --plot` draws is what was asked for: read back from its SVG and PDF.

use std::path::Path;

/// A chart that was read back: the values of each curve by the colour of its line, and all texts.
struct ChartRead {
    curves: Vec<(String, Vec<(f64, f64)>)>,
    texts: Vec<String>,
}

/// Runs the command in `folder`, which must succeed, and returns what it prints.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = crate::command()
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", arguments.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

/// Splits path data into subpaths of absolute points.
fn read_path(data: &str) -> Vec<Vec<(f64, f64)>> {
    let mut paths: Vec<Vec<(f64, f64)>> = Vec::new();
    let commands = data.char_indices().filter(|(_, c)| c.is_alphabetic());
    for (at, command) in commands {
        let rest = &data[at + 1..];
        let end = rest.find(char::is_alphabetic).unwrap_or(rest.len());
        let spaced = rest[..end].replace('-', " -");
        let numbers: Vec<f64> = spaced
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        match command {
            'M' => paths.push(vec![(numbers[0], numbers[1])]),
            'l' => {
                let path = paths.last_mut().unwrap();
                let (x, y) = *path.last().unwrap();
                path.push((x + numbers[0], y + numbers[1]));
            }
            // Marks and grounds.
            _ => return Vec::new(),
        }
    }
    paths
}

/// Reads a chart with one panel back; `is_log` says how its sizes lie.
fn read_chart(svg: &str, is_log: bool) -> ChartRead {
    let document = roxmltree::Document::parse(svg).unwrap();
    let mut texts = Vec::new();
    let mut columns = Vec::new();
    let mut rows = Vec::new();
    for node in document
        .descendants()
        .filter(|n| n.tag_name().name() == "text")
    {
        let text = node.text().unwrap().to_string();
        let place = |key| node.attribute(key).unwrap().parse::<f64>().unwrap();
        if let Ok(value) = text.replace(',', "").parse::<f64>() {
            match node.attribute("text-anchor") {
                Some("middle") => columns.push((value, place("x"))),
                // A label stands with its middle at its tick: 0.35 of 12 pixels below.
                _ => rows.push((value, place("y") - 0.35 * 12.0)),
            }
        }
        texts.push(text);
    }
    let scale = |size: f64| if is_log { size.ln() } else { size };
    let invert = |ticks: &[(f64, f64)], pixel: f64| {
        let (first, last) = (ticks[0], ticks[ticks.len() - 1]);
        first.0 + (last.0 - first.0) * (pixel - first.1) / (last.1 - first.1)
    };
    let columns: Vec<(f64, f64)> = columns.iter().map(|(v, x)| (scale(*v), *x)).collect();
    let mut curves = Vec::new();
    for node in document.descendants() {
        // Samples of the legend are drawn with another width.
        let is_curve = matches!(node.attribute("stroke-width"), Some("2.4" | "1.7"));
        let Some(colour) = node.attribute("stroke").filter(|_| is_curve) else {
            continue;
        };
        let values = read_path(node.attribute("d").unwrap())
            .concat()
            .into_iter()
            .map(|(x, y)| {
                let size = invert(&columns, x);
                (if is_log { size.exp() } else { size }, invert(&rows, y))
            });
        curves.push((colour.to_string(), values.collect()));
    }
    ChartRead { curves, texts }
}

/// Lists size and MPC of each ordering from the CSV, in its order.
fn read_rows(csv: &str) -> Vec<(String, f64, f64)> {
    let rows = csv.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        (
            cells[0].to_string(),
            cells[1].parse().unwrap(),
            cells[2].parse().unwrap(),
        )
    });
    rows.collect()
}

#[test]
fn sizes_that_are_asked_for_are_the_sizes_that_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let asked =
        "mpc mesh:8x8 --order row-major --order hilbert --sizes 2,10,31,64 --x log --plot a.svg";
    let csv = run(folder.path(), &asked.split(' ').collect::<Vec<_>>());
    let rows = read_rows(&csv);
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let chart = read_chart(&svg, true);
    // The first ordering is drawn last, on top.
    let curves: Vec<_> = chart
        .curves
        .iter()
        .rev()
        .flat_map(|(_, points)| points)
        .collect();
    assert_eq!(curves.len(), 8);
    for ((_, size, mpc), (x, y)) in rows.iter().zip(curves) {
        assert!((size / x - 1.0).abs() < 0.01, "{size} at {x}");
        assert!((mpc - y).abs() < 0.02, "{mpc} at {y}");
    }
}

#[test]
fn a_range_of_the_gain_is_drawn_with_its_labels_and_title() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let arguments = "mpc torus:8x4x4 --order snake:axes=yxz --order random:seed=3 --y gain --range 4-40 --x linear \
                     --width 200 --plot a.svg";
    let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments.extend([
        "--title",
        "Gain & more",
        "--label",
        "snake:axes=yxz=A snake",
    ]);
    let rows = read_rows(&run(path, &arguments));
    let mean = run(path, &["topology", "torus:8x4x4", "--json"]);
    let mean: serde_json::Value = serde_json::from_str(&mean).unwrap();
    let mean = mean["mean_distance"].as_f64().unwrap();
    let svg = std::fs::read_to_string(path.join("a.svg")).unwrap();
    assert!(svg.contains("width=\"200mm\""), "{svg}");
    let chart = read_chart(&svg, false);
    for text in [
        "Gain & more",
        "A snake",
        "random:seed=3",
        "below random placement (%)",
    ] {
        assert!(
            chart.texts.iter().any(|t| t == text),
            "{text}: {:?}",
            chart.texts
        );
    }
    let (_, points) = chart.curves.last().unwrap();
    assert!((points[0].0 - 4.0).abs() < 0.1 && (points.last().unwrap().0 - 40.0).abs() < 0.1);
    for (x, y) in points {
        let at = |r: &&(String, f64, f64)| r.0.starts_with("snake") && (r.1 - x).abs() < 0.3;
        let (_, _, mpc) = rows.iter().find(at).unwrap();
        assert!((100.0 * (1.0 - mpc / mean) - y).abs() < 0.3, "{x}: {y}");
    }
}

/// A random order may be far above all others: it leaves the picture, which shows the others large.
#[test]
fn a_random_order_does_not_stretch_the_axis() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        "mpc torus:16x16x8 --order gilbert --order random:seed=1 --panels small --plot a.svg";
    run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let chart = read_chart(&svg, false);
    // The mean distance of the torus is 10; 64 nodes of the curve are within 4.
    let numbers = chart.texts.iter().filter_map(|t| t.parse::<f64>().ok());
    assert!(numbers.filter(|n| n.fract() == 0.0 && *n < 10.0).count() > 2);
    assert_eq!(chart.curves.len(), 1, "random leaves the picture");
}

#[test]
fn a_pdf_has_the_width_asked_for_and_its_fonts_within() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "mpc mesh:8x8 --order hilbert --width 85 --plot a.pdf";
    run(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    let pdf = std::fs::read(folder.path().join("a.pdf")).unwrap();
    assert!(pdf.starts_with(b"%PDF-"));
    let text = String::from_utf8_lossy(&pdf);
    let page = text.split("/MediaBox [").nth(1).unwrap();
    let page: Vec<f64> = page[..page.find(']').unwrap()]
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    assert!((page[2] - 85.0 * 72.0 / 25.4).abs() < 0.5, "{page:?}");
    // Letters can be searched and copied: fonts lie within, and say which letter each glyph is.
    assert!(text.contains("/ToUnicode") && text.contains("/FontFile"));
    // The map of letters is written as it is: a code of four digits, then the letter's.
    for letter in "hilbert".bytes() {
        let code = format!("> <{letter:04X}>");
        assert!(text.contains(&code), "no letter {}", letter as char);
    }
}

#[test]
fn options_of_the_drawing_that_say_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (more, expected) in [
        ("--plot a.svg --range 9-3", "two job sizes"),
        ("--plot a.svg --range 90-99", "below 64"),
        ("--plot a.svg --width 3", "millimetres from 40 to 2000"),
        (
            "--plot a.svg --label snake=S",
            "as it is written after --order",
        ),
        ("--x log", "--plot"),
    ] {
        let arguments = format!("mpc mesh:8x8 --order hilbert {more}");
        let output = crate::command()
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(expected),
            "{more}: {stderr}"
        );
        assert!(!folder.path().join("a.svg").exists(), "{more}");
    }
}
