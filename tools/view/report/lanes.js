/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a row: one for a trace that is shown alone; two, one above the other, for the run
 * and the prediction, if rows are high enough.
 */
"use strict";

const lanes = {
  /* Where boxes of a kind begin and end, as parts of the height of a lane. */
  tall: {
    send: [0, 1],
    receive: [0, 1],
    compute: [0, 1],
    gap: [0.32, 0.68],
    stall: [0.2, 0.8],
    mark: [0, 1],
    stream: [0, 0.18] /* on the boxes: meanwhile the processor may do something else */,
  },

  /* traces: [run, prediction] or one of them. @return [{trace, top, height, second}], of a row */
  of(traces, row) {
    const both = traces.length > 1 && row >= 9;
    const pad = row >= 9 ? Math.max(1, row * 0.1) : 0;
    if (!both)
      return [{ trace: traces[0], top: pad, height: Math.max(row - 2 * pad, 0.5), second: false }];
    const height = (row - 2 * pad - 2) / 2;
    return [
      { trace: traces[0], top: pad, height, second: false },
      { trace: traces[1], top: pad + height + 2, height, second: true },
    ];
  },

  /* The text inside a box that is large enough: the other end of its message. */
  label(trace, i) {
    if (trace.kind[i] > 1 || trace.peer[i] === 0) return null;
    return `${trace.kind[i] === 0 ? "→" : "←"}${trace.peer[i] - 1}`;
  },

  /* A message as a line: from the end of its send to its arrival. null: it has no other end */
  message(trace, send) {
    const mate = trace.mate[send] - 1;
    if (trace.kind[send] !== 0 || mate < 0) return null;
    const end = trace.endOf(send);
    return {
      from: trace.rankOf(send),
      to: trace.rankOf(mate),
      start: end,
      end: end + trace.flight[send],
    };
  },

  /* While the bytes of a long message leave the port of its sender: from when, until when. null: never */
  stream(trace, i) {
    const start = trace.endOf(i);
    return trace.stream[i] > 0 ? { start, end: start + trace.stream[i] } : null;
  },

  /* The number of visible events. */
  count(trace, view) {
    let n = 0;
    for (let rank = view.firstRow; rank <= view.lastRow; rank++)
      n += trace.firstAfter(rank, view.to) - trace.firstAfter(rank, view.from);
    return n;
  },
};
