"""Progress of long calls, through tqdm where it is installed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._error import described, refused

#: Seconds after which a call counts as long.
PATIENCE = 1.0

Show = Callable[[int, int], None]


def wanted(progress: bool | None) -> bool:
    """Checks whether progress is shown: as asked for, else in notebooks and on terminals."""
    if progress is None:
        return "ipykernel" in sys.modules or sys.stderr is not None and sys.stderr.isatty()
    if isinstance(progress, bool):
        return progress
    raise refused("progress", described(progress), "True, False or None")


@contextmanager
def shown(progress: bool | None, what: str, unit: str) -> Iterator[Show | None]:
    """Makes a function of the work done and the total that shows a bar after a second; None for no bar."""
    if not wanted(progress):
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    began = time.monotonic()
    bars: list[Any] = []

    def show(done: int, total: int) -> None:
        if not bars and time.monotonic() - began > PATIENCE:
            bars.append(tqdm(desc=what, unit=unit, unit_scale=True, total=total or None, leave=False))
        for bar in bars:
            bar.total = total or None
            bar.update(max(done - bar.n, 0))
            bar.refresh()

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()
