#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No text of the command or the library, and no comment of the C code, has a word or pattern of tests/words.txt (the
rules are in docs/style.md).

The texts are all strings of algorithms/, runtime/ and tools/ that have two words or more, as `xgettext -a`
collects them, and those of the report page and of papers. The comments are those of all C sources and headers in the folders of
COMMENTED. The list is tried on words_refused.txt: it refuses the sentence before => and accepts the one after it.
Exit code 77: there is no xgettext.
usage: tests/repository/words.py [--print | --comments FOLDER...]
--print: all texts, to read them; --comments: the refused comments of these folders alone
"""
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(HERE, "../.."))
# The folders whose comments are read, too.
COMMENTED = ["algorithms", "bench", "include", "runtime", "tools"]
LANGUAGES = {".c": "C", ".h": "C", ".js": "JavaScript"}


def lines_of(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return [line.rstrip("\n") for line in f if line.strip() and not line.startswith("#")]


def strings_of(language, files):
    """Each string of the sources: where it is, and its text, with the parts of it joined."""
    command = ["xgettext", "-a", "-L", language, "--from-code=UTF-8", "--no-wrap", "-o", "-"] + files
    catalogue = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for entry in catalogue.split("\n\n")[1:]:
        place = " ".join(re.findall(r"^#: (.*)", entry, re.M))
        for message in re.findall(r'^msgid(?:_plural)? ((?:"(?:[^"\\]|\\.)*"\s*)+)', entry, re.M):
            text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', message))
            yield place, re.sub(r'\\(.)', lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def texts():
    """Where each text is, and the text: all that a user may read has at least two words."""
    files = {}
    for folder in ("algorithms", "runtime", "tools"):
        for name in glob.glob(os.path.join(folder, "**", "*"), recursive=True, root_dir=TOP):
            files.setdefault(LANGUAGES.get(os.path.splitext(name)[1]), []).append(name)
    for language in set(LANGUAGES.values()):
        yield from strings_of(language, sorted(files[language]))
    for name in sorted(n for n in files[None] if n.endswith(".html")):
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            for text in re.sub(r"<(style|script|code)\b.*?</\1>|</?(b|i|em|kbd|a|span)\b[^>]*>", "", f.read(), flags=re.S).split("<"):
                yield name, text.partition(">")[2]
    for name in sorted(n for n in files[None] if n.endswith(".paper")):
        with open(os.path.join(TOP, name), encoding="utf-8") as f:
            for line in f.read().replace("\n ", " ").split("\n"):
                word, _, text = line.partition(" ")
                yield name, text if word in ("figure", "note", "why", "#") else ""


def comments(folders):
    """Where each comment is, and its text, on one line."""
    for folder in folders:
        for name in sorted(glob.glob(os.path.join(folder, "**", "*.[ch]"), recursive=True, root_dir=TOP)):
            with open(os.path.join(TOP, name), encoding="utf-8") as f:
                code = f.read()
            # Strings are read too, so that a comment sign in one begins no comment.
            for found in re.finditer(r'"(?:\\.|[^"\\\n])*"|/\*(.*?)\*/', code, re.S):
                if found[1] is not None:
                    place = "%s:%d" % (name, code.count("\n", 0, found.start()) + 1)
                    yield place, re.sub(r"\s*\n\s*\*?\s*", " ", found[1]).strip(" *!<")


def is_prose(text):
    return " " in text.strip() and len(re.findall(r"[A-Za-z]{2,}", text)) > 1


def patterns_of_list():
    patterns = []
    for line in lines_of("../words.txt"):
        pattern, reason, better = (part.strip() for part in line.rsplit(" | ", 2))
        patterns.append((re.compile(pattern, re.I | re.M), reason, better))
    return patterns


def refused(texts_with_places, patterns):
    return ["%s: '%s': %s; write: %s; in: %s" % (place, found.group(), reason, better, text)
            for place, text in texts_with_places
            for pattern, reason, better in patterns for found in [pattern.search(text)] if found]


def main():
    os.chdir(TOP)
    if not shutil.which("xgettext"):
        return 77
    if sys.argv[1:2] == ["--comments"]:
        wrong = refused(comments(sys.argv[2:]), patterns_of_list())
        print("\n".join(wrong) or "no refused comment")
        return 1 if wrong else 0
    prose = sorted({(place, " ".join(text.split())) for place, text in texts() if is_prose(text)})
    if "--print" in sys.argv:
        print("\n".join("%s: %s" % text for text in prose))
        return 0
    patterns = patterns_of_list()
    wrong = refused(prose, patterns) + refused(comments(COMMENTED), patterns)
    used = set()
    for line in lines_of("words_refused.txt"):
        bad, good = line.split(" => ")
        hits = [pattern for pattern, _, _ in patterns if pattern.search(bad)]
        used.update(hits)
        wrong += [] if hits else ["the list accepts: %s" % bad]
        wrong += ["the list refuses: %s" % good for pattern, _, _ in patterns if pattern.search(good)]
    print("\n".join(wrong) or "%d texts, %d patterns" % (len(prose), len(patterns)))
    return 1 if wrong or len(prose) < 1000 else 0


sys.exit(main())
