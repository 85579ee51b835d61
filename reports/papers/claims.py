"""Claims: what a figure's rows must show, and the verdicts that follow from them."""

import re

import stats
from rows import Row, number

KEYS = {"published", "tested", "text", "verdict", "why", "rows", "compare", "is", "magnitude", "calibrated", "derived", "ranks",
        "show", "unit"}
# The one tolerance: a published number agrees in magnitude where our mean is off by at most this share of it, and the
# half width of its interval is no more than that.
TOLERANCE = 0.1
AGREES, DIFFERS, NONE = "agrees", "differs", "none"
SIGN, MAGNITUDE, CALIBRATED, UNEXPLAINED = "agrees (sign)", "agrees (magnitude)", "calibrated", "differs, unexplained"
# Words by which a sentence claims a rank.
RANKS = re.compile(r"\b(first|second|third|best|poorest|most|fastest|slowest|longest|shortest)\b(?! fit| case)", re.IGNORECASE)


def select(rows, where):
    """The rows whose columns have the wanted texts; a list stands for any of its texts."""
    wanted = {k: v if isinstance(v, list) else [v] for k, v in where.items()}
    have = lambda row, k: row.figure if k == "figure" else row.keys.get(k)
    return [row for row in rows if all(have(row, k) in texts for k, texts in wanted.items())]


def against(rows, compare):
    """`compare = {column, of, to}`: rows of `of` less those of `to`, paired by seed, in percent of the latter unless
    `as = "difference"`; one for each combination of the other columns. `of` may be a list, or "*": all but `to` and
    those that the source has ahead of it (`but`)."""
    column, percent = compare["column"], compare.get("as", "percent") == "percent"
    label = lambda row: row.figure if column == "figure" else row.keys.get(column)
    of = compare["of"] if isinstance(compare["of"], list) else [compare["of"]]
    if of == ["*"]:
        of = [name for name in dict.fromkeys(map(label, rows)) if name not in [compare["to"], *compare.get("but", [])]]
    rest = lambda row: (tuple(sorted((k, v) for k, v in row.keys.items() if k != column)),
                        row.figure if column != "figure" else "")
    base = {rest(row): row for row in rows if label(row) == compare["to"]}
    found = []
    for row in rows:
        if label(row) in of and rest(row) in base:
            change = stats.paired(row.values, base[rest(row)].values, percent)
            found.append(Row(row.keys, row.figure, change))
    return found


def outcome(yes, against_it):
    """agrees where all hold; differs where one is contradicted; else none: differences inside their intervals."""
    return "agrees" if yes else "differs" if against_it else "none"


def signs(rows, wanted):
    found = [stats.sign(row.values) for row in rows]
    return outcome(all(s == wanted for s in found), any(s == -wanted for s in found))


def judge(rows, relation, published):
    """What the rows say to a relation: agrees, differs or none. Relations are in README.md."""
    name, value = next(iter(relation.items()))
    if name == "below":
        return signs([Row(r.keys, r.figure, [v - value for v in r.values]) for r in rows], -1)
    if name == "above":
        return signs([Row(r.keys, r.figure, [v - value for v in r.values]) for r in rows], 1)
    if name == "equals":
        close = lambda r: abs(r.mean - value) <= max(r.half, abs(value) * 1e-9)
        return outcome(all(map(close, rows)), True)
    if name == "between":
        low, high = value
        inside = all(low <= r.mean <= high for r in rows)
        return outcome(inside, any(r.mean + r.half < low or r.mean - r.half > high for r in rows))
    if name in ("rises", "falls"):
        return trend(rows, value, 1 if name == "rises" else -1)
    if name == "order":
        return order(rows, relation["along"], value)
    if name in ("most", "least"):
        column, rest = relation["along"], {"of": "*", "to": value, "as": "difference"}
        return signs(against(rows, {"column": column} | rest), -1 if name == "most" else 1)
    if name == "near":
        return near(rows, value, published)
    pairs = beside(rows, published)
    if not pairs:
        raise ValueError("no row has the columns of a published one")
    if name == "correlated":
        return outcome(stats.correlation([r.mean for r, _ in pairs], [p for _, p in pairs]) >= value, True)
    raise ValueError(f"unknown relation `{name}`")


def near(rows, value, published):
    """Whether every mean has the published magnitude: a number, a range `[a, b]`, a number by label (a table), or
    "published", the values of `published.csv`."""
    if value == "published":
        wanted = beside(rows, published)
    elif isinstance(value, dict):
        found = lambda r: [v for k, v in value.items() if k in (r.figure, *r.keys.values())]
        wanted = [(r, found(r)[0]) for r in rows if found(r)]
    else:
        wanted = [(r, value) for r in rows]
    if not wanted:
        raise ValueError("no row has the columns of a published number")
    inside, clear = [], []
    for row, number in wanted:
        ends = sorted(number) if isinstance(number, list) else [number, number]
        unit = min(map(abs, ends)) if row.mean < ends[0] else abs(ends[1]) if row.mean > ends[1] else max(map(abs, ends))
        off = max(ends[0] - row.mean, row.mean - ends[1], 0.0)
        inside.append(off <= TOLERANCE * unit and row.half <= TOLERANCE * unit)
        clear.append(off - row.half > TOLERANCE * unit)
    return outcome(all(inside), any(clear))


