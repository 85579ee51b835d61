//! Shards: their files read back, merged, refused where they are damaged or do not belong together, and the same bytes
//! however they were made.

use std::process::Stdio;
use std::time::Duration;

use nodeorder::input::Text;
use nodeorder::sweep::{Shard, ShardFile, merge_shards};
use nodeorder_base::random;
use proptest::prelude::*;

use crate::sweep::{TINY, contents, done, folder, nodeorder, refused, results, run, tiny};

const CELLS: usize = 12;

fn shard_file(index: u32, of: u32) -> ShardFile {
    let shard = Shard { index, of };
    ShardFile {
        shard,
        version: "0".into(),
        name: "a name".into(),
        hash: "ab".into(),
        cells: CELLS,
        seeds: "1".into(),
        command: "nodeorder sweep run p.toml".into(),
        assumed: vec!["a: \"1\"".into()],
        header: "a,b\n".into(),
        rows: shard
            .cell_numbers(CELLS)
            .map(|c| format!("{c},x\n"))
            .collect(),
    }
}

fn named(files: Vec<ShardFile>) -> Vec<(String, ShardFile)> {
    let name = |file: ShardFile| (format!("shard-{}", file.shard.index), file);
    files.into_iter().map(name).collect()
}

#[test]
fn shards_come_back_and_merge_in_the_order_of_cells() {
    let whole: String = (0..CELLS).map(|c| format!("{c},x\n")).collect();
    for of in 1..14 {
        let mut files: Vec<ShardFile> = (0..of).map(|i| shard_file(i, of)).collect();
        for file in &files {
            assert_eq!(
                ShardFile::read(&Text::new("s", file.to_text())).unwrap(),
                *file
            );
        }
        // In any order.
        files.rotate_left(of as usize / 2);
        let merged = merge_shards(&named(files), "d").unwrap();
        assert_eq!(merged, format!("a,b\n{whole}"));
    }
}

#[test]
fn sets_that_are_not_whole_are_refused() {
    let error = |files| merge_shards(&named(files), "d").unwrap_err().to_string();
    let some = |list: &[u32]| list.iter().map(|i| shard_file(*i, 8)).collect::<Vec<_>>();
    let message = error(some(&[0, 2, 3, 7]));
    assert!(
        message.contains("shards 1,4-6 of 8 are missing"),
        "{message}"
    );
    assert!(
        message.contains("sbatch --array=1,4-6 d/sweep.sbatch"),
        "{message}"
    );
    assert!(
        message.contains("`nodeorder sweep run p.toml --out d --shard 1/8` and so on"),
        "{message}"
    );
    let one = merge_shards(&named(some(&[0, 1, 2, 3, 4, 5, 6])), "a folder").unwrap_err();
    let again = "`nodeorder sweep run p.toml --out 'a folder' --shard 7/8`";
    assert!(one.to_string().ends_with(again), "{one}");
    assert!(error(Vec::new()).contains("no shards"));
    assert!(error(some(&[0, 0])).contains("shard 0/8 again"));
    let message = error(vec![shard_file(0, 2), shard_file(1, 3)]);
    assert!(message.contains("shard 1/3; expected one of 2"));
    let mut foreign = shard_file(1, 2);
    foreign.hash = "cd".into();
    let message = error(vec![shard_file(0, 2), foreign]);
    assert!(message.contains("plan cd (a name); expected plan ab"));
    // A row more or less than the shard has cells.
    let mut short = shard_file(1, 5);
    short.rows.pop();
    let message = ShardFile::read(&Text::new("s", short.to_text())).unwrap_err();
    assert!(message.to_string().contains("2 rows of 3 cells"));
}

proptest! {
    /// Every cell is in one shard, and shards differ by one cell at most.
    #[test]
    fn shards_part_the_cells(count in 0usize..500, of in 1u32..60) {
        let mut seen = vec![0; count];
        for index in 0..of {
            let cells = Shard { index, of }.cell_numbers(count);
            let fewest = count / of as usize;
            prop_assert!(cells.len() == fewest || cells.len() == fewest + 1);
            for cell in cells {
                prop_assert_eq!(cell % of as usize, index as usize);
                seen[cell] += 1;
            }
        }
        prop_assert!(seen.iter().all(|times| *times == 1));
    }

    /// Any byte changed, or any end cut off, is noticed.
    #[test]
    fn any_changed_byte_of_a_shard_is_noticed(at in 0usize..10_000, bit in 0u8..7, cut in any::<bool>()) {
        let mut bytes = shard_file(1, 3).to_text().into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(ShardFile::read(&Text::new("s", text)).is_err());
        }
    }
}

