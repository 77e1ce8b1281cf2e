/* SPDX-License-Identifier: MIT */
/* Numbers as people read them. Times come in ns. */
"use strict";

const format = {
  /* One unit for all times that are shown together: that of the largest. */
  unit(most_ns) {
    if (most_ns < 2e3) return { name: "ns", ns: 1 };
    if (most_ns < 1e7) return { name: "µs", ns: 1e3 };
    return most_ns < 1e10 ? { name: "ms", ns: 1e6 } : { name: "s", ns: 1e9 };
  },

  /* That of most of them: a few that are far off do not make all others small. */
  usual(all_ns) {
    const sorted = all_ns.filter((ns) => ns > 0).toSorted((a, b) => a - b);
    return format.unit(sorted.length > 0 ? sorted[sorted.length >> 1] : 0);
  },

  /* "240.125 µs" */
  time(ns, unit = format.unit(Math.abs(ns))) {
    return ns == null ? "–" : `${format.in(ns, unit)} ${unit.name}`;
  },

  in(ns, unit) {
    return ns == null ? "–" : format.plain(ns / unit.ns, unit.ns > 1 ? 3 : 0);
  },

  /* The same in a column: all with as many decimals. */
  cell(ns, unit) {
    const decimals = unit.ns > 1 ? 3 : 0;
    return ns == null
      ? "–"
      : (ns / unit.ns).toLocaleString("en", {
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        });
  },

  /* A number with at most this many decimals. */
  plain(x, decimals) {
    return Number(x.toFixed(decimals)).toLocaleString("en", { maximumFractionDigits: decimals });
  },

  /* 512, 64k, 1M: powers of 1024 */
  short(n) {
    let i = 0;
    for (; n >= 1024 && n % 1024 === 0 && i < 4; i++) n /= 1024;
    return `${n}${" kMGT"[i].trim()}`;
  },

  /* A part of one as a difference: +0.25 % */
  percent(x) {
    if (x === 0) return "0 %";
    const size = Math.abs(x * 100);
    const digits = size >= 10 ? 0 : size >= 1 ? 1 : size >= 0.1 ? 2 : 3;
    return `${x < 0 ? "−" : "+"}${size.toFixed(digits)} %`;
  },

  /* A round time, in the unit in which it is shortest: 500 ns, 1 µs, 20 ms */
  tick(ns) {
    const unit = [
      { name: "s", ns: 1e9 },
      { name: "ms", ns: 1e6 },
      { name: "µs", ns: 1e3 },
      { name: "ns", ns: 1 },
    ].find((u) => ns >= u.ns * 0.999);
    return unit ? `${format.plain(ns / unit.ns, 3)} ${unit.name}` : "0";
  },

  /* 1, 2, 5 of each power of ten from low to high, or fewer: at most about n */
  powers(low, high, n) {
    const decades = Math.log10(high / low);
    const steps = 3 * decades <= n ? [1, 2, 5] : 2 * decades <= n ? [1, 3] : [1];
    const every = Math.max(1, Math.ceil(decades / n));
    const out = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1e-9; power += every)
      for (const step of steps)
        if (step * 10 ** power >= low * 0.9999 && step * 10 ** power <= high * 1.0001)
          out.push(step * 10 ** power);
    return out.length > 1 ? out : format.ticks(low, high, n);
  },

  /* Round steps from low to high, about n of them. */
  ticks(low, high, n) {
    const raw = (high - low) / Math.max(1, n);
    if (!(raw > 0)) return [low];
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= raw * (1 - 1e-9));
    const out = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); i++)
      out.push(i * step);
    return out;
  },
};
