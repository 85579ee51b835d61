//! Files of Chakra: protobuf messages, each after its length, and the nodes that they are.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;

use nodeorder_base::{Error, Result, SourceLocation};
use nodeorder_network::Context;

/// Length of the longest message that is read, in bytes.
const MAX_MESSAGE: u64 = 64 << 20;

/// A file of messages, each after its length.
pub struct Trace {
    pub path: PathBuf,
    pub source: BufReader<File>,
    /// Number of bytes read so far.
    pub at: u64,
}

impl Trace {
    /// Opens the trace of a rank.
    pub fn open(path: PathBuf) -> Result<Self> {
        let file = File::open(&path).map_err(|e| Error::io(&path, "opening", e))?;
        Ok(Trace {
            path,
            source: BufReader::with_capacity(1 << 16, file),
            at: 0,
        })
    }

    /// Checks a value of a communication. Fails if it is not given or not from 0 up to below `most`.
    pub fn check_value(&self, value: Option<i64>, most: i64, what: &str) -> Result<u64> {
        match value {
            Some(value) if (0..most).contains(&value) => Ok(value as u64),
            _ => Err(self.error_here(
                format!("a communication without a good {what}"),
                format!("{what} from 0 to {}", most - 1),
            )),
        }
    }

    /// Builds an error at the bytes read last.
    pub fn error_here(&self, found: impl std::fmt::Display, expected: impl Into<String>) -> Error {
        Error::input(
            SourceLocation::file(&self.path),
            format!("before byte {}: {found}", self.at),
            expected,
        )
    }

    /// Reads the next message into `buffer`. Returns whether there is one.
    pub fn read_message(&mut self, buffer: &mut Vec<u8>, context: &Context) -> Result<bool> {
        let mut length = 0u64;
        let mut shift = 0;
        loop {
            let mut byte = [0];
            let read = self.source.read(&mut byte);
            match read.map_err(|e| Error::io(&self.path, "reading", e))? {
                // The end between two messages.
                0 if shift == 0 => return Ok(false),
                0 => return Err(self.error_here("the end within a length", "a whole message")),
                _ => self.at += 1,
            }
            length |= u64::from(byte[0] & 127) << shift;
            shift += 7;
            if byte[0] < 128 {
                break;
            }
            if shift > 28 {
                return Err(
                    self.error_here("a length of more than five bytes", "a message's length")
                );
            }
        }
        if length > MAX_MESSAGE.min(context.memory) {
            return Err(self.error_here(
                format!("a message of {length} bytes"),
                "a message of a trace",
            ));
        }
        buffer.clear();
        let read = (&mut self.source).take(length).read_to_end(buffer);
        let read = read.map_err(|e| Error::io(&self.path, "reading", e))? as u64;
        self.at += read;
        if read == length {
            Ok(true)
        } else {
            Err(self.error_here("the end within a message", "a whole message"))
        }
    }
}

/// Value of a message's field.
pub enum Field<'m> {
    /// A varint.
    Number(u64),
    /// Bytes after their length: a text or a message.
    Bytes(&'m [u8]),
    /// Four or eight bytes, which nothing here needs.
    Fixed,
}

/// Reads a number of seven bits a byte, lowest first, from the front of `rest`; `None` if it does not end.
pub fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 127) << shift;
        if *byte < 128 {
            return Some(value);
        }
    }
    None
}

