# SPDX-License-Identifier: MIT
"""logp in Python: run, predict and draw collective algorithms under the LogP model.

    import logp
    logp.predict("broadcast", P=8, L="6us", algo=["flat", "optimal"]).frame()
    logp.trace("broadcast", P=8, clock="virtual")              # shows itself in a notebook

The module calls the command `logp`, which must be installed; the environment variable LOGP_COMMAND names another one.
Keyword arguments are the command's options: `P=8` is `-P 8`, `o_send="2us"` is `--o-send 2us`, `capacity=True` is `--capacity`,
`P=[2, 4, 8]` is `-P 2,4,8`. `logp help run` shows what an option means. Times in records are nanoseconds.

Errors: LogpError, with the command's text and exit code; FileNotFoundError, without the command. An interrupt ends the
command, too. Functions may be called from several threads.
"""
from __future__ import annotations

import json
import os
import tempfile
from typing import List, Optional, Union

from .command import Answer, LogpError, Value, call, command_path, option_words, progress_words
from .pictures import Picture
from .records import Record, Records, load, records_of

__all__ = ["Explanation", "LogpError", "Machine", "Picture", "Record", "Records", "Schedule", "Sweep", "Trace", "Tree", "Value", "ProgramRun",
           "algorithms", "collectives", "command_path", "explain", "load", "machine", "machines", "mpirun", "plot",
           "predict", "run", "schedule", "search", "sweep", "trace", "tree", "tune", "version"]

Path = Union[str, "os.PathLike[str]"]


class Sweep(Records):
    """The records of a sweep."""

    def plot(self, **options: Value) -> Picture:
        """Their curves, as `logp plot FILE` draws them (scale, size, title)."""
        return Picture(option_words(options), "[" + ",\n".join(json.dumps(record.plain()) for record in self) + "]\n")


class Trace(Picture):
    """One run as a space-time diagram. `record` has its events; on the wall clock that is another run than the picture's."""

    @property
    def record(self) -> Record:
        return Record(records_of(call([*self._words, "--format", "json"]).output)[0])

    @property
    def events(self) -> Records:
        """Sends, receives, gaps and waits of all ranks."""
        return Records(self.record.events)


class Tree(Picture):
    """A communication tree; `record.nodes` has a record for each processor."""

    @property
    def record(self) -> Record:
        return Record(records_of(call([*self._words, "--format", "json"]).output)[0])


class Explanation(Picture):
    """Why one algorithm is faster than another; `records` are those of both, each with `explain` and `versus`."""

    @property
    def records(self) -> Records:
        return records_of(call([*self._words, "--format", "json"]).output)

    @property
    def text(self) -> str:
        """What the command says to people."""
        return call([*self._words, "--format", "table"]).output.decode("utf-8")


