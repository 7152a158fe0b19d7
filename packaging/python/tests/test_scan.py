"""Scans of files and arrays: their values are the command's."""

import os
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from astropy import units
from astropy.io import fits
from astropy.nddata import NDData
from astropy.table import Table
from astropy.utils.masked import Masked
from astropy.wcs import WCS
from conftest import assert_same

import skyfarm
from skyfarm import _memory

Command = Callable[..., list[Table]]


def real_images() -> list[str]:
    """Images that are on this machine: those of SKYFARM_TEST_DATA, and small ones of Debian's eso-midas-testdata."""
    midas = sorted(Path("/usr/lib").glob("eso-midas/*/test/prim/*.fits"), key=lambda file: file.stat().st_size)
    named = os.environ.get("SKYFARM_TEST_DATA")
    files = midas if named is None else [*Path(named).glob("*.fits*"), *midas]
    return [str(file) for file in (midas[:12] if named is None else files)]


def assert_same_images(table: Table, expected: list[np.ndarray]) -> None:
    """The rows of `table` are those of the images' tables, one after the other; what an image lacks is masked."""
    first = 0
    for data in expected:
        rows = table[first : first + len(data)]
        assert_same(rows, data)
        for name in set(table.colnames) - set(data.dtype.names) - {"hdu", "extname"}:
            assert np.all(rows[name].mask), name
        first += len(data)
    assert first == len(table)


def test_version() -> None:
    out = subprocess.run([skyfarm.program(), "--version"], check=True, capture_output=True, text=True).stdout
    assert out == f"skyfarm {skyfarm.__version__}\n"


def test_file(sky_file: str, command: Command) -> None:
    table = skyfarm.scan(sky_file)
    assert_same(table, command(sky_file)[0])
    assert len(table) > 40
    assert table["x"].unit == units.pix and table["theta"].unit == units.rad
    assert table["x"].description.startswith("Barycentre, column")
    assert table["x"].dtype == np.dtype("f8") and table["x"].dtype.isnative
    assert table.meta["THRESH"] == 1.5 and table.meta["IMAGE"] == sky_file
    assert table.meta["CREATOR"] == f"skyfarm {skyfarm.__version__}" and "NAXIS1" not in table.meta
    assert table.report["sources"] == len(table)


def test_real_images(command: Command) -> None:
    # Some of them are no images, and the command refuses them with the same words.
    files, scanned = real_images(), 0
    for file in files:
        found = subprocess.run(
            [skyfarm.program(), "scan", file, "-o", "/dev/null.csv", "--dry-run"], capture_output=True
        )
        if found.returncode != 0:
            with pytest.raises(skyfarm.SkyfarmError) as caught:
                skyfarm.scan(file)
            assert caught.value.exit_code == found.returncode
            assert str(caught.value) in found.stderr.decode()
        else:
            table = skyfarm.scan(file)
            expected = command(file)
            assert_same_images(table, expected)
            scanned += 1
            with warnings.catch_warnings():
                # Of astropy's reader; what follows must give none.
                warnings.simplefilter("ignore")
                hdus = fits.open(file)
                sizes = [hdu.header["NAXIS"] for hdu in hdus]
            with hdus:
                # An array is not taken apart: a cube of one plane is an image, others are not.
                images = [hdu for hdu, size in zip(hdus, sizes) if hdu.is_image and size > 0]
                if len(expected) == 1 and len(images) == 1:
                    assert_same(skyfarm.scan(images[0]), expected[0])
    assert scanned >= len(files) // 3


