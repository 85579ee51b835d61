//! The Fiedler vector of a router graph, by Lanczos iteration.
//!
//! The Laplacian L = D - A is too large for a dense solver. The iteration builds, one product with L a step, a
//! tridiagonal matrix whose smallest eigenvalue nears that of L on the vectors of sum 0 (on all vectors it would be
//! 0, of the constant one); its eigenvector says how to combine the basis. The basis is not kept but made a second
//! time.
//!
//! In f64 arithmetic of fixed order: sums, products, quotients and square roots, each rounded once, give the same
//! bytes on every machine.

use nodeorder_base::RouterId;
use nodeorder_base::observer::unwind_if_stopped;
use nodeorder_network::RouterGraph;

/// Residual ‖Lx - λx‖ that ends the iteration, relative to λ.
const TOLERANCE: f64 = 1e-12;
/// Residual that rounding leaves, relative to the largest degree.
const ROUNDING: f64 = 1e-14;
/// Largest number of products with L, the second passes apart.
const ITERATIONS: usize = 20_000;
/// Number of partial sums of a sum. Always as many and in the same order, so that the bytes are the same with and
/// without vector instructions; one alone would wait for itself.
const LANES: usize = 8;

/// Finds a unit eigenvector of the smallest eigenvalue of L on the vectors of sum 0; zero for a single router.
pub fn find_fiedler_vector(graph: &RouterGraph) -> Vec<f64> {
    let routers = graph.router_count();
    let degree = |r: usize| graph.neighbours(RouterId(r as u32)).len();
    let floor = ROUNDING * (0..routers).map(degree).max().unwrap_or(0) as f64;
    let mut vector: Vec<f64> = (0..routers as u64).map(pseudo_random).collect();
    subtract_mean(&mut vector);
    if !scale_to_unit(&mut vector) {
        return vec![0.0; routers];
    }
    let mut left = ITERATIONS;
    let mut before = f64::INFINITY;
    // Rounding costs the basis its orthogonality: a vector that is not as good as its tridiagonal matrix
    // promised starts another round, as long as rounds help.
    while left > 0 {
        let matrix = run_lanczos(graph, &vector, floor, left);
        left -= matrix.alpha.len();
        let mut better = combine_basis(graph, &vector, &matrix.smallest_eigenpair().1);
        subtract_mean(&mut better);
        if !scale_to_unit(&mut better) {
            break;
        }
        let (value, residual) = measure_residual(graph, &better);
        if residual < before {
            vector = better;
        }
        if residual <= TOLERANCE * value + floor || residual > 0.5 * before {
            break;
        }
        before = residual;
    }
    vector
}

/// Measures the Rayleigh quotient λ = x·Lx of a unit vector and ‖Lx - λx‖.
fn measure_residual(graph: &RouterGraph, x: &[f64]) -> (f64, f64) {
    let mut image = vec![0.0; x.len()];
    apply_laplacian(graph, x, &mut image);
    let value = dot_product(x, &image);
    add_scaled(&mut image, -value, x);
    (value, dot_product(&image, &image).sqrt())
}

/// Tridiagonal matrix: L on a Krylov space.
struct Tridiagonal {
    /// Diagonal entries of the matrix.
    alpha: Vec<f64>,
    /// Off-diagonal entries, and at the end the norm of the vector that the next step would add.
    beta: Vec<f64>,
}

/// Makes Lanczos steps from `first` until the smallest eigenvalue has converged.
fn run_lanczos(graph: &RouterGraph, first: &[f64], floor: f64, limit: usize) -> Tridiagonal {
    let mut matrix = Tridiagonal {
        alpha: Vec::new(),
        beta: Vec::new(),
    };
    let mut lanczos = Lanczos::new(graph, first);
    let mut check = 16;
    loop {
        unwind_if_stopped();
        let (alpha, beta) = lanczos.next_entries();
        matrix.alpha.push(alpha);
        matrix.beta.push(beta);
        let steps = matrix.alpha.len();
        // Nothing left to add: the space is invariant.
        if beta <= floor || steps >= limit {
            return matrix;
        }
        if steps >= check {
            let (value, vector) = matrix.smallest_eigenpair();
            if beta * vector[steps - 1].abs() <= 0.5 * (TOLERANCE * value + floor) {
                return matrix;
            }
            check = steps + (steps / 16).max(16);
        }
    }
}

