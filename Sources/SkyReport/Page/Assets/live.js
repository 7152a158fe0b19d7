"use strict";
// The page of a scan that runs: keeps what the updates say, and shows it.

const bandSteps = ["background", "extraction"];

/** Sources of which no more than the place is known. */
class PlaceCatalogue extends Catalogue {
  describe(source) {
    return [["x, y", `${this.value("x", source).toFixed(2)}, ${this.value("y", source).toFixed(2)}`]];
  }
}

/** What was told of the scan so far. Each update may come twice. */
class LiveState {
  constructor() { this.reset(); }

  reset() {
    Object.assign(this, {
      scan: null, time: 0, heard: 0, now: "", systems: [], rounds: [], attempts: [], moments: [], firstMoment: 0,
      places: new Float32Array(0), total: 0, hasPreview: false, end: null,
    });
  }

  take(update) {
    if (update.scan) { this.reset(); this.scan = update.scan; }
    Object.assign(this, { time: update.time, heard: performance.now(), now: update.now, hasPreview: update.hasPreview });
    if (update.systems) this.systems = update.systems;
    this.rounds.splice(update.rounds.from, Infinity, ...update.rounds.items);
    for (const { index, cost, attempt } of update.attempts) this.attempts[index] = { ...attempt, index, cost };
    if (this.moments.length === 0) this.firstMoment = update.moments.from;
    this.moments.splice(Math.max(0, update.moments.from - this.firstMoment), Infinity, ...update.moments.items);
    this.firstMoment += this.moments.splice(0, Math.max(0, this.moments.length - 1000)).length;
    this.total = update.sources.total;
    this.addPlaces(update.sources);
    if (update.end) this.end = update.end;
  }

  addPlaces({ from, places }) {
    if (!places) return;
    const text = atob(places);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const added = new Float32Array(bytes.buffer);
    const all = new Float32Array(Math.max(this.places.length, 2 * from + added.length));
    all.set(this.places);
    all.set(added, 2 * from);
    this.places = all;
  }

  /** Seconds since the scan began. */
  get seconds() { return this.end ? this.time : this.time + (performance.now() - this.heard) / 1000; }

  /** The sources as a catalogue: all values once the scan has ended, places before. */
  catalogue() {
    const { width, height } = this.scan;
    if (this.end?.sources) return new Catalogue(this.end.sources, width, height);
    const count = this.places.length / 2;
    const bytes = new Uint8Array(10 * count);
    const [x, y] = [new Float32Array(bytes.buffer, 0, count), new Float32Array(bytes.buffer, 4 * count, count)];
    for (let index = 0; index < count; index++) [x[index], y[index]] = [this.places[2 * index], this.places[2 * index + 1]];
    const column = (name, type, offset) => ({ name, type, offset, scale: 1 });
    const columns = [
      column("x", "Float32Array", 0), column("y", "Float32Array", 4 * count), column("flags", "Uint16Array", 8 * count),
    ];
    return new PlaceCatalogue({ count, total: this.total, columns, bytes }, width, height);
  }

  /**
   * Attempts with the times of those under way. A system is handed more tasks than it has slots: the first ones run, each
   * since the slot it has was free, and the others wait there.
   */
  course() {
    const now = this.seconds;
    const ends = this.systems.map(() => []), open = this.systems.map(() => []);
    for (const attempt of this.attempts) {
      if (attempt.outcome === "running") open[attempt.system].push(attempt);
      else if (attempt.outcome === "done") ends[attempt.system].push(attempt.end);
    }
    const running = new Map();
    this.queued = open.map((attempts, system) => {
      const { slots } = this.systems[system];
      const begun = attempts.sort((one, other) => one.start - other.start || one.index - other.index).slice(0, slots);
      const last = ends[system].sort((one, other) => one - other).slice(-slots);
      begun.forEach((attempt, place) => {
        const free = last[last.length - begun.length + place] ?? 0;
        running.set(attempt.index, Math.min(now, Math.max(attempt.start, free)));
      });
      return attempts.length - begun.length;
    });
    this.running = this.systems.map((_, system) => open[system].length - this.queued[system]);
    const shown = [];
    for (const attempt of this.attempts) {
      if (attempt.outcome !== "running") shown.push(attempt);
      else if (running.has(attempt.index)) shown.push({ ...attempt, end: now, seconds: now - running.get(attempt.index) });
    }
    return shown;
  }

