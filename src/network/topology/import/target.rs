//! Scotch's target files (`.tgt`), which hwloc's and TopoMatch's tools share: tori, meshes, trees.
//!
//! A file names an architecture and its numbers, as `torus3D 8 8 4`: the network is that of another family.

use crate::topology::families::{fat_tree, grid, hyperx};
use crate::topology::family::{TopologyEntry, build_inline, by_x};
use crate::topology::network::Network;
use crate::topology::source_file::{FileNetwork, SourceFile};
use nodeorder_base::{Error, Opt, Result, Text};

/// `tgt:FILE`.
pub const FAMILY: TopologyEntry = TopologyEntry {
    name: "tgt",
    about: "a Scotch or TopoMatch target file: torusXD, meshXD, hcub, cmplt, tleaf",
    example: "tgt:machine.tgt",
    options: &[Opt::file("file", "a target file").positional()],
    parse: |params, _| {
        FileNetwork::parse(params, "a target file, as in tgt:machine.tgt", build_target)
    },
};

/// Builds the network of an architecture. `torusXD n d₁ … dₙ`, `torus2D`, `torus3D` and the same for meshes: a grid
/// whose first dimension is the fastest there and the last here, so that processor p is node p. `hcub n`: the torus
/// of n dimensions of 2. `cmplt n`: n routers, all linked. `tleaf h a₁ c₁ … a_h c_h`: a tree of arities aᵢ from the
/// root down, whose leaves are the nodes; the costs cᵢ are passed over, as a hop is a hop. Fails, with the line, if
/// there is another architecture, too few or too many numbers, or numbers out of range.
///
/// # References
/// Pellegrini, "Scotch and libScotch 7.0 user's guide", section 6.4 (target files).
fn build_target(file: &SourceFile<'_>) -> Result<Network> {
    let text = &file.text;
    let mut words = text.data_lines().flat_map(|line| {
        let words = line.text.split_whitespace();
        words.map(move |word| (word, line)).collect::<Vec<_>>()
    });
    let Some((kind, line)) = words.next() else {
        let expected = "an architecture such as torusXD 3 8 8 8";
        return Err(Error::input(text.location(), "an empty file", expected));
    };
    let mut numbers = Vec::new();
    for (word, line) in words {
        match word.parse::<u32>() {
            Ok(number) if number <= 1 << 30 => numbers.push(number),
            _ => {
                let expected = "a whole number from 0 to 1073741824";
                return Err(line.error_here(format!("`{word}`"), expected));
            }
        }
    }
    let (family, spec) = specification_of(kind, &numbers)
        .map_err(|expected| line.error_here(format!("`{}`", line.text), expected))?;
    build_inline(family, &spec, file.context)
}

/// Architectures that are known, for messages.
const KNOWN: &str = "torusXD, torus2D, torus3D, meshXD, mesh2D, mesh3D, hcub, cmplt, tleaf";

/// Checks whether a text begins with the name of an architecture.
pub(in crate::topology) fn recognises(text: &Text) -> bool {
    let first = text.data_lines().next();
    let word = first.and_then(|line| line.text.split_whitespace().next());
    word.is_some_and(|word| KNOWN.split(", ").any(|known| known == word))
}

/// Finds the family and the inline specification of an architecture. Fails with a description of what was expected.
fn specification_of(
    kind: &str,
    numbers: &[u32],
) -> Result<(&'static TopologyEntry, String), &'static str> {
    match kind {
        "torusXD" | "meshXD" => match numbers {
            [n, dims @ ..] if *n as usize == dims.len() && *n > 0 && are_positive(dims) => {
                Ok(grid_of(kind, dims))
            }
            _ => Err("the number of dimensions, then each of them"),
        },
        "torus2D" | "mesh2D" => match numbers {
            [_, _] if are_positive(numbers) => Ok(grid_of(kind, numbers)),
            _ => Err("2 dimensions"),
        },
        "torus3D" | "mesh3D" => match numbers {
            [_, _, _] if are_positive(numbers) => Ok(grid_of(kind, numbers)),
            _ => Err("3 dimensions"),
        },
        "hcub" => match numbers {
            [n @ 1..=30] => Ok(grid_of("torus", &vec![2; *n as usize])),
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
            if !are_positive(&arities) {
                return Err(expected);
            }
            arities.reverse();
            let children = by_x(&arities);
            let parents = by_x(&vec![1; arities.len()]);
            let spec = format!("xgft:h={levels},m={children},w={parents}");
            Ok((&fat_tree::XGFT, spec))
        }
        _ => Err(KNOWN),
    }
}

/// Finds the family and the specification of a torus or mesh, whose first dimension is the fastest in the file.
fn grid_of(kind: &str, dims: &[u32]) -> (&'static TopologyEntry, String) {
    let slowest_first: Vec<u32> = dims.iter().rev().copied().collect();
    let dims = by_x(&slowest_first);
    if kind.starts_with("mesh") {
        (&grid::MESH, format!("mesh:{dims}"))
    } else {
        (&grid::TORUS, format!("torus:{dims}"))
    }
}

/// Checks whether all numbers are above 0.
fn are_positive(numbers: &[u32]) -> bool {
    numbers.iter().all(|n| *n > 0)
}
