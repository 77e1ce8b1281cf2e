# SPDX-License-Identifier: MIT
"""Calls of the installed command `logp`: keyword arguments become its options, and its errors become exceptions."""
from __future__ import annotations

import codecs
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any, IO, List, Mapping, Optional, Sequence, Union

Value = Union[str, int, float, bool, None, "os.PathLike[str]", Sequence[Any]]
"""The value of an option: a number or a text as the command takes it; True: the option has no value; None and False: it
is not given; a list or a range: several values, as in a sweep."""

# Options that are given once for each value. A list of values of any other option is one value with commas.
_REPEATED = frozenset(("link", "inter", "plugin"))
# A line that the command draws again and again.
_DRAWN = re.compile("\r[^\r\n]*\x1b\\[K")
_PATIENCE_S = 10.0


class LogpError(RuntimeError):
    """The command ended with an exit code that is not 0.

    `code` is the exit code: 1: it ran, and something is wrong (a wrong result, a deadlock); 2: a wrong option or value.
    For mpirun() it is that of the program. `text` is what the command wrote to stderr, `output` what it wrote to stdout
    until then, `words` the command line."""

    def __init__(self, words: Sequence[str], code: int, text: str, output: bytes) -> None:
        super().__init__(text or "%s ended with exit code %d" % (" ".join(words[:2]), code))
        self.words = list(words)
        self.code = code
        self.text = text
        self.output = output


class Answer:
    """What a call of the command wrote: `output` (stdout), `text` (stderr, without progress)."""

    def __init__(self, words: Sequence[str], output: bytes, text: str) -> None:
        self.words = list(words)
        self.output = output
        self.text = text


def command_path() -> str:
    """The path of the command: the environment's LOGP_COMMAND, or `logp` of the PATH. FileNotFoundError: there is none."""
    named = os.environ.get("LOGP_COMMAND", "logp")
    found = shutil.which(named)
    if found is None:
        raise FileNotFoundError("no command '%s': install logp-tools, or set LOGP_COMMAND to its path" % named)
    return found


def option_words(options: Mapping[str, Value]) -> List[str]:
    """The words of the command line for these options: P=8 is `-P 8`, o_send="2us" is `--o-send 2us`, as_= is `--as`."""
    words: List[str] = []
    for key, value in options.items():
        if value is None or value is False:
            continue
        name = key.rstrip("_").replace("_", "-")
        option = "-" + name if len(name) == 1 else "--" + name
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple, range)):
            if name in _REPEATED:
                for one in value:
                    words += [option, str(one)]
            else:
                words += [option, ",".join(str(one) for one in value)]
        else:
            words += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return words


def call(words: Sequence[str], progress: Optional[bool] = None) -> Answer:
    """Call the command with these words, its name not among them, and wait for its end.

    `progress` shows on sys.stderr what the command says while it works; None: where a person looks, on a terminal and in
    a notebook. An interrupt (KeyboardInterrupt) ends the command as Ctrl-C does, so that a sweep with `output` can go on
    later. LogpError: its exit code was not 0."""
    shows = _is_watched() if progress is None else progress
    line = [command_path(), *words]
    # A group of its own: Ctrl-C reaches it once, from here.
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          start_new_session=True) as process:
        assert process.stdout is not None and process.stderr is not None
        told: List[str] = []
        pieces: List[bytes] = []
        listeners = [threading.Thread(target=_listen, args=(process.stderr, told, shows), daemon=True),
                     threading.Thread(target=_read, args=(process.stdout, pieces), daemon=True)]
        for listener in listeners:
            listener.start()
        try:
            code = process.wait()
        except BaseException:
            _end(process)
            raise
        finally:
            for listener in listeners:
                listener.join()
    output = b"".join(pieces)
    text = _DRAWN.sub("", "".join(told)).replace("\r", "").strip()
    if code != 0:
        raise LogpError(line, code, text, output)
    return Answer(line, output, text)


def progress_words(progress: Optional[bool]) -> List[str]:
    """The option that makes a command of long work say how far it is."""
    return ["--progress", "on"] if (_is_watched() if progress is None else progress) else []


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _listen(stream: IO[bytes], told: List[str], shows: bool) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    is_terminal = sys.stderr.isatty()
    while True:
        piece = stream.read1(1 << 16) if hasattr(stream, "read1") else stream.read()
        text = decoder.decode(piece, final=not piece)
        told.append(text)
        if shows and text:
            sys.stderr.write(text if is_terminal else text.replace("\x1b[K", ""))
            sys.stderr.flush()
        if not piece:
            return


def _read(stream: IO[bytes], pieces: List[bytes]) -> None:
    pieces.append(stream.read())


def _end(process: "subprocess.Popen[bytes]") -> None:
    """As Ctrl-C does; if that does not end it, by force."""
    for number, wait_s in ((signal.SIGINT, _PATIENCE_S), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
        try:
            process.wait(timeout=wait_s)
            return
        except subprocess.TimeoutExpired:
            continue
