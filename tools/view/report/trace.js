/* SPDX-License-Identifier: MIT */
/*
 * A trace: columns over all events, rank after rank, in the order of time. Columns are typed arrays;
 * peer, tag and mate are one more than they mean, 0: none. mate: the event at a message's other end.
 */
"use strict";

const KINDS = ["send", "receive", "compute", "gap", "stall", "idle", "mark"];

class Trace {
  constructor(data) {
    this.P = data.P;
    this.n = data.n;
    this.source = data.source;
    this.end = data.end_ns;
    this.dropped = data.dropped;
    this.labels = data.labels;
    this.costs = data.costs; /* what its boxes and messages are made of, in the letters of the model */
    for (const [name, column] of Object.entries(data.columns)) this[name] = Trace.column(column);
  }

  static read = new Map(); /* by id: columns, which a run and its prediction may have in common */

  static column({ type, n, value, id }) {
    const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
    if (type === "same")
      return new (value > 0xffffffff ? Float64Array : Uint32Array)(n).fill(value);
    if (!Trace.read.has(id)) {
      const element = dom.by(id);
      const bytes = Trace.bytes(element.textContent);
      element.remove();
      Trace.read.set(id, new arrays[type](bytes.buffer, 0, n));
    }
    return Trace.read.get(id);
  }

  static bytes(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
  }

  endOf(i) {
    return this.start[i] + this.length[i];
  }

  /* The first event of a rank that ends after this time; the rank's end, where none does. */
  firstAfter(rank, time) {
    let low = this.first[rank],
      high = this.first[rank + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.start[middle] + this.length[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  rankOf(i) {
    let low = 0,
      high = this.P;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.first[middle] <= i) low = middle;
      else high = middle;
    }
    return low;
  }

  isTask(i) {
    return this.kind[i] < 3;
  }

  /* Which of its rank's sends, receives and computations it is: these two traces have in common. */
  number(i) {
    let n = 0;
    for (let k = this.first[this.rankOf(i)]; k < i; k++) n += this.isTask(k);
    return n;
  }

  /* The task of this number; -1: there is none */
  task(rank, number) {
    for (let k = this.first[rank]; k < this.first[rank + 1]; k++)
      if (this.isTask(k) && number-- === 0) return k;
    return -1;
  }

  /* How much later each task ended than in another trace, in ns; ascending. */
  lateness(other) {
    const out = [];
    for (let rank = 0; rank < Math.min(this.P, other.P); rank++)
      for (let i = this.first[rank], k = other.first[rank]; ; i++, k++) {
        while (i < this.first[rank + 1] && !this.isTask(i)) i++;
        while (k < other.first[rank + 1] && !other.isTask(k)) k++;
        if (i >= this.first[rank + 1] || k >= other.first[rank + 1]) break;
        out.push(this.endOf(i) + this.late[i] - other.endOf(k));
      }
    return Float64Array.from(out).sort();
  }
}
