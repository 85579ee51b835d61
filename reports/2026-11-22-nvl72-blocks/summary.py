"""Tables of this report, with 95 % intervals over the seeds, as Markdown; and its pictures, blocks-16.svg and blocks-18.svg.

python3 summary.py
"""

import csv
import gzip
import json
import math

T9 = 2.262
CHAINS = {"18": "18", "18x36x72x144x288x576x1152x2304": "18, doubled to 2,304",
          "36x72x144x288x576x1152x2304": "36, doubled to 2,304", "72x144x288x576x1152x2304": "72, doubled to 2,304"}


def interval(values):
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, T9 * deviation / math.sqrt(len(values))


def rows(path):
    opened = gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")
    with opened as file:
        return list(csv.DictReader(file))


def named(allocator):
    """Block sizes and segments in words."""
    if allocator == "slurm-tree":
        return "slurm-tree", "none"
    options = dict(part.split("=") for part in allocator.split(":")[1].split(","))
    segment = options.get("segment", "none")
    return CHAINS[options["sizes"]], segment + (", consolidated" if "consolidate" in options else "")


def racks(row):
    """Share of the jobs on the fewest racks."""
    return next(level["at_fewest"] for level in json.loads(row["units"]) if level["level"] == "leaf")


FIGURES = [
    ("mean wait, min", lambda sweep, ring: float(sweep["mean_wait"]) / 60, 1),
    ("90 % wait up to, min", lambda sweep, ring: float(sweep["wait_p90"]) / 60, 1),
    ("use while jobs wait, %", lambda sweep, ring: 100 * float(sweep["utilisation_waiting"]), 1),
    ("largest job placeable", lambda sweep, ring: float(sweep["mean_placeable"]), 0),
    ("free nodes beyond it", lambda sweep, ring: float(sweep["mean_stranded"]), 0),
    ("Slurm's fragmentation", lambda sweep, ring: float(sweep["mean_slurm_fragmentation"] or "nan"), 0),
    ("on the fewest racks, %", lambda sweep, ring: 100 * racks(sweep), 1),
    ("all-reduce, ms", lambda sweep, ring: 1e3 * float(ring["seconds_mean"]), 1),
    ("beside others over alone", lambda sweep, ring: float(ring["slowdown_mean"]), 3),
]
SHOWN = [0, 3, 4, 7]


def picture(per, found):
    # Okabe and Ito, as the pages have them: apart for every colour vision.
    colours = ["#777777", "#0072b2", "#d55e00", "#56b4e9", "#cc79a7", "#e69f00"]
    left, wide, gap, height = 300, 200, 30, 20
    body, y = [], 74
    panels = [FIGURES[i] for i in SHOWN]
    for i, (title, *_) in enumerate(panels):
        body.append(f'<text x="{left + i * (wide + gap)}" y="62">{title}</text>')
    bases = list(dict.fromkeys(base for base, _ in found))
    for (base, segment), figures in found.items():
        name = base if base == "slurm-tree" else f"{base}; {segment}"
        body.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        for i, panel in enumerate(SHOWN):
            mean, half = figures[panel]
            scale = (wide - 56) / max(f[panel][0] + f[panel][1] for f in found.values())
            x, digits = left + i * (wide + gap), FIGURES[panel][2]
            colour = colours[bases.index(base)]
            body.append(f'<rect x="{x}" y="{y + 2}" width="{mean * scale:.1f}" height="{height - 5}" fill="{colour}"/>')
            body.append(f'<path d="M{x + (mean - half) * scale:.1f},{y + 9.5}H{x + (mean + half) * scale:.1f}" stroke="#000" stroke-width="1.5"/>')
            body.append(f'<text x="{x + (mean + half) * scale + 5:.1f}" y="{y + 14}" font-size="11">{mean:.{digits}f}</text>')
        y += height
    width = left + len(panels) * (wide + gap)
    title = f"Jobs with {per} nodes a rack on 128 racks of 18: blocks and segments (means of ten seeds; black: 95 % intervals)"
    with open(f"blocks-{per}.svg", "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y + 14}" font-family="sans-serif" font-size="12">'
                   f'<rect width="{width}" height="{y + 14}" fill="#fff"/><text x="16" y="28" font-size="15">{title}</text>'
                   + "".join(body) + "</svg>\n")


def main():
    rings = {(r["nodes_a_rack"], r["allocator"], r["seed"]): r for r in rows("allreduce.csv")}
    for per in ("16", "18"):
        table = rows(f"blocks-{per}.csv.gz")
        assert all(r["never_placed"] == "0" and r["left_out"] == "0" for r in table)
        by = {}
        for row in table:
            by.setdefault(row["allocator"], []).append(row)
        found, raw = {}, {}
        for allocator, ours in by.items():
            pairs = [(r, rings[per, allocator, r["seed"]]) for r in sorted(ours, key=lambda r: int(r["seed"]))]
            raw[named(allocator)] = [[of(*pair) for pair in pairs] for _, of, _ in FIGURES]
            found[named(allocator)] = [interval(values) for values in raw[named(allocator)]]
        print(f"\n### {per} nodes a rack\n\n| blocks | segment | " + " | ".join(f[0] for f in FIGURES) + " |")
        print("|---|---|" + "---|" * len(FIGURES))
        for (base, segment), figures in found.items():
            cells = ["" if math.isnan(m) else f"{m:.{d}f} ± {h:.{d}f}" for (m, h), (_, _, d) in zip(figures, FIGURES)]
            print(f"| {base} | {segment} | " + " | ".join(cells) + " |")
        base = (CHAINS["18x36x72x144x288x576x1152x2304"], "none")
        print("\nChange of the mean wait and of the all-reduce against blocks of 18, doubled, without segment, paired by seed, in %:\n")
        print("| blocks | segment | mean wait | all-reduce |\n|---|---|---|---|")
        for key, values in raw.items():
            change = lambda i: "{:.1f} ± {:.1f}".format(*interval([100 * (a / b - 1) for a, b in zip(values[i], raw[base][i])]))
            print(f"| {key[0]} | {key[1]} | {change(0)} | {change(7)} |")
        picture(per, found)


main()
