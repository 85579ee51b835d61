//! Guests: the traffic of an application, as ordered pairs of processes with a volume.
//!
//! Patterns are lines of [`GUESTS`]; everything else is a file, known by its ending.

use std::path::Path;

use crate::error::{Error, Result, SourceLocation};
use crate::input::Text;
use crate::params::Params;
use crate::registry::{Entry, Registry};
use crate::topology::Context;

mod all_gather;
mod all_reduce;
mod all_to_all;
mod benchmark;
mod butterfly;
mod collective;
mod file;
mod npb;
mod parallel;
mod patterns;
mod random;
mod ring;
mod sized;
mod stencil;
mod transpose;

pub use benchmark::{Benchmark, Stage};
pub use file::{FORMATS, FormatEntry};
pub use sized::{Sized, sized, sized_names};

/// A pattern of traffic by name: an entry of [`GUESTS`].
pub type GuestEntry = Entry<Pattern>;

/// How a pattern is made.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// Number of processes and their traffic.
    make: fn(&Params, &Context) -> Result<(u32, Traffic)>,
    /// What a benchmark does, stage by stage.
    benchmark: Option<fn(&Params) -> Result<npb::Work>>,
    /// Its forms for any number of processes, where there are some.
    sized: &'static [Sized],
}

/// Every pattern.
pub static GUESTS: Registry<Pattern> = Registry::new(
    "guest",
    "",
    &[
        all_to_all::GUEST,
        all_reduce::GUEST,
        all_gather::GUEST,
        parallel::GUEST,
        ring::GUEST,
        stencil::GUEST,
        butterfly::GUEST,
        transpose::GUEST,
        random::GUEST,
        npb::BT,
        npb::CG,
        npb::FT,
        npb::IS,
        npb::LU,
        npb::MG,
        npb::SP,
    ],
);

/// The most processes a guest may have.
pub const MAX_PROCESSES: u32 = 1 << 24;

/// The largest sum of all volumes: times any number of hops it is still a number.
const LARGEST_VOLUME: f64 = 1e280;

/// What one process sends to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// The sending process.
    pub source: u32,
    /// The receiving process, another one.
    pub target: u32,
    /// How much, finite and above zero; bytes, or whatever the file counts.
    pub volume: f64,
}

/// All traffic of a guest.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Every process sends so much to every other; nothing is listed.
    AllToAll {
        /// From each process to each other.
        volume: f64,
    },
    /// Messages ascending by source and target, each pair once.
    Messages(Vec<Message>),
}

/// An application's processes and what they send each other.
///
/// Volumes are `f64`: whole numbers, and every sum of them, are exact while below 2⁵³. Messages of a pair
/// are added up; a process's messages to itself and volumes of zero are no traffic and are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Guest {
    label: String,
    processes: u32,
    traffic: Traffic,
}

impl Guest {
    /// From `(source, target, volume)` in any order.
    ///
    /// # Errors
    /// A process that is not below `processes`; a negative or non-finite volume.
    pub fn new(
        label: impl Into<String>,
        processes: u32,
        messages: impl IntoIterator<Item = (u32, u32, f64)>,
    ) -> Result<Self> {
        let label = label.into();
        let location = || SourceLocation::option(&label);
        let mut list = Vec::new();
        for (source, target, volume) in messages {
            if source >= processes || target >= processes {
                let found = format!("process {}", source.max(target));
                let expected = format!("processes below {processes}");
                return Err(Error::input(location(), found, expected));
            }
            if !(volume.is_finite() && volume >= 0.0) {
                let found = format!("volume {volume} from {source} to {target}");
                return Err(Error::input(location(), found, "a finite volume of 0 or more"));
            }
            list.push(Message { source, target, volume });
        }
        let messages = merged(list, location)?;
        Ok(Guest { label, processes, traffic: Traffic::Messages(messages) })
    }

