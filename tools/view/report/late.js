/* SPDX-License-Identifier: MIT */
/* The run on the stage: the part of its events that was at most this late. Drawn by dygraphs. */
"use strict";

const late = {
  graph: null,

  csv() {
    const all = stage.whole.run.lateness(stage.whole.prediction);
    return [
      ["late_ns", "events_percent"],
      ...Array.from(all, (ns, i) => [ns, (100 * (i + 1)) / all.length]),
    ];
  },

  show() {
    const { run, prediction } = stage.whole;
    if (late.graph) late.graph.destroy();
    late.graph = null;
    dom.by("late-part").hidden = !run || !prediction || run.source !== "wall";
    if (dom.by("late-part").hidden) return;
    const all = run.lateness(prediction);
    dom.by("late-part").hidden = all.length < 12;
    if (all.length < 12) return;
    const at = (part) => all[Math.min(all.length - 1, Math.floor(part * all.length))];
    const power = (ns) =>
      Math.log10(Math.max(ns, 1)); /* events that are early, or on time, are at the left end */
    const steps = Math.min(all.length, 400);
    const rows = [];
    for (let k = 0; k <= steps; k++) rows.push([power(at(k / steps)), (100 * k) / steps]);
    dom.by("late-note").textContent =
      `Of ${format.plain(all.length, 0)} sends, receives and computations of the run, half ended at most ${format.time(at(0.5))} after their prediction,${all.length >= 100 ? ` 99 % at most ${format.time(at(0.99))},` : ""} the latest ${format.time(all[all.length - 1])}.`;
    late.graph = new Dygraph(dom.by("late"), rows, {
      labels: ["late", "events"],
      colors: [theme.color("mark")],
      strokeWidth: 2,
      stepPlot: true,
      fillGraph: true,
      fillAlpha: 0.12,
      legend: "never",
      xlabel: "late by",
      ylabel: "events, %",
      interactionModel: {},
      gridLineColor: theme.color("line"),
      axisLineColor: theme.color("strong"),
      valueRange: [0, 102],
      xRangePad: 6,
      highlightCircleSize: 4,
      axes: {
        x: {
          drawGrid: false,
          axisLabelWidth: 64,
          ticker: (low, high, pixels) =>
            format
              .powers(10 ** Math.max(0, low), 10 ** high, pixels / 80)
              .map((ns) => ({ v: Math.log10(ns), label: format.tick(ns) })),
        },
        y: {
          axisLabelWidth: 40,
          ticker: () => [0, 25, 50, 75, 100].map((v) => ({ v, label: `${v}` })),
        },
      },
    });
    save.graphs.set(dom.by("late"), late.graph);
  },
};
