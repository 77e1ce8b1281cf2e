#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What logp tune --nodes exports for levels: read here as the sources of the MPIs read it, each choice of a composed
algorithm beside the sum of its steps, which logp predict gives; and loaded by the MPIs of this machine.

usage: tests/mpi/tune_levels.py LOGP
Exit code 77: all is right, but neither Open MPI 4.1 nor MPICH 4.0 runs here.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BETWEEN = {"-L": "20us", "-o": "1us", "-g": "2us", "-G": "1ns"}
INSIDE = {"-L": "500ns", "-o": "100ns", "-g": "150ns", "-G": "0.1ns"}
NODE = 3
INTER = ["--nodes", "*x%d" % NODE, "--inter", ",".join(k[1:] + "=" + v for k, v in BETWEEN.items())]
wrong = []


def flags(of):
    return [word for pair in of.items() for word in pair]


class Tuned:
    def __init__(self, logp):
        self.logp = logp
        self.kept = {}

    def export(self, form, P):
        run = [self.logp, "tune", "-P", P, "--bytes", "1..256Ki", "--gamma", "0.3ns", "--export", form]
        return subprocess.run(run + flags(INSIDE) + INTER, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=True).stdout

    def best(self, collective, algorithms, P, size, network):
        """The best time in ns of these algorithms, and its name."""
        if P & (P - 1) != 0:
            algorithms = algorithms.replace("scatter-doubling,", "")
        key = (collective, P, size, tuple(network))
        if key not in self.kept:
            run = [self.logp, "predict", collective, "-P", str(P), "--algo", algorithms, "--format", "json"]
            out = subprocess.run(run + (["--bytes", str(size)] if collective != "barrier" else []) + network,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
            self.kept[key] = min((r["predicted_ns"], i, r["algorithm"]) for i, r in enumerate(json.loads(out)))
        return self.kept[key]


def expect(what, there, by_sum):
    if there != by_sum:
        wrong.append("%s: the file has %s, the sum of the steps says %s" % (what, there, by_sum))


# ---- Open MPI's file for coll/han ----

def read_han(text):
    """{collective: {level: {processes: [(size, component)]}}}, as coll_han_dynamic_file.c reads it."""
    words = iter(re.sub(r"#.*", "", text).split())
    rules = {}
    for _ in range(int(next(words))):
        levels = rules[next(words)] = {}
        for _ in range(int(next(words))):
            by_processes = levels[int(next(words))] = {}
            for k in range(int(next(words))):
                processes = int(next(words))
                assert k > 0 or processes == 1
                sizes = by_processes[processes] = [(int(next(words)), next(words)) for _ in range(int(next(words)))]
                assert sizes[0][0] == 0 and sizes == sorted(sizes)
            assert list(by_processes) == sorted(by_processes)
    assert next(words, None) is None
    return rules


def sizes_for(by_processes, processes):
    return by_processes[max(p for p in by_processes if p <= processes)]


def han_takes(rules, collective, level, processes, size):
    return [component for first, component in sizes_for(rules[collective][level], processes) if first <= size][-1]


# Collectives without segments: ours, their algorithms, the steps (inside or between; times the size).
HAN = {
    "gather": ("gather", "flat,binomial", ((INSIDE, 1), (BETWEEN, NODE))),
    "scatter": ("scatter", "flat,binomial", ((BETWEEN, NODE), (INSIDE, 1))),
    "barrier": ("barrier", "central,dissemination,tree", ((INSIDE, 1), (BETWEEN, 1), (INSIDE, 1))),
}


def check_han(tuned, P):
    rules = read_han(tuned.export("openmpi-han", ",".join(map(str, P))))
    seen = set()
    assert sorted(rules) == ["allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter"]
    for theirs, (ours, algorithms, steps) in HAN.items():
        assert [han_takes(rules, theirs, level, 9, 100) for level in (0, 1)] == ["tuned", "tuned"]
        for p in P:
            firsts = [first for first, _ in sizes_for(rules[theirs][2], p) if first > 0]
            for size in [1] if ours == "barrier" else sorted({1, 2000}.union(*((f - 1, f) for f in firsts))):
                k = ["--k", "2"] if ours == "barrier" else []
                flat = tuned.best(ours, algorithms, p, size, flags(INSIDE) + INTER + k)[0]
                total = sum(tuned.best(ours, algorithms, NODE if of is INSIDE else p // NODE, size * times,
                                       flags(of) + k)[0] for of, times in steps)
                there = han_takes(rules, theirs, 2, p, size)
                expect("han, %s, P = %d, %d bytes" % (theirs, p, size), there, "han" if total < flat else "tuned")
                seen.add(there)
    assert seen == {"han", "tuned"}, seen


# ---- MPICH's file ----

def mpich_takes(tree, facts):
    """The algorithm of a tree, as csel.c goes through it."""
    while True:
        for key, then in tree.items():
            if key.startswith("algorithm="):
                return key[len("algorithm=MPIR_"):]
            name, le, value = re.fullmatch(r"(\w+?)(<=|=)(\w+)", key).groups()
            if value == "any" or (facts[name] <= int(value) if le == "<=" else value in facts[name]):
                tree = then
                break
        else:
            raise ValueError("nothing holds in %s" % tree)


def check_mpich(tuned, P):
    tree = json.loads(tuned.export("mpich", ",".join(map(str, P))))["collective=bcast"]
    names = {"binomial": "Bcast_intra_binomial", "scatter-doubling": "Bcast_intra_scatter_recursive_doubling_allgather",
             "scatter-allgather": "Bcast_intra_scatter_ring_allgather"}
    algorithms, seen = ",".join(names), set()

    def taken(processes, size, level):
        return mpich_takes(tree, {"comm_type": ["intra"], "comm_hierarchy": [level], "comm_size": processes,
                                  "avg_msg_size": size})

    for p in P:
        for size in (1, 1000, 12287, 12288, 100000):
            inside = tuned.best("broadcast", algorithms, NODE, size, flags(INSIDE))
            between = tuned.best("broadcast", algorithms, p // NODE, size, flags(BETWEEN))
            flat = tuned.best("broadcast", algorithms, p, size, flags(INSIDE) + INTER)
            composed = size < 12288 and inside[0] + between[0] < flat[0]
            expect("mpich, P = %d, %d bytes" % (p, size), taken(p, size, "parent"),
                   "Bcast_intra_smp" if composed else names[flat[2]])
            expect("mpich, a node, %d bytes" % size, taken(NODE, size, "node"), names[inside[2]])
            expect("mpich, %d nodes, %d bytes" % (p // NODE, size), taken(p // NODE, size, "node_roots"),
                   names[between[2]])
            seen.add(taken(p, size, "parent"))
    assert "Bcast_intra_smp" in seen and len(seen) > 1, seen


# ---- the libraries ----

def runs(words, **environment):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})


def version(words, pattern):
    if shutil.which(words[0]) is None:
        return None
    found = re.search(pattern, runs(words).stdout, re.M)
    return found and found[1]


def load_han(tuned, folder):
    """Open MPI reads the file when it begins, and says what it has read."""
    path = os.path.join(folder, "han")
    text = tuned.export("openmpi-han", "6,12,24")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    out = runs(["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "1", "--mca", "coll_han_priority", "100",
                "--mca", "coll_han_use_dynamic_file_rules", "1", "--mca", "coll_han_dynamic_rules_filename", path,
                "--mca", "coll_han_dump_dynamic_rules", "1", "--mca", "coll_base_verbose", "10",
                os.path.join(folder, "calls.openmpi"), "bcast", "8"]).stdout
    count = sum(len(sizes) for levels in read_han(text).values() for p in levels.values() for sizes in p.values())
    if not re.search(r"read %d rules from" % count, out):
        wrong.append("Open MPI does not say that it has read %d rules: %s" % (count, out[-2000:]))
    if re.search(r"coll:han.*(error|warning|invalid|could not)", out, re.I):
        wrong.append("Open MPI warns: %s" % out[-2000:])
    print("Open MPI read %d rules" % count)


def load_mpich(tuned, folder):
    """In a composed allreduce only the first ranks of nodes send to another node: ranks 0 and 1, as NUM_CLIQUES deals
    ranks out to emulated nodes."""
    path = os.path.join(folder, "selection")
    with open(path, "w", encoding="utf-8") as f:
        f.write(tuned.export("mpich", "6"))
    takes = mpich_takes(json.loads(tuned.export("mpich", "6"))["collective=allreduce"], {
        "comm_type": ["intra"], "comm_hierarchy": ["parent"], "comm_size": 6, "avg_msg_size": 8, "count": 1,
        "is_op_built_in": ["yes"], "is_commutative": ["yes"]})
    if takes != "Allreduce_intra_smp":
        wrong.append("MPICH's file asks for %s" % takes)
    out = runs(["mpirun.mpich", "-n", "6", "-genv", "LD_PRELOAD", os.path.join(folder, "seen.so"),
                os.path.join(folder, "calls.mpich"), "allreduce", "8"], MPIR_CVAR_NUM_CLIQUES="2",
               MPIR_CVAR_DEVICE_COLLECTIVES="none", MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=path).stdout
    far = {int(a): [(int(b), int(n)) for n, b in re.findall(r"(\d+)>(\d+)", sent)
                    if int(b) % 2 != int(a) % 2] for a, sent in re.findall(r"^(\d+):(.*)$", out, re.M)}
    print("MPICH sends between nodes: %s" % {a: sent for a, sent in far.items() if sent})
    if {a: sent for a, sent in far.items() if sent} != {0: [(1, 8)], 1: [(0, 8)]}:
        wrong.append("MPICH's allreduce on 2 nodes of 3 sends otherwise:\n%s" % out[-2000:])


def main(logp):
    tuned = Tuned(logp)
    check_han(tuned, (6, 24))
    check_mpich(tuned, (6, 24))
    openmpi = version(["ompi_info", "--version"], r"^Open MPI v(4\.1\..*)")
    mpich = version(["mpichversion"], r"^MPICH Version:\s*(4\.0\..*)")
    with tempfile.TemporaryDirectory() as folder:
        runs(["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-shared", HERE + "/tune/seen.c", "-o", folder + "/seen.so",
              "-ldl"])
        for name, there, load in (("openmpi", openmpi, load_han), ("mpich", mpich, load_mpich)):
            if there is None or shutil.which("mpicc." + name) is None:
                print("skipped: no %s that runs here" % name)
                continue
            runs(["mpicc." + name, "-std=c11", "-D_GNU_SOURCE", "-O1", HERE + "/tune/calls.c", "-o",
                  folder + "/calls." + name, "-ldl"])
            load(tuned, folder)
    for line in wrong:
        print("FAILED: " + line)
    print("%d choices beside sums" % len(tuned.kept))
    return 1 if wrong else 0 if openmpi or mpich else 77


sys.exit(main(sys.argv[1]))
