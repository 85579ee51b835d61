//! The figures of replays: what they draw, read from their SVG.

use nodeorder_present::plot::replay::{
    Bars, Figure, Forecast, Labelled, Overlay, Range, SizeLine, Spread,
};

const HOSTILE: &str = "a,\"b\" <script>alert('x')</script> & {{verdict}} \u{7}é 漢字 ]]>";

/// What a figure draws: its texts and how many shapes each kind of path has, all within its box.
struct Seen {
    texts: Vec<String>,
    /// Rectangles of each fill.
    rects: std::collections::BTreeMap<String, usize>,
}

fn see(figure: &Figure<'_>) -> Seen {
    let svg = figure.svg().unwrap();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    let size = |key| root.attribute(key).unwrap().parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    let mut seen = Seen {
        texts: Vec::new(),
        rects: Default::default(),
    };
    for node in document.descendants() {
        if let Some(text) = node
            .text()
            .filter(|_| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        {
            seen.texts.push(text.to_string());
            let at = |key| node.attribute(key).unwrap().parse::<f64>().unwrap();
            let within = (0.0..=width).contains(&at("x")) && (0.0..=height).contains(&at("y"));
            assert!(within, "{text}");
        }
        let Some(path) = node.attribute("d") else {
            continue;
        };
        for start in path.split('M').skip(1) {
            let (x, y) = corner(start);
            let within = (-1.0..=width + 1.0).contains(&x) && (-1.0..=height + 1.0).contains(&y);
            assert!(within, "{start}");
        }
        if node.attribute("shape-rendering").is_some() {
            let fill = node.attribute("fill").or(node.attribute("class")).unwrap();
            *seen.rects.entry(fill.to_string()).or_default() += path.matches('M').count();
        }
    }
    seen
}

/// The two numbers that a subpath starts with, after its M.
fn corner(path: &str) -> (f64, f64) {
    let end = path.find(char::is_alphabetic).unwrap_or(path.len());
    let (sign, rest) = path[..end].split_at(usize::from(path.starts_with('-')));
    let (x, y) = rest.split_at(rest.find([' ', '-']).unwrap());
    (
        (sign.to_string() + x).parse().unwrap(),
        y.trim().parse().unwrap(),
    )
}

impl Seen {
    fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|t| t == text)
    }
}

#[test]
fn forecasts_have_a_panel_an_allocator() {
    let rows = [
        Labelled {
            label: "snake",
            slot: 0,
            data: Forecast {
                forecast: 3.1,
                outcome: &[Some(2.5), None],
            },
        },
        Labelled {
            label: "hilbert",
            slot: 1,
            data: Forecast {
                forecast: 2.9,
                outcome: &[Some(2.25), Some(2.0)],
            },
        },
    ];
    let panels = [("fifo:0", "Spearman 1.00"), (HOSTILE, "none")];
    let seen = see(&Figure::plot_prediction("Forecast", &panels, &rows).unwrap());
    for text in ["fifo:0", "Spearman 1.00", "snake", "hilbert", "2.9", "3.1"] {
        assert!(seen.has(text), "{text}: {:?}", seen.texts);
    }
    let with = |outcome| {
        [Labelled {
            data: Forecast {
                outcome,
                ..rows[0].data
            },
            ..rows[0]
        }]
    };
    let one = with(&[Some(1.0)]);
    see(&Figure::plot_prediction("One", &panels[..1], &one).unwrap());
    assert!(Figure::plot_prediction("None", &panels, &[]).is_err());
    let none = with(&[None]);
    assert!(Figure::plot_prediction("None", &panels[..1], &none).is_err());
}

