/* SPDX-License-Identifier: MIT */
/* The command and its parameters, the host, and how to repeat the run. */
"use strict";

const facts = {
  lead() {
    const [r] = records.all;
    const same = (key) => records.all.every((other) => other[key] === r[key]);
    const operands = [];
    if (r.bytes && !r.count && !r.rows && same("bytes"))
      operands.push(`of ${format.plain(r.bytes, 0)} bytes`);
    if (r.count && same("count"))
      operands.push(`of ${format.plain(r.count, 0)} × ${r.type}, ${r.op}`);
    if (r.rows && same("rows") && same("cols")) operands.push(`of ${r.rows} × ${r.cols}`);
    const all = [...new Set(records.all.map((x) => x.collective))].join(", ");
    const name = all[0].toUpperCase() + all.slice(1);
    const title = [
      `${name} ${operands.join(" ")}`.trim(),
      same("P")
        ? `P = ${r.P}`
        : `P = ${Math.min(...records.all.map((x) => x.P))} … ${Math.max(...records.all.map((x) => x.P))}`,
    ].join(", ");
    document.title = `${title} – LogP report`;
    dom.by("title").textContent = title;
    if (r.clock !== "wall") {
      dom.by("results-title").textContent = "Emulated against predicted";
      dom.by("curves-lines").textContent = "Lines are emulated times, dashes the prediction.";
    }
    const values = (key, show) => {
      const all = [...new Set(records.all.map((x) => x[key]))];
      return all.length > 3
        ? `${show(Math.min(...all))} … ${show(Math.max(...all))}`
        : all.map(show).join(", ");
    };
    /* one unit for all of them, so that they compare at a glance */
    const times = ["L_ns", "o_send_ns", "o_recv_ns", "g_ns"].map((key) => r[key] ?? 0);
    const unit = format.unit(Math.max(...times));
    const time = (key, name) =>
      r[key] === null ? null : `${name} = ${values(key, (ns) => format.time(ns, unit))}`;
    const o =
      records.all.every((x) => x.o_send_ns === x.o_recv_ns)
        ? [time("o_send_ns", "o")]
        : [time("o_send_ns", "o_send"), time("o_recv_ns", "o_recv")];
    /* Nanoseconds a byte are the inverse of GB/s. */
    const G = (ns) =>
      ns
        ? `${+ns.toPrecision(6)} ns/byte (${ns > 1 ? `${+(1000 / ns).toPrecision(3)} MB/s` : `${+(1 / ns).toPrecision(3)} GB/s`})`
        : "0 ns/byte";
    const model =
      r.delay === "none"
        ? ["nothing is emulated"]
        : [
            time("L_ns", "L"),
            ...o,
            time("g_ns", "g"),
            `G = ${values("G_ns_per_byte", G)}`,
          ];
    dom.by("subtitle").textContent = [
      ...model,
      r.topology ? `on ${r.topology}` : null,
      r.nodes ? `nodes ${r.nodes}` : null,
      r.links ? "links with own costs" : null,
      `${r.clock} clock`,
      `${r.executor} executor`,
    ]
      .filter(Boolean)
      .join(" · ");
  },

  /* The parameters that all records share. */
  parameters() {
    const [r] = records.all;
    const names = {
      P: "P",
      L_ns: "L",
      o_send_ns: "o, sending",
      o_recv_ns: "o, receiving",
      g_ns: "g",
      G_ns_per_byte: "G per byte",
      gamma_ns: "γ, to combine",
      delay: "Delay",
      topology: "Topology",
      nodes: "Nodes",
      links: "Links",
      machine: "Machine",
      gap: "Gap",
      capacity: "Capacity",
      root: "Root",
      bytes: "Bytes",
      count: "Operands",
      type: "Type",
      op: "Operation",
      rows: "Rows",
      cols: "Columns",
      seed: "Seed",
      reps: "Runs per algorithm",
    };
    if (records.all.every((other) => other.o_send_ns === other.o_recv_ns)) {
      names.o_send_ns = "o";
      delete names.o_recv_ns;
    }
    return Object.entries(names)
      .filter(([key]) => r[key] != null)
      .map(([key, name]) => {
        const values = [...new Set(records.all.map((other) => other[key]))];
        const show = (v) =>
          key.includes("_ns") && v !== null
            ? v % 1 === 0
              ? format.time(v)
              : `${v} ns`
            : v === true
              ? "on"
              : v === false
                ? "off"
                : `${v}`;
        return [
          name,
          values.length > 6
            ? `${show(values[0])} … ${show(values[values.length - 1])}`
            : values.map(show).join(", "),
        ];
      });
  },

  /* The best at a point, in a few numbers. */
  figures(rows) {
    const best = rows[0];
    const list = dom.by("key-figures");
    const unit = format.unit(best.median ?? 0);
    list.replaceChildren();
    const figure = (name, value, note) =>
      list.append(
        dom.html(
          "div",
          {},
          dom.html("dt", {}, name),
          dom.html("dd", {}, value, note ? dom.html("small", {}, note) : null),
        ),
      );
    figure(
      rows.length > 1 ? "Fastest algorithm" : "Algorithm",
      best.name,
      rows.length > 1 ? `of ${rows.length}` : null,
    );
    figure("Predicted", format.time(best.predicted), best.certainty);
    if (best.median !== null)
      figure(
        best.record.clock === "wall" ? "Measured" : "Emulated",
        format.time(best.median),
        best.record.clock === "wall" && best.interval.high > best.interval.low
          ? `${format.in(best.interval.low, unit)} to ${format.time(best.interval.high, unit)}`
          : "on the virtual clock",
      );
    if (best.ratio !== null)
      figure(
        "Deviation",
        format.percent(best.ratio - 1),
        `ratio ${best.ratio.toFixed(4)}`,
      );
    if (best.ofBest !== null)
      figure(
        "Lower bound",
        format.time(best.least),
        `predicted: ${best.ofBest.toFixed(3)} x bound`,
      );
  },

  copy(text, button) {
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    };
    const area = dom.html("textarea", { style: "position: fixed; opacity: 0" }, text);
    document.body.append(area);
    area.select();
    if (document.execCommand("copy"))
      done(); /* a page opened from a file has no navigator.clipboard */
    area.remove();
    button.focus();
  },

  show(data) {
    dom.pairs(dom.by("machine"), data.machine);
    dom.pairs(dom.by("parameters"), facts.parameters());
    for (const { what, command } of data.commands)
      dom
        .by("commands")
        .append(
          dom.html(
            "li",
            {},
            dom.html("span", {}, what),
            dom.html("code", {}, command),
            dom.html(
              "button",
              { type: "button", class: "quiet", click: (e) => facts.copy(command, e.target) },
              "Copy",
            ),
          ),
        );
    dom.by("made").textContent = data.made;
    const keys = Object.keys(data.records[0] ?? {}).filter((key) =>
      data.records.some((r) => r[key] !== null),
    );
    const head = keys.flatMap((key) =>
      facts.parts(data, key).map((part) => (part ? `${key} ${part}` : key)),
    );
    const text = (value) => (value == null ? "" : `${value}`);
    const rows = data.records.map((r) =>
      keys.flatMap((key) =>
        facts.parts(data, key).map((part) => text(part ? r[key]?.[part] : r[key])),
      ),
    );
    dom.table(dom.by("numbers"), head, rows, 2);
    dom
      .by("numbers-save")
      .addEventListener("click", () =>
        save.file(`${records.all[0].collective}-records.csv`, "text/csv", save.csv([head, ...rows])),
      );
  },

  /* The parts of a key whose values are objects; [null]: they are not. */
  parts(data, key) {
    const value = data.records.map((r) => r[key]).find((v) => v !== null);
    return typeof value === "object" ? Object.keys(value) : [null];
  },
};
