/* SPDX-License-Identifier: MIT */
/* All algorithms at one point, the fastest first, and how many times the lower bound each takes. */
"use strict";

const ranking = {
  /* The track of a row: a bar for the measured time, a tick for the predicted one, a line at the bound. */
  bar(row, most) {
    const percent = (ns) => (100 * ns) / most;
    const svg = dom.svg("svg", { width: "100%", height: 18, "aria-hidden": "true" });
    const time = records.time(row);
    if (time !== null)
      svg.append(
        dom.svg("rect", {
          x: 0,
          y: 4,
          height: 10,
          rx: 2,
          width: `${percent(time)}%`,
          style: `fill: var(--accent); opacity: ${row.median === null ? 0.35 : 0.75}`,
        }),
      );
    if (row.predicted !== null)
      svg.append(
        dom.svg("line", {
          x1: `${percent(row.predicted)}%`,
          x2: `${percent(row.predicted)}%`,
          y1: 1,
          y2: 17,
          style: "stroke: var(--ink); stroke-width: 2",
        }),
      );
    if (row.least !== null)
      svg.append(
        dom.svg("line", {
          x1: `${percent(row.least)}%`,
          x2: `${percent(row.least)}%`,
          y1: 0,
          y2: 18,
          style: "stroke: var(--path); stroke-width: 1.5; stroke-dasharray: 2 2",
        }),
      );
    return svg;
  },

  csv(rows) {
    return [
      [
        "algorithm",
        "k",
        "window",
        "block",
        "predicted_ns",
        "certainty",
        "median_ns",
        "lower_bound_ns",
        "undisturbed_median_ns",
        "disturbed",
        "runs",
      ],
      ...rows.map((row) => [
        row.name,
        row.record.k,
        row.record.window,
        row.record.block,
        row.predicted,
        row.certainty,
        row.median,
        row.least,
        row.undisturbed,
        row.disturbed,
        row.record.runs ?? row.record.reps,
      ]),
    ];
  },

  show(rows) {
    const most =
      Math.max(...rows.map((row) => Math.max(row.median ?? 0, row.predicted ?? 0)), 1) * 1.02;
    const unit = format.usual(rows.map(records.time));
    const { least } = rows[0];
    const cell = (text, cls) => dom.html("td", { class: cls }, text);
    const measured = rows.some((row) => row.median !== null);
    const emulated = measured && rows[0].record.clock !== "wall";
    const marked = rows.some((row) => row.disturbed !== null);
    const busy = rows.filter((row) => row.tooBusy).map((row) => row.name);
    dom.by("ranking-note").textContent =
      (records.points.length > 1
        ? `At ${records.points.find((point) => point.rows === rows).label}. `
        : "") +
      (emulated ? "Bars are emulated times, ticks predictions." : "Bars are medians, ticks predictions.") +
      (least !== null
        ? ` No algorithm can take less than ${format.time(least)}, the dotted line.`
        : "") +
      (marked ? " In a disturbed run a core was away; measured has all runs." : "") +
      (busy.length > 0
        ? ` The host was too busy: fewer than a third of the runs of ${busy.join(", ")} were undisturbed.`
        : "");
    dom
      .by("ranking-table")
      .replaceChildren(
        dom.html(
          "thead",
          {},
          dom.html(
            "tr",
            {},
            ...[
              "Algorithm",
              `Predicted, ${unit.name}`,
              `${emulated ? "Emulated" : "Measured"}, ${unit.name}`,
              ...(marked ? [`Undisturbed, ${unit.name}`, "Disturbed"] : []),
              "x bound",
            ].map((t) => dom.html("th", { scope: "col" }, t)),
            dom.html("th", { class: "bar left", scope: "col" }, "Time"),
          ),
        ),
        dom.html(
          "tbody",
          {},
          ...rows.map((row, i) =>
            dom.html(
              "tr",
              { class: i === 0 && rows.length > 1 ? "best" : null },
              dom.html("th", { scope: "row" }, row.name + ranking.knobs(row.record)),
              cell(
                (row.certainty === "bound" ? "≤ " : row.certainty === "lower-bound" ? "≥ " : "") +
                  format.cell(row.predicted, unit),
              ),
              row.verified === false
                ? cell("wrong result", "wrong")
                : cell(format.cell(row.median, unit)),
              ...(marked
                ? [
                    cell(format.cell(row.undisturbed, unit)),
                    cell(row.disturbed === null ? "–" : `${row.disturbed} of ${row.record.reps}`),
                  ]
                : []),
              cell(row.ofBest === null ? "–" : row.ofBest.toFixed(3)),
              dom.html("td", { class: "bar" }, ranking.bar(row, most)),
            ),
          ),
        ),
      );
  },

  knobs(r) {
    const set = ["k", "window", "block"]
      .filter((key) => r[key] != null)
      .map((key) => `${key} ${r[key]}`);
    return set.length > 0 ? ` (${set.join(", ")})` : "";
  },
};
