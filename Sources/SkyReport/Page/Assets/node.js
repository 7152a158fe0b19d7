"use strict";
// The page of a node. Each update contains the whole state except the log, of which it has only the new lines.

class NodePage extends StatusPage {
  constructor() { super("node"); }

  done(update) { return update.done; }

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
    this.fill(
      "coordinators", ["Name", "Address", "Jobs", "In flight", "Done", "Cancelled"],
      update.coordinators.map(({ name, address, jobs, inFlight, done, cancelled }) =>
        [name, address, whole(jobs), whole(inFlight), whole(done), whole(cancelled)]), [2, 3, 4, 5],
      "No coordinator is connected.");
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
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new NodePage();
follow((update) => page.take(update), "node");
