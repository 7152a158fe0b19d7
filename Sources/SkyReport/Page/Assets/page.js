"use strict";
// Puts the page together from its data.

function fillHeader(data) {
  byID("name").textContent = data.image.name;
  const began = data.began.replace("T", " ").replace("Z", " UTC");
  byID("facts").textContent =
    `${whole(data.image.width)} × ${whole(data.image.height)} pixels, scanned ${began} by ${data.software}`;
  const pixels = data.image.width * data.image.height;
  const done = data.systems.reduce((sum, system) => sum + system.tasks, 0);
  const busy = data.systems.reduce((sum, system) => sum + system.seconds, 0);
  const futile = data.systems.reduce((sum, system) => sum + system.futile, 0);
  const figures = [["Sources", whole(data.sources.total)], ["Time", duration(data.seconds)]];
  // What an earlier run did says nothing of this run's rate.
  if (data.resumedTasks === 0) figures.push(["Rate", quantity(pixels / data.seconds) + "pix/s"]);
  figures.push(
    ["Systems", whole(data.systems.length)], ["Tasks", whole(done)],
    ["Speed-up", (busy / data.seconds).toFixed(2) + " ×", "Seconds of scanning in each second of the scan"]);
  if (futile > 0) figures.push(["Attempts in vain", whole(futile)]);
  if (data.resumedTasks > 0) figures.push(["From the journal", plural(data.resumedTasks, "task")]);
  fillFigures(figures);
}

function fillWarnings(data) {
  const warnings = [];
  if (data.missing.length > 0) {
    warnings.push(`The catalogue is partial: ${plural(data.missing.length, "sector")} could not be scanned. See “Faults and events”.`);
  }
  if (data.sources.count < data.sources.total) {
    warnings.push(`This page shows the ${whole(data.sources.count)} brightest of ${whole(data.sources.total)} sources; the histograms count all.`);
  }
  if (data.sources.total === 0) warnings.push("No source was found.");
  byID("warnings").replaceChildren(...warnings.map((text) => element("p", { class: "warning" }, text)));
}

function fillFlags(catalogue, changed) {
  const counts = new Map([[0, 0], ...[...flagWords.keys()].map((bit) => [bit, 0])]);
  for (const flags of catalogue.flags) {
    if (flags === 0) counts.set(0, counts.get(0) + 1);
    else for (const bit of flagWords.keys()) if (flags & bit) counts.set(bit, counts.get(bit) + 1);
  }
  const boxes = new Map();
  const update = () => {
    const hidden = [...boxes].reduce((bits, [bit, box]) => (box.checked ? bits : bits | bit), 0);
    catalogue.show(hidden, !boxes.has(0) || boxes.get(0).checked);
    changed();
  };
  for (const [bit, count] of counts) {
    if (count === 0) continue;
    const box = element("input", { type: "checkbox", checked: "" });
    box.addEventListener("change", update);
    boxes.set(bit, box);
    byID("flags").append(element("label", {}, box, ` ${flagWords.get(bit) ?? "without flags"} (${whole(count)})`));
  }
  byID("flags").hidden = boxes.size === 0;
}

function fillTables(data) {
  fillTable(
    byID("systems"), ["System", "Slots", "Tasks", "In vain", "Scanning", "Busy"],
    data.systems.map((system) => [
      system.name, whole(system.slots), whole(system.tasks), whole(system.futile), duration(system.seconds),
      Math.round(100 * system.seconds / (data.seconds * system.slots)) + " %",
    ]), [1, 2, 3, 4, 5]);
  fillTable(
    byID("parameters"), ["Name", "Value", "Meaning"],
    data.parameters.map(({ key, value, meaning }) => [key, value, meaning]));
}

function fillLog(data) {
  byID("missing").replaceChildren(...data.missing.map((text) => element("p", { class: "warning" }, text)));
  fillLogList(byID("log"), data.moments);
}

function fillCommand(data) {
  const text = `cd ${data.folder}\n${data.command}`;
  byID("command").textContent = text;
  byID("outputs").textContent = `It wrote ${data.outputs.map((name) => (name === "-" ? "standard output" : name)).join(", ")}.`;
  byID("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      byID("copy").textContent = "Copied";
    } catch {
      // A page of a file may not use the clipboard: the text is selected instead.
      getSelection().selectAllChildren(byID("command"));
    }
  });
}

function start() {
  const data = JSON.parse(byID("data").textContent);
  fillHeader(data);
  fillWarnings(data);
  fillTables(data);
  fillLog(data);
  fillCommand(data);
  const catalogue = new Catalogue(data.sources, data.image.width, data.image.height);
  const map = new SectorMap(data);
  const sky = new Sky(data, catalogue, byID("picture"), map);
  const course = new Course(data);
  fillFlags(catalogue, sky.redraw);

  byID("marks").addEventListener("change", ({ target }) => { sky.marks = target.value; sky.redraw(); });
  byID("overlay").addEventListener("change", ({ target }) => { sky.overlay = target.value; sky.redraw(); });
  byID("goto").addEventListener("change", ({ target }) => {
    if (target.value && !sky.goTo(Number(target.value))) byID("sky-status").textContent = `There is no source ${target.value} in this page.`;
  });
  byID("sector-mode").addEventListener("change", ({ target }) => { map.mode = target.value; map.draw(); });

  const figures = () => {
    sky.resize();
    if (sky.isFitted) sky.fit(); else sky.redraw();
    course.redraw();
    map.draw();
    drawThroughput(byID("throughput"), data);
    byID("throughput-legend").replaceChildren(
      ...data.systems.map((system, index) => legendEntry(systemColour(index), system.name)));
    drawHistogram(byID("magnitudes"), data.magnitudes, "instrumental magnitude, −2.5 log flux_auto", "Magnitudes");
    drawHistogram(byID("sizes"), data.sizes, "half-flux radius in pixels", "Sizes");
  };
  const again = onFrame(figures);
  new ResizeObserver(again).observe(document.body);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  byID("picture").decode().catch(() => {}).then(() => { figures(); document.body.dataset.ready = String(catalogue.count); });
}

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
start();
