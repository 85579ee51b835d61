//! An option as its entry declares it: key, values, default.

use std::fmt;

/// An option that an entry of a table declares. [`super::Params`] reads choices and defaults from here, so that
/// what is documented is what is done.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The key, as in `seed=7`.
    pub key: &'static str,
    /// Values that the option takes.
    pub values: Values,
    /// Value of the option when it is not given.
    pub default: Fallback,
    /// Whether the key may be left out, as in `torus:8x8`: such options stand first, in the order declared.
    pub positional: bool,
    /// Meaning of the option, in one line.
    pub about: &'static str,
    /// The setting without which the option is not read, such as `runtime=log-normal`; empty where it is always read.
    pub only_with: &'static str,
    /// Older key, which is read as this one and shown nowhere; empty if there is none.
    pub former: &'static str,
}

/// Values that an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A word or text of a form that the description names.
    Text,
    /// Positive whole numbers, as in 8x8x5.
    Extents,
    /// The path of a file.
    File,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// One of the names of another table.
    NameOf(fn() -> Vec<&'static str>),
}

/// Value of an option that is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It must be given.
    Required,
    /// The value that holds as if it were given.
    Value(&'static str),
    /// Computed from the other options; the words say how.
    Computed(&'static str),
}

impl Opt {
    const fn new(key: &'static str, values: Values, about: &'static str) -> Self {
        Opt {
            key,
            values,
            default: Fallback::Required,
            positional: false,
            about,
            only_with: "",
            former: "",
        }
    }

    /// Declares a whole number.
    pub const fn whole(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::Whole, about)
    }

    /// Declares a number.
    pub const fn number(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::Number, about)
    }

    /// Declares a flag: `true` or `false`, false unless given.
    pub const fn flag(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::Flag, about).default_value("false")
    }

    /// Declares a word or text.
    pub const fn text(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::Text, about)
    }

    /// Declares positive whole numbers, as in 8x8x5.
    pub const fn extents(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::Extents, about)
    }

    /// Declares the path of a file.
    pub const fn file(key: &'static str, about: &'static str) -> Self {
        Opt::new(key, Values::File, about)
    }

    /// Declares an option that takes one of `words`, by default the first.
    pub const fn one_of(
        key: &'static str,
        words: &'static [&'static str],
        about: &'static str,
    ) -> Self {
        Opt::new(key, Values::OneOf(words), about).default_value(words[0])
    }

    /// Declares an option that takes a name of another table's entry.
    pub const fn name_of(
        key: &'static str,
        names: fn() -> Vec<&'static str>,
        about: &'static str,
    ) -> Self {
        Opt::new(key, Values::NameOf(names), about)
    }

    /// Sets the default: as if `value` were given where nothing is.
    pub const fn default_value(mut self, value: &'static str) -> Self {
        self.default = Fallback::Value(value);
        self
    }

    /// Says in `words` how the value is worked out where it is not given.
    pub const fn default_in_words(mut self, words: &'static str) -> Self {
        self.default = Fallback::Computed(words);
        self
    }

    /// Lets the key be left out.
    pub const fn positional(mut self) -> Self {
        self.positional = true;
        self
    }

    /// Says beside which setting alone the option is read, such as `runtime=log-normal`.
    pub const fn only_with(mut self, option: &'static str) -> Self {
        self.only_with = option;
        self
    }

    /// Lists the words that the option takes; none where it takes any.
    pub fn choices(&self) -> Vec<&'static str> {
        match self.values {
            Values::OneOf(words) => words.to_vec(),
            Values::NameOf(names) => names(),
            _ => Vec::new(),
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Whole => f.write_str("whole number"),
            Values::Number => f.write_str("number"),
            Values::Flag => f.write_str("true or false"),
            Values::Text => f.write_str("text"),
            Values::Extents => f.write_str("extents, as in 8x8x5"),
            Values::File => f.write_str("file"),
            Values::OneOf(words) => f.write_str(&words.join(", ")),
            Values::NameOf(names) => f.write_str(&names().join(", ")),
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fallback::Required => f.write_str("required"),
            Fallback::Value(text) | Fallback::Computed(text) => f.write_str(text),
        }
    }
}

/// Joins the options of two lists, for entries that share some with others.
pub const fn join_options<const A: usize, const B: usize, const N: usize>(
    first: [Opt; A],
    then: [Opt; B],
) -> [Opt; N] {
    assert!(A + B == N);
    // A constant function has neither empty arrays to fill nor `for`: any option holds the places.
    let mut all = [SEED; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < A { first[i] } else { then[i - A] };
        i += 1;
    }
    all
}

/// The seed of random numbers.
pub const SEED: Opt = Opt::whole("seed", "seed of the random numbers: same seed, same result")
    .default_in_words("--seed");

/// Shows how an entry is written, `name:FIRST,key=…[,key=value…]`, with `separator` for the comma. Positional options
/// come first, then those that must be given, then the others.
pub fn describe_usage(name: &str, separator: char, options: &[&Opt]) -> String {
    let mut text = name.to_string();
    let mut add = |part: &str, closing: &str| {
        let mark = if text.contains(':') { separator } else { ':' };
        let bracket = if closing.is_empty() { "" } else { "[" };
        text += &format!("{bracket}{mark}{part}{closing}");
    };
    let required = |option: &&&Opt| option.default == Fallback::Required;
    for option in options.iter().filter(|option| option.positional) {
        add(
            &option.key.to_uppercase(),
            if required(&option) { "" } else { "]" },
        );
    }
    let (must, may): (Vec<&&Opt>, Vec<&&Opt>) = options
        .iter()
        .filter(|option| !option.positional)
        .partition(required);
    must.iter()
        .for_each(|option| add(&format!("{}=…", option.key), ""));
    match may.as_slice() {
        [] => {}
        // One option is named; of more only the form is shown, as the line is a summary.
        [option] => add(&format!("{}=…", option.key), "]"),
        _ => add("key=value…", "]"),
    }
    text
}
