/* SPDX-License-Identifier: MIT */
/*
 * Sliders for L, o, g and G: the times of all algorithms of a point with other parameters. The
 * library's own fold recomputes it, as WebAssembly that is unpacked when a slider first moves.
 */
"use strict";

/* The C library first asks for open files, of which there are none. */
const WASI_EBADF = 8;

const what_if = {
  FOLDED_MESSAGES: 65536 /* more take too long for a slider: as logp predict has it */,
  points: [] /* of each point of records its values; null: it has no sliders */,
  rows: [],
  module: null /* a promise of the exports */,
  turn: 0 /* of the computation that counts: the last */,

  /* unit: what a slider's middle is if the value was 0 */
  SLIDERS: [
    { id: "what-if-L", name: "L", keys: ["L"], unit: 1000 },
    { id: "what-if-o", name: "o", keys: ["o_send", "o_recv"], unit: 1000 },
    { id: "what-if-g", name: "g", keys: ["g"], unit: 1000 },
    { id: "what-if-G", name: "G", keys: ["G"], unit: 1000, isRate: true },
  ],

  /* At 0 the value is 0, at 100 unchanged, and each further 50 multiply it by ten. A value of 0
   * stays 0 up to 100, and beyond grows from a hundredth of the unit to a hundred units. */
  scaled(was, unit, at) {
    if (at === 0 || (was === 0 && at <= 100)) return 0;
    return Math.round(was > 0 ? was * 10 ** ((at - 100) / 50) : unit * 10 ** ((at - 150) / 25));
  },

  /* The values of a point as the sliders have them. */
  values(was) {
    const now = { ...was };
    for (const slider of what_if.SLIDERS)
      for (const key of slider.keys)
        now[key] = what_if.scaled(was[key], slider.unit, +dom.by(slider.id).value);
    return now;
  },

  say(slider, values) {
    const show = (x) =>
      slider.isRate ? `${+(x / 1000).toPrecision(4)} ns/byte` : format.time(x);
    return [...new Set(slider.keys.map((key) => show(values[key])))].join(" / ");
  },

  async load() {
    const packed = Trace.bytes(dom.by("fold").textContent);
    const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const module = await WebAssembly.compile(await new Response(plain).arrayBuffer());
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      imports[from] ??= {};
      imports[from][name] = () => {
        if (name === "fd_prestat_get") return WASI_EBADF;
        throw new Error(`the fold calls ${name}`);
      };
    }
    const fold = (await WebAssembly.instantiate(module, imports)).exports;
    fold._initialize();
    return fold;
  },

  /* In ns; null: there is no prediction. */
  compute(fold, collective, algorithm, values, byFold) {
    const text = (place, string) => {
      const bytes = new TextEncoder().encode(`${string}\0`);
      if (bytes.length <= 64) new Uint8Array(fold.memory.buffer, place.value, 64).set(bytes);
    };
    text(fold.what_if_collective, collective);
    text(fold.what_if_algorithm, algorithm);
    const numbers = Object.values(values);
    new Float64Array(fold.memory.buffer, fold.what_if_values.value, numbers.length).set(numbers);
    const ns = fold.what_if(+byFold);
    return ns < 0 ? null : ns;
  },

  point() {
    return what_if.points[records.points.findIndex((point) => point.rows === what_if.rows)];
  },

  moved() {
    return what_if.SLIDERS.some(({ id }) => dom.by(id).value !== "100");
  },

  async update() {
    const was = what_if.point();
    const turn = ++what_if.turn;
    dom.by("what-if").hidden = !was;
    dom.by("what-if").classList.toggle("moved", what_if.moved()); /* else it is not printed */
    if (!was) return;
    const now = what_if.values(was);
    for (const slider of what_if.SLIDERS) {
      const text = what_if.say(slider, now);
      dom.by(`${slider.id}-value`).textContent = text;
      dom.by(slider.id).setAttribute("aria-valuetext", text);
    }
    const known = what_if.rows.filter((row) => row.predicted !== null && row.certainty !== "none");
    if (!what_if.moved()) {
      what_if.show(known.map((row) => ({ row, ns: row.predicted })));
      return;
    }
    what_if.module ??= what_if.load();
    const fold = await what_if.module;
    await new Promise(requestAnimationFrame); /* a slider that moves on makes this turn void */
    if (turn !== what_if.turn) return;
    what_if.show(
      known.map((row) => {
        const { collective, messages } = row.record;
        const byFold = messages !== null && messages <= what_if.FOLDED_MESSAGES;
        return { row, ns: what_if.compute(fold, collective, row.name, now, byFold) };
      }),
    );
  },

  show(all) {
    what_if.shown = all.toSorted((a, b) => (a.ns ?? Infinity) - (b.ns ?? Infinity));
    const most = Math.max(1, ...all.flatMap(({ row, ns }) => [row.predicted, ns ?? 0])) * 1.02;
    const unit = format.usual(all.flatMap(({ row, ns }) => [row.predicted, ns]));
    const line = ({ row, ns }) => {
      const bar = ranking.bar({ predicted: row.predicted, median: ns, least: null }, most);
      const cell = (text) => dom.html("td", {}, text);
      return dom.html(
        "tr",
        {},
        dom.html("th", { scope: "row" }, row.name),
        cell(format.cell(row.predicted, unit)),
        cell(format.cell(ns, unit)),
        cell(ns === null || row.predicted === 0 ? "–" : format.percent(ns / row.predicted - 1)),
        dom.html("td", { class: "bar" }, bar),
      );
    };
    const headings = [
      "Algorithm",
      `As it was, ${unit.name}`,
      `What if, ${unit.name}`,
      "Change",
    ].map((text) => dom.html("th", { scope: "col" }, text));
    headings.push(dom.html("th", { scope: "col", class: "bar left" }, "Time"));
    dom
      .by("what-if-table")
      .replaceChildren(
        dom.html("thead", {}, dom.html("tr", {}, ...headings)),
        dom.html("tbody", {}, ...what_if.shown.map(line)),
      );
  },

  csv() {
    const now = what_if.values(what_if.point());
    const keys = ["L", "o_send", "o_recv", "g", "G"];
    return [
      ["algorithm", "predicted_ns", "what_if_ns", ...keys.map((k) => `${k}_${k === "G" ? "ps_per_byte" : "ns"}`)],
      ...what_if.shown.map(({ row, ns }) => [
        row.name,
        row.predicted,
        ns,
        ...keys.map((key) => now[key]),
      ]),
    ];
  },

  at(rows) {
    what_if.rows = rows;
    what_if.update();
  },

  begin(data) {
    const values = new Map();
    let i = 0;
    for (const point of data)
      for (const end = i + point.records; i < end; i++) values.set(records.all[i], point.values);
    what_if.points = records.points.map((point) => values.get(point.rows[0].record) ?? null);
    for (const { id } of what_if.SLIDERS) {
      dom.by(id).addEventListener("input", what_if.update);
      address.control(id, id);
    }
    dom.by("what-if-reset").addEventListener("click", () => {
      for (const { id } of what_if.SLIDERS) dom.by(id).value = 100;
      what_if.update();
    });
    if (what_if.points.some(Boolean)) save.offer("what-if-table", "what-if", what_if.csv);
  },
};
