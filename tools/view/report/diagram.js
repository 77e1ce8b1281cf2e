/* SPDX-License-Identifier: MIT */
/* The section of the space-time diagrams: the choice of the diagram on the stage, and its description. */
"use strict";

const STEPS_LISTED = 500; /* of a path */

const diagram = {
  all: [] /* [{algorithm, run, prediction, explain}], traces as they come until they are looked at */,
  decoded: new Map(),

  trace(data) {
    if (!data) return null;
    if (!diagram.decoded.has(data)) diagram.decoded.set(data, new Trace(data));
    return diagram.decoded.get(data);
  },

  show() {
    const { run, prediction, explain, runs } = diagram.all[dom.by("trace").value];
    const whole = { run: diagram.trace(run), prediction: diagram.trace(prediction) };
    /* where latencies vary it explains the worst case, which no trace shows */
    const explained = explain && whole.prediction && whole.prediction.end === explain.ns;
    whole.path = explained
      ? explain.path.map((p) => [p.kind, p.rank, p.peer, p.start_ns, p.end_ns])
      : null;
    const choices = [
      ["Run", whole.run && [whole.run]],
      ["Prediction", whole.prediction && [whole.prediction]],
      ["Both", whole.run && whole.prediction && [whole.run, whole.prediction]],
    ].filter(([, traces]) => traces);
    const first = choices[choices.length - 1][1];
    diagram.runs = runs;
    player.stop();
    diagram.overlay(choices);
    dom.by("path-row").hidden = !explained;
    stage.put(whole, first, diagram.path(whole));
    player.show(1);
    diagram.kinds(whole);
    diagram.explain(explained ? explain : null, whole);
    dom.by("event").textContent = diagram.hint(whole);
    late.show();
  },

  hint(whole) {
    const trace = whole.run ?? whole.prediction;
    const dropped =
      trace.dropped > 0 ? `; ${format.plain(trace.dropped, 0)} more were not kept` : "";
    return `${format.plain(trace.n, 0)} events of ${format.plain(trace.P, 0)} processors${dropped}. Point at a box to read it.${whole.run && whole.run.source === "wall" && diagram.runs > 1 ? ` The run is, of ${diagram.runs}, the one that the host disturbed least.` : ""}`;
  },

  path(whole) {
    return dom.by("path").checked ? whole.path : null;
  },

  overlay(choices) {
    const box = dom.by("overlay");
    box.replaceChildren(
      dom.html("legend", { class: "hidden" }, "Diagram of"),
      ...choices.map(([name, traces], i) =>
        dom.html(
          "label",
          {},
          dom.html("input", {
            type: "radio",
            name: "overlay",
            value: name.toLowerCase(),
            checked: i === choices.length - 1,
            change: () => stage.choose(traces),
          }),
          name,
        ),
      ),
    );
    box.hidden = choices.length < 2;
  },

  /* What the boxes mean: those that there are. */
  kinds(whole) {
    const { costs } = whole.run ?? whole.prediction;
    const words = {
      send: "send (o)",
      receive: `receive (${costs.receive})`,
      compute: "compute",
      gap: `gap (${costs.gap})`,
      stall: "stall: the network is full",
      mark: "mark",
    };
    const seen = new Set();
    for (const trace of [whole.run, whole.prediction].filter(Boolean))
      for (const k of trace.kind) seen.add(KINDS[k]);
    const sample = (inside) =>
      dom.svg("svg", { width: 22, height: 14, "aria-hidden": "true" }, inside);
    const items = Object.entries(words)
      .filter(([kind]) => seen.has(kind))
      .map(([kind, text]) =>
        dom.html(
          "li",
          {},
          sample(
            dom.svg("rect", {
              x: 1,
              y: kind === "gap" ? 4 : 1,
              width: kind === "mark" ? 2 : 20,
              height: kind === "gap" ? 6 : 12,
              rx: 2,
              style: `fill: ${kind === "gap" || kind === "stall" ? `url(#key-${kind})` : `var(--${kind})`}`,
            }),
          ),
          text,
        ),
      );
    if (costs.port)
      items.push(
        dom.html(
          "li",
          {},
          sample(
            dom.svg("rect", { x: 1, y: 5, width: 20, height: 4, style: "fill: var(--stream)" }),
          ),
          `port streams (${costs.port})`,
        ),
      );
    items.push(
      dom.html(
        "li",
        {},
        sample(
          dom.svg("line", {
            x1: 2,
            y1: 2,
            x2: 20,
            y2: 12,
            style: "stroke: var(--soft); stroke-width: 1.4",
          }),
        ),
        `message on its way (${costs.message})`,
      ),
    );
    if (whole.path)
      items.push(
        dom.html(
          "li",
          {},
          sample(
            dom.svg("line", {
              x1: 1,
              y1: 7,
              x2: 21,
              y2: 7,
              class: "critical",
              style: "stroke: var(--path); stroke-width: 3",
            }),
          ),
          "critical path",
        ),
      );
    if (whole.run && whole.prediction)
      items.push(
        dom.html(
          "li",
          {},
          whole.prediction.P > 60
            ? "when zoomed in, each row has two lanes: the run and, paler, the prediction"
            : "upper lane: the run; lower, paler: the prediction",
        ),
      );
    if (whole.run && whole.run.late.some((ns) => ns > 0))
      items.push(
        dom.html(
          "li",
          {},
          sample(
            dom.svg("rect", { x: 1, y: 6, width: 20, height: 3, style: "fill: var(--stall)" }),
          ),
          "the host was late",
        ),
      );
    dom.by("kinds").replaceChildren(diagram.hatches(), ...items);
  },

  hatches() {
    const defs = SvgBoxes.patterns();
    for (const node of defs.querySelectorAll("[id]"))
      node.id = `key-${node.id.replace("-hatch", "")}`;
    return dom.html(
      "li",
      { class: "hidden" },
      dom.svg("svg", { width: 0, height: 0, "aria-hidden": "true" }, defs),
    );
  },

  /* "T = 2L + 4o + g"; what costs nothing is left out */
  sum(explain) {
    const [r] = records.all;
    const costs = { G: r.G_ns_per_byte, gamma: r.gamma_ns };
    const parts = ["L", "o", "o_send", "o_recv", "g", "G", "gamma"]
      .filter(
        (name) =>
          explain[name] > 0 && costs[name] !== 0 && !(name.startsWith("o_") && explain.o != null),
      )
      .map(
        (name) =>
          `${explain[name] === 1 ? "" : format.plain(explain[name], 0)}${name.replace("gamma", "γ")}`,
      );
    if (explain.links_ns > 0) parts.push(`${format.time(explain.links_ns)} of links`);
    if (explain.compute_ns > 0) parts.push(`${format.time(explain.compute_ns)} computed`);
    return `T = ${parts.join(" + ") || "0"}`;
  },

  explain(explain, { path, run, prediction }) {
    dom.by("path-part").hidden = !explain;
    if (!explain) return;
    const unit = format.unit(explain.ns);
    dom
      .by("path-sum")
      .replaceChildren(
        dom.html("strong", {}, diagram.sum(explain)),
        ` = ${format.time(explain.ns)}, through ${new Set(path.map((p) => p[1])).size} of ${(run ?? prediction).P} processors.`,
      );
    const what = {
      send: (r, p) => `P${r} sends to P${p}`,
      wire: (r, p) => `on the way from P${r} to P${p}`,
      receive: (r, p) => `P${r} receives from P${p}`,
      compute: (r) => `P${r} computes`,
      gap: (r) => `P${r} waits for its gap`,
    };
    dom.table(
      dom.by("path-table"),
      [`from, ${unit.name}`, `to, ${unit.name}`, "what"],
      path
        .slice(0, STEPS_LISTED)
        .map(([kind, rank, peer, from, to]) => [
          format.cell(from, unit),
          format.cell(to, unit),
          what[kind](rank, peer),
        ]),
      3,
    );
    dom.by("path-more").textContent =
      path.length > STEPS_LISTED
        ? `${format.plain(path.length - STEPS_LISTED, 0)} more steps; logp run --explain --format json has all.`
        : "";
  },

  begin(data) {
    if (data.length === 0) return;
    diagram.all = data;
    dom.by("diagram").hidden = false;
    const at = records.points.find((point) =>
      point.rows.some((row) => row.record === records.all[data[0].record]),
    );
    dom.by("diagram-note").textContent = records.points.length > 1 && at ? `At ${at.label}.` : "";
    dom.options(
      dom.by("trace"),
      data.map((d) => d.name),
    );
    stage.begin();
    hands.begin();
    player.begin();
    dom.by("trace").addEventListener("change", diagram.show);
    dom.by("path").addEventListener("change", () => {
      stage.state.path = diagram.path(stage.whole);
      stage.draw();
    });
    dom.by("messages").addEventListener("change", (event) => {
      stage.state.messages = event.target.checked;
      stage.draw();
    });
    theme.changed.push(late.show);
    diagram.show();
    save.offer("late", "lateness", late.csv);
    save.offer("stage", "diagram", diagram.csv, dom.by("kinds"));
    diagram.remember();
  },

  /* The events that are on the stage. */
  csv() {
    const rows = stage.state.traces.flatMap((trace) =>
      Array.from({ length: trace.n }, (_, i) => {
        const message = trace.kind[i] < 2;
        return [
          trace.source,
          trace.rankOf(i),
          KINDS[trace.kind[i]],
          trace.start[i],
          trace.endOf(i),
          trace.peer[i] > 0 ? trace.peer[i] - 1 : null,
          message ? trace.bytes[i] : null,
          message ? trace.tag[i] - 1 : null,
          trace.late[i],
          trace.stream[i],
        ];
      }),
    );
    return [
      ["source", "rank", "kind", "start_ns", "end_ns", "peer", "bytes", "tag", "late_ns", "stream_ns"],
      ...rows,
    ];
  },

  /* In the order in which one changes the others. */
  remember() {
    address.control("trace", "trace");
    address.keep(
      "overlay",
      () => dom.by("overlay").querySelector(":checked")?.value ?? "",
      (text) => dom.by("overlay").querySelector(`[value="${CSS.escape(text)}"]`)?.click(),
    );
    address.control("path", "path");
    address.control("messages", "messages");
    address.control("time", "scrub");
    address.keep(
      "view",
      () => stage.state.view.text(),
      (text) => {
        stage.state.view.take(text);
        stage.draw();
      },
    );
  },
};
