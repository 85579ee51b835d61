//! Benchmarks: guests whose stages, operations and iterations are public.

use super::entry::Benchmark;
use super::sized::sized_patterns;
use super::table::GUESTS;
use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Context;

impl Benchmark {
    /// Makes the benchmark that `text` names, such as `npb-lu:n=64,class=B`.
    ///
    /// # Errors
    /// A guest that is none of the benchmarks; bad options; more memory than `context` allows.
    ///
    /// # Examples
    /// ```
    /// use nodeorder_traffic::mapping::guest::Benchmark;
    /// let ft = Benchmark::make("npb-ft:n=8,class=S", &Default::default())?;
    /// assert_eq!((ft.iterations, ft.stages.len()), (6, 7));
    /// # Ok::<(), nodeorder_base::error::Error>(())
    /// ```
    pub fn make(text: &str, context: &Context) -> Result<Self> {
        let Some((entry, make)) = GUESTS.get(text).and_then(|e| Some((e, e.parse.benchmark?)))
        else {
            let location = SourceLocation::option(text);
            let benchmarks = GUESTS.iter().filter(|e| e.parse.benchmark.is_some());
            let names: Vec<&str> = benchmarks.map(|e| e.name).collect();
            let expected = format!("a benchmark: {}", names.join(", "));
            return Err(Error::input(location, format!("`{text}`"), expected));
        };
        let params = GUESTS.read_options(entry, text, context.seed)?;
        make(&params, text, context)
    }

    /// Makes the benchmark `text`, a name with or without options but `n`, on the most of `count` processes that
    /// it takes; the others are idle. A class too small for these runs on the greatest power of two that it
    /// takes.
    ///
    /// # Errors
    /// As for [`Benchmark::make`].
    pub fn make_sized(text: &str, count: u32, context: &Context) -> Result<Self> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let Some(sized) = sized_patterns().find(|sized| sized.name == name) else {
            return Benchmark::make(text, context);
        };
        let make = |spec: String| match options {
            "" => Benchmark::make(&spec, context),
            options => Benchmark::make(&format!("{spec},{options}"), context),
        };
        make((sized.spec)(count)).or_else(|error| {
            // The class is too small for that many: every benchmark takes powers of two, up to some.
            let bits = (0..=count.max(1).ilog2()).rev();
            bits.map(|bits| 1u32 << bits)
                .find_map(|n| make(format!("{name}:n={n},idle={}", count - n)).ok())
                .ok_or(error)
        })
    }
}