#[test]
fn overlays_have_a_panel_an_ordering_and_a_kind_of_mark_an_allocator() {
    let curve = [1.0, 1.5, 2.0, f64::NAN, 3.0];
    let means = [
        vec![(2, 1.5), (4, 2.5), (6, f64::NAN)],
        vec![(4, 2.0), (6, 3.5), (0, 1.0)],
    ];
    let row = |label, means| Labelled {
        label,
        slot: 0,
        data: Overlay {
            curve: &curve,
            means,
        },
    };
    let rows = [row("snake", &means[..]), row(HOSTILE, &means[..])];
    let allocators = ["fifo:0", "first-fit:1"];
    let figure = Figure::plot_overlay("Overlay", "a note", &allocators, &rows).unwrap();
    let seen = see(&figure);
    for text in [
        "fifo:0",
        "first-fit:1",
        "MPC",
        "snake",
        "a note",
        "mean distance (hops)",
    ] {
        assert!(seen.has(text), "{text}: {:?}", seen.texts);
    }
    // Squares of the second allocator: two a panel, and one in the legend; nothing for sizes of 0.
    assert_eq!(seen.rects[ORANGE], 2 * 2 + 1);
    // Marks at the same place are one.
    let crowded = [vec![], vec![(4096, 2.0), (4097, 2.0), (2, 1.0)]];
    let seen =
        see(&Figure::plot_overlay("Close", "", &allocators, &[row("o", &crowded[..])]).unwrap());
    assert_eq!(seen.rects[ORANGE], 2 + 1);
    assert!(Figure::plot_overlay("None", "", &allocators, &[]).is_err());
    let none = [vec![], vec![(6, f64::NAN)]];
    assert!(Figure::plot_overlay("None", "", &allocators, &[row("o", &none[..])]).is_err());
}

const BLUE: &str = "#0072b2";
const ORANGE: &str = "#d55e00";

#[test]
fn size_distributions_count_jobs_by_octave() {
    let jobs: &[(u32, u64)] = &[(4, 20), (1, 30), (3, 10), (9, 40), (0, 7), (5, 0)];
    let seen = see(&Figure::plot_sizes("Sizes", jobs).unwrap());
    assert!(
        seen.has("100 jobs, mean size 5.0 nodes"),
        "{:?}",
        seen.texts
    );
    // Shares of 1, 3-4 and 9-16; none of 2 and 5-8, which keep their places.
    for text in ["1", "2", "3-4", "5-8", "9-16", "30.0", "40.0", "Sizes"] {
        assert!(seen.has(text), "{text}: {:?}", seen.texts);
    }
    assert_eq!(seen.rects[BLUE], 3);
    assert!(Figure::plot_sizes("Sizes", &[(0, 3)]).is_err());
}

#[test]
fn improvement_draws_a_dot_a_size_where_sizes_crowd() {
    let points: Vec<(u32, f64)> = (2..=300).map(|s| (s, 90.0 - f64::from(s) / 3.0)).collect();
    let line = |label, slot, data| SizeLine { label, slot, data };
    let lines = [
        line("first-fit:8", 0, &points[..]),
        line("random", 1, &[(2, -20.0), (9, 5.0)]),
    ];
    let what = "improvement over fifo:0 (%)";
    let seen = see(&Figure::plot_improvement("Gain", what, &lines).unwrap());
    assert!(seen.has(what) && seen.has("first-fit:8") && seen.has("random"));
    assert!(
        seen.texts
            .iter()
            .any(|t| t.starts_with("299 job sizes: a dot each"))
    );
    // Of 301 values, the lowest and highest three do not stretch the axis, but the lines do.
    assert!(
        seen.has("−20") && seen.has("80") && !seen.has("−40"),
        "{:?}",
        seen.texts
    );
    assert!((250..=299).contains(&seen.rects[BLUE]), "{:?}", seen.rects);
    let seen = see(&Figure::plot_improvement("Gain", what, &lines[1..]).unwrap());
    assert!(!seen.texts.iter().any(|t| t.contains("a dot each")));
    let bad = [line("a", 0, &[(0, 1.0), (4, f64::NAN)])];
    let error = Figure::plot_improvement("Gain", what, &bad)
        .err()
        .unwrap()
        .to_string();
    assert_eq!(error, "drawing Gain: no value in any line");
}

