//! JSON and YAML as a tree of values that keep their lines, for messages that say where a fault stands.

use std::str::FromStr;
use std::sync::Arc;

use saphyr_parser::{Event, Parser};

use nodeorder_base::{Error, Result, SourceLocation, Text};

/// A value and the line it begins on.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Name of the file that the value stands in.
    file: Arc<str>,
    /// Line that the value begins on, from 1.
    pub line: usize,
    pub value: Value,
}

/// Kind and content of a value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A text, number, boolean or null, as written.
    Scalar(String),
    List(Vec<Node>),
    /// Keys and values in the order of the document.
    Map(Vec<(String, Node)>),
}

/// Largest depth to which lists and maps may be nested: hostile files must not exhaust the stack.
const MAX_DEPTH: usize = 100;

impl Node {
    /// Finds the value of a key, the last one if it comes more than once.
    pub fn find_key(&self, key: &str) -> Option<&Node> {
        let mut entries = self.entries().iter().rev();
        let (_, value) = entries.find(|(name, _)| name == key)?;
        Some(value)
    }

    /// Finds the value under nested `keys`, the outermost first.
    pub fn find_path(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().try_fold(self, |node, key| node.find_key(key))
    }

    /// Finds the text or number under nested `keys`, the outermost first; `None` if there is none.
    pub fn text_at(&self, keys: &[&str]) -> Option<&str> {
        self.find_path(keys)?.as_text()
    }

    /// Returns the entries of a map; an empty list for anything that is no map.
    pub fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the elements of a list; `None` for anything that is no list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns a text or number as written; `None` for a list or map.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// Reads a text as a number; `None` if it is none.
    pub fn parse_text<T: FromStr>(&self) -> Option<T> {
        self.as_text()?.parse().ok()
    }

    /// Builds an error about this value.
    pub fn error_here(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let location = SourceLocation::Line {
            file: self.file.clone(),
            line: self.line,
        };
        Error::input(location, found, expected)
    }

