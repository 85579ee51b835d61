//! Job sizes like those of two Cray XE6 machines.
//!
//! Each distribution is a table of octaves (1, 2, 3-4, 5-8, 9-16, …) with weights of 10,000 in all. Within an
//! octave from `low` to `high` half the jobs ask for `high`, a power of two, as users do; the others are
//! uniform from `low` to `high`: p(S) = w/10000 · ([S = high]/2 + 1/(2·(high - low + 1))).
//!
//! Only the shape of the distributions is known, from figures 8 and 9 of Stoltzfus, "Improving Job Node Allocation on
//! HECToR in Various Topological Manifestations", 2013, section 4.1. HECToR's jobs have a mean size of about 10
//! nodes, with a second peak at 9-16 nodes nearly as high as that at 1, and sizes to 2,048; NERSC's Hopper has a mean
//! of 3, its peak at 1, and nothing near it elsewhere. The weights are ours, chosen to have that shape and mean.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::sizes::{Sizes, Weight};
use super::super::swf::Options;
use nodeorder_base::params::Value;
use nodeorder_base::{Opt, Params, Result};

/// Mean 10.117 nodes, largest 2,048.
const HECTOR: [u64; 12] = [2900, 1204, 1400, 1000, 2760, 450, 190, 60, 22, 10, 3, 1];

/// Mean 2.9921 nodes, largest 1,024.
const NERSC: [u64; 11] = [7320, 900, 800, 480, 290, 140, 55, 10, 3, 1, 1];

/// The octaves up to 64 of [`year_sizes`].
const YEAR: [u64; 7] = [2900, 1240, 1430, 1000, 2420, 430, 150];

/// Sizes from, to and by how many nodes above 64 of [`year_sizes`].
const YEAR_TAIL: [(u32, u32, usize); 6] = [
    (68, 128, 4),
    (136, 256, 8),
    (272, 512, 16),
    (544, 1024, 32),
    (1152, 1536, 128),
    (1792, 2048, 256),
];

/// Weight of each larger size, in units of 1/12,800 of the weights of [`YEAR`].
const YEAR_EACH: u64 = 173;

/// The sizes above 124 of [`ten_sizes`].
const TEN_TAIL: [u32; 10] = [136, 192, 256, 384, 512, 768, 1024, 1280, 1536, 2048];

/// The weight of each of its sizes above 64, in units of 1/12,800 of [`YEAR`]'s.
const TEN_EACH: u64 = 232;

/// Lists the sizes of HECToR's jobs.
pub fn hector_sizes() -> Sizes {
    sizes_by_octave("hector", &HECTOR)
}

/// Lists the sizes of Hopper's jobs at NERSC.
pub fn nersc_sizes() -> Sizes {
    sizes_by_octave("nersc", &NERSC)
}

/// Lists the sizes of HECToR's jobs in a year: 124 sizes above 10 nodes, each with more than 30 of 400,000 jobs, up
/// to 2,048; mean 12.13.
///
/// The number of sizes follows from the tables of Stoltzfus (section 6.3, 7.2 and 7.3): where every size counts the
/// same, small, large and overall improvement of a row are `(9·small + n·large) / (9 + n) = overall` for the nine
/// sizes 2 to 10 and n larger ones; n is 123.9 to 124.1 in all four tables' first rows. The choice of sizes is ours:
/// all up to 64, above that 16 an octave at equal steps, six above 1,024.
pub fn year_sizes() -> Sizes {
    let mut jobs = octave_table(&YEAR);
    for (from, to, step) in YEAR_TAIL {
        jobs.extend((from..=to).step_by(step).map(|size| (size, YEAR_EACH)));
    }
    Sizes::of_jobs("hector-year", jobs)
}

/// Lists the sizes of HECToR's jobs by both published facts: mean just over 10 (section 4.1) and 124 sizes above 10
/// nodes (see [`year_sizes`]); mean 10.11, largest 2,048.
///
/// Up to 64 as in [`year_sizes`]; 65 to 124 and ten larger sizes each as often as another. This choice, and a load of
/// 0.75, were fitted on Table 1 and on the gains of small jobs; nothing else was looked at.
pub fn ten_sizes() -> Sizes {
    let mut jobs = octave_table(&YEAR);
    jobs.extend((65..=124).chain(TEN_TAIL).map(|size| (size, TEN_EACH)));
    Sizes::of_jobs("hector-ten", jobs)
}

fn sizes_by_octave(name: &str, weights: &[u64]) -> Sizes {
    Sizes::of_jobs(name, octave_table(weights))
}

/// Counts jobs by size; weight `i` is that of the octave up to 2^i.
fn octave_table(weights: &[u64]) -> BTreeMap<u32, u64> {
    // Scaled so that the shares of single sizes are whole numbers.
    let scale = 1u64 << weights.len();
    let mut jobs = BTreeMap::new();
    for (i, weight) in weights.iter().enumerate() {
        let high = 1u32 << i;
        let low = high / 2 + 1;
        let each = weight * scale / (2 * u64::from(high - low + 1));
        (low..=high).for_each(|size| _ = jobs.insert(size, each));
        *jobs.entry(high).or_default() += weight * scale / 2;
    }
    jobs
}

