/* SPDX-License-Identifier: MIT */
/*
 * The marks of the algorithms: a colour that colour-blind people can distinguish from the others, a
 * letter and the shape of a point, so that no colour is needed.
 */
"use strict";

const palette = {
  colors: seriesColors /* canvas/palette.h: as ground and ink on it; as a line on light and dark paper */,

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
