//! Every chart of values against axes: what is drawn, read back from the SVG, is the data.

mod network;
mod read;

use std::path::Path;

use nodeorder_base::{Ranks, Run, Text};
use nodeorder_network::Topology;
use nodeorder_present::plot::audit::{LineShape, plot_over_time};
use nodeorder_present::plot::replay::{
    BarPanel, Figure, Forecast, Labelled, Overlay, Range, SizeLine, Spread,
};
use nodeorder_present::plot::schedule::{Figure as Scheduled, JobStay, Moment};
use nodeorder_present::plot::{self, Limits, OfferPanel, Series, View};

use nodeorder_traffic::corun::Fair;
use nodeorder_traffic::corun::fit::{Measured, PATTERNS, fit};
use nodeorder_traffic::mapping::{Fabric, FixedRouting};

use read::{Chart, colour, same};

fn run(folder: &Path, arguments: &str) -> String {
    let mut command = crate::command();
    let output = command
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// Rows of a table of comma-separated values, by column.
fn table(folder: &Path, name: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

fn svg(folder: &Path, name: &str) -> Chart {
    Chart::read(&std::fs::read_to_string(folder.join(name)).unwrap())
}

#[test]
fn marks_of_a_forecast_stand_at_forecast_and_outcome() {
    let row = |label, slot, forecast, outcome| Labelled {
        label,
        slot,
        data: Forecast { forecast, outcome },
    };
    let rows = [
        row("snake", 0, 3.1, &[Some(2.5), None][..]),
        row("hilbert", 1, 2.9, &[Some(2.25), Some(2.0)][..]),
    ];
    let figure = Figure::plot_prediction("F", &[("fifo:0", ""), ("easy", "")], &rows).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let panels = chart.panels();
    assert_eq!(panels.len(), 2);
    same(
        &chart.marks(&panels[0], &colour(0)),
        &[(3.1, 2.5)],
        (0.5, 0.5),
    );
    same(
        &chart.marks(&panels[0], &colour(1)),
        &[(2.9, 2.25)],
        (0.5, 0.5),
    );
    same(
        &chart.marks(&panels[1], &colour(1)),
        &[(2.9, 2.0)],
        (0.5, 0.5),
    );
    assert!(chart.marks(&panels[1], &colour(0)).is_empty());
}

#[test]
fn means_by_size_lie_beside_the_curve_that_foretells_them() {
    let curve = [1.0, 1.5, 2.0, 2.5, 3.0];
    let means = [vec![(2, 1.5), (4, 2.5), (6, 3.5)]];
    let rows = [Labelled {
        label: "snake",
        slot: 0,
        data: Overlay {
            curve: &curve,
            means: &means,
        },
    }];
    let figure = Figure::plot_overlay("O", "", &["fifo:0"], &rows).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let panel = chart.panels()[0].logarithmic(false);
    same(
        &chart.marks(&panel, &colour(0)),
        &[(2.0, 1.5), (4.0, 2.5), (6.0, 3.5)],
        (6.0, 4.0),
    );
    let drawn: Vec<_> = chart.lines(&panel, "s si", "1.6");
    let expected = [(2.0, 1.0), (3.0, 1.5), (4.0, 2.0), (5.0, 2.5), (6.0, 3.0)];
    same(&drawn.concat(), &expected, (6.0, 4.0));
}

#[test]
fn bars_of_sizes_are_their_shares_and_marks_their_counts() {
    let jobs = [(1, 30), (3, 10), (4, 20), (9, 40)];
    let chart = Chart::read(&Figure::plot_sizes("S", &jobs).unwrap().svg().unwrap());
    // The sizes by octave have names; only the panel below has numbers on both axes.
    let panels = chart.panels();
    let below = panels.last().unwrap().logarithmic(true);
    let expected: Vec<_> = jobs
        .iter()
        .map(|(s, n)| (f64::from(*s), *n as f64))
        .collect();
    let marks = chart.marks(&below, &colour(0));
    assert_eq!(marks.len(), expected.len());
    for (found, expected) in marks.iter().zip(&expected) {
        assert!((found.0 / expected.0 - 1.0).abs() < 0.03, "{found:?}");
        assert!((found.1 / expected.1 - 1.0).abs() < 0.03, "{found:?}");
    }
    for share in ["30.0", "40.0"] {
        assert!(chart.has(share), "{:?}", chart.texts());
    }
}

#[test]
fn a_line_of_improvements_goes_through_its_sizes() {
    let points = [(2, -20.0), (9, 5.0), (64, 41.0)];
    let line = SizeLine {
        label: "a",
        slot: 0,
        data: &points,
    };
    let figure = Figure::plot_improvement("I", "improvement (%)", &[line]).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let panel = chart.panels()[0].logarithmic(false);
    let expected = points.map(|(size, value)| (f64::from(size), value));
    same(
        &chart.lines(&panel, &colour(0), "1.9").concat(),
        &expected,
        (64.0, 60.0),
    );
}

#[test]
fn bars_are_as_long_as_their_values_and_intervals_reach_both_ends() {
    let rows = [
        ("a", 0, [Some(2.5), Some(0.5)]),
        ("b", 1, [Some(4.0), None]),
    ]
    .map(|(label, slot, data)| Labelled { label, slot, data });
    let panel = BarPanel {
        name: "",
        axis: "waits (s)",
        decimals: 1,
    };
    let figure = Figure::plot_bars("B", "", &[panel], &rows).unwrap();
    let svg = figure.svg().unwrap();
    let chart = Chart::read(&svg);
    // Rows have names: sizes are read against the ticks below.
    let (zero, one) = (tick(&svg, "0"), tick(&svg, "1"));
    let at = |pixel: f64| (pixel - zero) / (one - zero);
    let line = path(&svg, "stroke", &colour(0), "l");
    assert!(
        (at(line.0) - 2.0).abs() < 0.03 && (at(line.1) - 3.0).abs() < 0.03,
        "{line:?}"
    );
    let bar = path(&svg, "fill", &colour(1), "h");
    assert!(
        at(bar.0).abs() < 0.03 && (at(bar.1) - 4.0).abs() < 0.03,
        "{bar:?}"
    );
    for text in ["a", "b", "2.5", "4.0", "waits (s)"] {
        assert!(chart.has(text), "{text}");
    }
}

/// Pixel of the tick with a label on the horizontal axis.
fn tick(svg: &str, label: &str) -> f64 {
    let document = roxmltree::Document::parse(svg).unwrap();
    let mut texts = document.descendants().filter(|node| {
        node.text() == Some(label) && node.attribute("text-anchor") == Some("middle")
    });
    texts
        .next()
        .unwrap()
        .attribute("x")
        .unwrap()
        .parse()
        .unwrap()
}

/// Left and right end of the first path of a colour that begins with a move and `step`.
fn path(svg: &str, key: &str, colour: &str, step: &str) -> (f64, f64) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let paths = document
        .descendants()
        .filter(|node| node.attribute(key) == Some(colour));
    for data in paths.filter_map(|node| node.attribute("d")) {
        let (from, rest) = data[1..].split_once(char::is_alphabetic).unwrap();
        if data[1..]
            .find(char::is_alphabetic)
            .map(|i| &data[1 + i..2 + i])
            == Some(step)
        {
            let number = |text: &str| {
                text.split([' ', 'v'])
                    .next()
                    .unwrap()
                    .parse::<f64>()
                    .unwrap()
            };
            return (number(from), number(from) + number(rest));
        }
    }
    panic!("no path of {colour}");
}

#[test]
fn bands_reach_from_the_smallest_to_the_largest_and_lines_are_means() {
    let data: Vec<Spread> = [(2, 1.0, 2.0, 3.0), (8, 1.5, 2.5, 4.0), (32, 2.0, 4.0, 6.0)]
        .map(|(size, least, mean, most)| Spread {
            size,
            least,
            mean,
            most,
        })
        .to_vec();
    let rows = [Range {
        label: "fifo:0",
        slot: 0,
        data: &data,
    }];
    let chart = Chart::read(&Figure::plot_ranges("R", &rows).unwrap().svg().unwrap());
    let panel = chart.panels()[0].logarithmic(false);
    let means: Vec<_> = data.iter().map(|s| (f64::from(s.size), s.mean)).collect();
    same(
        &chart.lines(&panel, &colour(0), "1.9").concat(),
        &means,
        (32.0, 6.0),
    );
    let mut bands = chart.bars(&panel, &colour(0));
    bands.retain(|band| band[3] - band[1] > 1.0);
    for (band, spread) in bands.iter().zip(&data) {
        let near = |a: f64, b: f64| (a - b).abs() < 0.06;
        assert!(
            near(band[1], spread.least) && near(band[3], spread.most),
            "{band:?}"
        );
    }
    assert_eq!(bands.len(), 3);
}

#[test]
fn values_over_time_are_joined_or_kept_as_said() {
    let points = vec![(0.0, 2.0), (1.0, 6.0), (4.0, 3.0)];
    let ticks = || {
        [0, 2, 4]
            .map(|hour| (f64::from(hour), hour.to_string()))
            .to_vec()
    };
    let draw = |between| {
        let panels = vec![("free (nodes)", vec![points.clone()])];
        let figure = plot_over_time("T", "", &["recorded"], ticks(), panels, between).unwrap();
        let chart = Chart::read(&figure.svg().unwrap());
        let panel = chart.panels()[0].clone();
        same(&chart.marks(&panel, &colour(0)), &points, (4.0, 6.0));
        assert!(chart.has("recorded") && chart.has("free (nodes)"));
        chart.lines(&panel, &colour(0), "1.8").concat()
    };
    same(&draw(LineShape::Line), &points, (4.0, 6.0));
    let corners = draw(LineShape::Step);
    // Between two points nothing is drawn but what holds at the first.
    for corner in corners.windows(2) {
        let level = (corner[0].1 - corner[1].1).abs() < 0.05;
        assert!(
            level || (corner[0].0 - corner[1].0).abs() < 0.05,
            "{corner:?}"
        );
    }
    assert!(
        corners
            .iter()
            .any(|p| (p.0 - 1.0).abs() < 0.05 && (p.1 - 2.0).abs() < 0.05)
    );
}

/// Where all values are one, the axis goes down to zero and its ticks differ.
#[test]
fn an_axis_of_one_value_has_ticks_that_differ() {
    let panels = vec![("units", vec![vec![(0.0, 1.0), (2.0, 1.0)]])];
    let ticks = vec![(0.0, "0".to_string()), (2.0, "2".to_string())];
    let figure = plot_over_time("T", "", &["a"], ticks, panels, LineShape::Line).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let ones = chart.texts().into_iter().filter(|text| *text == "1");
    assert_eq!(ones.count(), 1, "{:?}", chart.texts());
    let line = chart.lines(&chart.panels()[0], &colour(0), "1.8").concat();
    same(&line, &[(0.0, 1.0), (2.0, 1.0)], (2.0, 1.0));
}

#[test]
fn offers_stand_at_their_cost_and_figure() {
    let points = vec![(3.0, 1.0), (1.0, 2.0), (2.0, 5.0)];
    let panel = OfferPanel {
        figure: "hops".into(),
        higher_is_better: false,
        points: points.clone(),
    };
    let drawn = plot::plot_offers(vec!["a", "b", "c"], "cost a node".into(), vec![panel]);
    let chart = Chart::read(&drawn.svg().unwrap());
    let panel = chart.panels()[0].clone();
    for (slot, point) in points.iter().take(2).enumerate() {
        same(&chart.marks(&panel, &colour(slot)), &[*point], (2.0, 4.0));
    }
    let line = chart.lines(&panel, "s sm", "1.4").concat();
    assert!(line.len() > 4 && panel.is_on_line(&line, &[(1.0, 2.0), (3.0, 1.0)], 2.0));
    for text in ["a", "b", "c", "hops", "cost a node"] {
        assert!(chart.has(text), "{text}");
    }
}

#[test]
fn curves_and_the_proved_floor_are_those_of_the_data() {
    let values: Vec<f64> = (2..=24).map(|size| 1.0 + f64::from(size) / 12.0).collect();
    let floor: Vec<f64> = values.iter().map(|value| 0.6 * value).collect();
    let series = [Series {
        label: "a",
        slot: 0,
        values: &values,
        nodes: 24,
    }];
    let limits = Limits {
        floor: &floor,
        ..Limits::default()
    };
    let drawn = plot::curves("C", &series, &[View::FULL], limits).unwrap();
    let chart = Chart::read(&drawn.svg().unwrap());
    let panel = chart.panels()[0].clone();
    let points = |values: &[f64]| -> Vec<(f64, f64)> {
        (2..).map(f64::from).zip(values.iter().copied()).collect()
    };
    // Straight lines are drawn from end to end.
    let line = chart.lines(&panel, &colour(0), "2.4").concat();
    assert!(panel.is_on_line(&line, &points(&values), 3.0), "{line:?}");
    let ends = [line[0], line[line.len() - 1]];
    same(&ends, &[(2.0, values[0]), (24.0, values[22])], (24.0, 3.0));
    let line = chart.lines(&panel, "s sm", "1.4").concat();
    assert!(
        line.len() > 4 && panel.is_on_line(&line, &points(&floor), 3.0),
        "{line:?}"
    );
    assert!(
        chart.has("a") && chart.has("proved floor"),
        "{:?}",
        chart.texts()
    );
}

#[test]
fn the_machine_over_time_is_what_the_schedule_says() {
    let moment = |time, busy, waiting, broken| Moment {
        time,
        busy,
        waiting,
        broken,
        room: [Some(7.0), None],
    };
    let moments = [
        moment(0.0, 1.0, 3, 0.0),
        moment(2.0, 0.25, 1, 0.5),
        moment(4.0, 0.0, 0, 0.0),
    ];
    let figure = Scheduled::plot_curves("C", &moments).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let panels = chart.panels();
    assert_eq!(panels.len(), 4);
    for (i, (first, second, most)) in [
        (100.0, 25.0, 100.0),
        (3.0, 1.0, 3.0),
        (0.0, 50.0, 100.0),
        (7.0, 7.0, 7.0),
    ]
    .into_iter()
    .enumerate()
    {
        let line = chart.lines(&panels[i], &colour(i), "1.4").concat();
        assert!(line.len() > 1, "panel {i}: {line:?}");
        for (time, value) in line {
            let expected = if time < 2.0 { first } else { second };
            // A column of two pixels holds the change.
            let near = (value - expected).abs() < 0.02 * most || (time - 2.0).abs() < 0.02;
            assert!(near, "panel {i}: {value} at {time}");
        }
    }
}

#[test]
fn each_stay_is_a_rectangle_of_its_time_and_ranks() {
    let mut ranks = Ranks::default();
    ranks.push(Run { first: 2, count: 4 });
    let stays = [
        JobStay {
            job: 0,
            from: 1.0,
            to: 3.0,
            ranks: &ranks,
        },
        JobStay {
            job: 1,
            from: 3.0,
            to: 4.0,
            ranks: &ranks,
        },
    ];
    let figure = Scheduled::plot_occupancy("O", 8, &stays).unwrap();
    let chart = Chart::read(&figure.svg().unwrap());
    let panel = chart.panels()[0].clone();
    let drawn = chart.bars(&panel, &colour(0));
    let [from, low, to, high] = drawn.iter().find(|bar| bar[2] - bar[0] > 1.0).unwrap();
    for (found, expected) in [(from, 1.0), (to, 3.0), (low, 2.0), (high, 6.0)] {
        assert!((found - expected).abs() < 0.1, "{drawn:?}");
    }
}

/// Slowdowns of the command: the thick line of an ordering is `mixed`, the thin ones `all` and `alone`.
#[test]
fn slowdowns_that_are_drawn_are_those_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let asked = "slowdown torus:8x4 --order row-major --order random:seed=2 --guest all-to-all -o s.csv --plot s.svg";
    run(folder.path(), asked);
    let chart = svg(folder.path(), "s.svg");
    let panel = chart.panels()[0].logarithmic(false);
    let rows = table(folder.path(), "s.csv");
    for (slot, ordering) in ["row-major", "random:seed=2"].iter().enumerate() {
        let column = |name: &str| -> Vec<(f64, f64)> {
            let own = rows.iter().filter(|row| row["ordering"] == *ordering);
            own.map(|row| (row["size"].parse().unwrap(), row[name].parse().unwrap()))
                .collect()
        };
        let most = column("all").iter().map(|p| p.1).fold(1.0, f64::max);
        let mixed = chart.lines(&panel, &colour(slot), "2").concat();
        // Points on a straight line are left out.
        assert!(
            panel.is_on_line(&mixed, &column("mixed"), most),
            "{mixed:?}"
        );
        assert!(
            panel.is_on_line(&column("mixed"), &mixed, most),
            "{mixed:?}"
        );
        let mut seen = [0, 0];
        for dash in chart.lines(&panel, &colour(slot), "0.9") {
            let on = ["alone", "all"].map(|name| panel.is_on_line(&dash, &column(name), most));
            assert!(on[0] || on[1], "{dash:?}");
            seen = [seen[0] + usize::from(on[0]), seen[1] + usize::from(on[1])];
        }
        assert!(seen[0] > 10 && seen[1] > 10, "{seen:?}");
    }
}

