//! Keys and values of a shape, and the options that rules read.

use nodeorder_base::{Params, Result};

/// Keys of a shape, each with its value.
pub type ShapeOptions = Vec<(&'static str, String)>;

/// Writes whole numbers as the values of keys.
pub fn number_options<const N: usize>(keys: [(&'static str, u64); N]) -> ShapeOptions {
    keys.map(|(key, number)| (key, number.to_string())).into()
}

/// Reads the number of nodes on each router: `per_router` as given, else `default`.
pub fn nodes_per_router(params: &Params, default: u64) -> Result<u64> {
    // The default that families declare is another.
    if !params.has_key("per_router") {
        return Ok(default);
    }
    Ok(params
        .optional_integer("per_router", 1, 1 << 20)?
        .unwrap_or(default))
}

/// Keeps the keys that are not given.
pub fn drop_given(params: &Params, mut keys: ShapeOptions) -> ShapeOptions {
    keys.retain(|(key, _)| !params.has_key(key));
    keys
}
