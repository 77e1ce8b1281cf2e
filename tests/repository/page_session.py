#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of a page, one after the other in one folder, as a reader would type them, with what is
installed: each prints what the page shows; in a block of commands alone, none ends with bad usage (exit code 2). The
programs that the page quotes are there; a block of diff changes them; a picture that is made is that of docs/images.
Needs pkg-config and a compiler.

usage: tests/repository/page_session.py BUILD_DIR PAGE [--write]
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import page_commands

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
QUOTED = re.compile(r"\]\(([^)\s]+\.c)\):\n")


def change(folder, diff):
    """Apply a block of diff: its lines with - and without a sign are in one of the programs, once."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    paths = [p for p in glob.glob(os.path.join(folder, "*.c")) if page_commands.read(p).count(old) == 1]
    if len(paths) == 1:
        text = page_commands.read(paths[0])
        with open(paths[0], "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
    return len(paths) == 1


def step(page, folder, lines, environment, write, alone):
    """Type a command; the lines after it are what it prints, unless it is in a block of commands alone.
    Returns what is wrong, or None."""
    done = subprocess.run(["bash", "-c", lines[0][2:]], cwd=folder, env=environment, text=True, timeout=120,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    printed = done.stdout.splitlines()
    if alone:
        return "exit code %d\n%s" % (done.returncode, done.stdout) if done.returncode in (2, 126, 127) else None
    picture = page_commands.PICTURE.search(lines[0])
    if picture and not page_commands.same_picture(os.path.join(folder, picture[1]), picture[1], write):
        return "makes another picture"
    if not page_commands.same(lines[1:], printed) and not (
            write and page_commands.rewrite(page, lines[0], lines[1:], printed)):
        return "prints\n" + done.stdout
    return None


def main(build, page, *options):
    text = page_commands.read(page)
    n_run, wrong = 0, []
    with tempfile.TemporaryDirectory() as top:
        prefix, folder = os.path.join(top, "prefix"), os.path.join(top, "page")
        os.mkdir(folder)
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        for name in set(QUOTED.findall(text)):
            shutil.copy(os.path.join(os.path.dirname(page), name), folder)
        pc = os.path.dirname(glob.glob(prefix + "/**/logp.pc", recursive=True)[0])
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LOGP_")}
        environment.update(PATH=prefix + "/bin:" + environment["PATH"], PKG_CONFIG_PATH=pc,
                           LD_LIBRARY_PATH=os.path.dirname(pc))
        for kind, block in BLOCK.findall(text):
            if kind == "diff" and not change(folder, block):
                wrong.append("a diff does not fit\n" + block)
            alone = all(line.startswith("$ ") for line in block.splitlines())
            for command in re.split(r"^(?=\$ )", block, flags=re.M)[1:] if not kind else []:
                n_run += 1
                said = step(page, folder, command.splitlines(), environment, "--write" in options, alone)
                wrong += ["%s %s" % (command.splitlines()[0], said)] if said else []
    print("\n".join(wrong) or "%d commands print what the page shows" % n_run)
    return 1 if wrong or n_run == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(a) if not a.startswith("--") else a for a in sys.argv[1:])))
