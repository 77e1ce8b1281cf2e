/* SPDX-License-Identifier: MIT */
/* Along an axis of a sweep: measured medians with their intervals, and predictions. Drawn by dygraphs. */
"use strict";

const curves = {
  graph: null,
  groups: [] /* [[name ...] ...]: algorithms with one curve along the axis */,
  shown: new Set() /* names of algorithms: the first of each group that is shown */,
  point: null /* the fixed other values: those of this point */,

  /* Records that differ from the point's in this axis alone. */
  along(axis) {
    const same = (r) => records.others.every((key) => key === axis || r[key] === curves.point[key]);
    return records.all.filter((r) => r[axis] !== null && same(r)).map(records.row);
  },

  axis() {
    return records.axes[dom.by("axis").value] ?? records.axes[0];
  },

  /* Give equal curves one name. Shown curves stay, under the first name of their group. */
  group() {
    const { key } = curves.axis();
    const found = new Map();
    const all = curves.along(key);
    for (const name of palette.names) {
      const own = all
        .filter((row) => row.name === name)
        .map((row) => [row.record[key], row.predicted, row.median, row.interval, row.verified]);
      const same = JSON.stringify(own.sort((a, b) => a[0] - b[0]));
      if (own.length > 0) found.set(same, [...(found.get(same) ?? []), name]);
    }
    curves.groups = [...found.values()];
    curves.shown = new Set(
      curves.groups
        .filter((group) => group.some((name) => curves.shown.has(name)))
        .map((group) => group[0]),
    );
  },

  /* "binomial = knomial" */
  label(name) {
    return curves.groups.find((group) => group[0] === name).join(" = ");
  },

  csv() {
    const axis = curves.axis();
    const rows = curves.along(axis.key).filter((row) => palette.names.includes(row.name));
    return [
      [axis.key, "algorithm", "predicted_ns", "low_ns", "median_ns", "high_ns"],
      ...rows.map((row) => [
        row.record[axis.key],
        row.name,
        row.predicted,
        row.interval?.low,
        row.median,
        row.interval?.high,
      ]),
    ];
  },

  /* As [x, [low, mid, high] ...]: the measured and the predicted times of each algorithm */
  rows(axis, names) {
    const table = new Map();
    for (const row of curves.along(axis)) {
      const x = row.record[axis];
      if (!table.has(x)) table.set(x, new Map());
      table.get(x).set(row.name, row);
    }
    const triple = (a, b, c) => [a, b, c].map((ns) => ns / curves.unit.ns);
    const cells = (at, name) => {
      const row = at.get(name);
      const measured = row && row.median !== null && row.verified !== false;
      return [
        measured ? triple(row.interval.low, row.median, row.interval.high) : [NaN, NaN, NaN],
        row && row.predicted !== null
          ? triple(row.predicted, row.predicted, row.predicted)
          : [NaN, NaN, NaN],
      ];
    };
    return [...table]
      .sort((a, b) => a[0] - b[0])
      .map(([x, at]) => [x, ...names.flatMap((name) => cells(at, name))]);
  },

  /* The interval of a point as a bar with ends, where that is larger than the point. */
  bar(g, name, n, context, x, color) {
    const cell = g.getValue(n, g.indexFromSetName(name));
    const [low, high] = [g.toDomYCoord(cell[0]), g.toDomYCoord(cell[2])];
    if (!(low - high > 2)) return;
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    context.beginPath();
    for (const [x1, y1, x2, y2] of [
      [x, low, x, high],
      [x - 4, low, x + 4, low],
      [x - 4, high, x + 4, high],
    ]) {
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
    }
    context.stroke();
  },

  options(names) {
    const series = {};
    for (const name of names) {
      const color = palette.line(name);
      const { shape } = palette.of(name);
      const point = (g, series_name, context, x, y, c, r, n) => {
        curves.bar(g, name, n, context, x, color);
        context.fillStyle = color;
        palette.trace(context, shape, x, y, r);
        context.fill();
      };
      series[name] = {
        color,
        strokeWidth: 2,
        drawPoints: true,
        pointSize: 4,
        drawPointCallback: point,
        drawHighlightPointCallback: point,
        highlightCircleSize: 6,
      };
      series[`${name}, predicted`] = {
        color,
        strokeWidth: 1.5,
        strokePattern: [6, 4],
        fillAlpha: 0,
        highlightCircleSize: 0,
      };
    }
    return series;
  },

  /* The range from the first to the last value, and a little more on both sides. */
  window(xs, log) {
    const low = xs[0],
      high = xs[xs.length - 1];
    const pad = log ? (high / low) ** 0.02 : (high - low || 1) * 0.02;
    return log ? [low / pad, high * pad] : [low - pad, high + pad];
  },

  draw() {
    const axis = curves.axis();
    const names = palette.names.filter((name) => curves.shown.has(name));
    const times = curves
      .along(axis.key)
      .filter((row) => curves.shown.has(row.name))
      .flatMap((row) => [row.median, row.predicted])
      .filter((t) => t > 0);
    const log = dom.by("curves-log").checked;
    curves.unit = format.usual(times);
    if (curves.graph) curves.graph.destroy();
    curves.graph = null;
    save.graphs.delete(dom.by("curves"));
    const rows = curves.rows(axis.key, names);
    const xs = rows.map((row) => row[0]);
    if (names.length === 0 || rows.length === 0) return;
    const far = xs[0] > 0 && xs[xs.length - 1] / xs[0] >= 4;
    const every = Math.ceil(xs.length / (dom.by("curves").clientWidth / 60));
    const ticker = (low, high, pixels) => {
      const powers = log ? format.powers(low, high, pixels / 40) : [];
      return (powers.length >= 3 ? powers : format.ticks(low, high, pixels / 55)).map((v) => ({
        v,
        label: format.plain(v, 6),
      }));
    };
    curves.graph = new Dygraph(dom.by("curves"), rows, {
      labels: [axis.label, ...names.flatMap((name) => [name, `${name}, predicted`])],
      customBars: true,
      logscale: log,
      series: curves.options(names),
      legend: "never",
      connectSeparatedPoints: true,
      xlabel: axis.label,
      ylabel: `time, ${curves.unit.name}`,
      gridLineColor: theme.color("line"),
      axisLineColor: theme.color("strong"),
      includeZero: !log,
      fillAlpha: 0.2,
      interactionModel: {},
      dateWindow: curves.window(xs, far && log),
      yRangePad: 8,
      labelsKMB: false,
      animatedZooms: false,
      axes: {
        x: {
          logscale: far && log,
          drawGrid: false,
          axisLabelWidth: 56,
          ticker: () =>
            xs
              .filter((x, i) => i % every === 0)
              .map((v) => ({ v, label: records.shown(axis.key, v) })),
        },
        y: { axisLabelWidth: 62, ticker },
      },
      highlightCallback: (event, x, points) => curves.tell(axis, x, points),
    });
    save.graphs.set(dom.by("curves"), curves.graph);
    dom
      .by("curves")
      .setAttribute(
        "aria-label",
        `Times of ${names.map(curves.label).join(", ")} along ${axis.label}; the numbers are in the table of all numbers`,
      );
  },

  tell(axis, x, points) {
    const said = points
      .filter((p) => !p.name.endsWith(", predicted") && Number.isFinite(p.yval))
      .map((p) => `${curves.label(p.name)} ${format.plain(p.yval, 3)} ${curves.unit.name}`);
    dom.by("curves-say").textContent =
      `${axis.label} = ${records.shown(axis.key, x)}: ${said.join("; ")}`;
  },

  legend() {
    const legend = dom.by("curves-legend");
    legend.replaceChildren(dom.html("legend", {}, "Algorithms"));
    for (const [name] of curves.groups) {
      const box = dom.html("input", {
        type: "checkbox",
        value: name,
        checked: curves.shown.has(name),
        change: (event) => {
          if (event.target.checked) curves.shown.add(name);
          else curves.shown.delete(name);
          curves.draw();
        },
      });
      legend.append(
        dom.html("label", { class: "check" }, box, palette.sample(name), curves.label(name)),
      );
    }
  },

  begin() {
    const numeric = records.axes.filter((axis) =>
      records.all.every((r) => r[axis.key] === null || typeof r[axis.key] === "number"),
    );
    if (numeric.length === 0) return false;
    records.axes = numeric;
    curves.point = records.points[0].rows[0].record;
    dom.by("curves-part").hidden = false;
    dom.options(
      dom.by("axis"),
      numeric.map((axis) => axis.label),
    );
    dom.by("axis-row").hidden = numeric.length < 2;
    curves.group();
    curves.shown = new Set(curves.groups.slice(0, 5).map((group) => group[0]));
    dom.by("axis").addEventListener("change", curves.regroup);
    dom.by("curves-log").addEventListener("change", curves.draw);
    curves.legend();
    curves.draw();
    theme.changed.push(curves.draw);
    save.offer("curves", "curves", curves.csv, dom.by("curves-legend"));
    address.control("axis", "axis");
    address.control("log", "curves-log");
    address.keep(
      "algorithms",
      () => [...curves.shown].sort().join(","),
      (text) => {
        curves.shown = new Set(text.split(","));
        curves.regroup();
      },
    );
    return true;
  },

  regroup() {
    curves.group();
    curves.legend();
    curves.draw();
  },
};
