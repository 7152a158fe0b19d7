"use strict";
// The state of a scan, built from a snapshot and the updates after it, and the values derived from it.

const bandSteps = ["background", "extraction"];

/** Sources of which only the places are known. */
class PlaceCatalogue extends Catalogue {
  reduction() { return 1; }

  describe(source) {
    return [["x, y", `${this.value("x", source).toFixed(2)}, ${this.value("y", source).toFixed(2)}`]];
  }
}

/** The state of a scan. An update may be applied twice. */
class ScanState {
  constructor() { this.reset(); }

  reset() {
    Object.assign(this, {
      scan: null, time: 0, heard: 0, now: "", systems: [], rounds: [], attempts: [], moments: [], firstMoment: 0,
      places: new Float32Array(0), total: 0, resumedCost: 0, preview: null, end: null, running: [], queued: [],
    });
  }

  take(update) {
    if (update.scan) { this.reset(); this.scan = update.scan; }
    const { time, now, resumedCost, preview } = update;
    Object.assign(this, { time, now, resumedCost, preview: preview ?? null, heard: performance.now() });
    if (update.systems) this.systems = update.systems;
    this.rounds.splice(update.rounds.from, Infinity, ...update.rounds.items);
    for (const attempt of update.attempts) this.attempts[attempt.index] = attempt;
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

  /** The catalogue; undefined until it is written. */
  get summary() { return this.end?.catalogue; }

  /** When the scan began, in seconds since 1970; NaN if that is not known. */
  get began() { return Date.parse(this.scan.began) / 1000; }

  /** Seconds since the scan began. */
  get seconds() { return this.end ? this.time : this.time + (performance.now() - this.heard) / 1000; }

  /** The sources: with all values once the scan has ended, only places before. */
  catalogue() {
    const { width, height } = this.scan;
    if (this.summary) {
      const catalogue = new Catalogue(this.summary.sources, width, height, this.summary.parameters);
      catalogue.zeroPoint = this.end.quality?.zeroPoint;
      catalogue.trails = this.summary.trails;
      return catalogue;
    }
    const count = this.places.length / 2;
    const bytes = new Uint8Array(10 * count);
    const [x, y] = [new Float32Array(bytes.buffer, 0, count), new Float32Array(bytes.buffer, 4 * count, count)];
    for (let index = 0; index < count; index++) [x[index], y[index]] = [this.places[2 * index], this.places[2 * index + 1]];
    const column = (name, type, offset) => ({ name, type, offset, scale: 1, zero: 0 });
    const columns = [
      column("x", "Float32Array", 0), column("y", "Float32Array", 4 * count), column("flags", "Uint16Array", 8 * count),
    ];
    return new PlaceCatalogue({ count, total: this.total, columns, bytes }, width, height);
  }

  /**
   * Attempts, with the times of the running ones. A system is handed more tasks than it has slots: the first ones run, each
   * since its slot was free, and the others wait there.
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

  /** The last step that works on whole bands, with the state of each sector. */
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
    const { y, count } = this.shownCatalogue;
    for (let source = 0; source < count && sectors.length > 0; source++) {
      if (!Number.isFinite(y[source])) continue;
      let [low, high] = [0, sectors.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (sectors[middle].rect[1] - 0.5 <= y[source]) low = middle; else high = middle;
      }
      sectors[low].sources++;
    }
  }

  /**
   * Pixels per second, by system and bin of time. The cost of a task is spread over the seconds of its execution. A pixel
   * counts again in each step and halo while the scan runs. Once it has ended, costs are scaled so that all of them,
   * those of tasks from the journal included, add up to the pixels of the image.
   */
  throughput(bins = 100) {
    const seconds = Math.max(this.seconds, 0.1);
    const width = Math.max(ticks(0, seconds, bins).step, 0.01);
    const count = Math.max(1, Math.ceil(seconds / width));
    const rates = this.systems.map(() => new Array(count).fill(0));
    const bin = (time) => Math.min(count - 1, Math.max(0, Math.floor(time / width)));
    const done = this.attempts.filter(({ outcome }) => outcome === "done");
    const all = done.reduce((sum, { cost }) => sum + cost, this.resumedCost);
    const scale = this.end && all > 0 ? this.scan.width * this.scan.height / all : 1;
    for (const { end, seconds: length, cost, system } of done) {
      const first = Math.max(0, end - (length ?? 0)), last = Math.max(end, first + width / 100);
      for (let at = bin(first); at <= bin(last); at++) {
        const overlap = Math.min(last, (at + 1) * width) - Math.max(first, at * width);
        rates[system][at] += scale * cost / (last - first) * Math.max(0, overlap) / width;
      }
    }
    return { width, rates };
  }

  /** Cost of the tasks done in the last seconds, in pixels per second. */
  rate() {
    const span = Math.min(15, this.seconds), from = this.seconds - span;
    const done = this.attempts.filter(({ outcome, end }) => outcome === "done" && end >= from);
    return span > 0 ? done.reduce((sum, { cost }) => sum + cost, 0) / span : 0;
  }

  /** By system: tasks done, failed attempts, hedges, and seconds of execution of the tasks done. */
  tallies() {
    const tallies = this.systems.map(() => ({ done: 0, failed: 0, hedges: 0, seconds: 0 }));
    for (const { system, outcome, isHedge, seconds } of this.attempts) {
      const tally = tallies[system];
      if (outcome === "done") { tally.done++; tally.seconds += seconds ?? 0; }
      if (isFailure(outcome)) tally.failed++;
      if (isHedge) tally.hedges++;
    }
    return tallies;
  }

  /** Tasks whose results come from the journal. */
  get resumedTasks() { return this.rounds.reduce((sum, { resumed }) => sum + resumed.length, 0); }

  /** The last round: its step, its tasks, and those that are done. */
  round() {
    const round = this.rounds.at(-1);
    if (!round) return { step: "", tasks: 0, done: 0 };
    const sectors = new Set(round.sectors.map((rect) => rect.join()));
    const done = this.attempts.filter(({ step, rect, outcome }) =>
      step === round.step && (outcome === "done" || outcome === "failed") && rect && sectors.has(rect.join())).length;
    return { step: round.step, tasks: round.sectors.length + round.resumed.length, done: done + round.resumed.length };
  }
}
