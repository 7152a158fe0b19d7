"""What Skyfarm's kernel takes: pixels with their noise, and what counts as a source."""

from __future__ import annotations

import numpy as np

from .._memory import Array
from ._library import Detection, Field, Image


class KernelInput:
    """Rows of an image, their noise and the filter, as Skyfarm's kernel takes them; keeps the arrays."""

    def __init__(
        self, image: Image, kernel: Array | None, thresh: float, top: int = 0, bottom: int | None = None
    ) -> None:
        rows = slice(top, bottom)
        # In single precision, as SEP computes.
        self.pixels = np.ascontiguousarray(image.data[rows], np.float32)
        self.noise = None if image.noise is None else image.noise[rows].astype(np.float32)
        scale = np.float32(image.noise_value)
        variance = scale * scale
        if image.noise_type == 2:
            self.noise = None if self.noise is None else np.sqrt(self.noise)
            scale, variance = np.float32(image.noise_value**0.5), scale
        if self.noise is not None and image.mask is not None:
            self.noise[image.mask[rows] != 0] = 1e30
        self.field = Field(
            pixels=self.pixels.ctypes.data, noise=None if self.noise is None else self.noise.ctypes.data,
            global_noise=scale, global_variance=variance, width=image.width, height=len(self.pixels), y=top,
            gain=image.gain,
        )  # fmt: skip
        self.detection = Detection(threshold=thresh)
        if kernel is not None:
            # Summed in SEP's order. An even side is filled up, which leaves the centre where it is.
            factors = kernel / np.cumsum(np.abs(kernel), dtype=np.float32)[-1]
            self.kernel = np.pad(factors, [(0, 1 - side % 2) for side in kernel.shape]).astype(np.float32)
            self.detection.kernel = self.kernel.ctypes.data
            self.detection.kernel_height, self.detection.kernel_width = self.kernel.shape
