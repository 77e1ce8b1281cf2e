/* SPDX-License-Identifier: MIT */
/* Making elements: dom.html("p", {class: "say"}, "text", child), and the same of SVG. */
"use strict";

const dom = {
  by(id) {
    return document.getElementById(id);
  },

  fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes))
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value === true) element.setAttribute(name, "");
      else if (value != null && value !== false) element.setAttribute(name, value);
    element.append(...children.filter((child) => child != null));
    return element;
  },

  html(tag, attributes = {}, ...children) {
    return dom.fill(document.createElement(tag), attributes, children);
  },

  svg(tag, attributes = {}, ...children) {
    return dom.fill(
      document.createElementNS("http://www.w3.org/2000/svg", tag),
      attributes,
      children,
    );
  },

  /* dt and dd */
  pairs(list, pairs) {
    for (const [name, value, ...more] of pairs)
      if (value != null && value !== "")
        list.append(
          dom.html(
            "div",
            { style: "display: contents" },
            dom.html("dt", {}, name),
            dom.html("dd", {}, value, ...more),
          ),
        );
  },

  options(select, names) {
    select.replaceChildren(...names.map((name, i) => dom.html("option", { value: i }, name)));
  },

  /* A table from rows of texts; cells of the first column are headings of their rows. */
  table(table, head, rows, left = 1) {
    const side = (i) => (i < left ? "left" : null);
    const cell = (text, i) =>
      i === 0
        ? dom.html("th", { scope: "row", class: "left" }, text)
        : dom.html("td", { class: side(i) }, text);
    table.replaceChildren(
      dom.html(
        "thead",
        {},
        dom.html(
          "tr",
          {},
          ...head.map((text, i) => dom.html("th", { scope: "col", class: side(i) }, text)),
        ),
      ),
      dom.html("tbody", {}, ...rows.map((row) => dom.html("tr", {}, ...row.map(cell)))),
    );
  },
};
