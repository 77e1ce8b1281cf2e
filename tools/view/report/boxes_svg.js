/* SPDX-License-Identifier: MIT */
/* The events of a small diagram as SVG: a node each, made once, moved with the view. */
"use strict";

class SvgBoxes {
  constructor(stage) {
    this.root = dom.svg("svg", { "aria-hidden": "true" });
    this.root.append(SvgBoxes.patterns());
    this.ways = dom.svg("g");
    this.boxes = dom.svg("g");
    this.bands = dom.svg("g");
    this.root.append(this.ways, this.boxes, this.bands);
    stage.append(this.root);
    this.made = new Map(); /* of a trace: its nodes */
  }

  remove() {
    this.root.remove();
  }

  static patterns() {
    const hatch = (id, color, size) =>
      dom.svg(
        "pattern",
        {
          id,
          width: size,
          height: size,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        dom.svg("line", {
          x1: 0,
          y1: 0,
          x2: 0,
          y2: size,
          style: `stroke: var(--${color}); stroke-width: ${size * 0.8}`,
        }),
      );
    const head = dom.svg(
      "marker",
      {
        id: "head",
        viewBox: "0 0 8 8",
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: "auto",
        markerUnits: "userSpaceOnUse",
      },
      dom.svg("path", { d: "M0 1 L8 4 L0 7 z", style: "fill: var(--soft)" }),
    );
    return dom.svg(
      "defs",
      {},
      hatch("gap-hatch", "gap", 4),
      hatch("stall-hatch", "stall", 3),
      head,
    );
  }

  /* The nodes of a trace: of event i a box, and maybe a label, a band and a message */
  nodes(trace) {
    if (this.made.has(trace)) return this.made.get(trace);
    const out = [];
    for (let rank = 0; rank < trace.P; rank++)
      for (let i = trace.first[rank]; i < trace.first[rank + 1]; i++) {
        const kind = KINDS[trace.kind[i]];
        if (kind === "idle") continue;
        const fill = kind === "gap" || kind === "stall" ? `url(#${kind}-hatch)` : `var(--${kind})`;
        const box = dom.svg("rect", { style: `fill: ${fill}`, rx: 2, "data-event": i });
        const text = lanes.label(trace, i);
        const label = text ? dom.svg("text", { class: `box-label ${kind}` }, text) : null;
        const message = lanes.message(trace, i);
        const way = message
          ? dom.svg("line", {
              style: "stroke: var(--soft); stroke-width: 1.2",
              "marker-end": "url(#head)",
            })
          : null;
        const stream = lanes.stream(trace, i);
        const band = stream ? dom.svg("rect", { style: "fill: var(--stream)" }) : null;
        const late = trace.late[i] > 0 ? dom.svg("rect", { style: "fill: var(--stall)" }) : null;
        this.boxes.append(...[box, label, late].filter(Boolean));
        if (band) this.bands.append(band);
        if (way) this.ways.append(way);
        out.push({ i, rank, kind, box, label, late, message, way, stream, band });
      }
    this.made.set(trace, out);
    return out;
  }

  static place(node, attributes) {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.removeAttribute("display");
  }

  static hide(node) {
    if (node) node.setAttribute("display", "none");
  }

  draw(state) {
    const { view, now } = state;
    this.root.setAttribute("width", view.width + GUTTER);
    this.root.setAttribute("height", view.height);
    for (const nodes of this.made.values())
      for (const node of nodes) [node.box, node.label, node.late, node.way, node.band].forEach(SvgBoxes.hide);
    for (const lane of lanes.of(state.traces, view.row))
      for (const node of this.nodes(lane.trace)) this.drawNode(state, lane, node, view, now);
  }

  drawNode(state, lane, node, view, now) {
    const { trace } = lane;
    const start = trace.start[node.i],
      end = Math.min(trace.endOf(node.i), now);
    if (
      start <= now &&
      end >= view.from &&
      start <= view.to &&
      node.rank >= view.firstRow &&
      node.rank <= view.lastRow
    ) {
      const [top, bottom] = lanes.tall[node.kind];
      const y = view.y(node.rank) + lane.top + lane.height * top,
        height = lane.height * (bottom - top);
      const x = Math.max(view.x(start), -10),
        width = Math.max(1, Math.min(view.x(end), view.width + GUTTER + 10) - x);
      SvgBoxes.place(node.box, { x, y, width, height, opacity: lane.second ? 0.55 : 1 });
      if (
        node.label &&
        height >= 12 &&
        width > 9 * node.label.textContent.length + 4 &&
        end === trace.endOf(node.i)
      ) {
        const middle =
          Math.min(Math.max(x, GUTTER) + x + width, 2 * (view.width + GUTTER) - 24) / 2;
        node.label.classList.toggle("second", lane.second);
        SvgBoxes.place(node.label, { x: middle, y: y + height / 2 });
      }
      if (node.late && end + trace.late[node.i] <= now)
        SvgBoxes.place(node.late, {
          x: view.x(end),
          y: y + height - 3,
          width: Math.max(0.5, view.x(end + trace.late[node.i]) - view.x(end)),
          height: 3,
        });
    }
    if (node.band) this.drawBand(lane, node, view, now);
    if (node.way && state.messages) this.drawWay(lane, node, view, now);
  }

  drawBand(lane, { rank, stream, band }, view, now) {
    const until = Math.min(stream.end, now);
    if (stream.start >= now || until < view.from || stream.start > view.to) return;
    if (rank < view.firstRow || rank > view.lastRow) return;
    const [top, bottom] = lanes.tall.stream;
    const x = Math.max(view.x(stream.start), -10);
    SvgBoxes.place(band, {
      x,
      y: view.y(rank) + lane.top + lane.height * top,
      width: Math.max(1, Math.min(view.x(until), view.width + GUTTER + 10) - x),
      height: Math.max(1.5, lane.height * (bottom - top)),
      opacity: lane.second ? 0.55 : 1,
    });
  }

  drawWay(lane, { message, way }, view, now) {
    const until = Math.min(message.end, now);
    if (message.start >= now || until < view.from || message.start > view.to) return;
    const y = (rank) => view.y(rank) + lane.top + lane.height / 2;
    const part =
      message.end > message.start ? (until - message.start) / (message.end - message.start) : 1;
    const down = Math.sign(message.to - message.from) * (lane.height / 2);
    const y1 = y(message.from) + down,
      y2 = y(message.to) - down;
    SvgBoxes.place(way, {
      x1: view.x(message.start),
      y1,
      x2: view.x(until),
      y2: y1 + part * (y2 - y1),
      "stroke-dasharray": lane.second ? "4 3" : "none",
      opacity: lane.second ? 0.7 : 1,
    });
  }
}
