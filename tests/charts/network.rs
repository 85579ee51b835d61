//! Sparklines, the traffic of a mapping and the spans of jobs side by side: what is drawn is the data.

use nodeorder_present::plot::{self, Series};

use super::read::{Chart, Panel, Point, colour};
use super::{run, svg, table};

/// Colour of a share of the highest value.
fn ramp(share: f64) -> String {
    let colours = plot::rank_colours();
    colours[(share * (colours.len() - 1) as f64).round() as usize].clone()
}

/// A sparkline goes from two nodes at its left to all at its right, from 0 at its foot to random placement at its head.
#[test]
fn a_sparkline_is_its_curve_over_the_best_of_all() {
    let curve: Vec<f64> = (2..=90).map(|s| 0.5 + 2.0 * f64::from(s) / 90.0).collect();
    let best: Vec<f64> = curve.iter().map(|value| 0.8 * value).collect();
    let series = Series {
        label: "a",
        values: &curve,
        nodes: 90,
        slot: 3,
    };
    let drawn = plot::plot_sparkline(series, &best, 2.75).svg().unwrap();
    let chart = Chart::read(&drawn);
    let panel = Panel::between([(2.0, 1.0), (90.0, 111.0)], [(0.0, 26.0), (2.75, 2.0)]);
    let panel = panel.logarithmic(false);
    for (colour, width, values) in [(&*colour(3), "1.8", &curve), ("s sm", "1", &best)] {
        let data: Vec<Point> = (2..).map(f64::from).zip(values.iter().copied()).collect();
        let line = chart.lines(&panel, colour, width).concat();
        assert!(line.len() > 4, "{line:?}");
        // A pixel is a twenty-fourth of the height.
        assert!(panel.is_on_line(&line, &data, 2.75), "{line:?}");
        assert!(panel.is_on_line(&data, &line, 2.75), "{line:?}");
    }
    let random = chart.lines(&panel, "s sa", "0.6").concat();
    assert!(
        random.iter().all(|point| (point.1 - 2.75).abs() < 0.05),
        "{random:?}"
    );
    assert_eq!(random.len(), 2);
}

