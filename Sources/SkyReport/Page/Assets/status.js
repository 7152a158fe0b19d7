"use strict";
// A page that shows the state of a process. Each update has the whole state except the log, of which it has only the new
// lines; the first also describes the process.

class StatusPage {
  /** `subject` names the description of the process in the first update. */
  constructor(subject) {
    this.subject = subject;
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
    if (update[this.subject]) {
      this[this.subject] = update[this.subject];
      [this.log, this.samples] = [[], []];
    }
    [this.update, this.heard] = [update, performance.now()];
    if (this.log.length === 0) this.firstLine = update.log.from;
    this.log.splice(Math.max(0, update.log.from - this.firstLine), Infinity, ...update.log.items);
    this.firstLine += this.log.splice(0, Math.max(0, this.log.length - 500)).length;
    this.samples.push({ time: update.time, done: this.done(update) });
    if (this.samples.length > 7200) this.samples.splice(1, 1800);
    this.draw();
  }

  /** When the process began, in seconds since 1970. */
  get began() { return Date.parse(this[this.subject].began) / 1000; }

  get seconds() { return this.update.time + (this.update.end ? 0 : (performance.now() - this.heard) / 1000); }

  /** A table, with a line of text if it has no rows. */
  fill(name, heads, rows, numbers, text) {
    fillTable(byID(name), heads, rows, numbers);
    if (rows.length === 0) {
      byID(name).tBodies[0].append(element("tr", {}, element("td", { colspan: `${heads.length}` }, text)));
    }
  }

  /** What the page counts. */
  get unit() { return "task"; }

  /** The tasks that were done since the page was opened, against time. */
  drawRate() {
    const { samples, seconds } = this;
    const [first] = samples, total = samples.at(-1).done - first.done;
    chart(byID("rate"), {
      x: [first.time, Math.max(seconds, first.time + 1)], y: [0, Math.max(1, total) * 1.05], began: this.began,
      yLabel: `${this.unit}s`, counts: true, height: 180,
      label: `${plural(total, this.unit)} done since this page was opened`,
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
