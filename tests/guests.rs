//! Guests of real applications: held against measured matrices, closed forms and the benchmarks' own descriptions.

use std::collections::BTreeMap;

use nodeorder_traffic::mapping::Guest;
use nodeorder_traffic::mapping::guest::{Benchmark, make_sized_guest};

type Matrix = BTreeMap<(u32, u32), f64>;

fn matrix(text: &str) -> Matrix {
    let mut matrix = Matrix::new();
    let guest = Guest::make(text, &Default::default()).unwrap();
    guest.for_each_message(|m| {
        matrix.insert((m.source, m.target), m.volume);
    });
    matrix
}

/// A measured run of class C on 64 processes: pairs with 100 bytes or more. Less, in a whole run, are sums over all
/// processes.
fn measured(test: &str, name: &str, rows_receive: bool) -> Option<Matrix> {
    let path = crate::skip::shared(test, &format!("comm/NPB_{name}.csv"))?;
    let text = std::fs::read_to_string(path).unwrap();
    let pair = |line: &str| {
        let fields: Vec<f64> = line.split(',').map(|f| f.parse().unwrap()).collect();
        let (row, column) = (fields[0] as u32, fields[1] as u32);
        let pair = if rows_receive {
            (column, row)
        } else {
            (row, column)
        };
        (pair, fields[2])
    };
    Some(
        text.lines()
            .skip(1)
            .map(pair)
            .filter(|(_, bytes)| *bytes >= 100.0)
            .collect(),
    )
}

/// Precision and recall of the pairs, and the total variation distance of their shares of volume.
fn compared(made: &Matrix, measured: &Matrix) -> (f64, f64, f64) {
    let common = made
        .keys()
        .filter(|pair| measured.contains_key(pair))
        .count() as f64;
    let total = |m: &Matrix| m.values().sum::<f64>();
    let share = |m: &Matrix, pair| m.get(pair).map_or(0.0, |v| v / total(m));
    let pairs: std::collections::BTreeSet<_> = made.keys().chain(measured.keys()).collect();
    let apart: f64 = pairs
        .iter()
        .map(|p| (share(made, p) - share(measured, p)).abs())
        .sum();
    (
        common / made.len() as f64,
        common / measured.len() as f64,
        apart / 2.0,
    )
}

/// Runs: BT 200 iterations and more, CG 75, LU 250, MG 20, with one or more to warm up.
#[test]
fn benchmarks_send_the_measured_bytes() {
    let test = "benchmarks_send_the_measured_bytes";
    for (name, iterations, pairs, apart) in [
        ("bt", 201.0, 384, 1e-3),
        ("cg", 76.0, 248, 1e-6),
        ("lu", 252.0, 224, 1e-4),
        ("mg", 22.0, 408, 5e-4),
    ] {
        let Some(measured) = measured(test, name, true) else {
            continue;
        };
        let made = matrix(&format!("npb-{name}:n=64"));
        let (precision, recall, distance) = compared(&made, &measured);
        println!(
            "{name}: {} pairs, {precision} {recall}, distance {distance}",
            made.len()
        );
        assert_eq!(
            (precision, recall, measured.len()),
            (1.0, 1.0, pairs),
            "{name}"
        );
        assert!(distance < apart, "{name}: {distance}");
        if name == "bt" {
            let Some(turned) = self::measured(test, name, false) else {
                continue;
            };
            assert!(
                compared(&made, &turned).2 > 0.2,
                "rows of the measured matrix receive"
            );
        }
        // Bytes of an iteration, not shares alone.
        let total = |m: &Matrix| m.values().sum::<f64>();
        let ratio = total(&made) * iterations / total(&measured);
        println!("{name}: bytes over measured {ratio}");
        assert!((ratio - 1.0).abs() < 0.01, "{name}: {ratio}");
    }
}

