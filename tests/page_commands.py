#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that README.md and docs/*.md show, with their output: it is what the command prints.

A block that begins with `$ logp ...` is run where its output is deterministic: under the virtual
clock, or without a run. A line `...` stands for any lines.

usage: tests/page_commands.py LOGP
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMMAND = re.compile(r"\$ (?:build/tools/)?logp (.*)")
WITHOUT_A_RUN = ("predict", "tree", "list", "schedule", "bench crossover")


def blocks(text):
    """Each block of a page that begins with a command: the command and the lines after it."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S):
        lines = block.splitlines()
        command = COMMAND.fullmatch(lines[0])
        if command and len(lines) > 1 and not lines[1].startswith("$"):
            yield command.group(1), lines[1:]


def is_deterministic(command):
    return "--clock virtual" in command or command.startswith(WITHOUT_A_RUN)


def same(shown, printed):
    """Is printed what is shown, where `...` stands for any lines?"""
    pattern = "".join(".*" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed), re.S) is not None


def main(logp):
    wrong = run = 0
    for page in [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(TOP, "docs", "**", "*.md"), recursive=True)):
        with open(page, encoding="utf-8") as f:
            shown = [b for b in blocks(f.read()) if is_deterministic(b[0])]
        for command, lines in shown:
            with tempfile.TemporaryDirectory() as folder:
                out = subprocess.run([logp] + shlex.split(command), cwd=folder, text=True, timeout=120, check=False,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
            run += 1
            if not same(lines, out.splitlines()):
                wrong += 1
                print("%s: logp %s prints\n%s" % (os.path.relpath(page, TOP), command, out))
    print("%d commands of pages, %d print something else" % (run, wrong))
    return 1 if wrong or run == 0 else 0


sys.exit(main(os.path.abspath(sys.argv[1])))
