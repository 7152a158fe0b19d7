"""Masters and calibrated frames, compared with numpy."""

import inspect
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from astropy.io import fits

import skyfarm


@pytest.fixture
def night(tmp_path: Path) -> Path:
    random = np.random.default_rng(4)
    for name, level, count in (("bias", 300, 5), ("flat", 20_000, 5), ("light", 1000, 3)):
        (tmp_path / name).mkdir()
        for index in range(count):
            pixels = random.normal(level, 10, (40, 50)).astype("uint16")
            fits.PrimaryHDU(pixels).writeto(tmp_path / name / f"{name}{index}.fits")
    return tmp_path


def stack(folder: Path) -> np.ndarray:
    return np.array([fits.getdata(file).astype(float) for file in sorted(folder.iterdir())])


def test_night(night: Path) -> None:
    bias, flat = night / "bias.fits", night / "flat.fits"
    assert skyfarm.combine(night / "bias", bias, method="mean", count=True) == bias
    skyfarm.combine(sorted((night / "flat").iterdir()), flat, bias=bias, scale="median")
    level = fits.getdata(bias)
    np.testing.assert_array_equal(level, stack(night / "bias").mean(axis=0).astype("f4"))
    flats = stack(night / "flat") - level.astype(float)
    flats /= np.median(flats, axis=(1, 2))[:, None, None]
    np.testing.assert_array_equal(fits.getdata(flat), np.median(flats, axis=0).astype("f4"))
    fits.PrimaryHDU(np.zeros((9, 9), "f4")).writeto(night / "light" / "small.fits")
    frames = skyfarm.calibrate(night / "light", night / "red", bias=bias, flat=flat, cosmic_rays="mask")
    assert [frame.error is None for frame in frames] == [True, True, True, False]
    assert "9 x 9" in str(frames[3].error) and frames[3].output is None
    image, mask = (fits.getdata(frames[0].output, number) for number in (0, 1))
    raw = fits.getdata(night / "light" / "light0.fits").astype(float)
    expected = ((raw - level) / fits.getdata(flat).astype(float)).astype("f4")
    np.testing.assert_array_equal(image[mask == 0], expected[mask == 0])
    assert frames[0].cosmic_rays == (mask == 4).sum() == frames[0].without_value


def test_scan_of_raw_frames(night: Path) -> None:
    bias, flat = night / "bias.fits", night / "flat.fits"
    skyfarm.combine(night / "bias", bias, method="mean")
    skyfarm.combine(night / "flat", flat, bias=bias, scale="median")
    light = sorted((night / "light").iterdir())
    for file in light:
        with fits.open(file, mode="update") as raw:
            raw[0].data[10:15, 20:25] += 400
    frames = skyfarm.calibrate(light, night / "red", bias=bias, flat=flat, trim="[3:48,1:40]", cosmic_rays=True)
    expected = [skyfarm.scan(frame.output, discovery=False) for frame in frames]
    steps = {"bias": bias, "flat": flat, "trim": "[3:48,1:40]", "cosmic_rays": True, "discovery": False}
    one = skyfarm.scan(light[0], **steps)
    many = [result.catalogue for result in skyfarm.scan_many(light, **steps)]
    assert len(one) > 0 and one.meta["CALBIAS"] == "bias.fits"
    for found, other in [(one, expected[0]), *zip(sorted(many, key=lambda table: table.meta["IMAGE"]), expected)]:
        assert found.colnames == other.colnames
        for name in found.colnames:
            np.testing.assert_array_equal(found[name], other[name])
def test_folder(tmp_path: Path) -> None:
    subprocess.check_call(
        [skyfarm.program(), "synth", "--raw", tmp_path / "night", "--size", "100", "--exposures", "10", "--quiet"])
    (tmp_path / "night" / "flat-r-001.fits").write_bytes(b"none")
    frames = skyfarm.calibrate(
        tmp_path / "night", tmp_path / "red", masters=tmp_path / "masters", group=["filter", "binning", "gain"])
    assert [frame.error is None for frame in frames] == [True] * 4 + [False]
    assert "flat-r-001.fits" in str(frames[4].error)
    names = sorted(path.name for path in (tmp_path / "masters").iterdir())
    assert [name.split("_")[0] for name in names] == ["bias", "dark", "flat", "flat"]


def test_errors(night: Path) -> None:
    with pytest.raises(skyfarm.InputError, match="no.fits"):
        skyfarm.combine([night / "bias" / "bias0.fits", night / "no.fits"], night / "master.fits")
    with pytest.raises(skyfarm.UsageError, match="method"):
        skyfarm.combine(night / "bias", night / "master.fits", method="mode")
    with pytest.raises(skyfarm.InputError, match="no.fits"):
        skyfarm.calibrate(night / "light", night / "red", flat=night / "no.fits")
    with pytest.raises(ValueError, match="there is none"):
        skyfarm.combine([], night / "master.fits")
    assert not (night / "master.fits").exists()


@pytest.mark.parametrize("name", ["combine", "calibrate"])
def test_flags_are_arguments(name: str) -> None:
    text = subprocess.check_output([skyfarm.program(), name, "--help"], text=True)
    flags = set(re.findall(r"--([a-z-]+)", text)) - {
        "json", "quiet", "verbose", "color", "progress", "help", "output", "log-format", "dry-run",
    }  # fmt: skip
    own = {"nodes": "node", "discovery": "no_discovery"}
    arguments = set(inspect.signature(getattr(skyfarm, name)).parameters) - {"frames", "output"}
    arguments = {own.get(argument, argument) for argument in arguments}
    assert {flag for flag in flags if flag.replace("-", "_") not in arguments} == set()
    assert {argument for argument in arguments if argument.replace("_", "-") not in flags} == set()
