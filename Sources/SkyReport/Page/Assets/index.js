"use strict";
// The index of many images: a report draws the snapshot embedded in it, the live page the updates from its server.

const middle = (values) => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2 : NaN;
};

/** Of the states, the ones that need attention come first. */
const stateOrder = ["failed", "partial", "running", "done", "waiting", "left-out"];

const fixed = (value, places) => (Number.isFinite(value) ? value.toFixed(places).replace("-", "−") : "–");

/** A column of numbers that some images do not have: key, title, text of a number. */
const numbers = (key, title, show, further = {}) => ({
  key, title, isNumber: true, value: (image) => image[key] ?? NaN,
  show: (image) => (Number.isFinite(image[key] ?? NaN) ? minus(show(image[key])) : "–"), ...further,
});
const words = (key, title) => ({ key, title, value: (image) => image[key] ?? "", show: (image) => image[key] ?? "–" });

/** Columns of the table: key, title, value to sort by (text or number), text to show, explanation. */
const indexColumns = [
  { key: "state", title: "State", value: (image) => stateOrder.indexOf(image.state), show: (image) => image.state },
  { key: "file", title: "File", value: (image) => image.file, show: (image) => image.file },
  { key: "hdu", title: "HDU", value: (image) => image.hdu ?? NaN,
    show: (image) => (image.hdu === null ? "–" : image.extname ? `${image.hdu} ${image.extname}` : String(image.hdu)) },
  words("object", "Object"),
  words("filter", "Filter"),
  numbers("exposure", "Exposure, s", (value) => String(+value.toPrecision(6))),
  { key: "date", title: "Date, UTC", value: (image) => image.observed ?? NaN, show: observedText },
  numbers("airmass", "Airmass", (value) => value.toFixed(2)),
  numbers("seeing", "Seeing, pix", (value) => value.toFixed(2),
    { help: (image) => (image.points === null ? "" : `of ${plural(image.points, "point source")}`) }),
  numbers("arcsec", "Seeing, ″", (value) => value.toFixed(2),
    { help: ({ seeing, points }) => `${fixed(seeing ?? NaN, 2)} pixels, of ${plural(points ?? 0, "point source")}` }),
  numbers("ellipticity", "Ellipticity", (value) => value.toFixed(3)),
  numbers("background", "Background", (value) => digits(value, 4), { help: ({ unit }) => unit ?? "" }),
  numbers("noise", "Noise", (value) => digits(value, 3), { help: ({ unit }) => unit ?? "" }),
  numbers("limit", "Limit, mag", (value) => value.toFixed(2),
    { help: (image) => (image.zero === null ? "" : `zero point: ${image.zero}`) }),
  numbers("sources", "Sources", whole),
  numbers("seconds", "Time", duration),
];
/** Columns that are shown although no image has a value. */
const keptColumns = ["state", "file", "sources", "seconds"];

class IndexPage {
  constructor() {
    // By number; a watch lists the newest only, and the sums of the earlier ones.
    this.images = [];
    this.first = 0;
    this.earlier = {};
    this.elements = { table: new Map(), mosaic: new Map() };
    this.columns = indexColumns;
    // In the address, so that the browser's way back leads to the same view.
    this.view = location.hash === "#mosaic" ? "mosaic" : "table";
    this.sort = "order";
    this.isDescending = false;
    this.draw = onFrame(() => this.drawAll());
  }

  take(update) {
    if (update.facts && !this.facts) this.begin(update.facts);
    for (; this.first < update.first; this.first++) {
      delete this.images[this.first];
      for (const made of Object.values(this.elements)) made.delete(this.first);
    }
    this.earlier = update.earlier;
    if (update.rows.length > 0) this.hasNews = true;
    for (const row of update.rows) {
      const image = {};
      update.columns.forEach((name, index) => { image[name] = row[index]; });
      image.arcsec = image.seeing === null || image.scale === null ? NaN : image.seeing * image.scale;
      // Most reasons begin with the name of the file.
      if (image.reason?.startsWith(image.file + ": ")) image.reason = image.reason.slice(image.file.length + 2);
      const { file, extname, state, reason, object, filter } = image;
      image.words = [file, extname, state, reason, object, filter].join(" ").toLowerCase();
      this.images[image.number] = image;
      for (const made of Object.values(this.elements)) made.delete(image.number);
    }
    Object.assign(this, { now: update.now, systems: update.systems, interval: update.interval, end: update.end ?? null, time: update.time, at: performance.now() });
    this.draw();
  }