def beside(rows, published):
    """Rows with the published value whose columns they have."""
    pairs = []
    for row in rows:
        for known in published:
            if known.figure in ("", row.figure) and all(row.keys.get(k) == v for k, v in known.keys.items() if k != "derived"):
                pairs.append((row, known.mean))
    return pairs


def series(rows, column):
    """Rows that differ in `column` alone, by its number."""
    found = {}
    for row in rows:
        key = (row.figure, *((k, v) for k, v in sorted(row.keys.items()) if k != column))
        found.setdefault(key, []).append(row)
    return [sorted(rows, key=lambda r: number(r.keys[column])) for rows in found.values()]


def trend(rows, column, wanted):
    """No step clearly the other way, and the last clearly beyond the first, in every series."""
    steps, ends = [], []
    for line in series(rows, column):
        change = lambda a, b: stats.sign(stats.paired(b.values, a.values, False)) * wanted
        steps += [change(a, b) for a, b in zip(line, line[1:])]
        ends.append(change(line[0], line[-1]))
    return outcome(all(s >= 0 for s in steps) and all(e > 0 for e in ends), any(s < 0 for s in steps + ends))


def order(rows, column, labels):
    """Each label's rows are clearly below those of the next one, paired by seed."""
    steps = []
    for low, high in zip(labels, labels[1:]):
        steps += against(rows, {"column": column, "of": low, "to": high, "as": "difference"})
    if not steps:
        raise ValueError(f"no rows for the order of {', '.join(labels)}")
    return signs(steps, -1)


def figures(row):
    """A row's mean with its interval, to three digits."""
    digits = lambda v: f"{v:.0f}" if abs(v) >= 1000 else f"{v:.3g}"
    return digits(row.mean) + (f" ± {digits(row.half)}" if row.half else "")


def shown(rows, claim):
    """The claim's rows in few words: each where they are few, else the smallest and the largest."""
    unit = claim.get("unit", "")
    unit = unit and " " + unit
    column = claim.get("show")
    name = lambda row: f"{row.figure if column == 'figure' else row.keys[column]}: " if column else ""
    rows = rows if len(rows) <= 6 else [min(rows, key=lambda r: r.mean), max(rows, key=lambda r: r.mean)]
    return (", " if column or len(rows) != 2 else " to ").join(f"{name(r)}{figures(r)}{unit}" for r in rows)


def ranked(claim, rows):
    """What is wrong with a rank that the claim is about: a rival that the source ranks and the rows have not."""
    if not claim.get("ranks"):
        # `ranks = false`: the sentence has such a word and claims no rank.
        silent = "published" not in claim or claim.get("ranks") is False or not RANKS.search(claim["published"])
        return None if silent else "claims a rank: say over how many entries (`ranks`), or `ranks = false`"
    compare, relation = claim.get("compare"), claim["is"]
    column = relation.get("along", compare["column"] if compare else claim.get("show"))
    label = lambda row: row.figure if column == "figure" else row.keys.get(column)
    have = {label(row) for row in rows} if not compare or compare["column"] != column or compare["of"] == "*" else {
        *(compare["of"] if isinstance(compare["of"], list) else [compare["of"]]), compare["to"]}
    if "order" in relation:
        have = set(relation["order"])
    have |= set((compare or {}).get("but", []))
    if len(have) < claim["ranks"]:
        return f"a rank over {len(have)} entries; the source ranks {claim['ranks']}"
    return None


def check(claim, rows, published):
    """The verdict that follows from the rows, whether published numbers are met (or nothing), the rows in words, and
    what is wrong with the claim itself."""
    unknown = set(claim) - KEYS
    if unknown:
        raise ValueError(f"unknown key `{unknown.pop()}` in a claim")
    all_of = chosen = select(rows, claim["rows"])
    if "compare" in claim:
        chosen = against(chosen, claim["compare"])
    if not chosen:
        raise ValueError(f"no rows for {claim['rows']}")
    sign = judge(chosen, claim["is"], published)
    size = sign if "near" in claim["is"] else near(chosen, claim["magnitude"], published) if "magnitude" in claim else None
    word = sign
    if sign == AGREES and "published" in claim:
        word = CALIBRATED if "calibrated" in claim else MAGNITUDE if size == AGREES else SIGN
    elif sign == DIFFERS and "why" not in claim:
        word = UNEXPLAINED
    return word, size, shown(chosen, claim), ranked(claim, all_of)
