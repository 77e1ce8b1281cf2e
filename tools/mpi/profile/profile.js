/* SPDX-License-Identifier: MIT */
/* The page of `logp mpirun --report`: tables sort by their headings, and figures are saved. */
"use strict";

const tables = {
  value(cell) {
    const text = cell.dataset.v ?? cell.textContent.trim();
    return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
  },

  sort(table, column, button) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const down = heads[column].getAttribute("aria-sort") !== "descending";
    const rows = [...body.rows].map((row) => [tables.value(row.cells[column]), row]);
    const compare = (a, b) =>
      typeof a === "number" && typeof b === "number" ? a - b : `${a}`.localeCompare(`${b}`);
    rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    body.append(...rows.map(([, row]) => row));
    for (const head of heads) head.removeAttribute("aria-sort");
    button.parentElement.setAttribute("aria-sort", down ? "descending" : "ascending");
  },

  /* Make a button of each heading with a text of its own. */
  begin() {
    for (const table of document.querySelectorAll("table"))
      [...table.tHead.rows[0].cells].forEach((head, i) => {
        if (head.querySelector(".hidden")) return;
        const button = dom.html("button", { type: "button", class: "sort" }, head.textContent);
        button.addEventListener("click", () => tables.sort(table, i, button));
        head.replaceChildren(button);
      });
  },

  /* The cells as they are for a file: numbers without units. */
  rows(table) {
    const text = (cell) => cell.dataset.v ?? cell.textContent.trim();
    const unit = (cell) => (cell.dataset.unit ? `, ${cell.dataset.unit}` : "");
    return [...table.rows].map((row) => [...row.cells].map((cell) => text(cell) + unit(cell)));
  },
};

/* A map is one stop of the tab key: arrows move from cell to cell, and the text below reads one. */
const maps = {
  place(cell) {
    return ["x", "y"].map((name) => Number(cell.getAttribute(name)));
  },

  /* The nearest cell in a direction, in the same row or column. */
  next(cells, now, [dx, dy]) {
    const [x, y] = maps.place(now);
    const far = (cell) => {
      const [left, top] = maps.place(cell);
      return (left - x) * dx + (top - y) * dy;
    };
    const aside = (cell) => maps.place(cell)[dx === 0 ? 0 : 1] - (dx === 0 ? x : y);
    return cells
      .filter((cell) => far(cell) > 0.01 && Math.abs(aside(cell)) < 0.01)
      .reduce((best, cell) => (best && far(best) <= far(cell) ? best : cell), null);
  },

  KEYS: { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] },

  begin(svg) {
    const cells = [...svg.querySelectorAll("rect:has(title)")];
    const say = dom.html("p", { class: "say", role: "status" });
    let now = null;
    const choose = (cell) => {
      now?.classList.remove("chosen");
      now = cell;
      now.classList.add("chosen");
      say.textContent = now.querySelector("title").textContent;
    };
    if (cells.length === 0) return;
    svg.closest("figure").after(say);
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("rect:has(title)");
      if (cell) choose(cell);
    });
    svg.addEventListener("keydown", (event) => {
      const step = maps.KEYS[event.key];
      if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const next = now ? maps.next(cells, now, step) : cells[0];
      if (next) choose(next);
    });
  },
};

theme.begin();
tables.begin();
save.prefix = () => dom.by("title").textContent.replace(/[^\w.-]+/g, "-");
for (const svg of document.querySelectorAll("svg.map")) maps.begin(svg);
for (const figure of document.querySelectorAll("[data-figure]")) {
  const table =
    figure.closest("section").querySelector("table") ?? document.querySelector("table");
  save.offer(figure.id, figure.dataset.figure, () => (table ? tables.rows(table) : []));
}
if (dom.by("data")) stage.begin(JSON.parse(dom.by("data").textContent));
