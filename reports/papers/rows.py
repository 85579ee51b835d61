"""Rows: from what the commands wrote to means over seeds, and `rows.csv`."""

import csv
import glob
import gzip
import json
import math
import re
from pathlib import Path

import stats

FIXED = ["figure", "mean", "half_width", "seeds", "values"]


def number(text):
    """A number where the text is one, else the text."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return text


def short(value):
    """A number as rows hold it: ten digits."""
    return f"{value:.10g}"


class Row:
    """What a row is about (`keys`: column to text), its figure, and a value for each seed."""

    def __init__(self, keys, figure, values):
        self.keys, self.figure, self.values = keys, figure, values

    @property
    def mean(self):
        return stats.mean(self.values)

    @property
    def half(self):
        return stats.half_width(self.values)


def read_lines(path, inside):
    """The lines of a CSV file, or of a JSON document; `inside`: the list in the document (keys and
    positions, with dots between), or the column of JSON lists, that holds them."""
    name = str(path).removesuffix(".gz")
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", newline="") as file:
        if not name.endswith(".json"):
            lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
            return [line | item for line in lines for item in json.loads(line[inside])] if inside else lines
        document = json.load(file)
    for step in inside.split(".") if inside else []:
        document = document[int(step) if step.isdigit() else step]
    lines = document if isinstance(document, list) else [document]
    return [{k: v for k, v in line.items() if not isinstance(v, (list, dict))} for line in lines]


def compute(formula, lines):
    """`formula` over lines: sum, mean, max, min and count take an expression of columns; the rest is arithmetic.
    A lone column needs a single line."""
    names = {"log": math.log, "abs": abs, "__builtins__": {}}
    values = [{k: number(v) for k, v in line.items()} for line in lines]

    def each(inner):
        code = compile(inner, formula, "eval")
        used = [v for v in values if all(v.get(n) not in ("", None) for n in code.co_names if n in v)]
        return [float(eval(code, names, v)) for v in used]

    def aggregate(match):
        found = each(match[2])
        by = {"sum": math.fsum, "mean": stats.mean, "max": max, "min": min, "count": len}[match[1]]
        return repr(float(by(found)))

    rest = re.sub(r"\b(sum|mean|max|min|count)\(((?:[^()]|\([^()]*\))*)\)", aggregate, formula)
    if rest == formula and len(lines) != 1:
        raise ValueError(f"`{formula}` of {len(lines)} lines: say sum(…), mean(…), max(…), min(…) or count(…)")
    return float(eval(rest, names, values[0]))


def extract(spec, folder):
    """The rows that one `[[rows]]` of a figure describes, from the files in `folder`."""
    pattern = re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(spec["from"])))
    paths = sorted(glob.glob(re.sub(r"\{\w+\}", "*", spec["from"]), root_dir=folder))
    groups = {}
    for path in paths:
        placed = pattern.fullmatch(path)
        if placed is None:
            continue
        for line in read_lines(Path(folder) / path, spec.get("list")):
            line |= placed.groupdict() | spec.get("set", {})
            # `parse = { column = "regular expression" }`: its named groups are columns, too.
            for column, named in spec.get("parse", {}).items():
                line |= (re.search(named, line[column]) or re.match("", "")).groupdict()
            if any(str(line.get(k)) not in ([v] if isinstance(v, str) else v) for k, v in spec.get("where", {}).items()):
                continue
            missing = [k for k in spec["keys"] if k not in line]
            if missing:
                raise ValueError(f"{path} has no column {missing[0]}")
            key = tuple(str(line[k]) for k in spec["keys"])
            groups.setdefault(key, {}).setdefault(number(line.get(spec.get("seed", "seed"), 0)), []).append(line)
    if not groups:
        raise ValueError(f"no lines in {spec['from']}")
    figures = spec["figures"]
    figures = figures if isinstance(figures, dict) else {name: name for name in figures}
    rows = []
    for key, by_seed in groups.items():
        for figure, formula in figures.items():
            try:
                values = [compute(formula, by_seed[seed]) for seed in sorted(by_seed)]
            except (ArithmeticError, NameError, SyntaxError, TypeError, ValueError) as e:
                raise ValueError(f"{spec['from']}: {' '.join(key)}: {figure}: {e}") from None
            rows.append(Row(dict(zip(spec["keys"], key)), figure, values))
    return rows


def write(path, rows):
    columns = list(dict.fromkeys(k for row in rows for k in row.keys))
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns + FIXED)
        for row in rows:
            values = " ".join(short(v) for v in row.values)
            # The interval is of the values as written, so that it comes out the same when it is checked.
            kept = Row(row.keys, row.figure, [float(short(v)) for v in row.values])
            texts = [row.keys.get(c, "") for c in columns]
            out.writerow(texts + [row.figure, short(kept.mean), short(kept.half), len(kept.values), values])


def read(path):
    """Rows of `rows.csv`; of `published.csv`, which has a column `value` and may say no figure."""
    rows = []
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            keys = {k: v for k, v in line.items() if k not in FIXED + ["value"] and v != ""}
            values = line.get("values") or line.get("value") or ""
            rows.append(Row(keys, line.get("figure", ""), [float(v) for v in values.split()]))
    return rows
