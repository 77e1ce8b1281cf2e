# SPDX-License-Identifier: MIT
"""What has been found: kept as it comes, counted, and shown at the end."""
import json
import os

from .operators import changed_lines, diff


class State:
    """One line of JSON for each result, so that a run can go on where it was ended."""

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

    def first(self, n):
        """The draws that count: the first n that could be built."""
        built = [d for d in sorted(self.results) if self.results[d]["built"] == "built"]
        return built[:n]

    def how(self, draw):
        """How it ended, on one core or on all of them."""
        result = self.results[draw]
        if result["how"] in ("survived", "not covered"):
            return result.get("alone", result["how"])
        return result["how"]

    def by(self, draw):
        return self.results[draw].get("alone_by") or self.results[draw].get("by")


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
            raise ValueError("%s: '%s': an entry is a file, its lines with - and +, and one line "
                             "that says why" % (path, entry[0]))
        self.known[self._key(rest[0], gone, come)] = rest[1]

    @staticmethod
    def _key(name, gone, come):
        return (name, tuple(gone), tuple(come))

    def why(self, text, mutant):
        """None where it is not known."""
        return self.known.get(self._key(mutant.file, *changed_lines(text, mutant)))


def count(state, n, mutants, texts, equivalents):
    """{"caught", "survived", "equivalent", "pending": the draws}"""
    kinds = {"caught": [], "survived": [], "equivalent": [], "listed": []}
    for draw in state.first(n):
        mutant = mutants[draw]
        why = equivalents.why(texts[mutant.file], mutant)
        if state.how(draw) not in ("survived", "not covered"):
            kinds["caught"].append(draw)
            if why is not None:
                kinds["listed"].append(draw)
        elif why is not None:
            kinds["equivalent"].append(draw)
        else:
            kinds["survived"].append(draw)
    return kinds


def show(state, n, mutants, texts, equivalents, pending):
    """The whole result on stdout; pending: draws that have not been run on all cores yet."""
    kinds = count(state, n, mutants, texts, equivalents)
    for draw in sorted(kinds["survived"], key=lambda d: mutants[d][:2]):
        mutant, how = mutants[draw], state.how(draw)
        if draw in pending:
            how += " on one core, not yet run on all"
        print("%s:%d: %s: %s (draw %d)" % (mutant.file, mutant.line, mutant.what, how, draw))
        print(diff(texts[mutant.file], mutant))
    for draw in kinds["equivalent"]:
        mutant = mutants[draw]
        print("%s:%d: %s: equivalent: %s" % (mutant.file, mutant.line, mutant.what,
                                             equivalents.why(texts[mutant.file], mutant)))
    for draw in kinds["listed"]:
        mutant = mutants[draw]
        print("%s:%d: %s: listed as equivalent, but caught by %s" %
              (mutant.file, mutant.line, mutant.what, state.by(draw)))
    caught, built = len(kinds["caught"]), len(kinds["caught"]) + len(kinds["survived"])
    first = [d for d in state.first(n)]
    drawn = len([d for d in state.results if first and d <= first[-1]])
    print("%d drawn, %d of them built, %d equivalent by tests/mutation/equivalent" %
          (drawn, len(first), len(kinds["equivalent"])))
    print("caught / built: %d / %d = %s" % (caught, built,
                                            "%.1f %%" % (100 * caught / built) if built else "-"))
