#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--watch, as a terminal shows it: drawn in place, within the terminal, and gone at the end. Tables are
no wider than the terminal, and the best row is marked.

usage: tests/tools/watch.py LOGP
Nothing here depends on how fast the host is: what is looked at is each picture, not when it came.
"""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios

LOGP = sys.argv[1]
WORDS = ["broadcast", "--executor", "fiber", "-P", "4", "--reps", "20", "--format", "json"]
failed = []


def check(good, what):
    if not good:
        failed.append(what)


class Screen:
    """As much of a terminal as is used: it has room for all that is written, and counts the rows that
    would have scrolled away."""

    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.lines, self.row, self.col = [""], 0, 0
        self.pictures, self.wrapped = [], False

    def feed(self, text):
        for token in re.findall(r"\033\[[0-9;?]*[A-Za-z]|\033.|.|\n", text):
            if token == "\n":
                self.row += 1
                if self.row == len(self.lines):
                    self.lines.append("")
            elif token == "\r":
                self.col = 0
            elif token.endswith("A") and token.startswith("\033["):
                up = int(token[2:-1])
                check(up < self.rows, "up %d of %d rows" % (up, self.rows))
                self.pictures.append("\n".join(self.lines[max(0, self.row - up):]))
                self.row -= up
            elif token == "\033[J":
                del self.lines[self.row + 1:]
                self.lines[self.row] = self.lines[self.row][:self.col]
            elif token == "\033[K":
                self.lines[self.row] = self.lines[self.row][:self.col]
            elif re.fullmatch(r"\033\[[0-9;]*m", token):
                pass
            elif token.startswith("\033"):
                check(False, "what is %r?" % token)
            else:
                line = self.lines[self.row].ljust(self.col)
                self.lines[self.row] = line[:self.col] + token + line[self.col + 1:]
                self.col += 1
                self.wrapped |= self.col > self.cols


def run(words, rows=24, cols=80, stop_at=None, stdout=False, **environment):
    """What is on stderr, a terminal of this size, and what is on stdout; stop_at: Ctrl-C when what
    has been written matches; stdout: this is the terminal, and stderr is not looked at."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    before = termios.tcgetattr(slave)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}
    env.pop("NO_COLOR", None)
    env.update({"TERM": "xterm"}, **environment)
    out = tempfile.TemporaryFile()
    child = subprocess.Popen([LOGP] + words, stdout=slave if stdout else out, stderr=out if stdout else slave, stdin=subprocess.DEVNULL, env=env)
    after = termios.tcgetattr(slave)
    os.close(slave)
    text = ""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        if not data:
            break
        text += data.decode()
        if stop_at is not None and re.search(stop_at, text):
            child.send_signal(signal.SIGINT)
            stop_at = None
    code = child.wait()
    check(before == after, "the terminal has other settings")
    out.seek(0)
    screen = Screen(rows, cols)
    screen.feed(text)
    return code, text, screen, out.read().decode()


def lines_of(picture):
    return picture.split("\n")


# every picture has a heading, its columns and a line for each algorithm; at the end nothing is left
code, text, screen, out = run(["watch"] + WORDS, rows=40)
records = json.loads(out)
names = [r["algorithm"] for r in records]
check(code == 0 and len(names) > 10 and all(r["reps"] == 20 for r in records), "watch: %d %s" % (code, out))
check(len(screen.pictures) > len(names), "%d pictures" % len(screen.pictures))
check(not screen.wrapped, "a line is too long")
for picture in screen.pictures:
    lines = lines_of(picture)
    check(re.fullmatch(r"broadcast: \d+ of %d points, .* left" % len(names), lines[0]), lines[0])
    check([line[2:].split()[0] for line in lines[2:] if line] == names, picture)
    check(sum(line.startswith(">") for line in lines) == 1 or "0 of" in lines[0], picture)
last = [line for line in lines_of(screen.pictures[-1]) if line]
check("%d of %d points" % (len(names) - 1, len(names)) in last[0], last[0])
for line, record in zip(last[2:-1], records):
    words = line[2:].split()
    check(words[1] == "20/20" and words[2] == "%.4f" % record["ratio"] and
          words[4] == "%.3f" % (record["lag_ns"]["median"] / 1000), "%s: %s" % (line, record["ratio"]))
check("points" not in "\n".join(screen.lines), "left on the screen: %s" % screen.lines)
check("\033[32m" in text or "\033[33m" in text or "\033[31m" in text, "no colours")

# a small terminal: no more lines than it has, none longer; that which runs is among them
code, text, screen, out = run(["run", "--watch", "--algo", "all"] + WORDS, rows=8, cols=40)
check(code == 0 and not screen.wrapped, "small: %d" % code)
for picture in screen.pictures:
    lines = [line for line in lines_of(picture) if line]
    check(len(lines) <= 7 and max(map(len, lines)) < 40, "small: %s" % picture)
    check(sum(line.startswith(">") for line in lines) == 1 or "0 of" in lines[0], picture)

