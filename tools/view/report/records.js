/* SPDX-License-Identifier: MIT */
/* The measurements and predictions, in groups: the points of a sweep, each with its algorithms. */
"use strict";

const records = {
  all: [],
  axes: [] /* [{key, label, values}]: numbers that differ between records */,
  points: [] /* [{label, rows}] */,

  begin(data) {
    const keys = {
      P: "P",
      bytes: "bytes",
      count: "operands",
      rows: "rows",
      cols: "columns",
      L_ns: "L (ns)",
      o_send_ns: "o_send (ns)",
      o_recv_ns: "o_recv (ns)",
      g_ns: "g (ns)",
      G_ns_per_byte: "G (ns per byte)",
      gamma_ns: "gamma (ns)",
      k: "k",
      block: "block",
      window: "window",
      seed: "seed",
      root: "root",
    };
    const others = {
      collective: "",
      clock: "clock",
      topology: "topology",
      nodes: "nodes",
      executor: "executor",
      delay: "delay",
      machine: "machine",
      gap: "gap",
      capacity: "capacity",
      type: "type",
      op: "op",
      packing: "packing",
      transport: "transport",
      processes: "processes",
      place: "placement",
      links: "links",
      rendezvous: "rendezvous",
      arrival: "arrival",
      ports: "ports",
      fault: "faults",
      noise: "noise",
    };
    records.all = data.records;
    const varies = (key) => new Set(data.records.map((r) => JSON.stringify(r[key]))).size > 1;
    /* an algorithm chooses its own k; bytes follow from the operands, or these from --bytes */
    const own = (key) =>
      data.swept.includes(key) ||
      (!["k", "block", "window"].includes(key) &&
        (key !== "bytes" || !varies("count")) &&
        (key !== "count" || !data.swept.includes("bytes")));
    records.axes = Object.keys(keys)
      .filter((key) => own(key) && varies(key))
      .map((key) => ({ key, label: keys[key] }));
    const fixed = Object.keys(others).filter(varies);
    const groups = new Map();
    for (const r of data.records) {
      const parts = [
        ...records.axes.map(
          (a) => `${a.label} = ${a.key === "P" ? r[a.key] : records.shown(a.key, r[a.key])}`,
        ),
        ...fixed.map((key) => `${others[key]} ${r[key] ?? "none"}`.trim()),
      ];
      const label = parts.join(", ");
      if (!groups.has(label)) groups.set(label, []);
      groups.get(label).push(r);
    }
    records.points = [...groups].map(([label, rows]) => ({ label, rows: rows.map(records.row) }));
    for (const point of records.points) records.rank(point.rows);
    /* colours go to those that win most often, here or in the map, then by their order */
    const wins = new Map(data.records.map((r) => [r.algorithm, 0]));
    for (const point of records.points)
      wins.set(point.rows[0].name, wins.get(point.rows[0].name) + 1);
    for (const name of data.map
      ? data.map.best
          .flat()
          .filter((w) => w >= 0)
          .map((w) => data.map.algorithms[w])
      : [])
      wins.set(name, (wins.get(name) ?? 0) + 1);
    for (const [name] of [...wins].sort((a, b) => b[1] - a[1])) palette.of(name);
    records.others = [...fixed, ...records.axes.map((a) => a.key)];
  },

  shown(key, value) {
    return ["bytes", "count"].includes(key) && value != null ? format.short(value) : `${value}`;
  },

  /* What the figures need of a record. */
  row(r) {
    const sample = r.measured_ns ?? r.emulated_ns;
    const median = sample ? sample.median : null;
    const interval = r.interval_ns ?? (median === null ? null : { low: median, high: median });
    const least = r.lower_bound_ns > 0 ? r.lower_bound_ns : null;
    const sure = r.prediction === "exact" || r.prediction === "bound";
    return {
      name: r.algorithm,
      record: r,
      predicted: r.predicted_ns,
      certainty: r.prediction,
      median,
      interval,
      sample,
      p90: sample ? (sample.p90 ?? sample.max) : null,
      p99: sample ? (sample.p99 ?? sample.max) : null,
      ratio: r.ratio,
      undisturbed: r.undisturbed_median_ns ?? null,
      disturbed: r.disturbed ?? null /* of so many runs; on the wall clock */,
      tooBusy: r.too_busy === true,
      lag: r.lag_ns,
      least,
      verified: r.verified,
      ofBest: least !== null && sure ? r.predicted_ns / least : null,
    };
  },

  /* The time that counts: measured, where there is one that is right. */
  time(row) {
    return row.median !== null && row.verified !== false
      ? row.median
      : row.certainty === "none"
        ? null
        : row.predicted;
  },

  rank(rows) {
    const key = (row) => records.time(row) ?? Infinity;
    rows.sort((a, b) => key(a) - key(b) || 0);
  },
};
