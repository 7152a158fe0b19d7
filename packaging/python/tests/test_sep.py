"""skyfarm.sep: the results of the package sep, to the last bit."""

import inspect
import os
import subprocess
import sys
import threading
import time
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sep_examples import results, sky

from skyfarm import sep
from skyfarm.sep import _background, _bands

#: Radii of half of the flux, whose sums are taken in another order.
HALF_FLUX = ("half 0", "half of all 0", "half of nothing 0")


def test_results_are_those_of_sep(tmp_path: Path) -> None:
    # The only difference is the draw of deblending, which is fixed for both here.
    draw = Path(__file__).parents[3] / "Tests/CSEP/fixed_draw.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "draw.so", draw], check=True)
    script = Path(__file__).with_name("sep_examples.py")
    environment = {**os.environ, "LD_PRELOAD": str(tmp_path / "draw.so")}
    subprocess.run([sys.executable, script, tmp_path / "sep.npz"], check=True, env=environment)
    found = results(sep)
    with np.load(tmp_path / "sep.npz") as expected:
        assert set(found) == set(expected.files) and len(found) > 350
        for name in found:
            kept, same = faultless(name, found, expected)
            left, right = found[name][same], expected[name][kept]
            assert left.shape == right.shape, name
            # The flags of sep before 1.4 have 64 bits.
            assert left.dtype == right.dtype or name.endswith(" flag"), name
            if name.startswith("variance err"):
                # The noise is the root of the variance, in single precision.
                np.testing.assert_allclose(left, right, rtol=1e-6, err_msg=name)
            elif name in HALF_FLUX:
                np.testing.assert_allclose(left, right, rtol=1e-12, err_msg=name)
            else:
                assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), name


def faultless(name: str, found: dict[str, np.ndarray], expected: Any) -> tuple[Any, Any]:
    """The objects of sep, and the same ones of skyfarm.sep: under noise maps, sep 1.2.1 reads 0 as the threshold of islands
    at the edges, and a huge one of those before masked pixels, and does not divide them."""
    catalogue = name.rsplit(" ", 1)[0]
    if catalogue not in ("error map", "conv", "variance"):
        return ..., ...
    thresh = expected[f"{catalogue} thresh"]
    kept = np.flatnonzero((thresh > 0) & (thresh < 1e9))
    x, y = (expected[f"{catalogue} {axis}"][kept] for axis in "xy")
    same = (found[f"{catalogue} x"] == x[:, None]) & (found[f"{catalogue} y"] == y[:, None])
    assert 20 < len(kept) < len(found[f"{catalogue} x"]) and (same.sum(1) == 1).all(), catalogue
    return kept, same.argmax(1)


def test_noise_map_of_one_value() -> None:
    # At the edges, too; sep 1.2.1 reads 0 there.
    data = sky() - 120
    names = [name for name in sep.extract(data, 30.0).dtype.names if not name.startswith("err")]
    for options in ({"filter_kernel": None}, {"filter_type": "conv"}):
        expected = sep.extract(data, 15.0, **options)
        for noise in ({"err": np.full(data.shape, 5.0)}, {"var": np.full(data.shape, 25.0)}):
            np.testing.assert_array_equal(sep.extract(data, 3.0, **noise, **options)[names], expected[names])
        assert (expected["ymax"] == 259).any() and (expected["xmax"] == 329).any()


def test_given_map() -> None:
    data = sky() - 120
    for noise in ({}, {"err": 5.0}, {"err": np.full(data.shape, 5.0)}):
        thresh = 3.0 if noise else 15.0
        objects, numbers = sep.extract(data, thresh, segmentation_map=True, clean=False, filter_type="conv", **noise)
        # Gaps between the numbers are closed.
        again, closed = sep.extract(data, thresh, segmentation_map=3 * numbers.astype("i8"), **noise)
        np.testing.assert_array_equal(closed, numbers)
        assert len(objects) > 60 and again.dtype == objects.dtype
        single = objects["flag"] == 0
        for name in objects.dtype.names or ():
            kept = single if name in ("x", "y", "x2", "y2", "xy", "a", "b", "theta", "flag") or name[0] in "ce" else ...
            np.testing.assert_allclose(again[name][kept], objects[name][kept], rtol=1e-6, err_msg=name)
    with pytest.raises(ValueError, match="size of segmap array must match data"):
        sep.extract(data, 15.0, segmentation_map=numbers[:9])
    with pytest.raises(ValueError, match="integers"):
        sep.extract(data, 15.0, segmentation_map=numbers.astype(float))
    assert len(sep.extract(data, 15.0, segmentation_map=np.zeros_like(numbers))[0]) == 0


