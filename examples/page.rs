//! Compares orderings of one machine and writes the page, figures and tables into a folder.
//!
//! `cargo run --release --example page -- FOLDER SPEC ORDERING…`

use std::fs::{self, File};
use std::path::Path;

use nodeorder::metric::{Comparison, mpc};
use nodeorder::{NodeOrder, Topology, report};

pub fn write(
    folder: &Path,
    spec: &str,
    orders: &[String],
) -> Result<(), Box<dyn std::error::Error>> {
    let topology = Topology::inline(spec, &Default::default())?;
    let orders: Vec<NodeOrder> = orders
        .iter()
        .map(|o| NodeOrder::make(&topology, o))
        .collect::<Result<_, _>>()?;
    let curves = orders
        .iter()
        .map(|o| mpc::curve(&topology, o))
        .collect::<Result<_, _>>()?;
    let comparison = Comparison::new(&topology, &orders, curves)?;
    fs::create_dir_all(folder)?;
    let command = format!("nodeorder compare {spec} --out {}", folder.display());
    for file in report::files(
        &topology,
        &orders,
        &comparison,
        &report::WorkloadResults::default(),
        &command,
    )? {
        file.write_to(&mut File::create(folder.join(&file.name))?)?;
    }
    Ok(())
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, spec, orders @ ..] = arguments.as_slice() else {
        return Err("expected a folder, a topology and orderings".into());
    };
    write(Path::new(folder), spec, orders)
}
