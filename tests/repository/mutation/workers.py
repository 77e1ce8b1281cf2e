# SPDX-License-Identifier: MIT
"""Processes that measure units and try mutants, each on its own core and in its own copy."""
import multiprocessing
import multiprocessing.connection
import os
import signal
import traceback

from . import suites
from .cover import Coverage
from .operators import mutated


class Worker:
    """What runs in the other process."""

    def __init__(self, number, work, copy, cover_copy, units, texts):
        self.copy, self.units, self.texts = copy, units, texts
        self.coverage = None
        if cover_copy is not None:
            self.coverage = Coverage(cover_copy, os.path.join(work, "gcov-%d" % number))
        else:
            copy.learn()

    def measure(self, name):
        """What it executes, and, without counting, how it ends and how long it takes."""
        unit = self.units[name]
        result = self.coverage.measure(unit)
        if result["loads"]:
            result["how"], result["seconds"] = suites.run(unit, self.copy, unit["timeout"])
        return result

    def attempt(self, mutant, names, limits):
        """Build it and run these units until one of them fails."""
        try:
            built = self.copy.build_mutant(mutant.file, mutated(self.texts[mutant.file], mutant))
            if built != "built":
                return {"built": built}
            for name in names:
                how, _ = suites.run(self.units[name], self.copy, limits[name])
                if how != "passed":
                    return {"built": built, "how": how, "by": name}
            return {"built": built, "how": "survived", "by": None}
        finally:
            suites.end_children()  # a compiler that is not through yet
            self.copy.restore()


def serve(pipe, cores, arguments):
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's; who started it says when to end
    signal.signal(signal.SIGTERM, ended)
    suites.libc.prctl(suites.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    suites.become_reaper()
    os.sched_setaffinity(0, cores)
    try:
        worker = Worker(*arguments)
        while True:
            task, key, rest = pipe.recv()
            pipe.send((key, getattr(worker, task)(*rest)))
    except (EOFError, BrokenPipeError):
        pass
    except Exception:  # for the one that waits for an answer
        pipe.send((None, traceback.format_exc()))


def ended(*_):
    raise SystemExit(1)


class Pool:
    """Workers, and what each has to do. A task: (method, key, arguments)."""

    def __init__(self, cores_of_each, arguments_of_each):
        self.pipes, self.processes = [], []
        context = multiprocessing.get_context("fork")
        for cores, arguments in zip(cores_of_each, arguments_of_each):
            here, there = context.Pipe()
            process = context.Process(target=serve, args=(there, cores, arguments))
            process.start()
            there.close()
            self.pipes.append(here)
            self.processes.append(process)

    def run(self, next_task, done):
        """next_task(): a task, or None as long as there is none; done(key, result)."""
        idle, busy = list(self.pipes), []
        while True:
            while idle:
                task = next_task()
                if task is None:
                    break
                pipe = idle.pop()
                pipe.send(task)
                busy.append(pipe)
            if not busy:
                return
            for pipe in multiprocessing.connection.wait(busy):
                key, result = pipe.recv()
                if key is None:
                    raise RuntimeError(result)
                busy.remove(pipe)
                idle.append(pipe)
                done(key, result)

    def close(self):
        """Ends what they are at: the tests with all their processes; each copy is restored."""
        for process in self.processes:
            process.terminate()
        for process, pipe in zip(self.processes, self.pipes):
            process.join()
            pipe.close()
