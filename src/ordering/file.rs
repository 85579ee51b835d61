//! Ordering files: one node id a line in rank order, `#` comments.

use super::{Check, NodeOrder};
use crate::error::{Error, Result};
use crate::ids::NodeId;
use crate::input::Text;
use crate::topology::Topology;

pub(super) fn read(topology: &Topology, text: &Text) -> Result<Vec<NodeId>> {
    let mut check = Check::new(topology);
    let mut nodes = Vec::new();
    for line in text.data_lines() {
        let id = line
            .text
            .parse()
            .map_err(|_| line.wrong(format!("`{}`", line.text), "a node id, one a line"))?;
        check.add(NodeId(id), || line.location())?;
        nodes.push(NodeId(id));
    }
    let stated = text.lines().find_map(|line| {
        let count = line.text.strip_prefix("# nodes:")?.trim().parse::<usize>().ok()?;
        Some((line, count))
    });
    if let Some((line, count)) = stated
        && count != nodes.len()
    {
        let found = format!("{} node ids under a header of {count}", nodes.len());
        let expected = "as many as the header says: is the file cut off? (without this line any number is read)";
        return Err(Error::input(line.location(), found, expected));
    }
    if nodes.is_empty() {
        return Err(Error::input(text.location(), "no node ids", "one id a line"));
    }
    Ok(nodes)
}

pub(super) fn write(topology: &Topology, order: &NodeOrder) -> String {
    let mut text = format!(
        "# nodeorder {}\n# topology: {} ({})\n# ordering: {}\n# nodes: {}\n",
        env!("CARGO_PKG_VERSION"),
        topology.name().replace(['\n', '\r'], " "),
        topology.spec(),
        order.label().replace(['\n', '\r'], " "),
        order.len(),
    );
    for note in order.notes() {
        text.push_str(&format!("# {}\n", note.replace(['\n', '\r'], " ")));
    }
    text.reserve(8 * order.len());
    for node in order.nodes() {
        text.push_str(&node.to_string());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::Context;

    #[test]
    fn what_is_written_reads_back() {
        let topology = Topology::inline("torus:5x4,exclude=7", &Context::default()).unwrap();
        let order = NodeOrder::make(&topology, "snake").unwrap();
        let text = Text::new("o.txt", order.to_file(&topology));
        assert_eq!(NodeOrder::read(&topology, &text).unwrap().nodes(), order.nodes());
        assert!(text.as_str().contains("torus:5x4,exclude=7"));
    }

    #[test]
    fn bad_ids_are_refused_with_their_line() {
        let topology = Topology::inline("torus:4x4,limit=10", &Context::default()).unwrap();
        for (text, expected) in [
            ("1\n2\n1\n", "o:3: found node 1 again"),
            ("1\n16\n", "o:2: found node 16; expected a node id from 0 to 15"),
            ("# c\n12\n", "o:2: found node 12, which limit"),
            ("1\n\nx\n", "o:3: found `x`"),
            ("-1\n", "o:1: found `-1`"),
            ("# nothing\n", "o: found no node ids"),
            (
                "# x\n# nodes: 3\n1\n2\n",
                "o:2: found 2 node ids under a header of 3; expected as many",
            ),
        ] {
            let error = NodeOrder::read(&topology, &Text::new("o", text)).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }
}
