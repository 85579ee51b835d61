"""The tables of README.md from rows.csv: python3 summary.py. Random placements are ten draws: mean and 95 % interval."""
import csv
import statistics

T9 = 2.262157  # 97.5 % of Student's distribution of 9 degrees of freedom

rows = list(csv.DictReader(open("rows.csv")))
groups = {}
for row in rows:
    groups.setdefault((row["machine"], row["records"], row["placement"]), []).append(row)
machine = None
for (where, records, placement), draws in groups.items():
    if (where, records) != machine:
        machine = (where, records)
        level = draws[0]["level"]
        print(f"\n`{where}`, {records}\n")
        print(f"| placement | jobs | skipped | mean hops | against recorded | {level or 'units'} spanned |\n|---|---|---|---|---|---|")
    hops = [float(row["mean_hops"]) for row in draws]
    value = f"{statistics.mean(hops):.4f}"
    spanned = [float(row["spanned"]) for row in draws if row["spanned"]]
    units = f"{statistics.mean(spanned):.2f}" if spanned else ""
    if len(draws) > 1:
        half = T9 * statistics.stdev(hops) / len(draws) ** 0.5
        value += f" ± {half:.4f} (ten draws)"
    first = draws[0]
    change = ""
    if first["change"]:
        change = "{:+.1%} ({:+.1%} to {:+.1%})".format(*[float(first[key]) for key in ("change", "low", "high")]).replace("%", " %")
        change += ", draw 1" if len(draws) > 1 else ""
    print(f"| {placement} | {first['jobs']} | {first['skipped']} | {value} | {change} | {units} |")
