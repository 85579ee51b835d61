//! Fourier transforms of eight sequences side by side.
//!
//! Element t of a [`Vector`] array holds value t of eight independent sequences, so every operation of the
//! transform is the same on eight numbers that lie next to each other: it becomes vector code on every
//! machine, without shuffles, at every stage. Decimation in frequency, four ways at a time; results stay in
//! the order in which the last stage leaves them ([`Fft::position`]).
//!
//! # References
//! Gentleman, Sande, "Fast Fourier transforms: for fun and profit", AFIPS 1966.

use std::f64::consts::TAU;
use std::ops::{Add, Sub};

use multiversion::multiversion;
use multiversion::target::target_cfg_f;

/// Number of sequences that are transformed side by side.
pub const LANES: usize = 8;

/// One real value of each sequence.
pub type Vector = [f64; LANES];

/// A complex number.
#[derive(Clone, Copy, Default)]
#[repr(C, align(16))]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    /// Multiplies two numbers.
    pub fn multiply(self, w: Complex) -> Complex {
        let (re, im) = multiply_lane::<false>(self.re, self.im, w);
        Complex { re, im }
    }
}

impl Add for Complex {
    type Output = Complex;

    #[inline(always)]
    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Sub for Complex {
    type Output = Complex;

    #[inline(always)]
    fn sub(self, other: Complex) -> Complex {
        Complex {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

/// A complex number for each of eight sequences.
#[derive(Clone, Copy)]
pub struct ComplexVector {
    pub re: Vector,
    pub im: Vector,
}

impl ComplexVector {
    /// Zeros: a constant, as `default()` of an array is a call in the innermost loops.
    pub const ZERO: ComplexVector = ComplexVector {
        re: [0.0; LANES],
        im: [0.0; LANES],
    };

    /// Computes the number of every sequence from its index.
    pub fn from_fn(value: impl Fn(u64) -> Complex) -> Self {
        let all: [Complex; LANES] = std::array::from_fn(|lane| value(lane as u64));
        ComplexVector {
            re: all.map(|c| c.re),
            im: all.map(|c| c.im),
        }
    }

    /// Multiplies sequence by sequence.
    #[inline(always)]
    pub fn multiply<const FUSED: bool>(&self, other: &ComplexVector) -> ComplexVector {
        let mut product = ComplexVector::ZERO;
        for l in 0..LANES {
            let w = Complex {
                re: other.re[l],
                im: other.im[l],
            };
            (product.re[l], product.im[l]) = multiply_lane::<FUSED>(self.re[l], self.im[l], w);
        }
        product
    }
}

/// Eight sequences of complex numbers.
pub struct Sequences {
    pub re: Vec<Vector>,
    pub im: Vec<Vector>,
}

impl Sequences {
    /// Creates sequences of `length` zeros.
    pub fn new(length: usize) -> Self {
        Sequences {
            re: vec![[0.0; LANES]; length],
            im: vec![[0.0; LANES]; length],
        }
    }
}

/// Computes `exp(-2πi · numerator/denominator)`. The angle is reduced in integers, so that the factor is a cosine
/// and a sine rounded once, whatever the numerator.
pub fn root(numerator: u64, denominator: u64) -> Complex {
    let angle = (numerator % denominator) as f64 / denominator as f64;
    let (sin, cos) = (-TAU * angle).sin_cos();
    Complex { re: cos, im: sin }
}

/// Computes `a·b + c`, in one rounding where the machine has an instruction for it.
#[inline(always)]
pub fn mul_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Factors of one radix-4 stage: ω, ω², ω³ for every j.
type Factors = [Complex; 3];

/// A plan for transforms of one length, a power of two.
pub struct Fft {
    length: usize,
    /// ω^j of the one radix-2 stage; empty where the length is a power of four.
    first: Vec<Complex>,
    /// Factors of the radix-4 stages, longest stage first.
    stages: Vec<Vec<Factors>>,
}

impl Fft {
    /// Computes the factors for `length`. O(length) time, 16 bytes a value.
    pub fn new(length: usize) -> Self {
        debug_assert!(length.is_power_of_two());
        let mut rest = length;
        let mut first = Vec::new();
        // An odd power of two is twice a power of four.
        if length.trailing_zeros() % 2 == 1 {
            first = (0..length / 2)
                .map(|j| root(j as u64, length as u64))
                .collect();
            rest /= 2;
        }
        let mut stages = Vec::new();
        // Radix 4 needs fewer passes over the data than radix 2, and its factor i costs no multiplication.
        while rest >= 4 {
            let powers = (0..rest / 4)
                .map(|j| [1, 2, 3].map(|k| root((k * j) as u64, rest as u64)))
                .collect();
            stages.push(powers);
            rest /= 4;
        }
        Fft {
            length,
            first,
            stages,
        }
    }

    /// Computes the index at which [`Fft::run`] leaves frequency `f`.
    pub fn position(&self, mut f: usize) -> usize {
        // Each stage leaves its digit of the frequency, the lowest first, as the highest digit of the index.
        let mut at = 0;
        let mut rest = self.length;
        if !self.first.is_empty() {
            rest /= 2;
            at += (f % 2) * rest;
            f /= 2;
        }
        while rest >= 4 {
            rest /= 4;
            at += (f % 4) * rest;
            f /= 4;
        }
        at
    }

    /// Computes `x̂(f) = Σ_t x(t)·exp(-2πi·ft/length)`, in place.
    pub fn run(&self, values: &mut Sequences) {
        let re = &mut values.re;
        let im = &mut values.im;
        if self.first.is_empty() {
            return run_quarters(&self.stages, re, im);
        }
        run_radix_2(&self.first, re, im);
        let (low_re, high_re) = re.split_at_mut(self.length / 2);
        let (low_im, high_im) = im.split_at_mut(self.length / 2);
        run_quarters(&self.stages, low_re, low_im);
        run_quarters(&self.stages, high_re, high_im);
    }
}

/// Runs all radix-4 stages. Each quarter is finished before the next begins, so that its values stay in the cache.
fn run_quarters(stages: &[Vec<Factors>], re: &mut [Vector], im: &mut [Vector]) {
    /// Values whose stages are run one after the other: 16 kB, which fit the innermost cache.
    const FLAT: usize = 128;
    let Some((stage, rest)) = stages.split_first() else {
        return;
    };
    if re.len() <= FLAT {
        return run_stages(stages, re, im);
    }
    run_stages(&stages[..1], re, im);
    let quarter = stage.len();
    for (re, im) in re
        .chunks_exact_mut(quarter)
        .zip(im.chunks_exact_mut(quarter))
    {
        run_quarters(rest, re, im);
    }
}

/// Runs the radix-2 stage.
#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn run_radix_2(factors: &[Complex], re: &mut [Vector], im: &mut [Vector]) {
    if target_cfg_f!(any(target_feature = "fma", target_arch = "aarch64")) {
        radix_2_by::<true>(factors, re, im);
    } else {
        radix_2_by::<false>(factors, re, im);
    }
}

/// Runs radix-4 stages one after the other, each over all of its transforms.
#[multiversion(targets("x86_64+avx512f+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn run_stages(stages: &[Vec<Factors>], re: &mut [Vector], im: &mut [Vector]) {
    for stage in stages {
        let length = 4 * stage.len();
        for (re, im) in re.chunks_exact_mut(length).zip(im.chunks_exact_mut(length)) {
            if target_cfg_f!(any(target_feature = "fma", target_arch = "aarch64")) {
                radix_4_by::<true>(stage, re, im);
            } else {
                radix_4_by::<false>(stage, re, im);
            }
        }
    }
}

/// Computes `(re + i·im) · w` for one lane.
#[inline(always)]
fn multiply_lane<const FUSED: bool>(re: f64, im: f64, w: Complex) -> (f64, f64) {
    (
        mul_add::<FUSED>(re, w.re, -(im * w.im)),
        mul_add::<FUSED>(re, w.im, im * w.re),
    )
}

#[inline(always)]
fn radix_2_by<const FUSED: bool>(factors: &[Complex], re: &mut [Vector], im: &mut [Vector]) {
    let half = factors.len();
    let (re0, re1) = re.split_at_mut(half);
    let (im0, im1) = im.split_at_mut(half);
    for ((((re0, re1), im0), im1), w) in re0.iter_mut().zip(re1).zip(im0).zip(im1).zip(factors) {
        // Copies: the compiler does not see that the four places are distinct.
        let [a, b, c, d] = [*re0, *re1, *im0, *im1];
        for l in 0..LANES {
            re0[l] = a[l] + b[l];
            im0[l] = c[l] + d[l];
            (re1[l], im1[l]) = multiply_lane::<FUSED>(a[l] - b[l], c[l] - d[l], *w);
        }
    }
}

#[inline(always)]
fn radix_4_by<const FUSED: bool>(factors: &[Factors], re: &mut [Vector], im: &mut [Vector]) {
    let quarter = factors.len();
    // Slices of this very length spare the checks of indices.
    let re = &mut re[..4 * quarter];
    let im = &mut im[..4 * quarter];
    for (j, [w1, w2, w3]) in factors.iter().enumerate() {
        let at = [j, j + quarter, j + 2 * quarter, j + 3 * quarter];
        let [ar, br, cr, dr] = [re[at[0]], re[at[1]], re[at[2]], re[at[3]]];
        let [ai, bi, ci, di] = [im[at[0]], im[at[1]], im[at[2]], im[at[3]]];
        let mut out = [[[0.0; LANES]; 2]; 4];
        for l in 0..LANES {
            // s, t = a ± c and u, v = b ± d, the last turned by -i.
            let s_re = ar[l] + cr[l];
            let s_im = ai[l] + ci[l];
            let t_re = ar[l] - cr[l];
            let t_im = ai[l] - ci[l];
            let u_re = br[l] + dr[l];
            let u_im = bi[l] + di[l];
            let v_re = bi[l] - di[l];
            let v_im = dr[l] - br[l];
            out[0][0][l] = s_re + u_re;
            out[0][1][l] = s_im + u_im;
            (out[1][0][l], out[1][1][l]) = multiply_lane::<FUSED>(t_re + v_re, t_im + v_im, *w1);
            (out[2][0][l], out[2][1][l]) = multiply_lane::<FUSED>(s_re - u_re, s_im - u_im, *w2);
            (out[3][0][l], out[3][1][l]) = multiply_lane::<FUSED>(t_re - v_re, t_im - v_im, *w3);
        }
        for k in 0..4 {
            re[at[k]] = out[k][0];
            im[at[k]] = out[k][1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small numbers without pattern.
    fn values(length: usize, salt: u64) -> Vec<Vector> {
        let value = |t: usize, l: usize| {
            let x = (t as u64 * 8 + l as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (x >> 40) as f64 / f64::from(1 << 23) - 1.0
        };
        (0..length)
            .map(|t| std::array::from_fn(|l| value(t, l)))
            .collect()
    }

    #[test]
    fn every_length_equals_the_definition() {
        for length in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] {
            let fft = Fft::new(length);
            let (re, im) = (values(length, 1), values(length, 77));
            let mut out = Sequences {
                re: re.clone(),
                im: im.clone(),
            };
            fft.run(&mut out);
            let mut seen = vec![false; length];
            for f in 0..length {
                let at = fft.position(f);
                assert!(!std::mem::replace(&mut seen[at], true));
                for l in 0..LANES {
                    let (mut x, mut y) = (0.0, 0.0);
                    for t in 0..length {
                        let w = root((f * t) as u64, length as u64);
                        x += re[t][l] * w.re - im[t][l] * w.im;
                        y += re[t][l] * w.im + im[t][l] * w.re;
                    }
                    let error = (out.re[at][l] - x).hypot(out.im[at][l] - y);
                    assert!(error < 1e-12 * length as f64, "{length} {f} {l}: {error}");
                }
            }
        }
    }

    #[test]
    fn energy_is_kept() {
        let length = 1 << 13;
        let mut sequences = Sequences {
            re: values(length, 5),
            im: values(length, 6),
        };
        let energy = |sequences: &Sequences| -> f64 {
            let all = sequences.re.iter().chain(&sequences.im);
            all.flatten().map(|x| x * x).sum()
        };
        let before = energy(&sequences) * length as f64;
        Fft::new(length).run(&mut sequences);
        assert!((energy(&sequences) / before - 1.0).abs() < 1e-11);
    }
}
