# SPDX-License-Identifier: MIT
"""Checks tokenizer, operators, draw, bookkeeping and flags on small texts; no test of the tree."""
import os
import subprocess
import sys
import tempfile
import types

from . import build, cover, report, suites
from .operators import changed_lines, draw, mutated, sites_of
from .tokens import tokenize

TEXT = r'''/* a < b && c; 7 */
#include <x.h> // 3 + 4
#define LESS(a, b) ((a) < (b) && \
                    1 + 2)
struct s { int a[64]; unsigned b : 3; };
enum { SIZE = 16, NEXT };
int f(int a, char b[static 8]);
static const int table[SIZE] = {10};
const int others = 20;

static int f(int a, char b[static 8])
{
    int n = (int)-a * 5, *p = &n;
    char text[32] = "x < 1 && y++; /* 2 */";
    size_t m = sizeof(text) + sizeof(int[9]);

    list *q = p;

    for (int i = 0; i < n; i++) { // not > this
        if (a == '<' && !b)
            continue;
        n += g(a, b[i],
               "3 < 4");
        printf("%d", i);
        if (n > 100)
            break;
    }
    switch (a) {
    case 2:
        return -n;
    default:
        h();
    }
    return (n << 1) | m;
}
'''
# (what, the line that goes, the line that comes): each must be among the choices
EXPECTED = [
    ("comparison", "for (int i = 0; i < n; i++) { // not > this",
     "for (int i = 0; i <= n; i++) { // not > this"),
    ("comparison", "if (a == '<' && !b)", "if (a != '<' && !b)"),
    ("comparison", "if (n > 100)", "if (n <= 100)"),
    ("logical", "if (a == '<' && !b)", "if (a == '<' || !b)"),
    ("condition negated", "if (a == '<' && !b)", "if (!(a == '<' && !b))"),
    ("condition negated", "if (a == '<' && !b)", "if (a == '<' && b)"),
    ("condition negated", "for (int i = 0; i < n; i++) { // not > this",
     "for (int i = 0; !(i < n); i++) { // not > this"),
    ("arithmetic", "for (int i = 0; i < n; i++) { // not > this",
     "for (int i = 0; i < n; i--) { // not > this"),
    ("arithmetic", "int n = (int)-a * 5, *p = &n;", "int n = (int)-a + 5, *p = &n;"),
    ("arithmetic", "n += g(a, b[i],", "n -= g(a, b[i],"),
    ("arithmetic", "size_t m = sizeof(text) + sizeof(int[9]);",
     "size_t m = sizeof(text) - sizeof(int[9]);"),
    ("arithmetic", "return (n << 1) | m;", "return (n >> 1) | m;"),
    ("arithmetic", "return (n << 1) | m;", "return (n << 1) & m;"),
    ("constant", "int n = (int)-a * 5, *p = &n;", "int n = (int)-a * 4, *p = &n;"),
    ("constant", "static const int table[SIZE] = {10};", "static const int table[SIZE] = {11};"),
    ("constant", "enum { SIZE = 16, NEXT };", "enum { SIZE = 17, NEXT };"),
    ("constant", "case 2:", "case 3:"),
    ("sign left out", "int n = (int)-a * 5, *p = &n;", "int n = (int)a * 5, *p = &n;"),
    ("sign left out", "return -n;", "return n;"),
    ("return value", "return -n;", "return 0;"),
    ("return value", "return -n;", "return (-n) + 1;"),
    ("arguments swapped", "n += g(a, b[i],", "n += g(b[i], a,"),
    ("statement left out", "n += g(a, b[i], \"3 < 4\");", ";"),
    ("statement left out", "h();", ";"),
    ("statement left out", "return -n;", ";"),
    ("statement left out", "break;", ";"),
    ("break/continue", "break;", "continue;"),
    ("break/continue", "continue;", "break;"),
]
# What must never change: no site may touch these.
UNTOUCHED = ["/* a < b && c; 7 */", "#include <x.h> // 3 + 4", "LESS(a, b) ((a) < (b) &&", "1 + 2)",
             "int a[64]; unsigned b : 3;", "int f(int a, char b[static 8])", "table[SIZE]",
             "text[32]", "x < 1 && y++; /* 2 */", "sizeof(text)", "sizeof(int[9])", "*p = &n",
             "// not > this", "'<'", "3 < 4", "list *q = p"]


