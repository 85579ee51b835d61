//! Options of every machine besides those of its family.

use std::path::PathBuf;

use super::broken::BrokenOption;
use super::sizes::MAX_NODES;
use nodeorder_base::params::{Value, Written};
use nodeorder_base::{NodeId, Opt, Params, Result, SourceLocation};

/// Options of every topology besides those of its family.
pub const COMMON_OPTIONS: &[Opt] = &[
    Opt::whole("limit", "keep the first so many node ids").default_in_words("all"),
    Opt::text(
        "exclude",
        "nodes to leave out: ids, ranges, names and host lists, as in 0-3+17+n[20-24], \
         or a file of names or of sinfo -h -N -o \"%N %t\"",
    )
    .default_in_words("none"),
    Opt::text(
        "names",
        "names of the nodes: nid{:05}, {:05+1000} from 1000, ranges \
     as in x{4000-4007}c{0-7}, the last the fastest, or a CSV file of node,name[,coordinates]",
    )
    .default_in_words("the file's own, else n and the id"),
    Opt::text(
        "broken",
        "what is broken: links:SHARE of the cables, switches:K, or a CSV file of pairs \
         of switches u,v and of switches",
    )
    .default_in_words("nothing"),
    Opt::whole("broken_seed", "seed of the draw of what is broken").default_value("1"),
    Opt::text("name", "name of the machine").default_in_words("the file's or the specification"),
    Opt::text("source", "where the description comes from").default_in_words("none"),
];

/// The options of [`COMMON_OPTIONS`], read; what depends on the number of nodes is checked when the machine is built.
pub struct MachineOptions {
    /// Place of the whole specification, for messages.
    pub location: SourceLocation,
    /// Name of the machine.
    pub name: String,
    /// Where the description comes from, as its author states it.
    pub source: Option<String>,
    pub limit: Option<LimitOption>,
    pub exclude: Option<ExcludeOption>,
    pub names: Option<NamesOption>,
    pub broken: Option<BrokenOption>,
}

/// The option `limit`: number of node ids to keep.
pub struct LimitOption {
    value: u64,
    pub written: Written,
}

/// The option `exclude`: nodes that are not schedulable.
pub struct ExcludeOption {
    /// Lists of nodes and files, in the order given.
    pub parts: Vec<ExcludedPart>,
    /// The whole option, if it is one text; `None` if it is a TOML list.
    pub text: Option<String>,
    pub written: Written,
}

/// One part of `exclude`: a list of nodes, or a file.
pub struct ExcludedPart {
    pub text: String,
    /// The path that `text` stands for if it is no list of nodes.
    pub path: PathBuf,
    pub location: SourceLocation,
}

/// The option `names`: a pattern or file that gives nodes their names.
pub struct NamesOption {
    pub source: NameSource,
    pub written: Written,
}

/// Source of node names.
pub enum NameSource {
    Pattern(NamePattern),
    /// Texts, each followed by a list of numbers, and the text after all of them; the last list runs fastest.
    Ranges {
        fields: Vec<(String, String)>,
        after: String,
    },
    /// A CSV file of `node,name[,coordinates…]`.
    File(PathBuf),
}

/// Names that are a number between two texts: the id plus `offset`, padded with zeros to `width` digits.
#[derive(Clone, Debug, Default)]
pub struct NamePattern {
    pub before: String,
    pub width: usize,
    pub offset: u64,
    pub after: String,
}

impl NamePattern {
    /// Formats the name of a node.
    pub fn name_of_node(&self, node: NodeId) -> String {
        let number = u64::from(node.0) + self.offset;
        format!(
            "{}{number:0width$}{}",
            self.before,
            self.after,
            width = self.width
        )
    }
}

/// The forms of `names`, for messages.
pub const NAMES_FORMS: &str = "one `{}`, `{:0W}` or `{:0W+N}` for the \
 id, fields of ranges as in x{4000-4007}c{0-7}, or a .csv file of node,name[,coordinates…]";

/// The largest offset that a pattern adds to ids: numbers up to there are exact wherever names are read as numbers.
const MOST_OFFSET: u64 = 1 << 53;

impl MachineOptions {
    /// Makes the options of a machine called `name` for which nothing else is given.
    pub fn with_name_only(name: &str, location: SourceLocation) -> Self {
        MachineOptions {
            location,
            name: name.to_string(),
            source: None,
            limit: None,
            exclude: None,
            names: None,
            broken: None,
        }
    }

