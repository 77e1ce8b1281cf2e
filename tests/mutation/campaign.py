# SPDX-License-Identifier: MIT
"""From a tree and a seed to the survivors: copies, measurement, mutants on one core, then alone."""
import glob
import os
import sys
import time

from . import cover, operators, suites, tokens
from .build import Copy, digest
from .report import Equivalents, State, show
from .workers import Pool

TIMEOUT_LEAST, TIMEOUT_TIMES = 5.0, 4.0  # seconds; times as long as unmutated
MEASURED = ("one", "all")                # cores


def say(text, passing=False):
    """On stderr; what passes is overwritten by the next, on a terminal."""
    terminal = sys.stderr.isatty()
    ends = "\r" if passing and terminal else "\n"
    sys.stderr.write(("\r\033[K" if terminal else "") + text + ends)
    sys.stderr.flush()


def time_left(seconds):
    return "%d s left" % seconds if seconds < 90 else "%d min left" % round(seconds / 60)


class Campaign:
    def __init__(self, work, files, options, deadline):
        self.work, self.n, self.jobs, self.deadline = work, options.n, options.jobs, deadline
        self.files, self.key = files, digest(files)
        self.cores = sorted(os.sched_getaffinity(0))
        self.modes = ("all",) if self.jobs == 1 else MEASURED
        self.copies = [Copy(work, "w%d" % i, "mutant") for i in range(self.jobs)]
        self.maps = {}

    def check_time(self):
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise KeyboardInterrupt

    def pool(self, mode, cover_copy, units, texts):
        """Workers for this many cores each."""
        copies = self.copies if mode == "one" else self.copies[:1]
        confined = [{self.cores[i]} if mode == "one" else set(self.cores)
                    for i in range(len(copies))]
        return Pool(confined, [(i, self.work, copy, cover_copy, units, texts)
                               for i, copy in enumerate(copies)])

    # ---- what the tests execute ----
    def prepare(self, root):
        for i, copy in enumerate(self.copies):
            say("building copy %d of %d" % (i + 1, self.jobs), passing=True)
            copy.prepare(root, self.files, self.jobs)
        self.units = {unit["name"]: unit for unit in suites.list_units(self.copies[0])}
        cover_copy = None
        for mode in self.modes:
            path = os.path.join(self.work, "measured-%s-%s.json" % (mode, self.key))
            measured = cover.load(path)
            todo = [name for name in self.units if name not in measured]
            if todo and cover_copy is None:
                say("building with coverage", passing=True)
                cover_copy = Copy(self.work, "cover", "cover")
                cover_copy.prepare(root, self.files, self.jobs)
            if todo:
                self._measure(mode, cover_copy, todo, measured, path)
            self.maps[mode] = cover.Map(measured)
            failed = [name for name, unit in measured.items() if unit["how"] != "passed"]
            if failed:
                say("left out, as they fail unmutated on %s: %s" %
                    ("one core" if mode == "one" else "all cores", ", ".join(failed)))

    def _measure(self, mode, cover_copy, todo, measured, path):
        waiting, start = list(reversed(todo)), time.monotonic()

        def next_task():
            self.check_time()
            return ("measure", waiting[-1], (waiting.pop(),)) if waiting else None

        def done(name, result):
            measured[name] = result
            n = len(todo) - len(waiting)
            left = (time.monotonic() - start) / n * len(waiting)
            say("measuring on %s: %d of %d, %s" %
                ("one core" if mode == "one" else "all cores", n, len(todo), time_left(left)),
                passing=True)

        pool = self.pool(mode, cover_copy, self.units, {})
        try:
            pool.run(next_task, done)
        finally:
            pool.close()
            for old in glob.glob(os.path.join(self.work, "measured-%s-*.json" % mode)):
                os.unlink(old)
            cover.save(path, measured)

    # ---- mutants ----
    def limits(self, mode, names):
        units = self.maps[mode].units
        return {name: max(TIMEOUT_LEAST, TIMEOUT_TIMES * units[name]["seconds"]) for name in names}

    def attempt(self, mode, draws, names_of, mutants, texts, took):
        """Try these; took(draw, result). draws(): the next draw, or None."""
        def next_task():
            self.check_time()
            draw = draws()
            if draw is None:
                return None
            names = names_of(draw)
            return ("attempt", draw, (mutants[draw], names, self.limits(mode, names)))

        pool = self.pool(mode, None, self.units, texts)
        try:
            pool.run(next_task, took)
        finally:
            pool.close()

    def first_round(self, state, mutants, texts):
        mode = self.modes[0]
        start, before = time.monotonic(), len(state.first(self.n))
        at_work = set()

        def draws():
            if len(state.first(self.n)) + len(at_work) >= self.n:
                return None
            draw = next((d for d in range(len(mutants))
                         if d not in state.results and d not in at_work), None)
            if draw is not None:
                at_work.add(draw)
            return draw

        def took(draw, result):
            at_work.discard(draw)
            state.add(draw, result)
            if result["built"] != "built":
                return
            built = len(state.first(self.n))
            left = (time.monotonic() - start) / (built - before) * (self.n - built)
            say("%d of %d, %s; %s:%d %s: %s%s" %
                (built, self.n, time_left(left), mutants[draw].file, mutants[draw].line,
                 mutants[draw].what, result["how"],
                 ", " + result["by"] if result["by"] else ""), passing=True)

        if before < self.n:
            self.attempt(mode, draws, lambda d: self.maps[mode].nearest(mutants[d]), mutants,
                         texts, took)

    def alone_names(self, mutant):
        return [name for name in self.maps["all"].nearest(mutant)
                if cover.differs(name, self.maps["one"], self.maps["all"])]

    def pending(self, state, mutants):
        """Survivors of the first round that other tests may catch on all cores."""
        if self.jobs == 1 or "all" not in self.maps:
            return []
        return [d for d in state.first(self.n)
                if state.how(d) in ("survived", "not covered") and "alone" not in state.results[d]
                and self.alone_names(mutants[d])]

    def second_round(self, state, mutants, texts):
        waiting = self.pending(state, mutants)
        n, start = len(waiting), time.monotonic()

        def took(draw, result):
            state.add(draw, {"alone": result["how"], "alone_by": result["by"]})
            left = (time.monotonic() - start) / (n - len(waiting)) * len(waiting)
            say("alone on all cores: %d of %d, %s" % (n - len(waiting), n, time_left(left)),
                passing=True)

        if waiting:
            self.attempt("all", lambda: waiting.pop(0) if waiting else None,
                         lambda d: self.alone_names(mutants[d]), mutants, texts, took)


def tester_key():
    """Which changes a seed means depends on these."""
    sources = {}
    for module in (tokens, operators):
        with open(module.__file__, "rb") as f:
            sources[os.path.basename(module.__file__)] = f.read()
    return digest(sources)


def run(root, work, files, texts, options, deadline):
    """Exit code."""
    equivalents = Equivalents(os.path.join(root, "tests", "mutation", "equivalent"))
    mutants = operators.draw(texts, options.seed)
    campaign = Campaign(work, files, options, deadline)
    chosen = digest({name: b"" for name in texts})
    state = State(os.path.join(work, "seed-%d-%s-%s-%s.jsonl" %
                               (options.seed, campaign.key, tester_key(), chosen)))
    whole = True
    try:
        campaign.prepare(root)
        campaign.first_round(state, mutants, texts)
        campaign.second_round(state, mutants, texts)
    except KeyboardInterrupt:
        whole = False
    say("seed %d, %d sites" % (options.seed, len(mutants)))
    show(state, options.n, mutants, texts, equivalents, campaign.pending(state, mutants))
    return 0 if whole else 1
