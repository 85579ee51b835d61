"""Node orderings for supercomputer schedulers: which order of nodes keeps jobs compact?

The same as the command ``nodeorder``, without files: machines, orderings, exact MPC curves, replays, schedules and
mappings as numpy arrays, pandas frames and networkx graphs.

>>> import nodeorder as no
>>> m = no.topology("torus:8x8")
>>> m.mpc(["hilbert", "row-major"], sizes=[2, 16]).round(2)
      hilbert  row-major
size
2        1.00       1.11
16       2.95       2.84

Nodes are whole numbers from 0, distances are hops, times are seconds. Whatever is refused is a
:class:`NodeorderError` with the message of the command.
"""

from . import trace
from ._curves import Curves
from ._error import NodeorderError
from ._jobs import corun, replay, schedule, slowdown
from ._lists import entries, machines, set_threads
from ._native import __version__
from ._networkx import from_networkx
from ._sites import Machines, audit, availability, compare, export, hosts, score, snapshot, sweep
from ._topology import Comparison, Ordering, Topology, topology

__all__ = [
    "Comparison",
    "Curves",
    "Machines",
    "NodeorderError",
    "Ordering",
    "Topology",
    "__version__",
    "audit",
    "availability",
    "compare",
    "corun",
    "entries",
    "export",
    "from_networkx",
    "hosts",
    "machines",
    "replay",
    "schedule",
    "score",
    "set_threads",
    "slowdown",
    "snapshot",
    "sweep",
    "topology",
    "trace",
]