    /// Describes the value for a message, as `a list of 3`.
    pub fn describe(&self) -> String {
        match &self.value {
            // More of it would hide what is expected.
            Value::Scalar(text) => format!("`{text:.60}`"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Map(entries) => format!("a map of {} keys", entries.len()),
        }
    }

    /// Looks up the value under `key`. Fails if there is no such key, `what` being expected.
    pub fn require_key(&self, key: &str, what: &str) -> Result<&Node> {
        let Some(value) = self.find_key(key) else {
            let found = format!("{} without `{key}`", self.describe());
            return Err(self.error_here(found, format!("`{key}`, {what}")));
        };
        Ok(value)
    }

    /// Builds the error about the value of `key`, if something else was expected.
    pub fn wrong_value(&self, key: &str, expected: &str) -> Error {
        self.error_here(format!("{key}: {}", self.describe()), expected)
    }

    /// Looks up the list under a key. Fails, with the line, if there is no such key or something else.
    pub fn require_list(&self, key: &str) -> Result<&[Node]> {
        let value = self.require_key(key, "a list")?;
        let items = value.items();
        items.ok_or_else(|| value.wrong_value(key, "a list"))
    }

    /// Looks up the list under a key; nothing if there is no such key or something else.
    pub fn items_of(&self, key: &str) -> &[Node] {
        self.find_key(key).and_then(Node::items).unwrap_or_default()
    }

    /// Looks up the text under a key. Fails, with the line, if there is no such key, an empty text or something else.
    pub fn require_text(&self, key: &str) -> Result<&str> {
        let value = self.require_key(key, "a text")?;
        let text = value.as_text().filter(|text| !text.is_empty());
        text.ok_or_else(|| value.wrong_value(key, "a text"))
    }
}

/// Reads the only document of a YAML text, without anchors and aliases. JSON is YAML, too, but for characters beyond
/// 16 bits written as two `\\u` escapes. Fails, with the line, if it is neither JSON nor YAML, an alias, several
/// documents or none, or has keys that are no texts or values more than 100 deep.
pub(super) fn read_document(text: &Text) -> Result<Node> {
    // Lists and maps that are open, each with the key that waits for its value.
    let mut open: Vec<(Node, Option<String>)> = Vec::new();
    let mut document: Option<Node> = None;
    let file: Arc<str> = text.name().into();
    for event in Parser::new_from_str(text.as_str()) {
        let (event, span) = event.map_err(|e| {
            let line = e.marker().line().max(1);
            text.error_at(line, e.info().to_string(), "JSON or YAML")
        })?;
        let mut node = Node {
            file: file.clone(),
            line: span.start.line(),
            value: Value::Scalar(String::new()),
        };
        let line = text.line_at(node.line.max(1), "");
        let is_opened = matches!(event, Event::SequenceStart(..) | Event::MappingStart(..));
        match event {
            Event::SequenceStart(..) => node.value = Value::List(Vec::new()),
            Event::MappingStart(..) => node.value = Value::Map(Vec::new()),
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some((closed, _)) => node = closed,
                None => continue,
            },
            Event::Scalar(value, ..) => node.value = Value::Scalar(value.into_owned()),
            // Aliases of aliases make a small file a huge document.
            Event::Alias(_) => return Err(line.error_here("an alias", "each value written out")),
            _ => continue,
        }
        if is_opened {
            if open.len() >= MAX_DEPTH {
                return Err(line.error_here(format!("values more than {MAX_DEPTH} deep"), "fewer"));
            }
            open.push((node, None));
            continue;
        }
        let Some((parent, key)) = open.last_mut() else {
            if document.is_some() {
                return Err(line.error_here("a second document", "one"));
            }
            document = Some(node);
            continue;
        };
        match (&mut parent.value, key.take(), node.value) {
            (Value::List(items), _, value) => items.push(Node { value, ..node }),
            (Value::Map(entries), Some(key), value) => entries.push((key, Node { value, ..node })),
            // The first of two values in a map is a key.
            (Value::Map(_), None, Value::Scalar(name)) => *key = Some(name),
            _ => return Err(line.error_here("a key that is no text", "a text")),
        }
    }
    document.ok_or_else(|| text.error_at(1, "an empty file", "a JSON or YAML document"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document with the line of every value.
    fn shown(node: &Node) -> String {
        let value = match &node.value {
            Value::Scalar(text) => text.clone(),
            Value::List(items) => {
                format!(
                    "[{}]",
                    items.iter().map(shown).collect::<Vec<_>>().join(" ")
                )
            }
            Value::Map(entries) => {
                let entries = entries.iter().map(|(k, v)| format!("{k}={}", shown(v)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(" "))
            }
        };
        format!("{value}@{}", node.line)
    }

    #[test]
    fn values_keep_their_lines() {
        let text = Text::new(
            "f",
            "{\n \"a\\n\\u00e9\\\"\": [1,\n -2.5e3, true, null], \"b\": {},\n\"c\":[]}",
        );
        let json = read_document(&text).unwrap();
        assert_eq!(
            shown(&json),
            "{a\n\u{e9}\"=[1@2 -2.5e3@3 true@3 null@3]@2 b={}@3 c=[]@4}@1"
        );
        let tabs = Text::new("f", "{\n\t\"a\": [\n\t\t1,\n\t\t\"\\/x\\\\\"\n\t]\n}\n");
        assert_eq!(
            shown(&read_document(&tabs).unwrap()),
            "{a=[1@3 /x\\@4]@2}@1"
        );
        let text = Text::new(
            "f",
            "%YAML 1.1\n---\n- a: 1\n  b: [x, \"y z\"] # c\n- c: {}\n  d:\n...\n",
        );
        assert_eq!(
            shown(&read_document(&text).unwrap()),
            "[{a=1@3 b=[x@4 y z@4]@4}@3 {c={}@5 d=@6}@5]@3"
        );
    }

    #[test]
    fn faults_have_a_line() {
        let of = |text: &str| {
            read_document(&Text::new("f", text))
                .unwrap_err()
                .to_string()
        };
        assert!(of("").starts_with("f:1: found an empty file"));
        assert!(of("- a: [1\n").starts_with("f:"));
        assert!(of("{\n\"a\": [1}").starts_with("f:2: found "));
        assert!(
            of("- &x 1\n- *x\n").starts_with("f:2: found an alias"),
            "{}",
            of("- &x 1\n- *x\n")
        );
        assert!(of("a: 1\n---\nb: 2\n").contains("found a second document"));
        assert!(of("? [a]\n: b\n").contains("a key that is no text"));
        assert!(of(&"[".repeat(200)).contains("values more than 100 deep"));
    }
}
