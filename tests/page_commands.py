#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that README.md and docs/*.md show, with their output: it is what the command prints.

A block that begins with `$ logp ...` is run where its output is deterministic: under the virtual
clock, or without a run. A line `...` stands for any lines. Where such a command ends in
`--output NAME.svg`, docs/images/NAME.svg is what it writes, if it is there. A block that is only a
command is run, too, and its exit code is not 2 (bad usage). A page has one folder for its files, with
those of docs/examples.

usage: tests/page_commands.py LOGP [--write]
--write: pictures are made again, and blocks without `...` get what is printed now
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMAND = re.compile(r"\$ (?:build/tools/)?logp (.*)")
PICTURE = re.compile(r"--output (\S+\.svg)(?: 2>/dev/null)?$")
WITHOUT_A_RUN = ("predict", "tree", "list", "schedule", "bench crossover", "tune", "explain")
GNUPLOT = re.compile(r"Produced by GNUPLOT.*")


def fenced(text):
    """The lines of each block that begins with a command."""
    for block in re.findall(r"^```\n(\$ .*?)^```$", text, re.M | re.S):
        yield block.splitlines()


def blocks(text):
    """Each block of a page that begins with a command of logp: the command and the lines after it."""
    for lines in fenced(text):
        command = COMMAND.fullmatch(lines[0])
        if command and not (len(lines) > 1 and lines[1].startswith("$")):
            yield command[1], lines[1:]


def is_deterministic(command):
    return "--clock virtual" in command or "--predicted" in command or command.startswith(WITHOUT_A_RUN)


def same(shown, printed):
    """Is printed what is shown, where `...` stands for any lines?"""
    pattern = "".join(".*" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed), re.S) is not None


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rewrite(page, command, shown, printed):
    """In a page: what follows the first line of a block. False: it has `...`, so it is for a person to do."""
    text = read(page)
    for logp in "logp", "build/tools/logp":
        old, new = ("\n".join(["```", "$ %s %s" % (logp, command), *lines, "```"])
                    for lines in (shown, [p.rstrip() for p in printed]))
        if old in text and "..." not in (s.strip() for s in shown):
            with open(page, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new, 1))
            return True
    return False


def same_picture(made, name, write):
    """Is the picture that a page shows the one that its command has made? Curves only with one gnuplot."""
    kept = os.path.join(TOP, "docs", "images", name)
    if write and os.path.exists(made):
        shutil.copyfile(made, kept)
    if not os.path.exists(kept):
        return False
    old = GNUPLOT.search(read(kept))
    if old and (not shutil.which("gnuplot") or os.path.exists(made) and old[0] not in read(made)):
        return True
    return os.path.exists(made) and read(made) == read(kept)


def wrong_in(page, logp, write):
    """Run the commands of a page. Returns how many there are, and those that print something else."""
    shown = [b for b in blocks(read(page)) if is_deterministic(b[0])]
    wrong = []
    with tempfile.TemporaryDirectory() as top:
        folder = shutil.copytree(os.path.join(TOP, "docs", "examples"), os.path.join(top, "run"))
        for command, lines in shown:
            done = subprocess.run([logp] + shlex.split(command), cwd=folder, text=True, timeout=120, check=False,
                                  env=dict(os.environ, XDG_DATA_HOME=top),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            out, picture = done.stdout, PICTURE.search(command)
            if done.returncode == 2:
                wrong.append((command, out))
            elif picture and "images/" + picture[1] in read(page):
                if not same_picture(os.path.join(folder, picture[1]), picture[1], write):
                    wrong.append((command, "another picture\n" + out))
            elif lines and not same(lines, out.splitlines()) and not (
                    write and rewrite(page, command, lines, out.splitlines())):
                wrong.append((command, out))
    return len(shown), wrong


def main(logp, *options):
    n_run = n_wrong = 0
    for page in [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(TOP, "docs", "**", "*.md"), recursive=True)):
        n, wrong = wrong_in(page, logp, "--write" in options)
        n_run += n
        n_wrong += len(wrong)
        for command, out in wrong:
            print("%s: logp %s prints\n%s" % (os.path.relpath(page, TOP), command, out))
    print("%d commands of pages, %d print something else" % (n_run, n_wrong))
    return 1 if n_wrong or n_run == 0 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