  begin(facts) {
    this.facts = facts;
    byID("command").textContent = `cd ${facts.folder}\n${facts.command}`;
    const sort = byID("sort");
    sort.append(element("option", { value: "order" }, "order of the job"));
    for (const { key, title } of indexColumns) sort.append(element("option", { value: key }, title.toLowerCase().replace("hdu", "HDU")));
    sort.addEventListener("change", () => this.sortBy(sort.value, false));
    byID("direction").addEventListener("click", () => this.sortBy(this.sort, !this.isDescending));
    byID("filter").addEventListener("input", () => this.draw());
    for (const view of ["table", "mosaic"]) byID("view-" + view).addEventListener("click", () => this.show(view));
    document.addEventListener("keydown", (event) => this.press(event));
    this.show(this.view);
    // The figures have the width of the window, and the colours of the scheme.
    let width = document.body.clientWidth;
    const redraw = onFrame(() => {
      drawPlots(this.images.filter(Boolean), (image) => this.address(image));
      this.drawHeader();
    });
    new ResizeObserver(() => {
      if (document.body.clientWidth === width) return;
      width = document.body.clientWidth;
      redraw();
    }).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    setInterval(() => {
      if (!this.end && !document.hidden && !document.body.dataset.lost) this.drawHeader();
    }, 1000);
  }

  show(view) {
    this.view = view;
    if (location.hash !== "#" + view && (location.hash || view !== "table")) location.replace("#" + view);
    for (const name of ["table", "mosaic"]) byID("view-" + name).setAttribute("aria-pressed", String(name === view));
    this.draw();
  }

  sortBy(key, isDescending) {
    [this.sort, this.isDescending] = [key, isDescending];
    byID("sort").value = key;
    this.draw();
  }

