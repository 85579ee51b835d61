//! The public names of the library, read from its source: what stands in public modules, and what these re-export.

use std::collections::{BTreeMap, BTreeSet};

/// A module's path below the crate's root.
type Path = Vec<String>;

/// The items and re-exports of one module.
#[derive(Default)]
struct Module {
    /// Kinds of the items of a name: `struct`, `fn`, …; public ones, and those that only the crate sees.
    items: BTreeMap<String, BTreeSet<&'static str>>,
    /// Names of the items and modules that are public.
    public: BTreeSet<String>,
    /// `use` declarations: whether public, the path as written, and the name it brings in (`*` for all).
    uses: Vec<(bool, Path, String)>,
}

/// All modules of the library.
#[derive(Default)]
pub struct Library {
    modules: BTreeMap<Path, Module>,
}

/// Words and marks of a Rust source, without comments; a literal is one mark `"`.
fn tokens(text: &str) -> Vec<&str> {
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::new(), 0);
    let find = |from: usize, end: &str| {
        text[from..]
            .find(end)
            .map_or(text.len(), |i| from + i + end.len())
    };
    while at < bytes.len() {
        let rest = &text[at..];
        let raw = rest.trim_start_matches('b').strip_prefix('r');
        let hashes = raw.map_or(0, |raw| raw.bytes().take_while(|b| *b == b'#').count());
        if rest.starts_with("//") {
            at = find(at, "\n");
        } else if rest.starts_with("/*") {
            at = find(at, "*/");
        } else if raw.is_some_and(|raw| raw[hashes..].starts_with('"')) {
            let quote = find(at, "\"");
            at = find(quote, &format!("\"{}", "#".repeat(hashes)));
            out.push("\"");
        } else if bytes[at] == b'"' {
            at += 1;
            while bytes[at] != b'"' {
                at += 1 + usize::from(bytes[at] == b'\\');
            }
            at += 1;
            out.push("\"");
        } else if bytes[at] == b'\'' {
            // A character ends in a quote; a lifetime does not.
            let mut after = rest[1..].chars();
            let escaped = after.next() == Some('\\');
            if escaped || after.next() == Some('\'') {
                at = find(at + 1 + 2 * usize::from(escaped), "'");
                out.push("\"");
            } else {
                at += 1;
            }
        } else {
            let first = rest.chars().next().unwrap();
            let word = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            let length = if word > 0 { word } else { first.len_utf8() };
            if !first.is_whitespace() {
                out.push(&rest[..length]);
            }
            at += length;
        }
    }
    out
}