class Checks:
    def __init__(self):
        self.failed = 0

    def hold(self, true, what):
        if not true:
            print("tests/repository/mutate --self-test: %s" % what, file=sys.stderr)
            self.failed += 1


def check_tokens(checks):
    tokens = tokenize(TEXT)
    for token in tokens:
        checks.hold(TEXT.startswith(token.text, token.pos), "'%s' is not where it is" % token.text)
        checks.hold(TEXT.count("\n", 0, token.pos) + 1 == token.line, "the line of " + token.text)
        checks.hold(token.kind in ("name", "number", "op", "string", "char"), "a " + token.kind)
    texts = [token.text for token in tokens]
    for word in ("LESS", "include", "not", "this", "7"):
        checks.hold(word not in texts, "a token in a comment or directive: " + word)
    checks.hold(tokenize("a<<=b->c...") == tokenize("a<<=b->c...") and
                [t.text for t in tokenize("a<<=b->c--- 0x1fUL+1.5e-3f")] ==
                ["a", "<<=", "b", "->", "c", "--", "-", "0x1fUL", "+", "1.5e-3f"], "operators")


def check_operators(checks):
    sites = sites_of("x.c", TEXT)
    mutants = {}
    for mutant in every_mutant(sites):
        gone, come = changed_lines(TEXT, mutant)
        mutants[(mutant.what, " ".join(gone), " ".join(come))] = mutant
    for expected in EXPECTED:
        checks.hold(expected in mutants, "not among the choices: %s: %s -> %s" % expected)
    for mutant in mutants.values():
        new = mutated(TEXT, mutant)
        checks.hold(new != TEXT, "%s on line %d changes nothing" % (mutant.what, mutant.line))
        if mutant.what in ("statement left out", "arguments swapped"):
            continue
        for text in UNTOUCHED:
            checks.hold(new.count(text) == TEXT.count(text),
                        "%s on line %d touches %s" % (mutant.what, mutant.line, text))
    places = {site.line: site.place for site in sites}
    checks.hold((places[6], places[8], places[9], places[13]) ==
                ("data", "static", "data", "body"), "where a site is: %s" % places)
    spans = {site.lines for site in sites if site.line == 22}
    checks.hold(spans == {(22, 23)}, "the lines of a statement: %s" % spans)
    checks.hold(not any(choice[0] == "arguments swapped" for site in sites if site.line == 24
                        for choice in site.choices), "a format is swapped for an argument")
    checks.hold(not any(site.line in (5, 7, 11, 17) for site in sites), "a site in a type")


def every_mutant(sites):
    from .operators import Mutant
    return [Mutant(*site[:4], *choice) for site in sites for choice in site.choices]


def check_draw(checks):
    texts = {"a.c": TEXT, "b.c": TEXT.replace("100", "200")}
    first, again, other = draw(texts, 1), draw(dict(reversed(texts.items())), 1), draw(texts, 2)
    checks.hold(first == again, "the same seed draws the same")
    checks.hold(first != other and len(first) == len(other), "another seed draws others")
    checks.hold({m.file for m in first} == set(texts), "all files are drawn from")


