"""What the tests share."""

from __future__ import annotations

import os

os.environ.setdefault("MPLBACKEND", "agg")

import pytest
from hypothesis import HealthCheck, settings

import nodeorder as no

settings.register_profile(
    "nodeorder", deadline=None, max_examples=25, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("nodeorder")

#: Machines of every kind of distance: closed forms, trees, searches; with gaps, and with several nodes a router.
SPECS = [
    "torus:5x4",
    "torus:4x3x2,per_router=2",
    "mesh:4x5,exclude=3-5",
    "grid:6x3,wrap=10",
    "hyperx:3x4",
    "fat-tree:k=4",
    "dragonfly:p=2,a=4,h=2",
    "random-regular:n=20,d=3",
    "slim-fly:q=5",
    "cascade:2x3x2",
]


@pytest.fixture(params=SPECS)
def machine(request: pytest.FixtureRequest) -> no.Topology:
    return no.topology(request.param)


@pytest.fixture
def torus() -> no.Topology:
    return no.topology("torus:8x8")
