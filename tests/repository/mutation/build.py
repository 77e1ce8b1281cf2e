# SPDX-License-Identifier: MIT
"""Copies of the tree, each with its build, and a mutant in one of them.

A copy is WORK/NAME/tree and WORK/NAME/build. ninja builds the whole; for a mutant, what changed is
compiled and linked with ninja's own commands, in place. What that overwrites is saved before, and
put back with its old times afterwards (or at the next start), so ninja never sees a mutant.
"""
import hashlib
import os
import re
import shlex
import shutil
import subprocess

SOURCES = ("runtime", "algorithms", "tools")
TESTER = "tests/repository/mutat"  # this program is no part of what is tested
# What a compiler always says is no mutant: nobody would go as far as the tests.
STRICT = ["-Werror=" + w for w in ("incompatible-pointer-types", "int-conversion", "return-type",
                                   "implicit-function-declaration", "discarded-qualifiers",
                                   "format")]
# Of a text that may be cut a compiler warns as its version guesses: that stops no build.
STRICT += ["-Wno-error=" + w for w in ("format-truncation", "format-overflow")]
FLAGS = {
    # A process that ends at once says what it has executed, too. The quotes are for the shell.
    "cover": ["-O0", "-DNDEBUG", "-w", "--coverage", "'-D_Exit(code)=exit(code)'"],
    "mutant": ["-O2", "-DNDEBUG"] + STRICT,  # Release, but for -flto: so a link is quick
}


class BuildError(Exception):
    pass


def tree_files(root):
    """{path in the tree: its bytes}, of all that is built or tested."""
    found = {}
    for folder, folders, files in os.walk(root):
        relative = os.path.relpath(folder, root)
        folders[:] = sorted(d for d in folders if not d.startswith((".", "build", "__pycache__")))
        for name in sorted(files):
            path = os.path.normpath(os.path.join(relative, name))
            if not name.startswith("."):
                with open(os.path.join(folder, name), "rb") as f:
                    found[path] = f.read()
    return found


def digest(files):
    """Of {name: bytes}, without this program."""
    total = hashlib.sha256()
    for name in sorted(name for name in files if not name.startswith(TESTER)):
        total.update(b"%s %d\n" % (name.encode(), len(files[name])))
        total.update(files[name])
    return total.hexdigest()[:16]


class Copy:
    def __init__(self, work, name, kind):
        self.folder = os.path.join(work, name)
        self.tree = os.path.join(self.folder, "tree")
        self.build = os.path.join(self.folder, "build")
        self.saved = os.path.join(self.folder, "saved")
        self.kind = kind
        self.compile, self.links, self.users = {}, [], {}

    # ---- the whole ----
    def prepare(self, root, files, jobs):
        """The tree as it is now, built."""
        self.restore()
        os.makedirs(self.tree, exist_ok=True)
        for path in set(tree_files(self.tree)) - set(files):
            os.unlink(os.path.join(self.tree, path))
        for path, data in files.items():
            self._write(os.path.join(self.tree, path), data, os.path.join(root, path))
        flags = FLAGS[self.kind]
        self._run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DLOGP_BUILD_BENCH=OFF",
                   "-DCMAKE_BUILD_TYPE=Mutation", "-DCMAKE_C_FLAGS=" + " ".join(flags)])
        self._run(["ninja", "-C", self.build, "-j%d" % jobs])

    @staticmethod
    def _write(path, data, like):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            with open(path, "rb") as f:
                if f.read() == data:
                    return
        with open(path, "wb") as f:
            f.write(data)
        if like is not None:
            shutil.copymode(like, path)

    @staticmethod
    def _run(argv):
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise BuildError("%s\n%s" % (" ".join(argv), done.stdout[-3000:]))
        return done.stdout

    # ---- one mutant ----
    def learn(self):
        """What ninja would do: which commands compile and link, and who includes what."""
        for command in self._run(["ninja", "-C", self.build, "-t", "commands"]).splitlines():
            words = shlex.split(command)
            out = words[words.index("-o") + 1] if "-o" in words else None
            if out is not None and "-c" in words:
                self.compile[out] = command
            elif out is not None:
                self.links.append((out, set(words), command))
        target = None
        for line in self._run(["ninja", "-C", self.build, "-t", "deps"]).splitlines():
            header = re.match(r"(\S+): #deps", line)
            if header:
                target = header.group(1)
            elif line.strip():
                path = os.path.relpath(os.path.join(self.build, line.strip()), self.tree)
                self.users.setdefault(path, set()).add(target)

    def _save(self, path):
        """Path from self.folder on."""
        kept = os.path.join(self.saved, path)
        os.makedirs(os.path.dirname(kept), exist_ok=True)
        shutil.copy2(os.path.join(self.folder, path), kept + ".part")
        os.replace(kept + ".part", kept)

    def restore(self):
        for folder, _, names in os.walk(self.saved):
            for name in names:
                if not name.endswith(".part"):
                    kept = os.path.join(folder, name)
                    shutil.copy2(kept, os.path.join(self.folder, os.path.relpath(kept, self.saved)))
        shutil.rmtree(self.saved, ignore_errors=True)

    def _shell(self, command):
        return subprocess.run(command, shell=True, cwd=self.build, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def build_mutant(self, path, text):
        """Put it in place: "built", "broken" or "same" (the very same machine code)."""
        objects = sorted(self.users.get(path, ()))
        self._save(os.path.join("tree", path))
        with open(os.path.join(self.tree, path), "w", encoding="utf-8") as f:
            f.write(text)
        changed = []
        for name in objects:
            self._save(os.path.join("build", name))
            if not self._shell(self.compile[name]):
                return "broken"
            with open(os.path.join(self.build, name), "rb") as new, \
                 open(os.path.join(self.saved, "build", name), "rb") as old:
                if new.read() != old.read():
                    changed.append(name)
        for out, words, command in self.links if changed else ():
            if not words.isdisjoint(changed):
                self._save(os.path.join("build", out))
                if not self._shell(command):
                    return "broken"
        return "built" if changed else "same"
