//! JSON and YAML as a tree of values that keep their lines.

use std::sync::Arc;

use saphyr_parser::{Event, Parser};

use nodeorder_base::error::{Error, Result, SourceLocation};
use nodeorder_base::input::Text;

/// A value and the line it begins on.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The file it stands in.
    file: Arc<str>,
    pub line: usize,
    pub value: Value,
}

/// Kind and content of a value.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A text, number, boolean or null, as written.
    Scalar(String),
    List(Vec<Node>),
    /// In the order of the document.
    Map(Vec<(String, Node)>),
}

/// Values within values at most.
const DEEPEST: usize = 100;

impl Node {
    /// The value of a key, the last where it is there more than once.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .rev()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The value under one key after another.
    pub fn path(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a map; none of anything else.
    pub fn entries(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of a list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// A text or number.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// An error about this value.
    pub fn wrong(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        let location = SourceLocation::Line {
            file: self.file.clone(),
            line: self.line,
        };
        Error::input(location, found, expected)
    }

    /// Description for a message, such as `a list of 3`.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Scalar(text) => format!("`{text}`"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Map(entries) => format!("a map of {} keys", entries.len()),
        }
    }

    /// The value under `key`. Errors: there is no such key, `what` being expected.
    pub fn need(&self, key: &str, what: &str) -> Result<&Node> {
        self.get(key).ok_or_else(|| {
            let found = format!("{} without `{key}`", self.describe());
            self.wrong(found, format!("`{key}`, {what}"))
        })
    }

    /// A list under a key. Errors: with the line: no such key; something else.
    pub fn list(&self, key: &str) -> Result<&[Node]> {
        let at = self.need(key, "a list")?;
        let wrong = || at.wrong(format!("{key}: {}", at.describe()), "a list");
        at.items().ok_or_else(wrong)
    }

    /// A text that is not empty under a key. Errors: with the line: no such key; something else.
    pub fn word(&self, key: &str) -> Result<&str> {
        let at = self.need(key, "a text")?;
        let wrong = || at.wrong(format!("{key}: {}", at.describe()), "a text");
        at.text().filter(|text| !text.is_empty()).ok_or_else(wrong)
    }
}

/// Reads the only document of a YAML text, without anchors and aliases. JSON is YAML, too, but for characters beyond
/// 16 bits written as two `\\u` escapes. Errors: with the line: neither JSON nor YAML; an alias; several documents or
/// none; keys that are no texts; values more than 100 deep.
pub(super) fn read(text: &Text) -> Result<Node> {
    let wrong = |line: usize, found: String, expected: &str| {
        Error::input(
            SourceLocation::line(text.name(), line.max(1)),
            found,
            expected,
        )
    };
    // Lists and maps that are open, each with the key that waits for its value.
    let mut open: Vec<(Node, Option<String>)> = Vec::new();
    let mut document: Option<Node> = None;
    let file: Arc<str> = text.name().into();
    for event in Parser::new_from_str(text.as_str()) {
        let (event, span) =
            event.map_err(|e| wrong(e.marker().line(), e.info().to_string(), "JSON or YAML"))?;
        let line = span.start.line();
        let done = match event {
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEEPEST {
                    return Err(wrong(
                        line,
                        format!("values more than {DEEPEST} deep"),
                        "fewer",
                    ));
                }
                let list = matches!(event, Event::SequenceStart(..));
                let value = if list {
                    Value::List(Vec::new())
                } else {
                    Value::Map(Vec::new())
                };
                open.push((
                    Node {
                        file: file.clone(),
                        line,
                        value,
                    },
                    None,
                ));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|(node, _)| node),
            Event::Scalar(value, ..) => Some(Node {
                file: file.clone(),
                line,
                value: Value::Scalar(value.into_owned()),
            }),
            Event::Alias(_) => {
                return Err(wrong(line, "an alias".into(), "each value written out"));
            }
            _ => None,
        };
        let Some(node) = done else { continue };
        match open.last_mut() {
            None if document.is_some() => {
                return Err(wrong(line, "a second document".into(), "one"));
            }
            None => document = Some(node),
            Some((
                Node {
                    value: Value::List(items),
                    ..
                },
                _,
            )) => items.push(node),
            Some((
                Node {
                    value: Value::Map(entries),
                    ..
                },
                key,
            )) => match (key.take(), node.value) {
                (Some(key), value) => entries.push((key, Node { value, ..node })),
                (None, Value::Scalar(name)) => *key = Some(name),
                (None, _) => return Err(wrong(line, "a key that is no text".into(), "a text")),
            },
            Some(_) => {}
        }
    }
    document.ok_or_else(|| wrong(1, "an empty file".into(), "a JSON or YAML document"))
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
        let json = read(&text).unwrap();
        assert_eq!(
            shown(&json),
            "{a\n\u{e9}\"=[1@2 -2.5e3@3 true@3 null@3]@2 b={}@3 c=[]@4}@1"
        );
        let tabs = Text::new("f", "{\n\t\"a\": [\n\t\t1,\n\t\t\"\\/x\\\\\"\n\t]\n}\n");
        assert_eq!(shown(&read(&tabs).unwrap()), "{a=[1@3 /x\\@4]@2}@1");
        let text = Text::new(
            "f",
            "%YAML 1.1\n---\n- a: 1\n  b: [x, \"y z\"] # c\n- c: {}\n  d:\n...\n",
        );
        assert_eq!(
            shown(&read(&text).unwrap()),
            "[{a=1@3 b=[x@4 y z@4]@4}@3 {c={}@5 d=@6}@5]@3"
        );
    }

    #[test]
    fn faults_have_a_line() {
        let of = |text: &str| read(&Text::new("f", text)).unwrap_err().to_string();
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
