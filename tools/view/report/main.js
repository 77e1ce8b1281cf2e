/* SPDX-License-Identifier: MIT */
/* The page: each section shows its part of the data. */
"use strict";

const report = {
  rows: [] /* of the point that is shown */,

  point(i) {
    const { rows } = records.points[i];
    report.rows = rows;
    facts.figures(rows);
    ratios.show(rows);
    ranking.show(rows);
    lag.show(rows);
    what_if.at(rows);
  },

  offers(data) {
    save.offer("ratios", "ratios", () => ratios.csv(report.rows));
    save.offer("ranking-table", "ranking", () => ranking.csv(report.rows));
    save.offer("lag-spread", "lag", () => lag.csv(report.rows));
    if (data.map) save.offer("map", "map", () => map.csv(data.map), dom.by("map-legend"));
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
    what_if.begin(data.what_if);
    report.point(0);
    map.show(data.map);
    address.control("point", "point");
    address.keep("dark", theme.chosen, theme.choose);
    curves.begin();
    report.offers(data);
    diagram.begin(data.diagrams);
    theme.changed.push(save.onPaper); /* after the curves have been drawn */
    report.sections();
    address.begin();
  },
};

report.begin();
