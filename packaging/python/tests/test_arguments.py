"""The arguments of `scan` and `scan_many`: all options of the command, and arrays wherever the command has files."""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jedi
import numpy as np
import pytest
from astropy import units
from astropy.coordinates import SkyCoord
from astropy.io import fits
from astropy.nddata import CCDData, InverseVariance, NDData, StdDevUncertainty, UnknownUncertainty, VarianceUncertainty
from astropy.table import MaskedColumn, Table
from astropy.utils.masked import Masked
from astropy.wcs import WCS
from conftest import assert_same

import skyfarm
from skyfarm import _options, _program

Command = Callable[..., list[Table]]

#: Arguments that are no options of the command, but what Python gives and takes.
OWN = {
    "image",
    "paths",
    "hdu",
    "header",
    "wcs",
    "progress",
    "thumbnail",
    "live",
    "kernel",
    "at",
    "segmentation",
    "check_image",
}


def options_of_the_program() -> set[str]:
    text = subprocess.run([skyfarm.program(), "scan", "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", text, re.M))


def arguments(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def test_every_option_is_an_argument() -> None:
    program = options_of_the_program()
    flags = {flag for flag, _ in _options.OPTIONS.values()} | set(_options.PLANES.values())
    flags |= {"--kernel", "--at", "--segmentation", "--check-image"}
    assert len(program) > 60 and flags <= program
    assert program - flags - set(_options.NOT_ARGUMENTS) == set()
    assert not flags & set(_options.NOT_ARGUMENTS)


def test_signatures_are_explicit_and_alike() -> None:
    one, many = arguments(skyfarm.scan), arguments(skyfarm.scan_many)
    for function in (one, many):
        kinds = {parameter.kind for parameter in function.values()}
        assert kinds == {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
        assert all(parameter.annotation is not inspect.Parameter.empty for parameter in function.values())
    assert set(one) - set(many) == {"image", "hdu", "header", "wcs", "thumbnail"}
    assert set(many) - set(one) == {"paths", "where", "recursive", "priority", "fail_fast"}
    for name in set(one) & set(many):
        assert str(one[name]) == str(many[name])
    assert set(one) | set(many) == set(_options.OPTIONS) | set(_options.PLANES) | OWN
    for name in one:
        assert re.search(rf"^    .*\b{name}\b.* : |^    .*\b{name}\b,", skyfarm.scan.__doc__ or "", re.M), name


@pytest.mark.parametrize("function", ["scan", "scan_many"])
def test_editors_complete_arguments(function: str) -> None:
    for begin, name in (("check_", "check_image="), ("seg", "segmentation="), ("deblend_c", "deblend_contrast=")):
        found = jedi.Script(f"import skyfarm\nskyfarm.{function}(x, {begin}").complete()
        assert [completion.name for completion in found] == [name]


def test_words() -> None:
    given = {
        "where": "FILTER = 'r' and EXPTIME >= 30", "recursive": True, "priority": ["*r*"], "clean": None, "gain": ...,
        "threshold": 3, "apertures": np.array([4, 8.5]), "skip_hdu": ["DQ", 3], "discovery": False, "samp": False,
        "report": Path("pages"), "columns": "a.param", "background": 0,
    }  # fmt: skip
    words = " ".join(_options.words(given))
    for part in (
        "--where FILTER = 'r' and EXPTIME >= 30", "--recursive", "--priority *r*", "--clean off", "--threshold 3",
        "--apertures 4.0,8.5", "--skip-hdu DQ --skip-hdu 3", "--no-discovery", "--report pages", "--columns a.param",
        "--background 0",
    ):  # fmt: skip
        assert part in words
    assert "--gain" not in words and "--samp" not in words


def test_arguments_of_many_reach_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(Exception):
        pass

    def run(words: list[str], *_: Any) -> None:
        raise Stop(words)

    monkeypatch.setattr(_program, "Run", run)
    with pytest.raises(Stop) as stopped:
        next(skyfarm.scan_many(["night"], where="EXPTIME >= 30", recursive=True))
    words = stopped.value.args[0]
    assert words[words.index("--where") + 1] == "EXPTIME >= 30" and "--recursive" in words


def test_uncertainties_are_weights(sky: np.ndarray, tmp_path: Path, command: Command) -> None:
    array = sky.astype("f4")
    noise = np.linspace(5, 40, sky.size).reshape(sky.shape).astype("f4")
    noise[20:60, 30:90] = 0
    fits.writeto(tmp_path / "sky.fits", array, fits.Header({"BUNIT": "adu"}))
    fits.writeto(tmp_path / "rms.fits", noise)
    expected = command(str(tmp_path / "sky.fits"), "--weight", str(tmp_path / "rms.fits"), "--weight-map", "rms")[0]
    assert 10 < len(expected) != len(command(str(tmp_path / "sky.fits"))[0])
    assert_same(skyfarm.scan(CCDData(array, StdDevUncertainty(noise), unit="adu")), expected)
    with np.errstate(divide="ignore"):
        other = [VarianceUncertainty(noise.astype("f8") ** 2), InverseVariance(noise.astype("f8") ** -2)]
    for uncertainty in other:
        found = skyfarm.scan(NDData(array, uncertainty, unit="adu"))
        np.testing.assert_array_equal(found["npix"], expected["npix"])
        np.testing.assert_allclose(found["fluxerr_auto"], expected["fluxerr_auto"], rtol=1e-5)
    # Of another unit than the image.
    for unit, power, kind in (
        ("mJy", 1, StdDevUncertainty),
        ("mJy2", 2, VarianceUncertainty),
        ("mJy-2", -2, InverseVariance),
    ):
        with np.errstate(divide="ignore"):
            values = (noise.astype("f8") * 1000) ** power
        found = skyfarm.scan(NDData(array, kind(values, unit=unit), unit=units.Jy))
        np.testing.assert_array_equal(found["npix"], expected["npix"])
    with pytest.raises(ValueError, match="^uncertainty: UnknownUncertainty cannot be used; make it a StdDev"):
        skyfarm.scan(NDData(array, UnknownUncertainty(noise)))
    with pytest.raises(TypeError, match="^weight: the image has one of its own"):
        skyfarm.scan(NDData(array, StdDevUncertainty(noise)), weight=noise)


def test_mask_of_one_value(sky: np.ndarray, sky_file: str, command: Command) -> None:
    assert_same(skyfarm.scan(NDData(sky.astype("f4"), mask=False)), command(sky_file)[0])


@pytest.mark.parametrize("name", ["mask", "weight", "detect", "detect_weight", "flag_image"])
def test_wrong_shapes_name_the_argument(name: str, sky: np.ndarray, sky_file: str) -> None:
    for image in (sky, sky_file):
        for shape in ((400, 300), (300, 399), (1, 1)):
            with pytest.raises(
                ValueError, match=rf"^{name}: has the shape \({shape[0]}, {shape[1]}\), the image \(300, 400\)"
            ):
                skyfarm.scan(image, **{name: np.ones(shape)})
        with pytest.raises(ValueError, match=rf"^{name}: an array of shape \(3,\) is no image"):
            skyfarm.scan(image, **{name: np.ones(3)})
        with pytest.raises(ValueError, match=f"^{name}: has masked values"):
            skyfarm.scan(image, **{name: np.ma.masked_less(sky, sky.mean())})


def test_other_wrong_values(sky: np.ndarray) -> None:
    masked_angles = MaskedColumn([1, 2], mask=[True, False], unit="deg")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"kernel": np.ones(3)}, r"^kernel: an array of shape \(3,\)"),
        ({"background": np.zeros(sky.shape)}, r"^background is the level .* not an array of shape \(300, 400\)"),
        ({"at": np.ones((5, 2))}, "^at: needs a table with columns ra and dec, or x and y"),
        ({"at": ([1, 2], [3])}, r"^at: x and y have the shapes \(2,\) and \(1,\)"),
        ({"at": {"x": ["a"], "y": [1]}}, "^at: the column x has values that are no numbers"),
        ({"at": {"x": np.ma.masked_equal([1, 2], 2), "y": [1, 2]}}, "^at: the column x has masked values"),
        ({"at": Table({"ra": masked_angles, "dec": [1, 2] * units.deg})}, "^at: the column ra has masked values"),
        ({"at": {"ra": [1, 2] * units.deg, "dec": Masked([1, 2] * units.deg, [True, False])}}, "dec has masked values"),
    ]
    for options, words in cases:
        with pytest.raises(ValueError, match=words):
            skyfarm.scan(sky, **options)
    with pytest.raises(ValueError, match=r"^image: an array of shape \(400,\)"):
        skyfarm.scan(sky[0])
    with pytest.raises(ValueError, match=r"^uncertainty: has the shape \(2, 2\), the image \(300, 400\)"):
        data = NDData(sky, StdDevUncertainty(sky))
        data.uncertainty.array = np.ones((2, 2))
        skyfarm.scan(data)


