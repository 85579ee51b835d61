"""Pictures of rows beside published values: lines or bars in panels. Colours: Okabe and Ito, told apart by the
colour-blind, too; published values are hollow and dashed."""

import math
from html import escape

from claims import against, select
from rows import number

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"]
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 380, 260, 58, 34, 46
# Panels side by side, and how wide a letter is about.
ABREAST, LETTER = 2, 6.6


def nice_ticks(low, high, count=5):
    step = 10 ** math.floor(math.log10((high - low) / count))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (m * step) <= count)
    return [i * step for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high):
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [m * 10.0**d for d in decades for m in (1, 2, 5)]
    return [t for t in ticks if low * 0.999 <= t <= high * 1.001]


class Axis:
    def __init__(self, values, start, end, log):
        low, high = min(values), max(values)
        if not log:
            low = min(low, 0.0) if low < 0.4 * high else low
            high = max(high, 0.0)
        if low == high:
            low, high = (low / 2, high * 2) if log else (low - 1, high + 1)
        self.log, self.ticks = log, log_ticks(low, high) if log else nice_ticks(low, high)
        self.low, self.high = min([low, *self.ticks]), max([high, *self.ticks])
        self.start, self.end = start, end

    def at(self, value):
        scale = math.log if self.log else float
        part = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.start + part * (self.end - self.start)


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(str(words))}</text>'


def tick_label(value):
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:.10g}"


def tick_labels(ticks, at, middle):
    """Labels below an axis: `ticks` of name and value. Names of bars that would touch stand on two lines; of numbers, those
    that would touch the one before are left out."""
    placed = [(name, at(tick), LETTER * len(name) / 2 + 3) for name, tick in ticks]
    touch = any(b[1] - b[2] < a[1] + a[2] for a, b in zip(placed, placed[1:]))
    end, out = -math.inf, []
    for i, (name, x, half) in enumerate(placed):
        if middle:
            out.append(text(x, TOP + HEIGHT + 16 + (13 if touch and i % 2 else 0), name))
        elif x - half >= end:
            out.append(text(x, TOP + HEIGHT + 16, name))
            end = x + half
    return out, 10 if middle and touch else 0


def in_order(names):
    """Numbers by their size, then words as they came."""
    rank = lambda name: float(name) if name.replace(".", "", 1).isdigit() else math.inf
    return sorted(names, key=rank)


def panel(title, ours, published, spec, colours):
    """One panel: rows by series; `published` rows with a value each."""
    left = LEFT
    bars = spec.get("kind", "lines") == "bars"
    xs = list(dict.fromkeys(label_of(r, spec["x"]) for r in ours + published))
    place = {x: i for i, x in enumerate(in_order(xs))} if bars else {x: number(x) for x in xs}
    ys = [r.mean + s * r.half for r in ours for s in (-1, 1)] + [r.mean for r in published]
    y = Axis(ys + ([0.0] if bars else []), TOP + HEIGHT, TOP, spec.get("log_y", False))
    span = [-0.5, len(xs) - 0.5] if bars else list(place.values())
    x = Axis(span, left, left + WIDTH, spec.get("log_x", False))
    if bars:
        x.low, x.high = span
    parts = [text(left + WIDTH / 2, TOP - 12, title, more='font-weight="bold"')] if title else []
    for tick in y.ticks:
        parts.append(f'<path class="grid" d="M{left} {y.at(tick):.1f}h{WIDTH}"/>')
        parts.append(text(left - 6, y.at(tick) + 4, tick_label(tick), "end"))
    names = spec.get("names", {})
    ticks = [(names.get(n, n), t) for n, t in place.items()] if bars else [(tick_label(t), t) for t in x.ticks]
    labels, lower = tick_labels(ticks, x.at, bars)
    parts += labels
    parts.append(text(left + WIDTH / 2, TOP + HEIGHT + 36 + lower, spec.get("x_label", spec["x"])))
    for index, (name, colour) in enumerate(colours.items()):
        for rows, known in ((ours, False), (published, True)):
            line = [r for r in rows if series_of(r, spec) == name]
            line = sorted(line, key=lambda r: place[label_of(r, spec["x"])])
            if bars:
                width = 0.8 * WIDTH / len(xs) / len(colours)
                shift = (index - (len(colours) - 1) / 2) * width
                points = [(x.at(place[label_of(r, spec["x"])]) + shift, r) for r in line]
            else:
                points = [(x.at(place[label_of(r, spec["x"])]), r) for r in line]
            parts += marks(points, y, colour, known, bars and not known and width, spec.get("kind") != "points")
    return parts


