//! Guests: the traffic of an application, as ordered pairs of processes with a volume.

use nodeorder_base::{Error, Result, SourceLocation};

/// Largest number of processes of a guest.
pub const MAX_PROCESSES: u32 = 1 << 24;

/// Largest sum of all volumes: times any number of hops it is still finite.
const LARGEST_VOLUME: f64 = 1e280;

/// Traffic from one process to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Sending process.
    pub source: u32,
    /// Receiving process, another than the sending one.
    pub target: u32,
    /// Volume, finite and above zero; in bytes, or in the unit of the file.
    pub volume: f64,
}

impl Message {
    /// Lists messages from the bytes sent, by sender and receiver.
    pub(super) fn list_from_bytes(
        sent: impl IntoIterator<Item = ((u32, u32), u64)>,
    ) -> Vec<Message> {
        let mut messages = Vec::new();
        for ((source, target), bytes) in sent {
            messages.push(Message {
                source,
                target,
                volume: bytes as f64,
            });
        }
        messages
    }
}

/// All traffic of a guest.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Every process sends `volume` to every other; nothing is listed.
    AllToAll {
        /// Volume from each process to each other.
        volume: f64,
    },
    /// Messages ascending by source and target, each pair once.
    Messages(Vec<Message>),
}

/// Number of processes of an application and the messages between them.
///
/// Volumes are `f64`: whole numbers, and every sum of them, are exact while below 2⁵³. Messages of a pair
/// are added up; a process's messages to itself and volumes of zero are no traffic and are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Guest {
    pub(super) label: String,
    pub(super) processes: u32,
    pub(super) traffic: Traffic,
    /// What its reader left out or assumed, in sentences.
    pub(super) remarks: Vec<String>,
}

impl Guest {
    /// Makes a guest of messages `(source, target, volume)` in any order.
    ///
    /// # Errors
    /// A process that is not below `processes`; a negative or non-finite volume.
    pub fn new(
        label: impl Into<String>,
        processes: u32,
        messages: impl IntoIterator<Item = (u32, u32, f64)>,
    ) -> Result<Self> {
        let label = label.into();
        let mut list = Vec::new();
        for (source, target, volume) in messages {
            if source >= processes || target >= processes {
                return Err(Error::input(
                    SourceLocation::option(&label),
                    format!("process {}", source.max(target)),
                    format!("processes below {processes}"),
                ));
            }
            if !(volume.is_finite() && volume >= 0.0) {
                return Err(Error::input(
                    SourceLocation::option(&label),
                    format!("volume {volume} from {source} to {target}"),
                    "a finite volume of 0 or more",
                ));
            }
            list.push(Message {
                source,
                target,
                volume,
            });
        }
        Guest::from_messages(&label, processes, list)
    }

    /// Makes the guest called `label` whose processes all send `volume` to all others.
    pub(super) fn all_to_all(label: &str, processes: u32, volume: f64) -> Self {
        Guest {
            label: label.to_string(),
            processes,
            traffic: Traffic::AllToAll { volume },
            remarks: Vec::new(),
        }
    }

    /// Makes the guest called `label` of these messages; those of a pair are added up. Fails if the sum of volumes
    /// is no number.
    pub(super) fn from_messages(
        label: &str,
        processes: u32,
        messages: Vec<Message>,
    ) -> Result<Self> {
        let messages = tidy_messages(messages, || SourceLocation::option(label))?;
        Ok(Guest {
            label: label.to_string(),
            processes,
            traffic: Traffic::Messages(messages),
            remarks: Vec::new(),
        })
    }

    /// Returns the name that the user gave the guest.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Returns what the reader of the guest left out or assumed, in sentences.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the number of processes; some may send and get nothing.
    pub fn processes(&self) -> u32 {
        self.processes
    }

    /// Returns the messages between processes.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Counts the ordered pairs of processes that communicate.
    pub fn pair_count(&self) -> u64 {
        match &self.traffic {
            Traffic::AllToAll { .. } => {
                u64::from(self.processes) * u64::from(self.processes.saturating_sub(1))
            }
            Traffic::Messages(messages) => messages.len() as u64,
        }
    }

    /// Adds up the traffic between groups of `size` consecutive processes, which take the place of processes.
    ///
    /// # Errors
    /// As [`Guest::new`].
    pub fn gather_groups(&self, size: u32) -> Result<Guest> {
        let size = size.max(1);
        self.gather_by(self.processes.div_ceil(size), size, |process| {
            process / size
        })
    }

    /// Adds up the traffic between lists of equally many processes, which take the place of processes.
    ///
    /// # Errors
    /// As [`Guest::new`].
    pub fn gather_lists(&self, lists: &[Vec<u32>]) -> Result<Guest> {
        let mut list_of = vec![0; self.processes as usize];
        for (number, list) in (0..).zip(lists) {
            list.iter()
                .for_each(|process| list_of[*process as usize] = number);
        }
        let size = lists.first().map_or(1, Vec::len) as u32;
        self.gather_by(lists.len() as u32, size, |process| {
            list_of[process as usize]
        })
    }

    /// Adds up the traffic between `groups` groups of `size` processes each.
    fn gather_by(&self, groups: u32, size: u32, group_of: impl Fn(u32) -> u32) -> Result<Guest> {
        match &self.traffic {
            Traffic::AllToAll { volume } => {
                let volume = volume * f64::from(size) * f64::from(size);
                Ok(Guest::all_to_all(&self.label, groups, volume))
            }
            Traffic::Messages(messages) => {
                let gathered = messages.iter().map(|m| Message {
                    source: group_of(m.source),
                    target: group_of(m.target),
                    volume: m.volume,
                });
                Guest::from_messages(&self.label, groups, gathered.collect())
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
                        visit(Message {
                            source,
                            target,
                            volume: *volume,
                        });
                    }
                }
            }
        }
    }
}

/// Sorts messages by source and target, and adds up those of a pair.
pub(in crate::mapping) fn add_up_pairs(messages: &mut Vec<Message>) {
    // A stable sort: a pair's volumes are added in the order of the list, so that the last bits do not vary.
    messages.sort_by_key(|m| (m.source, m.target));
    messages.dedup_by(|next, kept| {
        let same = (next.source, next.target) == (kept.source, kept.target);
        if same {
            kept.volume += next.volume;
        }
        same
    });
}

/// Sorts messages, adds up those of a pair, and leaves out messages of a process to itself or of volume 0. Fails if
/// volumes are so large that their sum is no number.
pub fn tidy_messages(
    mut messages: Vec<Message>,
    location: impl Fn() -> SourceLocation,
) -> Result<Vec<Message>> {
    messages.retain(|m| m.source != m.target && m.volume > 0.0);
    add_up_pairs(&mut messages);
    // Whatever is computed from volumes adds up some of them, times hops.
    let sum: f64 = messages.iter().map(|m| m.volume).sum();
    if sum > LARGEST_VOLUME {
        let found = format!("volumes that add up to {sum:e}");
        return Err(Error::input(
            location(),
            found,
            format!("at most {LARGEST_VOLUME:e}"),
        ));
    }
    Ok(messages)
}
