/* SPDX-License-Identifier: MIT */
/* What lies over the events, however many there are: axis, ranks, critical path, the chosen event, the time. */
"use strict";

class Overlay {
  constructor(stage) {
    this.root = dom.svg("svg", { "aria-hidden": "true" });
    stage.append(this.root);
  }

  draw(state) {
    const { view } = state;
    const width = view.width + GUTTER,
      height = view.height + AXIS;
    this.root.setAttribute("width", width);
    this.root.setAttribute("height", height);
    this.root.replaceChildren(
      ...this.frame(view, width),
      ...this.axis(view, width),
      ...this.path(state),
      ...this.chosen(state),
      ...this.flying(state),
    );
  }

  /* The names of the rows have a background that hides the diagram below them. */
  frame(view) {
    const out = [
      dom.svg("rect", {
        x: 0,
        y: 0,
        width: GUTTER,
        height: view.height,
        style: "fill: var(--raised)",
      }),
    ];
    const every =
      [1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1024, 4096].find(
        (n) => n * view.row >= 15,
      ) ?? 16384;
    for (let rank = Math.ceil(view.firstRow / every) * every; rank <= view.lastRow; rank += every) {
      const y = view.y(rank) + view.row / 2;
      if (y > 4 && y < view.height - 4)
        out.push(
          dom.svg(
            "text",
            {
              class: "rank",
              x: GUTTER - 8,
              y,
              "text-anchor": "end",
              "dominant-baseline": "central",
            },
            every === 1 && view.P <= 64 ? `P${rank}` : `${rank}`,
          ),
        );
    }
    for (let rank = view.firstRow; view.row >= 12 && rank <= view.lastRow + 1; rank++)
      out.push(
        dom.svg("line", {
          class: "grid",
          x1: GUTTER,
          x2: view.width + GUTTER,
          y1: view.y(rank),
          y2: view.y(rank),
        }),
      );
    return out;
  }

  axis(view, width) {
    const unit = format.unit(view.end);
    const y = view.height;
    const out = [
      dom.svg("rect", { x: 0, y, width, height: AXIS, style: "fill: var(--raised)" }),
      dom.svg("line", { class: "grid", x1: 0, x2: width, y1: y, y2: y }),
      dom.svg("text", { class: "rank", x: GUTTER - 8, y: y + 19, "text-anchor": "end" }, unit.name),
    ];
    const ticks = format.ticks(view.from / unit.ns, view.to / unit.ns, view.width / 80);
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1;
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (const at of ticks) {
      const x = view.x(at * unit.ns);
      const text = format.plain(at, Math.min(decimals, 6));
      const half = 3.6 * text.length;
      out.push(
        dom.svg("line", {
          class: "grid",
          x1: x,
          x2: x,
          y1: y,
          y2: y + 5,
          style: "stroke: var(--strong)",
        }),
      );
      if (x - half >= GUTTER - 2 && x + half <= width)
        out.push(dom.svg("text", { class: "rank", x, y: y + 19, "text-anchor": "middle" }, text));
    }
    return out;
  }

  /* Along the lower edges of the rows, so that it hides no box. */
  path(state) {
    const { view, path, now } = state;
    if (!path || path.length === 0) return [];
    const edge = Math.min(3, view.row / 2);
    const y = (rank) => view.y(rank + 1) - edge;
    let d = "",
      n = 0;
    for (const [kind, rank, peer, from, to] of path) {
      const wire = kind === "wire";
      if (from >= now || to < view.from || from > view.to) continue;
      n++;
      const until = Math.min(to, now);
      const part = to > from ? (until - from) / (to - from) : 1;
      d += `M${view.x(from).toFixed(1)} ${y(rank).toFixed(1)}L${view.x(until).toFixed(1)} ${(wire ? y(rank) + part * (y(peer) - y(rank)) : y(rank)).toFixed(1)}`;
    }
    const clip = dom.svg(
      "clipPath",
      { id: "plot" },
      dom.svg("rect", { x: GUTTER, y: 0, width: view.width, height: view.height }),
    );
    const wide =
      n < 150 ? 3 : n < 600 ? 1.5 : 0.6; /* a long path must not hide the boxes underneath */
    return [
      clip,
      n < 150 ? dom.svg("path", { class: "critical-under", d, "clip-path": "url(#plot)" }) : "",
      dom.svg("path", { class: "critical", d, "clip-path": "url(#plot)", "stroke-width": wide }),
    ];
  }

  chosen(state) {
    const { view, chosen } = state;
    if (!chosen) return [];
    const lane = lanes.of(state.traces, view.row).find((l) => l.trace === chosen.trace);
    if (!lane) return [];
    const { trace, i } = chosen;
    const rank = trace.rankOf(i);
    const out = [];
    const box = (k, r) => {
      const x = view.x(trace.start[k]),
        right = view.x(trace.endOf(k));
      if (right < GUTTER || x > view.width + GUTTER || r < view.firstRow || r > view.lastRow)
        return;
      const from = Math.max(x, GUTTER) - 1;
      out.push(
        dom.svg("rect", {
          class: "chosen",
          rx: 3,
          x: from,
          y: view.y(r) + lane.top - 1.5,
          width: Math.max(3, Math.min(right, view.width + GUTTER) - from + 1),
          height: lane.height + 3,
        }),
      );
    };
    box(i, rank);
    const mate = trace.kind[i] < 2 ? trace.mate[i] - 1 : -1;
    if (mate >= 0) {
      const message = lanes.message(trace, trace.kind[i] === 0 ? i : mate);
      const y = (r) => view.y(r) + lane.top + lane.height / 2;
      box(mate, trace.rankOf(mate));
      if (message && message.from !== message.to)
        out.push(
          dom.svg("line", {
            class: "chosen",
            "clip-path": "url(#plot-all)",
            x1: view.x(message.start),
            y1: y(message.from),
            x2: view.x(message.end),
            y2: y(message.to),
          }),
          dom.svg(
            "clipPath",
            { id: "plot-all" },
            dom.svg("rect", { x: GUTTER, y: 0, width: view.width, height: view.height }),
          ),
        );
    }
    return out;
  }

  /* The time, while it is played, and the messages that are on their way then. */
  flying(state) {
    const { view, now } = state;
    if (now >= view.end) return [];
    const x = view.x(now);
    const out =
      x < GUTTER || x > GUTTER + view.width
        ? []
        : [dom.svg("line", { class: "head", x1: x, x2: x, y1: 0, y2: view.height })];
    const lane = lanes.of(state.traces, view.row)[0];
    const { trace } = lane;
    for (
      let rank = view.firstRow;
      view.row >= 8 && rank <= view.lastRow && out.length < 300;
      rank++
    )
      for (let i = trace.first[rank]; i < trace.first[rank + 1] && trace.start[i] < now; i++) {
        const message = lanes.message(trace, i);
        if (!message || message.start > now || message.end < now || message.end === message.start)
          continue;
        const part = (now - message.start) / (message.end - message.start);
        const y = (r) => view.y(r) + lane.top + lane.height / 2;
        out.push(
          dom.svg("circle", {
            class: "flying",
            cx: x,
            cy: y(message.from) + part * (y(message.to) - y(message.from)),
            r: 4,
            style: "fill: var(--send); stroke: var(--raised); stroke-width: 1.5",
          }),
        );
      }
    return out;
  }
}