# a sweep: how many points of each are done
code, text, screen, out = run(["bench"] + WORDS + ["-P", "2,3,4", "--algo", "flat,chain", "--watch"])
check(code == 0 and len(json.loads(out)) == 6, "bench: %d" % code)
check([line[2:].split()[1] for line in lines_of(screen.pictures[-1])[2:4]] == ["3/3", "2/3"] and
      "5 of 6 points" in screen.pictures[-1], screen.pictures[-1])

# no colours where they are not wanted; plain lines on a dumb terminal, and one that says nothing
code, text, screen, out = run(["watch"] + WORDS, NO_COLOR="1")
check(screen.pictures and not re.search(r"\033\[[0-9;]*m", text), "colours")
for terminal in ("dumb", ""):
    code, text, screen, out = run(["watch"] + WORDS, TERM=terminal)
    check(code == 0 and "\033" not in text, "TERM=%s: %r" % (terminal, text))
    lines = [line for line in text.split("\r\n") if " points, " in line]
    check(len(lines) == len(names), "TERM=%s: %s" % (terminal, lines))
    check(all(re.fullmatch(r"logp: broadcast [a-z-]+: ratio \d+\.\d{4}, lag \d+\.\d{3} us, 20 runs; "
                           r"\d+ of \d+ points, .* left", line) for line in lines), "%s" % lines)

# Ctrl-C: what was measured is there, and nothing is left on the terminal
code, text, screen, out = run(["watch"] + WORDS[:-4] + ["--reps", "1000000", "--format", "json"], stop_at=r"[1-9]\d*/1000000 .*\n(.*\n)*.*[1-9]\d*/1000000 ")
records = json.loads(out)
check(code == 1 and len(records) == 1 and 0 < records[0]["reps"] < 1000000, "Ctrl-C: %d %s" % (code, out))
check(any(re.search(r"> flat +[1-9]\d*/1000000 +[1-9]\d*\.\d{4} ", p) for p in screen.pictures),
      "no ratio while it settles: %s" % screen.pictures)
check("interrupted after" in text, "Ctrl-C: %r" % text[-200:])
check(not any(line.startswith(">") for line in screen.lines), "Ctrl-C: %s" % screen.lines)

# the virtual clock has no lag, and no prediction no ratio
code, text, screen, out = run(["watch", "barrier", "--clock", "virtual", "--format", "json"], TERM="dumb")
check(code == 0 and "ratio 1.0000, 1 run;" in text and "lag" not in text, "virtual: %r" % text)
code, text, screen, out = run(["watch", "barrier", "--delay", "none", "--reps", "3", "--format", "json"], TERM="dumb")
check(code == 0 and "ratio" not in text and "3 runs;" in text, "none: %r" % text)

# a table that is too wide for the terminal: columns are left out and named; a pipe has all of them
sweep = ["bench", "broadcast", "-P", "4,8", "--algo", "flat,optimal,chain-pipelined", "-G", "0.01", "--bytes", "8,1k",
         "--executor", "fiber", "--reps", "3", "--warmup", "0", "--unit", "1us"]
for words, width in ((sweep, 80), (sweep, 100), (sweep + ["--clock", "virtual"], 60),
                     (["run", "broadcast", "--algo", "all", "--reps", "2", "--ranks"], 80),
                     (["predict", "broadcast", "--algo", "all", "-G", "0.01", "--bytes", "64k"], 50)):
    whole = run(words)[3]
    _, text, _, _ = run(words, cols=width, stdout=True)
    heading = [line.split() for line in whole.split("\n") if line.startswith("times in us")][0]
    table = text.split("times in us", 1)[1].split("left out")[0].replace("\r", "").split("\n")
    check(max(map(len, table[1:])) <= width, "%s in %d columns: %s" % (words, width, text))
    check(sum(line.endswith(" best") for line in table) == whole.count(" best\n") > 0, "%s: best: %s" % (words, text))
    gone = re.search(r"left out, because the terminal has %d columns: (.*); --output FILE.csv has all" % width, text)
    check(gone is not None and "left out" not in whole, "%s: what is left out: %s" % (words, text))
    check(sorted(heading[3:]) == sorted((table[0] + " " + gone[1].replace(",", " ") if gone else "").split()),
          "%s: %s and %s" % (words, heading, gone and gone[1]))
wide = run(sweep, cols=200, stdout=True)[1]
check("left out" not in wide and "lag p99" in wide, "a wide terminal: %s" % wide)
_, text, _, _ = run(["run", "reduce", "--algo", "all", "--clock", "virtual", "--fault", "flip:1"], cols=40, stdout=True)
check("NO" in text, "a wrong result is not shown: %s" % text)

print("\n".join("FAILED: %s" % what for what in failed) or "all good")
sys.exit(1 if failed else 0)
