//! Guests: the traffic of an application, as ordered pairs of processes with a volume.
//!
//! Patterns are lines of [`GUESTS`]; everything else is a file, known by its ending.

use std::path::Path;

use nodeorder_base::input::resolve_beside;
use nodeorder_base::params::Values;
use nodeorder_base::{Result, Text};
use nodeorder_network::Context;

mod benchmark;
mod chakra;
mod chakra_trace;
mod collective;
mod entry;
mod file;
mod goal;
mod npb;
mod numbered;
mod one_collective;
mod parallel;
mod patterns;
mod random;
mod rank_groups;
mod sized;
mod stencil;
mod table;
mod traffic;
mod training_groups;

pub use entry::{Benchmark, BuildGuest, GuestEntry, Pattern, SizedPattern, Stage};
pub use file::{FORMATS, FormatEntry};
pub use rank_groups::RankGroups;
pub use sized::{check_sized_guest, make_guest_for, make_sized_guest, sized_names};
pub use table::GUESTS;
pub(super) use traffic::add_up_pairs;
use traffic::tidy_messages;
pub use traffic::{Guest, MAX_PROCESSES, Message, Traffic};
pub use training_groups::list_training_groups;

impl Guest {
    /// Makes the guest that `text` asks for: a pattern of [`GUESTS`] with options, or a file (CSV,
    /// MatrixMarket, Scotch, TopoMatch; see [`FORMATS`]).
    ///
    /// # Errors
    /// An unknown name, bad options, a bad file; more memory than `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_traffic::mapping::Guest;
    /// let guest = Guest::make("stencil:4x4,wrap=true", &Default::default())?;
    /// assert_eq!((guest.processes(), guest.pair_count()), (16, 64));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn make(text: &str, context: &Context) -> Result<Self> {
        let Some(entry) = GUESTS.get(text) else {
            return Guest::from_file(text, context);
        };
        let params = GUESTS.read_options(entry, text, context.seed)?;
        (entry.parse.traffic)(&params)?.build(text, context)
    }

    /// Checks the options of a pattern; what names a file is read whole.
    ///
    /// # Errors
    /// An unknown name, bad options, a bad file.
    pub fn check_options(text: &str, context: &Context) -> Result<()> {
        match GUESTS.get(text) {
            Some(entry) if !reads_file(entry) => {
                (entry.parse.traffic)(&GUESTS.read_options(entry, text, 1)?).map(drop)
            }
            // Only its content shows whether a file is a guest.
            _ => Guest::make(text, context).map(drop),
        }
    }

    /// Reads the guest of a file whose ending says its format.
    fn from_file(path: &str, context: &Context) -> Result<Self> {
        if !Path::new(path).exists() {
            return Err(GUESTS.no_entry_error(path, "a file"));
        }
        let format = file::format_by_ending(path)?;
        let text = Text::read(Path::new(path), context.memory)?;
        Guest::read_format(&text, format.name, context)
    }

    /// Completes `text`, where it names a file, to the path of that file as seen from the folder of `base`.
    pub fn resolve_path(base: Option<&Path>, text: &str) -> String {
        let Some(entry) = GUESTS.get(text) else {
            let path = resolve_beside(base, text);
            return if path.exists() {
                path.to_string_lossy().into_owned()
            } else {
                text.into()
            };
        };
        match text.split_once(':') {
            Some((name, path)) if reads_file(entry) => {
                format!("{name}:{}", resolve_beside(base, path).display())
            }
            _ => text.into(),
        }
    }

    /// Reads a guest from text in one of [`FORMATS`], named by its ending (`csv`, `mtx`, `grf`, `mat`).
    ///
    /// # Errors
    /// An unknown format; whatever does not belong into the file, with its line.
    pub fn read_format(text: &Text, format: &str, context: &Context) -> Result<Self> {
        let (processes, messages) = file::read_messages(text, format, context)?;
        // Too large a sum is the fault of the file, not of an option.
        let messages = tidy_messages(messages, || text.location())?;
        Ok(Guest {
            label: text.name().to_string(),
            processes,
            traffic: Traffic::Messages(messages),
            remarks: Vec::new(),
        })
    }
}

/// Checks whether a pattern is read from a file.
fn reads_file(entry: &GuestEntry) -> bool {
    entry
        .options
        .iter()
        .any(|option| matches!(option.values, Values::File))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn make(text: &str) -> Result<Guest> {
        Guest::make(text, &Context::default())
    }

    /// The messages of a guest: source, target, volume.
    pub(super) fn messages(guest: &Guest) -> Vec<(u32, u32, f64)> {
        let mut all = Vec::new();
        guest.for_each_message(|m| all.push((m.source, m.target, m.volume)));
        all
    }

    /// Each text is refused, with a message that holds the text beside it.
    pub(super) fn check_refused(cases: &[(&str, &str)]) {
        for (text, part) in cases {
            let error = make(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn messages_are_merged_and_sorted() {
        let list = [
            (2, 0, 1.0),
            (0, 1, 2.0),
            (2, 0, 0.5),
            (1, 1, 9.0),
            (1, 2, 0.0),
        ];
        let guest = Guest::new("g", 3, list).unwrap();
        let message = |(source, target, volume)| Message {
            source,
            target,
            volume,
        };
        let expected = [(0, 1, 2.0), (2, 0, 1.5)].map(message);
        assert_eq!(guest.traffic(), &Traffic::Messages(expected.to_vec()));
        assert_eq!(guest.pair_count(), 2);
    }

    #[test]
    fn impossible_messages_are_refused() {
        for (bad, part) in [
            ((0, 3, 1.0), "process 3; expected processes below 3"),
            ((0, 1, -1.0), "volume -1"),
            ((0, 1, f64::NAN), "volume NaN"),
        ] {
            let error = Guest::new("g", 3, [bad]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn examples_parse_and_options_are_read() {
        nodeorder_base::registry::testing::check_table(&GUESTS, |entry, params| {
            (entry.parse.traffic)(params).map(drop)
        });
    }

    #[test]
    fn every_example_works() {
        for pattern in GUESTS.iter().filter(|entry| !reads_file(entry)) {
            let guest = make(pattern.example).unwrap();
            assert_eq!(guest.label(), pattern.example);
            let all = messages(&guest);
            for (source, target, volume) in &all {
                assert!(source != target && *volume > 0.0);
                assert!(source.max(target) < &guest.processes());
            }
            assert_eq!(all.len() as u64, guest.pair_count(), "{}", pattern.name);
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        check_refused(&[
            ("stencli:4x4", "no such file; did you mean `stencil`?"),
            ("stencli:4x4", "did you mean `stencil`"),
            ("ring:m=4", "did you mean `n`"),
            ("ring:volume=4", "no `n`"),
            ("ring:n=4,size=3", "unknown key for ring `size`"),
        ]);
    }
}
