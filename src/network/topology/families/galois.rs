//! Finite fields of prime-power order, by tables, for the constructions of Slim Fly and of polarity graphs.
//!
//! ```text
//! GF(4), x² = x + 1: elements 0, 1, x = 2, x + 1 = 3
//! powers of x        1, 2, 3 for exponents 0, 1, 2
//! 2 · 3              exponents 1 + 2 = 3, 0 mod 3: the product is 1
//! 2 + 3              digit by digit in base 2: 10 + 11 = 01, the sum is 1
//! ```

/// Field GF(q), q = pᵉ. Element `v` is the polynomial whose coefficients are the base-p digits of `v`, lowest
/// first, so 0..p-1 are the prime field; addition works digit by digit, multiplication by logarithms to a
/// primitive element. O(q) memory; building tries reduction polynomials in order until one is primitive.
#[derive(Clone)]
pub(super) struct Field {
    /// Prime whose power the order is.
    p: u32,
    /// Number of elements.
    q: u32,
    /// Powers of the primitive element: `powers[i]` = ξⁱ for i in 0..q-1, ξ = [`Field::power`]`(1)`.
    powers: Vec<u32>,
    /// Logarithm of every element to the primitive one; entry 0 is unused.
    logarithms: Vec<u32>,
}

/// Finds p and e with pᵉ = `q`; `None` if `q` is no prime power. O(√q).
pub(crate) fn prime_power(q: u32) -> Option<(u32, u32)> {
    let p = (2..)
        .take_while(|p| u64::from(*p) * u64::from(*p) <= u64::from(q))
        .find(|p| q.is_multiple_of(*p))
        .unwrap_or(q);
    if p < 2 {
        return None;
    }
    let mut rest = q;
    let mut e = 0;
    while rest.is_multiple_of(p) {
        rest /= p;
        e += 1;
    }
    (rest == 1).then_some((p, e))
}

/// Names the numbers nearest to `q` that `valid` accepts, the one below and the one above, as in `5 and 7`.
pub(super) fn name_nearest(q: u32, valid: impl Fn(u32) -> bool) -> String {
    // Some numbers near the largest have none above them: the search must end.
    let below = (2..q).rev().find(|q| valid(*q));
    let above = (q.saturating_add(1)..).take(1 << 20).find(|q| valid(*q));
    let found = below.into_iter().chain(above);
    let found: Vec<String> = found.map(|q| q.to_string()).collect();
    found.join(" and ")
}

impl Field {
    /// Creates GF(`q`); `None` if q is no prime power.
    pub(super) fn new(q: u32) -> Option<Self> {
        let (p, _) = prime_power(q)?;
        // xᵉ is replaced by `tail`, of lower degree; x is primitive for some tail, as GF(q) has a
        // primitive element and its minimal polynomial is of degree e.
        (1..q).find_map(|tail| {
            let mut field = Field {
                p,
                q,
                powers: Vec::with_capacity(q as usize),
                logarithms: vec![0; q as usize],
            };
            let mut v = 1;
            loop {
                field.logarithms[v as usize] = field.powers.len() as u32;
                field.powers.push(v);
                v = field.times_x(v, tail);
                if v == 1 || v == 0 || field.powers.len() as u32 == q {
                    break;
                }
            }
            (v == 1 && field.powers.len() as u32 == q - 1).then_some(field)
        })
    }

    /// Multiplies `v` by x, where xᵉ = `tail`.
    fn times_x(&self, v: u32, tail: u32) -> u32 {
        let top = self.q / self.p;
        let times = u64::from(v / top);
        let p = u64::from(self.p);
        self.combine_digits(v % top * self.p, tail, |a, b| {
            ((u64::from(a) + times * u64::from(b)) % p) as u32
        })
    }

    /// Adds two elements.
    pub(super) fn add(&self, a: u32, b: u32) -> u32 {
        self.combine_digits(a, b, |a, b| (a + b) % self.p)
    }

    /// Subtracts b from a.
    pub(super) fn subtract(&self, a: u32, b: u32) -> u32 {
        self.combine_digits(a, b, |a, b| (a + self.p - b) % self.p)
    }

    /// Applies `digit` to the digits of two elements in base p.
    fn combine_digits(&self, mut a: u32, mut b: u32, digit: impl Fn(u32, u32) -> u32) -> u32 {
        let mut sum = 0;
        let mut weight = 1;
        while a > 0 || b > 0 {
            sum += weight * digit(a % self.p, b % self.p);
            a /= self.p;
            b /= self.p;
            // Too large after the highest digit alone, and then no longer needed.
            weight = weight.saturating_mul(self.p);
        }
        sum
    }

    /// Multiplies two elements.
    pub(super) fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power(self.logarithms[a as usize] + self.logarithms[b as usize])
    }

    /// Divides a by b, which is not 0.
    pub(super) fn divide(&self, a: u32, b: u32) -> u32 {
        if a == 0 {
            return 0;
        }
        // One round of exponents more keeps the difference from falling below 0.
        self.power(self.logarithms[a as usize] + self.q - 1 - self.logarithms[b as usize])
    }

    /// Raises ξ, the primitive element, to the power `i`.
    pub(super) fn power(&self, i: u32) -> u32 {
        self.powers[(i % (self.q - 1)) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prime_powers_are_recognised() {
        let found: Vec<u32> = (0..33).filter(|q| prime_power(*q).is_some()).collect();
        assert_eq!(
            found,
            [
                2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32
            ]
        );
        assert_eq!(prime_power(16_807), Some((7, 5)));
        assert_eq!(prime_power(2_147_483_647), Some((2_147_483_647, 1)));
    }

    #[test]
    fn the_axioms_hold() {
        for q in [2, 3, 4, 5, 7, 8, 9, 16, 25, 27] {
            let f = Field::new(q).unwrap();
            for a in 0..q {
                assert_eq!((f.add(a, 0), f.multiply(a, 1), f.multiply(a, 0)), (a, a, 0));
                assert_eq!(f.subtract(a, a), 0);
                assert!(
                    a == 0 || (1..q).any(|b| f.multiply(a, b) == 1),
                    "GF({q}): 1/{a}"
                );
                for b in 0..q {
                    assert!(
                        b == 0 || f.multiply(f.divide(a, b), b) == a,
                        "GF({q}): {a}/{b}"
                    );
                    assert_eq!(f.add(a, b), f.add(b, a));
                    assert_eq!(f.subtract(f.add(a, b), b), a);
                    for c in 0..q {
                        let left = f.multiply(a, f.add(b, c));
                        assert_eq!(left, f.add(f.multiply(a, b), f.multiply(a, c)), "GF({q})");
                        let left = f.multiply(f.multiply(a, b), c);
                        assert_eq!(left, f.multiply(a, f.multiply(b, c)), "GF({q})");
                    }
                }
            }
        }
        assert!(Field::new(6).is_none() && Field::new(1).is_none());
    }
}
