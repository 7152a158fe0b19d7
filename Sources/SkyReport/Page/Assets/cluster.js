"use strict";
// Nodes, jobs, history and failed tasks of the cluster, on the page of a node.

function drawCluster(cluster, began) {
  fillTable(
    byID("nodes"), ["Name", "State", "Running", "Waiting", "Tasks/s", "Done", "Version", "Address"],
    cluster.nodes.map((node) => [
      node.name, node.now, `${whole(node.running)} of ${whole(node.slots)}`, whole(node.queued),
      node.rate === undefined ? "–" : digits(node.rate), whole(node.done), node.software, node.address,
    ]), [2, 3, 4, 5]);
  if (cluster.nodes.length === 0) addEmptyRow("nodes", 8, "No node has answered yet.");
  fillTable(
    byID("jobs"), ["ID", "State", "Node", "Submitted by", "Age", "Done", "Time left", "Command"],
    cluster.jobs.map((job) => [
      job.id, job.state, job.node ?? "–", job.from ?? "–", duration(job.ageSeconds),
      job.share === undefined ? job.done ?? "–" : `${Math.floor(100 * job.share)} %, ${job.done}`,
      job.secondsLeft === undefined ? "–" : duration(job.secondsLeft), job.command,
    ]), [4, 5, 6]);
  if (cluster.jobs.length === 0) addEmptyRow("jobs", 8, "No job was submitted.");
  drawDay(cluster.history, began);
  byID("failures").replaceChildren(...(cluster.failures.length === 0
    ? [element("li", {}, "No task has failed.")]
    : cluster.failures.map(({ about, text, log }) => element("li", {},
      element("b", {}, about), ` ${text}`, ...log.map((line) => element("pre", {}, line))))));
}

function addEmptyRow(table, columns, text) {
  byID(table).tBodies[0].append(element("tr", {}, element("td", { colspan: `${columns}` }, text)));
}

/** Tasks done in each interval, stacked by node. */
function drawDay({ start, interval, nodes }, began) {
  const bins = Math.max(1, ...nodes.map(({ counts }) => counts.length));
  const totals = Array.from({ length: bins }, (_, bin) => nodes.reduce((sum, { counts }) => sum + (counts[bin] ?? 0), 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  // At least an hour, so that a single interval is no wall.
  const end = start + bins * interval;
  byID("day-legend").replaceChildren(...nodes.map(({ name }, index) => legendEntry(systemColour(index), name)));
  chart(byID("day"), {
    x: [Math.min(start, end - 3600), end], y: [0, Math.max(1, ...totals) * 1.05], began, yLabel: `tasks in ${Math.round(interval / 60)} min`, counts: true, height: 200,
    label: `${plural(all, "task")} done by ${plural(nodes.length, "node")}`,
  }, (svg, toX, toY) => {
    const below = new Array(bins).fill(0);
    nodes.forEach(({ name, counts }, index) => {
      counts.forEach((count, bin) => {
        if (count === 0) return;
        const [from, to] = [bin, bin + 1].map((edge) => toX(start + edge * interval));
        const [low, high] = [toY(below[bin]), toY(below[bin] + count)];
        svg.append(shape("rect", {
          x: from, width: Math.max(1, to - from - 0.5), y: high, height: Math.max(0, low - high), fill: systemColour(index),
        }, shape("title", {}, `${name}: ${plural(count, "task")}`)));
        below[bin] += count;
      });
    });
  });
}
