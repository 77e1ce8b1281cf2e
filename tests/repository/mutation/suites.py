# SPDX-License-Identifier: MIT
"""What can be run alone: each test of ctest, or of a Criterion program each of its tests.

Everything is taken from `ctest --show-only=json-v1`. A unit holds no folder of a certain copy:
TREE and BUILD stand for them.
"""
import ctypes
import fnmatch
import hashlib
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import time

TREE, BUILD = "@TREE@", "@BUILD@"
PLAIN = {"ENVIRONMENT", "ENVIRONMENT_MODIFICATION", "WORKING_DIRECTORY", "TIMEOUT", "RUN_SERIAL", "LABELS", "COST", "PROCESSORS",
         "PROCESSOR_AFFINITY", "DEPENDS"}  # DEPENDS: ctest's own, of fixtures
PIECES = "pieces"  # the fixture of what ctest runs first: a unit is run whether it holds or not
STATIC = {"format", "format_changed", "tidy", "tidy_changed", "pages"}  # they execute nothing, and a mutant is no typing mistake
FREE_MEMORY = 1 << 29       # a test that leaves the machine less ends
FILE_MAX = 1 << 28
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
libc = ctypes.CDLL(None)


def criterion_tests(program):
    """suite/test of a Criterion program; [] of any other."""
    try:
        with open(program, "rb") as f:
            if b"libcriterion" not in f.read():
                return []
    except OSError:
        return []
    listed = subprocess.run([program, "--list", "--encoding=C"], capture_output=True, text=True,
                            check=False, stdin=subprocess.DEVNULL)
    suite, tests = None, []
    for line in listed.stdout.splitlines():
        heading, test = re.match(r"(\S+): \d+ tests?$", line), re.search(r"[^\w]*(\w+)", line)
        if heading:
            suite = heading.group(1)
        elif suite and test:
            tests.append("%s/%s" % (suite, test.group(1)))
    return tests


def chosen(argv, tests):
    """A program's arguments without --filter, and those of its tests that the filter chooses."""
    if "--filter" not in argv:
        return argv, tests
    at = argv.index("--filter")
    return argv[:at] + argv[at + 2:], [t for t in tests if fnmatch.fnmatchcase(t, argv[at + 1])]


def is_chosen(test, has, label):
    """Is this test of ctest to be run? label: only tests with this one; None: all."""
    return ("command" in test and test["name"] not in STATIC and
            (label is None or label in has.get("LABELS", [])))


def list_units(copy, label):
    """[{name, test, argv, env, cwd, timeout}] in the order of ctest. label: as is_chosen()"""
    shown = subprocess.run(["ctest", "--test-dir", copy.build, "--show-only=json-v1"],
                           capture_output=True, text=True, check=True)
    units = []
    for test in json.loads(shown.stdout)["tests"]:
        has = {p["name"]: p["value"] for p in test.get("properties", [])}
        if not is_chosen(test, has, label):
            continue
        argv, criterion = list(test["command"]), []
        fixtures = set(has.pop("FIXTURES_REQUIRED", []) + has.pop("FIXTURES_SETUP", []))
        if set(has) - PLAIN or fixtures - {PIECES}:  # one that only ctest knows how to judge
            argv = ["ctest", "--test-dir", copy.build, "-R", "^%s$" % re.escape(test["name"])]
        else:
            tests = criterion_tests(argv[0])
            argv, criterion = chosen(argv, tests) if tests else (argv, [])
        unit = {"name": test["name"], "test": test["name"], "argv": argv,
                "env": dict([e.split("=", 1) for e in has.get("ENVIRONMENT", [])] +
                            [e.split("=set:", 1) for e in has.get("ENVIRONMENT_MODIFICATION", [])]),
                "cwd": has.get("WORKING_DIRECTORY", copy.build),
                "timeout": has.get("TIMEOUT", 1500)}
        parts = [dict(unit, name="%s %s" % (test["name"], c), test=c,
                      argv=argv + ["--fail-fast", "--filter", c]) for c in criterion]
        units += parts or [unit]
    text = json.dumps(units).replace(copy.build, BUILD).replace(copy.tree, TREE)
    return json.loads(text)


def keys_of(units, copy, code, whole):
    """{name: what it depends on}: the code, and its program, with the files that it is given; one
    that is given a folder depends on the whole tree."""
    contents, keys = {}, {}

    def content(path):
        if path not in contents:
            contents[path] = whole.encode() if os.path.isdir(path) else b""
            if os.path.isfile(path):
                with open(path, "rb") as f:
                    contents[path] = hashlib.sha256(f.read()).digest()
        return contents[path]

    for unit in units.values():
        key = hashlib.sha256(code.encode() + json.dumps(unit, sort_keys=True).encode())
        for word in unit["argv"]:
            if TREE in word or BUILD in word:
                key.update(content(word.replace(TREE, copy.tree).replace(BUILD, copy.build)))
        keys[unit["name"]] = key.hexdigest()[:12]
    return keys


def become_reaper():
    """What a test leaves behind becomes a child of this process."""
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def confined_child():
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as f:
        f.write("1000")


def children():
    with open("/proc/self/task/%d/children" % os.getpid(), encoding="ascii") as f:
        return [int(pid) for pid in f.read().split()]


def end_children():
    """Kill whatever was started, with all that it started."""
    while True:
        left = children()
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except OSError:
                pass


def end_all(group):
    """Kill a test's group and whatever it left; nothing else is a child of this process. Criterion
    has each test in a session of its own, and a socket that it removes only at its end."""
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
    end_children()
    try:
        os.unlink("/tmp/criterion_%d.sock" % group)
    except OSError:
        pass


def short_of_memory():
    with open("/proc/meminfo", encoding="ascii") as f:
        available = re.search(r"MemAvailable:\s+(\d+)", f.read())
    return available is not None and int(available.group(1)) * 1024 < FREE_MEMORY


def run(unit, copy, limit, extra=None):
    """(how it ended, seconds): "passed", "failed", "timeout" or "memory"."""
    def here(text):
        return text.replace(BUILD, copy.build).replace(TREE, copy.tree)

    scratch = os.path.join(copy.folder, "tmp")
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch, exist_ok=True)  # whatever died last may have left a file
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOGP_")}
    env.update({name: here(value) for name, value in unit["env"].items()}, TMPDIR=scratch)
    env.update(extra or {})
    start = time.monotonic()
    child = subprocess.Popen([here(word) for word in unit["argv"]], cwd=here(unit["cwd"]), env=env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=confined_child)
    how, ended = None, os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        while how is None:
            left = start + limit - time.monotonic()
            if poll.poll(max(0, min(left, 0.25)) * 1000):
                how = "passed" if child.wait() == 0 else "failed"
            elif left <= 0:
                how = "timeout"
            elif short_of_memory():
                how = "memory"
    finally:
        os.close(ended)
        end_all(child.pid)
        child.returncode = 0 if child.returncode is None else child.returncode
    return how, time.monotonic() - start
