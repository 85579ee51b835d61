//! The plain pair pass: every pair of ranks once, lag by lag, for sums of terms with thousands of labels or with
//! distances above 255.

use rayon::prelude::*;

use super::terms::Term;
use nodeorder_base::observer::unwind_if_stopped;

/// Computes `lag[k] = Σ_i d(i, i+k)` for k = 1..=`last`, zero elsewhere. O(N · last), lags in parallel.
pub fn lag_sums(terms: &[&Term], n: usize, last: usize) -> Vec<u64> {
    let mut lag = vec![0u64; n];
    let end = n.min(last + 1);
    for term in terms {
        let lags = lag[..end].par_iter_mut().enumerate().skip(1);
        lags.for_each(|(k, lag)| {
            unwind_if_stopped();
            let mut sum = 0;
            for (a, b) in term.labels.iter().zip(&term.labels[k..]) {
                sum += u64::from(term.labelling.distance_between(*a, *b));
            }
            *lag += sum;
        });
    }
    lag
}