/// On two nodes a job of two never finds both free: there is no distance to draw, and the page goes without.
#[test]
fn a_replay_without_a_distance_has_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = "; MaxNodes: 2\n".to_string();
    for job in 1..9 {
        let nodes = 2 - job % 2;
        text += &format!(
            "{job} {} -1 300 {nodes} -1 -1 {nodes} 300 -1 1 1 1 1 1 -1 -1 -1\n",
            60 * job
        );
    }
    std::fs::write(folder.path().join("two.swf"), text).unwrap();
    run(folder.path(), "compare torus:2 --trace two.swf --out page");
    let page = std::fs::read_to_string(folder.path().join("page/index.html")).unwrap();
    assert!(page.contains("Replay of the workload two.swf"));
    assert!(!folder.path().join("page/workload.svg").exists());
}

/// The picture of an audit: means by size and over time of its tables.
#[test]
fn charts_of_an_audit_are_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = String::from("JobIDRaw|Submit|Start|End|NNodes|NodeList\n");
    for i in 0..60 {
        let nodes: Vec<String> = (0..1 + i % 9)
            .map(|k| ((i * 5 + 2 * k) % 54).to_string())
            .collect();
        let start = i * 700;
        let list = nodes.join(",");
        records += &format!(
            "{i}|{start}|{start}|{}|{}|{list}\n",
            start + 900,
            nodes.len()
        );
    }
    std::fs::write(folder.path().join("records.txt"), records).unwrap();
    run(
        folder.path(),
        "audit fat-tree:k=6 --trace records.txt --out page",
    );
    let page = folder.path().join("page");
    let classes = table(&page, "sizes.csv");
    for (file, column) in [
        ("hops-by-size.svg", "mean_hops"),
        ("units-by-size.svg", "spanned_leaf"),
    ] {
        let chart = svg(&page, file);
        let panel = chart.panels()[0].logarithmic(false);
        let rows = classes.iter().filter(|row| !row[column].is_empty());
        let expected: Vec<(f64, f64)> = rows
            .map(|row| (row["from"].parse().unwrap(), row[column].parse().unwrap()))
            .collect();
        let most = expected.iter().map(|p| p.1).fold(1.0, f64::max);
        same(
            &chart.lines(&panel, &colour(0), "1.9").concat(),
            &expected,
            (8.0, most),
        );
    }
    let periods = table(&page, "periods.csv");
    let chart = svg(&page, "over-time.svg");
    assert!(chart.has("recorded") && periods.len() > 3);
}

