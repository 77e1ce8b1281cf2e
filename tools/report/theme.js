/* SPDX-License-Identifier: MIT */
/* Light or dark: as the system says, until somebody presses the button. */
"use strict";

const theme = {
  changed: [] /* to be called when it has */,
  known: new Map() /* colours that were asked for */,

  isDark() {
    const forced = document.documentElement.style.colorScheme;
    return forced ? forced === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  },

  /* The colour of a variable of the style sheet, as "rgb(...)". */
  color(name) {
    if (!theme.known.has(name)) {
      const probe = dom.html("i", { style: `color: var(--${name})` });
      document.body.append(probe);
      theme.known.set(name, getComputedStyle(probe).color);
      probe.remove();
    }
    return theme.known.get(name);
  },

  show() {
    theme.known.clear();
    dom.by("theme").setAttribute("aria-pressed", theme.isDark());
    for (const call of theme.changed) call();
  },

  begin() {
    dom.by("theme").addEventListener("click", () => {
      document.documentElement.style.colorScheme = theme.isDark() ? "light" : "dark";
      theme.show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.show);
    dom.by("theme").setAttribute("aria-pressed", theme.isDark());
  },
};
