//! Totals of replays, recomputed from the rows of their placements.

use std::collections::BTreeMap;
use std::path::Path;

/// Lines of a CSV file as maps from column to text.
fn read(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let line = |record: csv::StringRecord| {
        header
            .iter()
            .map(String::from)
            .zip(record.iter().map(String::from))
            .collect()
    };
    reader
        .records()
        .map(|record| line(record.unwrap()))
        .collect()
}

fn run(folder: &Path, arguments: &[&str]) {
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

/// Mean distance of each job of an allocator from two nodes, by its number, with its size.
fn minds(rows: &[BTreeMap<String, String>], allocator: &str, whole: bool) -> Vec<(u32, f64)> {
    let ours = rows
        .iter()
        .filter(|row| row["allocator"] == allocator && row["size"] != "1");
    let mind = |row: &BTreeMap<String, String>| {
        let (size, total): (u32, u64) = (
            row["size"].parse().unwrap(),
            row["total_distance"].parse().unwrap(),
        );
        let pairs = u64::from(size * (size - 1) / 2);
        (
            size,
            if whole {
                (total / pairs) as f64
            } else {
                total as f64 / pairs as f64
            },
        )
    };
    ours.map(mind).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn totals_follow_from_the_placements() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let log = "hector-year:placements=4000,nodes=192,load=0.7";
    run(folder, &["trace", "generate", log, "-o", "year.log"]);
    // A quarter of the node-hours in the octaves of 3, 4 and 5 to 8, half in that of 9 to 16.
    std::fs::write(
        folder.join("compute.csv"),
        "size,share\n3,1\n4,1\n7,2\n12,4\n",
    )
    .unwrap();
    for whole in [false, true] {
        let mut replay = vec![
            "replay",
            "cascade:4x3x4,per_router=4",
            "--order",
            "snake",
            "--log",
            "year.log",
        ];
        replay.extend([
            "--alloc",
            "closest-fit",
            "--alloc",
            "fifo:0",
            "--compute",
            "compute.csv",
        ]);
        replay.extend([
            "-o",
            "rows.csv",
            "--summary",
            "sizes.csv",
            "--totals",
            "totals.csv",
        ]);
        replay.extend(["--threshold", "10", "--timings"]);
        replay.extend(whole.then_some("--whole-hops"));
        run(folder, &replay);
        let rows = read(&folder.join("rows.csv"));
        let (ours, base) = (
            minds(&rows, "closest-fit", whole),
            minds(&rows, "fifo:0", whole),
        );
        assert!(ours.len() > 2000 && ours.len() == base.len());

        let mut by_size: BTreeMap<u32, [Vec<f64>; 2]> = BTreeMap::new();
        for ((size, mind), (_, before)) in ours.iter().zip(&base) {
            let [a, b] = by_size.entry(*size).or_default();
            a.push(*mind);
            b.push(*before);
        }
        by_size.retain(|_, [a, _]| a.len() > 10);
        let gain = |a: &[f64], b: &[f64]| 100.0 * (mean(b) - mean(a)) / mean(b);
        let gains: BTreeMap<u32, f64> = by_size
            .iter()
            .map(|(size, [a, b])| (*size, gain(a, b)))
            .collect();
        let group = |from: u32, to: u32| {
            let inside: Vec<f64> = gains.range(from..=to).map(|(_, gain)| *gain).collect();
            mean(&inside)
        };
        let share = |size: u32| match size {
            3..=8 => 0.25,
            9..=16 => 0.5,
            _ => 0.0,
        };
        let normalised: Vec<f64> = gains
            .iter()
            .map(|(size, gain)| gain * share(*size))
            .collect();
        let scaled = |minds: &[(u32, f64)]| -> Vec<f64> {
            minds
                .iter()
                .map(|(size, mind)| mind / f64::from(*size).ln())
                .collect()
        };
        let differences: Vec<f64> = scaled(&base)
            .iter()
            .zip(scaled(&ours))
            .map(|(b, a)| b - a)
            .collect();
        let n = differences.len() as f64;
        let squares: f64 = differences
            .iter()
            .map(|d| (d - mean(&differences)).powi(2))
            .sum();
        let t = mean(&differences) / (squares / (n - 1.0) / n).sqrt();

        let totals = read(&folder.join("totals.csv"));
        let first = totals
            .iter()
            .find(|row| row["allocator"] == "closest-fit")
            .unwrap();
        for (column, expected) in [
            ("improvement_small", group(2, 10)),
            ("improvement_large", group(11, 192)),
            ("improvement_overall", group(2, 192)),
            ("normalised_improvement_overall", mean(&normalised)),
            ("mean_mind_per_log_size", mean(&scaled(&ours))),
            ("mean_difference", mean(&differences)),
            ("sizes", gains.len() as f64),
            ("pairs", n),
            ("t", t),
        ] {
            let found: f64 = first[column].parse().unwrap();
            assert!(
                (found - expected).abs() < 1e-9 * expected.abs(),
                "{column}: {found}, {expected}"
            );
        }
        assert!(first["seconds"].parse::<f64>().unwrap() > 0.0);
        for row in read(&folder.join("sizes.csv")) {
            let size: u32 = row["size"].parse().unwrap();
            let Some(gain) = gains
                .get(&size)
                .filter(|_| row["allocator"] == "closest-fit")
            else {
                continue;
            };
            let found: f64 = row["improvement"].parse().unwrap();
            let weighted: f64 = row["normalised_improvement"].parse().unwrap();
            assert!((found - gain).abs() < 1e-9 && (weighted - gain * share(size)).abs() < 1e-9);
            let least = by_size[&size][0]
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min);
            assert_eq!(row["min_mind"].parse::<f64>().unwrap(), least);
        }
    }
}
