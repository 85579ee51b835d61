//! A measured table: mean pairwise hops over all windows of 8, 64, 256 and 1,024 nodes on a 15x6x16 torus.
//!
//! No ordering wins at every size, which is why the tool compares.

use nodeorder_network::Topology;
use nodeorder_order::NodeOrder;
use nodeorder_order::metric::mpc;

#[test]
fn orderings_of_the_hector_torus_have_the_recorded_mean_hops() {
    let torus = Topology::inline("torus:15x6x16", &Default::default()).unwrap();
    for (by, expected) in [
        ("gilbert", ["1.99", "4.17", "6.39", "8.92"]),
        ("hilbert", ["2.05", "4.28", "6.68", "8.91"]),
        (
            "brick:size=2x2x2,axes=zxy",
            ["2.24", "3.94", "6.26", "8.86"],
        ),
        ("snake:axes=zxy", ["2.07", "4.63", "6.15", "8.83"]),
        ("snake:axes=yxz", ["2.80", "5.40", "7.70", "9.08"]),
    ] {
        let order = NodeOrder::make(&torus, by).unwrap();
        let curve = mpc::curve(&torus, &order).unwrap();
        let found = [8, 64, 256, 1024].map(|size| format!("{:.2}", curve.mpc(size)));
        assert_eq!(found, expected, "{by}");
    }
}