  /**
   * The images that the filter leaves: those that failed or are partial first, those without a value last. In the order of
   * the job the images of a file are kept together, where the first of them or the worst would be.
   */
  shown() {
    const words = byID("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.images.filter((image) => words.every((word) => image.words.includes(word)));
    const column = indexColumns.find(({ key }) => key === this.sort), sign = this.isDescending ? -1 : 1;
    const rank = ({ state }) => (this.sort === "order" ? stateOrder.indexOf(state) : Math.min(2, stateOrder.indexOf(state)));
    const files = new Map();
    if (!column) {
      for (const image of shown) {
        const file = files.get(image.file) ?? { rank: Infinity, number: image.number };
        files.set(image.file, { rank: Math.min(file.rank, rank(image)), number: file.number });
      }
    }
    const place = (image) => (column ? rank(image) : files.get(image.file).rank);
    const value = column ? column.value : ({ file }) => files.get(file).number;
    const compare = (a, b) => {
      const [left, right] = [value(a), value(b)];
      if (typeof left === "string") return sign * left.localeCompare(right, "en", { numeric: true });
      if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
      return sign * (left - right);
    };
    // The state as a column is the order of the states itself.
    return shown.sort((a, b) => (this.sort === "state" ? 0 : place(a) - place(b)) || compare(a, b) || a.number - b.number);
  }

  drawAll() {
    if (this.hasNews) this.takeNews();
    this.drawHeader();
    const shown = this.shown(), focused = document.activeElement?.closest?.("[data-number]")?.dataset.number;
    byID("direction").textContent = this.isDescending ? "↓ descending" : "↑ ascending";
    byID("shown").textContent = shown.length === this.images.length ? "" : `${whole(shown.length)} of ${plural(this.images.length, "image")} shown`;
    const made = this.elements[this.view];
    const elements = shown.map((image, place) => {
      if (!made.has(image.number)) made.set(image.number, this.view === "table" ? this.row(image) : this.card(image));
      const one = made.get(image.number);
      one.classList.toggle("again", place > 0 && shown[place - 1].file === image.file);
      return one;
    });
    const kind = [this.view, this.sort, this.isDescending, ...this.columns.map(({ key }) => key)].join();
    if (this.kind !== kind) {
      this.kind = kind;
      this.list = this.view === "table" ? element("tbody") : element("div", { class: "mosaic" });
      byID("images").replaceChildren(this.view === "table" ? this.table(this.list) : this.list);
    }
    this.list.replaceChildren(...elements);
    if (elements.length === 0) this.list.append(element(this.view === "table" ? "tr" : "p", {}, element("td", {}, "No image matches the filter.")));
    if (focused !== undefined) this.list.querySelector(`[data-number="${focused}"] a`)?.focus();
    Object.assign(document.body.dataset, { ready: "1", images: String(this.images.length) });
  }

  /** What depends on the images, but not on the order and the filter. */
  takeNews() {
    this.hasNews = false;
    // Images that a watch has dropped leave gaps.
    const images = this.images.filter(Boolean);
    const has = (column) => images.some((image) => column.show(image) !== "–");
    const hidden = new Set();
    // The number of the HDU says nothing if each file has one image.
    if (images.every(({ hdu, extname }) => extname === null && (hdu ?? 0) === 0)) hidden.add("hdu");
    // Pixels are shown of images of which arcseconds are not known.
    if (images.every(({ seeing, arcsec }) => (seeing ?? null) === null || Number.isFinite(arcsec))) hidden.add("seeing");
    const columns = indexColumns.filter((column) => keptColumns.includes(column.key) || (has(column) && !hidden.has(column.key)));
    this.folder = commonFolder(images.map(({ file }) => file));
    if (columns.length !== this.columns.length || this.lastFolder !== this.folder) this.elements.table.clear();
    [this.columns, this.lastFolder] = [columns, this.folder];
    drawPlots(images, (image) => this.address(image));
  }

  /** The folder of the images, and the dates at which they were taken; without these the date of the scan. */
  title() {
    // The folder of the command is quoted for a shell.
    const folder = this.folder || this.facts.folder.replace(/^'|'$/g, "");
    const name = folder.replace(/\/+$/, "").split("/").pop() || folder;
    const times = this.images.map(({ observed }) => observed ?? NaN).filter(Number.isFinite);
    if (times.length === 0) return { name: `${name}, ${this.facts.began.slice(0, 10)}`, span: "" };
    const low = times.reduce((one, other) => Math.min(one, other)), high = times.reduce((one, other) => Math.max(one, other));
    const days = [...new Set([low, high].map(dateText))];
    const to = [...days.slice(1), clockText(high, 60)].join(" ");
    return { name: `${name}, ${days.join(" to ")}`, span: `observed ${days[0]} ${clockText(low, 60)} to ${to} UTC` };
  }

  drawHeader() {
    const earlier = { ...this.earlier, "left-out": this.earlier.leftOut };
    const count = (state) => this.images.filter((image) => image.state === state).length + (earlier[state] ?? 0);
    const [failed, partial, running, done, waiting, leftOut] = stateOrder.map(count);
    const settled = done + partial + failed + leftOut;
    const sum = (key) => this.images.reduce((sum, image) => sum + (image[key] ?? 0), this.earlier[key]);
    const pixels = this.images.reduce((sum, image) => sum + (image.width ?? 0) * (image.height ?? 0), this.earlier.pixels);
    const seconds = this.time + (this.end ? 0 : (performance.now() - this.at) / 1000);
    const total = plural(this.images.length, "image"), { name, span } = this.title();
    byID("name").textContent = name;
    document.title = `${this.end ? "" : `${whole(settled)} of ${total} · `}${name} · Skyfarm`;
    byID("facts").textContent = [total, span, `scan begun ${instant(this.facts.began)} by ${this.facts.software}`].filter(Boolean).join(", ");
    if (byID("now").textContent !== this.now) byID("now").textContent = this.now;
    byID("progress").hidden = this.end !== null;
    byID("progress").value = this.images.length ? settled / this.images.length : 0;
    const figures = [["Done", whole(done)]];
    if (failed > 0) figures.push(["Failed", whole(failed)]);
    if (partial > 0) figures.push(["Partial", whole(partial)]);
    if (leftOut > 0) figures.push(["Left out", whole(leftOut)]);
    if (running > 0) figures.push(["Running", whole(running)]);
    if (waiting > 0) figures.push([this.end ? "Not scanned" : "Waiting", whole(waiting)]);
    const median = (key) => middle(this.images.map((image) => image[key] ?? NaN));
    const seeing = median("seeing"), arcsec = median("arcsec"), background = median("background"), limit = median("limit");
    if (Number.isFinite(seeing)) figures.push(["Median seeing", Number.isFinite(arcsec) ? `${fixed(arcsec, 2)}″` : `${fixed(seeing, 2)} pix`, `${fixed(seeing, 2)} pixels`]);
    if (Number.isFinite(background)) figures.push(["Median background", minus(digits(background, 4)) + unitOf(this.images)]);
    if (Number.isFinite(limit)) figures.push(["Median limit", `${fixed(limit, 2)} mag`]);
    figures.push(["Sources", whole(sum("sources"))]);
    fillFigures(figures);
    fillFigures([["Time", duration(seconds)], ["Pixels", quantity(pixels) + "pix"],
      ["Mean rate", quantity(pixels / (seconds || 1)) + "pix/s", "Pixels of the images per second"]], "work");
    byID("systems-section").hidden = byID("to-systems").hidden = this.systems.length === 0;
    this.drawSystems(seconds);
  }

  /** A strip for each system, as high as its slots were busy over time. */
  drawSystems(seconds) {
    const span = Math.max(seconds, this.interval);
    const strips = this.systems.map(({ name, slots, tasks, seconds: work, busy }) => {
      const points = busy.flatMap((value, index) => [index, index + 1].map((edge) => `${(edge * this.interval).toFixed(3)},${100 - value}`));
      const strip = shape("svg", { viewBox: `0 0 ${span} 100`, preserveAspectRatio: "none", role: "img" },
        shape("title", {}, `Slots of ${name} that did tasks, over time`),
        shape("polygon", { points: `0,100 ${points.join(" ")} ${(busy.length * this.interval).toFixed(3)},100` }));
      strip.addEventListener("pointermove", ({ clientX }) => {
        const box = strip.getBoundingClientRect(), at = ((clientX - box.left) / box.width) * span;
        byID("system-status").textContent =
          `${name} after ${duration(at)}: ${busy[Math.floor(at / this.interval)] ?? 0} % of ${plural(slots, "slot")} busy`;
      });
      const mean = (100 * work) / (span * slots);
      return element("div", { class: "system" },
        element("p", {}, element("strong", {}, name), ` ${plural(tasks, "task")}, ${duration(work)} of work; ${plural(slots, "slot")}, ${fixed(mean, 0)} % busy`),
        strip);
    });
    byID("systems").replaceChildren(...strips);
    const began = Date.parse(this.facts.began) / 1000;
    const { ticks: marks } = timeAxis(began, 0, span, byID("times").clientWidth);
    byID("times").replaceChildren(...marks.map(([value, text]) => {
      const label = element("span", {}, text);
      // A character is at most 7 pixels wide: the first and the last one stay within the strip.
      const half = 3.5 * text.length;
      label.style.left = `clamp(${half}px, ${(100 * value) / span}%, 100% - ${half}px)`;
      return label;
    }));
  }

  table(body) {
    const heads = this.columns.map(({ key, title, isNumber }) => {
      const button = element("button", { type: "button" }, title);
      button.addEventListener("click", () => {
        const isAgain = this.sort === key;
        this.sortBy(key, isAgain && !this.isDescending);
        requestAnimationFrame(() => requestAnimationFrame(() => byID("head-" + key)?.focus()));
      });
      button.id = "head-" + key;
      const head = element("th", { scope: "col", ...(isNumber ? { class: "number" } : {}) }, button);
      if (this.sort === key) {
        head.setAttribute("aria-sort", this.isDescending ? "descending" : "ascending");
        button.append(this.isDescending ? " ↓" : " ↑");
      }
      return head;
    });
    return element("table", { class: "index" }, element("thead", {}, element("tr", {}, ...heads)), body);
  }

  /** The address of an image's page; null if it has none. */
  address({ page }) {
    if (page === null) return null;
    return byID("snapshot") ? encodeURIComponent(page) + ".html" : "images/" + encodeURIComponent(page);
  }

  /** The name of an image, as a link if it has a page. */
  name(image) {
    const href = this.address(image), name = image.file.slice(this.folder.length);
    return href === null ? element("span", { class: "name" }, name) : element("a", { href, class: "name" }, name);
  }

  row(image) {
    return element("tr", { "data-number": image.number, class: image.state }, ...this.columns.map((column) => {
      const help = column.help?.(image);
      const cell = element("td", { "data-title": column.title, "data-key": column.key, ...(help ? { title: help } : {}) });
      if (column.key === "file") {
        cell.append(this.name(image));
        if (image.reason) cell.append(element("span", { class: "reason" }, image.reason));
      } else {
        const text = column.show(image);
        cell.append(text);
        if (text === "–") cell.classList.add("empty");
        if (column.isNumber) cell.classList.add("number");
      }
      return cell;
    }));
  }

  card(image) {
    const name = this.name(image);
    const facts = [image.sources === null ? null : plural(image.sources, "source"),
      image.seeing === null ? null : Number.isFinite(image.arcsec) ? `${fixed(image.arcsec, 2)}″` : `${fixed(image.seeing, 2)} pix`];
    const picture = image.page === null || image.state === "running" ? element("span", { class: "none" }, image.state)
      : element("img", {
        src: "thumbnails/" + encodeURIComponent(image.page) + (byID("snapshot") ? ".png" : ""), alt: "", loading: "lazy",
        decoding: "async", width: Math.max(1, Math.round(160 * Math.min(1, image.width / image.height))),
        height: Math.max(1, Math.round(160 * Math.min(1, image.height / image.width))),
      });
    const label = image.file.split("/").pop() + (image.extname ? ` ${image.extname}` : image.hdu ? ` [${image.hdu}]` : "");
    name.textContent = label;
    const extra = image.reason ? element("span", { class: "reason" }, image.reason) : facts.filter(Boolean).join(", ");
    if (name.matches("a")) name.prepend(element("span", { class: "frame" }, picture));
    return element("div", { class: "card " + image.state, "data-number": image.number,
      title: this.columns.map((column) => `${column.title}: ${column.show(image)}`).join("\n") },
      ...(name.matches("a") ? [name] : [element("span", { class: "frame" }, picture), name]),
      element("span", { class: "state" }, image.state), element("span", { class: "extra" }, extra));
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "/" && !event.target.matches("input, select")) {
      event.preventDefault();
      byID("filter").focus();
      return;
    }
    const here = event.target.closest?.("#images [data-number]");
    if (!here) return;
    const links = [...this.list.querySelectorAll("[data-number] a")], at = links.indexOf(here.querySelector("a"));
    // Links with the same vertical position are a row of the mosaic.
    const top = (link) => link.closest("[data-number]").offsetTop;
    const columns = this.view === "table" ? 1 : Math.max(1, links.filter((link) => top(link) === top(links[at])).length);
    const next = { ArrowDown: at + columns, ArrowUp: at - columns, ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (next === undefined || !links[next]) return;
    event.preventDefault();
    links[next].focus();
  }
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new IndexPage();
if (byID("snapshot")) page.take(JSON.parse(byID("snapshot").textContent));
else follow((update) => page.take(update));