/// Halves of an exchange are as large where the benchmark's are; CG's and MG's processes talk back.
#[test]
fn exchanges_go_both_ways() {
    for text in [
        "npb-cg:n=2",
        "npb-cg:n=32",
        "npb-cg:n=64",
        "npb-cg:n=128",
        "npb-mg:n=2",
        "npb-mg:n=128",
    ] {
        let made = matrix(text);
        assert!(!made.is_empty());
        for ((a, b), volume) in &made {
            assert_eq!(made.get(&(*b, *a)), Some(volume), "{text}: {a}, {b}");
        }
    }
    // Columns 1, 2, 4 of a row of 8, and the transposed process of a grid of 4 × 8: (r, 2c + e) to (c, 2r + e).
    let partners = |text: &str, i: u32| -> Vec<u32> {
        matrix(text)
            .keys()
            .filter(|(a, _)| *a == i)
            .map(|(_, b)| *b)
            .collect()
    };
    assert_eq!(partners("npb-cg:n=32", 13), [9, 12, 15, 19]);
    // A line of the torus of 4: next and last, and, where points are at 1 and 3 only, two apart.
    assert_eq!(
        partners("npb-mg:n=64", 21),
        [5, 17, 20, 22, 23, 25, 29, 37, 53]
    );
    assert_eq!(partners("npb-lu:n=32", 9), [1, 8, 10, 17]);
    assert_eq!(partners("npb-bt:n=9", 4), [1, 2, 3, 5, 6, 7]);
}

#[test]
fn volumes_follow_from_the_problem() {
    let total = |text: &str| matrix(text).values().sum::<f64>();
    let points = 64f64.powi(3);
    assert_eq!(total("npb-ft:n=16,class=S"), 16.0 * points * 15.0 / 16.0);
    // A grid of 64 planes by 2: along rows of 2 and columns of 64.
    assert_eq!(
        total("npb-ft:n=128,class=S"),
        16.0 * points * (1.0 / 2.0 + 63.0 / 64.0)
    );
    assert_eq!(
        total("npb-is:n=16,class=S"),
        4.0 * 65536.0 * 15.0 / 16.0 + 4.0 * 240.0
    );
    // A grid of 2 × 2 on 12 points a side: 10 inner planes and edges of 5 points (6 less the surface), 5 numbers a
    // point forth or back; faces of 6 × 12, 10 numbers a point; 8 messages.
    assert_eq!(
        total("npb-lu:n=4,class=S"),
        8.0 * 8.0 * (5.0 * 5.0 * 10.0 + 10.0 * 6.0 * 12.0)
    );
    // Cells of 6 points a side, 2 × 2 × 2. In each of three directions 4 faces of 36 points are swapped, and of each
    // 5 × 5 points off the surface are swept.
    assert_eq!(
        total("npb-sp:n=4,class=S"),
        8.0 * 12.0 * (20.0 * 36.0 + 32.0 * 25.0)
    );
    assert_eq!(
        total("npb-bt:n=4,class=S"),
        8.0 * 12.0 * (20.0 * 36.0 + 35.0 * 49.0)
    );
    assert_eq!(
        total("npb-bt:n=4,class=S,volume=0.5"),
        4.0 * 12.0 * (20.0 * 36.0 + 35.0 * 49.0)
    );
}

