//! Collective operations run as loops of the libraries that they are taken from, rank by rank.

use std::collections::BTreeMap;

use nodeorder_base::NodeId;
use nodeorder_network::Topology;
use nodeorder_traffic::mapping::{Fabric, FixedRouting, Guest, ProcessMapping, analyse};

type Matrix = BTreeMap<(u32, u32), f64>;

/// What every rank sends whom, as `send(partner, amount)` says for each.
fn run(n: i64, mut rank_sends: impl FnMut(i64, &mut dyn FnMut(i64, i64))) -> Matrix {
    let mut matrix = Matrix::new();
    for rank in 0..n {
        rank_sends(rank, &mut |partner, amount| {
            if amount > 0 {
                *matrix.entry((rank as u32, partner as u32)).or_insert(0.0) += amount as f64;
            }
        });
    }
    matrix
}

fn make(text: &str) -> Guest {
    Guest::make(text, &Default::default()).unwrap()
}

fn matrix(text: &str) -> Matrix {
    let mut matrix = Matrix::new();
    make(text).for_each_message(|m| {
        matrix.insert((m.source, m.target), m.volume);
    });
    matrix
}

/// Holds a guest to loops for thirty sizes.
fn check(
    guest: &str,
    sizes: impl Iterator<Item = i64>,
    volume: fn(i64) -> i64,
    loops: fn(i64) -> Matrix,
) {
    let mut count = 0;
    for n in sizes.take(30) {
        let text = format!("{guest},n={n},volume={}", volume(n));
        assert_eq!(matrix(&text), loops(n), "{text}");
        count += 1;
    }
    assert!(count >= 12, "{guest}: {count}");
}

fn largest_power(n: i64) -> i64 {
    1 << n.ilog2()
}

fn powers() -> impl Iterator<Item = i64> {
    (1..13).map(|bit| 1 << bit)
}

/// MPICH `src/mpi/coll/allreduce/allreduce_intra_reduce_scatter_allgather.c`, of `count` = pof2 elements.
fn mpich_all_reduce(n: i64) -> Matrix {
    let pof2 = largest_power(n);
    let rem = n - pof2;
    run(n, |rank, send| {
        let newrank = if rank < 2 * rem {
            if rank % 2 == 0 {
                send(rank + 1, pof2);
                return;
            }
            rank / 2
        } else {
            rank - rem
        };
        let cnts = vec![1i64; pof2 as usize];
        let add = |from: i64, to: i64| (from..to).map(|i| cnts[i as usize]).sum::<i64>();
        let real = |newdst: i64| {
            if newdst < rem {
                newdst * 2 + 1
            } else {
                newdst + rem
            }
        };
        let mut mask = 1;
        let mut send_idx = 0;
        let mut recv_idx = 0;
        let mut last_idx = pof2;
        while mask < pof2 {
            let newdst = newrank ^ mask;
            if newrank < newdst {
                send_idx = recv_idx + pof2 / (mask * 2);
                send(real(newdst), add(send_idx, last_idx));
            } else {
                recv_idx = send_idx + pof2 / (mask * 2);
                send(real(newdst), add(send_idx, recv_idx));
            }
            send_idx = recv_idx;
            mask <<= 1;
            if mask < pof2 {
                last_idx = recv_idx + pof2 / mask;
            }
        }
        mask >>= 1;
        while mask > 0 {
            let newdst = newrank ^ mask;
            if newrank < newdst {
                if mask != pof2 / 2 {
                    last_idx += pof2 / (mask * 2);
                }
                recv_idx = send_idx + pof2 / (mask * 2);
                send(real(newdst), add(send_idx, recv_idx));
            } else {
                recv_idx = send_idx - pof2 / (mask * 2);
                send(real(newdst), add(send_idx, last_idx));
                send_idx = recv_idx;
            }
            mask >>= 1;
        }
        if rank < 2 * rem {
            send(rank - 1, pof2);
        }
    })
}

/// MPICH `src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_recursive_halving.c`, `recvcount` 1.
fn mpich_reduce_scatter(n: i64) -> Matrix {
    let pof2 = largest_power(n);
    let rem = n - pof2;
    run(n, |rank, send| {
        let newrank = if rank < 2 * rem {
            if rank % 2 == 0 {
                send(rank + 1, n);
                return;
            }
            rank / 2
        } else {
            rank - rem
        };
        let real = |newdst: i64| {
            if newdst < rem {
                newdst * 2 + 1
            } else {
                newdst + rem
            }
        };
        let newcnts: Vec<i64> = (0..pof2)
            .map(|i| if real(i) < 2 * rem { 2 } else { 1 })
            .collect();
        let add = |from: i64, to: i64| (from..to).map(|i| newcnts[i as usize]).sum::<i64>();
        let mut mask = pof2 >> 1;
        let mut send_idx = 0;
        let mut recv_idx = 0;
        let mut last_idx = pof2;
        while mask > 0 {
            let newdst = newrank ^ mask;
            if newrank < newdst {
                send_idx = recv_idx + mask;
                send(real(newdst), add(send_idx, last_idx));
            } else {
                recv_idx = send_idx + mask;
                send(real(newdst), add(send_idx, recv_idx));
            }
            send_idx = recv_idx;
            last_idx = recv_idx + mask;
            mask >>= 1;
        }
        if rank < 2 * rem {
            send(rank - 1, 1);
        }
    })
}

