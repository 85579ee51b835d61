//! Benchmarks: guests whose stages, operations and iterations are public.

use super::sized::all;
use super::{GUESTS, Guest};
use crate::error::{Error, Result, SourceLocation};
use crate::topology::Context;

/// A part of an iteration: all its messages are there before the next one begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Messages that a process sends each partner, one after the other; at least 1.
    pub messages: u32,
    /// The bytes of all of them, by pair.
    pub guest: Guest,
}

/// A benchmark on so many processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Iterations of a run.
    pub iterations: u32,
    /// Operations of a process in one of them.
    pub operations: f64,
    /// Its stages, those that send something.
    pub stages: Vec<Stage>,
}

impl Benchmark {
    /// What the guest that `text` asks for does, such as `npb-lu:n=64,class=B`.
    ///
    /// # Errors
    /// A guest that is none of the benchmarks; bad options; more memory than `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder::mapping::guest::Benchmark;
    /// let ft = Benchmark::make("npb-ft:n=8,class=S", &Default::default())?;
    /// assert_eq!((ft.iterations, ft.stages.len()), (6, 7));
    /// # Ok::<(), nodeorder::Error>(())
    /// ```
    pub fn make(text: &str, context: &Context) -> Result<Self> {
        let Some((entry, work)) = GUESTS.get(text).and_then(|e| Some((e, e.build.benchmark?)))
        else {
            let location = SourceLocation::option(text);
            let names: Vec<&str> =
                GUESTS.iter().filter(|e| e.build.benchmark.is_some()).map(|e| e.name).collect();
            let expected = format!("a benchmark: {}", names.join(", "));
            return Err(Error::input(location, format!("`{text}`"), expected));
        };
        let params = GUESTS.params(entry, text, context.seed)?;
        let made = work(&params)?.benchmark(text, &params, context)?;
        params.finish()?;
        Ok(made)
    }

    /// The benchmark `text`, a name with or without options but `n`, on the most of `count` processes that it takes; the
    /// others are idle.
    ///
    /// # Errors
    /// As for [`Benchmark::make`].
    pub fn sized(text: &str, count: u32, context: &Context) -> Result<Self> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        match all().find(|sized| sized.name == name) {
            Some(sized) if options.is_empty() => Benchmark::make(&(sized.spec)(count), context),
            Some(sized) => Benchmark::make(&format!("{},{options}", (sized.spec)(count)), context),
            None => Benchmark::make(text, context),
        }
    }

    /// Bytes that all processes send in an iteration.
    pub fn bytes(&self) -> f64 {
        let mut bytes = 0.0;
        for stage in &self.stages {
            stage.guest.for_each_message(|m| bytes += m.volume);
        }
        bytes
    }
}
