//! Chakra execution traces of MLCommons: what ranks send, and their collectives as messages.
//!
//! A trace is a file of protobuf messages, each after its length: the metadata, then nodes. A node has attributes
//! with a name and a value each; of sends and collectives a few of these count, all else is skipped.
//!
//! Members of a collective: those of its `pg_name`; else by `involved_dim`, a flag for each dimension of the logical
//! shape of ASTRA-sim (`Workload.cc`, `issue_coll_comm`; all dimensions where there is none), the ranks that differ
//! along these dimensions alone, dimension 0 fastest. Only `dims=` says the shape. Collectives on the CPU (`is_cpu_op`)
//! that have no `comm_type` launch the kernels that have it, and are left out and counted: so does Chakra's converter
//! of PyTorch traces write them (`pytorch_converter.py`), and sends without `comm_dst`, which nobody can place.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::chakra_trace::{Node, Trace};
use super::{BuildGuest, Guest, GuestEntry, MAX_PROCESSES, Message, Pattern};
use nodeorder_base::{Error, Opt, Params, Result, SourceLocation};
use nodeorder_network::Context;

/// `chakra:PREFIX`.
pub const GUEST: GuestEntry = GuestEntry {
    name: "chakra",
    about: "Chakra execution traces, a file PREFIX.N.et a rank: sends, and collectives spread over their group",
    example: "chakra:run/trace",
    options: &[
        Opt::file("prefix", "the files without .N.et").positional(),
        Opt::extents(
            "dims",
            "logical shape, where collectives go along some dimensions",
        )
        .default_in_words("none"),
    ],
    parse: Pattern::new(parse),
};

/// Options of `chakra`.
struct ChakraFiles {
    /// Path of the files without `.N.et`.
    prefix: PathBuf,
    /// Ranks along each dimension of the logical shape, the first fastest; empty where it is not given.
    dims: Vec<u32>,
    /// The option `dims`.
    location: SourceLocation,
}

/// Reads the options of `chakra`.
fn parse(params: &Params) -> Result<Box<dyn BuildGuest>> {
    match params.optional_path("prefix")? {
        Some(prefix) => Ok(Box::new(ChakraFiles {
            prefix,
            dims: params.optional_extents("dims")?.unwrap_or_default(),
            location: params.location_of("dims"),
        })),
        None => Err(params.invalid_value("prefix", "as in chakra:run/trace")),
    }
}

/// Bytes of the collectives of a member, by their type in `et_def.proto`.
type Collectives = [u64; 10];

impl BuildGuest for ChakraFiles {
    /// Reads every file as a stream. A send counts `comm_size` bytes to `comm_dst`. The members of a group are
    /// the ranks whose traces have a collective of its `pg_name`; a collective without one is of all ranks. What
    /// each sends of its own `comm_size` S among n, the lowest rank being the root:
    ///
    /// - to the next in a ring: all-reduce 2(n-1)/n·S, all-gather (n-1)·S (S is a member's part), reduce-scatter
    ///   (n-1)/n·S, reduce S on the way to the root, broadcast S on the way from it;
    /// - directly: all-to-all S/n to each, gather S to the root, scatter S/n from it. A barrier sends nothing.
    ///
    /// # Errors
    /// With the file: a rank's file missing; bytes that are no messages; a file without metadata first; a
    /// communication without size, type or receiver.
    ///
    /// # Complexity
    /// O(length) time; memory for the longest message, the pairs of ranks and the groups.
    ///
    /// # References
    /// MLCommons Chakra, `et_def.proto`; sizes as ASTRA-sim's ring takes them.
    fn build(&self, label: &str, context: &Context) -> Result<Guest> {
        let prefix = &self.prefix;
        let ranks = count_ranks(prefix)?;
        let extents = self.dims.iter().map(|n| u64::from(*n));
        let shape = extents.fold(1u64, |all, n| all.saturating_mul(n));
        if !self.dims.is_empty() && shape != u64::from(ranks) {
            return Err(Error::input(
                self.location.clone(),
                format!("a shape of {shape} ranks"),
                format!("one of {ranks}, as there are traces"),
            ));
        }
        let mut sent = SentBytes {
            dims: self.dims.clone(),
            ..SentBytes::default()
        };
        let mut buffer = Vec::new();
        for rank in 0..ranks {
            let path = format!("{}.{rank}.et", prefix.display());
            sent.add_trace(Trace::open(path.into())?, rank, ranks, &mut buffer, context)?;
            context.require_memory(
                "the messages of the traces",
                128 * sent.count_pairs() as u64,
            )?;
        }
        let mut messages = Message::list_from_bytes(sent.pairs);
        for (name, mut members) in sent.groups {
            // Ranks without a collective of their own take part, too: what others gather comes from all.
            if name.is_empty() {
                for rank in 0..ranks {
                    members.entry(rank).or_default();
                }
            }
            let n = members.len() as u64;
            let all_to_all = members.values().any(|own| own[6] > 0);
            let each = if all_to_all { n } else { 3 };
            let all = messages.len() as u64 + n * each;
            context.require_memory("the messages of the traces", 64 * all)?;
            add_collectives(&members, &mut messages);
        }
        let mut guest = Guest::from_messages(label, ranks, messages)?;
        if sent.skipped > 0 {
            guest.remarks.push(format!(
                "{}: left out {} collectives on the CPU without comm_type, whose kernels carry it",
                prefix.display(),
                sent.skipped
            ));
        }
        Ok(guest)
    }
}

