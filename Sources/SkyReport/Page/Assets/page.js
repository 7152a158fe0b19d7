"use strict";
// The page of a scan: a report draws the snapshot embedded in it, the live page the updates from its server.

class ScanPage {
  constructor() {
    this.state = new ScanState();
    this.draw = onFrame(() => this.drawAll());
  }

  take(update) {
    const { state } = this;
    const { total, summary } = state;
    state.take(update);
    if (!this.sky) this.begin();
    if (update.scan || state.total !== total || state.summary !== summary) this.showSources();
    if (state.preview) {
      Object.assign(this.image, state.preview);
      if (!this.picture.hasAttribute("src")) this.picture.src = this.picture.dataset.picture ?? "preview.png";
    }
    if (state.end && !this.hasEnded) this.end();
    this.draw();
  }

  begin() {
    const { scan } = this.state;
    this.image = { name: scan.image, width: scan.width, height: scan.height, unit: scan.unit, factor: 1 };
    if (scan.sky) this.image.grid = new SkyGrid(scan.sky, scan.width, scan.height);
    document.title = `${scan.image} · Skyfarm`;
    byID("name").textContent = scan.image;
    byID("facts").textContent =
      `${whole(scan.width)} × ${whole(scan.height)} pixels, scan begun ${instant(scan.began)} by ${scan.software}`;
    byID("command").textContent = `cd ${scan.folder}\n${scan.command}`;
    this.picture = byID("picture");
    this.state.shownCatalogue = this.state.catalogue();
    this.map = new SectorMap({ sectors: [], systems: [], image: this.image });
    this.sky = new Sky(this.image, this.state.shownCatalogue, this.picture, this.map);
    this.course = new Course({ systems: [], attempts: [], seconds: 0, moments: [], began: this.state.began });
    this.listen();
    this.sky.resize();
    this.sky.fit();
  }

