"""What sep's documentation shows, and more, with any module of sep's names: python sep_examples.py RESULTS.npz."""

import sys
from types import ModuleType
from typing import Any

import numpy as np


def sky() -> np.ndarray:
    """Elliptical sources, some of them blended, on a sloping background."""
    random = np.random.default_rng(7)
    data = random.normal(0, 5, (260, 330)) + np.linspace(100, 140, 330)
    y, x = np.mgrid[0:260, 0:330]
    for _ in range(90):
        flux, size, angle = 10 ** random.uniform(3, 4.5), random.uniform(1.3, 3), random.uniform(0, np.pi)
        dx, dy = x - random.uniform(0, 329), y - random.uniform(0, 259)
        u, v = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
        data += flux / (2 * np.pi * size**2) * np.exp(-(u**2 + 2 * v**2) / (2 * size**2))
    return data


def results(sep: ModuleType) -> dict[str, np.ndarray]:
    """The results of every function, by names."""
    found: dict[str, np.ndarray] = {}

    def keep(name: str, *values: np.ndarray) -> None:
        for index, value in enumerate(values):
            found[f"{name} {index}"] = np.asarray(value)

    def catalogue(name: str, objects: np.ndarray) -> None:
        for field in objects.dtype.names or ():
            found[f"{name} {field}"] = objects[field]

    data = sky()
    mask = np.zeros(data.shape, bool)
    mask[40:60, 100:180] = True
    for name, image in (("f8", data), ("f4", data.astype("f4")), ("i4", data.astype("i4"))):
        background = sep.Background(image)
        keep(f"background {name}", background.globalback, background.globalrms, background.back(), background.rms())
        keep(f"subtracted {name}", image - background, np.array(background), background.back(dtype=np.float32))
        catalogue(f"extract {name}", sep.extract(image - background, 1.5, err=background.globalrms))
    background = sep.Background(data, mask=mask, bw=32, bh=48, fw=3, fh=5, fthresh=1.0)
    keep("background mask", background.back(), background.rms())
    holes = data.copy()
    holes[:150, 90:250] = np.nan
    holes[200:, 300:] = 7.0
    flat = np.where(np.arange(330) < 200, 5.0, data)
    steps = data + 300 * (np.arange(330) > 150)
    backgrounds: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        "holes": (holes, {"bw": 16, "bh": 20, "fw": 5, "fh": 3}),
        "masked": (data, {"mask": np.hypot(*np.mgrid[-130:130, -165:165]) > 70, "bw": 10, "bh": 10}),
        "all masked": (data, {"mask": np.ones(data.shape, bool)}),
        "threshold of the mask": (data, {"mask": data, "maskthresh": 130.0}),
        "flat": (flat, {"bw": 32, "bh": 32}),
        "threshold": (steps, {"bw": 20, "bh": 20, "fthresh": 8.0}),
        "one mesh": (data, {"bw": 1000, "bh": 1000}),
        "one row": (data, {"bw": 30, "bh": 1000, "fw": 7, "fh": 7}),
        "small": (data, {"bw": 3, "bh": 5, "fw": 4, "fh": 2}),
    }
    for name, (image, options) in backgrounds.items():
        background = sep.Background(image.astype("f4"), **options)
        keep(f"background {name}", background.globalback, background.globalrms, background.back(), background.rms())
    left = data.copy()
    background.subfrom(left)
    keep("subfrom", left)

    rms = background.rms()
    catalogue("absolute", sep.extract(left, 30.0))
    catalogue("gain", sep.extract(left, 30.0, gain=2.0))
    catalogue("error map", sep.extract(left, 2.0, err=rms))
    catalogue("conv", sep.extract(left, 2.0, err=rms, filter_type="conv", gain=2.0))
    catalogue("variance", sep.extract(left, 2.0, var=rms**2, mask=mask, minarea=8, clean=False))
    catalogue("no filter", sep.extract(left, 3.0, err=5.0, filter_kernel=None, deblend_cont=1.0, deblend_nthresh=16))
    kernel = np.array([[1.0, 2.0, 3.0, 2.0, 1.0], [2.0, 3.0, 5.0, 3.0, 2.0], [1.0, 2.0, 3.0, 2.0, 1.0]])
    catalogue("kernel", sep.extract(left, 2.0, err=5.0, filter_kernel=kernel, clean_param=0.5))
    objects, segmap = sep.extract(left, 1.5, err=background.globalrms, segmentation_map=True)
    catalogue("segmentation", objects)
    keep("segmentation map", segmap)
    assert len(objects) > 60 and (objects["flag"] & sep.OBJ_MERGED).any()

    x, y, a, b, theta = (objects[name] for name in ("x", "y", "a", "b", "theta"))
    ids = np.arange(1, len(objects) + 1, dtype=np.int32)
    for subpix in (0, 1, 5):
        keep(f"circle {subpix}", *sep.sum_circle(left, x, y, 3.0, err=5.0, subpix=subpix))
    keep("circle gain", *sep.sum_circle(left, x, y, 5.0, err=rms, gain=1.5, mask=mask))
    keep("circle var", *sep.sum_circle(left.astype("f4"), x, y, np.linspace(1, 9, len(x)), var=rms**2))
    keep("circle annulus", *sep.sum_circle(left, x, y, 3.0, err=5.0, mask=mask, bkgann=(6.0, 8.0)))
    keep("circle map", *sep.sum_circle(left, x, y, 5.0, segmap=segmap, seg_id=ids))
    keep("circle own", *sep.sum_circle(left, x, y, 5.0, segmap=segmap, seg_id=-ids))
    keep("circann", *sep.sum_circann(left, x, y, 3.0, 6.0, err=5.0, mask=mask))
    keep("ellipse", *sep.sum_ellipse(left, x, y, a, b, theta, 2.5, err=5.0, subpix=1))
    keep("ellipse annulus", *sep.sum_ellipse(left, x, y, a, b, theta, 2.0, err=rms, mask=mask, bkgann=(3.0, 4.0)))
    keep("ellipann", *sep.sum_ellipann(left, x, y, a, b, theta, 1.0, 3.0, var=25.0, gain=2.0))
    radius, flag = sep.kron_radius(left, x, y, a, b, theta, 6.0, mask=mask)
    keep("kron", radius, flag, *sep.kron_radius(left, x, y, a, b, theta, 6.0, segmap=segmap, seg_id=ids))
    flux, _, _ = sep.sum_ellipse(left, x, y, a, b, theta, 2.5 * np.maximum(radius, 1), subpix=1)
    keep("half", *sep.flux_radius(left, x, y, 6.0 * a, 0.5, normflux=flux, subpix=5))
    keep("half of all", *sep.flux_radius(left, x, y, 6.0 * a, 0.5, subpix=5))
    keep("half of nothing", *sep.flux_radius(left - 50, x, y, 6.0 * a, 0.5, subpix=5))
    px, py = (axis.ravel() for axis in np.meshgrid(np.arange(-1, 331, 0.5), [0.0, 3.3, 130.0, 256.5, 259.0]))
    for limit in (2.5, 6.0, 7.25):
        keep(f"half at edges {limit}", sep.flux_radius(left + 50, px, py, np.full(len(px), limit), 0.5)[1])
    keep("shares", *sep.flux_radius(left, x, y, 6.0 * a, [0.2, 0.5, 0.8], mask=mask))
    keep("winpos", *sep.winpos(left, x, y, 2.0 / 2.35 * a))
    keep("winpos mask", *sep.winpos(left, x, y, np.full(len(x), 0.1), mask=mask, subpix=0))

    cxx, cyy, cxy = sep.ellipse_coeffs(a, b, theta)
    keep("coefficients", cxx, cyy, cxy, *sep.ellipse_axes(cxx, cyy, cxy))
    for name, values in (("axes", {"a": a, "b": b, "theta": theta}), ("cxx", {"cxx": cxx, "cyy": cyy, "cxy": cxy})):
        inside = np.zeros(data.shape, bool)
        sep.mask_ellipse(inside, x, y, r=3.0, **values)
        keep(f"inside {name}", inside)
    return found


if __name__ == "__main__":
    import sep

    np.savez(sys.argv[1], **results(sep))
