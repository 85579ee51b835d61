//! MPC against a replay by job size: what `compare --trace` writes, made again from `replay` and `mpc`.

use std::collections::BTreeMap;
use std::path::Path;

const MACHINE: &str = "torus:6x5x4";
const ORDERS: [&str; 4] = ["hilbert", "snake", "row-major", "random"];
const ALLOCATORS: [&str; 3] = ["fifo:0", "first-fit:1", "span-best-fit"];

fn run(folder: &Path, arguments: &[&str]) -> String {
    let mut command = crate::command();
    let output = command
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && stderr.is_empty(),
        "{}: {stderr}",
        arguments.join(" ")
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of a CSV text, each by the names of its columns.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(Result::unwrap).collect()
}

fn number(text: &str) -> f64 {
    text.parse()
        .unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

/// The options that name orderings, and those that name allocators.
fn options(orders: &[&'static str], allocators: &[&'static str]) -> Vec<&'static str> {
    let orders = orders.iter().flat_map(|order| ["--order", order]);
    orders
        .chain(
            allocators
                .iter()
                .flat_map(|allocator| ["--alloc", allocator]),
        )
        .collect()
}

/// One row: jobs, MPC and measured mean.
#[derive(Clone, Copy, Debug)]
struct Mean {
    jobs: usize,
    mpc: f64,
    mean: f64,
}

/// Means by ordering and allocator, as they were named, and size.
type Means = BTreeMap<(usize, usize, u32), Mean>;

/// From the placements of `replay` and the curves of `mpc`.
fn expected(folder: &Path) -> Means {
    let replay = [
        &["replay", MACHINE, "--log", "jobs.log"],
        &options(&ORDERS, &ALLOCATORS)[..],
    ];
    let mpc = [&["mpc", MACHINE], &options(&ORDERS, &[])[..]].concat();
    let place = |all: &[&str], name: &str| all.iter().position(|n| *n == name).unwrap();
    let mut curves = BTreeMap::new();
    for row in rows(&run(folder, &mpc)) {
        let size: u32 = row["size"].parse().unwrap();
        curves.insert(
            (place(&ORDERS, &row["ordering"]), size),
            number(&row["mpc"]),
        );
    }
    let mut jobs: BTreeMap<(usize, usize, u32), Vec<f64>> = BTreeMap::new();
    for row in rows(&run(folder, &replay.concat())) {
        let size: u32 = row["size"].parse().unwrap();
        if size > 1 {
            let key = (
                place(&ORDERS, &row["ordering"]),
                place(&ALLOCATORS, &row["allocator"]),
                size,
            );
            jobs.entry(key).or_default().push(number(&row["mind"]));
        }
    }
    assert!(jobs.values().any(|minds| minds.len() == 5) && jobs.values().any(|m| m.len() == 6));
    jobs.retain(|_, minds| minds.len() > 5);
    let mean = |((order, allocator, size), minds): ((usize, usize, u32), Vec<f64>)| {
        let mean = minds.iter().sum::<f64>() / minds.len() as f64;
        (
            (order, allocator, size),
            Mean {
                jobs: minds.len(),
                mpc: curves[&(order, size)],
                mean,
            },
        )
    };
    jobs.into_iter().map(mean).collect()
}

/// The text between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("no `{from}` in {text}"));
    rest.split_once(to)
        .unwrap_or_else(|| panic!("no `{to}` after `{from}`"))
        .0
}

/// Sizes at which `a` has the lower MPC, and those of them where its mean is higher, with what that costs.
fn ranked(means: &Means, allocator: usize, a: usize, b: usize) -> (usize, Vec<u32>, f64) {
    let (mut ranked, mut wrong, mut cost) = (0, Vec::new(), 0.0);
    for ((_, _, size), ours) in means
        .iter()
        .filter(|((o, l, _), _)| (*o, *l) == (a, allocator))
    {
        let Some(other) = means.get(&(b, allocator, *size)) else {
            continue;
        };
        if ours.mpc < other.mpc {
            ranked += 1;
            if ours.mean > other.mean {
                wrong.push(*size);
                cost += ours.jobs as f64 * (ours.mean - other.mean);
            }
        }
    }
    (ranked, wrong, cost)
}

/// The sentence on a pair of orderings, from the rows.
fn sentence(means: &Means, allocator: usize, a: usize, b: usize) -> String {
    let (ranked, wrong, _) = ranked(means, allocator, a, b);
    let listed: Vec<String> = wrong.iter().take(6).map(u32::to_string).collect();
    let more = if wrong.len() > 6 {
        format!(" and {} more", wrong.len() - 6)
    } else {
        String::new()
    };
    let at = |ordering, size| means[&(ordering, allocator, size)];
    let apart = |size: u32| at(a, size).mean - at(b, size).mean;
    let widest = *wrong
        .iter()
        .max_by(|x, y| apart(**x).total_cmp(&apart(**y)))
        .unwrap();
    let (ours, other) = (at(a, widest), at(b, widest));
    format!(
        "With {}, {} has a lower MPC than {} but a higher mean at {} of {ranked} sizes ({}{more} nodes); the widest at \
         {widest} nodes: MPC {:.4} against {:.4} hops, mean {:.4} against {:.4} hops.",
        ALLOCATORS[allocator],
        ORDERS[a],
        ORDERS[b],
        wrong.len(),
        listed.join(", "),
        ours.mpc,
        other.mpc,
        ours.mean,
        other.mean
    )
}

