"use strict";
// The index of many images: a report draws the snapshot embedded in it, the live page the updates from its server.

const middle = (values) => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted.length ? (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2 : NaN;
};

/** Of the states, the ones that need attention come first. */
const stateOrder = ["failed", "partial", "running", "done", "waiting", "left-out"];

const fixed = (value, places) => (Number.isFinite(value) ? value.toFixed(places).replace("-", "−") : "–");
const signed = (value, count) => digits(value, count).replace("-", "−");

/** Columns of the table: key, title, value to sort by (text or number), text to show, explanation. */
const indexColumns = [
  { key: "state", title: "State", value: (image) => stateOrder.indexOf(image.state), show: (image) => image.state },
  { key: "file", title: "File", value: (image) => image.file, show: (image) => image.file },
  { key: "hdu", title: "HDU", value: (image) => image.hdu ?? NaN,
    show: (image) => (image.hdu === null ? "–" : image.extname ? `${image.hdu} ${image.extname}` : String(image.hdu)) },
  { key: "sources", title: "Sources", value: (image) => image.sources ?? NaN,
    show: (image) => (image.sources === null ? "–" : whole(image.sources)) },
  { key: "seeing", title: "Seeing, pix", value: (image) => image.seeing ?? NaN, show: (image) => fixed(image.seeing, 2),
    help: (image) => (image.points === null ? "" : `of ${plural(image.points, "point source")}`) },
  { key: "arcsec", title: "Seeing, ″", value: (image) => image.arcsec, show: (image) => fixed(image.arcsec, 2) },
  { key: "ellipticity", title: "Ellipticity", value: (image) => image.ellipticity ?? NaN,
    show: (image) => fixed(image.ellipticity, 3) },
  { key: "background", title: "Background", value: (image) => image.background ?? NaN,
    show: (image) => (image.background === null ? "–" : signed(image.background, 4)) },
  { key: "noise", title: "Noise", value: (image) => image.noise ?? NaN,
    show: (image) => (image.noise === null ? "–" : digits(image.noise, 3)) },
  { key: "limit", title: "Limit, mag", value: (image) => image.limit ?? NaN, show: (image) => fixed(image.limit, 2),
    help: (image) => (image.zero === null ? "" : `zero point: ${image.zero}`) },
  { key: "seconds", title: "Time", value: (image) => image.seconds ?? NaN,
    show: (image) => (image.seconds === null ? "–" : duration(image.seconds)) },
];

class IndexPage {
  constructor() {
    // By number; a watch lists the newest only, and the sums of the earlier ones.
    this.images = [];
    this.first = 0;
    this.earlier = {};
    this.elements = { table: new Map(), mosaic: new Map() };
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
    for (const row of update.rows) {
      const image = {};
      update.columns.forEach((name, index) => { image[name] = row[index]; });
      image.arcsec = image.seeing === null || image.scale === null ? NaN : image.seeing * image.scale;
      // Most reasons begin with the name of the file.
      if (image.reason?.startsWith(image.file + ": ")) image.reason = image.reason.slice(image.file.length + 2);
      image.words = [image.file, image.extname, image.state, image.reason].join(" ").toLowerCase();
      this.images[image.number] = image;
      for (const made of Object.values(this.elements)) made.delete(image.number);
    }
    Object.assign(this, { now: update.now, systems: update.systems, interval: update.interval, end: update.end ?? null, time: update.time, at: performance.now() });
    this.draw();
  }

