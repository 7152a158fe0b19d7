"use strict";
// Charts with axes, and the ticks of these.

/** Steps of an axis of clock times, in seconds; smaller ones are decimal. */
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

/** The date of a time in seconds since 1970, in UTC. */
const dateText = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

/** The time of the day in UTC, to the precision of a step. */
function clockText(seconds, step = 1) {
  const places = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0, unit = 10 ** places;
  const all = Math.round((((seconds % 86400) + 86400) % 86400) * unit) % (86400 * unit);
  const two = (value) => String(Math.floor(value)).padStart(2, "0");
  const rest = places ? "." + String(all % unit).padStart(places, "0") : "";
  const hours = two(all / (3600 * unit)) + ":" + two(all / (60 * unit) % 60);
  return step >= 60 ? hours : `${hours}:${two(all / unit % 60)}${rest}`;
}

/** The ticks of an axis: values with their texts, and the axis' label. */
function numberAxis(low, high, count, label) {
  const { step, values } = ticks(low, high, count);
  return { ticks: values.map((value) => [value, tickText(value, step)]), label };
}

/**
 * The same of an axis of seconds since a time, as clock times that fit a width in CSS pixels; if that time is not known,
 * they are seconds.
 */
function timeAxis(began, low, high, width) {
  const count = Math.max(2, Math.floor(width / 110)), span = high - low;
  if (!Number.isFinite(began)) return numberAxis(low, high, count, "seconds since the beginning");
  // Hours and minutes are shorter than seconds.
  const room = (step) => step * width / span / (step < 60 ? 90 : 55);
  const step = span / count < 0.5 ? ticks(low, high, count).step
    : clockSteps.find((step) => room(step) >= 1) ?? 86400 * Math.ceil(span / count / 86400);
  const marks = [];
  for (let at = Math.ceil((began + low) / step - 1e-9); at * step <= began + high + step * 1e-9; at++) {
    const time = at * step;
    marks.push([time - began, step >= 86400 ? dateText(time).slice(5) : clockText(time, step)]);
  }
  const [first, last] = [began + low, began + high].map(dateText);
  return { ticks: marks, label: `UTC, ${first}${last === first ? "" : ` to ${last}`}` };
}

/**
 * A chart with axes; `plot` gets the functions from values to coordinates and adds the content. With `began`, `x` is in
 * seconds since that time, and its axis has clock times. With `counts`, `y` counts
 * things, and its ticks are whole numbers.
 */
function chart(parent, { x, y, xLabel, yLabel, height = 220, label, top = 10, began, counts = false }, plot) {
  const width = Math.max(240, parent.clientWidth);
  const [left, right, bottom] = [58, 12, 40];
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label });
  const toX = (value) => left + ((value - x[0]) / (x[1] - x[0] || 1)) * (width - left - right);
  const toY = (value) => height - bottom - ((value - y[0]) / (y[1] - y[0] || 1)) * (height - bottom - top);
  const across = began === undefined ? numberAxis(x[0], x[1], Math.max(3, Math.floor(width / 90)), xLabel)
    : timeAxis(began, x[0], x[1], width - left - right);
  const yTicks = ticks(y[0], y[1], 4, counts ? 1 : 0);
  for (const value of yTicks.values) {
    svg.append(
      shape("line", { class: "grid", x1: left, x2: width - right, y1: toY(value), y2: toY(value) }),
      shape("text", { x: left - 6, y: toY(value) + 4, "text-anchor": "end" }, tickText(value, yTicks.step)));
  }
  for (const [value, text] of across.ticks) {
    svg.append(
      shape("line", { class: "axis", x1: toX(value), x2: toX(value), y1: height - bottom, y2: height - bottom + 4 }),
      // A character is at most 7 pixels wide: no text extends beyond the chart.
      shape("text", { x: Math.min(toX(value), width - text.length * 3.5), y: height - bottom + 17, "text-anchor": "middle" }, text));
  }
  svg.append(
    shape("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
    shape("text", { x: (left + width - right) / 2, y: height - 5, "text-anchor": "middle" }, across.label),
    shape("text", {
      x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${(height - bottom + top) / 2}) rotate(-90)`,
    }, yLabel));
  plot(svg, toX, toY);
  parent.replaceChildren(svg);
}

function legendEntry(fill, text) {
  const swatch = element("span", { class: "swatch" });
  swatch.style.background = fill;
  return element("span", {}, swatch, text);
}