def test_positions(sky: np.ndarray, sky_file: str, tmp_path: Path, command: Command) -> None:
    x, y = np.array([100.25, 50, 399]), np.array([20.5, 70, 299])
    (tmp_path / "at.csv").write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(x, y)))
    words = ["--at", str(tmp_path / "at.csv"), "--apertures", "4,8", "--limit-sigma", "5"]
    expected = command(sky_file, *words)[0]
    forms: list[Any] = [
        (x, y), (list(x), list(y)), {"x": x, "y": y}, Table({"x": x, "y": y}),
        Table({"x_image": x + 1, "y_image": y + 1}),
        np.rec.fromarrays([x, y], names="x,y"), tmp_path / "at.csv",
    ]  # fmt: skip
    for at in forms:
        found = skyfarm.scan(sky.astype("f4"), at=at, apertures=[4, 8], limit_sigma=5)
        assert_same(found, expected)
    assert len(found) == 3 and {"flux_aper", "flux_aper_1"} < set(found.colnames)
    wcs = WCS(naxis=2)
    wcs.wcs.ctype, wcs.wcs.crval, wcs.wcs.crpix, wcs.wcs.cdelt = (
        ("RA---TAN", "DEC--TAN"),
        (150, 2),
        (200, 150),
        (-1e-4, 1e-4),
    )
    coordinates = SkyCoord(*wcs.pixel_to_world_values(x, y), unit="deg")
    hours = Table({"ra": coordinates.ra.to("hourangle"), "dec": coordinates.dec.to("arcmin")})
    for at in (coordinates, coordinates.galactic, hours):
        found = skyfarm.scan(sky, wcs=wcs, at=at)
        np.testing.assert_allclose([found["x"], found["y"]], [x, y], atol=1e-5)