/// MPICH `allgather_intra_recursive_doubling.c` for a power of two.
fn mpich_doubling(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut mask = 1;
        let mut has = 1;
        while mask < n {
            send(rank ^ mask, has);
            has *= 2;
            mask <<= 1;
        }
    })
}

/// MPICH `allgather_intra_brucks.c`.
fn mpich_bruck(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut pof2 = 1;
        while pof2 <= n / 2 {
            send((rank - pof2 + n) % n, pof2);
            pof2 *= 2;
        }
        if n > pof2 {
            send((rank - pof2 + n) % n, n - pof2);
        }
    })
}

/// Open MPI `ompi/mca/coll/base/coll_base_allgather.c`, `ompi_coll_base_allgather_intra_ring`, and
/// `coll_base_reduce_scatter.c`, `ompi_coll_base_reduce_scatter_intra_ring`: n-1 steps of a block to the right.
fn open_mpi_ring(n: i64) -> Matrix {
    run(n, |rank, send| (1..n).for_each(|_| send((rank + 1) % n, 1)))
}

/// MPICH `src/mpi/coll/bcast/bcast_intra_binomial.c`, root 0.
fn mpich_binomial(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut mask = 1;
        while mask < n && rank & mask == 0 {
            mask <<= 1;
        }
        mask >>= 1;
        while mask > 0 {
            if rank + mask < n {
                send(rank + mask, 1);
            }
            mask >>= 1;
        }
    })
}

/// MPICH `bcast_utils.c`, `MPII_Scatter_for_bcast`, and the ring of `bcast_intra_scatter_ring_allgather.c`; of n
/// elements, root 0.
fn mpich_scatter_ring(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut mask = 1;
        let mut curr_size = if rank == 0 { n } else { 0 };
        while mask < n {
            if rank & mask != 0 {
                curr_size = mask.min(n - rank);
                break;
            }
            mask <<= 1;
        }
        mask >>= 1;
        while mask > 0 {
            if rank + mask < n {
                let send_size = curr_size - mask;
                if send_size > 0 {
                    send(rank + mask, send_size);
                    curr_size -= send_size;
                }
            }
            mask >>= 1;
        }
        (1..n).for_each(|_| send((rank + 1) % n, 1));
    })
}

/// `binary_to_negabinary` and `negabinary_to_binary` of `bine-trees`, `src/utils.h`.
fn to_negabinary(bin: i32) -> u32 {
    0xAAAA_AAAAu32.wrapping_add(bin as u32) ^ 0xAAAA_AAAA
}

fn to_binary(neg: u32) -> i32 {
    (0xAAAA_AAAA ^ neg).wrapping_sub(0xAAAA_AAAA) as i32
}

fn ceil_log2(n: i64) -> u32 {
    n.ilog2() + u32::from(n & (n - 1) != 0)
}

/// `smallest_negabinary` and `largest_negabinary` there, by adding up the digits that count either way.
fn in_range(x: i64, bits: u32) -> bool {
    let sum = |odd: u32| {
        (0..bits)
            .filter(|b| b % 2 == odd)
            .map(|b| (-2i64).pow(b))
            .sum::<i64>()
    };
    (sum(1)..=sum(0)).contains(&x)
}

/// `nu(rank, size)` there.
fn nu(rank: i64, size: i64) -> u32 {
    let bits = ceil_log2(size);
    let to_nu = |x: i64| {
        let nb = to_negabinary(x as i32);
        (nb ^ (nb >> 1)).reverse_bits() >> (32 - bits)
    };
    let both = if rank % 2 == 1 {
        [rank, rank - size]
    } else {
        [-rank, -rank + size]
    };
    let fit = both.into_iter().filter(|x| in_range(*x, bits));
    fit.map(to_nu).min().expect("one is in range")
}

/// `bine_allgather_block_by_block` of `bine-trees`, `src/allgather.c`: an even number of ranks.
fn bine_all_gather(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut inverse_mask = 1i64 << (ceil_log2(n) - 1);
        let mut step = 0;
        while inverse_mask > 0 {
            let distance = i64::from(to_binary(((inverse_mask << 1) - 1) as u32));
            let partner = if rank % 2 == 0 {
                rank + distance
            } else {
                rank - distance
            }
            .rem_euclid(n);
            for block in 1..n {
                let k = 31 - nu(block, n).leading_zeros();
                if k == step {
                    let to_send = if rank % 2 == 0 {
                        partner - block
                    } else {
                        block + partner
                    }
                    .rem_euclid(n);
                    if to_send != partner {
                        send(partner, 1);
                    }
                }
            }
            inverse_mask >>= 1;
            step += 1;
        }
    })
}

