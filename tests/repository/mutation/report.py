# SPDX-License-Identifier: MIT
"""What has been found: kept as it comes, counted, and shown at the end."""
import json
import os

from .operators import changed_lines, diff


CAUGHT = ("failed", "timeout", "memory")


class State:
    """One line of JSON for each result, so that a run can go on where it was ended.

    A result of a draw: whether it could be built, and for each mode (on one core, on all) how it
    ended: caught by a unit, or which units passed. Units have keys: with another key, it is as if
    the unit had not been run. So after a change of the tests only what concerns it runs again.
    """

    def __init__(self, path):
        self.path, self.results = path, {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    try:
                        self._take(json.loads(line))
                    except ValueError:  # the last line of a run that was killed
                        pass

    def _take(self, result):
        self.results.setdefault(result["draw"], {}).update(result)

    def add(self, draw, result):
        result = dict(result, draw=draw)
        self._take(result)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps(result) + "\n")

    def add_attempt(self, draw, mode, keys, names, attempt):
        """What a worker found with these units, of which it ran those up to the one that failed."""
        if attempt["built"] != "built":
            self.add(draw, {"built": attempt["built"]})
            return
        old = self.results.get(draw, {}).get(mode, {})
        by = attempt["by"]
        passed = {n: k for n, k in old.get("passed", {}).items() if keys.get(n) == k}
        passed.update({n: keys[n] for n in (names[:names.index(by)] if by else names)})
        self.add(draw, {"built": "built", mode: {"how": attempt["how"], "by": by,
                                                 "key": keys.get(by), "passed": passed}})

    def forget(self, keys):
        """Catches by units that are others now, or are gone."""
        for result in self.results.values():
            for mode in ("one", "all"):
                found = result.get(mode)
                if found and found["by"] and keys.get(found["by"]) != found["key"]:
                    found.update(how="survived", by=None)

    def is_known(self, draw):
        return draw in self.results

    def is_built(self, draw):
        return self.results[draw]["built"] == "built"

    def to_run(self, draw, mode, names, keys):
        """Those of these units that have not been run on it yet; none, where it is caught."""
        if self.verdict(draw)[0] in CAUGHT:
            return []
        passed = self.results.get(draw, {}).get(mode, {}).get("passed", {})
        return [name for name in names if passed.get(name) != keys[name]]

    def verdict(self, draw):
        """(how it ended, by which unit)"""
        found = [self.results.get(draw, {}).get(mode) for mode in ("one", "all")]
        found = [f for f in found if f]
        for f in found:
            if f["how"] in CAUGHT:
                return f["how"], f["by"]
        return "survived", None

    def first(self, n):
        """The draws that count: the first n that could be built."""
        return [d for d in sorted(self.results) if self.is_built(d)][:n]


class EntryError(Exception):
    pass


class Equivalents:
    """Mutants that no test can tell from the original, and why.

    An entry is the file, the lines that go (-), those that come (+), and one line that says why;
    an empty line between two entries; # is a comment.
    """

    def __init__(self, path):
        self.known, entry = {}, []
        lines = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                lines = f.read().splitlines()
        for line in lines + [""]:
            if line.startswith("#"):
                continue
            if line.strip():
                entry.append(line)
            elif entry:
                self._add(path, entry)
                entry = []

    def _add(self, path, entry):
        gone = [" ".join(line[1:].split()) for line in entry if line.startswith("-")]
        come = [" ".join(line[1:].split()) for line in entry if line.startswith("+")]
        rest = [line.strip() for line in entry if not line.startswith(("-", "+"))]
        if len(rest) != 2 or not gone:
            raise EntryError("%s: '%s': an entry is a file, its lines with - and +, and one line "
                             "that says why" % (path, entry[0]))
        self.known[self._key(rest[0], gone, come)] = rest[1]

    @staticmethod
    def _key(name, gone, come):
        return (name, tuple(gone), tuple(come))

    def why(self, text, mutant):
        """None where it is not known."""
        return self.known.get(self._key(mutant.file, *changed_lines(text, mutant)))


def count(state, n, mutants, texts, equivalents):
    """{"caught", "survived", "equivalent", "listed" (as equivalent, but caught): the draws}"""
    kinds = {"caught": [], "survived": [], "equivalent": [], "listed": []}
    for draw in state.first(n):
        mutant = mutants[draw]
        why = equivalents.why(texts[mutant.file], mutant)
        if state.verdict(draw)[0] in CAUGHT:
            kinds["caught"].append(draw)
            if why is not None:
                kinds["listed"].append(draw)
        elif why is not None:
            kinds["equivalent"].append(draw)
        else:
            kinds["survived"].append(draw)
    return kinds


def show(state, n, mutants, texts, equivalents, notes):
    """The whole result on stdout; notes: {draw: what else there is to say about a survivor}."""
    kinds = count(state, n, mutants, texts, equivalents)
    for draw in sorted(kinds["survived"], key=lambda d: mutants[d][:2]):
        mutant = mutants[draw]
        print("%s:%d: %s: %s (draw %d)" % (mutant.file, mutant.line, mutant.what,
                                           notes.get(draw, "survived"), draw))
        print(diff(texts[mutant.file], mutant))
    for draw in kinds["equivalent"]:
        mutant = mutants[draw]
        print("%s:%d: %s: equivalent: %s" % (mutant.file, mutant.line, mutant.what,
                                             equivalents.why(texts[mutant.file], mutant)))
    for draw in kinds["listed"]:
        mutant = mutants[draw]
        print("%s:%d: %s: listed as equivalent, but caught by %s" %
              (mutant.file, mutant.line, mutant.what, state.verdict(draw)[1]))
    caught, built = len(kinds["caught"]), len(kinds["caught"]) + len(kinds["survived"])
    first = state.first(n)
    drawn = len([d for d in state.results if first and d <= first[-1]])
    print("%d drawn, %d of them built, %d equivalent by tests/repository/mutation/equivalent" %
          (drawn, len(first), len(kinds["equivalent"])))
    print("caught / built: %d / %d = %s" % (caught, built,
                                            "%.1f %%" % (100 * caught / built) if built else "-"))
