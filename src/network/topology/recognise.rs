//! Which reader a file is for, by what stands in it.
//!
//! ```text
//! SwitchName=leaf1 Nodes=n[1-8]      slurm-topology
//! {"items": [{"metadata": …          k8s-nodes
//! u,v,capacity                       graph
//! n1,s1                              graph or tiers: the user says which
//! ```

use std::path::Path;

use super::families::{edge_list, matrix};
use super::import::{ns3, slurm, target, tiers};
use nodeorder_base::{Error, Result, Text};

/// A reader and the signs of its files.
struct FileSign {
    kind: &'static str,
    /// Text that a file begins with, blanks apart.
    start: &'static str,
    /// Texts that stand somewhere in it, all of them.
    marks: &'static [&'static str],
}

impl FileSign {
    const fn new(kind: &'static str, start: &'static str, marks: &'static [&'static str]) -> Self {
        FileSign { kind, start, marks }
    }

    fn matches_text(&self, text: &str) -> bool {
        text.starts_with(self.start) && self.marks.iter().all(|mark| text.contains(mark))
    }
}

/// Readers of files that contain words which no other reader's files contain.
const SIGNS: [FileSign; 11] = [
    FileSign::new("graphml", "<", &["<graphml"]),
    FileSign::new("simgrid", "<", &["<platform"]),
    FileSign::new("k8s-nodes", "{", &["\"items\"", "\"metadata\""]),
    FileSign::new("topograph", "{", &["\"instances\"", "\"network_layers\""]),
    FileSign::new("jgf", "{", &["\"graph\"", "\"containment\""]),
    FileSign::new(
        "infragraph",
        "",
        &["devices", "instances", "edges", "choice"],
    ),
    FileSign::new("xtdb2proc", "", &["processor_id=", "x_coord="]),
    FileSign::new("ibnetdiscover", "", &["Switch", "\"S-"]),
    FileSign::new("iblinkinfo", "", &["==(", ")==>"]),
    FileSign::new("iblinkinfo", "", &["SW ", " 0x", " ( '", "' - '"]),
    FileSign::new("caminos", "NODOS", &["GRADO"]),
];

/// Reader by name, and the check whether a text is for it.
type NamedCheck = (&'static str, fn(&Text) -> bool);

/// Readers whose files have a form of their own.
const FORMS: [NamedCheck; 6] = [
    ("slurm-topology", slurm::recognises),
    ("ns3", ns3::recognises),
    ("tgt", target::recognises),
    ("matrix", matrix::recognises),
    ("graph", edge_list::has_header),
    ("tiers", tiers::has_header),
];

/// Readers of tables. Two of them may accept the same table.
const TABLES: [NamedCheck; 2] = [
    ("graph", edge_list::recognises),
    ("tiers", tiers::recognises),
];

/// Finds the reader of the file at `path`; `None` if it is TOML. O(length of the text).
///
/// # Errors
/// No reader knows the file, or two do.
pub fn find_reader(text: &Text, path: &Path) -> Result<Option<&'static str>> {
    let keys = text.lines().filter_map(|line| line.text.split_once('='));
    // A broken description is reported as one.
    if path.extension().is_some_and(|end| end == "toml")
        || keys.map(|(key, _)| key.trim()).any(|key| key == "kind")
    {
        return Ok(None);
    }
    let signs = SIGNS
        .iter()
        .filter(|sign| sign.matches_text(text.as_str().trim_start()));
    let forms = FORMS.iter().filter(|(_, fits)| fits(text));
    let mut certain = signs
        .map(|sign| sign.kind)
        .chain(forms.map(|(kind, _)| *kind));
    if let Some(kind) = certain.next() {
        return Ok(Some(kind));
    }
    let tables = TABLES.iter().filter(|(_, fits)| fits(text));
    let file = path.display();
    match tables.collect::<Vec<_>>()[..] {
        [(kind, _)] => Ok(Some(kind)),
        [] => Err(Error::input(
            text.location(),
            "no machine that a reader knows",
            format!(
                "TOML with `kind = …`, a file of Slurm, Kubernetes or InfiniBand, or links u,v; `graph:{file}` and the like name a reader"
            ),
        )),
        [..] => Err(Error::input(
            text.location(),
            "a table that may be links, or hosts and their switches",
            TABLES
                .map(|(kind, _)| format!("`{kind}:{file}`"))
                .join(" or "),
        )),
    }
}