/// Adds up the basis vectors with these weights. The basis is made again rather than kept: the same
/// operations give the same vectors.
fn combine_basis(graph: &RouterGraph, first: &[f64], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; first.len()];
    let mut lanczos = Lanczos::new(graph, first);
    for (i, weight) in weights.iter().enumerate() {
        add_scaled(&mut sum, *weight, &lanczos.current);
        if i + 1 < weights.len() {
            lanczos.next_entries();
        }
    }
    sum
}

/// State of a Lanczos iteration without reorthogonalisation, the constant vector removed at every step.
struct Lanczos<'a> {
    graph: &'a RouterGraph,
    /// Last two vectors of the basis.
    previous: Vec<f64>,
    current: Vec<f64>,
    /// Buffer for the next vector of the basis.
    next: Vec<f64>,
    /// Norm of the current vector before it was scaled.
    beta: f64,
}

impl<'a> Lanczos<'a> {
    /// Begins with the first vector of the basis.
    fn new(graph: &'a RouterGraph, first: &[f64]) -> Self {
        let zero = vec![0.0; first.len()];
        Lanczos {
            graph,
            previous: zero.clone(),
            current: first.to_vec(),
            next: zero,
            beta: 0.0,
        }
    }

    /// Makes one step; returns the next diagonal entry and the off-diagonal one after it.
    fn next_entries(&mut self) -> (f64, f64) {
        apply_laplacian(self.graph, &self.current, &mut self.next);
        add_scaled(&mut self.next, -self.beta, &self.previous);
        let alpha = dot_product(&self.next, &self.current);
        add_scaled(&mut self.next, -alpha, &self.current);
        subtract_mean(&mut self.next);
        self.beta = dot_product(&self.next, &self.next).sqrt();
        scale_to_unit(&mut self.next);
        std::mem::swap(&mut self.previous, &mut self.current);
        std::mem::swap(&mut self.current, &mut self.next);
        (alpha, self.beta)
    }
}

impl Tridiagonal {
    /// Finds the smallest eigenvalue, by bisection, and its unit eigenvector.
    fn smallest_eigenpair(&self) -> (f64, Vec<f64>) {
        let alpha = &self.alpha;
        let beta = &self.beta;
        let size = alpha.len();
        // Between Gershgorin's bound and the smallest diagonal entry.
        let row = |i: usize| {
            let above = if i > 0 { beta[i - 1] } else { 0.0 };
            alpha[i] - above - if i + 1 < size { beta[i] } else { 0.0 }
        };
        let mut low = (0..size).map(row).fold(f64::INFINITY, f64::min);
        let mut high = alpha.iter().copied().fold(f64::INFINITY, f64::min);
        // 200 halvings reach the last bit of any eigenvalue above 10⁻⁴⁴.
        for _ in 0..200 {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            if self.has_eigenvalue_below(middle) {
                high = middle
            } else {
                low = middle
            }
        }
        (high, self.eigenvector_of(high))
    }

    /// Checks whether an eigenvalue is below `x`: by Sylvester, where elimination of T - x meets a negative pivot.
    fn has_eigenvalue_below(&self, x: f64) -> bool {
        let mut pivot = self.alpha[0] - x;
        for (alpha, beta) in self.alpha[1..].iter().zip(&self.beta) {
            if pivot < 0.0 {
                return true;
            }
            pivot = alpha - x - beta * beta / avoid_zero(pivot);
        }
        pivot < 0.0
    }