  /** The step whose sectors are shown, with what became of each: those of a step that goes over whole bands. */
  sectors() {
    const step = bandSteps.findLast((name) => this.rounds.some((round) => round.step === name));
    const sectors = new Map();
    const put = (rect, state) => {
      const sector = { rect, state, sources: 0 };
      sectors.set(rect.join(), sector);
      return sector;
    };
    for (const round of this.rounds.filter((round) => round.step === step)) {
      for (const rect of round.resumed) put(rect, "resumed");
      for (const rect of round.sectors) put(rect, "waiting");
    }
    for (const attempt of this.attempts) {
      if (attempt.step !== step || !attempt.rect) continue;
      const sector = sectors.get(attempt.rect.join()) ?? put(attempt.rect, "waiting");
      const { outcome, system, seconds } = attempt;
      if (outcome === "done") Object.assign(sector, { state: "done", system, seconds });
      else if (outcome === "running" && sector.state !== "done") Object.assign(sector, { state: "running", system });
      else if (outcome === "failed") sector.state = "failed";
    }
    const sorted = [...sectors.values()].sort((one, other) => one.rect[1] - other.rect[1]);
    this.countSources(sorted);
    return { step, sectors: sorted };
  }

  countSources(sectors) {
    const { x, y, count } = this.shownCatalogue;
    for (let source = 0; source < count && sectors.length > 0; source++) {
      let [low, high] = [0, sectors.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (sectors[middle].rect[1] - 0.5 <= y[source]) low = middle; else high = middle;
      }
      sectors[low].sources++;
    }
  }

  /** Work in each second, in pixels, by system; see the report's figure. */
  throughput() {
    const seconds = Math.max(this.seconds, 0.1);
    const width = Math.max(ticks(0, seconds, 100).step, 0.01);
    const count = Math.max(1, Math.ceil(seconds / width));
    const rates = this.systems.map(() => new Array(count).fill(0));
    const bin = (time) => Math.min(count - 1, Math.max(0, Math.floor(time / width)));
    for (const { outcome, end, seconds: length, cost, system } of this.attempts) {
      if (outcome !== "done") continue;
      const first = Math.max(0, end - (length ?? 0)), last = Math.max(end, first + width / 100);
      for (let at = bin(first); at <= bin(last); at++) {
        const overlap = Math.min(last, (at + 1) * width) - Math.max(first, at * width);
        rates[system][at] += cost / (last - first) * Math.max(0, overlap) / width;
      }
    }
    return { width, rates };
  }

  /** Work in the last seconds, in pixels per second. */
  rate() {
    const span = Math.min(15, this.seconds), from = this.seconds - span;
    const done = this.attempts.filter(({ outcome, end }) => outcome === "done" && end >= from);
    return span > 0 ? done.reduce((sum, { cost }) => sum + cost, 0) / span : 0;
  }

  /** How the last round stands: its step, its tasks, and those that are done. */
  round() {
    const round = this.rounds.at(-1);
    if (!round) return { step: "", tasks: 0, done: 0 };
    const sectors = new Set(round.sectors.map((rect) => rect.join()));
    const done = this.attempts.filter(({ step, rect, outcome }) =>
      step === round.step && (outcome === "done" || outcome === "failed") && rect && sectors.has(rect.join())).length;
    return { step: round.step, tasks: round.sectors.length + round.resumed.length, done: done + round.resumed.length };
  }
}

/** The elements of the page. */
class LivePage {
  constructor() {
    this.state = new LiveState();
    this.draw = onFrame(() => this.drawAll());
  }

  take(update) {
    const { state } = this;
    const { total, end } = state;
    state.take(update);
    if (!this.sky) this.begin();
    if (update.scan || state.total !== total || state.end !== end || !state.shownCatalogue) this.showSources();
    if (state.hasPreview && !this.picture.hasAttribute("src")) this.picture.src = "/preview.png";
    this.draw();
  }

  begin() {
    const { state } = this;
    const { scan } = state;
    const image = { name: scan.image, width: scan.width, height: scan.height, factor: scan.factor };
    document.title = `${scan.image} · Skyfarm`;
    byID("name").textContent = scan.image;
    byID("facts").textContent = `${whole(scan.width)} × ${whole(scan.height)} pixels, begun ` +
      `${scan.began.replace("T", " ").replace("Z", " UTC")} by ${scan.software}`;
    byID("command").textContent = scan.command;
    this.picture = byID("picture");
    state.shownCatalogue = state.catalogue();
    this.map = new SectorMap({ sectors: [], systems: [], image });
    this.map.mode = "state";
    this.sky = new Sky({ image }, state.shownCatalogue, this.picture, this.map);
    this.sky.overlay = "state";
    this.course = new Course({ systems: [], attempts: [], seconds: 0, moments: [] });
    this.picture.addEventListener("load", () => this.sky.redraw());
    byID("marks").addEventListener("change", ({ target }) => { this.sky.marks = target.value; this.draw(); });
    byID("overlay").addEventListener("change", ({ target }) => {
      this.sky.overlay = target.value;
      if (target.value !== "none") this.map.mode = target.value;
      this.draw();
    });
    const resize = onFrame(() => {
      this.sky.resize();
      if (this.sky.isFitted) this.sky.fit();
      this.drawAll();
    });
    new ResizeObserver(resize).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    // Between updates time goes on.
    setInterval(() => { if (!state.end && !document.hidden && !document.body.dataset.lost) this.draw(); }, 1000);
  }

