//! Allocators: which free ranks a job gets.
//!
//! Each rule is one file with a [`AllocatorEntry`] constant; [`ALLOCATORS`] is the table that names them all. An
//! [`Allocator`] sees the free ranks of one ordering and chooses; the caller marks them as taken. What an
//! allocator wants to know of the machine it is given when it is made ([`AllocatorContext`]).

use crate::error::{Error, Result, SourceLocation};
use crate::metric::rank_distances::RankDistances;
use crate::ordering::NodeOrder;
use crate::ranks::{FreeSet, Ranks};
use crate::topology::Topology;

mod bfs;
mod closest_fit;
mod closest_mind;
mod dilation;
mod fifo;
mod first_fit;
mod gen_alg;
mod largest_fit;
mod mbs;
mod mc1x1;
mod near;
mod random;
mod ranks_by_location;
mod runs;
mod slurm;
mod span;

/// A rule of allocation: a line of [`ALLOCATORS`].
pub struct AllocatorEntry {
    /// The name, as in `--alloc first-fit:8`.
    pub name: &'static str,
    /// The name with its parameters.
    pub usage: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Makes the allocator from its parameters.
    pub build:
        for<'a> fn(&mut Arguments<'_>, &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>>,
}

/// Every rule, in the order of lists.
pub const ALLOCATORS: &[AllocatorEntry] = &[
    fifo::FIFO,
    first_fit::FIRST_FIT,
    largest_fit::LARGEST_FIT,
    first_fit::FIFO_FIT,
    first_fit::VARYING_FIT,
    closest_fit::CLOSEST_FIT,
    closest_mind::CLOSEST_MIND,
    span::FIRST,
    span::BEST,
    span::SUM_OF_SQUARES,
    slurm::BEST_FIT,
    random::RANDOM,
    mc1x1::MC1X1,
    gen_alg::GEN_ALG,
    mbs::MBS,
    bfs::BFS,
    dilation::DILATION,
];

/// Chooses ranks for jobs.
pub trait Allocator: Send {
    /// Puts `count` of the free ranks into `chosen`, which comes empty; the caller settles it.
    /// `1 ≤ count ≤ free.len()`.
    fn choose(&mut self, free: &FreeSet, count: u32, chosen: &mut Ranks);

    /// Σ of the pairwise distances of the ranks chosen last, in hops, where the choice was made by it.
    fn total_distance(&self) -> Option<u64> {
        None
    }
}

/// The machine and the ordering that allocators work on.
#[derive(Clone, Copy)]
pub struct AllocatorContext<'a> {
    /// The machine.
    pub topology: &'a Topology,
    /// The ordering.
    pub order: &'a NodeOrder,
    /// Where its ranks stand.
    pub distances: &'a RankDistances,
}

/// Makes the allocator that `text` asks for, such as `first-fit:8`, on one context.
///
/// # Errors
/// An unknown name, parameters out of range, a rule that does not suit the topology.
///
/// # Examples
/// ```
/// use nodeorder::{NodeOrder, Topology, allocator, metric::rank_distances::RankDistances, ranks::{FreeSet, Ranks, Run}};
/// let topology = Topology::inline("torus:4x4", &Default::default())?;
/// let order = NodeOrder::make(&topology, "snake")?;
/// let distances = RankDistances::new(&topology, &order)?;
/// let context = allocator::AllocatorContext { topology: &topology, order: &order, distances: &distances };
/// let mut first_fit = allocator::make("first-fit:1", &context)?;
/// let (mut free, mut chosen) = (FreeSet::new(16), Ranks::default());
/// free.take(Run { first: 2, count: 3 });
/// first_fit.choose(&free, 4, &mut chosen);
/// assert_eq!(chosen.to_string(), "5-8");
/// # Ok::<(), nodeorder::Error>(())
/// ```
pub fn make<'a>(text: &str, context: &AllocatorContext<'a>) -> Result<Box<dyn Allocator + 'a>> {
    let rule = rule(text)?;
    let mut arguments = Arguments::new(text, context.topology.context().seed);
    let allocator = (rule.build)(&mut arguments, context)?;
    arguments.finish(rule)?;
    Ok(allocator)
}

/// The rule that `name[:…]` names, whatever its parameters.
///
/// # Errors
/// An unknown name.
pub fn rule(text: &str) -> Result<&'static AllocatorEntry> {
    let name = text.split(':').next().unwrap_or(text);
    ALLOCATORS.iter().find(|r| r.name == name).ok_or_else(|| {
        Error::unknown(
            SourceLocation::option(text),
            "allocator",
            name,
            ALLOCATORS.iter().map(|r| r.name),
        )
    })
}

/// The parameters of an allocator: `name:first:second…`, taken from left to right.
pub struct Arguments<'t> {
    text: &'t str,
    parts: std::iter::Peekable<std::str::Split<'t, char>>,
    seed: u64,
}

impl<'t> Arguments<'t> {
    fn new(text: &'t str, seed: u64) -> Self {
        let mut parts = text.split(':').peekable();
        // The name.
        parts.next();
        Arguments { text, parts, seed }
    }

    /// The next part as a whole number; `missing` where there is none, an error where that is `None`.
    ///
    /// # Errors
    /// No number, or none where one is needed.
    pub fn number(&mut self, what: &str, missing: Option<u32>) -> Result<u32> {
        match (self.parts.next(), missing) {
            (Some(part), _) => part.parse().map_err(|_| {
                self.wrong(format!("`{part}`"), format!("{what}, a whole number from 0"))
            }),
            (None, Some(value)) => Ok(value),
            (None, None) => {
                Err(self.wrong("nothing after the name", format!("{what}, a whole number")))
            }
        }
    }

    /// Whether the next part is `word`, which is then taken.
    pub fn word(&mut self, word: &str) -> bool {
        self.parts.next_if(|part| *part == word).is_some()
    }

    /// The seed: `seed=…`, else the run's.
    ///
    /// # Errors
    /// No whole number.
    pub fn seed(&mut self) -> Result<u64> {
        match self.parts.next_if(|part| part.starts_with("seed=")) {
            Some(part) => part["seed=".len()..]
                .parse()
                .map_err(|_| self.wrong(format!("`{part}`"), "seed= and a whole number from 0")),
            None => Ok(self.seed),
        }
    }

    /// The allocator as the user wrote it, for messages.
    pub fn location(&self) -> SourceLocation {
        SourceLocation::option(self.text)
    }

    fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        Error::input(self.location(), found, expected)
    }

    fn finish(mut self, rule: &AllocatorEntry) -> Result<()> {
        match self.parts.next() {
            Some(part) => Err(self.wrong(format!("`{part}`"), rule.usage)),
            None => Ok(()),
        }
    }
}

/// Stoltzfus' seven algorithms at their usual settings: what `compare` and examples replay.
pub const STOLTZFUS: [&str; 7] = [
    "fifo:0",
    "first-fit:8",
    "largest-fit:8",
    "fifo-fit:16:8",
    "varying-fit",
    "closest-fit",
    "closest-mind",
];
