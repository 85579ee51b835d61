"""Frames from CSV, and logs and traces from frames. Columns have the names that the library gives them."""

from __future__ import annotations

import io
import os
from typing import Any

import pandas as pd

from . import _native
from ._error import described, path_text, refused

#: What makes pandas read numbers exactly, which it does by itself from version 3 on.
EXACT: dict[str, Any] = {} if int(pd.__version__.split(".")[0]) >= 3 else {"float_precision": "round_trip"}


def frame(table: bytes) -> pd.DataFrame:
    """Reads the table of a CSV; empty fields are missing, numbers are exactly those written."""
    read: pd.DataFrame = pd.read_csv(io.BytesIO(table), keep_default_na=False, na_values=[""], **EXACT)
    return read


def source(name: str, value: object) -> _native.Source:
    """Names a path for the compiled part, or writes a frame of events (P or F) or of jobs as a log or a table."""
    if isinstance(value, (str, os.PathLike)):
        return {"name": path_text(name, value), "text": None, "columns": None}
    if not isinstance(value, pd.DataFrame):
        raise refused(name, described(value), "a path or a DataFrame")
    if "event" in value.columns:
        return {"name": name, "text": placements(name, value), "columns": None}
    names = {role: role for role in _native.ROLES if role in value.columns}
    if "node_list" in value.columns:
        names.setdefault("list", "node_list")
    columns = ",".join(f"{role}={column}" for role, column in names.items())
    if not columns:
        found = "columns " + ", ".join(map(str, value.columns))
        raise refused(name, found, "submit or start, end or run, and nodes; or event, job and nodes")
    return {"name": name, "text": value.to_csv(index=False).encode(), "columns": columns}


def placements(name: str, table: pd.DataFrame) -> bytes:
    """Writes the text of a placement log."""
    missing = [column for column in ("event", "job", "nodes") if column not in table.columns]
    if missing:
        raise refused(name, "no column " + ", ".join(missing), "the columns event, job and nodes")
    lines = []
    for event, job, nodes in zip(table["event"], table["job"], table["nodes"]):
        if any(mark in str(job) for mark in (" ", "\n", "\t", "#")):
            raise refused(name, f"job {job!r}", "names of jobs without blanks and #")
        size = "" if pd.isna(nodes) else f" {whole_text(nodes)}"
        lines.append(f"{event} {job}{size if event == 'P' else ''}\n")
    return "".join(lines).encode()


def whole_text(value: Any) -> str:
    """Writes a count as a log has it. Frames hold whole numbers as floats where others are missing."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
