/* SPDX-License-Identifier: MIT */
/*
 * What tells algorithms apart: a colour (Okabe and Ito's, which colour-blind people can tell apart),
 * and beside it a letter and the shape of a point, so that no colour is needed.
 */
"use strict";

const palette = {
  /* as background with ink on it; as a line on light and on dark paper */
  colors: [
    { fill: "#56b4e9", ink: "#06283d", light: "#0072b2", dark: "#56b4e9" },
    { fill: "#e69f00", ink: "#3a2800", light: "#b87a00", dark: "#f0a830" },
    { fill: "#009e73", ink: "#00150f", light: "#00805d", dark: "#35c79a" },
    { fill: "#cc79a7", ink: "#33091e", light: "#b04f85", dark: "#e294c0" },
    { fill: "#f0e442", ink: "#3b3700", light: "#8a8000", dark: "#f0e442" },
    { fill: "#d55e00", ink: "#1f0d00", light: "#d55e00", dark: "#ff8a3c" },
    { fill: "#0072b2", ink: "#ffffff", light: "#20406e", dark: "#8fb4f0" },
    { fill: "#c4c9ce", ink: "#22282e", light: "#59636e", dark: "#c4c9ce" },
  ],

  names: [] /* of all algorithms, in the order in which they get colours */,

  of(name) {
    let i = palette.names.indexOf(name);
    if (i < 0) i = palette.names.push(name) - 1;
    return {
      ...palette.colors[i % palette.colors.length],
      letter: palette.letter(i),
      shape: (i + Math.floor(i / 8)) % 5,
    };
  },

  letter(i) {
    return i < 26 ? String.fromCharCode(97 + i) : String.fromCharCode(65 + ((i - 26) % 26));
  },

  line(name) {
    const color = palette.of(name);
    return theme.isDark() ? color.dark : color.light;
  },

  /* The outline of a point's shape around (x, y), for a canvas: disc, square, diamond, two triangles */
  trace(context, shape, x, y, r) {
    const corners = [
      null,
      [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ],
      [
        [0, -1.3],
        [1.3, 0],
        [0, 1.3],
        [-1.3, 0],
      ],
      [
        [0, -1.3],
        [1.2, 0.9],
        [-1.2, 0.9],
      ],
      [
        [0, 1.3],
        [1.2, -0.9],
        [-1.2, -0.9],
      ],
    ][shape];
    context.beginPath();
    if (corners === null) context.arc(x, y, r * 1.1, 0, 2 * Math.PI);
    else for (const [dx, dy] of corners) context.lineTo(x + dx * r, y + dy * r);
    context.closePath();
  },

  /* A sample of it for a legend. */
  sample(name) {
    const { shape } = palette.of(name);
    const canvas = dom.html("canvas", {
      width: 36,
      height: 36,
      style: "width: 18px; height: 18px",
      "aria-hidden": "true",
    });
    const paint = () => {
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, 36, 36);
      palette.trace(context, shape, 18, 18, 9);
      context.fillStyle = palette.line(name);
      context.fill();
    };
    paint();
    theme.changed.push(paint);
    return canvas;
  },

  /* Its letter on its colour. */
  swatch(name) {
    const { fill, ink, letter } = palette.of(name);
    return dom.html(
      "span",
      { class: "swatch", style: `background: ${fill}; color: ${ink}`, "aria-hidden": "true" },
      letter,
    );
  },
};