/// `bine_bcast_small` of `bine-trees`, `src/bcast.c`, root 0: whoever has the buffer sends it on.
fn bine_broadcast(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut mask = n >> 1;
        let mut received = rank == 0;
        let digits = to_negabinary(rank as i32);
        while mask > 0 {
            let lsbs_mask = ((mask << 1) - 1) as u32;
            let partner = i64::from(to_binary(digits ^ lsbs_mask)).rem_euclid(n);
            let lsbs = digits & lsbs_mask;
            if received {
                send(partner, 1);
            } else if lsbs == 0 || lsbs == lsbs_mask {
                received = true;
            }
            mask >>= 1;
        }
    })
}

/// Swing, NSDI'24, section 3.1: ρ(s) = Σ (-2)ⁱ for i up to s; in step s of the reduce-scatter half of what is left goes
/// to π(r, s) = r + ρ(s) for even r and r - ρ(s) for odd r, and the all-gather sends it back. Of n elements.
fn swing(n: i64) -> Matrix {
    run(n, |rank, send| {
        let mut left = n;
        let mut rho = 0i64;
        for step in 0..n.ilog2() {
            rho += (-2i64).pow(step);
            let peer = if rank % 2 == 0 {
                rank + rho
            } else {
                rank - rho
            }
            .rem_euclid(n);
            left /= 2;
            send(peer, 2 * left);
        }
    })
}

fn doubled(matrix: Matrix) -> Matrix {
    matrix
        .into_iter()
        .map(|(pair, v)| (pair, 2.0 * v))
        .collect()
}

#[test]
fn all_reduces_send_what_their_sources_do() {
    check(
        "all-reduce:rabenseifner",
        2..,
        largest_power,
        mpich_all_reduce,
    );
    check("all-reduce:ring", 2.., |n| n, |n| doubled(open_mpi_ring(n)));
    check("all-reduce:swing", powers(), |n| n, swing);
    check(
        "all-reduce:bine",
        (2..).step_by(2),
        |n| n,
        |n| doubled(bine_all_gather(n)),
    );
    // A reduce-scatter, then an all-gather, of a library that begins with the farthest.
    check(
        "all-reduce:halving",
        powers(),
        |n| n,
        |n| {
            let mut both = mpich_reduce_scatter(n);
            mpich_doubling(n)
                .into_iter()
                .for_each(|(pair, v)| *both.entry(pair).or_insert(0.0) += v);
            both
        },
    );
}

#[test]
fn other_collectives_send_what_their_sources_do() {
    check("all-gather:ring", 2.., |n| n, open_mpi_ring);
    check("all-gather:doubling", powers(), |n| n, mpich_doubling);
    check("all-gather:bruck", 2.., |n| n, mpich_bruck);
    check("all-gather:bine", (2..).step_by(2), |n| n, bine_all_gather);
    check("reduce-scatter:ring", 2.., |n| n, open_mpi_ring);
    check("reduce-scatter:halving", 2.., |n| n, mpich_reduce_scatter);
    check(
        "reduce-scatter:bine",
        (2..).step_by(2),
        |n| n,
        bine_all_gather,
    );
    check("broadcast:binomial", 2.., |_| 1, mpich_binomial);
    check("broadcast:scatter", 2.., |n| n, mpich_scatter_ring);
    check("broadcast:bine", powers(), |_| 1, bine_broadcast);
}

/// Nodes in order, leaf by leaf: `per_leaf` of n on each, `uplinks` links up.
fn contention(n: u32, per_leaf: u32, uplinks: u32, algorithm: &str) -> f64 {
    let spec = format!("xgft:m={per_leaf}x{},w=1x{uplinks}", n / per_leaf);
    let machine = Topology::inline(&spec, &Default::default()).unwrap();
    let guest = make(&format!("all-reduce:{algorithm},n={n}"));
    let nodes: Vec<NodeId> = machine.nodes().iter().collect();
    let mapping = ProcessMapping::in_order(&guest, "row-major", &nodes).unwrap();
    let routing = FixedRouting::find_by_name("ecmp-hop").unwrap();
    let fabric = Fabric::new(&machine).unwrap();
    analyse(&fabric, &guest, &mapping, routing)
        .unwrap()
        .contention
        .max
}

/// Of 128 pairs across two leaves each sends S/128 by Rabenseifner's order, and S by the other. Of 64 nodes on eight
/// leaves, 8·(S/8 + S/16 + S/32) and 8·2·(8 + 16 + 32)/64·S leave a leaf over four links.
#[test]
fn nearest_first_spares_uplinks() {
    assert_eq!(contention(256, 128, 1, "rabenseifner"), 1.0);
    assert_eq!(contention(256, 128, 1, "halving"), 128.0);
    assert_eq!(contention(64, 8, 4, "rabenseifner"), 0.4375);
    assert_eq!(contention(64, 8, 4, "halving"), 3.5);
}