#[test]
fn the_rows_and_sentences_follow_from_replay_and_mpc() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let log = "nersc:placements=1500,nodes=120,load=0.9";
    run(folder, &["trace", "generate", log, "-o", "jobs.log"]);
    let compare = ["compare", MACHINE, "--trace", "jobs.log", "--out", "page"];
    run(
        folder,
        &[&compare, &options(&ORDERS, &ALLOCATORS)[..]].concat(),
    );
    let mut means = expected(folder);

    let written = rows(&std::fs::read_to_string(folder.join("page/workload-sizes.csv")).unwrap());
    assert_eq!(written.len(), means.len());
    assert!(written.len() > 100, "{}", written.len());
    // Rows come in the order of the options, sizes ascending: as the map's keys.
    for (row, ((order, allocator, size), mean)) in written.iter().zip(&mut means) {
        assert_eq!(row["ordering"], ORDERS[*order]);
        assert_eq!(row["allocator"], ALLOCATORS[*allocator]);
        assert_eq!(
            (&row["size"], &row["jobs"]),
            (&size.to_string(), &mean.jobs.to_string())
        );
        let [mpc, measured] = ["mpc", "mean_mind"].map(|name| number(&row[name]));
        assert_eq!(mpc, mean.mpc, "{row:?}");
        assert!(
            (measured - mean.mean).abs() <= 1e-12 * measured,
            "{row:?}: {mean:?}"
        );
        // The written mean is one exact ratio; a sum of rounded ones could rank equal means.
        mean.mean = measured;
        assert_eq!(number(&row["above_mpc"]), measured - mpc, "{row:?}");
        let per_cent = number(&row["above_mpc_percent"]);
        assert!(
            (per_cent - 100.0 * (measured / mpc - 1.0)).abs() < 1e-9,
            "{row:?}"
        );
    }

    let page = std::fs::read_to_string(folder.join("page/index.html")).unwrap();
    let section = between(&page, "<h2 id=\"by-size\">", "</section>");
    assert!(section.contains("<a class=\"screen\" href=\"workload-sizes.svg\""));
    let items: Vec<String> = between(section, "<ul>", "</ul>")
        .lines()
        .filter_map(|line| line.strip_prefix("<li>")?.strip_suffix("</li>"))
        .map(|item| item.replace("<b>", "").replace("</b>", ""))
        .collect();
    let mut sentences = Vec::new();
    for (allocator, name) in ALLOCATORS.iter().enumerate() {
        let pairs = (0..ORDERS.len()).flat_map(|a| (0..ORDERS.len()).map(move |b| (a, b)));
        let pairs: Vec<_> = pairs.filter(|(a, b)| a != b).collect();
        let told = |pair: &(usize, usize)| (*pair, ranked(&means, allocator, pair.0, pair.1));
        let mut cases: Vec<_> = pairs.iter().map(told).collect();
        let all: usize = cases.iter().map(|(_, (ranked, ..))| ranked).sum();
        let wrong: usize = cases.iter().map(|(_, (_, wrong, _))| wrong.len()).sum();
        let cells = between(section, &format!("data-value=\"{name}\">"), "</tr>");
        let cells: Vec<f64> = cells
            .split("data-value=\"")
            .skip(1)
            .map(|cell| number(cell.split('"').next().unwrap()))
            .collect();
        let ours: Vec<&Mean> = means
            .iter()
            .filter(|((_, l, _), _)| *l == allocator)
            .map(|(_, mean)| mean)
            .collect();
        let above: f64 = ours.iter().map(|m| 100.0 * (m.mean / m.mpc - 1.0)).sum();
        let share = 100.0 * wrong as f64 / all as f64;
        let count = ours.len() as f64;
        for (cell, expected) in
            cells
                .iter()
                .zip([count, above / count, all as f64, wrong as f64, share])
        {
            assert!((cell - expected).abs() < 1e-9, "{name}: {cells:?}");
        }
        assert_eq!(cells.len(), 5);
        cases.retain(|(_, (_, wrong, _))| !wrong.is_empty());
        cases.sort_by(|(_, (_, _, a)), (_, (_, _, b))| b.total_cmp(a));
        sentences.extend(
            cases
                .iter()
                .take(3)
                .map(|((a, b), _)| sentence(&means, allocator, *a, *b)),
        );
        if cases.is_empty() && all > 0 {
            sentences.push(format!(
                "With {name}, no mean is lower on the ordering that has the higher MPC."
            ));
        }
    }
    assert!(
        sentences.iter().any(|s| s.contains("has a lower MPC")),
        "{sentences:?}"
    );
    assert_eq!(items, sentences);
}

#[test]
fn without_a_size_of_six_jobs_there_are_no_rows_and_no_section() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let jobs: String = (0..5).map(|job| format!("P {job} 3\nF {job}\n")).collect();
    let compare = [
        &["compare", MACHINE, "--trace", "jobs.log", "--out", "page"],
        &options(&ORDERS, &[])[..],
    ];
    for (log, means) in [(jobs.clone(), 0), (jobs + "P 5 3\n", 4 * 4)] {
        std::fs::write(folder.join("jobs.log"), log).unwrap();
        run(folder, &compare.concat());
        let text = std::fs::read_to_string(folder.join("page/workload-sizes.csv")).unwrap();
        assert!(text.starts_with("ordering,allocator,size,jobs,mpc,mean_mind,above_mpc,"));
        assert_eq!(rows(&text).len(), means);
        let page = std::fs::read_to_string(folder.join("page/index.html")).unwrap();
        assert_eq!(page.contains("id=\"by-size\""), means > 0);
        assert_eq!(folder.join("page/workload-sizes.svg").exists(), means > 0);
    }
}
