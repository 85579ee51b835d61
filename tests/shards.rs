//! Files of shards: read back, merged, refused where they are damaged or do not belong together.

use nodeorder_base::input::Text;
use nodeorder_sweep::Shard;
use nodeorder_sweep::store::{Part, merge};
use proptest::prelude::*;

fn part(index: u32, of: u32) -> Part {
    let shard = Shard { index, of };
    Part {
        shard,
        version: "0".into(),
        name: "a name".into(),
        hash: "ab".into(),
        cells: 12,
        dealt: (index as usize..12).step_by(of as usize).collect(),
        seeds: "1".into(),
        command: format!("nodeorder sweep p.toml --out d --shard {shard}"),
        assumed: vec!["a: \"1\"".into()],
        seconds: 0.5,
        header: "a,b\n".into(),
        rows: (index..12)
            .step_by(of as usize)
            .map(|c| format!("{c},x\n"))
            .collect(),
    }
}

fn named(parts: Vec<Part>) -> Vec<(String, Part)> {
    parts
        .into_iter()
        .map(|p| (format!("shard-{}", p.shard.index), p))
        .collect()
}

#[test]
fn shards_come_back_and_merge_in_the_order_of_cells() {
    let whole: String = (0..12).map(|c| format!("{c},x\n")).collect();
    for of in 1..14 {
        let parts: Vec<Part> = (0..of).map(|i| part(i, of)).collect();
        for part in &parts {
            assert_eq!(Part::read(&Text::new("s", part.to_file())).unwrap(), *part);
        }
        let merged = merge(&named(parts), "d").unwrap();
        assert_eq!(merged, format!("a,b\n{whole}"));
    }
}

#[test]
fn sets_that_are_not_whole_are_refused() {
    let error = |parts| merge(&named(parts), "d").unwrap_err().to_string();
    let of = |list: &[u32]| list.iter().map(|i| part(*i, 8)).collect::<Vec<_>>();
    let message = error(of(&[0, 2, 3, 7]));
    assert!(
        message.contains("shards 1,4-6 of 8 are missing"),
        "{message}"
    );
    assert!(
        message.contains("sbatch --array=1,4-6 sweep.sbatch"),
        "{message}"
    );
    assert!(
        message.contains("`nodeorder sweep p.toml --out d --shard 1/8` and so on"),
        "{message}"
    );
    assert!(error(Vec::new()).contains("no shards"));
    assert!(error(of(&[0, 0])).contains("shard 0/8 again"));
    assert!(error(vec![part(0, 2), part(1, 3)]).contains("shard 1/3; expected one of 2"));
    let mut twice = part(1, 2);
    twice.dealt[0] = 0;
    assert!(error(vec![part(0, 2), twice]).contains("12 rows for 12 cells; expected each cell"));
    let mut foreign = part(1, 2);
    foreign.hash = "cd".into();
    assert!(error(vec![part(0, 2), foreign]).contains("plan cd (a name); expected plan ab"));
}

proptest! {
    /// Any byte changed, or any end cut off, is noticed.
    #[test]
    fn damage_is_noticed(at in 0usize..10_000, bit in 0u8..7, cut in any::<bool>()) {
        let mut bytes = part(1, 3).to_file().into_bytes();
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        if let Ok(text) = String::from_utf8(bytes) {
            prop_assert!(Part::read(&Text::new("s", text)).is_err());
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
