//! Compares orderings of one machine and writes the page, figures and tables into a directory.
//!
//! `cargo run --release --example page -- DIR SPEC ORDERING…`

use std::fs::{self, File};
use std::path::Path;

use nodeorder::metric::{comparison::Comparison, mpc};
use nodeorder::{NodeOrder, Topology, report};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, spec, orders @ ..] = arguments.as_slice() else {
        return Err("expected a directory, a topology and orderings".into());
    };
    let topology = Topology::inline(spec, &Default::default())?;
    let orders: Vec<NodeOrder> =
        orders.iter().map(|o| NodeOrder::make(&topology, o)).collect::<Result<_, _>>()?;
    let curves = orders.iter().map(|o| mpc::curve(&topology, o)).collect::<Result<_, _>>()?;
    let comparison = Comparison::new(&topology, &orders, curves)?;
    fs::create_dir_all(directory)?;
    let command = format!("nodeorder compare {spec} --out {directory}");
    for file in
        report::files(&topology, &orders, &comparison, report::Workload::default(), &command)?
    {
        file.write_to(&mut File::create(Path::new(directory).join(&file.name))?)?;
    }
    Ok(())
}
