/* SPDX-License-Identifier: MIT */
/*
 * Rows with one axis: a name, a track that a function draws in, values with headings. Used for the values at one
 * point of a sweep: ratios with their error bars, and lag.
 */
"use strict";

const spread = {
  /* rows: [{name, values, say, draw(g, x)}]; x maps to percent of the track; ticks: [{at, label}] */
  show(target, rows, ticks, x, headings) {
    const grid = dom.html("div", {
      class: headings.length > 1 ? "rows many" : "rows",
      role: "list",
      style: `--n: ${headings.length}`,
    });
    grid.append(
      dom.html(
        "div",
        { class: "row headings soft", "aria-hidden": "true" },
        dom.html("div", { class: "name" }, "Algorithm"),
        ...headings.map((text) => dom.html("div", { class: "value" }, text)),
      ),
    );
    const lines = (svg) => {
      for (const tick of ticks)
        svg.append(
          dom.svg("line", {
            x1: `${x(tick.at)}%`,
            x2: `${x(tick.at)}%`,
            y1: 0,
            y2: "100%",
            style: `stroke: var(${tick.strong ? "--ink" : "--line"})`,
          }),
        );
    };
    for (const row of rows) {
      const svg = dom.svg(
        "svg",
        { role: "img", "aria-label": `${row.name}: ${row.say}` },
        dom.svg("title", {}, row.say),
      );
      lines(svg);
      row.draw(svg, x);
      grid.append(
        dom.html(
          "div",
          { class: "row", role: "listitem" },
          dom.html("div", { class: "name" }, row.name),
          ...row.values.map((value, i) =>
            dom.html("div", { class: "value soft", "data-heading": headings[i] }, value),
          ),
          dom.html("div", { class: "track" }, svg),
        ),
      );
    }
    const axis = dom.svg("svg", { "aria-hidden": "true" });
    for (const tick of ticks) {
      const at = x(tick.at);
      axis.append(
        dom.svg(
          "text",
          {
            x: `${at}%`,
            y: "1.1em",
            "font-size": 12,
            "text-anchor": at < 6 ? "start" : at > 94 ? "end" : "middle",
          },
          tick.label,
        ),
      );
    }
    grid.append(
      dom.html(
        "div",
        { class: "row", "aria-hidden": "true" },
        dom.html("div", { class: "track axis" }, axis),
      ),
    );
    target.replaceChildren(grid);
  },

  /* A line from a to b (thin), a bar from c to d, a dot. */
  whisker(svg, from, to, color, width) {
    svg.append(
      dom.svg("line", {
        x1: `${from}%`,
        x2: `${Math.max(to, from + 0.01)}%`,
        y1: "50%",
        y2: "50%",
        style: `stroke: ${color}; stroke-width: ${width}`,
        "stroke-linecap": "butt",
      }),
    );
  },

  cap(svg, at, color) {
    svg.append(
      dom.svg("line", {
        x1: `${at}%`,
        x2: `${at}%`,
        y1: "32%",
        y2: "68%",
        style: `stroke: ${color}; stroke-width: 1.5`,
      }),
    );
  },

  /* It ends off the axis, there. */
  beyond(svg, text, color) {
    svg.append(
      dom.svg(
        "text",
        {
          x: "100%",
          y: "50%",
          dy: "-0.45em",
          "text-anchor": "end",
          "font-size": 11,
          style: "fill: var(--soft)",
        },
        `${text} ›`,
      ),
      dom.svg("line", {
        x1: "99%",
        x2: "100%",
        y1: "35%",
        y2: "50%",
        style: `stroke: ${color}; stroke-width: 1.5`,
      }),
      dom.svg("line", {
        x1: "99%",
        x2: "100%",
        y1: "65%",
        y2: "50%",
        style: `stroke: ${color}; stroke-width: 1.5`,
      }),
    );
  },

  ring(svg, at, color) {
    svg.append(
      dom.svg("circle", {
        cx: `${at}%`,
        cy: "50%",
        r: 7,
        style: `fill: none; stroke: ${color}; stroke-width: 1.5`,
      }),
    );
  },

  dot(svg, at, color, r = 4.5) {
    svg.append(
      dom.svg("circle", {
        cx: `${at}%`,
        cy: "50%",
        r,
        style: `fill: ${color}; stroke: var(--paper); stroke-width: 1.5`,
      }),
    );
  },
};
