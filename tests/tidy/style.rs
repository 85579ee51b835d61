//! Counts of how plainly each storey speaks, outside tests. They are signs, not proofs: names of one word,
//! documentation that does not begin with what a function does, closures with names, packed statements, branches
//! without a reason.

use std::path::{Path, PathBuf};

/// Verbs that the documentation of a function begins with.
const VERBS: &str = "\
    Accepts Adds Analyses Anneals Appends Applies Arranges Asks Averages Begins Bounds Builds Calls Carries Changes \
    Checks Chooses Clears Collects Combines Compares Completes Computes Continues Converts Copies Corrects Counts \
    Creates Cuts Deals Declares Decodes Decompresses Describes Divides Draws Drives Drops Empties Encodes Ends \
    Escapes Estimates Exchanges Expands Explains Fails Fills Finds Fits Follows Forgets Formats Gathers Gives Goes \
    Groups Grows Halves Handles Hands Hashes Hides Holds Improves Interleaves Intersects Inverts Iterates Joins \
    Keeps Labels Lays Leaves Lets Links Lists Locates Locks Looks Makes Marks Matches Measures Merges Minimises \
    Mixes Moves Multiplies Names Notes Numbers Opens Orders Packs Pairs Parses Permutes Picks Places Plans Poses \
    Prepares Prices Prints Promises Proposes Proves Puts Queues Quotes Raises Ranks Reads Recognises Records Refuses \
    Registers Remembers Removes Renders Reorders Replaces Replays Reports Reserves Resolves Returns Reverses \
    Rewrites Rounds Routes Runs Says Scales Scans Schedules Scores Scouts Searches Seeds Selects Sends Sets Shares \
    Shifts Shortens Shows Shuffles Silences Simulates Skips Slides Solves Sorts Spells Splits Starts Steps Stores \
    Strips Subtracts Summarises Sums Swaps Takes Tells Tests Traces Transforms Tries Turns Updates Visits Walks \
    Warns Wraps Writes\
";

/// Words that place something and do not say what is done: no names of functions. (`from` and `into` are those of std.)
const PREPOSITIONS: &str = "of at on in to by for with within over under between beside beyond after before above \
                            below near around across upon per along towards";

/// Counts of a storey.
#[derive(Default)]
pub struct StyleCounts {
    lines: usize,
    characters: usize,
    functions: usize,
    one_word: usize,
    prepositions: usize,
    documented: usize,
    with_verb: usize,
    closures: usize,
    packed: usize,
    flags: usize,
    globs: usize,
    reasons: usize,
}

/// Ceilings of a storey; the reasons are a floor.
pub struct Ceilings {
    /// Folder of `src/`.
    pub storey: &'static str,
    /// Functions with a name of one word, per cent.
    pub one_word: usize,
    /// Documented functions whose documentation begins with no verb, per cent.
    pub without_verb: usize,
    /// Closures with a name, in 10,000 lines of code.
    pub closures: usize,
    /// Statements such as `let (a, b) = (x, y)`, in 10,000 lines of code.
    pub packed: usize,
    /// Characters in ten lines of code.
    pub characters: usize,
    /// Lines of comments that give reasons, in 1,000 lines of code, at least.
    pub reasons: usize,
}

impl StyleCounts {
    /// Counts the files of a storey up to their tests.
    pub fn of_files(paths: &[PathBuf]) -> Self {
        let mut counts = StyleCounts::default();
        for path in paths.iter().filter(|path| !path.ends_with("tests.rs")) {
            counts.add_text(&std::fs::read_to_string(path).unwrap());
        }
        counts
    }

    /// Adds the lines of a file up to its tests.
    fn add_text(&mut self, text: &str) {
        let mut first_doc = None;
        let mut before = "";
        for line in text.lines().map(str::trim) {
            if before == "#[cfg(test)]" && line.starts_with("mod ") {
                break;
            }
            let is_doc = line.starts_with("///");
            if is_doc && first_doc.is_none() {
                first_doc = Some(line);
            } else if line.starts_with("//") && !is_doc && !line.starts_with("//!") {
                self.reasons += 1;
            } else if !line.is_empty() && !line.starts_with("//") {
                self.add_code(line, before, first_doc);
                // Attributes stand between a function and its documentation.
                if !line.starts_with("#[") {
                    first_doc = None;
                }
            }
            before = line;
        }
    }

