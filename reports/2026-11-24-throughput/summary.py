"""Tables of README.md from the rows beside it."""
import csv
from statistics import mean, stdev


def rows(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def held(all_rows):
    """Cases and brackets: how many hold, and how many reach their gap."""
    for kind, of in (
        ("exact, gap 1 %", lambda r: r["gap"] == "0.01" and r["exact_or_low"] == r["high"]),
        ("exact, gap 0.1 %", lambda r: r["gap"] == "0.001"),
        ("brackets of another program, gap 1 %", lambda r: r["exact_or_low"] != r["high"]),
    ):
        chosen = [r for r in all_rows if of(r)]
        inside = sum(r["holds"] == "yes" for r in chosen)
        reached = sum(float(r["routing_gap"]) <= float(r["gap"]) for r in chosen)
        widest = max(float(r["routing_gap"]) for r in chosen)
        slowest = max(float(r["cpu_seconds"]) for r in chosen)
        print(f"| {kind} | {len(chosen)} | {inside} | {reached} | {100 * widest:.2f} % | {slowest:.1f} |")


def orderings(all_rows):
    """Jobs of 64 nodes that fill the machine: the compact ordering with the fewest hops, and random ones over ten seeds."""
    for network in dict.fromkeys(r["network"] for r in all_rows):
        for traffic in ("all-to-all", "ring", "stencil3d"):
            here = [r for r in all_rows if (r["network"], r["traffic"], r["alone"]) == (network, traffic, "no")]
            drawn = [r for r in here if r["ordering"].startswith("random")]
            value = lambda r: float(r["throughput"])
            for r in (r for r in here if r not in drawn):
                found = [value(d) for d in drawn]
                half = 2.262 * stdev(found) / len(found) ** 0.5
                top = max(float(d["throughput_at_most"]) for d in drawn)
                told = "more" if value(r) > top else "not told apart"
                if float(r["throughput_at_most"]) < min(found):
                    told = "less"
                hops = mean(float(d["mean_hops"]) for d in drawn) / float(r["mean_hops"])
                print(
                    f"| `{network}` | {traffic} | {r['ordering']} | {value(r):.3f} to {float(r['throughput_at_most']):.3f} | "
                    f"{mean(found):.3f} ± {half:.3f} | {hops:.2f} | {value(r) / mean(found):.2f} | {told} |"
                )


def alone(all_rows):
    for r in all_rows:
        if r["alone"] == "yes":
            all_at_once = next(
                a
                for a in all_rows
                if (a["network"], a["ordering"], a["traffic"], a["alone"])
                == (r["network"], r["ordering"], r["traffic"], "no")
            )
            print(
                f"| `{r['network']}` | {r['ordering']} | {float(r['throughput']):.2f} | "
                f"{float(all_at_once['throughput']):.3f} | {float(all_at_once['throughput_bound']):.3f} |"
            )


def floors(all_rows):
    for r in all_rows:
        if r["traffic"] == "longest matching itself":
            print(f"| `{r['network']}` | {r['traffic']} | | 1 | | {r['cpu_seconds']} | {r['wall_seconds']} | {r['sketch_cpu_seconds']} | |")
            continue
        gap, sketch = 100 * float(r["routing_gap"]), 100 * float(r["sketch_gap"])
        print(
            f"| `{r['network']}` | {r['traffic']} | `{r['routing']}` | {r['threads']} | {gap:.2f} % | {r['cpu_seconds']} | "
            f"{r['wall_seconds']} | {r['sketch_cpu_seconds']} at {sketch:.1f} % | "
            f"{float(r['cpu_seconds']) / float(r['sketch_cpu_seconds']):.1f} |"
        )


held(rows("cases.csv"))
print()
orderings(rows("windows.csv"))
print()
alone(rows("windows.csv"))
print()
floors(rows("floors.csv"))
