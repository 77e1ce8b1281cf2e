/* SPDX-License-Identifier: MIT */
/*
 * The events of a large diagram: boxes are written into the pixels of a canvas, so that a million of
 * them take a few milliseconds; messages and labels are drawn where there are few enough to be seen.
 */
"use strict";

const THIN = 4; /* pixels: boxes of no more are plain */
const STREAM = 7; /* the colour behind those of the kinds: of the bands */
const MESSAGES_MOST = 3000,
  LABELS_MOST = 1500;

class CanvasBoxes {
  constructor(stage) {
    this.canvas = dom.html("canvas", { "aria-hidden": "true" });
    this.context = this.canvas.getContext("2d");
    stage.append(this.canvas);
  }

  remove() {
    this.canvas.remove();
  }

  /* A colour in the form of an image's pixels. */
  static pixel(name) {
    const [r, g, b] = theme
      .color(name)
      .match(/[\d.]+/g)
      .map(Number);
    return CanvasBoxes.word(r, g, b);
  }

  static word(r, g, b) {
    return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }

  static mix(a, b, part) {
    const one = (shift) =>
      Math.round(((a >>> shift) & 255) * part + ((b >>> shift) & 255) * (1 - part));
    return CanvasBoxes.word(one(0), one(8), one(16));
  }

