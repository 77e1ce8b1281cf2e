#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random command lines and mutated files: whatever they are, the command ends by itself with exit code
0, 1 or 2, no sanitizer has something to say, and what is wrong with the input is one line on stderr.
usage: attack.py LOGP CORPUS [--cases N] [--seed S]; CORPUS: tests/fuzz/corpus. Prints the seed of each case
that fails: --cases 1 --seed S repeats it."""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

PATIENCE_S = 120  # of the host's clock, which may be shared; the processor's time is limited below
COMMANDS = {  # words that take no time of the wall clock are the more frequent ones
    "predict": 8, "run": 6, "schedule": 4, "list": 1, "tree": 3, "trace": 4, "tune": 1, "measure": 2,
    "validate": 1, "bench": 2, "bench crossover": 1, "plot": 1, "report": 1, "paper": 1, "replay": 1,
    "completion": 1, "manual": 1, "watch": 1, "help": 1, "complete": 2, "search": 3}
WORDS = ["broadcast", "reduce", "summation", "allreduce", "scatter", "gather", "allgather", "alltoall",
         "barrier", "scan", "exscan", "reduce-scatter", "transpose", "matvec"]
JUNK = ["", "-1", "0", "1", "2", "3", "7", "63", "1e3", "1e30", "2^62", "2^63", "2^64", "9223372036854775807",
        "18446744073709551616", "-9223372036854775808", "nan", "inf", "1e-9", "0.5", "1us", "1ps", "36y", "1s",
        "all", "auto", "none", "x", "a,b", ",", "1,2", "1..8", "8..1", "1..8*2", "1..2^40", "*", "=", ":", "%s%n",
        "\u00e9\u4e2d", "\x01\x1b[31m", "a\nb", "..", "/dev/null", "x" * 300, "on", "off", "'", '"', "`id`"]
VALUES = {
    "P": ["1", "2", "3", "4", "5", "8", "9", "16", "64", "1000", "2^61", "2,4", "1..8"],
    "L": ["0", "1", "6", "100", "1ns", "1ms", "2^40"], "o": ["0", "1", "2", "5ns", "2^40"],
    "g": ["0", "1", "4", "7ns", "2^40"], "G": ["0", "0.01", "1", "1ps", "100"], "unit": ["1ns", "1us", "1ms"],
    "o-send": ["0", "3"], "o-recv": ["0", "5"], "gap": ["shared", "separate"], "delay": ["none", "logp", "loggp",
    "store-forward", "varying"], "topology": ["line", "ring", "mesh", "mesh:2x4", "torus:2x2x2", "hypercube", "tree"],
    "algo": ["all", "auto", "binomial", "flat", "chain", "binomial,flat", "k-item", "bruck-k", "ring", "kchain"],
    "bytes": ["0", "1", "8", "1k", "1M", "2^40", "2^61", "1..1k*4"], "count": ["0", "1", "100", "1M", "2^61"],
    "counts": ["1", "1,2,3", "0,0", "2^61,2^61", "1k"], "root": ["0", "1", "7"], "type": ["int32", "double"],
    "op": ["sum", "prod", "min", "max"], "rows": ["1", "8", "1000", "2^31", "2^40"], "cols": ["1", "8", "2^40"],
    "packing": ["structured", "none"], "same-results": ["yes", "no"], "k": ["1", "2", "5", "sqrt", "2^40"], "window": ["1", "2", "100"],
    "block": ["1", "8", "1k", "2^40"], "pack": ["0", "1"], "work": ["0", "1", "1s"], "overlap": ["on", "off"],
    "by": ["formula", "schedule"], "nodes": ["2x2", "4x2", "*x4", "2x*", "2x2x2"], "inter": ["L=9", "L=9,o=1,G=1ns", "g=2us"],
    "link": ["0-1:L=9", "0,2-*:g=3", "*-*:L=1;0-1:L=2", "0..3-4..7:L=1us"], "rendezvous": ["0", "1", "100"], "ports": ["1", "2", "64"],
    "fault": ["drop:0.1", "dup:1", "flip:0.5", "delay:3", "cut@0-1", "stop@1", "slow:2", "drop:1e-3@0-1:0..5us"],
    "noise": ["fixed:1us", "uniform:1", "exp:2us", "tick:1ms:1us", "file:machine", "file:samples"],
    "machine": ["cm5", "dash", "monsoon", "jmachine", "ncube2", "hdr", "shm", "none", "machine", "json", "empty", "."],
    "schedule": ["json", "goal", "machine", "empty", "."], "as": ["allreduce", "reduce", "barrier", "matvec", "x"],
    "schedules": ["kept", "kept", ".", "json", "none"], "format": ["table", "json", "csv", "text", "svg", "goal",
    "perfetto", "dot", "machine"], "clock": ["virtual"], "executor": ["fiber", "thread"], "seed": ["1", "2^60"],
    "reps": ["1", "2"], "warmup": ["0", "1"], "precision": ["1", "50%"], "limit": ["10ms"], "export":
    ["openmpi", "mpich", "csv"], "plot": ["p.svg", "p.png", "p.csv"], "queue-limit": ["1", "1k", "1M"],
    "output": ["o.json", "o.csv", "o.svg", "o.goal", "o.txt", "records.csv", "records.json", "/dev/full", "."],
    "cores": ["0", "0,1", "0-1"], "measure": ["all"], "pairs": ["all"], "columns": ["0,1"], "fit": None,
    "capacity": None, "explain": None, "watch": None, "restart": None, "help": None, "progress": ["on", "off"]}
SHORT = "PLogG"
FILES = {"plot": ["records.csv", "records.json"], "replay": ["replay"], "report": ["page.html", "records.csv"],
         "paper": ["sun", "kurnosov", "liu", "grama", "shou-chen"], "completion": ["bash", "zsh"]}
KEPT = "kept/allreduce-P4-own.json"
READERS = {"machine": ["predict", "broadcast", "--machine"], "json": ["predict", "--schedule"],
           "goal": ["predict", "--schedule"], "records.csv": ["plot"], "records.json": ["report", "--output", "page.html"],
           KEPT: ["predict", "allreduce", "-P", "4", "--schedules", "kept"], "replay": ["replay"], "samples": ["predict", "broadcast", "--noise"]}
TOKENS = [b"", b"0", b"-1", b"9223372036854775807", b"18446744073709551616", b"1e999", b"{", b"}", b"[", b"]", b"\"",
          b",", b"\n", b"null", b"true", b"\\u0000", b"\xff\xfe", b"\0", b"%n", b"=", b"L", b"requires", b"rank 0 {",
          b"num_ranks 3", b"{\"a\":" * 3000, b"[" * 3000, b"#", b"to", b"send 1b to 0 tag 3", b"ns", b"\x1b[2J"]


def corpus(folder, logp, files):
    """One valid file of each kind, by name."""
    def says(*words):
        return subprocess.run([logp, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    records = ["bench", "broadcast", "-P", "2,4,8", "--algo", "flat,binomial", "--clock", "virtual", "--format"]
    with open(os.path.join(files, "replay", "one"), "rb") as f:
        replay = f.read()
    made = {"machine": b"name = m\nL = 1300ns\no = 210ns\ng = 0.4us\nG = 0.08ns\nnodes = *x8\ninter = L=12us,g=2us\n",
            "json": says("schedule", "allreduce", "-P", "4", "--format", "json"),
            "goal": says("schedule", "broadcast", "-P", "4", "--format", "goal"),
            "records.csv": says(*records, "csv"), "records.json": says(*records, "json"),
            "samples": b"100\n200 # ns\n300\n", "replay": replay, "empty": b""}
    made[KEPT] = made["json"]
    return made


def write(folder, name, data):
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def mutated(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at, end = sorted((rng.randint(0, len(data)), rng.randint(0, len(data))))
        end = min(end, at + rng.choice([0, 1, 4, 30, 10000]))
        kind = rng.randrange(5)
        if kind == 0:
            data[at:end] = rng.choice(TOKENS)
        elif kind == 1:
            data[at:at] = rng.choice(TOKENS)
        elif kind == 2:
            data[at:at] = data[at:end]
        elif kind == 3:
            del data[at:end]
        elif data:
            data[at % len(data)] = rng.randrange(256)
    return bytes(data)


def options_taken(logp, command):
    """The names that the command completes, and those with one dash; of what completes none all."""
    if command not in TAKEN:
        out = subprocess.run([logp, "complete", *command.split(), "--"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
        names = [line.split("\t")[0][2:] for line in out.splitlines() if line.startswith("--")]
        TAKEN[command] = [name for name in VALUES if name in SHORT or name in names]
    return TAKEN[command]


def options_of(rng, taken):
    words = []
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6])):
        name = rng.choice(taken if rng.random() < 0.9 else list(VALUES))
        dashed = ("-" if name in SHORT else "--") + name
        if VALUES[name] is None:
            words.append(dashed if rng.random() < 0.95 else dashed + "=" + rng.choice(JUNK))
            continue
        value = rng.choice(VALUES[name] if rng.random() < 0.88 else JUNK)
        words += [dashed + "=" + value] if rng.random() < 0.1 else [dashed, value]
    return words


def command_line(rng, logp):
    command = rng.choices(list(COMMANDS), COMMANDS.values())[0]
    words = command.split()
    if command in FILES and rng.random() < 0.9:
        words.append(rng.choice(FILES[command]))
    if rng.random() < 0.9:
        words.append(rng.choice(WORDS))
    words += options_of(rng, options_taken(logp, command))
    if rng.random() < 0.05:
        words.insert(rng.randint(0, len(words)), rng.choice(JUNK))
    if command in ("run", "watch", "bench", "trace", "measure", "validate", "report", "plot", "bench crossover", "paper"):
        if rng.random() < 0.8:
            words += ["--clock", "virtual"]
        words += ["--timeout", "2s"] if command != "paper" else []
    if command == "search" and "--limit" not in words:
        words += ["--limit", "10ms"]
    return [word.replace("\0", "") for word in words]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE_S // 2, PATIENCE_S // 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))


def judge(logp, folder, words, env):
    """None, or what is wrong."""
    try:
        done = subprocess.run([logp, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=PATIENCE_S, preexec_fn=limit, env=env, check=False)
    except subprocess.TimeoutExpired:
        return "does not end"
    err = done.stderr.decode(errors="replace")
    lines = [line for line in err.rstrip("\n").split("\n") if line and not line.startswith("logp: a CPU quota allows ")]
    if "AddressSanitizer" in err or "runtime error:" in err or "LeakSanitizer" in err:
        return "sanitizer: " + err[:3000]
    if done.returncode not in (0, 1, 2):
        return "exit code %d: %s" % (done.returncode, err[-500:])
    if done.returncode == 2 and len(lines) != 1:
        return "exit code 2 with %d lines: %s" % (len(lines), err[:500])
    if done.returncode == 1 and not lines and not done.stdout:
        return "exit code 1 without a word"
    return None


def attack(logp, corpus_folder, seed, env):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        made = corpus(folder, logp, corpus_folder) if "made" not in CACHE else CACHE["made"]
        CACHE["made"] = made
        for name, data in made.items():
            write(folder, name, data)
        if rng.random() < 0.3:
            name = rng.choice(list(READERS))
            write(folder, name, mutated(rng, made[name]))
            words = list(READERS[name])
            words += [] if name == KEPT else [("file:" if name == "samples" else "") + name]
            words += ["--as", "allreduce"] if name == "json" and rng.random() < 0.5 else []
            if name == "replay":
                words += ["--", "true"]
            elif rng.random() < 0.3 and name != "replay":
                words += options_of(rng, options_taken(logp, words[0]))
        else:
            words = command_line(rng, logp)
        return words, judge(logp, folder, words, env)


CACHE = {}
TAKEN = {}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("logp")
    parser.add_argument("corpus")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    env = {name: value for name, value in os.environ.items() if not name.startswith("LOGP_")}
    failed = 0
    for seed in range(args.seed, args.seed + args.cases):
        words, wrong = attack(os.path.abspath(args.logp), os.path.abspath(args.corpus), seed, env)
        if wrong is not None:
            failed += 1
            print("FAILED: seed %d: logp %s: %s" % (seed, " ".join(map(repr, words)), wrong), flush=True)
    print("%d of %d cases, seeds from %d on, failed" % (failed, args.cases, args.seed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
