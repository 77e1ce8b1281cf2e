/* SPDX-License-Identifier: MIT */
/* Lag at one point: median, 99th percentile and the largest, on a logarithmic axis. */
"use strict";

const lag = {
  FIGURES: [
    ["median", "median"],
    ["99th percentile", "p99"],
    ["latest", "max"],
  ],

  csv(rows) {
    return [
      ["algorithm", "median_ns", "p99_ns", "max_ns"],
      ...rows
        .filter((row) => row.lag !== null)
        .map((row) => [row.name, row.lag.median, row.lag.p99, row.lag.max]),
    ];
  },

  show(rows) {
    const known = rows.filter((row) => row.lag !== null && row.lag.max > 0);
    dom.by("lag").hidden = known.length === 0;
    if (known.length === 0) return;
    const most = Math.max(...known.map((row) => row.lag.max));
    const least = Math.max(1, Math.min(...known.map((row) => row.lag.median)));
    const low = Math.floor(Math.log10(least)),
      high = Math.max(low + 1, Math.log10(most) + 0.05);
    const x = (ns) => (100 * (Math.log10(Math.max(ns, 10 ** low)) - low)) / (high - low);
    const ticks = format
      .powers(10 ** low, 10 ** high, 6)
      .map((at) => ({ at, label: format.tick(at) }));
    const color = "var(--mark)";
    spread.show(
      dom.by("lag-spread"),
      known.map((row) => ({
        name: row.name,
        values: lag.FIGURES.map(([, key]) => format.time(row.lag[key])),
        say: `median ${format.time(row.lag.median)}, 99th percentile ${format.time(row.lag.p99)}, largest ${format.time(row.lag.max)}`,
        draw(svg) {
          spread.whisker(svg, x(row.lag.median), x(row.lag.max), color, 1.5);
          spread.whisker(svg, x(row.lag.median), x(row.lag.p99), color, 5);
          spread.cap(svg, x(row.lag.max), color);
          spread.dot(svg, x(row.lag.median), color);
        },
      })),
      ticks,
      x,
      lag.FIGURES.map(([heading]) => heading),
    );
  },
};