#[test]
fn jobs_side_by_side_send_when_they_do_and_links_fall_in_steps() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = "[[jobs]]\nname = 'left'\nnodes = '0-3'\nguest = 'ring:n=4'\nbytes = 1000000\ncompute = 0.001\n\
                [[jobs]]\nname = 'a name that is longer than its room beside the row'\nnodes = '4-7'\n\
                guest = 'ring:n=4'\nbytes = 1000000\n";
    std::fs::write(folder.path().join("jobs.toml"), jobs).unwrap();
    run(folder.path(), "corun torus:4x2 --jobs jobs.toml --out page");
    let page = folder.path().join("page");
    let chart = svg(&page, "time.svg");
    assert!(chart.has("left"));
    // Longer names are cut in the middle, and say so.
    assert!(
        chart
            .texts()
            .iter()
            .any(|text| text.starts_with("a name") && text.contains('…'))
    );
    let mut used: Vec<f64> = table(&page, "links.csv")
        .iter()
        .map(|row| 100.0 * row["utilisation"].parse::<f64>().unwrap())
        .collect();
    used.sort_by(|a, b| b.total_cmp(a));
    let panel = chart.panels().pop().unwrap();
    let line = chart.lines(&panel, &colour(0), "2").concat();
    assert!(line.len() >= 2);
    for step in line.windows(2) {
        let level = (step[0].1 - step[1].1).abs() < 0.5;
        assert!(
            level || (step[0].0 - step[1].0).abs() < 0.1,
            "a slope: {step:?}"
        );
    }
    for (rank, value) in used.iter().enumerate() {
        let middle = rank as f64 + 0.5;
        let step = line
            .windows(2)
            .find(|s| s[0].0 <= middle && middle <= s[1].0)
            .unwrap();
        assert!(
            (step[0].1 - value).abs() < 1.5,
            "link {rank}: {step:?}, {value}"
        );
    }
}

