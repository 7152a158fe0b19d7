"use strict";
// The course of the images of an index: seeing, background, limit and sources against the time of the observation.

/** The folder that all files have in common, with the slash at its end; empty if there is none. */
function commonFolder(files) {
  const folders = files.map((file) => file.slice(0, file.lastIndexOf("/") + 1));
  let common = folders[0] ?? "";
  for (const folder of folders) {
    while (!folder.startsWith(common)) common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  }
  return common;
}

/** The unit of the samples after a space, if all images have the same one. */
function unitOf(images) {
  const units = new Set(images.map(({ unit }) => unit).filter(Boolean));
  return units.size === 1 ? ` ${[...units][0]}` : "";
}

/** Draws the plots of the images that have a value; `address` returns that of an image's page, or null. */
function drawPlots(images, address) {
  const done = images.filter(({ background }) => Number.isFinite(background ?? NaN));
  byID("plots-section").hidden = done.length < 2;
  if (done.length < 2) return;
  const isTimed = ({ observed }) => Number.isFinite(observed ?? NaN);
  const timed = done.filter(isTimed), hasTimes = timed.length > 1, shown = hasTimes ? timed : done;
  const filters = [...new Set(shown.map(({ filter }) => filter ?? "no filter"))].sort();
  const tint = ({ filter }) => systemColour(filters.indexOf(filter ?? "no filter"));
  byID("plots-legend").replaceChildren(...(filters.length > 1 ? filters.map((name, index) => legendEntry(systemColour(index), name)) : []));
  const inArc = shown.some(({ arcsec }) => Number.isFinite(arcsec)), unit = unitOf(shown);
  const plots = [
    { name: "Seeing", label: inArc ? "seeing, arcsec" : "seeing, pix", value: ({ arcsec, seeing }) => (inArc ? arcsec : seeing) },
    { name: "Background", label: `background${unit && ","}${unit}`, value: ({ background }) => background },
    { name: "Limit", label: "limit, mag", value: ({ limit }) => limit },
    { name: "Sources", label: "sources", value: ({ sources }) => sources },
  ];
  const charts = plots.map(({ name, label, value }) => {
    const points = shown.filter((image) => Number.isFinite(value(image) ?? NaN));
    return points.length > 0 ? { name, label, value, points } : null;
  }).filter(Boolean);
  byID("plots").replaceChildren(...charts.map(({ name }) => element("div", { class: "figure", "data-plot": name })));
  for (const one of charts) drawPlot(byID("plots").querySelector(`[data-plot="${one.name}"]`), one, hasTimes, tint, address);
  const left = done.length - shown.length;
  byID("plots-help").textContent = hasTimes
    ? `Against the beginning of the exposure.${left > 0 ? ` ${plural(left, "image")} without DATE-OBS not shown.` : ""} A point leads to its image.`
    : "Against the order of the job, since the headers have no DATE-OBS. A point leads to its image.";
}

function drawPlot(parent, { name, label, value, points }, hasTimes, tint, address) {
  const x = ({ observed, number }) => (hasTimes ? observed : number + 1);
  const range = (values, least) => {
    const low = values.reduce((one, other) => Math.min(one, other)), high = values.reduce((one, other) => Math.max(one, other));
    const margin = Math.max(0.06 * (high - low), least);
    return [low - margin, high + margin];
  };
  const values = points.map(value), size = Math.max(...values.map(Math.abs));
  chart(parent, {
    x: range(points.map(x), hasTimes ? 30 : 0.5), y: range(values, 0.004 * size || 0.5), height: 170,
    xLabel: "image of the job", yLabel: label, began: hasTimes ? 0 : undefined,
    label: `${name} of ${plural(points.length, "image")}, from ${digits(Math.min(...values))} to ${digits(Math.max(...values))}`,
  }, (svg, toX, toY) => {
    for (const image of points) {
      const at = hasTimes ? `${observedText(image)} UTC` : `image ${image.number + 1}`;
      const dot = shape("circle", { cx: toX(x(image)), cy: toY(value(image)), r: 3, fill: tint(image) },
        shape("title", {}, `${image.file}${image.extname ? ` ${image.extname}` : ""}\n${at}: ${digits(value(image), 4)}`));
      const href = address(image);
      // The table has the same links for the keyboard.
      svg.append(href === null ? dot : shape("a", { href, tabindex: -1 }, dot));
    }
  });
}
