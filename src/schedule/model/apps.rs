//! Applications whose sensitivity to distance and to shared links has been published.

use crate::error::Result;
use crate::params::{Opt, Params};

/// How an application's run time grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Application {
    /// Its name, as in `app=LU`.
    pub name: &'static str,
    /// Per mean hop more, relative to the compact placement's.
    pub latency: f64,
    /// Per other job on its most shared link.
    pub sharing: f64,
    /// What the numbers were fitted to.
    pub source: &'static str,
}

const TABLE: &str = "Table 1";

/// The NAS parallel benchmarks of Hu's Table 1 and Fig. 6, and matrix multiplication.
///
/// `latency` of FT to MM is the slope, by least squares through the origin, of t(d)/t(1) - 1 over d - 1, the
/// run times of Table 1 on random graphs of degree 4 and 6 embedded with dilation d = 1 to 4. The text gives two
/// numbers of Fig. 6, pattern C against A on a 4×2 torus: +104.1 % for LU, whose mean dilation doubles there
/// (its neighbours are those of a 2×2 grid) and which loses as much when it runs alone: all of it is latency.
/// And +29.2 % for FT, all-to-all, whose mean dilation grows by half: Table 1 explains 1.1 of it, the rest is
/// sharing, two jobs being on the links of either. For the others no number is published,
/// and sharing counts nothing.
///
/// # References
/// Hu, "Topology Mapping of Parallel Applications onto Random Allocations", Table 1, Fig. 6 and section IV.B.
pub const APPLICATIONS: &[Application] = &[
    Application { name: "FT", latency: 0.0222, sharing: 0.281, source: "Table 1 and Fig. 6" },
    Application { name: "IS", latency: 0.0061, sharing: 0.0, source: TABLE },
    Application { name: "CG", latency: 0.0069, sharing: 0.0, source: TABLE },
    Application { name: "BT", latency: 0.0072, sharing: 0.0, source: TABLE },
    Application { name: "SP", latency: 0.0076, sharing: 0.0, source: TABLE },
    Application { name: "MG", latency: 0.0264, sharing: 0.0, source: TABLE },
    Application { name: "MM", latency: 0.0013, sharing: 0.0, source: TABLE },
    Application { name: "LU", latency: 1.041, sharing: 0.0, source: "Fig. 6" },
];

/// The option of [`chosen`].
pub(super) const APP: Opt = Opt::name_of(
    "app",
    || APPLICATIONS.iter().map(|app| app.name).collect(),
    "application whose published figures are taken",
)
.or_else("none");

/// The application that `app=` names, if it is given.
pub(super) fn chosen(params: &Params) -> Result<Option<&'static Application>> {
    let name = params.chosen("app")?;
    Ok(name.and_then(|name| APPLICATIONS.iter().find(|app| app.name == name)))
}