  resize(view) {
    const scale = window.devicePixelRatio || 1;
    const width = Math.round((view.width + GUTTER) * scale),
      height = Math.round(view.height * scale);
    if (
      this.image &&
      this.scale === scale &&
      this.canvas.width === width &&
      this.canvas.height === height
    )
      return;
    this.scale = scale;
    this.canvas.width = width;
    this.canvas.height = height;
    this.canvas.style.width = `${view.width + GUTTER}px`;
    this.canvas.style.height = `${view.height}px`;
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  draw(state) {
    const { view } = state;
    this.resize(view);
    const paper = CanvasBoxes.pixel("raised");
    const own = KINDS.map((kind) => (kind === "idle" ? 0 : CanvasBoxes.pixel(kind)));
    own.push(CanvasBoxes.pixel("stream"));
    this.pixels.fill(0); /* the stage shines through, and messages go below the boxes */
    const shown = lanes.of(state.traces, view.row);
    for (const lane of shown)
      this.fillLane(
        lane,
        view,
        state.now,
        lane.second ? own.map((c) => CanvasBoxes.mix(c, paper, 0.55)) : own,
      );
    this.context.putImageData(this.image, 0, 0);
    this.context.save();
    this.context.scale(this.scale, this.scale);
    for (const lane of shown) {
      const n = lanes.count(lane.trace, view);
      if (state.messages && n <= MESSAGES_MOST) this.drawMessages(lane, view, state.now);
      if (n <= LABELS_MOST && lane.height >= 12) this.drawLabels(lane, view, state.now);
    }
    this.context.restore();
  }

  fillLane(lane, view, now, colors) {
    let last = -1;
    for (let rank = view.firstRow; rank <= view.lastRow; rank++) {
      const y = Math.round((view.y(rank) + lane.top) * this.scale);
      const below = Math.max(
        y + 1,
        Math.round((view.y(rank) + lane.top + lane.height) * this.scale),
      );
      if (y === last || y >= this.canvas.height || below <= 0)
        continue; /* rows of less than a pixel */
      last = y;
      if (below - y <= THIN) this.fillThin(lane.trace, rank, view, now, colors, y, below);
      else this.fillRow(lane.trace, rank, view, now, colors, y, below);
      if (lane.trace.costs.port) this.fillBands(lane.trace, rank, view, now, colors, y, below);
    }
  }

  /* On the boxes, along their upper edge; in thin rows where there is no work. */
  fillBands(trace, rank, view, now, colors, y, below) {
    const { pixels, scale } = this;
    const width = this.canvas.width,
      thin = below - y <= THIN,
      left = Math.round(GUTTER * scale);
    const perNs = (view.width * scale) / (view.to - view.from),
      origin = GUTTER * scale - view.from * perNs;
    const high = thin ? below - y : Math.max(2, Math.round((below - y) * lanes.tall.stream[1]));
    const last = Math.min(y + high, this.canvas.height);
    /* the band of the last send before the visible part may reach into it */
    let i = trace.firstAfter(rank, view.from);
    while (i > trace.first[rank] && trace.stream[i - 1] === 0) i--;
    for (i = Math.max(trace.first[rank], i - 1); i < trace.first[rank + 1]; i++) {
      const stream = lanes.stream(trace, i);
      if (trace.start[i] > Math.min(view.to, now)) break;
      if (stream === null || stream.start >= now) continue;
      const from = Math.max(Math.round(stream.start * perNs + origin), left);
      const to = Math.min(Math.round(Math.min(stream.end, now) * perNs + origin), width);
      for (let row = Math.max(y, 0); to > from && row < last; row++)
        if (!thin) pixels.fill(colors[STREAM], row * width + from, row * width + to);
        else
          for (let x = row * width + from; x < row * width + to; x++)
            if (pixels[x] === 0 || pixels[x] === colors[3]) pixels[x] = colors[STREAM];
    }
  }

  /* The same for thin rows, of which there are many: the first line pixel by pixel, and copies of it. */
  fillThin(trace, rank, view, now, colors, y, below) {
    const { kind, start, length } = trace;
    const { pixels, scale } = this;
    const width = this.canvas.width,
      line = y * width;
    const perNs = (view.width * scale) / (view.to - view.from),
      origin = GUTTER * scale - view.from * perNs + 0.5;
    const until = Math.min(view.to, now),
      end = trace.first[rank + 1];
    let reached = Math.round(GUTTER * scale);
    for (let i = trace.firstAfter(rank, view.from); i < end && start[i] <= until; i++) {
      const k = kind[i];
      if (k === 5) continue;
      const behind = start[i] + length[i];
      const to = ((behind < until ? behind : until) * perNs + origin) | 0;
      let x = ((start[i] < view.from ? view.from : start[i]) * perNs + origin) | 0;
      if (x < reached) {
        if (to <= reached) continue;
        x = reached;
      }
      const color = colors[k];
      reached = x + 1;
      pixels[line + x] = color;
      while (reached < to) pixels[line + reached++] = color;
    }
    for (let row = y + 1; row < Math.min(below, this.canvas.height); row++)
      pixels.copyWithin(row * width, line, line + width);
  }

  fillRow(trace, rank, view, now, colors, y, below) {
    const { kind, start, length, late } = trace;
    const { pixels, scale } = this;
    const width = this.canvas.width,
      left = Math.round(GUTTER * scale);
    const perNs = (view.width * scale) / (view.to - view.from),
      origin = GUTTER * scale - view.from * perNs;
    const until = Math.min(view.to, now),
      end = trace.first[rank + 1];
    let reached = left;
    for (let i = trace.firstAfter(rank, view.from); i < end; i++) {
      if (start[i] > until) break;
      const k = kind[i];
      if (k === 5) continue;
      const from = Math.max(Math.round(start[i] * perNs + origin), reached);
      const to = Math.min(
        Math.max(Math.round(Math.min(start[i] + length[i], now) * perNs + origin), from + 1),
        width,
      );
      if (to <= reached || from >= width) continue;
      reached = to;
      this.fillBox(pixels, width, k, colors[k], from, to, y, below);
      if (late[i] > 0 && below - y > 8) {
        const behind = Math.min(
          Math.round((start[i] + length[i] + late[i]) * perNs + origin),
          width,
        );
        for (let row = Math.max(below - 3, 0); row < Math.min(below, this.canvas.height); row++)
          if (behind > to) pixels.fill(colors[4], row * width + to, row * width + behind);
      }
    }
  }

  fillBox(pixels, width, k, color, from, to, y, below) {
    const hatched = (k === 3 || k === 4) && below - y > 4;
    const [top, bottom] = hatched ? lanes.tall[KINDS[k]] : [0, 1];
    const first = Math.max(0, Math.round(y + (below - y) * top));
    const last = Math.min(this.canvas.height, Math.round(y + (below - y) * bottom));
    for (let row = first; row < last; row++)
      if (!hatched) pixels.fill(color, row * width + from, row * width + to);
      else
        for (let x = from; x < to; x++)
          if (((x + row) & 3) < (k === 3 ? 1 : 2)) pixels[row * width + x] = color;
  }

  /* Draw the messages of which an end is visible. */
  drawMessages(lane, view, now) {
    const { trace } = lane;
    const { context } = this;
    const y = (rank) => view.y(rank) + lane.top + lane.height / 2;
    const seen = new Set();
    context.beginPath();
    for (let rank = view.firstRow; rank <= view.lastRow; rank++)
      for (
        let i = trace.firstAfter(rank, view.from - (view.to - view.from));
        i < trace.first[rank + 1] && trace.start[i] < view.to;
        i++
      ) {
        const send = trace.kind[i] === 0 ? i : trace.kind[i] === 1 ? trace.mate[i] - 1 : -1;
        if (send < 0 || seen.has(send)) continue;
        seen.add(send);
        const message = lanes.message(trace, send);
        if (message === null || message.start >= now) continue;
        const part = message.end > now ? (now - message.start) / (message.end - message.start) : 1;
        context.moveTo(view.x(message.start), y(message.from));
        context.lineTo(
          view.x(message.start + part * (message.end - message.start)),
          y(message.from) + part * (y(message.to) - y(message.from)),
        );
      }
    context.globalCompositeOperation = "destination-over";
    context.strokeStyle = theme.color("soft");
    context.globalAlpha = (lane.second ? 0.6 : 1) * Math.min(0.8, Math.max(0.25, 500 / seen.size));
    context.lineWidth = seen.size > 800 ? 0.6 : 1.1;
    context.setLineDash(lane.second ? [4, 3] : []);
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = 1;
    context.globalCompositeOperation = "source-over";
  }

  drawLabels(lane, view, now) {
    const { trace } = lane;
    const { context } = this;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    const inks = lane.second
      ? [theme.color("ink"), theme.color("ink")]
      : [theme.isDark() ? "#0d1b26" : "#fff", "#2b1900"];
    for (let rank = view.firstRow; rank <= view.lastRow; rank++)
      for (
        let i = trace.firstAfter(rank, view.from);
        i < trace.first[rank + 1] && trace.start[i] < view.to;
        i++
      ) {
        const text = lanes.label(trace, i);
        const from = Math.max(view.x(trace.start[i]), GUTTER),
          to = Math.min(view.x(trace.endOf(i)), view.width + GUTTER);
        context.fillStyle = inks[trace.kind[i] === 1 ? 1 : 0];
        if (text !== null && trace.endOf(i) <= now && to - from > 9 * text.length + 4)
          context.fillText(text, (from + to) / 2, view.y(rank) + lane.top + lane.height / 2);
      }
  }
}
