//! Suggestions: the known name that an unknown one was meant to be.

/// Beginning of a suggestion.
pub const QUESTION: &str = "did you mean";

/// Names that other programs use, each with our names for the same thing; the first of these that is known is
/// suggested.
const SYNONYMS: [(&str, &str); 14] = [
    ("backfill", "easy"),
    ("slurm", "slurm-lines"),
    ("hostfile", "machinefile"),
    ("blocking", "leaf-spine"),
    ("clos", "fat-tree"),
    ("fattree", "fat-tree"),
    ("infiniband", "ibnetdiscover"),
    ("kubernetes", "k8s-nodes"),
    ("k8s", "k8s-nodes"),
    ("links", "graph"),
    ("linear", "row-major"),
    ("contiguous", "first-fit"),
    ("best-fit", "span-best-fit"),
    ("alltoall", "all-to-all"),
];

/// Finds the known name that `name` was meant to be: one slip away, another word for it, or begun by it or begun like
/// it. `None` if none is.
pub fn nearest_name<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let slip = known
        .iter()
        .map(|k| (strsim::damerau_levenshtein(name, k), *k))
        // One slip, and one more for four letters each: of short names everything is near to everything.
        .filter(|(distance, k)| *distance <= 1 + k.len().min(name.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k);
    let mut synonyms = SYNONYMS.iter().filter(|(word, _)| *word == name);
    let other = synonyms.find_map(|(_, ours)| known.iter().find(|k| *k == ours));
    // A letter or two begin too many names.
    let mut begun = known
        .iter()
        .filter(|k| name.len() > 2 && k.starts_with(name));
    other.or_else(|| begun.next()).copied().or(slip)
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

    #[test]
    fn beginnings_and_other_words_lead_to_the_name() {
        let known = [
            "gb200-nvl72",
            "easy",
            "slurm-names",
            "slurm-lines",
            "machinefile",
        ];
        assert_eq!(nearest_name("gb200", &known), Some("gb200-nvl72"));
        assert_eq!(nearest_name("backfill", &known), Some("easy"));
        assert_eq!(nearest_name("slurm", &known), Some("slurm-lines"));
        assert_eq!(nearest_name("hostfile", &known), Some("machinefile"));
        assert_eq!(nearest_name("gb", &known), None);
    }
}