#[test]
fn processes_beyond_what_a_benchmark_takes_idle_or_are_refused() {
    for (name, count, runs) in [
        ("npb-bt", 60, 49),
        ("npb-sp", 3, 1),
        ("npb-cg", 100, 64),
        ("npb-lu", 7, 4),
        ("npb-mg", 129, 128),
        ("npb-ft", 60, 60),
        ("npb-ft", 1500, 1024),
        ("npb-is", 13, 13),
    ] {
        let guest = make_sized_guest(name, count, &Default::default()).unwrap();
        assert_eq!(guest.processes(), count);
        let mut last = 0;
        guest.for_each_message(|m| last = last.max(m.source).max(m.target));
        assert_eq!(last, runs - 1, "{name} {count}");
    }
    for (text, part) in [
        ("npb-bt:n=60", "a square"),
        ("npb-cg:n=60", "a power of two"),
        ("npb-ft:n=1500", "a power of two"),
        ("npb-sp:n=169,class=S", "at most 12 processes along a side"),
        ("npb-lu:n=4,class=E", "class"),
        ("npb-mg:n=4,idle=-1", "idle"),
        ("npb-is:n=4,volume=0", "above 0"),
    ] {
        let error = Guest::make(text, &Default::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// The stages of an iteration send what the guest does, pair by pair; in each a process sends to few.
#[test]
fn stages_together_send_what_the_guest_sends() {
    for (text, stages, targets) in [
        ("npb-bt:n=16,class=W", 7, 6),
        ("npb-sp:n=64,class=B", 7, 6),
        ("npb-lu:n=32,class=W", 3, 4),
        ("npb-cg:n=32,class=A", 4, 1),
        ("npb-mg:n=64,class=S", 15, 2),
        ("npb-ft:n=8,class=S", 7, 1),
        ("npb-ft:n=128,class=S", 64, 1),
        ("npb-is:n=12,class=S,idle=2", 11, 1),
    ] {
        let made = Benchmark::make(text, &Default::default()).unwrap();
        assert_eq!(made.stages.len(), stages, "{text}");
        let (mut sum, guest) = (Matrix::new(), matrix(text));
        for stage in &made.stages {
            let mut out: BTreeMap<u32, u32> = BTreeMap::new();
            stage.guest.for_each_message(|m| {
                *sum.entry((m.source, m.target)).or_default() += m.volume;
                *out.entry(m.source).or_default() += 1;
            });
            assert!(out.values().all(|n| *n <= targets), "{text}: {out:?}");
            assert_eq!(
                stage.guest.processes(),
                if text.contains("idle") {
                    14
                } else {
                    guest_size(text)
                }
            );
        }
        assert_eq!(
            sum.keys().collect::<Vec<_>>(),
            guest.keys().collect::<Vec<_>>(),
            "{text}"
        );
        for (pair, volume) in &guest {
            assert!((sum[pair] / volume - 1.0).abs() < 1e-12, "{text}: {pair:?}");
        }
        let bytes = sum.values().sum::<f64>();
        assert!((bytes / guest.values().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

fn guest_size(text: &str) -> u32 {
    Guest::make(text, &Default::default()).unwrap().processes()
}

/// Operations of whole runs, in billions, as NPB's reports give them: class A by Bailey et al., "The NAS parallel
/// benchmarks", and those that runs of NPB 3.4 print (Mop/s total times seconds).
#[test]
fn operations_are_the_published_ones() {
    for (text, billions) in [
        ("npb-bt:n=4,class=A", 168.3),
        ("npb-sp:n=4,class=A", 85.0),
        ("npb-lu:n=4,class=A", 119.3),
        ("npb-mg:n=4,class=A", 3.89),
        ("npb-cg:n=4,class=A", 1.50),
        ("npb-is:n=4,class=A", 0.0839),
        ("npb-bt:n=4,class=B", 702.2),
        ("npb-cg:n=4,class=B", 54.9),
        ("npb-ft:n=4,class=B", 92.05),
    ] {
        let made = Benchmark::make(text, &Default::default()).unwrap();
        let all = 4.0 * made.operations * f64::from(made.iterations) / 1e9;
        // FT's first transform is no iteration.
        let part = if text.contains("ft") { 0.06 } else { 0.01 };
        assert!((all / billions - 1.0).abs() < part, "{text}: {all}");
    }
    let error = |text| {
        Benchmark::make(text, &Default::default())
            .unwrap_err()
            .to_string()
    };
    assert!(error("stencil:4x4").contains("expected a benchmark: npb-bt"));
    assert!(error("npb-lu:n=5").contains("a power of two"));
    // More than class W has planes, or class S points: the greatest power of two that fits.
    for (text, count, runs) in [
        ("npb-ft:class=W", 60, "npb-ft:n=32,idle=28,class=W"),
        ("npb-bt:class=S", 200, "npb-bt:n=64,idle=136,class=S"),
    ] {
        let fewer = Benchmark::make_sized(text, count, &Default::default()).unwrap();
        assert_eq!(
            fewer,
            Benchmark::make(runs, &Default::default()).unwrap(),
            "{text} {count}"
        );
    }
    assert!(Benchmark::make_sized("npb-bt:class=X", 9, &Default::default()).is_err());
    let fewer = Benchmark::make_sized("npb-bt:class=S", 7, &Default::default()).unwrap();
    assert_eq!(
        fewer,
        Benchmark::make("npb-bt:n=4,idle=3,class=S", &Default::default()).unwrap()
    );
}

fn volumes(matrix: &[(u32, u32, f64)]) -> Matrix {
    matrix.iter().map(|(s, t, v)| ((*s, *t), *v)).collect()
}

fn refused(text: &str) -> String {
    Guest::make(text, &Default::default())
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

/// A schedule with all that GOAL has; sends of a pair add up, receives and dependencies send nothing.
#[test]
fn goal_schedules_are_their_sends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.goal");
    let text = "/* two lines\nof comment */ num_ranks 3\n\nrank 0 {\nl1: calc 100 cpu 1\nl2: send 4096b to 1 tag 7 // big\n\
                l3: send 4b to 1 tag 8 cpu 0 nic 2\nl3 requires l2\nsend 10b to 0\n}\nrank 2 { /* a */\nl1: send 8b to /* b */ 0\n\
                l2: recv 9b from -1 tag -1\nl2 irequires l1\n}\nrank 1 {\nrecv 4096b from 0 tag 7\n}\n";
    std::fs::write(&path, text).unwrap();
    let spec = format!("goal:{}", path.display());
    assert_eq!(matrix(&spec), volumes(&[(0, 1, 4100.0), (2, 0, 8.0)]));
    assert_eq!(
        Guest::make(&spec, &Default::default()).unwrap().processes(),
        3
    );
    for (text, message) in [
        ("", ":1: found the end; expected num_ranks"),
        ("rank 0 {\n}\n", ":1: found `rank 0 {`; expected num_ranks"),
        ("num_ranks 0\n", ":1: found `num_ranks 0`"),
        (
            "num_ranks 2\nrank 2 {\n}\n",
            ":2: found rank `2`; expected a rank from 0 to 1",
        ),
        (
            "num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
            ":4: found rank 0 again",
        ),
        (
            "num_ranks 2\nrank 0 {\nl1: send 8 to 1\n}\n",
            ":3: found `l1: send 8 to 1`; expected send SIZEb",
        ),
        (
            "num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n",
            ":3: found rank `2`",
        ),
        (
            "num_ranks 2\nrank 0 {\nrecv 8b from x\n}\n",
            ":3: found `recv 8b from x`",
        ),
        (
            "num_ranks 2\nrank 0 {\ncalc ten\n}\n",
            ":3: found `calc ten`",
        ),
        (
            "num_ranks 2\nrank 0 {\nl1: l2 requires l3\n}\n",
            ":3: found `l1: l2 requires l3`",
        ),
        (
            "num_ranks 2\nrank 0 {\nsend 8b to 1 tag\n}\n",
            ":3: found `send 8b to 1 tag`",
        ),
        ("num_ranks 2\nrank 0 {\n", ":2: found the end; expected }"),
        (
            "num_ranks 2\n/* a\n",
            ":2: found a comment that does not end",
        ),
        // What was cut off between two blocks.
        (
            "num_ranks 4\nrank 0 {\n}\nrank 1 {\n}\n",
            ":5: found the end after 2 of 4 ranks (none for rank 2); expected a block for each rank",
        ),
        ("num_ranks 2\n", ":1: found the end after 0 of 2 ranks"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = refused(&spec);
        let error = error
            .strip_prefix(&path.display().to_string())
            .unwrap_or(&error);
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

/// Bytes of protobuf, written by hand: varints, texts and messages by the number of their field.
mod et {
    pub fn varint(mut n: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while n > 127 {
            bytes.push(n as u8 | 128);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    }

    pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
        [
            varint(field << 3 | 2),
            varint(value.len() as u64),
            value.to_vec(),
        ]
        .concat()
    }

    pub fn number(field: u64, value: u64) -> Vec<u8> {
        [varint(field << 3), varint(value)].concat()
    }

    pub fn message(body: &[u8]) -> Vec<u8> {
        [varint(body.len() as u64), body.to_vec()].concat()
    }

    pub fn metadata() -> Vec<u8> {
        message(&bytes(1, b"0.0.4"))
    }

    /// A node with attributes that are whole numbers, and its group.
    pub fn node(kind: u64, attributes: &[(&str, u64, u64)], group: &str) -> Vec<u8> {
        let mut body = [number(1, 9), bytes(2, b"op"), number(3, kind), number(7, 3)].concat();
        for (name, field, value) in attributes {
            body.extend(bytes(
                10,
                &[bytes(1, name.as_bytes()), number(*field, *value)].concat(),
            ));
        }
        if !group.is_empty() {
            body.extend(bytes(
                10,
                &[bytes(1, b"pg_name"), bytes(29, group.as_bytes())].concat(),
            ));
        }
        message(&body)
    }
}

/// Sends by receiver; of each collective what a ring of its group sends, here counted by hand for S = 1200.
#[test]
fn chakra_traces_are_their_communication() {
    let folder = tempfile::tempdir().unwrap();
    let spec = format!("chakra:{}", folder.path().join("t").display());
    let write = |traces: &[Vec<u8>]| {
        std::fs::read_dir(folder.path())
            .unwrap()
            .for_each(|f| std::fs::remove_file(f.unwrap().path()).unwrap());
        for (rank, nodes) in traces.iter().enumerate() {
            let all = [et::metadata(), nodes.clone()].concat();
            std::fs::write(folder.path().join(format!("t.{rank}.et")), all).unwrap();
        }
    };
    let send =
        |to: u64, bytes: u64| et::node(5, &[("comm_dst", 7, to), ("comm_size", 9, bytes)], "");
    // Zigzag fields, a receive and a computation, which send nothing.
    let zigzag = et::node(5, &[("comm_dst", 15, 2), ("comm_size", 17, 20)], "");
    let idle = [
        et::node(6, &[("comm_size", 9, 7)], ""),
        et::node(4, &[], ""),
    ]
    .concat();
    write(&[
        [send(1, 8), send(1, 4), zigzag.clone(), idle].concat(),
        send(0, 5),
    ]);
    assert_eq!(matrix(&spec), volumes(&[(0, 1, 22.0), (1, 0, 5.0)]));
    let run = |kind: u64, ranks: &[usize], group: &str| {
        let op = et::node(7, &[("comm_type", 9, kind), ("comm_size", 9, 1200)], group);
        let traces: Vec<Vec<u8>> = (0..4)
            .map(|rank| {
                if ranks.contains(&rank) {
                    op.clone()
                } else {
                    Vec::new()
                }
            })
            .collect();
        write(&traces);
        matrix(&spec)
    };
    let ring = |v: f64| volumes(&[(0, 1, v), (1, 3, v), (3, 0, v)]);
    let three = [0, 1, 3];
    assert_eq!(run(0, &three, "g"), ring(1600.0));
    assert_eq!(run(2, &three, "g"), ring(2400.0));
    assert_eq!(run(7, &three, "g"), ring(800.0));
    assert_eq!(run(8, &three, "g"), ring(800.0));
    assert_eq!(
        run(1, &three, "g"),
        volumes(&[(1, 3, 1200.0), (3, 0, 1200.0)])
    );
    assert_eq!(
        run(5, &three, "g"),
        volumes(&[(0, 1, 1200.0), (1, 3, 1200.0)])
    );
    assert_eq!(
        run(3, &three, "g"),
        volumes(&[(1, 0, 1200.0), (3, 0, 1200.0)])
    );
    assert_eq!(
        run(4, &three, "g"),
        volumes(&[(0, 1, 400.0), (0, 3, 400.0)])
    );
    assert_eq!(run(6, &three, "g").len(), 6);
    assert!(run(6, &three, "g").values().all(|v| *v == 400.0));
    assert_eq!(run(9, &three, "g"), Matrix::new());
    // Without a group all ranks take part, whether or not their traces say so.
    assert_eq!(
        run(5, &three, ""),
        volumes(&[(0, 1, 1200.0), (1, 2, 1200.0)])
    );
    // The same as our own all-reduce by ring, buffer by buffer.
    assert_eq!(
        run(0, &[0, 1, 2, 3], "g"),
        matrix("all-reduce:ring,n=4,volume=1200")
    );

    let good = send(1, 8);
    let bad = |first: Vec<u8>| {
        write(&[Vec::new(), Vec::new()]);
        std::fs::write(folder.path().join("t.0.et"), first).unwrap();
        refused(&spec)
    };
    let meta = et::metadata;
    for (bytes, message) in [
        (
            good.clone(),
            "before byte 40: found bytes that are no message; expected messages of et_def.proto, the metadata first",
        ),
        (
            [meta(), vec![200]].concat(),
            "found the end within a length",
        ),
        (
            [meta(), good[..20].to_vec()].concat(),
            "found the end within a message",
        ),
        (
            [meta(), et::message(&[0x0b])].concat(),
            "found bytes that are no message",
        ),
        (
            [meta(), et::varint(1 << 30)].concat(),
            "found a message of 1073741824 bytes",
        ),
        (
            [meta(), vec![255; 9]].concat(),
            "found a length of more than five bytes",
        ),
        (
            [meta(), send(2, 8)].concat(),
            "found a communication without a good comm_dst; expected comm_dst from 0 to 1",
        ),
        (
            [meta(), et::node(5, &[("comm_dst", 7, 1)], "")].concat(),
            "without a good comm_size",
        ),
        (
            [
                meta(),
                et::node(7, &[("comm_type", 9, 10), ("comm_size", 9, 8)], ""),
            ]
            .concat(),
            "without a good comm_type",
        ),
    ] {
        let error = bad(bytes);
        let plain = message
            .split_once("found")
            .map_or(message, |(_, rest)| rest);
        assert!(
            error.contains("t.0.et: ") && error.contains(plain),
            "{message}: {error}"
        );
    }
    std::fs::rename(folder.path().join("t.1.et"), folder.path().join("t.2.et")).unwrap();
    assert!(
        refused(&spec).contains("t.1.et (2 others)"),
        "{}",
        refused(&spec)
    );
}

/// ASTRA-sim's rule: a collective goes among the ranks that differ along the flagged dimensions alone, dimension 0
/// fastest.
#[test]
fn chakra_collectives_go_along_the_dimensions_that_they_flag() {
    let folder = tempfile::tempdir().unwrap();
    let spec = format!("chakra:{}", folder.path().join("t").display());
    let collective = |flags: &[u8]| {
        let attribute =
            |value: Vec<u8>, name: &[u8]| et::bytes(10, &[et::bytes(1, name), value].concat());
        let body = [
            et::number(3, 7),
            attribute(et::number(9, 0), b"comm_type"),
            attribute(et::number(9, 1200), b"comm_size"),
            attribute(et::bytes(28, &et::bytes(1, flags)), b"involved_dim"),
        ];
        [et::metadata(), et::message(&body.concat())].concat()
    };
    let write = |trace: &[u8], ranks: usize| {
        for rank in 0..ranks {
            std::fs::write(folder.path().join(format!("t.{rank}.et")), trace).unwrap();
        }
    };
    write(&collective(&[1, 0]), 6);
    // Around a ring of two 1200, of three 1600.
    let pairs = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4)].map(|(a, b)| (a, b, 1200.0));
    assert_eq!(matrix(&format!("{spec},dims=2x3")), volumes(&pairs));
    let triples = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)].map(|(a, b)| (a, b, 1600.0));
    assert_eq!(matrix(&format!("{spec},dims=3x2")), volumes(&triples));
    write(&collective(&[0, 1]), 6);
    let triples = [(0, 2), (2, 4), (4, 0), (1, 3), (3, 5), (5, 1)].map(|(a, b)| (a, b, 1600.0));
    assert_eq!(matrix(&format!("{spec},dims=2x3")), volumes(&triples));
    let without_shape = refused(&spec);
    assert!(
        without_shape.contains("involved_dim with 2 flags, not all true")
            && without_shape.contains("the logical shape beside the files, as in dims=2x2"),
        "{without_shape}"
    );
    assert!(
        refused(&format!("{spec},dims=2x2"))
            .contains("found a shape of 4 ranks; expected one of 6")
    );
    assert!(refused(&format!("{spec},dims=1x2x3")).contains("expected 3, one for each of dims="));
    // All dimensions are all ranks, whatever the shape.
    write(&collective(&[1, 1]), 6);
    assert_eq!(matrix(&spec), matrix(&format!("{spec},dims=3x2")));
    // A collective on the CPU launches the kernel that has the type: one of the two counts.
    let flag = |name: &str, on: u64| {
        et::bytes(
            10,
            &[et::bytes(1, name.as_bytes()), et::number(27, on)].concat(),
        )
    };
    let launch = et::message(&[et::number(3, 7), flag("is_cpu_op", 1)].concat());
    write(&[collective(&[1, 1]), launch.clone(), launch].concat(), 6);
    let guest = Guest::make(&spec, &Default::default()).unwrap();
    assert_eq!(matrix(&spec).len(), 6);
    assert!(
        guest.remarks()[0].contains("left out 12 collectives on the CPU"),
        "{:?}",
        guest.remarks()
    );
    let send = et::node(5, &[("comm_size", 9, 8)], "");
    write(&[et::metadata(), send].concat(), 6);
    assert!(refused(&spec).contains("a send without comm_dst"));
}

/// In a file of jobs, the path of a trace is seen from the file, as that of a table is.
#[test]
fn traces_of_jobs_lie_beside_the_file_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("a.goal"),
        "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\n}\n",
    )
    .unwrap();
    let jobs = folder.path().join("jobs.toml");
    std::fs::write(
        &jobs,
        "[[jobs]]\nname = 'a'\nguest = 'goal:a.goal'\nbytes = 1\nnodes = [0, 5]\n",
    )
    .unwrap();
    let out = crate::command()
        .args(["corun", "torus:4x4", "--jobs"])
        .arg(&jobs)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
}
