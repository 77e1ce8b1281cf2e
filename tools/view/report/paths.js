/* SPDX-License-Identifier: MIT */
/* The curves of a dygraph as shapes of SVG: grid, bands, lines and points. */
"use strict";

const paths = {
  of(graph, place) {
    const area = graph.getArea();
    const group = dom.svg("g", {
      transform: `translate(${place.x} ${place.y})`,
      fill: "none",
      "stroke-linejoin": "round",
    });
    group.append(...paths.frame(graph, area));
    for (const name of graph.getLabels().slice(1)) group.append(...paths.curve(graph, name));
    return [group];
  },

  /* A line at each label of the y axis, and the two axes. */
  frame(graph, area) {
    const top = graph.graphDiv.getBoundingClientRect().top;
    const across = (y, color) =>
      dom.svg("line", { x1: area.x, x2: area.x + area.w, y1: y, y2: y, stroke: color });
    const out = [...graph.graphDiv.querySelectorAll(".dygraph-axis-label-y")].map((label) => {
      const box = label.getBoundingClientRect();
      return across(box.top + box.height / 2 - top, theme.color("line"));
    });
    const [left, bottom] = [area.x, area.y + area.h];
    return [
      ...out,
      across(bottom, theme.color("strong")),
      dom.svg("line", {
        x1: left,
        x2: left,
        y1: area.y,
        y2: bottom,
        stroke: theme.color("strong"),
      }),
    ];
  },

  /* [[x, low, y, high] ...] of a curve, in pixels */
  points(graph, name) {
    const column = graph.indexFromSetName(name);
    const out = [];
    for (let row = 0; row < graph.numRows(); row++) {
      const value = graph.getValue(row, column);
      const [low, mid, high] = Array.isArray(value) ? value : [value, value, value];
      if (Number.isFinite(mid))
        out.push([
          graph.toDomXCoord(graph.getValue(row, 0)),
          ...[low, mid, high].map((y) => graph.toDomYCoord(y)),
        ]);
    }
    return out;
  },

  curve(graph, name) {
    const all = paths.points(graph, name);
    const option = (key) => graph.getOption(key, name);
    const { color } = graph.getPropertiesForSeries(name);
    if (all.length === 0) return [];
    const join = (side, order) =>
      order.map((p) => `${p[0].toFixed(2)} ${p[side].toFixed(2)}`).join("L");
    const steps = (order) =>
      order
        .map(([x, , y], i) => (i === 0 ? `${x} ${y}` : `H${x.toFixed(2)}V${y.toFixed(2)}`))
        .join("");
    const out = [];
    if (all.some((p) => p[1] !== p[3]) && option("fillAlpha") > 0)
      out.push(
        dom.svg("path", {
          d: `M${join(1, all)}L${join(3, all.toReversed())}Z`,
          fill: color,
          "fill-opacity": option("fillAlpha"),
        }),
      );
    out.push(
      dom.svg("path", {
        "data-curve": name,
        d: `M${option("stepPlot") ? steps(all) : join(2, all)}`,
        stroke: color,
        "stroke-width": option("strokeWidth"),
        "stroke-dasharray": option("strokePattern")?.join(" "),
      }),
    );
    if (option("drawPoints"))
      out.push(...all.map((p) => paths.point(palette.of(name).shape, p, color)));
    return out;
  },

  /* The shape that palette.trace() draws, with the bar of the interval. */
  point(shape, [x, low, y, high], color) {
    let d = "";
    palette.trace(
      {
        beginPath() {},
        closePath: () => (d += "Z"),
        lineTo: (a, b) => (d += `${d ? "L" : "M"}${a.toFixed(2)} ${b.toFixed(2)}`),
        arc: (a, b, r) => (d = `M${a - r} ${b}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`),
      },
      shape,
      x,
      y,
      4,
    );
    if (low - high > 2) d += `M${x} ${low}V${high}M${x - 4} ${low}h8M${x - 4} ${high}h8`;
    return dom.svg("path", { d, fill: color, stroke: low - high > 2 ? color : null });
  },
};