/// Calls `visit` with the number and value of every field; `None` where the bytes are no message, or `visit` says so.
pub fn visit_fields<'m>(
    mut rest: &'m [u8],
    mut visit: impl FnMut(u64, Field<'m>) -> Option<()>,
) -> Option<()> {
    while !rest.is_empty() {
        let key = read_varint(&mut rest)?;
        let length = match key & 7 {
            0 => {
                visit(key >> 3, Field::Number(read_varint(&mut rest)?))?;
                continue;
            }
            1 => 8,
            2 => usize::try_from(read_varint(&mut rest)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let (bytes, after) = rest.split_at_checked(length)?;
        rest = after;
        let value = if key & 7 == 2 {
            Field::Bytes(bytes)
        } else {
            Field::Fixed
        };
        visit(key >> 3, value)?;
    }
    Some(())
}

/// Node of a trace, with the attributes of sends and collectives.
#[derive(Default)]
pub struct Node<'m> {
    /// Type of the node in `et_def.proto`.
    pub kind: u64,
    /// Bytes sent, `comm_size`.
    pub size: Option<i64>,
    /// Receiving rank, `comm_dst`.
    pub target: Option<i64>,
    /// Type of the collective, `comm_type`.
    pub collective: Option<i64>,
    /// Name of the group, `pg_name`; empty for all ranks.
    pub group: &'m str,
    /// Flags of the dimensions along which the collective goes, `involved_dim`; empty for all.
    pub involved: Vec<bool>,
    /// Whether the CPU does it, `is_cpu_op`.
    pub on_cpu: bool,
}

impl<'m> Node<'m> {
    /// Reads a message; where it is the `first`, the metadata, which have texts where nodes have numbers. `None`
    /// if it is neither.
    pub fn parse_message(message: &'m [u8], first: bool) -> Option<Self> {
        let mut node = Node::default();
        let mut attributes = Vec::new();
        visit_fields(message, |key, value| {
            match (key, value) {
                (1, Field::Bytes(_)) if first => {}
                (1, Field::Number(_)) if !first => {}
                (1, _) => return None,
                (3, Field::Number(kind)) if !first => node.kind = kind,
                (10, Field::Bytes(attribute)) => attributes.push(attribute),
                _ => {}
            }
            Some(())
        })?;
        // Most nodes are computations, whose attributes need not be read.
        if matches!(node.kind, 5 | 7) {
            for attribute in attributes {
                node.add_attribute(attribute)?;
            }
        }
        Some(node)
    }

    /// Reads an attribute, and keeps it if it counts. `None` if it is no message.
    pub fn add_attribute(&mut self, attribute: &'m [u8]) -> Option<()> {
        let mut name: &[u8] = &[];
        let mut text: &[u8] = &[];
        let mut flags: &[u8] = &[];
        let mut number = None;
        let mut is_set = false;
        visit_fields(attribute, |key, value| {
            match (key, value) {
                (1, Field::Bytes(bytes)) => name = bytes,
                (29, Field::Bytes(bytes)) => text = bytes,
                (27, Field::Number(value)) => is_set = value != 0,
                (28, Field::Bytes(list)) => flags = list,
                (7 | 9 | 11 | 13, Field::Number(value)) => number = Some(value as i64),
                // Zigzag: 0, -1, 1, -2, …
                (15 | 17, Field::Number(value)) => {
                    number = Some((value >> 1) as i64 ^ -((value & 1) as i64));
                }
                _ => {}
            }
            Some(())
        })?;
        match name {
            b"comm_size" => self.size = number,
            b"comm_dst" => self.target = number,
            b"comm_type" => self.collective = number,
            b"is_cpu_op" => self.on_cpu = is_set,
            b"involved_dim" => self.involved = parse_flags(flags)?,
            b"pg_name" => self.group = std::str::from_utf8(text).ok()?,
            _ => {}
        }
        Some(())
    }
}

/// Reads a list of flags, packed into one field or each in its own. `None` if it is no message.
pub fn parse_flags(list: &[u8]) -> Option<Vec<bool>> {
    let mut flags = Vec::new();
    visit_fields(list, |key, value| {
        match (key, value) {
            (1, Field::Number(flag)) => flags.push(flag != 0),
            (1, Field::Bytes(mut packed)) => {
                while !packed.is_empty() {
                    flags.push(read_varint(&mut packed)? != 0);
                }
            }
            _ => {}
        }
        Some(())
    })?;
    Some(flags)
}
