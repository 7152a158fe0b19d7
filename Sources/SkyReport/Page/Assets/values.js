"use strict";
// Values as text, and helpers for elements.

const byID = (id) => document.getElementById(id);

/** An element with attributes and children; a string is inserted as text, never as markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The same in SVG. */
function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A colour of the style sheet in the current colour scheme. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const systemColour = (index) => colour("s" + (index % 7));

/** Three or more digits with a decimal prefix. */
function quantity(value) {
  for (const [unit, prefix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(value) >= unit) return digits(value / unit) + "\u00a0" + prefix;
  }
  return digits(value) + "\u00a0";
}

/** A number in about `count` digits, with an exponent only if it is very large or small. */
function digits(value, count = 3) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(count - 1);
  const places = Math.max(0, count - 1 - Math.floor(Math.log10(size || 1)));
  return value.toFixed(Math.min(places, 8));
}

/** A number's text with the sign of mathematics. */
const minus = (text) => text.replace("-", "−");

const whole = (value) => Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");

function duration(seconds) {
  if (seconds < 9.95) return seconds.toFixed(seconds < 0.995 ? 2 : 1) + " s";
  const all = Math.round(seconds);
  if (all < 60) return all + " s";
  const minutes = Math.floor(all / 60) % 60, rest = String(all % 60).padStart(2, "0");
  return all < 3600 ? `${minutes}:${rest} min` : `${Math.floor(all / 3600)}:${String(minutes).padStart(2, "0")}:${rest} h`;
}

/** A time in ISO 8601 as text, without fractions of a second. */
const instant = (text) => text.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");

/** The date of an observation as text: in UTC if it is understood, else as the header has it. */
const observedText = ({ observed, date }) =>
  (Number.isFinite(observed) ? `${dateText(observed)} ${clockText(observed)}` : date ?? "–");

const plural = (count, noun) => `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Degrees as sexagesimal text: hours of right ascension, or degrees with a sign. */
function sexagesimal(degrees, isHours) {
  const unit = isHours ? degrees / 15 : Math.abs(degrees);
  const scale = isHours ? 100 : 10;
  const total = Math.round(unit * 3600 * scale);
  const seconds = ((total % (60 * scale)) / scale).toFixed(isHours ? 2 : 1).padStart(isHours ? 5 : 4, "0");
  const minutes = String(Math.floor(total / (60 * scale)) % 60).padStart(2, "0");
  const first = String(Math.floor(total / (3600 * scale)) % (isHours ? 24 : 360)).padStart(2, "0");
  return (isHours ? "" : degrees < 0 ? "−" : "+") + `${first}:${minutes}:${seconds}`;
}

/** About `count` values of an axis, at steps of 1, 2 or 5 times a power of ten. */
function ticks(low, high, count, least = 0) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0)) return { step: 1, values: [low] };
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(least, power * ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) || 10));
  const values = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) values.push(at * step);
  return { step, values };
}

/** The text of an axis' value, with the decimals that its step needs. */
const tickText = (value, step) => value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");

/** Gives a canvas the resolution of the screen; returns its context, in units of CSS pixels, and its size in them. */
function sharpen(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height, ratio };
}

/** Shows rows of names and values beside a point, within the stage. */
function showTip(tip, rows, x, y) {
  const table = element("table");
  for (const [name, value] of rows) {
    const cell = element("td", {}, value);
    if (name === null) cell.setAttribute("colspan", "2");
    table.append(name === null ? element("tr", {}, cell) : element("tr", {}, element("th", {}, name), cell));
  }
  tip.replaceChildren(table);
  tip.hidden = false;
  const stage = tip.parentElement;
  const right = stage.clientWidth - tip.offsetWidth - 4, bottom = stage.clientHeight - tip.offsetHeight - 4;
  const left = x + 16 > right ? x - tip.offsetWidth - 12 : x + 16;
  tip.style.left = Math.max(4, Math.min(left, right)) + "px";
  tip.style.top = Math.max(4, Math.min(y + 12, bottom)) + "px";
}

/** A table from rows of cells; those of `numbers` are columns of numbers. */
function fillTable(table, heads, rows, numbers = []) {
  const kind = (index) => ({ "data-title": heads[index], ...(numbers.includes(index) ? { class: "number" } : {}) });
  table.replaceChildren(
    element("thead", {}, element("tr", {}, ...heads.map((head, index) =>
      element("th", { scope: "col", ...(numbers.includes(index) ? { class: "number" } : {}) }, head)))),
    element("tbody", {}, ...rows.map((cells) =>
      element("tr", {}, ...cells.map((cell, index) => element("td", kind(index), cell))))));
}

/** Events, a line each, with their clock times if it is known when seconds began to count. */
function fillLogList(list, moments, began) {
  const clock = (time) => (Number.isFinite(began) ? clockText(began + time) : duration(time));
  list.replaceChildren(...moments.map(({ time, kind, text }) =>
    element("li", { class: kind }, element("span", { title: `after ${duration(time)}` }, clock(time)), element("span", {}, text))));
  if (moments.length === 0) list.append(element("li", {}, element("span", {}, ""), "None."));
}

/** The same if `count`, the number of all events, has changed; a list that is scrolled to its end stays there. */
function fillGrowingLog(list, moments, count, began) {
  if (list.dataset.count === String(count)) return;
  list.dataset.count = count;
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  fillLogList(list, moments, began);
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

/** Key figures: rows of a name, a value and, where it needs one, an explanation. */
function fillFigures(rows, list = "figures") {
  byID(list).replaceChildren(...rows.map(([name, value, title]) =>
    element("div", title ? { title } : {}, element("dt", {}, name), element("dd", {}, value))));
}

/** A function that calls `draw` once before the next frame, however often it is called. */
function onFrame(draw) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; draw(); });
  };
}
