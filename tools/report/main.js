/* SPDX-License-Identifier: MIT */
/* The page: each section shows its part of the data. */
"use strict";

const report = {
  point(i) {
    const { rows } = records.points[i];
    facts.figures(rows);
    ratios.show(rows);
    ranking.show(rows);
    lag.show(rows);
  },

  sections() {
    for (const section of document.querySelectorAll("main section[id]:not([hidden])"))
      dom
        .by("sections")
        .append(dom.html("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  },

  begin() {
    const data = JSON.parse(dom.by("data").textContent);
    theme.begin();
    records.begin(data);
    if (records.all.length === 0) {
      dom.by("title").textContent = "Nothing was run";
      return;
    }
    facts.lead();
    facts.show(data);
    dom.options(
      dom.by("point"),
      records.points.map((point) => point.label),
    );
    dom.by("point-row").hidden = records.points.length < 2;
    dom.by("point").addEventListener("change", (event) => report.point(event.target.value));
    report.point(0);
    map.show(data.map);
    curves.begin();
    diagram.begin(data.diagrams);
    report.sections();
  },
};

report.begin();
