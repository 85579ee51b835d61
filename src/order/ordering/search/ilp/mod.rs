//! The integer programs of Leung et al. through whichever solver there is, and the exact methods beside
//! them.

mod assignment;
mod method;
mod path;
mod solver;

pub(in crate::ordering) use method::ILP;

#[cfg(test)]
mod tests {
    use crate::ordering::{NodeOrder, SearchResult};
    use crate::testing::{build, error};

    fn run(spec: &str, by: &str) -> SearchResult {
        let made = NodeOrder::make_observed(&build(spec), by, &crate::ordering::NoObserver);
        made.unwrap().1.unwrap()
    }

    #[test]
    fn the_integer_and_the_dynamic_program_agree() {
        for (spec, ring) in [("mesh:2x3", false), ("mesh:2x3", true), ("torus:5", false)] {
            let by = |rest: &str| format!("ilp:weights=geometric,window=3,ring={ring},{rest}");
            let exact = run(spec, &by("solver=dp"));
            assert!(exact.optimal && exact.gap == 0.0);
            let found = run(spec, &by("solver=microlp"));
            assert_eq!(found.objective, exact.objective, "{spec} ring={ring}");
            assert!(found.optimal, "{spec} ring={ring}");
            assert_eq!(found.solver, "microlp");
        }
    }

    #[test]
    fn rings_are_cut_out_of_tours() {
        // A 3x3 grid has no Hamiltonian circle: nine cells, coloured like a chessboard.
        let ring = run("mesh:3x3", "ilp:weights=path,ring=true,solver=microlp");
        assert!(ring.optimal && ring.objective == 10.0, "{ring:?}");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (spec, by, part) in [
            (
                "torus:7x6",
                "ilp:weights=harmonic,window=19",
                "beyond integer programs",
            ),
            ("torus:7x6", "ilp:solver=dp", "too much for it"),
            ("torus:3x3", "ilp:solver=cbc", "unknown solver `cbc`"),
            ("torus:3x3", "ilp:form=flow", "unknown key"),
            ("torus:3x3", "ilp:time=0", "more than 0 seconds"),
            ("torus:3x3", "ilp:time=5", "a time limit needs a clock"),
            (
                "torus:3x3,per_router=2,exclude=4",
                "ilp",
                "different numbers of nodes",
            ),
            ("torus:3x3", "ilp:wieghts=path", "did you mean `weights`"),
        ] {
            let message = error(spec, by);
            assert!(message.contains(part), "{by}: {message}");
        }
        if !cfg!(feature = "highs") {
            assert!(error("torus:3x3", "ilp:solver=highs").contains("--features highs"));
        }
    }
}