#[test]
fn fitted_rows_stand_at_what_was_measured_and_how_far_they_are_off() {
    let machine = Topology::inline("fat-tree:k=4", &Default::default()).unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    let mut rows = String::from("pattern,nodes,bytes,seconds\n");
    for (i, bytes) in [100.0, 1e4, 1e6, 1e7].into_iter().enumerate() {
        // Not quite one network's seconds, so that rows are off.
        let noise = 1.0 + 0.04 * (i % 3) as f64;
        rows += &format!(
            "ping-pong,0-1,{bytes},{}\n",
            noise * (4e-6 + 2.0 * bytes / 1e9)
        );
        rows += &format!(
            "all-to-all,0-7,{bytes},{}\n",
            noise * (9e-6 + 7.0 * bytes / 1e9)
        );
    }
    let rows = Measured::read_all(&machine, &Text::new("rows.csv", &*rows)).unwrap();
    let routing = FixedRouting::find_by_name("one-path").unwrap();
    let found = fit(&fabric, routing, Fair::Flow, &rows).unwrap();
    let drawn = plot::plot_calibration("m", &rows, &found);
    let chart = Chart::read(&drawn.svg().unwrap());
    let panel = chart.panels()[0].logarithmic(false);
    for slot in [0, 1] {
        let own = rows.iter().zip(&found.fitted);
        let own = own.filter(|(row, _)| row.pattern == PATTERNS[slot]);
        let expected: Vec<(f64, f64)> = own
            .map(|(row, fitted)| (1e6 * row.seconds, 100.0 * (fitted / row.seconds - 1.0)))
            .collect();
        let marks = chart.marks(&panel, &colour(slot));
        assert_eq!(marks.len(), 4, "{marks:?}");
        let most = expected.iter().map(|p| p.1.abs()).fold(0.0, f64::max);
        for (mark, (time, off)) in marks.iter().zip(&expected) {
            assert!((mark.0 / time - 1.0).abs() < 0.05, "{mark:?}, {time}");
            assert!((mark.1 - off).abs() < 0.05 * most + 0.02, "{mark:?}, {off}");
        }
    }
}

/// A ring of 16 on a torus of 4 x 4 in row-major order: 12 neighbours are a hop apart, the ends of rows two.
#[test]
fn the_histogram_of_a_mapping_has_the_shares_of_its_hops() {
    let folder = tempfile::tempdir().unwrap();
    let asked = "map torus:4x4 --order row-major --guest ring:n=16 --plot m.svg";
    run(folder.path(), asked);
    let chart = svg(folder.path(), "m.svg");
    assert!(chart.has("How far traffic goes"), "{:?}", chart.texts());
    let mut shares = Vec::new();
    for panel in chart.panels() {
        let mut bars = chart.bars(&panel, &colour(0));
        // The legend's patch stands on nothing.
        bars.retain(|bar| bar[1].abs() < 1.0 && bar[3] > 1.0);
        // A tick stands where the two bars of its hops meet.
        shares.push(
            bars.iter()
                .map(|bar| (bar[2].round(), bar[3].round()))
                .collect::<Vec<_>>(),
        );
    }
    assert!(
        shares.contains(&vec![(1.0, 75.0), (2.0, 25.0)]),
        "{shares:?}"
    );
}