    /// Reads the options of a machine that is called `default_name` unless they name it.
    pub fn parse(params: &Params, default_name: &str) -> Result<Self> {
        let name = params.optional_word("name")?;
        Ok(MachineOptions {
            location: params.location().clone(),
            name: name.unwrap_or_else(|| default_name.to_string()),
            source: params.optional_word("source")?,
            limit: LimitOption::parse(params)?,
            exclude: ExcludeOption::parse(params)?,
            names: NamesOption::parse(params)?,
            broken: BrokenOption::parse(params)?,
        })
    }

    /// Counts the node ids that are kept of `slots`. Fails if `limit` is 0 or above that.
    pub fn count_kept(&self, slots: u32) -> Result<u32> {
        let Some(limit) = &self.limit else {
            return Ok(slots);
        };
        match u32::try_from(limit.value) {
            Ok(kept) if (1..=slots).contains(&kept) => Ok(kept),
            _ => Err(limit.written.invalid_value(expected_limit(slots.into()))),
        }
    }
}

/// Describes the limits that a machine of `slots` node ids can have.
fn expected_limit(slots: u64) -> String {
    format!("a whole number from 1 to {slots}")
}

impl LimitOption {
    /// Reads the option `limit`; `None` if it is not given.
    fn parse(params: &Params) -> Result<Option<Self>> {
        if !params.has_key("limit") {
            return Ok(None);
        }
        let written = params.written_value("limit");
        // Zero passes here and is refused with the number of nodes, which is not known yet.
        match params.optional_integer("limit", 0, u64::MAX) {
            Ok(Some(value)) => Ok(Some(LimitOption { value, written })),
            _ => Err(written.invalid_value(expected_limit(MAX_NODES))),
        }
    }
}

impl ExcludeOption {
    /// Reads a TOML list of nodes and files, or inline `exclude=0-3+17+n[20-24]`; `None` if it is not given.
    fn parse(params: &Params) -> Result<Option<Self>> {
        let text = match params.located_value("exclude") {
            None => return Ok(None),
            Some((Value::Word(text), _)) => Some(text.clone()),
            Some(_) => None,
        };
        let mut parts = Vec::new();
        for (part, location) in params.list_elements("exclude")? {
            // In a TOML list a `+` may be part of a file's name.
            let words: Vec<&str> = match text {
                Some(_) => part.split('+').collect(),
                None => vec![&part],
            };
            parts.extend(words.into_iter().map(|word| ExcludedPart {
                text: word.trim().to_string(),
                path: params.resolve_path(word.trim()),
                location: location.clone(),
            }));
        }
        Ok(Some(ExcludeOption {
            parts,
            text,
            written: params.written_value("exclude"),
        }))
    }
}

impl NamesOption {
    /// Reads the option `names`; `None` if it is not given.
    fn parse(params: &Params) -> Result<Option<Self>> {
        let Some(text) = params.optional_word("names")? else {
            return Ok(None);
        };
        let is_table = text.ends_with(".csv") || text.ends_with(".csv.gz");
        let source = if text.contains('{') {
            parse_pattern(&text)
        } else if is_table {
            params.optional_path("names")?.map(NameSource::File)
        } else {
            None
        };
        let written = params.written_value("names");
        match source {
            Some(source) => Ok(Some(NamesOption { source, written })),
            None => Err(written.invalid_value(NAMES_FORMS)),
        }
    }
}

/// Reads a text with one field for the id, or with fields of ranges; `None` if it is of another form.
fn parse_pattern(text: &str) -> Option<NameSource> {
    let mut fields = Vec::new();
    let mut after = text;
    while let Some((before, rest)) = after.split_once('{') {
        let (field, rest) = rest.split_once('}')?;
        fields.push((before.to_string(), field.to_string()));
        after = rest;
    }
    if after.contains('}') || fields.iter().any(|(before, _)| before.contains('}')) {
        return None;
    }
    let after = after.to_string();
    // A field of ranges begins with a digit.
    if let [(before, field)] = fields.as_slice()
        && (field.is_empty() || field.starts_with([':', '+']))
    {
        let (width, offset) = parse_width_and_offset(field)?;
        return Some(NameSource::Pattern(NamePattern {
            before: before.clone(),
            width,
            offset,
            after,
        }));
    }
    Some(NameSource::Ranges { fields, after })
}

/// Reads width and offset of a field for the id: ``, `:05`, `:05+1000` or `+1000`; `None` if it is of another form.
fn parse_width_and_offset(field: &str) -> Option<(usize, u64)> {
    let (width, offset) = field.split_once('+').unwrap_or((field, "0"));
    let width = match width {
        "" => 0,
        width => width.strip_prefix(":0")?.parse().ok()?,
    };
    // `parse` would accept a second sign.
    if width > 20 || !offset.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let offset = offset.parse().ok()?;
    (offset <= MOST_OFFSET).then_some((width, offset))
}
