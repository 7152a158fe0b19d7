"use strict";
// Tasks by system over time: a row for each slot of each system, a bar for each attempt at a task.

const stepNames = ["background", "extraction", "cut-islands", "photometry"];
const outcomeWords = {
  running: "running", done: "done", retried: "failed, tried again", lost: "lost with its system",
  returned: "returned by its system", superseded: "superseded by another attempt", failed: "failed, not tried again",
};

const isFailure = (outcome) => ["retried", "lost", "failed"].includes(outcome);

class Course {
  constructor(data) {
    const { systems, attempts, seconds, moments, began } = data;
    Object.assign(this, { systems, attempts, seconds, moments, began });
    this.canvas = byID("course");
    this.tip = byID("course-tip");
    this.status = byID("course-status");
    this.selected = -1;
    this.assignLanes();
    this.canvas.addEventListener("pointermove", (event) => this.hover(event.offsetX, event.offsetY));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.redraw = onFrame(() => this.draw());
  }

  /** When the execution of an attempt began; one that failed is shown from its start. */
  begin(attempt) { return attempt.seconds === undefined ? attempt.start : attempt.end - attempt.seconds; }

  /**
   * Gives each attempt the first row of its system that is free when its execution begins. Ends are reported a little
   * late, so executions of one slot may seem to overlap; they share its row nevertheless.
   */
  assignLanes() {
    const ends = this.systems.map(() => []);
    const order = this.attempts.map((_, index) => index)
      .sort((one, other) => this.begin(this.attempts[one]) - this.begin(this.attempts[other]));
    this.lane = new Array(this.attempts.length);
    this.free = new Array(this.attempts.length);
    for (const index of order) {
      const attempt = this.attempts[index], lanes = ends[attempt.system];
      let lane = lanes.findIndex((end) => end <= this.begin(attempt) + 1e-3);
      const isFull = lanes.length >= this.systems[attempt.system].slots && attempt.seconds !== undefined;
      if (lane < 0) lane = isFull ? lanes.indexOf(Math.min(...lanes)) : lanes.push(0) - 1;
      this.lane[index] = lane;
      this.free[index] = lanes[lane];
      lanes[lane] = attempt.end;
    }
    this.lanes = ends.map((lanes) => Math.max(1, lanes.length));
  }

  layout() {
    const narrow = this.canvas.parentElement.clientWidth < 560;
    this.left = narrow ? 8 : 150;
    const rows = this.lanes.reduce((sum, count) => sum + count, 0);
    // With many slots rows are thin, so that the chart fits a page.
    this.laneHeight = Math.max(2, Math.min(14, Math.floor(560 / rows)));
    this.tops = [];
    let y = narrow ? 18 : 4;
    for (const count of this.lanes) {
      this.tops.push(y);
      const height = count * this.laneHeight;
      y += narrow ? height + 24 : Math.max(height + 8, 22);
    }
    this.isNarrow = narrow;
    this.bottom = y - (narrow ? 14 : 0);
    this.canvas.style.height = this.bottom + 34 + "px";
  }

  toX(time) { return this.left + (time / (this.seconds || 1)) * (this.width - this.left - 10); }

  draw() {
    this.layout();
    const { context, width, height } = sharpen(this.canvas);
    this.width = width;
    context.clearRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    this.drawAxis(context);
    this.systems.forEach((system, index) => this.drawName(context, system, index));
    this.attempts.forEach((attempt, index) => this.drawAttempt(context, attempt, index));
    this.drawMoments(context);
    const done = this.attempts.filter(({ outcome }) => outcome === "done").length;
    this.canvas.setAttribute(
      "aria-label", `Tasks by system over time: ${plural(done, "task")} on ${plural(this.systems.length, "system")}`);
    this.drawLegend();
  }

  drawAxis(context) {
    const { ticks: marks, label } = timeAxis(this.began, 0, this.seconds, this.width - this.left);
    context.textAlign = "center";
    for (const [value, text] of marks) {
      const x = this.toX(value);
      context.fillStyle = colour("grid");
      context.fillRect(x, 0, 1, this.bottom + 4);
      context.fillStyle = colour("soft");
      // The first and the last one stay within the canvas.
      const half = context.measureText(text).width / 2 + 1;
      context.fillText(text, Math.max(half, Math.min(x, this.width - half)), this.bottom + 17);
    }
    context.fillText(label, (this.left + this.width) / 2, this.bottom + 31);
  }

  drawName(context, system, index) {
    const top = this.tops[index], height = this.lanes[index] * this.laneHeight;
    context.fillStyle = systemColour(index);
    context.fillRect(this.left - 6, top, 3, height);
    context.fillStyle = colour("text");
    context.textAlign = this.isNarrow ? "left" : "right";
    const room = this.isNarrow ? this.width - 20 : this.left - 14;
    let name = system.name;
    while (name.length > 1 && context.measureText(name).width > room) name = name.slice(0, -2) + "…";
    if (this.isNarrow) context.fillText(name, this.left, top - 5);
    else context.fillText(name, this.left - 12, top + Math.max(height, 12) / 2 + 4);
  }

  place(attempt, index) {
    const y = this.tops[attempt.system] + this.lane[index] * this.laneHeight;
    // Where a row is shared, the later execution is drawn from the end of the earlier one.
    const from = this.toX(Math.min(attempt.end, Math.max(this.begin(attempt), this.free[index])));
    return { y, from, to: Math.max(from + 1, this.toX(attempt.end)), high: Math.max(1, this.laneHeight - 2) };
  }