    /// Adds a line of code; `first_doc` is the first line of the documentation above it.
    fn add_code(&mut self, line: &str, before: &str, first_doc: Option<&str>) {
        self.lines += 1;
        self.characters += line.chars().count();
        let value = line
            .strip_prefix("let ")
            .and_then(|rest| rest.split_once(" = "));
        if let Some((bound, value)) = value {
            let is_name = bound
                .chars()
                .all(|c| c.is_alphanumeric() || "_ ".contains(c));
            self.closures +=
                usize::from(is_name && value.trim_start_matches("move ").starts_with('|'));
            self.packed += usize::from(bound.starts_with('(') && value.starts_with('('));
        }
        self.globs += usize::from(
            line.contains("use ")
                && line.ends_with("::*;")
                && !line.contains("super::*")
                && !line.contains("prelude::*"),
        );
        let is_arm = line.starts_with("true =>") || line.starts_with("false =>");
        self.flags += usize::from(is_arm && before.contains("match "));
        let Some(name) = function_name(line) else {
            return;
        };
        self.functions += 1;
        self.one_word += usize::from(!name.contains('_'));
        self.prepositions += usize::from(PREPOSITIONS.split_whitespace().any(|word| word == name));
        if let Some(doc) = first_doc {
            self.documented += 1;
            let word = doc[3..].split_whitespace().next().unwrap_or_default();
            let word = word.trim_end_matches(|c: char| !c.is_alphanumeric());
            self.with_verb += usize::from(VERBS.split_whitespace().any(|verb| verb == word));
        }
    }

    /// Compares the counts with their ceilings, and returns what is above or has fallen.
    pub fn compare(&self, ceilings: &Ceilings) -> Vec<String> {
        let share = |count: usize, of: usize, unit: usize| count * unit / of.max(1);
        let storey = ceilings.storey;
        let without_verb = self.documented - self.with_verb;
        let mut found = Vec::new();
        // A ceiling only falls: one that is far above the count is to be lowered.
        for (what, count, ceiling, slack) in [
            (
                "one-word names, %",
                share(self.one_word, self.functions, 100),
                ceilings.one_word,
                5,
            ),
            (
                "docs without a verb, %",
                share(without_verb, self.documented, 100),
                ceilings.without_verb,
                5,
            ),
            (
                "closures in 10,000 lines",
                share(self.closures, self.lines, 10_000),
                ceilings.closures,
                20,
            ),
            (
                "packed in 10,000 lines",
                share(self.packed, self.lines, 10_000),
                ceilings.packed,
                5,
            ),
            (
                "characters in ten lines",
                share(self.characters, self.lines, 10),
                ceilings.characters,
                15,
            ),
        ] {
            if count > ceiling {
                found.push(format!("{storey}: {what}: {count}, at most {ceiling}"));
            } else if count + slack < ceiling {
                found.push(format!(
                    "{storey}: {what}: {count} now, so lower the ceiling {ceiling}"
                ));
            }
        }
        let reasons = share(self.reasons, self.lines, 1_000);
        if reasons < ceilings.reasons {
            let floor = ceilings.reasons;
            found.push(format!(
                "{storey}: reasons in 1,000 lines: {reasons}, at least {floor}"
            ));
        }
        if share(self.documented, self.functions, 100) < 70 {
            found.push(format!(
                "{storey}: below 70 % of functions have documentation"
            ));
        }
        for (what, count) in [
            ("flags", self.flags),
            ("globs", self.globs),
            ("prepositions", self.prepositions),
        ] {
            if share(count, self.lines, 1_000) > 0 {
                found.push(format!("{storey}: {what}: {count}"));
            }
        }
        found
    }
}

/// Returns the name of the function that a line begins. `None` if it begins none.
fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_head = before
        .split_whitespace()
        .all(|word| word.starts_with("pub") || ["const", "async", "unsafe"].contains(&word));
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (is_head && end > 0).then(|| &rest[..end])
}

/// Lists the source files of a storey.
pub fn storey_files(root: &Path, storey: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    super::sources(&root.join("src").join(storey), &mut paths);
    paths
}

#[test]
fn counts_are_those_of_a_text_counted_by_hand() {
    let mut counts = StyleCounts::default();
    counts.add_text(
        "/// Adds one.\n#[inline]\npub fn add(a: u8) -> u8 {\n    let f = |x| x + 1;\n    // Saturates.\n    f(a)\n}\n         /// One more.\nfn of() {\n    let (a, b) = (1, 2);\n    match a {\n        true => b,\n    }\n}\nuse a::*;\n         #[cfg(test)]\nmod tests {\n    fn none() {}\n}\n",
    );
    let found = [
        counts.functions,
        counts.one_word,
        counts.prepositions,
        counts.documented,
        counts.with_verb,
    ];
    assert_eq!(found, [2, 2, 1, 2, 1]);
    let found = [
        counts.closures,
        counts.packed,
        counts.flags,
        counts.globs,
        counts.reasons,
    ];
    assert_eq!(found, [1, 1, 1, 1, 1]);
}