TYPES = ["u1", "i1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("kind", [order + kind for kind in TYPES for order in "<>"])
def test_array(kind: str, sky: np.ndarray, tmp_path: Path, command: Command) -> None:
    sky = sky[:150, :200]
    low = {"u1": 0, "i1": -128, "f2": -1000}.get(kind[1:], 1000)
    array = np.clip((sky - 900) / 4 if kind[2] == "1" else sky, 0, 60000).astype("f8")
    array = (array + (low if kind[2] == "1" else 0)).clip(low, low + 255 if kind[2] == "1" else 60000).astype(kind)
    stored = array.astype("f4") if kind[1:] == "f2" else array
    fits.writeto(tmp_path / "file.fits", stored)
    table = skyfarm.scan(array)
    assert len(table) > 5
    assert_same(table, command(str(tmp_path / "file.fits"))[0])


@pytest.mark.parametrize(
    "change",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
        lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        lambda a: a[np.newaxis, :, :, np.newaxis],
        lambda a: a.T.copy().T,
    ],
    ids=["fortran", "steps", "reversed", "axes of length 1", "transposed"],
)
def test_strides(change: Callable[[np.ndarray], np.ndarray], sky: np.ndarray, sky_file: str, command: Command) -> None:
    assert_same(skyfarm.scan(change(sky.astype("f4"))), command(sky_file)[0])


def test_large_array_is_written_by_several_threads(command: Command, tmp_path: Path) -> None:
    array = np.tile(np.random.default_rng(2).normal(0, 1, (600, 700)).astype("f4"), (3, 2))
    fits.writeto(tmp_path / "large.fits", array)
    assert_same(skyfarm.scan(array, threshold=2), command(str(tmp_path / "large.fits"), "--threshold", "2")[0])


def test_memory_is_used_again_and_returned(sky: np.ndarray, command: Command, tmp_path: Path) -> None:
    def files() -> int:
        links = (file for file in Path("/proc/self/fd").iterdir() if file.is_symlink())
        return len({file.stat().st_ino for file in links if "skyfarm.fits" in os.readlink(file)})

    # Of some the file has the size of the one before, and is written through a map.
    arrays = [
        sky[:200],
        sky[:150].astype("u2"),
        sky,
        sky[::-1],
        sky.astype("f4"),
        np.asfortranarray(sky[:, ::-1].astype("f4")),
    ]
    arrays += [(sky / 16).astype(kind)[:100] for kind in ("u2", "i2", "u1", "i1")]
    for array in arrays:
        (tmp_path / "file.fits").unlink(missing_ok=True)
        fits.writeto(tmp_path / "file.fits", array)
        assert_same(skyfarm.scan(array), command(str(tmp_path / "file.fits"))[0])
        assert files() == 1
    _memory._spare.close()
    assert files() == 0


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_memory_is_not_shared_with_a_forked_process(sky: np.ndarray) -> None:
    def content(descriptor: int) -> bytes:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)

    def scan_in_child(first: Callable[[], object]) -> None:
        child = os.fork()
        if child == 0:
            try:
                first()
                for _ in range(2):
                    with _memory.fits_file(sky + 1) as other:
                        assert content(other) != before
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    # The child gets the spare file, and then one that is in use, which it gives back.
    with _memory.fits_file(sky) as descriptor:
        before = content(descriptor)
    scan_in_child(lambda: None)
    assert content(descriptor) == before
    file = _memory.fits_file(sky)
    with file as descriptor:
        scan_in_child(lambda: file.__exit__(None, None, None))
        assert content(descriptor) == before


def test_mask_and_weights(sky: np.ndarray, tmp_path: Path, command: Command) -> None:
    array, mask = sky.astype("f4"), np.zeros(sky.shape, bool)
    mask[100:150, 50:200] = True
    weight = np.linspace(0.5, 2, sky.size).reshape(sky.shape)
    for name, plane in (("array", array), ("mask", mask.astype("u1")), ("weight", weight)):
        fits.writeto(tmp_path / f"{name}.fits", plane)
    file = {name: str(tmp_path / f"{name}.fits") for name in ("array", "mask", "weight")}
    masked = command(file["array"], "--mask", file["mask"])[0]
    assert_same(skyfarm.scan(array, mask=mask), masked)
    assert_same(skyfarm.scan(array, mask=file["mask"]), masked)
    assert_same(skyfarm.scan(np.ma.MaskedArray(array, mask)), masked)
    assert_same(skyfarm.scan(NDData(array, mask=mask)), masked)
    assert_same(skyfarm.scan(Masked(array, mask)), masked)
    with_unit = skyfarm.scan(Masked(array * units.electron, mask))
    assert_same(with_unit, masked)
    assert with_unit["flux"].unit == units.electron
    both = command(file["array"], "--mask", file["mask"], "--weight", file["weight"])[0]
    assert_same(skyfarm.scan(file["array"], mask=mask * 3.5, weight=weight), both)
    with pytest.raises(TypeError, match="mask: the image has one of its own"):
        skyfarm.scan(np.ma.MaskedArray(array, mask), mask=mask)


