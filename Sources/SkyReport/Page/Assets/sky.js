"use strict";
// The image with its sources. Its first row is at the bottom, as in other astronomical viewers.

const cleanColour = [0x56, 0xb4, 0xe9], flaggedColour = [0xe6, 0x9f, 0x00];
/** Ellipses are drawn for at most this number of sources in view, if each has this area in CSS pixels; else dots. */
const ellipseLimit = 3000, ellipseRoom = 200;

class Sky {
  constructor(image, catalogue, picture, sectorMap) {
    Object.assign(this, { image, catalogue, picture, sectorMap });
    this.canvas = byID("sky");
    this.tip = byID("sky-tip");
    this.status = byID("sky-status");
    this.marks = "auto";
    this.overlay = "state";
    this.selected = -1;
    this.pointers = new Map();
    this.dots = document.createElement("canvas");
    this.visited = new Int32Array(catalogue.count);
    this.inView = this.visited.subarray(0, 0);
    this.redraw = onFrame(() => this.draw());
    this.isFitted = true;
    this.listen();
    this.showLink();
  }

  /** Gives the canvas the shape of the image, in the width of the page and the height of the window below its top edge. */
  resize() {
    const viewer = this.canvas.closest(".viewer"), shape = this.image.height / this.image.width;
    const top = viewer.getBoundingClientRect().top + window.scrollY;
    const room = Math.max(300, 0.4 * window.innerHeight, window.innerHeight - top - 16);
    const width = Math.min(viewer.clientWidth, Math.max(280, room / shape));
    this.canvas.parentElement.style.width = width + "px";
    this.canvas.style.height = Math.min(room, Math.max(120, width * shape)) + "px";
  }

  // The view: CSS pixels per pixel of the image, and the distance of its left and top edge from the image's top left corner.

