# SPDX-License-Identifier: MIT
"""From a tree and a seed to the survivors: copies, measurement, mutants on one core, then alone."""
import os
import sys
import time

from . import cover, operators, suites, tokens
from .build import FLAGS, BuildError, Copy, digest
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
    def __init__(self, work, files, texts, options, deadline):
        self.work, self.n, self.jobs, self.deadline = work, options.n, options.jobs, deadline
        self.files, self.label = files, options.label
        # what lies beside the folders, as this program's own output may, is no code
        self.code = digest({name: data for name, data in files.items()
                            if not name.startswith(("tests/", "bench/")) and
                            ("/" in name or name.startswith("CMake"))})
        self.cores = sorted(os.sched_getaffinity(0))
        self.modes = ("all",) if self.jobs == 1 else MEASURED
        self.copies = [Copy(work, "w%d" % i, "mutant") for i in range(self.jobs)]
        self.maps, self.units, self.keys = {}, {}, {}
        self.texts, self.mutants = texts, operators.draw(texts, options.seed)
        self.state = State(os.path.join(work, "seed-%d-%s-%s-%s.jsonl" % (
            options.seed, self.code, tester_key(), digest({name: b"" for name in texts}))))

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
        self.units = {unit["name"]: unit for unit in suites.list_units(self.copies[0], self.label)}
        if not self.units:
            raise BuildError("no test has the label '%s'" % self.label)
        self.keys = suites.keys_of(self.units, self.copies[0], self.code, digest(self.files))
        self.state.forget(self.keys)
        cover_copy = None
        for mode in self.modes:
            path = os.path.join(self.work, "measured-%s.json" % mode)
            measured = {name: unit for name, unit in cover.load(path).items()
                        if self.keys.get(name) == unit["key"]}
            todo = [name for name in self.units if name not in measured]
            if todo and cover_copy is None:
                say("building with coverage", passing=True)
                cover_copy = Copy(self.work, "cover", "cover")
                cover_copy.prepare(root, self.files, self.jobs)
            if todo:
                self._measure(mode, cover_copy, todo, measured, path)
            self.maps[mode] = cover.Map(measured)
            if not any(cover.executed(unit) for unit in measured.values()):
                raise BuildError("no test executes anything (is gcov the one of the compiler?)")
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
            measured[name] = dict(result, key=self.keys[name])
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
            cover.save(path, measured)

    # ---- mutants ----
    def limits(self, mode, names):
        units = self.maps[mode].units
        return {name: max(TIMEOUT_LEAST, TIMEOUT_TIMES * units[name]["seconds"]) for name in names}

    def attempt(self, mode, draws, names_of, took):
        """Try these. draws(): the next one, or None; took(draw): its result is there."""
        given = {}

        def next_task():
            self.check_time()
            draw = draws()
            if draw is None:
                return None
            given[draw] = names_of(draw)
            return ("attempt", draw, (self.mutants[draw], given[draw],
                                      self.limits(mode, given[draw])))

        def done(draw, result):
            self.state.add_attempt(draw, mode, self.keys, given.pop(draw), result)
            took(draw)

        pool = self.pool(mode, None, self.units, self.texts)
        try:
            pool.run(next_task, done)
        finally:
            pool.close()

    def first_names(self, draw):
        mode = self.modes[0]
        return self.state.to_run(draw, mode, self.maps[mode].nearest(self.mutants[draw]), self.keys)

    def first_round(self):
        """The first N that can be built, in the order of the draw."""
        state, start = self.state, time.monotonic()
        at = {"next": 0, "built": 0, "done": 0}  # built: or at work

        def draws():
            while at["built"] < self.n and at["next"] < len(self.mutants):
                draw = at["next"]
                at["next"] += 1
                if state.is_known(draw) and not state.is_built(draw):
                    continue
                at["built"] += 1
                if not state.is_known(draw) or self.first_names(draw):
                    return draw
            return None

        def took(draw):
            if not state.is_built(draw):
                at["built"] -= 1
                return
            at["done"] += 1
            left = (time.monotonic() - start) / at["done"] * (self.n - at["built"])
            how, by = state.verdict(draw)
            say("%d of %d, %s; %s:%d %s: %s" %
                (at["built"], self.n, time_left(left), self.mutants[draw].file,
                 self.mutants[draw].line, self.mutants[draw].what,
                 "%s, %s" % (how, by) if by else how), passing=True)

        self.attempt(self.modes[0], draws, self.first_names, took)

    def alone_names(self, draw):
        """The tests that behave differently on all cores and have not been run there."""
        if self.jobs == 1 or "all" not in self.maps:
            return []
        names = [name for name in self.maps["all"].nearest(self.mutants[draw])
                 if cover.differs(name, self.maps["one"], self.maps["all"])]
        return self.state.to_run(draw, "all", names, self.keys)

    def second_round(self):
        waiting = [draw for draw in self.state.first(self.n) if self.alone_names(draw)]
        n, start = len(waiting), time.monotonic()

        def took(_):
            left = (time.monotonic() - start) / (n - len(waiting)) * len(waiting)
            say("alone on all cores: %d of %d, %s" % (n - len(waiting), n, time_left(left)),
                passing=True)

        if waiting:
            self.attempt("all", lambda: waiting.pop(0) if waiting else None, self.alone_names, took)

    def notes(self):
        """{draw: what kind of survivor it is}"""
        notes = {}
        for draw in self.state.first(self.n):
            maps = self.maps.values()
            if len(maps) < len(self.modes) or self.first_names(draw) or self.alone_names(draw):
                notes[draw] = "not yet run with all of its tests"
            elif not any(m.covers(self.mutants[draw]) for m in maps):
                notes[draw] = "not covered"
        return notes


def tester_key():
    """Which changes a seed means depends on these."""
    sources = {}
    for module in (tokens, operators):
        with open(module.__file__, "rb") as f:
            sources[os.path.basename(module.__file__)] = f.read()
    return digest(dict(sources, flags=repr(FLAGS).encode()))


def run(root, work, files, texts, options, deadline):
    """Exit code."""
    equivalents = Equivalents(os.path.join(root, "tests", "repository", "mutation", "equivalent"))
    campaign = Campaign(work, files, texts, options, deadline)
    say("seed %d, %d sites" % (options.seed, len(campaign.mutants)))
    whole = True
    try:
        campaign.prepare(root)
        campaign.first_round()
        campaign.second_round()
    except KeyboardInterrupt:
        whole = False
    say("seed %d: %s" % (options.seed, "done" if whole else "ended early; call it again to go on"))
    show(campaign.state, options.n, campaign.mutants, texts, equivalents, campaign.notes())
    return 0 if whole else 1
