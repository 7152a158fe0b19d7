"use strict";
// Histograms, throughput and the map of sectors.

/** `shift` is added to the values. */
function drawHistogram(parent, histogram, xLabel, name, shift = 0) {
  const { width, counts, below, above } = histogram, start = histogram.start + shift;
  const total = counts.reduce((sum, count) => sum + count, 0) + below + above;
  if (total === 0) { parent.replaceChildren(element("p", { class: "help" }, "No source has a value.")); return; }
  const end = start + width * counts.length;
  const peak = counts.indexOf(Math.max(...counts));
  const places = Math.max(0, -Math.floor(Math.log10(width) + 1e-9));
  const range = (bin) => `${(start + bin * width).toFixed(places)} to ${(start + (bin + 1) * width).toFixed(places)}`;
  chart(parent, {
    x: [start, end], y: [0, Math.max(...counts) * 1.05 || 1], xLabel, yLabel: "sources", counts: true,
    label: `${name} of ${plural(total, "source")}; most lie from ${range(peak)}`,
  }, (svg, toX, toY) => {
    counts.forEach((count, bin) => {
      if (count === 0) return;
      const [from, to] = [toX(start + bin * width), toX(start + (bin + 1) * width)];
      svg.append(shape("rect", {
        class: "bar", x: from + 0.5, width: Math.max(0.5, to - from - 1), y: toY(count), height: toY(0) - toY(count),
      }, shape("title", {}, `${range(bin)}: ${plural(count, "source")}`)));
    });
  });
  if (below + above > 0) {
    parent.append(element("p", { class: "help" }, `Not shown: ${whole(below)} below and ${whole(above)} above this range.`));
  }
}

/** Whether an event is marked in the figures: a system left, or joined after the beginning. */
function isMark({ time, kind, system }, seconds) {
  return system !== undefined && (kind === "left" || (kind === "joined" && time >= 0.02 * seconds));
}

/** Stacked by system, with marks where a system joined or left. */
function drawThroughput(parent, data) {
  const { width, rates } = data.throughput;
  const bins = rates.length ? rates[0].length : 0;
  const totals = Array.from({ length: bins }, (_, bin) => rates.reduce((sum, row) => sum + row[bin], 0));
  const highest = Math.max(0, ...totals);
  const [unit, prefix] = highest >= 1e9 ? [1e9, "G"] : highest >= 1e6 ? [1e6, "M"] : highest >= 1e3 ? [1e3, "k"] : [1, ""];
  const mean = totals.reduce((sum, total) => sum + total, 0) * width / data.seconds;
  const marks = data.moments.filter((moment) => isMark(moment, data.seconds));
  chart(parent, {
    x: [0, data.seconds], y: [0, highest / unit * 1.08 || 1], began: data.began, yLabel: prefix + "pix/s", height: 250, top: 24,
    label: `Throughput over time, ${quantity(mean)}pixels per second on average`,
  }, (svg, toX, toY) => {
    const below = new Array(bins).fill(0);
    rates.forEach((row, system) => {
      const path = [], back = [];
      row.forEach((rate, bin) => {
        // Of a short scan, bins reach beyond the end.
        const [from, to] = [bin, bin + 1].map((edge) => toX(Math.min(edge * width, data.seconds)));
        const [low, high] = [toY(below[bin] / unit), toY((below[bin] + rate) / unit)];
        path.push(`${from} ${high}`, `${to} ${high}`);
        back.unshift(`${to} ${low}`, `${from} ${low}`);
        below[bin] += rate;
      });
      svg.append(shape("path", { d: `M${[...path, ...back].join("L")}Z`, fill: systemColour(system) },
        shape("title", {}, data.systems[system].name)));
    });
    for (const { time, kind, text } of marks) {
      const at = toX(Math.min(time, data.seconds));
      const mark = shape("g", {},
        shape("line", { x1: at, x2: at, y1: 20, y2: toY(0), stroke: colour("text"), "stroke-dasharray": "3 3" }),
        shape("path", {
          d: kind === "joined" ? `M${at - 5} 18L${at + 5} 18L${at} 9Z` : `M${at - 5} 9L${at + 5} 9L${at} 18Z`,
          fill: kind === "joined" ? colour("text") : colour("bad"),
        }),
        shape("title", {}, `${duration(time)}: ${text}`));
      svg.append(mark);
    }
  });
}

/** Five colours of the scale "cividis", which suits colour-vision deficiencies. */
const scaleColours = [[0, 34, 78], [65, 77, 107], [124, 123, 120], [188, 175, 111], [254, 232, 56]];

function scaleColour(share) {
  const at = Math.min(0.9999, Math.max(0, share)) * (scaleColours.length - 1);
  const [low, high] = [scaleColours[Math.floor(at)], scaleColours[Math.floor(at) + 1]];
  return `rgb(${low.map((value, index) => Math.round(value + (high[index] - value) * (at % 1))).join(" ")})`;
}

const stateWords = {
  waiting: "waiting", running: "running", done: "done", resumed: "from the journal", failed: "missing",
};
const stateColours = { waiting: "line", running: "s4", done: "s0", resumed: "s5", failed: "bad" };

