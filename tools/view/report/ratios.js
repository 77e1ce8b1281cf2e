/* SPDX-License-Identifier: MIT */
/* The distances of measured times from predicted ones at a point, with their error bars. */
"use strict";

const ratios = {
  /* The end of the axis: it includes all values, except a few that are far beyond the others. */
  reach(ends) {
    const sorted = ends.toSorted((a, b) => a - b);
    const usual = 4 * sorted[(sorted.length - 1) >> 1];
    return Math.max(
      1e-4,
      sorted[sorted.length - 1] > 2 * usual ? usual : sorted[sorted.length - 1],
    );
  },

  csv(rows) {
    return [
      [
        "algorithm",
        "predicted_ns",
        "min_ns",
        "low_ns",
        "median_ns",
        "high_ns",
        "p90_ns",
        "ratio",
        "undisturbed_median_ns",
      ],
      ...rows.map((row) => [
        row.name,
        row.predicted,
        row.sample?.min,
        row.interval?.low,
        row.median,
        row.interval?.high,
        row.p90,
        row.ratio,
        row.undisturbed,
      ]),
    ];
  },

  show(rows) {
    const known = rows.filter((row) => row.ratio !== null && row.sample);
    const note = dom.by("ratios-note");
    if (known.length === 0) {
      note.textContent = rows.some((row) => row.sample)
        ? "No algorithm here has a prediction to compare with."
        : "Nothing was measured.";
      dom.by("ratios").replaceChildren();
      return;
    }
    const off = (row, ns) => ns / row.predicted - 1;
    const wall = known[0].record.clock === "wall";
    const at =
      records.points.length > 1
        ? `At ${records.points.find((point) => point.rows === rows).label}. `
        : "";
    if (
      !wall &&
      known.every((row) => row.sample.min === row.predicted && row.sample.max === row.predicted)
    ) {
      note.textContent = `${at}On the virtual clock each algorithm takes exactly what is predicted, to the nanosecond.`;
      dom.by("ratios").replaceChildren();
      return;
    }
    note.textContent =
      at +
      (wall
        ? "Dot: the median. Thick: its 95 % interval. Thin: from the fastest run to the 90th percentile. Ring: the median of the undisturbed runs. The line at 0 is the prediction."
        : "The virtual clock is deterministic: a dot at 0 equals the prediction to the nanosecond.");
    const far = ratios.reach(known.map((row) => off(row, row.p90)));
    const near = Math.min(...known.map((row) => off(row, row.sample.min)), 0);
    const low = near - 0.02 * (far - near),
      high = far + 0.04 * (far - near);
    const x = (value) => (100 * (value - low)) / (high - low);
    const ticks = format
      .ticks(low, high, 4)
      .map((at) => ({
        at,
        label: Math.abs(at) < 1e-12 ? "predicted" : format.percent(at),
        strong: Math.abs(at) < 1e-12,
      }));
    spread.show(
      dom.by("ratios"),
      known.map((row) => ({
        name: row.name,
        values: [format.percent(row.ratio - 1)],
        say:
          `median ${format.time(row.median)}, predicted ${format.time(row.predicted)}, ${format.percent(row.ratio - 1)}` +
          (wall
            ? `; 95 % interval ${format.time(row.interval.low)} to ${format.time(row.interval.high)}; 90th percentile ${format.time(row.p90)}` +
              (row.undisturbed === null
                ? "; no run was undisturbed"
                : `; undisturbed median ${format.time(row.undisturbed)}`)
            : ""),
        draw(svg) {
          const color = "var(--accent)";
          const end = (ns) => Math.min(x(off(row, ns)), 100);
          spread.whisker(svg, end(row.sample.min), end(row.p90), color, 1.5);
          spread.cap(svg, end(row.sample.min), color);
          if (end(row.p90) < 100) spread.cap(svg, end(row.p90), color);
          else spread.beyond(svg, format.percent(off(row, row.p90)), color);
          spread.whisker(svg, end(row.interval.low), end(row.interval.high), color, 6);
          if (x(off(row, row.median)) <= 100) spread.dot(svg, x(off(row, row.median)), color);
          if (row.undisturbed !== null && x(off(row, row.undisturbed)) <= 100)
            spread.ring(svg, x(off(row, row.undisturbed)), "var(--ink)");
        },
      })),
      ticks,
      x,
      ["median"],
    );
  },
};
