"""rows.csv into time.svg and memory.svg: both axes logarithmic. Usage: draw.py (in this directory)."""

import csv
import math

rows = list(csv.DictReader(open("rows.csv")))
COLOURS = {"pairs": "#b3402a", "transform": "#1f6fb2", "auto": "#2b8a57", "searches": "#7a4fa3"}


def draw(name, title, unit, value, threads, low, high):
    left, top, width, height = 80, 50, 560, 380
    x = lambda n: left + width * (math.log10(n) - 3) / 3
    y = lambda v: top + height * (1 - (math.log10(v) - low) / (high - low))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 490" font-family="sans-serif" font-size="13">',
           '<rect width="780" height="490" fill="white"/>', f'<text x="{left}" y="28" font-size="16">{title}</text>']
    for e in range(3, 7):
        out.append(f'<path d="M{x(10**e):.1f} {top}V{top + height}" stroke="#ddd"/>'
                   f'<text x="{x(10**e):.1f}" y="{top + height + 20}" text-anchor="middle">{10**e:,}</text>')
    for e in range(low, high + 1):
        label = f"{10**e:,}" if e >= 0 else f"{10.0**e:g}"
        out.append(f'<path d="M{left} {y(10.0**e):.1f}H{left + width}" stroke="#ddd"/>'
                   f'<text x="{left - 8}" y="{y(10.0**e) + 4:.1f}" text-anchor="end">{label}</text>')
    out.append(f'<text x="{left + width / 2}" y="{top + height + 42}" text-anchor="middle">nodes</text>'
               f'<text transform="translate(20 {top + height / 2}) rotate(-90)" text-anchor="middle">{unit}</text>')
    legend = top + 10
    for method, colour in COLOURS.items():
        for count in threads:
            points = {}
            for r in rows:
                order = "row-major" if method == "searches" else "random"
                cubic = r["machine"].split(":")[-1].split("x")
                if r["method"] == method and int(r["threads"]) == count and r["ordering"] == order and \
                        (method == "searches" or len(set(cubic)) == 1):
                    points[int(r["nodes"])] = value(r)
            if not points:
                continue
            at = [(x(n), y(v)) for n, v in sorted(points.items())]
            dash = ' stroke-dasharray="5 4"' if count == 1 else ""
            out.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in at)}" fill="none" '
                       f'stroke="{colour}" stroke-width="2"{dash}/>')
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.5" fill="{colour}"/>' for a, b in at]
            out.append(f'<path d="M655 {legend}h24" stroke="{colour}" stroke-width="2"{dash}/>'
                       f'<text x="684" y="{legend + 4}">{method} {count}</text>')
            legend += 20
    open(name, "w").write("\n".join(out + ["</svg>", ""]))


draw("time.svg", "Whole process, best wall time; threads in the legend", "seconds",
     lambda r: float(r["best_s"]), (1, 2), -3, 2)
draw("memory.svg", "Peak memory of the process, two threads", "MB", lambda r: int(r["peak_kb"]) / 1024, (2,), 0, 3)