/// The option of [`SizeSource::parse`].
pub const SIZES: Opt = Opt::text(
    "sizes",
    "job sizes: hector, hector-ten, hector-year, nersc, log-uniform, a list as in 4x16x64x64, or a file",
);

/// Where job sizes come from.
pub enum SizeSource {
    /// `log-uniform`: sizes without an upper limit.
    LogUniform,
    /// `hector`, `hector-ten`, `hector-year`, `nersc` or a list.
    Table(Sizes),
    /// A file as [`Sizes::read`] takes.
    File(PathBuf),
}

impl SizeSource {
    /// Reads `sizes=`: `hector`, `hector-ten`, `hector-year`, `nersc`, `log-uniform`, a list such as `4x16x64x64` of
    /// which each entry is equally likely, or the path of a file.
    pub fn parse(params: &Params) -> Result<Self> {
        let expected = "sizes=hector, hector-ten, hector-year, nersc, log-uniform, a list as in 4x16x64x64, or a file";
        let Some((Value::Word(word), _)) = params.located_value("sizes") else {
            return Err(params.invalid_value("sizes", expected));
        };
        Ok(match word.as_str() {
            "hector" => SizeSource::Table(hector_sizes()),
            "hector-ten" => SizeSource::Table(ten_sizes()),
            "hector-year" => SizeSource::Table(year_sizes()),
            "nersc" => SizeSource::Table(nersc_sizes()),
            "log-uniform" => SizeSource::LogUniform,
            // A file of such a name can still be given as a path, ./64.
            list if list.bytes().all(|b| b.is_ascii_digit() || b == b'x') => {
                let mut jobs = BTreeMap::new();
                for size in params.optional_extents("sizes")?.unwrap_or_default() {
                    *jobs.entry(size).or_default() += 1;
                }
                SizeSource::Table(Sizes::of_jobs(list, jobs))
            }
            _ => SizeSource::File(params.optional_path("sizes")?.unwrap_or_default()),
        })
    }

    /// Reads the sizes. Fails if their file cannot be read.
    pub fn read(&self) -> Result<Sizes> {
        match self {
            SizeSource::LogUniform => Ok(Sizes::log_uniform()),
            SizeSource::Table(sizes) => Ok(sizes.clone()),
            SizeSource::File(path) => {
                Sizes::read(&path.to_string_lossy(), Weight::Jobs, &Options::default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_year_has_as_many_sizes_as_the_tables_say() {
        let table = year_sizes().count_table().unwrap();
        let jobs: u64 = table.iter().map(|(_, count)| count).sum();
        assert_eq!(table.iter().filter(|(size, _)| *size > 10).count(), 124);
        assert_eq!((table[0].0, table.last().unwrap().0), (1, 2048));
        // 45 is more than 30 by twice the square root.
        assert!(table.iter().all(|(_, count)| count * 400_000 / jobs >= 45));
        assert!(
            (year_sizes().mean_size().unwrap() - 12.13).abs() < 0.01,
            "{:?}",
            year_sizes().mean_size()
        );
        // Small, large and overall improvement by Closest Fit: Tables 1, 4, 5 and 6.
        for (small, large, overall) in [
            (71.28, 27.95, 30.88),
            (94.99, 30.87, 35.21),
            (94.66, 36.67, 40.59),
            (55.28, 21.17, 23.48),
        ] {
            let n: f64 = 9.0 * (small - overall) / (overall - large);
            assert!((n - 124.0).abs() < 0.2, "{n}");
        }
    }

    #[test]
    fn ten_meets_both_published_facts() {
        let table = ten_sizes().count_table().unwrap();
        assert_eq!(table.iter().filter(|(size, _)| *size > 10).count(), 124);
        let mean = ten_sizes().mean_size().unwrap();
        assert!((10.0..10.5).contains(&mean), "{mean}");
    }

    #[test]
    fn the_machines_have_the_shape_of_the_figures() {
        for (sizes, weights, mean) in [
            (hector_sizes(), &HECTOR[..], 10.117),
            (nersc_sizes(), &NERSC[..], 2.9921),
        ] {
            assert_eq!(weights.iter().sum::<u64>(), 10_000);
            // From the weights and the means of the octaves alone.
            let octave = |i: usize| {
                let high = f64::from(1 << i);
                let low = f64::from((1 << i) / 2 + 1);
                (high + (high + low) / 2.0) / 2.0
            };
            let by_octave: f64 = weights
                .iter()
                .enumerate()
                .map(|(i, w)| *w as f64 * octave(i))
                .sum();
            assert!(
                (sizes.mean_size().unwrap() - by_octave / 1e4).abs() < 1e-9,
                "{:?}",
                sizes.mean_size()
            );
            assert!(
                (sizes.mean_size().unwrap() - mean).abs() < 1e-9,
                "{:?}",
                sizes.mean_size()
            );
            let table = sizes.count_table().unwrap();
            assert_eq!(table.len(), 1 << (weights.len() - 1));
            let total: u64 = table.iter().map(|(_, count)| count).sum();
            assert_eq!(total, 10_000 << weights.len());
            let nine_to_sixteen: u64 = table[8..16].iter().map(|(_, count)| count).sum();
            assert_eq!(nine_to_sixteen, weights[4] << weights.len());
        }
    }
}