#[test]
fn names_of_shards_are_read_and_wrong_ones_refused() {
    assert_eq!(Shard::parse("3/8").unwrap(), Shard { index: 3, of: 8 });
    for bad in ["", "3", "8/8", "-1/2", "a/b", "0/0", "1/2/3", "1 /2"] {
        assert!(Shard::parse(bad).is_err(), "{bad}");
    }
}

/// A shard's file has the same bytes however it came about: on any number of threads, in any folder and order, beside
/// others at the same time, after a kill.
#[test]
fn a_shard_has_the_same_bytes_in_every_run() {
    let home = folder(800);
    let folder = home.path();
    let command = |out: &str, index: u32, threads: &str| {
        let shard = format!("{index}/4");
        let plan = ["sweep", "run", "plan.toml", "--out", out];
        let mut command = nodeorder(
            folder,
            &[&plan[..], &["--threads", threads, "--shard", &shard]].concat(),
        );
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let name = |index: u32| format!("shard-{index}-of-4");
    for index in [2, 0, 3, 1] {
        assert!(command("calm", index, "1").status().unwrap().success());
    }
    let calm = contents(&folder.join("calm"));
    assert_eq!(calm.len(), 4);
    // All at once; the first two are killed and run again.
    let spawn = |index: u32| command("busy", index, "2").spawn().unwrap();
    let mut children: Vec<_> = (0..4).map(spawn).collect();
    for (index, child) in (0..2).zip(&mut children) {
        let journal = folder.join("busy").join(name(index) + ".journal");
        let written = || std::fs::metadata(&journal).map_or(0, |file| file.len());
        while written() < 2000 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_micros(100));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    for child in &mut children[2..] {
        assert!(child.wait().unwrap().success());
    }
    for index in 0..2 {
        assert!(spawn(index).wait().unwrap().success());
    }
    assert_eq!(contents(&folder.join("busy")), calm);
    // The cells are those of the number, in the order of the whole table.
    done(folder, &["sweep", "run", "plan.toml", "--out", "whole"]);
    let whole = results(folder, "whole");
    let rows: Vec<&str> = whole.split_inclusive('\n').collect();
    for index in 0..4 {
        let file = std::str::from_utf8(&calm[&(name(index) + ".csv")]).unwrap();
        let found = file
            .split_inclusive('\n')
            .filter(|line| !line.starts_with('#'));
        let wanted = rows[1..].iter().skip(index as usize).step_by(4).copied();
        assert!(found.eq(std::iter::once(rows[0]).chain(wanted)), "{index}");
    }
    // A shard that is lost is made again alone, also beside the merged table.
    done(folder, &["sweep", "merge", "busy"]);
    assert_eq!(results(folder, "busy"), whole);
    let lost = folder.join("busy").join(name(2) + ".csv");
    std::fs::remove_file(&lost).unwrap();
    let message = refused(folder, &["sweep", "merge", "busy"]);
    assert!(message.contains("shards 2 of 4 are missing"), "{message}");
    assert!(command("busy", 2, "3").status().unwrap().success());
    assert_eq!(std::fs::read(&lost).unwrap(), calm[&(name(2) + ".csv")]);
    done(folder, &["sweep", "merge", "busy"]);
    // Files made in folders of their own merge where they are gathered.
    std::fs::create_dir(folder.join("gathered")).unwrap();
    for index in 0..4 {
        let out = format!("task{index}");
        assert!(command(&out, index, "1").status().unwrap().success());
        let file = name(index) + ".csv";
        std::fs::rename(
            folder.join(out).join(&file),
            folder.join("gathered").join(&file),
        )
        .unwrap();
    }
    assert_eq!(contents(&folder.join("gathered")), calm);
    done(folder, &["sweep", "merge", "gathered"]);
    assert_eq!(results(folder, "gathered"), whole);
}

/// Any number of shards, more than there are cells too, in any order.
#[test]
fn any_complete_set_of_shards_merges_to_the_whole_table() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path();
    std::fs::write(folder.join("plan.toml"), TINY).unwrap();
    done(folder, &["sweep", "run", "plan.toml", "--out", "whole"]);
    let mut random = random::seed_generator(11);
    for of in [1, 2, 5, 9, 11] {
        let out = format!("parts{of}");
        let mut left: Vec<u64> = (0..of).collect();
        while !left.is_empty() {
            let index =
                left.swap_remove(random::random_below(left.len() as u64, &mut random) as usize);
            let shard = format!("{index}/{of}");
            let plan = ["sweep", "run", "plan.toml", "--out", &out];
            done(folder, &[&plan[..], &["--shard", &shard]].concat());
            let missing = !left.is_empty();
            let merged = run(folder, &["sweep", "merge", &out]).status.success();
            assert_eq!(merged, !missing, "{shard}");
        }
        assert_eq!(results(folder, "whole"), results(folder, &out));
    }
}