/// Four processes on a torus of 4 x 4: rows of the matrix are senders by the rank of their nodes, columns receivers;
/// each direction of a link lies on the right-hand side of its way.
#[test]
fn traffic_and_links_of_a_mapping_have_the_colours_of_their_volumes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "guest.csv",
        "source,target,volume\n0,1,1\n1,0,10\n2,3,100\n3,1,1000\n",
    );
    write("mapping.csv", "process,node\n0,7\n1,2\n2,0\n3,5\n");
    let asked =
        "map torus:4x4 --guest guest.csv --mapping mapping.csv --plot m.svg --links-out l.csv";
    run(folder.path(), asked);
    let chart = svg(folder.path(), "m.svg");

    // By node: processes 2, 1, 3 and 0.
    let place = [3.0, 1.0, 0.0, 2.0];
    let ground = chart.filled("fh");
    let matrix = ground.iter().find(|found| found[2] - found[0] > 300.0);
    let [left, top, right, _] = *matrix.unwrap();
    let cell = (right - left) / 4.0;
    // A factor of ten each: equal steps on the logarithmic ramp.
    let messages = [(0, 1, 0.0), (1, 0, 1.0), (2, 3, 2.0), (3, 1, 3.0)];
    for from in 0..4 {
        for to in 0..4 {
            let sent = messages.iter().find(|sent| (sent.0, sent.1) == (from, to));
            let at = |process: usize| (place[process] + 0.5) * cell;
            let expected = sent.map_or("fh".to_string(), |sent| ramp(sent.2 / 3.0));
            let found = chart.colour_at((left + at(to), top + at(from)));
            assert_eq!(found, Some(&*expected), "{from} to {to}");
        }
    }
    for text in ["1", "1,000", "target, ranks 0 to 3 →", "← source"] {
        assert!(chart.has(text), "{text}: {:?}", chart.texts());
    }

    let mut discs = chart.filled("fa");
    // The bar of idle links is no disc.
    discs.retain(|disc| (disc[2] - disc[0] - 8.0).abs() + (disc[3] - disc[1] - 8.0).abs() < 0.2);
    assert_eq!(discs.len(), 16);
    let middles = discs
        .iter()
        .map(|d| ((d[0] + d[2]) / 2.0, (d[1] + d[3]) / 2.0));
    let (left, floor) = middles.fold((f64::MAX, 0.0), |a, b| (a.0.min(b.0), b.1.max(a.1)));
    let step = (discs.iter().map(|d| d[2]).fold(0.0, f64::max) - 4.0 - left) / 3.0;
    // Node 4 x + y stands in column x and row y from the foot.
    let middle = |node: u32| {
        let [x, y] = [node / 4, node % 4].map(f64::from);
        (left + x * step, floor - y * step)
    };
    let links = table(folder.path(), "l.csv");
    let load = |row: &std::collections::BTreeMap<String, String>| row["load"].parse().unwrap();
    let most = links.iter().map(load).fold(0.0, f64::max);
    assert!(links.len() == 64 && most == 500.5);
    let mut segments = 0;
    for row in &links {
        let [from, to] = ["u", "v"].map(|end| middle(row[end].parse().unwrap()));
        let long = (to.0 - from.0).hypot(to.1 - from.1);
        // A link around the back leaves on one side and comes in on the other.
        let (way, wraps) = if long > 1.5 * step {
            (((from.0 - to.0) / long, (from.1 - to.1) / long), true)
        } else {
            (((to.0 - from.0) / long, (to.1 - from.1) / long), false)
        };
        let length = if wraps { step / 2.0 } else { step };
        let right_hand = |at: Point| (at.0 - 3.1 * way.1, at.1 + 3.1 * way.0);
        let out = (from.0 + length * way.0, from.1 + length * way.1);
        let back = (to.0 - length * way.0, to.1 - length * way.1);
        let load: f64 = load(row);
        let expected = if load > 0.0 {
            ramp(load / most)
        } else {
            "s sh".into()
        };
        for (from, to) in [(from, out), (back, to)]
            .into_iter()
            .skip(usize::from(!wraps))
        {
            let ends = [right_hand(from), right_hand(to)];
            assert!(chart.has_line(&expected, "5", ends), "{row:?}: {ends:?}");
            segments += 1;
        }
    }
    assert_eq!((segments, chart.count_lines("5")), (80, 80));
}

/// Two rings of four, 1 MB to each neighbour at 1.25 GB/s: 1.6 ms an exchange, which `left` begins after 1 ms of work.
#[test]
fn spans_of_jobs_stand_at_their_times_beside_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let ring = |name: &str, nodes: &str| {
        format!(
            "[[jobs]]\nname = '{name}'\nnodes = '{nodes}'\nguest = 'ring:n=4'\nbytes = 1000000\n"
        )
    };
    let jobs = ring("left", "0-3") + "compute = 0.001\n" + &ring("right", "4-7");
    std::fs::write(folder.path().join("jobs.toml"), jobs).unwrap();
    run(
        folder.path(),
        "corun torus:4x2 --jobs jobs.toml --plot time.svg",
    );
    run(folder.path(), "corun torus:4x2 --jobs jobs.toml --out page");
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(
        read("time.svg") == read("page/time.svg"),
        "the page has another picture"
    );
    let chart = svg(folder.path(), "time.svg");
    let [zero, last] = ["0", "0.014"].map(|text| chart.place(text).0);
    for (slot, (name, pause)) in [("left", 0.001), ("right", 0.0)].into_iter().enumerate() {
        let bars = chart.filled(&colour(slot));
        // Six iterations of the slower job: 15.6 ms.
        let period: f64 = pause + 0.0016;
        let expected = (0.0156 / period - 1e-9).ceil() as usize;
        assert_eq!(bars.len(), expected, "{name}");
        for (i, [from, top, to, bottom]) in bars.into_iter().enumerate() {
            let time = |pixel: f64| (pixel - zero) / (last - zero) * 0.014;
            let begin = i as f64 * period + pause;
            let end = (begin + 0.0016).min(0.0156);
            assert!(
                (time(from) - begin).abs() < 1e-5,
                "{name}: {} {begin}",
                time(from)
            );
            assert!((time(to) - end).abs() < 1e-5, "{name}: {} {end}", time(to));
            // The middle of its name.
            assert!(((top + bottom) / 2.0 - chart.place(name).1 + 4.2).abs() < 1.0);
        }
    }
}
