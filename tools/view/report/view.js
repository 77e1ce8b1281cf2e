/* SPDX-License-Identifier: MIT */
/*
 * What part of a diagram is seen: times from .. to, rows from `top` on, each `row` pixels high. All that
 * moves it keeps it within the whole. Zooming makes rows higher, too, until they are easy to read.
 */
"use strict";

const ROW_MOST = 34,
  HEIGHT_MOST = 600,
  GUTTER = 46,
  AXIS = 30;

class View {
  constructor(P, end, width) {
    this.P = P;
    this.end = Math.max(end, 1) * 1.015;
    this.resize(width);
    this.fit();
  }

  resize(width) {
    this.width = Math.max(40, width - GUTTER); /* of the part with events */
    this.least = Math.min(ROW_MOST, (HEIGHT_MOST - AXIS) / this.P);
    this.height = Math.round(Math.max(this.least * this.P, 60));
    this.row = Math.max(this.row ?? 0, this.least);
  }

  fit() {
    this.from = 0;
    this.to = this.end;
    this.top = 0;
    this.row = this.least;
  }

  /* "from,to,top,row", in ns, ns, rows and pixels; "": all of it */
  text() {
    const { from, to, top, row } = this;
    if (!this.zoomed() && row === this.least) return "";
    return [from, to, top, row].map((x) => +x.toPrecision(7)).join(",");
  }

  take(text) {
    const [from, to, top, row] = text.split(",").map(Number);
    this.fit();
    if (!(from >= 0 && to > from && top >= 0 && row >= this.least && row <= ROW_MOST)) return;
    Object.assign(this, { from, to, top, row });
    this.keep();
  }

  x(time) {
    return GUTTER + ((time - this.from) / (this.to - this.from)) * this.width;
  }

  time(x) {
    return this.from + ((x - GUTTER) / this.width) * (this.to - this.from);
  }

  y(rank) {
    return (rank - this.top) * this.row;
  }

  rank(y) {
    return Math.floor(y / this.row + this.top);
  }

  get firstRow() {
    return Math.max(0, Math.floor(this.top));
  }

  get lastRow() {
    return Math.min(this.P - 1, Math.ceil(this.top + this.height / this.row) - 1);
  }

  zoomed() {
    return this.to - this.from < this.end * 0.9999;
  }

  /* factor > 1: nearer; (x, y) stays where it is */
  zoom(factor, x = GUTTER + this.width / 2, y = this.height / 2) {
    const time = this.time(x),
      rank = y / this.row + this.top;
    const span = Math.min(
      this.end,
      Math.max((this.to - this.from) / factor, Math.min(this.end, 8)),
    );
    const part = (x - GUTTER) / this.width;
    this.from = time - part * span;
    this.to = this.from + span;
    this.row = Math.min(ROW_MOST, Math.max(this.least, this.row * factor));
    this.top = rank - y / this.row;
    this.keep();
  }

  /* by pixels */
  pan(dx, dy) {
    const shift = (dx / this.width) * (this.to - this.from);
    this.from += shift;
    this.to += shift;
    this.top += dy / this.row;
    this.keep();
  }

  keep() {
    const span = this.to - this.from;
    this.from = Math.max(0, Math.min(this.from, this.end - span));
    this.to = this.from + span;
    this.top = Math.max(0, Math.min(this.top, this.P - this.height / this.row));
  }

  /* Bring a stretch of time of a rank into sight. */
  show(rank, start, end) {
    const margin = 0.08 * (this.to - this.from);
    if (start < this.from)
      this.pan(((start - margin - this.from) / (this.to - this.from)) * this.width, 0);
    else if (end > this.to)
      this.pan(
        ((Math.min(end, start + (this.to - this.from) * 0.8) + margin - this.to) /
          (this.to - this.from)) *
          this.width,
        0,
      );
    if (rank < this.top) this.pan(0, (rank - this.top) * this.row);
    else if ((rank + 1 - this.top) * this.row > this.height)
      this.pan(0, (rank + 1 - this.top) * this.row - this.height);
  }
}