def check_bookkeeping(checks, folder):
    mutants = draw({"a.c": TEXT}, 1)
    path = os.path.join(folder, "state")
    state, keys = report.State(path), {"t": "1", "u": "2"}
    state.add_attempt(1, "one", keys, ["t", "u"], {"built": "built", "how": "survived", "by": None})
    state.add_attempt(0, "one", keys, ["t"], {"built": "same"})
    state.add_attempt(2, "one", keys, ["t", "u"], {"built": "built", "how": "failed", "by": "u"})
    state.add_attempt(1, "all", keys, ["u"], {"built": "built", "how": "timeout", "by": "u"})
    with open(path, "a", encoding="utf-8") as f:
        f.write('{"draw": 3, "bui')  # killed while it wrote
    again = report.State(path)
    checks.hold(again.first(9) == [1, 2] and again.first(1) == [1], "which draws count")
    checks.hold(again.verdict(1) == ("timeout", "u"), "what was found on all cores")
    checks.hold(again.to_run(2, "one", ["t", "u"], keys) == [], "what is caught stays it")
    keys["u"] = "3"
    again.forget(keys)
    checks.hold(again.verdict(2) == ("survived", None), "a catch by a test that is another now")
    checks.hold(again.to_run(2, "one", ["t", "u"], keys) == ["u"], "only another test runs again")
    checks.hold(again.to_run(1, "all", ["u"], keys) == ["u"], "and on all cores")
    gone, come = changed_lines(TEXT, mutants[0])
    path = os.path.join(folder, "equivalent")
    with open(path, "w", encoding="utf-8") as f:
        f.write("# known\na.c\n%s\nit is so\n" % "\n".join(
            ["-  " + line for line in gone] + ["+" + line for line in come]))
    known = report.Equivalents(path)
    checks.hold(known.why(TEXT, mutants[0]) == "it is so", "a known equivalent")
    checks.hold(known.why(TEXT, mutants[0]._replace(text="?")) is None, "an unknown one")


def check_nearest(checks):
    def unit(test, seconds, done):
        return {"how": "passed", "seconds": seconds, "test": test, "loads": True,
                "files": {"a.c": [0b1111110, done]}, "functions": {"a.c": [[1, 6]]}}
    measured = {"slow": unit("s", 9, 0b0001100), "quick": unit("q", 1, 0b0001000),
                "again": unit("q", 2, 0b0001000), "elsewhere": unit("e", 1, 0b1000000)}
    measured["dies"] = unit("d", 1, 0)
    units = cover.Map(measured)

    def nearest(mutant):
        names = units.nearest(mutant)
        checks.hold("dies" in names and units.covers(mutant) == (len(names) > 1),
                    "a unit that says nothing about itself")
        return [name for name in names if name != "dies"]

    mutant = draw({"a.c": TEXT}, 1)[0]._replace(place="body")
    checks.hold(nearest(mutant._replace(lines=(3, 3))) == ["quick", "slow", "again"], "the order")
    checks.hold(nearest(mutant._replace(lines=(2, 2))) == ["slow"], "who executes a line")
    checks.hold(len(nearest(mutant._replace(lines=(2, 3)))) == 3, "a statement of two lines")
    checks.hold(nearest(mutant._replace(lines=(4, 5))) == [], "a line that nobody executes")
    checks.hold(len(nearest(mutant._replace(place="static"))) == 4, "who executes a file")
    checks.hold(len(nearest(mutant._replace(file="b.h"))) == 4, "a file without code")
    other = cover.Map(dict(measured, slow=unit("s", 9, 0b1000), again=dict(measured["again"],
                                                                            how="failed")))
    checks.hold([name for name in measured if cover.differs(name, other, units)] ==
                ["slow", "again", "dies"], "what behaves differently on all cores")


def check_notes(checks, folder):
    build = os.path.join(folder, "build")
    for name in ("runtime/a.dir/host/x.c", "tests/t.dir/__/runtime/host/x.c", "tests/t.dir/t.c"):
        os.makedirs(os.path.join(build, os.path.dirname(name)), exist_ok=True)
        with open(os.path.join(build, name + ".gcno"), "wb"):
            pass
    found = cover.Coverage(types.SimpleNamespace(build=build), os.path.join(folder, "gcov")).names
    checks.hold(sorted(found) == ["runtime/a.dir/host/x.c.gcda", "tests/t.dir/__/runtime/host/x.c.gcda"],
                "whose lines are counted: %s" % found)


