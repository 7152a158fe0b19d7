"use strict";
// The page of a farm or a node with tasks of any type. Each update has the whole state except the log, of which it has only
// the new lines.

class TaskPage extends StatusPage {
  constructor() { super("process"); }

  done(update) { return update.state.done; }

  get unit() { return this.update.state.unit; }

  drawAll() {
    if (!this.process) return;
    const { process, update, update: { state } } = this;
    const slots = state.systems.reduce((sum, system) => sum + system.slots, 0);
    document.title = `${process.name} · Skyfarm`;
    byID("name").textContent = process.name;
    byID("facts").textContent = [process.software, process.address && `at ${process.address}`].filter(Boolean).join(" ");
    if (byID("now").textContent !== state.now) byID("now").textContent = state.now;
    const units = state.unit === "item" ? "Items" : "Tasks", hasItems = state.planned !== undefined;
    const all = hasItems ? ` of ${whole(state.planned)}` : "";
    const figures = [
      ["Up", duration(this.seconds)], ["Systems", whole(state.systems.length)],
      ["Running", `${whole(state.running)} of ${whole(slots)}`], [`${units} done`, `${whole(state.done)}${all}`],
      [`${units}/s`, digits(state.rate), "over the last 10 seconds"], ["Failed", whole(state.failed)],
    ];
    const waiting = hasItems && update.end ? "Not run" : "Waiting";
    if (hasItems || process.role === "node") figures.splice(3, 0, [waiting, whole(state.waiting)]);
    byID("types-title").textContent = `${units} by type`;
    byID("rate-title").textContent = `${units} done since this page was opened`;
    if (state.recorded > 0) figures.push(["From the journal", whole(state.recorded)]);
    fillFigures(figures);
    // Items wait on a system behind others of their task.
    const heads = ["Name", "State", "Running", ...(hasItems ? ["Waiting there"] : []), "Done"];
    this.fill("systems", heads, state.systems.map((system) => [
      system.isLocal ? `${system.name} (this process)` : system.name, system.state,
      `${whole(system.running)} of ${whole(system.slots)}`, ...(hasItems ? [whole(system.scheduled)] : []),
      whole(system.done),
    ]), hasItems ? [2, 3, 4] : [2, 3], "No system takes tasks now.");
    this.fill("types", ["Type", "Running", "Done", "Failed", "Tried again", "From the journal", "Mean time"],
      state.types.map((type) => [
        type.name, process.role === "node" ? "–" : whole(type.running), whole(type.done), whole(type.failed),
        whole(type.retried), whole(type.recorded), type.seconds === undefined ? "–" : duration(type.seconds),
      ]), [1, 2, 3, 4, 5, 6], "There was no task yet.");
    byID("work").hidden = state.progress.length === 0;
    this.fill("progress", ["Task", "Done", "It does now"],
      state.progress.map(({ about, fraction, message }) => [about, `${Math.floor(100 * fraction)} %`, message]), [1], "");
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
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new TaskPage();
follow((update) => page.take(update), "program");
