//! Job sizes like those of two Cray XE6 machines.
//!
//! Each distribution is a table of octaves (1, 2, 3-4, 5-8, 9-16, …) with weights of 10,000 in all. Within an
//! octave from `low` to `high` half the jobs ask for `high`, a power of two, as users do; the others are
//! uniform from `low` to `high`: p(S) = w/10000 · ([S = high]/2 + 1/(2·(high - low + 1))).
//!
//! What is known of the machines is the shape (Stoltzfus, "Improving Job Node Allocation on HECToR in Various
//! Topological Manifestations", 2013, section 4.1, Figures 8 and 9): HECToR's jobs have a mean size of about 10
//! nodes, with a
//! second peak at 9-16 nodes nearly as high as that at 1, and sizes to 2,048; NERSC's Hopper has a mean of 3,
//! its peak at 1, and nothing near it elsewhere. The weights are ours, chosen to have that shape and mean.

use std::collections::BTreeMap;

use super::super::sizes::{Sizes, Weight};
use super::super::swf::Options;
use crate::error::Result;
use crate::params::{Opt, Params, Value};

/// Mean 10.117 nodes, largest 2,048.
const HECTOR: [u64; 12] = [2900, 1204, 1400, 1000, 2760, 450, 190, 60, 22, 10, 3, 1];

/// Mean 2.9921 nodes, largest 1,024.
const NERSC: [u64; 11] = [7320, 900, 800, 480, 290, 140, 55, 10, 3, 1, 1];

/// The sizes of HECToR's jobs.
pub(super) fn hector() -> Sizes {
    octaves("hector", &HECTOR)
}

/// The sizes of Hopper's jobs at NERSC.
pub(super) fn nersc() -> Sizes {
    octaves("nersc", &NERSC)
}

/// Weight `i` is that of the octave up to 2^i.
fn octaves(name: &str, weights: &[u64]) -> Sizes {
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
    Sizes::of_jobs(name, jobs)
}

/// The option of [`sizes`].
pub(super) const SIZES: Opt =
    Opt::text("sizes", "job sizes: hector, nersc, log-uniform, a list as in 4x16x64x64, or a file");

/// The sizes that `sizes=` names: `hector`, `nersc`, `log-uniform`, a list such as `4x16x64x64` of which
/// each entry is equally likely, or a file as [`Sizes::read`] takes.
pub(super) fn sizes(params: &Params) -> Result<Sizes> {
    let expected = "sizes=hector, nersc, log-uniform, a list as in 4x16x64x64, or a file";
    let word = match params.value("sizes") {
        Some((Value::Word(word), _)) => word.clone(),
        _ => return Err(params.wrong("sizes", expected)),
    };
    match word.as_str() {
        "hector" => Ok(hector()),
        "nersc" => Ok(nersc()),
        "log-uniform" => Ok(Sizes::log_uniform()),
        list if list.bytes().all(|b| b.is_ascii_digit() || b == b'x') => {
            let mut jobs = BTreeMap::new();
            for size in params.extents("sizes")?.unwrap_or_default() {
                *jobs.entry(size).or_default() += 1;
            }
            Ok(Sizes::of_jobs(list, jobs))
        }
        _ => {
            let path = params.path("sizes")?.unwrap_or_default();
            Sizes::read(&path.to_string_lossy(), Weight::Jobs, &Options::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machines_have_the_shape_of_the_figures() {
        for (sizes, weights, mean) in
            [(hector(), &HECTOR[..], 10.117), (nersc(), &NERSC[..], 2.9921)]
        {
            assert_eq!(weights.iter().sum::<u64>(), 10_000);
            // From the weights and the means of the octaves alone.
            let octave = |i: usize| {
                let (high, low) = (f64::from(1 << i), f64::from((1 << i) / 2 + 1));
                (high + (high + low) / 2.0) / 2.0
            };
            let by_octave: f64 =
                weights.iter().enumerate().map(|(i, w)| *w as f64 * octave(i)).sum();
            assert!((sizes.mean().unwrap() - by_octave / 1e4).abs() < 1e-9, "{:?}", sizes.mean());
            assert!((sizes.mean().unwrap() - mean).abs() < 1e-9, "{:?}", sizes.mean());
            let table = sizes.count_table().unwrap();
            assert_eq!(table.len(), 1 << (weights.len() - 1));
            let total: u64 = table.iter().map(|(_, count)| count).sum();
            assert_eq!(total, 10_000 << weights.len());
            let nine_to_sixteen: u64 = table[8..16].iter().map(|(_, count)| count).sum();
            assert_eq!(nine_to_sixteen, weights[4] << weights.len());
        }
    }
}
