#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/command.md is made from the manual page, and so from the tables of commands and options.

usage: tests/repository/command_page.py LOGP           is the page what the command makes?
       tests/repository/command_page.py LOGP --write   make it
"""
import os
import re
import subprocess
import sys
import textwrap

PAGE = os.path.abspath(os.path.join(__file__, "../../../docs/command.md"))
INTRODUCTION = """# The command `logp`

Every command, every option and every default. This page is made from the tables of the command by
`tests/repository/command_page.py LOGP --write`; a test compares the two. `logp manual | man -l -` shows the same as a
manual page, and `logp help run` shows the options of one command. [Records](records.md) describes the output for programs,
and the [cookbook](cookbook.md) has commands for 24 tasks."""


def plain(text):
    """The text of a line without fonts and escapes."""
    return re.sub(r"\\f[BIR]", "", text).replace(r"\-", "-").replace(r"\&", "").replace(r"\e", "\\")


def prose(text):
    """The same as Markdown: bold words are code, and nothing in it is a mark."""
    text = re.sub(r"\\fB(.*?)\\fR", r"`\1`", text)
    return plain(text).replace("|", r"\|").replace("<", r"\<").replace("*", r"\*")


def option(lines):
    """A row of the table of options, and the commands that take it."""
    name, text = plain(lines[0]), lines[1:]
    commands = [c for line in text if line.startswith("Of ") for c in re.findall(r"\\fB(.*?)\\fR", line)]
    help_text = " ".join(prose(line) for line in text if not line.startswith("Of "))
    return name, help_text.rstrip("."), commands


def sections(roff):
    """The sections of the manual page: a title and its lines."""
    for part in re.split(r"^\.SH ", roff, flags=re.M)[1:]:
        title, _, text = part.partition("\n")
        yield title.strip('"'), text


def blocks(text):
    """Lines between .nf and .fi become a block; the others are prose."""
    out, kept = [], False
    for line in text.splitlines():
        if line in (".nf", ".fi"):
            kept = line == ".nf"
            out.append("\n```text" if kept else "```")
        elif line != ".PP":
            out.append(plain(line) if kept else prose(line))
    return "\n".join(out).strip("\n")


def commands_of(text, taken_by):
    for part in re.split(r"^\.SS ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        name = plain(title.strip('"'))
        word = name.split()[1]
        yield "### `%s`\n\n%s" % (name, blocks(body[0].upper() + body[1:]))
        if taken_by.get(word) and name.split()[1:3] != ["bench", "crossover"]:
            yield textwrap.fill("Options: " + ", ".join("`%s`" % o for o in taken_by[word]), 115,
                                break_long_words=False, break_on_hyphens=False)


def entries(text):
    return [part.strip("\n").splitlines() for part in re.split(r"^\.TP$", text, flags=re.M)[1:]]


def page(roff):
    parts = dict(sections(roff))
    intro = parts["OPTIONS"].split(".TP")[0].strip()
    options = [option(e) for e in entries(parts["OPTIONS"])]
    taken_by = {}
    for name, _, commands in options:
        for command in commands:
            taken_by.setdefault(command, []).append(name.split()[0])
    out = [INTRODUCTION, blocks(parts["DESCRIPTION"]), "## Commands"]
    out += commands_of(parts["COMMANDS"], taken_by)
    out += ["## Options", prose(intro)]
    out.append("| option | meaning |\n|---|---|\n" +
               "\n".join("| `%s` | %s |" % (name.replace("|", r"\|"), text) for name, text, _ in options))
    out += ["## Environment", blocks(parts["ENVIRONMENT"]), "## Exit codes"]
    out.append("| code | meaning |\n|---|---|\n" +
               "\n".join("| %s | %s |" % (e[0], prose(" ".join(e[1:]))) for e in entries(parts["EXIT STATUS"])))
    out += ["## Examples", blocks(parts["EXAMPLES"])]
    return "\n\n".join(out) + "\n"


def main(logp, write):
    made = page(subprocess.run([logp, "manual"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    if write:
        with open(PAGE, "w", encoding="utf-8") as f:
            f.write(made)
        return 0
    with open(PAGE, encoding="utf-8") as f:
        same = f.read() == made
    print("docs/command.md %s" % ("is what the command makes" if same else
                                  "is old; make it with tests/repository/command_page.py LOGP --write"))
    return 0 if same else 1


sys.exit(main(os.path.abspath(sys.argv[1]), "--write" in sys.argv[2:]))
