"""Prints the table of Benchmarks/never-slower from lines "RATE IMAGE NODES MILLISECONDS"."""

import statistics
import sys

NAMES = {"f32": "floats", "u16": "16-bit", "rice": "Rice"}

times = {}
with open(sys.argv[1]) as lines:
    for line in lines:
        rate, image, nodes, milliseconds = line.split()[:4]
        times.setdefault((rate, image), {}).setdefault(int(nodes), []).append(int(milliseconds) / 1000)

print("| link | image | 0 nodes | 1 | 2 | 3 | most beside fewer nodes |")
print("|---|---|---|---|---|---|---|")
for (rate, image), counts in times.items():
    medians = [statistics.median(counts[nodes]) for nodes in sorted(counts)]
    ratios = [after / before for before, after in zip(medians, medians[1:])]
    size, _, kind = image.rpartition("-")
    cells = " | ".join(f"{value:.2f}" for value in medians)
    print(f"| {rate} | {size}, {NAMES.get(kind, kind)} | {cells} | {max(ratios, default=1):.2f} |")
