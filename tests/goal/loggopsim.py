#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The times that LogGOPSim gives for a GOAL file, by its rules (docs/goal.md): an independent reading of
them, slow and short, for the tests. It prints the largest time in ns, and that of each rank.

usage: tests/goal/loggopsim.py FILE L o g G [O [S]]        all in ns; S: messages of more than S bytes wait
       tests/goal/loggopsim.py --answers FILE LOGP         compare LOGP with the answers of LogGOPSim in a JSON file
       tests/goal/loggopsim.py --like LOGP FILE...         and with these rules, for GOAL files under some parameters
"""
import heapq
import json
import re
import subprocess
import sys
import tempfile

SEND, RECV, CALC, MESSAGE = range(4)
ANY = -1


def read(text):
    """By rank the operations, each [kind, size, peer, tag, cpu, nic], and for each the operations that wait for it."""
    ranks = [None] * int(re.search(r"num_ranks\s+(\d+)", text).group(1))
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    for number, body in re.findall(r"rank\s+(\d+)\s*{([^}]*)}", text):
        ops, labels, edges = [], {}, []
        for line in body.split("\n"):
            order = re.match(r"\s*(\w+)\s+(i?)requires\s+(\w+)", line)
            op = re.match(r"\s*(?:(\w+)\s*:)?\s*(send|recv|calc)\s+(\d+)(.*)", line)
            if order:
                edges.append(order.groups())
            elif op:
                label, kind, size, rest = op.groups()
                found = [re.search(word + r"\s+(-?\d+)", rest) for word in ("(?:to|from)", "tag", "cpu", "nic")]
                labels[label] = len(ops)
                ops.append([("send", "recv", "calc").index(kind), int(size)] + [int(f.group(1)) if f else 0 for f in found])
        after = {i: ([], []) for i in range(len(ops))}  # its end, its beginning
        waits = [0] * len(ops)
        for later, starts, earlier in edges:
            after[labels[earlier]][starts == "i"].append(labels[later])
            waits[labels[later]] += 1
        ranks[int(number)] = (ops, after, waits)
    return [r or ([], {}, []) for r in ranks]


class Simulation:
    def __init__(self, ranks, L, o, g, G, O=0, S=10**9):
        self.ranks, self.L, self.o, self.g, self.G, self.O, self.S = ranks, L, o, g, G, O, S
        P = len(ranks)
        ops = [op for rank in ranks for op in rank[0]]
        cpus, nics = (1 + max([op[k] for op in ops], default=0) for k in (4, 5))
        self.cpu = [[0] * cpus for _ in range(P)]
        self.sends, self.recvs = [[0] * nics for _ in range(P)], [[0] * nics for _ in range(P)]
        self.posted, self.unexpected = [[] for _ in range(P)], [[] for _ in range(P)]
        self.queue, self.stamp = [], 0
        for rank, (ops, _, waits) in enumerate(ranks):
            self.put(rank, [i for i in range(len(ops)) if waits[i] == 0], first=True)

    def push(self, time, stamp, event):
        heapq.heappush(self.queue, (time, stamp, event))

    def put(self, rank, free, first=False):
        for i in sorted(free, key=lambda k: self.ranks[rank][0][k][0]):
            kind, _, _, _, cpu, nic = self.ranks[rank][0][i]
            time = max(self.cpu[rank][cpu], self.sends[rank][nic]) if kind == SEND else self.cpu[rank][cpu]
            self.push(0 if first else time, self.stamp, (kind, rank, i))
            self.stamp += 1

    def free(self, rank, i, *which):
        """The operations that become free with the end (0) or the beginning (1) of another."""
        _, after, waits = self.ranks[rank]
        free = []
        for w in which:
            for later in after[i][w]:
                waits[later] -= 1
                if waits[later] == 0:
                    free.append(later)
        return free

    @staticmethod
    def take(queue, src, tag):
        for k, (s, t, what) in enumerate(queue):
            if (s == src or ANY in (s, src)) and (t == tag or ANY in (t, tag)):
                del queue[k]
                return what
        return None

    def run(self):
        while self.queue:
            time, stamp, event = heapq.heappop(self.queue)
            kind, rank = event[:2]
            op = self.ranks[event[2]][0][event[3]] if kind == MESSAGE else self.ranks[rank][0][event[2]]
            cpu, nic = op[4:]
            later = 0 if kind == RECV else self.cpu[rank][cpu]
            if kind in (MESSAGE, SEND):
                later = max(later, (self.recvs if kind == MESSAGE else self.sends)[rank][nic])
            if later > time:
                self.push(later, stamp, event)
                continue
            for r, free in sorted(self.act(time, event, op).items()):
                self.put(r, free)
        assert not any(self.posted) and not any(self.unexpected)
        return [max(times) for times in self.cpu]

    def meet(self, time, rank, i, src, send, cpu, nic):
        """A receive and a message are there: by rank the operations that become free."""
        free = {}
        if self.ranks[src][0][send][1] > self.S:
            free[src] = self.free(src, send, 0)
            self.cpu[src][cpu] = max(self.cpu[src][cpu], time)
            self.sends[src][nic] = max(self.sends[src][nic], time)
        free[rank] = free.get(rank, []) + self.free(rank, i, 0)
        return free

    def act(self, time, event, op):
        kind, rank = event[:2]
        _, size, peer, tag, cpu, nic = op
        if kind == MESSAGE:
            src, send = event[2:]
            streams = (size - 1) * self.G
            self.cpu[rank][cpu] = time + self.o + max(streams, (size - 1) * self.O)
            self.recvs[rank][nic] = time + self.g + streams
            i = self.take(self.posted[rank], src, tag)
            if i is not None:
                return self.meet(time, rank, i, src, send, cpu, nic)
            self.unexpected[rank].append((src, tag, (src, send)))
            return {}
        i = event[2]
        if kind == CALC:
            self.cpu[rank][cpu] = time + size
            return {rank: self.free(rank, i, 1, 0)}
        if kind == SEND:
            self.cpu[rank][cpu] = time + self.o + (size - 1) * self.O
            self.sends[rank][nic] = time + self.g + (size - 1) * self.G
            self.push(time + self.o + self.L, self.stamp, (MESSAGE, peer, rank, i))
            self.stamp += 1
            return {rank: self.free(rank, i, *((1, 0) if size <= self.S else (1,)))}
        free = self.free(rank, i, 1)
        met = self.take(self.unexpected[rank], peer, tag)
        if met is None:
            self.posted[rank].append((peer, tag, i))
            return {rank: free}
        all_free = self.meet(time, rank, i, met[0], met[1], cpu, nic)
        all_free[rank] = free + all_free[rank]
        return all_free


def ask(logp, command, path, parameters):
    """What logp says of a GOAL file under L, o, g, G, O and S: the process that has ended, and its record."""
    options = ["--schedule", path, "--format", "json"]
    for name, ns in zip("LogGO", parameters):
        options += ["-" + name, "%dns" % ns]
    if parameters[5] < 10**9:
        options += ["--rendezvous", str(parameters[5])]
    got = subprocess.run([logp] + command + options, capture_output=True, text=True, check=False)
    return got, json.loads(got.stdout)[0] if got.returncode == 0 else None


def compare(answers, logp):
    """Each rank of each graph, by predict and, where a rank has one processor and no send waits, by run."""
    with open(answers, encoding="utf-8") as file:
        graphs = json.load(file)
    for number, c in enumerate(graphs):
        parameters = [c[k] for k in "LogGOS"]
        said = Simulation(read(c["goal"]), *parameters).run()
        assert said == c["hosts_ns"], "graph %d: %s, not %s" % (number, said, c["hosts_ns"])
        with tempfile.NamedTemporaryFile("w", suffix=".goal") as file:
            file.write(c["goal"])
            file.flush()
            for command in (["predict"], ["run", "--clock", "virtual", "--reps", "1"]):
                got, row = ask(logp, command, file.name, parameters)
                if command[0] == "run" and (c["S"] < 10**9 or re.search("cpu [1-9]|nic [1-9]", c["goal"])):
                    assert got.returncode == 2 and "logp predict" in got.stderr, "graph %d: %s" % (number, got.stderr)
                    continue
                assert got.returncode == 0, "graph %d: %s" % (number, got.stderr)
                assert row["rank_ends_ns"] == said and row["predicted_ns"] == max(said), "graph %d: %s" % (number, row)
                assert command[0] == "predict" or row["emulated_ns"]["median"] == max(said), "graph %d" % number
    print("%d graphs" % len(graphs))


PARAMETERS = ((2500, 1500, 1000, 6, 0, 10**9), (60, 20, 40, 0, 0, 10**9), (500, 100, 700, 2, 3, 10**9), (500, 100, 700, 2, 0, 99))


def like(logp, paths):
    """Each rank of each file, and the time of all; what does not end by these rules is refused."""
    ended = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            goal = file.read()
        for parameters in PARAMETERS:
            got, row = ask(logp, ["predict", "--delay", "loggops"], path, parameters)
            try:
                said = Simulation(read(goal), *parameters).run()
            except AssertionError:  # a message that took another receive, or a send that waits for ever
                assert got.returncode == 2 and got.stderr.startswith("logp: --schedule"), "%s %s: %s" % (path, parameters, got)
                continue
            ended += 1
            assert got.returncode == 0, "%s %s: %s" % (path, parameters, got.stderr)
            assert (row["predicted_ns"], row["rank_ends_ns"]) == (max(said), said), "%s %s: %s" % (path, parameters, row)
    assert 2 * ended > len(paths) * len(PARAMETERS), "%d of %d files end" % (ended, len(paths))
    print("%d files, %d ends" % (len(paths), ended))


if __name__ == "__main__":
    if sys.argv[1] == "--answers":
        compare(*sys.argv[2:4])
    elif sys.argv[1] == "--like":
        like(sys.argv[2], sys.argv[3:])
    else:
        with open(sys.argv[1], encoding="utf-8") as file:
            ends = Simulation(read(file.read()), *map(int, sys.argv[2:8])).run()
        print(max(ends), ends)