  listen() {
    const { sky, map } = this;
    const resize = onFrame(() => {
      sky.resize();
      if (sky.isFitted) sky.fit();
      this.drawAll();
    });
    new ResizeObserver(resize).observe(document.body);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", resize);
    this.picture.addEventListener("load", () => sky.setStretch(byID("stretch").value));
    const choose = (name, take) => byID(name).addEventListener("change", ({ target }) => { take(target.value); this.draw(); });
    choose("marks", (value) => { sky.marks = value; });
    choose("overlay", (value) => { sky.overlay = value; });
    choose("sector-mode", (value) => { map.mode = value; });
    choose("stretch", (value) => sky.setStretch(value));
    choose("goto", (value) => {
      if (value && !sky.goTo(Number(value))) byID("sky-status").textContent = `This page has no source ${value}.`;
    });
    byID("copy").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(byID("command").textContent);
        byID("copy").textContent = "Copied";
      } catch {
        // Pages from files or over plain HTTP have no clipboard: the text is selected instead.
        getSelection().selectAllChildren(byID("command"));
      }
    });
    byID("download").addEventListener("click", () => this.download());
    // The clock runs between updates.
    setInterval(() => {
      if (!this.state.end && !document.hidden && !document.body.dataset.lost) this.draw();
    }, 1000);
  }

  showSources() {
    const { state, sky } = this;
    state.shownCatalogue = state.catalogue();
    sky.catalogue = state.shownCatalogue;
    sky.visited = new Int32Array(sky.catalogue.count);
    sky.inView = sky.visited.subarray(0, 0);
    if (sky.selected >= sky.catalogue.count || state.end) sky.selected = -1;
  }

  /** Shows what is known only at the end. */
  end() {
    const { state, sky, map } = this;
    const { summary } = state;
    this.hasEnded = true;
    byID("sky-status").setAttribute("aria-live", "polite");
    if (!summary) return;
    for (const section of document.querySelectorAll(".ended")) section.hidden = false;
    for (const id of ["goto-label", "download", "download-text"]) byID(id).hidden = false;
    if (sky.overlay === "state") sky.overlay = byID("overlay").value = "none";
    if (map.mode === "state") map.mode = byID("sector-mode").value = "system";
    fillFlags(sky.catalogue, sky.redraw);
    fillTable(
      byID("parameters"), ["Name", "Value", "Meaning"],
      summary.parameters.map(({ key, value, meaning }) => [key, value, meaning]));
    const { count, total, columns } = summary.sources, warnings = [];
    byID("download-text").textContent = `The CSV file has ${count < total ? `the ${whole(count)} brightest sources` : "all sources"} ` +
      `with columns ${columns.map(({ name }) => name).join(", ")}; “flags” has the bits of all flags. ` +
      "The catalogue that the scan wrote has all columns.";
    if (summary.missing.length > 0) {
      warnings.push(`The catalogue is partial: ${plural(summary.missing.length, "sector")} could not be scanned. See “Events”.`);
    }
    if (count < total) {
      warnings.push(`This page shows the ${whole(count)} brightest of ${whole(total)} sources; the histograms count all.`);
    }
    if (total === 0) warnings.push("No source was found.");
    const lines = (texts) => texts.map((text) => element("p", { class: "warning" }, text));
    byID("warnings").replaceChildren(...lines(warnings));
    byID("missing").replaceChildren(...lines(summary.missing));
  }

  drawAll() {
    const { state, course, map, sky } = this;
    const { seconds, systems, moments, summary } = state;
    const selected = course.attempts[course.selected]?.index;
    const attempts = state.course();
    Object.assign(course, { systems, moments, seconds, attempts });
    course.selected = selected === undefined ? -1 : attempts.findIndex(({ index }) => index === selected);
    course.assignLanes();
    const { step, sectors } = state.sectors();
    Object.assign(map, { sectors, systems });
    this.drawHeader();
    this.drawSystems();
    fillGrowingLog(byID("log"), moments, state.firstMoment + moments.length, state.began);
    course.redraw();
    map.draw();
    if (sky.overlay === "none") byID("overlay-legend").replaceChildren();
    else map.drawLegend(byID("overlay-legend"), sky.overlay);
    sky.redraw();
    drawThroughput(byID("throughput"), { throughput: state.throughput(), seconds, moments, systems, began: state.began });
    const marks = moments.filter((moment) => isMark(moment, seconds)).map(({ kind }) => kind);
    byID("throughput-legend").replaceChildren(
      ...systems.map((system, index) => legendEntry(systemColour(index), system.name)),
      ...(marks.includes("left") ? [symbolEntry("▼", "system gone")] : []),
      ...(marks.includes("joined") ? [symbolEntry("▲", "system joined")] : []));
    if (summary) {
      const { zeroPoint } = state.end.quality ?? {};
      const scale = zeroPoint ? `magnitude, zero point ${zeroPoint.keyword}` : "instrumental magnitude, −2.5 log flux_auto";
      drawHistogram(byID("magnitudes"), summary.magnitudes, scale, "Magnitudes", zeroPoint?.value ?? 0);
      drawHistogram(byID("sizes"), summary.sizes, "half-flux radius in pixels", "Sizes");
    }
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
    const now = byID("now");
    if (now.textContent !== state.now) now.textContent = state.now;
    byID("progress").hidden = state.end !== null;
    byID("progress").value = tasks ? done / tasks : 0;
    fillFigures([...this.qualityFigures(), ...this.observationFigures()]);
    const tallies = state.tallies(), sum = (name) => tallies.reduce((sum, tally) => sum + tally[name], 0);
    const figures = state.end ? this.finalFigures(sum) : [
      ["Step", step || "–"], ["Tasks", `${whole(done)} of ${whole(tasks)}`], ["Time", duration(state.seconds)],
      ["Rate", quantity(state.rate()) + "pix/s", "Cost of tasks in the last 15 seconds; a pixel counts in each step"],
    ];
    const present = state.systems.filter(({ isPresent }) => isPresent).length, { length } = state.systems;
    figures.push(["Systems", state.end || present === length ? whole(length) : `${present} of ${length}`]);
    if (sum("failed") > 0) figures.push(["Failed attempts", whole(sum("failed"))]);
    if (sum("hedges") > 0) figures.push(["Hedges", whole(sum("hedges")), "Second attempts at slow tasks"]);
    if (state.resumedTasks > 0) figures.push(["From the journal", plural(state.resumedTasks, "task")]);
    fillFigures(figures, "work");
  }

  /** The quality of the image, as far as it is known, and the number of sources. */
  qualityFigures() {
    const { end, total, scan: { unit } } = this.state;
    const figures = [], { seeing, pixelScale, pointSources, ellipticity, background, noise, limit, zeroPoint } = end?.quality ?? {};
    const points = `Of ${plural(pointSources ?? 0, "point source")}`;
    if (seeing !== undefined) {
      const pixels = `${digits(seeing)} pix`;
      figures.push(["Seeing", pixelScale === undefined ? pixels : `${(seeing * pixelScale).toFixed(2)}″, ${pixels}`,
        `Median full width at half maximum. ${points}`]);
    }
    if (ellipticity !== undefined) figures.push(["Ellipticity", ellipticity.toFixed(3), `Median of 1 − b/a. ${points}`]);
    if (background !== undefined) figures.push(["Background", `${minus(digits(background, 4))} ${unit}`, "Median"]);
    if (noise !== undefined) figures.push(["Noise", `${digits(noise)} ${unit}`, "Median"]);
    if (limit !== undefined) figures.push(["Limit", `${minus(limit.value.toFixed(2))} mag`, "Of 5 times the noise in the circle of flux_aper"]);
    if (zeroPoint !== undefined) figures.push(["Zero point", `${minus(zeroPoint.value.toFixed(2))} mag`, `Keyword ${zeroPoint.keyword}`]);
    figures.push([end ? "Sources" : "Sources so far", whole(total)]);
    return figures;
  }

  /** How the image was taken, as far as its header tells. */
  observationFigures() {
    const { object, filter, exposure, date, time, airmass } = this.state.scan.observation ?? {}, figures = [];
    if (object !== undefined) figures.push(["Object", object, "OBJECT"]);
    if (filter !== undefined) figures.push(["Filter", filter]);
    if (exposure !== undefined) figures.push(["Exposure", `${+exposure.toPrecision(6)} s`]);
    if (date !== undefined || time !== undefined) figures.push([time === undefined ? "Date" : "Date, UTC", observedText({ observed: time, date }), date === undefined ? "MJD-OBS" : `DATE-OBS: ${date}`]);
    if (airmass !== undefined) figures.push(["Airmass", airmass.toFixed(3)]);
    return figures;
  }

  finalFigures(sum) {
    const { state } = this;
    const { width, height } = state.scan;
    const figures = [["Time", duration(state.seconds)]];
    // Results from the journal took no time in this run.
    if (state.resumedTasks === 0 && state.summary) {
      figures.push(["Mean rate", quantity(width * height / (state.seconds || 1)) + "pix/s", "Pixels of the image per second"]);
    }
    figures.push(["Tasks", whole(sum("done"))]);
    if (state.end.speedUp) {
      const { factor, over } = state.end.speedUp;
      const name = over === "local" ? "the coordinator's machine" : over;
      figures.push(["Speed-up", factor + " ×", `Times as fast as ${name} alone`]);
    }
    return figures;
  }

  drawSystems() {
    const { state } = this;
    const heads = ["System", "State", "Slots", "Running", "Waiting", "Done", "Failed", "Busy"];
    const rows = state.tallies().map(({ done, failed, seconds }, index) => {
      const { name, slots, isPresent } = state.systems[index];
      return [
        name, isPresent ? "up" : "✕ gone", whole(slots), whole(state.running[index] ?? 0),
        whole(state.queued[index] ?? 0), whole(done), whole(failed),
        Math.min(100, Math.round(100 * seconds / ((state.seconds || 1) * slots))) + " %",
      ];
    });
    const columns = heads.map((_, index) => index).filter((index) => !state.end || ![1, 3, 4].includes(index));
    fillTable(
      byID("systems"), columns.map((index) => heads[index]), rows.map((row) => columns.map((index) => row[index])),
      columns.flatMap((index, place) => (index > 1 ? [place] : [])));
    byID("systems").querySelectorAll("tbody tr").forEach((row, index) =>
      row.classList.toggle("gone", !state.systems[index].isPresent && !state.end));
  }

  /** Saves the sources of this page as CSV. */
  download() {
    const link = element("a", { download: this.image.name.split("/").pop() + ".sources.csv" });
    link.href = URL.createObjectURL(new Blob([this.sky.catalogue.csv()], { type: "text/csv" }));
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function fillFlags(catalogue, changed) {
  const { flagWords } = catalogue, counts = new Map([[0, 0], ...[...flagWords.keys()].map((bit) => [bit, 0])]);
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

window.addEventListener("error", ({ message }) => { document.body.dataset.error = message; });
const page = new ScanPage();
if (byID("snapshot")) page.take(JSON.parse(byID("snapshot").textContent));
else follow((update) => page.take(update));
