/* SPDX-License-Identifier: MIT */
/* The best algorithm by prediction, over sizes and processors, and by measurement at the points that were run. */
"use strict";

const map = {
  /* The points that were run: "P size" to its rows. */
  runs(data) {
    const found = new Map();
    for (const point of records.points) {
      const { record } = point.rows[0];
      if (point.rows.every((row) => row.median === null)) continue;
      found.set(`${record.P} ${data.unit ? record[data.unit] : 0}`, point.rows);
    }
    return found;
  },

  /* Where the times of runs come from. */
  source() {
    return records.all[0].clock === "wall" ? "measured" : "emulated";
  },

  /* One stop of the tab key: arrows move from cell to cell. */
  key(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[
      event.key
    ];
    const cell = event.target.closest("td");
    if (!step || !cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const row = dom.by("map").rows[cell.parentElement.rowIndex + step[0]];
    event.preventDefault();
    map.stop(row?.cells[cell.cellIndex + step[1]]?.querySelector("button"), true);
  },

  stop(button, focused) {
    if (!button) return;
    for (const other of dom.by("map").querySelectorAll("button")) other.tabIndex = -1;
    button.tabIndex = 0;
    if (focused) button.focus();
  },

  cell(data, runs, P, size, winner) {
    if (winner < 0)
      return dom.html(
        "td",
        {},
        dom.html(
          "button",
          {
            type: "button",
            class: "none",
            "aria-label": "no prediction",
            focus: (event) => map.stop(event.target),
          },
          "·",
        ),
      );
    const name = data.algorithms[winner];
    const { fill, ink, letter } = palette.of(name);
    const rows = runs.get(`${P} ${size}`);
    const first = rows && rows[0];
    const beaten = first && first.name !== name ? rows.find((row) => row.name === name) : null;
    /* another is only better where the intervals of both are apart */
    const other = beaten && first.interval.high < beaten.interval.low ? first.name : null;
    const say =
      `P = ${P}${data.unit ? `, ${data.unit} = ${format.short(size)}` : ""}: ${name} predicted` +
      (!rows
        ? ""
        : other
          ? `; ${map.source()}: ${other} was faster`
          : beaten
            ? `; ${map.source()}: no slower than ${first.name}`
            : `; ${map.source()}: the best`);
    const tell = (event) => {
      dom.by("map-say").textContent = say;
      if (event.type === "focus") map.stop(event.target);
    };
    return dom.html(
      "td",
      {},
      dom.html(
        "button",
        {
          type: "button",
          class: rows ? "run" : null,
          "aria-label": say,
          style: `background: ${fill}; color: ${ink}`,
          mouseenter: tell,
          focus: tell,
          click: tell,
        },
        letter + (other ? ` ${palette.of(other).letter}!` : ""),
      ),
    );
  },

  csv(data) {
    return [
      ["P", data.unit ?? "size", "predicted_best"],
      ...data.P.flatMap((P, i) =>
        data.sizes.map((size, k) => [P, data.unit ? size : null, data.algorithms[data.best[i][k]]]),
      ),
    ];
  },

  show(data) {
    if (!data) return;
    const runs = map.runs(data);
    dom.by("crossover").hidden = false;
    dom.by("crossover-note").textContent =
      `The predicted best algorithm${data.unit ? `, over ${data.unit === "count" ? "operands" : "bytes"} and processors` : ""}.` +
      (runs.size > 0
        ? " A frame marks a point that was run; a second letter with ! names an algorithm that was faster there."
        : "");
    dom.by("map").classList.toggle("small", data.sizes.length < 4);
    dom
      .by("map")
      .replaceChildren(
        dom.html(
          "thead",
          {},
          dom.html(
            "tr",
            {},
            data.unit ? dom.html("th", {}, data.unit) : dom.html("td", {}),
            ...data.sizes.map((size) =>
              dom.html("th", { scope: "col" }, data.unit ? format.short(size) : "best"),
            ),
          ),
        ),
        dom.html(
          "tbody",
          {},
          ...data.P.map((P, i) =>
            dom.html(
              "tr",
              {},
              dom.html("th", { scope: "row" }, `P = ${P}`),
              ...data.sizes.map((size, j) => map.cell(data, runs, P, size, data.best[i][j])),
            ),
          ),
        ),
      );
    dom.by("map").addEventListener("keydown", map.key);
    map.stop(dom.by("map").querySelector("button"));
    const seen = [...new Set(data.best.flat().filter((w) => w >= 0))];
    const count = new Map(seen.map((w) => [w, data.best.flat().filter((v) => v === w).length]));
    dom
      .by("map-legend")
      .replaceChildren(
        ...seen
          .sort((a, b) => count.get(b) - count.get(a))
          .map((w) => dom.html("li", {}, palette.swatch(data.algorithms[w]), data.algorithms[w])),
      );
  },
};
