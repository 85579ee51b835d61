"""Means, 95 % intervals (Student's t) and differences paired by seed."""

import math
from functools import cache


@cache
def t_point(freedom):
    """The 97.5 % point of Student's t: the central density is summed by Simpson's rule, the point bisected."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    density = lambda x: scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    def central(x, steps=2000):
        h = x / steps
        inner = sum((4 if i % 2 else 2) * density(i * h) for i in range(1, steps))
        return 2 * h / 3 * (density(0) + inner + density(x))

    low, high = 1.9, 13.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if central(middle) < 0.95 else (low, middle)
    return (low + high) / 2


def mean(values):
    return math.fsum(values) / len(values)


def half_width(values):
    """Half of the 95 % interval of the mean; 0 where there is one value, which nothing random goes into."""
    n = len(values)
    if n < 2:
        return 0.0
    centre = mean(values)
    variance = math.fsum((v - centre) ** 2 for v in values) / (n - 1)
    # Below that it is rounding.
    return 0.0 if variance <= (1e-12 * centre) ** 2 else t_point(n - 1) * math.sqrt(variance / n)


def paired(of, to, percent):
    """Differences `of` less `to`, seed by seed (a value that nothing random goes into stands
    for every seed); in percent of the mean of `to` where asked for."""
    if len(to) == 1:
        to = to * len(of)
    if len(of) != len(to):
        raise ValueError(f"{len(of)} values against {len(to)}: both need the same seeds")
    unit = 100 / abs(mean(to)) if percent else 1.0
    return [(a - b) * unit for a, b in zip(of, to)]


def sign(values):
    """-1, 0 or 1: the side of zero on which the whole interval lies; 0 where zero is inside."""
    centre, half = mean(values), half_width(values)
    return (centre - half > 0) - (centre + half < 0)


def ranks(values):
    """Ranks from 1, ties sharing their mean."""
    return [sum(w < v for w in values) + (1 + sum(w == v for w in values)) / 2 for v in values]


def correlation(xs, ys):
    """Spearman's rank correlation."""
    a, b = ranks(xs), ranks(ys)
    ma, mb = mean(a), mean(b)
    above = math.fsum((x - ma) * (y - mb) for x, y in zip(a, b))
    below = math.sqrt(math.fsum((x - ma) ** 2 for x in a) * math.fsum((y - mb) ** 2 for y in b))
    return above / below if below else 0.0