    /// Makes the guest that `text` asks for: a pattern of [`GUESTS`] with options, or a file (CSV,
    /// MatrixMarket, Scotch, TopoMatch; see [`FORMATS`]).
    ///
    /// # Errors
    /// An unknown name, bad options, a bad file; more memory than `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::mapping::Guest;
    /// let guest = Guest::make("stencil:4x4,wrap=true", &Default::default())?;
    /// assert_eq!((guest.processes(), guest.pair_count()), (16, 64));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn make(text: &str, context: &Context) -> Result<Self> {
        let Some(entry) = GUESTS.get(text) else {
            return Guest::from_file(text, context);
        };
        let params = GUESTS.params(entry, text, context.seed)?;
        let (processes, traffic) = (entry.build.make)(&params, context)?;
        params.finish()?;
        Ok(Guest { label: text.to_string(), processes, traffic })
    }

    fn from_file(path: &str, context: &Context) -> Result<Self> {
        if !Path::new(path).exists() {
            return Err(GUESTS.neither(path, "a file"));
        }
        let format = file::format(path)?;
        Guest::read(&Text::read(Path::new(path), context.memory)?, format.name, context)
    }

    /// Reads a guest from text in one of [`FORMATS`], named by its ending (`csv`, `mtx`, `grf`, `mat`).
    ///
    /// # Errors
    /// An unknown format; whatever does not belong into the file, with its line.
    pub fn read(text: &Text, format: &str, context: &Context) -> Result<Self> {
        let (processes, messages) = file::read(text, format, context)?;
        let label = text.name().to_string();
        let messages = merged(messages, || text.location())?;
        Ok(Guest { label, processes, traffic: Traffic::Messages(messages) })
    }

    /// What the user called it.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Number of processes; some may send and get nothing.
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// Its traffic.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Ordered pairs of processes that communicate.
    pub fn pair_count(&self) -> u64 {
        match &self.traffic {
            Traffic::AllToAll { .. } => {
                u64::from(self.processes) * u64::from(self.processes.saturating_sub(1))
            }
            Traffic::Messages(messages) => messages.len() as u64,
        }
    }

    /// The traffic between groups of `size` consecutive processes, which take the place of processes.
    ///
    /// # Errors
    /// As [`Guest::new`].
    pub fn gathered(&self, size: u32) -> Result<Guest> {
        let (size, label) = (size.max(1), self.label.clone());
        let processes = self.processes.div_ceil(size);
        match &self.traffic {
            Traffic::AllToAll { volume } => {
                let traffic =
                    Traffic::AllToAll { volume: volume * f64::from(size) * f64::from(size) };
                Ok(Guest { label, processes, traffic })
            }
            Traffic::Messages(messages) => {
                let group = |m: &Message| (m.source / size, m.target / size, m.volume);
                Guest::new(label, processes, messages.iter().map(group).filter(|(a, b, _)| a != b))
            }
        }
    }

    /// Calls `visit` with every message, ascending by source and target.
    pub fn for_each_message(&self, mut visit: impl FnMut(Message)) {
        match &self.traffic {
            Traffic::Messages(messages) => messages.iter().copied().for_each(visit),
            Traffic::AllToAll { volume } => {
                for source in 0..self.processes {
                    for target in (0..self.processes).filter(|t| *t != source) {
                        visit(Message { source, target, volume: *volume });
                    }
                }
            }
        }
    }
}

/// Sorted, the messages of a pair added up, without those that are no traffic.
///
/// # Errors
/// Volumes so large that their sum is no number.
fn merged(
    mut messages: Vec<Message>,
    location: impl Fn() -> SourceLocation,
) -> Result<Vec<Message>> {
    messages.retain(|m| m.source != m.target && m.volume > 0.0);
    // Stable: a pair's volumes are added in the order of the file.
    messages.sort_by_key(|m| (m.source, m.target));
    messages.dedup_by(|next, kept| {
        let same = (next.source, next.target) == (kept.source, kept.target);
        if same {
            kept.volume += next.volume;
        }
        same
    });
    // Whatever is computed from volumes adds up some of them, times hops.
    let sum: f64 = messages.iter().map(|m| m.volume).sum();
    if sum > LARGEST_VOLUME {
        let found = format!("volumes that add up to {sum:e}");
        return Err(Error::input(location(), found, format!("at most {LARGEST_VOLUME:e}")));
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_merged_and_sorted() {
        let list = [(2, 0, 1.0), (0, 1, 2.0), (2, 0, 0.5), (1, 1, 9.0), (1, 2, 0.0)];
        let guest = Guest::new("g", 3, list).unwrap();
        let message = |(source, target, volume)| Message { source, target, volume };
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
    fn patterns_ask_for_what_they_declare() {
        crate::registry::testing::check(&GUESTS, |entry, params| {
            (entry.build.make)(params, &Context::default()).map(|_| ())
        });
    }

    #[test]
    fn every_example_works() {
        for pattern in &GUESTS {
            let guest = Guest::make(pattern.example, &Context::default()).unwrap();
            assert_eq!(guest.label(), pattern.example);
            let mut count = 0;
            guest.for_each_message(|m| {
                assert!(m.source != m.target && m.volume > 0.0);
                assert!(m.source.max(m.target) < guest.processes());
                count += 1;
            });
            assert_eq!(count, guest.pair_count(), "{}", pattern.name);
        }
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        let error = |text: &str| Guest::make(text, &Context::default()).unwrap_err().to_string();
        assert!(error("stencli:4x4").contains("no such file; expected one of all-to-all"));
        assert!(error("stencli:4x4").contains("did you mean `stencil`"));
        assert!(error("ring:m=4").contains("no `n`"));
        assert!(error("ring:n=4,size=3").contains("unknown key for ring `size`"));
    }
}
