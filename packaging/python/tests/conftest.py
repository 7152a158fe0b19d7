"""What the tests share: a small sky, and a program that uses neither settings nor nodes of this machine."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits
from astropy.table import Table

import skyfarm

if not (Path(skyfarm.__file__).parent / "bin").exists():
    # The loops of skyfarm.sep, which scripts/package puts into a wheel.
    library = Path(tempfile.mkdtemp(prefix="skyfarm-")) / "libskyfarm-sep.so"
    script = Path(skyfarm.__file__).parents[1] / "build-sep"
    subprocess.run([script, library, "-Wall", "-Werror"], check=True)
    os.environ["SKYFARM_SEP_LIBRARY"] = str(library)
    atexit.register(shutil.rmtree, library.parent)


KEPT = ("SKYFARM_PROGRAM", "SKYFARM_SEP_LIBRARY", "SKYFARM_TEST_DATA")


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.getbasetemp()
    for name in [name for name in os.environ if name.startswith("SKYFARM_") and name not in KEPT]:
        monkeypatch.delenv(name)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(folder / name.lower()))
    monkeypatch.setenv("SKYFARM_NO_DISCOVERY", "1")


def synthetic(height: int, width: int, seed: int = 1) -> np.ndarray:
    """Round sources of many fluxes on noise."""
    random = np.random.default_rng(seed)
    sky = random.normal(1000, 10, (height, width))
    y, x = np.mgrid[-12:13, -12:13]
    for _ in range(height * width // 1500):
        row, column = random.integers(12, height - 12), random.integers(12, width - 12)
        flux, size = 10 ** random.uniform(2.5, 4.5), random.uniform(1.2, 2.5)
        star = flux / (2 * np.pi * size**2) * np.exp(-(x**2 + y**2) / (2 * size**2))
        sky[row - 12 : row + 13, column - 12 : column + 13] += star
    return sky


@pytest.fixture(scope="session")
def sky() -> np.ndarray:
    return synthetic(300, 400)


@pytest.fixture(scope="session")
def sky_file(sky: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("sky") / "sky.fits"
    fits.writeto(file, sky.astype("f4"))
    return str(file)


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., list[Table]]:
    """The tables of a catalogue that the command writes, as astropy reads them."""

    def scan(*words: str) -> list[Table]:
        file = tmp_path / "command.fits"
        file.unlink(missing_ok=True)
        subprocess.run([skyfarm.program(), "scan", *words, "-o", file, "--no-journal", "--quiet"], check=True)
        with fits.open(file) as hdus:
            return [hdu.data.copy() for hdu in hdus[1:]]

    return scan


def assert_same(table: Table, data: np.ndarray) -> None:
    """Every value of `data` is that of the table, bit for bit."""
    assert len(table) == len(data)
    for name in data.dtype.names or ():
        # FITS stores big-endian values.
        expected = np.ascontiguousarray(data[name])
        found = np.ascontiguousarray(np.asarray(table[name]), expected.dtype)
        assert found.tobytes() == expected.tobytes(), name