def test_coordinates(sky: np.ndarray) -> None:
    wcs = WCS(naxis=2)
    wcs.wcs.ctype = "RA---TAN", "DEC--TAN"
    wcs.wcs.crval, wcs.wcs.crpix, wcs.wcs.cdelt = (150, 2), (200, 150), (-1e-4, 1e-4)
    table = skyfarm.scan(sky, wcs=wcs)
    assert table["ra"].unit == units.deg
    expected = wcs.pixel_to_world_values(table["x"], table["y"])
    np.testing.assert_allclose([table["ra"], table["dec"]], expected, rtol=0, atol=1e-9)
    for image in (NDData(sky, wcs=wcs), fits.PrimaryHDU(sky, wcs.to_header())):
        np.testing.assert_array_equal(skyfarm.scan(image)["ra"], table["ra"])
    assert "ra" not in skyfarm.scan(sky).colnames


def test_header_and_unit(sky: np.ndarray) -> None:
    table = skyfarm.scan(sky * units.electron, header={"EGAIN": 2.5}, gain="EGAIN")
    assert table.meta["GAIN"] == 2.5 and table["flux"].unit == units.electron
    assert table.meta["IMAGE"] == "array"


def test_options(sky: np.ndarray, sky_file: str, tmp_path: Path, command: Command) -> None:
    kernel = np.array([[0.25, 0.5, 0.25], [0.5, 1, 0.5], [0.25, 0.5, 0.25]])
    (tmp_path / "kernel.conv").write_text("CONV NORM\n0.25 0.5 0.25\n0.5 1 0.5\n0.25 0.5 0.25\n")
    words = ["--kernel", str(tmp_path / "kernel.conv"), "--threshold", "2.5", "--clean", "off", "--mesh", "50"]
    table = skyfarm.scan(sky_file, kernel=kernel, threshold=2.5, clean=None, mesh=50, gain=None, band=64)
    assert_same(table, command(sky_file, *words, "--gain", "none", "--band", "64")[0])
    with pytest.raises(TypeError, match="treshold"):
        skyfarm.scan(sky, treshold=2)  # type: ignore[call-arg]
    assert_same(skyfarm.scan(sky_file, mesh=None, threshold=None, clean=...), command(sky_file)[0])
    with pytest.raises(TypeError, match="give a list"):
        skyfarm.scan(sky, nodes="a:4870")


def test_file_of_several_images(sky: np.ndarray, tmp_path: Path, command: Command) -> None:
    file = str(tmp_path / "two.fits")
    parts = [fits.ImageHDU(sky[:150], name="SCI"), fits.ImageHDU(sky[150:], name="OTHER")]
    fits.HDUList([fits.PrimaryHDU(), *parts]).writeto(file)
    table, expected = skyfarm.scan(file), command(file)
    assert_same(table, np.concatenate(expected))
    assert list(np.unique(table["extname"])) == ["OTHER", "SCI"] and set(table["hdu"]) == {1, 2}
    assert_same(skyfarm.scan(file, hdu="OTHER"), expected[1])
    assert_same(skyfarm.scan(file, hdu=1), expected[0])


def test_refusals(sky: np.ndarray, tmp_path: Path) -> None:
    with pytest.raises(skyfarm.InputError, match="no such file; check the name") as missing:
        skyfarm.scan(tmp_path / "missing.fits")
    assert missing.value.exit_code == 5 and isinstance(missing.value, OSError)
    with pytest.raises(skyfarm.UsageError, match="--threshold") as usage:
        skyfarm.scan(sky, threshold=-1)
    assert usage.value.exit_code == 2
    with pytest.raises(skyfarm.NoNodeError) as none:
        skyfarm.scan(sky, local_slots=0, wait=0.1)
    assert none.value.exit_code == 3
    with pytest.raises(skyfarm.OutputError):
        skyfarm.scan(sky, report=tmp_path / "no" / "folder.html")
    for array, kind in ((sky[0], ValueError), (sky * 1j, TypeError), (sky[:0], ValueError), (["a"], ValueError)):
        with pytest.raises(kind):
            skyfarm.scan(array)
    with pytest.raises(TypeError, match="are for arrays"):
        skyfarm.scan("a.fits", header={})


