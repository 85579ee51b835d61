//! Job sizes by name or as a list, as `--sizes` takes them.

use nodeorder_base::{Error, Result};

/// Reads the sizes that `text` names for an ordering of `n` nodes, ascending, each once; `None` for all. `log` is
/// eight sizes an octave.
///
/// # Errors
/// A text that is neither `all`, `log` nor a list of sizes and ranges from 2 to `n`.
pub fn parse_sizes(text: &str, n: usize) -> Result<Option<Vec<usize>>> {
    if text == "all" {
        return Ok(None);
    }
    if text == "log" {
        return Ok(Some(log_sizes(n)));
    }
    let mut sizes = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 2usize <= first && first <= last && last <= n => {
                sizes.extend(first..=last);
            }
            _ => {
                let expected = format!("all, log, or sizes from 2 to {n}, as in 2,64,100-110");
                return Err(Error::option(
                    format!("--sizes {text}"),
                    format!("`{part}`"),
                    expected,
                ));
            }
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    Ok(Some(sizes))
}

/// Lists eight sizes an octave, and the last.
fn log_sizes(n: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = (8u32..)
        .map(|i| 2f64.powf(f64::from(i) / 8.0).round() as usize)
        .take_while(|s| *s < n)
        .collect();
    sizes.push(n);
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_sizes("all", 9).unwrap(), None);
        assert_eq!(parse_sizes("4,2-5,9", 9).unwrap().unwrap(), [2, 3, 4, 5, 9]);
        assert_eq!(log_sizes(2), [2]);
        assert_eq!(log_sizes(9), [2, 3, 4, 5, 6, 7, 8, 9]);
        for bad in ["", "1", "10", "5-3", "a", "2,,3", "-4"] {
            assert!(parse_sizes(bad, 9).is_err(), "{bad}");
        }
    }
}