def test_mask_of_the_first_rows_and_its_threshold() -> None:
    data = np.zeros((40, 50))
    data[0:2, 10:14] = 100
    data[20:24, 30:34] = 100
    mask = np.where(data > 0, 0.5, 0.0)
    for noise in ({}, {"err": 1.0}, {"err": np.ones(data.shape)}):
        assert [len(sep.extract(data, 5.0, mask=mask, maskthresh=limit, **noise)) for limit in (0.4, 0.5)] == [0, 2]


def test_any_array() -> None:
    data = sky()
    expected = sep.extract(data - sep.Background(data), 10.0)
    for array in (np.asfortranarray(data), data.astype(">f8"), np.repeat(data, 2, 1)[:, ::2]):
        np.testing.assert_array_equal(sep.extract(array - sep.Background(array), 10.0), expected)
    small = (data / 10).astype("i2")
    np.testing.assert_array_equal(sep.extract(small, 20.0), sep.extract(small.astype("i4"), 20.0))
    in_place = np.asfortranarray(data.copy())
    sep.Background(data).subfrom(in_place)
    np.testing.assert_allclose(in_place, data - sep.Background(data), rtol=1e-12)
    one = sep.sum_circle(data, 50.0, 60.0, 3.0)
    assert [value.shape for value in one] == [(), (), ()] and one[0] == sep.sum_circle(data, [50.0], [60.0], 3.0)[0][0]


def test_there_are_no_limits() -> None:
    data = sky()
    expected = sep.extract(data - sep.Background(data), 10.0)
    before = sep.get_extract_pixstack(), sep.get_sub_object_limit()
    try:
        sep.set_extract_pixstack(10)
        sep.set_sub_object_limit(2)
        assert (sep.get_extract_pixstack(), sep.get_sub_object_limit()) == (10, 2)
        np.testing.assert_array_equal(sep.extract(data - sep.Background(data), 10.0), expected)
    finally:
        sep.set_extract_pixstack(before[0])
        sep.set_sub_object_limit(before[1])


def test_refusals() -> None:
    data = np.ones((20, 20))
    cases = [
        (lambda: sep.extract(data, 1.0, err=1.0, var=1.0), "Cannot specify both"),
        (lambda: sep.extract(data, 1.0, filter_type="x"), "unknown filter_type: 'x'"),
        (lambda: sep.extract(data[0], 1.0), "2-d"),
        (lambda: sep.extract(data, 1.0, mask=data[:3]), "size of mask array must match data"),
        (lambda: sep.extract(data * 1j, 1.0), "dtype not supported"),
        (lambda: sep.sum_circle(data, [1.0], [1.0], -1.0), "invalid aperture parameters"),
        (lambda: sep.sum_ellipse(data, [1.0], [1.0], 1.0, 2.0, 0.0), "invalid aperture parameters"),
        (lambda: sep.sum_circle(data, [1, 2], [1, 2, 3], 1.0), "shape mismatch"),
        (lambda: sep.sum_circle(data, [1.0], [1.0], 3.0, bkgann=(300, 310)), "object 0 has no valid pixel"),
        (lambda: sep.sum_ellipse(data, 1.0, 1.0, 3.0, 2.0, 0.0, bkgann=(300, 310)), "has no valid pixel"),
        (lambda: sep.sum_circle(data, [1], [1], 1.0, segmap=data), "`segmap` supplied but not `seg_id`"),
        (lambda: sep.Background(data).subfrom(data[:3]), "do not match background dimensions"),
        (lambda: sep.Background(data, bw=0), "at least 1"),
        (lambda: sep.ellipse_axes(-1.0, 1.0, 1.0), "parameters do not describe ellipse"),
    ]
    for call, words in cases:
        with pytest.raises(ValueError, match=words):
            call()