def test_no_program(sky: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKYFARM_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    if not (Path(skyfarm.__file__).parent / "bin").exists():
        with pytest.raises(skyfarm.SkyfarmError, match="is not on PATH"):
            skyfarm.scan(sky)


def test_representation(sky: np.ndarray, tmp_path: Path) -> None:
    table = skyfarm.scan(sky, thumbnail=True)
    assert table.thumbnail is not None and table.thumbnail.startswith(b"\x89PNG")
    page = table._repr_html_()
    assert "data:image/png;base64," in page and f"<td>{len(table)}</td>" in page and "400 × 300" in page
    assert "<img" not in table[:5]._repr_html_()
    report = tmp_path / "scan.html"
    assert len(skyfarm.scan(sky, report=report)) == len(table) and report.read_text().startswith("<!")


def test_headers_with_faults(sky: np.ndarray, sky_file: str, command: Command) -> None:
    # Cards of real frames that are no FITS, of which astropy repairs one and cannot read the other.
    cards = ["GAIN    =                  2.0", "PXSPACE = 1.800e-05 / Pixel", "XMMSEP  = 'a&'", "CONTINUE  3"]
    header = fits.Header.fromstring("".join(card.ljust(80) for card in cards))
    array = sky.astype("f4")
    expected = command(sky_file, "--gain", "2")[0]
    assert_same(skyfarm.scan(array, header=header), expected)
    hdu = fits.ImageHDU(array)
    hdu.header.extend(header.copy(), strip=False)
    assert_same(skyfarm.scan(hdu), expected)


def test_meta_with_faults(sky: np.ndarray, sky_file: str, command: Command) -> None:
    meta = {
        "OBSERVER": "Åsa", "SEEING": np.nan, "NOTE": "two\nlines", "END": 1, "HISTORY": "a\tb", "LIMIT": np.inf, 7: 8,
        "KEY\n": 1, "COMMENT": "x" * 100, "LONG": "y" * 100, "GAIN": 2.0,
    }  # fmt: skip
    array = sky.astype("f4")
    expected = command(sky_file, "--gain", "2")[0]
    for image in (NDData(array, meta=meta), array):
        assert_same(skyfarm.scan(image, header=meta), expected)


def test_columns_of_sextractor(sky: np.ndarray, sky_file: str, command: Command) -> None:
    names = ["NUMBER", "X_IMAGE", "MAG_AUTO", "FLUX_APER(2)", "VIGNET(5,7)"]
    options = {"apertures": [4, 8.5], "zero_point": 25.0}
    table = skyfarm.scan(sky.astype("f4"), columns=names, **options)
    words = ["--columns", ",".join(names), "--apertures", "4,8.5", "--zero-point", "25"]
    assert_same(table, command(sky_file, *words)[0])
    assert table.colnames == ["NUMBER", "X_IMAGE", "MAG_AUTO", "FLUX_APER", "VIGNET"]
    assert table["FLUX_APER"].shape == (len(table), 2) and table["VIGNET"].shape == (len(table), 7, 5)
    assert table["MAG_AUTO"].unit == units.mag
    with pytest.raises(skyfarm.UsageError, match="belongs to --columns"):
        skyfarm.scan(sky, zero_point=25.0)


@pytest.mark.parametrize("form, name", [("votable", "cat.xml"), ("ascii.ecsv", "cat.ecsv"), ("fits", "cat.fits")])
def test_outputs(form: str, name: str, sky: np.ndarray, tmp_path: Path) -> None:
    table = skyfarm.scan(sky)
    table.write(tmp_path / name, format=form)
    again = Table.read(tmp_path / name, format=form)
    np.testing.assert_array_equal(again["flux_auto"], table["flux_auto"])
    assert again["flux_auto"].unit == table["flux_auto"].unit
