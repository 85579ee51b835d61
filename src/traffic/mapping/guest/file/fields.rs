//! Values that several formats of guest files have: process ids, volumes, counts.

use crate::mapping::guest::MAX_PROCESSES;
use nodeorder_base::{Line, Result};

/// Reads a process id, which the file counts from `base` on, as one from 0. Fails if it is not below `count`, or below
/// [`MAX_PROCESSES`] where the file does not say how many there are.
pub fn parse_process(line: &Line<'_>, text: &str, base: u32, count: Option<u32>) -> Result<u32> {
    let most = count.unwrap_or(MAX_PROCESSES);
    match text.parse::<u32>().ok().and_then(|p| p.checked_sub(base)) {
        Some(p) if p < most => Ok(p),
        _ => {
            let last = u64::from(base) + u64::from(most) - 1;
            let expected = format!("a process from {base} to {last}");
            Err(line.error_here(format!("process `{text}`"), expected))
        }
    }
}

/// Reads a volume. Fails if it is negative or not finite.
pub fn parse_amount(line: &Line<'_>, text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v >= 0.0 => Ok(v),
        _ => Err(line.error_here(format!("volume `{text}`"), "a finite number of 0 or more")),
    }
}

/// Checks that as many were found as the file says.
pub fn check_count(location: &Line<'_>, what: &str, found: u64, stated: u64) -> Result<()> {
    if found == stated {
        return Ok(());
    }
    Err(location.error_here(
        format!("{found} {what}"),
        format!("{stated}, as the file says"),
    ))
}