#[test]
fn missing_shards_are_named_with_the_command() {
    let home = tiny();
    let out = home.path().join("out");
    for index in [1, 3] {
        std::fs::remove_file(out.join(format!("shard-{index}-of-4.csv"))).unwrap();
    }
    let before = contents(&out);
    let message = refused(home.path(), &["sweep", "merge", "out"]);
    assert!(message.contains("shards 1,3 of 4 are missing"), "{message}");
    assert!(message.contains("sbatch --array=1,3 "), "{message}");
    assert!(
        message.contains("nodeorder sweep run plan.toml --out out --shard 1/4"),
        "{message}"
    );
    assert_eq!(before, contents(&out));
    for shard in ["1/4", "3/4"] {
        done(
            home.path(),
            &[
                "sweep",
                "run",
                "plan.toml",
                "--out",
                "out",
                "--shard",
                shard,
            ],
        );
    }
    done(home.path(), &["sweep", "merge", "out"]);
    done(
        home.path(),
        &["sweep", "run", "plan.toml", "--out", "whole"],
    );
    assert_eq!(results(home.path(), "out"), results(home.path(), "whole"));
}

#[test]
fn damaged_and_foreign_shards_are_refused_and_left_alone() {
    let home = tiny();
    let out = home.path().join("out");
    let victim = out.join("shard-2-of-4.csv");
    let good = std::fs::read_to_string(&victim).unwrap();
    let check = |text: &str, expected: &str| {
        std::fs::write(&victim, text).unwrap();
        let before = contents(&out);
        for arguments in [
            &["sweep", "merge", "out"][..],
            &[
                "sweep",
                "run",
                "plan.toml",
                "--out",
                "out",
                "--shard",
                "2/4",
            ],
        ] {
            let message = refused(home.path(), arguments);
            assert!(
                message.contains("shard-2-of-4.csv") && message.contains(expected),
                "{message}"
            );
        }
        assert_eq!(before, contents(&out));
    };
    check(&good[..good.len() / 2], "found no end mark");
    check(&good.replace("snake", "snare"), "the file is damaged");
    check("", "no shard of a sweep");
    // A shard of another plan, whole in itself.
    std::fs::write(home.path().join("other.toml"), TINY.replace("3x3", "3x4")).unwrap();
    done(
        home.path(),
        &[
            "sweep",
            "run",
            "other.toml",
            "--out",
            "other",
            "--shard",
            "2/4",
        ],
    );
    let foreign = std::fs::read_to_string(home.path().join("other/shard-2-of-4.csv")).unwrap();
    check(&foreign, "a shard of plan ");
    // One of another cut.
    std::fs::write(&victim, &good).unwrap();
    done(
        home.path(),
        &[
            "sweep",
            "run",
            "plan.toml",
            "--out",
            "out",
            "--shard",
            "0/5",
        ],
    );
    let message = refused(home.path(), &["sweep", "merge", "out"]);
    let expected = "out/shard-0-of-5.csv: found shard 0/5; expected one of 4";
    assert!(message.contains(expected), "{message}");
    std::fs::remove_file(out.join("shard-0-of-5.csv")).unwrap();
    done(home.path(), &["sweep", "merge", "out"]);
}