class Schedule(Record):
    """The steps of each rank (`P`, `ranks`). `text` is what the command said of them."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(records_of(answer.output)[0])
        self._json = answer.output
        self._text = answer.text

    @property
    def text(self) -> str:
        return self._text

    def save(self, path: Path) -> None:
        """Write them as JSON, which `schedule=path` of run() and predict() takes."""
        with open(path, "wb") as file:
            file.write(self._json)


class Machine(Record):
    """The parameters that were measured between two processors."""

    _NAMES = {"L": "L_ns", "o_send": "o_send_ns", "o_recv": "o_recv_ns", "g": "g_ns", "G": "G_ns_per_byte"}

    @property
    def options(self) -> "dict[str, Value]":
        """The parameters as keyword arguments: `logp.predict("broadcast", **machine.options)`. gamma is not among them: most
        collectives combine nothing."""
        given: "dict[str, Value]" = {option: "%.12gns" % self[key] for option, key in self._NAMES.items()}
        if self.gap is not None:
            given["gap"] = self.gap
        return given

    def save(self, path: Path) -> None:
        """Write a file that `machine=path` takes."""
        lines = ["source = logp in Python", "delay = %s" % self.delay]
        lines += ["%s = %s" % (option, value) for option, value in self.options.items()]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*lines, "gamma = %.12gns" % self.gamma_ns]) + "\n")


class ProgramRun:
    """What an MPI program wrote: `output` (stdout), `text` (stderr), and `report`, if one was asked for, as a Record."""

    def __init__(self, answer: Answer, report: Optional[Record]) -> None:
        self.output = answer.output.decode("utf-8", "replace")
        self.text = answer.text
        self.report = report

    def __repr__(self) -> str:
        return self.output


def run(collective: Optional[str] = None, *, progress: Optional[bool] = None, **options: Value) -> Records:
    """Run a collective (or the steps of `schedule=FILE`) and compare it with the model: a record for each algorithm."""
    return _records("run", collective, options, progress_words(progress), progress)


def predict(collective: Optional[str] = None, *, progress: Optional[bool] = None, **options: Value) -> Records:
    """Predict the time of a collective (or of `schedule=FILE`) without a run; `explain=True` adds critical path and slack."""
    return _records("predict", collective, options, progress_words(progress), progress)


def sweep(collective: str, *, progress: Optional[bool] = None, **options: Value) -> Sweep:
    """Run a collective at all combinations of the values: `sweep("broadcast", P=[2, 4, 8], L=["1us", "9us"])`.

    With `output=FILE` (.json or .csv) the records are kept there, and a sweep that was interrupted goes on."""
    return Sweep(_records("bench", collective, options, progress_words(progress), progress))


def trace(collective: Optional[str] = None, **options: Value) -> Trace:
    """One run as a space-time diagram."""
    return Trace(["trace", *_first(collective), *option_words(options)])


def tree(collective: str, **options: Value) -> Tree:
    """The communication tree of a collective."""
    return Tree(["tree", collective, *option_words(options)])


def explain(collective: str, a: str, b: str, **options: Value) -> Explanation:
    """Why algorithm `a` is faster or slower than `b`."""
    return Explanation(["explain", collective, a, b, *option_words(options)])


def plot(what: Union[str, Sweep], **options: Value) -> Picture:
    """The curves of a sweep: run it (`what` is a collective), or draw that of a file or of sweep()."""
    if isinstance(what, Sweep):
        return what.plot(**options)
    return Picture(["plot", what, *option_words(options)])


def schedule(collective: str, **options: Value) -> Schedule:
    """The steps of each rank."""
    _refuse_output("schedule", options)
    return Schedule(call(["schedule", collective, *option_words(options), "--format", "json"]))


def search(collective: str, *, progress: Optional[bool] = None, **options: Value) -> Schedule:
    """Look for a faster schedule, at most for `limit`; `text` says its time, its bound and whether it is proven best."""
    _refuse_output("search", options)
    return Schedule(call(["search", collective, *option_words(options), *progress_words(progress), "--format", "json"], progress))


def tune(*collectives: str, progress: Optional[bool] = None, **options: Value) -> Union[Records, str]:
    """The best algorithms over P and sizes; with `export="openmpi"` or "mpich" the text of the file that this MPI loads."""
    words = ["tune", *collectives, *option_words(options), *progress_words(progress)]
    if options.get("export") not in (None, "csv"):
        return call(words, progress).output.decode("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "winners.csv")
        call([*words, "--output", name], progress)
        return load(name)


def machine(*, progress: Optional[bool] = None, **options: Value) -> Machine:
    """Measure L, o, g and G: of the emulated machine of the options, or with `delay="none"` of this host."""
    _refuse_output("machine", options)
    return Machine(records_of(call(["measure", *option_words(options), *progress_words(progress), "--format", "json"], progress).output)[0])


def mpirun(program: Path, *arguments: str, report: bool = False, progress: Optional[bool] = None, **options: Value) -> ProgramRun:
    """Run an MPI program that logp-cc compiled on P emulated processors; `report=True` also tells where its time went."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "report.json")
        words = ["mpirun", *option_words(options), *(["--report", name] if report else []), os.fspath(program), *arguments]
        answer = call(words, progress)
        return ProgramRun(answer, Record(records_of(_read(name))[0]) if report else None)


def collectives() -> Records:
    """The collectives, each with its summary."""
    return _records("list", "collectives", {}, [], None)


def algorithms(collective: Optional[str] = None) -> Records:
    """The algorithms of a collective, or all: name, summary, source."""
    return _records("list", collective or "algorithms", {}, [], None)


def machines() -> Records:
    """The machines that `machine=NAME` knows."""
    return _records("list", "machines", {}, [], None)


def version() -> str:
    """The version of the command."""
    return call(["--version"]).output.decode("utf-8").split("\n", 1)[0].replace("logp ", "", 1)


def _first(collective: Optional[str]) -> List[str]:
    return [] if collective is None else [collective]


def _records(command: str, collective: Optional[str], options: "dict[str, Value]", more: List[str], progress: Optional[bool]) -> Records:
    words = [command, *_first(collective), *option_words(options), *more]
    output = _output(options)
    if output is not None:
        call(words, progress)
        return load(output)
    return records_of(call([*words, "--format", "json"], progress).output)


def _output(options: "dict[str, Value]") -> Optional[str]:
    """The file of the answer; as in a command line, the option may be shortened."""
    for key, value in options.items():
        if len(key) > 1 and "output".startswith(key) and value is not None and not isinstance(value, bool):
            return str(value)
    return None


def _refuse_output(function: str, options: "dict[str, Value]") -> None:
    if _output(options) is not None:
        raise ValueError("%s() gives its answer to Python; remove output, and write the answer with its save(PATH)" % function)


def _read(name: str) -> str:
    with open(name, encoding="utf-8") as file:
        return file.read()
