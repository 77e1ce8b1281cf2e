#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands that README.md and docs/*.md show, with their output: it is what the command prints.

A block that begins with `$ logp ...` is run where its output is deterministic: under the virtual
clock, or without a run. A line `...` stands for any lines. Where such a command ends in
`--output NAME.svg`, docs/images/NAME.svg is what it writes, if it is there. A block that is only a
command is run, too, and its exit code is not 2 (bad usage). A page has one folder for its files, with
those of docs/examples.

The table of a run on the wall clock has the rows that the virtual clock gives, up to the prediction; what the
host has measured is not looked at. The numbers of the paragraph below an output are in an output of the page,
and lists and limits in prose are those of the command (LISTS, LIMITS).

usage: tests/repository/page_commands.py LOGP [--write] [PAGE | --but PAGE]
--write: pictures are made again, and blocks without `...` get what is printed now
PAGE: its commands alone; --but PAGE: those of all others, and what LISTS and LIMITS have [all]
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.abspath(os.path.join(__file__, "../../.."))
COMMAND = re.compile(r"\$ (?:build/tools/)?logp (.*)")
PICTURE = re.compile(r"--output (\S+\.svg)(?: 2>/dev/null)?$")
WITHOUT_A_RUN = ("predict", "tree", "list", "schedule", "bench crossover", "tune", "explain")


# A time or a size; not the result of a sum ("= 100 us").
NUMBER = re.compile(r"(?<![\w.^-])(?<!= )(\d[\d.]*\d|\d) (?:ns|us|ms|bytes|units)\b")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# Where a page lists what the command knows: the page, the list in it, the command; its first words are the names.
LISTS = (("docs/running.md", r"There are ([^;]*);", "list topologies"),)
# Limits in prose: the page, the limits in it, a command that is refused beyond them and names them.
LIMITS = (
    ("docs/pictures.md", r"in pixels, (\d+x\d+) to (\d+x\d+)", ["plot", "broadcast", "--size", "1x1"]),
    ("docs/pictures.md", r"at most (\d+ bytes)", ["plot", "broadcast", "--title", "x" * 500]),
)


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


def table(lines):
    """What a table of a run says of each algorithm before anything is measured: name, knobs, prediction."""
    rows, columns = [], 0
    for line in lines:
        words = line.split()
        if line.startswith("times in us"):
            columns = words.index("predicted") - 1 if "predicted" in words else 0
        elif columns and len(words) > columns and re.fullmatch(r"\d+\.\d+", words[columns - 1]):
            rows.append(words[:columns])
        elif line.strip() != "...":
            columns = 0
    return rows


def has_rows(command, shown, logp, folder):
    """Has the table of a run on the wall clock the rows that the same run has on the virtual one?"""
    rows = table(shown)
    if not rows:
        return True, ""
    out = subprocess.run([logp] + shlex.split(command) + ["--clock", "virtual"], cwd=folder, text=True, timeout=120,
                         check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    return rows == table(out.splitlines()), out


def unshown(text):
    """The times and sizes that the paragraph below an output reads from it, but no output of the page has."""
    parts = BLOCK.split(text)
    outputs = " ".join(parts[i] for i in range(2, len(parts), 3) if not parts[i - 1])
    for i in range(2, len(parts), 3):
        if parts[i - 1] or not COMMAND.match(parts[i].splitlines()[0]) or len(parts[i].splitlines()) < 2:
            continue
        paragraph = re.split(r"^[#|!]", parts[i + 1].strip(), flags=re.M)[0].split("\n\n")[0]
        plain = re.sub(r"`[^`]*`|\[[^]]*\]\([^)]*\)", "", paragraph).replace("\n", " ")
        for number in NUMBER.finditer(plain):
            if not re.search(r"(?<![\d.])%s(?:[.]0+)?(?![.]?\d)" % re.escape(number[1]), outputs):
                yield parts[i].splitlines()[0], number[1]


def wrong_lists(logp):
    for page, where, command in LISTS:
        names = [line.split()[0] for line in subprocess.run([logp] + command.split(), text=True, check=True,
                                                            stdout=subprocess.PIPE).stdout.splitlines()]
        said = re.search(where, read(os.path.join(TOP, page)), re.S)
        words = re.split(r",\s+|\s+and\s+", said[1].strip()) if said else []
        if sorted(w.replace("\n", " ").replace("  ", "").replace(" ", "-") for w in words) != sorted(names):
            yield "%s lists %s, logp %s: %s" % (page, words, command, names)


def wrong_limits(logp):
    for page, where, words in LIMITS:
        done = subprocess.run([logp] + words, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = re.search(where, read(os.path.join(TOP, page)))
        if done.returncode != 2 or not said or not all(limit in done.stderr for limit in said.groups()):
            yield "%s says %s, the command: %s" % (page, said and said[0], done.stderr)


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
    """Is the picture that a page shows the one that its command has made?"""
    kept = os.path.join(TOP, "docs", "images", name)
    if write and os.path.exists(made):
        shutil.copyfile(made, kept)
    return os.path.exists(kept) and os.path.exists(made) and read(made) == read(kept)


def wrong_in(page, logp, write):
    """Run the commands of a page. Returns how many there are, and those that print something else."""
    shown = [b for b in blocks(read(page)) if is_deterministic(b[0])]
    measured = [b for b in blocks(read(page)) if not is_deterministic(b[0]) and b[0].startswith("run ")]
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
        for command, lines in measured:
            good, out = has_rows(command, lines, logp, folder)
            wrong += [] if good else [(command, "other rows\n" + out)]
    wrong += [(command, "no " + number + ", which the paragraph below it names") for command, number in unshown(read(page))]
    return len(shown) + len(measured), wrong


def main(logp, *options):
    named = [os.path.join(TOP, option) for option in options if not option.startswith("--")]
    pages = [os.path.join(TOP, "README.md")] + sorted(glob.glob(os.path.join(TOP, "docs", "**", "*.md"), recursive=True))
    if not set(named) <= set(pages):
        sys.exit("no such page: %s" % " ".join(named))
    alone = named and "--but" not in options
    n_run = n_wrong = 0
    for page in named if alone else [page for page in pages if page not in named]:
        n, wrong = wrong_in(page, logp, "--write" in options)
        n_run += n
        n_wrong += len(wrong)
        for command, out in wrong:
            print("%s: logp %s prints\n%s" % (os.path.relpath(page, TOP), command, out))
    for what in [] if alone else [*wrong_lists(logp), *wrong_limits(logp)]:
        n_wrong += 1
        print(what)
    print("%d commands of pages, %d print something else" % (n_run, n_wrong))
    return 1 if n_wrong or n_run == 0 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