def marks(points, y, colour, known, width, joined):
    """Points with their intervals; bars, or joined by a line."""
    parts = []
    path = " ".join(f"{px:.1f},{y.at(r.mean):.1f}" for px, r in points)
    if width is False and joined and len(points) > 1:
        dash = ' stroke-dasharray="5 4"' if known else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
    for px, r in points:
        at = y.at(r.mean)
        if width:
            top, foot = sorted((at, y.at(0.0)))
            parts.append(f'<rect x="{px - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
                         f'height="{foot - top:.1f}" fill="{colour}" stroke="#fff"/>')
        elif known or len(points) <= 40:
            parts.append(f'<circle cx="{px:.1f}" cy="{at:.1f}" r="{4 if known else 2.6}" stroke="{colour}" '
                         f'stroke-width="1.6" fill="{"#fff" if known else colour}"/>')
        if r.half:
            parts.append(f'<path d="M{px:.1f} {y.at(r.mean - r.half):.1f}V{y.at(r.mean + r.half):.1f}" '
                         f'stroke="{"#333" if width else colour}"/>')
    return parts


def label_of(row, column):
    """What a row has in a column; none in a column that is not there."""
    return row.figure if column == "figure" else row.keys.get(column, "")


def series_of(row, spec):
    columns = spec["series"] if isinstance(spec["series"], list) else [spec["series"]]
    return " ".join(label_of(row, c) for c in columns).strip()


def draw(spec, rows, published):
    """The picture of a figure as SVG, its title left empty, and whether it shows a published value."""
    ours = select(rows, spec.get("rows", {}))
    if "compare" in spec:
        ours = against(ours, spec["compare"])
    known = [r for r in published if not r.figure or r.figure in {o.figure for o in ours}]
    # A published value need not have every column of ours.
    of_ours = lambda r: {k: v for k, v in spec.get("rows", {}).items() if k in r.keys}
    known = [r for r in known if select([r], of_ours(r))]
    by = spec.get("panels", "figure")
    of = lambda r: label_of(r, by)
    panels = list(dict.fromkeys(map(of, ours)))
    names = list(dict.fromkeys(series_of(r, spec) for r in ours + known if by != "figure" or r.figure or not known))
    names = [n for n in names if n] or [""]
    colours = {n: COLOURS[i % len(COLOURS)] for i, n in enumerate(names)}
    words = spec.get("names", {})
    beside = False
    parts, tall = [], TOP + HEIGHT + BOTTOM + 10
    for i, name in enumerate(panels):
        here = [r for r in known if of(r) in ("", name)] if by == "figure" else [r for r in known if of(r) == name]
        beside = beside or bool(here)
        across, down = i % ABREAST * (WIDTH + LEFT + 12), i // ABREAST * tall
        parts.append(f'<g transform="translate({across} {down})">')
        parts += panel(words.get(name, name), [r for r in ours if of(r) == name], here, spec, colours)
        parts.append("</g>")
    width = min(len(panels), ABREAST) * (WIDTH + LEFT + 12) + 10
    top = math.ceil(len(panels) / ABREAST) * tall + 12
    entries = [(words.get(n, n), c, False) for n, c in colours.items() if n]
    entries += [("published", "#333333", True)] if beside else []
    x, y = LEFT, top
    for name, colour, hollow in entries:
        wide = 26 + 7 * len(name)
        if x + wide > width and x > LEFT:
            x, y = LEFT, y + 18
        fill = "#fff" if hollow else colour
        parts.append(f'<circle cx="{x + 5}" cy="{y - 4}" r="4" fill="{fill}" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(text(x + 14, y, name, "start"))
        x += wide
    height = y + 12
    style = ("text{font:12px sans-serif;fill:#222}.grid{stroke:#ddd;fill:none}"
             "@media(prefers-color-scheme:dark){svg{background:#fff}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"><title></title><style>{style}</style>'
            f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"), beside
