"use strict";
// The page of a farm or a node with tasks of any type. Each update has the whole state except the log, of which it has only
// the new lines.

class TaskPage {
  constructor() {
    [this.log, this.samples, this.firstLine] = [[], [], 0];
    this.draw = onFrame(() => this.drawAll());
    new ResizeObserver(this.draw).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
    // The clock runs between updates.
    setInterval(() => {
      if (this.update && !this.update.end && !document.hidden && !document.body.dataset.lost) this.draw();
    }, 1000);
  }

  take(update) {
    if (update.process) {
      this.process = update.process;
      [this.log, this.samples] = [[], []];
    }
    [this.update, this.heard] = [update, performance.now()];
    if (this.log.length === 0) this.firstLine = update.log.from;
    this.log.splice(Math.max(0, update.log.from - this.firstLine), Infinity, ...update.log.items);
    this.firstLine += this.log.splice(0, Math.max(0, this.log.length - 500)).length;
    this.samples.push({ time: update.time, done: update.state.done });
    if (this.samples.length > 7200) this.samples.splice(1, 1800);
    this.draw();
  }

  /** When the page was opened by its process, in seconds since 1970. */
  get began() { return Date.parse(this.process.began) / 1000; }

  get seconds() { return this.update.time + (this.update.end ? 0 : (performance.now() - this.heard) / 1000); }

  drawAll() {
    if (!this.process) return;
    const { process, update: { state } } = this;
    const slots = state.systems.reduce((sum, system) => sum + system.slots, 0);
    document.title = `${process.name} · Skyfarm`;
    byID("name").textContent = process.name;
    byID("facts").textContent = [process.software, process.address && `at ${process.address}`].filter(Boolean).join(" ");
    if (byID("now").textContent !== state.now) byID("now").textContent = state.now;
    const figures = [
      ["Up", duration(this.seconds)], ["Systems", whole(state.systems.length)],
      ["Running", `${whole(state.running)} of ${whole(slots)}`], ["Tasks done", whole(state.done)],
      ["Tasks/s", digits(state.rate), "over the last 10 seconds"], ["Failed", whole(state.failed)],
    ];
    if (process.role === "node") figures.splice(3, 0, ["Waiting", whole(state.waiting)]);
    if (state.recorded > 0) figures.push(["From the journal", whole(state.recorded)]);
    fillFigures(figures);
    this.fill("systems", ["Name", "State", "Running", "Done"], state.systems.map((system) => [
      system.isLocal ? `${system.name} (this process)` : system.name, system.state,
      `${whole(system.running)} of ${whole(system.slots)}`, whole(system.done),
    ]), [2, 3], "No system takes tasks now.");
    this.fill("types", ["Type", "Running", "Done", "Failed", "Tried again", "From the journal", "Mean time"],
      state.types.map((type) => [
        type.name, process.role === "node" ? "–" : whole(type.running), whole(type.done), whole(type.failed),
        whole(type.retried), whole(type.recorded), type.seconds === undefined ? "–" : duration(type.seconds),
      ]), [1, 2, 3, 4, 5, 6], "There was no task yet.");
    byID("clients").hidden = process.role !== "node";
    this.fill("coordinators", ["Name", "Address", "In flight", "Done"],
      state.coordinators.map(({ name, address, inFlight, done }) => [name, address, whole(inFlight), whole(done)]), [2, 3],
      "No coordinator is connected.");
    byID("failures").replaceChildren(...(state.failures.length === 0
      ? [element("li", {}, "No attempt has failed.")]
      : state.failures.map(({ about, text, log }) => element("li", {},
        element("b", {}, about), ` ${text}`, ...log.map((line) => element("pre", {}, line))))));
    this.drawRate();
    fillGrowingLog(byID("log"), this.log, this.firstLine + this.log.length, this.began);
    document.body.dataset.ready = "1";
  }

  /** A table, with a line of text if it has no rows. */
  fill(name, heads, rows, numbers, text) {
    fillTable(byID(name), heads, rows, numbers);
    if (rows.length === 0) {
      byID(name).tBodies[0].append(element("tr", {}, element("td", { colspan: `${heads.length}` }, text)));
    }
  }

  drawRate() {
    const { samples, seconds } = this;
    const [first] = samples, done = samples.at(-1).done - first.done;
    chart(byID("rate"), {
      x: [first.time, Math.max(seconds, first.time + 1)], y: [0, Math.max(1, done) * 1.05], began: this.began,
      yLabel: "tasks", height: 180, label: `${plural(done, "task")} done since this page was opened`,
    }, (svg, toX, toY) => {
      const points = [];
      let last = toY(0);
      for (const { time, done } of samples) {
        points.push(`${toX(time)} ${last}`, `${toX(time)} ${last = toY(done - first.done)}`);
      }
      points.push(`${toX(seconds)} ${last}`);
      svg.append(shape("path", { d: "M" + points.join("L"), fill: "none", stroke: colour("s0"), "stroke-width": 2 }));
    });
  }
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new TaskPage();
follow((update) => page.take(update), "program");
