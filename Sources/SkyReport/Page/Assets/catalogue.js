"use strict";
// The sources: typed columns, a grid for searches by place, and a filter by flags.

class Catalogue {
  constructor(pack, width, height, parameters = []) {
    const setting = (key, standard) => Number(parameters.find((one) => one.key === key)?.value ?? standard);
    [this.kronFactor, this.kronMinimum] = [setting("KRONFACT", 2.5), setting("KRONMIN", 3.5)];
    const bytes = pack.bytes ?? Uint8Array.from(atob(pack.base64), (letter) => letter.charCodeAt(0));
    const types = { Float32Array, Int32Array, Uint16Array };
    this.count = pack.count;
    this.total = pack.total;
    this.columns = new Map(pack.columns.map((column) =>
      [column.name, { ...column, values: new types[column.type](bytes.buffer, column.offset, pack.count) }]));
    [this.x, this.y, this.flags] = ["x", "y", "flags"].map((name) => this.columns.get(name).values);
    // The catalogue's own words for each bit: "1 deblended, 2 cut by the image's edge".
    this.flagWords = new Map([...(this.columns.get("flags").meaning ?? "").matchAll(/(\d+) ([^,]+)/g)].map(
      ([, bit, words]) => [Number(bit), words]));
    this.isShown = new Uint8Array(this.count).fill(1);
    this.shownCount = this.count;
    // Semi-axis of the largest ellipse that is drawn: of a wrong one more than the whole image would be seen.
    this.longest = Math.max(width, height) / 8;
    this.buildGrid(width, height);
  }

  /** A value in its unit; NaN if there is none. */
  value(name, source) {
    const column = this.columns.get(name);
    if (!column) return NaN;
    const stored = column.values[source];
    return column.type === "Int32Array" && stored === -2147483648 ? NaN : stored * column.scale + column.zero;
  }

  /** Sorts the sources by cell (counting sort), about four per cell. */
  buildGrid(width, height) {
    this.cell = Math.max(8, Math.sqrt((width * height * 4) / Math.max(1, this.count)));
    this.across = Math.floor(width / this.cell) + 1;
    this.down = Math.floor(height / this.cell) + 1;
    this.starts = new Int32Array(this.across * this.down + 1);
    const cells = new Int32Array(this.count);
    for (let source = 0; source < this.count; source++) {
      cells[source] = this.row(this.y[source]) * this.across + this.column(this.x[source]);
      this.starts[cells[source] + 1]++;
    }
    for (let cell = 0; cell < this.across * this.down; cell++) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    this.order = new Int32Array(this.count);
    for (let source = 0; source < this.count; source++) this.order[next[cells[source]]++] = source;
  }

  column(x) { return Math.min(this.across - 1, Math.max(0, Math.floor(x / this.cell) || 0)); }
  row(y) { return Math.min(this.down - 1, Math.max(0, Math.floor(y / this.cell) || 0)); }

  /** Visits the shown sources of the cells that touch a rectangle of the image; some lie a little outside of it. */
  forEachIn(left, bottom, right, top, visit) {
    const [first, last] = [this.column(left), this.column(right)];
    for (let row = this.row(bottom); row <= this.row(top); row++) {
      const end = this.starts[row * this.across + last + 1];
      for (let place = this.starts[row * this.across + first]; place < end; place++) {
        const source = this.order[place];
        if (this.isShown[source]) visit(source);
      }
    }
  }

  /** The shown source nearest to a place, within a distance; -1 if there is none. */
  nearest(x, y, distance) {
    let [best, least] = [-1, distance * distance];
    this.forEachIn(x - distance, y - distance, x + distance, y + distance, (source) => {
      const square = (this.x[source] - x) ** 2 + (this.y[source] - y) ** 2;
      if (square < least) [best, least] = [source, square];
    });
    return best;
  }

  /** Shows the sources that have none of the bits of `hidden`, and those without flags if `showsClean`. */
  show(hidden, showsClean) {
    this.shownCount = 0;
    for (let source = 0; source < this.count; source++) {
      const flags = this.flags[source];
      this.isShown[source] = (flags === 0 ? showsClean : (flags & hidden) === 0) ? 1 : 0;
      this.shownCount += this.isShown[source];
    }
  }

  /** The source with this number; -1 if there is none. */
  find(number) {
    const numbers = this.columns.get("number");
    return numbers ? numbers.values.indexOf(number) : -1;
  }

  /** Semi-axes to draw, in pixels: the ellipse of `flux_auto`. */
  axes(source) {
    const factor = Math.max(this.kronFactor * (this.value("kron_radius", source) || 0), this.kronMinimum);
    return [Math.max(1, factor * this.value("a", source) || 1), Math.max(1, factor * this.value("b", source) || 1)];
  }

  /** The factor by which an ellipse is drawn smaller, so that it has at most a certain size. */
  reduction(source) { return Math.min(1, this.longest / this.axes(source)[0]); }

  words(source) {
    const flags = this.flags[source];
    return [...this.flagWords].filter(([bit]) => flags & bit).map(([, word]) => word).join(", ") || "none";
  }

  /** Names and values of a source for display. */
  describe(source) {
    const value = (name) => this.value(name, source);
    const unit = this.columns.get("flux_auto")?.unit || "";
    const rows = [
      ["source", whole(value("number"))], ["x, y", `${value("x").toFixed(2)}, ${value("y").toFixed(2)}`],
    ];
    if (Number.isFinite(value("ra"))) {
      rows.push(["ra", `${sexagesimal(value("ra"), true)} (${value("ra").toFixed(5)}°)`]);
      rows.push(["dec", `${sexagesimal(value("dec"), false)} (${value("dec").toFixed(5)}°)`]);
    }
    const flux = value("flux_auto");
    rows.push(["flux_auto", `${digits(flux, 4)} ± ${digits(value("fluxerr_auto"), 2)} ${unit}`]);
    if (flux > 0) {
      const { zeroPoint } = this;
      rows.push(["magnitude", ((zeroPoint?.value ?? 0) - 2.5 * Math.log10(flux)).toFixed(3) +
        (zeroPoint ? ` (zero point ${zeroPoint.keyword})` : " (instrumental)")]);
    }
    rows.push(["peak", `${digits(value("peak"), 4)} ${unit}`], ["flux_radius", digits(value("flux_radius")) + " pix"]);
    rows.push(["a, b", `${digits(value("a"))}, ${digits(value("b"))} pix`]);
    rows.push(["theta", `${value("theta").toFixed(3)} rad (${(value("theta") * 180 / Math.PI).toFixed(0)}°)`]);
    const reduction = this.reduction(source);
    if (reduction < 1) rows.push(["ellipse", `drawn at ${digits(100 * reduction, 2)} % of its size`]);
    rows.push(["pixels", whole(value("npix"))], ["flags", this.words(source)]);
    return rows;
  }

  /** All sources as CSV with the columns of this page, in the precision in which it has them. */
  csv() {
    const columns = [...this.columns.values()];
    const rows = Array.from({ length: this.count }, (_, source) => columns.map(({ name, type }) => {
      const value = this.value(name, source);
      return Number.isNaN(value) ? "" : +value.toPrecision(type === "Float32Array" ? 8 : 10);
    }).join());
    return [columns.map(({ name }) => name).join(), ...rows, ""].join("\n");
  }
}