/// The index after the group that opens at `at`.
fn after_group(tokens: &[&str], mut at: usize) -> usize {
    let mut depth = 0;
    loop {
        match tokens[at] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
}

/// The index after the item that goes on at `at`: after its `;`, or its braces where `braced`.
fn after_item(tokens: &[&str], mut at: usize, braced: bool) -> usize {
    while at < tokens.len() {
        match tokens[at] {
            ";" => return at + 1,
            "{" if braced => return after_group(tokens, at),
            "(" | "[" | "{" => at = after_group(tokens, at),
            _ => at += 1,
        }
    }
    at
}

/// The kind of an item that begins with these words, and where its name stands.
fn kind(tokens: &[&str]) -> Option<(&'static str, usize)> {
    const KINDS: [&str; 9] = [
        "fn", "struct", "enum", "trait", "type", "static", "const", "union", "mod",
    ];
    for (at, word) in tokens.iter().take(5).enumerate() {
        match *word {
            // `const fn` is a function.
            "const" if ["fn", "unsafe", "extern"].contains(&tokens[at + 1]) => {}
            "unsafe" | "async" | "extern" | "\"" => {}
            _ => {
                return KINDS
                    .iter()
                    .find(|kind| *kind == word)
                    .map(|kind| (*kind, at + 1));
            }
        }
    }
    None
}

/// The paths of a use tree from `at`, each with the name that it brings in; the index after the tree.
fn use_tree(tokens: &[&str], mut at: usize, prefix: &Path, out: &mut Vec<(Path, String)>) -> usize {
    let mut path = prefix.clone();
    loop {
        match tokens[at] {
            "{" => {
                at += 1;
                while tokens[at] != "}" {
                    at = use_tree(tokens, at, &path, out);
                    at += usize::from(tokens[at] == ",");
                }
                return at + 1;
            }
            "*" => {
                out.push((path, "*".into()));
                return at + 1;
            }
            ":" => at += 1,
            "as" => {
                out.push((path, tokens[at + 1].into()));
                return at + 2;
            }
            "," | ";" | "}" => {
                out.push((path.clone(), path.last().cloned().unwrap_or_default()));
                return at;
            }
            "self" if !path.is_empty() => at += 1,
            word => {
                path.push(word.into());
                at += 1;
            }
        }
    }
}

impl Library {
    /// Reads a source file of the module at `path`.
    pub fn read(&mut self, path: &[String], text: &str) {
        self.module(path.to_vec(), &tokens(text));
    }

    fn module(&mut self, path: Path, tokens: &[&str]) {
        let mut found = Module::default();
        let (mut at, mut tests) = (0, false);
        while at < tokens.len() {
            if tokens[at] == "#" {
                let end = after_group(tokens, at + 1 + usize::from(tokens[at + 1] == "!"));
                let words = &tokens[at..end];
                tests |= words.contains(&"cfg")
                    && (words.contains(&"test") || words.contains(&"doctest"));
                at = end;
                continue;
            }
            let skipped = std::mem::take(&mut tests);
            let restricted = tokens[at] == "pub" && tokens.get(at + 1) == Some(&"(");
            let public = tokens[at] == "pub" && !restricted;
            if restricted {
                at = after_group(tokens, at + 1);
            } else if public {
                at += 1;
            }
            if tokens[at] == "use" {
                let mut uses = Vec::new();
                at = use_tree(tokens, at + 1, &Path::new(), &mut uses) + 1;
                if !skipped {
                    found
                        .uses
                        .extend(uses.into_iter().map(|(path, name)| (public, path, name)));
                }
            } else if let Some((kind, name)) = kind(&tokens[at..]) {
                let name = tokens[at + name];
                let end = after_item(tokens, at, !["type", "static", "const"].contains(&kind));
                let inline = tokens[at..end]
                    .iter()
                    .position(|t| *t == "{")
                    .filter(|_| kind == "mod");
                if !skipped {
                    found.items.entry(name.into()).or_default().insert(kind);
                    if public {
                        found.public.insert(name.into());
                    }
                    if let Some(body) = inline {
                        let path = [&path[..], &[name.to_string()]].concat();
                        self.module(path, &tokens[at + body + 1..end - 1]);
                    }
                }
                at = end;
            } else {
                // An `impl`, or a macro: what this makes is taken from its text.
                let is_macro = tokens.get(at + 1) == Some(&"!");
                let end = after_item(tokens, at, true);
                if is_macro && !skipped {
                    made_by_macro(&tokens[at..end], &mut found);
                }
                at = end;
            }
        }
        self.modules.insert(path, found);
    }

    /// The module that `path`, as written in `module`, names, or the kinds of item that it leads to.
    fn resolve(&self, module: &Path, path: &[String]) -> (Option<Path>, BTreeSet<&'static str>) {
        let (mut at, mut rest) = match path[0].as_str() {
            "crate" => (Path::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            _ => (module.clone(), path),
        };
        while rest.first().is_some_and(|word| word == "super") {
            at.pop();
            rest = &rest[1..];
        }
        while let Some((name, further)) = rest.split_first() {
            let deeper = [&at[..], std::slice::from_ref(name)].concat();
            let is_module = self.modules.contains_key(&deeper);
            let mut kinds = self.modules[&at]
                .items
                .get(name)
                .cloned()
                .unwrap_or_default();
            if !self.modules[&at].public.contains(name) {
                // Not what a `pub use` of this name can mean.
                kinds.remove("mod");
            }
            let brought = self.modules[&at]
                .uses
                .iter()
                .filter(|(_, _, as_name)| as_name == name);
            let mut module_of_use = None;
            for (_, path, _) in brought {
                // A crate's name that stands for itself, and a module on the way to what it holds.
                if path[0] == *name && !is_module || is_module && !further.is_empty() {
                    continue;
                }
                let (module, more) = self.resolve(&at, path);
                module_of_use = module_of_use.or(module);
                kinds.extend(more);
            }
            let next = if is_module {
                Some(deeper)
            } else {
                module_of_use
            };
            match next {
                Some(next) if !further.is_empty() => (at, rest) = (next, further),
                next => return (next, kinds),
            }
        }
        (Some(at), BTreeSet::new())
    }

    /// `path kind` of every name that another crate can use, sorted.
    pub fn public_names(&self, name: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.collect(&Path::new(), name, &mut names);
        names
    }

    fn collect(&self, module: &Path, shown: &str, names: &mut BTreeSet<String>) {
        assert!(
            shown.len() < 200,
            "{shown}: a module that re-exports itself"
        );
        let found = &self.modules[module];
        for name in &found.public {
            self.add(module, name, &found.items[name], shown, names);
        }
        for (_, path, name) in found.uses.iter().filter(|(public, ..)| *public) {
            let (target, kinds) = self.resolve(module, path);
            if name == "*" {
                let target =
                    target.unwrap_or_else(|| panic!("{shown}: no module {}", path.join("::")));
                self.collect(&target, shown, names);
                continue;
            }
            let kinds = if kinds.is_empty() && target.is_none() {
                ["use"].into()
            } else {
                kinds
            };
            for kind in kinds.iter().filter(|kind| **kind != "mod") {
                names.insert(format!("{shown}::{name} {kind}"));
            }
            if let Some(target) = target.filter(|_| kinds.contains("mod")) {
                names.insert(format!("{shown}::{name} mod"));
                self.collect(&target, &format!("{shown}::{name}"), names);
            }
        }
    }

    fn add(
        &self,
        module: &Path,
        name: &str,
        kinds: &BTreeSet<&str>,
        shown: &str,
        names: &mut BTreeSet<String>,
    ) {
        for kind in kinds {
            names.insert(format!("{shown}::{name} {kind}"));
            if *kind == "mod" {
                let deeper = [&module[..], &[name.to_string()]].concat();
                self.collect(&deeper, &format!("{shown}::{name}"), names);
            }
        }
    }
}

/// Public items in the text of a macro or of its use. Constants are left out: there they are those of an `impl`.
fn made_by_macro(tokens: &[&str], found: &mut Module) {
    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, word)| **word == "pub")
    {
        let Some((kind, name)) = kind(&tokens[at + 1..]).filter(|(kind, _)| *kind != "const")
        else {
            continue;
        };
        let name = tokens[at + 1 + name];
        // `$name` is what each use of the macro gives.
        if name != "$" {
            found.items.entry(name.into()).or_default().insert(kind);
            found.public.insert(name.into());
        }
    }
}

