/* SPDX-License-Identifier: MIT */
/* Light or dark: as in the system's settings, until the button is pressed. */
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

  /* "1": dark, "0": light, "": as in the system's settings */
  chosen() {
    const forced = document.documentElement.style.colorScheme;
    return forced ? `${+(forced === "dark")}` : "";
  },

  choose(text) {
    document.documentElement.style.colorScheme = { 1: "dark", 0: "light" }[text] ?? "";
    theme.show();
  },

  begin() {
    dom.by("theme").addEventListener("click", () => theme.choose(theme.isDark() ? "0" : "1"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.show);
    dom.by("theme").setAttribute("aria-pressed", theme.isDark());
  },
};
