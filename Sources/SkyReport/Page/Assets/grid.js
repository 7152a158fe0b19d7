"use strict";
// Sky coordinates of the image, interpolated between the points of a grid as unit vectors.

const radian = Math.PI / 180;

class SkyGrid {
  constructor({ system, nodes, places }, width, height) {
    Object.assign(this, { system, nodes, width, height });
    const bytes = Uint8Array.from(atob(places), (letter) => letter.charCodeAt(0));
    const degrees = new Float64Array(bytes.buffer);
    this.vectors = Array.from({ length: nodes * nodes }, (_, node) => {
      const [ra, dec] = [degrees[2 * node] * radian, degrees[2 * node + 1] * radian];
      return [Math.cos(dec) * Math.cos(ra), Math.cos(dec) * Math.sin(ra), Math.sin(dec)];
    });
  }

  /** The direction at a place of the image, and its change with each pixel to the right and up. */
  direction(x, y) {
    const across = (x + 0.5) / this.width * (this.nodes - 1), up = (y + 0.5) / this.height * (this.nodes - 1);
    const inside = (place) => Math.min(this.nodes - 2, Math.max(0, Math.floor(place)));
    const [column, row] = [inside(across), inside(up)], [u, v] = [across - column, up - row];
    const corner = (right, above) => this.vectors[(row + above) * this.nodes + column + right];
    const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
    const mix = (weigh) => a.map((_, axis) => weigh(a[axis], b[axis], c[axis], d[axis]));
    return {
      at: mix((a, b, c, d) => (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v),
      right: mix((a, b, c, d) => ((b - a) * (1 - v) + (d - c) * v) * (this.nodes - 1) / this.width),
      up: mix((a, b, c, d) => ((c - a) * (1 - u) + (d - b) * u) * (this.nodes - 1) / this.height),
    };
  }

  /** Right ascension and declination of a place, in degrees. */
  coordinates(x, y) {
    const [a, b, c] = this.direction(x, y).at;
    return { ra: (Math.atan2(b, a) / radian + 360) % 360, dec: Math.atan2(c, Math.hypot(a, b)) / radian };
  }

  /** Degrees per pixel, and the directions of north and east as unit vectors: pixels to the right and up. */
  scaleAt(x, y) {
    const { at, right, up } = this.direction(x, y);
    const dot = (one, other) => one.reduce((sum, value, axis) => sum + value * other[axis], 0);
    const [rr, ru, uu] = [dot(right, right), dot(right, up), dot(up, up)];
    const steps = (wanted) => {
      const [r, u] = [dot(right, wanted), dot(up, wanted)];
      const [across, high] = [r * uu - u * ru, u * rr - r * ru];
      const length = Math.hypot(across, high) || 1;
      return [across / length, high / length];
    };
    return {
      degrees: Math.sqrt(Math.abs(rr * uu - ru * ru) ** 0.5) / radian,
      north: steps([-at[0] * at[2], -at[1] * at[2], 1 - at[2] ** 2]), east: steps([-at[1], at[0], 0]),
    };
  }
}
