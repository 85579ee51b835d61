//! Suggestions: the known name that an unknown one was meant to be.

/// Finds the known name closest to `name`. `None` if none is close enough to be a slip of the finger.
pub(super) fn nearest_name<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(name, k), *k))
        // One slip, and one more for four letters each: of short names everything is near to everything.
        .filter(|(distance, k)| *distance <= 1 + k.len().min(name.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["torus", "mesh", "dragonfly"];
        assert_eq!(nearest_name("tours", &known), Some("torus"));
        assert_eq!(nearest_name("dragonflies", &known), Some("dragonfly"));
        assert_eq!(nearest_name("banana", &known), None);
    }
}
