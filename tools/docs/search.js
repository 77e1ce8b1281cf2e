/* SPDX-License-Identifier: MIT */
/*
 * The search of the site: through all text of the pages and of the API, in the page and without a server.
 * search-index.js (made by search.awk) has the text; it is loaded when the field is first entered.
 */
"use strict";

const search = {
  SHOWN: 40 /* results at most */,
  EXCERPT: 150 /* characters of a result's text */,
  KINDS: {
    page: "page",
    section: "section",
    file: "header",
    struct: "struct",
    union: "union",
    function: "function",
    define: "macro",
    enum: "enum",
    enumvalue: "constant",
    typedef: "type",
    variable: "field",
  },
  /* Among equal matches the kind of more general use comes first. */
  ORDER: ["page", "function", "section", "file", "struct", "define", "enum", "typedef", "union", "enumvalue", "variable"],

  entries: null /* [{kind, name, page, url, text, lower_name, lower_text, lower_page}]; null: not loaded */,
  chosen: -1 /* the result that Enter opens */,

  by(id) {
    return document.getElementById(id);
  },

  /* "a "b c" d()" is a, "b c" and d. */
  terms(query) {
    const found = query.toLowerCase().match(/"[^"]+"?|[^\s"]+/g) ?? [];
    return found.map((term) => term.replace(/"/g, "").replace(/(.)\(\)?$/, "$1")).filter((term) => term.trim() !== "");
  },

  starts_word(text, at) {
    return at === 0 || !/[a-z0-9]/.test(text[at - 1]) || !/[a-z0-9]/.test(text[at]);
  },

  /* The score of a term in a name; 0: no match. */
  in_name(name, term) {
    const at = name.indexOf(term);
    if (at < 0) return 0;
    if (name === term) return 120;
    if (at === 0) return 60;
    return search.starts_word(name, at) ? 40 : 12;
  },

  /* The score of a term in a text: higher if a line begins with it, as a row of a table about it does. */
  in_text(text, term) {
    let best = 0;
    let n = 0;
    for (let at = text.indexOf(term); at >= 0 && n < 8; at = text.indexOf(term, at + term.length)) {
      const begins_line = at === 0 || text[at - 1] === "\n";
      best = Math.max(best, begins_line ? 18 : search.starts_word(text, at) ? 8 : 3);
      n++;
    }
    return best + n / 8;
  },

  /* @return [terms that were found, score] */
  score(entry, terms, phrase) {
    let found = 0;
    let score = 0;
    for (const term of terms) {
      const here = search.in_name(entry.lower_name, term) + search.in_text(entry.lower_text, term);
      const above = entry.lower_page.includes(term) ? 6 : 0;
      if (here + above > 0) found++;
      score += here + above;
    }
    if (terms.length > 1 && entry.lower_name.includes(phrase)) score += 60;
    if (terms.length > 1 && entry.lower_text.includes(phrase)) score += 20;
    return [found, score - search.ORDER.indexOf(entry.kind)];
  },

  /* @return {entries, found, all}: the best first, how many there are, and whether they have all terms */
  find(query) {
    const terms = search.terms(query);
    const rated = [];
    let most = 0;
    for (const entry of search.entries) {
      const [found, score] = search.score(entry, terms, terms.join(" "));
      if (found === 0 || found < most) continue;
      most = found;
      rated.push({ entry, found, score });
    }
    const best = rated.filter((it) => it.found === most).sort((a, b) => b.score - a.score);
    return {
      terms,
      entries: best.slice(0, search.SHOWN).map((it) => it.entry),
      found: best.length,
      all: most === terms.length,
    };
  },

  /* The text as nodes, with the matches in <mark>. */
  marked(text, terms) {
    const lower = text.toLowerCase();
    const nodes = [];
    let at = 0;
    while (at < text.length) {
      let next = text.length;
      let length = 0;
      for (const term of terms) {
        const here = lower.indexOf(term, at);
        if (here >= 0 && (here < next || (here === next && term.length > length))) {
          next = here;
          length = term.length;
        }
      }
      nodes.push(text.slice(at, next));
      if (length > 0) {
        const mark = document.createElement("mark");
        mark.textContent = text.slice(next, next + length);
        nodes.push(mark);
      }
      at = next + length;
    }
    return nodes;
  },

  /* The part of the text around the best place of a term, whole words only. */
  excerpt(entry, terms) {
    const { text, lower_text } = entry;
    let best = 0;
    let first = 0;
    for (const term of terms)
      for (let at = lower_text.indexOf(term); at >= 0; at = lower_text.indexOf(term, at + 1)) {
        const fit = search.in_text(lower_text.slice(Math.max(0, at - 1), at + term.length), term);
        if (fit > best) [best, first] = [fit, at];
      }
    const line = text.lastIndexOf("\n", first) + 1;
    let begin = Math.max(0, first - search.EXCERPT / 3);
    if (line >= begin) begin = line;
    else if (begin > 0) begin = text.indexOf(" ", begin) + 1 || begin;
    let end = Math.min(text.length, begin + search.EXCERPT);
    if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), begin + search.EXCERPT / 2);
    return (begin > 0 ? "... " : "") + text.slice(begin, end) + (end < text.length ? " ..." : "");
  },

  result(entry, terms, i) {
    const make = (tag, name, ...children) => {
      const element = document.createElement(tag);
      element.className = name;
      element.append(...children);
      return element;
    };
    const within = entry.page === entry.name ? "" : ` in ${entry.page}`;
    const link = make(
      "a",
      "search-result",
      make("span", "search-name", ...search.marked(entry.name, terms)),
      make("span", "search-where", search.KINDS[entry.kind] + within),
      make("span", "search-text", ...search.marked(search.excerpt(entry, terms), terms)),
    );
    link.href = entry.url;
    link.id = `search-result-${i}`;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.setAttribute("aria-selected", "false");
    return link;
  },

  choose(i) {
    const links = search.by("search-results").children;
    links[search.chosen]?.setAttribute("aria-selected", "false");
    search.chosen = links.length === 0 ? -1 : (i + links.length) % links.length;
    const link = links[search.chosen];
    link?.setAttribute("aria-selected", "true");
    link?.scrollIntoView({ block: "nearest" });
    if (link) search.by("search-field").setAttribute("aria-activedescendant", link.id);
    else search.by("search-field").removeAttribute("aria-activedescendant");
  },

  open(is_open) {
    search.by("search-panel").hidden = !is_open;
    search.by("search-field").setAttribute("aria-expanded", is_open);
    if (!is_open) search.choose(-1);
  },

  say(found, shown, all) {
    if (found === 0) return "Nothing was found.";
    const count = found === 1 ? "1 result" : `${found} results`;
    return (
      (all ? count : `No section has all of these words; ${count} with some of them`) +
      (shown < found ? `; the first ${shown} are shown` : "")
    );
  },

  show() {
    const query = search.by("search-field").value.trim();
    const list = search.by("search-results");
    if (search.entries === null || search.terms(query).length === 0) {
      list.replaceChildren();
      search.by("search-status").textContent = query === "" ? "" : "The text is being loaded.";
      search.open(query !== "");
      return;
    }
    const { terms, entries, found, all } = search.find(query);
    list.replaceChildren(...entries.map((entry, i) => search.result(entry, terms, i)));
    list.scrollTop = 0;
    search.by("search-status").textContent = search.say(found, entries.length, all);
    search.chosen = -1;
    search.open(true);
    search.choose(0);
  },

  load() {
    if (search.by("search-script")) return;
    const script = document.createElement("script");
    script.id = "search-script";
    script.src = search.by("search-field").dataset.index;
    script.onerror = () => {
      search.by("search-status").textContent = "The text to search was not found: search-index.js is missing.";
      search.by("search-panel").hidden = false;
    };
    document.head.append(script);
  },

  on_key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !search.by("search-panel").hidden) search.choose(search.chosen + step);
    else if (event.key === "Enter") search.by("search-results").children[search.chosen]?.click();
    else if (event.key === "Escape" && !search.by("search-panel").hidden) search.open(false);
    else return;
    event.preventDefault();
  },

  start() {
    const form = search.by("search");
    const field = search.by("search-field");
    field.addEventListener("focus", search.load);
    field.addEventListener("focus", search.show);
    field.addEventListener("input", search.show);
    field.addEventListener("click", search.show);
    field.addEventListener("keydown", search.on_key);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("focusout", (event) => {
      if (!form.contains(event.relatedTarget)) search.open(false);
    });
    search.by("search-results").addEventListener("click", () => search.open(false));
    document.addEventListener("keydown", (event) => {
      const is_typing = event.target.closest?.("input, textarea, select");
      if (event.key !== "/" || is_typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
  },
};

/* search-index.js calls it with [kind, name, page, URL, text] of each entry. */
function searchEntries(rows) {
  search.entries = rows.map(([kind, name, page, url, text]) => ({
    kind,
    name,
    page,
    url,
    text,
    lower_name: name.toLowerCase(),
    lower_page: page.toLowerCase(),
    lower_text: text.toLowerCase(),
  }));
  search.show();
}

document.addEventListener("DOMContentLoaded", search.start);
