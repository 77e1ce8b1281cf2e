/* SPDX-License-Identifier: MIT */
/*
 * The page's state in its address, "#results&point=2&axis=1": the section, and what differs from the
 * page as it opens. Whoever opens that address sees the same. A browser's step back is not added.
 */
"use strict";

const address = {
  section: "",
  kept: new Map() /* key to {read(), write(text), first}, in the order in which they are restored */,
  timer: 0,

  /* read() returns a text; write(text) changes the view, and is called only if the text differs. */
  keep(key, read, write) {
    address.kept.set(key, { read, write, first: read() });
  },

  /* A select, a checkbox or a slider. */
  control(key, id) {
    const element = dom.by(id);
    const box = element.type === "checkbox";
    address.keep(
      key,
      () => (box ? `${+element.checked}` : element.value),
      (text) => {
        if (box) element.checked = text === "1";
        else if (element.tagName !== "SELECT" || element.querySelector(`[value="${CSS.escape(text)}"]`))
          element.value = text;
        element.dispatchEvent(new Event(element.type === "range" ? "input" : "change", { bubbles: true }));
      },
    );
  },

  text() {
    const parts = [...address.kept]
      .map(([key, { read, first }]) => [key, read(), first])
      .filter(([, now, first]) => now !== first)
      .map(([key, now]) => `${key}=${encodeURIComponent(now)}`);
    return [address.section, ...parts].filter(Boolean).join("&");
  },

  /* Soon, and once for many changes: browsers refuse too many. */
  changed() {
    clearTimeout(address.timer);
    address.timer = setTimeout(address.write, 200);
  },

  write() {
    clearTimeout(address.timer);
    const text = address.text();
    if (text !== location.hash.slice(1)) history.replaceState(null, "", `#${text}`);
  },

  /* Restore the settings in the address; all others get their first values. */
  restore() {
    const [section, ...parts] = location.hash.slice(1).split("&");
    const wanted = new Map(
      (section.includes("=") ? [section, ...parts] : parts).map((part) => {
        const [key, ...value] = part.split("=");
        try {
          return [key, decodeURIComponent(value.join("="))];
        } catch {
          return [key, ""];
        }
      }),
    );
    address.section = section.includes("=") ? "" : section;
    for (const [key, { read, write, first }] of address.kept) {
      const text = wanted.get(key) ?? first;
      if (text !== read()) write(text);
    }
    if (address.section) document.getElementById(address.section)?.scrollIntoView();
  },

  begin() {
    address.restore();
    for (const kind of ["change", "input", "click"]) document.addEventListener(kind, address.changed);
    /* A link to a section brings its name alone: the rest stays. */
    addEventListener("hashchange", () => {
      const name = location.hash.slice(1);
      if (/^[a-z-]+$/.test(name)) address.section = name;
      else address.restore();
      address.write();
    });
  },
};