    /// Computes the unit eigenvector of an eigenvalue, by twisted factorisation: eliminate from both ends and
    /// start where the pivots meet nearest to zero, which is where the eigenvector is large.
    fn eigenvector_of(&self, value: f64) -> Vec<f64> {
        let alpha = &self.alpha;
        let beta = &self.beta;
        let size = alpha.len();
        let mut down: Vec<f64> = alpha.iter().map(|a| a - value).collect();
        let mut up = down.clone();
        for i in 1..size {
            down[i] -= beta[i - 1] * beta[i - 1] / avoid_zero(down[i - 1]);
            let i = size - 1 - i;
            up[i] -= beta[i] * beta[i] / avoid_zero(up[i + 1]);
        }
        let meet = |i: &usize| (down[*i] + up[*i] - (alpha[*i] - value)).abs();
        let twist = (0..size)
            .min_by(|i, j| meet(i).total_cmp(&meet(j)))
            .unwrap_or(0);
        let mut vector = vec![0.0; size];
        vector[twist] = 1.0;
        for i in (0..twist).rev() {
            vector[i] = -beta[i] * vector[i + 1] / avoid_zero(down[i]);
        }
        for i in twist + 1..size {
            vector[i] = -beta[i - 1] * vector[i - 1] / avoid_zero(up[i]);
        }
        scale_to_unit(&mut vector);
        vector
    }
}

/// Replaces `x` by a number that one can divide by where it is too small for that.
fn avoid_zero(x: f64) -> f64 {
    if x.abs() < 1e-150 { 1e-150 } else { x }
}

/// Sets y = Lx.
fn apply_laplacian(graph: &RouterGraph, x: &[f64], y: &mut [f64]) {
    for (router, y) in y.iter_mut().enumerate() {
        let here = x[router];
        let neighbours = graph.neighbours(RouterId(router as u32));
        *y = neighbours
            .iter()
            .fold(0.0, |sum, v| sum + (here - x[*v as usize]));
    }
}

/// Computes x·y.
fn dot_product(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let x = x.chunks_exact(LANES);
    let y = y.chunks_exact(LANES);
    let rest = x
        .remainder()
        .iter()
        .zip(y.remainder())
        .fold(0.0, |sum, (x, y)| sum + x * y);
    for (x, y) in x.zip(y) {
        for (lane, (x, y)) in lanes.iter_mut().zip(x.iter().zip(y)) {
            *lane += x * y;
        }
    }
    lanes.iter().fold(rest, |sum, lane| sum + lane)
}

/// Adds factor·y to x.
fn add_scaled(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

/// Subtracts the mean from all components.
fn subtract_mean(x: &mut [f64]) {
    let mut lanes = [0.0; LANES];
    let chunks = x.chunks_exact(LANES);
    let rest = chunks.remainder().iter().fold(0.0, |sum, x| sum + x);
    for chunk in chunks {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane += x);
    }
    let mean = lanes.iter().fold(rest, |sum, lane| sum + lane) / x.len().max(1) as f64;
    x.iter_mut().for_each(|x| *x -= mean);
}

/// Scales to length 1; false, and unchanged, where that cannot be done.
fn scale_to_unit(x: &mut [f64]) -> bool {
    let norm = dot_product(x, x).sqrt();
    let possible = norm > 0.0 && norm.is_finite();
    if possible {
        x.iter_mut().for_each(|x| *x /= norm);
    }
    possible
}