  showSources() {
    const { state, sky } = this;
    const catalogue = state.catalogue();
    state.shownCatalogue = catalogue;
    sky.catalogue = catalogue;
    sky.visited = new Int32Array(catalogue.count);
    sky.inView = sky.visited.subarray(0, 0);
    if (sky.selected >= catalogue.count || state.end) sky.selected = -1;
  }

  drawAll() {
    const { state, course, map, sky } = this;
    const { seconds, systems, moments } = state;
    const selected = course.attempts[course.selected]?.index;
    const attempts = state.course();
    Object.assign(course, { systems, moments, seconds, attempts });
    course.selected = selected === undefined ? -1 : attempts.findIndex(({ index }) => index === selected);
    course.assignLanes();
    const { step, sectors } = state.sectors();
    Object.assign(map, { sectors, systems });
    this.drawHeader();
    this.drawSystems();
    fillGrowingLog(byID("log"), moments, state.firstMoment + moments.length);
    course.redraw();
    map.draw();
    sky.redraw();
    drawThroughput(byID("throughput"), { throughput: state.throughput(), seconds, moments, systems });
    byID("throughput-legend").replaceChildren(
      ...systems.map((system, index) => legendEntry(systemColour(index), system.name)));
    const counts = new Map();
    for (const sector of sectors) counts.set(sector.state, (counts.get(sector.state) ?? 0) + 1);
    byID("sectors-counts").textContent = step
      ? `${step}: ` + [...counts].map(([name, count]) => `${whole(count)} ${stateWords[name]}`).join(", ") : "";
    Object.assign(document.body.dataset, {
      ready: "1", sources: String(state.total), states: JSON.stringify(Object.fromEntries(counts)),
    });
  }

  drawHeader() {
    const { state } = this;
    const { step, tasks, done } = state.round();
    const retries = state.attempts.filter(({ outcome }) => ["retried", "lost", "failed"].includes(outcome)).length;
    const hedges = state.attempts.filter(({ isHedge }) => isHedge).length;
    const now = byID("now");
    if (now.textContent !== state.now) now.textContent = state.now;
    byID("progress").value = state.end?.ending === "complete" ? 1 : tasks ? done / tasks : 0;
    const present = state.systems.filter(({ isPresent }) => isPresent).length;
    const figures = [
      ["Step", step || "–"], ["Tasks", `${whole(done)} of ${whole(tasks)}`],
      [state.end?.sources ? "Sources" : "Sources so far", whole(state.total)], ["Time", duration(state.seconds)],
      [state.end ? "Mean rate" : "Rate", quantity(state.end ? this.meanRate() : state.rate()) + "pix/s"],
      ["Systems", present === state.systems.length ? whole(present) : `${present} of ${state.systems.length}`],
    ];
    if (retries > 0) figures.push(["Attempts in vain", whole(retries)]);
    if (hedges > 0) figures.push(["Hedges", whole(hedges)]);
    fillFigures(figures);
  }

  meanRate() {
    const done = this.state.attempts.filter(({ outcome }) => outcome === "done");
    return done.reduce((sum, { cost }) => sum + cost, 0) / (this.state.seconds || 1);
  }

  drawSystems() {
    const { state } = this;
    const rows = state.systems.map((system, index) => {
      const own = state.attempts.filter((attempt) => attempt.system === index);
      const count = (...outcomes) => own.filter(({ outcome }) => outcomes.includes(outcome)).length;
      const busy = own.reduce((sum, { outcome, seconds }) => sum + (outcome === "done" ? seconds ?? 0 : 0), 0);
      return [
        system.name, system.isPresent ? "here" : "✕ gone", whole(system.slots), whole(state.running[index]),
        whole(state.queued[index]), whole(count("done")), whole(count("retried", "lost", "failed")),
        Math.min(100, Math.round(100 * busy / ((state.seconds || 1) * system.slots))) + " %",
      ];
    });
    fillTable(
      byID("systems"), ["System", "State", "Slots", "Runs", "Waits", "Done", "In vain", "Busy"], rows,
      [2, 3, 4, 5, 6, 7]);
    byID("systems").querySelectorAll("tbody tr").forEach((row, index) =>
      row.classList.toggle("gone", !state.systems[index].isPresent && !state.end));
  }
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new LivePage();
follow((update) => page.take(update));
