//! Scotch's target files (`.tgt`), which hwloc's and TopoMatch's tools share: tori, meshes, trees.

use super::kit::*;
use super::network_of;
use crate::topology::by_x;

/// `tgt:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "tgt",
    about: "a Scotch or TopoMatch target file: torusXD, meshXD, hcub, cmplt, tleaf",
    example: "tgt:machine.tgt",
    options: &[Opt::file("file", "a target file").positional()],
    build: Build::Steps(|params, _| {
        from_file(params, "a target file, as in tgt:machine.tgt", network)
    }),
};

/// `torusXD n d₁ … dₙ`, `torus2D`, `torus3D` and the same for meshes: a grid whose first dimension is the
/// fastest there and the last here, so that processor p is node p. `hcub n`: the torus of n dimensions of 2.
/// `cmplt n`: n routers, all linked. `tleaf h a₁ c₁ … a_h c_h`: a tree of arities aᵢ from the root down, whose
/// leaves are the nodes; the costs cᵢ are passed over, as a hop is a hop. Errors: with the line: another architecture,
/// too few or too many numbers, numbers out of range.
///
/// # References
/// Pellegrini, "Scotch and libScotch 7.0 user's guide", section 6.4 (target files).
fn network(file: &SourceFile<'_>) -> Result<Network> {
    let text = &file.text;
    let mut words = text.data_lines().flat_map(|line| {
        line.text.split_whitespace().map(move |word| (word, line)).collect::<Vec<_>>()
    });
    let Some((kind, line)) = words.next() else {
        let expected = "an architecture such as torusXD 3 8 8 8";
        return Err(Error::input(text.location(), "an empty file", expected));
    };
    let mut numbers = Vec::new();
    for (word, line) in words {
        let number = word.parse::<u32>().ok().filter(|n| *n <= 1 << 30);
        let wrong = || line.wrong(format!("`{word}`"), "a whole number from 0 to 1073741824");
        numbers.push(number.ok_or_else(wrong)?);
    }
    let wrong = |expected: &str| line.wrong(format!("`{}`", line.text), expected);
    let spec = specification(kind, &numbers).map_err(wrong)?;
    network_of(&spec, file.context)
}

const KNOWN: &str = "torusXD, torus2D, torus3D, meshXD, mesh2D, mesh3D, hcub, cmplt or tleaf";

/// The inline specification of an architecture, or a description of what was expected.
fn specification(kind: &str, numbers: &[u32]) -> Result<String, &'static str> {
    let grid = |kind: &str, dims: &[u32]| {
        let turned: Vec<u32> = dims.iter().rev().copied().collect();
        format!("{kind}:{}", by_x(&turned))
    };
    let positive = |list: &[u32]| list.iter().all(|n| *n > 0);
    let counted = || match numbers.split_first() {
        Some((n, dims)) if *n as usize == dims.len() && *n > 0 && positive(dims) => Some(dims),
        _ => None,
    };
    let fixed = |n: usize| Some(numbers).filter(|dims| dims.len() == n && positive(dims));
    match kind {
        "torusXD" | "meshXD" => {
            let dims = counted().ok_or("the number of dimensions, then each of them")?;
            Ok(grid(kind.trim_end_matches("XD"), dims))
        }
        "torus2D" | "mesh2D" => Ok(grid(&kind[..kind.len() - 2], fixed(2).ok_or("2 dimensions")?)),
        "torus3D" | "mesh3D" => Ok(grid(&kind[..kind.len() - 2], fixed(3).ok_or("3 dimensions")?)),
        "hcub" => match numbers {
            [n @ 1..=30] => Ok(grid("torus", &vec![2; *n as usize])),
            _ => Err("one number of dimensions, 1 to 30"),
        },
        "cmplt" => match numbers {
            [n] if *n > 0 => Ok(format!("hyperx:{n}")),
            _ => Err("one number of processors"),
        },
        "tleaf" => {
            let expected = "the number of levels, then arity and cost of each from the root down";
            let (levels, rest) = numbers.split_first().ok_or(expected)?;
            if *levels == 0 || rest.len() as u64 != 2 * u64::from(*levels) {
                return Err(expected);
            }
            let mut arities: Vec<u32> = rest.iter().copied().step_by(2).collect();
            if !positive(&arities) {
                return Err(expected);
            }
            arities.reverse();
            Ok(format!("xgft:h={levels},m={},w={}", by_x(&arities), by_x(&vec![1; arities.len()])))
        }
        _ => Err(KNOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_refused, machine};
    use crate::ids::NodeId;
    use crate::topology::{Topology, testing::build};

    #[test]
    fn architectures_are_families_of_ours() {
        for (text, spec) in [
            ("torusXD 3\t8 4 2\n", "torus:2x4x8"),
            ("torus2D\n4 3\n", "torus:3x4"),
            ("# a cluster\nmesh3D 2 3 4", "mesh:4x3x2"),
            ("meshXD 1 5", "mesh:5"),
            ("hcub 4", "torus:2x2x2x2"),
            ("cmplt 6", "hyperx:6"),
            ("tleaf 3 2 300 3 200 4 100\n", "xgft:h=3,m=4x3x2,w=1x1x1"),
        ] {
            let (made, ours) = (machine("tgt", text).unwrap(), build(spec));
            assert_eq!(made.spec(), ours.spec(), "{text}");
            let total = |machine: &Topology| machine.statistics().unwrap().total_distance;
            assert_eq!(total(&made), total(&ours));
        }
        // Processor p is node p: in torus2D 4 3 processor 1 is one step along the dimension of 4.
        let torus = machine("tgt", "torus2D 4 3").unwrap();
        assert_eq!([1, 2, 3, 4, 5].map(|p| torus.distance(NodeId(0), NodeId(p))), [1, 2, 1, 1, 2]);
        // tleaf 2 3 20 4 10: 3 switches of 4 processors.
        let tree = machine("tgt", "tleaf 2 3 20 4 10").unwrap();
        assert_eq!([3, 4, 11].map(|p| tree.distance(NodeId(0), NodeId(p))), [0, 2, 2]);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        check_refused(
            "tgt",
            &[
                ("", ": found an empty file"),
                ("# c\ndeco 0\n", ":2: found `deco 0`; expected torusXD"),
                ("torusXD 3 8 8\n", ":1: found `torusXD 3 8 8`; expected the number of dimensions"),
                ("torusXD 2\n8 x\n", ":2: found `x`; expected a whole number"),
                ("torus2D 0 4", ":1: found `torus2D 0 4`; expected 2 dimensions"),
                ("tleaf 2 3 20 4", ":1: found `tleaf 2 3 20 4`; expected the number of levels"),
                ("hcub 31", ":1: found `hcub 31`"),
            ],
        );
    }
}
