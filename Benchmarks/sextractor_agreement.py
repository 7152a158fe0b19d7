#!/usr/bin/env python3
"""Compares the catalogues of `skyfarm sex` with those of source-extractor, and those with themselves.

    Benchmarks/sextractor_agreement.py .build/readme/release/skyfarm [--seeds 10] [IMAGE...]

Without IMAGE: the frames of SKYFARM_TEST_DATA and of Debian's eso-midas-testdata that source-extractor can read. One line
of Markdown for each image: sources above 10 sigma that both find within a pixel, those of them that neither flags as
blended, and the percentages that agree: positions within 0.01 pixel, MAG_AUTO within 0.01, CLASS_STAR within 0.05 and
FWHM_IMAGE within 1 %, all of unblended sources, and FLAGS.

source-extractor draws random numbers when it deblends, always from the same seed. The last two columns compare it with
itself under other seeds, by a library that is preloaded: the least and the most that agree.
"""

import argparse
import glob
import math
import os
import subprocess
import sys
import tempfile

EXTRACTOR = "/usr/bin/source-extractor"
WEIGHTS = "/usr/share/source-extractor/default.nnw"
COLUMNS = "X_IMAGE Y_IMAGE MAG_AUTO FLUX_AUTO FLUXERR_AUTO FLAGS CLASS_STAR FWHM_IMAGE".split()
RANDOM = """
#include <stdlib.h>
int rand(void) {
    static int begun;
    if (!begun) srandom(atoi(getenv("SEED")));
    begun = 1;
    return (int)random();
}
"""


class Programs:
    """Both programs, with the same settings."""

    def __init__(self, skyfarm, folder):
        self.skyfarm, self.folder = skyfarm, folder
        self.columns, self.filter = self._write("c.param", "\n".join(COLUMNS)), self._write(
            "f.conv", "CONV NORM\n1 2 1\n2 4 2\n1 2 1\n"
        )
        self.library = os.path.join(folder, "random.so")
        source = self._write("random.c", RANDOM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library, source], check=True)

    def _write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def sources(self, image, seed=None, own=False):
        """The sources of an image; None if the program cannot read it."""
        catalogue = os.path.join(self.folder, "catalogue")
        if os.path.exists(catalogue):
            os.remove(catalogue)
        settings = {
            "PARAMETERS_NAME": self.columns,
            "FILTER_NAME": self.filter,
            "STARNNW_NAME": WEIGHTS,
            "CATALOG_TYPE": "ASCII",
            "CATALOG_NAME": catalogue,
            "VERBOSE_TYPE": "QUIET",
            # With too little room source-extractor forgets rows of large sources, and cleans among fewer.
            "MEMORY_BUFSIZE": "4096",
            "MEMORY_PIXSTACK": "5000000",
            "MEMORY_OBJSTACK": "60000",
        }
        words = [image, "-c", "/dev/null"] + [word for key, value in settings.items() for word in ("-" + key, value)]
        if own:
            words = [self.skyfarm, "sex"] + words + ["--no-discovery", "--no-journal"]
        else:
            words = [EXTRACTOR] + words
        environment = dict(os.environ)
        if seed is not None:
            environment.update(LD_PRELOAD=self.library, SEED=str(seed))
        if subprocess.run(words, env=environment, capture_output=True).returncode != 0:
            return None
        with open(catalogue) as lines:
            return [dict(zip(COLUMNS, map(float, line.split()))) for line in lines]


def pairs(others, own):
    """The bright sources of `others`, each with the nearest one of `own` within a pixel."""
    cells = {}
    for source in own:
        cells.setdefault((int(source["X_IMAGE"]), int(source["Y_IMAGE"])), []).append(source)
    found = []
    for other in others:
        if not other["FLUX_AUTO"] > 10 * other["FLUXERR_AUTO"]:
            continue
        x, y = int(other["X_IMAGE"]), int(other["Y_IMAGE"])
        near = [one for i in (x - 1, x, x + 1) for j in (y - 1, y, y + 1) for one in cells.get((i, j), [])]
        best = min(near, key=lambda one: distance(one, other), default=None)
        if best and distance(best, other) < 1:
            found.append((other, best))
    return found


def distance(one, other):
    return math.hypot(one["X_IMAGE"] - other["X_IMAGE"], one["Y_IMAGE"] - other["Y_IMAGE"])


def share(pairs, agrees):
    """The percentage of pairs that agree."""
    return 100 * sum(map(agrees, pairs)) / len(pairs) if pairs else math.nan


def near(column, limit):
    return lambda pair: abs(pair[0][column] - pair[1][column]) < limit


def agreement(pairs):
    """The numbers of pairs, and the percentages."""
    alone = [pair for pair in pairs if not any(int(source["FLAGS"]) & 3 for source in pair)]
    return {
        "bright": len(pairs),
        "alone": len(alone),
        "positions": share(alone, lambda pair: distance(*pair) < 0.01),
        "MAG_AUTO": share(alone, near("MAG_AUTO", 0.01)),
        "FLAGS": share(pairs, lambda pair: pair[0]["FLAGS"] == pair[1]["FLAGS"]),
        "CLASS_STAR": share(alone, near("CLASS_STAR", 0.05)),
        "FWHM_IMAGE": share(
            alone, lambda pair: abs(pair[0]["FWHM_IMAGE"] - pair[1]["FWHM_IMAGE"]) <= 0.01 * abs(pair[0]["FWHM_IMAGE"])
        ),
    }


def images():
    """The real images of this machine."""
    folder = os.environ.get("SKYFARM_TEST_DATA", "../shared/sky")
    frames = sorted(glob.glob(folder + "/*.fits") + glob.glob("/usr/lib/eso-midas/*/test/prim/*"))
    return [path for path in frames if not path.endswith(".weight.fits") and is_fits(path)]


def is_fits(path):
    with open(path, "rb") as file:
        return file.read(9) == b"SIMPLE  ="


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("skyfarm")
    parser.add_argument("images", nargs="*")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_intermixed_args()
    print(
        "| image | above 10 σ | unblended | positions | `MAG_AUTO` | `FLAGS` | `CLASS_STAR` | `FWHM_IMAGE`"
        " | itself: `MAG_AUTO` | itself: `FLAGS` |\n" + "|---" * 10 + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(os.path.abspath(options.skyfarm), folder)
        for image in options.images or images():
            others, own = programs.sources(image), programs.sources(image, own=True)
            if not others or own is None:
                print(f"{image}: not scanned by both programs, or empty", file=sys.stderr)
                continue
            result = agreement(pairs(others, own))
            if result["alone"] == 0:
                print(f"{image}: no unblended source above 10 sigma", file=sys.stderr)
                continue
            seeds = [programs.sources(image, seed=seed) or [] for seed in range(2, 2 + options.seeds)]
            itself = [agreement(pairs(others, sources)) for sources in seeds]
            cells = [f"`{os.path.basename(image)}`"] + [
                str(value) if isinstance(value, int) else f"{value:.1f}" for value in result.values()
            ]
            for key in ("MAG_AUTO", "FLAGS"):
                values = [one[key] for one in itself]
                cells.append(f"{min(values):.1f} to {max(values):.1f}")
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