def test_arrays_that_cannot_be_written(tmp_path: Path) -> None:
    data, inside = sky(), np.zeros((260, 330), bool)
    np.save(tmp_path / "data.npy", data)
    np.save(tmp_path / "inside.npy", inside)
    for order in (data.dtype, data.dtype.newbyteorder()):
        for array in (np.load(tmp_path / "data.npy", mmap_mode="r"), data.astype(order)):
            array.flags.writeable = False
            with pytest.raises(ValueError, match="^data: the array is read-only"):
                sep.Background(data).subfrom(array)
    with pytest.raises(ValueError, match="^arr: the array is read-only"):
        sep.mask_ellipse(np.load(tmp_path / "inside.npy", mmap_mode="r"), 50.0, 60.0, 5.0, 3.0, 0.0)


def test_radius_without_an_aperture() -> None:
    # SEP crashes.
    data = sky()
    for share in (0.5, [0.2, 0.5]):
        radius, flag = sep.flux_radius(data, [50.0, 60.0], [50.0, 60.0], [0.0, 8.0], share)
        assert np.all(radius[0] == 0) and np.all(radius[1] > 0) and list(flag) == [0, 0]
        for limit in (-1.0, np.nan):
            with pytest.raises(ValueError, match="invalid aperture parameters"):
                sep.flux_radius(data, [50.0], [50.0], [limit], share)


def test_other_threads_run_meanwhile() -> None:
    data = np.tile(sky(), (2, 1))
    extracting = threading.Event()
    during = 0

    def extract() -> None:
        extracting.set()
        sep.extract(data - 110, 4.0)
        extracting.clear()

    thread = threading.Thread(target=extract)
    thread.start()
    while thread.is_alive():
        during += extracting.is_set()
        time.sleep(0)
    assert during > 10


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"clean": False},
        {"gain": 2.0},
        {"err": 5.0, "filter_kernel": None},
        {"var": 25.0, "gain": 2.0},
        {"err": 4.7},
        {"var": 22.3},
    ],
)
def test_bands(options: dict[str, object], monkeypatch: pytest.MonkeyPatch) -> None:
    # Bands so low that islands are cut, some of them by several bands.
    data = np.tile(sky() - 120, (2, 2))
    data[100:400, 300:306] += 100
    thresh = 2.3 if "err" in options or "var" in options else 10.0
    whole, whole_map = sep.extract(data, thresh, segmentation_map=True, **options)
    for name, value in (("_ROWS", 16), ("_PIXELS", 0), ("_HALO", 8)):
        monkeypatch.setattr(_bands, name, value)
    monkeypatch.setattr(_bands, "cores", lambda: 4)
    objects, segmap = sep.extract(data, thresh, segmentation_map=True, **options)
    assert len(whole) > 200 and len(objects) == len(whole)
    np.testing.assert_array_equal(segmap, whole_map)
    for name in whole.dtype.names or ():
        np.testing.assert_array_equal(objects[name], whole[name], err_msg=name)
    assert objects.dtype == whole.dtype and whole["ymax"].max() - whole["ymin"].min() > 300


@pytest.mark.parametrize("boxes", [{}, {"bw": 32, "bh": 50, "fw": 5, "fh": 1}, {"bw": 400, "bh": 7}])
@pytest.mark.parametrize("kind", ["f4", "f8", "i4"])
def test_background_in_bands(kind: str, boxes: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    data = sky().astype(kind)
    whole = sep.Background(data, **boxes)
    monkeypatch.setattr(_background, "_PART", 1)
    monkeypatch.setattr(_background, "cores", lambda: 3)
    cut = sep.Background(data, **boxes)
    assert (cut.globalback, cut.globalrms) == (whole.globalback, whole.globalrms)
    np.testing.assert_array_equal(cut.back(), whole.back())
    np.testing.assert_array_equal(cut.rms(), whole.rms())


def test_types() -> None:
    for name in sep.__all__:
        value = getattr(sep, name)
        functions = [value] if inspect.isfunction(value) else []
        if inspect.isclass(value):
            functions = [member for member in vars(value).values() if inspect.isfunction(member)]
        for function in functions:
            hints = typing.get_type_hints(function)
            parameters = set(inspect.signature(function).parameters) - {"self"}
            assert set(hints) == parameters | {"return"}, function
            assert typing.Any not in hints.values(), function