/// Draws a number between -½ and ½, without any pattern that a network could share: SplitMix64 of the index.
fn pseudo_random(index: u64) -> f64 {
    let mut z = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{build, ids};

    /// x = cos(π(i+½)/n), λ = 2 - 2cos(π/n).
    #[test]
    fn a_path_has_the_known_vector() {
        for n in [2u32, 3, 10, 101, 1000] {
            let path = build(&format!("mesh:{n}"));
            let graph = path.graph().unwrap();
            let vector = find_fiedler_vector(graph);
            let (value, _) = measure_residual(graph, &vector);
            let pi = std::f64::consts::PI / f64::from(n);
            assert!(
                (value - (2.0 - 2.0 * pi.cos())).abs() < 1e-12,
                "{n}: {value}"
            );
            let exact = |i: usize| (pi * (i as f64 + 0.5)).cos() * (2.0 / f64::from(n)).sqrt();
            let sign = vector[0].signum();
            for (i, x) in vector.iter().enumerate() {
                assert!(
                    (x * sign - exact(i)).abs() < 1e-7,
                    "{n} {i}: {x} for {}",
                    exact(i)
                );
            }
            assert!(ids(&format!("mesh:{n}"), "spectral").is_sorted());
        }
    }

    /// Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix by Jacobi rotations.
    fn jacobi(mut m: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
        let n = m.len();
        let mut vectors: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
            .collect();
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    if m[p][q] == 0.0 {
                        continue;
                    }
                    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
                    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
                    let t = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
                    let c = 1.0 / (t * t + 1.0).sqrt();
                    let s = t * c;
                    for row in m.iter_mut().chain(&mut vectors) {
                        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                    }
                    let (above, below) = m.split_at_mut(q);
                    for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                    }
                }
            }
        }
        let column = |j: usize| vectors.iter().map(|row| row[j]).collect();
        let mut pairs: Vec<(f64, Vec<f64>)> = (0..n).map(|j| (m[j][j], column(j))).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs
    }

    #[test]
    fn small_graphs_agree_with_a_dense_solver() {
        for (seed, n) in [(0u64, 9usize), (1, 16), (2, 25), (3, 30), (4, 40)] {
            // A ring with random chords.
            let mut pairs: Vec<(u32, u32)> = (1..n as u32)
                .map(|v| (v - 1, v))
                .chain([(0, n as u32 - 1)])
                .collect();
            for i in 0..n as u64 {
                let pick =
                    |k: u64| ((pseudo_random(seed * 1000 + 2 * i + k) + 0.5) * n as f64) as u32;
                let (u, v) = (pick(0).min(pick(1)), pick(0).max(pick(1)));
                if u != v && !pairs.contains(&(u, v)) {
                    pairs.push((u, v));
                }
            }
            let arcs = pairs
                .iter()
                .flat_map(|(u, v)| [(*u, *v, 1.0), (*v, *u, 1.0)])
                .collect();
            let graph = RouterGraph::from_arcs(n as u32, arcs);
            let mut dense = vec![vec![0.0; n]; n];
            for (u, v) in pairs {
                let (u, v) = (u as usize, v as usize);
                dense[u][u] += 1.0;
                dense[v][v] += 1.0;
                dense[u][v] -= 1.0;
                dense[v][u] -= 1.0;
            }
            let exact = jacobi(dense);
            let vector = find_fiedler_vector(&graph);
            let (value, residual) = measure_residual(&graph, &vector);
            assert!(
                (value - exact[1].0).abs() < 1e-10,
                "{n}: {value} for {}",
                exact[1].0
            );
            assert!(residual < 1e-10);
            if exact[2].0 - exact[1].0 > 1e-3 {
                assert!(
                    (dot_product(&vector, &exact[1].1).abs() - 1.0).abs() < 1e-10,
                    "{n}"
                );
            }
        }
    }

    #[test]
    fn multiple_eigenvalues_still_converge() {
        for spec in ["torus:8x8x8", "torus:12x5", "cascade:4x3x2", "torus:25x32"] {
            let torus = build(spec);
            let graph = torus.graph().unwrap();
            let (value, residual) = measure_residual(graph, &find_fiedler_vector(graph));
            assert!(
                value > 0.0 && residual <= 1e-11 * value + 1e-12,
                "{spec}: {residual}"
            );
        }
    }
}