CUT = """#include <stdio.h>
void f(const char *a, int n);
void f(const char *a, int n)
{
    char text[8];
    snprintf(text, sizeof(text), "%s and %d", n > 0 ? "a long text" : "none", n);
    puts(text);
    puts(a);
}
"""
ENDS = """#include <stdlib.h>
void exit(int code) { abort(); }
void(_Exit)(int code) { exit(code); }
"""


def check_flags(checks, folder):
    """A warning that depends on what a compiler guesses stops no build; what is wrong does."""
    for text, builds in ((CUT, True), (CUT.replace("puts(text)", "printf(n)"), False)):
        path = os.path.join(folder, "flags.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        done = subprocess.run(["cc", "-Wall", "-Wextra"] + build.FLAGS["mutant"] +
                              ["-c", path, "-o", path + ".o"], stderr=subprocess.DEVNULL, check=False)
        checks.hold((done.returncode == 0) == builds, "flags: builds %s" % builds)
    path = os.path.join(folder, "ends.c")
    with open(path, "w", encoding="utf-8") as f:
        f.write(ENDS)
    done = subprocess.run("cc %s -c %s -o %s.o" % (" ".join(build.FLAGS["cover"]), path, path),
                          shell=True, stderr=subprocess.DEVNULL, check=False)
    checks.hold(done.returncode == 0, "flags: a file with its own exit() and _Exit() is counted")


def check_units(checks):
    """A program of many suites gives each test of ctest those of its own suite."""
    tests = ["a/x", "a/y", "ab/x"]
    argv, some = suites.chosen(["tests", "--filter", "a/*", "--jobs", "1"], tests)
    checks.hold(argv == ["tests", "--jobs", "1"] and some == ["a/x", "a/y"], "units: %s" % some)
    checks.hold(suites.chosen(["test_a"], tests) == (["test_a"], tests), "units: no filter")
    test, has = {"name": "a", "command": ["a"]}, {"LABELS": ["check", "fast"]}
    checks.hold(suites.is_chosen(test, has, None) and suites.is_chosen(test, has, "fast") and
                not suites.is_chosen(test, has, "long") and
                not suites.is_chosen(test, {}, "fast"), "units: label")


def check_copy(checks):
    """What CMake reads of the tree is copied, and pages are among it."""
    root = os.path.abspath(os.path.join(__file__, "../../../.."))
    copied = build.tree_files(root)
    for name in ("CMakeLists.txt", "docs/README.md", "tools/docs/CMakeLists.txt"):
        checks.hold(name in copied or not os.path.exists(os.path.join(root, name)),
                    "not in a copy of the tree: %s" % name)


def check_equivalents(checks):
    """What goes in an entry of tests/repository/mutation/equivalent is in its file."""
    root = os.path.abspath(os.path.join(__file__, "../../../.."))
    known = report.Equivalents(os.path.join(root, "tests", "repository", "mutation", "equivalent")).known
    for name, gone, _ in known:
        path = os.path.join(root, name)
        text = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                text = " ".join(f.read().split())
        checks.hold(" ".join(gone) in text, "equivalent: not in %s: %s" % (name, " ".join(gone)))


def run():
    """Exit code."""
    checks = Checks()
    check_equivalents(checks)
    check_copy(checks)
    check_units(checks)
    check_tokens(checks)
    check_operators(checks)
    check_draw(checks)
    check_nearest(checks)
    with tempfile.TemporaryDirectory() as folder:
        check_bookkeeping(checks, folder)
        check_notes(checks, folder)
        check_flags(checks, folder)
    return 1 if checks.failed else 0