  begin(facts) {
    this.facts = facts;
    byID("facts").textContent = `Scan begun ${facts.began.replace("T", " ").replace("Z", " UTC")} by ${facts.software}`;
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

  /** The images that the filter leaves: those that failed or are partial first, those without a value last. */
  shown() {
    const words = byID("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.images.filter((image) => words.every((word) => image.words.includes(word)));
    const column = indexColumns.find(({ key }) => key === this.sort), sign = this.isDescending ? -1 : 1;
    const rank = ({ state }) => (this.sort === "order" ? stateOrder.indexOf(state) : Math.min(2, stateOrder.indexOf(state)));
    const value = column ? column.value : ({ number }) => number;
    const compare = (a, b) => {
      const [left, right] = [value(a), value(b)];
      if (typeof left === "string") return sign * left.localeCompare(right, "en", { numeric: true });
      if (Number.isNaN(left) || Number.isNaN(right)) return Number.isNaN(left) - Number.isNaN(right);
      return sign * (left - right);
    };
    // The state as a column is the order of the states itself.
    return shown.sort((a, b) => (this.sort === "state" ? 0 : rank(a) - rank(b)) || compare(a, b) || a.number - b.number);
  }

  drawAll() {
    this.drawHeader();
    const shown = this.shown(), focused = document.activeElement?.closest?.("[data-number]")?.dataset.number;
    byID("direction").textContent = this.isDescending ? "↓ descending" : "↑ ascending";
    byID("shown").textContent = shown.length === this.images.length ? "" : `${whole(shown.length)} of ${plural(this.images.length, "image")} shown`;
    const made = this.elements[this.view];
    const elements = shown.map((image) => {
      if (!made.has(image.number)) made.set(image.number, this.view === "table" ? this.row(image) : this.card(image));
      return made.get(image.number);
    });
    const kind = this.view + this.sort + this.isDescending;
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

  drawHeader() {
    const count = (state) => this.images.filter((image) => image.state === state).length + (this.earlier[state] ?? 0);
    const [failed, partial, running, done, waiting] = stateOrder.map(count);
    const sum = (key) => this.images.reduce((sum, image) => sum + (image[key] ?? 0), this.earlier[key]);
    const pixels = this.images.reduce((sum, image) => sum + (image.width ?? 0) * (image.height ?? 0), this.earlier.pixels);
    const seconds = this.time + (this.end ? 0 : (performance.now() - this.at) / 1000);
    const title = plural(this.images.length, "image");
    byID("name").textContent = title;
    document.title = this.end ? `${title} · Skyfarm` : `${whole(done + partial + failed)} of ${title} · Skyfarm`;
    if (byID("now").textContent !== this.now) byID("now").textContent = this.now;
    byID("progress").hidden = this.end !== null;
    byID("progress").value = this.images.length ? (done + partial + failed) / this.images.length : 0;
    const seeing = middle(this.images.map((image) => image.seeing ?? NaN)), arcsec = middle(this.images.map((image) => image.arcsec));
    const figures = [["Done", whole(done)], ["Failed", whole(failed)]];
    if (partial > 0) figures.push(["Partial", whole(partial)]);
    if (running > 0) figures.push(["Running", whole(running)]);
    if (waiting > 0) figures.push([this.end ? "Not scanned" : "Waiting", whole(waiting)]);
    figures.push(["Sources", whole(sum("sources"))], ["Pixels", quantity(pixels) + "pix"]);
    figures.push(["Median seeing", Number.isFinite(arcsec) ? `${fixed(arcsec, 2)}″` : `${fixed(seeing, 2)} pix`, `${fixed(seeing, 2)} pixels`]);
    figures.push(["Time", duration(seconds)], ["Mean rate", quantity(pixels / (seconds || 1)) + "pix/s", "Pixels of the images per second"]);
    fillFigures(figures);
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
        element("p", {}, element("strong", {}, name), ` ${plural(tasks, "task")}, ${duration(work)}, ${plural(slots, "slot")} ${fixed(mean, 0)} % busy`),
        strip);
    });
    byID("systems").replaceChildren(...strips);
    const { step, values } = ticks(0, span, Math.max(2, Math.floor(byID("times").clientWidth / 110)));
    byID("times").replaceChildren(...values.map((value) => {
      const label = element("span", {}, step < 60 ? `${tickText(value, step)} s` : duration(value));
      label.style.left = `${(100 * value) / span}%`;
      // The last one stays within the strip.
      if (value > 0.94 * span) label.style.transform = "translateX(-100%)";
      return label;
    }));
  }

  table(body) {
    const heads = indexColumns.map(({ key, title }) => {
      const button = element("button", { type: "button" }, title);
      button.addEventListener("click", () => {
        const isAgain = this.sort === key;
        this.sortBy(key, isAgain && !this.isDescending);
        requestAnimationFrame(() => requestAnimationFrame(() => byID("head-" + key)?.focus()));
      });
      button.id = "head-" + key;
      const head = element("th", { scope: "col", ...(["state", "file", "hdu"].includes(key) ? {} : { class: "number" }) }, button);
      if (this.sort === key) {
        head.setAttribute("aria-sort", this.isDescending ? "descending" : "ascending");
        button.append(this.isDescending ? " ↓" : " ↑");
      }
      return head;
    });
    return element("table", { class: "index" }, element("thead", {}, element("tr", {}, ...heads)), body);
  }

  /** The name of an image, as a link if it has a page. */
  name(image) {
    const name = image.file;
    if (image.page === null) return element("span", { class: "name" }, name);
    const page = encodeURIComponent(image.page);
    return element("a", { href: byID("snapshot") ? page + ".html" : "images/" + page, class: "name" }, name);
  }

  row(image) {
    return element("tr", { "data-number": image.number, class: image.state }, ...indexColumns.map((column) => {
      const help = column.help?.(image);
      const cell = element("td", { "data-title": column.title, "data-key": column.key, ...(help ? { title: help } : {}) });
      if (column.key === "file") {
        cell.append(this.name(image));
        if (image.reason) cell.append(element("span", { class: "reason" }, image.reason));
      } else {
        const text = column.show(image);
        cell.append(text);
        if (text === "–") cell.classList.add("empty");
        if (!["state", "hdu"].includes(column.key)) cell.classList.add("number");
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
      title: indexColumns.map((column) => `${column.title}: ${column.show(image)}`).join("\n") },
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
