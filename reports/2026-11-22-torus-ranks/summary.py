"""Tables of this report, with 95 % intervals over the seeds, as Markdown; and their picture, seconds.svg.

python3 summary.py
"""

import csv
import math

T9 = 2.262


def interval(values):
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, T9 * deviation / math.sqrt(len(values))


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def picture(bars):
    colours = {"morton": "#b3432b", "hilbert": "#2b6cb3", "gilbert": "#4a9d8e", "snake": "#3b7d3b", "row-major:axes=zyx": "#777777"}
    height, left, wide, y, body = 26, 260, 420, 58, []
    top = max(mean + half for *_, mean, half in bars)
    for machine, order, mean, half in bars:
        if order == "morton":
            y += 16
            body.append(f'<text x="16" y="{y - 4}" font-weight="bold">{machine}</text>')
            y += 10
        scale = wide / top
        body.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{order}</text>')
        body.append(f'<rect x="{left}" y="{y + 2}" width="{mean * scale:.1f}" height="{height - 8}" fill="{colours[order]}"/>')
        body.append(f'<path d="M{left + (mean - half) * scale:.1f},{y + 11}H{left + (mean + half) * scale:.1f}" stroke="#000" stroke-width="1.5"/>')
        body.append(f'<text x="{left + (mean + half) * scale + 8:.1f}" y="{y + 15}">{mean:.2f} ms</text>')
        y += height
    title = "Rings side by side: milliseconds an iteration, mean of the jobs of ten full machines"
    with open("seconds.svg", "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 {y + 16}" font-family="sans-serif" font-size="13">'
                   f'<rect width="800" height="{y + 16}" fill="#fff"/><text x="16" y="28" font-size="15">{title}</text>'
                   f'<text x="16" y="46" fill="#555">black: 95 % interval over the seeds</text>' + "".join(body) + "</svg>\n")


def main():
    print("| machine | box | nodes | order | ring, mean hops | longest step | busiest link |\n|---|---|---|---|---|---|---|")
    for row in rows("shapes.csv"):
        print(f"| `{row['machine']}` | {row['shape']} | {row['nodes']} | `{row['order']}` | {float(row['ring_mean']):.3f} | "
              f"{row['ring_longest']} | {float(row['contention']):.0f} |")
    found, bars = {}, []
    for row in rows("seconds.csv"):
        found.setdefault((row["machine"], row["order"]), []).append(row)
    print("\n| machine | order | ring, mean hops | ms an iteration | beside others over alone | against `morton`, % |\n|---|---|---|---|---|---|")
    for (machine, order), ours in found.items():
        base = found[machine, "morton"]
        value = lambda column: "{:.3f} ± {:.3f}".format(*interval([float(r[column]) for r in ours]))
        took = interval([1e3 * float(r["seconds_mean"]) for r in ours])
        change = interval([100 * (float(r["seconds_mean"]) / float(b["seconds_mean"]) - 1) for r, b in zip(ours, base)])
        bars.append((machine, order, *took))
        print(f"| `{machine}` | `{order}` | {value('ring_mean')} | {took[0]:.2f} ± {took[1]:.2f} | {value('slowdown_mean')} | "
              f"{change[0]:.1f} ± {change[1]:.1f} |")
    picture(bars)


main()