  drawAttempt(context, attempt, index) {
    const { y, from, to, high } = this.place(attempt, index);
    const waited = this.toX(Math.max(attempt.start, this.free[index]));
    context.fillStyle = colour("t" + Math.max(0, stepNames.indexOf(attempt.step)));
    context.globalAlpha = 0.55;
    if (from - waited > 1) context.fillRect(waited, y + high / 2 - 0.5, from - waited, 1);
    context.globalAlpha = attempt.outcome === "done" ? 1 : 0.35;
    // A gap of a pixel separates neighbours where there is room for it.
    context.fillRect(from, y, Math.max(1, to - from - (to - from > 4 ? 1 : 0)), high);
    context.globalAlpha = 1;
    if (attempt.outcome === "running") context.fillRect(to - 2, y, 2, high);
    if (isFailure(attempt.outcome)) {
      hatch(context, from, y, to - from, high);
      this.drawCross(context, to, y + high / 2);
    }
    if (attempt.isHedge) this.drawDiamond(context, from, y + high / 2);
    if (index === this.selected) {
      context.strokeStyle = colour("text");
      context.lineWidth = 2;
      context.strokeRect(from - 1, y - 1, to - from + 2, high + 2);
    }
  }

  drawCross(context, x, y) {
    context.strokeStyle = colour("bad");
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - 4, y - 4);
    context.lineTo(x + 4, y + 4);
    context.moveTo(x - 4, y + 4);
    context.lineTo(x + 4, y - 4);
    context.stroke();
  }

  drawDiamond(context, x, y) {
    context.fillStyle = colour("text");
    context.beginPath();
    for (const [right, down] of [[0, -5], [5, 0], [0, 5], [-5, 0]]) context.lineTo(x + right, y + down);
    context.fill();
  }

  /** A triangle where a system joined or left during the scan. */
  drawMoments(context) {
    for (const { time, kind, system } of this.moments) {
      if (!isMark({ time, kind, system }, this.seconds)) continue;
      const x = this.toX(time), top = this.tops[system], bottom = top + this.lanes[system] * this.laneHeight;
      context.fillStyle = colour(kind === "left" ? "bad" : "text");
      context.fillRect(x - 0.5, top - 2, 1.5, bottom - top + 2);
      context.beginPath();
      const way = kind === "joined" ? 1 : -1;
      for (const [right, down] of [[0, -2], [7 * way, 2], [0, 6]]) context.lineTo(x + right, top + down);
      context.fill();
    }
  }

  drawLegend() {
    const used = stepNames.filter((step) => this.attempts.some((attempt) => attempt.step === step));
    const entries = used.map((step) => legendEntry(colour("t" + stepNames.indexOf(step)), step));
    const has = (test) => this.attempts.some(test);
    if (has(({ outcome }) => isFailure(outcome))) entries.push(symbolEntry("×", "failed attempt"));
    if (has(({ outcome }) => outcome === "superseded")) {
      entries.push(legendEntry(colour("line"), "pale: superseded by another attempt"));
    }
    if (has(({ outcome }) => outcome === "running")) entries.push(legendEntry(colour("soft"), "pale, with an edge: running"));
    if (has(({ isHedge }) => isHedge)) entries.push(symbolEntry("◆", "hedge: second attempt at a slow task"));
    const marks = this.moments.filter((moment) => isMark(moment, this.seconds)).map(({ kind }) => kind);
    if (marks.includes("left")) entries.push(symbolEntry("◀", "system gone"));
    if (marks.includes("joined")) entries.push(symbolEntry("▶", "system joined"));
    byID("course-legend").replaceChildren(...entries);
  }

  describe(attempt) {
    const rows = [
      ["task", `${attempt.step} ${attempt.task}, attempt ${attempt.number}${attempt.isHedge ? ", hedge" : ""}`],
      ["system", this.systems[attempt.system].name],
    ];
    if (attempt.rect) {
      const [x, y, width, height] = attempt.rect;
      rows.push(["rows", `${whole(y)} to ${whole(y + height - 1)}`], ["columns", `${whole(x)} to ${whole(x + width - 1)}`]);
    }
    rows.push(["handed over at", duration(attempt.start)]);
    if (attempt.seconds !== undefined) rows.push(["execution", duration(attempt.seconds)]);
    if (attempt.outcome !== "running") rows.push(["ended at", duration(attempt.end)]);
    rows.push(["outcome", outcomeWords[attempt.outcome]]);
    if (attempt.reason) rows.push(["reason", attempt.reason]);
    return rows;
  }

  hover(x, y) {
    // The shortest bar under the pointer, with a margin for thin ones.
    let [best, least] = [-1, Infinity];
    this.attempts.forEach((attempt, index) => {
      const bar = this.place(attempt, index);
      if (x < bar.from - 2 || x > bar.to + 2 || y < bar.y - 1 || y > bar.y + bar.high + 1) return;
      if (bar.to - bar.from < least) [best, least] = [index, bar.to - bar.from];
    });
    if (best < 0) this.tip.hidden = true;
    else showTip(this.tip, this.describe(this.attempts[best]), x, y);
  }

  key(event) {
    const way = { ArrowRight: 1, ArrowLeft: -1, Escape: 0 }[event.key];
    if (way === undefined || this.attempts.length === 0) return;
    event.preventDefault();
    const count = this.attempts.length;
    this.selected = way === 0 ? -1 : this.selected < 0 ? (way > 0 ? 0 : count - 1) : (this.selected + way + count) % count;
    this.status.textContent = this.selected < 0
      ? "" : this.describe(this.attempts[this.selected]).map((row) => row.join(" ")).join(" · ");
    this.redraw();
  }
}

function symbolEntry(symbol, text) { return element("span", {}, element("span", { "aria-hidden": "true" }, symbol), text); }