  fit() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.scale = Math.min(width / this.image.width, height / this.image.height);
    this.left = (this.image.width - width / this.scale) / 2;
    this.top = (this.image.height - height / this.scale) / 2;
    this.isFitted = true;
    this.redraw();
  }

  screenX(x) { return (x + 0.5 - this.left) * this.scale; }
  screenY(y) { return (this.image.height - y - 0.5 - this.top) * this.scale; }
  imageX(x) { return x / this.scale + this.left - 0.5; }
  imageY(y) { return this.image.height - 0.5 - (y / this.scale + this.top); }

  /** Zooms around a point of the screen, which stays where it is. */
  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const least = 0.5 * Math.min(
      this.canvas.clientWidth / this.image.width, this.canvas.clientHeight / this.image.height);
    const scale = Math.min(40, Math.max(least, this.scale * factor));
    this.left += x / this.scale - x / scale;
    this.top += y / this.scale - y / scale;
    this.scale = scale;
    this.isFitted = false;
    this.keepInView();
  }

  move(right, down) {
    this.left += right / this.scale;
    this.top += down / this.scale;
    this.isFitted = false;
    this.keepInView();
  }

  /** Keeps a part of the image in view. */
  keepInView() {
    const [wide, high] = [this.canvas.clientWidth / this.scale, this.canvas.clientHeight / this.scale];
    this.left = Math.min(Math.max(this.left, -wide * 0.75), this.image.width - wide * 0.25);
    this.top = Math.min(Math.max(this.top, -high * 0.75), this.image.height - high * 0.25);
    this.redraw();
  }

  draw() {
    const { context, width, height, ratio } = sharpen(this.canvas);
    context.fillStyle = "#05070a";
    context.fillRect(0, 0, width, height);
    context.imageSmoothingEnabled = this.scale * this.image.factor < 2;
    this.drawPicture(context);
    if (this.overlay !== "none") {
      this.sectorMap.paint(context, this.overlay, 0.45, (rect) => [
        this.screenX(rect[0] - 0.5), this.screenY(rect[1] + rect[3] - 0.5), rect[2] * this.scale, rect[3] * this.scale,
      ]);
    }
    this.drawSources(context, width, height, ratio);
    this.drawCompass(context, width, height);
    this.describeView();
  }

  drawPicture(context) {
    // The last squares of a preview may extend beyond the image.
    const [shownWidth, shownHeight] = [this.picture.naturalWidth, this.picture.naturalHeight].map((side) =>
      side * this.image.factor * this.scale);
    const [x, y] = [this.screenX(-0.5), this.screenY(this.image.height - 0.5)];
    context.save();
    context.beginPath();
    context.rect(x, y, this.image.width * this.scale, this.image.height * this.scale);
    context.clip();
    context.drawImage(this.shown ?? this.picture, x, this.screenY(-0.5) - shownHeight, shownWidth, shownHeight);
    context.restore();
  }

  /** Shows the picture, whose shades are the inverse hyperbolic sine of its values, or a copy with other shades. */
  setStretch(name) {
    const { picture } = this;
    this.shown = null;
    if (name !== "asinh" && picture.naturalWidth && this.image.stretch) {
      const { black, white } = this.image.stretch;
      const shades = Uint8Array.from({ length: 256 }, (_, shade) => {
        const height = (this.valueOfShade(shade) - black) / (white - black);
        return Math.round(255 * (name === "sqrt" ? Math.sqrt(Math.max(0, height)) : height));
      });
      this.shown = element("canvas", { width: picture.naturalWidth, height: picture.naturalHeight });
      const context = this.shown.getContext("2d");
      context.drawImage(picture, 0, 0);
      const pixels = context.getImageData(0, 0, picture.naturalWidth, picture.naturalHeight), { data } = pixels;
      for (let at = 0; at < data.length; at += 4) data[at] = data[at + 1] = data[at + 2] = shades[data[at]];
      context.putImageData(pixels, 0, 0);
    }
    this.redraw();
  }

  /** The pixel value of a shade of the picture. */
  valueOfShade(shade) {
    const { black, white, softening } = this.image.stretch;
    return black + softening * Math.sinh(shade / 255 * Math.asinh((white - black) / softening));
  }

  /** A scale bar, and the directions of north and east, at the middle of the view. */
  drawCompass(context, width, height) {
    const { grid } = this.image;
    const sky = grid?.scaleAt(this.imageX(width / 2), this.imageY(height / 2));
    const unit = (sky?.degrees ?? 1) / this.scale;
    // Steps of 1, 2 or 5 in the unit that suits the bar.
    const [size, sign] = !sky ? [1, " pix"] : [[1, "°"], [1 / 60, "′"], [1 / 3600, "″"]].find(([size]) => unit * 50 >= size) ?? [1 / 3600, "″"];
    const length = ticks(0, unit * 50 / size, 1).step;
    const wide = length * size / unit, left = 14, bottom = height - 14;
    Object.assign(context, {
      lineWidth: 2, strokeStyle: "#ffffff", fillStyle: "#ffffff", font: "12px system-ui, sans-serif", textAlign: "left",
      shadowColor: "#000000", shadowBlur: 3,
    });
    context.beginPath();
    context.moveTo(left, bottom - 5);
    for (const [x, y] of [[left, bottom], [left + wide, bottom], [left + wide, bottom - 5]]) context.lineTo(x, y);
    context.stroke();
    context.fillText(+length.toPrecision(3) + sign, left + 5, bottom - 5);
    if (sky) {
      for (const [name, [right, up]] of [["N", sky.north], ["E", sky.east]]) this.drawArrow(context, name, width - 44, height - 44, right, -up);
    }
    context.shadowBlur = 0;
  }

  drawArrow(context, name, x, y, right, down) {
    const at = (along, aside) => [x + right * along - down * aside, y + down * along + right * aside];
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...at(24, 0));
    context.moveTo(...at(19, -4));
    context.lineTo(...at(24, 0));
    context.lineTo(...at(19, 4));
    context.stroke();
    context.textAlign = "center";
    context.fillText(name, x + right * 33, y + down * 33 + 4);
  }

  /** The part of the image in view: left, bottom, right, top. */
  bounds(width, height) { return [this.imageX(0), this.imageY(height), this.imageX(width), this.imageY(0)]; }

  drawSources(context, width, height, ratio) {
    const { catalogue } = this;
    const [left, bottom, right, top] = this.bounds(width, height);
    // Sources just outside of the view are drawn, but not counted.
    const margin = 20 / this.scale;
    let count = 0;
    this.countInView = 0;
    catalogue.forEachIn(left - margin, bottom - margin, right + margin, top + margin, (source) => {
      this.visited[count++] = source;
      const [x, y] = [catalogue.x[source], catalogue.y[source]];
      if (x >= left && x <= right && y >= bottom && y <= top) this.countInView++;
    });
    this.inView = this.visited.subarray(0, count);
    if (this.marks !== "none") {
      const areRoomy = this.inView.length <= Math.min(ellipseLimit, width * height / ellipseRoom);
      if (this.marks === "auto" && areRoomy) this.drawEllipses(context);
      else this.drawDots(context, width, height, ratio);
      this.drawTrails(context);
    }
    if (this.selected >= 0) {
      const scale = this.scale * catalogue.reduction(this.selected);
      const [long, short] = catalogue.axes(this.selected).map((axis) => Math.max(7, axis * scale + 4));
      context.strokeStyle = "#ffffff";
      context.lineWidth = 2.5;
      this.ellipse(context, this.selected, long, short);
    }
  }

  ellipse(context, source, long, short) {
    context.beginPath();
    context.ellipse(
      this.screenX(this.catalogue.x[source]), this.screenY(this.catalogue.y[source]), long, short,
      -(this.catalogue.value("theta", source) || 0), 0, 2 * Math.PI);
    context.stroke();
  }

  /** A dashed line on either side of each trail, which stays visible between them. */
  drawTrails(context) {
    Object.assign(context, { lineWidth: 1.25, strokeStyle: `rgb(${flaggedColour.join(" ")})` });
    context.setLineDash([4, 3]);
    context.beginPath();
    for (const [x1, y1, x2, y2] of this.catalogue.trails ?? []) {
      const [left, top, right, bottom] = [this.screenX(x1), this.screenY(y1), this.screenX(x2), this.screenY(y2)];
      const length = Math.hypot(right - left, bottom - top) || 1;
      for (const aside of [-6, 6]) {
        const [dx, dy] = [(top - bottom) / length * aside, (right - left) / length * aside];
        context.moveTo(left + dx, top + dy);
        context.lineTo(right + dx, bottom + dy);
      }
    }
    context.stroke();
    context.setLineDash([]);
  }

  drawEllipses(context) {
    context.lineWidth = 1.25;
    for (const isFlagged of [false, true]) {
      context.strokeStyle = `rgb(${(isFlagged ? flaggedColour : cleanColour).join(" ")})`;
      // Flagged sources differ by their line as well.
      context.setLineDash(isFlagged ? [4, 3] : []);
      for (const source of this.inView) {
        if ((this.catalogue.flags[source] !== 0) !== isFlagged) continue;
        const scale = this.scale * this.catalogue.reduction(source);
        const [long, short] = this.catalogue.axes(source).map((axis) => Math.max(2.5, axis * scale));
        this.ellipse(context, source, long, short);
      }
    }
    context.setLineDash([]);
  }

  /** One small square per source, written as pixels: 100,000 squares take a few milliseconds. */
  drawDots(context, width, height, ratio) {
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    const layer = this.dots.getContext("2d");
    if (!this.dotPixels || this.dots.width !== wide || this.dots.height !== high) {
      [this.dots.width, this.dots.height] = [wide, high];
      this.dotPixels = layer.createImageData(wide, high);
    }
    const words = new Uint32Array(this.dotPixels.data.buffer).fill(0);
    const packed = ([red, green, blue]) => ((0xff << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    const [clean, flagged] = [packed(cleanColour), packed(flaggedColour)];
    const size = Math.max(1, Math.round((this.inView.length > 20000 ? 1 : 2) * ratio));
    const { x: columns, y: rows, flags } = this.catalogue;
    for (let place = 0; place < this.inView.length; place++) {
      const source = this.inView[place];
      const x = Math.round(this.screenX(columns[source]) * ratio), y = Math.round(this.screenY(rows[source]) * ratio);
      if (x < 0 || y < 0 || x + size > wide || y + size > high) continue;
      const word = flags[source] ? flagged : clean;
      for (let row = y; row < y + size; row++) {
        for (let at = row * wide + x; at < row * wide + x + size; at++) words[at] = word;
      }
    }
    layer.putImageData(this.dotPixels, 0, 0);
    context.drawImage(this.dots, 0, 0, width, height);
  }

  /** The number of sources in view, or the values of the selected one. */
  describeView() {
    const text = this.selected >= 0
      ? this.catalogue.describe(this.selected).map((row) => row.join(" ")).join(" · ")
      : `${plural(this.countInView, "source")} in view` +
        (this.catalogue.shownCount < this.catalogue.count
          ? `; ${whole(this.catalogue.count - this.catalogue.shownCount)} filtered out` : "");
    if (this.status.textContent !== text) this.status.textContent = text;
  }

  select(source) {
    this.selected = source;
    this.tip.hidden = true;
    this.showLink();
    if (source >= 0) {
      const [x, y] = [this.screenX(this.catalogue.x[source]), this.screenY(this.catalogue.y[source])];
      const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
      if (x < 20 || y < 20 || x > width - 20 || y > height - 20) this.move(x - width / 2, y - height / 2);
    }
    this.redraw();
  }

  /** A link to the selected source, or the middle of the image, in Aladin Lite. */
  showLink() {
    const { grid, width, height } = this.image, link = byID("aladin");
    if (!grid) return;
    const [x, y] = this.selected < 0
      ? [width / 2, height / 2] : [this.catalogue.x[this.selected], this.catalogue.y[this.selected]];
    const { ra, dec } = grid.coordinates(x, y), { degrees } = grid.scaleAt(x, y);
    const field = this.selected < 0 ? degrees * Math.max(width, height) : Math.min(1, degrees * 300);
    link.href = `https://aladin.cds.unistra.fr/AladinLite/?target=${ra.toFixed(6)}%20${dec.toFixed(6)}&fov=${field.toFixed(4)}`;
    link.hidden = false;
  }

  /** Selects the next fainter or brighter source in view. */
  step(direction) {
    const flux = (source) => {
      const value = this.catalogue.value("flux_auto", source);
      return Number.isNaN(value) ? -Infinity : value;
    };
    const inside = Array.from(this.inView).filter((source) => {
      const [x, y] = [this.screenX(this.catalogue.x[source]), this.screenY(this.catalogue.y[source])];
      return x >= 0 && y >= 0 && x <= this.canvas.clientWidth && y <= this.canvas.clientHeight;
    });
    const ranked = inside.sort((one, other) => flux(other) - flux(one) || one - other);
    if (ranked.length === 0) return;
    const place = ranked.indexOf(this.selected);
    this.select(ranked[place < 0 ? 0 : (place + direction + ranked.length) % ranked.length]);
  }

  /** Selects the source with this number, centres the view on it and zooms in; false if there is none. */
  goTo(number) {
    const source = this.catalogue.find(number);
    if (source < 0) return false;
    this.scale = Math.max(this.scale, 4);
    this.isFitted = false;
    this.left = this.catalogue.x[source] + 0.5 - this.canvas.clientWidth / 2 / this.scale;
    this.top = this.image.height - this.catalogue.y[source] - 0.5 - this.canvas.clientHeight / 2 / this.scale;
    this.keepInView();
    this.select(source);
    return true;
  }

  /** Position, coordinates and pixel value under the pointer. */
  describePlace(x, y) {
    const { grid, width, height, unit, factor } = this.image;
    const words = [`x ${x.toFixed(1)}, y ${y.toFixed(1)}`];
    if (x < -0.5 || y < -0.5 || x > width - 0.5 || y > height - 0.5) return words[0];
    if (grid) {
      const { ra, dec } = grid.coordinates(x, y);
      words.push(`${sexagesimal(ra, true)} ${sexagesimal(dec, false)} ${grid.system}`);
    }
    const value = this.pixelValue(Math.floor((x + 0.5) / factor), Math.floor((y + 0.5) / factor));
    if (value) words.push(`${value} ${unit}${factor > 1 ? `, mean of ${factor} × ${factor} pixels` : ""}`);
    return words.join(" · ");
  }

  /** The value of a pixel of the preview, computed from its shade. */
  pixelValue(column, row) {
    const { naturalWidth: width, naturalHeight: height } = this.picture, { stretch } = this.image;
    if (!width || !stretch) return "";
    if (!this.shades) {
      const canvas = element("canvas", { width, height });
      const context = canvas.getContext("2d");
      context.drawImage(this.picture, 0, 0);
      const { data } = context.getImageData(0, 0, width, height);
      this.shades = Uint8Array.from({ length: width * height }, (_, pixel) => data[4 * pixel]);
    }
    const shade = this.shades[(height - 1 - row) * width + column], { black, white } = stretch;
    if (shade === 0 || shade === 255) return shade ? `≥ ${digits(white, 4)}` : `≤ ${digits(black, 4)}`;
    return `≈ ${digits(this.valueOfShade(shade), 3)}`;
  }

  hover(x, y) {
    const [column, row] = [this.imageX(x), this.imageY(y)];
    byID("sky-pointer").textContent = this.describePlace(column, row);
    const source = this.marks === "none"
      ? -1 : this.catalogue.nearest(column, row, 12 / this.scale);
    if (source >= 0) showTip(this.tip, this.catalogue.describe(source), x, y);
    else this.tip.hidden = true;
    return source;
  }

  listen() {
    const { canvas } = this;
    const place = (event) => [event.offsetX, event.offsetY];
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, place(event));
      this.wasDragged = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      const last = this.pointers.get(event.pointerId);
      if (!last) { this.hover(x, y); return; }
      if (Math.hypot(x - last[0], y - last[1]) > 3) this.wasDragged = true;
      if (!this.wasDragged) return;
      this.tip.hidden = true;
      if (this.pointers.size === 2) this.pinch(event.pointerId, [x, y]);
      else this.move(last[0] - x, last[1] - y);
      this.pointers.set(event.pointerId, [x, y]);
    });
    const release = (event) => {
      if (this.pointers.delete(event.pointerId) && !this.wasDragged && event.type === "pointerup") {
        const source = this.hover(...place(event));
        this.selected = source;
        this.showLink();
        this.redraw();
      }
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    // A wheel that is scrolling the page continues to scroll it when the image comes under the pointer. It also scrolls
    // when the fitted image would be zoomed out further.
    let scrolled = -Infinity;
    addEventListener("scroll", () => { scrolled = performance.now(); }, { passive: true });
    canvas.addEventListener("wheel", (event) => {
      if (performance.now() - scrolled < 300 || (this.isFitted && event.deltaY > 0 && !event.ctrlKey)) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), ...place(event));
      this.tip.hidden = true;
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    byID("zoom-in").addEventListener("click", () => this.zoom(1.5));
    byID("zoom-out").addEventListener("click", () => this.zoom(1 / 1.5));
    byID("zoom-fit").addEventListener("click", () => this.fit());
  }

  pinch(id, to) {
    const other = [...this.pointers].find(([key]) => key !== id)[1];
    const from = this.pointers.get(id);
    const before = Math.hypot(from[0] - other[0], from[1] - other[1]);
    const after = Math.hypot(to[0] - other[0], to[1] - other[1]);
    if (before > 0 && after > 0) this.zoom(after / before, (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = 60;
    const actions = {
      ArrowLeft: () => this.move(-step, 0), ArrowRight: () => this.move(step, 0),
      ArrowUp: () => this.move(0, -step), ArrowDown: () => this.move(0, step),
      "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.fit(),
      n: () => this.step(1), p: () => this.step(-1), Escape: () => this.select(-1),
    };
    const action = actions[event.key] || actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
