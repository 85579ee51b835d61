//! Scotch's target files (`.tgt`), which hwloc's and TopoMatch's tools share: tori, meshes, trees.

use crate::topology::families::{fat_tree, grid, hyperx};
use crate::topology::family::{TopologyEntry, build_inline, by_x};
use crate::topology::network::Network;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::error::{Error, Result};
use nodeorder_base::params::Opt;

/// `tgt:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "tgt",
    about: "a Scotch or TopoMatch target file: torusXD, meshXD, hcub, cmplt, tleaf",
    example: "tgt:machine.tgt",
    options: &[Opt::file("file", "a target file").positional()],
    parse: |params, _| FileNetwork::parse(params, "a target file, as in tgt:machine.tgt", network),
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
        line.text
            .split_whitespace()
            .map(move |word| (word, line))
            .collect::<Vec<_>>()
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
    let (family, spec) = specification(kind, &numbers).map_err(wrong)?;
    build_inline(family, &spec, file.context)
}

const KNOWN: &str = "torusXD, torus2D, torus3D, meshXD, mesh2D, mesh3D, hcub, cmplt or tleaf";

/// Returns the family and the inline specification of an architecture. Fails with a description of what was expected.
fn specification(
    kind: &str,
    numbers: &[u32],
) -> Result<(&'static TopologyEntry, String), &'static str> {
    let grid = |kind: &str, dims: &[u32]| {
        let turned: Vec<u32> = dims.iter().rev().copied().collect();
        let family = if kind == "mesh" {
            &grid::MESH
        } else {
            &grid::TORUS
        };
        (family, format!("{kind}:{}", by_x(&turned)))
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
        "torus2D" | "mesh2D" => Ok(grid(
            &kind[..kind.len() - 2],
            fixed(2).ok_or("2 dimensions")?,
        )),
        "torus3D" | "mesh3D" => Ok(grid(
            &kind[..kind.len() - 2],
            fixed(3).ok_or("3 dimensions")?,
        )),
        "hcub" => match numbers {
            [n @ 1..=30] => Ok(grid("torus", &vec![2; *n as usize])),
            _ => Err("one number of dimensions, 1 to 30"),
        },
        "cmplt" => match numbers {
            [n] if *n > 0 => Ok((&hyperx::FAMILY, format!("hyperx:{n}"))),
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
            let spec = format!(
                "xgft:h={levels},m={},w={}",
                by_x(&arities),
                by_x(&vec![1; arities.len()])
            );
            Ok((&fat_tree::XGFT, spec))
        }
        _ => Err(KNOWN),
    }
}
