//! Files of shards: read back, merged, refused where they are damaged or do not belong together.

use nodeorder::input::Text;
use nodeorder::sweep::{Shard, ShardFile, merge_shards};
use proptest::prelude::*;

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
        rows: shard.cells(CELLS).map(|c| format!("{c},x\n")).collect(),
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
        message.contains("sbatch --array=1,4-6 sweep.sbatch"),
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
            let cells = Shard { index, of }.cells(count);
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
    fn damage_is_noticed(at in 0usize..10_000, bit in 0u8..7, cut in any::<bool>()) {
        let mut bytes = shard_file(1, 3).to_text().into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(ShardFile::read(&Text::new("s", text)).is_err());
        }
    }
}

#[test]
fn shards_are_read() {
    assert_eq!(Shard::parse("3/8").unwrap(), Shard { index: 3, of: 8 });
    for bad in ["", "3", "8/8", "-1/2", "a/b", "0/0", "1/2/3", "1 /2"] {
        assert!(Shard::parse(bad).is_err(), "{bad}");
    }
}