#[test]
fn names_are_found_through_private_modules_and_re_exports() {
    let mut library = Library::default();
    for (path, text) in [
        (
            "",
            "//! A crate.\n\
             pub mod a;\n\
             mod hidden;\n\
             pub(crate) mod inner;\n\
             pub use hidden::{Shown, same, deep::d as e};",
        ),
        (
            "a",
            "pub use crate::inner::*;\n\
             use super::hidden;\n\
             pub use hidden::deep;\n\
             pub use std::fmt::Write;\n\
             pub mod b { pub const X: [u8; 2] = [1; 2]; fn y() {} }",
        ),
        (
            "hidden",
            "pub mod deep;\n\
             mod same;\n\
             pub use same::same;\n\
             /// pub struct No;\n\
             pub struct Shown<'a> { pub field: &'a str }\n\
             struct Unseen; impl Unseen { pub fn method() {} }",
        ),
        (
            "hidden/deep",
            "pub const fn d(c: char) -> bool { c == '{' }\n\
             pub(crate) fn not() {}\n\
             #[cfg(test)]\n\
             mod tests { pub fn t() {} }\n\
             pub trait T { fn f(); }",
        ),
        ("hidden/same", "pub fn same() {}"),
        (
            "inner",
            "pub static S: &str = r#\"pub fn no() {\"#;\n\
             pub enum E { A }\n\
             row! { /// One.\n\
             pub struct R { pub x: u8, } pub const ALL: }\n\
             macro_rules! m { ($x:ident) => { pub enum M { $x } pub fn $x() {} } }",
        ),
    ] {
        let path: Path = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(String::from)
            .collect();
        library.read(&path, text);
    }
    let names: Vec<String> = library.public_names("c").into_iter().collect();
    assert_eq!(
        names,
        [
            "c::Shown struct",
            "c::a mod",
            "c::a::E enum",
            "c::a::M enum",
            "c::a::R struct",
            "c::a::S static",
            "c::a::Write use",
            "c::a::b mod",
            "c::a::b::X const",
            "c::a::deep mod",
            "c::a::deep::T trait",
            "c::a::deep::d fn",
            "c::e fn",
            "c::same fn",
        ]
    );
}
