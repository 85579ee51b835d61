//! Keys and values of a shape, and the options that rules read.

use nodeorder_base::error::Result;
use nodeorder_base::params::Params;

/// A value for each key of a shape.
pub(super) type Keys = Vec<(&'static str, String)>;

/// `per_router` as given, else `default`.
pub(super) fn per_router(params: &Params, default: u64) -> Result<u64> {
    // The default that families declare is another.
    if !params.has("per_router") {
        return Ok(default);
    }
    Ok(params.integer("per_router", 1, 1 << 20)?.unwrap_or(default))
}

/// The keys that are not given.
pub(super) fn unless_given<const N: usize>(
    params: &Params,
    keys: [(&'static str, String); N],
) -> Keys {
    keys.into_iter()
        .filter(|(key, _)| !params.has(key))
        .collect()
}