def test_detection_image(sky: np.ndarray, sky_file: str, tmp_path: Path, command: Command) -> None:
    fainter, flags = (sky * 0.5).astype("f4"), (np.arange(sky.size) % 8).reshape(sky.shape).astype("i4")
    for name, array in (("fainter", fainter), ("flags", flags), ("weight", np.sqrt(sky))):
        fits.writeto(tmp_path / f"{name}.fits", array)
    names = ["NUMBER", "X_IMAGE", "FLUX_AUTO", "IMAFLAGS_ISO"]
    words = ["--detect", sky_file, "--columns", ",".join(names), "--flag-image", str(tmp_path / "flags.fits")]
    expected = command(str(tmp_path / "fainter.fits"), *words, "--detect-weight", str(tmp_path / "weight.fits"))[0]
    options = {"columns": names, "flag_image": flags, "detect_weight": np.sqrt(sky)}
    assert len(expected) > 20
    assert_same(skyfarm.scan(fainter, detect=sky.astype("f4"), **options), expected)
    (result,) = skyfarm.scan_many([tmp_path / "fainter.fits"], detect=sky.astype("f4"), **options)
    assert result.catalogue is not None
    assert_same(result.catalogue, expected)


def test_check_images(sky: np.ndarray, sky_file: str, tmp_path: Path, command: Command) -> None:
    kinds = ["SEGMENTATION", "BACKGROUND", "-OBJECTS"]
    command(
        sky_file, *[word for k in kinds for word in ("--check-image", f"{k}={tmp_path}/{k}.fits")], "--threshold", "4"
    )
    expected = {kind: fits.getdata(tmp_path / f"{kind}.fits") for kind in kinds}
    source = skyfarm.scan(sky.astype("f4"), threshold=4, segmentation=True, check_image=["background", "-OBJECTS"])
    (result,) = skyfarm.scan_many([sky_file], threshold=4, segmentation=True, check_image=("BACKGROUND", "-OBJECTS"))
    assert result.catalogue is not None
    for found in (source, result.catalogue):
        assert set(found.check_images) == set(kinds)
        for kind in kinds:
            array = found.check_images[kind]
            assert isinstance(array, np.ndarray) and array.dtype.isnative
            np.testing.assert_array_equal(array, expected[kind])
    np.testing.assert_array_equal(result.segmentation, source.segmentation)
    np.testing.assert_array_equal(result.background, source.background)
    assert source.segmentation.max() == len(source) > 10
    with pytest.raises(AttributeError, match='give it check_image="BACKGROUND_RMS"'):
        source.background_rms
    # The rows and columns of a catalogue have the images of the scan.
    for part in (source[:5], source[source["flux"] > 0], source["x", "y"]):
        assert part.segmentation is source.segmentation and part.background is source.background
    # A file is not read again.
    files = {
        "segmentation": tmp_path / "map.fits",
        "check_image": {"BACKGROUND": tmp_path / "back.fits", "FILTERED": True},
    }
    written = skyfarm.scan(sky_file, threshold=4, **files)
    assert set(written.check_images) == {"FILTERED"}
    np.testing.assert_array_equal(fits.getdata(tmp_path / "map.fits"), source.segmentation)
    np.testing.assert_array_equal(fits.getdata(tmp_path / "back.fits"), source.background)
    with pytest.raises(skyfarm.UsageError, match="NOTHING"):
        skyfarm.scan(sky_file, check_image="NOTHING")


