#!/usr/bin/env python3
"""Example:

    night_photometry.py TRUTH CLEAN REDUCED  prints how two catalogues compare, and fails if they differ by 1 % or more

TRUTH has the sources of a synthetic night, CLEAN is the catalogue of the clean sky and REDUCED that of the calibrated
frame, all as CSV. Compared are the share of the sources of at least 10 sigma that are found, and the fluxes of those of
at least 50 sigma that do not saturate: the median of the ratios, and its median deviation."""

import csv
import statistics
import sys

RADIUS = 2.0


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Catalogue:
    """Sources by their pixels."""

    def __init__(self, path):
        self.rows = read(path)
        self.cells = {}
        for row in self.rows:
            row["place"] = float(row["x"]), float(row["y"])
            self.cells.setdefault(self.cell(row["place"]), []).append(row)

    @staticmethod
    def cell(place):
        return int(place[0] // RADIUS), int(place[1] // RADIUS)

    def nearest(self, x, y):
        column, row = self.cell((x, y))
        near = [source for dx in (-1, 0, 1) for dy in (-1, 0, 1) for source in self.cells.get((column + dx, row + dy), [])]
        distance = lambda source: (source["place"][0] - x) ** 2 + (source["place"][1] - y) ** 2
        best = min(near, key=distance, default=None)
        return best if best and distance(best) <= RADIUS ** 2 else None


def main():
    truth, clean, reduced = read(sys.argv[1]), Catalogue(sys.argv[2]), Catalogue(sys.argv[3])
    counts, ratios = [0, 0, 0], []
    for source in truth:
        signal = float(source["snr"])
        if signal < 10:
            continue
        x, y = float(source["x"]), float(source["y"])
        found = [catalogue.nearest(x, y) for catalogue in (clean, reduced)]
        counts[0] += 1
        counts[1] += found[0] is not None
        counts[2] += found[1] is not None
        if signal >= 50 and all(found) and float(source["mag"]) > 17:
            fluxes = [float(row["flux"]) for row in found]
            if fluxes[0] > 0:
                ratios.append(fluxes[1] / fluxes[0])
    shares = [count / counts[0] for count in counts[1:]]
    ratio = statistics.median(ratios)
    deviation = statistics.median(abs(value - ratio) for value in ratios)
    spurious = len(reduced.rows) / len(clean.rows)
    print(f"found {shares[1]:.4f}, on the clean sky {shares[0]:.4f} of {counts[0]}; flux {ratio:.4f}"
          f" with deviation {deviation:.4f} of {len(ratios)}; {spurious:.3f} times as many sources")
    return 0 if shares[1] > shares[0] - 0.01 and abs(ratio - 1) < 0.01 and deviation < 0.01 else 1


sys.exit(main())
