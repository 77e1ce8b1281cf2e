/* SPDX-License-Identifier: MIT */
/* Light or dark: as in the system's settings, until the button is pressed. */
"use strict";

const theme = {
  changed: [] /* to be called when it has */,
  printing: null /* while the page is printed: the scheme to return to */,
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

  /* A printed page is light and has the width of the paper: what is drawn is drawn again, at once. */
  print(on) {
    const root = document.documentElement;
    if (on === (theme.printing !== null)) return;
    const scheme = on ? "light" : theme.printing;
    theme.printing = on ? root.style.colorScheme : null;
    root.style.colorScheme = scheme;
    root.classList.toggle("printed", on);
    theme.known.clear();
    for (const call of theme.changed) call();
  },

  /* "1": dark, "0": light, "": as in the system's settings */
  chosen() {
    const forced = theme.printing ?? document.documentElement.style.colorScheme;
    return forced ? `${+(forced === "dark")}` : "";
  },

  choose(text) {
    document.documentElement.style.colorScheme = { 1: "dark", 0: "light" }[text] ?? "";
    theme.show();
  },

  begin() {
    dom.by("theme").addEventListener("click", () => theme.choose(theme.isDark() ? "0" : "1"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", theme.show);
    addEventListener("beforeprint", () => theme.print(true));
    addEventListener("afterprint", () => theme.print(false));
    dom.by("theme").setAttribute("aria-pressed", theme.isDark());
  },
};
