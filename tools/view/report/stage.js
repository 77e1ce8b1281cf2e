/* SPDX-License-Identifier: MIT */
/* The diagram on the stage: its traces, its visible part, the chosen event; and drawing all of it. */
"use strict";

const SVG_P = 64,
  SVG_EVENTS = 4000;

const stage = {
  element: null,
  state: null /* {view, traces, now, chosen, messages, path}: the argument of all drawing functions */,
  whole: null /* {run, prediction, path} */,
  boxes: null,
  overlay: null,
  draws: 0 /* since the page was opened, and how long the last took, in ms */,
  took: 0,

  begin() {
    stage.element = dom.by("stage");
    new ResizeObserver(() => stage.state && stage.fit() && stage.draw()).observe(stage.element);
    theme.changed.push(stage.repaint);
  },

  put(whole, traces, path) {
    const events = traces.reduce((n, trace) => n + trace.n, 0);
    const end = Math.max(...traces.map((trace) => trace.end));
    stage.whole = whole;
    stage.element.replaceChildren();
    stage.width = stage.element.clientWidth;
    stage.boxes = new (traces[0].P <= SVG_P && events <= SVG_EVENTS ? SvgBoxes : CanvasBoxes)(
      stage.element,
    );
    stage.overlay = new Overlay(stage.element);
    stage.state = {
      view: new View(traces[0].P, end, stage.width),
      traces,
      now: Infinity,
      chosen: null,
      messages: dom.by("messages").checked,
      path,
    };
    stage.draw();
  },

  /* Show these of the traces on the stage. */
  choose(traces) {
    stage.state.traces = traces;
    if (stage.state.chosen && !traces.includes(stage.state.chosen.trace)) stage.state.chosen = null;
    stage.draw();
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

  drawNow() {
    const begun = performance.now();
    const { view } = stage.state;
    stage.element.style.height = `${view.height + AXIS + 2}px`;
    stage.boxes.draw(stage.state);
    stage.overlay.draw(stage.state);
    stage.took = performance.now() - begun;
    stage.draws++;
    address.changed();
    stage.element.setAttribute(
      "aria-label",
      `Space-time diagram of ${view.P} processors, ${format.time(view.from)} to ${format.time(Math.min(view.to, view.end / 1.015))}, processors ${view.firstRow} to ${view.lastRow}`,
    );
  },

  /* The event at a place: {trace, i}; null: there is none */
  at(x, y) {
    const { view, traces, now } = stage.state;
    const rank = view.rank(y);
    if (x < GUTTER || y >= view.height || rank < 0 || rank >= view.P) return null;
    const within = y - view.y(rank);
    const shown = lanes.of(traces, view.row);
    const lane = shown.find((l) => within < l.top + l.height + 1) ?? shown[shown.length - 1];
    const time = view.time(x);
    const i = lane.trace.firstAfter(rank, time - (2 * (view.to - view.from)) / view.width);
    const slack = (3 * (view.to - view.from)) / view.width;
    const hit =
      i < lane.trace.first[rank + 1] && lane.trace.start[i] <= Math.min(time + slack, now);
    return hit ? { trace: lane.trace, i } : null;
  },

  select(chosen, follow) {
    const { state } = stage;
    if (chosen?.i === state.chosen?.i && chosen?.trace === state.chosen?.trace) return;
    state.chosen = chosen;
    if (chosen && follow)
      state.view.show(
        chosen.trace.rankOf(chosen.i),
        chosen.trace.start[chosen.i],
        chosen.trace.endOf(chosen.i),
      );
    dom.by("event").textContent = chosen ? stage.describe(chosen) : "";
    stage.draw();
  },

  /* An event in words. */
  describe({ trace, i }) {
    const unit = format.unit(stage.state.view.end);
    const kind = KINDS[trace.kind[i]],
      peer = trace.peer[i] - 1,
      rank = trace.rankOf(i);
    const whose = trace.source === "predicted" ? "predicted" : stage.whole.prediction ? "run" : "";
    const from = trace.start[i],
      to = trace.endOf(i);
    const words = [
      `P${rank}${whose ? ` (${whose})` : ""}: ${kind}${peer < 0 ? "" : ({ send: ` to P${peer}`, receive: ` from P${peer}` }[kind] ?? `, for P${peer}`)}`,
      to > from
        ? `${format.in(from, unit)} to ${format.in(to, unit)} ${unit.name} (${format.time(to - from)})`
        : `at ${format.time(from, unit)}`,
    ];
    if (trace.kind[i] < 2)
      words.push(`${format.plain(trace.bytes[i], 0)} bytes, tag ${trace.tag[i] - 1}`);
    if (trace.kind[i] === 0 && trace.mate[i] > 0)
      words.push(`arrives at ${format.time(to + trace.flight[i], unit)}`);
    if (trace.stream[i] > 0)
      words.push(`its port streams until ${format.time(to + trace.stream[i], unit)}`);
    if (trace.label[i] > 0 && trace.labels[trace.label[i] - 1])
      words.push(trace.labels[trace.label[i] - 1]);
    if (trace.late[i] > 0) words.push(`the host was ${format.time(trace.late[i])} late`);
    if (trace === stage.whole.run && stage.whole.prediction && trace.isTask(i)) {
      const k = stage.whole.prediction.task(rank, trace.number(i));
      const off = k < 0 ? null : to + trace.late[i] - stage.whole.prediction.endOf(k);
      if (off !== null)
        words.push(
          off === 0
            ? "as predicted"
            : `${format.time(Math.abs(off))} ${off > 0 ? "after" : "before"} its prediction`,
        );
    }
    return words.join(", ");
  },

  /* Move the choice from event to event, and from processor to processor. */
  step(dx, dy) {
    const { chosen, view, traces } = stage.state;
    const trace = chosen ? chosen.trace : traces[0];
    const isSeen = (k) => trace.kind[k] !== 5;
    if (!chosen) {
      const rank = view.firstRow;
      return stage.select({ trace, i: trace.firstAfter(rank, view.from) }, true);
    }
    let rank = trace.rankOf(chosen.i),
      i = chosen.i;
    if (dx !== 0) {
      do i += dx;
      while (i >= trace.first[rank] && i < trace.first[rank + 1] && !isSeen(i));
      if (i < trace.first[rank] || i >= trace.first[rank + 1]) return undefined;
    } else {
      const time = trace.start[i];
      do rank += dy;
      while (rank >= 0 && rank < trace.P && trace.first[rank] === trace.first[rank + 1]);
      if (rank < 0 || rank >= trace.P) return undefined;
      i = Math.min(trace.firstAfter(rank, time), trace.first[rank + 1] - 1);
      while (i + 1 < trace.first[rank + 1] && !isSeen(i)) i++;
    }
    return stage.select({ trace, i }, true);
  },

  play() {
    player.toggle();
  },

  /* To the other end of the message. */
  follow() {
    const { chosen } = stage.state;
    const mate = chosen && chosen.trace.kind[chosen.i] < 2 ? chosen.trace.mate[chosen.i] - 1 : -1;
    if (mate >= 0) stage.select({ trace: chosen.trace, i: mate }, true);
  },
};