/** The sectors of the image by state, system, execution time or number of sources. */
class SectorMap {
  constructor(data) {
    Object.assign(this, { sectors: data.sectors, systems: data.systems, image: data.image });
    this.mode = "state";
    this.canvas = byID("sectors");
    this.tip = byID("sectors-tip");
    this.canvas.addEventListener("pointermove", (event) => this.hover(event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
  }

  range(mode) {
    const values = this.sectors.map((sector) => sector[mode]).filter((value) => value !== undefined);
    return values.length ? [Math.min(...values), Math.max(...values)] : [0, 0];
  }

  fill(sector, mode, [low, high]) {
    if (mode === "state") return colour(stateColours[sector.state]);
    if (mode === "system") return sector.system === undefined ? null : systemColour(sector.system);
    return sector[mode] === undefined ? null : scaleColour((sector[mode] - low) / (high - low || 1));
  }

  /** Paints the sectors; `place` maps a rectangle of the image to left, top, width and height on the canvas. */
  paint(context, mode, alpha, place) {
    const range = this.range(mode);
    for (const sector of this.sectors) {
      const [left, top, width, height] = place(sector.rect);
      const fill = this.fill(sector, mode, range);
      // Over the image, sectors that are done are the most transparent.
      context.globalAlpha = mode === "state" && sector.state === "done" ? alpha * alpha : alpha;
      context.fillStyle = fill ?? colour("line");
      context.fillRect(left, top, width, height);
      context.globalAlpha = 1;
      if (sector.state === "failed") hatch(context, left, top, width, height);
      context.strokeStyle = alpha < 1 ? `rgb(255 255 255 / ${mode === "state" ? 25 : 50}%)` : colour("page");
      context.lineWidth = 1;
      // Many edges would hide the image.
      if (height > (alpha < 1 ? 8 : 2)) context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
    }
  }

  draw() {
    // The shape of the image, within limits that fit a screen.
    const available = this.canvas.parentElement.clientWidth;
    const shape = this.image.height / this.image.width;
    const width = Math.min(available, 300 / shape);
    this.canvas.style.width = Math.max(60, width) + "px";
    this.canvas.style.height = Math.min(300, Math.max(24, width * shape)) + "px";
    const { context, width: wide, height: high } = sharpen(this.canvas);
    context.clearRect(0, 0, wide, high);
    this.place = ([x, y, across, rows]) => [
      x / this.image.width * wide, (1 - (y + rows) / this.image.height) * high, across / this.image.width * wide,
      rows / this.image.height * high,
    ];
    this.paint(context, this.mode, 1, this.place);
    const counts = this.systems.map((system, index) =>
      `${system.name} ${this.sectors.filter((sector) => sector.system === index).length}`);
    this.canvas.setAttribute("aria-label", `${plural(this.sectors.length, "sector")} by system: ${counts.join(", ")}`);
    this.drawLegend(byID("sectors-legend"), this.mode);
  }

  drawLegend(legend, mode) {
    if (mode === "state") {
      const used = Object.keys(stateWords).filter((state) => this.sectors.some((sector) => sector.state === state));
      legend.replaceChildren(...used.map((state) => legendEntry(colour(stateColours[state]), stateWords[state])));
      return;
    }
    if (mode !== "system") {
      const [low, high] = this.range(mode);
      const show = mode === "seconds" ? duration : (count) => plural(count, "source");
      const bar = element("span", { class: "scale" });
      bar.style.background = `linear-gradient(90deg, ${scaleColours.map((rgb) => `rgb(${rgb.join(" ")})`).join(",")})`;
      legend.replaceChildren(element("span", {}, show(low), bar, show(high)));
      return;
    }
    legend.replaceChildren(...this.systems.map((system, index) => legendEntry(systemColour(index), system.name)));
    if (this.sectors.some((sector) => sector.state === "resumed")) {
      legend.append(legendEntry(colour("line"), "from the journal"));
    }
    if (this.sectors.some((sector) => sector.state === "failed")) {
      legend.append(legendEntry(`repeating-linear-gradient(45deg, ${colour("bad")} 0 2px, transparent 2px 5px)`, "missing"));
    }
  }

  hover(x, y) {
    const sector = this.sectors.find(({ rect }) => {
      const [left, top, width, height] = this.place(rect);
      return x >= left && x < left + width && y >= top && y < top + height;
    });
    if (!sector) { this.tip.hidden = true; return; }
    const [, first, , rows] = sector.rect;
    const values = [["rows", `${whole(first)} to ${whole(first + rows - 1)}`]];
    if (sector.system !== undefined) values.push(["system", this.systems[sector.system].name]);
    if (sector.seconds !== undefined) values.push(["time", duration(sector.seconds)]);
    if (sector.state !== "done") values.push(["state", stateWords[sector.state]]);
    values.push(["sources", whole(sector.sources)]);
    showTip(this.tip, values, x, y);
  }
}

/** Hatches a rectangle, for missing sectors and failed attempts. */
function hatch(context, left, top, width, height) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.beginPath();
  for (let at = left - height; at < left + width; at += 6) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.strokeStyle = colour("bad");
  context.lineWidth = 1.5;
  context.stroke();
  context.restore();
}