#[test]
fn averages_have_a_bar_and_a_number_each() {
    let means = [Some(71.28), Some(-27.95), None];
    let nan = [Some(f64::NAN), Some(-27.95), None];
    let rows = [
        Bars {
            label: "closest-fit",
            slot: 0,
            data: means,
        },
        Bars {
            label: HOSTILE,
            slot: 1,
            data: nan,
        },
    ];
    let seen = see(&Figure::plot_averages("Means", "improvement (%)", &rows).unwrap());
    for text in [
        "closest-fit",
        "71.3",
        "−27.9",
        "–",
        "overall",
        "improvement (%)",
    ] {
        assert!(seen.has(text), "{text}: {:?}", seen.texts);
    }
    assert_eq!((seen.rects[BLUE], seen.rects[ORANGE]), (2, 1));
    let none = Bars {
        label: "a",
        slot: 0,
        data: [None; 3],
    };
    assert!(Figure::plot_averages("Means", "improvement (%)", &[none]).is_err());
}

#[test]
fn ranges_have_a_band_piece_for_each_size_that_has_room() {
    let spread = |size: u32| {
        let mean = f64::from(size).ln();
        Spread {
            size,
            least: mean - 0.5,
            mean,
            most: mean + 1.0,
        }
    };
    let few: Vec<Spread> = [16, 2, 4].map(spread).to_vec();
    let many: Vec<Spread> = (2..2000).map(spread).collect();
    let rows = [
        Range {
            label: "fifo:0",
            slot: 0,
            data: &few,
        },
        Range {
            label: "closest-fit",
            slot: 1,
            data: &many,
        },
    ];
    let seen = see(&Figure::plot_ranges("Ranges", &rows).unwrap());
    // One more patch is in the key.
    assert_eq!(seen.rects[BLUE], 3 + 1);
    assert!((150..400).contains(&seen.rects[ORANGE]), "{:?}", seen.rects);
    assert!(seen.has("MIND: mean distance within a job (hops)"));
    assert!(Figure::plot_ranges("Ranges", &[]).is_err());
}

/// The file's size in pixels is twice the SVG's, and something is drawn on it.
#[test]
fn a_png_has_twice_the_pixels_of_its_svg() {
    let line = SizeLine {
        label: "a",
        slot: 0,
        data: &[(2, 1.0), (64, 4.0)],
    };
    let figure = Figure::plot_improvement("Gain", "improvement (%)", &[line]).unwrap();
    let (png, svg) = (figure.png().unwrap(), figure.svg().unwrap());
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    let height = u32::from_be_bytes(png[20..24].try_into().unwrap());
    assert!(svg.contains(&format!(
        "width=\"{}\" height=\"{}\"",
        width / 2,
        height / 2
    )));
    assert!(png.len() > 5000, "{}", png.len());
}

/// One size, one allocator, labels without end: nothing leaves the picture.
#[test]
fn edges_are_drawn_within_the_box() {
    let long = HOSTILE.repeat(40);
    let line = SizeLine {
        label: &long,
        slot: 139,
        data: &[(1, 0.0)],
    };
    see(&Figure::plot_improvement(&long, &long, &[line]).unwrap());
    see(&Figure::plot_sizes(&long, &[(u32::MAX, u64::MAX), (1, 1)]).unwrap());
    let means = [Some(-1e9), Some(1e9), Some(0.0)];
    see(&Figure::plot_averages(
        &long,
        &long,
        &[Bars {
            label: &long,
            slot: 3,
            data: means,
        }; 60],
    )
    .unwrap());
    let spread = Spread {
        size: 1,
        least: 0.0,
        mean: 0.0,
        most: 0.0,
    };
    see(&Figure::plot_ranges(
        &long,
        &[Range {
            label: &long,
            slot: 0,
            data: &[spread],
        }; 40],
    )
    .unwrap());
}