def test_check_images_of_several_images(sky: np.ndarray, tmp_path: Path) -> None:
    file = tmp_path / "two.fits"
    parts = [fits.ImageHDU(sky[:150].astype("f4"), name="A"), fits.ImageHDU(sky[150:].astype("f4"), name="B")]
    fits.HDUList([fits.PrimaryHDU(), *parts]).writeto(file)
    (result,) = skyfarm.scan_many([file], segmentation=True)
    for found in (skyfarm.scan(file, segmentation=True), result.catalogue):
        assert found is not None
        maps = found.segmentation
        assert [map_.shape for map_ in maps] == [(150, 400), (150, 400)]
        assert [map_.max() for map_ in maps] == [(found["hdu"] == number).sum() for number in (1, 2)]
        with pytest.raises(ValueError, match="^image: the table has sources of 2 images; choose the rows of one"):
            found.cutouts(5)
        second = found[found["hdu"] == 2]
        np.testing.assert_array_equal(second.cutouts(1)[:, 0, 0], sky[150:].astype("f4")[centres(second)])


def centres(sources: Table) -> tuple[np.ndarray, np.ndarray]:
    return np.rint(sources["y"]).astype(int), np.rint(sources["x"]).astype(int)


def test_cutouts(sky: np.ndarray, sky_file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(sky_file).parent)
    padded = np.pad(sky.astype("f4"), 8, constant_values=np.nan)
    tables = [
        skyfarm.scan(sky.astype("f4")),
        skyfarm.scan("sky.fits"),
        next(iter(skyfarm.scan_many(["sky.fits"]))).catalogue,
    ]
    monkeypatch.chdir(tmp_path)
    for sources in tables:
        assert sources is not None
        for size in (6, 7):
            squares = sources.cutouts(size)
            assert squares.shape == (len(sources), size, size) and squares.dtype == np.float32
            for row, column, square in zip(*centres(sources), squares):
                top, left = row + 8 - size // 2, column + 8 - size // 2
                np.testing.assert_array_equal(square, padded[top : top + size, left : left + size])
        bright = sources[sources["flux"] > np.median(sources["flux"])]
        np.testing.assert_array_equal(
            bright.cutouts(6), sources.cutouts(6)[sources["flux"] > np.median(sources["flux"])]
        )
        np.testing.assert_array_equal(bright["x", "y"].cutouts(6), bright.cutouts(6))
    np.testing.assert_array_equal(sources.cutouts(3, image=sky * 2), skyfarm.scan(sky * 2).cutouts(3))
    pixels = skyfarm.scan(sky, columns=["NUMBER", "X_IMAGE", "Y_IMAGE"])
    np.testing.assert_array_equal(
        pixels.cutouts(1)[:, 0, 0],
        sky[np.rint(pixels["Y_IMAGE"]).astype(int) - 1, np.rint(pixels["X_IMAGE"]).astype(int) - 1],
    )
    for size in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="^size: "):
            pixels.cutouts(size)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the table has no positions"):
        skyfarm.scan(sky, columns=["NUMBER"]).cutouts()
    with pytest.raises(ValueError, match="^image: this table does not know its image"):
        skyfarm.Catalogue(sources).cutouts()


def test_planes_of_a_cube(sky: np.ndarray, tmp_path: Path) -> None:
    cube = sky.astype("f4").reshape(2, 150, 400)
    fits.writeto(tmp_path / "cube.fits", cube)
    sources = skyfarm.scan(tmp_path / "cube.fits", plane=2)
    np.testing.assert_array_equal(sources.cutouts(1)[:, 0, 0], cube[1][centres(sources)])


def test_show(sky: np.ndarray, tmp_path: Path) -> None:
    script = "import sys, skyfarm; assert 'matplotlib' not in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(skyfarm.__file__).parents[1])
    import matplotlib

    matplotlib.use("Agg")
    sources = skyfarm.scan(sky)
    axes = sources.show()
    (ellipses,) = axes.collections
    np.testing.assert_allclose(ellipses.get_offsets(), np.column_stack([sources["x"], sources["y"]]))
    assert axes.get_xlim() == (-0.5, 399.5) and axes.images[0].get_array().shape == sky.shape
    axes.figure.savefig(tmp_path / "sources.png")
    for table, image in ((skyfarm.scan(sky, at=([5, 9], [7, 300])), None), (sources[:0], np.full((5000, 90), np.nan))):
        again = table.show(image=image, ax=axes)
        assert again is axes and len(axes.collections[-1].get_offsets()) == len(table)
    assert max(axes.images[-1].get_array().shape) <= 2048
    matplotlib.pyplot.close("all")
