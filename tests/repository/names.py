#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names in strings and comments that no compiler looks at exist: a renamed function leaves no test that does nothing.

- A name that a build file defines as another one (`resolve_options=fuzz_resolve`) is in the source for which it does so,
  and the other one is defined somewhere.
- Each name of the library (lpi_..., logp_...) and each function (`name()`) that a model, a script, a build file or a page
  writes is in a source.

usage: tests/repository/names.py
"""
import os
import re
import sys

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
os.chdir(TOP)
SOURCES = (".c", ".h", ".def", ".inc", ".S")
EXAMPLES = {"logp_noun_verb", "logp_own"}  # of a page on names; of a program whose name begins as a call
NOT_READ = (".svg", ".png", ".html", ".js", ".css", ".gz", ".json", ".goal", "CHANGELOG.md")
PAIR = re.compile(r"(?<![\w-])([a-z]\w*)=([a-z]\w*)(?=[;\")\s])")
PLACE = re.compile(r"set_source_files_properties\(([^)]*?)\s+PROPERTIES\s+COMPILE_DEFINITIONS\s+\"((?:[^\"\\]|\\.)*)\"", re.S)
TARGETS = re.compile(r"(?:project|add_library|add_executable|add_custom_target|add_test|set|function|logp_script|logp_add_suite)\(\s*([\w.]+)")
FOLDERS = ("algorithms", "bench", "docs", "include", "runtime", "tests", "tools")
wrong = []


def all_files():
    yield from (name for name in os.listdir(".") if os.path.isfile(name))
    for top in FOLDERS:
        for folder, inner, names in os.walk(top):
            inner[:] = [name for name in inner if name not in ("__pycache__", "node_modules")]
            yield from (os.path.join(folder, name) for name in names)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def main():
    files = sorted(all_files())
    sources = {path: read(path) for path in files if path.endswith(SOURCES)}
    words = set(re.findall(r"\w+", " ".join(sources.values())))
    builds = [path for path in files if path.endswith(("CMakeLists.txt", ".cmake"))]
    known = words | {name for path in builds for name in TARGETS.findall(read(path))}
    n = 0
    for path in builds:
        for where, definitions in PLACE.findall(read(path)):
            names = [re.sub(r"^\$\{\w+\}/", "", name) for name in where.split()]
            text = " ".join(sources.get(name, sources.get(os.path.join(os.path.dirname(path), name), "")) for name in names)
            for old, new in PAIR.findall('"' + definitions + '"'):
                n += 1
                if not re.search(r"\b%s\b" % old, text):
                    wrong.append("%s: %s, which it defines as %s, is not in %s" % (path, old, new, " ".join(names)))
                if old not in words or new not in words:
                    wrong.append("%s: no source has %s or %s" % (path, old, new))
        for old, new in PAIR.findall(" ".join(re.findall(r"compile_definitions\((.*?)\)", read(path), re.S)) + " "):
            n += 1
            if old not in words or new not in words:
                wrong.append("%s: no source has %s or %s" % (path, old, new))
    for path in files:
        if path.endswith(SOURCES + NOT_READ) or path == "tests/repository/names.py":
            continue
        text = read(path)
        for name in set(re.findall(r"\b((?:lpi|logp)_[a-z]\w*)\b(?![*.-])", text)):
            n += 1
            if name not in known | EXAMPLES and not name.startswith("logp_abi_"):  # made by abi.sh
                wrong.append("%s: no source has %s" % (path, name))
        for name in set(re.findall(r"\b([a-z]\w+)\(\)", " ".join(re.findall(r"/\*.*?\*/", text, re.S)))) if path.endswith(".pml") else ():
            n += 1
            if name not in words:
                wrong.append("%s: no source has %s()" % (path, name))
    print("\n".join(wrong) or "%d names are those of sources" % n)
    return 1 if wrong or n < 100 else 0


sys.exit(main())
