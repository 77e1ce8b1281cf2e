/* SPDX-License-Identifier: MIT */
/*
 * Files that a reader can keep: a figure as SVG or PNG, and its data as CSV. A figure is copied as
 * it is seen: elements of SVG as they are with their computed style, texts and backgrounds of HTML as
 * texts and rectangles, curves as paths. Large diagrams, which are canvases, become images.
 */
"use strict";

const save = {
  /* An attribute of SVG for each property that decides how a shape looks. */
  STYLES: [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-opacity",
    "stroke-linecap",
    "opacity",
    "font-size",
    "font-weight",
    "font-family",
    "text-anchor",
    "dominant-baseline",
    "paint-order",
  ],

  /* The begin of the files' names. */
  prefix: () => records.all[0].collective,

  graphs: new Map() /* element of a chart to its dygraph */,

  /* The buttons below a figure. rows(): [[heading ...], [value ...] ...]; keys: what its colours
   * mean, an element or null */
  offer(id, name, rows, keys = null) {
    const figure = dom.by(id);
    const picture = () => save.picture(figure, keys);
    const begin = `${save.prefix()}-${name}`;
    const button = (kind, call) =>
      dom.html(
        "button",
        {
          type: "button",
          class: "quiet",
          "data-save": `${name}.${kind.toLowerCase()}`,
          "aria-label": `Save ${name} as ${kind}`,
          click: call,
        },
        kind,
      );
    (figure.closest(".scroll") ?? figure).after(
      dom.html(
        "p",
        { class: "save" },
        dom.html("span", { class: "soft", "aria-hidden": "true" }, "Save as"),
        button("SVG", () => save.file(`${begin}.svg`, "image/svg+xml", picture())),
        button("PNG", () => save.png(`${begin}.png`, picture())),
        button("CSV", () => save.file(`${begin}.csv`, "text/csv", save.csv(rows()))),
      ),
    );
  },

  /* CSV as in RFC 4180. null and NaN are empty. */
  csv(rows) {
    const cell = (value) => {
      const text = value == null || Number.isNaN(value) ? "" : `${value}`;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
  },

  file(name, type, content) {
    save.link(name, URL.createObjectURL(new Blob([content], { type })));
  },

  link(name, url) {
    const link = dom.html("a", { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    if (url.startsWith("blob:")) setTimeout(() => URL.revokeObjectURL(url), 10000);
  },

  /* Twice as many pixels as on the screen. */
  async png(name, svg) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = dom.html("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    save.link(name, canvas.toDataURL("image/png"));
  },

  /* The text of an SVG file: the title, the figure, and below it what its colours mean. */
  picture(figure, keys) {
    const [at, below] = [figure, keys].map((element) => element?.getBoundingClientRect());
    const [top, edge] = [40, 8];
    const tall = Math.ceil(Math.max(at.height, figure.scrollHeight));
    const width = Math.ceil(Math.max(at.width, figure.scrollWidth)) + 2 * edge;
    const height = top + tall + (below ? Math.ceil(below.height) + edge : 0) + edge;
    const heading = figure.closest("section").querySelector("h2").textContent;
    const title = `${dom.by("title").textContent}: ${heading}`;
    const root = dom.svg("svg", { width, height, viewBox: `${-edge} ${-top} ${width} ${height}` });
    root.append(
      dom.svg("title", {}, title),
      dom.svg("rect", { x: -edge, y: -top, width, height, fill: theme.color("paper") }),
      dom.svg(
        "text",
        {
          x: 0,
          y: edge - top + 14,
          fill: theme.color("ink"),
          "font-size": 15,
          "font-weight": 600,
          "font-family": getComputedStyle(document.body).fontFamily,
        },
        title,
      ),
    );
    save.copy(figure, { x: at.left, y: at.top }, root);
    if (keys) save.copy(keys, { x: below.left, y: below.top - tall - edge }, root);
    root.append(save.patterns(root));
    return new XMLSerializer().serializeToString(root);
  },

  /* The patterns that fill the shapes, but are defined elsewhere in the page. */
  patterns(root) {
    const used = [...root.querySelectorAll("[fill^=url]")].map(
      (node) => node.getAttribute("fill").match(/#([\w-]+)/)[1],
    );
    const missing = [...new Set(used)].filter((id) => !root.querySelector(`#${id}`));
    return dom.svg("defs", {}, ...missing.map((id) => save.plain(dom.by(id))));
  },

  /* A copy of an SVG element that needs no style sheet. */
  plain(element) {
    const copy = element.cloneNode(true);
    const from = [element, ...element.querySelectorAll("*")];
    [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
      const style = getComputedStyle(from[i]);
      node.removeAttribute("style");
      node.removeAttribute("class");
      for (const name of save.STYLES)
        if (style.getPropertyValue(name)) node.setAttribute(name, style.getPropertyValue(name));
    });
    return copy;
  },

  /* Copy the visible parts of an HTML element and of its descendants. */
  copy(element, origin, root) {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const place = { x: box.left - origin.x, y: box.top - origin.y };
    if (style.display === "none" || style.visibility === "hidden") return;
    if (element.matches(".hidden, label:has(input:not(:checked))")) return;
    if (element instanceof SVGSVGElement) {
      const { width, height } = box;
      root.append(
        dom.fill(save.plain(element), { ...place, width, height, overflow: "visible" }, []),
      );
      return;
    }
    if (element instanceof HTMLCanvasElement) {
      if (!element.closest(".chart")) root.append(save.pixels(element, place, box));
      return;
    }
    if (!/^rgba\(.*, 0\)$/.test(style.backgroundColor))
      root.append(
        dom.svg("rect", {
          ...place,
          width: box.width,
          height: box.height,
          rx: Number.parseFloat(style.borderRadius) || 0,
          fill: style.backgroundColor,
        }),
      );
    if (save.graphs.get(element)) root.append(...paths.of(save.graphs.get(element), place));
    for (const child of element.childNodes)
      if (child instanceof Element) save.copy(child, origin, root);
      else if (child.nodeType === Node.TEXT_NODE) save.text(child, style, origin, root);
  },

  /* A page is printed without new contents of a canvas: there, curves are paths. */
  onPaper() {
    for (const old of document.querySelectorAll(".on-paper")) old.remove();
    if (theme.printing === null) return;
    for (const [element, graph] of save.graphs)
      element.append(
        dom.svg(
          "svg",
          { class: "on-paper", "aria-hidden": "true", width: "100%", height: "100%" },
          ...paths.of(graph, { x: 0, y: 0 }),
        ),
      );
  },

  pixels(canvas, place, box) {
    return dom.svg("image", {
      ...place,
      width: box.width,
      height: box.height,
      href: canvas.toDataURL("image/png"),
    });
  },

  /* A line of text; one that is turned by the style sheet is turned here too. */
  text(node, style, origin, root) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const text = node.textContent.trim().replace(/\s+/g, " ");
    if (text === "" || box.width === 0) return;
    const size = Number.parseFloat(style.fontSize);
    const [x, y] = [box.left - origin.x, box.top - origin.y];
    const turned = text.length > 2 && box.height > 2 * box.width;
    root.append(
      dom.svg(
        "text",
        {
          ...(turned
            ? { transform: `translate(${x + box.width * 0.75} ${y + box.height}) rotate(-90)` }
            : { x, y: y + box.height / 2 + 0.35 * size }),
          fill: style.color,
          "font-size": size,
          "font-weight": style.fontWeight,
          "font-family": style.fontFamily,
        },
        text,
      ),
    );
  },
};