/// Bytes that the ranks read so far send.
#[derive(Default)]
struct SentBytes {
    /// Bytes sent by sender and receiver.
    pairs: HashMap<(u32, u32), u64>,
    /// Bytes of collectives by group and member.
    groups: BTreeMap<String, BTreeMap<u32, Collectives>>,
    /// Logical shape, as [`ChakraFiles::dims`].
    dims: Vec<u32>,
    /// Number of collectives on the CPU that were left out.
    skipped: u64,
}

impl SentBytes {
    /// Counts the pairs of ranks, and the members of groups.
    fn count_pairs(&self) -> usize {
        self.pairs.len() + self.groups.values().map(BTreeMap::len).sum::<usize>()
    }

    /// Adds what `rank`, one of `ranks`, sends by its trace.
    fn add_trace(
        &mut self,
        mut trace: Trace,
        rank: u32,
        ranks: u32,
        buffer: &mut Vec<u8>,
        context: &Context,
    ) -> Result<()> {
        let mut first = true;
        while trace.read_message(buffer, context)? {
            let Some(node) = Node::parse_message(buffer, first) else {
                let expected = "messages of et_def.proto, the metadata first";
                return Err(trace.error_here("bytes that are no message", expected));
            };
            first = false;
            // COMM_SEND_NODE and COMM_COLL_NODE; what is received somebody sends.
            match node.kind {
                5 if node.target.is_none() => {
                    let found = "a send without comm_dst (Chakra's converter of PyTorch traces writes none)";
                    return Err(trace.error_here(found, "the receiver of each send"));
                }
                5 => {
                    let to = trace.check_value(node.target, ranks.into(), "comm_dst")? as u32;
                    let bytes = trace.check_value(node.size, i64::MAX, "comm_size")?;
                    let sum = self.pairs.entry((rank, to)).or_default();
                    *sum = sum.saturating_add(bytes);
                }
                7 if node.on_cpu && node.collective.is_none() => self.skipped += 1,
                7 => {
                    let kind = trace.check_value(node.collective, 10, "comm_type")? as usize;
                    // A barrier has no size.
                    let bytes = if kind == 9 {
                        0
                    } else {
                        trace.check_value(node.size, i64::MAX, "comm_size")?
                    };
                    let name = self.find_group(&trace, &node, rank, ranks)?;
                    let own = self
                        .groups
                        .entry(name)
                        .or_default()
                        .entry(rank)
                        .or_default();
                    own[kind] = own[kind].saturating_add(bytes);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl SentBytes {
    /// Finds the name of the group in which `rank` runs a collective, empty for all ranks, and registers its members.
    /// Fails if the flags of involved dimensions do not fit the logical shape.
    fn find_group(
        &mut self,
        trace: &Trace,
        node: &Node<'_>,
        rank: u32,
        ranks: u32,
    ) -> Result<String> {
        if !node.group.is_empty() || node.involved.iter().all(|involved| *involved) {
            return Ok(node.group.to_string());
        }
        if node.involved.len() < self.dims.len() || self.dims.is_empty() {
            let found = format!(
                "involved_dim with {} flags, not all true",
                node.involved.len()
            );
            let expected = match self.dims.len() {
                0 => "the logical shape beside the files, as in dims=2x2".to_string(),
                count => format!("{count}, one for each of dims="),
            };
            return Err(trace.error_here(found, expected));
        }
        let fixed = fixed_coordinates(rank, &self.dims, &node.involved);
        // No name of a process group begins so.
        let name = format!("\0{:?}{fixed:?}", node.involved);
        if !self.groups.contains_key(&name) {
            // Ranks without a collective of their own take part, too.
            let all = (0..ranks)
                .filter(|other| fixed_coordinates(*other, &self.dims, &node.involved) == fixed);
            let members = all.map(|other| (other, Collectives::default())).collect();
            self.groups.insert(name.clone(), members);
        }
        Ok(name)
    }
}

/// Computes the coordinates of a rank along the dimensions that are not `involved`; the first dimension of `dims`
/// counts fastest.
fn fixed_coordinates(rank: u32, dims: &[u32], involved: &[bool]) -> Vec<u32> {
    let mut rest = rank;
    let mut fixed = Vec::new();
    for (extent, involved) in dims.iter().zip(involved) {
        if !involved {
            fixed.push(rest % extent);
        }
        rest /= extent;
    }
    fixed
}

/// Counts the ranks. Fails if their files are not numbered from 0 without gaps.
fn count_ranks(prefix: &Path) -> Result<u32> {
    let folder = prefix
        .parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."));
    let stem = prefix.file_name().unwrap_or_default().to_string_lossy() + ".";
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(|e| Error::io(folder, "reading", e))? {
        let entry = entry.map_err(|e| Error::io(folder, "reading", e))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name
            .strip_prefix(&*stem)
            .and_then(|rest| rest.strip_suffix(".et"));
        // A sign would parse as well, and count a rank twice.
        let number = number.filter(|n| !n.starts_with('+'));
        found.extend(number.and_then(|n| n.parse::<u32>().ok()));
    }
    let missing = (0..).find(|rank| !found.contains(rank)).unwrap_or(0);
    if missing as usize == found.len() && (1..=MAX_PROCESSES).contains(&missing) {
        return Ok(missing);
    }
    Err(Error::input(
        SourceLocation::file(prefix),
        format!(
            "no file {}.{missing}.et ({} others)",
            prefix.display(),
            found.len()
        ),
        "a file a rank, numbered from 0",
    ))
}

/// Adds the messages that the members of a group send for their collectives.
fn add_collectives(members: &BTreeMap<u32, Collectives>, messages: &mut Vec<Message>) {
    let ranks: Vec<u32> = members.keys().copied().collect();
    let n = ranks.len() as f64;
    for (i, own) in members.values().enumerate() {
        let [
            all_reduce,
            reduce,
            all_gather,
            gather,
            scatter,
            broadcast,
            all_to_all,
            rs,
            block,
            _,
        ] = own.map(|bytes| bytes as f64);
        // All that goes around the ring at once; the first member is the root of reductions and broadcasts.
        let pieces = 2.0 * (n - 1.0) * all_reduce + (n - 1.0) * (rs + block);
        let reduced = if i > 0 { reduce } else { 0.0 };
        let passed = if i + 1 < ranks.len() { broadcast } else { 0.0 };
        let around = pieces / n + (n - 1.0) * all_gather + reduced + passed;
        let mut sent = vec![((i + 1) % ranks.len(), around), (0, gather)];
        let each = all_to_all + if i == 0 { scatter } else { 0.0 };
        if each > 0.0 {
            sent.extend((0..ranks.len()).map(|to| (to, each / n)));
        }
        messages.extend(sent.into_iter().map(|(to, volume)| Message {
            source: ranks[i],
            target: ranks[to],
            volume,
        }));
    }
}
