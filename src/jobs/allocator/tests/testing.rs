//! Machines for this crate's tests.

use nodeorder_network::Topology;

/// Builds the machine of a specification.
pub fn build(spec: &str) -> Topology {
    Topology::inline(spec, &Default::default()).unwrap()
}

/// Builds the machine of a file that holds `text`; `options` follow its path.
pub fn from_file(kind: &str, text: &str, options: &str) -> nodeorder_base::error::Result<Topology> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f");
    std::fs::write(&path, text).unwrap();
    let spec = format!("{kind}:{}{options}", path.display());
    Topology::inline(&spec, &Default::default())
}
