"use strict";
// The page of a node. Each update contains the whole state except the log, of which it has only the new lines.

class NodePage {
  constructor() {
    this.log = [];
    this.firstLine = 0;
    this.samples = [];
    this.draw = onFrame(() => this.drawAll());
    new ResizeObserver(this.draw).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.draw);
    // The clock runs between updates.
    setInterval(() => {
      if (this.update && !this.update.end && !document.hidden && !document.body.dataset.lost) this.draw();
    }, 1000);
  }

  take(update) {
    if (update.node) {
      this.node = update.node;
      [this.log, this.samples] = [[], []];
    }
    [this.update, this.heard] = [update, performance.now()];
    if (this.log.length === 0) this.firstLine = update.log.from;
    this.log.splice(Math.max(0, update.log.from - this.firstLine), Infinity, ...update.log.items);
    this.firstLine += this.log.splice(0, Math.max(0, this.log.length - 500)).length;
    this.samples.push({ time: update.time, done: update.done });
    if (this.samples.length > 7200) this.samples.splice(1, 1800);
    this.draw();
  }

  /** When the node began, in seconds since 1970. */
  get began() { return Date.parse(this.node.began) / 1000; }

  get seconds() { return this.update.time + (this.update.end ? 0 : (performance.now() - this.heard) / 1000); }

  drawAll() {
    const { node, update } = this;
    if (!node) return;
    document.title = `${node.name} · Skyfarm`;
    byID("name").textContent = node.name;
    byID("facts").textContent = `${node.software} at ${node.address}, ${plural(node.slots, "slot")}`;
    if (byID("now").textContent !== update.now) byID("now").textContent = update.now;
    const figures = [
      ["Up", duration(this.seconds)], ["Running", `${whole(update.running)} of ${whole(node.slots)}`],
      ["Waiting", whole(update.queued)], ["Tasks done", whole(update.done)],
      ["Coordinators", whole(update.coordinators.length)], ["Cached pixels", update.keptBytes ? quantity(update.keptBytes) + "B" : "0\u00a0B"],
    ];
    fillFigures(figures);
    drawCluster(update.cluster, this.began);
    this.drawSlots();
    this.drawRate();
    fillTable(
      byID("coordinators"), ["Name", "Address", "Jobs", "In flight", "Done", "Cancelled"],
      update.coordinators.map(({ name, address, jobs, inFlight, done, cancelled }) =>
        [name, address, whole(jobs), whole(inFlight), whole(done), whole(cancelled)]), [2, 3, 4, 5]);
    if (update.coordinators.length === 0) {
      byID("coordinators").tBodies[0].append(element("tr", {}, element("td", { colspan: "6" }, "No coordinator is connected.")));
    }
    fillGrowingLog(byID("log"), this.log, this.firstLine + this.log.length, this.began);
    document.body.dataset.ready = "1";
  }

  drawSlots() {
    const { running } = this.update, { slots } = this.node;
    byID("slots").replaceChildren(...Array.from({ length: Math.min(slots, 256) }, (_, slot) =>
      element("span", { class: slot < running ? "slot busy" : "slot" })));
    byID("slots").setAttribute("aria-label", `${running} of ${plural(slots, "slot")} busy`);
    byID("slots-legend").replaceChildren(legendEntry(colour("s0"), "busy"), legendEntry(colour("faint"), "free"));
  }

  drawRate() {
    const { samples, seconds } = this;
    const [first] = samples;
    const highest = Math.max(1, samples.at(-1).done - first.done);
    chart(byID("rate"), {
      x: [first.time, Math.max(seconds, first.time + 1)], y: [0, highest * 1.05], began: this.began, yLabel: "tasks", counts: true,
      height: 180, label: `${plural(samples.at(-1).done - first.done, "task")} done since this page was opened`,
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
const page = new NodePage();
follow((update) => page.take(update), "node");
