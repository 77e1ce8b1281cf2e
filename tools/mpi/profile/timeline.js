/* SPDX-License-Identifier: MIT */
/*
 * The timeline of an MPI program: a row for each rank, a bar for each call, a line for each message. It
 * takes the place of the stage of a space-time diagram. Bars of less than a pixel are drawn as one, so
 * that 100,000 of them take a few milliseconds.
 */
"use strict";

const CLASSES = ["send", "receive", "compute", "gap"]; /* colours of sends, receives, collectives, others */
const LINES_MOST = 4000;

const stage = {
  element: null,
  state: null,
  draws: 0,

  column({ type, n, value, id }) {
    const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
    if (type === "same") return new Float64Array(n).fill(value);
    const text = atob(dom.by(id).textContent);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    dom.by(id).remove();
    return new arrays[type](bytes.buffer, 0, n);
  },

  begin(data) {
    stage.data = data;
    for (const part of ["bars", "lines"])
      for (const [name, column] of Object.entries(data[part]))
        data[part][name] = stage.column(column);
    stage.element = dom.by("stage");
    dom
      .by("fit")
      .closest("p")
      .after(
        dom.html("p", { id: "event", class: "say", role: "status" }, stage.hint()),
        dom.html("p", { id: "lines-say", class: "soft" }),
      );
    stage.canvas = dom.html("canvas", { "aria-hidden": "true" });
    stage.context = stage.canvas.getContext("2d");
    stage.element.append(stage.canvas);
    stage.overlay = new Overlay(stage.element);
    stage.width = stage.element.clientWidth;
    stage.state = {
      view: new View(data.P, data.end, stage.width),
      now: Infinity,
      chosen: null,
      path: null,
    };
    new ResizeObserver(() => stage.fit() && stage.draw()).observe(stage.element);
    theme.changed.push(stage.repaint);
    dom.by("messages").addEventListener("change", () => stage.draw());
    hands.begin();
    stage.drawNow();
  },

  /* Take the width of the page. @return whether it is another */
  fit() {
    if (stage.element.clientWidth === stage.width) return false;
    stage.width = stage.element.clientWidth;
    stage.state.view.resize(stage.width);
    stage.state.view.keep();
    return true;
  },

  /* Another theme, or paper, which waits for no frame. */
  repaint() {
    if (!stage.state) return;
    stage.fit();
    if (theme.printing === null) stage.draw();
    else stage.drawNow();
  },

  /* Draw once, at the next frame. */
  draw() {
    if (stage.waiting) return;
    stage.waiting = true;
    requestAnimationFrame(() => {
      stage.waiting = false;
      stage.drawNow();
    });
  },

  play() {},

  drawNow() {
    const { view } = stage.state;
    const scale = window.devicePixelRatio || 1;
    stage.element.style.height = `${view.height + AXIS + 2}px`;
    stage.canvas.width = Math.round((view.width + GUTTER) * scale);
    stage.canvas.height = Math.round(view.height * scale);
    stage.canvas.style.width = `${view.width + GUTTER}px`;
    stage.canvas.style.height = `${view.height}px`;
    stage.context.setTransform(scale, 0, 0, scale, 0, 0);
    stage.drawBars(view);
    stage.drawLines(view);
    stage.drawEnd(view);
    stage.overlay.draw({ ...stage.state, chosen: null, traces: [] });
    stage.drawChosen(view);
    stage.draws++;
    stage.element.setAttribute(
      "aria-label",
      `Timeline of ${view.P} ranks, ${format.time(view.from)} to ${format.time(Math.min(view.to, view.end / 1.015))}, ranks ${view.firstRow} to ${view.lastRow}`,
    );
  },

  /* The first bar of a rank that ends after this time. */
  firstAfter(rank, time) {
    const { first, start, length } = stage.data.bars;
    let low = first[rank],
      high = first[rank + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] + length[middle] <= time / stage.data.step) low = middle + 1;
      else high = middle;
    }
    return low;
  },

  drawBars(view) {
    const { first, start, length, site } = stage.data.bars;
    const { step, sites } = stage.data;
    const { context } = stage;
    const colors = CLASSES.map((name) => theme.color(name));
    const pad = view.row >= 9 ? Math.max(1, view.row * 0.12) : 0;
    const perStep = (view.width * step) / (view.to - view.from);
    const origin = GUTTER - (view.from / step) * perStep;
    let lastY = -1;
    for (let rank = view.firstRow; rank <= view.lastRow; rank++) {
      const y = view.y(rank) + pad,
        height = Math.max(0.5, view.row - 2 * pad);
      if (Math.floor(2 * y) === lastY) continue; /* rows of less than half a pixel */
      lastY = Math.floor(2 * y);
      let from = 0,
        to = -1,
        color = -1;
      for (let i = stage.firstAfter(rank, view.from); i < first[rank + 1]; i++) {
        const left = start[i] * perStep + origin;
        if (left > view.width + GUTTER) break;
        const kind = sites[site[i]].class;
        const right = left + Math.max(length[i] * perStep, 0.6);
        if (color === kind && left - to < 0.4) {
          to = Math.max(to, right);
          continue;
        }
        if (to - from < 0.5 && color >= 0 && right - from < 0.5) {
          to = right;
          continue;
        }
        if (color >= 0) {
          context.fillStyle = colors[color];
          context.fillRect(from, y, to - from, height);
        }
        [from, to, color] = [left, right, kind];
      }
      if (color >= 0) {
        context.fillStyle = colors[color];
        context.fillRect(from, y, to - from, height);
      }
      if (view.row >= 14) stage.drawNames(view, rank, y + height / 2);
    }
  },

  drawNames(view, rank, y) {
    const { first, start, length, site } = stage.data.bars;
    const { step, sites } = stage.data;
    const { context } = stage;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    let left = 400; /* names of a row */
    for (
      let i = stage.firstAfter(rank, view.from);
      i < first[rank + 1] && start[i] * step < view.to && left-- > 0;
      i++
    ) {
      const name = sites[site[i]].call.replace("MPI_", "");
      const from = Math.max(view.x(start[i] * step), GUTTER),
        to = Math.min(view.x((start[i] + length[i]) * step), view.width + GUTTER);
      if (to - from < 6.5 * name.length + 4) continue;
      context.fillStyle =
        sites[site[i]].class === 1 ? "#2b1900" : theme.isDark() ? "#0d1b26" : "#fff";
      if (sites[site[i]].class === 2 || sites[site[i]].class === 3) context.fillStyle = theme.isDark() ? "#08130d" : "#000";
      context.fillText(name, (from + to) / 2, y);
    }
  },

  /* The messages that are on their way in the visible part: all, or the longest. */
  drawLines(view) {
    const { from, to, sent, received } = stage.data.lines;
    const { step, n } = stage.data;
    const say = dom.by("lines-say");
    let shown = 0,
      all = 0;
    say.textContent = "";
    if (!dom.by("messages").checked) return;
    const { context } = stage;
    const [begin, end] = [view.from / step, view.to / step];
    const top = view.firstRow,
      bottom = view.lastRow;
    context.beginPath();
    for (let i = 0; i < sent.length; i++) {
      if (received[i] < begin || sent[i] > end) continue;
      if ((from[i] < top && to[i] < top) || (from[i] > bottom && to[i] > bottom)) continue;
      if (++all > LINES_MOST) continue; /* they are in the order of their length */
      shown++;
      context.moveTo(view.x(sent[i] * step), view.y(from[i] + 0.5));
      context.lineTo(view.x(received[i] * step), view.y(to[i] + 0.5));
    }
    context.strokeStyle = theme.color("ink");
    context.globalAlpha = Math.min(0.75, Math.max(0.12, 300 / Math.max(1, shown)));
    context.lineWidth = shown > 800 ? 0.6 : 1;
    context.stroke();
    context.globalAlpha = 1;
    if (all > shown)
      say.textContent = `The ${format.plain(shown, 0)} longest of ${format.plain(all, 0)} messages are drawn; zoom in to see more.`;
  },

  /* The program's own end, after which there is only MPI_Finalize. */
  drawEnd(view) {
    const { program } = stage.data;
    if (program == null || program < view.from || program > view.to) return;
    const { context } = stage;
    const x = view.x(program);
    context.strokeStyle = theme.color("stall");
    context.lineWidth = 1.5;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
    context.stroke();
    context.setLineDash([]);
  },

  drawChosen(view) {
    const { chosen } = stage.state;
    if (!chosen) return;
    const { start, length } = stage.data.bars;
    const { step } = stage.data;
    const { context } = stage;
    const from = Math.max(view.x(start[chosen.i] * step), GUTTER - 2),
      to = Math.min(view.x((start[chosen.i] + length[chosen.i]) * step), view.width + GUTTER + 2);
    context.strokeStyle = theme.color("ink");
    context.lineWidth = 2;
    if (to > from - 2)
      context.strokeRect(from, view.y(chosen.rank) + 1, Math.max(3, to - from), view.row - 2);
  },

  /* The bar at a place: {rank, i}; null: there is none */
  at(x, y) {
    const { view } = stage.state;
    const { first, start } = stage.data.bars;
    const rank = view.rank(y);
    if (x < GUTTER || y >= view.height || rank < 0 || rank >= view.P) return null;
    const slack = (2 * (view.to - view.from)) / view.width;
    const i = stage.firstAfter(rank, view.time(x) - slack);
    return i < first[rank + 1] && start[i] * stage.data.step <= view.time(x) + slack
      ? { rank, i }
      : null;
  },

  select(chosen, follow) {
    const { state, data } = stage;
    if (chosen?.i === state.chosen?.i) return;
    state.chosen = chosen;
    if (chosen && follow) {
      const start = data.bars.start[chosen.i] * data.step;
      state.view.show(chosen.rank, start, start + data.bars.length[chosen.i] * data.step);
    }
    dom.by("event").textContent = chosen ? stage.describe(chosen) : stage.hint();
    stage.draw();
  },

  hint() {
    return "Point at a bar to read it.";
  },

  describe({ rank, i }) {
    const { bars, sites, step, end } = stage.data;
    const unit = format.unit(end);
    const [from, ns] = [bars.start[i] * step, bars.length[i] * step];
    const site = sites[bars.site[i]];
    const name = `${site.call}${site.place}`;
    return `Rank ${rank}: ${bars.n[i] > 1 ? `${format.plain(bars.n[i], 0)} calls, the longest ` : ""}${name}, ${format.in(from, unit)} to ${format.in(from + ns, unit)} ${unit.name} (${format.time(ns)})`;
  },

  /* Move the choice from call to call, and from rank to rank. */
  step(dx, dy) {
    const { chosen, view } = stage.state;
    const { first, start } = stage.data.bars;
    if (!chosen) {
      const rank = view.firstRow,
        i = stage.firstAfter(rank, view.from);
      if (i < first[rank + 1]) stage.select({ rank, i }, true);
      return;
    }
    let { rank, i } = chosen;
    if (dx !== 0) i += dx;
    else {
      do rank += dy;
      while (rank >= 0 && rank < view.P && first[rank] === first[rank + 1]);
      if (rank < 0 || rank >= view.P) return;
      i = Math.min(
        stage.firstAfter(rank, start[chosen.i] * stage.data.step),
        first[rank + 1] - 1,
      );
    }
    if (i >= first[rank] && i < first[rank + 1]) stage.select({ rank, i }, true);
  },

  follow() {},
};
